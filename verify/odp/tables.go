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

func tables() register.Checks {
	return register.Checks{
		"ODP-X4": register.Checked(register.With2(simpleComposition, rat.One, rat.One),
			near2("with kε + ln(21/20) in place of kε it cannot be improved", simpleComposition, big.NewRat(21, 20), rat.One),
			near2("kε − ln(20/19), where that is not below 0, is enough", simpleComposition, big.NewRat(19, 20), rat.One),
			near2("they compose to (kε, 9/10 kδ)-DP for k ≥ 2", simpleComposition, rat.One, big.NewRat(9, 10)),
		),
		"ODP-X29": register.Checked(register.With(improvementNeeds, rat.One),
			register.AlsoFails(register.ProofStep,
				"the step from the list to any ε below kε: it needs at least δ_1, so that δ cannot be "+
					"arbitrarily small",
				improvementAnywhere),
			near("19/20 of δ_i are enough", improvementNeeds, big.NewRat(19, 20)),
		),
		"ODP-TB1": register.Checked(register.With(table1, printedTable1),
			near("the last number is 42", table1, []int{16, 19, 23, 26, 30, 34, 37, 42}),
			near("the last number is 40", table1, []int{16, 19, 23, 26, 30, 34, 37, 40}),
			register.Corrected("in the list of Theorem 3.3, the numbers are 16, 19, 23, 26, 30, 34, 37, 41",
				register.With(table1, correctedTable1)),
		),
	}
}

// responses returns the laws of k randomized responses, sequence by sequence.
func responses(m spec.Mechanism, k int) finite.Pair {
	return finite.Responses(slices.Repeat([]spec.Mechanism{m}, k)...)
}

// pureResponses are k responses with δ = 0, from the law of one: with the answers that never occur, there are too many
// sequences of ten.
func pureResponses(expEps *big.Rat, k int) finite.Pair {
	return finite.Independent(slices.Repeat([]finite.Pair{responses(finite.Pure(expEps), 1)}, k)...).Law(nil)
}

// simpleComposition checks that k responses are (kε, kδ)-DP, or with a share of e^(kε), or for k ≥ 2 with a part of
// that δ, and that for δ = 0 no smaller ε will do; and that so are two mechanisms, the second depending on the first.
func simpleComposition(t *register.T, share, part *big.Rat) {
	most := t.Size(4, 6)
	t.Domain("up to %d responses with (e^ε, δ) = (3, 0), (3/2, 0), (3/2, 1/10), (7/2, 1/20), (1, 1/2); one in 7 of all "+
		"chains of two of 6 mechanisms with 2 outputs, e^ε in {1, 3/2, 3}", most)
	for _, m := range append(slices.Clone(finite.Mechanisms), finite.Pure(big.NewRat(3, 2)),
		spec.Mechanism{ExpEps: big.NewRat(7, 2), Delta: big.NewRat(1, 20)}) {
		for k := 1; k <= most; k++ {
			laws := responses(m, k)
			charge := composedTo(t, laws, m, k, share, part)
			less := finite.Constant(rat.Mul(rat.Of("0.999999"), charge))
			t.Require(m.Delta.Sign() != 0 || laws.Delta(less).Sign() > 0, "less than e^ε = %s is enough", charge)
		}
	}
	for c := range finite.EveryNth(finite.Trees(telling(), "b", "a", ""), 7) {
		for _, expEps := range finite.Charges {
			m := spec.Mechanism{ExpEps: expEps, Delta: rat.Max(c.Needs(1, expEps), c.Needs(2, expEps))}
			composedTo(t, c.First(2), m, 2, share, part)
		}
	}
}

// composedTo checks the laws of the outputs of k mechanisms with the parameters of m, and returns their e^ε.
func composedTo(t *register.T, laws finite.Pair, m spec.Mechanism, k int, share, part *big.Rat) (charge *big.Rat) {
	t.At("%d mechanisms with e^ε = %s, δ = %s", k, m.ExpEps, m.Delta)
	charge, bound := rat.Max(rat.One, rat.Mul(share, rat.Power(m.ExpEps, k))), rat.Mul(rat.Int(k), m.Delta)
	if k > 1 {
		bound = rat.Mul(part, bound)
	}
	got := laws.DeltaBothWays(finite.Constant(charge))
	t.Require(got.Cmp(bound) <= 0, "the outputs have the laws %v: e^%dε = %s needs δ = %s", laws, k, charge, got)
	if k > 1 {
		t.CloseTo(got, bound, "")
	}
	return charge
}

