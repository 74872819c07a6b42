package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify"
)

var tables = []verify.Statement{
	{
		ID:      "ODP-X4",
		Title:   "k mechanisms that are (ε, δ)-DP compose to (kε, kδ)-DP; for δ = 0 this cannot be improved",
		Kind:    verify.Exact,
		Verdict: verify.Holds,
		Note:    "Checked for randomized response, which is the worst (ODP-L12). What is said of the rate of advanced composition is asymptotic; see ODP-X29 and ODP-TB1.",
		In:      []string{"spec.ResponseLaw"},
		Check:   simpleComposition(func(eps *big.Rat, k int) *big.Rat { return power(eps, k) }, true),
		Controls: []verify.Claim{
			{Says: "they compose to ((k − 1)ε, kδ)-DP", Check: simpleComposition(func(eps *big.Rat, k int) *big.Rat { return power(eps, k-1) }, false)},
			{Says: "with kε + ln(5/4) in place of kε it cannot be improved", Check: simpleComposition(func(eps *big.Rat, k int) *big.Rat {
				return mul(power(eps, k), big.NewRat(5, 4))
			}, true)},
		},
	},
	{
		ID:      "ODP-X29",
		Title:   "An ε below simple composition's needs an index i ≥ 1 of the optimal composition theorem, hence a δ that is not arbitrarily small",
		Kind:    verify.Exact,
		Verdict: verify.Fails,
		Note: "Theorem 3.3 of Kairouz, Oh and Viswanath lists (k − 2i)ε only, but the optimal composition has a δ for every ε, and it goes to 0 as ε goes to kε. " +
			"Which of the methods is best, and which δ to recommend, is opinion.",
		In:    []string{"spec.HomogeneousDelta", "impl.HomogeneousDelta", "spec.SmallestExpE"},
		Check: improvementNeeds(0),
		Corrected: &verify.Claim{
			Says:  "(k − 2)ε, the next value in the theorem, needs the δ of i = 1, which falls as k grows",
			Check: improvementNeeds(1),
		},
		Controls: []verify.Claim{
			{Says: "(k − 4)ε needs no more than the δ of i = 1", Check: improvementNeeds(2)},
		},
	},
	{
		ID:      "ODP-TB1",
		Title:   "The least number of 0.1-DP mechanisms for which optimal composition at δ beats simple composition: 17, 20, 24, 27, 31, 35, 38, 42",
		Kind:    verify.Certified,
		Verdict: verify.Fails,
		Note: "Read as the caption says it, with the δ_i of i = 1 (ODP-X29): every number in print is one too large. " +
			"Without that reading a single mechanism is enough for every δ > 0.",
		In:    []string{"impl.HomogeneousDelta", "impl.Table1", "spec.HomogeneousDelta"},
		Check: table1(printedTable1),
		Corrected: &verify.Claim{
			Says:  "the numbers are 16, 19, 23, 26, 30, 34, 37, 41",
			Check: table1(correctedTable1),
		},
		Controls: []verify.Claim{
			{Says: "the numbers are 15, 18, 22, 25, 29, 33, 36, 40", Check: table1([]int{15, 18, 22, 25, 29, 33, 36, 40})},
		},
	},
}

// responses returns the laws of k randomized responses, sequence by sequence.
func responses(m spec.Mechanism, k int) pair {
	var ms []spec.Mechanism
	for range k {
		ms = append(ms, m)
	}
	return pair(spec.ResponseLaw(ms)).positive()
}

