package adaptive

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// setting is a filter of Theorem 8, and what it is tried against.
type setting struct {
	eps, delta1, delta2 float64
	menu                menu
	rounds              int
}

func (s setting) delta() float64 { return s.delta1 + s.delta2 }

// filterSettings go to both ends: one round and hundreds, δ″ = 0, δ′ near 1, tiny δ′, small and large ε, parameters
// that differ. All δ are such that sums of float64 are exact.
var filterSettings = []setting{
	{1, 1. / 4, 0, menuOf("0 1", "1 0"), 2},
	{1, 1. / 4, 0, menuOf("0 1/4", "1/10 0"), 3},
	{0.39, 1. / 2, 3. / 8, menuOf("1/2 7/8", "1/2 3/8"), 2},
	{1, 1. / 1024, 1. / 16, menuOf("0 1/16", "0 33/512", "1/50 0"), 3},
	{1, 1. / 8, 1. / 16, menuOf("1/2 1/64", "1/5 0", "1/10 1/128"), 12},
	{3, 15. / 16, 1. / 32, menuOf("4 0", "1 1/32", "2 0"), 8},
	{1e-2, 1e-5, 0, menuOf("1/1000 0", "1/500 0"), 40},
	{30, 1e-3, 0, menuOf("3 0", "2 0", "9 0"), 20},
	{120, 1. / 2, 0, menuOf("1 0"), 420},
	{5, 1e-40, 0, menuOf("1/50 0"), 600},
}

func everySetting(setting) bool { return true }

// pureSettings are those of which only mechanisms with δ = 0 are used.
func pureSettings(s setting) bool {
	for _, m := range s.menu {
		if m.Delta.Sign() > 0 {
			return false
		}
	}
	return true
}

func allOfDelta(s setting) float64 { return s.delta() }
func firstDelta(s setting) float64 { return s.delta1 }

func informal(s setting) stopRule {
	return func(eps, _ []float64) int {
		return spec.AdaptiveFilter(eps, make([]float64, len(eps)), s.eps, s.delta(), 0)
	}
}

func asTheorem8(s setting) stopRule { return theorem8(1, 1, 1)(s) }

// theorem8 is its rule with the three sums scaled.
func theorem8(first, second, delta float64) func(s setting) stopRule {
	return func(s setting) stopRule {
		return func(eps, deltas []float64) int {
			// √(2 log(1/δ′))·first of √V and half·second of V are those of Theorem 8 for other ε_m and δ′
			log := math.Log(1/s.delta1) * first * first / second
			return spec.AdaptiveFilter(multiplied(eps, math.Sqrt(second)), multiplied(deltas, delta), s.eps, math.Exp(-log),
				s.delta2)
		}
	}
}

// fromOne is the infimum over n ≥ 1.
func fromOne(rule stopRule) stopRule {
	return func(eps, delta []float64) int { return max(min(1, len(eps)), rule(eps, delta)) }
}

func withoutLargest(delta []float64) (rest []float64) {
	largest := 0
	for i, d := range delta {
		if d > delta[largest] {
			largest = i
		}
	}
	rest = append(rest, delta...)
	rest[largest] = 0
	return rest
}

// keepsBudget checks that no adversary needs more than a δ under a filter, at its ε.
func keepsBudget(rule func(setting) stopRule, claim func(setting) float64, use func(setting) bool) register.Check {
	return func(t *register.T) {
		t.Domain("%d filters, ε from 0.01 to 120, δ′ from 1e-40 to 15/16, δ″ from 0 to 1/16, against menus of 1 to 3 "+
			"mechanisms with ε from 0 to 9 and δ from 0 to 1, up to 600 rounds", len(filterSettings))
		for _, s := range filterSettings {
			if !use(s) {
				continue
			}
			t.Case()
			most := new(big.Rat).SetFloat64(claim(s))
			worst, refuted := worstDelta(t, s.menu, s.rounds, filterOf{s.menu, rule(s)}, s.eps, most)
			if refuted {
				t.Refute("ε = %g, δ′ = %g, δ″ = %g, up to %d rounds of %v: needs δ = %.6g, claimed is %.6g", s.eps, s.delta1,
					s.delta2, s.rounds, s.menu, worst.Float().Lo, claim(s))
			}
			t.Close(worst.Float().Lo/claim(s), "ε = %g, δ′ = %g, δ″ = %g, %d rounds of %v", s.eps, s.delta1, s.delta2, s.rounds,
				s.menu)
		}
	}
}

