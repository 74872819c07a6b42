package impl

import (
	"math/big"
	"slices"

	"checkrr/impl/interval"
)

// This file integrates products of Laplace probabilities against a Laplace density:
//
//	∫ e^(−|z|/σ)/(2σ) · ∏_i F_i(z) dz,
//
// where every F_i is, between breakpoints, a constant plus a multiple of e^(z/s) or of
// e^(−z/s), as the distribution function of Lap(s) at t + z is. Between breakpoints a
// and b write u = e^((z−b)/s) and v = e^(−(z−a)/s). Both are in (0, 1], u·v is the
// constant d = e^(−(b−a)/s), and the product is a polynomial A(u)·B(v), so the integral
// is a sum of integrals of exponentials. No number overflows, however far apart the
// breakpoints are; but the sum cancels, about as much as ∏(1 + e^…) is larger than
// ∏(1 − e^…), which is 3^l for l factors. The caller adds bits until that is paid for.

// pane is the interval [from, to] between two neighbouring breakpoints, on one side of 0.
// A missing end is infinite.
type pane struct{ from, to *big.Rat }

// panes cuts [low, high] at the breakpoints inside it and at 0. A missing end is infinite.
// It returns nothing if the interval is empty or a point.
func panes(low, high *big.Rat, breakpoints []*big.Rat) []pane {
	cuts := append(slices.Clone(breakpoints), new(big.Rat))
	cuts = slices.DeleteFunc(cuts, func(x *big.Rat) bool {
		return low != nil && x.Cmp(low) <= 0 || high != nil && x.Cmp(high) >= 0
	})
	slices.SortFunc(cuts, (*big.Rat).Cmp)
	cuts = slices.CompactFunc(cuts, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
	if low != nil && high != nil && low.Cmp(high) >= 0 {
		return nil
	}
	var result []pane
	from := low
	for _, to := range cuts {
		result = append(result, pane{from, to})
		from = to
	}
	return append(result, pane{from, high})
}

// below reports whether the pane is below x, which is no point inside of it.
func (p pane) below(x *big.Rat) bool { return p.to != nil && p.to.Cmp(x) <= 0 }

// laplaceIntegral integrates against the density of Lap(sigma), in steps of 1/s.
type laplaceIntegral struct {
	interval.Precision
	sigma, s *big.Rat                     // s = 0: all factors are constant
	decays   map[string]interval.Interval // e^(−x/s) by x
}

func newLaplaceIntegral(n interval.Precision, sigma, s *big.Rat) *laplaceIntegral {
	return &laplaceIntegral{n, sigma, s, map[string]interval.Interval{}}
}

// decay returns e^(−x/s), for x ≥ 0.
func (l *laplaceIntegral) decay(x *big.Rat) interval.Interval {
	key := x.RatString()
	if e, ok := l.decays[key]; ok {
		return e
	}
	e := l.ExpRat(new(big.Rat).Neg(new(big.Rat).Quo(x, l.s)))
	l.decays[key] = e
	return e
}

// factor is constant + slope·u, or constant + slope·v if falling.
type factor struct {
	constant, slope interval.Interval
	falling         bool
}

// below returns Pr(X < t + z) for X ~ Lap(s) and z in the pane, of which −t is no inner point.
func (l *laplaceIntegral) below(p pane, t *big.Rat) factor {
	if p.below(new(big.Rat).Neg(t)) { // e^((t+z)/s)/2 = e^((t+b)/s)/2·u
		return factor{l.Int(0), l.Half(l.decay(new(big.Rat).Neg(new(big.Rat).Add(t, p.to)))), false}
	}
	e := l.Half(l.decay(new(big.Rat).Add(t, p.from))) // 1 − e^(−(t+z)/s)/2
	return factor{l.Int(1), l.Neg(e), true}
}

// from returns x − f.
func (l *laplaceIntegral) from(x interval.Interval, f factor) factor {
	return factor{l.Sub(x, f.constant), l.Neg(f.slope), f.falling}
}

// polynomial has the coefficients of 1, u, u², … or of 1, v, v², ….
type polynomial []interval.Interval

// zero returns the polynomial with n coefficients 0.
func (l *laplaceIntegral) zero(length int) polynomial {
	p := make(polynomial, length)
	for i := range p {
		p[i] = l.Int(0)
	}
	return p
}

// addMul adds x·y to sum.
func (l *laplaceIntegral) addMul(sum *interval.Interval, x, y interval.Interval) {
	switch {
	case x.IsZero() || y.IsZero():
	case sum.IsZero():
		*sum = l.Mul(x, y)
	default:
		*sum = l.Add(*sum, l.Mul(x, y))
	}
}

// times returns p·q.
func (l *laplaceIntegral) times(p, q polynomial) polynomial {
	result := l.zero(len(p) + len(q) - 1)
	for i, x := range p {
		for j, y := range q {
			l.addMul(&result[i+j], x, y)
		}
	}
	return result
}

// binomial returns (constant + slope·u)^k, by the binomial theorem.
func (l *laplaceIntegral) binomial(f factor, k int) polynomial {
	constants, slopes := []interval.Interval{l.Int(1)}, []interval.Interval{l.Int(1)}
	for i := range k {
		constants = append(constants, l.Mul(constants[i], f.constant))
		slopes = append(slopes, l.Mul(slopes[i], f.slope))
	}
	result := l.zero(k + 1)
	for i := range result {
		l.addMul(&result[i], l.choose(k, i), l.Mul(constants[k-i], slopes[i]))
	}
	return result
}

// choose returns the number of ways to choose i of k.
func (l *laplaceIntegral) choose(k, i int) interval.Interval {
	return l.Rat(new(big.Rat).SetInt(new(big.Int).Binomial(int64(k), int64(i))))
}

// sheet has the coefficients of u^j·v^k.
type sheet [][]interval.Interval

func (l *laplaceIntegral) newSheet(rows, columns int) sheet {
	s := make(sheet, rows)
	for j := range s {
		s[j] = l.zero(columns)
	}
	return s
}

// addProduct adds p·q, each of them in v if falling and in u if not.
func (l *laplaceIntegral) addProduct(s sheet, p polynomial, pFalling bool, q polynomial, qFalling bool) {
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
			l.addMul(&s[row][column], x, y)
		}
	}
}

// product multiplies factors, the i-th of them to the power of times[i], to A(u)·B(v).
func (l *laplaceIntegral) product(factors []factor, times []int) sheet {
	a, b := polynomial{l.Int(1)}, polynomial{l.Int(1)}
	for i, f := range factors {
		power := l.binomial(f, times[i])
		if f.falling {
			b = l.times(b, power)
		} else {
			a = l.times(a, power)
		}
	}
	s := l.newSheet(len(a), len(b))
	l.addProduct(s, a, false, b, true)
	return s
}

// integrate returns the integral of the sheet over the pane.
//
// The integral of u^j·v^k is d^k times that of u^(j−k) where j ≥ k, and d^j times that
// of v^(k−j) elsewhere.
func (l *laplaceIntegral) integrate(p pane, s sheet) interval.Interval {
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
			l.addMul(&coefficient, s[j][j-i], d[min(j, j-i)])
		}
		if !coefficient.IsZero() {
			sum = l.Add(sum, l.Mul(coefficient, l.moment(p, o, i, d[max(i, -i)])))
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

func (l *laplaceIntegral) orientation(p pane) orientation {
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
func (l *laplaceIntegral) moment(p pane, o orientation, i int, di interval.Interval) interval.Interval {
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
