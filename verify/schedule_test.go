package verify

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// order is a schedule that is asked for.
type order struct {
	problem        // the charges are not used
	kind    string // see orderKinds
	delta   *big.Rat
	slack   float64
	weights []float64
}

func (o order) String() string {
	return fmt.Sprintf("%s: %v at %s, weights %g", o.kind, o.problem, short(o.delta), o.weights)
}

// orderKinds are the kinds of pipelines, one after the other. Of "small mixed" the charges are
// searched on a grid that is far too coarse for them: they are valid, and no more.
var orderKinds = []string{
	"equal", "decimals", "small decimals", "logarithms", "grid", "small logarithms", "small mixed", "decimals",
	"equal", "decimals", "equal", "small decimals", "decimals", "equal",
	"decimals", "equal", "decimals", "equal", "decimals", "equal",
}

// randomOrder returns the i-th order: 2 to 40 stops at random places, δ from 1e-3 to 1e-12,
// and δ_k that are 0 or, all together, up to half of δ.
func randomOrder(d register.Dice, i int) order {
	o := order{kind: orderKinds[i%len(orderKinds)], slack: impl.DefaultSlack}
	o.delta = rat.Mul(rat.Int(1+d.Roll(9)), rat.Of(fmt.Sprintf("1e-%d", 4+d.Roll(9))))
	decimal := func(least, most, over int) func() number {
		return func() number { return number{big.NewRat(int64(least+d.Roll(most)), int64(over)), false} }
	}
	base := big.NewRat(int64(21+d.Roll(40)), 20)
	logarithm := func() number {
		return number{rat.Power(base, 1+d.Roll(2)),
			true}
	} // with powers of one number there is a lattice
	var entries, count int
	eps := decimal(5, 400, 1000)
	switch o.kind {
	case "equal":
		entries, count = 1, 2+d.Roll(400)
	case "decimals":
		entries, count, eps = 2+d.Roll(3), 1+d.Roll(20), decimal(1, 40, 100)
	case "logarithms":
		entries, count, eps = 1+d.Roll(2), 2+d.Roll(4), logarithm
	case "grid": // no lattice that fits
		entries, count, o.slack, eps = 24+d.Roll(8), 1, 1e-2, decimal(200_001, 3_000_000, 10_000_000)
		o.delta = big.NewRat(int64(1+d.Roll(9)), int64(1000*(1+9*d.Roll(2))))
	case "small decimals":
		entries, count, eps = 2+d.Roll(2), 1+d.Roll(2), decimal(1, 15, 8)
	default:
		entries, count, eps = 2+d.Roll(2), 1+d.Roll(2), logarithm
	}
	each := new(big.Rat)
	if d.Roll(2) == 0 {
		each = rat.Quo(o.delta, rat.Int((2+d.Roll(50))*entries*count))
	}
	for j := range entries {
		o.mechanisms = append(o.mechanisms, mechanism{eps(), each, count})
		if o.kind == "small mixed" && j > 0 {
			o.mechanisms[j].eps = decimal(1, 3, 2)()
		}
	}
	o.addStops(d)
	return o
}

// addStops adds stops at random places, and weights.
func (o *order) addStops(d register.Dice) {
	total := o.length()
	most := min(total, 2+d.Roll(39))
	places := []int{total}
	for len(places) < most {
		if k := 1 + d.Roll(total-1); !slices.Contains(places, k) {
			places = append(places, k)
		}
	}
	slices.Sort(places)
	for _, k := range places {
		o.stops = append(o.stops, stop{k, number{new(big.Rat), false}})
		o.weights = append(o.weights, float64(d.Roll(5)))
	}
	o.weights[d.Roll(len(o.weights))] = 1
}

// design returns the schedule of a shape, after solving its pipeline again; small ones are enumerated.
func (o order) design(t *testing.T, shape impl.Shape, weights []float64) *impl.Schedule {
	s, err := impl.DesignSchedule(t.Context(), o.impl(), o.delta, impl.ScheduleOptions{Shape: shape, Weights: weights,
		Slack: o.slack})
	if err != nil {
		t.Fatalf("%v: %s: %v", o, shape, err)
	}
	if s.Shortfall != "" {
		t.Errorf("%v: %s: %s", o, shape, s.Shortfall)
	}
	again, err := impl.OptDel(t.Context(), s.Pipeline, impl.Options{RelWidth: o.slack / 4})
	if err != nil {
		t.Fatal(err)
	}
	x := found(s.Result)["OptDel"]
	o.checkDelta(t, string(shape)+", as certified", span{x.hi, x.lo}, s.Charges()...) // both ends are right
	o.checkDelta(t, string(shape)+", again", found(again)["OptDel"], s.Charges()...)
	if o.length() <= smallOrder {
		o.checkExhaustive(t, s)
	}
	return s
}

