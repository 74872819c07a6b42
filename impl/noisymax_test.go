package impl

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// Of two counts, the smaller one wins with probability e^(−t)·(2 + t)/4: the difference of two Laplace noises.
func TestExactNoisyMaxShortfall_OfTwo(t *testing.T) {
	t.Parallel()
	const slack = 1e-9 // how exactly ln β is known for t in float64
	for _, beta := range testkit.Few(2, []string{"0.49", "0.05", "1e-6", "1e-50", "1e-200"}) {
		found, err := ExactNoisyMaxShortfall(2, rational.MustParse(beta), loss.Nats(rational.One))
		if err != nil {
			t.Fatal(err)
		}
		goal, _ := rational.MustParse(beta).Float64()
		apart := func(t float64) float64 { return -t + math.Log((2+t)/4) - math.Log(goal) }
		if f := found.Float(); apart(f.Lo) < -slack || apart(f.Hi) > slack {
			t.Errorf("β = %s: [%.15g, %.15g]: ln(p/β) is %g and %g there", beta, f.Lo, f.Hi, apart(f.Lo), apart(f.Hi))
		}
	}
}

// The ends are near each other, for few and for many counts, and for β near 1 and near 0.
func TestExactNoisyMaxShortfall_Width(t *testing.T) {
	t.Parallel()
	for _, row := range testkit.Few(2, []struct {
		m     int
		beta  string
		width float64
	}{
		{10, "0.5", 1e-6}, {1000, "0.99", 1e-4}, {1_000_000, "0.9999", 1e-2}, {1_000_000, "1e-9", 1e-4}, {1 << 30, "1e-200", 1e-2},
	}) {
		found, err := ExactNoisyMaxShortfall(row.m, rational.MustParse(row.beta), loss.Nats(big.NewRat(1, 2)))
		if f := found.Float(); err != nil || f.Lo <= 0 || f.Hi-f.Lo > 2*row.width {
			t.Errorf("m = %d, β = %s: [%g, %g], %v: wider than %g", row.m, row.beta, f.Lo, f.Hi, err, 2*row.width)
		}
	}
}
