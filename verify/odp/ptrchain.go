package odp

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// ptrChain are the statements on two PTR functions, one after the other.
func ptrChain() []register.Statement {
	afterValue := func(first string) bool { return first != "⊥" }
	return []register.Statement{
		{
			ID:      "ODP-X14",
			Title:   "Of PTR functions of which the next is invoked only if the previous one did not return ⊥, every invocation but the last costs ε instead of 2ε",
			Printed: "Section 4.2: invoked only if the previous one did not return ⊥, with a reference to M_IQR; ε instead of 2ε for every invocation but the last",
			Reading: "Two functions; an output of m invocations is charged (m + 1)ε, and both functions together are allowed 2δ, of which print says nothing.",
			Kind:    register.Exact,
			Verdict: register.Fails,
			Weight:  register.Slip,
			Note: "Print has the condition the wrong way round, one “not” too many: as printed, every invocation but the last returned a value, and a value costs 2ε. " +
				"M_IQR, which print refers to, invokes the next one only after ⊥. Corrected like this, 2δ − δ² is enough, which is checked.",
			In:    []string{"spec.IsPTR"},
			Check: chainCosts(afterValue, everyButLast, rat.Twice),
			Controls: []register.Claim{
				{Says: "the next is invoked after ⊥ only, and the last costs ε", Check: chainCosts(afterBottom, func(outputs []string) int { return len(outputs) }, rat.Twice)},
				{Says: "the next is invoked after ⊥ only, and δ is enough for both", Check: chainCosts(afterBottom, chainCharge, once)},
			},
			Near: []register.Claim{
				{Says: "the next is invoked after ⊥ only, and a last one that returns a value after ⊥ costs ε", Check: chainCosts(afterBottom, func(outputs []string) int {
					return chainCharge(outputs) - len(outputs) + 1
				}, rat.Twice)},
				{Says: "the next is invoked after ⊥ only, and 0.95·(2δ − δ²) is enough for both", Check: chainCosts(afterBottom, chainCharge, func(delta *big.Rat) *big.Rat {
					return rat.Mul(rat.Of("0.95"), atLeastOnce(delta))
				})},
				{Says: "as printed, with 2ε for the first of two values, and ε for a value before ⊥", Check: chainCosts(afterValue, func(outputs []string) int {
					return chainCharge(outputs) - isBottom(outputs[len(outputs)-1])
				}, rat.Twice)},
			},
			Corrected: &register.Claim{
				Says:  "the next is invoked only if the previous one returned ⊥: every invocation but the last costs ε, and so does the last if it returns ⊥; 2δ − δ² is enough",
				Check: chainCosts(afterBottom, chainCharge, atLeastOnce),
			},
		},
		{
			ID:      "ODP-X18",
			Title:   "With the discretizations in random order, case 1 has probability at least 1/2 if at least one of the two mechanisms returns a value",
			Printed: "Section 4.2, after the cases 1 to 3: order uniform at random; case 1 with probability ≥ 1/2",
			Reading: "Given that at least one of the two would return a value, were both invoked.",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "Whether the two are independent does not matter: all joint laws are gone through. For M^D_1 and M^D_2 themselves, the runs of both rooms on all tapes of a small set have this law. The bound is met if exactly one of them would.",
			In:      []string{"spec.IQRBottom", "spec.DiscretizedIQR", "impl.DiscretizedIQR"},
			Check:   randomOrder(rat.Half, rat.Half),
			Controls: []register.Claim{
				{Says: "M^D_1 is always the first", Check: randomOrder(rat.One, rat.Half)},
				{Says: "the probability is at least 2/3", Check: randomOrder(rat.Half, big.NewRat(2, 3))},
			},
			Near: []register.Claim{
				{Says: "M^D_1 is the first with probability 0.51", Check: randomOrder(rat.Of("0.51"), rat.Half)},
				{Says: "the probability is at least 0.51", Check: randomOrder(rat.Half, rat.Of("0.51"))},
			},
		},
	}
}

// atLeastOnce returns the probability of what happens with probability δ twice to happen at all, 2δ − δ².
func atLeastOnce(delta *big.Rat) *big.Rat { return rat.Complement(rat.Power(rat.Complement(delta), 2)) }

// chainRun is an output of a chain of PTR functions: their outputs, and the probabilities
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
				t.CloseTo(need, allowed, "e^ε = %s, δ = %s; first function: %v; second: %v", rat.Show(terms[0]), rat.Show(terms[1]), first, second)
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
