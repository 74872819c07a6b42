package stopping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/exact"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// composer is one call of [Compose]: a search for the ε with g(ε) = δ′.
type composer struct {
	Options
	interval.Precision           // arithmetic of ε
	problem            Problem   // with one stop
	rest               Remainder // δ′
	lower, upper       *big.Float
	below, above       trial      // at the ends of the bracket, or nothing
	x                  *big.Float // about where g is δ′
	slope              float64    // how steeply g falls there
	tried              []trial    // the nearest to δ′ first
	triedZero          bool       // whether g(0) is known to be more than δ′, or cannot be told from it
	triedExact         bool       // whether exact rationals were asked about g(0)
	period             int        // how many trials may pass before they must have halved the bracket
	due                int        // when that is checked
	checked            *big.Float // width of the bracket when it was last checked for progress
	width              float64    // that the bracket is to have
	isAgain            bool       // whether the last trial did not decide
	tight              float64    // how much narrower g is asked for than should be needed
	reach              float64    // how far a candidate is from x, relative to it
	grid               Grid       // the last one, where there is noise
	reason             string     // why g is not known more narrowly; empty if it can be
}

// trial is g at a candidate.
type trial struct {
	at    *big.Float
	asked float64    // relative width
	off   *big.Float // about g − δ′
	*Result
}

// newComposer starts with what is known without a search: the largest loss is enough, if there is one.
func newComposer(p Problem, rest Remainder, o Options) *composer {
	c := &composer{Options: o, Precision: interval.Precision(53), problem: p, rest: rest, period: 6, due: 6, tight: 1}
	if o.RelWidth < 0x1p-40 {
		c.Precision = interval.Precision(BitsFor(o.RelWidth))
	}
	c.lower, c.upper = c.Down(), c.Up().SetRat(p.Losses()[0])
	if !p.isBounded() {
		c.upper.SetInf(false)
	}
	c.checked = new(big.Float).Set(c.upper)
	return c
}

// maxEvaluations is how often g is evaluated at most.
const maxEvaluations = 100

// coarseWidth is the relative width that is reached first: what there is if time runs out, and
// cheap.
const coarseWidth = 1e-4

// search narrows the bracket around what float64 finds, first from below, then from above. Every evaluation moves x
// to where g, were it straight, would be δ′.
func (c *composer) search(ctx context.Context) (*Composition, error) {
	if err := c.guess(ctx); err != nil {
		return nil, err
	}
	for _, c.width = range [2]float64{max(c.RelWidth, coarseWidth, c.cheapWidth()), c.RelWidth} {
		for c.reach = 0.4 * c.width; c.reach < 1 && len(c.tried) < maxEvaluations && c.eps().RelWidth() > c.width; {
			at, ok := c.next()
			if !ok {
				break
			}
			t, err := c.evaluate(ctx, at, c.widthAt())
			if err != nil {
				return c.cut(err)
			}
			c.decide(ctx, t)
			c.move()
		}
	}
	return c.result(), nil
}

// cheapWidth is for which width of ε it is enough to know g as narrowly as a grid soon tells: next to ε = 0, where g is
// flat beside its own size, more than [coarseWidth].
func (c *composer) cheapWidth() float64 {
	const cheap, most = 1e-5, 0.5
	e, _ := c.x.Float64()
	delta, _ := c.rest.Upper.Float64()
	if !(c.slope*e > 0) {
		return 0
	}
	return min(4*cheap*delta/(c.slope*e), most)
}

// guess sets x from float64. Where that is 0, a rough look may tell that it is enough.
func (c *composer) guess(ctx context.Context) error {
	delta, _ := c.rest.Upper.Float64()
	delta = max(delta, leastDelta)
	d, err := newObjective(ctx, c.problem, delta)
	if err != nil {
		return err
	}
	d.arrivals(ctx, func(_ int, a *arrival) {
		discount := a.discount(delta, d.largest[0])
		c.x, c.slope = c.inside(c.Down().SetRat(d.exact(0, discount))), a.slope(discount)
	})
	if ctx.Err() == nil && c.x.Sign() == 0 {
		t, err := c.evaluate(ctx, c.x, roughWidth)
		if err != nil {
			return err
		}
		if t.OptDel.Upper.Cmp(c.rest.Lower) <= 0 {
			c.upper = c.x
			return nil
		}
	}
	if ctx.Err() == nil && c.upper.IsInf() {
		return c.bound(ctx)
	}
	return ctx.Err()
}

