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
				trimmedIsPTR(trimmedClaim{share: rat.One}), trimmedRuns(trimmedWords{}), trimmedDistancesOnGraph(1)),
			register.NearMiss("the local sensitivity is at most 19/20 of the bound", binBoundsSensitivity(rat.Of("19/20"))),
			register.NearMiss("the noise on L is that for 19/20 of the bound",
				iqrRuns(iqrWords{noise: -0.05}, discretizedPrograms)),
			register.NearMiss("a noisy A_j that is the limit passes", iqrRuns(iqrWords{ties: true}, discretizedPrograms)),
			register.NearMiss("the second discretization is shifted by 1/4",
				iqrRuns(iqrWords{shifted: -0.25}, discretizedPrograms)),
			register.NearMiss("the trimmed mean is an (ε, 0.49·δ)-PTR function",
				trimmedIsPTR(trimmedClaim{share: rat.Of("0.49")})),
			register.NearMiss("it is an (ε, δ)-PTR function if the distance is larger by 1",
				trimmedIsPTR(trimmedClaim{share: rat.One, farther: 1})),
			register.NearMiss("the noise on the trimmed mean is that for 19/20 of the bound",
				trimmedRuns(trimmedWords{noise: -0.05})),
			register.NearMiss("one more record is discarded at each end", trimmedRuns(trimmedWords{more: 1})),
			register.NearMiss("the distance is that for 19/20 of s", trimmedDistancesOnGraph(0.95)),
			register.NearMiss("the limit of its test is larger by a millionth", trimmedRuns(trimmedWords{limit: 1e-6})),
		),
		"ODP-D9": register.Checked(definition9{}.decides,
			register.NearMiss("with 0.95·e^(2ε) and 0.95·e^ε", definition9{less: rat.Of("0.95")}.decides),
			register.NearMiss("with 0.95·δ in condition 4", definition9{share: rat.Of("0.95")}.decides),
			register.NearMiss("with < in condition 4", definition9{strict: true}.decides),
			register.NearMiss("with condition 2 for ⊥ only", definition9{onlyOne: true}.decides),
			register.NearMiss("with e^(2ε) for ≠ ⊥ in condition 2", definition9{double: true}.decides),
			register.NearMiss("with neighbours in one order only", definition9{oneWay: true}.decides),
		),
		"ODP-X15": register.Checked(ptrGives(ptrClaim{rat.One, rat.One, rat.One}),
			register.NearMiss("e^ℰ(𝒞') = 0.95·e^(2ε)", ptrGives(ptrClaim{rat.One, rat.Of("0.95"), rat.One})),
			register.NearMiss("e^ℰ(⊥) = 0.95·e^ε", ptrGives(ptrClaim{rat.One, rat.One, rat.Of("0.95")})),
			register.NearMiss("it is ODP with 0.95·δ", ptrGives(ptrClaim{rat.Of("0.95"), rat.One, rat.One})),
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

// ptrClaim says that PTR functions are ({𝒞', {⊥}}, ℰ, δ)-ODP with ℰ(𝒞') = 2ε and ℰ(⊥) = ε, or a part of δ and of
// both e^ℰ.
type ptrClaim struct{ ofDelta, ofAnswer, ofBottom *big.Rat }

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
			expE := []*big.Rat{rat.Product(claim.ofAnswer, terms[0], terms[0]), rat.Mul(claim.ofBottom, terms[0])}
			allowed := rat.Mul(claim.ofDelta, terms[1])
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
