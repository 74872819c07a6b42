// Package docs has the documents that checkrr prints, and what all documents have in common.
package docs

import (
	_ "embed" // for the documents
	"strings"
	"unicode"
)

// Anchor returns what a heading is called in links.
func Anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(heading))
}

// Concepts is concepts.md.
//
//go:embed concepts.md
var Concepts string
