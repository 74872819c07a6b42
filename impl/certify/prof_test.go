package certify

import (
	"context"
	"fmt"
	"math"
	"testing"
)

func BenchmarkEvery(b *testing.B) {
	p := every(10000, 1, "0.05")
	for b.Loop() {
		Check(context.Background(), p, Hints{Cut: 1e-21, Floor: 1e-21, Upper: Lattice{Unit: nats("0.1")}})
	}
}

func BenchmarkGrid(b *testing.B) {
	q := unrelated(300, 5)
	for b.Loop() {
		l := Lattice{Unit: nats("1/8192")}
		Check(context.Background(), q, Hints{Cut: 1e-17, Floor: 1e-16, Upper: Lattice{Unit: nats("1/16384")}, Lower: &l})
	}
}

func unrelated(k, each int) (q Problem) {
	for i := range k {
		q.Mechanisms = append(q.Mechanisms, Mechanism{nats(fmt.Sprintf("0.%07d", 100000+(i*7919391)%900000)), rat("0"), 1})
		if i%each == each-1 {
			q.Stops = append(q.Stops, Stop{i + 1, nats(fmt.Sprintf("%.6f", 0.3+0.15*math.Sqrt(float64(i))))})
		}
	}
	return q
}
func BenchmarkPrepare(b *testing.B) {
	q := unrelated(3000, 300)
	for b.Loop() {
		newLattice(q, Lattice{Unit: nats("1/16384")}, spread, 1e-17)
	}
}
