package input

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"checkrr/impl"
)

// A block is an entry {repeat: 20, mechanisms: [...]}: these mechanisms, one after another, so many times.
var blockKeys = []string{"repeat", "mechanisms"}

// unrolled returns the entries of mechanisms, those of blocks once, and the order in which they run.
func (d *decoder) unrolled(entries []ast.Node) (all []ast.Node, order []int) {
	for _, entry := range entries {
		times, inside := d.block(entry)
		if times > (maxEntries-len(order))/len(inside) {
			d.fail(entry, "there are more than %d mechanisms up to here, those of a block counted as often as they run",
				maxEntries)
		}
		for range times {
			for i := range inside {
				order = append(order, len(all)+i)
			}
		}
		all = append(all, inside...)
	}
	return all, order
}

// unroll puts mechanisms that were read once into the order in which they run.
func (d *decoder) unroll(p *Problem) {
	read, marks := p.Mechanisms, d.marks[mechanismList]
	if len(d.order) == len(read) {
		return
	}
	p.Mechanisms, d.marks[mechanismList] = nil, nil
	for _, i := range d.order {
		p.Mechanisms = append(p.Mechanisms, read[i])
		d.marks[mechanismList] = append(d.marks[mechanismList], marks[i])
		if err := d.growBy(read[i]); err != nil {
			d.failEntry(mechanismList, len(p.Mechanisms)-1, err)
		}
	}
}

// growBy counts the numbers of a mechanism, without those of a file.
func (d *decoder) growBy(m impl.Mechanism) error {
	for _, output := range m.Law {
		if err := d.grow(output[0], output[1]); err != nil {
			return err
		}
	}
	return d.grow(m.Eps.Rat(), m.Delta)
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
				entryForms[mechanismList])
		}
	}
	times = d.whole("a block: repeat", values[0], 1, maxEntries)
	return times, d.source.list("a block: mechanisms", values[1], maxEntries)
}
