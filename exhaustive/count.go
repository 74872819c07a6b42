package exhaustive

import "math/big"

// Count goes through all outcomes of independent {0,1} variables, and returns how likely each sum is.
//
// Source: Liu and Talwar (2019), Lemmas A.4 and A.5. In the checks of PSC-LA.4, PSC-LA.5 and PSC-X12.
// Symbols: Pr[X_i = 1] = ones[i−1].
// Accuracy: exact.
// Cost: O(2^n) for n variables.
func Count(ones []*big.Rat) []*big.Rat {
	law := zeros(len(ones) + 1)
	var toss func(i, sum int, reached *big.Rat)
	toss = func(i, sum int, reached *big.Rat) {
		if i == len(ones) {
			law[sum].Add(law[sum], reached)
			return
		}
		toss(i+1, sum+1, new(big.Rat).Mul(reached, ones[i]))
		toss(i+1, sum, new(big.Rat).Mul(reached, new(big.Rat).Sub(big.NewRat(1, 1), ones[i])))
	}
	toss(0, 0, big.NewRat(1, 1))
	return law
}
