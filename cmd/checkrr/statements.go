package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
)

func (a app) statementsCommand() *cobra.Command {
	var asJSON bool
	var chosen selection
	cmd := &cobra.Command{
		Use:   "statements [ID]...",
		Short: "List the printed statements that checkrr checks, with their verdicts",
		Long: `List the numbered statements of the papers that checkrr transcribes: what each says, the
kind of evidence that its check gives, and the recorded verdict; nothing is run. An ID may
have * for anything (ODP-L*); odp, adaptive, basics and selection name all statements of a text (ODP-…, FAC-…, AFD-…, PSC-…), ours
those of our own theorems (OUR-…), and nothing names all of them.

Verdicts: holds (on the domain of the check), fails (there is a counterexample),
not-checkable (a definition, or nothing that a program can decide). What fails has a weight:
false, proof-step (what is proved may hold), edge (a degenerate case), slip (one sign, index
or word; signs may have been lost on the way from print to the text at hand). A statement can
hold though a printed step or word of it fails: --verdict fails lists these, too.
Kinds: exact (rational arithmetic, exhaustively), certified (intervals that contain the
real numbers), property (random search), statistical (sampling); definition and none
come without a check.

Exit codes: 0 listed, 2 usage error.`,
		Example:           "  checkrr statements\n  checkrr statements --verdict fails\n  checkrr statements ODP-T15 'ODP-L*'\n  checkrr statements --json",
		ValidArgsFunction: a.completeIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			chosen.ids = ids
			statements, err := chosen.from(a.statements())
			if err != nil {
				return err
			}
			if asJSON {
				var out []statementJSON
				for _, s := range statements {
					out = append(out, recordedJSON(s))
				}
				return writeRegister(a.stdout, out)
			}
			t := report.NewTable("ID", "verdict", "kind", "what it says")
			t.SetColumnConfigs([]table.ColumnConfig{titleColumn(4)})
			for _, s := range statements {
				t.AppendRow(table.Row{s.ID, weighed(s.Verdict, s), s.Kind, s.Title})
			}
			return report.WriteRendered(a.stdout, t)
		},
	}
	selectBy(cmd, &chosen)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// titleColumn breaks titles into lines that fit on a screen.
func titleColumn(number int) table.ColumnConfig {
	return table.ColumnConfig{Number: number, WidthMax: 64, WidthMaxEnforcer: text.WrapSoft}
}

// completeIDs completes the IDs of statements.
func (a app) completeIDs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, s := range a.statements() {
		ids = append(ids, fmt.Sprintf("%s\t%s", s.ID, s.Title))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
