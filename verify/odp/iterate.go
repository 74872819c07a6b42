package odp

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// iterate are the statements on M_iter (Algorithm 3) and on what its outputs cost.
func iterate() register.Checks {
	asIs := func(*questions) {}
	return register.Checks{
		"ODP-X20": checked(with(keptBudget, budgetClaim{}),
			alsoHolds("the budget is ε and δ: Σ δ_k over the unused iterations may be spent, too",
				with(keptBudget, budgetClaim{restOfDelta: true})),
			alsoFails("", "δ, too, is kept as ODP counts: the δ_k behind the first stop are not needed",
				with(keptBudget, budgetClaim{onlyRun: true})),
			near("ε/20 more is left than was reserved", with(keptBudget, budgetClaim{ofRest: rat.Of("21/20")})),
			near("19/20 of Σ δ_k are enough", with(keptBudget, budgetClaim{part: nearly}))),
		"ODP-A3": checked(with(sameIteration, asIs, itself),
			near("so does a program that leaves out the last of four or more criteria", with(sameIteration,
				func(q *questions) {
					if n := len(q.criteria); n > 3 {
						q.criteria[n-1] = func([]int) bool { return false }
					}
				}, itself)),
			near("its law is that with the stop before the last left out",
				with(sameIteration, asIs, withoutLastButOne))),
		"ODP-X21": checked(with(criterionReads, rat.One),
			near("it is a mechanism with an e^ε̃ less by a twentieth", with(criterionReads, nearly))),
		"ODP-L11": checked(all(with(lemma11, rat.Sum), with(lawsInBothOrders, rat.One, 2)),
			near("the sum is that of one order of neighbours", with(lawsInBothOrders, rat.One, 1)),
			near("19/20 of the sum are enough for two stops or more", with(lemma11, func(parts ...*big.Rat) *big.Rat {
				if len(parts) == 1 {
					return parts[0]
				}
				return rat.Mul(big.NewRat(19, 20), rat.Sum(parts...))
			})),
			near("of mechanisms with laws, the sum is 0.999 of it", with(lawsInBothOrders, "0.999", 2)),
			near("of three stops the second does not count", with(lemma11, func(parts ...*big.Rat) *big.Rat {
				if len(parts) == 3 {
					return rat.Add(parts[0], parts[2])
				}
				return rat.Sum(parts...)
			}))),
		"ODP-X25": checked(with(anyTheorem, extraClaim{extra: rat.One, formula: byFormula}),
			near("a tenth of the extra δ is enough",
				with(anyTheorem, extraClaim{extra: big.NewRat(1, 10), formula: byFormula})),
			near("the extra δ depends on n only",
				with(anyTheorem, extraClaim{extra: rat.One, formula: byFormula, samePoints: true})),
			near("by its formula Rényi composition has a δ larger by a millionth",
				with(anyTheorem, extraClaim{extra: rat.One, formula: scaledFormula(impl.RDP, 1.000001)})),
			near("by its formula advanced composition has a δ smaller by a millionth",
				with(anyTheorem, extraClaim{extra: rat.One, formula: scaledFormula(impl.Advanced, 0.999999)}))),
	}
}

// budgetClaim is a variant of ODP-X20.
type budgetClaim struct {
	part        *big.Rat // of Σ δ_k is the δ; nil: all of it
	ofRest      *big.Rat // what e^ε of the rest is multiplied with; nil: 1
	restOfDelta bool     // the δ_k of the unused iterations may be spent, too
	onlyRun     bool     // the δ_k of the mechanisms behind the first stop do not count
}

// keptBudget checks variants of ODP-X20.
func keptBudget(t *register.T, claim budgetClaim) {
	mechanisms := append(slices.Clone(finite.Mechanisms[:2]),
		spec.Mechanism{ExpEps: rat.Of("6/5"), Delta: rat.Of("1/4")})
	most := t.Size(3, 5)
	t.Domain("up to %d mechanisms with (e^ε, δ) = (3, 0), (3/2, 1/10), (6/5, 1/4), a stop after each; "+
		"also by all families of sets where there are at most 2^16", most)
	for run := range finite.Lists(mechanisms, 1, most) {
		t.Case()
		p, charge := finite.Pipeline{Mechanisms: run}, rat.One
		for i, m := range run {
			charge = rat.Mul(charge, m.ExpEps)
			p.Stops = append(p.Stops, spec.Stop{After: i + 1, ExpEps: charge})
		}
		claim.check(t, p)
	}
}

