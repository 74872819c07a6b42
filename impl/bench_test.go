package impl

import (
	"context"
	"math"
	"math/big"
	"testing"
)

// everyStop returns k mechanisms (eps, 0) with a stop after every gap of them,
// charged E_i = 0.5 + 0.2·√k_i, rounded to 6 decimals.
func everyStop(k, gap int, eps string) Pipeline {
	p := pipe(k, eps, "0")
	for i := gap; i <= k; i += gap {
		e := int64(math.Round(1e6 * (0.5 + 0.2*math.Sqrt(float64(i)))))
		p.Stops = append(p.Stops, Stop{i, Nats(big.NewRat(e, 1e6))})
	}
	return p
}

func BenchmarkGame(b *testing.B) {
	p := everyStop(10000, 1, "0.05")
	l, _ := newLattice(p)
	charges := newCharges(p.Stops)
	for b.Loop() {
		w := latticeWalk(p, l, charges, 1e-14)
		_, _, err := w.game(context.Background(), 1e-12)
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWhole(b *testing.B) {
	p := everyStop(10000, 1, "0.05")
	for b.Loop() {
		if _, err := OptDel(context.Background(), p, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStencil(b *testing.B) {
	u := make([]float64, 301)
	for i := range u {
		u[i] = float64(i) / 1000
	}
	for b.Loop() {
		for range 10000 {
			for j := 0; j < 213; j++ {
				u[j] = 0.49*u[j] + 0.51*u[j+1] + 0.0
			}
		}
	}
}
