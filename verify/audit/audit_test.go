package audit

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"checkrr/impl"
)

type laplaceSampler struct{ at, scale float64 }

func (l laplaceSampler) Sample(_ context.Context, n int, seed [32]byte, s *Sample) error {
	noise := impl.RandomNoise{Rand: rand.New(rand.NewChaCha8(seed))}
	g := s.Group("", "#", 1)
	for range n {
		g.Add(l.at + noise.Laplace(l.scale))
	}
	return nil
}

func TestTry(t *testing.T) {
	for _, n := range []int{1, 10, 30, 100, 1000, 1e4, 1e5, 1e6} {
		for _, scale := range []float64{0.5, 0.8, 0.97, 1} {
			for seed := range uint64(1) {
				start := time.Now()
				r, err := Run(context.Background(), DP(impl.Nats(big.NewRat(1, 1)), new(big.Rat)), []Pair{{Samplers: [2]Sampler{laplaceSampler{0, scale}, laplaceSampler{1, scale}}}}, Options{Samples: n, Alpha: 0.01, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Printf("%d %g %+v %+v %+v %v\n", n, scale, r, r.Witness, r.Seen, time.Since(start))
			}
		}
	}
}
