package adaptive

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lossMartingale are the statements on the martingale of the privacy loss.
func lossMartingale() []register.Statement {
	return []register.Statement{
		{
			ID:      "FAC-E10",
			Title:   "The privacy loss minus the sum of what is expected of each round is a martingale",
			Printed: "Eq. (10): M_n = Loss_{1:n}(x,x′) − Σ_{m≤n} E(Loss_m(x,x′) | F_{n−1}(x))",
			Reading: "F_{m−1} for F_{n−1}, as in the proof of Lemma 8.",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "Given F_{n−1} the losses before round n are known, so what is literally printed is M_n = Loss_n − E(Loss_n | F_{n−1}), the last difference.",
			In:      []string{"spec.LossMartingale"},
			Check:   isMartingale(expectedThen, true),
			Readings: []register.Reading{{Claim: register.Claim{Says: "with F_{n−1} for all m", Check: isMartingale(func(_ int, m onLattice, loss *big.Rat, isLast bool) *big.Rat {
				if isLast {
					return m.mean()
				}
				return loss
			}, true)}, Verdict: register.Fails, Weight: register.Slip}},
			Controls: []register.Claim{{Says: "the loss itself is", Check: isMartingale(func(int, onLattice, *big.Rat, bool) *big.Rat { return new(big.Rat) }, true)}},
			Near: []register.Claim{
				{Says: "with a hundredth more of what is expected", Check: isMartingale(func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat { return rat.Mul(rat.Of("101/100"), m.mean()) }, true)},
				{Says: "without what is expected of the third round", Check: isMartingale(func(round int, m onLattice, _ *big.Rat, _ bool) *big.Rat {
					if round == 3 {
						return new(big.Rat)
					}
					return m.mean()
				}, true)},
			},
		},
		{
			ID:       "FAC-X22",
			Title:    "M_n = Loss_{1:n} − Σ_{m≤n} E(Loss_m | F_{m−1}) is a martingale for pure DP, also where mechanisms depend on the outputs before them",
			Printed:  "Appendix D, proof of Lemma 8",
			Kind:     register.Exact,
			Verdict:  register.Holds,
			In:       []string{"spec.LossMartingale"},
			Check:    isMartingale(expectedThen, false),
			Controls: []register.Claim{{Says: "with what is expected on the neighbouring database, which is minus that for randomized response", Check: isMartingale(func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat { return rat.Sub(new(big.Rat), m.mean()) }, false)}},
			Near: []register.Claim{{Says: "with ε_m²/2 for what is expected", Check: isMartingale(func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat {
				return rat.Mul(rat.Of("0.34657"), rat.Int(m.eps()*m.eps())) // of (k ln 2)²/2, in units of ln 2
			}, false)}},
		},
		{
			ID:       "FAC-X23",
			Title:    "Given the outputs before it, ΔM_n = Loss_n − E(Loss_n | F_{n−1}) is ε_n²-subGaussian for an ε_n-DP mechanism",
			Printed:  "Appendix D, proof of Lemma 8: E(e^{λΔM_n} | F_{n−1}) ≤ e^{λ²ε_n²/2}",
			Reading:  "For all λ, as FAC-T6 needs, and not for λ ≥ 0 only.",
			Kind:     register.Certified,
			Verdict:  register.Holds,
			In:       []string{"spec.LossMartingale"},
			Check:    isSubGaussian(1, 1),
			Controls: []register.Claim{{Says: "it is (ε_n²/2)-subGaussian", Check: isSubGaussian(0.5, 1)}},
			Near: []register.Claim{
				{Says: "it is (0.99·ε_n²)-subGaussian", Check: isSubGaussian(0.99, 1)},
				{Says: "nine tenths of the loss are taken for what is expected of it", Check: isSubGaussian(1, 0.9)},
			},
		},
	}
}

// expected is what is taken for the expected loss of a round.
type expected func(round int, m onLattice, loss *big.Rat, isLast bool) *big.Rat

