package impl

import (
	"context"
	"errors"
	"math/big"
	"slices"
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
		[]Stop{{After: 2, Eps: loss.Nats(new(big.Rat))}, {After: 4, Eps: loss.Nats(big.NewRat(1, 2))}},
	}
}

// If time runs out for one order of neighbours, what is known of the other is in the result.
func TestOneOrder(t *testing.T) {
	t.Parallel()
	whole, err := OptDel(t.Context(), lopsided(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	known := *whole
	known.Certified = whole.Certified[:1]
	r := Worst(&known, nil)
	if len(r.Certified) != 1 || r.OptDel.Lower.Cmp(known.OptDel.Lower) != 0 || r.OptDel.Upper.Cmp(big.NewFloat(1)) != 0 || r.Lemma11.Upper.Cmp(big.NewFloat(2)) != 0 {
		t.Errorf("OptDel %v, Lemma 11 %v with only %v known", r.OptDel, r.Lemma11, known.OptDel)
	}
	if r.Unknown != Orders[1] || whole.Unknown != "" {
		t.Errorf("unknown is %q, of the whole %q", r.Unknown, whole.Unknown)
	}
	if r.Order != Orders[0] || len(r.Rule) != 2 || !strings.Contains(r.Shortfall, "(Q, P)") {
		t.Errorf("order %s, rule %v, shortfall %q", r.Order, r.Rule, r.Shortfall)
	}
}

// Orders of neighbours are solved at once. An error of one of them ends the other, and is not hidden by how that ended.
func TestEachOrder(t *testing.T) {
	t.Parallel()
	broken, first, second := errors.New("broken"), make(chan bool), make(chan bool)
	var reports []float64
	progress := func(done float64) { reports = append(reports, done) }
	err := lopsided().EachOrder(t.Context(), progress, func(ctx context.Context, i int, q Pipeline, progress func(float64)) error {
		if i == 0 { // begins before the other one, and ends after it
			close(first)
			<-second
			progress(0.5)
			<-ctx.Done()
			return ctx.Err()
		}
		<-first
		progress(1)
		close(second)
		return broken
	})
	if err != broken || !slices.Equal(reports, []float64{0.5, 0.75}) {
		t.Errorf("%v, progress %v", err, reports)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := lopsided().EachOrder(ctx, nil, func(ctx context.Context, i int, _ Pipeline, _ func(float64)) error {
		return []error{ctx.Err(), nil}[i]
	}); err != context.Canceled {
		t.Error(err)
	}
	if r, err := OptDel(ctx, lopsided(), Options{}); err != context.Canceled {
		t.Error(r, err)
	}
}

// What is said of how a result was found holds for both orders, and the widths are those of the larger δ.
func TestWorst(t *testing.T) {
	t.Parallel()
	fine := &Result{OptDel: interval.Of(0.5, 0.5), Lemma11: interval.Of(0.75, 0.75), SingleStop: []interval.Interval{interval.Of(0.5, 0.5), interval.Of(0.25, 0.25)},
		Rule: []Threshold{{LossAtLeast: 1, Probability: 1}}, RelWidth: 1e-9, Method: Lattice, Arithmetic: "float64"}
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
	t.Parallel()
	e := loss.Exp(big.NewRat(3, 2))
	p := Pipeline{[]Mechanism{{Eps: e, Delta: new(big.Rat), Count: 3}}, []Stop{{After: 2, Eps: e}, {After: 3, Eps: e}}}
	r, err := OptDel(t.Context(), p, Options{Method: Bracket, RelWidth: 1e-5})
	if err != nil || r.OptDel.RelWidth() > 1e-5 {
		t.Fatal(r, err)
	}
	if _, err := certificate.New(t.Context(), r.Certified[0], certificate.Limits{}); err != nil {
		t.Error(err)
	}
}
