package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl"
)

func (a app) noiseCommand() *cobra.Command {
	var o run.NoiseOptions
	cmd := pipelineCommand("noise FILE | - --delta D (--eps E | --shape given)",
		func(ctx context.Context, args []string) error { return a.Noise(ctx, o, args) })
	f := cmd.Flags()
	o.Delta.AddTo(f, "delta", "", "the δ of the whole pipeline, `D`, such as 1e-6",
		run.Delta(fmt.Sprintf("at least %g", impl.LeastDelta)))
	o.Eps.AddTo(f, "eps", "", "the `E` that the charge at the stop must not exceed, such as 3", nil)
	f.StringVar(&o.At, "at", "",
		"the stop, such as `after=700`, or its label, such as \"epoch 7\" (default the last one)")
	addChoiceTo(cmd, &o.Shape, "shape", string(impl.Uniform),
		"`SHAPE` of the schedule: "+strings.Join(run.NoiseShapes(), ", ")+", the charges of FILE", run.NoiseShapes())
	o.RelWidth.AddTo(f, "rel-width", impl.DefaultNoiseWidth,
		"largest distance `W` to noise that is not enough, relative to the noise")
	run.AddOutsideTo(f, &o.AllowOutside)
	run.AddRunTo(f, &o.Timeout, &o.JSON)
	f.BoolVar(&o.AllStops, "all-stops", false, "print every stop, however many there are")
	f.StringVarP(&o.Output, "output", "o", "", "write the pipeline with its noise and charges to `FILE`, for optdel")
	run.AddProofTo(cmd, &o.Certificate)
	return cmd
}
