package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
)

// pipelineFlags are the flags that stand for a problem file.
type pipelineFlags struct {
	mechs, stops []string
	allowOutside bool
	example      string
}

// addTo adds the flags to those of a command; stop and last show what stops look like.
func (p *pipelineFlags) addTo(f *pflag.FlagSet, command, stop, last string) {
	p.addMechTo(f, "checkrr "+command+" --mech eps=0.1,delta=1e-6,count=100 --stop "+stop+" --stop "+last)
	f.StringArrayVar(&p.stops, "stop", nil, "point where the pipeline may stop, such as `"+stop+"` (repeatable, in order)")
}

// addMechTo adds the flag for mechanisms only; example shows a command that uses it.
func (p *pipelineFlags) addMechTo(f *pflag.FlagSet, example string) {
	p.example = example
	addOutsideTo(f, &p.allowOutside)
	f.StringArrayVar(&p.mechs, "mech", nil, "mechanisms, such as `eps=0.1,delta=1e-6,count=100` (repeatable, in order)")
}

// problem reads the pipeline from the file, in the time that there is, or from the flags.
func (p pipelineFlags) problem(
	ctx context.Context, timeout time.Duration, args []string, in *input.Inputs, wanted input.Demand,
) (*input.Problem, error) {
	hasFlags := len(p.mechs)+len(p.stops) > 0
	switch {
	case hasFlags && len(args) > 0:
		flags := map[bool]string{true: "--mech", false: "--mech and --stop"}[wanted == input.NoStops]
		return nil, fmt.Errorf("the pipeline comes from %s or from %s, not from both", report.Quote(args[0]), flags)
	case hasFlags:
		return reading(ctx, timeout, func() (*input.Problem, error) {
			return input.ProblemOfFlags(p.mechs, p.stops, in, wanted)
		})
	case len(args) > 0:
		return reading(ctx, timeout, func() (*input.Problem, error) {
			return input.ReadProblem(args[0], in, wanted, p.allowOutside)
		})
	}
	return nil, fmt.Errorf("no pipeline: name a file, or - for standard input, or use flags, for example\n  %s", p.example)
}

// addOutsideTo adds the flag of a command that reads files which name other ones.
func addOutsideTo(f *pflag.FlagSet, allow *bool) {
	f.BoolVar(allow, "allow-outside", false, "read tables that FILE names although they are outside its folder")
}

// addRunTo adds the flags of a command that computes and prints: when to give up, and for programs.
func addRunTo(f *pflag.FlagSet, timeout *time.Duration, asJSON *bool) {
	f.DurationVar(timeout, "timeout", 0, "give up after this `TIME`, such as 30s (default never)")
	f.BoolVar(asJSON, "json", false, "print one JSON object")
}

// addWholeTo adds a flag for a whole number, which may be typed as 1e6, as in files.
func addWholeTo(f *pflag.FlagSet, to *int, name string, value int, usage string) {
	*to = value
	f.Var(whole{to}, name, usage)
}

// whole is the value of such a flag.
type whole struct{ to *int }

func (w whole) Set(text string) error {
	n, err := input.ParseCount(text)
	if err == nil {
		*w.to = n
	}
	return err
}

func (w whole) String() string { return strconv.Itoa(*w.to) }
func (w whole) Type() string   { return "int" }

// flagRules are what the values of flags of a type must be.
var flagRules = map[string]string{
	"bool":     "true or false",
	"int":      "a whole number of at most 18 digits",
	"uint64":   "a whole number from 0 to 18446744073709551615",
	"duration": "a time such as 30s or 5m",
}

// detours are what to do where a command has no such flag.
var detours = map[string]string{
	"optdel --delta": "checkrr schedule finds what may be charged for a δ, and checkrr compose the ε of a " +
		"pipeline that does not stop early",
	"schedule --eps": "checkrr noise finds the noise with which a charge is at most an ε",
	"noise --plot": "write the pipeline with -o planned.yaml, and draw it by checkrr schedule planned.yaml " +
		"--delta D --plot FILE",
	"noise --mech":          "noise is looked for in a problem file only",
	"noise --stop":          "noise is looked for in a problem file only",
	"noise --neighbours":    keyOnly,
	"compose --neighbours":  keyOnly,
	"optdel --neighbours":   keyOnly,
	"schedule --neighbours": keyOnly,
}

const keyOnly = "write neighbours: replace into a problem file"

// flagError says what the value of a flag must be, rather than which function did not read it, and which flag
// may have been meant by one that is not there, or what to do instead.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if detour := detours[cmd.Name()+" --"+unknown.GetSpecifiedName()]; detour != "" {
			return fmt.Errorf("%s; %s", report.OneLine(err.Error()), detour)
		}
		if near := nearestFlag(cmd.Flags(), unknown.GetSpecifiedName()); near != "" {
			return fmt.Errorf("%s, did you mean --%s?", report.OneLine(err.Error()), near)
		}
	}
	wrong, ok := errors.AsType[*pflag.InvalidValueError](err)
	if !ok {
		return errors.New(report.OneLine(err.Error()))
	}
	flag := wrong.GetFlag()
	rule := flagRules[flag.Value.Type()]
	if c, isChoice := flag.Value.(choice); isChoice {
		rule = c.rule()
	}
	if rule == "" {
		return errors.New(report.OneLine(err.Error()))
	}
	meant := ""
	// seconds, as files have them
	if d, err := time.ParseDuration(wrong.GetValue() + "s"); flag.Value.Type() == "duration" && err == nil && d > 0 {
		meant = fmt.Sprintf("; did you mean %ss?", wrong.GetValue())
	}
	return fmt.Errorf("--%s is %s, must be %s%s", flag.Name, report.Quote(wrong.GetValue()), rule, meant)
}

// nearestFlag returns the flag that may have been meant.
func nearestFlag(flags *pflag.FlagSet, typed string) string {
	var names []string
	flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return report.Nearest(typed, names)
}

// didYouMean completes an error by the name that may have been meant.
func didYouMean(err error, typed string, names []string) error {
	if near := report.Nearest(typed, names); near != "" {
		return fmt.Errorf("%w; did you mean %s?", err, near)
	}
	return err
}