// zcdpSetting is a filter of Theorem 2, and what it is tried against.
type zcdpSetting struct {
	rho float64
	setting
}

var zcdpSettings = []zcdpSetting{
	{1. / 8, setting{0, 1. / 2, 0.4, menuOf("1/2 9/10"), 1}},
	{1. / 8, setting{0, 1. / 2, 1. / 4, menuOf("1/2 1/4", "1/2 1/16", "1/2 33/128"), 4}},
	{1. / 8, setting{0, 1. / 256, 57. / 64, menuOf("1/2 57/64"), 1}},
	{1. / 8, setting{0, 1e-6, 1. / 4, menuOf("0 1/4", "0 33/128"), 2}},
	{1. / 2, setting{0, 15. / 16, 1. / 32, menuOf("1 1/32", "1/2 0"), 6}},
	{0.045, setting{0, 1. / 1024, 1. / 1024, menuOf("1/25 1/1024", "1/25 0"), 60}},
	{1e-4, setting{0, 1e-5, 0, menuOf("1/1000 0", "1/500 0"), 30}},
	{50, setting{0, 1. / 4, 0, menuOf("3 0", "10 0"), 20}},
	{1. / 2, setting{0, 1e-40, 0, menuOf("1/25 0"), 900}},
}

// theorem2 is Theorem 2 by way of approximate zCDP, with the parameters of the rounds scaled; if isLoose with Σ δ_m ≤ δ
// and the δ that is printed.
func theorem2(square, delta float64, isLoose bool) func(zcdpSetting) (rule stopRule, eps, delta float64) {
	return func(s zcdpSetting) (stopRule, float64, float64) {
		most := s.delta2
		eps, all := spec.ZCDPToDP(s.rho, s.delta2, s.delta1)
		if isLoose {
			most, all = s.delta(), s.delta()
		}
		return func(eps, deltas []float64) int {
			var rho []float64
			for _, e := range eps {
				rho = append(rho, square*spec.DPToZCDP(e))
			}
			return spec.ZCDPFilter(rho, multiplied(deltas, delta), s.rho, most)
		}, eps, all
	}
}

// keepsGuarantee checks the same of filters that are given by ρ.
func keepsGuarantee(of func(zcdpSetting) (rule stopRule, eps, delta float64)) register.Check {
	return func(t *register.T) {
		t.Domain("%d filters, ρ from 1e-4 to 50, δ from 1e-40 to 31/32, against menus of 1 to 3 mechanisms with ε from "+
			"0.001 to 10 and δ from 0 to 9/10, up to 900 rounds", len(zcdpSettings))
		for _, s := range zcdpSettings {
			t.Case()
			rule, eps, delta := of(s)
			worst, refuted := worstDelta(t, s.menu, s.rounds, filterOf{s.menu, rule}, eps, new(big.Rat).SetFloat64(delta))
			if refuted {
				t.Refute("ρ = %g, δ′ = %g, δ″ = %g, up to %d rounds of %v: at ε = %.5f needs δ = %.6g, claimed is %.6g", s.rho,
					s.delta1, s.delta2, s.rounds, s.menu, eps, worst.Float().Lo, delta)
			}
			t.Close(worst.Float().Lo/delta, "ρ = %g, δ′ = %g, δ″ = %g, %d rounds of %v", s.rho, s.delta1, s.delta2, s.rounds,
				s.menu)
		}
	}
}

