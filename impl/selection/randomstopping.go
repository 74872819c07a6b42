package selection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// RandomStopping draws from the oracle, stops with the probability γ after each draw, and returns the highest sample.
// It makes the draws of spec.RandomStopping in the same order, and holds one sample. How many they were is for those
// who may see the data: the guarantee is of the output alone.
//
// Source: Liu and Talwar (2019), Section 3, the algorithm that stops at random; PSC-A2.
// Also in the checks of PSC-T1.3b and PSC-T1.3c.
// Symbols and deviation from print: as for spec.RandomStopping.
// Domain: γ in (0, 1].
// Cost: 1/γ draws on average.
func RandomStopping[X any](ctx context.Context, q Candidate[X], higher Higher[X], gamma *big.Rat,
	coins noise.Coins) (top Scored[X], runs int, err error) {
	return untilStopped(ctx, "RandomStopping", q, higher, gamma, Unlimited, coins)
}

// HardStopping is [RandomStopping] that stops after T draws at the latest.
//
// Source: Liu and Talwar (2019), Section 3, Theorems 3.4 and 3.5; PSC-A3.
// Symbols and deviation from print: as for spec.HardStopping.
// Domain: γ in [0, 1], t ≥ 1; or [Unlimited] and γ > 0.
// Cost: at most T draws.
func HardStopping[X any](ctx context.Context, q Candidate[X], higher Higher[X], gamma *big.Rat, t int,
	coins noise.Coins) (top Scored[X], runs int, err error) {
	return untilStopped(ctx, "HardStopping", q, higher, gamma, t, coins)
}

// untilStopped is both of them; the errors name the caller.
func untilStopped[X any](ctx context.Context, caller string, q Candidate[X], higher Higher[X], gamma *big.Rat, t int,
	coins noise.Coins) (top Scored[X], runs int, err error) {
	err = cmp.Or(checkStopping(gamma, t, coins), check.NotNil("higher", higher))
	switch {
	case err != nil:
	case t == Unlimited && gamma.Sign() == 0:
		err = errors.New("gamma is 0, must be positive if there is no limit of the runs")
	}
	if err != nil {
		return top, 0, fmt.Errorf("%s: %w", caller, err)
	}
	for {
		s, err := q.run(ctx)
		if err != nil {
			return Scored[X]{}, runs, fmt.Errorf("run %d: %w", runs+1, err)
		}
		if runs++; runs == 1 || s.isHigher(top, higher) {
			top = s
		}
		if coins.Bernoulli(gamma) || runs == t {
			return top, runs, nil
		}
	}
}

// RandomStoppingLaw returns the law of the output of [RandomStopping]: with s^j = Pr[no score of j is above], the
// mean of s^j over the number of draws is f(s) = γs/(1 − (1 − γ)s), and the highest is a sample with f(1 − p_0) − f(1
// − p_1).
//
// Source: Liu and Talwar (2019), proof of Theorem 3.2, the display before the closed form; PSC-T3.2.s3.
// Also in the checks of PSC-T3.2, PSC-T3.2.s1, PSC-T3.2.s5, PSC-T3.3, PSC-T3.3.s1 and PSC-T1.3a.
// Symbols, accuracy and deviation from print: as for spec.RandomStoppingLaw.
// Domain: probabilities that sum to 1; γ in (0, 1].
// Cost: O(n) operations for n samples.
func RandomStoppingLaw(oracle []*big.Rat, gamma *big.Rat) []*big.Rat {
	return HardStoppingLaw(oracle, gamma, Unlimited)
}

