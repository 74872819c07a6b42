package impl

import (
	"math"
	"math/big"

	"checkrr/impl/interval"
)

// How often the mechanisms of this file fail is a number of n and x alone. Let ρ and ν be the noise on threshold and
// queries, which always is twice as large, and measure in units of its scale 2σ: t = ρ/(2σ) has the density
// e^(−2|t|), ν/(2σ) the distribution function F of Lap(1). An answer below T − α gets ⊥ with probability at least F(t
// + x), x = α/(2σ), and one above T + α gets ⊤ with probability at least F(x − t). So what a run up to a ⊤ fails at
// most is
//
//	m(n, x) = 1 − ∫ e^(−2|t|)·F(t + x)^n·F(x − t) dt,
//
// with n answers just below T − α and then one just above T + α. After a ⊤ all begins anew. Of all lists of answers
// that are below and above, which one succeeds least is proved as follows; E is the mean over t, F is F(t + x), G is
// F(x − t), which has the law of F, and s(n) = 1 − m(n, x) = E[F^n·G].
//
//   - It is not better to end with an answer below: F and G are monotone in t in opposite directions, so that
// s(n) ≤ E[F^n]·E[G] ≤ E[F^(n+1)] (Chebyshev). For n = 1, s(1) ≤ s(0)²: two answers above are no worse than one below
// and
//     one above.
// - s(n) are moments of F, of which the logarithm is convex in n: about equally many below before each above are
// worst.
// - Both FG and F + G fall in |t|, as ln F is concave. So s(2) = E[FG(F + G)]/2 ≥ E[FG]·E[F + G]/2 = s(1)·s(0), and
// by that
//     and convexity s(a + b + 1) ≥ s(a)·s(b) unless a = b = 0: to split a run with two answers below or more is worse.
//
// So there are c above, but no two of them in a row. Where numbers are released each above may fail once more, and
// the worst is that or as many above as may be: between, the success changes by the same factor with each more above.
// Answers between T − α and T + α may come out either way. That no list with them succeeds less is not proved: for
// few queries, and answers in steps of α/2, the checks of AFD-T3.26 and AFD-T3.28 search through all lists.

// AboveThresholdAccuracy returns the α of the theorem, 8(ln k + ln(2/β))/ε.
//
// Source: Dwork and Roth (2014), Theorem 3.24; AFD-T3.24.
// Also in the check of AFD-T3.24.s5.
// Symbols and deviation from print: as for spec.AboveThresholdAccuracy.
// Domain: k ≥ 1, β in (0, 1], ε > 0.
// Accuracy: contains it; relative width about 2^-180.
// Cost: O(1).
func AboveThresholdAccuracy(k int, beta, eps *big.Rat) interval.Interval {
	return SparseAccuracy(k, 1, beta, eps, new(big.Rat))
}

// SparseAccuracy returns the α of the theorem, 4σ·(ln k + ln(2c/β)) with the σ of [SparseScale].
// AFD-T3.26 fails as printed if halting at the c-th ⊤ is a failure.
//
// Source: Dwork and Roth (2014), Theorem 3.26; AFD-T3.26.
// Also in the check of AFD-T3.26.s1.
// Symbols and deviation from print: as for spec.SparseAccuracy.
// Domain: k and c at least 1, β in (0, 1], ε > 0, δ in [0, 1).
// Accuracy: contains it; relative width about 2^-180.
// Cost: O(1).
func SparseAccuracy(k, c int, beta, eps, delta *big.Rat) interval.Interval {
	logs := bits.Log(new(big.Rat).Quo(new(big.Rat).SetInt(product(2, k, c)), beta))
	return bits.Mul(bits.Mul(bits.Int(4), SparseScale(c, eps, delta)), logs)
}

// NumericSparseAccuracy returns the α of the theorem: 4σ(ε_1)·(ln k + ln(4c/β)), with [NumericSparseScales].
// AFD-T3.28 fails as printed if δ > 0: α can be too small. [ExactNumericSparseAccuracy] is enough.
//
// Source: Dwork and Roth (2014), Theorem 3.28; AFD-T3.28.
// Also in the checks of AFD-T3.28.s1 and AFD-T3.28.s2.
// Symbols and deviation from print: as for spec.NumericSparseAccuracy.
// Domain: k and c at least 1, β in (0, 1], ε > 0, δ in [0, 1).
// Accuracy: contains it; relative width about 2^-180.
// Cost: O(1).
func NumericSparseAccuracy(k, c int, beta, eps, delta *big.Rat) interval.Interval {
	first, _ := NumericSparseScales(c, eps, delta)
	logs := bits.Log(new(big.Rat).Quo(new(big.Rat).SetInt(product(4, k, c)), beta))
	return bits.Mul(bits.Mul(bits.Int(4), first), logs)
}

