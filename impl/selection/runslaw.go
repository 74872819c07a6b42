package selection

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/rootfind"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// RunsLaw is a law of the number J of runs of a selection that returns the best of them. It does not depend on the
// data.
type RunsLaw interface {
	// Mean returns E[J].
	Mean() interval.Interval
	// Miss returns f(s) = E[s^J]: the probability that no run is above what one is not above with the probability s.
	Miss(s *big.Rat) interval.Interval
	// Loss returns the largest privacy loss of the output if runs are ε_1-DP.
	Loss(eps loss.Epsilon) interval.Interval
}

// TruncatedNegativeBinomial is the law of J ≥ 1 with f(s) = ((1 − (1 − γ)s)^−η − 1)/(γ^−η − 1), and for η = 0 the
// logarithmic law, f(s) = ln(1 − (1 − γ)s)/ln γ. With η = 1 it is that of [RandomStopping].
//
// Its loss is exactly ε_1 + (1 + η)·ln((e^ε_1 + γ)/(1 + γe^ε_1)), by the proof of [RandomStoppingLoss], as f′(s) is a
// multiple of (1 − (1 − γ)s)^(−η−1).
//
// Source: Papernot and Steinke, Hyperparameter Tuning with Rényi Differential Privacy (2022), Definition 1; its loss
// is at most (2 + η)ε_1 there (Corollary 3).
// Domain: η > −1, γ in (0, 1).
// Accuracy: intervals contain the numbers; relative width about 2^-120.
// Cost: some logarithms.
type TruncatedNegativeBinomial struct{ Eta, Gamma *big.Rat }

// NewTruncatedNegativeBinomial returns the law with a mean, or one a little less.
//
// Domain: η > −1, mean in (1, 1e12].
func NewTruncatedNegativeBinomial(eta, mean *big.Rat) (l TruncatedNegativeBinomial, err error) {
	if err = cmp.Or(check.In("eta", eta, "(-1, ∞)"), check.In("mean", mean, "(1, 1e12]")); err != nil {
		return l, fmt.Errorf("NewTruncatedNegativeBinomial: %w", err)
	}
	of := func(x float64) TruncatedNegativeBinomial {
		return TruncatedNegativeBinomial{rational.Copy(eta), new(big.Rat).SetFloat64(math.Exp(-x))}
	}
	goal, size := bits.Rat(mean), rational.Float64(mean)
	const least, most = 1e-9, 690 // of ln(1/γ), with which the mean rises
	x, over, _ := rootfind.Last(least, 1+math.Log(size), most, 1e-9*size, func(x float64) (float64, error) {
		return bits.Sub(of(x).Mean(), goal).Float().Hi, nil
	})
	if over > 0 || over < -1e-6*size {
		return l, fmt.Errorf("NewTruncatedNegativeBinomial: mean is %s, too small or too large for eta %s",
			rational.Decimal(mean), rational.Decimal(eta))
	}
	return of(x), nil
}

// Mean returns η(1 − γ)/(γ(1 − γ^η)), and (1/γ − 1)/ln(1/γ) for η = 0.
func (l TruncatedNegativeBinomial) Mean() interval.Interval {
	n, odds := bits, bits.Rat(new(big.Rat).Quo(complement(l.Gamma), l.Gamma))
	if l.Eta.Sign() == 0 {
		return n.Quo(odds, n.Neg(n.Log(l.Gamma)))
	}
	return n.Quo(n.Mul(n.Rat(l.Eta), odds), n.Sub(n.Int(1), l.power(l.Gamma, 1)))
}

// Miss returns f(s), for s in [0, 1].
func (l TruncatedNegativeBinomial) Miss(s *big.Rat) interval.Interval {
	n, rest := bits, complement(new(big.Rat).Mul(complement(l.Gamma), s))
	if l.Eta.Sign() == 0 {
		return n.Quo(n.Log(rest), n.Log(l.Gamma))
	}
	one := n.Int(1)
	return n.Quo(n.Sub(l.power(rest, -1), one), n.Sub(l.power(l.Gamma, -1), one))
}

