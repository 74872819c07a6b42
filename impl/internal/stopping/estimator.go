package stopping

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/certify/noise"
	"checkrr/impl/loss"
)

// estimator is a pipeline in plain float64, prepared once and then evaluated for many charges. Its
// values are near the true ones and no bounds: what is found with it is certified by [Solve]. Where ctx ends, a pass
// ends soon, and what it returns means nothing: who started a search looks at ctx before it uses what was found.
//
// Its nodes are all losses if there is a lattice or there are few of them, and otherwise a grid.
// Charges are given as discounts: how much less than the largest loss is charged.
type estimator struct {
	plds    []*pld
	places  []*nodes    // before the responses, and behind the last one
	targets [][][]int32 // per response, where nodes have no unit: per atom, the node to which each node leads
	stops   []int       // per place, the stop there, or −1
	scale   *scale      // nil where nodes have no unit
	isGrid  bool
	isNoisy bool      // whether there is no largest loss: at a stop, that of the first node is taken for it
	tilts   []float64 // per response, how values behind it fall from node to node; nil if no transforms are needed
	known   map[stepKey]*convolution
	behind  []int // per stop, its place
	spare   [4][]float64
}

// Limits of an estimator.
const (
	maxWork   = 3e8  // nodes, times atoms, of a lattice; beyond, a grid is taken
	maxListed = 3e4  // losses, times atoms, that are nodes without a unit
	maxUnits  = 1e6  // of a grid
	gridWidth = 1e-4 // about the relative error of a value on a grid
)

// newEstimator prepares a pipeline. P0-masses up to floor may be given up on both sides of a place.
func newEstimator(ctx context.Context, p Problem, floor float64) (*estimator, error) {
	s := &estimator{places: []*nodes{{size: 1}}, stops: []int{-1}}
	cost := math.Inf(1)
	l, ok := newLattice(p)
	if ok {
		cost = latticeCost(p, l)
	}
	switch states := p.states(l); {
	case states <= min(maxListed, cost/10):
	case cost <= maxWork:
		s.scale = &scale{unit: loss.Float64(l.unit)}
	default:
		s.isGrid, s.scale = true, &scale{unit: p.gridUnit(ctx, floor/leastPart, max(floor, 1e-290))}
	}
	if ctx.Err() != nil { // there is no unit
		return nil, ctx.Err()
	}
	cut := max(floor, 1e-290) * 0x1p-30
	if s.isNoisy = p.IsContinuous(); s.isNoisy {
		cut, s.known = max(floor, 1e-290), map[stepKey]*convolution{}
		for _, lambda := range p.slopes(floor / leastPart) {
			s.tilts = append(s.tilts, lambda*s.scale.unit)
		}
	}
	if err := s.prepare(ctx, p, cut); err != nil {
		return nil, err
	}
	s.settle(ctx, floor)
	return s, ctx.Err()
}

// prepare sets the responses.
func (s *estimator) prepare(ctx context.Context, p Problem, cut float64) (err error) {
	unit := 0.0
	if s.scale != nil {
		unit = s.scale.unit
	}
	known := map[certify.Alike]*pld{}
	for _, r := range p.runs {
		k := r.Alike()
		if known[k] == nil {
			if known[k], err = p.pairs[r.Entry].PLD(ctx, r.Count, cut, unit); err != nil {
				return err
			}
			if s.scale != nil {
				known[k] = known[k].onUnits(s.scale.unit, !s.isGrid)
			}
		}
		s.plds = append(s.plds, known[k])
		if s.stops = append(s.stops, -1); r.Stop >= 0 {
			s.stops[len(s.stops)-1] = len(s.behind)
			s.behind = append(s.behind, len(s.plds))
		}
	}
	return nil
}

