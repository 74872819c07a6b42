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

// asExp is an ε that is given to impl as e^ε, as the float64 nearest to that.
func asExp(eps float64) loss.Epsilon { return loss.Exp(exact(math.Exp(eps))) }

// halfAsExp gives every second ε to impl as e^ε. In eps, which is for spec, it becomes the logarithm of what was given.
func halfAsExp(eps []float64, e []loss.Epsilon) {
	for i := 1; i < len(e); i += 2 {
		e[i] = asExp(eps[i])
		eps[i] = math.Log(rat.Float64(e[i].Rat()))
	}
}

// between refutes a number of rounds of impl that is not between those of spec for a little less and a little more.
func between(t *register.T, n int, spec func(up float64) int, eps, delta []float64) {
	low, high := spec(1-1e-12), spec(1+1e-12)
	t.Require(low <= n && n <= high, "ε = %v, δ = %v: %d rounds by impl, from %d to %d by spec", eps, delta, n, low, high)
}

// adaptiveFiltersAgree checks that impl admits as many rounds as spec, and that its filter keeps its budget.
func adaptiveFiltersAgree(t *register.T) {
	t.AlsoDomain("random rounds, up to 30, with ε_m from 0 to 0.499 and δ_m from 0 to 7/1024, ε from 0.01 to 9, half of " +
		"all as e^ε")
	t.Random(8, t.Size(300, 3000), func(t *register.T, d register.Dice) {
		eps, delta := drawnRounds(d)
		target, delta1, delta2 := float64(1+d.Roll(900))/100, []float64{0.9, 0.1, 1e-6, 1e-40}[d.Roll(4)],
			float64(d.Roll(40))/1024
		given := []loss.Epsilon{loss.Nats(exact(target)), asExp(target)}[d.Roll(2)]
		e, deltas := forImpl(eps, delta)
		halfAsExp(eps, e)
		one, two := exact(delta1), exact(delta2)
		n := register.Must(impl.AdaptiveFilter(e, deltas, given, one, two))
		between(t, n, func(up float64) int { return spec.AdaptiveFilter(eps, delta, up*target, delta1, delta2) }, eps, delta)
		f := register.Must(impl.NewAdaptiveFilter(given, rat.Add(one, two), two))
		memory := f.Start()
		for i := range n {
			memory, _ = f.Spend(memory, impl.Mechanism{Eps: e[i], Delta: deltas[i], Count: 1})
		}
		agree(t, "what is spent", f.Spent(memory).Eps.Float().Hi, min(target, spec.AdvancedCharge(squares(eps[:n]), delta1)))
	})
	exactlyAttained(t)
	s := setting{3, 0, 15. / 16, 1. / 64, menuOf("1/2 0", "1 1/64"), 20}
	sameFilters(t, impl.NewAdaptiveFilter, s, theorem8(1, 1, 1)(s), s.eps, s.delta())
}

// exactlyAttained checks that a δ that a menu given as e^ε attains holds, and one that is hardly less does not.
func exactlyAttained(t *register.T) {
	t.AlsoDomain("two rounds of (ln 2, 1/16) under the sum of both, at e^ε in {1, 3/2, 3}, exactly")
	response := spec.Mechanism{ExpEps: rat.Of("2"), Delta: rat.Of("1/16")}
	once := menu{{Eps: loss.Exp(response.ExpEps), Delta: response.Delta, Count: 1}}
	f := register.Must(impl.NewSumFilter(loss.Exp(rat.Of("4")), rat.Of("1/8")))
	finite.Each2(rat.List("1", "3/2", "3"), rat.List("1", "0.999999999999999999999999999999"), func(e, part *big.Rat) {
		t.Case()
		worst := finite.Responses(response, response).DeltaBothWays(finite.Constant(e))
		c := register.Must(impl.ChallengeFilter(t.Context(), once, 2, f, loss.Exp(e),
			impl.ChallengeOptions{Claim: rat.Mul(part, worst)}))
		t.Require(c.Holds == rat.Equal(part, rat.One),
			"e^ε = %s: δ = %s is attained; that %s of it is enough holds by impl: %v", e, worst, part, c.Holds)
	})
}

// newFilter is [impl.NewAdaptiveFilter] or [impl.NewZCDPFilter].
type newFilter func(eps loss.Epsilon, delta, delta2 *big.Rat) (*impl.VarianceFilter, error)

// sameFilters checks that the filters of impl, with their ε as it is and as e^ε, do what the stopping rule of spec
// does: they are as good, and the largest ε that fits is the same, but for the rounding of float64.
func sameFilters(t *register.T, of newFilter, s setting, rule stopRule, eps, delta float64) {
	t.AlsoDomain("filters with ε = %.4g and e^ε, against %v, up to %d rounds; ε_m with e^(ε_m) in {%s}", eps, s.menu,
		s.rounds, factors)
	for _, given := range []loss.Epsilon{loss.Nats(exact(eps)), asExp(eps)} {
		f := register.Must(of(given, exact(delta), exact(s.delta2)))
		t.Case()
		got, _ := worstDelta(t, s.menu, s.rounds, f, eps, s.delta())
		want, _ := worstDelta(t, s.menu, s.rounds, filterOf{s.menu, rule}, eps, s.delta())
		agree(t, "the worst δ", got, want)
		t.Case()
		most := f.Fits(f.Start(), impl.Guarantee{})
		rounds := func(eps float64) int { return rule([]float64{eps}, []float64{0}) }
		t.Require(rounds(most*(1-1e-12)) == 1 && rounds(most*(1+1e-12)) == 0, "ε = %s: by impl, at most ε_1 = %.15g fits, "+
			"which is not where spec stops", f.Budget().Eps.Text(), most)
		chargesSquares(t, f)
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
		t.Require(admitted && v.Cmp(square) >= 0 && v.Cmp(rat.Mul(square, hardly)) <= 0,
			"e^(ε_m) = %s: impl charges ε_m² and %.3g", x, rat.Sub(v, square))
	}
}

// dpFiltersAgree checks that impl admits as many rounds as spec, and has the same guarantee.
func dpFiltersAgree(t *register.T) {
	t.AlsoDomain("random rounds, up to 30, with ε_m from 0 to 0.499, half of them as e^(ε_m), and δ_m from 0 to 7/1024")
	t.Random(2, t.Size(300, 3000), func(t *register.T, d register.Dice) {
		eps, delta := drawnRounds(d)
		rho, most := float64(1+d.Roll(2000))/1000, float64(1+d.Roll(40))/1024
		e, deltas := forImpl(eps, delta)
		halfAsExp(eps, e)
		n, guarantee, err := impl.DPFilter(e, deltas, exact(rho), exact(most))
		t.Must(err)
		between(t, n, func(up float64) int { n, _ := spec.DPFilter(eps, delta, up*rho, up*most); return n }, eps, delta)
		_, printed := spec.DPFilter(eps, delta, rho, most)
		agree(t, "the guarantee", guarantee.Float().Lo, printed)
	})
	s := setting{0, 2.2, 15. / 16, 1. / 64, menuOf("1/2 0", "1 1/64"), 20}
	rule, eps, all := theorem2(1, 1, false)(s)
	sameFilters(t, impl.NewZCDPFilter, s, rule, eps, all)
}
