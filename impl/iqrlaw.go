package impl

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// IQRLaw is the law of an output of M^D_j or M_IQR: ⊥ with probability Bottom, otherwise
// IQR·(1 + 1/ln n)^z with z ~ Lap(1/ε). Both M^D_1 and M^D_2 return the same value but for
// ⊥, so M_IQR returns ⊥ where both do, and the same value otherwise.
type IQRLaw struct {
	IQR    *big.Rat          // the interquartile range of x
	N      int               // n, the number of records
	Eps    loss.Epsilon      // ε
	Bottom interval.Interval // Pr(⊥)
	Answer interval.Interval // Pr(ℝ) = 1 − Pr(⊥)

	rate interval.Interval // ε/ln(1 + 1/ln n)
}

// LawOfDiscretizedIQR returns the law of M^D_j(x).
//
// Source: [DiscretizedIQR]; ODP-X16.
// Also in the checks of ODP-X17.
// Symbols: as for [DiscretizedIQR].
// Domain: n in [2, 2^20]; ε in [1e-300, 1000], δ in [1e-300, 1].
// Accuracy: contains the real numbers; relative width at most 1e-30.
// Deviation from print: none.
// Cost: O(n log n).
func LawOfDiscretizedIQR(x []*big.Rat, j int, eps loss.Epsilon, delta *big.Rat) (IQRLaw, error) {
	a, err := IQRDistance(x, j)
	if err = cmp.Or(err, checkPTRTest(eps, delta)); err != nil {
		return IQRLaw{}, fmt.Errorf("LawOfDiscretizedIQR: %w", err)
	}
	s, _ := sortSample(x)
	bottom, answer := iqrTest(iqrReals, a, eps, delta)
	n := iqrReals
	share := n.Quo(loss.Enclose(eps, n), n.LogOf(iqrBaseOf(n, len(x))))
	return IQRLaw{s.iqr, len(x), loss.Copy(eps), bottom, answer, share}, nil
}

// LawOfPrivateIQR returns the law of M_IQR(x).
//
// Source: [PrivateIQR]; ODP-X16, ODP-L10.
// Symbols, accuracy and deviation from print: as for [LawOfDiscretizedIQR].
// Domain: n in [2, 2^20]; ε in [1e-300, 1000], δ in [1e-300, 1].
// Cost: O(n log n).
func LawOfPrivateIQR(x []*big.Rat, eps loss.Epsilon, delta *big.Rat) (IQRLaw, error) {
	first, err := LawOfDiscretizedIQR(x, 1, eps, delta)
	if err != nil {
		return IQRLaw{}, fmt.Errorf("LawOfPrivateIQR: %w", err)
	}
	second, _ := LawOfDiscretizedIQR(x, 2, eps, delta)
	n := iqrReals
	first.Answer = n.Add(first.Answer, n.Mul(first.Bottom, second.Answer))
	first.Bottom = n.Mul(first.Bottom, second.Bottom)
	return first, nil
}

// AtMost returns Pr(output ∈ ℝ, output ≤ r).
//
// Source: [DiscretizedIQR], the law of the output; ODP-X16.
// Domain: any r; l from [LawOfDiscretizedIQR] or [LawOfPrivateIQR]. Result in [0, 1 − Bottom].
// Accuracy: contains the real number.
// Deviation from print: none.
// Cost: O(1) logarithms and exponentials.
func (l IQRLaw) AtMost(r *big.Rat) (interval.Interval, error) {
	if err := cmp.Or(l.check(), check.Given("r", r)); err != nil {
		return interval.Interval{}, fmt.Errorf("AtMost: %w", err)
	}
	return l.atMost(r), nil
}

// check refuses a law that does not come from one of these functions.
func (l IQRLaw) check() error {
	if l.IQR == nil || l.Bottom.Lower == nil || l.Answer.Lower == nil || l.rate.Lower == nil {
		return errors.New("a law is missing, must come from LawOfDiscretizedIQR or LawOfPrivateIQR")
	}
	return nil
}

