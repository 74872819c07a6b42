package certify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"
)

func rat(s string) *big.Rat { r, _ := new(big.Rat).SetString(s); return r }
func nats(s string) Number  { return Number{rat(s), false} }

func try(t *testing.T, name string, p Problem, h Hints) {
	start := time.Now()
	b, err := Check(context.Background(), p, h)
	if err != nil {
		t.Fatal(name, err)
	}
	w := new(big.Float).Sub(b.OptDel.Upper, b.OptDel.Lower)
	f, _ := w.Quo(w, b.OptDel.Upper).Float64()
	fmt.Printf("%s: [%.15g %.15g] width %.2g lemma [%.12g %.12g] dropped %.2g %v\n", name, b.OptDel.Lower, b.OptDel.Upper, f, b.Lemma11.Lower, b.Lemma11.Upper, b.Dropped, time.Since(start))
	if len(b.Rule) < 10 {
		fmt.Println(b.Rule)
	}
}

func every(k, each int, eps string) Problem {
	e, _ := rat(eps).Float64()
	p := Problem{Mechanisms: []Mechanism{{nats(eps), rat("0"), k}}}
	for i := each; i <= k; i += each {
		p.Stops = append(p.Stops, Stop{i, nats(fmt.Sprintf("%.6f", 0.5+0.2*math.Sqrt(float64(i)*e/0.05)))})
	}
	return p
}

func TestTry(t *testing.T) {
	p := Problem{[]Mechanism{{nats("3"), rat("0"), 315}}, []Stop{{100, nats("267")}, {300, nats("812")}, {315, nats("873")}}}
	try(t, "top", p, Hints{Cut: 1e-26, Floor: 1e-26, Upper: Lattice{Unit: nats("6")}})
	try(t, "top wide", p, Hints{Bits: 128})
	tiny := Problem{[]Mechanism{{Number{rat("3/2"), true}, rat("1/100"), 2}, {Number{rat("2"), true}, rat("1/50"), 1}, {Number{rat("3/2"), true}, rat("1/100"), 1}},
		[]Stop{{2, Number{rat("3/2"), true}}, {3, Number{rat("2"), true}}, {4, Number{rat("3"), true}}}}
	try(t, "tiny wide", tiny, Hints{Bits: 200})
	try(t, "1000", every(1000, 1, "0.05"), Hints{Cut: 1e-26, Floor: 1e-26, Upper: Lattice{Unit: nats("0.1")}})
	try(t, "10000", every(10000, 1, "0.05"), Hints{Cut: 1e-26, Floor: 1e-26, Upper: Lattice{Unit: nats("0.1")}})
	try(t, "1e6", every(1000000, 1000, "0.001"), Hints{Cut: 1e-26, Floor: 1e-26, Upper: Lattice{Unit: nats("0.002")}})
	q := Problem{}
	for i := range 300 {
		q.Mechanisms = append(q.Mechanisms, Mechanism{nats(fmt.Sprintf("0.%07d", 100000+(i*7919391)%900000)), rat("0"), 1})
		if i%5 == 4 {
			q.Stops = append(q.Stops, Stop{i + 1, nats(fmt.Sprintf("%.6f", 0.3+0.15*math.Sqrt(float64(i))))})
		}
	}
	for _, h := range []string{"1/256", "1/512", "1/1024", "1/2048", "1/4096", "1/8192", "1/16384", "1/32768"} {
		l := Lattice{Unit: nats(h)}
		try(t, "low "+h, q, Hints{Cut: 1e-20, Floor: 1e-20, Upper: Lattice{Unit: nats("1/300")}, Lower: &l})
	}
	for _, h := range []string{"1/256", "1/1024", "1/4096", "1/16384"} {
		l := Lattice{Unit: nats(new(big.Rat).Mul(rat(h), rat("2")).RatString())}
		try(t, "grid"+h, q, Hints{Cut: 1e-20, Floor: 1e-20, Upper: Lattice{Unit: nats(h)}, Lower: &l})
	}
}
