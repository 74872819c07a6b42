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

// SampleIQR returns x_(⌈3n/4⌉) − x_(⌈n/4⌉), the 75th minus the 25th percentile of the
// empirical distribution of the records.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X16.
// Symbols: x_(k) = the k-th smallest of x, n = len(x).
// Domain: n in [2, 2^20]. Result at least 0.
// Accuracy: exact.
// Deviation from print: the paper does not say which percentile of a sample is meant.
// Cost: O(n log n).
func SampleIQR(x []*big.Rat) (*big.Rat, error) {
	s, err := sortSample(x)
	if err != nil {
		return nil, fmt.Errorf("SampleIQR: %w", err)
	}
	return s.iqr, nil
}

// sample is a sorted list of records.
type sample struct {
	records  []*big.Rat
	low, top int // the quartiles are the records with these indices
	iqr      *big.Rat
}

func sortSample(x []*big.Rat) (sample, error) {
	n := len(x)
	if err := checkRecordsOf(x, 2); err != nil {
		return sample{}, err
	}
	s := sample{slices.SortedFunc(slices.Values(x), (*big.Rat).Cmp), (n+3)/4 - 1, (3*n+3)/4 - 1, nil}
	s.iqr = s.between(s.low, s.top)
	return s, nil
}

// checkRecordsOf refuses fewer records than there must be, too many, and what is no number.
func checkRecordsOf(x []*big.Rat, least int) error {
	if n := len(x); n < least || n > 1<<20 {
		return fmt.Errorf("there are %d records, must be at least %d and at most 2^20", n, least)
	}
	if i := slices.Index(x, nil); i >= 0 {
		return fmt.Errorf("record %d is missing, must be a number", i+1)
	}
	return nil
}

// between returns x_b − x_a.
func (s sample) between(a, b int) *big.Rat { return new(big.Rat).Sub(s.records[b], s.records[a]) }

// binEdge is (1 + 1/ln n)^(halves/2). It is 1 for halves = 0 and transcendental
// otherwise, as ln n is.
type binEdge struct {
	n, halves int
	about     interval.Interval // the square, to firstBits
}

// firstBits decide nearly always on which side of an edge a range is.
const firstBits = interval.Precision(64)

func newBinEdge(n, halves int) *binEdge {
	e := &binEdge{n: n, halves: halves}
	e.about = e.square(firstBits)
	return e
}

// above reports whether r ≥ 0 is less than the edge. Squares are compared, which spares
// a root, with more and more bits until they differ.
func (e *binEdge) above(r *big.Rat) bool {
	if e.halves == 0 {
		return r.Cmp(rational.One) < 0
	}
	square, edge := new(big.Rat).Mul(r, r), e.about
	for n := firstBits; ; { // ends: a rational number is not transcendental
		x := n.Rat(square)
		switch {
		case x.Upper.Cmp(edge.Lower) < 0:
			return true
		case x.Lower.Cmp(edge.Upper) > 0:
			return false
		}
		n *= 2
		edge = e.square(n)
	}
}

// square returns (1 + 1/ln n)^halves. Powers multiply relative errors: as many more bits
// as the exponent has keep them small.
func (e *binEdge) square(n interval.Precision) interval.Interval {
	w := n + 96
	power := w.Power(iqrBaseOf(w, e.n), max(e.halves, -e.halves))
	if e.halves < 0 {
		power = w.Quo(w.Int(1), power)
	}
	return power.Rounded(n)
}

// iqrBaseOf returns 1 + 1/ln n.
func iqrBaseOf(n interval.Precision, records int) interval.Interval {
	return n.Add(n.Int(1), n.Quo(n.Int(1), n.Log(big.NewRat(int64(records), 1))))
}

// iqrBin are the edges of a bin [lower, upper); both are nil for the bin of 0.
type iqrBin struct{ lower, upper *binEdge }

