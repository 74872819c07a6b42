package selection

import (
	"cmp"
	"errors"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// SearchPlan is a private selection that looks for its threshold first, [ThresholdSearch] and then [Thresholding],
// and reaches a goal: its output has a score of at most 1/R below the target's, but with the probability that the
// goal allows.
type SearchPlan struct {
	Search  Search     // of the first part, with ε_3, and without N
	Samples *big.Int   // N
	Gamma   *big.Rat   // the coin of the second part
	Limit   *big.Int   // its largest number of runs
	Eps     *big.Rat   // ε_1 of a run
	Reach   *big.Rat   // the probability with which a run reaches the threshold that is found, at least
	Runs    *big.Float // expected number of all runs, at most
	Printed *big.Float // the largest number of all runs by Theorems 4.6 and 3.1, with the same ε_0 and ε_3
}

// MostRuns returns the largest number of all runs.
func (p SearchPlan) MostRuns() *big.Int { return new(big.Int).Add(p.Samples, p.Limit) }

// PlanPrivateSelection plans a selection where the target is a quantile, scores are from 0 to 1, and runs may spend
// nearly half of the budget, with R thresholds, and a share of the budget for the search. It needs very many runs.
//
// The output is (2ε_1 + ε_3 + slack, δ)-DP: by Theorem 4.6(a) the threshold is (ε_3, δ)-DP, by Theorem 3.1(b) what
// follows is (2ε_1 + slack)-DP for each, with T of that theorem. Of the three ways to fail each has a third f of the
// goal's:
//
// The first threshold τ with p(τ) ≥ p_* may not pass. By Lemmas A.4 and A.5 no count that matters is farther from its
// mean than e^t, both with Δ added, but with probability f/2R each, if Δ(e^t − 1)·t ≥ (e^t + 1)·ln(2R/f). Then the
// test fails only if ξ − ν < t − Λ. For b = 4S/ε_3, the scale of ξ, that has the probability (4e^−u − e^−2u)/6 with u
// = (Λ − t)/b, which is f/2 at most for u = ln(4/(3f)).
//
// A threshold with p(τ) < p_1 may pass. With N·p_1 = Δ that asks for ξ_i − ν ≥ ln((N·p_* + Δ)/2Δ) − t − Λ, which is G
// = b·ln(4R/(3f)) for N = Δ(2e^(G + t + Λ) − 1)/p_*; the probability is f/2R for each of R.
//
// None may be found then: ((1 − p_1)(1 + ε_0/2)/p_1)·γ by Theorem 3.1(e), with slack for ε_0.
//
// Source: Liu and Talwar (2019), Section 4.3, with constants; the tails are 4S/ε_3 instead of 6S/ε_3, and t is by
// Δ, as some lines of the proof of Theorem 4.6(b) do not hold.
// Domain: ε in (0, 700], δ in [1e-100, 1); reach and fail in (0, 1), slack in (0, ε); R ≥ 1; share in (0, 1), and less
// than what the slack leaves.
// Accuracy: numbers of runs and probabilities are rounded to the safe side. Of ε_0 the best of some is taken.
// Cost: some hundred logarithms.
func PlanPrivateSelection(g Goal, thresholds int, share *big.Rat) (_ SearchPlan, err error) {
	defer check.Named("PlanPrivateSelection", &err)
	return g.search(thresholds, share)
}

// triedEps0 are the ε_0 that are tried, in units of the budget; they must be less than 1.
var triedEps0 = [...]string{"0.001", "0.002", "0.005", "0.01", "0.02", "0.03", "0.05", "0.07", "0.1", "0.15", "0.2",
	"0.3", "0.5", "0.7", "0.9"}

func (g Goal) search(thresholds int, share *big.Rat) (best SearchPlan, err error) {
	if err := g.check(); err != nil {
		return best, err
	}
	if g.Delta == nil || g.Delta.Sign() == 0 {
		return best, errors.New("delta is 0, must be greater than 0: " +
			"a threshold is found by samples, and some are not as they should be")
	}
	err = cmp.Or(check.In("eps", g.Eps, "[1e-30, ∞)"), check.Between("the number of thresholds", thresholds,
		1, min(math.MaxInt, 1e12)), check.In("the share of the search", share, "(0, 1)"))
	if err != nil {
		return best, err
	}
	eps3 := new(big.Rat).Mul(share, g.Eps)
	eps1 := new(big.Rat).Sub(g.Eps, g.Slack)
	eps1.Mul(eps1.Sub(eps1, eps3), big.NewRat(1, 2))
	if eps1.Sign() <= 0 {
		return best, errors.New("the share of the search and the slack leave nothing for the runs")
	}
	for _, text := range triedEps0 {
		eps0 := rational.Min(new(big.Rat).Mul(rational.MustParse(text), g.Eps), rational.MustParse("0.9"))
		with := Search{PStar: rational.Copy(g.Reach), R: thresholds, Eps0: eps0, Eps1: eps1, Eps3: eps3,
			Delta: rational.Copy(g.Delta)}
		if p, is := g.searchWith(with); is && (best.Samples == nil || p.MostRuns().Cmp(best.MostRuns()) < 0) {
			best = p
		}
	}
	if best.Samples == nil {
		return best, errors.New("more than 1e260 runs would be needed")
	}
	return best, nil
}

// mostShift is the largest G + t + Λ that is planned: e^mostShift is a number of runs, about.
const mostShift = 600

// searchWith plans with one ε_0; false if that has no plan.
func (g Goal) searchWith(with Search) (p SearchPlan, is bool) {
	n := bits
	f := new(big.Rat).Mul(g.Fail, big.NewRat(1, 3))
	scale := new(big.Rat).Mul(big.NewRat(4, 1), with.swing()) // b
	offset := with.offset()
	rare := new(big.Rat).Quo(f, big.NewRat(2*int64(with.R), 1))
	t, is := spread(offset, rare)
	if !is {
		return p, false
	}
	third := big.NewRat(4, 3)
	lambda := n.Add(n.Rat(t), n.Mul(n.Rat(scale), n.Log(new(big.Rat).Quo(third, f))))
	excess := n.Sub(lambda, n.Rat(new(big.Rat).Mul(with.Eps0, big.NewRat(1, 2))))
	excess = n.Quo(n.Max0(excess), n.Rat(new(big.Rat).Mul(big.NewRat(6, 1), with.swing())))
	if x, _ := excess.Upper.Float64(); x > mostShift {
		return p, false
	}
	below, _ := n.Exp(n.Neg(excess)).Rats()
	with.Beta = rational.Min(sixDigits(below), big.NewRat(999999, 1000000))
	lambda = with.lambda()
	tail := n.Mul(n.Rat(scale), n.Log(new(big.Rat).Quo(new(big.Rat).Mul(third, big.NewRat(int64(with.R), 1)), f)))
	shift := n.Add(n.Add(lambda, n.Rat(t)), tail)
	if x, _ := shift.Upper.Float64(); x > mostShift {
		return p, false
	}
	factor := n.Sub(n.Mul(n.Int(2), n.Exp(shift)), n.Int(1))
	p.Samples = ceiling(n.Quo(n.Mul(offset, factor), n.Rat(with.PStar)).Upper)
	least, _ := n.Quo(offset, n.Rat(new(big.Rat).SetInt(p.Samples))).Rats()
	p.Reach, p.Eps = sixDigits(least), rational.Copy(with.Eps1)
	eps0 := rational.Min(g.Slack, rational.One)
	more := new(big.Rat).Add(rational.One, new(big.Rat).Mul(eps0, big.NewRat(1, 2)))
	p.Gamma = sixDigits(new(big.Rat).Quo(new(big.Rat).Mul(f, p.Reach), more))
	p.Limit = ceiling(ThresholdingLimit(p.Gamma, eps0).Upper)
	runs := n.Add(n.Rat(new(big.Rat).SetInt(p.Samples)), n.Quo(n.Int(1), n.Rat(p.Reach)))
	runs = n.Add(runs, n.Quo(n.Rat(f), n.Rat(p.Gamma))) // a threshold that is too high is found with probability f
	p.Runs = interval.Min(runs, n.Rat(new(big.Rat).SetInt(p.MostRuns()))).Upper
	p.Search = with
	p.Printed = g.printedSearch(with, eps0)
	return p, true
}

// lambda returns Λ.
func (with Search) lambda() interval.Interval {
	n := bits
	log := n.Mul(n.Rat(new(big.Rat).Mul(big.NewRat(6, 1), with.swing())), n.Log(with.Beta))
	return n.Sub(n.Rat(new(big.Rat).Mul(with.Eps0, big.NewRat(1, 2))), log)
}

// printedSearch returns the largest number of runs with the N of Theorem 4.6, and for γ half of its bound of p(τ̃)
// times β, where β is a quarter of what may fail. The γ that is printed after Theorem 4.7, with 12ε_1/ε_0, would need
// far more.
func (g Goal) printedSearch(with Search, eps0 *big.Rat) *big.Float {
	n := bits
	with.Beta = new(big.Rat).Mul(g.Fail, big.NewRat(1, 4))
	// p_* = 1/2K
	gamma := n.Mul(n.Mul(with.shift(), n.Rat(with.PStar)), n.Rat(new(big.Rat).Mul(with.Beta, big.NewRat(1, 6))))
	limit := n.Quo(n.Log(new(big.Rat).Quo(big.NewRat(2, 1), eps0)), gamma)
	return n.Add(with.samples(), limit).Upper
}

// spread returns a t below 1 with Δ(e^t − 1)·t ≥ (e^t + 1)·ln(1/rare), hardly more than the least; false if there is
// none.
func spread(offset interval.Interval, rare *big.Rat) (t *big.Rat, is bool) {
	const steps = 1 << 12
	n, log := bits, bits.Log(new(big.Rat).Inv(rare))
	isEnough := func(k int64) bool {
		t := big.NewRat(k, steps)
		e := n.ExpRat(t)
		left := n.Mul(n.Mul(offset, n.Sub(e, n.Int(1))), n.Rat(t))
		return left.Lower.Cmp(n.Mul(n.Add(e, n.Int(1)), log).Upper) >= 0
	}
	low, high := int64(0), int64(steps-1)
	if !isEnough(high) {
		return nil, false
	}
	for high-low > 1 {
		if middle := (low + high) / 2; isEnough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return big.NewRat(high, steps), true
}
