package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"sync"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// conversions are the statements on what follows from DP, zCDP and pDP for the others.
func conversions() register.Checks {
	tiny := rat.List("1e-13")
	return register.Checks{
		"FAC-X4": register.Checked(register.With3(tolerates, inner, rat.One, same),
			register.Control("also with δ = 0", register.With3(tolerates, deltas[:4], rat.One, same)),
			register.NearMiss("it is δ-approximate 19/20·ε²/2-zCDP", register.With3(tolerates, inner, nearly, same)),
			register.NearMiss("the loss is infinite with probability 19δ/20", register.With3(tolerates, inner, rat.One, less)),
		),
		"FAC-L1": register.Checked(register.All(register.With(dpIsZCDP, rat.One), register.With3(zcdpIsDP, rat.One, same,
			rat.List("1/2", "1/100", "1/1000000", "1e-13"))),
			register.AlsoFails(register.Edge, "(ii) for all δ' > 0, as in FAC-E2", register.With3(zcdpIsDP, rat.One, same,
				rat.List("2"))),
			register.NearMiss("(ε, δ)-DP is δ-approximate 19/20·ε²/2-zCDP", register.With(dpIsZCDP, nearly)),
			register.NearMiss("δ-approximate ρ-zCDP is (ρ + 2√(ρ ln(1/δ')), 19δ/20 + (1−δ)δ')-DP", register.With3(zcdpIsDP,
				rat.One, less, tiny)),
			register.NearMiss("δ-approximate ρ-zCDP is (ρ + 8/5·√(ρ ln(1/δ')), δ + (1−δ)δ')-DP", register.With3(zcdpIsDP,
				rat.Of("4/5"), same, tiny)),
		),
		"FAC-X8": register.Checked(register.All(register.With(pdpIsDP, same), register.With2(separated, inner, same)),
			register.Control("also for δ = 0", register.With2(separated, deltas[:1], same)),
			register.Control("also for δ = 1", register.With2(separated, deltas[4:], same)),
			register.NearMiss("(ε, δ)-pDP gives (ε, 19δ/20)-DP", register.With(pdpIsDP, less)),
			register.NearMiss("the mechanism is (ε, 19δ/20)-DP", register.With2(separated, inner, less)),
		),
		"FAC-L2": register.Checked(register.All(register.With(pdpIsDP, same), register.With2(dpIsPDP, printedRate, charges)),
			register.AlsoHolds("(i) alone", register.All(register.With(pdpIsDP, same), ratesAgree)),
			register.AlsoFails(register.False, "(ii) for e^ε up to 2, where 2/(ε e^ε) > 1", register.With2(dpIsPDP, printedRate,
				charges[:3])),
			register.NearMiss("(ε, δ)-DP is (2ε, δ·19/20·(1 + e^(−2ε))/(1 − e^(−ε)))-pDP", register.With2(dpIsPDP,
				sharpRate(nearly), charges)),
			register.NearMiss("(ε, δ)-DP is (2ε, δ/(1 − e^(−ε)))-pDP", register.With2(dpIsPDP, oneSidedRate, charges)),
			register.Corrected("(i), and (ε, δ)-DP is (2ε, δ·(1 + e^(−2ε))/(1 − e^(−ε)))-pDP",
				register.All(register.With(pdpIsDP, same), register.With2(dpIsPDP, sharpRate(rat.One), charges))),
		),
		"FAC-X9": register.Checked(
			register.All(register.With(trades, rat.One), register.With(certainLoss, rat.Of("1/1000000"))),
			register.AlsoFails(register.Slip, "from pDP to DP, as printed: no (ε, δ)-pDP mechanism needs (ε, δ)-DP", notTight),
			register.NearMiss("19/20 of that δ' is enough", register.With(trades, nearly)),
			register.NearMiss("some (ε, 0)-DP mechanism has |loss| > ε with probability 1", register.With(certainLoss,
				new(big.Rat))),
		),
	}
}

// tolerates checks of (ε, δ)-randomized response that its loss is infinite with the probability of(δ) and its Rényi
// moments are, and that it is a mixture with parts of zCDP, with ρ = ε²/2 times a factor.
func tolerates(t *register.T, deltas []*big.Rat, factor *big.Rat, of func(*big.Rat) *big.Rat) {
	t.Domain("e^ε in {%s}, δ in {%s}, λ = 2 and 7", charges, deltas)
	finite.Each2(charges, deltas, func(e, delta *big.Rat) {
		t.Case()
		p, pure := responses(e, delta), responses(e, new(big.Rat))
		isMixture(t, p[0], delta, pure[0], finite.Law{"0": rat.One})
		isMixture(t, p[1], delta, pure[1], finite.Law{"3": rat.One})
		infinite := new(big.Rat)
		for o, pr := range p[0] {
			if spec.ExpLoss(p[0], p[1], o) == nil {
				infinite = rat.Add(infinite, pr)
			}
		}
		t.Require(rat.Equal(infinite, of(delta)) && spec.RenyiMoment(p[0], p[1], 2) == nil && spec.RenyiMoment(p[0], p[1],
			7) == nil, "e^ε = %s, δ = %s: the loss is infinite with probability %s, and not all moments are", e, delta, infinite)
		isZCDP(t, pure, e, growths(e, factor))
	})
}

