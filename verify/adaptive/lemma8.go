package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lemma8 are the statements on Lemma 8, and on the proofs of Theorems 8 and 3.
func lemma8() register.Checks {
	keepsBudget := func(r rule) register.Check { return with(holds, filterSettings, r, setting.budget) }
	keeps := func(c odometerClaim) register.Check { return with(exceeds, theorem3Cases, c) }
	return register.Checks{
		"FAC-L8": checked(all(keepsBudget(theorem8(1, 1, 1)), with(pdpsKeep, 1, 1)),
			near("with a tenth less of the first term", keepsBudget(theorem8(0.9, 1, 1))),
			near("it is (ε, 0.001·δ′ + 0.95·δ″)-DP", with(pdpsKeep, 0.001, 0.95))),
		"FAC-X27": checked(proof{part: 1}.check,
			alsoFails(register.ProofStep, "with |Loss_n| > ε_n in B", proof{absolute: true, part: 1}.check),
			alsoHolds("Pr(B) ≤ δ″ alone, with |Loss_n| as without", proof{100, false, true, 1}.check),
			alsoFails(register.ProofStep, "Pr(A ∩ B^c) ≤ δ′ for Pr(A | B^c) ≤ δ′", proof{0, true, false, 1}.check),
			near("with nine tenths of −ln(1 − Σ δ_m) added to ε", proof{0.9, true, false, 1}.check),
			near("Pr(B) ≤ 0.95·δ″", proof{100, false, true, 0.95}.check),
			corrected("Pr(A) ≤ Pr(A ∩ B^c) + Pr(B) ≤ δ′ + δ″ for A with ε − ln(1 − Σ δ_m)", proof{1, true, false,
				1}.check)),
		"FAC-X31": checked(all(keeps(odometerClaim{use: isPureCase}), with(expectedLoss, rat.One)),
			alsoFails(register.ProofStep, "the general case follows as in the proof of Lemma 8", with(isOdometer,
				odometerClaim{})),
			near("the expected loss is at most 0.99·ε_n²/2", with(expectedLoss, rat.Of("0.99"))),
			near("so it is for a twentieth less than u^F_n",
				keeps(odometerClaim{factor: 0.95, use: ofKind("filter")}))),
	}
}

// pdp is a mechanism that is (ε, δ)-pDP for neighbours in both orders, and runs n times.
type pdp struct {
	name          string
	outputs       [][2]*big.Rat // those that are possible on the true database: their probabilities on both
	expEps, delta *big.Rat
	n             int
}

func (m pdp) String() string {
	var laws []string
	for _, o := range m.outputs {
		laws = append(laws, rat.Show(o[:]...))
	}
	return fmt.Sprintf("%d mechanisms that are %s, δ_m = %s (outputs with the probabilities %s)", m.n, m.name,
		rat.Show(m.delta), strings.Join(laws, "; "))
}

// sureLoss has the laws (1, 0) and (1 − δ, δ), and ε = −ln(1 − δ).
func sureLoss(delta *big.Rat, n int) pdp {
	rest := rat.Complement(delta)
	return pdp{"of sure loss", [][2]*big.Rat{{rat.One, rest}}, rat.Quo(rat.One, rest), delta, n}
}

// tilted has the losses ±ε, more often ε than randomized response, as on the neighbour it does something else with
// probability δ: a/e + (1 − a)e = 1 − δ for e = e^ε.
func tilted(e, delta *big.Rat, n int) pdp {
	a := rat.Quo(rat.Sub(e, rat.Complement(delta)), rat.Sub(e, rat.Quo(rat.One, e)))
	b := rat.Complement(a)
	return pdp{"tilted, e^ε = " + rat.Show(e), [][2]*big.Rat{{a, rat.Quo(a, e)}, {b, rat.Mul(b, e)}}, e, delta, n}
}

