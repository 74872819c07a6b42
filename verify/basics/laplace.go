package basics

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// laplace are the statements of Section 3.3 on the Laplace mechanism.
func laplace() register.Checks {
	sum := func(change []int) int { return absolute(change[0]) + absolute(change[1]) }
	largest := func(change []int) int { return max(absolute(change[0]), absolute(change[1])) }
	zero, one, two, most := new(big.Rat), rat.One, rat.Int(2), rat.Of("1.001")
	atLeast0 := "0, 1/100, 1, 7/2, 40"
	return register.Checks{
		"AFD-D3.1": checked(with(linearSensitivity, sum, 2),
			control("it is the largest change of one number", with(linearSensitivity, largest, 2)),
			near("it is that of the first column", with(linearSensitivity, sum, 1))),
		"AFD-D3.2": checked(densities(one), near("it is larger by a thousandth", densities(most))),
		"AFD-X2": checked(
			all(variances(two), with(isSymmetricExponential, zero, one)),
			near("its variance is 19/10·b²", variances("19/10")),
			near("|Lap(b)| is exponential with mean 1.001·b", with(isSymmetricExponential, zero, most)),
			near("it is symmetric about b/1000", with(isSymmetricExponential, "1/1000", one))),
		"AFD-X3": checked(footnote(one, true),
			near("9/20 of it as a standard deviation, for ε ≤ 1 and δ ≤ 1/10", footnote("9/20", false)),
			corrected("with this standard deviation, for ε ≤ 1 and δ ≤ 1/10", footnote(one, false))),
		"AFD-D3.3": checked(with(laplaceTwins, 1), near("Lap(1.05·Δf/ε)", with(laplaceTwins, 1.05))),
		"AFD-T3.6": checked(laplaceIsDP(one), near("it is (0.999·ε, 0)-DP", laplaceIsDP("0.999"))),
		"AFD-E3.1": checked(all(with(predicates, 1, rat.Int), errorsOf(one)),
			near("the expected error is 19/20 of 1/ε", errorsOf(nearly)),
			near("the sensitivity is 19/20", with(predicates, 1, func(int) *big.Rat { return nearly }))),
		"AFD-X4": checked(with(predicates, 3, rat.Int), near("it is at most 2",
			with(predicates, 3, func(m int) *big.Rat { return rat.Int(min(m, 2)) }))),
		"AFD-F3.7": checked(with(laplaceTails, one, "-1, "+atLeast0),
			near("it is 19/20 of e^(−t), for t ≥ 0", with(laplaceTails, nearly, atLeast0)),
			corrected("for t ≥ 0", with(laplaceTails, one, atLeast0))),
		"AFD-T3.8": checked(all(with(laplaceErrors, one), leastError, noisyMaxErrors()),
			near("0.999 of it is enough", with(laplaceErrors, "0.999"))),
		"AFD-E3.3": checked(names("12.2", "1/20"),
			near("by more than 12.18", names("12.18", "1/20")),
			near("with a probability of 95.1%", names("12.2", "0.049"))),
	}
}

// laplaceScale returns the scale that spec asks for.
func laplaceScale(sensitivity, eps *big.Rat) *big.Rat {
	return scaleOf(func(tape *finite.Tape) {
		register.Must(spec.LaplaceMechanism([]float64{0}, rat.Float64(sensitivity), rat.Float64(eps), tape))
	})
}

// cellsOf returns the probabilities of the cells between cuts of Lap(b) about a center.
func cellsOf(center, b *big.Rat, cuts ...*big.Rat) []interval.Interval {
	return register.Must(impl.LaplaceCells(center, b, cuts))
}

// density returns that of Lap(b), which both rooms have.
func density(t *register.T, x, b *big.Rat) interval.Interval {
	d := impl.LaplaceDensity(x, b)
	isAbout(t, "the density", d, spec.LaplaceDensity(rat.Float64(x), rat.Float64(b)))
	return d
}

// lossOf returns ln(p/q).
func lossOf(p, q interval.Interval) interval.Float { return register.Must(impl.LogRatio(p, q)).Float() }

