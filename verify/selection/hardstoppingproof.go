package selection

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// hardStoppingProof are the steps of the proof of Theorem 3.5, in Appendix A.2, after those that are laws.
func hardStoppingProof() register.Checks {
	return register.Checks{
		"PSC-T3.5.s3": proofStep(oneFraction),
		"PSC-T3.5.s4": proofStep(powersApart),
		"PSC-T3.5.s5": nearStep(mixedPowers, "17/20"),
		"PSC-T3.5.s6": proofStep(factors),
		"PSC-T3.5.s7": register.Checked(restIsSmall("2", "1"),
			register.Control("at most half of that, with e^L/16 for e^L", restIsSmall("1/8", "1/2")),
			register.NearMiss("with e^L/2 for e^L", restIsSmall("1", "1")),
		),
		"PSC-T3.5.s8":  proofStep(fromAbove),
		"PSC-T3.5.s9":  proofStep(fromBelow),
		"PSC-T3.5.s10": proofStep(limitedRatio),
	}
}

// spot is a place of the proof: a sample of probability p, those above with p_0 = p_1 − p, and the other parameters.
type spot struct {
	p, p0, p1, gamma *big.Rat
	limit            int
}

// spots goes through them; limits returns the T for a γ.
func spots(t *register.T, gammas []*big.Rat, limits func(gamma *big.Rat) []int, visit func(x spot)) {
	ps := rat.List("0", "1/1000", "1/3", "1")
	t.AlsoDomain("p and p_0 in {%s}, at most 1 together, γ in {%s}", rat.Show(ps...), rat.Show(gammas...))
	for _, p := range ps {
		for _, p0 := range ps {
			p1 := rat.Add(p, p0)
			if p1.Cmp(rat.One) > 0 {
				continue
			}
			for _, gamma := range gammas {
				for _, limit := range limits(gamma) {
					t.Case()
					visit(spot{p, p0, p1, gamma, limit})
				}
			}
		}
	}
}

// fixed are the same T for every γ.
func fixed(limits ...int) func(*big.Rat) []int { return func(*big.Rat) []int { return limits } }

// leasts are the T of the theorem, and 10 more.
func leasts(eps0 *big.Rat) func(gamma *big.Rat) []int {
	return func(gamma *big.Rat) []int {
		least := int(impl.HardStoppingLimit(gamma, eps0).Int64())
		return []int{least, least + 10}
	}
}

func (x spot) check(t *register.T, share interval.Interval, lines ...line) {
	for _, l := range lines {
		l.check(t, share, "p = %s, p_0 = %s, γ = %s, T = %d", rat.Show(x.p), rat.Show(x.p0), rat.Show(x.gamma), x.limit)
	}
}

// a returns (1 − γ)(1 − p_0), b the same for p_1.
func (x spot) a() *big.Rat { return rat.Mul(rat.Complement(x.gamma), rat.Complement(x.p0)) }
func (x spot) b() *big.Rat { return rat.Mul(rat.Complement(x.gamma), rat.Complement(x.p1)) }

// powers returns a^T and b^T.
func (x spot) powers() (a, b interval.Interval) { return power(x.a(), x.limit), power(x.b(), x.limit) }

// tail returns p(1 − γ)^T.
func (x spot) tail() interval.Interval {
	return precise.Mul(exactly(x.p), power(rat.Complement(x.gamma), x.limit))
}

// factors returns (1 − p_0)γ + p_0 times the same for p_1.
func (x spot) factors() *big.Rat { return rat.Mul(stops(x.p0, x.gamma), stops(x.p1, x.gamma)) }

// lawAt returns Pr[A_out(D) = (x, q)], by the law of three samples.
func (x spot) lawAt() interval.Interval {
	return exactly(impl.HardStoppingLaw(samples{rat.Complement(x.p1), x.p, x.p0}, x.gamma, x.limit)[1])
}

func abs(x interval.Interval) interval.Interval {
	return interval.Max(precise.Max0(x), precise.Max0(precise.Neg(x)))
}

