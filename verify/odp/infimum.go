package odp

import (
	"math/big"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// infima are the statements on what OptDel is.
func infima() register.Checks {
	return register.Checks{
		"ODP-X22": register.Checked(register.All(supremum(itself), infimum(finite.Pair.DeltaBothWays)),
			register.NearMiss("the infimum is that in one order of the databases", infimum(finite.Pair.Delta)),
			register.NearMiss("it is 19/20 of that", infimum(func(p finite.Pair, expE func(string) *big.Rat) *big.Rat {
				return shaved(p.DeltaBothWays(expE))
			})),
			register.NearMiss("the supremum is that over criteria that do not stop at the last stop but one",
				supremum(withoutLastButOne)),
		),
	}
}

// infimum checks, for mechanisms and criteria one by one, that a number is the smallest δ of M_iter by the definition,
// over all sets of outputs.
func infimum(smallest func(p finite.Pair, expE func(output string) *big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		every := t.Size(67, 1)
		t.AlsoDomain("the infimum for %s of these", finite.Share(every))
		n := 0
		eachTree(t, len(finite.Deterministic), func(c finite.Tree, p finite.Pipeline) {
			if n++; n%every != 0 {
				return
			}
			for h := range finite.Criteria(finite.Deterministic, p.Early(c)) {
				t.Case()
				law := c.Law(h)
				want, got := defined(p, law), smallest(law, p.ExpE)
				if got.Cmp(want) != 0 {
					t.Refute("%v; %v; %v: M_iter is ODP with δ = %s and with no less, claimed is %s", c, p, h, rat.Show(want),
						rat.Show(got))
				}
			}
		})
	}
}

// supremum checks that no finite mechanisms and criteria need more than OptDel of a variant of the pipeline, and that
// randomized responses need as much.
func supremum(variant func(finite.Pipeline) finite.Pipeline) register.Check {
	return responsesAreWorst(finite.Deterministic, func(t *register.T, p finite.Pipeline) *big.Rat {
		p = variant(p)
		value := optimalStopping(t, p)
		if outputs(p) <= 14 {
			agree(t, p, value, "by all families of sets", register.Must(spec.OptDel(spec.Pipeline(p))))
		}
		if !tooManyCriteria(p) {
			agree(t, p, value, "by all criteria", worstDeterministic(t, p))
		}
		return value
	})
}