// linearSensitivity compares the sensitivities of f(x) = Ax with the largest norm of the first columns of A, and those
// of f(x) = ‖x‖_1·Ax with that of m of one and m − 1 of one: the largest databases change most.
func linearSensitivity(t *register.T, norm func(change []int) int, columns int) {
	const most = 3
	t.Domain("f(x) = Ax and ‖x‖_1·Ax, A of 2 × 2 numbers in −2, …, 2, two types, up to 2 records, and up to %d", most)
	for a := range finite.Tuples([]int{-2, -1, 0, 1, 2}, 4) {
		t.At("columns %v and %v", a[:2], a[2:])
		f := func(x []int) []*big.Rat { return rats(a[0]*x[0]+a[2]*x[1], a[1]*x[0]+a[3]*x[1]) }
		grows := func(x []int) []*big.Rat {
			y := f(x)
			return []*big.Rat{rat.Mul(rat.Int(size(x)), y[0]), rat.Mul(rat.Int(size(x)), y[1])}
		}
		want, wantMost := 0, 0
		for c := range columns {
			column := a[2*c : 2*c+2]
			want = max(want, norm(column))
			for d := range columns {
				wantMost = max(wantMost,
					norm([]int{most*column[0] + (most-1)*a[2*d], most*column[1] + (most-1)*a[2*d+1]}))
			}
		}
		areEqual(t, "Δf", spec.L1Sensitivity(2, 2, f), impl.L1Sensitivity(2, 2, f), rat.Int(want))
		areEqual(t, "Δf times ‖x‖_1", spec.L1Sensitivity(2, most, grows), impl.L1Sensitivity(2, most, grows),
			rat.Int(wantMost))
	}
}

// predicates checks the worst sensitivity of up to so many counting queries together.
func predicates(t *register.T, most int, claimed func(m int) *big.Rat) {
	t.Domain("all lists of up to %d queries, each counting the records of some of 2 types, up to 2 records", most)
	for m := 1; m <= most; m++ {
		worst := new(big.Rat)
		for queries := range finite.Tuples([]int{0, 1, 2, 3}, m) {
			t.At("m = %d", m)
			worst = rat.Max(worst, spec.L1Sensitivity(2, 2, func(x []int) (counts []*big.Rat) {
				for _, q := range queries {
					counts = append(counts, rat.Int(q&1*x[0]+q>>1*x[1]))
				}
				return counts
			}))
		}
		t.Require(rat.Equal(worst, claimed(m)), "the largest Δf is %s, claimed is %s", worst, claimed(m))
	}
}

// densities checks cells against the density, times a factor.
var densities = on("b in {1/3, 1, 5}, cells of b/20 from −3b to 3b",
	func(t *register.T, factor *big.Rat, at string, b *big.Rat) {
		cuts := multiples(rat.Quo(b, rat.Int(20)), -60, 60)
		var shifted []*big.Rat
		for _, cut := range cuts {
			shifted = append(shifted, rat.Add(cut, b))
		}
		cells, tail := cellsOf(b, b, shifted...), precise.Half(precise.ExpRat(rat.Int(-3)))
		for _, end := range []interval.Interval{cells[0], cells[len(cuts)]} {
			t.Require(rat.Meet(end, tail), "%s: beyond 3b the probability is %.12g", at, end.Upper)
		}
		for i, high := range cuts[1:] {
			low, width := cuts[i], rat.Mul(factor, rat.Sub(high, cuts[i]))
			t.At("%s, from %s to %s", at, low, high)
			least := times(density(t, rat.Mul(rat.Half, rat.Add(low, high)), b), width)
			most := times(precise.Half(precise.Add(density(t, low, b), density(t, high, b))), width)
			cell := cells[i+1]
			t.Require(cell.Upper.Cmp(least.Lower) >= 0 && cell.Lower.Cmp(most.Upper) <= 0,
				"the probability is %.12g, by the density at least %.12g and at most %.12g",
				cell.Upper, least.Lower, most.Upper)
		}
	})

// inMoments refutes that E|Y|^power is claimed for Y ~ Lap(b), power 1 or 2, by cells of b/40 up to 60b. Beyond, x ≤
// 60b·e^((x − 60b)/(60b)), and the excess is exponential again: the rest is at most twice (60b)^power times its
// probability. It is twice that of one side.
func inMoments(t *register.T, b *big.Rat, power int, claimed *big.Rat) {
	const far = 2400
	cuts := multiples(rat.Quo(b, rat.Int(40)), 0, far)
	cells := cellsOf(new(big.Rat), b, cuts...)
	down, up := precise.Int(0), times(cells[far+1], rat.Twice(rat.Power(cuts[far], power)))
	for i, p := range cells[1 : far+1] {
		down = precise.Add(down, times(p, rat.Power(cuts[i], power)))
		up = precise.Add(up, times(p, rat.Power(cuts[i+1], power)))
	}
	half := rat.Mul(rat.Half, claimed)
	t.Require(!rat.IsAbove(down, half) && half.Cmp(rat.Exact(up.Upper)) <= 0,
		"half of E|Y|^%d is between %.6g and %.6g, claimed is %s", power, down.Lower, up.Upper, half)
}

