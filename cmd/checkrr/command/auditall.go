package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"time"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/loss"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// control is a built-in mechanism with a claim, audited by its law and by samples.
type control struct {
	mechanisms.Mechanism
	claimed string
	law     *audited // nil if the law is not known
	sampled *audited
}

// auditAll audits the whole catalogue with every claim. α is shared by all audits.
func (a app) auditAll(ctx context.Context, o auditOptions, limits audit.Options) error {
	ctx, stop := run.Limited(ctx, o.timeout)
	defer stop()
	progress, clear := report.ProgressOn(a.Stderr)
	defer clear()
	a.Stderr = io.Discard // audits draw no bars of their own
	all := catalogue()
	alpha := o.alpha
	o.alpha.Value = new(big.Rat).Quo(alpha.Value, big.NewRat(int64(len(all)), 1))
	limits.Alpha = below(o.alpha.Value)
	done := 0
	for ; done < len(all); done++ {
		err := a.control(ctx, &all[done], o, limits)
		if ctx.Err() != nil { // this one was cut short
			break
		}
		if err != nil {
			return err
		}
		progress(float64(done+1) / float64(len(all)))
	}
	clear()
	if done == 0 {
		return run.EndedBy(ctx, run.ErrInconclusive, o.timeout)
	}
	left := len(all) - done
	all = all[:done]
	err := a.Write("", o.json, func() report.Object { return controlsJSON(all, alpha.Value) }, func(w io.Writer) {
		writeControls(w, all)
		if checkControls(all) == nil && left == 0 {
			fmt.Fprintf(w, "\nAs expected: %s right, %s wrong.", report.Plural(count(all, true), "claim"),
				report.Plural(count(all, false), "claim"))
		}
		fmt.Fprintf(w, "\nalpha %s for all audits together, seed %d\n", alpha.Text, o.seed)
	})
	if err != nil {
		return err
	}
	if err := checkControls(all); err != nil || left == 0 {
		return err
	}
	cause := "interrupted"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		cause = fmt.Sprintf("no more within %v", o.timeout)
	}
	return fmt.Errorf("%w: %s: %s not audited", run.ErrInconclusive, cause, report.SomeOf(left, left+done, "claim"))
}

// catalogue returns every built-in mechanism once for every claim.
func catalogue() []control {
	var all []control
	for _, m := range mechanisms.All() {
		for _, claim := range m.Claims {
			all = append(all, control{Mechanism: m, claimed: claim})
		}
	}
	return all
}

// control audits one mechanism in both ways.
func (a app) control(ctx context.Context, c *control, o auditOptions, limits audit.Options) error {
	o.builtinFlags = builtinFlags{builtin: c.Name, claim: c.claimed}
	s, err := o.subject()
	if err != nil {
		return err
	}
	if s.laws != nil {
		o.method = "exact"
		if c.law, err = a.examine(ctx, s, o, limits); err != nil {
			return err
		}
	}
	o.method = "sampled"
	if c.sampled, err = a.examine(ctx, s, o, limits); err != nil {
		return err
	}
	return ctx.Err()
}

// refuted reports whether one of the audits refutes the claim.
func (c control) refuted() bool {
	return c.law != nil && c.law.verdict() == audit.Refuted || c.sampled.verdict() == audit.Refuted
}

// count returns how many claims are right, or wrong.
func count(all []control, right bool) int {
	n := 0
	for _, c := range all {
		if c.Right() == right {
			n++
		}
	}
	return n
}

// checkControls returns an error if a true claim is refuted, or a false one is not.
func checkControls(all []control) error {
	for _, c := range all {
		switch {
		case c.Right() && c.refuted():
			return fmt.Errorf("the true claim about %s is %w", c.Name, run.ErrRefuted)
		case !c.Right() && !c.refuted():
			return fmt.Errorf("the false claim about %s is not %w", c.Name, run.ErrRefuted)
		}
	}
	return nil
}

// writeControls prints a line for every audit.
func writeControls(w io.Writer, all []control) {
	t := report.NewTable("mechanism", "claim", "is", "by law", "largest loss", "time", "by samples", "ε claimed",
		"ε at least", "samples", "time").Right(5, 6, 8, 9, 10, 11)
	for _, c := range all {
		is := map[bool]string{true: "right", false: "wrong"}[c.Right()]
		row := []any{c.Name, c.claimed, is, "–", "–", "–"}
		if c.law != nil {
			row = []any{c.Name, c.claimed, is, c.law.short(), c.law.largestLoss(), secondsCell(c.law.elapsed)}
		}
		s := c.sampled.sampled
		part := c.sampled.worstPart()
		t.Row(append(row, c.sampled.short(), report.Clip(c.sampled.charges[part], 12),
			c.sampled.boundCell(part), s.Samples, secondsCell(c.sampled.elapsed))...)
	}
	t.Write(w)
}

// secondsCell shows a time to two digits.
func secondsCell(d time.Duration) string { return report.Short(d.Seconds(), 2) + " s" }

// short is the verdict in a word or two.
func (r *audited) short() string {
	switch {
	case r.verdict() == audit.Refuted:
		return "refuted"
	case r.certain():
		return "true"
	}
	return "not refuted"
}

// largestLoss shows the largest loss of any part that is certain.
func (r *audited) largestLoss() string {
	part := 0
	for i, loss := range r.exact.Losses {
		if loss.Loss.Lower.Cmp(r.exact.Losses[part].Loss.Lower) > 0 {
			part = i
		}
	}
	return lossText(r.exact.Losses[part].Loss, r.claim.Parts[part].Eps)
}

// worstPart returns the part whose bound on ε is most above, or least below, what is claimed.
func (r *audited) worstPart() (part int) {
	excess := func(i int) float64 { return r.sampled.Eps[i] - loss.Float64(r.claim.Parts[i].Eps) }
	for i := range r.sampled.Eps {
		if excess(i) > excess(part) {
			part = i
		}
	}
	return part
}

// controlsJSON is the output of checkrr audit --all --json; alpha is that of all audits together.
func controlsJSON(all []control, alpha *big.Rat) report.Object {
	var audits []report.Object
	for _, c := range all {
		var law report.Object
		if c.law != nil {
			law = c.law.toJSON()
		}
		audits = append(audits, append(infoJSON(c.Mechanism), "claim", c.claimed, "by_law?", law,
			"by_samples", c.sampled.toJSON()))
	}
	return report.Output("alpha", report.Up.Rat(alpha), "audits", audits)
}
