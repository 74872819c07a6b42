package adaptive

import (
	"fmt"
	"math"

	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// comparison are the figures, and the statements that compare the odometers with each other.
func comparison() register.Checks {
	return register.Checks{
		"FAC-F1": register.Checked(outperforms("original with log", 1, familiesAtTheirBest),
			register.AlsoFails(register.Slip, "against the original odometer as printed", outperforms("original", 1,
				familiesAtTheirBest)),
			register.AlsoFails("", "with the fixed parameters of our figures", outperforms("original with log", 1, fixedOnes)),
			register.NearMiss("they are less than nine tenths of it", outperforms("original with log", 0.9,
				familiesAtTheirBest)),
			register.NearMiss("with γ = v for the mixture odometer and δ′/100 for all three", outperforms("original with log", 1,
				func(v, delta1 float64) []odometer {
					return []odometer{{"filter", delta1 / 100, 0, targetAt(v, delta1/100)}, {"mixture", delta1 / 100, 0, v},
						{"stitched", delta1 / 100, 0, v * (1 - 1e-12)}}
				})),
		),
		"FAC-F2": register.Checked(register.All(drawn2("filter", 1), drawn2("mixture", 1), drawn2("stitched", 1)),
			register.NearMiss("the filter odometers, for δ′ = 1.01e-6", drawn2("filter", 1.01)),
			register.NearMiss("the mixture odometers, for δ′ = 1.01e-6", drawn2("mixture", 1.01)),
			register.NearMiss("the stitched odometers, for δ′ = 1.01e-6", drawn2("stitched", 1.01)),
		),
		"FAC-F3": register.Checked(drawn3(figureSize, 1),
			register.Control("for |x| = 100", drawn3(100, 1)),
			register.NearMiss("for |x| = 1001", drawn3(1001, 1)),
			register.NearMiss("for v_0 = 0.00999", drawn3(figureSize, 0.999)),
		),
		"FAC-X18": register.Checked(windows("original with log", figureSize, 1./500, 0.02, 200),
			register.AlsoFails("", "also for smaller v", windows("original with log", figureSize, 1e-5, 0.02, 200)),
			register.AlsoFails("", "with the original odometer as printed, |x| = 2", windows("original", 2, 1./500, 0.02, 200)),
			register.AlsoFails("", "the mixture odometer is tighter than the stitched one for all v ≤ 100",
				windows("original with log", figureSize, 1./500, 1./500, 200)),
			register.NearMiss("the stitched odometer is the tightest from v = 150 on", windows("original with log", figureSize,
				1./500, 0.02, 150)),
			register.NearMiss("the mixture odometer is tighter than the stitched one from v = 0.015 on",
				windows("original with log", figureSize, 1./500, 0.015, 200)),
		),
		"FAC-X19": register.Checked(register.All(validOnce(true, 1), touches(1, 1.12)),
			register.AlsoFails("", "advanced composition for each v is an odometer", validOnce(false, 1)),
			register.NearMiss("advanced composition less a quarter is valid at a fixed v", validOnce(true, 0.75)),
			register.NearMiss("it touches at 1.01·y*", touches(1.01, 1.12)),
			register.NearMiss("the odometers are at most 1.09 times it", touches(1, 1.09)),
		),
	}
}

// targetAt returns the ε for which the printed y* is v.
func targetAt(v, delta1 float64) float64 { return 2 * spec.AdvancedCharge(v, delta1) }

// familiesAtTheirBest are the three odometers with parameters for v.
func familiesAtTheirBest(v, delta1 float64) []odometer {
	best := odometer{"mixture", delta1, 0, v}
	for x := 1.0; x < 1e4; x *= 1.2 {
		if o := (odometer{"mixture", delta1, 0, v / x}); read1(o, v, 0) < read1(best, v, 0) {
			best = o
		}
	}
	return []odometer{{"filter", delta1, 0, targetAt(v, delta1)}, best, {"stitched", delta1, 0, v * (1 - 1e-12)}}
}

// fixedOnes are the three odometers of the figures.
func fixedOnes(_, delta1 float64) []odometer {
	return []odometer{{"filter", delta1, 0, 2}, {"mixture", delta1, 0, 1. / 500}, {"stitched", delta1, 0, 1. / 100}}
}

// outperforms checks that three odometers read less than a part of the original one.
func outperforms(original string, part float64, of func(v, delta1 float64) []odometer) register.Check {
	return func(t *register.T) {
		t.Domain("δ′ = 1/e, 0.1, 1e-6 and 1e-60, |x| = 2, 10, 1000 and 1e6, v = 0.99·10^k/|x|² and 1.01·10^k, k = −3, …, 6")
		for _, delta1 := range []float64{1e-6, 1 / math.E, 0.1, 1e-60} {
			for _, size := range []float64{1000, 2, 10, 1e6} {
				for k := -3; k <= 6; k++ {
					for _, v := range []float64{0.99 * math.Pow10(k) / (size * size), 1.01 * math.Pow10(k)} {
						t.Case()
						u := read1(odometer{original, delta1, 0, size}, v, 0)
						for _, o := range of(v, delta1) {
							if x := read1(o, v, 0); x >= part*u {
								t.Refute("v = %.6g: %v reads %.6g, the original one for |x| = %g %.6g", v, o, x, size, u)
							}
							t.Close(read1(o, v, 0)/(part*u), "v = %.6g, %v, |x| = %g", v, o, size)
						}
					}
				}
			}
		}
	}
}

// isDrawn refutes a point of a figure that is not what an odometer reads.
func isDrawn(t *register.T, f register.Figure, c register.Curve, p register.Point, want float64) {
	t.Case()
	if got := p.Y.Float(); !(math.Abs(got.Lo-want) <= 1e-11*want) || !(math.Abs(got.Hi-want) <= 1e-11*want) {
		t.Refute("%s: in [%.12g, %.12g], by the formula %.12g", pointName(f, c, p), got.Lo, got.Hi, want)
	}
}

// drawn2 checks a panel of Figure 2, with δ′ scaled.
func drawn2(kind string, factor float64) register.Check {
	f, parameters := figureOfFilter, []float64{1, 2, 6} // the target of the printed y* is twice that of the corrected one
	switch kind {
	case "mixture":
		f, parameters = figureOfMixture, []float64{1. / 500, 1. / 50, 1. / 10}
	case "stitched":
		f, parameters = figureOfStitched, []float64{1. / 10000, 1. / 1000, 1. / 100}
	}
	return func(t *register.T) {
		t.Domain("the 4 curves of each panel at v = 0.01, 0.02, …, 0.5")
		f := f()
		for i, c := range f.Curves {
			for _, p := range c.Points {
				v := rat.Float64(p.X)
				want := spec.AdvancedCharge(v, factor*1e-6)
				if i < len(parameters) {
					want = read1(odometer{kind, factor * 1e-6, 0, parameters[i]}, v*(1+1e-15), 0)
				}
				isDrawn(t, f, c, p, want)
			}
		}
	}
}

// drawn3 checks Figures 1(b) and 3, for |x| and with v_0 scaled.
func drawn3(size, v0 float64) register.Check {
	return func(t *register.T) {
		t.Domain("the 4 curves of Figures 1(b), 3(a) and 3(b) at v = 0.05, 0.1, …, 2 and 0.01, 0.02, …, 0.3")
		for _, f := range []register.Figure{figureOfOdometers(), figureOfAll(), figureOfAdvanced()} {
			odometers := append(fixedOnes(0, 1e-6), odometer{"original with log", 1e-6, 0, size})
			odometers[2].parameter *= v0
			for i, c := range f.Curves {
				for _, p := range c.Points {
					v := rat.Float64(p.X) * (1 + 1e-15)
					want := read1(odometers[i], v, 0)
					switch {
					case i == 3 && f.Name == "figure3b":
						want = spec.AdvancedCharge(v, 1e-6)
					case i == 3 && rat.Equal(p.X, rat.One): // the end of the second case
						want = read1(odometers[i], 1, 0)
					}
					isDrawn(t, f, c, p, want)
				}
			}
		}
	}
}

// windows checks which odometer reads the least, from v = from on: never the original one, each of the others
// somewhere, the stitched one from v = last on, the mixture one less than the stitched one from v = first to 100, and
// the filter odometer at y*.
func windows(original string, size, from, first, last float64) register.Check {
	return func(t *register.T) {
		t.Domain("v from %g to 1e6, in steps of 2 %%", from)
		all := append(fixedOnes(0, 1e-6), odometer{original, 1e-6, 0, size})
		won := map[string]bool{}
		for v := from; v < 1e6; v *= 1.02 {
			t.Case()
			best, u := all[0], make([]float64, len(all))
			for i, o := range all {
				if u[i] = read1(o, v, 0); u[i] < read1(best, v, 0) {
					best = o
				}
			}
			won[best.kind] = true
			switch readings := fmt.Sprintf("v = %.6g: filter %.6g, mixture %.6g, stitched %.6g, original %.6g", v, u[0], u[1],
				u[2], u[3]); {
			case best.kind == original, v >= last && best.kind != "stitched", v >= first && v <= 100 && u[1] >= u[2]:
				t.Refute("%s", readings)
			}
		}
		y := spec.TargetVariance(2, 1e-6)
		for _, o := range all[1:] {
			if u, other := read1(all[0], y, 0), read1(o, y, 0); u >= other {
				t.Refute("at y* = %.6g: the filter odometer reads %.6g, %v %.6g", y, u, o, other)
			}
		}
		if len(won) != 3 {
			t.Refute("the least are %v only", won)
		}
	}
}
