package ours

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// approximations are the statements on pairs that are not known exactly.
func approximations() register.Checks {
	return register.Checks{
		"OUR-X8": checked(with(splitting, ofCell.split),
			near("to the nearer one, and their P-mass stays", with(splitting, ofCell.toNearer))),
		"OUR-X9": checked(with(merging, rat.One),
			near("with 19/20 of the Q-mass of each cell", with(merging, nearly))),
		"OUR-X10": checked(with(moreMass, rat.Of("1/10"), rat.Of("-1/10")),
			near("more P-mass and more Q-mass", with(moreMass, rat.Of("1/10"), rat.Half)),
			near("1/10 less P-mass and 1/2 less Q-mass", with(moreMass, rat.Of("-1/10"), rat.Of("-1/2")))),
		"OUR-X14": checked(with(betweenCells, rat.One, rat.One),
			near("with 19/20 of the upper end", with(betweenCells, rat.One, nearly)),
			near("with 21/20 of the lower end", with(betweenCells, rat.Of("21/20"), rat.One))),
	}
}

// ofCell is the masses of an output, with P/Q between two ratios.
type ofCell struct{ p, q, lower, upper *big.Rat }

// split returns two outputs with the ratios lower and upper: with u as Q-mass of the upper one, p = lower·(q − u) +
// upper·u.
func (x ofCell) split() [][2]*big.Rat {
	u := rat.Quo(rat.Sub(x.p, rat.Mul(x.lower, x.q)), rat.Sub(x.upper, x.lower))
	below := rat.Sub(x.q, u)
	return [][2]*big.Rat{{rat.Mul(x.lower, below), below}, {rat.Mul(x.upper, u), u}}
}

func (x ofCell) toNearer() [][2]*big.Rat {
	nearer := x.lower
	if rat.Mul(x.p, x.p).Cmp(rat.Product(x.q, x.q, x.lower, x.upper)) > 0 { // of the logarithms
		nearer = x.upper
	}
	return [][2]*big.Rat{{x.p, rat.Quo(x.p, nearer)}}
}

// moved returns a pair whose outputs with P/Q between two ratios are moved.
func moved(p finite.Pair, lower, upper *big.Rat, move func(x ofCell) [][2]*big.Rat) finite.Pair {
	out := finite.Pair{{}, {}}
	for _, o := range p[0].Outputs() {
		all, x := [][2]*big.Rat{{p[0][o], p[1][o]}}, ofCell{p[0][o], p[1][o], lower, upper}
		if x.p.Cmp(rat.Mul(lower, x.q)) > 0 && x.p.Cmp(rat.Mul(upper, x.q)) < 0 {
			all = move(x)
		}
		for _, m := range all {
			name := finite.Name(len(out[0]))
			out[0][name], out[1][name] = m[0], m[1]
		}
	}
	return out
}

// notAbove checks that one pair dominates another, if it is a pair of laws, and that it raises values.
func notAbove(t *register.T, low, high finite.Pair) {
	t.At("low: P = (%v), Q = (%v), high: P = (%v), Q = (%v)", low[0], low[1], high[0], high[1])
	if order := higher(low, high, new(big.Rat)); order != nil {
		t.Refute("at α = %s H is %s of the low one, and %s", order, stick(low, order), stick(high, order))
	}
	others := []finite.Pair{response(finite.Mechanisms[1]), {finite.Law{"a": rat.One, "b": new(big.Rat)},
		finite.Law{"a": rat.Half, "b": rat.Half}}}
	for _, expE := range finite.Charges {
		for _, other := range others {
			stops := finite.Pipeline{Stops: twoCharges(finite.Charges[1], expE)}
			for _, order := range [][2][]finite.Pair{{{low, other}, {high, other}}, {{other, low}, {other, high}}} {
				l, h := start(order[0], stops), start(order[1], stops)
				t.Require(l.Cmp(h) <= 0, "with %v, before or after %v, V_0(1, 1) is %s of the low one, and %s",
					stops, other, l, h)
			}
		}
	}
}

