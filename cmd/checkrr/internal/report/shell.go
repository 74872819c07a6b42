package report

import (
	"fmt"
	"regexp"
	"strings"
)

// Word is an argument as a word of a POSIX shell, on one line, which is shown on terminals and by CI runners as it is.
// A line break at its end is lost.
func Word(arg string) string {
	switch {
	case OneLine(arg) != arg: // with characters that act on a terminal
		return `"$(printf '` + octal(arg) + `')"`
	case strings.Trim(arg, plainLetters) == "" && arg != "":
		return arg
	}
	word := "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	if Inert(word) != word { // to be one word, it must be written otherwise
		word = strings.ReplaceAll(word, "#", "#''")
	}
	return word
}

// plainLetters need no quotes in a shell.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+"

// octal is a text with escapes for all but plain letters and blanks, as the printf of every shell takes them.
func octal(text string) string {
	var b strings.Builder
	for i, c := range []byte(text) {
		if strings.IndexByte(plainLetters+" ", c) < 0 || c == '-' && i == 0 {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Inert is a text in which no line is a command for the runner of GitHub, Azure or TeamCity, whoever wrote it.
func Inert(text string) string { return runnerCommand.ReplaceAllString(text, "$1 $2") }

var runnerCommand = regexp.MustCompile(`(?m)(^\s*:|##\w*)(:|\[)`)
