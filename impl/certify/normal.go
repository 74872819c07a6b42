package certify

import (
	"math"
	"math/big"
	"sync"
)

// above returns the probability of a standard normal variable to be above x.
func (x span) above() span { return span{normalTail(x.hi).lo, normalTail(x.lo).hi} }

// mostNormal is where the tail of the normal law is taken for next to nothing.
const mostNormal = 37

// normalTail returns Φ(−x), with a relative width of less than 2^-46 as long as it is above 1e-297.
func normalTail(x float64) span {
	switch {
	case x < 0:
		return exactly(1).minus(normalTail(-x)).probability()
	case x > mostNormal:
		return span{0, 1e-297}
	}
	return density(x).times(mills(x))
}

// density returns φ(x) = e^(−x²/2)/√(2π), for 0 ≤ x ≤ mostNormal. The rounding of x² is known: e^(−(h + l)/2) = e^(−h/2)·(1 − l/2 + …), where |l| is at most
// 2^-43, and l²/8 less than 2^-88.
func density(x float64) span {
	const most = 0x1.9884533d43651p-2 // 1/√(2π) is between this and the float64 before it
	h := x * x
	y := exp(-h/2) * (1 - math.FMA(x, x, -h)/2) * most
	return span{y * (1 - 0x1p-49), y * (1 + 0x1p-49)} // of exp less than 4 of these 16 roundings, and 5 others
}

// mills returns Mills' ratio R(x) = Φ(−x)/φ(x) = ∫ e^(−xs − s²/2) ds over s ≥ 0, for 0 ≤ x ≤ mostNormal, from its Taylor series at the node a ≤ x, t = x − a < 1/16.
//
// Its derivatives have alternating signs, so what is left out of the series is between 0 and its first term that is, which is less
// than 2^-60·R. In p_n = c_n − t·p_(n+1) all numbers but the signs are above 0, and t·p_(n+1) is less than a tenth of c_n: so the rounding of each step
// is all but that of its last operation, and the sum is off by less than three roundings.
func mills(x float64) span {
	a := math.Floor(x * nodesOfMills)
	c := &ratios()[int(a)]
	t, p := x-a/nodesOfMills, 0.0
	for n := len(c) - 1; n >= 0; n-- {
		p = c[n] - t*p
	}
	return span{p * (1 - 0x1p-50), p * (1 + 0x1p-50)}
}

const nodesOfMills = 16 // in each unit of x

// coefficients are the absolute values of those of the Taylor series of R at a node.
type coefficients [14]float64

// ratios returns the coefficients at all nodes. They are c_n = ∫ s^n/n!·e^(−as − s²/2) ds, of which (n + 1)·c_(n+1) = c_(n−1) − a·c_n, with 1 for c_(-1). That loses digits
// for large n and a, of which there are enough; so does going from R at one node to that at the next one below, R(a − h) = Σ c_n·h^n.
var ratios = sync.OnceValue(func() []coefficients {
	const prec, terms = 256, 40
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
	for k := 3000.0; k > 0; k-- {
		y.Quo(new(big.Float).SetFloat64(k), y).Add(y, a)
	}
	return y.Quo(new(big.Float).SetPrec(prec).SetInt64(1), y)
}
