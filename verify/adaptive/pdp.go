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
func pdpIsDP(of func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/4, e^ε in {%s}, with the smallest δ",
			charges)
		for p := range finite.Pairs(3, 4) {
			for _, e := range charges {
				t.Case()
				need, have := dpDelta(p, e), pdpDelta(p, e)
				if need.Cmp(of(have)) > 0 {
					t.Refute("%v, e^ε = %s: |loss| > ε with probability %s, and the smallest δ of DP is %s", p, e, have, need)
				}
				t.CloseTo(need, have, "%v, e^ε = %s", p, e)
			}
		}
	}
}

// separated checks that the mechanism of FAC-X32 is (ε, of(δ))-DP and not (ε, δ)-pDP.
func separated(deltas []*big.Rat, of func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("the mechanism of FAC-X32 with e^ε in {%s}, δ in {%s}", charges, deltas)
		for _, e := range charges {
			for _, delta := range deltas {
				t.Case()
				b := merged(responses(e, delta))
				if need, have := dpDelta(b, e), pdpDelta(b, e); need.Cmp(of(delta)) > 0 || have.Cmp(delta) <= 0 {
					t.Refute("e^ε = %s, δ = %s: DP needs δ = %s, and pDP %s", e, delta, need, have)
				}
			}
		}
	}
}

// rate is a factor of δ from (ε, δ)-DP to pDP with 2ε, of e^ε.
type rate func(expEps *big.Rat) interval.Interval

// printedRate is 2/(ε e^ε).
func printedRate(e *big.Rat) interval.Interval {
	_, delta := impl.DPToPDP(loss.Exp(e), rat.One)
	return delta
}

// sharpRate is (1 + e^(−2ε))/(1 − e^(−ε)), and oneSidedRate 1/(1 − e^(−ε)).
func sharpRate(e *big.Rat) interval.Interval { return precise.Rat(tradeRate(e, rat.Mul(e, e))) }

func oneSidedRate(e *big.Rat) interval.Interval {
	return precise.Rat(rat.Quo(e, rat.Sub(e, rat.One)))
}

func times(factor *big.Rat, r rate) rate {
	return func(e *big.Rat) interval.Interval { return precise.Mul(precise.Rat(factor), r(e)) }
}

// tradeRate is (1 + e^(−ε'))/(1 − e^(ε−ε')).
func tradeRate(e, wider *big.Rat) *big.Rat {
	return rat.Quo(rat.Add(wider, rat.One), rat.Sub(wider, e))
}

// ratesAgree checks that spec and impl have the same 2/(ε e^ε).
func ratesAgree(t *register.T) {
	for _, e := range charges {
		t.Case()
		eps, delta := spec.DPToPDP(math.Log(rat.Float64(e)), 1)
		wide, fast := impl.DPToPDP(loss.Exp(e), rat.One)
		if !(math.Abs(delta/fast.Float().Lo-1) <= 1e-12) || !(math.Abs(eps/wide.Float().Lo-1) <= 1e-12) {
			t.Refute("e^ε = %s: (%.12g, %.12gδ) by spec, (%.12g, %.12gδ) by impl", e, eps, delta, wide.Float().Lo,
				fast.Float().Lo)
		}
	}
}

// mirroredJustAbove is a pair that has a loss just above ε' or just below −ε', for sure.
func mirroredJustAbove(wider *big.Rat) finite.Pair {
	return mirrored(rat.Mul(wider, rat.Of("1001/1000")))
}

