package verify

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// mostComposed is the largest number of mechanisms of a random composition: 4^5 terms.
const mostComposed = 5

// compose returns what impl finds for p, whose stops are not used.
func compose(t reporter, p problem, delta *big.Rat, o impl.Options) (*impl.Composition, error) {
	c, err := impl.OptComp(t.Context(), p.impl().Mechanisms, delta, o)
	if err != nil {
		return nil, err
	}
	width := o.RelWidth
	if width == 0 {
		width = impl.DefaultRelWidth
	}
	if w := c.Eps.RelWidth(); !(w >= 0 && w <= width) && c.Shortfall == "" {
		t.Errorf("%v at δ = %s: relative width %g, and no reason is given", p, short(delta), w)
	}
	return c, nil
}

// composedDelta returns δ in [0, 1) for the mechanisms of p: 0, what their own δ amount to, a
// little more or less, what ε = 0 needs, tiny, or smooth.
func composedDelta(d register.Dice, p problem) *big.Rat {
	leak := new(big.Rat)
	for _, m := range p.each() {
		leak.Add(leak, rat.Mul(rat.Complement(leak), m.delta))
	}
	rest := rat.Complement(leak)
	part := func(of string) *big.Rat { return rat.Add(leak, rat.Mul(rest, rat.Of(of))) }
	switch d.Roll(8) {
	case 0:
		return rat.Of("0")
	case 1:
		return leak
	case 2:
		return part("1e-30")
	case 3:
		return rat.Mul(leak, rat.Of("0.999999"))
	case 4:
		return part("1e-9")
	case 5:
		if p.mechanisms[0].eps.log && p.length() == 1 { // what ε = 0 needs
			e := p.mechanisms[0].eps.rat
			x := rat.Quo(rat.Sub(e, rat.One), rat.Add(e, rat.One))
			return rat.Add(leak, x.Mul(x, rest))
		}
	}
	return part(big.NewRat(int64(1+d.Roll(400)), 1000).RatString())
}

// specComposition returns the exact e^ε, or nil if there is no ε.
func specComposition(t reporter, p problem, delta *big.Rat) *big.Rat {
	want, err := spec.OptComp(p.spec().Mechanisms, delta)
	if err != nil {
		t.Fatalf("%v at δ = %s: %v", p, short(delta), err)
	}
	return want
}

// hasOne reports whether a δ of p is 1: spec divides by 1 − δ.
func (p problem) hasOne() bool {
	for _, m := range p.mechanisms {
		if m.delta.Cmp(rat.One) == 0 {
			return true
		}
	}
	return false
}

// propOptComp: the interval of impl contains the ε of spec, which is compared as e^ε.
func propOptComp(t *rapid.T) {
	p := problems(ratios, mostComposed).Draw(t, "problem")
	delta := composedDelta(search{t}, p)
	if p.hasOne() {
		return
	}
	width := rapid.SampledFrom([]float64{0, 1e-3, 1e-15, 1e-30}).Draw(t, "width")
	want := specComposition(t, p, delta)
	got, err := compose(t, p, delta, impl.Options{RelWidth: width})
	if _, none := errors.AsType[*impl.DeltaError](err); none != (want == nil) || err != nil && !none {
		t.Fatalf("%v at δ = %s: %v, but spec has e^ε = %v", p, short(delta), err, want)
	}
	if want == nil {
		return
	}
	if got.Shortfall != "" {
		t.Errorf("%v at δ = %s: %s", p, short(delta), got.Shortfall)
	}
	if !expBetween(got.Eps, want) {
		t.Errorf("%v at δ = %s: ε is in [%g, %g], but spec has e^ε = %s", p, short(delta), got.Eps.Lower, got.Eps.Upper, want.RatString())
	}
	if e := got.Exact; e != nil && e.Sign() == 0 != (want.Cmp(rat.One) == 0) {
		t.Errorf("%v at δ = %s: ε is exactly %s, but spec has e^ε = %s", p, short(delta), e.RatString(), want.RatString())
	}
}

// expBetween reports whether e^Lower ≤ x ≤ e^Upper can be.
func expBetween(i interval.Interval, x *big.Rat) bool {
	lower, upper := expOf(i.Lower), expOf(i.Upper)
	return rat.Exact(lower.Lower).Cmp(x) <= 0 && x.Cmp(rat.Exact(upper.Upper)) <= 0
}

func expOf(x *big.Float) interval.Interval {
	factor, err := loss.Factor(loss.Nats(rat.Exact(x)))
	if err != nil {
		panic(err)
	}
	return factor
}

// propOptCompControl: an ε that is too small by more than the width of the interval is not valid,
// says the inequality of spec; and spec's own ε is.
func propOptCompControl(t *rapid.T) {
	p := problems(ratios, 3).Draw(t, "problem")
	delta := composedDelta(search{t}, p)
	if p.hasOne() {
		return
	}
	want := specComposition(t, p, delta)
	if want == nil || want.Cmp(rat.One) == 0 {
		return
	}
	law := spec.ResponseLaw(p.spec().Mechanisms)
	needed := func(expEps *big.Rat) *big.Rat { // Definition 1, in one direction, by the outputs that pay
		sum := new(big.Rat)
		for q, p0 := range law[0] {
			x := rat.Mul(expEps, law[1][q])
			if x.Sub(p0, x).Sign() > 0 {
				sum.Add(sum, x)
			}
		}
		return sum
	}
	if needed(want).Cmp(delta) > 0 {
		t.Errorf("%v at δ = %s: e^ε = %s is not enough", p, short(delta), want.RatString())
	}
	got, err := compose(t, p, delta, impl.Options{})
	if err != nil {
		t.Fatalf("%v at δ = %s: %v", p, short(delta), err)
	}
	below := expOf(new(big.Float).SetPrec(200).Mul(got.Eps.Lower, big.NewFloat(1-1e-12)))
	if x := rat.Exact(below.Upper); x.Cmp(rat.One) >= 0 && needed(x).Cmp(delta) <= 0 {
		t.Errorf("%v at δ = %s: below the lower end %g, ε = %g is enough", p, short(delta), got.Eps.Lower, below.Upper)
	}
}

