package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/verify/register"
)

// verifyOptions are the flags of the command.
type verifyOptions struct {
	chosenEntries
	deep    bool
	json    bool
	junit   string
	timeout time.Duration
}

func (a app) verifyCommand() *cobra.Command {
	var o verifyOptions
	cmd := &cobra.Command{
		Use:               "verify [ID]...",
		ValidArgsFunction: a.completeIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			o.ids = ids
			return a.verify(cmd.Context(), o)
		},
	}
	selectBy(cmd, &o.chosenEntries)
	f := cmd.Flags()
	f.BoolVar(&o.deep, "deep", false, "check larger domains: minutes instead of seconds")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.StringVar(&o.junit, "junit", "", "also write a JUnit report to `FILE`")
	f.DurationVar(&o.timeout, "timeout", 0,
		"leave inconclusive what is not checked after this `TIME`, such as 30s (default never)")
	report.Must(cmd.MarkFlagFilename("junit", "xml"))
	return cmd
}

func (a app) verify(ctx context.Context, o verifyOptions) error {
	if err := cmp.Or(run.CheckTimeout(o.timeout), run.CheckFolder("--junit", o.junit)); err != nil {
		return err
	}
	statements, err := o.from(a)
	if err != nil {
		return err
	}
	findings := a.check(ctx, statements, o.deep, o.timeout)
	if err := a.writeFindings(findings, o); err != nil {
		return err
	}
	return conclusion(findings)
}

// check runs the checks of the statements.
func (a app) check(ctx context.Context, statements []register.Statement, deep bool,
	timeout time.Duration) []register.Finding {
	ctx, stop := run.Limited(ctx, timeout)
	defer stop()
	progress, clear := report.ProgressOn(a.Stderr)
	defer clear()
	return register.Run(ctx, statements, register.Options{Deep: deep,
		Progress: func(done, n int) { progress(float64(done) / float64(n)) }})
}

func (a app) writeFindings(findings []register.Finding, o verifyOptions) error {
	if o.junit != "" {
		var cases []report.TestCase
		for _, f := range findings {
			cases = append(cases, testCase(f))
		}
		err := report.WriteJUnit(o.junit, "checkrr verify", cases)
		if err := report.Wrote(a.Stderr, err, o.junit); err != nil {
			return err
		}
	}
	return a.Write("", o.json, func() report.Object { return statementsJSON(findings, findingJSON) },
		func(w io.Writer) { writeVerdicts(w, findings) })
}

// testCase is a statement as a test: it fails if its verdict is not the recorded one.
func testCase(f register.Finding) report.TestCase {
	text, _, _ := strings.Cut(f.Statement.ID, "-")
	c := report.TestCase{Class: "checkrr." + text, Name: f.Statement.ID + " " + f.Statement.Title, Elapsed: f.Elapsed,
		Output: f.Outcome.Counterexample}
	switch changes := f.Changes(); {
	case len(changes) > 0:
		c.Outcome, c.Message = report.Failed, strings.Join(changes, "; ")
	case f.Verdict() == register.Inconclusive:
		c.Outcome, c.Message = report.Broken, f.Reason()
	case f.Verdict() == register.NotCheckable:
		c.Outcome, c.Message = report.Skipped, f.Statement.Note
	}
	return c
}

// writeVerdicts prints a line a statement, then what fails, and a summary.
func writeVerdicts(w io.Writer, findings []register.Finding) {
	t := report.NewTable("ID", "verdict", "kind", "cases", "controls", "seconds", "what it says").Right(4, 5, 6).Wrap(7)
	for _, f := range findings {
		s := f.Statement
		row := []any{s.ID, verdictCell(f), s.Kind, "", "", "", s.Title}
		if s.Check != nil {
			row[3], row[4], row[5] = f.Outcome.Cases, refutedCell(f), fmt.Sprintf("%.2f", f.Elapsed.Seconds())
		}
		t.Row(row...)
	}
	t.Write(w)
	for _, f := range findings {
		if f.Verdict() == register.Fails || f.Verdict() == register.Inconclusive {
			fmt.Fprintln(w)
			writeFinding(w, f)
			for _, change := range f.Changes() {
				writeItem(w, "  ", "not as recorded", change)
			}
		}
	}
	fmt.Fprintf(w, "\n%s\n", summary(findings))
}

func verdictCell(f register.Finding) string {
	if len(f.Changes()) > 0 {
		return weighed(f.Verdict(), f.Statement) + " (!)"
	}
	return weighed(f.Verdict(), f.Statement)
}

// refutedCell says how many of the controls were refuted.
func refutedCell(f register.Finding) string {
	refuted := 0
	for _, c := range f.Controls {
		if c.Verdict == register.Fails {
			refuted++
		}
	}
	return fmt.Sprintf("%d/%d", refuted, len(f.Controls))
}

// summary counts the verdicts.
func summary(findings []register.Finding) string {
	count := map[register.Verdict]int{}
	changed := 0
	for _, f := range findings {
		count[f.Verdict()]++
		if len(f.Changes()) > 0 {
			changed++
		}
	}
	text := report.Plural(len(findings), "statement") + ":"
	for _, v := range []register.Verdict{register.Holds, register.Fails, register.NotCheckable, register.Inconclusive} {
		if count[v] > 0 {
			text += fmt.Sprintf(" %s %d,", v, count[v])
		}
	}
	text = strings.TrimSuffix(text, ",")
	if changed > 0 {
		return text + fmt.Sprintf("; %d not as recorded (!).", changed)
	}
	return text + "; all that was decided is as recorded."
}

// conclusion returns the error that the findings amount to.
func conclusion(findings []register.Finding) error {
	var changes, inconclusive, unrecorded []string
	for _, f := range findings {
		if f.IsUnrecorded() && len(f.Contradictions()) == 0 && len(f.Changes()) > 0 {
			unrecorded = append(unrecorded, f.Statement.ID)
			continue
		}
		for _, change := range f.Changes() {
			changes = append(changes, f.Statement.ID+": "+change)
		}
		if f.Verdict() == register.Inconclusive {
			inconclusive = append(inconclusive, f.Statement.ID+": "+f.Reason())
		}
	}
	switch {
	case len(changes) > 0:
		return fmt.Errorf("%w: not as recorded:\n  %s", run.ErrRefuted, strings.Join(changes, "\n  "))
	case len(unrecorded) > 0:
		return fmt.Errorf("%w: not recorded yet: %s; %s", run.ErrInconclusive, strings.Join(unrecorded, ", "),
			register.ToRecord)
	case len(inconclusive) > 0:
		return fmt.Errorf("%w:\n  %s", run.ErrInconclusive, strings.Join(inconclusive, "\n  "))
	}
	return nil
}
