package exhaustive

import (
	"fmt"
	"math/big"
)

// The precisions, in bits, that [Enclose] accepts.
const (
	minPrec = 24
	maxPrec = 4096
)

// Interval contains a real number: Lo ≤ number ≤ Hi. Both ends are finite.
type Interval struct {
	Lo, Hi *big.Float
}

// String returns the interval with 17 digits, each end rounded to nearest.
func (v Interval) String() string { return fmt.Sprintf("[%.17g, %.17g]", v.Lo, v.Hi) }

// isZero reports whether v is the number 0 exactly.
func (v Interval) isZero() bool { return v.Lo.Sign() == 0 && v.Hi.Sign() == 0 }

// enclosing is the arithmetic of intervals whose ends have prec bits and are
// rounded outward.
type enclosing struct {
	prec uint
}

// down returns a new number that rounds toward −∞, up one toward +∞.
func (n enclosing) down() *big.Float {
	return new(big.Float).SetPrec(n.prec).SetMode(big.ToNegativeInf)
}
func (n enclosing) up() *big.Float { return new(big.Float).SetPrec(n.prec).SetMode(big.ToPositiveInf) }

// round returns an interval of prec bits around v.
func (n enclosing) round(v Interval) Interval { return Interval{n.down().Set(v.Lo), n.up().Set(v.Hi)} }

func (n enclosing) rat(x *big.Rat) Interval { return Interval{n.down().SetRat(x), n.up().SetRat(x)} }

func (n enclosing) exp(e Epsilon) (Interval, error) {
	if e.Exp {
		return n.rat(e.Rat), nil
	}
	return n.expRat(e.Rat), nil
}

func (n enclosing) add(x, y Interval) Interval {
	return Interval{n.down().Add(x.Lo, y.Lo), n.up().Add(x.Hi, y.Hi)}
}

func (n enclosing) sub(x, y Interval) Interval {
	return Interval{n.down().Sub(x.Lo, y.Hi), n.up().Sub(x.Hi, y.Lo)}
}

func (n enclosing) mul(x, y Interval) Interval {
	return Interval{n.down().Mul(x.Lo, y.Lo), n.up().Mul(x.Hi, y.Hi)}
}

func (n enclosing) quo(x, y Interval) Interval {
	return Interval{n.down().Quo(x.Lo, y.Hi), n.up().Quo(x.Hi, y.Lo)}
}

func (n enclosing) max(x, y Interval) Interval {
	return Interval{larger(x.Lo, y.Lo), larger(x.Hi, y.Hi)}
}

func larger[X interface{ Cmp(X) int }](x, y X) X {
	if x.Cmp(y) > 0 {
		return x
	}
	return y
}
