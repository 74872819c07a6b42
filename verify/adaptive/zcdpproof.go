package adaptive

import (
	"fmt"
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
	return register.Checks{
		"FAC-E5": splitStep(0),
		"FAC-E6": splitStep(1),
		"FAC-L7": register.Checked(expands(mixtureTree.steps, rat.One),
			register.AlsoFails(register.Slip, "with P'_m(y_m|y_{m−1}), the law given the last output only",
				expands(mixtureTree.stepsGivenLast, rat.One)),
			register.NearMiss("w_∅ ≥ 1 − 19/20·Σ δ_m", expands(mixtureTree.steps, nearly)),
			register.NearMiss("with the P''_m for the P'_m of the last round", expands(
				func(c mixtureTree, b int, path string) []spec.MixtureStep {
					steps := c.steps(b, path)
					steps[len(steps)-1].Pure = steps[len(steps)-1].Rest
					return steps
				},
				rat.One,
			)),
		),
		"FAC-E7": register.Checked(supermartingale(rat.One, false),
			register.NearMiss("with 19/20 of e^(λ(λ−1)ρ_m)", supermartingale(nearly, false)),
		),
		"FAC-X7": register.Checked(stopped(rat.One, false),
			register.Control("for a time N that is no stopping time: one round before the loss falls", stopped(rat.One, true)),
			register.NearMiss("D_λ(P'_N‖Q'_N) with 19/20 of e^(λ(λ−1)ρ)", stopped(nearly, false)),
		),
		"FAC-L6": register.Checked(supermartingale(rat.One, true),
			register.NearMiss("with 19/20 of e^(λ(λ−1)ρ_n)", supermartingale(nearly, true)),
		),
	}
}

// splitStep is what runs for the mixture of the outputs on x, for b = 0, or on x'.
func splitStep(b int) []register.Part {
	return register.Checked(splits(b, rat.One, longest),
		register.Control("with δ = max δ_m", splits(b, rat.One, largest)),
		register.NearMiss("with 19/20 of δ", splits(b, nearly, longest)),
	)
}

// mixtureTree are mechanisms with outputs a and b that are mixtures, after the earlier outputs.
type mixtureTree map[string]mixtureNode

type mixtureNode struct {
	delta      *big.Rat
	pure, rest finite.Pair
}

// randomMixtures returns a random tree of up to three rounds; the laws P', Q' are nowhere 0.
func randomMixtures(d register.Dice, deltas []*big.Rat) mixtureTree {
	c := mixtureTree{}
	for _, s := range finite.Earlier(1 + d.Roll(3)) {
		n := mixtureNode{delta: deltas[d.Roll(len(deltas))], rest: finite.RandomPair(d, 2, 2)}
		for b := range n.pure {
			likely := big.NewRat(int64(1+d.Roll(4)), 5)
			n.pure[b] = finite.Law{"a": likely, "b": rat.Complement(likely)}
		}
		c[s] = n
	}
	return c
}

func (c mixtureTree) String() string {
	var text []string
	for s, n := range c {
		text = append(text, fmt.Sprintf("after “%s” δ = %s, P' and Q': %v, P'' and Q'': %v", s, rat.Show(n.delta), n.pure,
			n.rest))
	}
	slices.Sort(text)
	return strings.Join(text, "; ")
}

// pure is the tree of the laws P', Q'.
func (c mixtureTree) pure() finite.Tree {
	out := finite.Tree{}
	for s, n := range c {
		out[s] = n.pure
	}
	return out
}

// joint is the tree of the mixtures.
func (c mixtureTree) joint() finite.Tree {
	out := finite.Tree{}
	for s, n := range c {
		for b := range n.pure {
			p := out[s]
			p[b] = finite.Combine(rat.Complement(n.delta), n.pure[b], n.delta, n.rest[b])
			out[s] = p
		}
	}
	return out
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
	for m := 2; m < len(path); m++ {
		given, both := new(big.Rat), new(big.Rat)
		for s, laws := range c.pure().First(m)[b] {
			if s[m-1] == path[m-1] {
				given = rat.Add(given, laws)
				both = rat.Add(both, rat.Mul(laws, c[s].pure[b].Pr(path[m:m+1])))
			}
		}
		steps[m].Pure = rat.Quo(both, given)
	}
	return steps
}

// longest returns the largest Σ δ_m along one of the paths, and largest the largest δ_m.
func longest(c mixtureTree, paths []string) *big.Rat {
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

func largest(c mixtureTree, paths []string) *big.Rat {
	most := new(big.Rat)
	for _, path := range paths {
		for _, step := range c.steps(0, path) {
			most = rat.Max(most, step.Delta)
		}
	}
	return most
}

// smallDeltas are those of rounds: three of them are below 1.
var smallDeltas = rat.List("0", "1/4", "1/100", "1/3")

// expands checks that the terms of the steps sum to the law, and the first weight.
func expands(steps func(c mixtureTree, b int, path string) []spec.MixtureStep, factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, δ_m in {%s}", smallDeltas)
		t.Random(4, t.Size(200, 2000), func(t *register.T, d register.Dice) {
			c := randomMixtures(d, smallDeltas)
			for b, law := range c.joint().Law(nil) {
				for _, path := range law.Outputs() {
					weights, factors := spec.MixtureTerms(steps(c, b, path))
					total := new(big.Rat)
					for s := range weights {
						total = rat.Add(total, rat.Mul(weights[s], factors[s]))
					}
					delta := longest(c, []string{path})
					if total.Cmp(law[path]) != 0 || weights[0].Cmp(rat.Complement(rat.Mul(factor, delta))) < 0 {
						t.Refute("%v: %s has probability %s, not %s, and w_∅ = %s with Σ δ_m = %s", c, path, law[path], total, weights[0],
							delta)
					}
					t.CloseTo(rat.Complement(delta), weights[0], "Σ δ_m = %s", delta)
				}
			}
		})
	}
}

