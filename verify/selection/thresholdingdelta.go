package selection

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// thresholdingDelta are the steps of the proof of Theorem 3.1(c), for runs with a δ.
func thresholdingDelta() register.Checks {
	return register.Checks{
		"PSC-T3.1.s9":  nearStep(foundWithDelta, "19/20"),
		"PSC-T3.1.s10": nearStep(noneWithDelta, "3/4"),
		"PSC-T3.1.s11": nearStep(sumWithDelta, "19/20"),
	}
}

// leaky is a place of that proof: two laws of an (ε_1, δ_1)-DP oracle with their parts p of F and p_1 above τ, and the
// parameters.
type leaky struct {
	laws                [2]samples
	p, p1               [2]*big.Rat
	expEps, delta, eps0 *big.Rat
	gamma               *big.Rat
	limit               int
}

// leakies goes through oracles that are functions of randomized response, with thresholds below the second and the
// third sample, and F of the third.
func leakies(t *register.T, visit func(x leaky)) {
	t.Domain("(e^ε_1, δ_1) in {(1001/1000, 1/1000), (2, 1/10)}, all functions of randomized response to three samples, " +
		"both orders; thresholds below the second and the third; (γ, ε_0) in {(1/100, 1/1000), (1/2000, 1), (1/2, 1/2)}, " +
		"the T of the theorem")
	for _, v := range [][]*big.Rat{rat.List("1001/1000", "1/1000"), rat.List("2", "1/10")} {
		for _, at := range [][]*big.Rat{rat.List("1/100", "1/1000"), rat.List("1/2000", "1"), rat.List("1/2", "1/2")} {
			limit := int(ceil(impl.ThresholdingLimit(at[0], at[1])))
			for _, q := range approximate(v[0], v[1]) {
				for first := 1; first <= 2; first++ {
					t.Case()
					x := leaky{laws: q, expEps: v[0], delta: v[1], gamma: at[0], eps0: at[1], limit: limit}
					for b := range q {
						x.p[b], x.p1[b] = q[b][2], rat.Sum(q[b][first:]...)
					}
					visit(x)
				}
			}
		}
	}
}

func ceil(x interval.Interval) int64 {
	n, _ := x.Upper.Int64()
	return n + 1
}

func (x leaky) check(t *register.T, share interval.Interval, l line) {
	l.check(t, share, "Q(D) = (%v), Q(D') = (%v), p = %s, p_1 = %s, e^ε_1 = %s, δ_1 = %s, γ = %s, ε_0 = %s, T = %d",
		x.laws[0], x.laws[1], rat.Show(x.p[:]...), rat.Show(x.p1[:]...), rat.Show(x.expEps), rat.Show(x.delta),
		rat.Show(x.gamma), rat.Show(x.eps0), x.limit)
}

// stop returns y(1−γ)+γ.
func (x leaky) stop(y *big.Rat) *big.Rat { return stops(y, x.gamma) }

// excess returns m = max{0, p_1' − δ_1}.
func (x leaky) excess() *big.Rat { return rat.Positive(rat.Sub(x.p1[1], x.delta)) }

// output returns the probabilities of F and of ⊥, and 1/(1 − (1−γ)^T) less the former would be without an end. Long
// numbers are avoided: the law is that of Theorem 3.1's proof, with intervals.
func (x leaky) output(b int) (found, none interval.Interval) {
	stay := power(rat.Mul(rat.Complement(x.p1[b]), rat.Complement(x.gamma)), x.limit)
	found = precise.Mul(exactly(rat.Quo(x.p[b], x.stop(x.p1[b]))), precise.Sub(precise.Int(1), stay))
	all := precise.Mul(exactly(rat.Quo(x.p1[b], x.stop(x.p1[b]))), precise.Sub(precise.Int(1), stay))
	return found, precise.Sub(precise.Int(1), all)
}

// checkLaw compares output with impl where numbers are short.
func (x leaky) checkLaw(t *register.T) {
	const few = 20
	x.limit = few
	for b, q := range x.laws {
		law, none := impl.ThresholdingLaw(samples{rat.Complement(x.p1[b]), rat.Sub(x.p1[b], x.p[b]), x.p[b]}, 1, x.gamma, few)
		found, rest := x.output(b)
		if !isNear(rat.Float64(law[2]), found) || !isNear(rat.Float64(none), rest) {
			t.Refute("Q = (%v), γ = %s, T = %d: %.9g and %.9g, by impl %s", q, rat.Show(x.gamma), few, found.Upper, rest.Upper,
				rat.Show(law[2], none))
		}
	}
}

