package stopping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/certify"
)

// grids is a search between two grids, finer and finer: the width falls with the square of the unit. Coarse ones say how large OptDel is, and which windows finer ones
// need.
type grids struct {
	coarse, unit float64         // of the first grids, and of the last ones
	finest       float64         // that fits in memory
	bounds       *certify.Bounds // on the coarse ones
	floor        float64         // what may be given up
	isGiven      bool            // whether a unit was asked for, and not tried yet
	stuck        int             // how many grids ago it was narrower last
	wider        int             // how many grids in a row were wider than the best one
	isRounding   bool            // whether the last grid was wider than its unit tells
	isDivided    bool            // whether the checker finds the law of a run in two parts: other errors do not become less with the unit
	low          float64         // the unit for lower ends, in that for upper ends
}

// onGrids solves the pipeline between grids.
func (s *solver) onGrids(ctx context.Context) (*Solution, error) {
	if s.isFree {
		s.RelWidth = s.affordable()
	}
	return s.narrow(ctx, s.RelWidth)
}

// narrow makes grids finer until the width is reached, or none that is would help.
func (s *solver) narrow(ctx context.Context, width float64) (*Solution, error) {
	if s.grids == nil {
		if err := s.start(ctx); err != nil {
			return s.end(err)
		}
	}
	for g := s.grids; ; {
		before := s.width(s.best)
		if before <= width {
			if s.Unit != nil {
				*s.Unit = g.unit
			}
			return s.best, nil
		}
		if reason := s.hopeless(); reason != "" {
			s.best.fallShort("%s", reason)
			return s.best, nil
		}
		unit, last, ends := g.unit, s.last, s.needed(s.best)
		if err := s.tryFiner(ctx, -math.Log1p(-min(before, 0.99))/width); err != nil {
			return s.end(err)
		}
		if g.stuck++; s.width(s.best) < 0.9*before {
			g.stuck = 0
		}
		if g.wider++; s.last < 1.1*s.width(s.best) {
			g.wider = 0
		}
		g.balance(ends, s.needed(s.best))
		g.isRounding = last < 0.5 && s.last > 3*last*(g.unit/unit)*(g.unit/unit)
	}
}

// start solves on coarse grids.
func (s *solver) start(ctx context.Context) (err error) {
	least := s.finest(s.problem.span(), leastFloor)
	part := 0.3
	if len(s.tilts) == 1 { // what a law of many steps is off by is not spread over several
		part = 0.05
	}
	g := &grids{low: coarser, coarse: max(least, s.problem.deviation()*min(1.0/64, math.Sqrt(part/float64(s.problem.length()))))}
	if s.problem.isContinuous() { // where charges are far above what is lost, a grid for that is of no use
		least := math.Inf(1)
		for _, stop := range s.problem.Stops {
			least = min(least, stop.Charge.Float64())
		}
		if g.coarse = max(g.coarse, 1e-5*least); s.problem.isDivided() {
			g.isDivided, g.coarse = true, max(g.coarse, s.problem.deviation()/8, least/64)
		}
	}
	for g.bounds, g.floor, err = s.onCoarse(ctx, g.coarse); errors.Is(err, certify.ErrWindow) && g.coarse < 1; { // of losses that hardly matter
		g.coarse *= 32
		g.bounds, g.floor, err = s.onCoarse(ctx, g.coarse)
	}
	if err != nil {
		return err
	}
	g.finest = s.finest(g.coarse*float64(widest(g.bounds.Useful)), g.floor/16)
	if g.unit = g.coarse; s.Unit != nil && *s.Unit > 0 {
		g.unit, g.isGiven = max(g.finest, *s.Unit), true
	}
	s.grids = g
	return nil
}

// hopeless returns why finer grids are of no use; empty if they are.
func (s *solver) hopeless() string {
	g := s.grids
	switch {
	case s.problem.isContinuous() && s.best.OptDel.Upper.Cmp(big.NewFloat(leastOfNoise)) < 0:
		return fmt.Sprintf("where there is noise, nothing narrower is sought below %g", leastOfNoise)
	case g.isGiven:
		return "" // it is tried before finer ones
	case g.unit <= g.finest && !g.isRounding:
		return "no finer grid fits in memory"
	case g.unit <= g.finest || g.stuck == 6 || g.stuck == 2 && g.isDivided || (g.wider == 2 || g.stuck == 3) && s.problem.isContinuous(): // not if losses happened to be far from nodes
		return "on finer grids float64 certifies no more"
	}
	return ""
}

