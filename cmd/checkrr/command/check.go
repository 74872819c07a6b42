package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/cmd/checkrr/internal/state"
)

// checkOptions are the flags of the command.
type checkOptions struct {
	only         string
	update       bool
	allowOutside bool
	noRun        bool
	limit        time.Duration
	json         bool
	checkReports
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
	f.BoolVar(&o.update, "update", false, "write what is found into the baselines that the files name")
	run.AddOutsideTo(f, &o.allowOutside)
	f.BoolVar(&o.noRun, "no-run", false, "run no programs: claims about them are only read")
	f.DurationVar(&o.limit, "time-limit", 0,
		"leave inconclusive what is not checked after this `TIME`, such as 5m (default never)")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	o.addTo(cmd)
	return cmd
}

// check refuses values of flags, and flags that do not go together.
func (o checkOptions) check() error {
	switch {
	case o.limit < 0:
		return fmt.Errorf("--time-limit is %v, must not be negative", o.limit)
	case o.update && (o.noRun || o.limit > 0):
		return errors.New("--update is given, must be without --no-run and --time-limit: a baseline has what whole " +
			"checks find, which run programs")
	}
	return o.checkReports.check()
}

// checked is a claim, and what the command that checks it said.
type checked struct {
	input.Claim
	name    string // of the file
	code    int    // the exit code
	notRun  bool   // it is read, and that is all
	isLate  bool   // it was not done when its time was up
	isMute  bool   // not even the first replies of its program had all come
	isMoved bool   // it is refuted by the baseline only
	found   string // the number, or the word, that the claim is about
	shown   string // what the table has in place of the word, if that is more
	was     string // the same in the baseline
	message string
	elapsed time.Duration
}

// file is the name of the file for messages.
func (c *checked) file() string { return input.NameOf(c.name) }

const (
	notRun run.Verdict = "not run"
	broken run.Verdict = "error"
	moved  run.Verdict = "moved"
)

// verdict is what the exit code says of a claim.
func (c *checked) verdict() run.Verdict {
	switch {
	case c.notRun:
		return notRun
	case c.isMoved:
		return moved
	}
	return map[int]run.Verdict{exitOK: run.Holds, exitRefuted: run.Refuted, exitUsage: broken,
		exitInconclusive: run.Inconclusive}[c.code]
}

// claimsFile is a file of claims, with those that are to be checked.
type claimsFile struct {
	input.ClaimsFile
	name    string
	all     []*checked
	chosen  []*checked // of all
	updated int        // how many figures were written
	failing int        // of claims that do not hold, among these
}

func (a app) checkClaims(ctx context.Context, o checkOptions, names []string) error {
	if err := cmp.Or(o.check(), run.CheckTargets(a.Inputs, nil, "", o.targets()...)); err != nil {
		return err
	}
	files, err := a.readClaims(o, names)
	if err == nil {
		err = a.checkTargets(o, files)
	}
	if err != nil {
		return o.reportFault(a, o, err)
	}
	var all, others []*checked
	for _, f := range files {
		all, others = append(all, f.chosen...), append(others, f.all...)
	}
	if slices.ContainsFunc(others, func(c *checked) bool { return c.Wrong != nil }) {
		o.spareOthers()
	}
	if o.limit > 0 || a.Inputs.WritesAny() {
		inParallel(others, func(c *checked) { c.read(ctx, a) })
	}
	if output := a.Inputs.ReadsOutput(); output != "" {
		return fmt.Errorf("a claim reads what is %s, must be another file", output)
	}
	ctx, stop := run.Limited(ctx, o.limit)
	defer stop()
	progress, clear := report.ProgressOn(a.Stderr)
	var done atomic.Int64
	queue := programsLast(all)
	if o.noRun { // they are only read
		slices.Reverse(queue)
	}
	inTurn(ctx, queue, func(ctx context.Context, c *checked) {
		if c.check(ctx, a, o); !c.isLate && progress != nil {
			progress(float64(done.Add(1)) / float64(len(all)))
		}
	})
	clear()
	for _, c := range all {
		c.showAgain(o)
	}
	all, unsettled := settle(ctx, o, files)
	unwritten := report.Wrote(a.Stderr, o.write(all), o.files()...)
	object, table := func() report.Object { return checkedJSON(all) }, func(w io.Writer) {
		var table bytes.Buffer
		writeChecked(&table, all)
		writeUpdated(&table, files)
		fmt.Fprint(w, report.Inert(table.String()))
	}
	if err := a.Write("", o.json, object, table); err != nil {
		return err
	}
	o.annotate(a.Stderr, all)
	verdict := cmp.Or(unsettled, worst(all))
	if !slices.ContainsFunc(all, func(c *checked) bool { return !c.notRun }) {
		verdict = fmt.Errorf("%w: nothing is checked: all claims are about programs, which --no-run does not run",
			run.ErrInconclusive)
	}
	if unwritten != nil { // what was found is not lost with a report
		return report.Unwritten{Cause: errors.Join(verdict, unwritten)}
	}
	return verdict
}

// unreadClaims is why a file of claims cannot be read, or one of several has no such claim.
type unreadClaims struct {
	names []string
	error
}

// Unwrap returns the reason.
func (e *unreadClaims) Unwrap() error { return e.error }

