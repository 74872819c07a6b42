package exhaustive

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// inParallel calls work(0), …, work(n−1) once each, so many at a time, and returns when they have ended. Progress,
// which may be nil, is told the share that is done. When ctx ends, calls that have not begun are left out and ctx's
// error is returned. What panics in a goroutine panics here, in the caller's, who may want to go on.
func inParallel(ctx context.Context, workers, n int, progress func(done float64), work func(i int)) error {
	if progress == nil {
		progress = func(float64) {}
	}
	progress(0)
	var (
		group sync.WaitGroup
		mu    sync.Mutex // held during a report, so that reports come one at a time and in order
		done  int
		crash any
	)
	turns := make(chan struct{}, workers)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			defer func() {
				r := recover()
				mu.Lock()
				defer mu.Unlock()
				if r != nil {
					crash = fmt.Sprintf("%v\n%s", r, debug.Stack())
					return
				}
				done++
				progress(float64(done) / float64(n))
			}()
			work(i)
		})
	}
	group.Wait()
	switch {
	case crash != nil:
		panic(crash)
	case done < n:
		return ctx.Err()
	}
	return nil
}
