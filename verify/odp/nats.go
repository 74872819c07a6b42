package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// inNats is a function of impl, and what it must find for given e^ε, which does not rise in e^ε.
type inNats struct {
	find func(law0, law1 []*big.Rat, parts []int, eps []loss.Epsilon) (interval.Interval, error)
	want func(c charged) *big.Rat
}

var (
	deltaInNats    = inNats{impl.SmallestDelta, func(c charged) *big.Rat { return c.laws.Delta(c.at) }}
	bothWaysInNats = inNats{impl.SmallestDeltaBothWays, func(c charged) *big.Rat { return c.laws.DeltaBothWays(c.at) }}
	dpInNats       = inNats{
		func(law0, law1 []*big.Rat, _ []int, eps []loss.Epsilon) (interval.Interval, error) {
			return impl.SmallestDPDelta(law0, law1, eps[0])
		},
		func(c charged) *big.Rat { return c.laws.Delta(finite.Constant(c.e[0])) },
	}
	subsetInNats = inNats{
		func(law0, law1 []*big.Rat, _ []int, eps []loss.Epsilon) (interval.Interval, error) {
			return impl.SmallestSubsetDelta(law0, law1, []bool{true, true, false, false}, eps[0])
		},
		func(c charged) *big.Rat {
			ab := func(l finite.Law) finite.Law { return finite.Law{"a": l["a"], "b": l["b"]} }
			return finite.Pair{ab(c.laws[0]), ab(c.laws[1])}.Delta(c.at)
		},
	}
	expEInNats = inNats{
		func(law0, law1 []*big.Rat, parts []int, eps []loss.Epsilon) (interval.Interval, error) {
			x, _, err := impl.SmallestExpE(law0, law1, parts, eps, 0, rat.Of("1/100"))
			return x, err
		},
		func(c charged) *big.Rat { return smallestExpE(c.laws, c.parts.Part, c.e, 0, rat.Of("1/100")) },
	}
)

// natsAgree checks that functions of impl contain what they must find for ε in nats, where e^ε is irrational.
func natsAgree(functions ...inNats) register.Check {
	return func(t *register.T) {
		for _, first := range rat.List("1/10", "1", "5") {
			for _, second := range rat.List("1/10", "1", "5") {
				t.Case()
				for _, f := range functions {
					f.agrees(t, first, second)
				}
			}
		}
		t.AlsoDomain("ε in nats, one of {1/10, 1, 5} for each of two parts, for laws that need hardly any δ")
	}
}

// agrees checks one case: what must be found lies between that for an upper and for a lower bound of e^ε.
func (f inNats) agrees(t *register.T, eps ...*big.Rat) {
	low, high := responsesWith(eps...), responsesWith(eps...)
	var nats []loss.Epsilon
	for _, e := range eps {
		bounds := interval.Precision(256).ExpRat(e)
		nats = append(nats, loss.Nats(e))
		low.e, high.e = append(low.e, rat.Exact(bounds.Lower)), append(high.e, rat.Exact(bounds.Upper))
	}
	law0, law1 := low.lists()
	found, most, least := register.Must(f.find(law0, law1, low.parts, nats)), f.want(low), f.want(high)
	if rat.Exact(found.Lower).Cmp(least) > 0 || rat.Exact(found.Upper).Cmp(most) < 0 || found.RelWidth() > 0x1p-60 {
		t.Refute("%v with %v, ε = %s: from %s to %s, but impl finds [%.40g, %.40g]", low.laws, low.parts, rat.Show(eps...),
			least.FloatString(50), most.FloatString(50), found.Lower, found.Upper)
	}
}

// responsesWith are the laws of randomized response with hardly more than ε, with one of 1/10, 1 and 5 in each of two
// parts: they need so little δ that the last bits of e^ε show in it.
func responsesWith(eps ...*big.Rat) charged {
	truth := map[string]*big.Rat{"1/10": rat.Of("0.5249791875"), "1": rat.Of("0.7310585787"), "5": rat.Of("0.9933071491")}
	c := charged{laws: finite.Pair{{}, {}}, parts: finite.Partition{0, 0, 1, 1}}
	for k, e := range eps {
		yes := rat.Mul(rat.Half, truth[rat.Show(e)])
		no, a, b := rat.Sub(rat.Half, yes), finite.Name(2*k), finite.Name(2*k+1)
		c.laws[0][a], c.laws[0][b], c.laws[1][a], c.laws[1][b] = yes, no, no, yes
	}
	return c
}
