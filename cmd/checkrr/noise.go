package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// noiseOptions are the flags of the command.
type noiseOptions struct {
	solverFlags
	delta    string
	eps      string
	at       string
	shape    string
	relWidth typedWidth
}

func (a app) noiseCommand() *cobra.Command {
	var o noiseOptions
	cmd := &cobra.Command{
		Use:               "noise FILE | - --delta D (--eps E | --shape given)",
		Args:              atMostOneFile,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.noise(cmd.Context(), o, args) },
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	f.StringVar(&o.delta, "delta", "", "the `D` that OptDel must not exceed, such as 1e-6")
	f.StringVar(&o.eps, "eps", "", "the `E` that the charge at the stop must not exceed, such as 3")
	f.StringVar(&o.at, "at", "", "the stop, such as `after=700` (default the last one)")
	addChoiceTo(cmd, &o.shape, "shape", string(impl.Uniform),
		"`SHAPE` of the schedule: "+strings.Join(noiseShapes(), ", ")+", the charges of FILE", noiseShapes())
	o.relWidth = typedWidth{value: impl.DefaultNoiseWidth, text: fmt.Sprint(impl.DefaultNoiseWidth)}
	f.Var(&o.relWidth, "rel-width", "largest distance `W` to noise that is not enough, relative to the noise")
	addOutsideTo(f, &o.allowOutside)
	addRunTo(f, &o.timeout, &o.json)
	f.BoolVar(&o.allStops, "all-stops", false, "print every stop, however many there are")
	f.StringVarP(&o.output, "output", "o", "", "write the pipeline with its noise and charges to `FILE`, for optdel")
	addProofTo(cmd, &o.certificate)
	return cmd
}

// noiseShapes are the shapes of a schedule without a search for the best charges, and that of charges which are there.
func noiseShapes() []string {
	names := slices.DeleteFunc(shapeNames(), func(s string) bool { return s == string(impl.Optimal) })
	return append(names, string(impl.Given))
}

// amount is how much noise was found, with what was asked for; the plan is the schedule with this noise.
type amount struct {
	plan
	*impl.NoiseDesign
	eps       *big.Rat // nil if the charges are given
	stop      int      // its index
	requested float64
}

func (a app) noise(ctx context.Context, o noiseOptions, args []string) error {
	if err := cmp.Or(o.check(args), o.solverFlags.check(a.inputs, args)); err != nil {
		return err
	}
	n, err := o.question()
	if err != nil {
		return err
	}
	wanted := input.WeightedStops
	if o.isGiven() {
		wanted = input.ChargedStops
	}
	find := func(ctx context.Context, s solved, progress func(float64)) (answer, error) {
		n.solved = s
		if n.stop, err = o.stop(s.problem); err != nil {
			return nil, err
		}
		return n, n.find(ctx, progress)
	}
	return a.solve(ctx, o.solverFlags, args, wanted, find)
}

func (n *amount) print(_ context.Context, a app) error {
	return errors.Join(a.write("", n.o.json, func() any { return n.toJSON() }, n.writeTable), n.writeProblem())
}

// check refuses values of flags, and flags that exclude each other.
func (o noiseOptions) check(args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("no pipeline: name a file, or - for standard input, for example\n  checkrr noise " +
			"examples/dpsgd.yaml --delta 1e-6 --eps 3")
	case o.delta == "":
		return errors.New("--delta is missing, for example\n  checkrr noise examples/dpsgd.yaml --delta 1e-6 --eps 3")
	case o.isGiven() && o.eps+o.at != "":
		return fmt.Errorf("--%s is given, must not be with --shape given: the charges are those of %s",
			map[bool]string{true: "eps", false: "at"}[o.eps != ""], report.Quote(args[0]))
	case o.eps == "" && !o.isGiven():
		return errors.New("--eps is missing, for example\n  checkrr noise examples/dpsgd.yaml --delta 1e-6 --eps 3")
	}
	return o.relWidth.check("--rel-width")
}

// isGiven reports whether the charges are those of the file.
func (o noiseOptions) isGiven() bool { return o.shape == string(impl.Given) }

// question reads what is asked for.
func (o noiseOptions) question() (*amount, error) {
	n := &amount{plan: plan{shape: impl.Shape(o.shape)}, requested: o.relWidth.value}
	var err error
	if n.delta, err = readDelta("--delta", o.delta, fmt.Sprintf("at least %g", impl.LeastDelta)); err != nil {
		return nil, err
	}
	if o.isGiven() {
		return n, nil
	}
	if n.eps, err = input.ParseNumber(o.eps); err != nil {
		return nil, fmt.Errorf("--eps %w", err)
	}
	if _, rule := loss.Fault(loss.Nats(n.eps)); rule != "" {
		return nil, fmt.Errorf("--eps %s", rule)
	}
	return n, nil
}

// stop returns the index of the stop that is asked for.
func (o noiseOptions) stop(p *input.Problem) (int, error) {
	if o.at == "" {
		return len(p.Stops) - 1, nil
	}
	after, err := afterOf("--at", o.at)
	if err != nil {
		return 0, err
	}
	return stopAt("--at", after, p.Stops)
}

// find finds the noise.
func (n *amount) find(ctx context.Context, progress func(float64)) error {
	p := n.problem
	d, err := impl.DesignNoise(ctx, p.Pipeline, n.eps, n.delta, impl.NoiseOptions{
		After: p.Stops[n.stop].After, Shape: n.shape, RelWidth: n.requested, Progress: progress,
	})
	if err == nil {
		n.NoiseDesign, n.Schedule = d, &impl.Schedule{Pipeline: d.Pipeline, Result: d.Result, Shortfall: d.Shortfall}
		return nil
	}
	if errors.Is(err, impl.ErrNoNoise) {
		err = fmt.Errorf("%w: %w", errInconclusive, err)
	}
	err = failed(ctx, p, err, n.o.timeout)
	if known, ok := errors.AsType[*impl.TooLittleNoiseError](err); ok {
		err = fmt.Errorf("%w; noise of %s is not enough", err, strings.Join(scales(p, known.TooLittle), ", "))
	}
	return err
}

// scales returns the noise of the mechanisms that have some.
func scales(p *input.Problem, ms []impl.Mechanism) (texts []string) {
	for _, m := range ms {
		if m.Additive != nil {
			texts = append(texts, report.Typed(p.TypedScale(m.Additive)))
		}
	}
	return texts
}
