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
	return register.Checks{
		"FAC-X4": register.Checked(tolerates(deltas[1:4], rat.One, same),
			register.Control("also with δ = 0", tolerates(deltas[:4], rat.One, same)),
			register.NearMiss("it is δ-approximate 19/20·ε²/2-zCDP", tolerates(deltas[1:4], nearly, same)),
			register.NearMiss("the loss is infinite with probability 19δ/20", tolerates(deltas[1:4], rat.One, scaled(nearly))),
		),
		"FAC-L1": register.Checked(
			register.All(dpIsZCDP(rat.One), zcdpIsDP(rat.One, same, rat.List("1/2", "1/100", "1/1000000", "1e-13"))),
			register.AlsoFails(register.Edge, "(ii) for all δ' > 0, as in FAC-E2", zcdpIsDP(rat.One, same, rat.List("2"))),
			register.Control("δ-approximate ρ-zCDP is (ρ + √(ρ ln(1/δ')), δ + (1−δ)δ')-DP", zcdpIsDP(rat.Half, same,
				rat.List("1e-13"))),
			register.NearMiss("(ε, δ)-DP is δ-approximate 19/20·ε²/2-zCDP", dpIsZCDP(nearly)),
			register.NearMiss("δ-approximate ρ-zCDP is (ρ + 2√(ρ ln(1/δ')), 19δ/20 + (1−δ)δ')-DP", zcdpIsDP(rat.One,
				scaled(nearly), rat.List("1e-13"))),
			register.NearMiss("δ-approximate ρ-zCDP is (ρ + 8/5·√(ρ ln(1/δ')), δ + (1−δ)δ')-DP", zcdpIsDP(rat.Of("4/5"), same,
				rat.List("1e-13"))),
		),
		"FAC-X8": register.Checked(register.All(pdpIsDP(same), separated(deltas[1:4], same)),
			register.Control("also for δ = 0", separated(deltas[:1], same)),
			register.Control("also for δ = 1", separated(deltas[4:], same)),
			register.NearMiss("(ε, δ)-pDP gives (ε, 19δ/20)-DP", pdpIsDP(scaled(nearly))),
			register.NearMiss("the mechanism is (ε, 19δ/20)-DP", separated(deltas[1:4], scaled(nearly))),
		),
		"FAC-L2": register.Checked(register.All(pdpIsDP(same), dpIsPDP(printedRate, charges)),
			register.AlsoHolds("(i) alone", register.All(pdpIsDP(same), ratesAgree)),
			register.AlsoFails(register.False, "(ii) for e^ε up to 2, where 2/(ε e^ε) > 1", dpIsPDP(printedRate, charges[:3])),
			register.NearMiss("(ε, δ)-DP is (2ε, δ·19/20·(1 + e^(−2ε))/(1 − e^(−ε)))-pDP", dpIsPDP(times(nearly, sharpRate),
				charges)),
			register.NearMiss("(ε, δ)-DP is (2ε, δ/(1 − e^(−ε)))-pDP", dpIsPDP(oneSidedRate, charges)),
			register.Corrected("(i), and (ε, δ)-DP is (2ε, δ·(1 + e^(−2ε))/(1 − e^(−ε)))-pDP", register.All(pdpIsDP(same),
				dpIsPDP(sharpRate, charges))),
		),
		"FAC-X9": register.Checked(register.All(trades(rat.One), certainLoss(rat.Of("1/1000000"))),
			register.AlsoFails(register.Slip, "from pDP to DP, as printed: no (ε, δ)-pDP mechanism needs (ε, δ)-DP", notTight),
			register.NearMiss("19/20 of that δ' is enough", trades(nearly)),
			register.NearMiss("some (ε, 0)-DP mechanism has |loss| > ε with probability 1", certainLoss(new(big.Rat))),
		),
	}
}

// tolerates checks of (ε, δ)-randomized response that its loss is infinite with the probability of(δ) and its Rényi
// moments are, and that it is a mixture with parts of zCDP, with ρ = ε²/2 times a factor.
func tolerates(deltas []*big.Rat, factor *big.Rat, of func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε in {%s}, δ in {%s}, λ = 2 and 7", charges, deltas)
		for _, e := range charges {
			for _, delta := range deltas {
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
				if infinite.Cmp(of(delta)) != 0 || spec.RenyiMoment(p[0], p[1], 2) != nil ||
					spec.RenyiMoment(p[0], p[1], 7) != nil {
					t.Refute("e^ε = %s, δ = %s: the loss is infinite with probability %s, and not all moments are", e, delta, infinite)
				}
				isZCDP(t, pure, e, growths(e, factor))
			}
		}
	}
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
	law0, law1 := p.Dense()
	for _, order := range zcdpOrders {
		moment := spec.RenyiMoment(p[0], p[1], order)
		if moment == nil || !isAtMost(t, moment, g[order]) {
			t.Refute("%v, which are ε-DP with e^ε = %s: the moment of order %d is %v, and e^(λ(λ−1)ρ) is %.6g", p, e, order,
				moment, g[order].Float().Hi)
		}
	}
	for _, order := range rat.List("1", "3/2") {
		d, isFinite := impl.RenyiDivergence(law0, law1, order)
		bound := precise.Mul(precise.Rat(order), g[1])
		if !isFinite || d.Lower.Cmp(bound.Upper) > 0 {
			t.Refute("%v, which are ε-DP with e^ε = %s: D_%s = %.6g, and λρ = %.6g", p, e, order, d.Float().Lo, bound.Float().Hi)
		}
		t.Close(d.Float().Hi/math.Max(bound.Float().Lo, d.Float().Hi), "%v, e^ε = %s, λ = %s", p, e, order)
	}
}

