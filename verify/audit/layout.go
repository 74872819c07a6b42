package audit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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
	kindCount
)

var kindNames = [kindCount]string{"nothing", "null", "false", "true", "a number", "a text"}

// spot is where an output, a tree of lists and objects, has something that is neither.
type spot struct {
	path  pathID
	kind  kind
	text  string // without quotes, as it is written in JSON
	index int    // of a number among the numbers
	isKey bool   // whether the text is the name of an entry of an object, and no part of it
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

// key is the path of the name of an entry, by its place in the order of names: no name has that byte.
func (p pathID) key(index int) pathID { return p.field("\x00").at(index) }

func (p pathID) field(key string) pathID {
	h := uint64(p) ^ 14695981039346656037
	for i := range len(key) {
		h = (h ^ uint64(key[i])) * 1099511628211
	}
	return pathID(h ^ h>>29)
}

// layout is what outputs of one shape have in common.
type layout struct {
	key   key
	width int
	spots []spot
	lists []list
}

// parser reads the shape of an output. A path is named if names is not nil.
type parser struct {
	shape   string
	at      int
	layout  *layout
	numbers int
	keys    []spot
	names   map[pathID]string
}

// read reads a shape, of outputs with so many numbers. A shape that is no JSON is taken for a
// list of its numbers.
func (l *layout) read(k key, width int, names map[pathID]string) {
	*l = layout{k, width, l.spots[:0], l.lists[:0]}
	l.readShape(names)
	if k.part != "" {
		l.spots = append(l.spots, spot{path: partPath, kind: kindText, text: k.part})
		if names != nil {
			names[partPath] = "the part"
		}
	}
}

func (l *layout) readShape(names map[pathID]string) {
	shape, width := l.key.shape, l.width
	p := parser{shape: shape, layout: l, names: names}
	if p.value(rootPath, "") && p.at == len(shape) && p.numbers == width {
		l.spots = append(l.spots, p.keys...) // behind what lists are made of
		return
	}
	l.spots, l.lists = l.spots[:0], append(l.lists[:0], list{rootPath, 0, width, width})
	for i := range width {
		path := rootPath.at(i)
		if names != nil {
			names[path] = fmt.Sprintf("[%d]", i)
		}
		l.spots = append(l.spots, spot{path: path, kind: kindNumber, index: i})
	}
}

// value reads one value, and reports whether it is one.
func (p *parser) value(path pathID, name string) bool {
	if p.names != nil {
		if _, ok := p.names[path]; !ok {
			p.names[path] = name
		}
	}
	rest := p.shape[p.at:]
	switch {
	case rest == "":
		return false
	case rest[0] == '[':
		return p.list(path, name)
	case rest[0] == '{':
		return p.object(path, name)
	case rest[0] == '#':
		p.add(spot{path: path, kind: kindNumber, index: p.numbers}, 1)
		p.numbers++
	case rest[0] == '"':
		s, ok := p.quoted()
		p.add(spot{path: path, kind: kindText, text: unquoted(s)}, 0)
		return ok
	case strings.HasPrefix(rest, "null"):
		p.add(spot{path: path, kind: kindNull}, 4)
	case strings.HasPrefix(rest, "true"):
		p.add(spot{path: path, kind: kindTrue}, 4)
	case strings.HasPrefix(rest, "false"):
		p.add(spot{path: path, kind: kindFalse}, 5)
	default:
		return false
	}
	return true
}

func (p *parser) add(x spot, length int) {
	p.layout.spots = append(p.layout.spots, x)
	p.at += length
}

// quoted reads a text, as it is written in JSON.
func (p *parser) quoted() (s string, ok bool) {
	start := p.at + 1
	for i := start; i < len(p.shape); i++ {
		switch p.shape[i] {
		case '\\':
			i++
		case '"':
			p.at = i + 1
			return p.shape[start:i], true
		}
	}
	return "", false
}

// unquoted returns what is written in JSON so.
func unquoted(written string) (text string) {
	if !strings.ContainsRune(written, '\\') || json.Unmarshal([]byte(`"`+written+`"`), &text) != nil {
		return written
	}
	return text
}

// skip reads a sign if it is there.
func (p *parser) skip(c byte) bool {
	if p.at < len(p.shape) && p.shape[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *parser) list(path pathID, name string) bool {
	p.at++
	l := p.open(path)
	for n := 0; !p.skip(']'); n++ {
		if n > 0 && !p.skip(',') {
			return false
		}
		element := ""
		if p.names != nil {
			element = name + "[" + strconv.Itoa(n) + "]"
		}
		if !p.value(path.at(n), element) {
			return false
		}
		p.layout.lists[l].length++
	}
	p.layout.lists[l].to = len(p.layout.spots)
	return true
}

func (p *parser) object(path pathID, name string) bool {
	p.at++
	l := p.open(path)
	for n := 0; !p.skip('}'); n++ {
		if n > 0 && !p.skip(',') {
			return false
		}
		key, ok := p.quoted()
		p.addKey(path.key(n), name, n, key)
		if !ok || !p.skip(':') || !p.value(path.field(key), name+"."+key) {
			return false
		}
		p.layout.lists[l].length++
	}
	p.layout.lists[l].to = len(p.layout.spots)
	return true
}

// addKey notes the name of the entry n of an object.
func (p *parser) addKey(path pathID, object string, n int, key string) {
	p.keys = append(p.keys, spot{path: path, kind: kindText, text: unquoted(key), isKey: true})
	if p.names != nil {
		p.names[path] = fmt.Sprintf("name %d in %s", n+1, orOutput(object))
	}
}

// open begins a list, and returns its index.
func (p *parser) open(path pathID) int {
	p.layout.lists = append(p.layout.lists, list{path: path, from: len(p.layout.spots)})
	return len(p.layout.lists) - 1
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
