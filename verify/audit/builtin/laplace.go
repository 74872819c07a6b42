package builtin

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/audit"
)

const rounded = "outputs are rounded to multiples of 2^-20"

func laplaceFamily() []Mechanism {
	return []Mechanism{
		{
			Name: "laplace", Title: "Laplace mechanism for one count; " + rounded, Source: "AFD-D3.3, AFD-T3.6",
			Claims:   []string{"dp"},
			Defaults: Params{Eps: one, Delta: new(big.Rat), Noise: one, Room: "impl"},
			make:     func(p Params) (*Case, error) { return laplaceCase(p, 1) },
		},
		{
			Name: "histogram", Title: "Laplace mechanism for all cells of a histogram; " + rounded, Source: "AFD-E3.2",
			Claims:   []string{"dp"},
			Defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 3, Noise: one, Room: "impl"},
			make:     func(p Params) (*Case, error) { return laplaceCase(p, p.Queries) },
		},
		{
			Name: "toy", Title: "with heads a count with noise, with tails ⊥; " + rounded, Source: "ODP-X1",
			Claims:   []string{"odp", "dp"},
			Defaults: Params{Eps: one, Delta: new(big.Rat), Room: "impl"},
			make:     toyCase,
		},
		{
			Name: "laplace-small", Title: "Laplace mechanism with too little noise; " + rounded, Source: "AFD-D3.3",
			Wrong:    "the noise is Lap(0.8/ε): 1.25·ε",
			Claims:   []string{"dp"},
			Defaults: Params{Eps: one, Delta: new(big.Rat), Room: "impl"},
			make: func(p Params) (*Case, error) {
				p.Noise = big.NewRat(4, 5)
				return laplaceCase(p, 1)
			},
		},
		{
			Name: "histogram-inverted", Title: "histogram with the inverse of the right scale; " + rounded, Source: "AFD-E3.2",
			Wrong:    "the noise is Lap(ε), not Lap(1/ε): 1/ε",
			Claims:   []string{"dp"},
			Defaults: Params{Eps: big.NewRat(1, 2), Delta: new(big.Rat), Queries: 3, Room: "impl"},
			make: func(p Params) (*Case, error) {
				if p.Eps.Cmp(one) >= 0 {
					return nil, fmt.Errorf("eps is %s, must be less than 1, where Lap(ε) is less noise than Lap(1/ε)", shown(p.Eps))
				}
				p.Noise = mul(p.Eps, p.Eps)
				return laplaceCase(p, p.Queries)
			},
		},
		laplaceFloat(),
	}
}

// laplaceCase has counts of which the first is 0 or 1, and the others are 0.
func laplaceCase(p Params, cells int) (*Case, error) {
	zero, first := make([]float64, cells), make([]float64, cells)
	first[0] = 1
	scale := quo(p.Noise, p.Eps)
	name := func(counts []float64) string { return text(counts) }
	run := func(counts []float64) program { return laplaceProgram(counts, 1/float(scale), p.Room) }
	return &Case{
		Claim: p.dp(),
		Pairs: []audit.Pair{pair(zero, first, name, run)},
		Laws: func(context.Context) ([]audit.Law, error) {
			subject := "#"
			if cells > 1 {
				subject = "first #"
			}
			c, err := laplaceCells(subject, scale, p.Eps)
			return []audit.Law{{Inputs: [2]string{name(zero), name(first)}, Cells: c, Complete: true}}, err
		},
	}, nil
}

// shapeOf is the shape of so many numbers.
func shapeOf(numbers int) string {
	if numbers == 1 {
		return "#"
	}
	return "[#" + strings.Repeat(",#", numbers-1) + "]"
}

