package impl

import (
	"container/heap"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Sensitivity bounds by how much the error s changes with one record of x^train, at a
// given q; n = n^train and Λ = lambda.
type Sensitivity func(n int, lambda *big.Rat) (Interval, error)

// testBits is the precision of what is computed once for a release test.
const testBits = 160

// ErrorSensitivity returns the bound 2(e^w − 1), w = 2/(n^train·Λ), as printed.
//
// Source: Hartmann et al. (2022), Appendix D, the display after eq. (15); ODP-L21.
// Symbols: n^train = n, Λ = lambda.
// Domain: n ≥ 1, Λ > 0, n·Λ from 0.01 to 1e12.
// Accuracy: 100 bits.
// Deviation from print: none.
// Cost: O(1).
func ErrorSensitivity(n int, lambda *big.Rat) (Interval, error) {
	w, err := parameterDistance(n, lambda)
	if err != nil {
		return Interval{}, fmt.Errorf("ErrorSensitivity: %w", err)
	}
	return printedError(w), nil
}

func printedError(w *big.Rat) Interval {
	n := reals{testBits}
	return n.mul(n.int(2), n.sub(n.expRat(w), n.int(1)))
}

// TightErrorSensitivity returns the bound 2·tanh(w/4), w = 2/(n^train·Λ): the most by
// which h_p(x) = tanh(p^T x/2) changes when p^T x changes by w. It is never above 2, and
// for small w a quarter of the printed one.
//
// Proof. tanh α − tanh β = tanh(α − β)·(1 − tanh α·tanh β). For α − β = w/2 that is
// largest where tanh α·tanh β is smallest, at α = −β = w/4: with α + β = σ,
// tanh α·tanh β = (cosh σ − cosh(w/2))/(cosh σ + cosh(w/2)) increases with cosh σ. And
// tanh is increasing, so no smaller change does more. The error changes by as much if
// all of x^test has x^T(p − p′) = w, p^T x = w/2 and y = 1. □
//
// Source: none; sharper than Hartmann et al. (2022), Appendix D; ODP-L21.
// Symbols, domain and cost: as for [ErrorSensitivity].
// Accuracy: 100 bits.
func TightErrorSensitivity(n int, lambda *big.Rat) (Interval, error) {
	w, err := parameterDistance(n, lambda)
	if err != nil {
		return Interval{}, fmt.Errorf("TightErrorSensitivity: %w", err)
	}
	r := reals{testBits}
	return r.twiceTanh(r.rat(w)), nil
}

// twiceTanh returns 2·tanh(w/4) = 2(1 − e^(−w/2))/(1 + e^(−w/2)) for w ≥ 0.
func (n reals) twiceTanh(w Interval) Interval {
	e := n.exp(n.neg(n.half(w)))
	return n.mul(n.int(2), n.quo(n.max0(n.sub(n.int(1), e)), n.add(n.int(1), e)))
}

// LogisticErrorSensitivity returns 2·tanh(w/4) for a smaller w, which holds for the
// logistic loss: w = 2σ(R)/(n^train·Λ), σ(R) = 1/(1 + e^(−R)), R a bound of ‖p_min‖.
//
// Proof. Let v = y·x for each record, J and J′ the objectives of neighbours that differ
// in v and v′, and p′ the minimizer of J′. Then ∇J(p′) = (v′σ(−v′^T p′) − vσ(−v^T p′))/n has
// a norm of at most 2σ(‖p′‖)/n, and J is Λ-strongly convex: ‖p − p′‖ ≤ ‖∇J(p′)‖/Λ. As for R:
// from ∇J(p)·p = 0, Λ‖p‖² is the mean of φ(v^T p), φ(u) = u·σ(−u), and |v^T p| ≤ ‖p‖.
// φ increases up to where u·σ(u) = 1, at 1.27846454…, and is at most 0.27846455: hence
// ‖p‖² ≤ 0.27846455/Λ, and, if ‖p‖ is below 1.27846454, Λ‖p‖ ≤ σ(−‖p‖). □
//
// Source: none; sharper than Hartmann et al. (2022), Theorem 16; ODP-T16, ODP-L21.
// Symbols, domain and cost: as for [ErrorSensitivity].
// Accuracy: 40 bits.
func LogisticErrorSensitivity(n int, lambda *big.Rat) (Interval, error) {
	w, err := parameterDistance(n, lambda)
	if err != nil {
		return Interval{}, fmt.Errorf("LogisticErrorSensitivity: %w", err)
	}
	r := reals{testBits}
	return r.twiceTanh(r.mul(r.rat(w), largestMinimizer(lambda).sigma().interval())), nil
}

// peak is where φ(u) = u·σ(−u) is largest, between its ends.
var peak = span{1.27846454, 1.27846455}

// largestMinimizer returns R ≥ ‖p_min‖ for the logistic loss, as one float64 above and
// one below the solution of the equation for R.
func largestMinimizer(lambda *big.Rat) span {
	l := spanRat(lambda)
	above := func(r float64) span { return l.mul(point(r)).sub(point(-r).sigma()) } // increasing in r
	if above(peak.lo).lo <= 0 {
		return peak.mul(peak.neg().sigma()).quo(l).sqrt()
	}
	lo, hi := bisect(0, peak.lo, above)
	return span{lo, hi}
}

// bisect returns lo and hi with f(lo) ≤ 0 ≤ f(hi) for an increasing f of which that is
// known at the ends given, and is as far as it can be decided.
func bisect(lo, hi float64, f func(x float64) span) (float64, float64) {
	for _, end := range []bool{false, true} { // move lo up, then hi down
		undecided := hi
		if end {
			undecided = lo
		}
		for range 200 {
			mid := lo + (undecided-lo)/2
			if end {
				mid = hi + (undecided-hi)/2
			}
			if mid == lo || mid == hi || mid == undecided {
				break
			}
			value := f(mid)
			switch {
			case !end && value.hi <= 0:
				lo = mid
			case end && value.lo >= 0:
				hi = mid
			default:
				undecided = mid
			}
		}
	}
	return lo, hi
}

// parameterDistance returns 2/(n·Λ).
func parameterDistance(n int, lambda *big.Rat) (*big.Rat, error) {
	if err := checkWeight(n, lambda); err != nil {
		return nil, err
	}
	weight := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(n)), lambda)
	return weight.Quo(big.NewRat(2, 1), weight), nil
}

