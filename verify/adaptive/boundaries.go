package adaptive

import (
	"math"

	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/spec"
	"checkrr/verify/register"
)

// boundaries are the inequalities for martingales with subGaussian increments.
func boundaries() register.Checks {
	return register.Checks{
		"FAC-T4": checked(crossed{lines, oneSidedToo, 1, 1}.check,
			alsoHolds("the step of the proof: if X_n ≥ exp(b²/(2a)), then M_n is at least the line", with(onEvent, 1)),
			alsoFails(register.Slip, "the step as printed: if X_n > exp(b²/(2a)), then M_n is at most the line",
				with(onEvent, -1)),
			near("with probability at most 39/40·exp(−b²/(2a))", crossed{lines, oneSidedToo, 0.975, 1}.check),
			near("with 19/20 of the line", crossed{lines, oneSidedToo, 1, 0.95}.check)),
		"FAC-T5": checked(crossed{mixtures, oneSidedToo, 1, 1}.check,
			alsoFails(register.Edge, "for any δ > 0, as printed: there is a boundary", with(isBoundary, 2)),
			near("with probability at most 2δ/3, not only δ", crossed{mixtures, oneSidedToo, 2. / 3, 1}.check),
			near("with 19/20 of the boundary", crossed{mixtures, oneSidedToo, 1, 0.95}.check)),
		"FAC-T6": checked(all(crossed{stitches, oneSidedToo, 1, 1}.check, with(isBoundary, 0.999)),
			near("with 9/10 of the boundary", crossed{stitches, twoSided, 1, 0.9}.check),
			near("with probability at most δ/10, not only δ", crossed{stitches, twoSided, 0.1, 1}.check)),
	}
}

// increment is what a martingale gains in a round: up with probability pr, or down; it is σ²-subGaussian.
type increment struct {
	up, down int
	pr       float64
	sigma2   int
}

// twoSided are increments that are subGaussian on both sides; of oneSidedToo one is not.
var (
	twoSided    = []increment{{1, -1, 0.5, 1}, {2, -2, 0.5, 4}, {5, -5, 0.5, 25}}
	oneSidedToo = append([]increment{{1, -2, 2. / 3, 2}}, twoSided...)
)

// reach returns the largest probability that M_n reaches a boundary, a function of V_n, until V_n is above most: the
// increments are chosen in view of M_n and V_n. M_n in the interval of the boundary counts as there. No more than 4
// numbers above 0 are rounded a step, by 2^-53 each, so that 1e-12 is more than enough for 2000 steps.
func reach(boundary func(v float64) interval.Float, menu []increment, most int) interval.Float {
	later := make([][]float64, most+1) // by V_n, from M_n = −V_n on
	for v := most; v >= 0; v-- {
		at := boundary(float64(v)).Lo
		later[v] = make([]float64, 2*v+1)
		for i := range later[v] {
			if float64(i-v) >= at {
				later[v][i] = 1
				continue
			}
			for _, x := range menu {
				if next := v + x.sigma2; next <= most {
					m := i - v + next
					later[v][i] = max(later[v][i], x.pr*later[next][m+x.up]+(1-x.pr)*later[next][m+x.down])
				}
			}
		}
	}
	return interval.Point(later[0][0]).Mul(interval.Float{Lo: 1 - 1e-12, Hi: 1 + 1e-12})
}

// kindOfBoundary are boundaries of a kind, by their parameters, in spec and in impl, each with its level: the
// probability that it has.
type kindOfBoundary struct {
	says       string
	parameters [][2]float64
	bySpec     func(v, x, y float64) (at, level float64)
	byImpl     func(v, x, y interval.Float) (at, level interval.Float)
}

// lines have a wide range of slopes and levels, mixtures and stitches of γ or v_0 and of δ.
var (
	lines = kindOfBoundary{"a = %g, b = %g",
		[][2]float64{{7, 1.75}, {19, 1.9}, {64, 16}, {1, 1}, {0.25, 5}, {0.1, 0.05}, {100, 2}},
		spec.LineBoundary, ledger.LineBoundary}
	mixtures = curved("γ = %g, δ = %g", [][2]float64{{10000, 0.999999}, {10, 1e-12}, {1000, 0.99}, {10, 0.9}, {1, 0.5},
		{0.01, 0.1}, {100, 0.01}, {1e6, 1e-6}}, spec.MixtureBoundary, ledger.MixtureBoundary)
	stitches = curved("v_0 = %g, δ = %g", [][2]float64{{100, 0.999}, {100, 1e-12}, {25, 0.9}, {5, 0.1}, {2, 0.01},
		{1, 0.5}, {0.001, 0.5}}, spec.StitchedBoundary, ledger.StitchedBoundary)
)

