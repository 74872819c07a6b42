// Command checkrr computes privacy guarantees of pipelines that may stop early, keeps
// privacy budgets, looks for violations of privacy claims, and checks statements of the
// literature.
//
// The exit code is 0 if the answer was computed or what was asked holds, 1 if something is
// refuted, 2 for an error of usage or input, and 3 if the answer is less precise than
// asked for, undecided or missing.
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certify"
	"checkrr/verify/papers"
	"checkrr/verify/register"
)

func main() {
	endOnSignal()
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// The exit codes.
const (
	exitOK           = 0
	exitRefuted      = 1
	exitUsage        = 2
	exitInconclusive = 3
)

// What marks errors that exit with exitRefuted, and with exitInconclusive.
var (
	errRefuted      = errors.New("refuted")
	errNotProved    = errors.New("not proved")
	errInconclusive = errors.New("inconclusive")
)

// app is what the commands act on.
type app struct {
	inputs     *input.Inputs
	stdout     io.Writer
	stderr     io.Writer
	optDel     func(context.Context, impl.Pipeline, impl.Options) (*impl.Result, error)
	design     func(context.Context, impl.Pipeline, *big.Rat, impl.ScheduleOptions) (*impl.Schedule, error)
	exactly    func(context.Context, impl.Pipeline) (optDel, lemma11 *big.Rat, err error)
	enumerate  enumerator
	statements func() []register.Statement // built when it is asked for: it takes some milliseconds
}

// run executes the command line args and returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	inputs := &input.Inputs{Stdin: stdin}
	return app{inputs, stdout, stderr, impl.OptDel, impl.DesignSchedule, impl.Exact, enumerate,
		papers.Statements}.run(args)
}

func (a app) run(args []string) int {
	a.inputs.WritesTo(a.stdout, "standard output")
	a.inputs.WritesTo(a.stderr, "standard error")
	out, messages := report.NewPrinter(a.stdout), report.NewPrinter(a.stderr)
	a.stdout, a.stderr = out, messages
	defer messages.Flush()
	root := a.rootCommand(args)
	root.SetArgs(args)
	err := root.ExecuteContext(context.Background())
	if lost := out.Flush(); lost != nil { // help does not look at it
		if !errors.Is(err, lost) {
			err = errors.Join(err, lost)
		}
		err = report.Unwritten{Cause: err}
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(a.stderr, message(err))
	_, isUnwritten := errors.AsType[report.Unwritten](err)
	switch {
	case isUnwritten:
		return exitUsage
	case errors.Is(err, errRefuted), errors.Is(err, errNotProved):
		return exitRefuted
	case errors.Is(err, errInconclusive):
		return exitInconclusive
	}
	return exitUsage
}

// limited returns a context that ends at an interrupt, and after the timeout unless
// that is 0.
func limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	if timeout == 0 {
		return ctx, stop
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	return ctx, func() { cancel(); stop() }
}

// endedBy says why there is no result, if time ran out or an interrupt ended the work.
func endedBy(ctx context.Context, err error, timeout time.Duration) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w: no result within %v", errInconclusive, timeout)
	case ctx.Err() != nil:
		return fmt.Errorf("%w: interrupted before there was a result", errInconclusive)
	}
	return err
}

// message is how an error is shown: the place in a file stands first, where
// editors look for it.
func message(err error) string {
	text := errorText(err)
	if place, ok := errors.AsType[*input.FileError](err); ok && strings.HasPrefix(text, report.OneLine(place.Error())) {
		return text
	}
	return "checkrr: " + text
}

// errorText is the text of an error. Only errors that are joined begin lines of their own: others may have foreign text
// in them, and their lines are indented.
func errorText(err error) string {
	if lost, ok := err.(report.Unwritten); ok {
		err = lost.Cause
	}
	text := err.Error()
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var own, shown []string
		for _, e := range joined.Unwrap() {
			own, shown = append(own, e.Error()), append(shown, errorText(e))
		}
		if strings.Join(own, "\n") == text {
			return strings.Join(shown, "\n")
		}
	}
	for _, foreign := range foreignErrors(err) {
		text = strings.ReplaceAll(text, foreign, report.OneLine(foreign))
	}
	return unindented.ReplaceAllString(strings.TrimSpace(text), "\n  $1")
}

// unindented is the beginning of another line.
var unindented = regexp.MustCompile(`\n(\S)`)

// foreignErrors returns the texts of errors that name files, as the library has them, in an error.
func foreignErrors(err error) (texts []string) {
	switch err := err.(type) {
	case *fs.PathError, *os.LinkError, *os.SyscallError, *exec.Error:
		return []string{err.Error()}
	case interface{ Unwrap() error }:
		return foreignErrors(err.Unwrap())
	case interface{ Unwrap() []error }:
		for _, e := range err.Unwrap() {
			texts = append(texts, foreignErrors(e)...)
		}
	}
	return texts
}

