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
func numericSparses() []register.Statement {
	return []register.Statement{
		{
			ID: "AFD-A3", Title: "NumericSparse: Sparse with ε_1, and f_i(D) + Lap(σ(ε_2)) for ⊤",
			Printed: "Section 3.6, Algorithm 3", Reading: algorithmHolds,
			Kind: register.Property, Verdict: register.Holds, In: []string{"spec.NumericSparse", "impl.NumericSparse", "impl.NumericSparseRun", "spec.NumericSparseScales", "impl.NumericSparseScales"},
			Check:    register.All(sparseTwins(numericSparse, variant{}), scalesAgree),
			Controls: []register.Claim{{Says: "ν_i is released for v_i", Check: sparseTwins(numericSparse, variant{same: true})}},
			Near: []register.Claim{
				{Says: "T̂ is not drawn again", Check: sparseTwins(numericSparse, variant{keep: true})},
				{Says: "v_i ~ Lap(1.05·σ(ε_2))", Check: sparseTwins(numericSparse, variant{value: 0.05})},
			},
		},
		{
			ID: "AFD-T3.27", Title: "NumericSparse is (ε, δ)-DP",
			Printed: "Section 3.6, Theorem 3.27: Sparse with (8/9)ε and a Laplace mechanism with (1/9)ε if δ = 0; else with √512/(√512 + 1)·ε and 1/(√512 + 1)·ε, δ/2 each",
			Kind:    register.Certified, Verdict: register.Fails, Weight: register.Edge,
			Note:     "As for Theorem 3.25, with ln(2/δ), so for huge ε and c only. That σ(ε_2) is the scale for half of ε_2 makes the parts add up to ε, though ε_1 + ε_2 is more. In the proof for δ > 0, NumericSparse(…, 0) is printed for δ.",
			In:       []string{"spec.NumericSparseScales", "impl.NumericSparseScales"},
			Check:    roundsLeak(2, numericRounds, hugeCases),
			Readings: []register.Reading{{Claim: register.Claim{Says: "for δ = 0", Check: addsUp(numericRound, rat.One)}, Verdict: register.Holds}},
			Near: []register.Claim{
				{Says: "for δ = 0 it is 0.999·ε-DP", Check: addsUp(numericRound, rat.Of("0.999"))},
				{Says: "where ε is at most 8 ln(2/δ), a fifth of the noise is enough", Check: compose(numericParts(rat.Of("1/5")), bounded(8))},
			},
			Corrected: &register.Claim{Says: "if δ = 0, or ε or c is at most 8 ln(1/δ)", Check: register.All(compose(numericParts(rat.One), bounded(8)), addsUp(numericRound, rat.One))},
		},
		notation("AFD-D3.10", "Numeric (α, β)-accuracy: but with probability β, no halt before f_k, |f_i(D) − a_i| ≤ α for numbers, and f_i(D) ≤ T + α for ⊥", "Section 3.6, Definition 3.10"),
		{
			ID: "AFD-T3.28", Title: "k queries of which at most c are at least T − α: NumericSparse is (α, β)-accurate for α = (ln k + ln(4c/β))·√(c ln(2/δ))·(√512 + 1)/ε, or 9c(ln k + ln(4c/β))/ε if δ = 0",
			Printed: "Section 3.6, Theorem 3.28, for L(T) = |{i : f_i(D) ≥ T − α}| ≤ c",
			Reading: "That it halts at the c-th number is allowed (AFD-T3.26). A number for an answer below T − α counts as a failure, as for AFD-D3.9, however accurate it is.",
			Kind:    register.Certified, Verdict: register.Fails, Weight: register.False,
			Note: "For δ > 0 the noise of the numbers is too large for this α: α/σ(ε_2) = (ln k + ln(4c/β))/√8, so a number is off by more than α with probability (β/(4ck))^0.354. With √8·ln(2c/β) for ln k + ln(4c/β), where that is more, it holds. " +
				"It is wrong for ordinary numbers, too: for k = 1000, c = 10, β = 0.05, ε = 1 and δ = 1e-6 it allows 3868, and 4247 is needed. For δ = 0 it holds.",
			In:       []string{"spec.NumericSparseAccuracy", "impl.NumericSparseAccuracy", "impl.NumericSparseFailure", "impl.ExactNumericSparseAccuracy", "spec.NumericSparseScales", "impl.NumericSparseScales"},
			Check:    register.All(leastOf(impl.ExactNumericSparseAccuracy, impl.NumericSparseFailure), isAccurate(numericAccuracy(rat.One, rat.List("0", "1e-6", "1/2")))),
			Readings: []register.Reading{{Claim: register.Claim{Says: "for δ = 0", Check: isAccurate(numericAccuracy(rat.One, rat.List("0")))}, Verdict: register.Holds}},
			Near: []register.Claim{
				{Says: "half of α for δ = 0", Check: isAccurate(numericAccuracy(rat.Half, rat.List("0")))},
				{Says: "the worst answers fail 1.0001 times as often", Check: worstAnswers(true, 1.0001)},
			},
			Corrected: &register.Claim{Says: "with the larger of ln k + ln(4c/β) and √8·ln(2c/β), if δ > 0", Check: register.All(isAccurate(numericCorrected), worstAnswers(true, 1))},
		},
		opinion("AFD-X21", "The error is that of the Laplace mechanism with the large queries known, up to constants and a factor log k", "Section 3.6, after Theorem 3.28",
			"It leaves the constants open. By Theorem 3.28 for δ = 0 the error is 9(ln k + ln(4c/β))/ln(c/β) times that of c Laplace answers (AFD-T3.8)."),
		opinion("AFD-X22", "Earlier arguments: under k-fold composition the privacy parameter need only deteriorate like √k, for k < 1/ε²", "Section 3.7",
			"History, and an order of growth without a constant; what is proved is AFD-T3.20."),
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
