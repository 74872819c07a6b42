package ledger

import (
	"math"
	"math/big"

	"checkrr/impl/internal/rational"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// BetCharge returns c, the least number with e^(λL − c) ≤ 1 + μ(1 − e^(−L)) for all |L| ≤ ε: what a part with ℰ = ε is
// charged for the bet μ. It is the larger of its values for L = ε and L = −ε. For μ = 0 it is λε.
//
// e^ε − 1 is e^ε·(1 − e^(−ε)), so that nothing cancels.
//
// Source: docs/odp-filter.md, Lemma 2; OUR-L20.
// Symbols: λ = lambda, μ = mu, ε = eps.
// Domain: λ > 0, μ in [0, λ], μ(e^ε − 1) < 1, ε in [0, 700].
// Accuracy: contains the number; width about 10^-15 times 1 + λε. The upper end is +Inf where μ(e^ε − 1) may be 1.
// Cost: O(1).
func BetCharge(lambda, mu, eps interval.Float) interval.Float {
	won := mu.Mul(oneMinusExp(eps))
	up := lambda.Mul(eps).Sub(interval.Point(1).Add(won).Log())
	rest := interval.Point(1).Sub(won.Mul(eps.Exp()))
	if rest.Lo < 1e-290 {
		return interval.NewFloat(up.Lo, math.Inf(1))
	}
	down := lambda.Mul(eps).Add(rest.Log()).Neg()
	return interval.NewFloat(max(up.Lo, down.Lo), max(up.Hi, down.Hi))
}

// oneMinusExp returns 1 − e^(−x) for x ≥ 0, for a small x by its series: x(1 − x/2(1 − x/3(1 − x/4(1 − y)))) with y
// in [0, x/5].
func oneMinusExp(x interval.Float) interval.Float {
	one := interval.Point(1)
	at := func(x float64) interval.Float {
		p := interval.Point(x)
		if x > 0x1p-10 {
			return one.Sub(p.Neg().Exp())
		}
		sum := one.Sub(interval.NewFloat(0, x/5))
		for _, k := range []float64{4, 3, 2} {
			sum = one.Sub(p.Quo(interval.Point(k)).Mul(sum))
		}
		return p.Mul(sum)
	}
	return interval.NewFloat(at(max(0, x.Lo)).Lo, at(x.Hi).Hi).Within(0, 1)
}

// FairBet returns the μ for which [BetCharge] is the same at both ends. It is charged least: as much as
// λ times the Rényi divergence of order 1 + λ of randomized response.
//
// It is (1 − e^(−2λε))e^(−ε)/((1 − e^(−ε))(1 + e^(−(1+2λ)ε))): nothing overflows.
//
// Source: docs/odp-filter.md, Lemma 3; OUR-L21.
// Symbols: λ = lambda, ε = eps.
// Domain: λ > 0, ε = 0 or ε in [1e-100, 600]. Result in (0, λ].
// Accuracy: contains the number; relative width below 10^-12.
// Cost: O(1).
func FairBet(lambda, eps interval.Float) interval.Float {
	if eps.Hi == 0 {
		return lambda
	}
	twice := lambda.Mul(eps).Mul(interval.Point(2))
	far := interval.Point(1).Add(twice.Add(eps).Neg().Exp())
	return oneMinusExp(twice).Mul(eps.Neg().Exp()).Quo(oneMinusExp(eps).Mul(far)).Within(0, lambda.Hi)
}

// ResponseCharge returns λ times the Rényi divergence of order 1 + λ of ε-randomized response.
//
// It is λε + ln(1 + e^(−(1+2λ)ε)) − ln(1 + e^(−ε)): nothing overflows.
//
// Source: docs/odp-filter.md, Lemma 3; OUR-L21.
// Symbols: λ = lambda, ε = eps.
// Domain: λ > 0, ε ≥ 0.
// Accuracy: contains the number; width about 10^-15 times 1 + λε.
// Cost: O(1).
func ResponseCharge(lambda, eps interval.Float) interval.Float {
	one, all := interval.Point(1), lambda.Mul(eps)
	far := all.Add(all).Add(eps).Neg().Exp()
	return all.Add(one.Add(far).Log()).Sub(one.Add(eps.Neg().Exp()).Log()).Within(0, math.Inf(1))
}

// ODPBet returns the bet for a mechanism by its smallest and its largest ℰ: the fair bet of the smallest, unless the
// part with the largest would be charged more than twice its [ResponseCharge] then.
//
// Source: docs/odp-filter.md, "Which bet"; OUR-X19.
// Symbols: λ = lambda.
// Domain: λ > 0, 0 ≤ least ≤ most; each 0 or in [1e-100, 600].
// Accuracy: as that of [FairBet].
// Cost: O(1).
func ODPBet(lambda, least, most interval.Float) interval.Float {
	if most.Hi == 0 {
		return lambda
	}
	fair, charge := FairBet(lambda, least), ResponseCharge(lambda, most)
	limit := oneMinusExp(lambda.Mul(most).Add(charge).Add(charge)).Mul(most.Neg().Exp()).Quo(oneMinusExp(most))
	return interval.NewFloat(min(fair.Lo, limit.Lo), min(fair.Hi, limit.Hi))
}

// pricing is what the parts of a mechanism are charged: with its [ODPBet], and never more than twice the
// [ResponseCharge] of the largest ℰ, which is the charge where there is one part.
type pricing struct{ lambda, bet, most interval.Float }

// farEps is where the bet is 0, and every part charged λ times the largest ℰ.
const farEps = 600

// pricingOf returns the charges of a mechanism by its smallest and its largest ℰ.
func pricingOf(lambda, least, most interval.Float) pricing {
	if most.Hi > farEps {
		return pricing{lambda: lambda, most: lambda.Mul(most)}
	}
	worst := ResponseCharge(lambda, most)
	if least == most {
		return pricing{lambda: lambda, most: worst}
	}
	return pricing{lambda, ODPBet(lambda, least, most), worst.Add(worst)}
}

// charge returns the charge of a part.
func (p pricing) charge(eps interval.Float) interval.Float {
	if p.bet.Hi == 0 {
		return p.most
	}
	c := BetCharge(p.lambda, p.bet, eps)
	return interval.NewFloat(max(0, min(c.Lo, p.most.Lo)), min(c.Hi, p.most.Hi))
}

// around returns an interval that contains ε; those below 1e-100 are raised to that, but for 0.
func around(eps loss.Epsilon) interval.Float {
	const small = 1e-100
	switch {
	case eps.IsZero():
		return interval.Point(0)
	case eps.Log && rational.Bits(eps.Value) < 1000:
		if x := interval.FloatOf(eps.Rat()).Log(); x.Lo > 1e-10 {
			return x
		}
	}
	var x interval.Float
	if eps.Log {
		x = loss.Enclose(eps, interval.Precision(64)).Float()
	} else {
		x = interval.FloatOf(eps.Rat())
	}
	return interval.NewFloat(max(small, x.Lo), max(small, x.Hi))
}

// roundedUp returns x ≥ 0, or hardly more, as a sum that takes little memory: a multiple of 10^-18.
func roundedUp(x float64) loss.Sum {
	if x < 1 {
		// a product that is rounded is too small by less than 2^-53 of it, and by less than 128
		return loss.OfRat(new(big.Rat).SetFrac64(int64(x*1e18)+129, 1e18))
	}
	const unit = 1_000_000_000_000_000_000
	r := new(big.Rat).SetFloat64(x)
	n := new(big.Int).Mul(r.Num(), big.NewInt(unit))
	n.Add(n, r.Denom()).Quo(n, r.Denom()) // one more than the floor
	return loss.OfRat(new(big.Rat).SetFrac(n, big.NewInt(unit)))
}
