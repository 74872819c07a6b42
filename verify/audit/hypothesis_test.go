package audit

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// expBelow returns a sum of the exponential series that is below e^x, by less than one in 10^25, for x ≥ 0.
func expBelow(x *big.Rat) *big.Float {
	const bits = 400
	number := func(r *big.Rat) *big.Float { return new(big.Float).SetPrec(bits).SetRat(r) }
	sum, term := number(big.NewRat(1, 1)), number(big.NewRat(1, 1))
	limit, _ := x.Float64()
	for n := 1; n < int(4*limit)+120; n++ {
		term.Mul(term, number(new(big.Rat).Quo(x, big.NewRat(int64(n), 1))))
		sum.Add(sum, term)
	}
	return sum.Mul(sum, number(new(big.Rat).Sub(one, rat.Of("1e-100"))))
}

// ulpsAbove returns how many units in the last place w is above x, about.
func ulpsAbove(w float64, x *big.Float) float64 {
	gap := new(big.Float).SetPrec(400).SetFloat64(w)
	gap.Sub(gap, x)
	f, _ := gap.Float64()
	return f / (math.Nextafter(w, math.Inf(1)) - w)
}

// Weights are never below e^ε, and less than about an ulp above.
func TestHypothesis_WeightsAreRoundedUp(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		eps := big.NewRat(dice.Int64N(1_000_000), 1+dice.Int64N(1_000_000))
		if x, _ := eps.Float64(); x > 500 || i == 0 {
			eps = new(big.Rat)
		}
		h, err := newHypothesis(DP(loss.Nats(eps), new(big.Rat)))
		if err != nil {
			t.Fatal(err)
		}
		if above := ulpsAbove(h.weights[0], expBelow(eps)); above < 0 || above > 1.01 {
			t.Errorf("ε = %v: weight %g is %g ulp above e^ε, must be 0 to 1", eps, h.weights[0], above)
		}
		x, _ := eps.Float64()
		with := h.with(0, x).weights[0]
		if above := ulpsAbove(with, expBelow(new(big.Rat).SetFloat64(x))); above < 0 || above > 20 {
			t.Errorf("ε = %g: another weight is %g, %g ulp above e^ε, must be 0 to 20", x, with, above)
		}
	}
}

func TestHypothesis_ExpIsExact(t *testing.T) {
	third := loss.Exp(rat.Of("4/3"))
	h, err := newHypothesis(Claim{[]Part{{"a", exp2}, {"b", third}}, rat.Of("1/3")})
	if err != nil {
		t.Fatal(err)
	}
	if h.weights[0] != 2 {
		t.Errorf("weight is %g, must be 2", h.weights[0])
	}
	for what, test := range map[string]struct {
		got  float64
		want *big.Rat
	}{"weight": {h.weights[1], rat.Of("4/3")}, "delta": {h.delta, rat.Of("1/3")}} {
		below := new(big.Rat).SetFloat64(math.Nextafter(test.got, 0))
		if new(big.Rat).SetFloat64(test.got).Cmp(test.want) < 0 || below.Cmp(test.want) >= 0 {
			t.Errorf("%s is %v, must be the least float64 that is at least %v", what, test.got, test.want)
		}
	}
	// e^ε is above 2 by less than the interval around it is wide
	above := new(big.Rat).Add(rat.Of("2"), rat.Of("1e-1000"))
	if h, err := newHypothesis(DP(loss.Exp(above), new(big.Rat))); err != nil || h.weights[0] != math.Nextafter(2, 3) {
		t.Errorf("weight of 2 + 1e-1000 is %v, %v", h.weights, err)
	}
	if got := h.with(1, 3); got.weights[0] != 2 || got.delta != h.delta || h.weights[1] > 2 {
		t.Errorf("with another ε: %+v of %+v", got, h)
	}
}

func TestHypothesis_Extremes(t *testing.T) {
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))
	if got := ratUp(tiny); got != math.SmallestNonzeroFloat64 {
		t.Errorf("1e-400 is rounded up to %g", got)
	}
	for _, r := range []string{"0", "1", "1/4", "1e-300"} {
		x := ratUp(rat.Of(r))
		if new(big.Rat).SetFloat64(x).Cmp(rat.Of(r)) < 0 || x > 0 &&
			new(big.Rat).SetFloat64(math.Nextafter(x, 0)).Cmp(rat.Of(r)) >= 0 {
			t.Errorf("%s is rounded up to %g", r, x)
		}
	}
	h, err := newHypothesis(nats(800))
	if err != nil || !math.IsInf(h.weights[0], 1) {
		t.Errorf("e^800 is %v, %v, must be infinite", h.weights, err)
	}
	if w := (hypothesis{weights: []float64{1}}).with(0, 800).weights[0]; !math.IsInf(w, 1) {
		t.Errorf("e^800 is %g, must be infinite", w)
	}
	if w := (hypothesis{weights: []float64{1}}).with(0, 0).weights[0]; w < 1 || w > 1+1e-14 {
		t.Errorf("e^0 is %g", w)
	}
}
