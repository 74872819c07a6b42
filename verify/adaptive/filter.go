package adaptive

import (
	"math"

	"checkrr/spec"
	"checkrr/verify/register"
)

// filters are the statements on privacy filters.
func filters() []register.Statement {
	return []register.Statement{
		{
			ID:      "FAC-U4",
			Title:   "A privacy filter is a function of the parameters that says when to stop, such that what was released keeps a given level",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A definition without a formula. Filters that are said to be valid: FAC-I1, FAC-T1, FAC-T2 and FAC-T8.",
			In:      []string{"impl.Filter"},
		},
		{
			ID:      "FAC-I1",
			Title:   "If one stops before √(2 log(1/δ) Σ_{m≤n+1} ε_m²) + ½ Σ_{m≤n+1} ε_m² > ε, the whole interaction is (ε, δ)-DP",
			Printed: "Informal Theorem 1; log(1/δ), no condition on the δ_m",
			Reading: "log is the natural logarithm: with the decadic one it fails, see FAC-T8. Of any length, the empty one included.",
			Kind:    register.Certified,
			Verdict: register.Fails,
			Weight:  register.False,
			Note: "Nothing limits the δ_m: a single (0, 1)-DP mechanism, for which the condition is 0 > ε, gives everything away. The theorem is informal, and FAC-T8 has what is missing. " +
				"With δ_m = 0 it is FAC-T8 with δ″ = 0, and holds.",
			In:    []string{"spec.AdaptiveFilter", "impl.ChallengeFilter"},
			Check: keepsBudget(informal, allOfDelta, everySetting),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "for δ_m = 0", Check: keepsBudget(informal, allOfDelta, pureSettings)}, Verdict: register.Holds},
				{Claim: register.Claim{Says: "with Σ δ_m ≤ δ besides", Check: keepsBudget(func(s setting) stopRule {
					return func(eps, delta []float64) int { return spec.AdaptiveFilter(eps, delta, s.eps, s.delta(), s.delta()) }
				}, allOfDelta, everySetting)}, Verdict: register.Fails},
			},
			Controls: []register.Claim{{Says: "for δ_m = 0, with half of the first term", Check: keepsBudget(theorem8(0.5, 1, 1), firstDelta, pureSettings)}},
			Near:     []register.Claim{{Says: "for δ_m = 0, with a tenth less of the first term", Check: keepsBudget(theorem8(0.9, 1, 1), firstDelta, pureSettings)}},
			Corrected: &register.Claim{
				Says:  "with log(1/δ′) for log(1/δ), and Σ_{m≤n+1} δ_m ≤ δ″, it is (ε, δ′ + δ″)-DP",
				Check: keepsBudget(asTheorem8, allOfDelta, everySetting),
			},
		},
		{
			ID:      "FAC-T2",
			Title:   "Stopped before Σ ε_m²/2 > ρ or Σ δ_m > δ, everything together is (ρ + 2√(ρ log(1/δ)), δ)-DP",
			Printed: "Theorem 2: N = inf{n : Σ_{m≤n+1} ε_ℓ²/2 > ρ} ∧ inf{n : Σ_{m≤n+1} δ_m > δ}; (ρ + 2√(ρ log(1/δ)), δ)",
			Reading: "The index ℓ is m; ρ, which is not introduced, is any number ≥ 0; n from 0, as for FAC-T8.",
			Kind:    register.Certified,
			Verdict: register.Fails,
			Weight:  register.False,
			Note: "δ is spent twice, in the logarithm and by the mechanisms. One round is enough: ρ = 1/8, δ = 9/10, ε_1 = 1/2, δ_1 = 9/10 is admitted, and at ε = ρ + 2√(ρ ln(1/δ)) = 0.35452 it needs δ = 0.90843. " +
				"δ′ and δ″ are introduced and do not occur. Neither the prime in the logarithm nor δ″ as the limit of Σ δ_m is enough by itself.",
			In: []string{"spec.DPFilter", "spec.ZCDPToDP", "impl.DPFilter", "impl.VarianceFilter", "impl.NewZCDPFilter", "impl.ChallengeFilter"},
			Check: register.All(keepsGuarantee(func(s zcdpSetting) (rule stopRule, eps, delta float64) {
				_, eps = spec.DPFilter(nil, nil, s.rho, s.delta())
				return func(eps, delta []float64) int { n, _ := spec.DPFilter(eps, delta, s.rho, s.delta()); return n }, eps, s.delta()
			}), dpFiltersAgree),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "with log(1/δ′)", Check: keepsGuarantee(theorem2(1, 1, true))}, Verdict: register.Fails},
				{Claim: register.Claim{Says: "with Σ δ_m ≤ δ″", Check: keepsGuarantee(func(s zcdpSetting) (rule stopRule, eps, delta float64) {
					rule, _, _ = theorem2(1, 1, false)(s)
					_, eps = spec.DPFilter(nil, nil, s.rho, s.delta())
					return rule, eps, s.delta()
				})}, Verdict: register.Fails},
				{Claim: register.Claim{Says: "corrected, it admits the same rounds as FAC-T8 for the same ε, δ′ and δ″", Check: sameRounds(1)}, Verdict: register.Holds},
				{Claim: register.Claim{Says: "corrected, with N from n = 1", Check: keepsGuarantee(func(s zcdpSetting) (rule stopRule, eps, delta float64) {
					rule, eps, delta = theorem2(1, 1, false)(s)
					return fromOne(rule), eps, delta
				})}, Verdict: register.Fails, Weight: register.Slip},
			},
			Controls: []register.Claim{
				{Says: "with half of ε_m²", Check: keepsGuarantee(theorem2(0.5, 1, false))},
				{Says: "corrected, it admits the same rounds as FAC-T8 for half of ε", Check: sameRounds(0.5)},
			},
			Near: []register.Claim{
				{Says: "corrected, with a fifth less of ε_m²", Check: keepsGuarantee(theorem2(0.8, 1, false))},
				{Says: "corrected, with a twentieth less of δ_m", Check: keepsGuarantee(theorem2(1, 0.95, false))},
				{Says: "corrected, it admits the same rounds as FAC-T8 for a hundredth more ε", Check: sameRounds(1.01)},
			},
			Corrected: &register.Claim{
				Says:  "stopped before Σ ε_m²/2 > ρ or Σ δ_m > δ″, everything together is (ρ + 2√(ρ log(1/δ′)), δ″ + (1 − δ″)δ′)-DP",
				Check: register.All(keepsGuarantee(theorem2(1, 1, false)), dpFiltersAgree),
			},
		},
		{
			ID:      "FAC-T8",
			Title:   "Stopped before √(2 log(1/δ′) Σ ε_m²) + ½ Σ ε_m² > ε or Σ δ_m > δ″, everything together is (ε, δ′ + δ″)-DP",
			Printed: "Theorem 8: N = inf{n : ε < √(2 log(1/δ′) Σ_{m≤n+1} ε_m²) + ½ Σ_{m≤n+1} ε_m² or δ″ < Σ_{m≤n+1} δ_m}",
			Reading: "log is the natural logarithm. n is from 0: N is printed as a function to ℕ, and if that begins with 1, the first mechanism always runs. " +
				"Mechanisms are randomized response, of which no (ε, δ)-DP mechanism is worse (FAC-L11); adversaries choose from a menu after seeing everything.",
			Kind:    register.Certified,
			Verdict: register.Holds,
			In:      []string{"spec.AdaptiveFilter", "impl.AdaptiveFilter", "impl.VarianceFilter", "impl.NewAdaptiveFilter", "impl.ChallengeFilter"},
			Check:   register.All(keepsBudget(asTheorem8, allOfDelta, everySetting), adaptiveFiltersAgree),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "with N from n = 1: the first mechanism always runs", Check: keepsBudget(func(s setting) stopRule {
					return fromOne(asTheorem8(s))
				}, allOfDelta, everySetting)}, Verdict: register.Fails, Weight: register.Slip},
				{Claim: register.Claim{Says: "with the decadic logarithm", Check: keepsBudget(theorem8(math.Sqrt(1/math.Ln10), 1, 1), allOfDelta, everySetting)}, Verdict: register.Fails},
			},
			Controls: []register.Claim{
				{Says: "if Σ δ_m is not limited", Check: keepsBudget(theorem8(1, 1, 0), allOfDelta, everySetting)},
				{Says: "if the round that comes is not counted", Check: keepsBudget(func(s setting) stopRule {
					return func(eps, delta []float64) int { return 1 + asTheorem8(s)(eps[:len(eps)-1], delta[:len(eps)-1]) }
				}, allOfDelta, everySetting)},
				{Says: "it is (ε, δ′)-DP", Check: keepsBudget(asTheorem8, firstDelta, everySetting)},
			},
			Near: []register.Claim{
				{Says: "with a tenth less of the first term", Check: keepsBudget(theorem8(0.9, 1, 1), allOfDelta, everySetting)},
				{Says: "with half of the second term", Check: keepsBudget(theorem8(1, 0.5, 1), allOfDelta, everySetting)},
				{Says: "with a twentieth less of Σ δ_m", Check: keepsBudget(theorem8(1, 1, 0.95), allOfDelta, everySetting)},
				{Says: "without the largest δ_m", Check: keepsBudget(func(s setting) stopRule {
					return func(eps, delta []float64) int { return asTheorem8(s)(eps, withoutLargest(delta)) }
				}, allOfDelta, everySetting)},
			},
		},
	}
}
