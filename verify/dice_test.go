package verify

import "pgregory.net/rapid"

// search is a Dice of rapid, which searches for failures and shrinks them.
type search struct{ *rapid.T }

func (s search) Roll(n int) int { return rapid.IntRange(0, n-1).Draw(s.T, "roll") }

// problems returns a rapid generator of random problems.
func problems(t terms, most int) *rapid.Generator[problem] {
	return rapid.Custom(func(r *rapid.T) problem { return randomProblem(search{r}, t, most) })
}

// longProblems returns a rapid generator of long problems.
func longProblems(most int) *rapid.Generator[problem] {
	return rapid.Custom(func(r *rapid.T) problem { return longProblem(search{r}, most) })
}
