package stopping

import (
	"context"
	"math"
	"slices"

	"checkrr/impl/certify"
)

// search finds discounts with a δ of about target, and not above it; whatever it returns if ctx ended.
type search func(ctx context.Context, target float64) []float64

// shaped returns the search among the charges of a shape.
func (s *scheduler) shaped(shape Shape) search {
	return s.proportional(shape.proportions(len(s.leaks)), s.leaks[len(s.leaks)-1], s.objective.optDel)
}

// proportional returns the search among the charges for which the single stops need t·s_i
// beyond what the mechanisms' own δ_k amount to, with the δ that delta evaluates; leak is that
// for t = 0.
func (s *scheduler) proportional(proportions []float64, leak float64, delta measure) search {
	warm := warmStart{near: s.tolerance()}
	return func(ctx context.Context, target float64) []float64 {
		f := func(t float64) []float64 {
			deltas := scaled(proportions, math.Exp(t))
			for i, leak := range s.leaks {
				deltas[i] += leak
			}
			return s.objective.discounts(ctx, deltas)
		}
		if target <= leak*(1+s.aimed()) { // no charges leave more
			return s.none()
		}
		lo, hi := math.Log((target-leak)/sum(proportions)), math.Log(target/slices.Max(proportions))
		return warm.reach(ctx, f, lo, hi, -math.Log(slices.Min(proportions)), math.Log(target), delta)
	}
}

// proportions returns s_1, …, s_n.
func (s Shape) proportions(n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		switch s {
		case Linear:
			xs[i] = float64(i + 1)
		case Sqrt:
			xs[i] = math.Sqrt(float64(i + 1))
		default:
			xs[i] = 1
		}
	}
	return xs
}

// choice is the discounts that cost least so far, and the search that found them.
type choice struct {
	discounts []float64
	find      search
}

// take takes other discounts if they cost less. What costs hardly less may cost more once it is
// certified.
func (s *scheduler) take(best *choice, discounts []float64, find search) {
	if best.discounts == nil ||
		s.objective.cost(s.Weights, discounts) < s.objective.cost(s.Weights, best.discounts)*(1-2*s.Slack) {
		*best = choice{discounts, find}
	}
}

// optimal returns the cheapest charges among the shapes, those that [fictitiousPlay] finds, and those of a
// coarser problem. If there are few, pairs of them are exchanged. uniform is the search of that
// shape, which may know its answer already.
func (s *scheduler) optimal(ctx context.Context, uniform search) (best choice, err error) {
	searches := []search{uniform, s.shaped(Linear), s.shaped(Sqrt), s.fictitiousPlay(ctx, uniform)}
	if len(s.Weights) > maxBlocks {
		found, err := s.coarse(ctx)
		if err != nil {
			return best, err
		}
		searches = append(searches, found)
	}
	for i, find := range searches {
		discounts := find(ctx, s.target)
		s.take(&best, discounts, find)
		s.exchange(ctx, &best, discounts)
		if ctx.Err() != nil {
			return best, ctx.Err()
		}
		phase(s.Progress, 0.1, 0.4)(float64(i+1) / float64(len(searches)))
	}
	return best, nil
}

// global returns the choice that a [cover] finds, if it is better, and keeps its bound.
func (s *scheduler) global(ctx context.Context, best choice) (choice, error) {
	all := newCover(s.objective, s.Weights, s.highest, best.discounts, s.target)
	if all.search(ctx); ctx.Err() != nil {
		return best, ctx.Err()
	}
	if !s.objective.isGrid {
		s.least = max(s.least, all.bound())
	}
	s.take(&best, all.best, s.near(all.best))
	s.exchange(ctx, &best, all.best)
	return best, ctx.Err()
}

// near returns the search around discounts, which all change together.
func (s *scheduler) near(discounts []float64) search {
	return s.around(s.objective.shifted(discounts), s.objective.largest[len(discounts)-1])
}

