package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// Interval contains a real number: Lower ≤ number ≤ Upper.
type Interval struct{ Lower, Upper *big.Float }

// Hints say how to solve a problem. They are trusted for nothing: bad ones make wide intervals.
type Hints struct {
	Bits       uint      // 0 for float64 on a lattice; otherwise every loss is a state, in so many bits
	Upper      Lattice   // for upper ends
	Lower      *Lattice  // for lower ends; nil if every loss is a node of Upper
	Cut        float64   // atoms of runs of equal mechanisms with a smaller P0-mass are left out
	Floor      float64   // P0-mass that may be given up on each side behind every run, to find windows
	Thresholds []float64 // per stop, the loss from which on runs end there; nil to find them
	Need       Need      // what is needed
}

// Need says what is needed.
type Need int

// What may be needed.
const (
	Both    Need = iota
	Game         // OptDel and the rule
	Singles      // Lemma 11 and the single stops
)

// Bounds is what [Check] found.
type Bounds struct {
	OptDel     Interval   // ODP-T15
	SingleStop []Interval // δ if the pipeline could end at this stop only
	Lemma11    Interval   // ODP-E4: their sum
	Rule       []Threshold
	Dropped    float64 // about the P0-mass that was given up
	Hints      Hints   // with what was found: windows and thresholds
}

// Threshold is one line of a stopping rule.
type Threshold struct {
	LossAtLeast float64 // +Inf for never
	Probability float64 // about how often a run under the rule ends there, under P0
}

// Check computes both ends of OptDel, of the δ of single stops and of Lemma 11's δ. If ctx ends after
// the second, both are there, with an error.
func Check(ctx context.Context, p Problem, h Hints) (*Bounds, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	switch {
	case h.Thresholds != nil && len(h.Thresholds) != len(p.Stops):
		return nil, fmt.Errorf("there are %d thresholds, must be %d, one a stop", len(h.Thresholds), len(p.Stops))
	case !(h.Cut >= 0 && h.Cut < 1 && h.Floor >= 0 && h.Floor < 1):
		return nil, errors.New("cut and floor must be at least 0 and less than 1")
	case slices.ContainsFunc(h.Thresholds, math.IsNaN):
		return nil, errors.New("a threshold is not a number")
	case h.Bits == 0:
		return checkLattice(ctx, p, h)
	case h.Bits < 53 || h.Bits > maxBits:
		return nil, fmt.Errorf("there are %d bits, must be 0, or from 53 to %d", h.Bits, maxBits)
	}
	return checkStates(ctx, p, h)
}

// checkStates is [Check] where every loss is a state.
func checkStates(ctx context.Context, p Problem, h Hints) (*Bounds, error) {
	s, err := newStates(ctx, wide(h.Bits), p, maxStates)
	if err != nil {
		return nil, err
	}
	o := newOutward(h.Bits, s.roundings(), float64(s.size), tiny)
	b := &Bounds{Hints: h}
	singles, err := s.forward(ctx, nil)
	if err != nil {
		return nil, err
	}
	for i, x := range singles {
		b.addSingle(o.lower(x.gain), o.upper(x.gain), s.pays[i])
	}
	value, losses, err := s.backward(ctx)
	if err != nil {
		return b.complete(h.Bits), err
	}
	if h.Thresholds != nil {
		losses = h.Thresholds
	}
	outcomes, err := s.forward(ctx, losses)
	if err != nil {
		return b.complete(h.Bits), err
	}
	gain := s.of(0)
	for i, x := range outcomes {
		gain = s.mulAdd(s.of(1), x.gain, gain)
		b.Rule = append(b.Rule, Threshold{losses[i], toFloat(x.probability)})
	}
	b.OptDel = Interval{o.lower(gain), o.upper(value)}
	b.Hints.Thresholds = losses
	return b.complete(h.Bits), nil
}

// checkLattice is [Check] on lattices.
func checkLattice(ctx context.Context, p Problem, h Hints) (*Bounds, error) {
	up, err := newLattice(p, h.Upper, spread, h.Cut)
	if err != nil {
		return nil, fmt.Errorf("upper: %w", err)
	}
	low := up
	if !up.isExact {
		if h.Lower == nil {
			h.Lower = &Lattice{Unit: h.Upper.Unit}
		}
		if low, err = newLattice(p, *h.Lower, merge, h.Cut); err != nil {
			return nil, fmt.Errorf("lower: %w", err)
		}
	}
	c := &checker{up: up, low: low, Bounds: Bounds{Hints: h}}
	if err := c.singles(ctx); err != nil {
		return nil, err
	}
	err = c.game(ctx)
	c.Hints.Upper.Windows = up.windows
	if low != up {
		c.Hints.Lower = &Lattice{h.Lower.Unit, low.windows}
	}
	return c.complete(53), err
}

