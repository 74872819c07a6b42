package selection

import (
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// thresholdingProof are the steps of the proof of Theorem 3.1, in Appendix A.1. Its formulas for the samples and for ⊥
// are in one law.
func thresholdingProof() register.Checks {
	of := func(args ...any) claim { return with(thresholdingFormula, args...) }
	literal := formulaOfT(of, spec.ThresholdingLaw, "19/20 of it")
	fast := formulaOfT(of, selection.ThresholdingLaw, "19/20 of it")
	return register.Checks{
		"PSC-T3.1.s1":  literal,
		"PSC-T3.1.s2":  fast,
		"PSC-T3.1.s3":  literal,
		"PSC-T3.1.s4":  fast,
		"PSC-T3.1.s5":  step(noneFactored(), "19/20"),
		"PSC-T3.1.s6":  step(at(ratios, sampleRatio), "19/20"),
		"PSC-T3.1.s7":  step(at(ratios, noneRatio), "19/20"),
		"PSC-T3.1.s8":  step(means(), "19/20"),
		"PSC-T3.1.s9":  step(at(leakies, foundWithDelta), "19/20"),
		"PSC-T3.1.s10": step(at(leakies, noneWithDelta), "3/4"),
		"PSC-T3.1.s11": step(sumWithDelta(), "19/20"),
		"PSC-T3.1.s12": step(halting(), "19/20"),
		"PSC-T3.1.s13": step(at(ratios, noneBound), "19/20"),
	}
}

// thresholdingFormula checks a share of a formula for what can happen, or that for another T.
func thresholdingFormula(t *register.T, share *big.Rat,
	formula func(oracle []*big.Rat, first int, gamma *big.Rat, t int) ([]*big.Rat, *big.Rat), more int) {
	settings(t, chances, []int{2, 3}, func(s setting) {
		sameLaw(t, withNone(exhaustive.Thresholding(s.q, s.first, s.gamma, s.limit)),
			scaled(withNone(formula(s.q, s.first, s.gamma, s.limit+more)), share))
	})
}

// stops returns p_1(1 − γ) + γ.
func stops(p1, gamma *big.Rat) *big.Rat {
	return rat.Add(rat.Mul(p1, rat.Complement(gamma)), gamma)
}

// lawOf returns the probabilities of the sample above the threshold and of ⊥, for two samples.
func lawOf(p1, gamma *big.Rat, limit int) (sample, none *big.Rat) {
	law, none := selection.ThresholdingLaw(samples{rat.Complement(p1), p1}, 1, gamma, limit)
	return law[1], none
}

var noneFactored = on("p_1 in {0, 1/100, 1/3, 9/10, 1}, γ in {1/100, 1/3, 1}, T in {1, 2, 20}",
	func(t *register.T, share, p1, gamma *big.Rat, limit int) {
		_, none := lawOf(p1, gamma, limit)
		tail := mul(quo(p1, gamma), power(sub(1, p1), limit-1), power(sub(1, gamma), limit))
		equal(t, none, mul(share, quo(mul(sub(1, p1), gamma), stops(p1, gamma)), add(1, tail)))
	})

// ratio is a place where the steps on ratios are evaluated: p_1 and p_1' of ε_1-DP oracles, and the other parameters.
type ratio struct {
	e, p1, other, gamma, eps0 *big.Rat
	limit                     int
}

// ratios goes through them.
func ratios(t *register.T, visit func(x ratio)) {
	finite.Each(t, "e^ε_1 in {1, 4}, p_1 and p_1' in {1/5, 4/5, 0, 1/100, 1/3, 9/10, 1} with both sides within "+
		"a factor of e^ε_1, γ in {1/100, 1/3, 1}, ε_0 in {1/10, 1}, the least T and 10 more",
		func(at string, e, p1, other, gamma, eps0 *big.Rat) {
			if !areWithin(e, p1, other) || !areWithin(e, rat.Complement(p1), rat.Complement(other)) {
				return
			}
			least := leastDraws(t, gamma, eps0)
			for _, limit := range []int{least, least + 10} {
				t.At("%s, T = %d", at, limit)
				visit(ratio{e, p1, other, gamma, eps0, limit})
			}
		})
}

// beyond returns 1 + (1 − γ)^T/(e(T − 1)γ).
func beyond(gamma *big.Rat, limit int) interval.Interval {
	return add(1, quo(power(sub(1, gamma), limit), mul(exp(rat.One), limit-1, gamma)))
}

// most returns a share of e^(2ε_1 + ε_0).
func (x ratio) most(share *big.Rat) any { return mul(share, x.e, x.e, exp(x.eps0)) }

func sampleRatio(t *register.T, share *big.Rat, x ratio) {
	if x.p1.Sign() == 0 {
		return
	}
	one, _ := lawOf(x.p1, x.gamma, x.limit)
	two, _ := lawOf(x.other, x.gamma, x.limit)
	// a sample that is e^ε_1 times as likely on D as on D'
	most := mul(x.e, quo(quo(one, x.p1), quo(two, x.other)))
	swing := quo(stops(x.other, x.gamma), stops(x.p1, x.gamma))
	first := mul(quo(x.e, sub(1, power(sub(1, x.gamma), x.limit))), swing)
	rising(t, most, first, quo(mul(x.e, x.e), sub(1, mul("1/2", x.eps0))), x.most(share))
}

func noneRatio(t *register.T, share *big.Rat, x ratio) {
	_, one := lawOf(x.p1, x.gamma, x.limit)
	_, two := lawOf(x.other, x.gamma, x.limit)
	if two.Sign() == 0 {
		return
	}
	own := mul(quo(x.p1, x.gamma), power(sub(1, x.p1), x.limit-1), power(sub(1, x.gamma), x.limit))
	rising(t, quo(one, two), mul(x.e, x.e, add(1, own)), mul(x.e, x.e, beyond(x.gamma, x.limit)),
		mul(x.e, x.e, add(1, mul("1/2", x.eps0))), x.most(share))
}

func noneBound(t *register.T, share *big.Rat, x ratio) {
	if x.p1.Sign() == 0 {
		return
	}
	_, none := lawOf(x.p1, x.gamma, x.limit)
	rising(t, none, mul(quo(sub(1, x.p1), x.p1), x.gamma, beyond(x.gamma, x.limit)),
		mul(share, spec.ThresholdingNone(x.p1, x.gamma, x.eps0)))
}

var means = on("T in {2, 3, 10, 1000}, p_1 in {0, 1/1000, 1/10, 1/3, 1/2, 1}",
	func(t *register.T, share *big.Rat, limit int, p1 *big.Rat) {
		rising(t, mul(limit-1, p1, power(sub(1, p1), limit-1)), power(big.NewRat(int64(limit-1), int64(limit)), limit),
			mul(share, exp("-1")))
	})

// halting takes the probability of halting from one draw: what does not return the sample, nor ⊥ by its coin.
var halting = on("p_1 in {0, 1/100, 1/3, 9/10, 1}, γ in {1/100, 1/3, 1}",
	func(t *register.T, share, p1, gamma *big.Rat) {
		sample, none := lawOf(p1, gamma, 2) // of two draws: p_1(1 + s), where s is the probability to go on
		goesOn := rat.Mul(rat.Complement(p1), rat.Complement(gamma))
		if p1.Sign() > 0 {
			goesOn = rat.Sub(rat.Quo(sample, p1), rat.One)
		} else {
			equal(t, none, 1)
		}
		equal(t, sub(1, goesOn), mul(share, stops(p1, gamma)))
	})

// leaky is a place of the proof of (c): two laws of an (ε_1, δ_1)-DP oracle with their parts p of F and p_1 above τ,
// and the parameters.
type leaky struct {
	p, p1                      [2]*big.Rat
	e, delta, gamma, eps0, m   *big.Rat // e^ε_1, …, max{0, p_1' − δ_1}
	limit                      int
	found, none, again, noneIn interval.Interval // the probabilities of F and of ⊥ on D, and on D'
	rise                       interval.Interval // e^(2ε_1 + ε_0)
}

// leakies goes through oracles that are functions of randomized response, with thresholds below the second and the
// third sample, and F of the third.
func leakies(t *register.T, visit func(x leaky)) {
	finite.Each(t, "(e^ε_1, δ_1) in {(1001/1000, 1/1000), (2, 1/10)}, all functions of randomized response to three "+
		"samples, both orders; thresholds below the second and the third; (γ, ε_0) in {(1/100, 1/1000), (1/2000, 1), "+
		"(1/2, 1/2)}, the T of the theorem", func(at string, e, delta, gamma, eps0 *big.Rat) {
		x := leaky{e: e, delta: delta, gamma: gamma, eps0: eps0, limit: leastDraws(t, gamma, eps0)}
		x.rise = mul(e, e, exp(eps0))
		for _, q := range approximate(e, delta) {
			for first := 1; first <= 2; first++ {
				for b := range q {
					x.p[b], x.p1[b] = q[b][2], rat.Sum(q[b][first:]...)
				}
				t.At("%s, %v, p = %s and %s, p_1 = %s and %s, T = %d", at, q, x.p[0], x.p[1], x.p1[0], x.p1[1], x.limit)
				x.m = rat.Positive(rat.Sub(x.p1[1], delta))
				x.checkLaw(t)
				x.found, x.none = x.output(0, x.limit)
				x.again, x.noneIn = x.output(1, x.limit)
				visit(x)
			}
		}
	})
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
		law, none := selection.ThresholdingLaw(samples{rat.Complement(x.p1[b]), rat.Sub(x.p1[b], p), p}, 1,
			x.gamma, few)
		found, rest := x.output(b, few)
		equal(t, law[2], found)
		equal(t, none, rest)
	}
}

