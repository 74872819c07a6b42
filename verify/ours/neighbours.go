package ours

import (
	"math/big"

	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// neighbours is the statement on both orders of neighbours.
func neighbours() register.Checks {
	return register.Checks{
		"OUR-X1": register.Checked(bothOrders(func(forth, back *big.Rat) *big.Rat { return rat.Max(forth, back) }),
			register.NearMiss("the mean of both",
				bothOrders(func(forth, back *big.Rat) *big.Rat { return rat.Mul(rat.Half, rat.Add(forth, back)) })),
		),
	}
}

// bothOrders compares what is made of the values of both orders with the smallest δ of steps that have the pairs as
// laws, that of steps that they dominate, and what impl finds for the pairs.
func bothOrders(combine func(forth, back *big.Rat) *big.Rat) register.Check {
	return ofCases(97, 7, 3, 150, func(t *register.T, s testCase) {
		v := combine(start(s.pairs, s.stops), start(s.back().pairs, s.stops))
		if attained := bothWays(t, s.alone()); !rat.Equal(attained, v) {
			t.Refute("%v: the smallest δ for both orders is %s, claimed is %s", s.alone(), rat.Show(attained), rat.Show(v))
		}
		if worst := bothWays(t, s); worst.Cmp(v) > 0 {
			t.Refute("%v: for both orders δ = %s is needed, claimed is %s", s, rat.Show(worst), rat.Show(v))
		}
		found, _, err := impl.Exact(t.Context(), s.impl())
		if found = register.Must(found, err); !rat.Equal(found, v) {
			t.Refute("%s; %v: impl finds %s, claimed is %s", show(s.pairs), s.stops, rat.Show(found), rat.Show(v))
		}
		for _, method := range []impl.Method{impl.Auto, impl.Bracket} {
			if r := register.Must(impl.OptDel(t.Context(), s.impl(),
				impl.Options{Method: method, RelWidth: 1e-3})); !r.OptDel.Contains(v) {
				t.Refute("%s; %v: impl finds from %.12g to %.12g by %s, claimed is %s", show(s.pairs), s.stops, r.OptDel.Lower,
					r.OptDel.Upper, method, rat.Show(v))
			}
		}
	})
}

// bothWays returns the smallest δ for all rules and both orders of neighbours.
func bothWays(t *register.T, s testCase) *big.Rat { return rat.Max(s.worst(t), s.back().worst(t)) }
