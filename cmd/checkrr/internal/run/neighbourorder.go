package run

import (
	"fmt"
	"slices"

	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
)

// side is for neighbours in which order a claim is.
type side struct {
	differs bool       // whether the claim for the other order is another one; the rest is for such claims
	order   impl.Order // empty if the certificate does not tell, as it has the laws of the claim only
	other   int        // the index of a claim for the other order; -1 if there is none
}

// isOnly reports whether there is an order of neighbours that a claim is not about, and no other claim either: there
// OptDel may be larger.
func (s side) isOnly() bool { return s.differs && s.other < 0 }

// sidesOf returns that of each claim.
func sidesOf(claims []*certificate.Claim) []side {
	sides, known := make([]side, len(claims)), map[string]int{}
	for i, c := range slices.Backward(claims) {
		name := key(c.Problem)
		if j, isKnown := known[name]; !isKnown || c.IsBounded() || !claims[j].IsBounded() {
			known[name] = i
		}
	}
	for i, c := range claims {
		orders := c.Problem.Orders()
		s := side{differs: len(orders) > 1, other: -1}
		if s.differs {
			s.order = orderOf(c.Problem)
			// A bound for one order is none for all neighbours if nothing bounds OptDel in the other one, unless
			// that is said to need more.
			if j, isKnown := known[key(orders[1])]; isKnown && (claims[j].IsBounded() || !c.IsBounded() ||
				claims[j].OptDel.Lower.Cmp(c.OptDel.Upper) >= 0) {
				s.other = j
			}
		}
		sides[i] = s
	}
	return sides
}

// orderOf returns the order of neighbours that noise, and losses, are for; empty if there are none for which it
// matters, or if they differ.
func orderOf(p certify.Problem) (order impl.Order) {
	for _, m := range p.Mechanisms {
		this := impl.Orders[0]
		switch {
		case m.Losses != nil:
			if m.Losses.IsReversed() {
				this = impl.Orders[1]
			}
		case m.Sampled != nil:
			if m.Sampled.Added {
				this = impl.Orders[1]
			}
		case m.Additive != nil && m.Additive.Turns():
			if m.Additive.Added {
				this = impl.Orders[1]
			}
		default:
			continue
		}
		if order != "" && order != this {
			return ""
		}
		order = this
	}
	return order
}

// says says for neighbours in which order a claim is, and which one is for the others; empty if that does not matter.
func (s side) says() string {
	if !s.differs {
		return ""
	}
	this, others := "in one order", "in the other order"
	switch s.order {
	case impl.Orders[0]:
		this, others = string(impl.Orders[0]), string(impl.Orders[1])
	case impl.Orders[1]:
		this, others = string(impl.Orders[1]), string(impl.Orders[0])
	}
	if s.other < 0 {
		return fmt.Sprintf("for neighbours %s; nothing is claimed for those %s", this, others)
	}
	return fmt.Sprintf("for neighbours %s; claim %d is for those %s", this, s.other+1, others)
}

// larger is what two claims say together.
type larger struct {
	first, second int // their indices
	optDel        certificate.Range
}

// together returns what pairs of claims that hold say of OptDel of neighbours in both orders: the larger one.
func together(results []checked) (pairs []larger) {
	for i, c := range results {
		j := c.side.other
		if !c.side.differs || j <= i || results[j].side.other != i || c.verdict != Holds ||
			results[j].verdict != Holds {
			continue
		}
		x, y := c.OptDel, results[j].OptDel
		pairs = append(pairs, larger{i, j, certificate.Range{Lower: largest(x.Lower, y.Lower),
			Upper: largest(x.Upper, y.Upper)}})
	}
	return pairs
}
