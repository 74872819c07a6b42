package audit_test

import (
	"math/big"
	"strconv"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/rat"
)

// subject is a mechanism with a claim about it.
type subject struct {
	name  string
	claim audit.Claim
	pairs []audit.Pair
	bits  bool // whether numbers are looked at bit by bit, too
}

// builtin returns a mechanism of the catalogue with its own claim.
func builtin(t *testing.T, name string, p mechanisms.Params) subject {
	t.Helper()
	m, err := mechanisms.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Make(p)
	if err != nil {
		t.Fatal(err)
	}
	return subject{name: name, claim: c.Claim, pairs: c.Pairs}
}

// tight are mechanisms that are exactly as private as it is claimed: the claim is true, and
// no smaller one is. If audits refute true claims too often, it is these.
func tight(t *testing.T) (all []subject) {
	for _, name := range []string{"laplace", "randomized-response", "response-pipeline"} {
		all = append(all, builtin(t, name, mechanisms.Params{}))
	}
	return all
}

// claimingLess returns the subject with four fifths of every ε that it claims.
func (s subject) claimingLess() subject {
	parts := make([]audit.Part, len(s.claim.Parts))
	for i, part := range s.claim.Parts {
		less, _ := new(big.Float).Mul(big.NewFloat(0.8), new(big.Float).SetRat(part.Eps.Rat())).Rat(nil)
		parts[i] = audit.Part{Name: part.Name, Eps: loss.Nats(less)}
	}
	s.claim.Parts = parts
	return s
}

// refutations returns how many of so many audits, each with a seed of its own, refute the claim.
func (s subject) refutations(t *testing.T, o audit.Options, audits int) int {
	t.Helper()
	o.Bits = s.bits
	return audit.Repeat(t, s.claim, o, audits, s.pairs...)
}

// noisy is the Laplace mechanism with a factor on its noise, claimed to have none.
func noisy(t *testing.T, factor string) subject {
	return builtin(t, "laplace", mechanisms.Params{Eps: one, Noise: rat.Of(factor)})
}

// leaking is a randomized response that reveals its input with a probability, claimed not to.
func leaking(t *testing.T, probability string) subject {
	s := builtin(t, "randomized-response", mechanisms.Params{Eps: one, Delta: rat.Of(probability)})
	s.claim = claimOf(new(big.Rat))
	return s
}

var one = big.NewRat(1, 1)

// seenIn returns what an audit of a true claim would have seen.
func seenIn(t *testing.T, name string, p mechanisms.Params, o audit.Options) audit.Seen {
	t.Helper()
	s := builtin(t, name, p)
	r, err := audit.Run(t.Context(), s.claim, s.pairs, o)
	if err != nil || r.Seen == nil {
		t.Fatalf("%s: a true claim was refuted with seed %d, or %v", name, o.Seed, err)
	}
	return *r.Seen
}

// decimal writes a number so that it reads back as the same.
func decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
