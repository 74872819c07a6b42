package run

import (
	"context"
	"fmt"
	"time"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// PipelineFlags are the flags that stand for a problem file.
type PipelineFlags struct {
	mechs, stops []string
	AllowOutside bool
	example      string
}

// AddTo adds the flags to those of a command; stop and last show what stops look like.
func (p *PipelineFlags) AddTo(f *pflag.FlagSet, command, stop, last string) {
	p.AddMechTo(f, "checkrr "+command+" --mech eps=0.1,delta=1e-6,count=100 --stop "+stop+" --stop "+last)
	f.StringArrayVar(&p.stops, "stop", nil, "point where the pipeline may stop, such as `"+stop+"` (repeatable, in "+
		"order)")
}

// AddMechTo adds the flag for mechanisms only; example shows a command that uses it.
func (p *PipelineFlags) AddMechTo(f *pflag.FlagSet, example string) {
	p.example = example
	AddOutsideTo(f, &p.AllowOutside)
	f.StringArrayVar(&p.mechs, "mech", nil, "mechanisms, such as `eps=0.1,delta=1e-6,count=100` (repeatable, in order)")
}

// problem reads the pipeline from the file, in the time that there is, or from the flags.
func (p PipelineFlags) problem(
	ctx context.Context, timeout time.Duration, args []string, in *input.Inputs, wanted input.Demand,
) (*input.Problem, error) {
	hasFlags := len(p.mechs)+len(p.stops) > 0
	switch {
	case hasFlags && len(args) > 0:
		flags := map[bool]string{true: "--mech", false: "--mech and --stop"}[wanted == input.NoStops]
		return nil, fmt.Errorf("the pipeline comes from %s or from %s, not from both", report.Quote(args[0]), flags)
	case hasFlags:
		return Reading(ctx, timeout, func() (*input.Problem, error) {
			return input.ProblemOfFlags(p.mechs, p.stops, in, wanted)
		})
	case len(args) > 0:
		return Reading(ctx, timeout, func() (*input.Problem, error) {
			return input.ReadProblem(args[0], in, wanted, p.AllowOutside)
		})
	}
	return nil, fmt.Errorf("no pipeline: name a file, or - for standard input, or use flags, for example\n  %s",
		p.example)
}

// CompleteWith lets shells complete the value of a flag by words.
func CompleteWith(cmd *cobra.Command, flag string, words []string) {
	report.Must(cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

// AddOutsideTo adds the flag of a command that reads files which name other ones.
func AddOutsideTo(f *pflag.FlagSet, allow *bool) {
	f.BoolVar(allow, "allow-outside", false, "read tables that FILE names although they are outside its folder")
}

// AddRunTo adds the flags of a command that computes and prints: when to give up, and for programs.
func AddRunTo(f *pflag.FlagSet, timeout *time.Duration, asJSON *bool) {
	f.DurationVar(timeout, "timeout", 0, "give up after this `TIME`, such as 30s (default never)")
	f.BoolVar(asJSON, "json", false, "print one JSON object")
}
