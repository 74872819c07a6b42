package ours

import (
	"math/big"
	"strconv"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// columns is the statement on noise by matrices without sampling.
func columns() register.Checks {
	return register.Checks{
		"OUR-L10": checked(earlierDominates(asPlanned),
			near("all is shown in the last step", earlierDominates(allAtLast)),
			near("what is shown in two steps is shown in the wrong one", earlierDominates(backward)),
			near("of all that is shown one bit less", earlierDominates(oneLess))),
	}
}

// A plan is how many bits each step shows at most, with those that the steps before it might have shown and did not.
// What a step shows is as many independent draws as the time of a Brownian motion that Gaussian noise shows.
type plan []int

// planned are the bits that steps are said to show.
type planned = func(p plan) plan

func asPlanned(p plan) plan { return p }
func allAtLast(p plan) plan { return plan{0, 0, p[0] + p[1] + p[2]} }
func backward(p plan) plan  { return plan{p[2], p[1], p[0]} }
func oneLess(p plan) plan {
	if p[2] > 0 {
		return plan{p[0], p[1], p[2] - 1}
	}
	return plan{p[0] - 1, p[1], 0}
}

// pairs returns those of the steps, for draws with this pair. Of bits that are alike their sum says all.
func (p plan) pairs(one finite.Pair) (pairs []finite.Pair) {
	for _, n := range p {
		pairs = append(pairs, sumOf(n, one))
	}
	return pairs
}

// sumOf returns the laws of the sum of so many bits.
func sumOf(n int, one finite.Pair) finite.Pair {
	sum := nothing()
	for range n {
		next := finite.Pair{{}, {}}
		for b, law := range sum {
			for x, p := range law {
				k := register.Must(strconv.Atoi(x))
				for i, bit := range []string{"0", "1"} {
					key := strconv.Itoa(k + i)
					next[b][key] = rat.Add(next[b].Pr(key), rat.Mul(p, one[b].Pr(bit)))
				}
			}
		}
		sum = next
	}
	return sum
}

// habit says how many of the bits that are left a step shows, after what the last one showed.
type habit = func(step, left int, last string) int

var habits = []struct {
	name  string
	shows habit
}{
	{"at once", func(_, left int, _ string) int { return left }},
	{"late", func(step, left int, _ string) int {
		if step == 0 {
			return 0
		}
		return left
	}},
	{"as the last output says", func(step, left int, last string) int {
		if step == 0 {
			return min(1, left)
		}
		if last == "0" && step < 2 {
			return 0
		}
		return left
	}},
}

// tree returns the laws of the steps of a run with a habit.
func (p plan) tree(shows habit, one finite.Pair) finite.Tree {
	tree := finite.Tree{}
	var grow func(outputs, last string, left int)
	grow = func(outputs, last string, left int) {
		step := len(outputs)
		if step == len(p) {
			return
		}
		left += p[step]
		n := shows(step, left, last)
		laws := sumOf(n, one)
		tree[outputs] = laws
		for _, x := range laws.Outputs() {
			grow(outputs+x, x, left-n)
		}
	}
	grow("", "", 0)
	return tree
}

// earlierDominates goes through all stopping rules of runs that never have shown more than was planned up to a step.
// None needs more than the plan; one that shows all at once needs as much.
var earlierDominates = finite.Over("first in {0, 1, 2}, second in {0, 1, 2}, third in {0, 1, 2}, more in {1/2, 3/4}, "+
	"e^ε in {1, 5/4}; three steps that show at most so many bits, and what is left of those before: 1 with the "+
	"probability more if the record takes part, and 1/4 if not; all at once, from the second step on, or as many as "+
	"the last output says",
	func(t *register.T, claim planned, first, second, third int, more, expEps *big.Rat) {
		p, one, stops := plan{first, second, third}, bit(more, rat.Of("1/4")), finite.Pipeline{}
		if first+third == 0 { // with nothing to leave out, or to swap
			return
		}
		for k := range p {
			stops.Stops = append(stops.Stops, spec.Stop{After: k + 1, ExpEps: rat.Add(expEps, big.NewRat(int64(k), 8))})
		}
		for _, run := range habits {
			forth := testCase{p.tree(run.shows, one), claim(p).pairs(one), stops}
			for i, s := range []testCase{forth, forth.back()} {
				worst, bound := s.worst(t), start(s.pairs, s.stops)
				t.AtMost(worst, bound, "%s, order %d: some rule needs δ = %s, %s was claimed", run.name, i+1, worst, bound)
				if run.name == "at once" {
					t.Require(rat.Equal(worst, bound), "order %d: δ = %s is enough, %s was claimed", i+1, worst, bound)
				}
			}
		}
	})
