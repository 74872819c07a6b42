package ours

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"checkrr/impl"
	"checkrr/impl/certify"
	solver "checkrr/impl/certify/noise"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
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

// ofNoise are the statements on continuous pairs.
func ofNoise() register.Checks {
	const more = "1001/1000"
	return register.Checks{
		"OUR-X11": checked(gaussianSteps("1"), near("1001/1000 of it", gaussianSteps(more))),
		"OUR-X12": checked(laplaceStep("1"), near("1001/1000 of it", laplaceStep(more))),
		"OUR-X13": checked(register.All(sampledStep("1"), sharpSteps, manySteps),
			near("1001/1000 of it", sampledStep(more))),
	}
}

// timeLimit is how long impl may take for what takes less than a second: a wrong program can ask for finer grids until
// there is no memory.
const timeLimit = 3 * time.Minute

// optDel returns what impl finds.
func optDel(t *register.T, p impl.Pipeline, width float64) interval.Interval {
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	return register.Must(impl.OptDel(ctx, p, impl.Options{RelWidth: width})).OptDel
}

// agrees refutes that δ of equal steps of noise is, but for rounding, in what impl finds, and what is too wide to tell.
func agrees(t *register.T, a certify.Additive, count int, eps loss.Epsilon, delta float64) {
	const width, rounding = 1e-4, 1e-10
	found := optDel(t, impl.Pipeline{Mechanisms: []impl.Mechanism{{Additive: &a, Count: count}},
		Stops: []impl.Stop{{After: count, Eps: eps}}}, width)
	x := found.Float()
	t.Require(x.Lo <= delta*(1+rounding) && x.Hi >= delta*(1-rounding) && found.RelWidth() <= width,
		"impl finds from %.12g to %.12g, claimed are %.12g", found.Lower, found.Upper, delta)
}

// likeSpec returns a δ, after it has refuted that spec has the same in float64.
func likeSpec(t *register.T, found float64, delta interval.Interval) float64 {
	const cancelled = 1e-13 // of two probabilities, with rounding of their arguments
	x := delta.Float().Lo
	t.Require(math.Abs(found-x) <= cancelled, "spec has %.12g, impl %.12g", found, x)
	return x
}

// gaussianSteps compares with a multiple of the closed form.
var gaussianSteps = finite.Over("σ in {1/2, 1, 7/2}, k in {1, 3, 40}, ε in {0, 1/2, 3}; Δ = 1",
	func(t *register.T, factor, sigma *big.Rat, k int, eps *big.Rat) {
		delta := likeSpec(t, spec.ComposedGaussianDelta(k, 1, rat.Float64(sigma), rat.Float64(eps)),
			impl.ComposedGaussianDelta(k, rat.One, interval.Precision(192).Rat(sigma), eps))
		agrees(t, certify.Additive{Noise: certify.Gaussian, Scale: sigma, Sampling: rat.One}, k, loss.Nats(eps),
			rat.Float64(factor)*delta)
	})

// laplaceStep compares with a multiple of the closed form.
var laplaceStep = finite.Over("b in {1/2, 1, 7/2}, ε in {0, 1/4, 1/2, 9/10, 1, 3}; Δ = 1",
	func(t *register.T, factor, b, eps *big.Rat) {
		delta := likeSpec(t, spec.LaplaceDelta(1, rat.Float64(b), rat.Float64(eps)), impl.LaplaceDelta(rat.One, b, eps))
		agrees(t, certify.Additive{Noise: certify.Laplace, Scale: b, Sampling: rat.One}, 1, loss.Nats(eps),
			rat.Float64(factor)*delta)
	})

// sampledStick returns H_α of a sampled step, for a record removed: q·H of the noise around 1 and around 0, at the
// order 1 + (α − 1)/q. Below 0 that is 1 minus the order. The ratio is that order, or its nearest value, at an output.
func sampledStick(a certify.Additive, alpha float64) float64 {
	scale, q := rat.Float64(a.Scale), rat.Float64(a.Sampling)
	order := 1 + (alpha-1)/q
	if order <= 0 {
		return q * (1 - order)
	}
	at := 0.5 + scale*math.Log(order)/2
	if a.Noise == certify.Gaussian {
		at = 0.5 + scale*scale*math.Log(order)
	} else if at < 0 || at > 1 { // all outputs, or none, have a larger ratio
		return q * max(0, 1-order)
	}
	return q * (above(a, at-1) - order*above(a, at))
}