// product returns the product of integers that are too large for an int.
func product(factors ...int) *big.Int {
	result := big.NewInt(1)
	for _, n := range factors {
		result.Mul(result, big.NewInt(int64(n)))
	}
	return result
}

// AboveThresholdFailure returns the probability with which AboveThreshold is not α-accurate in the worst case of the
// theorem: k − 1 answers just below T − α, and one just above T + α.
//
// Source: Dwork and Roth (2014), Theorem 3.24; AFD-T3.24. The worst case is ours, and proved.
// Symbols: α = alpha, ε = eps.
// Domain: k ≥ 1, α ≥ 0, ε > 0.
// Accuracy: contains it; relative width about 10^-4.
// Deviation from print: an exact probability for a bound.
// Cost: some thousand exponentials.
func AboveThresholdFailure(k int, alpha interval.Interval, eps *big.Rat) interval.Float {
	return SparseFailure(k, 1, alpha, eps, new(big.Rat))
}

// SparseFailure returns the probability with which Sparse is not α-accurate, but that it may halt at the c-th answer
// above T + α: for k answers of which c, or every second if there are fewer, are just above T + α, the last of them
// at the end, and the others just below T − α, about equally many before each. No list of answers below and above is
// worse.
// AFD-T3.26 fails as printed if halting at the c-th ⊤ is a failure; here it is none.
//
// Source: Dwork and Roth (2014), Theorem 3.26; AFD-T3.26. The worst case is ours: proved for answers that are not
// between, searched for few that are.
// Symbols, accuracy, deviation from print and cost: as for [AboveThresholdFailure]; δ = delta.
// Domain: k and c at least 1, α ≥ 0, ε > 0, δ in [0, 1).
func SparseFailure(k, c int, alpha interval.Interval, eps, delta *big.Rat) interval.Float {
	return segmentsFailure(k, min(c, k-k/2), alpha, SparseScale(c, eps, delta))
}

// NumericSparseFailure returns the probability with which NumericSparse is not α-accurate in the setting of
// [SparseFailure], or with as many answers above as may be: that, or one of the numbers is off by more than α. A
// number that is accurate, for an answer below T − α, counts as a failure, too: print's (α, β)-accuracy is read as
// that of Sparse, and of the numbers.
// AFD-T3.28 fails as printed: this can be more than its β.
//
// Source: Dwork and Roth (2014), Theorem 3.28; AFD-T3.28. The worst case is ours, as for [SparseFailure].
// Symbols, accuracy, deviation from print and cost: as for [SparseFailure].
// Domain: k and c at least 1, α ≥ 0, ε > 0, δ in [0, 1).
func NumericSparseFailure(k, c int, alpha interval.Interval, eps, delta *big.Rat) interval.Float {
	first, second := NumericSparseScales(c, eps, delta)
	off := bits.Exp(bits.Neg(bits.Quo(alpha, second))).Float() // Pr(|v_i| > α)
	fails := func(above int) interval.Float {
		return either(segmentsFailure(k, above, alpha, first), someOf(off, above))
	}
	few, many := fails(min(c, k-k/2)), fails(min(c, k))
	return interval.NewFloat(max(few.Lo, many.Lo), max(few.Hi, many.Hi))
}

// LeastAlpha returns the smallest α at which a probability of failure, which falls in α, is at most β. It
// panics if failure is nil.
//
// Also in the checks of AFD-T3.24.
// Domain: β in (0, 1).
// Accuracy: contains it; as tight as the probabilities are.
// Cost: about 20 probabilities.
func LeastAlpha(failure func(alpha interval.Interval) interval.Float, beta *big.Rat) interval.Float {
	at := func(alpha float64) interval.Float { return failure(interval.Of(alpha, alpha)) }
	return whereEqual(at, interval.FloatOf(beta))
}

