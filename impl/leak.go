package impl

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// DeltaError says which rule a δ that was asked for breaks.
type DeltaError struct {
	Rule       string
	IsLeak     bool // it is not more than what the δ of the mechanisms amount to
	IsTooSmall bool // certainly no ε is large enough
}

// Error says the rule.
func (e *DeltaError) Error() string { return "delta " + e.Rule }

// CheckDelta returns a [*DeltaError] if there is no schedule for delta. p must be valid, see [Pipeline.Validate].
//
// What no charge can buy is leak = 1 − Π (1 − δ_k), with the P-mass of infinite losses in the place of δ_k where a law
// is known. A delta below it is never enough. One that is leak is enough if and only if all other losses are bounded:
// charges that are no less than these leave nothing else.
func (p Pipeline) CheckDelta(delta *big.Rat) error {
	if err := p.checkLeak(delta, true); err != nil {
		return err
	}
	return p.checkLeast(delta, true)
}

// LeastDelta is the smallest δ of a schedule, beside what no charge can buy.
const LeastDelta = 1e-250

// checkLeast returns a [*DeltaError] for a delta that is too small to compute with, unless it is what no charge can
// buy, which is no matter of computing; allowsLeak is as for [Pipeline.checkLeak].
func (p Pipeline) checkLeast(delta *big.Rat, allowsLeak bool) error {
	if rational.Float64(delta) >= LeastDelta || p.compareLeak(delta).sign == isLeak {
		return nil
	}
	or := ""
	if allowsLeak && p.checkLeak(new(big.Rat), true) == nil {
		or = ", or 0"
	}
	return &DeltaError{Rule: fmt.Sprintf("is %s, must be at least %g%s", rational.Decimal(delta), LeastDelta, or)}
}

// checkLeak is [Pipeline.CheckDelta] for a delta of whatever size; what no charge can buy may be refused for whatever
// mechanisms.
func (p Pipeline) checkLeak(delta *big.Rat, allowsLeak bool) error {
	if delta == nil {
		return &DeltaError{Rule: "is missing, must be at least 0 and less than 1"}
	}
	is := "is " + rational.Decimal(delta)
	if delta.Sign() < 0 || delta.Cmp(rational.One) >= 0 {
		return &DeltaError{Rule: is + ", must be at least 0 and less than 1"}
	}
	c := p.compareLeak(delta)
	if c.sign == isMore {
		return nil
	}
	lost := is
	if c.sign != isLeak {
		is, lost = c.most.tell(delta)
		is = "is " + is
	}
	unbounded, least := p.unboundedAmong(c), "at least"
	if unbounded >= 0 || !allowsLeak {
		least = "more than"
	}
	amounts, why := fmt.Sprintf("which %s amount to whatever is charged", p.leaking()), ""
	if unbounded >= 0 {
		why = fmt.Sprintf(": with %s noise, as in mechanism %d, every loss is exceeded with some probability, and no "+
			"ε has δ = %s", noiseOf(p.Mechanisms[unbounded]), unbounded+1, rational.Decimal(delta))
	}
	e := &DeltaError{IsLeak: true, IsTooSmall: c.sign == isLess || c.sign == isLeak && unbounded >= 0}
	switch {
	case c.sign == isLeak && unbounded < 0 && allowsLeak:
		return nil
	case c.sign == isLeak && delta.Sign() == 0:
		e.Rule, e.IsLeak = fmt.Sprintf("%s, must be at least %g%s", is, LeastDelta, why), false
	case c.sign == isLeak:
		e.Rule = fmt.Sprintf("%s, must be more than that, %s%s", is, amounts, why)
	case c.sign == isClose:
		e.Rule = fmt.Sprintf("%s, too close to %s, %s, to be told from it", is, lost, amounts)
	case c.most.Float().Lo >= 1-0x1p-52: // as far as anybody cares
		e.Rule = fmt.Sprintf("%s, and none is enough: %s amount to 1, whatever is charged", is, p.leaking())
	default:
		e.Rule = fmt.Sprintf("%s, must be %s %s, %s", is, least, lost, amounts)
	}
	return e
}

