package impl

import (
	"fmt"
	"math"
)

// ReportNoisyMax adds Lap(1/ε) to each count and returns the index of the largest noisy
// count, the first of them if there are more. It makes the draws of spec.ReportNoisyMax in
// the same order, and keeps only the largest.
//
// Source: Dwork and Roth (2014), Section 3.3, Report Noisy Max; AFD-U2.
// Symbols, domain and deviation from print: as for spec.ReportNoisyMax.
// Accuracy: float64, by the same operations in the same order.
// Cost: O(m); no allocation.
func ReportNoisyMax(counts []float64, eps float64, noise Noise) (index int, err error) {
	scale, err := laplaceScale(1, eps)
	if err != nil {
		return 0, fmt.Errorf("ReportNoisyMax: %w", err)
	}
	if len(counts) == 0 {
		return 0, fmt.Errorf("ReportNoisyMax: there are 0 counts, must be at least 1")
	}
	largest := math.Inf(-1)
	for i, count := range counts {
		if math.IsNaN(count) || math.IsInf(count, 0) {
			return 0, fmt.Errorf("ReportNoisyMax: count %d is %g, must be finite", i+1, count)
		}
		if noisy := count + noise.Laplace(scale); noisy > largest {
			index, largest = i, noisy
		}
	}
	return index, nil
}
