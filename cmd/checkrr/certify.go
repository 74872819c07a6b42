package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
	"checkrr/impl/interval"
)

// certifyOptions are the flags of the command.
type certifyOptions struct {
	problem string
	isAll   bool // whether the problem is that all mechanisms are run
	exact   bool
	atMost  string
	isOne   bool // whether claims for one order of neighbours are enough
	timeout time.Duration
	json    bool

	allowOutside bool
}

func (a app) certifyCommand() *cobra.Command {
	var o certifyOptions
	cmd := &cobra.Command{
		Use: "certify FILE | -",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no certificate: name a file, or - for standard input, for example\n  checkrr certify proof.json")
			}
			return atMostOneFile(nil, args)
		},
		RunE:              func(cmd *cobra.Command, args []string) error { return a.certify(cmd.Context(), o, args[0]) },
		ValidArgsFunction: cobra.FixedCompletions([]string{"json"}, cobra.ShellCompDirectiveFilterFileExt),
	}
	f := cmd.Flags()
	f.StringVar(&o.problem, "problem", "", "require that it is about the pipeline and the charges of this problem `FILE`")
	f.BoolVar(&o.isAll, "composition", false, "with --problem: about its mechanisms, all run, as compose is; stops of the file are not used")
	f.StringVar(&o.atMost, "at-most", "", "require that OptDel is at most `D`")
	f.BoolVar(&o.isOne, "one-order", false, "accept claims for one order of neighbours, where nothing is claimed for the other")
	f.BoolVar(&o.exact, "exact", false, "check against OptDel as a ratio (every eps given as exp_eps, small problems)")
	addOutsideTo(f, &o.allowOutside)
	addRunTo(f, &o.timeout, &o.json)
	return cmd
}

// checked is a claim and what became of it.
type checked struct {
	*certificate.Claim
	verdict verdict
	exact   *big.Rat // OptDel itself; nil unless asked for
	failure *certificate.Failure

	side side // the neighbours that it is for
}

func (a app) certify(ctx context.Context, o certifyOptions, name string) error {
	if err := checkTimeout(o.timeout); err != nil {
		return err
	}
	if o.isAll && o.problem == "" {
		return errors.New("--composition is given, needs --problem")
	}
	if name == "-" && o.problem == "-" {
		return errors.New("the certificate and --problem are both -, must not both be standard input")
	}
	limit, err := o.limit()
	if err != nil {
		return err
	}
	ctx, stop := limited(ctx, o.timeout)
	defer stop()
	claims, err := reading(ctx, o.timeout, func() ([]*certificate.Claim, error) { return readClaims(name, a.inputs) })
	if err != nil {
		return err
	}
	if o.problem != "" {
		charged, err := reading(ctx, o.timeout, func() ([][]certify.Problem, error) { return o.required(claims, a.inputs) })
		if err != nil {
			return err
		}
		if err := requireAll(claims, input.ShownName(o.problem), charged, o.isOne); err != nil {
			var broken error // standard output
			if o.json {
				broken = a.writeUnrelated(claims, err)
			}
			if !o.isAll && requireAll(claims, "", compositions(claims, charged[0]), o.isOne) == nil {
				err = fmt.Errorf("%w; as what compose wrote it is, with --composition", err)
			}
			return errors.Join(fmt.Errorf("%w: %w", errNotProved, err), broken)
		}
	}
	start := time.Now()
	results, err := a.checkClaims(ctx, claims, o.exact)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", input.ShownName(name), err)
	}
	err = o.outcome(results, limit, endedBy(ctx, err, o.timeout))
	if broken := a.writeChecked(results, err, o.json, time.Since(start)); broken != nil {
		return broken
	}
	return err
}

// outcome is the error that goes with what became of claims, nil if all holds. Claims that prove nothing, as they are for one
// order of neighbours, become undecided.
func (o certifyOptions) outcome(results []checked, limit *big.Rat, ended error) error {
	if err := judged(results, ended); err != nil {
		return err
	}
	var open error
	if !o.isOne {
		open = inBothOrders(results, limit != nil)
	}
	if limit != nil {
		if err := atMostIn(results, limit, o.atMost); err != nil {
			return err
		}
	}
	return open
}

