package main

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"
)

func (a app) statementsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "statements [ID | TEXT]...",
		Short: "List the statements of print that checkrr checks, and their verdicts",
		Long: `List the numbered statements of the texts that checkrr transcribes: what each says, the
kind of evidence that its check gives, and the recorded verdict. Without arguments, all.

Verdicts: holds (on the domain of the check), fails (there is a counterexample),
not-checkable (a definition, or nothing that a program can decide).
Kinds: exact (rational arithmetic, exhaustively), certified (intervals that contain the
real numbers), property (random search), statistical (sampling); definition and none
come without a check.`,
		Example:           "  checkrr statements\n  checkrr statements ODP-T15 ODP-L11\n  checkrr statements --json",
		ValidArgsFunction: a.completeIDs,
		RunE: func(_ *cobra.Command, ids []string) error {
			statements, err := find(a.statements, ids)
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
			t := newTable("ID", "verdict", "kind", "what it says")
			for _, s := range statements {
				t.AppendRow(table.Row{s.ID, s.Verdict, s.Kind, s.Title})
			}
			return writeRendered(a.stdout, t)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// completeIDs completes the IDs of statements.
func (a app) completeIDs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var ids []string
	for _, s := range a.statements {
		ids = append(ids, fmt.Sprintf("%s\t%s", s.ID, s.Title))
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}
