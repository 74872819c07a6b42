package ledger

import (
	"math/big"

	"checkrr/impl/internal/adversary"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// payoff is what it is worth to stop at a loss of so many units, max(0, 1 − e^(ε−ℓ)).
type payoff struct {
	unit, eps loss.Epsilon
	step, at0 interval.Interval // the unit and ε
	first     int               // the least loss that exceeds ε
	known     map[int]interval.Float
}

func newPayoff(unit, eps loss.Epsilon) *payoff {
	p := &payoff{unit: unit, eps: eps, step: loss.Enclose(unit, bits), at0: loss.Enclose(eps, bits),
		known: map[int]interval.Float{}}
	about := loss.Float64(eps) / loss.Float64(unit)
	if !(about < adversary.Never-2) {
		p.first = adversary.Never
		return p
	}
	p.first = firstAbove(unit, eps, int(about))
	return p
}

// at returns the worth of n units: the difference is enclosed to 192 bits, so that nothing is lost next to ε; from a
// difference of 1 on float64 is enough.
func (p *payoff) at(n int) interval.Float {
	if n < p.first {
		return interval.Point(0)
	}
	if x, ok := p.known[n]; ok {
		return x
	}
	d := bits.Sub(bits.Mul(bits.Int(int64(n)), p.step), p.at0)
	x := interval.Point(1)
	if f := d.Float(); f.Lo >= 1 {
		x = x.Sub(f.Neg().Exp()).Within(0, 1)
	} else {
		x = bits.Max0(bits.Sub(bits.Int(1), bits.Exp(bits.Neg(d)))).Float()
	}
	p.known[n] = x
	return x
}

// exactly returns the worth of n units, or a number hardly above it.
func (p *payoff) exactly(n int) *big.Rat {
	if n < p.first {
		return new(big.Rat)
	}
	if p.unit.Log && p.eps.Log {
		q := rational.Power(p.unit.Rat(), n)
		return q.Sub(rational.One, q.Quo(p.eps.Rat(), q))
	}
	return new(big.Rat).SetFloat64(p.at(n).Hi)
}

// firstAbove returns the least number of units that is more than ε, of which about n are ε.
func firstAbove(unit, eps loss.Epsilon, n int) int {
	for exceeds(unit, n, eps) {
		n--
	}
	for !exceeds(unit, n, eps) {
		n++
	}
	return n
}

// exceeds reports whether n units are more than ε.
func exceeds(unit loss.Epsilon, n int, eps loss.Epsilon) bool {
	return multipleOf(unit, n).Minus(loss.Of(eps)).Sign() > 0
}

// multipleOf returns n·unit.
func multipleOf(unit loss.Epsilon, n int) loss.Sum {
	if unit.Log {
		return loss.Of(loss.Exp(rational.Power(unit.Rat(), n)))
	}
	return loss.OfRat(new(big.Rat).Mul(unit.Rat(), new(big.Rat).SetInt64(int64(n))))
}
