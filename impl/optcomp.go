package impl

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
)

// ClosedForm is the [Method] of an ε that needs no search: 0, or the sum of all ε, or of the largest losses.
const ClosedForm = stopping.ClosedForm

// Composition is what [OptComp] found.
type Composition = stopping.Composition

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
// Also in the checks of AFD-T3.20, AFD-K3.21, AFD-E3.7, AFD-X15 and PSC-X3.
// Symbols: (ε_k, δ_k) = mechanisms, δ = delta.
// Domain: delta at least 1 − K and at most 1; where there are laws or noise, 0 if all losses are bounded, and more
// than 1 − K otherwise.
// Accuracy: the smallest ε is in Eps: at Upper, OptDel is at most delta; below Lower it is
// more. The relative width is at most o.RelWidth, or Shortfall says why not. Exact are 0, at once where delta is no
// less than how often noise is sampled in all, and for delta = 1 − K the sum of all ε if none was given as e^ε; for
// delta = 0 that of the largest losses of Laplace noise without sampling, too.
// Errors: *[InputError] for the mechanisms, *[DeltaError]; ctx.Err() if ctx ends before there
// is any result; those of [OptDel].
// Cost: in most cases three evaluations of OptDel.
func OptComp(ctx context.Context, mechanisms []Mechanism, delta *big.Rat, o Options) (*Composition, error) {
	p := OneStop(mechanisms)
	if err := cmp.Or(p.Validate(), check.NotNil("ctx", ctx)); err != nil {
		return nil, err
	}
	k := o.kernel()
	if err := k.Complete(); err != nil {
		return nil, err
	}
	switch {
	case delta == nil:
		return nil, &DeltaError{Rule: "is missing, must be between 0 and 1"}
	case delta.Sign() < 0 || delta.Cmp(rational.One) > 0:
		return nil, &DeltaError{Rule: fmt.Sprintf("is %s, must be between 0 and 1", rational.Decimal(delta))}
	case delta.Cmp(rational.One) == 0:
		return stopping.ClosedComposition(interval.Of(0, 0), new(big.Rat)), nil
	}
	if err := p.checkLeak(delta, true); err != nil {
		return nil, err
	}
	if p.hasLaws() {
		return p.composeLaws(ctx, delta, o)
	}
	rest, err := p.withoutDeltas(delta, k.RelWidth)
	if err != nil {
		return nil, err
	}
	pure := p.pure()
	if len(pure.Mechanisms) == 0 || rest.Upper.Sign() == 0 {
		return p.sum(sumPrecision(k.RelWidth)), nil
	}
	return stopping.Compose(ctx, pure.problem(), rest, k)
}

// ComposedWidth returns the width of [OptComp] for the mechanisms of p if none is asked for.
func (p Pipeline) ComposedWidth() float64 { return stopping.ComposedWidth(certify.Problem(p)) }

// composeLaws is [OptComp] where some mechanisms have laws: the larger ε of both orders of neighbours.
func (p Pipeline) composeLaws(ctx context.Context, delta *big.Rat, o Options) (*Composition, error) {
	if err := p.checkLeast(delta, true); err != nil {
		return nil, err
	}
	if v := certify.Problem(p).Variations(); v[len(v)-1].Cmp(delta) <= 0 {
		return stopping.ClosedComposition(interval.Of(0, 0), new(big.Rat)), nil
	}
	width := cmp.Or(o.RelWidth, DefaultRelWidth)
	bits := stopping.BitsFor(width) + remainderBits
	rest := stopping.Remainder{Interval: interval.Precision(bits).Rat(delta), Exact: delta}
	var known *Composition
	return stopping.Larger(p.Orders(), func(q Pipeline) (*Composition, error) {
		if sign, _ := q.compareOwnLeak(delta); sign == isLeak {
			known = q.sum(sumPrecision(width))
			return known, nil
		}
		if known != nil {
			charge, _ := known.Eps.Upper.Rat(nil)
			other := otherOrder{q.problem(), delta}
			if other.enough(ctx, []*big.Rat{charge}, certify.Both, ofOptDel, stopping.Roughly) != nil {
				return known, nil
			}
		}
		var err error
		known, err = stopping.Compose(ctx, q.problem(), rest, o.kernel())
		return known, err
	}, largerEps)
}

// largerEps returns the composition with the larger ε of both, and that of both in its interval.
func largerEps(c, other *Composition) *Composition {
	if other.Eps.Upper.Cmp(c.Eps.Upper) > 0 {
		c, other = other, c
	}
	if other.Eps.Lower.Cmp(c.Eps.Lower) > 0 {
		c.Eps.Lower = other.Eps.Lower
	}
	return c
}

// sumPrecision is that of a sum of losses which is to have a relative width.
func sumPrecision(width float64) interval.Precision {
	return interval.Precision(stopping.BitsFor(width) + 64)
}

