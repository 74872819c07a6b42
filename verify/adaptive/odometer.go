package adaptive

import (
	"math"

	"checkrr/verify/register"
)

// odometers are the statements on privacy odometers.
func odometers() []register.Statement {
	return []register.Statement{
		{
			ID:      "FAC-D6",
			Title:   "(u_n) is a δ-privacy odometer if the privacy loss is ever above u_n of the parameters with probability at most δ",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note: "A definition. It is printed with the parameters of the first n − 1 mechanisms and with values in [0, ∞); Theorem 3 and Lemma 3 have n mechanisms, and ∞. " +
				"With n − 1 there is no odometer with a finite u_1: the first mechanism may have any ε. What becomes of the curves of Theorem 3 is a reading of FAC-T3.",
			In: []string{"impl.Odometer", "impl.OdometerRule", "impl.ChallengeOdometer", "exhaustive.WorstExcess"},
		},
		{
			ID:      "FAC-U6",
			Title:   "(U_n) is a time-uniform bound of level δ for a martingale that is ever above it with probability at most δ",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A definition.",
		},
		{
			ID:      "FAC-T3",
			Title:   "The filter, mixture and stitched odometers are (δ′ + δ″)-privacy odometers for mechanisms that are (ε_n, δ_n)-pDP",
			Printed: "Theorem 3: u^F_n, u^M_n, u^S_n; N = inf{n ∈ ℕ : δ″ < Σ_{m≤n+1} δ_m}; any ε, γ, v_0 > 0",
			Reading: "log is the natural logarithm; n in N is from 0. y* of u^F_n is as printed, any number > 0 would do: see FAC-X24.",
			Kind:    register.Certified,
			Verdict: register.Fails,
			Weight:  register.False,
			Note: "If δ_n > 0 the loss of a mechanism may be near ε_n nearly always: on [−ε_n, ε_n] it has the probability 1 − δ_n on the neighbouring database, and not 1. The smallest such mechanism has the laws (1, 0) and (1 − δ, δ) and ε = −ln(1 − δ); its loss is ε for sure. " +
				"Six of them with δ_n = 1/60 at δ′ = δ″ = 1/10 have a loss of 0.1008 for sure, where u^F_6 reads 0.0892 (y* = V_6), so that the odometer fails with probability 1 instead of 1/5. The proof goes wrong where it conditions on B^c (FAC-X27). " +
				"The odometers hold for δ_n = 0, and for every δ_n if −ln(1 − Σ δ_m) is added.",
			In: []string{"spec.FilterOdometer", "spec.MixtureOdometer", "spec.StitchedOdometer", "spec.TargetVariance",
				"impl.FilterCurve", "impl.MixtureCurve", "impl.StitchedCurve", "impl.Odometer", "impl.CurveRule", "impl.NewCurveRule", "impl.TargetVariance", "impl.ChallengeOdometer"},
			Check: isOdometer(theorem3, noShift, 1),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "for δ_n = 0", Check: neverExceeds(theorem3, noShift, 1, pureBouts)}, Verdict: register.Holds},
				{Claim: register.Claim{Says: "for randomized response, with δ_n > 0", Check: neverExceeds(theorem3, noShift, 1, nil)}, Verdict: register.Holds},
				{Claim: register.Claim{Says: "for randomized response, with u_n of the parameters up to n − 1 (FAC-D6)", Check: neverExceeds(func(o odometer) reading {
					return func(eps, delta []float64) float64 {
						if len(eps) == 1 {
							return o.read(eps[:0], delta[:0])
						}
						return o.read(eps[:len(eps)-1], delta[:len(eps)-1])
					}
				}, noShift, 1, nil)}, Verdict: register.Fails, Weight: register.Slip},
				{Claim: register.Claim{Says: "for randomized response, with N from n = 1", Check: neverExceeds(func(o odometer) reading {
					return func(eps, delta []float64) float64 {
						if len(eps) == 1 {
							return o.read(eps, []float64{0})
						}
						return o.read(eps, delta)
					}
				}, noShift, 1, nil)}, Verdict: register.Fails, Weight: register.Slip},
			},
			Controls: []register.Claim{
				{Says: "with half of Σ δ_m added", Check: isOdometer(theorem3, func(delta float64) float64 { return delta / 2 }, 1)},
				{Says: "for δ_n = 0, without the terms V_n/2", Check: neverExceeds(func(o odometer) reading {
					return func(eps, delta []float64) float64 { return o.read(eps, delta) - squares(eps)/2 }
				}, noShift, 1, pureBouts)},
				{Says: "for δ_n = 0, with 1/√δ′ for 1/δ′", Check: neverExceeds(func(o odometer) reading {
					o.delta1 = math.Sqrt(o.delta1)
					return o.read
				}, noShift, 1, pureBouts)},
			},
			Near: []register.Claim{
				{Says: "the filter odometer with a twentieth less", Check: neverExceeds(theorem3, noShift, 0.95, ofKind("filter"))},
				{Says: "the mixture odometer with a tenth less", Check: neverExceeds(theorem3, noShift, 0.9, ofKind("mixture"))},
				{Says: "the stitched odometer with a tenth less", Check: neverExceeds(theorem3, noShift, 0.9, ofKind("stitched"))},
				{Says: "with nine tenths of −ln(1 − Σ δ_m) added", Check: isOdometer(theorem3, func(delta float64) float64 { return 0.9 * shift(delta) }, 1)},
				{Says: "for randomized response, if n > N is not looked at", Check: neverExceeds(func(o odometer) reading {
					return func(eps, delta []float64) float64 { return o.read(eps, make([]float64, len(delta))) }
				}, noShift, 1, nil)},
			},
			Corrected: &register.Claim{
				Says:  "they are with −ln(1 − Σ_{m≤n} δ_m) added",
				Check: register.All(isOdometer(theorem3, shift, 1), odometersAgree, rulesAgree),
			},
		},
		{
			ID:      "FAC-X10",
			Title:   "Theorem 3 does not hold for mechanisms that are (ε_n, δ_n)-DP instead of (ε_n, δ_n)-pDP",
			Printed: "Section 4, conjectured after Definition 5",
			Reading: "For each of the three odometers there are parameters and one mechanism that is (ε, δ)-DP, of which the loss exceeds the odometer by a tenth with a probability of more than δ′ + δ″.",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "One round is enough. The mechanism of FAC-X32 from (ε, 1/5)-randomized response with e^ε = 11/10 has a loss of ln((δ + e^ε)/(1 − δ)) = ln(13/8) = 0.4855 with probability 13/21, where at δ′ = 1/10 and δ″ = 1/5 the filter odometer reads 0.209, " +
				"the mixture odometer 0.315 and the stitched one 0.260: twice the probability 3/10 that they claim.",
			In:    []string{"spec.FilterOdometer", "spec.MixtureOdometer", "spec.StitchedOdometer", "exhaustive.WorstExcess"},
			Check: breaksByDP(noShift, "11/10", "1/5", 0.1),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "also if −ln(1 − δ) is added, with δ = 1/2", Check: breaksByDP(shift, "11/10", "1/2", 0.1)}, Verdict: register.Holds},
			},
			Controls: []register.Claim{{Says: "the mechanism of FAC-X32 breaks them with δ = 0", Check: breaksByDP(noShift, "11/10", "0", 0.1)}},
			Near: []register.Claim{
				{Says: "it breaks them with δ = 1/100", Check: breaksByDP(noShift, "11/10", "1/100", 0.1)},
				{Says: "it breaks them with e^ε = 3", Check: breaksByDP(noShift, "3", "1/5", 0.1)},
				{Says: "it breaks them at δ′ = 1/2", Check: breaksByDP(noShift, "11/10", "1/5", 0.5)},
			},
		},
		{
			ID:       "FAC-X16",
			Title:    "All odometers depend on the δ_n in the same way, and for pure DP on v = Σ ε_m² only",
			Printed:  "Section 4.1; no formula",
			Reading:  "With the δ_n they are ∞ for the same n, and otherwise what they are without. So it is with −ln(1 − Σ δ_m) added (FAC-T3), which is the same for all.",
			Kind:     register.Property,
			Verdict:  register.Holds,
			In:       []string{"spec.FilterOdometer", "spec.MixtureOdometer", "spec.StitchedOdometer", "spec.RogersOdometer"},
			Check:    dependsOnVariance(func(delta []float64, delta2 float64) bool { return sum(delta) > delta2 }, squares),
			Controls: []register.Claim{{Says: "they are finite whatever the δ_n", Check: dependsOnVariance(func([]float64, float64) bool { return false }, squares)}},
			Near: []register.Claim{
				{Says: "they are ∞ from Σ δ_m = δ″ on", Check: dependsOnVariance(func(delta []float64, delta2 float64) bool { return sum(delta) >= delta2 }, squares)},
				{Says: "they depend on Σ |ε_m|^1.99 only", Check: dependsOnVariance(func(delta []float64, delta2 float64) bool { return sum(delta) > delta2 }, func(eps []float64) (v float64) {
					for _, e := range eps {
						v += math.Pow(e, 1.99)
					}
					return v
				})},
			},
		},
	}
}
