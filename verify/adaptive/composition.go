package adaptive

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// composition are the statements on composition with parameters fixed beforehand, and how filters and odometers compare
// with it.
func composition() register.Checks {
	advanced := func(r drawn) float64 {
		e, _ := spec.AdvancedComposition(r.eps, r.none(), r.delta1)
		return e
	}
	rest := func(t *register.T) {
		knowsItsRest(t, register.Must(ledger.NewSumFilter(loss.Nats(rat.One), rat.Of("1/8"))))
	}
	return register.Checks{
		"FAC-X1": checked(all(with(matchesRates, 24, 1.7), with(tightestAt, 1, 5)),
			alsoFails("", "all constants are the same: the filter charges what advanced composition does",
				with(matchesRates, math.Inf(1), 1.7)),
			near("the other terms differ by at most Σ ε_m⁴/25", with(matchesRates, 25, 1.7)),
			near("the filter odometer matches it at 1.02·y*", with(tightestAt, 1.02, 5)),
			near("the stitched odometer does with 1.69 for 1.7", with(matchesRates, 24, 1.69))),
		"FAC-E2": checked(composesAs(1, 1, same),
			alsoFails(register.Edge, "for any δ′ > 0, as printed: there is such an ε", hasRoot),
			near("with a tenth less of the first term of ε", composesAs(0.9, 1, same)),
			near("with half of the second term of ε", composesAs(1, 0.5, same)),
			near("with 19/20 of δ", composesAs(1, 1, less))),
		"FAC-X2": checked(with(isOfOrder, 1, 0.5),
			near("also for n·ε_m² = 1.1", with(isOfOrder, 1.1, 0.5)),
			near("at most plus 0.495·√n·ε_m", with(isOfOrder, 1, 0.495))),
		"FAC-X3": checked(all(with(addsUp, 1, rat.One), with(sumsKeep, "1"), with(partsAddUp, "1/10", "1/2"), rest),
			near("with a hundredth less of the product of the e^ε", with(addsUp, 0.99, rat.One)),
			near("with a hundredth less of the sum of the δ", with(addsUp, 1, rat.Of("0.99"))),
			near("the filter keeps a hundredth less of ε and δ", with(sumsKeep, "0.99")),
			near("the filter charges the worst part", with(partsAddUp, "1/2", "1/2")),
			near("the filter charges 19/20 of the part", with(partsAddUp, "19/200", "19/40"))),
		"FAC-X5": checked(with(dependsOnSum, 2, 1e-5, chargeOfFilter),
			alsoFails("", "so it is for advanced composition (2)", with(dependsOnSum, 2, 1e-5, advanced)),
			near("it depends on Σ ε_m^1.99", with(dependsOnSum, 1.99, 1e-5, chargeOfFilter))),
	}
}

// matchesRates checks two parts of the claim: with the divisor of Σ ε_m⁴, and the factor of the stitched odometer.
func matchesRates(t *register.T, divisor, factor float64) {
	t.Domain("n = 1, 10 and 1000 mechanisms with ε from 1e-3 to 10; δ′ = 0.5, 1e-6 and 1e-60")
	ns, all := []int{1, 10, 1000}, []float64{1, 1e-3, 0.1, 0.5, 3, 10}
	finite.Each3([]float64{0.5, 1e-6, 1e-60}, ns, all, func(delta1 float64, n int, e float64) {
		t.At("δ′ = %g, %d mechanisms with ε = %g", delta1, n, e)
		eps := slices.Repeat([]float64{e}, n)
		v := squares(eps)
		fixed, _ := spec.AdvancedComposition(eps, make([]float64, n), delta1)
		filter := spec.AdvancedCharge(v, delta1)
		rest, gap, rounding := float64(n)*math.Pow(e, 4)/divisor, filter-fixed, 1e-12*filter
		t.Require(gap >= -rounding && gap <= rest+rounding,
			"the filter charges %.8g, advanced composition %.8g, claimed is a difference of at most %.3g",
			filter, fixed, rest)
		u := odometer{"stitched", delta1, 0, v / 8}.excess(v)
		most := factor * math.Sqrt((math.Log(math.Log(16))+0.72*math.Log(5.2/delta1))/(2*math.Log(1/delta1)))
		t.Require(u <= most*(1+1e-9),
			"v_0 = V/8: without V/2, the stitched odometer is %.8g times what the filter charges, "+
				"claimed is at most %.8g", u, most)
	})
}

