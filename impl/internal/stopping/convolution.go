package stopping

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
	"gonum.org/v1/gonum/floats"
)

// convolution is [gather] by Fourier transforms, for rows of up to a size. What is multiplied is tilted before by
// factors e^(tilt·m), so that values of all sizes keep their digits.
type convolution struct {
	fft      *fourier.FFT
	law, row []complex128
	factors  []float64 // e^(tilt·(m − half)), also over the size
	values   []float64
	tilt     float64
	length   float64 // Euclidean, of the tilted law
}

// rounding is about what the transforms are off by everywhere, as a part of the lengths of the law and of the row.
const rounding = 1e-14

// mostTilt bounds the logarithm of a factor.
const mostTilt = 300

// worthTransform reports whether transforms are quicker.
func worthTransform(dst, src, atoms int) bool {
	n := bits.Len(uint(src - 1))
	return float64(dst)*float64(atoms) > 30*float64(n<<n)
}

// newConvolution prepares dst[m] = infinity + Σ mass[i]·src[m + shift[i]] for rows of up to size values.
func newConvolution(size int, shift []int, mass []float64, tilt float64) *convolution {
	n := 1 << bits.Len(uint(size-1))
	c := &convolution{fft: fourier.NewFFT(n), factors: make([]float64, n), values: make([]float64, n)}
	c.tilt = min(max(-mostTilt/float64(n), tilt), mostTilt/float64(n))
	for m := range c.factors {
		c.factors[m] = math.Exp(c.tilt * (float64(m) - float64(n)/2))
	}
	for i, s := range shift { // a sum of src[m + s] is one of src[m − (n − s)], around the circle
		c.values[(n-s)%n] += mass[i] * math.Exp(-c.tilt*float64(s))
	}
	c.length = floats.Norm(c.values, 2)
	c.law, c.row = c.fft.Coefficients(nil, c.values), make([]complex128, n/2+1)
	return c
}

// apply sets dst. What may be rounding alone is 0: it would be much where factors are small. How many of the first
// are that is returned: too steep a tilt loses these.
func (c *convolution) apply(dst, src []float64, infinity float64) (lost int) {
	clear(c.values)
	for m, v := range src {
		c.values[m] = v * c.factors[m]
	}
	least := rounding * c.length * floats.Norm(c.values, 2) * float64(len(c.values))
	c.fft.Coefficients(c.row, c.values)
	for k, x := range c.law {
		c.row[k] *= x
	}
	c.fft.Sequence(c.values, c.row)
	part := 1 / float64(len(c.values))
	lost = len(dst)
	for m := range dst {
		if dst[m] = infinity; c.values[m] > least {
			dst[m] += c.values[m] * part / c.factors[m]
			lost = min(lost, m)
		}
	}
	return lost
}
