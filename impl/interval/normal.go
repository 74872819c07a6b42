package interval

import (
	"math"
	"math/big"

	"checkrr/impl/internal/rational"
)

// pi lies between decimals of fifty places.
var (
	piBelow = rational.MustParse("3.14159265358979323846264338327950288419716939937510")
	piAbove = rational.MustParse("3.14159265358979323846264338327950288419716939937511")
)

// Pi returns π, to fifty places at most.
func (n Precision) Pi() Interval {
	return Interval{n.Rat(piBelow).Lower, n.Rat(piAbove).Upper}
}

// NormalTail returns Pr(N ≥ x) for a standard normal N. It falls in x.
//
// Up to x = 2 it is 1/2 − φ(x)·(x + x³/3 + x⁵/(3·5) + …), above that a continued fraction: see seriesTail and
// fractionTail. Below 0 it is 1 − Pr(N ≥ −x).
//
// Also in the checks of AFD-T3.22, AFD-X15 and AFD-X16.
// Accuracy: contains it; the relative width for a point is about that of the precision, and 10^-48 at best.
func (n Precision) NormalTail(x Interval) Interval {
	return Interval{n.tailAt(x.Upper).Lower, n.tailAt(x.Lower).Upper}
}

// tailAt returns the tail at a point.
func (n Precision) tailAt(x *big.Float) Interval {
	if x.Sign() < 0 {
		return n.Sub(n.Int(1), n.tailAt(new(big.Float).Neg(x)))
	}
	w := n + guard
	at := Interval{x, x}
	half := w.Half(w.Mul(at, at))
	density := w.Quo(w.Exp(w.Neg(half)), w.Sqrt(w.Add(w.Pi(), w.Pi())))
	if x.Cmp(big.NewFloat(2)) <= 0 {
		return w.Sub(w.Rat(big.NewRat(1, 2)), w.Mul(density, w.seriesTail(at))).Rounded(n)
	}
	return w.Mul(density, w.fractionTail(x)).Rounded(n)
}

// seriesTail returns x + x³/3 + x⁵/(3·5) + … for x in [0, 2]: it has the derivative 1 + x·(the same), and so is
// Pr(0 ≤ N ≤ x)/φ(x). Once a term is at most 1/3 of that before it, all that follow are together at most half of it.
func (n Precision) seriesTail(x Interval) Interval {
	square, term, sum := n.Mul(x, x), x, x
	for j := int64(3); ; j += 2 {
		term = n.Mul(term, n.Quo(square, n.Int(j)))
		sum = n.Add(sum, term)
		if j > 12 && (term.Upper.Sign() == 0 || term.Upper.MantExp(nil) < sum.Upper.MantExp(nil)-int(n)) {
			return Interval{sum.Lower, n.Up().Add(sum.Upper, term.Upper)}
		}
	}
}

// fractionTail returns Pr(N ≥ x)/φ(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))) for a point x > 2.
//
// Let I_m = ∫_0^∞ (s^m/m!)·e^(−xs − s²/2) ds, so that Pr(N ≥ x) = φ(x)·I_0. By parts 1 = x·I_0 + I_1 and
// I_{m−1} = x·I_m + (m + 1)·I_{m+1}. With I_{−1} = 1, the ratios t_m = I_{m−1}/I_m satisfy t_m = x + (m + 1)/t_{m+1},
// they are positive, and I_0 = 1/t_0.
//
// So 1/t_0 is (t_m·B_m + m·B_{m−1})/(t_m·A_m + m·A_{m−1}) with A_0 = 1, A_1 = x, B_0 = 0, B_1 = 1, and both A_{m+1} =
// x·A_m + m·A_{m−1} and B_{m+1} = x·B_m + m·B_{m−1}: it lies between B_m/A_m and B_{m−1}/A_{m−1}, for every m ≥ 2.
// There are no differences: each step has a relative error of at most 2·2^−w in A and in B, for precision w, and a
// ratio after m steps one of less than 8m·2^−w.
func (n Precision) fractionTail(x *big.Float) Interval {
	const lost = 20 // bits: 8·mostFractions is 2^17
	w := uint(n) + lost
	number := func(i int64) *big.Float { return new(big.Float).SetPrec(w).SetInt64(i) }
	a, b := [2]*big.Float{number(1), new(big.Float).SetPrec(w).Set(x)}, [2]*big.Float{number(0), number(1)}
	next := func(pair *[2]*big.Float, m *big.Float) {
		old := pair[0].Mul(pair[0], m)
		pair[0], pair[1] = pair[1], old.Add(old, number(0).Mul(x, pair[1]))
	}
	for m := int64(1); ; m++ {
		whole := number(m)
		next(&a, whole)
		next(&b, whole)
		if m%16 != 0 {
			continue
		}
		ends := [2]Interval{}
		for i := range ends {
			ends[i] = widen(number(0).Quo(b[i], a[i]), int(n), uint(n)) // 8·(m + 1)·2^−w < 2^−n
		}
		t := hull(ends[0], ends[1])
		if m >= mostFractions || t.RelWidth() <= math.Ldexp(1, -int(n-guard/2)) {
			return t
		}
	}
}

// mostFractions is for x near 2 and 1000 bits.
const mostFractions = 1 << 14
