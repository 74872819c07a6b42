package spec

import "math/big"

// BernoulliExp returns a sample from Bernoulli(exp(−γ)): true for 1.
//
// Source: docs/exact-noise.md, Algorithm 1: Canonne, Kamath and Steinke (2020), Algorithm 1; OUR-A1.
// Comments give its lines.
// Symbols: γ = gamma.
// Domain: γ ≥ 0.
// Accuracy: exact.
// Deviation from print: none.
// Cost: at most 8 coins, on average.
func BernoulliExp(gamma *big.Rat, coins Coins) (bool, error) {
	if err := domain("BernoulliExp", notBelow("gamma", gamma, 0)); err != nil {
		return false, err
	}
	return bernoulliExp(gamma, coins), nil
}

func bernoulliExp(gamma *big.Rat, coins Coins) bool {
	if gamma.Cmp(one) <= 0 { // if γ ∈ [0, 1] then
		k := int64(1)                                       // Set K ← 1.
		for coins.Bernoulli(quo(gamma, big.NewRat(k, 1))) { // Sample A ← Bernoulli(γ/K). if A = 0 then break the loop.
			k++ // if A = 1 then set K ← K + 1 and continue the loop.
		}
		return k%2 == 1 // if K is odd then return 1. if K is even then return 0.
	}
	whole := wholePart(gamma)
	for k := big.NewInt(1); k.Cmp(whole) <= 0; k.Add(k, big.NewInt(1)) { // for k = 1 to ⌊γ⌋ do
		if !bernoulliExp(one, coins) { // Sample B ← Bernoulli(exp(−1)). if B = 0 then break the loop and return 0.
			return false
		}
	}
	return bernoulliExp(sub(gamma, new(big.Rat).SetInt(whole)), coins) // Sample C ← Bernoulli(exp(⌊γ⌋ − γ)). return C.
}

// wholePart returns ⌊x⌋ for x ≥ 0.
func wholePart(x *big.Rat) *big.Int { return new(big.Int).Quo(x.Num(), x.Denom()) }

// DiscreteLaplace returns a sample from Lap_ℤ(t/s), where x has a probability proportional to e^(−|x|·s/t).
//
// Source: docs/exact-noise.md, Algorithm 2: Canonne, Kamath and Steinke (2020), Algorithm 2; OUR-A2.
// Comments give its lines.
// Symbols: t/s = scale, in lowest terms.
// Domain: scale > 0.
// Accuracy: exact.
// Deviation from print: none.
// Cost: some 10 coins, on average; any t will do.
func DiscreteLaplace(scale *big.Rat, coins Coins) (*big.Int, error) {
	if err := domain("DiscreteLaplace", aboveZero("scale", scale)); err != nil {
		return nil, err
	}
	return discreteLaplace(scale.Denom(), scale.Num(), coins), nil
}

func discreteLaplace(s, t *big.Int, coins Coins) *big.Int {
	for { // loop
		u := coins.Below(t) // Sample U ∈ {0, 1, …, t − 1} uniformly at random.
		// Sample D ← Bernoulli(exp(−U/t)). if D = 0 then reject and restart.
		if !bernoulliExp(new(big.Rat).SetFrac(u, t), coins) {
			continue
		}
		v := new(big.Int)              // Initialize V ← 0.
		for bernoulliExp(one, coins) { // Sample A ← Bernoulli(exp(−1)). if A = 0 then break the loop.
			v.Add(v, big.NewInt(1)) // if A = 1 then set V ← V + 1 and continue.
		}
		x := new(big.Int).Add(u, new(big.Int).Mul(t, v)) // Set X ← U + t·V.
		y := new(big.Int).Quo(x, s)                      // Set Y ← ⌊X/s⌋.
		b := coins.Bernoulli(big.NewRat(1, 2))           // Sample B ← Bernoulli(1/2).
		switch {
		case b && y.Sign() == 0: // if B = 1 and Y = 0 then reject and restart.
		case b: // return Z ← (1 − 2B)·Y.
			return y.Neg(y)
		default:
			return y
		}
	}
}

// DiscreteLaplaceMechanism returns f(x) + (Y_1, …, Y_k), where each Y_i ~ Lap_ℤ(Δf/ε).
//
// Source: docs/exact-noise.md, Theorem 1; OUR-T5.
// Symbols: f(x) = value, Δf = sensitivity, ε = eps.
// Domain: Δf, ε > 0. That f has this sensitivity, in ‖·‖_1, is the caller's word.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(k).
func DiscreteLaplaceMechanism(value []*big.Int, sensitivity, eps *big.Rat, coins Coins) ([]*big.Int, error) {
	if err := domain("DiscreteLaplaceMechanism", aboveZero("sensitivity", sensitivity), aboveZero("eps", eps),
		allPresent("number", value)); err != nil {
		return nil, err
	}
	scale := quo(sensitivity, eps)
	var output []*big.Int
	for _, f := range value {
		output = append(output, new(big.Int).Add(f, discreteLaplace(scale.Denom(), scale.Num(), coins)))
	}
	return output, nil
}
