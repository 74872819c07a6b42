package impl

import (
	"math/big"

	"checkrr/impl/interval"
)

// AdditiveChernoff returns e^(−2mε²).
// AFD-T3.1 fails as printed, for ε below 0.
//
// Source: Dwork and Roth (2014), Theorem 3.1; AFD-T3.1.
// Symbols: ε = eps.
// Domain: m ≥ 1; ε ≥ 0, of which print says nothing; below 0 it is no bound.
// Accuracy: contains it; relative width about 2^-180.
// Deviation from print: none.
// Cost: O(1).
func AdditiveChernoff(m int, eps *big.Rat) interval.Interval {
	x := new(big.Rat).Mul(eps, eps)
	return bits.ExpRat(x.Mul(x, big.NewRat(int64(-2*m), 1)))
}

// MultiplicativeChernoff returns e^(−mμε²/3) and e^(−mμε²/2).
//
// Source: Dwork and Roth (2014), Theorem 3.2; AFD-T3.2.
// Symbols: μ = mu, ε = eps.
// Domain: m ≥ 1, μ in [0, 1], ε in [0, 1].
// Accuracy: contains them; relative width about 2^-180.
// Deviation from print: ε is at most 1; above, the first does not hold.
// Cost: O(1).
func MultiplicativeChernoff(m int, mu, eps *big.Rat) (above, below interval.Interval) {
	x := new(big.Rat).Mul(eps, eps)
	x.Mul(x, mu).Mul(x, big.NewRat(int64(-m), 1))
	return bits.ExpRat(new(big.Rat).Quo(x, big.NewRat(3, 1))), bits.ExpRat(new(big.Rat).Quo(x, big.NewRat(2, 1)))
}

// Azuma returns exp(−2t²/Σ c_i²).
// AFD-T3.3 fails as printed, for t below 0.
//
// Source: Dwork and Roth (2014), Theorem 3.3; AFD-T3.3.
// Symbols: c_i = c[i−1].
// Domain: t ≥ 0, of which print says nothing; below 0 it is no bound. Some c_i > 0.
// Accuracy: contains it; relative width about 2^-180.
// Deviation from print: none.
// Cost: O(m).
func Azuma(t *big.Rat, c []*big.Rat) interval.Interval {
	sum := new(big.Rat)
	for _, ci := range c {
		sum.Add(sum, new(big.Rat).Mul(ci, ci))
	}
	x := new(big.Rat).Mul(t, t)
	return bits.ExpRat(x.Quo(x, sum).Mul(x, big.NewRat(-2, 1)))
}

// AzumaSum returns kβ + z√k·α and e^(−z²/2).
//
// Source: Dwork and Roth (2014), Lemma 3.19; AFD-L3.19.
// Symbols: α = alpha, β = beta.
// Domain: k ≥ 1, α ≥ 0, z > 0.
// Accuracy: contains them; relative width about 2^-180.
// Deviation from print: none.
// Cost: O(1).
func AzumaSum(k int, alpha, beta, z *big.Rat) (threshold, probability interval.Interval) {
	n := bits.Int(int64(k))
	spread := bits.Mul(bits.Sqrt(n), bits.Rat(new(big.Rat).Mul(z, alpha)))
	half := new(big.Rat).Mul(z, z)
	return bits.Add(bits.Mul(n, bits.Rat(beta)), spread), bits.ExpRat(half.Quo(half, big.NewRat(-2, 1)))
}

// Stirling returns √(2nπ)·(n/e)^n·e^(1/(12n+1)) and √(2nπ)·(n/e)^n·e^(1/(12n)), which n! lies between.
//
// Source: Dwork and Roth (2014), Theorem 3.4; AFD-T3.4.
// Domain: n ≥ 1.
// Accuracy: contains them; relative width about 10^-50.
// Deviation from print: none.
// Cost: O(log n).
func Stirling(n int) (lower, upper interval.Interval) {
	x := bits.Int(int64(n))
	about := bits.Sqrt(bits.Mul(bits.Add(x, x), bits.Pi()))
	about = bits.Mul(about, bits.Mul(bits.Power(x, n), bits.ExpRat(big.NewRat(int64(-n), 1))))
	of := func(d int64) interval.Interval { return bits.Mul(about, bits.ExpRat(big.NewRat(1, d))) }
	return of(int64(12*n + 1)), of(int64(12 * n))
}
