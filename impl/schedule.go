package impl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/loss"
)

// Shape says how the δ of the single stops of a schedule compare.
type Shape = stopping.Shape

// The shapes of a [Schedule].
const (
	Uniform = stopping.Uniform // the same at every stop
	Linear  = stopping.Linear  // proportional to i at the i-th stop
	Sqrt    = stopping.Sqrt    // proportional to √i
	Optimal = stopping.Optimal // such that the cost is smallest
)

// Shapes are all shapes.
var Shapes = []Shape{Uniform, Linear, Sqrt, Optimal}

// DefaultSlack is what a schedule may leave of δ, as a part of it, if nothing is requested, and SlackOfNoise where
// there are mechanisms with noise and up to 200 stops: more where there are more stops.
const (
	DefaultSlack = 1e-6
	SlackOfNoise = 1e-3
)

// ScheduleOptions says which schedule is wanted. The zero value of a field means its default.
type ScheduleOptions struct {
	Shape    Shape              // default Uniform
	Weights  []float64          // of the charges in the cost, one a stop; default all equal
	Slack    float64            // largest part of δ that is not used; default DefaultSlack, or SlackOfNoise
	Progress func(done float64) // called now and then with the fraction done, in [0, 1]

	isFirst    bool // whether there will be a better one
	isTogether bool // whether the charges for one order of neighbours are not enough for the other
}

// Schedule is what may be charged at every stop of a pipeline for a given δ. All charges are
// decimals, and rounded up.
type Schedule struct {
	Pipeline Pipeline // with the charges ℰ(P_i)
	Result   *Result  // of [OptDel] for these charges: OptDel.Upper is at most δ, or OptDel is
	OptDel   *big.Rat // that exactly, where it is what no charge can buy; otherwise nil
	// charges of the same shape for which Lemma 11 needs at most δ; nil if there are none, or time ran out
	Lemma11    []*big.Rat
	IsLeaking  bool       // whether there are none for Lemma 11: the δ of the mechanisms alone add up to δ, or more
	SingleStop []*big.Rat // charges that would do if the pipeline could end at this stop only; nil if time ran out
	Weights    []float64  // of the charges in their mean
	Shape      Shape      // of the charges: Uniform, where time ran out before those of Optimal were found
	Shortfall  string     // why more than Slack of δ is left; empty if it is not

	isTogether bool // whether charges are for both orders of neighbours together

	// MeanAtLeast is, for Optimal, a mean that no charges that need at most δ are below; 0 if time ran
	// out before there was one.
	MeanAtLeast float64
}

// PlainDP returns the charge without output differential privacy, whatever the stop: that of
// the whole pipeline; nil if time ran out.
func (s *Schedule) PlainDP() *big.Rat {
	if s.SingleStop == nil {
		return nil
	}
	return rational.Copy(s.SingleStop[len(s.SingleStop)-1])
}

// Charges returns the charges ℰ(P_i).
func (s *Schedule) Charges() []*big.Rat {
	var charges []*big.Rat
	for _, stop := range s.Pipeline.Stops {
		charges = append(charges, stop.Eps.Rat())
	}
	return charges
}

// Mean returns the mean of charges, with the weights, to float64's accuracy.
func (s *Schedule) Mean(charges []*big.Rat) float64 {
	cost, weight := 0.0, 0.0
	for i, w := range s.Weights {
		cost += float64(w * rational.Float64(charges[i]))
		weight += w
	}
	return cost / weight
}

