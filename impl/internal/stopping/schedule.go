package stopping

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// Shape says how the δ of the single stops of a schedule compare.
type Shape string

// The shapes of a [Schedule].
const (
	Uniform Shape = "uniform" // the same at every stop
	Linear  Shape = "linear"  // proportional to i at the i-th stop
	Sqrt    Shape = "sqrt"    // proportional to √i
	Optimal Shape = "optimal" // such that the cost is smallest
)

// ScheduleOptions says which schedule is wanted.
type ScheduleOptions struct {
	Shape    Shape
	Weights  []float64          // of the charges in the cost, one a stop; at least 0
	Slack    float64            // largest part of δ that is not used
	Progress func(done float64) // called now and then with the fraction done, in [0, 1]
}

// Schedule is charges with a δ of at most what was asked for. All charges are decimals, and rounded up.
type Schedule struct {
	Charges     []*big.Rat
	Result      *Result // of these charges
	Shape       Shape   // of these charges: Uniform, if time ran out before those of Optimal
	Comparisons         // for the same δ; none before [Scheduler.Compare]
	Shortfall   string  // why more than Slack of δ is left; empty if it is not

	MeanAtLeast float64 // for Optimal, a mean that no charges are below that need at most δ; 0 if none is known
}

// ErrNoSchedule says that no charges could be certified.
var ErrNoSchedule = errors.New("no charges could be certified for this delta")

// Scheduler designs a schedule, and finds what it is compared with.
type Scheduler = *scheduler

// NewScheduler prepares the search for charges for the stops of p such that OptDel is at most delta, which is more
// than what no charge can buy, or 0 if that is. The charges of p are not used.
func NewScheduler(ctx context.Context, p Problem, delta *big.Rat, o ScheduleOptions) (Scheduler, error) {
	s := &scheduler{ScheduleOptions: o, problem: p, delta: delta, leaks: p.Infinities()}
	if delta.Sign() == 0 {
		return s, nil
	}
	s.target, _ = delta.Float64()
	var err error
	if s.objective, err = newObjective(ctx, p, s.target); err != nil {
		return nil, err
	}
	if s.objective.isNoisy && p.isBounded() {
		s.most = s.largestLosses()
	}
	return s, nil
}

// With prepares the search for charges that are enough for another problem with the same stops, too.
func (s *scheduler) With(ctx context.Context, other Problem, o ScheduleOptions) (Scheduler, error) {
	x, err := NewScheduler(ctx, other, s.delta, o)
	if err != nil {
		return nil, err
	}
	both := s.with(x)
	both.ScheduleOptions = o
	return both, nil
}

// Schedule returns the charges, without what they are compared with.
func (s *scheduler) Schedule(ctx context.Context) (*Schedule, error) {
	if s.objective == nil {
		return s.simple(ctx)
	}
	if s.most != nil && s.other == nil {
		if r, err := s.negligible(ctx); r != nil || err != nil {
			return r, err
		}
	}
	return s.schedule(ctx)
}

// Compare adds what a schedule is compared with, if it is not known; if time runs out, its shortfall says so.
func (s *scheduler) Compare(ctx context.Context, r *Schedule) {
	switch {
	case r.Comparisons.SingleStop != nil:
		return
	case len(r.Charges) == 1: // all are the same then
		r.Comparisons = Comparisons{Lemma11: r.Charges, SingleStop: r.Charges}
		return
	case s.objective == nil:
		charges := s.largestLosses()
		r.Comparisons = Comparisons{Lemma11: charges, SingleStop: charges}
		return
	}
	c, err := s.comparisons(ctx)
	if err != nil {
		r.Lack(err)
	}
	c.SingleStop = leastOfLater(c.SingleStop, r.Charges, c.Lemma11)
	r.Comparisons = c
	s.Progress(1)
}

// Lack says why what a schedule is compared with is missing, unless there is another shortfall.
func (s *Schedule) Lack(err error) {
	s.Shortfall = cmp.Or(s.Shortfall,
		"the charges are certified, but what they are compared with is missing: "+ending(err))
}

// leastSaving is which part of the largest losses charges may be less than these without being sought, where there is
// noise: float64 certifies little of them.
const leastSaving = 1e-8

// negligible returns the schedule of the largest losses if delta allows no charge that is noticeably less, not even
// where there is one stop; otherwise nil.
func (s *scheduler) negligible(ctx context.Context) (*Schedule, error) {
	for i, r := range s.objective.discounts(ctx, scaled(Uniform.proportions(len(s.leaks)), s.target)) {
		if r > leastSaving*s.objective.largest[i] {
			return nil, nil
		}
	}
	r, err := s.simple(ctx)
	if err != nil || !atMost(r.Result.OptDel.Upper, s.delta) || !atMost(r.Result.Lemma11.Upper, s.delta) {
		return nil, err
	}
	return r, nil
}

// simple returns the schedule of the largest losses, that for δ = 0.
func (s *scheduler) simple(ctx context.Context) (*Schedule, error) {
	charges := s.largestLosses()
	o := Options{RelWidth: DefaultRelWidth, Progress: s.Progress}
	if s.problem.IsOnGrid() {
		o.RelWidth = s.Slack
	}
	r, err := s.evaluate(ctx, charges, o)
	if err != nil {
		return nil, err
	}
	return &Schedule{Charges: charges, Result: r, Shape: s.Shape,
		Comparisons: Comparisons{Lemma11: charges, SingleStop: charges}}, nil
}

