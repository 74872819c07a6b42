package impl

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"checkrr/impl/certify"
)

func TestTryGrid(t *testing.T) {
	p := distinct(300, 5, 1)
	for _, u := range []float64{1. / 256, 1. / 1024, 1. / 4096, 1. / 8192, 1. / 16384} {
		start := time.Now()
		h := certify.Hints{Floor: 1e-14, Cut: 1e-15, Upper: certify.Lattice{Unit: gridUnit(u)}, Lower: new(certify.Lattice)}
		h.Lower.Unit = gridUnit(2 * u)
		b, err := certify.Check(context.Background(), newProblem(p), h)
		if err != nil {
			t.Fatal(err)
		}
		w := 0
		for _, x := range b.Hints.Upper.Windows {
			w += x.Hi - x.Lo + 1
		}
		fmt.Printf("%g: optdel %.3g %.12g %.12g lemma %.3g nodes %d %v\n", u, Interval(b.OptDel).RelWidth(), b.OptDel.Lower, b.OptDel.Upper, Interval(b.Lemma11).RelWidth(), w/300, time.Since(start))
	}
}

func BenchmarkU3000(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 0))
	p := Pipeline{}
	for range 3000 {
		p.Mechanisms = append(p.Mechanisms, Mechanism{Nats(big.NewRat(4000000+rng.Int64N(32000000), 1e9)), new(big.Rat), 1})
	}
	for i := 300; i <= 3000; i += 300 {
		p.Stops = append(p.Stops, Stop{i, Nats(big.NewRat(int64(500+i), 1000))})
	}
	for b.Loop() {
		r, err := OptDel(context.Background(), p, Options{RelWidth: 1e-6})
		fmt.Println(r.OptDel.Lower, r.OptDel.RelWidth(), r.Lemma11.RelWidth(), err, r.Shortfall, r.Certificate.Hints.Upper.Unit.Value)
		for i := 0; i < 3000; i += 500 {
			fmt.Println(r.Certificate.Hints.Upper.Windows[i], r.Certificate.Hints.Lower.Windows[i])
		}
	}
}