func oneFraction(t *register.T, share interval.Interval) {
	t.Domain("T in {1, 2, 30}")
	spots(t, rat.List("1/100", "1/3", "1"), fixed(1, 2, 30), func(x spot) {
		a, b := x.powers()
		mixed := precise.Sub(precise.Mul(exactly(x.p1), a), precise.Mul(exactly(x.p0), b))
		first := rat.Sub(rat.Product(rat.Complement(x.p1), rat.Complement(x.p0), x.gamma, x.gamma),
			rat.Product(x.p0, x.p1, x.gamma))
		top := precise.Add(exactly(rat.Mul(x.gamma, x.p)), precise.Mul(exactly(first), precise.Sub(b, a)))
		top = precise.Sub(top, precise.Mul(exactly(x.gamma), mixed))
		printed := precise.Add(precise.Quo(top, exactly(x.factors())), precise.Sub(a, b))
		x.check(t, share, equal(x.lawAt(), printed))
	})
}

func powersApart(t *register.T, share interval.Interval) {
	t.Domain("T in {1, 2, 30}")
	spots(t, rat.List("0", "1/100", "1/3", "1"), fixed(1, 2, 30), func(x spot) {
		a, b := x.powers()
		apart, sum := rat.Sub(x.a(), x.b()), precise.Int(0)
		for i := range x.limit {
			sum = precise.Add(sum, precise.Mul(power(x.a(), x.limit-i-1), power(x.b(), i)))
		}
		count := rat.Int(x.limit)
		most := precise.Mul(exactly(rat.Mul(count, apart)), power(x.a(), x.limit-1))
		x.check(t, precise.Int(1), equal(precise.Sub(a, b), precise.Mul(exactly(apart), sum)))
		x.check(t, share, equal(exactly(apart), exactly(rat.Mul(rat.Complement(x.gamma), x.p))),
			rising(precise.Sub(a, b), most, precise.Mul(exactly(count), x.tail())))
	})
}

func mixedPowers(t *register.T, share interval.Interval) {
	t.Domain("T in {2, 3, 30}")
	spots(t, rat.List("0", "1/100", "1/3", "1"), fixed(2, 3, 30), func(x spot) {
		a, b := x.powers()
		p0, p1, count := exactly(x.p0), exactly(x.p1), x.limit
		apart := abs(precise.Sub(precise.Mul(p1, a), precise.Mul(p0, b)))
		two := precise.Add(abs(precise.Sub(precise.Mul(p1, a), precise.Mul(p0, a))), abs(precise.Mul(p0, precise.Sub(a, b))))
		peak := precise.Mul(exactly(rat.Mul(rat.Int(count), x.p0)), power(rat.Complement(x.p0), count-1))
		third := precise.Add(precise.Mul(exactly(x.p), a), precise.Mul(x.tail(), peak))
		over := precise.Quo(exactly(big.NewRat(int64(count), int64(count-1))), precise.ExpRat(rat.One))
		fourth := precise.Add(x.tail(), precise.Mul(over, x.tail()))
		x.check(t, share, rising(apart, two, third, fourth, precise.Mul(precise.Int(2), x.tail())))
	})
}

func factors(t *register.T, share interval.Interval) {
	t.Domain("T = 1")
	spots(t, rat.List("0", "1/1000", "1/3", "1"), fixed(1), func(x spot) {
		next := rat.Add(rat.One, x.gamma)
		first := rat.Sub(rat.Product(rat.Complement(x.p1), rat.Complement(x.p0), x.gamma, x.gamma),
			rat.Product(x.p0, x.p1, x.gamma))
		x.check(t, share, rising(exactly(x.factors()), exactly(rat.Mul(next, next))),
			rising(abs(exactly(first)), exactly(rat.Mul(x.gamma, next))))
	})
}

// restIsSmall checks a share of the bound, with L = ln(factor·(1 + γ)²/(ε_0γ²)).
func restIsSmall(factor, share string) register.Check {
	return func(t *register.T) {
		t.Domain("γ in {1/10000, 1/100, 1/3, 9/10, 1}, ε_0 in {1/1000000, 1/20, 1/2}; T, 1 more, and twice that")
		for _, gamma := range rat.List("1/10000", "1/100", "1/3", "9/10", "1") {
			for _, eps0 := range rat.List("1/1000000", "1/20", "1/2") {
				least := int(impl.HardStoppingLimit(gamma, rat.Quo(rat.Twice(eps0), rat.Of(factor))).Int64())
				for _, limit := range []int{least, least + 1, 2 * least} {
					t.Case()
					next := rat.Add(rat.One, gamma)
					bound := rat.Product(rat.Of(share), eps0, rat.Quo(gamma, rat.Mul(next, next)))
					rest := precise.Mul(precise.Int(int64(limit)), power(rat.Complement(gamma), limit))
					rising(rest, exactly(bound)).check(t, precise.Int(1), "γ = %s, ε_0 = %s, T = %d", rat.Show(gamma), rat.Show(eps0),
						limit)
				}
			}
		}
	}
}

