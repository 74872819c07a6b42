package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
)

// LabelledRecord is one labelled record (x, y) of a database.
type LabelledRecord struct {
	X []float64 // covariates, ‖x‖_2 ≤ 1
	Y float64   // label, in [−1, 1]
}

// VectorNoise is a [Noise] that also draws the two parts of a random vector.
type VectorNoise interface {
	noise.Source
	Gamma(shape, scale float64) float64 // with density proportional to r^(shape − 1)·e^(−r/scale)
	Direction(d int) []float64          // uniform on the unit sphere of ℝ^d
}

// tolerance bounds n·‖gradient‖ at what [Minimizer] returns. It is a constant: a bound
// that depended on the records would leak through the scale of the noise.
const tolerance = 0x1p-20

// normSlack is by how much a norm of 1 may be exceeded through rounding.
const normSlack = 0x1p-40

// Minimizer returns p̂ with ‖p̂ − p_min(x^train)‖ ≤ distance for the logistic loss and
// N = (1/2)‖p‖².
//
// The objective J is Λ-strongly convex: ‖p̂ − p_min‖ ≤ ‖∇J(p̂)‖/Λ. However the solver
// came to p̂, that bound is computed from p̂ in interval arithmetic.
//
// Source: Hartmann et al. (2022), eq. (5); ODP-E5.
// Also in the checks of ODP-T16.
// Symbols: x^train = train, n^train = len(train), Λ = lambda.
// Domain: n ≥ 1, ‖x‖_2 ≤ 1, y in [−1, 1], Λ > 0, n·Λ from 0.01 to 1e12, all of one
// dimension d ≥ 1.
// Accuracy: distance contains every rounding; it is at most 2^-20/(n·Λ).
// Deviation from print: l and N are those of logistic regression.
// Cost: about ten Newton steps of O(n·d² + d³).
func Minimizer(train []LabelledRecord, lambda float64) (p []float64, distance float64, err error) {
	defer check.Named("Minimizer", &err)
	if err := cmp.Or(checkLabelled("train", train), checkLambda(len(train), lambda)); err != nil {
		return nil, 0, err
	}
	if p, err = newton(train, lambda); err != nil {
		return nil, 0, err
	}
	slope := gradientNorm(p, train, lambda)
	if limit := tolerance / float64(len(train)); !(slope <= limit) {
		return nil, 0, fmt.Errorf("the gradient is %g, must be at most %g: rounding is too coarse for these records",
			slope, limit)
	}
	return p, interval.Point(slope).Quo(interval.Point(lambda)).Hi, nil
}

// newton minimizes the objective with gonum's Newton method, and then takes full steps,
// which square the error where the line search no longer sees a difference.
func newton(train []LabelledRecord, lambda float64) ([]float64, error) {
	d := len(train[0].X)
	problem := optimize.Problem{
		Func: func(p []float64) float64 { return objective(p, train, lambda) },
		Grad: func(grad, p []float64) { derivatives(grad, nil, p, train, lambda) },
		Hess: func(hess *mat.SymDense, p []float64) { derivatives(make([]float64, d), hess, p, train, lambda) },
	}
	settings := &optimize.Settings{GradientThreshold: 1e-9, MajorIterations: 200}
	result, err := optimize.Minimize(problem, make([]float64, d), settings, &optimize.Newton{})
	if result == nil {
		return nil, fmt.Errorf("the minimizer failed: %w", err)
	}
	p := result.X
	for range 3 {
		grad, hess := make([]float64, d), mat.NewSymDense(d, nil)
		derivatives(grad, hess, p, train, lambda)
		var factor mat.Cholesky
		var step mat.VecDense
		if !factor.Factorize(hess) || factor.SolveVecTo(&step, mat.NewVecDense(d, grad)) != nil {
			break
		}
		for i := range p {
			p[i] -= step.AtVec(i)
		}
	}
	return p, nil
}

// objective returns (1/n) Σ ln(1 + e^(−z)) + Λ‖p‖²/2. For z < 0, ln(1 + e^(−z)) is
// −z + ln(1 + e^z), which does not overflow.
func objective(p []float64, train []LabelledRecord, lambda float64) float64 {
	sum := 0.0
	for _, r := range train {
		z := r.Y * dot(p, r.X)
		sum += max(0, -z) + math.Log1p(math.Exp(-math.Abs(z)))
	}
	return sum/float64(len(train)) + lambda*dot(p, p)/2
}

// derivatives sets the gradient of the objective and, unless it is nil, its Hessian.
func derivatives(grad []float64, hess *mat.SymDense, p []float64, train []LabelledRecord, lambda float64) {
	for i := range grad {
		grad[i] = lambda * p[i]
		for j := i; hess != nil && j < len(p); j++ {
			hess.SetSym(i, j, 0)
		}
		if hess != nil {
			hess.SetSym(i, i, lambda)
		}
	}
	n := float64(len(train))
	for _, r := range train {
		wrong := 1 / (1 + math.Exp(r.Y*dot(p, r.X))) // σ(−z)
		curvature := wrong * (1 - wrong) * r.Y * r.Y / n
		for i, x := range r.X {
			grad[i] -= wrong * r.Y * x / n
			for j := i; hess != nil && j < len(p); j++ {
				hess.SetSym(i, j, hess.At(i, j)+curvature*x*r.X[j])
			}
		}
	}
}

