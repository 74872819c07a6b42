package odp

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func tables() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-X4",
			Title:   "k mechanisms that are (ε, δ)-DP compose to (kε, kδ)-DP; for δ = 0 this cannot be improved",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note:    "Checked for randomized response, which is the worst (ODP-L12). What is said of the rate of advanced composition is asymptotic; see ODP-X29 and ODP-TB1.",
			In:      []string{"spec.ResponseLaw"},
			Check:   simpleComposition(func(eps *big.Rat, k int) *big.Rat { return rat.Power(eps, k) }, true),
			Controls: []register.Claim{
				{Says: "they compose to ((k − 1)ε, kδ)-DP", Check: simpleComposition(func(eps *big.Rat, k int) *big.Rat { return rat.Power(eps, k-1) }, false)},
				{Says: "with kε + ln(5/4) in place of kε it cannot be improved", Check: simpleComposition(func(eps *big.Rat, k int) *big.Rat {
					return rat.Mul(rat.Power(eps, k), big.NewRat(5, 4))
				}, true)},
			},
		},
		{
			ID:      "ODP-X29",
			Title:   "In the list (k − 2i)ε of optimal composition, less ε than simple composition needs i ≥ 1, and a δ that grows as k falls",
			Kind:    register.Exact,
			Verdict: register.Holds,
			Note: "Of Theorem 3.3 of Kairouz, Oh and Viswanath, which lists these ε only. Optimal composition has a δ for every ε, though, and it goes to 0 as ε goes to kε: " +
				"the first control. So with any δ > 0 a little ε can be saved, for a single mechanism already, and ODP composition is the best below the lengths of Table 1 only within that list. " +
				"Which δ to recommend is opinion.",
			In:    []string{"spec.HomogeneousDelta", "impl.HomogeneousDelta"},
			Check: improvementNeeds(1, false),
			Controls: []register.Claim{
				{Says: "every ε below kε, in the list or not, needs at least the δ of i = 1", Check: improvementNeeds(1, true)},
				{Says: "(k − 4)ε needs no more than the δ of i = 1", Check: improvementNeeds(2, false)},
			},
		},
		{
			ID:      "ODP-TB1",
			Title:   "The least number of 0.1-DP mechanisms for which optimal composition at δ beats simple composition: 17, 20, 24, 27, 31, 35, 38, 42",
			Kind:    register.Certified,
			Verdict: register.Fails,
			Note: "Read with the δ_i of i = 1 (ODP-X29): the numbers, in print and corrected, are for the list (k − 2i)ε of Theorem 3.3 of Kairouz, Oh and Viswanath only. " +
				"Every number in print is one too large: it is the least k whose predecessor has δ_1 ≤ δ. " +
				"Without the list a single mechanism is enough for every δ > 0.",
			In:    []string{"impl.HomogeneousDelta", "spec.HomogeneousDelta"},
			Check: table1(printedTable1),
			Corrected: &register.Claim{
				Says:  "in the list of Theorem 3.3, the numbers are 16, 19, 23, 26, 30, 34, 37, 41",
				Check: table1(correctedTable1),
			},
			Controls: []register.Claim{
				{Says: "the numbers are 15, 18, 22, 25, 29, 33, 36, 40", Check: table1([]int{15, 18, 22, 25, 29, 33, 36, 40})},
			},
		},
	}
}

// responses returns the laws of k randomized responses, sequence by sequence.
func responses(m spec.Mechanism, k int) finite.Pair {
	return finite.Responses(slices.Repeat([]spec.Mechanism{m}, k)...)
}

// simpleComposition checks that k responses are (charge(ε, k), kδ)-DP and, if it is tight,
// that for δ = 0 no smaller ε will do.
func simpleComposition(charge func(expEps *big.Rat, k int) *big.Rat, tight bool) register.Check {
	return func(t *register.T) {
		most := t.Size(4, 6)
		t.Domain("up to %d responses with (e^ε, δ) = (3, 0), (3/2, 0), (3/2, 1/10), (1, 1/2)", most)
		for _, m := range append(finite.Mechanisms, spec.Mechanism{ExpEps: big.NewRat(3, 2), Delta: new(big.Rat)}) {
			for k := 1; k <= most; k++ {
				t.Case()
				e := charge(m.ExpEps, k)
				laws := responses(m, k)
				bound := rat.Mul(rat.Int(k), m.Delta)
				if got := laws.Delta(finite.Constant(e)); got.Cmp(bound) > 0 {
					t.Refute("%d responses with e^ε = %s, δ = %s: e^%dε = %s needs δ = %s", k, rat.Show(m.ExpEps), rat.Show(m.Delta), k, rat.Show(e), rat.Show(got))
				}
				if !tight || m.Delta.Sign() > 0 {
					continue
				}
				if least := largestRatio(laws); least.Cmp(e) != 0 {
					t.Refute("%d responses with e^ε = %s: e^ε = %s is enough, less than %s", k, rat.Show(m.ExpEps), rat.Show(least), rat.Show(e))
				}
			}
		}
	}
}

