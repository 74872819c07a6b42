package impl

import (
	"math"
	"math/big"
)

// charge is a charged loss E(P_i), as given and as a dd.
type charge struct {
	eps   Epsilon
	value dd
}

func newCharge(e Epsilon) charge { return charge{e, e.dd()} }

// axis says which loss a node has: node m of a place has the loss
// place.base + unit·m.
type axis struct {
	unit dd
	half *Epsilon // on an exact lattice unit = 2·half and base = place.origin·half
	slop float64  // on a grid: bounds the error of unit·m + base
}

// place is a point between two steps of a walk.
type place struct {
	base   dd
	origin int // see axis.half
}

// gapError bounds the relative error of a gap on an exact lattice.
const gapError = 0x1p-50

// gap returns E − ℓ for node m of place p, ℓ its loss.
// On an exact lattice the relative error is below gapError, and 0 is exactly 0
// (or closer to 0 than float64 can tell).
func (x *axis) gap(e charge, p place, m int) dd {
	if x.half == nil {
		return e.value.sub(p.base.add(x.unit.times(float64(m))))
	}
	return x.latticeGap(e, p.origin+2*m)
}

// latticeGap returns E − a·half.
func (x *axis) latticeGap(e charge, a int) dd {
	loss := x.unit.mul(ddInt(int64(a))).scale(-1)
	z := e.value.sub(loss)
	slack := (e.eps.error()+ddError)*math.Abs(e.value.hi) + (x.half.error()+2*ddError)*math.Abs(loss.hi)
	if math.Abs(z.hi)*gapError > slack {
		return z
	}
	return exactGap(e.eps, *x.half, a)
}

// exactGap returns e − a·half where float arithmetic cancels.
func exactGap(e, half Epsilon, a int) dd {
	if !e.exp && !half.exp {
		loss := new(big.Rat).SetInt64(int64(a))
		return ddRat(loss.Sub(e.rat, loss.Mul(loss, half.rat)))
	}
	if e.exp && half.exp && equalsPower(e.rat, half.rat, a) {
		return dd{}
	}
	for prec := uint(160); prec <= 1280; prec *= 2 {
		z := new(big.Float).SetPrec(2*prec).Mul(half.enclose(prec).lo, new(big.Float).SetInt64(int64(a)))
		scale := max(z.MantExp(nil), 0)
		z.Sub(e.enclose(prec).lo, z)
		if z.Sign() != 0 && z.MantExp(nil) > scale+64-int(prec) {
			return ddFloat(z)
		}
	}
	return dd{} // below 2^-1200: payoffs there are below smallest
}

// equalsPower reports whether r = base^a, giving up (false) on huge powers.
func equalsPower(r, base *big.Rat, a int) bool {
	if a < 0 || a*(base.Num().BitLen()+base.Denom().BitLen()) > 1<<20 {
		return false
	}
	n := new(big.Int).Exp(base.Num(), big.NewInt(int64(a)), nil)
	d := new(big.Int).Exp(base.Denom(), big.NewInt(int64(a)), nil)
	return r.Num().Cmp(n) == 0 && r.Denom().Cmp(d) == 0
}

// enclose returns ε between two numbers of the given precision.
func (e Epsilon) enclose(prec uint) enclosure {
	if e.exp {
		return encloseLog(e.rat, prec)
	}
	return encloseRat(e.rat, prec)
}
