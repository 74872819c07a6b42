package certify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"checkrr/impl/certify/internal/num"
)

// Interval contains a real number: Lower ≤ number ≤ Upper.
type Interval struct{ Lower, Upper *big.Float }

// Hints say how to solve a problem. They are trusted for nothing: bad ones make wide intervals.
type Hints struct {
	Bits  uint     // 0 for float64 on a lattice; otherwise every loss is a state, in so many bits
	Upper Lattice  // for upper ends
	Lower *Lattice // for lower ends; nil if every loss is a node of Upper
	Cut   float64  // atoms of runs of equal mechanisms with a smaller P0-mass are left out
	Floor float64  // P0-mass that may be given up on each side behind every run, to find windows
	// per run of mechanisms with noise, the loss of node 0 beside that before it; nil if there are none
	NodeZero []*big.Rat
	// per run, of laws with noise and of values behind it, per unit of loss: about where they matter; nil for 0
	Tilts []float64
	// how many more tilts every run has, each four times as steep as the one before; transforms with each take their
	// time
	Steeper    int
	Thresholds []float64 // per stop, the loss from which on runs end there; nil to find them
	Need       Need      // what is needed
	Known      *Known    // what earlier calls found, and later ones may need; may be nil

	Progress func(done float64) // called now and then with the fraction done, in [0, 1]; may be nil
}

// mostSteeper bounds the tilts of a run.
const mostSteeper = 8

// Need says what is needed.
type Need int

// What may be needed.
const (
	Both    Need = iota
	Game         // OptDel and the rule
	Singles      // Lemma 11 and the single stops
)

// MaxBits bounds the precision of states.
const MaxBits = 1 << 13

// Bounds is what [Check] found.
type Bounds struct {
	Problem    Problem
	OptDel     Interval   // ODP-T15
	SingleStop []Interval // δ if the pipeline could end at this stop only
	Lemma11    Interval   // ODP-E4: their sum
	Rule       []Threshold
	Useful     []Window // windows that would do for the upper end, where windows were to be found
	Hints      Hints    // with what was found: windows and thresholds
}

// Threshold is one line of a stopping rule.
type Threshold struct {
	LossAtLeast float64 // +Inf for never
	Probability float64 // about how often a run under the rule ends there, under P0
	// about how much of OptDel.Lower is due to these runs: their P0-mass, less e^charge times their P1-mass
	Contribution float64
}

// Check computes both ends of OptDel, of the δ of single stops and of Lemma 11's δ. If ctx ends, what is
// known then is there, if anything, with an error.
func Check(ctx context.Context, p Problem, h Hints) (*Bounds, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	switch {
	case ctx == nil:
		return nil, errors.New("ctx is nil, must be given")
	case h.Thresholds != nil && len(h.Thresholds) != len(p.Stops):
		return nil, fmt.Errorf("there are %d thresholds, must be %d, one a stop", len(h.Thresholds), len(p.Stops))
	case !(h.Cut >= 0 && h.Cut < 1 && h.Floor >= 0 && h.Floor < 1):
		return nil, errors.New("cut and floor must be at least 0 and less than 1")
	case slices.ContainsFunc(h.Thresholds, math.IsNaN):
		return nil, errors.New("a threshold is not a number")
	case h.Tilts != nil && len(h.Tilts) != len(p.Runs()) ||
		slices.ContainsFunc(h.Tilts, func(t float64) bool { return !(t >= 0 && t < 1e9) }):
		return nil, errors.New("tilts must be one a run, at least 0 and less than 1e9")
	case h.Steeper < 0 || h.Steeper > mostSteeper:
		return nil, fmt.Errorf("steeper is %d, must be between 0 and %d", h.Steeper, mostSteeper)
	case h.Lower != nil && h.Lower.Windows != nil && len(h.Lower.Windows) != len(p.Runs()):
		return nil, fmt.Errorf("lower: there are %d windows, must be %d, one behind every run",
			len(h.Lower.Windows), len(p.Runs()))
	case p.checkNodeZero(h.NodeZero) != nil:
		return nil, p.checkNodeZero(h.NodeZero)
	case h.Bits != 0 && (h.Bits < 53 || h.Bits > MaxBits):
		return nil, fmt.Errorf("there are %d bits, must be 0, or from 53 to %d", h.Bits, MaxBits)
	}
	check := checkStates
	if h.Bits == 0 {
		check = checkLattice
	}
	b, err := check(ctx, p, h)
	if b != nil && b.OptDel.Lower.Cmp(b.OptDel.Upper) > 0 {
		return nil, errors.New("internal error: the lower end of OptDel is above the upper one")
	}
	return b, err
}

