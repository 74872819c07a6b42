package odp

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// A hundred different thresholds.
func TestPair_ProbabilityLong(t *testing.T) {
	t.Parallel()
	law := register.Must(impl.NewSparseVectorLaw(rat.One, 5, rat.Half, rat.Half))
	var run []impl.Comparison
	for i := range 100 {
		threshold := big.NewRat(int64(i*37%100), 7)
		run = append(run, impl.Comparison{Query: new(big.Rat), Threshold: threshold, Above: i%20 == 19})
	}
	got, err := law.Probability(run, 1e-15)
	if err != nil {
		t.Fatal(err)
	}
	if want := (noises{1, 5, 0.5, 0.5}).probability(run); !isAbout(got, want, quadratureError) ||
		got.RelWidth() > 1e-15 {
		t.Errorf("[%.17g, %.17g], quadrature %.17g", got.Lower, got.Upper, want)
	}
}

// Spec and impl refuse the same input.
func TestPair_SparseVectorBadInput(t *testing.T) {
	t.Parallel()
	ask := func(x float64, a []bool) (float64, float64, bool) { return x, 0, len(a) == 2 }
	for _, bad := range []struct {
		x, delta   float64
		c          int
		eps1, eps2 float64
	}{
		{0, 0, 1, 1, 1}, {0, math.NaN(), 1, 1, 1}, {0, 1, 0, 1, 1}, {0, 1, 1, 0, 1}, {0, 1, 1, 1, math.Inf(1)},
		{0, 1e-300, 1, 1e300, 1}, {0, 1e300, 1, 1, 1e-300}, {math.NaN(), 1, 1, 1, 1}, {math.Inf(-1), 1, 1, 1, 1},
	} {
		draws := []float64{0}
		_, err := spec.SparseVector(bad.x, ask, bad.delta, bad.c, bad.eps1, bad.eps2, &finite.Tape{Draws: draws})
		_, err2 := impl.SparseVector(bad.x, ask, bad.delta, bad.c, bad.eps1, bad.eps2, &finite.Tape{Draws: draws})
		if err == nil || err2 == nil || err.Error() != err2.Error() {
			t.Errorf("%+v: spec %v, impl %v", bad, err, err2)
		}
	}
}
