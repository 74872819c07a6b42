package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func privacy() register.Checks {
	atMost := func(p, bound *big.Rat) bool { return p.Cmp(bound) <= 0 }
	return register.Checks{
		"ODP-X5": checked(all(with(exPost, atMost), natsAgree(bothWays)),
			near("a bound that is passed by up to a twentieth is",
				with(exPost, func(p, bound *big.Rat) bool { return atMost(shaved(p), bound) })),
			near("only a ratio that is below the bound is bounded",
				with(exPost, func(p, bound *big.Rat) bool { return p.Cmp(bound) < 0 }))),
		"ODP-D2": checked(all(with(isODP, rat.One, bothWays.sum, rat.One), natsAgree(oneWay, bothWays, smallestExp)),
			near("with the second output in a part of its own, charged a twentieth of e^ε less, it is",
				with(isODP, nearly, bothWays.sum, rat.One)),
			near("one of the two directions is enough", with(isODP, rat.One, oneWay.sum, rat.One)),
			near("the smallest e^ℰ(P_k) is a twentieth less", with(isODP, rat.One, bothWays.sum, nearly))),
		"ODP-L6": checked(all(with(subsetGivesODP, rat.One), natsAgree(subsetDP(0))),
			near("it is so with a twentieth less than the sum", with(subsetGivesODP, nearly))),
		"ODP-X33": checked(all(with(mixedFunctions, rat.One), with(convexity, rat.One)),
			near("it needs a twentieth less than the larger δ of the two", with(convexity, nearly)),
			near("the weight of a function is a twentieth less", with(mixedFunctions, nearly))),
		"ODP-L3": checked(all(with(dpGivesODP, rat.One), natsAgree(oneWay, dp)),
			near("it is, with a twentieth of e^ε less on the last part", with(dpGivesODP, nearly))),
		"ODP-L4": checked(all(with(odpGivesDP, rat.One), natsAgree(oneWay, dp)),
			near("e^ε may be a twentieth less", with(odpGivesDP, nearly))),
	}
}

// dpGivesODP checks that a pair of laws that is (ε, δ)-DP is (𝒫, ℰ, δ)-ODP with ε on all parts, but for a share of e^ε
// on the last.
func dpGivesODP(t *register.T, ofLast *big.Rat) {
	ofAllCharged(t, func(t *register.T, c charged) {
		eps := c.e[0]
		delta := c.constant(eps).smallest(t, dp)
		c = c.constant(eps).with(len(c.e)-1, chargeOf(ofLast, eps))
		t.In("%v", c)
		t.AtMost(c.smallest(t, oneWay), delta, "e^ε = %s needs δ = %s, and they need more", eps, delta)
	})
	t.AlsoDomain("the first for e^ε")
}

// odpGivesDP checks that a pair of laws that is (𝒫, ℰ, δ)-ODP is (ε, δ)-DP with a share of the largest e^ℰ for e^ε.
func odpGivesDP(t *register.T, share *big.Rat) {
	ofAllCharged(t, func(t *register.T, c charged) {
		t.In("%v", c)
		eps := chargeOf(share, rat.Max(c.e...))
		got, delta := c.constant(eps).smallest(t, dp), c.smallest(t, oneWay)
		t.AtMost(got, delta, "needs δ = %s; e^ε = %s needs δ = %s", delta, eps, got)
	})
}

// exPost checks that a pair of laws whose ratios are bounded, output by output and both ways, is ODP with δ = 0, with
// every output a part of its own, and the reverse. Among the bounds are the ratios themselves, and a little less.
func exPost(t *register.T, bounded func(p, bound *big.Rat) bool) {
	m, d := t.Size(3, 4), 4
	t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, up to the names of the outputs, "+
		"all e^ℰ in {1, 3/2, 3}, and all of which each is the ratio at the output or a hundredth less", m, d)
	for laws := range finite.Pairs(m, d) {
		if !laws.IsSorted() {
			continue
		}
		p := finite.Singletons(len(laws[0]))
		for e := range p.Charges(finite.Charges) {
			isExPost(t, charged{laws, p, e}, bounded)
		}
		for e := range p.Charges(rat.List("1", "99/100")) {
			for k := range e {
				e[k] = chargeOf(e[k], ratioAt(laws, finite.Name(k)))
			}
			isExPost(t, charged{laws, p, e}, bounded)
		}
	}
}

// isExPost checks one case of [exPost].
func isExPost(t *register.T, c charged, bounded func(p, bound *big.Rat) bool) {
	t.Case()
	all := true
	for output, p := range c.laws[0] {
		q, e := c.laws[1][output], c.at(output)
		all = all && bounded(p, rat.Mul(e, q)) && bounded(q, rat.Mul(e, p))
	}
	delta := c.smallest(t, bothWays)
	t.Require(all == (delta.Sign() == 0), "%v: bounded is %v, but the smallest δ is %s", c, all, delta)
}

// ratioAt returns the larger ratio of the probabilities of an output, and 1 where there is none.
func ratioAt(laws finite.Pair, output string) *big.Rat {
	p0, p1 := laws[0][output], laws[1][output]
	if p0.Sign() == 0 || p1.Sign() == 0 {
		return rat.One
	}
	return rat.Max(rat.Quo(p0, p1), rat.Quo(p1, p0))
}

