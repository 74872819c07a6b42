package noise

import (
	"context"
	"fmt"
	"math/big"

	"checkrr/impl/certify/internal/num"
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

	// lawsOf returns the law of which so many are count mechanisms.
	lawsOf(count int) (d dense, laws int)
}

// dense is the law of a mechanism whose losses are on no lattice: with so many losses, or all, it is put on cells.
type dense interface {
	// above returns cells that dominate the mechanism, with all losses but for a P-mass of about cut on each side.
	above(ctx context.Context, r ruler, cut float64) (*Cells, error)

	// below returns cells that the mechanism dominates.
	below(ctx context.Context, r ruler, cut float64) (*Cells, error)
}

// cellsOf returns cells that dominate a mechanism, or that it dominates.
func cellsOf(ctx context.Context, d dense, r ruler, isUp bool, cut float64) (*Cells, error) {
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
	if a.Noise != Gaussian && a.Noise != GDP || a.IsRandom() {
		return count
	}
	all := a.squares(count)
	if all.Cmp(new(big.Rat).SetInt64(mostLaw*int64(count))) >= 0 {
		return count
	}
	whole := new(big.Int).Quo(all.Num(), all.Denom()).Int64()
	return min(count, 1+int(whole/mostLaw))
}

// squares returns count/σ², with σ as a multiple of what is contributed.
func (a *Additive) squares(count int) *big.Rat {
	x := a.perScale()
	return x.Mul(x.Mul(x, x), new(big.Rat).SetInt64(int64(count)))
}

// perScale returns the only amount that is contributed, as a multiple of the scale.
func (a *Additive) perScale() *big.Rat {
	amount, _ := a.Only()
	return new(big.Rat).Quo(amount, a.Scale)
}

func (a *Additive) lawsOf(count int) (d dense, laws int) {
	law := a.law()
	if laws = a.Laws(count); laws < count {
		square := a.squares(count)
		law.outputs = newNormal(num.SpanOf(square.Quo(square, new(big.Rat).SetInt64(int64(laws)))).Root())
	}
	return law, laws
}

// IsDivided implements [Continuous].
func (a *Additive) IsDivided(count int, isFree bool) bool {
	return count >= rareLeast && a.IsRandom() && a.law().rare(count, isFree) > 0
}

// Atoms implements [Continuous].
func (a *Additive) Atoms() float64 {
	const deviations = 16
	if a.Noise == DiscreteGaussian {
		return deviations * num.SpanOf(a.Scale).Hi
	}
	return num.MaxWindow
}

// Leaks implements [Continuous].
func (a *Additive) Leaks() bool { return a.Most() == nil }

// Key implements [Continuous]. What is contributed is random in one way, or in another: with a single amount beside 0,
// what matters is how probable that is, and the scale as a multiple of it.
func (a *Additive) Key() string {
	law, x, group := a.Noise, [][2]*big.Rat{{a.Scale, a.Sampling}}, 1
	if law == GDP {
		law = Gaussian
	}
	if amount, probability := a.Only(); amount != nil {
		x[0] = [2]*big.Rat{new(big.Rat).Quo(a.Scale, amount), probability}
	} else {
		x, group = append(x, a.Adds...), int(a.members())
	}
	return fmt.Sprintf("%s %t %d %s", law, a.Added, group, num.Digits(x))
}

// Laws implements [Continuous].
func (l *Losses) Laws(count int) int { return count }

func (l *Losses) lawsOf(count int) (d dense, laws int) { return l, count }

// IsDivided implements [Continuous].
func (l *Losses) IsDivided(int, bool) bool { return false }

// Atoms implements [Continuous].
func (l *Losses) Atoms() float64 { return float64(len(l.atoms)) }

// Leaks implements [Continuous].
func (l *Losses) Leaks() bool { return l.infinity.Hi > 0 }

// MassesOf returns the P-masses of the loss of count mechanisms like m together on the nodes from
// low on: node n loses n·unit more than count times the loss each. They dominate the mechanisms, but for rounding,
// with a P-mass of infinity where Q = 0. A P-mass of about cut may be moved to the ends.
func MassesOf(
	ctx context.Context, m Continuous, count int, each *big.Rat, unit, tilt, cut float64,
) (low int, masses []float64, infinity float64, err error) {
	top := new(big.Rat).Mul(each, new(big.Rat).SetInt64(int64(count)))
	c, err := Law(ctx, m, count, Nodes{top, num.Exactly(unit), 1, true, cut}, true, tilt)
	if err != nil {
		return 0, nil, 0, err
	}
	return c.Low, c.Mass[0], c.Infinity, nil
}

