package impl

import (
	"cmp"
	"context"
	"fmt"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// EpsWith returns an ε for which a composition theorem gives a δ of at most delta to mechanisms that are all run, and
// whether there is one.
//
// The theorem's δ does not rise with ε: the ε is sought by bisection, and what is returned is one for which the
// certified δ is at most delta.
//
// Source: see [Theorem]; for basic composition Dwork and Roth (2014), Theorem 3.16, and for the advanced one of that
// book Theorem 3.20; AFD-T3.16, AFD-T3.20.
// Symbols: (ε_k, δ_k) = mechanisms, δ = delta.
// Domain: valid mechanisms without laws, see [Pipeline.Validate]; delta in [0, 1]. With 1 the ε is 0, except for Basic:
// (0, 1)-DP asks for nothing. An ε above 2^900 counts as none.
// Accuracy: the ε is enough, and at most 1e-12 of it above the least for which the theorem's certified δ is; for
// Basic exact.
// Errors: *[InputError] for the mechanisms, *[DeltaError], what is no theorem, ctx.Err().
// Cost: about 50 evaluations of the theorem.
func EpsWith(ctx context.Context, mechanisms []Mechanism, delta *big.Rat,
	t Theorem) (eps loss.Sum, ok bool, err error) {
	p := OneStop(mechanisms)
	if err := cmp.Or(p.Validate(), p.refuseLaws(), check.NotNil("ctx", ctx)); err != nil {
		return eps, false, err
	}
	if rule := check.Delta(delta); rule != "" {
		return eps, false, &DeltaError{Rule: rule}
	}
	if ctx.Err() != nil {
		return eps, false, ctx.Err()
	}
	of := t.delta()
	if of == nil {
		return eps, false, fmt.Errorf("theorem is %q, must be one of %v", t, Theorems)
	}
	enough := func(x loss.Epsilon) bool { return staysWithin(of(mechanisms, x), delta) }
	if t == Basic { // exactly: Σ δ_k may be δ
		return largestLoss(mechanisms), sumOfDeltas(mechanisms).Cmp(delta) <= 0, nil
	}
	guess := above(largestLoss(mechanisms))
	if t == AdvancedBook { // what it adds to Σ ε_k can be any power of that
		mean := advancedBookMean(mechanisms).Upper
		if mean.IsInf() || mean.MantExp(nil) > loss.MaxMagnitude-epsDoublings {
			return eps, false, nil
		}
		r, _ := mean.Rat(nil)
		guess = loss.Nats(r.Add(r, guess.Rat()))
	}
	return leastEps(ctx, guess, enough)
}

// above returns an ε that is not below a sum, and hardly above it.
func above(s loss.Sum) loss.Epsilon {
	r, _ := s.Bounds(64).Upper.Rat(nil)
	return loss.Nats(r)
}

func staysWithin(x interval.Interval, most *big.Rat) bool {
	upper, _ := x.Upper.Rat(nil)
	return upper.Cmp(most) <= 0
}

// How an ε is sought: from the first guess up to so many times as much, to this part of it.
const (
	epsDoublings  = 40
	epsBisections = 40 // of an interval [x, 2x]: 2^-40 is 1e-12
)

// leastEps returns about the least ε that is enough, beginning with a guess.
func leastEps(ctx context.Context, guess loss.Epsilon,
	enough func(loss.Epsilon) bool) (eps loss.Sum, ok bool, err error) {
	if enough(loss.Nats(new(big.Rat))) {
		return eps, true, nil
	}
	two := big.NewRat(2, 1)
	hi := guess.Rat()
	if hi.Sign() == 0 { // no loss, but some δ
		return eps, false, nil
	}
	for n := 0; !enough(loss.Nats(hi)); n++ {
		if n == epsDoublings || ctx.Err() != nil {
			return eps, false, ctx.Err()
		}
		hi = new(big.Rat).Mul(hi, two)
	}
	for n := 0; n < epsDoublings; n++ { // down to where half of it is not enough
		half := new(big.Rat).Quo(hi, two)
		if !enough(loss.Nats(half)) {
			break
		}
		hi = half
	}
	lo := new(big.Rat).Quo(hi, two)
	for range epsBisections {
		if ctx.Err() != nil {
			return eps, false, ctx.Err()
		}
		mid := new(big.Rat).Add(lo, hi)
		if mid.Quo(mid, two); enough(loss.Nats(mid)) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return loss.OfRat(hi), true, nil
}
