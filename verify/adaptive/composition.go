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

// composition are the statements on composition with parameters fixed beforehand, and how filters and odometers compare
// with it.
func composition() register.Checks {
	return register.Checks{
		"FAC-X1": register.Checked(matchesRates(24, 1, 1.7),
			register.AlsoFails("", "all constants are the same: the filter charges what advanced composition does",
				matchesRates(math.Inf(1), 1, 1.7)),
			register.NearMiss("the other terms differ by at most Σ ε_m⁴/25", matchesRates(25, 1, 1.7)),
			register.NearMiss("the filter odometer matches it at 1.02·y*", matchesRates(24, 1.02, 1.7)),
			register.NearMiss("the stitched odometer does with 1.69 for 1.7", matchesRates(24, 1, 1.69)),
		),
		"FAC-E2": register.Checked(composesTo(1, 1, 1),
			register.Control("without δ′", composesTo(1, 1, 0)),
			register.NearMiss("with a tenth less of the first term of ε", composesTo(0.9, 1, 1)),
			register.NearMiss("with half of the second term of ε", composesTo(1, 0.5, 1)),
			register.NearMiss("without the largest δ_m", composesWithoutLargest),
		),
		"FAC-X2": register.Checked(isOfOrder(1, 0.5),
			register.NearMiss("also for n·ε_m² = 1.1", isOfOrder(1.1, 0.5)),
			register.NearMiss("at most plus 0.495·√n·ε_m", isOfOrder(1, 0.495)),
		),
		"FAC-X3": register.Checked(register.All(addsUp(1, rat.One), sumsKeep("1"), partsAddUp("1/10", "1/2")),
			register.NearMiss("with a hundredth less of the product of the e^ε", addsUp(0.99, rat.One)),
			register.NearMiss("with a hundredth less of the sum of the δ", addsUp(1, rat.Of("0.99"))),
			register.NearMiss("the filter keeps a hundredth less of ε and δ", sumsKeep("0.99")),
			register.NearMiss("the filter charges the worst part", partsAddUp("1/2", "1/2")),
			register.NearMiss("the filter charges 19/20 of the part", partsAddUp("19/200", "19/40")),
		),
		"FAC-X5": register.Checked(dependsOnTime(2, chargeOfFilter),
			register.AlsoFails("", "so it is for advanced composition (2)", dependsOnTime(2,
				func(eps []float64, delta1 float64) float64 {
					e, _ := spec.AdvancedComposition(eps, make([]float64, len(eps)), delta1)
					return e
				})),
			register.NearMiss("it depends on Σ ε_m^1.99", dependsOnTime(1.99, chargeOfFilter)),
		),
	}
}

// matchesRates checks the three parts of the claim: with the divisor of Σ ε_m⁴, the place where the odometer matches,
// and the factor of the stitched odometer.
func matchesRates(divisor, place, factor float64) register.Check {
	return func(t *register.T) {
		t.Domain("n = 1, 10 and 1000 mechanisms with ε from 1e-3 to 10; δ′ = 0.5, 1e-6 and 1e-60")
		for _, delta1 := range []float64{0.5, 1e-6, 1e-60} {
			for _, n := range []int{1, 10, 1000} {
				for _, e := range []float64{1, 1e-3, 0.1, 0.5, 3, 10} {
					t.Case()
					eps, zero := repeated(e, n), make([]float64, n)
					v := squares(eps)
					fixed, _ := spec.AdvancedComposition(eps, zero, delta1)
					filter := spec.AdvancedCharge(v, delta1)
					rest := float64(n) * math.Pow(e, 4) / divisor
					if gap, rounding := filter-fixed, 1e-12*filter; gap < -rounding || gap > rest+rounding {
						t.Refute("δ′ = %g, %d mechanisms with ε = %g: the filter charges %.8g, advanced composition %.8g, claimed is a "+
							"difference of at most %.3g", delta1, n, e, filter, fixed, rest)
					}
					y := spec.TargetVariance(filter, delta1)
					at := math.Sqrt(y * place)
					if u, f := spec.FilterOdometer([]float64{at}, zero[:1], delta1, 0, filter), spec.AdvancedCharge(at*at,
						delta1); !(math.Abs(u-f) <= 1e-9*f) {
						t.Refute("δ′ = %g: at V = %.6g the filter odometer with y* = %.6g reads %.8g, the filter charges %.8g", delta1,
							at*at, y, u, f)
					}
					log := math.Log(1 / delta1)
					u := spec.StitchedOdometer(eps, zero, delta1, 0, v/8) - v/2
					most := factor * math.Sqrt((math.Log(math.Log(16))+0.72*math.Log(5.2/delta1))/(2*log)) * (filter - v/2)
					if u > most*(1+1e-9) {
						t.Refute("δ′ = %g, V = %.6g, v_0 = V/8: the stitched odometer reads %.8g more than V/2, claimed is at most %.8g",
							delta1, v, u, most)
					}
				}
			}
		}
	}
}