// sampledDelta returns the δ of a sampled step for both orders of neighbours, at e^ε = α.
func sampledDelta(a certify.Additive, alpha float64) float64 {
	forth := sampledStick(a, alpha)
	if 1/alpha <= 1-rat.Float64(a.Sampling) {
		return forth
	}
	return max(forth, 1-alpha+alpha*sampledStick(a, 1/alpha))
}

// sampledStep compares with a multiple of the closed form.
var sampledStep = finite.Over("scale in {1, 3}, q in {1/20, 1/2}, e^ε in {1, 21/20, 2}; Gaussian and Laplace noise, "+
	"where δ is above 10^-6; neighbours in both orders",
	func(t *register.T, factor *big.Rat, at string, scale, q, e *big.Rat) {
		for _, noise := range []certify.Noise{certify.Gaussian, certify.Laplace} {
			a := certify.Additive{Noise: noise, Scale: scale, Sampling: q}
			if delta := sampledDelta(a, rat.Float64(e)); delta > 1e-6 {
				t.At("%s noise, %s", noise, at)
				agrees(t, a, 1, loss.Exp(e), rat.Float64(factor)*delta)
			}
		}
	})

// sharpSteps checks the cells of a step: they have all its mass under P and under Q, and their δ, where e^ε is that of
// a node, is that of the step for those that dominate it, and hardly less for those that it dominates.
func sharpSteps(t *register.T) {
	grid := "cells of one step on nodes of 1/8 and 1/4: scale in {1, 3}, q in {1/20, 1/2, 1}, both orders"
	finite.Each(t, grid, func(at string, scale, q *big.Rat) {
		for i := range 16 {
			a := certify.Additive{Noise: certify.Gaussian, Scale: scale, Sampling: q, Added: i&2 > 0}
			if i&1 > 0 {
				a.Noise = certify.Laplace
			}
			nodes := solver.Nodes{Top: new(big.Rat), IsUp: i&4 > 0, Cut: 1e-14, Most: solver.MostLoss}
			unit := float64(1+i&8/8) / 8
			nodes.Unit.Lo, nodes.Unit.Hi = unit, unit
			t.At("%s noise, %s, added: %t, on nodes of %g, dominating: %t", a.Noise, at, a.Added, unit, nodes.IsUp)
			c, err := solver.Law(t.Context(), &a, 1, nodes, 0)
			t.Must(err)
			areCells(t, a, c, unit)
			givesUp(t, c, nodes)
		}
	})
}

// areCells checks the cells of a step.
func areCells(t *register.T, a certify.Additive, c *solver.Cells, unit float64) {
	const off, rounding = 1e-9, 1e-15
	isUp, p, times := c.Mass[1] == nil, c.Mass[0], c.Mass[1]
	if isUp {
		times = p
	}
	allP, allQ := c.Infinity, 0.0
	for i := range p {
		allP, allQ = allP+p[i], allQ+times[i]*math.Exp(-unit*float64(c.Low+i))
		alpha, delta := math.Exp(unit*float64(c.Low+i)), c.Infinity
		for j := range p {
			delta += max(0, p[j]-times[j]*math.Exp(unit*float64(i-j)))
		}
		want := sampledStick(a, alpha)
		if a.Added {
			want = 1 - alpha + alpha*sampledStick(a, 1/alpha)
		}
		least := want - off
		if !isUp {
			least = want - unit/10
		}
		t.Require(delta <= want+off && delta >= least, "at e^ε = %.9g δ is %.12g, of the cells %.12g", alpha, want,
			delta)
	}
	t.Require(math.Abs(allP-1) <= off && math.Abs(allQ-1) <= off, "the mass is %.17g under P, %.17g under Q", allP,
		allQ)
	t.Require(!isUp && allP <= 1+rounding || isUp && allP >= 1-rounding && allQ <= 1+rounding && c.Total >= 1-rounding,
		"the mass is %.17g under P, at most %.17g, and %.17g under Q, on the wrong side of 1", allP, c.Total, allQ)
}

