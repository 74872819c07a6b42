package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Values that are gone through: of e^ε, and of δ.
var (
	charges = rat.List("1", "3/2", "2", "3")
	deltas  = rat.List("0", "1/4", "1/3", "1/2", "1")
)

// divergences are the statements on the definitions of Section 3.5.1.
func divergences() register.Checks {
	exact := spec.ExpApproximateMaxDivergence
	lessOfDelta := func(y, z map[string]*big.Rat, delta *big.Rat) *big.Rat {
		return exact(y, z, rat.Mul(delta, nearly))
	}
	exchanged := func(y, z map[string]*big.Rat, delta *big.Rat) *big.Rat { return exact(z, y, delta) }
	oneWay := func(y, z map[string]*big.Rat, delta *big.Rat) *big.Rat {
		if y["a"].Cmp(z["a"]) < 0 {
			return new(big.Rat)
		}
		return exact(y, z, delta)
	}
	return register.Checks{
		"AFD-D3.5": checked(with(relativeEntropy, 1), near("it is 19/20 of that mean", with(relativeEntropy, 0.95))),
		"AFD-X12": checked(with(entropyLaws, entropyClaim{}),
			control("it is symmetric", with(entropyLaws, entropyClaim{symmetric: true})),
			control("it has a triangle inequality", with(entropyLaws, entropyClaim{triangle: true})),
			near("it is 0 also for laws that differ by at most 1/4",
				with(entropyLaws, entropyClaim{near: rat.Of("1/4")})),
			near("it is infinite where the supports differ", with(entropyLaws, entropyClaim{bothSupports: true}))),
		"AFD-D3.6": checked(with(maxDivergences, exact),
			near("it is that with 19/20 of δ", with(maxDivergences, lessOfDelta)),
			near("it is that with Y and Z exchanged", with(maxDivergences, exchanged))),
		"AFD-R3.1": checked(with(dpByDivergence, exact, rat.One),
			alsoFails(register.Edge, "0/0 is infinite, as the convention says",
				with(dpByDivergence, zeroIsInfinite, rat.One)),
			near("D_∞^δ ≤ ε both ways is (ε, 19δ/20)-DP", with(dpByDivergence, exact, nearly)),
			near("D_∞^δ ≤ ε one way is enough", with(dpByDivergence, oneWay, rat.One))),
		"AFD-U7": checked(with(distances, rat.Half),
			near("it is 19/20 of that", with(distances, rat.Mul(rat.Half, nearly)))),
		"AFD-L3.18": checked(with(entropyBound, func(e *big.Rat) *big.Rat { return rat.Sub(e, rat.One) }),
			alsoHolds("D(Y‖Z) ≤ ε(e^ε − 1)/(e^ε + 1), which is sharp", with(entropyBound, sharp(rat.One))),
			near("D(Y‖Z) ≤ 19/20·ε(e^ε − 1)/(e^ε + 1)", with(entropyBound, sharp(nearly)))),
	}
}

// sharp returns a factor times (e^ε − 1)/(e^ε + 1).
func sharp(factor *big.Rat) func(e *big.Rat) *big.Rat {
	return func(e *big.Rat) *big.Rat { return rat.Mul(factor, rat.Quo(rat.Sub(e, rat.One), rat.Add(e, rat.One))) }
}

// everyPair goes through small pairs of laws, and their probabilities.
func everyPair(t *register.T, f func(p finite.Pair, y, z []*big.Rat)) {
	t.Domain("all pairs of laws over up to 3 outputs with probabilities in 1/1, …, 1/%d", t.Size(4, 6))
	for p := range finite.Pairs(3, t.Size(4, 6)) {
		t.At("%v", p)
		y, z := p.Dense()
		f(p, y, z)
	}
}

