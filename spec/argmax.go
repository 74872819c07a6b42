package spec

import (
	"math"
	"math/big"
)

// OneSidedArgMax adds noise to the utility of each output, from the one-sided exponential distribution, and returns the
// index of the largest sum, the first of them if there are more.
//
// Source: Dwork and Roth (2014), Section 3.4, Report One-Sided Noisy Arg-Max; AFD-U6.
// Symbols: Δu = sensitivity, ε = eps. The parameter of the noise is ε/Δu for a monotonic utility, ε/(2Δu) for others:
// its mean is the inverse of that. It is |Lap(mean)|.
// Domain: at least one output; utilities finite; Δu, ε and the mean positive and finite. That Δu is the sensitivity,
// and u monotonic, is the caller's word.
// Accuracy: float64.
// Deviation from print: print says nothing of ties.
// Cost: O(|R|).
func OneSidedArgMax(utilities []float64, sensitivity, eps float64, monotonic bool, noise Noise) (index int, err error) {
	mean := 2 * sensitivity / eps
	if monotonic {
		mean = sensitivity / eps
	}
	if err := domain("OneSidedArgMax", positive("sensitivity", sensitivity), positive("eps", eps),
		positive("mean of the noise", mean), must(len(utilities) > 0, "there are 0 utilities, must be at least 1"),
		allFinite("utility", utilities)); err != nil {
		return 0, err
	}
	noisy := make([]float64, len(utilities))
	for r, u := range utilities {
		noisy[r] = u + math.Abs(noise.Laplace(mean))
	}
	for r := range noisy {
		if noisy[r] > noisy[index] {
			index = r
		}
	}
	return index, nil
}

// OneSidedLaw returns the probability of every output of [OneSidedArgMax].
//
// Let λ be the parameter, M the largest utility, and q_r = e^−λ(M − u_r). Output r needs noise of at least M − u_r,
// which it has with probability q_r, and what it has beyond that is exponential again: s. Another output j is then
// above it with probability q_j·e^−λs. All are below with probability ∏(1 − w·q_j), where w = e^−λs is uniform, and its
// mean is, by inclusion and exclusion, the sum over sets S of others of (−1)^|S|·∏_S q_j/(|S| + 1).
//
// Source: Dwork and Roth (2014), Section 3.4, Report One-Sided Noisy Arg-Max. In the checks of AFD-X10 and AFD-T3.13.
// Symbols: e^λ = base, u_r = utilities[r].
// Domain: base ≥ 1; at least one output, utilities whole numbers. The result sums to 1.
// Accuracy: exact.
// Deviation from print: utilities are whole numbers; print gives no law.
// Cost: O(2^|R|·|R|).
func OneSidedLaw(base *big.Rat, utilities []int) []*big.Rat {
	most := utilities[0]
	for _, u := range utilities {
		most = max(most, u)
	}
	var law []*big.Rat
	for r := range utilities {
		mean := new(big.Rat)
		for set := range 1 << len(utilities) {
			if set>>r&1 == 0 {
				mean = add(mean, allAbove(base, utilities, most, set))
			}
		}
		law = append(law, mul(power(base, utilities[r]-most), mean))
	}
	return law
}

// allAbove returns (−1)^|S|·∏_S q_j/(|S| + 1) for a set S of bits.
func allAbove(base *big.Rat, utilities []int, most, set int) *big.Rat {
	term, size := one, int64(0)
	for j, u := range utilities {
		if set>>j&1 == 1 {
			term, size = mul(term, sub(new(big.Rat), power(base, u-most))), size+1
		}
	}
	return quo(term, big.NewRat(size+1, 1))
}
