package certificate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"checkrr/impl/certify"
)

// OtherProblemError is that a claim is about another problem than it should be, and the first difference.
type OtherProblemError struct {
	List            string          // "mechanisms" or "stops"
	Index           int             // of the first entry that is another, from 0
	Claimed, Wanted certify.Problem // as [certify.Problem.Grouped] has them
}

// Error says both entries, as a certificate has them.
func (e *OtherProblemError) Error() string {
	claimed, wanted := e.entry(e.Claimed), e.entry(e.Wanted)
	return fmt.Sprintf("its %s are others: entry %d is %s, must be %s", e.List, e.Index+1, claimed, wanted)
}

// entry is that of a problem as it is written; those beyond the last are none.
func (e *OtherProblemError) entry(of certify.Problem) string {
	var x any
	switch {
	case e.List == "stops" && e.Index < len(of.Stops):
		x = jsonStop(of.Stops[e.Index])
	case e.List != "stops" && e.Index < len(of.Mechanisms):
		x = jsonMechanism(of.Mechanisms[e.Index])
	default:
		return "none"
	}
	const most = 300
	text, _ := json.Marshal(x)
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// About returns nil if c is about p, with the charges of its stops, for neighbours in the order that p is for: the one
// of two that [certify.Problem.Orders] returns. If it is about another problem, that is an [*OtherProblemError].
func (c *Claim) About(p certify.Problem) error {
	if c == nil {
		return errors.New("the claim is nil, must be given")
	}
	if err := p.Validate(); err != nil {
		return fmt.Errorf("the problem: %w", err)
	}
	if err := c.Problem.Validate(); err != nil {
		return fmt.Errorf("the problem of the claim: %w", err)
	}
	e := &OtherProblemError{"mechanisms", 0, c.Problem.Grouped(), p.Grouped()}
	isSame := func(x, y certify.Mechanism) bool { return x.Count == y.Count && x.Key() == y.Key() }
	if e.Index = differAt(e.Claimed.Mechanisms, e.Wanted.Mechanisms, isSame); e.Index >= 0 {
		return e
	}
	isSameStop := func(s, t certify.Stop) bool { return s.After == t.After && s.Eps.Equal(t.Eps) }
	if e.Index = differAt(c.Problem.Stops, p.Stops, isSameStop); e.Index >= 0 {
		e.List = "stops"
		return e
	}
	return nil
}

// differAt returns the index of the first entry that is another in two lists, or −1.
func differAt[T any](xs, ys []T, isSame func(x, y T) bool) int {
	for i := range max(len(xs), len(ys)) {
		if i >= len(xs) || i >= len(ys) || !isSame(xs[i], ys[i]) {
			return i
		}
	}
	return -1
}

// About returns nil if all claims of a certificate are about p, and there is one for each order of neighbours: then
// OptDel of p is at most the largest upper end of theirs, if [Claim.Verify] returns nil for each.
func About(p certify.Problem, claims ...*Claim) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("the problem: %w", err)
	}
	orders := p.Orders()
	isClaimed := make([]bool, len(orders))
	for i, c := range claims {
		var first error
		for k, q := range orders {
			err := c.About(q)
			if isClaimed[k] = isClaimed[k] || err == nil; err == nil {
				first = nil
				break
			}
			if other, ok := errors.AsType[*OtherProblemError](err); first == nil || ok && other.List == "stops" {
				first = err
			}
		}
		if first != nil {
			return fmt.Errorf("claim %d: %w", i+1, first)
		}
	}
	if slices.Contains(isClaimed, false) {
		return errors.New("there is no claim for neighbours in one of their orders, must be one for each")
	}
	return nil
}
