package certify

import (
	"fmt"
	"math/big"
)

// Additive is a mechanism that releases a number with noise. Neighbours differ by one record, without which the number
// is 0, and with which it is 1 with probability Sampling, and 0 otherwise. P is with the record and Q without it or, if it is Added, the other way
// round.
type Additive struct {
	Noise    Noise
	Scale    *big.Rat // σ or b, as a multiple of what the record contributes
	Sampling *big.Rat
	Added    bool
}

// Noise is a law of noise.
type Noise string

// Laws of noise.
const (
	Gaussian Noise = "gaussian" // density proportional to e^(−x²/(2σ²))
	Laplace  Noise = "laplace"  // proportional to e^(−|x|/b)

	DiscreteGaussian Noise = "discrete_gaussian" // probabilities of integers, proportional to e^(−x²/(2σ²))
)

// Limits of an additive mechanism.
var (
	leastScale    = big.NewRat(1, 10)
	mostScale     = big.NewRat(1_000_000_000, 1)
	leastSampling = big.NewRat(1, 1_000_000_000)
)

// Fault returns the rule that a breaks, of its scale or of sampling; empty if there is none.
func (a *Additive) Fault() string {
	switch {
	case a.Noise != Gaussian && a.Noise != Laplace && a.Noise != DiscreteGaussian:
		return fmt.Sprintf("noise is %q, must be %s, %s or %s", a.Noise, Gaussian, Laplace, DiscreteGaussian)
	case a.Noise == DiscreteGaussian && a.Scale != nil && a.Scale.Cmp(big.NewRat(mostDiscrete, 1)) > 0:
		return fmt.Sprintf("the scale of discrete noise must be between 0.1 and %d", mostDiscrete)
	case a.Scale == nil || a.Scale.Cmp(leastScale) < 0 || a.Scale.Cmp(mostScale) > 0:
		return "the scale of the noise must be between 0.1 and 1e9"
	case a.Sampling == nil || a.Sampling.Cmp(leastSampling) < 0 || a.Sampling.Cmp(one) > 0:
		return "sampling must be between 1e-9 and 1"
	}
	return ""
}

// most returns the largest loss, or a little more; nil if there is none. For Laplace noise that is 1/b without sampling, and with it
// ln(1 − q + q·e^(1/b)), or −ln(1 − q + q·e^(−1/b)) for a record that is added.
func (a *Additive) most() *big.Rat {
	if a.Noise != Laplace {
		return nil
	}
	most := new(big.Rat).Inv(a.Scale)
	if a.Sampling.Cmp(one) == 0 {
		return most
	}
	l, loss := a.law(), spanOf(most)
	if a.Added {
		loss = loss.negated()
	}
	loss = l.rest.plus(l.sampling.times(loss.exp())).log()
	if a.Added {
		loss = loss.negated()
	}
	return new(big.Rat).SetFloat64(loss.hi)
}

// checkTops checks that every run of mechanisms with noise, or losses, has a top, equal ones the same.
func (p Problem) checkTops(tops []*big.Rat) error {
	known := map[run]*big.Rat{}
	for k, r := range p.runs() {
		if !p.Mechanisms[r.entry].isDense() {
			continue
		}
		if k >= len(tops) || tops[k] == nil || tops[k].Sign() < 0 {
			return fmt.Errorf("run %d has noise, or losses, must have a top of at least 0", k+1)
		}
		r.stop = 0
		if x, ok := known[r]; ok && x.Cmp(tops[k]) != 0 {
			return fmt.Errorf("run %d has another top than an equal one", k+1)
		}
		known[r] = tops[k]
	}
	return nil
}

// numbersOf returns those that are given.
func numbersOf(xs []*big.Rat) (numbers []Number) {
	for _, x := range xs {
		if x != nil {
			numbers = append(numbers, Number{Value: x})
		}
	}
	return numbers
}

// halves are the probabilities above and below a threshold.
type halves struct{ above, below span }

