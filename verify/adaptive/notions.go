package adaptive

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// notions are the definitions of the text, and what follows from them at once.
func notions() register.Checks {
	return register.Checks{
		"FAC-E1": register.Checked(smallestDelta(func(p finite.Pair,
			e *big.Rat) *big.Rat {
			return p.Delta(finite.Constant(e))
		}),
			register.Control("it is Pr(A(x) ∈ G), where G is what is more probable than e^ε allows", smallestDelta(
				func(p finite.Pair, e *big.Rat) *big.Rat {
					return spec.SmallestPDPDelta(p[0], p[1], e)
				},
			)),
			register.NearMiss("it is 19/20 of the sum", smallestDelta(func(p finite.Pair,
				e *big.Rat) *big.Rat {
				return rat.Mul(nearly, p.Delta(finite.Constant(e)))
			})),
			register.NearMiss("it is that with the databases exchanged", smallestDelta(func(p finite.Pair,
				e *big.Rat) *big.Rat {
				return p.Back().Delta(finite.Constant(e))
			})),
		),
		"FAC-D2": register.Checked(divergence(spec.RenyiDivergence),
			register.NearMiss("with the limit at 1, and 19/20 of the factor above", divergence(withLimit(0.95, 1))),
			register.NearMiss("with 19/20 of the limit at 1", divergence(withLimit(1, 0.95))),
			register.NearMiss("with the limit at 1, and under Q instead of P", divergence(func(p, q map[string]*big.Rat,
				order float64) float64 {
				return withLimit(1, 1)(q, p, order)
			})),
			register.Corrected("for λ > 1 as printed, and at 1 the limit", divergence(withLimit(1, 1))),
		),
		"FAC-D3": register.Checked(enough(rat.One, true),
			register.NearMiss("10/11 of it is one", enough(rat.Of("10/11"), true)),
			register.NearMiss("it is no more than 11/10 of what P′‖Q′ alone asks for", enough(rat.One, false)),
		),
		"FAC-E8": register.Checked(suggests(func(x, other *big.Rat) int { return x.Cmp(other) }),
			register.Control("positive suggests x'", suggests(func(x, other *big.Rat) int { return other.Cmp(x) })),
			register.NearMiss("a loss of 0 suggests x", suggests(func(x, other *big.Rat) int {
				if x.Cmp(other) >= 0 {
					return 1
				}
				return -1
			})),
			register.NearMiss("positive suggests x 21/20 times as much as x'", suggests(func(x,
				other *big.Rat) int {
				return x.Cmp(rat.Mul(more, other))
			})),
		),
		"FAC-E9": register.Checked(chained(func(c finite.Tree, before string, _ int) finite.Pair { return c[before] },
			rat.One),
			register.Control("without the last loss", chained(func(c finite.Tree, before string, left int) finite.Pair {
				if left == 1 {
					return finite.Pair{c[before][0], c[before][0]}
				}
				return c[before]
			}, rat.One)),
			register.NearMiss("each e^𝓛_m is 21/20 times as large", chained(func(c finite.Tree, before string,
				_ int) finite.Pair {
				return c[before]
			}, more)),
			register.NearMiss("each 𝓛_m is that after outputs a only", chained(
				func(c finite.Tree, before string, _ int) finite.Pair {
					for s := range c {
						if len(s) == len(before) && s < before {
							before = s
						}
					}
					return c[before]
				},
				rat.One,
			)),
		),
	}
}