// repeated returns n times the same number.
func repeated(x float64, n int) (all []float64) {
	for range n {
		all = append(all, x)
	}
	return all
}

// isOfOrder checks ε of advanced composition for n·ε_m² up to a bound, with the constant of what may be added.
func isOfOrder(most, constant float64) register.Check {
	return func(t *register.T) {
		t.Domain("n = 1, 10, …, 1e5, n·ε_m² = %g, a hundredth and a millionth of it; δ′ = 0.5, 1e-6 and 1e-60", most)
		for n := 1; n <= 100_000; n *= 10 {
			for _, time := range []float64{most, most / 100, most / 1e6} {
				for _, delta1 := range []float64{0.5, 1e-6, 1e-60} {
					t.Case()
					e := math.Sqrt(time / float64(n))
					eps, _ := spec.AdvancedComposition(repeated(e, n), nil, delta1)
					order, level := math.Sqrt(time), math.Sqrt(2*math.Log(1/delta1))
					if eps < level*order*(1-1e-9) || eps > (level+constant)*order*(1+1e-9) {
						t.Refute("n = %d, ε_m = %.6g, δ′ = %g: ε = %.8g, √n·ε_m = %.8g, claimed are from %.6g to %.6g of that", n, e,
							delta1, eps, order, level, level+constant)
					}
					t.Close((eps-level*order)/(constant*order), "n = %d, ε_m = %.6g, δ′ = %g", n, e, delta1)
				}
			}
		}
	}
}

// addsUp checks that randomized responses need at most a part of Σ δ_m at a part of the product of the e^ε_m.
func addsUp(expEps float64, delta *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("up to 3 of the randomized responses with e^ε in {1, 3}, δ in {0, 1/1000, 1/3, 1}")
		var all []spec.Mechanism
		for _, e := range rat.List("1", "3") {
			for _, d := range rat.List("0", "1/1000", "1/3", "1") {
				all = append(all, spec.Mechanism{ExpEps: e, Delta: d})
			}
		}
		for n := 1; n <= 3; n++ {
			for some := range finite.Tuples(all, n) {
				t.Case()
				product, total := new(big.Rat).SetFloat64(expEps), new(big.Rat)
				for _, m := range some {
					product, total = rat.Mul(product, m.ExpEps), rat.Add(total, m.Delta)
				}
				needs, most := finite.Responses(some...).DeltaBothWays(finite.Constant(product)), rat.Mul(delta, total)
				if needs.Cmp(most) > 0 {
					t.Refute("%v: at e^ε = %s they need δ = %s, claimed is %s", some, product, needs, most)
				}
				t.CloseTo(needs, most, "%v", some)
			}
		}
	}
}

