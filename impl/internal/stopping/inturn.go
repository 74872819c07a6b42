package stopping

import "context"

// inTurn is one call of [Orders.Solve] for mechanisms with noise and both orders of neighbours: one after the other, as
// each needs much memory.
type inTurn struct {
	solvers  []*solver
	results  []*Result
	errs     []error // by order, what ended its work before there was a result
	progress func(done float64)
	done     float64
	enough   *Enough // that of the options
}

// The widths with which it is found out for which order OptDel is larger: mostly the first one tells.
const (
	coarsely = 0.95
	Roughly  = 0.1
)

// solveInTurn solves roughly for both orders, and then first for that with the larger OptDel: of the other no more is
// needed than that it is not larger. What is known is not lost when time runs out, or one of them cannot be solved.
func solveInTurn(ctx context.Context, orders Orders, o Options) (*Result, error) {
	n := len(orders)
	t := &inTurn{results: make([]*Result, n), errs: make([]error, n), progress: o.Progress, enough: o.Enough}
	o.Progress = t.tell
	for _, q := range orders {
		s, err := newSolver(q, o)
		switch {
		case err != nil:
			return nil, err
		case s.Method == Lattice:
			return nil, ErrNoLattice
		case s.isFree:
			s.RelWidth = s.affordable()
		}
		t.solvers = append(t.solvers, s)
	}
	err := t.solve(ctx)
	for i := range orders { // the other one
		if err != nil && t.errs[i] == nil && ctx.Err() == nil {
			_, _ = t.until(ctx, i, 0, nil)
		}
	}
	if r := worst(t.results, t.errs); r != nil {
		return r, nil
	}
	return nil, err
}

// tell reports progress: a part of what is left of the turn.
func (t *inTurn) tell(done float64) {
	if t.progress != nil {
		t.progress(t.done + done*(1-t.done)/2)
	}
}

// solve has its turns: roughly both, and then the larger one first.
func (t *inTurn) solve(ctx context.Context) error {
	larger, err := t.larger(ctx)
	if err != nil {
		return err
	}
	first, err := t.until(ctx, larger, 0, nil)
	if err != nil {
		return err
	}
	_, err = t.until(ctx, 1-larger, 0, first.orLess())
	return err
}

// larger returns for which order OptDel is larger, or about as large.
func (t *inTurn) larger(ctx context.Context) (int, error) {
	var first, second *Result
	var err error
	for _, width := range [...]float64{coarsely, Roughly} {
		if first, err = t.until(ctx, 0, width, nil); err != nil {
			return 0, err
		}
		if second, err = t.until(ctx, 1, width, first.orLess()); err != nil {
			return 0, err
		}
		if first.OptDel.Upper.Cmp(second.OptDel.Lower) < 0 {
			return 1, nil
		}
		if second.OptDel.Upper.Cmp(first.OptDel.Lower) <= 0 {
			return 0, nil
		}
	}
	if second.OptDel.Lower.Cmp(first.OptDel.Lower) > 0 {
		return 1, nil
	}
	return 0, nil
}

// until solves for an order, to a width, or that of the options if this is more; upper ends below enough need not be
// known, if there is such a thing.
func (t *inTurn) until(ctx context.Context, i int, width float64, enough *Enough) (*Result, error) {
	s := t.solvers[i]
	if s.Enough = enough; enough == nil {
		s.Enough = t.enough
	}
	x, err := s.narrow(ctx, max(s.RelWidth, width))
	r := s.finished(x)
	t.done += (1 - t.done) / 2
	if t.results[i] == nil && ctx.Err() == nil {
		t.errs[i] = err
	}
	if r != nil && (err == nil || ctx.Err() != nil) {
		if t.results[i] = r; width > r.RelWidth {
			r.Shortfall = "time ran out"
		}
	}
	return r, err
}
