package conjecture

import (
	"context"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// simplest leaves out stops and digits of a pipeline that refutes an inequality, as long as it does, and computes what
// is left more exactly.
func (s Search) simplest(ctx context.Context, q *Inequality, f Finding) (Finding, error) {
	for isSimpler := true; isSimpler; {
		isSimpler = false
		for _, p := range simpler(f.Pipeline) {
			if !s.contains(p) || p.Validate() != nil {
				continue
			}
			sides, isDefined, err := q.Of(ctx, p, searchWidth)
			if err != nil {
				return f, err
			}
			if isDefined && q.Refutes(sides) && (f.areZero() || !sides.areZero()) {
				f.Pipeline, f.Sides, isSimpler = p, sides, true
				break
			}
		}
	}
	sides, isDefined, err := q.Of(ctx, f.Pipeline, finalWidth)
	if err == nil && isDefined && q.Refutes(sides) {
		f.Sides = sides
	}
	return f, err
}

// simpler returns pipelines that are a step simpler, the boldest first.
func simpler(p impl.Pipeline) (all []impl.Pipeline) {
	n := len(p.Stops)
	for less := n / 2; less >= 1; less /= 2 {
		all = append(all, some(p, n-less))
	}
	if len(p.Mechanisms) == 2 {
		for _, m := range p.Mechanisms {
			m.Count = p.Stops[n-1].After
			all = append(all, impl.Pipeline{Mechanisms: []impl.Mechanism{m}, Stops: p.Stops})
		}
	}
	for _, part := range []float64{0.5, 0.75, 0.9} {
		all = append(all, shorter(p, part))
	}
	for digits := 1; digits <= 3; digits++ {
		all = append(all, rounder(p, digits))
	}
	return slices.DeleteFunc(all, func(x impl.Pipeline) bool { return size(x) >= size(p) })
}

// some keeps so many of the stops, evenly, and the last one.
func some(p impl.Pipeline, keep int) impl.Pipeline {
	n := len(p.Stops)
	q := impl.Pipeline{Mechanisms: p.Mechanisms}
	for i := range keep {
		q.Stops = append(q.Stops, p.Stops[(i+1)*n/keep-1])
	}
	return q
}

// shorter has a part of the mechanisms, with charges that are as many standard deviations above the mean loss.
func shorter(p impl.Pipeline, part float64) (q impl.Pipeline) {
	end := 0
	for _, m := range p.Mechanisms {
		m.Count = max(1, int(part*float64(m.Count)))
		end += m.Count
		q.Mechanisms = append(q.Mechanisms, m)
	}
	whole := p.Stops[len(p.Stops)-1].After
	for _, s := range p.Stops {
		mean, deviation := moments(p.Mechanisms, s.After)
		eps, _ := s.Eps.Value.Float64()
		s.After = s.After * end / whole
		newMean, newDeviation := moments(q.Mechanisms, s.After)
		deviations := 0.0 // above the mean; where the loss hardly varies, or not at all, it is the mean
		if deviation > 0 {
			deviations = (eps - mean) / deviation
		}
		s.Eps = loss.Nats(rounded(max(0, newMean+deviations*newDeviation), 3))
		q.Stops = append(q.Stops, s)
	}
	return q
}

// rounder has numbers of so many digits.
func rounder(p impl.Pipeline, digits int) (q impl.Pipeline) {
	round := func(e loss.Epsilon) loss.Epsilon {
		x, _ := e.Value.Float64()
		return loss.Nats(rounded(x, digits))
	}
	for _, m := range p.Mechanisms {
		m.Eps = round(m.Eps)
		q.Mechanisms = append(q.Mechanisms, m)
	}
	for _, s := range p.Stops {
		s.Eps = round(s.Eps)
		q.Stops = append(q.Stops, s)
	}
	return q
}

// size is how much there is to say of a pipeline, and how long it is.
func size(p impl.Pipeline) int {
	size := 50*len(p.Mechanisms) + p.Stops[len(p.Stops)-1].After
	for _, s := range p.Stops {
		size += 20 + len(s.Eps.Value.RatString())
	}
	for _, m := range p.Mechanisms {
		size += len(m.Eps.Value.RatString())
	}
	return size
}
