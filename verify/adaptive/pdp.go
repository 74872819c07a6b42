package adaptive

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// pdpIsDP checks that (ε, δ)-pDP laws are (ε, of(δ))-DP.
func pdpIsDP(t *register.T, of func(*big.Rat) *big.Rat) {
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/4, e^ε in {%s}, with the smallest δ", charges)
	finite.Each2(pairsIn(4), charges, func(p finite.Pair, e *big.Rat) {
		t.At("%v, e^ε = %s", p, e)
		need, have := dpDelta(p, e), pdpDelta(p, e)
		t.Require(need.Cmp(of(have)) <= 0, "|loss| > ε with probability %s, and the smallest δ of DP is %s", have, need)
		t.CloseTo(need, have, "")
	})
}

// separated checks that the mechanism of FAC-X32 is (ε, of(δ))-DP and not (ε, δ)-pDP.
func separated(t *register.T, deltas []*big.Rat, of func(*big.Rat) *big.Rat) {
	t.AlsoDomain("the mechanism of FAC-X32 with e^ε in {%s}, δ in {%s}", charges, deltas)
	eachResponse(t, charges, deltas, func(e, delta *big.Rat, p finite.Pair) {
		need, have := dpDelta(merged(p), e), pdpDelta(merged(p), e)
		t.Require(need.Cmp(of(delta)) <= 0 && have.Cmp(delta) > 0, "DP needs δ = %s, and pDP %s", need, have)
	})
}

// rate is a factor of δ from (ε, δ)-DP to pDP with 2ε, of e^ε.
type rate = func(expEps *big.Rat) interval.Interval

// printedRate is 2/(ε e^ε).
func printedRate(e *big.Rat) interval.Interval {
	_, delta := impl.DPToPDP(loss.Exp(e), rat.One)
	return delta
}

// sharpRate is a factor times (1 + e^(−2ε))/(1 − e^(−ε)), and oneSidedRate 1/(1 − e^(−ε)).
func sharpRate(factor *big.Rat) rate {
	return func(e *big.Rat) interval.Interval { return precise.Rat(rat.Mul(factor, tradeRate(e, rat.Mul(e, e)))) }
}

func oneSidedRate(e *big.Rat) interval.Interval { return precise.Rat(rat.Quo(e, rat.Sub(e, rat.One))) }

// tradeRate is (1 + e^(−ε'))/(1 − e^(ε−ε')).
func tradeRate(e, wider *big.Rat) *big.Rat {
	return rat.Quo(rat.Add(wider, rat.One), rat.Sub(wider, e))
}

// ratesAgree checks that spec and impl have the same 2/(ε e^ε).
func ratesAgree(t *register.T) {
	for _, e := range charges {
		t.At("e^ε = %s", e)
		eps, delta := spec.DPToPDP(math.Log(rat.Float64(e)), 1)
		wide, fast := impl.DPToPDP(loss.Exp(e), rat.One)
		agree(t, "2ε", wide.Float().Lo, eps)
		agree(t, "the rate", fast.Float().Lo, delta)
	}
}

// justAbove is a pair that has a loss just above ε' or just below −ε', for sure.
func justAbove(wider *big.Rat) finite.Pair { return mirrored(rat.Mul(wider, rat.Of("1001/1000"))) }

