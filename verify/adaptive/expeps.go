package adaptive

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// asExp is an ε that is given to impl as e^ε, as the float64 nearest to that.
func asExp(eps float64) loss.Epsilon { return loss.Exp(new(big.Rat).SetFloat64(math.Exp(eps))) }

// halfAsExp gives every second ε to impl as e^ε. In eps, which is for spec, it becomes the logarithm of what was given.
func halfAsExp(eps []float64, e []loss.Epsilon) {
	for i := 1; i < len(e); i += 2 {
		e[i] = asExp(eps[i])
		eps[i] = math.Log(rat.Float64(e[i].Rat()))
	}
}

// newFilter is [impl.NewAdaptiveFilter] or [impl.NewZCDPFilter].
type newFilter func(eps loss.Epsilon, delta, delta2 *big.Rat) (*impl.VarianceFilter, error)

// sameFilters checks that the filters of impl, with their ε as it is and as e^ε, do what the stopping rule of spec
// does.
func sameFilters(t *register.T, of newFilter, s setting, rule stopRule, eps, delta float64) {
	t.AlsoDomain("filters with ε = %.4g and e^ε, against %v, up to %d rounds; ε_m with e^(ε_m) in {%s}", eps, s.menu,
		s.rounds, factors)
	for _, given := range []loss.Epsilon{loss.Nats(new(big.Rat).SetFloat64(eps)), asExp(eps)} {
		f := register.Must(of(given, new(big.Rat).SetFloat64(delta), new(big.Rat).SetFloat64(s.delta2)))
		sameWorst(t, s, f, rule, eps)
		sameFit(t, f, rule)
		chargesSquares(t, f)
	}
}

// sameFit refutes that the largest ε that fits is the one of spec, but for the rounding of float64.
func sameFit(t *register.T, f *impl.VarianceFilter, rule stopRule) {
	t.Case()
	most := f.Fits(f.Start(), impl.Guarantee{})
	rounds := func(eps float64) int { return rule([]float64{eps}, []float64{0}) }
	if rounds(most*(1-1e-12)) != 1 || rounds(most*(1+1e-12)) != 0 {
		t.Refute("ε = %s: by impl, at most ε_1 = %.15g fits, which is not where spec stops", f.Budget().Eps.Text(), most)
	}
}

// factors are e^ε of mechanisms.
var factors = rat.List("101/100", "3/2", "2", "7/3")

// chargesSquares refutes that what is charged for an ε given as e^ε is ε² or hardly more.
func chargesSquares(t *register.T, f *impl.VarianceFilter) {
	const n = interval.Precision(256) // more than what is checked
	for _, x := range factors {
		t.Case()
		after, admitted := f.Spend(f.Start(), impl.Mechanism{Eps: loss.Exp(x), Delta: new(big.Rat), Count: 1})
		v, _ := after.(impl.Sums).Charge.Rat()
		square := rat.Exact(n.Mul(n.Log(x), n.Log(x)).Upper)
		if !admitted || v.Cmp(square) < 0 || v.Cmp(rat.Mul(square, hardly)) > 0 {
			t.Refute("e^(ε_m) = %s: impl charges ε_m² and %.3g", x, rat.Sub(v, square))
		}
	}
}
