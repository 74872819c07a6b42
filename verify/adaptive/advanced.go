package adaptive

import (
	"math"
	"math/big"

	"checkrr/spec"
	"checkrr/verify/register"
)

// validOnce checks that a part of what advanced composition charges is exceeded after the last of many rounds, or after
// any of them, with a probability of at most δ′.
func validOnce(last bool, part float64) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("randomized responses with ε = 1/10, 400 of them, and with ε = 1, 30 of them; δ′ = 1/2, 1/100 and 1e-9")
		for _, delta1 := range []float64{1. / 2, 1. / 100, 1e-9} {
			for _, c := range []struct {
				eps    string
				rounds int
			}{{"1/10", 400}, {"1", 30}} {
				t.Case()
				m := menuOf(c.eps + " 0")
				read := func(eps, _ []float64) float64 {
					if last && len(eps) < c.rounds {
						return math.Inf(1)
					}
					return part * spec.AdvancedCharge(float64(len(eps))*eps[0]*eps[0], delta1)
				}
				worst, above := worstExcess(t, m, c.rounds, odometerOf{m, read}, new(big.Rat).SetFloat64(delta1))
				if above {
					t.Refute("δ′ = %g, %d rounds of ε = %s: exceeded with probability %.6g", delta1, c.rounds, c.eps, worst.Float().Lo)
				}
				t.Close(worst.Float().Lo/delta1, "δ′ = %g, %d rounds of ε = %s", delta1, c.rounds, c.eps)
			}
		}
	}
}

// touches checks that the filter odometer is what advanced composition charges at place·y*, and more everywhere else;
// and that the least of the odometers of the figures is at most a factor of it.
func touches(place, most float64) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("δ′ = 0.5, 0.1, 1e-6 and 1e-60, ε = 0.1, 2 and 20; v from 0.01 to 100, in steps of 2 %%")
		for _, delta1 := range levels {
			for _, eps := range []float64{0.1, 2, 20} {
				t.Case()
				y := spec.TargetVariance(eps, delta1)
				o := odometer{"filter", delta1, 0, eps}
				if u, f := read1(o, place*y, 0), spec.AdvancedCharge(place*y, delta1); !(math.Abs(u-f) <= 1e-9*f) {
					t.Refute("%v: reads %.9g at V = %.6g, advanced composition charges %.9g", o, u, place*y, f)
				}
				for _, up := range []float64{1e-6, 0.5, 0.99, 1.01, 2, 1e6} {
					if u, f := read1(o, up*y, 0), spec.AdvancedCharge(up*y, delta1); u <= f {
						t.Refute("%v: reads %.9g at V = %.6g, advanced composition charges %.9g", o, u, up*y, f)
					}
				}
			}
		}
		for v := 0.01; v < 100; v *= 1.02 {
			t.Case()
			least := math.Inf(1)
			for _, o := range fixedOnes(v, 1e-6) {
				least = min(least, read1(o, v, 0))
			}
			if f := spec.AdvancedCharge(v, 1e-6); least > most*f {
				t.Refute("v = %.6g: the least of the three odometers reads %.6g, advanced composition charges %.6g", v, least, f)
			}
		}
	}
}
