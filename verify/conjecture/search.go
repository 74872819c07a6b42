package conjecture

import (
	"context"
	"fmt"
	"math/rand/v2"

	"checkrr/impl"
)

// Search is how an inequality is attacked.
type Search struct {
	Domain
	Seed      uint64
	Pipelines int                // how many are tried at most, without those of shrinking
	Progress  func(done float64) // called now and then with the fraction done; may be nil
}

// Finding is what a search found.
type Finding struct {
	Tried     int
	Undefined int           // for how many of them a side is not defined
	Refuted   bool          // by Pipeline, which is as small as it could be made
	Pipeline  impl.Pipeline // otherwise the one that came closest; none if all were undefined
	Sides                   // for that pipeline: certified intervals
}

// Widths that intervals are computed to, relative: while searching, and at the end.
const (
	searchWidth = 1e-3
	finalWidth  = 1e-9
)

// climbing is how many pipelines near the best one are tried for each that is drawn anew.
const climbing = 3

// Refute searches a pipeline of the domain for which an inequality fails, and makes it small. The same seed finds the same.
func (s Search) Refute(ctx context.Context, q *Inequality) (f Finding, err error) {
	if err := s.check(); err != nil {
		return f, err
	}
	r := rand.New(rand.NewPCG(s.Seed, 0))
	var best design
	most, step := -2.0, 0.5
	for f.Tried < s.Pipelines {
		next := s.random(r)
		if f.Tried%(climbing+1) != 0 {
			next = best.near(r, step)
		}
		f.Tried++
		p := next.pipeline(s.Domain)
		sides, isDefined, err := q.Of(ctx, p, searchWidth)
		switch {
		case err != nil:
			return f, fmt.Errorf("pipeline %d: %w", f.Tried, err)
		case !isDefined:
			f.Undefined++
		case q.Refutes(sides):
			return f, s.shrink(ctx, q, p, &f)
		case sides.excess() > most:
			best, most, step = next, sides.excess(), 0.5
			f.Pipeline, f.Sides = p, sides
		default:
			step = max(step*0.98, 0.02)
		}
		if s.Progress != nil {
			s.Progress(float64(f.Tried) / float64(s.Pipelines))
		}
	}
	return f, nil
}
