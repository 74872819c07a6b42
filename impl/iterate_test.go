package impl

import (
	"context"
	"fmt"
	"math/big"
	"testing"
)

func pipe(n int, eps, delta string, stops ...string) Pipeline {
	p := Pipeline{Mechanisms: []Mechanism{{Nats(parseRat(eps)), parseRat(delta), n}}}
	for i, s := range stops {
		p.Stops = append(p.Stops, Stop{(i + 1) * n / len(stops), Nats(parseRat(s))})
	}
	return p
}

func TestTry(t *testing.T) {
	for _, c := range []struct {
		p    Pipeline
		want string
	}{
		{pipe(100, "0.1", "0", "1"), "0.125688390240636425136502842344"},
		{pipe(100, "0.1", "0", "3"), "0.00136139869483163759359282904263"},
		{pipe(100, "0.1", "0", "6"), "6.20163909818372e-10"},
		{pipe(100, "0.1", "0", "9.5"), "4.23131664444753e-26"},
		{pipe(1000, "0.05", "1e-8", "2"), "0.170228245531966095748502482648"},
		{pipe(1000, "0.05", "1e-8", "5"), "0.00308935841423988052362738366768"},
		{pipe(10000, "0.01", "0", "2"), "0.0209158107072483573243919072499"},
	} {
		r, err := OptDel(context.Background(), c.p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(c.want)
		fmt.Println(r.OptDel.Lower.Text('g', 20), r.OptDel.Upper.Text('g', 20), r.OptDel.RelWidth())
		fmt.Println(r.SingleStop[0].Lower.Text('g', 20), r.SingleStop[0].Upper.Text('g', 20), r.SingleStop[0].RelWidth(), r.Rule)
	}
	p := Pipeline{}
	for j := range 60 {
		p.Mechanisms = append(p.Mechanisms, Mechanism{Nats(big.NewRat(int64(20+3*j), 1000)), parseRat("1e-9"), 1})
	}
	p.Stops = []Stop{{60, Nats(parseRat("1.5"))}}
	r, err := OptDel(context.Background(), p, Options{})
	fmt.Println(err, r.OptDel, r.SingleStop[0])
	p = pipe(1000, "0.05", "1e-8")
	for i := 50; i <= 1000; i += 50 {
		p.Stops = append(p.Stops, Stop{i, Nats(big.NewRat(int64(500+i*3), 1000))})
	}
	r, err = OptDel(context.Background(), p, Options{})
	fmt.Println(err, r.OptDel, r.OptDel.RelWidth(), r.Lemma11, r.Rule)
}
