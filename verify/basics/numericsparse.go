package basics

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// numericSparses are the statements of Section 3.6 on NumericSparse, and of Section 3.7.
func numericSparses() register.Checks {
	return register.Checks{
		"AFD-A3": register.Checked(register.All(sparseTwins(numericSparse, variant{}), scalesAgree),
			register.Control("ν_i is released for v_i", sparseTwins(numericSparse, variant{same: true})),
			register.NearMiss("T̂ is not drawn again", sparseTwins(numericSparse, variant{keep: true})),
			register.NearMiss("v_i ~ Lap(1.05·σ(ε_2))", sparseTwins(numericSparse, variant{value: 0.05})),
		),
		"AFD-T3.27": register.Checked(roundsLeak(2, numericRounds, hugeCases),
			register.AlsoHolds("for δ = 0", addsUp(numericRound, rat.One)),
			register.NearMiss("for δ = 0 it is 0.999·ε-DP", addsUp(numericRound, rat.Of("0.999"))),
			register.NearMiss("where ε is at most 8 ln(2/δ), a fifth of the noise is enough",
				compose(numericParts(rat.Of("1/5")), bounded(8))),
			register.Corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)",
				register.All(compose(numericParts(rat.One), bounded(8)), addsUp(numericRound, rat.One))),
		),
		"AFD-T3.28": register.Checked(
			register.All(leastOf(impl.ExactNumericSparseAccuracy, impl.NumericSparseFailure),
				isAccurate(numericAccuracy(rat.One, rat.List("0", "1e-6", "1/2")))),
			register.AlsoHolds("for δ = 0", isAccurate(numericAccuracy(rat.One, rat.List("0")))),
			register.NearMiss("half of α for δ = 0", isAccurate(numericAccuracy(rat.Half, rat.List("0")))),
			register.NearMiss("the worst answers fail 1.0001 times as often", worstAnswers(true, 1.0001)),
			register.Corrected("with the larger of ln k + ln(4c/β) and √8·ln(2c/β), if δ > 0",
				register.All(isAccurate(numericCorrected), worstAnswers(true, 1))),
		),
	}
}

// scalesAgree checks the scales of NumericSparse in both rooms.
func scalesAgree(t *register.T) {
	t.AlsoDomain("the scales for c in {1, 7}, ε in {1/3, 2}, δ in {0, 1e-9, 9/10}")
	for _, c := range []int{1, 7} {
		for _, eps := range rat.List("1/3", "2") {
			for _, delta := range rat.List("0", "1e-9", "9/10") {
				t.Case()
				first, second := impl.NumericSparseScales(c, eps, delta)
				a, b := spec.NumericSparseScales(c, rat.Float64(eps), rat.Float64(delta))
				isAbout(t, "σ(ε_1)", first, a)
				isAbout(t, "σ(ε_2)", second, b)
			}
		}
	}
}

func numericAccuracy(share *big.Rat, deltas []*big.Rat) accuracy {
	return accuracy{deltas, 5, func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval {
		alpha := impl.NumericSparseAccuracy(k, c, beta, eps, delta)
		isAbout(t, "α", alpha, spec.NumericSparseAccuracy(k, c, rat.Float64(beta), rat.Float64(eps), rat.Float64(delta)))
		first, second := impl.NumericSparseScales(c, eps, delta)
		a, b := spec.NumericSparseScales(c, rat.Float64(eps), rat.Float64(delta))
		isAbout(t, "σ(ε_1)", first, a)
		isAbout(t, "σ(ε_2)", second, b)
		return times(alpha, share)
	}, impl.NumericSparseFailure}
}

// numericCorrected has the larger of the printed α and σ(ε_2)·ln(2c/β), if δ > 0.
var numericCorrected = func() accuracy {
	a := numericAccuracy(rat.One, rat.List("0", "1e-6", "1/2"))
	printed := a.alpha
	a.alpha = func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval {
		alpha := printed(t, k, c, beta, eps, delta)
		if delta.Sign() == 0 {
			return alpha
		}
		_, second := impl.NumericSparseScales(c, eps, delta)
		return interval.Max(alpha, precise.Mul(second, precise.Log(rat.Quo(rat.Int(2*c), beta))))
	}
	return a
}()