// checkDelta holds a δ against what is asked for: it must not be more, nor less than the slack explains, unless all
// charges are 0.
func (o order) checkDelta(t *testing.T, what string, x span, charges ...*big.Rat) {
	least := rat.Mul(new(big.Rat).SetFloat64(1-o.slack), o.delta)
	if x.lo.Cmp(o.delta) > 0 || !allZero(charges) && x.hi.Cmp(least) < 0 {
		t.Errorf("%v: %s: charged %v, the δ is %s", o, what, texts(charges), x)
	}
}

func allZero(charges []*big.Rat) bool {
	return !slices.ContainsFunc(charges, func(e *big.Rat) bool { return e.Sign() > 0 })
}

// largestLosses returns the largest losses of the stops.
func (o order) largestLosses() (losses []float64) {
	for _, s := range o.stops {
		_, _, most := o.moments(s.after)
		losses = append(losses, most)
	}
	return losses
}

// isLargest reports whether a charge is the largest loss, but for rounding: charges have 9 to
// 15 digits, and those within 2^-40 of the largest loss are that.
func isLargest(e *big.Rat, loss float64) bool { return rat.Float64(e) >= loss*(1-0x1p-39) }

// compareLemma11 holds a schedule against Lemma 11's and the single stops.
//
// Lemma 11's charges are larger at every stop, because it needs more for the same charges.
// They are equal where both are 0, where both are the largest loss, and at every stop
// if with Lemma 11's charges one stop at most has a δ that is not 0: then OptDel is
// Lemma 11's sum. Otherwise, they can be equal by rounding if both are so near the largest
// loss that the last of 9 to 15 digits does not tell them apart.
func (o order) compareLemma11(t *testing.T, s *impl.Schedule, equal map[string]int) {
	losses := o.largestLosses()
	strict := s.Lemma11 != nil && o.paying(t, s.Lemma11) > 1
	for i, e := range s.Charges() {
		if s.SingleStop[i].Cmp(e) > 0 && !o.near(e, s.SingleStop[i]) {
			t.Errorf("%v: stop %d is charged %s, a single stop %s", o, i+1, decimalText(e), decimalText(s.SingleStop[i]))
		}
		if s.Lemma11 == nil {
			continue
		}
		lemma := s.Lemma11[i]
		switch {
		case e.Cmp(lemma) < 0:
			equal["less"]++
		case e.Sign() == 0 && lemma.Sign() == 0:
			equal["both 0"]++
		case isLargest(e, losses[i]) && isLargest(lemma, losses[i]):
			equal["both the largest loss"]++
		case !strict && o.near(e, lemma):
			equal["one stop pays"]++
		default:
			t.Errorf("%v: stop %d is charged %s, with Lemma 11 %s, largest loss %g", o, i+1, decimalText(e),
				decimalText(lemma), losses[i])
		}
	}
}

// near reports whether charges differ by no more than explains what either may leave of δ.
func (o order) near(x, y *big.Rat) bool {
	a, b := rat.Float64(x), rat.Float64(y)
	return math.Abs(a-b) <= 10*o.slack*max(a, b)
}

// paying returns the number of stops with a δ of its own that is not 0 with these charges.
func (o order) paying(t *testing.T, charges []*big.Rat) (n int) {
	for _, x := range solve(t, o.charged(charges), impl.Options{RelWidth: 0.5}).SingleStop {
		if x.Upper.Sign() > 0 {
			n++
		}
	}
	return n
}

// charged returns the problem with these charges.
func (o order) charged(charges []*big.Rat) problem {
	p := o.problem.clone()
	for i, e := range charges {
		p.stops[i].eps = number{e, false}
	}
	return p
}

