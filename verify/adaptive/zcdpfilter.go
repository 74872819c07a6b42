package adaptive

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"sync"

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
	after := func(rho, delta []float64, most, mostDelta float64) int {
		return 1 + spec.ZCDPFilter(rho[:len(rho)-1], delta[:len(rho)-1], most, mostDelta)
	}
	ofEight := func(m leaky, _ int) float64 { return m.rho(8) }
	oneWay := func(m leaky, _ int) (rho float64) {
		for _, order := range orders {
			rho = max(rho, m.renyi(order, 0)/float64(order))
		}
		return rho
	}
	smaller := func(m leaky, order int) float64 {
		before := max(1, order/2)
		return m.rho(before) * float64(before) / float64(order)
	}
	stays := func(rho, delta float64, of charge) register.Check {
		return register.With3(staysZCDP, zcdpRule(rho, delta), of, 1)
	}
	return register.Checks{
		"FAC-T1": register.Checked(register.All(stays(1, 1, jointly), zcdpFiltersAgree, dpFiltersAgree),
			register.AlsoFails(register.Slip, "with N from n = 1: the first mechanism always runs",
				register.With3(staysZCDP, fromFirst, jointly, 1)),
			register.Control("stopped after that", register.With3(staysZCDP, after, jointly, 1)),
			register.NearMiss("it is so for a hundredth less ρ", register.With3(staysZCDP, zcdpRule(1, 1), jointly, 0.99)),
			register.NearMiss("with a twentieth less of ρ_m", stays(0.95, 1, jointly)),
			register.NearMiss("with a twentieth less of δ_m", stays(1, 0.95, jointly)),
			register.NearMiss("with the ρ_m of λ = 8 for all λ", stays(1, 1, ofEight)),
			register.NearMiss("with the ρ_m of one order of neighbours", stays(1, 1, oneWay)),
		),
		"FAC-X6": register.Checked(stays(1, 1, oneOrder),
			register.NearMiss("with a hundredth less of r_m", stays(0.99, 1, oneOrder)),
			register.NearMiss("with the r_m of a smaller order", stays(1, 1, smaller)),
		),
	}
}

// charge is what a mechanism is charged at an order.
type charge = func(m leaky, order int) float64

// leaky is a mechanism that leaks with probability δ, and otherwise has these laws.
type leaky struct {
	laws  finite.Pair
	delta *big.Rat
	// of the moments E_{P′}[(P′/Q′)^(λ−1)], for neighbours in both orders; for λ = 1, of e^(relative entropy)
	log [2]map[int]interval.Float
}

func (m leaky) String() string { return fmt.Sprintf("(%v, δ = %s)", m.laws, rat.Show(m.delta)) }

// orders are the λ that are gone through; 1 stands for the relative entropy.
var orders = []int{1, 2, 3, 4, 8}

// leakyOf returns the mechanism with its moments.
func leakyOf(p, q, delta *big.Rat) leaky {
	m := leaky{finite.Pair{coin(p), coin(q)}, delta, [2]map[int]interval.Float{{}, {}}}
	for _, order := range orders {
		m.log[0][order], m.log[1][order] = logMoment(m.laws[0], m.laws[1], order), logMoment(m.laws[1], m.laws[0], order)
	}
	return m
}

// logMoment returns log E_P[(P/Q)^(λ−1)], and for λ = 1 the relative entropy.
func logMoment(p, q finite.Law, order int) interval.Float {
	const n = interval.Precision(96)
	entropy, moment := n.Int(0), new(big.Rat)
	for output, pr := range p {
		ratio := rat.Quo(pr, q[output])
		entropy = n.Add(entropy, n.Mul(n.Rat(pr), n.Log(ratio)))
		moment.Add(moment, rat.Mul(pr, rat.Power(ratio, order-1)))
	}
	if order == 1 {
		return entropy.Float()
	}
	return n.Log(moment).Float()
}

// renyi returns D_λ, rounded up, for neighbours in one order.
func (m leaky) renyi(order, way int) float64 {
	return m.log[way][order].Hi / math.Max(1, float64(order-1))
}

// rho returns D_λ/λ, the larger of both orders of neighbours.
func (m leaky) rho(order int) float64 {
	return max(m.renyi(order, 0), m.renyi(order, 1)) / float64(order)
}

// jointly is the ρ of all orders λ, and oneOrder that of one.
func jointly(m leaky, _ int) (rho float64) {
	for _, order := range orders {
		rho = max(rho, m.rho(order))
	}
	return rho
}

