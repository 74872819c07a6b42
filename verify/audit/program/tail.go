package program

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// How much is kept of what a program writes to its standard error, and is shown of it.
const (
	tailBytes = 8 << 10
	tailLines = 10
	tailWidth = 200 // characters of a line
)

// tail keeps the end of what is written to it.
type tail struct {
	mutex sync.Mutex
	text  []byte
	cut   bool // the first line is not whole
}

func (t *tail) Write(b []byte) (int, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, b[max(0, len(b)-tailBytes):]...)
	if extra := len(t.text) - tailBytes; extra > 0 {
		t.text = slices.Delete(t.text, 0, extra)
		t.cut = true
	}
	return len(b), nil
}

// last returns the last lines.
func (t *tail) last() []string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	text := t.text
	if end := bytes.IndexByte(text, '\n'); t.cut && end >= 0 {
		text = text[end+1:]
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if line = printable(strings.TrimRightFunc(line, unicode.IsSpace)); line != "" {
			lines = append(lines, line)
		}
	}
	return lines[max(0, len(lines)-tailLines):]
}

// printable returns a foreign text on one line, shortened, without what could move the
// cursor of a terminal.
func printable(s string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s))
	if len(runes) > tailWidth {
		return string(runes[:tailWidth]) + "…"
	}
	return string(runes)
}
