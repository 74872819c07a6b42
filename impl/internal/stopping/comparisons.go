package stopping

import (
	"context"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// Comparisons is charges with which those of a schedule are compared.
type Comparisons struct {
	Lemma11    []*big.Rat // of the same shape, for which Lemma 11 needs at most δ; nil if there are none
	SingleStop []*big.Rat // that would do if the sequence could end at this stop only; nil if time ran out
	IsLeaking  bool       // whether there are none for Lemma 11, as what no charge can buy is more than δ there
}

// comparisons returns these, as narrowly as they need be.
func (s *scheduler) comparisons(ctx context.Context) (c Comparisons, err error) {
	switch {
	case s.objective.isNoisy && len(s.leaks) > 50, s.most != nil, s.other != nil && s.other.most != nil:
		// next to the largest losses, δ changes far more than charges do
		s.Slack = max(s.Slack, slackOfMany)
	case s.objective.isGrid:
		s.Slack = max(s.Slack, slackOfOthers)
	}
	if c.SingleStop, err = s.singles(ctx); err == nil {
		s.Progress(0.8)
		c.Lemma11, err = s.lemma11(ctx)
		c.IsLeaking = err == nil && c.Lemma11 == nil
	}
	return c, err
}

// slackOfOthers is what may be left, on a grid, by the charges with which a schedule is compared, and slackOfMany
// where there is noise, and many stops.
const (
	slackOfOthers = 1e-4
	slackOfMany   = 1e-2
)

// lemma11 returns charges for which Lemma 11's δ is at most delta, or nil if there are none.
func (s *scheduler) lemma11(ctx context.Context) ([]*big.Rat, error) {
	leak := sum(s.leaks)
	if leak >= s.target*(1-s.aimed()) {
		return nil, nil
	}
	find := s.proportional(s.Shape.proportions(len(s.leaks)), leak, s.objective.lemma11)
	found, err := s.certify(ctx, find, certify.Singles, phase(s.Progress, 0.8, 1))
	return found.charges, err
}

// singles returns the charges that would do for single stops. The first evaluation tells what the objective is off
// by: where there is noise, a wide one will do.
func (s *scheduler) singles(ctx context.Context) ([]*big.Rat, error) {
	targets := scaled(Uniform.proportions(len(s.leaks)), s.target*(1-s.aimed()/2))
	width := s.aimed() / 3
	s.forget()
	if s.objective.isNoisy {
		width *= 6
	}
	isRough := s.objective.isNoisy || s.problem.HasRange()        // the objective is off by more than slack
	less := slices.Repeat([]*big.Rat{new(big.Rat)}, len(targets)) // charges that are not enough
	for try := range maxCertified {
		rounded := s.rounded(s.objective.discounts(ctx, targets))
		r, err := s.evaluate(ctx, rounded, Options{RelWidth: width, Need: certify.Singles, Grid: &s.grid})
		if err != nil {
			return nil, err
		}
		certain := true
		width = s.aimed() / 3
		for i, x := range r.SingleStop {
			if !atMost(x.Upper, s.delta) {
				upper, _ := x.Upper.Float64()
				targets[i] *= s.target * (1 - s.aimed()/2) / upper * (1 - s.margin(try-1))
				certain = false
				if less[i].Cmp(rounded[i]) < 0 {
					less[i] = rounded[i]
				}
			} else if upper, _ := x.Upper.Float64(); isRough && rounded[i].Sign() > 0 && try < 3 &&
				upper < s.target*(1-float64(2+2*try)*s.aimed()) && upper > 0 {
				targets[i] *= s.target * (1 - s.aimed()/2) / upper // what the estimator's grid had too much
				certain = false
			}
		}
		if certain {
			if s.objective.isNoisy {
				s.miss = s.missOf(targets, r.SingleStop)
			}
			return s.closer(ctx, rounded, less, r), nil
		}
	}
	return nil, ErrNoSchedule
}

// missOf returns the logarithm of how many times what is needed the estimator thought was. Stops that leave much say
// nothing of that: nothing is charged there, or δ leaps.
func (s *scheduler) missOf(targets []float64, needed []interval.Interval) float64 {
	thought, found := 1.0, 1.0
	for i, x := range needed {
		if upper, _ := x.Upper.Float64(); upper >= s.target*(1-mostLeft) {
			thought, found = thought+targets[i]/s.target, found+upper/s.target
		}
	}
	return math.Log(thought / found)
}

// How much of δ charges of a single stop may leave that are not sought between these and others that are not enough,
// and how often they are.
const (
	mostLeft     = 0.05
	mostHalvings = 7
)

// closer returns charges that are closer to those that are not enough, at stops where much of δ is left: next to the
// largest loss of a step δ leaps, and the estimator does not know just where.
func (s *scheduler) closer(ctx context.Context, enough, less []*big.Rat, r *Result) []*big.Rat {
	leaves := func(i int) bool {
		upper, _ := r.SingleStop[i].Upper.Float64()
		return upper < s.target*(1-mostLeft)
	}
	var open []int
	for i := range enough {
		if s.objective.isNoisy && leaves(i) && less[i].Sign() > 0 {
			open = append(open, i)
		}
	}
	for range mostHalvings {
		if len(open) == 0 {
			break
		}
		tried := slices.Clone(enough)
		for _, i := range open {
			tried[i] = RoundedUp(new(big.Rat).Mul(big.NewRat(1, 2), new(big.Rat).Add(enough[i], less[i])), leastDigits)
		}
		var err error
		o := Options{RelWidth: s.aimed() / 3, Need: certify.Singles, Grid: &s.grid}
		if r, err = s.evaluate(ctx, tried, o); err != nil {
			break
		}
		open = slices.DeleteFunc(open, func(i int) bool {
			if !atMost(r.SingleStop[i].Upper, s.delta) {
				less[i] = tried[i]
				return false
			}
			enough[i] = tried[i]
			return !leaves(i)
		})
	}
	return enough
}

// leastOfLater returns charges for single stops that are nowhere above what else is certified for a δ: what is enough
// for all stops is enough for one, and what is enough for a later stop is enough for an earlier one. It returns nil
// if there are no such charges.
func leastOfLater(singles []*big.Rat, others ...[]*big.Rat) (least []*big.Rat) {
	least = slices.Clone(singles)
	for i := range slices.Backward(least) {
		for _, charges := range others {
			if charges != nil && charges[i].Cmp(least[i]) < 0 {
				least[i] = charges[i]
			}
		}
		if i+1 < len(least) && least[i+1].Cmp(least[i]) < 0 {
			least[i] = least[i+1]
		}
	}
	return least
}
