package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"
)

// Window is the nodes from Lo to Hi.
type Window struct{ Lo, Hi int }

// Lattice is the losses on which a pass works. Behind every run of equal mechanisms without a stop
// inside, node 0 is the largest loss that can be reached there, and node −m is m·Unit below it.
type Lattice struct {
	Unit    Number
	Windows []Window // behind every run; nil if they are to be found
}

// estimate says how a loss between two nodes is put on nodes: so that values rise, or so that they fall.
type estimate int

const (
	pessimistic estimate = iota // split between both: every value rises
	optimistic                  // on the nearer one, where it can no longer be told from others: every value falls
)

// lattice is a problem, prepared for passes in float64.
type lattice struct {
	frame     *frame
	unit      sum
	estimate  estimate
	isExact   bool // whether every loss is a node
	runs      []run
	nodeZero  []*big.Rat // of the runs, where there is noise
	cut       float64
	tilts     []float64 // of the runs, per unit of loss
	steepness int       // how many more each has
	isDivided bool      // whether laws are found in two parts wherever that is possible
	plds      []*pld    // of the runs
	windows   []Window
	worth     []float64     // of the lowest node of the windows, at most; nil if not known
	useful    []Window      // less what is worth next to nothing
	payoffs   []*stopPayoff // per stop
	rounds    float64       // of the steps, on the way of one term
	work      float64       // operations so far
	widest    int           // nodes of a window
	filters   map[filterKey]*filter
	mu        sync.Mutex // of filters
	falls     []float64  // e^−(j·unit)
	rises     []float64  // 1 − e^−(j·unit)

	progress func(done float64)
	done     int // runs, of three passes

	pay []float64 // memory of payments
}

// pld is the privacy loss distribution of a run, on nodes.
type pld struct {
	low, high int          // the nodes at which the atoms are, from low to high
	offset    []int        // node less low, ascending
	mass      [2][]float64 // P0-masses; P1-masses times e^loss of the node
	infinity  float64      // P0-mass of outputs that are impossible under P1
	truncated float64      // P0-mass that was left out
	deficit   float64      // P0-mass that there may be too much, in a law for lower ends
	isSplit   bool         // whether losses are not on nodes
	isDense   bool         // whether there is an atom on every node
	most      float64      // at least the sum of all P0-masses
	rounds    float64      // on the way of a term
	times     int          // how often it is applied: more than once where the mechanisms of a run go one by one
	below     float64      // of its upper atoms alone, at least the P0-mass of the others
	parts     map[int]*pld // so many upper atoms alone
	reversed  []int        // high less node, ascending
	backward  [2][]float64 // masses in that order
}

// stopPayoff is what a stop pays: nothing below node first.
type stopPayoff struct {
	top    sum // loss of node 0
	charge sum
	first  int  // the first node above the charge; 1 if there is none
	excess sum  // its loss, less the charge
	isNode bool // whether the charge is the loss of the node before it
	pays   bool // whether any loss, or an output impossible under P1, pays
}

// A unit and multiples of it are between these, so that float64 has them.
const (
	leastUnit = 1e-280
	mostUnit  = 1e280
)

// newLattice prepares p, whose runs have the laws.
func newLattice(ctx context.Context, p Problem, laws []*law, hints Hints, h Lattice, k estimate) (*lattice, error) {
	if !h.Unit.isValid() || h.Unit.isZero() {
		return nil, errors.New("the unit must be more than 0")
	}
	f, err := newFrame(ctx, append(append(p.numbers(), h.Unit), numbersOf(hints.NodeZero)...))
	if err != nil {
		return nil, err
	}
	l := &lattice{frame: f, estimate: k, isExact: true, runs: p.runs(), nodeZero: hints.NodeZero, cut: hints.Cut, tilts: hints.Tilts, steepness: hints.Steeper, isDivided: hints.Divided, windows: slices.Clone(h.Windows)}
	if l.tilts == nil {
		l.tilts = make([]float64, len(l.runs))
	}
	l.unit = l.frame.of(h.Unit)
	if unit := l.frame.float(l.unit); !(unit > leastUnit && unit < mostUnit) {
		return nil, fmt.Errorf("the unit must be more than %g and less than %g", leastUnit, mostUnit)
	}
	for _, do := range []func() error{l.checkWindows, func() error { return l.prepare(ctx, p, laws) }, l.measure, func() error { return l.findPayoffs(ctx, p) }} {
		if err := do(); err != nil {
			return nil, err
		}
	}
	return l, ctx.Err() // if it ended, losses may be taken for others
}

