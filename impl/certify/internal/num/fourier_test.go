package num

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A filter rounds the way it is asked to, and next to nothing if the tilt is about that of the row.
func TestFilter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 4))
	for range 200 {
		n, m := 1+r.IntN(300), 1+r.IntN(100)
		slope := r.NormFloat64() / 20
		row, law := make([]float64, n+m), make([]float64, m+1)
		for i := range row {
			row[i] = r.Float64() * math.Exp(slope*float64(i))
		}
		for i := range law {
			law[i] = r.Float64() / float64(m)
		}
		f := NewFilter(LogSize(len(row)), law, -slope)
		base := slices.Min(row) / 2
		for _, isUp := range []bool{true, false} {
			got := make([]float64, n)
			if err := f.Apply(context.Background(), got, row, m, isUp, base, 1e-9); err != nil {
				t.Fatal(err)
			}
			for k, x := range got {
				want := 1e-9
				for j, y := range law {
					want += y * (row[m+k-j] - base)
				}
				if slack := 2e-13 * want; isUp && x < want-slack || !isUp && x > want+slack ||
					math.Abs(x-want) > 1e-9*want {
					t.Fatalf("n = %d, m = %d, slope %v, up %v: %v at %d, must be near %v",
						n, m, slope, isUp, x, k, want)
				}
			}
		}
	}
}

// Transforms of all sizes are within their bound of the sums that they are.
func TestTransform(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 5))
	for n := 3; n <= 9; n++ {
		for _, block := range []int{cyclic, Imaginary} {
			x := make([]complex128, 1<<n)
			for i := range x {
				x[i] = complex(r.NormFloat64(), r.NormFloat64())
			}
			y := slices.Clone(x)
			Forward(y, block)
			off := 0.0
			for k := range y {
				root, sum := 0, complex(0, 0) // as a part of 4·2^n
				for b := range n + 2 {
					root |= (block<<n + k) >> b & 1 << (n + 1 - b)
				}
				for j, z := range x {
					sin, cos := math.Sincos(2 * math.Pi * float64(j*root%(4<<n)) / float64(int(4)<<n))
					sum += z * complex(cos, sin)
				}
				d := y[k] - sum
				off += real(d)*real(d) + imag(d)*imag(d)
			}
			if bound := Kappa(n)*math.Sqrt(float64(len(x)))*Norm(x) + 1e-13; math.Sqrt(off) > bound {
				t.Errorf("size %d: off by %v, must be at most %v", len(x), math.Sqrt(off), bound)
			}
			Backward(y, block)
			for i := range y {
				if d := y[i]/complex(float64(len(x)), 0) - x[i]; math.Hypot(real(d), imag(d)) > 1e-13 {
					t.Fatalf("size %d: %v comes back as %v", len(x), x[i], y[i])
				}
			}
		}
	}
}
