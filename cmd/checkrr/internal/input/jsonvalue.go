package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"checkrr/cmd/checkrr/internal/report"
)

// jsonOf returns a value as JSON: numbers digit for digit as typed, keys in their order.
// The value is called what in messages.
func (s source) jsonOf(what string, n ast.Node) json.RawMessage {
	var parts []string
	if list, ok := n.(*ast.SequenceNode); ok {
		for _, value := range list.Values {
			parts = append(parts, string(s.jsonOf(what, value)))
		}
		return json.RawMessage("[" + strings.Join(parts, ",") + "]")
	}
	pairs, ok := pairsOf(n)
	if !ok {
		return json.RawMessage(s.scalarJSON(what, n))
	}
	seen := map[string]bool{}
	for _, pair := range pairs {
		key := keyOf(pair)
		if seen[key] {
			s.fail(pair.Key, "%s: %s is given twice", what, report.Quote(key))
		}
		seen[key] = true
		parts = append(parts, quotedText(key)+":"+string(s.jsonOf(what, pair.Value)))
	}
	return json.RawMessage("{" + strings.Join(parts, ",") + "}")
}

// plainNumber is a number as JSON has it.
var plainNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func (s source) scalarJSON(what string, n ast.Node) string {
	text, _ := scalarOf(n)
	at := n.GetToken()
	switch n := n.(type) {
	case *ast.NullNode:
		if at.Type == token.ImplicitNullType {
			s.fail(n, "%s has a value that is empty, must be null if that is meant", what)
		}
		return "null"
	case *ast.BoolNode:
		return fmt.Sprint(n.Value)
	case *ast.StringNode:
		if at.Type != token.StringType || !plainNumber.MatchString(text) { // 1e6 is a text to the library
			return quotedText(text)
		}
	}
	if !plainNumber.MatchString(text) {
		s.fail(n, "%s has the number %s, must be as in JSON, such as 0.5 or 1e-6, or in quotes", what,
			report.Quote(text))
	}
	if _, err := ParseNumber(text); err != nil {
		s.fail(n, "%s has a number that %s", what, err)
	}
	return text
}

// quotedText returns a text as JSON.
func quotedText(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	report.Must(e.Encode(text))
	return strings.TrimSuffix(b.String(), "\n")
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
	text, err := json.Marshal(normal(value)) // which sorts keys
	report.Must(err)
	return string(text)
}

// normal is a value with its numbers written in one way.
func normal(value any) any {
	switch v := value.(type) {
	case json.Number:
		return json.Number(canonicalNumber(v.String()))
	case []any:
		for i, x := range v {
			v[i] = normal(x)
		}
	case map[string]any:
		for key, x := range v {
			v[key] = normal(x)
		}
	}
	return value
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
