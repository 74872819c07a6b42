package audit

import (
	"fmt"
	"strconv"
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
	index int  // of a number among the numbers
	isKey bool // whether the text is the name of an entry of an object, and no part of it
}

// list is a list or an object of an output, and the places that are somewhere inside.
type list struct {
	path     pathID
	from, to int // the places
	length   int // how many elements it has itself
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
	return pathID(h ^ h>>29)
}

// layout is the places of outputs of one part and shape, in a row: those of what is in lists first, then the names of
// entries of objects, then the part.
type layout struct {
	part  string
	shape *Shape
	spots []spot
	lists []list
}

// layoutOf returns the layout of outputs. Its paths are named if names is not nil.
func layoutOf(part string, s *Shape, names map[pathID]string) *layout {
	l := &layout{}
	l.read(part, s, names)
	return l
}

// read makes it the layout of other outputs.
func (l *layout) read(part string, s *Shape, names map[pathID]string) {
	*l = layout{part, s, l.spots[:0], l.lists[:0]}
	r := reader{layout: l, names: names}
	r.add(s.node, rootPath, "")
	l.spots = append(l.spots, r.keys...)
	if part != "" {
		r.call(partPath, "the part")
		l.spots = append(l.spots, spot{path: partPath, kind: kindText, text: part})
	}
}

// reader goes through a tree.
type reader struct {
	*layout
	numbers int
	keys    []spot
	names   map[pathID]string // nil if paths are not named
}

// call names a path.
func (r *reader) call(path pathID, name string) {
	if r.names != nil {
		r.names[path] = name
	}
}

func (r *reader) add(n node, path pathID, name string) {
	r.call(path, name)
	switch n.kind {
	case kindList, kindObject:
		at := len(r.lists)
		r.lists = append(r.lists, list{path: path, from: len(r.spots), length: len(n.inside.nodes)})
		r.addInside(n, path, name)
		r.lists[at].to = len(r.spots)
	case kindNumber:
		r.spots = append(r.spots, spot{path: path, kind: kindNumber, index: r.numbers})
		r.numbers++
	default:
		r.spots = append(r.spots, spot{path: path, kind: n.kind, text: n.text})
	}
}

// addInside adds what is in a list or an object.
func (r *reader) addInside(n node, path pathID, name string) {
	for i, x := range n.inside.nodes {
		below, called := path.at(i), ""
		if n.kind == kindObject {
			key := n.inside.names[i]
			below = path.field(key)
			r.keys = append(r.keys, spot{path: path.key(i), kind: kindText, text: key, isKey: true})
			if r.names != nil {
				r.call(path.key(i), fmt.Sprintf("name %d in %s", i+1, orOutput(name)))
				key = quoted(key)
				called = name + "." + key[1:len(key)-1]
			}
		} else if r.names != nil {
			called = name + "[" + strconv.Itoa(i) + "]"
		}
		r.add(x, below, called)
	}
}

// find returns the index of the place with a path, or −1. It is likely to be at hint.
func (l *layout) find(path pathID, hint int) int {
	if hint < len(l.spots) && l.spots[hint].path == path {
		return hint
	}
	for i := range l.spots {
		if l.spots[i].path == path {
			return i
		}
	}
	return -1
}

// findList is find for lists.
func (l *layout) findList(path pathID) int {
	for i := range l.lists {
		if l.lists[i].path == path {
			return i
		}
	}
	return -1
}

// size returns how many places are inside.
func (l *list) size() int { return l.to - l.from }
