package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"checkrr/impl"
)

// Limits of a ledger.
const (
	maxLine = 1 << 20 // bytes
	maxName = 200     // bytes of the name of a mechanism or a part
)

// blanks may stand between the parts of JSON.
const blanks = " \t\r\n"

// ledger reads events from JSON lines: one object a line. It holds one line at a time.
type ledger struct {
	name    string
	lines   *bufio.Reader
	line    int32 // number of the current line
	read    int64 // bytes up to its end
	text    []byte
	buffer  bytes.Buffer
	json    *jsontext.Decoder
	key     int // where the last key on the line starts
	event   event
	numbers cache[*big.Rat]
	names   cache[string]
}

// event is the use of one mechanism: what it guarantees, and the part that its output
// was in. It is only valid until the next one is read.
type event struct {
	mechanism string
	impl.Guarantee
	observed string
	start    int                 // where the event starts on its line
	at       [len(eventKeys)]int // where the value of each key starts
	partsAt  []int               // where ℰ of each part starts
}

// The keys of an event, as indices of event.at.keys.
const (
	keyMechanism = iota
	keyParts
	keyDelta
	keyObserved
	keyTime // this one and the next need not be there
	keyNote
)

var (
	eventKeys = [...]string{"mechanism", "parts", "delta", "observed", "time", "note"}
	partKeys  = []string{"eps", "exp_eps"}
)

func newLedger(name string, r io.Reader) *ledger {
	return &ledger{
		name:  name,
		lines: bufio.NewReaderSize(r, maxLine),
		json:  jsontext.NewDecoder(strings.NewReader("")),
	}
}

// next returns the next event, or io.EOF.
func (l *ledger) next() (*event, error) {
	for {
		isLast, err := l.nextLine()
		if err != nil {
			return nil, err
		}
		if len(bytes.Trim(l.text, blanks)) == 0 {
			if isLast {
				return nil, io.EOF
			}
			continue
		}
		err = l.decode()
		if err != nil && isLast && l.isCutOff() {
			return nil, l.fault(len(l.text), "the file ends inside an event")
		}
		return &l.event, err
	}
}

// nextLine reads a line into l.text and tells whether it is the last, which has no end.
func (l *ledger) nextLine() (isLast bool, err error) {
	l.text, err = l.lines.ReadSlice('\n')
	l.line++
	l.read += int64(len(l.text))
	switch {
	case err == io.EOF:
		isLast = true
	case err == bufio.ErrBufferFull:
		return false, l.fault(0, "the line is longer than %d MiB", maxLine>>20)
	case err != nil:
		return false, fmt.Errorf("line %d: %w", l.line, err)
	}
	l.text = bytes.TrimSuffix(l.text, []byte("\n"))
	if l.line == 1 {
		l.text = bytes.TrimPrefix(l.text, []byte("\uFEFF"))
	}
	return isLast, nil
}

// fault is an error at an offset of the current line.
func (l *ledger) fault(offset int, format string, args ...any) error {
	column := utf8.RuneCount(l.text[:min(offset, len(l.text))]) + 1
	return &fileError{l.name, position{l.line, int32(column)}, fmt.Sprintf(format, args...)}
}

// isCutOff reports whether the current line is the beginning of JSON.
func (l *ledger) isCutOff() bool {
	l.reset()
	return errors.Is(l.json.SkipValue(), io.ErrUnexpectedEOF)
}

// reset makes the decoder read the current line.
func (l *ledger) reset() {
	l.buffer = *bytes.NewBuffer(l.text) // which the decoder reads in place
	l.json.Reset(&l.buffer)
}

// decode reads the current line into l.event.
func (l *ledger) decode() error {
	l.reset()
	e := &l.event
	*e = event{Guarantee: impl.Guarantee{Parts: e.Parts[:0]}, partsAt: e.partsAt[:0]}
	_, e.start = l.peek()
	if err := l.object("the event", l.field); err != nil {
		return err
	}
	for key, name := range eventKeys[:keyTime] {
		if e.at[key] == 0 {
			return l.fault(e.start, "%s is missing", name)
		}
	}
	if rest := bytes.Trim(l.text[l.json.InputOffset():], blanks); len(rest) > 0 {
		return l.fault(bytes.LastIndex(l.text, rest), "there is more after the event, must be on a line of its own")
	}
	return nil
}

