package impl

import (
	"cmp"
	"container/heap"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// ReleaseTest is Algorithm 5 on a database with one covariate, d = 1. Records are taken
// for the numbers that they hold.
type ReleaseTest struct {
	Train, Test               []LabelledRecord  // x^train, x^test
	Eps1, Eps2, Lambda, Limit *big.Rat          // ε_1, ε_2, Λ, t
	Scale                     interval.Interval // a of line 2
	// relative width of probabilities and densities that is asked for; 0 for 2^-7
	Width float64
}

// line is a ReleaseTest in the arithmetic of spans.
type line struct {
	test       []weighted[[2]float64] // x and y
	size       interval.Float         // n^test
	min        interval.Float         // p_min
	rate       interval.Float         // n^train·Λ·ε_1/2: that of the Laplace law of q
	sharpness  interval.Float         // ε_2/a: that of the Laplace law of r
	halfWeight interval.Float         // sharpness/2
	limit      interval.Float         // t
	width      float64
}

// output returns what Algorithm 4 needs of it.
func (x ReleaseTest) output() (line, error) {
	err := cmp.Or(checkLine("train", x.Train), checkWeight(len(x.Train), x.Lambda), check.Above0("ε_1", x.Eps1))
	if err != nil {
		return line{}, err
	}
	lambda := interval.FloatOf(x.Lambda)
	rate := interval.Point(float64(len(x.Train))).Mul(lambda).Mul(interval.FloatOf(x.Eps1)).Mul(interval.Point(0.5))
	return line{min: minimizerOnLine(x.Train, lambda), rate: rate}, nil
}

func (x ReleaseTest) line() (line, error) {
	l, err := x.output()
	err = cmp.Or(err, checkLine("test", x.Test), check.Above0("ε_2", x.Eps2))
	if err == nil && (x.Limit == nil || rational.Magnitude(x.Limit) > 63) {
		err = fmt.Errorf("limit is %v, must be a number below 2^63", x.Limit)
	}
	if err = cmp.Or(err, checkScale("scale", x.Scale)); err != nil {
		return line{}, err
	}
	l.limit, l.size = interval.FloatOf(x.Limit), interval.Point(float64(len(x.Test)))
	l.sharpness = interval.FloatOf(x.Eps2).Quo(x.Scale.Float())
	if !(l.sharpness.Hi <= 1e289) {
		return line{}, fmt.Errorf("ε_2 is %s, must be at most 1e289 times scale", rational.Decimal(x.Eps2))
	}
	if l.width = x.Width; !(l.width > 0) {
		l.width = defaultWidth
	}
	l.halfWeight = l.sharpness.Mul(interval.Point(0.5))
	l.test = counted(x.Test, func(r LabelledRecord) [2]float64 { return [2]float64{r.X[0], r.Y} })
	return l, nil
}

// errorBetween returns s(p, x^test) for all p between two points, given the scores there:
// h_p(x) is monotone in p.
func (l line) errorBetween(from, to []interval.Float) interval.Float {
	sum := interval.Point(0)
	for i, r := range l.test {
		sum = sum.Add(from[i].Hull(to[i]).Sub(interval.Point(r.of[1])).Abs().Mul(interval.Point(r.count)))
	}
	return sum.Quo(l.size).Within(0, 2)
}

// scores returns h_p(x) = 2σ(px) − 1 of all test records.
func (l line) scores(p interval.Float) []interval.Float {
	var h []interval.Float
	for _, r := range l.test {
		h = append(h,
			p.Mul(interval.Point(r.of[0])).Sigma().Mul(interval.Point(2)).Sub(interval.Point(1)).Within(-1, 1))
	}
	return h
}

// above returns Pr(r > v).
func (l line) above(v interval.Float) interval.Float {
	return interval.NewFloat(l.aboveAt(v.Hi).Lo, l.aboveAt(v.Lo).Hi)
}

func (l line) aboveAt(v float64) interval.Float {
	tail := interval.Point(-math.Abs(v)).Mul(l.sharpness).Exp().Mul(interval.Point(0.5))
	if v < 0 {
		return interval.Point(1).Sub(tail).Within(0, 1)
	}
	return tail.Within(0, 1)
}

// density returns the density of r at v.
func (l line) density(v interval.Float) interval.Float {
	return v.Abs().Neg().Mul(l.sharpness).Exp().Mul(l.halfWeight).Within(0, math.Inf(1))
}

// expect returns the expectation of f(s(p_min + q, x^test)) over q, for an f ≥ 0 that
// encloses its values on an interval. Results up to least need not be told from 0.
//
// The law of q is cut into cells; each contributes its mass times f of the enclosure of s
// on it. The result contains the truth whatever the cells. The cell that adds most to the
// width is cut in two until the width is small enough or there are too many cells.
//
// The width is kept from cell to cell, and added up again each time it is halved: otherwise
// the roundings of the first widths would hide a result that is far below them.
func (l line) expect(f func(s interval.Float) interval.Float, least float64) interval.Float {
	h := &cellHeap{}
	for _, side := range []float64{1, -1} {
		start := l.cellEnd(side, 0)
		heap.Push(h, l.cell(f, side, start, cellEnd{q: math.Inf(1)}))
	}
	low, width := h.lowAndWidth()
	for added := width; h.Len() < mostCells && width > l.width*low && low+width > least; {
		if width < added/2 {
			low, width = h.lowAndWidth()
			added = width
			continue
		}
		c := heap.Pop(h).(cell)
		low, width = low-c.part.Lo, width-c.width()
		q := c.from.q + (c.to.q-c.from.q)/2
		if math.IsInf(c.to.q, 1) {
			q = c.from.q + 1/l.rate.Hi
		}
		mid := l.cellEnd(c.side, q)
		for _, half := range []cell{l.cell(f, c.side, c.from, mid), l.cell(f, c.side, mid, c.to)} {
			low, width = low+half.part.Lo, width+half.width()
			heap.Push(h, half)
		}
	}
	sum := interval.Point(0)
	for _, c := range *h {
		sum = sum.Add(c.part)
	}
	return sum.Within(0, math.Inf(1))
}

// leastExp is a little more than what is known of smaller e^x, below −700.
var leastExp = interval.Point(-700).Exp().Mul(interval.Point(1 + 0x1p-20))

// mostCells is when expect stops in any case.
const mostCells = 1 << 16

// defaultWidth is the relative width where none is asked for.
const defaultWidth = 0x1p-7

// cellEnd is a value of |q|: where a cell ends.
type cellEnd struct {
	q      float64
	scores []interval.Float // h_p(x) at p_min + q
	beyond interval.Float   // the probability of more, with the same sign
}

// cell is the values of q of one sign between two ends.
type cell struct {
	side     float64 // the sign of q
	from, to cellEnd
	part     interval.Float // its part of the expectation
}

func (c cell) width() float64 { return c.part.Hi - c.part.Lo }

func (l line) cellEnd(side, q float64) cellEnd {
	beyond := interval.Point(-q).Mul(l.rate).Exp().Mul(interval.Point(0.5))
	return cellEnd{q, l.scores(l.min.Add(interval.Point(side * q))), beyond}
}

// cell returns the cell between two ends; the last end is +Inf.
func (l line) cell(f func(s interval.Float) interval.Float, side float64, from, to cellEnd) cell {
	s, mass := interval.NewFloat(0, 2), from.beyond
	if !math.IsInf(to.q, 1) {
		s, mass = l.errorBetween(from.scores, to.scores), from.beyond.Sub(to.beyond)
	}
	return cell{side, from, to, mass.Within(0, 1).Mul(f(s)).Within(0, math.Inf(1))}
}

// cellHeap has the widest cell on top.
type cellHeap []cell

// lowAndWidth returns the sums of the lower ends and of the widths, nearly.
func (h cellHeap) lowAndWidth() (low, width float64) {
	for _, c := range h {
		low, width = low+c.part.Lo, width+c.width()
	}
	return low, width
}

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
// Also in the checks of ODP-C18 and ODP-T17.
// Symbols: as in [ReleaseTest].
// Domain: n ≥ 1, |x| ≤ 1, y in [−1, 1], Λ > 0, n·Λ from 0.01 to 1e12, of dimension 1; ε_1, ε_2 > 0.
// Accuracy: certified; the relative width is x.Width, more where 65536 cells do not suffice,
// and 1, with the lower end 0, for results below e^−700/2.
// Deviation from print: a is a parameter.
// Cost: some 2/width cells, O(distinct test records) each.
func RefusalProbability(x ReleaseTest) (interval.Interval, error) {
	l, err := x.line()
	if err != nil {
		return interval.Interval{}, fmt.Errorf("RefusalProbability: %w", err)
	}
	least := leastExp.Mul(interval.Point(0.5)).Hi
	return l.expect(func(s interval.Float) interval.Float { return l.above(l.limit.Sub(s)) }, least).
		Within(0, 1).Interval(), nil
}

// NoisyErrorDensity returns the density at c of s(p_min + Q, x^test) + R for one covariate,
// d = 1.
//
// Source: Hartmann et al. (2022), Lemma 21; ODP-L21.
// Symbols, accuracy and cost: as for [RefusalProbability].
// Domain: n ≥ 1, |x| ≤ 1, y in [−1, 1], Λ > 0, n·Λ from 0.01 to 1e12, of dimension 1; ε_1, ε_2 > 0.
// Deviation from print: a is a parameter; for d = 1 the “element-wise” density of Q is the
// joint one.
func NoisyErrorDensity(x ReleaseTest, c float64) (interval.Interval, error) {
	l, err := x.line()
	if err = cmp.Or(check.Finite("c", c), err); err != nil {
		return interval.Interval{}, fmt.Errorf("NoisyErrorDensity: %w", err)
	}
	least := leastExp.Mul(l.halfWeight).Hi
	return l.expect(func(s interval.Float) interval.Float { return l.density(interval.Point(c).Sub(s)) }, least).
		Interval(), nil
}

// ReleaseLoss returns the privacy loss of the output p of Algorithm 5, the logarithm of
// the ratio of its densities for x and y, for one covariate, d = 1: that of
// f_Q(p − p_min), and that of Pr(r ≤ t − s(p, x^test)).
//
// Source: Hartmann et al. (2022), Algorithm 5; ODP-A5.
// Also in the checks of ODP-C18 and ODP-T17.
// Symbols and domain: as in [ReleaseTest].
// Accuracy: certified, some 40 bits.
// Deviation from print: none.
// Cost: O(n^train + n^test).
func ReleaseLoss(x, y ReleaseTest, p float64) (interval.Interval, error) {
	l, err := x.line()
	m, err2 := y.line()
	if err := cmp.Or(checkOutput(p), err, err2); err != nil {
		return interval.Interval{}, fmt.Errorf("ReleaseLoss: %w", err)
	}
	return l.perturbation(p).Sub(m.perturbation(p)).Add(l.passed(p).Sub(m.passed(p))).Interval(), nil
}

// perturbation returns the logarithm of f_Q(p − p_min).
func (l line) perturbation(p float64) interval.Float {
	return l.rate.Mul(interval.Point(0.5)).Log().Sub(l.rate.Mul(interval.Point(p).Sub(l.min).Abs()))
}

// passed returns the logarithm of Pr(r ≤ t − s(p, x^test)) = Pr(r > s − t).
func (l line) passed(p float64) interval.Float {
	h := l.scores(interval.Point(p))
	return l.above(l.errorBetween(h, h).Sub(l.limit)).Log()
}

// PerturbationLoss returns the privacy loss of the output p of Algorithm 4 for one
// covariate, d = 1: the logarithm of the ratio of the densities of q, for x and y.
//
// Source: Hartmann et al. (2022), Algorithm 4; ODP-A4.
// Symbols and domain: as in [ReleaseTest], of which it uses x^train, ε_1 and Λ.
// Accuracy: certified, some 40 bits.
// Deviation from print: none.
// Cost: O(n^train).
func PerturbationLoss(x, y ReleaseTest, p float64) (interval.Interval, error) {
	l, err := x.output()
	m, err2 := y.output()
	if err := cmp.Or(checkOutput(p), err, err2); err != nil {
		return interval.Interval{}, fmt.Errorf("PerturbationLoss: %w", err)
	}
	return l.perturbation(p).Sub(m.perturbation(p)).Interval(), nil
}

func checkOutput(p float64) error {
	if !(math.Abs(p) <= 1e6) {
		return fmt.Errorf("p is %g, must be at least -1e6 and at most 1e6", p)
	}
	return nil
}
