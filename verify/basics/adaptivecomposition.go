package basics

import (
	"iter"
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
			Check:    adaptivityAddsNothing(composedClaim{0, rat.One, rat.One}),
			Controls: []register.Claim{{Says: "no adversary needs more than k − 1 of them", Check: adaptivityAddsNothing(composedClaim{1, rat.One, rat.One})}},
			Near: []register.Claim{
				{Says: "19/20 of that δ is enough", Check: adaptivityAddsNothing(composedClaim{0, nearly, rat.One})},
				{Says: "no adversary needs more than k of them with 19/20 of the δ of each", Check: adaptivityAddsNothing(composedClaim{0, rat.One, nearly})},
			},
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

// composedClaim is a variant of AFD-D3.7: no adversary of k rounds needs more than a share of the δ of randomized responses, k less
// fewer of them, that have an ownShare of the δ of each mechanism.
type composedClaim struct {
	fewer           int
	share, ownShare *big.Rat
}

// delta returns what is claimed for mechanisms that are (ln 2, own)-DP, at e^ε.
func (c composedClaim) delta(k int, own, e *big.Rat) *big.Rat {
	var rounds []spec.Mechanism
	for range k - c.fewer {
		rounds = append(rounds, spec.Mechanism{ExpEps: rat.Int(2), Delta: rat.Mul(c.ownShare, own)})
	}
	return rat.Mul(c.share, finite.Responses(rounds...).Delta(finite.Constant(e)))
}

// adversaries are those who choose each mechanism by the outputs before it, from mechanisms that are (ln 2, own)-DP.
type adversaries struct {
	k     int
	own   *big.Rat
	trees iter.Seq[finite.Tree]
}

// eachAdversary yields the families that are gone through.
func eachAdversary() []adversaries {
	quarter, responds := rat.Of("1/4"), finite.Responses(spec.Mechanism{ExpEps: rat.Int(2), Delta: rat.Of("1/4")})
	three := slices.DeleteFunc(menu(3, new(big.Rat)), func(p finite.Pair) bool {
		return rat.Equal(p[0]["a"], p[1]["a"]) && !rat.Equal(p[0]["a"], rat.Of("1/3"))
	})
	return []adversaries{
		{2, new(big.Rat), finite.Trees(menu(3, new(big.Rat)), finite.Earlier(2)...)},
		{2, new(big.Rat), finite.EveryNth(finite.Trees(menu(6, new(big.Rat)), finite.Earlier(2)...), 7)},
		{3, new(big.Rat), finite.Trees(three, finite.Earlier(3)...)},
		{2, quarter, finite.EveryNth(finite.Trees(menu(4, quarter), finite.Earlier(2)...), 7)},
		{2, quarter, finite.Trees([]finite.Pair{responds, responds.Back()}, "", "0", "1", "2", "3")},
	}
}

// menu returns the pairs of laws over 2 outputs with probabilities in 1/unit that are (ln 2, own)-DP.
func menu(unit int, own *big.Rat) []finite.Pair {
	return slices.DeleteFunc(slices.Collect(finite.PairsOf(finite.Laws(2, unit))), func(p finite.Pair) bool {
		return p.DeltaBothWays(finite.Constant(rat.Int(2))).Cmp(own) > 0
	})
}

// adaptivityAddsNothing checks the views of all adversaries. spec goes through all sets of up to 4 views.
func adaptivityAddsNothing(c composedClaim) register.Check {
	return func(t *register.T) {
		t.Domain("mechanisms with 2 outputs; ln 2-DP: all adversaries of 2 rounds with probabilities in 1/3, and in 1/6 (%s), of 3 rounds in 1/3, with one mechanism that tells nothing; (ln 2, 1/4)-DP: of 2 rounds in 1/4 (%s), and with randomized response, either way round; e^ε in {1, 3/2, 2, 3, 5}", finite.Share(7), finite.Share(7))
		for _, a := range eachAdversary() {
			for _, e := range rat.List("1", "3/2", "2", "3", "5") {
				delta := c.delta(a.k, a.own, e)
				for tree := range a.trees {
					t.Case()
					views := tree.Law(nil)
					needed := views.Delta(finite.Constant(e))
					if len(views[0]) <= 4 {
						literal, err := spec.SmallestDPDelta(views[0], views[1], e)
						t.Must(err)
						if !rat.Equal(literal, needed) {
							t.Refute("%v; e^ε = %s: δ = %s is needed, by spec %s", tree, rat.Show(e), rat.Show(needed), rat.Show(literal))
						}
					}
					if needed.Cmp(delta) > 0 {
						t.Refute("%v; e^ε = %s: δ = %s is needed, claimed are %s", tree, rat.Show(e), rat.Show(needed), rat.Show(delta))
					}
					t.CloseTo(needed, delta, "%v; e^ε = %s", tree, rat.Show(e))
				}
			}
		}
	}
}