// relativeEntropy compares both rooms with a factor times the sum over all outputs, in float64.
func relativeEntropy(t *register.T, factor float64) {
	everyPair(t, func(p finite.Pair, y, z []*big.Rat) {
		formula := 0.0
		for i, pr := range y {
			if pr.Sign() > 0 {
				formula += factor * rat.Float64(pr) * math.Log(rat.Float64(pr)/rat.Float64(z[i]))
			}
		}
		literal := spec.ExpectedLoss(p[0], p[1])
		fast, isFinite := impl.ExpectedLoss(y, z)
		t.Require(isFinite != math.IsInf(formula, 0), "D is finite by impl: %t; %g by the formula", isFinite, formula)
		if isFinite {
			t.Require(math.Abs(fast.Float().Hi-formula) <= 1e-12, "D is %.12g by impl, %.12g by the formula",
				fast.Upper, formula)
		}
		t.Require(literal == formula || math.Abs(literal-formula) <= 1e-12, "D is %.12g by spec, %.12g by the formula",
			literal, formula)
	})
}

// entropyClaim is a variant of AFD-X12.
type entropyClaim struct {
	symmetric, triangle bool
	bothSupports        bool
	near                *big.Rat // laws that differ by at most that have D = 0
}

// entropyLaws checks what D is not, and when it is 0 or infinite.
func entropyLaws(t *register.T, claim entropyClaim) {
	var isSymmetric, isMetric = true, true
	everyPair(t, func(_ finite.Pair, y, z []*big.Rat) {
		d, isFinite := impl.ExpectedLoss(y, z)
		back, isFiniteBack := impl.ExpectedLoss(z, y)
		distance := impl.StatisticalDistance(y, z)
		isEqual := distance.Sign() == 0 || claim.near != nil && distance.Cmp(claim.near) <= 0
		t.Require(isFinite == (inSupport(y, z) && !(claim.bothSupports && !inSupport(z, y))),
			"D is finite: %t", isFinite)
		if !isFinite {
			return
		}
		t.Require(isEqual && d.Upper.Cmp(big.NewFloat(1e-30)) <= 0 || !isEqual && d.Lower.Sign() > 0,
			"D is in [%.6g, %.6g], the laws are at a distance of %s", d.Lower, d.Upper, distance)
		if isFiniteBack && back.Lower.Cmp(d.Upper) > 0 {
			isSymmetric = false
			t.Require(!claim.symmetric, "D is at most %.6g, and with the laws exchanged at least %.6g",
				d.Upper, back.Lower)
		}
		between := halfway(y, z) // D(Y‖Z) against D(Y‖W) + D(W‖Z), W = (Y + Z)/2
		first, _ := impl.ExpectedLoss(y, between)
		second, _ := impl.ExpectedLoss(between, z)
		if sum := precise.Add(first, second); sum.Upper.Cmp(d.Lower) < 0 {
			isMetric = false
			t.Require(!claim.triangle, "D is at least %.6g, and by way of (Y + Z)/2 at most %.6g", d.Lower, sum.Upper)
		}
	})
	t.Require(!isSymmetric && !isMetric, "D is symmetric: %t; it has a triangle inequality: %t", isSymmetric, isMetric)
}

func inSupport(y, z []*big.Rat) bool {
	for o := range y {
		if y[o].Sign() > 0 && z[o].Sign() == 0 {
			return false
		}
	}
	return true
}

func halfway(y, z []*big.Rat) (w []*big.Rat) {
	for o := range y {
		w = append(w, rat.Mul(rat.Half, rat.Add(y[o], z[o])))
	}
	return w
}

// approximately is a δ-approximate max divergence, as e^D; nil is infinite.
type approximately func(y, z map[string]*big.Rat, delta *big.Rat) *big.Rat

// zeroIsInfinite counts a set with Pr[Y ∈ S] = δ > 0 and Pr[Z ∈ S] = 0 as infinite.
func zeroIsInfinite(y, z map[string]*big.Rat, delta *big.Rat) *big.Rat {
	alone := new(big.Rat)
	for o, pr := range y {
		if finite.Law(z).Pr(o).Sign() == 0 {
			alone = rat.Add(alone, pr)
		}
	}
	if alone.Sign() > 0 && alone.Cmp(delta) == 0 {
		return nil
	}
	return spec.ExpApproximateMaxDivergence(y, z, delta)
}

