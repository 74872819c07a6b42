package main

import (
	"bytes"
	"context"
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
	f.BoolVar(&o.isAll, "composition", false,
		"with --problem: about its mechanisms, all run, as compose is; stops of the file are not used")
	f.StringVar(&o.atMost, "at-most", "", "require that OptDel is at most `D`")
	f.BoolVar(&o.isOne, "one-order", false,
		"accept claims for one order of neighbours, where nothing is claimed for the other")
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
				broken = a.writeChecked(unchecked(claims), errNotProved, err.Error(), true, 0)
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
	if broken := a.writeChecked(results, err, "", o.json, time.Since(start)); broken != nil {
		return broken
	}
	return err
}

// outcome is the error that goes with what became of claims, nil if all holds. Claims that prove nothing, as they are
// for one order of neighbours, become undecided.
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

// inBothOrders returns an error for a claim about one order of neighbours that nothing is said of for the other one,
// and makes such claims undecided. What OptDel of one order exceeds, that of all neighbours does: that is all there is
// in some claims, and no limit.
func inBothOrders(results []checked, isLimited bool) (err error) {
	for i, c := range results {
		if isMore := c.MoreThan != nil && c.AtMost == nil && !isLimited; !c.side.isOnly() || isMore {
			continue
		}
		results[i].verdict = undecided
		if err == nil {
			err = fmt.Errorf("%w: claim %d is for one order of neighbours, and none is for the other one; add --one-order "+
				"if one is enough", errInconclusive, i+1)
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
			return fmt.Errorf("%w: claim %d: OptDel is between %s and %s, which leaves open whether it is at most %s",
				errInconclusive, i+1, low, high, typed)
		}
	}
	return nil
}
