package stopping

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// grids is a search between two grids, finer and finer: the width falls with the square of the unit. Coarse ones say
// how large OptDel is, and which windows finer ones need.
type grids struct {
	finest   float64         // that fits in memory
	bounds   *certify.Bounds // on the coarse ones
	floor    float64         // what may be given up
	descents map[certify.Need]*descent
}

// descent is how far grids became finer for what is sought.
type descent struct {
	unit       float64 // of the last grids
	low        float64 // the unit for lower ends, in that for upper ends
	last       float64 // the width on the last grids
	isGiven    bool    // whether a unit was asked for, and not tried yet
	stuck      int     // how many grids ago it was narrower last
	wider      int     // how many grids in a row were wider than the best one
	isRounding bool    // whether the last grid was wider than its unit tells
}

// onGrids solves the pipeline between grids.
func (s *solver) onGrids(ctx context.Context) (*Result, error) {
	if s.isFree {
		s.RelWidth = s.affordable()
	}
	return s.narrow(ctx, s.RelWidth)
}

// narrow makes grids finer until the width is reached, or none that is would help.
func (s *solver) narrow(ctx context.Context, width float64) (*Result, error) {
	reason, err := s.descendAll(ctx, width)
	if err != nil {
		return s.end(err)
	}
	if reason != "" {
		s.best.fallShort(reason)
	}
	return s.best, nil
}

// descendAll makes grids finer for all that is sought. Lemma 11 may need finer ones than OptDel, or be content with
// coarser ones.
func (s *solver) descendAll(ctx context.Context, width float64) (reason string, err error) {
	if s.grids == nil {
		if err := s.start(ctx); err != nil {
			return "", err
		}
	}
	if s.sought = s.Need; !s.isSplit() {
		return s.descend(ctx, width)
	}
	s.sought = certify.Game
	if reason, err = s.descend(ctx, width); err != nil {
		return "", err
	}
	s.sought = certify.Singles
	short, err := s.descend(ctx, max(width, min(lemma11Slack*width, roughWidth)))
	return cmp.Or(reason, short), err
}

// isSplit reports whether OptDel and Lemma 11 are sought one after the other, each on grids of its own.
func (s *solver) isSplit() bool {
	return s.Need == certify.Both && s.problem.IsContinuous() && len(s.problem.Stops) >= manyStops
}

// lemma11Slack is how much wider than OptDel Lemma 11 may be from manyStops on where there is noise, if it is known
// roughly then: it only is what OptDel is compared with, and would take longer.
const (
	lemma11Slack = 10
	manyStops    = 50
)

// descend makes grids finer until what is sought has the width, or returns the reason why it has not.
func (s *solver) descend(ctx context.Context, width float64) (reason string, err error) {
	d := s.grids.descents[s.sought]
	if d == nil {
		d = s.newDescent()
	}
	for {
		before := s.width(s.best)
		if before <= width {
			if s.Grid != nil {
				*s.Grid = Grid{d.unit, s.grids.floor, s.steeper}
			}
			return "", nil
		}
		isRepeated := d.isRounding && s.steepen(d)
		if reason := s.hopeless(d); reason != "" {
			return reason, nil
		}
		unit, last, was := d.unit, d.last, s.best.needed(s.sought)
		if err := s.tryFiner(ctx, d, before, width); err != nil {
			return "", err
		}
		d.last = s.last
		if d.stuck++; s.width(s.best) < 0.9*before || gained(was, s.best.needed(s.sought)) {
			d.stuck = 0
		}
		if d.wider++; d.last < 1.1*s.width(s.best) {
			d.wider = 0
		}
		if d.last > 2*s.width(s.best) && math.Log1p(-d.last) >= 1.05*math.Log1p(-last) { // a coarse grid was lucky
			d.wider, d.stuck = 0, 0
		}
		d.balance(was, s.best.needed(s.sought))
		if isRepeated && d.last > 0.5*last {
			s.steeper = 0
		}
		d.isRounding = last < 0.5 && d.last > 3*last*(d.unit/unit)*(d.unit/unit) ||
			d.unit < unit/2 && d.last > 1.05*last
	}
}

// newDescent returns that for what is sought, from the coarse grids on.
func (s *solver) newDescent() *descent {
	g := s.grids
	d := &descent{unit: s.coarse, low: s.problem.coarser(), last: s.width(s.best)}
	if s.Grid != nil && s.Grid.Unit > 0 {
		d.unit, d.isGiven = max(g.finest, s.Grid.Unit), true
		s.steeper, s.isSteep = s.Grid.Steeper, s.Grid.Steeper > 0
	}
	g.descents[s.sought] = d
	return d
}

