package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// CheckTimeout refuses a time to give up after.
func CheckTimeout(timeout time.Duration) error {
	if timeout < 0 {
		return fmt.Errorf("--timeout is %v, must not be negative", timeout)
	}
	return nil
}

// Reading reads input in the time that there is for all of a command. What waits for input then, as from a pipe that
// nobody closes, ends with the process.
func Reading[T any](ctx context.Context, timeout time.Duration, read func() (T, error)) (T, error) {
	if ctx.Value(onlyReading{}) != nil {
		return read()
	}
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := read()
		done <- outcome{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, EndedBy(ctx, nil, timeout)
	}
}

type onlyReading struct{}

// OnlyReading returns a context that has ended for all but [Reading].
func OnlyReading(ctx context.Context) context.Context {
	ctx, end := context.WithCancel(context.WithValue(ctx, onlyReading{}, true))
	end()
	return ctx
}

// Limited returns a context that ends at an interrupt, and after the timeout unless
// that is 0.
func Limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	if timeout == 0 {
		return ctx, stop
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	return ctx, func() { cancel(); stop() }
}

// EndedBy says why there is no result, if time ran out or an interrupt ended the work.
func EndedBy(ctx context.Context, err error, timeout time.Duration) error {
	switch {
	case ctx.Value(onlyReading{}) != nil && err != nil && !errors.Is(err, context.Canceled):
		return err
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w: no result within %v", ErrInconclusive, timeout)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: interrupted before there was a result", ErrInconclusive)
	}
	return err
}
