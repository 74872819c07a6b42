package adaptive

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lossMartingale are the statements on the martingale of the privacy loss.
func lossMartingale() register.Checks {
	return register.Checks{
		"FAC-E10": register.Checked(isMartingale(expectedThen, true),
			register.AlsoFails(register.Slip, "with F_{n−1} for all m", isMartingale(
				func(_ int, m onLattice, loss *big.Rat, isLast bool) *big.Rat {
					if isLast {
						return m.mean()
					}
					return loss
				},
				true,
			)),
			register.Control("the loss itself is", isMartingale(func(int, onLattice, *big.Rat,
				bool) *big.Rat {
				return new(big.Rat)
			}, true)),
			register.NearMiss("with a hundredth more of what is expected", isMartingale(func(_ int, m onLattice, _ *big.Rat,
				_ bool) *big.Rat {
				return rat.Mul(rat.Of("101/100"), m.mean())
			}, true)),
			register.NearMiss("without what is expected of the third round", isMartingale(
				func(round int, m onLattice, _ *big.Rat, _ bool) *big.Rat {
					if round == 3 {
						return new(big.Rat)
					}
					return m.mean()
				},
				true,
			)),
		),
		"FAC-X22": register.Checked(isMartingale(expectedThen, false),
			register.Control("with what is expected on the neighbouring database, which is minus that for randomized response",
				isMartingale(func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat { return rat.Sub(new(big.Rat), m.mean()) },
					false)),
			register.NearMiss("with ε_m²/2 for what is expected", isMartingale(
				func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat {
					return rat.Mul(rat.Of("0.34657"), rat.Int(m.eps()*m.eps())) // of (k ln 2)²/2, in units of ln 2
				},
				false,
			)),
		),
		"FAC-X23": register.Checked(isSubGaussian(1, 1),
			register.NearMiss("it is (0.99·ε_n²)-subGaussian", isSubGaussian(0.99, 1)),
			register.NearMiss("nine tenths of the loss are taken for what is expected of it", isSubGaussian(1, 0.9)),
		),
	}
}

// expected is what is taken for the expected loss of a round.
type expected func(round int, m onLattice, loss *big.Rat, isLast bool) *big.Rat

func expectedThen(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat { return m.mean() }

// isMartingale checks that after every sequence of outputs of up to three mechanisms, each of which an adversary
// chooses by the outputs before it, M_n is expected to be M_{n−1}. Losses are in units of ln base.
func isMartingale(of expected, isResponse bool) register.Check {
	return func(t *register.T) {
		t.Domain("random adversaries over mechanisms with 2 outputs and the losses −i·ln 2 and k·ln 2, i, k ≤ 3, 3 rounds, " +
			"all outputs")
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
func goThrough(t *register.T, d register.Dice, known map[string]onLattice, all []onLattice, outputs string,
	played []onLattice, losses []*big.Rat, of expected) {
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
		t.Refute("%v, losses %s so far: M_%d = %s, and M_%d is expected to be %s, in units of ln 2", played, losses,
			len(losses), before, len(played), mean)
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
		t.Domain("mechanisms with 2 outputs and the losses −i·ln b and k·ln b, i, k ≤ 4, b = 1.001, 1.1, 2 and 10; |λ| = " +
			"1/4, 1, 4 and 16")
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
