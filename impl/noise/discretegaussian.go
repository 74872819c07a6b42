package noise

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	words "math/bits"
	"math/rand/v2"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// DiscreteGaussian returns a sample from N_ℤ(0, σ²), where x has a probability proportional to e^(−x²/2σ²). It makes
// the draws of spec.DiscreteGaussian in the same order.
//
// Source: docs/exact-noise.md, Algorithm 3: Canonne, Kamath and Steinke (2020), Algorithm 3; OUR-A3.
// Symbols and deviation from print: as for spec.DiscreteGaussian.
// Domain: σ² > 0.
// Accuracy: exact, if the words are uniform; see [SecureSource].
// Cost: some 25 words, on average.
func DiscreteGaussian(sigma2 *big.Rat, source rand.Source) (*big.Int, error) {
	if err := cmp.Or(checkAboveZero("σ²", sigma2), check.NotNil("source", source)); err != nil {
		return nil, fmt.Errorf("DiscreteGaussian: %w", err)
	}
	return newGaussianLaw(sigma2).draw(Coins{source}).big(), nil
}

// gaussianLaw is N_ℤ(0, a/b): with t = ⌊σ⌋ + 1, (|Y| − σ²/t)²/2σ² is (|Y|·bt − a)²/(2abt²).
type gaussianLaw struct {
	laplace                  laplaceLaw // Lap_ℤ(t)
	a, bt, below             *big.Int   // below is 2abt²
	aWord, btWord, belowWord uint64     // the same in words, if all of them fit
	isWord                   bool
}

func newGaussianLaw(sigma2 *big.Rat) gaussianLaw {
	a, b := sigma2.Num(), sigma2.Denom()
	t := new(big.Int).Quo(a, b)
	t.Sqrt(t).Add(t, big.NewInt(1))
	bt := new(big.Int).Mul(b, t)
	below := new(big.Int).Mul(bt, t)
	below.Mul(below, a).Lsh(below, 1)
	law := gaussianLaw{laplace: newLaplaceLaw(big.NewInt(1), t), a: a, bt: bt, below: below}
	if law.isWord = below.IsUint64(); law.isWord { // then so are the others
		law.aWord, law.btWord, law.belowWord = a.Uint64(), bt.Uint64(), below.Uint64()
	}
	return law
}

func (g gaussianLaw) draw(c Coins) signed {
	for {
		if y := g.laplace.draw(c); g.keeps(y, c) {
			return y
		}
	}
}

// keeps is the coin with probability e^(−(|Y| − σ²/t)²/2σ²).
func (g gaussianLaw) keeps(y signed, c Coins) bool {
	if g.isWord && y.wide == nil {
		high, gap := words.Mul64(y.word, g.btWord)
		if gap = max(gap, g.aWord) - min(gap, g.aWord); high == 0 {
			if high, square := words.Mul64(gap, gap); high == 0 {
				return c.expWord(square, g.belowWord)
			}
		}
	}
	gap := new(big.Int).Mul(y.size(), g.bt)
	gap.Sub(gap, g.a)
	return c.exp(gap.Mul(gap, gap), g.below)
}

// DiscreteGaussianMechanism returns f(x) + (Y_1, …, Y_k), where each Y_i ~ N_ℤ(0, σ²). It makes the draws of
// spec.DiscreteGaussianMechanism in the same order.
//
// Source: docs/exact-noise.md, Theorem 2: Canonne, Kamath and Steinke (2020), Theorem 7; OUR-T6.
// Symbols: as for spec.DiscreteGaussianMechanism.
// Domain: σ² > 0.
// Accuracy: exact, if the words are uniform; see [SecureSource].
// Deviation from print: a sum beyond int64 is the nearest int64, whatever it came from.
// Cost: O(k); with words alone if 2·σ²·t² is less than 2^64, for whole σ² up to some 3·10^9.
func DiscreteGaussianMechanism(value []int64, sigma2 *big.Rat, source rand.Source) ([]int64, error) {
	output, err := AppendDiscreteGaussian(nil, value, sigma2, 1, source)
	if err != nil {
		return nil, fmt.Errorf("DiscreteGaussianMechanism: %w", err)
	}
	return output, nil
}

