package impl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// ClosedForm is the [Method] of an ε that needs no search: 0, or the sum of all ε.
const ClosedForm Method = "closed form"

// Composition is what [OptComp] found.
type Composition struct {
	Eps        interval.Interval // the smallest ε
	Exact      *big.Rat          // that ε, where it is known as a rational number
	Method     Method            // that of the evaluations of [OptDel], or ClosedForm
	Arithmetic string            // of these evaluations
	Shortfall  string            // why the requested width was not reached; empty if it was
}

// OptComp returns the smallest ε ≥ 0 such that every composition of (ε_k, δ_k)-DP mechanisms,
// each chosen with the earlier outputs in view, is (ε, δ)-DP.
//
// Let K = Π(1 − δ_k), and g(ε) the smallest δ for the mechanisms with all δ_k set to 0. With
// all δ_k it is 1 − K + K·g(ε): it is at most δ where g(ε) ≤ δ′ = 1 − (1 − δ)/K, which is how
// the theorem is printed. The order does not matter, so equal ε are taken together. Candidates
// come from float64; what the interval rests on is that [OptDel], with one stop charged ε,
// evaluates g on both sides of δ′.
//
// Source: Murtagh and Vadhan (2016), Theorem 1.5; Kairouz, Oh and Viswanath (2015), Theorem
// 3.3: Hartmann et al. (2022), Theorem 15, for n = 1, solved for the charge.
// Symbols: (ε_k, δ_k) = mechanisms, δ = delta.
// Domain: delta at least 1 − K and at most 1.
// Accuracy: the smallest ε is in Eps: at Upper, OptDel is at most delta; below Lower it is
// more. The relative width is at most o.RelWidth, or Shortfall says why not. Exact are 0, and
// for delta = 1 − K the sum of all ε if none was given as e^ε.
// Errors: *[InputError] for the mechanisms, *[DeltaError]; ctx.Err() if ctx ends before there
// is any result; those of [OptDel].
// Cost: in most cases three evaluations of OptDel.
func OptComp(ctx context.Context, mechanisms []Mechanism, delta *big.Rat, o Options) (*Composition, error) {
	p := OneStop(mechanisms)
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := o.complete(); err != nil {
		return nil, err
	}
	switch {
	case delta == nil:
		return nil, &DeltaError{"is missing, must be between 0 and 1"}
	case delta.Sign() < 0 || delta.Cmp(rational.One) > 0:
		return nil, &DeltaError{fmt.Sprintf("is %s, must be between 0 and 1", rational.Decimal(delta))}
	}
	if delta.Cmp(rational.One) == 0 {
		return closedForm(interval.Of(0, 0), new(big.Rat)), nil
	}
	rest, err := p.withoutDeltas(delta, o.RelWidth)
	if err != nil {
		return nil, err
	}
	c := newComposer(p.pure(), rest, o)
	if len(c.game.Mechanisms) == 0 || rest.Upper.Sign() == 0 {
		return c.sum(), nil
	}
	return c.search(ctx)
}

// pure returns the mechanisms with an ε above 0 and without their δ, equal ones taken together.
func (p Pipeline) pure() Pipeline {
	var groups []Mechanism
	known := map[string]int{}
	for _, m := range p.Mechanisms {
		if m.Eps.IsZero() {
			continue
		}
		key := m.Eps.String()
		i, ok := known[key]
		if !ok {
			i = len(groups)
			known[key] = i
			groups = append(groups, Mechanism{Eps: m.Eps, Delta: new(big.Rat)})
		}
		groups[i].Count += m.Count
	}
	return OneStop(groups)
}

// mostBits is the size up to which Π(1 − δ_k) is computed exactly.
const mostBits = 1 << 17

// remainder is δ′.
type remainder struct {
	interval.Interval
	exact *big.Rat // nil if that is a very long number
}

// remainderBits is the precision of δ′ beside that for the width: where g is flat beside its
// own size, as near ε = 0, it must be known more narrowly than ε.
const remainderBits = 1152

// withoutDeltas returns δ′ = 1 − (1 − δ)/Π(1 − δ_k), far narrower than width; it is [0, 0] only
// if δ′ is 0.
func (p Pipeline) withoutDeltas(delta *big.Rat, width float64) (rest remainder, err error) {
	if keep, ok := p.keptExactly(); ok {
		x := new(big.Rat).Sub(delta, rational.One)
		if x.Add(x, keep).Sign() < 0 {
			return rest, p.tooSmall(delta)
		}
		x.Quo(x, keep)
		return remainder{interval.Precision(bitsFor(width) + remainderBits).Rat(x), x}, nil
	}
	for prec := bitsFor(width) + remainderBits; prec <= max(maxPrecision, 4*bitsFor(width)); prec *= 2 {
		n := interval.Precision(prec)
		keep := p.kept(n)
		left := n.Sub(keep, n.Rat(new(big.Rat).Sub(rational.One, delta)))
		if left.Upper.Sign() < 0 {
			return rest, p.tooSmall(delta)
		}
		if left.Lower.Sign() > 0 {
			if x := n.Quo(left, keep); x.RelWidth() <= width*0x1p-32 {
				return remainder{x, nil}, nil
			}
		}
	}
	return rest, &DeltaError{fmt.Sprintf("is %s, too close to what the δ of the mechanisms amount to to be told from it", rational.Decimal(delta))}
}