// checkWindows checks that windows are some.
func (l *lattice) checkWindows() error {
	if l.windows != nil && len(l.windows) != len(l.runs) {
		return fmt.Errorf("there are %d windows, must be %d, one behind every run", len(l.windows), len(l.runs))
	}
	for k, w := range l.windows {
		if !(-MaxNode < w.Lo && w.Lo <= w.Hi && w.Hi <= 0 && w.size() <= maxWindow) {
			return fmt.Errorf("window %d is [%d, %d], must be above -%d, at most 0, and have 1 to %d nodes", k+1, w.Lo, w.Hi, MaxNode, maxWindow)
		}
	}
	return nil
}

// measure checks that passes between the windows fit into memory.
func (l *lattice) measure() error {
	for k, w := range l.windows {
		if _, behind := l.needed(k); behind.with(w).size() > maxWindow {
			return fmt.Errorf("window %d: %w", k+1, ErrWindow)
		}
		l.widest = max(l.widest, w.size())
	}
	return nil
}

// prepare puts the laws on nodes.
func (l *lattice) prepare(ctx context.Context, p Problem, laws []*law) error {
	known := map[*law]*pld{}
	low, nodes := 0, 0
	for k, r := range l.runs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		s := known[laws[k]]
		if s == nil {
			var err error
			if s, err = l.newPLD(ctx, p.Mechanisms[r.entry], k, laws[k]); err != nil {
				return fmt.Errorf("mechanism %d: %w", r.entry+1, err)
			}
			known[laws[k]] = s
			if nodes += len(s.offset); s.isDense && nodes > maxWindow {
				return ErrWindow
			}
		}
		if low += s.times * s.low; low <= -MaxNode {
			return ErrUnit
		}
		if l.windows != nil { // there is nothing below low
			l.windows[k] = Window{max(l.windows[k].Lo, low), max(l.windows[k].Hi, low)}
		}
		l.plds = append(l.plds, s)
		l.rounds += s.rounds * float64(s.times)
	}
	return nil
}

// ErrUnit is the error of a lattice on which losses would be too many nodes away from 0.
var ErrUnit = errors.New("the unit is too small for these losses")

// newPLD returns the law that the mechanisms m of a run have together, on nodes.
func (l *lattice) newPLD(ctx context.Context, m Mechanism, run int, atoms *law) (*pld, error) {
	if m.isDense() {
		return l.densePLD(ctx, m, run)
	}
	spare := toFloat(atoms.truncated)
	s := &pld{infinity: toFloat(atoms.infinity), truncated: spare, rounds: 2 + spare*0x1p53}
	if m.Law != nil {
		return l.pairPLD(s, m.pair(), atoms)
	}
	double := l.frame.of(m.Eps)
	double = double.plus(1, double)
	q, rest, err := l.frame.divide(double, l.unit)
	isNode, err2 := l.isZero(rest)
	if err = errors.Join(err, err2); err != nil {
		return nil, err
	}
	deepest := atoms.first + len(atoms.mass) - 1
	if isNode && deepest > MaxNode/max(q, 1) {
		return nil, ErrUnit
	}
	for n := deepest; n >= atoms.first; n-- { // how many mechanisms lose −ε
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		mass := l.massOf(s, atoms.mass[n-atoms.first])
		if isNode {
			s.add(-q*n, mass, 1)
		} else if err := l.between(s, sum{nats: new(big.Int)}.plus(n, double), mass); err != nil {
			return nil, err
		}
	}
	return l.finish(s), nil
}

