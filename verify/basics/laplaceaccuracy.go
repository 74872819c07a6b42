package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// isFar returns Pr[|Y| ≥ t] for Y ~ Lap(b).
func isFar(t *register.T, far, b *big.Rat) interval.Interval {
	if far.Sign() <= 0 {
		return precise.Int(1)
	}
	cells, err := impl.LaplaceCells(new(big.Rat), b, []*big.Rat{rat.Sub(new(big.Rat), far), far})
	t.Must(err)
	return precise.Add(cells[0], cells[2])
}

// someIsFar returns the probability that one of k is.
func someIsFar(t *register.T, k int, far, b *big.Rat) interval.Interval {
	const n = interval.Precision(256)
	return n.Sub(n.Int(1), n.Power(n.Sub(n.Int(1), isFar(t, far, b)), k))
}

// laplaceTails checks tails against a factor times e^(−t).
func laplaceTails(factor *big.Rat, ts []*big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("b in {1/3, 1, 5}, t in {%s}", rat.Show(ts...))
		for _, b := range rat.List("1/3", "1", "5") {
			for _, x := range ts {
				t.Case()
				claimed, exact := impl.LaplaceTail(x), isFar(t, rat.Mul(x, b), b)
				isAbout(t, "e^(−t)", claimed, spec.LaplaceTail(rat.Float64(x)))
				if claimed = precise.Mul(claimed, precise.Rat(factor)); claimed.Lower.Cmp(exact.Upper) > 0 ||
					claimed.Upper.Cmp(exact.Lower) < 0 {
					t.Refute("b = %s, t = %s: the probability is %.12g, claimed is %.12g", rat.Show(b), rat.Show(x), exact.Upper,
						claimed.Upper)
				}
			}
		}
	}
}

// eachAccuracy goes through k, δ, Δf and ε of AFD-T3.8.
func eachAccuracy(t *register.T, try func(k int, delta, sensitivity, eps *big.Rat)) {
	t.Domain("k in {1, 2, 10, 10000}, δ in {1e-9, 1/20, 1/2, 1}, Δf in {1, 3}, ε in {1/2, 1, 4}")
	for _, k := range []int{1, 2, 10, 10000} {
		for _, delta := range rat.List("1e-9", "1/20", "1/2", "1") {
			for _, sensitivity := range rat.List("1", "3") {
				for _, eps := range rat.List("1/2", "1", "4") {
					t.Case()
					try(k, delta, sensitivity, eps)
				}
			}
		}
	}
}

// laplaceErrors checks a share of the error that the theorem allows.
func laplaceErrors(share *big.Rat) register.Check {
	return func(t *register.T) {
		eachAccuracy(t, func(k int, delta, sensitivity, eps *big.Rat) {
			allowed, err := impl.LaplaceError(k, delta, sensitivity, loss.Nats(eps))
			t.Must(err)
			isAbout(t, "the error", allowed, spec.LaplaceError(k, rat.Float64(delta), rat.Float64(sensitivity),
				rat.Float64(eps)))
			far := rat.Mul(share, rat.Exact(allowed.Upper))
			p := someIsFar(t, k, far, rat.Quo(sensitivity, eps))
			if rat.IsAbove(p, delta) {
				t.Refute("k = %d, δ = %s, Δf = %s, ε = %s: some number is off by %.9g or more with a probability of %.9g", k,
					rat.Show(delta), rat.Show(sensitivity), rat.Show(eps), rat.Float64(far), p.Lower)
			}
			t.Close(math.Round(p.Float().Hi/rat.Float64(delta)*1e9)/1e9, "k = %d, δ = %s, Δf = %s, ε = %s", k, rat.Show(delta),
				rat.Show(sensitivity), rat.Show(eps))
		})
	}
}

// leastError checks that the exact error has the probability δ, and is no more than what the theorem allows.
func leastError(t *register.T) {
	eachAccuracy(t, func(k int, delta, sensitivity, eps *big.Rat) {
		exact, err := impl.ExactLaplaceError(k, delta, sensitivity, loss.Nats(eps))
		t.Must(err)
		allowed, err := impl.LaplaceError(k, delta, sensitivity, loss.Nats(eps))
		t.Must(err)
		b := rat.Quo(sensitivity, eps)
		above, below := someIsFar(t, k, rat.Exact(exact.Upper), b), someIsFar(t, k, rat.Exact(exact.Lower), b)
		if rat.IsAbove(above, delta) || rat.Exact(below.Upper).Cmp(delta) < 0 || exact.Lower.Cmp(allowed.Upper) > 0 ||
			exact.RelWidth() > 1e-15 {
			t.Refute("k = %d, δ = %s, Δf = %s, ε = %s: the exact error is in [%.12g, %.12g], with probabilities %.12g and "+
				"%.12g, allowed is %.12g", k, rat.Show(delta), rat.Show(sensitivity), rat.Show(eps), exact.Lower, exact.Upper,
				below.Upper, above.Lower, allowed.Upper)
		}
	})
}

// names checks the example: the error to a digit, and how likely it is exceeded.
func names(claimed, most *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("k = 10000, δ = 1/20, Δf = 1, ε = 1")
		t.Case()
		allowed, err := impl.LaplaceError(10000, rat.Of("1/20"), rat.One, loss.Nats(rat.One))
		t.Must(err)
		isAbout(t, "the error", allowed, spec.LaplaceError(10000, 0.05, 1, 1))
		p := someIsFar(t, 10000, claimed, rat.One)
		if !(math.Abs(allowed.Float().Hi-rat.Float64(claimed)) <= 0.05) || rat.IsAbove(p, most) {
			t.Refute("ln(10000/.05) is %.9g, and more than %s has a probability of %.9g, claimed at most %s", allowed.Upper,
				rat.Show(claimed), p.Upper, rat.Show(most))
		}
	}
}