func (c budgetClaim) check(t *register.T, p finite.Pipeline) {
	sum, kept, total := new(big.Rat), rat.One, p.Stops[len(p.Stops)-1].ExpEps
	for i, m := range p.Mechanisms {
		if !c.onlyRun || i == 0 {
			sum = rat.Add(sum, m.Delta)
		}
		kept = rat.Mul(kept, rat.Complement(m.Delta))
	}
	t.In("%v", p)
	bound, got, spent := part(c.part, sum), optimalStopping(t, p), c.stoppedAndSpent(p, total)
	t.Require(got.Cmp(bound) <= 0, "OptDel = %s, more than %s", got, bound)
	agree(t, p, got, "but 1 − Π(1 − δ_k) =", rat.Complement(kept),
		"by the solver", register.Must(impl.OptDel(t.Context(), p.Impl(), impl.Options{})).OptDel)
	if outputs(p) <= 16 {
		agree(t, p, got, "over all families of sets", register.Must(spec.OptDel(spec.Pipeline(p))))
	}
	t.Require(spent.Cmp(bound) <= 0, "then randomized response with what is left: at e^ε = %s the whole needs δ = %s, "+
		"more than %s", total, spent, bound)
	if len(p.Stops) > 1 {
		t.CloseTo(rat.Max(got, spent), bound, "")
	}
}

// rest returns what may be spent instead of some iterations.
func (c budgetClaim) rest(unused []spec.Mechanism) spec.Mechanism {
	rest := finite.Pure(rat.One)
	for _, m := range unused {
		rest.ExpEps = rat.Mul(rest.ExpEps, m.ExpEps)
		if c.restOfDelta {
			rest.Delta = rat.Min(rat.One, rat.Add(rest.Delta, m.Delta))
		}
	}
	if len(unused) > 0 {
		rest.ExpEps = part(c.ofRest, rest.ExpEps)
	}
	return rest
}

// stoppedAndSpent returns the largest δ at e^ε = total, over all criteria, of M_iter over the responses of p, followed
// by randomized response with what is left.
func (c budgetClaim) stoppedAndSpent(p finite.Pipeline, total *big.Rat) *big.Rat {
	tree := p.Responses()
	var from func(s string, pr [2]*big.Rat) *big.Rat
	from = func(s string, pr [2]*big.Rat) *big.Rat {
		worst, onward := new(big.Rat), new(big.Rat)
		if len(s) > 0 {
			worst = followed(pr, total, c.rest(p.Mechanisms[len(s):]))
		}
		for z := range tree[s][0] {
			onward.Add(onward, from(s+z, [2]*big.Rat{rat.Mul(pr[0], tree[s][0][z]), rat.Mul(pr[1], tree[s][1][z])}))
		}
		return rat.Max(worst, onward)
	}
	return from("", [2]*big.Rat{rat.One, rat.One})
}

// criterionReads checks, with a share of the e^ε̃ of M̃, that M_1 and M_2, between which a mechanism M̃ decides whether
// to stop, need at most OptDel of the mechanisms with M̃ among them.
func criterionReads(t *register.T, share *big.Rat) {
	every := t.Size(3, 1)
	t.Domain("%s of these: M_1, M̃ and M_2 are randomized responses with (e^ε, δ) = (3, 0), (2, 0), (7/2, 0), "+
		"M̃ answers 1: stop, or 2: go on; e^ℰ in {1, 3/2, 3} and, for the equality, e^(ε_1 + ε̃)", finite.Share(every))
	menu := append(slices.Clone(unequal), finite.Mechanisms[0])
	for m := range finite.Tuples(menu, 3) {
		charges := append(slices.Clone(finite.Charges), rat.Mul(m[0].ExpEps, m[1].ExpEps))
		for e := range finite.EveryNth(finite.Tuples(charges, 2), every) {
			laws := stoppedByMechanism(finite.Responses(m[0]), finite.Responses(m[1]), finite.Responses(m[2]))
			need := laws.DeltaBothWays(func(output string) *big.Rat { return e[len(output)-1] })
			reads := spec.Mechanism{ExpEps: chargeOf(share, m[1].ExpEps), Delta: m[1].Delta}
			p := finite.Pipeline{Mechanisms: []spec.Mechanism{m[0], reads, m[2]}, Stops: stopsAt([]int{2, 3}, e...)}
			have := register.Must(spec.OptDel(spec.Pipeline(p)))
			t.At("%v", p)
			t.AtMost(need, have, "M_1, M̃ and M_2 need δ = %s, more than OptDel = %s", need, have)
		}
	}
}

// stoppedByMechanism returns the laws of the outputs of first, and of last if reads does not say 1.
func stoppedByMechanism(first, reads, last finite.Pair) finite.Pair {
	out := finite.Pair{{}, {}}
	for b := range out {
		for s, pr := range first[b] {
			out[b].Add(s, rat.Mul(pr, reads[b]["1"]))
			for z, next := range last[b] {
				out[b].Add(s+z, rat.Product(pr, reads[b]["2"], next))
			}
		}
	}
	return out
}