// dpIsPDP checks that laws with the smallest δ of (ε, δ)-DP have losses above 2ε or below −2ε with a probability
// of at most the rate times δ.
func dpIsPDP(r rate, charges []*big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("(ii) e^ε in {%s}: two outputs with losses above 2ε or below −2ε, also just so, and all pairs of laws "+
			"over up to 3 outputs with probabilities in 1/4, with the smallest δ", charges)
		ratesAgree(t)
		try := func(e *big.Rat, p finite.Pair) {
			t.Case()
			delta, got := dpDelta(p, e), pdpDelta(p, rat.Mul(e, e))
			if bound := precise.Mul(r(e), precise.Rat(delta)); !isAtMost(t, got, bound) {
				t.Refute("%v: is (ε, δ)-DP with e^ε = %s and δ = %s; |loss| > 2ε has probability %s, not at most %.6g", p, e, delta,
					got, bound.Float().Hi)
			} else if delta.Sign() > 0 {
				t.Close(rat.Float64(got)/bound.Float().Lo, "%v, e^ε = %s", p, e)
			}
		}
		for _, e := range charges {
			try(e, mirrored(rat.Int(1+int(rat.Float64(rat.Mul(e, e))))))
		}
		for _, e := range charges {
			try(e, mirroredJustAbove(rat.Mul(e, e)))
			for p := range finite.Pairs(3, 4) {
				try(e, p)
			}
		}
	}
}

// trades checks that (ε, δ)-DP laws have losses beyond ε' > ε with a probability of at most δ times a rate, or δ
// itself, if the factor of the rate is less.
func trades(factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε in {%s}, e^ε' = 21/20, 2 and 100 times as large: two outputs with losses just beyond ε', and all "+
			"pairs of laws over up to 2 outputs with probabilities in 1/4, with the smallest δ", charges)
		for _, e := range charges {
			for _, by := range rat.List("21/20", "2", "100") {
				wider := rat.Mul(e, by)
				try := func(p finite.Pair) {
					t.Case()
					delta, got := dpDelta(p, e), pdpDelta(p, wider)
					bound := rat.Mul(delta, rat.Max(rat.One, rat.Mul(factor, tradeRate(e, wider))))
					if got.Cmp(bound) > 0 {
						t.Refute("%v: is (ε, δ)-DP with e^ε = %s and δ = %s; |loss| > ln %s has probability %s, not at most %s", p, e,
							delta, wider, got, bound)
					}
					t.CloseTo(got, bound, "%v, e^ε = %s, e^ε' = %s", p, e, wider)
				}
				try(mirroredJustAbove(wider))
				for p := range finite.Pairs(3, 4) {
					try(p)
				}
			}
		}
	}
}

// certainLoss checks that for every ε some mechanism is (ε, δ)-DP with a δ above 0 and at most so large, or of 0, and
// has a loss above ε or below −ε for sure.
func certainLoss(most *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("e^ε in {%s}, δ up to %s", charges, most)
		for _, e := range charges {
			t.Case()
			p := mirrored(rat.Mul(e, rat.Add(rat.One, most)))
			if delta, got := dpDelta(p, e), pdpDelta(p, e); delta.Cmp(most) > 0 || got.Cmp(rat.One) < 0 {
				t.Refute("%v: is (ε, δ)-DP with e^ε = %s and δ = %s, and |loss| > ε has probability %s", p, e, delta, got)
			}
		}
	}
}

// notTight checks that (ε, δ)-pDP mechanisms are (ε, δ')-DP with a smaller δ'.
func notTight(t *register.T) {
	t.Domain("randomized response with e^ε in {%s}, δ in {%s}", charges, deltas[1:4])
	for _, e := range charges {
		for _, delta := range deltas[1:4] {
			t.Case()
			if p := responses(e, delta); pdpDelta(p, e).Cmp(delta) <= 0 && dpDelta(p, e).Cmp(delta) >= 0 {
				t.Refute("%v: is (ε, δ)-pDP with e^ε = %s and δ = %s, and (ε, δ)-DP with no smaller δ", p, e, delta)
			}
		}
	}
}

// merged is the mechanism of FAC-X32: 1 if randomized response is 1 or ⊤, and 0 otherwise.
func merged(r finite.Pair) finite.Pair {
	isOne := map[string]string{"0": "0", "1": "0", "2": "1", "3": "1"}
	return finite.Pair{r[0].Map(isOne), r[1].Map(isOne)}
}
