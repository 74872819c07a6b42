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
		all, blocks = append(all, inside...), withBlock(blocks, Block{times, len(inside)})
	}
	return all, blocks
}

// withBlock appends a block; one that runs once is more of the last one, if that does.
func withBlock(blocks []Block, b Block) []Block {
	if last := len(blocks) - 1; b.Times == 1 && last >= 0 && blocks[last].Times == 1 {
		blocks[last].Entries += b.Entries
		return blocks
	}
	return append(blocks, b)
}

// unroll makes mechanisms of what was read: of blocks, as often as they run, and of entries that stand for several.
func (d *decoder) unroll(p *Problem) {
	read, marks := d.read, d.marks[mechanismList]
	d.marks[mechanismList] = nil
	add := func(times int, mechanisms []impl.Mechanism, marks []entryMark) {
		if times > (maxEntries-len(p.Mechanisms))/len(mechanisms) {
			d.failAt(d.lists[mechanismList], "there are more than %d mechanisms, those of blocks, bands and columns counted "+
				"as often as they run", maxEntries)
		}
		p.Blocks = withBlock(p.Blocks, Block{times, len(mechanisms)})
		for i := range times * len(mechanisms) {
			m := mechanisms[i%len(mechanisms)]
			p.Mechanisms = append(p.Mechanisms, m)
			d.marks[mechanismList] = append(d.marks[mechanismList], marks[i%len(marks)])
			if i < len(mechanisms) { // these were counted when they were read
				continue
			}
			if err := d.growBy(m); err != nil {
				d.failEntry(mechanismList, len(p.Mechanisms)-1, err)
			}
		}
	}
	for _, b := range d.blocks {
		var inside []impl.Mechanism // of a block that runs more than once
		var at []entryMark
		for i, rounds := range read[:b.Entries] {
			for _, r := range rounds {
				switch {
				case b.Times == 1:
					add(r.times, r.mechanisms, marks[i:i+1])
				case r.bands > 1:
					d.failAt(marks[i][0], "a block: bands is given, must be outside of blocks")
				default:
					inside, at = append(inside, r.mechanisms...), append(at, slices.Repeat(marks[i:i+1], len(r.mechanisms))...)
				}
			}
		}
		if b.Times > 1 {
			add(b.Times, inside, at)
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