// givesUp checks cells without what is above a node: first none, then some, then all. That is infinite, or, if other
// cells are to dominate them, as much under P and under Q on the last node.
func givesUp(t *register.T, c *solver.Cells, x solver.Nodes) {
	under := func() (p, q float64) {
		for i, m := range c.Mass[0] {
			if p += m; c.Mass[1] != nil {
				q += c.Mass[1][i] * math.Exp(-x.Unit.Lo*float64(c.Low+i))
			}
		}
		return p, q
	}
	for _, more := range []int{len(c.Mass[0]) - 1, 1, 0, -2} {
		node, infinity := c.Low+more, c.Infinity
		p, q := under()
		c.UpTo(node, x.Unit)
		leftP, leftQ := under()
		infinity += p - leftP
		t.Require(c.Low+len(c.Mass[0])-1 == node && math.Abs(c.Infinity-infinity) <= 1e-12,
			"above node %d there is a mass of %g, must be infinite: %+v", node, infinity, c)
		t.Require(c.Mass[1] == nil || math.Abs(leftP-p) <= 1e-12 && math.Abs(leftQ-q) <= 1e-12*q,
			"up to node %d masses are %g and %g, must be %g and %g", node, leftP, leftQ, p, q)
	}
}

// manySteps compares sampled steps with their law in float64. They are so many, and in two runs, that impl makes laws
// coarser; at the first stop nothing counts.
func manySteps(t *register.T) {
	const count, width = 32, 2e-3
	t.AlsoDomain("%d steps of Gaussian or Laplace noise of scale 2, q = 1/2, e^ε = 2, by losses in 50ths", count)
	for _, noise := range []certify.Noise{certify.Gaussian, certify.Laplace} {
		t.At("%d steps of %s noise", count, noise)
		a := certify.Additive{Noise: noise, Scale: rat.Int(2), Sampling: rat.Half}
		stops := []impl.Stop{{After: count / 2, Eps: loss.Nats(rat.Int(50))}, {After: count, Eps: loss.Exp(rat.Int(2))}}
		steps := []impl.Mechanism{{Additive: &a, Count: count}}
		found := optDel(t, impl.Pipeline{Mechanisms: steps, Stops: stops}, 0.1).Float()
		want := max(convolved(a, count, math.Ln2, false), convolved(a, count, math.Ln2, true))
		t.Require(found.Lo <= want*(1+width) && found.Hi >= want*(1-width),
			"impl finds from %.9g to %.9g, it is about %.9g", found.Lo, found.Hi, want)
	}
}

// convolved returns about the δ of equal steps, of which there are a power of 2, for a record removed or added, by
// outputs in cells of 1/100.
func convolved(a certify.Additive, count int, eps float64, isAdded bool) (delta float64) {
	const cell = 0.01
	q := rat.Float64(a.Sampling)
	return convolvedCells(func(y float64) (with, without float64) {
		without = above(a, y) - above(a, y+cell)
		return (1-q)*without + q*(above(a, y-1)-above(a, y-1+cell)), without
	}, cell, count, eps, isAdded)
}

// convolvedCells is convolved for cells from y on, with these probabilities with the record and without: their losses
// are shared by the two nodes next to them.
func convolvedCells(
	masses func(y float64) (with, without float64), cell float64, count int, eps float64, isAdded bool,
) (delta float64) {
	const unit, far = 0.02, 200
	law := make([]float64, 2*far+1)
	for y := -40.0; y < 41; y += cell {
		p, q1 := masses(y)
		if isAdded {
			p, q1 = q1, p
		}
		if p > 0 && q1 > 0 {
			loss := far + max(-far, min(math.Log(p/q1)/unit, far-1))
			i, share := int(loss), loss-math.Floor(loss)
			law[i], law[i+1] = law[i]+(1-share)*p, law[i+1]+share*p
		}
	}
	for range bits.Len(uint(count)) - 1 {
		twice := make([]float64, 2*len(law)-1)
		for i, x := range law {
			for j, y := range law {
				twice[i+j] += x * y
			}
		}
		law = twice
	}
	for i, p := range law {
		delta += p * max(0, 1-math.Exp(eps-unit*float64(i-far*count)))
	}
	return delta
}
