package adaptive

import (
	"math"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// rogers are the statements on the original odometer.
func rogers() register.Checks {
	return register.Checks{
		"FAC-L3": register.Checked(register.With2(exceeds, originalCases("original"), odometerClaim{}),
			register.AlsoHolds("with log for loglog, δ_n = 0", register.With2(exceeds, originalCases("original with log"),
				odometerClaim{use: isPureCase})),
			register.AlsoFails("", "with log for loglog", register.With(isOriginal, odometerClaim{})),
			register.NearMiss("with log for loglog, a third less of it", register.With(isOriginal, odometerClaim{factor: 2. / 3,
				shift: 1})),
			register.NearMiss("with log for loglog, with four fifths of −ln(1 − Σ δ_m) added", register.With(isOriginal,
				odometerClaim{shift: 0.8})),
			register.Corrected("it is with log for loglog and −ln(1 − Σ_{m≤n} δ_m) added", register.All(register.With(isOriginal,
				odometerClaim{shift: 1}), func(t *register.T) { kindsAgree(t, "original with log") })),
		),
		"FAC-X14": register.Checked(register.With2(loosensOutside, "original", 1),
			register.Control("with log for loglog, it gets looser inside", register.With2(loosensOutside, "original with log", -1)),
			register.NearMiss("with log for loglog, it is a tenth looser just outside", register.With2(loosensOutside,
				"original with log", 1.1)),
			register.NearMiss("with log for loglog, it does not depend on |x|", register.With2(loosensOutside,
				"original with log", 0)),
			register.Corrected("it does with log for loglog", register.With2(loosensOutside, "original with log", 1)),
		),
	}
}

// originalWithLog is the original odometer with log for loglog in its third case.
func originalWithLog(eps, delta []float64, delta1, delta2, size float64) float64 {
	u, v := spec.RogersOdometer(eps, delta, delta1, delta2, size), squares(eps)
	if math.IsInf(u, 1) || 1/(size*size) <= v && v <= 1 {
		return u
	}
	log := math.Log(4 / delta1 * math.Log2(size))
	return math.Sqrt(log/math.Log(log))*(u-v/2) + v/2
}

// originalCases go through all three cases of the original odometer.
func originalCases(kind string) []testCase {
	return []testCase{
		{odometer{kind, 1e-6, 0, 2}, menuOf("1/10 0"), 30},
		{odometer{kind, 1e-6, 0, 10}, menuOf("1/100 0"), 150},
		{odometer{kind, 1. / 4, 1. / 16, 4}, small, 6},
		{odometer{kind, 0.36, 1. / 32, 100}, large, 10},
		{odometer{kind, 0.36, 0, 2}, menuOf("1 0", "1/4 0"), 12},
		{odometer{kind, 1e-40, 0, 2}, menuOf("1/20 0"), 420},
	}
}

// isOriginal checks the original odometer with log for loglog, against all menus and against losses that are sure.
func isOriginal(t *register.T, c odometerClaim) {
	exceeds(t, originalCases("original with log"), c)
	ofSureLosses(t, sure(func(v float64) []odometer {
		return []odometer{{"original with log", 0.1, 0.1,
			2 / math.Sqrt(v)}}
	}, 100, 3000), c)
}

// loosensOutside checks that u − V/2 over √V is larger by a factor outside of [1/|x|², 1] than at its ends; -1 is for
// the other way round, 0 for the same.
func loosensOutside(t *register.T, kind string, factor float64) {
	t.Domain("|x| = 10, 1000 and 1e6, δ′ = 1/e, 0.01, 1e-6 and 1e-12, V from 1e-4/|x|² to 1e4")
	finite.Each2([]float64{10, 1000, 1e6}, []float64{1 / math.E, 0.01, 1e-6, 1e-12}, func(size, delta1 float64) {
		per := func(size, v float64) float64 {
			return (odometer{kind, delta1, 0, size}.at(v) - v/2) / math.Sqrt(v)
		}
		least := 1 / (size * size)
		for _, at := range [][2]float64{{least * 1.001, least * 0.999}, {least * 0.999, least * 0.01}, {0.999, 1.001},
			{1.001, 100}, {100, 1e4}} {
			t.Case()
			in, out := per(size, at[0]), per(size, at[1])
			isSo := out > in*factor
			switch factor {
			case -1:
				isSo = out < in
			case 0:
				isSo = near(in, per(2*size, at[0]))
			}
			t.Require(isSo, "|x| = %g, δ′ = %.6g: (u − V/2)/√V is %.5g at V = %.6g, and %.5g at V = %.6g", size, delta1, in,
				at[0], out, at[1])
		}
	})
}
