package audit

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"checkrr/impl/loss"
	"checkrr/verify/rat"
)

// The exact curve of a response with e^ε = 2: (2 − e^ε)/3, and 0 from ln 2 on.
func TestCurves_Response(t *testing.T) {
	law, err := FiniteLaw(DP(exp2, rat.Of("0")), [2]string{"0", "1"},
		[]Outcome{{Output: "0", P: pair("2/3", "1/3")}, {Output: "1", P: pair("1/3", "2/3")}})
	if err != nil {
		t.Fatal(err)
	}
	claim := DP(loss.Nats(rat.Of("1/2")), rat.Of("0"))
	e, err := Examine([]Law{law}, claim)
	if err != nil {
		t.Fatal(err)
	}
	curve := e.Curves(claim)[0]
	for _, p := range curve {
		if want := max(0, (2-math.Exp(p.Eps))/3); p.Delta > want+1e-15 || p.Delta < want-1e-15 {
			t.Errorf("ε = %g: δ is %g, must be %g", p.Eps, p.Delta, want)
		}
	}
	if curve[0].Eps != 0 || curve[len(curve)-1].Eps < math.Ln2 {
		t.Errorf("the curve is from %g to %g", curve[0].Eps, curve[len(curve)-1].Eps)
	}
}

// What a claim allows is the curve of the response with its ε and δ, for one part.
func TestAllowed(t *testing.T) {
	claim := DP(exp2, rat.Of("1/10"))
	for _, eps := range []float64{0, 0.3, math.Ln2, 2} {
		want := 0.1 + 0.9*max(0, (2-math.Exp(eps))/3)
		if got := claim.Allowed(0, eps); !near(got, want, 1e-12) {
			t.Errorf("ε = %g: δ is %g, must be %g", eps, got, want)
		}
	}
	for _, c := range []Claim{DP(loss.Nats(rat.Of("0")), rat.Of("0")), DP(loss.Nats(rat.Of("1000000")), rat.Of("0")),
		DP(exp2, rat.Of("1")), {[]Part{{"a", loss.Nats(rat.Of("0"))}, {"b", exp2}}, rat.Of("0")}} {
		if got := c.Allowed(0, 0); !(got >= 0 && got <= 1) {
			t.Errorf("%v: δ is %g", c, got)
		}
	}
}

// A number that is rounded down is not above the ratio, nor is its decimal, and the one two further up is.
func TestRatDown(t *testing.T) {
	dice := diceOf(7)
	for range 5000 {
		r := big.NewRat(dice.Int64N(1<<40), 1+dice.Int64N(1<<uint(1+dice.IntN(60))))
		if dice.IntN(4) == 0 {
			r.SetFloat64(dice.Float64())
		}
		x := ratDown(r)
		decimal, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
		above := math.Nextafter(math.Nextafter(x, math.Inf(1)), math.Inf(1))
		if decimal.Cmp(r) > 0 || new(big.Rat).SetFloat64(x).Cmp(r) > 0 || new(big.Rat).SetFloat64(above).Cmp(r) <= 0 {
			t.Fatalf("%v is %v, rounded down", r, x)
		}
	}
}

// The curve of samples is that of two bounds: with the claimed δ up to one ε, and with another δ up to the claimed ε.
func TestExcluded(t *testing.T) {
	a, _ := played(t, claimed(0.5, 0.25), Options{Samples: 100, Alpha: 0.01}, response(2))
	for _, test := range []struct {
		eps, delta float64
		want       Curve
	}{
		{0.75, 0.3, Curve{{0, 0.3}, {0.5, 0.3}, {0.5, 0.25}, {0.75, 0.25}, {0.75, 0}}},
		{0.75, 0, Curve{{0, 0.25}, {0.75, 0.25}, {0.75, 0}}},
		{0.4, 0.1, Curve{{0, 0.25}, {0.4, 0.25}, {0.4, 0.1}, {0.5, 0.1}, {0.5, 0}}},
	} {
		if got := a.excluded(0, test.eps, test.delta); !slices.Equal(got, test.want) {
			t.Errorf("ε %g, δ %g: %v, must be %v", test.eps, test.delta, got, test.want)
		}
	}
}
