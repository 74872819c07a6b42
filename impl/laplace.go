package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/laplace"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// LaplaceMechanism runs M_L(x, f, ε) and returns its output f(x) + (Y_1, …, Y_k). It makes
// the draws of spec.LaplaceMechanism in the same order.
//
// Source: Dwork and Roth (2014), Definition 3.3; AFD-D3.3.
// Also in the checks of AFD-X11.
// Symbols: as for spec.LaplaceMechanism.
// Domain: f(x) finite; Δf, ε and the scale Δf/ε positive and finite. That f has this sensitivity, in ‖·‖_1, is the
// caller's word.
// Accuracy: that of the noise and of k additions; see [RandomNoise].
// Deviation from print: none.
// Cost: O(k); one allocation.
func LaplaceMechanism(value []float64, sensitivity, eps float64, random noise.Source) ([]float64, error) {
	output, err := AppendLaplace(nil, value, sensitivity, eps, 1, random)
	if err != nil {
		return nil, fmt.Errorf("LaplaceMechanism: %w", err)
	}
	return output, nil
}

// AppendLaplace appends the outputs of so many runs of [LaplaceMechanism] to a list and
// returns it. What can be wrong is looked at once for all of them.
func AppendLaplace(list, value []float64, sensitivity, eps float64, runs int, random noise.Source) ([]float64, error) {
	scale, err := laplaceScale(sensitivity, eps)
	if err = cmp.Or(err, check.AllFinite("number", value), check.NotNil("random", random)); err != nil {
		return nil, err
	}
	list = slices.Grow(list, runs*len(value))
	for range runs {
		for _, f := range value {
			list = append(list, f+random.Laplace(scale))
		}
	}
	return list, nil
}

// laplaceScale returns Δf/ε.
func laplaceScale(sensitivity, eps float64) (float64, error) {
	scale := sensitivity / eps
	return scale, cmp.Or(check.Positive("sensitivity", sensitivity), check.Positive("eps", eps),
		check.Positive("scale of the noise", scale))
}

// LaplaceCells returns the probabilities with which mean + Lap(scale) lies in
// (−∞, t_1], (t_1, t_2], …, (t_n, ∞).
//
// Source: Dwork and Roth (2014), Definition 3.2; AFD-D3.2.
// Also in the checks of AFD-X2, AFD-E3.1, AFD-E3.4, AFD-F3.7, AFD-T3.8, AFD-E3.3, AFD-X9, AFD-X11, AFD-X16 and AFD-X19.
// Symbols: t_i = cuts[i−1].
// Domain: scale > 0; cuts strictly increasing. Results in [0, 1].
// Accuracy: each interval contains the real number, and has a width of about 2^−256.
// Deviation from print: none.
// Cost: O(n) exponentials.
func LaplaceCells(mean, scale *big.Rat, cuts []*big.Rat) ([]interval.Interval, error) {
	if mean == nil || scale == nil || scale.Sign() <= 0 {
		return nil, fmt.Errorf("LaplaceCells: mean is %s and scale %s, must be a number and a positive one",
			rational.Decimal(mean), rational.Decimal(scale))
	}
	n, rate := interval.Precision(laplacePrec), new(big.Rat).Inv(scale)
	var cells []interval.Interval
	for i, t := range cuts {
		if t == nil || i > 0 && cuts[i-1].Cmp(t) >= 0 {
			return nil, fmt.Errorf("LaplaceCells: cut %d is %s, must be a number, more than the one before",
				i+1, rational.Decimal(t))
		}
		if i == 0 {
			cells = append(cells, laplace.Below(n, new(big.Rat).Sub(t, mean), rate))
			continue
		}
		cells = append(cells, laplace.Between(n, new(big.Rat).Sub(cuts[i-1], mean), new(big.Rat).Sub(t, mean), rate))
	}
	if len(cuts) == 0 {
		return []interval.Interval{n.Int(1)}, nil
	}
	return append(cells, laplace.Above(n, new(big.Rat).Sub(cuts[len(cuts)-1], mean), rate)), nil
}

// laplacePrec is the precision of [LaplaceCells].
const laplacePrec = 256

// LaplaceDensity returns Lap(x|b) = (1/(2b))·exp(−|x|/b).
//
// Source: Dwork and Roth (2014), Definition 3.2; AFD-D3.2.
// Also in the checks of AFD-T3.6 and AFD-E3.2.
// Domain: b > 0.
// Accuracy: contains it; relative width about 2^-180.
// Deviation from print: none.
// Cost: O(1).
func LaplaceDensity(x, b *big.Rat) interval.Interval {
	distance := new(big.Rat).Abs(x)
	return bits.Quo(bits.ExpRat(distance.Neg(distance.Quo(distance, b))), bits.Rat(new(big.Rat).Add(b, b)))
}

// LaplaceTail returns exp(−t), the probability that |Y| ≥ t·b for Y ~ Lap(b).
//
// Source: Dwork and Roth (2014), Fact 3.7; AFD-F3.7.
// Domain: t ≥ 0.
// Accuracy: contains it; relative width about 2^-180.
// Deviation from print: t is at least 0; below, the probability is 1.
// Cost: O(1).
func LaplaceTail(t *big.Rat) interval.Interval { return bits.ExpRat(new(big.Rat).Neg(t)) }

