package stopping

import (
	"math"
	"math/big"

	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// Additive is the pair of a mechanism with noise. What is known of it here is about right; package certify has it with certainty.
type Additive struct {
	certify.Additive
	step *pld // on units
	unit float64
	top  float64 // loss of node 0 of step
}

// A step's law has so many nodes, between losses that are exceeded with so small a probability.
const (
	stepNodes = 1 << 11
	stepTail  = 1e-20
)

// NewAdditive returns the pair.
func NewAdditive(a certify.Additive) *Additive {
	p := &Additive{Additive: a}
	var losses, masses []float64
	for y := -40.0; y < 41; y += 1.0 / 64 { // in multiples of the scale, around what is sent
		for _, center := range []float64{0, 1 / p.scale()} {
			if x := center + y; center == 0 || x > 40 {
				l, m := p.cell(x, x+1.0/64)
				losses, masses = append(losses, l), append(masses, m)
			}
		}
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i, l := range losses {
		if masses[i] > stepTail {
			low, high = min(low, l), max(high, l)
		}
	}
	p.top, p.unit = high, max((high-low)/stepNodes, 1e-300)
	p.step = &pld{mass: make([]float64, stepNodes+2)}
	for i, l := range losses {
		d := min(max(0, (high-l)/p.unit), stepNodes)
		q := math.Floor(d)
		p.step.mass[int(q)] += masses[i] * (1 - d + q)
		p.step.mass[int(q)+1] += masses[i] * (d - q)
	}
	return p
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
	between := func(x, y float64) float64 { return (math.Erfc(x/math.Sqrt2) - math.Erfc(y/math.Sqrt2)) / 2 }
	if a.Noise == certify.Laplace {
		eta = math.Abs(y) - math.Abs(y-d)
		between = func(x, y float64) float64 { return laplaceBelow(y) - laplaceBelow(x) }
	}
	loss = math.Log1p(q * math.Expm1(eta))
	without, with := between(from, to), between(from-d, to-d)
	if from > 0 { // differences of what is small
		without = between(-to, -from)
	}
	if from > d {
		with = between(d-to, d-from)
	}
	if a.Added {
		return -loss, without
	}
	return loss, (1-q)*without + q*with
}

func laplaceBelow(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / 2
	}
	return 1 - math.Exp(-x)/2
}

// Mechanism returns the noise.
func (a *Additive) Mechanism() certify.Mechanism { return certify.Mechanism{Additive: &a.Additive} }

// Equal reports whether q has the same noise.
func (a *Additive) Equal(q Pair) bool {
	b, ok := q.(*Additive)
	return ok && a.Noise == b.Noise && a.Added == b.Added && a.Scale.Cmp(b.Scale) == 0 && a.Sampling.Cmp(b.Sampling) == 0
}

// Batch returns no limit.
func (a *Additive) Batch() int { return math.MaxInt }

// Largest returns a loss that is next to never exceeded.
func (a *Additive) Largest() *big.Rat { return a.Top(1, 1e-100) }

// Depths returns none: losses are not on a lattice.
func (a *Additive) Depths() []loss.Epsilon { return nil }

// Reach returns about the largest |loss| that matters.
func (a *Additive) Reach() float64 {
	return max(math.Abs(a.top), math.Abs(a.top-float64(len(a.step.mass))*a.unit))
}

// Deviation returns about the standard deviation of the loss.
func (a *Additive) Deviation() float64 {
	sum, mean, square := 0.0, 0.0, 0.0
	for i, mass := range a.step.mass {
		d := float64(i) * a.unit
		sum, mean, square = sum+mass, mean+mass*d, square+mass*d*d
	}
	return math.Sqrt(max(0, square/sum-mean/sum*(mean/sum)))
}

// Infinity returns 0.
func (a *Additive) Infinity() float64 { return 0 }

// LogMoment returns about ln E_P e^(λ·loss).
func (a *Additive) LogMoment(lambda float64) float64 {
	sum := 0.0
	for i, mass := range a.step.mass {
		sum += mass * math.Exp(-lambda*float64(i)*a.unit)
	}
	return lambda*a.top + math.Log(sum)
}

// Top returns a loss of so many steps together that is exceeded with about the probability cut or less (Chernoff), as a multiple of 1/64.
func (a *Additive) Top(count int, cut float64) *big.Rat {
	least := math.Inf(1)
	for power := -10.0; power < 60; power++ {
		lambda := math.Exp2(power / 4)
		least = min(least, (float64(count)*a.LogMoment(lambda)-math.Log(cut))/lambda)
	}
	return big.NewRat(int64(math.Ceil(64*min(max(0, least), 1e15))), 64)
}

// Span returns about how far apart the losses of so many steps are.
func (a *Additive) Span(count int, cut float64) float64 {
	top, _ := a.Top(count, cut).Float64()
	return 2 * top
}

// PLD returns the law of one step.
func (a *Additive) PLD(count int, cut float64) *pld {
	panic("internal error: losses are on no lattice")
}