// segmentsFailure returns 1 − ∏(1 − m(n_j, x)), where n_j are about equal and, with one answer above after each, all
// k answers.
func segmentsFailure(k, above int, alpha, sigma interval.Interval) interval.Float {
	each, longer := (k-above)/above, (k-above)%above
	x := bits.Quo(alpha, bits.Add(sigma, sigma)).Float()
	p := someOf(missed(each, x), above-longer)
	if longer > 0 {
		p = either(p, someOf(missed(each+1, x), longer))
	}
	return p
}

// either returns the probability 1 − (1 − p)(1 − q) that one of two independent events happens, as p + (1 − p)·q.
func either(p, q interval.Float) interval.Float {
	return p.Add(interval.Point(1).Sub(p).Within(0, 1).Mul(q)).Within(0, 1)
}

// someOf returns 1 − (1 − p)^n, which rises in p, by at most n times as much. Where that is next to nothing, one end
// is found by the other.
func someOf(p interval.Float, n int) interval.Float {
	low := someOfPoint(p.Lo, n)
	rise := interval.Point(p.Hi).Sub(interval.Point(p.Lo)).Mul(interval.Point(float64(n)))
	if rise.Hi < 0x1p-30*low.Lo {
		return interval.NewFloat(low.Lo, low.Add(rise).Hi).Within(0, 1)
	}
	return interval.NewFloat(low.Lo, someOfPoint(p.Hi, n).Hi)
}

// someOfPoint returns it for a point. What is small loses nothing to the 1: for np below 2^-27 it is between np −
// (np)²/2 and np, and for p below 2^-13, −ln(1 − p) is between p + p²/2 and that plus p³/2.
func someOfPoint(p float64, n int) interval.Float {
	x, times := interval.Point(p), interval.Point(float64(n))
	switch np := times.Mul(x); {
	case n == 0 || p == 0:
		return interval.Point(0)
	case p >= 1:
		return interval.Point(1)
	case np.Hi < 0x1p-27:
		return interval.NewFloat(np.Sub(np.Mul(np)).Lo, np.Hi).Within(0, 1)
	}
	log := interval.Point(1).Sub(x).Log().Neg()
	if p < 0x1p-13 {
		second := x.Add(x.Mul(x).Mul(interval.Point(0.5)))
		log = interval.NewFloat(second.Lo, second.Add(x.Mul(x).Mul(x)).Hi)
	}
	return interval.Point(1).Sub(times.Mul(log).Neg().Exp()).Within(0, 1)
}

// farthest is up to which x the probabilities are computed; above, they are between 0 and those there.
const farthest = 300

// missed returns m(n, x), which falls in x, but no faster than e^(−x) does: of F and G, F′ ≤ 1 − F, and n·F^(n−1)·(1
// − F) ≤ 1 − F^n, so that −∂m/∂x ≤ E[(1 − F^n)·G] + E[F^n·(1 − G)] ≤ E[1 − F^n·G] = m.
func missed(n int, x interval.Float) interval.Float {
	m := missedAt(n, min(x.Lo, farthest))
	if x.Hi > farthest {
		return interval.NewFloat(0, m.Hi)
	}
	fall := interval.Point(x.Lo).Sub(interval.Point(x.Hi)).Exp()
	return interval.NewFloat(m.Mul(fall).Lo, m.Hi).Within(0, 1)
}

// missedAt returns m(n, x) for a point x, as a sum of positive terms:
//
//	m(n, x) = Pr(ρ − ν > α) + ∫ w(t)·(1 − F(t + x)^n) dt, w(t) = e^(−2|t|)·F(x − t).
//
// The first is (4e^(−x) − e^(−2x))/6. The part of the integral below −x has a closed form. Above, 1 − F(t + x)^n =
// 1 − (1 − ae^(−t))^n, a = e^(−x)/2, is concave in e^(−t): its mean with the weights w over a cell is at most its
// value at the mean of e^(−t), and at least that of the chord there. w and w·e^(−t) are sums of exponentials. What is
// above the last cell is at most n/16·e^(−4t) there.
func missedAt(n int, x float64) interval.Float {
	f := interval.Point
	decay := f(-x).Exp()
	sum := f(4).Mul(decay).Sub(decay.Mul(decay)).Quo(f(6))
	if n == 0 {
		return sum
	}
	sum = sum.Add(belowAll(n, decay))
	last := x + 10 + math.Log(float64(n))/4
	c := cells{n: n, decay: decay, half: decay.Mul(f(0.5))}
	sum = sum.Add(c.sum(-x, 0, below)).Add(c.sum(0, x, between)).Add(c.sum(x, last, beyond))
	rest := f(-4 * last).Exp().Mul(f(float64(n) / 16))
	return sum.Add(interval.NewFloat(0, rest.Hi)).Within(0, 1)
}

