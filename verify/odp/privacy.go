package odp

import (
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func privacy() register.Checks {
	lessSum := func(x ...*big.Rat) *big.Rat { return shaved(rat.Sum(x...)) }
	lessMax := func(x ...*big.Rat) *big.Rat { return shaved(rat.Max(x...)) }
	lessProduct := func(x ...*big.Rat) *big.Rat { return shaved(rat.Product(x...)) }
	return register.Checks{
		"ODP-X5": register.Checked(register.All(exPost(boundedBothWays), natsAgree(bothWaysInNats)),
			register.NearMiss("a bound that is passed by up to a twentieth is", exPost(func(c charged, o string) bool {
				c.e = c.parts.Charge(func(k int) *big.Rat { return rat.Mul(big.NewRat(21, 20), c.e[k]) })
				return boundedBothWays(c, o)
			})),
			register.NearMiss("only a ratio that is below the bound is bounded", exPost(func(c charged, o string) bool {
				return boundedBothWays(c, o) && c.laws[0][o].Cmp(rat.Mul(c.at(o), c.laws[1][o])) < 0
			})),
		),
		"ODP-D2": register.Checked(
			register.All(isODP(rat.One, outputByOutput, sameExpE), natsAgree(deltaInNats, bothWaysInNats, expEInNats)),
			register.NearMiss("with the second output in a part of its own, charged a twentieth of e^ε less, it is",
				isODP(rat.Of("19/20"), outputByOutput, sameExpE)),
			register.NearMiss("one of the two directions is enough",
				isODP(rat.One, func(c charged) (forth, both *big.Rat) {
					return c.laws.Delta(c.at), c.laws.Delta(c.at)
				}, sameExpE)),
			register.NearMiss("the smallest e^ℰ(P_k) is a twentieth less", isODP(rat.One, outputByOutput, shaved)),
		),
		"ODP-L6": register.Checked(register.All(subsetGivesODP(rat.Sum), natsAgree(subsetInNats)),
			register.NearMiss("it is so with a twentieth less than the sum", subsetGivesODP(lessSum)),
		),
		"ODP-X33": register.Checked(register.All(mixedFunctions(rat.Product), convexity(rat.Max)),
			register.NearMiss("it needs a twentieth less than the larger δ of the two", convexity(lessMax)),
			register.NearMiss("the weight of a function is a twentieth less", mixedFunctions(lessProduct)),
		),
		"ODP-L3": register.Checked(
			register.All(dpGivesODP(func(expEps *big.Rat, _ bool) *big.Rat { return expEps }),
				natsAgree(deltaInNats, dpInNats)),
			register.NearMiss("it is, with a twentieth of e^ε less on the last part",
				dpGivesODP(func(expEps *big.Rat, isLast bool) *big.Rat {
					if isLast {
						expEps = rat.Max(shaved(expEps), rat.One)
					}
					return expEps
				})),
		),
		"ODP-L4": register.Checked(register.All(odpGivesDP(rat.Max), natsAgree(deltaInNats, dpInNats)),
			register.NearMiss("e^ε may be a twentieth less",
				odpGivesDP(func(e ...*big.Rat) *big.Rat { return rat.Max(rat.One, lessMax(e...)) })),
		),
	}
}

// dpGivesODP checks that a pair of laws that is (ε, δ)-DP is (𝒫, ℰ, δ)-ODP with e^ℰ(P_k) = expE(e^ε, whether P_k is
// the last).
func dpGivesODP(expE func(expEps *big.Rat, isLast bool) *big.Rat) register.Check {
	return func(t *register.T) {
		ofAllCharged(func(t *register.T, c charged) {
			expEps := c.e[0]
			c.e = c.parts.Charge(func(k int) *big.Rat { return expE(expEps, k == c.parts.Count()-1) })
			delta, got := c.dpDelta(t, expEps), c.odpDelta(t)
			if got.Cmp(delta) > 0 {
				t.Refute("%v: e^ε = %s needs δ = %s; %v with e^ℰ = %s needs δ = %s",
					c.laws, rat.Show(expEps), rat.Show(delta), c.parts, rat.Show(c.e...), rat.Show(got))
			}
			t.Close(partOfBound(got, delta), "%v, e^ε = %s, %v", c.laws, rat.Show(expEps), c.parts)
		})(t)
		t.AlsoDomain("the first for e^ε")
	}
}

// dpDelta is the smallest δ of DP in one direction: both rooms must find it.
func (c charged) dpDelta(t *register.T, expEps *big.Rat) *big.Rat {
	delta := register.Must(spec.SmallestDPDelta(c.laws[0], c.laws[1], expEps))
	law0, law1 := c.lists()
	implAgrees(t, delta, register.Must(impl.SmallestDPDelta(law0, law1, loss.Exp(expEps))),
		"smallest δ of %v at e^ε = %s", c.laws, rat.Show(expEps))
	return delta
}

// odpDelta is that of ODP.
func (c charged) odpDelta(t *register.T) *big.Rat {
	delta := c.delta()
	implAgrees(t, delta, c.implDelta(), "smallest δ of %v", c)
	return delta
}

// odpGivesDP checks that a pair of laws that is (𝒫, ℰ, δ)-ODP is (ε, δ)-DP with e^ε = expEps(e^ℰ).
func odpGivesDP(expEps func(expE ...*big.Rat) *big.Rat) register.Check {
	return ofAllCharged(func(t *register.T, c charged) {
		eps := expEps(c.e...)
		delta, got := c.odpDelta(t), c.dpDelta(t, eps)
		if got.Cmp(delta) > 0 {
			t.Refute("%v needs δ = %s; e^ε = %s needs δ = %s", c, rat.Show(delta), rat.Show(eps), rat.Show(got))
		}
		t.Close(partOfBound(got, delta), "%v", c)
	})
}

// boundedBothWays reports whether the ratio at an output is bounded by what it is charged, both ways.
func boundedBothWays(c charged, output string) bool {
	p0, p1 := c.laws[0][output], c.laws[1][output]
	return p0.Cmp(rat.Mul(c.at(output), p1)) <= 0 && p1.Cmp(rat.Mul(c.at(output), p0)) <= 0
}

// exPost checks that a pair of laws whose ratios are bounded, output by output, is ODP with δ = 0, with every
// output a part of its own, and the reverse. Among the bounds are the ratios themselves, and a little less.
func exPost(bounded func(c charged, output string) bool) register.Check {
	return func(t *register.T) {
		m, d := t.Size(3, 4), 4
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, all e^ℰ in {1, 3/2, 3}, and all of "+
			"which each is the ratio at the output or a hundredth less", m, d)
		for laws := range finite.Pairs(m, d) {
			p := finite.Singletons(len(laws[0]))
			for e := range p.Charges(finite.Charges) {
				isExPost(t, charged{laws, p, e}, bounded)
			}
			for e := range p.Charges(rat.List("1", "99/100")) {
				for k := range e {
					e[k] = rat.Max(rat.One, rat.Mul(e[k], ratioAt(laws, finite.Name(k))))
				}
				isExPost(t, charged{laws, p, e}, bounded)
			}
		}
	}
}

