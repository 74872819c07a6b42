package laplace

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// The probabilities are near those of float64, in the tails too.
func TestLaw(t *testing.T) {
	t.Parallel()
	n := interval.Precision(100)
	near := func(name string, got interval.Interval, want float64) {
		lower, _ := got.Lower.Float64()
		upper, _ := got.Upper.Float64()
		if lower > want*(1+1e-14) || upper < want*(1-1e-14) || got.RelWidth() > 1e-25 {
			t.Errorf("%s is [%g, %g], must be about %g", name, lower, upper, want)
		}
	}
	for _, text := range []string{"0", "0.3", "-0.3", "12.5", "-350", "1e-12"} {
		x := rational.MustParse(text)
		f := rational.Float64(x)
		below, above := math.Exp(2*f)/2, 1-math.Exp(2*f)/2
		if f > 0 {
			below, above = 1-math.Exp(-2*f)/2, math.Exp(-2*f)/2
		}
		near("Pr(X ≤ "+text+")", Below(n, x, big.NewRat(2, 1)), below)
		near("Pr(X ≥ "+text+")", Above(n, x, big.NewRat(2, 1)), above)
		to := new(big.Rat).Add(x, rational.One)
		between := math.Exp(-2*math.Abs(f)) / 2 * -math.Expm1(-2)
		switch {
		case f <= -1:
			between = math.Exp(2*f) / 2 * math.Expm1(2)
		case f < 0:
			between = 1 - math.Exp(2*f)/2 - math.Exp(-2*(f+1))/2
		}
		near("Pr("+text+" < X ≤ "+text+" + 1)", Between(n, x, to, big.NewRat(2, 1)), between)
	}
}