// laplaceProgram runs the Laplace mechanism on counts.
func laplaceProgram(counts []float64, eps float64, room string) program {
	return func(n int, noise impl.RandomNoise, s *audit.Sample) error {
		g := s.Group("", shapeOf(len(counts)), len(counts))
		if cap(g.Numbers)-len(g.Numbers) < n*len(counts) { // twice as many, at least
			g.Numbers = slices.Grow(g.Numbers, max(n*len(counts), len(g.Numbers)))
		}
		numbers, err := appendLaplace(g.Numbers, counts, eps, n, room, noise)
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

// appendLaplace appends the outputs of n runs.
func appendLaplace(numbers, counts []float64, eps float64, n int, room string, noise impl.RandomNoise) ([]float64, error) {
	if room == "impl" {
		return impl.AppendLaplace(numbers, counts, 1, eps, n, noise)
	}
	for range n {
		output, err := spec.LaplaceMechanism(counts, 1, eps, noise)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, output...)
	}
	return numbers, nil
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
		cell := audit.Cell{Name: rangeName(subject, cuts, i), P: [2]impl.Interval{p[i], q[i]}}
		cells = append(cells, cell.WithLoss(low, high))
	}
	return cells, nil
}

// lossAt returns (|y − 1| − |y|)/scale.
func lossAt(y, scale *big.Rat) *big.Rat {
	away := new(big.Rat).Abs(sub(y, one))
	return quo(away.Sub(away, new(big.Rat).Abs(y)), scale)
}

// rangeName writes what is between cuts i−1 and i, by the points of the grid that are.
func rangeName(subject string, cuts []*big.Rat, i int) string {
	show := func(x *big.Rat) string { return fmt.Sprintf("%.9g", float(x)) }
	switch i {
	case 0:
		return fmt.Sprintf("%s < %s", subject, show(add(cuts[0], halfGrid)))
	case len(cuts):
		return fmt.Sprintf("%s > %s", subject, show(sub(cuts[i-1], halfGrid)))
	}
	low, high := add(cuts[i-1], halfGrid), sub(cuts[i], halfGrid)
	if low.Cmp(high) == 0 {
		return fmt.Sprintf("%s = %s", subject, show(low))
	}
	return fmt.Sprintf("%s ≤ %s ≤ %s", show(low), subject, show(high))
}

// toyCase has f(x) = 0 or 1.
func toyCase(p Params) (*Case, error) {
	claim, parts := p.numberOrBottom(impl.Nats(p.Eps), impl.Nats(new(big.Rat)))
	run := func(f float64) program { return toyProgram(f, p, parts) }
	return &Case{
		Claim: claim,
		Pairs: []audit.Pair{pair(0, 1, func(f float64) string { return text(f) }, run)},
		Laws: func(context.Context) ([]audit.Law, error) {
			cells, err := laplaceCells("#", new(big.Rat).Inv(p.Eps), p.Eps)
			for i := range cells {
				for b := range cells[i].P {
					cells[i].P[b] = halved(cells[i].P[b])
				}
			}
			half := big.NewRat(1, 2)
			bottom := audit.ExactCell(`"⊥"`, len(claim.Parts)-1, half, half).WithLoss(new(big.Rat), new(big.Rat))
			return []audit.Law{{Inputs: [2]string{"0", "1"}, Cells: append(cells, bottom), Complete: true}}, err
		},
	}, nil
}

func toyProgram(f float64, p Params, parts [2]string) program {
	run, eps := impl.Toy, p.eps()
	if p.Room == "spec" {
		run = func(f, eps float64, heads func() bool, noise impl.Noise) (float64, bool, error) {
			return spec.Toy(f, eps, heads, noise)
		}
	}
	return func(n int, noise impl.RandomNoise, s *audit.Sample) error {
		heads := func() bool { return noise.Uint64()>>63 == 1 }
		return numbersOrBottom(n, parts, s, func() (float64, bool, error) {
			x, bottom, err := run(f, eps, heads, noise)
			return round(x), !bottom, err
		})
	}
}

