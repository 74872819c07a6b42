package adaptive

import (
	"math"
	"math/big"

	"checkrr/spec"
	"checkrr/verify/register"
)

// curves are the statements on what the odometers read, as functions of v = Σ ε_m².
func curves() register.Checks {
	return register.Checks{
		"FAC-X11": register.Checked(tightestAt(1, 5.05),
			register.NearMiss("the tightest at 1.02·y*", tightestAt(1.02, 5.05)),
			register.NearMiss("5.1 times at y*·100", tightestAt(1, 5.1)),
		),
		"FAC-X12": register.Checked(mixtureIsDecent(1.0778, 31),
			register.NearMiss("the least is 1.07 at δ′ = 1e-6", mixtureIsDecent(1.07, 31)),
			register.NearMiss("the least is at V = 25·γ at δ′ = 1e-6", mixtureIsDecent(1.0778, 25)),
		),
		"FAC-X13": register.Checked(stitchedFrom(1, 1),
			register.Control("the smaller v_0, the tighter", stitchedFrom(1, -1)),
			register.NearMiss("it is finite from 0.99·v_0 on", stitchedFrom(0.99, 1)),
			register.NearMiss("it is infinite below 1.01·v_0", stitchedFrom(1.01, 1)),
		),
		"FAC-X15": register.Checked(grows(loglog, log, log, linear, 0),
			register.AlsoFails(register.Slip, "so it is for u_n, with v/2", grows(loglog, log, log, linear, 0.5)),
			register.Control("the filter odometer is of the order √(v·log v)", grows(loglog, log, log, log, 0)),
			register.NearMiss("the stitched odometer is of the order √v", grows(constant, log, log, linear, 0)),
			register.NearMiss("the mixture odometer is of the order √(v·loglog v)", grows(loglog, loglog, log, linear, 0)),
			register.NearMiss("the original odometer is of the order √(v·loglog v)", grows(loglog, log, loglog, linear, 0)),
		),
		"FAC-X17": register.Checked(register.All(eachAtItsOwn(1), nearlyAttained(0.93, 1)),
			register.Control("the probability comes near δ′/2", nearlyAttained(0, 0.5)),
			register.NearMiss("each is the least at 1.3·y*", eachAtItsOwn(1.3)),
			register.NearMiss("it is at least 0.99·δ′ for ε = 1/32", nearlyAttained(0.99, 1)),
			register.NearMiss("it is at most 0.93·δ′", nearlyAttained(0, 0.93)),
		),
	}
}

// levels are the δ′ that are gone through.
var levels = []float64{0.5, 0.1, 1e-6, 1e-60}

// read1 returns what an odometer reads for one mechanism of variance v, less a part of v, with δ = 0.
func read1(o odometer, v, part float64) float64 {
	return o.read([]float64{math.Sqrt(v)}, []float64{0}) - part*v
}

// tightestAt checks that the filter odometer is what advanced composition charges at place·y*, and by a factor more far
// from it.
func tightestAt(place, far float64) register.Check {
	return func(t *register.T) {
		t.Domain("ε = 0.1, 1 and 10, δ′ = 0.5, 0.1, 1e-6 and 1e-60, V from y*/1024 to 1024·y*")
		for _, eps := range []float64{0.1, 1, 10} {
			for _, delta1 := range levels {
				y := spec.TargetVariance(eps, delta1) * place
				ratio := func(v float64) float64 {
					return read1(odometer{"filter", delta1, 0, eps}, v, 0.5) / (spec.AdvancedCharge(v, delta1) - v/2)
				}
				last := 1 - 1e-9
				for k := 0; k <= 10; k++ {
					t.Case()
					low, high := ratio(y/math.Exp2(float64(k))), ratio(y*math.Exp2(float64(k)))
					if k == 0 && low > 1+1e-9 || min(low, high) < last || !(math.Abs(low-high) <= 1e-6*low) {
						t.Refute("ε = %g, δ′ = %g: at V = %.6g·2^−%d and 2^%d times that, the odometer is %.8g and %.8g times what "+
							"advanced composition charges", eps, delta1, y, k, k, low, high)
					}
					last = min(low, high)
				}
				if at := ratio(100 * y); at < far*(1-1e-9) {
					t.Refute("ε = %g, δ′ = %g: at V = 100·%.6g the odometer is %.6g times what advanced composition charges", eps,
						delta1, y, at)
				}
			}
		}
	}
}

// mixtureIsDecent checks how the mixture odometer compares with advanced composition, as a function of V/γ: its least
// value, which is given for δ′ = 1e-6, and where.
func mixtureIsDecent(least, at float64) register.Check {
	return func(t *register.T) {
		t.Domain("δ′ = 0.5, 0.1, 1e-6 and 1e-60; V/γ from 1/1000 to 1e8, in steps of 2 %%; γ = 0.001, 1 and 1000")
		for _, delta1 := range levels {
			for _, gamma := range []float64{1e-3, 1, 1e3} {
				t.Case()
				ratio := func(x float64) float64 {
					return read1(odometer{"mixture", delta1, 0, gamma}, x*gamma, 0.5) / math.Sqrt(2*math.Log(1/delta1)*x*gamma)
				}
				best, where := math.Inf(1), 0.0
				turns, falling := 0, true
				last := math.Inf(1)
				for x := 1e-3; x < 1e8; x *= 1.02 {
					r := ratio(x)
					if r < best {
						best, where = r, x
					}
					if now := r < last; now != falling {
						turns, falling = turns+1, now
					}
					last = r
				}
				if best <= 1 || turns != 1 {
					t.Refute("δ′ = %g, γ = %g: the odometer is %.6g times what advanced composition charges, and turns %d times",
						delta1, gamma, best, turns)
				}
				if delta1 == 1e-6 && (!(math.Abs(best-least) <= 1e-4) || !(math.Abs(where/at-1) <= 0.05)) {
					t.Refute("δ′ = %g, γ = %g: the least is %.6g times what advanced composition charges, at V = %.3g·γ", delta1,
						gamma, best, where)
				}
			}
		}
	}
}

