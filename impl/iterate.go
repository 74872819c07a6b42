package impl

import (
	"context"
	"errors"
	"fmt"
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

// ErrNoLattice says that a pipeline has no lattice of a size that can be visited.
var ErrNoLattice = errors.New("no lattice of a size that fits: the eps have no common unit that is coarse enough, and too many different values")

// ErrTooLarge says that an exact result would take too long.
var ErrTooLarge = errors.New("too large for exact rationals")

// OptDel returns the smallest δ for which every iterative mechanism with these
// parameters, stops and charges is (𝒫, ℰ, δ)-ODP, and the stopping rule that
// attains it.
//
// Source: Hartmann et al. (2022), Theorem 15, eq. (3); statement IDs ODP-T15, ODP-E4.
// Symbols: (ε_k, δ_k) = p.Mechanisms, k_i = p.Stops[i].After, ℰ(P_i) = p.Stops[i].Eps.
// Domain: see [Pipeline.Validate]; its errors are *[InputError].
// Accuracy: every [Interval] contains the exact value. The relative width of OptDel
// and of Lemma11 is at most o.RelWidth, or Shortfall says why not.
// Errors: ctx.Err() if ctx ends before there is any result; [ErrNoLattice]; an internal
// error, never seen, if an interval is empty.
// Cost: k mechanisms of equal ε with a stop after each take about 20·k^(3/2)
// multiplications, k different ones about 100·k²/√RelWidth; memory is proportional
// to the largest loss over the unit of the lattice or grid.
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
	p = p.joined()
	s := &solver{pipeline: p, Options: o, worthless: p.worthless()}
	r, err := s.solve(ctx)
	if err != nil {
		return nil, err
	}
	return r, r.check()
}

// maxExact is the largest cost of an exact result, in about nanoseconds.
const maxExact = 2e10

// Exact returns OptDel (ODP-T15) and Lemma 11's δ (ODP-E4) as rationals. Every ε
// must have been given as e^ε.
//
// Source: Hartmann et al. (2022), Theorem 15, eq. (3) and (4); ODP-T15, ODP-E3, ODP-E4.
// Symbols: as for [OptDel].
// Domain: OptDel lies in [0, 1], Lemma 11 in [0, n].
// Accuracy: exact.
// Errors: *[InputError], [ErrTooLarge], ctx.Err().
// Cost: one multiplication per state, mechanism and atom, of numbers that grow with
// the number of mechanisms.
func Exact(ctx context.Context, p Pipeline) (optDel, lemma11 *big.Rat, err error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	if err := p.ValidateExact(); err != nil {
		return nil, nil, err
	}
	p = p.joined()
	b, ok := smallestBox(p)
	if !ok || exactCost(p, b) > maxExact {
		return nil, nil, ErrTooLarge
	}
	s := newStates(rationals{}, p, b)
	if optDel, _, err = s.game(ctx); err != nil {
		return nil, nil, err
	}
	singles, err := s.singles(ctx)
	lemma11 = new(big.Rat)
	for _, x := range singles {
		lemma11.Add(lemma11, x)
	}
	return optDel, lemma11, err
}

// exactCost estimates the cost of an exact result: the numbers grow with the number
// of mechanisms, and reducing a ratio takes quadratic time.
func exactCost(p Pipeline, b *box) float64 {
	bits := 0
	for _, m := range p.Mechanisms {
		bits = max(bits, m.Eps.rat.Num().BitLen()+m.Eps.rat.Denom().BitLen()+m.Delta.Denom().BitLen())
	}
	words := float64(bits) * float64(p.length()) / 64
	return cost(p, b) * (500 + 5*words*words)
}

// ValidateExact returns nil if every ε was given as e^ε, as an exact result needs,
// and otherwise an [*InputError] for the first that was not.
func (p Pipeline) ValidateExact() error {
	const rule = "must be given as exp_eps for an exact result"
	for i, m := range p.Mechanisms {
		if !m.Eps.exp {
			return &InputError{"mechanisms", i, "eps", rule}
		}
	}
	for i, s := range p.Stops {
		if !s.Eps.exp {
			return &InputError{"stops", i, "eps", rule}
		}
	}
	return nil
}

// smallestBox returns the box of p with the fewest nodes, or false if none fits.
func smallestBox(p Pipeline) (*box, bool) {
	b, ok := newBox(p)
	if l, onLattice := newLattice(p); onLattice {
		if lb := l.box(p); !ok || lb.size < b.size {
			return lb, true
		}
	}
	return b, ok
}
