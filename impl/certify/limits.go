package certify

import "math/big"

// Limits returns the smallest and the largest scale of noise n.
func (n Noise) Limits() (least, most *big.Rat) {
	if n == DiscreteGaussian {
		return new(big.Rat).Set(leastScale), big.NewRat(mostDiscrete, 1)
	}
	return new(big.Rat).Set(leastScale), new(big.Rat).Set(mostScale)
}
