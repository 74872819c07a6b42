package basics

import (
	"iter"
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
		"AFD-T3.14": checked(with(sumOfLosses, 2, rat.Product),
			near("they are (ε_1 + ε_2 − ln(20/19))-DP", with(sumOfLosses, 2, lessThanAll))),
		"AFD-K3.15": checked(with(sumOfLosses, 3, rat.Product),
			near("they are (Σ ε_i − ln(20/19), 0)-DP", with(sumOfLosses, 3, lessThanAll))),
		"AFD-T3.16": checked(all(with(sumOfBoth, rat.One), basicAsPrinted),
			near("19/20 of Σ δ_i is enough", with(sumOfBoth, nearly))),
	}
}

// lessThanAll is 19/20 of the product.
func lessThanAll(e ...*big.Rat) *big.Rat { return rat.Mul(nearly, rat.Product(e...)) }

// joint returns the laws of all outputs of mechanisms that run independently.
func joint(mechanisms ...finite.Pair) finite.Pair { return finite.Independent(mechanisms...).Law(nil) }

// sumOfLosses checks that the largest loss of k mechanisms together is at most what is claimed of theirs, as e^ε.
func sumOfLosses(t *register.T, k int, claimed func(e ...*big.Rat) *big.Rat) {
	every := t.Size(5, 1)
	t.Domain("%d mechanisms, pairs of laws over 2 outputs with probabilities in 1/4 for each (%s)",
		k, finite.Share(every))
	mechanisms := slices.Collect(finite.PairsOf(finite.Laws(2, 4)))
	for ms := range finite.EveryNth(finite.Tuples(mechanisms, k), every) {
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

// sumOfBoth checks of two and three mechanisms with their smallest δ_i at some ε_i that they need no more than a share
// of Σ δ_i at Σ ε_i.
func sumOfBoth(t *register.T, share *big.Rat) {
	t.Domain("2 mechanisms, pairs of laws over 2 outputs with probabilities in 1/4 for each (%s), and 3 in 1/2 (%s); "+
		"e^ε_i in {1, 3/2, 3}", finite.Share(4), finite.Share(7))
	for _, size := range []struct{ k, unit, step int }{{2, 4, 4}, {3, 2, 7}} {
		mechanisms := slices.Collect(finite.PairsOf(finite.Laws(2, size.unit)))
		for ms := range finite.EveryNth(finite.Tuples(mechanisms, size.k), size.step) {
			all := joint(ms...)
			for es := range finite.Tuples(rat.List("1", "3/2", "3"), size.k) {
				t.At("%v, e^ε_i = %s", ms, es)
				bound := new(big.Rat)
				for i, m := range ms {
					bound = rat.Add(bound, rat.Mul(share, m.DeltaBothWays(finite.Constant(es[i]))))
				}
				product := rat.Product(es...)
				needed := all.Delta(finite.Constant(product))
				if size.k == 2 {
					literal := register.Must(spec.SmallestDPDelta(all[0], all[1], product))
					t.Require(rat.Equal(literal, needed), "δ = %s is needed, by spec %s", needed, literal)
				}
				t.AtMost(needed, bound, "together δ = %s is needed, claimed %s", needed, bound)
			}
		}
	}
}

// adaptiveComposition are the definition of Section 3.5.2, and remarks of that section and of Section 3.5.4.
func adaptiveComposition() register.Checks {
	delta1s := "1e-9, 1/100, 1/4"
	return register.Checks{
		"AFD-D3.7": checked(with(adaptivityAddsNothing, rat.One, rat.One),
			near("19/20 of that δ is enough", with(adaptivityAddsNothing, nearly, rat.One)),
			near("no adversary needs more than k of them with 19/20 of the δ of each",
				with(adaptivityAddsNothing, rat.One, nearly))),
		"AFD-X13": checked(with(byTheorem, "1.49", delta1s),
			near("by a factor of 1.51", with(byTheorem, "1.51", delta1s))),
	}
}

// adversaries are those who choose each mechanism by the outputs before it, from mechanisms that are (ln 2, own)-DP.
type adversaries struct {
	k     int
	own   *big.Rat
	trees iter.Seq[finite.Tree]
}

// eachAdversary yields the families that are gone through.
func eachAdversary(every int) []adversaries {
	none, quarter := new(big.Rat), rat.Of("1/4")
	responds := finite.Responses(spec.Mechanism{ExpEps: rat.Int(2), Delta: quarter})
	three := slices.DeleteFunc(menu(3, none), func(p finite.Pair) bool {
		return rat.Equal(p[0]["a"], p[1]["a"]) && !rat.Equal(p[0]["a"], rat.Of("1/3"))
	})
	return []adversaries{
		{2, none, finite.Trees(menu(3, none), finite.Earlier(2)...)},
		{2, none, finite.EveryNth(finite.Trees(menu(6, none), finite.Earlier(2)...), every)},
		{3, none, finite.EveryNth(finite.Trees(three, finite.Earlier(3)...), every)},
		{2, quarter, finite.EveryNth(finite.Trees(menu(4, quarter), finite.Earlier(2)...), every)},
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
	every := t.Size(29, 7)
	t.Domain("mechanisms with 2 outputs; ln 2-DP: all adversaries of 2 rounds with probabilities in 1/3, and in 1/6 "+
		"(%s), of 3 rounds in 1/3 (%s), with one mechanism that tells nothing; (ln 2, 1/4)-DP: of 2 rounds in 1/4 "+
		"(%s), and with randomized response, either way round; e^ε in {1, 3/2, 2, 3, 5}", finite.Share(every),
		finite.Share(every), finite.Share(every))
	finite.Each2(eachAdversary(every), rat.List("1", "3/2", "2", "3", "5"), func(a adversaries, e *big.Rat) {
		rounds := slices.Repeat([]spec.Mechanism{{ExpEps: rat.Int(2), Delta: rat.Mul(ownShare, a.own)}}, a.k)
		delta := rat.Mul(share, finite.Responses(rounds...).Delta(finite.Constant(e)))
		for tree := range a.trees {
			t.At("%v; e^ε = %s", tree, e)
			views := tree.Law(nil)
			needed := views.Delta(finite.Constant(e))
			if len(views[0]) <= 4 {
				literal := register.Must(spec.SmallestDPDelta(views[0], views[1], e))
				t.Require(rat.Equal(literal, needed), "δ = %s is needed, by spec %s", needed, literal)
			}
			t.AtMost(needed, delta, "δ = %s is needed, claimed are %s", needed, delta)
		}
	})
}

// closeLaws is the statement on laws that are close to others with a bounded loss.
func closeLaws() register.Checks {
	return register.Checks{
		"AFD-L3.17": checked(
			all(with(closeToFirst, rat.One), with(closeToBoth, rat.One, false)),
			alsoHolds("part 1 alone", with(closeToFirst, rat.One)),
			near("19δ/20 is enough in part 1", with(closeToFirst, nearly)),
			near("19δ/20 is enough in part 2", with(closeToBoth, nearly, true)),
			corrected("part 1; part 2 with D_∞(Y'‖Z') ≤ ε and D_∞(Z'‖Y') ≤ ε",
				all(with(closeToFirst, rat.One), with(closeToBoth, rat.One, true)))),
	}
}

// hasLoss reports whether D_∞(Y‖Z) ≤ ε.
func hasLoss(y, z finite.Law, e *big.Rat) bool {
	d := impl.ExpMaxDivergence(finite.Pair{y, z}.Dense())
	return d != nil && d.Cmp(e) <= 0
}

// isLaw reports whether the probabilities are none below 0, and sum to 1.
func isLaw(l finite.Law) bool {
	return rat.Equal(l.Mass(), rat.One) && !slices.ContainsFunc(l.Outputs(), func(o string) bool {
		return l[o].Sign() < 0
	})
}

// smallLaws are those that are tried for Y′ and Z′: all with probabilities in 1/6 over 2 outputs, and in 1/2, or 1/3,
// over 3.
func smallLaws(t *register.T) [][]finite.Law {
	return [][]finite.Law{slices.Collect(finite.Laws(2, 6)), slices.Collect(finite.Laws(3, t.Size(2, 3)))}
}

// closeToFirst checks part 1: the construction, within a factor times the smallest δ, and that no small Y′ contradicts
// it.
func closeToFirst(t *register.T, factor *big.Rat) {
	t.Domain("all laws over 2 outputs with probabilities in 1/6, and over 3 in 1/%d; e^ε in {%s}",
		t.Size(2, 3), charges)
	for _, laws := range smallLaws(t) {
		finite.Each2(slices.Collect(finite.PairsOf(slices.Values(laws))), charges, func(p finite.Pair, e *big.Rat) {
			delta := p.Delta(finite.Constant(e))
			t.At("%v, e^ε = %s, δ = %s", p, e, delta)
			d := spec.ExpApproximateMaxDivergence(p[0], p[1], delta)
			t.Require(d != nil && d.Cmp(e) <= 0, "D_∞^δ is %s", shownLog(d))
			near := finite.Law(spec.CloseToFirst(p[0], p[1], e))
			distance := spec.StatisticalDistance(p[0], near)
			t.Require(isLaw(near) && distance.Cmp(rat.Mul(factor, delta)) <= 0 && hasLoss(near, p[1], e),
				"Y' is %v, at a distance of %s", near, distance)
			for _, other := range laws {
				t.Require(!hasLoss(other, p[1], e) || spec.StatisticalDistance(p[0], other).Cmp(delta) >= 0,
					"Y' = (%v) is nearer than δ", other)
			}
		})
	}
}

// closeToBoth checks part 2, with a factor of δ, and D_∞ bounded both ways: the construction, and that small Y′ and Z′
// imply what they must.
func closeToBoth(t *register.T, factor *big.Rat, both bool) {
	t.AlsoDomain("for part 2 all pairs of such laws for Y and Z, and for Y' and Z'")
	for _, laws := range smallLaws(t) {
		pairs := slices.Collect(finite.PairsOf(slices.Values(laws)))
		for _, e := range charges {
			var bounded []finite.Pair
			for _, p := range pairs {
				if hasLoss(p[0], p[1], e) && (!both || hasLoss(p[1], p[0], e)) {
					bounded = append(bounded, p)
				}
			}
			for _, p := range pairs {
				t.At("%v, e^ε = %s", p, e)
				constructed(t, p, e, factor)
				implied(t, p, bounded, e)
			}
		}
	}
}

// constructed checks the Y′ and Z′ of the proof, within a factor times δ/(e^ε + 1).
func constructed(t *register.T, p finite.Pair, e, factor *big.Rat) {
	most := rat.Quo(rat.Mul(factor, p.DeltaBothWays(finite.Constant(e))), rat.Add(e, rat.One))
	y, z := spec.CloseToBoth(p[0], p[1], e)
	far := rat.Max(spec.StatisticalDistance(p[0], y), spec.StatisticalDistance(p[1], z))
	t.Require(isLaw(y) && isLaw(z) && far.Cmp(most) <= 0 && hasLoss(y, z, e) && hasLoss(z, y, e),
		"Y' is %v, Z' %v, at a distance of %s, claimed %s", finite.Law(y), finite.Law(z), far, most)
}

// implied checks of bounded pairs that those near Y and Z bound the δ of both directions.
func implied(t *register.T, p finite.Pair, bounded []finite.Pair, e *big.Rat) {
	needed := p.DeltaBothWays(finite.Constant(e))
	for _, b := range bounded {
		far := rat.Max(spec.StatisticalDistance(p[0], b[0]), spec.StatisticalDistance(p[1], b[1]))
		delta := rat.Mul(far, rat.Add(e, rat.One))
		t.Require(needed.Cmp(delta) <= 0, "Y' = (%v) and Z' = (%v) are within δ/(e^ε + 1) for δ = %s, "+
			"and δ = %s is needed", b[0], b[1], delta, needed)
	}
}