// isOfOrder checks ε of advanced composition for n·ε_m² up to a bound, with the constant of what may be added.
func isOfOrder(t *register.T, most, constant float64) {
	t.Domain("n = 1, 10, …, 1e5, n·ε_m² = %g, a hundredth and a millionth of it; δ′ = 0.5, 1e-6 and 1e-60", most)
	times := []float64{most, most / 100, most / 1e6}
	finite.Each3([]int{0, 1, 2, 3, 4, 5}, times, []float64{0.5, 1e-6, 1e-60}, func(digits int, time, delta1 float64) {
		n := int(math.Pow10(digits))
		e := math.Sqrt(time / float64(n))
		t.At("n = %d, ε_m = %.6g, δ′ = %g", n, e, delta1)
		eps, _ := spec.AdvancedComposition(slices.Repeat([]float64{e}, n), nil, delta1)
		order, level := math.Sqrt(time), math.Sqrt(2*math.Log(1/delta1))
		t.Require(eps >= level*order*(1-1e-9) && eps <= (level+constant)*order*(1+1e-9),
			"ε = %.8g, √n·ε_m = %.8g, claimed are from %.6g to %.6g of that", eps, order, level, level+constant)
		t.Close((eps-level*order)/(constant*order), "")
	})
}

// addsUp checks that randomized responses need at most a part of Σ δ_m at a part of the product of the e^ε_m.
func addsUp(t *register.T, expEps float64, delta *big.Rat) {
	t.Domain("up to 3 of the randomized responses with e^ε in {1, 3}, δ in {0, 1/1000, 1/3, 1}")
	var all []spec.Mechanism
	finite.Each2(rat.List("1", "3"), rat.List("0", "1/1000", "1/3", "1"), func(e, d *big.Rat) {
		all = append(all, spec.Mechanism{ExpEps: e, Delta: d})
	})
	for some := range finite.Lists(all, 1, 3) {
		t.At("%v", some)
		product, total := exact(expEps), new(big.Rat)
		for _, m := range some {
			product, total = rat.Mul(product, m.ExpEps), rat.Add(total, m.Delta)
		}
		needs, most := finite.Responses(some...).DeltaBothWays(finite.Constant(product)), rat.Mul(delta, total)
		t.AtMost(needs, most, "at e^ε = %s they need δ = %s, claimed is %s", product, needs, most)
	}
}

// sumsKeep checks that adversaries under the filter of both sums need no more than a part of the budget.
func sumsKeep(t *register.T, part string) {
	t.AlsoDomain("the filter of both sums for ε = 1/10, 1 and 10, δ = 1/16 and 3/4, against 2 menus, up to 12 rounds")
	menus := []menu{menuOf("1/10 1/64", "1/20 0", "1/2 1/1024"), menuOf("1/10 1/16", "0 3/4", "2 0")}
	finite.Each3(rat.List("1/10", "1", "10"), rat.List("1/16", "3/4"), menus, func(eps, delta *big.Rat, m menu) {
		t.At("ε = %s, δ = %s, up to 12 rounds of %v", eps, delta, m)
		f := register.Must(ledger.NewSumFilter(loss.Nats(eps), delta))
		claim := rat.Float64(rat.Mul(delta, rat.Of(part)))
		worst, refuted := worstDelta(t, m, 12, f, rat.Float64(rat.Mul(eps, rat.Of(part))), claim)
		t.Require(!refuted, "need δ = %.8g", worst)
		t.Close(worst/claim, "")
	})
}

