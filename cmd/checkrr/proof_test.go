package main

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
	"checkrr/impl/loss"
)

// lopsidedText is a problem file of a pipeline for which the orders of neighbours differ.
const lopsidedText = `{"mechanisms": [{"law": [["4/5", "9/10"], ["1/5", "1/10"]], "count": 2}], "stops": [{"after": 1, "eps": 0}, {"after": 2, "eps": "3/5"}]}`

// oneOrder is a result for that pipeline, of which time ran out for the second order.
func oneOrder(t *testing.T) *impl.Result {
	t.Helper()
	law := impl.Law{{big.NewRat(4, 5), big.NewRat(9, 10)}, {big.NewRat(1, 5), big.NewRat(1, 10)}}
	r, err := impl.OptDel(t.Context(), impl.Pipeline{
		Mechanisms: []impl.Mechanism{{Law: law, Count: 2}},
		Stops:      []impl.Stop{{After: 1, Eps: loss.Nats(new(big.Rat))}, {After: 2, Eps: loss.Nats(big.NewRat(3, 5))}},
	}, impl.Options{})
	if err != nil || len(r.Certified) != 2 {
		t.Fatal(r, err)
	}
	r.Certified = r.Certified[:1]
	return impl.Worst(r, nil)
}

// Of one order of neighbours alone nothing can be stated but that OptDel is more than something.
func TestClaimsOf_OneOrder(t *testing.T) {
	t.Parallel()
	r := oneOrder(t)
	lower, upper := r.OptDel.Rats()
	for name, limits := range map[string]certificate.Limits{"none": {}, "at most": {AtMost: upper}, "more than the lower end": {MoreThan: lower}} {
		claims, err := claimsOf(t.Context(), r, limits)
		if !errors.Is(err, errInconclusive) || !strings.HasSuffix(err.Error(), "no certificate: nothing is known for neighbours (Q, P)") {
			t.Errorf("%s: %d claims, %v", name, len(claims), err)
		}
	}
	claims, err := claimsOf(t.Context(), r, certificate.Limits{MoreThan: big.NewRat(1, 20)})
	if err != nil || len(claims) != 1 {
		t.Errorf("more than 0.05: %d claims, %v", len(claims), err)
	}
}

