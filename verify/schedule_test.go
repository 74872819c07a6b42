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
	"equal", "decimals", "equal", "decimals", "small decimals", "equal", "decimals", "logarithms", "equal", "small decimals",
	"decimals", "equal", "small logarithms", "decimals", "equal", "grid", "decimals", "equal", "small mixed", "decimals",
}

// randomOrder returns the i-th order: 2 to 40 stops at random places, δ from 1e-3 to 1e-12,
// and δ_k that are 0 or, all together, up to half of δ.
func randomOrder(d register.Dice, i int) order {
	o := order{kind: orderKinds[i%len(orderKinds)], slack: impl.DefaultSlack}
	o.delta = big.NewRat(int64(1+d.Roll(9)), 1)
	o.delta.Mul(o.delta, rat.Of(fmt.Sprintf("1e-%d", 4+d.Roll(9))))
	var entries, count int
	eps := func() number { return number{big.NewRat(int64(5+d.Roll(400)), 1000), false} }
	base := big.NewRat(int64(21+d.Roll(40)), 20)
	logarithm := func() number { // with powers of one number there is a lattice
		if d.Roll(2) == 0 {
			return number{base, true}
		}
		return number{rat.Mul(base, base), true}
	}
	switch o.kind {
	case "equal":
		entries, count = 1, 2+d.Roll(400)
	case "decimals":
		entries, count = 2+d.Roll(3), 1+d.Roll(20)
		eps = func() number { return number{big.NewRat(int64(1+d.Roll(40)), 100), false} }
	case "logarithms":
		entries, count, eps = 1+d.Roll(2), 2+d.Roll(4), logarithm
	case "grid": // no lattice that fits
		entries, count, o.slack = 24+d.Roll(8), 1, 1e-2
		o.delta = big.NewRat(int64(1+d.Roll(9)), int64(1000*(1+9*d.Roll(2))))
		eps = func() number { return number{big.NewRat(int64(200_001+d.Roll(3_000_000)), 10_000_000), false} }
	default:
		entries, count = 2+d.Roll(2), 1+d.Roll(2)
		eps = func() number { return number{big.NewRat(int64(1+d.Roll(15)), 8), false} }
		if o.kind != "small decimals" {
			eps = logarithm
		}
	}
	each := new(big.Rat)
	if d.Roll(2) == 0 {
		each.Quo(o.delta, big.NewRat(int64((2+d.Roll(50))*entries*count), 1))
	}
	for j := range entries {
		o.mechanisms = append(o.mechanisms, mechanism{eps(), each, count})
		if o.kind == "small mixed" && j > 0 {
			o.mechanisms[j].eps = number{big.NewRat(int64(1+d.Roll(3)), 2), false}
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
		o.stops = append(o.stops, stop{k, number{rat.Of("0"), false}})
		o.weights = append(o.weights, float64(d.Roll(5)))
	}
	o.weights[d.Roll(len(o.weights))] = 1
}

// design returns the schedule of a shape.
func (o order) design(t *testing.T, shape impl.Shape, weights []float64) *impl.Schedule {
	s, err := impl.DesignSchedule(t.Context(), o.impl(), o.delta, impl.ScheduleOptions{Shape: shape, Weights: weights, Slack: o.slack})
	if err != nil {
		t.Fatalf("%v: %s: %v", o, shape, err)
	}
	o.checkCertificate(t, s, shape)
	return s
}

// checkCertificate solves the pipeline of a schedule again.
func (o order) checkCertificate(t *testing.T, s *impl.Schedule, shape impl.Shape) {
	if x := found(s.Result)["OptDel"]; x.hi.Cmp(o.delta) > 0 {
		t.Errorf("%v: %s: OptDel is %s", o, shape, x)
	}
	if s.Shortfall != "" {
		t.Errorf("%v: %s: %s", o, shape, s.Shortfall)
	}
	again, err := impl.OptDel(t.Context(), s.Pipeline, impl.Options{RelWidth: o.slack / 4})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []*impl.Result{s.Result, again} {
		x := found(r)["OptDel"]
		if x.lo.Cmp(o.delta) > 0 {
			t.Errorf("%v: %s: OptDel is %s", o, shape, x)
		}
		if r == s.Result {
			x.hi = x.lo
		}
		if least := o.least(o.slack); !allZero(s.Charges()) && x.hi.Cmp(least) < 0 {
			t.Errorf("%v: %s: OptDel is %s, must be %s or more", o, shape, x, decimalText(least))
		}
	}
}

// least is the smallest δ of charges that may leave this part of it, and are rounded.
func (o order) least(slack float64) *big.Rat {
	r := new(big.Rat).SetFloat64(1 - slack)
	return r.Mul(r, o.delta)
}

func allZero(charges []*big.Rat) bool {
	return !slices.ContainsFunc(charges, func(e *big.Rat) bool { return e.Sign() > 0 })
}

// losses returns the largest losses of the stops.
func (o order) losses() (losses []float64) {
	sum, next, each := 0.0, 0, o.each()
	for k, m := range each {
		x, _ := m.eps.rat.Float64()
		if m.eps.log {
			x = math.Log(x)
		}
		sum += x
		if k+1 == o.stops[next].after {
			losses, next = append(losses, sum), next+1
		}
	}
	return losses
}

// isLargest reports whether a charge is the largest loss, but for rounding: charges have 9 to
// 15 digits, and those within 2^-40 of the largest loss are that.
func isLargest(e *big.Rat, loss float64) bool {
	x, _ := e.Float64()
	return x >= loss*(1-0x1p-39)
}

// compareLemma11 holds a schedule against Lemma 11's and the single stops.
//
// Lemma 11's charges are larger at every stop, because it needs more for the same charges.
// They are equal where both are 0, where both are the largest loss, and at every stop
// if with Lemma 11's charges one stop at most has a δ that is not 0: then OptDel is
// Lemma 11's sum. Otherwise, they can be equal by rounding if both are so near the largest
// loss that the last of 9 to 15 digits does not tell them apart.
func (o order) compareLemma11(t *testing.T, s *impl.Schedule, equal map[string]int) {
	losses := o.losses()
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
			t.Errorf("%v: stop %d is charged %s, with Lemma 11 %s, largest loss %g", o, i+1, decimalText(e), decimalText(lemma), losses[i])
		}
	}
}