// dpIsZCDP checks that (ε, δ)-DP laws are mixtures, with weight δ, of laws that are zCDP, with ρ = ε²/2 times a factor.
func dpIsZCDP(factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("(i) all pairs of laws over up to 3 outputs with probabilities in 1/3, with the smallest δ, e^ε in {%s}",
			charges)
		for _, e := range charges {
			g := growths(e, factor)
			if eps := math.Log(rat.Float64(e)); factor == rat.One && !(math.Abs(spec.DPToZCDP(eps)/g[1].Float().Lo-1) <= 1e-12) {
				t.Refute("e^ε = %s: ρ is %.12g by spec and %.12g by impl", e, spec.DPToZCDP(eps), g[1].Float().Lo)
			}
			for p := range finite.Pairs(3, 3) {
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
}

// zcdpLaws are laws and a ρ with which they are ρ-zCDP: small ones, with the least ρ, and 64 randomized responses
// with e^ε = 11/10, of which only the number of likely answers counts, with ρ = 64·ε²/2.
var zcdpLaws = sync.OnceValues(func() (laws []finite.Pair, rhos []*big.Rat) {
	for _, p := range []finite.Pair{mirrored(rat.Of("101/100")), mirrored(rat.Of("3")), mirrored(rat.Of("1000")),
		{{"a": rat.Of("1/2"), "b": rat.Of("1/2")}, {"a": rat.Of("9/10"), "b": rat.Of("1/10")}}} {
		rho, _ := impl.SmallestRho(p.Dense())
		laws, rhos = append(laws, p), append(rhos, rat.Exact(rho.Upper))
	}
	const n = 64
	many, x := finite.Pair{{}, {}}, rat.Of("11/10")
	for k := range n + 1 {
		ways := rat.Quo(new(big.Rat).SetInt(new(big.Int).Binomial(n, int64(k))), rat.Power(rat.Add(x, rat.One), n))
		many[0][fmt.Sprint(k)], many[1][fmt.Sprint(k)] = rat.Mul(ways, rat.Power(x, k)), rat.Mul(ways, rat.Power(x, n-k))
	}
	rho := precise.Mul(precise.Int(n), impl.DPToZCDP(loss.Exp(x)))
	return append(laws, many), append(rhos, rat.Exact(rho.Upper))
})

// zcdpIsDP checks the (ε, δ) of mixtures of laws that are ρ-zCDP with outputs that tell the databases apart; the root
// of ε is multiplied by a factor, and δ in the result is of(δ).
func zcdpIsDP(factor *big.Rat, of func(*big.Rat) *big.Rat, delta1s []*big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("(ii) 5 pairs of laws with a bound of the least ρ, δ in {%s}, δ' in {%s}", deltas, delta1s)
		laws, rhos := zcdpLaws()
		for i, p := range laws {
			for _, delta := range deltas {
				for _, delta1 := range delta1s {
					t.Case()
					asPrinted, printedDelta := spec.ZCDPToDP(rat.Float64(rhos[i]), rat.Float64(delta), rat.Float64(delta1))
					if math.IsNaN(asPrinted) {
						t.Refute("ρ = %.6g, δ' = %s: the root of a negative number", rhos[i], delta1)
					}
					eps, dp := impl.ZCDPToDP(rhos[i], delta, delta1)
					if !(math.Abs(asPrinted-eps.Float().Lo) <= 1e-12*eps.Float().Lo) ||
						!(math.Abs(printedDelta-rat.Float64(dp)) <= 1e-12*rat.Float64(dp)) {
						t.Refute("ρ = %.6g, δ = %s, δ' = %s: (%.12g, %.12g) by spec, (%.12g, %.12g) by impl", rhos[i], delta, delta1,
							asPrinted, printedDelta, eps.Float().Lo, dp)
					}
					rho := precise.Rat(rhos[i])
					expEps := rat.Exact(precise.Exp(precise.Add(rho, precise.Mul(precise.Rat(factor), precise.Sub(eps, rho)))).Lower)
					rest := rat.Complement(delta)
					mixed := finite.Pair{finite.Combine(rest, p[0], delta, finite.Law{"⊥": rat.One}),
						finite.Combine(rest, p[1], delta, finite.Law{"⊤": rat.One})}
					need, bound := mixed.DeltaBothWays(finite.Constant(expEps)), rat.Add(rat.Sub(of(delta), delta), dp)
					if need.Cmp(bound) > 0 {
						t.Refute("laws number %d with ρ = %.6g, δ = %s, δ' = %s: δ = %.6g is needed, %.6g are claimed", i+1, rhos[i],
							delta, delta1, need, bound)
					}
					if delta.Sign() == 0 {
						t.CloseTo(need, bound, "laws number %d, δ = 0, δ' = %s", i+1, delta1)
					}
				}
			}
		}
	}
}