// lemma11 checks that the δ of M_iter is, under all criteria, at most what total makes of the δ of the single stops: of
// randomized responses, and of mechanisms that depend on earlier outputs.
func lemma11(t *register.T, total func(parts ...*big.Rat) *big.Rat) {
	atMost := func(p finite.Pipeline, got, bound *big.Rat) {
		t.Require(got.Cmp(bound) <= 0, "needs δ = %s, more than %s", got, bound)
		if len(p.Stops) > 1 {
			t.CloseTo(got, bound, "")
		}
	}
	eachValue(t, func(p finite.Pipeline, v exhaustive.Values[*big.Rat]) {
		t.In("%v", p)
		atMost(p, v.OptDel, total(v.Single...))
	})
	t.AlsoDomain("%s", treesDomain(t, 3))
	eachTree(t, 3, func(c finite.Tree, p finite.Pipeline) {
		got, h := p.Worst(c, finite.Randomized)
		var parts []*big.Rat
		for _, s := range p.Stops {
			parts = append(parts, c.First(s.After).DeltaBothWays(finite.Constant(s.ExpEps)))
		}
		t.At("%v; %v; %v", c, p, h)
		atMost(p, got, total(parts...))
	})
}

// lawsInBothOrders checks OptDel and the δ of ODP-L11, by the solver and exactly, for mechanisms with laws that are not
// those of randomized response, in both orders of neighbours, against all criteria and single stops of the trees of
// their outputs. A share of the sum is for a control.
func lawsInBothOrders(t *register.T, share *big.Rat, orders int) {
	mechanisms := telling()[1:]
	every := t.Size(4, 1)
	t.AlsoDomain("%s chains of two of %d mechanisms with laws over 2 outputs, in both orders of neighbours, "+
		"stops after 1 and 2, e^ℰ in {1, 3/2, 3}; one over 4 outputs that is symmetric by half",
		finite.Share(every), len(mechanisms))
	for pair := range finite.Tuples(mechanisms, 2) {
		for p := range finite.EveryNth(finite.Charged(nil, 1, 2), every) {
			lawsAreWorst(t, p, pair, share, orders)
		}
	}
	for p := range finite.Charged(nil, 1) {
		lawsAreWorst(t, p, []finite.Pair{halfSymmetric}, share, orders)
	}
}

// halfSymmetric is symmetric by half: a and d, and b and c, have one of their two probabilities in exchange, and not
// the other.
var halfSymmetric = finite.Pair{
	{"a": rat.Of("1/20"), "b": rat.Of("1/5"), "c": rat.Of("7/20"), "d": rat.Of("2/5")},
	{"a": rat.Of("2/5"), "b": rat.Of("3/10"), "c": rat.Of("1/5"), "d": rat.Of("1/10")},
}

// lawsAreWorst checks that for one chain of mechanisms.
func lawsAreWorst(t *register.T, p finite.Pipeline, chain []finite.Pair, share *big.Rat, orders int) {
	t.Case()
	tree := finite.Independent(chain...)
	worst, _ := p.Worst(tree, finite.Deterministic)
	sums := [2]*big.Rat{new(big.Rat), new(big.Rat)}
	for _, s := range p.Stops {
		law := tree.First(s.After)
		sums[0] = rat.Add(sums[0], law.Delta(finite.Constant(s.ExpEps)))
		sums[1] = rat.Add(sums[1], law.Back().Delta(finite.Constant(s.ExpEps)))
	}
	lemma := rat.Mul(share, rat.Max(sums[:orders]...))
	q := p.Impl()
	q.Mechanisms = nil
	for _, laws := range chain {
		m := impl.Mechanism{Count: 1}
		law0, law1 := laws.Dense()
		for z, pr := range law0 {
			m.Law = append(m.Law, [2]*big.Rat{pr, law1[z]})
		}
		q.Mechanisms = append(q.Mechanisms, m)
	}
	solved, alone := register.Must(impl.OptDel(t.Context(), q, impl.Options{})),
		register.Must(impl.Lemma11(t.Context(), q, impl.Options{}))
	optDel, _, sum, err := impl.Exact(t.Context(), q)
	t.Must(err)
	where := fmt.Sprintf("mechanisms %v, %v", chain, p)
	agree(t, where+": all criteria need", worst, "by the solver", solved.OptDel, "exactly", optDel)
	agree(t, where+": single stops need in sum, as claimed", lemma, "but by the solver", solved.Lemma11,
		"alone", alone, "exactly", sum)
	t.Require(lemma.Cmp(worst) >= 0, "%s: all criteria need δ = %s, more than %s", where, worst, lemma)
}
