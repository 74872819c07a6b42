package impl

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
)

// Sensitivity bounds by how much the error s changes with one record of x^train, at a
// given q; n = n^train and Λ = lambda.
type Sensitivity func(n int, lambda *big.Rat) (interval.Interval, error)

// testBits is the precision of what is computed once for a release test.
const testBits = 160

// ErrorSensitivity returns the bound 2(e^w − 1), w = 2/(n^train·Λ), as printed.
//
// Source: Hartmann et al. (2022), Appendix D, the display after eq. (15); ODP-L21.
// Symbols: n^train = n, Λ = lambda.
// Domain: n ≥ 1, Λ > 0, n·Λ from 0.01 to 1e12.
// Accuracy: 100 bits.
// Deviation from print: none.
// Cost: O(1).
func ErrorSensitivity(n int, lambda *big.Rat) (interval.Interval, error) {
	w, err := parameterDistance(n, lambda)
	if err != nil {
		return interval.Interval{}, fmt.Errorf("ErrorSensitivity: %w", err)
	}
	return printedError(w), nil
}

func printedError(w *big.Rat) interval.Interval {
	n := interval.Precision(testBits)
	return n.Mul(n.Int(2), n.Sub(n.ExpRat(w), n.Int(1)))
}

// TightErrorSensitivity returns the bound 2·tanh(w/4), w = 2/(n^train·Λ): the most by
// which h_p(x) = tanh(p^T x/2) changes when p^T x changes by w. It is never above 2, and
// for small w a quarter of the printed one.
//
// Proof. tanh α − tanh β = tanh(α − β)·(1 − tanh α·tanh β). For α − β = w/2 that is
// largest where tanh α·tanh β is smallest, at α = −β = w/4: with α + β = σ,
// tanh α·tanh β = (cosh σ − cosh(w/2))/(cosh σ + cosh(w/2)) increases with cosh σ. And
// tanh is increasing, so no smaller change does more. The error changes by as much if
// all of x^test has x^T(p − p′) = w, p^T x = w/2 and y = 1. □
//
// Source: none; sharper than Hartmann et al. (2022), Appendix D; ODP-L21.
// Symbols and cost: as for [ErrorSensitivity].
// Domain: n ≥ 1, Λ > 0, n·Λ from 0.01 to 1e12.
// Accuracy: 100 bits.
func TightErrorSensitivity(n int, lambda *big.Rat) (interval.Interval, error) {
	w, err := parameterDistance(n, lambda)
	if err != nil {
		return interval.Interval{}, fmt.Errorf("TightErrorSensitivity: %w", err)
	}
	r := interval.Precision(testBits)
	return twiceTanh(r, r.Rat(w)), nil
}

// twiceTanh returns 2·tanh(w/4) = 2(1 − e^(−w/2))/(1 + e^(−w/2)) for w ≥ 0.
func twiceTanh(n interval.Precision, w interval.Interval) interval.Interval {
	e := n.Exp(n.Neg(n.Half(w)))
	return n.Mul(n.Int(2), n.Quo(n.Max0(n.Sub(n.Int(1), e)), n.Add(n.Int(1), e)))
}

// LogisticErrorSensitivity returns 2·tanh(w/4) for a smaller w, which holds for the
// logistic loss: w = 2σ(R)/(n^train·Λ), σ(R) = 1/(1 + e^(−R)), R a bound of ‖p_min‖.
//
// Proof. Let v = y·x for each record, J and J′ the objectives of neighbours that differ
// in v and v′, and p′ the minimizer of J′. Then ∇J(p′) = (v′σ(−v′^T p′) − vσ(−v^T p′))/n has
// a norm of at most 2σ(‖p′‖)/n, and J is Λ-strongly convex: ‖p − p′‖ ≤ ‖∇J(p′)‖/Λ. As for R:
// from ∇J(p)·p = 0, Λ‖p‖² is the mean of φ(v^T p), φ(u) = u·σ(−u), and |v^T p| ≤ ‖p‖.
// φ increases up to where u·σ(u) = 1, at 1.27846454…, and is at most 0.27846455: hence
// ‖p‖² ≤ 0.27846455/Λ, and, if ‖p‖ is below 1.27846454, Λ‖p‖ ≤ σ(−‖p‖). □
//
// Source: none; sharper than Hartmann et al. (2022), Theorem 16; ODP-T16, ODP-L21.
// Symbols and cost: as for [ErrorSensitivity].
// Domain: n ≥ 1, Λ > 0, n·Λ from 0.01 to 1e12.
// Accuracy: 40 bits.
func LogisticErrorSensitivity(n int, lambda *big.Rat) (interval.Interval, error) {
	w, err := parameterDistance(n, lambda)
	if err != nil {
		return interval.Interval{}, fmt.Errorf("LogisticErrorSensitivity: %w", err)
	}
	r := interval.Precision(testBits)
	return twiceTanh(r, r.Mul(r.Rat(w), largestMinimizer(lambda).Sigma().Interval())), nil
}