// splitting checks pairs whose outputs are moved.
func splitting(t *register.T, move func(x ofCell) [][2]*big.Rat) {
	menu := smallLaws(t)
	t.AlsoDomain("outputs with P/Q between 1/4 and 2, 1/2 and 1, 2/3 and 3/2, or 1 and 4")
	for _, p := range menu {
		for _, ends := range [][2]*big.Rat{{rat.Of("1/4"), rat.Of("2")}, {rat.Half, rat.One},
			{rat.Of("2/3"), rat.Of("3/2")}, {rat.One, rat.Of("4")}} {
			notAbove(t, p, moved(p, ends[0], ends[1], move))
		}
	}
}

// merging checks all functions of outputs, with a share of the Q-mass of each cell.
func merging(t *register.T, share *big.Rat) {
	menu := smallLaws(t)
	t.AlsoDomain("all partitions of the outputs into cells")
	for _, p := range menu {
		for parts := range finite.Partitions(len(p[0])) {
			cells := map[string]string{}
			for i, part := range parts {
				cells[finite.Name(i)] = finite.Name(part)
			}
			notAbove(t, finite.Pair{p[0].Map(cells), p[1].Map(cells).Times(share)}, p)
		}
	}
}

// moreMass checks that values rise if P-masses, one after the other and together, change by a part of them, and
// Q-masses by another.
func moreMass(t *register.T, ofP, ofQ *big.Rat) {
	for _, p := range smallLaws(t) {
		for _, o := range slices.Concat(p[0].Outputs(), []string{""}) {
			more := finite.Pair{maps.Clone(p[0]), maps.Clone(p[1])}
			for _, z := range p[0].Outputs() {
				if z == o || o == "" {
					more[0].Add(z, rat.Mul(ofP, p[0][z]))
					more[1].Add(z, rat.Mul(ofQ, p[1][z]))
				}
			}
			notAbove(t, p, more)
		}
	}
}

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

// valueOf returns the larger V_0(1, 1) of both orders of neighbours, of cells of two steps.
func valueOf(a certify.Additive, stops finite.Pipeline, made func(c cell) [][2]*big.Rat) *big.Rat {
	most := new(big.Rat)
	for _, turned := range []func(c cell) cell{func(c cell) cell { return c }, cell.back} {
		pair := spec.Laws{{}, {}}
		for i, c := range cellsOf(a) {
			for j, output := range made(turned(c)) {
				name := fmt.Sprint(i, ".", j)
				pair[0][name], pair[1][name] = output[0], output[1]
			}
		}
		most = rat.Max(most, spec.PairsValue([]spec.Laws{pair, pair}, stops.Stops, 0, rat.One, rat.One))
	}
	return most
}

// betweenCells checks that the value is between multiples of those of merged and of split cells.
func betweenCells(t *register.T, lower, upper *big.Rat) {
	t.Domain("two steps of Gaussian or Laplace noise of scale 2, q in {1/4, 1}, stops after 1 and 2, " +
		"e^ℰ = 1 and 5/4; cells of outputs that end at −9/2, −4, …, 11/2")
	for _, noise := range []certify.Noise{certify.Gaussian, certify.Laplace} {
		for _, q := range rat.List("1/4", "1") {
			t.Case()
			a, stops := certify.Additive{Noise: noise, Scale: rat.Int(2), Sampling: q}, finite.Pipeline{
				Stops: twoCharges(rat.One, rat.Of("5/4"))}
			low, high := rat.Mul(lower, valueOf(a, stops, cell.merged)), rat.Mul(upper, valueOf(a, stops, cell.split))
			p := stops.Impl()
			p.Mechanisms = []impl.Mechanism{{Additive: &a, Count: 2}}
			found := optDel(t, p, 1e-3)
			where := fmt.Sprintf("two steps with %s noise of scale 2 and q = %s; %v", noise, rat.Show(q), stops)
			l, h := found.Rats()
			t.Require(l.Cmp(high) <= 0 && h.Cmp(low) >= 0, "%s: impl finds from %.9g to %.9g, "+
				"claimed are from %.9g to %.9g", where, found.Lower, found.Upper, low, high)
			t.Close(rat.Float64(low)/rat.Float64(high), "%s", where)
		}
	}
}
