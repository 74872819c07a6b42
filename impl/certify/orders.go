package certify

import (
	"math/big"
	"slices"
)

// Orders returns p for neighbours in both orders, all laws (P, Q) and all of them (Q, P); p alone if that is the same
// problem. p must be valid.
func (p Problem) Orders() []Problem {
	back, differs := Problem{slices.Clone(p.Mechanisms), p.Stops}, false
	for i, m := range p.Mechanisms {
		x := &back.Mechanisms[i]
		switch a := m.Additive; {
		case m.Law != nil && !isSymmetric(m.Law):
			x.Law = reversed(m.Law)
		case a != nil && a.Turns():
			turned := *a
			turned.Added = !a.Added
			x.Additive = &turned
		case m.Losses != nil:
			x.Losses = m.Losses.Reversed()
		case m.Sampled != nil:
			x.Sampled = m.Sampled.Reversed()
		default:
			continue
		}
		differs = true
	}
	if differs {
		return []Problem{p, back}
	}
	return []Problem{p}
}

// isSymmetric reports whether (Q, P) has the same losses with the same masses: outputs of the i-th loss from above have
// the probabilities (p, q), and those of the i-th from below (q, p).
func isSymmetric(law [][2]*big.Rat) bool {
	losses := ByLoss(law)
	for i, x := range losses {
		if y := losses[len(losses)-1-i]; x[0].Cmp(y[1]) != 0 || x[1].Cmp(y[0]) != 0 {
			return false
		}
	}
	return true
}

// reversed returns (Q, P).
func reversed(law [][2]*big.Rat) [][2]*big.Rat {
	back := make([][2]*big.Rat, len(law))
	for i, output := range law {
		back[i] = [2]*big.Rat{output[1], output[0]}
	}
	return back
}

// ByLoss returns a law with the outputs of each loss ln(P/Q) together, by falling loss; without those that are
// impossible.
func ByLoss(law [][2]*big.Rat) (losses [][2]*big.Rat) {
	type output struct {
		part *big.Rat // P/(P + Q), which grows with the loss and is never infinite
		of   [2]*big.Rat
	}
	var sorted []output
	for _, o := range law {
		if both := new(big.Rat).Add(o[0], o[1]); both.Sign() > 0 {
			sorted = append(sorted, output{both.Quo(o[0], both), o})
		}
	}
	slices.SortFunc(sorted, func(x, y output) int { return y.part.Cmp(x.part) })
	for i, o := range sorted {
		if i == 0 || sorted[i-1].part.Cmp(o.part) != 0 {
			losses = append(losses, o.of)
			continue
		}
		last := &losses[len(losses)-1]
		*last = [2]*big.Rat{new(big.Rat).Add(last[0], o.of[0]), new(big.Rat).Add(last[1], o.of[1])}
	}
	return losses
}