// curved is a kind of boundaries of which the level δ is a parameter.
func curved(says string, parameters [][2]float64, bySpec func(v, x, delta float64) float64,
	byImpl func(v, x, log interval.Float) interval.Float) kindOfBoundary {
	return kindOfBoundary{says, parameters,
		func(v, x, delta float64) (at, level float64) { return bySpec(v, x, delta), delta },
		func(v, x, delta interval.Float) (at, level interval.Float) {
			return byImpl(v, x, delta.Log().Neg()), delta
		}}
}

// both returns a boundary and its level; those of spec must be in their intervals, but for rounding.
func (k kindOfBoundary) both(t *register.T, v float64, x [2]float64) (at, level interval.Float) {
	isIn := func(printed float64, fast interval.Float, rounding float64) bool {
		return printed == fast.Lo || printed >= fast.Lo*(1-rounding) && printed <= fast.Hi*(1+rounding)
	}
	printed, written := k.bySpec(v, x[0], x[1])
	at, level = k.byImpl(interval.Point(v), interval.Point(x[0]), interval.Point(x[1]))
	t.Require(isIn(printed, at, 1e-9) && isIn(written, level, 1e-12), // where the logarithm is close to 0
		"V = %g: the boundary is %.12g, by impl %.12g, the level %.12g, by impl %.12g", v, printed,
		at.Lo, written, level.Lo)
	return at, level
}

// crossed claims how probable it is that boundaries, times a factor, are reached, against their levels, times another.
type crossed struct {
	kindOfBoundary
	menu                []increment
	ofLevel, ofBoundary float64
}

func (c crossed) check(t *register.T) {
	const most = 600
	t.Domain("V_n up to %d, increments of σ² from 1 to 25, %d boundaries", most, len(c.parameters))
	areSubGaussian(t, c.menu)
	for _, x := range c.parameters {
		t.At(c.says, x[0], x[1])
		pr := reach(func(v float64) interval.Float {
			at, _ := c.both(t, v, x)
			return at.Mul(interval.Point(c.ofBoundary))
		}, c.menu, most)
		_, level := c.both(t, 1, x)
		low, high := c.ofLevel*level.Lo, c.ofLevel*level.Hi
		t.Require(pr.Lo <= high, "reached with probability %.6g, not at most %.6g", pr.Lo, high)
		if pr.Hi > low {
			t.Inconclusive("reached with probability %.17g or %.17g, claimed are %.17g", pr.Lo, pr.Hi, high)
		}
		t.Close(pr.Hi/low, "")
	}
}

// areSubGaussian checks increments for λ up to 4, and that their σ² are no larger than needed: at λ = 1/100 the bound
// is reached but for terms of the order of λ³.
func areSubGaussian(t *register.T, menu []increment) {
	const rounding = 1e-12
	for _, x := range menu {
		ratio := func(lambda float64) float64 {
			return spec.SubGaussianRatio([]float64{float64(x.up), float64(x.down)}, []float64{x.pr, 1 - x.pr},
				float64(x.sigma2), lambda)
		}
		says := "%d with probability %.6g, or %d: E(e^(λX)) is %.9g times the bound at λ = %g"
		for i := 1; i <= 40; i++ {
			y := ratio(float64(i) / 10)
			t.Require(y <= 1+rounding, says, x.up, x.pr, x.down, y, float64(i)/10)
		}
		y := ratio(1. / 100)
		t.Require(y >= 1-float64(x.sigma2)/2e6, says, x.up, x.pr, x.down, y, 1./100)
	}
}

// onEvent checks on which side of the line M_n is where X_n ≥ exp(b²/(2a)): above it, or below.
func onEvent(t *register.T, side float64) {
	t.Domain("a = 4, b = 2, M from −10 to 10, V from 0 to 20")
	const a, b = 4, 2
	for m := -10; m <= 10; m++ {
		for v := range 21 {
			t.Case()
			x, level := float64(m)*b/a-float64(v)*b*b/(2*a*a), float64(b*b)/(2*a)
			at, _ := spec.LineBoundary(float64(v), a, b)
			t.Require((x <= level || side*(float64(m)-at) >= 0) && (x != level || float64(m) == at),
				"a = 4, b = 2, M = %d, V = %d: log X = %g ≥ %g, and the line is %g", m, v, x, level, at)
		}
	}
}

// isBoundary checks that the two boundaries are numbers for a δ.
func isBoundary(t *register.T, delta float64) {
	t.AlsoDomain("δ = %g, γ and v_0 = 1, V = 1, 11/10, …, 11", delta)
	for i := range 101 {
		t.Case()
		v := 1 + float64(i)/10
		x, y := spec.MixtureBoundary(v, 1, delta), spec.StitchedBoundary(v, 1, delta)
		t.Require(!math.IsNaN(x) && !math.IsNaN(y), "δ = %g, γ = v_0 = 1, V = %g: the boundaries are %g and %g",
			delta, v, x, y)
	}
}
