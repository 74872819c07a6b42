package odp

import (
	"fmt"
	"iter"
	"math/big"
	"strings"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// ptr are the statements on propose-test-release functions.
func ptr() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-X13",
			Title:   "Propose a bound on the local sensitivity, test it privately, release the result with noise for that bound, or ⊥",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note:    "Describes a design in words. M_IQR follows it, with the bin of the logarithm of the range as the proposal; what is guaranteed is ODP-D9 and ODP-X15.",
			In:      []string{"spec.DiscretizedIQR", "impl.DiscretizedIQR"},
		},
		{
			ID:      "ODP-D9",
			Title:   "(ε, δ)-PTR functions: four conditions on T(x, s)",
			Kind:    register.Definition,
			Verdict: register.NotCheckable,
			Note: "Asserts nothing. G(T, x) is not unique; the largest set that condition 3 permits is as good as any, because condition 4 asks for less the larger it is. " +
				"Read with δ ≤ 1 and s in 𝒞 in condition 4, since ⊥ is settled by condition 1.",
			In: []string{"spec.IsPTR", "impl.IsPTR"},
		},
		{
			ID:      "ODP-X15",
			Title:   "An (ε, δ)-PTR function is (2ε, δ)-DP and ({𝒞', {⊥}}, ℰ, δ)-ODP with ℰ(𝒞') = 2ε, ℰ(⊥) = ε",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "The second implies the first (ODP-L4). For more databases, G(T, x) depends on all neighbours of x; taken two by two it can only grow, so two databases suffice.",
			In:      []string{"spec.IsPTR", "impl.IsPTR", "spec.SmallestDeltaBothWays"},
			Check:   ptrGives(2, 1, rat.One),
			Controls: []register.Claim{
				{Says: "ℰ(⊥) = 0", Check: ptrGives(2, 0, rat.One)},
				{Says: "it is (ε, δ)-DP", Check: ptrGives(1, 1, rat.One)},
				{Says: "it is (2ε, δ/2)-DP", Check: ptrGives(2, 2, rat.Half)},
				{Says: "it is (2ε, 0)-DP", Check: ptrGives(2, 2, new(big.Rat))},
			},
		},
	}
}

// ptrTerms are the (e^ε, δ) of the checks on finite PTR functions.
var ptrTerms = [][2]*big.Rat{
	{big.NewRat(3, 2), new(big.Rat)}, {big.NewRat(2, 1), new(big.Rat)},
	{big.NewRat(1, 1), big.NewRat(1, 3)}, {big.NewRat(3, 2), big.NewRat(1, 4)}, {big.NewRat(2, 1), rat.Half},
}

// ptrPairs yields the laws of T(x, s) and T(x', s) for all (ε, δ)-PTR functions T with one
// bound s, two neighbours x, x' and outputs a, b, ⊥ whose probabilities are multiples of
// one of 1/1, …, 1/d.
func ptrPairs(d int, expEps, delta *big.Rat) iter.Seq[finite.Pair] {
	return func(yield func(finite.Pair) bool) {
		for p := range bottomPairs(d) {
			if register.Must(spec.IsPTR(asPTR(p), expEps, delta)) == nil && !yield(p) {
				return
			}
		}
	}
}

// bottomPairs yields all pairs of laws on a, b, ⊥ with multiples of one of 1/1, …, 1/d.
func bottomPairs(d int) iter.Seq[finite.Pair] {
	return func(yield func(finite.Pair) bool) {
		cIsBottom, seen := map[string]string{"a": "a", "b": "b", "c": "⊥"}, map[string]bool{}
		for unit := 1; unit <= d; unit++ {
			for p := range finite.PairsOf(finite.Laws(3, unit)) {
				p = finite.Pair{p[0].Map(cIsBottom), p[1].Map(cIsBottom)}
				if seen[p.String()] {
					continue
				}
				seen[p.String()] = true
				if !yield(p) {
					return
				}
			}
		}
	}
}

// inUnits says which probabilities [bottomPairs] yields.
func inUnits(d int) string {
	return fmt.Sprintf("that are all multiples of the same unit, one of 1, 1/2, …, 1/%d", d)
}

func asPTR(p finite.Pair) spec.PTR {
	never := finite.Law{"⊥": rat.One}
	return spec.PTR{
		Law:        []map[string]map[string]*big.Rat{{"s": p[0], "⊥": never}, {"s": p[1], "⊥": never}},
		Neighbours: [][2]int{{0, 1}},
	}
}

func isBottom(output string) int {
	if output == "⊥" {
		return 1
	}
	return 0
}

// ptrGives checks that PTR functions are ({𝒞', {⊥}}, ℰ, share·δ)-ODP with ℰ(𝒞') = answer·ε
// and ℰ(⊥) = bottom·ε.
func ptrGives(answer, bottom int, share *big.Rat) register.Check {
	return func(t *register.T) {
		d := t.Size(6, 8)
		t.Domain("all PTR functions with one bound, two databases, outputs a, b, ⊥ and probabilities %s; (e^ε, δ) in {%s}", inUnits(d), showTerms())
		for _, terms := range ptrTerms {
			expE := []*big.Rat{rat.Power(terms[0], answer), rat.Power(terms[0], bottom)}
			allowed := rat.Mul(share, terms[1])
			for p := range ptrPairs(d, terms[0], terms[1]) {
				t.Case()
				if need := register.Must(spec.SmallestDeltaBothWays(p[0], p[1], isBottom, expE)); need.Cmp(allowed) > 0 {
					t.Refute("%v is PTR for e^ε = %s, δ = %s; e^ℰ = %s needs δ = %s", p, rat.Show(terms[0]), rat.Show(terms[1]), rat.Show(expE...), rat.Show(need))
				}
			}
		}
	}
}

func showTerms() string {
	var text []string
	for _, terms := range ptrTerms {
		text = append(text, "("+rat.Show(terms[:]...)+")")
	}
	return strings.Join(text, ", ")
}
