// Package command is the program checkrr, for a main of its own: checkrr's, or one with further texts.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/cmd/checkrr/internal/state"
	"checkrr/verify/audit/program"
	"checkrr/verify/papers"
	"checkrr/verify/register"
)

// Main runs the command line and ends the process. The statements of further texts are beside those of ours in every
// command that is about statements; their names and prefixes must be others. Package register says how a text is made.
func Main(further ...register.Paper) {
	if len(further) > 0 {
		programName = strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	}
	endOnSignal()
	os.Exit(execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, further...))
}

// programName is what the commands that are printed to be run again begin with.
var programName = "checkrr"

// The exit codes.
const (
	exitOK           = 0
	exitRefuted      = 1
	exitUsage        = 2
	exitInconclusive = 3
)

// app is what the commands act on.
type app struct {
	run.App
	papers     []register.Paper
	statements func() []register.Statement // of all papers, built when it is asked for: it takes some milliseconds
}

// execute executes the command line args and returns the exit code.
func execute(args []string, stdin io.Reader, stdout, stderr io.Writer, further ...register.Paper) int {
	inputs := &input.Inputs{Stdin: stdin}
	all, err := withFurther(papers.All, further)
	if err != nil {
		fmt.Fprintln(stderr, message(err))
		return exitUsage
	}
	statements := func() (s []register.Statement) {
		for _, p := range all {
			s = append(s, p.Statements()...)
		}
		return s
	}
	a := app{run.App{Inputs: inputs, Stdout: stdout, Stderr: stderr}, all, sync.OnceValue(statements)}
	return a.run(context.Background(), args)
}

// withFurther returns texts and further ones, which must be in order and have names and prefixes of their own.
func withFurther(all, further []register.Paper) ([]register.Paper, error) {
	all = slices.Clone(all)
	for _, p := range further {
		if err := p.Validate(); err != nil {
			return nil, fmt.Errorf("a text of your own: %w", err)
		}
		for _, other := range all {
			for _, taken := range []string{other.Name, other.Prefix} {
				if strings.EqualFold(p.Name, taken) || strings.EqualFold(p.Prefix, taken) {
					return nil, fmt.Errorf("a text of your own has the name %s and the prefix %s, "+
						"must have others: %s is taken", p.Name, p.Prefix, taken)
				}
			}
		}
		all = append(all, p)
	}
	return all, nil
}

func (a app) run(ctx context.Context, args []string) int {
	a.Inputs.WritesTo(a.Stdout, input.Stdout)
	a.Inputs.WritesTo(a.Stderr, input.Stderr)
	out, messages := report.NewPrinter(a.Stdout), report.NewPrinter(a.Inputs.Quiet(a.Stderr))
	a.Stdout, a.Stderr = out, messages
	defer messages.Flush()
	root := a.rootCommand(args)
	a.Inputs.Hush(filesOf(root, args))
	root.SetArgs(args)
	err := checkCompleted(args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if lost := out.Flush(); lost != nil { // help does not look at it
		if !errors.Is(err, lost) {
			err = errors.Join(err, lost)
		}
		err = report.Unwritten{Cause: err}
	}
	if err == nil {
		return exitOK
	}
	fmt.Fprintln(a.Stderr, report.Inert(message(err)))
	_, isUnwritten := errors.AsType[report.Unwritten](err)
	switch {
	case isUnwritten:
		return exitUsage
	case errors.Is(err, run.ErrRefuted), errors.Is(err, run.ErrNotProved), errors.Is(err, run.ErrMoved):
		return exitRefuted
	case errors.Is(err, run.ErrInconclusive):
		return exitInconclusive
	}
	return exitUsage
}

// checkCompleted refuses to complete what acts on a terminal: the library prints it past [report.Printer].
func checkCompleted(args []string) error {
	acts := func(arg string) bool { return report.OneLine(arg) != arg }
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) && slices.ContainsFunc(args, acts) {
		return errors.New("there are characters that act on terminals")
	}
	return nil
}

