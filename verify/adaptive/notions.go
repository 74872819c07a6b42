package adaptive

import (
	"math"
	"math/big"
	"strings"

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
	excess := func(p finite.Pair, e *big.Rat) *big.Rat { return p.Delta(finite.Constant(e)) }
	lessExcess := func(p finite.Pair, e *big.Rat) *big.Rat { return rat.Mul(nearly, excess(p, e)) }
	exchanged := func(p finite.Pair, e *big.Rat) *big.Rat { return excess(p.Back(), e) }
	underQ := func(p, q map[string]*big.Rat, order float64) float64 { return withLimit(1, 1)(q, p, order) }
	after := func(c finite.Tree, before string) finite.Pair { return c[before] }
	afterAs := func(c finite.Tree, before string) finite.Pair { return c[strings.Repeat("a", len(before))] }
	return register.Checks{
		"FAC-E1": checked(with(smallestDelta, excess),
			near("it is 19/20 of the sum", with(smallestDelta, lessExcess)),
			near("it is that with the databases exchanged", with(smallestDelta, exchanged))),
		"FAC-D2": checked(with(divergence, spec.RenyiDivergence),
			near("with the limit at 1, and 19/20 of the factor above", with(divergence, withLimit(0.95, 1))),
			near("with 19/20 of the limit at 1", with(divergence, withLimit(1, 0.95))),
			near("with the limit at 1, and under Q instead of P", with(divergence, underQ)),
			corrected("for λ > 1 as printed, and at 1 the limit", with(divergence, withLimit(1, 1)))),
		"FAC-D3": checked(with(enough, rat.One, true),
			alsoFails(register.Slip,
				"δ and ρ are functions on Y, the outputs of A, as printed, and have values at z ∈ Z",
				with(haveValues, 1, 1)),
			alsoHolds("they are functions on Z: here the outputs of earlier rounds", with(haveValues, 0, 2)),
			near("10/11 of it is one", with(enough, rat.Of("10/11"), true)),
			near("it is no more than 11/10 of what P′‖Q′ alone asks for", with(enough, rat.One, false))),
		"FAC-E8": checked(with(suggests, rat.One),
			near("positive suggests x 21/20 times as much as x'", with(suggests, more))),
		"FAC-E9": checked(with(chained, after, rat.One),
			near("each e^𝓛_m is 21/20 times as large", with(chained, after, more)),
			near("each 𝓛_m is that after outputs a only", with(chained, afterAs, rat.One))),
	}
}

// haveValues checks that functions on the sequences of so many outputs have a value at every z of Algorithm 1, the
// outputs before one of three rounds.
func haveValues(t *register.T, least, most int) {
	t.Domain("Y = {a, b}; all z of up to 2 outputs")
	for z := range finite.Lists([]string{"a", "b"}, 0, 2) {
		t.At("z = (%s)", strings.Join(z, ", "))
		t.Require(least <= len(z) && len(z) <= most, "δ(z) is the value at %d outputs of a function of %d", len(z), most)
	}
}

// smallestDelta checks that the smallest δ over all sets is a number, and that of impl, for ε in nats and as e^ε.
func smallestDelta(t *register.T, want func(p finite.Pair, e *big.Rat) *big.Rat) {
	type charge struct {
		eps       loss.Epsilon
		low, high *big.Rat // e^ε is between
	}
	var all []charge
	for _, e := range charges {
		all = append(all, charge{loss.Exp(e), e, e})
	}
	inNats := rat.List("1/10", "1", "5")
	for _, eps := range inNats {
		e := interval.Precision(256).ExpRat(eps)
		all = append(all, charge{loss.Nats(eps), rat.Exact(e.Lower), rat.Exact(e.Upper)})
	}
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/4, e^ε in {%s}, ε in {%s}",
		charges, inNats)
	finite.Each2(pairsIn(4), all, func(p finite.Pair, c charge) {
		t.At("%v, %v", p, c.eps)
		got, least, most := register.Must(spec.SmallestDPDelta(p[0], p[1], c.high)), want(p, c.high), want(p, c.low)
		law0, law1 := p.Dense()
		fast := register.Must(impl.SmallestDPDelta(law0, law1, c.eps))
		isIn := rat.Exact(fast.Lower).Cmp(most) <= 0 && rat.Exact(fast.Upper).Cmp(least) >= 0
		t.Require(isIn && rat.Equal(got, least), "the smallest δ is %.12g, by impl %.12g, not %.12g",
			got, fast.Float().Lo, least)
	})
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
func divergence(t *register.T, d func(p, q map[string]*big.Rat, order float64) float64) {
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
			t.At("%v, λ = %s", p, order)
			got := d(p[0], p[1], rat.Float64(order))
			t.Require(math.Abs(got-want.Float().Lo) <= rounding && got >= before-rounding,
				"D_λ = %.6g, by impl %.6g, at the order before %.6g", got, want.Float().Lo, before)
			before = got
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
	t.Require(isFinite == (exact != nil) && (!isFinite || moment.Contains(exact)),
		"the moment of spec is not in that of impl")
}

