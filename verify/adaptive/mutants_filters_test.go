package adaptive

import "checkrr/verify/register/registertest"

// filterMutants are wrong changes of what the entries on filters, odometers and figures name.
var filterMutants = []registertest.Mutant{
	// Filters as printed.
	{Name: "Theorem 1 stops a round late", File: "spec/filter.go", Old: "sum(rho[:n+1]) > target", New: "sum(rho[:n]) > target"},
	{Name: "Theorem 1 does not look at δ", File: "spec/filter.go", Old: "sum(rho[:n+1]) > target || sum(deltas[:n+1]) > delta", New: "sum(rho[:n+1]) > target || delta < 0"},
	{Name: "Theorem 2 without the half of ε²", File: "spec/filter.go", Old: "variance(eps[:n+1])/2 > rho", New: "variance(eps[:n+1]) > rho"},
	{Name: "the guarantee of Theorem 2 with half of the root", File: "spec/filter.go", Old: "guarantee = rho + 2*math.Sqrt", New: "guarantee = rho + math.Sqrt"},
	{Name: "Theorem 8 without V/2", File: "spec/filter.go", Old: "*v)+v/2 || delta2", New: "*v) || delta2"},
	{Name: "Theorem 8 with half of the logarithm", File: "spec/filter.go", Old: "math.Sqrt(2*math.Log(1/delta1)*v)+v/2 ||", New: "math.Sqrt(math.Log(1/delta1)*v)+v/2 ||"},
	{Name: "Theorem 8 does not look at the δ of the round that comes", File: "spec/filter.go", Old: "delta2 < sum(deltas[:n+1]) {", New: "delta2 < sum(deltas[:n]) {"},
	{Name: "δ twice in Lemma 1", File: "spec/zcdp.go", In: "spec.ZCDPToDP", Old: "delta + (1-delta)*delta1", New: "delta + (1-delta)*delta1*delta1"},

	// Composition with fixed parameters.
	{Name: "advanced composition without the second term", File: "spec/composition.go", Old: "*variance(eps)) + drift, delta1", New: "*variance(eps)), delta1"},
	{Name: "advanced composition without δ′", File: "spec/composition.go", Old: "delta1 + sum(deltas)\n", New: "sum(deltas)\n"},
	{Name: "advanced composition in impl with e^ε for e^ε + 1", File: "impl/composition.go", Old: "bits.Add(odds, one))))", New: "odds)))"},
	{Name: "advanced composition in impl does not count the last δ", File: "impl/composition.go", Old: "delta.Add(delta, deltas[i])", New: "if i < len(eps)-1 {\n\t\t\tdelta.Add(delta, deltas[i])\n\t\t}"},
	{Name: "the sum filter has twice the ε", File: "impl/filter.go", Old: "return &SumFilter{a.budget}, nil", New: "a.budget.Eps = a.budget.Eps.Plus(a.budget.Eps)\n\treturn &SumFilter{a.budget}, nil"},

	// Odometers as printed.
	{Name: "y* with a root too many", File: "spec/odometer.go", Old: "return root * root", New: "return root"},
	{Name: "y* as it should be", File: "spec/odometer.go", Old: "(2*math.Log(1/delta1))+target)", New: "(2*math.Log(1/delta1))+2*target)"},
	{Name: "f with V for V/2", File: "spec/odometer.go", Old: "math.Sqrt(2*math.Log(1/delta1)*y) + y/2 }", New: "math.Sqrt(2*math.Log(1/delta1)*y) + y }"},
	{Name: "M_n does not count the first round", File: "spec/odometer.go", Old: "for i := range losses {", New: "for i := range losses[:len(losses)*min(1, len(losses)/2)] {"},
	{Name: "the loss, not M_n", File: "spec/odometer.go", Old: "m = add(m, sub(losses[i], expected[i]))", New: "m = add(m, losses[i])"},
	{Name: "the filter odometer with half of its slope", File: "spec/odometer.go", Old: "/(2*math.Sqrt(y)))*v + v/2", New: "/(4*math.Sqrt(y)))*v + v/2"},
	{Name: "the mixture odometer without the inner root", File: "spec/odometer.go", Old: "math.Sqrt((v+gamma)/gamma))*(gamma+v))", New: "((v+gamma)/gamma))*(gamma+v))"},
	{Name: "the stitched odometer with log for loglog", File: "spec/odometer.go", Old: "math.Log(math.Log(2*v/v0))", New: "math.Log(2*v/v0)"},
	{Name: "the stitched odometer is never infinite for V < v_0", File: "spec/odometer.go", Old: "|| v < v0 {", New: "|| v < v0/2 {"},
	{Name: "the original odometer with e for 110e", File: "spec/odometer.go", Old: "math.Log(110*math.E)+", New: "math.Log(math.E)+"},
	{Name: "the original odometer with log in its third case", File: "spec/odometer.go", Old: "*math.Log(math.Log((4/delta1)*math.Log2(size))))", New: "*math.Log((4/delta1)*math.Log2(size)))"},
	{Name: "N a round late", File: "spec/odometer.go", In: "spec.MixtureOdometer", Old: "delta2 < sum {\n\t\t\treturn n", New: "delta2 < sum {\n\t\t\treturn n + 1"},

	// The same in impl.
	{Name: "the zCDP filter of impl admits a round more", File: "impl/filter.go", Old: "return admittedBy(Amount{loss.OfRat(target), loss.OfRat(delta)}, loss.Of, eps, deltas), nil", New: "return 1 + admittedBy(Amount{loss.OfRat(target), loss.OfRat(delta)}, loss.Of, eps, deltas), nil"},
	{Name: "Theorem 2 of impl with ρ for 2ρ", File: "impl/filter.go", Old: "twice := loss.OfRat(new(big.Rat).Add(rho, rho))", New: "twice := loss.OfRat(rho)"},
	{Name: "the capacity of Theorem 8 for half of δ′", File: "impl/filter.go", In: "impl.NewAdaptiveFilter", Old: "if isZCDP {\n\t\tdelta1.Quo", New: "if !isZCDP {\n\t\tdelta1.Quo(delta1, big.NewRat(1000, 1))\n\t}\n\tif isZCDP {\n\t\tdelta1.Quo"},
	{Name: "the capacity of Theorem 2 for a thousandth of δ′", File: "impl/filter.go", In: "impl.NewZCDPFilter", Old: "delta1.Quo(delta1, new(big.Rat).Sub(rational.One, delta2))", New: "delta1.Quo(delta1, big.NewRat(1000, 1))"},
	{Name: "the filter of impl charges ε for ε²", File: "impl/filter.go", In: "impl.VarianceFilter", Old: "return memory.(Sums).admit(squared(m.Eps), m.Delta, f.capacity)", New: "return memory.(Sums).admit(loss.Of(m.Eps), m.Delta, f.capacity)"},
	{Name: "Theorem 8 of impl does not look at δ", File: "impl/filter.go", Old: "return admittedBy(f.capacity, squared, eps, deltas), nil", New: "f.capacity.Delta = loss.OfRat(rational.One)\n\treturn admittedBy(f.capacity, squared, eps, deltas), nil"},
	{Name: "the line of impl touches at half of ε", File: "impl/odometer.go", In: "impl.FilterCurve", Old: "target := interval.Point(c.Target)", New: "target := interval.Point(c.Target / 2)"},
	{Name: "the mixture of impl without the inner root", File: "impl/martingale.go", In: "impl.MixtureCurve", Old: "level := log.Add(half(v.Quo", New: "level := log.Add((v.Quo"},
	{Name: "the stitched curve of impl with 1.7 under the root", File: "impl/martingale.go", In: "impl.StitchedCurve", Old: "stitchedScale.Mul(v.Mul(iterated.Add(level)).Sqrt())", New: "v.Mul(iterated.Add(level)).Mul(stitchedScale).Sqrt()"},
	{Name: "the original curve of impl with loglog", File: "impl/odometer.go", In: "impl.RogersCurve", Old: "Add(size.Log().Quo(two.Log()).Log()) //", New: "Add(size.Log().Quo(two.Log()).Log()).Log() //"},
	{Name: "the odometer of impl without −ln(1 − Σ δ_m)", File: "impl/odometer.go", In: "impl.Odometer", Old: "if shift == 0 || math.IsInf(of, 1) {", New: "if shift >= 0 || math.IsInf(of, 1) {"},
	{Name: "y* of impl as printed", File: "impl/odometer.go", Old: "bits.Add(level, twice))))\n", New: "bits.Add(level, bits.Half(twice)))))\n"},
	{Name: "f of impl with V for V/2", File: "impl/odometer.go", Old: "v)), bits.Half(v))", New: "v)), v)"},

	// Where ρ is used up, and where an ε is given as e^ε.
	{
		Name: "Theorem 1 does not let ρ be used up in both rooms", File: "spec/filter.go",
		Old: "sum(rho[:n+1]) > target", New: "sum(rho[:n+1]) >= target",
		Also: &registertest.Mutant{File: "impl/accountant.go", Old: "a.Eps.Cmp(b.Eps) <= 0 &&", New: "a.Eps.Cmp(b.Eps) < 0 &&"},
	},
	{Name: "Theorem 1 does not let ρ be used up", File: "spec/filter.go", Old: "sum(rho[:n+1]) > target", New: "sum(rho[:n+1]) >= target"},
	{Name: "the zCDP filter of impl does not let ρ be used up", File: "impl/accountant.go", In: "impl.ZCDPFilter", Old: "a.Eps.Cmp(b.Eps) <= 0 &&", New: "a.Eps.Cmp(b.Eps) < 0 &&"},
	{Name: "Theorem 1 does not let δ be used up in both rooms", File: "spec/filter.go",
		Old: "sum(rho[:n+1]) > target || sum(deltas[:n+1]) > delta", New: "sum(rho[:n+1]) > target || sum(deltas[:n+1]) >= delta",
		Also: &registertest.Mutant{File: "impl/accountant.go", Old: "a.Delta.Cmp(b.Delta) <= 0", New: "a.Delta.Cmp(b.Delta) < 0"}},
	{Name: "ε² of an e^ε is rounded down", File: "impl/filter.go", In: "impl.VarianceFilter", Old: "eps.Enclose(interval.Precision(96)).Upper.Rat(nil)", New: "eps.Enclose(interval.Precision(96)).Lower.Rat(nil)"},
	{Name: "ε² of an e^ε is a millionth more", File: "impl/filter.go", In: "impl.VarianceFilter", Old: "eps.Enclose(interval.Precision(96)).Upper.Rat(nil)\n", New: "eps.Enclose(interval.Precision(96)).Upper.Rat(nil)\n\t\te = new(big.Rat).Mul(e, big.NewRat(1_000_001, 1_000_000))\n"},
	{Name: "the capacity for an e^ε is a hundredth more", File: "impl/filter.go", In: "impl.NewAdaptiveFilter", Old: "capacity, _ := TargetVariance(eps, delta1).Lower.Rat(nil)\n", New: "capacity, _ := TargetVariance(eps, delta1).Lower.Rat(nil)\n\tif eps.IsExp() {\n\t\tcapacity.Mul(capacity, big.NewRat(101, 100))\n\t}\n"},
	{Name: "the capacity of Theorem 2 for an e^ε is a hundredth more", File: "impl/filter.go", In: "impl.NewZCDPFilter", Old: "capacity, _ := TargetVariance(eps, delta1).Lower.Rat(nil)\n", New: "capacity, _ := TargetVariance(eps, delta1).Lower.Rat(nil)\n\tif eps.IsExp() && isZCDP {\n\t\tcapacity.Mul(capacity, big.NewRat(101, 100))\n\t}\n"},

	{Name: "an odometer of impl ends when δ″ is used up", File: "impl/challenge.go", In: "impl.CurveRule", Old: "if next.Delta.Cmp(r.most) > 0 {", New: "if next.Delta.Cmp(r.most) >= 0 {"},

	// The search.
	{Name: "a filter is challenged for one round less", File: "impl/challenge.go", Old: "m, err := newMatch(menu, rounds, f.Start())", New: "m, err := newMatch(menu, max(0, rounds-1), f.Start())"},
	{Name: "a loss is not counted that is equal to the next multiple above a reading", File: "impl/challenge.go", In: "impl.ChallengeOdometer", Old: "Exceeds: m.firstAbove(x.Hi), MayExceed: m.firstAbove(x.Lo)", New: "Exceeds: m.firstAbove(x.Hi) + 1, MayExceed: m.firstAbove(x.Lo) + 1"},
	{Name: "a loss counts at the end only", File: "exhaustive/odometer.go", In: "exhaustive.WorstExcess", Old: "case exceeds(moves, a, b):", New: "case v != nil && exceeds(moves, a, b):"},
	// What a stranger tried.
	{Name: "the stitched curve is finite where V may be below v_0", File: "impl/martingale.go", In: "impl.StitchedCurve", Old: "if v.Lo < v0.Hi {", New: "if v.Hi < v0.Lo {"},
	{Name: "the original curve has its second case up to V = 2", File: "impl/odometer.go", In: "impl.RogersCurve", Old: "v.Lo >= least.Hi && v.Hi <= 1:", New: "v.Lo >= least.Hi && v.Hi <= 2:"},
	{Name: "the original curve takes one case of two that are possible", File: "impl/odometer.go", In: "impl.RogersCurve", Old: "return inside.Hull(outside)", New: "return inside"},
	{Name: "the odometer rounds Σ ε_m down", File: "impl/odometer.go", In: "impl.Odometer", Old: "l.Eps.Float().Hi)", New: "l.Eps.Float().Lo)"},
	{Name: "the odometer adds Σ δ_m", File: "impl/odometer.go", In: "impl.Odometer", Old: "interval.FloatOf(d.Quo(d, rest)).Hi", New: "interval.FloatOf(d).Hi"},
	{Name: "the odometer reads 0 as long as all ε_m are", File: "impl/odometer.go", In: "impl.Odometer", Old: "if l.Delta.Cmp(o.most) <= 0 {", New: "if l.V.Sign() == 0 || l.Delta.Cmp(o.most) <= 0 {"},
	{Name: "the filter curve is rounded down", File: "impl/odometer.go", In: "impl.FilterCurve", Old: "func (c FilterCurve) Charge(v, log interval.Float) float64 { return c.Enclose(v, log).Hi }", New: "func (c FilterCurve) Charge(v, log interval.Float) float64 { return c.Enclose(v, log).Lo }"},
	{Name: "the original odometer has its third case at V = 1", File: "spec/odometer.go", In: "spec.RogersOdometer", Old: "<= v && v <= 1:", New: "<= v && v < 1:"},
	{Name: "the stitched odometer is infinite at v_0", File: "spec/odometer.go", In: "spec.StitchedOdometer", Old: "|| v < v0 {", New: "|| v <= v0 {"},
	{Name: "the stitched boundary with 5 for 5.2 in both rooms", File: "spec/martingale.go", In: "spec.StitchedBoundary", Old: "0.72*math.Log(5.2/delta)", New: "0.72*math.Log(5/delta)",
		Also: &registertest.Mutant{File: "impl/martingale.go", Old: "rational.MustParse(\"5.2\")", New: "rational.MustParse(\"5\")"}},

	{Name: "the capacity is rounded up", File: "impl/filter.go", In: "impl.NewAdaptiveFilter", Old: "capacity, _ := TargetVariance(eps, delta1).Lower.Rat(nil)", New: "capacity, _ := TargetVariance(eps, delta1).Upper.Rat(nil)",
		Survives: "the two ends are 2^−180 of it apart"},
	{Name: "the filter says that √(ln(1/δ′)·V) is spent", File: "impl/filter.go", In: "impl.VarianceFilter", Old: "interval.Point(2).Mul(f.log).Mul(v).Sqrt()", New: "f.log.Mul(v).Sqrt()"},
	{Name: "the sum filter charges the first part", File: "impl/filter.go", In: "impl.SumFilter", Old: "loss.Of(g.Parts[observed].Eps)", New: "loss.Of(g.Parts[0].Eps)"},
	{Name: "Theorem 2 does not let δ be used up", File: "spec/filter.go", In: "spec.DPFilter", Old: "variance(eps[:n+1])/2 > rho || sum(deltas[:n+1]) > delta {", New: "variance(eps[:n+1])/2 > rho || sum(deltas[:n+1]) >= delta {"},
	{Name: "the least ρ between two orders is that of the larger one", File: "impl/divergence.go", In: "impl.SmallestRho", Old: "bits.Quo(d, bits.Rat(order))", New: "bits.Quo(d, bits.Rat(upper))"},
	{Name: "orders above 1024 are not looked at", File: "impl/divergence.go", In: "impl.SmallestRho", Old: "			rho = interval.Max(rho, most)\n", New: "			_ = most\n"},
	{Name: "given as e^ε, the answers are exchanged", File: "impl/challenge.go", In: "impl.ChallengeFilter", Old: "exact := new(big.Rat).Quo(c.Eps.Rat(), ", New: "exact := new(big.Rat).Quo(rational.One, "},
}
