package stopping

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// solver is one call of [Solve]. It proposes how to solve the problem; what is returned is what
// [certify.Check] makes of that.
type solver struct {
	problem Problem
	states  float64 // about how many there are, times atoms, where every loss is one
	Options
	tilts   []float64
	coarse  float64      // the unit of the first grids
	steeper int          // how many more each run has
	isSteep bool         // whether that was tried
	sought  certify.Need // what is needed now
	isFree  bool         // whether no width was requested
	grids   *grids       // so far; nil before
	best    *Result
	last    float64 // width of the last one
	done    float64 // part of the work, as far as progress tells
}

// solve tries the cheapest way that can reach the requested width.
func (s *solver) solve(ctx context.Context) (*Result, error) {
	l, hasLattice := newLattice(s.problem)
	exact := math.Inf(1)
	s.states = s.problem.states(l)
	if hasLattice {
		exact = latticeCost(s.problem, l)
	}
	states := stateCost * s.states
	least := min(exact, states)
	switch {
	case s.Method == Bracket, s.Method != Lattice && least > max(cheap, s.gridCost(s.RelWidth)):
		return s.onGrids(ctx)
	case hasLattice && (exact <= states || s.Method == Lattice && s.states > mostStates):
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

// stateCost is about what a state, times an atom, costs in the same unit.
const stateCost = 1e4

// latticeCost estimates the cost of [solver.onLattice], in nodes times atoms. A law keeps to a window of
// some standard deviations.
func latticeCost(p Problem, l *lattice) float64 {
	sum, last, variance := 0.0, 0.0, 0.0
	for _, r := range p.runs {
		n, c := float64(l.span[r.Entry]), float64(r.Count)
		sum += min(last+1, 15*math.Sqrt(variance)+1) * min(c+1, 2+8*math.Sqrt(c))
		last += n * c
		variance += n * n * c / 4
	}
	return 3 * sum
}

// mostStates is up to which number of states, times atoms, every loss may be a state, if the checker agrees.
const mostStates = 1 << 22

// states estimates how many states there are, times atoms, where every loss is one; no more than nodes
// of the lattice, if there is one. What n steps with m + 1 losses lose is how often they have each: C(n + m, m) sums.
func (p Problem) states(l *lattice) (sum float64) {
	if p.IsOnGrid() {
		return math.Inf(1)
	}
	used, size, last := map[string]int{}, 1.0, 0.0 // used is by the losses, but for a constant
	step, key := -1, ""
	for _, r := range p.runs {
		depths := p.pairs[r.Entry].Depths()
		if r.Entry != step {
			step, key = r.Entry, fmt.Sprint(depths)
		}
		sum += size * max(float64(r.Count+1), float64(len(depths)))
		n := used[key]
		used[key] += r.Count
		for j := 1; j <= len(depths) && sum <= mostStates; j++ { // until enough is known
			size *= float64(n+r.Count+j) / float64(n+j)
		}
		if l != nil {
			last += float64(l.span[r.Entry]) * float64(r.Count)
			size = min(size, last+1)
		}
	}
	return sum
}

// gridCost estimates the cost of [solver.onGrids] for a width, in the same unit. Atoms that are on one node are one.
func (s *solver) gridCost(width float64) float64 {
	unit, k := s.problem.deviation()*math.Sqrt(width/float64(s.problem.length())), 0.0
	for i, x := range s.problem.pairs {
		atoms := min(float64(1+len(x.Depths())), 2+2*x.Reach()/unit)
		if s.problem.Mechanisms[i].IsRange { // all choices are compared, most of them by blocks
			atoms = 6 * math.Pow(1+2*x.Reach()/unit, 2.0/3)
		}
		k += float64(s.problem.Mechanisms[i].Count) * max(1, atoms/2)
	}
	return 20 * k * 15 * s.problem.deviation() / unit
}

// WidthOfNoise is the width that is reached where losses are on no lattice, unless another one is asked for or there
// are many stops.
const WidthOfNoise = 1e-4

// leastOfNoise is the δ below which no width is asked for where losses are on no lattice: float64 would take long.
const leastOfNoise = 1e-32

// affordable returns the width, at least the default one, that a grid reaches in about a second: of a half, one or
// two times a power of ten.
func (s *solver) affordable() float64 {
	if s.problem.IsContinuous() && !s.problem.HasRange() {
		return max(s.RelWidth, WidthOfNoise*math.Pow(10, math.Floor(math.Log10(1+float64(len(s.problem.Stops))/50))))
	}
	const second = 1e10 // in the unit of gridCost
	least, times := s.RelWidth, 1.0
	if s.problem.HasRange() {
		least, times = WidthOfNoise, 1+float64(len(s.problem.Stops)-1)/2 // each stop is a game
	}
	if times*s.gridCost(least) <= second {
		return least
	}
	for power := math.Floor(math.Log10(least)); power < -1; power++ {
		for _, digit := range []float64{2, 5, 10} {
			if width := digit * math.Pow(10, power); width > least && times*s.gridCost(width) <= second {
				return width
			}
		}
	}
	return 0.1
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
	unit := l.unit
	isCheap := latticeCost(s.problem, l) <= cheap/10
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
		coarse := max(s.problem.lossRange()/maxNodesOfGrid, s.problem.deviation()/16, 1e-270)
		_, _ = s.check(ctx, s.problem.onGrid(coarse, 1e-20))
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
	s.best.fallShort(s.best.Arithmetic + " certifies no more")
	return s.best, nil
}

// isFine reports whether b is as narrow as requested.
func (s *solver) isFine(b *certify.Bounds, singles bool) bool {
	return s.width(s.best) <= s.RelWidth && (!singles || s.isFineIn(b.SingleStop))
}

// isFineIn reports whether every interval is as narrow as requested, beside itself.
func (s *solver) isFineIn(xs []certify.Interval) bool {
	isWide := func(x certify.Interval) bool { return interval.Interval(x).RelWidth() > s.RelWidth }
	return !slices.ContainsFunc(xs, isWide)
}

// width returns the relative width of the wider of OptDel and Lemma 11, or that of one of them if
// only that is sought.
func (s *solver) width(r *Result) float64 {
	optDel, lemma11 := r.OptDel, r.Lemma11
	if s.Enough != nil {
		optDel, lemma11 = from(s.Enough.OptDel, optDel), from(s.Enough.Lemma11, lemma11)
	}
	switch s.sought {
	case certify.Game:
		return optDel.RelWidth()
	case certify.Singles:
		return lemma11.RelWidth()
	}
	return max(optDel.RelWidth(), lemma11.RelWidth())
}

// from returns x from least on, or its upper end if that is less.
func from(least *big.Float, x interval.Interval) interval.Interval {
	if least.Cmp(x.Upper) > 0 {
		least = x.Upper
	}
	if least.Cmp(x.Lower) > 0 {
		x.Lower = least
	}
	return x
}

// check runs [certify.Check] and keeps the best of its answers.
func (s *solver) check(ctx context.Context, h certify.Hints) (*certify.Bounds, error) {
	h.Need = s.sought
	h.NodeZero, h.Tilts = s.problem.nodeZero(max(h.Cut, 1e-290), s.coarse), s.tilts
	h.Steeper, h.Known = s.steeper, s.problem.known
	h.Progress = phase(s.Progress, s.done, s.done+(1-s.done)/2) // how often there will be a next one is not known
	defer func() { s.done += (1 - s.done) / 2 }()
	b, err := certify.Check(ctx, s.problem.Problem, h)
	if b != nil && (err == nil || ctx.Err() != nil) { // what another error left cannot be checked again
		r := newResult(b)
		switch {
		case len(b.SingleStop) == 0 && s.best == nil:
			return nil, err
		case len(b.SingleStop) == 0: // only the rule was sought
			r = r.withSingles(s.best)
		case s.sought != s.Need && len(b.Rule) == 0: // it is known from finer grids
			r = s.best.withSingles(r)
		}
		if s.last = s.width(r); s.best == nil || s.isBetter(r) {
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
		s.best.fallShort(ending(err))
	}
	return s.best, nil
}

// phase returns a progress function for the part of the work from one fraction to another.
func phase(progress func(float64), from, to float64) func(float64) {
	return func(done float64) { progress(from + done*(to-from)) }
}
