package certify

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// pld is the privacy loss distribution of a run, on nodes.
type pld struct {
	low, high int          // the nodes at which the atoms are, from low to high
	offset    []int        // node less low, ascending
	mass      [2][]float64 // P0-masses; P1-masses times e^loss of the node
	infinity  float64      // P0-mass of outputs that are impossible under P1
	truncated float64      // P0-mass that was left out
	isSplit   bool         // whether losses are not on nodes
	isDense   bool         // whether there is an atom on every node
	most      float64      // at least the sum of all P0-masses
	rounds    float64      // on the way of a term
	below     float64      // of its upper atoms alone, at least the P0-mass of the others
	parts     map[int]*pld // so many upper atoms alone
	reversed  []int        // high less node, ascending
	backward  [2][]float64 // masses in that order
	turn      *turn        // nil if there is a law
}

// newPLD returns the law that the mechanisms m of a run have together, on nodes.
func (l *lattice) newPLD(ctx context.Context, m Mechanism, run int, atoms *law) (*pld, error) {
	if x := m.Continuous(); x != nil {
		return l.densePLD(ctx, x, run)
	}
	if m.IsRange {
		return l.rangePLD(m)
	}
	spare := num.ToFloat(atoms.truncated)
	s := &pld{infinity: num.ToFloat(atoms.infinity), truncated: spare, rounds: 2 + spare*0x1p53}
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
	mass := num.ToFloat(x)
	if mass < num.Tiny[1] {
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
	s.low, s.high = s.offset[0], s.offset[n-1]
	for j := range s.offset {
		s.offset[j] -= s.low
	}
	s.reversed = s.offset // if there is an atom on every node
	if !s.isDense {
		s.reversed = slices.Clone(s.offset)
		slices.Reverse(s.reversed)
		for j, node := range s.reversed {
			s.reversed[j] = s.high - s.low - node
		}
	}
	for j, mass := range s.mass {
		if j == 1 && &mass[0] == &s.mass[0][0] {
			s.backward[1] = s.backward[0]
			break
		}
		s.backward[j] = slices.Clone(mass)
		slices.Reverse(s.backward[j])
	}
	if s.most == 0 {
		s.most = num.Dot(s.mass[0], nil) * (1 + 0x1p-30)
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
		return 4 + 2*num.OneMinusExpRounds*min(1, l.frame.float(l.unit))
	}
	return num.OneMinusExpRounds
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
		above, err := l.frame.sign(l.unit.plus(-1, l.frame.of(Number{Value: num.One})))
		if err != nil {
			return err
		}
		if above > 0 {
			return errors.New("the unit is above 1, and this loss no multiple of it")
		}
	}
	x, y := num.OneMinusExp(l.frame.float(l.unit.plus(-1, over))), num.OneMinusExp(l.frame.float(over))
	x = max(x, num.Tiny[1]) // a loss so little larger may be taken for it where values may rise
	switch {
	case l.estimate == pessimistic:
		s.add(-q-1, mass*((1-x)*y/num.OneMinusExp(unit)), 1)
		s.add(-q, mass*(x/num.OneMinusExp(unit)), 1)
	case x < y:
		s.add(-q-1, mass, 1-x)
	default:
		s.add(-q, mass, 1/(1-y))
	}
	return nil
}

// terms returns how many products a number of a pass has.
func (s *pld) terms() int {
	if s.turn != nil {
		return 2 * len(s.turn.up)
	}
	return len(s.offset)
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

// from returns s with its upper half, or fourth, … of atoms alone, if all others are below a node.
func (s *pld) from(node int) *pld {
	const least = 64 // atoms
	n := len(s.offset)
	for n/2 >= least && s.high-n/2 < node {
		n /= 2
	}
	if n == len(s.offset) {
		return s
	}
	if s.parts[n] == nil {
		if s.parts == nil {
			s.parts = map[int]*pld{}
		}
		s.parts[n] = s.upper(n)
	}
	return s.parts[n]
}

// upper returns s, which is dense, with its n upper atoms alone.
func (s *pld) upper(n int) *pld {
	x, omitted := *s, len(s.offset)-n
	x.low, x.offset, x.reversed = s.low+omitted, s.offset[:n], s.reversed[:n]
	for j := range x.mass {
		x.mass[j], x.backward[j] = s.mass[j][omitted:], s.backward[j][:n]
	}
	x.below = num.Dot(s.mass[0][:omitted], nil) * (1 + 0x1p-30)
	return &x
}
