package impl

// RespondByCoins answers a yes/no question about the truth, with one or two coins, as spec.RespondByCoins. It
// panics if heads is nil.
//
// Source: Dwork and Roth (2014), Section 3.2, randomized response; AFD-U1.
// Also in the checks of AFD-X1 and AFD-C3.5.
// Symbols, accuracy, deviation from print and cost: as for spec.RespondByCoins.
// Domain: any coin.
func RespondByCoins(truth bool, heads func() bool) (yes bool) {
	forced := heads()
	return forced && heads() || !forced && truth
}
