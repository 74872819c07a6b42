package adaptive

import (
	"math"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// comparison are the figures, and the statements that compare the odometers with each other.
func comparison() register.Checks {
	loose := func(v, delta1 float64) []odometer { return tightAt(v, delta1/100, 0, v*(1-1e-12)) }
	window := windows{"original with log", figureSize, 1. / 500, 0.02, 200}
	small, printed, allV, last, first := window, window, window, window, window
	small.from, allV.first, last.last, first.first = 1e-5, 1./500, 150, 0.015
	printed.original, printed.size = "original", 2
	return register.Checks{
		"FAC-F1": register.Checked(register.With3(outperforms, "original with log", 1, atTheirBest),
			register.AlsoFails(register.Slip, "against the original odometer as printed",
				register.With3(outperforms, "original", 1, atTheirBest)),
			register.AlsoFails("", "with the fixed parameters of our figures",
				register.With3(outperforms, "original with log", 1, fixedOnes)),
			register.NearMiss("they are less than nine tenths of it",
				register.With3(outperforms, "original with log", 0.9, atTheirBest)),
			register.NearMiss("with γ = v for the mixture odometer and δ′/100 for all three",
				register.With3(outperforms, "original with log", 1, loose)),
		),
		"FAC-F2": register.Checked(register.All(register.With2(drawn2, "filter", 1), register.With2(drawn2, "mixture", 1),
			register.With2(drawn2, "stitched", 1)),
			register.NearMiss("the filter odometers, for δ′ = 1.01e-6", register.With2(drawn2, "filter", 1.01)),
			register.NearMiss("the mixture odometers, for δ′ = 1.01e-6", register.With2(drawn2, "mixture", 1.01)),
			register.NearMiss("the stitched odometers, for δ′ = 1.01e-6", register.With2(drawn2, "stitched", 1.01)),
		),
		"FAC-F3": register.Checked(register.With2(drawn3, figureSize, 1),
			register.NearMiss("for |x| = 1001", register.With2(drawn3, 1001, 1)),
			register.NearMiss("for v_0 = 0.00999", register.With2(drawn3, figureSize, 0.999)),
		),
		"FAC-X18": register.Checked(window.check,
			register.AlsoFails("", "also for smaller v", small.check),
			register.AlsoFails("", "with the original odometer as printed, |x| = 2", printed.check),
			register.AlsoFails("", "the mixture odometer is tighter than the stitched one for all v ≤ 100", allV.check),
			register.NearMiss("the stitched odometer is the tightest from v = 150 on", last.check),
			register.NearMiss("the mixture odometer is tighter than the stitched one from v = 0.015 on", first.check),
		),
		"FAC-X19": register.Checked(register.All(register.With2(validOnce, true, 1), register.With2(touches, 1, 1.12)),
			register.AlsoFails("", "advanced composition for each v is an odometer", register.With2(validOnce, false, 1)),
			register.NearMiss("advanced composition less a quarter is valid at a fixed v",
				register.With2(validOnce, true, 0.75)),
			register.NearMiss("it touches at 1.01·y*", register.With2(touches, 1.01, 1.12)),
			register.NearMiss("the odometers are at most 1.09 times it", register.With2(touches, 1, 1.09)),
		),
	}
}

// atTheirBest are the three odometers with parameters for v.
func atTheirBest(v, delta1 float64) []odometer {
	all := tightAt(v, delta1, 0, v*(1-1e-12))
	for x := 1.0; x < 1e4; x *= 1.2 {
		if o := (odometer{"mixture", delta1, 0, v / x}); o.at(v) < all[1].at(v) {
			all[1] = o
		}
	}
	return all
}

// fixedOnes are the three odometers of the figures.
func fixedOnes(_, delta1 float64) []odometer {
	return []odometer{{"filter", delta1, 0, 2}, {"mixture", delta1, 0, 1. / 500}, {"stitched", delta1, 0, 1. / 100}}
}

// outperforms checks that three odometers read less than a part of the original one.
func outperforms(t *register.T, original string, part float64, of func(v, delta1 float64) []odometer) {
	t.Domain("δ′ = 1/e, 0.1, 1e-6 and 1e-60, |x| = 2, 10, 1000 and 1e6, v = 0.99·10^k/|x|² and 1.01·10^k, k = −3, …, 6")
	decades := []int{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6}
	levels, sizes := []float64{1e-6, 1 / math.E, 0.1, 1e-60}, []float64{1000, 2, 10, 1e6}
	finite.Each3(levels, sizes, decades, func(delta1, size float64, k int) {
		for _, v := range []float64{0.99 * math.Pow10(k) / (size * size), 1.01 * math.Pow10(k)} {
			t.Case()
			u := odometer{original, delta1, 0, size}.at(v)
			for _, o := range of(v, delta1) {
				x := o.at(v)
				t.Require(x < part*u, "v = %.6g: %v reads %.6g, the original one for |x| = %g %.6g", v, o, x, size, u)
				t.Close(x/(part*u), "v = %.6g, %v, |x| = %g", v, o, size)
			}
		}
	})
}

// isDrawn refutes a point of a figure that is not what an odometer reads.
func isDrawn(t *register.T, f register.Figure, c register.Curve, p register.Point, want float64) {
	t.Case()
	got := p.Y.Float()
	t.Require(math.Abs(got.Lo-want) <= 1e-11*want && math.Abs(got.Hi-want) <= 1e-11*want,
		"%s: in [%.12g, %.12g], by the formula %.12g", pointName(f, c, p), got.Lo, got.Hi, want)
}

// drawn2 checks a panel of Figure 2, with δ′ scaled.
func drawn2(t *register.T, kind string, factor float64) {
	f, parameters := figureOfFilter, []float64{1, 2, 6} // the target of the printed y* is twice that of the corrected one
	switch kind {
	case "mixture":
		f, parameters = figureOfMixture, []float64{1. / 500, 1. / 50, 1. / 10}
	case "stitched":
		f, parameters = figureOfStitched, []float64{1. / 10000, 1. / 1000, 1. / 100}
	}
	t.Domain("the 4 curves of each panel at v = 0.01, 0.02, …, 0.5")
	drawn := f()
	for i, c := range drawn.Curves {
		for _, p := range c.Points {
			v := rat.Float64(p.X)
			want := spec.AdvancedCharge(v, factor*1e-6)
			if i < len(parameters) {
				want = odometer{kind, factor * 1e-6, 0, parameters[i]}.at(v * (1 + 1e-15))
			}
			isDrawn(t, drawn, c, p, want)
		}
	}
}

// drawn3 checks Figures 1(b) and 3, for |x| and with v_0 scaled.
func drawn3(t *register.T, size, v0 float64) {
	t.Domain("the 4 curves of Figures 1(b), 3(a) and 3(b) at v = 0.05, 0.1, …, 2 and 0.01, 0.02, …, 0.3")
	for _, f := range []register.Figure{figureOfOdometers(), figureOfAll(), figureOfAdvanced()} {
		odometers := append(fixedOnes(0, 1e-6), odometer{"original with log", 1e-6, 0, size})
		odometers[2].parameter *= v0
		for i, c := range f.Curves {
			for _, p := range c.Points {
				v := rat.Float64(p.X) * (1 + 1e-15)
				want := odometers[i].at(v)
				switch {
				case i == 3 && f.Name == "figure3b":
					want = spec.AdvancedCharge(v, 1e-6)
				case i == 3 && rat.Equal(p.X, rat.One): // the end of the second case
					want = odometers[i].at(1)
				}
				isDrawn(t, f, c, p, want)
			}
		}
	}
}

// windows say which odometer reads the least, from v = from on: never the original one, each of the others somewhere,
// the stitched one from v = last on, the mixture one less than the stitched one from v = first to 100, and the filter
// odometer at y*.
type windows struct {
	original                string
	size, from, first, last float64
}

func (w windows) check(t *register.T) {
	t.Domain("v from %g to 1e6, in steps of 2 %%", w.from)
	all := append(fixedOnes(0, 1e-6), odometer{w.original, 1e-6, 0, w.size})
	won := map[string]bool{}
	for v := w.from; v < 1e6; v *= 1.02 {
		t.Case()
		best, u := all[0], make([]float64, len(all))
		for i, o := range all {
			if u[i] = o.at(v); u[i] < best.at(v) {
				best = o
			}
		}
		won[best.kind] = true
		isWrong := best.kind == w.original || v >= w.last && best.kind != "stitched" ||
			v >= w.first && v <= 100 && u[1] >= u[2]
		t.Require(!isWrong, "v = %.6g: filter %.6g, mixture %.6g, stitched %.6g, original %.6g", v, u[0], u[1], u[2], u[3])
	}
	y := spec.TargetVariance(2, 1e-6)
	for _, o := range all[1:] {
		u, other := all[0].at(y), o.at(y)
		t.Require(u < other, "at y* = %.6g: the filter odometer reads %.6g, %v %.6g", y, u, o, other)
	}
	t.Require(len(won) == 3, "the least are %v only", won)
}

// validOnce checks that a part of what advanced composition charges is exceeded after the last of many rounds, or after
// any of them, with a probability of at most δ′.
func validOnce(t *register.T, last bool, part float64) {
	t.AlsoDomain("randomized responses with ε = 1/10, 400 of them, and with ε = 1, 30 of them; δ′ = 1/2, 1/100 and 1e-9")
	finite.Each2([]float64{1. / 2, 1. / 100, 1e-9}, []int{400, 30}, func(delta1 float64, rounds int) {
		eps := map[int]string{400: "1/10", 30: "1"}[rounds]
		t.At("δ′ = %g, %d rounds of ε = %s", delta1, rounds, eps)
		m, charge := menuOf(eps+" 0"), ofVariance(func(v float64) float64 { return part * spec.AdvancedCharge(v, delta1) })
		worst, above := worstExcess(t, m, rounds, odometerOf{m, func(eps, delta []float64) float64 {
			if last && len(eps) < rounds {
				return math.Inf(1)
			}
			return charge(eps, delta)
		}}, delta1)
		t.Require(!above, "exceeded with probability %.6g", worst)
		t.Close(worst/delta1, "")
	})
}

// touches checks that the filter odometer is what advanced composition charges at place·y*, and more everywhere else;
// and that the least of the odometers of the figures is at most a factor of it.
func touches(t *register.T, place, most float64) {
	t.AlsoDomain("δ′ = 0.5, 0.1, 1e-6 and 1e-60, ε = 0.1, 2 and 20; v from 0.01 to 100, in steps of 2 %%")
	finite.Each2(levels, []float64{0.1, 2, 20}, func(delta1, eps float64) {
		o, y := odometer{"filter", delta1, 0, eps}, spec.TargetVariance(eps, delta1)
		t.At("%v", o)
		for _, up := range []float64{place, 1e-6, 0.5, 0.99, 1.01, 2, 1e6} {
			u, f := o.at(up*y), spec.AdvancedCharge(up*y, delta1)
			isSo := u > f
			if up == place {
				isSo = math.Abs(u-f) <= 1e-9*f
			}
			t.Require(isSo, "reads %.9g at V = %.6g, advanced composition charges %.9g", u, up*y, f)
		}
	})
	for v := 0.01; v < 100; v *= 1.02 {
		t.Case()
		least, f := math.Inf(1), spec.AdvancedCharge(v, 1e-6)
		for _, o := range fixedOnes(v, 1e-6) {
			least = min(least, o.at(v))
		}
		t.Require(least <= most*f, "v = %.6g: the least of the three odometers reads %.6g, advanced composition charges %.6g",
			v, least, f)
	}
}
