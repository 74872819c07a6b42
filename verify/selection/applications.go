package selection

import (
	"math/big"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// applications are the statements of Section 5.
func applications() register.Checks {
	return register.Checks{
		"PSC-L5.1a": register.Checked(validated(rat.One),
			register.NearMiss("it is 19/20·ε_2-DP", validated(nearly)),
		),
		"PSC-L5.1b": register.Checked(mixtures(rat.One),
			register.NearMiss("with 19/20 of that", mixtures(nearly)),
		),
		"PSC-L5.1c": register.Checked(mixtures(rat.One),
			register.NearMiss("with 19/20·δ_1", mixtures(nearly)),
		),
		"PSC-T5.2a": register.Checked(reachesBest(rat.One, rat.One),
			register.NearMiss("with γ = β/(2K), 19/20·β", reachesBest(rat.Half, nearly)),
			register.Corrected("with γ = β/(2K)", reachesBest(rat.Half, rat.One)),
		),
		"PSC-T5.2c": register.Checked(cutLaplace(false, rat.One),
			register.NearMiss("for e^ε ≤ 3 − 2δ, with 19/20·δ", cutLaplace(true, nearly)),
			register.Corrected("for e^ε ≤ 3 − 2δ", cutLaplace(true, rat.One)),
		),
	}
}

// validated checks mixtures of two Laplace laws of which the means move by 1/n or less, at some places.
func validated(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("two models with probabilities in multiples of 1/3, n in {1, 100}, ε_2 in {1/10, 2}; scores that move by " +
			"{−1, 0, 1}/n, at {−3, −1, 0, 1/2, 1, 3}/n")
		for law := range oracles(2, 3) {
			for _, n := range []int{1, 100} {
				for _, eps := range rat.List("1/10", "2") {
					for moves := range finite.Tuples([]int{-1, 0, 1}, 2) {
						for _, x := range rat.List("-3", "-1", "0", "1/2", "1", "3") {
							t.Case()
							rate := rat.Mul(rat.Int(n), eps)
							density := func(model, move int) (sum *big.Rat) { // the exponent of e
								center := big.NewRat(int64(3*model+move), int64(n))
								return new(big.Rat).Neg(rat.Mul(rate, new(big.Rat).Abs(rat.Sub(rat.Quo(x, rat.Int(n)), center))))
							}
							on, off := precise.Int(0), precise.Int(0)
							for model, p := range law {
								on = precise.Add(on, precise.Mul(exactly(p), precise.ExpRat(density(model, 0))))
								off = precise.Add(off, precise.Mul(exactly(p), precise.ExpRat(density(model, moves[model]))))
							}
							lost := abs(precise.LogOf(precise.Quo(on, off)))
							rising(lost, precise.Add(exactly(rat.Mul(share, eps)), precise.Rat(rat.Of("1e-30")))).check(t, precise.Int(1),
								"models with %v, n = %d, ε_2 = %s, moves %v, at %s/n", law, n, rat.Show(eps), moves, rat.Show(x))
						}
					}
				}
			}
		}
	}
}

// reachesBest checks a share of β where a run reaches the target with probability 1/(2K).
func reachesBest(coin, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("K in {2, 10, 1000}, β in {1/1000, 1/10, 1/2}")
		for _, k := range []int{2, 10, 1000} {
			for _, beta := range rat.List("1/1000", "1/10", "1/2") {
				t.Case()
				gamma := rat.Quo(rat.Mul(coin, beta), rat.Int(k))
				fails := impl.NoneAbove(rat.Complement(big.NewRat(1, int64(2*k))), gamma, impl.Unlimited)
				if fails.Cmp(rat.Mul(share, beta)) > 0 {
					t.Refute("K = %d, β = %s, γ = %s: it fails with probability %s", k, rat.Show(beta), rat.Show(gamma),
						rat.Show(fails))
				}
				t.CloseTo(fails, beta, "K = %d, β = %s", k, rat.Show(beta))
			}
		}
	}
}

// cutLaplace checks the least δ for a score that moves by s: of what one law gives beyond the end of the other.
func cutLaplace(isBounded bool, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/10, 1/2, 9/10, 99/100}, δ in {1/1000000, 1/10, 6/25}; scores that move by s, at seven places " +
			"between the ends, and beyond")
		for _, eps := range rat.List("1/10", "1/2", "9/10", "99/100") {
			for _, delta := range rat.List("1/1000000", "1/10", "6/25") {
				if isBounded && precise.ExpRat(eps).Upper.Cmp(exactly(rat.Sub(rat.Int(3), rat.Twice(delta))).Lower) > 0 {
					continue
				}
				t.Case()
				e := precise.ExpRat(eps)
				// Pr[x > end − s] for the noise alone: (δe^ε − δ)/(2(1 − δ)); where both laws are, they are within e^ε.
				outside := precise.Quo(precise.Mul(exactly(delta), precise.Sub(e, precise.Int(1))),
					exactly(rat.Twice(rat.Complement(delta))))
				rising(outside, exactly(rat.Mul(share, delta))).check(t, precise.Int(1), "ε = %s, δ = %s", rat.Show(eps),
					rat.Show(delta))
				laplaceRatio(t, rat.One, eps, eps, "ε = "+rat.Show(eps)+", between the ends")
			}
		}
	}
}
