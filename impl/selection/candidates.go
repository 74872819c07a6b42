package selection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/noise"
)

// Scored is what a call of a candidate, or of the oracle, returns: an output x with its score q.
type Scored[X any] struct {
	Output X
	Score  float64
}

// Candidate is a private mechanism on a fixed database. Each call is an independent run, and returns when its context
// ends. That a run failed may depend on the data: an error ends the selection, and no guarantee covers it. What may
// fail is to return an output and a score that say so.
type Candidate[X any] func(ctx context.Context) (Scored[X], error)

// Chosen is an output of the oracle: of which candidate it is.
type Chosen[X any] struct {
	Candidate int // i − 1
	Output    X
}

// Higher is the fixed rule by which x goes before y where their scores are equal; together they are a total order of
// all pairs of output and score.
type Higher[X any] func(x, y X) bool

// Oracle runs a candidate that is drawn uniformly.
//
// Source: Liu and Talwar (2019), Section 3, the oracle Q(D); PSC-A0. Also in the checks of PSC-X6, PSC-L5.1b and
// PSC-L5.1c.
// Symbols and deviation from print: as for spec.Oracle.
// Domain: at least one candidate.
// Cost: one run.
func Oracle[X any](ctx context.Context, candidates []Candidate[X], coins noise.Coins) (Scored[Chosen[X]], error) {
	if len(candidates) == 0 {
		return Scored[Chosen[X]]{}, errors.New("Oracle: there are 0 candidates, must be at least 1")
	}
	if err := check.NotNil("coins", coins); err != nil {
		return Scored[Chosen[X]]{}, fmt.Errorf("Oracle: %w", err)
	}
	i := int(coins.Below(big.NewInt(int64(len(candidates)))).Int64())
	m, err := candidates[i].run(ctx)
	if err != nil {
		return Scored[Chosen[X]]{}, fmt.Errorf("candidate %d: %w", i+1, err)
	}
	return Scored[Chosen[X]]{Chosen[X]{i, m.Output}, m.Score}, nil
}

// run calls the candidate unless the context has ended, and refuses a score that is not in order with others.
func (c Candidate[X]) run(ctx context.Context) (Scored[X], error) {
	err := cmp.Or(check.NotNil("ctx", ctx), check.NotNil("the candidate", c))
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return Scored[X]{}, err
	}
	s, err := c(ctx)
	switch {
	case err != nil:
		return Scored[X]{}, err
	case math.IsNaN(s.Score):
		return Scored[X]{}, errors.New("the score is NaN, must be a number")
	}
	return s, nil
}

// isHigher reports whether s is above t in the total order.
func (s Scored[X]) isHigher(t Scored[X], higher Higher[X]) bool {
	return s.Score > t.Score || s.Score == t.Score && higher(s.Output, t.Output)
}
