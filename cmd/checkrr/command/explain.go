package command

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/register"
)

func (a app) explainCommand() *cobra.Command {
	cmd := a.recordedCommand("explain ID...", writeExplained)
	cmd.PreRunE = func(cmd *cobra.Command, ids []string) error {
		if len(ids) == 0 && !cmd.Flags().Changed("verdict") {
			return errors.New("no statement: name one, for example\n  checkrr explain ODP-TB1")
		}
		return nil
	}
	return cmd
}

func writeExplained(w io.Writer, recorded []register.Finding) {
	for i, f := range recorded {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeFinding(w, f)
		writeEvidence(w, f)
	}
}

// width is where lines of text are broken.
const width = 100

// writeFinding prints a statement, its verdict, and what refutes it.
func writeFinding(w io.Writer, f register.Finding) {
	writeItem(w, "", f.Statement.ID, f.Statement.Title)
	switch f.Verdict() {
	case register.NotCheckable:
		writeItem(w, "  ", "not checked", f.Statement.Note)
		return
	case register.Inconclusive:
		writeItem(w, "  ", "inconclusive", f.Reason())
	default:
		verdict, weight, isWeighed := strings.Cut(weighed(f.Verdict(), f.Statement), ": ")
		if isWeighed {
			weight += "; "
		}
		fmt.Fprintf(w, "  %s (%s%s, %s)\n", verdict, weight, f.Statement.Kind, report.Plural(f.Outcome.Cases, "case"))
		writeOptional(w, "checked on", f.Outcome.Domain)
	}
	writeOptional(w, "counterexample", f.Outcome.Counterexample)
	closest := f.Outcome.Closest
	if at, isEqual := strings.CutPrefix(closest, "1 of the bound at "); isEqual {
		closest = "equal to the bound, to four digits, at " + at
	}
	writeOptional(w, "closest", closest)
	if f.Corrected != nil {
		writeItem(w, "  ", "corrected", fmt.Sprintf("%s – %s", f.Corrected.Says, f.Corrected.Verdict))
		writeOptional(w, "corrected form checked on", f.Corrected.Domain)
		writeOptional(w, "counterexample", f.Corrected.Counterexample)
	}
}

// writeEvidence prints what stands behind a verdict.
func writeEvidence(w io.Writer, f register.Finding) {
	if f.Outcome.Verdict != register.Inconclusive && f.Outcome.Verdict != f.Statement.Verdict {
		writeItem(w, "  ", "but statements.yaml says", fmt.Sprintf("%s: correct it, or the check", f.Statement.Verdict))
	}
	writeOptional(w, "printed", f.Statement.Printed)
	writeOptional(w, "read as", f.Statement.Reading)
	for i, r := range f.Readings {
		label := "read otherwise"
		if weight := f.Statement.Readings[i].Severity; weight != "" {
			label = "printed, " + weight.WithArticle()
		}
		writeItem(w, "  ", label, fmt.Sprintf("%s – %s", r.Says, r.Verdict))
		writeOptional(w, "refuted by", r.Counterexample)
	}
	if f.Statement.Check != nil {
		writeOptional(w, "note", f.Statement.Note)
	}
	writeOptional(w, "implemented in", strings.Join(f.Statement.In, ", "))
	writeOptional(w, "checked in", f.Statement.File)
	for _, c := range f.Controls {
		writeItem(w, "  ", "control", fmt.Sprintf("%s – %s", c.Says, refutedAs(c.Verdict)))
		writeOptional(w, "refuted by", c.Counterexample)
	}
}

// refutedAs says what came of a control, which must fail.
func refutedAs(v register.Verdict) string {
	if v == register.Fails {
		return "refuted, as it must be"
	}
	return "not refuted"
}

func writeOptional(w io.Writer, label, value string) {
	if value != "" {
		writeItem(w, "  ", label, value)
	}
}

// writeItem prints a labelled text, broken into lines that hang below its label.
func writeItem(w io.Writer, indent, label, value string) {
	for i, line := range strings.Split(text.WrapSoft(label+": "+value, width), "\n") {
		if i == 1 {
			indent += "    "
		}
		fmt.Fprintln(w, indent+strings.TrimSpace(line))
	}
}