// isExPost checks one case of [exPost].
func isExPost(t *register.T, c charged, bounded func(c charged, output string) bool) {
	t.Case()
	all := true
	for output := range c.laws[0] {
		all = all && bounded(c, output)
	}
	delta := c.deltaBothWays()
	implAgrees(t, delta, c.implDeltaBothWays(), "smallest δ of %v", c)
	if all != (delta.Sign() == 0) {
		t.Refute("%v with e^ℰ = %s: bounded is %v, but the smallest δ is %s", c.laws, rat.Show(c.e...), all, rat.Show(delta))
	}
}

// ratioAt returns the larger ratio of the probabilities of an output, and 1 where there is none.
func ratioAt(laws finite.Pair, output string) *big.Rat {
	p0, p1 := laws[0][output], laws[1][output]
	if p0.Sign() == 0 || p1.Sign() == 0 {
		return rat.One
	}
	return rat.Max(rat.Quo(p0, p1), rat.Quo(p1, p0))
}

// outputByOutput returns the smallest δ in one direction and in both, as sums of positive parts.
func outputByOutput(c charged) (forth, both *big.Rat) {
	return c.laws.Delta(c.at), c.laws.DeltaBothWays(c.at)
}

func sameExpE(expE *big.Rat) *big.Rat { return expE }

