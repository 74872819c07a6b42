package impl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/check"
	"checkrr/impl/internal/exact"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// ErrNoLattice says that a pipeline has no lattice of a size that can be visited.
var ErrNoLattice = stopping.ErrNoLattice

// ErrTooLarge says that an exact result would take too long.
var ErrTooLarge = exact.ErrTooLarge

// OptDel returns the smallest δ for which every iterative mechanism with these
// parameters, stops and charges is (𝒫, ℰ, δ)-ODP, and the stopping rule that
// attains it.
//
// Source: Hartmann et al. (2022), Theorem 15, eq. (3); statement IDs ODP-T15, ODP-E4.
// Also in the checks of ODP-L11, ODP-X20, ODP-X23, ODP-X25, OUR-L4, OUR-L6, OUR-L7, OUR-L8, OUR-L13, OUR-X1, OUR-X11,
// OUR-X12, OUR-X13, OUR-X14, OUR-X15, OUR-X16, OUR-X17 and OUR-X18.
// Symbols: (ε_k, δ_k) = p.Mechanisms, k_i = p.Stops[i].After, ℰ(P_i) = p.Stops[i].Eps.
// Domain: see [Pipeline.Validate]; its errors are *[InputError]. The method Lattice is not for noise, losses,
// samples and bounded ranges.
// Accuracy: every [interval.Interval] contains the exact value. The relative width of OptDel
// is at most o.RelWidth, and that of Lemma11 at most [Result].Lemma11Slack times that, or Shortfall says why not.
// Errors: ctx.Err() if ctx ends before there is any result; [ErrNoLattice]; an internal
// error, never seen, if an interval is empty.
// Cost: k mechanisms of equal ε with a stop after each take about 20·k^(3/2)
// multiplications, k different ones about 100·k²/√RelWidth; memory is proportional
// to the largest loss over the unit of the lattice or grid.
func OptDel(ctx context.Context, p Pipeline, o Options) (*Result, error) {
	return p.solve(ctx, o, certify.Both)
}

// solve finds what is needed for neighbours in both orders.
func (p Pipeline) solve(ctx context.Context, o Options, need certify.Need) (*Result, error) {
	if err := cmp.Or(p.Validate(), check.NotNil("ctx", ctx)); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(p.Mechanisms, Mechanism.IsOnGrid); i >= 0 && o.Method == Lattice {
		return nil, &InputError{"mechanisms", i, p.Mechanisms[i].Kind(),
			"is given, must be a law, or eps and delta, for the method lattice: " +
				"with noise, losses or a bounded range auto and bracket are left"}
	}
	k := o.kernel()
	k.Need = need
	return p.clone().orders().Solve(ctx, k) // as the result has it
}

// Lemma11 returns the sum over all stops of the δ that would do if the pipeline could only end there: a
// valid δ, at least OptDel and at most as many times as large as there are stops.
//
// Source: Hartmann et al. (2022), Lemma 11 and eq. (4); ODP-L11, ODP-E4.
// Also in the checks of ODP-X25.
// Symbols and errors: as for [OptDel].
// Domain: see [Pipeline.Validate]. The method Lattice is not for noise, losses, samples and bounded ranges.
// Accuracy: contains the exact value; the relative width is at most o.RelWidth, or as small as can be had.
// Deviation from print: none.
// Cost: less than that of [OptDel].
func Lemma11(ctx context.Context, p Pipeline, o Options) (interval.Interval, error) {
	r, err := p.solve(ctx, o, certify.Singles)
	if err != nil {
		return interval.Interval{}, err
	}
	return r.Lemma11, nil
}

