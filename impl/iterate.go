package impl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
)

// Method names the way in which a pipeline is solved.
type Method string

// The methods of [OptDel].
const (
	Auto    Method = "auto"    // the cheapest that reaches the width
	Lattice Method = "lattice" // every reachable loss is a state: no error but rounding
	Bracket Method = "bracket" // losses rounded to a grid, from above and from below
)

// DefaultRelWidth is the relative width of an interval if none is requested.
const DefaultRelWidth = 1e-9

// Options says how to solve a pipeline. The zero value of a field means its default.
type Options struct {
	Method   Method             // default Auto
	RelWidth float64            // requested (Upper − Lower)/Upper; default DefaultRelWidth
	Progress func(done float64) // called now and then with the fraction done, in [0, 1]
}

// Threshold is one line of a stopping rule: stop here if the privacy loss
// ln P0(outputs)/P1(outputs) is at least LossAtLeast.
type Threshold struct {
	LossAtLeast float64 // +Inf where stopping never pays
	Probability float64 // P0-probability that a run under this rule ends here
}

// Result is what [OptDel] found.
type Result struct {
	OptDel     Interval    // ODP-T15
	Lemma11    Interval    // ODP-E4: the sum of SingleStop
	SingleStop []Interval  // smallest δ if the pipeline could end at this stop only
	Rule       []Threshold // the worst stopping rule, one line a stop
	Method     Method      // Lattice or Bracket
	Arithmetic string      // "float64", or "big.Float" with its precision
	Shortfall  string      // why the requested width was not reached; empty if it was
}

// ErrNoLattice says that a pipeline has no lattice of a size that can be visited.
var ErrNoLattice = errors.New("no lattice of a size that fits: the eps have no common unit that is coarse enough, and too many different values")

// OptDel returns the smallest δ for which every iterative mechanism with these
// parameters, stops and charges is (𝒫, ℰ, δ)-ODP, and the stopping rule that
// attains it.
//
// Source: Hartmann et al. (2022), Theorem 15, eq. (3); statement IDs ODP-T15, ODP-E4.
// Symbols: (ε_k, δ_k) = p.Mechanisms, k_i = p.Stops[i].After, ℰ(P_i) = p.Stops[i].Eps.
// Domain: see [Pipeline.Validate]; its errors are *[InputError].
// Accuracy: every [Interval] contains the exact value. Its relative width is at most
// o.RelWidth, or Shortfall says why not.
// Errors: ctx.Err() if ctx ends before there is any result; [ErrNoLattice].
// Cost: for equal ε, k mechanisms and n stops about n·√k·8 multiplications and additions
// per stop interval; memory proportional to k.
func OptDel(ctx context.Context, p Pipeline, o Options) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if o.RelWidth == 0 {
		o.RelWidth = DefaultRelWidth
	}
	if !(o.RelWidth > 0 && o.RelWidth < 1) {
		return nil, fmt.Errorf("relative width is %g, must be more than 0 and less than 1", o.RelWidth)
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	s := &solver{pipeline: p, Options: o}
	return s.solve(ctx)
}

// solver is one call of [OptDel].
type solver struct {
	pipeline Pipeline
	Options
}

func (s *solver) solve(ctx context.Context) (*Result, error) {
	route, err := s.route()
	if err != nil {
		return nil, err
	}
	r, err := route(ctx)
	if err != nil {
		return nil, err
	}
	if w := r.width(); w > s.RelWidth && r.Shortfall == "" {
		r.Shortfall = fmt.Sprintf("float64 certifies a relative width of %.2g", w)
	}
	return r, nil
}

// width returns the relative width of the widest of OptDel and Lemma 11.
func (r *Result) width() float64 { return max(r.OptDel.RelWidth(), r.Lemma11.RelWidth()) }

// route picks the cheapest way that can reach the requested width.
func (s *solver) route() (func(context.Context) (*Result, error), error) {
	lattice, onLattice := newLattice(s.pipeline)
	box, inBox := newBox(s.pipeline)
	if onLattice {
		return func(ctx context.Context) (*Result, error) { return s.onLattice(ctx, lattice) }, nil
	}
	if inBox {
		return func(ctx context.Context) (*Result, error) { return s.inBox(ctx, box) }, nil
	}
	return nil, ErrNoLattice
}