// response is randomized response.
func response(e, delta *big.Rat, n int) pdp {
	each := rat.Quo(rat.Complement(delta), rat.Add(rat.One, e))
	more := rat.Mul(each, e)
	outputs := [][2]*big.Rat{{more, each}, {each, more}, {delta, new(big.Rat)}}
	return pdp{"randomized response, e^ε = " + rat.Show(e), outputs[:2+delta.Sign()], e, delta, n}
}

// pdps go to both ends: few and many, δ = 0, small and large ε.
func pdps() []pdp {
	return []pdp{
		sureLoss(rat.Of("1/60"), 6), sureLoss(rat.Of("1/30000"), 3000),
		tilted(rat.Of("11/10"), rat.Of("1/100"), 10), tilted(rat.Of("21/20"), rat.Of("1/50"), 8),
		tilted(rat.Of("3"), rat.Of("1/20"), 4),
		response(rat.Of("11/10"), new(big.Rat), 12), response(rat.Of("3"), rat.Of("1/50"), 5),
		response(rat.Of("9"), rat.Of("1/4"), 1),
	}
}

// exceeds reports whether the loss of an output is above ε, with its absolute value if that is what counts.
func (m pdp) exceeds(o [2]*big.Rat, absolute bool) bool {
	return o[0].Cmp(rat.Mul(m.expEps, o[1])) > 0 || absolute && o[1].Cmp(rat.Mul(m.expEps, o[0])) > 0
}

// total returns the sum of losses, given how often each output came.
func (m pdp) total(came [3]int) (loss float64) {
	for z, o := range m.outputs {
		switch {
		case came[z] > 0 && o[1].Sign() == 0:
			return math.Inf(1)
		case came[z] > 0:
			loss += float64(came[z]) * math.Log(rat.Float64(rat.Quo(o[0], o[1])))
		}
	}
	return loss
}

// path is where runs can be: how often each output came, whether the sum of losses was above a bound, and one loss
// above its ε.
type path struct {
	came       [3]int
	sum, above bool
}

// happened are the probabilities of the events of the proof of Lemma 8: A, that the sum of losses is above a bound
// after some run, and B, that a loss is above its ε; and the smallest δ of all runs together at ε.
type happened struct{ a, b, aNotB, delta float64 }

func (m pdp) run(bound, eps float64, absolute bool) (h happened) {
	at := map[path]*big.Rat{{}: rat.One}
	for range m.n {
		then := map[path]*big.Rat{}
		for s, pr := range at {
			for z, o := range m.outputs {
				next := s
				next.came[z]++
				next.above = s.above || m.exceeds(o, absolute)
				next.sum = s.sum || m.total(next.came) > bound*(1+1e-12)
				if then[next] == nil {
					then[next] = new(big.Rat)
				}
				then[next].Add(then[next], rat.Mul(pr, o[0]))
			}
		}
		at = then
	}
	for s, pr := range at {
		p := rat.Float64(pr)
		if s.sum {
			h.a += p
		}
		if s.above {
			h.b += p
		}
		if s.sum && !s.above {
			h.aNotB += p
		}
		h.delta += p * max(0, -math.Expm1(eps-m.total(s.came)))
	}
	return h
}

// eachPDP calls visit with mechanisms and the ε, δ′ and δ″ of a filter of Theorem 8 that just admits them.
func eachPDP(t *register.T, visit func(m pdp, eps, delta1, delta2 float64)) {
	t.AlsoDomain("8 mechanisms that are pDP, 1 to 3000 times: with a loss that is sure, with losses ±ε, " +
		"and randomized response; δ_m from 0 to 1/4, δ′ in {1/100, 1/10, 1/2}")

	finite.Each2(pdps(), []float64{0.1, 0.01, 0.5}, func(m pdp, delta1 float64) {
		t.Case()
		e, d := math.Log(rat.Float64(m.expEps)), rat.Float64(m.delta)
		eps, delta2 := spec.AdvancedCharge(float64(m.n)*e*e, delta1)*(1+1e-9), float64(m.n)*d*(1+1e-12)
		n := spec.AdaptiveFilter(slices.Repeat([]float64{e}, m.n+2), slices.Repeat([]float64{d}, m.n+2), eps,
			delta1, delta2)
		t.Require(n == m.n, "%v: Theorem 8 admits %d of them", m, n)
		visit(m, eps, delta1, delta2)
	})
}

