package adaptive

import (
	"fmt"
	"math"

	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// comparison are the figures, and the statements that compare the odometers with each other.
func comparison() []register.Statement {
	return []register.Statement{
		{
			ID:      "FAC-F1",
			Title:   "The lower-order terms of filter and advanced composition nearly agree; the three families of odometers outperform the original one",
			Printed: "Figure 1; no axes, parameters or numbers",
			Reading: "Of the three families with the best parameter for each v: y* = v, the best γ, v_0 = v. The original odometer is the corrected one of FAC-L3, for |x| ≥ 2 and δ′ ≤ 1/e. That the lower-order terms differ by at most ε_m⁴/24 is FAC-X1.",
			Kind:    register.Property,
			Verdict: register.Holds,
			Note: "With fixed parameters none of them outperforms the original everywhere: for those of our figures (δ′ = 1e-6, ε = 1, γ = 1/500, v_0 = 1/100, |x| = 1000) it is below all three for v < 0.0012, the mixture odometer is below it from there on, the stitched one from v_0 on, " +
				"and the filter odometer from 0.00404 to 0.3024 and above 1 up to 1.356 only. Against the original one as printed, which is none, the families lose just below v = 1/|x|²: 3.93·√v for |x| = 1000, where advanced composition has 5.26·√v.",
			In:    []string{"spec.FilterOdometer", "spec.MixtureOdometer", "spec.StitchedOdometer", "spec.RogersOdometer"},
			Check: outperforms("original with log", 1, familiesAtTheirBest),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "against the original odometer as printed", Check: outperforms("original", 1, familiesAtTheirBest)}, Verdict: register.Fails, Weight: register.Slip},
				{Claim: register.Claim{Says: "with the fixed parameters of our figures", Check: outperforms("original with log", 1, fixedOnes)}, Verdict: register.Fails},
			},
			Controls: []register.Claim{{Says: "they are less than half of it", Check: outperforms("original with log", 0.5, familiesAtTheirBest)}},
			Near: []register.Claim{
				{Says: "they are less than nine tenths of it", Check: outperforms("original with log", 0.9, familiesAtTheirBest)},
				{Says: "with γ = v for the mixture odometer and δ′/100 for all three", Check: outperforms("original with log", 1, func(v, delta1 float64) []odometer {
					return []odometer{{"filter", delta1 / 100, 0, targetAt(v, delta1/100)}, {"mixture", delta1 / 100, 0, v}, {"stitched", delta1 / 100, 0, v * (1 - 1e-12)}}
				})},
			},
		},
		{
			ID:       "FAC-F2",
			Title:    "Filter, mixture and stitched odometers as functions of Σ ε_m², for δ′ = 1e-6 and pure DP",
			Printed:  "Figure 2; no parameters, ranges or numbers",
			Reading:  "Checked is that the points that are computed again, with parameters chosen here, are what the formulas say.",
			Kind:     register.Certified,
			Verdict:  register.Holds,
			In:       []string{"spec.FilterOdometer", "spec.MixtureOdometer", "spec.StitchedOdometer", "spec.AdvancedCharge"},
			Check:    register.All(drawn2("filter", 1), drawn2("mixture", 1), drawn2("stitched", 1)),
			Controls: []register.Claim{{Says: "for δ′ = 1e-5", Check: drawn2("filter", 10)}},
			Near: []register.Claim{
				{Says: "the filter odometers, for δ′ = 1.01e-6", Check: drawn2("filter", 1.01)},
				{Says: "the mixture odometers, for δ′ = 1.01e-6", Check: drawn2("mixture", 1.01)},
				{Says: "the stitched odometers, for δ′ = 1.01e-6", Check: drawn2("stitched", 1.01)},
			},
		},
		{
			ID:       "FAC-F3",
			Title:    "The three odometers with the original one, and with advanced composition for each v by itself",
			Printed:  "Figure 3; no parameters, ranges or numbers",
			Reading:  "Checked is that the points that are computed again, with parameters chosen here, are what the formulas say; what is claimed of them is FAC-X18 and FAC-X19.",
			Kind:     register.Certified,
			Verdict:  register.Holds,
			In:       []string{"spec.FilterOdometer", "spec.MixtureOdometer", "spec.StitchedOdometer", "spec.RogersOdometer", "spec.AdvancedCharge", "impl.AdvancedCharge", "impl.FilterCurve", "impl.MixtureCurve", "impl.StitchedCurve", "impl.RogersCurve"},
			Check:    drawn3(figureSize, 1),
			Controls: []register.Claim{{Says: "for |x| = 100", Check: drawn3(100, 1)}},
			Near: []register.Claim{
				{Says: "for |x| = 1001", Check: drawn3(1001, 1)},
				{Says: "for v_0 = 0.00999", Check: drawn3(figureSize, 0.999)},
			},
		},
		{
			ID:      "FAC-X18",
			Title:   "No odometer is the tightest everywhere, each but the original one is on some window of v: stitched at last, mixture before, filter near its target",
			Printed: "Section 4.1, on Figure 3(a)",
			Reading: "For the parameters of our figures (δ′ = 1e-6, ε = 1, γ = 1/500, v_0 = 1/100, |x| = 1000) and v from 1/500 to 1e6: others are possible, and none are given. Stitched at last is from v = 200 on, mixture before from v = 0.02 to 100.",
			Kind:    register.Property,
			Verdict: register.Holds,
			Note: "The least is the mixture odometer for v from 0.0012 to 0.01 and from 0.0767 to 163.8, the stitched one from 0.01 to 0.01541 and from 163.8 on, the filter odometer in between, around y* = 0.0349; below 0.0012 it is the original one. " +
				"Where the stitched odometer begins it is tighter than the mixture one, so “at small v” is not for all of them.",
			In:    []string{"spec.FilterOdometer", "spec.MixtureOdometer", "spec.StitchedOdometer", "spec.RogersOdometer", "spec.TargetVariance"},
			Check: windows("original with log", figureSize, 1./500, 0.02, 200),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "also for smaller v", Check: windows("original with log", figureSize, 1e-5, 0.02, 200)}, Verdict: register.Fails},
				{Claim: register.Claim{Says: "with the original odometer as printed, |x| = 2", Check: windows("original", 2, 1./500, 0.02, 200)}, Verdict: register.Fails},
				{Claim: register.Claim{Says: "the mixture odometer is tighter than the stitched one for all v ≤ 100", Check: windows("original with log", figureSize, 1./500, 1./500, 200)}, Verdict: register.Fails},
			},
			Controls: []register.Claim{{Says: "the stitched odometer is the tightest from v = 1 on", Check: windows("original with log", figureSize, 1./500, 0.02, 1)}},
			Near: []register.Claim{
				{Says: "the stitched odometer is the tightest from v = 150 on", Check: windows("original with log", figureSize, 1./500, 0.02, 150)},
				{Says: "the mixture odometer is tighter than the stitched one from v = 0.015 on", Check: windows("original with log", figureSize, 1./500, 0.015, 200)},
			},
		},
		{
			ID:       "FAC-X19",
			Title:    "Advanced composition for each v is valid at any fixed v and not uniformly; the odometers are almost tight with it, and the filter odometer touches it",
			Printed:  "Section 4.1, on Figure 3(b)",
			Reading:  "Almost tight: for the parameters of our figures and v from 0.01 to 100, the least of the three is at most 1.12 times it. It touches it at y*, and is above it everywhere else.",
			Kind:     register.Certified,
			Verdict:  register.Holds,
			Note:     "Read after each of 400 randomized responses with ε = 1/10, advanced composition at δ′ = 1/2 is exceeded with probability 0.654. The point where the filter odometer for ε touches it is f = ε with the corrected y*, and f = ε/2 with that of print (FAC-X24).",
			In:       []string{"spec.AdvancedCharge", "spec.FilterOdometer", "spec.MixtureOdometer", "spec.StitchedOdometer", "spec.TargetVariance"},
			Check:    register.All(validOnce(true, 1), touches(1, 1.12)),
			Readings: []register.Reading{{Claim: register.Claim{Says: "advanced composition for each v is an odometer", Check: validOnce(false, 1)}, Verdict: register.Fails}},
			Controls: []register.Claim{{Says: "half of advanced composition is valid at a fixed v", Check: validOnce(true, 0.5)}},
			Near: []register.Claim{
				{Says: "advanced composition less a quarter is valid at a fixed v", Check: validOnce(true, 0.75)},
				{Says: "it touches at 1.01·y*", Check: touches(1.01, 1.12)},
				{Says: "the odometers are at most 1.09 times it", Check: touches(1, 1.09)},
			},
		},
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
	if got := p.Y.Float(); math.Abs(got.Lo-want) > 1e-11*want || math.Abs(got.Hi-want) > 1e-11*want {
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

// windows checks which odometer reads the least, from v = from on: never the original one, each of the others somewhere, the
// stitched one from v = last on, the mixture one less than the stitched one from v = first to 100, and the filter odometer at y*.
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
			switch readings := fmt.Sprintf("v = %.6g: filter %.6g, mixture %.6g, stitched %.6g, original %.6g", v, u[0], u[1], u[2], u[3]); {
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
