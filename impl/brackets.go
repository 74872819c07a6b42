package impl

import (
	"context"
	"math"
	"runtime"
	"sync"
)

// bracket is what one grid says about a pipeline: bounds from above by [gridWalk],
// from below by [merged].
type bracket struct {
	optDel  bounds
	singles []bounds
	rule    []Threshold
}

// maxGrid and maxCells are the largest numbers of nodes of a grid and of cells of
// merged laws; a cell takes about 70 bytes.
const (
	maxGrid  = 24_000_000
	maxCells = 14_000_000
)

// onGrids solves the pipeline between two grids, finer and finer: the width falls
// with the square of the unit.
func (s *solver) onGrids(ctx context.Context) (*Result, error) {
	var r *Result
	finest := max(2*s.pipeline.total()/maxGrid, s.span(1e-25)/maxCells, 1e-290)
	if s.pipeline.total() == 0 {
		finest = 1
	}
	unit := max(finest, s.pipeline.deviation()/64)
	if s.unit != nil && *s.unit > 0 {
		unit = max(finest, *s.unit)
	}
	scale := 1e-6
	for done := 0.0; ; done += (1 - done) / 2 { // how many grids there will be is not known
		b, err := s.onGrid(ctx, unit, scale, phase(s.Progress, done, done+(1-done)/2))
		if err != nil {
			if r == nil {
				return nil, err
			}
			return r.cut(err)
		}
		r = s.narrow(r, b)
		w := s.width(r)
		switch {
		case w <= s.RelWidth:
			if s.unit != nil {
				*s.unit = unit
			}
			return r, nil
		case unit == finest:
			r.fallShort("no finer grid fits in memory")
			return r, nil
		}
		scale = max(r.scale(), 1e-280)
		unit = max(finest, unit*min(0.9, max(1.0/32, 0.93*math.Sqrt(s.RelWidth/w))))
	}
}

// room returns the cells that hold all losses but those of a P0-mass of about floor
// (Hoeffding's inequality), and all charges that can be reached.
func (s *solver) room(unit, floor float64) cells {
	mean, square, charge := 0.0, 0.0, 0.0
	for _, m := range s.pipeline.Mechanisms {
		e := m.Eps.dd().hi
		mean += float64(m.Count) * e * math.Tanh(e/2)
		square += float64(m.Count) * e * e
	}
	for _, stop := range s.pipeline.Stops {
		charge = max(charge, newCharge(stop.Eps).value.hi)
	}
	spread := math.Sqrt(2 * square * -math.Log(max(floor, 1e-300)))
	const margin = 4 // cells
	return cells{
		below: int(min(s.pipeline.total(), spread)/unit + margin),
		above: int(min(s.pipeline.total(), max(mean+spread, charge+spread/4))/unit + margin),
	}
}

// span returns the range of losses that [solver.room] covers.
func (s *solver) span(floor float64) float64 {
	const unit = 0x1p-10
	return float64(s.room(unit, floor).len()) * unit
}

// narrow adds what b says to r.
func (s *solver) narrow(r *Result, b bracket) *Result {
	next := s.result(Bracket, b.singles)
	next.OptDel = next.OptDel.meet(b.optDel.interval())
	next.Rule = b.rule
	if r != nil {
		next.OptDel = next.OptDel.meet(r.OptDel)
		for i, x := range r.SingleStop {
			next.SingleStop[i] = next.SingleStop[i].meet(x)
		}
		next.Lemma11 = next.Lemma11.meet(r.Lemma11)
	}
	return next
}

// grid is one attempt of [solver.onGrids].
type grid struct {
	*solver
	upper *walk
	floor float64    // P0-masses that may be dropped
	room  cells      // of merged laws
	one   sync.Mutex // held while large merged laws are in memory
}

// onGrid computes a bracket. scale is about the size of OptDel: P0-masses that are
// small against it are dropped.
func (s *solver) onGrid(ctx context.Context, unit, scale float64, progress func(float64)) (b bracket, err error) {
	excess := scale * s.RelWidth / 16
	if s.span(1e-25)/unit > maxCells/4 {
		runtime.GC() // the arrays of the last grid, before there are larger ones
	}
	floor := excess / (16 * float64(s.pipeline.length())) * min(1, unit/s.pipeline.deviation())
	g := &grid{solver: s, floor: floor, room: s.room(unit, floor), upper: gridWalk(s.pipeline, unit, floor)}
	g.upper.progress = func(done float64) { progress(done / 2) }
	var singles []bounds
	var lower float64
	var errs [2]error
	var wg sync.WaitGroup
	wg.Go(func() { singles, errs[1] = g.singles(ctx) })
	var thresholds []int
	b.optDel = bounds{0, 1}
	if s.need != needLemma11 {
		if b.optDel, thresholds, errs[0] = g.upper.game(ctx, excess); errs[0] == nil {
			lower, b.rule, errs[0] = g.follow(ctx, thresholds, progress)
		}
	}
	wg.Wait()
	b.optDel.lower, b.singles = lower, singles
	if errs[0] != nil {
		return b, errs[0]
	}
	return b, errs[1]
}

// tops returns what [Pipeline.atTop] knows about single stops.
func (s *solver) tops() []bounds {
	if s.known == nil {
		for i := range s.pipeline.Stops {
			b := bounds{0, 1}
			if t, ok := s.pipeline.atTop(i, newCharge(s.pipeline.Stops[i].Eps)); ok {
				b = t.bounds()
			}
			s.known = append(s.known, b)
		}
	}
	return s.known
}

// merged runs the merged laws. Only one pass at a time has large arrays.
func (g *grid) merged(ctx context.Context, yield func(stop int, m *merged)) error {
	if g.room.len() > maxCells/4 {
		g.one.Lock()
		defer g.one.Unlock()
	}
	return mergedWalk(ctx, g.pipeline, &g.upper.axis, g.room, g.floor, yield)
}

// singles returns bounds of the values of ending at one stop only.
func (g *grid) singles(ctx context.Context) ([]bounds, error) {
	quiet := *g.upper // progress is that of the game, which runs beside this
	quiet.progress = func(float64) {}
	values, err := quiet.singles(ctx, g.floor)
	if err != nil {
		return nil, err
	}
	charges := g.pipeline.shiftedCharges(1)
	err = g.merged(ctx, func(stop int, m *merged) {
		values[stop].lower = m.single(charges[stop])
	})
	for i, top := range g.tops() {
		values[i] = values[i].meet(top)
	}
	g.zero(values)
	return values, err
}

// follow evaluates the rule with these threshold nodes on merged cells: its value
// there is a lower bound of OptDel.
func (g *grid) follow(ctx context.Context, thresholds []int, progress func(float64)) (value float64, rule []Threshold, err error) {
	charges := g.pipeline.shiftedCharges(1)
	places := g.upper.stops()
	n, left := len(charges), 1.0
	err = g.merged(ctx, func(stop int, m *merged) {
		progress(0.5 + float64(stop)/float64(2*n))
		t := Threshold{LossAtLeast: math.Inf(1)}
		cell := math.MaxInt
		if node := thresholds[stop]; node != never {
			t.LossAtLeast = g.upper.loss(places[stop], node).float()
			cell = int(math.Round(t.LossAtLeast / m.unit.hi))
		}
		if cell < math.MaxInt || stop == n-1 {
			gain, probability := m.stop(charges[stop], cell)
			value += gain
			t.Probability = probability
		}
		if left -= t.Probability; stop == n-1 { // the others end here, for nothing
			t.Probability += max(0, left)
		}
		rule = append(rule, t)
	})
	return value * (1 - float64(n+4)*unitRoundoff), rule, err
}
