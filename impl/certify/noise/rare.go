package noise

import (
	"context"
	"math"

	"checkrr/impl/certify/internal/num"
)

// # Rare, large losses
//
// A step that samples few records loses next to nothing most times and, rarely, a thousand times as much. No nodes
// are fine enough for the one and reach far enough for the other. So its outputs are divided by what they lose: those
// of the body lose from −c to c, and the others are so rare that of all steps one in a hundred times one has such an
// output. Let B and T be the laws of both losses, β = P(body), and δ_0 a loss of 0. With sums of losses as products,
// n steps have the law
//
//	(B + T)^n = Σ_j C(n, j)·B^(n−j)·T^j.
//
// Both ends are a power of B on fine nodes times a power of δ_0 + T/β on coarse ones.
//
// Upper ends: a rare output may tell another one of the body, too, if then all its losses are larger by s =
// ln(Q(body)/P(body)), or by 0 if that is less. For what is behind it is worth V(a, b), convex, homogeneous and not
// rising in b, and then at least V(a, b·e^−s·Q(body)/P(body)) ≥ V(a, b) together. So B + T is dominated by B·(δ_0 +
// T′/β), where T′ has the larger losses, and n steps by the n-th powers.
//
// Lower ends: what is told is which cells the losses are in. If j of them are rare, m − j of the others are left
// untold, for some m, and if more than m are rare nothing is told. The law of that is B^(n−m)·Σ_(j≤m) C(n,
// j)·β^(m−j)·T^j, under P and under Q. The sum over all j is β^m·(δ_0 + T/β)^n instead. Its P-mass is more by the
// probability of more than m rare outputs, which is taken off what the pipeline is worth; and lower ends may take
// Q-mass for more.

// rareLeast, rareRatio: so many steps at least are divided, if losses that matter are so many times c. If hints say
// so, freeRatio is enough: where the losses of the body matter, lower ends are off by those that are untold.
var (
	rareLeast, rareRatio = 64, 256.0
	freeRatio            = 32.0
)

// rareMean is about how many of all steps have a rare output, and leastMean those that have one of those that hardly
// matter.
const rareMean, leastMean = 0.01, 1e-18

// rare returns the c of count steps; 0 if they are not to be divided.
func (a *additiveLaw) rare(count int, isFree bool) float64 {
	if count < rareLeast || a.rest.Hi == 0 {
		return 0
	}
	exceeded := func(mean float64) float64 { // |loss| is larger in about so many steps
		low, high := math.Log(1e-12), math.Log(MostLoss)
		for range 40 {
			middle := (low + high) / 2
			less, more := a.only(-math.Exp(middle), math.Exp(middle)).others()
			if (less.Hi+more.Hi)*float64(count) > mean {
				low = middle
			} else {
				high = middle
			}
		}
		return math.Exp(high)
	}
	ratio := rareRatio
	if isFree {
		ratio = freeRatio
	}
	c := exceeded(rareMean)
	if exceeded(leastMean) < ratio*c {
		return 0
	}
	return c
}

// only returns the outputs with losses between two numbers. On which side of a number an output is never depends on
// the other one.
func (a *additiveLaw) only(from, to float64) *additiveLaw {
	x := *a
	if !math.IsInf(from, -1) {
		x.first, _ = a.upTo(from, num.Exactly(from).Exp())
	}
	if !math.IsInf(to, 1) {
		x.last, _ = a.upTo(to, num.Exactly(to).Exp())
	}
	return &x
}

// others returns the P-masses of the outputs that lose less, and more.
func (a *additiveLaw) others() (less, more num.Span) {
	less, _ = a.masses(a.farthest(true), a.first)
	more, _ = a.masses(a.last, a.farthest(false))
	return less, more
}

// divided is the law of some steps, found in two parts.
type divided struct {
	*additiveLaw // of all outputs
	body         *additiveLaw
	p, q         num.Span // of the body
	c            float64
	count        int
	deviation    float64 // of all bodies, about
	isUp         bool
	unit         num.Span // of the coarse nodes
	tilt, cut    float64
}