// bin returns the bin of discretization j that the interquartile range is in. Its
// logarithm in few bits finds it but for a few steps.
func (s sample) bin(j int) iqrBin {
	if s.iqr.Sign() == 0 {
		return iqrBin{}
	}
	n := len(s.records)
	edge := func(halves int) *binEdge { return newBinEdge(n, halves) }
	m := int(approximateLog(s.iqr) / math.Log1p(1/math.Log(float64(n))))
	b := iqrBin{edge(2*m + j - 1), edge(2*m + j + 1)}
	for b.lower.above(s.iqr) {
		b = iqrBin{edge(b.lower.halves - 2), b.lower}
	}
	for !b.upper.above(s.iqr) {
		b = iqrBin{b.upper, edge(b.upper.halves + 2)}
	}
	return b
}

// approximateLog returns about ln(r) for r > 0, whatever its size.
func approximateLog(r *big.Rat) float64 {
	mantissa := new(big.Float).SetPrec(64).SetRat(r)
	exponent := mantissa.MantExp(mantissa)
	f, _ := mantissa.Float64()
	return math.Log(f) + float64(exponent)*math.Ln2
}

// isBelow reports whether the range r lies below the bin.
func (b iqrBin) isBelow(r *big.Rat) bool { return b.lower.above(r) }

// isAbove reports whether the range r lies above the bin.
func (b iqrBin) isAbove(r *big.Rat) bool {
	if b.upper == nil {
		return r.Sign() > 0
	}
	return !b.upper.above(r)
}

// IQRDistance returns A_j(x): the least number of records that have to be replaced for
// L, the logarithm of the interquartile range to the base 1 + 1/ln n, to leave its bin.
//
// Let p and q be the numbers of the quartiles in the sorted records. Replacing i + k
// records between the quartiles by i very small and k very large ones gives the range
// x_(q+k) − x_(p−i), as large as one likes if q + k > n or p − i < 1; no replacement of i + k
// records gives more, because at most i of them can be below the lower quartile and k above
// the upper one. Replacing the i smallest and k largest of the records from outside
// by ones inside [x_(p+i), x_(q−k)] gives the range x_(q−k) − x_(p+i), or 0 if that is
// negative, and no replacement of i + k records gives less. So the distance is the
// smallest i + k that gives a range outside the bin, and for growing i the smallest such k
// only falls: one pass over the records finds it.
//
// Source: Dwork and Lei (2009), algorithm for the interquartile range; ODP-X16.
// Symbols: j in {1, 2} is the discretization, with the bins [m, m + 1) for j = 1 and
// [m − 1/2, m + 1/2) for j = 2, m an integer; L = −∞ is a bin of its own.
// Domain: n in [2, 2^20].
// Result in [1, ⌈n/4⌉]: so many records can make the range as large as one likes.
// Accuracy: exact.
// Deviation from print: none.
// Cost: O(n log n).
func IQRDistance(x []*big.Rat, j int) (int, error) {
	s, err := sortSample(x)
	if err = cmp.Or(err, check.Between("discretization", j, 1, 2)); err != nil {
		return 0, fmt.Errorf("IQRDistance: %w", err)
	}
	return s.distance(j), nil
}

func (s sample) distance(j int) int {
	b := s.bin(j)
	best := len(s.records)
	if s.iqr.Sign() > 0 {
		high := s.low // the largest index with x_high − x_low below the bin
		for low := s.low; low <= s.top; low++ {
			for high < s.top && (high < low || b.isBelow(s.between(low, high+1))) {
				high++
			}
			best = min(best, low-s.low+s.top-high)
		}
	}
	high := len(s.records) // the smallest index with x_high − x_low above the bin
	for low := s.low; low >= 0; low-- {
		for high > s.top && b.isAbove(s.between(low, high-1)) {
			high--
		}
		best = min(best, s.low-low+high-s.top)
	}
	return min(best, s.low+1) // index −1: a lower quartile as small as one likes
}

