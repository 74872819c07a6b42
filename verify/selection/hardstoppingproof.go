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

// hardStoppingProof are the steps of the proof of Theorem 3.5, in Appendix A.2, after those that are laws.
func hardStoppingProof() register.Checks {
	return register.Checks{
		"PSC-T3.5.s3":  step(oneFraction, "19/20"),
		"PSC-T3.5.s4":  step(powersApart, "19/20"),
		"PSC-T3.5.s5":  step(mixedPowers, "17/20"),
		"PSC-T3.5.s6":  step(factors, "19/20"),
		"PSC-T3.5.s7":  tight(restIsSmall, "1/2", "with e^L/2 for e^L"),
		"PSC-T3.5.s8":  step(fromAbove, "19/20"),
		"PSC-T3.5.s9":  step(fromBelow, "19/20"),
		"PSC-T3.5.s10": step(limitedRatio, "19/20"),
	}
}

// spot is a place of the proof: a sample of probability p, those above with p_0 = p_1 − p, and the other parameters.
type spot struct {
	at                   string
	p, p0, p1, gamma     *big.Rat
	limit                int
	a, b, aPower, bPower interval.Interval // (1 − γ)(1 − p_0), the same for p_1, and their powers T
}

func newSpot(at string, p, p0, gamma *big.Rat, limit int) spot {
	x := spot{at: at, p: p, p0: p0, p1: rat.Add(p, p0), gamma: gamma, limit: limit}
	x.a, x.b = mul(sub(1, gamma), sub(1, p0)), mul(sub(1, gamma), sub(1, x.p1))
	x.aPower, x.bPower = power(x.a, limit), power(x.b, limit)
	return x
}

// spots goes through places with some γ and T.
func spots(t *register.T, gammas, limits string, visit func(x spot)) {
	for at, v := range finite.Grid(t, "p and p_0 in {0, 1/1000, 1/3, 1}, at most 1 together, γ in {"+gammas+"}, T in {"+
		limits+"}") {
		if rat.Add(v[0], v[1]).Cmp(rat.One) <= 0 {
			t.Case()
			visit(newSpot(at, v[0], v[1], v[2], whole(v[3])))
		}
	}
}

// allowedSpots goes through places with the T of the theorem, and 10 more.
func allowedSpots(t *register.T, visit func(x spot, eps0 *big.Rat)) {
	for at, v := range finite.Grid(t, "ε_0 in {1/100, 49/100}, the T of the theorem and 10 more; p and p_0 in {0, "+
		"1/1000, 1/3, 1}, at most 1 together, γ in {1/100, 1/3, 1}") {
		if rat.Add(v[1], v[2]).Cmp(rat.One) > 0 {
			continue
		}
		least := hardLimit(t, v[3], v[0])
		for _, limit := range []int{least, least + 10} {
			t.Case()
			visit(newSpot(fmt.Sprintf("%s, T = %d", at, limit), v[1], v[2], v[3], limit), v[0])
		}
	}
}

// tail returns p(1 − γ)^T.
func (x spot) tail() interval.Interval { return mul(x.p, power(sub(1, x.gamma), x.limit)) }

// factors returns (1 − p_0)γ + p_0 times the same for p_1.
func (x spot) factors() *big.Rat { return rat.Mul(stops(x.p0, x.gamma), stops(x.p1, x.gamma)) }

// first returns (1 − p_1)(1 − p_0)γ² − p_0·p_1·γ.
func (x spot) first() interval.Interval {
	return sub(mul(sub(1, x.p1), sub(1, x.p0), x.gamma, x.gamma), mul(x.p0, x.p1, x.gamma))
}

// law returns Pr[A_out(D) = (x, q)], by the law of three samples.
func (x spot) law() *big.Rat {
	return selection.HardStoppingLaw(samples{rat.Complement(x.p1), x.p, x.p0}, x.gamma, x.limit)[1]
}

func oneFraction(t *register.T, share *big.Rat) {
	spots(t, "1/100, 1/3, 1", "1, 2, 30", func(x spot) {
		mixed := sub(mul(x.p1, x.aPower), mul(x.p0, x.bPower))
		top := sub(add(mul(x.gamma, x.p), mul(x.first(), sub(x.bPower, x.aPower))), mul(x.gamma, mixed))
		equal(t, x.at, x.law(), mul(share, add(quo(top, x.factors()), sub(x.aPower, x.bPower))))
	})
}

func powersApart(t *register.T, share *big.Rat) {
	spots(t, "0, 1/100, 1/3, 1", "1, 2, 30", func(x spot) {
		apart, between, sum := sub(x.a, x.b), sub(x.aPower, x.bPower), num(0)
		for i := range x.limit {
			sum = add(sum, mul(power(x.a, x.limit-i-1), power(x.b, i)))
		}
		equal(t, x.at, between, mul(apart, sum))
		equal(t, x.at, apart, mul(share, sub(1, x.gamma), x.p))
		rising(t, x.at, between, mul(x.limit, apart, power(x.a, x.limit-1)), mul(share, x.limit, x.tail()))
	})
}

