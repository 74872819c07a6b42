package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// accountant makes an accountant out of e^(ε_t) and δ_t.
type accountant = func(expEpsT, deltaT *big.Rat) impl.Rule

// leaving is Algorithm 1, but for what is left after an output in part k, of what was left.
func leaving(next func(left []*big.Rat, c *impl.Choice, k int) []*big.Rat) accountant {
	return func(expEpsT, deltaT *big.Rat) impl.Rule {
		r := impl.SumRule(expEpsT, deltaT)
		r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat { return next(left, c, c.Part[output]) }
		return r
	}
}

// charging is Algorithm 1, but for what it charges for an output in part k: e^ε and δ.
func charging(cost func(c *impl.Choice, k int) (expEps, delta *big.Rat)) accountant {
	return leaving(func(left []*big.Rat, c *impl.Choice, k int) []*big.Rat {
		expEps, delta := cost(c, k)
		return []*big.Rat{rat.Quo(left[0], expEps), rat.Sub(left[1], delta)}
	})
}

var (
	// lastUsed is Algorithm 1 with lines 7 and 8 of text [A], lastEps with line 7 of it, and lastDelta with line 8.
	lastUsed = leaving(func(_ []*big.Rat, c *impl.Choice, k int) []*big.Rat { return []*big.Rat{c.ExpE[k], c.Delta} })
	lastEps  = leaving(func(left []*big.Rat, c *impl.Choice, k int) []*big.Rat {
		return []*big.Rat{c.ExpE[k], rat.Sub(left[1], c.Delta)}
	})
	lastDelta = leaving(func(left []*big.Rat, c *impl.Choice, k int) []*big.Rat {
		return []*big.Rat{rat.Quo(left[0], c.ExpE[k]), c.Delta}
	})

	// deltaByPart charges the δ with which the observed part is subset DP: the terms of Lemma 6.
	deltaByPart = charging(func(c *impl.Choice, k int) (_, _ *big.Rat) { return c.ExpE[k], partDelta(c, k) })

	// lastPartFree charges no ε for the last of two parts or more.
	lastPartFree = charging(func(c *impl.Choice, k int) (expEps, delta *big.Rat) {
		if k > 0 && k == len(c.ExpE)-1 {
			return rat.One, c.Delta
		}
		return c.ExpE[k], c.Delta
	})

	// moreForFirst charges twice δ for the first part, and δ for the others.
	moreForFirst = charging(func(c *impl.Choice, k int) (expEps, delta *big.Rat) {
		if k == 0 {
			return c.ExpE[k], rat.Twice(c.Delta)
		}
		return c.ExpE[k], c.Delta
	})
)

// partDelta returns the smallest δ with which the part k is subset DP, both ways.
func partDelta(c *impl.Choice, k int) *big.Rat {
	s := finite.ForSpec(c)
	inPart := func(output string) bool { return s.Part(output) == k }
	return rat.Max(register.Must(spec.SmallestSubsetDelta(s.Laws[0], s.Laws[1], inPart, c.ExpE[k])),
		register.Must(spec.SmallestSubsetDelta(s.Laws[1], s.Laws[0], inPart, c.ExpE[k])))
}

// aRoundLate charges δ when the next round has been played.
func aRoundLate(expEpsT, deltaT *big.Rat) impl.Rule {
	r := leaving(func(left []*big.Rat, c *impl.Choice, k int) []*big.Rat {
		return []*big.Rat{rat.Quo(left[0], c.ExpE[k]), rat.Sub(left[1], left[2]), c.Delta}
	})(expEpsT, deltaT)
	r.Start = append(r.Start, new(big.Rat))
	return r
}