func checkWeight(n int, lambda *big.Rat) error {
	if n < 1 {
		return fmt.Errorf("n is %d, must be at least 1", n)
	}
	if err := checkAbove0("lambda", lambda); err != nil {
		return err
	}
	weight := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(n)), lambda)
	if weight.Cmp(parseRat("0.01")) < 0 || weight.Cmp(parseRat("1e12")) > 0 {
		return fmt.Errorf("lambda is %s, times n = %d must be at least 0.01 and at most 1e12", decimal(lambda), n)
	}
	return nil
}

func checkAbove0(name string, x *big.Rat) error {
	if x == nil {
		return fmt.Errorf("%s is missing, must be a number", name)
	}
	if x.Sign() <= 0 || magnitude(x) > maxMagnitude || magnitude(x) < -maxMagnitude {
		return fmt.Errorf("%s is %s, must be greater than 0, from 1e-289 to 1e289", name, decimal(x))
	}
	return nil
}

// ReleaseTestScale returns a = max(2/n^test, sensitivity(n^train, Λ)).
//
// Source: Hartmann et al. (2022), Algorithm 5, line 2; ODP-A5, ODP-T17.
// Symbols: n^train = nTrain, n^test = nTest, Λ = lambda.
// Domain: n^test ≥ 1; otherwise as for [ErrorSensitivity].
// Accuracy: that of the sensitivity; 2/n^test is exact to 160 bits.
// Deviation from print: the sensitivity is a parameter; [ErrorSensitivity] is printed.
// Cost: O(1).
func ReleaseTestScale(nTrain, nTest int, lambda *big.Rat, sensitivity Sensitivity) (Interval, error) {
	a, _, err := releaseTestScale(nTrain, nTest, lambda, sensitivity)
	if err != nil {
		return Interval{}, fmt.Errorf("ReleaseTestScale: %w", err)
	}
	return a, nil
}

