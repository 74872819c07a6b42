package adaptive

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// zcdpProof are the steps of the proof that the filter of approximate zCDP is one.
func zcdpProof() register.Checks {
	restLast := func(c mixtureTree, b int, path string) []spec.MixtureStep {
		steps := c.steps(b, path)
		steps[len(steps)-1].Pure = steps[len(steps)-1].Rest
		return steps
	}
	return register.Checks{
		"FAC-E5": checked(with(splits, 0, rat.One), near("with 19/20 of δ", with(splits, 0, nearly))),
		"FAC-E6": checked(with(splits, 1, rat.One), near("with 19/20 of δ", with(splits, 1, nearly))),
		"FAC-L7": checked(with(expands, mixtureTree.steps, rat.One),
			alsoFails(register.Slip, "with P'_m(y_m|y_{m−1}), the law given the last output only", with(expands,
				mixtureTree.stepsGivenLast, rat.One)),
			near("w_∅ ≥ 1 − 19/20·Σ δ_m", with(expands, mixtureTree.steps, nearly)),
			near("with the P''_m for the P'_m of the last round", with(expands, restLast, rat.One))),
		"FAC-E7": checked(with(supermartingale, rat.One),
			near("with 19/20 of e^(λ(λ−1)ρ_m)", with(supermartingale, nearly))),
		"FAC-X7": checked(with(stopped, rat.One),
			near("D_λ(P'_N‖Q'_N) with 19/20 of e^(λ(λ−1)ρ)", with(stopped, nearly))),
		"FAC-L6": checked(with(supermartingale, rat.One),
			near("with 19/20 of e^(λ(λ−1)ρ_n)", with(supermartingale, nearly))),
	}
}

// mixtureTree are mechanisms with outputs a and b that are mixtures, after the earlier outputs.
type mixtureTree map[string]mixtureNode

type mixtureNode struct {
	delta      *big.Rat
	pure, rest finite.Pair
}

// smallDeltas are those of rounds: three of them are below 1.
var smallDeltas = rat.List("0", "1/4", "1/100", "1/3")

// randomMixtures returns a random tree of up to three rounds; the laws P', Q' are nowhere 0.
func randomMixtures(d register.Dice) mixtureTree {
	c := mixtureTree{}
	for _, s := range finite.Earlier(1 + d.Roll(3)) {
		n := mixtureNode{delta: smallDeltas[d.Roll(len(smallDeltas))], rest: finite.RandomPair(d, 2, 2)}
		for b := range n.pure {
			n.pure[b] = coin(big.NewRat(int64(1+d.Roll(4)), 5))
		}
		c[s] = n
	}
	return c
}

func (c mixtureTree) String() string {
	var text []string
	for s, n := range c {
		text = append(text, fmt.Sprintf("after “%s” δ = %s, P' and Q': %v, P'' and Q'': %v",
			s, rat.Show(n.delta), n.pure, n.rest))
	}
	slices.Sort(text)
	return strings.Join(text, "; ")
}

// trees are those of the laws P', Q' and of the mixtures.
func (c mixtureTree) trees() (pure, joint finite.Tree) {
	pure, joint = finite.Tree{}, finite.Tree{}
	for s, n := range c {
		mix := func(b int) finite.Law {
			return finite.Combine(rat.Complement(n.delta), n.pure[b], n.delta, n.rest[b])
		}
		pure[s], joint[s] = n.pure, finite.Pair{mix(0), mix(1)}
	}
	return pure, joint
}

// steps are the numbers of the rounds along a path, for database b.
func (c mixtureTree) steps(b int, path string) (steps []spec.MixtureStep) {
	for m := range path {
		n := c[path[:m]]
		steps = append(steps, spec.MixtureStep{Delta: n.delta, Pure: n.pure[b].Pr(path[m : m+1]),
			Rest: n.rest[b].Pr(path[m : m+1])})
	}
	return steps
}

