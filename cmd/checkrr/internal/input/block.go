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

// unroll repeats the mechanisms of blocks, which were read once, and makes blocks of rounds.
func (d *decoder) unroll(p *Problem) {
	read, marks, bands := p.Mechanisms, d.marks[mechanismList], d.rounds
	p.Mechanisms, d.marks[mechanismList] = nil, nil
	add := func(times int, mechanisms []impl.Mechanism, marks []entryMark) {
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
		n := b.Entries
		if b.Times > 1 {
			add(b.Times, read[:n], marks[:n])
		}
		for i, m := range read[:n] {
			switch {
			case b.Times > 1 && bands[i] > 1:
				d.failAt(marks[i][0], "a block: bands is given, must be outside of blocks")
			case b.Times == 1:
				for _, r := range p.roundsOf(m, bands[i]) {
					add(r.times, r.mechanisms, marks[i:i+1])
				}
			}
		}
		read, marks, bands = read[n:], marks[n:], bands[n:]
	}
	if len(p.Mechanisms) > maxEntries {
		d.failAt(d.lists[mechanismList], "there are more than %d mechanisms, those of rounds counted as often as they run",
			maxEntries)
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
