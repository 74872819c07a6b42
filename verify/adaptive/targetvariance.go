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
func targetVariance() []register.Statement {
	return []register.Statement{
		{
			ID:       "FAC-E11",
			Title:    "f(y) = √(2 log(1/δ′)·y) + y/2 is what the filter of Theorem 8 charges for y = Σ ε_m², and y* is a variance",
			Printed:  "Eq. (11): f(y), y* = (−√(2 log(1/δ′)) + √(2 log(1/δ′) + ε))²",
			Reading:  "A definition; checked is that Theorem 8 admits rounds as long as f is at most ε. That y* solves f(y) = ε is FAC-X24.",
			Kind:     register.Property,
			Verdict:  register.Holds,
			In:       []string{"spec.AdvancedCharge", "spec.TargetVariance", "impl.AdvancedCharge", "impl.TargetVariance"},
			Check:    chargesOfFilter(spec.AdvancedCharge),
			Controls: []register.Claim{{Says: "f(y) = √(2 log(1/δ′)·y)", Check: chargesOfFilter(func(y, delta1 float64) float64 { return spec.AdvancedCharge(y, delta1) - y/2 })}},
			Near: []register.Claim{
				{Says: "f(y) is a hundredth less", Check: chargesOfFilter(func(y, delta1 float64) float64 { return 0.99 * spec.AdvancedCharge(y, delta1) })},
				{Says: "f(y) has the decadic logarithm", Check: chargesOfFilter(func(y, delta1 float64) float64 {
					return spec.AdvancedCharge(y, math.Pow(delta1, 1/math.Ln10))
				})},
			},
		},
		{
			ID:      "FAC-X24",
			Title:   "f is a quadratic polynomial in √y and strictly increasing, and y* of (11) solves f(y) = ε",
			Printed: "Appendix D, proof of Lemma 8, after eq. (11); y* = (−√(2 log(1/δ′)) + √(2 log(1/δ′) + ε))², as in Theorem 3",
			Kind:    register.Certified,
			Verdict: register.Fails,
			Weight:  register.Slip,
			Note: "With s = √y*, f(y*) = s²/2 + √(2 log(1/δ′))·s = ((s + √(2 log(1/δ′)))² − 2 log(1/δ′))/2 = ε/2: the coefficient 2 of ε is missing under the root, here and in Theorem 3. For ε = 1 and δ′ = 1/e it is y* = 0.10102 and f(y*) = 1/2. " +
				"Theorem 3 does not depend on it, but its filter odometer touches the curve of advanced composition where that is ε/2.",
			In:       []string{"spec.TargetVariance", "spec.AdvancedCharge", "impl.TargetVariance", "impl.AdvancedCharge", "impl.FilterCurve"},
			Check:    solves(1, 1),
			Controls: []register.Claim{{Says: "y* with 4ε for ε does", Check: solves(4, 1)}},
			Near: []register.Claim{
				{Says: "y* with 2.02·ε for ε does", Check: solves(2.02, 1)},
				{Says: "y* with 2ε for ε solves f(y) = 0.99·ε", Check: solves(2, 0.99)},
				{Says: "y* as printed solves f(y) = 0.505·ε", Check: solves(1, 0.505)},
			},
			Readings:  []register.Reading{{Claim: register.Claim{Says: "y* as printed solves f(y) = ε/2", Check: solves(1, 0.5)}, Verdict: register.Holds}},
			Corrected: &register.Claim{Says: "y* = (−√(2 log(1/δ′)) + √(2 log(1/δ′) + 2ε))² does", Check: solves(2, 1)},
		},
		{
			ID:      "FAC-X25",
			Title:   "With a = y* and b = √(2 log(1/δ′)·y*), the level of Theorem 4 is δ′",
			Printed: "Appendix D, proof of Lemma 8: exp(−b²/a) = exp((−2·y*·log(1/δ′))/y*) = δ′",
			Reading: "The level of Theorem 4, exp(−b²/(2a)), which is δ′ for every y*.",
			Kind:    register.Property,
			Verdict: register.Holds,
			Note:    "As printed, without the 2 in the denominator, the first two terms are equal, but to δ′²: for δ′ = 1/10 both are 1/100.",
			In:      []string{"spec.TargetVariance"},
			Check:   levelIs(func(a, b, _ float64) float64 { return math.Exp(-b * b / (2 * a)) }),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "exp(−b²/a) = δ′", Check: levelIs(func(a, b, _ float64) float64 { return math.Exp(-b * b / a) })}, Verdict: register.Fails, Weight: register.Slip},
				{Claim: register.Claim{Says: "exp((−2·y*·log(1/δ′))/y*) = δ′", Check: levelIs(func(a, _, log float64) float64 { return math.Exp(-2 * a * log / a) })}, Verdict: register.Fails, Weight: register.Slip},
			},
			Controls: []register.Claim{{Says: "exp(−b/(2a)) = δ′", Check: levelIs(func(a, b, _ float64) float64 { return math.Exp(-b / (2 * a)) })}},
			Near:     []register.Claim{{Says: "exp(−b²/(2.001·a)) = δ′", Check: levelIs(func(a, b, _ float64) float64 { return math.Exp(-b * b / (2.001 * a)) })}},
		},
		{
			ID:      "FAC-X26",
			Title:   "With a = y* and b = √(2 log(1/δ′)·y*), b/2 + (b/(2a))·V_n + Σ E(Loss_m) ≤ … = √(2 log(1/δ′)·y*) + V_n/2 ≤ … = ε for all n ≤ N",
			Printed: "Appendix D, proof of Lemma 8: six lines",
			Reading: "Checked is what follows the first line, which holds with probability 1 − δ′ by Theorem 4. The expected losses are those of randomized response, the largest.",
			Kind:    register.Property,
			Verdict: register.Fails,
			Weight:  register.Slip,
			Note: "By y* alone (FAC-X24): as printed, the last line is ε/2, and N of Theorem 8 allows V_n of up to 4·y*, for which the third line is not at most the fourth. " +
				"ε = 1, δ′ = 1/e and one mechanism with ε_1 = 0.5857: V_1 = 0.343 and y* = 0.101.",
			In:       []string{"spec.TargetVariance", "spec.AdaptiveFilter"},
			Check:    chain(1, 1, 1),
			Controls: []register.Claim{{Says: "with 2ε for ε in y*, and twice the expected losses", Check: chain(2, 2.1, 1)}},
			Near: []register.Claim{
				{Says: "with 1.98·ε for ε in y*", Check: chain(1.98, 1, 1)},
				{Says: "with 2.02·ε for ε in y*", Check: chain(2.02, 1, 1)},
				{Says: "with 2ε for ε in y*, and also for a hundredth more V_n than N allows", Check: chain(2, 1, 1.01)},
			},
			Corrected: &register.Claim{Says: "with 2ε for ε in y*", Check: chain(2, 1, 1)},
		},
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

