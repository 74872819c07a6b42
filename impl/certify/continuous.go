package certify

import (
	"context"
	"fmt"
	"math/big"
)

// Continuous is a mechanism whose losses are on no lattice: [Additive] noise, or [Losses].
type Continuous interface {
	// Fault returns the rule that the mechanism breaks; empty if there is none.
	Fault() string

	// Key is the same for two mechanisms if and only if they are.
	Key() string

	// Most returns the largest finite loss, or a little more, at least 0; nil if there is none.
	Most() *big.Rat

	// Laws returns how many equal laws together count mechanisms are taken for.
	Laws(count int) int

	// IsDivided reports whether the law of count mechanisms is found in two parts, as most lose next to nothing
	// (rare.go); isFree is what hints say.
	IsDivided(count int, isFree bool) bool

	// Atoms returns about how many losses the mechanism has that matter.
	Atoms() float64

	// Leaks reports whether there are infinite losses, or losses without a limit.
	Leaks() bool

	// together returns the law of which so many are count mechanisms.
	together(count int) (d dense, laws int)
}

// dense is the law of a mechanism whose losses are on no lattice: with so many losses, or all, it is put on cells.
type dense interface {
	// above returns cells that dominate the mechanism, with all losses but for a P-mass of about cut on each side.
	above(ctx context.Context, r ruler, cut float64) (*cells, error)

	// below returns cells that the mechanism dominates.
	below(ctx context.Context, r ruler, cut float64) (*cells, error)
}

// cellsOf returns cells that dominate a mechanism, or that it dominates.
func cellsOf(ctx context.Context, d dense, r ruler, isUp bool, cut float64) (*cells, error) {
	if isUp {
		return d.above(ctx, r, cut)
	}
	return d.below(ctx, r, cut)
}

// mostLaw bounds k/σ² of Gaussian steps whose law is told as that of one: all their losses are far below MostLoss then.
const mostLaw = 64

// Laws returns how many equal laws together count mechanisms like a are taken for: fewer than count for Gaussian
// noise without sampling.
//
// k steps of scale σ release as much as their sum, of which the law is normal with variance k·σ² around 0 or k,
// whatever is known of the sum: the densities with and without the record have a ratio that the sum tells. That is
// one step of scale σ/√k, and n steps of scale σ·√(n/k).
func (a *Additive) Laws(count int) int {
	if a.Noise != Gaussian || a.Sampling.Cmp(one) != 0 {
		return count
	}
	all := a.squares(count)
	if all.Cmp(new(big.Rat).SetInt64(mostLaw*int64(count))) >= 0 {
		return count
	}
	whole := new(big.Int).Quo(all.Num(), all.Denom()).Int64()
	return min(count, 1+int(whole/mostLaw))
}

// squares returns count/σ².
func (a *Additive) squares(count int) *big.Rat {
	x := new(big.Rat).Mul(a.Scale, a.Scale)
	return x.Quo(new(big.Rat).SetInt64(int64(count)), x)
}

func (a *Additive) together(count int) (d dense, laws int) {
	law := a.law()
	if laws = a.Laws(count); laws < count {
		square := a.squares(count)
		law.outputs = newNormal(spanOf(square.Quo(square, new(big.Rat).SetInt64(int64(laws)))).root())
	}
	return law, laws
}

// IsDivided implements [Continuous].
func (a *Additive) IsDivided(count int, isFree bool) bool {
	return count >= rareLeast && a.Sampling.Cmp(one) < 0 && a.law().rare(count, isFree) > 0
}

// Atoms implements [Continuous].
func (a *Additive) Atoms() float64 {
	const deviations = 16
	if a.Noise == DiscreteGaussian {
		return deviations * spanOf(a.Scale).hi
	}
	return maxWindow
}

// Leaks implements [Continuous].
func (a *Additive) Leaks() bool { return a.Most() == nil }

// Key implements [Continuous].
func (a *Additive) Key() string {
	return fmt.Sprintf("%s %t %s", a.Noise, a.Added, digits([][2]*big.Rat{{a.Scale, a.Sampling}}))
}

// Laws implements [Continuous].
func (l *Losses) Laws(count int) int { return count }

func (l *Losses) together(count int) (d dense, laws int) { return l, count }

// IsDivided implements [Continuous].
func (l *Losses) IsDivided(int, bool) bool { return false }

// Atoms implements [Continuous].
func (l *Losses) Atoms() float64 { return float64(len(l.atoms)) }

// Leaks implements [Continuous].
func (l *Losses) Leaks() bool { return l.infinity.hi > 0 }

