package odp

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// noisesAgree checks the curves of Figure 1 against quadratures over ρ, for a Δ of the noise that is larger by a
// factor.
func noisesAgree(t *register.T, factor float64) {
	t.Domain("quadratures for 0, 7 and 19 large entries, and for 0 to 5 of 5 with Δ = 2, c = 2 and T = 4, and c = " +
		"1 and T = 20")
	all := figure1Curves()
	for _, large := range []int{0, 7, 19} {
		releaseNoise{t, settingOfFigure1(), large, factor}.agree(all.noise[large], all.bound[large], all.dp)
	}
	for i, threshold := range []string{"20", "4"} {
		small := impl.SparseReleaseSetting{
			Entries: 5, Large: rat.Of("3"), Small: rat.Of("-1/2"), Threshold: rat.Of(threshold), Delta: rat.Of("2"),
			C: 1 + i, Eps1: rat.Half, Eps2: rat.Of("3/2"), Eps3: rat.One,
		}
		for large := range small.Entries + 1 {
			releaseNoise{t, small, large, factor}.agree(register.Must(impl.SparseReleaseNoise(small, large, 1e-9)),
				register.Must(impl.SparseReleaseNoiseBound(small, large, 1e-9)), register.Must(impl.SparseReleaseNoiseDP(small)))
		}
	}
}

// releaseNoise is the noise on the released entries of a vector.
type releaseNoise struct {
	t      *register.T
	s      impl.SparseReleaseSetting
	large  int
	factor float64
}

// agree compares the expected noise, its bound, and the noise without ODP.
func (n releaseNoise) agree(noise, bound, dp interval.Interval) {
	n.t.Case()
	const trusted = 1e-8 // ρ beyond the reach has probability 2e-14 or less, of noise that is up to 1e5 times that
	for _, x := range []struct {
		what string
		got  interval.Interval
		want float64
	}{{"expected noise", noise, n.expected()}, {"bound", bound, n.chebyshev()},
		{"noise without ODP", dp, math.Sqrt2 * rat.Float64(n.s.Delta) * float64(n.s.C) / rat.Float64(n.s.Eps3)}} {
		n.t.Require(isAbout(x.got, n.factor*x.want, trusted), "%d of %d entries large: "+x.what+" in [%.12g, %.12g], "+
			"by quadrature %.12g", n.large, n.s.Entries, x.got.Lower, x.got.Upper, n.factor*x.want)
	}
}

// of returns the noise on each of k released entries.
func (n releaseNoise) of(k int) float64 {
	_, each, err := spec.SparseRelease(n.s.Eps2, n.s.Eps3, n.s.C, k)
	if each = register.Must(each, err); each == nil {
		return 0
	}
	return math.Sqrt2 * rat.Float64(n.s.Delta) / rat.Float64(each)
}

// above returns the probability that an entry is released, given ρ = z.
func (n releaseNoise) above(entry *big.Rat, z float64) float64 {
	return laplaceAtLeast(rat.Float64(n.s.Threshold)+z-rat.Float64(entry), n.noises().nu())
}

func (n releaseNoise) noises() noises {
	return noises{rat.Float64(n.s.Delta), n.s.C, rat.Float64(n.s.Eps1), rat.Float64(n.s.Eps2)}
}

// mean returns the expectation of f(ρ).
func (n releaseNoise) mean(f func(z float64) float64) float64 {
	rho := n.noises().rho()
	kinks := []float64{rat.Float64(rat.Sub(n.s.Large, n.s.Threshold)), rat.Float64(rat.Sub(n.s.Small, n.s.Threshold))}
	return quadrature(func(z float64) float64 { return f(z) * laplaceDensity(z, rho) }, kinks, math.Ceil(32*rho))
}

// expected returns the expected noise, with the number of ⊤ by convolution, entry by entry.
func (n releaseNoise) expected() float64 {
	c, noise := n.s.C, make([]float64, n.s.C+1)
	for k := range noise {
		noise[k] = n.of(k)
	}
	return n.mean(func(z float64) float64 {
		small, large := n.above(n.s.Small, z), n.above(n.s.Large, z)
		counts := make([]float64, c+1) // the last one is for c and more
		counts[0] = 1
		for i := range n.s.Entries {
			p := small
			if i < n.large {
				p = large
			}
			counts[c] += counts[c-1] * p
			for k := c - 1; k > 0; k-- {
				counts[k] = counts[k]*(1-p) + counts[k-1]*p
			}
			counts[0] *= 1 - p
		}
		sum := 0.0
		for k, pr := range counts {
			sum += noise[k] * pr
		}
		return sum
	})
}

// chebyshev returns the bound, with the mean and the variance of the number of small entries that are released.
func (n releaseNoise) chebyshev() float64 {
	moment := func(power float64) float64 {
		return n.mean(func(z float64) float64 { return math.Pow(n.above(n.s.Small, z), power) })
	}
	small := float64(n.s.Entries - n.large)
	mean := small * moment(1)
	variance := mean + small*(small-1)*moment(2) - mean*mean
	sum := n.of(min(n.large, n.s.C))
	for k := n.large + 1; k <= n.s.C; k++ {
		tail := 1.0
		if distance := float64(k-n.large) - mean; distance > 0 {
			tail = min(1, variance/(distance*distance))
		}
		sum += (n.of(k) - n.of(k-1)) * tail
	}
	return sum
}
