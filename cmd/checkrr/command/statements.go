package command

import (
	"io"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/verify/register"
)

func (a app) statementsCommand() *cobra.Command {
	var chosen chosenEntries
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "statements [ID]...",
		ValidArgsFunction: a.completeIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			return a.writeRecorded(chosen, ids, asJSON, writeListed)
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
