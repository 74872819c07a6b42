package run

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// lopsided is a result for a pipeline for which the orders of neighbours differ.
func lopsided(t *testing.T) *impl.Result {
	t.Helper()
	law := impl.Law{{big.NewRat(4, 5), big.NewRat(9, 10)}, {big.NewRat(1, 5), big.NewRat(1, 10)}}
	r, err := impl.OptDel(t.Context(), impl.Pipeline{
		Mechanisms: []impl.Mechanism{{Law: law, Count: 2}},
		Stops:      []impl.Stop{{After: 1, Eps: loss.Nats(new(big.Rat))}, {After: 2, Eps: loss.Nats(big.NewRat(3, 5))}},
	}, impl.Options{})
	if err != nil || len(r.Certified) != 2 {
		t.Fatal(r, err)
	}
	return r
}

// oneOrder is the same, where time ran out for the second order.
func oneOrder(t *testing.T) *impl.Result {
	r := lopsided(t)
	r.Certified = r.Certified[:1]
	return impl.Worst(r, nil)
}

// Of one order of neighbours alone nothing can be stated but that OptDel is more than something.
func TestClaimsOf_OneOrder(t *testing.T) {
	t.Parallel()
	r := oneOrder(t)
	lower, upper := r.OptDel.Rats()
	for name, limits := range map[string]certificate.Limits{"none": {}, "at most": {AtMost: upper},
		"more than the lower end": {MoreThan: lower}} {
		claims, err := claimsOf(t.Context(), r, limits)
		if !errors.Is(err, ErrInconclusive) || !strings.HasSuffix(err.Error(),
			"no certificate: nothing is known for neighbours (Q, P)") {
			t.Errorf("%s: %d claims, %v", name, len(claims), err)
		}
	}
	claims, err := claimsOf(t.Context(), r, certificate.Limits{MoreThan: big.NewRat(1, 20)})
	if err != nil || len(claims) != 1 {
		t.Errorf("more than 0.05: %d claims, %v", len(claims), err)
	}
}

