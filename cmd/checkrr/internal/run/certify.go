package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
)

// CertifyOptions are the flags of the command.
type CertifyOptions struct {
	Problem     string
	Composition bool // whether the problem is that all mechanisms are run
	Exact       bool
	AtMost      Number
	OneOrder    bool // whether claims for one order of neighbours are enough
	Timeout     time.Duration
	JSON        bool

	AllowOutside bool
}

// checked is a claim and what became of it.
type checked struct {
	*certificate.Claim
	verdict Verdict
	exact   *big.Rat // OptDel itself; nil unless asked for
	failure *certificate.Failure

	side side // the neighbours that it is for
}

// Certify checks a certificate, and what it is about.
func (a App) Certify(ctx context.Context, o CertifyOptions, name string) error {
	if err := CheckTimeout(o.Timeout); err != nil {
		return err
	}
	if o.Composition && o.Problem == "" {
		return errors.New("--composition is given, needs --problem")
	}
	if name == "-" && o.Problem == "-" {
		return errors.New("the certificate and --problem are both -, must not both be standard input")
	}
	ctx, stop := Limited(ctx, o.Timeout)
	defer stop()
	claims, err := Reading(ctx, o.Timeout, func() ([]*certificate.Claim, error) { return readClaims(name, a.Inputs) })
	if err != nil {
		return err
	}
	if o.Problem != "" {
		if err := a.checkAbout(ctx, o, claims); err != nil {
			return err
		}
	}
	start := time.Now()
	results, err := a.checkClaims(ctx, claims, o.Exact)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", input.ShownName(name), err)
	}
	err = o.outcome(results, EndedBy(ctx, err, o.Timeout))
	if broken := a.writeChecked(results, err, "", o.JSON, time.Since(start)); broken != nil {
		return broken
	}
	return err
}

// checkAbout refuses claims that are not about the problem that they must be about.
func (a App) checkAbout(ctx context.Context, o CertifyOptions, claims []*certificate.Claim) error {
	charged, err := Reading(ctx, o.Timeout, func() ([][]certify.Problem, error) { return o.wanted(claims, a.Inputs) })
	if err != nil {
		return err
	}
	if err := checkAll(claims, input.ShownName(o.Problem), charged, o.OneOrder); err != nil {
		var broken error // standard output
		if o.JSON {
			broken = a.writeChecked(unchecked(claims), ErrNotProved, err.Error(), true, 0)
		}
		if !o.Composition && checkAll(claims, "", compositions(claims, charged[0]), o.OneOrder) == nil {
			err = fmt.Errorf("%w; as what compose wrote it is, with --composition", err)
		}
		return errors.Join(fmt.Errorf("%w: %w", ErrNotProved, err), broken)
	}
	return nil
}

// outcome is the error that goes with what became of claims, nil if all holds. Claims that prove nothing, as they are
// for one order of neighbours, become inconclusive.
func (o CertifyOptions) outcome(results []checked, ended error) error {
	if err := judged(results, ended); err != nil {
		return err
	}
	var open error
	if !o.OneOrder {
		open = inBothOrders(results, o.AtMost.Value != nil)
	}
	return cmp.Or(atMostIn(results, o.AtMost), open)
}

// inBothOrders returns an error for a claim about one order of neighbours that nothing is said of for the other one,
// and makes such claims inconclusive. What OptDel of one order exceeds, that of all neighbours does: that is all there
// is in some claims, and no limit.
func inBothOrders(results []checked, isLimited bool) (err error) {
	for i, c := range results {
		if isMore := c.MoreThan != nil && c.AtMost == nil && !isLimited; !c.side.isOnly() || isMore {
			continue
		}
		results[i].verdict = Inconclusive
		if err == nil {
			err = fmt.Errorf("%w: claim %d is for one order of neighbours, and none is for the other one; add "+
				"--one-order if one is enough", ErrInconclusive, i+1)
		}
	}
	return err
}

// wanted returns what claims must be about, for each of the charges in all orders of neighbours.
func (o CertifyOptions) wanted(claims []*certificate.Claim, in *input.Inputs) ([][]certify.Problem, error) {
	wanted := input.ChargedStops
	if o.Composition {
		wanted = input.NoStops
	}
	p, err := input.ReadProblem(o.Problem, in, wanted, o.AllowOutside)
	if err != nil {
		if !o.Composition && o.Problem != "-" {
			if _, other := input.ReadProblem(o.Problem, in, input.NoStops, o.AllowOutside); other == nil {
				err = fmt.Errorf("%w; for what compose wrote, add --composition", err)
			}
		}
		return nil, err
	}
	var orders []certify.Problem
	for _, q := range p.Orders() {
		orders = append(orders, q.Problem())
	}
	if o.Composition {
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
		results = append(results, checked{Claim: claims[i], verdict: Inconclusive, side: s})
	}
	return results
}

// checkClaims checks claims up to the first that fails; the others are inconclusive.
func (a App) checkClaims(ctx context.Context, claims []*certificate.Claim, exact bool) (results []checked, err error) {
	progress, clear := report.ProgressOn(a.Stderr)
	defer clear()
	results = unchecked(claims)
	for i := range results {
		progress(float64(i) / float64(len(claims)))
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
			c.verdict = Refuted
		}
		return nil
	case err == nil:
		c.verdict = Holds
	}
	return err
}

// judged is the error that goes with what became of claims.
func judged(results []checked, err error) error {
	for i, c := range results {
		switch c.verdict {
		case Refuted:
			return fmt.Errorf("%w: claim %d: %w", ErrRefuted, i+1, c.failure)
		case notProved:
			return fmt.Errorf("%w: claim %d: %w", ErrNotProved, i+1, c.failure)
		}
	}
	return err
}

// atMostIn returns an error unless OptDel of every claim is at most a limit, if there is one.
func atMostIn(results []checked, most Number) error {
	limit := most.Value
	if limit == nil {
		return nil
	}
	for i, c := range results {
		if c.OptDel.Lower.Cmp(limit) > 0 || c.MoreThan != nil && c.MoreThan.Cmp(limit) >= 0 {
			return fmt.Errorf("%w: claim %d: OptDel is more than %s", ErrRefuted, i+1, most.Text)
		}
	}
	for i, c := range results {
		if low, high := shownRange(c.OptDel); c.OptDel.Upper.Cmp(limit) > 0 {
			return fmt.Errorf("%w: claim %d: OptDel is between %s and %s, which leaves open whether it is at most %s",
				ErrInconclusive, i+1, low, high, most.Text)
		}
	}
	return nil
}
