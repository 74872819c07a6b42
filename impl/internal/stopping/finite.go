package stopping

import (
	"context"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// Finite is a pair of laws over finitely many outputs, with rational probabilities.
type Finite struct {
	law      [][2]*big.Rat
	ratios   []*big.Rat // P/Q where both are more than 0, falling, each once; 1 if there is none
	masses   []float64  // their P-masses
	infinity *big.Rat
	depths   []loss.Epsilon
	below    []float64 // about how far the losses are below the largest
}

// NewFinite returns the pair whose outputs have these probabilities P and Q.
func NewFinite(law [][2]*big.Rat) *Finite {
	f := &Finite{law: law, infinity: new(big.Rat)}
	type atom struct{ ratio, mass *big.Rat }
	var atoms []atom
	for _, o := range law {
		switch {
		case o[1].Sign() == 0:
			f.infinity.Add(f.infinity, o[0])
		case o[0].Sign() > 0:
			atoms = append(atoms, atom{new(big.Rat).Quo(o[0], o[1]), o[0]})
		}
	}
	slices.SortFunc(atoms, func(a, b atom) int { return b.ratio.Cmp(a.ratio) })
	for _, a := range atoms {
		mass, _ := a.mass.Float64()
		if n := len(f.ratios); n > 0 && f.ratios[n-1].Cmp(a.ratio) == 0 {
			f.masses[n-1] += mass
			continue
		}
		f.ratios, f.masses = append(f.ratios, a.ratio), append(f.masses, mass)
	}
	if len(f.ratios) == 0 {
		f.ratios, f.masses = []*big.Rat{rational.One}, []float64{0}
	}
	f.below = []float64{0}
	for i, ratio := range f.ratios[1:] {
		f.depths = append(f.depths, loss.Exp(new(big.Rat).Quo(f.ratios[0], ratio)))
		f.below = append(f.below, loss.Float64(f.depths[i]))
	}
	return f
}

// Mechanism returns the laws.
func (f *Finite) Mechanism() certify.Mechanism { return certify.Mechanism{Law: f.law} }

// Batch returns 1: the law of many steps has too many losses.
func (f *Finite) Batch() int { return 1 }

// Largest returns the largest finite loss, or slightly more.
func (f *Finite) Largest() *big.Rat {
	most, _ := interval.Precision(128).Log(f.ratios[0]).Upper.Rat(nil)
	return most
}

// Depths returns the logarithms of ratios of ratios.
func (f *Finite) Depths() []loss.Epsilon { return f.depths }

// Top returns nil: losses are ratios.
func (f *Finite) Top(int, float64, float64) *big.Rat { return nil }

// Reach returns about the largest |loss|.
func (f *Finite) Reach() (most float64) {
	for _, ratio := range []*big.Rat{f.ratios[0], f.ratios[len(f.ratios)-1]} {
		if ratio.Cmp(rational.One) < 0 {
			ratio = new(big.Rat).Inv(ratio)
		}
		most = max(most, loss.Float64(loss.Exp(ratio)))
	}
	return most
}

// Deviation returns about the standard deviation of a finite loss.
func (f *Finite) Deviation() float64 {
	sum, mean, square := 0.0, 0.0, 0.0
	for i, mass := range f.masses {
		d := f.below[i]
		sum, mean, square = sum+mass, mean+mass*d, square+mass*d*d
	}
	if sum == 0 {
		return 0
	}
	return math.Sqrt(max(0, square/sum-mean/sum*(mean/sum)))
}

// Span returns how far apart the losses are.
func (f *Finite) Span(int, float64) float64 { return f.oneStep().width() }

// LogMoment returns about ln E_P e^(λ·min(loss, most)), over finite losses.
func (f *Finite) LogMoment(lambda, most float64) float64 {
	return logMoment(f, f.oneStep(), lambda, most)
}

// Infinity returns the P-mass where Q = 0, above 0 if it is.
func (f *Finite) Infinity() float64 {
	x, _ := f.infinity.Float64()
	if x == 0 && f.infinity.Sign() > 0 {
		return math.SmallestNonzeroFloat64
	}
	return x
}

// PLD returns the law of one step.
func (f *Finite) PLD(context.Context, int, float64, float64) (*pld, error) { return f.oneStep(), nil }

func (f *Finite) oneStep() *pld {
	l := &pld{infinity: f.Infinity(), mass: slices.Clone(f.masses), depth: slices.Clone(f.below)}
	for _, mass := range f.masses {
		l.finite += mass
	}
	return l
}
