package odp

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lossFunction is a convex and differentiable l with |l'| ≤ 1, and enclosures of its slope.
type lossFunction struct {
	name  string
	spec  spec.LossFunction
	slope func(z interval.Interval) interval.Interval // l', which does not decrease
}

// regularizer is a differentiable and 1-strongly convex N, a sum over the coordinates of p.
type regularizer struct {
	name  string
	spec  spec.Regularizer
	slope func(c interval.Interval) interval.Interval // of one coordinate
}

// training is what Algorithm 4 learns from, and how.
type training struct {
	train  []impl.LabelledRecord
	loss   lossFunction
	reg    regularizer
	lambda *big.Rat
}

// reals is the arithmetic of gradients.
const reals = interval.Precision(120)

// gradientNorm returns the norm of the gradient of (5) for exactly this p, computed from the slopes of l and N
// alone, with Λ multiplied by a factor.
func (x training) gradientNorm(p []float64, factor *big.Rat) bounds {
	square := reals.Int(0)
	slopes := x.slopes(p)
	for j, c := range p {
		sum := reals.Int(0)
		for i, r := range x.train {
			sum = reals.Add(sum, reals.Mul(slopes[i], point(r.X[j])))
		}
		g := reals.Quo(sum, reals.Int(int64(len(x.train))))
		g = reals.Add(g, reals.Mul(reals.Rat(rat.Mul(factor, x.lambda)), x.reg.slope(point(c))))
		square = reals.Add(square, positiveSquare(g))
	}
	norm := reals.Sqrt(square)
	return bounds{rat.Exact(norm.Lower), rat.Exact(norm.Upper)}
}

// slopes returns y·l'(y·p^T x) of every record.
func (x training) slopes(p []float64) (all []interval.Interval) {
	for _, r := range x.train {
		z := reals.Int(0)
		for j, c := range p {
			z = reals.Add(z, reals.Mul(point(c), point(r.X[j])))
		}
		all = append(all, reals.Mul(x.loss.slope(reals.Mul(z, point(r.Y))), point(r.Y)))
	}
	return all
}

// minimum returns what spec finds for p_min, and how far it is from p_min at most: the objective is Λ-strongly
// convex.
func (x training) minimum() (p []float64, off *big.Rat) {
	p = register.Must(spec.Minimizer(specRecords(x.train), x.loss.spec, x.reg.spec, rat.Float64(x.lambda)))
	return p, rat.Quo(x.gradientNorm(p, rat.One).upper, x.lambda)
}

// objective returns what p_min minimizes, by spec.
func (x training) objective(p []float64) float64 {
	return spec.Objective(p, specRecords(x.train), x.loss.spec, x.reg.spec, rat.Float64(x.lambda))
}

func (x training) String() string {
	return x.loss.name + ", " + x.reg.name + ", Λ = " + rat.Show(x.lambda) + ", records " + labelledText(x.train)
}

func point(x float64) interval.Interval { return reals.Rat(new(big.Rat).SetFloat64(x)) }

// positiveSquare returns x², which is at least 0.
func positiveSquare(x interval.Interval) interval.Interval { return reals.Max0(reals.Mul(x, x)) }

// rising returns the values of an f that does not decrease, from those at the ends of x.
func rising(x interval.Interval, f func(end interval.Interval) interval.Interval) interval.Interval {
	return interval.New(f(interval.New(x.Lower, x.Lower)).Lower, f(interval.New(x.Upper, x.Upper)).Upper)
}

// softSign is z/(1 + |z|).
func softSign(z interval.Interval) interval.Interval {
	return rising(z, func(z interval.Interval) interval.Interval {
		size := z
		if z.Lower.Sign() < 0 {
			size = reals.Neg(z)
		}
		return reals.Quo(z, reals.Add(reals.Int(1), size))
	})
}

// softAbs is |z| − ln(1 + |z|), whose slope is z/(1 + |z|) and whose curvature is at most 1.
func softAbs(z float64) float64 { return math.Abs(z) - math.Log1p(math.Abs(z)) }

