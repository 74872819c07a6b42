package selection

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// badEvents are the statements of Appendix E on the event without which two laws are close.
func badEvents() register.Checks {
	inside := func(isScaled bool) claim { return at(severeds, insideOf, isScaled) }
	return register.Checks{
		"PSC-LE.2a": mended(at(severeds, leastEvent, printedEvent), at(severeds, bothSides, printedEvent),
			"Pr_P[B] ≤ (1 + e^−ε')·δ/(1 − e^(ε−ε')) for B = {P/Q ≥ e^ε' or Q/P ≥ e^ε'}, which is the same with P "+
				"and Q exchanged, and P|B^c and Q|B^c are within e^ε'/(1 − max(P(B), Q(B)))", "19/20",
			"19/20 of (1 + e^−ε')·δ/(1 − e^(ε−ε')), for the B that has both sides"),
		"PSC-LE.2b": checked(at(severeds, oneSide).With("1"),
			near("for the B that has both sides, within e^ε' as it is", inside(false).With("1")),
			corrected("for the B that has both sides, within e^ε'/(1 − max(P(B), Q(B)))", inside(true).With("1"))),
		"PSC-LE.2c": mended(at(severeds, leastEvent, rootEvent), at(severeds, bothSides, rootEvent),
			"(1 + e^−ε')·√δ for the B that has both sides, and what is left is as close as in PSC-LE.2a", "3/5",
			"3/5 of (1 + e^−ε')·√δ for the B that has both sides"),
		"PSC-LE.2.s1": tight(at(severeds, oneSided), "19/20", "with 19/20·δ at the end"),
		"PSC-LE.2.s2": step(rootStep(), "19/20"),
		"PSC-LE.3": mended(at(partings, closeButFor, false), at(partings, closeButFor, true),
			"if both Pr_P[B] ≤ δ and Pr_Q[B] ≤ δ", "19/20", "with 19/20 of δ, if both laws give B at most δ"),
		"PSC-LE.3.s1": mended(at(partings, chainOfE3, 4), at(partings, chainOfE3, 3), "the first two signs", "19/20",
			"the first two signs, with 19/20·Pr[B] at the end"),
	}
}

// severed is a pair of laws with the least δ for an e^ε, and an e^ε' above.
type severed struct {
	p, q        samples
	expEps, rim *big.Rat // e^ε, e^ε'
	delta       *big.Rat
}