func oneOrder(m leaky, order int) float64 { return m.rho(order) }

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
	t.Domain("5 menus of 1 to 3 mechanisms with 2 outputs that leak with probability 0 to 1, ρ in {0.00454, 0.1, 1, 7}, " +
		"δ in {0, 1/4}, λ in {1, 2, 3, 4, 8}, both orders, up to 6 rounds")

	for _, m := range leakyMenus() {
		finite.Each3(orders, []float64{0.00454, 0.1, 1, 7}, []float64{0, 0.25}, func(order int, most, delta float64) {
			t.Case()
			zcdpGame{t, order, most, delta, factor, of, func(rho, deltas []float64) bool {
				return rule(rho, deltas, most, delta) == len(rho)
			}}.play(m, nil, nil, nil)
		})
	}
}

// zcdpGame goes through the sequences of mechanisms that a filter admits.
type zcdpGame struct {
	*register.T
	order       int
	most, delta float64
	factor      float64
	charge      charge
	admits      func(rho, delta []float64) bool
}

// play goes on after the mechanisms so far, which are in the order of the menu.
func (g zcdpGame) play(menu, so []leaky, rho, delta []float64) {
	g.judge(so)
	for i, c := range menu {
		r, d := append(slices.Clip(rho), g.charge(c, g.order)), append(slices.Clip(delta), rat.Float64(c.delta))
		if len(so) < 6 && g.admits(r, d) {
			g.play(menu[i:], append(slices.Clip(so), c), r, d)
		}
	}
}

// judge refutes what was played if it is not δ-approximate ρ-zCDP at the order.
func (g zcdpGame) judge(so []leaky) {
	kept := rat.One
	var log [2]interval.Float
	for _, c := range so {
		kept = rat.Mul(kept, rat.Complement(c.delta))
		log[0], log[1] = log[0].Add(c.log[0][g.order]), log[1].Add(c.log[1][g.order])
	}
	divergence := max(log[0].Lo, log[1].Lo) / math.Max(1, float64(g.order-1))
	claimed := g.factor * g.most * float64(g.order)
	g.Require(rat.Float64(kept) >= 1-g.delta, "δ = %g: %v do not leak with probability %s only", g.delta, so, kept)
	g.Require(divergence <= claimed*(1+1e-12), "λ = %d, ρ = %g: %v have D_λ = %.8g, claimed is %.8g", g.order, g.most, so,
		divergence, claimed)
	if divergence > 0.99*claimed {
		g.Close(divergence/claimed, "λ = %d, ρ = %g, %v", g.order, g.most, so)
	}
}

// zcdpFiltersAgree checks that impl admits as many rounds as spec, and both what uses up ρ or δ to the last bit.
func zcdpFiltersAgree(t *register.T) {
	t.AlsoDomain("random rounds, up to 30, with ρ_m from 0 to 0.499 and δ_m from 0 to 7/1024; rounds with ρ_m = 1/4 and " +
		"δ_m = 1/8 that use up ρ = 1/2 or δ = 1/4")

	t.Random(1, t.Size(300, 3000), func(t *register.T, d register.Dice) {
		rho, delta := drawnRounds(d)
		most, mostDelta := float64(1+d.Roll(3000))/1000, float64(d.Roll(40))/1024
		between(t, zcdpByImpl(rho, delta, most, mostDelta), func(up float64) int {
			return spec.ZCDPFilter(rho, delta, up*most, up*mostDelta)
		}, rho, delta)
	})
	rho, delta := []float64{0.25, 0.25, 0.25}, []float64{0.125, 0.125, 0.125}
	for _, most := range [][2]float64{{0.5, 1}, {1, 0.25}} {
		t.Case()
		n, m := zcdpByImpl(rho, delta, most[0], most[1]), spec.ZCDPFilter(rho, delta, most[0], most[1])
		t.Require(n == 2 && m == 2, "ρ_m = 1/4, δ_m = 1/8, ρ = %g, δ = %g: %d rounds by impl, %d by spec, 2 use it up",
			most[0], most[1], n, m)
	}
}

// zcdpByImpl is N of Theorem 1 by impl.
func zcdpByImpl(rho, delta []float64, most, mostDelta float64) int {
	_, deltas := forImpl(rho, delta)
	var rhos []*big.Rat
	for _, x := range rho {
		rhos = append(rhos, exact(x))
	}
	return register.Must(ledger.ZCDPFilter(rhos, deltas, exact(most), exact(mostDelta)))
}
