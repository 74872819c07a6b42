package ours

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// cell is outputs of a step with noise between two cuts: their probabilities, and P/Q at both ends, between which it
// is. Numbers are off by rounding, which is less than 1/grid.
type cell struct{ p, q, lower, upper float64 }

// back is the cell for neighbours in the other order.
func (c cell) back() cell { return cell{c.q, c.p, 1 / c.upper, 1 / c.lower} }

// merged is one output with no more P-mass and no less Q-mass.
func (c cell) merged() [][2]*big.Rat { return [][2]*big.Rat{{lowest(c.p), highest(c.q)}} }

// split is outputs with the ratios at the ends, with no less P-mass and no more Q-mass. What is too much P-mass for
// them, by rounding or without an upper end, is of an output with P alone.
func (c cell) split() [][2]*big.Rat {
	p, q, lower := highest(c.p), lowest(c.q), lowest(c.lower)
	within := rat.Mul(lower, q)
	all := [][2]*big.Rat{{within, q}}
	if !math.IsInf(c.upper, 1) {
		upper := highest(c.upper)
		within = rat.Min(rat.Max(p, within), rat.Mul(upper, q))
		all = ofCell{within, q, lower, upper}.split()
	}
	return append(all, [2]*big.Rat{rat.Positive(rat.Sub(p, within)), new(big.Rat)})
}

// grid is what masses are rounded to multiples of the inverse of, for short numbers.
const grid = 1 << 40

func lowest(x float64) *big.Rat  { return rat.Positive(big.NewRat(int64(math.Floor(x*grid))-1, grid)) }
func highest(x float64) *big.Rat { return big.NewRat(int64(math.Ceil(x*grid))+1, grid) }

// cellsOf returns the cells of a record of 1 that is sampled, and without it 0.
func cellsOf(a certify.Additive) (cells []cell) {
	q := rat.Float64(a.Sampling)
	ratio := func(y float64) float64 { return 1 - q + q*math.Exp(nominal(a, y)) }
	from := math.Inf(-1)
	for i := -9; i <= 12; i++ {
		to := float64(i) / 2
		if i == 12 {
			to = math.Inf(1)
		}
		with, without := above(a, from-1)-above(a, to-1), above(a, from)-above(a, to)
		cells = append(cells, cell{(1-q)*without + q*with, without, ratio(from), ratio(to)})
		from = to
	}
	return cells
}

// nominal returns the loss at an output, without sampling.
func nominal(a certify.Additive, y float64) float64 {
	scale := rat.Float64(a.Scale)
	if a.Noise == certify.Laplace {
		return max(-1, min(1, 2*y-1)) / scale
	}
	return (y - 0.5) / scale / scale
}

// above returns the probability of noise above y.
func above(a certify.Additive, y float64) float64 {
	y /= rat.Float64(a.Scale)
	switch {
	case a.Noise == certify.Gaussian:
		return math.Erfc(y/math.Sqrt2) / 2
	case y < 0:
		return 1 - math.Exp(y)/2
	}
	return math.Exp(-y) / 2
}

// noisy is two equal steps with noise.
type noisy struct {
	certify.Additive
	stops finite.Pipeline
}

func (n noisy) String() string {
	return fmt.Sprintf("two steps with %s noise of scale %s and q = %s; %v", n.Noise, rat.Show(n.Scale),
		rat.Show(n.Sampling), n.stops)
}

// value returns the larger V_0(1, 1) of both orders of neighbours, of cells.
func (n noisy) value(made func(c cell) [][2]*big.Rat) *big.Rat {
	most := new(big.Rat)
	for _, turned := range []func(c cell) cell{func(c cell) cell { return c }, cell.back} {
		pair := spec.Laws{{}, {}}
		for i, c := range cellsOf(n.Additive) {
			for j, output := range made(turned(c)) {
				name := fmt.Sprint(i, ".", j)
				pair[0][name], pair[1][name] = output[0], output[1]
			}
		}
		most = rat.Max(most, spec.PairsValue([]spec.Laws{pair, pair}, n.stops.Stops, 0, rat.One, rat.One))
	}
	return most
}

// found returns what impl finds.
func (n noisy) found(t *register.T) interval.Interval {
	p := n.stops.Impl()
	p.Mechanisms = []impl.Mechanism{{Additive: &n.Additive, Count: 2}}
	return optDel(t, p, 1e-3)
}

// betweenCells checks that the value is between multiples of those of merged and of split cells.
func betweenCells(lower, upper *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("two steps of Gaussian or Laplace noise of scale 2, q in {1/4, 1}, stops after 1 and 2, e^ℰ = 1 and 5/4; " +
			"cells of outputs that end at −9/2, −4, …, 11/2")
		for _, noise := range []certify.Noise{certify.Gaussian, certify.Laplace} {
			for _, q := range rat.List("1/4", "1") {
				t.Case()
				n := noisy{certify.Additive{Noise: noise, Scale: rat.Int(2), Sampling: q},
					finite.Pipeline{Stops: twoCharges(rat.One, rat.Of("5/4"))}}
				low, high, found := rat.Mul(lower, n.value(cell.merged)), rat.Mul(upper, n.value(cell.split)), n.found(t)
				if l, h := found.Rats(); l.Cmp(high) > 0 || h.Cmp(low) < 0 {
					t.Refute("%v: impl finds from %.9g to %.9g, claimed are from %.9g to %.9g", n, found.Lower, found.Upper,
						rat.Float64(low), rat.Float64(high))
				}
				t.Close(rat.Float64(low)/rat.Float64(high), "%v", n)
			}
		}
	}
}
