package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// comparison is what composition theorems allow for a δ, and what a pipeline that may stop early has to charge.
type comparison struct {
	rules    []comparedRule
	schedule *impl.Schedule // nil if time ran out, or none leaves stops anything to charge for
	none     string         // why there is no schedule
	timedOut bool           // what is missing is missing for that reason
}

// comparedRule is a theorem, and the ε that it allows; nil if it allows none.
type comparedRule struct {
	rule, source string
	eps          *loss.Sum
}

// sources of the theorems.
var sources = map[impl.Theorem]string{
	impl.Basic:        "AFD-T3.16: the sum of all",
	impl.AdvancedBook: "AFD-T3.20, as printed, for the largest ε and δ",
	impl.Advanced:     "Kairouz, Oh and Viswanath (2015), the last ε of Theorem 3.5",
	impl.ZCDP:         "Bun and Steinke (2016)",
	impl.RDP:          "Mironov (2017)",
}

// comparedStops is at how many stops, at most and evenly spaced, a schedule charges.
const comparedStops = 10

// checkCompared returns an error if there are mechanisms that the other theorems are not about: before any answer is
// computed.
func checkCompared(ctx context.Context, p *input.Problem, delta *big.Rat) error {
	_, _, err := impl.EpsWith(ctx, p.Mechanisms, delta, impl.Basic)
	if broken, ok := errors.AsType[*impl.InputError](err); ok {
		broken.Rule += " for --compare, whose theorems know nothing else; without it there is an answer"
		return p.Fault(broken)
	}
	return nil
}

// compare asks the theorems, and designs a schedule.
func compare(ctx context.Context, p *input.Problem, c *composed) (*comparison, error) {
	var out comparison
	for _, t := range impl.Theorems {
		eps, ok, err := impl.EpsWith(ctx, p.Mechanisms, c.delta, t)
		if ctx.Err() != nil {
			out.timedOut = true
			return &out, nil
		}
		if err != nil {
			return nil, err
		}
		r := comparedRule{string(t), sources[t], nil}
		if ok {
			r.eps = &eps
		}
		out.rules = append(out.rules, r)
	}
	best := c.exact
	if best == nil {
		best, _ = c.answer.Upper.Rat(nil)
	}
	out.rules = append(out.rules, comparedRule{"optimal", "Murtagh and Vadhan (2016)",
		new(out.least(loss.OfRat(best)))})
	s, err := impl.DesignSchedule(ctx, stoppingEarly(p.Mechanisms, c.mechanisms()), c.delta, impl.ScheduleOptions{})
	if broken, ok := errors.AsType[*impl.DeltaError](err); ok {
		out.none = "If it may stop early there is no schedule: delta " + broken.Rule + "."
		return &out, nil
	}
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	out.schedule, out.timedOut = s, s == nil
	return &out, nil
}

// least returns the smallest of an ε and those that the rules allow: no rule is below optimal composition, whose upper
// end may be above one of them.
func (c *comparison) least(eps loss.Sum) loss.Sum {
	for _, r := range c.rules {
		if r.eps != nil && r.eps.Cmp(eps) < 0 {
			eps = *r.eps
		}
	}
	return eps
}

// stoppingEarly is a pipeline that may stop at a few places.
func stoppingEarly(mechanisms []impl.Mechanism, count int) impl.Pipeline {
	p := impl.Pipeline{Mechanisms: mechanisms}
	stops := min(count, comparedStops)
	for i := 1; i <= stops; i++ {
		p.Stops = append(p.Stops, impl.Stop{After: i * count / stops})
	}
	return p
}

// write prints the comparison for a person.
func (c *comparison) write(w io.Writer) {
	t := report.NewTable("rule", "ε", "source").Right(2)
	for _, r := range c.rules {
		eps := "none"
		if r.eps != nil {
			eps = report.ForPeople.Cell(report.Shorter(*r.eps), true)
		}
		t.Row(r.rule, eps, r.source)
	}
	fmt.Fprintln(w)
	t.Write(w)
	if c.none != "" {
		fmt.Fprintf(w, "\n%s\n", c.none)
	}
	if c.schedule == nil {
		return
	}
	fmt.Fprintln(w, "\nIf it may stop early, for the same δ (checkrr schedule):")
	fmt.Fprintln(w)
	t = report.NewTable("stop after", "charged ε", "if it ended there always").Right(1, 2, 3)
	for i, charge := range c.schedule.Charges() {
		always := ""
		if c.schedule.SingleStop != nil {
			always = report.ForPeople.Cell(loss.OfRat(c.schedule.SingleStop[i]), true)
		}
		t.Row(c.schedule.Pipeline.Stops[i].After, report.ForPeople.Cell(loss.OfRat(charge), true), always)
	}
	t.Write(w)
}

// toJSON returns the theorems and the schedule for the output of --json: nothing without --compare, and no schedule if
// time ran out, or δ is 1.
func (c *comparison) toJSON() (rules, early []report.Object) {
	if c == nil {
		return nil, nil
	}
	for _, r := range c.rules {
		var eps any // rounded up; null: the rule allows none
		if r.eps != nil {
			eps = report.Up.Sum(report.Shorter(*r.eps))
		}
		rules = append(rules, report.Object{"rule", r.rule, "eps", eps, "source", r.source})
	}
	if c.schedule == nil {
		return rules, nil
	}
	for i, charge := range c.schedule.Charges() {
		early = append(early, report.Object{"after", c.schedule.Pipeline.Stops[i].After, "eps", report.Up.Rat(charge)})
	}
	return rules, early
}
