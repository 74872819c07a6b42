package certificate

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// Limits on a file as JSON.
const (
	maxFile  = 1 << 26 // bytes
	maxParts = 1 << 22 // commas, and opening brackets of objects and lists: each value but one is behind one of them
	maxRun   = 1 << 20 // bytes of a number, a text or a space
	maxDepth = 12
	maxNames = 64 // that are different
)

// bounded is a file that ends in an error where it is more than a certificate can be, before that is kept anywhere.
type bounded struct {
	r                io.Reader
	size, parts, run int
	err              error // other than the end
}

// Read implements [io.Reader].
func (b *bounded) Read(to []byte) (int, error) {
	n, err := b.r.Read(to)
	for _, c := range to[:n] {
		switch c {
		case ',', '{', '[':
			b.parts, b.run = b.parts+1, 0
		case ':', '"', '}', ']':
			b.run = 0
		default:
			b.run++
		}
		if b.run > maxRun {
			err = fmt.Errorf("the file has a value or a space of more than %d bytes", maxRun)
			break
		}
	}
	switch b.size += n; {
	case b.size > maxFile:
		err = fmt.Errorf("the file is too long, must have at most %d bytes", maxFile)
	case b.parts > maxParts:
		err = fmt.Errorf("the file has more than %d commas and opening brackets", maxParts)
	}
	if err != nil && err != io.EOF {
		b.err = err
		return 0, err
	}
	return n, err
}

// tree reads JSON: objects, lists as []any, strings, whole numbers as int, others as float64, true, false and nil.
type tree struct {
	json  *json.Decoder
	names map[string]string // each once in memory
}

// object is an object of JSON. It has few keys, so that a list of them takes the least room.
type object []member

type member struct {
	name  string
	value any
}

// find returns the value of a key, and whether it is there.
func (o object) find(name string) (value any, isThere bool) {
	for _, m := range o {
		if m.name == name {
			return m.value, true
		}
	}
	return nil, false
}

// get returns the value of a key; nil if it is not there.
func (o object) get(name string) any {
	value, _ := o.find(name)
	return value
}

// value returns the next value.
func (t *tree) value(depth int) (any, error) {
	token, err := t.json.Token()
	if err != nil {
		return nil, err
	}
	if number, isNumber := token.(json.Number); isNumber {
		return numberOf(number), nil
	}
	kind, isInner := token.(json.Delim)
	switch {
	case !isInner:
		return token, nil
	case depth == maxDepth:
		return nil, fmt.Errorf("values are nested more than %d deep", maxDepth)
	case kind == '{':
		return t.object(depth)
	}
	return t.list(depth)
}

// numberOf returns a number as int or float64; one that is out of the range of both stays as it is.
func numberOf(x json.Number) any {
	if n, err := strconv.Atoi(x.String()); err == nil {
		return n
	}
	if f, err := x.Float64(); err == nil {
		return f
	}
	return x
}

// list returns what is behind an opening bracket.
func (t *tree) list(depth int) (any, error) {
	list := []any{}
	for t.json.More() {
		value, err := t.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := t.json.Token()
	return list, err
}

// object returns what is behind an opening brace; no key of it is there twice.
func (t *tree) object(depth int) (any, error) {
	o := object{}
	for t.json.More() {
		name, err := t.name()
		if err != nil {
			return nil, err
		}
		value, err := t.value(depth + 1)
		if err != nil {
			return nil, err
		}
		if _, isTwice := o.find(name); isTwice {
			return nil, fmt.Errorf("%.40q is given twice", name)
		}
		o = append(o, member{name, value})
	}
	_, err := t.json.Token()
	return o, err
}

// name returns the next key.
func (t *tree) name() (string, error) {
	token, err := t.json.Token()
	if err != nil {
		return "", err
	}
	name, _ := token.(string) // all that the decoder lets pass
	if known, isKnown := t.names[name]; isKnown {
		return known, nil
	}
	if len(t.names) == maxNames {
		return "", fmt.Errorf("there are more than %d different keys", maxNames)
	}
	t.names[name] = name
	return name, nil
}
