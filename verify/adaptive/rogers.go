package adaptive

import (
	"math"

	"checkrr/spec"
	"checkrr/verify/register"
)

// rogers are the statements on the original odometer.
func rogers() register.Checks {
	return register.Checks{
		"FAC-L3": register.Checked(exceeds(originalCases("original"), theorem3, noShift, 1, nil),
			register.AlsoHolds("with log for loglog, δ_n = 0", exceeds(originalCases("original with log"), theorem3, noShift, 1,
				isPureCase)),
			register.AlsoFails("", "with log for loglog", isOriginal(noShift, 1)),
			register.Control("with log for loglog, half of it", isOriginal(shift, 0.5)),
			register.Control("with log for loglog, with half of −ln(1 − Σ δ_m) added",
				isOriginal(func(delta float64) float64 { return shift(delta) / 2 }, 1)),
			register.NearMiss("with log for loglog, a third less of it", isOriginal(shift, 2./3)),
			register.NearMiss("with log for loglog, with four fifths of −ln(1 − Σ δ_m) added",
				isOriginal(func(delta float64) float64 { return 0.8 * shift(delta) }, 1)),
			register.Corrected("it is with log for loglog and −ln(1 − Σ_{m≤n} δ_m) added", register.All(isOriginal(shift, 1),
				func(t *register.T) {
					agree(t, "original with log")
				})),
		),
		"FAC-X14": register.Checked(loosensOutside("original", 1),
			register.Control("with log for loglog, it gets looser inside", loosensOutside("original with log", -1)),
			register.NearMiss("with log for loglog, it is a tenth looser just outside", loosensOutside("original with log",
				1.1)),
			register.NearMiss("with log for loglog, it does not depend on |x|", loosensOutside("original with log", 0)),
			register.Corrected("it does with log for loglog", loosensOutside("original with log", 1)),
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
		{odometer{kind, 1. / 4, 1. / 16, 4}, menuOf("1/2 1/16", "1/5 0", "2 9/128"), 6},
		{odometer{kind, 0.36, 1. / 32, 100}, menuOf("3 0", "1 1/32", "1/2 0"), 10},
		{odometer{kind, 0.36, 0, 2}, menuOf("1 0", "1/4 0"), 12},
		{odometer{kind, 1e-40, 0, 2}, menuOf("1/20 0"), 420},
	}
}

// isOriginal checks the original odometer with log for loglog, against all menus and against losses that are sure.
func isOriginal(shift func(delta float64) float64, factor float64) register.Check {
	testCases := sure(func(v float64) []odometer { return []odometer{{"original with log", 0.1, 0.1, 2 / math.Sqrt(v)}} },
		100, 3000)
	return register.All(exceeds(originalCases("original with log"), theorem3, shift, factor, nil), func(t *register.T) {
		ofSureLosses(t, testCases, theorem3, shift, factor)
	})
}

// loosensOutside checks that u − V/2 over √V is larger by a factor outside of [1/|x|², 1] than at its ends; -1 is for
// the other way round, 0 for the same.
func loosensOutside(kind string, factor float64) register.Check {
	return func(t *register.T) {
		t.Domain("|x| = 10, 1000 and 1e6, δ′ = 1/e, 0.01, 1e-6 and 1e-12, V from 1e-4/|x|² to 1e4")
		for _, size := range []float64{10, 1000, 1e6} {
			for _, delta1 := range []float64{1 / math.E, 0.01, 1e-6, 1e-12} {
				o := odometer{kind, delta1, 0, size}
				per := func(v float64) float64 { return (o.read([]float64{math.Sqrt(v)}, []float64{0}) - v/2) / math.Sqrt(v) }
				least := 1 / (size * size)
				for _, at := range [][2]float64{{least * 1.001, least * 0.999}, {least * 0.999, least * 0.01}, {0.999, 1.001},
					{1.001, 100}, {100, 1e4}} {
					t.Case()
					in, out := per(at[0]), per(at[1])
					isSo := out > in*factor
					switch factor {
					case -1:
						isSo = out < in
					case 0:
						isSo = near(per(at[0]), odometer{kind, delta1, 0, 2 * size}.read([]float64{math.Sqrt(at[0])},
							[]float64{0})/math.Sqrt(at[0])-math.Sqrt(at[0])/2)
					}
					if !isSo {
						t.Refute("|x| = %g, δ′ = %.6g: (u − V/2)/√V is %.5g at V = %.6g, and %.5g at V = %.6g", size, delta1, in, at[0],
							out, at[1])
					}
				}
			}
		}
	}
}
