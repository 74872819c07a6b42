package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"checkrr/cmd/checkrr/internal/report"
)

// jsonOf returns a value as JSON: numbers digit for digit as typed, keys in their order.
// The value is called what in messages.
func (s source) jsonOf(what string, n ast.Node) (json.RawMessage, error) {
	var b bytes.Buffer
	err := s.writeJSONOf(&b, what, n)
	return b.Bytes(), err
}

func (s source) writeJSONOf(b *bytes.Buffer, what string, n ast.Node) error {
	if list, ok := n.(*ast.SequenceNode); ok {
		b.WriteByte('[')
		for i, value := range list.Values {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := s.writeJSONOf(b, what, value); err != nil {
				return err
			}
		}
		b.WriteByte(']')
		return nil
	}
	if pairs, ok := pairsOf(n); ok {
		return s.writeObject(b, what, pairs)
	}
	return s.writeScalar(b, what, n)
}

func (s source) writeObject(b *bytes.Buffer, what string, pairs []*ast.MappingValueNode) error {
	seen := map[string]bool{}
	b.WriteByte('{')
	for i, pair := range pairs {
		if i > 0 {
			b.WriteByte(',')
		}
		key := keyOf(pair)
		if seen[key] {
			return s.fault(placeOf(pair.Key), "%s: %s is given twice", what, report.Quote(key))
		}
		seen[key] = true
		writeText(b, key)
		b.WriteByte(':')
		if err := s.writeJSONOf(b, what, pair.Value); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// plainNumber is a number as JSON has it.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (s source) writeScalar(b *bytes.Buffer, what string, n ast.Node) error {
	text, _ := scalarOf(n)
	at := n.GetToken()
	switch n := n.(type) {
	case *ast.NullNode:
		if at.Type == token.ImplicitNullType {
			return s.fault(placeOf(n), "%s has a value that is empty, must be null if that is meant", what)
		}
		b.WriteString("null")
		return nil
	case *ast.BoolNode:
		fmt.Fprint(b, n.Value)
		return nil
	case *ast.StringNode:
		if at.Type != token.StringType || !plainNumber.MatchString(text) { // 1e6 is a text to the library
			writeText(b, text)
			return nil
		}
	}
	if !plainNumber.MatchString(text) {
		return s.fault(placeOf(n), "%s has the number %s, must be as in JSON, such as 0.5 or 1e-6, or in quotes", what, report.Quote(text))
	}
	if _, err := ParseNumber(text); err != nil {
		return s.fault(placeOf(n), "%s has a number that %s", what, err)
	}
	b.WriteString(text)
	return nil
}

func writeText(b *bytes.Buffer, text string) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	report.Must(e.Encode(text))
	b.Truncate(b.Len() - 1) // the end of the line
}

// sameJSON reports whether two values, of [source.jsonOf], are the same: numbers by what
// they denote, and whatever the order of keys.
func sameJSON(a, b json.RawMessage) bool { return sameValue(anyOf(a), anyOf(b)) }

func anyOf(raw json.RawMessage) (value any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	report.Must(d.Decode(&value))
	return value
}

func sameValue(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && sameNumber(a, b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !sameValue(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key := range a {
			if y, ok := b[key]; !ok || !sameValue(a[key], y) {
				return false
			}
		}
		return true
	}
	return a == b
}

func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, err := ParseNumber(a.String())
	report.Must(err)
	y, err := ParseNumber(b.String())
	report.Must(err)
	return x.Cmp(y) == 0
}