// What a search computes as the checker does: see package num.
var (
	Gather = num.Gather
	Trim   = num.Trim
)

// Nodes is the nodes on which a law is put, which are a unit apart, and of which node 0 loses top. Where it is not
// found in two parts it comes from nodes that are finer by an odd factor.
type Nodes struct {
	Top    *big.Rat
	Unit   num.Span
	Factor int
	IsUp   bool // whether the law dominates the mechanisms
	Cut    float64
}

// Law returns that of count mechanisms like m together.
func Law(ctx context.Context, m Continuous, count int, x Nodes, isFree bool, tilt float64) (*Cells, error) {
	d, laws := m.lawsOf(count)
	if a, ok := d.(*additiveLaw); ok {
		if c := a.rare(laws, isFree); c > 0 {
			return a.divided(ctx, c, laws, num.SpanOf(x.Top), x.Unit, x.IsUp, tilt, x.Cut)
		}
	}
	r := rulerOf(m, x.Top, laws, x.Unit.Over(num.Exactly(float64(x.Factor))))
	r.isTop = r.isTop && laws == count
	c, err := cellsOf(ctx, d, r, x.IsUp, x.Cut/float64(laws))
	if err == nil {
		c, err = c.times(ctx, laws, x.Cut, tilt*r.unit.Lo)
	}
	if err != nil {
		return nil, err
	}
	return c.coarser(x.Factor, r.unit), nil
}

// Each returns the law of one of count mechanisms like m, of which all together lose top on node 0.
func Each(ctx context.Context, m Continuous, count int, x Nodes) (*Cells, error) {
	d, _ := m.lawsOf(1) // one law
	return cellsOf(ctx, d, rulerOf(m, x.Top, count, x.Unit), x.IsUp, x.Cut/float64(count))
}

// rulerOf returns the losses of each of so many equal laws that lose top together on node 0.
func rulerOf(m Continuous, top *big.Rat, laws int, unit num.Span) ruler {
	each, most := new(big.Rat).Quo(top, new(big.Rat).SetInt64(int64(laws))), m.Most()
	return ruler{num.SpanOf(each), unit, most != nil && each.Cmp(most) >= 0}
}

// times returns the law of count mechanisms together. See [Cells.power] for finite losses.
func (c *Cells) times(ctx context.Context, count int, cut float64, tilts ...float64) (*Cells, error) {
	if count == 1 {
		return c, nil
	}
	isPessimistic := c.Mass[1] == nil
	total := c.Total
	if !isPessimistic {
		total = num.Dot(c.Mass[0], nil) * (1 - 2*num.SumRounds(len(c.Mass[0]))*0x1p-53)
	}
	kept, lost := leaked(num.Exactly(total), num.Exactly(c.Infinity), count)
	if kept.Hi < leastKept {
		return c.without(kept, lost), nil
	}
	finite := *c
	finite.Infinity = 0
	d, err := finite.power(ctx, count, cut, tilts...)
	if err != nil {
		return nil, err
	}
	d.Total, d.Infinity = min(d.Total, kept.Hi), num.Up1(d.Infinity+lost.Hi)
	if !isPessimistic {
		d.Infinity = lost.AtLeast0().Lo
	}
	return d, nil
}

// leastKept is the P-mass of finite losses below which they are not worth a law.
const leastKept = 1e-280

// without returns mechanisms that have next to no finite losses: in a pessimistic law they are infinite, too.
func (c *Cells) without(kept, lost num.Span) *Cells {
	d := &Cells{Mass: [2][]float64{{0}, nil}, Rounds: c.Rounds, Infinity: lost.Plus(kept).Hi}
	if c.Mass[1] != nil {
		d.Mass[1], d.Infinity = []float64{0}, lost.AtLeast0().Lo
	}
	return d
}

// leaked returns x^count and (x + y)^count − x^count, for x, y ≥ 0: no mechanism has an infinite loss, or some have.
// What some mechanisms do is what the first part of them do, and the others. Nothing cancels.
func leaked(x, y num.Span, count int) (kept, lost num.Span) {
	kept, lost = num.Exactly(1), num.Exactly(0)
	for ; count > 0; count >>= 1 {
		if count&1 == 1 {
			lost = lost.Times(x.Plus(y)).Plus(kept.Times(y)).AtLeast0()
			kept = kept.Times(x).AtLeast0()
		}
		y = y.Times(x.Plus(y)).Plus(x.Times(y)).AtLeast0()
		x = x.Times(x).AtLeast0()
	}
	return kept, lost
}