// inBothOrders returns an error for a claim about one order of neighbours that nothing is said of for the other one, and makes such claims
// undecided. What OptDel of one order exceeds, that of all neighbours does: that is all there is in some claims, and no limit.
func inBothOrders(results []checked, isLimited bool) (err error) {
	for i, c := range results {
		if isMore := c.MoreThan != nil && c.AtMost == nil && !isLimited; !c.side.isOnly() || isMore {
			continue
		}
		results[i].verdict = undecided
		if err == nil {
			err = fmt.Errorf("%w: claim %d is for one order of neighbours, and none is for the other one; add --one-order if one is enough", errInconclusive, i+1)
		}
	}
	return err
}

// required returns what claims must be about, for each of the charges in all orders of neighbours.
func (o certifyOptions) required(claims []*certificate.Claim, in *input.Inputs) ([][]certify.Problem, error) {
	wanted := input.ChargedStops
	if o.isAll {
		wanted = input.NoStops
	}
	p, err := input.ReadProblem(o.problem, in, wanted, o.allowOutside)
	if err != nil {
		if !o.isAll && o.problem != "-" {
			if _, other := input.ReadProblem(o.problem, in, input.NoStops, o.allowOutside); other == nil {
				err = fmt.Errorf("%w; for what compose wrote, add --composition", err)
			}
		}
		return nil, err
	}
	var orders []certify.Problem
	for _, q := range p.Orders() {
		orders = append(orders, q.Problem())
	}
	if o.isAll {
		return compositions(claims, orders), nil
	}
	return [][]certify.Problem{orders}, nil
}

// readClaims reads a certificate file, or standard input if its name is "-".
func readClaims(name string, in *input.Inputs) (claims []*certificate.Claim, err error) {
	f, shown, err := input.OpenInput(name, in)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const beginning = 1 << 16
	text, err := io.ReadAll(io.LimitReader(f, beginning))
	if err == nil {
		claims, err = certificate.Read(io.MultiReader(bytes.NewReader(text), f))
	}
	if err == nil {
		return claims, nil
	}
	if kind := input.Kind(string(text)); kind != "" && !strings.HasPrefix(kind, "a certificate") {
		err = fmt.Errorf("this is %s, must be a certificate", kind)
	}
	return nil, fmt.Errorf("%s: %w", shown, err)
}

// unchecked returns claims of which nothing is known yet.
func unchecked(claims []*certificate.Claim) (results []checked) {
	for i, s := range sidesOf(claims) {
		results = append(results, checked{Claim: claims[i], verdict: undecided, side: s})
	}
	return results
}

// checkClaims checks claims up to the first that fails; the others are undecided.
func (a app) checkClaims(ctx context.Context, claims []*certificate.Claim, exact bool) (results []checked, err error) {
	progress, clear := report.ProgressOn(a.stderr)
	defer clear()
	results = unchecked(claims)
	for i := range results {
		if progress != nil {
			progress(float64(i) / float64(len(claims)))
		}
		if err := results[i].check(ctx, exact); err != nil {
			return results, fmt.Errorf("claim %d: %w", i+1, err)
		}
		if results[i].failure != nil {
			break
		}
	}
	return results, nil
}

// check sets what becomes of a claim; an error says why that could not be found out.
func (c *checked) check(ctx context.Context, exact bool) (err error) {
	if exact {
		if c.exact, err = c.VerifyExact(ctx); errors.Is(err, impl.ErrTooLarge) {
			err = fmt.Errorf("--exact: %w", err)
		}
	} else {
		err = c.Verify(ctx)
	}
	failure, isFailure := errors.AsType[*certificate.Failure](err)
	switch {
	case isFailure:
		c.verdict, c.failure = notProved, failure
		if failure.IsFalse {
			c.verdict = refuted
		}
		return nil
	case err == nil:
		c.verdict = holds
	}
	return err
}

// judged is the error that goes with what became of claims.
func judged(results []checked, err error) error {
	for i, c := range results {
		switch c.verdict {
		case refuted:
			return fmt.Errorf("%w: claim %d: %w", errRefuted, i+1, c.failure)
		case notProved:
			return fmt.Errorf("%w: claim %d: %w", errNotProved, i+1, c.failure)
		}
	}
	return err
}