func foundWithDelta(t *register.T, share *big.Rat, x leaky) {
	e, g, stop := x.e, x.gamma, x.stop(x.m)
	more, each := add(mul(e, x.p[1]), x.delta), quo(x.p[1], x.stop(x.p1[1]))
	top, low := quo(mul(e, more), stop), mul(exp(neg(x.eps0)), each)
	rising(t, x.found, quo(x.p[0], x.stop(x.p1[0])), quo(more, add(quo(mul(x.m, sub(1, g)), e), g)), top)
	rising(t, low, mul(sub(1, mul("1/2", x.eps0)), each), mul(sub(1, power(sub(1, g), x.limit)), each), x.again)
	middle := quo(mul(e, e, x.delta, add(mul(2, x.p1[1], sub(1, g)), g)), mul(stop, x.stop(x.p1[1])))
	rising(t, sub(x.found, mul(x.rise, x.again)), sub(top, mul(x.rise, low)), middle)
	rising(t, middle, mul(share, 2, e, e, quo(x.delta, g)))
}

func noneWithDelta(t *register.T, share *big.Rat, x leaky) {
	e, g := x.e, x.gamma
	more := add(mul(e, sub(1, x.p1[1])), x.delta)
	third := quo(mul(more, g, add(1, mul("1/2", x.eps0))), add(quo(mul(x.m, sub(1, g)), e), g))
	fourth := quo(mul(exp(x.eps0), e, more, g), x.stop(x.m))
	rising(t, x.none, mul(quo(mul(sub(1, x.p1[0]), g), x.stop(x.p1[0])), beyond(g, x.limit)), third, fourth)
	low, last := quo(mul(sub(1, x.p1[1]), g), x.stop(x.p1[1])), mul(x.rise, quo(x.delta, g))
	rising(t, low, x.noneIn)
	rising(t, sub(fourth, mul(x.rise, low)), last)
	rising(t, sub(x.none, mul(x.rise, x.noneIn)), mul(share, last))
}

var sumWithDelta = on("e^ε_1 in {1001/1000, 10}, ε_0 in {0, 1/1000, 1}, δ_1/γ = 1",
	func(t *register.T, share, e, eps0 *big.Rat) {
		rise := mul(e, e, exp(eps0))
		rising(t, add(mul(2, e, e), rise), mul(share, 3, rise))
	})
