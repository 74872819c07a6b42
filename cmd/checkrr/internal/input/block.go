package input

import "github.com/goccy/go-yaml/ast"

// A block is an entry {repeat: 20, mechanisms: [...]}: these mechanisms, one after another, so many times.
var blockKeys = []string{"repeat", "mechanisms"}

// unrolled returns the entries of mechanisms, those of blocks as often as they run.
func (d *decoder) unrolled(entries []ast.Node) (all []ast.Node, err error) {
	for _, entry := range entries {
		times, inside, err := d.block(entry)
		if err != nil {
			return nil, err
		}
		if times > (maxEntries-len(all))/len(inside) {
			return nil, d.fault(placeOf(entry), "there are more than %d mechanisms up to here, those of a block counted as often as they run", maxEntries)
		}
		for range times {
			all = append(all, inside...)
		}
	}
	return all, nil
}

// block reads a block; another entry is itself, once.
func (d *decoder) block(entry ast.Node) (times int, inside []ast.Node, err error) {
	pairs, _ := pairsOf(entry)
	if !hasKey(pairs, blockKeys[0]) && !hasKey(pairs, blockKeys[1]) {
		return 1, []ast.Node{entry}, nil
	}
	values, err := d.keyed("a block", pairs, blockKeys)
	if err != nil {
		return 0, nil, err
	}
	for i, v := range values {
		if v == nil {
			return 0, nil, d.fault(placeOf(entry), "a block: %s is missing, must be of the form {repeat: 20, mechanisms: [%s]}", blockKeys[i], entryForms[mechanismList])
		}
	}
	if times, err = d.whole("a block: repeat", values[0], 1, maxEntries); err != nil {
		return 0, nil, err
	}
	inside, err = d.source.list("a block: mechanisms", values[1], maxEntries)
	return times, inside, err
}

func hasKey(pairs []*ast.MappingValueNode, key string) bool {
	for _, p := range pairs {
		if keyOf(p) == key {
			return true
		}
	}
	return false
}