// bound finds a charge that is enough where there is no largest loss: next to x, if that is where it should be, and
// otherwise from x on upward.
func (c *composer) bound(ctx context.Context) error {
	const near = 3 // trials
	c.width = max(c.RelWidth, coarseWidth)
	c.reach = 0.4 * c.width
	for factor := 1.0; c.upper.IsInf() && factor < 100; {
		width, more := c.widthAt(), c.reach
		if len(c.tried) >= near {
			factor *= 1.2
			width, more = roughWidth, factor-1
		}
		at := c.Up().SetFloat64(1 + more)
		at.Add(at.Mul(at, c.x), big.NewFloat(1e-3*(factor-1)))
		t, err := c.evaluate(ctx, at, width)
		if err != nil {
			return err
		}
		c.decide(ctx, t)
		c.move()
	}
	if c.checked = c.upper; c.upper.IsInf() {
		return ErrNoSchedule
	}
	return nil
}

// roughWidth is how narrowly g is known where it is to be told from much more.
const roughWidth = 0.1

// eps returns what is known about ε.
func (c *composer) eps() interval.Interval { return interval.New(c.lower, c.upper) }

// inside returns the number in the bracket that is nearest to x.
func (c *composer) inside(x *big.Float) *big.Float {
	switch {
	case x.Cmp(c.lower) < 0:
		return c.lower
	case x.Cmp(c.upper) > 0:
		return c.upper
	}
	return x
}

// stalls reports whether straight lines lead nowhere: the bracket has not been halved when it
// should have been. Then they get less time.
func (c *composer) stalls() bool {
	if len(c.tried) < c.due {
		return false
	}
	width := new(big.Float).Sub(c.upper, c.lower)
	most := new(big.Float).Quo(c.checked, big.NewFloat(2))
	stalls := width.Cmp(most) > 0 && c.reason == ""
	if stalls {
		c.period = max(1, c.period/2)
	}
	c.checked, c.due = width, len(c.tried)+c.period
	return stalls
}

// next returns the next candidate: below x, then above x; false if there is none in the
// bracket. Where straight lines lead nowhere, or out of it, the bracket is halved.
func (c *composer) next() (at *big.Float, ok bool) {
	x := c.x
	if c.stalls() {
		if c.lower.Sign() == 0 && !c.triedZero { // halves of a bracket never get there
			return c.Down(), true
		}
		x = c.Down().Set(middle(c.eps()))
	}
	isInside := func(at *big.Float) bool {
		return at.Cmp(c.upper) < 0 && (at.Cmp(c.lower) > 0 || at.Sign() == 0 && !c.triedZero)
	}
	for _, reach := range [2]float64{-c.reach, c.reach} {
		at, far := c.Down().SetFloat64(reach), c.Down().SetFloat64(1.25*reach)
		at.Add(at.Mul(at, x), x)
		if far.Add(far.Mul(far, x), x); isInside(at) && isInside(far) { // no end of the bracket is as near already
			return at, true
		}
	}
	at = c.Down().Set(middle(c.eps()))
	return at, isInside(at)
}

// leastWidth is the smallest relative width that is asked for, and leastOfGrid that where losses are on no lattice:
// float64 would take long for less, and hardly certify it.
const (
	leastWidth  = 1e-300
	leastOfGrid = 1e-7
)

// least returns the smallest relative width that is asked for.
func (c *composer) least() float64 {
	if c.problem.IsOnGrid() {
		return leastOfGrid
	}
	return leastWidth
}

// widthAt returns how narrowly g must be known at a candidate: on the way there from x it changes by slope·x·reach.
func (c *composer) widthAt() float64 {
	e, _ := c.x.Float64()
	delta, _ := c.rest.Upper.Float64()
	width := c.tight * c.width / 4
	if change := c.slope * e / delta; change > 0 {
		width *= change
	}
	return min(max(width, c.least()), 0.1)
}

// evaluate returns g at a candidate.
func (c *composer) evaluate(ctx context.Context, at *big.Float, width float64) (t trial, err error) {
	left := math.Pow(0.5, float64(len(c.tried)))
	o := Options{Method: c.Method, RelWidth: width}
	o.Progress = func(done float64) { c.Progress(1 - left + done*left/2) }
	if c.problem.IsOnGrid() {
		o.Grid = &c.grid
	}
	e, _ := at.Rat(nil)
	r, err := Solve(ctx, c.problem.Charged([]*big.Rat{e}), o)
	if err != nil {
		return t, err
	}
	t = trial{at, width, middle(r.OptDel), r}
	t.off.Sub(t.off, middle(c.rest.Interval))
	c.tried = append(c.tried, t)
	slices.SortStableFunc(c.tried, func(t, u trial) int {
		return new(big.Float).Abs(t.off).Cmp(new(big.Float).Abs(u.off))
	})
	return t, ctx.Err()
}

// middle returns about the middle of x.
func middle(x interval.Interval) *big.Float {
	m := new(big.Float).SetPrec(x.Lower.Prec()+64).Add(x.Lower, x.Upper)
	return m.Quo(m, big.NewFloat(2))
}

