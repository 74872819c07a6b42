package run

import (
	"context"
	"errors"
	"fmt"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/interval"
)

// lemma11With is Lemma 11 with a composition theorem other than the optimal one.
type lemma11With struct {
	theorem string
	sum     interval.Interval
	stops   []interval.Interval
}

// Theorems are the names of composition theorems.
func Theorems() []string {
	return report.Names(impl.Theorems, func(t impl.Theorem) string { return string(t) })
}

// withTheorem returns nil if no theorem is asked for.
func withTheorem(ctx context.Context, p *input.Problem, theorem string) (*lemma11With, error) {
	if theorem == "" {
		return nil, nil
	}
	stops, sum, err := impl.Lemma11With(ctx, p.Pipeline, impl.Theorem(theorem))
	if broken, ok := errors.AsType[*impl.InputError](err); ok {
		broken.Rule += " for --lemma11-with"
		return nil, p.Fault(broken)
	}
	if err != nil {
		return nil, fmt.Errorf("--lemma11-with: %w", err)
	}
	return &lemma11With{theorem, sum, stops}, nil
}

// toJSON is a part of the output of checkrr optdel --json; nil if no theorem is asked for.
func (l *lemma11With) toJSON(p *input.Problem) report.Object {
	if l == nil {
		return nil
	}
	return report.Object{"theorem", l.theorem, "delta", report.ToJSON(l.sum), "single_stop",
		singleStopsJSON(p, l.stops, nil)}
}