// zcdpOrders are the orders of exact moments; at 1 and at 3/2 there are intervals.
var zcdpOrders = []int{2, 3, 7}

// growths returns e^(λ(λ−1)ρ) for these orders, and ρ, which is a factor times ε²/2.
func growths(expEps, factor *big.Rat) (g map[int]interval.Interval) {
	rho := precise.Mul(precise.Rat(factor), impl.DPToZCDP(loss.Exp(expEps)))
	g = map[int]interval.Interval{1: rho}
	for _, order := range zcdpOrders {
		g[order] = precise.Exp(precise.Mul(precise.Int(int64(order*(order-1))), rho))
	}
	return g
}

// isZCDP refutes that laws have the divergences of zCDP.
func isZCDP(t *register.T, p finite.Pair, e *big.Rat, g map[int]interval.Interval) {
	const are = "%v, which are ε-DP with e^ε = %s: "
	for _, order := range zcdpOrders {
		moment := spec.RenyiMoment(p[0], p[1], order)
		t.Require(moment != nil && isAtMost(t, moment, g[order]), are+"the moment of order %d is %v, and e^(λ(λ−1)ρ) is %.6g",
			p, e, order, moment, g[order].Float().Hi)
	}
	law0, law1 := p.Dense()
	for _, order := range rat.List("1", "3/2") {
		d, isFinite := impl.RenyiDivergence(law0, law1, order)
		bound := precise.Mul(precise.Rat(order), g[1])
		t.Require(isFinite && d.Lower.Cmp(bound.Upper) <= 0, are+"D_%s = %.6g, and λρ = %.6g", p, e, order, d.Float().Lo,
			bound.Float().Hi)
		t.Close(d.Float().Hi/math.Max(bound.Float().Lo, d.Float().Hi), "%v, e^ε = %s, λ = %s", p, e, order)
	}
}

// dpIsZCDP checks that (ε, δ)-DP laws are mixtures, with weight δ, of laws that are zCDP, with ρ = ε²/2 times a factor.
func dpIsZCDP(t *register.T, factor *big.Rat) {
	t.Domain("(i) all pairs of laws over up to 3 outputs with probabilities in 1/3, with the smallest δ, e^ε in {%s}",
		charges)
	for _, e := range charges {
		g := growths(e, factor)
		literal, fast := spec.DPToZCDP(math.Log(rat.Float64(e))), g[1].Float().Lo
		t.Require(factor != rat.One || math.Abs(literal/fast-1) <= 1e-12, "e^ε = %s: ρ is %.12g by spec and %.12g by impl", e,
			literal, fast)
		for _, p := range pairsIn(3) {
			t.Case()
			m := spec.Mechanism{ExpEps: e, Delta: p.DeltaBothWays(finite.Constant(e))}
			kernel, answers := finite.Simulation(p, m), responses(e, new(big.Rat))
			pure := finite.Pair{kernel.Apply(answers[0]), kernel.Apply(answers[1])}
			isMixture(t, p[0], m.Delta, pure[0], kernel["0"])
			isMixture(t, p[1], m.Delta, pure[1], kernel["3"])
			isZCDP(t, pure, e, g)
		}
	}
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
		many[0][fmt.Sprint(k)], many[1][fmt.Sprint(k)] = rat.Mul(ways, rat.Power(x, k)), rat.Mul(ways, rat.Power(x, n-k))
	}
	rho := precise.Mul(precise.Int(n), impl.DPToZCDP(loss.Exp(x)))
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
		eps, dp := impl.ZCDPToDP(p.rho, delta, delta1)
		agree(t, "ε", eps.Float().Lo, literal)
		agree(t, "δ", rat.Float64(dp), literalDelta)
		rho, rest := precise.Rat(p.rho), rat.Complement(delta)
		expEps := rat.Exact(precise.Exp(precise.Add(rho, precise.Mul(precise.Rat(factor), precise.Sub(eps, rho)))).Lower)
		mixed := finite.Pair{finite.Combine(rest, p.Pair[0], delta, finite.Law{"⊥": rat.One}),
			finite.Combine(rest, p.Pair[1], delta, finite.Law{"⊤": rat.One})}
		need, bound := mixed.DeltaBothWays(finite.Constant(expEps)), rat.Add(rat.Sub(of(delta), delta), dp)
		t.Require(need.Cmp(bound) <= 0, "laws number %d with ρ = %.6g, δ = %s, δ' = %s: δ = %.6g is needed, %.6g are claimed",
			p.number, p.rho, delta, delta1, need, bound)
		if delta.Sign() == 0 {
			t.CloseTo(need, bound, "laws number %d, δ = 0, δ' = %s", p.number, delta1)
		}
	})
}
