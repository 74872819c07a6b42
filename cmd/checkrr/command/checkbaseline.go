package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/cmd/checkrr/internal/run"
	"checkrr/cmd/checkrr/internal/state"
)

// baselines returns the baselines that are to be written, which several files may share; others must be there.
func baselines(o checkOptions, files []*claimsFile) (targets []run.Target, err error) {
	isTarget := map[string]bool{}
	for _, f := range files {
		r := f.Regression
		switch {
		case r == nil || len(f.chosen) == 0:
		case o.update:
			place, err := report.Place(r.Baseline)
			if err == nil && isTarget[place] {
				continue
			}
			isTarget[place] = true
			targets = append(targets, run.To("the baseline of "+input.ShownName(f.name), r.Baseline))
		case r.Missing != nil:
			return nil, r.Missing
		}
	}
	if o.update && len(targets) == 0 {
		err = errors.New("--update is given, must be with a file that has regression: {baseline: claims.lock.json}")
	}
	return targets, err
}

// settle compares what was found with the baselines, or writes these. It returns all claims, and what is in a baseline
// and no claim.
func settle(ctx context.Context, o checkOptions, files []*claimsFile) (all []*checked, err error) {
	isBroken := false
	for _, f := range files {
		if f.Regression != nil && !o.update {
			f.compare(o)
		}
		all = append(all, f.chosen...)
		isBroken = isBroken || slices.ContainsFunc(f.chosen, func(c *checked) bool { return c.code == exitUsage })
	}
	if !o.update || isBroken || ctx.Err() != nil { // which is the error of the command
		return all, nil
	}
	for _, f := range files {
		if f.Regression != nil && len(f.chosen) > 0 && err == nil {
			err = state.Locked(ctx, f.Regression.Baseline, func() error { return f.update(o) })
		}
	}
	return all, err
}

// update writes what was found into the baseline, in place of what is there by now: with --only of one claim, and
// otherwise of this file. Figures of files that are gone go.
func (f *claimsFile) update(o checkOptions) error {
	all, err := f.Regression.Now()
	if err != nil {
		return err
	}
	maps.DeleteFunc(all, func(file string, _ map[string]string) bool { return f.Regression.IsGone(file) })
	figures := all[f.Regression.File]
	if o.only == "" || figures == nil {
		figures = map[string]string{}
	}
	all[f.Regression.File] = figures
	for _, c := range f.chosen {
		delete(figures, c.Name)
		if recorded := c.recorded(); recorded != "" && isCompared(c.Claim) {
			f.updated++
			if figures[c.Name] = recorded; c.code != exitOK {
				f.failing++
			}
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b) // which sorts them
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	report.Must(e.Encode(all))
	return report.WriteText(f.Regression.Baseline, b.Bytes())
}

// recorded is what a baseline has of a claim: what was found and, unless the claim holds, the verdict, as in “2.35,
// refuted”; there may be nothing but that, as where ε is infinite.
func (c *checked) recorded() string {
	if verdict := string(c.verdict()); c.code != exitOK && c.found != verdict {
		return strings.TrimPrefix(c.found+", "+verdict, ", ")
	}
	return c.found
}

// figureIn returns the figure of a record, and whether the claim held then.
func figureIn(recorded string) (figure string, held bool) {
	for _, v := range []run.Verdict{run.Refuted, run.Inconclusive} {
		if figure, did := strings.CutSuffix(recorded, ", "+string(v)); did || recorded == string(v) {
			return figure, false
		}
	}
	return recorded, true
}

// isCompared reports whether the figure of a claim is in baselines: what a ledger has spent is meant to grow.
func isCompared(c input.Claim) bool { return c.Kind != "ledger" }

// writeUpdated says which baselines were written.
func writeUpdated(w io.Writer, files []*claimsFile) {
	for _, f := range files {
		if f.updated > 0 {
			of := ""
			if f.failing > 0 {
				of = fmt.Sprintf(", %d of them of claims that do not hold", f.failing)
			}
			fmt.Fprintf(w, "%s: %s written%s\n", report.Name(f.Regression.Baseline),
				report.Plural(f.updated, "figure"), of)
		}
	}
}

// compare compares what was found with the baseline. What is only in that becomes an inconclusive claim.
func (f *claimsFile) compare(o checkOptions) {
	for _, c := range f.chosen {
		c.compare(f.Regression, o)
	}
	if o.only != "" {
		return
	}
	hasFigure := map[string]bool{}
	for _, c := range f.Claims {
		hasFigure[c.Name] = isCompared(c)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Regression.Figures)) {
		if hasFigure[name] {
			continue
		}
		c := &checked{name: f.name, was: f.Regression.Figures[name],
			Claim: input.Claim{Name: name, Kind: "regression", Line: f.Regression.Line}}
		c.fail(o, fmt.Errorf("%w: it is in the baseline %s, and no claim has this figure any more; do it again "+
			"with --update to take it out", run.ErrInconclusive, report.Name(f.Regression.Baseline)))
		f.chosen = append(f.chosen, c)
	}
}

