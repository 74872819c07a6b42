package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/laplace"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

// RunSparseRelease releases entries of a vector f(x). M_SVT, with the queries q_i(x) = |f_i(x)| and
// one threshold, says which ones; each of these gets Laplace noise for its share of what the ODP
// analysis leaves, [SparseRelease]. It returns their indices, in order, and their private values,
// and makes the draws of spec.RunSparseRelease in the same order.
//
// Source: Hartmann et al. (2022), Section 4.1; ODP-X12.
// Symbols: f(x) = f; T = threshold, the sensitivity of an entry Δ = delta; ε_1, ε_2, ε_3 = eps1, eps2, eps3.
// Domain: Δ, ε_1, ε_2, ε_3 and the scales of the noise positive and finite; c ≥ 1; T and entries finite.
// Accuracy: float64: the guarantees are those of real numbers. What is beyond float64 is returned
// as the largest float64 of its sign.
// Deviation from print: print has no algorithm; what is left if nothing is released stays unused.
// Cost: O(len(f)) up to the c-th entry that is released.
func RunSparseRelease(f []float64, threshold, delta float64, c int, eps1, eps2, eps3 float64,
	random noise.Source) (indices []int, values []float64, err error) {
	defer check.Named("RunSparseRelease", &err)
	if err := checkSparseRelease(f, threshold, delta, c, eps2, eps3); err != nil {
		return nil, nil, err
	}
	run, err := NewSparseVectorRun(delta, c, eps1, eps2, random)
	if err != nil {
		return nil, nil, err
	}
	for i := 0; i < len(f) && !run.Done(); i++ {
		above, err := run.Compare(math.Abs(f[i]), threshold)
		if err != nil {
			panic("internal error: " + err.Error())
		}
		if above {
			indices = append(indices, i)
		}
	}
	left := eps3 + float64(c-len(indices))/float64(c)*eps2
	for _, i := range indices {
		z := random.Laplace(delta / (left / float64(len(indices))))
		values = append(values, withinFloat64(f[i]+withinFloat64(z)))
	}
	return indices, values, nil
}

// checkSparseRelease refuses what could not be released, whatever M_SVT says: an error later would tell of it.
func checkSparseRelease(f []float64, threshold, delta float64, c int, eps2, eps3 float64) error {
	if !(eps3 > 0) || math.IsInf(eps3+eps2, 1) {
		return fmt.Errorf("ε_3 is %g, must be positive, and finite with ε_2", eps3)
	}
	err := cmp.Or(check.Finite("threshold", threshold), check.AllFinite("entry", f))
	if c >= 1 { // the least and the most
		err = cmp.Or(err, checkScales(delta/(eps3+eps2), delta/(eps3/float64(c))))
	}
	return err
}

// SparseReleaseSetting is a vector with entries of two sizes whose large entries are to
// be released: the sparse vector technique finds the entries above a threshold, and
// Laplace noise covers the values of those that it finds.
type SparseReleaseSetting struct {
	Entries          int      // length of the vector
	Large, Small     *big.Rat // what an entry can be
	Threshold, Delta *big.Rat // T, and Δ, the sensitivity of an entry
	C                int      // the most entries that are released
	Eps1, Eps2, Eps3 *big.Rat // ε_1 and ε_2 of the sparse vector technique, ε_3 of the values
}

// SparseReleaseNoise returns the expected standard deviation of the noise on a released
// entry, √2·Δ/(ε_3'/c') with c' entries released and 0 with none, of a vector with the
// given number of large entries. It is an expectation over ρ and the ν_i.
//
// Given ρ = z the comparisons are independent, so c' = min(c, N) with N the sum of two
// binomials, whatever the order of the entries. With w(k) = k/ε_3'(k) the expectation is
// √2·Δ·(w(c) + ∫ Σ_{k<c} (w(k) − w(c))·Pr(N = k | z)), in closed form; see package laplace.
//
// Source: Hartmann et al. (2022), Figure 1, curve with ODP; ODP-F1, ODP-X12.
// Domain: 0 ≤ large ≤ Entries; relWidth > 0.
// Accuracy: the interval contains the number.
// Deviation from print: the expectation itself, where print has an upper bound on it.
// Cost: O(c·large·Entries) multiplications.
func SparseReleaseNoise(s SparseReleaseSetting, large int, relWidth float64) (e interval.Interval, err error) {
	defer check.Named("SparseReleaseNoise", &err)
	law, err := s.law(large)
	if err = cmp.Or(err, checkWidth(relWidth)); err != nil {
		return e, err
	}
	w := s.weights()
	cut := laplace.Panes(nil, nil, []*big.Rat{new(big.Rat).Sub(s.Large, s.Threshold),
		new(big.Rat).Sub(s.Small, s.Threshold)})
	return narrowed(128, relWidth, func(n interval.Precision) interval.Interval {
		l := laplace.NewIntegral(n, law.RhoScale, law.NuScale)
		e := l.Rat(w[s.C])
		for _, p := range cut {
			e = l.Add(e, s.shortfall(l, p, large, w))
		}
		return deviation(n, e, s.Delta)
	})
}

