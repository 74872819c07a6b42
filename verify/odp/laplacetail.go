package odp

import "math"

// laplaceAtLeast returns Pr(X ≥ y) for X ~ Lap(scale), for checks that trust neither room with it.
func laplaceAtLeast(y, scale float64) float64 {
	if y >= 0 {
		return math.Exp(-y/scale) / 2
	}
	return 1 - math.Exp(y/scale)/2
}

// laplaceDensity returns the density of Lap(scale) at y.
func laplaceDensity(y, scale float64) float64 { return math.Exp(-math.Abs(y)/scale) / (2 * scale) }

// differenceAtLeast returns Pr(ν − ρ ≥ y) for ν ~ Lap(s) and ρ ~ Lap(b), s ≠ b: the density is that of partial
// fractions of 1/((1 + s²ω²)(1 + b²ω²)).
func differenceAtLeast(y, s, b float64) float64 {
	return (s*s*laplaceAtLeast(y, s) - b*b*laplaceAtLeast(y, b)) / (s*s - b*b)
}

// ninePlaces rounds a ratio of float64 numbers to what does not depend on the machine.
func ninePlaces(ratio float64) float64 { return math.Round(ratio*1e9) / 1e9 }

// isNear reports whether x and y are equal but for a relative error, which is how far float64 is trusted.
func isNear(x, y, relative float64) bool {
	return math.Abs(x-y) <= relative*min(math.Abs(x), math.Abs(y))
}
