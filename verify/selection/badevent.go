package selection

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// badEvents are the statements of Appendix E on the event without which two laws are close.
func badEvents() register.Checks {
	return register.Checks{
		"PSC-LE.2a": register.Checked(leastEvent(printedEvent),
			register.NearMiss("19/20 of (1 + e^−ε')·δ/(1 − e^(ε−ε')), for the B that has both sides", bothSides(nearly)),
			register.Corrected(
				"Pr_P[B] ≤ (1 + e^−ε')·δ/(1 − e^(ε−ε')) for B = {P/Q ≥ e^ε' or Q/P ≥ e^ε'}, which is the "+
					"same with P and Q exchanged, and P|B^c and Q|B^c are within e^ε'/(1 − max(P(B), Q(B)))",
				bothSides(rat.One)),
		),
		"PSC-LE.2b": register.Checked(oneSide,
			register.NearMiss("for the B that has both sides, within e^ε' as it is", insideOf(false)),
			register.Corrected("for the B that has both sides, within e^ε'/(1 − max(P(B), Q(B)))", insideOf(true)),
		),
		"PSC-LE.2c": register.Checked(leastEvent(rootEvent),
			register.NearMiss("3/5 of (1 + e^−ε')·√δ for the B that has both sides", bothRoots(rat.Of("3/5"))),
			register.Corrected("(1 + e^−ε')·√δ for the B that has both sides, and what is left is as close as in PSC-LE.2a",
				bothRoots(rat.One)),
		),
		"PSC-LE.2.s1": register.Checked(oneSided(rat.One),
			register.NearMiss("with 19/20·δ at the end", oneSided(nearly)),
		),
		"PSC-LE.2.s2": nearStep(rootStep, "19/20"),
	}
}

// severed is a pair of laws with the least δ for an e^ε, and an e^ε' above.
type severed struct {
	p, q        samples
	expEps, rim *big.Rat // e^ε, e^ε'
	delta       *big.Rat
}

func (x severed) String() string {
	return fmt.Sprintf("P = (%v), Q = (%v), e^ε = %s, e^ε' = %s, δ = %s", x.p, x.q, rat.Show(x.expEps), rat.Show(x.rim),
		rat.Show(x.delta))
}

// severeds goes through pairs of laws with δ < 1/10.
func severeds(t *register.T, visit func(x severed)) {
	t.Domain("P = (u, u/e'', 1 − u − u/e''), Q with the first two exchanged, for u in {1/100, 1/16, 1/8}, e'' = " +
		"e^ε·{21/20, 7/6, 2} and e^ε' = e''·{1, 19/20, 49/50}; P = (1/16, 1/100, rest) and Q = (1/(32e^ε), " +
		"100/(99·100e^ε'), rest), e^ε' = 9/5·e^ε; all laws over 3 outputs with probabilities in multiples of 1/10, e^ε' = " +
		"3/2·e^ε; e^ε in {1, 3/2}; where 0 < δ < 1/10")
	for _, e := range rat.List("1", "3/2") {
		try := func(p, q samples, rim *big.Rat) {
			x := severed{p, q, e, rim, new(big.Rat)}
			for _, laws := range [2][2]samples{{p, q}, {q, p}} {
				sum := new(big.Rat)
				for i := range laws[0] {
					sum = rat.Add(sum, rat.Positive(rat.Sub(laws[0][i], rat.Mul(e, laws[1][i]))))
				}
				x.delta = rat.Max(x.delta, sum)
			}
			if x.delta.Sign() > 0 && x.delta.Cmp(rat.Of("1/10")) < 0 && rim.Cmp(e) > 0 {
				t.Case()
				visit(x)
			}
		}
		for _, u := range rat.List("1/100", "1/16", "1/8") {
			for _, g := range rat.List("21/20", "7/6", "2") {
				far := rat.Mul(e, g)
				v := rat.Quo(u, far)
				rest := rat.Complement(rat.Add(u, v))
				for _, share := range rat.List("1", "19/20", "49/50") {
					try(samples{u, v, rest}, samples{v, u, rest}, rat.Mul(far, share))
				}
			}
		}
		rim := rat.Mul(rat.Of("9/5"), e)
		u, w := rat.Of("1/16"), rat.Of("1/100")
		far, near := rat.Quo(u, rat.Twice(e)), rat.Quo(w, rat.Mul(rat.Of("99/100"), rim))
		try(samples{u, w, rat.Complement(rat.Add(u, w))}, samples{far, near, rat.Complement(rat.Add(far, near))}, rim)
		for p := range oracles(3, 10) {
			for q := range oracles(3, 10) {
				try(p, q, rat.Mul(rat.Of("3/2"), e))
			}
		}
	}
}

