package verify

import (
	"testing"

	"checkrr/impl"

	"pgregory.net/rapid"
)

// world is a setting in which laws must hold: small problems with exact answers, or
// long ones with intervals.
type world struct {
	*rapid.T
	problem
	long bool
}

// small is the largest number of mechanisms of a small problem: an exact answer
// takes a millisecond.
const small = 5

func drawWorld(t *rapid.T) world {
	if rapid.Bool().Draw(t, "long") {
		p := longProblems(60).Draw(t, "problem")
		return world{t, p, true}
	}
	return world{t, problems(ratios, small).Draw(t, "problem"), false}
}

// roll makes a world a Dice.
func (w world) Roll(n int) int { return search{w.T}.Roll(n) }

// solve returns what this world knows about a problem.
func (w world) solve(p problem) truths {
	if !w.long {
		return exactly(w, p)
	}
	return found(solve(w, p, impl.Options{}))
}

// found returns the intervals of r.
func found(r *impl.Result) truths {
	out := truths{}
	for what, x := range intervals(r) {
		if x.Lower == nil { // not asked for
			continue
		}
		lo, hi := x.Rats()
		out[what] = span{lo, hi}
	}
	return out
}

// atMost reports whether a number in x can be at most one in y.
func (x span) atMost(y span) bool { return x.lo.Cmp(y.hi) <= 0 }

// meets reports whether x and y can be the same number.
func (x span) meets(y span) bool { return x.atMost(y) && y.atMost(x) }

// clone returns a copy of p whose lists can be changed.
func (p problem) clone() problem {
	return problem{append([]mechanism(nil), p.mechanisms...), append([]stop(nil), p.stops...)}
}

// The comparisons of the laws are exact for points and never guess for intervals.
func TestSpan(t *testing.T) {
	t.Parallel()
	x, y := span{rat("1"), rat("2")}, span{rat("2"), rat("3")}
	z := span{rat("4"), rat("4")}
	if !x.meets(y) || !y.atMost(x) || x.meets(z) || z.atMost(x) || !z.meets(z) {
		t.Error("spans compare wrongly")
	}
}