// maxDivergences compares both rooms with a divergence: at t = e^D Σ max(0, Y − t·Z) is δ, and above it less.
func maxDivergences(t *register.T, of approximately) {
	everyPair(t, func(p finite.Pair, y, z []*big.Rat) {
		for _, delta := range deltas {
			e, fast := of(p[0], p[1], delta), impl.ExpApproximateMaxDivergence(y, z, delta)
			atZero := rat.Same(impl.ExpMaxDivergence(y, z), fast) && rat.Same(spec.ExpMaxDivergence(p[0], p[1]), fast)
			t.Require(rat.Same(e, fast) && (delta.Sign() > 0 || atZero), "δ = %s: D is %s, by impl %s",
				delta, shownLog(e), shownLog(fast))
			t.Require(isDivergence(p, e, delta), "δ = %s: D is not %s", delta, shownLog(e))
		}
	})
}

// isDivergence reports whether e is the largest t ≥ 0 with Σ max(0, Y − t·Z) ≥ δ; 0 also if there is none.
func isDivergence(p finite.Pair, e, delta *big.Rat) bool {
	excess := func(e *big.Rat) *big.Rat { return p.Delta(finite.Constant(e)) }
	if e == nil {
		return excess(rat.Of("1e9")).Cmp(delta) > 0
	}
	if e.Sign() == 0 {
		return delta.Cmp(rat.One) >= 0
	}
	return excess(e).Cmp(delta) == 0 && excess(rat.Mul(e, rat.Of("0.999999"))).Cmp(delta) > 0
}

// shownLog shows ln x.
func shownLog(x *big.Rat) string {
	if x == nil {
		return "infinite"
	}
	return "ln " + rat.Show(x)
}

// dpByDivergence checks that a pair of laws is (ε, share·δ)-DP just where a divergence is at most ε, both ways.
func dpByDivergence(t *register.T, divergence approximately, share *big.Rat) {
	everyPair(t, func(p finite.Pair, _, _ []*big.Rat) {
		for _, e := range charges {
			needed := rat.Max(register.Must(spec.SmallestDPDelta(p[0], p[1], e)),
				register.Must(spec.SmallestDPDelta(p[1], p[0], e)))
			for _, delta := range deltas {
				d, b := divergence(p[0], p[1], delta), divergence(p[1], p[0], delta)
				isWithin := d != nil && b != nil && rat.Max(d, b).Cmp(e) <= 0
				t.Require(isWithin == (needed.Cmp(rat.Mul(share, delta)) <= 0),
					"e^ε = %s, δ = %s: it needs δ = %s, and the divergences are %s and %s",
					e, delta, needed, shownLog(d), shownLog(b))
			}
		}
	})
}

// distances compares both rooms with a factor times the sum of the differences.
func distances(t *register.T, factor *big.Rat) {
	everyPair(t, func(p finite.Pair, y, z []*big.Rat) {
		sum := new(big.Rat)
		for o := range y {
			sum.Add(sum, new(big.Rat).Abs(rat.Sub(y[o], z[o])))
		}
		areEqual(t, "the distance", spec.StatisticalDistance(p[0], p[1]), impl.StatisticalDistance(y, z),
			rat.Mul(factor, sum))
	})
}

// entropyBound checks that D(Y‖Z) ≤ ε·factor(e^ε), where e^ε is the larger max divergence of both ways.
func entropyBound(t *register.T, factor func(e *big.Rat) *big.Rat) {
	everyPair(t, func(_ finite.Pair, y, z []*big.Rat) {
		forth, back := impl.ExpMaxDivergence(y, z), impl.ExpMaxDivergence(z, y)
		if forth == nil || back == nil || rat.Equal(forth, rat.One) {
			return
		}
		e := rat.Max(forth, back)
		d, _ := impl.ExpectedLoss(y, z)
		isBelow(t, "D", d, times(precise.Log(e), factor(e)))
	})
}
