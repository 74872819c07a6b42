package adaptive

import (
	"math"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// curves are the statements on what the odometers read, as functions of v = Σ ε_m².
func curves() register.Checks {
	grow := growing{loglog, log, log, linear, 0}
	withDrift, filter, stitched, mixture, original := grow, grow, grow, grow, grow
	withDrift.part, filter.filter, stitched.stitched, mixture.mixture, original.original = 0.5, log, constant, loglog,
		loglog
	return register.Checks{
		"FAC-X11": checked(with(tightestAt, 1, 5.05),
			near("the tightest at 1.02·y*", with(tightestAt, 1.02, 5.05)),
			near("5.1 times at y*·100", with(tightestAt, 1, 5.1))),
		"FAC-X13": checked(with(stitchedFrom, 1, 1),
			near("the smaller v_0, the tighter", with(stitchedFrom, 1, -1)),
			near("it is finite from 0.99·v_0 on", with(stitchedFrom, 0.99, 1)),
			near("it is infinite below 1.01·v_0", with(stitchedFrom, 1.01, 1))),
		"FAC-X15": checked(grow.check,
			alsoFails(register.Slip, "so it is for u_n, with v/2", withDrift.check),
			near("the filter odometer is of the order √(v·log v)", filter.check),
			near("the stitched odometer is of the order √v", stitched.check),
			near("the mixture odometer is of the order √(v·loglog v)", mixture.check),
			near("the original odometer is of the order √(v·loglog v)", original.check)),
	}
}

// levels are the δ′ that are gone through.
var levels = []float64{0.5, 0.1, 1e-6, 1e-60}

// excess is how many times what advanced composition charges for one v an odometer is, both without v/2.
func (o odometer) excess(v float64) float64 {
	return (o.at(v) - v/2) / (spec.AdvancedCharge(v, o.delta1) - v/2)
}

// tightestAt checks that the filter odometer is what advanced composition charges at place·y*, and the more the farther
// from it: by a factor at y*·100.
func tightestAt(t *register.T, place, far float64) {
	t.AlsoDomain("ε = 0.1, 1, 2 and 10, δ′ = 0.5, 0.1, 1e-6 and 1e-60, V from y*/1024 to 1024·y*")
	finite.Each2([]float64{0.1, 1, 2, 10}, levels, func(eps, delta1 float64) {
		y, o := spec.TargetVariance(eps, delta1)*place, odometer{"filter", delta1, 0, eps}
		t.At("ε = %g, δ′ = %g, y* = %.6g", eps, delta1, y)
		last := 1 - 1e-9
		for k := 0.0; k <= 10; k++ {
			low, high := o.excess(y/math.Exp2(k)), o.excess(y*math.Exp2(k))
			t.Require((k > 0 || low <= 1+1e-9) && min(low, high) >= last && math.Abs(low-high) <= 1e-6*low,
				"at V = y*·2^−%g and y*·2^%g the odometer is %.8g and %.8g times what advanced composition charges",
				k, k, low, high)
			last = min(low, high)
		}
		at := o.excess(100 * y)
		t.Require(at >= far*(1-1e-9), "at V = 100·y* the odometer is %.6g times what advanced composition charges", at)
	})
}

// stitchedFrom checks from where on the stitched odometer is finite, and that it falls in v_0, or for −1 rises.
func stitchedFrom(t *register.T, from, sign float64) {
	t.Domain("δ′ = 0.5, 0.1, 1e-6 and 1e-60; v_0 from 1e-9 to 1e3, V from v_0/1000 to 1e6·v_0")
	ups := []float64{1e-3, 0.999, 0.9999 * from, 1.0001 * from, 1.001, 10, 1e6}
	finite.Each3(levels, []float64{1e-9, 1e-6, 1e-3, 1, 1e3}, ups, func(delta1, v0, up float64) {
		v := up * v0
		t.At("δ′ = %g, v_0 = %g, V = %.6g", delta1, v0, v)
		u, other := odometer{"stitched", delta1, 0, v0}.at(v), odometer{"stitched", delta1, 0, v0 / 2}.at(v)
		t.Require(math.IsInf(u, 1) == (v < from*v0) && (v < v0 || sign*(other-u) > 0), "reads %.8g, and %.8g for v_0/2",
			u, other)
	})
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
		o, last := odometer{c.kind, delta1, 0, c.parameter}, math.Inf(1)
		for v := 100.0; v < 1e15; v *= 100 {
			t.At("%v", o)
			r := (o.at(v) - (0.5-g.part)*v) / c.order(v)
			t.Require(r <= last*(1+1e-8), "at v = %.3g, %.8g of the order, and %.8g at v = %.3g", v, r, last, v/100)
			last = r
		}
	})
}

// rogers are the statements on the original odometer.
func rogers() register.Checks {
	return register.Checks{
		"FAC-L3": checked(with(exceeds, originalCases("original"), odometerClaim{}),
			alsoHolds("with log for loglog, δ_n = 0", with(exceeds, originalCases("original with log"),
				odometerClaim{use: isPureCase})),
			alsoFails("", "with log for loglog", with(isOriginal, odometerClaim{})),
			near("with log for loglog, a third less of it", with(isOriginal, odometerClaim{factor: 2. / 3, shift: 1})),
			near("with log for loglog, with four fifths of −ln(1 − Σ δ_m) added", with(isOriginal,
				odometerClaim{shift: 0.8})),
			corrected("it is with log for loglog and −ln(1 − Σ_{m≤n} δ_m) added", all(with(isOriginal,
				odometerClaim{shift: 1}), odometersAgree("original with log")))),
		"FAC-X14": checked(with(loosensOutside, "original", 1),
			control("with log for loglog, it gets looser inside", with(loosensOutside, "original with log", -1)),
			near("with log for loglog, it is a tenth looser just outside", with(loosensOutside, "original with log",
				1.1)),
			near("with log for loglog, it does not depend on |x|", with(loosensOutside, "original with log", 0)),
			corrected("it does with log for loglog", with(loosensOutside, "original with log", 1))),
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
	at := func(v float64) []odometer { return []odometer{{"original with log", 0.1, 0.1, 2 / math.Sqrt(v)}} }
	ofSureLosses(t, c, at, 100, 3000)
}

// loosensOutside checks that u − V/2 over √V is larger by a factor outside of [1/|x|², 1] than at its ends; −1 is for
// the other way round, 0 for the same with |x| twice as large.
func loosensOutside(t *register.T, kind string, factor float64) {
	t.Domain("|x| = 10, 1000 and 1e6, δ′ = 1/e, 0.01, 1e-6 and 1e-12, V from 1e-4/|x|² to 1e4")
	finite.Each2([]float64{10, 1000, 1e6}, []float64{1 / math.E, 0.01, 1e-6, 1e-12}, func(size, delta1 float64) {
		per := func(size, v float64) float64 {
			return (odometer{kind, delta1, 0, size}.at(v) - v/2) / math.Sqrt(v)
		}
		least := 1 / (size * size)
		for _, at := range [][2]float64{{least * 1.001, least * 0.999}, {least * 0.999, least * 0.01}, {0.999, 1.001},
			{1.001, 100}, {100, 1e4}} {
			t.At("|x| = %g, δ′ = %.6g", size, delta1)
			in, out := per(size, at[0]), per(size, at[1])
			isSo := out > in*factor
			switch factor {
			case -1:
				isSo = out < in
			case 0:
				isSo = isNear(in, per(2*size, at[0]))
			}
			t.Require(isSo, "(u − V/2)/√V is %.5g at V = %.6g, and %.5g at V = %.6g", in, at[0], out, at[1])
		}
	})
}
