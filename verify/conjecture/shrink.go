package conjecture

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"checkrr/impl"
	"checkrr/impl/loss"
)

// simplest makes a pipeline that refutes an inequality small: until no stop, no mechanism and no kind of them can go,
// and numbers have few digits. Before that it looks for numbers that refute it by more, so that more can go. What is
// left is computed more exactly.
func (s Search) simplest(ctx context.Context, q *Inequality, r *rand.Rand, f Finding) (Finding, error) {
	// A long pipeline takes long for each that is tried: then it stays longer than it must be.
	const most, tries = 2000, 100
	k := &shrinker{Search: s, Finding: f, q: q, leave: -1, left: most}
	for {
		if err := k.dropAll(ctx); err != nil {
			return k.Finding, err
		}
		before := k.Finding
		if err := k.widen(ctx, r, tries); err != nil {
			return before, err
		}
		stops, mechanisms := len(k.Pipeline.Stops), end(k.Pipeline)
		if err := k.dropAll(ctx); err != nil {
			return k.Finding, err
		}
		if len(k.Pipeline.Stops) == stops && end(k.Pipeline) == mechanisms {
			break
		}
	}
	if err := k.round(ctx); err != nil {
		return k.Finding, err
	}
	err := k.dropAll(ctx)
	if err != nil {
		return k.Finding, err
	}
	sides, isDefined, err := q.Of(ctx, k.Pipeline, finalWidth)
	if err == nil && isDefined && q.Refutes(sides) {
		k.Sides = sides
	}
	return k.Finding, err
}

// shrinker holds a pipeline that refutes an inequality.
type shrinker struct {
	Search
	Finding
	q     *Inequality
	left  int     // how many pipelines are tried at most
	leave float64 // by how much the sides are to be apart at least: see Sides.excess
}

// take takes a pipeline that refutes the inequality, too. Where that is open, it looks more closely.
func (k *shrinker) take(ctx context.Context, p impl.Pipeline) (isTaken bool, err error) {
	if p.Validate() != nil || !k.contains(p) || k.left <= 0 {
		return false, nil
	}
	k.left--
	for _, width := range []float64{searchWidth, finalWidth} {
		sides, isDefined, err := k.q.Of(ctx, p, width)
		if err != nil || isDefined && sides.Left.Upper.Cmp(sides.Right.Lower) < 0 {
			return false, err
		}
		if isDefined && k.q.Refutes(sides) && (k.areZero() || !sides.areZero()) {
			if sides.excess() < k.leave {
				return false, nil
			}
			k.Pipeline, k.Sides = p, sides
			return true, nil
		}
	}
	return false, nil
}

