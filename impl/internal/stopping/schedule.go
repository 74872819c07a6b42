package stopping

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
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
	Other    *Problem           // with the same stops, for which the charges must be enough, too; nil if there is none
	Progress func(done float64) // called now and then with the fraction done, in [0, 1]
}

// Schedule is charges with a δ of at most what was asked for. All charges are decimals, and rounded up.
type Schedule struct {
	Charges     []*big.Rat
	*Solution          // of these charges
	Comparisons        // for the same δ
	Shortfall   string // why more than Slack of δ is left; empty if it is not

	MeanAtLeast float64 // for Optimal, a mean that no charges are below that need at most δ; 0 if none is known
}

// Comparisons is charges with which those of a schedule are compared.
type Comparisons struct {
	Lemma11    []*big.Rat // of the same shape, for which Lemma 11 needs at most δ; nil if there are none
	SingleStop []*big.Rat // that would do if the sequence could end at this stop only; nil if time ran out
}

// ErrNoSchedule says that no charges could be certified.
var ErrNoSchedule = errors.New("no charges could be certified for this delta")

// Design returns charges for the stops of p such that OptDel is at most delta, which is more than what no
// charge can buy, or 0 if that is. The charges of p are not used.
func Design(ctx context.Context, p Problem, delta *big.Rat, o ScheduleOptions) (*Schedule, error) {
	if delta.Sign() == 0 {
		return simple(ctx, p, o)
	}
	s, err := newScheduler(ctx, p, delta, o)
	if err != nil {
		return nil, err
	}
	if s.most != nil && s.other == nil {
		if r, err := s.negligible(ctx); r != nil || err != nil {
			return r, err
		}
	}
	r, err := s.schedule(ctx)
	if err != nil {
		return nil, err
	}
	r.Narrow(r.Comparisons)
	return r, nil
}

// Compare returns what a schedule is compared with.
func Compare(ctx context.Context, p Problem, delta *big.Rat, o ScheduleOptions) (Comparisons, error) {
	if delta.Sign() == 0 {
		charges := o.largestLosses(p)
		return Comparisons{charges, charges}, nil
	}
	s, err := newScheduler(ctx, p, delta, o)
	if err != nil {
		return Comparisons{}, err
	}
	return s.comparisons(ctx)
}

// Narrow sets what the schedule is compared with.
func (s *Schedule) Narrow(c Comparisons) {
	s.Comparisons = Comparisons{c.Lemma11, leastOfLater(c.SingleStop, s.Charges, c.Lemma11)}
}

// leastOfLater returns charges for single stops that are nowhere above what else is certified for a δ: what is enough for all stops is enough for one, and what is enough
// for a later stop is enough for an earlier one. It returns nil if there are no such charges.
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

// leastSaving is which part of the largest losses charges may be less than these without being sought, where there is noise: float64 certifies little of them.
const leastSaving = 1e-8

// negligible returns the schedule of the largest losses if delta allows no charge that is noticeably less, not even where there is one stop; otherwise nil.
func (s *scheduler) negligible(ctx context.Context) (*Schedule, error) {
	reliefs, err := s.objective.reliefs(ctx, scaled(Uniform.proportions(len(s.leaks)), s.target))
	if err != nil {
		return nil, err
	}
	for i, r := range reliefs {
		if r > leastSaving*s.objective.largest[i] {
			return nil, nil
		}
	}
	r, err := simple(ctx, s.problem, s.ScheduleOptions)
	if err != nil || !atMost(r.OptDel.Upper, s.delta) || !atMost(r.Solution.Lemma11.Upper, s.delta) {
		return nil, err
	}
	return r, nil
}