// compare compares the figure of a claim that holds with that of the baseline: if it did not hold then, a smaller one
// has not moved. One that is refuted stays so, and says what the baseline has.
func (c *checked) compare(r *input.Regression, o checkOptions) {
	if c.found == "" || !isCompared(c.Claim) {
		return
	}
	recorded, isKnown := r.Figures[c.Name]
	was, held := figureIn(recorded)
	how, isMore := movedBy(c.found, was, r)
	baseline := report.Name(r.Baseline)
	c.was = recorded
	switch {
	case c.code == exitRefuted && isKnown && how != "":
		c.message += fmt.Sprintf("; %s is in the baseline %s", report.Quote(recorded), baseline)
	case c.code != exitOK:
	case !isKnown:
		c.fail(o, fmt.Errorf("%w: it is not in the baseline %s; do it again with --update to put it in",
			run.ErrInconclusive, baseline))
	case how != "" && (held || isMore):
		c.fail(o, fmt.Errorf("%w: %s was found, and %s is in the baseline %s: %s; if that is meant, do it again "+
			"with --update", run.ErrMoved, report.Quote(c.found), report.Quote(recorded), baseline, how))
	}
}

// fail notes what the baseline has against a claim that holds.
func (c *checked) fail(o checkOptions, err error) {
	if c.code = exitInconclusive; errors.Is(err, run.ErrMoved) {
		c.code, c.isMoved = exitRefuted, true
	}
	c.message = message(err)
	only := c.Name
	if c.Kind == "regression" {
		only = ""
	}
	c.Args = checkArgs(o, only, c.name)
}

// showAgain lets this command show again what only it does: that a program is not run, and that time is up.
func (c *checked) showAgain(o checkOptions) {
	if o.noRun && c.MayRun || c.isLate {
		c.Args = checkArgs(o, c.Name, c.name)
	}
	if c.isLate && o.limit > 0 {
		c.Args = slices.Insert(c.Args, 1, "--time-limit="+o.limit.String())
	}
}

// checkArgs are the arguments that check files, or one claim of them.
func checkArgs(o checkOptions, only string, files ...string) []string {
	args := []string{"check"}
	if o.allowOutside {
		args = append(args, "--allow-outside")
	}
	if o.noRun {
		args = append(args, "--no-run")
	}
	if only != "" {
		args = append(args, "--only="+only)
	}
	return append(append(args, "--"), files...)
}

// movedBy says how a figure is away from that of the baseline, either way, if that is more than a share of the latter,
// and whether it is larger. Words must be the same.
func movedBy(found, was string, r *input.Regression) (how string, isMore bool) {
	x, wrong := input.ParseNumber(found)
	y, noNumber := input.ParseNumber(was)
	if wrong != nil || noNumber != nil {
		if found != was {
			return "it must be the same", false
		}
		return "", false
	}
	d, size, sign := x.Sub(x, y), new(big.Rat).Abs(y), "+"
	if d.Sign() < 0 {
		sign = "-"
	}
	d.Abs(d)
	switch {
	case d.Cmp(new(big.Rat).Mul(r.Tolerance, size)) <= 0:
		return "", false
	case size.Sign() == 0:
		return "no change of 0 is within the tolerance", sign == "+"
	}
	percent := func(share *big.Rat) *big.Rat { return new(big.Rat).Mul(share, big.NewRat(100, 1)) }
	return fmt.Sprintf("it moved by %s%s%%, must be at most %s%%", sign, report.Up.RoundTo(percent(d.Quo(d, size)), 3),
		report.Typed(percent(r.Tolerance))), sign == "+"
}
