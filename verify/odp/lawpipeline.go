package odp

import (
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lawsInBothOrders checks OptDel and the δ of ODP-L11, by the solver and exactly, for mechanisms with laws that are not
// those of randomized response, in both orders of neighbours, against all criteria and single stops of the trees of
// their outputs. A share of the sum is for a control.
func lawsInBothOrders(share *big.Rat, orders int) register.Check {
	return func(t *register.T) {
		mechanisms := telling()[1:]
		t.AlsoDomain("chains of two of %d mechanisms with laws over 2 outputs, in both orders of neighbours, stops after 1 "+
			"and 2, e^ℰ in {1, 3/2, 3}; "+
			"one over 4 outputs that is symmetric by half", len(mechanisms))
		for pair := range finite.Tuples(mechanisms, 2) {
			for p := range finite.Charged(nil, 1, 2) {
				lawsAreWorst(t, p, pair, share, orders)
			}
		}
		for p := range finite.Charged(nil, 1) {
			lawsAreWorst(t, p, []finite.Pair{halfSymmetric}, share, orders)
		}
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
		q.Mechanisms = append(q.Mechanisms, lawOf(laws))
	}
	solved, alone := register.Must(impl.OptDel(t.Context(), q, impl.Options{})),
		register.Must(impl.Lemma11(t.Context(), q, impl.Options{}))
	optDel, sum, err := impl.Exact(t.Context(), q)
	t.Must(err)
	where := fmt.Sprintf("mechanisms %v, %v", chain, p)
	agree(t, where+": all criteria need", worst, "by the solver", solved.OptDel, "exactly", optDel)
	agree(t, where+": single stops need", lemma, "by the solver", solved.Lemma11, "alone", alone, "exactly", sum)
	if lemma.Cmp(worst) < 0 {
		t.Refute("%s: all criteria need δ = %s, more than %s", where, rat.Show(worst), rat.Show(lemma))
	}
}

// lawOf returns the mechanism with the laws of p.
func lawOf(p finite.Pair) impl.Mechanism {
	law := impl.Law{}
	for _, output := range p[0].Outputs() {
		law = append(law, [2]*big.Rat{p[0].Pr(output), p[1].Pr(output)})
	}
	return impl.Mechanism{Law: law, Count: 1}
}
