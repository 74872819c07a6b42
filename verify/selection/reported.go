package selection

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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
	if b == plainBound {
		most := precise.Mul(precise.Half(x.shift(r, -1)), exactly(x.PStar))
		return below(func(p *big.Rat) bool { return precise.Sub(exactly(p), most).Upper.Sign() <= 0 })
	}
	most := precise.Add(precise.LogOf(x.shift(r, -1)), x.logOdds(x.PStar))
	return below(func(p *big.Rat) bool { return x.logOdds(p).Upper.Cmp(most.Lower) <= 0 })
}

// highest returns the least such p that is surely at least the bound of (c), or of (d) for r = 0; false if there is
// none.
func (x *estimating) highest(r int, b bound) (*big.Rat, bool) {
	isEnough := func(p *big.Rat) bool {
		least := precise.Add(precise.LogOf(x.shift(r, 1)), x.logOdds(x.PStar))
		return x.logOdds(p).Lower.Cmp(least.Upper) >= 0
	}
	switch b {
	case mirrored:
		least := precise.Sub(precise.Int(1), precise.Mul(precise.Half(x.shift(r, -1)), exactly(rat.Complement(x.PStar))))
		isEnough = func(p *big.Rat) bool { return exactly(p).Lower.Cmp(least.Upper) >= 0 }
	case plainBound, indexR:
		half := precise.Quo(x.shift(r, 1), exactly(rat.Twice(rat.Complement(x.PStar))))
		least := precise.Sub(precise.Int(1), precise.Quo(precise.Int(1), precise.Add(precise.Int(1), half)))
		isEnough = func(p *big.Rat) bool { return exactly(p).Lower.Cmp(least.Upper) >= 0 }
	}
	p, is := below(func(p *big.Rat) bool { return isEnough(rat.Complement(p)) })
	if !is {
		return nil, false
	}
	return rat.Complement(p), true
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

// atMost refutes a probability above a share of what is claimed.
func (x *estimating) atMost(t *register.T, pr interval.Interval, claimed, share *big.Rat, format string, args ...any) {
	t.Case()
	args = append([]any{x}, args...)
	rising(pr, exactly(rat.Mul(share, claimed))).check(t, precise.Int(1), "%v, "+format, args...)
}

// halfMore returns β + δ/2.
func (x *estimating) halfMore() *big.Rat { return rat.Add(x.beta, rat.Mul(rat.Half, x.Delta)) }

// reportedEarly checks (b): two queries at their bounds. Not conditional, it is at most the sum of the probabilities of
// reports, whatever came before, and at least that of the first.
func reportedEarly(isGiven bool, b bound, offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("two queries at their bounds")
		estimatings(t, offset, func(x *estimating) {
			sum := precise.Int(0)
			for r := 1; r <= 2; r++ {
				p, is := x.lowest(r, b)
				if !is {
					continue
				}
				pr := x.reports(p)
				if isGiven && pr.Lower.Sign() > 0 {
					x.atMost(t, precise.Int(1), x.halfMore(), share, "a first query with p = %s is reported with probability %.3g, "+
						"and then it is so", rat.Show(p), pr.Lower)
				}
				sum = precise.Add(sum, pr)
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
func reportedLate(isGiven bool, b bound, offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("a query at its bound, and one of which all samples are above its threshold")
		estimatings(t, offset, func(x *estimating) {
			p, is := x.highest(2, b)
			if !is {
				return
			}
			if b == indexR {
				p, is = x.highest(1, b)
				if pr := x.reports(p); is && pr.Lower.Sign() > 0 {
					x.atMost(t, precise.Int(1), x.halfMore(), share, "a first query with p = %s is reported with probability %.3g, "+
						"and then it is so", rat.Show(p), pr.Lower)
				}
				return
			}
			pr := precise.Sub(precise.Int(1), x.reports(p))
			if isGiven && pr.Lower.Sign() > 0 {
				x.atMost(t, precise.Int(1), x.halfMore(), share, "a first query with p = %s is not reported with probability "+
					"%.3g; if then the second is, it is so", rat.Show(p), pr.Lower)
			}
			x.atMost(t, pr, x.halfMore(), share, "a first query with p = %s is not reported", rat.Show(p))
		})
	}
}

// sampledHalts checks (d) for the first query.
func sampledHalts(isReported bool, offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("a first query at its bound")
		estimatings(t, offset, func(x *estimating) {
			p, is := x.highest(0, smoothBound)
			if !is {
				return
			}
			pr := x.reports(p)
			if !isReported {
				pr = precise.Sub(precise.Int(1), pr)
			}
			x.atMost(t, pr, rat.Add(x.beta, rat.Quo(x.Delta, rat.Int(4*x.T))), share, "a first query with p = %s", rat.Show(p))
		})
	}
}
