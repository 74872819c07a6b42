package selection

import (
	"fmt"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// thresholdingProof are the steps of the proof of Theorem 3.1, in Appendix A.1. Its formulas for the samples and for ⊥
// are in one law.
func thresholdingProof() register.Checks {
	literal, fast := lawStep(lawOfSamples(spec.ThresholdingLaw)), lawStep(lawOfSamples(selection.ThresholdingLaw))
	return register.Checks{
		"PSC-T3.1.s1":  literal,
		"PSC-T3.1.s2":  fast,
		"PSC-T3.1.s3":  literal,
		"PSC-T3.1.s4":  fast,
		"PSC-T3.1.s5":  step(noneFactored, "19/20"),
		"PSC-T3.1.s6":  step(sampleRatio, "19/20"),
		"PSC-T3.1.s7":  step(noneRatio, "19/20"),
		"PSC-T3.1.s8":  step(means, "19/20"),
		"PSC-T3.1.s12": step(halting, "19/20"),
		"PSC-T3.1.s13": step(noneBound, "19/20"),
	}
}

// formula is one for a law, with ⊥ the last.
type formula func(q samples, s setting, limit int) samples

func lawOfSamples(f func(oracle []*big.Rat, first int, gamma *big.Rat, t int) (law []*big.Rat, none *big.Rat)) formula {
	return func(q samples, s setting, limit int) samples {
		law, none := f(q, s.first, s.gamma, limit)
		return append(law, none)
	}
}

// lawStep is what runs for a formula for what can happen: a share of it, or that for another T, is wrong.
func lawStep(f formula) []register.Part {
	check := func(more int) claim {
		return func(t *register.T, share *big.Rat) {
			t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {%s}, T in {2, 3}: all "+
				"that can happen", rat.Show(chances...))
			for q, s := range settings(chances) {
				for _, limit := range []int{2, 3} {
					t.Case()
					law := lawOfSamples(exhaustive.Thresholding)(q, s, limit)
					sameLaw(t, s.at(q, limit), law, scaled(f(q, s, limit+more), share))
				}
			}
		}
	}
	return tight(check(0), "19/20", "19/20 of it", register.Control("with T − 1 for T", check(-1).with("1")))
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

func noneFactored(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "p_1 in {0, 1/100, 1/3, 9/10, 1}, γ in {1/100, 1/3, 1}, T in {1, 2, 20}") {
		t.Case()
		p1, gamma, limit := x[0], x[1], whole(x[2])
		_, none := lawOf(p1, gamma, limit)
		tail := mul(quo(p1, gamma), power(sub(1, p1), limit-1), power(sub(1, gamma), limit))
		equal(t, at, none, mul(share, quo(mul(sub(1, p1), gamma), stops(p1, gamma)), add(1, tail)))
	}
}

// place is one where the steps on ratios are evaluated: p_1 and p_1' of ε_1-DP oracles, and the other parameters.
type place struct {
	e, p1, other, gamma, eps0 *big.Rat
	limit                     int
	at                        string
}

// places goes through them.
func places(t *register.T, visit func(x place)) {
	for at, x := range finite.Grid(t, "e^ε_1 in {1, 4}, p_1 and p_1' in {1/5, 4/5, 0, 1/100, 1/3, 9/10, 1} with both "+
		"sides within a factor of e^ε_1, γ in {1/100, 1/3, 1}, ε_0 in {1/10, 1}, the least T and 10 more") {
		e, p1, other, gamma, eps0 := x[0], x[1], x[2], x[3], x[4]
		if !areWithin(e, p1, other) || !areWithin(e, rat.Complement(p1), rat.Complement(other)) {
			continue
		}
		least := leastDraws(t, gamma, eps0)
		for _, limit := range []int{least, least + 10} {
			t.Case()
			visit(place{e, p1, other, gamma, eps0, limit, fmt.Sprintf("%s, T = %d", at, limit)})
		}
	}
}

// beyond returns 1 + (1 − γ)^T/(e(T − 1)γ).
func (x place) beyond() any {
	return add(1, quo(power(sub(1, x.gamma), x.limit), mul(exp(rat.One), x.limit-1, x.gamma)))
}

// most returns a share of e^(2ε_1 + ε_0).
func (x place) most(share *big.Rat) any { return mul(share, x.e, x.e, exp(x.eps0)) }

func sampleRatio(t *register.T, share *big.Rat) {
	places(t, func(x place) {
		if x.p1.Sign() == 0 {
			return
		}
		one, _ := lawOf(x.p1, x.gamma, x.limit)
		two, _ := lawOf(x.other, x.gamma, x.limit)
		// a sample that is e^ε_1 times as likely on D as on D'
		ratio := mul(x.e, quo(quo(one, x.p1), quo(two, x.other)))
		swing := quo(stops(x.other, x.gamma), stops(x.p1, x.gamma))
		first := mul(quo(x.e, sub(1, power(sub(1, x.gamma), x.limit))), swing)
		rising(t, x.at, ratio, first, quo(mul(x.e, x.e), sub(1, mul("1/2", x.eps0))), x.most(share))
	})
}

func noneRatio(t *register.T, share *big.Rat) {
	places(t, func(x place) {
		_, one := lawOf(x.p1, x.gamma, x.limit)
		_, two := lawOf(x.other, x.gamma, x.limit)
		if two.Sign() == 0 {
			return
		}
		own := mul(quo(x.p1, x.gamma), power(sub(1, x.p1), x.limit-1), power(sub(1, x.gamma), x.limit))
		rising(t, x.at, quo(one, two), mul(x.e, x.e, add(1, own)), mul(x.e, x.e, x.beyond()),
			mul(x.e, x.e, add(1, mul("1/2", x.eps0))), x.most(share))
	})
}

func means(t *register.T, share *big.Rat) {
	t.Domain("T in {2, 3, 10, 1000}, p_1 in {0, 1/T, 1/2, 1}")
	for _, limit := range []int{2, 3, 10, 1000} {
		for _, p1 := range append(rat.List("0", "1/2", "1"), big.NewRat(1, int64(limit))) {
			t.Case()
			rising(t, fmt.Sprintf("T = %d, p_1 = %s", limit, rat.Show(p1)), mul(limit-1, p1, power(sub(1, p1), limit-1)),
				power(big.NewRat(int64(limit-1), int64(limit)), limit), mul(share, exp("-1")))
		}
	}
}

// halting takes the probability of halting from one draw: what does not return the sample, nor ⊥ by its coin.
func halting(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "p_1 in {0, 1/100, 1/3, 9/10, 1}, γ in {1/100, 1/3, 1}") {
		t.Case()
		p1, gamma := x[0], x[1]
		sample, none := lawOf(p1, gamma, 2) // of two draws: p_1(1 + s), where s is the probability to go on
		goesOn := rat.Mul(rat.Complement(p1), rat.Complement(gamma))
		if p1.Sign() > 0 {
			goesOn = rat.Sub(rat.Quo(sample, p1), rat.One)
		} else {
			equal(t, at+", ⊥", none, 1)
		}
		equal(t, at, sub(1, goesOn), mul(share, stops(p1, gamma)))
	}
}

func noneBound(t *register.T, share *big.Rat) {
	places(t, func(x place) {
		if x.p1.Sign() == 0 {
			return
		}
		_, none := lawOf(x.p1, x.gamma, x.limit)
		rising(t, x.at, none, mul(quo(sub(1, x.p1), x.p1), x.gamma, x.beyond()),
			mul(share, spec.ThresholdingNone(x.p1, x.gamma, x.eps0)))
	})
}
