package odp

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
)

func TestHomogeneousDeltaRefuses(t *testing.T) {
	t.Parallel()
	if _, err := impl.HomogeneousDelta(3, 2, loss.Exp(rat.One)); err == nil {
		t.Error("i = 2 of k = 3 must be refused")
	}
	if _, err := impl.HomogeneousDelta(3, 1, loss.Nats(big.NewRat(-1, 1))); err == nil {
		t.Error("ε = −1 must be refused")
	}
	if _, err := spec.HomogeneousDelta(3, -1, rat.One); err == nil {
		t.Error("i = −1 must be refused")
	}
}

// A δ that no big.Float is small enough for has an upper end that is not 0.
func TestHomogeneousDelta_Tiny(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		k    int
		eps  loss.Epsilon
		zero bool // the lower end
	}{
		{1 << 30, loss.Nats(big.NewRat(1, 10)), false},
		{math.MaxInt, loss.Nats(big.NewRat(1, 10)), math.MaxInt > 1<<32},
		{math.MaxInt, loss.Exp(big.NewRat(3, 2)), math.MaxInt > 1<<32},
		{9, loss.Nats(rat.Of("1e-5000")), true},
	} {
		x, err := impl.HomogeneousDelta(test.k, 1, test.eps)
		if err != nil || x.Upper.Sign() <= 0 || x.Lower.Sign() == 0 != test.zero {
			t.Errorf("k = %d, ε = %s: [%g, %g], %v", test.k, test.eps.Rat().FloatString(9), x.Lower, x.Upper, err)
		}
	}
}
