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
	if _, err := leastMechanisms(loss.Exp(rat.One), big.NewRat(1, 10)); err == nil {
		t.Error("ε = 0 must be refused: there is never an improvement")
	}
	if _, err := leastMechanisms(loss.Nats(rat.One), new(big.Rat)); err == nil {
		t.Error("limit 0 must be refused")
	}
}

// With ε = 100 even 2^40 mechanisms leave δ near 1: an error, not an endless search.
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

func TestTable1Ends(t *testing.T) {
	t.Parallel()
	if _, err := leastMechanisms(loss.Nats(big.NewRat(100, 1)), big.NewRat(1, 1000)); err == nil {
		t.Error("a search without end must be refused")
	}
	if k, err := leastMechanisms(loss.Nats(big.NewRat(1, 10)), big.NewRat(99, 100)); err != nil || k != 2 {
		t.Errorf("%d, %v, must be 2", k, err)
	}
}
