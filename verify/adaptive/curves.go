package adaptive

import (
	"math"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// curves are the statements on what the odometers read, as functions of v = Σ ε_m².
func curves() register.Checks {
	grow := func(stitched, mixture, original order) growing {
		return growing{stitched, mixture, original, linear, 0}
	}
	withDrift := grow(loglog, log, log)
	withDrift.part = 0.5
	return register.Checks{
		"FAC-X11": register.Checked(register.With2(tightestAt, 1, 5.05),
			register.NearMiss("the tightest at 1.02·y*", register.With2(tightestAt, 1.02, 5.05)),
			register.NearMiss("5.1 times at y*·100", register.With2(tightestAt, 1, 5.1)),
		),
		"FAC-X12": register.Checked(register.With2(mixtureIsDecent, 1.0778, 31),
			register.NearMiss("the least is 1.07 at δ′ = 1e-6", register.With2(mixtureIsDecent, 1.07, 31)),
			register.NearMiss("the least is at V = 25·γ at δ′ = 1e-6", register.With2(mixtureIsDecent, 1.0778, 25)),
		),
		"FAC-X13": register.Checked(register.With2(stitchedFrom, 1, 1),
			register.Control("the smaller v_0, the tighter", register.With2(stitchedFrom, 1, -1)),
			register.NearMiss("it is finite from 0.99·v_0 on", register.With2(stitchedFrom, 0.99, 1)),
			register.NearMiss("it is infinite below 1.01·v_0", register.With2(stitchedFrom, 1.01, 1)),
		),
		"FAC-X15": register.Checked(grow(loglog, log, log).check,
			register.AlsoFails(register.Slip, "so it is for u_n, with v/2", withDrift.check),
			register.Control("the filter odometer is of the order √(v·log v)", growing{loglog, log, log, log, 0}.check),
			register.NearMiss("the stitched odometer is of the order √v", grow(constant, log, log).check),
			register.NearMiss("the mixture odometer is of the order √(v·loglog v)", grow(loglog, loglog, log).check),
			register.NearMiss("the original odometer is of the order √(v·loglog v)", grow(loglog, log, loglog).check),
		),
		"FAC-X17": register.Checked(register.All(register.With(eachAtItsOwn, 1), register.With2(nearlyAttained, 0.93, 1)),
			register.NearMiss("each is the least at 1.3·y*", register.With(eachAtItsOwn, 1.3)),
			register.NearMiss("it is at least 0.99·δ′ for ε = 1/32", register.With2(nearlyAttained, 0.99, 1)),
			register.NearMiss("it is at most 0.93·δ′", register.With2(nearlyAttained, 0, 0.93)),
		),
	}
}

// levels are the δ′ that are gone through.
var levels = []float64{0.5, 0.1, 1e-6, 1e-60}

// drift is what the first term of an odometer or a charge is at v, u less v/2.
func drift(u, v float64) float64 { return u - v/2 }

// tightestAt checks that the filter odometer is what advanced composition charges at place·y*, and by a factor more far
// from it.
func tightestAt(t *register.T, place, far float64) {
	t.Domain("ε = 0.1, 1 and 10, δ′ = 0.5, 0.1, 1e-6 and 1e-60, V from y*/1024 to 1024·y*")
	finite.Each2([]float64{0.1, 1, 10}, levels, func(eps, delta1 float64) {
		y := spec.TargetVariance(eps, delta1) * place
		ratio := func(v float64) float64 {
			return drift(odometer{"filter", delta1, 0, eps}.at(v), v) / drift(spec.AdvancedCharge(v, delta1), v)
		}
		last := 1 - 1e-9
		for k := 0; k <= 10; k++ {
			t.Case()
			low, high := ratio(y/math.Exp2(float64(k))), ratio(y*math.Exp2(float64(k)))
			isLeast := k > 0 || low <= 1+1e-9
			t.Require(isLeast && min(low, high) >= last && math.Abs(low-high) <= 1e-6*low,
				"ε = %g, δ′ = %g: at V = %.6g·2^−%d and 2^%d times that, the odometer is %.8g and %.8g times what advanced "+
					"composition charges", eps, delta1, y, k, k, low, high)
			last = min(low, high)
		}
		at := ratio(100 * y)
		t.Require(at >= far*(1-1e-9),
			"ε = %g, δ′ = %g: at V = 100·%.6g the odometer is %.6g times what advanced composition charges", eps, delta1, y, at)
	})
}

// mixtureIsDecent checks how the mixture odometer compares with advanced composition, as a function of V/γ: its least
// value, which is given for δ′ = 1e-6, and where.
func mixtureIsDecent(t *register.T, least, at float64) {
	t.Domain("δ′ = 0.5, 0.1, 1e-6 and 1e-60; V/γ from 1/1000 to 1e8, in steps of 2 %%; γ = 0.001, 1 and 1000")
	finite.Each2(levels, []float64{1e-3, 1, 1e3}, func(delta1, gamma float64) {
		t.At("δ′ = %g, γ = %g", delta1, gamma)
		best, where, last, turns, falling := math.Inf(1), 0.0, math.Inf(1), 0, true
		for x := 1e-3; x < 1e8; x *= 1.02 {
			v := x * gamma
			r := drift(odometer{"mixture", delta1, 0, gamma}.at(v), v) / math.Sqrt(2*math.Log(1/delta1)*v)
			if r < best {
				best, where = r, x
			}
			if now := r < last; now != falling {
				turns, falling = turns+1, now
			}
			last = r
		}
		t.Require(best > 1 && turns == 1, "the odometer is %.6g times what advanced composition charges, and turns %d times",
			best, turns)
		t.Require(delta1 != 1e-6 || math.Abs(best-least) <= 1e-4 && math.Abs(where/at-1) <= 0.05,
			"the least is %.6g times what advanced composition charges, at V = %.3g·γ", best, where)
	})
}

// stitchedFrom checks from where on the stitched odometer is finite, and that it falls in v_0, or for −1 rises.
func stitchedFrom(t *register.T, from, sign float64) {
	t.Domain("δ′ = 0.5, 0.1, 1e-6 and 1e-60; v_0 from 1e-9 to 1e3, V from v_0/1000 to 1e6·v_0")
	ups := []float64{1e-3, 0.999, 0.9999 * from, 1.0001 * from, 1.001, 10, 1e6}
	for _, delta1 := range levels {
		for v0 := 1e-9; v0 <= 1e3; v0 *= 10 {
			for _, up := range ups {
				t.Case()
				v := up * v0
				u, other := odometer{"stitched", delta1, 0, v0}.at(v), odometer{"stitched", delta1, 0, v0 / 2}.at(v)
				t.Require(math.IsInf(u, 1) == (v < from*v0), "δ′ = %g, v_0 = %g: reads %.6g at V = %.6g", delta1, v0, u, v)
				t.Require(v < v0 || sign*(other-u) > 0, "δ′ = %g, V = %.6g: reads %.8g for v_0 = %g, and %.8g for v_0 = %g", delta1,
					v, u, v0, other, v0/2)
			}
		}
	}
}

// order is how something grows.
type order func(v float64) float64

func constant(v float64) float64 { return math.Sqrt(v) }
func loglog(v float64) float64   { return math.Sqrt(v * math.Log(math.Log(v))) }
func log(v float64) float64      { return math.Sqrt(v * math.Log(v)) }
func linear(v float64) float64   { return v }

// growing are the orders of the stitched, the mixture, the original and the filter odometer, with a part of v beside
// the first term.
type growing struct {
	stitched, mixture, original, filter order
	part                                float64
}

func (g growing) check(t *register.T) {
	t.Domain("δ′ = 0.1, 1e-6 and 1e-60, ε = 1, γ = 1/500, v_0 = 1/100, |x| = 2 and 1000; v = 100, 1e4, …, 1e14")
	type grows struct {
		kind      string
		parameter float64
		order
	}
	all := []grows{{"stitched", 0.01, g.stitched}, {"mixture", 1. / 500, g.mixture}, {"original", 2, g.original},
		{"original with log", 1000, g.original}, {"filter", 1, g.filter}}
	finite.Each2(levels[1:], all, func(delta1 float64, c grows) {
		last := math.Inf(1)
		for v := 100.0; v < 1e15; v *= 100 {
			t.Case()
			r := (odometer{c.kind, delta1, 0, c.parameter}.at(v) - (0.5-g.part)*v) / c.order(v)
			t.Require(r <= last*(1+1e-8), "δ′ = %g, the %s odometer: at v = %.3g, %.8g of the order, and %.8g at v = %.3g",
				delta1, c.kind, v, r, last, v/100)
			last = r
		}
	})
}

// eachAtItsOwn checks that of several filter odometers the one for y is the least at place·y.
func eachAtItsOwn(t *register.T, place float64) {
	t.Domain("filter odometers with ε = 0.1·1.25^k, k = 0, …, 20, δ′ = 0.5, 0.1, 1e-6 and 1e-60")
	var targets []float64
	for k := range 21 {
		targets = append(targets, 0.1*math.Pow(1.25, float64(k)))
	}
	finite.Each2(levels, targets, func(delta1, eps float64) {
		t.Case()
		at := max(place*spec.TargetVariance(eps, delta1), 1e-9)
		own := odometer{"filter", delta1, 0, eps}.at(at)
		for _, other := range targets {
			u := odometer{"filter", delta1, 0, other}.at(at)
			t.Require(u >= own*(1-1e-12), "δ′ = %g, V = %.6g: the odometer for ε = %g reads %.8g, the one for ε = %g %.8g",
				delta1, at, eps, own, other, u)
		}
	})
}

// ofVariance is what a function of Σ ε_m² reads for pure DP, in constant time.
func ofVariance(of func(v float64) float64) reading {
	return func(eps, _ []float64) float64 { return of(float64(len(eps)) * eps[0] * eps[0]) }
}

// nearlyAttained checks that the probability that the filter odometer is ever exceeded rises as ε falls, to so much of
// δ′, and stays below another part of it.
func nearlyAttained(t *register.T, least, most float64) {
	t.AlsoDomain("δ′ = 0.3, the filter odometer for ε = 2, against randomized responses with ε = 1/10, 1/20 and 1/32, V " +
		"up to 2")

	last := 0.0
	for i, rounds := range []int{200, 800, 2048} {
		eps := []string{"1/10", "1/20", "1/32"}[i]
		t.Case()
		m := menuOf(eps + " 0")
		worst, above := worstExcess(t, m, rounds, odometerOf{m, ofVariance(odometer{"filter", 0.3, 0, 2}.at)}, 0.3*most)
		p := worst / 0.3
		t.Require(!above && p >= last,
			"δ′ = 0.3, up to %d rounds of ε = %s: exceeded with a probability of %.6g·δ′, before with %.6g·δ′", rounds, eps, p,
			last)
		last = p
		t.Close(p, "up to %d rounds of ε = %s", rounds, eps)
	}
	t.Require(last >= least, "δ′ = 0.3, up to 2048 rounds of ε = 1/32: exceeded with a probability of %.6g·δ′ only", last)
}

// rogers are the statements on the original odometer.
func rogers() register.Checks {
	return register.Checks{
		"FAC-L3": register.Checked(register.With2(exceeds, originalCases("original"), odometerClaim{}),
			register.AlsoHolds("with log for loglog, δ_n = 0", register.With2(exceeds, originalCases("original with log"),
				odometerClaim{use: isPureCase})),
			register.AlsoFails("", "with log for loglog", register.With(isOriginal, odometerClaim{})),
			register.NearMiss("with log for loglog, a third less of it",
				register.With(isOriginal, odometerClaim{factor: 2. / 3, shift: 1})),
			register.NearMiss("with log for loglog, with four fifths of −ln(1 − Σ δ_m) added",
				register.With(isOriginal, odometerClaim{shift: 0.8})),
			register.Corrected("it is with log for loglog and −ln(1 − Σ_{m≤n} δ_m) added",
				register.All(register.With(isOriginal, odometerClaim{shift: 1}),
					func(t *register.T) { kindsAgree(t, "original with log") })),
		),
		"FAC-X14": register.Checked(register.With2(loosensOutside, "original", 1),
			register.Control("with log for loglog, it gets looser inside",
				register.With2(loosensOutside, "original with log", -1)),
			register.NearMiss("with log for loglog, it is a tenth looser just outside",
				register.With2(loosensOutside, "original with log", 1.1)),
			register.NearMiss("with log for loglog, it does not depend on |x|",
				register.With2(loosensOutside, "original with log", 0)),
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
