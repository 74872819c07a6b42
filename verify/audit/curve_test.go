package audit

import (
	"math"
	"testing"

	"checkrr/impl/loss"
)

// The exact curve of a response with e^ε = 2: (2 − e^ε)/3, and 0 from ln 2 on.
func TestCurves_Response(t *testing.T) {
	law, err := FiniteLaw(DP(exp2, rat("0")), [2]string{"0", "1"}, []Outcome{{Output: "0", P: pair("2/3", "1/3")}, {Output: "1", P: pair("1/3", "2/3")}})
	if err != nil {
		t.Fatal(err)
	}
	claim := DP(loss.Nats(rat("1/2")), rat("0"))
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
	claim := DP(exp2, rat("1/10"))
	for _, eps := range []float64{0, 0.3, math.Ln2, 2} {
		want := 0.1 + 0.9*max(0, (2-math.Exp(eps))/3)
		if got := claim.Allowed(0, eps); !near(got, want, 1e-12) {
			t.Errorf("ε = %g: δ is %g, must be %g", eps, got, want)
		}
	}
	for _, c := range []Claim{DP(loss.Nats(rat("0")), rat("0")), DP(loss.Nats(rat("1000000")), rat("0")), DP(exp2, rat("1")), {[]Part{{"a", loss.Nats(rat("0"))}, {"b", exp2}}, rat("0")}} {
		if got := c.Allowed(0, 0); !(got >= 0 && got <= 1) {
			t.Errorf("%v: δ is %g", c, got)
		}
	}
}
