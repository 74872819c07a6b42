// Package stopping is the kernel of OptDel: the value of an optimal-stopping problem whose steps are
// dominating pairs, from the hints with which it is certified to the search for charges that meet a δ.
package stopping

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"checkrr/impl/certify"
)

// Method names the way in which a problem is solved.
type Method string

// The methods of [Solve].
const (
	Auto    Method = "auto"    // the cheapest that reaches the width
	Lattice Method = "lattice" // every reachable loss is a state: no error but rounding
	Bracket Method = "bracket" // losses rounded to a grid, from above and from below
)

// DefaultRelWidth is the relative width of an interval if none is requested.
const DefaultRelWidth = 1e-9

// Options says how to solve a problem. The zero value of a field means its default.
type Options struct {
	Method   Method
	RelWidth float64            // requested (Upper − Lower)/Upper; if 0, DefaultRelWidth or what a grid reaches soon
	Progress func(done float64) // called now and then with the fraction done, in [0, 1]
	Need     certify.Need       // what must have the requested width
	Enough   *Enough            // if there, upper ends that need not be less
	// if there, the grid to start with, and then the one that was fine enough; not where there is one for OptDel and
	// one for Lemma 11
	Grid *Grid
}

// Grid is a grid between which a problem is solved; the zero value is none.
type Grid struct {
	Unit    float64
	Floor   float64 // what may be given up behind every run
	Steeper int     // how many more tilts every run has
}

// Enough is numbers that upper ends need not be below: where the larger value of several problems is sought, what is
// known of the others.
type Enough struct{ OptDel, Lemma11 *big.Float }

// ErrNoLattice says that a problem has no lattice of a size that can be visited.
var ErrNoLattice = errors.New("no lattice of a size that fits: the eps have no common unit that is coarse enough, " +
	"and too many different values")

// Solve returns the value of p with the requested width, or what there is. Charges and steps must be valid.
func Solve(ctx context.Context, p Problem, o Options) (*Result, error) {
	if ctx.Err() != nil { // tilts of many laws take long
		return nil, ctx.Err()
	}
	s, err := newSolver(p, o)
	if err != nil {
		return nil, err
	}
	r, err := s.solve(ctx)
	return s.finished(r), err
}

func newSolver(p Problem, o Options) (*solver, error) {
	isFree := o.RelWidth == 0
	if err := o.Complete(); err != nil {
		return nil, err
	}
	s := &solver{problem: p, tilts: p.tilts(), Options: o, sought: o.Need, isFree: isFree}
	if s.isSplit() { // one unit is not both
		s.Grid = nil
	}
	return s, nil
}

// finished returns r, if there is one, with the width that was asked for.
func (s *solver) finished(r *Result) *Result {
	s.Progress(1)
	if r == nil {
		return nil
	}
	x := *r
	if x.RelWidth, x.Lemma11Slack = s.RelWidth, 1; s.isSplit() {
		x.Lemma11Slack = lemma11Slack
	}
	return &x
}

// Complete sets the defaults and checks the rest.
func (o *Options) Complete() error {
	switch o.Method {
	case "":
		o.Method = Auto
	case Auto, Lattice, Bracket:
	default:
		return fmt.Errorf("method is %q, must be %s, %s or %s", o.Method, Auto, Lattice, Bracket)
	}
	if o.RelWidth == 0 {
		o.RelWidth = DefaultRelWidth
	}
	if o.Progress == nil {
		o.Progress = func(float64) {}
	}
	if !(o.RelWidth > 0 && o.RelWidth < 1) {
		return fmt.Errorf("relative width is %g, must be more than 0 and less than 1", o.RelWidth)
	}
	return nil
}

// fallShort says that, and why, the requested width was not reached.
func (r *Result) fallShort(reason string) {
	r.Shortfall = fmt.Sprintf("relative width %.2g of OptDel, %.2g of Lemma 11: %s", r.OptDel.RelWidth(),
		r.Lemma11.RelWidth(), reason)
}

// ending says in plain words what ended the work.
func ending(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "time ran out"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return err.Error()
}
