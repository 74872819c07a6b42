package verify

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// composition is mechanisms, whose stops are not used, and a δ for all of them.
type composition struct {
	problem
	delta *big.Rat
}

func (c composition) String() string { return fmt.Sprintf("%v at δ = %s", c.problem, short(c.delta)) }

// drawComposition returns one of up to so many mechanisms.
func drawComposition(t *rapid.T, most int, kind terms) composition {
	p := problems(kind, most).Draw(t, "problem")
	return composition{p, composedDelta(search{t}, p)}
}

// composedDelta returns δ in [0, 1) for the mechanisms of p: 0, what their own δ amount to, a
// little more or less, what ε = 0 needs, tiny, or smooth.
func composedDelta(d register.Dice, p problem) *big.Rat {
	leak := new(big.Rat)
	for _, m := range p.each() {
		leak.Add(leak, rat.Mul(rat.Complement(leak), m.delta))
	}
	part := func(of *big.Rat) *big.Rat { return rat.Add(leak, rat.Mul(rat.Complement(leak), of)) }
	switch d.Roll(8) {
	case 0:
		return new(big.Rat)
	case 1:
		return leak
	case 2:
		return part(rat.Of("1e-30"))
	case 3:
		return rat.Mul(leak, rat.Of("0.999999"))
	case 4:
		return part(rat.Of("1e-9"))
	case 5:
		if e := p.mechanisms[0].eps; e.log && p.length() == 1 { // what ε = 0 needs
			return part(rat.Quo(rat.Sub(e.rat, rat.One), rat.Add(e.rat, rat.One)))
		}
	}
	return part(big.NewRat(int64(1+d.Roll(400)), 1000))
}

// impl returns what impl finds; nil if there is no ε.
func (c composition) impl(t reporter, width float64) *impl.Composition {
	got, err := impl.OptComp(t.Context(), c.problem.impl().Mechanisms, c.delta, impl.Options{RelWidth: width})
	if _, none := errors.AsType[*impl.DeltaError](err); none {
		return nil
	}
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	if width == 0 {
		width = impl.DefaultRelWidth
	}
	if w := got.Eps.RelWidth(); !(w >= 0 && w <= width) && got.Shortfall == "" {
		t.Errorf("%v: relative width %g, and no reason is given", c, w)
	}
	return got
}

// spec returns the exact e^ε, or nil if there is no ε; false if a δ is 1, as spec divides by 1 − δ.
func (c composition) spec(t reporter) (*big.Rat, bool) {
	if slices.ContainsFunc(c.mechanisms, func(m mechanism) bool { return rat.Equal(m.delta, rat.One) }) {
		return nil, false
	}
	want, err := spec.OptComp(c.problem.spec().Mechanisms, c.delta)
	if err != nil {
		t.Fatalf("%v: %v", c, err)
	}
	return want, true
}

// mostComposed is the largest number of mechanisms of a random composition: 4^5 terms.
const mostComposed = 5

// propOptComp: the interval of impl contains the ε of spec, which is compared as e^ε.
func propOptComp(t *rapid.T) {
	c := drawComposition(t, mostComposed, ratios)
	want, is := c.spec(t)
	if !is {
		return
	}
	got := c.impl(t, rapid.SampledFrom([]float64{0, 1e-3, 1e-15, 1e-30}).Draw(t, "width"))
	switch {
	case (got == nil) != (want == nil):
		t.Fatalf("%v: %v, but spec has e^ε = %v", c, got, want)
	case got == nil:
		return
	case got.Shortfall != "" || !expBetween(got.Eps, want):
		t.Errorf("%v: ε is in [%g, %g], but spec has e^ε = %s: %s",
			c, got.Eps.Lower, got.Eps.Upper, want.RatString(), got.Shortfall)
	}
	if e := got.Exact; e != nil && e.Sign() == 0 != rat.Equal(want, rat.One) {
		t.Errorf("%v: ε is exactly %s, but spec has e^ε = %s", c, e.RatString(), want.RatString())
	}
}

// expBetween reports whether e^Lower ≤ x ≤ e^Upper can be.
func expBetween(i interval.Interval, x *big.Rat) bool {
	return rat.Exact(expOf(i.Lower).Lower).Cmp(x) <= 0 && x.Cmp(rat.Exact(expOf(i.Upper).Upper)) <= 0
}

func expOf(x *big.Float) interval.Interval {
	factor, err := loss.Factor(loss.Nats(rat.Exact(x)))
	if err != nil {
		panic(err)
	}
	return factor
}

// propOptCompOfOptDel: at the ends of the interval of impl OptDel is δ, from enumeration or, for many mechanisms, from
// the plain recursion.
func propOptCompOfOptDel(t *rapid.T) {
	kind := rapid.SampledFrom([]terms{decimals, mixed, multiples}).Draw(t, "terms")
	c := drawComposition(t, map[terms]int{decimals: most, mixed: most, multiples: 60}[kind], kind)
	at := func(eps *big.Rat) span {
		return truth(t, problem{c.mechanisms, []stop{{c.length(), number{eps, false}}}}, kind)["OptDel"]
	}
	got := c.impl(t, 0)
	if got == nil {
		if x := at(rat.Of("1e6")); x.hi.Cmp(c.delta) <= 0 {
			t.Errorf("%v: there is no ε, but ε = 1e6 has δ %s", c, x)
		}
		return
	}
	if x := at(rat.Exact(got.Eps.Upper)); x.lo.Cmp(c.delta) > 0 {
		t.Errorf("%v: the upper end %g has δ %s", c, got.Eps.Upper, x)
	}
	if x := at(rat.Exact(got.Eps.Lower)); got.Eps.Lower.Sign() > 0 && x.hi.Cmp(c.delta) < 0 {
		t.Errorf("%v: the lower end %g has δ %s", c, got.Eps.Lower, x)
	}
}

// A control: an interval that does not reach spec's ε is noticed.
func TestControl_OptCompInterval(t *testing.T) {
	t.Parallel()
	c := composition{parse("ln(3) 1/10 x3 | 3 ln(1)"), rat.Half}
	want, _ := c.spec(t)
	got := c.impl(t, 0).Eps
	below, above := got, got
	below.Upper = new(big.Float).Mul(got.Lower, big.NewFloat(1-1e-9))
	above.Lower = new(big.Float).Mul(got.Upper, big.NewFloat(1+1e-9))
	if !expBetween(got, want) || expBetween(below, want) || expBetween(above, want) {
		t.Errorf("wrong intervals pass: %v, %v, or the right one does not: %v", below, above, got)
	}
}
