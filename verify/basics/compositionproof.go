package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// compositionProof are the steps of the proof of Theorem 3.20.
func compositionProof() register.Checks {
	growth := func(eps float64) float64 { return math.Expm1(eps) }
	return register.Checks{
		"AFD-T3.20.s1": checked(with(badViews, rat.One),
			near("19/20 of Pr[V^0 ∈ B] is enough", with(badViews, nearly))),
		"AFD-T3.20.s2": checked(with(lossIs, rat.One, true),
			near("it is at most ln(19/20·e^ε)", with(lossIs, nearly, false)),
			corrected("it is at most ε", with(lossIs, rat.One, false))),
		"AFD-T3.20.s3": checked(with(meanLoss, 1.0),
			near("it is 19/20 of D", with(meanLoss, 0.95)),
			near("at most 19/20·ε(e^ε − 1)/(e^ε + 1)", with(entropyBound, sharp(nearly)))),
		"AFD-T3.20.s4": checked(azumaBound(1.0, growth, true),
			alsoFails("", "with δ' for δ, and ε for ε_0",
				azumaBound(1.0, func(eps float64) float64 { return eps }, false)),
			near("with δ' for δ, and 19/20·z", azumaBound(0.95, growth, false)),
			corrected("with δ' for δ, and e^ε − 1 for ε_0", azumaBound(1.0, growth, false))),
		"AFD-T3.20.s5": checked(with(closeToView, rat.One), near("19/20·δ-close", with(closeToView, nearly))),
		"AFD-T3.20.s6": checked(with(fromMiddle, middleForLast),
			alsoFails(register.Slip, "what is printed, without D_∞^δ'(W‖V^1) ≤ ε', is the theorem: "+
				"D_∞^(δ'+kδ)(V^0‖V^1) ≤ ε'", with(fromMiddle, withoutMiddle)),
			alsoHolds("D_∞^(δ'+kδ)(V^0‖V^1) ≤ ε', which the theorem says", with(fromMiddle, lastForLast)),
			near("D_∞^(δ'+19/20·kδ)(V^0‖V^1) ≤ ε'", with(fromMiddle, shortForLast))),
	}
}

// badViews checks that Pr[V^0 ∈ B] is enough for δ at e^ε′, B = {V^0 > e^ε′·V^1}, by the two terms and as a divergence.
func badViews(t *register.T, share *big.Rat) {
	eachLaws(t, func(x laws) {
		delta := rat.Mul(share, sumOver(x.on(), x.y.Pr))
		d := spec.ExpApproximateMaxDivergence(x.y, x.z, delta)
		t.Require(d != nil && d.Cmp(x.e) <= 0, "D_∞^δ is %s for δ = %s", shownLog(d), delta)
		needed := register.Must(spec.SmallestDPDelta(x.y, x.z, x.e))
		t.AtMost(needed, delta, "δ = %s is needed", needed)
	})
}

// lossIs checks of mechanisms that are ε-DP that the larger D_∞ is the share of e^ε, or at most that.
func lossIs(t *register.T, share *big.Rat, isEqual bool) {
	eachLaws(t, func(x laws) {
		if !hasLoss(x.y, x.z, x.e) || !hasLoss(x.z, x.y, x.e) {
			return
		}
		most := rat.Max(spec.ExpMaxDivergence(x.y, x.z), spec.ExpMaxDivergence(x.z, x.y))
		for _, o := range (finite.Pair{x.y, x.z}).Outputs() {
			if x.y.Pr(o).Sign() > 0 {
				ratio := rat.Quo(x.y.Pr(o), x.z.Pr(o))
				t.Require(rat.Max(ratio, new(big.Rat).Inv(ratio)).Cmp(most) <= 0, "|c_i| after %s is above D_∞", o)
			}
		}
		bound := rat.Mul(share, x.e)
		t.Require(most.Cmp(bound) <= 0 && !(isEqual && most.Cmp(bound) < 0), "e^D_∞ is %s, claimed %s", most, bound)
	})
}

// meanLoss checks that the mean of c_i is a factor times D, in both rooms, and at most ε(e^ε − 1).
func meanLoss(t *register.T, factor float64) {
	everyPair(t, func(p finite.Pair, y, z []*big.Rat) {
		d, isFinite := impl.ExpectedLoss(y, z)
		if !isFinite {
			return
		}
		mean := 0.0
		for o, pr := range y {
			if pr.Sign() > 0 {
				mean += rat.Float64(pr) * math.Log(rat.Float64(rat.Quo(pr, z[o])))
			}
		}
		literal := spec.ExpectedLoss(p[0], p[1])
		t.Require(math.Abs(mean-factor*literal) <= 1e-12 && math.Abs(literal-d.Float().Hi) <= 1e-12,
			"the mean is %.9g, D by spec %.9g, by impl %.9g", mean, literal, d.Float().Hi)
	})
	entropyBound(t, func(e *big.Rat) *big.Rat { return rat.Sub(e, rat.One) })
}

