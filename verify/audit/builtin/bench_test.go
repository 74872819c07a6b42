package builtin

import (
	"math/rand/v2"
	"testing"
	"time"

	"checkrr/impl"
	"checkrr/verify/audit"
)

// perOutput is how many random numbers an output takes.
var benchmarks = []struct {
	name      string
	perOutput float64
	floor     func(noise impl.RandomNoise) float64 // one of them
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

func laplaceFloor(noise impl.RandomNoise) float64 { return noise.Laplace(2) }
func uniformFloor(noise impl.RandomNoise) float64 { return noise.Float64() }

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
	if err := p(n, impl.RandomNoise{Rand: rand.New(c)}, new(audit.Sample)); err != nil {
		b.Fatal(err)
	}
	return float64(c.n) / n
}

// BenchmarkSample reports how long an output takes, and how often that is what the bare
// random numbers for it take.
func BenchmarkSample(b *testing.B) {
	for _, m := range benchmarks {
		b.Run(m.name, func(b *testing.B) {
			mechanism, err := Find(m.name)
			if err != nil {
				b.Fatal(err)
			}
			c, err := mechanism.Make(Params{})
			if err != nil {
				b.Fatal(err)
			}
			p := c.Pairs[0].Samplers[0].(program)
			per := m.perOutput
			if per == 0 { // a draw takes some two words
				wordsOfLaplace := words(b, func(n int, noise impl.RandomNoise, _ *audit.Sample) error {
					for range n {
						noise.Laplace(2)
					}
					return nil
				})
				per = words(b, p) / wordsOfLaplace
			}
			noise := impl.NewNoise([32]byte{2})
			start := time.Now()
			sum := 0.0
			const draws = 1 << 20
			for range draws {
				sum += m.floor(noise)
			}
			floor := float64(time.Since(start).Nanoseconds()) / draws
			b.ResetTimer()
			for left := b.N; left > 0; left -= chunk * 16 {
				if err := c.Pairs[0].Samplers[0].Sample(b.Context(), min(left, chunk*16), [32]byte{3}, new(audit.Sample)); err != nil {
					b.Fatal(err)
				}
			}
			each := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(each/(floor*per), "x-floor")
			b.ReportMetric(floor, "ns/draw")
			b.ReportMetric(per, "draws/op")
		})
	}
}
