package impl

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// privacyWidth is the relative width of what is computed from finite laws, unless it
// takes a precision of more than maxPrecision bits.
const (
	privacyWidth = 0x1p-60
	maxPrecision = 1 << 14
)

// SmallestDelta returns the smallest δ ≥ 0 with which a pair of laws satisfies the
// inequality of (𝒫, ℰ, δ)-ODP in one direction.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2.
// Also in the checks of ODP-L3 and ODP-L4.
// Symbols: Pr_b(o) = law_b[o]; the part of o is part[o]; ℰ(P_k) = e[k].
// Domain: two laws over the same outputs, each summing to 1; parts in [0, len(e)); ℰ at
// most 1e6, or any e^ℰ.
// Result in [0, 1].
// Accuracy: contains δ; relative width at most 2^-60, and [0, 0] if δ is 0.
// Cost: O(n) operations on rationals for n outputs.
func SmallestDelta(law0, law1 []*big.Rat, part []int, e []loss.Epsilon) (interval.Interval, error) {
	return smallestDelta("SmallestDelta", law0, law1, part, e, func(expE []*big.Rat) *big.Rat {
		return positiveParts(law0, law1, part, expE, everywhere)
	})
}

// smallestDelta is [falling] for laws that are checked.
func smallestDelta(
	name string, law0, law1 []*big.Rat, part []int, e []loss.Epsilon, f func(expE []*big.Rat) *big.Rat,
) (interval.Interval, error) {
	if err := checkLaws(law0, law1, part, e); err != nil {
		return interval.Interval{}, fmt.Errorf("%s: %w", name, err)
	}
	return falling(e, f), nil
}

// SmallestDeltaBothWays returns the larger of both directions of [SmallestDelta].
//
// Also in the checks of ODP-D2 and ODP-X5.
func SmallestDeltaBothWays(law0, law1 []*big.Rat, part []int, e []loss.Epsilon) (interval.Interval, error) {
	return smallestDelta("SmallestDeltaBothWays", law0, law1, part, e, func(expE []*big.Rat) *big.Rat {
		forth := positiveParts(law0, law1, part, expE, everywhere)
		return rational.Max(forth, positiveParts(law1, law0, part, expE, everywhere))
	})
}

// SmallestDPDelta returns the smallest δ ≥ 0 with Pr_0(S) ≤ e^ε Pr_1(S) + δ for all S.
//
// Source: Hartmann et al. (2022), Definition 1; ODP-D1.
// Also in the checks of ODP-L3, ODP-L4 and FAC-E1.
// Symbols, accuracy and cost: as for [SmallestDelta]; ε = eps.
// Domain: two laws over the same outputs, each summing to 1; ε at most 1e6, or any e^ε. Result in [0, 1].
func SmallestDPDelta(law0, law1 []*big.Rat, eps loss.Epsilon) (interval.Interval, error) {
	return SmallestDelta(law0, law1, make([]int, len(law0)), []loss.Epsilon{eps})
}

// SmallestSubsetDelta returns the smallest δ ≥ 0 with Pr_0(S) ≤ e^ε Pr_1(S) + δ for all S ⊆ R.
//
// Source: Hartmann et al. (2022), Definition 5; ODP-D5.
// Also in the checks of ODP-L6.
// Symbols, accuracy and cost: as for [SmallestDelta]; o is in R if r[o], ε = eps.
// Domain: two laws over the same outputs, each summing to 1; ε at most 1e6, or any e^ε. Result in [0, 1].
func SmallestSubsetDelta(law0, law1 []*big.Rat, r []bool, eps loss.Epsilon) (interval.Interval, error) {
	part := make([]int, len(law0))
	if len(r) != len(law0) {
		return interval.Interval{}, fmt.Errorf("SmallestSubsetDelta: r has %d entries, "+
			"must have %d, one for each output", len(r), len(law0))
	}
	return smallestDelta("SmallestSubsetDelta", law0, law1, part, []loss.Epsilon{eps}, func(expE []*big.Rat) *big.Rat {
		return positiveParts(law0, law1, part, expE, func(o int) bool { return r[o] })
	})
}

// SmallestExpE returns the smallest e^ℰ(P_k) ≥ 1 with which a pair of laws satisfies the
// inequality of (𝒫, ℰ, δ)-ODP in one direction, given δ and ℰ on the other parts, and
// false if there is none.
//
// Source: Hartmann et al. (2022), Definition 2; ODP-D2.
// Symbols: as for [SmallestDelta]; e[k] is not used.
// Domain: δ ≥ 0; two laws over the same outputs, each summing to 1; parts in [0, len(e)); ℰ at most 1e6, or any e^ℰ.
// Accuracy: contains e^ℰ(P_k); relative width at most 2^-60.
// Errors: also if δ is so close to what the other parts need that 16,384 bits cannot tell
// whether there is a result.
// Cost: O(n log n) operations on rationals for n outputs.
func SmallestExpE(law0, law1 []*big.Rat, part []int, e []loss.Epsilon, k int,
	delta *big.Rat) (interval.Interval, bool, error) {
	if err := cmp.Or(check.Between("k", k, 0, len(e)-1), check.In("δ", delta, "[0, ∞)")); err != nil {
		return interval.Interval{}, false, fmt.Errorf("SmallestExpE: %w", err)
	}
	others := slices.Clone(e)
	others[k] = loss.Nats(new(big.Rat))
	if err := checkLaws(law0, law1, part, others); err != nil {
		return interval.Interval{}, false, fmt.Errorf("SmallestExpE: %w", err)
	}
	return expEGiven(others, func(expE []*big.Rat) *big.Rat {
		used := positiveParts(law0, law1, part, expE, func(o int) bool { return part[o] != k })
		return smallestRatio(law0, law1, func(o int) bool { return part[o] == k }, used.Sub(delta, used))
	})
}

