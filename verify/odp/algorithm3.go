package odp

import (
	"fmt"
	"slices"

	"checkrr/spec"
	"checkrr/verify/register"
)

// questions are mechanisms and criteria that write down what they are asked.
type questions struct {
	points     []int
	mechanisms []func(s []int, x int) int
	criteria   []func(s []int) bool
	x          int
	asked      *[]string
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
		return q
	}
}

// sameIteration checks that a program for Algorithm 3 asks what spec asks, and has the
// same output.
func sameIteration(run func(q questions) []int) register.Check {
	return func(t *register.T) {
		n := t.Size(2000, 20000)
		t.Domain("%d random runs of up to 6 mechanisms with any stopping points", n)
		t.Random(3, n, func(t *register.T, d register.Dice) {
			ask := randomQuestions(d)
			literal, fast := ask(), ask()
			want := spec.Iterate(literal.points, literal.mechanisms, literal.criteria, literal.x)
			got := run(fast)
			if !slices.Equal(got, want) || !slices.Equal(*fast.asked, *literal.asked) {
				t.Refute("stopping points %v: %v after %v, and %v after %v", literal.points, want, *literal.asked, got, *fast.asked)
			}
		})
	}
}