// dpIsPDP checks that laws with the smallest δ of (ε, δ)-DP have losses above 2ε or below −2ε with a probability
// of at most the rate times δ.
func dpIsPDP(t *register.T, r rate, charges []*big.Rat) {
	t.AlsoDomain("(ii) e^ε in {%s}: two outputs with losses above 2ε or below −2ε, also just so, and all pairs of laws "+
		"over up to 3 outputs with probabilities in 1/4, with the smallest δ", charges)
	ratesAgree(t)
	try := func(e *big.Rat, p finite.Pair) {
		t.Case()
		delta, got := dpDelta(p, e), pdpDelta(p, rat.Mul(e, e))
		bound := precise.Mul(r(e), precise.Rat(delta))
		t.Require(isAtMost(t, got, bound), "%v: is (ε, δ)-DP with e^ε = %s and δ = %s; |loss| > 2ε has probability %s, not "+
			"at most %.6g", p, e, delta, got, bound.Float().Hi)
		if delta.Sign() > 0 {
			t.Close(rat.Float64(got)/bound.Float().Lo, "%v, e^ε = %s", p, e)
		}
	}
	for _, e := range charges {
		try(e, mirrored(rat.Int(1+int(rat.Float64(rat.Mul(e, e))))))
	}
	for _, e := range charges {
		for _, p := range append([]finite.Pair{justAbove(rat.Mul(e, e))}, pairsIn(4)...) {
			try(e, p)
		}
	}
}

// trades checks that (ε, δ)-DP laws have losses beyond ε' > ε with a probability of at most δ times a rate, or δ
// itself, if the factor of the rate is less.
func trades(t *register.T, factor *big.Rat) {
	t.Domain("e^ε in {%s}, e^ε' = 21/20, 2 and 100 times as large: two outputs with losses just beyond ε', and all "+
		"pairs of laws over up to 2 outputs with probabilities in 1/4, with the smallest δ", charges)
	finite.Each2(charges, rat.List("21/20", "2", "100"), func(e, by *big.Rat) {
		wider := rat.Mul(e, by)
		for _, p := range append([]finite.Pair{justAbove(wider)}, pairsIn(4)...) {
			t.Case()
			delta, got := dpDelta(p, e), pdpDelta(p, wider)
			bound := rat.Mul(delta, rat.Max(rat.One, rat.Mul(factor, tradeRate(e, wider))))
			t.Require(got.Cmp(bound) <= 0,
				"%v: is (ε, δ)-DP with e^ε = %s and δ = %s; |loss| > ln %s has probability %s, not at most %s", p, e, delta, wider,
				got, bound)
			t.CloseTo(got, bound, "%v, e^ε = %s, e^ε' = %s", p, e, wider)
		}
	})
}

// certainLoss checks that for every ε some mechanism is (ε, δ)-DP with a δ above 0 and at most so large, or of 0, and
// has a loss above ε or below −ε for sure.
func certainLoss(t *register.T, most *big.Rat) {
	t.AlsoDomain("e^ε in {%s}, δ up to %s", charges, most)
	for _, e := range charges {
		t.Case()
		p := mirrored(rat.Mul(e, rat.Add(rat.One, most)))
		delta, got := dpDelta(p, e), pdpDelta(p, e)
		t.Require(delta.Cmp(most) <= 0 && got.Cmp(rat.One) >= 0, "%v: is (ε, δ)-DP with e^ε = %s and δ = %s, and |loss| > "+
			"ε has probability %s", p, e, delta, got)
	}
}

// notTight checks that (ε, δ)-pDP mechanisms are (ε, δ')-DP with a smaller δ'.
func notTight(t *register.T) {
	t.Domain("randomized response with e^ε in {%s}, δ in {%s}", charges, inner)
	finite.Each2(charges, inner, func(e, delta *big.Rat) {
		t.Case()
		p := responses(e, delta)
		t.Require(pdpDelta(p, e).Cmp(delta) > 0 || dpDelta(p, e).Cmp(delta) < 0, "%v: is (ε, δ)-pDP with e^ε = %s and δ = "+
			"%s, and (ε, δ)-DP with no smaller δ", p, e, delta)
	})
}

// merged is the mechanism of FAC-X32: 1 if randomized response is 1 or ⊤, and 0 otherwise.
func merged(r finite.Pair) finite.Pair {
	isOne := map[string]string{"0": "0", "1": "0", "2": "1", "3": "1"}
	return finite.Pair{r[0].Map(isOne), r[1].Map(isOne)}
}
