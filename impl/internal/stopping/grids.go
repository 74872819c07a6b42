package stopping

import (
	"cmp"
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
	finest    float64         // that fits in memory
	bounds    *certify.Bounds // on the coarse ones
	floor     float64         // what may be given up
	isDivided bool            // whether the checker finds the law of a run in two parts: other errors do not become less with the unit
	descents  map[Need]*descent
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
func (s *solver) onGrids(ctx context.Context) (*Solution, error) {
	if s.isFree {
		s.RelWidth = s.affordable()
	}
	return s.narrow(ctx, s.RelWidth)
}

// narrow makes grids finer until the width is reached, or none that is would help. Laws of runs in two parts take far coarser grids; if these do not reach it, whole ones may.
func (s *solver) narrow(ctx context.Context, width float64) (*Solution, error) {
	reason, err := s.descendAll(ctx, width)
	if err == nil && reason != "" && s.mayDivide() {
		reason, err = s.descendWhole(ctx, width)
	}
	if err != nil {
		return s.end(err)
	}
	if reason != "" {
		s.best.fallShort("%s", reason)
	}
	return s.best, nil
}

// descendWhole is descendAll with whole laws, from the start.
func (s *solver) descendWhole(ctx context.Context, width float64) (reason string, err error) {
	divided := s.best
	s.best, s.grids, s.sought, s.isWhole = nil, nil, s.Need, true
	reason, err = s.descendAll(ctx, width)
	if s.best == nil || s.width(divided) < s.width(s.best) {
		s.best = divided
	}
	return reason, err
}

// descendAll makes grids finer for all that is sought. Lemma 11 may need finer ones than OptDel, or be content with coarser ones.
func (s *solver) descendAll(ctx context.Context, width float64) (reason string, err error) {
	if s.grids == nil {
		if err := s.start(ctx); err != nil {
			return "", err
		}
	}
	for _, a := range s.aims(width) {
		s.sought = a.need
		short, err := s.descend(ctx, a.width)
		if err != nil {
			return "", err
		}
		reason = cmp.Or(reason, short)
	}
	return reason, nil
}

// aim is a width that is sought for what is needed.
type aim struct {
	need  Need
	width float64
}

// aims returns what is sought for a width, one after the other.
func (s *solver) aims(width float64) []aim {
	if s.isSplit() {
		return []aim{{NeedOptDel, width}, {NeedLemma11, max(width, min(lemma11Slack*width, roughWidth))}}
	}
	return []aim{{s.Need, width}}
}

// isSplit reports whether OptDel and Lemma 11 are sought one after the other, each on grids of its own.
func (s *solver) isSplit() bool {
	return s.Need == NeedBoth && s.problem.isContinuous() && len(s.problem.Stops) >= manyStops
}

// lemma11Slack is how much wider than OptDel Lemma 11 may be from manyStops on where there is noise, if it is known roughly then: it only is what OptDel is compared with, and would take longer.
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
				*s.Grid = Grid{d.unit, s.grids.floor, s.steeper, s.isWhole}
			}
			return "", nil
		}
		isRepeated := d.isRounding && !s.mayDivide() && s.steepen(d)
		if reason := s.hopeless(d); reason != "" {
			return reason, nil
		}
		unit, last, was := d.unit, d.last, s.needed(s.best)
		if err := s.tryFiner(ctx, d, before, width); err != nil {
			return "", err
		}
		d.last = s.last
		if d.stuck++; s.width(s.best) < 0.9*before || gained(was, s.needed(s.best)) {
			d.stuck = 0
		}
		if d.wider++; d.last < 1.1*s.width(s.best) {
			d.wider = 0
		}
		d.balance(was, s.needed(s.best))
		if isRepeated && d.last > 0.5*last {
			s.steeper = 0
		}
		d.isRounding = last < 0.5 && d.last > 3*last*(d.unit/unit)*(d.unit/unit) || d.unit < unit/2 && d.last > 1.05*last
	}
}

// newDescent returns that for what is sought, from the coarse grids on.
func (s *solver) newDescent() *descent {
	g := s.grids
	d := &descent{unit: s.coarse, low: coarser, last: s.width(s.best)}
	if s.Grid != nil && s.Grid.Unit > 0 {
		d.unit, d.isGiven = max(g.finest, s.Grid.Unit), true
		s.steeper, s.isSteep = s.Grid.Steeper, s.Grid.Steeper > 0
	}
	g.descents[s.sought] = d
	return d
}

