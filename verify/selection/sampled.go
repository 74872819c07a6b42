package selection

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// estimating is a place where the algorithm with samples is: its parameters with N and β, and ln Φ^(N,Δ)(p_*).
type estimating struct {
	selection.SampledPercentile
	estimate
	beta *big.Rat
	star interval.Interval
}

func newEstimating(with selection.SampledPercentile, beta *big.Rat, offset interval.Interval) *estimating {
	x := &estimating{SampledPercentile: with, beta: beta}
	x.at = fmt.Sprintf("ε_0 = %s, ε_1 = %s, ε_3 = %s, δ = %s, β = %s, T = %d, N = %d, p_* = %s", rat.Show(x.Eps0),
		rat.Show(x.Eps1), rat.Show(x.Eps3), rat.Show(x.Delta), rat.Show(x.beta), x.T, x.N, rat.Show(x.PStar))
	x.n, x.offset, x.scale = x.N, offset, rat.Quo(rat.Mul(rat.Int(8), rat.Add(x.Eps0, x.Eps1)), x.Eps3)
	x.star = x.logOdds(x.PStar)
	x.gap = func(k int) interval.Interval { return sub(x.logOdds(big.NewRat(int64(k), int64(x.N))), x.star) }
	return x
}

// odds returns Φ^(N,Δ)(p).
func (x *estimating) odds(p *big.Rat) interval.Interval {
	return selection.SmoothedOdds(p, x.N, x.offset)
}

func (x *estimating) logOdds(p *big.Rat) interval.Interval { return ln(x.odds(p)) }

// twins refutes a Φ^(N,Δ)(p) of spec that is another one in impl.
func (x *estimating) twins(t *register.T, p *big.Rat) {
	twins(t, x.at+", Φ", spec.SmoothedOdds(rat.Float64(p), x.N, x.offset.Float().Hi), x.odds(p))
}

// later returns the probability that of two queries only the second is reported.
func (x *estimating) later(first, second *big.Rat) interval.Interval {
	sum, law := num(0), binomialLaw(x.N, second)
	for j, p := range binomialLaw(x.N, first) {
		for k, q := range law {
			sum = add(sum, mul(p, q, x.second(j, k)))
		}
	}
	return sum
}

// shift returns e^(sign·ε_0)·((R + 1)/β)^(sign·6S/ε_3).
func (x *estimating) shift(r, sign int) interval.Interval {
	return exp(mul(sign, add(x.Eps0, mul("3/2", x.scale, ln(rat.Quo(rat.Int(r+1), x.beta))))))
}

// samplesOf returns the N of Theorem 4.4, by both rooms.
func samplesOf(t *register.T, with selection.SampledPercentile, beta *big.Rat) *big.Int {
	n := selection.PercentileSamples(with, beta)
	twins(t, "N", math.Ceil(spec.PercentileSamples(literalPercentile(with), rat.Float64(beta))), new(big.Rat).SetInt(n))
	return n
}

// estimatings goes through places with the N of Theorem 4.4, for ε_3 so large that it is not huge; in the last there is
// hardly any noise.
func estimatings(t *register.T, domain string, offset anOffset, visit func(x *estimating)) {
	for _, v := range finite.Grid(t, domain+"; T = 2, (ε_0, ε_1, ε_3, δ, β, p_*) in {(1/2, 1/10, 72/5, 1/2, 1/2, 1/2), "+
		"(9/10, 1/10, 24, 9/10, 1/10, 1/4), (7/100, 9/10, 100000, 1/1000, 1/10000, 1/2)}, and the N of the theorem") {
		with := selection.SampledPercentile{Eps0: v[0], Eps1: v[1], Eps3: v[2], Delta: v[3], PStar: v[5], T: 2}
		delta0 := rat.Quo(v[3], rat.Int(4*with.T))
		larger := offset(t, v[0], v[1], delta0)
		with.N = samplesFor(samplesOf(t, with, v[4]), larger, printedOffset(t, v[0], v[1], delta0))
		x := newEstimating(with, v[4], larger)
		x.twins(t, rat.Of("1/4"))
		visit(x)
	}
}

// bound says in which form a bound on p(τ_i, Q_i) is.
type bound int

const (
	smoothBound bound = iota // by Φ^(N,Δ)
	plainBound               // by p
	indexR                   // by p, of Q_R itself
	mirrored                 // by 1 − p, as p is bounded from below
)

