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

func privacy() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-D1",
			Title:   "(ε, δ)-DP: Pr(M(x) ∈ S) ≤ e^ε Pr(M(x') ∈ S) + δ for all S and all neighbouring x, x'",
			Printed: "Section 1, Definition 1: Pr(M(x) ∈ S) ≤ e^ε Pr(M(x′) ∈ S) + δ",
			Reading: "Print names two kinds of neighbours: one record is added or removed, or the values of one change. Here they are the two laws of an output, in both orders: " +
				"every such pair is one of either kind. Statements on algorithms that look into the database say which kind they are checked for.",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A definition. Measurability is not an issue here: all laws are finite.",
			In:      []string{"spec.SmallestDPDelta", "impl.SmallestDPDelta"},
		},
		{
			ID:      "ODP-X5",
			Title:   "Ex-post DP, a bound e^ℰ(o) on the ratio at every output o, is ODP with δ = 0",
			Printed: "Section 2, no formula: the special case of Definition 2 with δ = 0",
			Reading: "Ex-post DP is not defined in print. It is taken to be Pr(M(x) = o) ≤ e^ℰ(o) Pr(M(x′) = o) for all o and neighbours in both orders; a part is what has one ℰ. " +
				"That such algorithms compose is the subject of ODP-T7.",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Only for countably many values of the loss, all finite: ODP-D2 has countably many parts and real ℰ. A loss with uncountably many values, or infinite ones, must be rounded up " +
				"first, or is no special case.",
			In:    []string{"spec.SmallestDeltaBothWays", "impl.SmallestDeltaBothWays"},
			Check: register.All(exPost(boundedBothWays), natsAgree(bothWaysInNats)),
			Controls: []register.Claim{{
				Says:  "a bound on the ratio in one direction is ODP with δ = 0",
				Check: exPost(func(c charged, o string) bool { return c.laws[0][o].Cmp(rat.Mul(c.at(o), c.laws[1][o])) <= 0 }),
			}},
			Near: []register.Claim{
				{Says: "a bound that is passed by up to a twentieth is", Check: exPost(func(c charged, o string) bool {
					return boundedBothWays(charged{c.laws, c.parts, scaledBy(c.e, big.NewRat(21, 20))}, o)
				})},
				{Says: "a bound at all outputs but c is", Check: exPost(func(c charged, o string) bool { return o == "c" || boundedBothWays(c, o) })},
				{Says: "only a ratio that is below the bound is bounded", Check: exPost(func(c charged, o string) bool {
					return boundedBothWays(c, o) && c.laws[0][o].Cmp(rat.Mul(c.at(o), c.laws[1][o])) < 0
				})},
			},
		},
		{
			ID:      "ODP-D2",
			Title:   "(𝒫, ℰ, δ)-ODP: Pr(M(x) ∈ S) ≤ δ + Σ_k e^ℰ(P_k) Pr(M(x') ∈ S ∩ P_k); with one part it is (ε, δ)-DP",
			Printed: "Section 3, Definition 2: Pr(M(x) ∈ S) ≤ δ + Σ_{k∈𝒦} e^ℰ(P_k) Pr(M(x′) ∈ S ∩ P_k); it contains Definition 1 as a special case",
			Reading: "A definition; checked is the claim that it contains ODP-D1, and that the smallest δ and the smallest ℰ(P_k) are what a sum over outputs says. 𝒦 is finite here.",
			Kind:    register.Exact,
			Verdict: register.Holds,
			In:      []string{"spec.SmallestDelta", "spec.SmallestDeltaBothWays", "impl.SmallestDelta", "impl.SmallestDeltaBothWays", "impl.SmallestExpE"},
			Check:   register.All(isODP(onePart, outputByOutput, sameExpE), natsAgree(deltaInNats, bothWaysInNats, expEInNats)),
			Controls: []register.Claim{{
				Says:  "with the first output in a part of its own, charged nothing, it is (ε, δ)-DP",
				Check: isODP(lonely(0, func(*big.Rat) *big.Rat { return rat.One }), outputByOutput, sameExpE),
			}},
			Near: []register.Claim{
				{Says: "with the second output in a part of its own, charged a twentieth of e^ε less, it is", Check: isODP(lonely(1, shaved), outputByOutput, sameExpE)},
				{Says: "one of the two directions is enough", Check: isODP(onePart, func(c charged) (forth, both *big.Rat) {
					forth, _ = outputByOutput(c)
					return forth, forth
				}, sameExpE)},
				{Says: "the last of three parts or more counts by the charge of the first", Check: isODP(onePart, func(c charged) (forth, both *big.Rat) {
					if last := len(c.e) - 1; last >= 2 {
						c.e = slices.Clone(c.e)
						c.e[last] = c.e[0]
					}
					return outputByOutput(c)
				}, sameExpE)},
				{Says: "the smallest e^ℰ(P_k) is a twentieth less", Check: isODP(onePart, outputByOutput, shaved)},
			},
		},
		{
			ID:      "ODP-D5",
			Title:   "(R, ε, δ)-subset DP: the inequality of (ε, δ)-DP for all S ⊆ R",
			Printed: "Section 3, Definition 5: Pr(M(x) ∈ S) ≤ e^ε Pr(M(x′) ∈ S) + δ for all S ⊆ R",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A definition. What follows from it is ODP-L6.",
			In:      []string{"spec.SmallestSubsetDelta", "impl.SmallestSubsetDelta"},
		},
		{
			ID:      "ODP-L6",
			Title:   "A mechanism that is (P_k, ℰ(P_k), Δ(P_k))-subset DP for all k is (𝒫, ℰ, Σ Δ(P_k))-ODP",
			Printed: "Section 3, Lemma 6: (𝒫, ℰ, Σ_{k∈𝒦} Δ(P_k))-ODP, which need not be the best guarantee",
			Reading: "That the sum is not always the best: for some laws less will do, though in one direction alone the sum is always the smallest δ. How much ODP-L11 loses by it, ODP-T15 and ODP-E4 show.",
			Kind:    register.Exact,
			Verdict: register.Holds,
			In:      []string{"spec.SmallestSubsetDelta", "spec.SmallestDelta", "spec.SmallestDeltaBothWays", "impl.SmallestSubsetDelta"},
			Check:   register.All(subsetGivesODP(rat.Sum, true), natsAgree(subsetInNats)),
			Controls: []register.Claim{
				{Says: "it is (𝒫, ℰ, max Δ(P_k))-ODP", Check: subsetGivesODP(rat.Max, true)},
				{Says: "the sum is always the smallest δ", Check: subsetGivesODP(rat.Sum, false)},
			},
			Near: []register.Claim{
				{Says: "it is so with a twentieth less than the sum", Check: subsetGivesODP(func(parts ...*big.Rat) *big.Rat { return shaved(rat.Sum(parts...)) }, true)},
				{Says: "of four parts or more the last need not be counted", Check: subsetGivesODP(func(parts ...*big.Rat) *big.Rat { return rat.Sum(parts[:min(len(parts), 3)]...) }, true)},
			},
		},
		{
			ID:      "ODP-X33",
			Title:   "A convex combination of (𝒫, ℰ, δ)-ODP mechanisms is (𝒫, ℰ, δ)-ODP; every randomized function is one of deterministic functions",
			Printed: "Appendix C, proof of Lemma 14; no formula",
			Reading: "By construction: the weight of a deterministic function is the product of the probabilities of its values.",
			Kind:    register.Exact,
			Verdict: register.Holds,
			In:      []string{"spec.SmallestDeltaBothWays"},
			Check:   register.All(mixedFunctions(rat.Product), convexity(rat.Max)),
			Controls: []register.Claim{
				{Says: "it needs no more than the smaller δ of the two", Check: register.All(mixedFunctions(rat.Product), convexity(rat.Min))},
				{Says: "the weight of a function is the smallest of its probabilities", Check: register.All(mixedFunctions(rat.Min), convexity(rat.Max))},
			},
			Near: []register.Claim{
				{Says: "it needs a twentieth less than the larger δ of the two", Check: register.All(mixedFunctions(rat.Product), convexity(func(deltas ...*big.Rat) *big.Rat { return shaved(rat.Max(deltas...)) }))},
				{Says: "the weight of a function is a twentieth less", Check: register.All(mixedFunctions(func(pr ...*big.Rat) *big.Rat { return shaved(rat.Product(pr...)) }), convexity(rat.Max))},
			},
		},
		{
			ID:      "ODP-L3",
			Title:   "An (ε, δ)-DP mechanism is (𝒫, ℰ, δ)-ODP for every partition, with ℰ ≡ ε",
			Printed: "Section 3, Lemma 3",
			Kind:    register.Exact,
			Verdict: register.Holds,
			In:      []string{"spec.SmallestDPDelta", "spec.SmallestDelta", "impl.SmallestDPDelta", "impl.SmallestDelta"},
			Check:   register.All(dpGivesODP(func(expEps *big.Rat, _, _ int) *big.Rat { return expEps }), natsAgree(deltaInNats, dpInNats)),
			Controls: []register.Claim{{
				Says: "it is, with ℰ = ε on the first part and 0 on the others",
				Check: dpGivesODP(func(expEps *big.Rat, k, _ int) *big.Rat {
					if k == 0 {
						return expEps
					}
					return rat.One
				}),
			}},
			Near: []register.Claim{{
				Says: "it is, with a twentieth of e^ε less on the last part",
				Check: dpGivesODP(func(expEps *big.Rat, k, parts int) *big.Rat {
					if k < parts-1 {
						return expEps
					}
					return rat.Max(shaved(expEps), rat.One)
				}),
			}},
		},
		{
			ID:      "ODP-L4",
			Title:   "A (𝒫, ℰ, δ)-ODP mechanism is (sup ℰ, δ)-DP",
			Printed: "Section 3, Lemma 4: (sup_{P∈𝒫} ℰ(P), δ)-DP",
			Reading: "Parts that no output is in are not tried; they only make sup ℰ larger.",
			Kind:    register.Exact,
			Verdict: register.Holds,
			In:      []string{"spec.SmallestDPDelta", "spec.SmallestDelta", "impl.SmallestDPDelta", "impl.SmallestDelta"},
			Check:   register.All(odpGivesDP(rat.Max), natsAgree(deltaInNats, dpInNats)),
			Controls: []register.Claim{
				{Says: "it is (min ℰ, δ)-DP", Check: odpGivesDP(rat.Min)},
			},
			Near: []register.Claim{
				{Says: "e^ε may be a twentieth less", Check: odpGivesDP(func(e ...*big.Rat) *big.Rat { return rat.Max(rat.One, shaved(rat.Max(e...))) })},
				{Says: "of four parts or more the last need not be looked at", Check: odpGivesDP(func(e ...*big.Rat) *big.Rat { return rat.Max(e[:min(len(e), 3)]...) })},
			},
		},
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
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, all partitions, e^ε in {1, 3/2, 3}; %s, the first for e^ε",
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
	implAgrees(t, delta, register.Must(impl.SmallestDPDelta(law0, law1, loss.Exp(expEps))), "smallest δ of %v at e^ε = %s", c.laws, rat.Show(expEps))
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
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, all e^ℰ in {1, 3/2, 3}, and all of which each is the ratio at the output or a hundredth less", m, d)
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
func isODP(parts split, sum func(c charged) (forth, both *big.Rat), change func(expE *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		m, d, random := t.Size(4, 5), 4, t.Size(100, 1000)
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, up to the names of the outputs, e^ε in {1, 3/2, 3}; %s, and each part's smallest e^ℰ for three δ",
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
	if below := rat.Mul(rat.Of("0.999999"), x); needs(x).Cmp(delta) > 0 || x.Cmp(rat.One) > 0 && needs(below).Cmp(delta) <= 0 {
		t.Refute(what+": %s needs δ = %s, a little less %s", k+1, c, rat.Show(delta), rat.Show(x), rat.Show(needs(x)), rat.Show(needs(below)))
	}
}

// subsetGivesODP checks that the smallest δ of ODP, in both directions, is at most what
// total makes of the parts' smallest δ of subset DP; that it is as much in one direction; and
// whether it is less for some laws.
func subsetGivesODP(total func(parts ...*big.Rat) *big.Rat, someLess bool) register.Check {
	return func(t *register.T) {
		less := false
		ofAllCharged(func(t *register.T, c charged) {
			forth, either := c.subsetDeltas(t)
			if need := c.delta(); need.Cmp(total(forth...)) != 0 {
				t.Refute("%v: Δ in one direction is %s, but ODP needs δ = %s", c, rat.Show(forth...), rat.Show(need))
			}
			need, bound := c.deltaBothWays(), total(either...)
			if need.Cmp(bound) > 0 || !someLess && need.Cmp(bound) < 0 {
				t.Refute("%v: Δ is %s, but ODP needs δ = %s", c, rat.Show(either...), rat.Show(need))
			}
			less = less || need.Cmp(bound) < 0
			t.Close(partOfBound(need, bound), "%v", c)
		})(t)
		if someLess && !less {
			t.Refute("no pair of laws needs less")
		}
	}
}

// subsetDeltas returns the parts' smallest δ of subset DP: in one direction, and in either. Both rooms must find
// them.
func (c charged) subsetDeltas(t *register.T) (forth, either []*big.Rat) {
	for k := range c.e {
		forth = append(forth, c.subsetDelta(t, k))
		either = append(either, rat.Max(forth[k], c.back().subsetDelta(t, k)))
	}
	return forth, either
}

// subsetDelta is the smallest δ of subset DP for the part k, in one direction.
func (c charged) subsetDelta(t *register.T, k int) *big.Rat {
	delta := register.Must(spec.SmallestSubsetDelta(c.laws[0], c.laws[1], func(o string) bool { return c.parts.Part(o) == k }, c.e[k]))
	inPart := make([]bool, len(c.parts))
	for i, part := range c.parts {
		inPart[i] = part == k
	}
	law0, law1 := c.lists()
	implAgrees(t, delta, register.Must(impl.SmallestSubsetDelta(law0, law1, inPart, loss.Exp(c.e[k]))), "smallest δ of part %d of %v", k+1, c)
	return delta
}

// mixedFunctions checks that every randomized function of two inputs is the mixture of the
// deterministic ones, of which each has the weight of the probabilities of its values.
func mixedFunctions(weight func(probabilities ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		m, d := 3, t.Size(4, 6)
		t.Domain("all functions from 2 inputs to up to %d outputs with probabilities in 1/%d", m, d)
		for f := range finite.Pairs(m, d) { // f[i] is the law of f(i)
			t.Case()
			mix, total := finite.Pair{{}, {}}, new(big.Rat)
			for x, px := range f[0] {
				for y, py := range f[1] {
					w := weight(px, py)
					total.Add(total, w)
					mix[0].Add(x, w)
					mix[1].Add(y, w)
				}
			}
			if total.Cmp(rat.One) != 0 || !mix.Equal(f) {
				t.Refute("f(0) is (%v), f(1) is (%v); the weights sum to %s and mix to (%v), (%v)", f[0], f[1], rat.Show(total), mix[0], mix[1])
			}
		}
	}
}

// convexity checks that the smallest δ of a mixture of two pairs of laws is at most what
// bound makes of theirs.
func convexity(bound func(deltas ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		m, d, random := 2, t.Size(4, 6), t.Size(100, 1000)
		t.Domain("all two pairs of laws over %d outputs with probabilities in 1/%d, up to the names of the outputs, mixed 1:1 and 1:2, all partitions, e^ℰ in {1, 3/2, 3}; %s and of each with its mirror image, 1:6; all functions from 2 inputs to up to 3 outputs with probabilities in 1/%d",
			m, d, randomChargedDomain(random), d)
		for a := range finite.Pairs(m, d) {
			if !a.IsSorted() {
				continue
			}
			for b := range finite.Pairs(m, d) {
				for p := range finite.Partitions(m) {
					for e := range p.Charges(finite.Charges) {
						x, y := charged{a, p, e}, charged{b, p, e}
						deltas := [2]*big.Rat{x.deltaBothWays(), y.deltaBothWays()}
						for _, w := range []*big.Rat{rat.Half, big.NewRat(1, 3)} {
							t.Case()
							mixes(t, x, y, w, deltas, bound)
						}
					}
				}
			}
		}
		ofRandomCharged(t, random, func(t *register.T, x charged) {
			y := charged{finite.Pair{x.laws[0], mirrored(x.laws[1])}, x.parts, x.e}
			mixes(t, x, y, big.NewRat(1, 7), [2]*big.Rat{x.deltaBothWays(), y.deltaBothWays()}, bound)
		})
	}
}

// mixes checks the mixture of w of x and the rest of y, whose smallest δ are known.
func mixes(t *register.T, x, y charged, w *big.Rat, deltas [2]*big.Rat, bound func(deltas ...*big.Rat) *big.Rat) {
	a, b := x.laws, y.laws
	mix := charged{finite.Pair{finite.Combine(w, a[0], rat.Complement(w), b[0]), finite.Combine(w, a[1], rat.Complement(w), b[1])}, x.parts, x.e}
	got, most := mix.deltaBothWays(), bound(deltas[:]...)
	if got.Cmp(most) > 0 {
		t.Refute("%v needs δ = %s; %v needs δ = %s; %s of the first and the rest of the second: δ = %s (%v, e^ℰ = %s)",
			a, rat.Show(deltas[0]), b, rat.Show(deltas[1]), rat.Show(w), rat.Show(got), x.parts, rat.Show(x.e...))
	}
	if !a.Equal(b) {
		t.Close(partOfBound(got, most), "%s of %v and the rest of %v, %v, e^ℰ = %s", rat.Show(w), a, b, x.parts, rat.Show(x.e...))
	}
}

// mirrored is the law of the outputs e, d, c, b, a.
func mirrored(l finite.Law) finite.Law {
	out := finite.Law{}
	for i := range len(l) {
		out[finite.Name(i)] = l[finite.Name(len(l)-1-i)]
	}
	return out
}
