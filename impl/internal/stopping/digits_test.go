package stopping

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/internal/rational"
)

// RoundedUp: a decimal, not below, the next lower one is below, and short.
func TestRoundedUp(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		r      string
		digits int
		want   string
	}{
		{"0", 9, "0"}, {"1/3", 9, "0.333333334"}, {"2/3", 9, "0.666666667"}, {"1", 9, "1"},
		{"10", 9, "10"}, {"0.1", 15, "0.1"},
		{"0.999999999", 9, "0.999999999"}, {"0.9999999991", 9, "1"}, {"9.99999999999999999", 15, "10"},
		{"99999999999", 9, "1e11"},
		{"123456789012", 9, "123456790000"}, {"1e-300", 9, "1e-300"}, {"1.0000000001e-300", 9, "1.00000001e-300"},
		{"1e280", 15, "1e280"},
		{"12345678901234567890", 15, "12345678901234600000"}, {"1e-9999", 9, "1e-9999"},
		{"8/9", 12, "0.888888888889"}, {"1024", 9, "1024"},
	} {
		if got := RoundedUp(rational.MustParse(row.r), row.digits); got.Cmp(rational.MustParse(row.want)) != 0 {
			t.Errorf("%s to %d digits is %s, want %s", row.r, row.digits, rational.Decimal(got), row.want)
		}
	}
	rng := rand.New(rand.NewPCG(7, 8))
	ten := big.NewRat(10, 1)
	for range 3000 {
		digits := 9 + rng.IntN(7)
		r := big.NewRat(1+rng.Int64N(1<<rng.IntN(62)), 1+rng.Int64N(1<<rng.IntN(62)))
		r.Mul(r, rational.Power(ten, rng.IntN(600)-300))
		if rng.IntN(4) == 0 {
			r = rational.Power(ten, rng.IntN(600)-300)
		}
		got := RoundedUp(r, digits)
		// got = m·10^k with m < 10^digits, m as large as that allows
		k := 0
		for m := new(big.Rat).Set(got); m.Cmp(rational.Power(ten, digits)) >= 0; m.Quo(m, ten) {
			k++
		}
		least := rational.Power(ten, digits-1)
		for m := new(big.Rat).Quo(got, rational.Power(ten, k)); m.Cmp(least) < 0; m.Mul(m, ten) {
			k--
		}
		m := new(big.Rat).Quo(got, rational.Power(ten, k))
		below := new(big.Rat).Mul(new(big.Rat).Sub(m, rational.One), rational.Power(ten, k))
		if m.Cmp(least) == 0 { // a digit less below a power of ten
			below.Mul(new(big.Rat).Sub(m, big.NewRat(1, 10)), rational.Power(ten, k))
		}
		if !m.IsInt() || got.Cmp(r) < 0 || below.Cmp(r) >= 0 {
			t.Errorf("%s to %d digits is %s", rational.Decimal(r), digits, rational.Decimal(got))
		}
	}
}
