package odp

import (
	"fmt"
	"slices"

	"checkrr/impl"
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
	asked      []string
	want       []int    // the output
	wantAsked  []string // and what leads to it
}

// randomQuestions rolls up to 6 mechanisms with outputs 0 to 3, and stopping points.
func randomQuestions(d register.Dice) *questions {
	total := 1 + d.Roll(6)
	q := &questions{points: []int{total}}
	for k := total - 1; k >= 1; k-- {
		if d.Roll(2) == 0 {
			q.points = slices.Insert(q.points, 0, k)
		}
	}
	var outputs []int
	var stops []bool
	for k := range total {
		outputs, stops = append(outputs, d.Roll(4)), append(stops, d.Roll(3) == 1)
		q.mechanisms = append(q.mechanisms, func(s []int, x int) int {
			q.asked = append(q.asked, fmt.Sprint("M", k+1, s, x))
			return (outputs[k] + x + len(s)) % 4
		})
	}
	for _, k := range q.points[:len(q.points)-1] {
		q.criteria = append(q.criteria, func(s []int) bool {
			q.asked = append(q.asked, fmt.Sprint("h", k, s))
			return stops[k-1] == (s[len(s)-1]%2 == 0)
		})
	}
	q.x = d.Roll(3)
	q.answer(outputs, stops)
	return q
}

// answer notes what Algorithm 3 gives and asks, by the answers: the shortest of the outputs at which a criterion
// is 1, or all of them.
func (q *questions) answer(outputs []int, stops []bool) {
	for k, output := range outputs {
		q.wantAsked = append(q.wantAsked, fmt.Sprint("M", k+1, q.want, q.x))
		q.want = append(q.want, (output+q.x+k)%4)
		if k+1 < len(outputs) && slices.Contains(q.points, k+1) {
			q.wantAsked = append(q.wantAsked, fmt.Sprint("h", k+1, q.want))
			if stops[k] == (q.want[k]%2 == 0) {
				return
			}
		}
	}
}

// areAsked refutes that a program for Algorithm 3 asks and gives what it should.
func (q *questions) areAsked(t *register.T, name string, run func() []int) {
	q.asked = nil
	got := run()
	t.Require(slices.Equal(got, q.want) && slices.Equal(q.asked, q.wantAsked), "stopping points %v: %v after %v, and %s "+
		"%v after %v", q.points, q.want, q.wantAsked, name, got, q.asked)
}

// sameIteration checks that spec, and impl with questions as changed, ask and give what they should; and that the law of
// the output under all criteria is that of the tree of outputs, with the stops of a variant.
func sameIteration(t *register.T, change func(q *questions), of changed) {
	n := t.Size(2000, 20000)
	t.Domain("%d random runs of up to 6 mechanisms with any stopping points; the laws of M_iter for k = (1, 2), (1, 3) "+
		"and (1, 2, 3), one pipeline of (e^ε, δ) = (2, 0), (7/2, 0) each, and (1, 2) of (3/2, 1/10), (1, 1/2), all "+
		"deterministic criteria", n)
	t.Random(3, n, func(t *register.T, d register.Dice) {
		q := randomQuestions(d)
		q.areAsked(t, "as printed", func() []int { return spec.Iterate(q.points, q.mechanisms, q.criteria, q.x) })
		change(q)
		q.areAsked(t, "by the program", func() []int {
			return register.Must(impl.Iterate(q.points, q.mechanisms, q.criteria, q.x))
		})
	})
	for _, p := range lawful() {
		for h := range finite.Criteria(finite.Deterministic, p.Early(p.Responses())) {
			t.Case()
			want, got := of(p).Run(h).Possible(), p.Responses().Law(h).Possible()
			t.Require(got.Equal(want), "%v; %v: %v, in the tree %v", p, h, want, got)
		}
	}
}

// lawful are pipelines to run under all criteria. The charges do not matter.
func lawful() (all []finite.Pipeline) {
	for _, points := range [][]int{{1, 2}, {1, 3}, {1, 2, 3}} {
		all = append(all, finite.Pipeline{Mechanisms: slices.Concat(unequal, unequal)[:last(points)],
			Stops: stopsAt(points, rat.One)})
	}
	return append(all, finite.Pipeline{Mechanisms: leaking, Stops: all[0].Stops})
}
