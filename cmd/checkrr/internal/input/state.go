package input

import (
	"bytes"
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"checkrr/cmd/checkrr/internal/report"
)

// EncodeState returns a value as JSON for a file that [DecodeState] reads.
func EncodeState(value any) []byte {
	text, err := json.Marshal(value, json.Deterministic(true), jsontext.WithIndent("  "))
	report.Must(err)
	return report.Escaped(append(text, '\n'))
}

// DecodeState reads a file that a program wrote into a pointer. Keys that the value does not have are refused, or
// skipped. Keys that are missing are not noticed: whoever reads it compares the file with what would be written.
func DecodeState(name string, text []byte, into any, skipUnknown bool) error {
	p := passage{name, 1, text}
	err := json.Unmarshal(text, into, json.RejectUnknownMembers(!skipUnknown))
	semantic, ok := errors.AsType[*json.SemanticError](err)
	switch {
	case err == nil:
		return nil
	case isEnd(err):
		return p.Fault(len(bytes.TrimRight(text, blanks)), "the file ends before the state does")
	case !ok:
		return p.syntax(err)
	}
	at := min(int(semantic.ByteOffset), len(text))
	for at < len(text) && strings.IndexByte(blanks+",:", text[at]) >= 0 {
		at++
	}
	return p.Fault(at, "%s", mistaken(semantic))
}

// mistaken says which value has the wrong type, and which it must have.
func mistaken(e *json.SemanticError) string {
	name := dotted(e.JSONPointer)
	switch {
	case e.Err == json.ErrUnknownName:
		return "unknown key " + report.Quote(name)
	case kindNames[e.JSONKind] != "" && e.JSONValue == nil && (e.JSONKind != '"' || !isText(e.GoType)):
		return fmt.Sprintf("%s is %s, must be %s", name, kindNames[e.JSONKind], typeRule(e.GoType))
	case e.Err != nil && isText(e.GoType):
		return fmt.Sprintf("%s %v", name, e.Err)
	}
	return fmt.Sprintf("%s is %s, must be %s", name, report.Quote(string(e.JSONValue)), typeRule(e.GoType))
}

// dotted is a place in JSON for people, such as spent.odp.eps.
func dotted(p jsontext.Pointer) string {
	if p == "" {
		return "the state"
	}
	return strings.Join(slices.Collect(p.Tokens()), ".")
}

// isText reports whether a type is read from a string of its own form.
func isText(t reflect.Type) bool {
	return t != nil && reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// typeRule is what JSON for a type must be.
func typeRule(t reflect.Type) string {
	if isText(t) {
		return `a sum in quotes, such as "1/3"`
	}
	return cmp.Or(kindRules[t.Kind()], "a whole number")
}

var kindRules = map[reflect.Kind]string{reflect.String: "a string", reflect.Bool: "true or false",
	reflect.Slice: "a list", reflect.Struct: "a JSON object", reflect.Map: "a JSON object"}
