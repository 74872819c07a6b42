package impl

// charge is a charged loss E(P_i), as given and as a dd.
type charge struct {
	eps   Epsilon
	value dd
	slack float64 // bounds the error of value
}

func newCharge(e Epsilon) charge {
	v := e.dd()
	return charge{e, v, (e.error() + ddError) * v.hi}
}

// axis says which loss the nodes of a place have. On an exact lattice it is
// (place.origin + 2m)·half for node m, on a grid place.base + unit·m.
type axis struct {
	unit   dd // loss between neighbouring nodes
	shrink dd // e^(−unit)
	grow   dd // e^unit, or 0 where that is of no use
	half   *Epsilon
	halfDD dd

	isRough bool // whether gaps may have the errors of dd, where values need not be certified
}

// place is a point between two steps of a walk.
type place struct {
	origin int
	base   dd
}

// latticeAxis returns the axis of an exact lattice.
func latticeAxis(half Epsilon) axis {
	x := gridAxis(half.dd().exactly(2))
	x.half, x.halfDD = &half, half.dd()
	return x
}

// gridAxis returns the axis of a grid.
func gridAxis(unit dd) axis {
	x := axis{unit: unit, shrink: expOrZero(unit.neg())}
	if unit.hi < 1 {
		x.grow = dd{1, 0}.div(x.shrink)
	}
	return x
}

// loss returns the loss of node m.
func (x *axis) loss(p place, m int) dd {
	if x.half != nil {
		return x.halfDD.times(float64(p.origin + 2*m))
	}
	return p.base.add(x.unit.times(float64(m)))
}

// gapError bounds the relative error of a gap on an exact lattice, if the gap is
// above leastGap.
const (
	gapError = 0x1p-50
	leastGap = 1e-270
)

// gap returns E − ℓ for node m of place p, ℓ its loss.
// On an exact lattice the relative error is below gapError, the sign is right, and
// 0 is exactly 0.
func (x *axis) gap(e *charge, p place, m int) dd {
	loss := x.loss(p, m)
	z := e.value.sub(loss)
	if x.half == nil || x.isRough || abs(z.hi) > leastGap && abs(z.hi)*gapError > e.slack+(x.half.error()+2*ddError)*abs(loss.hi) {
		return z
	}
	return exactGap(e.eps, []generator{{eps: *x.half}}, []int{p.origin + 2*m})
}

// enclose returns ε between two numbers of the given precision.
func (e Epsilon) enclose(prec uint) enclosure {
	if e.exp {
		return encloseLog(e.rat, prec)
	}
	return encloseRat(e.rat, prec)
}
