package impl

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// solver is one call of [OptDel]. It proposes how to solve the pipeline; what is returned is what
// [certify.Check] makes of that.
type solver struct {
	pipeline Pipeline
	problem  certify.Problem
	states   float64 // about how many there are, times atoms, where every loss is one
	Options
	best *Result
	done float64 // part of the work, as far as progress tells
}

// solve tries the cheapest way that can reach the requested width.
func (s *solver) solve(ctx context.Context) (*Result, error) {
	l, hasLattice := newLattice(s.pipeline)
	exact := math.Inf(1)
	s.states = s.pipeline.states(l)
	if hasLattice {
		exact = latticeCost(s.pipeline, l)
	}
	least := min(exact, 100*s.states)
	switch {
	case s.Method == Bracket, s.Method != Lattice && least > max(cheap, s.gridCost()):
		return s.onGrids(ctx)
	case hasLattice && (exact <= 100*s.states || s.Method == Lattice && s.states > mostStates):
		return s.onLattice(ctx, l)
	case s.states <= mostStates:
		return s.inStates(ctx)
	case s.Method != Lattice:
		return s.onGrids(ctx)
	}
	return nil, ErrNoLattice
}

// cheap is a cost up to which no grid is needed: about a tenth of a second.
const cheap = 1e8

// latticeCost estimates the cost of [solver.onLattice], in nodes times atoms. A law keeps to a window of
// some standard deviations.
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

// mostStates is up to which number of states, times atoms, every loss may be a state, if the checker agrees.
const mostStates = 1 << 22

// states estimates how many states there are, times atoms, where every loss is one; no more than nodes
// of the lattice, if there is one.
func (p Pipeline) states(l *lattice) (sum float64) {
	used, size, last := map[string]int{}, 1.0, 0.0
	p.runs(func(entry, count int, _ bool) {
		sum += size * float64(count+1)
		if m := p.Mechanisms[entry]; !m.Eps.IsZero() && sum <= mostStates {
			n := used[m.Eps.String()] + 1
			used[m.Eps.String()] += count
			size *= float64(n+count) / float64(n)
		}
		if l != nil {
			last += float64(l.multiple[entry]) * float64(count)
			size = min(size, last+1)
		}
	})
	return sum
}

// gridCost estimates the cost of [solver.onGrids], in the same unit.
func (s *solver) gridCost() float64 {
	k, deviation := float64(s.pipeline.length()), s.pipeline.deviation()
	unit := deviation * math.Sqrt(s.RelWidth/k)
	return 20 * k * 15 * deviation / unit
}

// deviation returns about the standard deviation of the loss at the end.
func (p Pipeline) deviation() float64 {
	return max(p.root(func(e float64) float64 { return min(1, 2*math.Exp(-e/2)) }), 1e-300)
}

// span returns about the range of losses that matter (by Hoeffding's inequality).
func (p Pipeline) span() float64 {
	return min(2*p.total(), 22*p.root(func(float64) float64 { return 1 }))
}

// root returns the square root of the sum of (ε·factor)² over all mechanisms.
func (p Pipeline) root(factor func(e float64) float64) float64 {
	largest, sum := 0.0, 0.0
	for _, m := range p.Mechanisms {
		largest = max(largest, m.Eps.Float64())
	}
	for _, m := range p.Mechanisms {
		if e := m.Eps.Float64(); e > 0 {
			x := e / largest * factor(e)
			sum += float64(m.Count) * x * x
		}
	}
	return largest * math.Sqrt(sum)
}

// firstFloor is the P0-mass that is given up on each side behind every run, at first, and leastFloor
// the least one.
const (
	firstFloor = 1e-26
	leastFloor = 1e-290
)

