package certify

import (
	"errors"
	"math"
	"math/big"
)

// frame writes the numbers of one problem as sums n/denominator + Σ n_j·ln X_j, exactly.
type frame struct {
	denominator *big.Int
	logs        []*big.Rat // X_j
	known       []interval // ln X_j
	prec        uint       // of them
}

// sum is a number in a frame. It is immutable.
type sum struct {
	nats *big.Int
	logs []int
}

// newFrame returns a frame for the numbers.
func newFrame(xs []Number) *frame {
	f := &frame{denominator: big.NewInt(1)}
	for _, x := range xs {
		if x.Log {
			f.add(x.Value)
			continue
		}
		d, gcd := x.Value.Denom(), new(big.Int)
		if gcd.GCD(nil, nil, f.denominator, d).Cmp(d) != 0 {
			f.denominator = new(big.Int).Mul(f.denominator, gcd.Quo(d, gcd))
		}
	}
	return f
}

// add adds x to the logarithms and returns its index, or −1 for ln 1.
func (f *frame) add(x *big.Rat) int {
	for j, y := range f.logs {
		if y.Cmp(x) == 0 {
			return j
		}
	}
	if x.Cmp(one) == 0 {
		return -1
	}
	f.logs = append(f.logs, x)
	f.prec = 0
	return len(f.logs) - 1
}

// of returns x.
func (f *frame) of(x Number) sum {
	s := sum{nats: new(big.Int)}
	if !x.Log {
		s.nats.Quo(f.denominator, x.Value.Denom())
		s.nats.Mul(s.nats, x.Value.Num())
	} else if j := f.add(x.Value); j >= 0 {
		s.logs = make([]int, j+1)
		s.logs[j] = 1
	}
	return s
}

// plus returns s + n·t.
func (s sum) plus(n int, t sum) sum {
	k := big.NewInt(int64(n))
	r := sum{nats: k.Add(s.nats, k.Mul(k, t.nats))}
	if len(s.logs) > 0 || len(t.logs) > 0 {
		r.logs = make([]int, max(len(s.logs), len(t.logs)))
		copy(r.logs, s.logs)
		for j, m := range t.logs {
			r.logs[j] += n * m
		}
	}
	return r
}

// isRational reports whether s has no logarithms.
func (s sum) isRational() bool {
	for _, n := range s.logs {
		if n != 0 {
			return false
		}
	}
	return true
}

// enclose returns s with ends of prec bits.
func (f *frame) enclose(s sum, prec uint) interval {
	d := new(big.Float).SetInt(f.denominator)
	n := new(big.Float).SetInt(s.nats)
	x := interval{down(prec).Quo(n, d), up(prec).Quo(n, d)}
	for j, n := range s.logs {
		if n != 0 {
			x = x.add(f.log(j, prec).times(int64(n), prec), prec)
		}
	}
	return x
}

// log returns ln X_j.
func (f *frame) log(j int, prec uint) interval {
	if f.prec < prec {
		f.known, f.prec = make([]interval, len(f.logs)), prec
	}
	if f.known[j].lo == nil {
		f.known[j] = log(f.logs[j], f.prec)
	}
	return f.known[j]
}

// errUndecided says that the sign of a sum needs too many bits.
var errUndecided = errors.New("two losses are too close to be told apart")

// maxBits is the precision up to which signs are sought.
const maxBits = 1 << 16

// sign returns the sign of s.
//
// A sum that is 0 is found out without rounding: if n ≠ 0 it is not, since e to a rational power
// other than 0 is transcendental (Lindemann and Weierstrass); and if n = 0 the product of the
// X_j^n_j is a ratio of two integers with so many bits together that its logarithm is 0 or at
// least 2^-bits.
func (f *frame) sign(s sum) (int, error) {
	if s.isRational() {
		return s.nats.Sign(), nil
	}
	enough := math.Inf(1)
	if s.nats.Sign() == 0 {
		enough = 2
		for j, n := range s.logs {
			x := f.logs[j]
			enough += math.Abs(float64(n)) * float64(x.Num().BitLen()+x.Denom().BitLen())
		}
	}
	for prec := uint(128); prec <= maxBits; prec *= 2 {
		x := f.enclose(s, prec)
		switch {
		case x.lo.Sign() > 0:
			return 1, nil
		case x.hi.Sign() < 0:
			return -1, nil
		case float64(-up(prec).Sub(x.hi, x.lo).MantExp(nil)) > enough:
			return 0, nil
		}
	}
	return 0, errUndecided
}

// maxNode bounds the nodes of a lattice.
const maxNode = 1 << 30

// divide returns the largest q with q·t ≤ s and the rest, for s ≥ 0 and t > 0; from maxNode on q
// is maxNode, without a rest.
func (f *frame) divide(s, t sum) (q int, rest sum, err error) {
	if s.isRational() && t.isRational() {
		n, r := new(big.Int).QuoRem(s.nats, t.nats, new(big.Int))
		if !n.IsInt64() || n.Int64() >= maxNode {
			return maxNode, sum{}, nil
		}
		return int(n.Int64()), sum{nats: r}, nil
	}
	const prec = 256
	d := f.enclose(t, prec)
	if d.lo.Sign() <= 0 {
		return 0, rest, errUndecided
	}
	quotient, _ := up(prec).Quo(f.enclose(s, prec).hi, d.lo).Float64()
	if quotient >= maxNode {
		return maxNode, rest, nil
	}
	for q = int(quotient) + 1; ; q-- { // the first is too large, the second seldom
		rest = s.plus(-q, t)
		if sign, err := f.sign(rest); err != nil || sign >= 0 {
			return q, rest, err
		}
	}
}
