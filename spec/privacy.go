package spec

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
)

// SmallestDelta returns the smallest δ ≥ 0 with
// Pr_0(S) ≤ δ + Σ_k e^ℰ(P_k) Pr_1(S ∩ P_k) for all sets S of outputs.
// It is one direction of (𝒫, ℰ, δ)-ODP: the database x has law0 and x' has law1.
//
// The definition asks for both directions; see [SmallestDeltaBothWays]. One
// direction is what Theorem 15 and its proof compute, and is enough there:
// randomized response under b = 1 is randomized response under b = 0 with the
// outputs 0, 3 and 1, 2 exchanged, so the maximum over all stopping criteria is
// the same both ways. For given criteria the two directions can differ.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2.
// Also in the checks of ODP-L3, ODP-L4, ODP-L6 and ODP-X26.
// Symbols: Pr_0 = law0, Pr_1 = law1, P_k = the outputs with part k, e^ℰ(P_k) = expE[k].
// Domain: two laws over the same at most 20 outputs (an output that one of them
// leaves out has probability 0 there); part in [0, len(expE)); e^ℰ ≥ 1.
// Result in [0, 1].
// Accuracy: exact.
// Deviation from print: one direction.
// Cost: O(m·2^m) for m outputs.
func SmallestDelta(law0, law1 map[string]*big.Rat, part func(output string) int, expE []*big.Rat) (*big.Rat, error) {
	outputs := union(law0, law1)
	if err := domain("SmallestDelta", fewOutputs(outputs), charges(outputs, part, expE),
		domain("law0", isLaw(law0)), domain("law1", isLaw(law1))); err != nil {
		return nil, err
	}
	best := new(big.Rat)
	for _, s := range subsets(outputs) {
		best = larger(best, excess(s, law0, law1, part, expE))
	}
	return best, nil
}

// SmallestDeltaBothWays returns the smallest δ ≥ 0 such that a mechanism with
// the laws law0 and law1 on two neighbouring databases satisfies the inequality
// of (𝒫, ℰ, δ)-ODP for this pair, in both directions.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2.
// Also in the checks of ODP-E9, ODP-E11, ODP-L6, ODP-L20, ODP-X5, ODP-X6, ODP-X15, ODP-X19, ODP-X22, ODP-X26 and
// ODP-X33.
// Symbols, domain, accuracy and cost: as for [SmallestDelta].
// Deviation from print: none.
func SmallestDeltaBothWays(law0, law1 map[string]*big.Rat, part func(output string) int,
	expE []*big.Rat) (*big.Rat, error) {
	forth, err := SmallestDelta(law0, law1, part, expE)
	if err != nil {
		return nil, err
	}
	back, err := SmallestDelta(law1, law0, part, expE)
	if err != nil {
		return nil, err
	}
	return larger(forth, back), nil
}

// SmallestDPDelta returns the smallest δ ≥ 0 with Pr_0(S) ≤ e^ε Pr_1(S) + δ for all
// sets S of outputs: one direction of (ε, δ)-DP.
//
// Source: Hartmann et al. (2022), Definition 1; ODP-D1.
// Also in the checks of ODP-E7, ODP-L3, ODP-L4, ODP-L20, FAC-E1, AFD-R3.1, AFD-T3.16, AFD-D3.7, AFD-L3.17.s1,
// AFD-L3.17.s3, AFD-L3.17.s6, AFD-T3.20.s1 and AFD-T3.20.s5.
// Symbols: Pr_b = law_b, e^ε = expEps.
// Domain, accuracy, deviation from print and cost: as for [SmallestDelta].
func SmallestDPDelta(law0, law1 map[string]*big.Rat, expEps *big.Rat) (*big.Rat, error) {
	return SmallestSubsetDelta(law0, law1, func(string) bool { return true }, expEps)
}

// SmallestSubsetDelta returns the smallest δ ≥ 0 with Pr_0(S) ≤ e^ε Pr_1(S) + δ for all
// S ⊆ R: one direction of (R, ε, δ)-subset DP.
//
// Source: Hartmann et al. (2022), Definition 5; ODP-D5.
// Also in the checks of ODP-E8, ODP-L6 and ODP-X9.
// Symbols: Pr_b = law_b, R = the outputs with r(output), e^ε = expEps.
// Domain, accuracy, deviation from print and cost: as for [SmallestDelta].
func SmallestSubsetDelta(law0, law1 map[string]*big.Rat, r func(output string) bool,
	expEps *big.Rat) (*big.Rat, error) {
	outputs := union(law0, law1)
	if err := domain("SmallestSubsetDelta", fewOutputs(outputs), notBelow("e^eps", expEps, 1),
		domain("law0", isLaw(law0)), domain("law1", isLaw(law1))); err != nil {
		return nil, err
	}
	best := new(big.Rat)
	for _, s := range subsets(outputs) {
		if slices.IndexFunc(s, func(output string) bool { return !r(output) }) < 0 {
			best = larger(best, sub(probability(law0, s), mul(expEps, probability(law1, s))))
		}
	}
	return best, nil
}

// subsets returns all sets of outputs.
func subsets(outputs []string) [][]string {
	sets := [][]string{nil}
	for _, output := range outputs {
		for _, without := range sets {
			sets = append(sets, append(slices.Clip(without), output))
		}
	}
	return sets
}

// excess returns Pr_0(S) − Σ_k e^ℰ(P_k) Pr_1(S ∩ P_k).
func excess(s []string, law0, law1 map[string]*big.Rat, part func(string) int, expE []*big.Rat) *big.Rat {
	result := probability(law0, s)
	for k, expEk := range expE {
		result = sub(result, mul(expEk, probability(law1, within(s, part, k))))
	}
	return result
}

// within returns S ∩ P_k.
func within(s []string, part func(string) int, k int) []string {
	return slices.DeleteFunc(slices.Clone(s), func(output string) bool { return part(output) != k })
}

// probability returns Pr(S).
func probability(law map[string]*big.Rat, s []string) *big.Rat {
	sum := new(big.Rat)
	for _, output := range s {
		if pr := law[output]; pr != nil {
			sum = add(sum, pr)
		}
	}
	return sum
}

// union returns the outputs of either law, sorted.
func union(law0, law1 map[string]*big.Rat) []string {
	all := map[string]*big.Rat{}
	maps.Copy(all, law0)
	maps.Copy(all, law1)
	return slices.Sorted(maps.Keys(all))
}

// fewOutputs is the rule of a function that goes through all sets of outputs.
func fewOutputs(outputs []string) error {
	const most = 20 // 2^20 sets: [MaxSets]
	return must(len(outputs) <= most, "there are %d outputs, must be at most %d", len(outputs), most)
}

// charges is the rule of the parts of outputs, and of e^ℰ.
func charges(outputs []string, part func(string) int, expE []*big.Rat) (broken error) {
	for k, x := range expE {
		broken = cmp.Or(broken, domainOf("part", k, notBelow("e^eps", x, 1)))
	}
	for _, output := range outputs {
		k := part(output)
		broken = cmp.Or(broken, must(0 <= k && k < len(expE),
			"output %q: part is %d, must be at least 0 and less than %d", output, k, len(expE)))
	}
	return broken
}