// proofEps0 and proofGammas are the parameters of the bounds of the probability.
var (
	proofEps0   = rat.List("1/100", "49/100")
	proofGammas = rat.List("1/100", "1/3", "1")
)

func fromAbove(t *register.T, share interval.Interval) {
	t.Domain("ε_0 in {%s}, the T of the theorem and 10 more", rat.Show(proofEps0...))
	for _, eps0 := range proofEps0 {
		spots(t, proofGammas, leasts(eps0), func(x spot) {
			next := rat.Add(rat.One, x.gamma)
			endless := rat.Sub(impl.NoneAbove(rat.Complement(x.p0), x.gamma, impl.Unlimited),
				impl.NoneAbove(rat.Complement(x.p1), x.gamma, impl.Unlimited))
			most := rat.Add(endless, rat.Quo(rat.Product(eps0, x.gamma, x.p), rat.Mul(next, next)))
			last := rat.Quo(rat.Product(x.gamma, x.p, rat.Add(rat.One, eps0)), x.factors())
			x.check(t, share, rising(x.lawAt(), exactly(most), exactly(last)))
		})
	}
}

func fromBelow(t *register.T, share interval.Interval) {
	t.Domain("ε_0 in {%s}, the T of the theorem and 10 more", rat.Show(proofEps0...))
	for _, eps0 := range proofEps0 {
		spots(t, proofGammas, leasts(eps0), func(x spot) {
			next := rat.Add(rat.One, x.gamma)
			square := rat.Mul(next, next)
			g, g2 := x.gamma, rat.Mul(x.gamma, x.gamma)
			over := func(less *big.Rat) interval.Interval {
				return exactly(rat.Quo(rat.Mul(x.p, rat.Sub(g, rat.Mul(eps0, less))), x.factors()))
			}
			third := rat.Add(rat.Quo(g2, next), rat.Quo(rat.Twice(g2), rat.Mul(rat.Int(x.limit), square)))
			second := rat.Mul(g, rat.Quo(rat.Add(g, rat.Mul(rat.Of("3"), g2)), square))
			x.check(t, share, rising(over(g), over(second), over(third), x.lawAt()))
		})
	}
}

func limitedRatio(t *register.T, share interval.Interval) {
	t.Domain("e^ε_1 in {3/2, 10}, ε_0 in {1/1000, 49/100}, γ in {1/50, 1/3, 1}, the T of the theorem; 36 ε_1-DP oracles " +
		"over three samples, and the worst one")
	for _, e := range rat.List("3/2", "10") {
		for _, eps0 := range rat.List("1/1000", "49/100") {
			for _, gamma := range rat.List("1/50", "1/3", "1") {
				limit := int(impl.HardStoppingLimit(gamma, eps0).Int64())
				try := func(q neighbours) {
					t.Case()
					var at [2]spot
					for i := range 3 {
						for b := range q {
							p0 := rat.Sum(q[b][i+1:]...)
							at[b] = spot{q[b][i], p0, rat.Add(p0, q[b][i]), gamma, limit}
						}
						if at[0].p.Sign() == 0 {
							continue
						}
						ratio := precise.Quo(at[0].lawAt(), at[1].lawAt())
						swing := rat.Quo(at[1].factors(), at[0].factors())
						more := rat.Quo(rat.Add(rat.One, eps0), rat.Complement(eps0))
						middle := rat.Product(rat.Quo(at[0].p, at[1].p), swing, more)
						last := precise.Mul(power(e, 3), precise.ExpRat(rat.Mul(rat.Of("3"), eps0)))
						at[0].check(t, share, rising(ratio, exactly(middle), last))
					}
				}
				if gamma.Cmp(rat.Of("1/3")) >= 0 {
					for q := range pure(e) {
						try(q)
					}
				}
				try(worst(e, rat.Of("1/1000000")))
			}
		}
	}
}
