package impl

import (
	"fmt"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// mostLoss returns the largest loss ln(P/Q) of m, and exactly where it is known to be a ratio, for neighbours in the
// order that its law is given in; false if it has no largest one, or loses more with some probability. It is ε, or
// what a law has; for Laplace noise 1/b without sampling, and with it ln(1 − q + q·e^(1/b)), or −ln(1 − q +
// q·e^(−1/b)) for a record that is added.
func mostLoss(m Mechanism, n interval.Precision) (exact *big.Rat, x interval.Interval, ok bool) {
	switch {
	case m.Law != nil:
		return mostOfLaw(m.Law, n)
	case m.Losses != nil && losesNothing(m.Losses):
		return new(big.Rat), n.Int(0), true
	case m.Losses != nil:
		return nil, x, false // their Q-masses, mass·e^−loss, do not sum to just 1
	case m.Additive == nil && m.Delta.Sign() > 0:
		return nil, x, false
	case m.Additive == nil && !m.Eps.Log:
		return m.Eps.Rat(), n.Rat(m.Eps.Rat()), true
	case m.Additive == nil:
		return nil, loss.Enclose(m.Eps, n), true
	case m.Additive.Noise != certify.Laplace:
		return nil, x, false
	}
	a := m.Additive
	amount, _ := a.Only()
	most := new(big.Rat).Quo(amount, a.Scale)
	if !a.IsRandom() {
		return most, n.Rat(most), true
	}
	if a.Added {
		most.Neg(most)
	}
	const guard = 64 // of what a small q, or 1/b, takes away
	w := n + guard
	x = w.LogOf(w.Add(w.Rat(new(big.Rat).Sub(rational.One, a.Sampling)), w.Mul(w.Rat(a.Sampling), w.ExpRat(most))))
	if a.Added {
		x = w.Neg(x)
	}
	return nil, x, true
}

// mostOfLaw returns the largest loss ln(P/Q), and exactly if it is 0; false if it is infinite.
func mostOfLaw(l Law, n interval.Precision) (exact *big.Rat, x interval.Interval, ok bool) {
	largest := certify.ByLoss(l)[0]
	if largest[1].Sign() == 0 {
		return nil, x, false
	}
	ratio := new(big.Rat).Quo(largest[0], largest[1])
	if ratio.Cmp(rational.One) == 0 {
		return new(big.Rat), n.Int(0), true
	}
	return nil, n.Log(ratio), true
}

// losesNothing reports whether the only loss is 0, with mass 1. With other losses, which are rational, mass·e^−loss
// does not sum to just 1: e^x are linearly independent over the rational numbers for different rational x (Lindemann
// and Weierstrass).
func losesNothing(l *certify.Losses) bool {
	list := l.List()
	return len(list) == 1 && list[0][0].Sign() == 0 && list[0][1].Cmp(rational.One) == 0
}

// unbounded returns a rule that says why no charge is enough for δ = 0: the first mechanism without a largest loss;
// empty if there is none. What the δ of the mechanisms amount to is not looked at.
func (p Pipeline) unbounded() string {
	for i, m := range p.Mechanisms {
		switch {
		case m.Additive != nil && m.Additive.Noise != certify.Laplace:
			return fmt.Sprintf("is 0, must be at least %g: with %s noise, as in mechanism %d, "+
				"every loss is exceeded with some probability, and no ε has δ = 0", LeastDelta, m.Additive.Noise, i+1)
		case m.Losses != nil && !losesNothing(m.Losses):
			return fmt.Sprintf("is 0, must be at least %g with losses, as in mechanism %d: "+
				"their masses under Q, mass·e^−loss, do not sum to just 1, "+
				"so that some loss is infinite in one order of neighbours", LeastDelta, i+1)
		}
	}
	return ""
}

// sum returns the composition for δ′ = 0, the sum of all largest losses, for neighbours in the order that laws are
// given in; nil if there is none.
func (p Pipeline) sum(n interval.Precision) *Composition {
	rest, others, isRational := new(big.Rat), n.Int(0), true
	for _, m := range p.Mechanisms {
		exact, x, ok := mostLoss(m, n)
		switch count := new(big.Rat).SetInt64(int64(m.Count)); {
		case !ok:
			return nil
		case exact != nil:
			rest.Add(rest, count.Mul(count, exact))
		default:
			others, isRational = n.Add(others, n.Mul(n.Rat(count), x)), false
		}
	}
	if !isRational {
		return stopping.ClosedComposition(n.Add(others, n.Rat(rest)), nil)
	}
	return stopping.ClosedComposition(n.Rat(rest), rest)
}

// sumOfBoth returns the composition for δ = 0: the larger sum of the two orders of neighbours.
func (p Pipeline) sumOfBoth(n interval.Precision) (*Composition, error) {
	return stopping.Larger(p.Orders(), func(q Pipeline) (*Composition, error) {
		if c := q.sum(n); c != nil {
			return c, nil
		}
		// not reached: [Pipeline.CheckDelta] comes before
		return nil, &DeltaError{Rule: "is 0, must be more than 0: some losses are infinite"}
	}, largerEps)
}