// sides are halves under P and under Q.
type sides struct{ p, q halves }

// additiveLaw is an additive mechanism in numbers of float64.
type additiveLaw struct {
	*Additive
	scale, sampling, rest, half, most span // rest is 1 − sampling, half 1/(2·scale), and most 1/scale
	tails                             discreteTails
}

func (a *Additive) law() *additiveLaw {
	scale, q := spanOf(a.Scale), spanOf(a.Sampling)
	rest := spanOf(new(big.Rat).Sub(one, a.Sampling))
	l := &additiveLaw{a, scale, q, rest, exactly(0.5).over(scale), exactly(1).over(scale), nil}
	if a.Noise == DiscreteGaussian {
		l.tails = newDiscreteTails(scale)
	}
	return l
}

// sides returns those of a loss. Outputs with that very loss are on either side.
//
// For a record that is sampled with probability q the loss is ln(1 − q + q·e^η), where η is what the noise alone loses, and rises with that. It is l where e^η
// is 1 + (e^l − 1)/q: hardly anything cancels. If the record is added all losses change their sign.
func (a *additiveLaw) sides(loss span) sides {
	if a.Added {
		loss = loss.negated()
	}
	if a.rest.hi > 0 {
		loss = loss.expm1().over(a.sampling).plus(exactly(1)).log()
	}
	with, without := a.halves(loss)
	s := sides{halves{
		a.rest.times(without.above).plus(a.sampling.times(with.above)).probability(),
		a.rest.times(without.below).plus(a.sampling.times(with.below)).probability(),
	}, without}
	if a.Added {
		s = sides{halves{s.q.below, s.q.above}, halves{s.p.below, s.p.above}}
	}
	return s
}

// halves returns the laws of 1 and of 0 with noise, above and below the output at which the noise alone loses so much.
func (a *additiveLaw) halves(loss span) (with, without halves) {
	switch a.Noise {
	case DiscreteGaussian:
		return a.discreteHalves(loss)
	case Laplace:
		return laplaceHalves(loss, a.most, a.Added), laplaceHalves(loss.negated(), a.most, !a.Added).flipped()
	}
	y := loss.times(a.scale) // (2y − 1)/(2σ²) is lost, y in multiples of σ
	return normalHalves(y.minus(a.half)), normalHalves(y.plus(a.half))
}

// normalHalves returns the standard normal law above and below x.
func normalHalves(x span) halves { return halves{x.above(), x.negated().above()} }

// laplaceHalves returns the law of 1 with the noise of scale b around the output at which (|y| − |y − 1|)/b is lost. That is ±most
// beyond 0 and 1, with most = 1/b, and between them the law is e^((loss − most)/2)/2 below it. That of 0 is the mirror image.
//
// There are atoms at ±most. An output has to be on one side under P and under Q: where the loss may be that of an atom, this is below if isBelow, and otherwise
// above. In the end it is taken for above the node that it is next to: its loss is then not less than it is.
func laplaceHalves(loss, most span, isBelow bool) halves {
	for _, atom := range []span{most.negated(), most} {
		switch mayBe := loss.lo <= atom.hi && loss.hi >= atom.lo; {
		case mayBe && isBelow:
			loss.lo = max(loss.lo, atom.lo)
		case mayBe:
			loss.hi = min(loss.hi, atom.hi)
		}
	}
	tail := loss.minus(most).times(exactly(0.5)).exp().times(exactly(0.5))
	at := func(x, tail float64) float64 {
		switch {
		case x > most.hi || isBelow && x >= most.lo:
			return 1
		case x > -most.lo || isBelow && x >= -most.hi:
			return min(max(0, tail), 0.5)
		}
		return 0
	}
	below := span{at(loss.lo, tail.lo), at(loss.hi, tail.hi)}
	return halves{exactly(1).minus(below).probability(), below}
}

// flipped returns h with its sides exchanged.
func (h halves) flipped() halves { return halves{h.below, h.above} }
