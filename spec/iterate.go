package spec

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Iterate runs M_iter[{k_i}, {M_k}, {h^[k_i]}](x) and returns its output.
//
// A mechanism is a function of the earlier outputs and the database; it brings
// its own randomness, which a caller injects by closing over a source.
//
// Source: Hartmann et al. (2022), Algorithm 3; ODP-A3. Comments give its lines.
// Also in the checks of ODP-L14.
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

// IterateLaw returns the output law of M_iter over the randomized responses of
// p, for b = 0 and b = 1, under deterministic criteria. A key is an output as a
// string of digits. Every output that some sequence of responses leads to has a
// key, even if its probability is 0.
//
// A tape in {0,1,2,3}^(k_n) says what each response answers, should it be asked.
// M_iter runs once on each tape, and the tape's probability goes to its output.
//
// Source: Hartmann et al. (2022), Algorithm 3 and Lemma 13; ODP-A3, ODP-L13.
// Also in the checks of ODP-E11 and ODP-E12.
// Symbols: k_i, (ε_k, δ_k) as in [Pipeline]; h^[k_i] = criteria[i−1].
// Domain: 4^(k_n) at most [MaxSets]; n − 1 criteria. Each law sums to 1.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(4^(k_n)) runs.
func IterateLaw(p Pipeline, criteria []func(s []int) bool) ([2]map[string]*big.Rat, error) {
	law := [2]map[string]*big.Rat{{}, {}}
	if err := p.checkIterate(len(criteria)); err != nil {
		return [2]map[string]*big.Rat{}, fmt.Errorf("IterateLaw: %w", err)
	}
	for b, tapes := range ResponseLaw(p.Mechanisms) {
		for tape, pr := range tapes {
			output := digits(Iterate(p.points(), replay(tape), criteria, b))
			if law[b][output] == nil {
				law[b][output] = new(big.Rat)
			}
			law[b][output] = add(law[b][output], pr)
		}
	}
	return law, nil
}

func (p Pipeline) checkIterate(criteria int) error {
	if err := p.validate(); err != nil {
		return err
	}
	if criteria != len(p.Stops)-1 {
		return fmt.Errorf("there are %d criteria, must be %d, one for each stop but the last",
			criteria, len(p.Stops)-1)
	}
	return p.checkTapes()
}

// replay returns mechanisms that answer what the tape says, whatever b is.
func replay(tape string) []func(s []int, b int) int {
	var mechanisms []func([]int, int) int
	for _, digit := range tape {
		mechanisms = append(mechanisms, func([]int, int) int { return int(digit - '0') })
	}
	return mechanisms
}

// digits writes (s_1, …, s_k) as a string.
func digits(s []int) string {
	var text strings.Builder
	for _, z := range s {
		text.WriteString(strconv.Itoa(z))
	}
	return text.String()
}

// OptDel returns the smallest δ such that every M_iter over (ε_k, δ_k)-DP
// mechanisms, whatever its stopping criteria, is (𝒫, ℰ, δ)-ODP, where P_i holds
// the outputs of length k_i.
//
// Source: Hartmann et al. (2022), Theorem 15, eq. (3); ODP-T15, ODP-E3.
// Also in the checks of ODP-E12, ODP-E13, ODP-X20, ODP-X21, ODP-X22, ODP-X23 and ODP-X24.
// Symbols: k_i, (ε_k, δ_k), e^ℰ(P_i) as in [Pipeline].
// Domain: at most [MaxSets] families: k = (1), (2) or (1, 2), and up to k = (1, 2, 3) for
// δ_k = 0. Result in [0, 1].
// Accuracy: exact.
// Deviation from print: "Q_{k_i} ∈ {0,1,2,3}^(k_i)" is read as ⊆. The sets are those of outputs
// that occur, with b = 0 or with b = 1: the others add 0 to every sum.
// Cost: O(2^(4^(k_1) + … + 4^(k_n))), with 2 for 4 where δ_k = 0.
func OptDel(p Pipeline) (*big.Rat, error) {
	best, err := maximum(p, prefixDisjoint)
	if err != nil {
		return nil, fmt.Errorf("OptDel: %w", err)
	}
	return best, nil
}

// Lemma11 returns the δ of Lemma 11 with the optimal composition theorem of
// Murtagh & Vadhan: the sum over i of the largest bracket at k_i by itself.
//
// Source: Hartmann et al. (2022), eq. (4), first line; ODP-E4, ODP-L11.
// Also in the checks of ODP-X24 and ODP-X25.
// Symbols, domain, accuracy and deviation: as for [OptDel]. Result in [0, n].
// Cost: O(2^(4^(k_1)) + … + 2^(4^(k_n))).
func Lemma11(p Pipeline) (*big.Rat, error) {
	if err := p.checkSets(); err != nil {
		return nil, fmt.Errorf("Lemma11: %w", err)
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
	best, err := maximum(p, func([]set) bool { return true })
	if err != nil {
		return nil, fmt.Errorf("Lemma11Joint: %w", err)
	}
	return best, nil
}

// A set is one Q_{k_i} ⊆ {0,1,2,3}^(k_i).
type set struct {
	members []string
	pr      [2]*big.Rat // Pr_b^[k_i](Q_{k_i})
	bracket *big.Rat    // Pr_0^[k_i](Q_{k_i}) − e^ℰ(P_i) Pr_1^[k_i](Q_{k_i})
}

// maximum returns the maximum of Σ_i [Pr_0^[k_i](Q_{k_i}) − e^ℰ(P_i) Pr_1^[k_i](Q_{k_i})]
// over the families (Q_{k_1}, …, Q_{k_n}) that satisfy the condition.
func maximum(p Pipeline, condition func(family []set) bool) (*big.Rat, error) {
	if err := p.checkSets(); err != nil {
		return nil, err
	}
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
	return best, nil
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

func (p Pipeline) checkSets() error {
	if err := p.validate(); err != nil {
		return err
	}
	return p.checkFamilies()
}