// variances checks that the variance is a factor times b², and by the density in float64.
var variances = on("b in {1/3, 5 | 1}", func(t *register.T, factor *big.Rat, b *big.Rat) {
	claimed := rat.Product(factor, b, b)
	inMoments(t, b, 2, claimed)
	literal, width := 0.0, rat.Float64(b)/100
	for i := -6000; i < 6000; i++ {
		x := (float64(i) + 0.5) * width
		literal += x * x * spec.LaplaceDensity(x, rat.Float64(b)) * width
	}
	t.Require(math.Abs(literal/rat.Float64(claimed)-1) <= 1e-3, "it is about %.6g, claimed is %s", literal, claimed)
})

// errorsOf checks that the expected error of Lap(1/ε) is a factor times 1/ε.
var errorsOf = on("ε in {1/3, 5 | 1}", func(t *register.T, factor *big.Rat, eps *big.Rat) {
	inMoments(t, rat.Quo(rat.One, eps), 1, rat.Quo(factor, eps))
})

// isSymmetricExponential checks that the distance of Lap(b) from a center, which is given as a multiple of b, is
// exponential with a mean that is, too, and that each half of its law is on one side: by cells, and by the density in
// float64.
func isSymmetricExponential(t *register.T, center, mean *big.Rat) {
	const far = 40
	finite.Each(t, "cells of b/4 up to 10b on both sides of the middle, and those beyond, b in {1/3, 1, 5}",
		func(at string, b *big.Rat) {
			width, mid, scale := rat.Quo(b, rat.Int(4)), rat.Mul(center, b), rat.Mul(mean, b)
			cells := cellsOf(minus(mid), b, multiples(width, -far, far)...) // of Lap(b) less the center
			beyond := func(i int) interval.Interval {                       // of the exponential law
				return precise.ExpRat(rat.Quo(rat.Mul(rat.Int(-i), width), scale))
			}
			for i := range far + 1 {
				t.At("%s, cell %d", at, i)
				left, right, want := cells[far-i], cells[far+1+i], beyond(i)
				if i < far {
					want = precise.Sub(want, beyond(i+1))
				}
				t.Require(rat.Meet(precise.Add(left, right), want) && rat.Meet(left, right),
					"it is left with probability %.9g, right with %.9g, the exponential law has %.9g",
					left.Lower, right.Lower, want.Lower)
				x, s := rat.Float64(rat.Mul(rat.Int(i), width)), rat.Float64(scale)
				l := spec.LaplaceDensity(rat.Float64(mid)-x, rat.Float64(b))
				r := spec.LaplaceDensity(rat.Float64(mid)+x, rat.Float64(b))
				density := math.Exp(-x/s) / s
				t.Require(math.Abs(l-r) <= 1e-12*l && math.Abs(l+r-density) <= 1e-12*density,
					"the densities of spec %.9g from the middle are %.9g and %.9g, the exponential law has %.9g",
					x, l, r, density)
			}
		})
}

// footnote checks a share of the variance, or of what is then a standard deviation.
var footnote = on("Δf in {1/9, 1, 9}, ε in {1/100, 1/2, 1}, δ in {1e-9, 1/100, 1/10}",
	func(t *register.T, share *big.Rat, isVariance bool, sensitivity, eps, delta *big.Rat) {
		sigma := impl.GaussianVariance(sensitivity, delta, eps)
		isAbout(t, "the variance", sigma,
			spec.GaussianVariance(rat.Float64(sensitivity), rat.Float64(delta), rat.Float64(eps)))
		if sigma = times(sigma, share); isVariance {
			sigma = precise.Sqrt(sigma)
		}
		needs := impl.GaussianDelta(sensitivity, sigma, eps)
		t.Within(needs, delta, "the standard deviation %.6g needs a δ of at least %.6g", sigma.Upper, needs.Lower)
	})