// gradientNorm returns an upper bound of ‖∇J(p)‖ for exactly this p.
func gradientNorm(p []float64, train []LabelledRecord, lambda float64) float64 {
	grad := make([]interval.Float, len(p))
	for _, r := range train {
		z := interval.Point(0)
		for i, x := range r.X {
			z = z.Add(interval.Point(p[i]).Mul(interval.Point(x)))
		}
		slope := z.Mul(interval.Point(r.Y)).Neg().Sigma().Mul(interval.Point(r.Y))
		for i, x := range r.X {
			grad[i] = grad[i].Sub(slope.Mul(interval.Point(x)))
		}
	}
	sum := interval.Point(0)
	for i, g := range grad {
		g = g.Quo(interval.Point(float64(len(train)))).Add(interval.Point(lambda).Mul(interval.Point(p[i])))
		sum = sum.Add(g.Mul(g))
	}
	return sum.Sqrt().Hi
}

// MinimizerOnLine returns p_min(x^train) for one covariate, d = 1.
//
// The derivative Λp − (1/n) Σ vσ(−vp), v = y·x, increases with p, at least as Λp does; it
// is at most 0 at −1/Λ and at least 0 at 1/Λ. Where its sign is certain, p_min is on the
// other side.
//
// Source: Hartmann et al. (2022), eq. (5); ODP-E5, for l_LogReg and N_{L_2}.
// Also in the checks of ODP-T16.
// Symbols: x^train = train, Λ = lambda.
// Domain: n ≥ 1, |x| ≤ 1, y in [−1, 1], Λ > 0, n·Λ from 0.01 to 1e12, of dimension 1; records are taken for the numbers
// that they hold.
// Accuracy: the width is a few n·2^-52/Λ.
// Deviation from print: none.
// Cost: O(n), and some 80 passes over the distinct values of y·x.
func MinimizerOnLine(train []LabelledRecord, lambda *big.Rat) (interval.Interval, error) {
	if err := cmp.Or(checkLine("train", train), checkWeight(len(train), lambda)); err != nil {
		return interval.Interval{}, fmt.Errorf("MinimizerOnLine: %w", err)
	}
	return minimizerOnLine(train, interval.FloatOf(lambda)).Interval(), nil
}

// minimizerOnLine is where the derivative passes 0.
func minimizerOnLine(train []LabelledRecord, lambda interval.Float) interval.Float {
	margin := func(r LabelledRecord) interval.Float { return interval.Point(r.X[0]).Mul(interval.Point(r.Y)) }
	margins := counted(train, margin)
	n := float64(len(train))
	slope := func(p float64) interval.Float {
		sum := interval.Point(0)
		for _, m := range margins {
			sum = sum.Add(interval.Point(m.count).Mul(m.of).Mul(m.of.Mul(interval.Point(-p)).Sigma()))
		}
		return lambda.Mul(interval.Point(p)).Sub(sum.Quo(interval.Point(n)))
	}
	end := interval.Point(1).Quo(lambda).Hi
	return passesZero(-end, end, slope)
}

// weighted is what is taken of records, and how often it occurs.
type weighted[T comparable] struct {
	of    T
	count float64
}

// counted returns the different values of records, in the order in which they are first met.
func counted[T comparable](records []LabelledRecord, of func(LabelledRecord) T) (all []weighted[T]) {
	for _, r := range records {
		x := of(r)
		i := slices.IndexFunc(all, func(w weighted[T]) bool { return w.of == x })
		if i < 0 {
			i, all = len(all), append(all, weighted[T]{of: x})
		}
		all[i].count++
	}
	return all
}

func checkLine(name string, records []LabelledRecord) error {
	err := checkLabelled(name, records)
	if err == nil && len(records[0].X) != 1 {
		err = fmt.Errorf("%s: record 1 has %d covariates, must have 1", name, len(records[0].X))
	}
	return err
}

