package odp

import (
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// interquartile are the statements on M_IQR, and on M_median after it.
func interquartile() []register.Statement {
	return []register.Statement{
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

// iqrGives checks that M_IQR is ({ℝ, {⊥}}, ℰ, share·δ)-ODP with ℰ(ℝ) = answer·ε and
// ℰ(⊥) = bottom·ε.
func iqrGives(t *register.T, answer, bottom int, share *big.Rat) {
	t.Domain("%s", iqrDomain(t))
	lawsGive(t, "M_IQR", impl.LawOfPrivateIQR, answer, bottom, share)
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
func (laws iqrLaws) remembered(terms [2]*big.Rat) func(s *iqrDatabase) impl.IQRLaw {
	known := map[string]impl.IQRLaw{}
	return func(s *iqrDatabase) impl.IQRLaw {
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

// iqrIsPTRAndDP checks that M^D_1 and M^D_2 are (ε, δ)-PTR, that M_IQR is (3ε, δ)-DP as
// in print, and the stronger claim that it is (2ε, δ)-DP.
func iqrIsPTRAndDP(t *register.T) {
	iqrIsPTR(t, rat.One)
	iqrGives(t, 3, 3, rat.One)
	iqrGives(t, 2, 2, rat.One)
	t.Domain("%s; M_IQR with (3ε, δ), and beyond print with (2ε, δ)", iqrDomain(t))
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
func condition3(t *register.T, p iqrPair, j int, terms [2]*big.Rat, law func(*iqrDatabase) impl.IQRLaw) {
	if need := register.Must(impl.SmallestIQRDelta(law(p[0]), law(p[1]), 2, 2)); need.Upper.Sign() > 0 {
		t.Refute("%v; e^ε = %s, δ = %s, M^D_%d: condition 3: 2ε needs δ up to %g", p, rat.Show(terms[0]), rat.Show(terms[1]), j, need.Upper)
	}
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