// belowAll returns the part of the integral below −x, with d = e^(−x):
// d²·(1/2 − d²/6 − 2^(−n)·(1/(n + 2) − d²/(2(n + 3)))).
func belowAll(n int, d interval.Float) interval.Float {
	f := interval.Point
	square := d.Mul(d)
	power := f(math.Ldexp(1, -n)) // or 0 for what rounding makes up for
	last := f(1).Quo(f(float64(n) + 2)).Sub(square.Quo(f(2 * (float64(n) + 3))))
	return square.Mul(f(0.5).Sub(square.Quo(f(6))).Sub(power.Mul(last)))
}

// cells are those of the integral of [missedAt].
type cells struct {
	n           int
	decay, half interval.Float // e^(−x), e^(−x)/2
}

// cellsPerUnit says how many there are.
const cellsPerUnit = 32

// region is where w has one form: below 0, from 0 to x, and beyond x.
type region int

const (
	below region = iota
	between
	beyond
)

// sum returns the integral over a region, or the part of it up to a point.
func (c cells) sum(from, to float64, r region) interval.Float {
	total := interval.Point(0)
	count := int(math.Ceil((to - from) * cellsPerUnit))
	left := c.place(from)
	for i := range count {
		t := to
		if i+1 < count {
			t = from + (to-from)*float64(i+1)/float64(count)
		}
		right := c.place(t)
		weight, first := c.weights(left, right, r)
		total = total.Add(c.cell(left, right, weight, first))
		left = right
	}
	return total
}

// place is a point t: e^t, e^(−t), and 1 − F(t + x)^n.
type place struct{ up, down, value interval.Float }

func (c cells) place(t float64) place {
	up := interval.Point(t).Exp()
	down := interval.Point(1).Quo(up)
	return place{up, down, someOf(c.half.Mul(down).Within(0, 0.5), c.n)}
}

// weights returns the integrals of w and of w·e^(−t) over a cell: w is e^(2t)(1 − e^(t−x)/2) below 0, e^(−2t)(1 −
// e^(t−x)/2) up to x, and e^(x−3t)/2 beyond.
func (c cells) weights(a, b place, r region) (weight, first interval.Float) {
	power := func(x interval.Float, k int) interval.Float {
		result := x
		for range k - 1 {
			result = result.Mul(x)
		}
		return result
	}
	up := func(k int) interval.Float { return power(b.up, k).Sub(power(a.up, k)).Quo(interval.Point(float64(k))) }
	down := func(k int) interval.Float {
		return power(a.down, k).Sub(power(b.down, k)).Quo(interval.Point(float64(k)))
	}
	switch r {
	case below:
		return up(2).Sub(c.half.Mul(up(3))), up(1).Sub(c.half.Mul(up(2)))
	case beyond:
		scale := interval.Point(0.5).Quo(c.decay)
		return scale.Mul(down(3)), scale.Mul(down(4))
	}
	return down(2).Sub(c.half.Mul(down(1))), down(3).Sub(c.half.Mul(down(2)))
}

// cell returns the integral over a cell with these weights, between the chord and the value at the mean.
func (c cells) cell(a, b place, weight, first interval.Float) interval.Float {
	if !(weight.Lo > 0) {
		return interval.NewFloat(0, max(0, weight.Hi))
	}
	mean := first.Quo(weight).Within(b.down.Lo, a.down.Hi)
	most := weight.Mul(someOf(c.half.Mul(mean).Within(0, 0.5), c.n))
	least := interval.Point(min(a.value.Lo, b.value.Lo))
	if width := a.down.Sub(b.down); width.Lo > 0 {
		share := mean.Sub(b.down).Quo(width).Within(0, 1)
		least = least.Add(interval.Point(max(0, a.value.Lo-b.value.Lo)).Mul(interval.Point(share.Lo)))
	}
	return interval.NewFloat(max(0, weight.Mul(least).Lo), most.Hi)
}
