package num

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// BenchmarkGather compares a step on a row that is in the cache with as many bare multiplications and additions,
// eight of them at a time, that load and store nothing.
func BenchmarkGather(b *testing.B) {
	for atoms := 2; atoms <= 4; atoms++ {
		b.Run(fmt.Sprint(atoms), func(b *testing.B) {
			const n, times = 1 << 12, 1 << 6
			offset, mass := make([]int, atoms), make([]float64, atoms)
			for i := range offset {
				offset[i], mass[i] = 7*i, 1/float64(atoms)
			}
			dst, src := make([]float64, n), slices.Repeat([]float64{0.5}, n+7*atoms)
			var sum float64
			var ratios []float64
			for b.Loop() {
				start := time.Now()
				for range times {
					gatherBlock(dst, src, offset, mass, 1e-9)
				}
				middle := time.Now()
				for range times {
					sum += multiplyAdd(n*atoms/8, mass[0])
				}
				ratios = append(ratios, float64(middle.Sub(start))/float64(time.Since(middle)))
			}
			if math.IsNaN(sum + dst[0]) {
				b.Fatal("no number")
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x-floor")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// multiplyAdd multiplies and adds in eight independent sums, n times.
func multiplyAdd(n int, x float64) float64 {
	a, b, c, d, e, f, g, h := 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0
	for range n {
		a, b, c, d = a*x+0.5, b*x+0.5, c*x+0.5, d*x+0.5
		e, f, g, h = e*x+0.5, f*x+0.5, g*x+0.5, h*x+0.5
	}
	return a + b + c + d + e + f + g + h
}