// releaseTestScale returns a and (2/n^test)/a, which is exactly 1 where 2/n^test is the
// larger part of a.
func releaseTestScale(nTrain, nTest int, lambda *big.Rat, sensitivity Sensitivity) (a, part Interval, err error) {
	if nTest < 1 {
		return a, part, fmt.Errorf("nTest is %d, must be at least 1", nTest)
	}
	if sensitivity == nil {
		return a, part, errors.New("sensitivity is missing, must be a function such as ErrorSensitivity")
	}
	s, err := sensitivity(nTrain, lambda)
	if err != nil {
		return a, part, err
	}
	n := reals{testBits}
	test, one := n.rat(big.NewRat(2, int64(nTest))), n.int(1)
	a = Interval{larger(test.Lower, s.Lower), larger(test.Upper, s.Upper)}
	if s.Upper.Cmp(test.Lower) <= 0 {
		return a, one, nil
	}
	part = n.quo(test, a)
	return a, Interval{smaller(part.Lower, one.Lower), smaller(part.Upper, one.Upper)}, nil
}

func larger(x, y *big.Float) *big.Float {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}

func smaller(x, y *big.Float) *big.Float {
	if x.Cmp(y) < 0 {
		return x
	}
	return y
}

// ReleaseTestCharges returns ℰ(ℝ^d) = max(ε_1, ((2/n^test)/a)·ε_2) and
// ℰ({⊥}) = min(ℰ(ℝ^d), ε_2).
//
// Source: Hartmann et al. (2022), Theorem 17; ODP-T17, ODP-C18.
// Symbols: ε_1 = eps1, ε_2 = eps2; otherwise as for [ReleaseTestScale].
// Domain: ε_1, ε_2 > 0; otherwise as for [ReleaseTestScale].
// Accuracy: that of the sensitivity.
// Deviation from print: that of [ReleaseTestScale].
// Cost: O(1).
func ReleaseTestCharges(nTrain, nTest int, eps1, eps2, lambda *big.Rat, sensitivity Sensitivity) (released, refused Interval, err error) {
	if err := errors.Join(checkAbove0("eps1", eps1), checkAbove0("eps2", eps2)); err != nil {
		return released, refused, fmt.Errorf("ReleaseTestCharges: %w", err)
	}
	_, part, err := releaseTestScale(nTrain, nTest, lambda, sensitivity)
	if err != nil {
		return released, refused, fmt.Errorf("ReleaseTestCharges: %w", err)
	}
	n := reals{testBits}
	e1, e2 := n.rat(eps1), n.rat(eps2)
	test := n.mul(part, e2)
	released = Interval{larger(e1.Lower, test.Lower), larger(e1.Upper, test.Upper)}
	return released, Interval{smaller(released.Lower, e2.Lower), smaller(released.Upper, e2.Upper)}, nil
}

// ReleaseTestPercentile returns the y with Pr(r ≤ y) = level for the noise r ~ Lap(a/ε_2)
// of the test: (a/ε_2)·ln(1/(2(1 − level))), which is (a/ε_2)·ln 10 at level = 0.95.
//
// Source: Hartmann et al. (2022), Figure 2; ODP-F2.
// Symbols: ε_2 = eps2; otherwise as for [ReleaseTestScale].
// Domain: level from 0.5 to 1, without 1; ε_2 > 0; otherwise as for [ReleaseTestScale].
// Accuracy: that of the sensitivity.
// Deviation from print: that of [ReleaseTestScale].
// Cost: O(1).
func ReleaseTestPercentile(level *big.Rat, nTrain, nTest int, eps2, lambda *big.Rat, sensitivity Sensitivity) (Interval, error) {
	if level == nil || level.Cmp(big.NewRat(1, 2)) < 0 || level.Cmp(one) >= 0 {
		return Interval{}, fmt.Errorf("ReleaseTestPercentile: level is %v, must be at least 1/2 and less than 1", level)
	}
	if err := checkAbove0("eps2", eps2); err != nil {
		return Interval{}, fmt.Errorf("ReleaseTestPercentile: %w", err)
	}
	a, err := ReleaseTestScale(nTrain, nTest, lambda, sensitivity)
	if err != nil {
		return Interval{}, fmt.Errorf("ReleaseTestPercentile: %w", err)
	}
	n := reals{testBits}
	above := new(big.Rat).Sub(one, level) // Pr(r > y) = e^(−y·ε_2/a)/2
	odds := n.log(above.Inv(above.Mul(above, big.NewRat(2, 1))))
	return n.quo(n.mul(a, odds), n.rat(eps2)), nil
}

