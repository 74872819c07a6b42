package report

import (
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// acts reports whether a character could act on a terminal, or is not seen there: control characters but for tabs and
// line ends, what changes the direction of text, joins or separates it, and what has no width of its own.
func acts(r rune) bool {
	const blank = '\u2800' // of Braille
	return r == blank || r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Escaped writes characters that act on terminals, and bytes that are no UTF-8, as escapes. What is JSON stays the same
// JSON.
func Escaped(text []byte) []byte {
	shown := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			shown = append(shown, `\x`...)
			shown = append(shown, hexDigits[text[0]>>4], hexDigits[text[0]&0xf])
		case !acts(r):
			shown = append(shown, text[:size]...)
		case utf16.RuneLen(r) == 2:
			high, low := utf16.EncodeRune(r)
			shown = appendEscape(appendEscape(shown, high), low)
		default:
			shown = appendEscape(shown, r)
		}
		text = text[size:]
	}
	return shown
}

const hexDigits = "0123456789abcdef"

// appendEscape appends a character of 16 bits as JSON has it.
func appendEscape(b []byte, r rune) []byte {
	return append(b, '\\', 'u', hexDigits[r>>12], hexDigits[r>>8&0xf], hexDigits[r>>4&0xf], hexDigits[r&0xf])
}

// OneLine shows a foreign text, such as the error of a library, on one line.
func OneLine(s string) string { return lineEnds.Replace(string(Escaped([]byte(s)))) }

var lineEnds = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// Cell shows a foreign text in a table: between quotation marks if it could look like several columns.
func Cell(s string) string {
	if strings.Contains(" "+s+" ", "  ") {
		return quoted(s)
	}
	return OneLine(s)
}

// Name shows the name of a file: as it is, unless it has characters that act on terminals, or a line end.
func Name(s string) string {
	if OneLine(s) == s {
		return s
	}
	return quoted(s)
}

// quoted is a text between quotation marks, in which all can be seen.
func quoted(s string) string { return string(Escaped([]byte(strconv.Quote(s)))) }

// WriteText writes a file with a text, of which [Escaped] is shown wherever it is printed.
func WriteText(name string, text []byte) error { return WriteFile(name, Escaped(text)) }

// Printer writes text for people and programs as [Escaped] has it, whatever it is from.
type Printer struct {
	to   io.Writer
	rest []byte // the beginning of a character
	err  error  // the first
}

// NewPrinter returns a printer onto w.
func NewPrinter(w io.Writer) *Printer { return &Printer{to: w} }

// Unwrap returns that onto which it prints.
func (p *Printer) Unwrap() io.Writer { return p.to }

// Write implements io.Writer.
func (p *Printer) Write(text []byte) (int, error) {
	all := append(p.rest, text...)
	end := len(all)
	for i := len(all) - 1; i >= max(0, len(all)-utf8.UTFMax+1); i-- {
		if utf8.RuneStart(all[i]) {
			if !utf8.FullRune(all[i:]) {
				end = i
			}
			break
		}
	}
	p.rest = append([]byte(nil), all[end:]...)
	return len(text), p.print(all[:end])
}

func (p *Printer) print(text []byte) error {
	_, err := p.to.Write(Escaped(text))
	if p.err == nil {
		p.err = err
	}
	return err
}

// Flush writes what may be left of a text that ends inside a character, and returns the first error of all writing.
func (p *Printer) Flush() error {
	if rest := p.rest; len(rest) > 0 {
		p.rest = nil
		_ = p.print(rest) // which notes the error
	}
	return p.err
}