// smallestDelta checks that the smallest δ over all sets is a number, and that of impl.
func smallestDelta(want func(p finite.Pair, e *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		inNats := rat.List("1/10", "1", "5")
		t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/4, e^ε in {%s}, ε in {%s}", charges, inNats)
		for p := range finite.Pairs(3, 4) {
			for _, e := range charges {
				t.Case()
				law0, law1 := p.Dense()
				got := register.Must(spec.SmallestDPDelta(p[0], p[1], e))
				fast := register.Must(impl.SmallestDPDelta(law0, law1, loss.Exp(e)))
				if got.Cmp(want(p, e)) != 0 || !fast.Contains(got) {
					t.Refute("%v, e^ε = %s: the smallest δ is %s, by impl %.6g, not %s", p, e, got, fast.Float().Lo, want(p, e))
				}
			}
			for _, eps := range inNats {
				t.Case()
				law0, law1 := p.Dense()
				fast := register.Must(impl.SmallestDPDelta(law0, law1, loss.Nats(eps)))
				e := interval.Precision(256).ExpRat(eps) // δ falls in it
				if least, most := want(p, rat.Exact(e.Upper)), want(p, rat.Exact(e.Lower)); !meets(fast, least, most) {
					t.Refute("%v, ε = %s: the smallest δ is %.20g, by impl in [%.20g, %.20g]", p, eps, least, fast.Lower, fast.Upper)
				}
			}
		}
	}
}

// meets reports whether some number of x is from least to most.
func meets(x interval.Interval, least, most *big.Rat) bool {
	return rat.Exact(x.Lower).Cmp(most) <= 0 && rat.Exact(x.Upper).Cmp(least) >= 0
}

// withLimit is the divergence, times a factor, and its limit at 1, times another.
func withLimit(above, at1 float64) func(p, q map[string]*big.Rat, order float64) float64 {
	return func(p, q map[string]*big.Rat, order float64) float64 {
		if order == 1 {
			return at1 * spec.ExpectedLoss(p, q)
		}
		return above * spec.RenyiDivergence(p, q, order)
	}
}

// divergence checks that a function of the order is a number that does not fall, and lies in the intervals of impl;
// and that exact moments do.
func divergence(d func(p, q map[string]*big.Rat, order float64) float64) register.Check {
	return func(t *register.T) {
		const rounding = 1e-9 // of a logarithm of float64 sums, divided by λ − 1 ≥ 1/64
		orders := rat.List("1", "65/64", "3/2", "2", "3", "7")
		t.Domain("all pairs of laws over 2 outputs with probabilities in 1/5, divergences where Q is positive, λ in {%s}",
			orders)
		for p := range finite.PairsOf(finite.Laws(2, 5)) {
			law0, law1 := p.Dense()
			before := 0.0
			for _, order := range orders {
				sameMoment(t, p, order)
				want, isFinite := impl.RenyiDivergence(law0, law1, order)
				if !isFinite || p[1]["a"].Sign()*p[1]["b"].Sign() == 0 {
					continue
				}
				t.Case()
				got := d(p[0], p[1], rat.Float64(order))
				if !(math.Abs(got-want.Float().Lo) <= rounding && got >= before-rounding) {
					t.Refute("%v, λ = %s: D_λ = %.6g, by impl %.6g, at the order before %.6g", p, order, got, want.Float().Lo, before)
				}
				before = got
			}
		}
	}
}

// sameMoment refutes that the moments of spec and impl are the same, at an order that spec has: also for outputs with Q
// = 0, which count at λ = 1, and above make it infinite.
func sameMoment(t *register.T, p finite.Pair, order *big.Rat) {
	if !order.IsInt() {
		return
	}
	law0, law1 := p.Dense()
	exact := spec.RenyiMoment(p[0], p[1], int(order.Num().Int64()))
	moment, isFinite := impl.RenyiMoment(law0, law1, order)
	if isFinite != (exact != nil) || isFinite && !moment.Contains(exact) {
		t.Refute("%v, λ = %s: the moment of spec is not in that of impl", p, order)
	}
}

// suggests checks what the sign of the loss says of the belief in x and in x'.
func suggests(sign func(x, other *big.Rat) int) register.Check {
	return func(t *register.T) {
		t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/6, all outputs")
		for p := range finite.Pairs(3, 6) {
			for _, o := range p[0].Outputs() {
				pr := p[0][o]
				if pr.Sign() == 0 {
					continue
				}
				t.Case()
				belief := rat.Quo(pr, rat.Add(pr, p[1][o]))
				expLoss, positive := spec.ExpLoss(p[0], p[1], o), 1
				if expLoss != nil {
					positive = expLoss.Cmp(rat.One)
				}
				if positive != sign(belief, rat.Complement(belief)) {
					t.Refute("%v: after %s the belief in x is %s, and the loss has the sign %d", p, o, belief, positive)
				}
			}
		}
	}
}