// onLattice solves the pipeline with [front] and [law] in float64.
func (s *solver) onLattice(ctx context.Context, l *lattice) (*Result, error) {
	w, singles, err := s.latticeSingles(ctx, l)
	if err != nil {
		return nil, err
	}
	r := s.result(Lattice, singles)
	n := len(singles)
	b, thresholds := singles[n-1], []int{never}
	places, lasts := w.places()
	switch scale := r.scale(); {
	case r.Lemma11.Upper.Sign() == 0:
		thresholds = make([]int, n)
		for i := range thresholds {
			thresholds[i] = never
		}
	case n == 1:
		thresholds[0] = w.pays(w.charges[0], places[len(w.steps)], lasts[len(w.steps)])
	default:
		cut := scale * s.RelWidth / 16
		w = latticeWalk(s.pipeline, l, cut/float64(16*len(w.steps)))
		if b, thresholds, err = w.game(ctx, cut); err != nil {
			return r.only(err)
		}
		places, _ = w.places()
	}
	r.OptDel = r.OptDel.meet(b.interval())
	probabilities, err := w.probabilities(ctx, thresholds)
	for i, m := range thresholds {
		t := Threshold{LossAtLeast: math.Inf(1)}
		if m != never {
			t.LossAtLeast = w.loss(places[w.ends[i]], m).float()
		}
		if err == nil {
			t.Probability = probabilities[i]
		}
		r.Rule = append(r.Rule, t)
	}
	return r, err
}

// latticeSingles returns the values of single stops. Masses below 1e-40 matter
// only to a δ that is about as small: then nothing is dropped.
func (s *solver) latticeSingles(ctx context.Context, l *lattice) (*walk, []bounds, error) {
	for _, floor := range []float64{1e-40, 0} {
		w := latticeWalk(s.pipeline, l, floor)
		singles, err := w.singles(ctx, floor)
		if err != nil || floor == 0 || fine(singles, s.RelWidth) {
			return w, singles, err
		}
	}
	panic("internal error: unreachable")
}

// fine reports whether dropped masses did not widen any interval beyond width.
func fine(singles []bounds, width float64) bool {
	for _, b := range singles {
		if b.upper-b.lower > width*b.upper {
			return false
		}
	}
	return true
}

// result returns a result with everything that follows from the single stops.
func (s *solver) result(m Method, singles []bounds) *Result {
	intervals := make([]Interval, len(singles))
	for i, b := range singles {
		intervals[i] = b.interval()
	}
	r := &Result{Method: m, Arithmetic: "float64"}
	r.setSingles(intervals)
	return r
}

// setSingles sets SingleStop, Lemma11, and what they say about OptDel: it lies
// between the largest of them and their sum.
func (r *Result) setSingles(singles []Interval) {
	r.SingleStop = singles
	prec := singles[0].Lower.Prec()
	lower := new(big.Float).SetPrec(prec).SetMode(big.ToZero)
	upper := new(big.Float).SetPrec(prec).SetMode(big.AwayFromZero)
	r.OptDel.Lower = singles[0].Lower
	for _, x := range singles {
		if x.Lower.Cmp(r.OptDel.Lower) > 0 {
			r.OptDel.Lower = x.Lower
		}
		lower.Add(lower, x.Lower)
		upper.Add(upper, x.Upper)
	}
	r.Lemma11 = Interval{lower, upper}
	r.OptDel.Upper = upper
	if upper.Cmp(big.NewFloat(1)) > 0 {
		r.OptDel.Upper = big.NewFloat(1)
	}
}

func (r *Result) scale() float64 {
	v, _ := r.OptDel.Lower.Float64()
	return v
}
func (r *Result) only(err error) (*Result, error) { return r, err }
func (s *solver) inBox(ctx context.Context, b *box) (*Result, error) {
	return nil, nil
}