// lowest returns the largest p = k/2^20 that is surely at most the bound of (b) for a report of R; false if there is
// none.
func (x *estimating) lowest(r int, b bound) (*big.Rat, bool) {
	most, value := add(ln(x.shift(r, -1)), x.star), x.logOdds
	if b == plainBound {
		most, value = mul("1/2", x.shift(r, -1), x.PStar), precise.Rat
	}
	return below(func(p *big.Rat) bool { return value(p).Upper.Cmp(most.Lower) <= 0 })
}

// highest returns the least such p that is surely at least the bound of (c), or of (d) for r = 0; false if there is
// none.
func (x *estimating) highest(r int, b bound) (*big.Rat, bool) {
	least, value := add(ln(x.shift(r, 1)), x.star), x.logOdds
	switch b {
	case mirrored:
		least, value = sub(1, mul("1/2", x.shift(r, -1), sub(1, x.PStar))), precise.Rat
	case plainBound, indexR:
		least, value = sub(1, quo(1, add(1, quo(x.shift(r, 1), mul(2, sub(1, x.PStar)))))), precise.Rat
	}
	p, is := below(func(p *big.Rat) bool { return value(rat.Complement(p)).Lower.Cmp(least.Upper) >= 0 })
	if !is {
		return nil, false
	}
	return rat.Complement(p), true
}

// atMost refutes a probability above a share of what is claimed.
func (x *estimating) atMost(t *register.T, pr any, claimed, share *big.Rat, format string, args ...any) {
	t.Case()
	rising(t, x.at+", "+fmt.Sprintf(format, args...), pr, rat.Mul(share, claimed))
}

// halfMore returns β + δ/2.
func (x *estimating) halfMore() *big.Rat { return rat.Add(x.beta, rat.Mul(rat.Half, x.Delta)) }

// reportedEarly checks (b): two queries at their bounds. Not conditional, it is at most the sum of the probabilities of
// reports, whatever came before, and at least that of the first.
func reportedEarly(isGiven bool, b bound, offset anOffset) claim {
	return func(t *register.T, share *big.Rat) {
		estimatings(t, "two queries at their bounds", offset, func(x *estimating) {
			sum := num(0)
			for r := 1; r <= 2; r++ {
				p, is := x.lowest(r, b)
				if !is {
					continue
				}
				pr := x.passes(p)
				if isGiven && pr.Lower.Sign() > 0 {
					x.atMost(t, 1, x.halfMore(), share, "a first query with p = %s is reported with probability %.3g, and then it is "+
						"so", rat.Show(p), pr.Lower)
				}
				sum = add(sum, pr)
				if r == 1 {
					x.atMost(t, pr, x.halfMore(), share, "a first query with p = %s", rat.Show(p))
				}
			}
			x.atMost(t, sum, x.halfMore(), share, "two queries at their bounds, the sum")
		})
	}
}

// reportedLate checks (c): the first of two queries is at its bound for a report of the second, which is sure. With the
// index R it is the second that is at its bound, after one that is not reported.
func reportedLate(isGiven bool, b bound, offset anOffset) claim {
	return func(t *register.T, share *big.Rat) {
		estimatings(t, "a query at its bound, and one of which all samples are above its threshold", offset,
			func(x *estimating) {
				r, what := 2, "is not"
				if b == indexR {
					r, what = 1, "is"
				}
				p, is := x.highest(r, b)
				if !is {
					return
				}
				pr := x.passes(p)
				if b != indexR {
					pr = sub(1, pr)
				}
				if isGiven && pr.Lower.Sign() > 0 {
					x.atMost(t, 1, x.halfMore(), share, "a first query with p = %s %s reported with probability %.3g; if then the "+
						"report is that of the theorem, it is so", rat.Show(p), what, pr.Lower)
				}
				if b != indexR {
					x.atMost(t, pr, x.halfMore(), share, "a first query with p = %s is not reported", rat.Show(p))
				}
			})
	}
}

// sampledHalts checks (d) for the first query.
func sampledHalts(isReported bool, offset anOffset) claim {
	return func(t *register.T, share *big.Rat) {
		estimatings(t, "a first query at its bound", offset, func(x *estimating) {
			p, is := x.highest(0, smoothBound)
			if !is {
				return
			}
			pr := x.passes(p)
			if !isReported {
				pr = sub(1, pr)
			}
			x.atMost(t, pr, rat.Add(x.beta, rat.Quo(x.Delta, rat.Int(4*x.T))), share, "a first query with p = %s", rat.Show(p))
		})
	}
}
