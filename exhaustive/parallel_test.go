package exhaustive

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"testing"
)

// problem is large enough for 4^3 subtrees.
var problem = exact("3 1/10, 7/5 0, 2 1/1000, 11/10 0, 2 0, 3 1/7",
	stop(2, "2"), stop(4, "5/2"), stop(6, "4"))

func TestWorkers(t *testing.T) {
	t.Parallel()
	want, enclosed := mustExact(t, problem), mustEnclose(t, problem, 53)
	for _, workers := range []int{1, 2, 7, 1000} {
		var reports []float64
		got, err := evaluate(t.Context(), problem, rational{}, workers, func(done float64) { reports = append(reports, done) })
		if err != nil || !slices.EqualFunc(everyValue(got), everyValue(want), func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }) {
			t.Errorf("%d workers: %v, %v, want %v", workers, got, err, want)
		}
		if reports[0] != 0 || reports[len(reports)-1] != 1 || !slices.IsSorted(reports) {
			t.Errorf("%d workers: progress %v", workers, reports)
		}
		v, err := evaluate(t.Context(), problem, enclosing{53}, workers, nil)
		if err != nil || v.OptDel.Lo.Cmp(enclosed.OptDel.Lo) != 0 || v.OptDel.Hi.Cmp(enclosed.OptDel.Hi) != 0 {
			t.Errorf("%d workers: %v, %v, want %v", workers, v.OptDel, err, enclosed.OptDel)
		}
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(context.Background())
	end()
	for name, err := range map[string]error{
		"Exact":        second(Exact(ended, problem, nil)),
		"Enclose":      second(Enclose(ended, problem, 53, nil)),
		"Criteria":     second(Criteria(ended, exact("3 0", stop(1, "1")))),
		"EvaluateRule": second(EvaluateRule(ended, problem, []float64{1, 1, 1})),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error is %v, want %v", name, err, context.Canceled)
		}
	}
}

// Once cancelled, each worker ends after the subtree that it is at.
func TestCancelUnderWay(t *testing.T) {
	t.Parallel()
	const workers, enough = 3, 10
	ctx, end := context.WithCancel(context.Background())
	defer end()
	reports := 0
	v, err := evaluate(ctx, problem, rational{}, workers, func(float64) {
		if reports++; reports == enough {
			end()
		}
	})
	if !errors.Is(err, context.Canceled) || v.OptDel != nil {
		t.Errorf("got %v, %v, want %v", v.OptDel, err, context.Canceled)
	}
	if reports > enough+workers {
		t.Errorf("%d reports, must be at most %d", reports, enough+workers)
	}
}
