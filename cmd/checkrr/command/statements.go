package command

import (
	"io"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/register"
)

func (a app) statementsCommand() *cobra.Command {
	return a.recordedCommand("statements [ID]...", writeListed)
}

// recordedCommand is a command that prints what is recorded of some statements.
func (a app) recordedCommand(use string, table func(io.Writer, []register.Finding)) *cobra.Command {
	var chosen chosenEntries
	var asJSON bool
	cmd := &cobra.Command{
		Use:               use,
		ValidArgsFunction: a.completeIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			chosen.ids = ids
			statements, err := chosen.from(a)
			if err != nil {
				return err
			}
			var all []register.Finding
			for _, s := range statements {
				all = append(all, recorded(s))
			}
			return a.Write("", asJSON, func() report.Object { return statementsJSON(all, statementJSON) },
				func(w io.Writer) { table(w, all) })
		},
	}
	selectBy(cmd, &chosen)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func writeListed(w io.Writer, recorded []register.Finding) {
	t := report.NewTable("ID", "verdict", "kind", "what it says").Wrap(4)
	for _, f := range recorded {
		s := f.Statement
		t.Row(s.ID, weighed(f.Verdict(), s), s.Kind, s.Title)
	}
	t.Write(w)
}