// dropAll leaves out stops and mechanisms until none can go, the boldest first.
func (k *shrinker) dropAll(ctx context.Context) error {
	for isSmaller := true; isSmaller; {
		isSmaller = false
		for _, p := range bold(k.Pipeline) {
			isTaken, err := k.take(ctx, p)
			if err != nil {
				return err
			}
			if isSmaller = isTaken; isSmaller {
				break
			}
		}
		for _, drop := range []func(context.Context) (bool, error){k.dropStops, k.dropMechanisms} {
			if isSmaller {
				break
			}
			var err error
			if isSmaller, err = drop(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// dropStops leaves out stops one by one, first those without which the sides stay furthest apart.
func (k *shrinker) dropStops(ctx context.Context) (isSmaller bool, err error) {
	type stop struct {
		after int
		rest  float64
	}
	var all []stop
	for i, x := range k.Pipeline.Stops {
		p, rest := without(k.Pipeline, i), math.Inf(-1)
		if p.Validate() == nil && k.contains(p) && k.left > 0 {
			k.left--
			sides, isDefined, err := k.q.Of(ctx, p, searchWidth)
			if err != nil {
				return false, err
			}
			if isDefined {
				rest = sides.excess()
			}
		}
		all = append(all, stop{x.After, rest})
	}
	slices.SortStableFunc(all, func(x, y stop) int { return cmp.Compare(y.rest, x.rest) })
	for _, x := range all {
		i := slices.IndexFunc(k.Pipeline.Stops, func(s impl.Stop) bool { return s.After == x.after })
		isTaken, err := k.take(ctx, without(k.Pipeline, i))
		if err != nil {
			return isSmaller, err
		}
		isSmaller = isSmaller || isTaken
	}
	return isSmaller, nil
}

// dropMechanisms leaves out mechanisms of a kind before a stop, as many as can go at once.
func (k *shrinker) dropMechanisms(ctx context.Context) (isSmaller bool, err error) {
	for i := len(k.Pipeline.Stops) - 1; i >= 0; i-- {
		for kind := len(k.Pipeline.Mechanisms) - 1; kind >= 0; kind-- {
			for many := end(k.Pipeline); many >= 1; many /= 2 {
				isTaken, err := k.take(ctx, k.shorter(i, kind, many))
				if err != nil {
					return isSmaller, err
				}
				if isTaken {
					return true, nil
				}
			}
		}
	}
	return false, nil
}

// shorter is without so many mechanisms of a kind between a stop and the one before it; it has no stops if there are
// fewer.
func (k *shrinker) shorter(stop, kind, many int) impl.Pipeline {
	q := copied(k.Pipeline)
	from, first := 0, 0 // where the gap and the kind begin
	if stop > 0 {
		from = q.Stops[stop-1].After
	}
	for _, m := range q.Mechanisms[:kind] {
		first += m.Count
	}
	if min(q.Stops[stop].After, first+q.Mechanisms[kind].Count)-max(from, first) < many {
		return impl.Pipeline{}
	}
	q.Mechanisms[kind].Count -= many
	for i := stop; i < len(q.Stops); i++ {
		q.Stops[i].After -= many
	}
	return some(q)
}

// widen looks near the pipeline for one of its size for which the sides are further apart.
func (k *shrinker) widen(ctx context.Context, r *rand.Rand, tries int) error {
	if k.areZero() {
		return nil
	}
	s := k.Search
	s.Progress, s.Stops[1], s.Mechanisms[1] = nil, len(k.Pipeline.Stops), end(k.Pipeline)
	c := &climber{Search: s, q: k.q, r: r, goesOn: true}
	x, err := c.ascend(ctx, candidate{Pipeline: k.Pipeline, Sides: k.Sides}, min(tries, k.left))
	k.left -= c.Tried
	if err == nil && k.q.Refutes(x.Sides) {
		k.Pipeline, k.Sides = x.Pipeline, x.Sides
	}
	return err
}

// round gives each number as few digits as leave the sides half as far apart as they are.
func (k *shrinker) round(ctx context.Context) error {
	k.leave = k.excess() / 2
	defer func() { k.leave = -1 }()
	few := func(x *big.Rat, put func(x *big.Rat) impl.Pipeline) error {
		v, _ := x.Float64()
		for digits := range 6 {
			r := new(big.Rat)
			if digits > 0 {
				r = rounded(v, digits)
			}
			if r.Cmp(x) == 0 {
				break
			}
			if isTaken, err := k.take(ctx, put(r)); isTaken || err != nil {
				return err
			}
		}
		return nil
	}
	for g := range k.Pipeline.Mechanisms {
		err := few(k.Pipeline.Mechanisms[g].Eps.Value, func(x *big.Rat) impl.Pipeline {
			p := copied(k.Pipeline)
			p.Mechanisms[g].Eps = loss.Nats(x)
			return p
		})
		if err != nil {
			return err
		}
	}
	for i := range k.Pipeline.Stops {
		err := few(k.Pipeline.Stops[i].Eps.Value, func(x *big.Rat) impl.Pipeline { return k.charged(k.Pipeline, i, x) })
		if err != nil {
			return err
		}
	}
	return nil
}

// bold are pipelines that are much smaller: with every second stop, with mechanisms of one kind, or with a part of
// them.
func bold(p impl.Pipeline) (all []impl.Pipeline) {
	n := len(p.Stops)
	for less := n / 2; less > 1; less /= 2 {
		q := impl.Pipeline{Mechanisms: p.Mechanisms}
		for i := range n - less {
			q.Stops = append(q.Stops, p.Stops[(i+1)*n/(n-less)-1])
		}
		all = append(all, q)
	}
	if len(p.Mechanisms) == 2 {
		for _, m := range p.Mechanisms {
			m.Count = end(p)
			all = append(all, impl.Pipeline{Mechanisms: []impl.Mechanism{m}, Stops: p.Stops})
		}
	}
	for _, part := range []float64{0.5, 0.75, 0.9} {
		if q := fewer(p, part); end(q) < end(p) {
			all = append(all, q)
		}
	}
	return all
}

// fewer has a part of the mechanisms, with charges that are as many standard deviations above the mean loss.
func fewer(p impl.Pipeline, part float64) (q impl.Pipeline) {
	length := 0
	for _, m := range p.Mechanisms {
		m.Count = max(1, int(part*float64(m.Count)))
		length += m.Count
		q.Mechanisms = append(q.Mechanisms, m)
	}
	for i, s := range p.Stops {
		q.Stops = append(q.Stops, carried(p, i, q, s.After*length/end(p)))
	}
	return q
}