// isODP checks that ODP with one part asks for the same δ as (ε, δ)-DP, in both directions, or with another one for
// the second output, charged a share of e^ε; that both rooms find the δ that sum says; and that their smallest
// e^ℰ(P_k), changed by change, is smallest.
func isODP(share *big.Rat, sum func(c charged) (forth, both *big.Rat),
	change func(expE *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		m, d, random := t.Size(4, 5), 4, t.Size(100, 1000)
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, up to the names of the outputs, e^ε "+
			"in {1, 3/2, 3}; %s, and each part's smallest e^ℰ for three δ",
			m, d, randomChargedDomain(random))
		for laws := range finite.Pairs(m, d) {
			if !laws.IsSorted() {
				continue
			}
			for _, expEps := range finite.Charges {
				t.Case()
				c := charged{laws, make(finite.Partition, len(laws[0])), []*big.Rat{expEps}}
				if len(c.parts) > 1 && !rat.Equal(share, rat.One) {
					c.parts[1], c.e = 1, append(c.e, rat.Max(rat.One, rat.Mul(share, expEps)))
				}
				isDP(t, c, expEps)
			}
		}
		ofRandomCharged(t, random, func(t *register.T, c charged) {
			forth, both := sum(c)
			if x, y := c.delta(), c.deltaBothWays(); x.Cmp(forth) != 0 || y.Cmp(both) != 0 {
				t.Refute("%v: over all sets δ is %s in one direction and %s in both, output by output %s and %s",
					c, rat.Show(x), rat.Show(y), rat.Show(forth), rat.Show(both))
			}
			implAgrees(t, forth, c.implDelta(), "smallest δ of %v", c)
			implAgrees(t, both, c.implDeltaBothWays(), "smallest δ both ways of %v", c)
			for k := range c.e {
				for _, delta := range []*big.Rat{new(big.Rat), rat.Mul(rat.Half, forth), rat.Add(forth, big.NewRat(1, 50))} {
					isSmallestExpE(t, c, k, delta, change)
				}
			}
		})
	}
}

// isDP checks that a case of ODP needs what DP needs.
func isDP(t *register.T, c charged, expEps *big.Rat) {
	forth := register.Must(spec.SmallestDPDelta(c.laws[0], c.laws[1], expEps))
	back := register.Must(spec.SmallestDPDelta(c.laws[1], c.laws[0], expEps))
	if odp := c.delta(); forth.Cmp(odp) != 0 {
		t.Refute("%v with e^ε = %s: DP needs δ = %s, ODP with %v and e^ℰ = %s needs δ = %s",
			c.laws, rat.Show(expEps), rat.Show(forth), c.parts, rat.Show(c.e...), rat.Show(odp))
	}
	if odp := c.deltaBothWays(); odp.Cmp(rat.Max(forth, back)) != 0 {
		t.Refute("%v with e^ε = %s: DP needs δ = %s and %s in the two directions, ODP %s",
			c.laws, rat.Show(expEps), rat.Show(forth), rat.Show(back), rat.Show(odp))
	}
}

// isSmallestExpE checks that δ is enough with the smallest e^ℰ(P_k), and not with a little less; and if there is
// none, that it is not enough with 10^9.
func isSmallestExpE(t *register.T, c charged, k int, delta *big.Rat, change func(expE *big.Rat) *big.Rat) {
	needs := func(x *big.Rat) *big.Rat {
		e := slices.Clone(c.e)
		e[k] = x
		return c.laws.Delta(charged{c.laws, c.parts, e}.at)
	}
	const what = "smallest e^ℰ of part %d of %v at δ = %s"
	law0, law1 := c.lists()
	found := smallestExpE(c.laws, c.parts.Part, c.e, k, delta)
	fast, there, err := impl.SmallestExpE(law0, law1, c.parts, c.losses(), k, delta)
	t.Must(err)
	if there != (found != nil) || found == nil && needs(rat.Of("1e9")).Cmp(delta) <= 0 {
		t.Refute(what+": by sets it is %v, impl finds one %v", k+1, c, rat.Show(delta), found, there)
	}
	if found == nil {
		return
	}
	implAgrees(t, found, fast, what, k+1, c, rat.Show(delta))
	x := rat.Max(rat.One, change(found))
	if below := rat.Mul(rat.Of("0.999999"), x); needs(x).Cmp(delta) > 0 || x.Cmp(rat.One) > 0 &&
		needs(below).Cmp(delta) <= 0 {
		t.Refute(what+": %s needs δ = %s, a little less %s", k+1, c, rat.Show(delta), rat.Show(x), rat.Show(needs(x)),
			rat.Show(needs(below)))
	}
}

