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
		run = append(run, impl.Comparison{Query: new(big.Rat), Threshold: big.NewRat(int64(i*37%100), 7), Above: i%20 == 19})
	}
	got, err := law.Probability(run, 1e-15)
	if err != nil {
		t.Fatal(err)
	}
	if want := (noises{1, 5, 0.5, 0.5}).probability(run); !isAbout(got, want, quadratureError) || got.RelWidth() > 1e-15 {
		t.Errorf("[%.17g, %.17g], quadrature %.17g", got.Lower, got.Upper, want)
	}
}

// Printed values against quadrature, with the density of ν itself, on both sides of the kink.
func TestPair_ProbabilityReleased(t *testing.T) {
	t.Parallel()
	roth := impl.SparseVectorLaw{RhoScale: rat.Of("2"), NuScale: rat.Of("3"), Cutoff: 1}
	for _, r := range [][2]string{{"-1", "2"}, {"1/2", "3/4"}, {"-7", "-13/2"}, {"4", "40"}} {
		low, high := rat.Of(r[0]), rat.Of(r[1])
		run := []impl.Comparison{
			{Query: rat.Of("1"), Threshold: rat.Of("1/3")},
			{Query: rat.Of("1/2"), Threshold: rat.Of("1/4"), Above: true, Released: &impl.Range{Low: low, High: high}},
		}
		below := func(x float64) float64 { // Pr(Lap(3) ≤ x)
			if x < 0 {
				return math.Exp(x/3) / 2
			}
			return 1 - math.Exp(-x/3)/2
		}
		want := quadrature(func(z float64) float64 {
			first := below(1./3 + z - 1)
			second := below(rat.Float64(high)-0.5) - below(max(rat.Float64(low), 0.25+z)-0.5)
			return math.Exp(-math.Abs(z)/2) / 4 * first * max(0, second)
		}, []float64{2. / 3, 0.25, rat.Float64(low) - 0.25, rat.Float64(high) - 0.25}, 150)
		got, err := roth.Probability(run, 1e-12)
		if err != nil || !isAbout(got, want, 1e-9) {
			t.Errorf("printed in [%s, %s]: [%.17g, %.17g], %v, quadrature %.17g", r[0], r[1], got.Lower, got.Upper, err, want)
		}
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

// The published variants lose what was computed for them elsewhere, in floating point.
func TestPaper_WrongSparseVectors(t *testing.T) {
	t.Parallel()
	losses := map[string]float64{
		"Lee and Clifton 2014, c = 1": 1.747, "Lee and Clifton 2014, c = 3": 4.61,
		"Chen et al. 2015, 10 queries": 4.49, "Chen et al. 2015, 16 queries": 7.35,
		"Roth 2011, c = 1": 4, // mε/2 for m = 8
	}
	for _, w := range wrongSparseVectors() {
		for i := range w.Runs[0] {
			change := rat.Sub(w.Runs[0][i].Query, w.Runs[1][i].Query)
			if change.Abs(change).Cmp(rat.One) > 0 || w.Runs[0][i].Above != w.Runs[1][i].Above {
				t.Errorf("%s: comparison %d is not that of neighbours", w.Name, i+1)
			}
		}
		want, finite := losses[w.Name]
		if !finite {
			p0, err := w.Law.Probability(w.Runs[0], 1e-9)
			p1, err2 := w.Law.Probability(w.Runs[1], 1e-9)
			if err != nil || err2 != nil || p0.Lower.Sign() <= 0 || p1.Upper.Sign() != 0 {
				t.Errorf("%s: P0 in [%g, %g], P1 in [%g, %g]", w.Name, p0.Lower, p0.Upper, p1.Lower, p1.Upper)
			}
			continue
		}
		loss, err := w.Law.Loss(w.Runs[0], w.Runs[1], 1e-9)
		if err != nil || math.Abs(floatEnd(loss.Lower)-want) > 0.006 || !rat.IsAbove(loss, w.Eps) {
			t.Errorf("%s: loss in [%g, %g], %v, must be about %g", w.Name, loss.Lower, loss.Upper, err, want)
		}
	}
}

// Not only for c = 3: with all answers at the thresholds, m ⊥ and then c' times ⊤, the loss
// comes within 10^-6 of the charge once m is some times c' + 2cε_1/ε_2. That many ⊥ make up
// for the density of ρ, which falls by e^(−ε_1), and for each ⊤, by e^(−ε_2/(2c)).
func TestLaw_ChargesAreTightInTheLimit(t *testing.T) {
	t.Parallel()
	for _, split := range splits {
		eps1, eps2 := rat.Of(split[0]), rat.Of(split[1])
		for c := 1; c <= 3; c++ {
			law := register.Must(impl.NewSparseVectorLaw(rat.One, c, eps1, eps2))
			for _, released := range []int{0, c} {
				m := 32 + 8*(released+int(2*float64(c)*rat.Float64(eps1)/rat.Float64(eps2)))
				pair := runs(queries(m, "0", "1", false), queries(released, "0", "-1", true))
				loss, err := law.Loss(pair[0], pair[1], 1e-12)
				if err != nil {
					t.Fatal(err)
				}
				charge := register.Must(spec.SparseVectorCharge(eps1, eps2, c, released))
				if nearly := rat.Sub(charge, rat.Of("1e-6")); !rat.IsAbove(loss, nearly) || !rat.IsAtMost(loss, charge) {
					t.Errorf("ε_1 = %v, ε_2 = %v, c = %d, c' = %d, m = %d: loss in [%.10g, %.10g], charge %v",
						eps1, eps2, c, released, m, loss.Lower, loss.Upper, charge)
				}
			}
		}
	}
}