// checkStates is [Check] where every loss is a state.
func checkStates(ctx context.Context, p Problem, h Hints) (*Bounds, error) {
	s, err := newStates(ctx, wide(h.Bits), p)
	if err != nil {
		return nil, err
	}
	b := &Bounds{Problem: p, Hints: h}
	singles, err := s.forward(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, x := range singles {
		b.SingleStop = append(b.SingleStop, Interval{x.gain.Lo, x.gain.Hi})
	}
	value, losses, err := s.backward(ctx)
	if err != nil {
		return b.complete(h.Bits), err
	}
	b.OptDel = Interval{value.Lo, value.Hi}
	outcomes, err := s.forward(ctx, losses)
	for i, x := range outcomes {
		b.Rule = append(b.Rule, Threshold{losses[i], num.ToFloat(x.probability.Lo), num.ToFloat(x.gain.Lo)})
	}
	return b.complete(h.Bits), err
}

// checkLattice is [Check] on lattices. If losses are no nodes the upper and the lower ends have
// lattices of their own, which share nothing but the rule.
func checkLattice(ctx context.Context, p Problem, h Hints) (*Bounds, error) {
	laws, err := p.laws(ctx, h.Cut)
	if err != nil {
		return nil, err
	}
	up, low, err := newLattices(ctx, p, laws, &h)
	if err != nil {
		return nil, err
	}
	up.progress = h.Progress
	c := &checker{problem: p, up: up, low: low, hints: h, ready: func() {}}
	c.isGame = h.Need != Singles && (len(p.Stops) > 1 || up.windows != nil)
	c.isSingles = h.Need != Game || len(p.Stops) == 1
	if p.HasRange() {
		err = c.games(ctx)
	} else if low == up {
		if err = c.above(ctx); err == nil {
			err = c.below(ctx)
		}
	} else {
		err = c.both(ctx)
	}
	return c.bounds(), err
}

// newLattices returns lattices for upper and for lower ends: one for both if every loss is a node of the upper one.
func newLattices(ctx context.Context, p Problem, laws []*law, h *Hints) (up, low *lattice, err error) {
	upper := func() (err error) {
		if up, err = newLattice(ctx, p, laws, *h, h.Upper, pessimistic); err != nil {
			return fmt.Errorf("upper: %w", err)
		}
		return nil
	}
	lower := func() (err error) {
		if low, err = newLattice(ctx, p, laws, *h, *h.Lower, optimistic); err != nil {
			return fmt.Errorf("lower: %w", err)
		}
		return nil
	}
	if p.IsContinuous() && h.Lower != nil { // there are others, and they take long
		return up, low, AtOnce(upper, lower)
	}
	if err := upper(); err != nil || up.isExact {
		return up, up, err
	}
	if h.Lower == nil {
		h.Lower = &Lattice{Unit: h.Upper.Unit}
	}
	return up, low, lower()
}

// AtOnce runs all functions at once, and returns an error of one of them. If one crashes, so does the caller's
// goroutine, who may want to go on.
func AtOnce(all ...func() error) error {
	last := len(all) - 1
	var wg sync.WaitGroup
	errs, crashes := make([]error, len(all)), make([]any, last)
	for i, f := range all[:last] {
		wg.Go(func() {
			defer func() { crashes[i] = recover() }()
			errs[i] = f()
		})
	}
	errs[last] = all[last]()
	wg.Wait()
	for _, crash := range crashes {
		if crash != nil {
			panic(crash)
		}
	}
	return cmp.Or(errs...)
}

// checker is one call of [checkLattice].
type checker struct {
	problem           Problem
	up, low           *lattice
	hints             Hints
	isGame, isSingles bool
	ready             func()  // says that the rule is there
	finer             float64 // how many nodes for upper ends there are for one for lower ends
	value             float64 // upper bound of OptDel, but for rounding
	rule              *rule
	upper, lower      []outcome[float64] // of single stops
	ends              []outcome[float64] // of upperEnd
}

// isOne reports whether the only stop is found as a game alone, by one pass for each end.
func (c *checker) isOne() bool { return c.isGame && len(c.problem.Stops) == 1 && c.low != c.up }

// both runs both sides at the same time.
func (c *checker) both(ctx context.Context) error {
	isReady := make(chan struct{})
	c.ready = sync.OnceFunc(func() { close(isReady) })
	return AtOnce(func() error {
		defer c.ready()
		return c.above(ctx)
	}, func() (err error) {
		if c.isSingles && !c.isOne() {
			c.lower, err = c.low.forward(ctx, nil, c.hints.Floor)
		}
		if <-isReady; err == nil {
			err = c.below(ctx)
		}
		return err
	})
}

// above finds upper ends. Where windows are known, what runs outside are worth is found out first.
func (c *checker) above(ctx context.Context) (err error) {
	known := c.up.windows != nil
	for _, isGame := range [2]bool{known, !known} {
		switch {
		case isGame && c.isGame:
			err = c.upperEnd(ctx)
		case isGame && c.problem.IsContinuous() && len(c.up.runs) > 1: // for windows, and what is below them
			_, _, err = c.up.backward(ctx, c.hints.Floor, everyStop)
		case !isGame && (c.isSingles || !known) && !c.isOne():
			c.upper, err = c.up.forward(ctx, nil, c.hints.Floor)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// upperEnd finds the upper end of OptDel, and the rule.
func (c *checker) upperEnd(ctx context.Context) error {
	value, nodes, err := c.up.backward(ctx, c.hints.Floor, everyStop)
	if err != nil {
		return err
	}
	r := &rule{losses: c.hints.Thresholds, nodes: nodes, only: everyStop, index: c.index}
	if r.losses == nil {
		n := len(nodes) - 1
		nodes[n] = c.up.payoffs[n].firstAtOrAbove()
		for i, m := range nodes {
			r.losses = append(r.losses, c.up.loss(i, m))
		}
	} else {
		r.nodes = c.up.nodes(r.losses)
	}
	c.value, c.rule = value, r
	if c.isOne() {
		c.upper = []outcome[float64]{{gain: value}}
	}
	c.ready()
	return nil
}

// below finds the lower end of OptDel.
func (c *checker) below(ctx context.Context) (err error) {
	if c.rule == nil {
		return nil
	}
	r := *c.rule
	if c.low != c.up && c.low.isExact {
		r.nodes = c.low.nodes(r.losses)
	}
	if c.ends, err = c.low.forward(ctx, &r, c.hints.Floor); c.isOne() {
		c.lower = c.ends
	}
	return err
}

// bounds returns what was found, rounded outward.
func (c *checker) bounds() *Bounds {
	b := &Bounds{Problem: c.problem, Hints: c.hints, Useful: c.up.useful}
	b.Hints.Known = nil
	if b.Useful == nil {
		b.Useful = c.up.windows
	}
	above, below := c.up.outward(), c.low.outward()
	if c.low == c.up {
		c.lower = c.upper
	} else {
		b.Hints.Lower = &Lattice{c.hints.Lower.Unit, c.low.windows}
	}
	b.Hints.Upper.Windows = c.up.windows
	for i, x := range c.upper {
		lower, upper := new(big.Float), above.upper(x.gain+x.dropped)
		if c.lower != nil {
			lower = below.lower(c.lower[i].gain)
		}
		if !c.up.payoffs[i].pays {
			upper = new(big.Float)
		}
		b.SingleStop = append(b.SingleStop, Interval{lower, upper})
	}
	switch {
	case c.rule != nil:
		b.Hints.Thresholds = c.rule.losses
		b.OptDel = Interval{new(big.Float), above.upper(c.value)}
	case len(c.upper) == 1:
		b.OptDel = b.SingleStop[0]
		lower, _ := b.OptDel.Lower.Float64()
		b.Rule = []Threshold{{c.up.loss(0, c.up.payoffs[0].firstAtOrAbove()), 1, lower}}
	}
	gain, left := 0.0, 1.0
	for i, o := range c.ends {
		if gain += o.gain; i == len(c.ends)-1 {
			o.probability = max(0, left) // and those that were given up
		}
		left -= o.probability
		b.Rule = append(b.Rule, Threshold{c.rule.losses[i], o.probability, max(0, o.gain)})
	}
	if c.ends != nil {
		b.OptDel.Lower = below.lower(gain)
	}
	return b.complete(53)
}

// complete adds what follows from the single stops: Lemma 11 is their sum, and OptDel lies between the largest of them
// and that sum. None but Lemma 11 is above 1, or the total variation distance.
func (b *Bounds) complete(bits uint) *Bounds {
	if b.OptDel.Lower == nil {
		b.OptDel = Interval{new(big.Float), big.NewFloat(1)}
	}
	var most []*big.Float
	for _, x := range b.Problem.Variations() {
		most = append(most, num.Smaller(num.OfRat(x, bits).Hi, big.NewFloat(1)))
	}
	b.OptDel.Upper = num.Smaller(b.OptDel.Upper, most[len(most)-1])
	if len(b.SingleStop) == 0 {
		return b
	}
	b.Lemma11 = Interval{num.Down(bits), num.Up(bits)}
	for i := range b.SingleStop {
		x := &b.SingleStop[i]
		x.Upper = num.Smaller(x.Upper, most[i])
		b.Lemma11.Lower.Add(b.Lemma11.Lower, x.Lower)
		b.Lemma11.Upper.Add(b.Lemma11.Upper, x.Upper)
		if x.Lower.Cmp(b.OptDel.Lower) > 0 {
			b.OptDel.Lower = x.Lower
		}
	}
	b.OptDel.Upper = num.Smaller(b.OptDel.Upper, b.Lemma11.Upper)
	return b
}