// tryFiner solves on the next grids: the width, as a logarithm, is to fall by a factor.
func (s *solver) tryFiner(ctx context.Context, factor float64) (err error) {
	g := s.grids
	if !g.isGiven {
		g.unit = max(g.finest, g.unit*min(0.7, finer(0.9/math.Sqrt(factor))))
	}
	g.isGiven = false
	floor := g.floor
	if least := s.enoughFloor(); least < g.floor/30 {
		floor, g.stuck = least, -1 // it has another chance
	} else if g.stuck == 1 { // what is given up may be too much
		floor = max(g.floor*1e-6, leastFloor)
	}
	if floor < g.floor {
		g.floor = floor
		if g.bounds, err = s.check(ctx, onGrid(g.coarse, g.floor)); err != nil {
			return err
		}
	}
	h := onGrid(g.unit, g.floor)
	h.Lower.Unit = gridUnit(g.low * g.unit)
	h.Upper.Windows = scaledWindows(g.bounds, h.Upper.Unit)
	h.Lower.Windows = scaledWindows(g.bounds, h.Lower.Unit)
	_, err = s.check(ctx, h)
	return err
}

// enoughFloor returns what may be given up, by what is known of OptDel; nothing new where losses are on a lattice.
func (s *solver) enoughFloor() float64 {
	if !s.problem.isContinuous() {
		return s.grids.floor
	}
	lower, _ := s.best.OptDel.Lower.Float64()
	upper, _ := s.best.OptDel.Upper.Float64()
	if s.Enough != nil {
		enough, _ := s.Enough.OptDel.Float64()
		lower = max(lower, enough)
	}
	return max(lower, min(s.problem.about(), upper), 1e-3*upper, 1e-250) * s.gridFloor()
}

func widest(windows []certify.Window) (most int) {
	for _, w := range windows {
		most = max(most, w.Hi-w.Lo)
	}
	return most
}

// maxNodesOfGrid bounds the nodes of a window on a grid, and maxNodesOfPass those that the checker needs at one place. maxNodesOfNoise is both where losses are on no lattice: each node is
// transformed there.
const (
	maxNodesOfGrid  = 12_000_000
	maxNodesOfPass  = 33_000_000
	maxNodesOfNoise = 16_000_000
)

// finest returns the smallest unit of a grid of which windows are so wide, where atoms below cut are left out. The
// checker moves a run before it cuts what is behind the last one to the window.
func (s *solver) finest(window, cut float64) float64 {
	here, sum, most, known := 0.0, 0.0, 0.0, map[run]float64{}
	for r := range s.problem.runs {
		r.end = false
		if _, ok := known[r]; !ok {
			known[r] = s.problem.Steps[r.step].Pair.Span(r.count, cut)
		}
		most = max(most, here+2*known[r])
		here = min(window, sum) + known[r]
		sum += known[r]
	}
	reach := s.problem.Reach()
	if s.problem.isContinuous() { // what is next to impossible is not among the nodes
		return max(window/maxNodesOfNoise, most/maxNodesOfNoise, sum/(1<<28), 1e-270)
	}
	return max(window/maxNodesOfGrid, most/maxNodesOfPass, reach/(1<<28), 1e-270)
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
	if s.problem.isContinuous() { // a coarse grid may know nothing
		about := s.problem.about()
		if s.Enough != nil {
			enough, _ := s.Enough.OptDel.Float64()
			about = max(about, enough)
		}
		floor = about * s.gridFloor()
	}
	for range 3 {
		b, err = s.check(ctx, onGrid(unit, floor))
		switch {
		case errors.Is(err, certify.ErrUnit):
			return nil, 0, errors.New("some losses are too large for any grid, must be solved by the method auto, or lattice")
		case err != nil:
			return nil, 0, err
		}
		if s.problem.isContinuous() || s.Enough != nil && s.width(s.best) <= s.RelWidth {
			break
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
	part := min(s.RelWidth, 1e-3) / (16 * float64(s.problem.length()))
	if s.Need != NeedOptDel {
		part /= float64(len(s.problem.Stops))
	}
	return part
}

// onGrid returns hints for a grid for upper ends of about the unit; that for lower ends may be
// twice as coarse.
func onGrid(unit, floor float64) certify.Hints {
	low := certify.Lattice{Unit: gridUnit(coarser * unit)}
	return certify.Hints{Floor: floor, Cut: floor / 16, Upper: certify.Lattice{Unit: gridUnit(unit)}, Lower: &low}
}

// coarser is how much coarser grids for lower ends are at first.
const coarser = 2

// balance makes the grids for lower ends finer if these moved far more than upper ends did: as next to the largest of all losses.
func (g *grids) balance(before, after certify.Interval) {
	const more, finer = 9, 8
	moved := func(x, y *big.Float) float64 {
		d, _ := new(big.Float).Sub(x, y).Float64()
		return math.Abs(d)
	}
	if g.low == coarser && moved(after.Lower, before.Lower) > more*moved(after.Upper, before.Upper) {
		g.low = 1.0 * coarser / finer
	}
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
