package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// isFar returns Pr[|Y| ≥ t] for Y ~ Lap(b).
func isFar(t *register.T, far, b *big.Rat) interval.Interval {
	if far.Sign() <= 0 {
		return precise.Int(1)
	}
	cells := cellsOf(t, new(big.Rat), b, minus(far), far)
	return precise.Add(cells[0], cells[2])
}

// someIsFar returns the probability that one of k is.
func someIsFar(t *register.T, k int, far, b *big.Rat) interval.Interval {
	const n = interval.Precision(256)
	return n.Sub(n.Int(1), n.Power(n.Sub(n.Int(1), isFar(t, far, b)), k))
}

// laplaceTails checks tails against a factor times e^(−t).
func laplaceTails(t *register.T, factor *big.Rat, ts []*big.Rat) {
	t.Domain("b in {%s}, t in {%s}", scales, ts)
	finite.Each2(scales, ts, func(b, x *big.Rat) {
		t.Case()
		claimed, exact := impl.LaplaceTail(x), isFar(t, rat.Mul(x, b), b)
		isAbout(t, "e^(−t)", claimed, spec.LaplaceTail(rat.Float64(x)))
		claimed = times(claimed, factor)
		t.Require(meet(claimed, exact), "b = %s, t = %s: the probability is %.12g, claimed is %.12g", b, x, exact.Upper,
			claimed.Upper)
	})
}

// eachAccuracy goes through k, δ, Δf and ε of AFD-T3.8, with the error that the theorem allows.
func eachAccuracy(t *register.T, try func(k int, delta, sensitivity, eps *big.Rat, allowed interval.Interval)) {
	t.Domain("k in {1, 2, 10, 10000}, δ in {1e-9, 1/20, 1/2, 1}, Δf in {1, 3}, ε in {1/2, 1, 4}")
	finite.Each2([]int{1, 2, 10, 10000}, rat.List("1e-9", "1/20", "1/2", "1"), func(k int, delta *big.Rat) {
		finite.Each2(rat.List("1", "3"), weights, func(sensitivity, eps *big.Rat) {
			t.At("k = %d, δ = %s, Δf = %s, ε = %s", k, delta, sensitivity, eps)
			allowed, err := impl.LaplaceError(k, delta, sensitivity, loss.Nats(eps))
			t.Must(err)
			isAbout(t, "the error", allowed, spec.LaplaceError(k, rat.Float64(delta), rat.Float64(sensitivity),
				rat.Float64(eps)))
			try(k, delta, sensitivity, eps, allowed)
		})
	})
}

// laplaceErrors checks a share of the error that the theorem allows.
func laplaceErrors(t *register.T, share *big.Rat) {
	eachAccuracy(t, func(k int, delta, sensitivity, eps *big.Rat, allowed interval.Interval) {
		far := rat.Mul(share, rat.Exact(allowed.Upper))
		p := someIsFar(t, k, far, rat.Quo(sensitivity, eps))
		t.Within(p, delta, "some number is off by %.9g or more with a probability of %.9g", far, p.Lower)
	})
}

// leastError checks that the exact error has the probability δ, and is no more than what the theorem allows.
func leastError(t *register.T) {
	eachAccuracy(t, func(k int, delta, sensitivity, eps *big.Rat, allowed interval.Interval) {
		exact, err := impl.ExactLaplaceError(k, delta, sensitivity, loss.Nats(eps))
		t.Must(err)
		b := rat.Quo(sensitivity, eps)
		above, below := someIsFar(t, k, rat.Exact(exact.Upper), b), someIsFar(t, k, rat.Exact(exact.Lower), b)
		t.Require(!rat.IsAbove(above,
			delta) && rat.Exact(below.Upper).Cmp(delta) >= 0 && exact.Lower.Cmp(allowed.Upper) <= 0 && exact.RelWidth() <= 1e-15,
			"the exact error is in [%.12g, %.12g], with probabilities %.12g and %.12g, allowed is %.12g", exact.Lower,
			exact.Upper, below.Upper, above.Lower, allowed.Upper)
	})
}

// names checks the example: the error to a digit, and how likely it is exceeded.
func names(t *register.T, claimed, most string) {
	t.Domain("k = 10000, δ = 1/20, Δf = 1, ε = 1")
	t.Case()
	allowed, err := impl.LaplaceError(10000, rat.Of("1/20"), rat.One, loss.Nats(rat.One))
	t.Must(err)
	isAbout(t, "the error", allowed, spec.LaplaceError(10000, 0.05, 1, 1))
	far := rat.Of(claimed)
	p := someIsFar(t, 10000, far, rat.One)
	t.Require(math.Abs(allowed.Float().Hi-rat.Float64(far)) <= 0.05 && !rat.IsAbove(p, rat.Of(most)),
		"ln(10000/.05) is %.9g, and more than %s has a probability of %.9g, claimed at most %s", allowed.Upper, far, p.Upper,
		rat.Of(most))
}

// noisyMaxErrors checks that the error of Report Noisy Max is at most twice that of m numbers, and what it is exactly,
// by the law of the worst counts.
func noisyMaxErrors(t *register.T) {
	t.AlsoDomain("Report Noisy Max: m in {2, 10}, δ in {1e-6, 1/20, 1/2}, ε = 4")
	eps := rat.Int(4)
	finite.Each2([]int{2, 10}, rat.List("1e-6", "1/20", "1/2"), func(m int, beta *big.Rat) {
		t.At("m = %d, δ = %s, ε = %s", m, beta, eps)
		allowed, err := impl.NoisyMaxShortfall(m, beta, loss.Nats(eps))
		t.Must(err)
		exact, err := impl.ExactNoisyMaxShortfall(m, beta, loss.Nats(eps))
		t.Must(err)
		fails := func(far *big.Rat) interval.Interval {
			counts := append([]*big.Rat{far}, rats(make([]int, m-1)...)...)
			return precise.Sub(precise.Int(1), noisyMaxLaw(t, counts, noisyMaxScale(t, eps), 1e-12)[0])
		}
		low, high := fails(rat.Exact(exact.Lower)), fails(rat.Exact(exact.Upper))
		isAbout(t, "half of the error", times(allowed, rat.Int(2)), spec.LaplaceError(m, rat.Float64(beta), 1, 1))
		t.Require(exact.Lower.Cmp(allowed.Upper) <= 0 && (exact.Lower.Sign() <= 0 || rat.Exact(low.Upper).Cmp(beta) >= 0) && !rat.IsAbove(high,
			beta), "the exact error is in [%.9g, %.9g], with probabilities %.9g and %.9g, allowed is %.9g", exact.Lower,
			exact.Upper, low.Upper, high.Lower, allowed.Upper)
	})
}
