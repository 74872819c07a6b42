package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
)

// LabelProbability returns h'_p(x) = 1/(1 + exp(−p^T x)), the predicted probability
// of the label 1.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Domain: p and x finite, of one dimension. Result in [0, 1].
// Accuracy: float64. The exponential is that of −|p^T x|, which cannot overflow.
// Deviation from print: none.
// Cost: O(d).
func LabelProbability(p, x []float64) (float64, error) {
	if err := checkVectors(p, x); err != nil {
		return 0, fmt.Errorf("LabelProbability: %w", err)
	}
	u := dot(p, x)
	t := math.Exp(-math.Abs(u))
	if u < 0 {
		return t / (1 + t), nil
	}
	return 1 / (1 + t), nil
}

// Score returns h_p(x) = 2·h'_p(x) − 1 = tanh(p^T x/2), whose sign is the predicted
// label.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Domain: p and x finite, of one dimension. Result in [−1, 1].
// Accuracy: float64; tanh keeps the relative accuracy near 0.
// Deviation from print: none.
// Cost: O(d).
func Score(p, x []float64) (float64, error) {
	if err := checkVectors(p, x); err != nil {
		return 0, fmt.Errorf("Score: %w", err)
	}
	return score(p, x), nil
}

func score(p, x []float64) float64 { return math.Tanh(dot(p, x) / 2) }

// PredictionError returns s(p, x^test) = (1/n^test) Σ_{(x,y)} |h_p(x) − y|.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Symbols: x^test = test, n^test = len(test).
// Domain: n^test ≥ 1; ‖x‖_2 ≤ 1, y in [−1, 1], of the dimension of p. Result in [0, 2].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n·d).
func PredictionError(p []float64, test []LabelledRecord) (float64, error) {
	if err := checkTest(p, test); err != nil {
		return 0, fmt.Errorf("PredictionError: %w", err)
	}
	return predictionError(p, test), nil
}

func predictionError(p []float64, test []LabelledRecord) float64 {
	sum := 0.0
	for _, r := range test {
		sum += math.Abs(score(p, r.X) - r.Y)
	}
	return sum / float64(len(test))
}

// Accuracy returns the part of the records whose label sign(h_p(x)) predicts. The
// score 0 predicts no label.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Domain: n^test ≥ 1; ‖x‖_2 ≤ 1, labels −1 and 1, of the dimension of p. Result in [0, 1].
// Accuracy: float64; h_p(x) has the sign of p^T x.
// Deviation from print: none; the paper does not say what sign(0) predicts.
// Cost: O(n·d).
func Accuracy(p []float64, test []LabelledRecord) (float64, error) {
	if err := checkTest(p, test); err != nil {
		return 0, fmt.Errorf("Accuracy: %w", err)
	}
	right := 0
	for _, r := range test {
		if dot(p, r.X)*r.Y > 0 {
			right++
		}
	}
	return float64(right) / float64(len(test)), nil
}

func checkVectors(p, x []float64) error {
	if len(p) != len(x) {
		return fmt.Errorf("p has %d numbers, must have %d as x has", len(p), len(x))
	}
	return cmp.Or(check.AllFinite("p: number", p), check.AllFinite("x: number", x))
}

func checkTest(p []float64, test []LabelledRecord) error {
	if err := checkLabelled("test", test); err != nil {
		return err
	}
	return checkVectors(p, test[0].X)
}

// LogRegWithTest returns p̃_min, or nil for ⊥.
//
// a is computed from [ERMSensitivity], which includes the tolerance of [Minimizer], and
// rounded up. The rounding of s itself, some 2^-50, is not in it.
//
// Source: Hartmann et al. (2022), Algorithm 5; ODP-A5. Comments give its lines.
// Symbols: x^train = train, x^test = test, ε_1 = eps1, ε_2 = eps2, Λ = lambda.
// Domain: ε_1, ε_2 > 0; t finite; train and test have records with ‖x‖_2 ≤ 1 and y in [−1, 1], of one dimension; Λ > 0,
// n^train·Λ from 0.01 to 1e12.
// Accuracy: that of [Minimizer].
// Deviation from print: a is larger, by a relative 2^-18 for n·Λ ≥ 1.
// Cost: that of [Minimizer].
func LogRegWithTest(train, test []LabelledRecord, eps1, eps2, lambda, t float64, noise VectorNoise) ([]float64, error) {
	r, err := NewLogRegRuns(train, test, eps1, eps2, lambda, t)
	if err = cmp.Or(err, check.NotNil("noise", noise)); err != nil {
		return nil, fmt.Errorf("LogRegWithTest: %w", err)
	}
	return r.Draw(noise), nil
}

