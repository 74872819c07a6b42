package command

import (
	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/run"

	"github.com/spf13/cobra"
)

func (a app) certifyCommand() *cobra.Command {
	var o run.CertifyOptions
	cmd := &cobra.Command{
		Use: "certify FILE | -",
		Args: oneFile("no certificate: name a file, or - for standard input, for example\n" +
			"  checkrr certify proof.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.Certify(cmd.Context(), o, args[0])
		},
		ValidArgsFunction: cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt),
	}
	f := cmd.Flags()
	f.StringVar(&o.Problem, "problem", "",
		"require that it is about the pipeline and the charges of this problem `FILE`")
	f.BoolVar(&o.Composition, "composition", false,
		"with --problem: about its mechanisms, all run, as compose is; stops of the file are not used")
	o.AtMost.AddTo(f, "at-most", "", "require that OptDel is at most `D`", input.Probability)
	f.BoolVar(&o.OneOrder, "one-order", false,
		"accept claims for one order of neighbours, where nothing is claimed for the other")
	f.BoolVar(&o.Exact, "exact", false, "check against OptDel as a ratio (every eps as exp_eps, or laws; small problems)")
	run.AddOutsideTo(f, &o.AllowOutside)
	run.AddRunTo(f, &o.Timeout, &o.JSON)
	return cmd
}
