package noise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
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
	list       [][2]*big.Rat // losses, rising, and their P-masses
	isReversed bool          // whether P and Q are exchanged
	atoms      []lossAtom    // by rising loss, after that
	infinity   num.Span      // P-mass where Q = 0, after that
	other      *Losses
	digest     func() string // of the list
}

// lossAtom is the outputs of one loss.
type lossAtom struct{ loss, p, q num.Span }

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
	l := &Losses{list: copyOf(list), infinity: num.Exactly(0)}
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
	l.other = &Losses{list: l.list, isReversed: !l.isReversed, other: l, infinity: num.Exactly(0), digest: l.digest}
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
		a := lossAtom{num.SpanOf(x[0]), num.SpanOf(x[1]).Probability(), qs[i].Quo(sum, prec).Span().Probability()}
		if excess.Hi > 0 {
			a.loss = a.loss.Plus(excess)
		}
		l.atoms = append(l.atoms, a)
		l.other.atoms = append(l.other.atoms, lossAtom{a.loss.Negated(), a.q, a.p})
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

// Infinity returns the P-mass where Q = 0, or a little more.
func (l *Losses) Infinity() float64 { return l.infinity.Hi }

// About returns about the losses and their P-masses, some neighbours as one if there are more than most.
func (l *Losses) About(most int) (losses, masses []float64) {
	for group := range slices.Chunk(l.atoms, (len(l.atoms)+most-1)/most) {
		mass, mean := 0.0, 0.0
		for _, a := range group {
			mass += a.p.Hi
		}
		for _, a := range group {
			mean += a.p.Hi / mass * a.loss.Hi
		}
		losses, masses = append(losses, mean), append(masses, mass)
	}
	return losses, masses
}

// Fault returns the rule that l breaks; empty if there is none.
func (l *Losses) Fault() string {
	if l.atoms == nil {
		return "there are no losses, must be made by NewLosses"
	}
	return ""
}

// Key is the same for the same losses only.
func (l *Losses) Key() string { return fmt.Sprintf("losses %t %s", l.isReversed, l.digest()) }

// Most returns the largest loss or a little more, at least 0.
func (l *Losses) Most() *big.Rat {
	return new(big.Rat).SetFloat64(max(0, l.atoms[len(l.atoms)-1].loss.Hi))
}

// only implements [dense].
func (l *Losses) only(from, to float64) dense {
	after := func(loss float64) int {
		return sort.Search(len(l.atoms), func(i int) bool { return l.atoms[i].loss.Hi > loss })
	}
	x := *l
	first := after(from)
	x.atoms = l.atoms[first:max(first, after(to))]
	if !math.IsInf(to, 1) {
		x.infinity = num.Exactly(0)
	}
	return &x
}

// weight implements [dense].
func (l *Losses) weight() float64 {
	mass := l.infinity.Hi
	for _, a := range l.atoms {
		mass += a.p.Hi
	}
	return outward(mass, float64(len(l.atoms)), true)
}

// ends returns the nodes between which all losses are, but for a P-mass of about cut on each side.
func (l *Losses) ends(r ruler, cut float64) (low, high int, err error) {
	least, most := r.limits()
	if len(l.atoms) == 0 {
		return 0, 1, nil
	}
	first, last := 0, len(l.atoms)-1
	for sum := l.atoms[first].p.Hi; sum <= cut && first < last; sum += l.atoms[first].p.Hi {
		first++
	}
	for sum := l.atoms[last].p.Hi; sum <= cut && first < last; sum += l.atoms[last].p.Hi {
		last--
	}
	node := func(x, shift float64) int {
		return int(min(max(float64(least), math.Floor((x-r.nominal.Lo)/r.unit.Lo)+shift), float64(most)))
	}
	low, high = node(l.atoms[first].loss.Lo, 0), node(l.atoms[last].loss.Hi, 2)
	if high-low >= num.MaxWindow {
		return 0, 0, num.ErrWindow
	}
	return min(low, high-1), high, nil
}

// above returns cells that dominate the mechanism: P-mass and Q-mass of a loss go to the two nodes beside it such
// that both stay what they are. With p(x) = 1 − e^−x, the part p(t)/p(unit) is for the upper node, t above the lower
// one.
func (l *Losses) above(ctx context.Context, r ruler, cut float64) (*Cells, error) {
	low, high, err := l.ends(r, cut)
	if err != nil {
		return nil, err
	}
	n := high - low + 1
	c := &Cells{Low: low, Mass: [2][]float64{make([]float64, n), nil}, Infinity: l.infinity.Hi}
	oneMinusExp := func(x num.Span) num.Span { return x.Negated().Expm1().Negated() }
	unit := oneMinusExp(r.unit)
	add := func(to *float64, mass float64) { *to = num.Up1(*to + max(0, mass)) }
	for _, a := range l.atoms {
		upper := r.from(a.loss.Hi)
		if r.isTop {
			upper = min(upper, 0)
		}
		switch {
		case upper > high:
			add(&c.Infinity, a.p.Hi)
		case upper <= low:
			add(&c.Mass[0][0], a.p.Hi)
		default:
			over := max(0, a.loss.Minus(r.at(float64(upper-1))).Hi)
			b := min(a.p.Hi, num.Exactly(a.p.Hi).Times(oneMinusExp(num.Exactly(over))).Over(unit).Hi)
			add(&c.Mass[0][upper-low-1], num.Up1(a.p.Hi-b))
			add(&c.Mass[0][upper-low], b)
		}
	}
	c.Total = num.Dot(c.Mass[0], nil) * (1 + 2*num.SumRounds(n)*0x1p-53)
	return c, ctx.Err()
}

// from returns about the first node that loses at least so much, and certainly one that does.
func (r ruler) from(loss float64) int {
	n := math.Floor(min(max(-num.MaxWindow, (loss-r.nominal.Lo)/r.unit.Lo), num.MaxWindow)) - 1
	for r.at(n).Lo < loss && n <= num.MaxWindow {
		n++
	}
	return int(n)
}

// below returns cells that the mechanism dominates: what is told is which node a loss is the nearest of. Losses below
// all nodes are left out, as with noise.
func (l *Losses) below(ctx context.Context, r ruler, cut float64) (*Cells, error) {
	low, high, err := l.ends(r, cut)
	if err != nil {
		return nil, err
	}
	n := high - low + 1
	c := &Cells{Low: low, Mass: [2][]float64{make([]float64, n), make([]float64, n)},
		Infinity: l.infinity.Lo}
	for _, a := range l.atoms {
		node := math.Round((a.loss.Lo - r.nominal.Lo) / r.unit.Lo)
		if node < float64(low) {
			continue
		}
		i := int(min(node-float64(low), float64(n-1)))
		c.Mass[0][i] = max(0, num.Exactly(c.Mass[0][i]).Plus(a.p).Lo)
		c.Mass[1][i] = num.Up1(c.Mass[1][i] + a.q.Times(r.ratio(low+i)).Hi)
	}
	return c, ctx.Err()
}
