package basics

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// laplace are the statements of Section 3.3 on the Laplace mechanism.
func laplace() register.Checks {
	return register.Checks{
		"AFD-D3.1": register.Checked(linearSensitivity(
			func(change []int) int { return absolute(change[0]) + absolute(change[1]) },
			2,
		),
			register.Control("it is the largest change of one number",
				linearSensitivity(func(change []int) int { return max(absolute(change[0]), absolute(change[1])) }, 2)),
			register.NearMiss("it is that of the first column",
				linearSensitivity(func(change []int) int { return absolute(change[0]) + absolute(change[1]) }, 1)),
		),
		"AFD-D3.2": register.Checked(densities(rat.One),
			register.NearMiss("it is larger by a thousandth", densities(rat.Of("1.001"))),
		),
		"AFD-X2": register.Checked(register.All(variances(rat.Of("2")), isSymmetricExponential(new(big.Rat), rat.One)),
			register.NearMiss("its variance is 19/10·b²", variances(rat.Of("19/10"))),
			register.NearMiss("|Lap(b)| is exponential with mean 1.001·b",
				isSymmetricExponential(new(big.Rat), rat.Of("1.001"))),
			register.NearMiss("it is symmetric about b/1000", isSymmetricExponential(rat.Of("1/1000"), rat.One)),
		),
		"AFD-X3": register.Checked(footnote(rat.One, true),
			register.NearMiss("9/20 of it as a standard deviation, for ε ≤ 1 and δ ≤ 1/10", footnote(rat.Of("9/20"), false)),
			register.Corrected("with this standard deviation, for ε ≤ 1 and δ ≤ 1/10", footnote(rat.One, false)),
		),
		"AFD-D3.3": register.Checked(laplaceTwins(func(sensitivity, eps float64) float64 { return sensitivity / eps }),
			register.Control("Lap(Δf·ε)", laplaceTwins(func(sensitivity, eps float64) float64 { return sensitivity * eps })),
			register.NearMiss("Lap(1.05·Δf/ε)",
				laplaceTwins(func(sensitivity, eps float64) float64 { return 1.05 * sensitivity / eps })),
		),
		"AFD-T3.6": register.Checked(laplaceIsDP(rat.One),
			register.NearMiss("it is (0.999·ε, 0)-DP", laplaceIsDP(rat.Of("0.999"))),
		),
		"AFD-E3.1": register.Checked(
			register.All(predicates(1, func(m int) *big.Rat { return rat.Int(m) }), errors(rat.One)),
			register.NearMiss("the expected error is 19/20 of 1/ε", errors(nearly)),
			register.NearMiss("the sensitivity is 19/20", predicates(1, func(int) *big.Rat { return nearly })),
		),
		"AFD-X4": register.Checked(predicates(3, func(m int) *big.Rat { return rat.Int(m) }),
			register.Control("it is 1", predicates(3, func(int) *big.Rat { return rat.One })),
			register.NearMiss("it is at most 2", predicates(3, func(m int) *big.Rat { return rat.Int(min(m, 2)) })),
		),
		"AFD-F3.7": register.Checked(laplaceTails(rat.One, rat.List("-1", "0", "1/100", "1", "7/2", "40")),
			register.NearMiss("it is 19/20 of e^(−t), for t ≥ 0",
				laplaceTails(nearly, rat.List("0", "1/100", "1", "7/2", "40"))),
			register.Corrected("for t ≥ 0", laplaceTails(rat.One, rat.List("0", "1/100", "1", "7/2", "40"))),
		),
		"AFD-T3.8": register.Checked(register.All(laplaceErrors(rat.One), leastError, noisyMaxErrors),
			register.NearMiss("0.999 of it is enough", laplaceErrors(rat.Of("0.999"))),
		),
		"AFD-E3.3": register.Checked(names(rat.Of("12.2"), rat.Of("1/20")),
			register.NearMiss("by more than 12.18", names(rat.Of("12.18"), rat.Of("1/20"))),
			register.NearMiss("with a probability of 95.1%", names(rat.Of("12.2"), rat.Of("0.049"))),
		),
	}
}

func absolute(x int) int { return max(x, -x) }

