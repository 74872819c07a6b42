package num

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync"
)

// # How convolutions are bounded
//
// Sums of products over many nodes are products of polynomials modulo X^N − c, N = 2^n and |c| = 1: with r² = c that
// is known from the remainders modulo X^(N/2) − r and X^(N/2) + r, and so on down to numbers. A transform takes
// remainders, by butterflies (a, b) → (a + r·b, a − r·b) with one r for a whole block, in float64; its inverse goes
// back. With u = 2^-53, a sum is off by a factor of at most 1 + u, a product by 1 + √5·u (Brent, Percival and
// Zimmermann 2007), and r by turnError. So each number of a level is off by at most butterfly times |a| + |b|, beside
// what it would be from the numbers before that level.
//
//   - A level multiplies the Euclidean length by √2. So after n of them the vector is off by at most κ = (1 +
//     butterfly)^n − 1 of its length.
//   - Each number is also off by at most κ times the sum of the absolute values of all that went in.
//
// For a product z of x and y, the transforms are off by κ√N‖x‖ and κ√N‖y‖ in length, hence their products by at most
// ((1 + κ)²(1 + √5·u) − 1)·N‖x‖‖y‖ in the sum of absolute values (Cauchy and Schwarz), and z by at most ((1 + κ)³(1 +
// √5·u) − 1)·‖x‖‖y‖.
//
// That is one number for all of z. What is multiplied is tilted before by factors e^(t·node), so that z is of about
// one size where it matters.
//
// Real polynomials modulo X^2N + 1 = (X^N − i)(X^N + i) are known from one remainder, x_j + i·x_(j + N): they need
// half the work.

// turnError bounds the error of a root of unity, and butterfly that of a number of a level, as above.
const (
	Roundoff  = 0x1p-53
	turnError = 8 * Roundoff
	butterfly = 12 * Roundoff
)

// Kappa bounds the error of a transform of 2^n numbers, besides its length.
func Kappa(n int) float64 { return 1.01 * float64(n) * butterfly }

// Blocks are numbered from the first one of a modulus on: that of X^N − 1 is 0, and that of X^N − i is 2. Those of
// block b are 2b and 2b + 1.
const (
	cyclic    = 0
	Imaginary = 2
)

// turns returns the roots r of the first n even blocks: e^(πi·f), where the digits of f behind the binary point are
// those of the block from the last on. See root for the others.
func turns(n int) []complex128 {
	known.Lock()
	defer known.Unlock()
	known.turns = slices.Grow(known.turns, max(0, n-len(known.turns)))
	for b := len(known.turns); b < n; b++ {
		known.turns = append(known.turns, turn(float64(bits.Reverse64(uint64(2*b))>>11)*0x1p-53))
	}
	return known.turns
}

var known struct {
	sync.Mutex
	turns []complex128
}

// root returns the root of a block: that of 2b + 1 is i times that of 2b.
func root(turns []complex128, block int) complex128 {
	r := turns[block/2]
	if block%2 == 1 {
		return times1i(r)
	}
	return r
}

func times1i(x complex128) complex128 { return complex(-imag(x), real(x)) }

// turn returns e^(πi·f) for 0 ≤ f < 1, of at most 53 digits, from an angle in the first eighth of the circle. That is
// off by less than two roundings of a number of at most π/4, and its sine and cosine, sums of falling terms, by less
// than three: all in all by less than 8 roundings of 1.
func turn(f float64) complex128 {
	switch {
	case f <= 0.25:
		s, c := sincos(math.Pi * f)
		return complex(c, s)
	case f <= 0.75:
		s, c := sincos(math.Pi * math.Abs(0.5-f))
		return complex(math.Copysign(s, 0.5-f), c)
	}
	s, c := sincos(math.Pi * (1 - f))
	return complex(-c, s)
}

// sincos returns the sine and the cosine of x in [0, π/4], less than 2^-58 of each left out. In 1 + y·(…) the second
// term is at most a third, and off by few of its own roundings.
func sincos(x float64) (sin, cos float64) {
	y := x * x
	for k := len(sineTerms) - 1; k >= 0; k-- {
		sin, cos = (sin+sineTerms[k])*y, (cos+cosineTerms[k])*y
	}
	return x * (1 + sin), 1 + cos
}

// sineTerms are the coefficients ±1/(2k + 1)! of the sine's series behind the first one, and cosineTerms ±1/(2k)!.
var (
	sineTerms = [...]float64{-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800,
		-1.0 / 1307674368000, 1.0 / 355687428096000}
	cosineTerms = [...]float64{-1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
		-1.0 / 87178291200, 1.0 / 20922789888000}
)

// LogSize returns n for 2^n numbers, as many as asked for at least.
func LogSize(least int) int { return max(3, bits.Len(uint(least-1))) }

// Levels returns n of 2^n numbers.
func Levels(x []complex128) int { return bits.TrailingZeros(uint(len(x))) }

// Forward replaces a polynomial modulo that of a block by its values. Two levels are taken at once, as memory is what
// takes time.
func Forward(x []complex128, block int) {
	w := turns((block + 1) * len(x) / 4)
	n := len(x)
	for ; n >= 4; n, block = n/4, block*4 {
		for b, from := block, 0; from < len(x); b, from = b+1, from+n {
			split4(x[from:from+n], root(w, b), w[b])
		}
	}
	for b, j := block, 0; n == 2 && j < len(x); b, j = b+1, j+2 {
		p, q := x[j], root(w, b)*x[j+1]
		x[j], x[j+1] = p+q, p-q
	}
}

