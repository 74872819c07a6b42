package odp

import (
	"math/big"

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
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A definition. Measurability is not an issue here: all laws are finite.",
			In:      []string{"spec.SmallestDPDelta", "impl.SmallestDPDelta"},
		},
		{
			ID:      "ODP-X5",
			Title:   "Ex-post DP, a bound e^ℰ(o) on the ratio at every output o, is ODP with δ = 0",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Only for countably many values of the loss, all finite: ODP-D2 has countably many parts and real ℰ. A loss with uncountably many values, or infinite ones, must be rounded up " +
				"first, or is no special case. That such algorithms compose is the subject of ODP-T7.",
			In: []string{"spec.SmallestDeltaBothWays"},
			Check: exPost(func(p0, p1, bound *big.Rat) bool {
				return p0.Cmp(rat.Mul(bound, p1)) <= 0 && p1.Cmp(rat.Mul(bound, p0)) <= 0
			}),
			Controls: []register.Claim{{
				Says:  "a bound on the ratio in one direction is ODP with δ = 0",
				Check: exPost(func(p0, p1, bound *big.Rat) bool { return p0.Cmp(rat.Mul(bound, p1)) <= 0 }),
			}},
		},
		{
			ID:      "ODP-D2",
			Title:   "(𝒫, ℰ, δ)-ODP: Pr(M(x) ∈ S) ≤ δ + Σ_k e^ℰ(P_k) Pr(M(x') ∈ S ∩ P_k); with one part it is (ε, δ)-DP",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "A definition; checked is the claim that it contains ODP-D1.",
			In:      []string{"spec.SmallestDelta", "spec.SmallestDeltaBothWays", "spec.SmallestExpE", "impl.SmallestDelta", "impl.SmallestDeltaBothWays", "impl.SmallestExpE"},
			Check:   containsDP(func(m int) finite.Partition { return make(finite.Partition, m) }),
			Controls: []register.Claim{{
				Says:  "with the first output in a part of its own, charged nothing, it is (ε, δ)-DP",
				Check: containsDP(firstAlone),
			}},
		},
		{
			ID:      "ODP-D5",
			Title:   "(R, ε, δ)-subset DP: the inequality of (ε, δ)-DP for all S ⊆ R",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "A definition.",
			In:      []string{"spec.SmallestSubsetDelta", "impl.SmallestSubsetDelta"},
		},
		{
			ID:      "ODP-L6",
			Title:   "A mechanism that is (P_k, ℰ(P_k), Δ(P_k))-subset DP for all k is (𝒫, ℰ, Σ Δ(P_k))-ODP",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "The text adds that this is not always optimal. Checked too: in one direction the sum is the smallest δ; in both together some mechanism needs strictly less. " +
				"How much ODP-L11 loses by it, ODP-T15 and ODP-E4 show.",
			In:    []string{"spec.SmallestSubsetDelta", "spec.SmallestDelta", "spec.SmallestDeltaBothWays"},
			Check: subsetGivesODP(rat.Sum, true),
			Controls: []register.Claim{
				{Says: "it is (𝒫, ℰ, max Δ(P_k))-ODP", Check: subsetGivesODP(rat.Max, true)},
				{Says: "the sum is always the smallest δ", Check: subsetGivesODP(rat.Sum, false)},
			},
		},
		{
			ID:      "ODP-X33",
			Title:   "A convex combination of (𝒫, ℰ, δ)-ODP mechanisms is (𝒫, ℰ, δ)-ODP",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "The text adds that every randomized function is a convex combination of deterministic ones, which the proof of ODP-L14 uses. Checked too, by construction: " +
				"the weight of a deterministic function is the product of the probabilities of its values.",
			In:    []string{"spec.SmallestDeltaBothWays"},
			Check: register.Both(mixedFunctions(rat.Product), convexity(rat.Max)),
			Controls: []register.Claim{
				{Says: "it needs no more than the smaller δ of the two", Check: register.Both(mixedFunctions(rat.Product), convexity(rat.Min))},
				{Says: "the weight of a function is the smallest of its probabilities", Check: register.Both(mixedFunctions(rat.Min), convexity(rat.Max))},
			},
		},
		{
			ID:      "ODP-L3",
			Title:   "An (ε, δ)-DP mechanism is (𝒫, ℰ, δ)-ODP for every partition, with ℰ ≡ ε",
			Kind:    register.Exact,
			Verdict: register.Holds,
			In:      []string{"spec.SmallestDPDelta", "spec.SmallestDelta"},
			Check:   dpGivesODP(func(expEps *big.Rat, _ int) *big.Rat { return expEps }),
			Controls: []register.Claim{{
				Says: "it is, with ℰ = ε on the first part and 0 on the others",
				Check: dpGivesODP(func(expEps *big.Rat, k int) *big.Rat {
					if k == 0 {
						return expEps
					}
					return rat.One
				}),
			}},
		},
		{
			ID:      "ODP-L4",
			Title:   "A (𝒫, ℰ, δ)-ODP mechanism is (sup ℰ, δ)-DP",
			Kind:    register.Exact,
			Verdict: register.Holds,
			In:      []string{"spec.SmallestDPDelta", "spec.SmallestDelta"},
			Check:   odpGivesDP(rat.Max),
			Controls: []register.Claim{
				{Says: "it is (min ℰ, δ)-DP", Check: odpGivesDP(rat.Min)},
			},
		},
	}
}