// RefusalAbove returns the probability of ⊥ when the error s is above t by excess:
// Pr(r > −excess), r ~ Lap(a/ε_2).
//
// Source: Hartmann et al. (2022), Algorithm 5, line 4; ODP-A5, ODP-F2.
// Symbols: a, ε_2 = eps2.
// Domain: a > 0, excess ≥ 0, ε_2 > 0.
// Accuracy: 100 bits beside that of the arguments.
// Deviation from print: none.
// Cost: O(1).
func RefusalAbove(excess, a Interval, eps2 *big.Rat) (Interval, error) {
	if err := checkAbove0("eps2", eps2); err != nil {
		return Interval{}, fmt.Errorf("RefusalAbove: %w", err)
	}
	if err := checkScale("a", a); err != nil {
		return Interval{}, fmt.Errorf("RefusalAbove: %w", err)
	}
	if excess.Lower == nil || excess.Upper == nil || excess.Lower.Sign() < 0 || excess.Upper.IsInf() {
		return Interval{}, fmt.Errorf("RefusalAbove: excess is [%v, %v], must be finite and at least 0", excess.Lower, excess.Upper)
	}
	n := reals{testBits}
	return n.sub(n.int(1), n.half(n.exp(n.neg(n.quo(n.mul(excess, n.rat(eps2)), a))))), nil
}

func checkScale(name string, a Interval) error {
	if a.Lower == nil || a.Upper == nil || !(a.span().lo > 1e-289) || a.span().hi > 1e289 {
		return fmt.Errorf("%s is [%v, %v], must be greater than 0, from 1e-289 to 1e289", name, a.Lower, a.Upper)
	}
	return nil
}

// MinimizerOnLine returns p_min(x^train) for one covariate, d = 1.
//
// The derivative Λp − (1/n) Σ vσ(−vp), v = y·x, increases with p, at least as Λp does; it
// is at most 0 at −1/Λ and at least 0 at 1/Λ. Where its sign is certain, p_min is on the
// other side.
//
// Source: Hartmann et al. (2022), eq. (5); ODP-E5, for l_LogReg and N_{L_2}.
// Symbols: x^train = train, Λ = lambda.
// Domain: as for [Minimizer], d = 1; records are taken for the numbers that they hold.
// Accuracy: the width is a few n·2^-52/Λ.
// Deviation from print: none.
// Cost: O(n), and some 80 passes over the distinct values of y·x.
func MinimizerOnLine(train []Record, lambda *big.Rat) (Interval, error) {
	if err := checkLine("train", train); err != nil {
		return Interval{}, fmt.Errorf("MinimizerOnLine: %w", err)
	}
	if err := checkWeight(len(train), lambda); err != nil {
		return Interval{}, fmt.Errorf("MinimizerOnLine: %w", err)
	}
	return minimizerOnLine(train, spanRat(lambda)).interval(), nil
}

// minimizerOnLine bisects in float64, and then moves away from what it found until the
// sign of the derivative is certain.
func minimizerOnLine(train []Record, lambda span) span {
	var margins []weightedMargin
	for _, r := range train {
		v := point(r.X[0]).mul(point(r.Y))
		same := func(m weightedMargin) bool { return m.v == v }
		if i := slices.IndexFunc(margins, same); i >= 0 {
			margins[i].count++
		} else {
			margins = append(margins, weightedMargin{v, 1})
		}
	}
	n := float64(len(train))
	slope := func(p float64) span {
		sum := point(0)
		for _, m := range margins {
			sum = sum.add(point(m.count).mul(m.v).mul(m.v.mul(point(-p)).sigma()))
		}
		return lambda.mul(point(p)).sub(sum.quo(point(n)))
	}
	end := point(1).quo(lambda).hi
	estimate := bisectFloat(-end, end, func(p float64) float64 {
		sum := 0.0
		for _, m := range margins {
			sum += m.count * m.v.lo / (1 + math.Exp(m.v.lo*p))
		}
		return lambda.lo*p - sum/n
	})
	result := span{-end, end}
	for away := end * 0x1p-60; away < end; away *= 4 {
		if lo := estimate - away; lo > result.lo && slope(lo).hi <= 0 {
			result.lo = lo
			break
		}
	}
	for away := end * 0x1p-60; away < end; away *= 4 {
		if hi := estimate + away; hi < result.hi && slope(hi).lo >= 0 {
			result.hi = hi
			break
		}
	}
	return result
}