// massOf returns the mass of an atom as float64 has it.
func (l *lattice) massOf(s *pld, x *big.Float) float64 {
	mass := toFloat(x)
	if mass < tiny[1] {
		s.truncated += 0x1p-1073 // of it, at most, float64 has not
		if l.estimate == optimistic {
			mass = 0 // which the runs are that never end, if their P1-masses are 0, too
		}
	}
	return mass
}

// pairPLD is newPLD of a mechanism with a law.
func (l *lattice) pairPLD(s *pld, x pair, atoms *law) (*pld, error) {
	losses := x.losses(l.frame)
	for i := len(losses) - 1; i >= 0; i-- { // by rising loss
		if err := l.between(s, losses[0].plus(-1, losses[i]), l.massOf(s, atoms.mass[i])); err != nil {
			return nil, err
		}
	}
	return l.finish(s), nil
}

// finish replaces nodes by offsets.
func (l *lattice) finish(s *pld) *pld {
	n := len(s.offset)
	s.times = max(1, s.times)
	s.low, s.high = s.offset[0], s.offset[n-1]
	s.reversed, s.backward = make([]int, 0, n), [2][]float64{make([]float64, 0, n), make([]float64, 0, n)}
	for j := n - 1; j >= 0; j-- {
		s.reversed = append(s.reversed, s.high-s.offset[j])
		for k := range s.mass {
			s.backward[k] = append(s.backward[k], s.mass[k][j])
		}
	}
	for j := range s.offset {
		s.offset[j] -= s.low
	}
	if s.most == 0 {
		s.most = dot(s.mass[0], nil) * (1 + 0x1p-30)
	}
	if s.rounds += float64(n) + 10; s.isSplit {
		s.rounds += l.splitRounds()
	}
	return s
}

// splitRounds bounds the roundings of parts of atoms between nodes. Where they are merged it is those
// of 1 − x and 1/(1 − y) for x and y that are at most the unit, and below 1/2.
func (l *lattice) splitRounds() float64 {
	if l.estimate == optimistic {
		return 4 + 2*oneMinusExpRounds*min(1, l.frame.float(l.unit))
	}
	return oneMinusExpRounds
}

func (l *lattice) isZero(s sum) (bool, error) {
	if s.nats == nil {
		return false, ErrUnit
	}
	return l.frame.isZero(s), nil
}

// between adds an atom that is so much below node 0, which need not be a node. Split between two
// nodes, P0-mass and P1-mass stay what they are: with p(x) = 1 − e^−x, the part p(t)/p(unit) is on
// the upper one, t above the lower one.
func (l *lattice) between(s *pld, depth sum, mass float64) error {
	q, over, err := l.frame.divide(depth, l.unit) // over is how far it is below node −q
	isNode, err2 := l.isZero(over)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if isNode {
		s.add(-q, mass, 1)
		return nil
	}
	unit := l.frame.float(l.unit)
	s.isSplit = true
	l.isExact = false
	if unit > 0.5 { // a unit that is hardly above 1 is 1 in float64
		above, err := l.frame.sign(l.unit.plus(-1, l.frame.of(Number{Value: one})))
		if err != nil {
			return err
		}
		if above > 0 {
			return errors.New("the unit is above 1, and this loss no multiple of it")
		}
	}
	x, y := oneMinusExp(l.frame.float(l.unit.plus(-1, over))), oneMinusExp(l.frame.float(over))
	x = max(x, tiny[1]) // a loss so little larger may be taken for it where values may rise
	switch {
	case l.estimate == pessimistic:
		s.add(-q-1, mass*((1-x)*y/oneMinusExp(unit)), 1)
		s.add(-q, mass*(x/oneMinusExp(unit)), 1)
	case x < y:
		s.add(-q-1, mass, 1-x)
	default:
		s.add(-q, mass, 1/(1-y))
	}
	return nil
}

