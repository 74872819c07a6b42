package exhaustive

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// walk visits every sequence of a tree once. The subtrees at a certain depth are walked at the same time; what is
// above them is put together afterwards, in the order of the nodes.
type walk[T any] struct {
	*tree[T]
	ctx      context.Context
	split    int           // the depth of the subtrees
	turns    chan struct{} // taken by a subtree that is walked
	mu       sync.Mutex
	done, of float64 // subtrees
	progress func(float64)
	crash    any // of the first subtree that panics
}

// walk returns what it finds. When ctx ends, subtrees that have not begun are left out and ctx's error is returned.
// What panics in a goroutine panics here, in the caller's, who may want to go on.
func (t *tree[T]) walk(ctx context.Context, workers int, progress func(float64)) (Values[T], error) {
	if progress == nil {
		progress = func(float64) {}
	}
	w := &walk[T]{tree: t, ctx: ctx, split: splitDepth(len(t.responses)), of: 1, progress: progress,
		turns: make(chan struct{}, workers)}
	for _, r := range t.responses[:w.split] {
		w.of *= float64(len(r[0]))
	}
	progress(0)
	value, single := w.from(0, t.root())
	switch {
	case w.crash != nil:
		panic(w.crash)
	case w.done < w.of:
		return Values[T]{}, ctx.Err()
	}
	return Values[T]{OptDel: value, Single: single, Lemma11: t.sum(single)}, nil
}

// splitDepth returns the length of the sequences at which a tree of depth k is
// cut into subtrees: many and small, for even work and quick cancellation, but
// not so small that handing them out costs more than walking them.
func splitDepth(k int) int { return min(k/2, 6) }

// from returns V(q) of a sequence q of length k and, by stop, Σ max(0, a − e_i·b) over the nodes beneath it.
func (w *walk[T]) from(k int, q node[T]) (value T, single []T) {
	if k == w.split {
		return w.subtree(q)
	}
	n := len(w.responses[k][0])
	values, singles := make([]T, n), make([][]T, n)
	var group sync.WaitGroup
	for z := range n {
		group.Go(func() { values[z], singles[z] = w.from(k+1, w.child(k, q, z)) })
	}
	group.Wait()
	single = w.zeros()
	for i := range single {
		for _, s := range singles {
			single[i] = w.number.add(single[i], s[i])
		}
	}
	return w.settle(k, q, w.sum(values), single), single
}

// subtree is from for a whole subtree, when it is its turn.
func (w *walk[T]) subtree(q node[T]) (value T, single []T) {
	w.turns <- struct{}{}
	defer func() { <-w.turns }()
	value, single = w.zero, w.zeros()
	if w.ctx.Err() != nil {
		return value, single
	}
	defer func() {
		r := recover()
		w.mu.Lock() // also during the report, so that reports come one at a time and in order
		defer w.mu.Unlock()
		if r != nil {
			w.crash = fmt.Sprintf("%v\n%s", r, debug.Stack())
			return
		}
		w.done++
		w.progress(w.done / w.of)
	}()
	return w.value(w.split, q, single), single
}
