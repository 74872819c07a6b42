package conjecture

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// end is how many mechanisms a pipeline has.
func end(p impl.Pipeline) int { return p.Stops[len(p.Stops)-1].After }

// copied has lists of its own.
func copied(p impl.Pipeline) impl.Pipeline {
	return impl.Pipeline{Mechanisms: slices.Clone(p.Mechanisms), Stops: slices.Clone(p.Stops)}
}

// ways are in how many random ways all charges are changed at once, forth and back. Where several stops have the
// largest δ, one charge by itself changes nothing for the better.
const ways = 8

// changes are what changes a number of a pipeline of so many kinds of mechanisms and so many stops, by a part of it, or
// all charges: some lead out of the domain.
func (d Domain) changes(r *rand.Rand, like impl.Pipeline, step float64) (all []func(p impl.Pipeline) impl.Pipeline) {
	kinds, stops := len(like.Mechanisms), len(like.Stops)
	for _, by := range []float64{step, -step} {
		for i := range stops {
			all = append(all,
				func(p impl.Pipeline) impl.Pipeline { return d.charged(p, i, scaled(p.Stops[i].Eps.Value, by)) },
				func(p impl.Pipeline) impl.Pipeline { return moved(p, i, by) })
		}
		for range ways {
			together, apart := by*r.NormFloat64(), by*math.Pow(100, -r.Float64())
			way := make([]float64, stops)
			for i := range way {
				way[i] = together + apart*r.NormFloat64()
			}
			all = append(all, func(p impl.Pipeline) impl.Pipeline {
				q := copied(p)
				for i := range q.Stops {
					_, deviation := moments(p.Mechanisms, p.Stops[i].After)
					eps, _ := q.Stops[i].Eps.Value.Float64()
					q.Stops[i].Eps = loss.Nats(rounded(max(0, eps+deviation*way[i]), 6))
				}
				d.order(q.Stops)
				return q
			})
		}
		for g := range kinds {
			all = append(all, func(p impl.Pipeline) impl.Pipeline {
				q := copied(p)
				q.Mechanisms[g].Eps = loss.Nats(within(times(q.Mechanisms[g].Eps.Value, by), 2, d.Eps))
				return q
			}, func(p impl.Pipeline) impl.Pipeline {
				q := copied(p)
				q.Mechanisms[g].Delta = within(times(q.Mechanisms[g].Delta, by), 2, d.Delta)
				return q
			}, func(p impl.Pipeline) impl.Pipeline { return longer(p, g, whole(by, p.Mechanisms[g].Count)) })
		}
	}
	for i := range stops {
		all = append(all, func(p impl.Pipeline) impl.Pipeline { return without(p, i) },
			func(p impl.Pipeline) impl.Pipeline { return d.between(p, i) })
	}
	return all
}

// onward has charges as much farther away as those of a pipeline are from those of another. That goes along a ridge on
// which several stops have the largest δ.
func (d Domain) onward(from, p impl.Pipeline) impl.Pipeline {
	q := copied(p)
	for i := range q.Stops {
		before, _ := from.Stops[i].Eps.Value.Float64()
		now, _ := p.Stops[i].Eps.Value.Float64()
		q.Stops[i].Eps = loss.Nats(rounded(max(0, 2*now-before), 6))
	}
	d.order(q.Stops)
	return q
}

func times(x *big.Rat, by float64) float64 {
	v, _ := x.Float64()
	return v * math.Exp(by)
}

// scaled is a charge that is changed by a part of it; from 0 on it grows.
func scaled(charge *big.Rat, by float64) *big.Rat {
	if charge.Sign() == 0 {
		return rounded(max(0, by), 6)
	}
	return rounded(times(charge, by), 6)
}

// whole is a part of a number, at least one of it.
func whole(part float64, of int) int {
	if n := int(part * float64(of)); n != 0 {
		return n
	}
	return int(math.Copysign(1, part))
}

// charged has another charge at a stop. Others follow it, as the domain wants it.
func (d Domain) charged(p impl.Pipeline, stop int, charge *big.Rat) impl.Pipeline {
	q := copied(p)
	for i := range q.Stops {
		order := q.Stops[i].Eps.Value.Cmp(charge)
		isPassed := order > 0 && i < stop || order < 0 && i > stop
		if i == stop || d.Charges == Equal || d.Charges == Nondecreasing && isPassed {
			q.Stops[i].Eps = loss.Nats(charge)
		}
	}
	return q
}

// moved has a stop earlier or later; the last one takes mechanisms with it.
func moved(p impl.Pipeline, stop int, by float64) impl.Pipeline {
	if stop == len(p.Stops)-1 {
		return longer(p, len(p.Mechanisms)-1, whole(by, end(p)))
	}
	q := copied(p)
	after := q.Stops[stop].After
	q.Stops[stop] = carried(p, stop, q, after+whole(by, after))
	return q
}

// carried is a stop in another place of another pipeline, with a charge that is as many standard deviations above the
// mean loss there.
func carried(p impl.Pipeline, stop int, to impl.Pipeline, after int) impl.Stop {
	s := p.Stops[stop]
	mean, deviation := moments(p.Mechanisms, s.After)
	eps, _ := s.Eps.Value.Float64()
	newMean, newDeviation := moments(to.Mechanisms, after)
	deviations := 0.0 // where the loss hardly varies, or not at all, the charge is the mean
	if deviation > 0 {
		deviations = (eps - mean) / deviation
	}
	return impl.Stop{After: after, Eps: loss.Nats(rounded(max(0, newMean+deviations*newDeviation), 6))}
}

// longer has more or fewer mechanisms of a kind, with the last stop at their end; it is empty if there are not
// so many.
func longer(p impl.Pipeline, kind, by int) impl.Pipeline {
	q := copied(p)
	last := len(q.Stops) - 1
	if q.Mechanisms[kind].Count += by; q.Mechanisms[kind].Count < 0 {
		return impl.Pipeline{}
	}
	q.Stops[last] = carried(p, last, q, q.Stops[last].After+by)
	return some(q)
}

// some leaves out kinds of which there are no mechanisms.
func some(p impl.Pipeline) impl.Pipeline {
	p.Mechanisms = slices.DeleteFunc(p.Mechanisms, func(m impl.Mechanism) bool { return m.Count == 0 })
	return p
}

// without has one stop less; what runs after the last one goes with it.
func without(p impl.Pipeline, stop int) impl.Pipeline {
	q := copied(p)
	if q.Stops = slices.Delete(q.Stops, stop, stop+1); len(q.Stops) == 0 {
		return impl.Pipeline{}
	}
	left := end(q)
	for i := range q.Mechanisms {
		m := &q.Mechanisms[i]
		m.Count = min(m.Count, left)
		left -= m.Count
	}
	return some(q)
}

// between has one stop more, halfway to a stop from the one before it.
func (d Domain) between(p impl.Pipeline, stop int) impl.Pipeline {
	before := impl.Stop{Eps: p.Stops[stop].Eps}
	if stop > 0 {
		before = p.Stops[stop-1]
	}
	half, _ := new(big.Rat).Add(before.Eps.Value, p.Stops[stop].Eps.Value).Float64()
	q := copied(p)
	q.Stops = slices.Insert(q.Stops, stop, impl.Stop{After: (before.After + p.Stops[stop].After) / 2,
		Eps: loss.Nats(rounded(half/2, 6))})
	d.order(q.Stops)
	return q
}
