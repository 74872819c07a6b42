package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
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
	f.StringArrayVar(&p.stops, "stop", nil, "where the pipeline may stop, such as `"+stop+"`; once for each, in order")
}

// AddMechTo adds the flag for mechanisms only; example shows a command that uses it.
func (p *PipelineFlags) AddMechTo(f *pflag.FlagSet, example string) {
	p.example = example
	AddOutsideTo(f, &p.AllowOutside)
	f.StringArrayVar(&p.mechs, "mech", nil,
		"mechanisms, such as `eps=0.1,delta=1e-6,count=100`; once for each, in order")
}

// fileOr returns the file that was typed, for the example of a command in a message, or another one.
func fileOr(args []string, other string) string {
	if len(args) == 0 {
		return other
	}
	return report.Word(args[0])
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

// AddAtTo adds the flag for the stop at which a run ended.
func (o *SolverFlags) AddAtTo(f *pflag.FlagSet) {
	f.StringVar(&o.At, "at", "", "say what to publish if the run ended at this stop, `after=700` or its label")
}

// stopAt returns the index of the stop that a flag names: by its place, such as after=700, or by its label.
func stopAt(flag, text string, p *input.Problem) (int, error) {
	number, isPlace := strings.CutPrefix(strings.TrimSpace(text), "after=")
	if !isPlace {
		return labelled(flag, text, p)
	}
	after, err := input.ParseCount(number)
	if err != nil {
		return 0, fmt.Errorf("%s: after %w", flag, err)
	}
	i := slices.IndexFunc(p.Stops, func(s impl.Stop) bool { return s.After == after })
	if i >= 0 {
		return i, nil
	}
	near := slices.IndexFunc(p.Stops, func(s impl.Stop) bool { return s.After > after })
	if near < 0 {
		near = len(p.Stops) - 1
	}
	return 0, fmt.Errorf("%s is after=%d, must be one of the stops, such as after=%d", flag, after, p.Stops[near].After)
}

// stopOrLast returns the index of the stop that --at names or, if it is not given, of the last one.
func stopOrLast(at string, p *input.Problem) (int, error) {
	if at == "" {
		return len(p.Stops) - 1, nil
	}
	return stopAt("--at", at, p)
}

// labelsOf says which labels there are, from the first to the last.
func labelsOf(p *input.Problem) string {
	labels := slices.DeleteFunc(slices.Clone(p.Labels), func(label string) bool { return label == "" })
	if len(labels) == 0 {
		return "; here no stop has one"
	}
	return fmt.Sprintf(": %s to %s", report.Quote(labels[0]), report.Quote(labels[len(labels)-1]))
}

// labelled returns the index of the only stop with a label.
func labelled(flag, label string, p *input.Problem) (int, error) {
	found := -1
	for i := range p.Stops {
		if !strings.EqualFold(p.Label(i), label) || label == "" {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("%s is %s, which is the label of several stops, must be of the form after=700", flag,
				report.Quote(label))
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("%s is %s, must be of the form after=700, or the label of a stop%s", flag,
			report.Quote(label), labelsOf(p))
	}
	return found, nil
}
