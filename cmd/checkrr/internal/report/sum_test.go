package report

import (
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/loss"
)

func TestSumNumbers(t *testing.T) {
	t.Parallel()
	sum := func(texts ...string) loss.Sum { // e^ε after an "e"
		s := loss.Sum{}
		for _, text := range texts {
			eps := loss.Nats(ratOrFail(strings.TrimPrefix(text, "e")))
			if text[0] == 'e' {
				eps = loss.Exp(eps.Rat())
			}
			s = s.Plus(loss.Of(eps))
		}
		return s
	}
	tests := []struct {
		sum          loss.Sum
		person, down string
		program      string
		exact        string
	}{
		{sum("0"), "0", "0", "0", ""},
		{sum("0.1", "0.2"), "0.3", "0.3", "0.30000000000000004", "0.3"},
		{sum("1e289"), "1e+289", "1e+289", "1e+289", ""},
		{sum("1e-12"), "1e-12", "1e-12", "1.0000000000000002e-12", "1e-12"},
		{sum("123456789.123"), "123456789.123", "123456789.123", "123456789.12300001", "123456789.123"},
		{sum("123456789.1234"), "≤ 123457000", "≥ 123456000", "123456789.1234", ""},
		{sum("1/3"), "≤ 0.333334", "≥ 0.333333", "0.33333333333333337", "1/3"},
		{sum("e2"), "≤ 0.693148", "≥ 0.693147", "0.6931471805599454", "ln(2)"},
		{sum("1").Minus(sum("e2")), "≤ 0.306853", "≥ 0.306852", "0.3068528194400547", "1 + ln(1/2)"},
		{sum("1").Minus(sum("e3")), "≤ -0.0986122", "≥ -0.0986123", "-0.09861228866810968", "1 + ln(1/3)"},
		{sum("0.5").Minus(sum("3")), "-2.5", "-2.5", "-2.5", ""},
		{sum("0.69314718055994530941").Minus(sum("e2")), "≤ -7.23212e-21", "≥ -7.23213e-21", "-7.232121458176567e-21",
			"69314718055994530941/100000000000000000000 + ln(1/2)"},
	}
	for _, tt := range tests {
		if got := ForPeople.Cell(tt.sum, true); got != tt.person {
			t.Errorf("%v is shown as %s, want %s", tt.sum, got, tt.person)
		}
		if got := ForPeople.Cell(tt.sum, false); got != tt.down {
			t.Errorf("%v is shown as %s, want %s", tt.sum, got, tt.down)
		}
		if got := Up.Sum(tt.sum); got.token != tt.program || got.exact != tt.exact {
			t.Errorf("%v is written as %s, %s, want %s, %s", tt.sum, got.token, got.exact, tt.program, tt.exact)
		}
	}
}

// TestAmountJSONExact: the exact form is there up to [MaxRatio] characters, and is null
// beyond, and of a sum that was rounded.
func TestAmountJSONExact(t *testing.T) {
	t.Parallel()
	sum := func(first, terms int) loss.Sum { // Σ 1/(10^500 + i), which have no common factor
		s := loss.Sum{}
		for i := range terms {
			denominator := pow10(500)
			s = s.Plus(loss.OfRat(new(big.Rat).SetFrac(big.NewInt(1),
				denominator.Add(denominator, big.NewInt(int64(first+i))))))
		}
		return s
	}
	for name, tt := range map[string]struct {
		sum    loss.Sum
		isNull bool
	}{
		"one term":    {sum(1, 1), false},
		"two terms":   {sum(1, 2), false},
		"too long":    {sum(1, 2).Minus(sum(11, 3)), true},
		"was rounded": {sum(1, 9).Plus(loss.OfRat(big.NewRat(1, 3))), true},
	} {
		exact := Up.Sum(tt.sum).exact
		if (exact == null) != tt.isNull || exact != null && exact != tt.sum.String() {
			t.Errorf("%s, rounded %v: %.60s, want null: %v", name, tt.sum.IsRounded(), exact, tt.isNull)
		}
	}
}
