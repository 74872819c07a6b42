package impl

import (
	"cmp"
	"fmt"
	"math"
	"math/big"

	"checkrr/impl/internal/check"
	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
)

// ReportNoisyMax adds Lap(1/ε) to each count and returns the index of the largest noisy
// count, the first of them if there are more. It makes the draws of spec.ReportNoisyMax in
// the same order, and keeps only the largest.
//
// Source: Dwork and Roth (2014), Section 3.3, Report Noisy Max; AFD-U2.
// Symbols and deviation from print: as for spec.ReportNoisyMax.
// Domain: m ≥ 1, counts finite; ε and 1/ε positive and finite. That one record changes each count by at most 1, all in
// the same direction, is the caller's word. Result in [0, m): the index from 0.
// Accuracy: float64, by the same operations in the same order.
// Cost: O(m); no allocation.
func ReportNoisyMax(counts []float64, eps float64, random noise.Source) (index int, err error) {
	scale, err := laplaceScale(1, eps)
	if err = cmp.Or(err, checkScores("count", "counts", counts), check.NotNil("random", random)); err != nil {
		return 0, fmt.Errorf("ReportNoisyMax: %w", err)
	}
	largest := math.Inf(-1)
	for i, count := range counts {
		if noisy := count + random.Laplace(scale); noisy > largest {
			index, largest = i, noisy
		}
	}
	return index, nil
}

// checkScores refuses what there is nothing to choose from. It is a pass of its own: a mechanism that refuses has
// drawn nothing.
func checkScores(one, many string, scores []float64) error {
	if len(scores) == 0 {
		return fmt.Errorf("there are 0 %s, must be at least 1", many)
	}
	return check.AllFinite(one, scores)
}

// NoisyMaxLaw returns the probability of every output of [ReportNoisyMax].
//
// Output i wins if all others are below c_i + r_i: given r_i = z these are independent comparisons with one threshold,
// as in [SparseVectorLaw.Probability] with ⊥ for all of them.
//
// Source: Dwork and Roth (2014), Section 3.3, Report Noisy Max. In the checks of AFD-C3.9, AFD-X9
// and AFD-X16.
// Symbols: the counts c_i = counts[i], the scale 1/ε of the noise = scale.
// Domain: at least one count; scale positive.
// Accuracy: each interval contains the probability; relative width at most relWidth.
// Deviation from print: print gives no law.
// Cost: O(m) integrals, each of O(l³) multiplications for l different counts.
func NoisyMaxLaw(counts []*big.Rat, scale *big.Rat, relWidth float64) (law []interval.Interval, err error) {
	if _, err := largestOf(counts); err != nil {
		return nil, fmt.Errorf("NoisyMaxLaw: %w", err)
	}
	random := SparseVectorLaw{RhoScale: scale, NuScale: scale}
	known := map[string]interval.Interval{} // equal counts are equally likely
	for i, threshold := range counts {
		p, ok := known[threshold.RatString()]
		if !ok {
			var run []Comparison
			for j, count := range counts {
				if j != i {
					run = append(run, Comparison{Query: count, Threshold: threshold})
				}
			}
			if p, err = random.Probability(run, relWidth); err != nil {
				return nil, fmt.Errorf("NoisyMaxLaw: count %d: %w", i+1, err)
			}
			known[threshold.RatString()] = p
		}
		law = append(law, p)
	}
	return law, nil
}

// NoisyMaxShortfall returns 2·ln(m/β)/ε: with a probability of at most β the count that [ReportNoisyMax] names is that
// far below the largest, or farther. For then one of the m noises is ln(m/β)/ε or more, in size: Theorem 3.8 for m
// counts.
//
// Also in the checks of AFD-T3.8.
// Symbols: β = beta, ε = eps.
// Domain: m ≥ 1, β in (0, 1], ε positive.
// Accuracy: contains it; relative width at most 2^-60.
// Cost: O(1).
func NoisyMaxShortfall(m int, beta *big.Rat, eps loss.Epsilon) (interval.Interval, error) {
	return laplaceError("NoisyMaxShortfall", m, beta, big.NewRat(2, 1), eps,
		func(n interval.Precision) interval.Interval {
			return n.Log(new(big.Rat).Quo(big.NewRat(int64(m), 1), beta))
		})
}

