package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// ExponentialLaw returns Pr[M_E(x,u,R) = r] for every r: exp(ε·(u(x,r) − OPT)/(2Δu)) over their sum. The largest
// utility is taken off first, so that no weight is more than 1, and one is 1.
//
// Source: Dwork and Roth (2014), Definition 3.4; AFD-D3.4.
// Also in the checks of AFD-X6, AFD-T3.10, AFD-T3.11, AFD-X8, AFD-K3.12, AFD-E3.6, AFD-T3.13 and PSC-T5.2a.
// Symbols: u(x,r) = utilities[r], Δu = sensitivity, ε = eps.
// Domain: at least one output; Δu and ε positive.
// Accuracy: each interval contains the probability; relative width about 2^-220, unless that is below e^(−2^25): then
// the lower end is 0.
// Deviation from print: none.
// Cost: O(|R|); an exponential for each different utility.
func ExponentialLaw(utilities []*big.Rat, sensitivity *big.Rat, eps loss.Epsilon) ([]interval.Interval, error) {
	best, err := largestOf(utilities)
	if err = cmp.Or(err, checkAccuracy(rational.One, sensitivity, eps)); err != nil {
		return nil, fmt.Errorf("ExponentialLaw: %w", err)
	}
	const n = interval.Precision(256)
	rate := n.Quo(loss.Enclose(eps, n), n.Rat(new(big.Rat).Add(sensitivity, sensitivity)))
	known := map[string]interval.Interval{}
	law, sum := make([]interval.Interval, len(utilities)), n.Int(0)
	for r, u := range utilities {
		key := u.RatString()
		if _, ok := known[key]; !ok {
			known[key] = n.Exp(n.Mul(rate, n.Rat(new(big.Rat).Sub(u, best))))
		}
		law[r] = known[key]
		sum = n.Add(sum, law[r])
	}
	for r := range law {
		law[r] = n.Quo(law[r], sum)
	}
	return law, nil
}

// largestOf returns OPT.
func largestOf(utilities []*big.Rat) (*big.Rat, error) {
	if len(utilities) == 0 {
		return nil, fmt.Errorf("there are 0 utilities, must be at least 1")
	}
	if r := slices.Index(utilities, nil); r >= 0 {
		return nil, fmt.Errorf("utility %d is missing, must be a number", r+1)
	}
	return slices.MaxFunc(utilities, (*big.Rat).Cmp), nil
}

// ExponentialMechanism runs M_E(x,u,R) and returns the index of its output. It makes the draw of
// spec.ExponentialMechanism.
//
// The weights are exp(ε·(u(x,r) − OPT)/(2Δu)): none overflows, whatever the utilities are. They are not kept, but for
// the sums of 256 blocks: the point that is drawn is in one of these, whose weights are then computed again.
//
// Source: Dwork and Roth (2014), Definition 3.4; AFD-D3.4.
// Symbols and deviation from print: as for spec.ExponentialMechanism.
// Domain: that of spec.ExponentialMechanism, but the sum of the weights may be any.
// Accuracy: float64; the sum of the weights has fewer roundings than one after the other. Where these matter, next to
// the border of two parts, the output can be another than that of spec.
// Cost: O(|R|), an exponential each; one draw; no allocation.
func ExponentialMechanism(utilities []float64, sensitivity, eps float64, random noise.Source) (index int, err error) {
	_, err = laplaceScale(sensitivity, eps)
	err = cmp.Or(err, check.Positive("eps/(2·sensitivity)", eps/(2*sensitivity)),
		checkScores("utility", "utilities", utilities), check.NotNil("random", random))
	if err != nil {
		return 0, fmt.Errorf("ExponentialMechanism: %w", err)
	}
	rate, best := eps/(2*sensitivity), slices.Max(utilities)
	weight := func(u float64) float64 { return math.Exp(rate * (u - best)) }
	const most = 256
	length := (len(utilities) + most - 1) / most
	blocks := (len(utilities) + length - 1) / length
	var parts [most]float64
	sum := 0.0
	for b := range blocks {
		for _, u := range utilities[b*length : min((b+1)*length, len(utilities))] {
			parts[b] += weight(u)
		}
		sum += parts[b]
	}
	point, block := math.Exp(-math.Abs(random.Laplace(1)))*sum, 0
	for block < most-1 && parts[block] < point {
		point -= parts[block]
		block++
	}
	for parts[block] == 0 { // what rounding left over
		block--
	}
	for r, u := range utilities[block*length : min((block+1)*length, len(utilities))] {
		w := weight(u)
		if w > 0 {
			index = block*length + r
		}
		if point -= w; w > 0 && point <= 0 {
			break
		}
	}
	return index, nil
}

