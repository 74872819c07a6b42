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
func ptr() register.Checks {
	return register.Checks{
		"ODP-X13": register.Checked(
			register.All(binBoundsSensitivity(rat.One), iqrRuns(iqrWords{}, discretizedPrograms),
				trimmedIsPTR(trimmedClaim{share: rat.One, narrower: 1}), trimmedRuns(trimmedWords{}), trimmedDistancesOnGraph(1)),
			register.Control("L is released without the test", iqrRuns(iqrWords{untested: true}, discretizedPrograms)),
			register.Control("the trimmed mean is released without the test", trimmedRuns(trimmedWords{untested: true})),
			register.Control("the trimmed mean is an (ε, δ)-PTR function with half the noise",
				trimmedIsPTR(trimmedClaim{share: rat.One, narrower: 2})),
			register.NearMiss("the local sensitivity is at most 19/20 of the bound", binBoundsSensitivity(rat.Of("19/20"))),
			register.NearMiss("the noise on L is that for 19/20 of the bound",
				iqrRuns(iqrWords{noise: -0.05}, discretizedPrograms)),
			register.NearMiss("the test is whether A_j is above ln(1/δ)/ε", iqrRuns(iqrWords{limit: -1}, discretizedPrograms)),
			register.NearMiss("a noisy A_j that is the limit passes", iqrRuns(iqrWords{ties: true}, discretizedPrograms)),
			register.NearMiss("the second discretization is shifted by 1/4",
				iqrRuns(iqrWords{shifted: -0.25}, discretizedPrograms)),
			register.NearMiss("the trimmed mean is an (ε, 0.49·δ)-PTR function",
				trimmedIsPTR(trimmedClaim{share: rat.Of("0.49"), narrower: 1})),
			register.NearMiss("it is an (ε, δ)-PTR function if the distance is larger by 1",
				trimmedIsPTR(trimmedClaim{share: rat.One, farther: 1, narrower: 1})),
			register.NearMiss("the noise on the trimmed mean is that for 19/20 of the bound",
				trimmedRuns(trimmedWords{noise: -0.05})),
			register.NearMiss("the limit of its test is larger by 1/10", trimmedRuns(trimmedWords{limit: 0.1})),
			register.NearMiss("one more record is discarded at each end", trimmedRuns(trimmedWords{more: 1})),
			register.NearMiss("the distance is that for 19/20 of s", trimmedDistancesOnGraph(0.95)),
			register.NearMiss("the limit of its test is larger by a millionth", trimmedRuns(trimmedWords{limit: 1e-6})),
		),
		"ODP-D9": register.Checked(definition9{}.decides,
			register.Control("with half of δ in condition 4", definition9{share: rat.Half}.decides),
			register.NearMiss("with 0.95·e^(2ε) and 0.95·e^ε", definition9{less: rat.Of("0.95")}.decides),
			register.NearMiss("with 0.95·δ in condition 4", definition9{share: rat.Of("0.95")}.decides),
			register.NearMiss("with < in condition 4", definition9{strict: true}.decides),
			register.NearMiss("with condition 2 for ⊥ only", definition9{onlyOne: true}.decides),
			register.NearMiss("with e^(2ε) for ≠ ⊥ in condition 2", definition9{double: true}.decides),
			register.NearMiss("with neighbours in one order only", definition9{oneWay: true}.decides),
		),
		"ODP-X15": register.Checked(ptrGives(ptrClaim{answer: 2, bottom: 1}),
			register.Control("ℰ(⊥) = 0", ptrGives(ptrClaim{answer: 2, bottom: 0})),
			register.Control("it is (ε, δ)-DP", ptrGives(ptrClaim{answer: 1, bottom: 1})),
			register.Control("it is (2ε, δ/2)-DP", ptrGives(ptrClaim{answer: 2, bottom: 2, delta: rat.Half})),
			register.Control("it is (2ε, 0)-DP", ptrGives(ptrClaim{answer: 2, bottom: 2, delta: new(big.Rat)})),
			register.NearMiss("e^ℰ(𝒞') = 0.95·e^(2ε)", ptrGives(ptrClaim{answer: 2, bottom: 1, ofAnswer: rat.Of("0.95")})),
			register.NearMiss("e^ℰ(⊥) = 0.95·e^ε", ptrGives(ptrClaim{answer: 2, bottom: 1, ofBottom: rat.Of("0.95")})),
			register.NearMiss("it is ODP with 0.95·δ", ptrGives(ptrClaim{answer: 2, bottom: 1, delta: rat.Of("0.95")})),
		),
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
		t.Domain("all PTR functions with one bound, two databases, outputs a, b, ⊥ and probabilities %s; (e^ε, δ) in {%s}",
			inUnits(d), showTerms())
		for _, terms := range ptrTerms {
			expE := []*big.Rat{part(claim.ofAnswer, rat.Power(terms[0], claim.answer)),
				part(claim.ofBottom, rat.Power(terms[0], claim.bottom))}
			allowed := part(claim.delta, terms[1])
			for p := range ptrPairs(d, terms[0], terms[1]) {
				t.Case()
				table := asPTR(p)
				if v := register.Must(impl.IsPTR(impl.PTR{Law: table.Law, Neighbours: table.Neighbours}, loss.Exp(terms[0]),
					terms[1])); v != nil {
					t.Refute("%v is PTR by spec for e^ε = %s, δ = %s, by impl it breaks %v", p, rat.Show(terms[0]),
						rat.Show(terms[1]), v)
				}
				need := register.Must(spec.SmallestDeltaBothWays(p[0], p[1], isBottom, expE))
				if need.Cmp(allowed) > 0 {
					t.Refute("%v is PTR for e^ε = %s, δ = %s; e^ℰ = %s needs δ = %s", p, rat.Show(terms[0]), rat.Show(terms[1]),
						rat.Show(expE...), rat.Show(need))
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
