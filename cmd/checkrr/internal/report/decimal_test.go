package report

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"checkrr/impl/interval"
)

func TestRoundTo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		x        float64
		n        int
		down, up string
	}{
		{0, 4, "0", "0"},
		{1, 4, "1.000", "1.000"},
		{0.25, 1, "0.2", "0.3"},
		{0.25, 2, "0.25", "0.25"},
		{1.0 / 3, 3, "0.333", "0.334"},
		{2.0 / 3, 3, "0.666", "0.667"},
		{0.9996, 3, "0.999", "1.00"},
		{9.9996e-7, 3, "9.99e-07", "1.00e-06"},
		{1.2345e-9, 2, "1.2e-09", "1.3e-09"},
		{1.2345e-123, 2, "1.2e-123", "1.3e-123"},
		{0.00012345, 3, "0.000123", "0.000124"},
		{123456, 3, "123000", "124000"},
		{1e20, 2, "1.0e+20", "1.0e+20"},
	}
	for _, tt := range tests {
		x := big.NewFloat(tt.x)
		if got := RoundTo(x, tt.n, false).Fixed(); got != tt.down {
			t.Errorf("roundTo(%g, %d, down) = %s, want %s", tt.x, tt.n, got, tt.down)
		}
		if got := RoundTo(x, tt.n, true).Fixed(); got != tt.up {
			t.Errorf("roundTo(%g, %d, up) = %s, want %s", tt.x, tt.n, got, tt.up)
		}
	}
}

// TestOutward checks that a printed bound is on the right side of the number
// and reads back as the number, at several precisions.
func TestOutward(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 3000 {
		prec := []uint{24, 53, 64, 113, 200}[i%5]
		x := new(big.Float).SetPrec(prec).SetFloat64(random.Float64() * math.Pow(10, float64(random.IntN(600)-300)))
		x.Quo(x, new(big.Float).SetPrec(prec).SetInt64(3))
		exact, _ := x.Rat(nil)
		for _, up := range []bool{false, true} {
			text := Outward(x, up).String()
			if side := ratOrFail(text).Cmp(exact); up && side < 0 || !up && side > 0 {
				t.Errorf("outward(%v, %v) = %s is on the wrong side", x, up, text)
			}
			back, _, err := big.ParseFloat(text, 10, prec, big.ToNearestEven)
			if err != nil || back.Cmp(x) != 0 {
				t.Errorf("outward(%v, %v) = %s reads back as %v, %v", x, up, text, back, err)
			}
		}
	}
}

// What is below 1e-9990 is not written out, which could take hours.
func TestOutward_Tiny(t *testing.T) {
	t.Parallel()
	x := new(big.Float).SetMantExp(big.NewFloat(0.75), -1<<30)
	for up, want := range map[bool]string{true: "1e-9990", false: "0"} {
		if got := Outward(x, up).String(); got != want {
			t.Errorf("up %t: %s, want %s", up, got, want)
		}
		if got := RoundTo(x, 4, up).String(); got != want {
			t.Errorf("up %t, 4 digits: %s, want %s", up, got, want)
		}
	}
	for _, x := range []float64{0, 1, 0.25, 0.5, 0.00390625} { // exactly
		want := strconv.FormatFloat(x, 'g', -1, 64)
		down, up := Outward(big.NewFloat(x), false).String(), Outward(big.NewFloat(x), true).String()
		if down != want || up != want {
			t.Errorf("%g is %s, %s", x, down, up)
		}
	}
	got := Outward(new(big.Float).SetMantExp(big.NewFloat(0.75), -33_000), true).String()
	if !strings.HasSuffix(got, "e-9935") {
		t.Errorf("3/4·2^-33000 is %s", got)
	}
}

// A threshold is not above the loss that it names, and not far below.
func TestFloor(t *testing.T) {
	t.Parallel()
	for x, want := range map[float64][2]string{
		1.5040773967762737:  {"1.50407", "1.504077396776273"},
		-1.5040773967762737: {"-1.50408", "-1.504077396776274"},
		4.199999999999999:   {"4.2", "4.199999999999999"},
		0:                   {"0", "0"},
		3:                   {"3", "3"},
	} {
		if got := Floor(x, 6); got != want[0] {
			t.Errorf("%g is %s, want %s", x, got, want[0])
		}
		exact, _ := new(big.Rat).SetString(Down.bound(x))
		back, _ := strconv.ParseFloat(Down.bound(x), 64)
		if exact.Cmp(new(big.Rat).SetFloat64(x)) > 0 || back != x ||
			!strings.HasPrefix(Down.bound(x), want[1][:len(want[1])-1]) {
			t.Errorf("%g is %s, want about %s", x, Down.bound(x), want[1])
		}
	}
}

func TestAgreement(t *testing.T) {
	t.Parallel()
	tests := []struct {
		lower, upper         float64
		wantLower, wantUpper string
	}{
		{0, 0, "0", "0"},
		{0, 1e-6, "0", "1.000e-06"},
		{0.25, 0.25, "0.2500", "0.2500"},
		{1e-6, 2e-6, "9.999e-07", "2.000e-06"}, // the float64 1e-6 is below 1e-6
		{1.23456789e-6, 1.23456791e-6, "1.234567889e-06", "1.234567911e-06"},
		{0.996, 1, "0.99599", "1.0000"},
		{1 - 1e-9, 1 + 1e-9, "0.99999999900", "1.0000000011"},
		{0.1 * (1 - 1e-12), 0.1, "0.099999999999900", "0.10000000000001"},
	}
	for _, tt := range tests {
		lower, upper := Agreement(interval.Interval{Lower: big.NewFloat(tt.lower), Upper: big.NewFloat(tt.upper)})
		if lower != tt.wantLower || upper != tt.wantUpper {
			t.Errorf("agreement(%g, %g) = %s, %s, want %s, %s", tt.lower, tt.upper, lower, upper, tt.wantLower,
				tt.wantUpper)
		}
	}
}

// TestAgreementFine: the digits tell narrow intervals apart, however narrow.
func TestAgreementFine(t *testing.T) {
	t.Parallel()
	for _, digits := range []int{30, 39, 60, 300} {
		lower, _, _ := big.ParseFloat("0.3", 10, 2000, big.ToZero)
		width := new(big.Float).SetPrec(2000).SetInt(pow10(digits))
		width.Quo(big.NewFloat(1).SetPrec(2000), width)
		upper := new(big.Float).SetPrec(2000).Add(lower, width)
		from, to := Agreement(interval.Interval{Lower: lower, Upper: upper})
		printed, _ := new(big.Rat).Sub(ratOrFail(to), ratOrFail(from)).Float64()
		if want, _ := width.Float64(); !(printed < 1.3*want) {
			t.Errorf("the width %g is printed as %g: %s, %s", want, printed, from, to)
		}
	}
}