// limit returns the number of --at-most; nil if there is none.
func (o certifyOptions) limit() (*big.Rat, error) {
	if o.atMost == "" {
		return nil, nil
	}
	limit, err := input.ParseNumber(o.atMost)
	if err == nil && (limit.Sign() < 0 || limit.Cmp(big.NewRat(1, 1)) > 0) {
		err = fmt.Errorf("is %s, must be between 0 and 1", report.Quote(o.atMost))
	}
	if err != nil {
		return nil, fmt.Errorf("--at-most %w", err)
	}
	return limit, nil
}

// atMostIn returns an error unless OptDel of every claim is at most a limit, typed so.
func atMostIn(results []checked, limit *big.Rat, typed string) error {
	for i, c := range results {
		if c.OptDel.Lower.Cmp(limit) > 0 || c.MoreThan != nil && c.MoreThan.Cmp(limit) >= 0 {
			return fmt.Errorf("%w: claim %d: OptDel is more than %s", errRefuted, i+1, typed)
		}
	}
	for i, c := range results {
		if low, high := shownRange(c.OptDel); c.OptDel.Upper.Cmp(limit) > 0 {
			return fmt.Errorf("%w: claim %d: OptDel is between %s and %s, which leaves open whether it is at most %s", errInconclusive, i+1, low, high, typed)
		}
	}
	return nil
}

// certifyJSON is the output of checkrr certify --json.
type certifyJSON struct {
	SchemaVersion int           `json:"schema_version"`
	Verdict       verdict       `json:"verdict"`
	Failure       string        `json:"failure,omitempty"` // of what is about another problem
	Claims        []checkedJSON `json:"claims"`
	Seconds       float64       `json:"seconds"`
}

// checkedJSON is a claim in it. What is not computed, as at_most, is a ratio in quotes.
type checkedJSON struct {
	Verdict    verdict             `json:"verdict"`
	OptDel     report.IntervalJSON `json:"optdel"`
	AtMost     string              `json:"at_most,omitempty"`
	MoreThan   string              `json:"more_than,omitempty"`
	Pipeline   string              `json:"pipeline"`
	Mechanisms int                 `json:"mechanisms"`
	Stops      int                 `json:"stops"`
	Exact      string              `json:"exact,omitempty"`
	Order      impl.Order          `json:"order,omitempty"`       // of the neighbours that it is for, if that matters and the file tells
	OtherOrder int                 `json:"other_order,omitempty"` // which claim, from 1, is for neighbours in the other one
	IsOneOrder bool                `json:"one_order,omitempty"`   // none is
	Failure    string              `json:"failure,omitempty"`
}

func (a app) writeChecked(results []checked, outcome error, asJSON bool, elapsed time.Duration) error {
	if !asJSON {
		return a.printChecked(results, elapsed)
	}
	out := certifyJSON{SchemaVersion: report.SchemaVersion, Verdict: verdictOf(outcome), Seconds: report.Microseconds(elapsed)}
	for _, c := range results {
		out.Claims = append(out.Claims, c.toJSON())
	}
	return json.NewEncoder(a.stdout).Encode(report.Doubles{Output: out})
}

// verdictOf returns the verdict that goes with an error, as the exit code does.
func verdictOf(outcome error) verdict {
	switch {
	case outcome == nil:
		return holds
	case errors.Is(outcome, errRefuted):
		return refuted
	case errors.Is(outcome, errNotProved):
		return notProved
	}
	return undecided
}

// writeUnrelated prints claims that are not about the problem, as JSON.
func (a app) writeUnrelated(claims []*certificate.Claim, why error) error {
	out := certifyJSON{SchemaVersion: report.SchemaVersion, Verdict: notProved, Failure: why.Error()}
	for _, c := range unchecked(claims) {
		out.Claims = append(out.Claims, c.toJSON())
	}
	return json.NewEncoder(a.stdout).Encode(report.Doubles{Output: out})
}

func (c checked) toJSON() checkedJSON {
	line := checkedJSON{Verdict: c.verdict, OptDel: report.IntervalJSON{Lower: report.Down.Rat(c.OptDel.Lower), Upper: report.Up.Rat(c.OptDel.Upper)}, AtMost: report.Ratio(c.AtMost), MoreThan: report.Ratio(c.MoreThan),
		Pipeline: c.pipeline(), Mechanisms: c.mechanisms(), Stops: len(c.Problem.Stops), Exact: report.Ratio(c.exact), Order: c.side.order, IsOneOrder: c.side.isOnly()}
	if c.side.differs && c.side.other >= 0 {
		line.OtherOrder = c.side.other + 1
	}
	if c.failure != nil {
		line.Failure = c.failure.Error()
	}
	return line
}

