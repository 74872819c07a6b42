package noise

import (
	"math"

	"checkrr/impl/certify/internal/num"
)

// swap is Gaussian noise of scale 1 where a record is another one. With the probability rate the noise is around d with
// the one and around −d with the other. Otherwise it is the same with both: around 0 if what is left is the sum
// without them, and, if another record is in their place, what is common to the two laws around d and −d, with the rest
// of it at 0, where nothing is lost. All of it is the same with y and −y exchanged.
type swap struct {
	normal     // with d
	rate, rest num.Span
	isReplaced bool     // whether another record is in their place
	untold     num.Span // of what is common then, what is at 0
}

func newSwap(d, rate, rest num.Span, isReplaced bool) swap {
	return swap{newNormal(d), rate, rest, isReplaced, normalBetween(d.Negated(), d)}
}

func (s swap) place(eta float64) float64 {
	if eta < 0 {
		return -s.place(-eta)
	}
	d, h, rate := s.d.Lo, s.half.Lo, s.rate.Lo
	more := math.Expm1(eta)
	switch {
	case eta == 0:
		return 0
	case s.isReplaced:
		return math.Log1p(more/rate) / (2 * d)
	case h > num.MostExponent:
		return math.Log(s.rest.Lo*more/rate)/d + d/2
	}
	more *= s.rest.Lo
	with := (more + math.Hypot(more, 2*math.Exp(eta/2-h)*rate)) / 2 // rate·e^(dy − h)
	return (math.Log(with/rate) + h) / d
}

// beside goes, where hardly anything is lost, to where there is: that may be far.
func (s swap) beside(y float64, try int, isUp bool) float64 {
	const hardly = 0x1p-46
	if math.IsInf(y, 0) {
		return y
	}
	d, x := s.d.Lo, math.Abs(y)
	to := s.place(math.Ldexp(hardly, 2*try))
	if x >= to {
		part := func(eta float64) float64 { return 1 / (1 + s.rest.Lo/s.rate.Lo*math.Exp(-eta)) }
		slope := d * (part(d*x-s.half.Lo) + part(-d*x-s.half.Lo))
		if s.isReplaced {
			slope = 2 * d * part(2*d*x)
		}
		by := min(((x+d)*d+1)/slope*math.Ldexp(0x1p-52, 2*try), x+d)
		if !isUp {
			by = -by
		}
		return y + by
	}
	if isUp {
		return to
	}
	return -to
}

// edge looks at y ≥ 0. At 0 there is more that loses nothing, of all that is from there on.
func (s swap) edge(y float64) edge {
	if y < 0 {
		e := s.edge(-y)
		one := num.Exactly(1)
		e.y, e.below, e.above = y, one.Over(e.below), one.Over(e.above)
		return e
	}
	e := edge{y: y, below: num.Exactly(y)}
	switch by := num.Exactly(y).Times(s.d); {
	case y == 0:
		e.below = num.Exactly(1)
	case math.IsInf(y, 1):
	case s.isReplaced:
		e.below = s.rest.Plus(s.rate.Times(by.Plus(by).Exp()))
	default:
		with := s.rest.Plus(s.rate.Times(by.Minus(s.half).Exp()))
		e.below = with.Over(s.rest.Plus(s.rate.Times(by.Negated().Minus(s.half).Exp())))
	}
	e.above = e.below
	return e
}

func (s swap) between(from, to edge) (with, without num.Span) {
	around := func(from, to float64) (one, none num.Span) {
		return s.normal.between(s.normal.edge(from), s.normal.edge(to))
	}
	with, same := around(from.y, to.y)
	without, _ = around(-to.y, -from.y)
	if s.isReplaced {
		same = num.Exactly(0)
		if from.y < 0 {
			x, _ := around(from.y, min(to.y, 0))
			same = same.Plus(x)
		}
		if to.y > 0 {
			x, _ := around(-to.y, -max(from.y, 0))
			same = same.Plus(x)
		}
		if from.y <= 0 && to.y > 0 {
			same = same.Plus(s.untold)
		}
	}
	same = s.rest.Times(same.AtLeast0())
	return s.rate.Times(with.AtLeast0()).Plus(same).AtLeast0(), s.rate.Times(without.AtLeast0()).Plus(same).AtLeast0()
}