// largestRatio returns the largest Pr_0/Pr_1 of an output: the smallest e^ε with δ = 0.
func largestRatio(laws finite.Pair) *big.Rat {
	worst := rat.One
	for output, p0 := range laws[0] {
		worst = rat.Max(worst, rat.Quo(p0, laws[1][output]))
	}
	return worst
}

// improvementNeeds checks that a total of (k − 2j)ε needs just the δ of i = 1, and that it
// falls as k grows; or that any total below kε needs at least that.
func improvementNeeds(j int, anywhere bool) register.Check {
	return func(t *register.T) {
		most := t.Size(5, 8)
		t.Domain("%d to %d responses with e^ε = 3/2 and 3", 2*j, most)
		for _, expEps := range finite.Charges[1:] {
			previous := rat.One
			for k := 2 * j; k <= most; k++ {
				t.Case()
				laws := responses(spec.Mechanism{ExpEps: expEps, Delta: new(big.Rat)}, k)
				total, first := rat.Power(expEps, k-2*j), register.Must(spec.HomogeneousDelta(k, 1, expEps))
				if anywhere {
					total = rat.Mul(rat.Power(expEps, k), rat.Of("0.999999999999"))
				}
				needs := laws.Delta(finite.Constant(total))
				if anywhere && needs.Cmp(first) < 0 || !anywhere && needs.Cmp(first) != 0 {
					t.Refute("%d responses with e^ε = %s: a total e^ε = %s, below %s, needs δ = %s; i = 1 has δ = %s",
						k, rat.Show(expEps), rat.Show(total), rat.Show(rat.Power(expEps, k)), rat.Show(needs), rat.Show(first))
				}
				if first.Cmp(previous) >= 0 {
					t.Refute("e^ε = %s: δ = %s for k = %d, and %s before", rat.Show(expEps), rat.Show(first), k, rat.Show(previous))
				}
				previous = first
			}
		}
	}
}

// table1 checks the row of Table 1.
func table1(row []int) register.Check {
	return func(t *register.T) {
		t.Domain("ε = 0.1, δ = 1e-5 to 1e-12, i = 1")
		tenth := loss.Nats(big.NewRat(1, 10))
		for j, want := range row {
			t.Case()
			limit := new(big.Rat).Inv(rat.Power(big.NewRat(10, 1), 5+j))
			at := register.Must(impl.HomogeneousDelta(want, 1, tenth))
			before := register.Must(impl.HomogeneousDelta(want-1, 1, tenth))
			switch got := register.Must(leastMechanisms(tenth, limit)); {
			case rat.IsAbove(at, limit):
				t.Refute("δ = 1e-%d: I = %d is not enough, with %s; %d is", 5+j, want, certified(at), got)
			case !rat.IsAbove(before, limit):
				t.Refute("δ = 1e-%d: I = %d is enough already, with %s", 5+j, got, certified(register.Must(impl.HomogeneousDelta(got, 1, tenth))))
			case got != want:
				t.Refute("δ = 1e-%d: I = %d by bisection, %d by its neighbours", 5+j, got, want)
			}
		}
	}
}

// certified writes an interval as its ends, rounded outward.
func certified(x interval.Interval) string {
	return fmt.Sprintf("δ between %s and %s", rounded(x.Lower, big.ToNegativeInf), rounded(x.Upper, big.ToPositiveInf))
}

// rounded writes a number with six digits, rounded in the given direction.
func rounded(x *big.Float, mode big.RoundingMode) string {
	nearest := x.Text('e', 5)
	_, exponent, _ := strings.Cut(nearest, "e")
	y, ulp := rat.Of(nearest), rat.Mul(rat.Of("1e"+exponent), rat.Of("1e-5"))
	switch side := y.Cmp(rat.Exact(x)); {
	case mode == big.ToNegativeInf && side > 0:
		y.Sub(y, ulp)
	case mode == big.ToPositiveInf && side < 0:
		y.Add(y, ulp)
	}
	return new(big.Float).SetPrec(200).SetRat(y).Text('e', 5)
}
