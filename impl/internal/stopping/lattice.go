package stopping

import (
	"math"
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// lattice writes the distances of all losses of a step as multiples of one number, so that all losses
// that a pipeline can reach are nodes and nothing is approximated.
type lattice struct {
	unit loss.Epsilon
	span []int // span[j]·unit is how far the least loss of step j is below the largest
}

// maxNodes is the largest number of nodes of a lattice: 200 MB of float64.
const maxNodes = 25_000_000

// newLattice returns the coarsest lattice of the problem, or false if there is
// none (ε and e^ε mixed, independent logarithms) or none with at most maxNodes nodes.
func newLattice(p Problem) (*lattice, bool) {
	var depths []loss.Epsilon
	for _, x := range p.pairs {
		depths = append(depths, x.Depths()...)
	}
	unit, multiples, _, ok := CommonUnit(depths)
	if !ok || p.IsOnGrid() {
		return nil, false
	}
	l, nodes := &lattice{unit: unit}, 0
	for i, x := range p.pairs {
		n, span, count := len(x.Depths()), 0, p.Mechanisms[i].Count
		for _, m := range multiples[:n] {
			span = max(span, m)
		}
		multiples = multiples[n:]
		if span > 0 && count > (maxNodes-nodes)/span {
			return nil, false
		}
		nodes += span * count
		l.span = append(l.span, span)
	}
	return l, true
}

// CommonUnit returns the largest number of which all ε are integer multiples, and these; an ε of 0 is the
// multiple 0. If there is none, or one of more than maxNodes, wrong is the first ε that does not fit to those before
// it. Without an ε above 0 it is 1.
func CommonUnit(eps []loss.Epsilon) (unit loss.Epsilon, multiples []int, wrong int, ok bool) {
	for i, e := range eps {
		if e.IsZero() {
			continue
		}
		if unit, ok = gcd(unit, e); !ok {
			return unit, nil, i, false
		}
	}
	for i, e := range eps {
		n := 0
		if !e.IsZero() {
			if n, ok = ratio(e, unit); !ok {
				return unit, nil, i, false
			}
		}
		multiples = append(multiples, n)
	}
	if unit.Rat() == nil {
		unit = loss.Nats(rational.One)
	}
	return unit, multiples, 0, true
}

// gcd returns the largest number of which x and y are integer multiples; y if x is nothing.
func gcd(x, y loss.Epsilon) (loss.Epsilon, bool) {
	switch {
	case x.Rat() == nil:
		return y, true
	case x.Log != y.Log:
		return x, false
	case x.Equal(y):
		return x, true
	case x.Log:
		r, ok := multiplicativeGCD(x.Rat(), y.Rat())
		return loss.Exp(r), ok
	}
	return loss.Nats(rationalGCD(x.Rat(), y.Rat())), true
}

// rationalGCD returns the largest rational of which x and y are integer multiples.
func rationalGCD(x, y *big.Rat) *big.Rat {
	a := new(big.Int).Mul(x.Num(), y.Denom())
	b := new(big.Int).Mul(y.Num(), x.Denom())
	g := a.GCD(nil, nil, a, b)
	return new(big.Rat).SetFrac(g, b.Mul(x.Denom(), y.Denom()))
}

// multiplicativeGCD returns the largest r > 1 of which x and y are integer powers,
// by Euclid's algorithm on their logarithms, many subtractions at a time. If there is none the remainders grow
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
		n := max(1, quotient(x, y)-1) // no more than that of real logarithms
		if !mayBePower(x, y, n) {
			break
		}
		x.Quo(x, rational.Power(y, n))
		if x.Num().BitLen() > limit {
			break
		}
	}
	return nil, false
}

// quotient returns ln x/ln y, rounded, for x > 1 and y > 1.
func quotient(x, y *big.Rat) int {
	return int(math.Round(min(loss.Float64(loss.Exp(x))/loss.Float64(loss.Exp(y)), maxNodes)))
}

// mayBePower reports whether x is large enough for y^n to be a factor of it, if both are powers of one number.
func mayBePower(x, y *big.Rat, n int) bool {
	return (y.Num().BitLen()-1)*n <= x.Num().BitLen()
}

// ratio returns e/unit, an integer if it is at most maxNodes.
func ratio(e, unit loss.Epsilon) (n int, ok bool) {
	if !e.Log {
		q := new(big.Rat).Quo(e.Rat(), unit.Rat())
		return int(q.Num().Int64()), q.IsInt() && q.Num().IsInt64() && q.Num().Int64() <= maxNodes
	}
	n = quotient(e.Rat(), unit.Rat())
	return n, n > 0 && mayBePower(e.Rat(), unit.Rat(), n) && rational.Power(unit.Rat(), n).Cmp(e.Rat()) == 0
}
