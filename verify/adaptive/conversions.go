package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"sync"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// conversions are the statements on what follows from DP, zCDP and pDP for the others.
func conversions() register.Checks {
	tiny := rat.List("1e-13")
	twice := func(r rate, charges []*big.Rat) register.Check {
		return with(dpIsPDP, r, charges, func(e *big.Rat) []*big.Rat { return []*big.Rat{rat.Mul(e, e)} })
	}
	trades := func(factor *big.Rat) register.Check {
		return with(dpIsPDP, sharpRate(factor, rat.One), charges, func(e *big.Rat) []*big.Rat {
			return []*big.Rat{rat.Mul(e, rat.Of("21/20")), rat.Mul(e, rat.Int(2)), rat.Mul(e, rat.Int(100))}
		})
	}
	return register.Checks{
		"FAC-X4": checked(with(tolerates, rat.One, same),
			near("it is δ-approximate 19/20·ε²/2-zCDP", with(tolerates, nearly, same)),
			near("the loss is infinite with probability 19δ/20", with(tolerates, rat.One, less))),
		"FAC-L1": checked(all(with(dpIsZCDP, rat.One), with(zcdpIsDP, rat.One, same, rat.List("1/2", "1/100",
			"1/1000000", "1e-13"))),
			alsoFails(register.Edge, "(ii) for all δ' > 0, as in FAC-E2", with(zcdpIsDP, rat.One, same, rat.List("2"))),
			near("(ε, δ)-DP is δ-approximate 19/20·ε²/2-zCDP", with(dpIsZCDP, nearly)),
			near("δ-approximate ρ-zCDP is (ρ + 2√(ρ ln(1/δ')), 19δ/20 + (1−δ)δ')-DP", with(zcdpIsDP, rat.One, less,
				tiny)),
			near("δ-approximate ρ-zCDP is (ρ + 8/5·√(ρ ln(1/δ')), δ + (1−δ)δ')-DP", with(zcdpIsDP, rat.Of("4/5"), same,
				tiny))),
		"FAC-X8": checked(all(with(pdpIsDP, same), merging{}.check),
			near("also for δ = 0", merging{deltas: deltas[:1]}.check),
			near("(ε, δ)-pDP gives (ε, 19δ/20)-DP", with(pdpIsDP, less)),
			near("the mechanism is (ε, 19δ/20)-DP", merging{dp: less}.check)),
		"FAC-L2": checked(all(with(pdpIsDP, same), ratesAgree, twice(printedRate, charges)),
			alsoHolds("(i) alone", all(with(pdpIsDP, same), ratesAgree)),
			alsoFails(register.False, "(ii) for e^ε up to 2, where 2/(ε e^ε) > 1", twice(printedRate, charges[:3])),
			near("(ε, δ)-DP is (2ε, δ·19/20·(1 + e^(−2ε))/(1 − e^(−ε)))-pDP", twice(sharpRate(nearly, new(big.Rat)),
				charges)),
			near("(ε, δ)-DP is (2ε, δ/(1 − e^(−ε)))-pDP", twice(oneSidedRate, charges)),
			corrected("(i), and (ε, δ)-DP is (2ε, δ·(1 + e^(−2ε))/(1 − e^(−ε)))-pDP", all(with(pdpIsDP, same),
				ratesAgree, twice(correctedRate, charges)))),
		"FAC-X9": checked(all(trades(rat.One), with(certainLoss, rat.Of("1/1000000"))),
			alsoFails(register.Slip, "from pDP to DP, as printed: no (ε, δ)-pDP mechanism needs (ε, δ)-DP", notTight),
			near("19/20 of that δ' is enough", trades(nearly)),
			near("some (ε, 0)-DP mechanism has |loss| > ε with probability 1", with(certainLoss, new(big.Rat)))),
	}
}

