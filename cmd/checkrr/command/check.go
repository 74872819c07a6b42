package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/impl/interval"
)

// checkOptions are the flags of the command.
type checkOptions struct {
	only         string
	allowOutside bool
	json         bool
}

func (a app) checkCommand() *cobra.Command {
	var o checkOptions
	cmd := &cobra.Command{
		Use: "check FILE... | -",
		Args: func(_ *cobra.Command, files []string) error {
			if len(files) == 0 {
				return errors.New("no claims: name a file, for example\n" + exampleOf("check"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, files []string) error {
			return a.checkClaims(cmd.Context(), o, files)
		},
		ValidArgsFunction: problemFiles,
	}
	f := cmd.Flags()
	f.StringVar(&o.only, "only", "", "check only the claim `NAME`")
	run.AddOutsideTo(f, &o.allowOutside)
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// checked is a claim, and what the command that checks it said.
type checked struct {
	input.Claim
	name    string // of the file
	file    string // the same for messages
	code    int    // the exit code
	found   string // the number, or the word, that the claim is about
	message string
	elapsed time.Duration
}

// verdicts are what exit codes say of a claim.
var verdicts = map[int]run.Verdict{exitOK: run.Holds, exitRefuted: run.Refuted, exitUsage: "error",
	exitInconclusive: run.Undecided}

func (a app) checkClaims(ctx context.Context, o checkOptions, files []string) error {
	var all []*checked
	for _, file := range files {
		if err := run.CheckNoPipe(file); err != nil {
			return err
		}
		claims, err := input.ReadClaims(file, a.Inputs, o.allowOutside)
		if err != nil {
			return err
		}
		for _, c := range claims {
			if output := a.Inputs.WrittenAs(c.File); c.File != "" && output != "" {
				return fmt.Errorf("%s is read, must be a file other than %s", report.Name(c.File), output)
			}
			if o.only == "" || c.Name == o.only {
				all = append(all, &checked{Claim: c, name: file, file: input.NameOf(file)})
			}
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("--only is %s, must be the name of a claim", report.Quote(o.only))
	}
	ctx, stop := run.Limited(ctx, 0)
	defer stop()
	progress, clear := report.ProgressOn(a.Stderr)
	var done atomic.Int64
	inParallel(all, func(c *checked) {
		c.check(ctx, a)
		if n := done.Add(1); progress != nil {
			progress(float64(n) / float64(len(all)))
		}
	})
	clear()
	if output := a.Inputs.ReadsOutput(); output != "" {
		return fmt.Errorf("a claim reads what is %s, must be another file", output)
	}
	object, table := func() report.Object { return checkedJSON(all) }, func(w io.Writer) { writeChecked(w, all) }
	if err := a.Write("", o.json, object, table); err != nil {
		return err
	}
	return worst(all)
}

// inParallel calls check for each claim, as many at a time as there are processors.
func inParallel(all []*checked, check func(*checked)) {
	var wait sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, c := range all {
		free <- struct{}{}
		wait.Go(func() {
			check(c)
			<-free
		})
	}
	wait.Wait()
}

// check runs the command of a claim.
func (c *checked) check(ctx context.Context, a app) {
	defer func() {
		if fault := recover(); fault != nil { // the other claims have verdicts all the same
			c.code, c.message = exitUsage, fmt.Sprintf("checkrr: internal error, please report this claim: %v", fault)
		}
	}()
	if ctx.Err() != nil {
		c.code, c.message = exitInconclusive, "checkrr: inconclusive: interrupted"
		return
	}
	var out, messages bytes.Buffer
	start := time.Now()
	inputs := a.Inputs.Again(strings.NewReader(""))
	inputs.Serve(c.name, c.Claim)
	alone := app{run.App{Inputs: inputs, Stdout: &out, Stderr: &messages}, a.papers, a.statements}
	args := append([]string{c.Args[0], "--json"}, c.Args[1:]...)
	c.code = alone.run(ctx, args)
	c.elapsed = time.Since(start)
	c.message = strings.TrimSpace(messages.String())
	value, exact := valueAt(out.Bytes(), c.Found)
	c.found = cmp.Or(exact, value)
}

// valueAt returns what an object of JSON has under keys, one in another: a number as it is written, or a text. Exact is
// the text of a number that is not a double.
func valueAt(object []byte, keys []string) (value, exact string) {
	if len(keys) == 0 {
		return "", ""
	}
	for i, key := range keys {
		var inside map[string]json.RawMessage
		if json.Unmarshal(object, &inside) != nil {
			return "", ""
		}
		object = inside[key]
		if i == len(keys)-1 {
			_ = json.Unmarshal(inside[key+"_exact"], &exact) // nothing if there is none
		}
	}
	var text string
	if json.Unmarshal(object, &text) == nil {
		return text, exact
	}
	return string(object), exact
}

// again is the command that checks a claim alone, as a shell takes it: without -- where that is not needed.
func (c *checked) again() string {
	words := []string{"checkrr"}
	behind := slices.Index(c.Args, "--")
	for i, arg := range c.Args {
		if i == behind && !slices.ContainsFunc(c.Args[i+1:], func(s string) bool { return strings.HasPrefix(s, "-") }) {
			continue
		}
		switch {
		case report.OneLine(arg) != arg: // with characters that act on a terminal
			arg = "$'" + strings.ReplaceAll(strings.Trim(strconv.QuoteToASCII(arg), `"`), "'", `\'`) + "'"
		case strings.Trim(arg, plainLetters) != "" || arg == "":
			arg = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
		words = append(words, arg)
	}
	return strings.Join(words, " ")
}

// plainLetters need no quotes in a shell.
const plainLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+"

// writeChecked prints a line a claim, then those that do not hold.
func writeChecked(w io.Writer, all []*checked) {
	t := report.NewTable("verdict", "claim", "found", "seconds").Right(3, 4)
	for _, c := range all {
		t.Row(string(verdicts[c.code]), report.Clip(report.Cell(c.Name), 40), c.foundCell(),
			fmt.Sprintf("%.2f", c.elapsed.Seconds()))
	}
	t.Write(w)
	count := map[int]int{}
	for _, c := range all {
		count[c.code]++
		if c.code == exitOK {
			continue
		}
		fmt.Fprintf(w, "\n%s:%d: %s: %s\n", report.Name(c.file), c.Line, report.OneLine(c.Name), verdicts[c.code])
		fmt.Fprintf(w, "  %s\n  again: %s\n", strings.ReplaceAll(c.message, "\n", "\n  "), report.OneLine(c.again()))
	}
	says := []string{}
	for _, code := range []int{exitOK, exitRefuted, exitUsage, exitInconclusive} {
		if count[code] > 0 {
			says = append(says, fmt.Sprintf("%s %d", verdicts[code], count[code]))
		}
	}
	fmt.Fprintf(w, "\n%s: %s\n", report.Plural(len(all), "claim"), strings.Join(says, ", "))
}

// foundCell is what was found; a long number with six digits, rounded up.
func (c *checked) foundCell() string {
	const short = 10
	r, isNumber := new(big.Rat).SetString(c.found)
	if !isNumber || len(c.found) <= short {
		return report.Clip(report.OneLine(c.found), 24)
	}
	return report.RoundTo(interval.Wide.Rat(r).Upper, 6, true).String()
}

// checkedJSON is the output of --json.
func checkedJSON(all []*checked) report.Object {
	var claims []report.Object
	for _, c := range all {
		claims = append(claims, report.Object{
			"name", c.Name,
			"file", c.file,
			"line", c.Line,
			"verdict", verdicts[c.code],
			"found?", c.found,
			"message?", c.message,
			"command", c.again(),
			"seconds", report.Microseconds(c.elapsed),
		})
	}
	return report.Output("claims", claims)
}

// worst is the error of all: 2 if one could not be checked, else 1 if one is refuted, else 3 if one is undecided.
func worst(all []*checked) error {
	for _, code := range []int{exitUsage, exitRefuted, exitInconclusive} {
		var names []string
		for _, c := range all {
			if c.code == code {
				names = append(names, report.OneLine(c.Name))
			}
		}
		if len(names) == 0 {
			continue
		}
		switch text := strings.Join(names, ", "); code {
		case exitUsage:
			return fmt.Errorf("not checked: %s", text)
		case exitRefuted:
			return fmt.Errorf("%w: %s", run.ErrRefuted, text)
		default:
			return fmt.Errorf("%w: %s", run.ErrInconclusive, text)
		}
	}
	return nil
}
