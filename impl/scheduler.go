package impl

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// scheduler is one call of [DesignSchedule].
type scheduler struct {
	ScheduleOptions
	pipeline Pipeline
	delta    *big.Rat
	target   float64    // delta
	leaks    []float64  // per stop, what no charge can buy
	largest  []*big.Rat // per stop, the largest loss
	design   *design
}

// newScheduler prepares the search for charges with a δ of at most delta.
func newScheduler(p Pipeline, delta *big.Rat, o ScheduleOptions) *scheduler {
	s := &scheduler{ScheduleOptions: o, pipeline: p, delta: delta, leaks: p.leaks(), largest: p.losses()}
	s.target, _ = delta.Float64()
	s.design = newDesign(p.joined(), s.target)
	return s
}

// certified is charges with what [OptDel] says about them.
type certified struct {
	charges []*big.Rat
	*Result
	try       int // which one
	shortfall string
}

// schedule searches charges in float64, and certifies them.
func (s *scheduler) schedule(ctx context.Context) (*Schedule, error) {
	find, err := s.search(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.certify(ctx, find, func(r *Result) Interval { return r.OptDel }, s.phase(0, 0.5))
	if err != nil {
		return nil, err
	}
	schedule := &Schedule{Pipeline: s.pipeline.charged(found.charges), Result: found.Result, Weights: s.Weights, Shortfall: found.shortfall}
	if schedule.Lemma11, err = s.lemma11(ctx); err != nil {
		return nil, err
	}
	schedule.SingleStop, err = s.singles(ctx, found.try)
	return schedule, err
}

// phase returns a progress function for the part of the work from one fraction to another.
func (o *ScheduleOptions) phase(from, to float64) func(float64) {
	return func(done float64) { o.Progress(from + done*(to-from)) }
}

// maxCertified is how often charges are certified before the best are taken.
const maxCertified = 8

// certify rounds the charges that find finds up and lets [OptDel] evaluate them, until the δ
// is between (1 − Slack)·delta and delta. What the search was off by moves its next target, and
// in case that was for rounding, the next charges have more digits.
func (s *scheduler) certify(ctx context.Context, find search, of func(*Result) Interval, progress func(float64)) (best certified, err error) {
	target := s.target * (1 - s.Slack/2)
	for try := range maxCertified {
		charges, err := find(ctx, target)
		if err != nil {
			return best.cut(err)
		}
		c := certified{charges: s.rounded(charges, try), try: try}
		if c.Result, err = s.evaluate(ctx, c.charges, progress); err != nil {
			return best.cut(err)
		}
		x := of(c.Result)
		lower, _ := x.Lower.Float64()
		upper, _ := x.Upper.Float64()
		if atMost(x.Upper, s.delta) {
			if best.Result == nil || of(best.Result).Lower.Cmp(x.Lower) < 0 {
				best = c
			}
			if lower >= s.target*(1-s.Slack) || !slices.ContainsFunc(charges, func(e float64) bool { return e > 0 }) {
				return best, nil
			}
		}
		target *= s.target * (1 - s.Slack/2) / (lower + (upper-lower)/2)
		if best.Result == nil {
			target *= 1 - s.margin(try-3)
		}
	}
	if best.Result == nil {
		return best, ErrNoSchedule
	}
	lower, _ := of(best.Result).Lower.Float64()
	best.shortfall = fmt.Sprintf("the charges are certified, but leave %.2g of δ, where %.2g was asked for", 1-lower/s.target, s.Slack)
	return best, nil
}

// margin is a part of δ to stay below it, after n tries that were above by as little as float64 can
// tell.
func (s *scheduler) margin(n int) float64 {
	if n < 1 {
		return 0
	}
	return min(s.Slack*math.Pow(4, float64(n)), 0.5)
}

// cut returns what there is when an error ends the work.
func (c certified) cut(err error) (certified, error) {
	if c.Result == nil {
		return c, err
	}
	c.shortfall = "the charges are certified, but were not finished: " + err.Error()
	return c, nil
}

// evaluate runs [OptDel] on charges.
func (s *scheduler) evaluate(ctx context.Context, charges []*big.Rat, progress func(float64)) (*Result, error) {
	r, err := OptDel(ctx, s.pipeline.charged(charges), Options{RelWidth: s.Slack / 8, Progress: progress})
	if err == nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return r, err
}

// atMost reports whether x ≤ r.
func atMost(x *big.Float, r *big.Rat) bool {
	exact, _ := x.Rat(nil)
	return exact.Cmp(r) <= 0
}

// rounded returns charges as decimals, rounded up, at the n-th try with 2n digits more. Those
// that are the largest loss, or beyond it by rounding, are that.
func (s *scheduler) rounded(charges []float64, try int) []*big.Rat {
	digits := min(chargeDigits(s.target, len(charges))+2*try, maxDigits)
	rounded := make([]*big.Rat, len(charges))
	for i, e := range charges {
		exact := new(big.Rat).SetFloat64(e)
		if e >= s.design.largest[i]*(1-0x1p-40) {
			exact = s.largest[i]
		}
		rounded[i] = roundedUp(exact, digits)
	}
	return rounded
}

// lemma11 returns charges for which Lemma 11's δ is at most delta, or nil if there are none.
func (s *scheduler) lemma11(ctx context.Context) ([]*big.Rat, error) {
	leak := sum(s.leaks)
	if leak >= s.target*(1-s.Slack) {
		return nil, nil
	}
	found, err := s.certify(ctx, s.proportional(s.Shape.proportions(len(s.leaks)), leak, s.design.lemma11), func(r *Result) Interval { return r.Lemma11 }, s.phase(0.5, 0.75))
	return found.charges, err
}

// singles returns the charges that would do for single stops, rounded as at the n-th try.
func (s *scheduler) singles(ctx context.Context, try int) ([]*big.Rat, error) {
	targets := scaled(Uniform.proportions(len(s.leaks)), s.target*(1-s.Slack/2))
	for n := range maxCertified {
		charges, err := s.design.charges(ctx, targets)
		if err != nil {
			return nil, err
		}
		rounded := s.rounded(charges, try)
		r, err := s.evaluate(ctx, rounded, s.phase(0.75, 1))
		if err != nil {
			return nil, err
		}
		certain := true
		for i, x := range r.SingleStop {
			if !atMost(x.Upper, s.delta) {
				upper, _ := x.Upper.Float64()
				targets[i] *= s.target * (1 - s.Slack/2) / upper * (1 - s.margin(n))
				certain = false
			}
		}
		if certain {
			return rounded, nil
		}
	}
	return nil, ErrNoSchedule
}