// Loss returns ε_1 + (1 + η)·ln((e^ε_1 + γ)/(1 + γe^ε_1)).
func (l TruncatedNegativeBinomial) Loss(eps loss.Epsilon) interval.Interval {
	times := bits.Rat(new(big.Rat).Add(rational.One, l.Eta))
	return bits.Add(loss.Enclose(eps, bits), bits.Mul(times, swing(eps, l.Gamma)))
}

// power returns x^(sign·η).
func (l TruncatedNegativeBinomial) power(x *big.Rat, sign int64) interval.Interval {
	exponent := new(big.Rat).Mul(l.Eta, big.NewRat(sign, 1))
	return bits.Exp(bits.Mul(bits.Rat(exponent), bits.Log(x)))
}

// PoissonRuns is the Poisson law of J, with f(s) = e^(μ(s − 1)). With no run, which happens with probability e^−μ
// whatever the data are, the selection returns nothing.
//
// Its loss is exactly ε_1 + μ·tanh(ε_1/2): f′(s)/f′(s′) is e^(μ(s − s′)), and the probabilities of one event on two
// databases differ by at most (e^ε_1 − 1)/(e^ε_1 + 1), which randomized response reaches; the rest is the proof of
// [RandomStoppingLoss].
//
// Source: Papernot and Steinke, Hyperparameter Tuning with Rényi Differential Privacy (2022), Theorem 6, by Rényi
// divergences.
// Domain: μ > 0.
// Accuracy: intervals contain the numbers; relative width about 2^-120.
// Cost: some logarithms.
type PoissonRuns struct{ Mu *big.Rat }

// Mean returns μ.
func (l PoissonRuns) Mean() interval.Interval { return bits.Rat(l.Mu) }

// Miss returns e^(μ(s − 1)), for s in [0, 1].
func (l PoissonRuns) Miss(s *big.Rat) interval.Interval {
	return bits.ExpRat(new(big.Rat).Mul(l.Mu, new(big.Rat).Sub(s, rational.One)))
}

// Loss returns ε_1 + μ·tanh(ε_1/2).
func (l PoissonRuns) Loss(eps loss.Epsilon) interval.Interval {
	n, e := bits, loss.EncloseExp(eps, bits)
	difference := n.Max0(n.Quo(n.Sub(e, n.Int(1)), n.Add(e, n.Int(1))))
	return n.Add(loss.Enclose(eps, n), n.Mul(n.Rat(l.Mu), difference))
}

// LargestRunEps returns the largest ε_1 of a run with which the loss of the output is at most a budget, to 1e-9 of
// it, and never more.
//
// Domain: budget in (0, 700].
// Cost: some fifty times that of a loss.
func LargestRunEps(l RunsLaw, budget *big.Rat) (float64, error) {
	if l == nil {
		return 0, errors.New("LargestRunEps: the law is missing")
	}
	if err := check.Above0("budget", budget); err != nil {
		return 0, fmt.Errorf("LargestRunEps: %w", err)
	}
	if budget.Cmp(mostPlannedEps) > 0 {
		return 0, fmt.Errorf("LargestRunEps: budget is %s, must be at most %s",
			rational.Decimal(budget), rational.Decimal(mostPlannedEps))
	}
	return largestEps(l.Loss, budget, rational.Float64(budget)), nil
}

// largestEps returns the largest ε, to 1e-9 of the budget, of which the loss is at most the budget; guess is one from
// above.
func largestEps(of func(eps loss.Epsilon) interval.Interval, budget *big.Rat, guess float64) float64 {
	limit, most := bits.Rat(budget), rational.Float64(budget)
	eps, _, _ := rootfind.Last(0, guess, most, 1e-9*most, func(eps float64) (float64, error) {
		return bits.Sub(of(loss.Nats(new(big.Rat).SetFloat64(eps))), limit).Float().Hi, nil
	})
	return eps
}
