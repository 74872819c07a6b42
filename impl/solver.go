package impl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"sync"
)

// solver is one call of [OptDel].
type solver struct {
	pipeline Pipeline
	Options
	worthless []bool // per stop: its single-stop δ is exactly 0
}

// solve takes the cheapest way that can reach the requested width, and wider
// arithmetic where float64 is not enough.
func (s *solver) solve(ctx context.Context) (*Result, error) {
	if s.Method == Bracket {
		return s.onGrids(ctx)
	}
	least, lattice, box := math.Inf(1), (*lattice)(nil), (*box)(nil)
	if l, ok := newLattice(s.pipeline); ok {
		least, lattice = latticeCost(s.pipeline, l), l
	}
	if least > cheap {
		if b, ok := newBox(s.pipeline); ok && boxCost(s.pipeline, b) < least {
			least, box = boxCost(s.pipeline, b), b
		}
	}
	switch {
	case s.Method != Lattice && least > max(cheap, s.gridCost()):
		return s.onGrids(ctx)
	case box != nil:
		r, err := s.inBox(ctx, box)
		return s.widen(ctx, r, err, box)
	case lattice != nil:
		r, err := s.onLattice(ctx, lattice)
		return s.widen(ctx, r, err, lattice.box(s.pipeline))
	}
	return nil, ErrNoLattice
}

// cheap is a cost up to which an exact lattice is taken without looking further:
// about a tenth of a second.
const cheap = 1e8

// latticeCost estimates the cost of [solver.onLattice], in nodes. A walk keeps to
// a window of some standard deviations.
func latticeCost(p Pipeline, l *lattice) float64 {
	sum, last, variance := 0.0, 0.0, 0.0
	p.runs(func(entry, count int, _ bool) {
		n, c := float64(l.multiple[entry]), float64(count)
		sum += min(last+1, 15*math.Sqrt(variance)+1) * min(c+1, 2+8*math.Sqrt(c))
		last += n * c
		variance += n * n * c / 4
	})
	return 3 * sum
}

// boxCost estimates the cost of [solver.inBox], in the same unit.
func boxCost(p Pipeline, b *box) float64 { return 15 * cost(p, b) }

// gridCost estimates the cost of [solver.onGrids], in the same unit.
func (s *solver) gridCost() float64 {
	k, deviation := float64(s.pipeline.length()), s.pipeline.deviation()
	unit := deviation * math.Sqrt(s.RelWidth/k)
	return 20 * k * 15 * deviation / unit
}

// deviation returns about the standard deviation of the loss at the end.
func (p Pipeline) deviation() float64 {
	variance := 0.0
	for _, m := range p.Mechanisms {
		if e := m.Eps.dd().hi; e < 700 {
			variance += float64(m.Count) * min(e*e, 4*e*e*math.Exp(-e))
		}
	}
	return max(math.Sqrt(variance), 1e-300)
}

// onLattice solves the pipeline with [front] and [law] in float64.
func (s *solver) onLattice(ctx context.Context, l *lattice) (*Result, error) {
	w, singles, err := s.latticeSingles(ctx, l)
	if err != nil {
		return nil, err
	}
	r := s.result(Lattice, singles)
	thresholds := s.nothing()
	if n := len(singles); n == 1 && !s.worthless[0] {
		last, _ := w.size()
		thresholds[0] = w.pays(w.charges[0], w.stops()[0], last)
	} else if r.Lemma11.Upper.Sign() > 0 {
		excess := r.scale() * s.RelWidth / 16
		w = latticeWalk(s.pipeline, l, w.charges, excess/float64(16*len(w.steps)))
		w.progress = s.phase(0.4, 0.8)
		var b bounds
		if b, thresholds, err = w.game(ctx, excess); err != nil {
			return r.cut(err)
		}
		r.OptDel = r.OptDel.meet(b.interval())
	}
	w.progress = s.phase(0.8, 1)
	probabilities, err := w.probabilities(ctx, thresholds)
	if err != nil {
		return r.cut(err)
	}
	places := w.stops()
	for i, m := range thresholds {
		t := Threshold{math.Inf(1), probabilities[i]}
		if m != never {
			g := []generator{{eps: l.half, value: w.halfDD}}
			t.LossAtLeast = lossDown(g, []int{places[i].origin + 2*m})
		}
		r.Rule = append(r.Rule, t)
	}
	return r, nil
}

