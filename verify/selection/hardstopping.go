package selection

import (
	"math"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// hardStopping are the statements of Section 3 and Appendix A.2 on selection that stops after T draws at the latest.
func hardStopping() register.Checks {
	return register.Checks{
		"PSC-A3": tight(with(stoppingRuns, stopping{last: 3}), "19/20", "the coin comes up with probability 19/20·γ",
			control("the last sample is returned", with(stoppingRuns, stopping{3, true}).With("1"))),
		"PSC-T3.4": checked(hardStoppingIsApproximate(false).With("1"),
			alsoFails(register.Edge, "for any δ_2 > 0, as printed: there is such a T", hasLimit().With("1")),
			near("with 19/20 of the δ of selection.SelectionDelta", hardStoppingIsApproximate(true).With("19/20"))),
		"PSC-T3.5": tight(hardStoppingIsDP(0), "19/20", "it is 19/20·(3ε_1 + 3ε_0)-DP",
			near("for a T of 1/128 of that", hardStoppingIsDP(7).With("1"))),
		"PSC-T3.5.s1":  formulaOfT(hardStoppingLaw, spec.HardStoppingLaw, "with 19/20 of γ"),
		"PSC-T3.5.s2":  formulaOfT(hardStoppingLaw, selection.HardStoppingLaw, "with 19/20 of γ"),
		"PSC-T3.5.s3":  step(at(spots("1/100, 1/3, 1", "1, 2, 30"), oneFraction), "19/20"),
		"PSC-T3.5.s4":  step(at(spots("0, 1/100, 1/3, 1", "1, 2, 30"), powersApart), "19/20"),
		"PSC-T3.5.s5":  step(at(spots("0, 1/100, 1/3, 1", "2, 3, 30"), mixedPowers), "17/20"),
		"PSC-T3.5.s6":  step(at(spots("0, 1/1000, 1/3, 1", "1"), factors), "19/20"),
		"PSC-T3.5.s7":  tight(restIsSmall(), "1/2", "with e^L/2 for e^L"),
		"PSC-T3.5.s8":  step(at(allowedSpots, fromAbove), "19/20"),
		"PSC-T3.5.s9":  step(at(allowedSpots, fromBelow), "19/20"),
		"PSC-T3.5.s10": step(limitedRatio(), "19/20"),
	}
}

// hardStoppingLaw checks a formula with a share of γ, or for another T.
var hardStoppingLaw = on("1 to 3 samples of probabilities in multiples of 1/3, γ in {0, 1/3, 4/5, 1}, T in {2, 3, 4}",
	func(t *register.T, share *big.Rat, formula func(oracle []*big.Rat, gamma *big.Rat, t int) []*big.Rat, more int,
		at string, gamma *big.Rat, limit int) {
		for _, q := range smallOracles(3) {
			t.At("Q = (%s), %s", q, at)
			sameLaw(t, exhaustive.HardStopping(q, gamma, limit), formula(q, rat.Mul(share, gamma), limit+more))
		}
	})

// hardLimit returns the T of Theorem 3.5, by both rooms.
func hardLimit(t *register.T, gamma, eps0 *big.Rat) int {
	limit := selection.HardStoppingLimit(gamma, eps0)
	twins(t, "T", spec.HardStoppingLimit(rat.Float64(gamma), rat.Float64(eps0)), new(big.Rat).SetInt(limit))
	return int(limit.Int64())
}

// hardStoppings returns the laws of the output by impl. Where T is small, spec has to agree.
func hardStoppings(t *register.T, q neighbours, gamma *big.Rat, limit int) (laws [2]samples) {
	for b := range q {
		laws[b] = selection.HardStoppingLaw(q[b], gamma, limit)
		if limit <= 8 {
			sameLaw(t, laws[b], spec.HardStoppingLaw(q[b], gamma, limit))
		}
	}
	return laws
}

// hardStoppingIsDP checks a share of 3ε_1 + 3ε_0, for a T of 1/2^halvings.
var hardStoppingIsDP = on("e^ε_1 in {3/2, 10}, ε_0 in {1/20 | 49/100}, γ in {1/2, 1/100 | 1/10, 1}; "+
	"37 ε_1-DP oracles over three samples, for γ = 1/100 the worst one",
	func(t *register.T, share *big.Rat, halvings uint, at string, e, eps0, gamma *big.Rat) {
		limit := max(1, hardLimit(t, gamma, eps0)>>halvings)
		ours := selection.HardStoppingLoss(loss.Exp(e), gamma, max(2, limit))
		limitCosts(t, e, gamma, max(2, limit))
		limitCosts(t, e, gamma, 6)
		for _, q := range pureUnlessRare(e, gamma) {
			t.At("%s, %v, T = %d", at, q, limit)
			laws := hardStoppings(t, q, gamma, limit)
			losesAtMost(t, laws, mul(share, 3, add(ln(e), eps0)))
			t.In("by selection.HardStoppingLoss")
			lossOf(t, laws, ours)
		}
	})

// limitCosts checks what a limit of T runs adds to the loss without one.
func limitCosts(t *register.T, e, gamma *big.Rat, limit int) {
	g, n := rat.Float64(gamma), float64(limit)
	stay := math.Pow(1-g, n-1)
	want := math.Log1p(stay*n*g) - math.Log1p(-stay*(1+g*(n-1)))
	if g*(n+1) < 2 {
		want = math.Inf(1)
	}
	eps := loss.Exp(e)
	adds(t, selection.HardStoppingLoss(eps, gamma, limit), selection.RandomStoppingLoss(eps, gamma), want)
}

// adds refutes that a limit adds another number to a loss.
func adds(t *register.T, all, without interval.Interval, want float64) {
	added := all.Float().Hi - without.Float().Hi
	t.Require(added == want || math.Abs(added-want) <= 1e-12, "a limit costs %.15g, must be %.15g", added, want)
}

// hasLimit checks that T is one draw at least for δ_2 of 1 and more.
var hasLimit = on("γ in {1/2}, δ_2 in {1, 2}", func(t *register.T, _ *big.Rat, gamma, delta2 float64) {
	limit, _, _ := spec.ApproximateHardStopping(0, 0, gamma, delta2)
	t.Require(limit >= 1, "T is %.6g", limit)
})

// hardStoppingIsApproximate checks a share of the δ of Theorem 3.4, or of the one of selection.SelectionDelta, and this
// itself.
var hardStoppingIsApproximate = on("e^ε_1 in {1, 4}, δ_1 in {1/10000, 1/4 | 1/100}, γ in {1/10, 1 | 1/2}, "+
	"δ_2 in {1/1000000, 1/10}; all functions of randomized response onto three samples",
	func(t *register.T, share *big.Rat, ofOurs bool, at string, e, delta, gamma, more *big.Rat) {
		limit, eps, claimed := approximateLimit(t, e, delta, gamma, more)
		ours, lost := num(selection.SelectionDelta(delta, gamma, limit)), num(1)
		if limit >= 2 {
			lost = exp(selection.HardStoppingLoss(loss.Exp(e), gamma, limit))
		}
		if ofOurs {
			claimed = ours
		}
		most := mul(share, claimed)
		for _, q := range approximate(e, delta) {
			t.At("%s, T = %d, %v", at, limit, q)
			laws := hardStoppings(t, q, gamma, limit)
			t.Close(quo(needsAtMost(t, laws, exp(eps), most), most).Float().Lo, "")
			if limit >= 2 && !lost.Upper.IsInf() {
				t.In("by selection.SelectionDelta")
				needsAtMost(t, laws, lost, ours)
			}
		}
	})

// approximateLimit returns T, ε and δ of Theorem 3.4, by both rooms and by what is printed.
func approximateLimit(t *register.T, e, delta, gamma, more *big.Rat) (limit int, eps, claimed interval.Interval) {
	count, eps, claimed := selection.ApproximateHardStopping(loss.Exp(e), delta, gamma, more)
	limit = int(count.Int64())
	root := root(mul(2, delta))
	equal(t, eps, mul(3, add(ln(e), root)))
	equal(t, claimed, add(mul(root, limit), more))
	least, literal, literalDelta := spec.ApproximateHardStopping(math.Log(rat.Float64(e)), rat.Float64(delta),
		rat.Float64(gamma), rat.Float64(more))
	twins(t, "T", math.Ceil(least-1e-9), limit)
	twins(t, "ε", literal, eps)
	twins(t, "δ", literalDelta+(float64(limit)-least)*math.Sqrt(2*rat.Float64(delta)), claimed) // T is rounded up
	return limit, eps, claimed
}

// spot is a place of the proof: a sample of probability p, those above with p_0 = p_1 − p, and the other parameters.
type spot struct {
	p, p0, p1, gamma, eps0 *big.Rat
	limit                  int
	a, b, aPower, bPower   interval.Interval // (1 − γ)(1 − p_0), the same for p_1, and their powers T
}

func newSpot(p, p0, gamma, eps0 *big.Rat, limit int) spot {
	x := spot{p: p, p0: p0, p1: rat.Add(p, p0), gamma: gamma, eps0: eps0, limit: limit}
	x.a, x.b = mul(sub(1, gamma), sub(1, p0)), mul(sub(1, gamma), sub(1, x.p1))
	x.aPower, x.bPower = power(x.a, limit), power(x.b, limit)
	return x
}

// spots goes through places with some γ and T.
func spots(gammas, limits string) places[spot] {
	return func(t *register.T, visit func(x spot)) {
		finite.Each(t, "p and p_0 in {0, 1/1000, 1/3, 1}, at most 1 together, γ in {"+gammas+"}, T in {"+limits+"}",
			func(at string, p, p0, gamma *big.Rat, limit int) {
				if rat.Add(p, p0).Cmp(rat.One) <= 0 {
					t.At("%s", at)
					visit(newSpot(p, p0, gamma, nil, limit))
				}
			})
	}
}

// allowedSpots goes through places with the T of the theorem, and 10 more.
func allowedSpots(t *register.T, visit func(x spot)) {
	finite.Each(t, "ε_0 in {1/100 | 49/100}, the T of the theorem and 10 more; p and p_0 in {0, 1/1000, 1/3, 1}, "+
		"at most 1 together, γ in {1/100, 1/3, 1}", func(at string, eps0, p, p0, gamma *big.Rat) {
		if rat.Add(p, p0).Cmp(rat.One) > 0 {
			return
		}
		least := hardLimit(t, gamma, eps0)
		for _, limit := range []int{least, least + 10} {
			t.At("%s, T = %d", at, limit)
			visit(newSpot(p, p0, gamma, eps0, limit))
		}
	})
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

func oneFraction(t *register.T, share *big.Rat, x spot) {
	mixed := sub(mul(x.p1, x.aPower), mul(x.p0, x.bPower))
	top := sub(add(mul(x.gamma, x.p), mul(x.first(), sub(x.bPower, x.aPower))), mul(x.gamma, mixed))
	equal(t, x.law(), mul(share, add(quo(top, x.factors()), sub(x.aPower, x.bPower))))
}

func powersApart(t *register.T, share *big.Rat, x spot) {
	apart, between, sum := sub(x.a, x.b), sub(x.aPower, x.bPower), num(0)
	for i := range x.limit {
		sum = add(sum, mul(power(x.a, x.limit-i-1), power(x.b, i)))
	}
	equal(t, between, mul(apart, sum))
	equal(t, apart, mul(share, sub(1, x.gamma), x.p))
	rising(t, between, mul(x.limit, apart, power(x.a, x.limit-1)), mul(share, x.limit, x.tail()))
}

func mixedPowers(t *register.T, share *big.Rat, x spot) {
	apart := abs(sub(mul(x.p1, x.aPower), mul(x.p0, x.bPower)))
	two := add(abs(sub(mul(x.p1, x.aPower), mul(x.p0, x.aPower))), abs(mul(x.p0, sub(x.aPower, x.bPower))))
	third := add(mul(x.p, x.aPower), mul(x.tail(), x.limit, x.p0, power(sub(1, x.p0), x.limit-1)))
	fourth := add(x.tail(), mul(quo(x.limit, x.limit-1), exp("-1"), x.tail()))
	rising(t, apart, two, third, fourth, mul(share, 2, x.tail()))
}

func factors(t *register.T, share *big.Rat, x spot) {
	next := rat.Add(rat.One, x.gamma)
	rising(t, x.factors(), mul(share, next, next))
	rising(t, abs(x.first()), mul(share, x.gamma, next))
}

// restIsSmall checks the bound, with L = ln(share·2(1 + γ)²/(ε_0γ²)).
var restIsSmall = on("γ in {1/10000, 1/100, 1/3, 9/10, 1}, ε_0 in {1/1000000, 1/20, 1/2}; T, 1 more, and twice that",
	func(t *register.T, share, gamma, eps0 *big.Rat) {
		least, next := int(selection.HardStoppingLimit(gamma, rat.Quo(eps0, share)).Int64()), add(1, gamma)
		for _, limit := range []int{least, least + 1, 2 * least} {
			t.In("T = %d", limit)
			rising(t, mul(limit, power(sub(1, gamma), limit)), mul(eps0, quo(gamma, mul(next, next))))
		}
	})

func fromAbove(t *register.T, share *big.Rat, x spot) {
	next := rat.Add(rat.One, x.gamma)
	endless := rat.Sub(selection.NoneAbove(rat.Complement(x.p0), x.gamma, selection.Unlimited),
		selection.NoneAbove(rat.Complement(x.p1), x.gamma, selection.Unlimited))
	rising(t, x.law(), add(endless, quo(mul(x.eps0, x.gamma, x.p), mul(next, next))),
		mul(share, quo(mul(x.gamma, x.p, add(1, x.eps0)), x.factors())))
}

func fromBelow(t *register.T, share *big.Rat, x spot) {
	next, g := rat.Add(rat.One, x.gamma), x.gamma
	over := func(less any) any { return quo(mul(x.p, sub(g, mul(x.eps0, less))), x.factors()) }
	second := quo(mul(g, add(g, mul(3, g, g))), mul(next, next))
	third := add(quo(mul(g, g), next), quo(mul(2, g, g), mul(x.limit, next, next)))
	rising(t, over(g), over(second), over(third), mul(share, x.law()))
}

var limitedRatio = on("e^ε_1 in {3/2, 10}, ε_0 in {1/1000, 49/100}, γ in {1/50, 1/3 | 1}, the T of the theorem; "+
	"37 ε_1-DP oracles over three samples, for γ = 1/50 the worst one",
	func(t *register.T, share *big.Rat, at string, e, eps0, gamma *big.Rat) {
		limit := hardLimit(t, gamma, eps0)
		for _, q := range pureUnlessRare(e, gamma) {
			for i, p := range q[0] {
				if p.Sign() == 0 {
					continue
				}
				one := newSpot(p, rat.Sum(q[0][i+1:]...), gamma, eps0, limit)
				two := newSpot(q[1][i], rat.Sum(q[1][i+1:]...), gamma, eps0, limit)
				t.At("%s, p = %s, p_0 = %s, T = %d", at, p, one.p0, limit)
				middle := quo(mul(p, two.factors(), add(1, eps0)), mul(two.p, one.factors(), sub(1, eps0)))
				rising(t, quo(one.law(), two.law()), middle, mul(share, power(e, 3), exp(rat.Mul(rat.Int(3), eps0))))
			}
		}
	})
