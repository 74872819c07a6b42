package stopping

import (
	"context"

	"checkrr/impl/certify"
)

// Orders is a problem for neighbours in each order: one problem, or two where they differ. Of two values the larger
// one counts.
type Orders []Problem

// NewOrders returns a problem of the checker, which must be valid, for neighbours in each order.
func NewOrders(p certify.Problem) (all Orders) {
	for _, q := range p.Orders() {
		all = append(all, New(q))
	}
	return all
}

// Infinities returns about the P-mass of an infinite loss up to every stop: what no charge can buy.
func (all Orders) Infinities() []float64 {
	masses, _ := all.larger(func(p Problem) ([]float64, error) { return p.Infinities(), nil })
	return masses
}

// Reach returns about the largest |loss| at the end.
func (all Orders) Reach() (most float64) {
	for _, p := range all {
		most = max(most, p.Reach())
	}
	return most
}

// Profile returns about the values for one stop with these charges. Those below least are not told from 0.
func (all Orders) Profile(ctx context.Context, charges []float64, least float64) ([]float64, error) {
	return all.larger(func(p Problem) ([]float64, error) { return Profile(ctx, p, charges, least) })
}

// larger returns the larger numbers of all orders.
func (all Orders) larger(of func(p Problem) ([]float64, error)) (most []float64, err error) {
	for _, p := range all {
		xs, err := of(p)
		if err != nil {
			return nil, err
		}
		if most == nil {
			most = xs
		}
		for i, x := range xs {
			most[i] = max(most[i], x)
		}
	}
	return most, nil
}