// sameRounds checks that Theorem 2, corrected, and Theorem 8 with the ε of its guarantee admit the same.
func sameRounds(factor float64) register.Check {
	return func(t *register.T) {
		t.Domain("random rounds, up to 30, with ε_m from 0 to 0.499 and δ_m from 0 to 7/1024; ρ from 0.001 to 2, δ′ = 0.9, " +
			"0.1, 1e-6 and 1e-40")
		t.Random(28, t.Size(300, 3000), func(t *register.T, d register.Dice) {
			s := zcdpSetting{rho: float64(1+d.Roll(2000)) / 1000,
				setting: setting{delta1: []float64{0.9, 0.1, 1e-6, 1e-40}[d.Roll(4)], delta2: float64(d.Roll(64)) / 1024}}
			eps, delta := drawnRounds(d)
			rule, target, _ := theorem2(1, 1, false)(s)
			n, m := rule(eps, delta), spec.AdaptiveFilter(eps, delta, target*factor, s.delta1, s.delta2)
			if n == m {
				return
			}
			if v := squares(eps[:min(n, m)+1]) / 2; !near(v, s.rho) {
				t.Refute("ρ = %g, δ′ = %g, δ″ = %g, ε = %v, δ = %v: %d and %d rounds", s.rho, s.delta1, s.delta2, eps, delta, n, m)
			}
		})
	}
}

// drawnRounds are random parameters.
func drawnRounds(d register.Dice) (eps, delta []float64) {
	for range 1 + d.Roll(30) {
		eps, delta = append(eps, float64(d.Roll(500))/1000), append(delta, float64(d.Roll(8)*d.Roll(2))/1024)
	}
	return eps, delta
}

// forImpl are the same parameters as impl takes them: as the numbers that the float64 are.
func forImpl(eps, delta []float64) (e []loss.Epsilon, d []*big.Rat) {
	for i := range eps {
		e, d = append(e, loss.Nats(new(big.Rat).SetFloat64(eps[i]))), append(d, new(big.Rat).SetFloat64(delta[i]))
	}
	return e, d
}

// between refutes a number of rounds of impl that is not between those of spec for a little less and a little more.
func between(t *register.T, n int, spec func(up float64) int, eps, delta []float64) {
	if low, high := spec(1-1e-12), spec(1+1e-12); n < low || n > high {
		t.Refute("ε = %v, δ = %v: %d rounds by impl, from %d to %d by spec", eps, delta, n, low, high)
	}
}

// adaptiveFiltersAgree checks that impl admits as many rounds as spec, and that its filter keeps its budget.
func adaptiveFiltersAgree(t *register.T) {
	t.AlsoDomain("random rounds, up to 30, with ε_m from 0 to 0.499 and δ_m from 0 to 7/1024, ε from 0.01 to 9, half of " +
		"all as e^ε")
	t.Random(8, t.Size(300, 3000), func(t *register.T, d register.Dice) {
		eps, delta := drawnRounds(d)
		target, delta1, delta2 := float64(1+d.Roll(900))/100, []float64{0.9, 0.1, 1e-6, 1e-40}[d.Roll(4)],
			float64(d.Roll(40))/1024
		given := []loss.Epsilon{loss.Nats(new(big.Rat).SetFloat64(target)), asExp(target)}[d.Roll(2)]
		e, deltas := forImpl(eps, delta)
		halfAsExp(eps, e)
		one, two := new(big.Rat).SetFloat64(delta1), new(big.Rat).SetFloat64(delta2)
		n := register.Must(impl.AdaptiveFilter(e, deltas, given, one, two))
		between(t, n, func(up float64) int { return spec.AdaptiveFilter(eps, delta, up*target, delta1, delta2) }, eps, delta)
		f := register.Must(impl.NewAdaptiveFilter(given, new(big.Rat).Add(one, two), two))
		memory := f.Start()
		for i := range n {
			memory, _ = f.Spend(memory, impl.Mechanism{Eps: e[i], Delta: deltas[i], Count: 1})
		}
		if got, want := f.Spent(memory).Eps.Float().Hi, min(target, spec.AdvancedCharge(squares(eps[:n]), delta1)); !near(got,
			want) {
			t.Refute("δ′ = %g, %d rounds of %v: spent are %.12g by impl, %.12g by spec", delta1, n, eps, got, want)
		}
	})
	exactlyAttained(t)
	s := setting{3, 15. / 16, 1. / 64, menuOf("1/2 0", "1 1/64"), 20}
	sameFilters(t, impl.NewAdaptiveFilter, s, asTheorem8(s), s.eps, s.delta())
}