// A proof has its own time, whatever is left of that for the result, and what is said if that runs out is no Go error.
func TestProving(t *testing.T) {
	t.Parallel()
	soon, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	err := proving(t.Context(), soon, 10*time.Hour, "proof.json", func(ctx context.Context) error {
		if deadline, ok := ctx.Deadline(); !ok || time.Until(deadline) < 5*time.Hour {
			t.Error("the proof has to be ready in", time.Until(deadline))
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	wait := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	err = proving(t.Context(), soon, time.Millisecond, "proof.json", wait)
	if want := "inconclusive: no certificate: time ran out after 1ms; proof.json is not written"; err == nil ||
		err.Error() != want || !errors.Is(err, ErrInconclusive) {
		t.Errorf("%v, want %s", err, want)
	}
	cancel()
	err = proving(t.Context(), soon, time.Hour, "proof.json", wait)
	if want := "inconclusive: no certificate: interrupted; proof.json is not written"; err == nil ||
		err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// What neither order of neighbours shows is not left out of a certificate: it is not there, and a message says so.
func TestClaimsOf_BothOrders(t *testing.T) {
	t.Parallel()
	r := lopsided(t)
	_, upper := r.OptDel.Rats()
	_, err := claimsOf(t.Context(), r, certificate.Limits{MoreThan: upper})
	if _, isTooWide := errors.AsType[*certificate.Failure](err); !isTooWide {
		t.Errorf("more than the upper end: %v", err)
	}
}

// Claims of a composition may have several charges; of each that OptDel is at most something for, both orders of
// neighbours are claimed.
func TestCheckAll_Composition(t *testing.T) {
	t.Parallel()
	one, two := big.NewRat(1, 1), big.NewRat(2, 1)
	orders := [2]certify.Problem{}
	for i, p := range [][2]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 4)}, {big.NewRat(1, 4), big.NewRat(1, 2)}} {
		law := [][2]*big.Rat{p, {new(big.Rat).Sub(one, p[0]), new(big.Rat).Sub(one, p[1])}}
		orders[i] = certify.Problem{Mechanisms: []certify.Mechanism{{Law: law, Count: 2}},
			Stops: []certify.Stop{{After: 2, Eps: certify.Number{Value: new(big.Rat)}}}}
	}
	claim := func(order int, eps *big.Rat, isMore bool) *certificate.Claim {
		c := &certificate.Claim{Problem: orders[order], Limits: certificate.Limits{AtMost: one}}
		if isMore {
			c.Limits = certificate.Limits{MoreThan: one}
		}
		c.Problem.Stops = []certify.Stop{{After: 2, Eps: certify.Number{Value: eps}}}
		return c
	}
	for _, tt := range []struct {
		claims []*certificate.Claim
		isAll  bool
	}{
		{[]*certificate.Claim{claim(0, two, false), claim(1, two, false), claim(1, one, true)}, true},
		{[]*certificate.Claim{claim(0, two, false), claim(1, one, false)}, false},
		{[]*certificate.Claim{claim(0, two, false), claim(1, one, true)}, false},
		{[]*certificate.Claim{claim(0, two, true)}, true},
	} {
		if err := checkAll(tt.claims, "p.yaml", compositions(tt.claims, orders[:]), false); (err == nil) != tt.isAll {
			t.Errorf("%d claims: %v", len(tt.claims), err)
		}
	}
}

// Two problems have the same key if and only if they are the same.
func TestKey(t *testing.T) {
	t.Parallel()
	one, two, half, quarter := big.NewRat(1, 1), big.NewRat(2, 1), big.NewRat(1, 2), big.NewRat(1, 4)
	mechanism := func(count int, eps, delta *big.Rat) certify.Mechanism {
		return certify.Mechanism{Eps: certify.Number{Value: eps}, Delta: delta, Count: count}
	}
	law := func(p, q *big.Rat) certify.Mechanism {
		return certify.Mechanism{Count: 1, Law: [][2]*big.Rat{{p, q},
			{new(big.Rat).Sub(one, p), new(big.Rat).Sub(one, q)}}}
	}
	stop := certify.Stop{After: 3, Eps: certify.Number{Value: two}}
	stops := []certify.Stop{stop}
	problems := []certify.Problem{
		{Mechanisms: []certify.Mechanism{mechanism(3, one, half)}, Stops: stops},
		{Mechanisms: []certify.Mechanism{mechanism(1, one, half), mechanism(2, one, big.NewRat(2, 4))}, Stops: stops},
		{Mechanisms: []certify.Mechanism{mechanism(1, one, half), mechanism(2, half, one)}, Stops: stops},
		{Mechanisms: []certify.Mechanism{mechanism(3, one, half)},
			Stops: []certify.Stop{{After: 3, Eps: certify.Number{Value: two, Log: true}}}},
		{Mechanisms: []certify.Mechanism{mechanism(3, one, half)},
			Stops: []certify.Stop{{After: 1, Eps: stop.Eps}, stop}},
		{Mechanisms: []certify.Mechanism{law(half, quarter), mechanism(2, one, half)}, Stops: stops},
		{Mechanisms: []certify.Mechanism{law(quarter, half), mechanism(2, one, half)}, Stops: stops},
	}
	for i, p := range problems {
		for j, q := range problems {
			if isSame := (&certificate.Claim{Problem: p}).About(q) == nil; (key(p) == key(q)) != isSame {
				t.Errorf("problems %d and %d: the same %v, keys %q and %q", i, j, isSame, key(p), key(q))
			}
		}
	}
}

// TestCertify_Inconclusive: what was not checked when the time is over is said to be inconclusive.
func TestCertify_Inconclusive(t *testing.T) {
	t.Parallel()
	claims, err := claimsOf(t.Context(), lopsided(t), certificate.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := App{Stdout: &out, Stderr: &out}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results, err := a.checkClaims(ctx, claims, false)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	err = a.writeChecked(results, ErrInconclusive, "", false, 0)
	if err != nil || strings.Count(out.String(), " inconclusive: OptDel is between ") != len(claims) {
		t.Errorf("%v\n%s", err, out.String())
	}
}
