package basics

import (
	"math/big"
	"slices"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// adaptiveComposition are the definition of Section 3.5.2, and remarks of that section and of Section 3.5.4.
func adaptiveComposition() []register.Statement {
	return []register.Statement{
		notation("AFD-U8", "Experiment b: k times, an adversary chooses neighbours x_i^0, x_i^1 and a mechanism, and sees its output on x_i^b", "Section 3.5.2"),
		{
			ID: "AFD-D3.7", Title: "(ε, δ)-DP under k-fold adaptive composition: D_∞^δ(V^0‖V^1) ≤ ε for every adversary",
			Printed: "Section 3.5.2, Definition 3.7, V^b the view of the adversary in Experiment b",
			Reading: "A definition asserts nothing; the smallest δ is AFD-R3.1's. Checked is that adaptivity adds nothing: no adversary needs more than k randomized responses. An adversary who tosses coins is a mixture of some who do not, and needs no more than the worst of them.",
			Kind:    register.Exact, Verdict: register.Holds, In: []string{"spec.SmallestDPDelta"},
			Check:    adaptivityAddsNothing(rat.One),
			Controls: []register.Claim{{Says: "no adversary needs more than k − 1 of them", Check: adaptivityAddsNothing(nil)}},
			Near:     []register.Claim{{Says: "19/20 of that δ is enough", Check: adaptivityAddsNothing(nearly)}},
		},
		{
			ID: "AFD-X13", Title: "Corollary 3.21 is a rough guide: by Theorem 3.20 itself ε can be larger",
			Printed: "Section 3.5.2, after Corollary 3.21",
			Reading: "For δ' of at most 1/4, by a factor of at least 1.49. For δ' near 1 the corollary fails (AFD-K3.21).",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"impl.KFoldEpsilon", "impl.KFoldComposition"},
			Check:    byTheorem(rat.Of("1.49"), rat.List("1e-9", "1/100", "1/4")),
			Controls: []register.Claim{{Says: "by a factor of 2", Check: byTheorem(rat.Twice(rat.One), rat.List("1e-9", "1/100", "1/4"))}},
			Near:     []register.Claim{{Says: "by a factor of 1.51", Check: byTheorem(rat.Of("1.51"), rat.List("1e-9", "1/100", "1/4"))}},
		},
		opinion("AFD-X14", "Non-trivial accuracy is possible for close to n² counting queries, and noise below sampling error for close to n", "Section 3.5.2, after Example 3.7",
			"Orders of growth without constants. The bounds themselves are AFD-T3.20 and the accuracy of the Laplace mechanism."),
		opinion("AFD-X17", "An adversary has little advantage in telling a life with Bob's data from one without; the guarantee is for each such alternative, not for all at once", "Section 3.5.4",
			"What the definition means. The advantage is bounded by AFD-T3.20, for x_i^0 and x_i^1 that may be any neighbours."),
	}
}

// adaptivityAddsNothing checks the views of all adversaries who choose their second mechanism by the output of the first: that they
// need at most a share of the δ of randomized responses, of one less than there are mechanisms if share is nil.
func adaptivityAddsNothing(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("all adversaries of 2 rounds, mechanisms that are ln 2-DP with 2 outputs of probabilities in 1/3, and in 1/6 (%s); e^ε in {1, 3/2, 2, 3}", finite.Share(7))
		rounds := []spec.Mechanism{finite.Pure(rat.Int(2)), finite.Pure(rat.Int(2))}
		if share == nil {
			rounds, share = rounds[1:], rat.One
		}
		responses := finite.Responses(rounds...)
		for _, size := range []struct{ unit, step int }{{3, 1}, {6, 7}} {
			menu := slices.DeleteFunc(slices.Collect(finite.PairsOf(finite.Laws(2, size.unit))), func(p finite.Pair) bool {
				return p.DeltaBothWays(finite.Constant(rat.Int(2))).Sign() > 0
			})
			for tree := range finite.EveryNth(finite.Trees(menu, finite.Earlier(2)...), size.step) {
				views := tree.Law(nil)
				for _, e := range rat.List("1", "3/2", "2", "3") {
					t.Case()
					delta := rat.Mul(share, responses.Delta(finite.Constant(e)))
					needed, err := spec.SmallestDPDelta(views[0], views[1], e)
					t.Must(err)
					if needed.Cmp(delta) > 0 {
						t.Refute("%v; e^ε = %s: δ = %s is needed, claimed are %s", tree, rat.Show(e), rat.Show(needed), rat.Show(delta))
					} else if delta.Sign() > 0 {
						t.CloseTo(needed, delta, "%v; e^ε = %s", tree, rat.Show(e))
					}
				}
			}
		}
	}
}