// DesignSchedule returns charges for the stops of p such that OptDel is at most delta.
//
// Let ε_i(δ′) be the smallest charge for which ending after k_i mechanisms, and only there,
// needs at most δ′: the ε of optimal composition. No charge can buy what the δ_k amount to,
// leak_i = 1 − Π_{k ≤ k_i} (1 − δ_k). For all shapes but the last, ℰ(P_i) = ε_i(leak_i + t·s_i)
// with s_i = 1, i or √i, and the largest t. The shape Optimal takes charges whose mean, with
// the given weights, is small: not above that of Uniform, and with MeanAtLeast beside it.
//
// Source: the inverse of Hartmann et al. (2022), Theorem 15; ODP-T15, ODP-E4.
// Symbols: (ε_k, δ_k) = p.Mechanisms, k_i = p.Stops[i].After, δ = delta. The charges of p.Stops
// are not used.
// Domain: delta at least 1 − Π(1 − δ_k), or more if other losses have no bound, and less than 1; if it is more, at
// least 1e-250.
// Accuracy: OptDel of the charges is certified to be at most delta, and at least
// (1 − Slack)·delta, unless all charges are 0 or Shortfall says why not. For a delta that is 1 − Π(1 − δ_k) the charges
// are the largest finite losses, and OptDel is delta: nothing else is left. Where all mechanisms have a largest loss no
// charge is above these losses together, but for rounding; with noise these are the charges, and OptDel is next to
// nothing, if none can be less by more than a part of 1e-8. MeanAtLeast rests on float64 with a margin for all its
// roundings (by cuts and branches); where losses are rounded to a grid it is what [OptDel] certifies of the single
// stops. For up to three stops, without a grid, the two were never more than 0.04 % from each other.
// Errors: *[InputError] for p, *[DeltaError]; ctx.Err(); [ErrNoSchedule].
// Cost: some ten to twenty evaluations of OptDel; for Optimal some hundred, and up to two seconds for MeanAtLeast.
func DesignSchedule(ctx context.Context, p Pipeline, delta *big.Rat, o ScheduleOptions) (*Schedule, error) {
	p = p.charged(slices.Repeat([]*big.Rat{new(big.Rat)}, len(p.Stops)))
	if err := cmp.Or(p.Validate(), check.NotNil("ctx", ctx)); err != nil {
		return nil, err
	}
	p = p.clone() // as the result has it
	if err := o.complete(p); err != nil {
		return nil, err
	}
	q := p.problem()
	if losses := q.Losses(); rational.Magnitude(losses[len(losses)-1]) > loss.MaxMagnitude {
		return nil, &InputError{"mechanisms", -1, "", "their eps add up to more than a charge may be, 1e289"}
	}
	if err := p.CheckDelta(delta); err != nil {
		return nil, err
	}
	c := p.compareLeak(delta)
	if c.sign == isLeak {
		return p.scheduleOfLeak(ctx, delta, c, o)
	}
	s, err := designInTurn(ctx, p, delta, o)
	if errors.Is(err, ErrNoSchedule) && p.unboundedAmong(c) < 0 { // it is hardly more than that
		return p.scheduleOfLosses(ctx, cmp.Or(c.most.exact, delta), o)
	}
	return s, err
}

// coarseSlack is the slack with which charges are found first, if time may run out, and quickSlack that below which
// those with [SlackOfNoise] are: what is asked for may take too long.
const (
	coarseSlack = 0.2
	quickSlack  = SlackOfNoise / 10
)

// stages returns with which options charges are found, one after the other, each time better ones. If all is quick,
// one is enough.
func (o ScheduleOptions) stages(ctx context.Context, p Pipeline) (stages []ScheduleOptions) {
	first, isOnGrid := o, p.IsOnGrid()
	if first.isFirst = true; o.Shape == Optimal { // which takes long
		first.Shape = Uniform
	}
	if _, ends := ctx.Deadline(); ends && isOnGrid && o.Slack < coarseSlack {
		first.Slack = coarseSlack
		stages = append(stages, first)
	}
	if isOnGrid && o.Slack < quickSlack {
		o.Slack = SlackOfNoise
		stages = append(stages, o)
	}
	if first.Slack = o.Slack; o.Shape == Optimal && len(p.Orders()) == 2 {
		// uniform charges tell whether one order of neighbours is enough
		stages = append(stages, first)
	}
	return stages
}

