package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// frame writes the numbers of one problem as sums n/denominator + Σ n_j·ln X_j, exactly.
type frame struct {
	ctx         context.Context
	denominator *big.Int
	logs        []*big.Rat        // X_j
	index       map[[2]string]int // of X_j, by numerator and denominator
	known       []num.Interval    // ln X_j
	prec        uint              // of them
	coprime     []*big.Int        // above 1, any two of them coprime; all X_j are products of their powers
	exponents   [][]power         // of those in X_j; nil until they are needed
}

// power is a number of frame.coprime with its exponent.
type power struct {
	base     int
	exponent int64
}

// sum is a number in a frame. It is immutable.
type sum struct {
	nats *big.Int
	logs []int
}

// newFrame returns a frame for the numbers.
func newFrame(ctx context.Context, xs []Number) (*frame, error) {
	f := &frame{ctx: ctx, denominator: big.NewInt(1), index: map[[2]string]int{}}
	for _, x := range xs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if x.Log {
			f.add(x.Value)
			continue
		}
		d, gcd := x.Value.Denom(), new(big.Int)
		if gcd.GCD(nil, nil, f.denominator, d).Cmp(d) != 0 {
			f.denominator = new(big.Int).Mul(f.denominator, gcd.Quo(d, gcd))
		}
	}
	switch {
	case len(f.logs) > maxLogs:
		return nil, fmt.Errorf("there are %d different exp_eps or losses of laws, must be at most %d",
			len(f.logs), maxLogs)
	case len(xs)*f.denominator.BitLen() > maxSumBits:
		return nil, fmt.Errorf("a common denominator of all eps has %d bits, which is too much for %d of them",
			f.denominator.BitLen(), len(xs))
	}
	return f, nil
}

// Limits of a frame.
const (
	maxLogs    = 1 << 12
	maxSumBits = 1 << 30 // of the numbers, over one denominator
)

// add adds x to the logarithms, if it is not there, and returns its index, or −1 for ln 1.
func (f *frame) add(x *big.Rat) int {
	if x.Cmp(num.One) == 0 {
		return -1
	}
	key := [2]string{string(x.Num().Bytes()), string(x.Denom().Bytes())}
	j, ok := f.index[key]
	if !ok {
		j = len(f.logs)
		f.index[key] = j
		f.logs = append(f.logs, x)
	}
	return j
}

// factor finds the factors of the X_j that tell whether a product of their powers is 1; not all if ctx ended. They
// need not be primes: greatest common divisors are enough.
func (f *frame) factor() {
	for _, x := range f.logs {
		f.coprime = f.split(f.split(f.coprime, x.Num()), x.Denom())
	}
	for _, x := range f.logs {
		var powers []power
		for i, c := range f.coprime {
			up, _ := strip(x.Num(), c)
			if down, _ := strip(x.Denom(), c); up != down {
				powers = append(powers, power{i, up - down})
			}
		}
		if f.ctx.Err() != nil {
			return
		}
		f.exponents = append(f.exponents, powers)
	}
}

// split adds a to coprime numbers, which are split where they have a factor in common with it; not if ctx ended.
func (f *frame) split(coprime []*big.Int, a *big.Int) []*big.Int {
	all := make([]*big.Int, 0, len(coprime)+1)
	for _, b := range coprime {
		if f.ctx.Err() != nil {
			return coprime
		}
		g := gcd(a, b)
		if g.BitLen() == 1 {
			all = append(all, b)
			continue
		}
		rest := a // without the factors of b: all others of these numbers are coprime to what is left of them
		for h := g; h.BitLen() > 1; h = gcd(rest, b) {
			_, rest = strip(rest, h)
		}
		_, a = strip(new(big.Int).Quo(a, rest), g)
		_, b = strip(b, g)
		all = append(all, f.split(f.split([]*big.Int{g}, a), b)...)
		a = rest
	}
	if a.BitLen() > 1 {
		all = append(all, a)
	}
	return all
}

// gcd returns the greatest common divisor of two numbers above 0.
func gcd(a, b *big.Int) *big.Int {
	if !a.IsUint64() || !b.IsUint64() {
		return new(big.Int).GCD(nil, nil, a, b)
	}
	x, y := a.Uint64(), b.Uint64()
	for y != 0 {
		x, y = y, x%y
	}
	if x == 1 {
		return num.One.Num()
	}
	return new(big.Int).SetUint64(x)
}

// strip returns how often c > 1 divides x, and x without that. It tries c, c², c⁴, … and back.
func strip(x, c *big.Int) (n int64, rest *big.Int) {
	if x.IsUint64() && c.IsUint64() && x.Uint64()%c.Uint64() != 0 { // mostly, and much faster
		return 0, x
	}
	q, r := new(big.Int).QuoRem(x, c, new(big.Int))
	if r.Sign() != 0 {
		return 0, x
	}
	n, rest = strip(q, new(big.Int).Mul(c, c))
	n, x = 2*n+1, rest
	if q, r = new(big.Int).QuoRem(x, c, r); r.Sign() == 0 {
		n, x = n+1, q
	}
	return n, x
}

