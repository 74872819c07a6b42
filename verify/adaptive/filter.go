package adaptive

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// filters are the statements on privacy filters.
func filters() register.Checks {
	informal := func(s setting, eps, _ []float64) int {
		return spec.AdaptiveFilter(eps, make([]float64, len(eps)), s.most, s.delta1+s.delta2, 0)
	}
	withDelta := func(s setting, eps, delta []float64) int {
		return spec.AdaptiveFilter(eps, delta, s.most, s.delta1+s.delta2, s.delta1+s.delta2)
	}
	literal := func(s setting, eps, delta []float64) int {
		n, _ := spec.DPFilter(eps, delta, s.most, s.delta1+s.delta2)
		return n
	}
	printed := func(s setting) (eps, delta float64) {
		_, eps = spec.DPFilter(nil, nil, s.most, s.delta1+s.delta2)
		return eps, s.delta1 + s.delta2
	}
	halfPrinted := func(s setting) (eps, delta float64) {
		eps, _ = guaranteed(s)
		return eps, s.delta1 + s.delta2
	}
	loose := func(s setting, eps, delta []float64) int {
		s.delta2 += s.delta1
		return theorem2(1, 1)(s, eps, delta)
	}
	keeps := func(r rule) register.Check { return with(holds, filterSettings, r, setting.budget) }
	pure := func(r rule) register.Check { return with(holds, pureSettings(), r, setting.budget) }
	of := func(r rule, claim func(setting) (eps, delta float64)) register.Check {
		return with(holds, zcdpSettings, r, claim)
	}
	guarantees := func(r rule) register.Check { return of(r, guaranteed) }
	inPrint := func(t *register.T) {
		holdsAt(t, zcdpSettings, literal, printed, func(s setting) {
			t.At("ρ = %g, δ = %g, (ε_m, δ_m) from %v, m ≤ %d", s.most, s.delta1+s.delta2, s.menu, s.rounds)
		})
	}
	return register.Checks{
		"FAC-I1": checked(keeps(informal),
			alsoHolds("for δ_m = 0", pure(informal)),
			alsoFails("", "with Σ δ_m ≤ δ besides", keeps(withDelta)),
			near("for δ_m = 0, with a tenth less of the first term", pure(theorem8(0.9, 1, 1))),
			corrected("with log(1/δ′) for log(1/δ), and Σ_{m≤n+1} δ_m ≤ δ″, it is (ε, δ′ + δ″)-DP", keeps(theorem8(1,
				1, 1)))),
		"FAC-T2": checked(all(inPrint, dpFiltersAgree),
			alsoFails("", "with log(1/δ′)", of(loose, halfPrinted)),
			alsoFails("", "with Σ δ_m ≤ δ″", of(theorem2(1, 1), printed)),
			alsoHolds("corrected, it admits the same rounds as FAC-T8 for the same ε, δ′ and δ″", with(sameRounds, 1)),
			alsoFails(register.Slip, "corrected, with N from n = 1", guarantees(fromOne(theorem2(1, 1)))),
			near("corrected, with a fifth less of ε_m²", guarantees(theorem2(0.8, 1))),
			near("corrected, with a twentieth less of δ_m", guarantees(theorem2(1, 0.95))),
			near("corrected, it admits the same rounds as FAC-T8 for a hundredth more ε", with(sameRounds, 1.01)),
			corrected("stopped before Σ ε_m²/2 > ρ or Σ δ_m > δ″, everything together "+
				"is (ρ + 2√(ρ log(1/δ′)), δ″ + (1 − δ″)δ′)-DP", all(guarantees(theorem2(1, 1)), dpFiltersAgree))),
		"FAC-T8": checked(all(keeps(theorem8(1, 1, 1)), adaptiveFiltersAgree),
			alsoFails(register.Edge, "for any δ′ > 0, as printed: N compares ε with a number", hasRoot),
			alsoFails(register.Slip, "with N from n = 1: the first mechanism always runs", keeps(fromOne(theorem8(1, 1,
				1)))),
			alsoFails("", "with the decadic logarithm", keeps(theorem8(math.Sqrt(1/math.Ln10), 1, 1))),
			near("with a tenth less of the first term", keeps(theorem8(0.9, 1, 1))),
			near("with half of the second term", keeps(theorem8(1, 0.5, 1))),
			near("with a twentieth less of Σ δ_m", keeps(theorem8(1, 1, 0.95)))),
	}
}

