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
func (l *Ledger) object(name string, read func(key string) error) error {
	if err := l.expect("", name, "a JSON object", '{'); err != nil {
		return err
	}
	if _, err := l.json.ReadToken(); err != nil {
		return l.syntax(err)
	}
	for l.json.PeekKind() == '"' {
		key, err := l.json.ReadValue()
		if err != nil {
			return l.syntax(err)
		}
		l.key = int(l.json.InputOffset()) - len(key)
		if err := read(l.unquote(key)); err != nil {
			return err
		}
	}
	_, err := l.json.ReadToken() // the end
	return l.syntax(err)
}

const numberRule = `a number such as 0.1 or a string such as "1/3"`

// number reads a number, or a string that holds one, exactly. In messages it is called
// by its name after that of what it is in.
func (l *Ledger) number(in, name string) (*big.Rat, error) {
	if err := l.expect(in, name, numberRule, '0', '"'); err != nil {
		return nil, err
	}
	kind, start := l.peek()
	raw, err := l.json.ReadValue()
	if word := l.word(start); kind == '0' && len(word) > len(raw) && !isEnd(err) { // 01, 1/3, -Inf
		return nil, l.Fault(start, "%s is %s, must be %s", quoteName(in+name), report.Quote(string(word)), numberRule)
	}
	if err != nil {
		return nil, l.syntax(err)
	}
	if r, ok := l.numbers[string(raw)]; ok {
		return r, nil
	}
	at := int(l.json.InputOffset()) - len(raw)
	text := string(raw)
	if raw.Kind() == '"' {
		text = l.unquote(raw)
	}
	r, err := ParseNumber(text)
	if err != nil {
		return nil, l.Fault(at, "%s %s", quoteName(in+name), err)
	}
	l.numbers.put(string(raw), r)
	return r, nil
}

// label reads the name of a mechanism or a part.
func (l *Ledger) label(name string) (string, error) {
	raw, err := l.str(name)
	if err != nil {
		return "", err
	}
	at := int(l.json.InputOffset()) - len(raw)
	text := l.unquote(raw)
	if err := CheckLabel(text); err != nil {
		return "", l.Fault(at, "%s %v", name, err)
	}
	return text, nil
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
func (l *Ledger) time() error {
	raw, err := l.str("time")
	if err != nil {
		return err
	}
	at := int(l.json.InputOffset()) - len(raw)
	text := raw[1 : len(raw)-1]
	if _, err := time.Parse(time.RFC3339, string(text)); err != nil {
		return l.Fault(at, "time is %s, must be of the form 2026-11-02T10:00:00Z", report.Quote(string(text)))
	}
	return nil
}

// str reads a string, and returns it as it stands there.
func (l *Ledger) str(name string) (jsontext.Value, error) {
	if err := l.expect("", name, "a string", '"'); err != nil {
		return nil, err
	}
	raw, err := l.json.ReadValue()
	return raw, l.syntax(err)
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
func (l *Ledger) expect(in, name, rule string, kinds ...jsontext.Kind) error {
	kind, at := l.peek()
	if slices.Contains(kinds, kind) {
		return nil
	}
	if text, isKnown := kindNames[kind]; isKnown {
		return l.Fault(at, "%s is %s, must be %s", quoteName(in+name), text, rule)
	}
	_, err := l.json.ReadToken()
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || isEnd(err) {
		return l.syntax(err)
	}
	at = int(syntactic.ByteOffset)
	cause, text := err.Error(), "is "+report.Quote(string(l.word(at)))
	switch {
	case strings.Contains(cause, "missing value"), l.text[at] == ',' && at > l.Event.Start:
		text = "has no value"
	case !strings.Contains(cause, "at start of value"):
		return l.syntax(err)
	}
	return l.Fault(at, "%s %s, must be %s", quoteName(in+name), text, rule)
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

// syntax places an error of the decoder.
func (l *Ledger) syntax(err error) error {
	if isEnd(err) {
		return l.Fault(len(bytes.Trim(l.text, blanks)), "the line ends inside an event")
	}
	return l.passage.syntax(err)
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
