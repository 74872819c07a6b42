package odp

import (
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
			register.NearMiss("the filter says HALT already if a sum equals the budget", equivalent(strictFilter, asPromised)),
			register.NearMiss("with a filter for a twentieth less δ_t",
				equivalent(func(expEpsT, deltaT *big.Rat) spec.Filter { return spec.SumFilter(expEpsT, shaved(deltaT)) },
					asPromised)),
			register.NearMiss("with a filter that does not look at the third round", equivalent(
				seeing(func(expEps, delta []*big.Rat) (_, _ []*big.Rat) {
					return expEps[:min(2, len(expEps))], delta[:min(2, len(delta))]
				}),
				asPromised,
			)),
			register.NearMiss("it keeps a twentieth less δ_t", equivalent(spec.SumFilter, lessDelta)),
			register.NearMiss("it keeps a twentieth less e^ε_t", equivalent(spec.SumFilter, lessEps)),
		),
		"ODP-A6": register.Checked(staysWithin(spec.SumFilter, asPromised),
			register.NearMiss("they stay within a twentieth less δ_t", staysWithin(spec.SumFilter, lessDelta)),
			register.NearMiss("they stay within a twentieth less e^ε_t", staysWithin(spec.SumFilter, lessEps)),
			register.NearMiss("with a filter that does not look at the last ε^[i]", staysWithin(
				seeing(func(expEps, delta []*big.Rat) (_, _ []*big.Rat) {
					return append(slices.Clone(expEps[:len(expEps)-1]), rat.One), delta
				}),
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

// seeing is the sum filter that sees something else.
func seeing(seen func(expEps, delta []*big.Rat) (_, _ []*big.Rat)) filters {
	return func(expEpsT, deltaT *big.Rat) spec.Filter {
		return func(expEps, delta []*big.Rat) bool { return spec.SumFilter(expEpsT, deltaT)(seen(expEps, delta)) }
	}
}

// underFilter goes through experiments and random adversaries, with the views under Algorithm 6 or the error with which
// it refuses a choice.
func underFilter(filter filters, check func(t *register.T, p player, views finite.Pair, err error)) register.Check {
	try := func(t *register.T, p player) {
		views, err := finite.ODPFilterComposition(p.adversary(), filter(p.expEpsT, p.deltaT), p.rounds)
		check(t, p, views, err)
	}
	return func(t *register.T) {
		t.Domain("%s; %s", runAgainDomain(t), runInTurnDomain(t))
		for _, x := range slices.Concat(slices.Collect(runAgain(t)), runInTurn(t)) {
			t.Case()
			try(t, x.player)
		}
		ofPlayers(t.Size(100, 1000), try)(t)
	}
}

// staysWithin checks that what the outputs of a view have cost is within what is promised of the budget. An adversary
// that makes a choice that is not allowed has no view.
func staysWithin(filter filters, of promise) register.Check {
	return underFilter(filter, func(t *register.T, p player, views finite.Pair, _ error) {
		expEps, delta := of(p.expEpsT, p.deltaT)
		for _, view := range views[0].Outputs() { // the same counterexample every time
			used := p.cost(view)
			if used[0].Cmp(expEps) > 0 || used[1].Cmp(delta) > 0 {
				t.Refute("%v: the outputs %s have used e^ε = %s and δ = %s", p, view, rat.Show(used[0]), rat.Show(used[1]))
			}
			t.Close(min(partOfBound(used[0], expEps), partOfBound(used[1], delta)), "e^ε_t = %s, δ_t = %s", rat.Show(expEps),
				rat.Show(delta))
		}
	})
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

// equivalent checks that Algorithm 1 and Algorithm 6 with the filter have the same views, in both directions, that
// those are as promised, and that they are what multiplication along the tree says, with the accountant of Algorithm 1
// in place of the filter.
func equivalent(filter filters, of promise) register.Check {
	return underFilter(filter, func(t *register.T, p player, halting finite.Pair, err error) {
		rule := impl.SumRule(p.expEpsT, p.deltaT)
		g := p.views(byRule(rule), true)
		if g.isFair != (err == nil) {
			t.Refute("%v: makes no false claim: %v, but Algorithm 6 says %v", p, g.isFair, err)
		}
		if err != nil {
			return
		}
		if !g.views.Equal(halting) {
			t.Refute("%v: has %v, under Algorithm 6 %v", p, g.views, halting)
		}
		quiet := register.Must(finite.ODPComposition(p.obedient(rule).adversary(), p.expEpsT, p.deltaT, p.rounds, spec.TextB))
		if !quiet.Equal(halting) {
			t.Refute("%v: Algorithm 6 has %v, Algorithm 1 with the adversary that falls silent %v", p, halting, quiet)
		}
		p.keeps(t, halting, of)
	})
}
