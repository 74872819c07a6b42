package verify

import (
	"context"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/verify/rat"
)

// extremes are problems at the ends of the domain. delta is OptDel; where it is
// empty, [enclosed] knows.
var extremes = []struct {
	name    string
	problem string
	delta   string
}{
	{"eps 0", "0 0 x3 | 1 0, 3 0", "0"},
	{"eps 0, delta tiny", "0 1e-300 | 1 0", "1e-300"},
	{"eps 0, a charge", "0 0.25 x2 | 1 1, 2 5", "0.4375"},
	{"eps 0, given as 1", "ln(1) 1e-30, ln(1) 0 | 2 ln(1)", "1e-30"},
	{"eps 1e-300", "1e-300 0 x2 | 2 0", ""},
	{"eps 800", "800 0 | 1 0", ""},
	{"eps 800, charge 799", "800 0 | 1 799", ""},
	{"eps 800, charge 800", "800 0 | 1 800", "0"},
	{"eps 800 twice", "800 0 x2 | 1 700, 2 1500", ""},
	{"eps 800 after others", "1 0 x2, 800 0 x2, 1 0 | 2 1, 5 1", ""},
	{"eps 800 and 1/500", "800 0 x2, 0.002 0 | 3 0", ""},
	{"eps ln(1e6)", "ln(1e6) 0 x3 | 2 ln(1e6), 3 ln(1e12)", ""},
	{"eps of many sizes", "1e-9 0, 1e-3 0, 1 0, 30 0 | 1 0, 2 1e-9, 4 1", ""},
	{"e^eps beyond float64", "ln(1e400) 1/3 x2, ln(3) 0 | 1 ln(1e300), 3 ln(1e400)", ""},
	{"charge beyond float64", "ln(3) 0.001 | 1 ln(1e400)", "0.001"},
	{"every run ends at the first stop", "800 0, 2.773 0 x2, 1/2 1/2 | 3 0, 4 1", ""},
	{"delta 1", "0.1 1 | 1 1000", "1"},
	{"delta 1 at the end", "0.1 0 x3, 0.1 1 | 3 0.1, 4 0.2", "1"},
	{"delta 1 everywhere", "0.1 1 x3 | 1 0, 2 0, 3 0", "1"},
	{"delta close to 1", "0.1 0.9999999999999999999999 x2 | 1 0, 2 0", ""},
	{"charge 0", "0.1 0 x6 | 2 0, 4 0, 6 0", ""},
	{"charge 1e200", "0.1 0 x5 | 5 1e200", "0"},
	{"charge 1e200, with delta", "0.1 1e-9 x5 | 2 1e200, 5 1e200", "4.999999990000000009999999995000000001e-9"},
	{"charge e^1e6 at one stop", "0.1 1e-9 x5 | 2 1000000, 5 0.1", ""},
	{"one mechanism", "0.1 0 | 1 0.05", ""},
	{"one mechanism, tie", "0.1 0 | 1 0.1", "0"},
	{"one mechanism, below a tie", "0.1 0 | 1 0.099999999999999999999", ""},
	{"one mechanism, above a tie", "0.1 1e-20 | 1 0.100000000000000000001", "1e-20"},
	{"a stop after each", "0.1 0 x8 | 1 0.1, 2 0.1, 3 0.1, 4 0.2, 5 0.2, 6 0.2, 7 0.3, 8 0.3", ""},
	{"ties at every stop", "0.1 0 x8 | 2 0.2, 4 0.2, 6 0.4, 8 0.4", ""},
	{"ties of logarithms", "ln(3/2) 0 x4, ln(9/4) 0 x2 | 2 ln(9/4), 4 ln(9/4), 6 ln(81/16)", ""},
	{"ties of both kinds", "ln(2) 0, 0.5 0, ln(3) 1/9 | 1 ln(2), 2 0.5, 3 ln(6)", ""},
	{"off a tie by 1e-15", "0.1 0 x4 | 2 0.200000000000001, 4 0.399999999999999", ""},
	{"no common unit", "0.1 0, 0.123456789 0, 0.314159265358979 0 | 1 0.01, 2 0.02, 3 0.1", ""},
}