func foundWithDelta(t *register.T, share interval.Interval) {
	leakies(t, func(x leaky) {
		x.checkLaw(t)
		e, one := x.expEps, precise.Int(1)
		m, more := x.excess(), rat.Add(rat.Mul(e, x.p[1]), x.delta)
		found, _ := x.output(0)
		third := rat.Quo(more, rat.Add(rat.Quo(rat.Mul(m, rat.Complement(x.gamma)), e), x.gamma))
		top := exactly(rat.Quo(rat.Mul(e, more), x.stop(m)))
		x.check(t, one, rising(found, exactly(rat.Quo(x.p[0], x.stop(x.p1[0]))), exactly(third), top))
		again, _ := x.output(1)
		each := exactly(rat.Quo(x.p[1], x.stop(x.p1[1])))
		whole := precise.Sub(one, power(rat.Complement(x.gamma), x.limit))
		low := precise.Mul(precise.ExpRat(new(big.Rat).Neg(x.eps0)), each)
		x.check(t, one, rising(low, precise.Mul(exactly(rat.Complement(rat.Mul(rat.Half, x.eps0))), each),
			precise.Mul(whole, each), again))
		rise := precise.Mul(exactly(rat.Mul(e, e)), precise.ExpRat(x.eps0))
		middle := rat.Quo(rat.Product(e, e, x.delta, rat.Add(rat.Mul(rat.Twice(x.p1[1]), rat.Complement(x.gamma)), x.gamma)),
			rat.Mul(x.stop(m), x.stop(x.p1[1])))
		x.check(t, one, rising(precise.Sub(found, precise.Mul(rise, again)), precise.Sub(top, precise.Mul(rise, low)),
			exactly(middle)))
		x.check(t, share, rising(exactly(middle), exactly(rat.Quo(rat.Product(rat.Int(2), e, e, x.delta), x.gamma))))
	})
}

func noneWithDelta(t *register.T, share interval.Interval) {
	leakies(t, func(x leaky) {
		x.checkLaw(t)
		e, one := x.expEps, precise.Int(1)
		m, g := x.excess(), x.gamma
		_, none := x.output(0)
		rest := precise.Quo(power(rat.Complement(g), x.limit),
			precise.Mul(precise.ExpRat(rat.One), exactly(rat.Mul(rat.Int(x.limit-1), g))))
		second := precise.Mul(exactly(rat.Quo(rat.Mul(rat.Complement(x.p1[0]), g), x.stop(x.p1[0]))), precise.Add(one, rest))
		more := rat.Add(rat.Mul(e, rat.Complement(x.p1[1])), x.delta)
		third := rat.Quo(rat.Product(more, g, rat.Add(rat.One, rat.Mul(rat.Half, x.eps0))),
			rat.Add(rat.Quo(rat.Mul(m, rat.Complement(g)), e), g))
		fourth := precise.Mul(precise.ExpRat(x.eps0), exactly(rat.Quo(rat.Product(e, more, g), x.stop(m))))
		x.check(t, one, rising(none, second, exactly(third), fourth))
		_, again := x.output(1)
		low := exactly(rat.Quo(rat.Mul(rat.Complement(x.p1[1]), g), x.stop(x.p1[1])))
		x.check(t, one, rising(low, again))
		rise := precise.Mul(exactly(rat.Mul(e, e)), precise.ExpRat(x.eps0))
		last := precise.Mul(rise, exactly(rat.Quo(x.delta, g)))
		x.check(t, one, rising(precise.Sub(fourth, precise.Mul(rise, low)), last))
		x.check(t, share, rising(precise.Sub(none, precise.Mul(rise, again)), last))
	})
}

func sumWithDelta(t *register.T, share interval.Interval) {
	t.Domain("e^ε_1 in {1001/1000, 10}, ε_0 in {0, 1/1000, 1}, δ_1/γ = 1")
	for _, e := range rat.List("1001/1000", "10") {
		for _, eps0 := range rat.List("0", "1/1000", "1") {
			t.Case()
			square := exactly(rat.Mul(e, e))
			rise := precise.Mul(square, precise.ExpRat(eps0))
			rising(precise.Add(precise.Mul(precise.Int(2), square), rise), precise.Mul(precise.Int(3), rise)).check(t, share,
				"e^ε_1 = %s, ε_0 = %s", rat.Show(e), rat.Show(eps0))
		}
	}
}