// chained checks that e^Loss of the sequence of outputs is a product, on random trees with random criteria.
func chained(laws func(c finite.Tree, before string, left int) finite.Pair, factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, under random criteria")
		t.Random(1, t.Size(400, 4000), func(t *register.T, d register.Dice) {
			c, h := finite.Tree{}, finite.Criterion{}
			for _, s := range finite.Earlier(1 + d.Roll(3)) {
				c[s], h[s] = finite.RandomPair(d, 2, 3), finite.Deterministic[d.Roll(4)/3]
			}
			joint := c.Law(h)
			for _, s := range joint[0].Outputs() {
				if joint[0][s].Sign() == 0 {
					continue
				}
				want := rat.One
				for n := range s {
					l := laws(c, s[:n], len(s)-n)
					if want == nil || l[0].Pr(s[n:n+1]).Sign() == 0 {
						continue
					}
					x := spec.ExpLoss(l[0], l[1], s[n:n+1])
					if x != nil {
						x = rat.Product(want, x, factor)
					}
					want = x
				}
				got := spec.ExpLoss(joint[0], joint[1], s)
				if (got == nil) != (want == nil) || got != nil && got.Cmp(want) != 0 {
					t.Refute("%v; %v: after %s, e^𝓛 is %v, not %v", c, h, s, got, want)
				}
			}
		})
	}
}

// enough checks that the bound of the smallest ρ, times a factor, is one at single orders, and at most 11/10 of what
// they ask for, of the laws in both orders or in one.
func enough(factor *big.Rat, bothWays bool) register.Check {
	return func(t *register.T) {
		orders := rat.List("1", "3/2", "2", "3", "7", "20", "100")
		t.Domain("P = (1/5, 4/5) and Q = (2/5, 3/5), both ways, λ in {%s}; 10^−6000 and a 20000th of it, λ = 3000", orders)
		one := finite.Pair{{"a": rat.Of("1/5"), "b": rat.Of("4/5")}, {"a": rat.Of("2/5"), "b": rat.Of("3/5")}}
		for _, p := range []finite.Pair{one, one.Back()} {
			t.Case()
			rho, _ := impl.SmallestRho(p.Dense())
			most := new(big.Rat)
			for _, order := range orders {
				for b, of := range []finite.Pair{p, p.Back()} {
					first, second := of.Dense()
					d, _ := impl.RenyiDivergence(first, second, order)
					asks := rat.Quo(rat.Exact(d.Lower), order)
					if rat.Mul(factor, rat.Exact(rho.Upper)).Cmp(asks) < 0 {
						t.Refute("%v, λ = %s: ρ = %.6g is claimed, needed is %.6g", p, order, rho.Float().Hi*rat.Float64(factor), asks)
					}
					if b == 0 || bothWays {
						most = rat.Max(most, asks)
					}
				}
			}
			if rat.Exact(rho.Lower).Cmp(rat.Mul(rat.Of("11/10"), most)) > 0 {
				t.Refute("%v: ρ = %.6g, and %.6g is asked for", p, rho.Float().Lo, most)
			}
		}
		t.Case() // only orders above 1024 ask for something
		tiny, order := rat.Power(rat.Of("1/10"), 6000), rat.Of("3000")
		far := finite.Pair{{"a": tiny, "b": rat.Complement(tiny)},
			{"a": rat.Quo(tiny, rat.Of("20000")), "b": rat.Complement(rat.Quo(tiny, rat.Of("20000")))}}
		first, second := far.Dense()
		rho, _ := impl.SmallestRho(first, second)
		d, _ := impl.RenyiDivergence(first, second, order)
		if rat.Product(factor, rat.Exact(rho.Upper), order).Cmp(rat.Exact(d.Lower)) < 0 {
			t.Refute("P0(a) = 10^−6000 = 20000·P1(a), λ = 3000: ρ = %.6g is claimed, needed is %.6g", rho.Float().Hi,
				rat.Quo(rat.Exact(d.Lower), order))
		}
	}
}
