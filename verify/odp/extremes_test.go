package odp

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// With noise and ranges beyond float64 the range that is released is a finite number: 0
// stays 0, and what is too large becomes the largest.
func TestPaper_ReleasedRangeIsFinite(t *testing.T) {
	t.Parallel()
	huge := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))
	tests := []struct {
		records []*big.Rat
		eps     string
		draws   []float64
		want    float64
	}{
		{rat.List("1", "1"), "1/1000", []float64{1, 1.5}, 0},
		{rat.List("1", "2"), "1/1000", []float64{1, 1.5}, math.MaxFloat64},
		{[]*big.Rat{rat.One, huge}, "1", []float64{1, -1000}, 0},
		{[]*big.Rat{rat.One, huge}, "1", []float64{1, 1}, math.MaxFloat64},
	}
	for _, test := range tests {
		eps := rat.Of(test.eps)
		got, ok, err := impl.DiscretizedIQR(test.records, 1, loss.Nats(eps), rat.One, &finite.Tape{Draws: test.draws})
		if got != test.want || !ok || err != nil {
			t.Errorf("impl: records %v: %g, %v, %v, must be %g", test.records, got, ok, err, test.want)
		}
		if test.records[1] == huge {
			continue // beyond the domain of spec
		}
		got, ok, err = spec.DiscretizedIQR(test.records, allValues(test.records), 1, rat.Float64(eps), 1,
			&finite.Tape{Draws: test.draws})
		if got != test.want || !ok || err != nil {
			t.Errorf("spec: records %v: %g, %v, %v, must be %g", test.records, got, ok, err, test.want)
		}
	}
}

// Charges that would leave the range of a big.Float, and ratios with 0, are refused.
func TestExtremesAreRefused(t *testing.T) {
	t.Parallel()
	eps := loss.Nats(big.NewRat(1000, 1))
	l := register.Must(impl.LawOfPrivateIQR(rat.List("1", "2"), eps, rat.Of("1/2")))
	other := register.Must(impl.LawOfPrivateIQR(rat.List("0", "0"), eps, rat.Of("1/2")))
	if _, err := impl.SmallestIQRDelta(l, other, 2_000_000, 0); err == nil {
		t.Error("a charge of 2,000,000 ε must be refused")
	}
	if x, err := impl.SmallestIQRDelta(l, other, 1000, 1000); err != nil || x.Upper.Cmp(big.NewFloat(1)) > 0 {
		t.Errorf("a charge of 1000 ε: %v, %v", x, err)
	}
	zero := interval.Interval{Lower: new(big.Float), Upper: big.NewFloat(1)}
	point := interval.Interval{Lower: big.NewFloat(1), Upper: big.NewFloat(1)}
	if _, err := impl.LogRatio(point, zero); err == nil {
		t.Error("a ratio with 0 must be refused")
	}
}

// A scale of noise beyond float64 is refused, not drawn from.
func TestLogRegWithTestRefusesTinyEpsilon(t *testing.T) {
	t.Parallel()
	data := []impl.LabelledRecord{{X: []float64{1}, Y: 1}}
	for name, run := range map[string]func(train, test []impl.LabelledRecord, eps1, eps2, lambda, t float64,
		noise impl.VectorNoise) ([]float64, error){
		"LogRegWithTest": impl.LogRegWithTest, "LogRegWithTightTest": impl.LogRegWithTightTest,
	} {
		if _, err := run(data, data, 1, 5e-324, 1, 0, impl.NewNoise([32]byte{})); err == nil {
			t.Errorf("%s: ε_2 = 5e-324 must be refused", name)
		}
	}
}