// Exact returns OptDel (ODP-T15), the δ of each stop alone and Lemma 11's δ (ODP-E4) as rationals. Every ε above 0 must
// have been given as e^ε, unless every charge is at least all finite losses before it.
//
// Source: Hartmann et al. (2022), Theorem 15, eq. (3) and (4); ODP-T15, ODP-E3, ODP-E4.
// Also in the checks of ODP-L11, OUR-X1 and OUR-X3.
// Symbols: as for [OptDel].
// Domain: OptDel and single stops lie in [0, 1], Lemma 11 in [0, n].
// Accuracy: exact.
// Errors: *[InputError], [ErrTooLarge], ctx.Err().
// Cost: one multiplication per state, mechanism and atom, of numbers that grow with
// the number of mechanisms.
func Exact(ctx context.Context, p Pipeline) (optDel *big.Rat, singles []*big.Rat, lemma11 *big.Rat, err error) {
	if err := cmp.Or(p.Validate(), check.NotNil("ctx", ctx)); err != nil {
		return nil, nil, nil, err
	}
	return p.largerExactly(func(q Pipeline) ([]*big.Rat, error) {
		if all := q.leaks(ctx); all != nil {
			return all, nil
		}
		if err := p.ValidateExact(); err != nil {
			return nil, err
		}
		optDel, singles, err := exact.OptDel(ctx, certify.Problem(q).Grouped())
		if err != nil {
			return nil, err
		}
		return withSum(singles, optDel), nil
	})
}

// withSum returns the δ of each stop alone, and behind them OptDel and the sum of the former.
func withSum(singles []*big.Rat, optDel *big.Rat) []*big.Rat {
	sum := new(big.Rat)
	for _, x := range singles {
		sum.Add(sum, x)
	}
	return append(singles, optDel, sum)
}

// largerExactly returns the larger of what there is for neighbours in each order, as of [withSum].
func (p Pipeline) largerExactly(of func(q Pipeline) ([]*big.Rat, error)) (
	optDel *big.Rat, singles []*big.Rat, lemma11 *big.Rat, err error,
) {
	n := len(p.Stops)
	all := slices.Repeat([]*big.Rat{new(big.Rat)}, n+2)
	for _, q := range p.Orders() {
		more, err := of(q)
		if err != nil {
			return nil, nil, nil, err
		}
		for i, x := range more {
			all[i] = rational.Max(all[i], x)
		}
	}
	return all[n], all[:n], all[n+1], nil
}

// ExactIfQuick is [Exact] where that takes next to no time, as there are few states; otherwise it returns nothing.
// It panics if ctx is nil.
func ExactIfQuick(ctx context.Context, p Pipeline) (optDel *big.Rat, singles []*big.Rat, lemma11 *big.Rat) {
	const most = 12 // bits of the number of states, about
	bits := 0.0
	for _, m := range p.Mechanisms {
		losses := 2
		if m.Law != nil {
			losses = len(m.Law)
		}
		bits += float64(losses-1) * math.Log2(float64(m.Count)+1)
	}
	optDel, singles, lemma11, err := p.largerExactly(func(q Pipeline) ([]*big.Rat, error) {
		if all := q.leaks(ctx); all != nil {
			return all, nil
		}
		return nil, ErrTooLarge
	})
	if err != nil && bits <= most {
		optDel, singles, lemma11, err = Exact(ctx, p)
	}
	if err != nil {
		return nil, nil, nil
	}
	return optDel, singles, lemma11
}

// leaks returns the δ of each stop alone, OptDel and the sum, as [withSum], where charges cover all finite losses: how
// likely an infinite one is before each stop. Otherwise it returns nothing. Neighbours are in the order that laws are
// given in.
func (p Pipeline) leaks(ctx context.Context) (all []*big.Rat) {
	if !p.coversLosses() {
		return nil
	}
	for _, s := range p.Stops {
		keep, isShort := OneStop(p.first(s.After)).keptExactly()
		if !isShort || ctx.Err() != nil {
			return nil
		}
		all = append(all, new(big.Rat).Sub(rational.One, keep))
	}
	return withSum(all, all[len(all)-1])
}

// coversLosses reports whether no loss but an infinite one is certainly larger than the charge of a stop, for
// neighbours in the order that laws are given in.
func (p Pipeline) coversLosses() bool {
	const bits = 192
	if slices.ContainsFunc(p.Mechanisms, func(m Mechanism) bool { return !hasMostLoss(m) }) {
		return false
	}
	for i, most := range p.sums(bits) {
		charge := p.Stops[i].Eps
		isMore := most.Eps.Upper.Cmp(loss.Enclose(charge, bits).Lower) > 0
		if !p.hasLaws() {
			isMore = largestLoss(p.first(p.Stops[i].After)).Cmp(loss.Of(charge)) > 0
		} else if most.Exact != nil {
			isMore = loss.Of(loss.Nats(most.Exact)).Cmp(loss.Of(charge)) > 0
		}
		if isMore {
			return false
		}
	}
	return true
}

