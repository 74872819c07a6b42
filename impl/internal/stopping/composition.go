package stopping

import (
	"context"
	"math"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// Remainder is the δ′ that a composition without infinite losses may have.
type Remainder struct {
	interval.Interval
	Exact *big.Rat // nil if that is a very long number
}

// ClosedForm is the [Method] of an ε that needs no search: 0, or the sum of all ε, or of the largest losses.
const ClosedForm Method = "closed form"

// Composition is what is known of the smallest ε of a composition.
type Composition struct {
	Eps        interval.Interval // the smallest ε
	Exact      *big.Rat          // that ε, where it is known as a rational number
	Method     Method            // that of the evaluations of OptDel, or ClosedForm
	Arithmetic string            // of these evaluations
	Shortfall  string            // why the requested width was not reached; empty if it was
}

// ClosedComposition returns a composition that needs no search.
func ClosedComposition(eps interval.Interval, exact *big.Rat) *Composition {
	return &Composition{Eps: eps, Exact: exact, Method: ClosedForm, Arithmetic: "exact rationals"}
}

// Compose returns the smallest charge of the one stop of p for which OptDel is at most δ′ = rest, which is more
// than the mass of infinite losses.
func Compose(ctx context.Context, p Problem, rest Remainder, o Options) (*Composition, error) {
	if o.RelWidth == 0 {
		o.RelWidth = ComposedWidth(p.Problem)
	}
	if err := o.Complete(); err != nil {
		return nil, err
	}
	return newComposer(p, rest, o).search(ctx)
}

// ComposedWidth returns the width of an ε that is reached if none is asked for: less where steps with a range are many,
// as each is compared with all that it might be.
func ComposedWidth(p certify.Problem) float64 {
	const many = 300
	ranges := 0
	for _, m := range p.Mechanisms {
		if m.IsRange {
			ranges += m.Count
		}
	}
	switch {
	case ranges > many:
		return 10 * WidthOfNoise
	case p.IsOnGrid():
		return WidthOfNoise
	}
	return DefaultRelWidth
}

// BitsFor returns the precision of numbers that are to be known to a relative width.
func BitsFor(width float64) uint { return max(64, uint(16-math.Floor(math.Log2(width)))) }

// Profile returns about OptDel of the one stop of p for some charges; values of less than about least are
// not told from 0.
func Profile(ctx context.Context, p Problem, charges []float64, least float64) ([]float64, error) {
	d, err := newObjective(ctx, p, max(least, leastDelta))
	if err != nil {
		return nil, err
	}
	deltas := make([]float64, len(charges))
	d.arrivals(ctx, func(_ int, a *arrival) {
		for j, e := range charges {
			deltas[j] = a.value(d.largest[0] - e)
		}
	})
	return deltas, ctx.Err()
}