// LaplaceError returns ln(k/β)·(Δf/ε): with a probability of at most β some of the k outputs of [LaplaceMechanism] is
// that far off, or farther.
//
// Source: Dwork and Roth (2014), Theorem 3.8; AFD-T3.8.
// Also in the checks of AFD-E3.3.
// Symbols: the δ of print = β = beta, Δf = sensitivity, ε = eps.
// Domain: k ≥ 1, β in (0, 1], Δf and ε positive.
// Accuracy: contains it; relative width at most 2^-60.
// Deviation from print: none.
// Cost: O(1).
func LaplaceError(k int, beta, sensitivity *big.Rat, eps loss.Epsilon) (interval.Interval, error) {
	return laplaceError("LaplaceError", k, beta, sensitivity, eps, func(n interval.Precision) interval.Interval {
		return n.Log(new(big.Rat).Quo(big.NewRat(int64(k), 1), beta))
	})
}

// ExactLaplaceError returns what [LaplaceError] bounds: the α such that some of the k outputs is off by α or more with
// the probability β, whatever f(x) is. The k noises are independent, so that the probability is 1 − (1 − e^(−αε/Δf))^k.
//
// Also in the checks of AFD-T3.8.
// Symbols, accuracy and cost: as for [LaplaceError].
// Domain: k ≥ 1, β in (0, 1], Δf and ε positive.
func ExactLaplaceError(k int, beta, sensitivity *big.Rat, eps loss.Epsilon) (interval.Interval, error) {
	if k == 1 { // the theorem is exact
		return LaplaceError(k, beta, sensitivity, eps)
	}
	return laplaceError("ExactLaplaceError", k, beta, sensitivity, eps, func(n interval.Precision) interval.Interval {
		none := new(big.Rat).Sub(rational.One, beta) // none is that far off
		if none.Sign() == 0 {
			return n.Int(0)
		}
		one := n.Exp(n.Quo(n.Log(none), n.Int(int64(k)))) // one is not
		return n.Neg(n.LogOf(n.Sub(n.Int(1), one)))
	})
}

// laplaceError returns t·Δf/ε. It begins with so many bits that β/k can be told from 0 next to 1, and what is from
// what the theorem allows, which is less than β more.
func laplaceError(name string, k int, beta, sensitivity *big.Rat, eps loss.Epsilon,
	t func(n interval.Precision) interval.Interval) (interval.Interval, error) {
	err := cmp.Or(checkAccuracy(beta, sensitivity, eps), check.Between("k", k, 1, math.MaxInt))
	if err == nil && rational.Magnitude(beta) < -loss.MaxMagnitude {
		err = fmt.Errorf("beta is %s, must be at least 1e-289", rational.Decimal(beta))
	}
	if err != nil {
		return interval.Interval{}, fmt.Errorf("%s: %w", name, err)
	}
	return sharp(192-2*rational.Magnitude(beta), func(n interval.Precision) interval.Interval {
		return n.Mul(t(n), n.Quo(n.Rat(sensitivity), loss.Enclose(eps, n)))
	}), nil
}

// GaussianVariance returns Δf·ln(1/δ)/ε.
// AFD-X3 fails as printed: noise of this variance is not (ε, δ)-DP. [GaussianDelta] has the δ that it needs, and
// [DesignNoise] finds the noise for an (ε, δ).
//
// Source: Dwork and Roth (2014), Section 3.3, footnote 1; AFD-X3.
// Symbols and deviation from print: as for spec.GaussianVariance.
// Domain: Δf and ε positive, δ in (0, 1).
// Accuracy: contains it; relative width about 2^-180.
// Cost: O(1).
func GaussianVariance(sensitivity, delta, eps *big.Rat) interval.Interval {
	return bits.Mul(bits.Log(new(big.Rat).Inv(delta)), bits.Rat(new(big.Rat).Quo(sensitivity, eps)))
}

// LaplaceDelta returns the smallest δ with which adding Laplace noise is (ε, δ)-DP: max(0, 1 − e^((ε − Δ/b)/2)).
//
// Source: Balle, Barthe and Gaboardi (2018), Theorem 3; docs/dominating-pairs.md, Closed forms; OUR-X12.
// Symbols: Δ = sensitivity, b = scale, ε = eps.
// Domain: Δ > 0, b > 0, ε ≥ 0. Result in [0, 1].
// Accuracy: contains it; absolute width about 2^-190.
// Deviation from print: none.
// Cost: O(1).
func LaplaceDelta(sensitivity, scale, eps *big.Rat) interval.Interval {
	below := new(big.Rat).Sub(eps, new(big.Rat).Quo(sensitivity, scale))
	if below.Sign() > 0 {
		return bits.Int(0)
	}
	return bits.Max0(bits.Sub(bits.Int(1), bits.ExpRat(below.Mul(below, big.NewRat(1, 2)))))
}
