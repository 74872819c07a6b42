package selection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// Unlimited is a number of runs T without end.
const Unlimited = 0

// Thresholding draws from the oracle until a score is at least τ, and gives up with the probability γ after each draw
// below it, and after T draws. It makes the draws of spec.Thresholding in the same order. How many they were is for
// those who may see the data: the guarantee is of the output alone.
//
// Source: Liu and Talwar (2019), Section 3, the algorithm that knows a threshold; PSC-A1. Also in the check of
// PSC-T1.2b.
// Symbols and deviation from print: as for spec.Thresholding.
// Domain: γ in [0, 1], t ≥ 1 or [Unlimited], τ not NaN.
// Cost: at most T draws.
func Thresholding[X any](ctx context.Context, q Candidate[X], tau float64, gamma *big.Rat, t int,
	coins noise.Coins) (found Scored[X], isFound bool, runs int, err error) {
	if err = checkStopping(gamma, t, coins); err == nil && math.IsNaN(tau) {
		err = fmt.Errorf("tau is NaN, must be a number")
	}
	if err != nil {
		return found, false, 0, fmt.Errorf("Thresholding: %w", err)
	}
	for {
		s, err := q.run(ctx)
		if err != nil {
			return found, false, runs, fmt.Errorf("run %d: %w", runs+1, err)
		}
		runs++
		if s.Score >= tau {
			return s, true, runs, nil
		}
		if coins.Bernoulli(gamma) || runs == t {
			return found, false, runs, nil
		}
	}
}

// checkStopping refuses what is no chance, and a selection that need not end.
func checkStopping(gamma *big.Rat, t int, coins noise.Coins) error {
	if t < 0 {
		return fmt.Errorf("t is %d, must be at least 1, or 0 for no limit", t)
	}
	return cmp.Or(check.NotNil("coins", coins), check.In("gamma", gamma, "[0, 1]"))
}

// ThresholdingLaw returns the law of the output of [Thresholding]: the probability of each sample, and that of ⊥.
//
// With a = (1 − p_1)(1 − γ) the sums of spec.ThresholdingLaw are geometric: Σ a^(j−1) = (1 − a^T)/(1 − a), or T if a
// = 1; ⊥ is that no draw is above what is below τ, with [NoneAbove].
//
// Source: Liu and Talwar (2019), Appendix A.1, the second and fourth display of the proof of Theorem 3.1; PSC-T3.1.s2,
// PSC-T3.1.s4.
// Also in the checks of PSC-T1.2a, PSC-T3.1a, PSC-T3.1b, PSC-T3.1c, PSC-T3.1e, PSC-T3.1.s5, PSC-T3.1.s6, PSC-T3.1.s7,
// PSC-T3.1.s9, PSC-T3.1.s10, PSC-T3.1.s12, PSC-T3.1.s13 and PSC-X7.
// Symbols: as for spec.ThresholdingLaw.
// Domain: probabilities that sum to 1, γ in [0, 1], t ≥ 1; or [Unlimited], and γ or p_1 positive.
// Accuracy: exact. The result sums to 1.
// Deviation from print: none.
// Cost: O(n + log T) operations for n samples.
func ThresholdingLaw(oracle []*big.Rat, first int, gamma *big.Rat, t int) (law []*big.Rat, none *big.Rat) {
	p1 := new(big.Rat)
	for _, p := range oracle[first:] {
		p1.Add(p1, p)
	}
	draws := drawsOf(p1, gamma, t)
	for i, p := range oracle {
		pr := new(big.Rat)
		if i >= first {
			pr.Mul(p, draws)
		}
		law = append(law, pr)
	}
	return law, NoneAbove(complement(p1), gamma, t)
}

// drawsOf returns the expected number of draws of [Thresholding], Σ_{j=1}^T a^(j−1).
func drawsOf(p1, gamma *big.Rat, t int) *big.Rat {
	a := new(big.Rat).Sub(rational.One, p1)
	a.Mul(a, new(big.Rat).Sub(rational.One, gamma))
	leaves := new(big.Rat).Sub(rational.One, a)
	switch {
	case t == Unlimited:
		return leaves.Inv(leaves)
	case leaves.Sign() == 0:
		return big.NewRat(int64(t), 1)
	}
	done := new(big.Rat).Sub(rational.One, rational.Power(a, t))
	return done.Quo(done, leaves)
}

// ThresholdingLimit returns max{(1/γ)·ln(2/ε_0), 1 + 1/(eγ)}: the T of Theorem 3.1 are the integers from there on.
//
// Source: Liu and Talwar (2019), Theorem 3.1; PSC-T3.1b.
// Also in the checks of PSC-T3.1c, PSC-T3.1e, PSC-T3.1.s9, PSC-T3.1.s10, PSC-T1.4a, PSC-T4.7a, PSC-T1.4c and
// PSC-T4.7c2.
// Symbols: γ = gamma, ε_0 = eps0.
// Domain: γ in (0, 1], ε_0 in (0, 1].
// Accuracy: contains it; relative width about 2^-180.
// Deviation from print: γ and ε_0 may be 0 in print, where this is infinite.
// Cost: O(1).
func ThresholdingLimit(gamma, eps0 *big.Rat) interval.Interval {
	n := bits
	byChance := n.Quo(n.Log(new(big.Rat).Quo(big.NewRat(2, 1), eps0)), n.Rat(gamma))
	return interval.Max(byChance, n.Add(n.Int(1), n.Quo(n.ExpRat(big.NewRat(-1, 1)), n.Rat(gamma))))
}