// stepsGivenLast is steps with the probability of the output under P' given the last output before it.
func (c mixtureTree) stepsGivenLast(b int, path string) []spec.MixtureStep {
	steps := c.steps(b, path)
	pure, _ := c.trees()
	for m := 2; m < len(path); m++ {
		given, both := new(big.Rat), new(big.Rat)
		for s, laws := range pure.First(m)[b] {
			if s[m-1] == path[m-1] {
				given = rat.Add(given, laws)
				both = rat.Add(both, rat.Mul(laws, c[s].pure[b].Pr(path[m:m+1])))
			}
		}
		steps[m].Pure = rat.Quo(both, given)
	}
	return steps
}

// longest returns the largest Σ δ_m along one of the paths.
func (c mixtureTree) longest(paths ...string) *big.Rat {
	most := new(big.Rat)
	for _, path := range paths {
		sum := new(big.Rat)
		for _, step := range c.steps(0, path) {
			sum = rat.Add(sum, step.Delta)
		}
		most = rat.Max(most, sum)
	}
	return most
}

// expands checks that the terms of the steps sum to the law, and the first weight.
func expands(t *register.T, steps func(c mixtureTree, b int, path string) []spec.MixtureStep, factor *big.Rat) {
	t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, δ_m in {%s}", smallDeltas)
	t.Random(4, t.Size(200, 2000), func(t *register.T, d register.Dice) {
		c := randomMixtures(d)
		_, joint := c.trees()
		for b, law := range joint.Law(nil) {
			for _, path := range law.Outputs() {
				weights, factors := spec.MixtureTerms(steps(c, b, path))
				total := new(big.Rat)
				for s := range weights {
					total = rat.Add(total, rat.Mul(weights[s], factors[s]))
				}
				delta := c.longest(path)
				isSo := rat.Equal(total, law[path]) && weights[0].Cmp(rat.Complement(rat.Mul(factor, delta))) >= 0
				t.Require(isSo, "%v: %s has probability %s, not %s, and w_∅ = %s with Σ δ_m = %s",
					c, path, law[path], total, weights[0], delta)
				t.CloseTo(rat.Complement(delta), weights[0], "Σ δ_m = %s", delta)
			}
		}
	})
}

// splits checks that a mixture with the weight 1 − δ of the product of the P', or for b = 1 the Q', is the law of the
// outputs, where δ is the largest Σ δ_m times a factor: what is left is a law.
func splits(t *register.T, b int, factor *big.Rat) {
	t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, δ_m in {%s}, random stopping rules", smallDeltas)
	t.Random(5, t.Size(400, 4000), func(t *register.T, d register.Dice) {
		c := randomMixtures(d)
		h := randomStops(d, finite.Earlier(3)[1:])
		t.At("%v; %v", c, h)
		pureTree, joint := c.trees()
		law, pure := joint.Law(h)[b], pureTree.Law(h)[b]
		bound := rat.Mul(factor, c.longest(law.Outputs()...))
		rest := finite.Combine(rat.One, law, rat.Sub(bound, rat.One), pure)
		for _, path := range law.Outputs() {
			_, factors := spec.MixtureTerms(c.steps(b, path))
			t.Require(rat.Equal(factors[0], pure[path]) &&
				rest[path].Sign() >= 0, "at %s the product of the laws P' is %s, not %s; with δ = %s, δ·P'' is %s",
				path, pure[path], factors[0], bound, rest[path])
		}
		t.Require(rat.Equal(rest.Mass(), bound), "δ·P'' has the mass %s, not δ = %s", rest.Mass(), bound)
	})
}

// growth returns e^(λ(λ−1)ρ) with the smallest ρ for laws, times a factor.
func growth(p finite.Pair, order int, factor *big.Rat) *big.Rat {
	return rat.Mul(factor, rat.Max(spec.RenyiMoment(p[0], p[1], order), spec.RenyiMoment(p[1], p[0], order)))
}

// martingale returns M_n^(λ) along a path, for growths with a factor.
func (c mixtureTree) martingale(path string, order int, factor *big.Rat) *big.Rat {
	var ratios, growths []*big.Rat
	for m := range path {
		p, y := c[path[:m]].pure, path[m:m+1]
		ratios, growths = append(ratios, rat.Quo(p[0][y], p[1][y])), append(growths, growth(p, order, factor))
	}
	return spec.RenyiMartingale(ratios, growths, order)
}