// pdpsKeep checks that all runs together need no more δ than so much of δ′ and of δ″.
func pdpsKeep(t *register.T, first, second float64) {
	eachPDP(t, func(m pdp, eps, delta1, delta2 float64) {
		delta := m.run(eps, eps, false).delta
		t.Require(delta <= (first*delta1+second*delta2)*(1+1e-9), "ε = %.6g, δ′ = %g, δ″ = %.6g, %v: need δ = %.6g",
			eps, delta1, delta2, m, delta)
	})
}

// proof is a form of the inequalities: A with so much of −ln(1 − Σ δ_m) added to ε, Pr(A ∩ B^c) or Pr(A | B^c), B with
// |Loss_n|, and a part of δ″.
type proof struct {
	shift           float64
	joint, absolute bool
	part            float64
}

// check goes through the steps of the proof, one after the other.
func (p proof) check(t *register.T) {
	eachPDP(t, func(m pdp, eps, delta1, delta2 float64) {
		bound := eps
		if p.shift > 0 {
			bound += p.shift * shift(min(delta2, 0.999))
		}
		h := m.run(bound, eps, p.absolute)
		a, name := h.aNotB, "Pr(A ∩ B^c)"
		if !p.joint && h.b < 1 {
			name, a = "Pr(A | B^c)", a/(1-h.b)
		}
		t.In("ε = %.6g, δ′ = %g, δ″ = %.6g, %v", bound, delta1, delta2, m)
		ofB := p.part * delta2
		t.Require(a <= delta1*(1+1e-9), "%s = %.6g is more than δ′", name, a)
		t.Require(h.b <= ofB*(1+1e-9), "Pr(B) = %.6g is more than %.6g", h.b, ofB)
		t.Require(h.a <= (delta1+ofB)*(1+1e-9), "Pr(A) = %.6g is more than %.6g", h.a, delta1+ofB)
		if p.joint && len(m.outputs) == 1 {
			t.Close(m.total([3]int{m.n})/bound, "the sum of losses")
		}
	})
}

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
			alsoFails(register.Slip, "exp((−2·y*·log(1/δ′))/y*) = δ′", level(func(a, _, log float64) float64 {
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
			t.Require(isIn == (charge <= eps) || isNear(charge, eps), "δ′ = %.6g, ε = %g: f(%.9g) = %.9g, admitted: %v",
				delta1, eps, v, charge, isIn)
			agree(t, "f", ledger.AdvancedCharge(exact(v), exact(delta1)).Float().Lo, spec.AdvancedCharge(v, delta1))
		}
		fast := ledger.TargetVariance(loss.Nats(exact(eps/2)), exact(delta1)).Float().Lo
		rounding := 1e-10 * math.Sqrt(2*math.Log(1/delta1)+eps) * math.Sqrt(fast)
		t.Require(math.Abs(fast-y) <= rounding+1e-11*y, "δ′ = %.6g: y* is %.12g by impl for ε = %g, "+
			"%.12g by spec for ε = %g", delta1, fast, eps/2, y, eps)
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
		low, high := ledger.AdvancedCharge(rat.Exact(in.Lower), exact(delta1)),
			ledger.AdvancedCharge(rat.Exact(in.Upper), exact(delta1))
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
			lines := []float64{root/2 + root/(2*y)*v + loss, root/2 + root/(2*y)*v + v/2,
				root/2 + root/2 + v/2, root + y/2, eps}
			rounding := 1e-9 * (eps + 2*log)
			for i := range lines[1:] {
				t.Require(lines[i] <= lines[i+1]+rounding && (i < 3 || lines[3] >= lines[4]-rounding),
					"ε = %g, δ′ = %.6g, %d mechanisms with ε_m = %.6g: y* = %.6g, V_n = %.6g, and the lines are %.6g",
					eps, delta1, admitted, e, y, v, lines)
			}
		}
	})
}
