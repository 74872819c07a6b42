package adaptive

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// comparison are the figures, and the statements that compare the odometers with each other.
func comparison() register.Checks {
	loose := func(v, delta1 float64) []odometer { return tightAt(v, delta1/100, 0, v*(1-1e-12)) }
	return register.Checks{
		"FAC-F1": checked(with(outperforms, "original with log", 1, atTheirBest),
			alsoFails(register.Slip, "against the original odometer as printed", with(outperforms, "original", 1,
				atTheirBest)),
			near("they are less than nine tenths of it", with(outperforms, "original with log", 0.9, atTheirBest)),
			near("with γ = v for the mixture odometer and δ′/100 for all three", with(outperforms, "original with log",
				1, loose))),
		"FAC-F2": checked(all(with(drawn2, "filter", 1), with(drawn2, "mixture", 1), with(drawn2, "stitched", 1),
			with(ofOneKind, 1, 1.0778, 1.0612)),
			near("filter odometers cross at 4/3·√(y_1·y_2)", with(ofOneKind, 4./3, 1.0778, 1.0612)),
			near("mixture odometers are 1.079 times the curve, or more", with(ofOneKind, 1, 1.079, 1.0612)),
			near("stitched odometers are 1.0613 times the curve, or more", with(ofOneKind, 1, 1.0778, 1.0613)),
			near("the filter odometers, for δ′ = 1.01e-6", with(drawn2, "filter", 1.01)),
			near("the mixture odometers, for δ′ = 1.01e-6", with(drawn2, "mixture", 1.01)),
			near("the stitched odometers, for δ′ = 1.01e-6", with(drawn2, "stitched", 1.01))),
		"FAC-F3": checked(all(with(drawn3, figureSize, 1), with(atLast, 1)),
			near("at last each is at most 8/9 of the next", with(atLast, 8./9)),
			near("for |x| = 1001", with(drawn3, 1001, 1)),
			near("for v_0 = 0.00999", with(drawn3, figureSize, 0.999))),
		"FAC-X18": checked(with(isLeast, leastOn),
			near("the filter odometer from 0.0153 on", with(isLeast, []window{{"filter", 0.0153, 0.07}})),
			near("the filter odometer up to 0.078", with(isLeast, []window{{"filter", 0.02, 0.078}})),
			near("the mixture odometer up to 165", with(isLeast, []window{{"mixture", 1, 165}})),
			near("the mixture odometer from 0.0011 on", with(isLeast, []window{{"mixture", 0.0011, 0.0099}}))),
		"FAC-X19": checked(all(with(validOnce, true, 1), with(tightestAt, 1, 5), with(almostTight, 1.12)),
			alsoFails("", "advanced composition for each v is an odometer", with(validOnce, false, 1)),
			near("advanced composition less a quarter is valid at a fixed v", with(validOnce, true, 0.75)),
			near("it touches at 1.01·y*", with(tightestAt, 1.01, 5)),
			near("the odometers are at most 1.09 times it", with(almostTight, 1.09))),
	}
}

// window is where one odometer of the figures is the least.
type window struct {
	kind     string
	from, to float64
}

var leastOn = []window{{"mixture", 0.0013, 0.0099}, {"stitched", 0.01, 0.0154}, {"filter", 0.01545, 0.0766},
	{"mixture", 0.0768, 163}, {"stitched", 164, 1e12}}