// expEGiven is [falling] for a function that may have no value, where it returns nil.
func expEGiven(e []loss.Epsilon, f func(expE []*big.Rat) *big.Rat) (interval.Interval, bool, error) {
	for prec := uint(128); prec <= maxPrecision; prec *= 2 {
		low, high := expBounds(e, prec)
		upper, lower := f(low), f(high)
		switch {
		case lower == nil:
			return interval.Interval{}, false, nil
		case upper == nil: // some e^ℰ between the bounds decides
			continue
		}
		if x := outwardly(lower, upper); x.RelWidth() <= privacyWidth {
			return x, true, nil
		}
	}
	return interval.Interval{}, false, fmt.Errorf("SmallestExpE: δ is too close to what the other parts need")
}

// falling returns f(e^ℰ) for a function that does not rise in any e^ℰ(P_k): it lies
// between the values at an upper and at a lower bound of e^ℰ. These are the same, and the
// value is exact, if every ℰ is given as e^ℰ.
func falling(e []loss.Epsilon, f func(expE []*big.Rat) *big.Rat) interval.Interval {
	return sharp(128, func(n interval.Precision) interval.Interval {
		low, high := expBounds(e, uint(n))
		return outwardly(f(high), f(low))
	})
}

// expBounds returns rational bounds of e^ε with a relative distance of about 2^-prec. For an ε
// that is below that, they are those of 1 + ε ≤ e^ε ≤ 1 + ε + ε², so that both are above 1.
func expBounds(e []loss.Epsilon, prec uint) (low, high []*big.Rat) {
	for _, eps := range e {
		if eps.Log || eps.Rat().Sign() == 0 {
			exact := rational.One
			if eps.Log {
				exact = eps.Rat()
			}
			low, high = append(low, exact), append(high, exact)
			continue
		}
		if rational.Magnitude(eps.Rat()) < -int(prec) {
			least := new(big.Rat).Add(rational.One, eps.Rat())
			square := new(big.Rat).Mul(eps.Rat(), eps.Rat())
			low, high = append(low, least), append(high, square.Add(square, least))
			continue
		}
		x := interval.Precision(prec).ExpRat(eps.Rat())
		lower, upper := x.Rats()
		low, high = append(low, lower), append(high, upper)
	}
	return low, high
}

// outwardly returns [lower, upper] in 128 bits.
func outwardly(lower, upper *big.Rat) interval.Interval {
	n := interval.Precision(128)
	return interval.New(n.Down().SetRat(lower), n.Up().SetRat(upper))
}

func everywhere(int) bool { return true }

// positiveParts returns Σ max(0, Pr_0 − e^ℰ Pr_1) over the outputs that are included.
//
// It is the largest Pr_0(S) − Σ_k e^ℰ(P_k) Pr_1(S ∩ P_k) over all sets S of such outputs:
// the best S holds the outputs that add something positive to it.
func positiveParts(law0, law1 []*big.Rat, part []int, expE []*big.Rat, included func(o int) bool) *big.Rat {
	sum, term := new(big.Rat), new(big.Rat)
	for o, p0 := range law0 {
		if included(o) && term.Sub(p0, term.Mul(expE[part[o]], law1[o])).Sign() > 0 {
			sum.Add(sum, term)
		}
	}
	return sum
}

// smallestRatio returns the smallest x ≥ 1 with Σ max(0, Pr_0 − x Pr_1) ≤ left over the outputs that are included, or
// nil if there is none: the largest (Pr_0(S) − left)/Pr_1(S) over sets S of them.
func smallestRatio(law0, law1 []*big.Rat, included func(o int) bool, left *big.Rat) *big.Rat {
	if left.Sign() < 0 {
		return nil
	}
	x := mostRatio(law0, law1, included, left)
	if x == nil {
		return nil
	}
	return rational.Max(rational.One, x)
}

func checkLaws(law0, law1 []*big.Rat, part []int, e []loss.Epsilon) error {
	if len(law1) != len(law0) || len(part) != len(law0) {
		return fmt.Errorf("law0, law1 and part have %d, %d and %d entries, must have the same number",
			len(law0), len(law1), len(part))
	}
	for o, k := range part {
		if k < 0 || k >= len(e) {
			return fmt.Errorf("output %d: part is %d, must be at least 0 and less than %d", o, k, len(e))
		}
	}
	for k, eps := range e {
		if err := check.Rule(loss.FaultExp(eps)); err != nil {
			return fmt.Errorf("part %d: %w", k, err)
		}
	}
	return cmp.Or(check.Law("law0", slices.All(law0)), check.Law("law1", slices.All(law1)))
}

// PrivacyLoss returns ln(p/q) for two positive numbers; an end is infinite where an
// interval reaches 0.
//
// Domain: the upper ends from 1e-300 to 1e300.
// Accuracy: 2^-50 beside the widths of p and q.
// Cost: O(1).
//
// Also in the checks of ODP-T17.
func PrivacyLoss(p, q interval.Interval) (interval.Interval, error) {
	for _, x := range []interval.Interval{p, q} {
		if x.Lower == nil || x.Upper == nil || x.Lower.Sign() < 0 ||
			!(x.Float().Hi >= 1e-300 && x.Float().Hi <= 1e300) {
			return interval.Interval{}, fmt.Errorf("PrivacyLoss: interval is [%v, %v], must be at least 0, "+
				"with an upper end from 1e-300 to 1e300", x.Lower, x.Upper)
		}
	}
	return p.Float().Log().Sub(q.Float().Log()).Interval(), nil
}