// onLattice solves the pipeline where every loss is a node: if masses given up matter, with less of
// them; if rounding does, in wider arithmetic.
func (s *solver) onLattice(ctx context.Context, l *lattice) (*Result, error) {
	unit := certify.Number{Value: new(big.Rat).SetFrac64(2, 1), Log: l.half.IsExp()}
	if unit.Log {
		unit.Value.Mul(l.half.Rat(), l.half.Rat())
	} else {
		unit.Value.Mul(unit.Value, l.half.Rat())
	}
	isCheap := latticeCost(s.pipeline, l) <= cheap/10
	for floor := firstFloor; floor >= leastFloor; {
		b, err := s.check(ctx, certify.Hints{Upper: certify.Lattice{Unit: unit}, Floor: floor, Cut: floor / 16})
		if err != nil && ctx.Err() == nil { // a unit that float64 is not made for
			break
		}
		if err != nil || s.isFine(b, isCheap) {
			return s.end(err)
		}
		next := floor * floor
		if scale, _ := b.OptDel.Lower.Float64(); scale > 0 && !(isCheap && !s.isFineIn(b.SingleStop)) {
			next = scale * s.RelWidth / (64 * float64(len(b.Hints.Upper.Windows)))
		}
		if next >= floor/16 || floor == leastFloor {
			break
		}
		floor = max(next, leastFloor)
	}
	return s.widen(ctx)
}

// widen solves the pipeline in wider arithmetic.
func (s *solver) widen(ctx context.Context) (*Result, error) {
	if s.states > mostStates {
		if s.best == nil && s.Method != Lattice {
			return s.onGrids(ctx)
		}
		if s.best == nil {
			return nil, ErrNoLattice
		}
		s.best.fallShort("float64 certifies no more, and there are too many states for wider arithmetic")
		return s.best, nil
	}
	return s.inStates(ctx)
}

// inStates takes every loss as a state, with more and more bits.
func (s *solver) inStates(ctx context.Context) (*Result, error) {
	mayBeGrid := s.best == nil && s.Method != Lattice
	if mayBeGrid { // what there is if time runs out
		coarse := max(s.pipeline.span()/maxNodesOfGrid, s.pipeline.deviation()/16, 1e-270)
		_, _ = s.check(ctx, onGrid(coarse, 1e-20))
	}
	for bits := uint(32 * math.Ceil((24-math.Log2(s.RelWidth))/32)); bits <= 4096; bits *= 2 {
		b, err := s.check(ctx, certify.Hints{Bits: max(64, bits)})
		if err != nil && ctx.Err() == nil && mayBeGrid { // too many, after all
			return s.onGrids(ctx)
		}
		if err != nil || s.width(s.best) <= s.RelWidth && s.isFine(b, true) {
			return s.end(err)
		}
	}
	s.best.fallShort("%s certifies no more", s.best.Arithmetic)
	return s.best, nil
}

// isFine reports whether b is as narrow as requested.
func (s *solver) isFine(b *certify.Bounds, singles bool) bool {
	return s.width(s.best) <= s.RelWidth && (!singles || s.isFineIn(b.SingleStop))
}

// isFineIn reports whether every interval is as narrow as requested, beside itself.
func (s *solver) isFineIn(xs []certify.Interval) bool {
	for _, x := range xs {
		if interval.Interval(x).RelWidth() > s.RelWidth {
			return false
		}
	}
	return true
}

// width returns the relative width of the wider of OptDel and Lemma 11, or that of one of them if
// only that is needed.
func (s *solver) width(r *Result) float64 {
	switch s.need {
	case needOptDel:
		return r.OptDel.RelWidth()
	case needLemma11:
		return r.Lemma11.RelWidth()
	}
	return max(r.OptDel.RelWidth(), r.Lemma11.RelWidth())
}

