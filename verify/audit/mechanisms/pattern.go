package mechanisms

import (
	"maps"
	"math/bits"
	"slices"
	"strconv"

	"checkrr/verify/audit"
)

// pattern is a list of outputs, of at most 63: the bits after the first 1, where 1 is ⊤.
type pattern uint64

// noOutputs is the empty list.
const noOutputs pattern = 1

func (p pattern) and(above bool) pattern {
	if above {
		return p<<1 | 1
	}
	return p << 1
}

func (p pattern) length() int { return bits.Len64(uint64(p)) - 1 }

// above returns the number of ⊤.
func (p pattern) above() int { return bits.OnesCount64(uint64(p)) - 1 }

// list returns the outputs.
func (p pattern) list() []bool {
	var a []bool
	for i := p.length() - 1; i >= 0; i-- {
		a = append(a, p>>i&1 == 1)
	}
	return a
}

// The outputs that are no numbers.
var above, bottomOutput = audit.Text("⊤"), audit.Text("⊥")

// shape is the outputs as a list, with something in place of every ⊤.
func (p pattern) shape(top *audit.Shape) *audit.Shape {
	var outputs []*audit.Shape
	for _, isAbove := range p.list() {
		if isAbove {
			outputs = append(outputs, top)
		} else {
			outputs = append(outputs, bottomOutput)
		}
	}
	return audit.List(outputs...)
}

// patternOf returns the pattern of a list.
func patternOf(a []bool) pattern {
	p := noOutputs
	for _, above := range a {
		p = p.and(above)
	}
	return p
}

// outcomes returns all lists of outputs to so many queries, with a cutoff unless it is 0;
// or nil if there are more than a limit.
func outcomes(queries, cutoff, limit int) []pattern {
	ends, open := []pattern(nil), []pattern{noOutputs}
	for range queries {
		var longer []pattern
		for _, p := range open {
			for _, above := range []bool{false, true} {
				q := p.and(above)
				if cutoff > 0 && q.above() == cutoff {
					ends = append(ends, q)
				} else {
					longer = append(longer, q)
				}
			}
		}
		if open = longer; len(open)+len(ends) > limit {
			return nil
		}
	}
	return append(ends, open...)
}

// tally counts patterns.
type tally map[pattern]int

// addTo adds what was counted to a sample. If there is an output partition, the part is the
// number of ⊤.
func (t tally) addTo(s *audit.Sample, parts bool) {
	for _, p := range slices.Sorted(maps.Keys(t)) {
		part := ""
		if parts {
			part = strconv.Itoa(p.above())
		}
		s.Group(part, p.shape(above)).Count += t[p]
	}
}

// lists adds lists of ⊥ and numbers to a sample.
type lists struct {
	sample *audit.Sample
	groups map[pattern]*audit.Group
}

func newLists(s *audit.Sample) lists { return lists{s, map[pattern]*audit.Group{}} }

// add adds a list with a number for each ⊤.
func (l lists) add(p pattern, numbers []float64) {
	if l.groups[p] == nil {
		l.groups[p] = l.sample.Group("", p.shape(audit.Number))
	}
	l.groups[p].Add(numbers...)
}
