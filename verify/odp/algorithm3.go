package odp

import (
	"fmt"
	"slices"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// questions are mechanisms and criteria that write down what they are asked.
type questions struct {
	points     []int
	mechanisms []func(s []int, x int) int
	criteria   []func(s []int) bool
	x          int
	asked      *[]string
	want       []int    // the output
	wantAsked  []string // and what leads to it
}

// randomQuestions rolls up to 6 mechanisms with outputs 0 to 3, and stopping points. The
// answers are rolled beforehand, so that two programs get the same.
func randomQuestions(d register.Dice) func() questions {
	total := 1 + d.Roll(6)
	points := []int{total}
	for k := total - 1; k >= 1; k-- {
		if d.Roll(2) == 0 {
			points = slices.Insert(points, 0, k)
		}
	}
	var outputs []int
	var stops []bool
	for range total {
		outputs, stops = append(outputs, d.Roll(4)), append(stops, d.Roll(3) == 1)
	}
	x := d.Roll(3)
	return func() questions {
		q := questions{points: points, x: x, asked: new([]string)}
		for k, output := range outputs {
			q.mechanisms = append(q.mechanisms, func(s []int, x int) int {
				*q.asked = append(*q.asked, fmt.Sprint("M", k+1, s, x))
				return (output + x + len(s)) % 4
			})
		}
		for _, k := range points[:len(points)-1] {
			q.criteria = append(q.criteria, func(s []int) bool {
				*q.asked = append(*q.asked, fmt.Sprint("h", k, s))
				return stops[k-1] == (s[len(s)-1]%2 == 0)
			})
		}
		q.want, q.wantAsked = answered(points, outputs, stops, x)
		return q
	}
}

// answered returns what Algorithm 3 gives and asks, by the answers: the shortest of the outputs at which a criterion
// is 1, or all of them.
func answered(points, outputs []int, stops []bool, x int) (s []int, asked []string) {
	for k, output := range outputs {
		asked = append(asked, fmt.Sprint("M", k+1, s, x))
		s = append(s, (output+x+k)%4)
		if k+1 < len(outputs) && slices.Contains(points, k+1) {
			asked = append(asked, fmt.Sprint("h", k+1, s))
			if stops[k] == (s[k]%2 == 0) {
				break
			}
		}
	}
	return s, asked
}

// sameIteration checks that spec and a program for Algorithm 3 ask and give what they should; and that the law of
// the output under all criteria is that of the tree of outputs, with the stops of a variant.
func sameIteration(run func(q questions) []int, variant func(finite.Pipeline) finite.Pipeline) register.Check {
	return func(t *register.T) {
		n := t.Size(2000, 20000)
		t.Domain("%d random runs of up to 6 mechanisms with any stopping points; the laws of M_iter for k = (1, 2), (1, 3) "+
			"and (1, 2, 3), one pipeline of (e^ε, δ) = (2, 0), (7/2, 0) each, and (1, 2) of (3/2, 1/10), (1, 1/2), all "+
			"deterministic criteria", n)
		t.Random(3, n, func(t *register.T, d register.Dice) {
			ask := randomQuestions(d)
			literal, fast := ask(), ask()
			for _, one := range []struct {
				name  string
				got   []int
				asked *[]string
			}{
				{"as printed", spec.Iterate(literal.points, literal.mechanisms, literal.criteria, literal.x), literal.asked},
				{"by the program", run(fast), fast.asked},
			} {
				if !slices.Equal(one.got, literal.want) || !slices.Equal(*one.asked, literal.wantAsked) {
					t.Refute("stopping points %v: %v after %v, and %s %v after %v", literal.points, literal.want, literal.wantAsked,
						one.name, one.got, *one.asked)
				}
			}
		})
		for _, p := range lawful() {
			for h := range finite.Criteria(finite.Deterministic, p.Early(p.Responses())) {
				t.Case()
				if want, got := variant(p).Run(h).Possible(), p.Responses().Law(h).Possible(); !got.Equal(want) {
					t.Refute("%v; %v: %v, in the tree %v", p, h, want, got)
				}
			}
		}
	}
}

// lawful are pipelines to run under all criteria. The charges do not matter.
func lawful() (all []finite.Pipeline) {
	for _, points := range [][]int{{1, 2}, {1, 3}, {1, 2, 3}} {
		p := finite.Pipeline{Mechanisms: append(slices.Clone(unequal), unequal[0])[:last(points)]}
		for _, after := range points {
			p.Stops = append(p.Stops, spec.Stop{After: after, ExpEps: rat.One})
		}
		all = append(all, p)
	}
	return append(all, finite.Pipeline{Mechanisms: leaking, Stops: all[0].Stops})
}