// LogRegWithTightTest is [LogRegWithTest] with the bound of [TightErrorSensitivity] in a:
// as private, with up to a quarter of the noise.
//
// Source: none; sharper than Hartmann et al. (2022), Algorithm 5; ODP-A5, ODP-T17.
// Symbols, accuracy and cost: as for [LogRegWithTest].
// Domain: ε_1, ε_2 > 0; t finite; train and test have records with ‖x‖_2 ≤ 1 and y in [−1, 1], of one dimension; Λ > 0,
// n^train·Λ from 0.01 to 1e12.
func LogRegWithTightTest(train, test []LabelledRecord, eps1, eps2, lambda, t float64,
	noise VectorNoise) ([]float64, error) {
	tight := func(w *big.Rat) interval.Interval { n := interval.Precision(testBits); return twiceTanh(n, n.Rat(w)) }
	r, err := newLogRegRuns(train, test, eps1, eps2, lambda, t, tight)
	if err = cmp.Or(err, check.NotNil("noise", noise)); err != nil {
		return nil, fmt.Errorf("LogRegWithTightTest: %w", err)
	}
	return r.Draw(noise), nil
}

// LogRegRuns is [LogRegWithTest] on one database: p̂ is found once for many runs.
type LogRegRuns struct {
	train    ERMRuns
	test     []LabelledRecord
	scale, t float64 // a/ε_2, t
}

// NewLogRegRuns finds p̂ and a.
//
// Source, symbols, accuracy and cost: as for [LogRegWithTest].
// Domain: ε_1, ε_2 > 0; t finite; train and test have records with ‖x‖_2 ≤ 1 and y in [−1, 1], of one dimension; Λ > 0,
// n^train·Λ from 0.01 to 1e12.
func NewLogRegRuns(train, test []LabelledRecord, eps1, eps2, lambda, t float64) (LogRegRuns, error) {
	return newLogRegRuns(train, test, eps1, eps2, lambda, t, printedError)
}

// newLogRegRuns takes the sensitivity of s for parameters that are w apart.
func newLogRegRuns(train, test []LabelledRecord, eps1, eps2, lambda, t float64,
	sensitivity func(w *big.Rat) interval.Interval) (LogRegRuns, error) {
	if err := checkReleaseTest(train, test, eps2, t); err != nil {
		return LogRegRuns{}, err
	}
	p, err := NewERMRuns(train, eps1, lambda)
	if err != nil {
		return LogRegRuns{}, err
	}
	w := new(big.Rat).SetFloat64(ermSensitivity(len(train), lambda))
	a := max(interval.Point(2).Quo(interval.Point(float64(len(test)))).Hi, sensitivity(w).Float().Hi) // 2
	scale := interval.Point(a).Quo(interval.Point(eps2)).Hi
	if math.IsInf(scale, 1) {
		return LogRegRuns{}, fmt.Errorf("ε_2 is %g, must be large enough for a/ε_2 to be a float64, a = %g", eps2, a)
	}
	own := slices.Clone(test)
	for i := range own {
		own[i].X = slices.Clone(own[i].X)
	}
	return LogRegRuns{p, own, scale, t}, nil
}

// Draw makes one run, and returns its output: p̃_min, or nil for ⊥. It panics if noise is nil.
func (r LogRegRuns) Draw(noise VectorNoise) []float64 {
	p := r.train.Draw(noise)                 // 1
	z := noise.Laplace(r.scale)              // 3
	if predictionError(p, r.test)+z <= r.t { // 4
		return p // 5
	}
	return nil // 6
}

func checkReleaseTest(train, test []LabelledRecord, eps2, t float64) error {
	err := cmp.Or(check.Positive("ε_2", eps2), check.Finite("t", t), checkLabelled("train", train),
		checkLabelled("test", test))
	if err == nil && len(test[0].X) != len(train[0].X) {
		err = fmt.Errorf("test: record 1 has %d covariates, must have %d as train has", len(test[0].X), len(train[0].X))
	}
	return err
}