// laplaceTwins checks that both rooms add draws times the scale, with so many times the noise.
func laplaceTwins(t *register.T, factor float64) {
	t.Domain("500 tapes, up to 4 numbers, Δf in {1/4, 1, 3}, ε in {1/2, 1, 4}")
	t.Random(7, 500, func(t *register.T, d register.Dice) {
		sensitivity, eps := oneOf(d, 1, 0.25, 3), oneOf(d, 1, 0.5, 4)
		value, draws, want := drawnValues(d, factor*sensitivity/eps)
		t.At("f(x) = %v, Δf = %g, ε = %g, draws %v", value, sensitivity, eps, draws)
		noise := tapes(draws)
		literal := register.Must(spec.LaplaceMechanism(value, sensitivity, eps, noise[0]))
		fast := register.Must(impl.LaplaceMechanism(value, sensitivity, eps, noise[1]))
		areSame(t, literal, fast, want, slices.Equal)
	})
}

// drawnValues returns numbers, draws, and the numbers with as much noise.
func drawnValues(d register.Dice, scale float64) (value, draws, want []float64) {
	n := 1 + d.Roll(4)
	value, draws = drawn(d, n, 8, 1), drawn(d, n, 8, 0.125)
	for i := range value {
		want = append(want, value[i]+scale*draws[i])
	}
	return value, draws, want
}

// laplaceIsDP checks the ratios of densities at two numbers.
var laplaceIsDP = on("ε in {1/2, 1, 4}, Δf = 2, f(x) = 0, f(y) in −2, …, 2 twice with ‖f(y)‖_1 ≤ 2, "+
	"outputs in −3, …, 3 twice",
	func(t *register.T, share *big.Rat, at string, eps *big.Rat) {
		losses := lossesOfCounts(t, laplaceScale(rat.Int(2), eps), 6)
		for f := range finite.Tuples([]int{-2, -1, 0, 1, 2}, 2) {
			for z := range finite.Tuples([]int{-3, -2, -1, 0, 1, 2, 3}, 2) {
				if size(f) <= 2 {
					t.At("%s, f(y) = %v, output %v", at, f, z)
					losesAtMost(t, lossAt(z, []int{0, 0}, f, losses), rat.Mul(share, eps))
				}
			}
		}
	})

// isFar returns Pr[|Y| ≥ t] for Y ~ Lap(b).
func isFar(far, b *big.Rat) interval.Interval {
	if far.Sign() <= 0 {
		return precise.Int(1)
	}
	cells := cellsOf(new(big.Rat), b, minus(far), far)
	return precise.Add(cells[0], cells[2])
}

// someIsFar returns the probability that one of k is.
func someIsFar(k int, far, b *big.Rat) interval.Interval {
	const n = interval.Precision(256)
	return n.Sub(n.Int(1), n.Power(n.Sub(n.Int(1), isFar(far, b)), k))
}

// laplaceTails checks tails against a factor times e^(−t).
func laplaceTails(t *register.T, factor *big.Rat, places string) {
	finite.Each(t, "b in {1/3, 1, 5}, t in {"+places+"}", func(b, x *big.Rat) {
		claimed, exact := impl.LaplaceTail(x), isFar(rat.Mul(x, b), b)
		isAbout(t, "e^(−t)", claimed, spec.LaplaceTail(rat.Float64(x)))
		claimed = times(claimed, factor)
		t.Require(rat.Meet(claimed, exact), "the probability is %.12g, claimed is %.12g", exact.Upper, claimed.Upper)
	})
}

// eachAccuracy goes through k, δ, Δf and ε of AFD-T3.8, with the error that the theorem allows.
func eachAccuracy(t *register.T, try func(k int, delta, sensitivity, eps *big.Rat, allowed interval.Interval)) {
	finite.Each(t, "k in {1, 10, 10000 | 2}, δ in {1e-9, 1/2, 1 | 1/20}, Δf in {3 | 1}, ε in {1/2, 4 | 1}",
		func(k int, delta, sensitivity, eps *big.Rat) {
			allowed := register.Must(impl.LaplaceError(k, delta, sensitivity, loss.Nats(eps)))
			isAbout(t, "the error", allowed,
				spec.LaplaceError(k, rat.Float64(delta), rat.Float64(sensitivity), rat.Float64(eps)))
			try(k, delta, sensitivity, eps, allowed)
		})
}

