package certify

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/certify/internal/num"
)

// pair is a finite pair of laws by its losses ln(P/Q), the largest first: what outputs with P > 0 and Q > 0 do,
// those of one loss together. Outputs with P = 0 are worth nothing.
type pair struct {
	ratio    []*big.Rat // P/Q, falling
	mass     []*big.Rat // P-masses
	infinity *big.Rat   // P-mass where Q = 0
}

// pair returns the pair of a mechanism that is given by laws. If all its losses are infinite, there is a loss
// of 0 without mass.
func (m Mechanism) pair() pair {
	x := pair{infinity: new(big.Rat)}
	for _, o := range ByLoss(m.Law) {
		switch {
		case o[1].Sign() == 0:
			x.infinity = o[0]
		case o[0].Sign() > 0:
			x.ratio, x.mass = append(x.ratio, new(big.Rat).Quo(o[0], o[1])), append(x.mass, o[0])
		}
	}
	if len(x.ratio) == 0 {
		x.ratio, x.mass = []*big.Rat{num.One}, []*big.Rat{new(big.Rat)}
	}
	return x
}

// law returns x as a law of one mechanism.
func (x pair) law(prec uint) *law {
	l := &law{infinity: num.OfRat(x.infinity, prec).Hi, truncated: new(big.Float)}
	for _, mass := range x.mass {
		l.mass = append(l.mass, num.OfRat(mass, prec).Hi)
	}
	return l
}

// losses returns the losses of x, the largest first.
func (x pair) losses(f *frame) (losses []sum) {
	for _, ratio := range x.ratio {
		losses = append(losses, f.ln(ratio))
	}
	return losses
}

// magnitude returns |ln x| and the sign of ln x; 1 for ln 1.
func magnitude(x *big.Rat) (abs Number, sign int) {
	if x.Cmp(num.One) < 0 {
		return Number{new(big.Rat).Inv(x), true}, -1
	}
	return Number{x, true}, 1
}

// ln returns ln x, of which f knows the magnitude.
func (f *frame) ln(x *big.Rat) sum {
	abs, sign := magnitude(x)
	return sum{nats: new(big.Int)}.plus(sign, f.of(abs))
}

// numbers returns the magnitudes of the losses of x.
func (x pair) numbers() (xs []Number) {
	for _, ratio := range x.ratio {
		abs, _ := magnitude(ratio)
		xs = append(xs, abs)
	}
	return xs
}

// largest returns the largest finite loss of m.
func (m Mechanism) largest(f *frame) sum {
	switch {
	case m.Law != nil:
		return f.ln(m.pair().ratio[0])
	case m.IsContinuous(): // its runs have a node 0 of their own
		return sum{nats: new(big.Int)}
	}
	return f.of(m.Eps)
}

// leaks reports whether m has outputs that are impossible under P1, or losses without a limit.
func (m Mechanism) leaks() bool {
	switch {
	case m.IsContinuous():
		return m.Continuous().Leaks()
	case m.Law != nil:
		return slices.ContainsFunc(m.Law, func(o [2]*big.Rat) bool { return o[0].Sign() > 0 && o[1].Sign() == 0 })
	}
	return m.Delta.Sign() > 0
}

// Limits of laws.
const (
	maxOutcomes = 1 << 10 // of one
	maxLawSteps = 1 << 16 // mechanisms that are given by laws
)

// validateLaw returns an error for the first rule that a pair of laws breaks.
func validateLaw(law [][2]*big.Rat) error {
	if len(law) == 0 || len(law) > maxOutcomes {
		return fmt.Errorf("law has %d outputs, must have 1 to %d", len(law), maxOutcomes)
	}
	var columns [2][]*big.Rat
	for _, o := range law {
		for b, x := range o {
			if x == nil || x.Sign() < 0 {
				return fmt.Errorf("law has a probability that is no number, or below 0")
			}
			columns[b] = append(columns[b], x)
		}
	}
	for b, column := range columns {
		if num, denom := total(column); num.Cmp(denom) != 0 {
			return fmt.Errorf("the %s probabilities of law must sum to 1", [2]string{"first", "second"}[b])
		}
	}
	return nil
}

// total returns the sum of at least one number as a ratio that is not reduced: common factors of many long denominators
// take long to find.
func total(xs []*big.Rat) (num, denom *big.Int) {
	if len(xs) == 1 {
		return xs[0].Num(), xs[0].Denom()
	}
	a, b := total(xs[:len(xs)/2])
	c, d := total(xs[len(xs)/2:])
	if b.Cmp(d) == 0 {
		return new(big.Int).Add(a, c), b
	}
	num = new(big.Int).Mul(a, d)
	return num.Add(num, new(big.Int).Mul(c, b)), new(big.Int).Mul(b, d)
}