// hopeless returns why finer grids are of no use; empty if they are.
func (s *solver) hopeless(d *descent) string {
	g := s.grids
	switch {
	case s.problem.IsOnGrid() && s.best.OptDel.Upper.Cmp(big.NewFloat(leastOfNoise)) < 0:
		return fmt.Sprintf("on grids nothing narrower is sought below %g", leastOfNoise)
	case d.isGiven:
		return "" // it is tried before finer ones
	case d.unit <= g.finest && !d.isRounding:
		return "no finer grid fits in memory"
	case d.unit <= g.finest || d.stuck == 6,
		(d.wider == 2 || d.stuck == 3) && s.problem.IsOnGrid(): // not if losses happened to be far from nodes
		return "on finer grids float64 certifies no more"
	}
	return ""
}

// steepen makes the next grid the last one again, with steeper tilts, where there is noise and they were not tried:
// next to the largest losses transforms lose digits without.
func (s *solver) steepen(d *descent) bool {
	if s.isSteep || !s.problem.IsContinuous() {
		return false
	}
	const more = 3
	s.isSteep, s.steeper = true, more
	d.isGiven, d.stuck, d.wider = true, 0, 0
	return true
}

// tryFiner solves on the next grids, which are to bring the width from what was before to another one.
func (s *solver) tryFiner(ctx context.Context, d *descent, before, width float64) (err error) {
	g := s.grids
	floor, isSame := g.floor, false
	if least := s.enoughFloor(); least < g.floor/30 {
		floor, d.stuck = least, -1 // it has another chance
	} else if d.stuck == 1 && (before > 0.5 || !s.problem.IsContinuous()) {
		// what is given up may be too much, on this grid as on any
		floor = max(g.floor*1e-6, leastFloor)
		isSame = floor < g.floor && before > 0.5
	}
	if !d.isGiven && !isSame {
		factor := -math.Log1p(-min(before, 0.99)) / width // by which the width is to fall, as a logarithm
		margin := 0.9
		if s.problem.IsContinuous() { // to find laws twice takes longer than to find finer ones
			margin = 0.75
		}
		ratio := min(0.7, finer(margin/math.Sqrt(factor)))
		if before > 0.9 || before > 0.1 && d.low < coarser {
			// which tells little, where lower ends were next to nothing
			ratio = max(ratio, 0.25)
		}
		if d.wider > 0 { // by luck on the grid before, or by rounding on this one
			ratio = min(ratio, 1.0/3)
		}
		d.unit = max(g.finest, d.unit*ratio)
	}
	d.isGiven = false
	if floor < g.floor {
		g.floor = floor
		if g.bounds, err = s.check(ctx, s.problem.onGrid(s.coarse, g.floor)); err != nil {
			return err
		}
	}
	h := s.problem.onGrid(d.unit, g.floor)
	h.Lower.Unit = gridUnit(d.low * d.unit)
	h.Upper.Windows = scaledWindows(g.bounds, h.Upper.Unit)
	h.Lower.Windows = scaledWindows(g.bounds, h.Lower.Unit)
	_, err = s.check(ctx, h)
	return err
}

// maxNodesOfGrid bounds the nodes of a window on a grid, and maxNodesOfPass those that the checker needs at one
// place. maxNodesOfNoise is both where losses are on no lattice: each node is transformed there.
const (
	maxNodesOfGrid  = 12_000_000
	maxNodesOfPass  = 33_000_000
	maxNodesOfNoise = 16_000_000
)

// gained reports whether an end moved by a tenth of itself: that is a gain even if the width tells nothing yet.
func gained(before, after interval.Interval) bool {
	wasLower, wasUpper := ends(before)
	lower, upper := ends(after)
	return lower > 1.1*wasLower || upper < 0.9*wasUpper
}

// balance makes the grids for lower ends finer if these moved far more than upper ends did, as next to the largest of
// all losses, or are next to nothing beside them, though these hardly move.
func (d *descent) balance(before, after interval.Interval) {
	const more, finer = 9, 8
	wasLower, wasUpper := ends(before)
	lower, upper := ends(after)
	moved, known := math.Abs(upper-wasUpper), wasLower > 0.1*wasUpper
	if d.low == coarser && (known && math.Abs(lower-wasLower) > more*moved || lower < 0.01*upper && moved < 0.1*upper) {
		d.low, d.stuck = 1.0*coarser/finer, 0
	}
}

// ends returns those of x, to nearest.
func ends(x interval.Interval) (lower, upper float64) {
	lower, _ = x.Lower.Float64()
	upper, _ = x.Upper.Float64()
	return lower, upper
}
