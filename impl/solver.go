package impl

import (
	"context"
	"math"
)

// solver is one call of [OptDel].
type solver struct {
	pipeline Pipeline
	Options
	worthless []bool   // per stop: its single-stop δ is exactly 0
	known     []bounds // of single stops, from [Pipeline.atTop]
}

// width returns the relative width of the wider of OptDel and Lemma 11, or that of one of
// them if only that is needed.
func (s *solver) width(r *Result) float64 {
	switch s.need {
	case needOptDel:
		return r.OptDel.RelWidth()
	case needLemma11:
		return r.Lemma11.RelWidth()
	}
	return max(r.OptDel.RelWidth(), r.Lemma11.RelWidth())
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
		return s.widen(ctx, r, err)
	case lattice != nil:
		r, err := s.onLattice(ctx, lattice)
		return s.widen(ctx, r, err)
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
	if s.need == needLemma11 {
		return r, nil
	}
	thresholds := s.nothing()
	if n := len(singles); n == 1 && !s.worthless[0] {
		last, _ := w.size()
		thresholds[0] = w.pays(w.charges[0], w.stops()[0], last)
	} else if r.Lemma11.Upper.Sign() > 0 {
		excess := r.scale() * s.RelWidth / 16
		w = latticeWalk(s.pipeline, l, w.charges, excess/float64(16*len(w.steps)))
		w.progress = phase(s.Progress, 0.4, 0.8)
		var b bounds
		if b, thresholds, err = w.game(ctx, excess); err != nil {
			return r.cut(err)
		}
		r.OptDel = r.OptDel.meet(b.interval())
	}
	w.progress = phase(s.Progress, 0.8, 1)
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
func phase(progress func(float64), from, to float64) func(float64) {
	return func(done float64) { progress(from + done*(to-from)) }
}

// latticeSingles returns the values of single stops. Masses below 1e-26 matter
// only to a δ that is nearly as small: then less is dropped, or nothing. Where that
// is expensive it is done for the sake of the largest δ only.
func (s *solver) latticeSingles(ctx context.Context, l *lattice) (*walk, []bounds, error) {
	charges := newCharges(s.pipeline.Stops)
	for _, floor := range []float64{1e-26, 1e-60, 0} {
		w := latticeWalk(s.pipeline, l, charges, floor)
		w.progress = phase(s.Progress, 0, 0.4)
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
	if s.need == needLemma11 {
		return r, nil
	}
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