// isLeast checks which of the four odometers of the figures reads the least.
func isLeast(t *register.T, windows []window) {
	t.Domain("the odometers of our figures, 100 v in each of %v", windows)
	all := append(fixedOnes(), odometer{"original with log", 1e-6, 0, figureSize})
	for _, w := range windows {
		for i := range 100 {
			v := w.from * math.Pow(w.to/w.from, float64(i)/99)
			t.At("v = %.6g", v)
			least := slices.MinFunc(all, func(a, b odometer) int { return cmp.Compare(a.at(v), b.at(v)) })
			t.Require(least.kind == w.kind, "%v reads the least, %.6g", least, least.at(v))
		}
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

// outperforms checks that three odometers read less than a part of the original one.
func outperforms(t *register.T, original string, part float64, of func(v, delta1 float64) []odometer) {
	t.Domain("δ′ = 1/e, 0.1, 1e-6 and 1e-60, |x| = 2, 10, 1000 and 1e6, v = 0.99·10^k/|x|² and 1.01·10^k, k = −3, …, 6")
	decades := []int{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6}
	levels, sizes := []float64{1e-6, 1 / math.E, 0.1, 1e-60}, []float64{1000, 2, 10, 1e6}
	finite.Each3(levels, sizes, decades, func(delta1, size float64, k int) {
		for _, v := range []float64{0.99 * math.Pow10(k) / (size * size), 1.01 * math.Pow10(k)} {
			u := odometer{original, delta1, 0, size}.at(v)
			t.At("v = %.6g, |x| = %g", v, size)
			for _, o := range of(v, delta1) {
				x := o.at(v)
				t.Require(x < part*u, "%v reads %.6g, the original one %.6g", o, x, u)
				t.Close(x/(part*u), "%v", o)
			}
		}
	})
}

// isDrawn checks that the points of a figure are what odometers read, or in the place of those that are missing what
// advanced composition charges.
func isDrawn(t *register.T, delta1 float64, odometers []odometer, names ...string) {
	for _, name := range names {
		drawing := figures[slices.IndexFunc(figures, func(d register.Drawing) bool { return d.Name == name })]
		curves := register.Must(drawing.Curves(t.Context()))
		t.AlsoDomain("%d curves of %s", len(curves), name)
		for i, c := range curves {
			read := func(v float64) float64 { return spec.AdvancedCharge(v, delta1) }
			if i < len(odometers) && !strings.HasPrefix(c.Label, "advanced") {
				read = odometers[i].at
			}
			for _, p := range c.Points {
				t.At("%s", fmt.Sprintf("%s, %s, at %s", name, c.Label, rat.Show(p.X)))
				v, got := rat.Float64(p.X), p.Y.Float()
				if v != 1 { // where the second case of the original odometer ends
					v *= 1 + 1e-15
				}
				want := read(v)
				t.Require(math.Abs(got.Lo-want) <= 1e-11*want && math.Abs(got.Hi-want) <= 1e-11*want,
					"in [%.12g, %.12g], by the formula %.12g", got.Lo, got.Hi, want)
			}
		}
	}
}

// drawn2 checks a panel of Figure 2, with δ′ scaled.
func drawn2(t *register.T, kind string, factor float64) {
	var odometers []odometer
	for _, x := range panels[kind].values {
		o := figured(kind, x)
		o.delta1 *= factor
		odometers = append(odometers, o)
	}
	isDrawn(t, factor*1e-6, odometers, panels[kind].figure)
}

// drawn3 checks Figures 1(b) and 3, for |x| and with v_0 scaled.
func drawn3(t *register.T, size, v0 float64) {
	odometers := append(fixedOnes(), odometer{"original with log", 1e-6, 0, size})
	odometers[2].parameter *= v0
	isDrawn(t, 1e-6, odometers, "figure1b", "figure3a", "figure3b")
}

// ofOneKind checks, for δ′ alone and without v/2, that of two filter odometers the one with the smaller y* is below the
// other up to √(y_1·y_2), scaled, and above it from there on; the same of mixture odometers, somewhere; that stitched
// ones fall in v_0; and that filter odometers touch advanced composition, the others are so many times it at least.
func ofOneKind(t *register.T, cross, mixture, stitched float64) {
	t.AlsoDomain("every two of ε, γ or v_0 in {1e-4, 1e-2, 1, 100}, v = 1e-9, …, 1e9, eight to a decade")
	parameters := []float64{1e-4, 1e-2, 1, 100}
	least := map[string]float64{"filter": 1 - 1e-12, "mixture": mixture, "stitched": stitched}
	finite.Each3([]string{"filter", "mixture", "stitched"}, parameters, parameters, func(kind string, x, y float64) {
		low, high, last := odometer{kind, 1e-6, 0, x}, odometer{kind, 1e-6, 0, y}, 0.0
		at := cross * math.Sqrt(spec.TargetVariance(x, 1e-6)*spec.TargetVariance(y, 1e-6))
		for k := -72; k <= 72 && x < y; k++ {
			v := math.Pow(10, float64(k)/8)
			t.At("%v and %g, v = %.6g", low, y, v)
			far, q := low.excess(v), (low.at(v)-v/2)/(high.at(v)-v/2)
			t.Require(far >= least[kind], "%.6g times advanced composition", far)
			t.Close(1/far, "")
			isSo := q < 1 && last < 1 || q > 1 && k > -72
			switch kind {
			case "filter":
				isSo = (q < 1) == (v < at)
			case "stitched":
				isSo = v < y || q > 1
			}
			t.Require(isSo, "%.6g times the other, and %.6g before", q, last)
			last = q
		}
		t.Require(x >= y || last > 1, "%.6g times the other at last", last)
	})
}

// atLast checks that of the curves of Figure 3(a) each is at last below a part of the next: stitched, mixture, original
// and filter odometer.
func atLast(t *register.T, part float64) {
	t.AlsoDomain("at last: ε, γ and v_0 in {1e-3, 1, 10}, |x| = 2, 1000 and 1e6, v = 1e12, 1e14 and 1e16")
	parameters := []float64{1e-3, 1, 10}
	finite.Each3(parameters, parameters, parameters, func(eps, gamma, v0 float64) {
		finite.Each2([]float64{2, 1000, 1e6}, []float64{1e12, 1e14, 1e16}, func(size, v float64) {
			t.At("ε = %g, γ = %g, v_0 = %g, |x| = %g, v = %g", eps, gamma, v0, size, v)
			chain := []odometer{{"stitched", 1e-6, 0, v0}, {"mixture", 1e-6, 0, gamma},
				{"original with log", 1e-6, 0, size}, {"filter", 1e-6, 0, eps}}
			for i, o := range chain[1:] {
				low, high := chain[i].at(v)-v/2, o.at(v)-v/2
				t.Require(low < part*high, "%v reads %.6g more than v/2, %v %.6g", chain[i], low, o, high)
				t.Close(low/high, "%v", chain[i])
			}
		})
	})
}

// validOnce checks that a part of what advanced composition charges is exceeded after the last of many rounds, or after
// any of them, with a probability of at most δ′.
func validOnce(t *register.T, last bool, part float64) {
	t.AlsoDomain("randomized responses with ε = 1/10, 400 of them, and with ε = 1, 30 of them; " +
		"δ′ = 1/2, 1/100 and 1e-9")
	finite.Each2([]float64{1. / 2, 1. / 100, 1e-9}, []int{400, 30}, func(delta1 float64, rounds int) {
		eps := map[int]string{400: "1/10", 30: "1"}[rounds]
		t.At("δ′ = %g, %d rounds of ε = %s", delta1, rounds, eps)
		m := menuOf(eps + " 0")
		worst, above := worstExcess(t, m, rounds, odometerOf{m, func(eps, _ []float64) float64 {
			if last && len(eps) < rounds {
				return math.Inf(1)
			}
			return part * spec.AdvancedCharge(float64(len(eps))*eps[0]*eps[0], delta1)
		}}, delta1)
		t.Require(!above, "exceeded with probability %.6g", worst)
		t.Close(worst/delta1, "")
	})
}

// almostTight checks that the least of the odometers of the figures is at most a factor of what advanced composition
// charges.
func almostTight(t *register.T, most float64) {
	t.AlsoDomain("the odometers of our figures, v from 0.01 to 100, in steps of 2 %%")
	for v := 0.01; v < 100; v *= 1.02 {
		t.At("v = %.6g", v)
		least, f := math.Inf(1), spec.AdvancedCharge(v, 1e-6)
		for _, o := range fixedOnes() {
			least = min(least, o.at(v))
		}
		t.Require(least <= most*f, "the least of three odometers reads %.6g, advanced composition charges %.6g",
			least, f)
	}
}