// ERMOutputPert returns p̃_min = p̂ + q, where p̂ is within rounding of p_min.
//
// Two neighbouring p̂ are no more than 2/(nΛ) + 2·tolerance/(nΛ) apart: the noise is that
// of Algorithm 4 times 1 + tolerance, which makes it ε-DP as far as the reals go.
// What the release as float64 gives away is not accounted for.
//
// Source: Hartmann et al. (2022), Algorithm 4; ODP-A4.
// Symbols: ε = eps; otherwise as for [Minimizer].
// Domain: ε > 0; n ≥ 1, ‖x‖_2 ≤ 1, y in [−1, 1], Λ > 0, n·Λ from 0.01 to 1e12, all of one dimension d ≥ 1.
// Accuracy: that of [Minimizer]; the noise is larger by a factor of at most 1 + 2^-19.
// Deviation from print: l and N are those of logistic regression; slightly more noise; the
// density of q is the joint one of the vector, which print calls “element-wise”.
// Cost: that of [Minimizer].
func ERMOutputPert(train []LabelledRecord, eps, lambda float64, random VectorNoise) ([]float64, error) {
	r, err := NewERMRuns(train, eps, lambda)
	if err = cmp.Or(err, check.NotNil("random", random)); err != nil {
		return nil, fmt.Errorf("ERMOutputPert: %w", err)
	}
	return r.Draw(random), nil
}

// ERMRuns is [ERMOutputPert] on one database: p̂ is found once for many runs.
type ERMRuns struct {
	p     []float64
	scale float64
}

// NewERMRuns finds p̂.
//
// Source, symbols, accuracy and cost: as for [ERMOutputPert].
// Domain: ε > 0; n ≥ 1, ‖x‖_2 ≤ 1, y in [−1, 1], Λ > 0, n·Λ from 0.01 to 1e12, all of one dimension d ≥ 1.
func NewERMRuns(train []LabelledRecord, eps, lambda float64) (ERMRuns, error) {
	p, _, err := Minimizer(train, lambda)
	if err = cmp.Or(check.Positive("eps", eps), err); err != nil {
		return ERMRuns{}, err
	}
	scale := interval.Point(ermSensitivity(len(train), lambda)).Quo(interval.Point(eps)).Hi
	if math.IsInf(scale, 0) {
		return ERMRuns{}, fmt.Errorf("eps is %g, too small for %d records with lambda = %g", eps, len(train), lambda)
	}
	return ERMRuns{p, scale}, nil
}

// Draw makes one run, and returns its output. It panics if random is nil.
func (r ERMRuns) Draw(random VectorNoise) []float64 {
	length := random.Gamma(float64(len(r.p)), r.scale)
	output := random.Direction(len(r.p))
	for i, u := range output {
		output[i] = r.p[i] + float64(length*u)
	}
	return output
}

// ERMSensitivity returns a bound of the L_2-sensitivity of what [Minimizer] returns:
// 2/(n·Λ), and what its tolerance and that of the norms add.
//
// Source: Hartmann et al. (2022), Theorem 16; ODP-T16.
// Also in the checks of ODP-E15.
// Symbols: n^train = n, Λ = lambda.
// Domain: n ≥ 1, Λ > 0, n·Λ from 0.01 to 1e12.
// Accuracy: an upper bound; the relative excess is at most 2^-19.
// Deviation from print: none but the excess.
// Cost: O(1).
func ERMSensitivity(n int, lambda float64) (float64, error) {
	if err := cmp.Or(check.Between("n", n, 1, math.MaxInt), checkLambda(n, lambda)); err != nil {
		return 0, fmt.Errorf("ERMSensitivity: %w", err)
	}
	return ermSensitivity(n, lambda), nil
}

func ermSensitivity(n int, lambda float64) float64 {
	exact := interval.Point(2).Quo(interval.Point(float64(n)).Mul(interval.Point(lambda)))
	return exact.Mul(interval.Point(1 + tolerance + normSlack)).Hi
}

func dot(p, x []float64) float64 {
	sum := 0.0
	for i := range p {
		sum += float64(p[i] * x[i])
	}
	return sum
}

func checkLambda(n int, lambda float64) error {
	if err := check.Positive("lambda", lambda); err != nil {
		return err
	}
	if w := float64(n) * lambda; w < smallestWeight || w > largestWeight {
		return fmt.Errorf("lambda is %g, times n = %d must be at least %g and at most %g",
			lambda, n, smallestWeight, largestWeight)
	}
	return nil
}

// n·Λ is kept where 2/(n·Λ) and its exponential are far from overflow.
const (
	smallestWeight = 0.01
	largestWeight  = 1e12
)

func checkLabelled(name string, records []LabelledRecord) error {
	if len(records) == 0 {
		return fmt.Errorf("%s has 0 records, must have at least 1", name)
	}
	d := len(records[0].X)
	if d == 0 {
		return fmt.Errorf("%s: record 1 has 0 covariates, must have at least 1", name)
	}
	for i, r := range records {
		norm := math.Sqrt(dot(r.X, r.X))
		switch {
		case len(r.X) != d:
			return fmt.Errorf("%s: record %d has %d covariates, must have %d as record 1 has", name, i+1, len(r.X), d)
		case !(norm <= 1+normSlack/2):
			return fmt.Errorf("%s: record %d: norm of x is %g, must be at most 1", name, i+1, norm)
		case !(math.Abs(r.Y) <= 1):
			return fmt.Errorf("%s: record %d: y is %g, must be at least -1 and at most 1", name, i+1, r.Y)
		}
	}
	return nil
}
