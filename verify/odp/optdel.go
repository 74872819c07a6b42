package odp

import (
	"math"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// optDel are the statements on the value of OptDel.
func optDel() register.Checks {
	return register.Checks{
		"ODP-T15": register.Checked(register.All(register.With(theorem15, prefixDisjoint),
			register.With2(schedulesNeed, forOptDel, rat.One)),
			near("it is the maximum with prefix-disjointness of neighbouring stops only", theorem15, neighboursDisjoint),
			near2("charges for δ need no more than 999δ/1000", schedulesNeed, forOptDel, rat.Of("0.999")),
		),
		"ODP-E3": register.Checked(register.With2(threeWays, prefixDisjoint, itself),
			register.AlsoFails(register.Slip,
				"Q_{k_i} ∈ {0,1,2,3}^(k_i), as printed: each Q_{k_i} is a single sequence",
				register.With2(threeWays, singleSequences, itself)),
			register.AlsoFails("",
				"Q_{k_i} ∩ Q_{k_j} = ∅ has its usual meaning, which holds for all sets of sequences of "+
					"different lengths",
				register.With2(threeWays, maximumOfSums, itself)),
			near2("it is enough that neighbouring stops are prefix-disjoint", threeWays, neighboursDisjoint, itself),
			near2("the stop before the last can be left out", threeWays, prefixDisjoint, withoutLastButOne),
		),
		"ODP-X23": register.Checked(
			register.With(familiesAre, func(k []int, n float64) bool { return n <= math.Pow(16, float64(last(k))) }),
			register.AlsoHolds("it can be computed by going through the 1 + 4 + … + 4^(k_n) sequences of at most k_n responses",
				sequencesAreEnough),
			near("there are 2^(4^(k_1) + … + 4^(k_n) − 1)", familiesAre,
				func(k []int, n float64) bool { return n == math.Pow(2, sequencesAt(k)-1) }),
			register.Corrected("there are 2^(4^(k_1) + … + 4^(k_n)) families of sets",
				register.With(familiesAre, func(k []int, n float64) bool { return n == math.Pow(2, sequencesAt(k)) })),
		),
		"ODP-E4": register.Checked(register.All(equation4(maximumOfSums), register.With2(schedulesNeed, forLemma11, rat.One)),
			register.NearMiss("it is the maximum of the sum over sets of which those at the first and the last of three "+
				"stops are prefix-disjoint", equation4(endsDisjoint)),
			near2("charges for δ need no more than 999δ/1000", schedulesNeed, forLemma11, rat.Of("0.999")),
		),
		"ODP-X24": register.Checked(register.With3(strictlyLarger, 1, leaking, rat.One),
			near3("it is strictly larger if there are at least two stops and one δ_k is 0", strictlyLarger, 2,
				[]spec.Mechanism{leaking[0], finite.Pure(rat.One)}, rat.One),
			near3("it is larger by at least 21/20 · δ_1 ⋯ δ_{k_n} if there are at least two stops", strictlyLarger, 2, leaking,
				big.NewRat(21, 20)),
			register.Corrected("it is larger by at least δ_1 ⋯ δ_{k_n} if all δ_k > 0 and there are at least two stops",
				register.With3(strictlyLarger, 2, leaking, rat.One)),
		),
	}
}

func itself(p finite.Pipeline) finite.Pipeline { return p }

// theorem15 checks that a formula gives the largest δ that M_iter over randomized
// responses needs under any criteria, in either direction.
func theorem15(t *register.T, formula func(finite.Pipeline) *big.Rat) {
	agrees := func(p finite.Pipeline) *big.Rat {
		worst, at := p.Worst(p.Responses(), finite.Deterministic)
		value := formula(p)
		t.Require(rat.Equal(value, worst), "%v: the formula has %s, the worst criterion (%v) needs %s", p, value, at, worst)
		return worst
	}
	forPipelines(t, t.Size(5, 1), func(p finite.Pipeline) { agrees(p) })
	forLiteral(t, func(p finite.Pipeline) { everywhere(t, p, agrees(p)) })
}

// everywhere refutes that all programs for OptDel have a value.
func everywhere(t *register.T, p finite.Pipeline, want *big.Rat) {
	for name, got := range map[string]*big.Rat{
		"the families of sets": register.Must(spec.OptDel(spec.Pipeline(p))), "the tree of sequences": optimalStopping(t, p),
		"the recursion": recursive(t, p),
	} {
		t.Require(rat.Equal(got, want), "%v: %s, and by %s %s", p, want, name, got)
	}
	solverHas(t, p, want)
	singles := enumerated(t, p).Single
	for _, bits := range []uint{24, 53, 100} {
		tree := register.Must(exhaustive.Enclose(t.Context(), p.Exhaustive(), bits, nil))
		for i, exactly := range append([]*big.Rat{want}, singles...) {
			x := append([]exhaustive.Interval{tree.OptDel}, tree.Single...)[i]
			y := interval.New(x.Lo, x.Hi)
			t.Require(y.Contains(exactly) && (bits != 100 || y.RelWidth() <= impl.DefaultRelWidth),
				"%v: %s, and by the tree with %d bits %v", p, exactly, bits, x)
		}
	}
}

// solverHas refutes that the solver finds a value.
func solverHas(t *register.T, p finite.Pipeline, want *big.Rat) {
	solved := register.Must(impl.OptDel(t.Context(), p.Impl(), impl.Options{})).OptDel
	t.Require(solved.Contains(want) && solved.RelWidth() <= impl.DefaultRelWidth, "%v: %s, and by the solver [%.12g, "+
		"%.12g]", p, want, solved.Lower, solved.Upper)
}

// threeWays checks that the families of sets, the tree and the recursion agree, with the
// recursion run on a variant of the pipeline.
func threeWays(t *register.T, sets func(finite.Pipeline) *big.Rat, variant func(finite.Pipeline) finite.Pipeline) {
	agree := func(p finite.Pipeline) *big.Rat {
		all, tree, recursion := sets(p), optimalStopping(t, p), recursive(t, variant(p))
		t.Require(rat.Equal(all, tree) && rat.Equal(all, recursion), "%v: sets %s, tree %s, recursion %s", p, all, tree,
			recursion)
		return all
	}
	forPipelines(t, 1, func(p finite.Pipeline) { agree(p) })
	forLiteral(t, func(p finite.Pipeline) {
		if all, printed := agree(p), register.Must(spec.OptDel(spec.Pipeline(p))); all.Cmp(printed) != 0 {
			t.Refute("%v: %s, and as printed %s", p, all, printed)
		}
	})
}

// recursive returns OptDel by the recursion over losses.
func recursive(t *register.T, p finite.Pipeline) *big.Rat {
	optDel, _, err := impl.Exact(t.Context(), p.Impl())
	return register.Must(optDel, err)
}

// equation4 checks that a formula gives the sum of the single stops' δ, and that all programs for it do.
func equation4(formula func(finite.Pipeline) *big.Rat) register.Check {
	return func(t *register.T) {
		agree := func(p finite.Pipeline) *big.Rat {
			first, second, tree := sumOfMaxima(p), formula(p), enumerated(t, p).Lemma11
			t.Require(rat.Equal(first, second) && rat.Equal(first, tree), "%v: first line %s, second line %s, tree %s", p, first,
				second, tree)
			return first
		}
		forPipelines(t, 1, func(p finite.Pipeline) { agree(p) })
		forLiteral(t, func(p finite.Pipeline) {
			want := agree(p)
			first, second := register.Must(spec.Lemma11(spec.Pipeline(p))), register.Must(spec.Lemma11Joint(spec.Pipeline(p)))
			_, recursion, err := impl.Exact(t.Context(), p.Impl())
			t.Must(err)
			t.Require(rat.Equal(want, first) && rat.Equal(want, second) && rat.Equal(want, recursion),
				"%v: %s; as printed, first line %s, second line %s; recursion %s", p, want, first, second, recursion)
			x := register.Must(impl.Lemma11(t.Context(), p.Impl(), impl.Options{}))
			t.Require(x.Contains(want) && x.RelWidth() <= impl.DefaultRelWidth, "%v: %s, and by the solver [%.12g, %.12g]", p,
				want, x.Lower, x.Upper)
			for i, delta := range enumerated(t, p).Single {
				leastCharge(t, p.Mechanisms[:p.Stops[i].After], p.Stops[i].ExpEps, delta)
			}
		})
		leastChargeOfLeaks(t)
	}
}

// leastCharge refutes that the δ of a stop is the one of optimal composition: ε must be the least for it, if any
// less δ would need more.
func leastCharge(t *register.T, mechanisms []spec.Mechanism, expEps, delta *big.Rat) {
	kept := rat.One
	for _, m := range mechanisms {
		kept = rat.Mul(kept, rat.Complement(m.Delta))
	}
	if delta.Cmp(rat.One) == 0 || kept.Sign() == 0 {
		return // outside the domain of the theorem
	}
	least := register.Must(spec.OptComp(mechanisms, delta))
	if least == nil || least.Cmp(expEps) > 0 || least.Cmp(expEps) < 0 && delta.Cmp(rat.Complement(kept)) > 0 {
		t.Refute("%v at e^ε = %s: δ = %s, with which optimal composition has e^ε = %v",
			finite.Pipeline{Mechanisms: mechanisms}, expEps, delta, least)
	}
}

// leastChargeOfLeaks is [leastCharge] for three mechanisms with a δ each.
func leastChargeOfLeaks(t *register.T) {
	t.AlsoDomain("optimal composition of (e^ε, δ) = (3/2, 1/10), (2, 1/20), (3, 1/8) at e^ℰ in {1, 3/2, 3}")
	mechanisms := []spec.Mechanism{{ExpEps: rat.Of("3/2"), Delta: rat.Of("1/10")},
		{ExpEps: rat.Of("2"), Delta: rat.Of("1/20")}, {ExpEps: rat.Of("3"), Delta: rat.Of("1/8")}}
	for _, expEps := range finite.Charges {
		t.Case()
		p := finite.Pipeline{Mechanisms: mechanisms, Stops: []spec.Stop{{After: 3, ExpEps: expEps}}}
		leastCharge(t, mechanisms, expEps, enumerated(t, p).Single[0])
	}
}

// designed says which charges of a schedule are meant, and which δ they need.
type designed struct {
	charges func(s *impl.Schedule) []*big.Rat
	needed  func(v exhaustive.Values[*big.Rat]) *big.Rat
}

var (
	forOptDel  = designed{(*impl.Schedule).Charges, func(v exhaustive.Values[*big.Rat]) *big.Rat { return v.OptDel }}
	forLemma11 = designed{
		func(s *impl.Schedule) []*big.Rat { return s.Lemma11 },
		func(v exhaustive.Values[*big.Rat]) *big.Rat { return v.Lemma11 },
	}
)

// schedulesNeed checks that the charges that impl designs for δ need at most a part of it, and all of δ but for the
// slack, by the tree of all sequences. e^ℰ is irrational: it is rounded down for the one, and up for the other.
func schedulesNeed(t *register.T, of designed, part *big.Rat) {
	t.AlsoDomain("charges for δ = 1/5 and k = (1, 2), (1, 3) of (2, 0), (7/2, 0), (2, 0)")
	delta, slack := rat.Of("1/5"), new(big.Rat).SetFloat64(impl.DefaultSlack)
	for _, points := range [][]int{{1, 2}, {1, 3}} {
		t.Case()
		p := finite.Pipeline{Mechanisms: append(slices.Clone(unequal), unequal[0])[:last(points)]}
		for _, k := range points {
			p.Stops = append(p.Stops, spec.Stop{After: k, ExpEps: rat.One})
		}
		charges := of.charges(register.Must(impl.DesignSchedule(t.Context(), p.Impl(), delta, impl.ScheduleOptions{})))
		low, high := p, p
		low.Stops, high.Stops = nil, nil
		for i, k := range points {
			lower, upper := interval.Precision(256).ExpRat(charges[i]).Rats()
			low.Stops = append(low.Stops, spec.Stop{After: k, ExpEps: lower})
			high.Stops = append(high.Stops, spec.Stop{After: k, ExpEps: upper})
		}
		most, least := of.needed(enumerated(t, low)), of.needed(enumerated(t, high))
		if most.Cmp(rat.Mul(part, delta)) > 0 || least.Cmp(rat.Mul(rat.Complement(slack), delta)) < 0 {
			t.Refute("%v: δ = %s, ℰ = %s: needed is %s", p, delta, charges, most.FloatString(12))
		}
	}
}

// leaking are the mechanisms with δ > 0.
var leaking = finite.Mechanisms[1:]

// strictlyLarger checks that Lemma 11's δ is more than OptDel, and by at least a part of Π δ_k, for all pipelines of
// the mechanisms with at least the given number of stops.
func strictlyLarger(t *register.T, stops int, mechanisms []spec.Mechanism, part *big.Rat) {
	t.Domain("k = (1), (2), (1, 2), (1, 3) and (1, 2, 3); mechanisms from %s; e^ℰ in {1, 3/2, 3}; n ≥ %d; k = (1, 2) "+
		"also with (3/2, 1/10), (1, 1), by all families of sets", showMenu, stops)
	larger := func(p finite.Pipeline, equation3, equation4 *big.Rat) {
		t.Case()
		leak := part
		for _, m := range p.Mechanisms {
			leak = rat.Mul(leak, m.Delta)
		}
		more := rat.Sub(equation4, equation3)
		t.Require(more.Sign() > 0 && (len(p.Stops) <= 1 || more.Cmp(leak) >= 0), "%v: equation 3 gives %s, equation 4 "+
			"gives %s", p, equation3, equation4)
		t.Close(rat.Float64(rat.Quo(leak, more)), "%v", p)
	}
	for _, points := range [][]int{{1}, {2}, {1, 2}, {1, 3}, {1, 2, 3}} {
		if len(points) < stops {
			continue
		}
		for p := range finite.Pipelines(mechanisms, points...) {
			v := enumerated(t, p)
			larger(p, v.OptDel, v.Lemma11)
		}
	}
	for p := range finite.Charged([]spec.Mechanism{finite.Mechanisms[1], {ExpEps: rat.One, Delta: rat.One}}, 1, 2) {
		larger(p, register.Must(spec.OptDel(spec.Pipeline(p))), register.Must(spec.Lemma11(spec.Pipeline(p))))
	}
}