// sumsKeep checks that adversaries under the filter of both sums need no more than a part of the budget.
func sumsKeep(part string) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("the filter of both sums for ε = 1/10, 1 and 10, δ = 1/16 and 3/4, against 2 menus, up to 12 rounds")
		for _, eps := range rat.List("1/10", "1", "10") {
			for _, delta := range rat.List("1/16", "3/4") {
				for _, m := range []menu{menuOf("1/10 1/64", "1/20 0", "1/2 1/1024"), menuOf("1/10 1/16", "0 3/4", "2 0")} {
					t.Case()
					f := register.Must(impl.NewSumFilter(loss.Nats(eps), delta))
					claim := rat.Mul(delta, rat.Of(part))
					worst, refuted := worstDelta(t, m, 12, f, rat.Float64(rat.Mul(eps, rat.Of(part))), claim)
					if refuted {
						t.Refute("ε = %s, δ = %s, up to 12 rounds of %v: need δ = %.8g", eps, delta, m, worst.Float().Lo)
					}
					t.Close(worst.Float().Lo/rat.Float64(claim), "ε = %s, δ = %s, up to 12 rounds of %v", eps, delta, m)
				}
			}
		}
	}
}

// partsAddUp checks that the filter charges a mechanism of two parts, 1/2 and 1/10, for the one observed, and admits it
// by the worst.
func partsAddUp(small, large string) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("parts of 1/2 and 1/10 under ε = 1, δ = 1/8, observed in up to 8 rounds")
		f := register.Must(impl.NewSumFilter(loss.Nats(rat.One), rat.Of("1/8")))
		g := impl.Guarantee{Parts: []impl.Part{{Name: "a", Eps: loss.Nats(rat.Half)},
			{Name: "b", Eps: loss.Nats(rat.Of("1/10"))}}, Delta: rat.Of("1/64")}
		for observed := range finite.Tuples([]int{0, 1}, 8) {
			t.Case()
			memory, sum := f.Start(), new(big.Rat)
			for n, part := range observed {
				after, admitted := f.SpendPart(memory, g, part)
				if fits := rat.Add(sum, rat.Half).Cmp(rat.One) <= 0; admitted != fits {
					t.Refute("after the parts %v with Σ ε = %s: admitted %v, claimed %v", observed[:n], sum, admitted, fits)
				}
				if !admitted {
					break
				}
				memory, sum = after, rat.Add(sum, rat.List(large, small)[part])
				if got := f.Spent(memory); got.Eps.Cmp(loss.OfRat(sum)) != 0 ||
					got.Delta.Cmp(loss.OfRat(big.NewRat(int64(n+1), 64))) != 0 {
					t.Refute("after the parts %v: spent are ε = %s and δ = %s, claimed is %s", observed[:n+1], got.Eps.Text(),
						got.Delta.Text(), sum)
				}
			}
		}
	}
}

// chargeOfFilter is the least ε at which the filter of Theorem 8 admits all rounds, by bisection.
func chargeOfFilter(eps []float64, delta1 float64) float64 {
	low, high := 0.0, 1e6
	for range 100 {
		if mid := (low + high) / 2; spec.AdaptiveFilter(eps, make([]float64, len(eps)), mid, delta1, 0) == len(eps) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// dependsOnTime checks that a charge is the same for sequences with the same Σ ε_m^power.
func dependsOnTime(power float64, charge func(eps []float64, delta1 float64) float64) register.Check {
	return func(t *register.T) {
		t.Domain("random rounds, up to 30, with ε_m from 0 to 0.499, and up to 40 equal ones with the same sum; δ′ = 0.5, " +
			"1e-6 and 1e-60")
		t.Random(5, t.Size(30, 300), func(t *register.T, d register.Dice) {
			eps, _ := drawnRounds(d)
			delta1 := []float64{0.5, 1e-6, 1e-60}[d.Roll(3)]
			time := 0.0
			for _, e := range eps {
				time += math.Pow(e, power)
			}
			n := 1 + d.Roll(40)
			same := repeated(math.Pow(time/float64(n), 1/power), n)
			if x, y := charge(eps, delta1), charge(same, delta1); !(math.Abs(x-y) <= 1e-5*x) {
				t.Refute("δ′ = %g, ε = %v and %d times %.6g: %.9g and %.9g", delta1, eps, n, same[0], x, y)
			}
		})
	}
}
