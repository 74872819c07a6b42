package certify

import "math"

// mostDiscrete bounds the scale of discrete noise, of which all masses are listed.
const mostDiscrete = 10_000

// discreteTails is a law on the integers, symmetric around 0: of each x from 0 to the last one, at least and at most the probability to be at least x. Beyond is less than
// leastDiscrete.
type discreteTails []span

// leastDiscrete is more than what is beyond 38 standard deviations: masses fall there by a factor of e^(−38/σ) or more from each to the next, and the first is below e^-700.
const leastDiscrete = 1e-298

// newDiscreteTails returns the law of x with a probability proportional to e^(−x²/(2σ²)), by sums from the far end on.
func newDiscreteTails(scale span) discreteTails {
	last := int(math.Ceil(38*scale.hi)) + 1
	double := scale.times(scale).times(exactly(2))
	t := make(discreteTails, last+1)
	sum := span{0, leastDiscrete}
	for x := last; x >= 1; x-- {
		sum = sum.plus(exactly(float64(x) * float64(x)).over(double).negated().exp())
		t[x] = sum
	}
	all := exactly(1).plus(sum.times(exactly(2)))
	for x := 1; x <= last; x++ {
		t[x] = t[x].over(all).probability()
	}
	t[0] = exactly(1).minus(t[1]).probability()
	return t
}

// from returns the probability to be at least x.
func (t discreteTails) from(x int) span {
	switch {
	case x < 0:
		return exactly(1).minus(t.from(1 - x)).probability()
	case x >= len(t):
		return span{0, leastDiscrete}
	}
	return t[x]
}

// halves returns the law from x on, and below.
func (t discreteTails) halves(x int) halves { return halves{t.from(x), t.from(1 - x)} }

// discreteHalves returns the laws of 1 and of 0 with noise from the first integer x on of which (2x − 1)/(2σ²) is at least the loss, and below. Where that may be
// equal, x is above, or below if the record is added: in the end it is taken for above the node that it is next to.
func (a *additiveLaw) discreteHalves(loss span) (with, without halves) {
	y := loss.times(a.scale).times(a.scale).plus(exactly(0.5))
	most := float64(len(a.tails) + 2)
	first := math.Ceil(min(max(-most, y.lo), most))
	if a.Added {
		first = math.Floor(min(max(-most, y.hi), most)) + 1
	}
	return a.tails.halves(int(first) - 1), a.tails.halves(int(first))
}
