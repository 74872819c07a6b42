package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"
	"sync"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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
			ID:      "ODP-X14",
			Title:   "Of PTR functions of which the next is invoked only if the previous one did not return ⊥, every invocation but the last costs ε instead of 2ε",
			Kind:    register.Exact,
			Verdict: register.Fails,
			Note: "Print has the condition the wrong way round: as printed, every invocation but the last returned a value, and a value costs 2ε. " +
				"M_IQR, which print refers to, invokes the next one only after ⊥. Checked with two functions: an output of m invocations is charged (m + 1)ε, and both functions together are allowed 2δ.",
			In:    []string{"spec.IsPTR"},
			Check: chainCosts(func(first string) bool { return first != "⊥" }, everyButLast, rat.Twice),
			Controls: []register.Claim{
				{Says: "the next is invoked after ⊥ only, and the last costs ε", Check: chainCosts(afterBottom, func(outputs []string) int { return len(outputs) }, rat.Twice)},
			},
			Corrected: &register.Claim{
				Says:  "the next is invoked only if the previous one returned ⊥: every invocation but the last costs ε, and so does the last if it returns ⊥",
				Check: chainCosts(afterBottom, chainCharge, rat.Twice),
			},
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
		{
			ID:      "ODP-X16",
			Title:   "For a change of one record, M^D_1 and M^D_2 are (ε, δ)-PTR functions, and M_IQR is (3ε, δ)-DP instead of ((2+2)ε, (1+1)δ)-DP",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note: "Holds for the algorithm of Dwork and Lei, for every n ≥ 2. In it the range times (1 + 1/ln n)^z is returned, with noise z, if the distance A_j, the number of records to replace for the logarithm L of the range to leave its bin, passes a noisy test; a range of 0 is a bin of its own. " +
				"Print allows two kinds of neighbours (ODP-D1); this is for the change of one record. " +
				"If a record is added or removed, n changes, and with it the base 1 + 1/ln n, the scale of the noise and the bins, and both claims fail. " +
				"The logarithm of a value has noise of the scale ln(1 + 1/ln n)/ε, which is 0.361/ε for n = 10 and 0.349/ε for n = 11: the ratio of the densities is unbounded, and condition 3 fails whatever ε is. " +
				"Condition 2 fails too, as L moves in its bin: from 17 to 18 records, A_1 can rise from 1 to 5, and (3ε, δ) is lost (a control). " +
				"The reason given, that two values are never returned, is enough for 3ε but not for δ: " +
				"two (ε, δ)-PTR functions of which the second is invoked after ⊥ are (3ε, 2δ − δ²)-DP and no better. " +
				"M^D_j is in fact (ε, δ/2)-PTR: with A_j = 1 an answer comes with probability δ/2, and with both A_j = 1 with probability δ − δ²/4 ≤ δ. " +
				"If one A_j ≥ 2, no neighbour's L leaves a bin of width 1, however few records there are, and no δ is needed. " +
				"M_IQR is even (2ε, δ)-DP, a claim of ours that the check includes. For ⊥ it is condition 2, twice. For a value, both M^D_j return the same one; so the densities differ by at most e^ε for the noise and by the ratio of Pr(≠ ⊥), which is at most c = e^ε: " +
				"let M^D_1 and M^D_2 answer with probabilities u, v under x', and so with at most min(1, cu), min(1, cv) under x. If cu ≤ 1 and cv ≤ 1, then 1 − (1 − cu)(1 − cv) ≤ c(1 − (1 − u)(1 − v)), the difference being c(c − 1)uv. " +
				"If cu > 1, the left side is at most 1 < cu ≤ c(1 − (1 − u)(1 − v)); likewise if cv > 1.",
			In:    []string{"spec.PrivateIQR", "impl.PrivateIQR", "impl.LawOfPrivateIQR", "impl.SmallestIQRDelta", "spec.IQRBottom"},
			Check: iqrIsPTRAndDP,
			Controls: []register.Claim{
				{Says: "M_IQR is (ε, δ)-DP", Check: func(t *register.T) { iqrGives(t, 1, 1, rat.One) }},
				{Says: "M_IQR is (2ε, δ/2)-DP", Check: func(t *register.T) { iqrGives(t, 2, 2, rat.Half) }},
				{Says: "M_IQR is (3ε, δ/2)-DP, as each M^D_j is", Check: func(t *register.T) { iqrGives(t, 3, 3, rat.Half) }},
				{Says: "M^D_j is (ε, δ/4)-PTR", Check: func(t *register.T) { iqrIsPTR(t, big.NewRat(1, 4)) }},
				{Says: "any two (ε, δ)-PTR functions, the second invoked after ⊥, are (3ε, δ)-DP", Check: chainCosts(afterBottom, threeEps, once)},
				{Says: "M_IQR is (3ε, δ)-DP also if a record is added or removed", Check: oneMoreRecord(bothDiscretizations, 3, 3)},
			},
		},
		{
			ID:      "ODP-X17",
			Title:   "For a change of one record, M^D_1, M^D_2 as separate mechanisms spend (2ε, δ), (3ε, 2δ) or (2ε, 2δ), as M^D_1 answers, M^D_2 does, or neither",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note: "Two parts. Each M^D_j is ({ℝ, {⊥}}, ℰ, δ)-ODP with ℰ(ℝ) = 2ε, ℰ(⊥) = ε: certified. The table, for all PTR functions: what is left of (3ε, 2δ) after each case is spent on randomized response, " +
				"the worst mechanism, and the whole must be (3ε, 2δ)-DP: exact. " +
				"The δ in case 1 comes from the general accounting. PTR functions may spend as little as (2ε, 0) there, because a value outside G(T, x) has probability at most δ in all: a claim of ours that the check includes. " +
				otherNeighbours,
			In: []string{"impl.LawOfDiscretizedIQR", "impl.SmallestIQRDelta", "spec.RandomizedResponse"},
			Check: func(t *register.T) {
				discretizedGives(t, 2, 1, rat.One)
				spends(t, printedTable, cheaperTable)
			},
			Controls: []register.Claim{
				{Says: "M^D_j has ℰ(⊥) = 0", Check: func(t *register.T) { discretizedGives(t, 2, 0, rat.One) }},
				{Says: "M^D_j has ℰ(ℝ) = 0", Check: func(t *register.T) { discretizedGives(t, 0, 1, rat.One) }},
				{Says: "M^D_j needs δ/4", Check: func(t *register.T) { discretizedGives(t, 2, 1, big.NewRat(1, 4)) }},
				{Says: "M^D_j needs no more also if a record is added or removed", Check: oneMoreRecord(firstDiscretization, 2, 1)},
				{Says: "case 1 spends (ε, 0)", Check: func(t *register.T) { spends(t, caseTable{{1, 0}, {3, 2}, {2, 2}}) }},
				{Says: "case 1 spends (ε, δ)", Check: func(t *register.T) { spends(t, caseTable{{1, 1}, {3, 2}, {2, 2}}) }},
				{Says: "case 2 spends (2ε, 2δ)", Check: func(t *register.T) { spends(t, caseTable{{2, 1}, {2, 2}, {2, 2}}) }},
				{Says: "case 3 spends (ε, 2δ)", Check: func(t *register.T) { spends(t, caseTable{{2, 1}, {3, 2}, {1, 2}}) }},
				{Says: "case 3 spends (2ε, δ)", Check: func(t *register.T) { spends(t, caseTable{{2, 1}, {3, 2}, {2, 1}}) }},
			},
		},
		{
			ID:      "ODP-X18",
			Title:   "With the discretizations in random order, case 1 has probability at least 1/2 if at least one of them would return a value",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "Read as: given that at least one would. Whether the two are independent does not matter. The bound is met if exactly one of them would.",
			Check:   firstAnswers(rat.Half, rat.Half),
			Controls: []register.Claim{
				{Says: "M^D_1 is always the first", Check: firstAnswers(rat.One, rat.Half)},
				{Says: "the probability is at least 2/3", Check: firstAnswers(rat.Half, big.NewRat(2, 3))},
			},
		},
		{
			ID:      "ODP-L10",
			Title:   "For a change of one record, M_IQR is ({ℝ, {⊥}}, ℰ, δ)-ODP with ℰ(ℝ) = 3ε, ℰ(⊥) = 2ε",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note: "The largest δ that is needed is δ − δ²/4, from A_1 = A_2 = 1 and a range of 0 on one side: records 0, 1 against 0, 0. " +
				"ℰ(ℝ) = 2ε suffices too (ODP-X16), which makes the two charges equal: for this algorithm ODP saves nothing over the better DP guarantee. " + otherNeighbours,
			In:    []string{"impl.LawOfPrivateIQR", "impl.SmallestIQRDelta"},
			Check: func(t *register.T) { iqrGives(t, 3, 2, rat.One) },
			Controls: []register.Claim{
				{Says: "ℰ(ℝ) = 3ε, ℰ(⊥) = ε", Check: func(t *register.T) { iqrGives(t, 3, 1, rat.One) }},
				{Says: "ℰ(ℝ) = ε, ℰ(⊥) = 2ε", Check: func(t *register.T) { iqrGives(t, 1, 2, rat.One) }},
				{Says: "the same if a record is added or removed", Check: oneMoreRecord(bothDiscretizations, 3, 2)},
				{Says: "δ/2 is enough", Check: func(t *register.T) { iqrGives(t, 3, 2, rat.Half) }},
			},
		},
		{
			ID:      "ODP-X19",
			Title:   "With 3ε_1 + ε_2 = ε_t and δ_1 + δ_2 = δ_t, M_median may use (ε_1 + ε_2, δ_2) if M_IQR returned ⊥, otherwise (ε_2, δ_2)",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "M_IQR is every pair of laws that is ({ℝ, {⊥}}, ℰ, δ_1)-ODP with ℰ(ℝ) = 3ε_1, ℰ(⊥) = 2ε_1, with the smallest such δ_1; M_median is randomized response, the worst mechanism; the whole must be (ε_t, δ_t)-DP. " +
				"Print writes (ε_1 + ε_2, δ_2) for what is left of (ε_t, δ_t) − (2ε_1, δ_1): the two are equal.",
			In:    []string{"spec.SmallestDeltaBothWays", "spec.RandomizedResponse"},
			Check: medianGets(0, 1),
			Controls: []register.Claim{
				{Says: "after ⊥ it may use (2ε_1 + ε_2, δ_2)", Check: medianGets(0, 2)},
				{Says: "after a value it may use (ε_1 + ε_2, δ_2) too", Check: medianGets(1, 1)},
			},
		},
	}
}

