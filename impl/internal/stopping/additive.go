package stopping

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// Additive is the pair of a mechanism with noise. What is known of it here is about right; package certify has it
// with certainty.
type Additive struct {
	certify.Additive
	points
}

// NewAdditive returns the pair.
func NewAdditive(a certify.Additive) *Additive {
	p := &Additive{Additive: a}
	list := p.cells
	if a.Noise == certify.DiscreteGaussian {
		list = p.integers
	}
	p.points = pointsOf(certify.Mechanism{Additive: &p.Additive}, list)
	return p
}

// cells lists what small cells of outputs lose.
func (a *Additive) cells() (losses, masses []float64) {
	const reach, width = 40, 1.0 / 32 // in multiples of the scale; beyond is less than float64 has
	far := 1 / a.scale()
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
func (a *Additive) integers() (losses, masses []float64) {
	s, q := a.scale(), a.sampling()
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

func (a *Additive) scale() float64 {
	x, _ := a.Scale.Float64()
	return x
}

func (a *Additive) sampling() float64 {
	x, _ := a.Sampling.Float64()
	return x
}

// cell returns the loss in the middle of a cell of outputs, in multiples of the scale, and its P-mass.
func (a *Additive) cell(from, to float64) (loss, mass float64) {
	y, d, q := (from+to)/2, 1/a.scale(), a.sampling()
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

// Batch returns no limit.
func (a *points) Batch() int { return math.MaxInt }

// Largest returns the largest finite loss, or slightly more; 0 if there is none.
func (a *points) Largest() *big.Rat {
	if a.most == nil {
		return new(big.Rat)
	}
	return a.most
}

// Depths returns none: losses are not on a lattice.
func (a *points) Depths() []loss.Epsilon { return nil }

// Reach returns about the largest |loss| that matters.
func (a *points) Reach() (most float64) {
	losses, masses := a.list()
	for i, l := range losses {
		if masses[i] > 1e-20 {
			most = max(most, math.Abs(l))
		}
	}
	return most
}

// Deviation returns about the standard deviation of the loss.
func (a *points) Deviation() float64 {
	mean, square := 0.0, 0.0
	losses, masses := a.list()
	for i, l := range losses {
		mean += masses[i] * l
	}
	for i, l := range losses {
		square += masses[i] * (l - mean) * (l - mean)
	}
	return math.Sqrt(square)
}

// Infinity returns 0: noise has none.
func (a *Additive) Infinity() float64 { return 0 }

// LogMoment returns about ln E_P e^(λ·min(loss, most)).
func (a *points) LogMoment(lambda, most float64) float64 {
	losses, masses := a.list()
	if a.moments == nil {
		a.moments = map[[2]float64]float64{}
		for _, m := range masses {
			a.logs = append(a.logs, math.Log(m))
		}
	}
	key := [2]float64{lambda, most}
	if x, ok := a.moments[key]; ok {
		return x
	}
	largest, sum := math.Inf(-1), 0.0
	for i, l := range losses {
		largest = max(largest, lambda*min(l, most)+a.logs[i])
	}
	const nothing = -60 // e^−60 of the largest term
	for i, l := range losses {
		if x := lambda*min(l, most) - largest; x+a.logs[i] > nothing {
			sum += masses[i] * math.Exp(x)
		}
	}
	a.moments[key] = largest + math.Log(sum)
	return a.moments[key]
}

// Top returns a loss of so many steps together that is exceeded with about the probability cut or less (Chernoff),
// and more, as a multiple of 1/64, or, if that is less, the largest loss: where many outputs have that, they are on a
// node.
func (a *points) Top(count int, cut, more float64) *big.Rat {
	least, _ := a.chernoff(count, cut, 1)
	top := big.NewRat(int64(math.Ceil(64*min(max(0, least)+more, 1e15))), 64)
	if a.most != nil {
		if x := new(big.Rat).Mul(a.most, new(big.Rat).SetInt64(int64(count))); x.Sign() > 0 && x.Cmp(top) < 0 {
			return x
		}
	}
	return top
}

// Span returns about how far apart the losses of so many steps are.
func (a *points) Span(count int, cut float64) float64 {
	top, _ := a.Top(count, cut, 0).Float64()
	below, _ := a.chernoff(count, cut, -1)
	return top + min(top, below)
}

// PLD returns about the law, with depths below 0 if there is no largest loss: that of finer cells, of which every
// mass is split to four nodes such that cubic polynomials of the loss keep their means. Where that makes masses below
// 0, as there are atoms, it is split to two, such that P-mass and Q-mass stay what they are.
func (a *points) PLD(ctx context.Context, count int, cut, unit float64) (*pld, error) {
	finest := max(21, mostCells*unit/(2*a.Reach())) // where losses are rare, and large, most cells are empty
	factor := int(min(max(21, 4*math.Sqrt(float64(a.mechanism.Laws(count)))), finest)) | 1
	if a.mechanism.IsDivided(count, true) {
		factor = 5
	}
	fine := unit / float64(factor)
	each, less := a.Largest(), 0
	if most, _ := each.Float64(); float64(count)*most > fine*certify.MaxNode/2 {
		// nodes are counted from less: so much is hardly ever lost together
		less = int(most / unit)
		off := new(big.Rat).SetFloat64(fine)
		each = off.Sub(each, off.Mul(off, big.NewRat(int64(less)*int64(factor), 1)))
	}
	low, masses, infinity, err := a.mechanism.Together(ctx, count, each, fine, a.tilt(count, math.Sqrt(cut)), cut)
	if err != nil {
		return nil, err
	}
	first, nodes := split(low, masses, factor, cubic)
	if slices.Min(nodes) < -1e-3*slices.Max(nodes) {
		first, nodes = split(low, masses, factor, func(f float64) [4]float64 {
			part := math.Expm1(-f*unit) / math.Expm1(-unit)
			return [4]float64{0, 1 - part, part, 0}
		})
	}
	first -= count * less
	l := &pld{infinity: infinity}
	for i, m := range slices.Backward(nodes) {
		m, depth := max(0, m), -float64(first+i)*unit
		if a.most != nil { // what is above is due to rounding
			depth = max(0, depth)
		}
		if l.finite += m; len(l.mass) > 0 && depth == l.depth[len(l.depth)-1] {
			l.mass[len(l.mass)-1] += m
			continue
		}
		l.depth, l.mass = append(l.depth, depth), append(l.mass, m)
	}
	if l.finite > 1+mostExcess {
		return nil, fmt.Errorf("float64 does not tell how much %d such steps lose", count)
	}
	return l, nil
}

// mostCells is about how many cells a law may have that is only to be about right.
const mostCells = 1 << 21

// mostExcess is by how much masses that are about right may be more than 1 together.
const mostExcess = 0.5

// split moves masses on the nodes from low on to every factor-th of them, from first on: those at a part of the way
// from one to the next to that one, the one before, and the next two, with these weights.
func split(low int, masses []float64, factor int, weights func(part float64) [4]float64) (first int, nodes []float64) {
	first = int(math.Floor(float64(low)/float64(factor))) - 1
	nodes = make([]float64, (low+len(masses)-first*factor)/factor+4)
	all := make([][4]float64, factor)
	for r := range all {
		all[r] = weights(float64(r) / float64(factor))
	}
	for i, m := range masses {
		at := low + i - first*factor
		for j, w := range all[at%factor] {
			nodes[at/factor-1+j] += m * w
		}
	}
	return first, nodes
}

// cubic returns the weights of Lagrange's interpolation from −1, 0, 1 and 2 to f.
func cubic(f float64) [4]float64 {
	return [4]float64{-f * (f - 1) * (f - 2) / 6, (f + 1) * (f - 1) * (f - 2) / 2, -(f + 1) * f * (f - 2) / 2, (f + 1) * f * (f - 1) / 6}
}

// tilt returns about the λ with which the law of so many steps has its mean where a mass of about cut is above.
func (a *points) tilt(count int, cut float64) float64 {
	_, lambda := a.chernoff(count, cut, 1)
	return lambda
}

// chernoff returns a sum of so many gains, which are the losses or, with sign −1, their negatives, that is exceeded
// with about the probability cut or less, and the λ that shows it.
func (a *points) chernoff(count int, cut, sign float64) (sum, lambda float64) {
	sum = math.Inf(1)
	for power := -20.0; power < 40; power++ {
		x := math.Exp2(power/2) / 2
		if y := (float64(count)*a.LogMoment(sign*x, math.Inf(1)) - math.Log(cut)) / x; y < sum {
			sum, lambda = y, x
		}
	}
	return sum, lambda
}
