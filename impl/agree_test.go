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
		for _, o := range []Options{{}, {RelWidth: 1e-18}, {Method: Bracket, RelWidth: 1e-3}} {
			r, err := OptDel(ctx, p, o)
			if err != nil {
				t.Fatal(err)
			}
			check := func(name string, got Interval, want *big.Rat) {
				wf := new(big.Float).SetPrec(400).SetRat(want)
				if got.Lower.Cmp(wf) > 0 || got.Upper.Cmp(wf) < 0 {
					t.Fatalf("%d %v %s %.20g %.20g, want %v %s", i, o, name, got.Lower, got.Upper, w, show)
				}
			}
			if r.Shortfall != "" {
				t.Errorf("%d %v %s %s", i, o, r.Shortfall, show)
			}
			check("game", r.OptDel, want)
			for j, s := range singles {
				check("single", r.SingleStop[j], s)
			}
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
	for _, w := range []float64{1e-3, 1e-6, 1e-7} {
		t0 := time.Now()
		r, err := OptDel(context.Background(), p, Options{RelWidth: w, Method: Bracket})
		fmt.Println(w, err, r.OptDel.RelWidth(), r.width(), time.Since(t0), r.OptDel, r.Lemma11)
	}
	fmt.Println(newLattice(p))
}