// ExactNoisyMaxShortfall returns what [NoisyMaxShortfall] bounds: the infimum of the α such that, whatever the m
// counts, that named is α or more below the largest with a probability of at most β.
//
// The worst counts are α below the largest for all but one: with any noise, if one that is so far below wins, it does
// too where the others of them are raised to α below, or another of them does, and where counts between are lowered
// to it. The probability is [noisyMaxFailure], of which certified values on both sides of β are what the result rests
// on.
//
// Also in the checks of AFD-T3.8.
// Symbols: β = beta, ε = eps.
// Domain: m in [1, 2^52], β in [1e-200, 1], ε positive.
// Accuracy: contains it; for β ≤ 0.99 widths of 1e-7/ε to 4e-3/ε were seen, and 0.16/ε for β = 0.9999 and m = 2^52.
// Cost: about 20 integrals of 8192 points, whatever m is.
func ExactNoisyMaxShortfall(m int, beta *big.Rat, eps loss.Epsilon) (interval.Interval, error) {
	err := cmp.Or(checkAccuracy(beta, rational.One, eps), check.Between("m", m, 1, min(math.MaxInt, 1<<52)),
		check.In("beta", beta, "[1e-200, 1]"))
	if err != nil {
		return interval.Interval{}, fmt.Errorf("ExactNoisyMaxShortfall: %w", err)
	}
	if most := big.NewRat(int64(m-1), int64(m)); beta.Cmp(most) >= 0 {
		return interval.Of(0, 0), nil // one of m equal counts is the largest
	}
	n, target := float64(m-1), interval.FloatOf(beta)
	t := whereEqual(func(t float64) interval.Float {
		p := noisyMaxFailure(n, math.Exp(-min(t, farthestCount)), 4096)
		if t > farthestCount {
			p.Lo = 0
		}
		return p
	}, target)
	ends := interval.NewFloat(math.Exp(-t.Hi), math.Exp(-t.Lo)) // what the probabilities belong to
	return bits.Quo(ends.Log().Neg().Within(0, math.Inf(1)).Interval(), loss.Enclose(eps, bits)), nil
}

// farthestCount is up to which t probabilities are computed: for larger ones, e^(−t) would be next to the smallest
// float64.
const farthestCount = 640

// noisyMaxFailure returns the probability that one of n counts wins that are t/ε below another one, where a = e^(−t).
//
// Let z/ε be the noise of the large count. The n others are below with probability (1 − v/2)^n, v = e^(−(t+z)), if z
// ≥ −t, and with (1/(2v))^n below. With the density of z that makes, for g(v) = 1 − (1 − v/2)^n,
//
//	a/2·(1 − 2^(−n)/(n + 1)) + a/2·∫_a^1 g(v)/v² dv + 1/2·∫_0^1 g(a·x) dx.
//
// g is concave: between two points its integral is at least that of the chord, and at most that of the tangent in the
// middle. g(v)/v² is 1/v times a sum of powers of 1 − v/2, convex both and falling, and so convex: there it is the
// other way round. The points are so many, closer together near 0.
func noisyMaxFailure(n, a float64, points int) interval.Float {
	v, half := interval.Point(a), interval.Point(0.5)
	g := func(v interval.Float) interval.Float {
		return complementOfExp(minusLog(v.Mul(half)).Mul(interval.Point(n)))
	}
	none := interval.Point(math.Ldexp(1, -int(n))) // 2^(−n), or 0 for what rounding makes up for
	below := interval.Point(1).Sub(none.Quo(interval.Point(n + 1)))
	chords, tangents := rules(points, func(x interval.Float) interval.Float { return g(v.Mul(x)) },
		func(x float64) float64 { return x * x })
	near := interval.NewFloat(chords.Lo, tangents.Hi)
	chords, tangents = rules(points, func(v interval.Float) interval.Float { return g(v).Quo(v).Quo(v) },
		func(x float64) float64 { return math.Pow(a, 1-x) })
	middle := interval.NewFloat(tangents.Lo, chords.Hi)
	return v.Mul(below.Add(middle)).Add(near).Mul(half).Within(0, 1)
}

// rules returns the integral of f over the points at(0), at(1/n), …, at(1) by the trapezoidal rule, and by that of
// midpoints.
func rules(n int, f func(interval.Float) interval.Float, at func(float64) float64) (chords, tangents interval.Float) {
	half := interval.Point(0.5)
	last := interval.Point(at(0))
	atLast := interval.Point(0)
	if last.Lo > 0 { // f(0) = 0
		atLast = f(last)
	}
	for i := range n {
		next := interval.Point(at(float64(i+1) / float64(n)))
		atNext, width := f(next), next.Sub(last)
		chords = chords.Add(width.Mul(half).Mul(atLast.Add(atNext)))
		tangents = tangents.Add(width.Mul(f(last.Add(next).Mul(half))))
		last, atLast = next, atNext
	}
	return chords, tangents
}

// minusLog returns −ln(1 − x) for x in (0, 1/2]: for a small x between x + x²/2 and that and x³/2.
func minusLog(x interval.Float) interval.Float {
	if x.Hi > 0x1p-13 {
		return interval.Point(1).Sub(x).Log().Neg()
	}
	square := x.Mul(x).Mul(interval.Point(0.5))
	return x.Add(square).Hull(x.Add(square).Add(square.Mul(x)))
}

// complementOfExp returns 1 − e^(−y) for y > 0: for a small y between y − y²/2 and that and y³/6.
func complementOfExp(y interval.Float) interval.Float {
	if y.Hi > 0x1p-13 {
		return interval.Point(1).Sub(y.Neg().Exp()).Within(0, 1)
	}
	square := y.Mul(y).Mul(interval.Point(0.5))
	return y.Sub(square).Hull(y.Sub(square).Add(square.Mul(y)))
}