// numbersOrBottom adds n outputs that are numbers, or ⊥.
func numbersOrBottom(n int, parts [2]string, s *audit.Sample, draw func() (x float64, ok bool, err error)) error {
	numbers := make([]float64, 0, n)
	for range n {
		x, ok, err := draw()
		if err != nil {
			return err
		}
		if ok {
			numbers = append(numbers, x)
		}
	}
	if len(numbers) > 0 {
		g := s.Group(parts[0], "#", 1)
		g.Count += len(numbers)
		g.Numbers = append(g.Numbers, numbers...)
	}
	if len(numbers) < n {
		s.Group(parts[1], `"⊥"`, 0).Count += n - len(numbers)
	}
	return nil
}

func laplaceFloat() Mechanism {
	return Mechanism{
		Name: "laplace-float", Title: "Laplace mechanism by inverse CDF in float64", Source: "Mironov 2012",
		Wrong:    "floating point: most outputs cannot come from the neighbour",
		Claims:   []string{"dp"},
		Bits:     true,
		Defaults: Params{Eps: one, Delta: new(big.Rat)},
		make: func(p Params) (*Case, error) {
			run := func(f float64) program { return floatProgram(f, 1/p.eps()) }
			return &Case{
				Claim: p.dp(),
				Pairs: []audit.Pair{pair(0, 1, func(f float64) string { return text(f) }, run)},
				Laws:  func(context.Context) ([]audit.Law, error) { return []audit.Law{floatLaw(1 / p.eps())}, nil },
			}, nil
		},
	}
}

// inverse returns f + sign·b·ln(j·2^-52): the inverse of the distribution function of
// f + Lap(b) at the lower end of a grid of 2^53 points, two for each j.
func inverse(f, sign, b float64, j uint64) float64 {
	w := b * math.Log(float64(j)*0x1p-52)
	return f + sign*w
}

// floatProgram draws j from 1 to 2^52, and a sign.
func floatProgram(f, b float64) program {
	return func(n int, noise impl.RandomNoise, s *audit.Sample) error {
		g := s.Group("", "#", 1)
		g.Count += n
		for range n {
			u := noise.Uint64()
			sign := 1 - 2*float64(u>>63)
			g.Numbers = append(g.Numbers, inverse(f, sign, b, u&(1<<52-1)+1))
		}
		return nil
	}
}

// floatPoints is how many points of the grid are looked at.
const floatPoints = 1 << 12

// floatLaw has the event that the output y is in (0, 1/2) and no multiple of 2^-53.
//
// It cannot happen for f = 1. Its outputs are round(1 − w) or round(1 + w), where w ≥ 0 is a
// float64, whatever the logarithm is. For w < 1/2 they are at least 1/2, as 1/2 and 1 are
// float64 and rounding is monotone; so is 1 + w. For w > 1 they are negative. For w in [1/2, 1],
// a multiple of 2^-53, 1 − w is one too, and a float64, so it is not rounded.
//
// For f = 0 it happens for those of 2^53 pairs of a sign and a j that are counted: they are
// spread evenly over those with outputs in (0, 1/2).
func floatLaw(b float64) audit.Law {
	count := int64(0)
	first := uint64(math.Exp(-1/(2*b)) * 0x1p52)
	step := (1<<52 - first) / floatPoints
	for i := range uint64(floatPoints) {
		y := inverse(0, -1, b, first+i*step)
		if scaled := y * 0x1p53; y > 0 && y < 0.5 && scaled != math.Trunc(scaled) {
			count++
		}
	}
	least := big.NewRat(count, 1<<53)
	cell := audit.Cell{Name: "0 < # < 0.5, no multiple of 2^-53", P: [2]impl.Interval{
		{Lower: new(big.Float).SetRat(least), Upper: big.NewFloat(1)}, {Lower: new(big.Float), Upper: new(big.Float)}}}
	return audit.Law{Inputs: [2]string{"0", "1"}, Cells: []audit.Cell{cell}}
}