// checker is one call of [checkLattice].
type checker struct {
	up, low *lattice
	Bounds
}

// singles finds what the single stops are worth.
func (c *checker) singles(ctx context.Context) error {
	n := len(c.up.strikes)
	if c.Hints.Need == Game && n > 1 && c.up.windows != nil {
		return nil
	}
	upper, err := c.up.forward(ctx, nil, c.Hints.Floor)
	if err != nil {
		return err
	}
	c.Dropped = upper[n-1].dropped
	lower := upper
	if c.low != c.up {
		if c.Hints.Need == Game && n > 1 {
			return nil
		}
		if lower, err = c.low.forward(ctx, nil, c.Hints.Floor); err != nil {
			return err
		}
	}
	above, below := c.up.outward(), c.low.outward()
	for i, s := range c.up.strikes {
		x := above.upper(big.NewFloat(upper[i].gain + upper[i].dropped))
		c.addSingle(below.lower(big.NewFloat(lower[i].gain)), x, s.pays)
	}
	return nil
}

// game finds what the choice among the stops is worth.
func (c *checker) game(ctx context.Context) error {
	n := len(c.up.strikes)
	switch {
	case n == 1:
		c.OptDel = c.SingleStop[0]
		c.Rule = []Threshold{{c.up.loss(0, c.up.strikes[0].enough()), 1}}
		return nil
	case c.Hints.Need == Singles:
		return nil
	}
	value, nodes, err := c.up.backward(ctx)
	if err != nil {
		return err
	}
	c.OptDel = Interval{new(big.Float), c.up.outward().upper(big.NewFloat(value))}
	r := &rule{c.Hints.Thresholds, nodes}
	if r.losses == nil {
		nodes[n-1] = c.up.strikes[n-1].enough()
		for i, m := range nodes {
			r.losses = append(r.losses, c.up.loss(i, m))
		}
	} else {
		for i, loss := range r.losses {
			nodes[i] = c.up.node(i, loss)
		}
	}
	outcomes, err := c.low.forward(ctx, r, c.Hints.Floor)
	if err != nil {
		return err
	}
	c.Hints.Thresholds = r.losses
	gain := 0.0
	for i, o := range outcomes {
		gain += o.gain
		c.Rule = append(c.Rule, Threshold{r.losses[i], o.probability})
	}
	c.OptDel.Lower = c.low.outward().lower(big.NewFloat(gain))
	return nil
}

// outward returns what bounds the roundings of passes.
func (l *lattice) outward() outward {
	roundings := l.rounds + 2*sumRounds(l.widest) + float64(2*len(l.strikes)+4*riseRounds)
	if l.kind == merge {
		roundings += float64(l.widest)
	}
	return newOutward(53, roundings, l.work, smallest)
}

// addSingle adds the bounds of a single stop; they are 0 if it never pays.
func (b *Bounds) addSingle(lower, upper *big.Float, pays bool) {
	if !pays {
		lower, upper = new(big.Float), new(big.Float)
	}
	b.SingleStop = append(b.SingleStop, Interval{lower, upper})
}

// complete adds what follows from the single stops: Lemma 11 is their sum, and OptDel lies between
// the largest of them and that sum, or 1.
func (b *Bounds) complete(bits uint) *Bounds {
	if b.OptDel.Lower == nil {
		b.OptDel = Interval{new(big.Float), big.NewFloat(1)}
	}
	if len(b.SingleStop) == 0 {
		return b
	}
	b.Lemma11 = Interval{down(bits), up(bits)}
	for _, x := range b.SingleStop {
		b.Lemma11.Lower.Add(b.Lemma11.Lower, x.Lower)
		b.Lemma11.Upper.Add(b.Lemma11.Upper, x.Upper)
		if x.Lower.Cmp(b.OptDel.Lower) > 0 {
			b.OptDel.Lower = x.Lower
		}
	}
	if b.Lemma11.Upper.Cmp(b.OptDel.Upper) < 0 {
		b.OptDel.Upper = b.Lemma11.Upper
	}
	return b
}
