package command

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// ruleRun is the same ledger by a rule of --compare, up to the first event that it refuses.
type ruleRun struct {
	rule    string
	run     *ledger.FilterRun // nil if the rule has none for the budget
	why     error             // that is so
	refused *place
	isDelta bool // whether it is too little δ, rather than ε, that remained for it
}

// compareRules returns all rules with the budget of o.
func compareRules(o accountOptions, eps loss.Epsilon, delta *big.Rat) (all []*ruleRun, err error) {
	leak, err := leakOf(o.leak, delta, "delta")
	if err != nil {
		return nil, err
	}
	for _, rule := range filterRules {
		c := &ruleRun{rule: rule}
		if f, err := newFilter(rule, eps, delta, leak, o.lambda.Value); err != nil {
			c.why = unprefixed(err)
		} else {
			c.run = ledger.NewFilterRun(f)
		}
		all = append(all, c)
	}
	return all, nil
}

// compare counts an event by all rules that have refused none, and reports whether there is one left.
func (r *replay) compare(l *input.Ledger, e *input.Event) (isOpen bool, err error) {
	for _, c := range r.compared {
		if c.run == nil || c.refused != nil {
			continue
		}
		err := c.run.SpendOn(e.Partition, e.Guarantee, e.Observed)
		if cause, isRefusal := errors.AsType[*ledger.NotAdmittedError](err); isRefusal {
			c.refused, c.isDelta = &place{int64(l.Line), e.Mechanism}, cause.Exceeds.Delta.Sign() > 0
			continue
		}
		if err != nil {
			return false, r.fault(l, e, err)
		}
		isOpen = true
	}
	return isOpen, nil
}

// compareRest goes on to where all rules have refused an event, after the account has ended by its own.
func (r *replay) compareRest(l *input.Ledger) {
	if r.compared == nil || r.refused == nil {
		return
	}
	for isOpen := true; isOpen; {
		e, err := l.Next()
		if err == io.EOF {
			return
		}
		if err == nil {
			isOpen, err = r.compare(l, e)
		}
		if err != nil {
			r.end = errors.Join(r.end, err)
			return
		}
	}
}

// comparedJSON are the rules in the output of --json.
func (r *replay) comparedJSON() (all []report.Object) {
	for _, c := range r.compared {
		row := report.Object{"rule", c.rule}
		if c.run == nil { // the rule has no account with this budget
			row = append(row, "error", c.why.Error(), "events", 0, "refused", nil, "spent", nil, "remaining", nil,
				"fits", nil)
		} else {
			at := standOf(c.rule, c.run)
			row = append(row, "events", at.events, // that it admits
				"refused", c.refused, // the first that it does not
				"spent", report.Up.Amount(at.spent), "remaining", report.Down.Amount(at.remaining), "fits",
				fitsJSON(at.fits))
		}
		all = append(all, row)
	}
	return all
}

// writeCompared prints the rules side by side.
func (r *replay) writeCompared(w io.Writer) {
	if r.compared == nil {
		return
	}
	t := report.NewTable("rule", "events", "ε spent", "still fits, if δ is 0", "δ left", "ends at").Right(2, 3, 4, 5)
	for _, c := range r.compared {
		if c.run == nil {
			t.Row(c.rule, "none", "", "", "", c.why)
			continue
		}
		at := standOf(c.rule, c.run)
		t.Row(c.rule, at.events, report.ForPeople.Cell(at.spent.Eps, true), shortFit(at.fits),
			report.ForPeople.Cell(at.remaining.Delta, false), c.end())
	}
	fmt.Fprintln(w, "\nBy each rule, up to the first event that it refuses:")
	fmt.Fprintln(w)
	t.Write(w)
	if slices.ContainsFunc(r.compared, func(c *ruleRun) bool { return c.isDelta && c.rule != "sum" }) {
		fmt.Fprintln(w, "\nBy all rules but the sum only a part of δ is for the mechanisms' own: half of it, or what "+
			"--leak says.")
	}
}

// end says which event a rule refuses, and why.
func (c *ruleRun) end() string {
	if c.refused == nil {
		return ""
	}
	short := map[bool]string{false: "ε", true: "δ"}[c.isDelta]
	return fmt.Sprintf("line %d (%s), too little %s remains", c.refused.Line, report.Quote(c.refused.Mechanism), short)
}
