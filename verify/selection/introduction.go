package selection

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// introduction are the statements of Sections 1 and 2.
func introduction() register.Checks {
	return register.Checks{
		"PSC-T1.2a": register.Checked(untilFound(rat.One),
			register.NearMiss("it is 19/10·ε_1-DP", untilFound(nearly)),
		),
		"PSC-T1.2c": register.Checked(runsUntilFound(rat.One),
			register.NearMiss("at most 19/10·K", runsUntilFound(nearly)),
		),
		"PSC-X1": register.Checked(bestOf(responseScores, rat.One),
			register.Control("it is K̃ε_1/2-DP", bestOf(responseScores, rat.Half)),
			register.NearMiss("it is (K̃ − 1)ε_1-DP", bestOf(responseScores, nil)),
		),
		"PSC-X2": register.Checked(noisyScore(rat.One),
			register.NearMiss("it is 19/20·ε-DP", noisyScore(nearly)),
		),
		"PSC-X4": register.Checked(shareOfBudget(rat.One),
			register.NearMiss("101/100 of that", shareOfBudget(rat.Of("101/100"))),
		),
	}
}

// untilFound checks what is lost without a coin and without a limit.
func untilFound(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε_1 in {11/10, 3/2, 10}, 36 ε_1-DP oracles over three samples, and 12 of the worst; thresholds at the " +
			"second and the third, which is reached")
		for _, e := range rat.List("11/10", "3/2", "10") {
			try := func(q neighbours) {
				for first := 1; first <= 2; first++ {
					if rat.Sum(q[0][first:]...).Sign() == 0 {
						continue
					}
					t.Case()
					var laws [2]samples
					for b := range q {
						found, none := impl.ThresholdingLaw(q[b], first, new(big.Rat), impl.Unlimited)
						if none.Sign() != 0 {
							t.Refute("Q = (%v): ⊥ has the probability %s", q[b], rat.Show(none))
						}
						laws[b] = found
					}
					checkLoss(t, laws, logOf(share, 2, e, new(big.Rat)), "e^ε_1 = %s, %v, the first %d below τ", rat.Show(e), q, first)
				}
			}
			for q := range pure(e) {
				try(q)
			}
			rare := rat.Of("1/1000") // two samples reach τ, of which one is as rare as the other is not
			try(respond(e, samples{rat.Complement(rare), rare, new(big.Rat)}, samples{new(big.Rat), new(big.Rat), rat.One}))
		}
	}
}

// runsUntilFound checks a share of 2K, where one of K candidates reaches τ with probability 1/2 or more, and the others
// with any.
func runsUntilFound(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("K in {1, 2, 100}, one candidate with 1/2 or 1, the others with 0, 1/3 or 1")
		for _, k := range []int{1, 2, 100} {
			for _, own := range rat.List("1/2", "1") {
				for _, others := range rat.List("0", "1/3", "1") {
					t.Case()
					p1 := rat.Quo(rat.Add(own, rat.Mul(rat.Int(k-1), others)), rat.Int(k))
					runs := impl.ThresholdingRuns(p1, new(big.Rat))
					if literal := spec.ThresholdingRuns(p1, new(big.Rat)); !rat.Equal(literal, runs) {
						t.Refute("p_1 = %s: %s by impl, %s by spec", rat.Show(p1), rat.Show(runs), rat.Show(literal))
					}
					if most := rat.Product(share, rat.Int(2*k)); runs.Cmp(most) > 0 {
						t.Refute("K = %d, probabilities %s: %s runs, claimed are at most %s", k, rat.Show(own, others), rat.Show(runs),
							rat.Show(most))
					}
					t.CloseTo(runs, rat.Int(2*k), "K = %d, probabilities %s", k, rat.Show(own, others))
				}
			}
		}
	}
}

// laplaceRatio returns the largest ratio of the densities of f + Lap(b) and f + s + Lap(b) at some places: ln of it is
// (|x − s| − |x|)/b.
func laplaceRatio(t *register.T, s, rate *big.Rat, bound *big.Rat, at string) {
	for _, x := range rat.List("-10", "-1", "0", "1/3", "1", "2", "10") {
		place := rat.Mul(x, s)
		loss := rat.Mul(rate, rat.Sub(new(big.Rat).Abs(rat.Sub(place, s)), new(big.Rat).Abs(place)))
		if loss.Abs(loss).Cmp(bound) > 0 {
			t.Refute("%s: at %s the densities are e^%s apart", at, rat.Show(place), rat.Show(loss))
		}
		t.CloseTo(loss, bound, "%s, at %s", at, rat.Show(place))
	}
}

func noisyScore(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("S in {1/100, 1, 7}, ε in {1/10, 1, 5}, scores apart by S and S/2, at {−10, −1, 0, 1/3, 1, 2, " +
			"10} times that")
		for _, s := range rat.List("1/100", "1", "7") {
			for _, eps := range rat.List("1/10", "1", "5") {
				for _, part := range rat.List("1", "1/2") {
					t.Case()
					laplaceRatio(t, rat.Mul(part, s), rat.Quo(eps, s), rat.Mul(share, eps), "S = "+rat.Show(s)+", ε = "+rat.Show(eps))
				}
			}
		}
	}
}

// shareOfBudget checks the losses at a multiple of ε_fin/2 and ε_fin/3.
func shareOfBudget(times *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("ε_fin in {1/10, 1, 3}, γ in {1/10, 1/100, 1/100000}")
		for _, eps := range rat.List("1/10", "1", "3") {
			for _, gamma := range rat.List("1/10", "1/100", "1/100000") {
				t.Case()
				for i, lost := range []interval.Interval{
					impl.ThresholdingLoss(loss.Nats(rat.Product(times, rat.Half, eps)), gamma, impl.Unlimited),
					impl.RandomStoppingLoss(loss.Nats(rat.Product(times, rat.Of("1/3"), eps)), gamma),
				} {
					rising(lost, exactly(eps)).check(t, precise.Int(1), "ε_fin = %s, γ = %s, 1/%d of it", rat.Show(eps),
						rat.Show(gamma), 2+i)
				}
			}
		}
	}
}