// A file with one order of neighbours says so, and is about a pipeline only if all that it claims is that OptDel is more.
func TestCertify_OneOrder(t *testing.T) {
	t.Parallel()
	r, problem := oneOrder(t), filepath.Join(t.TempDir(), "p.json")
	if err := os.WriteFile(problem, []byte(lopsidedText), 0o666); err != nil {
		t.Fatal(err)
	}
	more, err := claimsOf(t.Context(), r, certificate.Limits{MoreThan: big.NewRat(1, 20)})
	if err != nil {
		t.Fatal(err)
	}
	less, err := certificate.New(t.Context(), r.Certified[0], certificate.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	both := *more[0]
	both.AtMost = big.NewRat(999, 1000)
	for _, tt := range []struct {
		claims []*certificate.Claim
		code   int // without a problem
		about  int // with the problem of the file
		want   string
	}{
		{[]*certificate.Claim{&both}, exitInconclusive, exitRefuted, "there is no claim about " + problem + " for neighbours in one of their orders"},
		{more, exitOK, exitOK, "holds: OptDel for neighbours in this order only is between "},
		{[]*certificate.Claim{less}, exitInconclusive, exitRefuted, "there is no claim about " + problem + " for neighbours in one of their orders"},
		{[]*certificate.Claim{more[0], less}, exitInconclusive, exitRefuted, "there is no claim about " + problem + " for neighbours in one of their orders"},
	} {
		var file bytes.Buffer
		if err := certificate.Write(&file, tt.claims...); err != nil {
			t.Fatal(err)
		}
		certify := func(more ...string) (int, string) {
			var out bytes.Buffer
			return run(append([]string{"certify", "-"}, more...), bytes.NewReader(file.Bytes()), &out, &out), out.String()
		}
		if code, out := certify("--problem", problem); code != tt.about || !strings.Contains(out, tt.want) {
			t.Errorf("exit code %d, want %d: %s, want %s", code, tt.about, out, tt.want)
		}
		code, out := certify()
		isSaid := strings.Contains(out, "is for one order of neighbours, and none is for the other one; add --one-order")
		if code != tt.code || isSaid != (code != exitOK) || strings.Count(out, "OptDel for neighbours in this order only is between ") != len(tt.claims) {
			t.Errorf("without a problem: exit code %d, want %d: %s", code, tt.code, out)
		}
		if code, out := certify("--json"); code != tt.code || strings.Count(out, `"one_order":true`) != len(tt.claims) {
			t.Errorf("as JSON: exit code %d, want %d: %s", code, tt.code, out)
		}
		verdict := map[int]string{exitOK: `"verdict":"holds"`, exitInconclusive: `"verdict":"undecided"`}
		if _, out := certify("--json"); !strings.HasPrefix(out, `{"schema_version":2,`+verdict[tt.code]) ||
			tt.code != exitOK && strings.Count(out, verdict[tt.code]) < 2 {
			t.Errorf("as JSON, with exit code %d: %s", tt.code, out)
		}
		if _, out := certify(); tt.code != exitOK && !strings.Contains(out, " undecided: OptDel for neighbours in this order only") {
			t.Errorf("with exit code %d: %s", tt.code, out)
		}
		if _, out := certify("--json", "--one-order"); strings.Count(out, verdict[exitOK]) != 1+len(tt.claims) {
			t.Errorf("--one-order: %s", out)
		}
		if _, out := certify("--json", "--at-most", "0"); !strings.Contains(out, `"verdict":"refuted"`) {
			t.Errorf("at most 0: %s", out)
		}
		if code, out := certify("--at-most", "1"); code != exitInconclusive {
			t.Errorf("at most 1: exit code %d: %s", code, out)
		}
		for _, also := range [][]string{nil, {"--problem", problem}, {"--at-most", "1"}} {
			if code, out := certify(append(also, "--one-order")...); code != exitOK {
				t.Errorf("--one-order %v: exit code %d: %s", also, code, out)
			}
		}
		for _, also := range [][]string{nil, {"--one-order"}} {
			want := map[bool]int{true: exitOK, false: tt.code}[also != nil]
			if code := inPython(t, [][]byte{file.Bytes()}, also...)[0]; code != want {
				t.Errorf("examples/certify.py %v: exit code %d, want %d", also, code, want)
			}
		}
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
	if want := "inconclusive: no certificate: time ran out after 1ms; proof.json is not written"; err == nil || err.Error() != want || !errors.Is(err, errInconclusive) {
		t.Errorf("%v, want %s", err, want)
	}
	cancel()
	err = proving(t.Context(), soon, time.Hour, "proof.json", wait)
	if want := "inconclusive: no certificate: interrupted; proof.json is not written"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// What neither order of neighbours shows is not left out of a certificate: it is not there, and a message says so.
func TestClaimsOf_BothOrders(t *testing.T) {
	t.Parallel()
	problem, err := input.ReadProblem("-", &input.Inputs{Stdin: strings.NewReader(lopsidedText)}, input.ChargedStops, false)
	if err != nil {
		t.Fatal(err)
	}
	r, err := impl.OptDel(t.Context(), problem.Pipeline, impl.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, upper := r.OptDel.Rats()
	_, err = claimsOf(t.Context(), r, certificate.Limits{MoreThan: upper})
	if _, isTooWide := errors.AsType[*certificate.Failure](err); !isTooWide {
		t.Errorf("more than the upper end: %v", err)
	}
}

// Claims of a composition may have several charges; of each that OptDel is at most something for, both orders of neighbours are claimed.
func TestRequireAll_Composition(t *testing.T) {
	t.Parallel()
	one, two := big.NewRat(1, 1), big.NewRat(2, 1)
	orders := [2]certify.Problem{}
	for i, p := range [][2]*big.Rat{{big.NewRat(1, 2), big.NewRat(1, 4)}, {big.NewRat(1, 4), big.NewRat(1, 2)}} {
		law := [][2]*big.Rat{p, {new(big.Rat).Sub(one, p[0]), new(big.Rat).Sub(one, p[1])}}
		orders[i] = certify.Problem{Mechanisms: []certify.Mechanism{{Law: law, Count: 2}}, Stops: []certify.Stop{{After: 2, Eps: certify.Number{Value: new(big.Rat)}}}}
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
		if err := requireAll(tt.claims, "p.yaml", compositions(tt.claims, orders[:]), false); (err == nil) != tt.isAll {
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
		return certify.Mechanism{Count: 1, Law: [][2]*big.Rat{{p, q}, {new(big.Rat).Sub(one, p), new(big.Rat).Sub(one, q)}}}
	}
	stop := certify.Stop{After: 3, Eps: certify.Number{Value: two}}
	stops := []certify.Stop{stop}
	problems := []certify.Problem{
		{Mechanisms: []certify.Mechanism{mechanism(3, one, half)}, Stops: stops},
		{Mechanisms: []certify.Mechanism{mechanism(1, one, half), mechanism(2, one, big.NewRat(2, 4))}, Stops: stops},
		{Mechanisms: []certify.Mechanism{mechanism(1, one, half), mechanism(2, half, one)}, Stops: stops},
		{Mechanisms: []certify.Mechanism{mechanism(3, one, half)}, Stops: []certify.Stop{{After: 3, Eps: certify.Number{Value: two, Log: true}}}},
		{Mechanisms: []certify.Mechanism{mechanism(3, one, half)}, Stops: []certify.Stop{{After: 1, Eps: stop.Eps}, stop}},
		{Mechanisms: []certify.Mechanism{law(half, quarter), mechanism(2, one, half)}, Stops: stops},
		{Mechanisms: []certify.Mechanism{law(quarter, half), mechanism(2, one, half)}, Stops: stops},
	}
	for i, p := range problems {
		for j, q := range problems {
			if isSame := requireSame(p, q) == nil; (key(p) == key(q)) != isSame {
				t.Errorf("problems %d and %d: the same %v, keys %q and %q", i, j, isSame, key(p), key(q))
			}
		}
	}
}