// weightedMargin is a value of y·x and how often it occurs.
type weightedMargin struct {
	v     span
	count float64
}

// bisectFloat returns about where an increasing f is 0.
func bisectFloat(lo, hi float64, f func(x float64) float64) float64 {
	for range 64 {
		if mid := (lo + hi) / 2; f(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

func checkLine(name string, records []Record) error {
	if err := checkRecords(name, records); err != nil {
		return err
	}
	if d := len(records[0].X); d != 1 {
		return fmt.Errorf("%s: record 1 has %d covariates, must have 1", name, d)
	}
	return nil
}

// ReleaseTest is Algorithm 5 on a database with one covariate, d = 1. Records are taken
// for the numbers that they hold.
type ReleaseTest struct {
	Train, Test               []Record // x^train, x^test
	Eps1, Eps2, Lambda, Limit *big.Rat // ε_1, ε_2, Λ, t
	Scale                     Interval // a of line 2
	Width                     float64  // relative width of probabilities and densities that is asked for; 0 for 2^-7
}

// weighted is a test record and how often it occurs.
type weighted struct{ x, y, count float64 }

// line is a ReleaseTest in the arithmetic of spans.
type line struct {
	test       []weighted
	size       span // n^test
	min        span // p_min
	rate       span // n^train·Λ·ε_1/2: that of the Laplace law of q
	sharpness  span // ε_2/a: that of the Laplace law of r
	halfWeight span // sharpness/2
	limit      span // t
	width      float64
}

// output returns what Algorithm 4 needs of it.
func (x ReleaseTest) output() (line, error) {
	if err := checkLine("train", x.Train); err != nil {
		return line{}, err
	}
	if err := errors.Join(checkWeight(len(x.Train), x.Lambda), checkAbove0("Eps1", x.Eps1)); err != nil {
		return line{}, err
	}
	lambda := spanRat(x.Lambda)
	rate := point(float64(len(x.Train))).mul(lambda).mul(spanRat(x.Eps1)).mul(point(0.5))
	return line{min: minimizerOnLine(x.Train, lambda), rate: rate}, nil
}

func (x ReleaseTest) line() (line, error) {
	l, err := x.output()
	if err != nil {
		return line{}, err
	}
	if err := errors.Join(checkLine("test", x.Test), checkAbove0("Eps2", x.Eps2)); err != nil {
		return line{}, err
	}
	if x.Limit == nil || magnitude(x.Limit) > 63 {
		return line{}, fmt.Errorf("Limit is %v, must be a number below 2^63", x.Limit)
	}
	if err := checkScale("Scale", x.Scale); err != nil {
		return line{}, err
	}
	l.limit, l.size = spanRat(x.Limit), point(float64(len(x.Test)))
	l.sharpness = spanRat(x.Eps2).quo(x.Scale.span())
	if !(l.sharpness.hi <= 1e289) {
		return line{}, fmt.Errorf("Eps2 is %s, must be at most 1e289 times Scale", decimal(x.Eps2))
	}
	if l.width = x.Width; !(l.width > 0) {
		l.width = defaultWidth
	}
	l.halfWeight = l.sharpness.mul(point(0.5))
	for _, r := range x.Test {
		same := func(w weighted) bool { return w.x == r.X[0] && w.y == r.Y }
		if i := slices.IndexFunc(l.test, same); i >= 0 {
			l.test[i].count++
		} else {
			l.test = append(l.test, weighted{r.X[0], r.Y, 1})
		}
	}
	return l, nil
}

// errorBetween returns s(p, x^test) for all p between two points, given the scores there:
// h_p(x) is monotone in p.
func (l line) errorBetween(from, to []span) span {
	sum := point(0)
	for i, r := range l.test {
		sum = sum.add(from[i].hull(to[i]).sub(point(r.y)).abs().mul(point(r.count)))
	}
	return sum.quo(l.size).within(0, 2)
}

// scores returns h_p(x) = 2σ(px) − 1 of all test records.
func (l line) scores(p span) []span {
	var h []span
	for _, r := range l.test {
		h = append(h, p.mul(point(r.x)).sigma().mul(point(2)).sub(point(1)).within(-1, 1))
	}
	return h
}

// above returns Pr(r > v).
func (l line) above(v span) span {
	return span{l.aboveAt(v.hi).lo, l.aboveAt(v.lo).hi}
}

func (l line) aboveAt(v float64) span {
	tail := point(-math.Abs(v)).mul(l.sharpness).exp().mul(point(0.5))
	if v < 0 {
		return point(1).sub(tail).within(0, 1)
	}
	return tail.within(0, 1)
}

// density returns the density of r at v.
func (l line) density(v span) span {
	return v.abs().neg().mul(l.sharpness).exp().mul(l.halfWeight).within(0, math.Inf(1))
}

// expect returns the expectation of f(s(p_min + q, x^test)) over q, for an f ≥ 0 that
// encloses its values on an interval.
//
// The law of q is cut into cells; each contributes its mass times f of the enclosure of s
// on it. The result contains the truth whatever the cells. The cell that adds most to the
// width is cut in two until the width is small enough or there are too many cells.
func (l line) expect(f func(s span) span) span {
	h := &cellHeap{}
	for _, side := range []float64{1, -1} {
		start := l.cellEnd(side, 0)
		heap.Push(h, l.cell(f, side, start, cellEnd{q: math.Inf(1)}))
	}
	low, width := 0.0, 0.0
	for _, c := range *h {
		low, width = low+c.part.lo, width+c.width()
	}
	for h.Len() < mostCells && width > l.width*low {
		c := heap.Pop(h).(cell)
		low, width = low-c.part.lo, width-c.width()
		q := c.from.q + (c.to.q-c.from.q)/2
		if math.IsInf(c.to.q, 1) {
			q = c.from.q + 1/l.rate.hi
		}
		mid := l.cellEnd(c.side, q)
		for _, half := range []cell{l.cell(f, c.side, c.from, mid), l.cell(f, c.side, mid, c.to)} {
			low, width = low+half.part.lo, width+half.width()
			heap.Push(h, half)
		}
	}
	sum := point(0)
	for _, c := range *h {
		sum = sum.add(c.part)
	}
	return sum
}

// mostCells is when expect stops in any case.
const mostCells = 1 << 16

// defaultWidth is the relative width where none is asked for.
const defaultWidth = 0x1p-7

// cellEnd is a value of |q|: where a cell ends.
type cellEnd struct {
	q      float64
	scores []span // h_p(x) at p_min + q
	beyond span   // the probability of more, with the same sign
}

// cell is the values of q of one sign between two ends.
type cell struct {
	side     float64 // the sign of q
	from, to cellEnd
	part     span // its part of the expectation
}

func (c cell) width() float64 { return c.part.hi - c.part.lo }

func (l line) cellEnd(side, q float64) cellEnd {
	beyond := point(-q).mul(l.rate).exp().mul(point(0.5))
	return cellEnd{q, l.scores(l.min.add(point(side * q))), beyond}
}

// cell returns the cell between two ends; the last end is +Inf.
func (l line) cell(f func(s span) span, side float64, from, to cellEnd) cell {
	s, mass := span{0, 2}, from.beyond
	if !math.IsInf(to.q, 1) {
		s, mass = l.errorBetween(from.scores, to.scores), from.beyond.sub(to.beyond)
	}
	return cell{side, from, to, mass.within(0, 1).mul(f(s)).within(0, math.Inf(1))}
}

// cellHeap has the widest cell on top.
type cellHeap []cell

func (h cellHeap) Len() int           { return len(h) }
func (h cellHeap) Less(i, j int) bool { return h[i].width() > h[j].width() }
func (h cellHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *cellHeap) Push(x any)        { *h = append(*h, x.(cell)) }
func (h *cellHeap) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// RefusalProbability returns Pr(A5 returns ⊥) for one covariate, d = 1: the integral over
// q of the density of q and Pr(s(p_min + q, x^test) + r > t).
//
// Source: Hartmann et al. (2022), Algorithm 5; ODP-A5.
// Symbols: as in [ReleaseTest].
// Domain: as for [MinimizerOnLine]; ε_1, ε_2 > 0.
// Accuracy: certified; the relative width is x.Width, more where 65536 cells do not suffice.
// Deviation from print: a is a parameter.
// Cost: some 2/width cells, O(distinct test records) each.
func RefusalProbability(x ReleaseTest) (Interval, error) {
	l, err := x.line()
	if err != nil {
		return Interval{}, fmt.Errorf("RefusalProbability: %w", err)
	}
	return l.expect(func(s span) span { return l.above(l.limit.sub(s)) }).within(0, 1).interval(), nil
}

// NoisyErrorDensity returns the density at c of s(p_min + Q, x^test) + R for one covariate,
// d = 1.
//
// Source: Hartmann et al. (2022), Lemma 21; ODP-L21.
// Symbols, domain, accuracy, deviation and cost: as for [RefusalProbability].
func NoisyErrorDensity(x ReleaseTest, c float64) (Interval, error) {
	if math.IsNaN(c) || math.IsInf(c, 0) {
		return Interval{}, fmt.Errorf("NoisyErrorDensity: c is %g, must be finite", c)
	}
	l, err := x.line()
	if err != nil {
		return Interval{}, fmt.Errorf("NoisyErrorDensity: %w", err)
	}
	return l.expect(func(s span) span { return l.density(point(c).sub(s)) }).interval(), nil
}

// ReleaseLoss returns the privacy loss of the output p of Algorithm 5, the logarithm of
// the ratio of its densities for x and y, for one covariate, d = 1: that of
// f_Q(p − p_min), and that of Pr(r ≤ t − s(p, x^test)).
//
// Source: Hartmann et al. (2022), Algorithm 5; ODP-A5.
// Symbols and domain: as in [ReleaseTest].
// Accuracy: certified, some 40 bits.
// Deviation from print: none.
// Cost: O(n^train + n^test).
func ReleaseLoss(x, y ReleaseTest, p float64) (Interval, error) {
	if !(math.Abs(p) <= 1e6) {
		return Interval{}, fmt.Errorf("ReleaseLoss: p is %g, must be at least -1e6 and at most 1e6", p)
	}
	l, err := x.line()
	if err != nil {
		return Interval{}, fmt.Errorf("ReleaseLoss: %w", err)
	}
	m, err := y.line()
	if err != nil {
		return Interval{}, fmt.Errorf("ReleaseLoss: %w", err)
	}
	return l.perturbation(p).sub(m.perturbation(p)).add(l.passed(p).sub(m.passed(p))).interval(), nil
}

// perturbation returns the logarithm of f_Q(p − p_min).
func (l line) perturbation(p float64) span {
	return l.rate.mul(point(0.5)).log().sub(l.rate.mul(point(p).sub(l.min).abs()))
}

// passed returns the logarithm of Pr(r ≤ t − s(p, x^test)) = Pr(r > s − t).
func (l line) passed(p float64) span {
	h := l.scores(point(p))
	return l.above(l.errorBetween(h, h).sub(l.limit)).log()
}

// PerturbationLoss returns the privacy loss of the output p of Algorithm 4 for one
// covariate, d = 1: the logarithm of the ratio of the densities of q, for x and y.
//
// Source: Hartmann et al. (2022), Algorithm 4; ODP-A4.
// Symbols and domain: as in [ReleaseTest], of which it uses x^train, ε_1 and Λ.
// Accuracy: certified, some 40 bits.
// Deviation from print: none.
// Cost: O(n^train).
func PerturbationLoss(x, y ReleaseTest, p float64) (Interval, error) {
	if !(math.Abs(p) <= 1e6) {
		return Interval{}, fmt.Errorf("PerturbationLoss: p is %g, must be at least -1e6 and at most 1e6", p)
	}
	l, err := x.output()
	if err != nil {
		return Interval{}, fmt.Errorf("PerturbationLoss: %w", err)
	}
	m, err := y.output()
	if err != nil {
		return Interval{}, fmt.Errorf("PerturbationLoss: %w", err)
	}
	return l.perturbation(p).sub(m.perturbation(p)).interval(), nil
}
