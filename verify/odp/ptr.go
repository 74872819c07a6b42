package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// ptr are the statements on propose-test-release functions, by themselves and one after the other.
func ptr() register.Checks {
	afterValue := func(first string) bool { return first != "⊥" }
	return register.Checks{
		"ODP-X13": checked(all(with(binBoundsSensitivity, rat.One), with(iqrRuns, iqrWords{}, discretizedPrograms),
			with(trimmedIsPTR, rat.One), with(trimmedRuns, trimmedWords{}), with(trimmedDistancesOnGraph, 1)),
			near("the local sensitivity is at most 19/20 of the bound", with(binBoundsSensitivity, "19/20")),
			near("the noise on L is that for 19/20 of the bound",
				with(iqrRuns, iqrWords{noise: -0.05}, discretizedPrograms)),
			near("the second discretization is shifted by 1/4",
				with(iqrRuns, iqrWords{shifted: -0.25}, discretizedPrograms)),
			near("the trimmed mean is an (ε, 0.49·δ)-PTR function", with(trimmedIsPTR, "0.49")),
			near("the noise on the trimmed mean is that for 19/20 of the bound",
				with(trimmedRuns, trimmedWords{noise: -0.05})),
			near("one more record is discarded at each end", with(trimmedRuns, trimmedWords{more: 1})),
			near("the distance is that for 19/20 of s", with(trimmedDistancesOnGraph, 0.95)),
			near("the limit of its test is larger by a millionth", with(trimmedRuns, trimmedWords{limit: 1e-6}))),
		"ODP-X14": checked(with(chainCosts, afterValue, everyButLast, eachOnce),
			near("the next is invoked after ⊥ only, and a last one that returns a value after ⊥ costs ε",
				with(chainCosts, afterBottom,
					func(outputs []string) int { return chainCharge(outputs) - len(outputs) + 1 }, eachOnce)),
			near("the next is invoked after ⊥ only, and 0.95·(1 − (1 − δ)^m) is enough for m", with(chainCosts,
				afterBottom, chainCharge,
				func(m int, delta *big.Rat) *big.Rat { return rat.Mul(rat.Of("0.95"), atLeastOnce(m, delta)) })),
			near("as printed, with 2ε for the first of two values, and ε for a value before ⊥", with(chainCosts,
				afterValue,
				func(outputs []string) int { return chainCharge(outputs) - isBottom(outputs[len(outputs)-1]) },
				eachOnce)),
			corrected("the next is invoked only if the previous one returned ⊥: every invocation but the last costs "+
				"ε, and so does the last if it returns ⊥; 1 − (1 − δ)^m is enough for m of them",
				with(chainCosts, afterBottom, chainCharge, atLeastOnce))),
		"ODP-X18": checked(all(with(randomOrder, rat.Half, rat.Half),
			with(iqrRuns, iqrWords{}, slices.Concat(discretizedPrograms, orderedPrograms))),
			near("M^D_1 is the first with probability 0.51", with(randomOrder, "0.51", rat.Half)),
			near("the probability is at least 0.51", with(randomOrder, rat.Half, "0.51")),
			near("M^D_1 is the first if the coin shows tails", with(iqrRuns, iqrWords{tails: true}, orderedPrograms))),
		"ODP-D9": checked(definition9{}.decides,
			near("with 0.95·e^(2ε) and 0.95·e^ε", definition9{less: rat.Of("0.95")}.decides),
			near("with 0.95·δ in condition 4", definition9{share: rat.Of("0.95")}.decides),
			near("with < in condition 4", definition9{strict: true}.decides),
			near("with e^(2ε) for ≠ ⊥ in condition 2", definition9{double: true}.decides),
			near("with neighbours in one order only", definition9{oneWay: true}.decides)),
		"ODP-X15": checked(with(ptrGives, ptrClaim{rat.One, rat.One, rat.One}),
			near("e^ℰ(𝒞') = 0.95·e^(2ε)", with(ptrGives, ptrClaim{rat.One, rat.Of("0.95"), rat.One})),
			near("e^ℰ(⊥) = 0.95·e^ε", with(ptrGives, ptrClaim{rat.One, rat.One, rat.Of("0.95")})),
			near("it is ODP with 0.95·δ", with(ptrGives, ptrClaim{rat.Of("0.95"), rat.One, rat.One}))),
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
			if register.Must(spec.IsPTR(asPTR(p), expEps, delta)) && !yield(p) {
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

// breaks returns what an (ε, δ)-PTR function breaks, by impl, or nil.
func breaks(table spec.PTR, expEps, delta *big.Rat) *impl.PTRViolation {
	return register.Must(impl.IsPTR(impl.PTR{Law: table.Law, Neighbours: table.Neighbours}, loss.Exp(expEps), delta))
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
func ptrGives(t *register.T, claim ptrClaim) {
	d := t.Size(5, 8)
	t.Domain("all PTR functions with one bound, two databases, outputs a, b, ⊥ and probabilities %s; (e^ε, δ) in {%s}",
		inUnits(d), showTerms(ptrTerms))
	for _, terms := range ptrTerms {
		expE := []*big.Rat{rat.Product(claim.ofAnswer, terms[0], terms[0]), rat.Mul(claim.ofBottom, terms[0])}
		allowed := rat.Mul(claim.ofDelta, terms[1])
		for p := range ptrPairs(d, terms[0], terms[1]) {
			t.At("%v, e^ε = %s, δ = %s", p, terms[0], terms[1])
			v := breaks(asPTR(p), terms[0], terms[1])
			t.Require(v == nil, "it is PTR by spec, by impl it breaks %v", v)
			need := register.Must(spec.SmallestDeltaBothWays(p[0], p[1], isBottom, expE))
			t.AtMost(need, allowed, "it is PTR; e^ℰ = %s needs δ = %s", expE, need)
		}
	}
}

// showTerms writes pairs (e^ε, δ).
func showTerms(pairs [][2]*big.Rat) string {
	var text []string
	for _, terms := range pairs {
		text = append(text, "("+rat.Show(terms[:]...)+")")
	}
	return strings.Join(text, ", ")
}

// atLeastOnce returns the probability of what happens with probability δ, m times, to happen at all: 1 − (1 − δ)^m.
func atLeastOnce(m int, delta *big.Rat) *big.Rat {
	return rat.Complement(rat.Power(rat.Complement(delta), m))
}

// eachOnce returns m·δ.
func eachOnce(m int, delta *big.Rat) *big.Rat { return rat.Mul(rat.Int(m), delta) }

// chainRun is an output of a chain of PTR functions: their outputs, and the probabilities
// under x and x'.
type chainRun struct {
	outputs []string
	pr      [2]*big.Rat
}

// chain returns the runs of PTR functions of which the next is invoked if again says so of the output before it.
func chain(functions []finite.Pair, again func(output string) bool) (runs []chainRun) {
	for _, v := range []string{"a", "b", "⊥"} {
		rest := []chainRun{{pr: [2]*big.Rat{rat.One, rat.One}}}
		if len(functions) > 1 && again(v) {
			rest = chain(functions[1:], again)
		}
		for _, r := range rest {
			runs = append(runs, chainRun{append([]string{v}, r.outputs...),
				[2]*big.Rat{rat.Mul(functions[0][0][v], r.pr[0]), rat.Mul(functions[0][1][v], r.pr[1])}})
		}
	}
	return runs
}

func afterBottom(first string) bool { return first == "⊥" }

// chainCharge is ε for each ⊥ and 2ε for each value.
func chainCharge(outputs []string) int {
	charge := 0
	for _, output := range outputs {
		charge += 2 - isBottom(output)
	}
	return charge
}

// everyButLast is ε for each invocation but the last, which costs 2ε.
func everyButLast(outputs []string) int { return len(outputs) + 1 }

// threeEps is what M_IQR is said to cost, whatever it returns.
func threeEps([]string) int { return 3 }

func once(_ int, delta *big.Rat) *big.Rat { return delta }

// chainCosts checks that chains of (ε, δ)-PTR functions of which the next is invoked after the outputs that again says
// are ODP with ℰ(outputs) = charge(outputs)·ε and, for m functions, allow(m, δ) in place of δ.
func chainCosts(t *register.T, again func(output string) bool, charge func(outputs []string) int,
	allow func(m int, delta *big.Rat) *big.Rat) {
	units := map[int]int{2: t.Size(3, 5), 3: t.Size(2, 3)}
	t.Domain("all pairs of PTR functions with one bound, two databases, outputs a, b, ⊥ and probabilities %s, "+
		"and all triples with units to 1/%d; (e^ε, δ) in {%s}", inUnits(units[2]), units[3], showTerms(ptrTerms))
	for m := 2; m <= 3; m++ {
		for _, terms := range ptrTerms {
			all, allowed := slices.Collect(ptrPairs(units[m], terms[0], terms[1])), allow(m, terms[1])
			for functions := range firstFirst(all, m) {
				t.Case()
				runs := chain(functions, again)
				need := new(big.Rat)
				for _, r := range runs {
					need.Add(need, positivePart(r.pr, rat.Power(terms[0], charge(r.outputs))))
				}
				t.CloseTo(need, allowed, "e^ε = %s, δ = %s; %s", terms[0], terms[1], showChain(functions))
				if need.Cmp(allowed) > 0 {
					t.Refute("e^ε = %s, δ = %s; %s; %s; so the whole needs δ = %s, more than %s", terms[0], terms[1],
						showChain(functions), showRuns(runs, terms[0], charge), need, allowed)
				}
			}
		}
	}
}

// showChain writes the functions in their order.
func showChain(functions []finite.Pair) string {
	var text []string
	for i, f := range functions {
		text = append(text, fmt.Sprintf("%s function: %v", []string{"first", "second", "third"}[i], f))
	}
	return strings.Join(text, "; ")
}

// firstFirst yields all tuples of m members of a list, those of its first members first. A pair of laws and its mirror
// image are both in the lists of PTR functions, so one direction is enough.
func firstFirst(all []finite.Pair, m int) iter.Seq[[]finite.Pair] {
	return func(yield func([]finite.Pair) bool) {
		for last := range all {
			for earlier := range m { // as many before the first all[last]
				for before := range finite.Tuples(all[:last], earlier) {
					for after := range finite.Tuples(all[:last+1], m-earlier-1) {
						if !yield(slices.Concat(before, []finite.Pair{all[last]}, after)) {
							return
						}
					}
				}
			}
		}
	}
}

// positivePart returns max(0, Pr_0 − E·Pr_1).
func positivePart(pr [2]*big.Rat, e *big.Rat) *big.Rat {
	return rat.Positive(rat.Sub(pr[0], rat.Mul(e, pr[1])))
}

// showRuns writes how much each output has above e^ℰ times its probability under x'.
func showRuns(runs []chainRun, expEps *big.Rat, charge func([]string) int) string {
	var text []string
	for _, r := range runs {
		n := charge(r.outputs)
		e := rat.Power(expEps, n)
		if excess := positivePart(r.pr, e); excess.Sign() > 0 {
			text = append(text, fmt.Sprintf("output (%s), charged %s, has Pr_0 − e^(%s) Pr_1 = %s − %s · %s = %s",
				strings.Join(r.outputs, ", "), epsTimes(n), epsTimes(n), rat.Show(r.pr[0]), rat.Show(e),
				rat.Show(r.pr[1]), rat.Show(excess)))
		}
	}
	return strings.Join(text, "; ")
}

// epsTimes writes n·ε.
func epsTimes(n int) string {
	if n < 2 {
		return []string{"0", "ε"}[n]
	}
	return fmt.Sprintf("%dε", n)
}

// randomOrder checks that case 1 has at least the probability bound.
func randomOrder(t *register.T, order, bound *big.Rat) {
	d := t.Size(8, 24)
	t.Domain("all laws of which of the two would return a value, with probabilities in 1/%d; M^D_1 and M^D_2 for A_1, "+
		"A_2 up to 4, (e^ε, δ) as for ODP-X16", d)
	for l := range finite.Laws(4, d) {
		atLeastHalf(t, l, order, bound)
	}
	for _, terms := range iqrTerms {
		for a1 := 1; a1 <= 4; a1++ {
			for a2 := 1; a2 <= 4; a2++ {
				none1 := register.Must(spec.IQRBottom(a1, terms[0], terms[1]))
				none2 := register.Must(spec.IQRBottom(a2, terms[0], terms[1]))
				p1, p2 := rat.Complement(none1), rat.Complement(none2)
				atLeastHalf(t, finite.Law{"a": rat.Mul(p1, p2), "b": rat.Mul(p1, none2), "c": rat.Mul(none1, p2),
					"d": rat.Mul(none1, none2)}, order, bound)
			}
		}
	}
}

// atLeastHalf checks that for the joint law of which would return a value: a both, b M^D_1 only, c M^D_2 only, d
// neither. Case 1 is that the one that is invoked first does, M^D_1 with probability order, given that at least one
// would.
func atLeastHalf(t *register.T, l finite.Law, order, bound *big.Rat) {
	if l["d"].Cmp(rat.One) == 0 {
		return
	}
	t.At("both with probability %s, M^D_1 only with %s, M^D_2 only with %s", l["a"], l["b"], l["c"])
	first1, first2 := rat.Add(l["a"], l["b"]), rat.Add(l["a"], l["c"])
	case1 := rat.Quo(rat.Add(rat.Mul(order, first1), rat.Mul(rat.Complement(order), first2)), rat.Complement(l["d"]))
	t.AtMost(bound, case1, "case 1 has probability %s, less than %s", case1, bound)
}