// HardStoppingLaw returns the law of the output of [HardStopping], as [RandomStoppingLaw] does, with the f of at most
// T draws.
//
// Source: Liu and Talwar (2019), Appendix A.2, the display after eq. (2); PSC-T3.5.s2.
// Also in the checks of PSC-T3.4, PSC-T3.5, PSC-T3.5.s3, PSC-T3.5.s8, PSC-T3.5.s9 and PSC-T3.5.s10.
// Symbols, accuracy and deviation from print: as for spec.HardStoppingLaw.
// Domain: probabilities that sum to 1; γ in [0, 1], t ≥ 1; or [Unlimited] and γ > 0.
// Cost: O(n·log T) multiplications for n samples.
func HardStoppingLaw(oracle []*big.Rat, gamma *big.Rat, t int) []*big.Rat {
	law := make([]*big.Rat, len(oracle))
	below := new(big.Rat)
	last := new(big.Rat)
	for i, p := range oracle {
		below = new(big.Rat).Add(below, p)
		next := NoneAbove(below, gamma, t)
		law[i] = new(big.Rat).Sub(next, last)
		last = next
	}
	return law
}

// NoneAbove returns the probability that no draw of a selection is above what one draw is not above with the
// probability s: for s = 1 − p_1 that of ⊥ in [Thresholding], and for s = 1 − p that of a score of [HardStopping]
// below the p-quantile of the best, which Theorem 3.3 bounds by γ/p.
//
// With a = (1 − γ)s it is (γs + (1 − s)a^T)/(1 − a): the coin ends the draws below, or T does.
//
// Source: Liu and Talwar (2019), proofs of Theorems 3.1 and 3.3; PSC-T3.3.s1.
// Also in the checks of PSC-T3.3, PSC-T5.2.s1 and PSC-T5.2b.
// Symbols: γ = gamma, T = t.
// Domain: s in [0, 1]; γ in [0, 1], t ≥ 1; or [Unlimited] and γ > 0.
// Accuracy: exact.
// Deviation from print: T; in print a draw is at or above the quantile with a probability of exactly p.
// Cost: O(log T) multiplications of numbers with up to T times as many digits.
func NoneAbove(s, gamma *big.Rat, t int) *big.Rat {
	a := new(big.Rat).Sub(rational.One, gamma)
	if a.Mul(a, s).Cmp(rational.One) == 0 { // s = 1, γ = 0
		return a
	}
	sum := new(big.Rat).Mul(gamma, s)
	if t != Unlimited {
		rest := new(big.Rat).Sub(rational.One, s)
		sum.Add(sum, rest.Mul(rest, rational.Power(a, t)))
	}
	return sum.Quo(sum, new(big.Rat).Sub(rational.One, a))
}

// ApproximateHardStopping returns the T of Theorem 3.4, and the ε and the δ of [HardStopping] with it.
// [SelectionDelta] needs no limit, the ε of pure runs, and far less δ.
//
// Source: Liu and Talwar (2019), Theorem 3.4; PSC-T3.4.
// Symbols and deviation from print: as for spec.ApproximateHardStopping; T is rounded up.
// Domain: ε_1 ≥ 0, δ_1 in [0, 1), γ in (0, 1], δ_2 in (0, 1].
// Accuracy: eps and delta contain the numbers, with T rounded up in δ; relative width about 2^-150.
// Cost: O(1).
func ApproximateHardStopping(eps1 loss.Epsilon,
	delta1, gamma, delta2 *big.Rat) (t *big.Int, eps, delta interval.Interval) {
	n := bits
	t = ceiling(n.Quo(n.Log(new(big.Rat).Inv(delta2)), n.Rat(gamma)).Upper)
	root := n.Sqrt(n.Rat(new(big.Rat).Add(delta1, delta1)))
	eps = n.Mul(n.Int(3), n.Add(loss.Enclose(eps1, n), root))
	return t, eps, n.Add(n.Mul(root, n.Rat(new(big.Rat).SetInt(t))), n.Rat(delta2))
}

