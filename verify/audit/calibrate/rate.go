package calibrate

import (
	"context"
	"fmt"

	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// Rate is how often audits of a mechanism refuted a claim.
type Rate struct {
	Mechanism string
	Samples   int // for each input, at most
	Refuted   int
	Audits    int
	// Lower and Upper are confidence bounds on the probability that an audit refutes the
	// claim, each wrong with probability at most 0.005; see [audit.ClopperPearson].
	Lower, Upper float64
}

// level is how often a bound of a rate is wrong, at most.
const level = 0.005

// measure repeats audits of a mechanism.
func measure(ctx context.Context, s subject, o audit.Options, audits int) (Rate, error) {
	o.Bits = s.bits
	refuted, err := audit.Repeat(ctx, s.claim, s.pairs, o, audits)
	if err != nil {
		return Rate{}, fmt.Errorf("%s: %w", s.name, err)
	}
	return rateOf(s.name, o.Samples, refuted, audits)
}

// rateOf is a rate with its bounds.
func rateOf(mechanism string, samples, refuted, audits int) (r Rate, err error) {
	r = Rate{Mechanism: mechanism, Samples: samples, Refuted: refuted, Audits: audits}
	r.Lower, r.Upper, err = audit.ClopperPearson(refuted, audits, level)
	return r, err
}

// subject is a mechanism with a claim about it.
type subject struct {
	name  string
	claim audit.Claim
	pairs []audit.Pair
	bits  bool // whether numbers are looked at bit by bit, too
}

// builtinSubject returns a mechanism of the catalogue with its own claim.
func builtinSubject(name string, p mechanisms.Params) (subject, error) {
	m, err := mechanisms.Find(name)
	if err != nil {
		return subject{}, err
	}
	c, err := m.Make(p)
	if err != nil {
		return subject{}, err
	}
	return subject{name: name, claim: c.Claim, pairs: c.Pairs}, nil
}
