package command

import (
	"fmt"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
)

// text says why an event is refused, what it requests, what remains, and by how much it exceeds that.
func (f *refusal) text(rule string, e *input.Event, cause *ledger.NotAdmittedError) string {
	by := ""
	if rule != "sum" {
		by = " by the rule " + rule
	}
	where := ""
	if cause.Partition != "" {
		where = " of partition " + report.Quote(cause.Partition)
	}
	return fmt.Sprintf("%s is refused%s, %s%s: %s requests %s; %s; too much by about %s%s",
		report.Quote(e.Mechanism), by, f.short(rule), where, f.requesting(e), report.AsTyped.Amount(f.requested, true),
		f.leaves(rule, e, cause), f.excess(), f.hint())
}

// leaves says what remains by a rule.
func (f *refusal) leaves(rule string, e *input.Event, cause *ledger.NotAdmittedError) string {
	if rule == "sum" {
		return fmt.Sprintf("%s remain, %s are spent", report.ForPeople.Amount(f.remaining, false),
			report.ForPeople.Amount(cause.Spent, true))
	}
	of := ""
	if rule == odpAdvanced && len(e.Parts) > 1 {
		of = " of its worst part"
	}
	return fmt.Sprintf("with δ = 0, an ε%s up to %s fits, and δ %s remains", of, shortFit(fitOf(cause.Fits)),
		report.ForPeople.Cell(f.remaining.Delta, false))
}

// short says what does not fit.
func (f *refusal) short(rule string) string {
	eps, delta := f.exceeds.Eps.Sign() > 0, f.exceeds.Delta.Sign() > 0
	switch {
	case eps && delta:
		return "too little ε and too little δ remain"
	case delta && rule != "sum":
		return "too little δ remains for the mechanisms' own"
	case delta:
		return "too little δ remains"
	}
	return "too little ε remains"
}

// excess says by how much an event exceeds what remains, to two digits, however little.
func (f *refusal) excess() string {
	return f.exceeds.Above0(func(x loss.Sum) string {
		return "= " + strings.TrimPrefix(report.Roughly.Cell(x, true), "≤ ")
	})
}

// hint says what to type if what is exceeded is the last digits of a sum of float64s.
func (f *refusal) hint() string {
	const tiny = 1e-12
	for _, p := range [][2]loss.Sum{{f.exceeds.Eps, f.requested.Eps}, {f.exceeds.Delta, f.requested.Delta}} {
		if x := p[0].Float().Hi; x > 0 && x < tiny*p[1].Float().Lo {
			return `; if this is the rounding of a floating-point sum, ` +
				`write the decimal or the ratio that is meant, such as 0.3 or "1/3"`
		}
	}
	return ""
}

// requesting is what requests so much: of an event with several parts the worst of them, which need not be the observed
// one.
func (f *refusal) requesting(e *input.Event) string {
	isWorst := f.requested.Eps.Cmp(loss.Of(e.Worst())) == 0 && f.requested.Delta.Cmp(loss.OfRat(e.Delta)) == 0
	if len(e.Parts) < 2 || !isWorst {
		return "it"
	}
	return "its worst part"
}

// remainingOf returns what remains by a rule for what it refuses.
func remainingOf(rule string, cause *ledger.NotAdmittedError) ledger.Amount {
	if rule == "sum" {
		return cause.Budget.Minus(cause.Spent)
	}
	return cause.Budget.Minus(shownSpent(cause.Spent, cause.Budget))
}

// excessOf returns by how much a request exceeds what remains or, where the limit is none of the sum, in 20 digits,
// rounded up.
func excessOf(rule string, cause *ledger.NotAdmittedError) ledger.Amount {
	exceeds := cause.Exceeds.Larger(ledger.Amount{})
	const digits = 60 // of a sum
	x, isExact := exceeds.Eps.Rat()
	if isExact {
		_, isExact = report.Finite(x, digits)
	}
	if rule != "sum" && exceeds.Eps.Sign() > 0 && !isExact {
		exceeds.Eps = loss.OfRat(report.RoundTo(exceeds.Eps.Bounds(96).Upper, 20, true).Rat())
	}
	return exceeds
}