// linearSensitivity compares the sensitivities of f(x) = Ax with the largest norm of the first columns of A, and those
// of f(x) = ‖x‖_1·Ax with that of m of one and m − 1 of one: the largest databases change most.
func linearSensitivity(norm func(change []int) int, columns int) register.Check {
	return func(t *register.T) {
		const most = 3
		t.Domain("f(x) = Ax and ‖x‖_1·Ax, A of 2 × 2 numbers in −2, …, 2, two types, up to 2 records, and up to %d", most)
		for a := range finite.Tuples([]int{-2, -1, 0, 1, 2}, 4) {
			t.Case()
			f := func(x []int) []*big.Rat {
				return []*big.Rat{rat.Int(a[0]*x[0] + a[2]*x[1]), rat.Int(a[1]*x[0] + a[3]*x[1])}
			}
			want, wantMost := 0, 0
			for c := range columns {
				column := a[2*c : 2*c+2]
				want = max(want, norm(column))
				for d := range columns {
					wantMost = max(wantMost, norm([]int{most*column[0] + (most-1)*a[2*d], most*column[1] + (most-1)*a[2*d+1]}))
				}
			}
			if literal, fast := spec.L1Sensitivity(2, 2, f), impl.L1Sensitivity(2, 2, f); !rat.Equal(literal, rat.Int(want)) ||
				!rat.Equal(fast, literal) {
				t.Refute("columns %v and %v: Δf is %s by spec, %s by impl, claimed is %d", a[:2], a[2:], rat.Show(literal),
					rat.Show(fast), want)
			}
			grows := func(x []int) []*big.Rat {
				n, y := rat.Int(size(x)), f(x)
				return []*big.Rat{rat.Mul(n, y[0]), rat.Mul(n, y[1])}
			}
			if literal, fast := spec.L1Sensitivity(2, most, grows), impl.L1Sensitivity(2, most, grows); !rat.Equal(literal,
				rat.Int(wantMost)) || !rat.Equal(fast, literal) {
				t.Refute("columns %v and %v times ‖x‖_1: Δf is %s by spec, %s by impl, claimed is %d", a[:2], a[2:],
					rat.Show(literal), rat.Show(fast), wantMost)
			}
		}
	}
}

// predicates checks the worst sensitivity of up to so many counting queries together.
func predicates(most int, claimed func(m int) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("all lists of up to %d queries, each counting the records of some of 2 types, up to 2 records", most)
		for m := 1; m <= most; m++ {
			worst := new(big.Rat)
			for queries := range finite.Tuples([]int{0, 1, 2, 3}, m) {
				t.Case()
				worst = rat.Max(worst, spec.L1Sensitivity(2, 2, func(x []int) (counts []*big.Rat) {
					for _, q := range queries {
						counts = append(counts, rat.Int(q&1*x[0]+q>>1*x[1]))
					}
					return counts
				}))
			}
			if !rat.Equal(worst, claimed(m)) {
				t.Refute("m = %d: the largest Δf is %s, claimed is %s", m, rat.Show(worst), rat.Show(claimed(m)))
			}
		}
	}
}

// densities checks cells against the density, times a factor.
func densities(factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("b in {1/3, 1, 5}, cells of b/20 from −3b to 3b")
		for _, b := range rat.List("1/3", "1", "5") {
			cuts := grid(rat.Quo(b, rat.Int(20)), -60, 60)
			cells, err := impl.LaplaceCells(new(big.Rat), b, cuts)
			t.Must(err)
			density := func(x *big.Rat) interval.Interval {
				d := impl.LaplaceDensity(x, b)
				isAbout(t, "the density", d, spec.LaplaceDensity(rat.Float64(x), rat.Float64(b)))
				return precise.Mul(d, precise.Rat(factor))
			}
			for i, high := range cuts[1:] {
				t.Case()
				low, width := cuts[i], precise.Rat(rat.Sub(high, cuts[i]))
				least := precise.Mul(width, density(rat.Mul(rat.Half, rat.Add(low, high))))
				most := precise.Mul(width, precise.Half(precise.Add(density(low), density(high))))
				if cell := cells[i+1]; cell.Upper.Cmp(least.Lower) < 0 || cell.Lower.Cmp(most.Upper) > 0 {
					t.Refute("b = %s: from %s to %s is a probability of %.12g, by the density at least %.12g and at most %.12g",
						rat.Show(b), rat.Show(low), rat.Show(high), cell.Upper, least.Lower, most.Upper)
				}
			}
		}
	}
}

// grid returns from·step, …, to·step.
func grid(step *big.Rat, from, to int) (points []*big.Rat) {
	for i := from; i <= to; i++ {
		points = append(points, rat.Mul(rat.Int(i), step))
	}
	return points
}

// moments returns bounds of E|Y|^power for Y ~ Lap(b), power 1 or 2, by cells of b/40 up to 60b. Beyond, x ≤ 60b·e^((x
// − 60b)/(60b)), and the excess is exponential again: the rest is at most twice (60b)^power times its probability. It
// is twice that of one side.
func moments(t *register.T, b *big.Rat, power int) (least, most *big.Rat) {
	const far = 2400
	cuts := grid(rat.Quo(b, rat.Int(40)), 0, far)
	cells, err := impl.LaplaceCells(new(big.Rat), b, cuts)
	t.Must(err)
	down, up := new(big.Float).SetMode(big.ToNegativeInf).SetPrec(128), new(big.Float).SetMode(big.ToPositiveInf).SetPrec(
		128)
	for i := range far {
		p := cells[i+1]
		low, high := rat.Power(cuts[i], power), rat.Power(cuts[i+1], power)
		down.Add(down, precise.Mul(p, precise.Rat(low)).Lower)
		up.Add(up, precise.Mul(p, precise.Rat(high)).Upper)
	}
	up.Add(up, precise.Mul(cells[far+1], precise.Rat(rat.Twice(rat.Power(cuts[far], power)))).Upper)
	return rat.Twice(rat.Exact(down)), rat.Twice(rat.Exact(up))
}

