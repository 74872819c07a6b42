package impl

import (
	"math"
	"math/big"
)

// response is randomized response (ODP-L12) for one mechanism, without its
// outputs 0 (probability δ under P0 alone) and 3 (δ under P1 alone).
type response struct {
	eps   dd // ε: the loss of output 1; output 2 has −ε
	up    dd // e^ε/(1 + e^ε): P0-probability of output 1, given that it is 1 or 2
	down  dd // 1/(1 + e^ε): that of output 2
	alive dd // 1 − δ
	delta dd // δ
}

// randomizedResponse returns the response of an (ε, δ)-DP mechanism.
//
// Source: ODP-L12. With t = e^(−ε) ≤ 1, e^ε/(1 + e^ε) = 1/(1 + t) and
// 1/(1 + e^ε) = t/(1 + t): nothing overflows. A rational e^ε needs no exponential.
func randomizedResponse(m Mechanism) response {
	r := response{eps: m.Eps.dd(), delta: ddRat(m.Delta)}
	if m.Eps.exp {
		down := new(big.Rat).Add(m.Eps.rat, one)
		down.Inv(down)
		r.down, r.up = ddRat(down), ddRat(new(big.Rat).Sub(one, down))
	} else {
		t := expOrZero(r.eps.neg())
		r.up = dd{1, 0}.div(t.add(dd{1, 0}))
		r.down = t.mul(r.up)
	}
	if r.down.hi < 0x1p-1000 {
		r.up, r.down = dd{1, 0}, dd{}
	}
	r.alive = ddRat(new(big.Rat).Sub(one, m.Delta))
	return r
}

// expOrZero returns e^x for x ≤ 0, and 0 where it is below 1e-304.
func expOrZero(x dd) dd {
	if x.hi < -700 {
		return dd{}
	}
	return x.exp()
}

// payoff returns 1 − e^z for a gap z = E − ℓ, and 0 for z ≥ 0; relative error
// 2^-60 beside that which the error of z causes.
//
// Near 0 the series of e^z − 1 avoids the cancellation.
func payoff(z dd) dd {
	switch {
	case !z.negative():
		return dd{}
	case z.hi < -nearTie:
		return dd{1, 0}.sub(expOrZero(z))
	}
	sum := dd{}
	for j := 4.0; j >= 1; j-- { // |z|^5/5! is below 2^-156
		sum = sum.add(dd{1, 0}).mul(z).div(dd{j, 0})
	}
	return sum.neg()
}

// nearTie is how close to the strike 1 − e^z is no longer taken as a difference.
const nearTie = 0x1p-30

// odds returns how much likelier output 1 is than output 2 under P0: e^ε.
func (r response) odds() dd {
	if r.down.hi == 0 {
		return dd{math.Inf(1), 0}
	}
	return r.up.div(r.down)
}
