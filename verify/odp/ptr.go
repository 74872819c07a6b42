package odp

import (
	"fmt"
	"iter"
	"math/big"
	"strings"

	"checkrr/impl"
	"checkrr/impl/loss"
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
			Title:   "Propose a bound on the local sensitivity, test privately whether it is below, release the result with noise adapted to the bound, or ⊥",
			Printed: "Section 4.2, in words, without pseudo-code; the example is an α-trimmed mean, with a bound from a generalization of M_IQR",
			Reading: "Two designs. That of Dwork and Lei for the interquartile range: the bound is 1, for the logarithm L of the range to the base 1 + 1/ln n; " +
				"the test is whether A_j, the number of records to replace for L to leave its bin of width 1, is above 1 + ln(1/δ)/ε with noise Lap(1/ε); the noise for the bound is Lap(1/ε) on L. " +
				"And one of ours for the α-trimmed mean, and the median: the bound is s; the test is whether the number of records to replace for the local sensitivity to be above s is above ln(1/δ)/ε with noise Lap(1/ε); the noise for the bound is Lap(s/ε).",
			Kind:    register.Property,
			Verdict: register.Holds,
			Note:    "For a change of the values of one record. If A_j ≥ 2, no neighbour's L leaves the bin, so that the local sensitivity is below the bound. Runs on one tape are those of the words. The trimmed mean is an (ε, δ)-PTR function, in a table of exact probabilities, and even an (ε, δ/2)-PTR one.",
			In: []string{
				"spec.DiscretizedIQR", "impl.DiscretizedIQR", "spec.TrimmedMean", "impl.TrimmedMean", "spec.MedianTrim", "impl.MedianTrim",
				"spec.TrimmedMeanDistance", "impl.TrimmedMeanDistance", "spec.PrivateTrimmedMean", "impl.PrivateTrimmedMean", "spec.IsPTR", "impl.IsPTR",
			},
			Check: register.All(binBoundsSensitivity(rat.One), iqrRuns(iqrWords{}, discretizedPrograms),
				trimmedIsPTR(trimmedClaim{share: rat.One, narrower: 1}), trimmedRuns(trimmedWords{}), trimmedDistancesOnGraph(1)),
			Controls: []register.Claim{
				{Says: "L is released without the test", Check: iqrRuns(iqrWords{untested: true}, discretizedPrograms)},
				{Says: "the trimmed mean is released without the test", Check: trimmedRuns(trimmedWords{untested: true})},
				{Says: "the trimmed mean is an (ε, δ)-PTR function with half the noise", Check: trimmedIsPTR(trimmedClaim{share: rat.One, narrower: 2})},
			},
			Near: []register.Claim{
				{Says: "the local sensitivity is at most 19/20 of the bound", Check: binBoundsSensitivity(rat.Of("19/20"))},
				{Says: "the noise on L is that for 19/20 of the bound", Check: iqrRuns(iqrWords{noise: -0.05}, discretizedPrograms)},
				{Says: "the test is whether A_j is above ln(1/δ)/ε", Check: iqrRuns(iqrWords{limit: -1}, discretizedPrograms)},
				{Says: "a noisy A_j that is the limit passes", Check: iqrRuns(iqrWords{ties: true}, discretizedPrograms)},
				{Says: "the second discretization is shifted by 1/4", Check: iqrRuns(iqrWords{shifted: -0.25}, discretizedPrograms)},
				{Says: "the trimmed mean is an (ε, 0.49·δ)-PTR function", Check: trimmedIsPTR(trimmedClaim{share: rat.Of("0.49"), narrower: 1})},
				{Says: "it is an (ε, δ)-PTR function if the distance is larger by 1", Check: trimmedIsPTR(trimmedClaim{share: rat.One, farther: 1, narrower: 1})},
				{Says: "the noise on the trimmed mean is that for 19/20 of the bound", Check: trimmedRuns(trimmedWords{noise: -0.05})},
				{Says: "the limit of its test is larger by 1/10", Check: trimmedRuns(trimmedWords{limit: 0.1})},
				{Says: "one more record is discarded at each end", Check: trimmedRuns(trimmedWords{more: 1})},
				{Says: "the distance is that for 19/20 of s", Check: trimmedDistancesOnGraph(0.95)},
				{Says: "the limit of its test is larger by a millionth", Check: trimmedRuns(trimmedWords{limit: 1e-6})},
			},
		},
		{
			ID:      "ODP-D9",
			Title:   "(ε, δ)-PTR functions: four conditions on T(x, s)",
			Printed: "Section 4.2, Definition 9: 1. Pr(T(x,⊥) = ⊥) = 1; 2. Pr(T(x,s) = ⊥) ≤ e^(ε) Pr(T(x',s) = ⊥), and the same for ≠ ⊥; 3. Pr(T(x,s) ∈ C') ≤ e^(2ε) Pr(T(x',s) ∈ C') if s ∈ G(T,x); 4. Pr(T(x,s) ≠ ⊥) ≤ δ if s ∉ G(T,x)",
			Reading: "A definition asserts nothing: “holds” says that spec and impl decide the conditions. δ ≤ 1, and s is in 𝒞 in condition 4, since ⊥ is settled by condition 1. Neighbours are so both ways.",
			Kind:    register.Property,
			Verdict: register.Holds,
			Note:    "G(T, x) is not unique. The check goes through every set; spec and impl take the largest that condition 3 permits, because condition 4 asks for less the larger it is.",
			In:      []string{"spec.IsPTR", "impl.IsPTR", "spec.PTR", "spec.PTR.Pr", "impl.PTR"},
			Check:   definition9{}.decides,
			Controls: []register.Claim{
				{Says: "with half of δ in condition 4", Check: definition9{share: rat.Half}.decides},
			},
			Near: []register.Claim{
				{Says: "with 0.95·e^(2ε) and 0.95·e^ε", Check: definition9{less: rat.Of("0.95")}.decides},
				{Says: "with 0.95·δ in condition 4", Check: definition9{share: rat.Of("0.95")}.decides},
				{Says: "with < in condition 4", Check: definition9{strict: true}.decides},
				{Says: "with condition 2 for ⊥ only", Check: definition9{onlyOne: true}.decides},
				{Says: "with e^(2ε) for ≠ ⊥ in condition 2", Check: definition9{double: true}.decides},
				{Says: "with neighbours in one order only", Check: definition9{oneWay: true}.decides},
			},
		},
		{
			ID:      "ODP-X15",
			Title:   "An (ε, δ)-PTR function is (2ε, δ)-DP and ({𝒞', {⊥}}, ℰ, δ)-ODP with ℰ(𝒞') = 2ε, ℰ(⊥) = ε",
			Printed: "Section 4.2, after Definition 9, without proof: (2ε, δ)-DP; P_1 = 𝒞', P_2 = {⊥}, ℰ(P_1) = 2ε, ℰ(P_2) = ε",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "The second implies the first (ODP-L4). For more databases, G(T, x) depends on all neighbours of x; taken two by two it can only grow, so two databases suffice.",
			In:      []string{"spec.IsPTR", "impl.IsPTR", "spec.SmallestDeltaBothWays"},
			Check:   ptrGives(ptrClaim{answer: 2, bottom: 1}),
			Controls: []register.Claim{
				{Says: "ℰ(⊥) = 0", Check: ptrGives(ptrClaim{answer: 2, bottom: 0})},
				{Says: "it is (ε, δ)-DP", Check: ptrGives(ptrClaim{answer: 1, bottom: 1})},
				{Says: "it is (2ε, δ/2)-DP", Check: ptrGives(ptrClaim{answer: 2, bottom: 2, delta: rat.Half})},
				{Says: "it is (2ε, 0)-DP", Check: ptrGives(ptrClaim{answer: 2, bottom: 2, delta: new(big.Rat)})},
			},
			Near: []register.Claim{
				{Says: "e^ℰ(𝒞') = 0.95·e^(2ε)", Check: ptrGives(ptrClaim{answer: 2, bottom: 1, ofAnswer: rat.Of("0.95")})},
				{Says: "e^ℰ(⊥) = 0.95·e^ε", Check: ptrGives(ptrClaim{answer: 2, bottom: 1, ofBottom: rat.Of("0.95")})},
				{Says: "it is ODP with 0.95·δ", Check: ptrGives(ptrClaim{answer: 2, bottom: 1, delta: rat.Of("0.95")})},
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

// ptrClaim says that PTR functions are ({𝒞', {⊥}}, ℰ, δ)-ODP with ℰ(𝒞') = answer·ε and ℰ(⊥) = bottom·ε. Of δ and
// of both e^ℰ there may be a part.
type ptrClaim struct {
	answer, bottom            int
	delta, ofAnswer, ofBottom *big.Rat // nil: all of it
}

// part returns share·x.
func part(share, x *big.Rat) *big.Rat {
	if share == nil {
		return x
	}
	return rat.Mul(share, x)
}

// ptrGives checks a claim on all PTR functions, which spec and impl find alike.
func ptrGives(claim ptrClaim) register.Check {
	return func(t *register.T) {
		d := t.Size(6, 8)
		t.Domain("all PTR functions with one bound, two databases, outputs a, b, ⊥ and probabilities %s; (e^ε, δ) in {%s}", inUnits(d), showTerms())
		for _, terms := range ptrTerms {
			expE := []*big.Rat{part(claim.ofAnswer, rat.Power(terms[0], claim.answer)), part(claim.ofBottom, rat.Power(terms[0], claim.bottom))}
			allowed := part(claim.delta, terms[1])
			for p := range ptrPairs(d, terms[0], terms[1]) {
				t.Case()
				table := asPTR(p)
				if v := register.Must(impl.IsPTR(impl.PTR{Law: table.Law, Neighbours: table.Neighbours}, loss.Exp(terms[0]), terms[1])); v != nil {
					t.Refute("%v is PTR by spec for e^ε = %s, δ = %s, by impl it breaks %v", p, rat.Show(terms[0]), rat.Show(terms[1]), v)
				}
				need := register.Must(spec.SmallestDeltaBothWays(p[0], p[1], isBottom, expE))
				if need.Cmp(allowed) > 0 {
					t.Refute("%v is PTR for e^ε = %s, δ = %s; e^ℰ = %s needs δ = %s", p, rat.Show(terms[0]), rat.Show(terms[1]), rat.Show(expE...), rat.Show(need))
				}
				t.CloseTo(need, allowed, "%v, e^ε = %s, δ = %s", p, rat.Show(terms[0]), rat.Show(terms[1]))
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
