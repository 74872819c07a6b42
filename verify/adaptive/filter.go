package adaptive

import (
	"math"

	"checkrr/spec"
	"checkrr/verify/register"
)

// filters are the statements on privacy filters.
func filters() register.Checks {
	return register.Checks{
		"FAC-I1": register.Checked(keepsBudget(informal, allOfDelta, everySetting),
			register.AlsoHolds("for δ_m = 0", keepsBudget(informal, allOfDelta, pureSettings)),
			register.AlsoFails("", "with Σ δ_m ≤ δ besides", keepsBudget(func(s setting) stopRule {
				return func(eps, delta []float64) int { return spec.AdaptiveFilter(eps, delta, s.eps, s.delta(), s.delta()) }
			}, allOfDelta, everySetting)),
			register.Control("for δ_m = 0, with half of the first term", keepsBudget(theorem8(0.5, 1, 1), firstDelta,
				pureSettings)),
			register.NearMiss("for δ_m = 0, with a tenth less of the first term", keepsBudget(theorem8(0.9, 1, 1), firstDelta,
				pureSettings)),
			register.Corrected("with log(1/δ′) for log(1/δ), and Σ_{m≤n+1} δ_m ≤ δ″, it is (ε, δ′ + δ″)-DP",
				keepsBudget(asTheorem8, allOfDelta, everySetting)),
		),
		"FAC-T2": register.Checked(
			register.All(
				keepsGuarantee(func(s zcdpSetting) (rule stopRule, eps, delta float64) {
					_, eps = spec.DPFilter(nil, nil, s.rho, s.delta())
					return func(eps, delta []float64) int { n, _ := spec.DPFilter(eps, delta, s.rho, s.delta()); return n }, eps,
						s.delta()
				}),
				dpFiltersAgree,
			),
			register.AlsoFails("", "with log(1/δ′)", keepsGuarantee(theorem2(1, 1, true))),
			register.AlsoFails("", "with Σ δ_m ≤ δ″", keepsGuarantee(
				func(s zcdpSetting) (rule stopRule, eps, delta float64) {
					rule, _, _ = theorem2(1, 1, false)(s)
					_, eps = spec.DPFilter(nil, nil, s.rho, s.delta())
					return rule, eps, s.delta()
				},
			)),
			register.AlsoHolds("corrected, it admits the same rounds as FAC-T8 for the same ε, δ′ and δ″", sameRounds(1)),
			register.AlsoFails(register.Slip, "corrected, with N from n = 1", keepsGuarantee(
				func(s zcdpSetting) (rule stopRule, eps, delta float64) {
					rule, eps, delta = theorem2(1, 1, false)(s)
					return fromOne(rule), eps, delta
				},
			)),
			register.Control("with half of ε_m²", keepsGuarantee(theorem2(0.5, 1, false))),
			register.Control("corrected, it admits the same rounds as FAC-T8 for half of ε", sameRounds(0.5)),
			register.NearMiss("corrected, with a fifth less of ε_m²", keepsGuarantee(theorem2(0.8, 1, false))),
			register.NearMiss("corrected, with a twentieth less of δ_m", keepsGuarantee(theorem2(1, 0.95, false))),
			register.NearMiss("corrected, it admits the same rounds as FAC-T8 for a hundredth more ε", sameRounds(1.01)),
			register.Corrected("stopped before Σ ε_m²/2 > ρ or Σ δ_m > δ″, everything together is (ρ + 2√(ρ log(1/δ′)), δ″ + "+
				"(1 − δ″)δ′)-DP", register.All(keepsGuarantee(theorem2(1, 1, false)), dpFiltersAgree)),
		),
		"FAC-T8": register.Checked(
			register.All(keepsBudget(asTheorem8, allOfDelta, everySetting), adaptiveFiltersAgree),
			register.AlsoFails(register.Slip, "with N from n = 1: the first mechanism always runs", keepsBudget(
				func(s setting) stopRule {
					return fromOne(asTheorem8(s))
				},
				allOfDelta,
				everySetting,
			)),
			register.AlsoFails("", "with the decadic logarithm", keepsBudget(theorem8(math.Sqrt(1/math.Ln10), 1, 1), allOfDelta,
				everySetting)),
			register.Control("if Σ δ_m is not limited", keepsBudget(theorem8(1, 1, 0), allOfDelta, everySetting)),
			register.Control("if the round that comes is not counted", keepsBudget(func(s setting) stopRule {
				return func(eps, delta []float64) int { return 1 + asTheorem8(s)(eps[:len(eps)-1], delta[:len(eps)-1]) }
			}, allOfDelta, everySetting)),
			register.Control("it is (ε, δ′)-DP", keepsBudget(asTheorem8, firstDelta, everySetting)),
			register.NearMiss("with a tenth less of the first term", keepsBudget(theorem8(0.9, 1, 1), allOfDelta, everySetting)),
			register.NearMiss("with half of the second term", keepsBudget(theorem8(1, 0.5, 1), allOfDelta, everySetting)),
			register.NearMiss("with a twentieth less of Σ δ_m", keepsBudget(theorem8(1, 1, 0.95), allOfDelta, everySetting)),
			register.NearMiss("without the largest δ_m", keepsBudget(func(s setting) stopRule {
				return func(eps, delta []float64) int { return asTheorem8(s)(eps, withoutLargest(delta)) }
			}, allOfDelta, everySetting)),
		),
	}
}