// isODP checks that ODP with one part asks for the same δ as (ε, δ)-DP, in both directions, or with another one for
// the second output, charged a share of e^ε; that a sum is the δ for both directions; and that a share of the smallest
// e^ℰ(P_k) is smallest.
func isODP(t *register.T, share *big.Rat, sum func(c charged) *big.Rat, ofExpE *big.Rat) {
	m, d, random := t.Size(3, 5), 4, t.Size(100, 1000)
	t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, up to the names of the outputs, "+
		"e^ε in {1, 3/2, 3}; %s, and each part's smallest e^ℰ for three δ", m, d, randomChargedDomain(random))
	for laws := range finite.Pairs(m, d) {
		if !laws.IsSorted() {
			continue
		}
		for _, expEps := range finite.Charges {
			t.Case()
			c := charged{laws, make(finite.Partition, len(laws[0])), []*big.Rat{expEps}}
			if len(c.parts) > 1 && !rat.Equal(share, rat.One) {
				c.parts[1], c.e = 1, append(c.e, chargeOf(share, expEps))
			}
			forth := c.smallest(t, dp)
			agree(t, c, forth, "one way DP needs that δ, and ODP", c.smallest(t, oneWay))
			agree(t, c, rat.Max(forth, c.back().smallest(t, dp)), "both ways DP needs that δ, and ODP",
				c.smallest(t, bothWays))
		}
	}
	ofRandomCharged(t, random, func(t *register.T, c charged) {
		agree(t, c, c.smallest(t, bothWays), "over all sets that is δ, and output by output", sum(c))
		forth := c.smallest(t, oneWay)
		for k := range c.e {
			for _, delta := range []*big.Rat{new(big.Rat), rat.Mul(rat.Half, forth),
				rat.Add(forth, big.NewRat(1, 50))} {
				isSmallestExpE(t, c, k, delta, ofExpE)
			}
		}
	})
}

// isSmallestExpE checks that δ is enough with a share of the smallest e^ℰ(P_k), and not with a little less; and if
// there is none, that it is not enough with 10^9.
func isSmallestExpE(t *register.T, c charged, k int, delta, share *big.Rat) {
	t.In("smallest e^ℰ of part %d of %v at δ = %s", k+1, c, delta)
	needs := func(x *big.Rat) *big.Rat { return oneWay.sum(c.with(k, x)) }
	law0, law1 := c.laws.Dense()
	found := smallestExpE(c.laws, c.parts.Part, c.e, k, delta)
	fast, there, err := impl.SmallestExpE(law0, law1, c.parts, c.losses(), k, delta)
	t.Must(err)
	t.Require(there == (found != nil) && (there || needs(rat.Of("1e9")).Cmp(delta) > 0),
		"by sets it is %v, impl finds one %v", found, there)
	if !there {
		return
	}
	x := chargeOf(share, found)
	below := rat.Mul(rat.Of("0.999999"), x)
	t.Require(fast.Contains(found) && fast.RelWidth() <= narrow, "%s, by impl [%.20g, %.20g]",
		found, fast.Lower, fast.Upper)
	t.Require(needs(x).Cmp(delta) <= 0 && (rat.Equal(x, rat.One) || needs(below).Cmp(delta) > 0),
		"%s needs δ = %s, a little less %s", x, needs(x), needs(below))
}

// natsAgree checks that functions of impl contain what they must find for ε in nats, where e^ε is irrational: what
// they find lies between that for an upper and for a lower bound of e^ε, in which it does not rise.
func natsAgree(notions ...notion) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("ε in nats, one of {1/10, 1, 5} for each of two parts, for laws that need hardly any δ")
		for eps := range finite.Tuples(rat.List("1/10", "1", "5"), 2) {
			t.At("ε = %s", eps)
			low, high, nats := responsesWith(eps), responsesWith(eps), []loss.Epsilon(nil)
			for _, e := range eps {
				bounds := interval.Precision(256).ExpRat(e)
				nats = append(nats, loss.Nats(e))
				low.e, high.e = append(low.e, rat.Exact(bounds.Lower)), append(high.e, rat.Exact(bounds.Upper))
			}
			law0, law1 := low.laws.Dense()
			for _, n := range notions {
				found, most, least := register.Must(n.impl(law0, law1, low.parts, nats)), n.sum(low), n.sum(high)
				contains := !rat.IsAbove(found, least) && rat.Exact(found.Upper).Cmp(most) >= 0
				t.Require(contains && found.RelWidth() <= narrow,
					"%v with %v: from %.40g to %.40g, but impl finds [%.40g, %.40g]",
					low.laws, low.parts, least, most, found.Lower, found.Upper)
			}
		}
	}
}