// supermartingale checks the means of M_n given what was before, for growths with a factor, by the first line of the
// proof too.
func supermartingale(t *register.T, factor *big.Rat) {
	t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, λ = 1, 2, 3 and 7")
	t.Random(6, t.Size(60, 1000), func(t *register.T, d register.Dice) {
		c := randomMixtures(d)
		for _, order := range append([]int{1}, zcdpOrders...) {
			for _, s := range slices.Sorted(maps.Keys(c)) {
				n := c[s]
				before, mean := c.martingale(s, order, factor), new(big.Rat)
				for o, pr := range n.pure[0] {
					mean = rat.Add(mean, rat.Mul(pr, c.martingale(s+o, order, factor)))
				}
				first := rat.Quo(rat.Mul(before, spec.RenyiMoment(n.pure[0], n.pure[1], order)),
					growth(n.pure, order, factor))
				t.Require(mean.Cmp(before) <= 0 && before.Sign() >= 0 && rat.Equal(mean, first),
					"%v, λ = %d: after “%s” M = %s, its mean one round later is %s, and by the first line %s",
					c, order, s, before, mean, first)
				t.CloseTo(mean, before, "λ = %d, %v", order, n.pure)
			}
		}
	})
}

// stopped checks E[M_N] ≤ 1 and the divergence of what is seen until N, both ways.
func stopped(t *register.T, factor *big.Rat) {
	t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, random stopping rules, λ = 2, 3 and 7")
	t.Random(7, t.Size(60, 1000), func(t *register.T, d register.Dice) {
		c := randomMixtures(d)
		h := randomStops(d, finite.Earlier(3))
		pure, _ := c.trees()
		law := pure.Law(h)
		for _, order := range zcdpOrders {
			value := func(s string) *big.Rat { return c.martingale(s, order, rat.One) }
			mean, most := spec.StoppedMean(pure.Law(nil)[0], value, stopsBy(h)), rat.One
			for path := range law[0] {
				product := rat.One
				for m := range path {
					product = rat.Mul(product, growth(c[path[:m]].pure, order, rat.One))
				}
				most = rat.Max(most, product)
			}
			forth, reverse := spec.RenyiMoment(law[0], law[1], order), spec.RenyiMoment(law[1], law[0], order)
			t.Require(mean.Cmp(rat.One) <= 0 && rat.Max(forth, reverse).Cmp(rat.Mul(factor, most)) <= 0,
				"%v; %v, λ = %d: E[M_N] = %s, the moments are %s and %s, e^(λ(λ−1)ρ) = %s",
				c, h, order, mean, forth, reverse, most)
			t.CloseTo(forth, most, "%v, λ = %d", h, order)
		}
	})
}

// conditions are the two conditions of approximate zCDP, and that they are equivalent.
func conditions() register.Checks {
	lessInside := func(inside, outside map[string]*big.Rat, delta *big.Rat) map[string]*big.Rat {
		return spec.ConditionalRest(inside, outside, rat.Complement(rat.Mul(nearly, rat.Complement(delta))))
	}
	return register.Checks{
		"FAC-T7": checked(all(with(mixtureOfEvent, spec.ConditionalRest, false), with(eventOfMixture, rat.One)),
			alsoFails(register.Slip, "with Condition 2 as printed, the same inequality twice", oneInequality),
			alsoFails(register.Edge, "by P'' as printed also for δ = 0, where it is 0/0 and any P'' will do",
				with(mixtureOfEvent, spec.ConditionalRest, true)),
			alsoFails(register.Edge, "also for δ = 1, where Condition 2 asks for nothing", whole),
			near("with P'(·)·Pr(A(x) ∈ E) − 19/20·(1 − δ)", with(mixtureOfEvent, lessInside, false)),
			near("with the event that the coin shows 1, and 20/19 as much of it",
				with(eventOfMixture, rat.Of("20/19")))),
	}
}