// narrowed returns a positive number to the relative width asked for, with more and more bits.
func narrowed(first uint, relWidth float64, of func(interval.Precision) interval.Interval) (interval.Interval, error) {
	var x interval.Interval
	for bits := first; bits <= maxBits; bits *= 2 {
		if x = of(interval.Precision(bits)); x.Lower.Sign() > 0 && x.RelWidth() <= relWidth {
			return x, nil
		}
	}
	return interval.Interval{}, fmt.Errorf("relative width is %g with %d bits, must be at most %g",
		x.RelWidth(), maxBits, relWidth)
}

func checkWidth(relWidth float64) error {
	if !(relWidth > 0) {
		return fmt.Errorf("relative width is %g, must be positive", relWidth)
	}
	return nil
}

// SparseReleaseNoiseBound returns an upper bound on [SparseReleaseNoise] by Chebyshev's
// inequality. Let Y be the number of small entries that would be released, were there
// no cutoff. At most min(c, large + Y) entries are released, w increases, and so
//
//	E w(c') ≤ w(large) + Σ_{k = large+1}^{c} (w(k) − w(k−1))·Pr(Y ≥ k − large),
//
// where Pr(Y ≥ j) ≤ Var Y/(j − E Y)² for j > E Y. The mean and the variance are those
// over ρ and the ν_i: the comparisons share ρ, so they are not independent.
//
// Source: Hartmann et al. (2022), Figure 1, curve with ODP; ODP-F1.
// Domain: 0 ≤ large ≤ Entries; relWidth > 0.
// Accuracy: the interval contains the bound.
// Deviation from print: print names the inequality and the random variables, and no more.
// Cost: O(c).
func SparseReleaseNoiseBound(s SparseReleaseSetting, large int, relWidth float64) (bound interval.Interval, err error) {
	defer check.Named("SparseReleaseNoiseBound", &err)
	law, err := s.law(large)
	if err != nil {
		return bound, err
	}
	n := interval.Precision(128)
	w := s.weights()
	mean, variance, err := s.smallReleased(n, law, s.Entries-large, relWidth)
	if err != nil {
		return bound, err
	}
	sum := n.Rat(w[min(large, s.C)])
	for k := large + 1; k <= s.C; k++ {
		step := n.Rat(new(big.Rat).Sub(w[k], w[k-1]))
		sum = n.Add(sum, n.Mul(step, chebyshev(n, mean, variance, int64(k-large))))
	}
	return deviation(n, sum, s.Delta), nil
}

// SparseReleaseNoiseDP returns the standard deviation without ODP, √2·Δ/(ε_3/c), however
// many entries are released.
//
// Source: Hartmann et al. (2022), Figure 1, curve without ODP; ODP-F1, ODP-X12.
// Domain: at least one entry; Δ, ε_1, ε_2, ε_3 > 0; c ≥ 1.
// Accuracy: the interval contains the number, to 128 bits.
// Deviation from print: none.
// Cost: O(1).
func SparseReleaseNoiseDP(s SparseReleaseSetting) (interval.Interval, error) {
	if _, err := s.law(0); err != nil {
		return interval.Interval{}, fmt.Errorf("SparseReleaseNoiseDP: %w", err)
	}
	n := interval.Precision(128)
	return deviation(n, n.Rat(s.weights()[s.C]), s.Delta), nil
}