// bitsFor returns the precision of numbers that are to be known to a relative width.
func bitsFor(width float64) uint { return max(64, uint(16-math.Floor(math.Log2(width)))) }

// keptExactly returns Π(1 − δ_k) unless that is a very long number.
func (p Pipeline) keptExactly() (*big.Rat, bool) {
	bits := 0.0
	for _, m := range p.Mechanisms {
		bits += float64(m.Count) * float64(m.Delta.Denom().BitLen()-1)
	}
	if bits > mostBits {
		return nil, false
	}
	keep := new(big.Rat).Set(rational.One)
	for _, m := range p.Mechanisms {
		if m.Delta.Sign() > 0 {
			keep.Mul(keep, rational.Power(new(big.Rat).Sub(rational.One, m.Delta), m.Count))
		}
	}
	return keep, true
}

// kept returns Π(1 − δ_k).
func (p Pipeline) kept(n interval.Precision) interval.Interval {
	keep := n.Int(1)
	for _, m := range p.Mechanisms {
		if m.Delta.Sign() > 0 {
			keep = n.Mul(keep, n.Power(n.Rat(new(big.Rat).Sub(rational.One, m.Delta)), m.Count))
		}
	}
	return keep
}

func (p Pipeline) tooSmall(delta *big.Rat) error {
	return &DeltaError{fmt.Sprintf("is %s, must be at least %s, which the δ of the mechanisms amount to whatever ε is", rational.Decimal(delta), leakText(p.leaks()[0]))}
}

// closedForm returns a composition that needs no search.
func closedForm(eps interval.Interval, exact *big.Rat) *Composition {
	return &Composition{Eps: eps, Exact: exact, Method: ClosedForm, Arithmetic: "exact rationals"}
}

// composer is one call of [OptComp]: a search for the ε with g(ε) = δ′.
type composer struct {
	Options
	interval.Precision           // arithmetic of ε
	game               Pipeline  // the mechanisms without δ_k
	rest               remainder // δ′
	lower, upper       *big.Float
	triedZero          bool     // whether g(0) is known to be more than δ′, or cannot be told from it
	triedExact         bool     // whether exact rationals were asked about g(0)
	best               [2]trial // nearest to δ′
	trials             int
	patience           int        // how many trials may pass before they must have halved the bracket
	due                int        // when that is checked
	checked            *big.Float // width of the bracket when it was last checked for progress
	width              float64    // that the bracket is to have
	tight              float64    // how much narrower g is asked for than should be needed
	reach              float64    // how far a candidate is from x, relative to it
	reason             string     // why g is not known more narrowly; empty if it can be
}

// trial is g at a candidate.
type trial struct {
	at    *big.Float
	asked float64    // relative width
	off   *big.Float // about g − δ′
	*Result
}

// newComposer starts with what is known without a search: the sum of all ε is enough.
func newComposer(game Pipeline, rest remainder, o Options) *composer {
	c := &composer{Options: o, Precision: interval.Precision(53), game: game, rest: rest, patience: 6, due: 6, tight: 1}
	if o.RelWidth < 0x1p-40 {
		c.Precision = interval.Precision(bitsFor(o.RelWidth))
	}
	c.lower, c.upper = c.Down(), c.total().Upper
	c.checked = new(big.Float).Set(c.upper)
	return c
}

// total returns the sum of all ε.
func (c *composer) total() interval.Interval {
	rest, sum := new(big.Rat), c.Int(0)
	for _, m := range c.game.Mechanisms {
		count := new(big.Rat).SetInt64(int64(m.Count))
		if m.Eps.IsExp() {
			sum = c.Add(sum, c.Mul(c.Rat(count), m.Eps.Enclose(c.Precision)))
		} else {
			rest.Add(rest, count.Mul(count, m.Eps.Rat()))
		}
	}
	return c.Add(sum, c.Rat(rest))
}

// sum returns the composition for δ′ = 0.
func (c *composer) sum() *Composition {
	wide := &composer{Precision: c.Precision + 64, game: c.game}
	exact := new(big.Rat)
	for _, m := range c.game.Mechanisms {
		if m.Eps.IsExp() {
			return closedForm(wide.total(), nil)
		}
		exact.Add(exact, new(big.Rat).Mul(m.Eps.Rat(), big.NewRat(int64(m.Count), 1)))
	}
	return closedForm(wide.total(), exact)
}

