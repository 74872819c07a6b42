package selection

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// drawsInAll checks the draws of the mechanism of Theorem 4.7 against times K((R + 1)/β²)^(6 + 12ε_1/ε_0) times the
// rest of what O( ) has, with ln(numerator/ε_0)/β for all of them, or 1/β for their mean if the numerator is 0. The
// first part makes N draws, with ε_0/2 for ε_0 and for ε_3, and the second one T for ε_0/2, or at most 1/γ on average.
var drawsInAll = on("K in {1, 10}, R in {1, 10}, β in {1/10^9, 1/10, 9/10}, δ in {1/1000000, 1/2}, ε_0 in {1/1000, "+
	"1/2, 999999999/1000000000}, ε_1 in {1/10000, 2}",
	func(t *register.T, share, times, numerator *big.Rat, k, r int, beta, delta, eps0, eps1 *big.Rat) {
		own, coin := rat.Mul(rat.Half, eps0), selection.SelectionCoin(k, r, eps0, eps1, beta)
		gamma, _ := coin.Rats()
		n := selection.SearchSamples(selection.Search{PStar: rat.Quo(rat.Half, rat.Int(k)), R: r, Eps0: own, Eps1: eps1,
			Eps3: own, Delta: delta, Beta: beta})
		second, last := quo(1, coin), num(1)
		if numerator.Sign() > 0 {
			second, last = selection.ThresholdingLimit(gamma, own), ln(rat.Quo(numerator, eps0))
		}
		samples := quo(ln(rat.Quo(rat.Int(r), delta)), rat.Mul(eps0, eps0))
		rising(t, add(new(big.Rat).SetInt(n), second),
			mul(share, times, quo(beta, mul(12, coin)), add(samples, quo(last, beta))))
	})

// refuses checks the probability of ⊥, whatever the candidates are: for R thresholds that are reached with any
// probabilities, the last of them always. It is at most that of no test to be passed at the last one, and the sum over
// the others of the probability to pass there, times that of the second part to give up (Theorem 3.1(e)).
var refuses = on("K in {1, 10}, R in {1, 2, 10, 1000}, β in {1/1000, 1/10, 9/10}, δ in {1/1000000, 1/2}, "+
	"(ε_0, ε_1) in {(1/1000, 1/1000), (1/10, 1/10), (1/2, 1/1000), (1/2, 2), (999/1000, 1/10)}",
	func(t *register.T, share *big.Rat, k, r int, beta, delta, eps0, eps1 *big.Rat) {
		x := &estimate{pStar: rat.Quo(rat.Half, rat.Int(k)), rounds: r, eps0: eps0, eps1: eps1, eps3: eps0,
			delta: delta, beta: beta}
		n := num(new(big.Rat).SetInt(asSearch(t, x, printedOffset)))
		threshold := add(mul(n, x.pStar), x.offset)
		passes := func(count interval.Interval) interval.Interval {
			gap := add(ln(quo(add(count, x.offset), threshold)), mul("1/2", eps0))
			return overtakes(sub(gap, mul("3/2", x.scale, ln(beta))), x.scale)
		}
		atMost := func(mean interval.Interval) interval.Interval { // that a count with at most this mean passes
			count := sub(mul(add(mean, x.offset), exp(rat.Half)), x.offset)
			return add(passes(count), exp(sub(sub(count, mean), mul(count, ln(quo(count, mean))))))
		}
		gamma, _ := selection.SelectionCoin(k, r, eps0, eps1, beta).Rats()
		mean := quo(x.offset, 1024)
		most := atMost(mean)
		for isLess := true; isLess; {
			p, _ := quo(mean, n).Rats()
			none := num(same(t, "⊥", spec.ThresholdingNone(p, gamma, eps0), selection.ThresholdingNone(p, gamma, eps0)))
			isLess, mean = none.Upper.Cmp(most.Lower) > 0, mul(2, mean)
			most = interval.Max(most, mul(atMost(mean), interval.Min(num(1), none)))
		}
		rising(t, add(sub(1, passes(n)), mul(r-1, most)), mul(share, add(beta, delta)))
	})
