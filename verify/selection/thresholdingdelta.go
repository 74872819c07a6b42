package selection

import (
	"fmt"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// thresholdingDelta are the steps of the proof of Theorem 3.1(c), for runs with a δ.
func thresholdingDelta() register.Checks {
	return register.Checks{
		"PSC-T3.1.s9":  step(foundWithDelta, "19/20"),
		"PSC-T3.1.s10": step(noneWithDelta, "3/4"),
		"PSC-T3.1.s11": step(sumWithDelta, "19/20"),
	}
}

// leaky is a place of that proof: two laws of an (ε_1, δ_1)-DP oracle with their parts p of F and p_1 above τ, and the
// parameters.
type leaky struct {
	at                  string
	p, p1               [2]*big.Rat
	expEps, delta, eps0 *big.Rat
	gamma               *big.Rat
	limit               int
}

// leakies goes through oracles that are functions of randomized response, with thresholds below the second and the
// third sample, and F of the third.
func leakies(t *register.T, visit func(x leaky)) {
	for _, v := range finite.Grid(t, "(e^ε_1, δ_1) in {(1001/1000, 1/1000), (2, 1/10)}, all functions of randomized "+
		"response to three samples, both orders; thresholds below the second and the third; (γ, ε_0) in {(1/100, 1/1000), "+
		"(1/2000, 1), (1/2, 1/2)}, the T of the theorem") {
		x := leaky{expEps: v[0], delta: v[1], gamma: v[2], eps0: v[3], limit: up(selection.ThresholdingLimit(v[2], v[3]))}
		for _, q := range approximate(v[0], v[1]) {
			for first := 1; first <= 2; first++ {
				t.Case()
				for b := range q {
					x.p[b], x.p1[b] = q[b][2], rat.Sum(q[b][first:]...)
				}
				x.at = fmt.Sprintf("%v, p = %s, p_1 = %s, e^ε_1 = %s, δ_1 = %s, γ = %s, ε_0 = %s, T = %d", q,
					rat.Show(x.p[:]...), rat.Show(x.p1[:]...), rat.Show(v[0]), rat.Show(v[1]), rat.Show(v[2]), rat.Show(v[3]), x.limit)
				x.checkLaw(t)
				visit(x)
			}
		}
	}
}

// stop returns y(1−γ)+γ.
func (x leaky) stop(y *big.Rat) *big.Rat { return stops(y, x.gamma) }

// output returns the probabilities of F and of ⊥. Long numbers are avoided: the law is that of Theorem 3.1's proof,
// with intervals.
func (x leaky) output(b, limit int) (found, none interval.Interval) {
	halts := quo(sub(1, power(mul(sub(1, x.p1[b]), sub(1, x.gamma)), limit)), x.stop(x.p1[b]))
	return mul(x.p[b], halts), sub(1, mul(x.p1[b], halts))
}

// checkLaw compares output with impl where numbers are short.
func (x leaky) checkLaw(t *register.T) {
	const few = 20
	for b, p := range x.p {
		law, none := selection.ThresholdingLaw(samples{rat.Complement(x.p1[b]), rat.Sub(x.p1[b], p), p}, 1, x.gamma, few)
		found, rest := x.output(b, few)
		equal(t, x.at+", for T = 20", law[2], found)
		equal(t, x.at+", for T = 20", none, rest)
	}
}

// rise returns e^(2ε_1 + ε_0).
func (x leaky) rise() interval.Interval { return mul(x.expEps, x.expEps, exp(x.eps0)) }

func foundWithDelta(t *register.T, share *big.Rat) {
	leakies(t, func(x leaky) {
		e, m := x.expEps, rat.Positive(rat.Sub(x.p1[1], x.delta))
		more := rat.Add(rat.Mul(e, x.p[1]), x.delta)
		found, _ := x.output(0, x.limit)
		top := quo(mul(e, more), x.stop(m))
		rising(t, x.at, found, quo(x.p[0], x.stop(x.p1[0])), quo(more, add(quo(mul(m, sub(1, x.gamma)), e), x.gamma)), top)
		again, _ := x.output(1, x.limit)
		each := quo(x.p[1], x.stop(x.p1[1]))
		low := mul(exp(neg(x.eps0)), each)
		rising(t, x.at, low, mul(sub(1, mul("1/2", x.eps0)), each), mul(sub(1, power(sub(1, x.gamma), x.limit)), each), again)
		middle := quo(mul(e, e, x.delta, add(mul(2, x.p1[1], sub(1, x.gamma)), x.gamma)), mul(x.stop(m), x.stop(x.p1[1])))
		rising(t, x.at, sub(found, mul(x.rise(), again)), sub(top, mul(x.rise(), low)), middle)
		rising(t, x.at, middle, mul(share, 2, e, e, quo(x.delta, x.gamma)))
	})
}

func noneWithDelta(t *register.T, share *big.Rat) {
	leakies(t, func(x leaky) {
		e, g, m := x.expEps, x.gamma, rat.Positive(rat.Sub(x.p1[1], x.delta))
		_, none := x.output(0, x.limit)
		beyond := place{gamma: g, limit: x.limit}.beyond()
		more := add(mul(e, sub(1, x.p1[1])), x.delta)
		third := quo(mul(more, g, add(1, mul("1/2", x.eps0))), add(quo(mul(m, sub(1, g)), e), g))
		fourth := quo(mul(exp(x.eps0), e, more, g), x.stop(m))
		rising(t, x.at, none, mul(quo(mul(sub(1, x.p1[0]), g), x.stop(x.p1[0])), beyond), third, fourth)
		_, again := x.output(1, x.limit)
		low := quo(mul(sub(1, x.p1[1]), g), x.stop(x.p1[1]))
		rising(t, x.at, low, again)
		last := mul(x.rise(), quo(x.delta, g))
		rising(t, x.at, sub(fourth, mul(x.rise(), low)), last)
		rising(t, x.at, sub(none, mul(x.rise(), again)), mul(share, last))
	})
}

func sumWithDelta(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "e^ε_1 in {1001/1000, 10}, ε_0 in {0, 1/1000, 1}, δ_1/γ = 1") {
		t.Case()
		rise := mul(x[0], x[0], exp(x[1]))
		rising(t, at, add(mul(2, x[0], x[0]), rise), mul(share, 3, rise))
	}
}
