package odp

import (
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// charged is a mechanism on two neighbouring databases, a partition of its outputs, and e^ℰ of the parts.
type charged struct {
	laws  finite.Pair
	parts finite.Partition
	e     []*big.Rat
}

func (c charged) String() string {
	return fmt.Sprintf("%v with %v, e^ℰ = %s", c.laws, c.parts, rat.Show(c.e...))
}

// delta is what spec finds to be the smallest δ in one direction.
func (c charged) delta() *big.Rat {
	return register.Must(spec.SmallestDelta(c.laws[0], c.laws[1], c.parts.Part, c.e))
}

// deltaBothWays is what spec finds to be the smallest δ.
func (c charged) deltaBothWays() *big.Rat {
	return register.Must(spec.SmallestDeltaBothWays(c.laws[0], c.laws[1], c.parts.Part, c.e))
}

// back is the same with the databases exchanged.
func (c charged) back() charged { return charged{c.laws.Back(), c.parts, c.e} }

// at is what an output is charged.
func (c charged) at(output string) *big.Rat { return c.e[c.parts.Part(output)] }

// lists are the laws, for impl.
func (c charged) lists() (law0, law1 []*big.Rat) { return c.laws.Dense() }

// losses are e^ℰ of the parts, for impl.
func (c charged) losses() (e []loss.Epsilon) {
	for _, x := range c.e {
		e = append(e, loss.Exp(x))
	}
	return e
}

// implDelta and implDeltaBothWays are what impl finds.
func (c charged) implDelta() interval.Interval {
	law0, law1 := c.lists()
	return register.Must(impl.SmallestDelta(law0, law1, c.parts, c.losses()))
}

func (c charged) implDeltaBothWays() interval.Interval {
	law0, law1 := c.lists()
	return register.Must(impl.SmallestDeltaBothWays(law0, law1, c.parts, c.losses()))
}

// implAgrees refutes an interval of impl that does not contain x, or is wider than 2^−60 of it.
func implAgrees(t *register.T, x *big.Rat, found interval.Interval, format string, args ...any) {
	if !found.Contains(x) || found.RelWidth() > 0x1p-60 {
		t.Refute("%s: %s, but impl finds [%.20g, %.20g]", fmt.Sprintf(format, args...), rat.Show(x), found.Lower, found.Upper)
	}
}

// ofAllCharged goes through all small ones, and then through larger random ones.
func ofAllCharged(check func(t *register.T, c charged)) register.Check {
	return func(t *register.T) {
		m, d, random := t.Size(3, 4), 4, t.Size(200, 2000)
		t.Domain("all pairs of laws over up to %d outputs with probabilities in 1/%d, up to the names of the outputs, all "+
			"partitions, e^ℰ in {1, 3/2, 3}; %s", m, d, randomChargedDomain(random))
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
}

func randomChargedDomain(n int) string {
	return fmt.Sprintf("%d random pairs of laws over 5 outputs with any partition and e^ℰ in {1, 21/20, 10/7, 2, 9}", n)
}

// ofRandomCharged goes through n random ones with unequal charges.
func ofRandomCharged(t *register.T, n int, check func(t *register.T, c charged)) {
	charges := rat.List("1", "21/20", "10/7", "2", "9")
	t.Random(2, n, func(t *register.T, d register.Dice) {
		p := finite.RandomPartition(d, 5)
		c := charged{finite.RandomPair(d, 5, 9), p, p.Charge(func(int) *big.Rat { return charges[d.Roll(len(charges))] })}
		check(t, c)
	})
}

// shaved is x, a part of 20 smaller: what nearly holds.
func shaved(x *big.Rat) *big.Rat { return rat.Mul(big.NewRat(19, 20), x) }

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
