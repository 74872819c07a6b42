package selection

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// introduction are the statements of Sections 1 and 2, and of the applications in Section 5.
func introduction() register.Checks {
	return register.Checks{
		"PSC-T1.2a": tight(withoutLimit, "19/20", "it is 19/10·ε_1-DP"),
		"PSC-T1.2b": checked(finite.With(isReached, 0), near("q̃ > τ", finite.With(isReached, 1))),
		"PSC-T1.2c": tight(runsUntilFound(), "19/20", "at most 19/10·K"),
		"PSC-X1":    checked(bestOf(responseScores, 0), near("it is (K̃ − 1)ε_1-DP", bestOf(responseScores, 1))),
		"PSC-X2":    tight(noisyScore(), "19/20", "it is 19/20·ε-DP"),
		"PSC-X4":    tight(shareOfBudget(), "101/100", "101/100 of that"),
		"PSC-L5.1a": tight(validated, "19/20", "it is 19/20·ε_2-DP"),
		"PSC-L5.1b": tight(mixtures, "19/20", "with 19/20 of that"),
		"PSC-L5.1c": tight(mixtures, "19/20", "with 19/20·δ_1"),
	}
}

// runsUntilFound checks a share of 2K, where one of K candidates reaches τ with probability 1/2 or more, and the others
// with any.
var runsUntilFound = on("K in {1, 2, 100}, one candidate with p in {1/2, 1}, the others with q in {0, 1/3, 1}",
	func(t *register.T, share, k, p, q *big.Rat) {
		p1 := rat.Quo(rat.Add(p, rat.Mul(rat.Sub(k, rat.One), q)), k)
		runs := same(t, "the number", spec.ThresholdingRuns(p1, new(big.Rat)),
			selection.ThresholdingRuns(p1, new(big.Rat)))
		within(t, "the number of runs", runs, share, rat.Twice(k))
	})

// laplaceRatio checks the largest ratio of the densities of f + Lap(b) and f + s + Lap(b) at some places: ln of it is
// (|x − s| − |x|)/b.
func laplaceRatio(t *register.T, s, rate, share, bound *big.Rat) {
	for _, x := range rat.List("-10", "-1", "0", "1/3", "1", "2", "10") {
		place := rat.Mul(x, s)
		lost := rat.Mul(rate, rat.Sub(new(big.Rat).Abs(rat.Sub(place, s)), new(big.Rat).Abs(place)))
		t.In("at %s", place)
		within(t, "ln of the ratio of densities", lost.Abs(lost), share, bound)
	}
}

var noisyScore = on("S in {1/100, 1, 7}, ε in {1/10, 1, 5}, scores apart by s, s/S in {1, 1/2}, "+
	"at −10, −1, 0, 1/3, 1, 2, 10 times that",
	func(t *register.T, share, s, eps, apart *big.Rat) {
		laplaceRatio(t, rat.Mul(apart, s), rat.Quo(eps, s), share, eps)
	})

// shareOfBudget checks the losses at a multiple of ε_fin/2 and ε_fin/3.
var shareOfBudget = on("ε_fin in {1/10, 1, 3}, γ in {1/10, 1/100, 1/100000}",
	func(t *register.T, times, eps, gamma *big.Rat) {
		part := func(n int) loss.Epsilon { return loss.Nats(rat.Product(times, big.NewRat(1, int64(n)), eps)) }
		rising(t, selection.ThresholdingLoss(part(2), gamma, selection.Unlimited), eps)
		rising(t, selection.RandomStoppingLoss(part(3), gamma), eps)
	})

// validated checks mixtures of two Laplace laws of which the means move by 1/n or less, at some places.
func validated(t *register.T, share *big.Rat) {
	finite.Each(t, "two models with probabilities in multiples of 1/3, n in {1, 100}, ε_2 in {1/10, 2}; "+
		"scores that move by a/n and b/n, a and b in {−1, 0, 1}, at x/n, x in {−3, −1, 0, 1/2, 1, 3}",
		func(at string, _, eps, a, b, x *big.Rat) {
			for _, law := range oracles(2, 3) {
				t.At("models with %s, %s", law, at)
				density := func(moves ...*big.Rat) (sum interval.Interval) { // of the mixture
					sum = num(0)
					for model, p := range law {
						far := rat.Sub(x, rat.Add(rat.Int(3*model), moves[model]))
						sum = add(sum, mul(p, exp(rat.Product(rat.Of("-1"), eps, far.Abs(far)))))
					}
					return sum
				}
				rising(t, abs(ln(quo(density(new(big.Rat), new(big.Rat)), density(a, b)))),
					add(mul(share, eps), "1e-30"))
			}
		})
}
