package selection

import (
	"fmt"
	"math/big"

	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// closeness are the statements of Appendix E on laws that are close but for an event.
func closeness() register.Checks {
	return register.Checks{
		"PSC-LE.3": mended(closeButFor(false), closeButFor(true), "if both Pr_P[B] ≤ δ and Pr_Q[B] ≤ δ", "19/20",
			"with 19/20 of δ, if both laws give B at most δ"),
		"PSC-LE.3.s1": mended(chainOfE3(4), chainOfE3(3), "the first two signs", "19/20",
			"the first two signs, with 19/20·Pr[B] at the end"),
	}
}

// parting is a pair of laws over three outputs, and an event B that neither is sure of.
type parting struct {
	at           string
	p, q         samples
	isB          event
	pB, qB       *big.Rat
	restP, restQ samples // without B
	expEps       *big.Rat
}

// event is one of three outputs.
type event [3]bool

func events() (all []event) {
	for set := range 8 {
		all = append(all, event{set&1 > 0, set&2 > 0, set&4 > 0})
	}
	return all
}

// of returns its probability.
func (e event) of(law samples) *big.Rat {
	sum := new(big.Rat)
	for i, p := range law {
		if e[i] {
			sum.Add(sum, p)
		}
	}
	return sum
}

// without returns a law given that it does not happen.
func (e event) without(law samples) (rest samples) {
	for i, p := range law {
		if e[i] {
			p = new(big.Rat)
		}
		rest = append(rest, rat.Quo(p, rat.Complement(e.of(law))))
	}
	return rest
}

// partings goes through those of which the laws without B are e^ε-close.
func partings(t *register.T, visit func(x parting)) {
	t.Domain("laws over 3 outputs with probabilities in multiples of 1/4, every event B that is not certain, e^ε " +
		"in {1, 2, 3}")
	for p := range oracles(3, 4) {
		for q := range oracles(3, 4) {
			for _, b := range events() {
				x := parting{p: p, q: q, isB: b, pB: b.of(p), qB: b.of(q)}
				if rat.Equal(x.pB, rat.One) || rat.Equal(x.qB, rat.One) {
					continue
				}
				x.restP, x.restQ = b.without(p), b.without(q)
				for _, x.expEps = range rat.List("1", "2", "3") {
					if exactDelta(x.expEps, x.restP, x.restQ).Sign() == 0 {
						t.Case()
						x.at = fmt.Sprintf("P = (%v), Q = (%v), B = %v, e^ε = %s", p, q, b, rat.Show(x.expEps))
						visit(x)
					}
				}
			}
		}
	}
}

// closeButFor checks the conclusion with a share of δ, which is that of P, or the larger one.
func closeButFor(both bool) claim {
	return func(t *register.T, share *big.Rat) {
		partings(t, func(x parting) {
			delta := x.pB
			if both {
				delta = rat.Max(x.pB, x.qB)
			}
			within(t, x.at, "δ", exactDelta(x.expEps, x.p, x.q), share, delta)
		})
	}
}

// chainOfE3 checks so many sides of the chain, for every event S, with a share of the last Pr[B].
func chainOfE3(sides int) claim {
	return func(t *register.T, share *big.Rat) {
		partings(t, func(x parting) {
			for _, s := range events() {
				chain := []any{s.of(x.p), add(s.of(x.restP), x.pB), add(mul(x.expEps, s.of(x.restQ)), x.pB),
					add(mul(x.expEps, s.of(x.q)), x.pB)}[:sides]
				chain[sides-1] = sub(chain[sides-1], mul(sub(1, share), x.pB))
				apart(t, fmt.Sprintf("%s, S = %v", x.at, s), false, chain)
			}
		})
	}
}
