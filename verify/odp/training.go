package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

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
	lower, upper := reals.Sqrt(square).Rats()
	return bounds{lower, upper}
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
	linear = falling("l(z) = −z", 1)

	logisticLoss = lossFunction{"logistic loss", spec.LogisticLoss(), func(z interval.Interval) interval.Interval {
		return rising(z, func(z interval.Interval) interval.Interval {
			return reals.Neg(reals.Quo(reals.Int(1), reals.Add(reals.Int(1), reals.Exp(z))))
		})
	}}

	smoothHinge = lossFunction{"smoothed hinge loss, l'(z) = min(0, max(−1, z − 1))", spec.LossFunction{
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
	}, func(z interval.Interval) interval.Interval {
		return interval.Min(reals.Int(0), interval.Max(reals.Int(-1), reals.Sub(z, reals.Int(1))))
	}}

	softLoss = lossFunction{"l(z) = |z| − ln(1 + |z|)", spec.LossFunction{
		Value:     softAbs,
		Slope:     func(z float64) float64 { return z / (1 + math.Abs(z)) },
		Curvature: 1,
	}, softSign}

	// doubled is no loss of Theorem 16: |l'| = 2.
	doubled = falling("l(z) = −2z", 2)
)

// falling is l(z) = −slope·z.
func falling(name string, slope int) lossFunction {
	f := float64(slope)
	return lossFunction{name,
		spec.LossFunction{Value: func(z float64) float64 { return -f * z }, Slope: func(float64) float64 { return -f }},
		func(interval.Interval) interval.Interval { return reals.Int(int64(-slope)) }}
}

// squared is the regularizer N = (factor/2)·Σ(p_i − center)².
func squared(name string, factor, center float64) regularizer {
	return regularizer{name, spec.Regularizer{
		Value: func(p []float64) float64 {
			return sumOf(p, func(c float64) float64 { return factor / 2 * (c - center) * (c - center) })
		},
		Gradient: func(p []float64) []float64 {
			return each(p, func(c float64) float64 { return factor * (c - center) })
		},
		Curvature: factor,
	}, func(c interval.Interval) interval.Interval {
		return reals.Mul(point(factor), reals.Sub(c, point(center)))
	}}
}

var (
	halfSquare = regularizer{"N = (1/2)‖p‖²", spec.L2Regularizer(), func(c interval.Interval) interval.Interval {
		return c
	}}

	offCenter = squared("N = (1/2)Σ(p_i − 1/2)²", 1, 0.5)

	softRegularizer = regularizer{"N = Σ(p_i²/2 + |p_i| − ln(1 + |p_i|))", spec.Regularizer{
		Value: func(p []float64) float64 {
			return sumOf(p, func(c float64) float64 { return c*c/2 + softAbs(c) })
		},
		Gradient: func(p []float64) []float64 {
			return each(p, func(c float64) float64 { return c + c/(1+math.Abs(c)) })
		},
		Curvature: 2,
	}, func(c interval.Interval) interval.Interval { return reals.Add(c, softSign(c)) }}

	// weak is no regularizer of Theorem 16: it is (3/4)-strongly convex.
	weak = squared("N = (3/8)‖p‖²", 0.75, 0)
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

// records returns records with one covariate x = v and the label 1: for the logistic loss
// only v = y·x matters.
func records(v ...float64) []impl.LabelledRecord {
	var all []impl.LabelledRecord
	for _, x := range v {
		all = append(all, impl.LabelledRecord{X: []float64{x}, Y: 1})
	}
	return all
}

// repeated returns v, n times.
func repeated(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// recordsText writes the y·x of records, equal ones in a row as one.
func recordsText(all []impl.LabelledRecord) string {
	return inRuns(all, func(r impl.LabelledRecord) string { return vectorText(r.X, r.Y) })
}

// labelledText writes records as (x, y), equal ones in a row as one.
func labelledText(all []impl.LabelledRecord) string {
	return inRuns(all, func(r impl.LabelledRecord) string { return fmt.Sprintf("(%s, %g)", vectorText(r.X, 1), r.Y) })
}

// outputText writes an output of Algorithm 5.
func outputText(p []float64) string {
	if p == nil {
		return "⊥"
	}
	return vectorText(p, 1)
}

// vectorText writes y·x: a number as such, and otherwise (1, 2).
func vectorText(x []float64, y float64) string {
	var text []string
	for _, c := range x {
		text = append(text, fmt.Sprintf("%g", y*c+0)) // + 0: no −0
	}
	if len(text) == 1 {
		return text[0]
	}
	return "(" + strings.Join(text, ", ") + ")"
}

// inRuns writes 1, 1, 2 as 2 × 1, 2.
func inRuns(all []impl.LabelledRecord, write func(impl.LabelledRecord) string) string {
	var text []string
	for len(all) > 0 {
		n, this := 1, write(all[0])
		for n < len(all) && write(all[n]) == this {
			n++
		}
		if n > 1 {
			this = fmt.Sprintf("%d × %s", n, this)
		}
		text, all = append(text, this), all[n:]
	}
	return strings.Join(text, ", ")
}

// labelled is what [labelledText] writes, when it is written.
type labelled []impl.LabelledRecord

func (l labelled) String() string { return labelledText(l) }

// script is a noise that gives what it is told to, in units of the scale, and keeps what it was asked for.
type script struct {
	length, laplace float64
	direction       []float64

	shape, scale, laplaceScale float64 // the last that were asked for
	dimension, calls           int
}

func (s *script) Gamma(shape, scale float64) float64 {
	s.shape, s.scale = shape, scale
	s.calls++
	return s.length * scale
}

func (s *script) Direction(d int) []float64 {
	s.dimension = d
	s.calls++
	return slices.Clone(s.direction)
}

func (s *script) Laplace(scale float64) float64 {
	s.laplaceScale = scale
	s.calls++
	return s.laplace * scale
}

// scripted returns a script for d dimensions: a length, and a direction that is along no axis.
func scripted(d int, length, laplace float64) *script {
	s := &script{length: length, laplace: laplace, direction: make([]float64, d)}
	for i := range s.direction {
		s.direction[i] = float64(1+i) * math.Pow(-1, float64(i))
	}
	size := math.Sqrt(sumOf(s.direction, func(c float64) float64 { return c * c }))
	s.direction = each(s.direction, func(c float64) float64 { return c / size })
	return s
}

// areNear reports whether two vectors differ by no more than a part of their size.
func areNear(p, q []float64, part float64) bool {
	for i := range p {
		if !(math.Abs(p[i]-q[i]) <= part*(1+math.Abs(q[i]))) {
			return false
		}
	}
	return len(p) == len(q)
}

// isClose reports whether two numbers differ by no more than a part of the second.
func isClose(x, y, part float64) bool { return math.Abs(x-y) <= part*math.Abs(y) }