// variances checks that the variance is a factor times b², and by the density in float64.
func variances(factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("b in {1/3, 1, 5}")
		for _, b := range rat.List("1/3", "1", "5") {
			t.Case()
			claimed := rat.Product(factor, b, b)
			inMoments(t, b, 2, claimed)
			literal, width := 0.0, rat.Float64(b)/100
			for i := -6000; i < 6000; i++ {
				x := (float64(i) + 0.5) * width
				literal += x * x * spec.LaplaceDensity(x, rat.Float64(b)) * width
			}
			if !(math.Abs(literal/rat.Float64(claimed)-1) <= 1e-3) {
				t.Refute("b = %s: it is about %.6g, claimed is %s", rat.Show(b), literal, rat.Show(claimed))
			}
		}
	}
}

// isSymmetricExponential checks that the distance of Lap(b) from a center, which is given as a multiple of b, is
// exponential with a mean that is, too, and that each half of its law is on one side: by cells, and by the density in
// float64.
func isSymmetricExponential(center, mean *big.Rat) register.Check {
	return func(t *register.T) {
		const far = 40
		t.AlsoDomain("cells of b/4 up to 10b on both sides of the middle, and those beyond, b in {1/3, 1, 5}")
		for _, b := range rat.List("1/3", "1", "5") {
			width, mid := rat.Quo(b, rat.Int(4)), rat.Mul(center, b)
			cells, err := impl.LaplaceCells(new(big.Rat).Neg(mid), b, grid(width, -far, far)) // of Lap(b) less the center
			t.Must(err)
			beyond := func(i int) interval.Interval { // of the exponential law
				return precise.ExpRat(rat.Quo(rat.Mul(rat.Int(-i), width), rat.Mul(mean, b)))
			}
			for i := range far + 1 {
				t.Case()
				left, right, want := cells[far-i], cells[far+1+i], beyond(i)
				if i < far {
					want = precise.Sub(want, beyond(i+1))
				}
				if both := precise.Add(left, right); !meet(left, right) || !meet(both, want) {
					t.Refute("b = %s, cell %d: it is left with probability %.9g, right with %.9g, the exponential law has %.9g",
						rat.Show(b), i, left.Lower, right.Lower, want.Lower)
				}
				x, scale := rat.Float64(rat.Mul(rat.Int(i), width)), rat.Float64(rat.Mul(mean, b))
				l, r := spec.LaplaceDensity(rat.Float64(mid)-x, rat.Float64(b)), spec.LaplaceDensity(rat.Float64(mid)+x,
					rat.Float64(b))
				if density := math.Exp(-x/scale) / scale; !(math.Abs(l-r) <= 1e-12*l) || !(math.Abs(l+r-density) <= 1e-12*density) {
					t.Refute("b = %s: the densities of spec %.9g from the middle are %.9g and %.9g, the exponential law has %.9g",
						rat.Show(b), x, l, r, density)
				}
			}
		}
	}
}

// footnote checks a share of the variance, or of what is then a standard deviation.
func footnote(share *big.Rat, isVariance bool) register.Check {
	return func(t *register.T) {
		t.Domain("Δf in {1/9, 1, 9}, ε in {1/100, 1/2, 1}, δ in {1e-9, 1/100, 1/10}")
		for _, sensitivity := range rat.List("1/9", "1", "9") {
			for _, eps := range rat.List("1/100", "1/2", "1") {
				for _, delta := range rat.List("1e-9", "1/100", "1/10") {
					t.Case()
					sigma := impl.GaussianVariance(sensitivity, delta, eps)
					isAbout(t, "the variance", sigma, spec.GaussianVariance(rat.Float64(sensitivity), rat.Float64(delta),
						rat.Float64(eps)))
					if sigma = precise.Mul(sigma, precise.Rat(share)); isVariance {
						sigma = precise.Sqrt(sigma)
					}
					needs := impl.GaussianDelta(sensitivity, sigma, eps)
					if rat.IsAbove(needs, delta) {
						t.Refute("Δf = %s, ε = %s: noise with the standard deviation %.6g needs a δ of at least %.6g, claimed is %s",
							rat.Show(sensitivity), rat.Show(eps), sigma.Upper, needs.Lower, rat.Show(delta))
					}
					t.Close(needs.Float().Hi/rat.Float64(delta), "Δf = %s, ε = %s, δ = %s", rat.Show(sensitivity), rat.Show(eps),
						rat.Show(delta))
				}
			}
		}
	}
}