func mixedPowers(t *register.T, share *big.Rat) {
	spots(t, "0, 1/100, 1/3, 1", "2, 3, 30", func(x spot) {
		apart := abs(sub(mul(x.p1, x.aPower), mul(x.p0, x.bPower)))
		two := add(abs(sub(mul(x.p1, x.aPower), mul(x.p0, x.aPower))), abs(mul(x.p0, sub(x.aPower, x.bPower))))
		third := add(mul(x.p, x.aPower), mul(x.tail(), x.limit, x.p0, power(sub(1, x.p0), x.limit-1)))
		fourth := add(x.tail(), mul(quo(x.limit, x.limit-1), exp("-1"), x.tail()))
		rising(t, x.at, apart, two, third, fourth, mul(share, 2, x.tail()))
	})
}

func factors(t *register.T, share *big.Rat) {
	spots(t, "0, 1/1000, 1/3, 1", "1", func(x spot) {
		next := rat.Add(rat.One, x.gamma)
		rising(t, x.at, x.factors(), mul(share, next, next))
		rising(t, x.at, abs(x.first()), mul(share, x.gamma, next))
	})
}

// restIsSmall checks the bound, with L = ln(share·2(1 + γ)²/(ε_0γ²)).
func restIsSmall(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "γ in {1/10000, 1/100, 1/3, 9/10, 1}, ε_0 in {1/1000000, 1/20, 1/2}; T, 1 more, "+
		"and twice that") {
		least := int(selection.HardStoppingLimit(x[0], rat.Quo(x[1], share)).Int64())
		for _, limit := range []int{least, least + 1, 2 * least} {
			t.Case()
			next := add(1, x[0])
			rising(t, fmt.Sprintf("%s, T = %d", at, limit), mul(limit, power(sub(1, x[0]), limit)),
				mul(x[1], quo(x[0], mul(next, next))))
		}
	}
}

func fromAbove(t *register.T, share *big.Rat) {
	allowedSpots(t, func(x spot, eps0 *big.Rat) {
		next := rat.Add(rat.One, x.gamma)
		endless := rat.Sub(selection.NoneAbove(rat.Complement(x.p0), x.gamma, selection.Unlimited),
			selection.NoneAbove(rat.Complement(x.p1), x.gamma, selection.Unlimited))
		rising(t, x.at, x.law(), add(endless, quo(mul(eps0, x.gamma, x.p), mul(next, next))),
			mul(share, quo(mul(x.gamma, x.p, add(1, eps0)), x.factors())))
	})
}

func fromBelow(t *register.T, share *big.Rat) {
	allowedSpots(t, func(x spot, eps0 *big.Rat) {
		next, g := rat.Add(rat.One, x.gamma), x.gamma
		over := func(less any) any { return quo(mul(x.p, sub(g, mul(eps0, less))), x.factors()) }
		second := quo(mul(g, add(g, mul(3, g, g))), mul(next, next))
		third := add(quo(mul(g, g), next), quo(mul(2, g, g), mul(x.limit, next, next)))
		rising(t, x.at, over(g), over(second), over(third), mul(share, x.law()))
	})
}

func limitedRatio(t *register.T, share *big.Rat) {
	for at, v := range finite.Grid(t, "e^ε_1 in {3/2, 10}, ε_0 in {1/1000, 49/100}, γ in {1/50, 1/3, 1}, the T of the "+
		"theorem; 36 ε_1-DP oracles over three samples, not for γ = 1/50, and the worst one") {
		e, eps0, gamma := v[0], v[1], v[2]
		limit := hardLimit(t, gamma, eps0)
		some := pure(e, "1/1000000")
		if gamma.Cmp(rat.Of("1/3")) < 0 {
			some = only(worst(e, "1/1000000"))
		}
		for q := range some {
			t.Case()
			for i, p := range q[0] {
				if p.Sign() == 0 {
					continue
				}
				one := newSpot(at, p, rat.Sum(q[0][i+1:]...), gamma, limit)
				two := newSpot(at, q[1][i], rat.Sum(q[1][i+1:]...), gamma, limit)
				middle := quo(mul(p, two.factors(), add(1, eps0)), mul(two.p, one.factors(), sub(1, eps0)))
				rising(t, fmt.Sprintf("%s, p = %s, p_0 = %s, T = %d", at, rat.Show(p), rat.Show(one.p0), limit),
					quo(one.law(), two.law()), middle, mul(share, power(e, 3), exp(rat.Mul(rat.Int(3), eps0))))
			}
		}
	}
}
