package spec

import (
	"math"
	"math/big"
)

// ExponentialLaw returns Pr[M_E(x,u,R) = r] for every r, which is proportional to exp(ε·u(x,r)/(2Δu)).
//
// Source: Dwork and Roth (2014), Definition 3.4; AFD-D3.4.
// Also in the checks of AFD-X6, AFD-X7, AFD-T3.10, AFD-T3.11, AFD-X8, AFD-K3.12, AFD-E3.6 and AFD-T3.13.
// Symbols: exp(ε/(2Δu)) = base, u(x,r) = utilities[r].
// Domain: base > 0; at least one output, utilities whole numbers. The result sums to 1.
// Accuracy: exact.
// Deviation from print: utilities are whole numbers.
// Cost: O(|R|·max |u|) multiplications.
func ExponentialLaw(base *big.Rat, utilities []int) []*big.Rat {
	sum := new(big.Rat)
	for _, u := range utilities {
		sum = add(sum, power(base, u))
	}
	var law []*big.Rat
	for _, u := range utilities {
		law = append(law, quo(power(base, u), sum))
	}
	return law
}

// ExponentialMechanism runs M_E(x,u,R) and returns the index of its output: a point of the sum of all
// exp(ε·u(x,r)/(2Δu)), uniformly drawn, is in the part of one of them.
//
// Source: Dwork and Roth (2014), Definition 3.4; AFD-D3.4.
// Symbols: u(x,r) = utilities[r], Δu = sensitivity, ε = eps. |Lap(1)| is exponential, so that e^−|Lap(1)| is uniform.
// Domain: at least one output; utilities finite; Δu, ε and ε/(2Δu) positive and finite, and so the sum.
// Accuracy: float64: a part that is small beside the sum of those before it can be lost in it, or have another size.
// Deviation from print: none; print does not say how to draw.
// Cost: O(|R|); one draw.
func ExponentialMechanism(utilities []float64, sensitivity, eps float64, noise Noise) (index int, err error) {
	sum := 0.0
	var upTo []float64 // sums of the first weights
	for _, u := range utilities {
		sum += math.Exp(eps * u / (2 * sensitivity))
		upTo = append(upTo, sum)
	}
	if err := domain("ExponentialMechanism", positive("sensitivity", sensitivity), positive("eps", eps),
		positive("eps/(2·sensitivity)", eps/(2*sensitivity)),
		must(len(utilities) > 0, "there are 0 utilities, must be at least 1"), allFinite("utility", utilities),
		positive("sum of the weights", sum)); err != nil {
		return 0, err
	}
	point := math.Exp(-math.Abs(noise.Laplace(1))) * sum
	for upTo[index] < point {
		index++
	}
	return index, nil
}

// ExponentialShortfall returns (2Δu/ε)·(ln(|R|/|R_OPT|) + ln(1/β)): with a probability of at most β the utility of what
// [ExponentialMechanism] returns is that far below the largest, or farther.
//
// Source: Dwork and Roth (2014), Theorem 3.11, and Corollary 3.12 for |R_OPT| = 1; AFD-T3.11, AFD-K3.12.
// Also in the checks of AFD-X8.
// Symbols: |R| = outputs, |R_OPT| = optimal, e^−t = β = beta, Δu = sensitivity, ε = eps.
// Domain: 1 ≤ |R_OPT| ≤ |R|; β in (0, 1], Δu and ε positive.
// Accuracy: float64.
// Deviation from print: t is given by the probability.
// Cost: O(1).
func ExponentialShortfall(outputs, optimal int, beta, sensitivity, eps float64) float64 {
	return 2 * sensitivity / eps * (math.Log(float64(outputs)/float64(optimal)) + math.Log(1/beta))
}

// Revenue returns what is earned at a price: as often the price as there are bids of at least that.
//
// Source: Dwork and Roth (2014), Example 3.5; AFD-E3.5.
// Also in the checks of AFD-X7 and AFD-U5.
// Symbols: the bidders' most are bids.
// Domain: bids and price at least 0.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(bids).
func Revenue(bids []*big.Rat, price *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, bid := range bids {
		if bid.Cmp(price) >= 0 {
			sum = add(sum, price)
		}
	}
	return sum
}
