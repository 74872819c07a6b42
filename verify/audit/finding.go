package audit

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// Finding is what a law says about a claim.
//
// Whether δ is enough is decided without rounding where the law has what that takes: a cell
// adds nothing if its loss is known and at most the ε of its part, in nats; it adds a
// rational number if its probabilities are, and e^ε too, or the second probability is 0.
// Everything else is in certified intervals. So a mechanism that is exactly as private as
// it is claimed to be is Proved if it can be written with such cells. If not, it is neither
// Proved nor Refuted, and Delta says how little is open: its upper end is above the
// claimed δ by some 1e-60.
type Finding struct {
	// Delta contains the smallest δ with which the claim holds for the inputs, the larger one
	// of both directions. Its upper end is 1 if the law is not complete.
	Delta     interval.Interval
	Direction int          // where Delta is largest: 0 is the first input against the second, 1 the reverse
	Event     []int        // cells that together have a probability beyond the charged one by Delta.Lower
	Exact     *big.Rat     // Delta, if that is known as a rational number
	Parts     []PartExcess // by part
	Losses    []PartLoss   // by part
	Refuted   bool         // the claim is false: δ must be larger
	Proved    bool         // the claim is true for these inputs
}

// PartExcess is the worst set of outputs within one part: the δ that it would need by itself.
type PartExcess struct {
	Delta     interval.Interval // contains it; the upper end is 1 if the law is not complete
	Exact     *big.Rat          // if it is known as a rational number
	Event     []int             // the cells of the set
	Direction int               // as in [Finding]
}

// PartLoss is the largest ln(P(S)/P'(S)) over the outputs of one part.
type PartLoss struct {
	// Loss contains it. It is at least that of a cell; its upper end is +Inf if the law is
	// not complete. Both are −Inf if a part has no outputs.
	Loss      interval.Interval
	Cell      int // which has the loss at the lower end; −1 if there is none
	Direction int // as in [Finding]
}

// Check returns what the law says about a claim.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2: the smallest δ is
// Σ max(0, P(S) − e^ε·P'(S)) over the outputs, with the ε of their parts.
// Domain: see [Law.Validate] and [Claim.Validate].
// Accuracy: certified; see [Finding].
// Cost: O(cells).
func (l Law) Check(c Claim) (Finding, error) {
	if err := c.Validate(); err != nil {
		return Finding{}, fmt.Errorf("Check: %w", err)
	}
	if err := l.Validate(c); err != nil {
		return Finding{}, fmt.Errorf("Check: %w", err)
	}
	parts := [2][]check{checkParts(l, c, 0), checkParts(l, c, 1)}
	both := [2]check{sumOfChecks(parts[0]), sumOfChecks(parts[1])}
	whole := larger(both, l.Complete)
	f := Finding{Delta: whole.Delta, Direction: whole.Direction, Event: whole.Event, Exact: whole.Exact}
	for k := range c.Parts {
		f.Losses = append(f.Losses, l.largestLoss(k))
		f.Parts = append(f.Parts, larger([2]check{parts[0][k], parts[1][k]}, l.Complete))
	}
	low, high := bounds(both)
	f.Refuted = low.Cmp(c.Delta) > 0
	f.Proved = l.Complete && high.Cmp(c.Delta) <= 0
	return f, nil
}

// check adds up the excess of cells in one direction.
type check struct {
	exact    *big.Rat // the part that is known exactly
	interval interval.Interval
	event    []int
}

func newCheck() check {
	return check{exact: new(big.Rat), interval: lawBits.Int(0)}
}

// checkParts returns the excess of the cells of every part.
func checkParts(l Law, c Claim, direction int) []check {
	parts := make([]check, len(c.Parts))
	factors := make([]interval.Interval, len(c.Parts))
	for i, part := range c.Parts {
		parts[i] = newCheck()
		factors[i], _ = loss.Factor(part.Eps) // the claim was validated
	}
	for i, cell := range l.Cells {
		k := &parts[cell.Part]
		if k.addCell(cell, c.Parts[cell.Part].Eps, factors[cell.Part], direction) {
			k.event = append(k.event, i)
		}
	}
	return parts
}

// addCell adds the excess of a cell, for an ε and bounds on e^ε, and reports whether it is more than 0 for certain.
func (k *check) addCell(cell Cell, eps loss.Epsilon, factor interval.Interval, direction int) bool {
	if r := cell.exactExcess(eps, direction); r != nil {
		k.exact.Add(k.exact, r)
		return r.Sign() > 0
	}
	x := cell.excess(factor, direction)
	k.interval = lawBits.Add(k.interval, x)
	return x.Lower.Sign() > 0
}

// sumOfChecks adds up the parts.
func sumOfChecks(parts []check) check {
	sum := newCheck()
	for _, k := range parts {
		sum.exact.Add(sum.exact, k.exact)
		sum.interval = lawBits.Add(sum.interval, k.interval)
		sum.event = append(sum.event, k.event...)
	}
	slices.Sort(sum.event)
	return sum
}

// bounds returns what the smallest δ is between.
func (k check) bounds() (low, high *big.Rat) {
	low, high = k.interval.Rats()
	return low.Add(low, k.exact), high.Add(high, k.exact)
}

// bounds returns what the larger one of both directions is between.
func bounds(both [2]check) (low, high *big.Rat) {
	low, high = both[0].bounds()
	lower, upper := both[1].bounds()
	return rat.Max(low, lower), rat.Max(high, upper)
}

