package adaptive

import (
	"math"

	"checkrr/verify/register"
)

// odometers are the statements on privacy odometers.
func odometers() register.Checks {
	return register.Checks{
		"FAC-T3": register.Checked(isOdometer(theorem3, noShift, 1),
			register.AlsoHolds("for δ_n = 0", neverExceeds(theorem3, noShift, 1, isPureCase)),
			register.AlsoHolds("for randomized response, with δ_n > 0", neverExceeds(theorem3, noShift, 1, nil)),
			register.AlsoFails(register.Slip,
				"for randomized response, with u_n of the parameters up to n − 1 (FAC-D6)",
				neverExceeds(func(o odometer) reading {
					return func(eps, delta []float64) float64 {
						if len(eps) == 1 {
							return o.read(eps[:0], delta[:0])
						}
						return o.read(eps[:len(eps)-1], delta[:len(eps)-1])
					}
				}, noShift, 1, nil)),
			register.AlsoFails(register.Slip, "for randomized response, with N from n = 1", neverExceeds(
				func(o odometer) reading {
					return func(eps, delta []float64) float64 {
						if len(eps) == 1 {
							return o.read(eps, []float64{0})
						}
						return o.read(eps, delta)
					}
				},
				noShift,
				1,
				nil,
			)),
			register.Control("with half of Σ δ_m added", isOdometer(theorem3, func(delta float64) float64 { return delta / 2 },
				1)),
			register.Control("for δ_n = 0, without the terms V_n/2", neverExceeds(func(o odometer) reading {
				return func(eps, delta []float64) float64 { return o.read(eps, delta) - squares(eps)/2 }
			}, noShift, 1, isPureCase)),
			register.Control("for δ_n = 0, with 1/√δ′ for 1/δ′", neverExceeds(func(o odometer) reading {
				o.delta1 = math.Sqrt(o.delta1)
				return o.read
			}, noShift, 1, isPureCase)),
			register.NearMiss("the filter odometer with a twentieth less", neverExceeds(theorem3, noShift, 0.95,
				ofKind("filter"))),
			register.NearMiss("the mixture odometer with a tenth less", neverExceeds(theorem3, noShift, 0.9, ofKind("mixture"))),
			register.NearMiss("the stitched odometer with a tenth less", neverExceeds(theorem3, noShift, 0.9,
				ofKind("stitched"))),
			register.NearMiss("with nine tenths of −ln(1 − Σ δ_m) added", isOdometer(theorem3,
				func(delta float64) float64 { return 0.9 * shift(delta) }, 1)),
			register.NearMiss("for randomized response, if n > N is not looked at", neverExceeds(func(o odometer) reading {
				return func(eps, delta []float64) float64 { return o.read(eps, make([]float64, len(delta))) }
			}, noShift, 1, nil)),
			register.Corrected("they are with −ln(1 − Σ_{m≤n} δ_m) added", register.All(isOdometer(theorem3, shift, 1),
				odometersAgree, rulesAgree)),
		),
		"FAC-X10": register.Checked(breaksByDP(noShift, "11/10", "1/5", 0.1),
			register.AlsoHolds("also if −ln(1 − δ) is added, with δ = 1/2", breaksByDP(shift, "11/10", "1/2", 0.1)),
			register.Control("the mechanism of FAC-X32 breaks them with δ = 0", breaksByDP(noShift, "11/10", "0", 0.1)),
			register.NearMiss("it breaks them with δ = 1/100", breaksByDP(noShift, "11/10", "1/100", 0.1)),
			register.NearMiss("it breaks them with e^ε = 3", breaksByDP(noShift, "3", "1/5", 0.1)),
			register.NearMiss("it breaks them at δ′ = 1/2", breaksByDP(noShift, "11/10", "1/5", 0.5)),
		),
		"FAC-X16": register.Checked(dependsOnVariance(func(delta []float64,
			delta2 float64) bool {
			return sum(delta) > delta2
		}, squares),
			register.Control("they are finite whatever the δ_n", dependsOnVariance(func([]float64,
				float64) bool {
				return false
			}, squares)),
			register.NearMiss("they are ∞ from Σ δ_m = δ″ on", dependsOnVariance(func(delta []float64,
				delta2 float64) bool {
				return sum(delta) >= delta2
			}, squares)),
			register.NearMiss("they depend on Σ |ε_m|^1.99 only", dependsOnVariance(
				func(delta []float64, delta2 float64) bool { return sum(delta) > delta2 },
				func(eps []float64) (v float64) {
					for _, e := range eps {
						v += math.Pow(e, 1.99)
					}
					return v
				},
			)),
		),
	}
}