// check runs [certify.Check] and keeps the best of its answers.
func (s *solver) check(ctx context.Context, h certify.Hints) (*certify.Bounds, error) {
	h.Need = [...]certify.Need{needBoth: certify.Both, needOptDel: certify.Game, needLemma11: certify.Singles}[s.need]
	h.Progress = phase(s.Progress, s.done, s.done+(1-s.done)/2) // how often there will be a next one is not known
	defer func() { s.done += (1 - s.done) / 2 }()
	b, err := certify.Check(ctx, s.problem, h)
	if b != nil {
		r := newResult(b)
		if len(r.SingleStop) == 0 { // only the game was played
			if s.best == nil {
				return nil, err
			}
			r.SingleStop, r.Lemma11 = s.best.SingleStop, s.best.Lemma11
		}
		if s.best == nil || s.isBetter(r) {
			s.best = r
		}
	}
	return b, err
}

// isBetter reports whether r is narrower than the best result, or as wide beside itself and smaller.
func (s *solver) isBetter(r *Result) bool {
	x, y := s.width(r), s.width(s.best)
	return x < y || x == y && r.OptDel.Upper.Cmp(s.best.OptDel.Upper) < 0
}

// end returns the best result. If an error ended the search, it says so.
func (s *solver) end(err error) (*Result, error) {
	switch {
	case s.best == nil:
		return nil, err
	case err != nil:
		s.best.fallShort("%s", ending(err))
	}
	return s.best, nil
}

// maxNodesOfGrid bounds the nodes of a window on a grid.
const maxNodesOfGrid = 12_000_000

// onGrids solves the pipeline between two grids, finer and finer: the width falls with the square
// of the unit. Coarse ones say how large OptDel is, and which windows finer ones need.
func (s *solver) onGrids(ctx context.Context) (*Result, error) {
	finest := max(s.pipeline.span()/maxNodesOfGrid, s.pipeline.total()/(1<<28), 1e-270)
	coarse := max(finest, s.pipeline.deviation()*min(1.0/64, math.Sqrt(0.3/float64(s.pipeline.length()))))
	b, floor, err := s.onCoarse(ctx, coarse)
	if err != nil {
		return s.end(err)
	}
	widest := 0
	for _, w := range b.Useful {
		widest = max(widest, w.Hi-w.Lo)
	}
	finest = max(coarse*float64(widest)/maxNodesOfGrid, s.pipeline.total()/(1<<28), 1e-270)
	unit, isGiven := coarse, s.unit != nil && *s.unit > 0
	if isGiven {
		unit = max(finest, *s.unit)
	}
	for stuck := 0; ; isGiven = false {
		before := s.width(s.best)
		switch {
		case before <= s.RelWidth:
			if s.unit != nil {
				*s.unit = unit
			}
			return s.best, nil
		case isGiven: // it is tried before finer ones
		case unit <= finest:
			s.best.fallShort("no finer grid fits in memory")
			return s.best, nil
		case stuck == 6: // not if losses happened to be far from nodes
			s.best.fallShort("on finer grids float64 certifies no more")
			return s.best, nil
		default:
			unit = max(finest, unit*min(0.7, finer(0.9*math.Sqrt(s.RelWidth/before))))
		}
		if stuck == 1 { // what is given up may be too much
			floor = max(floor*1e-6, leastFloor)
			if b, err = s.check(ctx, onGrid(coarse, floor)); err != nil {
				return s.end(err)
			}
		}
		h := onGrid(unit, floor)
		h.Upper.Windows = scaledWindows(b, h.Upper.Unit)
		h.Lower.Windows = scaledWindows(b, h.Lower.Unit)
		if _, err := s.check(ctx, h); err != nil {
			return s.end(err)
		}
		if stuck++; s.width(s.best) < 0.9*before {
			stuck = 0
		}
	}
}

// finer returns how much finer the next grid is, if that with the width that is needed is so much finer: there are
// some between, which cost little, in case time runs out.
func finer(all float64) float64 {
	const most = 1.0 / 64
	return math.Pow(all, 1/math.Max(1, math.Ceil(math.Log(all)/math.Log(most))))
}

