package odp

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// enumeratedNoise returns the expected noise by running through all outputs of Algorithm 2,
// the cutoff included, with the small entries first.
func enumeratedNoise(t *testing.T, s impl.SparseReleaseSetting, large int) float64 {
	law := register.Must(impl.NewSparseVectorLaw(s.Delta, s.C, s.Eps1, s.Eps2))
	var extend func(run []impl.Comparison, count int) float64
	extend = func(run []impl.Comparison, count int) float64 {
		if len(run) == s.Entries || count == s.C {
			_, each, err := spec.SparseRelease(s.Eps2, s.Eps3, s.C, count)
			if each = register.Must(each, err); each == nil {
				return 0
			}
			p, err := law.Probability(run, 1e-14)
			if err != nil {
				t.Fatal(err)
			}
			return floatEnd(p.Lower) * math.Sqrt2 * rat.Float64(s.Delta) / rat.Float64(each)
		}
		x := impl.Comparison{Query: s.Small, Threshold: s.Threshold}
		if len(run) >= s.Entries-large {
			x.Query = s.Large
		}
		sum := extend(append(slices.Clip(run), x), count)
		x.Above = true
		return sum + extend(append(slices.Clip(run), x), count+1)
	}
	return extend(nil, 0)
}

func TestExhaustive_SparseReleaseNoise(t *testing.T) {
	t.Parallel()
	s := impl.SparseReleaseSetting{
		Entries: 5, Large: rat.Of("3"), Small: rat.Of("-1/2"), Threshold: rat.Of("1"), Delta: rat.Of("2"),
		C: 2, Eps1: rat.Of("1/2"), Eps2: rat.Of("3/2"), Eps3: rat.Of("1"),
	}
	for _, s.C = range []int{1, 2, 5} {
		for _, s.Threshold = range []*big.Rat{rat.Of("1"), rat.Of("4"), rat.Of("-3")} {
			for large := range 6 {
				want := enumeratedNoise(t, s, large)
				got, err := impl.SparseReleaseNoise(s, large, 1e-12)
				if err != nil || !isAbout(got, want, 1e-12) {
					t.Errorf("c = %d, T = %v, %d large: [%.17g, %.17g], %v, enumerated %.17g", s.C, s.Threshold, large, got.Lower,
						got.Upper, err, want)
				}
				bound, err := impl.SparseReleaseNoiseBound(s, large, 1e-12)
				if err != nil || bound.Upper.Cmp(got.Lower) < 0 {
					t.Errorf("c = %d, T = %v, %d large: bound [%g, %g], %v, expectation %g", s.C, s.Threshold, large, bound.Lower,
						bound.Upper, err, got.Lower)
				}
			}
		}
	}
}

// The loss of a value against the densities themselves: nowhere is it larger than at the
// two answers.
func TestLaw_ValueLoss(t *testing.T) {
	t.Parallel()
	density := func(eps, y, mean float64) float64 { return eps / 2 * math.Exp(-eps*math.Abs(y-mean)) }
	for _, eps := range rat.List("1/3", "2") {
		for _, f1 := range rat.List("-1", "-1/4", "0", "1/2", "1") {
			zero := new(big.Rat)
			most := rat.Max(valueLoss(eps, zero, zero, f1), valueLoss(eps, f1, zero, f1))
			for k := int64(-24); k <= 24; k++ {
				y := big.NewRat(k, 8)
				loss := valueLoss(eps, y, zero, f1)
				want := math.Log(density(rat.Float64(eps), rat.Float64(y), 0) / density(rat.Float64(eps), rat.Float64(y),
					rat.Float64(f1)))
				if math.Abs(rat.Float64(loss)-want) > 1e-12 || loss.Cmp(most) > 0 {
					t.Errorf("ε = %v, f_i = 0 and %v, y = %v: loss %v, densities %g, most %v", eps, f1, y, loss, want, most)
				}
			}
		}
	}
}

// A release that spends more than ε_t is refuted by a loss, not only by its sums.
func TestControl_SparseReleaseIsPrivate(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]releaseVariant{
		"all for each": {unshared: true}, "a millionth more": {more: "1e-6"}, "undivided": {undivided: true},
	} {
		release := variantRelease(v)
		s := register.Statement{ID: name, Verdict: register.Fails, Check: sparseReleases(releaseClaim{release, 1})}
		f := register.Run(t.Context(), []register.Statement{s}, register.Options{})[0]
		if f.Verdict() != register.Fails || !strings.Contains(f.Outcome.Counterexample, "the losses of the values") {
			t.Errorf("%s: %s %s", name, f.Verdict(), f.Outcome.Counterexample)
		}
	}
}
