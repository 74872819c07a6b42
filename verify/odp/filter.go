package odp

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// filter are the statements on ODP filters and Algorithm 6.
func filter() register.Checks {
	return register.Checks{
		"ODP-X31": register.Checked(equivalent(spec.SumFilter, asPromised),
			register.Control("the filter says HALT already if a sum equals the budget", equivalent(strictFilter, asPromised)),
			register.Control("the filter looks at the sum of ε only", equivalent(func(expEpsT, _ *big.Rat) spec.Filter {
				return spec.SumFilter(expEpsT, big.NewRat(1000, 1))
			}, asPromised)),
			register.Control("the filter looks at the largest ε^[i] instead of the sum", equivalent(maxFilter, asPromised)),
			register.Control("the filter takes every δ_i that is not 0 for δ_1", equivalent(firstDeltaFilter, asPromised)),
			register.NearMiss("with a filter for a twentieth less δ_t",
				equivalent(func(expEpsT, deltaT *big.Rat) spec.Filter { return spec.SumFilter(expEpsT, shaved(deltaT)) },
					asPromised)),
			register.NearMiss("with a filter that does not look at the third round", ofAlgorithm6(
				func(expEpsT, deltaT *big.Rat) spec.Filter {
					return func(expEps, delta []*big.Rat) bool {
						return spec.SumFilter(expEpsT, deltaT)(expEps[:min(2, len(expEps))], delta[:min(2, len(delta))])
					}
				},
				asPromised,
			)),
			register.NearMiss("it keeps a twentieth less δ_t", equivalent(spec.SumFilter, lessDelta)),
			register.NearMiss("it keeps a twentieth less e^ε_t", equivalent(spec.SumFilter, lessEps)),
		),
		"ODP-A6": register.Checked(
			register.All(staysWithin(algorithm6(spec.SumFilter), asPromised), playersStayWithin(spec.SumFilter, asPromised)),
			register.Control("with a filter that looks at the largest ε^[i] instead of the sum",
				staysWithin(algorithm6(maxFilter), asPromised)),
			register.NearMiss("they stay within a twentieth less δ_t", staysWithin(algorithm6(spec.SumFilter), lessDelta)),
			register.NearMiss("they stay within a twentieth less e^ε_t", playersStayWithin(spec.SumFilter, lessEps)),
			register.NearMiss("with a filter that does not look at the last ε^[i]", playersStayWithin(
				func(expEpsT, deltaT *big.Rat) spec.Filter {
					return func(expEps, delta []*big.Rat) bool {
						return spec.SumFilter(expEpsT, deltaT)(append(slices.Clone(expEps[:len(expEps)-1]), rat.One), delta)
					}
				},
				asPromised,
			)),
		),
	}
}

// filters makes a filter out of e^(ε_t) and δ_t.
type filters = func(expEpsT, deltaT *big.Rat) spec.Filter

// strictFilter is the sum filter with ≥ instead of >.
func strictFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		return rat.Product(expEps...).Cmp(expEpsT) >= 0 || rat.Sum(delta...).Cmp(deltaT) >= 0
	}
}

// maxFilter looks at the largest ε^[i] instead of the sum.
func maxFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		return rat.Max(expEps...).Cmp(expEpsT) > 0 || rat.Sum(delta...).Cmp(deltaT) > 0
	}
}

// firstDeltaFilter is the sum filter for the rounds of one mechanism only.
func firstDeltaFilter(expEpsT, deltaT *big.Rat) spec.Filter {
	return func(expEps, delta []*big.Rat) bool {
		alike := slices.Clone(delta)
		for i, d := range delta {
			if d.Sign() > 0 {
				alike[i] = delta[0]
			}
		}
		return spec.SumFilter(expEpsT, deltaT)(expEps, alike)
	}
}

// staysWithin checks that what the outputs of a view have cost is within what is promised of the budget. An
// adversary that makes a choice that is not allowed has no view.
func staysWithin(run algorithm, of promise) register.Check {
	return func(t *register.T) {
		t.Domain("%s; %s", runAgainDomain(t), runInTurnDomain(t))
		for x := range experiments(t) {
			t.Case()
			laws, err := run(x.adversary(), x.expEpsT, x.deltaT)
			if err != nil {
				continue
			}
			for _, view := range shown(laws)[0].Outputs() { // the same counterexample every time
				expEps, delta := x.cost(view)
				isWithin(t, x, view, [2]*big.Rat{x.expEpsT, x.deltaT}, [2]*big.Rat{expEps, delta}, of)
			}
		}
	}
}