func TestEdges(t *testing.T) {
	t.Parallel()
	for i, row := range extremes {
		ways := everyWay
		if !*full {
			ways = []impl.Options{auto, everyWay[1+i%3]}
		}
		for _, o := range ways {
			t.Run(row.name+", "+name(o), func(t *testing.T) {
				t.Parallel()
				p := parse(row.problem)
				r := solve(t, p, o)
				if row.delta == "" {
					checkTruth(t, p, o, r, enclosed(t, p))
				} else {
					checkOptDel(t, p, o, r, rounded(row.delta))
				}
				if r.Shortfall != "" {
					t.Log(r.Shortfall)
				}
			})
		}
	}
}

// checkOptDel is [checkTruth] for OptDel alone.
func checkOptDel(t reporter, p problem, o impl.Options, r *impl.Result, want span) {
	if got := found(r)["OptDel"]; !got.meets(want) {
		t.Errorf("%v: %s: OptDel is in %s, want %s", p, name(o), got, want)
	}
}

// tails are the ends of binomial distributions, summed with 60 digits.
var tails = []struct{ problem, delta string }{
	{"0.1 0 x1000 | 1000 98", "2.7672439958330662476857855135534874014e-260"},
	{"0.1 0 x1000 | 1000 99.9", "1.3199351369436098150041915551474087241e-281"},
	{"0.1 0 x1070 | 1070 106.9", "3.3923342421433470298294175100448578708e-301"},
}

func TestEdges_Tail(t *testing.T) {
	t.Parallel()
	for _, row := range tails {
		p := parse(row.problem)
		for _, o := range []impl.Options{auto, wide} {
			r := solve(t, p, o)
			checkOptDel(t, p, o, r, rounded(row.delta))
			if r.Shortfall != "" {
				t.Errorf("%v: %s: %s", p, name(o), r.Shortfall)
			}
		}
	}
}

// A grid is a poor way to a tail. When it is told to stop it says so, and what it
// has found by then is true.
func TestEdges_Deadline(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := parse(tails[0].problem)
	o := bracket
	o.Progress = func(done float64) {
		if done > 0.5 {
			cancel()
		}
	}
	r, err := impl.OptDel(ctx, p.impl(), o)
	if err != nil {
		t.Fatal(err)
	}
	checkOptDel(t, p, bracket, r, rounded(tails[0].delta))
	if r.Shortfall == "" && r.OptDel.RelWidth() > bracket.RelWidth {
		t.Errorf("relative width %g, and no reason is given", r.OptDel.RelWidth())
	}
}

// A rational tail: of 2300 outputs of e^ε = 3 only a run of 1s exceeds a charge
// of half its e^loss, so δ = (3/4)^2300/2, about 1e-288.
func TestEdges_RationalTail(t *testing.T) {
	t.Parallel()
	const k = 2300
	power := func(x *big.Rat) *big.Rat {
		n, d := new(big.Int).Exp(x.Num(), big.NewInt(k), nil), new(big.Int).Exp(x.Denom(), big.NewInt(k), nil)
		return new(big.Rat).SetFrac(n, d)
	}
	half := rat.Half
	charge := number{rat.Mul(power(rat.Of("3")), half), true}
	p := problem{[]mechanism{{number{rat.Of("3"), true}, rat.Of("0"), k}}, []stop{{k, charge}}}
	want := rat.Mul(power(rat.Of("3/4")), half)
	for _, o := range []impl.Options{auto, wide} {
		r := solve(t, p, o)
		checkTruth(t, p, o, r, truths{"OptDel": {want, want}, "Lemma11": {want, want}, "SingleStop 1": {want, want}})
	}
}

// A million mechanisms. The reference is the binomial sum in 60 digits.
func TestEdges_Million(t *testing.T) {
	t.Parallel()
	one := parse("0.001 1e-12 x1000000 | 1000000 2")
	delta := rounded("0.0209245366468433317619852107459135631549")
	checkOptDel(t, one, auto, solve(t, one, auto), delta)
	ten := one.clone()
	ten.stops = nil
	for i := 1; i <= 10; i++ {
		ten.stops = append(ten.stops, stop{i * 100000, number{big.NewRat(int64(10+i), 10), false}})
	}
	r := solve(t, ten, auto)
	if last := found(r)["SingleStop 10"]; !last.meets(delta) {
		t.Errorf("the last of 10 stops alone is %s, want %s", last, delta)
	}
}
