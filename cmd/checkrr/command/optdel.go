package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl"
)

// intervalWidth says what --rel-width is of an interval.
const intervalWidth = "largest width `W` of the interval, relative to its upper end; with noise or losses the " +
	"default is 1e-4, or more for many stops"

func (a app) optdelCommand() *cobra.Command {
	var o run.OptDelOptions
	cmd := pipelineCommand("optdel [FILE | -]", func(ctx context.Context, args []string) error {
		return a.OptDel(ctx, o, args)
	})
	f := cmd.Flags()
	o.PipelineFlags.AddTo(f, "optdel", "after=50,eps=2.5", "after=100,eps=4")
	addChoiceTo(cmd, &o.Method, "method", run.Methods[0], "`METHOD`: "+strings.Join(run.Methods, ", "), run.Methods)
	o.RelWidth.AddTo(f, "rel-width", impl.DefaultRelWidth, intervalWidth)
	f.BoolVar(&o.Exact, "exact", false,
		"also print the exact ratios, of single stops, too (every eps as exp_eps, or laws; small problems)")
	addChoiceTo(cmd, &o.Theorem, "lemma11-with", "",
		"also print Lemma 11 with another composition `THEOREM`: "+strings.Join(run.Theorems(), ", "), run.Theorems())
	f.BoolVar(&o.Explain, "explain", false,
		"say in words what the worst stopping rule does, and what each stop adds to δ")
	o.Gate.AddTo(f, "OptDel")
	run.AddRunTo(f, &o.Timeout, &o.JSON)
	f.BoolVar(&o.AllStops, "all-stops", false, "print every stop, however many there are")
	o.AddAtTo(f)
	o.Plot.AddTo(cmd, "draw the worst stopping rule")
	f.StringVarP(&o.Output, "output", "o", "", "write the result to `FILE` instead of standard output")
	o.Ledger.AddTo(f)
	run.AddProofTo(cmd, &o.Certificate)
	return cmd
}
