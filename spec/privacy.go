package spec

import (
	"fmt"
	"maps"
	"math/big"
	"math/bits"
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
	if err := checkLaws(law0, law1, outputs, part, expE); err != nil {
		return nil, fmt.Errorf("SmallestDelta: %w", err)
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
// Also in the checks of ODP-E9, ODP-E11, ODP-L6, ODP-L20, ODP-X5, ODP-X6, ODP-X15, ODP-X19, ODP-X22, ODP-X26 and ODP-X33.
// Symbols, domain, accuracy and cost: as for [SmallestDelta].
// Deviation from print: none.
func SmallestDeltaBothWays(law0, law1 map[string]*big.Rat, part func(output string) int, expE []*big.Rat) (*big.Rat, error) {
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
// Also in the checks of ODP-E7, ODP-L3, ODP-L4 and ODP-L20.
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
func SmallestSubsetDelta(law0, law1 map[string]*big.Rat, r func(output string) bool, expEps *big.Rat) (*big.Rat, error) {
	everything := func(string) int { return 0 }
	outputs := union(law0, law1)
	if err := checkLaws(law0, law1, outputs, everything, []*big.Rat{expEps}); err != nil {
		return nil, fmt.Errorf("SmallestSubsetDelta: %w", err)
	}
	best := new(big.Rat)
	for _, s := range subsets(outputs) {
		if slices.IndexFunc(s, func(output string) bool { return !r(output) }) < 0 {
			best = larger(best, sub(probability(law0, s), mul(expEps, probability(law1, s))))
		}
	}
	return best, nil
}

// SmallestExpE returns the smallest e^ℰ(P_k) ≥ 1 with which the inequality of
// (𝒫, ℰ, δ)-ODP holds in one direction, given δ and ℰ on the other parts; and nil
// if there is none.
//
// Every S with Pr_1(S ∩ P_k) > 0 asks for
// e^ℰ(P_k) ≥ (Pr_0(S) − δ − Σ_{j≠k} e^ℰ(P_j) Pr_1(S ∩ P_j)) / Pr_1(S ∩ P_k);
// every other S holds or fails whatever ℰ(P_k) is.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2.
// Also in the checks of ODP-X26.
// Symbols: as for [SmallestDelta]; expE[k] is not used, and may be nil.
// Domain: δ ≥ 0; otherwise as for [SmallestDelta].
// Accuracy, deviation from print and cost: as for [SmallestDelta].
func SmallestExpE(law0, law1 map[string]*big.Rat, part func(output string) int, expE []*big.Rat, k int, delta *big.Rat) (*big.Rat, error) {
	if err := checkGiven(k, len(expE), delta); err != nil {
		return nil, fmt.Errorf("SmallestExpE: %w", err)
	}
	others := slices.Clone(expE)
	others[k] = one
	outputs := union(law0, law1)
	if err := checkLaws(law0, law1, outputs, part, others); err != nil {
		return nil, fmt.Errorf("SmallestExpE: %w", err)
	}
	best := one
	for _, s := range subsets(outputs) {
		weight := probability(law1, within(s, part, k))
		needed := add(sub(excess(s, law0, law1, part, others), delta), weight) // at e^ℰ(P_k) = 0
		switch {
		case weight.Sign() > 0:
			best = larger(best, quo(needed, weight))
		case needed.Sign() > 0:
			return nil, nil
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

// checkGiven checks what [SmallestExpE] is given beside laws and a partition into so many parts.
func checkGiven(k, parts int, delta *big.Rat) error {
	if k < 0 || k >= parts {
		return fmt.Errorf("k is %d, must be at least 0 and less than %d", k, parts)
	}
	if delta == nil || delta.Sign() < 0 {
		return fmt.Errorf("δ is %s, must be at least 0", show(delta))
	}
	return nil
}

func checkLaws(law0, law1 map[string]*big.Rat, outputs []string, part func(string) int, expE []*big.Rat) error {
	if limit := bits.Len(MaxSets) - 1; len(outputs) > limit {
		return fmt.Errorf("there are %d outputs, must be at most %d", len(outputs), limit)
	}
	for _, output := range outputs {
		if k := part(output); k < 0 || k >= len(expE) {
			return fmt.Errorf("output %q: part is %d, must be at least 0 and less than %d", output, k, len(expE))
		}
	}
	for k, x := range expE {
		if err := checkExpEps(x); err != nil {
			return fmt.Errorf("part %d: %w", k, err)
		}
	}
	if err := checkLaw("law0", law0); err != nil {
		return err
	}
	return checkLaw("law1", law1)
}

func checkLaw(name string, law map[string]*big.Rat) error {
	sum := new(big.Rat)
	for output, pr := range law {
		if pr == nil || pr.Sign() < 0 {
			return fmt.Errorf("%s: probability of %q is %s, must be at least 0", name, output, show(pr))
		}
		sum = add(sum, pr)
	}
	if sum.Cmp(one) != 0 {
		return fmt.Errorf("%s: probabilities sum to %s, must be 1", name, sum.RatString())
	}
	return nil
}
