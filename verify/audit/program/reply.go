package program

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"

	"checkrr/verify/audit"
)

// reply reads a line that should be a reply.
type reply struct {
	line  []byte
	json  *jsontext.Decoder
	parts bool // outputs must name their part
	most  int  // bytes of an output; 0 for any number
	into  *audit.Sample
	take  func(raw jsontext.Value) error // what becomes of an output
	count int                            // outputs so far
	first beginning

	// What makes it fast.
	inner   *jsontext.Decoder // of a single output
	buffer  bytes.Buffer      // what that reads
	numbers []float64
	shape   *audit.Shape // of the last list of numbers
}

var replyKeys = []string{"id", "outputs", "error"}

// decode adds the outputs of a reply to a sample, if it is one to the request id for n
// outputs of at most so many bytes each, and returns how they begin.
func decode(line []byte, id, n, most int, parts bool, into *audit.Sample) (beginning, error) {
	r := newReply(line)
	r.most, r.parts, r.into, r.take = most, parts, into, r.output
	err := r.read(id, n)
	return r.first, err
}

func newReply(line []byte) *reply {
	// NewBuffer, and not NewReader: the decoder reads it in place.
	return &reply{line: line, json: jsontext.NewDecoder(bytes.NewBuffer(line)),
		inner: jsontext.NewDecoder(new(bytes.Buffer))}
}

// read reads the reply to the request id for n outputs.
func (r *reply) read(id, n int) error {
	if r.json.PeekKind() != '{' {
		return fmt.Errorf("the reply is %s, must be of the form %s", show(r.line), form(id))
	}
	has, err := r.object(id, n)
	if err != nil {
		return r.plainly(err)
	}
	if rest := bytes.TrimSpace(r.line[r.json.InputOffset():]); len(rest) > 0 {
		return fmt.Errorf("the reply is followed by %s, must be alone on its line", show(rest))
	}
	switch {
	case !has["id"]:
		return fmt.Errorf("the reply has no id, must have the id %d", id)
	case !has["outputs"]:
		return fmt.Errorf("the reply has no outputs, must be of the form %s", form(id))
	case r.count != n:
		return fmt.Errorf("the reply has %d outputs, must have %d", r.count, n)
	}
	return nil
}

// form is what a reply looks like.
func form(id int) string { return fmt.Sprintf(`{"id": %d, "outputs": […]}`, id) }

// object reads {"id": …, "outputs": […]} and returns which keys there are.
func (r *reply) object(id, n int) (map[string]bool, error) {
	has := map[string]bool{}
	if _, err := r.json.ReadToken(); err != nil {
		return nil, err
	}
	for r.json.PeekKind() == '"' {
		token, err := r.json.ReadToken()
		if err != nil {
			return nil, err
		}
		key := token.String()
		has[key] = true
		switch key {
		case "id":
			err = r.id(id)
		case "outputs":
			err = r.outputs(n)
		case "error":
			err = r.refusal()
		default:
			err = fmt.Errorf("the reply has the key %s, must have only %s", show([]byte(key)),
				strings.Join(replyKeys, ", "))
		}
		if err != nil {
			return nil, err
		}
	}
	_, err := r.json.ReadToken() // the end
	return has, err
}

// id reads the id.
func (r *reply) id(want int) error {
	raw, err := r.json.ReadValue()
	if err != nil {
		return err
	}
	if x, err := strconv.ParseFloat(string(raw), 64); err != nil || x != float64(want) {
		return fmt.Errorf("the reply has the id %s, must have the id %d of the request", show(raw), want)
	}
	return nil
}

// refusal reads an error that the program reports.
func (r *reply) refusal() error {
	raw, err := r.json.ReadValue()
	if err != nil {
		return err
	}
	var text string
	if raw.Kind() != '"' || json.Unmarshal(raw, &text) != nil {
		return fmt.Errorf("the error of the reply is %s, must be a text", show(raw))
	}
	if text == "" {
		return errors.New("the program reports an error, and does not say which")
	}
	return fmt.Errorf("the program reports an error: %s", printable(text))
}

// outputs reads the list of outputs.
func (r *reply) outputs(n int) error {
	if kind := r.json.PeekKind(); kind != '[' {
		raw, err := r.json.ReadValue()
		if err != nil {
			return err
		}
		return fmt.Errorf("the outputs of the reply are %s, must be a list", show(raw))
	}
	if _, err := r.json.ReadToken(); err != nil {
		return err
	}
	for {
		if r.json.PeekKind() == ']' {
			_, err := r.json.ReadToken()
			return err
		}
		raw, err := r.json.ReadValue()
		if err != nil {
			return err
		}
		if r.count++; r.count > n {
			return fmt.Errorf("the reply has more than %d outputs, must have %d", n, n)
		}
		if r.most > 0 && len(raw) > r.most {
			return fmt.Errorf("output %d has %d bytes, must have at most %d: one in %d of the memory of the audit",
				r.count, len(raw), r.most, outputShare)
		}
		r.first = r.first.with(raw)
		if err := r.take(raw); err != nil {
			return fmt.Errorf("output %d %w", r.count, err)
		}
	}
}

// output adds an output to the sample.
func (r *reply) output(raw jsontext.Value) error {
	part, value, err := r.split(raw)
	if err != nil {
		return err
	}
	return r.add(part, value)
}

// split returns the part and the value of an output, which may have to name its part.
func (r *reply) split(raw jsontext.Value) (part string, value jsontext.Value, err error) {
	value, isInPart := raw, false
	if raw.Kind() == '{' {
		part, value, isInPart = r.inPart(raw)
	}
	if r.parts && !isInPart {
		return "", nil, fmt.Errorf(`is %s, must be of the form {"part": "…", "value": …}`, show(raw))
	}
	return part, value, nil
}

