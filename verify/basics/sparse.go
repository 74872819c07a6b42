package basics

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sparse are the statements of Section 3.6 on Sparse and NumericSparse, and of Section 3.7.
func sparse() register.Checks {
	anyDelta := "0, 1e-6, 1/2"
	return register.Checks{
		"AFD-A2": checked(with(sparseTwins, sparseProgram, variant{}),
			control("T̂ is not drawn again", with(sparseTwins, sparseProgram, variant{keep: true})),
			near("⊤ if f_i(D) + ν_i > T̂", with(sparseTwins, sparseProgram, variant{strict: true})),
			near("until c + 1 times ⊤", with(sparseTwins, sparseProgram, variant{extra: 1})),
			near("T̂ = T + Lap(1.05·σ)", with(sparseTwins, sparseProgram, variant{noise: 0.05}))),
		"AFD-T3.25": checked(
			all(addsUp(sparseParts, 1), with(roundsLeak, sparseScales, edgeCases)),
			alsoHolds("for δ = 0", addsUp(sparseParts, 1)),
			alsoFails(register.ProofStep,
				"c mechanisms that are ε/√(8c ln(1/δ))-DP are together (ε, δ)-DP, for δ of at most 1/1000",
				compose(sparseParts, "1", 0)),
			near("where ε or c is at most 8 ln(1/δ), a fifth of σ is enough", compose(sparseParts, "1/5", 8)),
			near("for δ = 0 it is 0.999·ε-DP", addsUp(sparseParts, 0.999)),
			corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)", all(compose(sparseParts, "1", 8), addsUp(sparseParts, 1)))),
		"AFD-X20": checked(runsAddUp(1), near("19/20 of that", runsAddUp(0.95))),
		"AFD-T3.26": checked(haltsEarly,
			near("9/20 of α, if it may halt at the c-th ⊤", with(isAccurate, sparseAccuracy("9/20"))),
			near("the worst answers fail 1.0001 times as often", with(worstAnswers, false, 1.0001)),
			corrected("if it may halt at the c-th ⊤", all(with(leastOf, impl.ExactSparseAccuracy,
				impl.SparseFailure), with(isAccurate, sparseAccuracy("1")), with(worstAnswers, false, 1), rarely()))),
		"AFD-A3": checked(all(with(sparseTwins, numericSparse, variant{}), scalesAgree()),
			control("ν_i is released for v_i", with(sparseTwins, numericSparse, variant{same: true})),
			near("T̂ is not drawn again", with(sparseTwins, numericSparse, variant{keep: true})),
			near("v_i ~ Lap(1.05·σ(ε_2))", with(sparseTwins, numericSparse, variant{value: 0.05}))),
		"AFD-T3.27": checked(with(roundsLeak, numericScales, hugeCases),
			alsoHolds("for δ = 0", addsUp(numericParts, 1)),
			near("for δ = 0 it is 0.999·ε-DP", addsUp(numericParts, 0.999)),
			near("where ε is at most 8 ln(2/δ), a fifth of the noise is enough", compose(numericParts, "1/5", 8)),
			corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)", all(compose(numericParts, "1", 8), addsUp(numericParts, 1)))),
		"AFD-T3.28": checked(
			all(with(leastOf, impl.ExactNumericSparseAccuracy, impl.NumericSparseFailure),
				with(isAccurate, numericAccuracy("1", anyDelta, false))),
			alsoHolds("for δ = 0", with(isAccurate, numericAccuracy("1", "0", false))),
			near("half of α for δ = 0", with(isAccurate, numericAccuracy("1/2", "0", false))),
			near("the worst answers fail 1.0001 times as often", with(worstAnswers, true, 1.0001)),
			corrected("with the larger of ln k + ln(4c/β) and √8·ln(2c/β), if δ > 0",
				all(with(isAccurate, numericAccuracy("1", anyDelta, true)), with(worstAnswers, true, 1)))),
	}
}

// scalesAgree checks the scales of NumericSparse in both rooms.
var scalesAgree = on("the scales for c in {1, 7}, ε in {1/3, 2}, δ in {0, 1e-9, 9/10}",
	func(t *register.T, c int, eps, delta *big.Rat) {
		numericScales(t, c, eps, delta, 1e-12)
	})

