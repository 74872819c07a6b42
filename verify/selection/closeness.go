package selection

import (
	"math/big"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// closeness are the statements of Appendix E on laws that are close but for an event.
func closeness() register.Checks {
	return register.Checks{
		"PSC-LE.3": register.Checked(closeButFor(false, rat.One),
			register.Control("with half of δ, if both laws give B at most δ", closeButFor(true, rat.Half)),
			register.NearMiss("with 19/20 of δ, if both laws give B at most δ", closeButFor(true, nearly)),
			register.Corrected("if both Pr_P[B] ≤ δ and Pr_Q[B] ≤ δ", closeButFor(true, rat.One)),
		),
		"PSC-LE.3.s1": register.Checked(chainOfE3(0, rat.One),
			register.Control("the first two signs, with Pr[B]/2 at the end", chainOfE3(1, rat.Half)),
			register.NearMiss("the first two signs, with 19/20·Pr[B] at the end", chainOfE3(1, nearly)),
			register.Corrected("the first two signs", chainOfE3(1, rat.One)),
		),
	}
}

// parting is a pair of laws over three outputs, and an event B that neither is sure of.
type parting struct {
	p, q   samples
	b      [3]bool
	pB, qB *big.Rat
	expEps *big.Rat
}

// partings goes through those of which the laws without B are e^ε-close.
func partings(t *register.T, visit func(x parting)) {
	t.Domain("laws over 3 outputs with probabilities in multiples of 1/4, every event B that is not certain, e^ε " +
		"in {1, 2, 3}")
	for p := range oracles(3, 4) {
		for q := range oracles(3, 4) {
			for set := range 8 {
				x := parting{p: p, q: q, b: [3]bool{set&1 > 0, set&2 > 0, set&4 > 0}}
				x.pB, x.qB = x.of(p, x.b), x.of(q, x.b)
				if rat.Equal(x.pB, rat.One) || rat.Equal(x.qB, rat.One) {
					continue
				}
				for _, x.expEps = range rat.List("1", "2", "3") {
					if x.isClose() {
						t.Case()
						visit(x)
					}
				}
			}
		}
	}
}

// of returns the probability of an event.
func (x parting) of(law samples, event [3]bool) *big.Rat {
	sum := new(big.Rat)
	for i, p := range law {
		if event[i] {
			sum = rat.Add(sum, p)
		}
	}
	return sum
}

// without returns the probability of an output under the law without B.
func (x parting) without(law samples, i int) *big.Rat {
	if x.b[i] {
		return new(big.Rat)
	}
	return rat.Quo(law[i], rat.Complement(x.of(law, x.b)))
}

// isClose reports whether the laws without B are within a factor of e^ε.
func (x parting) isClose() bool {
	for i := range x.p {
		p, q := x.without(x.p, i), x.without(x.q, i)
		if p.Cmp(rat.Mul(x.expEps, q)) > 0 || q.Cmp(rat.Mul(x.expEps, p)) > 0 {
			return false
		}
	}
	return true
}

// closeButFor checks the conclusion with a share of δ, which is that of P, or the larger one.
func closeButFor(both bool, share *big.Rat) register.Check {
	return func(t *register.T) {
		partings(t, func(x parting) {
			delta := x.pB
			if both {
				delta = rat.Max(x.pB, x.qB)
			}
			need := new(big.Rat)
			for _, laws := range [2][2]samples{{x.p, x.q}, {x.q, x.p}} {
				sum := new(big.Rat)
				for i, p := range laws[0] {
					sum = rat.Add(sum, rat.Max(new(big.Rat), rat.Sub(p, rat.Mul(x.expEps, laws[1][i]))))
				}
				need = rat.Max(need, sum)
			}
			if need.Cmp(rat.Mul(share, delta)) > 0 {
				t.Refute("P = (%v), Q = (%v), B = %v, e^ε = %s: δ is %s, claimed is %s", x.p, x.q, x.b, rat.Show(x.expEps),
					rat.Show(need), rat.Show(rat.Mul(share, delta)))
			}
			t.CloseTo(need, delta, "P = (%v), Q = (%v), B = %v, e^ε = %s", x.p, x.q, x.b, rat.Show(x.expEps))
		})
	}
}

// chainOfE3 checks the chain but for so many of its last signs, for every event S, with a share of the last Pr[B].
func chainOfE3(less int, share *big.Rat) register.Check {
	return func(t *register.T) {
		partings(t, func(x parting) {
			for set := range 8 {
				s := [3]bool{set&1 > 0, set&2 > 0, set&4 > 0}
				var pWithout, qWithout samples
				for i := range x.p {
					pWithout, qWithout = append(pWithout, x.without(x.p, i)), append(qWithout, x.without(x.q, i))
				}
				chain := []*big.Rat{
					x.of(x.p, s), rat.Add(x.of(pWithout, s), x.pB), rat.Add(rat.Mul(x.expEps, x.of(qWithout, s)), x.pB),
					rat.Add(rat.Mul(x.expEps, x.of(x.q, s)), x.pB),
				}
				chain = chain[:len(chain)-less]
				last := len(chain) - 1
				chain[last] = rat.Sub(chain[last], rat.Mul(rat.Complement(share), x.pB))
				for i := range last {
					if chain[i].Cmp(chain[i+1]) > 0 {
						t.Refute("P = (%v), Q = (%v), B = %v, S = %v, e^ε = %s: sides %d and %d are %s and %s", x.p, x.q, x.b, s,
							rat.Show(x.expEps), i+1, i+2, rat.Show(chain[i]), rat.Show(chain[i+1]))
					}
				}
			}
		})
	}
}
