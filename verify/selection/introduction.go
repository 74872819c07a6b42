package selection

import (
	"fmt"
	"math/big"

	"checkrr/impl/loss"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// introduction are the statements of Sections 1 and 2.
func introduction() register.Checks {
	return register.Checks{
		"PSC-T1.2a": tight(withoutLimit, "19/20", "it is 19/10·ε_1-DP"),
		"PSC-T1.2c": tight(runsUntilFound, "19/20", "at most 19/10·K"),
		"PSC-X1": register.Checked(bestOf(responseScores, 0),
			register.NearMiss("it is (K̃ − 1)ε_1-DP", bestOf(responseScores, 1))),
		"PSC-X2": tight(noisyScore, "19/20", "it is 19/20·ε-DP"),
		"PSC-X4": tight(shareOfBudget, "101/100", "101/100 of that"),
	}
}

// runsUntilFound checks a share of 2K, where one of K candidates reaches τ with probability 1/2 or more, and the others
// with any.
func runsUntilFound(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "K in {1, 2, 100}, one candidate with p in {1/2, 1}, the others with q in "+
		"{0, 1/3, 1}") {
		t.Case()
		p1 := rat.Quo(rat.Add(x[1], rat.Mul(rat.Sub(x[0], rat.One), x[2])), x[0])
		runs := same(t, at, spec.ThresholdingRuns(p1, new(big.Rat)), selection.ThresholdingRuns(p1, new(big.Rat)))
		within(t, at, "the number of runs", runs, share, rat.Twice(x[0]))
	}
}

// laplaceRatio checks the largest ratio of the densities of f + Lap(b) and f + s + Lap(b) at some places: ln of it is
// (|x − s| − |x|)/b.
func laplaceRatio(t *register.T, at string, s, rate, share, bound *big.Rat) {
	for _, x := range rat.List("-10", "-1", "0", "1/3", "1", "2", "10") {
		place := rat.Mul(x, s)
		lost := rat.Mul(rate, rat.Sub(new(big.Rat).Abs(rat.Sub(place, s)), new(big.Rat).Abs(place)))
		within(t, fmt.Sprintf("%s, at %s", at, rat.Show(place)), "ln of the ratio of densities", lost.Abs(lost), share, bound)
	}
}

func noisyScore(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "S in {1/100, 1, 7}, ε in {1/10, 1, 5}, scores apart by s, s/S in {1, 1/2}, at "+
		"−10, −1, 0, 1/3, 1, 2, 10 times that") {
		t.Case()
		laplaceRatio(t, at, rat.Mul(x[2], x[0]), rat.Quo(x[1], x[0]), share, x[1])
	}
}

// shareOfBudget checks the losses at a multiple of ε_fin/2 and ε_fin/3.
func shareOfBudget(t *register.T, times *big.Rat) {
	for at, x := range finite.Grid(t, "ε_fin in {1/10, 1, 3}, γ in {1/10, 1/100, 1/100000}") {
		t.Case()
		part := func(n int) loss.Epsilon { return loss.Nats(rat.Product(times, big.NewRat(1, int64(n)), x[0])) }
		rising(t, at+", 1/2 of it", selection.ThresholdingLoss(part(2), x[1], selection.Unlimited), x[0])
		rising(t, at+", 1/3 of it", selection.RandomStoppingLoss(part(3), x[1]), x[0])
	}
}
