package audit

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"
)

// Shape is an output without its numbers: a tree of lists, objects and what stands in them.
type Shape struct {
	node
	written string // as JSON, with # in place of every number: no other shape is written so
	width   int    // how many numbers there are
	nodes   int
}

// node is what stands somewhere in an output.
type node struct {
	kind   kind
	text   string  // of a text
	inside *inside // of a list or an object
}

// inside is what is in a list, or in an object under its names, in their order.
type inside struct {
	names []string
	nodes []node
}

// The shapes of which others are made, beside [Text] and [List].
var (
	Number = shapeOf(node{kind: kindNumber})
	Null   = shapeOf(node{kind: kindNull})
	yes    = shapeOf(node{kind: kindTrue})
	no     = shapeOf(node{kind: kindFalse})
)

// Bool is the shape of a boolean.
func Bool(b bool) *Shape {
	if b {
		return yes
	}
	return no
}

// Text is the shape of a text.
func Text(s string) *Shape { return shapeOf(node{kind: kindText, text: s}) }

// List is the shape of a list of others.
func List(elements ...*Shape) *Shape {
	nodes := make([]node, len(elements))
	for i, e := range elements {
		nodes[i] = e.node
	}
	return shapeOf(node{kind: kindList, inside: &inside{nodes: nodes}})
}

// Numbers is the shape of a list of so many numbers.
func Numbers(n int) *Shape { return List(slices.Repeat([]*Shape{Number}, n)...) }

func shapeOf(n node) *Shape {
	s := &Shape{node: n}
	var b strings.Builder
	n.write(&b, func() string { s.width++; return "#" }, &s.nodes)
	s.written = b.String()
	return s
}

// Width returns how many numbers there are.
func (s *Shape) Width() int { return s.width }

// String returns the shape as JSON, with # in place of every number.
func (s *Shape) String() string { return s.written }

// with returns the output that has these numbers, as JSON.
func (s *Shape) with(numbers []string) string {
	var b strings.Builder
	nodes := 0
	s.write(&b, func() string { x := numbers[0]; numbers = numbers[1:]; return x }, &nodes)
	return b.String()
}

// write writes JSON, and counts nodes.
func (n node) write(b *strings.Builder, number func() string, nodes *int) {
	*nodes++
	switch n.kind {
	case kindNumber:
		b.WriteString(number())
	case kindText:
		b.WriteString(quoted(n.text))
	case kindList:
		b.WriteByte('[')
		for i, x := range n.inside.nodes {
			if i > 0 {
				b.WriteByte(',')
			}
			x.write(b, number, nodes)
		}
		b.WriteByte(']')
	case kindObject:
		b.WriteByte('{')
		for i, x := range n.inside.nodes {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(quoted(n.inside.names[i]) + ":")
			x.write(b, number, nodes)
		}
		b.WriteByte('}')
	default:
		b.WriteString(literals[n.kind])
	}
}

// ShapeOf returns the shape of a value as [json.Unmarshal] returns it, or with [json.Number] in place of float64, and
// its numbers in the order in which they stand.
func ShapeOf(value any) (*Shape, []float64, error) {
	var numbers []float64
	n, err := nodeOf(value, &numbers)
	if err != nil {
		return nil, nil, err
	}
	return shapeOf(n), numbers, nil
}

// nodeOf returns the node of a value, and appends its numbers.
func nodeOf(value any, numbers *[]float64) (node, error) {
	switch v := value.(type) {
	case nil:
		return Null.node, nil
	case bool:
		return Bool(v).node, nil
	case string:
		return node{kind: kindText, text: v}, nil
	case json.Number:
		x, err := v.Float64()
		if err != nil {
			return node{}, fmt.Errorf("number %s is out of range, must be at most 1.8e308", v)
		}
		if !isExact(string(v), x) {
			return node{}, fmt.Errorf("number %s is no double precision number, "+
				"must be at most 2^53 or written as a text", v)
		}
		return nodeOf(x, numbers)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return node{}, fmt.Errorf("number is %g, must be finite", v)
		}
		*numbers = append(*numbers, v)
		return Number.node, nil
	case []any:
		in := &inside{}
		return node{kind: kindList, inside: in}, in.add(v, numbers)
	case map[string]any:
		in := &inside{names: slices.Sorted(maps.Keys(v))}
		var values []any
		for _, name := range in.names {
			values = append(values, v[name])
		}
		return node{kind: kindObject, inside: in}, in.add(values, numbers)
	}
	return node{}, fmt.Errorf("a value has the type %T, must be of JSON", value)
}

// add adds the nodes of values, and appends their numbers.
func (in *inside) add(values []any, numbers *[]float64) error {
	for _, x := range values {
		n, err := nodeOf(x, numbers)
		if err != nil {
			return err
		}
		in.nodes = append(in.nodes, n)
	}
	return nil
}

// isExact reports whether a number is not a whole number that float64 takes for another: an
// output that tells the input by its last digits would look harmless.
func isExact(text string, x float64) bool {
	if len(text) < longInteger || strings.ContainsAny(text, ".eE") {
		return true
	}
	whole, ok := new(big.Int).SetString(text, 10)
	rounded, _ := big.NewFloat(x).Int(nil)
	return !ok || whole.Cmp(rounded) == 0
}

// longInteger is the length from which on a whole number may be larger than 2^53.
const longInteger = 16

// quoted returns a text as JSON, where # can only stand for a number.
func quoted(s string) string {
	if isPlainText(s) {
		return `"` + s + `"`
	}
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // it is shown
	if err := e.Encode(s); err != nil {
		panic(fmt.Sprintf("internal error: %v", err))
	}
	return strings.ReplaceAll(strings.TrimSuffix(text.String(), "\n"), "#", `\u0023`)
}

// isPlainText reports whether a text is as it is between quotation marks.
func isPlainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' || c == '#' {
			return false
		}
	}
	return true
}