// pure returns the mechanisms with an ε above 0, without their δ.
func (p Pipeline) pure() Pipeline {
	var pure []Mechanism
	for _, m := range p.Mechanisms {
		if !m.Eps.IsZero() {
			pure = append(pure, Mechanism{Eps: m.Eps, Delta: new(big.Rat), Count: m.Count})
		}
	}
	return OneStop(pure)
}

// remainderBits is the precision of δ′ beside that for the width: where g is flat beside its
// own size, as near ε = 0, it must be known more narrowly than ε.
const remainderBits = 1152

// withoutDeltas returns δ′ = 1 − (1 − δ)/Π(1 − δ_k), far narrower than width; it is [0, 0] only
// if δ′ is 0. No δ′ is below 0, see [Pipeline.CheckDelta].
func (p Pipeline) withoutDeltas(delta *big.Rat, width float64) (rest stopping.Remainder, err error) {
	least := interval.Precision(stopping.BitsFor(width))
	if keep, ok := p.keptExactly(); ok {
		x := new(big.Rat).Sub(delta, rational.One)
		x.Quo(x.Add(x, keep), keep)
		return stopping.Remainder{Interval: (least + remainderBits).Rat(x), Exact: x}, nil
	}
	for n := least + remainderBits; n <= max(maxPrecision, 4*least); n *= 2 {
		keep := p.kept(n)
		left := n.Sub(keep, n.Rat(new(big.Rat).Sub(rational.One, delta)))
		if left.Lower.Sign() > 0 {
			if x := n.Quo(left, keep); x.RelWidth() <= width*0x1p-32 {
				return stopping.Remainder{Interval: x}, nil
			}
		}
	}
	const rule = "is %s, too close to what %s amount to to be told from it"
	return rest, &DeltaError{Rule: fmt.Sprintf(rule, rational.Decimal(delta), p.leaking()), IsLeak: true}
}

// Profile returns the privacy profile of a composition for drawing: about the smallest δ at n
// values of ε, from 0 to most or, if that is smaller, to where it does not fall any more.
//
// Source: as for [OptComp].
// Symbols: ε = eps[j], δ = delta[j].
// Domain: n at least 2, most more than 0; delta of less than about least are not told from 0, with noise or losses of
// less than about 1e-30, where the points end.
// Accuracy: about that of float64, with noise or losses some per cent; no bounds.
// Errors: *[InputError], ctx.Err().
// Cost: one pass for all points.
func Profile(ctx context.Context, mechanisms []Mechanism, most, least float64,
	n int) (eps, delta []float64, err error) {
	p := OneStop(mechanisms)
	if err := cmp.Or(p.Validate(), check.NotNil("ctx", ctx)); err != nil {
		return nil, nil, err
	}
	if n < 2 || !(most > 0) {
		return nil, nil, fmt.Errorf("Profile: there are %d points up to %g, must be at least 2, and more than 0",
			n, most)
	}
	if p.refuseLaws() != nil {
		return p.profileOfLaws(ctx, most, max(least, 1e-30), n)
	}
	leak := p.problem().Infinities()[0]
	pure := p.pure()
	eps, delta = make([]float64, n), make([]float64, n)
	most = min(most, pure.problem().Reach())
	for j := range n {
		eps[j], delta[j] = most*float64(j)/float64(n-1), leak
	}
	if len(pure.Mechanisms) == 0 {
		return eps, delta, nil
	}
	values, err := stopping.Profile(ctx, pure.problem(), eps, least)
	if err != nil {
		return nil, nil, err
	}
	for j, value := range values {
		delta[j] = leak + (1-leak)*value
	}
	return eps, delta, nil
}

// profileOfLaws is [Profile] for mechanisms of which more is known than (ε, δ).
func (p Pipeline) profileOfLaws(ctx context.Context, most, least float64, n int) (eps, delta []float64, err error) {
	orders := p.orders()
	const halvings, flat = 60, 1.001
	reach, leak := orders.Reach(), orders.Infinities()[0]
	halves := make([]float64, halvings)
	for j := range halves {
		halves[j] = math.Ldexp(reach, -j)
	}
	values, err := orders.Profile(ctx, halves, least)
	if err != nil {
		return nil, nil, err
	}
	for j := 0; j < halvings && values[j] <= max(least, flat*leak); j++ {
		reach = halves[j]
	}
	eps = make([]float64, n)
	for j := range eps {
		eps[j] = min(most, reach) * float64(j) / float64(n-1)
	}
	delta, err = orders.Profile(ctx, eps, least)
	if j := slices.IndexFunc(delta, func(x float64) bool { return x < least }); j >= 2 {
		eps, delta = eps[:j], delta[:j]
	}
	return eps, delta, err
}
