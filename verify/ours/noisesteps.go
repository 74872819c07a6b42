package ours

import (
	"context"
	"math"
	"math/big"
	"math/bits"
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