// nothing returns the thresholds of a pipeline in which stopping never pays.
func (s *solver) nothing() []int {
	thresholds := make([]int, len(s.pipeline.Stops))
	for i := range thresholds {
		thresholds[i] = never
	}
	return thresholds
}

// phase returns a progress function for the part of the work from one fraction to another.
func (s *solver) phase(from, to float64) func(float64) {
	return func(done float64) { s.Progress(from + done*(to-from)) }
}

// latticeSingles returns the values of single stops. Masses below 1e-26 matter
// only to a δ that is nearly as small: then less is dropped, or nothing. Where that
// is expensive it is done for the sake of the largest δ only.
func (s *solver) latticeSingles(ctx context.Context, l *lattice) (*walk, []bounds, error) {
	charges := newCharges(s.pipeline.Stops)
	for _, floor := range []float64{1e-26, 1e-60, 0} {
		w := latticeWalk(s.pipeline, l, charges, floor)
		w.progress = s.phase(0, 0.4)
		singles, err := w.singles(ctx, floor)
		if err != nil {
			return nil, nil, err
		}
		s.zero(singles)
		if floor == 0 || fine(singles, s.RelWidth, latticeCost(s.pipeline, l) > cheap/10) {
			return w, singles, nil
		}
	}
	panic("internal error: unreachable")
}

// zero sets the values that are known to be exactly 0.
func (s *solver) zero(singles []bounds) {
	for i, none := range s.worthless {
		if none {
			singles[i] = bounds{}
		}
	}
}

// fine reports whether every interval is as narrow as requested, relative to its
// own upper end or, if largest, to the largest one.
func fine(singles []bounds, width float64, largest bool) bool {
	most := 0.0
	for _, b := range singles {
		most = max(most, b.upper)
	}
	for _, b := range singles {
		allowed := width * b.upper
		if largest {
			allowed = max(allowed, width*most/float64(4*len(singles)))
		}
		if b.upper-b.lower > allowed {
			return false
		}
	}
	return true
}

// inBox solves the pipeline by visiting all states, in float64.
func (s *solver) inBox(ctx context.Context, b *box) (*Result, error) {
	st := newStates(floats{}, s.pipeline, b)
	st.progress = s.counter(3 * cost(s.pipeline, b))
	rounds := st.rounds()
	values, err := st.singles(ctx)
	if err != nil {
		return nil, err
	}
	singles := make([]bounds, len(values))
	for i, v := range values {
		tiny := smallest*rounds*float64(b.size) + st.dropped()
		singles[i] = newBounds(v, rounds+float64(b.size), tiny, tiny)
	}
	s.zero(singles)
	r := s.result(Lattice, singles)
	value, thresholds, err := st.game(ctx)
	if err != nil {
		return r.cut(err)
	}
	r.OptDel = r.OptDel.meet(newBounds(value, rounds, smallest*rounds+st.dropped(), smallest*rounds+st.dropped()).interval())
	probabilities, err := st.probabilities(ctx, thresholds)
	if err != nil {
		return r.cut(err)
	}
	for i, t := range thresholds {
		r.Rule = append(r.Rule, Threshold{t, probabilities[i]})
	}
	return r, nil
}

// counter returns a progress function that counts multiplications.
func (s *solver) counter(total float64) func(int) {
	done := 0.0
	return func(n int) {
		done += float64(n)
		s.Progress(min(1, done/total))
	}
}

// rounds bounds the relative error of the recursion in float64, in unitRoundoff.
func (s *states[T]) rounds() float64 {
	sum := payoffError / unitRoundoff
	for _, r := range s.runs {
		sum += float64(len(r.mass)) + 4
	}
	return sum
}

// dropped bounds the effect of atoms that [floats] leaves out.
func (s *states[T]) dropped() float64 { return 4 * leastCut * float64(len(s.runs)) }

// maxWide is the largest number of multiplications in wider arithmetic.
const maxWide = 4e8