// mixtureOfEvent checks that P” of a law and an event is a law, and the mixture with P' is the law.
func mixtureOfEvent(t *register.T, rest func(inside, outside map[string]*big.Rat, delta *big.Rat) map[string]*big.Rat,
	atZero bool) {
	t.Domain("random laws over 3 outputs and random events, δ = Pr(E^c), halfway to 1, and 99/100")
	t.Random(2, t.Size(500, 5000), func(t *register.T, d register.Dice) {
		law, inside, outside := finite.Random(d, 3, 4), finite.Law{}, finite.Law{}
		for _, o := range law.Outputs() {
			inside[o] = rat.Mul(law[o], big.NewRat(int64(4-d.Roll(5)), 4))
			outside[o] = rat.Sub(law[o], inside[o])
		}
		least := outside.Mass()
		if inside.Mass().Sign() == 0 {
			return
		}
		halfway := rat.Mul(rat.Half, rat.Add(least, rat.One))
		for _, delta := range []*big.Rat{least, halfway, rat.Max(least, rat.Of("99/100"))} {
			t.Require(!atZero || delta.Sign() > 0, "P = (%v), E has probability 1, δ = 0: P'' is 0/0", law)
			if delta.Sign() > 0 {
				pure, other := inside.Times(rat.Quo(rat.One, inside.Mass())), finite.Law(rest(inside, outside, delta))
				isNegative := slices.ContainsFunc(other.Outputs(), func(o string) bool { return other[o].Sign() < 0 })
				t.Require(!isNegative, "P = (%v), the event has (%v), δ = %s: P'' is (%v)", law, inside, delta, other)
				isMixture(t, law, delta, pure, other)
			}
		}
	})
}

// eventOfMixture checks that what the coin decides has a probability of at least 1 − δ, times a factor, and the
// laws P', Q' given it, which have the same divergences.
func eventOfMixture(t *register.T, factor *big.Rat) {
	t.AlsoDomain("random mixtures of laws over 3 outputs, δ in {%s}", deltas[:4])
	t.Random(3, t.Size(300, 3000), func(t *register.T, d register.Dice) {
		pure, delta := finite.RandomPair(d, 3, 4), deltas[d.Roll(4)]
		var given finite.Pair
		for b, rest := range finite.RandomPair(d, 3, 4) {
			joint, event := finite.Law{}, finite.Law{} // of the output and the coin
			for o := range rest {
				joint[o+"1"], joint[o+"0"] = rat.Mul(rat.Complement(delta), pure[b][o]), rat.Mul(delta, rest[o])
				event[o] = joint[o+"1"]
			}
			t.Require(event.Mass().Cmp(rat.Mul(factor, rat.Complement(delta))) >= 0,
				"δ = %s: the event has probability %s", delta, event.Mass())
			given[b] = event.Times(rat.Quo(rat.One, event.Mass()))
		}
		for _, order := range zcdpOrders {
			got, want := spec.RenyiMoment(given[0], given[1], order), spec.RenyiMoment(pure[0], pure[1], order)
			t.Require(rat.Same(got, want), "%v, δ = %s: the moment of order %d given the events is %v",
				pure, delta, order, got)
		}
	})
}

// oneInequality checks that a finite divergence D_λ(P‖Q) lets Condition 1 hold with δ = 1/10 for P' = P and Q' = Q: at
// most δ may be where the other has nothing.
func oneInequality(t *register.T) {
	p := finite.Pair{coin(rat.One), coin(rat.Half)}
	t.Domain("%v, λ = 2, δ = 1/10", p)
	t.Case()
	moment := spec.RenyiMoment(p[0], p[1], 2)
	t.Require(moment == nil || p[1]["b"].Cmp(rat.Of("1/10")) <= 0,
		"%v: the moment of order 2 is %s, and of P1 %s is where P0 has nothing", p, moment, p[1]["b"])
}

// whole checks that with δ = 1 Condition 1 holds for laws P, Q for some events: those of positive probability.
func whole(t *register.T) {
	p := finite.Pair{coin(rat.One), coin(new(big.Rat))}
	t.Domain("%v, all events of positive probability", p)
	t.Case()
	t.Require(spec.RenyiMoment(p[0], p[1], 2) != nil,
		"%v, δ = 1: whatever the events are, the divergence of the laws given them is infinite", p)
}
