package stopping

import (
	"math"
	"slices"

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
	amounts := a.amounts()
	far := amounts[len(amounts)-1].d
	for y := -float64(reach); y < far+reach; y += width {
		if y > reach && y < far-reach { // between 0 and 1 there may be nothing
			y = far - reach
		}
		if l, m := a.cell(amounts, y, y+width); m > 0 {
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

// amount is one that is contributed, in multiples of the scale, and its probability.
type amount struct{ d, p float64 }

// amounts returns all that are above 0.
func (a additive) amounts() (all []amount) {
	scale := rational.Float64(a.Scale)
	for _, x := range a.Contributions() {
		all = append(all, amount{rational.Float64(x[0]) / scale, rational.Float64(x[1])})
	}
	return all
}

// together returns the loss where the noise around each of these amounts loses so much alone.
func together(amounts []amount, etas []float64) float64 {
	const most = 500 // of what e^eta is a number for
	if len(amounts) == 1 {
		return sampled(etas[0], amounts[0].p)
	}
	sum, all, largest := 0.0, 0.0, slices.Max(etas)
	for i, x := range amounts {
		sum, all = sum+x.p*math.Expm1(etas[i]), all+x.p
	}
	if all < 1-1e-9 && largest < most {
		return math.Log1p(sum)
	}
	sum = 0
	if rest := 1 - all; rest > 1e-12 { // which is none, but for rounding
		largest = max(0, largest)
		sum = rest * math.Exp(-largest)
	}
	for i, x := range amounts {
		sum += x.p * math.Exp(etas[i]-largest)
	}
	return largest + math.Log(sum)
}

// cell returns the loss in the middle of a cell of outputs, in multiples of the scale, and its P-mass.
func (a additive) cell(amounts []amount, from, to float64) (loss, mass float64) {
	y := (from + to) / 2
	etas := make([]float64, len(amounts))
	above := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	if a.Noise == certify.Laplace {
		above = laplaceAbove
	}
	between := func(x, y float64) float64 { // a difference of what is small
		if x < 0 {
			x, y = -y, -x
		}
		return above(x) - above(y)
	}
	without := between(from, to)
	mass = without
	for i, x := range amounts {
		if etas[i] = x.d * (y - x.d/2); a.Noise == certify.Laplace {
			etas[i] = math.Abs(y) - math.Abs(y-x.d)
		}
		mass += x.p * (between(from-x.d, to-x.d) - without)
	}
	if loss = together(amounts, etas); a.Added {
		return -loss, without
	}
	return loss, mass
}

func laplaceAbove(x float64) float64 {
	if x > 0 {
		return math.Exp(-x) / 2
	}
	return 1 - math.Exp(x)/2
}
