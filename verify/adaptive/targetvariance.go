package adaptive

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// targetVariance are the statements on f and y*, in the proofs of Lemma 8 and Theorem 3.
func targetVariance() register.Checks {
	return register.Checks{
		"FAC-E11": register.Checked(chargesOfFilter(spec.AdvancedCharge),
			register.Control("f(y) = √(2 log(1/δ′)·y)", chargesOfFilter(func(y,
				delta1 float64) float64 {
				return spec.AdvancedCharge(y, delta1) - y/2
			})),
			register.NearMiss("f(y) is a hundredth less", chargesOfFilter(func(y,
				delta1 float64) float64 {
				return 0.99 * spec.AdvancedCharge(y, delta1)
			})),
			register.NearMiss("f(y) has the decadic logarithm", chargesOfFilter(func(y, delta1 float64) float64 {
				return spec.AdvancedCharge(y, math.Pow(delta1, 1/math.Ln10))
			})),
		),
		"FAC-X24": register.Checked(solves(1, 1),
			register.AlsoHolds("y* as printed solves f(y) = ε/2", solves(1, 0.5)),
			register.NearMiss("y* with 2.02·ε for ε does", solves(2.02, 1)),
			register.NearMiss("y* with 2ε for ε solves f(y) = 0.99·ε", solves(2, 0.99)),
			register.NearMiss("y* as printed solves f(y) = 0.505·ε", solves(1, 0.505)),
			register.Corrected("y* = (−√(2 log(1/δ′)) + √(2 log(1/δ′) + 2ε))² does", solves(2, 1)),
		),
		"FAC-X25": register.Checked(levelIs(func(a, b, _ float64) float64 { return math.Exp(-b * b / (2 * a)) }),
			register.AlsoFails(register.Slip, "exp(−b²/a) = δ′", levelIs(func(a, b,
				_ float64) float64 {
				return math.Exp(-b * b / a)
			})),
			register.AlsoFails(register.Slip, "exp((−2·y*·log(1/δ′))/y*) = δ′", levelIs(func(a, _,
				log float64) float64 {
				return math.Exp(-2 * a * log / a)
			})),
			register.Control("exp(−b/(2a)) = δ′", levelIs(func(a, b, _ float64) float64 { return math.Exp(-b / (2 * a)) })),
			register.NearMiss("exp(−b²/(2.001·a)) = δ′", levelIs(func(a, b,
				_ float64) float64 {
				return math.Exp(-b * b / (2.001 * a))
			})),
		),
		"FAC-X26": register.Checked(chain(1, 1, 1),
			register.Control("with 2ε for ε in y*, and twice the expected losses", chain(2, 2.1, 1)),
			register.NearMiss("with 1.98·ε for ε in y*", chain(1.98, 1, 1)),
			register.NearMiss("with 2.02·ε for ε in y*", chain(2.02, 1, 1)),
			register.NearMiss("with 2ε for ε in y*, and also for a hundredth more V_n than N allows", chain(2, 1, 1.01)),
			register.Corrected("with 2ε for ε in y*", chain(2, 1, 1)),
		),
	}
}

// targets are ε and δ′, to both ends.
func targets(t *register.T, visit func(eps, delta1 float64)) {
	t.Domain("ε = 0.01, 0.5, 1, 10 and 1000; δ′ = 0.9, 1/e, 0.1, 1e-6, 1e-60")
	for _, eps := range []float64{1, 0.01, 0.5, 10, 1000} {
		for _, delta1 := range []float64{1 / math.E, 0.9, 0.1, 1e-6, 1e-60} {
			t.Case()
			visit(eps, delta1)
		}
	}
}

// chargesOfFilter checks that one mechanism is admitted by Theorem 8 if and only if f of its ε² is at most ε, and that
// impl has the same f and, for half of the ε, the same y* (FAC-X24).
func chargesOfFilter(f func(y, delta1 float64) float64) register.Check {
	return func(t *register.T) {
		targets(t, func(eps, delta1 float64) {
			exactDelta, y := new(big.Rat).SetFloat64(delta1), spec.TargetVariance(eps, delta1)
			for _, factor := range []float64{0.5, 3.9, 3.999, 4.001, 4.1, 100} {
				v := factor * y
				charge := f(v, delta1)
				if isIn := spec.AdaptiveFilter([]float64{math.Sqrt(v)}, []float64{0}, eps, delta1,
					0) == 1; isIn != (charge <= eps) && !near(charge, eps) {
					t.Refute("δ′ = %.6g, ε = %g: f(%.9g) = %.9g, admitted: %v", delta1, eps, v, charge, isIn)
				}
				for _, up := range []float64{1 - 1e-4, 1, 1 + 1e-4} { // just below and above the capacity
					at := capacityOf(eps, delta1) * up
					if isIn := spec.AdaptiveFilter([]float64{math.Sqrt(at)}, []float64{0}, eps, delta1,
						0) == 1; isIn != (f(at, delta1) <= eps) && up != 1 {
						t.Refute("δ′ = %.6g, ε = %g: f(%.9g) = %.9g, admitted: %v", delta1, eps, at, f(at, delta1), isIn)
					}
				}
				if fast := impl.AdvancedCharge(new(big.Rat).SetFloat64(v), exactDelta).Float().Lo; !near(fast,
					spec.AdvancedCharge(v, delta1)) {
					t.Refute("δ′ = %.6g: f(%.9g) is %.12g by impl, %.12g by spec", delta1, v, fast, spec.AdvancedCharge(v, delta1))
				}
			}
			fast := impl.TargetVariance(loss.Nats(new(big.Rat).SetFloat64(eps/2)), exactDelta).Float().Lo
			if rounding := 1e-10 * math.Sqrt(2*math.Log(1/delta1)+eps) * math.Sqrt(fast); !(math.Abs(fast-y) <= rounding+1e-11*y) {
				t.Refute("δ′ = %.6g: y* is %.12g by impl for ε = %g, %.12g by spec for ε = %g", delta1, fast, eps/2, y, eps)
			}
		})
	}
}

