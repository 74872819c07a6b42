package mechanisms

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

const rounded = "outputs are rounded to multiples of 2^-20"

func laplaceFamily() []Mechanism {
	return []Mechanism{
		{
			Name: "laplace", Title: "Laplace mechanism for one count; " + rounded, Source: "AFD-D3.3, AFD-T3.6",
			defaults: Params{Eps: one, Delta: new(big.Rat), Noise: one},
			make:     func(p Params) (*Case, error) { return laplaceCase(p, 1) },
		},
		{
			Name: "histogram", Title: "Laplace mechanism for all cells of a histogram; " + rounded, Source: "AFD-E3.2",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 3, Noise: one},
			make:     func(p Params) (*Case, error) { return laplaceCase(p, p.Queries) },
		},
		{
			Name: "toy", Title: "with heads a count with noise, with tails ⊥; " + rounded, Source: "ODP-X1",
			Claims:   []string{"odp", "dp"},
			defaults: Params{Eps: one, Delta: new(big.Rat)},
			make:     toyCase,
		},
		{
			Name: "laplace-small", Title: "Laplace mechanism with too little noise; " + rounded, Source: "AFD-D3.3",
			Wrong:    "the noise is Lap(0.8/ε): 1.25·ε",
			defaults: Params{Eps: one, Delta: new(big.Rat)},
			make: func(p Params) (*Case, error) {
				p.Noise = big.NewRat(4, 5)
				return laplaceCase(p, 1)
			},
		},
		{
			Name:     "histogram-inverted",
			Title:    "histogram with the inverse of the right scale; " + rounded,
			Source:   "AFD-E3.2",
			Wrong:    "the noise is Lap(ε), not Lap(1/ε): 1/ε",
			defaults: Params{Eps: big.NewRat(1, 2), Delta: new(big.Rat), Queries: 3},
			make: func(p Params) (*Case, error) {
				if p.Eps.Cmp(one) >= 0 {
					return nil, fmt.Errorf("eps is %s, must be less than 1, where Lap(ε) is less noise than Lap(1/ε)",
						shown(p.Eps))
				}
				p.Noise = mul(p.Eps, p.Eps)
				return laplaceCase(p, p.Queries)
			},
		},
		discreteLaplace(),
		laplaceFloat(),
	}
}

// laplaceCase has counts of which the first is 0 or 1, and the others are 0.
func laplaceCase(p Params, cells int) (*Case, error) {
	zero, first := make([]float64, cells), make([]float64, cells)
	first[0] = 1
	scale := quo(p.Noise, p.Eps)
	subject := "#"
	if cells > 1 {
		subject = "first #"
	}
	run := func(counts []float64) program { return laplaceProgram(counts, 1/float(scale)) }
	return wholeCase(p.dp(), zero, first, run,
		func() ([]audit.Cell, error) { return laplaceCells(subject, scale, p.Eps) }), nil
}

// numbersOf is the shape of so many numbers.
func numbersOf(n int) *audit.Shape {
	if n == 1 {
		return audit.Number
	}
	return audit.Numbers(n)
}

// laplaceProgram runs the Laplace mechanism on counts.
func laplaceProgram(counts []float64, eps float64) program {
	shape := numbersOf(len(counts))
	return func(n int, random noise.Random, s *audit.Sample) error {
		g := s.Group("", shape)
		if cap(g.Numbers)-len(g.Numbers) < n*len(counts) { // twice as many, at least
			g.Numbers = slices.Grow(g.Numbers, max(n*len(counts), len(g.Numbers)))
		}
		numbers, err := impl.AppendLaplace(g.Numbers, counts, 1, eps, n, random)
		if err != nil {
			return err
		}
		for i := len(g.Numbers); i < len(numbers); i++ {
			numbers[i] = round(numbers[i])
		}
		g.Numbers, g.Count = numbers, g.Count+n
		return nil
	}
}

// halfGrid is half of the grid: numbers between odd multiples of it are rounded to one
// point.
var halfGrid = new(big.Rat).SetFloat64(grid / 2)

// laplaceCells returns the cells of 0 + Lap(scale) against 1 + Lap(scale), rounded to the
// grid.
//
// The loss at y is (|y − 1| − |y|)/scale: 1/scale up to 0, −1/scale from 1 on, and it falls
// between. The tails are cells, and if the claimed ε is less than 1/scale, so are the points
// of the grid where the loss is ε or −ε. All other cells have losses above or below
// throughout, and so decide what δ is needed.
func laplaceCells(subject string, scale, eps *big.Rat) ([]audit.Cell, error) {
	cuts := []*big.Rat{neg(halfGrid), add(one, halfGrid)}
	crossing := quo(sub(one, mul(scale, eps)), whole(2)) // where the loss is ε
	if crossing.Sign() > 0 {
		f := round(float(crossing))
		at := new(big.Rat).SetFloat64(f)
		for _, x := range []*big.Rat{at, sub(one, at)} {
			cuts = append(cuts, sub(x, halfGrid), add(x, halfGrid))
		}
		slices.SortFunc(cuts, (*big.Rat).Cmp)
		cuts = slices.CompactFunc(cuts, func(x, y *big.Rat) bool { return x.Cmp(y) == 0 })
	}
	p, err0 := impl.LaplaceCells(new(big.Rat), scale, cuts)
	q, err1 := impl.LaplaceCells(one, scale, cuts)
	if err := errors.Join(err0, err1); err != nil {
		return nil, err
	}
	var cells []audit.Cell
	most := new(big.Rat).Inv(scale)
	for i := range p {
		low, high := neg(most), most
		if i > 0 {
			high = lossAt(cuts[i-1], scale)
		}
		if i < len(cuts) {
			low = lossAt(cuts[i], scale)
		}
		cell := audit.Cell{Name: rangeName(subject, cuts, halfGrid, i), P: [2]interval.Interval{p[i], q[i]}}
		cells = append(cells, cell.WithLoss(low, high))
	}
	return cells, nil
}

// lossAt returns (|y − 1| − |y|)/scale.
func lossAt(y, scale *big.Rat) *big.Rat {
	away := new(big.Rat).Abs(sub(y, one))
	return quo(away.Sub(away, new(big.Rat).Abs(y)), scale)
}

// rangeName writes what is between cuts i−1 and i, by the points of the grid that
// are; half is half of the grid.
func rangeName(subject string, cuts []*big.Rat, half *big.Rat, i int) string {
	show := func(x *big.Rat) string { return fmt.Sprintf("%.9g", float(x)) }
	switch i {
	case 0:
		return fmt.Sprintf("%s < %s", subject, show(add(cuts[0], half)))
	case len(cuts):
		return fmt.Sprintf("%s > %s", subject, show(sub(cuts[i-1], half)))
	}
	low, high := add(cuts[i-1], half), sub(cuts[i], half)
	if low.Cmp(high) == 0 {
		return fmt.Sprintf("%s = %s", subject, show(low))
	}
	return fmt.Sprintf("%s ≤ %s ≤ %s", show(low), subject, show(high))
}
