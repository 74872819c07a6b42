package loss

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

func exp(s string) Epsilon  { return Exp(rational.MustParse(s)) }
func nats(s string) Epsilon { return Nats(rational.MustParse(s)) }

func plus(parameters ...Epsilon) (sum Sum) {
	for _, e := range parameters {
		sum = sum.Plus(Of(e))
	}
	return sum
}

// lnTwo is ln 2, cut off.
const lnTwo = "0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687"

func TestSumCmp(t *testing.T) {
	tests := []struct {
		a, b Sum
		want int
	}{
		{plus(), plus(), 0},
		{plus(nats("0")), plus(), 0},
		{plus(exp("1")), plus(nats("0")), 0},
		{plus(nats("0.1"), nats("0.2")), plus(nats("0.3")), 0},
		{plus(exp("3/2"), exp("3/2"), exp("3/2")), plus(exp("27/8")), 0},
		{plus(nats("1"), exp("2")), plus(exp("2"), nats("1")), 0},
		{plus(nats("0.1")), plus(exp("2")), -1},
		{plus(exp("2")), plus(nats(lnTwo)), 1},
		{plus(exp("2")), plus(nats(lnTwo[:len(lnTwo)-1] + "8")), -1},
		{plus(exp("2"), nats("5")), plus(nats("5"), nats(lnTwo)), 1},
		{plus(exp("1e600")), plus(nats("1381.5510557964274")), 1},
		{plus(exp("1e600")), plus(nats("1381.5510557964275")), -1},
		{plus(nats("1e-500"), exp("1")), plus(exp("1")), 1},
		{plus(exp("1e600000")), plus(nats("1381551.0557964274")), 1},
		{plus(exp("1e600000")), plus(nats("1381551.0557964275")), -1},
		// ln(1 + x) = x − x²/2 + …
		{plus(nats("1e-500")), plus(Exp(new(big.Rat).Add(rational.One, rational.MustParse("1e-500")))), 1},
		{plus(nats("1e-500")), plus(Exp(new(big.Rat).Add(rational.One, rational.MustParse("1.0000000001e-500")))), -1},
	}
	for i, tt := range tests {
		if got := tt.a.Cmp(tt.b); got != tt.want {
			t.Errorf("%d: %v against %v is %d, want %d", i, tt.a, tt.b, got, tt.want)
		}
		if got := tt.b.Cmp(tt.a); got != -tt.want {
			t.Errorf("%d: %v against %v is %d, want %d", i, tt.b, tt.a, got, -tt.want)
		}
		if got := (Sum{rest: tt.a.nats(), exp: tt.a.exp}).Cmp(tt.b); got != tt.want {
			t.Errorf("%d: %v in one ratio against %v is %d, want %d", i, tt.a, tt.b, got, tt.want)
		}
	}
}

func TestLaw_SumBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Sum
		for range rapid.IntRange(0, 6).Draw(t, "terms") {
			s = s.Plus(Of(Drawn(t, "eps")))
		}
		for range rapid.IntRange(0, 6).Draw(t, "subtracted") {
			s = s.Minus(Of(Drawn(t, "eps")))
		}
		prec := uint(rapid.IntRange(1, 200).Draw(t, "prec"))
		x := s.Bounds(prec)
		if s.Sign() == 0 {
			if x.Lower.Sign() != 0 || x.Upper.Sign() != 0 {
				t.Fatalf("bounds of 0 are %v", x)
			}
			return
		}
		lower, upper := x.Rats()
		if s.Cmp(OfRat(lower)) < 0 || s.Cmp(OfRat(upper)) > 0 {
			t.Fatalf("%v is not in %v", s, x)
		}
		width := new(big.Rat).Sub(upper, lower)
		width.Mul(width, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), prec)))
		if lower.Sign() != s.Sign() || width.Cmp(lower.Abs(lower)) > 0 {
			t.Fatalf("%v is wider than 2^-%d of %v", x, prec, s)
		}
	})
}

// TestLaw_SumUnits: with units or without, in any order, a sum is the sum.
func TestLaw_SumUnits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum, want := Sum{}, new(big.Rat)
		for range rapid.IntRange(0, 60).Draw(t, "terms") {
			digits := rapid.Int64Range(0, 1<<62).Draw(t, "digits")
			decimals := rapid.Int64Range(0, 21).Draw(t, "decimals")
			r := new(big.Rat).SetFrac(big.NewInt(digits), new(big.Int).Exp(big.NewInt(10), big.NewInt(decimals), nil))
			if rapid.IntRange(0, 9).Draw(t, "is a ratio") == 0 {
				r = big.NewRat(digits, 3)
			}
			sum = sum.Plus(OfRat(r))
			want.Add(want, r)
		}
		if got, ok := sum.Rat(); !ok || got.Cmp(want) != 0 {
			t.Fatalf("got %v, want %v", got, want)
		}
		if sum.Cmp(Sum{rest: want}) != 0 || sum.Minus(Sum{rest: want}).Sign() != 0 {
			t.Fatalf("%v is not equal to itself in one ratio", sum)
		}
		if more := new(big.Rat).Add(want, big.NewRat(1, 1<<62)); sum.Cmp(Sum{rest: more}) >= 0 ||
			(Sum{rest: more}).Cmp(sum) <= 0 {
			t.Fatalf("%v is not less than %v", sum, more)
		}
	})
}

