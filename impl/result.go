package impl

import (
	"cmp"
	"context"

	"checkrr/impl/certify"
	"checkrr/impl/internal/check"
	"checkrr/impl/internal/stopping"
)

// Result is what [OptDel] found.
type Result = stopping.Result

// Threshold is one line of a stopping rule: stop here if the privacy loss
// ln P0(outputs)/P1(outputs) is at least LossAtLeast.
type Threshold = certify.Threshold

// Order is an order of neighbours: which of the laws (P, Q) of [Law] is that of the database with P0. It is empty if
// there are no laws for which that matters.
type Order = stopping.Order

// Orders are the orders, as [Pipeline.Orders] has them.
var Orders = stopping.OrderNames

// Worst returns the result for all neighbours, where results are those for each of [Pipeline.Orders]; nil is one that
// there is not.
func Worst(results ...*Result) *Result { return stopping.Worst(results...) }

// EachOrder calls solve for each of [Pipeline.Orders], i being which, all at once: see [stopping.AtOnce].
func (p Pipeline) EachOrder(
	ctx context.Context, progress func(done float64),
	solve func(ctx context.Context, i int, q Pipeline, progress func(done float64)) error,
) error {
	if err := cmp.Or(check.NotNil("ctx", ctx), check.NotNil("solve", solve)); err != nil {
		return err
	}
	orders := p.Orders()
	return stopping.AtOnce(ctx, len(orders), progress,
		func(ctx context.Context, i int, progress func(done float64)) error {
			return solve(ctx, i, orders[i], progress)
		})
}