// split4 splits one block into two, by r, and these into four, by s and i·s.
func split4(x []complex128, r, s complex128) {
	n, t := len(x)/4, times1i(s)
	a, b, c, d := x[:n], x[n:][:n], x[2*n:][:n], x[3*n:][:n]
	for j := range a {
		p, q := r*c[j], r*d[j]
		a1, b1, c1, d1 := a[j]+p, b[j]+q, a[j]-p, b[j]-q
		b1, d1 = s*b1, t*d1
		a[j], b[j], c[j], d[j] = a1+b1, a1-b1, c1+d1, c1-d1
	}
}

// Backward is the inverse of forward, times the size.
func Backward(x []complex128, block int) {
	w := turns((block + 1) * len(x) / 4)
	n, first := 4, block*len(x)/4
	if Levels(x)%2 == 1 {
		for b, j := block*len(x)/2, 0; j < len(x); b, j = b+1, j+2 {
			p, q := x[j], x[j+1]
			x[j], x[j+1] = p+q, (p-q)*conjugate(root(w, b))
		}
		n, first = 8, first/2
	}
	for ; n <= len(x); n, first = 4*n, first/4 {
		for b, from := first, 0; from < len(x); b, from = b+1, from+n {
			join4(x[from:from+n], root(w, b), w[b])
		}
	}
}

// join4 is the inverse of split4, times 4.
func join4(x []complex128, r, s complex128) {
	r, s, t := conjugate(r), conjugate(s), conjugate(times1i(s))
	n := len(x) / 4
	a, b, c, d := x[:n], x[n:][:n], x[2*n:][:n], x[3*n:][:n]
	for j := range a {
		a1, b1, c1, d1 := a[j]+b[j], s*(a[j]-b[j]), c[j]+d[j], t*(c[j]-d[j])
		a[j], b[j], c[j], d[j] = a1+c1, b1+d1, r*(a1-c1), r*(b1-d1)
	}
}

func conjugate(x complex128) complex128 { return complex(real(x), -imag(x)) }

// Norm returns at least the Euclidean length of x.
func Norm(x []complex128) float64 {
	sum := 0.0
	for _, c := range x {
		sum += real(c)*real(c) + imag(c)*imag(c)
	}
	return math.Sqrt(sum)*(1+1e-9) + 1e-158 // squares below 1e-324 are lost, of at most 2^25 numbers
}

// Filter is a law that is convolved with rows of up to a size.
type Filter struct {
	n      int // rows have up to 2^n numbers
	half   int // of them
	tilt   float64
	law    []complex128 // tilted and transformed
	length float64      // of it, before
	tilts  []float64    // e^(tilt·(k − half))
	center float64      // e^(tilt·half)
	row    []complex128 // memory of apply
}

// block is how many tilts follow from one, by products.
const block = 64

// NewFilter prepares z[k] = Σ law[j]·row[k − j] for rows of up to 2^n numbers. They are tilted by e^(tilt·k), or less
// if that is too much, and so that tilt has few digits: products with k are exact.
func NewFilter(n int, law []float64, tilt float64) *Filter {
	f := &Filter{n: n, half: 1 << n / 2}
	most := MostExponent / 2 / float64(2*f.half)
	f.tilt = float64(float32(min(max(-most, tilt), most)))
	f.tilts = make([]float64, 2*f.half+1)
	steps := [block]float64{}
	for k := range steps {
		steps[k] = Exp(f.tilt * float64(k))
	}
	for k := range f.tilts {
		if k%block == 0 {
			f.tilts[k] = Exp(f.tilt * float64(k-f.half))
		} else {
			f.tilts[k] = f.tilts[k-k%block] * steps[k%block]
		}
	}
	f.center = Exp(f.tilt * float64(f.half))
	f.law, f.row = make([]complex128, f.half), make([]complex128, f.half)
	f.put(f.law, law, 0)
	f.length = Norm(f.law)
	Forward(f.law, Imaginary)
	return f
}

// put sets x to what a row is above base, tilted.
func (f *Filter) put(x []complex128, row []float64, base float64) {
	clear(x)
	first, second := row[:min(f.half, len(row))], row[min(f.half, len(row)):]
	for k, v := range first {
		if !(v <= base) {
			x[k] = complex((v-base)*f.tilts[k], 0)
		}
	}
	for k, v := range second {
		if !(v <= base) {
			x[k] += complex(0, (v-base)*f.tilts[k+f.half])
		}
	}
}

// FilterRounds bounds the relative roundings on the way of a term that apply leaves to the caller: those of three
// tilts, less than 8 + 8 + 1 of each, of the center's 8, and some.
const FilterRounds = 70

// Apply sets dst[m] = plus + Σ law[j]·(row[from + m − j] − base), at least if isUp and otherwise at most, but for
// [FilterRounds] roundings. The length of the law is at most from + 1: what wraps around comes before. No row is below
// base, or may be taken for that if isUp.
func (f *Filter) Apply(ctx context.Context, dst, row []float64, from int, isUp bool, base, plus float64) error {
	x := f.row
	f.put(x, row, base)
	length := Norm(x)
	Forward(x, Imaginary)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for k := range x {
		x[k] *= f.law[k]
	}
	Backward(x, Imaginary)
	bound := (4*Kappa(f.n) + 8*Roundoff) * length * f.length
	if !isUp {
		bound = -bound
	}
	part := 1 / float64(f.half)
	for m := range dst {
		k, v := from+m, 0.0
		if k < f.half {
			v = real(x[k])
		} else {
			v = imag(x[k-f.half])
		}
		dst[m] = plus + max(0, v*part+bound)*f.tilts[2*f.half-k]*f.center // of e^(tilt·half) there was one too many
	}
	return ctx.Err()
}
