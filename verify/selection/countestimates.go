package selection

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// anOffset is a Δ for ε_0, ε_1 and δ_0, which is δ/(4T) in Theorem 4.4 and δ/(2R) in Theorem 4.6.
type anOffset func(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval

// printedOffset is that of the theorems.
func printedOffset(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval {
	fast := impl.CountOffset(eps0, eps1, delta0)
	if literal := spec.CountOffset(rat.Float64(eps0), rat.Float64(eps1), rat.Float64(delta0)); !isNear(literal/1e4,
		precise.Quo(fast, precise.Int(10000))) {
		t.Refute("Δ is %.12g by impl, %.12g by spec", fast.Upper, literal)
	}
	return fast
}

// tailOffset is the one with which Lemma A.4 gives δ_0 at ε = ε_0/2, if that is more.
func tailOffset(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval {
	return interval.Max(printedOffset(t, eps0, eps1, delta0), lemmaA4(rat.Mul(rat.Half, eps0), delta0))
}

// quarterOffset is the one with which it gives δ_0/2 at ε = ε_0/4, if that is more.
func quarterOffset(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval {
	return interval.Max(printedOffset(t, eps0, eps1, delta0),
		lemmaA4(rat.Mul(rat.Of("1/4"), eps0), rat.Mul(rat.Half, delta0)))
}

// samplesFor returns so many times n as Δ is more than the printed one.
func samplesFor(n *big.Int, offset, printed interval.Interval) int {
	// of n itself the upper end is above n
	least := precise.Mul(exactly(new(big.Rat).SetInt(n)), precise.Quo(offset, printed)).Lower
	return from(interval.New(least, least), math.MaxInt)
}

// lemmaA4 returns (e^ε + 1)/(e^ε − 1)·ln(1/δ)/ε.
func lemmaA4(eps, delta *big.Rat) interval.Interval {
	e := precise.ExpRat(eps)
	factor := precise.Quo(precise.Add(e, precise.Int(1)), precise.Sub(e, precise.Int(1)))
	return precise.Mul(factor, precise.Quo(precise.Log(new(big.Rat).Inv(delta)), exactly(eps)))
}

// estimates goes through means and laws of counts, with a share of Δ.
func estimates(t *register.T, offset anOffset, share *big.Rat,
	visit func(law []interval.Interval, offset interval.Interval, mean, eps0, delta *big.Rat, at string)) {
	t.Domain("N = 6000, p in {1/10, 1/4}; (ε_0, ε_1) in {(1/2, 1/10), (1/25, 9/10)}, δ in {1/100, 1/2}, T = 2")
	const n, queries = 6000, 2
	for _, p := range rat.List("1/10", "1/4") {
		law := binomialLaw(n, p)
		for _, v := range [][]*big.Rat{rat.List("1/2", "1/10"), rat.List("1/25", "9/10")} {
			for _, delta := range rat.List("1/100", "1/2") {
				t.Case()
				d := precise.Mul(exactly(share), offset(t, v[0], v[1], rat.Quo(delta, rat.Int(4*queries))))
				visit(law, d, rat.Mul(rat.Int(n), p), v[0], delta, "N = 6000, p = "+rat.Show(p)+", (ε_0, ε_1) = ("+rat.Show(v...)+
					"), δ = "+rat.Show(delta))
			}
		}
	}
}

// apart returns the probability that Φ^(N,Δ) of the estimate is farther from that of the mean than e^move, above or
// below.
func apart(law []interval.Interval, offset interval.Interval, mean, move *big.Rat, isAbove bool) interval.Interval {
	n := rat.Int(len(law) - 1)
	odds := func(k *big.Rat) interval.Interval {
		return precise.Quo(precise.Add(exactly(k), offset), precise.Add(exactly(rat.Sub(n, k)), offset))
	}
	bound, pr := precise.Mul(odds(mean), precise.ExpRat(move)), precise.Int(0)
	if isAbove {
		for k := len(law) - 1; k >= 0 && odds(rat.Int(k)).Lower.Cmp(bound.Upper) > 0; k-- {
			pr = precise.Add(pr, law[k])
		}
		return pr
	}
	for k := 0; k < len(law) && odds(rat.Int(k)).Upper.Cmp(bound.Lower) < 0; k++ {
		pr = precise.Add(pr, law[k])
	}
	return pr
}

// overestimates checks F3 of (b).
func overestimates(offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		estimates(t, offset, share, func(law []interval.Interval, d interval.Interval, mean, eps0, delta *big.Rat,
			at string) {
			// 2δ/(4T)
			rising(apart(law, d, mean, eps0, true), exactly(rat.Quo(delta, rat.Int(4)))).check(t, precise.Int(1),
				"%s, Δ = %.6g", at, d.Upper)
		})
	}
}

// underestimates checks what (d) asks of the estimate.
func underestimates(offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		estimates(t, offset, share, func(law []interval.Interval, d interval.Interval, mean, eps0, delta *big.Rat,
			at string) {
			// δ/(4T)
			rising(apart(law, d, mean, rat.Mul(rat.Of("-1/2"), eps0), false), exactly(rat.Quo(delta, rat.Int(8)))).check(t,
				precise.Int(1), "%s, Δ = %.6g", at, d.Upper)
		})
	}
}
