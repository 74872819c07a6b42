package stopping

import (
	"context"
	"errors"
	"math"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// start solves on coarse grids.
func (s *solver) start(ctx context.Context) (err error) {
	least := s.finest(s.problem.lossRange(), leastFloor)
	g := &grids{descents: map[certify.Need]*descent{}}
	s.coarse = max(least, s.problem.deviation()*min(1.0/64, math.Sqrt(0.3/s.problem.roundings())))
	if s.problem.IsContinuous() { // where charges are far above what is lost, a grid for that is of no use
		least := math.Inf(1)
		for _, stop := range s.problem.Stops {
			least = min(least, loss.Float64(stop.Eps))
		}
		s.coarse = max(s.coarse, 1e-5*least)
	}
	for g.bounds, g.floor, err = s.onCoarse(ctx, s.coarse); errors.Is(err, certify.ErrWindow) && s.coarse < 1; {
		// of losses that hardly matter
		s.coarse *= 32
		g.bounds, g.floor, err = s.onCoarse(ctx, s.coarse)
	}
	if err != nil {
		return err
	}
	g.finest = s.finest(s.coarse*float64(widest(g.bounds.Useful)), g.floor/16)
	s.grids = g
	return nil
}

// enoughFloor returns what may be given up, by what is known of OptDel; nothing new where losses are on a lattice.
func (s *solver) enoughFloor() float64 {
	if !s.problem.IsContinuous() {
		return s.grids.floor
	}
	lower, upper := ends(s.best.OptDel)
	return max(lower, s.sufficient(), min(s.problem.about(), upper), 1e-3*upper, 1e-250) * s.gridFloor()
}

// sufficient returns what an upper end of OptDel need not be below; 0 if it is to be known.
func (s *solver) sufficient() (optDel float64) {
	if s.Enough != nil {
		optDel, _ = s.Enough.OptDel.Float64()
	}
	return optDel
}

func widest(windows []certify.Window) (most int) {
	for _, w := range windows {
		most = max(most, w.Hi-w.Lo)
	}
	return most
}

// finest returns the smallest unit of a grid of which windows are so wide, where atoms below cut are left out. The
// checker moves a run before it cuts what is behind the last one to the window.
func (s *solver) finest(window, cut float64) float64 {
	here, sum, most := 0.0, 0.0, 0.0
	width := once(func(r certify.Run) float64 { return s.problem.pairs[r.Entry].Width(r.Count, cut) })
	for _, r := range s.problem.runs {
		x := width(r)
		most = max(most, here+2*x)
		here = min(window, sum) + x
		sum += x
	}
	if s.problem.IsContinuous() { // what is next to impossible is not among the nodes
		return max(window/maxNodesOfNoise, most/maxNodesOfNoise, sum/(1<<28), 1e-270)
	}
	return max(window/maxNodesOfGrid, most/maxNodesOfPass, s.problem.Reach()/(1<<28), 1e-270)
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
	if s.problem.IsContinuous() { // a coarse grid may know nothing
		floor = max(s.problem.about(), s.sufficient()) * s.gridFloor()
	}
	if s.Grid != nil && s.Grid.Floor > 0 && floor >= s.Grid.Floor/2 { // for that laws are known
		floor = s.Grid.Floor
	}
	for range 3 {
		b, err = s.check(ctx, s.problem.onGrid(unit, floor))
		switch {
		case errors.Is(err, certify.ErrUnit):
			return nil, 0,
				errors.New("some losses are too large for any grid, must be solved by the method auto, or lattice")
		case err != nil:
			return nil, 0, err
		}
		if s.problem.IsContinuous() || s.Enough != nil && s.width(s.best) <= s.RelWidth {
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
	part := min(s.RelWidth, 1e-3) / (16 * s.problem.roundings())
	stops := float64(len(s.problem.Stops))
	if s.isSplit() {
		return part / max(1, stops/lemma11Slack)
	}
	return part / stops
}

// onGrid returns hints for a grid for upper ends of about the unit; that for lower ends may be
// twice as coarse.
func (p Problem) onGrid(unit, floor float64) certify.Hints {
	low := certify.Lattice{Unit: gridUnit(p.coarser() * unit)}
	return certify.Hints{Floor: floor, Cut: floor / 16, Upper: certify.Lattice{Unit: gridUnit(unit)}, Lower: &low}
}

// coarser is how much coarser grids for lower ends are at first.
const coarser = 2

// coarser returns that, or less where lower ends cost next to nothing beside upper ends.
func (p Problem) coarser() float64 {
	if p.HasRange() {
		return 0.5
	}
	return coarser
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