// ThresholdingRuns returns 1/(p_1(1 − γ) + γ), which the expected number of draws of [Thresholding] is at most.
//
// Source: Liu and Talwar (2019), Theorem 3.1(d); PSC-T3.1d. Also in the checks of PSC-X7 and PSC-T1.2c.
// Symbols, accuracy and deviation from print: as for spec.ThresholdingRuns.
// Domain: p_1 and γ in [0, 1], one of them positive.
// Cost: O(1).
func ThresholdingRuns(p1, gamma *big.Rat) *big.Rat { return drawsOf(p1, gamma, Unlimited) }

// ThresholdingNone returns ((1 − p_1)(1 + ε_0/2)/p_1)·γ, which the probability of ⊥ is at most.
//
// Source: Liu and Talwar (2019), Theorem 3.1(e); PSC-T3.1e.
// Also in the checks of PSC-T4.7.s2, PSC-T1.4d and PSC-T4.7d.
// Symbols, accuracy and deviation from print: as for spec.ThresholdingNone.
// Domain: p_1 in (0, 1], γ and ε_0 in [0, 1].
// Cost: O(1).
func ThresholdingNone(p1, gamma, eps0 *big.Rat) *big.Rat {
	odds := new(big.Rat).Quo(new(big.Rat).Sub(rational.One, p1), p1)
	slack := new(big.Rat).Add(rational.One, new(big.Rat).Mul(eps0, big.NewRat(1, 2)))
	return odds.Mul(odds, slack).Mul(odds, gamma)
}

// ThresholdingLoss returns what Theorem 3.1(b) bounds by 2ε_1 + ε_0: the largest privacy loss of [Thresholding] if Q is
// ε_1-DP, which without a limit is exactly ε_1 + ln((e^ε_1 + γ)/(1 + γe^ε_1)); with one, a bound of it, larger by
// ln(1 + (1 − γ)^T/(eγ(T − 1))).
//
// Proof. Let p_1 and p_1′ be the chances of a score of at least τ on the two databases, and a = (1 − p_1)(1 − γ). A
// sample has the probability p·G(p_1), G(p_1) = Σ_{j<T} a^j, and ⊥ has ((1 − p_1)γ + p_1·a^T)/(1 − a). Without a
// limit both lose at most ε_1 + ln((1 − a′)/(1 − a)), where 1 − a = p_1(1 − γ) + γ. As p_1′ ≤ e^ε_1·p_1 and 1 − p_1′
// ≥ e^−ε_1(1 − p_1), this is largest where both are equal, at p_1 = 1/(e^ε_1 + 1): below that point (e^ε_1·p_1(1 − γ)
// + γ)/(p_1(1 − γ) + γ) increases with p_1, and above, with u = (1 − p_1)(1 − γ), (1 − e^−ε_1·u)/(1 − u) increases
// with u. There it is (e^ε_1 + γ)/(1 + γe^ε_1), and it is reached by randomized response whose likely answer is below
// τ, and which has a rarer sample above that is e^ε_1 times as likely on the first database. With a limit,
// G(p_1)/G(p_1′) is at most e^0 where p_1′ ≤ p_1, and otherwise has the factor (1 − a^T)/(1 − a′^T) ≤ 1 more; and ⊥
// has the factor (1 + x)/(1 + x′), x = p_1(1 − p_1)^(T−1)(1 − γ)^T/γ, of which p_1(1 − p_1)^(T−1) ≤ 1/(e(T − 1)) for
// T > 1. □
//
// Source: none; sharper than Liu and Talwar (2019), Theorem 3.1(b). In the checks of PSC-T3.1b, PSC-T3.1c and PSC-X4.
// Also in the checks of PSC-T1.4a and PSC-T4.7a.
// Symbols: ε_1 = eps, γ = gamma, T = t.
// Domain: ε_1 ≥ 0; γ in (0, 1] and t ≥ 2, or γ in [0, 1] and t = [Unlimited].
// Accuracy: contains it; relative width about 2^-150.
// Cost: O(log T).
func ThresholdingLoss(eps loss.Epsilon, gamma *big.Rat, t int) interval.Interval {
	most := bits.Add(loss.Enclose(eps, bits), swing(eps, gamma))
	if t == Unlimited {
		return most
	}
	return bits.Add(most, thresholdingLimitCost(gamma, t))
}

// thresholdingLimitCost returns ln(1 + (1 − γ)^T/(eγ(T − 1))).
func thresholdingLimitCost(gamma *big.Rat, t int) interval.Interval {
	n := bits
	stay := n.Power(n.Rat(complement(gamma)), t)
	rest := n.Quo(stay, n.Mul(n.ExpRat(rational.One), n.Mul(n.Rat(gamma), n.Int(int64(t-1)))))
	return n.Max0(n.LogOf(n.Add(n.Int(1), rest)))
}

// swing returns ln((e^ε + γ)/(1 + γe^ε)), by which the probability of stopping at a draw can change.
func swing(eps loss.Epsilon, gamma *big.Rat) interval.Interval {
	n := bits
	e, g := loss.EncloseExp(eps, n), n.Rat(gamma)
	return n.Max0(n.LogOf(n.Quo(n.Add(e, g), n.Add(n.Int(1), n.Mul(e, g)))))
}
