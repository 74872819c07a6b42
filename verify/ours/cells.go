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
// is.
type cell struct {
	p, q         interval.Interval
	lower, upper *interval.Interval // nil for 0 and for infinity
}

// back is the cell for neighbours in the other order.
func (c cell) back() cell {
	inverse := func(x *interval.Interval) *interval.Interval {
		if x == nil {
			return nil
		}
		y := precise.Quo(precise.Int(1), *x)
		return &y
	}
	return cell{c.q, c.p, inverse(c.upper), inverse(c.lower)}
}

// merged is one output with no more P-mass and no less Q-mass.
func (c cell) merged() [][2]*big.Rat { return [][2]*big.Rat{{lowest(c.p), highest(c.q)}} }

// split is outputs with the ratios at the ends, with no less P-mass and no more Q-mass. What is too much P-mass for
// them, by rounding or without an upper end, is of an output with P alone.
func (c cell) split() [][2]*big.Rat {
	p, q, lower := highest(c.p), lowest(c.q), new(big.Rat)
	if c.lower != nil {
		lower = lowest(*c.lower)
	}
	most := rat.Mul(lower, q)
	if c.upper == nil {
		return [][2]*big.Rat{{most, q}, {rat.Positive(rat.Sub(p, most)), new(big.Rat)}}
	}
	upper := highest(*c.upper)
	within := rat.Min(rat.Max(p, most), rat.Mul(upper, q))
	all := [][2]*big.Rat{{rat.Sub(rat.Max(p, within), within), new(big.Rat)}}
	if lower.Cmp(upper) == 0 {
		return append(all, [2]*big.Rat{within, q})
	}
	return append(all, ofCell{within, q, lower, upper}.split()...)
}

// grid is what masses are rounded to multiples of the inverse of, for short numbers.
const grid = 1 << 40

func lowest(x interval.Interval) *big.Rat {
	return big.NewRat(int64(math.Floor(max(0, x.Float().Lo)*grid)), grid)
}

func highest(x interval.Interval) *big.Rat {
	return big.NewRat(int64(math.Ceil(x.Float().Hi*grid)), grid)
}

// pairOf puts cells together.
func pairOf(cells []cell, made func(c cell) [][2]*big.Rat) (laws spec.Laws) {
	laws = spec.Laws{{}, {}}
	for i, c := range cells {
		for j, output := range made(c) {
			name := fmt.Sprint(i, ".", j)
			laws[0][name], laws[1][name] = output[0], output[1]
		}
	}
	return laws
}

// cuts are where cells of outputs end.
func cuts() (all []*big.Rat) {
	for i := -9; i <= 11; i++ {
		all = append(all, big.NewRat(int64(i), 2))
	}
	return all
}

// cellsOf returns the cells of a record of 1 that is sampled, and without it 0.
func cellsOf(a certify.Additive) (cells []cell) {
	mixed := func(with, without interval.Interval) interval.Interval {
		return precise.Add(precise.Mul(precise.Rat(rat.Complement(a.Sampling)), without),
			precise.Mul(precise.Rat(a.Sampling), with))
	}
	ends := []*interval.Interval{nil}
	for _, cut := range cuts() {
		ratio := mixed(precise.ExpRat(nominal(a, cut)), precise.Int(1))
		ends = append(ends, &ratio)
	}
	ends = append(ends, nil)
	if a.Noise == certify.Laplace { // beyond 0 and 1 nothing changes
		ends[0], ends[len(ends)-1] = ends[1], ends[len(ends)-2]
	}
	with, without := massesAround(a, rat.One), massesAround(a, new(big.Rat))
	for i := range with {
		cells = append(cells, cell{mixed(with[i], without[i]), without[i], ends[i], ends[i+1]})
	}
	return cells
}

// nominal returns the loss at an output, without sampling.
func nominal(a certify.Additive, y *big.Rat) *big.Rat {
	if a.Noise == certify.Laplace {
		return rat.Quo(rat.Sub(new(big.Rat).Abs(y), new(big.Rat).Abs(rat.Sub(y, rat.One))), a.Scale)
	}
	return rat.Quo(rat.Sub(y, rat.Half), rat.Mul(a.Scale, a.Scale))
}

// massesAround returns the probabilities of the cells of noise around a mean.
func massesAround(a certify.Additive, mean *big.Rat) (masses []interval.Interval) {
	if a.Noise == certify.Laplace {
		return register.Must(impl.LaplaceCells(mean, a.Scale, cuts()))
	}
	above := precise.Int(1)
	for _, cut := range cuts() {
		next := precise.NormalTail(precise.Rat(rat.Quo(rat.Sub(cut, mean), a.Scale)))
		masses, above = append(masses, precise.Sub(above, next)), next
	}
	return append(masses, above)
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
	forth := cellsOf(n.Additive)
	var back []cell
	for _, c := range forth {
		back = append(back, c.back())
	}
	most := new(big.Rat)
	for _, cells := range [][]cell{forth, back} {
		pair := pairOf(cells, made)
		most = rat.Max(most, spec.PairsValue([]spec.Laws{pair, pair}, n.stops.Stops, 0, rat.One, rat.One))
	}
	return most
}

// found returns what impl finds.
func (n noisy) found(t *register.T) interval.Interval {
	p := n.stops.Impl()
	p.Mechanisms = []impl.Mechanism{{Additive: &n.Additive, Count: 2}}
	const width = 1e-3
	return optDel(t, p, width)
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