// Together returns the P-masses of the loss of count mechanisms like m together on the nodes from
// low on: node n loses n·unit more than count times the loss each. They dominate the mechanisms, but for rounding,
// with a P-mass of infinity where Q = 0. A P-mass of about cut may be moved to the ends.
func Together(
	ctx context.Context, m Continuous, count int, each *big.Rat, unit, tilt, cut float64,
) (low int, masses []float64, infinity float64, err error) {
	top := new(big.Rat).Mul(each, new(big.Rat).SetInt64(int64(count)))
	c, err := lawOf(ctx, m, count, measure{top, exactly(unit), 1, true, cut}, true, tilt)
	if err != nil {
		return 0, nil, 0, err
	}
	return c.low, c.mass[0], c.infinity, nil
}

// measure is the nodes on which a law is put, which are a unit apart, and of which node 0 loses top. Where it is not
// found in two parts it comes from nodes that are finer by an odd factor.
type measure struct {
	top    *big.Rat
	unit   span
	factor int
	isUp   bool // whether the law dominates the mechanisms
	cut    float64
}

// lawOf returns that of count mechanisms like m together.
func lawOf(ctx context.Context, m Continuous, count int, x measure, isFree bool, tilt float64) (*cells, error) {
	d, laws := m.together(count)
	if a, ok := d.(*additiveLaw); ok {
		if c := a.rare(laws, isFree); c > 0 {
			return a.divided(ctx, c, laws, spanOf(x.top), x.unit, x.isUp, tilt, x.cut)
		}
	}
	r := rulerOf(m, x.top, laws, x.unit.over(exactly(float64(x.factor))))
	r.isTop = r.isTop && laws == count
	c, err := cellsOf(ctx, d, r, x.isUp, x.cut/float64(laws))
	if err == nil {
		c, err = c.times(ctx, laws, x.cut, tilt*r.unit.lo)
	}
	if err != nil {
		return nil, err
	}
	return c.coarser(x.factor, r.unit), nil
}

// eachOf returns the law of one of count mechanisms like m, of which all together lose top on node 0.
func eachOf(ctx context.Context, m Continuous, count int, x measure) (*cells, error) {
	d, _ := m.together(1) // one law
	return cellsOf(ctx, d, rulerOf(m, x.top, count, x.unit), x.isUp, x.cut/float64(count))
}

// rulerOf returns the losses of each of so many equal laws that lose top together on node 0.
func rulerOf(m Continuous, top *big.Rat, laws int, unit span) ruler {
	each, most := new(big.Rat).Quo(top, new(big.Rat).SetInt64(int64(laws))), m.Most()
	return ruler{spanOf(each), unit, most != nil && each.Cmp(most) >= 0}
}

// times returns the law of count mechanisms together. See [cells.power] for finite losses.
func (c *cells) times(ctx context.Context, count int, cut float64, tilts ...float64) (*cells, error) {
	if count == 1 {
		return c, nil
	}
	isPessimistic := c.mass[1] == nil
	total := c.total
	if !isPessimistic {
		total = dot(c.mass[0], nil) * (1 - 2*sumRounds(len(c.mass[0]))*0x1p-53)
	}
	kept, lost := leaked(exactly(total), exactly(c.infinity), count)
	if kept.hi < leastKept {
		return c.without(kept, lost), nil
	}
	finite := *c
	finite.infinity = 0
	d, err := finite.power(ctx, count, cut, tilts...)
	if err != nil {
		return nil, err
	}
	d.total, d.infinity = min(d.total, kept.hi), up1(d.infinity+lost.hi)
	if !isPessimistic {
		d.infinity = lost.atLeast0().lo
	}
	return d, nil
}

// leastKept is the P-mass of finite losses below which they are not worth a law.
const leastKept = 1e-280

// without returns mechanisms that have next to no finite losses: in a pessimistic law they are infinite, too.
func (c *cells) without(kept, lost span) *cells {
	d := &cells{mass: [2][]float64{{0}, nil}, rounds: c.rounds, infinity: lost.plus(kept).hi}
	if c.mass[1] != nil {
		d.mass[1], d.infinity = []float64{0}, lost.atLeast0().lo
	}
	return d
}

// leaked returns x^count and (x + y)^count − x^count, for x, y ≥ 0: no mechanism has an infinite loss, or some have.
// What some mechanisms do is what the first part of them do, and the others. Nothing cancels.
func leaked(x, y span, count int) (kept, lost span) {
	kept, lost = exactly(1), exactly(0)
	for ; count > 0; count >>= 1 {
		if count&1 == 1 {
			lost = lost.times(x.plus(y)).plus(kept.times(y)).atLeast0()
			kept = kept.times(x).atLeast0()
		}
		y = y.times(x.plus(y)).plus(x.times(y)).atLeast0()
		x = x.times(x).atLeast0()
	}
	return kept, lost
}
