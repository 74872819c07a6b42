package ours

import (
	"context"
	"math"
	"math/big"
	"time"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// noise are the statements on continuous pairs.
func noise() register.Checks {
	more := rat.Of("1001/1000")
	return register.Checks{
		"OUR-X11": register.Checked(register.With(gaussianSteps, rat.One), near("1001/1000 of it", gaussianSteps, more)),
		"OUR-X12": register.Checked(register.With(laplaceStep, rat.One), near("1001/1000 of it", laplaceStep, more)),
		"OUR-X13": register.Checked(register.With(sampledStep, rat.One), near("1001/1000 of it", sampledStep, more)),
	}
}

// timeLimit is how long impl may take for what takes less than a second: a wrong program can ask for finer grids until
// there is no memory.
const timeLimit = 20 * time.Second

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
func gaussianSteps(t *register.T, factor *big.Rat) {
	for at, x := range finite.Grid(t, "σ in {1/2, 1, 7/2}, k in {1, 3, 40}, ε in {0, 1/2, 3}; Δ = 1") {
		t.At("%s", at)
		k := int(x[1].Num().Int64())
		delta := likeSpec(t, spec.ComposedGaussianDelta(k, 1, rat.Float64(x[0]), rat.Float64(x[2])),
			impl.ComposedGaussianDelta(k, rat.One, interval.Precision(192).Rat(x[0]), x[2]))
		agrees(t, certify.Additive{Noise: certify.Gaussian, Scale: x[0], Sampling: rat.One}, k, loss.Nats(x[2]),
			rat.Float64(factor)*delta)
	}
}

// laplaceStep compares with a multiple of the closed form.
func laplaceStep(t *register.T, factor *big.Rat) {
	for at, x := range finite.Grid(t, "b in {1/2, 1, 7/2}, ε in {0, 1/4, 1/2, 9/10, 1, 3}; Δ = 1") {
		t.At("%s", at)
		delta := likeSpec(t, spec.LaplaceDelta(1, rat.Float64(x[0]), rat.Float64(x[1])),
			impl.LaplaceDelta(rat.One, x[0], x[1]))
		agrees(t, certify.Additive{Noise: certify.Laplace, Scale: x[0], Sampling: rat.One}, 1, loss.Nats(x[1]),
			rat.Float64(factor)*delta)
	}
}

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
func sampledStep(t *register.T, factor *big.Rat) {
	for at, x := range finite.Grid(t,
		"scale in {1, 3}, q in {1/20, 1/2}, e^ε in {1, 21/20, 2}; Gaussian and Laplace noise, "+
			"where δ is above 10^-6; neighbours in both orders") {
		for _, noise := range []certify.Noise{certify.Gaussian, certify.Laplace} {
			a := certify.Additive{Noise: noise, Scale: x[0], Sampling: x[1]}
			if delta := sampledDelta(a, rat.Float64(x[2])); delta > 1e-6 {
				t.At("%s noise, %s", noise, at)
				agrees(t, a, 1, loss.Exp(x[2]), rat.Float64(factor)*delta)
			}
		}
	}
}