// settle finds the places: the losses that are likely enough.
func (s *estimator) settle(ctx context.Context, floor float64) {
	mass := []float64{1}
	if s.scale == nil {
		s.places[0].depths = []float64{0}
	} else {
		s.places[0].scale = s.scale
	}
	for k, l := range s.plds {
		if s.ends(ctx, k) {
			return
		}
		here := s.places[k]
		if s.scale == nil {
			s.list(here, l)
			continue
		}
		next := &nodes{scale: s.scale, first: here.first + l.low, size: here.size + l.span}
		s.places = append(s.places, next)
		s.scale.extend(next.size + 2)
		mass = s.stepForward(k, make([]float64, next.size), mass)
		from, to := noise.Trim(mass, floor)
		mass, next.first, next.size = mass[from:to], next.first+from, to-from
		if s.isNoisy && s.stops[k+1] >= 0 {
			next.origin = next.first
		}
	}
}

// list adds the place behind a response, whose nodes are all losses.
func (s *estimator) list(here *nodes, l *pld) {
	var depths []float64
	for _, d := range here.depths {
		for _, e := range l.depth {
			depths = append(depths, d+e)
		}
	}
	slices.Sort(depths)
	const near = 1e-13 // relative to the depth: the same loss
	next := &nodes{depths: slices.CompactFunc(depths, func(b, a float64) bool { return b-a <= near*b })}
	next.size = len(next.depths)
	targets := make([][]int32, len(l.depth))
	for i, e := range l.depth {
		for _, d := range here.depths {
			m, _ := slices.BinarySearch(next.depths, (d+e)*(1-2*near))
			targets[i] = append(targets[i], int32(m))
		}
	}
	s.places, s.targets = append(s.places, next), append(s.targets, targets)
}

// ends reports whether a pass ends before response k, as its context has.
func (s *estimator) ends(ctx context.Context, k int) bool {
	return (k&15 == 0 || s.isGrid) && ctx.Err() != nil
}

// memory returns one of the slices that are used again.
func (s *estimator) memory(i, n int) []float64 {
	if n > cap(s.spare[i]) {
		s.spare[i] = make([]float64, n+n/2)
	}
	return s.spare[i][:n]
}

// rule says who ends at the stops: the first so many nodes. At the last stop it is all that pay.
type rule []int

// backward returns OptDel (ODP-T15) by backward induction, and the worst rule. At every stop it asks for
// the discount, and tells the value of going on, which is nil at the last one.
func (s *estimator) backward(ctx context.Context,
	discount func(stop int, on []float64) float64) (value float64, r rule) {
	end := len(s.plds)
	r = make(rule, len(s.behind))
	next := s.memory(0, s.places[end].size)
	clear(next)
	for k := end - 1; k >= 0; k-- {
		if s.ends(ctx, k) {
			return 0, r
		}
		if i := s.stops[k+1]; i >= 0 {
			on := next
			if k == end-1 {
				on = nil
			}
			pays := s.places[k+1].pays(s.memory(2, len(next)), discount(i, on))
			r[i] = better(next, pays)
		}
		next = s.before(k, s.memory((end-k)%2, s.places[k].size), next)
	}
	return next[0], r
}

// better makes values the larger of themselves and pays, and returns how many of the first these are.
// [fictitiousPlay] makes ties, which rounding may hide: at one node, where ending wins above it, they count,
// and wherever ending pays as much as going on they do not.
func better(values, pays []float64) (n int) {
	const tie = 1e-11
	wins := false
	for m, pay := range pays {
		if v := values[m]; pay >= v*(1-tie) {
			wins = wins || pay > v*(1+tie)
			values[m], n = max(pay, v), m+1
		}
	}
	if !wins {
		return 0
	}
	return n
}

// before returns the values before response k. Behind it, above the nodes they rise as if all ended soon,
// and below them they are that of the last one.
func (s *estimator) before(k int, dst, next []float64) []float64 {
	l := s.plds[k]
	if s.scale == nil {
		for m := range dst {
			dst[m] = l.infinity
		}
		for i, target := range s.targets[k] {
			for m, to := range target {
				dst[m] += l.mass[i] * next[to]
			}
		}
		return dst
	}
	from, to := s.places[k], s.places[k+1]
	at := to.first - from.first - l.low
	src := padded(s.memory(3, len(dst)+l.span), next, at, 0, next[len(next)-1])
	for m := range min(at, len(src)) {
		src[m] = 1 - (1-next[0])*s.scale.falls[at-m]
	}
	s.gather(stepKey{l, len(src), false, 0}, len(s.plds)-1, dst, src)
	return dst
}

