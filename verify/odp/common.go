package odp

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// The words of which the entries are made.
var (
	with                    = finite.With
	checked, corrected, all = register.Checked, register.Corrected, register.All
	near, control           = register.NearMiss, register.Control
	alsoHolds, alsoFails    = register.AlsoHolds, register.AlsoFails
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
	lower, upper := reals.Sqrt(reals.Rat(x)).Rats()
	return bounds{lower, upper}
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
		t.Inconclusive(format+": between %.12g and %.12g, claimed at most %.12g",
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
			t.Require(x.Contains(want) && x.RelWidth() <= impl.DefaultRelWidth, "%v: %s, %s [%.12g, %.12g]",
				of, want, others[i], x.Lower, x.Upper)
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

// charged is a mechanism on two neighbouring databases, a partition of its outputs, and e^ℰ of the parts.
type charged struct {
	laws  finite.Pair
	parts finite.Partition
	e     []*big.Rat
}

func (c charged) String() string {
	return fmt.Sprintf("%v with %v, e^ℰ = %s", c.laws, c.parts, rat.Show(c.e...))
}

// back is the same with the databases exchanged.
func (c charged) back() charged { return charged{c.laws.Back(), c.parts, c.e} }

// at is what an output is charged.
func (c charged) at(output string) *big.Rat { return c.e[c.parts.Part(output)] }

// with is the same with another e^ℰ of the part k.
func (c charged) with(k int, expE *big.Rat) charged {
	c.e = slices.Clone(c.e)
	c.e[k] = expE
	return c
}

// constant is the same with e^ε for all parts.
func (c charged) constant(expEps *big.Rat) charged {
	c.e = c.parts.Charge(func(int) *big.Rat { return expEps })
	return c
}

// losses are e^ℰ of the parts, for impl.
func (c charged) losses() (e []loss.Epsilon) {
	for _, x := range c.e {
		e = append(e, loss.Exp(x))
	}
	return e
}

// notion is what a guarantee asks for: the smallest δ, by spec, by impl, and output by output.
type notion struct {
	name string
	spec func(c charged) (*big.Rat, error)
	impl func(law0, law1 []*big.Rat, parts []int, eps []loss.Epsilon) (interval.Interval, error)
	sum  func(c charged) *big.Rat
}

// ODP in one direction and in both, and DP, with the e^ε of the first part, in one.
var (
	oneWay = notion{"ODP",
		func(c charged) (*big.Rat, error) { return spec.SmallestDelta(c.laws[0], c.laws[1], c.parts.Part, c.e) },
		impl.SmallestDelta, func(c charged) *big.Rat { return c.laws.Delta(c.at) }}
	bothWays = notion{"ODP both ways",
		func(c charged) (*big.Rat, error) {
			return spec.SmallestDeltaBothWays(c.laws[0], c.laws[1], c.parts.Part, c.e)
		},
		impl.SmallestDeltaBothWays, func(c charged) *big.Rat { return c.laws.DeltaBothWays(c.at) }}
	dp = notion{"DP",
		func(c charged) (*big.Rat, error) { return spec.SmallestDPDelta(c.laws[0], c.laws[1], c.e[0]) },
		func(law0, law1 []*big.Rat, _ []int, eps []loss.Epsilon) (interval.Interval, error) {
			return impl.SmallestDPDelta(law0, law1, eps[0])
		},
		func(c charged) *big.Rat { return c.laws.Delta(finite.Constant(c.e[0])) }}
)

// subsetDP is that of subset DP for the part k, in one direction.
func subsetDP(k int) notion {
	isIn := func(c charged) func(string) bool { return func(o string) bool { return c.parts.Part(o) == k } }
	return notion{fmt.Sprintf("part %d", k+1),
		func(c charged) (*big.Rat, error) {
			return spec.SmallestSubsetDelta(c.laws[0], c.laws[1], isIn(c), c.e[k])
		},
		func(law0, law1 []*big.Rat, parts []int, eps []loss.Epsilon) (interval.Interval, error) {
			var inPart []bool
			for _, part := range parts {
				inPart = append(inPart, part == k)
			}
			return impl.SmallestSubsetDelta(law0, law1, inPart, eps[k])
		},
		func(c charged) *big.Rat {
			inside := finite.Law{}
			for output, pr := range c.laws[0] {
				if isIn(c)(output) {
					inside[output] = pr
				}
			}
			return finite.Pair{inside, c.laws[1]}.Delta(c.at)
		}}
}

// smallestExp is the smallest e^ℰ of the first part that is enough for δ = 1/100.
var smallestExp = notion{name: "e^ℰ",
	impl: func(law0, law1 []*big.Rat, parts []int, eps []loss.Epsilon) (interval.Interval, error) {
		x, _, err := impl.SmallestExpE(law0, law1, parts, eps, 0, rat.Of("1/100"))
		return x, err
	},
	sum: func(c charged) *big.Rat { return smallestExpE(c.laws, c.parts.Part, c.e, 0, rat.Of("1/100")) }}

// smallest is the smallest δ, which all three must find.
func (c charged) smallest(t *register.T, n notion) *big.Rat {
	delta := register.Must(n.spec(c))
	law0, law1 := c.laws.Dense()
	found := register.Must(n.impl(law0, law1, c.parts, c.losses()))
	sum := n.sum(c)
	t.Require(rat.Equal(sum, delta) && found.Contains(delta) && found.RelWidth() <= narrow,
		"smallest δ of %s of %v: %s, output by output %s, by impl [%.20g, %.20g]",
		n.name, c, delta, sum, found.Lower, found.Upper)
	return delta
}

// ofAllCharged goes through all small ones, and then through larger random ones.
func ofAllCharged(t *register.T, check func(t *register.T, c charged)) {
	m, d, random := t.Size(3, 4), t.Size(3, 4), t.Size(150, 2000)
	t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, up to the names of the outputs, "+
		"all partitions, e^ℰ in {1, 3/2, 3}; %s", m, d, randomChargedDomain(random))
	for laws := range finite.Pairs(m, d) {
		if !laws.IsSorted() {
			continue
		}
		for p := range finite.Partitions(len(laws[0])) {
			for e := range p.Charges(finite.Charges) {
				t.Case()
				check(t, charged{laws, p, e})
			}
		}
	}
	ofRandomCharged(t, random, check)
}

func randomChargedDomain(n int) string {
	return fmt.Sprintf("%d random pairs of laws over 5 outputs with any partition and e^ℰ in {1, 21/20, 10/7, 2, 9}", n)
}

// ofRandomCharged goes through n random ones with unequal charges.
func ofRandomCharged(t *register.T, n int, check func(t *register.T, c charged)) {
	charges := rat.List("1", "21/20", "10/7", "2", "9")
	t.Random(2, n, func(t *register.T, d register.Dice) {
		p := finite.RandomPartition(d, 5)
		check(t, charged{finite.RandomPair(d, 5, 9), p,
			p.Charge(func(int) *big.Rat { return charges[d.Roll(len(charges))] })})
	})
}

// shaved is x, a part of 20 smaller: what nearly holds.
func shaved(x *big.Rat) *big.Rat { return rat.Mul(nearly, x) }

// nearly is the share of a bound that controls claim which nearly hold.
var nearly = big.NewRat(19, 20)

// chargeOf is a share of e^ε, which is at least 1.
func chargeOf(share, expEps *big.Rat) *big.Rat { return rat.Max(rat.One, rat.Mul(share, expEps)) }

// partOfBound is x/bound, for a bound that may be 0 as x is.
func partOfBound(x, bound *big.Rat) float64 {
	if bound.Sign() == 0 {
		return 0
	}
	return rat.Float64(rat.Quo(x, bound))
}

// smallestExpE returns the smallest e^ℰ(P_k) ≥ 1 with which δ is enough in one direction, given the e of the other
// parts, and nil if there is none. Every S ⊆ P_k with Pr_1(S) > 0 asks for e^ℰ(P_k) ≥ (Pr_0(S) + r − δ)/Pr_1(S), where
// the other parts need r; every other S holds or fails whatever ℰ(P_k) is.
func smallestExpE(laws finite.Pair, part func(output string) int, e []*big.Rat, k int, delta *big.Rat) *big.Rat {
	rest, inside := finite.Pair{{}, {}}, []string(nil)
	for _, output := range finite.Combine(rat.One, laws[0], rat.One, laws[1]).Outputs() {
		if part(output) == k {
			inside = append(inside, output)
			continue
		}
		for b := range laws {
			rest[b][output] = laws[b].Pr(output)
		}
	}
	over, least := rat.Sub(rest.Delta(func(output string) *big.Rat { return e[part(output)] }), delta), rat.One
	for set := range 1 << len(inside) {
		needed, weight := over, new(big.Rat)
		for i, output := range inside {
			if set>>i&1 == 1 {
				needed, weight = rat.Add(needed, laws[0].Pr(output)), rat.Add(weight, laws[1].Pr(output))
			}
		}
		switch {
		case weight.Sign() > 0:
			least = rat.Max(least, rat.Quo(needed, weight))
		case needed.Sign() > 0:
			return nil
		}
	}
	return least
}
