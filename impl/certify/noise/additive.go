package noise

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/certify/internal/num"
)

// Additive is a mechanism that releases a number with noise. Neighbours differ by one record, without which the number
// is 0, and with which it is 1 with probability Sampling, and 0 otherwise; or by what is more than a record, see Adds
// and Group, or another one, see Replaced. P is with the record and Q without it or, if it is Added, the other way
// round.
type Additive struct {
	Noise    Noise
	Scale    *big.Rat      // σ or b, as a multiple of what the record contributes
	Sampling *big.Rat      // the probability of a record to be in a sample; 1 if all are in it, never nil
	Adds     [][2]*big.Rat // rising amounts in place of 1, with their probabilities, which sum to 1; nil if there is 1
	Group    int           // how many records neighbours differ by; 0 stands for 1
	MaxBatch int           // how many records of a sample are left at most, chosen at random; 0 if all are
	Records  int           // with MaxBatch, how many there are: with the record, or with the one in its place
	Square   *big.Rat      // of Gaussian noise of which 1/σ² is exact and Scale is not, see Joint; nil if Scale is
	Replaced bool          // whether neighbours have another record in place of one that is in a sample, or in a batch
	Added    bool          // whether P is without the record
}

// Noise is a law of noise: [Gaussian], [Laplace], [DiscreteGaussian], or [GDP] for what is known of Gaussian noise.
type Noise string

// Laws of noise.
const (
	Gaussian Noise = "gaussian" // density proportional to e^(−x²/(2σ²))
	Laplace  Noise = "laplace"  // proportional to e^(−|x|/b)

	DiscreteGaussian Noise = "discrete_gaussian" // probabilities of integers, proportional to e^(−x²/(2σ²))

	// GDP is Gaussian noise of a mechanism of which only μ = 1/σ is given. It is no other law, and no noise to choose.
	GDP Noise = "gdp"
)

// Limits of an additive mechanism. With less noise than that of the least scale losses are about 500 or more, and there
// is little room below MostLoss.
var (
	leastScale    = big.NewRat(1, 500)
	mostScale     = big.NewRat(1_000_000_000, 1)
	leastSampling = big.NewRat(1, 1_000_000_000)
)

// Fault returns the rule that a breaks, of its scale or of sampling; empty if there is none.
func (a *Additive) Fault() string {
	switch {
	case a.Noise != Gaussian && a.Noise != Laplace && a.Noise != DiscreteGaussian && a.Noise != GDP:
		return fmt.Sprintf("noise is %.40q, must be %s, %s or %s", a.Noise, Gaussian, Laplace, DiscreteGaussian)
	case a.Scale == nil:
		return fmt.Sprintf("the scale of %s noise is missing, must be a multiple of what a record contributes", a.Noise)
	case a.Sampling == nil:
		return fmt.Sprintf("the sampling of %s noise is missing, must be 1 if every record is in the sample", a.Noise)
	case a.Noise == DiscreteGaussian &&
		(a.Scale.Cmp(leastScale) < 0 || a.Scale.Cmp(big.NewRat(mostDiscrete, 1)) > 0):
		return fmt.Sprintf("the scale of discrete noise must be between 0.002 and %d", mostDiscrete)
	case a.Scale.Cmp(leastScale) < 0 || a.Scale.Cmp(mostScale) > 0:
		return "the scale of the noise must be between 0.002 and 1e9"
	case a.Sampling.Cmp(leastSampling) < 0 || a.Sampling.Cmp(num.One) > 0:
		return "sampling must be between 1e-9 and 1: the probability of a record to be in a sample, " +
			"as batch size over number of records"
	}
	if rule := cmp.Or(a.contributionFault(), a.squareFault()); rule != "" {
		return rule
	}
	if least, most := a.Limits(); a.Scale.Cmp(least) < 0 || a.Scale.Cmp(most) > 0 {
		return "the scale of the noise must be between 0.002 of the most and 1e9 of the least that is contributed"
	}
	return ""
}

// Most returns the largest loss, or a little more; nil if there is none. For Laplace noise that is 1/b without
// sampling, and with it ln(1 − q + q·e^(1/b)), or −ln(1 − q + q·e^(−1/b)) for a record that is added. For other noise
// there is one, −ln(1 − q), if a record is added that may be left out of the sample.
func (a *Additive) Most() *big.Rat {
	nothing := new(big.Rat).Sub(num.One, a.Takes())
	isSampled := nothing.Sign() > 0
	if a.Noise != Laplace && !(a.Added && isSampled) {
		return nil
	}
	if a.Noise != Laplace {
		return new(big.Rat).SetFloat64(num.SpanOf(nothing).Log().Negated().Hi)
	}
	most := a.perScale()
	if !isSampled {
		return most
	}
	l, ratio := a.law(), num.Exactly(0) // e^η
	switch {
	case a.Noise == Laplace && a.Added:
		ratio = num.SpanOf(most).Negated().Exp()
	case a.Noise == Laplace:
		ratio = num.SpanOf(most).Exp()
	}
	loss := l.rest.Plus(l.sampling.Times(ratio)).Log()
	if a.Added {
		loss = loss.Negated()
	}
	return new(big.Rat).SetFloat64(loss.Hi)
}

// additiveLaw is an additive mechanism in numbers of float64.
type additiveLaw struct {
	*Additive
	outputs
	sampling, rest num.Span // rest is 1 − sampling
	first, last    edge     // the outputs are between these: all, or what only leaves
}

