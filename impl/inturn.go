package impl

import (
	"context"

	"checkrr/impl/internal/stopping"
)

// inTurn is one call of [OptDel] for mechanisms with noise and both orders of neighbours: one after the other, as each needs much memory.
type inTurn struct {
	orders  []Pipeline
	kernel  stopping.Options
	results []*Result
}

// roughly is the width with which it is found out for which order OptDel is larger.
const roughly = 0.1

// solveInTurn solves roughly for both orders, and then first for that with the larger OptDel: of the other no more is needed than that it is
// not larger. What is known when time runs out is not lost.
func solveInTurn(ctx context.Context, orders []Pipeline, o Options, need stopping.Need) (*Result, error) {
	t := &inTurn{orders, o.kernel(), make([]*Result, len(orders))}
	t.kernel.Need = need
	first, err := t.larger(ctx)
	if err == nil && o.RelWidth < roughly {
		err = t.finely(ctx, first)
	}
	if r := Worst(t.results...); r != nil && (err == nil || ctx.Err() != nil) {
		return r, nil
	}
	return nil, err
}

// larger returns for which order OptDel is larger, roughly.
func (t *inTurn) larger(ctx context.Context) (first int, err error) {
	k := t.kernel
	k.RelWidth = max(k.RelWidth, roughly)
	var most *stopping.Solution
	for i, q := range t.orders {
		s, err := stopping.Solve(ctx, q.problem(), k)
		if err != nil {
			return 0, err
		}
		if t.results[i] = newResult(s); t.kernel.RelWidth < roughly {
			t.results[i].Shortfall = "time ran out"
		}
		k.Enough = orLess(s)
		if most == nil || s.OptDel.Lower.Cmp(most.OptDel.Lower) > 0 {
			most, first = s, i
		}
	}
	return first, nil
}

// finely solves for the order with the larger OptDel, and then for the other.
func (t *inTurn) finely(ctx context.Context, first int) error {
	k := t.kernel
	for turn, i := range []int{first, 1 - first} {
		if t.kernel.Progress != nil {
			k.Progress = func(done float64) { t.kernel.Progress((float64(turn) + done) / 2) }
		}
		s, err := stopping.Solve(ctx, t.orders[i].problem(), k)
		if err != nil {
			return err
		}
		t.results[i], k.Enough = newResult(s), orLess(s)
	}
	return nil
}

// orLess returns what is enough to know of the other order: that it is not larger.
func orLess(s *stopping.Solution) *stopping.Enough {
	return &stopping.Enough{OptDel: s.OptDel.Lower, Lemma11: s.Lemma11.Lower}
}
