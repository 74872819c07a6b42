package command

import (
	"context"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl"
)

func (a app) composeCommand() *cobra.Command {
	var o run.ComposeOptions
	cmd := pipelineCommand("compose [FILE | -] (--delta D | --eps E | --exp-eps X)",
		func(ctx context.Context, args []string) error { return a.Compose(ctx, o, args) })
	f := cmd.Flags()
	o.Delta.AddTo(f, "delta", "", "find the smallest ε for this `D`, such as 1e-6", run.Delta(run.From0))
	o.Eps.AddTo(f, "eps", "", "find the smallest δ for this `E`, such as 2", nil)
	o.ExpEps.AddTo(f, "exp-eps", "", "find the smallest δ for ε = ln `X`, such as 3/2", nil)
	o.PipelineFlags.AddMechTo(f, "checkrr compose --mech eps=0.1,delta=1e-6,count=100 --delta 1e-4")
	o.RelWidth.AddTo(f, "rel-width", impl.DefaultRelWidth, intervalWidth)
	o.Gate.AddTo(f, "the smallest ε (or δ)")
	run.AddRunTo(f, &o.Timeout, &o.JSON)
	f.BoolVar(&o.Compare, "compare", false, "also print the ε of other composition theorems, and of a schedule")
	o.Plot.AddTo(cmd, "draw δ over ε")
	run.AddProofTo(cmd, &o.Certificate)
	return cmd
}