// propOptCompDecimals: for ε that are not logarithms, OptDel says what an ε is worth.
func propOptCompDecimals(t *rapid.T) {
	p, _ := someProblem(t, most, decimals, mixed)
	delta := composedDelta(search{t}, p)
	c, err := compose(t, p, delta, impl.Options{})
	if _, none := errors.AsType[*impl.DeltaError](err); none {
		huge := number{rat.Of("1e6"), false}
		if x := p.at(t, huge); x.hi.Cmp(delta) <= 0 {
			t.Errorf("%v: %v, but ε = 1e6 has δ %s", p, err, x)
		}
		return
	}
	if err != nil {
		t.Fatalf("%v at δ = %s: %v", p, short(delta), err)
	}
	if x := p.at(t, number{rat.Exact(c.Eps.Upper), false}); x.lo.Cmp(delta) > 0 {
		t.Errorf("%v at δ = %s: the upper end %g has δ %s", p, short(delta), c.Eps.Upper, x)
	}
	if x := p.at(t, number{rat.Exact(c.Eps.Lower), false}); c.Eps.Lower.Sign() > 0 && x.hi.Cmp(delta) < 0 {
		t.Errorf("%v at δ = %s: the lower end %g has δ %s", p, short(delta), c.Eps.Lower, x)
	}
}

// at returns the δ of p if it ends at its end only, charged eps, from enumeration.
func (p problem) at(t reporter, eps number) span {
	p.stops = []stop{{p.length(), eps}}
	return enclosed(t, p)["OptDel"]
}

// propOptCompRoundTrip: from ε to δ and back. The δ of ε is an interval: its upper end needs no
// more than ε, its lower end no less.
func propOptCompRoundTrip(t *rapid.T) {
	w := drawWorld(t)
	p := w.clone()
	last := p.stops[len(p.stops)-1]
	p.stops = []stop{last}
	o := impl.Options{RelWidth: 1e-12}
	r := solve(t, p, o)
	for _, delta := range []*big.Float{r.OptDel.Upper, r.OptDel.Lower} {
		c, err := compose(t, p, rat.Exact(delta), impl.Options{})
		if _, none := errors.AsType[*impl.DeltaError](err); none || err == nil && c.Method == impl.ClosedForm {
			continue // the charge is not below the largest loss
		}
		if err != nil {
			t.Fatalf("%v at δ = %g: %v", p, delta, err)
		}
		lower, upper := rat.Exact(c.Eps.Lower), rat.Exact(c.Eps.Upper)
		if last.eps.log {
			lower, upper = rat.Exact(expOf(c.Eps.Lower).Lower), rat.Exact(expOf(c.Eps.Upper).Upper)
		}
		if delta == r.OptDel.Upper && lower.Cmp(last.eps.rat) > 0 || delta == r.OptDel.Lower && upper.Cmp(last.eps.rat) < 0 {
			t.Errorf("%v has δ = %g, which has ε in [%g, %g]", p, delta, c.Eps.Lower, c.Eps.Upper)
		}
	}
}

// propOptCompMonotone: a larger δ never needs a larger ε, and a further mechanism never a
// smaller one.
func propOptCompMonotone(t *rapid.T) {
	p, _ := someProblem(t, most, ratios, decimals, mixed)
	delta := composedDelta(search{t}, p)
	c, err := compose(t, p, delta, impl.Options{})
	if err != nil {
		return
	}
	more := rat.Add(delta, big.NewRat(int64(rapid.IntRange(0, 100).Draw(t, "more")), 1000))
	if more.Cmp(rat.One) <= 0 {
		d, err := compose(t, p, more, impl.Options{})
		if err != nil || d.Eps.Lower.Cmp(c.Eps.Upper) > 0 {
			t.Errorf("%v: δ = %s has ε ≤ %g, and %s has %v, %v", p, short(delta), c.Eps.Upper, short(more), d, err)
		}
	}
	longer := p.clone()
	longer.mechanisms = append(longer.mechanisms, mechanism{p.mechanisms[0].eps, rat.Of("0"), 1})
	d, err := compose(t, longer, delta, impl.Options{})
	if err != nil || d.Eps.Upper.Cmp(c.Eps.Lower) < 0 {
		t.Errorf("%v at δ = %s has ε ≥ %g, and with one mechanism more %v, %v", p, short(delta), c.Eps.Lower, d, err)
	}
}

// A control: an interval that does not reach spec's ε is noticed.
func TestControl_OptCompInterval(t *testing.T) {
	t.Parallel()
	p := parse("ln(3) 1/10 x3 | 3 ln(1)")
	delta := rat.Half
	want := specComposition(t, p, delta)
	c, err := compose(t, p, delta, impl.Options{})
	if err != nil || !expBetween(c.Eps, want) {
		t.Fatalf("%v, %v", c, err)
	}
	below, above := c.Eps, c.Eps
	below.Upper = new(big.Float).Mul(c.Eps.Lower, big.NewFloat(1-1e-9))
	above.Lower = new(big.Float).Mul(c.Eps.Upper, big.NewFloat(1+1e-9))
	if expBetween(below, want) || expBetween(above, want) {
		t.Errorf("wrong intervals pass: %v, %v", below, above)
	}
}
