package certify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// stopPayoff is what a stop pays: nothing below node first.
type stopPayoff struct {
	top    sum // loss of node 0
	charge sum
	first  int  // the first node above the charge; 1 if there is none
	excess sum  // its loss, less the charge
	isNode bool // whether the charge is the loss of the node before it
	pays   bool // whether any loss, or an output impossible under P1, pays
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
		if r.Entry != entry {
			if n > 0 {
				top = top.plus(n, eps)
			}
			eps, entry, n = p.Mechanisms[r.Entry].largest(l.frame), r.Entry, 0
			leaks = leaks || p.Mechanisms[r.Entry].leaks()
		}
		if n += r.Count; p.Mechanisms[r.Entry].IsContinuous() {
			here := l.frame.of(Number{Value: l.nodeZero[k]})
			top, n = top.plus(1, here), 0
			if most := p.Mechanisms[r.Entry].numbers(); most != nil {
				beyond = beyond.plus(-1, here).plus(r.Count, l.frame.of(most[0]))
			}
		}
		if r.Stop >= 0 {
			s := &stopPayoff{top: top.plus(n, eps), charge: l.frame.of(p.Stops[r.Stop].Eps), pays: leaks}
			if err := l.setPay(s, beyond); err != nil {
				return fmt.Errorf("stop %d: %w", r.Stop+1, err)
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
	return num.Floor(l.frame.enclose(l.payoffs[i].top.plus(node, l.unit), 128).Lo)
}

// node returns the first node of at least a loss at stop i, or one that is less than 2^-40 units below it: a
// loss that was rounded down is that of its node again.
func (l *lattice) node(i int, loss float64) int {
	if math.IsInf(loss, 1) {
		return never
	}
	const prec = 256
	above := new(big.Float).SetPrec(prec).SetFloat64(loss)
	above.Sub(above, l.frame.enclose(l.payoffs[i].top, prec).Lo)
	above.Quo(above, l.frame.enclose(l.unit, prec).Lo)
	above.Sub(above, big.NewFloat(0x1p-40))
	if about := num.ToFloat(above); !(about < never && about > -MaxNode) {
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
	start, complements := num.OneMinusExp(l.frame.float(s.excess.plus(first-s.first, l.unit))), l.oneMinusExp[:len(pay)]
	for j, fall := range l.falls[:len(pay)] {
		pay[j] = start*fall + complements[j]
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
		start = 1 - num.OneMinusExp(l.frame.float(excess))
	} else if !s.isNode || first < s.first-1 {
		start = 1 / (1 - num.OneMinusExp(l.frame.float(sum{nats: new(big.Int)}.plus(-1, excess))))
	}
	for j, fall := range l.falls[:len(y)] {
		y[j] = start * fall
	}
	return first, y
}

// steps returns how often losses are put on nodes: once a run, but for noise.
func (l *lattice) steps() (n int) {
	for k, r := range l.runs {
		if n++; l.plds[k].isDense {
			n += r.Count - 1
		}
	}
	return n
}

// payMemory returns memory for n payments; the tables are at least that long.
func (l *lattice) payMemory(n int) []float64 {
	if n > len(l.falls) {
		l.falls, l.oneMinusExp = make([]float64, n+n/2), make([]float64, n+n/2)
		unit := l.frame.float(l.unit)
		for j := range l.oneMinusExp {
			l.oneMinusExp[j] = num.OneMinusExp(float64(j) * unit)
			l.falls[j] = 1 - l.oneMinusExp[j]
		}
	}
	l.pay = resized(l.pay, n)
	return l.pay
}
