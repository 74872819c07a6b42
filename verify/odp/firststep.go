package odp

import (
	"fmt"
	"iter"
	"math/big"

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

// pair returns the laws of M_1.
func (s step) pair() finite.Pair {
	p := finite.Pair{{}, {}}
	for b := range p {
		for z, output := range s.first.Outputs {
			p[b][output] = s.first.Laws[b][z]
		}
	}
	return p
}

// expE returns e^ℰ of the part of an output.
func (s step) expE(output string) *big.Rat { return s.first.ExpE[s.first.Part[output[0]-'a']] }

// isRound reports whether neither law has an impossible output: there equality says something.
func (s step) isRound() bool {
	for z := range s.first.Part {
		if s.first.Laws[0][z].Sign() == 0 || s.first.Laws[1][z].Sign() == 0 {
			return false
		}
	}
	return true
}

// closeToStep tells t how close x comes to a positive bound after a first step s with two parts and no impossible
// output.
func closeToStep(t *register.T, x, bound *big.Rat, s step) {
	if len(s.first.ExpE) > 1 && s.isRound() {
		t.CloseTo(x, bound, "%v", s)
	}
}

// onlyIn returns the parts of both laws in a set of outputs.
func onlyIn(laws finite.Pair, in func(output string) bool) finite.Pair {
	rest := finite.Pair{{}, {}}
	for b := range laws {
		for output, pr := range laws[b] {
			if in(output) {
				rest[b][output] = pr
			}
		}
	}
	return rest
}

func atMostOne(x *big.Rat) *big.Rat { return rat.Min(x, rat.One) }

// firstSteps yields first mechanisms and budgets, small ones first.
func firstSteps(t *register.T) iter.Seq[step] {
	return func(yield func(step) bool) {
		for c := range firstChoices(t) {
			for _, c := range finite.BothWays(c) {
				for _, factor := range []int64{1, 2} {
					for _, more := range []int64{0, 1} {
						expEpsT := rat.Mul(big.NewRat(factor, 1), rat.Max(c.ExpE...))
						if !yield(step{c, expEpsT, rat.Add(c.Delta, big.NewRat(more, int64(t.Size(3, 4))))}) {
							return
						}
					}
				}
			}
		}
	}
}

// firstChoices yields mechanisms with few outputs, and two like M_toy: one part says nothing, and the other is a
// randomized response.
func firstChoices(t *register.T) iter.Seq[impl.Choice] {
	return func(yield func(impl.Choice) bool) {
		for c := range finite.Choices(3, t.Size(3, 4), expEs) {
			if !yield(c) {
				return
			}
		}
		sixth, third, half := rat.Of("1/6"), rat.Of("1/3"), rat.Half
		_ = yield(finite.NewChoice(finite.Pair{{"a": half, "b": third, "c": sixth}, {"a": half, "b": sixth, "c": third}},
			finite.Partition{0, 1, 1}, rat.List("1", "2"))) &&
			yield(finite.NewChoice(finite.Pair{{"a": third, "b": sixth, "c": half}, {"a": sixth, "b": third, "c": half}},
				finite.Partition{0, 0, 1}, rat.List("2", "1")))
	}
}

func firstStepsDomain(t *register.T) string {
	return fmt.Sprintf("every M_1 with 3 outputs, probabilities in 1/%d, any partition and e^ℰ in {1, 2, 3}, with its "+
		"smallest δ, and two like M_toy with probabilities in 1/6; "+
		"ε_t = sup ℰ or sup ℰ + ln 2, δ_t = δ or δ + 1/%d", t.Size(3, 4), t.Size(3, 4))
}
