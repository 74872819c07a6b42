package selection

import (
	"fmt"
	"math/big"

	"checkrr/impl/selection"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// applications are the statements of Section 5.
func applications() register.Checks {
	return register.Checks{
		"PSC-L5.1a": tight(validated, "19/20", "it is 19/20·ε_2-DP"),
		"PSC-L5.1b": tight(mixtures, "19/20", "with 19/20 of that"),
		"PSC-L5.1c": tight(mixtures, "19/20", "with 19/20·δ_1"),
		"PSC-T5.2a": mended(reachesBest(rat.One), reachesBest(rat.Half), "with γ = β/(2K)", "19/20",
			"with γ = β/(2K), 19/20·β"),
		"PSC-T5.2c": mended(cutLaplace(false), cutLaplace(true), "for e^ε ≤ 3 − 2δ", "19/20",
			"for e^ε ≤ 3 − 2δ, with 19/20·δ"),
	}
}

// validated checks mixtures of two Laplace laws of which the means move by 1/n or less, at some places.
func validated(t *register.T, share *big.Rat) {
	for law := range oracles(2, 3) {
		for at, v := range finite.Grid(t, "two models with probabilities in multiples of 1/3, n in {1, 100}, ε_2 in {1/10, "+
			"2}; scores that move by a/n and b/n, a and b in {−1, 0, 1}, at x/n, x in {−3, −1, 0, 1/2, 1, 3}") {
			t.Case()
			density := func(moves ...*big.Rat) (sum any) { // of the mixture
				sum = 0
				for model, p := range law {
					center := rat.Add(rat.Int(3*model), moves[model])
					sum = add(sum, mul(p, exp(rat.Product(rat.Of("-1"), v[1], new(big.Rat).Abs(rat.Sub(v[4], center))))))
				}
				return sum
			}
			rising(t, fmt.Sprintf("models with %v, %s", law, at), abs(ln(quo(density(rat.List("0", "0")...), density(v[2],
				v[3])))),
				add(mul(share, v[1]), "1e-30"))
		}
	}
}

// reachesBest checks a share of β where a run reaches the target with probability 1/(2K).
func reachesBest(coin *big.Rat) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, "K in {2, 10, 1000}, β in {1/1000, 1/10, 1/2}") {
			t.Case()
			gamma := rat.Quo(rat.Mul(coin, x[1]), x[0])
			within(t, at+", γ = "+rat.Show(gamma), "the probability to fail",
				selection.NoneAbove(rat.Complement(rat.Quo(rat.Half, x[0])), gamma, selection.Unlimited), share, x[1])
		}
	}
}

// cutLaplace checks the least δ for a score that moves by s: of what one law gives beyond the end of the other.
func cutLaplace(isBounded bool) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, "ε in {1/10, 1/2, 9/10, 99/100}, δ in {1/1000000, 1/10, 6/25}; scores that move "+
			"by s, at seven places between the ends, and beyond") {
			e, delta := exp(x[0]), x[1]
			if isBounded && e.Upper.Cmp(sub(3, mul(2, delta)).Lower) > 0 {
				continue
			}
			t.Case()
			// Pr[x > end − s] for the noise alone: (δe^ε − δ)/(2(1 − δ)); where both laws are, they are within e^ε.
			rising(t, at, quo(mul(delta, sub(e, 1)), mul(2, sub(1, delta))), mul(share, delta))
			laplaceRatio(t, at+", between the ends", rat.One, x[0], rat.One, x[0])
		}
	}
}