// SelectionDelta returns the least δ with which [RandomStopping], [HardStopping] and [Thresholding] are (ε, δ)-DP for
// all Q that are (ε_1, δ_1)-DP, where ε is what they lose if Q is ε_1-DP: δ_1/(γ + (1 − γ)δ_1) without a limit, and
// less with one.
//
// Proof. The laws of an (ε_1, δ_1)-DP oracle are (1 − δ_1)P_b′ + δ_1·B_b, where P_0′ and P_1′ are within a factor of
// e^ε_1 (as Lemma 12 of the ODP paper has it): with the probability δ_1 a run is bad. Let a bad run instead return a
// sample ☠ that is above all others, and reaches every threshold. That oracle is ε_1-DP. An output of the selection
// that is not ☠ is then as likely as that output and no bad run before, so that on one database it is within the loss
// for ε_1-DP oracles of what it is on the other; what is left on either is the probability that the output is ☠. A
// selection that returns the best does so if one of its J runs is bad, with 1 − E[(1 − δ_1)^J]. One with a threshold
// does so most likely if no other sample reaches it: then it stops as the others do. If ☠ is another sample on each
// database, no smaller δ will do, whatever ε is. □
//
// Source: none; sharper than Liu and Talwar (2019), Theorems 3.1(c) and 3.4. In the checks of PSC-T3.1c and PSC-T3.4.
// Symbols: δ_1 = delta1, γ = gamma, T = t.
// Domain: δ_1 in [0, 1]; γ in [0, 1], t ≥ 1; or [Unlimited] and γ > 0.
// Accuracy: exact.
// Cost: as [NoneAbove].
func SelectionDelta(delta1, gamma *big.Rat, t int) *big.Rat {
	return complement(NoneAbove(complement(delta1), gamma, t))
}

// BelowQuantile returns γ/p: the output of [RandomStopping] has a lower score than Q^(p)(D) with at most that
// probability, where Q^(p)(D) = sup{z : Pr[Q(D) ≥ z] > p}.
//
// Source: Liu and Talwar (2019), Theorem 3.3; PSC-T3.3.
// Symbols, accuracy and deviation from print: as for spec.BelowQuantile.
// Domain: p in (0, 1], γ in (0, 1].
// Cost: O(1).
func BelowQuantile(p, gamma *big.Rat) *big.Rat { return new(big.Rat).Quo(gamma, p) }

// HardStoppingLimit returns ⌈(1/γ)(L + ln L)⌉, L = ln(2(1+γ)²/(ε_0γ²)): the T of Theorem 3.5.
//
// Source: Liu and Talwar (2019), Theorem 3.5; PSC-T3.5. Also in the checks of PSC-T3.5.s7, PSC-T3.5.s8,
// PSC-T3.5.s9 and PSC-T3.5.s10.
// Symbols and deviation from print: as for spec.HardStoppingLimit.
// Domain: γ in (0, 1], ε_0 in (0, 1/2).
// Accuracy: exact; it is found out with as many bits as that takes.
// Cost: O(1).
func HardStoppingLimit(gamma, eps0 *big.Rat) *big.Int {
	next := new(big.Rat).Add(rational.One, gamma)
	x := new(big.Rat).Quo(new(big.Rat).Mul(next, next), new(big.Rat).Mul(gamma, gamma))
	x.Quo(x.Add(x, x), eps0)
	for n := interval.Precision(128); ; n *= 2 {
		l := n.Log(x)
		t := n.Quo(n.Add(l, n.LogOf(l)), n.Rat(gamma))
		low, high := ceiling(t.Lower), ceiling(t.Upper)
		if low.Cmp(high) == 0 {
			return low
		}
	}
}

// ceiling returns ⌈x⌉.
func ceiling(x *big.Float) *big.Int {
	i, accuracy := x.Int(nil)
	if accuracy == big.Below {
		i.Add(i, big.NewInt(1))
	}
	return i
}

