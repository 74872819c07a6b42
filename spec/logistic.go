package spec

import "math"

// LogisticLoss is l_LogReg(z) = ln(1 + e^(−z)), with l'(z) = −1/(1 + e^z) and
// l” ≤ 1/4.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Domain: |z| ≤ 700.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func LogisticLoss() LossFunction {
	return LossFunction{
		Value:     func(z float64) float64 { return math.Log(1 + math.Exp(-z)) },
		Slope:     func(z float64) float64 { return -1 / (1 + math.Exp(z)) },
		Curvature: 1.0 / 4,
	}
}

// L2Regularizer is N_{L_2}(p) = (1/2)·(‖p‖_2)^2.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Domain: any p.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(d).
func L2Regularizer() Regularizer {
	return Regularizer{
		Value:     func(p []float64) float64 { return norm(p) * norm(p) / 2 },
		Gradient:  func(p []float64) []float64 { return append([]float64(nil), p...) },
		Curvature: 1,
	}
}

// LabelProbability returns h'_p(x) = 1/(1 + exp(−p^T x)), the predicted probability
// of the label 1.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Domain: p and x of one dimension. Result in [0, 1].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(d).
func LabelProbability(p, x []float64) float64 { return 1 / (1 + math.Exp(-dot(p, x))) }

// Score returns h_p(x) = 2·h'_p(x) − 1, whose sign is the predicted label.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Also in the checks of ODP-E14.
// Domain: p and x of one dimension. Result in [−1, 1].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(d).
func Score(p, x []float64) float64 { return 2*LabelProbability(p, x) - 1 }

// PredictionError returns s(p, x^test) = (1/n^test) Σ_{(x,y)} |h_p(x) − y|.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Also in the checks of ODP-E14.
// Symbols: x^test = test, n^test = len(test).
// Domain: n^test ≥ 1. Result in [0, 2].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(n·d).
func PredictionError(p []float64, test []LabelledRecord) float64 {
	sum := 0.0
	for _, r := range test {
		sum += math.Abs(Score(p, r.X) - r.Y)
	}
	return sum / float64(len(test))
}

// Accuracy returns the part of the records whose label sign(h_p(x)) predicts. The
// score 0 predicts no label.
//
// Source: Hartmann et al. (2022), Section 6.1; ODP-X27.
// Domain: n^test ≥ 1, labels −1 and 1. Result in [0, 1].
// Accuracy: float64.
// Deviation from print: none; the paper does not say what sign(0) predicts.
// Cost: O(n·d).
func Accuracy(p []float64, test []LabelledRecord) float64 {
	right := 0
	for _, r := range test {
		if Score(p, r.X)*r.Y > 0 {
			right++
		}
	}
	return float64(right) / float64(len(test))
}

// LogRegWithTest returns p̃_min, or nil for ⊥.
//
// Source: Hartmann et al. (2022), Algorithm 5; ODP-A5. Comments give its lines.
// Also in the checks of ODP-F2.
// Symbols: x^train = train, x^test = test, ε_1 = eps1, ε_2 = eps2, Λ = lambda.
// Domain: ε_1, ε_2 > 0; a/ε_2 and t finite; train and test as train in [Minimizer], of one
// dimension.
// Accuracy: that of [Minimizer].
// Deviation from print: none.
// Cost: that of [Minimizer].
func LogRegWithTest(train, test []LabelledRecord, eps1, eps2, lambda, t float64, noise VectorNoise) ([]float64, error) {
	if err := domain("LogRegWithTest", positive("eps2", eps2), positive("lambda", lambda), finite("t", t),
		labelled("train", train, train), labelled("test", test, train),
		positive("scale of the noise", ReleaseTestScale(len(train), len(test), lambda)/eps2)); err != nil {
		return nil, err
	}
	p, err := ERMOutputPert(train, eps1, LogisticLoss(), L2Regularizer(), lambda, noise) // 1
	if err != nil {
		return nil, err
	}
	a := ReleaseTestScale(len(train), len(test), lambda) // 2
	r := noise.Laplace(a / eps2)                         // 3
	if PredictionError(p, test)+r <= t {                 // 4
		return p, nil // 5
	}
	return nil, nil // 6
}