// add adds a value of a part. What is frequent, numbers and lists of them, is added without a detour.
func (r *reply) add(part string, raw jsontext.Value) error {
	switch raw.Kind() {
	case '0':
		if x, err := strconv.ParseFloat(string(raw), 64); err == nil && isShort(raw) {
			r.into.Group(part, audit.Number).Add(x)
			return nil
		}
	case '[':
		if r.list(raw) {
			r.into.Group(part, r.shape).Add(r.numbers...)
			return nil
		}
	}
	value, err := valueOf(raw)
	if err != nil {
		return err
	}
	if err := r.into.AddValue(part, value); err != nil {
		return fmt.Errorf("cannot be used: %w", err)
	}
	return nil
}

// valueOf reads a value, numbers as they are written.
func valueOf(raw jsontext.Value) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	return value, nil
}

// list reads a list of numbers into r.numbers, and its shape, and reports whether it is one.
func (r *reply) list(raw jsontext.Value) bool {
	r.numbers = r.numbers[:0]
	for word := range bytes.SplitSeq(raw[1:len(raw)-1], []byte(",")) {
		// What is in a list and reads like a number is one: raw is known to be JSON.
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(word)), 64)
		if err != nil || !isShort(word) {
			return false
		}
		r.numbers = append(r.numbers, x)
	}
	if r.shape == nil || r.shape.Width() != len(r.numbers) {
		r.shape = audit.Numbers(len(r.numbers))
	}
	return true
}

// isShort reports whether a number cannot be a whole one beyond 2^53, which [audit.Sample]
// may refuse.
func isShort(number []byte) bool { return len(number) < 16 || bytes.ContainsAny(number, ".eE") }

// inPart splits {"part": "…", "value": …}, if that is what raw is. Without a value it
// is null.
func (r *reply) inPart(raw jsontext.Value) (part string, value jsontext.Value, ok bool) {
	r.buffer = *bytes.NewBuffer(raw)
	r.inner.Reset(&r.buffer)
	r.inner.ReadToken()
	value = jsontext.Value("null")
	for r.inner.PeekKind() == '"' {
		token, err := r.inner.ReadToken()
		if err != nil {
			return "", raw, false
		}
		switch key, kind := token.String(), r.inner.PeekKind(); {
		case key == "part" && kind == '"':
			token, _ := r.inner.ReadToken()
			part, ok = token.String(), true
		case key == "value":
			v, _ := r.inner.ReadValue()
			start := int(r.inner.InputOffset()) - len(v)
			value = raw[start : start+len(v)] // v itself is valid only until more is read
		default:
			return "", raw, false
		}
	}
	if !ok {
		return "", raw, false
	}
	return part, value, true
}

// The numbers that some programs write and that JSON does not have.
var notJSON = []string{"nan", "inf", "infinity"}

// deepest is how deep lists and objects in a reply may be: the limit of the library that reads them.
const deepest = 10_000

// plainly says in plain words what is wrong with the JSON.
func (r *reply) plainly(err error) error {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the reply ends inside its JSON, must be whole on its line")
	case !ok:
		return err
	case errors.Is(err, jsontext.ErrDuplicateName):
		return fmt.Errorf("the reply has the key %s twice, must have it once",
			show([]byte(syntactic.JSONPointer.LastToken())))
	}
	if strings.Count(string(syntactic.JSONPointer), "/") >= deepest-1 {
		return fmt.Errorf("the reply has lists or objects that are more than %d deep, must be at most that", deepest)
	}
	at := min(int(syntactic.ByteOffset), len(r.line))
	where := "the reply"
	if strings.HasPrefix(string(syntactic.JSONPointer), "/outputs/") {
		where = fmt.Sprintf("output %d", r.count+1)
	}
	if half := surrogateAt(r.line[at:]); half != "" {
		return fmt.Errorf("%s has %s without its other half, must be whole characters", where, half)
	}
	word := wordAt(r.line, at)
	if slices.Contains(notJSON, strings.ToLower(strings.TrimLeft(word, "+-"))) {
		return fmt.Errorf(`%s has the number %s, must be finite, or a text such as "%[2]s"`, where, word)
	}
	return fmt.Errorf("the reply is not JSON from byte %d on, which is %s", at+1, show(r.line[at:]))
}

// surrogateAt returns the half of a character that a text begins with, written as \ud800 to \udfff, or nothing.
func surrogateAt(text []byte) string {
	const length = len(`\ud800`)
	if len(text) < length || text[0] != '\\' || text[1] != 'u' {
		return ""
	}
	if code, err := strconv.ParseUint(string(text[2:length]), 16, 32); err != nil || !utf16.IsSurrogate(rune(code)) {
		return ""
	}
	return string(text[:length])
}

// wordAt returns the word that stands around an offset.
func wordAt(line []byte, at int) string {
	isEnd := func(r rune) bool { return strings.ContainsRune(" \t\r\n,:[]{}\"", r) }
	start := bytes.LastIndexFunc(line[:at], isEnd) + 1
	end := bytes.IndexFunc(line[at:], isEnd)
	if end < 0 {
		return string(line[start:])
	}
	return string(line[start : at+end])
}

// show quotes a part of a reply, shortened.
func show(text []byte) string {
	const longest = 60
	s := string(bytes.TrimSpace(text[:min(len(text), 4*longest)]))
	runes := []rune(s)
	if len(runes) > longest || len(text) > 4*longest {
		s = string(runes[:min(len(runes), longest)]) + "…"
	}
	if json.Valid([]byte(s)) {
		return printable(s)
	}
	return strconv.Quote(s)
}
