package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

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
		return s.fault(placeOf(n), "%s has the number %s, must be as in JSON, such as 0.5 or 1e-6, or in quotes", what,
			report.Quote(text))
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
func sameJSON(a, b json.RawMessage) bool { return canonical(anyOf(a)) == canonical(anyOf(b)) }

func anyOf(raw json.RawMessage) (value any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	report.Must(d.Decode(&value))
	return value
}

// canonical writes a value in the one way in which all values are written that are the same.
func canonical(value any) string {
	var b bytes.Buffer
	writeCanonical(&b, value)
	return b.String()
}

func writeCanonical(b *bytes.Buffer, value any) {
	switch v := value.(type) {
	case json.Number:
		b.WriteString(canonicalNumber(v.String()))
	case []any:
		b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, x)
		}
		b.WriteByte(']')
	case map[string]any:
		b.WriteByte('{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b.WriteByte(',')
			}
			writeText(b, key)
			b.WriteByte(':')
			writeCanonical(b, v[key])
		}
		b.WriteByte('}')
	case string:
		writeText(b, v)
	default:
		fmt.Fprint(b, map[any]string{nil: "null", true: "true", false: "false"}[v])
	}
}

// canonicalNumber writes a number of JSON as a whole number without zeros at its end, times a power of ten. Zero has no
// sign.
func canonicalNumber(text string) string {
	digits, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent := new(big.Int)
	exponent.SetString(strings.TrimPrefix(cmp.Or(power, "0"), "+"), 10)
	whole, decimals, _ := strings.Cut(digits, ".")
	digits, negative := strings.CutPrefix(whole+decimals, "-")
	trimmed := strings.TrimRight(digits, "0")
	exponent.Add(exponent, big.NewInt(int64(len(digits)-len(trimmed)-len(decimals))))
	trimmed = strings.TrimLeft(trimmed, "0")
	switch {
	case trimmed == "":
		return "0"
	case negative:
		trimmed = "-" + trimmed
	}
	return fmt.Sprintf("%se%s", trimmed, exponent)
}

// quotedText returns a text as JSON.
func quotedText(text string) json.RawMessage {
	var b bytes.Buffer
	writeText(&b, text)
	return b.Bytes()
}
