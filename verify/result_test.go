package verify

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/rat"
)

// reporter is a *testing.T or a *rapid.T.
type reporter interface {
	Context() context.Context
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// solve returns what impl finds, after [checkForm].
func solve(t reporter, p problem, o impl.Options) *impl.Result {
	r, err := impl.OptDel(t.Context(), p.impl(), o)
	if err != nil {
		t.Fatalf("%v: %s: %v", p, name(o), err)
	}
	checkForm(t, p, o, r)
	return r
}

// name says which options were used.
func name(o impl.Options) string {
	if o.Method == "" {
		o.Method = impl.Auto
	}
	if o.RelWidth == 0 {
		o.RelWidth = impl.DefaultRelWidth
	}
	return fmt.Sprintf("%s at %g", o.Method, o.RelWidth)
}

// checkForm checks what can be said about a result without knowing the truth.
func checkForm(t reporter, p problem, o impl.Options, r *impl.Result) {
	fail := func(format string, args ...any) {
		t.Errorf("%v: %s: %s", p, name(o), fmt.Sprintf(format, args...))
	}
	n := len(p.stops)
	hasRule := len(r.Rule) == n || len(r.Rule) == 0 && r.Shortfall != "" // there was no time for one
	hasMethod := r.Method == impl.Lattice || r.Method == impl.Bracket
	if len(r.SingleStop) != n || !hasRule || r.Arithmetic == "" || !hasMethod {
		t.Fatalf("%v: %s: incomplete: %+v", p, name(o), r)
	}
	for what, x := range intervals(r) {
		most := 1.0
		if what == "Lemma11" {
			most = float64(n)
		}
		if !(x.Lower.Sign() >= 0 && x.Lower.Cmp(x.Upper) <= 0 && below(x.Upper, most*(1+roundingOfSums))) {
			fail("%s is [%g, %g]", what, x.Lower, x.Upper)
		}
	}
	if o.RelWidth != 0 && r.RelWidth != o.RelWidth || r.RelWidth < impl.DefaultRelWidth && o.RelWidth == 0 {
		fail("relative width %g was asked for, and %g taken", o.RelWidth, r.RelWidth)
	}
	widest := max(r.OptDel.RelWidth(), r.Lemma11.RelWidth()/r.Lemma11Slack)
	if r.Shortfall == "" && !(widest <= r.RelWidth) {
		fail("relative width %g of %g, and no reason is given", widest, r.RelWidth)
	}
	if len(r.Rule) == 0 {
		return
	}
	sum := 0.0
	for i, line := range r.Rule {
		sum += line.Probability
		if !(line.Probability >= 0 && line.Probability <= 1+probabilityError) || math.IsNaN(line.LossAtLeast) ||
			math.IsInf(line.LossAtLeast, -1) {
			fail("rule %d is %+v", i+1, line)
		}
	}
	givenUp := r.RelWidth * r.OptDel.Float().Hi // at most
	if !(math.Abs(sum-1) <= probabilityError+givenUp) {
		fail("probabilities of the rule sum to %.15g: %v", sum, r.Rule)
	}
}

// probabilityError is what the probabilities of a rule, which are not certified,
// may be off by.
const probabilityError = 1e-9

// roundingOfSums is how far Lemma11, a sum rounded outward, may lie above the
// number of stops: a few ulp of float64 for each.
const roundingOfSums = 1e-14

// below reports whether x ≤ y.
func below(x *big.Float, y float64) bool { return x.Cmp(big.NewFloat(y)) <= 0 }

// intervals returns all intervals of r by name.
func intervals(r *impl.Result) map[string]interval.Interval {
	out := map[string]interval.Interval{"OptDel": r.OptDel, "Lemma11": r.Lemma11}
	for i, x := range r.SingleStop {
		out[fmt.Sprint("SingleStop ", i+1)] = x
	}
	return out
}

// span is what is known for certain about a number: it is at least lo and at most hi.
type span struct{ lo, hi *big.Rat }

func point(x *big.Rat) span { return span{x, x} }

func spanOf(x exhaustive.Interval) span { return span{rat.Exact(x.Lo), rat.Exact(x.Hi)} }

// atMost reports whether a number in x can be at most one in y.
func (x span) atMost(y span) bool { return x.lo.Cmp(y.hi) <= 0 }

// meets reports whether x and y can be the same number.
func (x span) meets(y span) bool { return x.atMost(y) && y.atMost(x) }

// found returns the intervals of r.
func found(r *impl.Result) truths {
	out := truths{}
	for what, x := range intervals(r) {
		if x.Lower != nil { // asked for
			lo, hi := x.Rats()
			out[what] = span{lo, hi}
		}
	}
	return out
}

// truths are spans by the names that [intervals] uses.
type truths map[string]span

// checkTruth checks that every interval of r meets its span, if that is known. If the spans are points, the intervals
// contain them.
func checkTruth(t reporter, p problem, o impl.Options, r *impl.Result, want truths) {
	all := found(r)
	for what, s := range want {
		if x, isThere := all[what]; isThere && !x.meets(s) {
			t.Errorf("%v: %s: %s is in %s, want %s", p, name(o), what, x, s)
		}
	}
}

func (s span) String() string {
	if s.lo.Cmp(s.hi) == 0 {
		return decimalText(s.lo)
	}
	return fmt.Sprintf("[%s, %s]", decimalText(s.lo), decimalText(s.hi))
}

// decimalText returns r with 20 digits.
func decimalText(r *big.Rat) string { return new(big.Float).SetPrec(100).SetRat(r).Text('g', 20) }

// exactly returns the truth about a problem in ratios.
func exactly(t reporter, p problem) truths {
	v, err := exhaustive.Exact(t.Context(), p.exhaustive(), nil)
	if err != nil {
		t.Fatalf("%v: %v", p, err)
	}
	return named(v, point)
}

// named gives values their names.
func named[T any](v exhaustive.Values[T], of func(T) span) truths {
	out := truths{"OptDel": of(v.OptDel), "Lemma11": of(v.Lemma11)}
	for i, x := range v.Single {
		out[fmt.Sprint("SingleStop ", i+1)] = of(x)
	}
	return out
}

// enclosed returns the truth about any problem, enclosed with at least 200 bits.
// Where a δ is so small that this says little, it takes more.
func enclosed(t reporter, p problem) truths {
	for prec := uint(200); ; prec *= 3 {
		v, err := exhaustive.Enclose(t.Context(), p.exhaustive(), prec, nil)
		if err != nil {
			t.Fatalf("%v: %v", p, err)
		}
		out := named(v, spanOf)
		if prec > 1500 || out.narrow() {
			return out
		}
	}
}

// narrow reports whether every span is either narrower than any interval that
// float64 can certify, or next to 0.
func (ts truths) narrow() bool {
	for _, s := range ts {
		width := rat.Sub(s.hi, s.lo)
		width.Mul(width, rat.Of("1e20"))
		if width.Cmp(s.hi) > 0 && s.hi.Cmp(rat.Of("1e-320")) > 0 {
			return false
		}
	}
	return true
}