// chargesOfFilter checks that one mechanism is admitted by Theorem 8 if and only if f of its ε² is at most ε, and that impl
// has the same f and, for half of the ε, the same y* (FAC-X24).
func chargesOfFilter(f func(y, delta1 float64) float64) register.Check {
	return func(t *register.T) {
		targets(t, func(eps, delta1 float64) {
			exactDelta, y := new(big.Rat).SetFloat64(delta1), spec.TargetVariance(eps, delta1)
			for _, factor := range []float64{0.5, 3.9, 3.999, 4.001, 4.1, 100} {
				v := factor * y
				charge := f(v, delta1)
				if isIn := spec.AdaptiveFilter([]float64{math.Sqrt(v)}, []float64{0}, eps, delta1, 0) == 1; isIn != (charge <= eps) && !near(charge, eps) {
					t.Refute("δ′ = %.6g, ε = %g: f(%.9g) = %.9g, admitted: %v", delta1, eps, v, charge, isIn)
				}
				for _, up := range []float64{1 - 1e-4, 1, 1 + 1e-4} { // just below and above the capacity
					at := capacityOf(eps, delta1) * up
					if isIn := spec.AdaptiveFilter([]float64{math.Sqrt(at)}, []float64{0}, eps, delta1, 0) == 1; isIn != (f(at, delta1) <= eps) && up != 1 {
						t.Refute("δ′ = %.6g, ε = %g: f(%.9g) = %.9g, admitted: %v", delta1, eps, at, f(at, delta1), isIn)
					}
				}
				if fast := impl.AdvancedCharge(new(big.Rat).SetFloat64(v), exactDelta).Float().Lo; !near(fast, spec.AdvancedCharge(v, delta1)) {
					t.Refute("δ′ = %.6g: f(%.9g) is %.12g by impl, %.12g by spec", delta1, v, fast, spec.AdvancedCharge(v, delta1))
				}
			}
			fast := impl.TargetVariance(loss.Nats(new(big.Rat).SetFloat64(eps/2)), exactDelta).Float().Lo
			if rounding := 1e-10 * math.Sqrt(2*math.Log(1/delta1)+eps) * math.Sqrt(fast); math.Abs(fast-y) > rounding+1e-11*y {
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

// solves checks that y* for so many ε makes f so many ε, that impl encloses the y* that makes it ε, and that f is s²/2 + √(2 log(1/δ′))·s
// for s = √y, and increases.
func solves(factor, share float64) register.Check {
	return func(t *register.T) {
		targets(t, func(eps, delta1 float64) {
			y := spec.TargetVariance(factor*eps, delta1)
			got := spec.AdvancedCharge(y, delta1)
			if math.Abs(got-share*eps) > 1e-9*(eps+2*math.Log(1/delta1)) { // by the difference of two roots
				t.Refute("ε = %g, δ′ = %.6g: y* = %.6g, f(y*) = %.6g", eps, delta1, y, got)
			}
			s, level := math.Sqrt(y), math.Sqrt(2*math.Log(1/delta1))
			if !near(got, s*s/2+level*s) || !(spec.AdvancedCharge(y*1.0001, delta1) > got) {
				t.Refute("δ′ = %.6g: f(%.6g) = %.12g, s²/2 + √(2 log(1/δ′))·s = %.12g", delta1, y, got, s*s/2+level*s)
			}
			exact, exactDelta := new(big.Rat).SetFloat64(eps), new(big.Rat).SetFloat64(delta1)
			in := impl.TargetVariance(loss.Nats(exact), exactDelta)
			if low, high := impl.AdvancedCharge(rat.Exact(in.Lower), exactDelta), impl.AdvancedCharge(rat.Exact(in.Upper), exactDelta); rat.IsAbove(low, exact) || !rat.IsAtMost(low, exact) && !rat.IsAbove(high, exact) {
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
			if got := of(a, math.Sqrt(2*log*a), log); math.Abs(got-delta1) > 1e-9*delta1 {
				t.Refute("ε = %g, δ′ = %.6g: it is %.6g", eps, delta1, got)
			}
		})
	}
}

// chain checks line by line that what the loss is at most is at most ε, with y* for so many ε, expected losses scaled, and V_n
// up to so many times what is admitted.
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
				lines := []float64{root/2 + root/(2*y)*v + loss, root/2 + root/(2*y)*v + v/2, root/2 + root/2 + v/2, root + y/2, eps}
				for i := range lines[1:] {
					if rounding := 1e-9 * (eps + 2*log); lines[i] > lines[i+1]+rounding || i == 3 && lines[3] < lines[4]-rounding {
						t.Refute("ε = %g, δ′ = %.6g, %d mechanisms with ε_m = %.6g: y* = %.6g, V_n = %.6g, and the lines are %.6g", eps, delta1, admitted, each[0], y, v, lines)
					}
				}
			}
		})
	}
}
