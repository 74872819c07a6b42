package adaptive

import (
	"fmt"
	"math/big"
	"slices"
	"sync"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// zcdpFilters are the statements on filters for approximate zCDP.
func zcdpFilters() register.Checks {
	fromFirst := func(rho, delta []float64, most, mostDelta float64) int {
		return max(1, spec.ZCDPFilter(rho, delta, most, mostDelta))
	}
	ofEight := func(m leaky, _ int) float64 { return m.rho(8) }
	oneWay := func(m leaky, _ int) (rho float64) {
		for _, order := range orders {
			rho = max(rho, m.renyi[0][order].Hi/float64(order))
		}
		return rho
	}
	smaller := func(m leaky, order int) float64 {
		before := max(1, order/2)
		return m.rho(before) * float64(before) / float64(order)
	}
	stays := func(rho, delta float64, of charge) register.Check {
		return with(staysZCDP, zcdpRule(rho, delta), of, 1)
	}
	return register.Checks{
		"FAC-T1": checked(all(stays(1, 1, jointly), zcdpFiltersAgree, dpFiltersAgree),
			alsoFails(register.Slip, "with N from n = 1: the first mechanism always runs", with(staysZCDP, fromFirst,
				jointly, 1)),
			near("it is so for a hundredth less ρ", with(staysZCDP, zcdpRule(1, 1), jointly, 0.99)),
			near("with a twentieth less of ρ_m", stays(0.95, 1, jointly)),
			near("with a twentieth less of δ_m", stays(1, 0.95, jointly)),
			near("with the ρ_m of λ = 8 for all λ", stays(1, 1, ofEight)),
			near("with the ρ_m of one order of neighbours", stays(1, 1, oneWay))),
		"FAC-X6": checked(stays(1, 1, leaky.rho),
			near("with a hundredth less of r_m", stays(0.99, 1, leaky.rho)),
			near("with the r_m of a smaller order", stays(1, 1, smaller))),
	}
}

// charge is what a mechanism is charged at an order.
type charge = func(m leaky, order int) float64

// leaky is a mechanism that leaks with probability δ, and otherwise has these laws.
type leaky struct {
	laws  finite.Pair
	delta *big.Rat
	renyi [2]map[int]interval.Float // D_λ, for neighbours in both orders
}

func (m leaky) String() string { return fmt.Sprintf("(%v, δ = %s)", m.laws, rat.Show(m.delta)) }

// orders are the λ that are gone through; 1 stands for the relative entropy.
var orders = []int{1, 2, 3, 4, 8}

// leakyOf returns the mechanism with its divergences.
func leakyOf(p, q, delta *big.Rat) leaky {
	m := leaky{laws: finite.Pair{coin(p), coin(q)}, delta: delta}
	for way, laws := range []finite.Pair{m.laws, m.laws.Back()} {
		m.renyi[way] = map[int]interval.Float{}
		for _, order := range orders {
			law0, law1 := laws.Dense()
			d, _ := impl.RenyiDivergence(law0, law1, rat.Int(order))
			m.renyi[way][order] = d.Float()
		}
	}
	return m
}

// rho returns D_λ/λ, the larger of both orders of neighbours.
func (m leaky) rho(order int) float64 {
	return max(m.renyi[0][order].Hi, m.renyi[1][order].Hi) / float64(order)
}

// jointly is the ρ of all orders λ.
func jointly(m leaky, _ int) (rho float64) {
	for _, order := range orders {
		rho = max(rho, m.rho(order))
	}
	return rho
}

// zcdpRule is N of Theorem 1 with the parameters of the rounds scaled.
func zcdpRule(rho, delta float64) func(rhos, deltas []float64, most, mostDelta float64) int {
	return func(rhos, deltas []float64, most, mostDelta float64) int {
		return spec.ZCDPFilter(multiplied(rhos, rho), multiplied(deltas, delta), most, mostDelta)
	}
}

// leakyMenus are menus of up to 3 mechanisms: randomized responses, small and large, and laws of which the two orders
// differ.
var leakyMenus = sync.OnceValue(func() [][]leaky {
	response := func(e, delta string) leaky {
		p := rat.Quo(rat.Of(e), rat.Add(rat.One, rat.Of(e)))
		return leakyOf(p, rat.Complement(p), rat.Of(delta))
	}
	biased := func(p, q, delta string) leaky { return leakyOf(rat.Of(p), rat.Of(q), rat.Of(delta)) }
	return [][]leaky{
		{response("11/10", "0")},
		{response("2", "1/4"), response("3", "0")},
		{response("20", "0"), response("3/2", "33/128")},
		{biased("1/2", "3/4", "0"), response("2", "1/64")},
		{biased("99/100", "1/2", "1/8"), biased("1/3", "1/2", "0"), response("100", "1")},
	}
})

// staysZCDP checks that no adversary on the menus has a moment or a leak above what is claimed, with what of is charged
// for a mechanism and ρ scaled.
func staysZCDP(t *register.T, rule func(rho, delta []float64, most, mostDelta float64) int, of charge, factor float64) {
	t.Domain("5 menus of 1 to 3 mechanisms with 2 outputs that leak with probability 0 to 1, " +
		"ρ in {0.00454, 0.1, 1, 7}, δ in {0, 1/4}, λ in {1, 2, 3, 4, 8}, both orders, up to 6 rounds")

	for _, menu := range leakyMenus() {
		finite.Each3(orders, []float64{0.00454, 0.1, 1, 7}, []float64{0, 0.25}, func(order int, most, delta float64) {
			t.At("λ = %d, ρ = %g, δ = %g", order, most, delta)
			var play func(from int, so []leaky, rho, deltas []float64) // in the order of the menu
			play = func(from int, so []leaky, rho, deltas []float64) {
				judge(t, so, order, factor*most*float64(order), delta)
				for i, c := range menu[from:] {
					r, d := append(slices.Clip(rho), of(c, order)), append(slices.Clip(deltas), rat.Float64(c.delta))
					if len(so) < 6 && rule(r, d, most, delta) == len(r) {
						play(from+i, append(slices.Clip(so), c), r, d)
					}
				}
			}
			play(0, nil, nil, nil)
		})
	}
}

// judge refutes that what was played leaks with probability δ at most, and has a D_λ of no more than is claimed.
func judge(t *register.T, so []leaky, order int, claimed, delta float64) {
	kept := rat.One
	var sum [2]float64
	for _, c := range so {
		kept = rat.Mul(kept, rat.Complement(c.delta))
		sum[0], sum[1] = sum[0]+c.renyi[0][order].Lo, sum[1]+c.renyi[1][order].Lo
	}
	divergence := max(sum[0], sum[1])
	t.Require(rat.Float64(kept) >= 1-delta, "%v do not leak with probability %s only", so, kept)
	t.Require(divergence <= claimed*(1+1e-12), "%v have D_λ = %.8g, claimed is %.8g", so, divergence, claimed)
	if divergence > 0.99*claimed {
		t.Close(divergence/claimed, "%v", so)
	}
}

// zcdpFiltersAgree checks that impl admits as many rounds as spec, and both what uses up ρ or δ to the last bit.
func zcdpFiltersAgree(t *register.T) {
	bySpec := func(r drawn, up float64) int { return spec.ZCDPFilter(r.eps, r.delta, up*r.most, up*r.delta2) }
	byImpl := func(t *register.T, r drawn) int {
		var rhos []*big.Rat
		for _, x := range r.eps {
			rhos = append(rhos, exact(x))
		}
		return register.Must(ledger.ZCDPFilter(rhos, r.deltas, exact(r.most), exact(r.delta2)))
	}
	admitAlike(t, 3, bySpec, byImpl)
	t.AlsoDomain("rounds with ρ_m = 1/4 and δ_m = 1/8 that use up ρ = 1/2 or δ = 1/4")
	for _, most := range [][2]float64{{0.5, 1}, {1, 0.25}} {
		t.Case()
		r := given([]float64{0.25, 0.25, 0.25}, []float64{0.125, 0.125, 0.125})
		r.most, r.delta2 = most[0], most[1]
		n, m := byImpl(t, r), bySpec(r, 1)
		t.Require(n == 2 && m == 2, "ρ_m = 1/4, δ_m = 1/8, ρ = %g, δ = %g: %d rounds by impl, %d by spec, 2 use it up",
			most[0], most[1], n, m)
	}
}
