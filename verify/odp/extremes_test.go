package odp

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// With noise and ranges beyond float64 the range that is released is a finite number: 0
// stays 0, and what is too large becomes the largest. 1e400 is beyond the domain of spec.
func TestPaper_ReleasedRangeIsFinite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		records []*big.Rat
		eps     string
		draws   []float64
		want    float64
	}{
		{rat.List("1", "1"), "1/1000", []float64{1, 1.5}, 0},
		{rat.List("1", "2"), "1/1000", []float64{1, 1.5}, math.MaxFloat64},
		{rat.List("1", "1e400"), "1", []float64{1, -1000}, 0},
		{rat.List("1", "1e400"), "1", []float64{1, 1}, math.MaxFloat64},
	} {
		got, ok, err := impl.DiscretizedIQR(test.records, 1, loss.Nats(rat.Of(test.eps)), rat.One,
			&finite.Tape{Draws: test.draws})
		if got != test.want || !ok || err != nil {
			t.Errorf("records %v: %g, %v, %v, must be %g", test.records, got, ok, err, test.want)
		}
		if math.IsInf(rat.Float64(test.records[1]), 1) {
			continue
		}
		got, ok, err = spec.DiscretizedIQR(test.records, allValues(test.records), 1, rat.Float64(rat.Of(test.eps)), 1,
			&finite.Tape{Draws: test.draws})
		if got != test.want || !ok || err != nil {
			t.Errorf("spec: records %v: %g, %v, %v, must be %g", test.records, got, ok, err, test.want)
		}
	}
}

// Charges that would leave the range of a big.Float, and ratios with 0, are refused.
func TestExtremesAreRefused(t *testing.T) {
	t.Parallel()
	eps := loss.Nats(rat.Int(1000))
	l := register.Must(impl.LawOfPrivateIQR(rat.List("1", "2"), eps, rat.Half))
	other := register.Must(impl.LawOfPrivateIQR(rat.List("0", "0"), eps, rat.Half))
	if _, err := impl.SmallestIQRDelta(l, other, 2_000_000, 0); err == nil {
		t.Error("a charge of 2,000,000 ε must be refused")
	}
	if x, err := impl.SmallestIQRDelta(l, other, 1000, 1000); err != nil || x.Upper.Cmp(big.NewFloat(1)) > 0 {
		t.Errorf("a charge of 1000 ε: %v, %v", x, err)
	}
	if _, err := impl.LogRatio(interval.Of(1, 1), interval.Of(0, 1)); err == nil {
		t.Error("a ratio with 0 must be refused")
	}
}

// A scale of noise beyond float64 is refused, not drawn from.
func TestLogRegWithTestRefusesTinyEpsilon(t *testing.T) {
	t.Parallel()
	data := []impl.LabelledRecord{{X: []float64{1}, Y: 1}}
	_, printed := impl.LogRegWithTest(data, data, 1, 5e-324, 1, 0, noise.New([32]byte{}))
	_, tight := impl.LogRegWithTightTest(data, data, 1, 5e-324, 1, 0, noise.New([32]byte{}))
	if printed == nil || tight == nil {
		t.Errorf("ε_2 = 5e-324 must be refused: %v, %v", printed, tight)
	}
}