// message is how an error is shown: the place in a file stands first, where
// editors look for it.
func message(err error) string {
	text := errorText(err)
	if place, ok := errors.AsType[*input.FileError](err); ok && strings.HasPrefix(text, report.OneLine(place.Error())) {
		return text
	}
	return programName + ": " + text
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
		Short: "Privacy accounting with early stopping",
		Long: `checkrr computes what a differentially private program may publish when it stops early: an
(ε, δ) guarantee for every stopping point. It keeps privacy budgets, looks for violations
of privacy claims in programs, and checks what papers state about them.

Exit codes: 0 holds or computed, 1 refuted, 2 usage or input error, 3 inconclusive: less
precise than asked for, not decided, or no result.`,
		Example: `  checkrr schedule examples/dpsgd.yaml --delta 1e-6
  checkrr account examples/ledger.jsonl --budget eps=3,delta=1e-5
  checkrr audit examples/audit-wrong.yaml
  checkrr verify ODP-L8 ODP-T7
  checkrr explain ODP-TB1`,
		Version: buildVersion().version,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return cmp.Or(checkTwice(cmd, args), checkEmpty(cmd.Flags()))
		},

		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(a.Inputs.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "out" { // the same flag everywhere, whichever of its names is used
			name = "output"
		}
		return pflag.NormalizedName(name)
	})
	a.addGroup(root, "Compute:",
		a.optdelCommand(), a.scheduleCommand(), a.noiseCommand(), a.composeCommand(), a.certifyCommand())
	a.addGroup(root, "Keep and spend a budget:",
		a.accountCommand(), a.odometerCommand(), a.challengeCommand(), a.selectCommand())
	a.addGroup(root, "Check claims:",
		a.checkCommand(), a.refuteCommand(), a.auditCommand(), a.accuracyCommand(), a.statementsCommand(),
		a.explainCommand(), a.verifyCommand(), a.reproduceCommand())
	a.addGroup(root, "Others:", a.glossaryCommand(), a.versionCommand())
	root.SetHelpCommandGroupID("Others:")
	root.SetCompletionCommandGroupID("Others:")
	a.strictTopics(root)
	return root
}

// filesOf returns the files that the arguments of a command name as those that it reads or keeps, whether or not they
// are right: what is wrong with them is not told to one of these.
func filesOf(root *cobra.Command, args []string) (files []string) {
	cmd, rest, err := root.Find(args)
	if err != nil || !strings.Contains(cmd.Use, "FILE") && !strings.Contains(cmd.Use, "LEDGER") {
		return nil
	}
	for i := 0; i < len(rest); i++ {
		arg := rest[i]
		switch {
		case arg == "--":
			return append(files, rest[i+1:]...)
		case arg == "-" || !strings.HasPrefix(arg, "-"):
			files = append(files, arg)
			continue
		}
		name, value, hasValue := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		flag := cmd.Flags().Lookup(name)
		if flag == nil && len(name) == 1 {
			flag = cmd.Flags().ShorthandLookup(name)
		}
		if flag != nil && flag.NoOptDefVal == "" && !hasValue && i+1 < len(rest) {
			i++
			value = rest[i]
		}
		if flag != nil && (name == "state" || name == "problem") {
			files = append(files, value)
		}
	}
	return files
}

// addGroup adds commands that help shows together, with what their files say of them.
func (a app) addGroup(root *cobra.Command, title string, commands ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title})
	for _, c := range commands {
		a.describe(c)
		c.GroupID = title
		root.AddCommand(c)
	}
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
		isText := f.Value.Type() == "string" || f.Value.Type() == "number"
		if isText && f.Value.String() == "" && err == nil {
			err = fmt.Errorf("--%s is empty, must have a value", f.Name)
		}
	})
	return err
}

// strictTopics makes errors of what cobra answers with help and success: help for a
// command, or completion for a shell, that does not exist.
func (a app) strictTopics(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			a.detailedHelp(root, c)
		case "completion":
			c.Args = cobra.NoArgs
			c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
		}
	}
}

// endOnSignal ends the process at SIGTERM and SIGHUP, and before that the programs that it runs. One that is ignored,
// as nohup has it, stays so. An interrupt is for whoever works to see, and at SIGKILL the programs end without us.
func endOnSignal() {
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		s := <-signals
		program.KillAll()
		state.Settle()
		number, _ := s.(syscall.Signal)
		os.Exit(128 + int(number)) // as a shell has it
	}()
}
