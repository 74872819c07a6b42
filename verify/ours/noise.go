package ours

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// noise are the statements on continuous pairs.
func noise() register.Checks {
	more := precise.Rat(rat.Of("1001/1000"))
	one := precise.Int(1)
	return register.Checks{
		"OUR-X11": register.Checked(gaussianSteps(one), register.NearMiss("1001/1000 of it", gaussianSteps(more))),
		"OUR-X12": register.Checked(laplaceStep(one), register.NearMiss("1001/1000 of it", laplaceStep(more))),
		"OUR-X13": register.Checked(sampledStep(one), register.NearMiss("1001/1000 of it", sampledStep(more))),
		"OUR-X14": register.Checked(betweenCells(rat.One, rat.One),
			register.NearMiss("with 19/20 of the upper end", betweenCells(rat.One, nearly)),
			register.NearMiss("with 21/20 of the lower end", betweenCells(rat.Of("21/20"), rat.One)),
		),
	}
}

// precise is the precision of the closed forms.
const precise = interval.Precision(192)

// width is what is asked of impl.
const width = 1e-4

// timeLimit is how long impl may take for what takes less than a second: a wrong program can ask for finer grids until
// there is no memory.
const timeLimit = 20 * time.Second

// optDel returns what impl finds.
func optDel(t *register.T, p impl.Pipeline, width float64) interval.Interval {
	ctx, cancel := context.WithTimeout(t.Context(), timeLimit)
	defer cancel()
	return register.Must(impl.OptDel(ctx, p, impl.Options{RelWidth: width})).OptDel
}

// agrees refutes a δ of equal steps of noise that is not in what impl finds, and what is too wide to tell.
func agrees(t *register.T, a certify.Additive, count int, eps loss.Epsilon, delta interval.Interval, where string) {
	found := optDel(t, impl.Pipeline{Mechanisms: []impl.Mechanism{{Additive: &a, Count: count}},
		Stops: []impl.Stop{{After: count, Eps: eps}}}, width)
	if found.Lower.Cmp(delta.Upper) > 0 || found.Upper.Cmp(delta.Lower) < 0 {
		t.Refute("%s: impl finds from %.12g to %.12g, claimed are %.12g", where, found.Lower, found.Upper, delta.Upper)
	}
	if found.RelWidth() > width {
		t.Refute("%s: impl finds from %.12g to %.12g, which is too wide", where, found.Lower, found.Upper)
	}
}

// likeSpec refutes what spec has in float64, if it is not close to an interval.
func likeSpec(t *register.T, found float64, delta interval.Interval, where string) {
	const cancelled = 1e-13 // of two probabilities, with rounding of their arguments
	if x, _ := delta.Upper.Float64(); !(math.Abs(found-x) <= cancelled) {
		t.Refute("%s: spec has %.12g, impl %.12g", where, found, x)
	}
}

// gaussianSteps compares with a multiple of the closed form.
func gaussianSteps(factor interval.Interval) register.Check {
	return func(t *register.T) {
		t.Domain("σ in {1/2, 1, 7/2}, Δ = 1, k in {1, 3, 40}, ε in {0, 1/2, 3}")
		for _, sigma := range rat.List("1/2", "1", "7/2") {
			for _, k := range []int{1, 3, 40} {
				for _, eps := range rat.List("0", "1/2", "3") {
					t.Case()
					where := fmt.Sprintf("σ = %s, k = %d, ε = %s", rat.Show(sigma), k, rat.Show(eps))
					delta := impl.ComposedGaussianDelta(k, rat.One, precise.Rat(sigma), eps)
					likeSpec(t, spec.ComposedGaussianDelta(k, 1, rat.Float64(sigma), rat.Float64(eps)), delta, where)
					agrees(t, certify.Additive{Noise: certify.Gaussian, Scale: sigma, Sampling: rat.One}, k, loss.Nats(eps),
						precise.Mul(factor, delta), where)
				}
			}
		}
	}
}

