package stopping

import (
	"context"
	"errors"
	"sync"

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

// Solve returns what is known for neighbours in all orders. What is known of one of them is not lost if time runs out
// for the other.
func (all Orders) Solve(ctx context.Context, o Options) (*Result, error) {
	if len(all) == 2 && all[0].IsContinuous() { // each needs much memory
		return solveInTurn(ctx, all, o)
	}
	results := make([]*Result, len(all))
	err := AtOnce(ctx, len(all), o.Progress, func(ctx context.Context, i int, progress func(float64)) (err error) {
		own := o
		own.Progress = progress
		results[i], err = Solve(ctx, all[i], own)
		return err
	})
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if r := Worst(results...); r != nil {
		return r, nil
	}
	return nil, err
}

// AtOnce calls solve for n problems, i being which, all at once: so they share the time that there
// is, and what one of them leaves over is for the other. Each reports its own progress, and progress has that of all;
// both may be nil. An error of one of them ends the others, and is returned; of several, one that is not that a
// context ended. What panics there panics here, in the caller's goroutine, who may want to go on.
func AtOnce(
	ctx context.Context, n int, progress func(done float64),
	solve func(ctx context.Context, i int, progress func(done float64)) error,
) error {
	if n == 1 {
		return solve(ctx, 0, progress)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	done, errs, all := make([]float64, n), make([]error, n), make([]func() error, n)
	for i := range n {
		own := progress
		if progress != nil {
			own = func(part float64) {
				mu.Lock()
				defer mu.Unlock()
				done[i] = part
				progress(sum(done) / float64(n))
			}
		}
		all[i] = func() error {
			defer func() {
				if errs[i] != nil {
					cancel()
				}
			}()
			errs[i] = context.Canceled // if it crashes
			errs[i] = solve(ctx, i, own)
			return errs[i]
		}
	}
	err := certify.AtOnce(all...)
	for _, other := range errs {
		if other != nil && !errors.Is(other, context.Canceled) && !errors.Is(other, context.DeadlineExceeded) {
			return other
		}
	}
	return err
}

// Larger returns the largest of what of finds for neighbours in each order.
func Larger[P, T any](orders []P, of func(p P) (T, error), larger func(x, y T) T) (most T, err error) {
	for i, p := range orders {
		x, err := of(p)
		if err != nil {
			return most, err
		}
		if i > 0 {
			x = larger(x, most)
		}
		most = x
	}
	return most, nil
}

// ofEach returns the larger number of each pair.
func ofEach[T any](larger func(x, y T) T) func(xs, ys []T) []T {
	return func(xs, ys []T) (most []T) {
		for i, x := range xs {
			most = append(most, larger(x, ys[i]))
		}
		return most
	}
}

// largerOfEach is ofEach for float64.
var largerOfEach = ofEach(func(x, y float64) float64 { return max(x, y) })

// Infinities returns about the P-mass of an infinite loss up to every stop: what no charge can buy.
func (all Orders) Infinities() []float64 {
	masses, _ := Larger(all, func(p Problem) ([]float64, error) { return p.Infinities(), nil }, largerOfEach)
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
	return Larger(all, func(p Problem) ([]float64, error) { return Profile(ctx, p, charges, least) }, largerOfEach)
}