// setting is a filter of Theorem 8, given by ε, or of Theorem 2, by ρ, and what it is tried against.
type setting struct {
	most, delta1, delta2 float64
	menu                 menu
	rounds               int
}

// budget is what Theorem 8 guarantees.
func (s setting) budget() (eps, delta float64) { return s.most, s.delta1 + s.delta2 }

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

var zcdpSettings = []setting{
	{1. / 8, 1. / 2, 0.4, menuOf("1/2 9/10"), 1},
	{1. / 8, 1. / 2, 1. / 4, menuOf("1/2 1/4", "1/2 1/16", "1/2 33/128"), 4},
	{1. / 8, 1. / 256, 57. / 64, menuOf("1/2 57/64"), 1},
	{1. / 8, 1e-6, 1. / 4, menuOf("0 1/4", "0 33/128"), 2},
	{1. / 2, 15. / 16, 1. / 32, menuOf("1 1/32", "1/2 0"), 6},
	{0.045, 1. / 1024, 1. / 1024, menuOf("1/25 1/1024", "1/25 0"), 60},
	{1e-4, 1e-5, 0, menuOf("1/1000 0", "1/500 0"), 30},
	{50, 1. / 4, 0, menuOf("3 0", "10 0"), 20},
	{1. / 2, 1e-40, 0, menuOf("1/25 0"), 900},
}

// pureSettings are those of mechanisms with δ = 0.
func pureSettings() (some []setting) {
	for _, s := range filterSettings {
		if s.menu.isPure() {
			some = append(some, s)
		}
	}
	return some
}

// rule is N of a filter: see [stopRule].
type rule = func(s setting, eps, delta []float64) int

// against is a rule as a filter against what it is tried against.
func (s setting) against(r rule) filterOf {
	return filterOf{s.menu, func(eps, delta []float64) int { return r(s, eps, delta) }}
}

// theorem8 is its rule with the three sums scaled.
func theorem8(first, second, delta float64) rule {
	return func(s setting, eps, deltas []float64) int {
		// √(2 log(1/δ′))·first of √V and half·second of V are those of Theorem 8 for other ε_m and δ′
		log := math.Log(1/s.delta1) * first * first / second
		return spec.AdaptiveFilter(multiplied(eps, math.Sqrt(second)), multiplied(deltas, delta), s.most,
			math.Exp(-log), s.delta2)
	}
}

// theorem2 is Theorem 2 by way of approximate zCDP, with the parameters of the rounds scaled.
func theorem2(square, delta float64) rule {
	return func(s setting, eps, deltas []float64) int {
		var rho []float64
		for _, e := range eps {
			rho = append(rho, square*spec.DPToZCDP(e))
		}
		return spec.ZCDPFilter(rho, multiplied(deltas, delta), s.most, s.delta2)
	}
}

// guaranteed is what Theorem 2 guarantees.
func guaranteed(s setting) (eps, delta float64) { return spec.ZCDPToDP(s.most, s.delta2, s.delta1) }

// fromOne is the infimum over n ≥ 1.
func fromOne(r rule) rule {
	return func(s setting, eps, delta []float64) int { return max(min(1, len(eps)), r(s, eps, delta)) }
}

// holds checks that no adversary under filters needs more than a δ at an ε.
func holds(t *register.T, settings []setting, r rule, of func(setting) (eps, delta float64)) {
	holdsAt(t, settings, r, of, func(s setting) {
		t.At("ε or ρ = %g, δ′ = %g, δ″ = %g, up to %d rounds of %v", s.most, s.delta1, s.delta2, s.rounds, s.menu)
	})
}

// holdsAt is holds with places in the letters of a statement.
func holdsAt(t *register.T, settings []setting, r rule, of func(setting) (eps, delta float64), at func(s setting)) {
	t.Domain("%d filters, ε from 0.01 to 120 or ρ from 1e-4 to 50, δ′ from 1e-40 to 15/16, δ″ from 0 to 57/64, "+
		"against menus of 1 to 3 mechanisms with ε from 0 to 10 and δ from 0 to 1, up to 900 rounds", len(settings))
	for _, s := range settings {
		eps, delta := of(s)
		at(s)
		worst, refuted := worstDelta(t, s.menu, s.rounds, s.against(r), eps, delta)
		t.Require(!refuted, "at ε = %.5f needs δ = %.6g, claimed is %.6g", eps, worst, delta)
		t.Close(worst/delta, "")
	}
}