// DiscretizedIQR runs M^D_j(x) and returns its output, with false for ⊥: ⊥ if A_j(x) plus
// noise is at most 1 + ln(1/δ)/ε, otherwise the interquartile range times
// (1 + 1/ln n)^z, where z is noise; the noise is Lap(1/ε).
//
// Source: Dwork and Lei (2009), algorithm for the interquartile range; ODP-X16.
// Also in the checks of ODP-X13 and ODP-X18.
// Symbols: ε = eps, δ = delta, n = len(x); A_j(x) as in [IQRDistance].
// Domain: n in [2, 2^20]; ε in [1e-300, 1000], δ in [1e-300, 1].
// Accuracy: float64 for what is drawn; exact for A_j.
// Deviation from print: the paper does not print the algorithm.
// Cost: O(n log n); one or two draws.
func DiscretizedIQR(x []*big.Rat, j int, eps loss.Epsilon, delta *big.Rat, random noise.Source) (float64, bool, error) {
	r, err := newIQRRun(x, j, eps, delta)
	if err = cmp.Or(err, check.NotNil("random", random)); err != nil {
		return 0, false, fmt.Errorf("DiscretizedIQR: %w", err)
	}
	value, ok := r.draw(random)
	return value, ok, nil
}

// iqrRun is what all runs of M^D_j on a database have in common.
type iqrRun struct {
	distance, limit float64 // A_j(x), 1 + ln(1/δ)/ε
	size, step      float64 // the interquartile range, ln(1 + 1/ln n)
	scale           float64 // 1/ε
}

func newIQRRun(x []*big.Rat, j int, eps loss.Epsilon, delta *big.Rat) (iqrRun, error) {
	a, err := IQRDistance(x, j)
	if err = cmp.Or(err, checkPTRTest(eps, delta)); err != nil {
		return iqrRun{}, err
	}
	s, _ := sortSample(x)
	size, _ := s.iqr.Float64()
	d, _ := delta.Float64()
	scale := inverseAbove(eps)
	return iqrRun{float64(a), 1 - math.Log(d)*scale, size, math.Log1p(1 / math.Log(float64(len(x)))), scale}, nil
}

// inverseAbove returns 1/ε, hardly above it: less noise would cost more than ε.
func inverseAbove(e loss.Epsilon) float64 {
	up := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf)
	f, _ := up.Quo(big.NewFloat(1), loss.Enclose(e, 64).Lower).Float64()
	return f
}

func (r iqrRun) draw(random noise.Source) (float64, bool) {
	if r.distance+random.Laplace(r.scale) <= r.limit {
		return 0, false
	}
	return released(r.size, random.Laplace(r.scale)*r.step), true
}

// released returns size·e^z, as a finite number: 0 stays 0 however large the noise is, and
// what is beyond float64 becomes the largest float64, which costs no privacy.
func released(size, z float64) float64 {
	if size == 0 {
		return 0
	}
	return min(min(size, math.MaxFloat64)*math.Exp(z), math.MaxFloat64)
}

// PrivateIQR runs M_IQR(x) and returns its output, with false for ⊥: M^D_1, and if it
// returns ⊥, M^D_2.
//
// Source: Hartmann et al. (2022), Section 4.2; ODP-X16.
// Symbols, accuracy, deviation from print and cost: as for [DiscretizedIQR].
// Domain: n in [2, 2^20]; ε in [1e-300, 1000], δ in [1e-300, 1].
func PrivateIQR(x []*big.Rat, eps loss.Epsilon, delta *big.Rat, random noise.Source) (float64, bool, error) {
	r, err := NewPrivateIQRRuns(x, eps, delta)
	if err = cmp.Or(err, check.NotNil("random", random)); err != nil {
		return 0, false, fmt.Errorf("PrivateIQR: %w", err)
	}
	value, ok := r.Draw(random)
	return value, ok, nil
}