// outputs are those of a mechanism that adds noise to 0 without the record, and to 1 with it, in units of its own. A
// place divides them: some are below, the others from there on. What the noise alone loses, η, is the logarithm of
// the density with the record, as a multiple of that without it. It does not fall.
type outputs interface {
	// place returns about where η begins to be at least eta, which may be infinite; a place is then where nothing is
	// below, or above.
	place(eta float64) float64

	// beside returns a place a little below y, or above, further with every try from 0 on.
	beside(y float64, try int, isUp bool) float64

	// edge returns what there is to know of a place.
	edge(y float64) edge

	// between returns the probabilities of what is between two places, with the record and without.
	between(from, to edge) (with, without num.Span)
}

// edge is a place: e^η of the outputs next to it, and the density without the record, where that is known.
type edge struct {
	y                     float64
	below, above, density num.Span
}

func (a *Additive) law() *additiveLaw {
	takes := a.Takes()
	l := &additiveLaw{Additive: a, sampling: num.SpanOf(takes), rest: num.SpanOf(new(big.Rat).Sub(num.One, takes))}
	amount, _ := a.Only()
	switch {
	case a.Noise == DiscreteGaussian:
		l.outputs = newIntegers(num.SpanOf(a.Scale))
	case a.Noise == Laplace:
		l.outputs = laplace{num.Exactly(1).Over(num.SpanOf(new(big.Rat).Quo(a.Scale, amount)))}
	case a.Square != nil:
		l.outputs = newNormal(num.SpanOf(a.Square).Root())
	case amount == nil:
		l.outputs = newNormals(a.Contributions(), takes, a.Scale)
	default:
		l.outputs = newNormal(num.Exactly(1).Over(num.SpanOf(new(big.Rat).Quo(a.Scale, amount))))
	}
	l.first, l.last = l.farthest(true), l.farthest(false)
	return l
}

// ratio returns e^loss, where the noise alone has the ratio e^η: 1 − q + q·e^η for a record that is sampled with
// probability q, and the inverse of that if it is added.
func (a *additiveLaw) ratio(noise num.Span) num.Span {
	r := a.rest.Plus(a.sampling.Times(noise))
	if a.Added {
		r = num.Exactly(1).Over(r)
	}
	return r
}

// eta returns about what the noise alone loses where the loss is so much: hardly anything cancels.
func (a *additiveLaw) eta(loss float64) float64 {
	if a.Added {
		loss = -loss
	}
	if a.rest.Hi > 0 {
		loss = math.Log1p(max(-1, math.Expm1(loss)/a.sampling.Lo))
	}
	return loss
}

// about returns the place at which about so much is lost.
func (a *additiveLaw) about(loss float64) edge { return a.within(a.edge(a.place(a.eta(loss)))) }

// within returns the place that is nearest to e, from the first to the last.
func (a *additiveLaw) within(e edge) edge {
	switch {
	case e.y != a.first.y && (e.y < a.first.y) != a.Added:
		return a.first
	case e.y != a.last.y && (e.y > a.last.y) != a.Added:
		return a.last
	}
	return e
}

// upTo returns a place such that outputs on its one side lose at most as much as the ratio says, and the least that
// those on the other do, as a part of that, at most 1: hardly less.
func (a *additiveLaw) upTo(loss float64, ratio num.Span) (e edge, least float64) {
	y := a.place(a.eta(loss))
	for try := range 20 {
		e = a.within(a.edge(a.beside(y, try, a.Added)))
		lower, upper := a.ratio(e.below), a.ratio(e.above)
		if a.Added {
			lower, upper = upper, lower
		}
		if lower.Hi <= ratio.Lo || e.y == a.first.y { // where nothing is on that side
			return e, max(0, min(1, upper.Over(ratio).Lo))
		}
	}
	return a.first, 0
}

// farthest returns the place where everything loses more, or less.
func (a *additiveLaw) farthest(isLow bool) edge {
	y := math.Inf(1)
	if isLow != a.Added {
		y = -y
	}
	return a.edge(y)
}

// masses returns those between two places, of which the first is where less is lost, under P and under Q.
func (a *additiveLaw) masses(from, to edge) (p, q num.Span) {
	if a.Added {
		from, to = to, from
	}
	with, without := a.between(from, to)
	with, without = with.Probability(), without.Probability()
	mixed := a.rest.Times(without).Plus(a.sampling.Times(with)).Probability()
	if a.Added {
		return without, mixed
	}
	return mixed, without
}

// Limits returns the smallest and the largest scale of noise with which what a contributes is allowed.
func (a *Additive) Limits() (least, most *big.Rat) {
	if a.Noise == DiscreteGaussian {
		return new(big.Rat).Set(leastScale), big.NewRat(mostDiscrete, 1)
	}
	low, high := a.extent()
	return new(big.Rat).Mul(leastScale, high), new(big.Rat).Mul(mostScale, low)
}

// only implements [dense]. On which side of a number an output is never depends on the other one.
func (a *additiveLaw) only(from, to float64) dense {
	x := *a
	if !math.IsInf(from, -1) {
		x.first, _ = a.upTo(from, num.Exactly(from).Exp())
	}
	if !math.IsInf(to, 1) {
		x.last, _ = a.upTo(to, num.Exactly(to).Exp())
	}
	return &x
}

// weight implements [dense].
func (a *additiveLaw) weight() float64 {
	p, _ := a.masses(a.first, a.last)
	return p.Hi
}
