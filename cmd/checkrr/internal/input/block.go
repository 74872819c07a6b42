package input

import (
	"slices"

	"github.com/goccy/go-yaml/ast"

	"checkrr/impl"
)

// A block is an entry {repeat: 20, mechanisms: [...]}: these mechanisms, one after another, so many times.
var blockKeys = []string{"repeat", "mechanisms"}

// unrolled returns the entries of mechanisms, those of blocks once, and the order in which they run.
func (d *decoder) unrolled(entries []ast.Node) (all []ast.Node, order []int, err error) {
	for _, entry := range entries {
		times, inside, err := d.block(entry)
		if err != nil {
			return nil, nil, err
		}
		if times > (maxEntries-len(order))/len(inside) {
			return nil, nil, d.fault(placeOf(entry),
				"there are more than %d mechanisms up to here, those of a block counted as often as they run", maxEntries)
		}
		for range times {
			for i := range inside {
				order = append(order, len(all)+i)
			}
		}
		all = append(all, inside...)
	}
	return all, order, nil
}

// unroll puts mechanisms that were read once into the order in which they run.
func (d *decoder) unroll(p *Problem) error {
	read, marks := p.Mechanisms, d.marks[mechanismList]
	if len(d.order) == len(read) {
		return nil
	}
	p.Mechanisms, d.marks[mechanismList] = nil, nil
	for _, i := range d.order {
		p.Mechanisms = append(p.Mechanisms, read[i])
		d.marks[mechanismList] = append(d.marks[mechanismList], marks[i])
		if err := d.growBy(read[i]); err != nil {
			return d.entryFault(mechanismList, len(p.Mechanisms)-1, err)
		}
	}
	return nil
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
func (d *decoder) block(entry ast.Node) (times int, inside []ast.Node, err error) {
	pairs, _ := pairsOf(entry)
	if !slices.ContainsFunc(pairs, func(p *ast.MappingValueNode) bool { return slices.Contains(blockKeys, keyOf(p)) }) {
		return 1, []ast.Node{entry}, nil
	}
	values, err := d.keyed("a block", pairs, blockKeys)
	if err != nil {
		return 0, nil, err
	}
	for i, v := range values {
		if v == nil {
			return 0, nil, d.fault(placeOf(entry), "a block: %s is missing, must be of the form {repeat: 20, mechanisms: [%s]}",
				blockKeys[i], entryForms[mechanismList])
		}
	}
	if times, err = d.whole("a block: repeat", values[0], 1, maxEntries); err != nil {
		return 0, nil, err
	}
	inside, err = d.source.list("a block: mechanisms", values[1], maxEntries)
	return times, inside, err
}
