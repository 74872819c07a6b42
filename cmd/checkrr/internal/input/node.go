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
func (s source) list(what string, n ast.Node, most int) ([]ast.Node, error) {
	list, ok := n.(*ast.SequenceNode)
	switch {
	case !ok:
		return nil, s.fault(placeOf(n), "%s is %s, must be a list", what, kindOf(n))
	case len(list.Values) == 0:
		return nil, s.fault(placeOf(n), "%s is an empty list, must have at least one entry", what)
	case len(list.Values) > most:
		return nil, s.fault(placeOf(list.Values[most]), "%s has %d entries, must have at most %d", what, len(list.Values),
			most)
	}
	return list.Values, nil
}

// keys returns the values of the known keys of a file, in their order.
func (s source) keys(root ast.Node, known []string) ([]ast.Node, error) {
	pairs, ok := pairsOf(root)
	if !ok {
		return nil, s.fault(placeOf(root), "the file is %s, must have the keys %s", kindOf(root), s.form.keys)
	}
	return s.keyed("", pairs, known)
}

// mapping returns the values of a mapping of a form in the order of the known keys.
func (s source) mapping(what, form string, n ast.Node, known []string) ([]ast.Node, error) {
	pairs, ok := pairsOf(n)
	if !ok {
		return nil, s.fault(placeOf(n), "%s is %s, must be of the form %s", what, kindOf(n), form)
	}
	return s.keyed(what, pairs, known)
}

// number reads a number exactly, and checks it by rules.
func (s source) number(what string, n ast.Node, rules ...Rule) (r *big.Rat, typed string, err error) {
	typed, ok := scalarOf(n)
	if !ok {
		return nil, "", s.fault(placeOf(n), "%s is %s, must be a number", what, kindOf(n))
	}
	if r, err = ParseNumber(typed); err != nil {
		return nil, "", s.fault(placeOf(n), "%s %s", what, err)
	}
	for _, rule := range rules {
		if must := rule(r); must != "" {
			return nil, "", s.fault(placeOf(n), "%s is %s, must be %s", what, report.Quote(typed), must)
		}
	}
	return r, typed, nil
}

// whole reads a whole number between two others, which may be typed as 1e6.
func (s source) whole(what string, n ast.Node, low, high int) (int, error) {
	r, typed, err := s.number(what, n)
	if err != nil {
		return 0, err
	}
	whole, ok := wholeBetween(r, low, high)
	if !ok {
		return 0, s.fault(placeOf(n), "%s is %s, must be a whole number between %d and %d", what, report.Quote(typed), low,
			high)
	}
	return whole, nil
}

// seconds reads a time.
func (s source) seconds(what string, n ast.Node) (time.Duration, error) {
	r, typed, err := s.number(what, n)
	if err != nil {
		text, _ := scalarOf(n)
		if d, wrong := time.ParseDuration(text); wrong == nil && d > 0 { // as flags have it
			err = s.fault(placeOf(n), "%s is %s, must be a number of seconds without a unit; did you mean %g?", what,
				report.Quote(text), d.Seconds())
		}
		return 0, err
	}
	if r.Sign() <= 0 || r.Cmp(big.NewRat(maxSeconds, 1)) > 0 {
		return 0, s.fault(placeOf(n), "%s is %s, must be more than 0 and at most %d", what, report.Quote(typed), maxSeconds)
	}
	x, _ := r.Float64()
	return max(time.Duration(x*float64(time.Second)), 1), nil
}

// word reads one of some words.
func (s source) word(what string, n ast.Node, known []string) (string, error) {
	text, ok := scalarOf(n)
	if !ok {
		return "", s.fault(placeOf(n), "%s is %s, must be one of %s", what, kindOf(n), strings.Join(known, ", "))
	}
	if !slices.Contains(known, text) {
		return "", s.fault(placeOf(n), "%s is %s, must be one of %s", what, report.Quote(text), strings.Join(known, ", "))
	}
	return text, nil
}

// words returns a command: a program and its arguments.
func (s source) words(what string, n ast.Node) (words []string, err error) {
	list, err := s.list(what, n, maxWords)
	if err != nil {
		return nil, err
	}
	for i, word := range list {
		text, ok := scalarOf(word)
		if !ok {
			return nil, s.fault(placeOf(word), "%s: word %d is %s, must be a text", what, i+1, kindOf(word))
		}
		if strings.ContainsRune(text, 0) || i == 0 && text == "" {
			return nil, s.fault(placeOf(word), "%s: word %d is %s, must be a text without a zero byte, and the first not empty",
				what, i+1, report.Quote(text))
		}
		words = append(words, text)
	}
	return words, nil
}
