package impl

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

func randomExp(rng *rand.Rand, k, n int, lattice bool) Pipeline {
	var p Pipeline
	base := big.NewRat(rng.Int64N(9)+2, rng.Int64N(2)+1)
	if base.Cmp(one) <= 0 {
		base = big.NewRat(3, 2)
	}
	for range k {
		e := ratPower(base, rng.IntN(3))
		if !lattice {
			a := rng.Int64N(20) + 1
			e = big.NewRat(a+rng.Int64N(20), a)
		}
		d := new(big.Rat)
		if rng.IntN(2) == 0 {
			d = big.NewRat(rng.Int64N(5), 10+rng.Int64N(1000))
		}
		p.Mechanisms = append(p.Mechanisms, Mechanism{Exp(e), d, 1 + rng.IntN(2)})
	}
	total := 0
	for _, m := range p.Mechanisms {
		total += m.Count
	}
	var at []int
	for i := 1; i < total; i++ {
		if rng.IntN(total) < n {
			at = append(at, i)
		}
	}
	at = append(at, total)
	for _, i := range at {
		e := new(big.Rat).SetFrac64(rng.Int64N(60)+10, 10)
		if rng.IntN(3) == 0 {
			e = ratPower(base, rng.IntN(5))
		}
		p.Stops = append(p.Stops, Stop{i, Exp(e)})
	}
	return p
}

func TestAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	ctx := context.Background()
	for i := range 2000 {
		p := randomExp(rng, 1+rng.IntN(4), 2, i%2 == 0)
		if err := p.Validate(); err != nil {
			t.Fatal(err, p)
		}
		b, ok := newBox(p)
		if !ok {
			t.Fatal("box")
		}
		ex := newStates(rationals{}, p, b)
		want, th, err := ex.game(ctx)
		if err != nil {
			t.Fatal(err)
		}
		singles, _ := ex.singles(ctx)
		show := fmt.Sprint(p, want.RatString(), th)
		f := newStates(floats{}, p, b)
		got, th2, _ := f.game(ctx)
		w, _ := want.Float64()
		if e := abs(got - w); e > 1e-14*w {
			t.Fatalf("floats %v want %v: %s %v", got, w, show, th2)
		}
		for _, up := range []bool{false, true} {
			a := wide{100, up}
			v, _, _ := newStates(a, p, b).game(ctx)
			wf := new(big.Float).SetPrec(400).SetRat(want)
			if c := v.Cmp(wf); up && c < 0 || !up && c > 0 {
				t.Fatalf("wide %v %.50g, want %.50g %s", up, v, wf, show)
			}
			if want.Sign() > 0 && relative(v, wf) > 1e-27 {
				t.Fatalf("wide %v %.50g, want %.50g %s", up, v, wf, show)
			}
		}
		l, ok := newLattice(p)
		if !ok {
			continue
		}
		r, err := (&solver{pipeline: p, Options: Options{RelWidth: 1e-9}}).onLattice(ctx, l)
		if err != nil {
			t.Fatal(err)
		}
		check := func(name string, got Interval, want *big.Rat) {
			wf := new(big.Float).SetPrec(400).SetRat(want)
			if got.Lower.Cmp(wf) > 0 || got.Upper.Cmp(wf) < 0 || got.RelWidth() > 1e-9 {
				t.Fatalf("%d front %s %v %v, want %v %s", i, name, got.Lower, got.Upper, w, show)
			}
		}
		check("game", r.OptDel, want)
		for j, s := range singles {
			check("single", r.SingleStop[j], s)
		}
	}
}

func TestBracketTry(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := Pipeline{}
	for range 300 {
		p.Mechanisms = append(p.Mechanisms, Mechanism{Nats(big.NewRat(200000+rng.Int64N(800000), 1e7)), new(big.Rat), 1})
	}
	for i := 5; i <= 300; i += 5 {
		p.Stops = append(p.Stops, Stop{i, Nats(big.NewRat(500+int64(i)*8, 1000))})
	}
	ctx := context.Background()
	for _, h := range []float64{0x1p-9, 0x1p-11, 0x1p-13} {
		t0 := time.Now()
		w := gridWalk(p, h, 1e-30)
		b, th, err := w.game(ctx, 1e-14)
		t1 := time.Now()
		s, err2 := w.singles(ctx, 1e-25)
		t2 := time.Now()
		lo := 0.0
		var ls []float64
		places, _ := w.places()
		e3 := mergedWalk(ctx, p, &w.axis, 1e-25, func(i int, g *merged) {
			ls = append(ls, g.single(w.charges[i]))
		})
		t3 := time.Now()
		mergedWalk(ctx, p, &w.axis, 1e-25, func(i int, g *merged) {
			if th[i] == never {
				return
			}
			v, _ := g.stop(w.charges[i], int(w.loss(places[w.ends[i]], th[i]).hi/h))
			lo += v
		})
		t4 := time.Now()
		fmt.Println(h, err, err2, e3, b, lo, (b.upper-lo)/b.upper, s[59].upper, ls[59], (s[59].upper-ls[59])/ls[59], t1.Sub(t0), t2.Sub(t1), t3.Sub(t2), t4.Sub(t3))
	}
}