// object reads an object; read is called for every key, to read its value.
func (l *ledger) object(name string, read func(key string) error) error {
	if err := l.expect("", name, "an object", '{'); err != nil {
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

// field reads the value of a key of an event.
func (l *ledger) field(name string) (err error) {
	e := &l.event
	key := slices.Index(eventKeys[:], name)
	if key < 0 {
		return l.fault(l.key, "%s", unknownKey(name, eventKeys[:]))
	}
	_, e.at[key] = l.peek()
	switch key {
	case keyMechanism:
		e.mechanism, err = l.label("mechanism")
	case keyParts:
		err = l.object("parts", l.part)
	case keyDelta:
		e.Delta, err = l.number("", "delta")
	case keyObserved:
		e.observed, err = l.label("observed")
	case keyTime:
		err = l.time()
	case keyNote:
		_, err = l.str("note")
	}
	return err
}

// part reads the ε of a part: a number, or {eps: number} or {exp_eps: number}.
func (l *ledger) part(name string) error {
	e := &l.event
	if rule := brokenLabel(name); rule != "" {
		return l.fault(l.key, "the name of a part %s", rule)
	}
	kind, at := l.peek()
	e.partsAt = append(e.partsAt, at)
	if kind != '{' {
		eps, err := l.number("parts.", name)
		e.Parts = append(e.Parts, impl.Part{Name: name, Eps: impl.Nats(eps)})
		return err
	}
	given := 0
	err := l.object("", func(key string) error {
		if !slices.Contains(partKeys, key) {
			return l.fault(l.key, "%s: %s", quoteName("parts."+name), unknownKey(key, partKeys))
		}
		given++
		_, e.partsAt[len(e.partsAt)-1] = l.peek()
		number, err := l.number("parts."+name+".", key)
		eps := impl.Nats(number)
		if key == "exp_eps" {
			eps = impl.Exp(number)
		}
		e.Parts = append(e.Parts, impl.Part{Name: name, Eps: eps})
		return err
	})
	if err == nil && given != 1 {
		return l.fault(at, "%s has %d keys, must have either eps or exp_eps", quoteName("parts."+name), given)
	}
	return err
}

// number reads a number, or a string that holds one, exactly. In messages it is called
// by its name after that of what it is in.
func (l *ledger) number(in, name string) (*big.Rat, error) {
	if err := l.expect(in, name, `a number or a string such as "1/3"`, '0', '"'); err != nil {
		return nil, err
	}
	raw, err := l.json.ReadValue()
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
	r, err := parseNumber(text)
	if err != nil {
		return nil, l.fault(at, "%s %s", quoteName(in+name), err)
	}
	l.numbers.put(string(raw), r)
	return r, nil
}

// label reads the name of a mechanism or a part.
func (l *ledger) label(name string) (string, error) {
	raw, err := l.str(name)
	if err != nil {
		return "", err
	}
	at := int(l.json.InputOffset()) - len(raw)
	text := l.unquote(raw)
	if rule := brokenLabel(text); rule != "" {
		return "", l.fault(at, "%s %s", name, rule)
	}
	return text, nil
}

// brokenLabel returns the rule that the name of a mechanism or a part breaks.
func brokenLabel(text string) string {
	switch {
	case text == "":
		return "is empty, must have at least one character"
	case len(text) > maxName:
		return fmt.Sprintf("is %s and has %d bytes, must have at most %d", quote(text), len(text), maxName)
	}
	return ""
}

// time reads a time, which is not used for anything.
func (l *ledger) time() error {
	raw, err := l.str("time")
	if err != nil {
		return err
	}
	at := int(l.json.InputOffset()) - len(raw)
	text := raw[1 : len(raw)-1]
	if _, err := time.Parse(time.RFC3339, string(text)); err != nil {
		return l.fault(at, "time is %s, must be of the form 2026-11-02T10:00:00Z", quote(string(text)))
	}
	return nil
}

// str reads a string, and returns it as it stands there.
func (l *ledger) str(name string) (jsontext.Value, error) {
	if err := l.expect("", name, "a string", '"'); err != nil {
		return nil, err
	}
	raw, err := l.json.ReadValue()
	return raw, l.syntax(err)
}

// unquote returns the string that raw stands for.
func (l *ledger) unquote(raw jsontext.Value) string {
	if text, ok := l.names[string(raw)]; ok {
		return text
	}
	decoded, err := jsontext.AppendUnquote(nil, raw)
	must(err)
	text := string(decoded)
	l.names.put(string(raw), text)
	return text
}

// expect checks the kind of the value that is next.
func (l *ledger) expect(in, name, rule string, kinds ...jsontext.Kind) error {
	kind, at := l.peek()
	if slices.Contains(kinds, kind) {
		return nil
	}
	text, isKnown := kindNames[kind]
	if !isKnown {
		_, err := l.json.ReadToken()
		return l.syntax(err)
	}
	return l.fault(at, "%s is %s, must be %s", quoteName(in+name), text, rule)
}

// quoteName is quote for a field, which is "the event" or a name out of the ledger.
func quoteName(field string) string {
	if field == "the event" {
		return field
	}
	return quote(field)
}

var kindNames = map[jsontext.Kind]string{
	'n': "null", 't': "true", 'f': "false", '0': "a number", '"': "a string", '{': "an object", '[': "a list",
}

// peek returns the kind of what is next, and where it starts.
func (l *ledger) peek() (jsontext.Kind, int) {
	at := int(l.json.InputOffset())
	for at < len(l.text) && strings.IndexByte(blanks+",:", l.text[at]) >= 0 {
		at++
	}
	return l.json.PeekKind(), at
}

// syntax places an error of the decoder.
func (l *ledger) syntax(err error) error {
	if err == nil {
		return nil
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return l.fault(len(bytes.Trim(l.text, blanks)), "the line ends inside an event")
	case !ok:
		return l.fault(0, "%v", err)
	case syntactic.Err == jsontext.ErrDuplicateName:
		return l.fault(int(syntactic.ByteOffset), "%s is given twice", quote(syntactic.JSONPointer.LastToken()))
	}
	return l.fault(int(syntactic.ByteOffset), "%v", syntactic.Err)
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
