package adaptive

import (
	"fmt"
	"math/big"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// onLattice is a mechanism with two outputs and pure DP, of which the privacy losses are whole multiples of ln base.
type onLattice struct {
	base *big.Rat
	p    [2]*big.Rat // its law on the true database
	loss [2]int
}

// latticeOf returns the mechanism with the losses −down and up.
func latticeOf(base *big.Rat, down, up int) onLattice {
	rise, fall := rat.Power(base, down), rat.Power(base, -up)
	p := rat.Quo(rat.Sub(rat.One, fall), rat.Sub(rise, fall))
	return onLattice{base, [2]*big.Rat{p, rat.Complement(p)}, [2]int{-down, up}}
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

// lattices returns all of them with losses up to a multiple of ln base.
func lattices(base *big.Rat, most int) (all []onLattice) {
	for down := 1; down <= most; down++ {
		for up := 1; up <= most; up++ {
			all = append(all, latticeOf(base, down, up))
		}
	}
	return all
}

// drawn is the mechanism that an adversary plays after a sequence of outputs: any, but always the same.
func drawn(d register.Dice, known map[string]onLattice, all []onLattice, outputs string) onLattice {
	m, met := known[outputs]
	if !met {
		m = all[d.Roll(len(all))]
		known[outputs] = m
	}
	return m
}
