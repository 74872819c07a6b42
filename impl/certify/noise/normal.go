package noise

import (
	"math"
	"math/big"
	"sync"

	"checkrr/impl/certify/internal/num"
)

// normal is Gaussian noise of scale 1, and d for what the record contributes: d·y − d²/2 is lost at y.
type normal struct{ d, half num.Span } // half is d²/2

func newNormal(d num.Span) normal { return normal{d, d.Times(d).Times(num.Exactly(0.5))} }

func (n normal) place(eta float64) float64 { return eta/n.d.Lo + n.d.Lo/2 }

func (n normal) beside(y float64, try int, isUp bool) float64 {
	by := (math.Abs(y) + n.d.Lo + 1/n.d.Lo) * math.Ldexp(0x1p-52, 2*try) // 1/d: what is lost is told by a ratio near 1
	switch {
	case math.IsInf(y, 0):
		return y
	case isUp:
		return y + by
	}
	return y - by
}

func (n normal) edge(y float64) edge {
	e := edge{y: y}
	switch {
	case math.IsInf(y, -1):
		return e
	case math.IsInf(y, 1):
		e.below = num.Exactly(y)
	default:
		e.below = num.Exactly(y).Times(n.d).Minus(n.half).Exp()
		if math.Abs(y) < mostNormal {
			e.density = density(y)
		}
	}
	e.above = e.below
	return e
}

// between returns differences of tails or, between near places, where these would cancel, integrals of the densities.
func (n normal) between(from, to edge) (with, without num.Span) {
	if !n.isNarrow(from, to) {
		return normalBetween(num.Exactly(from.y).Minus(n.d), num.Exactly(to.y).Minus(n.d)),
			normalBetween(num.Exactly(from.y), num.Exactly(to.y))
	}
	width := to.y - from.y
	without = from.density.Times(narrowIntegral(from.y, width))
	return from.density.Times(from.above).Times(narrowIntegral(from.y-n.d.Lo, width)), without
}

// isNarrow reports whether narrowIntegral is for what is between two places.
func (n normal) isNarrow(from, to edge) bool {
	width := to.y - from.y
	z := max(1, math.Abs(from.y), math.Abs(from.y-n.d.Lo))
	return width >= 0 && width*z <= narrow && from.density.Hi > 0
}

// normalBetween returns the probability between two numbers: a difference of tails above, or below.
func normalBetween(from, to num.Span) num.Span {
	x, y := normalAbove(from).Minus(normalAbove(to)), normalAbove(to.Negated()).Minus(normalAbove(from.Negated()))
	return num.Span{Lo: max(0, x.Lo, y.Lo), Hi: max(0, min(x.Hi, y.Hi))}
}

// narrow bounds width times |y|, and width, for narrowIntegral.
const narrow = 1.0 / 8

// narrowIntegral returns ∫ e^(−ys − s²/2) ds over s from 0 to the width w: φ(y) times it is the probability from y to
// y + w.
//
// The integrand is Σ c_k·(s/w)^k, with (k + 1)·c_(k+1) = −(y·w·c_k + w²·c_(k−1)) and c_0 = 1. With |y|·w ≤ 1/8 and w
// ≤ 1/8, m_k = max(|c_k|, |c_(k−1)|/8) falls by a factor of 8 or more with every k; what is left out is less than
// m_k/7. The terms beside 1 are so small that their roundings, those of y and w, and those of the sum come to less
// than 8 roundings of 1, and the integral is above 0.8·w.
func narrowIntegral(y, w float64) num.Span {
	last, c, sum := 0.0, 1.0, 1.0
	z, square := y*w, w*w
	for k := 1.0; max(math.Abs(c), math.Abs(last)/8) > 0x1p-56; k++ {
		last, c = c, -(z*c+square*last)/k
		sum += c / (k + 1)
	}
	return num.Span{Lo: w * sum * (1 - 0x1p-49), Hi: w * sum * (1 + 0x1p-49)}
}

// normalAbove returns the probability of a standard normal variable to be above x.
func normalAbove(x num.Span) num.Span {
	return num.Span{Lo: normalTail(x.Hi).Lo, Hi: normalTail(x.Lo).Hi}
}

