package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

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
			near("so it is for a twentieth less than u^F_n", keeps(odometerClaim{factor: 0.95, use: ofKind("filter")}))),
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
	t.AlsoDomain("8 mechanisms that are pDP, 1 to 3000 times: with a loss that is sure, with losses ±ε, and randomized " +
		"response; δ_m from 0 to 1/4, δ′ in {1/100, 1/10, 1/2}")

	finite.Each2(pdps(), []float64{0.1, 0.01, 0.5}, func(m pdp, delta1 float64) {
		t.Case()
		e, d := math.Log(rat.Float64(m.expEps)), rat.Float64(m.delta)
		eps, delta2 := spec.AdvancedCharge(float64(m.n)*e*e, delta1)*(1+1e-9), float64(m.n)*d*(1+1e-12)
		n := spec.AdaptiveFilter(slices.Repeat([]float64{e}, m.n+2), slices.Repeat([]float64{d}, m.n+2), eps, delta1, delta2)
		t.Require(n == m.n, "%v: Theorem 8 admits %d of them", m, n)
		visit(m, eps, delta1, delta2)
	})
}

// pdpsKeep checks that all runs together need no more δ than so much of δ′ and of δ″.
func pdpsKeep(t *register.T, first, second float64) {
	eachPDP(t, func(m pdp, eps, delta1, delta2 float64) {
		delta := m.run(eps, eps, false).delta
		t.Require(delta <= (first*delta1+second*delta2)*(1+1e-9), "ε = %.6g, δ′ = %g, δ″ = %.6g, %v: need δ = %.6g", eps,
			delta1, delta2, m, delta)
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