// maxEvaluations is how often g is evaluated at most.
const maxEvaluations = 100

// coarseWidth is the relative width that is reached first: what there is if time runs out, and
// cheap.
const coarseWidth = 1e-4

// search narrows the bracket around what float64 finds.
func (c *composer) search(ctx context.Context) (*Composition, error) {
	x, slope, err := c.guess(ctx)
	if err != nil {
		return nil, err
	}
	for _, width := range [2]float64{max(c.RelWidth, coarseWidth), c.RelWidth} {
		c.width, c.reach = width, 0.4*width
		if x, slope, err = c.narrow(ctx, x, slope); err != nil {
			return c.cut(err)
		}
	}
	return c.result(), nil
}

// narrow narrows the bracket around x to the width, first from below, then from above. Every
// evaluation moves x to where g, were it straight, would be δ′.
func (c *composer) narrow(ctx context.Context, x *big.Float, slope float64) (*big.Float, float64, error) {
	for c.reach < 1 && c.trials < maxEvaluations && c.eps().RelWidth() > c.width {
		at, ok := c.next(x)
		if !ok {
			break
		}
		t, err := c.evaluate(ctx, at, c.widthAt(x, slope))
		if err != nil {
			return nil, 0, err
		}
		c.decide(ctx, t, slope)
		x, slope = c.moved(slope)
	}
	return x, slope, nil
}

// guess returns about the smallest ε and how steeply g falls there, from float64.
func (c *composer) guess(ctx context.Context) (x *big.Float, slope float64, err error) {
	delta, _ := c.rest.Upper.Float64()
	delta = max(delta, LeastDelta)
	x = c.Down()
	d, err := newDesign(ctx, c.game, delta)
	if err != nil {
		return nil, 0, err
	}
	err = d.arrivals(ctx, func(_ int, a *arrival) {
		relief := a.relief(delta, d.largest[0])
		x.SetRat(d.exact(0, relief))
		slope = a.slope(relief)
	})
	return c.inside(x), slope, err
}

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
	if c.trials < c.due {
		return false
	}
	width := new(big.Float).Sub(c.upper, c.lower)
	most := new(big.Float).Quo(c.checked, big.NewFloat(2))
	stalls := width.Cmp(most) > 0 && c.reason == ""
	if stalls {
		c.patience = max(1, c.patience/2)
	}
	c.checked, c.due = width, c.trials+c.patience
	return stalls
}

// next returns the next candidate: below x, then above x; false if there is none in the
// bracket. Where straight lines lead nowhere the bracket is halved.
func (c *composer) next(x *big.Float) (at *big.Float, ok bool) {
	if c.stalls() {
		x = c.Down().Set(middle(c.eps()))
	}
	for _, reach := range [2]float64{-c.reach, c.reach} {
		at := c.Down().SetFloat64(reach)
		at.Add(at.Mul(at, x), x)
		if at.Cmp(c.upper) < 0 && (at.Cmp(c.lower) > 0 || at.Sign() == 0 && !c.triedZero) {
			return at, true
		}
	}
	return nil, false
}

// leastWidth is the smallest relative width that is asked for.
const leastWidth = 1e-300

// widthAt returns how narrowly g must be known at x: on the way to the candidate it changes by
// slope·x·reach.
func (c *composer) widthAt(x *big.Float, slope float64) float64 {
	e, _ := x.Float64()
	delta, _ := c.rest.Upper.Float64()
	width := c.tight * c.width / 4
	if change := slope * e / delta; change > 0 {
		width *= change
	}
	return min(max(width, leastWidth), 0.1)
}

// evaluate returns g at a candidate.
func (c *composer) evaluate(ctx context.Context, at *big.Float, width float64) (t trial, err error) {
	left := math.Pow(0.5, float64(c.trials))
	o := Options{Method: c.Method, RelWidth: width}
	o.Progress = func(done float64) { c.Progress(1 - left + done*left/2) }
	e, _ := at.Rat(nil)
	r, err := OptDel(ctx, c.game.charged([]*big.Rat{e}), o)
	if err != nil {
		return t, err
	}
	c.trials++
	t = trial{at, width, middle(r.OptDel), r}
	t.off.Sub(t.off, middle(c.rest.Interval))
	switch {
	case c.best[0].at == nil || t.isNearer(c.best[0]):
		c.best = [2]trial{t, c.best[0]}
	case c.best[1].at == nil || t.isNearer(c.best[1]):
		c.best[1] = t
	}
	return t, ctx.Err()
}