// near reports whether charges differ by no more than explains what either may leave of δ.
func (o order) near(x, y *big.Rat) bool {
	a, _ := x.Float64()
	b, _ := y.Float64()
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

// checkOptimal compares the costs of optimal and uniform.
func (o order) checkOptimal(t *testing.T, uniform *impl.Schedule) {
	optimal := o.design(t, impl.Optimal, nil)
	if a, b := optimal.Mean(optimal.Charges()), uniform.Mean(uniform.Charges()); a > b*(1+meanError) {
		t.Errorf("%v: optimal costs %g, uniform %g", o, a, b)
	}
	if o.length() <= smallOrder {
		o.checkExhaustive(t, optimal)
	}
	if strings.HasSuffix(o.kind, "logarithms") || o.kind == "small mixed" {
		return // a second each
	}
	weighted := o.design(t, impl.Optimal, o.weights)
	if a, b := weighted.Mean(weighted.Charges()), weighted.Mean(uniform.Charges()); a > b*(1+meanError) {
		t.Errorf("%v: optimal with weights costs %g, uniform %g", o, a, b)
	}
	if o.length() <= smallOrder {
		o.checkExhaustive(t, weighted)
	}
}

// meanError is the rounding of a mean.
const meanError = 1e-12

// smallOrder is the largest number of mechanisms that are enumerated.
const smallOrder = 7

// lessCharged is the part of the charges that is taken off to see that they are needed.
const lessCharged = 1e-4

// checkExhaustive enumerates all sequences: the δ is kept, and is not if all charges are a
// little less.
func (o order) checkExhaustive(t *testing.T, s *impl.Schedule) {
	charges := s.Charges()
	x := o.enclosed(t, o.charged(charges))["OptDel"]
	if x.hi.Cmp(o.delta) > 0 || !allZero(charges) && x.lo.Cmp(o.least(o.slack)) < 0 {
		t.Errorf("%v: charged %v, OptDel is %s", o, texts(charges), x)
	}
	if allZero(charges) {
		return
	}
	var less []*big.Rat
	for _, e := range charges {
		less = append(less, rat.Mul(e, new(big.Rat).SetFloat64(1-lessCharged)))
	}
	if x := o.enclosed(t, o.charged(less))["OptDel"]; x.lo.Cmp(o.delta) <= 0 {
		t.Errorf("%v: charged %v, OptDel is only %s", o, texts(less), x)
	}
}

// enclosed enumerates with 200 bits, which is enough for a δ of 1e-12.
func (o order) enclosed(t *testing.T, p problem) truths {
	v, err := exhaustive.Enclose(t.Context(), p.exhaustive(), 200, nil)
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	return named(v, spanOf)
}

// checkOthers enumerates all sequences for the charges next to a schedule.
func (o order) checkOthers(t *testing.T, s *impl.Schedule) {
	if s.Lemma11 != nil {
		x := o.enclosed(t, o.charged(s.Lemma11))["Lemma11"]
		if x.hi.Cmp(o.delta) > 0 || !allZero(s.Lemma11) && x.lo.Cmp(o.least(o.slack)) < 0 {
			t.Errorf("%v: Lemma 11 with %v is %s", o, texts(s.Lemma11), x)
		}
	}
	singles, losses := o.enclosed(t, o.charged(s.SingleStop)), o.losses()
	for i, e := range s.SingleStop {
		x := singles[fmt.Sprint("SingleStop ", i+1)]
		tight := e.Sign() == 0 || isLargest(e, losses[i]) || x.lo.Cmp(o.least(o.slack)) >= 0
		if x.hi.Cmp(o.delta) > 0 || !tight {
			t.Errorf("%v: stop %d alone, charged %s, is %s", o, i+1, decimalText(e), x)
		}
	}
}

func texts(charges []*big.Rat) (out []string) {
	for _, e := range charges {
		out = append(out, decimalText(e))
	}
	return out
}

func TestPair_Schedule(t *testing.T) {
	t.Parallel()
	d, n := register.Seeded(11), amount(len(orderKinds), 200)
	equal := map[string]int{}
	for i := range n {
		o := randomOrder(d, i)
		uniform := o.design(t, impl.Uniform, nil)
		o.compareLemma11(t, uniform, equal)
		if i%4 == 0 {
			o.compareLemma11(t, o.design(t, impl.Linear, nil), equal)
			o.compareLemma11(t, o.design(t, impl.Sqrt, nil), equal)
		}
		if o.length() <= smallOrder {
			o.checkExhaustive(t, uniform)
			o.checkOthers(t, uniform)
		}
		o.checkOptimal(t, uniform)
		if uniform.Shortfall != "" {
			equal["short, "+o.kind]++
		}
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
