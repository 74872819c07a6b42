package impl

import (
	"context"
	"errors"
	"math"
)

// Method names the way in which a pipeline is solved.
type Method string

// The methods of [OptDel].
const (
	Auto    Method = "auto"    // the cheapest that reaches the width
	Lattice Method = "lattice" // every reachable loss is a state: no error but rounding
	Bracket Method = "bracket" // losses rounded to a grid, from above and from below
)

// Options says how to solve a pipeline. The zero value of a field means its default.
type Options struct {
	Method   Method             // default Auto
	RelWidth float64            // requested (Upper − Lower)/Upper; default 1e-9
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
	Method     string      // Lattice or Bracket
	Shortfall  string      // why the requested width was not reached; empty if it was
}

// OptDel is being written.
func OptDel(ctx context.Context, p Pipeline, o Options) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	l, ok := newLattice(p)
	if !ok {
		return nil, errors.New("no lattice")
	}
	return solveLattice(ctx, p, l, 1e-9)
}

func solveLattice(ctx context.Context, p Pipeline, l *lattice, width float64) (*Result, error) {
	w := latticeWalk(p, l, 1e-40)
	singles, err := w.singles(ctx, 1e-40)
	if err != nil {
		return nil, err
	}
	r := &Result{Method: string(Lattice)}
	scale, lo, hi := 0.0, 0.0, 0.0
	for _, s := range singles {
		r.SingleStop = append(r.SingleStop, s.interval())
		scale = max(scale, s.lower)
		lo += s.lower
		hi += s.upper
	}
	r.Lemma11 = interval(lo*(1-1e-12), hi*(1+1e-12))
	b, th, err := w.game(ctx, scale*width/16)
	if err != nil {
		return nil, err
	}
	r.OptDel = b.interval()
	ps, err := w.probabilities(ctx, th)
	places, _ := w.places()
	for i, t := range th {
		line := Threshold{math.Inf(1), ps[i]}
		if t != never {
			pl := places[w.ends[i]]
			line.LossAtLeast = pl.base.add(w.unit.times(float64(t))).float()
		}
		r.Rule = append(r.Rule, line)
	}
	return r, err
}
