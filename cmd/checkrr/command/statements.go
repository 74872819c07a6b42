package command

import (
	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
)

func (a app) statementsCommand() *cobra.Command {
	var asJSON bool
	var chosen chosenEntries
	cmd := &cobra.Command{
		Use:               "statements [ID]...",
		ValidArgsFunction: a.completeIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			chosen.ids = ids
			statements, err := chosen.from(a)
			if err != nil {
				return err
			}
			if asJSON {
				var out []report.Object
				for _, s := range statements {
					out = append(out, statementJSON(recorded(s), s.Verdict))
				}
				return report.WriteJSON(a.Stdout, registerJSON(out), false)
			}
			t := report.NewTable("ID", "verdict", "kind", "what it says").Wrap(4)
			for _, s := range statements {
				t.Row(s.ID, weighed(s.Verdict, s), s.Kind, s.Title)
			}
			t.Write(a.Stdout)
			return nil
		},
	}
	selectBy(cmd, &chosen)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}