// isWithin refutes outputs that have used more than is promised of a budget. Both are e^ε and δ.
func isWithin(t *register.T, who fmt.Stringer, view string, budget, used [2]*big.Rat, of promise) {
	expEps, delta := of(budget[0], budget[1])
	if used[0].Cmp(expEps) > 0 || used[1].Cmp(delta) > 0 {
		t.Refute("%v: the outputs %s have used e^ε = %s and δ = %s", who, view, rat.Show(used[0]), rat.Show(used[1]))
	}
	t.Close(min(partOfBound(used[0], expEps), partOfBound(used[1], delta)), "e^ε_t = %s, δ_t = %s", rat.Show(expEps),
		rat.Show(delta))
}

// playersStayWithin checks the same of random adversaries.
func playersStayWithin(filter filters, of promise) register.Check {
	return func(t *register.T) {
		ofPlayers(t.Size(100, 1000), func(t *register.T, p player) {
			laws, err := finite.ODPFilterComposition(p.adversary(), filter(p.expEpsT, p.deltaT), p.rounds)
			if err != nil {
				return
			}
			for _, view := range finite.Law(laws[0]).Outputs() {
				isWithin(t, p, view, [2]*big.Rat{p.expEpsT, p.deltaT}, p.cost(view), of)
			}
		})(t)
	}
}

// cost returns the product of e^ℰ and the sum of δ over the outputs in a view, up to where it was ended.
func (p player) cost(view string) [2]*big.Rat {
	coin, rest, _ := strings.Cut(view, ",")
	expEps, delta, at := rat.One, new(big.Rat), coin
	for _, output := range strings.Split(rest, ",") {
		c := p.at(at)
		z := slices.Index(c.Outputs, output)
		if z < 0 {
			break
		}
		expEps, delta, at = rat.Mul(expEps, c.ExpE[c.Part[z]]), rat.Add(delta, c.Delta), at+","+output
	}
	return [2]*big.Rat{expEps, delta}
}

// equivalent checks that Algorithm 1 and Algorithm 6 with the filter have the same views, in
// both directions, and that those are as promised.
func equivalent(filter filters, of promise) register.Check {
	return register.All(func(t *register.T) {
		t.Domain("%s; %s", runAgainDomain(t), runInTurnDomain(t))
		for x := range experiments(t) {
			t.Case()
			a := x.adversary()
			halting := register.Must(algorithm6(filter)(a, x.expEpsT, x.deltaT))
			if admitted, err := algorithm1(spec.TextB)(a, x.expEpsT, x.deltaT); err == nil && !admitted.Equal(halting) {
				t.Refute("%v: Algorithm 1 admits the adversary with %v, Algorithm 6 makes it %v", x, shown(admitted),
					shown(halting))
			}
			silenced := register.Must(algorithm1(spec.TextB)(x.obedient(a), x.expEpsT, x.deltaT))
			if !silenced.Equal(halting) {
				t.Refute("%v: Algorithm 6 has %v, Algorithm 1 with the adversary that falls silent %v", x, shown(halting),
					shown(silenced))
			}
			expEps, most := of(x.expEpsT, x.deltaT)
			if delta := halting.DeltaBothWays(finite.Constant(expEps)); delta.Cmp(most) > 0 {
				t.Refute("%v: Algorithm 6 has %v, which at e^ε = %s needs δ = %s", x, shown(halting), rat.Show(expEps),
					rat.Show(delta))
			}
		}
	}, ofAlgorithm6(filter, of))
}

// ofAlgorithm6 checks the same of random adversaries, and that what spec makes of them is what multiplication
// along the tree says, with the accountant of Algorithm 1 in place of the filter.
func ofAlgorithm6(filter filters, of promise) register.Check {
	return func(t *register.T) {
		ofPlayers(t.Size(100, 1000), func(t *register.T, p player) {
			rule := impl.SumRule(p.expEpsT, p.deltaT)
			laws, err := finite.ODPFilterComposition(p.adversary(), filter(p.expEpsT, p.deltaT), p.rounds)
			g := p.views(byRule(rule), true)
			if g.isFair != (err == nil) {
				t.Refute("%v: makes no false claim: %v, but Algorithm 6 says %v", p, g.isFair, err)
			}
			if err != nil {
				return
			}
			halting := laws
			if !g.views.Equal(halting) {
				t.Refute("%v: has %v, under Algorithm 6 %v", p, g.views, halting)
			}
			quiet := register.Must(finite.ODPComposition(p.obedient(rule).adversary(), p.expEpsT, p.deltaT, p.rounds,
				spec.TextB))
			if !quiet.Equal(halting) {
				t.Refute("%v: Algorithm 6 has %v, Algorithm 1 with the adversary that falls silent %v", p, halting, quiet)
			}
			p.keeps(t, halting, of)
		})(t)
	}
}