func (t trial) isNearer(u trial) bool {
	return new(big.Float).Abs(t.off).Cmp(new(big.Float).Abs(u.off)) < 0
}

// middle returns about the middle of x.
func middle(x interval.Interval) *big.Float {
	m := new(big.Float).SetPrec(x.Lower.Prec()+64).Add(x.Lower, x.Upper)
	return m.Quo(m, big.NewFloat(2))
}

// decide moves an end of the bracket to a trial, or sees to it that later ones can be decided.
func (c *composer) decide(ctx context.Context, t trial, slope float64) {
	isZero := t.at.Sign() == 0
	switch {
	case t.OptDel.Upper.Cmp(c.rest.Lower) <= 0:
		c.upper, c.tight = t.at, 1
	case t.OptDel.Lower.Cmp(c.rest.Upper) > 0:
		c.lower, c.tight, c.triedZero = t.at, 1, true
	case isZero && (c.tight < 1e-4 || t.Shortfall != "") && c.isEnough(ctx):
		c.upper = t.at
	case t.Shortfall == "" && t.asked > leastWidth:
		c.tight *= c.tight / 16
	default:
		c.triedZero = c.triedZero || isZero
		c.fallShort(t, slope)
	}
}

// isEnough reports whether g(0) = δ′ in exact rationals: no interval tells that.
func (c *composer) isEnough(ctx context.Context) bool {
	if c.rest.exact == nil || c.triedExact {
		return false
	}
	c.triedExact = true
	p := c.game
	p.Stops = []Stop{{p.length(), loss.Exp(rational.One)}}
	g, _, err := Exact(ctx, p)
	return err == nil && g.Cmp(c.rest.exact) <= 0
}

// fallShort puts candidates so far from x that g can be told from δ′.
func (c *composer) fallShort(t trial, slope float64) {
	if c.reason = t.Shortfall; c.reason == "" {
		c.reason = fmt.Sprintf("δ at %.6g differs from the δ asked for by too little", t.at)
	}
	e, _ := t.at.Float64()
	width := new(big.Float).Sub(t.OptDel.Upper, t.OptDel.Lower)
	x, _ := width.Float64()
	if c.reach *= 4; slope*e > 0 {
		c.reach = max(c.reach, 2*x/(slope*e))
	}
}

// moved returns where g is δ′ on the line through the two best trials, and how steeply that
// falls; with the given slope if they do not tell.
func (c *composer) moved(slope float64) (x *big.Float, _ float64) {
	t, u := c.best[0], c.best[1]
	if u.at != nil {
		dx := new(big.Float).Sub(u.at, t.at)
		dy := new(big.Float).Sub(t.off, u.off)
		if dx.Sign() != 0 && dx.Sign() == dy.Sign() {
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
	r := c.best[0].Result
	found := &Composition{Eps: c.eps(), Method: r.Method, Arithmetic: r.Arithmetic}
	if c.upper.Sign() == 0 {
		found.Exact = new(big.Rat)
	}
	if width := found.Eps.RelWidth(); width > c.RelWidth {
		reason := c.reason
		if reason == "" {
			reason = fmt.Sprintf("no narrower after %d evaluations", c.trials)
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
	c.reason = "interrupted"
	if errors.Is(err, context.DeadlineExceeded) {
		c.reason = "time ran out"
	}
	return c.result(), nil
}

// Profile returns the privacy profile of a composition for drawing: about the smallest δ at n
// values of ε, from 0 to most or, if that is smaller, to the sum of all ε.
//
// Source: as for [OptComp].
// Symbols: ε = eps[j], δ = delta[j].
// Domain: n at least 2, most more than 0; delta of less than about least are not told from 0.
// Accuracy: about that of float64; no bounds.
// Errors: *[InputError], ctx.Err().
// Cost: one pass for all points.
func Profile(ctx context.Context, mechanisms []Mechanism, most, least float64, n int) (eps, delta []float64, err error) {
	p := OneStop(mechanisms)
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	if n < 2 || !(most > 0) {
		return nil, nil, fmt.Errorf("Profile: there are %d points up to %g, must be at least 2, and more than 0", n, most)
	}
	leak := p.leaks()[0]
	game := p.pure()
	eps, delta = make([]float64, n), make([]float64, n)
	most = min(most, game.total())
	for j := range n {
		eps[j], delta[j] = most*float64(j)/float64(n-1), leak
	}
	if len(game.Mechanisms) == 0 {
		return eps, delta, nil
	}
	d, err := newDesign(ctx, game, max(least, LeastDelta))
	if err != nil {
		return nil, nil, err
	}
	err = d.arrivals(ctx, func(_ int, a *arrival) {
		for j, e := range eps {
			delta[j] = leak + (1-leak)*a.value(d.largest[0]-e)
		}
	})
	return eps, delta, err
}
