package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// step is the first mechanism of two, and the budget of both.
type step struct {
	first           impl.Choice
	expEpsT, deltaT *big.Rat
}

func (s step) String() string {
	return fmt.Sprintf("e^ε_t = %s, δ_t = %s: %s", rat.Show(s.expEpsT), rat.Show(s.deltaT), finite.Describe(&s.first))
}

// rest returns δ_t − δ.
func (s step) rest() *big.Rat { return rat.Sub(s.deltaT, s.first.Delta) }

// mu returns μ of the output z.
func (s step) mu(z int) *big.Rat {
	c := s.first
	return rat.Sub(c.Laws[0][z], rat.Mul(c.ExpE[c.Part[z]], c.Laws[1][z]))
}

// hasItsDelta compares δ of M_1 by spec with sums of positive parts.
func (s step) hasItsDelta(t *register.T) {
	c := finite.ForSpec(&s.first)
	own := finite.PairOf(c.Laws).DeltaBothWays(func(output string) *big.Rat { return c.ExpE[c.Part(output)] })
	same(t, own, s.first.Delta, "%v: the δ of M_1", s)
}

// isRound reports whether M_1 has two parts or more, and neither law an impossible output: there equality says
// something.
func (s step) isRound() bool {
	isZero := func(x *big.Rat) bool { return x.Sign() == 0 }
	laws := s.first.Laws
	return len(s.first.ExpE) > 1 && !slices.ContainsFunc(laws[0], isZero) && !slices.ContainsFunc(laws[1], isZero)
}

// atMost refutes that what the format says is at most a bound after s, and tells how close it comes.
func (s step) atMost(t *register.T, x, bound *big.Rat, format string, args ...any) {
	if x.Cmp(bound) > 0 {
		t.Refute("%v"+format+" %s, more than %s", slices.Concat([]any{s}, args, []any{rat.Show(x), rat.Show(bound)})...)
	}
	if s.isRound() {
		t.CloseTo(x, bound, "%v", s)
	}
}

// forFirstSteps visits first mechanisms and budgets, small ones first: mechanisms with few outputs, and two like
// M_toy, of which one part says nothing, and the other is a randomized response.
func forFirstSteps(t *register.T, what string, visit func(s step)) {
	d := t.Size(3, 4)
	t.Domain("every M_1 with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}, with its "+
		"smallest δ, and two like M_toy with probabilities in 1/6; "+
		"ε_t = sup ℰ or sup ℰ + ln 2, δ_t = δ or δ + 1/%d; %s", d, d, what)
	withBudgets := func(c impl.Choice) {
		for _, c := range finite.BothWays(c) {
			for _, factor := range []int{1, 2} {
				for _, more := range []int64{0, 1} {
					t.Case()
					visit(step{c, rat.Mul(rat.Int(factor), rat.Max(c.ExpE...)), rat.Add(c.Delta, big.NewRat(more, int64(d)))})
				}
			}
		}
	}
	for c := range finite.Choices(3, d, expEs) {
		withBudgets(c)
	}
	sixth, third, half := rat.Of("1/6"), rat.Of("1/3"), rat.Half
	withBudgets(finite.NewChoice(finite.Pair{{"a": half, "b": third, "c": sixth}, {"a": half, "b": sixth, "c": third}},
		finite.Partition{0, 1, 1}, rat.List("1", "2")))
	withBudgets(finite.NewChoice(finite.Pair{{"a": third, "b": sixth, "c": half}, {"a": sixth, "b": third, "c": half}},
		finite.Partition{0, 0, 1}, rat.List("2", "1")))
}