// simpleComposition checks that k responses are (charge(ε, k), kδ)-DP and, if it is tight,
// that for δ = 0 no smaller ε will do.
func simpleComposition(charge func(expEps *big.Rat, k int) *big.Rat, tight bool) verify.Check {
	return func(t *verify.T) {
		most := t.Size(4, 6)
		t.Domain("up to %d responses with (e^ε, δ) = (3, 0), (3/2, 0), (3/2, 1/10), (1, 1/2)", most)
		for _, m := range append(parameters, spec.Mechanism{ExpEps: big.NewRat(3, 2), Delta: new(big.Rat)}) {
			for k := 1; k <= most; k++ {
				t.Case()
				e := charge(m.ExpEps, k)
				laws := responses(m, k)
				bound := mul(big.NewRat(int64(k), 1), m.Delta)
				if got := delta(laws[0], laws[1], func(string) *big.Rat { return e }); got.Cmp(bound) > 0 {
					t.Refute("%d responses with e^ε = %s, δ = %s: e^%dε = %s needs δ = %s", k, show(m.ExpEps), show(m.Delta), k, show(e), show(got))
				}
				if !tight || m.Delta.Sign() > 0 {
					continue
				}
				if least := largestRatio(laws); least.Cmp(e) != 0 {
					t.Refute("%d responses with e^ε = %s: e^ε = %s is enough, less than %s", k, show(m.ExpEps), show(least), show(e))
				}
			}
		}
	}
}

// largestRatio returns the largest Pr_0/Pr_1 of an output: the smallest e^ε with δ = 0.
func largestRatio(laws pair) *big.Rat {
	worst := one
	for output, p0 := range laws[0] {
		worst = largest([]*big.Rat{worst, new(big.Rat).Quo(p0, laws[1][output])})
	}
	return worst
}

// improvementNeeds checks that every ε below kε needs at least the δ of i = 1 or, if j > 0,
// that (k − 2j)ε needs just that, and that it falls as k grows.
func improvementNeeds(j int) verify.Check {
	return func(t *verify.T) {
		most := t.Size(5, 8)
		t.Domain("k = 2 to %d responses with e^ε = 3/2 and 3; in total (k − 1)ε and kε − 1e-12, or (k − 2)ε in the corrected form", most)
		for _, expEps := range charges[1:] {
			previous := one
			for k := max(2, 2*j); k <= most; k++ {
				laws := responses(spec.Mechanism{ExpEps: expEps, Delta: new(big.Rat)}, k)
				first := must(spec.HomogeneousDelta(k, 1, expEps))
				if j > 0 {
					t.Case()
					e := power(expEps, k-2*j)
					if got := delta(laws[0], laws[1], func(string) *big.Rat { return e }); got.Cmp(first) != 0 || first.Cmp(previous) >= 0 {
						t.Refute("k = %d, e^ε = %s: δ = %s, the theorem has %s, before that %s", k, show(expEps), show(got), show(first), show(previous))
					}
					previous = first
					continue
				}
				for _, e := range []*big.Rat{power(expEps, k-1), mul(power(expEps, k), big.NewRat(999999999999, 1000000000000))} {
					t.Case()
					if got := delta(laws[0], laws[1], func(string) *big.Rat { return e }); got.Cmp(first) < 0 {
						t.Refute("%d responses with e^ε = %s: a total e^ε = %s, below %s, needs δ = %s; i = 1 has δ = %s",
							k, show(expEps), show(e), show(power(expEps, k)), show(got), show(first))
					}
				}
			}
		}
	}
}

// table1 checks the row of Table 1.
func table1(row []int) verify.Check {
	return func(t *verify.T) {
		t.Domain("ε = 0.1, δ = 1e-5 to 1e-12, i = 1")
		tenth := impl.Nats(big.NewRat(1, 10))
		for j, want := range row {
			t.Case()
			limit := new(big.Rat).Inv(power(big.NewRat(10, 1), 5+j))
			at := must(impl.HomogeneousDelta(want, 1, tenth))
			before := must(impl.HomogeneousDelta(want-1, 1, tenth))
			switch got := must(impl.Table1(tenth, limit)); {
			case got != want:
				t.Refute("δ = 1e-%d: I = %d already, with %s", 5+j, got, certified(must(impl.HomogeneousDelta(got, 1, tenth))))
			case above(at, limit) || !above(before, limit):
				t.Refute("δ = 1e-%d: I = %d has %s, I = %d has %s", 5+j, want, certified(at), want-1, certified(before))
			}
		}
	}
}
