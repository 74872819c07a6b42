package input

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"checkrr/impl"
)

// A block is an entry {repeat: 20, mechanisms: [...]}: these mechanisms, one after another, so many times.
var blockKeys = []string{"repeat", "mechanisms"}

// Block is a number of entries that run one after another, so many times.
type Block struct{ Times, Entries int }

// entriesOf returns the entries of mechanisms, those of blocks once, and which of them are a block; the others are one
// that runs once.
func (d *decoder) entriesOf(list []ast.Node) (all []ast.Node, blocks []Block) {
	running := 0
	for _, entry := range list {
		times, inside := d.block(entry)
		if times > (maxEntries-running)/len(inside) {
			d.fail(entry, "there are more than %d mechanisms up to here, those of a block counted as often as they run",
				maxEntries)
		}
		running += times * len(inside)
		all = append(all, inside...)
		if last := len(blocks) - 1; times == 1 && last >= 0 && blocks[last].Times == 1 {
			blocks[last].Entries += len(inside)
		} else {
			blocks = append(blocks, Block{times, len(inside)})
		}
	}
	return all, blocks
}

// unroll repeats the mechanisms of blocks, which were read once.
func (d *decoder) unroll(p *Problem) {
	read, marks := p.Mechanisms, d.marks[mechanismList]
	if !slices.ContainsFunc(p.Blocks, func(b Block) bool { return b.Times > 1 }) {
		return
	}
	p.Mechanisms, d.marks[mechanismList] = nil, nil
	for _, b := range p.Blocks {
		for i := range b.Times * b.Entries {
			m := read[i%b.Entries]
			p.Mechanisms = append(p.Mechanisms, m)
			d.marks[mechanismList] = append(d.marks[mechanismList], marks[i%b.Entries])
			if err := d.growBy(m); err != nil {
				d.failEntry(mechanismList, len(p.Mechanisms)-1, err)
			}
		}
		read, marks = read[b.Entries:], marks[b.Entries:]
	}
}

// growBy counts the numbers of a mechanism, without those of a file.
func (d *decoder) growBy(m impl.Mechanism) error {
	for _, x := range m.Parts() {
		if err := d.grow(x.Eps.Rat(), x.Delta); err != nil {
			return err
		}
		for _, output := range x.Law {
			if err := d.grow(output[0], output[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// block reads a block; another entry is itself, once.
func (d *decoder) block(entry ast.Node) (times int, inside []ast.Node) {
	pairs, _ := pairsOf(entry)
	if !slices.ContainsFunc(pairs, func(p *ast.MappingValueNode) bool { return slices.Contains(blockKeys, keyOf(p)) }) {
		return 1, []ast.Node{entry}
	}
	values := d.keyed("a block", pairs, blockKeys)
	for i, v := range values {
		if v == nil {
			d.fail(entry, "a block: %s is missing, must be of the form {repeat: 20, mechanisms: [%s]}", blockKeys[i],
				d.entryForm(mechanismList))
		}
	}
	times = d.whole("a block: repeat", values[0], 1, maxEntries)
	return times, d.source.list("a block: mechanisms", values[1], maxEntries)
}
