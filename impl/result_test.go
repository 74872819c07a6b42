package impl

import (
	"context"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/certificate"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// lopsided is a pipeline for which the orders of neighbours differ.
func lopsided() Pipeline {
	return Pipeline{
		[]Mechanism{{Law: lawOf("4/5,9/10 1/5,1/10"), Count: 2}, {Law: lawOf("1/2,1/3 1/4,1/3 1/4,1/3"), Count: 2}},
		[]Stop{{2, loss.Nats(new(big.Rat))}, {4, loss.Nats(big.NewRat(1, 2))}},
	}
}

// If time runs out for one order of neighbours, what is known of the other is in the result.
func TestOneOrder(t *testing.T) {
	p := lopsided()
	whole, err := OptDel(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := OptDel(ctx, p, Options{Progress: func(done float64) {
		if done >= 0.5 {
			cancel()
		}
	}})
	if err != nil {
		t.Fatal("lost:", err)
	}
	first := r.Certified[0].OptDel
	if len(r.Certified) != 1 || r.OptDel.Lower.Cmp(first.Lower) != 0 || r.OptDel.Upper.Cmp(big.NewFloat(1)) != 0 || r.Lemma11.Upper.Cmp(big.NewFloat(2)) != 0 {
		t.Errorf("OptDel %v, Lemma 11 %v with only %v known", r.OptDel, r.Lemma11, first)
	}
	if r.Unknown != Orders[1] || whole.Unknown != "" {
		t.Errorf("unknown is %q, of the whole %q", r.Unknown, whole.Unknown)
	}
	if r.Order != Orders[0] || len(r.Rule) != 2 || !strings.Contains(r.Shortfall, "(Q, P)") {
		t.Errorf("order %s, rule %v, shortfall %q", r.Order, r.Rule, r.Shortfall)
	}
	if r.OptDel.Lower.Cmp(whole.OptDel.Upper) > 0 {
		t.Errorf("%v is above %v", r.OptDel, whole.OptDel)
	}
}

// What is said of how a result was found holds for both orders, and the widths are those of the larger δ.
func TestWorst(t *testing.T) {
	fine := &Result{OptDel: interval.Of(0.5, 0.5), Lemma11: interval.Of(0.75, 0.75), SingleStop: []interval.Interval{interval.Of(0.5, 0.5), interval.Of(0.25, 0.25)},
		Rule: []Threshold{{1, 1}}, RelWidth: 1e-9, Method: Lattice, Arithmetic: "float64"}
	coarse := &Result{OptDel: interval.Of(0.125, 0.25), Lemma11: interval.Of(0.25, 0.5), SingleStop: []interval.Interval{interval.Of(0, 0.125), interval.Of(0.25, 0.375)},
		RelWidth: 1e-6, Method: Bracket, Arithmetic: "big.Float with 64 bits", Shortfall: "time ran out"}
	r := Worst(coarse, fine)
	if r.Order != "(Q, P)" || len(r.Rule) != 1 || r.Method != Bracket || r.Arithmetic != "big.Float with 64 bits and float64" || r.RelWidth != 1e-6 {
		t.Errorf("%+v", r)
	}
	if r.OptDel.RelWidth() != 0 || r.Lemma11.RelWidth() != 0 || r.Shortfall != "" {
		t.Errorf("OptDel %v, Lemma 11 %v, shortfall %q: the coarse order does not count", r.OptDel, r.Lemma11, r.Shortfall)
	}
	if r := Worst(coarse, nil); r.Order != "" || r.Rule != nil {
		t.Errorf("there is no rule, but the order %s of one", r.Order)
	}
	coarse.Lemma11.Upper = big.NewFloat(1)
	if r := Worst(coarse, fine); !strings.Contains(r.Shortfall, "(P, Q): time ran out") {
		t.Errorf("Lemma 11 %v, shortfall %q", r.Lemma11, r.Shortfall)
	}
	if r := Worst(coarse); r != coarse || r.Order != "" {
		t.Errorf("%+v", r)
	}
}

// Grids are no finer than what the checker has room for, also when it checks a certificate.
func TestBracketCertificate(t *testing.T) {
	e := loss.Exp(big.NewRat(3, 2))
	p := Pipeline{[]Mechanism{{Eps: e, Delta: new(big.Rat), Count: 3}}, []Stop{{2, e}, {3, e}}}
	r, err := OptDel(t.Context(), p, Options{Method: Bracket})
	if err != nil || r.OptDel.RelWidth() > 1e-7 {
		t.Fatal(r, err)
	}
	if _, err := certificate.New(t.Context(), r.Certified[0], certificate.Limits{}); err != nil {
		t.Error(err)
	}
}
