package adaptive

import (
	"fmt"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lossMartingale are the statements on the martingale of the privacy loss.
func lossMartingale() register.Checks {
	mean := func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat { return m.mean() }
	known := func(_ int, m onLattice, loss *big.Rat, isLast bool) *big.Rat {
		if isLast {
			return m.mean()
		}
		return loss
	}
	larger := func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat { return rat.Mul(rat.Of("101/100"), m.mean()) }
	butThird := func(round int, m onLattice, _ *big.Rat, _ bool) *big.Rat {
		if round == 3 {
			return new(big.Rat)
		}
		return m.mean()
	}
	neighbour := func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat { return new(big.Rat).Neg(m.mean()) }
	bound := func(_ int, m onLattice, _ *big.Rat, _ bool) *big.Rat {
		return rat.Mul(rat.Of("0.34657"), rat.Int(m.eps()*m.eps())) // of (k ln 2)²/2, in units of ln 2
	}
	of := func(e expected) register.Check { return register.With2(isMartingale, e, true) }
	return register.Checks{
		"FAC-E10": register.Checked(of(mean),
			register.AlsoFails(register.Slip, "with F_{n−1} for all m", of(known)),
			register.NearMiss("with a hundredth more of what is expected", of(larger)),
			register.NearMiss("without what is expected of the third round", of(butThird)),
		),
		"FAC-X22": register.Checked(register.With2(isMartingale, mean, false),
			register.Control("with what is expected on the neighbouring database, which is minus that for randomized response",
				register.With2(isMartingale, neighbour, false)),
			register.NearMiss("with ε_m²/2 for what is expected", register.With2(isMartingale, bound, false)),
		),
		"FAC-X23": register.Checked(register.With2(isSubGaussian, 1, 1),
			register.NearMiss("it is (0.99·ε_n²)-subGaussian", register.With2(isSubGaussian, 0.99, 1)),
			register.NearMiss("nine tenths of the loss are taken for what is expected of it", register.With2(isSubGaussian, 1,
				0.9)),
		),
	}
}

// onLattice is a mechanism with two outputs and pure DP, of which the privacy losses are whole multiples of ln base.
type onLattice struct {
	base *big.Rat
	p    [2]*big.Rat // its law on the true database
	loss [2]int
}

func (m onLattice) String() string {
	return fmt.Sprintf("(loss %d·ln %s with probability %s, %d·ln %[2]s otherwise)", m.loss[0], rat.Show(m.base),
		rat.Show(m.p[0]), m.loss[1])
}

// eps returns its ε, a multiple of ln base.
func (m onLattice) eps() int { return max(-m.loss[0], m.loss[1]) }

// mean returns the expected loss.
func (m onLattice) mean() *big.Rat {
	return rat.Add(rat.Mul(m.p[0], rat.Int(m.loss[0])), rat.Mul(m.p[1], rat.Int(m.loss[1])))
}

// lattices returns all of them with losses from −most to most times ln base.
func lattices(base *big.Rat, most int) (all []onLattice) {
	for down := 1; down <= most; down++ {
		for up := 1; up <= most; up++ {
			rise, fall := rat.Power(base, down), rat.Power(base, -up)
			p := rat.Quo(rat.Sub(rat.One, fall), rat.Sub(rise, fall))
			all = append(all, onLattice{base, [2]*big.Rat{p, rat.Complement(p)}, [2]int{-down, up}})
		}
	}
	return all
}

// eachLattice goes through mechanisms on lattices of several units, which are ln base.
func eachLattice(visit func(m onLattice, unit interval.Float)) {
	for _, base := range bases {
		for _, m := range lattices(base, 4) {
			visit(m, interval.Precision(64).Log(base).Float())
		}
	}
}

// expected is what is taken for the expected loss of a round.
type expected = func(round int, m onLattice, loss *big.Rat, isLast bool) *big.Rat

// isMartingale checks that after every sequence of outputs of up to three mechanisms, each of which an adversary
// chooses by the outputs before it, M_n is expected to be M_{n−1}. Losses are in units of ln base.
func isMartingale(t *register.T, of expected, isResponse bool) {
	t.Domain("random adversaries over mechanisms with 2 outputs and the losses −i·ln 2 and k·ln 2, i, k ≤ 3, 3 rounds, " +
		"all outputs")
	all := lattices(rat.Int(2), 3)
	if isResponse {
		all = []onLattice{all[0], all[4], all[8]}
		t.Domain("random adversaries over randomized responses with e^ε = 2, 4 and 8, 3 rounds, all outputs")
	}
	t.Random(10, t.Size(100, 1000), func(t *register.T, d register.Dice) {
		var after func(played []onLattice, losses []*big.Rat)
		after = func(played []onLattice, losses []*big.Rat) {
			if len(played) == 3 {
				return
			}
			m := all[d.Roll(len(all))]
			mean, before := new(big.Rat), valueOf(played, losses, of)
			played = append(played[:len(played):len(played)], m)
			for z, pr := range m.p {
				then := append(losses[:len(losses):len(losses)], rat.Int(m.loss[z]))
				mean = rat.Add(mean, rat.Mul(pr, valueOf(played, then, of)))
				after(played, then)
			}
			t.Require(rat.Equal(mean, before),
				"%v, losses %s so far: M_%d = %s, and M_%d is expected to be %s, in units of ln 2", played, losses, len(losses),
				before, len(played), mean)
		}
		after(nil, nil)
	})
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
func isSubGaussian(t *register.T, square, share float64) {
	t.Domain("mechanisms with 2 outputs and the losses −i·ln b and k·ln b, i, k ≤ 4, b = 1.001, 1.1, 2 and 10; |λ| = " +
		"1/4, 1, 4 and 16")
	eachLattice(func(m onLattice, unit interval.Float) {
		for _, lambda := range []float64{0.25, 1, 4, 16, -0.25, -1, -4, -16} {
			t.At("%v, λ = %g", m, lambda)
			mean, moment := rat.Mul(exact(share), m.mean()), interval.Point(0)
			scale := unit.Mul(interval.Point(lambda))
			for z, pr := range m.p {
				delta := spec.LossMartingale([]*big.Rat{rat.Int(m.loss[z])}, []*big.Rat{mean})
				moment = moment.Add(interval.FloatOf(pr).Mul(scale.Mul(interval.FloatOf(delta)).Exp()))
			}
			x := unit.Mul(interval.Point(lambda * float64(m.eps())))
			log, bound := moment.Log(), x.Mul(x).Mul(interval.Point(square/2))
			t.Require(log.Lo <= bound.Hi, "E(e^(λΔM)) = e^%.6g, claimed is e^%.6g", log.Lo, bound.Hi)
			t.Close(log.Hi/bound.Lo, "")
		}
	})
}

// expectsLittle checks that the expected loss is at most a part of ε²/2.
func expectsLittle(t *register.T, part float64) {
	t.AlsoDomain("mechanisms with 2 outputs and the losses −i·ln b and k·ln b, i, k ≤ 4, b = 1.001, 1.1, 2 and 10")
	eachLattice(func(m onLattice, unit interval.Float) {
		t.At("%v", m)
		centered := spec.LossMartingale([]*big.Rat{rat.Int(m.loss[0])}, []*big.Rat{m.mean()}) // Loss − E(Loss)
		mean := unit.Mul(interval.FloatOf(rat.Sub(rat.Int(m.loss[0]), centered)))
		eps := unit.Mul(interval.Point(float64(m.eps())))
		bound := eps.Mul(eps).Mul(interval.Point(part / 2))
		t.Require(mean.Lo <= bound.Hi, "the expected loss is %.8g, claimed is at most %.8g", mean.Lo, bound.Hi)
		t.Close(mean.Hi/bound.Lo, "")
	})
}
