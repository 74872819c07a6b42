package odp

import (
	"fmt"
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

// interquartile are the statements on M_IQR, and on M_median after it.
func interquartile() register.Checks {
	return register.Checks{
		"ODP-X16": checked(iqrIsPTRAndDP,
			alsoFails("", "neighbours differ in one record that is added or removed, the other convention of ODP-D1",
				with(oneMoreRecord, bothDiscretizations, 3, 3)),
			control("any two (ε, δ)-PTR functions, the second invoked after ⊥, are (3ε, δ)-DP",
				with(chainCosts, afterBottom, threeEps, once)),
			near("M_IQR is (ε, δ)-DP", with(iqrGives, 1, 1, rat.One)),
			near("M_IQR is (3ε, 0.95·δ)-DP", with(iqrGives, 3, 3, "0.95")),
			near("M^D_j is (ε, 0.49·δ)-PTR", with(iqrIsPTR, "0.49")),
			near("M^D_2 tests the distance of M^D_1", with(iqrRuns, iqrWords{fromTheFirst: true}, privatePrograms)),
			near("Pr(M_IQR = ⊥) = 0.95·Pr(M^D_1 = ⊥)·Pr(M^D_2 = ⊥)", with(lawsOfMIQR, "0.95"))),
		"ODP-X17": checked(all(with(discretizedGives, 2, 1, rat.One), spends(printedTable, cheaperTable)),
			alsoFails("", "neighbours differ by a record that is added or removed",
				with(oneMoreRecord, firstDiscretization, 2, 1)),
			near("M^D_j has ℰ(⊥) = 0", with(discretizedGives, 2, 0, rat.One)),
			near("M^D_j has ℰ(ℝ) = 0", with(discretizedGives, 0, 1, rat.One)),
			near("M^D_j needs δ/3", with(discretizedGives, 2, 1, "1/3")),
			near("case 1 spends (ε, δ)", spends(caseTable{{1, 1}, {3, 2}, {2, 2}})),
			near("case 2 spends (2ε, 2δ)", spends(caseTable{{2, 1}, {2, 2}, {2, 2}})),
			near("case 3 spends (ε, 2δ)", spends(caseTable{{2, 1}, {3, 2}, {1, 2}})),
			near("case 3 spends (2ε, δ)", spends(caseTable{{2, 1}, {3, 2}, {2, 1}}))),
		"ODP-L10": checked(all(with(iqrGives, 3, 2, rat.One), with(lawsOfMIQR, rat.One), with(deltasAreIntegrals, 1),
			with(bottomCosts, rat.One)),
			alsoFails("", "neighbours differ in one record that is added or removed, the other convention of ODP-D1",
				with(oneMoreRecord, bothDiscretizations, 3, 2)),
			near("ℰ(ℝ) = ε, ℰ(⊥) = 2ε", with(iqrGives, 1, 2, rat.One)),
			near("ℰ(ℝ) = 3ε, ℰ(⊥) = ε", with(iqrGives, 3, 1, rat.One)),
			near("0.95·δ is enough", with(iqrGives, 3, 2, "0.95")),
			near("Pr(M(x) = ⊥) ≤ 0.95·e^(2ε) Pr(M(x') = ⊥)", with(bottomCosts, "0.95")),
			near("the smallest δ is 0.95 of what it is", with(deltasAreIntegrals, 0.95))),
		"ODP-X19": checked(with(medianGets, medianClaim{}),
			near("e^ε of what it may use after ⊥ is 1.05 times as large",
				with(medianGets, medianClaim{ofBottom: rat.Of("1.05")})),
			near("e^ε of what it may use after a value is 1.05 times as large",
				with(medianGets, medianClaim{ofAnswer: rat.Of("1.05")})),
			near("it may use 1.05·δ_2 after ⊥", with(medianGets, medianClaim{deltaOfBottom: rat.Of("1.05")}))),
	}
}

// iqrGives checks that M_IQR is ({ℝ, {⊥}}, ℰ, share·δ)-ODP with ℰ(ℝ) = answer·ε and ℰ(⊥) = bottom·ε.
func iqrGives(t *register.T, answer, bottom int, share *big.Rat) {
	t.Domain("%s", iqrDomain(t))
	iqrMechanism{"M_IQR", impl.LawOfPrivateIQR}.gives(t, answer, bottom, share)
}

// discretizedGives checks the same of M^D_1 and M^D_2.
func discretizedGives(t *register.T, answer, bottom int, share *big.Rat) {
	t.Domain("M^D_1 and M^D_2 on %s", iqrDomain(t))
	discretized(1).gives(t, answer, bottom, share)
	discretized(2).gives(t, answer, bottom, share)
}

// iqrMechanism is M_IQR, or M^D_j.
type iqrMechanism struct {
	name string
	law  func(x []*big.Rat, eps loss.Epsilon, delta *big.Rat) (impl.IQRLaw, error)
}

func discretized(j int) iqrMechanism {
	return iqrMechanism{fmt.Sprintf("M^D_%d", j),
		func(x []*big.Rat, eps loss.Epsilon, delta *big.Rat) (impl.IQRLaw, error) {
			return impl.LawOfDiscretizedIQR(x, j, eps, delta)
		}}
}

// knownIQRLaws are those that were computed, by mechanism, (e^ε, δ) and what else the law depends on.
var knownIQRLaws finite.Memo[[3]string, impl.IQRLaw]

// each visits the pairs of neighbours, in both orders, with (e^ε, δ) and the laws.
func (m iqrMechanism) each(t *register.T, visit func(c iqrCase, laws [2]impl.IQRLaw)) {
	for _, terms := range iqrTerms {
		law := func(s *iqrDatabase) impl.IQRLaw {
			return knownIQRLaws.Of([3]string{m.name, rat.Show(terms[:]...), s.law}, func() impl.IQRLaw {
				return register.Must(m.law(s.records, loss.Exp(terms[0]), terms[1]))
			})
		}
		for _, p := range iqrPairs(t) {
			c := iqrCase{p, terms}
			t.At("%v", c)
			visit(c, [2]impl.IQRLaw{law(p[0]), law(p[1])})
		}
	}
}

// gives checks a mechanism.
func (m iqrMechanism) gives(t *register.T, answer, bottom int, share *big.Rat) {
	m.each(t, func(c iqrCase, laws [2]impl.IQRLaw) {
		need, allowed := register.Must(impl.SmallestIQRDelta(laws[0], laws[1], answer, bottom)),
			rat.Mul(share, c.terms[1])
		t.AtMost(rat.Exact(need.Lower), allowed,
			"%s returns ⊥ with probability %.9g against %.9g; ℰ(ℝ) = %dε, ℰ(⊥) = %dε needs δ = %.9g, more than %s",
			m.name, laws[0].Bottom.Lower, laws[1].Bottom.Lower, answer, bottom, need.Lower, allowed)
		if !rat.IsAtMost(need, allowed) {
			t.Inconclusive("%v: δ is in [%g, %g], allowed: %s", c, need.Lower, need.Upper, rat.Show(allowed))
		}
	})
}

// iqrIsPTRAndDP checks that M^D_1 and M^D_2 are (ε, δ)-PTR, that M_IQR runs them, and that it is (3ε, δ)-DP as
// in print, and the stronger claim that it is (2ε, δ)-DP.
//
// That one is proved like this. For ⊥ it is condition 2, twice. For a value, both M^D_j return the same one; so the
// densities differ by at most e^ε for the noise and by the ratio of Pr(≠ ⊥), which is at most c = e^ε: let M^D_1 and
// M^D_2 answer with probabilities u, v under x', and so with at most min(1, cu), min(1, cv) under x. If cu ≤ 1 and
// cv ≤ 1, then 1 − (1 − cu)(1 − cv) ≤ c(1 − (1 − u)(1 − v)), the difference being c(c − 1)uv. If cu > 1, the left side
// is at most 1 < cu ≤ c(1 − (1 − u)(1 − v)); likewise if cv > 1. If one A_j ≥ 2, no neighbour's L leaves a bin of
// width 1, however few records there are, and no δ is needed.
func iqrIsPTRAndDP(t *register.T) {
	iqrIsPTR(t, rat.One)
	iqrGives(t, 3, 3, rat.One)
	iqrGives(t, 2, 2, rat.One)
	t.Domain("%s; M_IQR with (3ε, δ), and beyond print with (2ε, δ)", iqrDomain(t))
	distancesAgree(t)
	lawsOfMIQR(t, rat.One)
	deltasAreIntegrals(t, 1)
	iqrRuns(t, iqrWords{}, slices.Concat(privatePrograms, discretizedPrograms))
}

// iqrIsPTR checks that M^D_1 and M^D_2 are (ε, share·δ)-PTR, with G(M^D_j, x) all bounds if A_j(x) ≥ 2 and none
// otherwise. For condition 3, of all C', the δ of ℝ at 2ε is 0.
func iqrIsPTR(t *register.T, share *big.Rat) {
	t.Domain("%s", iqrDomain(t))
	for j := 1; j <= 2; j++ {
		discretized(j).each(t, func(c iqrCase, laws [2]impl.IQRLaw) {
			bottom := c.bottoms(c.terms, j)
			answer := [2]*big.Rat{rat.Complement(bottom[0]), rat.Complement(bottom[1])}
			var broken string
			switch isGood := c.iqrPair[0].a[j-1] >= 2; {
			case positivePart(bottom, c.terms[0]).Sign() > 0, positivePart(answer, c.terms[0]).Sign() > 0:
				broken = "condition 2"
			case isGood && register.Must(impl.SmallestIQRDelta(laws[0], laws[1], 2, 2)).Upper.Sign() > 0:
				broken = "condition 3"
			case !isGood && answer[0].Cmp(rat.Mul(share, c.terms[1])) > 0:
				broken = "condition 4"
			}
			t.Require(broken == "", "M^D_%d: %s: Pr(≠ ⊥) is %s against %s", j, broken, answer[0], answer[1])
		})
	}
}

// bottoms returns the probabilities that all of some M^D_j return ⊥.
func (p iqrPair) bottoms(terms [2]*big.Rat, js ...int) (silent [2]*big.Rat) {
	for b := range p {
		silent[b] = rat.One
		for _, j := range js {
			silent[b] = rat.Mul(silent[b], register.Must(spec.IQRBottom(p[b].a[j-1], terms[0], terms[1])))
		}
	}
	return silent
}

// bottomCosts checks Pr(M_IQR(x) = ⊥) ≤ part·e^(2ε) Pr(M_IQR(x') = ⊥), with enough records for the ratio to be e^(2ε).
func bottomCosts(t *register.T, share *big.Rat) {
	x := withDistances(iqrRepeated([][2]int64{{6, 0}, {6, 1000}}))
	y := withDistances(iqrRepeated([][2]int64{{7, 0}, {5, 1000}}))
	t.AlsoDomain("⊥ for %v", iqrPair{x, y})
	for _, terms := range iqrTerms {
		for _, p := range []iqrPair{{x, y}, {y, x}} {
			t.At("⊥; %v", iqrCase{p, terms})
			silent := p.bottoms(terms, bothDiscretizations...)
			allowed := rat.Product(share, terms[0], terms[0], silent[1])
			t.AtMost(silent[0], allowed, "probability %s against %s", silent[0], silent[1])
		}
	}
}

// The mechanisms of [oneMoreRecord]: they answer if one of their discretizations does.
var (
	firstDiscretization = []int{1}
	bothDiscretizations = []int{1, 2}
)

// oneMoreRecord checks M^D_1, or M_IQR, on two databases of which one has a record more.
// It looks at ⊥ against any value only, which each guarantee covers.
func oneMoreRecord(t *register.T, discretizations []int, answer, bottom int) {
	few := iqrRepeated([][2]int64{{8, 0}, {4, 6}, {1, 7}, {4, 8}})
	p := iqrPair{withDistances(few), withDistances(append([]*big.Rat{new(big.Rat)}, few...))}
	e, delta := big.NewRat(16, 1), big.NewRat(1, 65536)
	t.Domain("records %s, and one more record 0; e^ε = %s, δ = %s", few, e, delta)
	for _, p := range []iqrPair{p, {p[1], p[0]}} {
		t.Case()
		silent := p.bottoms([2]*big.Rat{e, delta}, discretizations...)
		need := rat.Add(positivePart(silent, rat.Power(e, bottom)),
			positivePart([2]*big.Rat{rat.Complement(silent[0]), rat.Complement(silent[1])}, rat.Power(e, answer)))
		if need.Cmp(delta) > 0 {
			t.Refute("%v: ⊥ has probability %s against %s; ℰ(ℝ) = %s, ℰ(⊥) = %s needs δ of at least about %.6g",
				iqrCase{p, [2]*big.Rat{e, delta}}, silent[0].FloatString(9), silent[1].FloatString(9), epsTimes(answer),
				epsTimes(bottom), need)
		}
	}
}

// medianClaim says that after M_IQR a mechanism may use (ε_2, δ_2), and ε_1 more after ⊥, but for factors of e^ε and
// of δ_2.
type medianClaim struct {
	ofAnswer, ofBottom, deltaOfBottom *big.Rat // nil: 1
}

// medianGets checks a claim.
func medianGets(t *register.T, claim medianClaim) {
	d := t.Size(5, 7)
	steep := finite.Pair{{"a": big.NewRat(8, 11), "⊥": big.NewRat(3, 11)},
		{"a": big.NewRat(1, 11), "⊥": big.NewRat(10, 11)}}
	t.Domain("all pairs of laws on a, b, ⊥ with probabilities %s, and one with δ_1 = 0 and a loss of 3ε_1 of a; "+
		"e^ε_1 in {3/2, 2}, e^ε_2 in {1, 3}, δ_2 in {0, 1/8}", inUnits(d))
	for _, p := range append(slices.Collect(bottomPairs(d)), steep, steep.Back()) {
		for _, e1 := range rat.List("3/2", "2") {
			charges := []*big.Rat{rat.Power(e1, 3), rat.Power(e1, 2)}
			delta1 := register.Must(spec.SmallestDeltaBothWays(p[0], p[1], isBottom, charges))
			same(t, p.DeltaBothWays(func(output string) *big.Rat { return charges[isBottom(output)] }), delta1,
				"%v; e^ε_1 = %v: δ_1", p, e1)
			finite.Each2(rat.List("1", "3"), rat.List("0", "1/8"), func(e2, delta2 *big.Rat) {
				t.At("%v; e^ε_1 = %s, e^ε_2 = %s, δ_2 = %s", p, e1, e2, delta2)
				claim.leavesEnough(t, p, e1, e2, delta1, delta2)
			})
		}
	}
}

// leavesEnough checks a claim for M_IQR with two laws, followed by the worst mechanism that may follow an output.
func (c medianClaim) leavesEnough(t *register.T, p finite.Pair, e1, e2, delta1, delta2 *big.Rat) {
	total, need, allowed := rat.Mul(rat.Power(e1, 3), e2), new(big.Rat), rat.Add(delta1, delta2)
	for output := range p[0] {
		may := spec.Mechanism{ExpEps: part(c.ofAnswer, e2), Delta: delta2}
		if output == "⊥" {
			may = spec.Mechanism{ExpEps: part(c.ofBottom, rat.Mul(e1, e2)), Delta: part(c.deltaOfBottom, delta2)}
		}
		need.Add(need, followed([2]*big.Rat{p[0][output], p[1][output]}, total, may))
	}
	t.AtMost(need, allowed, "δ_1 = %s, and the whole needs δ = %s, more than %s", delta1, need, allowed)
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
		t.Domain("M^D_1 and M^D_2 on %s; all pairs of PTR functions with one bound, two databases, outputs a, b, "+
			"⊥ and probabilities %s, followed by randomized response; (e^ε, δ) in {%s}; spent in the cases 1, 2, 3: %s",
			iqrDomain(t), inUnits(d), showTerms(ptrTerms), strings.Join(text, " as in print, and beyond print "))
		for _, terms := range ptrTerms {
			functions := slices.Collect(ptrPairs(d, terms[0], terms[1]))
			for _, table := range tables {
				for pair := range firstFirst(functions, 2) {
					t.At("e^ε = %s, δ = %s; M^D_1: %v; M^D_2: %v; spent %v",
						terms[0], terms[1], pair[0], pair[1], table)
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
	t.AtMost(need, total,
		"with randomized response of what the cases 1, 2, 3 leave of (3ε, 2δ) the whole needs δ = %s at 3ε, "+
			"more than %s", need, total)
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
	if pr[0].Sign() == 0 {
		return sum
	}
	table := spec.RandomizedResponse(m)
	for z := range table[0] {
		sum.Add(sum, positivePart([2]*big.Rat{rat.Mul(pr[0], table[0][z]), rat.Mul(pr[1], table[1][z])}, e))
	}
	return sum
}