// tolerates checks of (ε, δ)-randomized response that its loss is infinite with the probability of(δ) and its Rényi
// moments are, and that it is a mixture with parts of zCDP, with ρ = ε²/2 times a factor.
func tolerates(t *register.T, factor *big.Rat, of func(*big.Rat) *big.Rat) {
	t.Domain("e^ε in {%s}, δ in {%s}, λ = 2 and 7", charges, inner)
	eachResponse(t, charges, inner, func(e, delta *big.Rat, p finite.Pair) {
		pure := responses(e, new(big.Rat))
		isMixture(t, p[0], delta, pure[0], finite.Law{"0": rat.One})
		isMixture(t, p[1], delta, pure[1], finite.Law{"3": rat.One})
		infinite := new(big.Rat)
		for o, pr := range p[0] {
			if spec.ExpLoss(p[0], p[1], o) == nil {
				infinite = rat.Add(infinite, pr)
			}
		}
		noMoments := spec.RenyiMoment(p[0], p[1], 2) == nil && spec.RenyiMoment(p[0], p[1], 7) == nil
		t.Require(rat.Equal(infinite, of(delta)) && noMoments,
			"the loss is infinite with probability %s, and not all moments are", infinite)
		isZCDP(t, pure, rhoOf(e, factor))
	})
}

// zcdpOrders are the orders of exact moments; at 1 and at 3/2 there are intervals.
var zcdpOrders = []int{2, 3, 7}

// rhoOf returns ε²/2 times a factor.
func rhoOf(expEps, factor *big.Rat) interval.Interval {
	return precise.Mul(precise.Rat(factor), ledger.DPToZCDP(loss.Exp(expEps)))
}

// isZCDP refutes that laws have the divergences of ρ-zCDP.
func isZCDP(t *register.T, p finite.Pair, rho interval.Interval) {
	law0, law1 := p.Dense()
	for _, order := range rat.List("1", "3/2", "2", "3", "7") {
		sameMoment(t, p, order)
		d, isFinite := impl.RenyiDivergence(law0, law1, order)
		bound := precise.Mul(precise.Rat(order), rho)
		t.Require(isFinite && d.Lower.Cmp(bound.Upper) <= 0, "%v: D_%s = %.6g, and λρ = %.6g",
			p, order, d.Float().Lo, bound.Float().Hi)
		t.Close(d.Float().Hi/math.Max(bound.Float().Lo, d.Float().Hi), "%v, λ = %s", p, order)
	}
}

// dpIsZCDP checks that (ε, δ)-DP laws are mixtures, with weight δ, of laws that are zCDP, with ρ = ε²/2 times a factor.
func dpIsZCDP(t *register.T, factor *big.Rat) {
	t.Domain("(i) all pairs of laws over up to 3 outputs with probabilities in 1/3, with the smallest δ, e^ε in {%s}",
		charges)
	finite.Each2(charges, pairsIn(3), func(e *big.Rat, p finite.Pair) {
		t.At("e^ε = %s", e)
		rho := rhoOf(e, factor)
		literal, fast := spec.DPToZCDP(math.Log(rat.Float64(e))), rho.Float().Lo
		t.Require(factor != rat.One || math.Abs(literal/fast-1) <= 1e-12, "ρ is %.12g by spec and %.12g by impl",
			literal, fast)
		m := spec.Mechanism{ExpEps: e, Delta: p.DeltaBothWays(finite.Constant(e))}
		kernel, answers := finite.Simulation(p, m), responses(e, new(big.Rat))
		pure := finite.Pair{kernel.Apply(answers[0]), kernel.Apply(answers[1])}
		isMixture(t, p[0], m.Delta, pure[0], kernel["0"])
		isMixture(t, p[1], m.Delta, pure[1], kernel["3"])
		isZCDP(t, pure, rho)
	})
}

// zcdpLaw are laws and a ρ with which they are ρ-zCDP.
type zcdpLaw struct {
	number int
	finite.Pair
	rho *big.Rat
}

