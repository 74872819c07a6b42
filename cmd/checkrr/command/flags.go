package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
)

// value is the value of a flag: what reads it, what a default looks like, and its type, for the rule of a message.
type value[T any] struct {
	to   *T
	read func(text string) (T, error)
	kind string
}

func (v value[T]) Set(text string) error {
	x, err := v.read(text)
	if err == nil {
		*v.to = x
	}
	return err
}

func (v value[T]) String() string { return fmt.Sprint(*v.to) }
func (v value[T]) Type() string   { return v.kind }

// addTo adds the flag.
func (v value[T]) addTo(f *pflag.FlagSet, name string, value T, usage string) {
	*v.to = value
	f.Var(v, name, usage)
}

// whole is the value of a flag for a whole number, which may be typed as 1e6, as in files.
func whole(to *int) value[int] { return value[int]{to, input.ParseCount, "number"} }

// real is that of a flag for a number that is computed with in float64: it takes what other numbers do.
func real(to *float64) value[float64] {
	return value[float64]{to, func(text string) (x float64, err error) {
		r, err := input.ParseNumber(text)
		if err == nil {
			x, _ = r.Float64()
		}
		return x, err
	}, "number"}
}

// seed is that of a flag for a seed: decimal digits, as a seed is printed.
func seed(to *uint64) value[uint64] {
	read := func(text string) (uint64, error) { return strconv.ParseUint(text, 10, 64) }
	return value[uint64]{to, read, "seed"}
}

// flagRules are what the values of flags of a type must be.
var flagRules = map[string]string{
	"bool":     "true or false",
	"number":   "a whole number of at most 18 digits",
	"seed":     "a whole number from 0 to 18446744073709551615, in digits",
	"duration": "a time such as 30s or 5m",
}

// detours are what to do where a command has no such flag.
var detours = map[string]string{
	"optdel --delta": "checkrr schedule finds what may be charged for a δ, and checkrr compose the ε of a " +
		"pipeline that does not stop early",
	"schedule --eps":     noiseHasEps,
	"schedule --epsilon": noiseHasEps,
	"account --eps":      "the budget is one flag, such as --budget eps=3,delta=1e-5",
	"account --epsilon":  "the budget is one flag, such as --budget eps=3,delta=1e-5",
	"noise --plot": "write the pipeline with -o FILE; then checkrr optdel FILE --plot draws the worst rule, and " +
		"checkrr schedule FILE --plot the charges, found anew",
	"noise --mech":          "noise is looked for in a problem file only",
	"noise --stop":          "noise is looked for in a problem file only",
	"noise --neighbours":    keyOnly,
	"compose --neighbours":  keyOnly,
	"optdel --neighbours":   keyOnly,
	"schedule --neighbours": keyOnly,
}

const noiseHasEps = "checkrr noise finds the noise with which a charge is at most an ε"

const keyOnly = "write neighbours: replace, or neighbours: {group: 2}, into a problem file"

// flagError says what the value of a flag must be, rather than which function did not read it, and which flag
// may have been meant by one that is not there, or what to do instead.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		if cmd.Name() == "refute" && hasRelation(err.Error()) {
			return fmt.Errorf("%s: what begins with a minus %s", report.OneLine(err.Error()), behindDashes)
		}
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
	switch flag.Value.(type) {
	case *run.Number, value[float64]:
		return fmt.Errorf("--%s %w", flag.Name, wrong.Unwrap())
	}
	rule := flagRules[flag.Value.Type()]
	if v, hasRule := flag.Value.(interface{ Rule(text string) string }); hasRule {
		rule = v.Rule(wrong.GetValue())
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

// choice is the value of a flag that is one of some words, or empty if none is typed.
type choice struct {
	to    *string
	words []string
}

// addChoiceTo adds a flag for one of some words.
func addChoiceTo(cmd *cobra.Command, to *string, name, word, usage string, words []string) {
	*to = word
	cmd.Flags().Var(choice{to, words}, name, usage)
	run.CompleteWith(cmd, name, words)
}

// Set refuses what is none of the words. That it is empty is refused for all flags, elsewhere.
func (c choice) Set(text string) error {
	if rule := c.Rule(text); text != "" && rule != "" {
		return errors.New("must be " + rule)
	}
	*c.to = text
	return nil
}

// Rule returns the rule that a text breaks, if it breaks one.
func (c choice) Rule(text string) string {
	if slices.Contains(c.words, text) {
		return ""
	}
	return "one of " + strings.Join(c.words, ", ")
}

func (c choice) String() string { return *c.to }
func (c choice) Type() string   { return "string" }

// problemFiles and ledgerFiles complete names of such files.
var (
	problemFiles = cobra.FixedCompletions([]string{"yaml", "yml", "json"}, cobra.ShellCompDirectiveFilterFileExt)
	ledgerFiles  = cobra.FixedCompletions([]string{"jsonl", "ndjson", "json"}, cobra.ShellCompDirectiveFilterFileExt)
)

// pipelineCommand returns a command about the pipeline of a problem file.
func pipelineCommand(use string, ask func(ctx context.Context, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Args: atMostOneFile, ValidArgsFunction: problemFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return ask(cmd.Context(), args) }}
}

// oneFile says what is missing where no file is named.
func oneFile(missing string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.New(missing)
		}
		return atMostOneFile(cmd, args)
	}
}

func atMostOneFile(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%d files are named, must be only one: %s", len(args), report.Name(strings.Join(args, " ")))
	}
	return nil
}
