package noise

import (
	"context"
	"fmt"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// Continuous is a mechanism whose losses are on no lattice: [Additive] noise, [Losses], or several that see one sample,
// [Sampled].
type Continuous interface {
	// Fault returns the rule that the mechanism breaks; empty if there is none.
	Fault() string

	// Key is the same for two mechanisms if and only if they are.
	Key() string

	// Most returns the largest finite loss, or a little more, at least 0; nil if there is none.
	Most() *big.Rat

	// Leaks reports whether there are infinite losses, or losses without a limit.
	Leaks() bool

	// Infinity returns the P-mass where Q = 0, or a little more.
	Infinity() float64

	// lawsOf returns the law of which so many are count mechanisms, for these nodes.
	lawsOf(ctx context.Context, count int, x Nodes, tilt float64) (d dense, laws int, err error)
}

// dense is the law of a mechanism whose losses are on no lattice: with so many losses, or all, it is put on cells.
type dense interface {
	// above returns cells that dominate the mechanism, with all losses but for a P-mass of about cut on each side.
	above(ctx context.Context, r ruler, cut float64) (*Cells, error)

	// below returns cells that the mechanism dominates.
	below(ctx context.Context, r ruler, cut float64) (*Cells, error)

	// only returns the outputs with losses above a number, up to another one.
	only(from, to float64) dense

	// weight returns at least the P-mass, and hardly more.
	weight() float64
}

// cellsOf returns cells that dominate a mechanism, or that it dominates.
func cellsOf(ctx context.Context, d dense, r ruler, isUp bool, cut float64) (*Cells, error) {
	if isUp {
		return d.above(ctx, r, cut)
	}
	return d.below(ctx, r, cut)
}

// mostLaw bounds k/σ² of Gaussian steps whose law is told as that of one: losses above MostLoss, which count as
// infinite then, have a P-mass of less than 1e-50.
const mostLaw = 512

// laws returns how many equal laws together count mechanisms like a are taken for: fewer than count for Gaussian
// noise without sampling.
//
// k steps of scale σ release as much as their sum, of which the law is normal with variance k·σ² around 0 or k,
// whatever is known of the sum: the densities with and without the record have a ratio that the sum tells. That is
// one step of scale σ/√k, and n steps of scale σ·√(n/k).
func (a *Additive) laws(count int) int {
	if !a.IsPlain() {
		return count
	}
	return min(count, lawsFor(a.squares(count)))
}

// IsPlain reports whether a is Gaussian noise without sampling: of several such only the sum of all 1/σ² matters.
func (a *Additive) IsPlain() bool { return (a.Noise == Gaussian || a.Noise == GDP) && !a.IsRandom() }

// lawsFor returns how many laws are one with this 1/σ².
func lawsFor(square *big.Rat) int {
	const most = 1 << 30
	n := new(big.Int).Quo(square.Num(), new(big.Int).Mul(square.Denom(), big.NewInt(mostLaw)))
	if n.Cmp(big.NewInt(most)) >= 0 {
		return most
	}
	return 1 + int(n.Int64())
}

// squares returns count/σ², with σ as a multiple of what is contributed.
func (a *Additive) squares(count int) *big.Rat {
	n := new(big.Rat).SetInt64(int64(count))
	if a.Square != nil {
		return n.Mul(n, a.Square)
	}
	x := a.perScale()
	return x.Mul(x.Mul(x, x), n)
}

// perScale returns the only amount that is contributed, as a multiple of the scale.
func (a *Additive) perScale() *big.Rat {
	amount, _ := a.Only()
	return new(big.Rat).Quo(amount, a.Scale)
}

func (a *Additive) lawsOf(_ context.Context, count int, _ Nodes, _ float64) (d dense, laws int, err error) {
	if laws = a.laws(count); laws < count {
		return a.normalLaw(a.squares(count), laws), laws, nil
	}
	return a.dense(), laws, nil
}

// normalLaw returns that of each of so many equal laws, of which 1/σ² is square together.
func (a *Additive) normalLaw(square *big.Rat, laws int) *additiveLaw {
	law := a.law()
	law.outputs = newNormal(num.SpanOf(new(big.Rat).Quo(square, new(big.Rat).SetInt64(int64(laws)))).Root())
	return law
}

// Infinity implements [Continuous]: wherever there is noise, whatever is released is possible.
func (a *Additive) Infinity() float64 { return 0 }

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
	if a.Square != nil {
		x[0][0], group = a.Square, -1
	}
	return fmt.Sprintf("%s %t %d %d of %d %t %s", law, a.Added, group, a.MaxBatch, a.Records, a.Replaced, num.Digits(x))
}

// MassesOf returns the P-masses of the loss of count mechanisms like m together on the nodes from
// low on: node n loses n·unit more than count times the loss each. They dominate the mechanisms, but for rounding,
// with a P-mass of infinity where Q = 0. A P-mass of about cut may be moved to the ends.
func MassesOf(
	ctx context.Context, m Continuous, count int, each *big.Rat, unit, tilt, cut float64,
) (low int, masses []float64, infinity float64, err error) {
	top := new(big.Rat).Mul(each, new(big.Rat).SetInt64(int64(count)))
	c, err := Law(ctx, m, count, Nodes{top, num.Exactly(unit), true, cut, MostLoss}, tilt)
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
