package mechanisms

import (
	"errors"
	"math/big"
	"slices"

	"checkrr/impl/interval"
	"checkrr/verify/audit"
)

// normalLaw is the law of 0 or 1 with noise Y that is normal and rounded to a grid, or discrete normal: an output y,
// or a number y that is rounded, has the loss (1 − 2y)/(2σ²).
type normalLaw struct {
	variance *big.Rat                                    // σ²
	grid     *big.Rat                                    // outputs are its multiples
	above    func(x *big.Rat) (interval.Interval, error) // Pr[Y > x] = Pr[Y < −x], for x > 0 that is no output
}

// dpCase is for a claim of DP.
func (l normalLaw) dpCase(p Params, run func(f int) program) *Case {
	return wholeCase(p.dp(), 0, 1, run, func() ([]audit.Cell, error) { return l.cells(p.Eps) })
}

// cells has the two outputs between which the loss is ε, the two between which it is −ε, and what is beside them. There
// all losses are above ε, or all are between, or all below −ε, so that the cells decide what δ is needed.
func (l normalLaw) cells(eps *big.Rat) ([]audit.Cell, error) {
	cuts := l.cuts(eps)
	var cells []audit.Cell
	for i := range len(cuts) + 1 {
		var low, high *big.Rat // nil where there is no end
		if i > 0 {
			low = cuts[i-1]
		}
		if i < len(cuts) {
			high = cuts[i]
		}
		cell := audit.Cell{Name: rangeName("#", cuts, quo(l.grid, whole(2)), i)}
		for f := range cell.P {
			var err error
			if cell.P[f], err = l.between(low, high, whole(f)); err != nil {
				return nil, err
			}
		}
		if !l.single(low, high) {
			cell = cell.WithLoss(l.lossAt(high), l.lossAt(low))
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// cuts returns the ends of the cells, midway between outputs.
func (l normalLaw) cuts(eps *big.Rat) []*big.Rat {
	half := quo(l.grid, whole(2))
	at := l.down(sub(big.NewRat(1, 2), mul(eps, l.variance))) // the loss is ε there, or before the next output
	var cuts []*big.Rat
	for k := range 3 {
		cut := add(at, mul(half, whole(2*k-1)))
		cuts = append(cuts, cut, sub(one, cut))
	}
	slices.SortFunc(cuts, (*big.Rat).Cmp)
	return slices.CompactFunc(cuts, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
}

// down returns the largest multiple of the grid that is at most x.
func (l normalLaw) down(x *big.Rat) *big.Rat {
	times := quo(x, l.grid)
	floor := new(big.Int).Div(times.Num(), times.Denom()) // Euclidean, by a positive number
	return mul(l.grid, new(big.Rat).SetInt(floor))
}

// single reports whether there is one output between two cuts.
func (l normalLaw) single(low, high *big.Rat) bool {
	return low != nil && high != nil && sub(high, low).Cmp(l.grid) == 0
}

// lossAt returns (1 − 2y)/(2σ²), or nil where there is no end.
func (l normalLaw) lossAt(y *big.Rat) *big.Rat {
	if y == nil {
		return nil
	}
	double := whole(2)
	return quo(sub(one, mul(double, y)), mul(double, l.variance))
}

// between returns the probability that low < f + Y < high, where one end may be missing. Tails are subtracted on the
// side where they are small.
func (l normalLaw) between(low, high, f *big.Rat) (interval.Interval, error) {
	switch {
	case low == nil:
		return l.tail(sub(f, high))
	case high == nil:
		return l.tail(sub(low, f))
	}
	low, high = sub(low, f), sub(high, f)
	if high.Sign() < 0 {
		low, high = neg(high), neg(low)
	}
	more, err0 := l.tail(low)
	less, err1 := l.tail(high)
	if err := errors.Join(err0, err1); err != nil {
		return interval.Interval{}, err
	}
	return normalBits.Max0(normalBits.Sub(more, less)), nil
}

// tail returns Pr[Y > x].
func (l normalLaw) tail(x *big.Rat) (interval.Interval, error) {
	if x.Sign() > 0 {
		return l.above(x)
	}
	p, err := l.above(neg(x))
	if err != nil {
		return interval.Interval{}, err
	}
	return complement(p), nil
}
