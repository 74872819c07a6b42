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
	shortfall string
}

// schedule searches charges in float64, and certifies them.
func (s *scheduler) schedule(ctx context.Context) (*Schedule, error) {
	find, err := s.search(ctx)
	if err != nil {
		return nil, err
	}
	found, err := s.certify(ctx, find, needOptDel, s.phase(0, 0.5))
	if err != nil {
		return nil, err
	}
	schedule := &Schedule{Pipeline: s.pipeline.charged(found.charges), Result: found.Result, Weights: s.Weights, Shortfall: found.shortfall}
	if schedule.Lemma11, err = s.lemma11(ctx); err != nil {
		return nil, err
	}
	schedule.SingleStop, err = s.singles(ctx)
	return schedule, err
}

// phase returns a progress function for the part of the work from one fraction to another.
func (o *ScheduleOptions) phase(from, to float64) func(float64) {
	return func(done float64) { o.Progress(from + done*(to-from)) }
}

// maxCertified is how often charges are certified before the best are taken.
const maxCertified = 8

// firstWidth is the relative width of the first evaluation: as long as the δ is far from the
// goal, it need not be known any better.
const firstWidth = 1e-3

// certify rounds the charges that find finds up and lets [OptDel] evaluate them, until the δ
// is between (1 − Slack)·delta and delta. What the search was off by moves its next target.
func (s *scheduler) certify(ctx context.Context, find search, need need, progress func(float64)) (best certified, err error) {
	goal := math.Log(s.target * (1 - s.Slack/2))
	aim := aim{slope: 1, at: goal}
	width, unit := max(s.Slack/3, firstWidth), 0.0
	for range maxCertified {
		charges, err := find(ctx, math.Exp(aim.at))
		if err != nil {
			return best.cut(err)
		}
		c := certified{charges: s.rounded(charges)}
		o := Options{RelWidth: width, Progress: progress, need: need, unit: &unit}
		if c.Result, err = s.evaluate(ctx, c.charges, o); err != nil {
			return best.cut(err)
		}
		x := need.interval(c.Result)
		lower, _ := x.Lower.Float64()
		upper, _ := x.Upper.Float64()
		if atMost(x.Upper, s.delta) {
			if best.Result == nil || need.interval(best.Result).Lower.Cmp(x.Lower) < 0 {
				best = c
			}
			if lower >= s.target*(1-s.Slack) || !slices.ContainsFunc(charges, func(e float64) bool { return e > 0 }) {
				return best, nil
			}
		}
		hit := math.Log(lower + (upper-lower)/2)
		aim.correct(hit, goal)
		width = max(s.Slack/3, min(width, math.Abs(goal-hit))/30)
	}
	if best.Result == nil {
		return best, ErrNoSchedule
	}
	lower, _ := need.interval(best.Result).Lower.Float64()
	best.shortfall = fmt.Sprintf("the charges are certified, but leave %.2g of δ, where %.2g was asked for", 1-lower/s.target, s.Slack)
	return best, nil
}

// aim is what a search is told in order that it hits a goal. slope is how much higher it hits
// if it is told to aim higher by one.
type aim struct {
	at        float64 // what it is told next
	from, hit float64 // what it was told last, and hit then
	slope     float64
	isMoved   bool
}

// correct moves the aim after a hit, by the secant through the last two.
func (a *aim) correct(hit, goal float64) {
	if a.isMoved {
		if slope := (hit - a.hit) / (a.at - a.from); slope > 0.1 && slope < 10 {
			a.slope = slope
		}
	}
	a.hit, a.from, a.isMoved = hit, a.at, true
	a.at += (goal - hit) / a.slope
}

// cut returns what there is when an error ends the work.
func (c certified) cut(err error) (certified, error) {
	if c.Result == nil {
		return c, err
	}
	c.shortfall = "the charges are certified, but were not finished: " + err.Error()
	return c, nil
}

// interval returns the result that is needed.
func (n need) interval(r *Result) Interval {
	if n == needLemma11 {
		return r.Lemma11
	}
	return r.OptDel
}

// evaluate runs [OptDel] on charges.
func (s *scheduler) evaluate(ctx context.Context, charges []*big.Rat, o Options) (*Result, error) {
	r, err := OptDel(ctx, s.pipeline.charged(charges), o)
	if err == nil {
		err = ctx.Err() // what was interrupted is not as narrow as it could be
	}
	return r, err
}

// atMost reports whether x ≤ r.
func atMost(x *big.Float, r *big.Rat) bool {
	exact, _ := x.Rat(nil)
	return exact.Cmp(r) <= 0
}

// rounded returns charges as decimals, rounded up. Those that are the largest loss, or beyond
// it by rounding, are that.
func (s *scheduler) rounded(charges []float64) []*big.Rat {
	digits := chargeDigits(s.target, len(charges))
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
	found, err := s.certify(ctx, s.proportional(s.Shape.proportions(len(s.leaks)), leak, s.design.lemma11), needLemma11, s.phase(0.5, 0.75))
	return found.charges, err
}

// singles returns the charges that would do for single stops.
func (s *scheduler) singles(ctx context.Context) ([]*big.Rat, error) {
	targets := scaled(Uniform.proportions(len(s.leaks)), s.target*(1-s.Slack/2))
	unit := 0.0
	for range maxCertified {
		charges, err := s.design.charges(ctx, targets)
		if err != nil {
			return nil, err
		}
		rounded := s.rounded(charges)
		o := Options{RelWidth: s.Slack / 3, Progress: s.phase(0.75, 1), need: needLemma11, unit: &unit}
		r, err := s.evaluate(ctx, rounded, o)
		if err != nil {
			return nil, err
		}
		certain := true
		for i, x := range r.SingleStop {
			if !atMost(x.Upper, s.delta) {
				upper, _ := x.Upper.Float64()
				targets[i] *= s.target * (1 - s.Slack/2) / upper
				certain = false
			}
		}
		if certain {
			return rounded, nil
		}
	}
	return nil, ErrNoSchedule
}
