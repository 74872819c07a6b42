package impl

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rootfind"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// What error a mechanism has with a probability of at most β: [LaplaceError], [ExponentialShortfall] and
// [NoisyMaxShortfall] are what a theorem allows, [ExactLaplaceError], [ExactExponentialShortfall] and
// [ExactNoisyMaxShortfall] what it is in the worst case, and [ShortfallOf] what it is for given utilities.

// ShortfallOf returns the infimum of the α such that an output drawn from the law has a utility of α or more below the
// largest with a probability of at most β: of the distances from the largest, the greatest that is reached or exceeded
// with a probability above β, or 0.
//
// Also in the checks of AFD-T3.11.
// Symbols: u(x,r) = utilities[r], β = beta; the law is as from [ExponentialLaw] or [NoisyMaxLaw].
// Domain: as many utilities as probabilities, at least one; β in (0, 1].
// Accuracy: contains it; both ends are distances, rounded outward, and the same unless β is too near to a sum of the
// law to be told from it.
// Cost: O(|R| log |R|).
func ShortfallOf(utilities []*big.Rat, law []interval.Interval, beta *big.Rat) (interval.Interval, error) {
	best, err := largestOf(utilities)
	if err == nil && len(law) != len(utilities) {
		err = fmt.Errorf("there are %d probabilities, must be %d, one for each utility", len(law), len(utilities))
	}
	if err = cmp.Or(err, checkBeta(beta)); err != nil {
		return interval.Interval{}, fmt.Errorf("ShortfallOf: %w", err)
	}
	worstFirst := make([]int, len(utilities))
	for r := range worstFirst {
		worstFirst[r] = r
	}
	slices.SortStableFunc(worstFirst, func(r, s int) int { return utilities[r].Cmp(utilities[s]) })
	most, reached, low, high := bits.Rat(beta), bits.Int(0), bits.Int(0), bits.Int(0)
	for i, r := range worstFirst {
		reached = bits.Add(reached, law[r])
		if i+1 < len(worstFirst) && utilities[worstFirst[i+1]].Cmp(utilities[r]) == 0 {
			continue
		}
		distance := bits.Rat(new(big.Rat).Sub(best, utilities[r]))
		if high.IsZero() && reached.Upper.Cmp(most.Lower) > 0 {
			high = distance
		}
		if reached.Lower.Cmp(most.Upper) > 0 {
			low = distance
			break
		}
	}
	return interval.New(low.Lower, high.Upper), nil
}

// whereEqual returns where p, which falls from x = 0 on, is equal to the goal: from the largest x found where p is at
// least the goal, or 0, to the smallest one where it is at most that. Logarithms are compared, as they are nearly
// straight for most tails.
func whereEqual(p func(x float64) interval.Float, goal interval.Float) interval.Float {
	const near = 1e-7 // relative
	apart := func(small, large float64) (float64, error) {
		if small <= large {
			return min(0, math.Log(small/large)), nil
		}
		return max(math.SmallestNonzeroFloat64, math.Log(small/large)), nil
	}
	low, _, _ := rootfind.Last(0, 1, math.MaxFloat64, near, func(x float64) (float64, error) {
		return apart(goal.Hi, p(x).Lo)
	})
	high := 2*low + 1
	for p(high).Hi > goal.Lo {
		high *= 2
	}
	minusHigh, _, _ := rootfind.Last(-high, -low, 0, near, func(x float64) (float64, error) {
		return apart(p(-x).Hi, goal.Lo)
	})
	return interval.NewFloat(low, -minusHigh)
}

// sharp returns f of the first precision that gives a relative width of at most 2^-60, of those from the first on up to
// maxPrecision bits.
func sharp(first int, f func(n interval.Precision) interval.Interval) interval.Interval {
	for prec := first; ; prec *= 2 {
		if x := f(interval.Precision(prec)); x.RelWidth() <= privacyWidth || prec >= maxPrecision {
			return x
		}
	}
}

// checkAccuracy checks what all bounds of errors take.
func checkAccuracy(beta, sensitivity *big.Rat, eps loss.Epsilon) error {
	err := cmp.Or(checkBeta(beta), check.Above0("sensitivity", sensitivity), check.Rule(loss.FaultExp(eps)))
	if err == nil && eps.IsZero() {
		err = errors.New("eps is 0, must be greater than 0")
	}
	return err
}

func checkBeta(beta *big.Rat) error { return check.In("beta", beta, "(0, 1]") }
