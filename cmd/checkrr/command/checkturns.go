package command

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// programsLast returns the claims, those whose programs may hang behind the others.
func programsLast(all []*checked) []*checked {
	others := slices.DeleteFunc(slices.Clone(all), func(c *checked) bool { return c.MayRun })
	programs := slices.DeleteFunc(slices.Clone(all), func(c *checked) bool { return !c.MayRun })
	return append(others, programs...)
}

// inParallel calls check for each claim, as many at a time as there are processors.
func inParallel(all []*checked, check func(*checked)) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, c := range all {
		group.Go(func() error { check(c); return nil })
	}
	_ = group.Wait() // which has no error
}

// inTurn is [inParallel] until ctx ends. As long as others wait each claim has an equal share of the time there is,
// so that those which take long keep none from theirs; these begin again, with what is left, when all had their turn.
func inTurn(ctx context.Context, queue []*checked, check func(context.Context, *checked)) {
	if end, isLimited := ctx.Deadline(); isLimited {
		share := time.Until(end) / time.Duration(len(queue)) * time.Duration(runtime.GOMAXPROCS(0))
		var waiting atomic.Int64
		waiting.Store(int64(len(queue)))
		inParallel(queue, func(c *checked) {
			waiting.Add(-1)
			turn, end := context.WithCancel(ctx)
			defer end()
			time.AfterFunc(share, func() {
				if waiting.Load() > 0 {
					end()
				}
			})
			check(turn, c)
		})
		queue = slices.DeleteFunc(queue, func(c *checked) bool { return !c.isLate })
	}
	inParallel(queue, func(c *checked) { check(ctx, c) })
}
