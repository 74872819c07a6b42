package input

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"checkrr/cmd/checkrr/internal/report"
)

// object reads an object; read is called for every key, to read its value.
func (l *Ledger) object(name string, read func(key string)) {
	l.expect("", name, "a JSON object", '{')
	_, err := l.json.ReadToken()
	l.must(err)
	for l.json.PeekKind() == '"' {
		key, err := l.json.ReadValue()
		l.must(err)
		l.key = int(l.json.InputOffset()) - len(key)
		read(l.unquote(key))
	}
	_, err = l.json.ReadToken() // the end
	l.must(err)
}

const numberRule = `a number such as 0.1 or a string such as "1/3"`

// number reads a number, or a string that holds one, exactly. In messages it is called
// by its name after that of what it is in.
func (l *Ledger) number(in, name string) *big.Rat {
	l.expect(in, name, numberRule, '0', '"')
	kind, start := l.peek()
	raw, err := l.json.ReadValue()
	if word := l.word(start); kind == '0' && len(word) > len(raw) && !isEnd(err) { // 01, 1/3, -Inf
		l.fail(start, "%s is %s, must be %s", quoteName(in+name), report.Quote(string(word)), numberRule)
	}
	l.must(err)
	if r, ok := l.numbers[string(raw)]; ok {
		return r
	}
	at := int(l.json.InputOffset()) - len(raw)
	text := string(raw)
	if raw.Kind() == '"' {
		text = l.unquote(raw)
	}
	r, err := ParseNumber(text)
	if err != nil {
		l.fail(at, "%s %s", quoteName(in+name), err)
	}
	l.numbers.put(string(raw), r)
	return r
}

// label reads the name of a mechanism or a part.
func (l *Ledger) label(name string) string {
	raw, at := l.str(name)
	text := l.unquote(raw)
	if err := CheckLabel(text); err != nil {
		l.fail(at, "%s %v", name, err)
	}
	return text
}

// CheckLabel refuses the name of a mechanism or a part. The error continues a sentence, as that of [ParseNumber] does.
func CheckLabel(text string) error {
	switch {
	case text == "":
		return errors.New("is empty, must have at least one character")
	case len(text) > maxName:
		return fmt.Errorf("is %s and has %d bytes, must have at most %d", report.Quote(text), len(text), maxName)
	}
	return nil
}

// time reads a time, which is not used for anything.
func (l *Ledger) time() {
	raw, at := l.str("time")
	text := string(raw[1 : len(raw)-1])
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		l.fail(at, "time is %s, must be of the form 2026-11-02T10:00:00Z", report.Quote(text))
	}
}

// str reads a string, and returns it as it stands there, and where that is.
func (l *Ledger) str(name string) (raw jsontext.Value, at int) {
	l.expect("", name, "a string", '"')
	raw, err := l.json.ReadValue()
	l.must(err)
	return raw, int(l.json.InputOffset()) - len(raw)
}

// unquote returns the string that raw stands for.
func (l *Ledger) unquote(raw jsontext.Value) string {
	if text, ok := l.names[string(raw)]; ok {
		return text
	}
	decoded, err := jsontext.AppendUnquote(nil, raw)
	report.Must(err)
	text := string(decoded)
	l.names.put(string(raw), text)
	return text
}

// expect checks the kind of the value that is next.
func (l *Ledger) expect(in, name, rule string, kinds ...jsontext.Kind) {
	kind, at := l.peek()
	if slices.Contains(kinds, kind) {
		return
	}
	text, isKnown := kindNames[kind]
	if !isKnown {
		text, at = l.odd()
	} else {
		text = "is " + text
	}
	l.fail(at, "%s %s, must be %s", quoteName(in+name), text, rule)
}

// odd says what stands where a value is wanted and is none, and where.
func (l *Ledger) odd() (text string, at int) {
	_, err := l.json.ReadToken()
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || isEnd(err) {
		l.must(err)
	}
	at = int(syntactic.ByteOffset)
	switch cause := err.Error(); {
	case strings.Contains(cause, "missing value"), l.text[at] == ',' && at > l.Event.Start:
		return "has no value", at
	case !strings.Contains(cause, "at start of value"):
		l.must(err)
	}
	return "is " + report.Quote(string(l.word(at))), at
}

// quoteName is quote for a field, which is "the event" or a name out of the ledger.
func quoteName(field string) string {
	if field == "the event" {
		return field
	}
	return report.Quote(field)
}

var kindNames = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '0': "a number", '"': "a string", '{': "an object", '[': "a list",
}

// peek returns the kind of what is next, and where it starts.
func (l *Ledger) peek() (jsontext.Kind, int) {
	at := int(l.json.InputOffset())
	for at < len(l.text) && strings.IndexByte(blanks+",:", l.text[at]) >= 0 {
		at++
	}
	return l.json.PeekKind(), at
}

// fail ends the reading of an event with a fault at an offset of its line.
func (l *Ledger) fail(offset int, format string, args ...any) {
	panic(failure{l.Fault(offset, format, args...)})
}

// must ends it with an error of the decoder, and its place.
func (l *Ledger) must(err error) {
	if isEnd(err) {
		l.fail(len(bytes.Trim(l.text, blanks)), "the line ends inside an event")
	}
	if err != nil {
		panic(failure{l.syntax(err)})
	}
}

// cache keeps what texts stand for: ledgers repeat themselves. It is emptied when it
// is full, and takes no long texts, so that it stays small.
type cache[T any] map[string]T

func (c *cache[T]) put(text string, value T) {
	const most, longest = 4096, 64
	switch {
	case len(text) > longest:
		return
	case *c == nil:
		*c = cache[T]{}
	case len(*c) == most:
		clear(*c)
	}
	(*c)[text] = value
}