// splits checks that a mixture with the weight 1 − δ of the product of the P', or Q', is the law of the outputs, where
// δ is a number times a factor: what is left is a law.
func splits(b int, factor *big.Rat, delta func(c mixtureTree, paths []string) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, δ_m in {%s}, random stopping rules", smallDeltas)
		t.Random(5, t.Size(400, 4000), func(t *register.T, d register.Dice) {
			c := randomMixtures(d, smallDeltas)
			h := finite.Criterion{}
			for _, s := range finite.Earlier(3)[1:] {
				h[s] = finite.Deterministic[d.Roll(4)/3]
			}
			law, pure := c.joint().Law(h)[b], c.pure().Law(h)[b]
			bound := rat.Mul(factor, delta(c, law.Outputs()))
			rest := finite.Combine(rat.One, law, rat.Sub(bound, rat.One), pure)
			for _, path := range law.Outputs() {
				if _, factors := spec.MixtureTerms(c.steps(b, path)); factors[0].Cmp(pure[path]) != 0 {
					t.Refute("%v; %v: the product of the laws P' at %s is %s, not %s", c, h, path, pure[path], factors[0])
				}
				if rest[path].Sign() < 0 {
					t.Refute("%v; %v: with δ = %s, δ·P'' is %s at %s", c, h, bound, rest[path], path)
				}
			}
			if rest.Mass().Cmp(bound) != 0 {
				t.Refute("%v; %v: δ·P'' has the mass %s, not δ = %s", c, h, rest.Mass(), bound)
			}
		})
	}
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

// supermartingale checks the means of M_n given what was before, for growths with a factor; and the first line of
// the proof.
func supermartingale(factor *big.Rat, line bool) register.Check {
	return func(t *register.T) {
		t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, λ = 1, 2, 3 and 7")
		t.Random(6, t.Size(60, 1000), func(t *register.T, d register.Dice) {
			c := randomMixtures(d, smallDeltas)
			for _, order := range append([]int{1}, zcdpOrders...) {
				for _, s := range finite.Earlier(3) {
					n, isThere := c[s]
					if !isThere {
						continue
					}
					before, mean := c.martingale(s, order, factor), new(big.Rat)
					for o, pr := range n.pure[0] {
						mean = rat.Add(mean, rat.Mul(pr, c.martingale(s+o, order, factor)))
					}
					first := rat.Quo(rat.Mul(before, spec.RenyiMoment(n.pure[0], n.pure[1], order)), growth(n.pure, order, factor))
					if mean.Cmp(before) > 0 || before.Sign() < 0 || line && mean.Cmp(first) != 0 {
						t.Refute("%v, λ = %d: after “%s” M = %s, its mean one round later is %s, and by the first line %s", c, order, s,
							before, mean, first)
					}
					t.CloseTo(mean, before, "λ = %d, %v", order, n.pure)
				}
			}
		})
	}
}

// stopped checks E[M_N] ≤ 1 and the divergence of what is seen until N, both ways; or for a time N that sees one round
// ahead.
func stopped(factor *big.Rat, ahead bool) register.Check {
	return func(t *register.T) {
		t.Domain("random trees of 1 to 3 mechanisms with 2 outputs, random stopping rules, λ = 2, 3 and 7")
		t.Random(7, t.Size(60, 1000), func(t *register.T, d register.Dice) {
			c, h := randomMixtures(d, smallDeltas), finite.Criterion{}
			for _, s := range finite.Earlier(3) {
				h[s] = finite.Deterministic[d.Roll(4)/3]
			}
			for _, order := range zcdpOrders {
				value := func(s string) *big.Rat {
					if ahead && len(s) > 0 {
						return rat.Max(c.martingale(s, order, rat.One), c.martingale(s[:len(s)-1], order, rat.One))
					}
					return c.martingale(s, order, rat.One)
				}
				mean := spec.StoppedMean(c.pure().Law(nil)[0], value, func(s string) bool { return h[s] != nil && h[s].Sign() > 0 })
				law, most := c.pure().Law(h), rat.One
				for path := range law[0] {
					product := rat.One
					for m := range path {
						product = rat.Mul(product, growth(c[path[:m]].pure, order, rat.One))
					}
					most = rat.Max(most, product)
				}
				forth, reverse := spec.RenyiMoment(law[0], law[1], order), spec.RenyiMoment(law[1], law[0], order)
				if mean.Cmp(rat.One) > 0 || rat.Max(forth, reverse).Cmp(rat.Mul(factor, most)) > 0 {
					t.Refute("%v; %v, λ = %d: E[M_N] = %s, the moments are %s and %s, e^(λ(λ−1)ρ) = %s", c, h, order, mean, forth,
						reverse, most)
				}
				t.CloseTo(forth, most, "%v, λ = %d", h, order)
			}
		})
	}
}