// AppendDiscreteGaussian appends the outputs of so many runs of [DiscreteGaussianMechanism] to a list and returns it.
func AppendDiscreteGaussian(list, value []int64, sigma2 *big.Rat, runs int, source rand.Source) ([]int64, error) {
	if err := cmp.Or(checkAboveZero("σ²", sigma2), check.NotNil("source", source)); err != nil {
		return nil, err
	}
	return appendNoisy(list, value, runs, newGaussianLaw(sigma2).draw, source), nil
}

// DiscreteGaussianDelta returns the smallest δ for which f(x) + Y, Y ~ N_ℤ(0, σ²), is (ε, δ)-DP:
// Pr[Y > εσ²/Δ − Δ/2] − e^ε·Pr[Y > εσ²/Δ + Δ/2].
//
// Source: docs/exact-noise.md, Theorem 2: Canonne, Kamath and Steinke (2020), Theorem 7; OUR-T6.
// Symbols: as for spec.DiscreteGaussianDelta.
// Domain: Δ ≥ 1, σ² in (0, 10^8], ε ≥ 0. Result in [0, 1].
// Accuracy: contains it; the ends are about 2^-150 apart, so smaller δ may be bounded by little more than 0.
// Deviation from print: none.
// Cost: O(σ).
func DiscreteGaussianDelta(sensitivity int64, sigma2, eps *big.Rat) (interval.Interval, error) {
	switch {
	case sensitivity < 1:
		return interval.Interval{}, fmt.Errorf("DiscreteGaussianDelta: sensitivity is %d, must be at least 1",
			sensitivity)
	case sigma2 == nil || sigma2.Sign() <= 0 || sigma2.Cmp(big.NewRat(1e8, 1)) > 0:
		return interval.Interval{}, fmt.Errorf("DiscreteGaussianDelta: σ² is %s, must be positive and at most 10^8",
			rational.Decimal(sigma2))
	case eps == nil || eps.Sign() < 0:
		return interval.Interval{}, fmt.Errorf("DiscreteGaussianDelta: eps is %s, must be at least 0",
			rational.Decimal(eps))
	}
	delta := big.NewRat(sensitivity, 1)
	centre := new(big.Rat).Quo(new(big.Rat).Mul(eps, sigma2), delta)
	half := delta.Quo(delta, big.NewRat(2, 1))
	low := gaussianAbove(new(big.Rat).Sub(centre, half), sigma2)
	high := gaussianAbove(new(big.Rat).Add(centre, half), sigma2)
	return bits256.Max0(bits256.Sub(low, bits256.Mul(bits256.ExpRat(eps), high))), nil
}

const bits256 = interval.Precision(256)

// gaussianAbove returns Pr[Y > x] for Y ~ N_ℤ(0, σ²). With q = e^(−1/2σ²), the weights are w_0 = 1 and w_(y+1) =
// w_y·q^(2y+1). Where they end, at n > 16·(σ + 1), all further ones are together less than w_n·(σ² + 1).
func gaussianAbove(x, sigma2 *big.Rat) interval.Interval {
	q := bits256.ExpRat(new(big.Rat).Neg(new(big.Rat).Inv(new(big.Rat).Add(sigma2, sigma2))))
	square, step := bits256.Mul(q, q), q
	weight, above, all := bits256.Int(1), bits256.Int(0), bits256.Int(0)
	count := func(y int64) {
		if all = bits256.Add(all, weight); big.NewRat(y, 1).Cmp(x) > 0 {
			above = bits256.Add(above, weight)
		}
	}
	variance, _ := sigma2.Float64()
	n := int64(16*(math.Sqrt(variance)+1)) + 1
	for y := range n {
		if count(y); y > 0 {
			count(-y)
		}
		weight, step = bits256.Mul(weight, step), bits256.Mul(step, square)
	}
	rest := bits256.Mul(weight, bits256.Rat(new(big.Rat).Add(sigma2, rational.One)))
	rest.Lower = bits256.Down()
	tails := bits256.Add(rest, rest)
	return bits256.Quo(bits256.Add(above, tails), bits256.Add(all, tails))
}