// start solves on coarse grids.
func (s *solver) start(ctx context.Context) (err error) {
	least := s.finest(s.problem.span(), leastFloor)
	part := 0.3
	if len(s.tilts) == 1 { // what a law of many steps is off by is not spread over several
		part = 0.05
	}
	g := &grids{descents: map[Need]*descent{}}
	s.coarse = max(least, s.problem.deviation()*min(1.0/64, math.Sqrt(part/float64(s.problem.length()))))
	if s.problem.isContinuous() { // where charges are far above what is lost, a grid for that is of no use
		least := math.Inf(1)
		for _, stop := range s.problem.Stops {
			least = min(least, stop.Charge.Float64())
		}
		if s.coarse = max(s.coarse, 1e-5*least); s.problem.isDivided(!s.isWhole) {
			g.isDivided, s.coarse = true, max(s.coarse, s.problem.deviation()/8, least/64)
		}
	}
	for g.bounds, g.floor, err = s.onCoarse(ctx, s.coarse); errors.Is(err, certify.ErrWindow) && s.coarse < 1; { // of losses that hardly matter
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

// hopeless returns why finer grids are of no use; empty if they are.
func (s *solver) hopeless(d *descent) string {
	g := s.grids
	switch {
	case s.problem.isContinuous() && s.best.OptDel.Upper.Cmp(big.NewFloat(leastOfNoise)) < 0:
		return fmt.Sprintf("where there is noise, nothing narrower is sought below %g", leastOfNoise)
	case d.isGiven:
		return "" // it is tried before finer ones
	case d.isRounding && s.mayDivide():
		return "laws in two parts are no narrower"
	case d.unit <= g.finest && !d.isRounding:
		return "no finer grid fits in memory"
	case d.unit <= g.finest || d.stuck == 6 || d.stuck == 2 && g.isDivided || (d.wider == 2 || d.stuck == 3) && s.problem.isContinuous(): // not if losses happened to be far from nodes
		return "on finer grids float64 certifies no more"
	}
	return ""
}

// mayDivide reports whether laws of runs are found in two parts now, and need not be.
func (s *solver) mayDivide() bool { return s.mayBoth && !s.isWhole }

// steepen makes the next grid the last one again, with steeper tilts, where there is noise and they were not tried: next to the largest losses transforms lose digits without.
func (s *solver) steepen(d *descent) bool {
	if s.isSteep || !s.problem.isContinuous() {
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
	} else if d.stuck == 1 { // what is given up may be too much, on this grid as on any
		floor = max(g.floor*1e-6, leastFloor)
		isSame = floor < g.floor && before > 0.5
	}
	if !d.isGiven && !isSame {
		factor := -math.Log1p(-min(before, 0.99)) / width // by which the width is to fall, as a logarithm
		ratio := min(0.7, finer(0.9/math.Sqrt(factor)))
		if before > 0.9 || before > 0.1 && d.low < coarser { // which tells little, where lower ends were next to nothing
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
		if g.bounds, err = s.check(ctx, onGrid(s.coarse, g.floor)); err != nil {
			return err
		}
	}
	h := onGrid(d.unit, g.floor)
	h.Lower.Unit = gridUnit(d.low * d.unit)
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
	lower, upper := ends(s.best.OptDel)
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
	if s.Grid != nil && s.Grid.Floor > 0 {
		floor = min(floor, s.Grid.Floor)
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
	stops := float64(len(s.problem.Stops))
	switch {
	case s.isSplit():
		return part / max(1, stops/lemma11Slack)
	case s.Need != NeedOptDel:
		return part / stops
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

// gained reports whether an end moved by a tenth of itself: that is a gain even if the width tells nothing yet.
func gained(before, after certify.Interval) bool {
	wasLower, wasUpper := ends(before)
	lower, upper := ends(after)
	return lower > 1.1*wasLower || upper < 0.9*wasUpper
}

// balance makes the grids for lower ends finer if these moved far more than upper ends did, as next to the largest of all losses, or are next to nothing beside them, though these hardly move.
func (d *descent) balance(before, after certify.Interval) {
	const more, finer = 9, 8
	wasLower, wasUpper := ends(before)
	lower, upper := ends(after)
	moved := math.Abs(upper - wasUpper)
	if d.low == coarser && (math.Abs(lower-wasLower) > more*moved || lower < 0.01*upper && moved < 0.1*upper) {
		d.low, d.stuck = 1.0*coarser/finer, 0
	}
}

// ends returns those of x, to nearest.
func ends(x certify.Interval) (lower, upper float64) {
	lower, _ = x.Lower.Float64()
	upper, _ = x.Upper.Float64()
	return lower, upper
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