// ExponentialShortfall returns (2Δu/ε)·ln(|R|/(|R_OPT|·β)): with a probability of at most β the utility of what
// [ExponentialMechanism] returns is that far below the largest, or farther.
//
// Source: Dwork and Roth (2014), Theorem 3.11, and Corollary 3.12 for |R_OPT| = 1; AFD-T3.11, AFD-K3.12.
// Also in the checks of AFD-X8.
// Symbols and deviation from print: as for spec.ExponentialShortfall.
// Domain: 1 ≤ |R_OPT| ≤ |R|; β in (0, 1], Δu and ε positive.
// Accuracy: contains it; relative width at most 2^-60.
// Cost: O(1).
func ExponentialShortfall(outputs, optimal int, beta, sensitivity *big.Rat,
	eps loss.Epsilon) (interval.Interval, error) {
	return exponentialShortfall("ExponentialShortfall", outputs, optimal, beta, sensitivity, eps, func() *big.Rat {
		return big.NewRat(int64(outputs), int64(optimal))
	})
}

// ExactExponentialShortfall returns what [ExponentialShortfall] bounds: the infimum of the α such that, whatever the
// utilities, that returned is α or more below the largest with a probability of at most β.
//
// The worst utilities are α below the largest for all outputs that are not optimal: for higher ones the probability of
// the event is no larger, nor for lower ones. With q = e^(−εα/(2Δu)) the probability is then (|R| − |R_OPT|)·q over
// |R_OPT| + (|R| − |R_OPT|)·q, and α is (2Δu/ε)·ln((|R| − |R_OPT|)·(1 − β)/(|R_OPT|·β)), or 0 if that is below 0.
//
// Also in the checks of AFD-T3.11 and AFD-K3.12.
// Symbols, accuracy and cost: as for [ExponentialShortfall].
// Domain: 1 ≤ |R_OPT| ≤ |R|; β in (0, 1], Δu and ε positive.
func ExactExponentialShortfall(outputs, optimal int, beta, sensitivity *big.Rat,
	eps loss.Epsilon) (interval.Interval, error) {
	return exponentialShortfall("ExactExponentialShortfall", outputs, optimal, beta, sensitivity, eps, func() *big.Rat {
		odds := big.NewRat(int64(outputs-optimal), int64(optimal))
		return odds.Mul(odds, new(big.Rat).Sub(rational.One, beta))
	})
}

// exponentialShortfall returns (2Δu/ε)·max(0, ln(odds/β)).
func exponentialShortfall(name string, outputs, optimal int, beta, sensitivity *big.Rat, eps loss.Epsilon,
	odds func() *big.Rat) (interval.Interval, error) {
	err := checkAccuracy(beta, sensitivity, eps)
	if err == nil && (optimal < 1 || outputs < optimal) {
		err = fmt.Errorf("%d of %d outputs are optimal, must be at least 1 and at most all", optimal, outputs)
	}
	if err != nil {
		return interval.Interval{}, fmt.Errorf("%s: %w", name, err)
	}
	x := new(big.Rat).Quo(odds(), beta)
	if x.Cmp(rational.One) <= 0 {
		return interval.Of(0, 0), nil
	}
	return sharp(128, func(n interval.Precision) interval.Interval {
		return n.Mul(n.Log(x), n.Quo(n.Rat(new(big.Rat).Add(sensitivity, sensitivity)), loss.Enclose(eps, n)))
	}), nil
}

// Revenue returns what is earned at a price.
// AFD-E3.5 fails as printed: a number of its text is wrong. This is the right one.
//
// Source: Dwork and Roth (2014), Example 3.5; AFD-E3.5.
// Also in the checks of AFD-U5.
// Symbols, accuracy, deviation from print and cost: as for spec.Revenue.
// Domain: bids and price at least 0.
func Revenue(bids []*big.Rat, price *big.Rat) *big.Rat {
	buyers := int64(0)
	for _, bid := range bids {
		if bid.Cmp(price) >= 0 {
			buyers++
		}
	}
	return new(big.Rat).Mul(price, big.NewRat(buyers, 1))
}
