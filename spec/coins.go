package spec

import "math/big"

// Coins is where an exact sampler's randomness comes from: independent draws with rational
// probabilities. It is injected, so that all draws can be gone through, and two programs be
// run on the same ones.
type Coins interface {
	Bernoulli(p *big.Rat) bool // true with probability p, from 0 to 1
	Below(n *big.Int) *big.Int // 0, 1, …, n − 1 with probability 1/n each, n ≥ 1
}
