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
	want, err0 := Exact(t.Context(), problem, nil)
	enclosed, err1 := Enclose(t.Context(), problem, 53, nil)
	if err := errors.Join(err0, err1); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2, 7, 1000} {
		var reports []float64
		report := func(done float64) { reports = append(reports, done) }
		isEqual := func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }
		got, err := evaluate(t.Context(), problem, rational{}, workers, report)
		if err != nil || !slices.EqualFunc(everyValue(got), everyValue(want), isEqual) {
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
	for name, err := range everyError(ended, exact("3 1/10", stop(1, "2"))) {
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
