package basics

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lawOfOneSided checks that the law of one-sided noisy arg-max is the claimed one.
func lawOfOneSided(t *register.T, claimed func(base *big.Rat, u []int) []*big.Rat) {
	t.Domain("e^(ε/(2Δu)) in {3/2, 2, 3}, 1 to 4 outputs with utilities 0, 1, 2; the exponential mechanism by impl for " +
		"e^(ε/2) of these, and 0, 1, 2 times Δu in {1, 1/4}")
	for u := range finite.Lists([]int{0, 1, 2}, 1, 4) {
		for _, base := range rat.List("3/2", "2", "3") {
			t.At("e^(ε/(2Δu)) = %s, utilities %v", base, u)
			lawOf(t, base, u)
			want, fast := claimed(base, u), impl.OneSidedLaw(base, u)
			for r, p := range spec.OneSidedLaw(base, u) {
				t.Require(rat.Equal(p, want[r]) && rat.Equal(fast[r], p),
					"output %d has the probability %s, by impl %s, claimed %s", r, p, fast[r], want[r])
			}
		}
	}
}

// permuteAndFlip takes a random output of those left and returns it with probability base^(u_r − OPT); if not, it is
// left out.
func permuteAndFlip(base *big.Rat, u []int) []*big.Rat {
	best, law := slices.Max(u), rats(make([]int, len(u))...)
	var from func(left []int, pr *big.Rat)
	from = func(left []int, pr *big.Rat) {
		for i, r := range left {
			each := rat.Quo(pr, rat.Int(len(left)))
			taken := rat.Mul(each, rat.Power(base, u[r]-best))
			law[r] = rat.Add(law[r], taken)
			if others := rat.Sub(each, taken); others.Sign() > 0 {
				from(slices.Delete(slices.Clone(left), i, i+1), others)
			}
		}
	}
	from(append([]int{0}, oneTo(len(u)-1)...), rat.One)
	return law
}

// lessLikely checks that Pr[A] is a factor times e^(−cε).
func lessLikely(t *register.T, factor *big.Rat) {
	t.AlsoDomain("c in {1, …, 12}, e^ε in {21/20, 2, 100}")
	finite.Each2(oneTo(12), rat.List("21/20", "2", "100"), func(c int, base *big.Rat) {
		t.Case()
		literal, fast := spec.OneSidedLaw(base, []int{0, c})[0], impl.OneSidedLaw(base, []int{0, c})[0]
		claimed := rat.Mul(factor, rat.Power(base, -c))
		t.Require(rat.Equal(literal, claimed) && rat.Equal(fast, claimed), "c = %d, e^ε = %s: Pr[A] is %s by spec, %s by "+
			"impl, claimed %s", c, base, literal, fast, claimed)
	})
}

// oneSidedIsDP checks the losses of one-sided noisy arg-max, for utilities that change by the moves: no output is more
// than share·base^power times as likely.
func oneSidedIsDP(share *big.Rat, power int, moves ...int) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("e^λ in {21/20, 2, 100}, 1 to 4 utilities of 0, 1 or 9 that change by %v", moves)
		for _, base := range rat.List("21/20", "2", "100") {
			// many changes lead to the same utilities
			most, literal := rat.Mul(share, rat.Power(base, power)), map[string][]*big.Rat{}
			for here := range finite.Lists([]int{0, 1, 9}, 1, 4) {
				first := impl.OneSidedLaw(base, here)
				for change := range finite.Tuples(moves, len(here)) {
					there := changed(here, change)
					t.At("e^λ = %s, utilities %v and %v", base, here, there)
					second := literal[fmt.Sprint(there)]
					if second == nil {
						second = spec.OneSidedLaw(base, there)
						literal[fmt.Sprint(there)] = second
					}
					for i := range here {
						x := rat.Max(rat.Quo(first[i], second[i]), rat.Quo(second[i], first[i]))
						t.Require(x.Cmp(most) <= 0, "output %d is %s times as likely, claimed at most %s", i+1, x, most)
						t.CloseTo(x, most, "output %d", i+1)
					}
				}
			}
		}
	}
}