// readClaims reads files, of which at least one has a claim that is to be checked. One that is named twice, as by
// patterns that overlap, is read once.
func (a app) readClaims(o checkOptions, names []string) (files []*claimsFile, err error) {
	isChosen := false
	var faults []error
	isRead := map[string]bool{}
	for _, name := range names {
		place, wrong := report.Place(name)
		switch {
		case a.Inputs.IsStdin(name):
			place = "-"
		case wrong != nil:
			place = name
		}
		if isRead[place] {
			continue
		}
		isRead[place] = true
		var read input.ClaimsFile
		err := run.CheckNoPipe(name)
		if err == nil {
			read, err = input.ReadClaims(name, a.Inputs, o.allowOutside)
		}
		for _, fault := range input.Faults(err) {
			faults = append(faults, &unreadClaims{[]string{name}, fault})
		}
		f := &claimsFile{ClaimsFile: read, name: name}
		for _, claim := range read.Claims {
			c := &checked{Claim: claim, name: name}
			if claim.Wrong != nil {
				c.code, c.message, c.Args = exitUsage, claim.Wrong.Error(), checkArgs(o, claim.Name, name)
			}
			if f.all = append(f.all, c); o.only == "" || c.Name == o.only {
				f.chosen, isChosen = append(f.chosen, c), true
			}
		}
		files = append(files, f)
	}
	if faults != nil {
		return nil, input.Together(faults)
	}
	if !isChosen {
		var all []string
		for _, f := range files {
			all = append(all, report.Names(f.all, func(c *checked) string { return c.Name })...)
		}
		err = fmt.Errorf("--only is %s, must be the name of a claim: %s", report.Quote(o.only), report.Clip(
			strings.Join(all, ", "), 200))
		return nil, &unreadClaims{names, didYouMean(err, o.only, all)}
	}
	return files, nil
}

// checkTargets refuses to write what claims read, and baselines that are not there.
func (a app) checkTargets(o checkOptions, files []*claimsFile) error {
	targets, err := baselines(o, files)
	if err == nil {
		err = run.CheckTargets(a.Inputs, nil, "", append(o.targets(), targets...)...)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		if o.update && f.Regression != nil {
			if err := state.CheckLocked(f.Regression.Baseline); err != nil {
				return &unreadClaims{[]string{f.name}, err}
			}
		}
		for _, c := range f.Claims {
			if output := a.Inputs.WrittenAs(c.File); c.File != "" && output != "" {
				return fmt.Errorf("%s is read, must be a file other than %s", report.Name(c.File), output)
			}
		}
	}
	return nil
}

// recovered makes a fault of the program one of the claim: the others have verdicts all the same.
func (c *checked) recovered() {
	if fault := recover(); fault != nil {
		c.code, c.message = exitUsage, fmt.Sprintf("checkrr: internal error, please report this claim: %v", fault)
	}
}

// read reads what a claim is about, and notes only what is wrong with that. Nothing is run, or computed.
func (c *checked) read(ctx context.Context, a app) {
	defer c.recovered()
	if c.Wrong != nil {
		return
	}
	var flags []string
	if c.MayRun {
		flags = []string{"--no-run"}
	}
	if c.run(run.OnlyReading(ctx), a, flags...); c.code != exitUsage {
		c.code, c.message = exitOK, ""
	}
}

// check runs the command of a claim, unless it is known to be wrong; again, if it was late.
func (c *checked) check(ctx context.Context, a app, o checkOptions) {
	defer c.recovered()
	start := time.Now()
	if c.isLate {
		c.code, c.isLate = exitOK, false
	}
	if o.noRun && c.MayRun && c.code == exitOK { // however little time there is: reading takes none
		command, _ := valueAt(c.run(context.WithoutCancel(ctx), a, "--no-run"), []string{"command"})
		c.notRun = c.code == exitOK && command != "" // else it is a law, or wrong
		if c.notRun {
			c.message = cmp.Or(c.message, "checkrr: --no-run runs no programs")
		}
	}
	if ctx.Err() == nil && c.code == exitOK && !c.notRun {
		out := c.run(ctx, a)
		if c.code != exitUsage { // else what was found so far is of no use
			c.finds(out)
		}
		samples, _ := valueAt(out, []string{"sampled", "samples"})
		c.isMute = c.MayRun && samples == "0"
	}
	c.elapsed += time.Since(start)
	if ctx.Err() != nil && !c.notRun && (c.code == exitOK || c.code == exitInconclusive) { // perhaps with too little time
		c.isLate, c.code, c.found, c.shown = true, exitInconclusive, "", ""
		c.message = "checkrr: " + c.endedBy(ctx, o.limit).Error()
	}
}

// endedBy says why there is no verdict, and what to do.
func (c *checked) endedBy(ctx context.Context, limit time.Duration) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return run.EndedBy(ctx, nil, limit)
	}
	or := ""
	switch {
	case c.HasNoise:
		or = ", or give noise fewer values"
	case c.Kind == "command":
		or = ", or lower budget.samples"
	case c.Kind == "builtin": // which may have a law
		or = ", or lower samples and queries"
	}
	if c.isMute {
		or += "; not all of the program's first replies came: is it slow to start, or does it not flush them?"
	}
	return fmt.Errorf("%w: --time-limit %v ended before it was done: raise it%s", run.ErrInconclusive, limit, or)
}

// run runs the command of a claim, with further flags, and returns its output.
func (c *checked) run(ctx context.Context, a app, flags ...string) []byte {
	var out, messages bytes.Buffer
	inputs := a.Inputs.Again(strings.NewReader(""))
	inputs.Serve(c.name, c.Claim)
	alone := app{run.App{Inputs: inputs, Stdout: &out, Stderr: &messages}, a.papers, a.statements}
	c.code = alone.run(ctx, slices.Concat([]string{c.Args[0], "--json"}, flags, c.Args[1:]))
	c.message = c.Claim.Fault(programName, strings.TrimSpace(messages.String()), c.code == exitUsage)
	return out.Bytes()
}

// figure is what was found: exactly, unless that has more digits than can be read again.
func figure(value, exact string) string {
	if _, err := input.ParseNumber(exact); err != nil {
		return value
	}
	return exact
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
