package basics

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// numericSparses are the statements of Section 3.6 on NumericSparse, and of Section 3.7.
func numericSparses() register.Checks {
	atZero, all := rat.List("0"), rat.List("0", "1e-6", "1/2")
	return register.Checks{
		"AFD-A3": register.Checked(register.All(register.With2(sparseTwins, numericSparse, variant{}), scalesAgree),
			register.Control("ν_i is released for v_i", register.With2(sparseTwins, numericSparse, variant{same: true})),
			register.NearMiss("T̂ is not drawn again", register.With2(sparseTwins, numericSparse, variant{keep: true})),
			register.NearMiss("v_i ~ Lap(1.05·σ(ε_2))", register.With2(sparseTwins, numericSparse, variant{value: 0.05})),
		),
		"AFD-T3.27": register.Checked(register.With2(roundsLeak, numericScales, hugeCases),
			register.AlsoHolds("for δ = 0", register.With2(addsUp, numericParts, 1)),
			register.NearMiss("for δ = 0 it is 0.999·ε-DP", register.With2(addsUp, numericParts, 0.999)),
			register.NearMiss("where ε is at most 8 ln(2/δ), a fifth of the noise is enough", register.With3(compose, numericParts, "1/5", 8)),
			register.Corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)", register.All(register.With3(compose, numericParts,
				"1", 8), register.With2(addsUp, numericParts, 1))),
		),
		"AFD-T3.28": register.Checked(
			register.All(register.With2(leastOf, impl.ExactNumericSparseAccuracy, impl.NumericSparseFailure),
				register.With(isAccurate, numericAccuracy("1", all, false))),
			register.AlsoHolds("for δ = 0", register.With(isAccurate, numericAccuracy("1", atZero, false))),
			register.NearMiss("half of α for δ = 0", register.With(isAccurate, numericAccuracy("1/2", atZero, false))),
			register.NearMiss("the worst answers fail 1.0001 times as often", register.With2(worstAnswers, true, 1.0001)),
			register.Corrected("with the larger of ln k + ln(4c/β) and √8·ln(2c/β), if δ > 0",
				register.All(register.With(isAccurate, numericAccuracy("1", all, true)), register.With2(worstAnswers, true, 1))),
		),
	}
}

// scalesAgree checks the scales of NumericSparse in both rooms.
func scalesAgree(t *register.T) {
	t.AlsoDomain("the scales for c in {1, 7}, ε in {1/3, 2}, δ in {0, 1e-9, 9/10}")
	finite.Each3([]int{1, 7}, rat.List("1/3", "2"), rat.List("0", "1e-9", "9/10"), func(c int, eps, delta *big.Rat) {
		t.Case()
		numericScales(t, c, eps, delta, 1e-12)
	})
}

// numericAccuracy has a share of the printed α or, corrected and if δ > 0, the larger of that and σ(ε_2)·ln(2c/β).
func numericAccuracy(share string, deltas []*big.Rat, isCorrected bool) accuracy {
	return accuracy{deltas, 5, func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval {
		alpha := impl.NumericSparseAccuracy(k, c, beta, eps, delta)
		isAbout(t, "α", alpha, spec.NumericSparseAccuracy(k, c, rat.Float64(beta), rat.Float64(eps), rat.Float64(delta)))
		scales := numericScales(t, c, eps, delta, 1e-12)
		if isCorrected && delta.Sign() > 0 {
			alpha = interval.Max(alpha, precise.Mul(scales[1], precise.Log(rat.Quo(rat.Int(2*c), beta))))
		}
		return times(alpha, rat.Of(share))
	}, impl.NumericSparseFailure}
}