// designInTurn returns the charges that were asked for or, if there are none, or time runs out, those of an earlier
// stage.
func designInTurn(ctx context.Context, p Pipeline, delta *big.Rat, o ScheduleOptions) (found *Schedule, err error) {
	const part = 0.1 // of the work, for all but the last
	stages := append(o.stages(ctx, p), o)
	for i, x := range stages {
		from, to := part*float64(i), part*float64(i+1)
		if i == len(stages)-1 {
			to = 1
		}
		x.Progress = func(done float64) { o.Progress(from + done*(to-from)) }
		x.isTogether = found != nil && found.isTogether
		var s *Schedule
		if s, err = design(ctx, p, delta, x); err == nil {
			found = s
		}
	}
	if err != nil && found != nil {
		found.Shortfall = stopping.Unfinished(err)
		return found, nil
	}
	return found, err
}

// compare adds what a schedule is compared with, unless there will be a better one.
func (o ScheduleOptions) compare(ctx context.Context, k stopping.Scheduler, s *stopping.Schedule) {
	if !o.isFirst {
		k.Compare(ctx, s)
	}
}

// newSchedule returns what the kernel found, with the result for its charges.
func newSchedule(p Pipeline, s *stopping.Schedule, r *Result, o ScheduleOptions) *Schedule {
	return &Schedule{
		Pipeline: p.charged(s.Charges).clone(), Result: r, Lemma11: s.Lemma11, IsLeaking: s.IsLeaking,
		SingleStop: s.SingleStop, Weights: slices.Clone(o.Weights), Shortfall: s.Shortfall, MeanAtLeast: s.MeanAtLeast,
		Shape: s.Shape,
	}
}

// kernel returns o for the kernel, which has a part of the work.
func (o ScheduleOptions) kernel(from, to float64) stopping.ScheduleOptions {
	progress := func(done float64) { o.Progress(from + done*(to-from)) }
	return stopping.ScheduleOptions{Shape: o.Shape, Weights: o.Weights, Slack: o.Slack, Progress: progress}
}

// charged returns p with the given charges.
func (p Pipeline) charged(charges []*big.Rat) Pipeline {
	stops := make([]Stop, len(charges))
	for i, e := range charges {
		stops[i] = Stop{After: p.Stops[i].After, Eps: loss.Nats(e)}
	}
	return Pipeline{p.Mechanisms, stops}
}

// ErrNoSchedule says that no charges could be certified.
var ErrNoSchedule = stopping.ErrNoSchedule

// maxWeight keeps sums of weighted charges finite.
const maxWeight = 1e12

// complete sets the defaults and checks the rest.
func (o *ScheduleOptions) complete(p Pipeline) error {
	stops := len(p.Stops)
	if o.Shape == "" {
		o.Shape = Uniform
	}
	if o.Slack == 0 {
		if o.Slack = DefaultSlack; p.IsOnGrid() {
			o.Slack = SlackOfNoise * max(1, float64(stops)/200)
		}
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	report, most := o.Progress, 0.0
	o.Progress = func(done float64) { most = max(most, done); report(most) }
	if o.Weights == nil {
		o.Weights = slices.Repeat([]float64{1}, stops)
	}
	if len(o.Weights) != stops {
		return fmt.Errorf("there are %d weights, must be %d, one for each stop", len(o.Weights), stops)
	}
	for i, w := range o.Weights {
		if !(w >= 0 && w <= maxWeight) {
			return fmt.Errorf("weight %d is %g, must be between 0 and %g", i+1, w, maxWeight)
		}
	}
	if !slices.ContainsFunc(o.Weights, func(w float64) bool { return w > 0 }) {
		return errors.New("all weights are 0, must be at least one that is not")
	}
	if !(o.Slack > 0 && o.Slack < 1) {
		return fmt.Errorf("slack is %g, must be more than 0 and less than 1", o.Slack)
	}
	if !slices.Contains(Shapes, o.Shape) {
		return fmt.Errorf("shape is %q, must be one of %v", o.Shape, Shapes)
	}
	return nil
}
