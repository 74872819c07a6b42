package adaptive

import (
	"math"
	"slices"

	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// targetVariance are the statements on f and y*, in the proofs of Lemma 8 and Theorem 3.
func targetVariance() register.Checks {
	lessF := func(y, delta1 float64) float64 { return 0.99 * spec.AdvancedCharge(y, delta1) }
	decadic := func(y, delta1 float64) float64 { return spec.AdvancedCharge(y, math.Pow(delta1, 1/math.Ln10)) }
	level := func(b2 func(a, b, log float64) float64) register.Check {
		return with(levelIs, func(a, b, log float64) float64 { return math.Exp(-b2(a, b, log)) })
	}
	return register.Checks{
		"FAC-E11": checked(with(chargesOfFilter, spec.AdvancedCharge),
			near("f(y) is a hundredth less", with(chargesOfFilter, lessF)),
			near("f(y) has the decadic logarithm", with(chargesOfFilter, decadic))),
		"FAC-X24": checked(with(solves, 1, 1),
			alsoHolds("y* as printed solves f(y) = ε/2", with(solves, 1, 0.5)),
			near("y* with 2.02·ε for ε does", with(solves, 2.02, 1)),
			near("y* with 2ε for ε solves f(y) = 0.99·ε", with(solves, 2, 0.99)),
			corrected("y* = (−√(2 log(1/δ′)) + √(2 log(1/δ′) + 2ε))² does", with(solves, 2, 1))),
		"FAC-X25": checked(level(func(a, b, _ float64) float64 { return b * b / (2 * a) }),
			alsoFails(register.Slip, "exp(−b²/a) = δ′", level(func(a, b, _ float64) float64 { return b * b / a })),
			alsoFails(register.Slip, "exp((−2·y*·log(1/δ′))/y*) = δ′", level(func(a, _,
				log float64) float64 {
				return 2 * a * log / a
			})),
			near("exp(−b²/(2.001·a)) = δ′", level(func(a, b, _ float64) float64 { return b * b / (2.001 * a) })),
		),
		"FAC-X26": checked(with(chain, 1, 1, 1),
			control("with 2ε for ε in y*, and twice the expected losses", with(chain, 2, 2.1, 1)),
			near("with 1.98·ε for ε in y*", with(chain, 1.98, 1, 1)),
			near("with 2.02·ε for ε in y*", with(chain, 2.02, 1, 1)),
			near("with 2ε for ε in y*, and also for a hundredth more V_n than N allows", with(chain, 2, 1, 1.01)),
			corrected("with 2ε for ε in y*", with(chain, 2, 1, 1))),
	}
}

// targets are ε and δ′, to both ends.
func targets(t *register.T, visit func(eps, delta1 float64)) {
	t.Domain("ε = 0.01, 0.5, 1, 10 and 1000; δ′ = 0.9, 1/e, 0.1, 1e-6, 1e-60")
	finite.Each2([]float64{1, 0.01, 0.5, 10, 1000}, []float64{1 / math.E, 0.9, 0.1, 1e-6, 1e-60},
		func(eps, delta1 float64) {
			t.Case()
			visit(eps, delta1)
		})
}

// chargesOfFilter checks that one mechanism is admitted by Theorem 8 if and only if f of its ε² is at most ε, and that
// impl has the same f and, for half of the ε, the same y* (FAC-X24).
func chargesOfFilter(t *register.T, f func(y, delta1 float64) float64) {
	targets(t, func(eps, delta1 float64) {
		y, capacity := spec.TargetVariance(eps, delta1), capacityOf(eps, delta1)
		for _, v := range []float64{0.5 * y, capacity * (1 - 1e-4), capacity, capacity * (1 + 1e-4), 3.9 * y, 3.999 * y,
			4.001 * y, 4.1 * y, 100 * y} {
			charge := f(v, delta1)
			isIn := spec.AdaptiveFilter([]float64{math.Sqrt(v)}, []float64{0}, eps, delta1, 0) == 1
			t.Require(isIn == (charge <= eps) || isNear(charge, eps), "δ′ = %.6g, ε = %g: f(%.9g) = %.9g, admitted: %v", delta1,
				eps, v, charge, isIn)
			agree(t, "f", ledger.AdvancedCharge(exact(v), exact(delta1)).Float().Lo, spec.AdvancedCharge(v, delta1))
		}
		fast := ledger.TargetVariance(loss.Nats(exact(eps/2)), exact(delta1)).Float().Lo
		rounding := 1e-10 * math.Sqrt(2*math.Log(1/delta1)+eps) * math.Sqrt(fast)
		t.Require(math.Abs(fast-y) <= rounding+1e-11*y, "δ′ = %.6g: y* is %.12g by impl for ε = %g, %.12g by spec for ε = %g",
			delta1, fast, eps/2, y, eps)
	})
}

// capacityOf returns the V where f(V) = ε, without a difference of large numbers.
func capacityOf(eps, delta1 float64) float64 {
	level := math.Sqrt(2 * math.Log(1/delta1))
	root := 2 * eps / (level + math.Sqrt(level*level+2*eps))
	return root * root
}

// solves checks that y* for so many ε makes f so many ε, that impl encloses the y* that makes it ε, and that f is s²/2
// + √(2 log(1/δ′))·s for s = √y, and increases.
func solves(t *register.T, factor, share float64) {
	targets(t, func(eps, delta1 float64) {
		y := spec.TargetVariance(factor*eps, delta1)
		got := spec.AdvancedCharge(y, delta1)
		t.Require(math.Abs(got-share*eps) <= 1e-9*(eps+2*math.Log(1/delta1)), // by the difference of two roots
			"ε = %g, δ′ = %.6g: y* = %.6g, f(y*) = %.6g", eps, delta1, y, got)
		s, level := math.Sqrt(y), math.Sqrt(2*math.Log(1/delta1))
		t.Require(isNear(got, s*s/2+level*s) && spec.AdvancedCharge(y*1.0001, delta1) > got,
			"δ′ = %.6g: f(%.6g) = %.12g, s²/2 + √(2 log(1/δ′))·s = %.12g", delta1, y, got, s*s/2+level*s)
		in := ledger.TargetVariance(loss.Nats(exact(eps)), exact(delta1))
		low, high := ledger.AdvancedCharge(rat.Exact(in.Lower), exact(delta1)), ledger.AdvancedCharge(rat.Exact(in.Upper),
			exact(delta1))
		isIn := !rat.IsAbove(low, exact(eps)) && (rat.IsAtMost(low, exact(eps)) || rat.IsAbove(high, exact(eps)))
		t.Require(isIn, "ε = %g, δ′ = %.6g: f of the y* of impl is in [%g, %g]", eps, delta1, low.Lower, high.Upper)
	})
}

// levelIs checks a form of the level of Theorem 4.
func levelIs(t *register.T, of func(a, b, log float64) float64) {
	targets(t, func(eps, delta1 float64) {
		log, a := math.Log(1/delta1), spec.TargetVariance(eps, delta1)
		got := of(a, math.Sqrt(2*log*a), log)
		t.Require(math.Abs(got-delta1) <= 1e-9*delta1, "ε = %g, δ′ = %.6g: it is %.6g", eps, delta1, got)
	})
}

// chain checks line by line that what the loss is at most is at most ε, with y* for so many ε, expected losses scaled,
// and V_n up to so many times what is admitted.
func chain(t *register.T, factor, mean, beyond float64) {
	targets(t, func(eps, delta1 float64) {
		log, y := math.Log(1/delta1), spec.TargetVariance(factor*eps, delta1)
		root := math.Sqrt(2 * log * y)
		for _, n := range []int{1, 7} {
			e := math.Sqrt(capacityOf(eps, delta1) / float64(n) * (1 - 1e-6) * beyond)
			admitted := spec.AdaptiveFilter(slices.Repeat([]float64{e}, n), make([]float64, n), eps, delta1, 0)
			if beyond > 1 {
				admitted = n
			}
			v := float64(admitted) * e * e
			loss := float64(admitted) * mean * e * math.Tanh(e/2)
			lines := []float64{root/2 + root/(2*y)*v + loss, root/2 + root/(2*y)*v + v/2, root/2 + root/2 + v/2, root + y/2,
				eps}
			rounding := 1e-9 * (eps + 2*log)
			for i := range lines[1:] {
				t.Require(lines[i] <= lines[i+1]+rounding && (i < 3 || lines[3] >= lines[4]-rounding),
					"ε = %g, δ′ = %.6g, %d mechanisms with ε_m = %.6g: y* = %.6g, V_n = %.6g, and the lines are %.6g", eps, delta1,
					admitted, e, y, v, lines)
			}
		}
	})
}
