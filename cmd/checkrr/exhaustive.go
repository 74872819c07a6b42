package main

import (
	"context"
	"errors"

	"checkrr/impl"
)

// enumerator solves a pipeline by going through every sequence of outputs. It
// sets solution.exact and solution.lemma11Exact if exact. Progress, unless nil,
// is called with the fraction done.
type enumerator func(ctx context.Context, p impl.Pipeline, exact bool, progress func(done float64)) (*solution, error)

// enumerate is the [enumerator] of the command.
func enumerate(ctx context.Context, p impl.Pipeline, exact bool, progress func(done float64)) (*solution, error) {
	return nil, errors.New("the exhaustive method is not there yet")
}