// printChecked prints two or three lines a claim, and what claims for neighbours in both orders say together.
func (a app) printChecked(results []checked, elapsed time.Duration) error {
	var b strings.Builder
	for i, c := range results {
		fmt.Fprintf(&b, "Claim %-3d %s: %s\n          for %s\n", i+1, c.verdict, c.words(), c.pipeline())
		if order := c.side.says(); order != "" {
			fmt.Fprintf(&b, "          %s\n", order)
		}
	}
	for _, p := range together(results) {
		low, high := shownRange(p.optDel)
		fmt.Fprintf(&b, "Together  OptDel for neighbours in both orders is between %s and %s, by claims %d and %d\n", low, high, p.first+1, p.second+1)
	}
	fmt.Fprintf(&b, "Time      %s\n", report.Duration(elapsed))
	_, err := a.stdout.Write([]byte(b.String()))
	return err
}

// pipeline says what the problem is, as far as it fits in a line.
func (c checked) pipeline() string {
	const most = 4
	var mechanisms, stops []string
	for _, m := range c.Problem.Mechanisms[:min(most, len(c.Problem.Mechanisms))] {
		mechanisms = append(mechanisms, shownMechanism(m))
	}
	for _, s := range c.Problem.Stops[:min(most, len(c.Problem.Stops))] {
		stops = append(stops, fmt.Sprintf("%s after %d", shownEps(s.Eps), s.After))
	}
	if n := len(c.Problem.Mechanisms) - most; n > 0 {
		mechanisms = append(mechanisms, fmt.Sprintf("%d more, %s in all", n, report.Plural(c.mechanisms(), "mechanism")))
	}
	if n := len(c.Problem.Stops) - most; n > 0 {
		stops = append(stops, fmt.Sprintf("%d more", n))
	}
	return strings.Join(mechanisms, ", ") + ", charged " + strings.Join(stops, ", ")
}

// shownEps shows an ε.
func shownEps(x certify.Number) string {
	text := brief(x.Value)
	if x.Log {
		return "ln " + text
	}
	return text
}

// brief shows a number with few digits, and … where there are more.
func brief(x *big.Rat) string {
	const most = 12
	text := report.Typed(x)
	if _, _, isDecimal := strings.Cut(report.Clip(text, most), "."); len(text) <= most || isDecimal {
		return report.Clip(text, most)
	}
	return new(big.Float).SetRat(x).Text('g', most/2) + "…"
}

// shownRange shows both ends, rounded outward if they are long.
func shownRange(x certificate.Range) (low, high string) {
	low, high = report.Clip(report.Typed(x.Lower), 24), report.Clip(report.Typed(x.Upper), 24)
	if isLong := len(low)+len(high) > 32; isLong && x.Lower.Cmp(x.Upper) < 0 {
		const prec = 256
		lower := new(big.Float).SetPrec(prec).SetMode(big.ToNegativeInf).SetRat(x.Lower)
		upper := new(big.Float).SetPrec(prec).SetMode(big.ToPositiveInf).SetRat(x.Upper)
		low, high = report.Agreement(interval.Interval{Lower: lower, Upper: upper})
	}
	return low, high
}

// words says what is claimed of OptDel.
func (c checked) words() string {
	low, high := shownRange(c.OptDel)
	words := fmt.Sprintf("OptDel is between %s and %s", low, high)
	if c.side.isOnly() {
		words = fmt.Sprintf("OptDel for neighbours in this order only is between %s and %s", low, high)
	}
	if c.exact != nil {
		words += ", exactly it is " + report.Clip(c.exact.RatString(), 80)
	}
	if c.AtMost != nil {
		words += ", at most " + report.Clip(report.Typed(c.AtMost), 80)
	}
	if c.MoreThan != nil {
		words += ", more than " + report.Clip(report.Typed(c.MoreThan), 80)
	}
	return words
}

// mechanisms returns how many mechanisms the problem has.
func (c checked) mechanisms() int { return c.Problem.Stops[len(c.Problem.Stops)-1].After }