// add adds an atom at a node, of which the P1-mass, times e^loss of the node, is tilt times the
// P0-mass. Nodes stay in their order: atoms come in the order of their losses, but rounding may choose the upper node
// for a loss and the lower one for the next.
func (s *pld) add(node int, mass, tilt float64) {
	j := len(s.offset)
	for j > 0 && s.offset[j-1] > node {
		j--
	}
	if j > 0 && s.offset[j-1] == node {
		s.mass[0][j-1] += mass
		s.mass[1][j-1] += mass * tilt
		s.rounds++
		return
	}
	s.offset = slices.Insert(s.offset, j, node)
	s.mass[0] = slices.Insert(s.mass[0], j, mass)
	s.mass[1] = slices.Insert(s.mass[1], j, mass*tilt)
}

// findPayoffs finds out where stops begin to pay.
func (l *lattice) findPayoffs(ctx context.Context, p Problem) error {
	top := sum{nats: new(big.Int)}
	eps, entry, n := sum{}, -1, 0     // top and n mechanisms of the entry, with eps as their largest loss, are behind
	beyond := sum{nats: new(big.Int)} // by how much losses of runs with noise may be above node 0
	leaks := false
	for k, r := range l.runs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.entry != entry {
			if n > 0 {
				top = top.plus(n, eps)
			}
			eps, entry, n = p.Mechanisms[r.entry].largest(l.frame), r.entry, 0
			leaks = leaks || p.Mechanisms[r.entry].leaks()
		}
		if n += r.count; p.Mechanisms[r.entry].isDense() {
			here := l.frame.of(Number{Value: l.nodeZero[k]})
			top, n = top.plus(1, here), 0
			if most := p.Mechanisms[r.entry].numbers(); most != nil {
				beyond = beyond.plus(-1, here).plus(r.count, l.frame.of(most[0]))
			}
		}
		if r.stop >= 0 {
			s := &stopPayoff{top: top.plus(n, eps), charge: l.frame.of(p.Stops[r.stop].Eps), pays: leaks}
			if err := l.setPay(s, beyond); err != nil {
				return fmt.Errorf("stop %d: %w", r.stop+1, err)
			}
			l.payoffs = append(l.payoffs, s)
		}
	}
	return nil
}

// setPay finds from which node on s pays, and whether any loss does.
func (l *lattice) setPay(s *stopPayoff, beyond sum) error {
	s.first, s.excess = 1, l.unit
	depth := s.top.plus(-1, s.charge)
	most, err := l.frame.sign(depth.plus(1, beyond))
	if err != nil {
		return err
	}
	s.pays = s.pays || most > 0
	sign, err := l.frame.sign(depth)
	switch {
	case err != nil:
		return err
	case sign >= 0:
		return l.setPayBelow(s, depth)
	case l.nodeZero != nil: // losses may be above node 0, and the charge, too
		return l.setPayAbove(s, sum{nats: new(big.Int)}.plus(-1, depth))
	}
	return nil
}

// setPayBelow finds the first node that pays where the charge is so much below node 0.
func (l *lattice) setPayBelow(s *stopPayoff, depth sum) error {
	q, rest, err := l.frame.divide(depth, l.unit)
	if err != nil {
		return err
	}
	if s.isNode, err = l.isZero(rest); err != nil {
		return err
	}
	if s.first = -q; s.isNode {
		s.first++
	} else {
		s.excess = rest
	}
	return nil
}

// setPayAbove is setPayBelow for a charge that is above node 0.
func (l *lattice) setPayAbove(s *stopPayoff, height sum) error {
	q, rest, err := l.frame.divide(height, l.unit)
	if errors.Is(err, ErrUnit) || err == nil && q >= MaxNode {
		s.first = MaxNode
		return nil
	}
	if err != nil {
		return err
	}
	s.first = q + 1
	if s.isNode, err = l.isZero(rest); err == nil && !s.isNode {
		s.excess = l.unit.plus(-1, rest)
	}
	return err
}

