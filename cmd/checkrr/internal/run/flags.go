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
	after, err := input.ParseCount(number)
	switch {
	case isPlace && err != nil && !slices.ContainsFunc(p.Labels, func(l string) bool { return l != "" }):
		return 0, fmt.Errorf("%s: after %w", flag, err)
	case !isPlace || err != nil:
		return labelled(flag, strings.TrimSpace(number), p)
	}
	i := slices.IndexFunc(p.Stops, func(s impl.Stop) bool { return s.After == after })
	if i >= 0 {
		return i, nil
	}
	near := around(after, len(p.Stops), func(i int) (int, bool) { return p.Stops[i].After, true },
		func(i int) string { return fmt.Sprintf("after=%d", p.Stops[i].After) })
	return 0, fmt.Errorf("%s is after=%d, must be one of the stops, such as %s", flag, after, near)
}

// around names those of n that have the numbers next to one that none has.
func around(number, n int, numberOf func(i int) (int, bool), name func(i int) string) string {
	var below, above string
	for i := range n {
		switch x, isNumbered := numberOf(i); {
		case !isNumbered:
		case x < number:
			below = name(i)
		case above == "":
			above = name(i)
		}
	}
	if below != "" && above != "" {
		below += " or "
	}
	return below + above
}

// stopOrLast returns the index of the stop that --at names or, if it is not given, of the last one.
func stopOrLast(at string, p *input.Problem) (int, error) {
	if at == "" {
		return len(p.Stops) - 1, nil
	}
	return stopAt("--at", at, p)
}

// labelsOf says which labels there are: those next to one that is missing, or from the first to the last.
func labelsOf(p *input.Problem, missing string) string {
	labels := slices.DeleteFunc(slices.Clone(p.Labels), func(label string) bool { return label == "" })
	if len(labels) == 0 {
		return "; here no stop has one"
	}
	words, number := numbered(missing)
	near := around(number, len(labels), func(i int) (int, bool) {
		others, n := numbered(labels[i])
		return n, min(n, number) >= 0 && strings.EqualFold(words, others)
	}, func(i int) string { return report.Quote(labels[i]) })
	if near != "" {
		return ", such as " + near
	}
	return fmt.Sprintf(": %s to %s", report.Quote(labels[0]), report.Quote(labels[len(labels)-1]))
}

// numbered splits a label such as epoch 7; the number is below 0 if there is none.
func numbered(label string) (words string, number int) {
	i := strings.LastIndex(label, " ")
	number, err := input.ParseCount(label[i+1:])
	if i < 0 || err != nil {
		return label, -1
	}
	return label[:i], number
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
			report.Quote(label), labelsOf(p, label))
	}
	return found, nil
}