// exchange takes what pairwise exchanges make of discounts, if they are few.
func (s *scheduler) exchange(ctx context.Context, best *choice, discounts []float64) {
	if len(discounts) <= maxExchanged && !s.objective.isGrid {
		p := &exchange{s.objective, s.Weights, s.target, maxEvaluated}
		discounts = p.improved(ctx, discounts)
		s.take(best, discounts, s.near(discounts))
	}
}

// around returns the search in a curve from −reach to reach.
func (s *scheduler) around(f curve, reach float64) search {
	warm := warmStart{near: s.tolerance()}
	return func(ctx context.Context, target float64) []float64 {
		return warm.reach(ctx, f, -reach, reach, reach, math.Log(target), s.objective.optDel)
	}
}

// fictitiousPlay returns the search among what [fictitiousPlay] finds.
func (s *scheduler) fictitiousPlay(ctx context.Context, uniform search) search {
	start := uniform(ctx, s.target)
	highest := s.objective.discounts(ctx, scaled(Uniform.proportions(len(start)), s.target))
	c := newFictitiousPlay(ctx, s.objective, s.Weights, highest, start, s.target)
	return s.around(c.search(ctx), float64(len(start))+1)
}

// maxBlocks is the number of stops from which on [fictitiousPlay] may fail to settle: stops that follow
// each other closely compete for the same walks.
var maxBlocks = 128

// coarse returns a search among charges of the shape that is optimal for the last stops of
// blocks of stops: in between, ln δ of the single stops is interpolated.
func (s *scheduler) coarse(ctx context.Context) (search, error) {
	n := len(s.Weights)
	size := (n + maxBlocks - 1) / maxBlocks
	o := s.ScheduleOptions
	o.Weights, o.Progress = nil, func(float64) {}
	var ends []int // of blocks: the first one may be smaller
	for end := n - (n-1)/size*size; end <= n; end += size {
		ends = append(ends, end)
		o.Weights = append(o.Weights, sum(s.Weights[max(0, end-size):end]))
	}
	few, err := s.onlyAfter(ctx, ends, o)
	if err != nil {
		return nil, err
	}
	best, err := few.optimal(ctx, few.shaped(Uniform))
	if err != nil {
		return nil, err
	}
	deltas := few.objective.singles(ctx, best.discounts)
	for i, leak := range few.leaks {
		deltas[i] -= leak
	}
	proportions := make([]float64, n)
	for i := range proportions {
		x := float64(len(deltas)-1) - float64(n-1-i)/float64(size)
		proportions[i] = math.Exp(interpolated(deltas, x, s.target))
	}
	return s.proportional(proportions, s.leaks[len(s.leaks)-1], s.objective.optDel), nil
}

// onlyAfter returns a scheduler for some of the stops.
func (s *scheduler) onlyAfter(ctx context.Context, ends []int, o ScheduleOptions) (*scheduler, error) {
	p := certify.Problem{Mechanisms: s.problem.Mechanisms}
	for _, end := range ends {
		p.Stops = append(p.Stops, s.problem.Stops[end-1])
	}
	few, err := NewScheduler(ctx, New(p), s.delta, o)
	if err != nil || s.other == nil {
		return few, err
	}
	other, err := s.other.onlyAfter(ctx, ends, o)
	if err != nil {
		return nil, err
	}
	return few.with(other), nil
}

// interpolated returns ln δ at place x of a list, relative to a target: values that are tiny
// beside it count as if they were not.
func interpolated(deltas []float64, x, target float64) float64 {
	at := func(j int) float64 { return math.Log(max(deltas[max(0, min(j, len(deltas)-1))]/target, 1e-9)) }
	j := math.Floor(x)
	return at(int(j)) + (x-j)*(at(int(j)+1)-at(int(j)))
}

func sum(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum
}

func scaled(xs []float64, factor float64) []float64 {
	ys := make([]float64, len(xs))
	for i, x := range xs {
		ys[i] = x * factor
	}
	return ys
}
