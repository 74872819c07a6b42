package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl"
)

func (a app) scheduleCommand() *cobra.Command {
	var o run.ScheduleOptions
	cmd := pipelineCommand("schedule [FILE | -] --delta D", func(ctx context.Context, args []string) error {
		return a.Schedule(ctx, o, args)
	})
	f := cmd.Flags()
	o.Delta.AddTo(f, "delta", "", "the δ of the whole pipeline, `D`, such as 1e-6", run.Delta(run.From0))
	addChoiceTo(cmd, &o.Shape, "shape", string(impl.Uniform),
		"`SHAPE`: "+strings.Join(run.ShapeNames(), ", "), run.ShapeNames())
	o.PipelineFlags.AddTo(f, "schedule", "after=50,weight=2", "after=100")
	o.Slack.AddTo(f, "slack", impl.DefaultSlack,
		"largest part `S` of δ that may stay unused; with noise or losses the default is 1e-3, or more for many stops")
	o.MeanAtMost.AddTo(f, "mean-at-most", "", "exit with 1 if the mean of the charges is more than `X`", input.From0)
	o.AddAtTo(f)
	o.EpsAtMost.AddTo(f, "eps-at-most", "",
		"exit with 1 if the charge at the stop of --at, or at the last one, is more than `X`", input.From0)
	report.Must(f.MarkHidden("mean-at-most")) // from short help
	o.Gate.AddTo(f, "OptDel of the schedule")
	run.AddRunTo(f, &o.Timeout, &o.JSON)
	f.BoolVar(&o.AllStops, "all-stops", false, "print every stop, however many there are")
	o.Plot.AddTo(cmd, "draw the charges")
	f.StringVarP(&o.Output, "output", "o", "", "write the pipeline with its charges to `FILE`, for optdel")
	o.Ledger.AddTo(f)
	run.AddProofTo(cmd, &o.Certificate)
	return cmd
}
