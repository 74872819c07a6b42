package exhaustive

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// inParallel calls work(0), …, work(n−1) once each from a number of goroutines,
// and returns when they have ended. When ctx ends, calls that have not begun
// are left out and ctx's error is returned. What panics in a goroutine panics here, in the caller's, who may want to
// go on.
func inParallel(ctx context.Context, workers, n int, progress func(done float64), work func(i int)) error {
	meter := newMeter(progress, n)
	var next atomic.Int64
	var group sync.WaitGroup
	var crash atomic.Value
	for range min(workers, n) {
		group.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					crash.CompareAndSwap(nil, fmt.Sprintf("%v\n%s", r, debug.Stack()))
				}
			}()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
				meter.advance()
			}
		})
	}
	group.Wait()
	if r := crash.Load(); r != nil {
		panic(r)
	}
	if meter.done < n {
		return ctx.Err()
	}
	return nil
}

// meter reports the share of n pieces of work that is done.
type meter struct {
	mu       sync.Mutex
	done, n  int
	progress func(float64)
}

// newMeter returns a meter that has reported 0. Progress may be nil.
func newMeter(progress func(float64), n int) *meter {
	if progress == nil {
		progress = func(float64) {}
	}
	progress(0)
	return &meter{n: n, progress: progress}
}

// advance counts one more piece of work. The lock is held during the report, so
// that reports come one at a time and in order.
func (m *meter) advance() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.done++
	m.progress(float64(m.done) / float64(m.n))
}
