package audit

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"checkrr/impl"
)

func TestTry2(t *testing.T) {
	claim := DP(impl.Nats(big.NewRat(1, 1)), new(big.Rat))
	for _, scale := range []float64{1, 0.99, 0.97, 0.9} {
		for _, n := range []int{1e3, 1e4, 1e5} {
			start := time.Now()
			k, err := Repeat(context.Background(), claim, []Pair{{Samplers: [2]Sampler{laplaceSampler{0, scale}, laplaceSampler{1, scale}}}}, Options{Samples: n, Alpha: 0.01}, 200)
			fmt.Println(scale, n, k, err, time.Since(start))
		}
	}
	_ = math.Pi
}