var (
	linear = lossFunction{"l(z) = −z",
		spec.LossFunction{Value: func(z float64) float64 { return -z }, Slope: func(float64) float64 { return -1 }},
		func(interval.Interval) interval.Interval { return reals.Int(-1) }}

	logisticLoss = lossFunction{"logistic loss", spec.LogisticLoss(), func(z interval.Interval) interval.Interval {
		return rising(z, func(z interval.Interval) interval.Interval {
			return reals.Neg(reals.Quo(reals.Int(1), reals.Add(reals.Int(1), reals.Exp(z))))
		})
	}}

	smoothHinge = lossFunction{"smoothed hinge loss, l'(z) = min(0, max(−1, z − 1))",
		spec.LossFunction{
			Value: func(z float64) float64 {
				switch {
				case z <= 0:
					return 0.5 - z
				case z < 1:
					return (1 - z) * (1 - z) / 2
				}
				return 0
			},
			Slope:     func(z float64) float64 { return min(0, max(-1, z-1)) },
			Curvature: 1,
		},
		func(z interval.Interval) interval.Interval {
			return interval.Min(reals.Int(0), interval.Max(reals.Int(-1), reals.Sub(z, reals.Int(1))))
		}}

	softLoss = lossFunction{"l(z) = |z| − ln(1 + |z|)",
		spec.LossFunction{Value: softAbs, Slope: func(z float64) float64 { return z / (1 + math.Abs(z)) }, Curvature: 1},
		softSign}

	// doubled is no loss of Theorem 16: |l'| = 2.
	doubled = lossFunction{"l(z) = −2z",
		spec.LossFunction{Value: func(z float64) float64 { return -2 * z }, Slope: func(float64) float64 { return -2 }},
		func(interval.Interval) interval.Interval { return reals.Int(-2) }}
)

var (
	halfSquare = regularizer{"N = (1/2)‖p‖²", spec.L2Regularizer(), func(c interval.Interval) interval.Interval {
		return c
	}}

	offCenter = regularizer{"N = (1/2)Σ(p_i − 1/2)²",
		spec.Regularizer{
			Value: func(p []float64) float64 {
				return sumOf(p, func(c float64) float64 { return (c - 0.5) * (c - 0.5) / 2 })
			},
			Gradient:  func(p []float64) []float64 { return each(p, func(c float64) float64 { return c - 0.5 }) },
			Curvature: 1,
		},
		func(c interval.Interval) interval.Interval { return reals.Sub(c, point(0.5)) }}

	softRegularizer = regularizer{"N = Σ(p_i²/2 + |p_i| − ln(1 + |p_i|))",
		spec.Regularizer{
			Value: func(p []float64) float64 {
				return sumOf(p, func(c float64) float64 { return c*c/2 + softAbs(c) })
			},
			Gradient: func(p []float64) []float64 {
				return each(p, func(c float64) float64 { return c + c/(1+math.Abs(c)) })
			},
			Curvature: 2,
		},
		func(c interval.Interval) interval.Interval { return reals.Add(c, softSign(c)) }}

	// weak is no regularizer of Theorem 16: it is (4/5)-strongly convex.
	weak = regularizer{"N = (2/5)‖p‖²",
		spec.Regularizer{
			Value:     func(p []float64) float64 { return sumOf(p, func(c float64) float64 { return c * c * 2 / 5 }) },
			Gradient:  func(p []float64) []float64 { return each(p, func(c float64) float64 { return c * 4 / 5 }) },
			Curvature: 0.8,
		},
		func(c interval.Interval) interval.Interval { return reals.Mul(reals.Rat(rat.Of("4/5")), c) }}
)

// losses and regularizers are those of Theorem 16.
var (
	losses       = []lossFunction{linear, logisticLoss, smoothHinge, softLoss}
	regularizers = []regularizer{halfSquare, offCenter, softRegularizer}
)

func sumOf(p []float64, f func(c float64) float64) (sum float64) {
	for _, c := range p {
		sum += f(c)
	}
	return sum
}

func each(p []float64, f func(c float64) float64) []float64 {
	q := slices.Clone(p)
	for i := range q {
		q[i] = f(q[i])
	}
	return q
}
