package verify

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// order is a schedule that is asked for.
type order struct {
	problem // the charges are not used
	delta   *big.Rat
	slack   float64
	weights []float64
}

func (o order) String() string {
	return fmt.Sprintf("%v at %s, weights %g", o.problem, short(o.delta), o.weights)
}

// orderKinds are kinds of pipelines, one after the other: with so many entries and mechanisms an entry at most, a
// slack, and an ε. The last have no lattice that fits, and are searched on a grid.
var orderKinds = []struct {
	entries, count int
	slack          float64
	eps            func(d register.Dice) number
}{
	{1, 400, impl.DefaultSlack, decimalEps(400, 1000)},
	{4, 20, impl.DefaultSlack, decimalEps(40, 100)},
	{3, 2, impl.DefaultSlack, decimalEps(15, 8)},
	{3, 2, impl.DefaultSlack, powerEps},
	{2, 5, impl.DefaultSlack, powerEps},
	{30, 1, 1e-2, decimalEps(3_000_000, 10_000_000)},
}

func decimalEps(most, over int) func(d register.Dice) number {
	return func(d register.Dice) number { return number{big.NewRat(int64(1+d.Roll(most)), int64(over)), false} }
}

func powerEps(d register.Dice) number { return number{rat.Power(rat.Of("3/2"), 1+d.Roll(2)), true} }

// randomOrder returns the i-th order: up to 40 stops at random places, δ from 1e-3 to 1e-12, and δ_k that are 0 or, all
// together, up to half of δ.
func randomOrder(d register.Dice, i int) order {
	kind := orderKinds[i%len(orderKinds)]
	o := order{slack: kind.slack, delta: rat.Mul(rat.Int(1+d.Roll(9)), rat.Of(fmt.Sprintf("1e-%d", 4+d.Roll(9))))}
	if kind.slack > impl.DefaultSlack {
		o.delta = big.NewRat(int64(1+d.Roll(9)), 10_000)
	}
	count, each := 1+d.Roll(kind.count), new(big.Rat)
	if d.Roll(2) == 0 {
		each = rat.Quo(o.delta, rat.Int((2+d.Roll(50))*kind.entries*count))
	}
	for range kind.entries {
		o.mechanisms = append(o.mechanisms, mechanism{kind.eps(d), each, count})
	}
	total := o.length()
	places := []int{total}
	for range d.Roll(40) {
		places = append(places, 1+d.Roll(total))
	}
	slices.Sort(places)
	for _, k := range slices.Compact(places) {
		o.stops = append(o.stops, stop{k, nothing(false)})
		o.weights = append(o.weights, float64(d.Roll(5)))
	}
	o.weights[0] = 1
	return o
}

// design returns the schedule of a shape, after solving its pipeline again; small ones are enumerated.
func (o order) design(t *testing.T, shape impl.Shape, weights []float64) *impl.Schedule {
	s, err := impl.DesignSchedule(t.Context(), o.impl(), o.delta,
		impl.ScheduleOptions{Shape: shape, Weights: weights, Slack: o.slack})
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

// checkComparisons holds a schedule against Lemma 11's, whose charges are no smaller at any stop, and against single
// stops', whose are no larger.
func (o order) checkComparisons(t *testing.T, s *impl.Schedule) {
	for i, e := range s.Charges() {
		if s.SingleStop[i].Cmp(e) > 0 && !o.near(e, s.SingleStop[i]) {
			t.Errorf("%v: stop %d is charged %s, a single stop %s",
				o, i+1, decimalText(e), decimalText(s.SingleStop[i]))
		}
		if s.Lemma11 != nil && e.Cmp(s.Lemma11[i]) > 0 && !o.near(e, s.Lemma11[i]) {
			t.Errorf("%v: stop %d is charged %s, with Lemma 11 %s", o, i+1, decimalText(e), decimalText(s.Lemma11[i]))
		}
	}
}

// near reports whether charges differ by no more than explains what either may leave of δ.
func (o order) near(x, y *big.Rat) bool {
	a, b := rat.Float64(x), rat.Float64(y)
	return math.Abs(a-b) <= 10*o.slack*max(a, b)
}

// charged returns the problem with these charges.
func (o order) charged(charges []*big.Rat) problem {
	p := o.problem.clone()
	for i, e := range charges {
		p.stops[i].eps = number{e, false}
	}
	return p
}

// smallOrder is the largest number of mechanisms that are enumerated.
const smallOrder = 7

// checkExhaustive enumerates all sequences: the δ is kept, and is not if all charges are a
// little less; so is that of Lemma 11, where it is given, and single stops need no more.
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
	singles := o.enclosed(t, s.SingleStop)
	for i := range s.SingleStop {
		o.checkDelta(t, fmt.Sprint("stop ", i+1, " alone"), singles[fmt.Sprint("SingleStop ", i+1)])
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
	const rounding = 1e-12 // of a mean
	d := register.Seeded(11)
	for i := range amount(6, 200) {
		o := randomOrder(d, i)
		uniform := o.design(t, impl.Uniform, nil)
		o.checkComparisons(t, uniform)
		if i%4 == 0 {
			o.checkComparisons(t, o.design(t, impl.Linear, nil))
			o.checkComparisons(t, o.design(t, impl.Sqrt, nil))
		}
		optimal := o.design(t, impl.Optimal, o.weights)
		if a, b := optimal.Mean(optimal.Charges()), optimal.Mean(uniform.Charges()); a > b*(1+rounding) {
			t.Errorf("%v: optimal costs %g, uniform %g", o, a, b)
		}
	}
}