// PrivateIQRRuns is M_IQR on one database: what takes long is done once for many runs.
type PrivateIQRRuns struct{ first, second iqrRun }

// NewPrivateIQRRuns finds A_1(x) and A_2(x).
//
// Source, symbols, accuracy and cost: as for [PrivateIQR].
// Domain: n in [2, 2^20]; ε in [1e-300, 1000], δ in [1e-300, 1].
func NewPrivateIQRRuns(x []*big.Rat, eps loss.Epsilon, delta *big.Rat) (PrivateIQRRuns, error) {
	first, err := newIQRRun(x, 1, eps, delta)
	if err != nil {
		return PrivateIQRRuns{}, err
	}
	second, err := newIQRRun(x, 2, eps, delta)
	return PrivateIQRRuns{first, second}, err
}

// Draw makes one run, and returns its output, with false for ⊥. It panics if random is nil.
func (r PrivateIQRRuns) Draw(random noise.Source) (float64, bool) {
	if value, ok := r.first.draw(random); ok {
		return value, true
	}
	return r.second.draw(random)
}

// IQRBottom returns Pr(M^D_j(x) = ⊥) for A_j(x) = a.
//
// Source: [DiscretizedIQR]; ODP-X16.
// Symbols: ε = eps, δ = delta.
// Domain: a in [1, 2^20]; ε in [1e-300, 1000], δ in [1e-300, 1]. Result in (0, 1).
// Accuracy: contains the real number; relative width at most 1e-30.
// Deviation from print: none.
// Cost: O(log a) multiplications.
func IQRBottom(a int, eps loss.Epsilon, delta *big.Rat) (interval.Interval, error) {
	if err := cmp.Or(checkPTRTest(eps, delta), check.Between("distance", a, 1, 1<<20)); err != nil {
		return interval.Interval{}, fmt.Errorf("IQRBottom: %w", err)
	}
	bottom, _ := iqrTest(iqrReals, a, eps, delta)
	return bottom, nil
}

// iqrReals is the arithmetic of the laws.
var iqrReals = interval.Precision(128)

// iqrTest returns Pr(Lap(1/ε) ≤ t) and Pr(Lap(1/ε) > t) for t = 1 − a + ln(1/δ)/ε. With
// u = e^(−εt) = δ e^(ε(a−1)) the second is u/2 for u ≤ 1 and 1 − 1/(2u) above: no logarithm
// is needed, and where it is small, no difference of numbers near 1. It grows with u.
func iqrTest(n interval.Precision, a int, eps loss.Epsilon, delta *big.Rat) (bottom, answer interval.Interval) {
	u := n.Mul(n.Rat(delta), n.Power(loss.EncloseExp(eps, n), a-1))
	at := func(u *big.Float) (bottom, answer interval.Interval) {
		if u.Cmp(big.NewFloat(1)) <= 0 {
			answer = n.Half(interval.New(u, u))
			return n.Sub(n.Int(1), answer), answer
		}
		bottom = n.Half(n.Quo(n.Int(1), interval.New(u, u)))
		return bottom, n.Sub(n.Int(1), bottom)
	}
	mostBottom, leastAnswer := at(u.Lower)
	leastBottom, mostAnswer := at(u.Upper)
	return interval.New(leastBottom.Lower, mostBottom.Upper), interval.New(leastAnswer.Lower, mostAnswer.Upper)
}

func checkPTRTest(eps loss.Epsilon, delta *big.Rat) error {
	if err := check.Rule(loss.Fault(eps)); err != nil {
		return err
	}
	if x := loss.Of(eps); x.Cmp(loss.OfRat(check.LeastDelta)) < 0 || x.Cmp(loss.OfRat(big.NewRat(1000, 1))) > 0 {
		return fmt.Errorf("ε is %.6g, must be at least 1e-300 and at most 1000", loss.Enclose(eps, 64).Upper)
	}
	return check.In("δ", delta, "[1e-300, 1]")
}
