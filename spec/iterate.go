package spec

import (
	"maps"
	"math/big"
	"slices"
)

// Iterate runs M_iter[{k_i}, {M_k}, {h^[k_i]}](x) and returns its output.
//
// A mechanism is a function of the earlier outputs and the database; it brings
// its own randomness, which a caller injects by closing over a source.
//
// Source: Hartmann et al. (2022), Algorithm 3; ODP-A3. Comments give its lines.
// Also in the checks of ODP-E11, ODP-E12, ODP-L13 and ODP-L14.
// Symbols: k_i = points[i−1], n = len(points); M_k = mechanisms[k−1];
// h^[k_i] = criteria[i−1], with true for 1 and false for 0.
// Domain: points strictly increasing from at least 1; k_n mechanisms and n − 1
// criteria. Anything shorter panics, as an index out of range.
// Accuracy: exact.
// Deviation from print: none.
// Cost: k_n mechanisms and n − 1 criteria at most.
func Iterate[S, X any](points []int, mechanisms []func(s []S, x X) S, criteria []func(s []S) bool, x X) []S {
	var s []S
	n := len(points)
	for k := 1; k <= points[n-1]; k++ { // 1
		s = append(s, mechanisms[k-1](s, x))  // 2
		if slices.Contains(points[:n-1], k) { // 3
			i := slices.Index(points, k) + 1 // 4
			if criteria[i-1](s) {            // 5
				return s // 6
			}
		}
	}
	return s // 7
}

// OptDel returns the smallest δ such that every M_iter over (ε_k, δ_k)-DP
// mechanisms, whatever its stopping criteria, is (𝒫, ℰ, δ)-ODP, where P_i holds
// the outputs of length k_i.
//
// Source: Hartmann et al. (2022), Theorem 15, eq. (3); ODP-T15, ODP-E3.
// Also in the checks of ODP-E12, ODP-E13, ODP-X20, ODP-X21, ODP-X22, ODP-X23, ODP-X24 and OUR-X3.
// Symbols: k_i, (ε_k, δ_k), e^ℰ(P_i) as in [Pipeline].
// Domain: at most [MaxSets] families: k = (1), (2) or (1, 2), and up to k = (1, 2, 3) for
// δ_k = 0. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: "Q_{k_i} ∈ {0,1,2,3}^(k_i)" is read as ⊆. The sets are those of outputs
// that occur, with b = 0 or with b = 1: the others add 0 to every sum.
// Cost: O(2^(4^(k_1) + … + 4^(k_n))), with 2 for 4 where δ_k = 0.
func OptDel(p Pipeline) (*big.Rat, error) {
	if err := domain("OptDel", p.familiesRule()); err != nil {
		return nil, err
	}
	return maximum(p, prefixDisjoint), nil
}

// Lemma11 returns the δ of Lemma 11 with the optimal composition theorem of
// Murtagh & Vadhan: the sum over i of the largest bracket at k_i by itself.
//
// Source: Hartmann et al. (2022), eq. (4), first line; ODP-E4, ODP-L11.
// Also in the checks of ODP-X24 and ODP-X25.
// Symbols, domain, accuracy and deviation: as for [OptDel]. Result in [0, n].
// Cost: O(2^(4^(k_1)) + … + 2^(4^(k_n))).
func Lemma11(p Pipeline) (*big.Rat, error) {
	if err := domain("Lemma11", p.familiesRule()); err != nil {
		return nil, err
	}
	sum := new(big.Rat)
	for _, s := range p.Stops {
		best := new(big.Rat)
		for _, q := range p.sets(s) {
			best = larger(best, q.bracket)
		}
		sum = add(sum, best)
	}
	return sum, nil
}

// Lemma11Joint returns the same δ as [Lemma11] in the second form printed: one
// maximum over all families of sets, the sum inside. It differs from [OptDel]
// in that the sets need not be prefix-disjoint.
//
// Source: Hartmann et al. (2022), eq. (4), second line; ODP-E4.
// Symbols, domain, accuracy, deviation and cost: as for [OptDel]. Result in [0, n].
func Lemma11Joint(p Pipeline) (*big.Rat, error) {
	if err := domain("Lemma11Joint", p.familiesRule()); err != nil {
		return nil, err
	}
	return maximum(p, func([]set) bool { return true }), nil
}

// A set is one Q_{k_i} ⊆ {0,1,2,3}^(k_i).
type set struct {
	members []string
	pr      [2]*big.Rat // Pr_b^[k_i](Q_{k_i})
	bracket *big.Rat    // Pr_0^[k_i](Q_{k_i}) − e^ℰ(P_i) Pr_1^[k_i](Q_{k_i})
}

// maximum returns the maximum of Σ_i [Pr_0^[k_i](Q_{k_i}) − e^ℰ(P_i) Pr_1^[k_i](Q_{k_i})]
// over the families (Q_{k_1}, …, Q_{k_n}) that satisfy the condition.
func maximum(p Pipeline, condition func(family []set) bool) *big.Rat {
	best := new(big.Rat) // the family of empty sets, which satisfies every condition here
	p.families(func(family []set) {
		if !condition(family) {
			return
		}
		sum := new(big.Rat)
		for _, q := range family {
			sum = add(sum, q.bracket)
		}
		best = larger(best, sum)
	})
	return best
}

// prefixDisjoint reports whether Q_{k_i} ∩ Q_{k_j} = ∅ for all i < j, which
// stands for q'_{1..k_i} ≠ q for all q in Q_{k_i} and q' in Q_{k_j}.
func prefixDisjoint(family []set) bool {
	for j := range family {
		for i := range j {
			for _, q := range family[i].members {
				for _, longer := range family[j].members {
					if longer[:len(q)] == q {
						return false
					}
				}
			}
		}
	}
	return true
}

// families visits every (Q_{k_1}, …, Q_{k_n}) with Q_{k_i} ⊆ {0,1,2,3}^(k_i).
func (p Pipeline) families(visit func(family []set)) {
	var choices [][]set
	for _, s := range p.Stops {
		choices = append(choices, p.sets(s))
	}
	family := make([]set, len(choices))
	var choose func(i int)
	choose = func(i int) {
		if i == len(choices) {
			visit(family)
			return
		}
		for _, q := range choices[i] {
			family[i] = q
			choose(i + 1)
		}
	}
	choose(0)
}

// sets returns every Q ⊆ {0,1,2,3}^(k_i) of outputs that occur, for the stop s = (k_i, ℰ(P_i)).
func (p Pipeline) sets(s Stop) []set {
	law := ResponseLaw(p.Mechanisms[:s.After])
	sets := []set{{nil, [2]*big.Rat{new(big.Rat), new(big.Rat)}, nil}}
	for _, q := range occurring(law) {
		for _, without := range sets {
			sets = append(sets, set{
				members: append(slices.Clip(without.members), q),
				pr:      [2]*big.Rat{add(without.pr[0], law[0][q]), add(without.pr[1], law[1][q])},
			})
		}
	}
	for i, q := range sets {
		sets[i].bracket = sub(q.pr[0], mul(s.ExpEps, q.pr[1]))
	}
	return sets
}

// occurring returns the outputs that have a probability above 0 under either law.
func occurring(law [2]map[string]*big.Rat) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(law[0])), func(q string) bool {
		return law[0][q].Sign() == 0 && law[1][q].Sign() == 0
	})
}