func (l IQRLaw) atMost(r *big.Rat) interval.Interval {
	n := iqrReals
	switch {
	case r.Sign() < 0 || r.Sign() == 0 && l.IQR.Sign() > 0:
		return n.Int(0)
	case l.IQR.Sign() == 0:
		return l.Answer
	}
	tail := n.Half(l.overlap(r))
	if r.Cmp(l.IQR) > 0 {
		tail = n.Sub(n.Int(1), tail)
	}
	return n.Mul(l.Answer, tail)
}

// overlap returns Y = e^(−ε|d|), where d is the difference of the logarithms of l.IQR and
// r ≥ 0 to the base 1 + 1/ln n: exactly 1 for equal numbers, and 0 if one of them is 0.
func (l IQRLaw) overlap(r *big.Rat) interval.Interval {
	n := iqrReals
	switch {
	case r.Cmp(l.IQR) == 0:
		return n.Int(1)
	case r.Sign() == 0 || l.IQR.Sign() == 0:
		return n.Int(0)
	}
	ratio := new(big.Rat).Quo(r, l.IQR)
	if ratio.Cmp(rational.One) < 0 {
		ratio.Inv(ratio)
	}
	return n.Exp(n.Neg(n.Mul(n.Log(ratio), l.rate)))
}

// SmallestIQRDelta returns the smallest δ for which l as the law for x and other as the
// law for x' satisfy the inequality of ({ℝ, {⊥}}, ℰ, δ)-ODP in this direction, with
// ℰ(ℝ) = answer·ε and ℰ(⊥) = bottom·ε.
//
// It is the sum over the two parts of the integral of the positive part of p0 f0 − E p1 f1.
// On ℝ, p_b is the probability of ℝ and f_b the Laplace density around L_b, E =
// e^(answer·ε). With Y = e^(−ε|L0 − L1|) and ρ = E p1/p0, the ratio of the densities is
// monotone between 1/(ρY) and Y/ρ, and the integral is 0 for ρ ≥ 1/Y, p0 − E p1 for
// ρ ≤ Y, and p0 − √(E p0 p1 Y) between, where the ratio is 1 at one point. In one line that is
// max(0, p0 − min(E p1, √(E p0 p1 Y))): the root is the smaller one exactly for ρ ≥ Y, and
// then it is below p0 exactly for ρ < 1/Y.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2, ODP-L10.
// Also in the checks of ODP-X16 and ODP-X17.
// Domain: laws for the same n and ε; answer and bottom in [0, 1000], which keeps
// e^(charge·ε) inside the range of a big.Float.
// Result in [0, 1].
// Accuracy: contains the real number.
// Deviation from print: one direction; privacy asks for both.
// Cost: O(1) logarithms, exponentials and roots.
func SmallestIQRDelta(l, other IQRLaw, answer, bottom int) (interval.Interval, error) {
	err := cmp.Or(l.check(), other.check())
	switch {
	case err != nil:
	case l.N != other.N || !l.Eps.Equal(other.Eps):
		err = errors.New("laws are for different n or ε, must be for the same")
	case min(answer, bottom) < 0 || max(answer, bottom) > 1000:
		err = fmt.Errorf("charges are %d ε and %d ε, must be at least 0 and at most 1000 ε", answer, bottom)
	}
	if err != nil {
		return interval.Interval{}, fmt.Errorf("SmallestIQRDelta: %w", err)
	}
	n := iqrReals
	expEps := loss.EncloseExp(l.Eps, n)
	p0, p1 := l.Answer, other.Answer
	charged := n.Mul(n.Power(expEps, answer), p1)
	root := n.Sqrt(n.Mul(n.Mul(charged, p0), l.overlap(other.IQR)))
	onR := n.Max0(n.Sub(p0, interval.Min(charged, root)))
	onBottom := n.Max0(n.Sub(l.Bottom, n.Mul(n.Power(expEps, bottom), other.Bottom)))
	return n.Add(onR, onBottom), nil
}
