package laplace

import (
	"math/big"
	"slices"

	"checkrr/impl/interval"
)

// Pane is the interval [from, to] between two neighbouring breakpoints, on one side of 0.
// A missing end is infinite.
type Pane struct{ from, to *big.Rat }

// Panes cuts [low, high] at the breakpoints inside it and at 0. A missing end is infinite.
// It returns nothing if the interval is empty or a point.
func Panes(low, high *big.Rat, breakpoints []*big.Rat) []Pane {
	cuts := append(slices.Clone(breakpoints), new(big.Rat))
	cuts = slices.DeleteFunc(cuts, func(x *big.Rat) bool {
		return low != nil && x.Cmp(low) <= 0 || high != nil && x.Cmp(high) >= 0
	})
	slices.SortFunc(cuts, (*big.Rat).Cmp)
	cuts = slices.CompactFunc(cuts, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
	if low != nil && high != nil && low.Cmp(high) >= 0 {
		return nil
	}
	var result []Pane
	from := low
	for _, to := range cuts {
		result = append(result, Pane{from, to})
		from = to
	}
	return append(result, Pane{from, high})
}

// Below reports whether the pane is below x, which is no point inside of it.
func (p Pane) Below(x *big.Rat) bool { return p.to != nil && p.to.Cmp(x) <= 0 }

// Integral integrates against the density of Lap(sigma), in steps of 1/s.
type Integral struct {
	interval.Precision
	sigma, s *big.Rat                     // s = 0: all factors are constant
	decays   map[string]interval.Interval // e^(−x/s) by x
}

// NewIntegral returns integration with the precision n.
func NewIntegral(n interval.Precision, sigma, s *big.Rat) *Integral {
	return &Integral{n, sigma, s, map[string]interval.Interval{}}
}

// decay returns e^(−x/s), for x ≥ 0.
func (l *Integral) decay(x *big.Rat) interval.Interval {
	key := x.RatString()
	if e, ok := l.decays[key]; ok {
		return e
	}
	e := l.ExpRat(new(big.Rat).Neg(new(big.Rat).Quo(x, l.s)))
	l.decays[key] = e
	return e
}

// Factor is constant + slope·u, or constant + slope·v if falling.
type Factor struct {
	Constant, Slope interval.Interval
	Falling         bool
}

// Below returns Pr(X < t + z) for X ~ Lap(s) and z in the pane, of which −t is no inner point.
func (l *Integral) Below(p Pane, t *big.Rat) Factor {
	if p.Below(new(big.Rat).Neg(t)) { // e^((t+z)/s)/2 = e^((t+b)/s)/2·u
		return Factor{l.Int(0), l.Half(l.decay(new(big.Rat).Neg(new(big.Rat).Add(t, p.to)))), false}
	}
	e := l.Half(l.decay(new(big.Rat).Add(t, p.from))) // 1 − e^(−(t+z)/s)/2
	return Factor{l.Int(1), l.Neg(e), true}
}

// Minus returns x − f.
func (l *Integral) Minus(x interval.Interval, f Factor) Factor {
	return Factor{l.Sub(x, f.Constant), l.Neg(f.Slope), f.Falling}
}

// Polynomial has the coefficients of 1, u, u², … or of 1, v, v², ….
type Polynomial []interval.Interval

// Zero returns the polynomial with n coefficients 0.
func (l *Integral) Zero(length int) Polynomial {
	p := make(Polynomial, length)
	for i := range p {
		p[i] = l.Int(0)
	}
	return p
}

// AddMul adds x·y to sum.
func (l *Integral) AddMul(sum *interval.Interval, x, y interval.Interval) {
	switch {
	case x.IsZero() || y.IsZero():
	case sum.IsZero():
		*sum = l.Mul(x, y)
	default:
		*sum = l.Add(*sum, l.Mul(x, y))
	}
}

// Times returns p·q.
func (l *Integral) Times(p, q Polynomial) Polynomial {
	result := l.Zero(len(p) + len(q) - 1)
	for i, x := range p {
		for j, y := range q {
			l.AddMul(&result[i+j], x, y)
		}
	}
	return result
}

// Binomial returns (constant + slope·u)^k, by the binomial theorem.
func (l *Integral) Binomial(f Factor, k int) Polynomial {
	constants, slopes := []interval.Interval{l.Int(1)}, []interval.Interval{l.Int(1)}
	for i := range k {
		constants = append(constants, l.Mul(constants[i], f.Constant))
		slopes = append(slopes, l.Mul(slopes[i], f.Slope))
	}
	result := l.Zero(k + 1)
	for i := range result {
		l.AddMul(&result[i], l.Choose(k, i), l.Mul(constants[k-i], slopes[i]))
	}
	return result
}

// Choose returns the number of ways to choose i of k.
func (l *Integral) Choose(k, i int) interval.Interval {
	return l.Rat(new(big.Rat).SetInt(new(big.Int).Binomial(int64(k), int64(i))))
}

// sheet has the coefficients of u^j·v^k.
type sheet [][]interval.Interval

func (l *Integral) NewSheet(rows, columns int) sheet {
	s := make(sheet, rows)
	for j := range s {
		s[j] = l.Zero(columns)
	}
	return s
}

// AddProduct adds p·q, each of them in v if falling and in u if not.
func (l *Integral) AddProduct(s sheet, p Polynomial, pFalling bool, q Polynomial, qFalling bool) {
	for i, x := range p {
		for j, y := range q {
			row, column := 0, 0
			for _, power := range [...]struct {
				of      int
				falling bool
			}{{i, pFalling}, {j, qFalling}} {
				if power.falling {
					column += power.of
				} else {
					row += power.of
				}
			}
			l.AddMul(&s[row][column], x, y)
		}
	}
}

// Product multiplies factors, the i-th of them to the power of times[i], to A(u)·B(v).
func (l *Integral) Product(factors []Factor, times []int) sheet {
	a, b := Polynomial{l.Int(1)}, Polynomial{l.Int(1)}
	for i, f := range factors {
		power := l.Binomial(f, times[i])
		if f.Falling {
			b = l.Times(b, power)
		} else {
			a = l.Times(a, power)
		}
	}
	s := l.NewSheet(len(a), len(b))
	l.AddProduct(s, a, false, b, true)
	return s
}

// Integrate returns the integral of the sheet over the pane.
//
// The integral of u^j·v^k is d^k times that of u^(j−k) where j ≥ k, and d^j times that
// of v^(k−j) elsewhere.
func (l *Integral) Integrate(p Pane, s sheet) interval.Interval {
	rows, columns := len(s), len(s[0])
	o := l.orientation(p)
	d := []interval.Interval{l.Int(1)}
	for len(d) < max(rows, columns) {
		d = append(d, l.Mul(d[len(d)-1], o.step))
	}
	sum := l.Int(0)
	for i := 1 - columns; i < rows; i++ {
		coefficient := l.Int(0)
		for j := max(i, 0); j < rows && j-i < columns; j++ {
			l.AddMul(&coefficient, s[j][j-i], d[min(j, j-i)])
		}
		if !coefficient.IsZero() {
			sum = l.Add(sum, l.Mul(coefficient, l.moment(o, i, d[max(i, -i)])))
		}
	}
	return sum
}

// orientation is what the integrals over one pane share.
type orientation struct {
	positive bool              // the pane is on the positive side
	step     interval.Interval // d = e^(−(b−a)/s)
	rho      interval.Interval // e^(−(b−a)/σ)
	weight   interval.Interval // the density at the end closer to 0
	length   interval.Interval // b − a, of a finite pane
}

func (l *Integral) orientation(p Pane) orientation {
	o := orientation{positive: p.from != nil && p.from.Sign() >= 0, step: l.Int(0), rho: l.Int(0)}
	inner := p.to
	if o.positive {
		inner = p.from
	}
	twice := new(big.Rat).Add(l.sigma, l.sigma)
	rate := new(big.Rat).Inv(l.sigma)
	distance := new(big.Rat).Abs(inner)
	o.weight = l.Quo(l.ExpRat(distance.Neg(distance.Mul(distance, rate))), l.Rat(twice))
	if p.from == nil || p.to == nil {
		return o
	}
	length := new(big.Rat).Sub(p.to, p.from)
	o.length = l.Rat(length)
	o.rho = l.ExpRat(new(big.Rat).Neg(new(big.Rat).Mul(length, rate)))
	if l.s.Sign() > 0 {
		o.step = l.decay(length)
	}
	return o
}

// moment returns the integral of u^i, or of v^(−i) for i < 0, where di is d^|i|.
//
// With the density it is e^(κz) times a constant, κ = i/s ∓ 1/σ: its integral is the
// difference of its values at the two ends over κ, and the length times either if κ = 0.
func (l *Integral) moment(o orientation, i int, di interval.Interval) interval.Interval {
	kappa := new(big.Rat).Inv(l.sigma)
	if o.positive {
		kappa.Neg(kappa)
	}
	if i != 0 {
		kappa.Add(kappa, new(big.Rat).Quo(big.NewRat(int64(i), 1), l.s))
	}
	atFrom, atTo := l.Int(1), l.Int(1)
	if i >= 0 {
		atFrom = di
	} else {
		atTo = di
	}
	if o.positive {
		atTo = l.Mul(atTo, o.rho)
	} else {
		atFrom = l.Mul(atFrom, o.rho)
	}
	if kappa.Sign() == 0 {
		return l.Mul(o.weight, l.Mul(o.length, atFrom))
	}
	return l.Mul(o.weight, l.Quo(l.Sub(atTo, atFrom), l.Rat(kappa)))
}