// zcdpLaws are small ones, with the least ρ, and 64 randomized responses with e^ε = 11/10, of which only the number of
// likely answers counts, with ρ = 64·ε²/2.
var zcdpLaws = sync.OnceValue(func() (laws []zcdpLaw) {
	for i, p := range []finite.Pair{mirrored(rat.Of("101/100")), mirrored(rat.Of("3")), mirrored(rat.Of("1000")),
		{coin(rat.Half), coin(rat.Of("9/10"))}} {
		rho, _ := impl.SmallestRho(p.Dense())
		laws = append(laws, zcdpLaw{i + 1, p, rat.Exact(rho.Upper)})
	}
	const n = 64
	many, x := finite.Pair{{}, {}}, rat.Of("11/10")
	for k := range n + 1 {
		ways := rat.Quo(new(big.Rat).SetInt(new(big.Int).Binomial(n, int64(k))), rat.Power(rat.Add(x, rat.One), n))
		many[0][fmt.Sprint(k)], many[1][fmt.Sprint(k)] = rat.Mul(ways, rat.Power(x, k)),
			rat.Mul(ways, rat.Power(x, n-k))
	}
	rho := precise.Mul(precise.Int(n), ledger.DPToZCDP(loss.Exp(x)))
	return append(laws, zcdpLaw{len(laws) + 1, many, rat.Exact(rho.Upper)})
})

// zcdpIsDP checks the (ε, δ) of mixtures of laws that are ρ-zCDP with outputs that tell the databases apart; the root
// of ε is multiplied by a factor, and δ in the result is of(δ).
func zcdpIsDP(t *register.T, factor *big.Rat, of func(*big.Rat) *big.Rat, delta1s []*big.Rat) {
	t.AlsoDomain("(ii) 5 pairs of laws with a bound of the least ρ, δ in {%s}, δ' in {%s}", deltas, delta1s)
	finite.Each3(zcdpLaws(), deltas, delta1s, func(p zcdpLaw, delta, delta1 *big.Rat) {
		t.Case()
		literal, literalDelta := spec.ZCDPToDP(rat.Float64(p.rho), rat.Float64(delta), rat.Float64(delta1))
		t.Require(!math.IsNaN(literal), "ρ = %.6g, δ' = %s: the root of a negative number", p.rho, delta1)
		eps, dp := ledger.ZCDPToDP(p.rho, delta, delta1)
		agree(t, "ε", eps.Float().Lo, literal)
		agree(t, "δ", rat.Float64(dp), literalDelta)
		rho, rest := precise.Rat(p.rho), rat.Complement(delta)
		expEps :=
			rat.Exact(precise.Exp(precise.Add(rho, precise.Mul(precise.Rat(factor), precise.Sub(eps, rho)))).Lower)
		mixed := finite.Pair{finite.Combine(rest, p.Pair[0], delta, finite.Law{"⊥": rat.One}),
			finite.Combine(rest, p.Pair[1], delta, finite.Law{"⊤": rat.One})}
		need, bound := mixed.DeltaBothWays(finite.Constant(expEps)), rat.Add(rat.Sub(of(delta), delta), dp)
		t.Require(need.Cmp(bound) <= 0, "laws number %d with ρ = %.6g, δ = %s, δ' = %s: "+
			"δ = %.6g is needed, %.6g are claimed", p.number, p.rho, delta, delta1, need, bound)
		if delta.Sign() == 0 {
			t.CloseTo(need, bound, "laws number %d, δ = 0, δ' = %s", p.number, delta1)
		}
	})
}

// pdpIsDP checks that (ε, δ)-pDP laws are (ε, of(δ))-DP.
func pdpIsDP(t *register.T, of func(*big.Rat) *big.Rat) {
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/4, e^ε in {%s}, with the smallest δ",
		charges)
	finite.Each2(pairsIn(4), charges, func(p finite.Pair, e *big.Rat) {
		t.At("%v, e^ε = %s", p, e)
		need, have := dpDelta(p, e), pdpDelta(p, e)
		t.Require(need.Cmp(of(have)) <= 0, "|loss| > ε with probability %s, and the smallest δ of DP is %s", have, need)
		t.CloseTo(need, have, "")
	})
}

// rate is a factor of δ from (ε, δ)-DP to pDP with ε' > ε.
type rate = func(e, wider *big.Rat) interval.Interval

// printedRate is 2/(ε e^ε), for 2ε.
func printedRate(e, _ *big.Rat) interval.Interval {
	_, delta := ledger.DPToPDP(loss.Exp(e), rat.One)
	return delta
}

// correctedRate is (1 + e^(−2ε))/(1 − e^(−ε)), for 2ε.
func correctedRate(e, _ *big.Rat) interval.Interval {
	_, delta := ledger.PDP(loss.Exp(e), rat.One)
	return delta
}

