package certify

import (
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// Variations returns, for every stop, no less than the total variation distance of what has run until then, which no δ
// is above: charges are at least 0, so that Σ (P(S_i) − e^(E_i)·Q(S_i)) ≤ P(S) − Q(S). Those of its mechanisms add up.
// That of noise is at most the probability that something is contributed, as it is 0 otherwise, and of what one sample
// sees at most that of a record to be in it; of what is not known here it is at most 1. p must be valid.
func (p Problem) Variations() []*big.Rat {
	all, sum, entry, each := make([]*big.Rat, len(p.Stops)), new(big.Rat), -1, num.One
	for _, r := range p.Runs() {
		if r.Entry != entry {
			entry, each = r.Entry, p.Mechanisms[r.Entry].variation()
		}
		if sum.Cmp(num.One) < 0 {
			sum.Add(sum, new(big.Rat).Mul(each, new(big.Rat).SetInt64(int64(r.Count))))
		}
		if r.Stop >= 0 {
			all[r.Stop] = new(big.Rat).Set(sum)
		}
	}
	return all
}

// variation returns no less than the total variation distance of one of m.
func (m Mechanism) variation() *big.Rat {
	switch {
	case m.Additive != nil:
		return m.Additive.Takes()
	case m.Sampled != nil:
		return m.Sampled.Rate
	case m.IsDP() && m.Eps.IsZero():
		return m.Delta
	}
	return num.One
}