// widen repeats the recursion in big.Float, with more and more bits, if r is wider
// than requested.
func (s *solver) widen(ctx context.Context, r *Result, err error, b *box) (*Result, error) {
	if err != nil || r.Shortfall != "" || r.width() <= s.RelWidth {
		return r, err
	}
	work := 4 * cost(s.pipeline, b)
	if work > maxWide {
		r.Shortfall = fmt.Sprintf("float64 certifies a relative width of %.2g; wider arithmetic would take %.2g multiplications, the limit is %.2g", r.width(), work, maxWide)
		return r, nil
	}
	if s.total() > maxExponent/2 {
		r.Shortfall = fmt.Sprintf("float64 certifies a relative width of %.2g; the losses are too large for wider arithmetic", r.width())
		return r, nil
	}
	prec := uint(64 * math.Ceil((math.Log2(work)-math.Log2(s.RelWidth)+48)/64))
	for ; prec <= 4096; prec *= 2 {
		if err := s.wider(ctx, r, b, prec, work); err != nil {
			return r.cut(err)
		}
		if r.width() <= s.RelWidth {
			return r, nil
		}
	}
	r.Shortfall = fmt.Sprintf("%s certifies a relative width of %.2g", r.Arithmetic, r.width())
	return r, nil
}

// wider narrows r with numbers of prec bits: lower bounds rounded down, upper
// bounds rounded up, one on each core.
func (s *solver) wider(ctx context.Context, r *Result, b *box, prec uint, work float64) error {
	var values [2]*big.Float
	var singles [2][]*big.Float
	var errs [2]error
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			st := newStates(wide{prec, i == 1}, s.pipeline, b)
			if i == 0 {
				st.progress = s.counter(work / 2)
			}
			if values[i], _, errs[i] = st.game(ctx); errs[i] == nil {
				singles[i], errs[i] = st.singles(ctx)
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	r.Arithmetic = fmt.Sprintf("big.Float with %d bits", prec)
	r.setSingles(pairs(singles[0], singles[1]))
	r.OptDel = r.OptDel.meet(Interval{values[0], values[1]})
	return nil
}

// pairs returns the intervals with the given ends.
func pairs(lower, upper []*big.Float) []Interval {
	xs := make([]Interval, len(lower))
	for i := range xs {
		xs[i] = Interval{lower[i], upper[i]}
	}
	return xs
}

// width returns the relative width of the wider of OptDel and Lemma 11.
func (r *Result) width() float64 { return max(r.OptDel.RelWidth(), r.Lemma11.RelWidth()) }

// scale returns a lower bound of OptDel.
func (r *Result) scale() float64 {
	v, _ := r.OptDel.Lower.Float64()
	return v
}

// cut returns a result that was interrupted.
func (r *Result) cut(err error) (*Result, error) {
	if r.OptDel.Lower == nil {
		return nil, err
	}
	reason := err.Error()
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		reason = "time ran out"
	case errors.Is(err, context.Canceled):
		reason = "interrupted"
	}
	r.Shortfall = fmt.Sprintf("%s at a relative width of %.2g", reason, r.width())
	return r, nil
}

// result returns a result with everything that follows from the single stops.
func (s *solver) result(m Method, singles []bounds) *Result {
	intervals := make([]Interval, len(singles))
	for i, b := range singles {
		intervals[i] = b.interval()
	}
	r := &Result{Method: m, Arithmetic: "float64"}
	r.setSingles(intervals)
	return r
}

// setSingles sets SingleStop, Lemma11, and what they say about OptDel: it lies
// between the largest of them and their sum.
func (r *Result) setSingles(singles []Interval) {
	prec := singles[0].Lower.Prec()
	lower := new(big.Float).SetPrec(prec).SetMode(big.ToZero)
	upper := new(big.Float).SetPrec(prec).SetMode(big.AwayFromZero)
	largest := singles[0].Lower
	for _, x := range singles {
		if x.Lower.Cmp(largest) > 0 {
			largest = x.Lower
		}
		lower.Add(lower, x.Lower)
		upper.Add(upper, x.Upper)
	}
	r.SingleStop, r.Lemma11 = singles, Interval{lower, upper}
	r.OptDel = Interval{largest, upper}
	if upper.Cmp(big.NewFloat(1)) > 0 {
		r.OptDel.Upper = big.NewFloat(1)
	}
}
