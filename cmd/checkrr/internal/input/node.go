package input

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"checkrr/cmd/checkrr/internal/report"
)

// list returns the entries of a list that may have some number of them.
func (s source) list(what string, n ast.Node, most int) []ast.Node {
	list, ok := n.(*ast.SequenceNode)
	switch {
	case !ok:
		s.fail(n, "%s is %s, must be a list", what, kindOf(n))
	case len(list.Values) == 0:
		s.fail(n, "%s is an empty list, must have at least one entry", what)
	case len(list.Values) > most:
		s.fail(list.Values[most], "%s has %d entries, must have at most %d", what, len(list.Values), most)
	}
	return list.Values
}

// keys returns the values of the known keys of a file, in their order.
func (s source) keys(root ast.Node, known []string) []ast.Node {
	pairs, ok := pairsOf(root)
	if !ok {
		s.fail(root, "the file is %s, must have the keys %s", kindOf(root), s.form.keys)
	}
	return s.keyed("", pairs, known)
}

// mapping returns the values of a mapping of a form in the order of the known keys.
func (s source) mapping(what, form string, n ast.Node, known []string) []ast.Node {
	pairs, ok := pairsOf(n)
	if !ok {
		s.fail(n, "%s is %s, must be of the form %s", what, kindOf(n), form)
	}
	return s.keyed(what, pairs, known)
}

// scalar returns the text of a scalar as typed, which must be what is wanted.
func (s source) scalar(what string, n ast.Node, wanted string) string {
	text, ok := scalarOf(n)
	if !ok {
		s.fail(n, "%s is %s, must be %s", what, kindOf(n), wanted)
	}
	return text
}

// number reads a number exactly, and checks it by rules.
func (s source) number(what string, n ast.Node, rules ...Rule) (r *big.Rat, typed string) {
	typed = s.scalar(what, n, "a number")
	r, err := ParseNumber(typed)
	if err != nil {
		s.fail(n, "%s %s", what, err)
	}
	for _, rule := range rules {
		if must := rule(r); must != "" {
			s.fail(n, "%s is %s, must be %s", what, report.Quote(typed), must)
		}
	}
	return r, typed
}

// whole reads a whole number between two others, which may be typed as 1e6.
func (s source) whole(what string, n ast.Node, low, high int) int {
	r, typed := s.number(what, n)
	whole, ok := wholeBetween(r, low, high)
	if !ok {
		s.fail(n, "%s is %s, must be a whole number between %d and %d", what, report.Quote(typed), low, high)
	}
	return whole
}

// seconds reads a time.
func (s source) seconds(what string, n ast.Node) time.Duration {
	text, _ := scalarOf(n)
	if _, err := ParseNumber(text); err != nil {
		if d, wrong := time.ParseDuration(text); wrong == nil && d > 0 { // as flags have it
			s.fail(n, "%s is %s, must be a number of seconds without a unit; did you mean %g?", what,
				report.Quote(text), d.Seconds())
		}
	}
	r, typed := s.number(what, n)
	if r.Sign() <= 0 || r.Cmp(big.NewRat(maxSeconds, 1)) > 0 {
		s.fail(n, "%s is %s, must be more than 0 and at most %d", what, report.Quote(typed), maxSeconds)
	}
	x, _ := r.Float64()
	return max(time.Duration(x*float64(time.Second)), 1)
}

// word reads one of some words.
func (s source) word(what string, n ast.Node, known []string) string {
	all := "one of " + strings.Join(known, ", ")
	text := s.scalar(what, n, all)
	if !slices.Contains(known, text) {
		s.fail(n, "%s is %s, must be %s", what, report.Quote(text), all)
	}
	return text
}

// words returns a command: a program and its arguments.
func (s source) words(what string, n ast.Node) (words []string) {
	for i, word := range s.list(what, n, maxWords) {
		text, ok := scalarOf(word)
		if !ok {
			s.fail(word, "%s: word %d is %s, must be a text", what, i+1, kindOf(word))
		}
		if strings.ContainsRune(text, 0) || i == 0 && text == "" {
			s.fail(word, "%s: word %d is %s, must be a text without a zero byte, and the first not empty", what, i+1,
				report.Quote(text))
		}
		words = append(words, text)
	}
	return words
}