// least returns the least probability under P of an event B, of a coin that is tossed beside too, without which the
// laws are within e^ε'.
//
// B^c is a share f_i of each output i, and the ratio of what is left is P_i/Q_i over c = ΣP_j·f_j/ΣQ_j·f_j. If A are
// the outputs with f_i > 0, c is between the largest P_i/Q_i over e^ε' and the least times e^ε'. With f = 1 on A it may
// be outside, and is moved to the near end by giving up what costs least: outputs with the least ratio first if c is to
// rise, else with the largest.
func (x severed) least() *big.Rat {
	least := rat.One // everything
	for set := 1; set < 1<<len(x.p); set++ {
		if lost := x.lost(set); lost != nil {
			least = rat.Min(least, lost)
		}
	}
	return least
}

// lost returns it for one A; nil if c cannot be where it has to.
func (x severed) lost(set int) *big.Rat {
	var kept []int
	var low, high *big.Rat
	pA, qA := new(big.Rat), new(big.Rat)
	for i := range x.p {
		if set&(1<<i) == 0 || x.p[i].Sign() == 0 && x.q[i].Sign() == 0 {
			continue
		}
		if x.p[i].Sign() == 0 || x.q[i].Sign() == 0 {
			return nil
		}
		r := rat.Quo(x.p[i], x.q[i])
		if from := rat.Quo(r, x.rim); low == nil || from.Cmp(low) > 0 {
			low = from
		}
		if to := rat.Mul(r, x.rim); high == nil || to.Cmp(high) < 0 {
			high = to
		}
		kept, pA, qA = append(kept, i), rat.Add(pA, x.p[i]), rat.Add(qA, x.q[i])
	}
	if kept == nil || low.Cmp(high) > 0 {
		return nil
	}
	ratio := func(i int) *big.Rat { return rat.Quo(x.p[i], x.q[i]) }
	slices.SortFunc(kept, func(i, j int) int { return ratio(i).Cmp(ratio(j)) })
	end, lost := low, rat.Complement(pA)
	switch c := rat.Quo(pA, qA); {
	case c.Cmp(high) > 0:
		end = high
		slices.Reverse(kept)
	case c.Cmp(low) >= 0:
		return lost
	}
	missing := new(big.Rat).Abs(rat.Sub(pA, rat.Mul(end, qA)))
	for _, i := range kept {
		gain := new(big.Rat).Abs(rat.Sub(x.p[i], rat.Mul(end, x.q[i])))
		if gain.Cmp(missing) >= 0 {
			return rat.Add(lost, rat.Mul(x.p[i], rat.Quo(missing, gain)))
		}
		missing, lost = rat.Sub(missing, gain), rat.Add(lost, x.p[i])
	}
	return nil
}

// printedEvent returns δ/(1 − e^(ε−ε')).
func printedEvent(x severed) (bound *big.Rat, applies bool) {
	return rat.Quo(x.delta, rat.Complement(rat.Quo(x.expEps, x.rim))), true
}

// rootEvent returns √δ, rounded up, where e^ε' is e^(ε + √(2δ)) or a little more.
func rootEvent(x severed) (bound *big.Rat, applies bool) {
	root := precise.Sqrt(exactly(x.delta))
	least := precise.Mul(exactly(x.expEps), precise.Exp(precise.Sqrt(exactly(rat.Twice(x.delta)))))
	_, bound = root.Rats()
	return bound, exactly(x.rim).Lower.Cmp(least.Upper) >= 0
}

// leastEvent refutes a bound below the least probability.
func leastEvent(claimed func(x severed) (bound *big.Rat, applies bool)) register.Check {
	return func(t *register.T) {
		severeds(t, func(x severed) {
			bound, applies := claimed(x)
			if !applies {
				return
			}
			if least := x.least(); least.Cmp(bound) > 0 {
				t.Refute("%v: every B has a probability of at least %s, claimed is %.9g", x, rat.Show(least), rat.Float64(bound))
			}
		})
	}
}

// event returns the probabilities of B under P and Q, and the largest ratio of what is left, not scaled; nil if one is
// 0 alone.
func (x severed) event(isIn func(p, q *big.Rat) bool) (pB, qB, ratio *big.Rat) {
	pB, qB, ratio = new(big.Rat), new(big.Rat), rat.One
	for i, p := range x.p {
		q := x.q[i]
		switch {
		case p.Sign() == 0 && q.Sign() == 0:
		case isIn(p, q):
			pB, qB = rat.Add(pB, p), rat.Add(qB, q)
		case p.Sign() == 0 || q.Sign() == 0 || ratio == nil:
			ratio = nil
		default:
			ratio = rat.Max(ratio, rat.Quo(p, q), rat.Quo(q, p))
		}
	}
	return pB, qB, ratio
}

