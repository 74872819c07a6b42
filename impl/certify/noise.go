package certify

import (
	"math/big"

	"checkrr/impl/certify/noise"
)

// What mechanisms are made of whose losses are on no lattice: see package noise.
type (
	Additive    = noise.Additive
	Noise       = noise.Noise
	Losses      = noise.Losses
	ExcessError = noise.ExcessError
)

// Laws of noise.
const (
	Gaussian         = noise.Gaussian
	Laplace          = noise.Laplace
	DiscreteGaussian = noise.DiscreteGaussian
	GDP              = noise.GDP
)

// Limits of losses.
const (
	MaxLosses  = noise.MaxLosses
	MaxLoss    = noise.MaxLoss
	MostLoss   = noise.MostLoss
	MostExcess = noise.MostExcess
)

// NewLosses returns the mechanism with the P-masses of losses, see [noise.NewLosses].
func NewLosses(list [][2]*big.Rat) (*Losses, error) { return noise.NewLosses(list) }

// SumOf returns the sum of numbers that have a common denominator of no more than 2^18 bits, as a ratio that is not
// in lowest terms.
func SumOf(xs []*big.Rat) (num, denom *big.Int, err error) { return noise.SumOf(xs) }