// dpGivesODP checks that a pair of laws that is (ε, δ)-DP is (𝒫, ℰ, δ)-ODP with e^ℰ(P_k) = expE(e^ε, k).
func dpGivesODP(expE func(expEps *big.Rat, k int) *big.Rat) register.Check {
	return func(t *register.T) {
		m, d := t.Size(3, 4), 4
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, all partitions, e^ε in {1, 3/2, 3}", m, d)
		for laws := range finite.Pairs(m, d) {
			for p := range finite.Partitions(len(laws[0])) {
				for _, expEps := range finite.Charges {
					t.Case()
					e := p.Charge(func(k int) *big.Rat { return expE(expEps, k) })
					delta := register.Must(spec.SmallestDPDelta(laws[0], laws[1], expEps))
					if got := register.Must(spec.SmallestDelta(laws[0], laws[1], p.Part, e)); got.Cmp(delta) > 0 {
						t.Refute("%v: e^ε = %s needs δ = %s; %v with e^ℰ = %s needs δ = %s",
							laws, rat.Show(expEps), rat.Show(delta), p, rat.Show(e...), rat.Show(got))
					}
				}
			}
		}
	}
}

// odpGivesDP checks that a pair of laws that is (𝒫, ℰ, δ)-ODP is (ε, δ)-DP with e^ε = expEps(e^ℰ).
func odpGivesDP(expEps func(expE ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		m, d := t.Size(3, 4), 4
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, all partitions, e^ℰ in {1, 3/2, 3}", m, d)
		for laws := range finite.Pairs(m, d) {
			for p := range finite.Partitions(len(laws[0])) {
				for e := range p.Charges(finite.Charges) {
					t.Case()
					delta := register.Must(spec.SmallestDelta(laws[0], laws[1], p.Part, e))
					eps := expEps(e...)
					if got := register.Must(spec.SmallestDPDelta(laws[0], laws[1], eps)); got.Cmp(delta) > 0 {
						t.Refute("%v: %v with e^ℰ = %s needs δ = %s; e^ε = %s needs δ = %s",
							laws, p, rat.Show(e...), rat.Show(delta), rat.Show(eps), rat.Show(got))
					}
				}
			}
		}
	}
}

// exPost checks that a pair of laws whose ratios are bounded, output by output, is ODP
// with δ = 0, with every output a part of its own, and the reverse.
func exPost(bounded func(p0, p1, bound *big.Rat) bool) register.Check {
	return func(t *register.T) {
		m, d := t.Size(3, 4), 4
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, all e^ℰ in {1, 3/2, 3}", m, d)
		for laws := range finite.Pairs(m, d) {
			p := finite.Singletons(len(laws[0]))
			for e := range p.Charges(finite.Charges) {
				t.Case()
				all := true
				for output, p0 := range laws[0] {
					all = all && bounded(p0, laws[1][output], e[p.Part(output)])
				}
				if delta := register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], p.Part, e)); all != (delta.Sign() == 0) {
					t.Refute("%v with e^ℰ = %s: bounded is %v, but the smallest δ is %s", laws, rat.Show(e...), all, rat.Show(delta))
				}
			}
		}
	}
}