// above and either are the B of the proof, and that with both sides.
func (x severed) above(p, q *big.Rat) bool  { return p.Cmp(rat.Mul(x.rim, q)) >= 0 }
func (x severed) either(p, q *big.Rat) bool { return x.above(p, q) || x.above(q, p) }

func oneSide(t *register.T) {
	severeds(t, func(x severed) {
		pB, qB, ratio := x.event(x.above)
		if rat.Equal(pB, rat.One) {
			return
		}
		if ratio == nil {
			t.Refute("%v: an output of B^c has the probability 0 under one law only", x)
		}
		for i, p := range x.p {
			if q := x.q[i]; !x.above(p, q) && rat.Mul(q, rat.Complement(pB)).Cmp(rat.Product(x.rim, p, rat.Complement(qB))) > 0 {
				t.Refute("%v: without B output %d is more than e^ε' times as likely under Q", x, i+1)
			}
		}
	})
}

// bothSides checks a share of the bound, under both laws, and what is left.
func bothSides(share *big.Rat) register.Check {
	return register.All(sidesWithin(share, printedEvent), insideOf(true))
}

// bothRoots is that for ε' = ε + √(2δ).
func bothRoots(share *big.Rat) register.Check {
	return register.All(sidesWithin(share, rootEvent), insideOf(true))
}

func sidesWithin(share *big.Rat, claimed func(x severed) (bound *big.Rat, applies bool)) register.Check {
	return func(t *register.T) {
		severeds(t, func(x severed) {
			bound, applies := claimed(x)
			if !applies {
				return
			}
			pB, qB, _ := x.event(x.either)
			bound = rat.Product(bound, rat.Add(rat.One, new(big.Rat).Inv(x.rim)))
			if rat.Max(pB, qB).Cmp(rat.Mul(share, bound)) > 0 {
				t.Refute("%v: B has the probabilities %s, claimed is %.9g at most", x, rat.Show(pB, qB),
					rat.Float64(rat.Mul(share, bound)))
			}
			t.CloseTo(rat.Max(pB, qB), bound, "%v", x)
		})
	}
}

// insideOf checks that without the B with both sides the laws are within e^ε', scaled or not.
func insideOf(isScaled bool) register.Check {
	return func(t *register.T) {
		severeds(t, func(x severed) {
			pB, qB, ratio := x.event(x.either)
			if rat.Equal(pB, rat.One) || rat.Equal(qB, rat.One) {
				return
			}
			if ratio == nil {
				t.Refute("%v: an output of B^c has the probability 0 under one law only", x)
			}
			most := x.rim
			if isScaled {
				most = rat.Quo(most, rat.Complement(rat.Max(pB, qB)))
			}
			for i, p := range x.p {
				q := x.q[i]
				if x.either(p, q) {
					continue
				}
				p, q = rat.Quo(p, rat.Complement(pB)), rat.Quo(q, rat.Complement(qB))
				if p.Cmp(rat.Mul(most, q)) > 0 || q.Cmp(rat.Mul(most, p)) > 0 {
					t.Refute("%v: without B output %d has the probabilities %s, claimed are within %s", x, i+1, rat.Show(p, q),
						rat.Show(most))
				}
			}
		})
	}
}

// oneSided checks the chain with a share of the last δ.
func oneSided(share *big.Rat) register.Check {
	return func(t *register.T) {
		severeds(t, func(x severed) {
			pB, qB, _ := x.event(x.above)
			second := rat.Add(rat.Mul(x.expEps, qB), x.delta)
			third := rat.Add(rat.Product(x.expEps, new(big.Rat).Inv(x.rim), pB), rat.Mul(share, x.delta))
			if pB.Cmp(second) > 0 || rat.Add(rat.Mul(x.expEps, qB), rat.Mul(share, x.delta)).Cmp(third) > 0 ||
				pB.Cmp(third) > 0 {
				t.Refute("%v: the sides are %s", x, rat.Show(pB, second, third))
			}
			t.CloseTo(pB, third, "%v", x)
		})
	}
}

func rootStep(t *register.T, share interval.Interval) {
	t.Domain("δ in {1/1000000, 1/100, 1/20, 99/1000}")
	for _, delta := range rat.List("1/1000000", "1/100", "1/20", "99/1000") {
		t.Case()
		left := precise.Exp(precise.Neg(precise.Sqrt(exactly(rat.Twice(delta)))))
		rising(left, precise.Sub(precise.Int(1), precise.Sqrt(exactly(delta)))).check(t, share, "δ = %s", rat.Show(delta))
	}
}
