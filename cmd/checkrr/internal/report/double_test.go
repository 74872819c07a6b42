package report

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/interval"
)

// anyDouble draws a positive double of any size, often one with few bits or digits, or next to a power of 2.
var anyDouble = rapid.Custom(func(t *rapid.T) float64 {
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return math.Float64frombits(rapid.Uint64Range(1, math.Float64bits(math.MaxFloat64)).Draw(t, "bits"))
	case 1:
		power := math.Ldexp(1, rapid.IntRange(-1074, 1023).Draw(t, "power"))
		beside := math.Nextafter(power, rapid.SampledFrom([]float64{0, power, math.Inf(1)}).Draw(t, "beside"))
		return max(beside, math.SmallestNonzeroFloat64)
	case 2:
		return math.Float64frombits(rapid.Uint64Range(1, 1<<10).Draw(t, "subnormal"))
	case 3:
		return math.MaxFloat64 * (1 - rapid.Float64Range(0, 1e-15).Draw(t, "below"))
	case 4:
		return float64(rapid.IntRange(1, 1<<20).Draw(t, "whole")) / 1024
	}
	return rapid.Float64Range(1e-12, 1e3).Draw(t, "usual")
})

// anyRat draws a number of either sign: a double, a decimal, a ratio, or what is next to one of these.
var anyRat = rapid.Custom(func(t *rapid.T) *big.Rat {
	r := new(big.Rat)
	switch rapid.IntRange(0, 3).Draw(t, "kind") {
	case 0:
		r.SetFloat64(anyDouble.Draw(t, "double"))
	case 1:
		r.SetString(rapid.StringMatching(`[1-9][0-9]{0,24}e-?[1-9][0-9]?`).Draw(t, "decimal"))
	case 2:
		r.SetFrac64(rapid.Int64Range(1, 1<<62).Draw(t, "num"), rapid.Int64Range(1, 1<<62).Draw(t, "denom"))
	case 3:
		r.SetString(rapid.StringMatching(`[1-9](\.[0-9]{0,9})?e-?[0-3]?[0-9]?[0-9]`).Draw(t, "any size"))
	}
	if rapid.Bool().Draw(t, "beside") {
		r.Mul(r, new(big.Rat).Add(big.NewRat(1, 1), ratOrFail("1e-30")))
	}
	if rapid.Bool().Draw(t, "negative") {
		r.Neg(r)
	}
	return r
})

func ratOrFail(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("no number: " + text)
	}
	return r
}

// checkSide requires of a token that it is the nearest double on a side of a number, that the decimal itself is on that
// side, and that no decimal of fewer digits would do.
func checkSide(t *rapid.T, s Side, token string, x *big.Rat) {
	d, err := strconv.ParseFloat(token, 64)
	if err != nil {
		last := new(big.Rat).SetFloat64(math.Copysign(math.MaxFloat64, float64(s)))
		if token != "null" || x.Cmp(last)*int(s) <= 0 {
			t.Fatalf("%v of %s is %s", s, x.FloatString(20), token)
		}
		return
	}
	decimal, double := ratOrFail(token), new(big.Rat).SetFloat64(d)
	if decimal.Cmp(x)*int(s) < 0 || double.Cmp(x)*int(s) < 0 {
		t.Fatalf("%v of %s is %s", s, x.FloatString(400), token)
	}
	inner := math.Nextafter(d, -math.Inf(int(s)))
	if !math.IsInf(inner, 0) && new(big.Rat).SetFloat64(inner).Cmp(x)*int(s) >= 0 {
		t.Fatalf("%v of %s is %s, and %g is nearer", s, x.FloatString(400), token, inner)
	}
	if d == 0 {
		return
	}
	digits, _, _ := strings.Cut(strings.TrimPrefix(token, "-"), "e")
	digits = strings.Trim(strings.Replace(digits, ".", "", 1), "0")
	abs := new(big.Float).SetFloat64(math.Abs(d))
	for _, up := range []bool{false, true} {
		shorter := RoundTo(abs, max(1, len(digits)-1), up).String()
		if d < 0 {
			shorter = "-" + shorter
		}
		if back, _ := strconv.ParseFloat(shorter, 64); len(digits) > 1 && back == d &&
			ratOrFail(shorter).Cmp(x)*int(s) >= 0 {
			t.Fatalf("%v of %s is %s, and %s would do", s, x.FloatString(400), token, shorter)
		}
	}
}

func TestSides(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := anyRat.Draw(t, "x")
		for _, s := range []Side{Down, Up} {
			n := s.Rat(x)
			checkSide(t, s, n.token, x)
			if isExact := n.exact != "" && ratOrFail(n.exact).Cmp(x) == 0; !isExact &&
				(n.exact != "" || !isOneOf(x, n.token)) {
				t.Fatalf("%v of %v is %s, exactly %q", s, x, n.token, n.exact)
			}
		}
		if n, want := Near.Rat(x), 0.0; n.token != "null" {
			if want, _ = x.Float64(); n.token != Decimal.String(shortestOf(want)) && want > 0 {
				t.Fatalf("near %v: %s", x, n.token)
			}
		}
	})
}

func shortestOf(d float64) Decimal {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(d, 'e', -1, 64), "e")
	digits := strings.Replace(mantissa, ".", "", 1)
	e, err := strconv.Atoi(exponent)
	Must(err)
	return Decimal{Digits(digits), e - (len(digits) - 1)}
}

// isOneOf reports whether x is the decimal, or the double that it reads back as.
func isOneOf(x *big.Rat, token string) bool {
	d, err := strconv.ParseFloat(token, 64)
	return err == nil && (isSame(d, x) || ratOrFail(token).Cmp(x) == 0)
}