// stitchedFrom checks from where on the stitched odometer is finite, and that it falls in v_0, or for −1 rises.
func stitchedFrom(from, sign float64) register.Check {
	return func(t *register.T) {
		t.Domain("δ′ = 0.5, 0.1, 1e-6 and 1e-60; v_0 from 1e-9 to 1e3, V from v_0/1000 to 1e6·v_0")
		for _, delta1 := range levels {
			for v0 := 1e-9; v0 <= 1e3; v0 *= 10 {
				for _, up := range []float64{1e-3, 0.999, 0.9999 * from, 1.0001 * from, 1.001, 10, 1e6} {
					t.Case()
					v := up * v0
					u := read1(odometer{"stitched", delta1, 0, v0}, v, 0)
					if math.IsInf(u, 1) != (v < from*v0) {
						t.Refute("δ′ = %g, v_0 = %g: reads %.6g at V = %.6g", delta1, v0, u, v)
					}
					if other := read1(odometer{"stitched", delta1, 0, v0 / 2}, v, 0); v >= v0 && !(sign*(other-u) > 0) {
						t.Refute("δ′ = %g, V = %.6g: reads %.8g for v_0 = %g, and %.8g for v_0 = %g", delta1, v, u, v0, other, v0/2)
					}
				}
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

// grows checks the orders of the stitched, the mixture, the original and the filter odometer, with a part of v beside
// the first term.
func grows(stitched, mixture, original, filter order, part float64) register.Check {
	return func(t *register.T) {
		t.Domain("δ′ = 0.1, 1e-6 and 1e-60, ε = 1, γ = 1/500, v_0 = 1/100, |x| = 2 and 1000; v = 100, 1e4, …, 1e14")
		for _, delta1 := range levels[1:] {
			for _, c := range []struct {
				kind      string
				parameter float64
				order
			}{{"stitched", 0.01, stitched}, {"mixture", 1. / 500, mixture}, {"original", 2, original},
				{"original with log", 1000, original}, {"filter", 1, filter}} {
				last := math.Inf(1)
				for v := 100.0; v < 1e15; v *= 100 {
					t.Case()
					u := read1(odometer{c.kind, delta1, 0, c.parameter}, v, 0.5-part)
					if r := u / c.order(v); r > last*(1+1e-8) {
						t.Refute("δ′ = %g, the %s odometer: at v = %.3g, %.8g of the order, and %.8g at v = %.3g", delta1, c.kind, v, r,
							last, v/100)
					} else {
						last = r
					}
				}
			}
		}
	}
}

// eachAtItsOwn checks that of several filter odometers the one for y is the least at place·y.
func eachAtItsOwn(place float64) register.Check {
	return func(t *register.T) {
		t.Domain("filter odometers with ε = 0.1·1.25^k, k = 0, …, 20, δ′ = 0.5, 0.1, 1e-6 and 1e-60")
		var targets []float64
		for k := range 21 {
			targets = append(targets, 0.1*math.Pow(1.25, float64(k)))
		}
		for _, delta1 := range levels {
			for _, eps := range targets {
				t.Case()
				at := max(place*spec.TargetVariance(eps, delta1), 1e-9)
				own := read1(odometer{"filter", delta1, 0, eps}, at, 0)
				for _, other := range targets {
					if u := read1(odometer{"filter", delta1, 0, other}, at, 0); u < own*(1-1e-12) {
						t.Refute("δ′ = %g, V = %.6g: the odometer for ε = %g reads %.8g, the one for ε = %g %.8g", delta1, at, eps, own,
							other, u)
					}
				}
			}
		}
	}
}

// nearlyAttained checks that the probability that the filter odometer is ever exceeded rises as ε falls, to so much of
// δ′, and stays below another part of it.
func nearlyAttained(least, most float64) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("δ′ = 0.3, the filter odometer for ε = 2, against randomized responses with ε = 1/10, 1/20 and 1/32, V up to 2")
		last := 0.0
		for _, c := range []struct {
			eps    string
			rounds int
		}{{"1/10", 200}, {"1/20", 800}, {"1/32", 2048}} {
			t.Case()
			m := menuOf(c.eps + " 0")
			worst, above := worstExcess(t, m, c.rounds, odometerOf{m, odometer{"filter", 0.3, 0, 2}.readVariance},
				new(big.Rat).SetFloat64(0.3*most))
			p := worst.Float().Lo / 0.3
			if above || p < last {
				t.Refute("δ′ = 0.3, up to %d rounds of ε = %s: exceeded with a probability of %.6g·δ′, before with %.6g·δ′",
					c.rounds, c.eps, p, last)
			}
			last = p
			t.Close(p, "up to %d rounds of ε = %s", c.rounds, c.eps)
		}
		if last < least {
			t.Refute("δ′ = 0.3, up to 2048 rounds of ε = 1/32: exceeded with a probability of %.6g·δ′ only", last)
		}
	}
}

// readVariance is what the odometer reads for pure DP, which depends on Σ ε_m² only, in constant time.
func (o odometer) readVariance(eps, _ []float64) float64 {
	return read1(o, float64(len(eps))*eps[0]*eps[0], 0)
}