// decide moves an end of the bracket to a trial, or sees to it that later ones can be decided.
func (c *composer) decide(ctx context.Context, t trial) {
	isZero := t.at.Sign() == 0
	switch {
	case t.OptDel.Upper.Cmp(c.rest.Lower) <= 0:
		c.upper, c.above, c.tight = t.at, t, 1
	case t.OptDel.Lower.Cmp(c.rest.Upper) > 0:
		c.lower, c.below, c.tight, c.triedZero = t.at, t, 1, true
	case isZero && c.isEnough(ctx):
		c.upper = t.at
	case t.Shortfall == "" && !c.isAgain: // x was not where it should be, and is now
		c.isAgain = true
		return
	case t.Shortfall == "" && t.asked > c.least():
		c.tight *= c.tight / 16
	default:
		c.triedZero = c.triedZero || isZero
		c.fallShort(t)
	}
	c.isAgain = false
}

// isEnough reports whether g(0) = δ′ in exact rationals: no interval tells that.
func (c *composer) isEnough(ctx context.Context) bool {
	if c.rest.Exact == nil || c.triedExact {
		return false
	}
	c.triedExact = true
	p := c.problem
	p.Stops = []certify.Stop{{After: p.length(), Eps: loss.Exp(rational.One)}}
	g, _, err := exact.OptDel(ctx, p.Problem)
	return err == nil && g.Cmp(c.rest.Exact) <= 0
}

// fallShort puts candidates so far from x that g can be told from δ′.
func (c *composer) fallShort(t trial) {
	if c.reason = t.Shortfall; c.reason == "" {
		c.reason = fmt.Sprintf("δ at %.6g differs from the δ asked for by too little", t.at)
	}
	e, _ := t.at.Float64()
	width := new(big.Float).Sub(t.OptDel.Upper, t.OptDel.Lower)
	x, _ := width.Float64()
	if c.reach *= 4; c.slope*e > 0 {
		c.reach = max(c.reach, 2*x/(c.slope*e))
	}
}

// move moves x to where g is δ′ on the line through the two best trials or, if that leads out of the bracket, through
// its ends.
func (c *composer) move() {
	t, u := c.tried[0], trial{}
	if len(c.tried) > 1 {
		u = c.tried[1]
	}
	x, slope := c.line(t, u)
	if isInside := x.Cmp(c.lower) > 0 && x.Cmp(c.upper) < 0; !isInside && c.below.at != nil && c.above.at != nil {
		x, slope = c.line(c.below, c.above)
	}
	c.x, c.slope = x, slope
}

// line returns where g is δ′ on the line through two trials, and how steeply that falls, if they tell: g is convex, so
// that one far away says less than what is known.
func (c *composer) line(t, u trial) (x *big.Float, slope float64) {
	slope = c.slope
	if u.at != nil {
		dx, dy := new(big.Float).Sub(u.at, t.at), new(big.Float).Sub(t.off, u.off)
		far := new(big.Float).SetMantExp(t.at, -5)
		isNear := far.Cmp(new(big.Float).Abs(dx)) > 0 || !(slope > 0)
		if isNear && dx.Sign() != 0 && dx.Sign() == dy.Sign() {
			slope, _ = dy.Quo(dy, dx).Float64()
		}
	}
	if !(slope > 0) {
		return c.inside(t.at), slope
	}
	step := new(big.Float).SetPrec(uint(c.Precision)).Quo(t.off, big.NewFloat(slope))
	x = c.inside(c.Down().Add(t.at, step))
	if few := new(big.Float).SetMantExp(t.at, -8); !c.triedZero && x.Cmp(few) < 0 {
		x = c.lower // on the way to 0, which is otherwise only approached
	}
	return x, slope
}

// result returns the bracket, and why it is not narrower.
func (c *composer) result() *Composition {
	if len(c.tried) == 0 { // no loss is above 0
		return ClosedComposition(c.eps(), new(big.Rat))
	}
	nearest := c.tried[0]
	found := &Composition{Eps: c.eps(), Method: nearest.Method, Arithmetic: nearest.Arithmetic}
	if found.Eps.Upper.Sign() == 0 {
		found.Exact = new(big.Rat)
	}
	if width := found.Eps.RelWidth(); width > c.RelWidth {
		reason := c.reason
		if reason == "" {
			reason = fmt.Sprintf("no narrower after %d evaluations", len(c.tried))
		}
		found.Shortfall = fmt.Sprintf("relative width %.2g of ε: %s", width, reason)
	}
	return found
}

// cut returns what there is when an error ends the search.
func (c *composer) cut(err error) (*Composition, error) {
	ended := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	if !ended || c.lower.Sign() == 0 {
		return nil, err
	}
	c.reason = ending(err)
	return c.result(), nil
}

// leastDelta is the smallest value that is sought.
const leastDelta = 1e-250
