package noise

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sync"

	"checkrr/impl/certify/internal/num"
)

// Losses is a mechanism of which the law of the privacy loss ln(P/Q) is known: P-masses of losses. P-mass p at the
// loss l has Q-mass p·e^−l. What is missing from 1 under P is on outputs that are impossible under Q, and what is
// missing under Q on outputs that are impossible under P.
//
// Q-masses that sum to a little more than 1 come from losses and masses that are rounded. All are divided by their
// sum then: less Q-mass, or larger losses, only make values larger.
type Losses struct {
	lossLaw                  // after P and Q were exchanged
	list       [][2]*big.Rat // losses, rising, and their P-masses
	isReversed bool          // whether P and Q are exchanged
	other      *Losses
	digest     func() string // of the list
}

// Limits of losses.
const (
	MaxLosses     = 1 << 18 // of one mechanism
	MaxLoss       = 600     // with e^−600 of its mass under Q it is as good as infinite
	maxCommonBits = 1 << 18 // of a common denominator of the masses
)

// MostExcess is by how much Q-masses may be more than 1 together.
const MostExcess = 1e-9

// ExcessError says that Q-masses are more than 1 together.
type ExcessError struct{ sum *big.Float }

func (e *ExcessError) Error() string {
	return fmt.Sprintf("the masses under Q, mass·e^−loss, sum to about %.10g, must be at most 1", e.sum)
}

// NewLosses returns the mechanism with the P-masses of losses: pairs of a loss and its mass, by rising loss, which
// are copied. An error says the first rule that they break.
func NewLosses(list [][2]*big.Rat) (*Losses, error) {
	if len(list) == 0 || len(list) > MaxLosses {
		return nil, fmt.Errorf("there are %d losses, must be 1 to %d", len(list), MaxLosses)
	}
	var masses []*big.Rat
	for i, x := range list {
		switch {
		case x[0] == nil || x[1] == nil || x[1].Sign() <= 0:
			return nil, fmt.Errorf("loss %d or its mass is no number, or the mass is not above 0", i+1)
		case x[0].Cmp(big.NewRat(MaxLoss, 1)) > 0 || x[0].Cmp(big.NewRat(-MaxLoss, 1)) < 0:
			return nil, fmt.Errorf("loss %d must be between -%d and %d", i+1, MaxLoss, MaxLoss)
		case i > 0 && x[0].Cmp(list[i-1][0]) <= 0:
			return nil, fmt.Errorf("loss %d is not above the one before it", i+1)
		}
		masses = append(masses, x[1])
	}
	sum, denom, err := SumOf(masses)
	if err != nil {
		return nil, err
	}
	missing := sum.Sub(denom, sum)
	l := &Losses{list: copyOf(list)}
	l.digest = sync.OnceValue(func() string { return num.DigestOf(l.list) })
	switch missing.Sign() {
	case -1:
		return nil, errors.New("the masses sum to more than 1")
	case 1:
		l.infinity = ofBig(missing).Quo(ofBig(denom), 53).Span().Probability()
	}
	return l, l.weigh()
}

// SumOf returns the sum of numbers that have a common denominator of no more than 2^18 bits, as a ratio that is not
// in lowest terms.
func SumOf(xs []*big.Rat) (num, denom *big.Int, err error) {
	num, denom = new(big.Int), big.NewInt(1)
	byDenom := map[string]*big.Rat{} // few, where numbers are decimals
	for _, x := range xs {
		key := string(x.Denom().Bytes())
		if y := byDenom[key]; y == nil {
			byDenom[key] = new(big.Rat).Set(x)
		} else {
			y.Num().Add(y.Num(), x.Num()) // not in lowest terms
		}
	}
	for _, x := range byDenom {
		g := new(big.Int).GCD(nil, nil, denom, x.Denom())
		up := new(big.Int).Quo(x.Denom(), g)
		num.Mul(num, up)
		num.Add(num, g.Mul(x.Num(), g.Quo(denom, g)))
		if denom.Mul(denom, up); denom.BitLen() > maxCommonBits {
			return nil, nil, fmt.Errorf("the masses have a common denominator of more than %d bits", maxCommonBits)
		}
	}
	return num, denom, nil
}

// ofBig returns n.
func ofBig(n *big.Int) num.Interval {
	return num.Interval{Lo: new(big.Float).SetInt(n), Hi: new(big.Float).SetInt(n)}
}

// weigh finds the Q-masses, in both orders.
func (l *Losses) weigh() error {
	const prec = 96
	sum, qs := num.OfInt(0), make([]num.Interval, len(l.list))
	for i, x := range l.list {
		qs[i] = qMass(x[0], x[1], prec)
		sum = sum.Add(qs[i], prec)
	}
	if most := new(big.Float).Add(big.NewFloat(1), big.NewFloat(MostExcess)); sum.Lo.Cmp(most) > 0 {
		return &ExcessError{sum.Lo}
	}
	l.other = &Losses{list: l.list, isReversed: !l.isReversed, other: l, digest: l.digest}
	excess := num.Exactly(0) // of losses
	one := big.NewFloat(1)
	if sum.Lo.Cmp(one) < 0 { // by as much, or, if it may be more than 1, by less
		kept := num.Interval{Lo: sum.Lo, Hi: num.Smaller(sum.Hi, one)}
		l.other.infinity = num.OfInt(1).Sub(kept, prec).Span().Probability()
	}
	if sum.Hi.Cmp(one) > 0 {
		sum.Lo = num.Larger(sum.Lo, big.NewFloat(1))
		excess = sum.Span().Log().AtLeast0()
	} else {
		sum = num.OfInt(1)
	}
	for i, x := range l.list {
		a := Atom{num.SpanOf(x[0]), num.SpanOf(x[1]).Probability(), qs[i].Quo(sum, prec).Span().Probability()}
		if excess.Hi > 0 {
			a.Loss = a.Loss.Plus(excess)
		}
		l.atoms = append(l.atoms, a)
		l.other.atoms = append(l.other.atoms, Atom{a.Loss.Negated(), a.Q, a.P})
	}
	slices.Reverse(l.other.atoms)
	return nil
}

// qMass returns mass·e^−loss.
func qMass(loss, mass *big.Rat, prec uint) num.Interval {
	p, x := num.OfRat(mass, prec), num.OfRat(new(big.Rat).Abs(loss), prec+16)
	if loss.Sign() < 0 {
		return p.Quo(num.ExpNeg(x, prec), prec)
	}
	return p.Mul(num.ExpNeg(x, prec), prec)
}

// List returns copies of the losses, rising, and of their P-masses, before P and Q were exchanged.
func (l *Losses) List() [][2]*big.Rat { return copyOf(l.list) }

// copyOf returns pairs of numbers in memory of their own.
func copyOf(list [][2]*big.Rat) [][2]*big.Rat {
	own := slices.Clone(list)
	for i, x := range own {
		own[i] = [2]*big.Rat{new(big.Rat).Set(x[0]), new(big.Rat).Set(x[1])}
	}
	return own
}

// IsReversed reports whether P and Q are exchanged.
func (l *Losses) IsReversed() bool { return l.isReversed }

// Reversed returns l with P and Q exchanged.
func (l *Losses) Reversed() *Losses { return l.other }

// Fault returns the rule that l breaks; empty if there is none.
func (l *Losses) Fault() string {
	if l.atoms == nil {
		return "there are no losses, must be made by NewLosses"
	}
	return ""
}

// Key is the same for the same losses only.
func (l *Losses) Key() string { return fmt.Sprintf("losses %t %s", l.isReversed, l.digest()) }
