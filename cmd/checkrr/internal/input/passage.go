package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"checkrr/cmd/checkrr/internal/report"
)

// passage is JSON out of a file, of which messages say where in the file something is.
type passage struct {
	name string
	Line int32 // in which it begins
	text []byte
}

// Fault is an error at an offset of the passage.
func (p passage) Fault(offset int, format string, args ...any) error {
	before := p.text[:min(offset, len(p.text))]
	lines := bytes.Count(before, []byte("\n"))
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return &FileError{p.name, position{p.Line + int32(lines), int32(column)}, fmt.Sprintf(format, args...)}
}

// word returns the text from an offset of the passage to the next mark of JSON; at
// least one character.
func (p passage) word(offset int) []byte {
	text := p.text[offset:]
	end := slices.IndexFunc(text, func(c byte) bool { return strings.IndexByte(blanks+`,:{}[]"`, c) >= 0 })
	switch {
	case end < 0:
		return text
	case end == 0:
		return text[:1]
	}
	return text[:end]
}

// syntax places an error of the decoder.
func (p passage) syntax(err error) error {
	if err == nil {
		return nil
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case !ok:
		return p.Fault(0, "%v", err)
	case syntactic.Err == jsontext.ErrDuplicateName:
		return p.Fault(int(syntactic.ByteOffset), "%s is given twice", report.Quote(syntactic.JSONPointer.LastToken()))
	}
	at := int(syntactic.ByteOffset)
	return p.Fault(at, "%s", p.plain(at, syntactic.Err.Error()))
}

// isEnd reports whether an error of the decoder is the end of the line.
func isEnd(err error) bool { return err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF) }

// plain says in plain words what the decoder found at an offset.
func (p passage) plain(at int, cause string) string {
	is := func(part string) bool { return strings.Contains(cause, part) }
	word := report.Quote(string(p.word(at)))
	switch {
	case is("UTF-8"):
		return "there is a byte that is not UTF-8, must be text in UTF-8"
	case is("surrogate"):
		return "the string has " + string(p.text[at:min(at+6, len(p.text))]) +
			", half of a character, must have both halves"
	case is("escape sequence"):
		return `the string has a \ that starts no escape of JSON, must have \\ for a backslash`
	case is("non-control"):
		return `the string has a control character, must have an escape such as \n or \t instead`
	case is("expecting ':'"):
		return "the key is followed by " + word + ", must be followed by a colon"
	case is("expecting ','"):
		return "the value is followed by " + word + ", must be followed by a comma or }"
	case p.text[at] == ',':
		return "the comma is followed by no key, must be followed by one in quotes"
	case is("in literal"), is("in number"): // of values, these are found before
		return "there is something without quotes, must be a key in quotes"
	case is("member name"), is("at start of value"):
		return "there is " + word + ", must be a key in quotes"
	}
	return "this is not JSON, must be one JSON object"
}