// sameRounds checks that Theorem 2, corrected, and Theorem 8 with the ε of its guarantee admit the same.
func sameRounds(t *register.T, factor float64) {
	of := func(r drawn) setting { return setting{most: r.most, delta1: r.delta1, delta2: r.delta2} }
	admitAlike(t, 2, func(r drawn, up float64) int {
		s := of(r)
		s.most *= up
		return theorem2(1, 1)(s, r.eps, r.delta)
	}, func(t *register.T, r drawn) int {
		target, _ := guaranteed(of(r))
		return spec.AdaptiveFilter(r.eps, r.delta, target*factor, r.delta1, r.delta2)
	})
}

// adaptiveFiltersAgree checks that impl admits as many rounds as spec, and that its filter keeps its budget.
func adaptiveFiltersAgree(t *register.T) {
	admitAlike(t, 9, func(r drawn, up float64) int {
		return spec.AdaptiveFilter(r.eps, r.delta, up*r.most, r.delta1, r.delta2)
	}, func(t *register.T, r drawn) int {
		one, two := exact(r.delta1), exact(r.delta2)
		n := register.Must(ledger.AdaptiveFilter(r.e, r.deltas, loss.Nats(exact(r.most)), one, two))
		f := register.Must(ledger.NewAdaptiveFilter(loss.Nats(exact(r.most)), rat.Add(one, two), two))
		memory := f.Start()
		for i := range n {
			memory, _ = f.Spend(memory, impl.Mechanism{Eps: r.e[i], Delta: r.deltas[i], Count: 1})
		}
		agree(t, "what is spent", f.Spent(memory).Eps.Float().Hi,
			min(r.most, spec.AdvancedCharge(squares(r.eps[:n]), r.delta1)))
		return n
	})
	exactlyAttained(t)
	s := setting{3, 15. / 16, 1. / 64, menuOf("1/2 0", "1 1/64"), 20}
	sameFilters(t, ledger.NewAdaptiveFilter, s, theorem8(1, 1, 1), setting.budget)
}

// exactlyAttained checks that a δ that a menu given as e^ε attains holds, and one that is hardly less does not.
func exactlyAttained(t *register.T) {
	t.AlsoDomain("two rounds of (ln 2, 1/16) under the sum of both, at e^ε in {1, 3/2, 3}, exactly")
	response := spec.Mechanism{ExpEps: rat.Of("2"), Delta: rat.Of("1/16")}
	once := menu{{Eps: loss.Exp(response.ExpEps), Delta: response.Delta, Count: 1}}
	f := register.Must(ledger.NewSumFilter(loss.Exp(rat.Of("4")), rat.Of("1/8")))
	finite.Each2(rat.List("1", "3/2", "3"), rat.List("1", "0.999999999999999999999999999999"), func(e, part *big.Rat) {
		t.Case()
		worst := finite.Responses(response, response).DeltaBothWays(finite.Constant(e))
		c := register.Must(ledger.ChallengeFilter(t.Context(), once, 2, f, loss.Exp(e),
			ledger.ChallengeOptions{Claim: rat.Mul(part, worst)}))
		t.Require(c.Holds == rat.Equal(part, rat.One),
			"e^ε = %s: δ = %s is attained; that %s of it is enough holds by impl: %v", e, worst, part, c.Holds)
	})
}

// newFilter is [ledger.NewAdaptiveFilter] or [ledger.NewZCDPFilter].
type newFilter func(eps loss.Epsilon, delta, delta2 *big.Rat) (*ledger.VarianceFilter, error)

// sameFilters checks that the filters of impl, with their ε as it is and as e^ε, do what the stopping rule of spec
// does: they are as good, and the largest ε that fits is the same, but for the rounding of float64.
func sameFilters(t *register.T, of newFilter, s setting, r rule, guarantee func(setting) (eps, delta float64)) {
	eps, delta := guarantee(s)
	t.AlsoDomain("filters with ε = %.4g and e^ε, against %v, up to %d rounds; ε_m with e^(ε_m) in {%s}",
		eps, s.menu, s.rounds, factors)
	for _, given := range []loss.Epsilon{loss.Nats(exact(eps)), asExp(eps)} {
		f := register.Must(of(given, exact(delta), exact(s.delta2)))
		t.Case()
		got, _ := worstDelta(t, s.menu, s.rounds, f, eps, delta)
		want, _ := worstDelta(t, s.menu, s.rounds, s.against(r), eps, delta)
		agree(t, "the worst δ", got, want)
		t.Case()
		most := f.Fits(f.Start(), ledger.Guarantee{})
		rounds := func(eps float64) int { return r(s, []float64{eps}, []float64{0}) }
		t.Require(rounds(most*(1-1e-12)) == 1 && rounds(most*(1+1e-12)) == 0,
			"ε = %s: by impl, at most ε_1 = %.15g fits, which is not where spec stops", f.Budget().Eps.Text(), most)
		chargesSquares(t, f)
		knowsItsRest(t, f)
	}
}