// mostNormal is where the tail of the normal law is taken for next to nothing.
const mostNormal = 37

// normalTail returns Φ(−x), with a relative width of less than 2^-46 as long as it is above 1e-297.
func normalTail(x float64) num.Span {
	switch {
	case x < 0:
		return num.Exactly(1).Minus(normalTail(-x)).Probability()
	case x > mostNormal:
		return num.Span{Lo: 0, Hi: 1e-297}
	}
	return density(x).Times(mills(x))
}

// density returns φ(x) = e^(−x²/2)/√(2π), for 0 ≤ x ≤ mostNormal. The rounding of x² is known: e^(−(h + l)/2) =
// e^(−h/2)·(1 − l/2 + …), where |l| is at most 2^-43, and l²/8 less than 2^-88.
func density(x float64) num.Span {
	const most = 0x1.9884533d43651p-2 // 1/√(2π) is between this and the float64 before it
	h := x * x
	y := num.Exp(-h/2) * (1 - math.FMA(x, x, -h)/2) * most
	// of exp less than 4 of these 16 roundings, and 5 others
	return num.Span{Lo: y * (1 - 0x1p-49), Hi: y * (1 + 0x1p-49)}
}

// mills returns Mills' ratio R(x) = Φ(−x)/φ(x) = ∫ e^(−xs − s²/2) ds over s ≥ 0, for 0 ≤ x ≤ mostNormal, from its
// Taylor series at the node a ≤ x, t = x − a < 1/16.
//
// Its derivatives have alternating signs, so what is left out of the series is between 0 and its first term that is,
// which is less than 2^-60·R. In p_n = c_n − t·p_(n+1) all numbers but the signs are above 0, and t·p_(n+1) is less
// than a tenth of c_n: so the rounding of each step is all but that of its last operation, and the sum is off by less
// than three roundings.
func mills(x float64) num.Span {
	a := math.Floor(x * nodesOfMills)
	c := &ratios()[int(a)]
	t, p := x-a/nodesOfMills, 0.0
	for n := len(c) - 1; n >= 0; n-- {
		p = c[n] - t*p
	}
	return num.Span{Lo: p * (1 - 0x1p-50), Hi: p * (1 + 0x1p-50)}
}

const nodesOfMills = 16 // in each unit of x

// coefficients are the absolute values of those of the Taylor series of R at a node.
type coefficients [14]float64

// ratios returns the coefficients at all nodes. They are c_n = ∫ s^n/n!·e^(−as − s²/2) ds, of which (n + 1)·c_(n+1) =
// c_(n−1) − a·c_n, with 1 for c_(-1). That loses digits for large n and a, of which there are enough; so does going
// from R at one node to that at the next one below, R(a − h) = Σ c_n·h^n.
var ratios = sync.OnceValue(func() []coefficients {
	const prec, terms = 256, 20
	all := make([]coefficients, mostNormal*nodesOfMills+1)
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(x) }
	r := millsFraction(mostNormal, prec)
	for k := len(all) - 1; k >= 0; k-- {
		a := number(float64(k) / nodesOfMills)
		last, c, sum, power := number(1), new(big.Float).Set(r), number(0), number(1)
		for n := range terms {
			if n < len(all[k]) {
				all[k][n], _ = c.Float64()
			}
			sum.Add(sum, number(0).Mul(c, power))
			power.Mul(power, number(1.0/nodesOfMills))
			next := number(0).Mul(a, c)
			next.Sub(last, next)
			last, c = c, next.Quo(next, number(float64(n+1)))
		}
		r = sum
	}
	return all
})

// millsFraction returns R(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))) for x far above 1.
func millsFraction(x float64, prec uint) *big.Float {
	a := new(big.Float).SetPrec(prec).SetFloat64(x)
	y := new(big.Float).Set(a)
	for k := 300.0; k > 0; k-- {
		y.Quo(new(big.Float).SetFloat64(k), y).Add(y, a)
	}
	return y.Quo(new(big.Float).SetPrec(prec).SetInt64(1), y)
}