// laplaceStep compares with a multiple of the closed form.
func laplaceStep(factor interval.Interval) register.Check {
	return func(t *register.T) {
		t.Domain("b in {1/2, 1, 7/2}, Δ = 1, ε in {0, 1/4, 1/2, 9/10, 1, 3}")
		for _, scale := range rat.List("1/2", "1", "7/2") {
			for _, eps := range rat.List("0", "1/4", "1/2", "9/10", "1", "3") {
				t.Case()
				where := fmt.Sprintf("b = %s, ε = %s", rat.Show(scale), rat.Show(eps))
				delta := impl.LaplaceDelta(rat.One, scale, eps)
				likeSpec(t, spec.LaplaceDelta(1, rat.Float64(scale), rat.Float64(eps)), delta, where)
				agrees(t, certify.Additive{Noise: certify.Laplace, Scale: scale, Sampling: rat.One}, 1, loss.Nats(eps),
					precise.Mul(factor, delta), where)
			}
		}
	}
}

// noiseStick returns H_α(M, N) of noise around 1 and around 0.
func noiseStick(noise certify.Noise, scale *big.Rat, order *big.Rat) interval.Interval {
	if order.Sign() <= 0 { // with α < 0 it is 1 − α as well
		return precise.Rat(rat.Complement(order))
	}
	log, alpha := precise.Log(order), precise.Rat(order)
	if noise == certify.Gaussian { // above the output at which the loss is ln α
		cut, half := precise.Mul(log, precise.Rat(scale)), precise.Half(precise.Rat(rat.Quo(rat.One, scale)))
		return precise.Max0(precise.Sub(precise.NormalTail(precise.Sub(cut, half)),
			precise.Mul(alpha, precise.NormalTail(precise.Add(cut, half)))))
	}
	most := precise.Rat(rat.Quo(rat.One, scale))
	switch {
	case log.Lower.Cmp(most.Upper) > 0:
		return precise.Int(0)
	case precise.Neg(log).Lower.Cmp(most.Upper) > 0:
		return precise.Rat(rat.Complement(order))
	}
	return precise.Max0(precise.Sub(precise.Int(1), precise.Exp(precise.Half(precise.Sub(log, most)))))
}

// sampledStick returns H_α of a sampled step, for a record removed.
func sampledStick(a certify.Additive, alpha *big.Rat) interval.Interval {
	order := rat.Add(rat.One, rat.Quo(rat.Sub(alpha, rat.One), a.Sampling))
	return precise.Mul(precise.Rat(a.Sampling), noiseStick(a.Noise, a.Scale, order))
}

// sampledDelta returns the δ of a sampled step for both orders of neighbours, at e^ε = α.
func sampledDelta(a certify.Additive, alpha *big.Rat) interval.Interval {
	forth, back := sampledStick(a, alpha), precise.Int(0)
	if turned := rat.Quo(rat.One, alpha); turned.Cmp(rat.Complement(a.Sampling)) > 0 {
		back = precise.Max0(precise.Add(precise.Rat(rat.Complement(alpha)),
			precise.Mul(precise.Rat(alpha), sampledStick(a, turned))))
	}
	return interval.Max(forth, back)
}

// sampledStep compares with a multiple of the closed form.
func sampledStep(factor interval.Interval) register.Check {
	return func(t *register.T) {
		t.Domain("Gaussian and Laplace noise, scales 1 and 3, q in {1/20, 1/2}, e^ε in {1, 21/20, 2}, where δ is above " +
			"10^-6; neighbours in both orders")
		least := precise.Rat(rat.Of("1e-6"))
		for _, noise := range []certify.Noise{certify.Gaussian, certify.Laplace} {
			for _, scale := range rat.List("1", "3") {
				for _, q := range rat.List("1/20", "1/2") {
					for _, alpha := range rat.List("1", "21/20", "2") {
						a := certify.Additive{Noise: noise, Scale: scale, Sampling: q}
						if delta := sampledDelta(a, alpha); delta.Lower.Cmp(least.Upper) > 0 {
							t.Case()
							agrees(t, a, 1, loss.Exp(alpha), precise.Mul(factor, delta), fmt.Sprintf("%s noise of scale %s, q = %s, "+
								"e^ε = %s", noise, rat.Show(scale), rat.Show(q), rat.Show(alpha)))
						}
					}
				}
			}
		}
	}
}