// exactlyAttained checks that a δ that a menu given as e^ε attains holds, and one that is hardly less does not.
func exactlyAttained(t *register.T) {
	t.AlsoDomain("two rounds of (ln 2, 1/16) under the sum of both, at e^ε in {1, 3/2, 3}, exactly")
	response := spec.Mechanism{ExpEps: rat.Of("2"), Delta: rat.Of("1/16")}
	once := impl.Mechanism{Eps: loss.Exp(response.ExpEps), Delta: response.Delta, Count: 1}
	f := register.Must(impl.NewSumFilter(loss.Exp(rat.Of("4")), rat.Of("1/8")))
	for _, e := range rat.List("1", "3/2", "3") {
		worst := finite.Responses(response, response).DeltaBothWays(finite.Constant(e))
		for _, part := range rat.List("1", "0.999999999999999999999999999999") {
			t.Case()
			c := register.Must(impl.ChallengeFilter(t.Context(), []impl.Mechanism{once}, 2, f, loss.Exp(e),
				impl.ChallengeOptions{Claim: rat.Mul(part, worst)}))
			if isAll := rat.Equal(part, rat.One); c.Holds != isAll {
				t.Refute("e^ε = %s: δ = %s is attained; that %s of it is enough holds by impl: %v", e, worst, part, c.Holds)
			}
		}
	}
}

// sameWorst refutes that a filter of impl is as good as the stopping rule of spec.
func sameWorst(t *register.T, s setting, f impl.Filter, rule stopRule, eps float64) {
	t.Case()
	claim := new(big.Rat).SetFloat64(s.delta())
	got, _ := worstDelta(t, s.menu, s.rounds, f, eps, claim)
	want, _ := worstDelta(t, s.menu, s.rounds, filterOf{s.menu, rule}, eps, claim)
	if !near(got.Float().Lo, want.Float().Lo) {
		t.Refute("ε = %g, δ′ = %g, δ″ = %g, up to %d rounds of %v: by impl needs δ = %.6g, by spec %.6g", eps, s.delta1,
			s.delta2, s.rounds, s.menu, got.Float().Lo, want.Float().Lo)
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
		n, guarantee, err := impl.DPFilter(e, deltas, new(big.Rat).SetFloat64(rho), new(big.Rat).SetFloat64(most))
		t.Must(err)
		between(t, n, func(up float64) int { n, _ := spec.DPFilter(eps, delta, up*rho, up*most); return n }, eps, delta)
		if _, printed := spec.DPFilter(eps, delta, rho, most); !near(guarantee.Float().Lo, printed) {
			t.Refute("ρ = %g, δ = %g: the guarantee is %.12g by impl, %.12g by spec", rho, most, guarantee.Float().Lo, printed)
		}
	})
	s := zcdpSetting{2.2, setting{0, 15. / 16, 1. / 64, menuOf("1/2 0", "1 1/64"), 20}}
	rule, eps, all := theorem2(1, 1, false)(s)
	sameFilters(t, impl.NewZCDPFilter, s.setting, rule, eps, all)
}
