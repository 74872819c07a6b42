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

// lastUsed is Algorithm 1 with lines 7 and 8 of text [A].
func lastUsed(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(_ []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		return []*big.Rat{c.ExpE[c.Part[output]], c.Delta}
	}
	return r
}

// lastEps is Algorithm 1 with line 7 of text [A] and line 8 of text [B], and lastDelta the reverse.
func lastEps(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		return []*big.Rat{c.ExpE[c.Part[output]], rat.Sub(left[1], c.Delta)}
	}
	return r
}

func lastDelta(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		return []*big.Rat{rat.Quo(left[0], c.ExpE[c.Part[output]]), c.Delta}
	}
	return r
}

// deltaByPart charges the δ with which the observed part is subset DP: the terms of Lemma 6.
func deltaByPart(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		k := c.Part[output]
		return []*big.Rat{rat.Quo(left[0], c.ExpE[k]), rat.Sub(left[1], partDelta(c, k))}
	}
	return r
}

// partDelta returns the smallest δ with which the part k is subset DP, both ways.
func partDelta(c *impl.Choice, k int) *big.Rat {
	s := finite.ForSpec(c)
	inPart := func(output string) bool { return s.Part(output) == k }
	return rat.Max(register.Must(spec.SmallestSubsetDelta(s.Laws[0], s.Laws[1], inPart, c.ExpE[k])),
		register.Must(spec.SmallestSubsetDelta(s.Laws[1], s.Laws[0], inPart, c.ExpE[k])))
}

func cheapestPart(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, _ int) []*big.Rat {
		return []*big.Rat{rat.Quo(left[0], rat.Min(c.ExpE...)), rat.Sub(left[1], c.Delta)}
	}
	return r
}

func admitCheapest(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Admits = func(left []*big.Rat, c *impl.Choice) bool {
		return rat.Min(c.ExpE...).Cmp(left[0]) <= 0 && c.Delta.Cmp(left[1]) <= 0
	}
	return r
}

// aRoundLate charges δ when the next round has been played.
func aRoundLate(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Start = append(r.Start, new(big.Rat))
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		return []*big.Rat{rat.Quo(left[0], c.ExpE[c.Part[output]]), rat.Sub(left[1], left[2]), c.Delta}
	}
	return r
}

// lastPartFree charges no ε for the last of two parts or more.
func lastPartFree(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	next := r.Next
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		after := next(left, c, output)
		if k := c.Part[output]; k > 0 && k == len(c.ExpE)-1 {
			after[0] = left[0]
		}
		return after
	}
	return r
}

// moreForFirst charges twice δ for the first part, and δ for the others.
func moreForFirst(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	next := r.Next
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		after := next(left, c, output)
		if c.Part[output] == 0 {
			after[1] = rat.Sub(after[1], c.Delta)
		}
		return after
	}
	return r
}

func deltaIsKept(expEpsT, deltaT *big.Rat) impl.Rule {
	r := impl.SumRule(expEpsT, deltaT)
	r.Next = func(left []*big.Rat, c *impl.Choice, output int) []*big.Rat {
		return []*big.Rat{rat.Quo(left[0], c.ExpE[c.Part[output]]), left[1]}
	}
	return r
}
