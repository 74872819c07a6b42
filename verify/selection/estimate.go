package selection

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// estimate is a query of the algorithms that estimate a probability from samples, and compare it with noise. Both have
// S = 2(ε_0 + ε_1), or half of that, and ξ ∼ Lap(4S/ε_3) for a query beside ν ∼ Lap(2S/ε_3) for the threshold.
type estimate struct {
	at     string
	n      int                           // samples
	scale  *big.Rat                      // 4S/ε_3
	offset interval.Interval             // Δ
	gap    func(k int) interval.Interval // by how much it is above the threshold if k samples are
}

// pair are laws of outputs on two databases.
type pair = [2][]interval.Interval

// passes returns the probability that a query is reported that is met with probability p, whatever came before. That of
// counts that hardly happen is taken to be anything from 0 to 1.
func (x estimate) passes(p *big.Rat) interval.Interval {
	sum, rare := num(0), new(big.Float).SetMantExp(big.NewFloat(1), -100)
	for k, p := range binomialLaw(x.n, p) {
		if p.Upper.Cmp(rare) < 0 {
			sum = add(sum, interval.New(new(big.Float), p.Upper))
			continue
		}
		sum = add(sum, mul(p, overtakes(x.gap(k), x.scale)))
	}
	return sum
}

// overtakes returns Pr[ξ + g ≥ ν] for ξ ∼ Lap(b) and ν ∼ Lap(b/2): with u = |g|/b, (4e^−u − e^−2u)/6 on the side that g
// is not.
func overtakes(g interval.Interval, b *big.Rat) interval.Interval {
	at := func(x *big.Float) interval.Interval {
		e := exp(neg(quo(abs(interval.New(x, x)), b)))
		tail := quo(sub(mul(4, e), mul(e, e)), 6)
		if x.Sign() < 0 {
			return tail
		}
		return sub(1, tail)
	}
	return interval.New(at(g.Lower).Lower, at(g.Upper).Upper)
}

// second returns the probability that of two queries with so many samples above only the second is reported. It rises
// in the second and falls in the first: the gaps are rounded outward.
func (x estimate) second(j, k int) interval.Interval {
	law := impl.SparseVectorLaw{RhoScale: rat.Mul(rat.Half, x.scale), NuScale: x.scale, Cutoff: 1}
	near := func(k int, more int64) *big.Rat {
		const steps = 1 << 40
		return big.NewRat(int64(math.Round(x.gap(k).Float().Hi*steps))+more, steps)
	}
	pr := func(first, second *big.Rat) interval.Interval {
		return register.Must(law.Probability([]impl.Comparison{{Query: first, Threshold: new(big.Rat)},
			{Query: second, Threshold: new(big.Rat), Above: true}}, 1e-15))
	}
	return interval.New(pr(near(j, 2), near(k, -2)).Lower, pr(near(j, -2), near(k, 2)).Upper)
}

// withRest returns the law of some outputs and of all others.
func withRest(outputs ...interval.Interval) []interval.Interval {
	rest := num(1)
	for _, p := range outputs {
		rest = sub(rest, p)
	}
	return append(outputs, rest)
}

// isClose refutes laws that are not (share·ε, δ)-close, or (share·ε, 0)-close for a share below 1.
func isClose(t *register.T, at string, share, eps, delta *big.Rat, laws pair) {
	t.Case()
	allowed, largest := new(big.Rat), num(0)
	if rat.Equal(share, rat.One) {
		allowed = delta
	}
	if need := neededDelta(exp(rat.Mul(share, eps)), laws); rat.IsAbove(need, allowed) {
		t.Refute("%s: δ is %.6g at %s of the ε", at, need.Lower, rat.Show(share))
	}
	for b := range laws {
		for i, p := range laws[b] {
			largest = interval.Max(largest, ln(quo(p, laws[1-b][i])))
		}
	}
	t.Close(quo(largest, eps).Float().Lo, "%s", at)
}

// anOffset is a Δ for ε_0, ε_1 and δ_0, which is δ/(4T) in Theorem 4.4 and δ/(2R) in Theorem 4.6.
type anOffset func(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval

// printedOffset is that of the theorems, by both rooms.
func printedOffset(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval {
	fast := selection.CountOffset(eps0, eps1, delta0)
	twins(t, "Δ", spec.CountOffset(rat.Float64(eps0), rat.Float64(eps1), rat.Float64(delta0)), fast)
	return fast
}

// tailOffset is the one with which Lemma A.4 gives a share of δ_0 at a share of ε_0, if that is more.
func tailOffset(ofEps, ofDelta string) anOffset {
	return func(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval {
		eps, delta := rat.Mul(rat.Of(ofEps), eps0), rat.Mul(rat.Of(ofDelta), delta0)
		lemma := mul(quo(add(exp(eps), 1), sub(exp(eps), 1)), quo(ln(new(big.Rat).Inv(delta)), eps))
		return interval.Max(printedOffset(t, eps0, eps1, delta0), lemma)
	}
}

// halfOffset and quarterOffset are those that correct the theorems.
var halfOffset, quarterOffset = tailOffset("1/2", "1"), tailOffset("1/4", "1/2")

// samplesFor returns so many times n as Δ is more than the printed one.
func samplesFor(n *big.Int, offset, printed interval.Interval) int {
	least := mul(new(big.Rat).SetInt(n), quo(offset, printed)).Lower // of n itself the upper end is above n
	return from(interval.New(least, least), math.MaxInt)
}

// below returns the largest k/2^20 that meets a condition which the numbers below meet, too.
func below(meets func(p *big.Rat) bool) (*big.Rat, bool) {
	const steps = 1 << 20
	if !meets(new(big.Rat)) {
		return nil, false
	}
	low, high := 0, steps
	for high-low > 1 {
		if middle := (low + high) / 2; meets(big.NewRat(int64(middle), steps)) {
			low = middle
		} else {
			high = middle
		}
	}
	return big.NewRat(int64(low), steps), true
}
