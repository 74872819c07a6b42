package ledger

import (
	"math"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
)

// LineBoundary returns b/2 + (b/(2a))·V, which M_n reaches with probability at most exp(−b²/(2a)), the level.
//
// Source: Whitehouse et al. (2023), Theorem 4; FAC-T4.
// Also in the checks of FAC-X21.
// Symbols: V = v.
// Domain: V ≥ 0; a, b > 0.
// Accuracy: contains both.
// Deviation from print: none.
// Cost: O(1).
func LineBoundary(v, a, b interval.Float) (boundary, level interval.Float) {
	slope := half(b.Quo(a))
	return half(b).Add(slope.Mul(v)), slope.Mul(b).Neg().Exp()
}

// MixtureBoundary returns √(2(V + γ) ln((1/δ)√((V + γ)/γ))), which M_n reaches with probability at most δ.
//
// Source: Whitehouse et al. (2023), Theorem 5; FAC-T5.
// Also in the checks of FAC-X21.
// Symbols: V = v, γ = gamma, log contains ln(1/δ).
// Domain: V ≥ 0, γ > 0, δ in (0, 1].
// Accuracy: contains it.
// Deviation from print: ln(1/δ) + ln(V/γ + 1)/2 for the logarithm of the product.
// Cost: O(1).
func MixtureBoundary(v, gamma, log interval.Float) interval.Float {
	level := log.Add(half(v.Quo(gamma).Add(interval.Point(1)).Log()))
	return interval.Point(2).Mul(v.Add(gamma)).Mul(level).Sqrt()
}

// StitchedBoundary returns 1.7√(V(ln ln(2V/v_0) + 0.72 ln(5.2/δ))), which M_n reaches with V_n ≥ v_0 with probability
// at most δ, and ∞ unless V ≥ v_0 is certain.
//
// Source: Whitehouse et al. (2023), Theorem 6; FAC-T6.
// Also in the checks of FAC-X21.
// Symbols: V = v, v_0 = v0, log contains ln(1/δ).
// Domain: V ≥ 0, v_0 > 0, δ in (0, 1).
// Accuracy: contains it.
// Deviation from print: ln 5.2 + ln(1/δ) for ln(5.2/δ).
// Cost: O(1).
func StitchedBoundary(v, v0, log interval.Float) interval.Float {
	if v.Lo < v0.Hi {
		return interval.Point(math.Inf(1))
	}
	return stitched(v, v0, log)
}

// stitched is [StitchedBoundary] for V of at least v_0, where that is known though the intervals overlap.
func stitched(v, v0, log interval.Float) interval.Float {
	level := stitchedLevel.Mul(stitchedRatio.Add(log))
	iterated := interval.Point(2).Mul(v.Quo(v0)).Log().Log()
	return stitchedScale.Mul(v.Mul(iterated.Add(level)).Sqrt())
}

// The constants 1.7, 0.72 and ln 5.2.
var stitchedScale, stitchedLevel, stitchedRatio = interval.FloatOf(rational.MustParse("1.7")),
	interval.FloatOf(rational.MustParse("0.72")), interval.FloatOf(rational.MustParse("5.2")).Log()
