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
func adaptiveComposition() register.Checks {
	delta1s := rat.List("1e-9", "1/100", "1/4")
	return register.Checks{
		"AFD-D3.7": register.Checked(register.With2(adaptivityAddsNothing, rat.One, rat.One),
			register.NearMiss("19/20 of that δ is enough", register.With2(adaptivityAddsNothing, nearly, rat.One)),
			register.NearMiss("no adversary needs more than k of them with 19/20 of the δ of each",
				register.With2(adaptivityAddsNothing, rat.One, nearly)),
		),
		"AFD-X13": register.Checked(register.With2(byTheorem, rat.Of("1.49"), delta1s),
			register.NearMiss("by a factor of 1.51", register.With2(byTheorem, rat.Of("1.51"), delta1s)),
		),
	}
}

// adversaries are those who choose each mechanism by the outputs before it, from mechanisms that are (ln 2, own)-DP.
type adversaries struct {
	k     int
	own   *big.Rat
	trees iter.Seq[finite.Tree]
}

// eachAdversary yields the families that are gone through.
func eachAdversary() []adversaries {
	none, quarter := new(big.Rat), rat.Of("1/4")
	responds := finite.Responses(spec.Mechanism{ExpEps: rat.Int(2), Delta: quarter})
	three := slices.DeleteFunc(menu(3, none), func(p finite.Pair) bool {
		return rat.Equal(p[0]["a"], p[1]["a"]) && !rat.Equal(p[0]["a"], rat.Of("1/3"))
	})
	return []adversaries{
		{2, none, finite.Trees(menu(3, none), finite.Earlier(2)...)},
		{2, none, finite.EveryNth(finite.Trees(menu(6, none), finite.Earlier(2)...), 7)},
		{3, none, finite.Trees(three, finite.Earlier(3)...)},
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

// adaptivityAddsNothing checks the views of all adversaries: in k rounds they need no more than a share of the δ of k
// randomized responses that have a share of the δ of each mechanism. spec goes through all sets of up to 4 views.
func adaptivityAddsNothing(t *register.T, share, ownShare *big.Rat) {
	t.Domain("mechanisms with 2 outputs; ln 2-DP: all adversaries of 2 rounds with probabilities in 1/3, and in 1/6 "+
		"(%s), of 3 rounds in 1/3, with one mechanism that tells nothing; (ln 2, 1/4)-DP: of 2 rounds in 1/4 (%s), and "+
		"with randomized response, either way round; e^ε in {1, 3/2, 2, 3, 5}", finite.Share(7), finite.Share(7))
	finite.Each2(eachAdversary(), rat.List("1", "3/2", "2", "3", "5"), func(a adversaries, e *big.Rat) {
		rounds := slices.Repeat([]spec.Mechanism{{ExpEps: rat.Int(2), Delta: rat.Mul(ownShare, a.own)}}, a.k)
		delta := rat.Mul(share, finite.Responses(rounds...).Delta(finite.Constant(e)))
		for tree := range a.trees {
			t.At("%v; e^ε = %s", tree, e)
			views := tree.Law(nil)
			needed := views.Delta(finite.Constant(e))
			if len(views[0]) <= 4 {
				literal, err := spec.SmallestDPDelta(views[0], views[1], e)
				t.Must(err)
				t.Require(rat.Equal(literal, needed), "δ = %s is needed, by spec %s", needed, literal)
			}
			t.AtMost(needed, delta, "δ = %s is needed, claimed are %s", needed, delta)
		}
	})
}
