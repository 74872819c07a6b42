package spec

import (
	"fmt"
	"math"
)

// LabelledRecord is one labelled record (x, y) of a database.
type LabelledRecord struct {
	X []float64 // covariates, ‖x‖_2 ≤ 1
	Y float64   // label, in [−1, 1]
}

// VectorNoise is a [Noise] that also draws the two parts of a random vector.
type VectorNoise interface {
	Noise
	Gamma(shape, scale float64) float64 // with density proportional to r^(shape − 1)·e^(−r/scale)
	Direction(d int) []float64          // uniform on the unit sphere of ℝ^d
}

// LossFunction is a convex and differentiable loss l of the margin z = y·p^T x.
type LossFunction struct {
	Value     func(z float64) float64
	Slope     func(z float64) float64 // l'
	Curvature float64                 // a bound of l''
}

// Regularizer is a differentiable and 1-strongly convex N.
type Regularizer struct {
	Value     func(p []float64) float64
	Gradient  func(p []float64) []float64
	Curvature float64 // a bound of the eigenvalues of N''
}

// Objective returns what p_min minimizes: (1/n) Σ_{(x,y)} l(y·p^T x) + Λ·N(p).
//
// Source: Hartmann et al. (2022), eq. (5); ODP-E5.
// Symbols: x^train = train, n^train = len(train), Λ = lambda.
// Domain: any p of the dimension of the covariates.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n·d).
func Objective(p []float64, train []LabelledRecord, l LossFunction, n Regularizer, lambda float64) float64 {
	sum := 0.0
	for _, r := range train {
		sum += l.Value(r.Y * dot(p, r.X))
	}
	return sum/float64(len(train)) + lambda*n.Value(p)
}

// Minimizer returns p_min(x^train) = arg min_p of [Objective], by gradient descent.
//
// Steps of 1/L, L a bound of the curvature of the objective, bring p closer to p_min
// by a factor 1 − Λ/L each. It stops where the gradient is within the rounding of 0:
// ‖p − p_min‖ ≤ ‖gradient‖/Λ.
//
// Source: Hartmann et al. (2022), eq. (5); ODP-E5.
// Symbols: as for [Objective].
// Domain: n ≥ 1, ‖x‖_2 ≤ 1, y in [−1, 1], Λ > 0, all of one dimension d ≥ 1.
// Accuracy: ‖gradient‖ ≤ 1e-12.
// Deviation from print: none; eq. (5) says what, not how.
// Cost: O(n·d·ln(1e12)·L/Λ); at most 10^6 steps.
func Minimizer(train []LabelledRecord, l LossFunction, n Regularizer, lambda float64) ([]float64, error) {
	if err := domain("Minimizer", positive("lambda", lambda), labelled("train", train, train)); err != nil {
		return nil, err
	}
	p := make([]float64, len(train[0].X))
	curvature := l.Curvature + lambda*n.Curvature
	for range 1_000_000 {
		g := gradient(p, train, l, n, lambda)
		if norm(g) <= 1e-12 {
			return p, nil
		}
		for i := range p {
			p[i] -= g[i] / curvature
		}
	}
	return nil, fmt.Errorf("Minimizer: lambda is %g, so small that 10^6 steps did not reach the minimum", lambda)
}

// gradient returns the gradient of [Objective].
func gradient(p []float64, train []LabelledRecord, l LossFunction, n Regularizer, lambda float64) []float64 {
	g := n.Gradient(p)
	for i := range g {
		g[i] *= lambda
	}
	for _, r := range train {
		slope := l.Slope(r.Y*dot(p, r.X)) * r.Y / float64(len(train))
		for i := range g {
			g[i] += slope * r.X[i]
		}
	}
	return g
}

// ERMOutputPert returns p̃_min = p_min + q.
//
// A vector with density proportional to e^(−γ‖q‖_2) in ℝ^d has a uniform direction
// and, the sphere of radius r having an area proportional to r^(d−1), a length with
// density proportional to r^(d−1)·e^(−γr).
//
// Source: Hartmann et al. (2022), Algorithm 4; ODP-A4. Comments give its lines.
// Symbols: ε = eps; otherwise as for [Objective].
// Domain: ε and the scale 2/(n^train·Λ·ε) positive and finite; otherwise as for [Minimizer].
// Accuracy: that of [Minimizer].
// Deviation from print: print calls the density of q “element-wise”; the joint density is
// meant. With every coordinate drawn by itself, the loss would be up to √d·ε.
// Cost: that of [Minimizer].
func ERMOutputPert(train []LabelledRecord, eps float64, l LossFunction, n Regularizer, lambda float64,
	noise VectorNoise) ([]float64, error) {
	rate := float64(len(train)) * lambda * eps / 2
	if err := domain("ERMOutputPert", positive("eps", eps), positive("lambda", lambda), labelled("train", train, train),
		positive("scale of the noise", 1/rate)); err != nil {
		return nil, err
	}
	d := len(train[0].X)
	length, direction := noise.Gamma(float64(d), 1/rate), noise.Direction(d) // 1
	pMin, err := Minimizer(train, l, n, lambda)                              // 2
	if err != nil {
		return nil, err
	}
	for i := range pMin {
		pMin[i] += length * direction[i] // 3
	}
	return pMin, nil
}

// ERMSensitivity returns the bound of the L_2-sensitivity of p_min: 2/(n^train·Λ).
//
// Source: Hartmann et al. (2022), Theorem 16; ODP-T16.
// Also in the checks of ODP-E15.
// Symbols: n^train = n, Λ = lambda.
// Domain: n ≥ 1, Λ > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func ERMSensitivity(n int, lambda float64) float64 { return 2 / (float64(n) * lambda) }

func dot(p, x []float64) float64 {
	sum := 0.0
	for i := range p {
		sum += p[i] * x[i]
	}
	return sum
}

func norm(p []float64) float64 { return math.Sqrt(dot(p, p)) }

// labelled is the rule of x^train and of x^test, with as many covariates as x^train has.
func labelled(name string, records, train []LabelledRecord) error {
	if min(len(records), len(train)) == 0 {
		return fmt.Errorf("%s has 0 records, must have at least 1", name)
	}
	d := len(train[0].X)
	for i, r := range records {
		switch {
		case d == 0:
			return fmt.Errorf("%s: record 1 has 0 covariates, must have at least 1", name)
		case len(r.X) != d:
			return fmt.Errorf("%s: record %d has %d covariates, must have %d as record 1 of train",
				name, i+1, len(r.X), d)
		case !(norm(r.X) <= 1+1e-12):
			return fmt.Errorf("%s: record %d: norm of x is %g, must be at most 1", name, i+1, norm(r.X))
		case !(math.Abs(r.Y) <= 1):
			return fmt.Errorf("%s: record %d: y is %g, must be at least -1 and at most 1", name, i+1, r.Y)
		}
	}
	return nil
}