// TestSumRounding checks the rounded sum against the exact one: not below it, and above
// by less than twice the unit at each rounding.
func TestSumRounding(t *testing.T) {
	ShortSums(t, 700)
	unit := new(big.Rat).SetFrac(big.NewInt(2), new(big.Int).Lsh(big.NewInt(1), sumFraction))
	rapid.Check(t, func(t *rapid.T) {
		var s, exact Sum
		roundings := new(big.Rat)
		for range rapid.IntRange(1, 60).Draw(t, "terms") {
			e := Drawn(t, "eps")
			before := s.PlusExactly(Of(e))
			s, exact = s.Plus(Of(e)), exact.PlusExactly(Of(e))
			if s.size() > max(sumBits, int(sumFraction)*2+64) {
				t.Fatalf("the sum takes %d bits", s.size())
			}
			if s.Cmp(before) != 0 {
				roundings.Add(roundings, rational.One)
			}
		}
		if s.Cmp(exact) < 0 {
			t.Fatalf("rounded to %v, below %v", s, exact)
		}
		roundings.Mul(roundings, unit)
		if s.Cmp(exact.PlusExactly(OfRat(roundings))) > 0 {
			t.Fatalf("rounded to %v, too far above %v", s, exact)
		}
		if !s.IsRounded() && s.Cmp(exact) != 0 {
			t.Fatalf("%v is not said to be rounded, but is not %v", s, exact)
		}
	})
}

// TestSumRoundsUpNearAMultiple: 1 + 2^-400 or so is rounded up from 1.
func TestSumRoundsUpNearAMultiple(t *testing.T) {
	below, _ := interval.Precision(400).Log(rational.MustParse("2")).Lower.Rat(nil)
	s := Sum{rest: new(big.Rat).Sub(rational.One, below), exp: rational.MustParse("2")}
	if s.Cmp(OfRat(rational.One)) <= 0 {
		t.Fatal("the sum is not above 1")
	}
	if up := s.roundUp(); up.Cmp(s) < 0 {
		t.Errorf("%v is rounded to %v", s, up)
	}
}

// TestSumStaysSmall adds what would take a million bits if it were kept exactly.
func TestSumStaysSmall(t *testing.T) {
	var huge, ratios Sum
	for i := range 1000 {
		huge = huge.Plus(Of(exp("1e600")))
		ratios = ratios.Plus(Of(Nats(big.NewRat(1, int64(10_007+2*i)))))
		if size := max(huge.size(), ratios.size()); size > sumBits {
			t.Fatalf("after %d terms a sum takes %d bits", i+1, size)
		}
	}
	if !huge.IsRounded() || !ratios.IsRounded() {
		t.Error("nothing was rounded")
	}
	want := "1381551.055796427410410794872810618525" // 600,000 ln 10
	if got := huge.Bounds(200).Upper.Text('f', 30); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestLaw_SumFloat: the quick enclosure in float64 is the slow one.
func TestLaw_SumFloat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s Sum
		for range rapid.IntRange(0, 6).Draw(t, "terms") {
			s = s.Plus(Of(Drawn(t, "eps")))
		}
		if got, want := s.Float(), s.Bounds(64).Float(); got != want {
			t.Fatalf("%v is in %v, want %v", s, got, want)
		}
	})
	for _, s := range []Sum{{}, plus(nats("1e200"), nats("1/3")), plus(nats("1e-280"))} {
		if got, want := s.Float(), s.Bounds(64).Float(); got != want {
			t.Errorf("%v is in %v, want %v", s, got, want)
		}
	}
}

// TestSumFloatOutward: the float64s around a sum contain it, also where they are subnormal, 0 or infinite.
func TestSumFloatOutward(t *testing.T) {
	for _, s := range []Sum{
		plus(nats("1e-324")), plus(nats("1e-400")), plus(nats("1e-323")), plus(nats("1.3e-310")),
		plus(nats("1.7e-310")), plus(nats("1e-400")).Minus(plus(nats("2e-400"))),
		plus(nats("1e308"), nats("1e308")), plus(nats("1.797693134862315807937e308")),
		plus().Minus(plus(nats("2e308"))),
		plus(nats("1/3")), plus(nats("0.1")), plus(nats("1e-18")), plus(exp("3/2")).Minus(plus(nats("1"))),
	} {
		x, outer := s.Float(), s.Bounds(64)
		if big.NewFloat(x.Lo).Cmp(outer.Lower) > 0 || big.NewFloat(x.Hi).Cmp(outer.Upper) < 0 {
			t.Errorf("%v is in %v, and not in %v", s.Text(), outer, x)
		}
		if x.Lo > x.Hi || math.Nextafter(x.Lo, math.Inf(1)) < x.Hi {
			t.Errorf("%v: %v, must be next to each other", s.Text(), x)
		}
	}
}