// suggests checks what the sign of the loss says of the belief in x and in x', of which the latter is scaled.
func suggests(t *register.T, factor *big.Rat) {
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/6, all outputs that x has")
	for _, p := range pairsIn(6) {
		for _, o := range p[0].Outputs() {
			belief := finite.Law{"x": p[0][o], "x'": p[1][o]}
			if belief["x"].Sign() == 0 {
				continue
			}
			t.At("%v, after %s", p, o)
			expLoss, sign := spec.ExpLoss(p[0], p[1], o), 1
			if expLoss != nil {
				sign = expLoss.Cmp(rat.One)
			}
			belief = belief.Times(rat.Quo(rat.One, belief.Mass()))
			t.Require(sign == belief["x"].Cmp(rat.Mul(factor, belief["x'"])),
				"the beliefs are %v, and the loss has the sign %d", belief, sign)
		}
	}
}

// chained checks that e^Loss of the sequence of outputs is a product, on random trees with random criteria.
func chained(t *register.T, laws func(c finite.Tree, before string) finite.Pair, factor *big.Rat) {
	t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, under random criteria")
	t.Random(1, t.Size(400, 4000), func(t *register.T, d register.Dice) {
		c, h := finite.Tree{}, finite.Criterion{}
		for _, s := range finite.Earlier(1 + d.Roll(3)) {
			c[s], h[s] = finite.RandomPair(d, 2, 3), finite.Deterministic[d.Roll(4)/3]
		}
		joint := c.Law(h)
		for _, s := range joint[0].Outputs() {
			want := rat.One
			for n := range s {
				l := laws(c, s[:n])
				x := spec.ExpLoss(l[0], l[1], s[n:n+1])
				if want == nil || x == nil {
					want = nil
				} else {
					want = rat.Product(want, x, factor)
				}
			}
			got := spec.ExpLoss(joint[0], joint[1], s)
			t.Require(joint[0][s].Sign() == 0 || rat.Same(got, want), "%v; %v: after %s, e^𝓛 is %v, not %v",
				c, h, s, got, want)
		}
	})
}

// enough checks that the bound of the smallest ρ, times a factor, is one at single orders, and at most 11/10 of what
// they ask for, of the laws in both orders or in one.
func enough(t *register.T, factor *big.Rat, bothWays bool) {
	orders := rat.List("1", "3/2", "2", "3", "7", "20", "100", "3000")
	t.Domain("P = (1/5, 4/5) and Q = (2/5, 3/5), both ways; 10^−6000 and a 20000th of it; λ in {%s}", orders)
	one, tiny := finite.Pair{coin(rat.Of("1/5")), coin(rat.Of("2/5"))}, rat.Power(rat.Of("1/10"), 6000)
	// only orders above 1024 ask for something for these
	far := finite.Pair{coin(tiny), coin(rat.Quo(tiny, rat.Of("20000")))}
	_, isFinite := impl.SmallestRho(rat.List("1/2", "1/2"), rat.List("1", "0"))
	t.Require(!isFinite, "ρ is finite for P = (1/2, 1/2) and Q = (1, 0)")
	for i, p := range []finite.Pair{one, one.Back(), far} {
		t.At("laws number %d", i+1)
		rho, _ := impl.SmallestRho(p.Dense())
		claimed, most := rat.Mul(factor, rat.Exact(rho.Upper)), new(big.Rat)
		for _, order := range orders {
			for way, q := range []finite.Pair{p, p.Back()} {
				law0, law1 := q.Dense()
				d, _ := impl.RenyiDivergence(law0, law1, order)
				asked := rat.Quo(rat.Exact(d.Lower), order)
				t.Require(claimed.Cmp(asked) >= 0, "λ = %s: ρ = %.6g is claimed, needed is %.6g", order, claimed, asked)
				if bothWays || way == 0 {
					most = rat.Max(most, asked)
				}
			}
		}
		isFar := i == 2 // the order that asks for most is not gone through
		t.Require(isFar || rat.Exact(rho.Lower).Cmp(rat.Mul(rat.Of("11/10"), most)) <= 0,
			"ρ = %.6g, and %.6g is asked for", rho.Float().Lo, most)
	}
}
