package noise

import (
	"math/rand/v2"

	gonum "gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Source is where a mechanism's randomness comes from.
type Source interface {
	Laplace(scale float64) float64 // X ~ Lap(scale), with density e^(−|x|/scale)/(2·scale)
}

// GaussianSource is that of the Gaussian mechanism.
type GaussianSource interface {
	Gauss(sigma float64) float64 // X ~ N(0, sigma²)
}

// Random draws from a source of random bits. It is made for experiments: what is
// released as float64 can give away more than the real number would (Mironov 2012).
// The zero value is not valid: it has no [rand.Rand].
type Random struct{ *rand.Rand }

// New returns the noise of a seed: the same draws on every run and every machine.
func New(seed [32]byte) Random { return Random{rand.New(rand.NewChaCha8(seed))} }

// Laplace returns a draw from Lap(scale): an exponential one with a random sign.
func (r Random) Laplace(scale float64) float64 {
	x := scale * r.ExpFloat64()
	if r.Uint64()>>63 == 1 {
		return -x
	}
	return x
}

// Gauss returns a draw from N(0, sigma²).
func (r Random) Gauss(sigma float64) float64 { return sigma * r.NormFloat64() }

// Gamma returns a draw from the gamma distribution: r^(shape − 1)·e^(−r/scale), normed.
func (r Random) Gamma(shape, scale float64) float64 {
	return distuv.Gamma{Alpha: shape, Beta: 1, Src: r.Rand}.Rand() * scale
}

// Direction returns a uniform point of the unit sphere of ℝ^d: d normal draws have a
// density that depends on their norm alone.
func (r Random) Direction(d int) []float64 {
	u := make([]float64, d)
	for norm := 0.0; norm == 0; {
		for i := range u {
			u[i] = r.NormFloat64()
		}
		if norm = gonum.Norm(u, 2); norm > 0 {
			gonum.Scale(1/norm, u)
		}
	}
	return u
}