// peak is where φ(u) = u·σ(−u) is largest, between its ends.
var peak = interval.NewFloat(1.27846454, 1.27846455)

// largestMinimizer returns R ≥ ‖p_min‖ for the logistic loss, as one float64 above and
// one below the solution of the equation for R.
func largestMinimizer(lambda *big.Rat) interval.Float {
	l := interval.FloatOf(lambda)
	// increasing in r
	above := func(r float64) interval.Float { return l.Mul(interval.Point(r)).Sub(interval.Point(-r).Sigma()) }
	if above(peak.Lo).Lo <= 0 {
		return peak.Mul(peak.Neg().Sigma()).Quo(l).Sqrt()
	}
	return passesZero(0, peak.Lo, above)
}

// passesZero returns the ends of an interval in which an increasing f passes 0, which it does between the
// ends given: as narrow as f can be told from 0.
func passesZero(lo, hi float64, f func(x float64) interval.Float) interval.Float {
	below := func(x float64) (float64, error) { return f(x).Hi, nil }
	above := func(x float64) (float64, error) { return -f(-x).Lo, nil }
	from, _, _ := rootfind.Last(lo, hi, hi, 0, below)
	to, _, _ := rootfind.Last(-hi, -lo, -lo, 0, above)
	return interval.NewFloat(from, -to)
}

// parameterDistance returns 2/(n·Λ).
func parameterDistance(n int, lambda *big.Rat) (*big.Rat, error) {
	if err := checkWeight(n, lambda); err != nil {
		return nil, err
	}
	weight := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(n)), lambda)
	return weight.Quo(big.NewRat(2, 1), weight), nil
}

func checkWeight(n int, lambda *big.Rat) error {
	if err := cmp.Or(check.Between("n", n, 1, math.MaxInt), check.Above0("lambda", lambda)); err != nil {
		return err
	}
	weight := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(n)), lambda)
	if weight.Cmp(rational.MustParse("0.01")) < 0 || weight.Cmp(rational.MustParse("1e12")) > 0 {
		return fmt.Errorf("lambda is %s, times n = %d must be at least 0.01 and at most 1e12",
			rational.Decimal(lambda), n)
	}
	return nil
}

// ReleaseTestScale returns a = max(2/n^test, sensitivity(n^train, Λ)).
//
// Source: Hartmann et al. (2022), Algorithm 5, line 2; ODP-A5, ODP-T17.
// Symbols: n^train = nTrain, n^test = nTest, Λ = lambda.
// Domain: n^train and n^test ≥ 1; Λ > 0, n^train·Λ from 0.01 to 1e12.
// Accuracy: that of the sensitivity; 2/n^test is exact to 160 bits.
// Deviation from print: the sensitivity is a parameter; [ErrorSensitivity] is printed.
// Cost: O(1).
func ReleaseTestScale(nTrain, nTest int, lambda *big.Rat, sensitivity Sensitivity) (interval.Interval, error) {
	a, _, err := releaseTestScale(nTrain, nTest, lambda, sensitivity)
	if err != nil {
		return interval.Interval{}, fmt.Errorf("ReleaseTestScale: %w", err)
	}
	return a, nil
}

// releaseTestScale returns a and (2/n^test)/a, which is exactly 1 where 2/n^test is the
// larger part of a.
func releaseTestScale(nTrain, nTest int, lambda *big.Rat,
	sensitivity Sensitivity) (a, part interval.Interval, err error) {
	if sensitivity == nil {
		return a, part, errors.New("sensitivity is missing, must be a function such as ErrorSensitivity")
	}
	s, err := sensitivity(nTrain, lambda)
	if err = cmp.Or(check.Between("nTest", nTest, 1, math.MaxInt), err); err != nil {
		return a, part, err
	}
	n := interval.Precision(testBits)
	test, one := n.Rat(big.NewRat(2, int64(nTest))), n.Int(1)
	a = interval.Max(test, s)
	if s.Upper.Cmp(test.Lower) <= 0 {
		return a, one, nil
	}
	part = n.Quo(test, a)
	return a, interval.Min(part, one), nil
}