// rootCommand returns the command that args are for.
func (a app) rootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "checkrr",
		Short: "A laboratory for privacy accounting with early stopping",
		Long: `checkrr is a laboratory for privacy accounting with early stopping: it computes the
guarantees of pipelines that may stop early, keeps privacy budgets, looks for violations of
privacy claims in programs, and checks what the literature states about them.

Exit codes: 0 holds or computed, 1 refuted, 2 usage or input error, 3 inconclusive: less
precise than asked for, undecided, or no result.`,
		Example: `  checkrr optdel examples/steps.yaml
  checkrr account examples/ledger.jsonl --budget eps=3,delta=1e-5
  checkrr audit examples/audit-wrong.yaml
  checkrr verify ODP-L8 ODP-T7
  checkrr explain ODP-TB1`,
		Version: buildVersion().Version,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return cmp.Or(checkTwice(cmd, args), checkEmpty(cmd.Flags()))
		},

		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(a.inputs.Stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		switch name { // the same flag everywhere, whichever of its names is used
		case "out":
			name = "output"
		case "room":
			name = "implementation"
		}
		return pflag.NormalizedName(name)
	})
	root.AddCommand(
		a.optdelCommand(), a.composeCommand(), a.scheduleCommand(), a.noiseCommand(), a.certifyCommand(),
		a.accountCommand(), a.odometerCommand(), a.challengeCommand(), a.accuracyCommand(), a.selectCommand(),
		a.auditCommand(),
		a.statementsCommand(), a.verifyCommand(), a.explainCommand(), a.reproduceCommand(),
		a.versionCommand(),
	)
	for _, c := range root.Commands() {
		describe(c)
	}
	strictTopics(root)
	return root
}

// checkTwice refuses flags that args give a command more than once, but for lists: only the last would count.
func checkTwice(cmd *cobra.Command, args []string) error {
	_, own, err := cmd.Root().Find(args)
	if err != nil || cmd.DisableFlagParsing { // as that which completes for a shell
		return err
	}
	given := map[*pflag.Flag]string{}
	return cmd.Flags().ParseAll(own, func(f *pflag.Flag, value string) error {
		if _, isList := f.Value.(pflag.SliceValue); isList {
			return nil
		}
		if first, isGiven := given[f]; isGiven {
			return fmt.Errorf("--%s is given twice, as %s and %s, must be given once", f.Name, report.Quote(first),
				report.Quote(value))
		}
		given[f] = value
		return nil
	})
}

// checkEmpty refuses flags with an empty value, as those of a variable that is not set: that is not the same as
// to leave the flag out.
func checkEmpty(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = fmt.Errorf("--%s is empty, must have a value", f.Name)
		}
	})
	return err
}

// strictTopics makes errors of what cobra answers with help and success: help for a
// command, or completion for a shell, that does not exist.
func strictTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, topic []string) error {
				_, _, err := root.Find(topic)
				return err
			}
		case "completion":
			c.Args = cobra.NoArgs
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// write writes to a file, or to standard output if none is named: an object as one line of JSON, or a table.
func (a app) write(file string, asJSON bool, object func() any, table func(w io.Writer)) error {
	var b bytes.Buffer
	if !asJSON {
		table(&b)
	} else if err := json.NewEncoder(&b).Encode(report.Doubles{Output: object()}); err != nil {
		return err
	}
	if file != "" {
		return report.WriteText(file, b.Bytes())
	}
	_, err := a.stdout.Write(b.Bytes())
	return err
}

// failed says in the author's words why there is no result.
func failed(ctx context.Context, p *input.Problem, err error, timeout time.Duration) error {
	if broken, ok := errors.AsType[*impl.InputError](err); ok {
		return p.Broken(broken)
	}
	if broken, ok := errors.AsType[*impl.DeltaError](err); ok {
		says := []string{"--delta " + broken.Rule}
		if broken.IsLeak {
			for _, file := range lossFiles(p) {
				says = append(says, file.String())
			}
		}
		return errors.New(strings.Join(says, "; "))
	}
	if errors.Is(err, certify.ErrWindow) {
		err = fmt.Errorf("too large to compute (%w)", err)
	}
	if errors.Is(err, certify.ErrWindow) || errors.Is(err, impl.ErrNoSchedule) { // nothing is wrong with the input
		return fmt.Errorf("%w: no result: %w", errInconclusive, err)
	}
	return endedBy(ctx, err, timeout)
}
