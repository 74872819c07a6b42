package basics

import (
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lawOfOneSided checks that the law of one-sided noisy arg-max is the claimed one.
func lawOfOneSided(claimed func(base *big.Rat, u []int) []*big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^(ε/(2Δu)) in {3/2, 2, 3}, 1 to 4 outputs with utilities 0, 1, 2; the exponential mechanism by impl for " +
			"e^(ε/2) of these, and 0, 1, 2 times Δu in {1, 1/4}")
		for m := 1; m <= 4; m++ {
			for u := range finite.Tuples([]int{0, 1, 2}, m) {
				for _, base := range rat.List("3/2", "2", "3") {
					t.Case()
					inImpl(t, base, u, spec.ExponentialLaw(base, u))
					want, fast := claimed(base, u), impl.OneSidedLaw(base, u)
					for r, p := range spec.OneSidedLaw(base, u) {
						if !rat.Equal(p, want[r]) || !rat.Equal(fast[r], p) {
							t.Refute("e^(ε/(2Δu)) = %s, utilities %v: output %d has the probability %s, by impl %s, claimed %s",
								rat.Show(base), u, r, rat.Show(p), rat.Show(fast[r]), rat.Show(want[r]))
						}
					}
				}
			}
		}
	}
}

// permuteAndFlip takes a random output of those left and returns it with probability base^(u_r − OPT); if not, it is
// left out.
func permuteAndFlip(base *big.Rat, u []int) []*big.Rat {
	best := u[0]
	for _, x := range u {
		best = max(best, x)
	}
	law := make([]*big.Rat, len(u))
	for r := range law {
		law[r] = new(big.Rat)
	}
	var from func(left []int, pr *big.Rat)
	from = func(left []int, pr *big.Rat) {
		for i, r := range left {
			each := rat.Quo(pr, rat.Int(len(left)))
			taken := rat.Mul(each, rat.Power(base, u[r]-best))
			law[r] = rat.Add(law[r], taken)
			if others := rat.Sub(each, taken); others.Sign() > 0 {
				from(append(append([]int(nil), left[:i]...), left[i+1:]...), others)
			}
		}
	}
	var all []int
	for r := range u {
		all = append(all, r)
	}
	from(all, rat.One)
	return law
}

// lessLikely checks that Pr[A] is a factor times e^(−cε·power).
func lessLikely(factor *big.Rat, power int) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("c in {1, …, 12}, e^ε in {21/20, 2, 100}")
		for c := 1; c <= 12; c++ {
			for _, base := range rat.List("21/20", "2", "100") {
				t.Case()
				u := []int{0, c}
				literal, fast, claimed := spec.OneSidedLaw(base, u), impl.OneSidedLaw(base, u),
					rat.Mul(factor, rat.Power(base, -c*power))
				if !rat.Equal(literal[0], claimed) || !rat.Equal(fast[0], claimed) {
					t.Refute("c = %d, e^ε = %s: Pr[A] is %s by spec, %s by impl, claimed %s", c, rat.Show(base), rat.Show(literal[0]),
						rat.Show(fast[0]), rat.Show(claimed))
				}
			}
		}
	}
}

// oneSidedIsDP checks the losses of one-sided noisy arg-max, for utilities that change by the moves: no output is more
// than share·base^power times as likely.
func oneSidedIsDP(share *big.Rat, power int, moves ...int) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("e^λ in {21/20, 2, 100}, 1 to 4 utilities of 0, 1 or 9 that change by %v", moves)
		for _, base := range rat.List("21/20", "2", "100") {
			// many changes lead to the same utilities
			most, literal := rat.Mul(share, rat.Power(base, power)), map[string][]*big.Rat{}
			for m := 1; m <= 4; m++ {
				for here := range finite.Tuples([]int{0, 1, 9}, m) {
					first := impl.OneSidedLaw(base, here)
					for change := range finite.Tuples(moves, m) {
						t.Case()
						there := make([]int, m)
						for i := range here {
							there[i] = here[i] + change[i]
						}
						second := literal[fmt.Sprint(there)]
						if second == nil {
							second = spec.OneSidedLaw(base, there)
							literal[fmt.Sprint(there)] = second
						}
						for i := range here {
							if x := rat.Max(rat.Quo(first[i], second[i]), rat.Quo(second[i], first[i])); x.Cmp(most) > 0 {
								t.Refute("e^λ = %s, utilities %v and %v: output %d is %s times as likely, claimed at most %s", rat.Show(base),
									here, there, i+1, rat.Show(x), rat.Show(most))
							} else {
								t.CloseTo(x, most, "e^λ = %s, utilities %v and %v, output %d", rat.Show(base), here, there, i+1)
							}
						}
					}
				}
			}
		}
	}
}
