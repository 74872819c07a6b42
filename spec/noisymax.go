package spec

// ReportNoisyMax adds noise to each count and returns the index of the largest noisy
// count, the first of them if there are more.
//
// Source: Dwork and Roth (2014), Section 3.3, Report Noisy Max; AFD-U2.
// Also in the checks of AFD-E3.4, AFD-X5, AFD-C3.9, AFD-X9 and AFD-X16.
// Symbols: m = len(counts), ε = eps; the noise is Lap(1/ε).
// Domain: m ≥ 1, counts finite; ε and 1/ε positive and finite. That one record changes
// each count by at most 1, all in the same direction, is the caller's word.
// Result in [0, m): the index from 0.
// Accuracy: float64.
// Deviation from print: print ignores ties.
// Cost: O(m).
func ReportNoisyMax(counts []float64, eps float64, noise Noise) (index int, err error) {
	if err := domain("ReportNoisyMax", positive("eps", eps), positive("scale of the noise", 1/eps),
		must(len(counts) > 0, "there are 0 counts, must be at least 1"), allFinite("count", counts)); err != nil {
		return 0, err
	}
	noisy := make([]float64, len(counts))
	for i, count := range counts {
		noisy[i] = count + noise.Laplace(1/eps)
	}
	for i := range noisy {
		if noisy[i] > noisy[index] {
			index = i
		}
	}
	return index, nil
}
