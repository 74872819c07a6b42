package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/certify"
)

// AddProofTo adds the flag that names a certificate file.
func AddProofTo(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "certificate", "", "write a certificate to `FILE`, for checkrr certify")
	report.Must(cmd.MarkFlagFilename("certificate", "json"))
}

// claimsOf checks a result again, from the hints in its certificate alone, and states what that proves, for each order
// of neighbours. One of them is enough for OptDel to be more than something, and for nothing else.
func claimsOf(ctx context.Context, r *impl.Result, limits certificate.Limits) (claims []*certificate.Claim, err error) {
	if r.Certified == nil {
		return nil, errors.New("internal error: a result without a certificate, please report this problem")
	}
	isMore := func(b *certify.Bounds) bool {
		lower, _ := b.OptDel.Lower.Rat(nil)
		return limits.MoreThan != nil && lower.Cmp(limits.MoreThan) > 0
	}
	for _, b := range r.Certified {
		own := limits
		if r.Unknown != "" && !isMore(b) {
			return nil, fmt.Errorf("%w: no certificate: nothing is known for neighbours %s", ErrInconclusive, r.Unknown)
		}
		if !isMore(b) && slices.ContainsFunc(r.Certified, isMore) {
			own.MoreThan = nil
		}
		c, err := certificate.New(ctx, b, own)
		if err != nil {
			return nil, fmt.Errorf("%w: no certificate: %w", ErrInconclusive, err)
		}
		claims = append(claims, c)
	}
	return claims, nil
}

// judgedClaims is claimsOf with the limits of the verdict.
func (s *solved) judgedClaims(ctx context.Context, r *impl.Result, exact *big.Rat) ([]*certificate.Claim, error) {
	return s.limitedClaims(ctx, r, exact, s.o.limits(s.verdict))
}

// limitedClaims is claimsOf with limits. One that only the exact value keeps is not in it.
func (s *solved) limitedClaims(ctx context.Context, r *impl.Result, exact *big.Rat, l certificate.Limits) (
	[]*certificate.Claim, error) {
	claims, err := claimsOf(ctx, r, l)
	if _, isTooWide := errors.AsType[*certificate.Failure](err); isTooWide && (exact != nil || s.isLeak) {
		limit := s.o.most.Text
		if limit == "" {
			limit = report.Typed(exact)
		}
		fmt.Fprintf(s.app.Stderr, "checkrr: %s states the interval alone: only the exact value tells on which side "+
			"of %s it is\n", report.Quote(s.o.Certificate), limit)
		return claimsOf(ctx, r, certificate.Limits{})
	}
	return claims, err
}

// proving makes a certificate, if there is a name for it, in as much time as there was for the result: the work for
// that had the context ctx.
func proving(whole, ctx context.Context, timeout time.Duration, name string, prove func(context.Context) error) error {
	if name == "" {
		return nil
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // as an interrupt does
		again, stop := Limited(whole, timeout)
		defer stop()
		ctx = again
	}
	err := prove(ctx)
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = fmt.Errorf("%w: no certificate: time ran out after %v", ErrInconclusive, timeout)
	case ctx.Err() != nil:
		err = fmt.Errorf("%w: no certificate: interrupted", ErrInconclusive)
	}
	return fmt.Errorf("%w; %s is not written", err, report.Quote(name))
}

// writeProof writes a certificate file.
func writeProof(name string, claims ...*certificate.Claim) error {
	var b bytes.Buffer
	report.Must(certificate.Write(&b, claims...))
	return report.WriteText(name, b.Bytes())
}