// unboundedAmong returns the first mechanism without a largest finite loss, for neighbours in some order; if a δ is
// what no charge can buy, in one where it is. It returns -1 if there is none.
func (p Pipeline) unboundedAmong(c comparedLeak) int {
	for i, q := range p.Orders() {
		if c.sign == isLeak && c.each[i] != isLeak {
			continue
		}
		if k := slices.IndexFunc(q.Mechanisms, func(m Mechanism) bool { return !hasMostLoss(m) }); k >= 0 {
			return k
		}
	}
	return -1
}

// noiseOf names the noise of m, or of what sees a sample, with which there is no largest loss.
func noiseOf(m Mechanism) certify.Noise {
	parts := m.Parts()
	return parts[slices.IndexFunc(parts, func(m Mechanism) bool { return !hasMostLoss(m) })].Additive.Noise
}

// leaking names what no charge can buy.
func (p Pipeline) leaking() string {
	hasLosses := func(m Mechanism) bool { return m.Losses != nil }
	if slices.ContainsFunc(p.Mechanisms, func(m Mechanism) bool { return slices.ContainsFunc(m.Parts(), hasLosses) }) {
		return "the δ of the mechanisms and what is missing from 1 in losses, under P or Q,"
	}
	return "the δ of the mechanisms"
}

// How a δ compares with what no charge can buy, and what counts if that differs by the order of neighbours: the first.
const (
	isLess  = iota
	isClose // it cannot be told
	isLeak  // it is that
	isMore
)

// lostMass is what no charge can buy, for neighbours in one order: a ratio, or in an interval.
type lostMass struct {
	exact *big.Rat // nil if it is none, or a very long one
	interval.Interval
}

// tell shows delta and the leak, each exactly if that is short, and otherwise with as many digits as tell them apart.
func (l lostMass) tell(delta *big.Rat) (asked, lost string) {
	const short, long = 10, 400
	text := func(r *big.Rat, digits int) string {
		text := rational.Decimal(r)
		if !strings.HasPrefix(text, "about") && (r == delta || len(text) <= short+len("0.")) {
			return text
		}
		return "about " + interval.Precision(2048).Rat(r).Upper.Text('g', digits)
	}
	most, _ := l.Rats()
	if l.exact != nil {
		most = l.exact
	}
	for digits := short; ; digits *= 2 {
		asked, lost = text(delta, digits), text(most, digits)
		x, _ := new(big.Rat).SetString(strings.TrimPrefix(asked, "about "))
		y, _ := new(big.Rat).SetString(strings.TrimPrefix(lost, "about "))
		if digits > long || x.Cmp(y) != 0 && x.Cmp(y) == delta.Cmp(most) {
			return asked, lost
		}
	}
}

// comparedLeak is how a δ compares with what no charge can buy.
type comparedLeak struct {
	sign int
	each []int    // the same for each of [Pipeline.Orders]
	most lostMass // of the order where it is largest
}

// compareLeak compares delta with what no charge can buy: exactly if that is no very long ratio, and otherwise as
// narrowly as it takes, up to a limit.
func (p Pipeline) compareLeak(delta *big.Rat) comparedLeak {
	c := comparedLeak{sign: isMore}
	for i, q := range p.Orders() {
		sign, l := q.compareOwnLeak(delta)
		if i == 0 || l.Upper.Cmp(c.most.Upper) > 0 {
			c.most = l
		}
		c.each, c.sign = append(c.each, sign), min(c.sign, sign)
	}
	return c
}

// compareOwnLeak is [Pipeline.compareLeak] for neighbours in the order that laws are given in.
func (p Pipeline) compareOwnLeak(delta *big.Rat) (sign int, l lostMass) {
	const margin = 1e-9 // which is far more than the rounding errors of about
	about := p.problem().Infinities()
	if x := about[len(about)-1]; rational.Float64(delta) > max(LeastDelta, x*(1+margin)) {
		return isMore, lostMass{Interval: interval.Of(x, x)}
	}
	if keep, ok := p.keptExactly(); ok {
		const bits = 2048 // more digits than are ever shown
		l.exact = new(big.Rat).Sub(rational.One, keep)
		l.Interval = interval.Precision(bits).Rat(l.exact)
		return []int{isLess, isLeak, isMore}[1+delta.Cmp(l.exact)], l
	}
	for n := interval.Precision(256); ; n *= 4 {
		l.Interval = n.Sub(n.Int(1), p.kept(n))
		switch lower, upper := l.Rats(); {
		case delta.Cmp(lower) < 0:
			return isLess, l
		case delta.Cmp(upper) > 0:
			return isMore, l
		case lower.Cmp(upper) == 0:
			return isLeak, l
		case n >= maxPrecision:
			return isClose, l
		}
	}
}