// severeds goes through pairs of laws with δ < 1/10.
func severeds(t *register.T, visit func(x severed)) {
	t.Domain("P = (u, u/e'', 1 − u − u/e''), Q with the first two exchanged, for u in {1/100, 1/16, 1/8}, " +
		"e'' = e^ε·{21/20, 7/6, 2} and e^ε' = e''·{1, 19/20, 49/50}; P = (1/16, 1/100, rest) and Q = (1/(32e^ε), " +
		"100/(99·100e^ε'), rest), e^ε' = 9/5·e^ε; all laws over 3 outputs with probabilities in multiples of 1/10, " +
		"e^ε' = 3/2·e^ε; e^ε in {1, 3/2}; where 0 < δ < 1/10")
	for _, e := range rat.List("1", "3/2") {
		try := func(p, q samples, rim *big.Rat) {
			x := severed{p, q, e, rim, exactDelta(e, p, q)}
			if x.delta.Sign() > 0 && x.delta.Cmp(rat.Of("1/10")) < 0 && rim.Cmp(e) > 0 {
				t.At("P = (%s), Q = (%s), e^ε = %s, e^ε' = %s, δ = %s", p, q, e, rim, x.delta)
				visit(x)
			}
		}
		withLast := func(u, v *big.Rat) samples { return samples{u, v, rat.Complement(rat.Add(u, v))} }
		finite.Each3(rat.List("1/100", "1/16", "1/8"), rat.List("21/20", "7/6", "2"), rat.List("1", "19/20", "49/50"),
			func(u, times, share *big.Rat) {
				far := rat.Mul(e, times)
				try(withLast(u, rat.Quo(u, far)), withLast(rat.Quo(u, far), u), rat.Mul(far, share))
			})
		rim := rat.Mul(rat.Of("9/5"), e)
		u, w := rat.Of("1/16"), rat.Of("1/100")
		try(withLast(u, w), withLast(rat.Quo(u, rat.Twice(e)), rat.Quo(w, rat.Mul(rat.Of("99/100"), rim))), rim)
		finite.Each2(oracles(3, 10), oracles(3, 10), func(p, q samples) { try(p, q, rat.Mul(rat.Of("3/2"), e)) })
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
	for _, set := range events() {
		if lost := x.lost(set); lost != nil {
			least = rat.Min(least, lost)
		}
	}
	return least
}

// lost returns it for one A; nil if c cannot be where it has to.
func (x severed) lost(set event) *big.Rat {
	var kept []int
	pA, qA := new(big.Rat), new(big.Rat)
	for i := range x.p {
		if !set[i] || x.p[i].Sign() == 0 && x.q[i].Sign() == 0 {
			continue
		}
		if x.p[i].Sign() == 0 || x.q[i].Sign() == 0 {
			return nil
		}
		kept, pA, qA = append(kept, i), rat.Add(pA, x.p[i]), rat.Add(qA, x.q[i])
	}
	if kept == nil {
		return nil
	}
	ratio := func(i int) *big.Rat { return rat.Quo(x.p[i], x.q[i]) }
	slices.SortFunc(kept, func(i, j int) int { return ratio(i).Cmp(ratio(j)) })
	low, high := rat.Quo(ratio(kept[len(kept)-1]), x.rim), rat.Mul(ratio(kept[0]), x.rim)
	end, lost := low, rat.Complement(pA)
	switch c := rat.Quo(pA, qA); {
	case low.Cmp(high) > 0:
		return nil
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

// anEvent is a bound on the probability of B, or nil where none is claimed.
type anEvent func(x severed) *big.Rat

// printedEvent is δ/(1 − e^(ε−ε')).
func printedEvent(x severed) *big.Rat {
	return rat.Quo(x.delta, rat.Complement(rat.Quo(x.expEps, x.rim)))
}

// rootEvent is √δ, rounded up, where e^ε' is e^(ε + √(2δ)) or a little more.
func rootEvent(x severed) *big.Rat {
	if num(x.rim).Lower.Cmp(mul(x.expEps, exp(root(rat.Twice(x.delta)))).Upper) < 0 {
		return nil
	}
	_, bound := root(x.delta).Rats()
	return bound
}

// leastEvent refutes a bound below the least probability.
func leastEvent(t *register.T, _ *big.Rat, x severed, claimed anEvent) {
	if bound := claimed(x); bound != nil {
		least := x.least()
		t.Require(least.Cmp(bound) <= 0, "every B has a probability of at least %s, claimed is %.9g", least, bound)
	}
}

// side is what of an output is in B.
type side func(p, q *big.Rat) bool

// event returns the probabilities of B under P and Q; and whether no other output has the probability 0 under one of
// them alone.
func (x severed) event(isIn side) (pB, qB *big.Rat, isSound bool) {
	pB, qB, isSound = new(big.Rat), new(big.Rat), true
	for i, p := range x.p {
		if q := x.q[i]; p.Sign()+q.Sign() > 0 && isIn(p, q) {
			pB, qB = rat.Add(pB, p), rat.Add(qB, q)
		} else if p.Sign() != q.Sign() {
			isSound = false
		}
	}
	return pB, qB, isSound
}

// above and either are the B of the proof, and that with both sides.
func (x severed) above(p, q *big.Rat) bool  { return spec.InBadEvent(p, q, x.rim) }
func (x severed) either(p, q *big.Rat) bool { return x.above(p, q) || x.above(q, p) }

// eachLeft visits the probabilities of the outputs that are not in B, scaled, unless nothing is left.
func (x severed) eachLeft(t *register.T, isIn side, visit func(p, q, largest *big.Rat)) {
	pB, qB, isSound := x.event(isIn)
	if rat.Equal(pB, rat.One) || rat.Equal(qB, rat.One) {
		return
	}
	t.Require(isSound, "an output of B^c has the probability 0 under one law only")
	for i, p := range x.p {
		if q := x.q[i]; !isIn(p, q) {
			t.In("without B output %d", i+1)
			visit(rat.Quo(p, rat.Complement(pB)), rat.Quo(q, rat.Complement(qB)), rat.Max(pB, qB))
		}
	}
}

func oneSide(t *register.T, _ *big.Rat, x severed) {
	x.eachLeft(t, x.above, func(p, q, _ *big.Rat) {
		t.Require(q.Cmp(rat.Mul(x.rim, p)) <= 0, "is more than e^ε' times as likely under Q")
	})
}

// bothSides checks a share of a bound for the B with both sides, under both laws, and what is left.
func bothSides(t *register.T, share *big.Rat, x severed, claimed anEvent) {
	if bound := claimed(x); bound != nil {
		pB, qB, _ := x.event(x.either)
		within(t, "the probability of B", rat.Max(pB, qB), share,
			rat.Product(bound, rat.Add(rat.One, new(big.Rat).Inv(x.rim))))
	}
	insideOf(t, share, x, true)
}

// insideOf checks that without the B with both sides the laws are within e^ε', scaled or not.
func insideOf(t *register.T, _ *big.Rat, x severed, isScaled bool) {
	x.eachLeft(t, x.either, func(p, q, largest *big.Rat) {
		most := x.rim
		if isScaled {
			most = rat.Quo(most, rat.Complement(largest))
		}
		t.Require(areWithin(most, p, q), "has the probabilities %s and %s, claimed are within %s", p, q, most)
	})
}

// oneSided checks the chain with a share of the last δ.
func oneSided(t *register.T, share *big.Rat, x severed) {
	pB, qB, _ := x.event(x.above)
	less := mul(share, x.delta)
	last := add(quo(mul(x.expEps, pB), x.rim), less)
	ordered(t, false, pB, add(mul(x.expEps, qB), x.delta))
	ordered(t, false, add(mul(x.expEps, qB), less), last)
	rising(t, pB, last)
}

var rootStep = on("δ in {1/1000000, 1/100, 1/20, 99/1000}", func(t *register.T, share, delta *big.Rat) {
	rising(t, exp(neg(root(rat.Twice(delta)))), mul(share, sub(1, root(delta))))
})

// parting is a pair of laws over three outputs, and an event B that neither is sure of.
type parting struct {
	p, q         samples
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
	t.Domain("laws over 3 outputs with probabilities in multiples of 1/4, every event B that is not certain, " +
		"e^ε in {1, 2, 3}")
	finite.Each3(oracles(3, 4), oracles(3, 4), events(), func(p, q samples, b event) {
		x := parting{p: p, q: q, pB: b.of(p), qB: b.of(q)}
		if rat.Equal(x.pB, rat.One) || rat.Equal(x.qB, rat.One) {
			return
		}
		x.restP, x.restQ = b.without(p), b.without(q)
		for _, x.expEps = range rat.List("1", "2", "3") {
			if exactDelta(x.expEps, x.restP, x.restQ).Sign() == 0 {
				t.At("P = (%s), Q = (%s), B = %s, e^ε = %s", p, q, fmt.Sprint(b), x.expEps)
				visit(x)
			}
		}
	})
}

// closeButFor checks the conclusion with a share of δ, which is that of P, or the larger one.
func closeButFor(t *register.T, share *big.Rat, x parting, both bool) {
	delta := x.pB
	if both {
		delta = rat.Max(x.pB, x.qB)
	}
	within(t, "δ", exactDelta(x.expEps, x.p, x.q), share, delta)
}

// chainOfE3 checks so many sides of the chain, for every event S, with a share of the last Pr[B].
func chainOfE3(t *register.T, share *big.Rat, x parting, sides int) {
	for _, s := range events() {
		t.In("S = %s", fmt.Sprint(s))
		chain := []any{s.of(x.p), add(s.of(x.restP), x.pB), add(mul(x.expEps, s.of(x.restQ)), x.pB),
			add(mul(x.expEps, s.of(x.q)), x.pB)}[:sides]
		chain[sides-1] = sub(chain[sides-1], mul(sub(1, share), x.pB))
		ordered(t, false, chain...)
	}
}