// LeaksAtMost reports whether OptDel is at most delta, if that is known without computing it: where charges cover all
// finite losses, it is what no charge can buy. p must be valid.
func (p Pipeline) LeaksAtMost(delta *big.Rat) (isAtMost, isKnown bool) {
	if slices.ContainsFunc(p.Orders(), func(q Pipeline) bool { return !q.coversLosses() }) {
		return false, false
	}
	sign := p.compareLeak(delta).sign
	return sign != isLess, sign != isClose
}

// ValidateExact returns nil if every ε above 0 was given as e^ε, as an exact result needs,
// and otherwise an [*InputError] for the first that was not. What else must hold is [Pipeline.Validate]'s.
func (p Pipeline) ValidateExact() error {
	const rule = "must be given as exp_eps for an exact result: e^eps is no ratio"
	for i, m := range p.Mechanisms {
		if m.IsOnGrid() {
			const text = "is given, must be a law, or exp_eps, for an exact result: "
			return &InputError{"mechanisms", i, m.Kind(), text + TooMany(m)}
		}
		if m.IsDP() && !m.Eps.Log && !m.Eps.IsZero() {
			return &InputError{"mechanisms", i, "eps", rule}
		}
	}
	for i, s := range p.Stops {
		if !s.Eps.Log && !s.Eps.IsZero() {
			return &InputError{"stops", i, "eps", rule}
		}
	}
	return nil
}

// Iterate runs M_iter[{k_i}, {M_k}, {h^[k_i]}](x) and returns its output.
//
// The stopping points increase, so the next one is enough to compare k with.
//
// Source: Hartmann et al. (2022), Algorithm 3; ODP-A3.
// Symbols: k_i = points[i−1], n = len(points); M_k = mechanisms[k−1]; h^[k_i] =
// criteria[i−1], with true for 1. A mechanism is given the earlier outputs, which it
// must not change, and brings its own randomness.
// Domain: points strictly increasing from at least 1; k_n mechanisms and n − 1 criteria.
// Accuracy: that of the mechanisms.
// Deviation from print: none.
// Cost: at most k_n mechanisms and n − 1 criteria; one allocation.
func Iterate[S, X any](points []int, mechanisms []func(s []S, x X) S, criteria []func(s []S) bool, x X) ([]S, error) {
	if err := checkPoints(points, len(mechanisms), len(criteria)); err != nil {
		return nil, fmt.Errorf("Iterate: %w", err)
	}
	for k, m := range mechanisms {
		if m == nil {
			return nil, fmt.Errorf("Iterate: mechanism %d is nil, must be given", k+1)
		}
	}
	for i, c := range criteria {
		if c == nil {
			return nil, fmt.Errorf("Iterate: criterion %d is nil, must be given", i+1)
		}
	}
	s := make([]S, 0, len(mechanisms))
	next := 0
	for k := 1; k <= len(mechanisms); k++ {
		s = append(s, mechanisms[k-1](s[:k-1:k-1], x))
		if next < len(criteria) && points[next] == k {
			if criteria[next](s[:k:k]) {
				break
			}
			next++
		}
	}
	return s, nil
}

func checkPoints(points []int, mechanisms, criteria int) error {
	if len(points) == 0 {
		return errors.New("there are no stopping points, must be at least one")
	}
	previous := 0
	for i, k := range points {
		if k <= previous {
			return fmt.Errorf("stopping point %d is %d, must be more than %d", i+1, k, previous)
		}
		previous = k
	}
	if previous != mechanisms {
		return fmt.Errorf("the last stopping point is %d, must be %d, the number of mechanisms", previous, mechanisms)
	}
	if criteria != len(points)-1 {
		return fmt.Errorf("there are %d criteria, must be %d, one for each stopping point but the last",
			criteria, len(points)-1)
	}
	return nil
}
