package spec

import "math/big"

// Mechanism holds the parameters of an (ε, δ)-DP mechanism, nothing else.
type Mechanism struct {
	ExpEps *big.Rat // e^ε, at least 1
	Delta  *big.Rat // δ, in [0, 1]
}

// RandomizedResponse returns the table of the randomized response M̃_(ε,δ): at
// [b][z] the probability Pr(M̃_(ε,δ)(b) = z).
//
// Source: Hartmann et al. (2022), Lemma 12; ODP-L12. Whitehouse et al. (2023),
// Definition 7; FAC-D7.
// Also in the checks of ODP-X17, ODP-X19, FAC-X28, FAC-L10, FAC-L11, FAC-X29, FAC-X32, OUR-X2 and
// OUR-X3.
// Symbols: e^ε = m.ExpEps, δ = m.Delta. The outputs 0 to 3 are ⊥, 0, 1 and ⊤ of FAC-D7.
// Domain: e^ε ≥ 1, δ in [0, 1]. Each row lies in [0, 1] and sums to 1.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1). The result may share numbers with m; do not modify them.
func RandomizedResponse(m Mechanism) [2][4]*big.Rat {
	zero := new(big.Rat)
	delta := m.Delta
	rest := sub(one, delta)
	likely := quo(mul(rest, m.ExpEps), add(one, m.ExpEps))
	unlikely := quo(rest, add(one, m.ExpEps))
	return [2][4]*big.Rat{
		{delta, likely, unlikely, zero},
		{zero, unlikely, likely, delta},
	}
}

// ResponseLaw returns the law of (M̃_(ε_1,δ_1)(b), …, M̃_(ε_k,δ_k)(b)) for b = 0
// and b = 1. Its keys are all of {0,1,2,3}^k, written as strings of digits; a
// sequence that cannot occur has probability 0.
//
// Source: Hartmann et al. (2022), Theorem 15, the definition of Pr_b^[k]; ODP-T15.
// Also in the checks of ODP-X4, ODP-X23, FAC-X3 and FAC-X30.
// Symbols: (ε_j, δ_j) = mechanisms[j−1], k = len(mechanisms).
// Domain: that of [RandomizedResponse]. Each law sums to 1.
// Accuracy: exact.
// Deviation from print: none; Pr_b^[k](Q) is the sum of the law over Q.
// Cost: O(k·4^k).
func ResponseLaw(mechanisms []Mechanism) [2]map[string]*big.Rat {
	law := [2]map[string]*big.Rat{{}, {}}
	for b := range law {
		for _, q := range sequences(len(mechanisms)) {
			law[b][q] = one
			for k, m := range mechanisms {
				law[b][q] = mul(law[b][q], RandomizedResponse(m)[b][q[k]-'0'])
			}
		}
	}
	return law
}

// sequences returns {0,1,2,3}^k as strings of digits, in lexical order.
func sequences(k int) []string {
	if k == 0 {
		return []string{""}
	}
	var all []string
	for _, q := range sequences(k - 1) {
		all = append(all, q+"0", q+"1", q+"2", q+"3")
	}
	return all
}

// RespondByCoins answers a yes/no question about the truth, with two coins.
//
// Source: Dwork and Roth (2014), Section 3.2, randomized response; AFD-U1.
// Also in the checks of AFD-X1 and AFD-C3.5.
// Symbols: heads flips a coin. Result: whether the answer is “Yes”.
// Domain: any coin.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(1).
func RespondByCoins(truth bool, heads func() bool) (yes bool) {
	if !heads() { // 1. flip a coin; 2. if tails: answer truthfully
		return truth
	}
	return heads() // 3. if heads: flip a second coin, “Yes” if heads, “No” if tails
}