// capacityOf returns the V where f(V) = ε, without a difference of large numbers.
func capacityOf(eps, delta1 float64) float64 {
	level := math.Sqrt(2 * math.Log(1/delta1))
	root := 2 * eps / (level + math.Sqrt(level*level+2*eps))
	return root * root
}

// solves checks that y* for so many ε makes f so many ε, that impl encloses the y* that makes it ε, and that f is s²/2
// + √(2 log(1/δ′))·s for s = √y, and increases.
func solves(factor, share float64) register.Check {
	return func(t *register.T) {
		targets(t, func(eps, delta1 float64) {
			y := spec.TargetVariance(factor*eps, delta1)
			got := spec.AdvancedCharge(y, delta1)
			if !(math.Abs(got-share*eps) <= 1e-9*(eps+2*math.Log(1/delta1))) { // by the difference of two roots
				t.Refute("ε = %g, δ′ = %.6g: y* = %.6g, f(y*) = %.6g", eps, delta1, y, got)
			}
			s, level := math.Sqrt(y), math.Sqrt(2*math.Log(1/delta1))
			if !near(got, s*s/2+level*s) || !(spec.AdvancedCharge(y*1.0001, delta1) > got) {
				t.Refute("δ′ = %.6g: f(%.6g) = %.12g, s²/2 + √(2 log(1/δ′))·s = %.12g", delta1, y, got, s*s/2+level*s)
			}
			exact, exactDelta := new(big.Rat).SetFloat64(eps), new(big.Rat).SetFloat64(delta1)
			in := impl.TargetVariance(loss.Nats(exact), exactDelta)
			if low, high := impl.AdvancedCharge(rat.Exact(in.Lower), exactDelta), impl.AdvancedCharge(rat.Exact(in.Upper),
				exactDelta); rat.IsAbove(low, exact) || !rat.IsAtMost(low, exact) && !rat.IsAbove(high, exact) {
				t.Refute("ε = %g, δ′ = %.6g: f of the y* of impl is in [%g, %g]", eps, delta1, low.Lower, high.Upper)
			}
		})
	}
}

// levelIs checks a form of the level of Theorem 4.
func levelIs(of func(a, b, log float64) float64) register.Check {
	return func(t *register.T) {
		targets(t, func(eps, delta1 float64) {
			log := math.Log(1 / delta1)
			a := spec.TargetVariance(eps, delta1)
			if got := of(a, math.Sqrt(2*log*a), log); !(math.Abs(got-delta1) <= 1e-9*delta1) {
				t.Refute("ε = %g, δ′ = %.6g: it is %.6g", eps, delta1, got)
			}
		})
	}
}

// chain checks line by line that what the loss is at most is at most ε, with y* for so many ε, expected losses scaled,
// and V_n up to so many times what is admitted.
func chain(factor, mean, beyond float64) register.Check {
	return func(t *register.T) {
		targets(t, func(eps, delta1 float64) {
			log, y := math.Log(1/delta1), spec.TargetVariance(factor*eps, delta1)
			root := math.Sqrt(2 * log * y)
			for _, n := range []int{1, 7} {
				each := make([]float64, n)
				for i := range each {
					each[i] = math.Sqrt(capacityOf(eps, delta1) / float64(n) * (1 - 1e-6) * beyond)
				}
				admitted := spec.AdaptiveFilter(each, make([]float64, n), eps, delta1, 0)
				if beyond > 1 {
					admitted = n
				}
				v, loss := 0.0, 0.0
				for _, e := range each[:admitted] {
					v, loss = v+e*e, loss+mean*e*math.Tanh(e/2)
				}
				lines := []float64{root/2 + root/(2*y)*v + loss, root/2 + root/(2*y)*v + v/2, root/2 + root/2 + v/2, root + y/2,
					eps}
				for i := range lines[1:] {
					if rounding := 1e-9 * (eps + 2*log); lines[i] > lines[i+1]+rounding || i == 3 && lines[3] < lines[4]-rounding {
						t.Refute("ε = %g, δ′ = %.6g, %d mechanisms with ε_m = %.6g: y* = %.6g, V_n = %.6g, and the lines are %.6g", eps,
							delta1, admitted, each[0], y, v, lines)
					}
				}
			}
		})
	}
}