// divided returns the law of count steps, of which losses beyond c are rare, on nodes that are a unit apart; node 0
// loses nominal in all.
func (a *additiveLaw) divided(
	ctx context.Context, c float64, count int, nominal, unit num.Span, isUp bool, tilt, cut float64,
) (*Cells, error) {
	d := divided{additiveLaw: a, body: a.only(-c, c), c: c, count: count, isUp: isUp, unit: unit, tilt: tilt, cut: cut}
	d.p, d.q = a.masses(d.body.first, d.body.last)
	d.deviation = d.deviationOf()
	told, deficit := count, 0.0
	if !isUp {
		told, deficit = d.told()
	}
	bodies, err := d.bodies(ctx, told, nominal)
	if err != nil {
		return nil, err
	}
	rare, err := d.rareOnes(ctx)
	if err != nil {
		return nil, err
	}
	total, infinity := num.Exactly(rare.Total), num.Exactly(rare.Infinity)
	rare.Infinity = 0
	if rare, err = rare.power(ctx, count, cut, tilt*unit.Lo); err != nil {
		return nil, err
	}
	bodies, rare = bodies.trimmed(cut), rare.trimmed(cut)
	both, err := bodies.plus(ctx, rare, tilt*unit.Lo)
	if err != nil {
		return nil, err
	}
	if isUp {
		kept, lost := leaked(total.Times(d.p), infinity, count)
		infinite := num.Exactly(bodies.Infinity).Times(num.Exactly(rare.Total)).Plus(num.Exactly(rare.Infinity))
		both.Total, both.Infinity = kept.Hi, infinite.Plus(lost).Hi
		return both, nil
	}
	both.Deficit = deficit
	for j, x := range [2]num.Span{d.p, d.q} {
		untold, _ := leaked(x, num.Exactly(0), count-told)
		both.multiply(j, untold)
	}
	return both, nil
}

// told returns how many outputs of the body are told, and an upper bound of the probability that there are fewer:
// x^(m+1)/(m+1)! for more than m rare ones, with their mean number x.
func (d *divided) told() (told int, deficit float64) {
	less, more := d.body.others()
	mean := less.Plus(more).Times(num.Exactly(float64(d.count)))
	x, untold := mean, 0
	for ; x.Hi > d.cut && untold < d.count/2; untold++ {
		x = x.Times(mean).Over(num.Exactly(float64(untold + 2)))
	}
	return d.count - untold, x.Hi
}

// steep returns tilts of the bodies, in nodes that are so far apart: one with which their law has its mean six
// standard deviations above 0, about where it was, as what transforms are off by is small from there on (where that
// is less than a unit, less is enough), and the one that is given if it is more.
func (d *divided) steep(unit float64) []float64 {
	enough := min(6/d.deviation, 1/d.unit.Lo)
	if d.tilt > enough {
		return []float64{enough * unit, d.tilt * unit}
	}
	return []float64{enough * unit}
}

// bodies returns the law of so many outputs of the body, on coarse nodes.
func (d *divided) bodies(ctx context.Context, count int, nominal num.Span) (*Cells, error) {
	factor := min(Fineness(count), oddPart(mostFine*d.unit.Lo/(20*(d.deviation+d.c))))
	r := ruler{nominal: nominal.Over(num.Exactly(float64(count))), unit: d.unit.Over(num.Exactly(float64(factor)))}
	c, err := cellsOf(ctx, d.body, r, d.isUp, d.cut/float64(count))
	if err != nil {
		return nil, err
	}
	if c, err = c.times(ctx, count, d.cut, d.steep(r.unit.Lo)...); err != nil {
		return nil, err
	}
	return c.coarser(factor, r.unit), nil
}

// mostFine is about how many fine nodes there may be.
const mostFine = 1 << 22

// deviationOf returns about the standard deviation of the loss of all bodies, or a little more.
func (d *divided) deviationOf() float64 {
	const cells = 256
	square, from := 0.0, d.body.first
	for i := range cells {
		loss := d.c * (float64(2*i+1)/cells - 1)
		to := d.body.about(loss + d.c/cells)
		p, _ := d.masses(from, to)
		square += p.Hi * loss * loss
		from = to
	}
	return math.Sqrt(float64(d.count) * square)
}

// rareOnes returns δ_0 + T/β, where an upper end has the larger losses.
func (d *divided) rareOnes(ctx context.Context) (*Cells, error) {
	r := ruler{nominal: num.Exactly(0), unit: d.unit}
	all := &Cells{Mass: [2][]float64{{1}, nil}, Rounds: 4, Total: 1}
	if d.isUp {
		r.nominal = d.q.Over(d.p).Log().AtLeast0().Negated()
	} else {
		all.Mass[1] = []float64{1}
	}
	for _, part := range [2]*additiveLaw{d.only(math.Inf(-1), -d.c), d.only(d.c, math.Inf(1))} {
		if part.first.y == part.last.y {
			continue
		}
		c, err := cellsOf(ctx, part, r, d.isUp, d.cut/float64(d.count))
		if err != nil {
			return nil, err
		}
		c.multiply(0, num.Exactly(1).Over(d.p))
		c.multiply(1, num.Exactly(1).Over(d.q))
		all = all.or(c)
	}
	return all, nil
}
