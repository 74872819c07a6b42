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
	Pipelines int                // how many are tried at most until one refutes
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

// Refute searches a pipeline of the domain for which an inequality fails, and makes it small. The same seed finds the
// same. What was found is returned with an error, too.
func (s Search) Refute(ctx context.Context, q *Inequality) (f Finding, err error) {
	if err := s.check(); err != nil {
		return f, err
	}
	r := rand.New(rand.NewPCG(s.Seed, 0))
	start := s.random(r)
	f, err = s.climb(ctx, q, r, &start)
	if err != nil || !f.Refuted {
		return f, err
	}
	found, err := s.smaller(ctx, q, r, start, f)
	if err == nil {
		found, err = s.simplest(ctx, q, found)
	}
	found.Tried, found.Undefined = f.Tried, f.Undefined
	return found, err
}

// freshOnes is one in how many pipelines is drawn anew; the others are near the best one.
const freshOnes = 4

// climb tries pipelines until one refutes the inequality. It begins with a design, and leaves the best one there. One
// that refutes it with sides that are both 0 shows little: it counts if no other does.
func (s Search) climb(ctx context.Context, q *Inequality, r *rand.Rand, best *design) (f Finding, err error) {
	const widest, narrowest = 0.5, 0.02
	most, step := -2.0, widest
	var zero Finding
	var ofZero design
	defer func() {
		if !f.Refuted && zero.Refuted {
			zero.Tried, zero.Undefined = f.Tried, f.Undefined
			f, *best = zero, ofZero
		}
	}()
	for f.Tried < s.Pipelines {
		next := *best
		switch {
		case f.Tried == 0:
		case f.Tried%freshOnes == 0:
			next = s.random(r)
		default:
			next = best.near(r, step)
		}
		if err := ctx.Err(); err != nil {
			return f, err
		}
		f.Tried++
		p := next.pipeline(s.Domain)
		sides, isDefined, err := q.Of(ctx, p, searchWidth)
		if err != nil {
			return f, fmt.Errorf("pipeline %d: %w", f.Tried, err)
		}
		switch {
		case !isDefined:
			f.Undefined++
		case q.Refutes(sides) && sides.areZero():
			zero, ofZero = Finding{Refuted: true, Pipeline: p, Sides: sides}, next
		case sides.excess() > most || q.Refutes(sides):
			*best, most, step = next, sides.excess(), widest
			f.Pipeline, f.Sides, f.Refuted = p, sides, q.Refutes(sides)
		default:
			step = max(step*0.98, narrowest)
		}
		if f.Refuted {
			return f, nil
		}
		if s.Progress != nil {
			s.Progress(float64(f.Tried) / float64(s.Pipelines))
		}
	}
	return f, nil
}

// smaller searches near a design that refutes, among pipelines with fewer stops and then with fewer mechanisms, as long
// as it finds one.
func (s Search) smaller(ctx context.Context, q *Inequality, r *rand.Rand, start design, f Finding) (Finding, error) {
	const tries = 60
	s.Pipelines, s.Progress = tries, nil
	for _, size := range []struct {
		of    func(p impl.Pipeline) int
		limit func(d *Domain, most int)
	}{
		{func(p impl.Pipeline) int { return len(p.Stops) }, func(d *Domain, most int) { d.Stops[1] = most }},
		{func(p impl.Pipeline) int { return p.Stops[len(p.Stops)-1].After },
			func(d *Domain, most int) { d.Mechanisms[1] = most }},
	} {
		for _, part := range []float64{0.5, 0.8} {
			for {
				less, from := s, start
				size.limit(&less.Domain, int(part*float64(size.of(f.Pipeline))))
				if less.check() != nil {
					break
				}
				g, err := less.climb(ctx, q, r, &from)
				if err != nil {
					return f, err
				}
				if !g.Refuted || g.areZero() && !f.areZero() {
					break
				}
				s, f, start = less, g, from
			}
		}
	}
	return f, nil
}