// inNats is a function of impl, and what it must find for given e^ε, which does not rise in e^ε.
type inNats struct {
	find func(law0, law1 []*big.Rat, parts []int, eps []loss.Epsilon) (interval.Interval, error)
	want func(c charged) *big.Rat
}

var (
	deltaInNats    = inNats{impl.SmallestDelta, func(c charged) *big.Rat { return c.laws.Delta(c.at) }}
	bothWaysInNats = inNats{impl.SmallestDeltaBothWays, func(c charged) *big.Rat { return c.laws.DeltaBothWays(c.at) }}
	dpInNats       = inNats{
		func(law0, law1 []*big.Rat, _ []int, eps []loss.Epsilon) (interval.Interval, error) {
			return impl.SmallestDPDelta(law0, law1, eps[0])
		},
		func(c charged) *big.Rat { return c.laws.Delta(finite.Constant(c.e[0])) },
	}
	subsetInNats = inNats{
		func(law0, law1 []*big.Rat, _ []int, eps []loss.Epsilon) (interval.Interval, error) {
			return impl.SmallestSubsetDelta(law0, law1, []bool{true, true, false, false}, eps[0])
		},
		func(c charged) *big.Rat {
			ab := func(l finite.Law) finite.Law { return finite.Law{"a": l["a"], "b": l["b"]} }
			return finite.Pair{ab(c.laws[0]), ab(c.laws[1])}.Delta(c.at)
		},
	}
	expEInNats = inNats{
		func(law0, law1 []*big.Rat, parts []int, eps []loss.Epsilon) (interval.Interval, error) {
			x, _, err := impl.SmallestExpE(law0, law1, parts, eps, 0, rat.Of("1/100"))
			return x, err
		},
		func(c charged) *big.Rat { return smallestExpE(c.laws, c.parts.Part, c.e, 0, rat.Of("1/100")) },
	}
)

// natsAgree checks that functions of impl contain what they must find for ε in nats, where e^ε is irrational.
func natsAgree(functions ...inNats) register.Check {
	return func(t *register.T) {
		for _, first := range rat.List("1/10", "1", "5") {
			for _, second := range rat.List("1/10", "1", "5") {
				t.Case()
				for _, f := range functions {
					f.agrees(t, first, second)
				}
			}
		}
		t.AlsoDomain("ε in nats, one of {1/10, 1, 5} for each of two parts, for laws that need hardly any δ")
	}
}

// agrees checks one case: what must be found lies between that for an upper and for a lower bound of e^ε.
func (f inNats) agrees(t *register.T, eps ...*big.Rat) {
	low, high := responsesWith(eps...), responsesWith(eps...)
	var nats []loss.Epsilon
	for _, e := range eps {
		bounds := interval.Precision(256).ExpRat(e)
		nats = append(nats, loss.Nats(e))
		low.e, high.e = append(low.e, rat.Exact(bounds.Lower)), append(high.e, rat.Exact(bounds.Upper))
	}
	law0, law1 := low.lists()
	found, most, least := register.Must(f.find(law0, law1, low.parts, nats)), f.want(low), f.want(high)
	if rat.Exact(found.Lower).Cmp(least) > 0 || rat.Exact(found.Upper).Cmp(most) < 0 || found.RelWidth() > 0x1p-60 {
		t.Refute("%v with %v, ε = %s: from %s to %s, but impl finds [%.40g, %.40g]", low.laws, low.parts, rat.Show(eps...),
			least.FloatString(50), most.FloatString(50), found.Lower, found.Upper)
	}
}

// responsesWith are the laws of randomized response with hardly more than ε, with one of 1/10, 1 and 5 in each of two
// parts: they need so little δ that the last bits of e^ε show in it.
func responsesWith(eps ...*big.Rat) charged {
	truth := map[string]*big.Rat{"1/10": rat.Of("0.5249791875"), "1": rat.Of("0.7310585787"), "5": rat.Of("0.9933071491")}
	c := charged{laws: finite.Pair{{}, {}}, parts: finite.Partition{0, 0, 1, 1}}
	for k, e := range eps {
		yes := rat.Mul(rat.Half, truth[rat.Show(e)])
		no, a, b := rat.Sub(rat.Half, yes), finite.Name(2*k), finite.Name(2*k+1)
		c.laws[0][a], c.laws[0][b], c.laws[1][a], c.laws[1][b] = yes, no, no, yes
	}
	return c
}
