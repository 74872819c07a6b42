package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/loss"
)

// NoiseOptions are the flags of the command.
type NoiseOptions struct {
	SolverFlags
	Delta, Eps Number
	Shape      string
	RelWidth   Width
}

// NoiseShapes are the shapes of a schedule without a search for the best charges, and that of charges which are there.
func NoiseShapes() []string {
	names := slices.DeleteFunc(ShapeNames(), func(s string) bool { return s == string(impl.Optimal) })
	return append(names, string(impl.Given))
}

// amount is how much noise was found, with what was asked for; the plan is the schedule with this noise.
type amount struct {
	plan
	*impl.NoiseDesign
	asked     NoiseOptions
	eps       *big.Rat // nil if the charges are given
	requested float64
	plain     *big.Rat // what the whole run costs with this noise, wherever it stops; nil if that is not known
}

// Noise finds the least noise with which a δ and an ε are kept.
func (a App) Noise(ctx context.Context, o NoiseOptions, args []string) error {
	if err := cmp.Or(o.check(args), o.SolverFlags.check(a.Inputs, args)); err != nil {
		return err
	}
	n := &amount{asked: o, eps: o.Eps.Value, requested: o.RelWidth.value,
		plan: plan{solved: &solved{app: a, o: o.SolverFlags}, shape: impl.Shape(o.Shape), delta: o.Delta.Value}}
	wanted := input.WeightedStops
	if o.isGiven() {
		wanted = input.ChargedStops
	}
	return n.solve(ctx, args, wanted, n)
}

func (n *amount) print(context.Context) error {
	return errors.Join(n.app.Write("", n.o.JSON, n.toJSON, n.writeTable), n.writeProblem())
}

// check refuses values of flags, and flags that exclude each other.
func (o NoiseOptions) check(args []string) error {
	example := ", for example\n  checkrr noise " + fileOr(args, "examples/dpsgd.yaml") + " --delta 1e-6 --eps 3"
	switch {
	case len(args) == 0:
		return errors.New("no pipeline: name a file, or - for standard input" + example)
	case o.Delta.Value == nil:
		return errors.New("--delta is missing" + example)
	case o.isGiven() && o.Eps.Text+o.At != "":
		return fmt.Errorf("--%s is given, must not be with --shape given: the charges are those of %s",
			map[bool]string{true: "eps", false: "at"}[o.Eps.Text != ""], report.Quote(args[0]))
	case o.Eps.Value == nil && !o.isGiven():
		return errors.New("--eps is missing" + example)
	}
	if _, rule := loss.Fault(loss.Nats(cmp.Or(o.Eps.Value, new(big.Rat)))); rule != "" {
		return fmt.Errorf("--eps %s", rule)
	}
	return nil
}

// isGiven reports whether the charges are those of the file.
func (o NoiseOptions) isGiven() bool { return o.Shape == string(impl.Given) }

// find finds the noise.
func (n *amount) find(ctx context.Context) (err error) {
	p := n.problem
	d, err := impl.DesignNoise(ctx, p.Pipeline, n.eps, n.delta, impl.NoiseOptions{
		After: p.Stops[n.at].After, Shape: n.shape, RelWidth: n.requested, Progress: n.progress,
	})
	if err == nil {
		n.NoiseDesign = d
		n.Schedule = &impl.Schedule{Pipeline: d.Pipeline, Result: d.Result, Shape: n.shape, Shortfall: d.Shortfall}
		n.plain = n.plainDP(ctx)
		return nil
	}
	if errors.Is(err, impl.ErrNoNoise) {
		err = fmt.Errorf("%w: %w", ErrInconclusive, err)
	}
	err = failed(ctx, p, err, n.o.Timeout)
	if known, ok := errors.AsType[*impl.TooLittleNoiseError](err); ok {
		err = fmt.Errorf("%w; noise of %s is not enough", err, strings.Join(scales(p, known.TooLittle), ", "))
	}
	return err
}

// plainDP returns what the whole run costs with the noise that was found: for a run with one end that is its charge.
func (n *amount) plainDP(ctx context.Context) *big.Rat {
	if len(n.Pipeline.Stops) == 1 {
		return nil
	}
	r, err := impl.OptComp(ctx, n.Pipeline.Mechanisms, n.delta, impl.Options{})
	if err != nil {
		return nil
	}
	_, upper := r.Eps.Rats()
	return upper
}

// scales returns the noise of the mechanisms that have some.
func scales(p *input.Problem, ms []impl.Mechanism) (texts []string) {
	for _, m := range ms {
		if m.HasNoise() {
			texts = append(texts, report.Typed(p.TypedScale(m.Additive)))
		}
	}
	return texts
}