// firstAtOrAbove returns the first node of at least the charge.
func (s *stopPayoff) firstAtOrAbove() int {
	switch {
	case s.isNode && s.first <= 1:
		return s.first - 1
	case s.first > 0:
		return never
	}
	return s.first
}

// loss returns the loss of a node at stop i, rounded down.
func (l *lattice) loss(i, node int) float64 {
	if node == never {
		return math.Inf(1)
	}
	return floor(l.frame.enclose(l.payoffs[i].top.plus(node, l.unit), 128).lo)
}

// node returns the first node of at least a loss at stop i, or one that is less than 2^-40 units below it: a
// loss that was rounded down is that of its node again.
func (l *lattice) node(i int, loss float64) int {
	if math.IsInf(loss, 1) {
		return never
	}
	const prec = 256
	above := new(big.Float).SetPrec(prec).SetFloat64(loss)
	above.Sub(above, l.frame.enclose(l.payoffs[i].top, prec).lo)
	above.Quo(above, l.frame.enclose(l.unit, prec).lo)
	above.Sub(above, big.NewFloat(0x1p-40))
	if about := toFloat(above); !(about < never && about > -MaxNode) {
		return int(min(max(-MaxNode, about), never))
	}
	n, accuracy := above.Int64()
	if accuracy == big.Below {
		n++
	}
	return int(n)
}

// nodes returns the first node of at least the loss of each stop.
func (l *lattice) nodes(losses []float64) (nodes []int) {
	for i, loss := range losses {
		nodes = append(nodes, l.node(i, loss))
	}
	return nodes
}

// payments returns what stop i pays on the nodes of w, from node first on; nothing before that.
// With p(x) = 1 − e^−x, p(x + y) = p(x)·e^−y + p(y): nothing cancels.
func (l *lattice) payments(i int, w Window) (first int, pay []float64) {
	s := l.payoffs[i]
	if first = max(s.first, w.Lo); first > w.Hi {
		return w.Hi + 1, nil
	}
	pay = l.payMemory(w.Hi - first + 1)
	start, rises := oneMinusExp(l.frame.float(s.excess.plus(first-s.first, l.unit))), l.rises[:len(pay)]
	for j, fall := range l.falls[:len(pay)] {
		pay[j] = start*fall + rises[j]
	}
	return first, pay
}

// odds returns e^(charge − loss) for stop i on the nodes of w, from node first on: a little before
// the charge, as what was merged on a node may have lost more than that.
func (l *lattice) odds(i int, w Window) (first int, y []float64) {
	s, unit := l.payoffs[i], l.frame.float(l.unit)
	most := int(min(0.5/unit, float64(l.steps()/2+1)))
	first = min(max(s.first-most, w.Lo), w.Hi+1)
	y = l.payMemory(w.Hi - first + 1)
	if len(y) == 0 {
		return first, y
	}
	start := 1.0
	excess := s.excess.plus(first-s.first, l.unit)
	if first >= s.first {
		start = 1 - oneMinusExp(l.frame.float(excess))
	} else if !s.isNode || first < s.first-1 {
		start = 1 / (1 - oneMinusExp(l.frame.float(sum{nats: new(big.Int)}.plus(-1, excess))))
	}
	for j, fall := range l.falls[:len(y)] {
		y[j] = start * fall
	}
	return first, y
}

// steps returns how often losses are put on nodes: once a run, but for noise.
func (l *lattice) steps() (n int) {
	for k, r := range l.runs {
		if n += l.plds[k].times; l.plds[k].isDense {
			n += r.count - 1
		}
	}
	return n
}

// payMemory returns memory for n payments; the tables are at least that long.
func (l *lattice) payMemory(n int) []float64 {
	if n > len(l.falls) {
		l.falls, l.rises = make([]float64, n+n/2), make([]float64, n+n/2)
		unit := l.frame.float(l.unit)
		for j := range l.rises {
			l.rises[j] = oneMinusExp(float64(j) * unit)
			l.falls[j] = 1 - l.rises[j]
		}
	}
	l.pay = resized(l.pay, n)
	return l.pay
}
