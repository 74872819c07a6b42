package spec

import "math"

// AdditiveChernoff returns e^(−2mε²): the mean S of m independent variables in [0, 1] is more than μ + ε, or less than
// μ − ε, each with at most that probability.
//
// Source: Dwork and Roth (2014), Theorem 3.1; AFD-T3.1.
// Symbols: ε = eps.
// Domain: m ≥ 1; ε ≥ 0, of which print says nothing; below 0 it is no bound.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func AdditiveChernoff(m int, eps float64) float64 { return math.Exp(-2 * float64(m) * eps * eps) }

// MultiplicativeChernoff returns e^(−mμε²/3) and e^(−mμε²/2): the mean S is more than (1 + ε)μ with at most the first
// probability, and less than (1 − ε)μ with at most the second.
//
// Source: Dwork and Roth (2014), Theorem 3.2; AFD-T3.2.
// Symbols: μ = mu, ε = eps.
// Domain: m ≥ 1, μ in [0, 1]; ε ≥ 0, of which print says nothing; above 1 the first does not hold.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func MultiplicativeChernoff(m int, mu, eps float64) (above, below float64) {
	return math.Exp(-float64(m) * mu * eps * eps / 3), math.Exp(-float64(m) * mu * eps * eps / 2)
}

// Azuma returns exp(−2t²/Σ c_i²): f is at least E[f] + t with at most that probability, if X_i changes it by at most
// c_i.
//
// Source: Dwork and Roth (2014), Theorem 3.3; AFD-T3.3.
// Symbols: c_i = c[i−1].
// Domain: t ≥ 0, of which print says nothing; below 0 it is no bound. Some c_i > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(m).
func Azuma(t float64, c []float64) float64 {
	sum := 0.0
	for _, ci := range c {
		sum += ci * ci
	}
	return math.Exp(-2 * t * t / sum)
}

// AzumaSum returns kβ + z√k·α and e^(−z²/2): C_1 + … + C_k exceeds the first with at most the second probability, if
// |C_i| ≤ α and the mean of C_i given those before is at most β.
//
// Source: Dwork and Roth (2014), Lemma 3.19; AFD-L3.19.
// Symbols: α = alpha, β = beta.
// Domain: k ≥ 1, α ≥ 0, z > 0.
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func AzumaSum(k int, alpha, beta, z float64) (threshold, probability float64) {
	return float64(k)*beta + z*math.Sqrt(float64(k))*alpha, math.Exp(-z * z / 2)
}

// Stirling returns the bounds √(2nπ)·(n/e)^n·e^(1/(12n+1)) and √(2nπ)·(n/e)^n·e^(1/(12n)) of n!.
//
// Source: Dwork and Roth (2014), Theorem 3.4; AFD-T3.4.
// Domain: n in [1, 140].
// Accuracy: float64.
// Deviation from print: none.
// Cost: O(1).
func Stirling(n int) (lower, upper float64) {
	x := float64(n)
	about := math.Sqrt(2*x*math.Pi) * math.Pow(x/math.E, x)
	return about * math.Exp(1/(12*x+1)), about * math.Exp(1/(12*x))
}
