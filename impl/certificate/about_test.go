package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/certificate"
	"checkrr/impl/certify"
)

// A certificate is about a problem if its claims have the same mechanisms, in any form, and the same stops and charges,
// for both orders of neighbours.
func TestAbout(t *testing.T) {
	t.Parallel()
	problem := func(scale string, counts []int, charge string) certify.Problem {
		p := certify.Problem{Stops: []certify.Stop{{After: 2, Eps: nats(t, "0.1")}, {After: 3, Eps: nats(t, charge)}}}
		for _, n := range counts {
			p.Mechanisms = append(p.Mechanisms, certify.Mechanism{Count: n, Additive: &certify.Additive{
				Noise: certify.Gaussian, Scale: ratio(t, scale), Sampling: ratio(t, "0.1")}})
		}
		return p
	}
	claim := func(p certify.Problem) *certificate.Claim { return &certificate.Claim{Problem: p} }
	mine := problem("2", []int{3}, "0.3")
	orders := mine.Orders()
	one, other := claim(orders[0]), claim(orders[1])
	for _, tt := range []struct {
		claims []*certificate.Claim
		want   string
	}{
		{[]*certificate.Claim{one, other}, ""},
		{[]*certificate.Claim{other, one, one}, ""},
		{[]*certificate.Claim{claim(problem("4/2", []int{1, 2}, "0.3")), other}, ""},
		{[]*certificate.Claim{one}, "there is no claim for neighbours in one of their orders"},
		{[]*certificate.Claim{other}, "there is no claim for neighbours in one of their orders"},
		{nil, "there is no claim for neighbours in one of their orders"},
		{[]*certificate.Claim{one, other, claim(problem("2.5", []int{3}, "0.3"))},
			`claim 3: its mechanisms are others: entry 1 is {"noise":{"law":"gaussian","scale":"2.5",`},
		{[]*certificate.Claim{claim(problem("2", []int{3}, "0.31")), other},
			`claim 1: its stops are others: entry 2 is {"after":3,"eps":"0.31"}, must be {"after":3,"eps":"0.3"}`},
		{[]*certificate.Claim{claim(problem("2", []int{3}, "0.31").Orders()[1])},
			`entry 2 is {"after":3,"eps":"0.31"}`},
		{[]*certificate.Claim{claim(certify.Problem{Mechanisms: mine.Mechanisms, Stops: mine.Stops[1:]})},
			`entry 1 is {"after":3,"eps":"0.3"}, must be {"after":2,"eps":"0.1"}`},
		{[]*certificate.Claim{claim(certify.Problem{})}, "claim 1: the problem of the claim: "},
		{[]*certificate.Claim{nil}, "the claim is nil"},
		{[]*certificate.Claim{claim(certify.Problem{Mechanisms: mine.Mechanisms, Stops: []certify.Stop{{After: 3}}})},
			"the problem of the claim: stop 1: eps is missing, must be at least 0"},
		{[]*certificate.Claim{claim(certify.Problem{Mechanisms: []certify.Mechanism{{Eps: nats(t, "1"), Count: 3}}})},
			"the problem of the claim: mechanism 1: delta is missing, must be between 0 and 1"},
	} {
		err := certificate.About(mine, tt.claims...)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("error is %v, must contain %q", err, tt.want)
		}
	}
	if certificate.About(certify.Problem{}, one) == nil {
		t.Error("a certificate is about a problem that is none")
	}
	if err := one.About(orders[0]); err != nil {
		t.Error(err)
	}
	if _, isOther := errors.AsType[*certificate.OtherProblemError](one.About(orders[1])); !isOther {
		t.Error("a claim for one order of neighbours is about the other")
	}
}

// What is nil and must not be is refused.
func TestRefuses_Nil(t *testing.T) {
	t.Parallel()
	var none context.Context
	c := claims(t)[0]
	found, err := certify.Check(t.Context(), c.Problem, c.Hints)
	if err != nil {
		t.Fatal(err)
	}
	_, noFound := certificate.New(t.Context(), nil, certificate.Limits{})
	_, noContext := certificate.New(none, found, certificate.Limits{})
	_, noReader := certificate.Read(nil)
	exact := &certificate.Claim{OptDel: c.OptDel, Problem: certify.Problem{
		Mechanisms: []certify.Mechanism{{Eps: nats(t, "0"), Delta: new(big.Rat), Count: 1}},
		Stops:      []certify.Stop{{After: 1, Eps: nats(t, "0")}}}}
	_, notExact := exact.VerifyExact(none)
	_, noClaim := (*certificate.Claim)(nil).VerifyExact(t.Context())
	for _, tt := range []struct {
		want string
		err  error
	}{
		{"found is nil", noFound}, {"ctx is nil", noContext}, {"r is nil", noReader}, {"ctx is nil", notExact},
		{"ctx is nil", c.Verify(none)}, {"the claim is nil", noClaim},
		{"the claim is nil", (*certificate.Claim)(nil).Verify(t.Context())}, {"w is nil", certificate.Write(nil, c)},
		{"claim 2: the claim is nil", certificate.Write(new(bytes.Buffer), c, nil)},
	} {
		if tt.err == nil || !strings.Contains(tt.err.Error(), tt.want) {
			t.Errorf("error is %v, must contain %q", tt.err, tt.want)
		}
	}
}
