package impl

import (
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// lattice writes every ε as a multiple of one number, so that all losses that a
// pipeline can reach are nodes of one [axis] and nothing is approximated.
type lattice struct {
	half     loss.Epsilon
	multiple []int // multiple[j]·half = ε of mechanism entry j
}

// maxNodes is the largest number of nodes of a lattice: 200 MB of float64.
const maxNodes = 25_000_000

// newLattice returns the coarsest lattice of the pipeline, or false if there is
// none (ε and e^ε mixed, independent logarithms) or none with at most maxNodes nodes.
func newLattice(p Pipeline) (*lattice, bool) {
	unit, ok := commonUnit(p.Mechanisms)
	if !ok {
		return nil, false
	}
	l := &lattice{half: unit}
	nodes := 0
	known := map[*big.Rat]int{}
	for _, m := range p.Mechanisms {
		n, ok := known[m.Eps.Rat()]
		if !ok {
			if n, ok = ratio(m.Eps, unit); !ok {
				return nil, false
			}
			known[m.Eps.Rat()] = n
		}
		if n > 0 && m.Count > (maxNodes-nodes)/n {
			return nil, false
		}
		nodes += n * m.Count
		l.multiple = append(l.multiple, n)
	}
	return l, true
}

// commonUnit returns the largest number of which every ε is an integer multiple.
func commonUnit(ms []Mechanism) (unit loss.Epsilon, ok bool) {
	for _, m := range ms {
		switch {
		case m.Eps.IsZero():
		case unit.Rat() == nil:
			unit = m.Eps
		case unit.IsExp() != m.Eps.IsExp():
			return unit, false
		case unit.Rat().Cmp(m.Eps.Rat()) == 0:
		case unit.IsExp():
			gcd, ok := multiplicativeGCD(unit.Rat(), m.Eps.Rat())
			if !ok {
				return unit, false
			}
			unit = loss.Exp(gcd)
		default:
			unit = loss.Nats(rationalGCD(unit.Rat(), m.Eps.Rat()))
		}
	}
	if unit.Rat() == nil { // every ε is 0
		unit = loss.Nats(rational.One)
	}
	return unit, true
}

// rationalGCD returns the largest rational of which x and y are integer multiples.
func rationalGCD(x, y *big.Rat) *big.Rat {
	a := new(big.Int).Mul(x.Num(), y.Denom())
	b := new(big.Int).Mul(y.Num(), x.Denom())
	g := a.GCD(nil, nil, a, b)
	return new(big.Rat).SetFrac(g, b.Mul(x.Denom(), y.Denom()))
}

// multiplicativeGCD returns the largest r > 1 of which x and y are integer powers,
// by Euclid's algorithm on their logarithms. If there is none the remainders grow
// in size, which ends the search.
func multiplicativeGCD(x, y *big.Rat) (*big.Rat, bool) {
	limit := 4 * (x.Num().BitLen() + y.Num().BitLen() + 16)
	x, y = new(big.Rat).Set(x), new(big.Rat).Set(y)
	for range 2000 {
		switch x.Cmp(y) {
		case 0:
			return x, true
		case -1:
			x, y = y, x
		}
		x.Quo(x, y)
		if x.Num().BitLen() > limit {
			break
		}
	}
	return nil, false
}

// ratio returns e/unit, an integer if it is at most maxNodes.
func ratio(e, unit loss.Epsilon) (n int, ok bool) {
	if e.IsZero() {
		return 0, true
	}
	if !e.IsExp() {
		q := new(big.Rat).Quo(e.Rat(), unit.Rat())
		return int(q.Num().Int64()), q.IsInt() && q.Num().IsInt64() && q.Num().Int64() <= maxNodes
	}
	for power := new(big.Rat).Set(unit.Rat()); n < 2000; power.Mul(power, unit.Rat()) {
		n++
		if power.Cmp(e.Rat()) == 0 {
			return n, true
		}
	}
	return 0, false
}
