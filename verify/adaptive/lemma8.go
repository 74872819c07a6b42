package adaptive

import (
	"fmt"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lemma8 are the statements on Lemma 8, and on the proofs of Theorems 8 and 3.
func lemma8() register.Checks {
	return register.Checks{
		"FAC-L8": register.Checked(register.All(keepsBudget(asTheorem8, allOfDelta, everySetting), pdpsKeep(1, 1)),
			register.Control("if Σ δ_m is not limited", keepsBudget(theorem8(1, 1, 0), allOfDelta, everySetting)),
			register.Control("it is (ε, δ)-DP with a fifth of δ′ and of δ″", pdpsKeep(0.2, 0.2)),
			register.NearMiss("with a tenth less of the first term", keepsBudget(theorem8(0.9, 1, 1), allOfDelta, everySetting)),
			register.NearMiss("with half of the second term", keepsBudget(theorem8(1, 0.5, 1), allOfDelta, everySetting)),
			register.NearMiss("with a twentieth less of Σ δ_m", keepsBudget(theorem8(1, 1, 0.95), allOfDelta, everySetting)),
			register.NearMiss("it is (ε, 0.001·δ′ + 0.95·δ″)-DP", pdpsKeep(0.001, 0.95)),
		),
		"FAC-X27": register.Checked(unionBound(proof{}),
			register.AlsoFails(register.ProofStep, "with |Loss_n| > ε_n in B", unionBound(proof{absolute: true})),
			register.AlsoHolds("Pr(B) ≤ δ″ alone, with |Loss_n| as without", unionBound(proof{absolute: true, shift: 100})),
			register.AlsoFails(register.ProofStep, "Pr(A ∩ B^c) ≤ δ′ for Pr(A | B^c) ≤ δ′", unionBound(proof{joint: true})),
			register.Control("with −½ ln(1 − Σ δ_m) added to ε", unionBound(proof{shift: 0.5, joint: true})),
			register.Control("Pr(B) ≤ δ″/2", unionBound(proof{shift: 100, absolute: true, part: 0.5})),
			register.NearMiss("with nine tenths of −ln(1 − Σ δ_m) added to ε", unionBound(proof{shift: 0.9, joint: true})),
			register.NearMiss("Pr(B) ≤ 0.95·δ″", unionBound(proof{shift: 100, absolute: true, part: 0.95})),
			register.Corrected("Pr(A) ≤ Pr(A ∩ B^c) + Pr(B) ≤ δ′ + δ″ for A with ε − ln(1 − Σ δ_m)", unionBound(proof{shift: 1,
				joint: true})),
		),
		"FAC-X30": register.Checked(coupled(rat.One, true),
			register.NearMiss("the R_n may have 0.95·δ_n", coupled(rat.Of("0.95"), true)),
			register.NearMiss("the A_n alone are (ε_n, δ_n)-pDP", coupled(rat.One, false)),
		),
		"FAC-X31": register.Checked(register.All(neverExceeds(theorem3, noShift, 1, isPureCase), expectsLittle(1)),
			register.AlsoFails(register.ProofStep, "the general case follows as in the proof of Lemma 8", isOdometer(theorem3,
				noShift, 1)),
			register.NearMiss("the expected loss is at most 0.99·ε_n²/2", expectsLittle(0.99)),
			register.NearMiss("so it is for a twentieth less than u^F_n", neverExceeds(theorem3, noShift, 0.95,
				ofKind("filter"))),
			register.NearMiss("so it is for a tenth less than u^M_n", neverExceeds(theorem3, noShift, 0.9, ofKind("mixture"))),
			register.NearMiss("so it is for a tenth less than u^S_n", neverExceeds(theorem3, noShift, 0.9, ofKind("stitched"))),
		),
	}
}

const pdpDomain = "8 mechanisms that are pDP, 1 to 3000 times: with a loss that is sure, with losses ±ε, and " +
	"randomized response; δ_m from 0 to 1/4, δ′ in {1/100, 1/10, 1/2}"

// eachPDP calls visit with mechanisms and a filter that just admits them.
func eachPDP(t *register.T, visit func(m pdp, eps, delta1, delta2 float64)) {
	t.AlsoDomain(pdpDomain)
	for _, m := range pdps() {
		for _, delta1 := range []float64{0.1, 0.01, 0.5} {
			t.Case()
			eps, delta2 := m.budget(delta1)
			if n := m.runs(eps, delta1, delta2); n != m.n {
				t.Refute("%v: Theorem 8 admits %d of them", m, n)
			}
			visit(m, eps, delta1, delta2)
		}
	}
}

// pdpsKeep checks that all runs together need no more δ than so much of δ′ and of δ″.
func pdpsKeep(first, second float64) register.Check {
	return func(t *register.T) {
		eachPDP(t, func(m pdp, eps, delta1, delta2 float64) {
			if _, delta := m.run(m.n, eps, eps, false); delta > (first*delta1+second*delta2)*(1+1e-9) {
				t.Refute("ε = %.6g, δ′ = %g, δ″ = %.6g, %v: need δ = %.6g", eps, delta1, delta2, m, delta)
			}
		})
	}
}

// proof is a form of the inequalities: A with so much of −ln(1 − Σ δ_m) added to ε, Pr(A ∩ B^c) or Pr(A | B^c), B with
// |Loss_n|, and a part of δ″, 0 for all of it.
type proof struct {
	shift           float64
	joint, absolute bool
	part            float64
}

// unionBound checks the steps of the proof, one after the other.
func unionBound(p proof) register.Check {
	if p.part == 0 {
		p.part = 1
	}
	return func(t *register.T) {
		eachPDP(t, func(m pdp, eps, delta1, delta2 float64) {
			bound := eps
			if p.shift > 0 {
				bound += p.shift * shift(min(delta2, 0.999))
			}
			h, _ := m.run(m.n, bound, eps, p.absolute)
			a, b := rat.Float64(h.aNotB), rat.Float64(h.b)
			name := "Pr(A ∩ B^c)"
			if !p.joint && b < 1 {
				name, a = "Pr(A | B^c)", a/(1-b)
			}
			where := fmt.Sprintf("ε = %.6g, δ′ = %g, δ″ = %.6g, %v", bound, delta1, delta2, m)
			switch most := delta1 + p.part*delta2; {
			case a > delta1*(1+1e-9):
				t.Refute("%s: %s = %.6g is more than δ′", where, name, a)
			case b > p.part*delta2*(1+1e-9):
				t.Refute("%s: Pr(B) = %.6g is more than %.6g", where, b, p.part*delta2)
			case rat.Float64(h.a) > most*(1+1e-9):
				t.Refute("%s: Pr(A) = %.6g is more than %.6g", where, h.a, most)
			}
			if p.joint {
				t.Close(m.worstLoss()/bound, "%s: the sum of losses", where)
			}
		})
	}
}

// worstLoss is the loss that is sure, or 0.
func (m pdp) worstLoss() float64 {
	if len(m.p) > 1 {
		return 0
	}
	return float64(m.n) * m.loss(0)
}

// coupled checks the coupling with randomized responses of which the δ is scaled, and pDP of the pairs or of the A_n
// alone.
func coupled(factor *big.Rat, withResponses bool) register.Check {
	return func(t *register.T) {
		t.Domain("two rounds, e^ε in {3/2, 3}; all pairs of laws over 2 outputs with probabilities k/4 first, then one of " +
			"3 pairs by the output; δ_n the smallest")
		expEps := rat.List("3/2", "3")
		law := func(p *big.Rat) finite.Law { return finite.Law{"a": p, "b": rat.Complement(p)} }
		seconds := []finite.Pair{{law(rat.Of("1/5")), law(rat.Of("1/2"))}, {law(rat.Half), law(rat.Half)},
			{law(rat.One), law(rat.Of("1/4"))}}
		for _, e := range expEps {
			for first := range finite.PairsOf(finite.Laws(2, 4)) {
				for i := range seconds {
					t.Case()
					joint := finite.Pair{{}, {}}
					at := couple(t, first, e, factor, withResponses)
					for b := range joint {
						for z, pr := range at[b] {
							second := couple(t, seconds[(i+int(z[len(z)-1]))%3], e, factor, withResponses)
							for y, pr2 := range second[b] {
								joint[b].Add(z[len(z)-1:]+y[len(y)-1:], rat.Mul(pr, pr2))
							}
						}
						for _, z := range []string{"a", "b"} {
							second := seconds[(i+int(z[0]))%3]
							for _, y := range []string{"a", "b"} {
								if want := rat.Mul(first[b].Pr(z), second[b].Pr(y)); joint[b].Pr(z+y).Cmp(want) != 0 {
									t.Refute("%v, then %v: the outputs %s have probability %s, with the responses %s", first, second, z+y, want,
										joint[b].Pr(z+y))
								}
							}
						}
					}
				}
			}
		}
	}
}

// couple returns the laws of (R, ν(·, R)) on both databases, and checks that they are (ε, δ)-pDP in both orders.
func couple(t *register.T, laws finite.Pair, e, factor *big.Rat, withResponses bool) finite.Pair {
	delta := laws.DeltaBothWays(finite.Constant(e))
	m := spec.Mechanism{ExpEps: e, Delta: rat.Mul(factor, delta)}
	kernel := finite.Simulation(laws, m)
	if err := kernel.Simulates(laws, m); err != nil {
		t.Refute("%v, e^ε = %s, δ = %s: %v", laws, e, m.Delta, err)
	}
	joint := finite.Pair{{}, {}}
	for b, responses := range finite.Responses(m) {
		for r, pr := range responses {
			for z, share := range kernel[r] {
				joint[b].Add(r+z, rat.Mul(pr, share))
			}
		}
	}
	if !withResponses {
		joint = laws
	}
	for b := range joint {
		above := new(big.Rat)
		for z, p := range joint[b] {
			if q := joint[1-b].Pr(z); p.Cmp(rat.Mul(e, q)) > 0 || q.Cmp(rat.Mul(e, p)) > 0 {
				above.Add(above, p)
			}
		}
		if above.Cmp(m.Delta) > 0 {
			t.Refute("%v, e^ε = %s: the loss is beyond ±ε with probability %s, more than δ = %s", joint, e, above, m.Delta)
		}
	}
	return joint
}

// expectsLittle checks that the expected loss is at most a part of ε²/2.
func expectsLittle(part float64) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("mechanisms with 2 outputs and the losses −i·ln b and k·ln b, i, k ≤ 4, b = 1.001, 1.1, 2 and 10")
		for _, base := range rat.List("1001/1000", "11/10", "2", "10") {
			unit := interval.Precision(64).Log(base).Float()
			for _, m := range lattices(base, 4) {
				t.Case()
				centered := spec.LossMartingale([]*big.Rat{rat.Int(m.loss[0])}, []*big.Rat{m.mean()}) // Loss − E(Loss)
				mean := unit.Mul(interval.FloatOf(rat.Sub(rat.Int(m.loss[0]), centered)))
				eps := unit.Mul(interval.Point(float64(m.eps())))
				bound := eps.Mul(eps).Mul(interval.Point(part / 2))
				if mean.Lo > bound.Hi {
					t.Refute("%v: the expected loss is %.8g, claimed is at most %.8g", m, mean.Lo, bound.Hi)
				}
				t.Close(mean.Hi/bound.Lo, "%v", m)
			}
		}
	}
}