// laplaceErrors checks a share of the error that the theorem allows.
func laplaceErrors(t *register.T, share *big.Rat) {
	eachAccuracy(t, func(k int, delta, sensitivity, eps *big.Rat, allowed interval.Interval) {
		far := rat.Mul(share, rat.Exact(allowed.Upper))
		p := someIsFar(k, far, rat.Quo(sensitivity, eps))
		t.Within(p, delta, "some number is off by %.9g or more with a probability of %.9g", far, p.Lower)
	})
}

// leastError checks that the exact error has the probability δ, and is no more than what the theorem allows.
func leastError(t *register.T) {
	eachAccuracy(t, func(k int, delta, sensitivity, eps *big.Rat, allowed interval.Interval) {
		exact := register.Must(impl.ExactLaplaceError(k, delta, sensitivity, loss.Nats(eps)))
		t.Require(exact.RelWidth() <= 1e-15, "the exact error is in [%.12g, %.12g]", exact.Lower, exact.Upper)
		isLeast(t, exact, allowed, delta, func(far *big.Rat) interval.Interval {
			return someIsFar(k, far, rat.Quo(sensitivity, eps))
		})
	})
}

// isLeast refutes that at an exact error, which is at most what is allowed, something fails with the probability beta.
func isLeast(t *register.T, exact, allowed interval.Interval, beta *big.Rat,
	fails func(far *big.Rat) interval.Interval) {
	low, high := fails(rat.Exact(exact.Lower)), fails(rat.Exact(exact.Upper))
	isAtLeast := exact.Lower.Sign() == 0 || rat.Exact(low.Upper).Cmp(beta) >= 0
	t.Require(exact.Lower.Sign() >= 0 && isAtLeast && exact.Lower.Cmp(allowed.Upper) <= 0 && !rat.IsAbove(high, beta),
		"the exact error is in [%.12g, %.12g], with probabilities %.12g and %.12g, allowed is %.12g", exact.Lower,
		exact.Upper, low.Upper, high.Lower, allowed.Upper)
}

// names checks the example: the error to a digit, and how likely it is exceeded.
var names = on("k in {10000}, δ in {1/20}, Δf = 1, ε = 1",
	func(t *register.T, claimed, most string, k int, delta *big.Rat) {
		allowed := register.Must(impl.LaplaceError(k, delta, rat.One, loss.Nats(rat.One)))
		isAbout(t, "the error", allowed, spec.LaplaceError(k, rat.Float64(delta), 1, 1))
		far := rat.Of(claimed)
		p := someIsFar(k, far, rat.One)
		t.Require(math.Abs(allowed.Float().Hi-rat.Float64(far)) <= 0.05 && !rat.IsAbove(p, rat.Of(most)),
			"ln(10000/.05) is %.9g, and more than %s has a probability of %.9g, claimed at most %s",
			allowed.Upper, far, p.Upper, rat.Of(most))
	})

// noisyMaxErrors checks that the error of Report Noisy Max is at most twice that of m numbers, and what it is exactly,
// by the law of the worst counts.
var noisyMaxErrors = on("Report Noisy Max: m in {3 | 2, 10}, δ in {1e-180, 1/2, 2/3 | 1/20}, ε in {4}",
	func(t *register.T, m int, beta, eps *big.Rat) {
		allowed := register.Must(impl.NoisyMaxShortfall(m, beta, loss.Nats(eps)))
		exact := register.Must(impl.ExactNoisyMaxShortfall(m, beta, loss.Nats(eps)))
		isAbout(t, "half of the error", times(allowed, rat.Int(2)), spec.LaplaceError(m, rat.Float64(beta), 1, 1))
		isLeast(t, exact, allowed, beta, func(far *big.Rat) interval.Interval {
			counts := append([]*big.Rat{far}, zeros(m-1)...)
			return times(noisyMaxLaw(counts, noisyMaxScale(eps), 1e-12)[1], rat.Int(m-1))
		})
		ends, isZero := exact.Float(), beta.Cmp(big.NewRat(int64(m-1), int64(m))) >= 0
		t.Require(ends.Hi-ends.Lo <= 0.01 && (ends.Hi == 0) == isZero, "the exact error is in [%.12g, %.12g]", ends.Lo,
			ends.Hi)
	})