// noiseScales are the scales of an algorithm, which the rooms must have to a width: of the thresholds, and of the
// numbers that are released, if any are.
type noiseScales func(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval

func sparseScales(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval {
	sigma := impl.SparseScale(c, eps, delta)
	isWithin(t, "σ", sigma, spec.SparseScale(c, rat.Float64(eps), rat.Float64(delta)), width)
	return []interval.Interval{sigma}
}

func numericScales(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval {
	first, second := impl.NumericSparseScales(c, eps, delta)
	a, b := spec.NumericSparseScales(c, rat.Float64(eps), rat.Float64(delta))
	isWithin(t, "σ(ε_1)", first, a, width)
	isWithin(t, "σ(ε_2)", second, b, width)
	return []interval.Interval{first, second}
}

// The settings of roundsLeak.
const (
	edgeCases = "(c, ε, δ) in {(1, 1, 1e-6), (1, 1, 9/10), (10, 1/2, 1/2), (1, 1, 0.99999), (1000, 4200, 1/2)}"
	hugeCases = "(c, ε, δ) in {(1, 1, 1e-6), (1, 1, 0.99999), (10, 1/2, 1/2), (2000, 11000, 1/2)}"
)

// roundsLeak checks (ε, δ)-DP where all answers are T + 1/2 on one database and T − 1/2 on the other: c times ⊤ at once
// has the probabilities (1 − t)^c and t^c, t = (4y − y²)/6 and y = e^(−1/(4σ)).
func roundsLeak(t *register.T, scales noiseScales, cases string) {
	finite.Each(t, "answers T + 1/2 or T − 1/2 to all queries, ⊤ to the first c: "+cases,
		func(c int, eps, delta *big.Rat) {
			sigma := scales(t, c, eps, delta, 1e-10)[0] // ln(1/δ) of a δ near 1 cancels in float64
			tail := wrongTail(precise.Exp(precise.Neg(precise.Quo(precise.Rat(rat.Of("1/4")), sigma))))
			needs := precise.Sub(precise.Power(complement(tail), c), precise.Mul(precise.ExpRat(eps), precise.Power(tail, c)))
			t.Require(!rat.IsAbove(needs, delta), "T + 1/2 against T − 1/2: at least δ = %.9g is needed", needs.Lower)
		})
}

// parts returns the ε of the mechanisms that an algorithm with δ and a share of its noise is made of, c of each.
type parts func(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval

// sparseParts has mechanisms that are 2/σ-DP.
func sparseParts(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval {
	sigma := sparseScales(t, c, eps, delta, 1e-12)[0]
	return []interval.Interval{precise.Quo(precise.Int(2), times(sigma, rat.Of(share)))}
}

// numericParts has those of NumericSparse: the numbers are 1/σ(ε_2)-DP.
func numericParts(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval {
	scales := numericScales(t, c, eps, delta, 1e-12)
	return []interval.Interval{precise.Quo(precise.Int(2), times(scales[0], rat.Of(share))),
		precise.Quo(precise.Int(1), times(scales[1], rat.Of(share)))}
}

// compose checks that the parts are together (ε, δ)-DP, by optimal composition of ε to 12 digits, upward: in the
// settings for which ε or c is at most so many times ln(1/δ), or if that is 0, δ ≤ 1/1000.
var compose = on("optimal composition for c in {1, 20, 100}, ε in {1, 5, 100}, δ in {1e-6, 1/1000, 1/2, 9/10}, as far "+
	"as claimed",
	func(t *register.T, of parts, share string, most float64, at string, c int, eps, delta *big.Rat) {
		claimed, log := rat.Float64(eps), math.Log(1/rat.Float64(delta))
		if !(most == 0 && log > 6) && min(float64(c), claimed) > most*log {
			return
		}
		t.At("%s", at)
		var ms []impl.Mechanism
		for _, e := range of(t, c, eps, delta, share) {
			upward := loss.Nats(rat.Of(fmt.Sprintf("%.12e", e.Float().Hi*(1+1e-11))))
			ms = append(ms, impl.Mechanism{Eps: upward, Delta: new(big.Rat), Count: c})
		}
		needed := register.Must(impl.OptComp(t.Context(), ms, delta, impl.Options{RelWidth: 1e-2}))
		x := needed.Eps.Float().Lo
		t.Require(x <= claimed*(1+1e-9), "at least ε = %.9g is needed", x)
		t.Close(x/claimed, "")
	})

// addsUp checks that c rounds add up to at most a share of ε, for δ = 0.
var addsUp = on("the sum of all ε for δ = 0, c in {1, 2, 9}, ε in {1/10, 3}",
	func(t *register.T, of parts, share float64, c int, eps *big.Rat) {
		sum, most := 0.0, share*rat.Float64(eps)
		for _, e := range of(t, c, eps, new(big.Rat), "1") {
			sum += float64(c) * e.Float().Lo
		}
		t.Require(sum <= most*(1+1e-12), "the parts add up to %.12g", sum)
		t.Close(rounded(sum/most), "")
	})
