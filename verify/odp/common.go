package odp

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// bounds contain a number.
type bounds struct{ lower, upper *big.Rat }

func exactly(x *big.Rat) bounds { return bounds{x, x} }

// times returns c·x for c ≥ 0.
func (x bounds) times(c *big.Rat) bounds { return bounds{rat.Mul(c, x.lower), rat.Mul(c, x.upper)} }

// widen moves both ends outward; the number is at least 0.
func (x bounds) widen(by *big.Rat) bounds {
	return bounds{rat.Max(new(big.Rat), rat.Sub(x.lower, by)), rat.Add(x.upper, by)}
}

// rootOf returns √x, exactly if it is rational.
func rootOf(x *big.Rat) bounds {
	p, q := new(big.Int).Sqrt(x.Num()), new(big.Int).Sqrt(x.Denom())
	if root := new(big.Rat).SetFrac(p, q); rat.Mul(root, root).Cmp(x) == 0 {
		return exactly(root)
	}
	root := func(mode big.RoundingMode) *big.Rat {
		return rat.Exact(new(big.Float).SetPrec(100).SetMode(mode).Sqrt(new(big.Float).SetPrec(100).SetMode(mode).SetRat(x)))
	}
	return bounds{root(big.ToZero), root(big.AwayFromZero)}.widen(new(big.Rat).SetFrac64(1, 1<<60))
}

// between returns the bounds of |x − y|.
func between(x, y interval.Interval) bounds {
	up, down := rat.Sub(rat.Exact(x.Upper), rat.Exact(y.Lower)), rat.Sub(rat.Exact(y.Upper), rat.Exact(x.Lower))
	return bounds{rat.Positive(new(big.Rat).Neg(rat.Min(up, down))), rat.Max(up, down)}
}

// magnitude returns the bounds of |x|.
func magnitude(x interval.Interval) bounds {
	if x.Lower.IsInf() || x.Upper.IsInf() {
		return bounds{new(big.Rat), unbounded}
	}
	return between(x, interval.Of(0, 0))
}

// unbounded is more than any loss that is claimed.
var unbounded = new(big.Rat).SetFloat64(math.MaxFloat64)

// atMost ends the check if a number is not at most limit.
func atMost(t *register.T, x bounds, limit *big.Rat, format string, args ...any) {
	if x.lower.Cmp(limit) > 0 {
		t.Refute(format+": at least %.9g, claimed at most %.9g", append(args, x.lower, limit)...)
	}
	if x.upper.Cmp(limit) > 0 {
		t.Undecided(format+": between %.12g and %.12g, claimed at most %.12g",
			append(args, rat.Float64(x.lower), rat.Float64(x.upper), rat.Float64(limit))...)
	}
}

// agree refutes that a number is what others are that should be the same: for each its name, and the number, or an
// interval that should contain it and be narrow.
func agree(t *register.T, of any, want *big.Rat, others ...any) {
	for i := 0; i < len(others); i += 2 {
		switch x := others[i+1].(type) {
		case *big.Rat:
			t.Require(rat.Equal(x, want), "%v: %s, %s %s", of, want, others[i], x)
		case interval.Interval:
			t.Require(x.Contains(want) && x.RelWidth() <= impl.DefaultRelWidth, "%v: %s, %s [%.12g, %.12g]", of, want, others[i],
				x.Lower, x.Upper)
		}
	}
}

// same refutes that a number by spec is what it is by another way.
func same(t *register.T, want, bySpec *big.Rat, format string, args ...any) {
	if !rat.Equal(want, bySpec) {
		t.Refute("%s is %s, by spec %s", fmt.Sprintf(format, args...), want, bySpec)
	}
}

// laplaceAtLeast returns Pr(X ≥ y) for X ~ Lap(scale), for checks that trust neither room with it.
func laplaceAtLeast(y, scale float64) float64 {
	if y >= 0 {
		return math.Exp(-y/scale) / 2
	}
	return 1 - math.Exp(y/scale)/2
}

// laplaceDensity returns the density of Lap(scale) at y.
func laplaceDensity(y, scale float64) float64 { return math.Exp(-math.Abs(y)/scale) / (2 * scale) }

// ninePlaces rounds a ratio of float64 numbers to what does not depend on the machine.
func ninePlaces(ratio float64) float64 { return math.Round(ratio*1e9) / 1e9 }

// isNear reports whether x and y are equal but for a relative error, which is how far float64 is trusted.
func isNear(x, y, relative float64) bool {
	return math.Abs(x-y) <= relative*min(math.Abs(x), math.Abs(y))
}

// near is a control that nearly holds: a check with another argument.
func near[A any](says string, check func(*register.T, A), a A) register.Part {
	return register.NearMiss(says, register.With(check, a))
}

// near2 and near3 are the same with more arguments.
func near2[A, B any](says string, check func(*register.T, A, B), a A, b B) register.Part {
	return register.NearMiss(says, register.With2(check, a, b))
}

func near3[A, B, C any](says string, check func(*register.T, A, B, C), a A, b B, c C) register.Part {
	return register.NearMiss(says, register.With3(check, a, b, c))
}

// auditAlpha is the probability with which an audit refutes a claim that is true. There are
// few of them, and their seeds are fixed: a false alarm would be there in every run.
const auditAlpha = 1e-6

// audited draws outputs of a built-in mechanism by the programs of some rooms, and looks for a
// violation of its claim of ODP, after another check has named its domain.
func audited(name string, p mechanisms.Params, packages ...string) register.Check {
	return func(t *register.T) {
		n := t.Size(15_000, 1_000_000)
		t.AlsoDomain("audits of %d outputs on each input, α = %g", n, auditAlpha)
		m, err := mechanisms.Find(name)
		t.Must(err)
		p.Claim = "odp"
		for _, p.Implementation = range packages {
			t.Case()
			c, err := m.Make(p)
			t.Must(err)
			r, err := audit.Run(t.Context(), c.Claim, c.Pairs, audit.Options{Samples: n, Alpha: auditAlpha, Seed: 1})
			t.Must(err)
			switch r.Verdict {
			case audit.Refuted:
				w := r.Witness
				t.Refute("%s of %s, %d outputs on %s and on %s: %d and %d of them are in %s and in %d other sets of outputs; the "+
					"claim is refuted at α = %g",
					name, p.Implementation, w.Size, w.Inputs[0], w.Inputs[1], w.Hits[0], w.Hits[1], w.Event[0], len(w.Event)-1,
					auditAlpha)
			case audit.TooSmall:
				t.Undecided("%d outputs are too few to see anything", r.Samples)
			}
		}
	}
}
