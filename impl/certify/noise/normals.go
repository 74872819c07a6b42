package noise

import (
	"math"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// normals is Gaussian noise of scale 1 around one of several numbers, at random, or around 0. The ratio of the
// densities is Σ w_i·e^(d_i·y − d_i²/2), which rises with y as all d_i are above 0.
type normals struct {
	each   []normal   // their d rise
	weight []num.Span // with the sum 1
	log    []float64  // about ln w_i − d_i²/2
}

// newNormals returns noise of a scale, where something is contributed: amounts with probabilities, of which all is
// the sum.
func newNormals(amounts [][2]*big.Rat, all, scale *big.Rat) *normals {
	n := &normals{}
	for _, x := range amounts {
		one := newNormal(num.SpanOf(new(big.Rat).Quo(x[0], scale)))
		weight := num.SpanOf(new(big.Rat).Quo(x[1], all))
		n.each, n.weight = append(n.each, one), append(n.weight, weight)
		n.log = append(n.log, math.Log(weight.Hi)-one.half.Hi)
	}
	return n
}

// about returns about η and its slope at y.
func (n *normals) about(y float64) (eta, slope float64) {
	most, sum := math.Inf(-1), 0.0
	for i, l := range n.log {
		most = max(most, l+n.each[i].d.Lo*y)
	}
	for i, l := range n.log {
		d := n.each[i].d.Lo
		part := math.Exp(l + d*y - most)
		sum += part
		slope += d * part
	}
	return most + math.Log(sum), slope / sum
}

// place starts from the least y at which one of the terms alone is e^η. η is convex: Newton's method falls to the root
// from there.
func (n *normals) place(eta float64) float64 {
	if math.IsInf(eta, 0) {
		return eta
	}
	const most, enough = 64, 0x1p-50
	y := math.Inf(1)
	for i, l := range n.log {
		y = min(y, (eta-l)/n.each[i].d.Lo)
	}
	for range most {
		x, slope := n.about(y)
		by := (x - eta) / slope
		if y -= by; math.Abs(by) <= enough*(math.Abs(y)+1) {
			break
		}
	}
	return y
}

func (n *normals) beside(y float64, try int, isUp bool) float64 {
	if math.IsInf(y, 0) {
		return y
	}
	_, slope := n.about(y)
	last := n.each[len(n.each)-1].d.Lo
	by := ((math.Abs(y)+last)*last + 1) / slope * math.Ldexp(0x1p-52, 2*try)
	if isUp {
		return y + by
	}
	return y - by
}

func (n *normals) edge(y float64) edge {
	e := n.each[0].edge(y)
	if math.IsInf(y, 0) {
		return e
	}
	e.below = num.Exactly(0)
	for i, one := range n.each {
		e.below = e.below.Plus(n.weight[i].Times(num.Exactly(y).Times(one.d).Minus(one.half).Exp()))
	}
	e.below = e.below.AtLeast0()
	e.above = e.below
	return e
}

func (n *normals) between(from, to edge) (with, without num.Span) {
	for i, one := range n.each {
		x := from
		if one.isNarrow(from, to) {
			x = one.edge(from.y)
		}
		part, rest := one.between(x, to)
		with, without = with.Plus(n.weight[i].Times(part)), rest
	}
	return with.AtLeast0(), without
}