// knowsItsRest checks what a filter says of what is left and spent, at first and after some mechanisms: what is left
// is admitted, hardly more is not, and what is spent then is all of ε and what it should be of δ.
func knowsItsRest(t *register.T, f ledger.BudgetFilter) {
	t.AlsoDomain("what is left after none to two mechanisms, by impl")
	memory, delta := f.Start(), f.Spent(f.Start()).Delta
	spend := func(eps, delta *big.Rat) (after any, admitted bool) {
		return f.Spend(memory, impl.Mechanism{Eps: loss.Nats(eps), Delta: delta, Count: 1})
	}
	for n := range 3 {
		t.Case()
		sum := f.Limit(memory, ledger.Guarantee{})
		left, _ := sum.Rat()
		after, admitted := spend(left, new(big.Rat))
		_, admitsMore := spend(rat.Mul(left, hardly), new(big.Rat))
		spent, budget, fits := f.Spent(after), f.Budget(), f.Fits(memory, ledger.Guarantee{})
		t.Require(admitted && !admitsMore && f.Limit(after, ledger.Guarantee{}).Float().Hi < 1e-20 &&
			isNear(spent.Eps.Float().Lo, budget.Eps.Float().Lo) && spent.Eps.Cmp(budget.Eps) <= 0,
			"%v, then ε = %s: admitted %v, hardly more %v, spent are %s", memory, sum.Text(), admitted, admitsMore,
			spent.Eps.Text())
		t.Require(isNear(fits, sum.Float().Lo) && exact(fits).Cmp(left) <= 0 && f.Check(n, memory) == nil &&
			spent.Delta.Minus(delta).Cmp(loss.OfRat(big.NewRat(int64(n), 1024))) == 0,
			"%v: at most ε = %.17g fits, of %s; δ is %s more than at first", memory, fits, sum.Text(),
			spent.Delta.Minus(delta).Text())
		memory, _ = spend(rat.Mul(left, rat.Of("1/3")), rat.Of("1/1024"))
	}
}

// factors are e^ε of mechanisms.
var factors = rat.List("101/100", "3/2", "2", "7/3")

// chargesSquares refutes that what is charged for an ε given as e^ε is ε² or hardly more.
func chargesSquares(t *register.T, f *ledger.VarianceFilter) {
	const n = interval.Precision(256) // more than what is checked
	for _, x := range factors {
		t.Case()
		after, admitted := f.Spend(f.Start(), impl.Mechanism{Eps: loss.Exp(x), Delta: new(big.Rat), Count: 1})
		v, _ := after.(ledger.Sums).Charge.Rat()
		square := rat.Exact(n.Mul(n.Log(x), n.Log(x)).Upper)
		t.Require(admitted && v.Cmp(square) >= 0 && v.Cmp(rat.Mul(square, hardly)) <= 0,
			"e^(ε_m) = %s: impl charges ε_m² and %.3g", x, rat.Sub(v, square))
	}
}

// dpFiltersAgree checks that impl admits as many rounds as spec, and has the same guarantee.
func dpFiltersAgree(t *register.T) {
	admitAlike(t, 2, func(r drawn, up float64) int {
		n, _ := spec.DPFilter(r.eps, r.delta, up*r.most, up*r.delta2)
		return n
	}, func(t *register.T, r drawn) int {
		n, guarantee, err := ledger.DPFilter(r.e, r.deltas, exact(r.most), exact(r.delta2))
		t.Must(err)
		_, printed := spec.DPFilter(r.eps, r.delta, r.most, r.delta2)
		agree(t, "the guarantee", guarantee.Float().Lo, printed)
		return n
	})
	s := setting{2.2, 15. / 16, 1. / 64, menuOf("1/2 0", "1 1/64"), 20}
	sameFilters(t, ledger.NewZCDPFilter, s, theorem2(1, 1), guaranteed)
}
