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

// closeLaws is the statement on laws that are close to others with a bounded loss.
func closeLaws() register.Checks {
	return register.Checks{
		"AFD-L3.17": register.Checked(register.All(register.With(closeToFirst, rat.One), register.With2(closeToBoth, rat.One, false)),
			register.AlsoHolds("part 1 alone", register.With(closeToFirst, rat.One)),
			register.NearMiss("19δ/20 is enough in part 1", register.With(closeToFirst, nearly)),
			register.NearMiss("19δ/20 is enough in part 2", register.With2(closeToBoth, nearly, true)),
			register.Corrected("part 1; part 2 with D_∞(Y'‖Z') ≤ ε and D_∞(Z'‖Y') ≤ ε", register.All(register.With(closeToFirst,
				rat.One), register.With2(closeToBoth, rat.One, true))),
		),
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

// smallLaws are those that are tried for Y′ and Z′: all with probabilities in 1/6 over 2 outputs, and in 1/3 over 3.
func smallLaws() [][]finite.Law {
	return [][]finite.Law{slices.Collect(finite.Laws(2, 6)), slices.Collect(finite.Laws(3, 3))}
}

// closeToFirst checks part 1: the construction, within a factor times the smallest δ, and that no small Y′ contradicts
// it.
func closeToFirst(t *register.T, factor *big.Rat) {
	t.Domain("all laws over 2 outputs with probabilities in 1/6, and over 3 in 1/3; e^ε in {%s}", charges)
	for _, laws := range smallLaws() {
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
	for _, laws := range smallLaws() {
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
		t.Require(needed.Cmp(delta) <= 0, "Y' = (%v) and Z' = (%v) are within δ/(e^ε + 1) for δ = %s, and δ = %s is needed",
			b[0], b[1], delta, needed)
	}
}