// larger returns what was found in both directions.
func larger(both [2]check, complete bool) PartExcess {
	low, high := bounds(both)
	first, most := both[0].bounds()
	second, most2 := both[1].bounds()
	x := PartExcess{Event: both[0].event}
	if lawBits.Rat(low).Lower.Cmp(lawBits.Rat(first).Lower) > 0 {
		x.Event, x.Direction = both[1].event, 1
	}
	if complete && rat.Equal(first, most) && rat.Equal(second, most2) {
		x.Exact = low
	}
	if !complete || high.Cmp(one) > 0 {
		high = one
	}
	x.Delta = interval.New(lawBits.Down().SetRat(low), lawBits.Up().SetRat(high))
	return x
}

// exactExcess returns the excess of a cell if it is known as a rational number, or nil.
func (c Cell) exactExcess(eps loss.Epsilon, direction int) *big.Rat {
	if c.Loss != nil {
		if _, high := c.loss(direction); high != nil && (high.Sign() <= 0 || !eps.Log && high.Cmp(eps.Rat()) <= 0) {
			return new(big.Rat)
		}
	}
	if c.Exact == nil {
		return nil
	}
	p, q := c.Exact[direction], c.Exact[1-direction]
	x := new(big.Rat).Set(p)
	switch {
	case q.Sign() == 0:
		return x
	case !c.constant():
		return nil
	case eps.Log:
		x.Sub(x, new(big.Rat).Mul(eps.Rat(), q))
	case eps.Rat().Sign() == 0:
		x.Sub(x, q)
	default:
		return nil
	}
	if x.Sign() < 0 {
		x.SetInt64(0)
	}
	return x
}

// excess returns an interval around the sum of max(0, P(S) − e^ε·P'(S)) over the
// outputs in the cell: at least that of the cell as one event, and equal to it if the
// ratio is constant or nowhere below e^ε; otherwise at most P·(1 − e^(ε − loss)).
func (c Cell) excess(factor interval.Interval, direction int) interval.Interval {
	p, q := c.P[direction], c.P[1-direction]
	x := excess(p, factor, q)
	if c.constant() {
		return x
	}
	low, high := c.loss(direction)
	if low != nil {
		if ratio, err := expOf(low); err == nil && ratio.Lower.Cmp(factor.Upper) >= 0 {
			return x
		}
	}
	most := p.Upper
	if high == nil {
		return interval.Interval{Lower: x.Lower, Upper: most}
	}
	if ratio, err := expOf(high); err == nil {
		rest := lawBits.Max0(lawBits.Sub(lawBits.Int(1), lawBits.Quo(factor, ratio)))
		most = lawBits.Mul(p, rest).Upper
	}
	return interval.Interval{Lower: x.Lower, Upper: most}
}

// constant reports whether the likelihood ratio is constant on the cell.
func (c Cell) constant() bool {
	return c.Loss == nil || c.Loss[0] != nil && c.Loss[1] != nil && c.Loss[0].Cmp(c.Loss[1]) == 0
}

// largestLoss returns the largest loss of a part: it compares ratios, and takes logarithms of the two that matter.
func (l Law) largestLoss(part int) PartLoss {
	best := PartLoss{Cell: -1}
	low, high := new(big.Float), new(big.Float) // of P/P'
	var known *big.Rat                          // the largest upper end of a Loss
	some := false
	for i, cell := range l.Cells {
		for d := range 2 {
			p, q := cell.P[d], cell.P[1-d]
			if cell.Part != part || p.Upper.Sign() == 0 {
				continue
			}
			some = true
			if r := quo(lawBits.Down(), p.Lower, q.Upper); r.Cmp(low) > 0 {
				low, best.Cell, best.Direction = r, i, d
			}
			if cell.Loss == nil {
				if r := quo(lawBits.Up(), p.Upper, q.Lower); r.Cmp(high) > 0 {
					high = r
				}
			} else if _, most := cell.loss(d); most == nil {
				high.SetInf(false)
			} else if known == nil || most.Cmp(known) > 0 {
				known = most
			}
		}
	}
	best.Loss = interval.Interval{Lower: logarithm(low).Lower, Upper: logarithm(high).Upper}
	if known != nil {
		best.Loss.Upper = interval.Max(best.Loss, lawBits.Rat(known)).Upper
	}
	if !l.Complete && some {
		best.Loss.Upper = new(big.Float).SetInf(false)
	}
	return best
}

// quo sets z to p/q, and to +Inf if q is 0 and p is not.
func quo(z, p, q *big.Float) *big.Float {
	switch {
	case p.Sign() == 0:
		return z
	case q.Sign() == 0:
		return z.SetInf(false)
	}
	return z.Quo(p, q)
}

// logarithm returns ln(x), for x from 0 to +Inf.
func logarithm(x *big.Float) interval.Interval {
	if x.Sign() == 0 || x.IsInf() {
		infinite := new(big.Float).SetInf(x.Sign() == 0)
		return interval.Interval{Lower: infinite, Upper: infinite}
	}
	unit := interval.Interval{Lower: floatOne, Upper: floatOne}
	y, err := impl.LogRatio(interval.Interval{Lower: x, Upper: x}, unit)
	if err != nil {
		panic(fmt.Sprintf("internal error: %v", err))
	}
	return y
}