// inMoments refutes that E|Y|^power is claimed.
func inMoments(t *register.T, b *big.Rat, power int, claimed *big.Rat) {
	least, most := moments(t, b, power)
	if claimed.Cmp(least) < 0 || claimed.Cmp(most) > 0 {
		t.Refute("b = %s: E|Y|^%d is between %.6g and %.6g, claimed is %s", rat.Show(b), power, rat.Float64(least),
			rat.Float64(most), rat.Show(claimed))
	}
}

// errors checks that the expected error of Lap(1/ε) is a factor times 1/ε.
func errors(factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("ε in {1/3, 1, 5}")
		for _, eps := range rat.List("1/3", "1", "5") {
			t.Case()
			inMoments(t, rat.Quo(rat.One, eps), 1, rat.Quo(factor, eps))
		}
	}
}

// laplaceTwins checks that both rooms add draws times a scale.
func laplaceTwins(scale func(sensitivity, eps float64) float64) register.Check {
	return func(t *register.T) {
		t.Domain("500 tapes, up to 4 numbers, Δf in {1/4, 1, 3}, ε in {1/2, 1, 4}")
		t.Random(7, 500, func(t *register.T, d register.Dice) {
			sensitivity, eps := []float64{1, 0.25, 3}[d.Roll(3)], []float64{1, 0.5, 4}[d.Roll(3)]
			var value, draws, want []float64
			for range 1 + d.Roll(4) {
				value, draws = append(value, float64(d.Roll(17)-8)), append(draws, float64(d.Roll(17)-8)/8)
			}
			for i := range value {
				want = append(want, value[i]+scale(sensitivity, eps)*draws[i])
			}
			literal, err0 := spec.LaplaceMechanism(value, sensitivity, eps, &finite.Tape{Draws: draws})
			fast, err1 := impl.LaplaceMechanism(value, sensitivity, eps, &finite.Tape{Draws: draws})
			t.Must(firstError(err0, err1))
			if !slices.Equal(literal, want) || !slices.Equal(fast, want) {
				t.Refute("f(x) = %v, Δf = %g, ε = %g, draws %v: %v by spec, %v by impl, claimed are %v", value, sensitivity, eps,
					draws, literal, fast, want)
			}
		})
	}
}

// scaleOf returns the scale that spec asks for.
func scaleOf(t *register.T, sensitivity, eps *big.Rat) *big.Rat {
	tape := &finite.Tape{Draws: []float64{0}}
	_, err := spec.LaplaceMechanism([]float64{0}, rat.Float64(sensitivity), rat.Float64(eps), tape)
	t.Must(err)
	return new(big.Rat).SetFloat64(tape.Scales[0])
}

// laplaceIsDP checks the ratios of densities at two numbers.
func laplaceIsDP(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/2, 1, 4}, Δf = 2, f(x) = 0, f(y) in {−2, …, 2}² with ‖f(y)‖_1 ≤ 2, outputs in {−3, …, 3}²")
		for _, eps := range rat.List("1/2", "1", "4") {
			b := scaleOf(t, rat.Of("2"), eps)
			density := map[int]interval.Interval{}
			for x := range 6 {
				density[x] = impl.LaplaceDensity(rat.Int(x), b)
				isAbout(t, "the density", density[x], spec.LaplaceDensity(float64(-x), rat.Float64(b)))
			}
			joint := func(z, f []int) interval.Interval {
				return precise.Mul(density[absolute(z[0]-f[0])], density[absolute(z[1]-f[1])])
			}
			bound := rat.Mul(share, eps)
			for f := range finite.Tuples([]int{-2, -1, 0, 1, 2}, 2) {
				for z := range finite.Tuples([]int{-3, -2, -1, 0, 1, 2, 3}, 2) {
					if absolute(f[0])+absolute(f[1]) > 2 {
						continue
					}
					t.Case()
					l, err := impl.LogRatio(joint(z, []int{0, 0}), joint(z, f))
					t.Must(err)
					if x := l.Float(); x.Lo > rat.Float64(bound)+1e-12 {
						t.Refute("ε = %s, f(y) = %v, output %v: the loss is at least %.9g, claimed at most %s", rat.Show(eps), f, z,
							x.Lo, rat.Show(bound))
					}
					t.Close(math.Round(l.Float().Lo/rat.Float64(bound)*1e9)/1e9, "ε = %s, f(y) = %v, output %v", rat.Show(eps), f, z)
				}
			}
		}
	}
}
