package adaptive

import (
	"math"

	"checkrr/spec"
	"checkrr/verify/register"
)

// rogers are the statements on the original odometer.
func rogers() []register.Statement {
	return []register.Statement{
		{
			ID:      "FAC-L3",
			Title:   "The original odometer, u^R_n, is a (δ′ + δ″)-privacy odometer for databases of |x| elements and δ′ ≤ 1/e",
			Printed: "Lemma 3, citing Theorem 6.5 of Rogers et al. (2016); loglog((4/δ′)·log_2 |x|) in the third case",
			Reading: "log is the natural logarithm, |x| ≥ 2: for |x| = 1 the second case takes the logarithm of 0. For δ′ ≤ 1/e and |x| ≥ 2 all logarithms are positive.",
			Kind:    register.Certified,
			Verdict: register.Fails,
			Weight:  register.False,
			Note: "Outside [1/|x|², 1] the double logarithm makes it read less than advanced composition does for a fixed n: at δ′ = 1e-6 and V near 1/|x|² about 3.9·√V, which the loss of many small mechanisms exceeds with a probability of about 4e-5. " +
				"|x| = 2, δ′ = 1e-6, δ_n = 0 and 20 mechanisms with ε = 1/10: it reads 1.8802, and the loss is 2 with probability (e^0.1/(1 + e^0.1))^20 = 2.53e-6. " +
				"With a single logarithm, as in the theorem that is cited, it holds for δ_n = 0; and for every δ_n with −ln(1 − Σ δ_m) added, as for FAC-T3.",
			In:    []string{"spec.RogersOdometer", "impl.RogersCurve"},
			Check: exceeds(originalBouts("original"), theorem3, noShift, 1, nil),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "with log for loglog, δ_n = 0", Check: exceeds(originalBouts("original with log"), theorem3, noShift, 1, pureBouts)}, Verdict: register.Holds},
				{Claim: register.Claim{Says: "with log for loglog", Check: isOriginal(noShift, 1)}, Verdict: register.Fails},
			},
			Controls: []register.Claim{
				{Says: "with log for loglog, half of it", Check: isOriginal(shift, 0.5)},
				{Says: "with log for loglog, with half of −ln(1 − Σ δ_m) added", Check: isOriginal(func(delta float64) float64 { return shift(delta) / 2 }, 1)},
			},
			Near: []register.Claim{
				{Says: "with log for loglog, a third less of it", Check: isOriginal(shift, 2./3)},
				{Says: "with log for loglog, with four fifths of −ln(1 − Σ δ_m) added", Check: isOriginal(func(delta float64) float64 { return 0.8 * shift(delta) }, 1)},
			},
			Corrected: &register.Claim{
				Says: "it is with log for loglog and −ln(1 − Σ_{m≤n} δ_m) added",
				Check: register.All(isOriginal(shift, 1), func(t *register.T) {
					agree(t, "original with log")
				}),
			},
		},
		{
			ID:      "FAC-X14",
			Title:   "The original odometer depends on |x|, and gets looser outside of V_n ∈ [1/|x|², 1], as by one parameter above 1",
			Printed: "Section 4.1, after Lemma 3; no formula",
			Reading: "Looser is a larger u^R_n − V_n/2 over √V_n, just outside and farther out, than just inside. |x| ≥ 10. That its form is complicated is an opinion.",
			Kind:    register.Property,
			Verdict: register.Fails,
			Weight:  register.Slip,
			Note: "As printed, with loglog, it is tighter outside: for |x| = 10 and δ′ = 1e-6 it falls from 8.37 to 3.88 just below 1/|x|², where it is no odometer (FAC-L3). With log it is as said. " +
				"For |x| = 2 and δ′ above about 1/1300 it gets tighter at V = 1 also with log.",
			In:       []string{"spec.RogersOdometer"},
			Check:    loosensOutside("original", 1),
			Controls: []register.Claim{{Says: "with log for loglog, it gets looser inside", Check: loosensOutside("original with log", -1)}},
			Near: []register.Claim{
				{Says: "with log for loglog, it is a tenth looser just outside", Check: loosensOutside("original with log", 1.1)},
				{Says: "with log for loglog, it does not depend on |x|", Check: loosensOutside("original with log", 0)},
			},
			Corrected: &register.Claim{Says: "it does with log for loglog", Check: loosensOutside("original with log", 1)},
		},
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

// originalBouts go through all three cases of the original odometer.
func originalBouts(kind string) []bout {
	return []bout{
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
	bouts := sure(func(v float64) []odometer { return []odometer{{"original with log", 0.1, 0.1, 2 / math.Sqrt(v)}} }, 100, 3000)
	return register.All(exceeds(originalBouts("original with log"), theorem3, shift, factor, nil), func(t *register.T) {
		ofSureLosses(t, bouts, theorem3, shift, factor)
	})
}

// loosensOutside checks that u − V/2 over √V is larger by a factor outside of [1/|x|², 1] than at its ends; -1 is for the other way round,
// 0 for the same.
func loosensOutside(kind string, factor float64) register.Check {
	return func(t *register.T) {
		t.Domain("|x| = 10, 1000 and 1e6, δ′ = 1/e, 0.01, 1e-6 and 1e-12, V from 1e-4/|x|² to 1e4")
		for _, size := range []float64{10, 1000, 1e6} {
			for _, delta1 := range []float64{1 / math.E, 0.01, 1e-6, 1e-12} {
				o := odometer{kind, delta1, 0, size}
				per := func(v float64) float64 { return (o.read([]float64{math.Sqrt(v)}, []float64{0}) - v/2) / math.Sqrt(v) }
				least := 1 / (size * size)
				for _, at := range [][2]float64{{least * 1.001, least * 0.999}, {least * 0.999, least * 0.01}, {0.999, 1.001}, {1.001, 100}, {100, 1e4}} {
					t.Case()
					in, out := per(at[0]), per(at[1])
					isSo := out > in*factor
					switch factor {
					case -1:
						isSo = out < in
					case 0:
						isSo = near(per(at[0]), odometer{kind, delta1, 0, 2 * size}.read([]float64{math.Sqrt(at[0])}, []float64{0})/math.Sqrt(at[0])-math.Sqrt(at[0])/2)
					}
					if !isSo {
						t.Refute("|x| = %g, δ′ = %.6g: (u − V/2)/√V is %.5g at V = %.6g, and %.5g at V = %.6g", size, delta1, in, at[0], out, at[1])
					}
				}
			}
		}
	}
}