// onCoarse solves the pipeline on coarse grids, until so little is given up that it cannot matter on
// finer ones.
func (s *solver) onCoarse(ctx context.Context, unit float64) (b *certify.Bounds, floor float64, err error) {
	floor = 1e-6 * s.gridFloor()
	for range 3 {
		if b, err = s.check(ctx, onGrid(unit, floor)); err != nil {
			return nil, 0, err
		}
		lower, _ := s.best.OptDel.Lower.Float64()
		next := max(lower, floor*1e-20, 1e-250) * s.gridFloor()
		if next > floor/100 {
			break
		}
		floor = next
	}
	return b, floor, nil
}

// gridFloor returns the P0-mass that may be given up behind every run, as a part of OptDel.
func (s *solver) gridFloor() float64 {
	part := min(s.RelWidth, 1e-3) / (16 * float64(s.pipeline.length()))
	if s.need != needOptDel {
		part /= float64(len(s.pipeline.Stops))
	}
	return part
}

// onGrid returns hints for a grid for upper ends of about the unit; that for lower ends may be
// twice as coarse.
func onGrid(unit, floor float64) certify.Hints {
	low := certify.Lattice{Unit: gridUnit(2 * unit)}
	return certify.Hints{Floor: floor, Cut: floor / 16, Upper: certify.Lattice{Unit: gridUnit(unit)}, Lower: &low}
}

// gridUnit returns about a unit, in few bits, so that sums of losses have few.
func gridUnit(unit float64) certify.Number {
	r, _ := new(big.Float).SetPrec(6).SetFloat64(min(unit, 1)).Rat(nil)
	return certify.Number{Value: r}
}

// scaledWindows returns the useful windows of b in another unit, with a margin for what rounding does to
// losses.
func scaledWindows(b *certify.Bounds, unit certify.Number) []certify.Window {
	ratio, _ := new(big.Rat).Quo(b.Hints.Upper.Unit.Value, unit.Value).Float64()
	margin := 4 + int(2*math.Sqrt(float64(len(b.Useful))))
	windows := make([]certify.Window, len(b.Useful))
	for i, w := range b.Useful {
		lo, hi := math.Floor(float64(w.Lo)*ratio), math.Ceil(float64(w.Hi)*ratio)
		windows[i] = certify.Window{Lo: int(lo) - margin, Hi: min(0, int(hi)+margin)}
	}
	return windows
}

// phase returns a progress function for the part of the work from one fraction to another.
func phase(progress func(float64), from, to float64) func(float64) {
	return func(done float64) { progress(from + done*(to-from)) }
}

// Problem returns p as a problem for [certify.Check].
func (p Pipeline) Problem() (q certify.Problem) {
	for _, m := range p.Mechanisms {
		q.Mechanisms = append(q.Mechanisms, certify.Mechanism{Eps: number(m.Eps), Delta: m.Delta, Count: m.Count})
	}
	for _, s := range p.Stops {
		q.Stops = append(q.Stops, certify.Stop{After: s.After, Eps: number(s.Eps)})
	}
	return q
}

// number returns e as a number for [certify.Check].
func number(e loss.Epsilon) certify.Number { return certify.Number{Value: e.Rat(), Log: e.IsExp()} }

// newResult returns what b says.
func newResult(b *certify.Bounds) *Result {
	r := &Result{OptDel: interval.Interval(b.OptDel), Lemma11: interval.Interval(b.Lemma11), Method: Lattice, Arithmetic: "float64", Certified: b}
	for _, x := range b.SingleStop {
		r.SingleStop = append(r.SingleStop, interval.Interval(x))
	}
	for _, t := range b.Rule {
		r.Rule = append(r.Rule, Threshold(t))
	}
	if b.Hints.Bits > 0 {
		r.Arithmetic = fmt.Sprintf("big.Float with %d bits", b.Hints.Bits)
	} else if b.Hints.Lower != nil {
		r.Method = Bracket
	}
	return r
}
