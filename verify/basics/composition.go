package basics

import (
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// composition are the statements on basic composition of independent mechanisms.
func composition() register.Checks {
	return register.Checks{
		"AFD-T3.14": register.Checked(register.With2(sumOfLosses, 2, rat.Product),
			register.NearMiss("they are (ε_1 + ε_2 − ln(20/19))-DP", register.With2(sumOfLosses, 2, lessThanAll)),
		),
		"AFD-K3.15": register.Checked(register.With2(sumOfLosses, 3, rat.Product),
			register.NearMiss("they are (Σ ε_i − ln(20/19), 0)-DP", register.With2(sumOfLosses, 3, lessThanAll)),
		),
		"AFD-T3.16": register.Checked(register.All(register.With(sumOfBoth, rat.Sum), basicAsPrinted),
			register.NearMiss("19/20 of Σ δ_i is enough", register.With(sumOfBoth, func(d ...*big.Rat) *big.Rat {
				return rat.Mul(nearly, rat.Sum(d...))
			})),
		),
	}
}

// lessThanAll is 19/20 of the product.
func lessThanAll(e ...*big.Rat) *big.Rat { return rat.Mul(nearly, rat.Product(e...)) }

// joint returns the laws of all outputs of mechanisms that run independently.
func joint(mechanisms ...finite.Pair) finite.Pair { return finite.Independent(mechanisms...).Law(nil) }

// sumOfLosses checks that the largest loss of k mechanisms together is at most what is claimed of theirs, as e^ε.
func sumOfLosses(t *register.T, k int, claimed func(e ...*big.Rat) *big.Rat) {
	t.Domain("%d mechanisms, all pairs of laws over 2 outputs with probabilities in 1/4 for each", k)
	for ms := range finite.Tuples(slices.Collect(finite.PairsOf(finite.Laws(2, 4))), k) {
		var each []*big.Rat
		for _, m := range ms {
			if e := spec.ExpMaxDivergence(m[0], m[1]); e != nil {
				each = append(each, e)
			}
		}
		if len(each) < k { // an infinite loss
			continue
		}
		t.At("%v", ms)
		most, bound := impl.ExpMaxDivergence(joint(ms...).Dense()), claimed(each...)
		t.AtMost(most, bound, "together e^ε is %s, claimed %s", most, bound)
	}
}

// sumOfBoth checks of two and three mechanisms with their smallest δ_i at some ε_i that they need no more than the δ
// claimed at Σ ε_i.
func sumOfBoth(t *register.T, claimed func(d ...*big.Rat) *big.Rat) {
	t.Domain("2 mechanisms, pairs of laws over 2 outputs with probabilities in 1/4 for each (%s), and 3 in 1/2 (%s); "+
		"e^ε_i in {1, 3/2, 3}", finite.Share(3), finite.Share(5))
	for _, size := range []struct{ k, unit, step int }{{2, 4, 3}, {3, 2, 5}} {
		mechanisms := slices.Collect(finite.PairsOf(finite.Laws(2, size.unit)))
		for ms := range finite.EveryNth(finite.Tuples(mechanisms, size.k), size.step) {
			all := joint(ms...)
			for es := range finite.Tuples(rat.List("1", "3/2", "3"), size.k) {
				t.At("%v, e^ε_i = %s", ms, es)
				var each []*big.Rat
				for i, m := range ms {
					each = append(each, m.DeltaBothWays(finite.Constant(es[i])))
				}
				needed, err := spec.SmallestDPDelta(all[0], all[1], rat.Product(es...))
				t.Must(err)
				bound := claimed(each...)
				t.AtMost(needed, bound, "together δ = %s is needed, claimed %s", needed, bound)
			}
		}
	}
}