// RandomStoppingLoss returns what Theorem 3.2 bounds by 3ε_1: the largest privacy loss of [RandomStopping] if Q is
// ε_1-DP, which is exactly ε_1 + 2·ln((e^ε_1 + γ)/(1 + γe^ε_1)).
//
// Proof. A sample has the probability f(1 − p_0) − f(1 − p_1), f as in [RandomStoppingLaw]. It can be cut into parts:
// of those that are a share of both of its probabilities, p and p′, the ratio is that of two sums, and at most the
// largest of theirs. So let p be as small as one likes: the ratio is p/p′·f′(1 − p_0)/f′(1 − p_0′), f′(s) = γ/(1 − (1
// − γ)s)², and the square root of the second factor is what [ThresholdingLoss] is about. It is reached, as parts
// become small, by randomized response that has the rarer answer above and the likely one, in parts, below: by the
// highest of these. □
//
// Source: none; sharper than Liu and Talwar (2019), Theorem 3.2. In the checks of PSC-T3.2 and PSC-X4.
// Also in the checks of PSC-T1.3a and PSC-T5.2b.
// Symbols: ε_1 = eps, γ = gamma.
// Domain: ε_1 ≥ 0; γ in (0, 1].
// Accuracy: contains it; relative width about 2^-150.
// Cost: O(1).
func RandomStoppingLoss(eps loss.Epsilon, gamma *big.Rat) interval.Interval {
	n, s := bits, swing(eps, gamma)
	return n.Add(loss.Enclose(eps, n), n.Add(s, s))
}

// HardStoppingLoss returns a bound of the privacy loss of [HardStopping] if Q is ε_1-DP, which Theorem 3.5 bounds by
// 3ε_1 + 3ε_0 for its T: the loss of [RandomStoppingLoss], and ln(1 + Tγ(1 − γ)^(T−1)) − ln(1 − (1 − γ)^(T−1)(T − (T
// − 1)(1 − γ))) more.
//
// Proof. With a = (1 − γ)s, f′(s) without a limit is g = γ/(1 − a)². With one it is
// Σ_{j<T} jγa^(j−1) + T·a^(T−1) = g·(1 − a^(T−1)(T − (T − 1)a)) + T·a^(T−1). The bracket decreases with a, and
// T·a^(T−1)(1 − a)²/γ increases up to a = (T − 1)/(T + 1); so for a ≤ 1 − γ, at most that, the ratio of both f′ is at
// least 1 − (1 − γ)^(T−1)(T − (T − 1)(1 − γ)) and at most 1 + Tγ(1 − γ)^(T−1). The former is 1 − (1 − γ)^(T−1)(1 +
// γ(T − 1)), which is above 0. □
//
// Source: none; sharper than Liu and Talwar (2019), Theorem 3.5. In the checks of PSC-T3.4 and PSC-T3.5.
// Symbols: ε_1 = eps, γ = gamma, T = t.
// Domain: ε_1 ≥ 0; γ in (0, 1], t ≥ 2. For γ(T + 1) < 2 the bound is infinite.
// Accuracy: contains the bound; relative width about 2^-150.
// Cost: O(log T).
func HardStoppingLoss(eps loss.Epsilon, gamma *big.Rat, t int) interval.Interval {
	return bits.Add(RandomStoppingLoss(eps, gamma), hardStoppingLimitCost(gamma, t))
}

// hardStoppingLimitCost returns what [HardStoppingLoss] adds.
func hardStoppingLimitCost(gamma *big.Rat, t int) interval.Interval {
	n, count := bits, big.NewRat(int64(t), 1)
	stay := n.Power(n.Rat(complement(gamma)), t-1)
	more := n.Add(n.Int(1), n.Mul(stay, n.Rat(new(big.Rat).Mul(count, gamma))))
	weight := new(big.Rat).Sub(count, new(big.Rat).Mul(big.NewRat(int64(t-1), 1), complement(gamma)))
	less := n.Sub(n.Int(1), n.Mul(stay, n.Rat(weight)))
	if new(big.Rat).Mul(gamma, big.NewRat(int64(t)+1, 1)).Cmp(big.NewRat(2, 1)) < 0 {
		return interval.Of(0, math.Inf(1))
	}
	return n.Max0(n.Sub(n.LogOf(more), n.LogOf(less)))
}
