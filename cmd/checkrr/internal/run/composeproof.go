package run

import (
	"context"
	"errors"
	"math/big"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/certificate"
	"checkrr/impl/loss"
)

// claims are those of the certificate of an answer. That of δ is one claim; that of ε is that OptDel
// of the mechanisms, with one stop at the end, is at most δ at its upper end, and more at its
// lower end.
func (c *composed) claims(ctx context.Context) ([]*certificate.Claim, error) {
	if c.delta == nil {
		return c.judgedClaims(ctx, c.result, c.exact)
	}
	upper, lower := c.ends()
	claims, err := claimAt(ctx, c.problem, upper, certificate.Limits{AtMost: c.delta}, c.firstWidth())
	if err != nil || lower == nil {
		return claims, err
	}
	less, err := claimAt(ctx, c.problem, lower, certificate.Limits{MoreThan: c.delta}, c.firstWidth())
	return append(claims, less...), err
}

// ends returns the ends of ε as they are printed; the lower one is nil if no ε is less than the
// smallest, or if ε is known exactly.
func (c *composed) ends() (upper, lower *big.Rat) {
	if c.exact != nil {
		return c.exact, nil
	}
	if c.answer.Lower.Sign() > 0 {
		lower = report.Outward(c.answer.Lower, false).Rat()
	}
	return report.Outward(c.answer.Upper, true).Rat(), lower
}

// firstWidth is the relative width of δ that ε was found with, about.
func (c *composed) firstWidth() float64 {
	return max(min(c.requested, 1e-3), c.answer.RelWidth()) / 4
}

// claimAt states OptDel with one stop, charged ε, so narrowly that the limits are proved, for neighbours in each order.
func claimAt(ctx context.Context, p *input.Problem, eps *big.Rat, l certificate.Limits,
	width float64) ([]*certificate.Claim, error) {
	q := p.Pipeline
	q.Stops = []impl.Stop{{After: p.Stops[0].After, Eps: loss.Nats(eps)}}
	for try := 1; ; try++ {
		r, err := impl.OptDel(ctx, q, impl.Options{RelWidth: width})
		if err != nil {
			return nil, err
		}
		claims, err := claimsOf(ctx, r, l)
		if err == nil {
			return claims, nil
		}
		if _, isTooWide := errors.AsType[*certificate.Failure](err); !isTooWide || r.Shortfall != "" ||
			try == 2*narrower {
			return nil, err
		}
		width = max(width/64, 1e-300)
	}
}
