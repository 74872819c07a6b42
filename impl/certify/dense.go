package certify

import (
	"context"
	"math/big"
)

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

// IsContinuous reports whether the losses of m are on no lattice.
func (m Mechanism) IsContinuous() bool { return m.Additive != nil || m.Losses != nil }

// dense returns the law of m, which is dense.
func (m Mechanism) dense() dense {
	if m.Losses != nil {
		return m.Losses
	}
	return m.Additive.law()
}

// mostLaw bounds k/σ² of Gaussian steps whose law is told as that of one: all their losses are far below MostLoss then.
const mostLaw = 64

// Laws returns how many equal laws together count mechanisms like m are taken for: fewer than count for Gaussian
// noise without sampling.
//
// k steps of scale σ release as much as their sum, of which the law is normal with variance k·σ² around 0 or k,
// whatever is known of the sum: the densities with and without the record have a ratio that the sum tells. That is
// one step of scale σ/√k, and n steps of scale σ·√(n/k).
func (m Mechanism) Laws(count int) int {
	if m.Additive == nil || m.Additive.Noise != Gaussian || m.Additive.Sampling.Cmp(one) != 0 {
		return count
	}
	all := m.Additive.squares(count)
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

// together returns the law of which so many are count mechanisms like m.
func (m Mechanism) together(count int) (d dense, laws int) {
	if laws = m.Laws(count); laws == count {
		return m.dense(), count
	}
	a := m.Additive.law()
	square := m.Additive.squares(count)
	a.outputs = newNormal(spanOf(square.Quo(square, new(big.Rat).SetInt64(int64(laws)))).root())
	return a, laws
}

// Most returns the largest finite loss of m, which has noise or losses, or a little more, at least 0; nil if there is
// none.
func (m Mechanism) Most() *big.Rat {
	if m.Losses != nil {
		return m.Losses.most()
	}
	return m.Additive.most()
}

// Together returns the P-masses of the loss of count mechanisms like m together, which is dense, on the nodes from
// low on: node n loses n·unit more than count times the loss each. They dominate the mechanisms, but for rounding,
// with a P-mass of infinity where Q = 0. A P-mass of about cut may be moved to the ends.
func (m Mechanism) Together(ctx context.Context, count int, each *big.Rat, unit, tilt, cut float64) (low int, masses []float64, infinity float64, err error) {
	top := new(big.Rat).Mul(each, new(big.Rat).SetInt64(int64(count)))
	c, err := m.law(ctx, count, top, exactly(unit), 1, true, true, tilt, cut)
	if err != nil {
		return 0, nil, 0, err
	}
	return c.low, c.mass[0], c.infinity, nil
}

// IsDivided reports whether the law of count mechanisms like m is found in two parts, as most lose next to nothing
// (rare.go); isFree is what [Hints] say.
func (m Mechanism) IsDivided(count int, isFree bool) bool {
	return m.Additive != nil && count >= rareLeast && m.Additive.Sampling.Cmp(one) < 0 && m.Additive.law().rare(count, isFree) > 0
}

// law returns that of count mechanisms like m together, on nodes that are a unit apart, of which node 0 loses top. If
// it is not found in two parts it comes from nodes that are finer by an odd factor.
func (m Mechanism) law(ctx context.Context, count int, top *big.Rat, unit span, factor int, isUp, isFree bool, tilt, cut float64) (*cells, error) {
	d, laws := m.together(count)
	if a, ok := d.(*additiveLaw); ok {
		if c := a.rare(laws, isFree); c > 0 {
			return a.divided(ctx, c, laws, spanOf(top), unit, isUp, tilt, cut)
		}
	}
	r := m.ruler(top, laws, unit.over(exactly(float64(factor))))
	r.isTop = r.isTop && laws == count
	c, err := cellsOf(ctx, d, r, isUp, cut/float64(laws))
	if err == nil {
		c, err = c.times(ctx, laws, cut, tilt*r.unit.lo)
	}
	if err != nil {
		return nil, err
	}
	return c.coarser(factor, r.unit), nil
}

// ruler returns the losses of each of so many equal laws that lose top together on node 0.
func (m Mechanism) ruler(top *big.Rat, laws int, unit span) ruler {
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
