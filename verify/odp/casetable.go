package odp

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// caseTables are the statements on what M^D_1 and M^D_2 spend.
func caseTables() register.Checks {
	return register.Checks{
		"ODP-X17": register.Checked(register.All(discretizedGives(2, 1, rat.One), spends(printedTable, cheaperTable)),
			register.AlsoFails("", "neighbours differ by a record that is added or removed",
				oneMoreRecord(firstDiscretization, 2, 1)),
			register.NearMiss("M^D_j has ℰ(⊥) = 0", discretizedGives(2, 0, rat.One)),
			register.NearMiss("M^D_j has ℰ(ℝ) = 0", discretizedGives(0, 1, rat.One)),
			register.NearMiss("M^D_j needs δ/3", discretizedGives(2, 1, big.NewRat(1, 3))),
			register.NearMiss("case 1 spends (ε, δ)", spends(caseTable{{1, 1}, {3, 2}, {2, 2}})),
			register.NearMiss("case 2 spends (2ε, 2δ)", spends(caseTable{{2, 1}, {2, 2}, {2, 2}})),
			register.NearMiss("case 3 spends (ε, 2δ)", spends(caseTable{{2, 1}, {3, 2}, {1, 2}})),
			register.NearMiss("case 3 spends (2ε, δ)", spends(caseTable{{2, 1}, {3, 2}, {2, 1}})),
		),
	}
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
func spends(tables ...caseTable) register.Check {
	return func(t *register.T) {
		d := t.Size(4, 5)
		var text []string
		for _, table := range tables {
			text = append(text, table.String())
		}
		t.Domain("M^D_1 and M^D_2 on %s; all pairs of PTR functions with one bound, two databases, outputs a, b, ⊥ and "+
			"probabilities %s, followed by randomized response; (e^ε, δ) in {%s}; spent in the cases 1, 2, 3: %s",
			iqrDomain(t), inUnits(d), showTerms(), strings.Join(text, " as in print, and beyond print "))
		for _, terms := range ptrTerms {
			functions := slices.Collect(ptrPairs(d, terms[0], terms[1]))
			for _, table := range tables {
				for pair := range firstFirst(functions, 2) {
					t.Case()
					leavesEnough(t, table, terms, pair)
				}
			}
		}
	}
}

// leavesEnough checks a table for one pair of functions.
func leavesEnough(t *register.T, table caseTable, terms [2]*big.Rat, pair []finite.Pair) {
	total := rat.Mul(big.NewRat(2, 1), terms[1])
	need := new(big.Rat)
	for _, r := range chain(pair, afterBottom) {
		spent := table.of(r.outputs)
		rest := spec.Mechanism{ExpEps: rat.Power(terms[0], 3-spent[0]), Delta: rat.Mul(rat.Int(2-spent[1]), terms[1])}
		need.Add(need, followed(r.pr, rat.Power(terms[0], 3), rest))
	}
	if need.Cmp(total) > 0 {
		t.Refute("e^ε = %s, δ = %s; M^D_1: %v; M^D_2: %v; then randomized response with what the cases 1, 2, 3 leave of "+
			"(3ε, 2δ) after they spent %v: at 3ε the whole needs δ = %s, more than %s",
			rat.Show(terms[0]), rat.Show(terms[1]), pair[0], pair[1], table, rat.Show(need), rat.Show(total))
	}
	t.CloseTo(need, total, "e^ε = %s, δ = %s; M^D_1: %v; M^D_2: %v; spent %v", rat.Show(terms[0]),
		rat.Show(terms[1]), pair[0], pair[1], table)
}

func (c caseTable) String() string {
	var text []string
	for _, spent := range c {
		delta := []string{"0", "δ", "2δ"}[spent[1]]
		text = append(text, fmt.Sprintf("(%s, %s)", epsTimes(spent[0]), delta))
	}
	return strings.Join(text, ", ")
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