func expectedThen(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat { return m.mean() }

// isMartingale checks that after every sequence of outputs of up to three mechanisms, each of which an adversary chooses
// by the outputs before it, M_n is expected to be M_{n−1}. Losses are in units of ln base.
func isMartingale(of expected, isResponse bool) register.Check {
	return func(t *register.T) {
		t.Domain("random adversaries over mechanisms with 2 outputs and the losses −i·ln 2 and k·ln 2, i, k ≤ 3, 3 rounds, all outputs")
		all := lattices(rat.Int(2), 3)
		if isResponse {
			all = []onLattice{all[0], all[4], all[8]}
			t.Domain("random adversaries over randomized responses with e^ε = 2, 4 and 8, 3 rounds, all outputs")
		}
		t.Random(10, t.Size(100, 1000), func(t *register.T, d register.Dice) {
			known := map[string]onLattice{}
			goThrough(t, d, known, all, "", nil, nil, of)
		})
	}
}

// goThrough looks at what follows the outputs so far.
func goThrough(t *register.T, d register.Dice, known map[string]onLattice, all []onLattice, outputs string, played []onLattice, losses []*big.Rat, of expected) {
	if len(played) == 3 {
		return
	}
	m := drawn(d, known, all, outputs)
	mean, before := new(big.Rat), valueOf(played, losses, of)
	played = append(played[:len(played):len(played)], m)
	for z, pr := range m.p {
		then := append(losses[:len(losses):len(losses)], rat.Int(m.loss[z]))
		mean = rat.Add(mean, rat.Mul(pr, valueOf(played, then, of)))
		goThrough(t, d, known, all, outputs+string(rune('a'+z)), played, then, of)
	}
	if mean.Cmp(before) != 0 {
		t.Refute("%v, losses %s so far: M_%d = %s, and M_%d is expected to be %s, in units of ln 2", played, rat.Show(losses...), len(losses), rat.Show(before), len(played), rat.Show(mean))
	}
}

// valueOf returns M_n.
func valueOf(played []onLattice, losses []*big.Rat, of expected) *big.Rat {
	var means []*big.Rat
	for i, m := range played {
		means = append(means, of(i+1, m, losses[i], i == len(played)-1))
	}
	return spec.LossMartingale(losses, means)
}

// isSubGaussian checks the moment generating function of ΔM_1, with ε² scaled, and the expected loss.
func isSubGaussian(square, share float64) register.Check {
	return func(t *register.T) {
		t.Domain("mechanisms with 2 outputs and the losses −i·ln b and k·ln b, i, k ≤ 4, b = 1.001, 1.1, 2 and 10; |λ| = 1/4, 1, 4 and 16")
		for _, base := range rat.List("1001/1000", "11/10", "2", "10") {
			unit := interval.Precision(64).Log(base).Float()
			for _, m := range lattices(base, 4) {
				for _, lambda := range []float64{0.25, 1, 4, 16, -0.25, -1, -4, -16} {
					t.Case()
					mean := rat.Mul(new(big.Rat).SetFloat64(share), m.mean())
					moment := interval.Point(0)
					for z, pr := range m.p {
						delta := spec.LossMartingale([]*big.Rat{rat.Int(m.loss[z])}, []*big.Rat{mean})
						moment = moment.Add(interval.FloatOf(pr).Mul(unit.Mul(interval.Point(lambda)).Mul(interval.FloatOf(delta)).Exp()))
					}
					x := unit.Mul(interval.Point(lambda * float64(m.eps())))
					log, bound := moment.Log(), x.Mul(x).Mul(interval.Point(square/2))
					if log.Lo > bound.Hi {
						t.Refute("%v, λ = %g: E(e^(λΔM)) = e^%.6g, claimed is e^%.6g", m, lambda, log.Lo, bound.Hi)
					}
					t.Close(log.Hi/bound.Lo, "%v, λ = %g", m, lambda)
				}
			}
		}
	}
}
