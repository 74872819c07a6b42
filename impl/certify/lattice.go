package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"checkrr/impl/certify/internal/num"
)

// Window is the nodes from Lo to Hi.
type Window struct{ Lo, Hi int }

// Lattice is the losses on which a pass works. Behind every run of equal mechanisms without a stop
// inside, node 0 is the largest loss that can be reached there, and node −m is m·Unit below it.
type Lattice struct {
	Unit    Number
	Windows []Window // behind every run; nil if they are to be found
}

// estimate says how a loss between two nodes is put on nodes: so that values rise, or so that they fall.
type estimate int

const (
	pessimistic estimate = iota // split between both: every value rises
	optimistic                  // on the nearer one, where it can no longer be told from others: every value falls
)

// lattice is a problem, prepared for passes in float64.
type lattice struct {
	frame       *frame
	unit        sum
	estimate    estimate
	isExact     bool // whether every loss is a node
	runs        []Run
	nodeZero    []*big.Rat // of the runs, where there is noise
	cut         float64
	tilts       []float64 // of the runs, per unit of loss
	steepness   int       // how many more each has
	known       *Known
	plds        []*pld // of the runs
	windows     []Window
	worth       []float64     // of the lowest node of the windows, at most; nil if not known
	useful      []Window      // less what is worth next to nothing
	choices     [][]int32     // of an adversary, per run with a range, as the last pass found them
	payoffs     []*stopPayoff // per stop
	rounds      float64       // of the steps, on the way of one term
	work        float64       // operations so far
	widest      int           // nodes of a window
	filters     map[filterKey]*num.Filter
	mu          sync.Mutex // of filters
	falls       []float64  // e^−(j·unit)
	oneMinusExp []float64  // of j·unit

	progress func(done float64)
	done     int // runs, of three passes

	pay []float64 // memory of payments
}

// A unit and multiples of it are between these, so that float64 has them.
const (
	leastUnit = 1e-280
	mostUnit  = 1e280
)

// newLattice prepares p, whose runs have the laws.
func newLattice(ctx context.Context, p Problem, laws []*law, hints Hints, h Lattice, k estimate) (*lattice, error) {
	if h.Unit.fault() != "" || h.Unit.IsZero() {
		return nil, errors.New("the unit must be more than 0")
	}
	f, err := newFrame(ctx, append(append(p.numbers(), h.Unit), numbersOf(hints.NodeZero)...))
	if err != nil {
		return nil, err
	}
	l := &lattice{
		frame: f, estimate: k, isExact: true, runs: p.Runs(), windows: slices.Clone(h.Windows),
		nodeZero: hints.NodeZero, cut: hints.Cut, tilts: hints.Tilts, steepness: hints.Steeper, known: hints.Known,
	}
	if l.tilts == nil {
		l.tilts = make([]float64, len(l.runs))
	}
	l.unit = l.frame.of(h.Unit)
	if unit := l.frame.float(l.unit); !(unit > leastUnit && unit < mostUnit) {
		return nil, fmt.Errorf("the unit must be more than %g and less than %g", leastUnit, mostUnit)
	}
	prepare := func() error { return l.prepare(ctx, p, laws) }
	findPayoffs := func() error { return l.findPayoffs(ctx, p) }
	for _, do := range []func() error{l.checkWindows, prepare, l.measure, findPayoffs} {
		if err := do(); err != nil {
			return nil, err
		}
	}
	return l, ctx.Err() // if it ended, losses may be taken for others
}

// checkWindows checks that windows are some.
func (l *lattice) checkWindows() error {
	if l.windows != nil && len(l.windows) != len(l.runs) {
		return fmt.Errorf("there are %d windows, must be %d, one behind every run", len(l.windows), len(l.runs))
	}
	for k, w := range l.windows {
		if !(-MaxNode < w.Lo && w.Lo <= w.Hi && w.Hi <= 0 && w.size() <= num.MaxWindow) {
			return fmt.Errorf("window %d is [%d, %d], must be above -%d, at most 0, and have 1 to %d nodes",
				k+1, w.Lo, w.Hi, MaxNode, num.MaxWindow)
		}
	}
	return nil
}

// measure checks that passes between the windows fit into memory.
func (l *lattice) measure() error {
	for k, w := range l.windows {
		if _, behind := l.needed(k); behind.with(w).size() > num.MaxWindow {
			return fmt.Errorf("window %d: %w", k+1, ErrWindow)
		}
		l.widest = max(l.widest, w.size())
	}
	return nil
}

// prepare puts the laws on nodes.
func (l *lattice) prepare(ctx context.Context, p Problem, laws []*law) error {
	known := map[*law]*pld{}
	low, nodes := 0, 0
	for k, r := range l.runs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s := known[laws[k]]
		if s == nil {
			var err error
			if s, err = l.newPLD(ctx, p.Mechanisms[r.Entry], k, laws[k]); err != nil {
				return fmt.Errorf("mechanism %d: %w", r.Entry+1, err)
			}
			known[laws[k]] = s
			if nodes += len(s.offset); s.isDense && nodes > num.MaxWindow {
				return ErrWindow
			}
		}
		if low += s.low; low <= -MaxNode {
			return ErrUnit
		}
		if l.windows != nil { // there is nothing below low
			l.windows[k] = Window{max(l.windows[k].Lo, low), max(l.windows[k].Hi, low)}
		}
		l.plds = append(l.plds, s)
		l.rounds += s.rounds
	}
	return nil
}

// ErrUnit is the error of a lattice on which losses would be too many nodes away from 0.
var ErrUnit = errors.New("the unit is too small for these losses")

// ErrWindow is the error of a lattice on which there would be too many nodes.
var ErrWindow = num.ErrWindow

// MaxNode bounds the nodes of a lattice.
const MaxNode = num.MaxNode