// sharpRate is a factor times (1 + e^(−ε'))/(1 − e^(ε−ε')), or the least one; oneSidedRate is 1/(1 − e^(−ε)).
func sharpRate(factor, least *big.Rat) rate {
	return func(e, wider *big.Rat) interval.Interval {
		r := rat.Quo(rat.Add(wider, rat.One), rat.Sub(wider, e))
		return precise.Rat(rat.Max(least, rat.Mul(factor, r)))
	}
}

func oneSidedRate(e, _ *big.Rat) interval.Interval {
	return precise.Rat(rat.Quo(e, rat.Sub(e, rat.One)))
}

// ratesAgree checks that spec and impl have the same 2/(ε e^ε).
func ratesAgree(t *register.T) {
	for _, e := range charges {
		t.At("e^ε = %s", e)
		eps, delta := spec.DPToPDP(math.Log(rat.Float64(e)), 1)
		wide, fast := ledger.DPToPDP(loss.Exp(e), rat.One)
		agree(t, "2ε", wide.Float().Lo, eps)
		agree(t, "the rate", fast.Float().Lo, delta)
	}
}

// dpIsPDP checks that laws with the smallest δ of (ε, δ)-DP have losses above ε' or below −ε' with a probability of at
// most a rate times δ, for some ε' by ε.
func dpIsPDP(t *register.T, r rate, charges []*big.Rat, wider func(e *big.Rat) []*big.Rat) {
	t.AlsoDomain("(ε, δ)-DP with e^ε in {%s}: two outputs with losses beyond ε', also just so, and all pairs of laws "+
		"over up to 3 outputs with probabilities in 1/4, with the smallest δ", charges)
	try := func(p finite.Pair, e, w *big.Rat) {
		t.At("%v, e^ε = %s, e^ε' = %s", p, e, w)
		delta, got := dpDelta(p, e), pdpDelta(p, w)
		bound := precise.Mul(r(e, w), precise.Rat(delta))
		t.Require(got.Cmp(rat.Exact(bound.Upper)) <= 0,
			"it is (ε, δ)-DP with δ = %s; |loss| > ε' has probability %s, not at most %.6g",
			delta, got, bound.Float().Hi)
		if delta.Sign() > 0 {
			t.Close(rat.Float64(got)/bound.Float().Lo, "")
		}
	}
	for _, laws := range []func(w *big.Rat) []finite.Pair{
		func(w *big.Rat) []finite.Pair { return []finite.Pair{mirrored(rat.Int(1 + int(rat.Float64(w))))} },
		func(w *big.Rat) []finite.Pair { return append(pairsIn(4), mirrored(rat.Mul(w, rat.Of("1001/1000")))) },
	} {
		for _, e := range charges {
			for _, w := range wider(e) {
				for _, p := range laws(w) {
					try(p, e, w)
				}
			}
		}
	}
}

// certainLoss checks that for every ε some mechanism is (ε, δ)-DP with a δ above 0 and at most so large, or of 0, and
// has a loss above ε or below −ε for sure.
func certainLoss(t *register.T, most *big.Rat) {
	t.AlsoDomain("e^ε in {%s}, δ up to %s", charges, most)
	for _, e := range charges {
		t.Case()
		p := mirrored(rat.Mul(e, rat.Add(rat.One, most)))
		delta, got := dpDelta(p, e), pdpDelta(p, e)
		t.Require(delta.Cmp(most) <= 0 && got.Cmp(rat.One) >= 0,
			"%v: is (ε, δ)-DP with e^ε = %s and δ = %s, and |loss| > ε has probability %s", p, e, delta, got)
	}
}

// notTight checks that (ε, δ)-pDP mechanisms are (ε, δ')-DP with a smaller δ'.
func notTight(t *register.T) {
	t.Domain("randomized response with e^ε in {%s}, δ in {%s}", charges, inner)
	finite.Each2(charges, inner, func(e, delta *big.Rat) {
		t.Case()
		p := responses(e, delta)
		t.Require(pdpDelta(p, e).Cmp(delta) > 0 || dpDelta(p, e).Cmp(delta) < 0,
			"%v: is (ε, δ)-pDP with e^ε = %s and δ = %s, and (ε, δ)-DP with no smaller δ", p, e, delta)
	})
}
