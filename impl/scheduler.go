package impl

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/interval"
)

// scheduler is one call of [DesignSchedule].
type scheduler struct {
	ScheduleOptions
	pipeline Pipeline
	delta    *big.Rat
	target   float64   // delta
	leaks    []float64 // per stop, what no charge can buy
	design   *design
	highest  []float64 // reliefs that no stop can be above
	least    float64   // a cost that no charges are below
}

// newScheduler prepares the search for charges with a δ of at most delta.
func newScheduler(ctx context.Context, p Pipeline, delta *big.Rat, o ScheduleOptions) (*scheduler, error) {
	s := &scheduler{ScheduleOptions: o, pipeline: p, delta: delta, leaks: p.leaks()}
	s.target, _ = delta.Float64()
	var err error
	s.design, err = newDesign(ctx, p.joined(), s.target)
	return s, err
}

// schedule searches charges in float64, and certifies them. When time runs out after that, what
// the charges are compared with is missing.
func (s *scheduler) schedule(ctx context.Context) (*Schedule, error) {
	found, err := s.charges(ctx)
	if err != nil {
		return nil, err
	}
	s.explain(ctx, &found)
	s.Progress(0.6)
	schedule := &Schedule{Pipeline: s.pipeline.charged(found.charges), Result: found.Result, Weights: s.Weights, Shortfall: found.shortfall, MeanAtLeast: s.least / sum(s.Weights)}
	if s.design.isGrid {
		s.Slack = max(s.Slack, slackOfOthers)
	}
	if schedule.SingleStop, err = s.singles(ctx); err == nil {
		s.Progress(0.8)
		schedule.Lemma11, err = s.lemma11(ctx)
	}
	if err != nil && schedule.Shortfall == "" {
		schedule.Shortfall = "the charges are certified, but what they are compared with is missing: " + ending(err)
	}
	s.Progress(1)
	return schedule, nil
}

// slackOfOthers is what may be left, on a grid, by the charges with which a schedule is compared.
const slackOfOthers = 1e-4

// explain adds the single stops, roughly, where OptDel did without them. None is above OptDel.
func (s *scheduler) explain(ctx context.Context, c *certified) {
	if c.SingleStop != nil {
		return
	}
	const width = 1e-3
	if r, err := s.evaluate(ctx, c.charges, Options{RelWidth: width, need: needLemma11}); err == nil {
		c.SingleStop, c.Lemma11 = r.SingleStop, r.Lemma11
		return
	}
	for range c.charges {
		c.SingleStop = append(c.SingleStop, interval.New(new(big.Float), c.OptDel.Upper))
	}
}

// charges returns the certified charges. Those of Optimal are held against those of Uniform, which
// are there if time runs out.
func (s *scheduler) charges(ctx context.Context) (certified, error) {
	if s.Shape != Optimal {
		return s.certify(ctx, s.shaped(s.Shape), needOptDel, phase(s.Progress, 0, 0.6))
	}
	find := s.shaped(Uniform)
	uniform, err := s.certify(ctx, find, needOptDel, phase(s.Progress, 0, 0.1))
	leak := s.leaks[len(s.leaks)-1]
	if err != nil || uniform.shortfall != "" || s.target <= leak*(1+2*s.aimed()) {
		return uniform, err
	}
	if err = s.narrow(ctx); err != nil {
		return uniform.cut(err)
	}
	best, err := s.optimal(ctx, find)
	if err == nil {
		best, err = s.global(ctx, best)
	}
	if err != nil {
		return uniform.cut(err)
	}
	find = best.find
	found, err := s.certify(ctx, find, needOptDel, phase(s.Progress, 0.5, 0.6))
	switch {
	case err != nil:
		return uniform.cut(err)
	case s.cost(uniform.charges).Cmp(s.cost(found.charges)) <= 0:
		return uniform, nil
	}
	return found, nil
}

// narrow finds reliefs that no stop can be above: charges with which [OptDel] certifies that ending
// there, and only there, needs more than δ.
func (s *scheduler) narrow(ctx context.Context) error {
	above := 1e-8
	if s.design.isGrid {
		above = 1e-3
	}
	var err error
	if s.highest, err = s.design.reliefs(ctx, scaled(Uniform.proportions(len(s.leaks)), s.target*(1+above))); err != nil {
		return err
	}
	var charges []*big.Rat
	for i, r := range s.highest {
		charges = append(charges, s.design.exact(i, r))
	}
	result, err := s.evaluate(ctx, charges, Options{RelWidth: above / 4, need: needLemma11})
	if err != nil {
		return err
	}
	for i, x := range result.SingleStop {
		if atMost(x.Lower, s.delta) {
			s.highest[i] = s.design.largest[i]
		}
	}
	const rounding = 1e-12
	s.least = s.design.cost(s.Weights, s.highest) * (1 - rounding)
	return nil
}

// cost returns Σ w·E.
func (s *scheduler) cost(charges []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for i, e := range charges {
		w := new(big.Rat).SetFloat64(s.Weights[i])
		sum.Add(sum, w.Mul(w, e))
	}
	return sum
}

// certified is charges with what [OptDel] says about them.
type certified struct {
	charges []*big.Rat
	*Result
	shortfall string
}

// maxCertified is how often charges are certified before the best are taken.
const maxCertified = 10

// firstWidth returns the relative width of the first evaluation. A narrow one costs little,
// except on a grid; there it is not needed, as long as the δ is far from the goal.
func (s *scheduler) firstWidth() float64 {
	if s.design.isGrid {
		return max(s.Slack/3, 1e-4)
	}
	return s.aimed() / 8
}

