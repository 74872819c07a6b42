package mechanisms

import (
	"math"
	"testing"
	"time"

	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// benchmarks are mechanisms with as many random numbers to each output.
var benchmarks = []struct {
	name  string
	draws int
	floor func(random noise.Random) float64 // one of them
}{
	{"laplace", 1, laplaceFloor},
	{"histogram", 3, laplaceFloor},
	{"noisy-max", 5, laplaceFloor},
	{"randomized-response", 1, uniformFloor},
}

func laplaceFloor(random noise.Random) float64 { return random.Laplace(2) }
func uniformFloor(random noise.Random) float64 { return random.Float64() }

// timeOf returns how long so many draws take.
func timeOf(draw func(random noise.Random) float64, n int) time.Duration {
	random, sum := noise.New([32]byte{2}), 0.0
	start := time.Now()
	for range n {
		sum += draw(random)
	}
	if math.IsNaN(sum) {
		panic("internal error: sum is no number")
	}
	return time.Since(start)
}

// some outputs and their floor are timed in turn, as a machine is not equally fast all the
// time.
const some = 16 * chunk

// BenchmarkSample reports how long an output takes, and how often that is what the bare
// random numbers for it take.
func BenchmarkSample(b *testing.B) {
	for _, m := range benchmarks {
		b.Run(m.name, func(b *testing.B) {
			c := made(b, m.name, Params{})
			var floor time.Duration // of as many draws as there are outputs
			b.ResetTimer()
			for left := b.N; left > 0; left -= some {
				n := min(left, some)
				if err := c.Pairs[0].Samplers[0].Sample(b.Context(), n, [32]byte{3}, new(audit.Sample)); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				floor += timeOf(m.floor, n)
				b.StartTimer()
			}
			b.StopTimer()
			b.ReportMetric(float64(b.Elapsed())/(float64(floor)*float64(m.draws)), "x-floor")
			b.ReportMetric(float64(floor)/float64(b.N), "ns/draw")
		})
	}
}