// partsAddUp checks that the filter charges a mechanism of two parts, 1/2 and 1/10, for the one observed, and admits it
// by the worst.
func partsAddUp(t *register.T, small, large string) {
	t.AlsoDomain("parts of 1/2 and 1/10 under ε = 1, δ = 1/8, observed in up to 8 rounds")
	f := register.Must(ledger.NewSumFilter(loss.Nats(rat.One), rat.Of("1/8")))
	g := ledger.Guarantee{Parts: []ledger.Part{{Name: "a", Eps: loss.Nats(rat.Half)},
		{Name: "b", Eps: loss.Nats(rat.Of("1/10"))}}, Delta: rat.Of("1/64")}
	for observed := range finite.Tuples([]int{0, 1}, 8) {
		t.Case()
		memory, sum := f.Start(), new(big.Rat)
		for n, part := range observed {
			after, admitted := f.SpendPart(memory, g, part)
			fits := rat.Add(sum, rat.Half).Cmp(rat.One) <= 0
			t.Require(admitted == fits, "after the parts %v with Σ ε = %s: admitted %v, claimed %v",
				observed[:n], sum, admitted, fits)
			if !admitted {
				break
			}
			memory, sum = after, rat.Add(sum, rat.List(large, small)[part])
			got := f.Spent(memory)
			t.Require(got.Eps.Cmp(loss.OfRat(sum)) == 0 && got.Delta.Cmp(loss.OfRat(big.NewRat(int64(n+1), 64))) == 0,
				"after the parts %v: spent are ε = %s and δ = %s, claimed is %s",
				observed[:n+1], got.Eps.Text(), got.Delta.Text(), sum)
		}
	}
}

// chargeOfFilter is the least ε at which the filter of Theorem 8 admits all rounds, by bisection.
func chargeOfFilter(r drawn) float64 {
	low, high := 0.0, 1e6
	for range 100 {
		if mid := (low + high) / 2; spec.AdaptiveFilter(r.eps, r.none(), mid, r.delta1, 0) == len(r.eps) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// fixedRounds are mechanisms with parameters fixed beforehand, and δ′.
type fixedRounds struct {
	menu   menu
	counts counts
	delta1 float64
}

var fixedSettings = []fixedRounds{
	{menuOf("1 0"), counts{1}, 1e-3},
	{menuOf("0 1/4", "1/10 0"), counts{2, 3}, 1. / 16},
	{menuOf("1/2 1/64", "1/5 1/1024"), counts{3, 10}, 1. / 2},
	{menuOf("1/100 1/1024"), counts{20}, 1},
	{menuOf("0 1/8"), counts{1}, 1e-9},
	{menuOf("5 0"), counts{60}, 1. / 2},
	{menuOf("1/50 0"), counts{3000}, 1e-40},
}

// hasRoot checks that √(2 log(1/δ′)) is a number for δ′ above 1.
func hasRoot(t *register.T) {
	t.Domain("δ′ = 2, one mechanism with ε_1 = 1 and δ_1 = 0")
	t.Case()
	eps, _ := spec.AdvancedComposition([]float64{1}, []float64{0}, 2)
	t.Require(!math.IsNaN(eps), "δ′ = 2: ε has the root of 2·log(1/δ′) = %.6g", 2*math.Log(0.5))
}

// composesAs checks that mechanisms together are (ε, of(δ))-DP with the ε and δ of FAC-E2, with the terms of ε scaled;
// impl has the same ε and δ.
func composesAs(first, second float64, of func(*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("%d sequences of 1 to 3000 mechanisms, ε_m from 0 to 5, δ_m from 0 to 1/4, δ′ from 1e-40 to 1",
			len(fixedSettings))
		for _, s := range fixedSettings {
			t.At("%v of %v, δ′ = %g", s.counts[:len(s.menu)], s.menu, s.delta1)
			r := given(s.menu.rounds(s.counts))
			e, d := spec.AdvancedComposition(r.eps, r.delta, s.delta1)
			fast, all := impl.AdvancedComposition(r.e, r.deltas, exact(s.delta1))
			agree(t, "ε", fast.Float().Lo, e)
			agree(t, "δ", rat.Float64(all), d)
			root := math.Sqrt(2 * math.Log(1/s.delta1) * squares(r.eps))
			eps, delta := first*root+second*(e-root), rat.Float64(of(exact(d)))
			p := impl.Pipeline{Stops: []impl.Stop{{After: len(r.eps), Eps: loss.Nats(exact(eps))}}}
			for i, c := range s.menu {
				c.Count = s.counts[i]
				p.Mechanisms = append(p.Mechanisms, c)
			}
			got := register.Must(impl.OptDel(t.Context(), p, impl.Options{RelWidth: 1e-6})).OptDel.Float().Lo
			t.Require(got <= delta*(1+1e-9), "at ε = %.8g they need δ = %.6g, claimed is %.6g", eps, got, delta)
			t.Close(got/delta, "")
		}
	}
}