// largestLosses returns charges for which nothing is lost.
func (s *scheduler) largestLosses() (charges []*big.Rat) {
	for _, loss := range s.problem.Losses() {
		charges = append(charges, RoundedUp(loss, leastDigits))
	}
	if s.other != nil {
		charges = largerCharges(charges, s.other.largestLosses())
	}
	return charges
}

// largerCharges returns the larger charge of each stop.
var largerCharges = ofEach(func(x, y *big.Rat) *big.Rat {
	if y.Cmp(x) > 0 {
		return y
	}
	return x
})

// scheduler is one call of [NewScheduler].
type scheduler struct {
	ScheduleOptions
	other     *scheduler // of the other problem
	problem   Problem
	delta     *big.Rat
	target    float64   // delta
	leaks     []float64 // per stop, what no charge can buy
	objective *objective
	most      []*big.Rat // charges for which nothing is lost, where there is noise that has some; otherwise nil
	highest   []float64  // discounts that no stop can be above
	least     float64    // a cost that no charges are below
	isLess    bool       // whether OptDel of the other problem was larger last
	grid      Grid       // that was fine enough last
	// by how much, as a logarithm, the objective's δ of single stops is above the certified one, where there is noise
	miss float64
}

// with returns s where charges must be enough for another problem with the same stops, too.
func (s *scheduler) with(other *scheduler) *scheduler {
	both := *s
	if both.other = other; s.objective == nil {
		return &both
	}
	both.objective, both.leaks = s.objective.with(other.objective), largerOfEach(s.leaks, other.leaks)
	return &both
}

// schedule searches charges in float64, and certifies them.
func (s *scheduler) schedule(ctx context.Context) (*Schedule, error) {
	found, err := s.charges(ctx)
	if err != nil {
		return nil, err
	}
	r := s.explain(ctx, found.charges, found.Result)
	s.Progress(0.6)
	mean, shape := s.least/sum(s.Weights), s.Shape
	if shape == Optimal && found.isCut {
		shape = Uniform
	}
	return &Schedule{Charges: found.charges, Result: r, Shape: shape, Shortfall: found.shortfall, MeanAtLeast: mean}, nil
}

// roughStops is how narrowly the single stops of a schedule are known at least, if time does not run out.
const roughStops = 1e-2

// explain returns r with the single stops, roughly, where it does without them, or has coarse ones. None is above
// OptDel.
func (s *scheduler) explain(ctx context.Context, charges []*big.Rat, r *Result) *Result {
	isCoarse := func(x interval.Interval) bool { return x.RelWidth() > roughStops }
	if r.SingleStop != nil && !slices.ContainsFunc(r.SingleStop, isCoarse) {
		return r
	}
	width := max(1e-3, s.Slack)
	if s.most != nil { // next to the largest losses more takes long
		width = roughStops
	}
	s.forget()
	singles, err := s.evaluate(ctx, charges, Options{RelWidth: width, Need: certify.Singles, Grid: &s.grid})
	var all []*Result
	for i, x := range r.each() {
		explained := *x
		if err == nil {
			explained.SingleStop, explained.Lemma11 = singles.each()[i].SingleStop, singles.each()[i].Lemma11
		} else if x.SingleStop == nil {
			single := []interval.Interval{{Lower: new(big.Float), Upper: x.OptDel.Upper}}
			explained.SingleStop = slices.Repeat(single, len(charges))
		}
		all = append(all, &explained)
	}
	return Worst(all...)
}

// charges returns the certified charges. Those of Optimal are held against those of Uniform, which
// are there if time runs out.
func (s *scheduler) charges(ctx context.Context) (certified, error) {
	if s.Shape != Optimal {
		return s.certify(ctx, s.shaped(s.Shape), certify.Game, phase(s.Progress, 0, 0.6))
	}
	find := s.shaped(Uniform)
	uniform, err := s.certify(ctx, find, certify.Game, phase(s.Progress, 0, 0.1))
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
	finds := []search{best.find}
	if s.objective.isNoisy { // the objective does not tell which is the cheapest
		finds = append(finds, s.shaped(Linear), s.shaped(Sqrt))
	}
	cheapest := uniform
	for i, find := range finds {
		part := 0.1 / float64(len(finds))
		found, err := s.certify(ctx, find, certify.Game, phase(s.Progress, 0.5+part*float64(i), 0.5+part*float64(i+1)))
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return uniform.cut(err)
		}
		if s.cost(found.charges).Cmp(s.cost(cheapest.charges)) < 0 {
			cheapest = found
		}
	}
	return cheapest, nil
}

// narrow finds discounts that no stop can be above: charges with which [Solve] certifies that ending
// there, and only there, needs more than δ.
func (s *scheduler) narrow(ctx context.Context) error {
	above := 1e-8
	switch { // about what the objective is off by
	case s.objective.isNoisy:
		above = 2e-2
	case s.objective.isGrid:
		above = 1e-3
	}
	s.highest = s.objective.discounts(ctx, scaled(Uniform.proportions(len(s.leaks)), s.target*(1+above)))
	var charges []*big.Rat
	for i, r := range s.highest {
		charges = append(charges, s.objective.exact(i, r))
	}
	result, err := s.evaluate(ctx, charges, Options{RelWidth: above / 4, Need: certify.Singles})
	if err != nil {
		return err
	}
	for i, x := range result.SingleStop {
		if atMost(x.Lower, s.delta) {
			s.highest[i] = s.objective.largest[i]
		}
	}
	const rounding = 1e-12
	s.least = s.objective.cost(s.Weights, s.highest) * (1 - rounding)
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