// infinity returns the P-mass of outputs of m that are impossible under Q, for neighbours in the order that its law is
// given in; nil where it is no ratio.
func infinity(m Mechanism) *big.Rat {
	switch {
	case m.Additive != nil:
		return new(big.Rat)
	case m.Sampled != nil && m.Sampled.Infinity() == 0:
		return new(big.Rat)
	case m.Sampled != nil:
		keep, ok := inSample(m.Sampled).keptExactly()
		if !ok {
			return nil
		}
		return keep.Mul(keep.Sub(rational.One, keep), m.Sampled.Rate)
	case m.Losses != nil && m.Losses.IsReversed() && !losesNothing(m.Losses):
		return nil // e^−loss are none
	case m.Losses != nil:
		var masses []*big.Rat
		for _, x := range m.Losses.List() {
			masses = append(masses, x[1])
		}
		sum := new(big.Rat).SetFrac(rational.Sum(masses))
		return sum.Sub(rational.One, sum)
	case m.Law != nil:
		sum := new(big.Rat)
		for _, o := range m.Law {
			if o[1].Sign() == 0 {
				sum.Add(sum, o[0])
			}
		}
		return sum
	}
	return m.Delta
}

// inSample returns what sees a sample, for a record in it, in the order of neighbours of the whole.
func inSample(s *certify.Sampled) Pipeline {
	orders := OneStop(s.Mechanisms()).Orders()
	if s.Added {
		return orders[len(orders)-1]
	}
	return orders[0]
}

// mostBits is the size up to which Π(1 − δ_k) is computed exactly.
const mostBits = 1 << 17

// keptExactly returns Π(1 − δ_k), where δ_k are the masses of [infinity], unless that is no ratio, or a very long one.
func (p Pipeline) keptExactly() (*big.Rat, bool) {
	bits, lost := 0.0, make([]*big.Rat, len(p.Mechanisms))
	for i, m := range p.Mechanisms {
		if lost[i] = infinity(m); lost[i] == nil {
			return nil, false
		}
		bits += float64(m.Count) * float64(lost[i].Denom().BitLen()-1)
	}
	if bits > mostBits {
		return nil, false
	}
	keep := new(big.Rat).Set(rational.One)
	for i, m := range p.Mechanisms {
		if lost[i].Sign() > 0 {
			keep.Mul(keep, rational.Power(new(big.Rat).Sub(rational.One, lost[i]), m.Count))
		}
	}
	return keep, true
}

// kept returns an interval of Π(1 − δ_k), as [Pipeline.keptExactly].
func (p Pipeline) kept(n interval.Precision) interval.Interval {
	keep, known := n.Int(1), map[any]interval.Interval{}
	for _, m := range p.Mechanisms {
		var left interval.Interval
		switch lost := infinity(m); {
		case lost == nil:
			x := m.Continuous()
			if _, isKnown := known[x]; !isKnown {
				known[x] = keptBy(m, n)
			}
			left = known[x]
		case lost.Sign() == 0:
			continue
		default:
			left = n.Rat(new(big.Rat).Sub(rational.One, lost))
		}
		keep = n.Mul(keep, n.Power(left, m.Count))
	}
	return keep
}

// keptBy returns 1 − δ, where δ is the mass of [infinity], which is no ratio, or a very long one.
func keptBy(m Mechanism, n interval.Precision) interval.Interval {
	if m.Losses != nil {
		return interval.Min(massesUnderQ(m.Losses, n), n.Int(1))
	}
	lost := n.Sub(n.Int(1), inSample(m.Sampled).kept(n))
	return n.Sub(n.Int(1), n.Mul(n.Rat(m.Sampled.Rate), lost))
}