// containsDP checks that ODP with a partition in which part 0 is charged ε, and others
// nothing, asks for the same δ as (ε, δ)-DP.
func containsDP(parts func(m int) finite.Partition) register.Check {
	return func(t *register.T) {
		m, d := t.Size(4, 5), 4
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, e^ε in {1, 3/2, 3}", m, d)
		for laws := range finite.Pairs(m, d) {
			p := parts(len(laws[0]))
			for _, expEps := range finite.Charges {
				t.Case()
				e := p.Charge(func(k int) *big.Rat {
					if k == 0 {
						return expEps
					}
					return rat.One
				})
				dp := register.Must(spec.SmallestDPDelta(laws[0], laws[1], expEps))
				if odp := register.Must(spec.SmallestDelta(laws[0], laws[1], p.Part, e)); dp.Cmp(odp) != 0 {
					t.Refute("%v with e^ε = %s: DP needs δ = %s, ODP with %v needs δ = %s", laws, rat.Show(expEps), rat.Show(dp), p, rat.Show(odp))
				}
			}
		}
	}
}

// firstAlone is a partition with the first output in part 1 and all others in part 0.
func firstAlone(m int) finite.Partition {
	p := make(finite.Partition, m)
	p[0] = m - 1
	if m > 1 {
		p[0] = 1
	}
	return p
}

// subsetGivesODP checks that the smallest δ of ODP, in both directions, is at most what
// total makes of the parts' smallest δ of subset DP; that it is as much in one direction; and
// whether it is less for some laws.
func subsetGivesODP(total func(parts ...*big.Rat) *big.Rat, someLess bool) register.Check {
	return func(t *register.T) {
		m, d := t.Size(3, 4), 4
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, all partitions, e^ℰ in {1, 3/2, 3}", m, d)
		less := false
		for laws := range finite.Pairs(m, d) {
			for p := range finite.Partitions(len(laws[0])) {
				for e := range p.Charges(finite.Charges) {
					t.Case()
					forth, either := subsetDeltas(laws, p, e)
					if need, bound := register.Must(spec.SmallestDelta(laws[0], laws[1], p.Part, e)), total(forth...); need.Cmp(bound) != 0 {
						t.Refute("%v with %v, e^ℰ = %s: Δ in one direction is %s, but ODP needs δ = %s", laws, p, rat.Show(e...), rat.Show(forth...), rat.Show(need))
					}
					need, bound := register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], p.Part, e)), total(either...)
					if need.Cmp(bound) > 0 || !someLess && need.Cmp(bound) < 0 {
						t.Refute("%v with %v, e^ℰ = %s: Δ is %s, but ODP needs δ = %s", laws, p, rat.Show(e...), rat.Show(either...), rat.Show(need))
					}
					less = less || need.Cmp(bound) < 0
				}
			}
		}
		if someLess && !less {
			t.Refute("no pair of laws needs less")
		}
	}
}

// subsetDeltas returns the parts' smallest δ of subset DP: in one direction, and in either.
func subsetDeltas(laws finite.Pair, p finite.Partition, e []*big.Rat) (forth, either []*big.Rat) {
	for k := range e {
		in := func(output string) bool { return p.Part(output) == k }
		forth = append(forth, register.Must(spec.SmallestSubsetDelta(laws[0], laws[1], in, e[k])))
		back := register.Must(spec.SmallestSubsetDelta(laws[1], laws[0], in, e[k]))
		either = append(either, rat.Max(forth[k], back))
	}
	return forth, either
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
		m, d := 2, t.Size(4, 6)
		weights := []*big.Rat{rat.Half, big.NewRat(1, 3)}
		t.Domain("all two pairs of laws over %d outputs with probabilities in 1/%d, mixed 1:1 and 1:2, all partitions, e^ℰ in {1, 3/2, 3}; all functions from 2 inputs to up to 3 outputs with probabilities in 1/%d", m, d, d)
		for a := range finite.Pairs(m, d) {
			for b := range finite.Pairs(m, d) {
				for p := range finite.Partitions(m) {
					for e := range p.Charges(finite.Charges) {
						deltas := []*big.Rat{
							register.Must(spec.SmallestDeltaBothWays(a[0], a[1], p.Part, e)),
							register.Must(spec.SmallestDeltaBothWays(b[0], b[1], p.Part, e)),
						}
						for _, w := range weights {
							t.Case()
							mix := finite.Pair{finite.Combine(w, a[0], rat.Complement(w), b[0]), finite.Combine(w, a[1], rat.Complement(w), b[1])}
							if got := register.Must(spec.SmallestDeltaBothWays(mix[0], mix[1], p.Part, e)); got.Cmp(bound(deltas...)) > 0 {
								t.Refute("%v needs δ = %s; %v needs δ = %s; %s of the first and the rest of the second: δ = %s (%v, e^ℰ = %s)",
									a, rat.Show(deltas[0]), b, rat.Show(deltas[1]), rat.Show(w), rat.Show(got), p, rat.Show(e...))
							}
						}
					}
				}
			}
		}
	}
}