// improvementAnywhere checks that every total below kε needs at least the δ of i = 1.
func improvementAnywhere(t *register.T) {
	t.Domain("2 to 5 responses with e^ε = 3/2 and 3, a total of e^(kε) less by 10^−12 of itself")
	for _, expEps := range finite.Charges[1:] {
		for k := 2; k <= 5; k++ {
			t.At("%d responses with e^ε = %s", k, expEps)
			all := rat.Power(expEps, k)
			total, first := rat.Mul(all, rat.Of("0.999999999999")), deltaOf(t, k, 1, expEps)
			needs := responses(finite.Pure(expEps), k).Delta(finite.Constant(total))
			t.Require(needs.Cmp(first) >= 0, "a total e^ε = %s, below %s, needs δ = %s; i = 1 has δ = %s", total, all, needs,
				first)
		}
	}
}

// improvementNeeds checks that for i ≥ 1 a total of (k − 2i)ε needs just a part of δ_i, which is at least δ_1, and
// that δ_1 falls as k grows.
func improvementNeeds(t *register.T, part *big.Rat) {
	lengths := []int{2, 3, 4, 5, 6, 10, 12}[:t.Size(6, 7)] // 10 for sums of five terms: i is at most k/2
	t.Domain("k responses with e^ε = 3/2 and 3, k in %v, all i", lengths)
	for _, expEps := range finite.Charges[1:] {
		previous := rat.One
		for _, k := range lengths {
			laws, first := pureResponses(expEps, k), deltaOf(t, k, 1, expEps)
			for i := 1; 2*i <= k; i++ {
				t.At("%d responses with e^ε = %s, i = %d", k, expEps, i)
				total, delta := rat.Power(expEps, k-2*i), rat.Mul(part, deltaOf(t, k, i, expEps))
				needs := laws.Delta(finite.Constant(total))
				t.Require(rat.Equal(needs, delta), "a total e^ε = %s needs δ = %s; δ_i = %s", total, needs, delta)
				t.Require(rat.Mul(part, first).Cmp(delta) <= 0 && first.Cmp(previous) < 0, "δ_1 = %s, and %s before; δ_i = %s",
					first, previous, delta)
			}
			previous = first
		}
	}
}

// deltaOf returns δ_i as printed, which the certified one must contain.
func deltaOf(t *register.T, k, i int, expEps *big.Rat) *big.Rat {
	printed := register.Must(spec.HomogeneousDelta(k, i, expEps))
	x := register.Must(impl.HomogeneousDelta(k, i, loss.Exp(expEps)))
	t.Require(x.Contains(printed) && x.RelWidth() <= narrow, "k = %d, i = %d, e^ε = %s: δ = %s as printed, [%.12g, "+
		"%.12g] certified", k, i, expEps, printed, x.Lower, x.Upper)
	return printed
}

// narrow is the relative width that certified numbers have.
const narrow = 0x1p-60

// table1 checks the row of Table 1.
func table1(t *register.T, row []int) {
	t.Domain("ε = 0.1, δ = 1e-5 to 1e-12, i = 1")
	tenth := loss.Nats(big.NewRat(1, 10))
	for j, want := range row {
		t.Case()
		limit := new(big.Rat).Inv(rat.Power(big.NewRat(10, 1), 5+j))
		at, before := tenthDelta(t, want), tenthDelta(t, want-1)
		switch got := leastMechanisms(tenth, limit); {
		case rat.IsAbove(at, limit):
			t.Refute("δ = 1e-%d: I = %d is not enough, with %s; %d is", 5+j, want, certified(at), got)
		case !rat.IsAbove(before, limit):
			t.Refute("δ = 1e-%d: I = %d is enough already, with %s", 5+j, got, certified(tenthDelta(t, got)))
		case got != want:
			t.Refute("δ = 1e-%d: I = %d by bisection, %d by its neighbours", 5+j, got, want)
		}
	}
}

// tenthDelta returns the δ_1 of k mechanisms with ε = 0.1. The one as printed grows with e^ε, so that those of rational
// numbers below and above e^0.1 must be around it.
func tenthDelta(t *register.T, k int) interval.Interval {
	x := register.Must(impl.HomogeneousDelta(k, 1, loss.Nats(big.NewRat(1, 10))))
	e := interval.Precision(100).ExpRat(big.NewRat(1, 10))
	below, above := register.Must(spec.HomogeneousDelta(k, 1, rat.Exact(e.Lower))),
		register.Must(spec.HomogeneousDelta(k, 1, rat.Exact(e.Upper)))
	t.Require(below.Cmp(rat.Exact(x.Upper)) <= 0 && above.Cmp(rat.Exact(x.Lower)) >= 0 && x.RelWidth() <= narrow,
		"k = %d: δ_1 is between %.12g and %.12g as printed, [%.12g, %.12g] certified", k, below, above, x.Lower, x.Upper)
	return x
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