// padded copies v to dst from index at on, which may be negative, with before and behind around it.
func padded(dst, v []float64, at int, before, behind float64) []float64 {
	n := len(dst)
	from, to := min(max(0, at), n), min(max(0, at+len(v)), n)
	for m := range dst[:from] {
		dst[m] = before
	}
	if from < to {
		copy(dst[from:to], v[from-at:])
	}
	for m := max(from, to); m < n; m++ {
		dst[m] = behind
	}
	return dst
}

// stepForward returns the masses behind response k, on the nodes of the place there.
func (s *estimator) stepForward(k int, dst, mass []float64) []float64 {
	l := s.plds[k]
	if s.scale == nil {
		clear(dst)
		for i, target := range s.targets[k] {
			for m, to := range target {
				dst[to] += l.mass[i] * mass[m]
			}
		}
		return dst
	}
	from, to := s.places[k], s.places[k+1]
	at := from.first - to.first + l.low + l.span
	if len(mass) < len(l.mass)/2 && !s.isTransformed(k, len(dst), len(dst)+l.span, len(mass)) {
		clear(dst)
		for m, x := range slices.Backward(mass) {
			l.addScaled(dst, from.first+m+l.low-to.first, x)
		}
		return dst
	}
	src := padded(s.memory(3, len(dst)+l.span), mass, at, 0, 0)
	s.gather(stepKey{l, len(src), true, 0}, k, dst, src)
	return dst
}

// stepKey says what a convolution is for.
type stepKey struct {
	law       *pld
	size      int
	isForward bool
	weaker    int // the power of 4 by which its tilt is less
}

// isTransformed reports whether so many products of a response are to be made by transforms. If these cannot be
// tilted enough, they lose what is far up, and are only taken where products would be very many.
func (s *estimator) isTransformed(tilt, dst, src, atoms int) bool {
	const digits, most = 30, 3e8
	if s.tilts == nil || !worthTransform(dst, src, atoms) {
		return false
	}
	return s.tilts[tilt]*float64(src) < mostTilt+digits || float64(dst)*float64(atoms) > most
}

// weakest is by which power of 4 a tilt is made less at most.
const weakest = 4

// gather makes one response, of which the law is tilted as that of another one, by transforms where that is quicker.
// Values are largest at the first nodes: what a tilt loses there, weaker ones find.
func (s *estimator) gather(key stepKey, tilt int, dst, src []float64) {
	l, shift, infinity, sign := key.law, key.law.offset, key.law.infinity, 1.0
	if key.isForward {
		shift, infinity, sign = l.reversed, 0, -1
	}
	if !s.isTransformed(tilt, len(dst), len(src), len(l.mass)) {
		_ = noise.Gather(context.Background(), dst, src, shift, l.mass, infinity)
		return
	}
	key.size = 1 << bits.Len(uint(len(src)-1))
	for lost := len(dst); lost > 0 && key.weaker <= weakest; key.weaker++ {
		if s.known[key] == nil {
			s.known[key] = newConvolution(len(src), shift, l.mass, sign*math.Ldexp(s.tilts[tilt], -2*key.weaker))
		}
		if lost = s.known[key].apply(dst[:lost], src, infinity); key.isForward {
			return
		}
	}
}

// forward calls yield at every stop with the runs that come there, some of which end there under the
// rule; nobody does if it is nil.
func (s *estimator) forward(ctx context.Context, r rule, yield func(stop int, a *arrival)) {
	mass, only, alive := append(s.memory(0, 1)[:0], 1), 0.0, 1.0
	for k, l := range s.plds {
		if s.ends(ctx, k) {
			return
		}
		only += l.infinity * alive
		alive *= l.finite
		mass = s.stepForward(k, s.memory(1-k%2, s.places[k+1].size), mass)
		if i := s.stops[k+1]; i >= 0 {
			yield(i, &arrival{s.places[k+1], mass, only})
			if r != nil && r[i] > 0 {
				for m := range r[i] {
					alive -= mass[m]
					mass[m] = 0
				}
				alive, only = max(0, alive), 0
			}
		}
	}
}
