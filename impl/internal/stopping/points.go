package stopping

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

	"checkrr/impl/certify"
	"checkrr/impl/certify/noise"
	"checkrr/impl/loss"
)

// points is a pair whose losses are on no lattice, by some of them. What is known of it here is about right; package
// certify has it with certainty.
type points struct {
	mechanism certify.Mechanism
	list      func() (losses, masses []float64) // under P; many are never asked for
	logs      []float64                         // of masses, once there are moments
	moments   map[[2]float64]float64
	// the largest finite loss, or slightly more; nil if there is none, or one that is as good as infinite
	most *big.Rat
}

// mostFinite is the loss from which on one is as good as infinite, and mostPoints bounds the losses of which moments
// are computed.
const (
	mostFinite = 500
	mostPoints = 1 << 12
)

// lister has about what is lost, and the P-masses.
type lister interface {
	About(most int) (losses, masses []float64)
}

// ofPoints returns the pair of a mechanism whose losses are on no lattice.
func ofPoints(m certify.Mechanism) *points {
	list := additive{m.Additive}.list
	if a := m.Additive; a == nil || a.IsExchanged() {
		list = func() (losses, masses []float64) { return m.Continuous().(lister).About(mostPoints) }
	}
	p := &points{mechanism: m, list: sync.OnceValues(list), most: m.Continuous().Most()}
	if p.most != nil && p.most.Cmp(big.NewRat(mostFinite, 1)) > 0 {
		p.most = nil
	}
	return p
}

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

// exceeded returns about the loss that is exceeded with the probability cut.
func (a *points) exceeded(cut float64) float64 {
	losses, masses := a.list()
	order := make([]int, len(losses))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(losses[j], losses[i]) })
	sum := 0.0
	for _, i := range order {
		if sum += masses[i]; sum > cut {
			return losses[i]
		}
	}
	return 0
}

// Deviation returns about the standard deviation of the loss, or a little where there is none to speak of, as of one
// loss.
func (a *points) Deviation() float64 {
	mean, square := 0.0, 0.0
	losses, masses := a.list()
	for i, l := range losses {
		mean += masses[i] * l
	}
	for i, l := range losses {
		square += masses[i] * (l - mean) * (l - mean)
	}
	if a.mechanism.Additive != nil {
		return math.Sqrt(square)
	}
	return max(math.Sqrt(square), 1e-6)
}

// Infinity returns the P-mass where Q = 0, or a little more.
func (a *points) Infinity() float64 { return a.mechanism.Continuous().Infinity() }

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

// Width returns about how far apart the losses of so many steps are.
func (a *points) Width(count int, cut float64) float64 {
	top, _ := a.Top(count, cut, 0).Float64()
	below, _ := a.chernoff(count, cut, -1)
	return top + min(top, below)
}

// PLD returns about the law, with depths below 0 if there is no largest loss: that of finer cells, of which every
// mass is split to four nodes such that cubic polynomials of the loss keep their means. Where that makes masses below
// 0, as there are atoms, it is split to two, such that P-mass and Q-mass stay what they are.
func (a *points) PLD(ctx context.Context, count int, cut, unit float64) (*pld, error) {
	finest := max(21, mostCells*unit/(2*a.Reach())) // where losses are rare, and large, most cells are empty
	factor := int(min(21, finest)) | 1
	fine := unit / float64(factor)
	each, less := a.Largest(), 0
	if most, _ := each.Float64(); float64(count)*most > fine*certify.MaxNode/2 {
		// nodes are counted from less: so much is hardly ever lost together
		less = int(most / unit)
		off := new(big.Rat).SetFloat64(fine)
		each = off.Sub(each, off.Mul(off, big.NewRat(int64(less)*int64(factor), 1)))
	}
	_, tilt := a.chernoff(count, math.Sqrt(cut), 1) // with that, the law has its mean where a mass of √cut is above
	low, masses, infinity, err := noise.MassesOf(ctx, a.mechanism.Continuous(), count, each, fine, tilt, cut)
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
	return [4]float64{-f * (f - 1) * (f - 2) / 6, (f + 1) * (f - 1) * (f - 2) / 2, -(f + 1) * f * (f - 2) / 2,
		(f + 1) * f * (f - 1) / 6}
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
