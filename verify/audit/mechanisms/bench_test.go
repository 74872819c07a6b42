package mechanisms

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

// perOutput is how many random numbers an output takes.
var benchmarks = []struct {
	name      string
	perOutput float64
	floor     func(random noise.Random) float64 // one of them
}{
	{"laplace", 1, laplaceFloor},
	{"histogram", 3, laplaceFloor},
	{"noisy-max", 5, laplaceFloor},
	{"svt", 0, laplaceFloor},
	{"svt-lee-clifton", 0, laplaceFloor},
	{"above-threshold", 0, laplaceFloor},
	{"sparse", 0, laplaceFloor},
	{"randomized-response", 1, uniformFloor},
}

func laplaceFloor(random noise.Random) float64 { return random.Laplace(2) }
func uniformFloor(random noise.Random) float64 { return random.Float64() }

// countedSource counts what is taken.
type countedSource struct {
	rand.Source
	n int
}

func (c *countedSource) Uint64() uint64 {
	c.n++
	return c.Source.Uint64()
}

// words returns how many random words a program takes for an output.
func words(b *testing.B, p program) float64 {
	const n = chunk
	c := &countedSource{Source: rand.NewChaCha8([32]byte{1})}
	if err := p(n, noise.Random{Rand: rand.New(c)}, new(audit.Sample)); err != nil {
		b.Fatal(err)
	}
	return float64(c.n) / n
}

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
			p := c.Pairs[0].Samplers[0].(program)
			per := m.perOutput
			if per == 0 { // a draw takes some two words
				wordsOfLaplace := words(b, func(n int, random noise.Random, _ *audit.Sample) error {
					for range n {
						random.Laplace(2)
					}
					return nil
				})
				per = words(b, p) / wordsOfLaplace
			}
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
			b.ReportMetric(float64(b.Elapsed())/(float64(floor)*per), "x-floor")
			b.ReportMetric(float64(floor)/float64(b.N), "ns/draw")
			b.ReportMetric(per, "draws/op")
		})
	}
}
