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
					t.Errorf("c = %d, T = %v, %d large: [%.17g, %.17g], %v, enumerated %.17g", s.C, s.Threshold, large, got.Lower, got.Upper, err, want)
				}
				bound, err := impl.SparseReleaseNoiseBound(s, large, 1e-12)
				if err != nil || bound.Upper.Cmp(got.Lower) < 0 {
					t.Errorf("c = %d, T = %v, %d large: bound [%g, %g], %v, expectation %g", s.C, s.Threshold, large, bound.Lower, bound.Upper, err, got.Lower)
				}
			}
		}
	}
}

// Figure 1 by quadrature over ρ, with the number of ⊤ by convolution, entry by entry.
func TestPair_Figure1(t *testing.T) {
	s := settingOfFigure1()
	all, err := figure1Curves()
	if err != nil {
		t.Fatal(err)
	}
	scale := 40 / rat.Float64(s.Eps2)
	atLeast := func(x float64) float64 { // Pr(ν ≥ x)
		if x > 0 {
			return math.Exp(-x/scale) / 2
		}
		return 1 - math.Exp(x/scale)/2
	}
	noise := make([]float64, s.C+1)
	for k := 1; k <= s.C; k++ {
		_, each, err := spec.SparseRelease(s.Eps2, s.Eps3, s.C, k)
		noise[k] = math.Sqrt2 / rat.Float64(register.Must(each, err))
	}
	for _, large := range []int{0, 1, 7, 19, 20} {
		want := quadrature(func(z float64) float64 {
			counts := make([]float64, s.C+1) // the last one is for c and more
			counts[0] = 1
			for i := range s.Entries {
				p := atLeast(500 + z)
				if i < large {
					p = atLeast(z - 500)
				}
				counts[s.C] += counts[s.C-1] * p
				for k := s.C - 1; k > 0; k-- {
					counts[k] = counts[k]*(1-p) + counts[k-1]*p
				}
				counts[0] *= 1 - p
			}
			sum := 0.0
			for k, pr := range counts {
				sum += noise[k] * pr
			}
			return sum * math.Exp(-math.Abs(z)*rat.Float64(s.Eps1)) * rat.Float64(s.Eps1) / 2
		}, []float64{-500, 500}, 800)
		if !isAbout(all.noise[large], want, 1e-9) { // ρ beyond 800 has probability 2e-14
			t.Errorf("%d large: [%.15g, %.15g], quadrature %.15g", large, all.noise[large].Lower, all.noise[large].Upper, want)
		}
	}
}

// The bound for Figure 1, with the mean and the variance of the number of small entries by
// quadrature over ρ.
func TestPair_Figure1Bound(t *testing.T) {
	s := settingOfFigure1()
	all, err := figure1Curves()
	if err != nil {
		t.Fatal(err)
	}
	moment := func(power int) float64 {
		return quadrature(func(z float64) float64 {
			p := 1 - math.Exp((500+z)*rat.Float64(s.Eps2)/40)/2
			if z > -500 {
				p = math.Exp(-(500+z)*rat.Float64(s.Eps2)/40) / 2
			}
			return math.Pow(p, float64(power)) * math.Exp(-math.Abs(z)*rat.Float64(s.Eps1)) * rat.Float64(s.Eps1) / 2
		}, []float64{-500}, 800)
	}
	noise := func(k int) float64 {
		_, each, err := spec.SparseRelease(s.Eps2, s.Eps3, s.C, k)
		if each = register.Must(each, err); each == nil {
			return 0
		}
		return math.Sqrt2 / rat.Float64(each)
	}
	for large, got := range all.bound {
		n := float64(100 - large)
		mean := n * moment(1)
		variance := mean + n*(n-1)*moment(2) - mean*mean
		want := noise(large)
		for k := large + 1; k <= 20; k++ {
			distance := float64(k-large) - mean
			want += (noise(k) - noise(k-1)) * min(1, variance/(distance*distance))
		}
		if !isAbout(got, want, 1e-9) {
			t.Errorf("%d large: [%.15g, %.15g], quadrature %.15g", large, got.Lower, got.Upper, want)
		}
	}
}

// The loss of a value against the densities themselves: nowhere is it larger than at the
// two answers.
func TestLaw_ValueLoss(t *testing.T) {
	density := func(eps, y, mean float64) float64 { return eps / 2 * math.Exp(-eps*math.Abs(y-mean)) }
	for _, eps := range rat.List("1/3", "2") {
		for _, f1 := range rat.List("-1", "-1/4", "0", "1/2", "1") {
			zero := new(big.Rat)
			most := rat.Max(valueLoss(eps, zero, zero, f1), valueLoss(eps, f1, zero, f1))
			for k := int64(-24); k <= 24; k++ {
				y := big.NewRat(k, 8)
				loss := valueLoss(eps, y, zero, f1)
				want := math.Log(density(rat.Float64(eps), rat.Float64(y), 0) / density(rat.Float64(eps), rat.Float64(y), rat.Float64(f1)))
				if math.Abs(rat.Float64(loss)-want) > 1e-12 || loss.Cmp(most) > 0 {
					t.Errorf("ε = %v, f_i = 0 and %v, y = %v: loss %v, densities %g, most %v", eps, f1, y, loss, want, most)
				}
			}
		}
	}
}

// A release that spends more than ε_t is refuted by a loss, not only by its sums.
func TestControl_SparseReleaseIsPrivate(t *testing.T) {
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
