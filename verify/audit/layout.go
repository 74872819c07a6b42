package audit

import (
	"cmp"
	"fmt"
	"slices"
)

// kind is what stands at a place of an output.
type kind uint8

// The kinds, in the order in which features compare them.
const (
	kindNothing kind = iota
	kindNull
	kindFalse
	kindTrue
	kindNumber
	kindText
	kindList
	kindObject
	kindCount
)

// literals are what is written of kinds that say all.
var literals = [kindNumber]string{kindNull: "null", kindFalse: "false", kindTrue: "true"}

// spot is where an output, a tree of lists and objects, has something that is neither.
type spot struct {
	path  pathID
	kind  kind
	text  string
	index int // of a number among the numbers
}

// pathID stands for the keys and positions that lead to a place: a hash of them.
type pathID uint64

// rootPath is the path of an output itself, and partPath of the name of its part.
const (
	rootPath pathID = 0x9E3779B97F4A7C15
	partPath pathID = 1
)

func (p pathID) at(index int) pathID {
	h := (uint64(p) + uint64(index) + 1) * 0xD6E8FEB86659FD93
	return pathID(h ^ h>>32)
}

// key is the path of the name of an entry, by its place in the order of names.
func (p pathID) key(index int) pathID { return (^p).at(index) }

func (p pathID) field(key string) pathID {
	h := uint64(p) ^ 14695981039346656037
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return pathID(h).at(0)
}

// layout is the places of outputs of one part and shape, in a row, then the name of the part. An entry of an object
// has three: under its name, and by the order of the names the name itself and what is under it, if that is no list:
// names may be others every time.
type layout struct {
	part  string
	shape *Shape
	spots []spot
}

func layoutOf(part string, s *Shape) *layout {
	l := &layout{}
	l.read(part, s)
	return l
}

// read makes it the layout of other outputs.
func (l *layout) read(part string, s *Shape) {
	*l = layout{part, s, l.spots[:0]}
	numbers := 0
	l.add(s.node, rootPath, &numbers)
	if part != "" {
		l.spots = append(l.spots, spot{path: partPath, kind: kindText, text: part})
	}
}

// add adds what stands at a path.
func (l *layout) add(n node, path pathID, numbers *int) {
	switch n.kind {
	case kindList:
		for i, x := range n.inside.nodes {
			l.add(x, path.at(i), numbers)
		}
	case kindObject:
		for i, key := range n.inside.names {
			from := len(l.spots)
			l.add(n.inside.nodes[i], path.field(key), numbers)
			if n.inside.nodes[i].inside == nil {
				again := l.spots[from]
				again.path = path.at(i)
				l.spots = append(l.spots, again)
			}
			l.spots = append(l.spots, spot{path: path.key(i), kind: kindText, text: key})
		}
	default:
		l.spots = append(l.spots, spot{path, n.kind, n.text, *numbers})
		if n.kind == kindNumber {
			*numbers++
		}
	}
}

// call names all paths of a layout.
func (l *layout) call(names map[pathID]string) {
	l.shape.node.call(rootPath, "", names)
	names[partPath] = "the part"
}

// call names the path of a node, and those inside.
func (n node) call(path pathID, name string, names map[pathID]string) {
	within := cmp.Or(name, "the output")
	names[path] = within
	if n.inside == nil {
		return
	}
	for i, x := range n.inside.nodes {
		if n.kind == kindList {
			x.call(path.at(i), fmt.Sprintf("%s[%d]", name, i), names)
			continue
		}
		key := quoted(n.inside.names[i])
		names[path.key(i)] = fmt.Sprintf("name %d in %s", i+1, within)
		names[path.at(i)] = fmt.Sprintf("entry %d of %s", i+1, within)
		x.call(path.field(n.inside.names[i]), name+"."+key[1:len(key)-1], names)
	}
}

// find returns the index of the place with a path, or −1. It is likely to be at hint.
func (l *layout) find(path pathID, hint int) int {
	if hint < len(l.spots) && l.spots[hint].path == path {
		return hint
	}
	return slices.IndexFunc(l.spots, func(s spot) bool { return s.path == path })
}