// azumaBound checks that kβ + z√k·α is ε′ for α = ε, β = ε·ε_0 and a factor of z = √(2·ln(1/δ)), where δ is that of the
// mechanisms as printed, or δ′.
var azumaBound = on("k in {1, 1000}, ε in {1/100, 1}, δ in {0, 1/1000}, δ' in {1/100, 1/4}",
	func(t *register.T, factor float64, growth func(eps float64) float64, asPrinted bool, k int,
		eps, delta, delta1 *big.Rat) {
		e, tail := rat.Float64(eps), delta1
		if asPrinted {
			tail = delta
		}
		n := float64(k)
		claimed := n*e*growth(e) + factor*math.Sqrt(2*math.Log(1/rat.Float64(tail)))*math.Sqrt(n)*e
		whole := impl.KFoldComposition(k, loss.Nats(eps), delta1)
		literal := spec.KFoldComposition(k, e, rat.Float64(delta1))
		isAbout(t, "ε'", whole, literal)
		t.Require(math.Abs(claimed/literal-1) <= 1e-12, "kβ + z√k·α is %.9g, and ε' %.9g", claimed, literal)
	})

// between returns the law next to Y with Z/e^ε ≤ Y ≤ e^ε·Z: what is beyond a bound moves to it, and the rest is made up
// where there is room.
func (x laws) between() finite.Law {
	near, missing, room := finite.Law{}, rat.One, new(big.Rat)
	all := (finite.Pair{x.y, x.z}).Outputs()
	for _, o := range all {
		low, high := rat.Quo(x.z.Pr(o), x.e), rat.Mul(x.e, x.z.Pr(o))
		near[o] = rat.Max(low, rat.Min(x.y.Pr(o), high))
		missing = rat.Sub(missing, near[o])
	}
	left := func(o string) *big.Rat { // towards the bound
		if missing.Sign() < 0 {
			return rat.Sub(rat.Quo(x.z.Pr(o), x.e), near[o])
		}
		return rat.Sub(rat.Mul(x.e, x.z.Pr(o)), near[o])
	}
	if room = sumOver(all, left); room.Sign() == 0 {
		return near
	}
	moved := finite.Law{}
	for _, o := range all {
		moved[o] = rat.Add(near[o], rat.Mul(rat.Quo(missing, room), left(o)))
	}
	return moved
}

// closeToView checks that for an (ε, δ)-DP mechanism there is a Z_i within a share of δ of Y_i^0, with D_∞ ≤ ε to Y_i^1
// and back; and that two of them add up.
func closeToView(t *register.T, share *big.Rat) {
	eachLaws(t, func(x laws) {
		z := x.between()
		t.Require(isLaw(z) && hasLoss(z, x.z, x.e) && hasLoss(x.z, z, x.e), "Z = %v", z)
		apart, bound := spec.StatisticalDistance(x.y, z), rat.Mul(share, x.most(t))
		t.AtMost(apart, bound, "Δ(Y_i^0, Z_i) is %s, claimed at most %s", apart, bound)
		first, second := joint(finite.Pair{x.y, z}, finite.Pair{x.y, z}), rat.Twice(apart)
		both := impl.StatisticalDistance(first.Dense())
		t.AtMost(both, second, "for k = 2 the distance is %s, claimed at most %s", both, second)
	})
}

// views are the laws V^0, W and V^1, kδ and δ′.
type views struct {
	first, middle, last finite.Law
	far, delta          *big.Rat
}

// conclusion returns laws, and a δ for which their D_∞ is claimed to be at most ε′.
type conclusion func(v views) (y, z finite.Law, delta *big.Rat, needsMiddle bool)

func middleForLast(v views) (y, z finite.Law, delta *big.Rat, needsMiddle bool) {
	return v.first, v.middle, rat.Add(v.delta, v.far), true
}

func lastForLast(v views) (y, z finite.Law, delta *big.Rat, needsMiddle bool) {
	return v.first, v.last, rat.Add(v.delta, v.far), true
}

func shortForLast(v views) (y, z finite.Law, delta *big.Rat, needsMiddle bool) {
	return v.first, v.last, rat.Add(v.delta, rat.Mul(nearly, v.far)), true
}

func withoutMiddle(v views) (y, z finite.Law, delta *big.Rat, needsMiddle bool) {
	return v.first, v.last, rat.Add(v.delta, v.far), false
}

// fromMiddle checks a conclusion for laws of which V^0 and W are at a distance of kδ, and e^ε′ the least with
// D_∞^δ′(W‖V^1) ≤ ε′ or, if that is not given, with what is printed instead.
func fromMiddle(t *register.T, of conclusion) {
	t.Domain("all triples of laws over 2 outputs with probabilities in 1/4, kδ the distance of V^0 and W, " +
		"δ' in {0, 1/4}, ε' the least")
	for _, delta := range rat.List("0", "1/4") {
		for first := range finite.Laws(2, 4) {
			for p := range finite.PairsOf(finite.Laws(2, 4)) {
				v := views{first, p[0], p[1], spec.StatisticalDistance(first, p[0]), delta}
				y, z, claimed, needsMiddle := of(v)
				e := spec.ExpApproximateMaxDivergence(v.middle, v.last, delta)
				if !needsMiddle {
					e = spec.ExpApproximateMaxDivergence(v.first, v.middle, rat.Min(rat.One, rat.Add(delta, v.far)))
				}
				if e == nil {
					continue
				}
				t.At("V^0 = (%v), W = (%v), V^1 = (%v), kδ = %s, δ' = %s", first, p[0], p[1], v.far, delta)
				e = rat.Max(e, rat.One)
				d := spec.ExpApproximateMaxDivergence(y, z, rat.Min(rat.One, claimed))
				t.Require(d != nil && d.Cmp(e) <= 0, "the divergence is %s, ε' is %s", shownLog(d), shownLog(e))
			}
		}
	}
}