// checkOptimal compares the costs of optimal and uniform, with weights too, but where that takes a second.
func (o order) checkOptimal(t *testing.T, uniform *impl.Schedule) {
	const rounding = 1e-12 // of a mean
	all := [][]float64{nil, o.weights}
	if strings.HasSuffix(o.kind, "logarithms") || o.kind == "small mixed" {
		all = all[:1]
	}
	for _, weights := range all {
		optimal := o.design(t, impl.Optimal, weights)
		if a, b := optimal.Mean(optimal.Charges()), optimal.Mean(uniform.Charges()); a > b*(1+rounding) {
			t.Errorf("%v: optimal with weights %v costs %g, uniform %g", o, weights, a, b)
		}
	}
}

// smallOrder is the largest number of mechanisms that are enumerated.
const smallOrder = 7

// checkExhaustive enumerates all sequences: the δ is kept, and is not if all charges are a
// little less; so are those of Lemma 11 and of the single stops, where they are given.
func (o order) checkExhaustive(t *testing.T, s *impl.Schedule) {
	const lessCharged = 1e-4
	charges := s.Charges()
	o.checkDelta(t, "enumerated", o.enclosed(t, charges)["OptDel"], charges...)
	var less []*big.Rat
	for _, e := range charges {
		less = append(less, rat.Mul(e, new(big.Rat).SetFloat64(1-lessCharged)))
	}
	if x := o.enclosed(t, less)["OptDel"]; !allZero(charges) && x.lo.Cmp(o.delta) <= 0 {
		t.Errorf("%v: charged %v, OptDel is only %s", o, texts(less), x)
	}
	if s.Lemma11 != nil {
		o.checkDelta(t, "Lemma 11", o.enclosed(t, s.Lemma11)["Lemma11"], s.Lemma11...)
	}
	singles, losses := o.enclosed(t, s.SingleStop), o.largestLosses()
	for i, e := range s.SingleStop {
		tight := []*big.Rat{e}
		if isLargest(e, losses[i]) {
			tight = nil
		}
		o.checkDelta(t, fmt.Sprint("stop ", i+1, " alone"), singles[fmt.Sprint("SingleStop ", i+1)], tight...)
	}
}

// enclosed enumerates with 200 bits, which is enough for a δ of 1e-12.
func (o order) enclosed(t *testing.T, charges []*big.Rat) truths {
	p := o.charged(charges)
	v, err := exhaustive.Enclose(t.Context(), p.exhaustive(), 200, nil)
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	return named(v, spanOf)
}

func texts(charges []*big.Rat) (out []string) {
	for _, e := range charges {
		out = append(out, decimalText(e))
	}
	return out
}

func TestPair_Schedule(t *testing.T) {
	t.Parallel()
	d, equal := register.Seeded(11), map[string]int{}
	for i := range amount(8, 200) {
		o := randomOrder(d, i)
		uniform := o.design(t, impl.Uniform, nil)
		o.compareLemma11(t, uniform, equal)
		if i%4 == 0 {
			o.compareLemma11(t, o.design(t, impl.Linear, nil), equal)
			o.compareLemma11(t, o.design(t, impl.Sqrt, nil), equal)
		}
		o.checkOptimal(t, uniform)
	}
	t.Log("charges beside those of Lemma 11:", equal)
}

// TestSchedule_Equal: what makes the charges equal to Lemma 11's, at all stops or at one.
func TestSchedule_Equal(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ problem, delta, equal string }{
		{"0 0 x2, 0.1 0 x10 | 2 0, 8 0, 12 0", "1e-4", "both 0"},
		{"0.001 0 x2, 1 0 x10 | 2 0, 8 0, 12 0", "0.01", "both 0"},
		{"0 0 x2, 0.1 0 x10 | 2 0, 12 0", "1e-4", "one stop pays"},
		{"0.1 0 x10 | 10 0", "1e-4", "one stop pays"},
	} {
		o := order{problem: parse(row.problem), kind: "row", delta: rat.Of(row.delta), slack: impl.DefaultSlack}
		equal := map[string]int{}
		o.compareLemma11(t, o.design(t, impl.Uniform, nil), equal)
		if equal[row.equal] == 0 {
			t.Errorf("%v: %v, must be %s at some stop", o, equal, row.equal)
		}
	}
}
