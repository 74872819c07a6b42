package stopping

import (
	"math"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
)

// additive is noise. What is known of it here is about right; package certify has it with certainty.
type additive struct{ *certify.Additive }

// list lists what outputs lose, and their P-masses.
func (a additive) list() (losses, masses []float64) {
	if a.Noise == certify.DiscreteGaussian {
		return a.integers()
	}
	return a.cells()
}

// cells lists what small cells of outputs lose.
func (a additive) cells() (losses, masses []float64) {
	const reach, width = 40, 1.0 / 32 // in multiples of the scale; beyond is less than float64 has
	far := 1 / rational.Float64(a.Scale)
	for y := -float64(reach); y < far+reach; y += width {
		if y > reach && y < far-reach { // between 0 and 1 there may be nothing
			y = far - reach
		}
		if l, m := a.cell(y, y+width); m > 0 {
			losses, masses = append(losses, l), append(masses, m)
		}
	}
	return losses, masses
}

// integers lists what integers lose, some of them together if there are many.
func (a additive) integers() (losses, masses []float64) {
	s, q := rational.Float64(a.Scale), rational.Float64(a.Sampling)
	step, all := max(1, math.Round(s/32)), 0.0
	weight := func(x float64) float64 { return math.Exp(-x * x / (2 * s * s)) }
	last := step * math.Ceil(40*s/step)
	for x := -last; x <= last; x += step {
		all += weight(x)
	}
	for x := -last; x <= last+1; x += step {
		loss, mass := sampled((2*x-1)/(2*s*s), q), (1-q)*weight(x)+q*weight(x-1)
		if a.Added {
			loss, mass = -loss, weight(x)
		}
		if mass > 0 {
			losses, masses = append(losses, loss), append(masses, mass/all)
		}
	}
	return losses, masses
}

// sampled returns the loss where the noise alone loses eta.
func sampled(eta, q float64) float64 {
	const most = 700 // of what e^eta is a number for
	switch {
	case q == 1:
		return eta
	case eta > most:
		return eta + math.Log(q)
	}
	return math.Log1p(q * math.Expm1(eta))
}

// cell returns the loss in the middle of a cell of outputs, in multiples of the scale, and its P-mass.
func (a additive) cell(from, to float64) (loss, mass float64) {
	y, d, q := (from+to)/2, 1/rational.Float64(a.Scale), rational.Float64(a.Sampling)
	eta := d * (y - d/2)
	above := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	if a.Noise == certify.Laplace {
		eta, above = math.Abs(y)-math.Abs(y-d), laplaceAbove
	}
	between := func(x, y float64) float64 { // a difference of what is small
		if x < 0 {
			x, y = -y, -x
		}
		return above(x) - above(y)
	}
	loss = sampled(eta, q)
	without, with := between(from, to), between(from-d, to-d)
	if a.Added {
		return -loss, without
	}
	return loss, (1-q)*without + q*with
}

func laplaceAbove(x float64) float64 {
	if x > 0 {
		return math.Exp(-x) / 2
	}
	return 1 - math.Exp(x)/2
}