// law returns the noise, if the setting is valid.
func (s SparseReleaseSetting) law(large int) (SparseVectorLaw, error) {
	err := cmp.Or(check.Between("number of entries", s.Entries, 1, maxEntries),
		check.Between("number of large entries", large, 0, s.Entries), check.Given("large", s.Large),
		check.Given("small", s.Small), check.Given("threshold", s.Threshold), check.In("ε_3", s.Eps3, "(0, ∞)"))
	if err != nil {
		return SparseVectorLaw{}, err
	}
	return NewSparseVectorLaw(s.Delta, s.C, s.Eps1, s.Eps2)
}

// maxEntries bounds the number of entries: the cost grows with its square.
const maxEntries = 1000

// weights returns w(k) = k/ε_3'(k) for k = 0, …, c.
func (s SparseReleaseSetting) weights() []*big.Rat {
	w := []*big.Rat{new(big.Rat)}
	for k := 1; k <= s.C; k++ {
		_, each, err := SparseRelease(s.Eps2, s.Eps3, s.C, k)
		if err != nil {
			panic("internal error: " + err.Error())
		}
		w = append(w, each.Inv(each))
	}
	return w
}

// shortfall returns the integral over the pane of Σ_{k<c} (w(k) − w(c))·Pr(N = k | z).
func (s SparseReleaseSetting) shortfall(l *laplace.Integral, p laplace.Pane, large int,
	w []*big.Rat) interval.Interval {
	ofLarge := l.Below(p, new(big.Rat).Sub(s.Threshold, s.Large))
	ofSmall := l.Below(p, new(big.Rat).Sub(s.Threshold, s.Small))
	first, second := counts(l, large, s.C, ofLarge), counts(l, s.Entries-large, s.C, ofSmall)
	total := l.NewSheet(s.Entries+1, s.Entries+1)
	for i := range first {
		sum := l.Zero(s.Entries - large + 1) // Σ_j (w(i + j) − w(c))·Pr(j small ones)
		for j := range second {
			if i+j < s.C {
				x := l.Rat(new(big.Rat).Sub(w[i+j], w[s.C]))
				for k := range sum {
					l.AddMul(&sum[k], x, second[j][k])
				}
			}
		}
		l.AddProduct(total, first[i], ofLarge.Falling, sum, ofSmall.Falling)
	}
	return l.Integrate(p, total)
}

// counts returns Pr(i of count comparisons are ⊤) for i < limit, as polynomials.
func counts(l *laplace.Integral, count, limit int, below laplace.Factor) []laplace.Polynomial {
	above := l.Minus(l.Int(1), below)
	var result []laplace.Polynomial
	for i := 0; i <= count && i < limit; i++ {
		p := l.Times(l.Binomial(above, i), l.Binomial(below, count-i))
		for k := range p {
			p[k] = l.Mul(p[k], l.Choose(count, i))
		}
		result = append(result, p)
	}
	return result
}

// smallReleased returns the mean and the variance of the number of ⊤ among small entries.
func (s SparseReleaseSetting) smallReleased(n interval.Precision, law SparseVectorLaw, count int,
	relWidth float64) (mean, variance interval.Interval, err error) {
	one := Comparison{Query: s.Small, Threshold: s.Threshold, Above: true}
	law.Cutoff = 0
	p1, err := law.Probability([]Comparison{one}, relWidth)
	if err != nil {
		return interval.Interval{}, interval.Interval{}, err
	}
	p2, err := law.Probability([]Comparison{one, one}, relWidth)
	if err != nil {
		return interval.Interval{}, interval.Interval{}, err
	}
	k := int64(count)
	mean = n.Mul(n.Int(k), p1)
	square := n.Add(mean, n.Mul(n.Int(k*(k-1)), p2)) // E Y² = E Y + E Y(Y − 1)
	return mean, n.Max0(n.Sub(square, n.Mul(mean, mean))), nil
}

// chebyshev returns min(1, Var/(j − mean)²), and 1 where j ≤ mean.
func chebyshev(n interval.Precision, mean, variance interval.Interval, j int64) interval.Interval {
	distance := n.Sub(n.Int(j), mean)
	switch {
	case distance.Upper.Sign() <= 0:
		return n.Int(1)
	case distance.Lower.Sign() <= 0:
		return interval.New(n.Down(), n.Int(1).Upper)
	}
	return interval.Min(n.Quo(variance, n.Mul(distance, distance)), n.Int(1))
}

// deviation returns √2·Δ·x.
func deviation(n interval.Precision, x interval.Interval, delta *big.Rat) interval.Interval {
	return n.Mul(n.Mul(n.Sqrt(n.Int(2)), n.Rat(delta)), x)
}
