package audit

import (
	"context"
	"time"
)

// A budget of time is kept wherever time is taken: to draw, to learn, and to compute what is reported.

// How long bounds and power may take, about, when drawing is over: a moment if it was interrupted, and if its time was
// up, one in reportShare of that time at most.
const (
	moment      = time.Second
	reportShare = 20
)

// clock starts the time of an audit.
func (a *auditor) clock(ctx context.Context) {
	if end, ok := ctx.Deadline(); ok {
		a.deadline = end.Add(max(0, min(moment, time.Until(end)/reportShare)))
	}
}

// stopped sets the time for the report of an audit that was stopped.
func (a *auditor) stopped() {
	if end := time.Now().Add(moment); a.deadline.IsZero() || end.Before(a.deadline) {
		a.deadline = end
	}
}

// untilReport returns a context that ends when the report has to be there.
func (a *auditor) untilReport() (context.Context, context.CancelFunc) {
	if a.deadline.IsZero() {
		return context.WithCancel(context.Background())
	}
	return context.WithDeadline(context.Background(), a.deadline)
}

// hurried reports whether bounds and power have to be left as they are, and notes that they were.
func (a *auditor) hurried() bool {
	late := !a.deadline.IsZero() && time.Now().After(a.deadline)
	a.cut = a.cut || late
	return late
}

// inTime returns what f does, or the error of ctx if that ends first: what f does is left behind then, and must change
// nothing that anybody else sees.
func inTime[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	c := make(chan result, 1)
	go func() {
		value, err := f()
		c <- result{value, err}
	}()
	select {
	case r := <-c:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