// responsesWith are the laws of randomized response with hardly more than ε, with one of 1/10, 1 and 5 in each of two
// parts: they need so little δ that the last bits of e^ε show in it.
func responsesWith(eps []*big.Rat) charged {
	truth := map[string]*big.Rat{"1/10": rat.Of("0.5249791875"), "1": rat.Of("0.7310585787"),
		"5": rat.Of("0.9933071491")}
	c := charged{laws: finite.Pair{{}, {}}, parts: finite.Partition{0, 0, 1, 1}}
	for k, e := range eps {
		yes := rat.Mul(rat.Half, truth[rat.Show(e)])
		no, a, b := rat.Sub(rat.Half, yes), finite.Name(2*k), finite.Name(2*k+1)
		c.laws[0][a], c.laws[0][b], c.laws[1][a], c.laws[1][b] = yes, no, no, yes
	}
	return c
}

// subsetGivesODP checks that the smallest δ of ODP, in both directions, is at most a share of the sum of the parts'
// smallest δ of subset DP; that it is as much in one direction; and that it is less for some laws.
func subsetGivesODP(t *register.T, share *big.Rat) {
	less := false
	ofAllCharged(t, func(t *register.T, c charged) {
		t.In("%v", c)
		var forth, either []*big.Rat
		for k := range c.e {
			forth = append(forth, c.smallest(t, subsetDP(k)))
			either = append(either, rat.Max(forth[k], c.back().smallest(t, subsetDP(k))))
		}
		agree(t, "Σ Δ(P_k) in one direction", rat.Mul(share, rat.Sum(forth...)), "but ODP needs", c.smallest(t, oneWay))
		need, bound := c.smallest(t, bothWays), rat.Mul(share, rat.Sum(either...))
		t.AtMost(need, bound, "Δ is %s, but ODP needs δ = %s", either, need)
		less = less || need.Cmp(bound) < 0
	})
	t.Require(less, "no pair of laws needs less")
}

// mixedFunctions checks that every randomized function of two inputs is the mixture of the deterministic ones, of which
// each has a share of the product of the probabilities of its values for weight.
func mixedFunctions(t *register.T, share *big.Rat) {
	m, d := 3, t.Size(4, 6)
	t.Domain("all functions from 2 inputs to up to %d outputs with probabilities in 1/%d", m, d)
	for f := range finite.Pairs(m, d) { // f[i] is the law of f(i)
		t.Case()
		mix := finite.Pair{{}, {}}
		for x, px := range f[0] {
			for y, py := range f[1] {
				w := rat.Product(share, px, py)
				mix[0].Add(x, w)
				mix[1].Add(y, w)
			}
		}
		t.Require(mix.Equal(f), "f(0) is (%v), f(1) is (%v); they mix to (%v), (%v)", f[0], f[1], mix[0], mix[1])
	}
}

// convexity checks that the smallest δ of a mixture of two pairs of laws is at most a share of the larger of theirs.
func convexity(t *register.T, share *big.Rat) {
	m, d, random := 2, t.Size(3, 6), t.Size(50, 1000)
	t.Domain("all two pairs of laws over %d outputs with probabilities in 1/%d, up to the names of the outputs, "+
		"mixed 1:1 and 1:2, all partitions, e^ℰ in {1, 3/2, 3}; %s and of each with its mirror image, 1:6; all "+
		"functions from 2 inputs to up to 3 outputs with probabilities in 1/%d", m, d, randomChargedDomain(random), d)
	for a := range finite.Pairs(m, d) {
		if !a.IsSorted() {
			continue
		}
		for b := range finite.Pairs(m, d) {
			for p := range finite.Partitions(m) {
				for e := range p.Charges(finite.Charges) {
					t.Case()
					mixes(t, charged{a, p, e}, b, share, rat.Half, big.NewRat(1, 3))
				}
			}
		}
	}
	ofRandomCharged(t, random, func(t *register.T, x charged) {
		mixes(t, x, finite.Pair{x.laws[0], mirrored(x.laws[1])}, share, big.NewRat(1, 7))
	})
}

// mixes checks the mixtures of shares w of x and the rest of b.
func mixes(t *register.T, x charged, b finite.Pair, share *big.Rat, weights ...*big.Rat) {
	a, most := x.laws, rat.Max(bothWays.sum(x), bothWays.sum(charged{b, x.parts, x.e}))
	for _, w := range weights {
		t.In("%s of %v and the rest of %v, %v, e^ℰ = %s", w, a, b, x.parts, x.e)
		got := register.Must(bothWays.spec(charged{mixed(w, a, b), x.parts, x.e}))
		t.Require(got.Cmp(rat.Mul(share, most)) <= 0, "δ = %s, and of the two at most %s", got, most)
		if !a.Equal(b) {
			t.CloseTo(got, most, "")
		}
	}
}

// mixed returns w·p and the rest of q.
func mixed(w *big.Rat, p, q finite.Pair) finite.Pair {
	rest := rat.Complement(w)
	return finite.Pair{finite.Combine(w, p[0], rest, q[0]), finite.Combine(w, p[1], rest, q[1])}
}

// mirrored is the law of the outputs e, d, c, b, a.
func mirrored(l finite.Law) finite.Law {
	out := finite.Law{}
	for i := range len(l) {
		out[finite.Name(i)] = l[finite.Name(len(l)-1-i)]
	}
	return out
}
