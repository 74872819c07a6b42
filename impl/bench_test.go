package impl

import (
	"context"
	"math"
	"math/big"
	"testing"
)

// everyStop returns k mechanisms (eps, 0) with a stop after every gap of them,
// charged E_i = 0.5 + 0.2·√(i·scale), rounded to 6 decimals.
func everyStop(k, gap int, eps string, scale float64) Pipeline {
	p := pipe(k, eps, "0")
	for i := gap; i <= k; i += gap {
		e := int64(math.Round(1e6 * (0.5 + 0.2*math.Sqrt(float64(i)*scale))))
		p.Stops = append(p.Stops, Stop{i, Nats(big.NewRat(e, 1e6))})
	}
	return p
}

func BenchmarkGame(b *testing.B) {
	p := everyStop(10000, 1, "0.05", 1)
	l, _ := newLattice(p)
	for b.Loop() {
		w := latticeWalk(p, l, 1e-40)
		bd, _, err := w.game(context.Background(), 1e-12)
		if err != nil {
			b.Fatal(err)
		}
		_ = bd
	}
}

func BenchmarkStencil(b *testing.B) {
	u := make([]float64, 1001)
	for i := range u {
		u[i] = float64(i) / 1000
	}
	n := 0
	for b.Loop() {
		for j := 0; j < 1000; j++ {
			u[j] = 0.49*u[j] + 0.51*u[j+1] + 0.0
		}
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n)/1000, "ns/cell")
}