// certify rounds the charges that find finds up and lets [OptDel] evaluate them, until the δ
// is between (1 − Slack)·delta and delta. What the search was off by moves its next target.
func (s *scheduler) certify(ctx context.Context, find search, need need, progress func(float64)) (best certified, err error) {
	aim := newAim(math.Log(s.target * (1 - s.aimed()/2)))
	width, unit := s.firstWidth(), 0.0
	for try := range maxCertified {
		reliefs, err := find(ctx, math.Exp(aim.at))
		if err != nil {
			return best.cut(err)
		}
		c := certified{charges: s.rounded(reliefs)}
		progress(float64(try) / maxCertified)
		o := Options{RelWidth: width, need: need, unit: &unit}
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
			if lower >= s.target*(1-s.aimed()) || !slices.ContainsFunc(c.charges, func(e *big.Rat) bool { return e.Sign() > 0 }) {
				return best, nil
			}
		}
		if best.Result != nil && c.Shortfall != "" { // nothing narrower can be had
			break
		}
		aim.correct(math.Log(lower+(upper-lower)/2), (upper-lower)/lower)
		if best.Result == nil && try >= maxCertified/2 {
			aim.at += math.Log1p(-s.margin(try - maxCertified/2))
		}
		width = min(width, max(s.aimed()/2, min(width/100, aim.miss()/30)))
	}
	if best.Result == nil {
		best, err = s.largest(ctx, need)
	}
	return s.judged(best, need), err
}

// aimed is which part of δ the search leaves: where that costs nothing, less than Slack, and less than
// what there is beyond what no charge can buy.
func (s *scheduler) aimed() float64 {
	if s.design.isGrid {
		return s.Slack
	}
	room := 1 - s.leaks[len(s.leaks)-1]/s.target
	return min(s.Slack, DefaultRelWidth, max(room/4, 1e-14))
}

// largest returns the largest losses as charges: for them no δ is needed but the mechanisms' own.
func (s *scheduler) largest(ctx context.Context, need need) (certified, error) {
	c := certified{charges: s.rounded(make([]float64, len(s.leaks)))}
	var err error
	if c.Result, err = s.evaluate(ctx, c.charges, Options{need: need}); err != nil {
		return certified{}, err
	}
	if !atMost(need.interval(c.Result).Upper, s.delta) {
		return certified{}, ErrNoSchedule
	}
	return c, nil
}

// judged says so if charges leave more than Slack.
func (s *scheduler) judged(c certified, need need) certified {
	if c.Result == nil {
		return c
	}
	if lower, _ := need.interval(c.Result).Lower.Float64(); lower < s.target*(1-s.Slack) {
		c.shortfall = fmt.Sprintf("the charges are certified, but leave %.2g of δ, where %.2g was asked for", 1-lower/s.target, s.Slack)
	}
	return c
}

// margin is a part of δ to stay below it, which grows from try to try: where all charges were too
// low by as little as float64 can tell.
func (s *scheduler) margin(try int) float64 { return min(s.aimed()*math.Pow(4, float64(try+1)), 0.5) }

// cut returns what there is when an error ends the work.
func (c certified) cut(err error) (certified, error) {
	if c.Result == nil {
		return c, err
	}
	c.shortfall = "the charges are certified, but the search for better ones was not finished: " + ending(err)
	return c, nil
}

// interval returns the result that is needed.
func (n need) interval(r *Result) interval.Interval {
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

// rounded returns the charges as decimals, rounded up.
func (s *scheduler) rounded(reliefs []float64) []*big.Rat {
	charges := make([]*big.Rat, len(reliefs))
	for i, r := range reliefs {
		charges[i] = roundedUp(s.design.exact(i, r), chargeDigits(s.design.largest[i], r*s.Slack))
	}
	return charges
}

// lemma11 returns charges for which Lemma 11's δ is at most delta, or nil if there are none.
func (s *scheduler) lemma11(ctx context.Context) ([]*big.Rat, error) {
	leak := sum(s.leaks)
	if leak >= s.target*(1-s.aimed()) {
		return nil, nil
	}
	find := s.proportional(s.Shape.proportions(len(s.leaks)), leak, s.design.lemma11)
	found, err := s.certify(ctx, find, needLemma11, phase(s.Progress, 0.8, 1))
	return found.charges, err
}

// singles returns the charges that would do for single stops.
func (s *scheduler) singles(ctx context.Context) ([]*big.Rat, error) {
	targets := scaled(Uniform.proportions(len(s.leaks)), s.target*(1-s.aimed()/2))
	unit := 0.0
	for try := range maxCertified {
		reliefs, err := s.design.reliefs(ctx, targets)
		if err != nil {
			return nil, err
		}
		rounded := s.rounded(reliefs)
		o := Options{RelWidth: s.aimed() / 3, need: needLemma11, unit: &unit}
		r, err := s.evaluate(ctx, rounded, o)
		if err != nil {
			return nil, err
		}
		certain := true
		for i, x := range r.SingleStop {
			if !atMost(x.Upper, s.delta) {
				upper, _ := x.Upper.Float64()
				targets[i] *= s.target * (1 - s.aimed()/2) / upper * (1 - s.margin(try-1))
				certain = false
			}
		}
		if certain {
			return rounded, nil
		}
	}
	return nil, ErrNoSchedule
}
