package odp

import (
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func privacy() register.Checks {
	return register.Checks{
		"ODP-X5": register.Checked(register.All(exPost(boundedBothWays), natsAgree(bothWaysInNats)),
			register.Control("a bound on the ratio in one direction is ODP with δ = 0",
				exPost(
					func(c charged, o string) bool { return c.laws[0][o].Cmp(rat.Mul(c.at(o), c.laws[1][o])) <= 0 },
				)),
			register.NearMiss("a bound that is passed by up to a twentieth is", exPost(
				func(c charged, o string) bool {
					return boundedBothWays(charged{c.laws, c.parts, scaledBy(c.e, big.NewRat(21, 20))}, o)
				},
			)),
			register.NearMiss("a bound at all outputs but c is",
				exPost(func(c charged, o string) bool { return o == "c" || boundedBothWays(c, o) })),
			register.NearMiss("only a ratio that is below the bound is bounded", exPost(
				func(c charged, o string) bool {
					return boundedBothWays(c, o) && c.laws[0][o].Cmp(rat.Mul(c.at(o), c.laws[1][o])) < 0
				},
			)),
		),
		"ODP-D2": register.Checked(
			register.All(isODP(onePart, outputByOutput, sameExpE), natsAgree(deltaInNats, bothWaysInNats, expEInNats)),
			register.Control("with the first output in a part of its own, charged nothing, it is (ε, δ)-DP",
				isODP(lonely(0, func(*big.Rat) *big.Rat { return rat.One }), outputByOutput, sameExpE)),
			register.NearMiss("with the second output in a part of its own, charged a twentieth of e^ε less, it is",
				isODP(lonely(1, shaved), outputByOutput, sameExpE)),
			register.NearMiss("one of the two directions is enough", isODP(onePart, func(c charged) (forth, both *big.Rat) {
				forth, _ = outputByOutput(c)
				return forth, forth
			}, sameExpE)),
			register.NearMiss("the last of three parts or more counts by the charge of the first", isODP(onePart,
				func(c charged) (forth, both *big.Rat) {
					if last := len(c.e) - 1; last >= 2 {
						c.e = slices.Clone(c.e)
						c.e[last] = c.e[0]
					}
					return outputByOutput(c)
				}, sameExpE)),
			register.NearMiss("the smallest e^ℰ(P_k) is a twentieth less", isODP(onePart, outputByOutput, shaved)),
		),
		"ODP-L6": register.Checked(register.All(subsetGivesODP(rat.Sum, true), natsAgree(subsetInNats)),
			register.Control("it is (𝒫, ℰ, max Δ(P_k))-ODP", subsetGivesODP(rat.Max, true)),
			register.Control("the sum is always the smallest δ", subsetGivesODP(rat.Sum, false)),
			register.NearMiss("it is so with a twentieth less than the sum",
				subsetGivesODP(func(parts ...*big.Rat) *big.Rat { return shaved(rat.Sum(parts...)) }, true)),
			register.NearMiss("of four parts or more the last need not be counted",
				subsetGivesODP(func(parts ...*big.Rat) *big.Rat { return rat.Sum(parts[:min(len(parts), 3)]...) }, true)),
		),
		"ODP-X33": register.Checked(register.All(mixedFunctions(rat.Product), convexity(rat.Max)),
			register.Control("it needs no more than the smaller δ of the two",
				register.All(mixedFunctions(rat.Product), convexity(rat.Min))),
			register.Control("the weight of a function is the smallest of its probabilities",
				register.All(mixedFunctions(rat.Min), convexity(rat.Max))),
			register.NearMiss("it needs a twentieth less than the larger δ of the two",
				register.All(mixedFunctions(rat.Product),
					convexity(func(deltas ...*big.Rat) *big.Rat { return shaved(rat.Max(deltas...)) }))),
			register.NearMiss("the weight of a function is a twentieth less",
				register.All(mixedFunctions(func(pr ...*big.Rat) *big.Rat { return shaved(rat.Product(pr...)) }),
					convexity(rat.Max))),
		),
		"ODP-L3": register.Checked(
			register.All(dpGivesODP(func(expEps *big.Rat, _, _ int) *big.Rat { return expEps }),
				natsAgree(deltaInNats, dpInNats)),
			register.Control("it is, with ℰ = ε on the first part and 0 on the others", dpGivesODP(
				func(expEps *big.Rat, k, _ int) *big.Rat {
					if k == 0 {
						return expEps
					}
					return rat.One
				},
			)),
			register.NearMiss("it is, with a twentieth of e^ε less on the last part", dpGivesODP(
				func(expEps *big.Rat, k, parts int) *big.Rat {
					if k < parts-1 {
						return expEps
					}
					return rat.Max(shaved(expEps), rat.One)
				},
			)),
		),
		"ODP-L4": register.Checked(register.All(odpGivesDP(rat.Max), natsAgree(deltaInNats, dpInNats)),
			register.Control("it is (min ℰ, δ)-DP", odpGivesDP(rat.Min)),
			register.NearMiss("e^ε may be a twentieth less",
				odpGivesDP(func(e ...*big.Rat) *big.Rat { return rat.Max(rat.One, shaved(rat.Max(e...))) })),
			register.NearMiss("of four parts or more the last need not be looked at",
				odpGivesDP(func(e ...*big.Rat) *big.Rat { return rat.Max(e[:min(len(e), 3)]...) })),
		),
	}
}

// dpGivesODP checks that a pair of laws that is (ε, δ)-DP is (𝒫, ℰ, δ)-ODP with e^ℰ(P_k) = expE(e^ε, k, parts).
func dpGivesODP(expE func(expEps *big.Rat, k, parts int) *big.Rat) register.Check {
	check := func(t *register.T, laws finite.Pair, p finite.Partition, expEps *big.Rat) {
		c := charged{laws, p, p.Charge(func(k int) *big.Rat { return expE(expEps, k, p.Count()) })}
		delta, got := c.dpDelta(t, expEps), c.delta()
		implAgrees(t, got, c.implDelta(), "smallest δ of %v", c)
		if got.Cmp(delta) > 0 {
			t.Refute("%v: e^ε = %s needs δ = %s; %v with e^ℰ = %s needs δ = %s",
				laws, rat.Show(expEps), rat.Show(delta), p, rat.Show(c.e...), rat.Show(got))
		}
		t.Close(partOfBound(got, delta), "%v, e^ε = %s, %v", laws, rat.Show(expEps), p)
	}
	return func(t *register.T) {
		m, d, random := t.Size(3, 4), 4, t.Size(200, 2000)
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, all partitions, e^ε in {1, 3/2, 3}; "+
			"%s, the first for e^ε",
			m, d, randomChargedDomain(random))
		for laws := range finite.Pairs(m, d) {
			for p := range finite.Partitions(len(laws[0])) {
				for _, expEps := range finite.Charges {
					t.Case()
					check(t, laws, p, expEps)
				}
			}
		}
		ofRandomCharged(t, random, func(t *register.T, c charged) { check(t, c.laws, c.parts, c.e[0]) })
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

// odpGivesDP checks that a pair of laws that is (𝒫, ℰ, δ)-ODP is (ε, δ)-DP with e^ε = expEps(e^ℰ).
func odpGivesDP(expEps func(expE ...*big.Rat) *big.Rat) register.Check {
	return ofAllCharged(func(t *register.T, c charged) {
		delta, eps := c.delta(), expEps(c.e...)
		implAgrees(t, delta, c.implDelta(), "smallest δ of %v", c)
		got := c.dpDelta(t, eps)
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

// scaledBy returns x·e for all e.
func scaledBy(e []*big.Rat, x *big.Rat) (all []*big.Rat) {
	for _, y := range e {
		all = append(all, rat.Mul(x, y))
	}
	return all
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

// split makes a partition with charges out of a number of outputs and e^ε.
type split func(m int, expEps *big.Rat) (finite.Partition, []*big.Rat)

// onePart is the partition that has one part.
func onePart(m int, expEps *big.Rat) (finite.Partition, []*big.Rat) {
	return make(finite.Partition, m), []*big.Rat{expEps}
}

// lonely puts one output into a part of its own, if there are others.
func lonely(output int, charge func(expEps *big.Rat) *big.Rat) split {
	return func(m int, expEps *big.Rat) (finite.Partition, []*big.Rat) {
		p := make(finite.Partition, m)
		if output >= m || m == 1 {
			return p, []*big.Rat{expEps}
		}
		p[output] = 1
		return p, []*big.Rat{expEps, rat.Max(rat.One, charge(expEps))}
	}
}

// outputByOutput returns the smallest δ in one direction and in both, as sums of positive parts.
func outputByOutput(c charged) (forth, both *big.Rat) {
	return c.laws.Delta(c.at), c.laws.DeltaBothWays(c.at)
}

func sameExpE(expE *big.Rat) *big.Rat { return expE }

// isODP checks that ODP with the partition asks for the same δ as (ε, δ)-DP, in both directions; that both rooms
// find the δ that sum says; and that their smallest e^ℰ(P_k), changed by change, is smallest.
func isODP(parts split, sum func(c charged) (forth, both *big.Rat),
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
				p, e := parts(len(laws[0]), expEps)
				isDP(t, charged{laws, p, e}, expEps)
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