// simple returns the schedule of the largest losses, that for δ = 0.
func simple(ctx context.Context, p Problem, o ScheduleOptions) (*Schedule, error) {
	charges := o.largestLosses(p)
	width := DefaultRelWidth
	if p.isContinuous() {
		width = o.Slack
	}
	s, err := Solve(ctx, p.charged(charges), Options{RelWidth: width, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	return &Schedule{Charges: charges, Solution: s, Comparisons: Comparisons{charges, charges}}, nil
}

// largestLosses returns these as charges.
func largestLosses(p Problem) (charges []*big.Rat) {
	for _, loss := range p.Losses() {
		charges = append(charges, RoundedUp(loss, leastDigits))
	}
	return charges
}

// largestLosses returns charges for which nothing is lost in p and, if there is one, in the other problem.
func (o ScheduleOptions) largestLosses(p Problem) []*big.Rat {
	if o.Other == nil {
		return largestLosses(p)
	}
	return LargerOfEach(largestLosses(p), largestLosses(*o.Other))
}

// LargerOfEach returns the larger number of each pair.
func LargerOfEach(xs, ys []*big.Rat) (most []*big.Rat) {
	for i, x := range xs {
		if y := ys[i]; y.Cmp(x) > 0 {
			x = y
		}
		most = append(most, x)
	}
	return most
}

// scheduler is one call of [Design].
type scheduler struct {
	ScheduleOptions
	other     *scheduler // of the other problem
	problem   Problem
	delta     *big.Rat
	target    float64   // delta
	leaks     []float64 // per stop, what no charge can buy
	objective *objective
	most      []*big.Rat // charges for which nothing is lost, where there is noise that has some; otherwise nil
	highest   []float64  // reliefs that no stop can be above
	least     float64    // a cost that no charges are below
	miss      float64    // by how much, as a logarithm, the objective's δ of single stops is above the certified one, where there is noise
}

// newScheduler prepares the search for charges with a δ of at most delta.
func newScheduler(ctx context.Context, p Problem, delta *big.Rat, o ScheduleOptions) (*scheduler, error) {
	s := &scheduler{ScheduleOptions: o, problem: p, delta: delta, leaks: p.Infinities()}
	s.target, _ = delta.Float64()
	var err error
	if s.objective, err = newObjective(ctx, p.Joined(), s.target); err != nil {
		return nil, err
	}
	if s.objective.isNoisy && p.isBounded() {
		s.most = largestLosses(p)
	}
	if o.Other == nil {
		return s, nil
	}
	alone := o
	alone.Other = nil
	if s.other, err = newScheduler(ctx, *o.Other, delta, alone); err != nil {
		return nil, err
	}
	s.objective.with(s.other.objective)
	for i, leak := range s.other.leaks {
		s.leaks[i] = max(s.leaks[i], leak)
	}
	return s, nil
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
	schedule := &Schedule{Charges: found.charges, Solution: found.Solution, Shortfall: found.shortfall, MeanAtLeast: s.least / sum(s.Weights)}
	if schedule.Comparisons, err = s.comparisons(ctx); err != nil && schedule.Shortfall == "" {
		schedule.Shortfall = Incomparable(err)
	}
	s.Progress(1)
	return schedule, nil
}

// Incomparable says what is missing of a schedule.
func Incomparable(err error) string {
	return "the charges are certified, but what they are compared with is missing: " + ending(err)
}

// comparisons returns these, as narrowly as they need be.
func (s *scheduler) comparisons(ctx context.Context) (c Comparisons, err error) {
	switch {
	case s.objective.isNoisy && len(s.leaks) > 50, s.most != nil, s.other != nil && s.other.most != nil: // next to the largest losses, δ changes far more than charges do
		s.Slack = max(s.Slack, slackOfMany)
	case s.objective.isGrid:
		s.Slack = max(s.Slack, slackOfOthers)
	}
	if c.SingleStop, err = s.singles(ctx); err == nil {
		s.Progress(0.8)
		c.Lemma11, err = s.lemma11(ctx)
	}
	return c, err
}

// slackOfOthers is what may be left, on a grid, by the charges with which a schedule is compared, and slackOfMany where there is noise, and many stops.
const (
	slackOfOthers = 1e-4
	slackOfMany   = 1e-2
)

// roughStops is how narrowly the single stops of a schedule are known at least, if time does not run out.
const roughStops = 1e-2

// explain adds the single stops, roughly, where OptDel did without them, or with coarse ones. None is above OptDel.
func (s *scheduler) explain(ctx context.Context, c *certified) {
	isCoarse := func(x certify.Interval) bool { return relWidth(x) > roughStops }
	if c.SingleStop != nil && !slices.ContainsFunc(c.SingleStop, isCoarse) {
		return
	}
	width := max(1e-3, s.Slack)
	if s.most != nil { // next to the largest losses more takes long
		width = roughStops
	}
	if r, err := s.evaluate(ctx, c.charges, Options{RelWidth: width, Need: NeedLemma11}); err == nil {
		c.SingleStop, c.Lemma11 = r.SingleStop, r.Lemma11
		return
	}
	for range c.charges {
		c.SingleStop = append(c.SingleStop, certify.Interval{Lower: new(big.Float), Upper: c.OptDel.Upper})
	}
}

// charges returns the certified charges. Those of Optimal are held against those of Uniform, which
// are there if time runs out.
func (s *scheduler) charges(ctx context.Context) (certified, error) {
	if s.Shape != Optimal {
		return s.certify(ctx, s.shaped(s.Shape), NeedOptDel, phase(s.Progress, 0, 0.6))
	}
	find := s.shaped(Uniform)
	uniform, err := s.certify(ctx, find, NeedOptDel, phase(s.Progress, 0, 0.1))
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
		found, err := s.certify(ctx, find, NeedOptDel, phase(s.Progress, 0.5+part*float64(i), 0.5+part*float64(i+1)))
		if err != nil {
			return cheapest.cut(err)
		}
		if s.cost(found.charges).Cmp(s.cost(cheapest.charges)) < 0 {
			cheapest = found
		}
	}
	return cheapest, nil
}

// narrow finds reliefs that no stop can be above: charges with which [Solve] certifies that ending
// there, and only there, needs more than δ.
func (s *scheduler) narrow(ctx context.Context) error {
	above := 1e-8
	switch { // about what the objective is off by
	case s.objective.isNoisy:
		above = 2e-2
	case s.objective.isGrid:
		above = 1e-3
	}
	var err error
	if s.highest, err = s.objective.reliefs(ctx, scaled(Uniform.proportions(len(s.leaks)), s.target*(1+above))); err != nil {
		return err
	}
	var charges []*big.Rat
	for i, r := range s.highest {
		charges = append(charges, s.objective.exact(i, r))
	}
	result, err := s.evaluate(ctx, charges, Options{RelWidth: above / 4, Need: NeedLemma11})
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

// certified is charges with what [Solve] says about them.
type certified struct {
	charges []*big.Rat
	*Solution
	shortfall string
}

// maxCertified is how often charges are certified before the best are taken.
const maxCertified = 10

// firstWidth returns the relative width of the first evaluation. A narrow one costs little,
// except on a grid; there it is not needed, as long as the δ is far from the goal.
func (s *scheduler) firstWidth() float64 {
	if s.objective.isGrid {
		return max(s.Slack/3, 1e-4)
	}
	return s.aimed() / 8
}

// certify rounds the charges that find finds up and lets [Solve] evaluate them, until the δ
// is between (1 − Slack)·delta and delta. What the search was off by moves its next target.
func (s *scheduler) certify(ctx context.Context, find search, need Need, progress func(float64)) (best certified, err error) {
	aim := newSecant(math.Log(s.target * (1 - s.aimed()/2)))
	if need == NeedLemma11 {
		aim.at += s.miss
	}
	width, grid := s.firstWidth(), Grid{}
	for try := range maxCertified {
		reliefs, err := find(ctx, math.Exp(aim.at))
		if err != nil {
			return best.cut(err)
		}
		c := certified{charges: s.rounded(reliefs)}
		progress(float64(try) / maxCertified)
		o := Options{RelWidth: width, Need: need, Grid: &grid}
		if c.Solution, err = s.evaluate(ctx, c.charges, o); err != nil {
			return best.cut(err)
		}
		x := need.interval(c.Solution)
		lower, upper := ends(x)
		if atMost(x.Upper, s.delta) {
			if best.Solution == nil || need.interval(best.Solution).Lower.Cmp(x.Lower) < 0 {
				best = c
			}
			if lower >= s.target*(1-s.aimed()) || !slices.ContainsFunc(c.charges, func(e *big.Rat) bool { return e.Sign() > 0 }) {
				return best, nil
			}
		}
		found := lower + (upper-lower)/2
		if c.Shortfall != "" { // nothing narrower can be had, and it is the upper end that has to be at most δ
			if found = upper; best.Solution != nil && upper >= s.target*(1-s.aimed()) {
				break
			}
		}
		aim.correct(math.Log(found), (upper-lower)/lower)
		if best.Solution == nil && try >= maxCertified/2 {
			aim.at += math.Log1p(-s.margin(try - maxCertified/2))
		}
		width = min(width, max(s.aimed()/2, min(width/100, aim.miss()/30)))
	}
	if best.Solution == nil {
		best, err = s.largest(ctx, need)
	}
	return s.judged(best, need), err
}

// aimed is which part of δ the search leaves: where that costs nothing, less than Slack, and less than
// what there is beyond what no charge can buy.
func (s *scheduler) aimed() float64 {
	if s.objective.isGrid {
		return s.Slack
	}
	room := 1 - s.leaks[len(s.leaks)-1]/s.target
	return min(s.Slack, DefaultRelWidth, max(room/4, 1e-14))
}

// tolerance is the relative error up to which the search meets a δ. Where there is noise, and many stops, an evaluation takes long, and what it is off by itself is corrected by as
// much as slack allows.
func (s *scheduler) tolerance() float64 {
	if s.objective.isNoisy && len(s.leaks) >= manyStops {
		return s.Slack / 10
	}
	return searchWidth
}

// largest returns the largest losses as charges: for them no δ is needed but the mechanisms' own.
func (s *scheduler) largest(ctx context.Context, need Need) (certified, error) {
	c, width := certified{charges: s.rounded(s.none())}, DefaultRelWidth
	if s.most != nil { // that nothing is lost is seen at single stops
		width, need = s.Slack, NeedBoth
	}
	var err error
	if c.Solution, err = s.evaluate(ctx, c.charges, Options{RelWidth: width, Need: need}); err != nil {
		return certified{}, err
	}
	if !atMost(need.interval(c.Solution).Upper, s.delta) {
		return certified{}, ErrNoSchedule
	}
	return c, nil
}

// none returns the reliefs with which nothing is lost.
func (s *scheduler) none() (reliefs []float64) {
	for i := range s.leaks {
		reliefs = append(reliefs, s.objective.least(i))
	}
	return reliefs
}

// judged says so if charges leave more than Slack.
func (s *scheduler) judged(c certified, need Need) certified {
	if c.Solution == nil {
		return c
	}
	c.shortfall = Unused(need.interval(c.Solution).Lower, s.target, s.Slack)
	return c
}

// Unused says so if charges that need at least so much may leave more than a part of delta, and is empty if not.
func Unused(atLeast *big.Float, delta, slack float64) string {
	lower, _ := atLeast.Float64()
	if lower >= delta*(1-slack) {
		return ""
	}
	left, digits := 1-lower/delta, 2
	for digits < 17 && fmt.Sprintf("%.*g", digits, left) == fmt.Sprintf("%.*g", digits, slack) {
		digits++
	}
	return fmt.Sprintf("the charges are certified, but leave %.*g of δ, where %.*g was asked for", digits, left, digits, slack)
}

// margin is a part of δ to stay below it, which grows from try to try: where all charges were too
// low by as little as float64 can tell.
func (s *scheduler) margin(try int) float64 { return min(s.aimed()*math.Pow(4, float64(try+1)), 0.5) }

// cut returns what there is when an error ends the work.
func (c certified) cut(err error) (certified, error) {
	if c.Solution == nil {
		return c, err
	}
	c.shortfall = Unfinished(err)
	return c, nil
}

// Unfinished says why there may be better charges.
func Unfinished(err error) string {
	return "the charges are certified, but the search for better ones was not finished: " + ending(err)
}

// interval returns the result that is needed.
func (n Need) interval(r *Solution) certify.Interval {
	if n == NeedLemma11 {
		return r.Lemma11
	}
	return r.OptDel
}

// evaluate runs [Solve] on charges.
func (s *scheduler) evaluate(ctx context.Context, charges []*big.Rat, o Options) (*Solution, error) {
	r, err := Solve(ctx, s.problem.charged(charges), o)
	if err == nil {
		err = ctx.Err() // what was interrupted is not as narrow as it could be
	}
	if err != nil || s.other == nil {
		return r, err
	}
	other, err := s.other.evaluate(ctx, charges, o)
	if err != nil {
		return nil, err
	}
	return r.orMore(other), nil
}

// orMore returns what is known of the larger values of two problems. How that can be checked it does not say.
func (r *Solution) orMore(other *Solution) *Solution {
	more := func(x, y certify.Interval) certify.Interval {
		return certify.Interval(interval.Max(interval.Interval(x), interval.Interval(y)))
	}
	all := *r
	all.Bounds = &certify.Bounds{Hints: r.Hints, OptDel: more(r.OptDel, other.OptDel), Lemma11: more(r.Lemma11, other.Lemma11)}
	for i, x := range r.SingleStop {
		all.SingleStop = append(all.SingleStop, more(x, other.SingleStop[i]))
	}
	all.Shortfall = cmp.Or(r.Shortfall, other.Shortfall)
	return &all
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
		r = max(0, r)
		charges[i] = RoundedUp(s.objective.exact(i, r), chargeDigits(s.objective.largest[i], r*s.Slack))
		if s.most != nil && (r <= leastSaving*s.objective.largest[i] || s.most[i].Cmp(charges[i]) < 0) { // where there is noise, charges are measured from losses that are hardly ever exceeded
			charges[i] = s.most[i]
		}
	}
	if s.other == nil {
		return charges
	}
	return LargerOfEach(charges, s.other.rounded(s.objective.others(reliefs)))
}

// lemma11 returns charges for which Lemma 11's δ is at most delta, or nil if there are none.
func (s *scheduler) lemma11(ctx context.Context) ([]*big.Rat, error) {
	leak := sum(s.leaks)
	if leak >= s.target*(1-s.aimed()) {
		return nil, nil
	}
	find := s.proportional(s.Shape.proportions(len(s.leaks)), leak, s.objective.lemma11)
	found, err := s.certify(ctx, find, NeedLemma11, phase(s.Progress, 0.8, 1))
	return found.charges, err
}

// singles returns the charges that would do for single stops. The first evaluation tells what the objective is off by: where there is noise, a wide one will do.
func (s *scheduler) singles(ctx context.Context) ([]*big.Rat, error) {
	targets := scaled(Uniform.proportions(len(s.leaks)), s.target*(1-s.aimed()/2))
	grid, width := Grid{}, s.aimed()/3
	if s.objective.isNoisy {
		width *= 6
	}
	for try := range maxCertified {
		reliefs, err := s.objective.reliefs(ctx, targets)
		if err != nil {
			return nil, err
		}
		rounded := s.rounded(reliefs)
		r, err := s.evaluate(ctx, rounded, Options{RelWidth: width, Need: NeedLemma11, Grid: &grid})
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
			} else if upper, _ := x.Upper.Float64(); s.objective.isNoisy && try < 3 && upper < s.target*(1-float64(2+2*try)*s.aimed()) && upper > 0 {
				targets[i] *= s.target * (1 - s.aimed()/2) / upper // what the estimator's grid had too much
				certain = false
			}
		}
		if certain {
			if lemma11, _ := r.Lemma11.Upper.Float64(); s.objective.isNoisy {
				s.miss = math.Log(sum(targets) / lemma11)
			}
			return rounded, nil
		}
	}
	return nil, ErrNoSchedule
}