// otherNeighbours is said where M_IQR is checked for a change of one record only.
const otherNeighbours = "For the other neighbours of ODP-D1, of which one has a record more, it fails (a control; ODP-X16 says why)."

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

// inUnits says which probabilities [bottomPairs] yields.
func inUnits(d int) string {
	return fmt.Sprintf("that are all multiples of the same unit, one of 1, 1/2, …, 1/%d", d)
}

func showTerms() string {
	var text []string
	for _, terms := range ptrTerms {
		text = append(text, "("+rat.Show(terms[:]...)+")")
	}
	return strings.Join(text, ", ")
}

// A run is an output of a chain of PTR functions: their outputs, and the probabilities
// under x and x'.
type chainRun struct {
	outputs []string
	pr      [2]*big.Rat
}

// chain returns the runs of two PTR functions of which the second is invoked if again says
// so of the output of the first.
func chain(first, second finite.Pair, again func(output string) bool) []chainRun {
	var runs []chainRun
	for _, v := range []string{"a", "b", "⊥"} {
		if !again(v) {
			runs = append(runs, chainRun{[]string{v}, [2]*big.Rat{first[0][v], first[1][v]}})
			continue
		}
		for _, w := range []string{"a", "b", "⊥"} {
			runs = append(runs, chainRun{[]string{v, w}, [2]*big.Rat{
				rat.Mul(first[0][v], second[0][w]), rat.Mul(first[1][v], second[1][w]),
			}})
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

func once(delta *big.Rat) *big.Rat { return delta }

// chainCosts checks that two (ε, δ)-PTR functions of which the second is invoked after the
// outputs that again says are ODP with ℰ(outputs) = charge(outputs)·ε and allow(δ) in place of δ.
func chainCosts(again func(output string) bool, charge func(outputs []string) int, allow func(delta *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		d := t.Size(4, 5)
		t.Domain("all pairs of PTR functions with one bound, two databases, outputs a, b, ⊥ and probabilities %s; (e^ε, δ) in {%s}", inUnits(d), showTerms())
		for _, terms := range ptrTerms {
			functions := slices.Collect(ptrPairs(d, terms[0], terms[1]))
			allowed := allow(terms[1])
			for first, second := range squared(functions) {
				t.Case()
				runs := chain(first, second, again)
				need := new(big.Rat)
				for _, r := range runs {
					need.Add(need, positivePart(r.pr, rat.Power(terms[0], charge(r.outputs))))
				}
				if need.Cmp(allowed) > 0 {
					t.Refute("e^ε = %s, δ = %s; first function: %v; second: %v; %s; so the whole needs δ = %s, more than %s",
						rat.Show(terms[0]), rat.Show(terms[1]), first, second, showRuns(runs, terms[0], charge), rat.Show(need), rat.Show(allowed))
				}
			}
		}
	}
}

// squared yields all pairs of members of a list, those of its first members first. A pair
// of laws and its mirror image are both in the list, so one direction is enough.
func squared(all []finite.Pair) iter.Seq2[finite.Pair, finite.Pair] {
	return func(yield func(finite.Pair, finite.Pair) bool) {
		for last := range all {
			for i := range last + 1 {
				if !yield(all[i], all[last]) || i < last && !yield(all[last], all[i]) {
					return
				}
			}
		}
	}
}

// positivePart returns max(0, Pr_0 − E·Pr_1).
func positivePart(pr [2]*big.Rat, e *big.Rat) *big.Rat {
	excess := rat.Mul(e, pr[1])
	if excess.Sub(pr[0], excess); excess.Sign() < 0 {
		return new(big.Rat)
	}
	return excess
}

// showRuns writes how much each output has above e^ℰ times its probability under x'.
func showRuns(runs []chainRun, expEps *big.Rat, charge func([]string) int) string {
	var text []string
	for _, r := range runs {
		n := charge(r.outputs)
		e := rat.Power(expEps, n)
		if excess := positivePart(r.pr, e); excess.Sign() > 0 {
			text = append(text, fmt.Sprintf("output (%s), charged %s, has Pr_0 − e^(%s) Pr_1 = %s − %s · %s = %s",
				strings.Join(r.outputs, ", "), epsTimes(n), epsTimes(n), rat.Show(r.pr[0]), rat.Show(e), rat.Show(r.pr[1]), rat.Show(excess)))
		}
	}
	return strings.Join(text, "; ")
}

// epsTimes writes n·ε.
func epsTimes(n int) string {
	switch n {
	case 0:
		return "0"
	case 1:
		return "ε"
	}
	return fmt.Sprintf("%dε", n)
}

// caseTable says what the cases 1, 2, 3 spend, in multiples of ε and δ.
type caseTable [3][2]int

// printedTable is print's, and cheaperTable charges no δ in case 1.
var (
	printedTable = caseTable{{2, 1}, {3, 2}, {2, 2}}
	cheaperTable = caseTable{{2, 0}, {3, 2}, {2, 2}}
)

// of returns what was spent.
func (c caseTable) of(outputs []string) [2]int {
	switch {
	case len(outputs) == 1:
		return c[0]
	case outputs[1] != "⊥":
		return c[1]
	}
	return c[2]
}

// spends checks tables: what is left of (3ε, 2δ) can be spent afterwards.
func spends(t *register.T, tables ...caseTable) {
	d := t.Size(4, 5)
	t.Domain("M^D_1 and M^D_2 on %s; all pairs of PTR functions with one bound, two databases, outputs a, b, ⊥ and probabilities %s, followed by randomized response; (e^ε, δ) in {%s}; spent in the cases 1, 2, 3: %s",
		iqrDomain(t), inUnits(d), showTerms(), showTables(tables))
	for _, terms := range ptrTerms {
		functions := slices.Collect(ptrPairs(d, terms[0], terms[1]))
		for _, table := range tables {
			for first, second := range squared(functions) {
				t.Case()
				leavesEnough(t, table, terms, first, second)
			}
		}
	}
}

// leavesEnough checks a table for one pair of functions.
func leavesEnough(t *register.T, table caseTable, terms [2]*big.Rat, first, second finite.Pair) {
	total := rat.Mul(big.NewRat(2, 1), terms[1])
	need := new(big.Rat)
	for _, r := range chain(first, second, afterBottom) {
		spent := table.of(r.outputs)
		rest := spec.Mechanism{ExpEps: rat.Power(terms[0], 3-spent[0]), Delta: rat.Mul(rat.Int(2-spent[1]), terms[1])}
		need.Add(need, followed(r.pr, rat.Power(terms[0], 3), rest))
	}
	if need.Cmp(total) > 0 {
		t.Refute("e^ε = %s, δ = %s; M^D_1: %v; M^D_2: %v; then randomized response with what the cases 1, 2, 3 leave of (3ε, 2δ) after they spent %v: at 3ε the whole needs δ = %s, more than %s",
			rat.Show(terms[0]), rat.Show(terms[1]), first, second, table, rat.Show(need), rat.Show(total))
	}
}

func (c caseTable) String() string {
	var text []string
	for _, spent := range c {
		delta := []string{"0", "δ", "2δ"}[spent[1]]
		text = append(text, fmt.Sprintf("(%s, %s)", epsTimes(spent[0]), delta))
	}
	return strings.Join(text, ", ")
}

func showTables(tables []caseTable) string {
	var text []string
	for _, table := range tables {
		text = append(text, table.String())
	}
	return strings.Join(text, " as in print, and beyond print ")
}

// followed returns what an output with the probabilities pr adds to the δ at e^ε = e, if
// randomized response with the parameters m comes after it.
func followed(pr [2]*big.Rat, e *big.Rat, m spec.Mechanism) *big.Rat {
	sum := new(big.Rat)
	table := spec.RandomizedResponse(m)
	for z := range table[0] {
		sum.Add(sum, positivePart([2]*big.Rat{
			rat.Mul(pr[0], table[0][z]), rat.Mul(pr[1], table[1][z]),
		}, e))
	}
	return sum
}

// medianGets checks that after M_IQR a mechanism may use (ε_2 + extra·ε_1, δ_2), with
// extra = answer after a value and extra = bottom after ⊥.
func medianGets(answer, bottom int) register.Check {
	return func(t *register.T) {
		d := t.Size(5, 7)
		t.Domain("all pairs of laws on a, b, ⊥ with probabilities %s; e^ε_1 in {3/2, 2}, e^ε_2 in {1, 3}, δ_2 in {0, 1/8}", inUnits(d))
		for p := range bottomPairs(d) {
			for _, e1 := range []*big.Rat{big.NewRat(3, 2), big.NewRat(2, 1)} {
				delta1 := register.Must(spec.SmallestDeltaBothWays(p[0], p[1], isBottom, []*big.Rat{rat.Power(e1, 3), rat.Power(e1, 2)}))
				for _, e2 := range []*big.Rat{rat.One, big.NewRat(3, 1)} {
					for _, delta2 := range []*big.Rat{new(big.Rat), big.NewRat(1, 8)} {
						t.Case()
						total := rat.Mul(rat.Power(e1, 3), e2)
						need := new(big.Rat)
						for output := range p[0] {
							extra := []int{answer, bottom}[isBottom(output)]
							m := spec.Mechanism{ExpEps: rat.Mul(rat.Power(e1, extra), e2), Delta: delta2}
							need.Add(need, followed([2]*big.Rat{p[0][output], p[1][output]}, total, m))
						}
						if allowed := rat.Add(delta1, delta2); need.Cmp(allowed) > 0 {
							t.Refute("%v; e^ε_1 = %s, δ_1 = %s, e^ε_2 = %s, δ_2 = %s: the whole needs δ = %s, more than %s",
								p, rat.Show(e1), rat.Show(delta1), rat.Show(e2), rat.Show(delta2), rat.Show(need), rat.Show(allowed))
						}
					}
				}
			}
		}
	}
}

// firstAnswers checks that, given that M^D_1 or M^D_2 would return a value, the one that is
// invoked first does with probability at least bound. It is M^D_1 with probability order.
func firstAnswers(order, bound *big.Rat) register.Check {
	return func(t *register.T) {
		d := t.Size(10, 24)
		t.Domain("all laws of which of the two would return a value: both, M^D_1 only, M^D_2 only, neither, with probabilities in 1/%d", d)
		for l := range finite.Laws(4, d) {
			both, only1, only2 := l["a"], l["b"], l["c"]
			some := rat.Complement(l["d"])
			if some.Sign() == 0 {
				continue
			}
			t.Case()
			case1 := rat.Mul(order, only1)
			case1.Add(case1, rat.Mul(rat.Complement(order), only2))
			case1.Add(case1, both)
			if case1.Quo(case1, some).Cmp(bound) < 0 {
				t.Refute("both with probability %s, M^D_1 only with %s, M^D_2 only with %s: case 1 has probability %s, less than %s",
					rat.Show(both), rat.Show(only1), rat.Show(only2), rat.Show(case1), rat.Show(bound))
			}
		}
	}
}

// iqrTerms are the (e^ε, δ) of the checks on M_IQR.
var iqrTerms = [][2]*big.Rat{
	{big.NewRat(3, 2), big.NewRat(1, 8)}, {big.NewRat(4, 1), big.NewRat(1, 1000000)}, {big.NewRat(4, 1), rat.One},
	{big.NewRat(16, 1), big.NewRat(1, 4)}, {big.NewRat(16, 1), big.NewRat(1, 64)}, {big.NewRat(256, 1), big.NewRat(1, 256)},
}

// iqrState is a database.
type iqrState struct {
	records []*big.Rat
	a       [2]int // A_1, A_2
	law     string // names what the laws depend on: n, A_1, A_2 and the range
}

// iqrPair are two neighbours.
type iqrPair [2]*iqrState

func (p iqrPair) String() string {
	return fmt.Sprintf("records %s (A_1 = %d, A_2 = %d) against %s (A_1 = %d, A_2 = %d)",
		rat.Show(p[0].records...), p[0].a[0], p[0].a[1], rat.Show(p[1].records...), p[1].a[0], p[1].a[1])
}

// iqrValues are what a record can be. Their differences have many ratios below 1 + 1/ln n.
var iqrValues = []int64{0, 1, 2, 7, 8, 9}

// iqrFamily returns all pairs of neighbours of 2 to most records in [iqrValues], one for each
// pair of laws.
func iqrFamily(most int) []iqrPair {
	var all []iqrPair
	for n := 2; n <= most; n++ {
		index := map[string]*iqrState{}
		for counts := range finite.Laws(len(iqrValues), n) {
			s := newIQRState(counts, n)
			index[rat.Show(s.records...)] = s
		}
		all = append(all, iqrNeighbours(index)...)
	}
	return all
}

// newIQRState returns the database in which the value number i is n·counts[i] times.
func newIQRState(counts finite.Law, n int) *iqrState {
	var groups [][2]int64
	for i, v := range iqrValues {
		groups = append(groups, [2]int64{rat.Mul(counts[finite.Name(i)], rat.Int(n)).Num().Int64(), v})
	}
	s := withDistances(iqrRepeated(groups))
	s.law = fmt.Sprint(n, s.a, register.Must(impl.SampleIQR(s.records)))
	return s
}

// iqrNeighbours returns pairs of databases of the same n that differ in one record, one for each pair of laws.
func iqrNeighbours(index map[string]*iqrState) []iqrPair {
	var all []iqrPair
	seen := map[string]bool{}
	for _, key := range sortedKeys(index) {
		s := index[key]
		for i := range s.records {
			for _, v := range iqrValues {
				y := slices.Clone(s.records)
				y[i] = big.NewRat(v, 1)
				slices.SortFunc(y, (*big.Rat).Cmp)
				p := iqrPair{s, index[rat.Show(y...)]}
				if laws := p[0].law + p[1].law; !seen[laws] {
					seen[laws] = true
					all = append(all, p)
				}
			}
		}
	}
	return all
}

func sortedKeys(index map[string]*iqrState) []string {
	var keys []string
	for key := range index {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// The families of a normal and of a deep run.
var (
	iqrSmall = sync.OnceValue(func() []iqrPair { return iqrFamily(6) })
	iqrLarge = sync.OnceValue(func() []iqrPair { return iqrFamily(9) })
)

func iqrPairs(t *register.T) []iqrPair {
	if t.Size(0, 1) == 1 {
		return iqrLarge()
	}
	return iqrSmall()
}

func iqrDomain(t *register.T) string {
	var terms []string
	for _, x := range iqrTerms {
		terms = append(terms, "("+rat.Show(x[:]...)+")")
	}
	values := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(iqrValues)), ", "), "[]")
	return fmt.Sprintf("all databases of 2 to %d records that are each one of %s, and their neighbours by a change of one record; (e^ε, δ) in {%s}",
		t.Size(6, 9), values, strings.Join(terms, ", "))
}

// iqrGives checks that M_IQR is ({ℝ, {⊥}}, ℰ, share·δ)-ODP with ℰ(ℝ) = answer·ε and
// ℰ(⊥) = bottom·ε.
func iqrGives(t *register.T, answer, bottom int, share *big.Rat) {
	t.Domain("%s", iqrDomain(t))
	lawsGive(t, "M_IQR", impl.LawOfPrivateIQR, answer, bottom, share)
}

// iqrIsPTRAndDP checks that M^D_1 and M^D_2 are (ε, δ)-PTR, that M_IQR is (3ε, δ)-DP as
// in print, and the stronger claim that it is (2ε, δ)-DP.
func iqrIsPTRAndDP(t *register.T) {
	iqrIsPTR(t, rat.One)
	iqrGives(t, 3, 3, rat.One)
	iqrGives(t, 2, 2, rat.One)
	t.Domain("%s; M_IQR with (3ε, δ), and beyond print with (2ε, δ)", iqrDomain(t))
}

// The mechanisms of [oneMoreRecord]: they answer if one of their discretizations does.
var (
	firstDiscretization = []int{1}
	bothDiscretizations = []int{1, 2}
)

// oneMoreRecord checks M^D_1, or M_IQR, on two databases of which one has a record more.
// It looks at ⊥ against any value only, which each guarantee covers.
func oneMoreRecord(discretizations []int, answer, bottom int) register.Check {
	return func(t *register.T) {
		few := iqrRepeated([][2]int64{{8, 0}, {4, 6}, {1, 7}, {4, 8}})
		p := iqrPair{withDistances(few), withDistances(append([]*big.Rat{new(big.Rat)}, few...))}
		e, delta := big.NewRat(16, 1), big.NewRat(1, 65536)
		t.Domain("records %s, and one more record 0; e^ε = %s, δ = %s", rat.Show(few...), rat.Show(e), rat.Show(delta))
		for _, p := range []iqrPair{p, {p[1], p[0]}} {
			t.Case()
			silent := [2]*big.Rat{rat.One, rat.One}
			for b := range p {
				for _, j := range discretizations {
					silent[b] = rat.Mul(silent[b], register.Must(spec.IQRBottom(p[b].a[j-1], e, delta)))
				}
			}
			need := rat.Add(positivePart(silent, rat.Power(e, bottom)),
				positivePart([2]*big.Rat{rat.Complement(silent[0]), rat.Complement(silent[1])}, rat.Power(e, answer)))
			if need.Cmp(delta) > 0 {
				f, _ := need.Float64()
				t.Refute("%v; e^ε = %s, δ = %s: ⊥ has probability %s against %s; ℰ(ℝ) = %s, ℰ(⊥) = %s needs δ of at least about %.6g",
					p, rat.Show(e), rat.Show(delta), silent[0].FloatString(9), silent[1].FloatString(9), epsTimes(answer), epsTimes(bottom), f)
			}
		}
	}
}

// iqrRepeated returns records: how many of them, and which.
func iqrRepeated(groups [][2]int64) []*big.Rat {
	var x []*big.Rat
	for _, g := range groups {
		for range g[0] {
			x = append(x, big.NewRat(g[1], 1))
		}
	}
	return x
}

// withDistances returns the database with A_1 and A_2.
func withDistances(records []*big.Rat) *iqrState {
	s := &iqrState{records: records}
	for j := range s.a {
		s.a[j] = register.Must(impl.IQRDistance(records, j+1))
	}
	return s
}

// discretizedGives checks the same of M^D_1 and M^D_2.
func discretizedGives(t *register.T, answer, bottom int, share *big.Rat) {
	t.Domain("M^D_1 and M^D_2 on %s", iqrDomain(t))
	for j := 1; j <= 2; j++ {
		lawsGive(t, fmt.Sprintf("M^D_%d", j), discretizedLaws(j), answer, bottom, share)
	}
}

// iqrLaws returns the law of a database.
type iqrLaws func(x []*big.Rat, eps loss.Epsilon, delta *big.Rat) (impl.IQRLaw, error)

// remembered returns the laws for (e^ε, δ), each computed once.
func (laws iqrLaws) remembered(terms [2]*big.Rat) func(s *iqrState) impl.IQRLaw {
	known := map[string]impl.IQRLaw{}
	return func(s *iqrState) impl.IQRLaw {
		if _, ok := known[s.law]; !ok {
			known[s.law] = register.Must(laws(s.records, loss.Exp(terms[0]), terms[1]))
		}
		return known[s.law]
	}
}

// discretizedLaws are those of M^D_j.
func discretizedLaws(j int) iqrLaws {
	return func(x []*big.Rat, eps loss.Epsilon, delta *big.Rat) (impl.IQRLaw, error) {
		return impl.LawOfDiscretizedIQR(x, j, eps, delta)
	}
}

// lawsGive checks the mechanism with the given laws. Pairs of neighbours come in both orders.
func lawsGive(t *register.T, mechanism string, laws iqrLaws, answer, bottom int, share *big.Rat) {
	for _, terms := range iqrTerms {
		allowed := rat.Mul(share, terms[1])
		law := laws.remembered(terms)
		for _, p := range iqrPairs(t) {
			t.Case()
			x, y := law(p[0]), law(p[1])
			need := register.Must(impl.SmallestIQRDelta(x, y, answer, bottom))
			lower, _ := need.Lower.Rat(nil)
			upper, _ := need.Upper.Rat(nil)
			switch {
			case lower.Cmp(allowed) > 0:
				t.Refute("%v; e^ε = %s, δ = %s: %s returns ⊥ with probability %.9g against %.9g; ℰ(ℝ) = %s, ℰ(⊥) = %s needs δ = %.9g, more than %s",
					p, rat.Show(terms[0]), rat.Show(terms[1]), mechanism, x.Bottom.Lower, y.Bottom.Lower, epsTimes(answer), epsTimes(bottom), need.Lower, rat.Show(allowed))
			case upper.Cmp(allowed) > 0:
				t.Undecided("%v; e^ε = %s, δ = %s: δ is in [%g, %g], allowed: %s", p, rat.Show(terms[0]), rat.Show(terms[1]), need.Lower, need.Upper, rat.Show(allowed))
			}
		}
	}
}

// iqrIsPTR checks that M^D_1 and M^D_2 are (ε, share·δ)-PTR, with G(M^D_j, x) all bounds if
// A_j(x) ≥ 2 and none otherwise.
func iqrIsPTR(t *register.T, share *big.Rat) {
	t.Domain("%s", iqrDomain(t))
	for _, terms := range iqrTerms {
		for j := 1; j <= 2; j++ {
			law := discretizedLaws(j).remembered(terms)
			for _, p := range iqrPairs(t) {
				t.Case()
				answer := condition2(t, p, j, terms)
				if p[0].a[j-1] >= 2 {
					condition3(t, p, j, terms, law)
				} else if allowed := rat.Mul(share, terms[1]); answer.Cmp(allowed) > 0 {
					t.Refute("%v; e^ε = %s, δ = %s, M^D_%d: condition 4: %s, more than %s", p, rat.Show(terms[0]), rat.Show(terms[1]), j, rat.Show(answer), rat.Show(allowed))
				}
			}
		}
	}
}

// condition2 checks Pr(M^D_j(x) = ⊥) ≤ e^ε Pr(M^D_j(x') = ⊥) and the same for ≠ ⊥, whose
// probability for x it returns.
func condition2(t *register.T, p iqrPair, j int, terms [2]*big.Rat) *big.Rat {
	var bottom, answer [2]*big.Rat
	for b := range p {
		bottom[b] = register.Must(spec.IQRBottom(p[b].a[j-1], terms[0], terms[1]))
		answer[b] = rat.Complement(bottom[b])
	}
	for _, pr := range [][2]*big.Rat{bottom, answer} {
		if positivePart(pr, terms[0]).Sign() > 0 {
			t.Refute("%v; e^ε = %s, δ = %s, M^D_%d: condition 2: %s against %s", p, rat.Show(terms[0]), rat.Show(terms[1]), j, rat.Show(pr[0]), rat.Show(pr[1]))
		}
	}
	return answer[0]
}

// condition3 checks Pr(M^D_j(x) ∈ C') ≤ e^(2ε) Pr(M^D_j(x') ∈ C') for all C': the δ of ℝ at 2ε is 0.
func condition3(t *register.T, p iqrPair, j int, terms [2]*big.Rat, law func(*iqrState) impl.IQRLaw) {
	if need := register.Must(impl.SmallestIQRDelta(law(p[0]), law(p[1]), 2, 2)); need.Upper.Sign() > 0 {
		t.Refute("%v; e^ε = %s, δ = %s, M^D_%d: condition 3: 2ε needs δ up to %g", p, rat.Show(terms[0]), rat.Show(terms[1]), j, need.Upper)
	}
}
