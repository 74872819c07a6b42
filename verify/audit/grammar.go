package audit

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
)

// Grammar is a set of inputs, lists of values, and says which of them are neighbours.
type Grammar struct {
	Values            []json.RawMessage // the simplest first
	Shortest, Longest int               // how many values a list has
	Relation          Relation          // which of them are neighbours
}

// Relation says which lists are neighbours.
type Relation string

// The relations.
const (
	Replace Relation = "replace" // one element is another
	Add     Relation = "add"     // one has one element more
	Shift   Relation = "shift"   // every element differs by at most 1: answers of queries of sensitivity 1
)

// Validate checks that there are inputs, and neighbours.
func (g Grammar) Validate() error {
	switch {
	case len(g.Values) == 0 || len(g.Values) > MaxValues:
		return fmt.Errorf("values are %d, must be 1 to %d", len(g.Values), MaxValues)
	case g.Shortest < 0 || g.Longest < max(1, g.Shortest) || g.Longest > MaxLength:
		return fmt.Errorf("length is from %d to %d, must be from 0 or more to at least 1, at most %d",
			g.Shortest, g.Longest, MaxLength)
	case g.Relation == Add && g.Shortest == g.Longest:
		return fmt.Errorf("length is %d only, must be a range where neighbours have one element more", g.Longest)
	case !slices.Contains([]Relation{Replace, Add, Shift}, g.Relation):
		return fmt.Errorf("neighbours is %q, must be replace, add or shift", g.Relation)
	}
	if g.Relation != Add && len(g.moves()) == 0 {
		return fmt.Errorf("no value can become another, must be possible where neighbours is %s", g.Relation)
	}
	return nil
}

// Limits of a grammar.
const (
	MaxValues = 64
	MaxLength = 64
)

// moves returns which values can become which others in a neighbour.
func (g Grammar) moves() [][2]int {
	var all [][2]int
	for i := range g.Values {
		for j := range g.Values {
			if i != j && (g.Relation != Shift || g.near(i, j)) {
				all = append(all, [2]int{i, j})
			}
		}
	}
	return all
}

// near reports whether two values are numbers that differ by at most 1.
func (g Grammar) near(i, j int) bool {
	x, ok := new(big.Rat).SetString(string(g.Values[i]))
	y, alsoOK := new(big.Rat).SetString(string(g.Values[j]))
	return ok && alsoOK && x.Abs(x.Sub(x, y)).Cmp(one) <= 0
}

// candidate is a pair of neighbours: elements as indices of values.
type candidate [2][]int

// none stands for an element that a list does not have.
const none = -1

// text returns a list as JSON.
func (g Grammar) text(list []int) json.RawMessage {
	var all []string
	for _, i := range list {
		if i != none {
			all = append(all, string(g.Values[i]))
		}
	}
	return json.RawMessage("[" + strings.Join(all, ", ") + "]")
}

// random returns a pair of neighbours. Lists are rather long, and half of them are made of a few
// runs of the same element: what is hard to keep private is often repetitive.
func (g Grammar) random(dice *rand.Rand) candidate {
	length := g.Shortest + max(dice.IntN(g.Longest-g.Shortest+1), dice.IntN(g.Longest-g.Shortest+1))
	length = max(length, 1)
	var c candidate
	moves := g.moves()
	repetitive := dice.IntN(2) == 0
	for len(c[0]) < length {
		run := 1
		if repetitive {
			run += dice.IntN(length - len(c[0]))
		}
		i := dice.IntN(len(g.Values))
		pair := [2]int{i, i}
		if g.Relation == Shift && dice.IntN(4) > 0 {
			pair = moves[dice.IntN(len(moves))]
		}
		for range run {
			c[0], c[1] = append(c[0], pair[0]), append(c[1], pair[1])
		}
	}
	at := dice.IntN(length)
	switch {
	case g.Relation == Add && length > g.Shortest:
		c[1][at] = none
	case g.Relation != Add && slices.Equal(c[0], c[1]):
		pair := moves[dice.IntN(len(moves))]
		c[0][at], c[1][at] = pair[0], pair[1]
	}
	return c
}

// smaller returns pairs of neighbours that are simpler: without an element, or with a simpler one.
func (g Grammar) smaller(c candidate) []candidate {
	var all []candidate
	keep := func(d candidate) {
		if g.contains(d) && !slices.ContainsFunc(all, d.equal) {
			all = append(all, d)
		}
	}
	for i := range c[0] {
		keep(c.without(i))
	}
	for i := range c[0] {
		x, y := c[0][i], c[1][i]
		for v := range g.Values {
			if x == y && v < x || x != y && g.Relation == Shift { // or no longer different
				keep(c.with(i, v, v))
			}
			if x == y {
				continue
			}
			if v < x && g.related(v, y) {
				keep(c.with(i, v, y))
			}
			if v < y && g.related(x, v) {
				keep(c.with(i, x, v))
			}
		}
	}
	return all
}

// related reports whether two elements can stand in the same place of neighbours.
func (g Grammar) related(v, w int) bool { return v == w || g.Relation != Shift || g.near(v, w) }

func (c candidate) without(i int) candidate {
	return candidate{slices.Delete(slices.Clone(c[0]), i, i+1), slices.Delete(slices.Clone(c[1]), i, i+1)}
}

func (c candidate) with(i, x, y int) candidate {
	d := candidate{slices.Clone(c[0]), slices.Clone(c[1])}
	d[0][i], d[1][i] = x, y
	return d
}

func (c candidate) equal(d candidate) bool {
	return slices.Equal(c[0], d[0]) && slices.Equal(c[1], d[1])
}

// same reports whether two pairs are of the same lists, in either order.
func (c candidate) same(d candidate) bool { return c.equal(d) || c.equal(candidate{d[1], d[0]}) }

// contains reports whether c is a pair of different lists of the grammar.
func (g Grammar) contains(c candidate) bool {
	lengths := [2]int{}
	for side, list := range c {
		for _, v := range list {
			if v != none {
				lengths[side]++
			}
		}
	}
	return min(lengths[0], lengths[1]) >= g.Shortest && max(lengths[0], lengths[1]) >= 1 && !slices.Equal(c[0], c[1])
}