// powers returns the exponents of the coprime numbers in the product of the X_j^n_j, or false if ctx ended before these
// were known.
func (f *frame) powers(s sum) (total []int64, ok bool) {
	if f.exponents == nil {
		f.factor()
	}
	if len(f.exponents) < len(f.logs) {
		return nil, false
	}
	total = make([]int64, len(f.coprime))
	for j, n := range s.logs {
		if n == 0 {
			continue
		}
		for _, p := range f.exponents[j] {
			total[p.base] += int64(n) * p.exponent
		}
	}
	return total, true
}

// cancel reports whether the logarithms of s cancel: a product of powers of coprime numbers is 1 only if all
// exponents are 0. Factors are sought only if they are 0 to so many bits. If ctx ended before they were known, it is
// taken for another number, of which no sign and no node can be told.
func (f *frame) cancel(s sum, prec uint) bool {
	if s.isRational() {
		return true
	}
	x := f.logarithms(s, num.Interval{Lo: new(big.Float), Hi: new(big.Float)}, max(prec, 128))
	if x.Lo.Sign() > 0 || x.Hi.Sign() < 0 {
		return false
	}
	total, ok := f.powers(s)
	return ok && !slices.ContainsFunc(total, func(n int64) bool { return n != 0 })
}

// isZero reports whether s is 0. If n ≠ 0 it is not, unless the logarithms cancel, since e to a
// rational power other than 0 is transcendental (Lindemann and Weierstrass).
func (f *frame) isZero(s sum) bool { return s.nats.Sign() == 0 && f.cancel(s, 128) }

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
func (f *frame) enclose(s sum, prec uint) num.Interval {
	d := new(big.Float).SetInt(f.denominator)
	n := new(big.Float).SetInt(s.nats)
	x := num.Interval{Lo: num.Down(prec).Quo(n, d), Hi: num.Up(prec).Quo(n, d)}
	if f.cancel(s, prec) {
		return x
	}
	return f.logarithms(s, x, prec)
}

// logarithms adds those of s to x.
func (f *frame) logarithms(s sum, x num.Interval, prec uint) num.Interval {
	for j, n := range s.logs {
		if n != 0 {
			x = x.Add(f.log(j, prec).Times(int64(n), prec), prec)
		}
	}
	return x
}

// log returns ln X_j.
func (f *frame) log(j int, prec uint) num.Interval {
	if f.prec < prec {
		f.known, f.prec = make([]num.Interval, len(f.logs)), prec
	}
	if f.known[j].Lo == nil {
		f.known[j] = num.Log(f.logs[j], f.prec)
	}
	return f.known[j]
}

// prepare finds the logarithms that s needs, unless ctx ends: they take long.
func (f *frame) prepare(s sum, prec uint) error {
	for j, n := range s.logs {
		if f.ctx.Err() != nil {
			break
		}
		if n != 0 {
			f.log(j, prec)
		}
	}
	return f.ctx.Err()
}

// errUndecided says that the sign of a sum needs too many bits.
var errUndecided = errors.New("two losses are too close to be told apart")

// mostSignBits is the precision up to which signs are sought.
const mostSignBits = 1 << 13

// sign returns the sign of s.
func (f *frame) sign(s sum) (int, error) {
	if f.cancel(s, 128) {
		return s.nats.Sign(), nil
	}
	for prec := uint(128); prec <= mostSignBits; prec *= 2 {
		if err := f.prepare(s, prec); err != nil {
			return 0, err
		}
		x := f.enclose(s, prec)
		switch {
		case x.Lo.Sign() > 0:
			return 1, nil
		case x.Hi.Sign() < 0:
			return -1, nil
		}
	}
	return 0, errUndecided
}

// divide returns the largest q with q·t ≤ s and the rest, for s ≥ 0 and t > 0; from MaxNode on q
// is MaxNode, without a rest.
func (f *frame) divide(s, t sum) (q int, rest sum, err error) {
	if s.isRational() && t.isRational() {
		n, r := new(big.Int).QuoRem(s.nats, t.nats, new(big.Int))
		if !n.IsInt64() || n.Int64() >= MaxNode {
			return MaxNode, sum{}, nil
		}
		return int(n.Int64()), sum{nats: r}, nil
	}
	const prec = 256
	d := f.enclose(t, prec)
	if d.Lo.Sign() <= 0 {
		return 0, rest, errUndecided
	}
	quotient, _ := num.Up(prec).Quo(f.enclose(s, prec).Hi, d.Lo).Float64()
	if quotient >= MaxNode {
		return MaxNode, rest, nil
	}
	for q = int(quotient) + 1; ; q-- { // the first is too large, the second seldom
		rest = s.plus(-q, t)
		if sign, err := f.sign(rest); err != nil || sign >= 0 {
			return q, rest, err
		}
	}
}

// float returns s > 0 with at most 4 roundings.
func (f *frame) float(s sum) float64 {
	if s.isRational() && s.nats.IsInt64() && f.denominator.IsInt64() {
		return float64(s.nats.Int64()) / float64(f.denominator.Int64())
	}
	for prec := uint(128); ; prec *= 2 {
		if x := f.enclose(s, prec); x.IsNarrow(55) {
			return num.ToFloat(x.Lo)
		}
	}
}
