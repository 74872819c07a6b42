package audit

import "math"

// A bet tests the claim
//
//	P0(S) ≤ Σ_i e^(ε_i)·P1(S ∩ P_i) + δ
//
// for one event S, by a game that nobody can expect to win if the claim is true. Write w_i
// for e^(ε_i). The capital is multiplied, for every pair of outputs x ~ P0 and y ~ P1, by
//
//	(1 + a·(1[x ∈ S] − m − δ)) · (1 − a·(Σ_i w_i·1[y ∈ S ∩ P_i] − m))
//
// with a stake a and a mark m, chosen before the outputs are seen. x and y are
// independent, so the factor's mean is (1 + a·u)·(1 − a·v) with u = P0(S) − m − δ and
// v = Σ_i w_i·P1(S ∩ P_i) − m. The claim is u ≤ v, and then the mean is at most
// (1 + a·v)·(1 − a·v) = 1 − (a·v)² ≤ 1, whatever m is, as 1 − a·v is not negative. The
// capital is a nonnegative supermartingale: by Ville's inequality it ever reaches 1/α
// with probability at most α, so that one may look at it at any time and stop.
//
// S, a and m may change from one sample to the next, as long as each sample is bet on
// before it is seen. The factor of x and that of y are taken apart, so counts of hits are
// all that is needed.
type bet struct{ stake, mark float64 }

// tally counts, among n outputs of either input, those in the event: of the first input
// at all, and of the second by part.
type tally struct {
	first  float64
	second []float64 // by part
	n      float64
}

// log returns the logarithm of the factor by which the capital changes, or −Inf.
func (b bet) log(t tally, h hypothesis) float64 {
	a, q := b.stake, b.mark+h.delta
	sum := t.first*math.Log1p(a*(1-q)) + (t.n-t.first)*math.Log1p(-a*q)
	misses := t.n
	for i, k := range t.second {
		if k > 0 {
			sum += k * math.Log1p(-a*(h.weights[i]-b.mark))
			misses -= k
		}
	}
	return sum + misses*math.Log1p(a*b.mark)
}

// rounding bounds the error of a logarithm of n pairs' factors: every term has a relative
// error of a few times 2^−53, and a stake of at most maxStake keeps the logarithms small.
func rounding(n float64) float64 { return n * 1e-13 }

// maxStake is how much of the capital can be lost on one output, at most.
const maxStake = 15.0 / 16

// prospect is what is bet for: a logarithm of the factor by which the capital is to grow
// within so many pairs of outputs.
type prospect struct{ goal, pairs float64 }

// place returns a bet for an event and the growth that it promises, from the probabilities
// that are believed in; or false if they do not break the claim.
//
// The stake is the one that reaches the goal if the claim is broken by as little as
// possible: over n pairs the logarithm of the capital grows by about a·D·n − a²·V·n/2,
// where the claim is broken by D, which on average is the goal g at the smallest D if
// a = √(2g/(V·n)). The mark is where a random walk from the belief would most likely
// enter the claim: the two sides share the way in the ratio of their variances.
func place(belief tally, h hypothesis, p prospect) (b bet, promise float64, ok bool) {
	p0 := belief.first / belief.n
	var mean, square, largest float64
	for i, k := range belief.second {
		if k > 0 {
			w := h.weights[i]
			mean += w * k / belief.n
			square += w * w * k / belief.n
			largest = max(largest, w)
		}
	}
	excess := p0 - mean - h.delta
	if !(excess > 0) || math.IsInf(largest, 1) {
		return bet{}, 0, false
	}
	v0, v1 := p0*(1-p0), max(0, square-mean*mean)
	b = bet{stake: maxStake / largest, mark: mean}
	if v := v0 + v1; v > 0 {
		b.stake = min(b.stake, math.Sqrt(2*p.goal/(v*p.pairs)))
		b.mark = min(mean+excess*v1/v, p0-h.delta)
	}
	return b, b.log(belief, h) / belief.n * p.pairs, true
}
