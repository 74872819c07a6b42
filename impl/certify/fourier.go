package certify

import (
	"context"
	"math"
	"math/bits"
	"sync"
)

// # How convolutions are bounded
//
// Sums of products over many nodes are made by a Fourier transform of N = 2^n complex numbers of float64: of butterflies (a, b) → (a + b, (a − b)·ω)
// from the natural order to that of reversed bits, and back by their inverses. With u = 2^-53, a sum is off by a factor of at most 1 + u, a product by 1 + √5·u
// (Brent, Percival and Zimmermann 2007), and ω by twiddleError. So each number of a level is off by a factor of at most 1 + butterfly beside what it would be from the
// numbers before that level.
//
//   - A level multiplies the Euclidean length by √2. So after n of them the vector is off by at most κ = (1 + butterfly)^n − 1 of its length.
//   - The factors of a number go to all that it is a part of. So each number is also off by at most κ times the sum of the absolute values of
//     all that went in.
//
// For a cyclic convolution z of x and y, the transforms are off by κ√N‖x‖ and κ√N‖y‖ in length, hence their products by at most
// ((1 + κ)²(1 + √5·u) − 1)·N‖x‖‖y‖ in the sum of absolute values (Cauchy and Schwarz), and z by at most ((1 + κ)³(1 + √5·u) − 1)·‖x‖‖y‖.
//
// That is one number for all of z. What is convolved is tilted before by factors e^(t·node), so that z is of about one size where it matters.

// twiddleError bounds the error of a root of unity, and butterfly that of a number of a level, as above.
const (
	roundoff     = 0x1p-53
	twiddleError = 8 * roundoff
	butterfly    = 12 * roundoff
)

// kappa bounds the error of a transform of 2^n numbers, besides its length.
func kappa(n int) float64 { return 1.01 * float64(n) * butterfly }

// roots returns e^(−2πij/N) for j < N/2, N ≥ 8, from angles in the first eighth. They are off by less than two roundings of a number of at most
// π/4, and their sine and cosine, sums of falling terms, by less than three: all in all by less than 8 roundings of 1.
func roots(size int) []complex128 {
	w := make([]complex128, size/2)
	eighth := size / 8
	for j := range w {
		octant, k := j/eighth, j%eighth
		if octant%2 == 1 {
			k = eighth - k
		}
		s, c := sincos(2 * math.Pi * float64(k) / float64(size))
		w[j] = [4]complex128{complex(c, -s), complex(s, -c), complex(-s, -c), complex(-c, -s)}[octant]
	}
	return w
}

// sincos returns the sine and the cosine of x in [0, π/4], less than 2^-56 of each left out.
func sincos(x float64) (sin, cos float64) {
	y := x * x
	sin, cos = 1, 1
	for k := 15.0; k >= 3; k -= 2 {
		sin = 1 - y/(k*(k-1))*sin
	}
	for k := 16.0; k >= 2; k -= 2 {
		cos = 1 - y/(k*(k-1))*cos
	}
	return x * sin, cos
}

// transform is the plan of transforms of a size, which is a power of 2.
type transform struct {
	size  int
	roots []complex128
}

// logSize returns n for transforms of 2^n numbers, as many as asked for at least.
func logSize(least int) int { return max(3, bits.Len(uint(least-1))) }

// transformOf returns the plan for 2^n numbers.
func transformOf(n int) *transform {
	t, ok := transforms.Load(n)
	if !ok {
		t, _ = transforms.LoadOrStore(n, &transform{1 << n, roots(1 << n)})
	}
	return t.(*transform)
}

var transforms sync.Map

// forward transforms x, to the order of reversed bits.
func (t *transform) forward(x []complex128) {
	for half, step := t.size/2, 1; half > 0; half, step = half/2, step*2 {
		for from := 0; from < t.size; from += 2 * half {
			a, b := x[from:][:half], x[from+half:][:half]
			for j := range a {
				p, q := a[j], b[j]
				a[j], b[j] = p+q, (p-q)*t.roots[j*step]
			}
		}
	}
}

// backward is the inverse of forward, times the size.
func (t *transform) backward(x []complex128) {
	for half, step := 1, t.size/2; half < t.size; half, step = half*2, step/2 {
		for from := 0; from < t.size; from += 2 * half {
			a, b := x[from:][:half], x[from+half:][:half]
			for j := range a {
				w := t.roots[j*step]
				p, q := a[j], b[j]*complex(real(w), -imag(w))
				a[j], b[j] = p+q, p-q
			}
		}
	}
}

// norm returns at least the Euclidean length of x.
func norm(x []complex128) float64 {
	sum := 0.0
	for _, c := range x {
		sum += real(c)*real(c) + imag(c)*imag(c)
	}
	return math.Sqrt(sum)*(1+1e-9) + 1e-160
}

// filter is a law that is convolved with rows of up to a size.
type filter struct {
	plan   *transform
	n      int
	tilt   float64
	law    []complex128 // tilted and transformed
	length float64      // of it, before
	tilts  []float64    // e^(tilt·(k − size/2))
	center float64      // e^(tilt·size/2)
}

// newFilter prepares z[k] = Σ law[j]·row[k − j] for rows of up to 2^n numbers. They are tilted by e^(tilt·k), or less if that is too much.
func newFilter(n int, law []float64, tilt float64) *filter {
	f := &filter{plan: transformOf(n), n: n}
	most := mostExponent / 2 / float64(f.plan.size)
	f.tilt = min(max(-most, tilt), most)
	f.tilts = make([]float64, f.plan.size+1)
	for k := range f.tilts {
		f.tilts[k] = exp(f.tilt * float64(k-f.plan.size/2))
	}
	f.center = f.tilts[f.plan.size]
	f.law = make([]complex128, f.plan.size)
	for j, x := range law {
		f.law[j] = complex(x*f.tilts[j], 0)
	}
	f.length = norm(f.law)
	f.plan.forward(f.law)
	return f
}

// filterRounds bounds the relative roundings on the way of a term that apply leaves to the caller: those of three tilts, and some.
const filterRounds = 40

// apply sets dst[m] = plus + Σ law[j]·(row[from + m − j] − base), at least if isUp and otherwise at most, but for filterRounds roundings. The length of the law is at
// most from + 1. No row is below base, or may be taken for that if isUp.
func (f *filter) apply(ctx context.Context, dst, row []float64, from int, isUp bool, base, plus float64) error {
	x := make([]complex128, f.plan.size)
	for k, v := range row {
		if v > base {
			x[k] = complex((v-base)*f.tilts[k], 0)
		}
	}
	length := norm(x)
	f.plan.forward(x)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for k := range x {
		x[k] *= f.law[k]
	}
	f.plan.backward(x)
	size, bound := float64(f.plan.size), (4*kappa(f.n)+8*roundoff)*length*f.length
	if !isUp {
		bound = -bound
	}
	for m := range dst {
		k := from + m // of e^(tilt·size/2) there is one too many
		dst[m] = plus + max(0, real(x[k])/size+bound)*f.tilts[f.plan.size-k]*f.center
	}
	return ctx.Err()
}