// ReleaseTestCharges returns ℰ(ℝ^d) = max(ε_1, ((2/n^test)/a)·ε_2) and
// ℰ({⊥}) = min(ℰ(ℝ^d), ε_2).
//
// Source: Hartmann et al. (2022), Theorem 17; ODP-T17, ODP-C18.
// Also in the checks of ODP-X28.
// Symbols: ε_1 = eps1, ε_2 = eps2; otherwise as for [ReleaseTestScale].
// Domain: ε_1, ε_2 > 0; n^train and n^test ≥ 1; Λ > 0, n^train·Λ from 0.01 to 1e12.
// Accuracy: that of the sensitivity.
// Deviation from print: that of [ReleaseTestScale].
// Cost: O(1).
func ReleaseTestCharges(nTrain, nTest int, eps1, eps2, lambda *big.Rat,
	sensitivity Sensitivity) (released, refused interval.Interval, err error) {
	_, part, err := releaseTestScale(nTrain, nTest, lambda, sensitivity)
	if err = cmp.Or(check.Above0("ε_1", eps1), check.Above0("ε_2", eps2), err); err != nil {
		return released, refused, fmt.Errorf("ReleaseTestCharges: %w", err)
	}
	n := interval.Precision(testBits)
	e1, e2 := n.Rat(eps1), n.Rat(eps2)
	test := n.Mul(part, e2)
	released = interval.Max(e1, test)
	return released, interval.Min(released, e2), nil
}

// ReleaseTestPercentile returns the y with Pr(r ≤ y) = level for the noise r ~ Lap(a/ε_2)
// of the test: (a/ε_2)·ln(1/(2(1 − level))), which is (a/ε_2)·ln 10 at level = 0.95.
//
// Source: Hartmann et al. (2022), Figure 2; ODP-F2.
// Symbols: ε_2 = eps2; otherwise as for [ReleaseTestScale].
// Domain: level from 0.5 to 1, without 1; ε_2 > 0; n^train and n^test ≥ 1; Λ > 0, n^train·Λ from 0.01 to 1e12.
// Accuracy: that of the sensitivity.
// Deviation from print: that of [ReleaseTestScale].
// Cost: O(1).
func ReleaseTestPercentile(level *big.Rat, nTrain, nTest int, eps2, lambda *big.Rat,
	sensitivity Sensitivity) (interval.Interval, error) {
	a, err := ReleaseTestScale(nTrain, nTest, lambda, sensitivity)
	if err = cmp.Or(check.In("level", level, "[1/2, 1)"), check.Above0("ε_2", eps2), err); err != nil {
		return interval.Interval{}, fmt.Errorf("ReleaseTestPercentile: %w", err)
	}
	n := interval.Precision(testBits)
	above := new(big.Rat).Sub(rational.One, level) // Pr(r > y) = e^(−y·ε_2/a)/2
	odds := n.Log(above.Inv(above.Mul(above, big.NewRat(2, 1))))
	return n.Quo(n.Mul(a, odds), n.Rat(eps2)), nil
}

// RefusalAbove returns the probability of ⊥ when the error s is above t by excess:
// Pr(r > −excess), r ~ Lap(a/ε_2).
//
// Source: Hartmann et al. (2022), Algorithm 5, line 4; ODP-A5, ODP-F2.
// Symbols: a, ε_2 = eps2.
// Domain: a > 0, excess ≥ 0, ε_2 > 0.
// Accuracy: 100 bits beside that of the arguments.
// Deviation from print: none.
// Cost: O(1).
func RefusalAbove(excess, a interval.Interval, eps2 *big.Rat) (interval.Interval, error) {
	err := cmp.Or(check.Above0("ε_2", eps2), checkScale("a", a))
	if err == nil && (excess.Lower == nil || excess.Upper == nil || excess.Lower.Sign() < 0 || excess.Upper.IsInf()) {
		err = fmt.Errorf("excess is [%v, %v], must be finite and at least 0", excess.Lower, excess.Upper)
	}
	if err != nil {
		return interval.Interval{}, fmt.Errorf("RefusalAbove: %w", err)
	}
	n := interval.Precision(testBits)
	return n.Sub(n.Int(1), n.Half(n.Exp(n.Neg(n.Quo(n.Mul(excess, n.Rat(eps2)), a))))), nil
}

func checkScale(name string, a interval.Interval) error {
	if a.Lower == nil || a.Upper == nil || !(a.Float().Lo > 1e-289) || a.Float().Hi > 1e289 {
		return fmt.Errorf("%s is [%v, %v], must be greater than 0, from 1e-289 to 1e289", name, a.Lower, a.Upper)
	}
	return nil
}