// Ends of intervals, at several precisions; the tighter decimal is on the same side.
func TestSides_Float(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prec := rapid.SampledFrom([]uint{53, 64, 113, 200}).Draw(t, "prec")
		x := new(big.Float).SetPrec(prec).SetRat(anyRat.Draw(t, "x"))
		exact, _ := x.Rat(nil)
		for _, s := range []Side{Down, Up} {
			n := s.Float(x)
			checkSide(t, s, n.token, exact)
			if n.exact == "" {
				continue
			}
			tighter := ratOrFail(n.exact)
			double, err := strconv.ParseFloat(n.token, 64)
			isTighter := err != nil || new(big.Rat).SetFloat64(double).Cmp(tighter)*int(s) >= 0
			if tighter.Cmp(exact)*int(s) < 0 || !isTighter {
				t.Fatalf("%v of %v is %s, more exactly %s", s, x, n.token, n.exact)
			}
		}
	})
}

// A double is printed as what is on its own side and reads back as it, the quick way or the other one.
func TestBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := anyDouble.Draw(t, "x")
		quick, ok := quickUp(x)
		if slow := Up.bound(x); ok && quick != slow {
			t.Fatalf("%g is printed as %s, the quick way as %s", x, slow, quick)
		}
		exact := new(big.Rat).SetFloat64(x)
		checkSide(t, Up, string(UpperBound(x).AppendTo(nil)), exact)
		checkSide(t, Down, Down.bound(x), exact)
		checkSide(t, Up, Up.bound(-x), exact.Neg(exact))
	})
}

func TestSides_Table(t *testing.T) {
	t.Parallel()
	tests := []struct {
		x        string
		down, up Number
	}{
		{"0", Number{"0", ""}, Number{"0", ""}},
		{"0.1", Number{"0.09999999999999999", "0.1"}, Number{"0.1", ""}}, // the nearest double is above it
		{"0.3", Number{"0.3", ""}, Number{"0.30000000000000004", "0.3"}}, // and below
		{"1/3", Number{"0.3333333333333333", "1/3"}, Number{"0.33333333333333337", "1/3"}},
		{"1e-400", Number{"0", "1e-400"}, Number{"5e-324", "1e-400"}},
		{"-1e-400", Number{"-5e-324", "-1e-400"}, Number{"0", "-1e-400"}},
		{"1e400", Number{"1.7976931348623157e+308", "1e+400"}, Number{"null", "1e+400"}},
		{"-1e400", Number{"null", "-1e+400"}, Number{"-1.7976931348623157e+308", "-1e+400"}},
		{"9007199254740993", Number{"9007199254740992", "9007199254740993"},
			Number{"9007199254740994", "9007199254740993"}},
	}
	for _, tt := range tests {
		x := ratOrFail(tt.x)
		if got := Down.Rat(x); got != tt.down {
			t.Errorf("below %s: %+v, want %+v", tt.x, got, tt.down)
		}
		if got := Up.Rat(x); got != tt.up {
			t.Errorf("above %s: %+v, want %+v", tt.x, got, tt.up)
		}
	}
	tiny := new(big.Float).SetMantExp(big.NewFloat(0.75), -1<<30)
	if down, up := Down.Float(tiny), Up.Float(tiny); down != (Number{"0", ""}) || up != (Number{"5e-324", "1e-9990"}) {
		t.Errorf("3/4·2^-2^30: %+v, %+v", down, up)
	}
	long := ratOrFail("1e5000").Add(ratOrFail("1e5000"), big.NewRat(1, 1))
	if got := Up.Rat(long.Inv(long)); got.exact != null {
		t.Errorf("of a long ratio there is %.20s", got.exact)
	}
}

// The keys that hold more than a double follow the keys of numbers, wherever these stand; numbers of a list have none.
func TestDoubles(t *testing.T) {
	t.Parallel()
	third := big.NewRat(1, 3)
	object := map[string]any{
		"a<b": Up.Rat(third), "seed": uint64(math.MaxUint64), "count": int64(1<<53 + 1), "events": 3,
		"list": []int64{1<<53 + 1}, "none": (*Number)(nil), "end": ToJSON(interval.Of(0, 0.5)),
		"raw": json.RawMessage(`{"seed": 18446744073709551615}`),
		"few": []Number{Down.Rat(third)}, "beyond": new(Up.Rat(ratOrFail("1e999"))),
	}
	text, err := json.Marshal(Doubles{object})
	want := `{"a\u003cb":0.33333333333333337,"a\u003cb_exact":"1/3","beyond":null,"beyond_exact":"1e+999",` +
		`"count":9007199254740993,"count_exact":"9007199254740993",` +
		`"end":{"lower":0,"upper":0.5},"events":3,"few":[0.3333333333333333],` +
		`"list":[9007199254740993],"none":null,"raw":{"seed":18446744073709551615},` +
		`"seed":18446744073709551615,"seed_exact":"18446744073709551615"}`
	if err != nil || string(text) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, text, want)
	}
	if _, err := json.Marshal(object); err == nil {
		t.Error("numbers are written without what a double does not hold of them")
	}
}

// What is next to 0 from below, rounded up, is 0, not -0.
func TestSide_NoMinusZero(t *testing.T) {
	t.Parallel()
	tiny := new(big.Float).SetMantExp(big.NewFloat(-1), -50_000)
	if n := Up.Float(tiny); n.token != "0" || n.exact != "" {
		t.Errorf("%s is rounded up to %q, %q", tiny, n.token, n.exact)
	}
	if n := Down.Float(tiny); n.token != "-5e-324" || n.exact != "-1e-9990" {
		t.Errorf("%s is rounded down to %q, %q", tiny, n.token, n.exact)
	}
}
