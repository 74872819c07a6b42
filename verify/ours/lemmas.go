package ours

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lemmas are those of the proof.
func lemmas() register.Checks {
	return register.Checks{
		"OUR-L1": checked(with(isMixture, mixtureOf),
			near("for c = 0", with(isMixture, func(c curve) mixture {
				return mixture{new(big.Rat), mixtureOf(c).sticks}
			})),
			near("for a measure on [1, ∞)", with(isMixture, mixtureFromOne))),
		"OUR-L2": checked(with(raised, new(big.Rat), rat.One),
			near("if it dominates at orders α ≥ 1/2 only", with(raised, rat.Half, rat.One)),
			near("with 19/20 of the right side", with(raised, new(big.Rat), nearly))),
		"OUR-L3": checked(have(within(rat.One), homogeneous(1), monotone, convex),
			near("it does not decrease in b", have(risingInB)),
			near("V(ta, tb) = V(a, b)", have(homogeneous(0))),
			near("it is linear", have(linear)),
			near("it is at most 19/20·a", have(within(nearly)))),
	}
}

// mixture is c·a + Σ w·max(0, a − α·b).
type mixture struct {
	c      *big.Rat
	sticks []weighted
}

// weighted is a hockey stick of the order 1/s, which has the weight rise·s.
type weighted struct{ s, rise *big.Rat }

// mixtureOf returns that of a curve V(1, b).
func mixtureOf(c curve) (m mixture) {
	m.c = c[len(c)-1].y
	for i := 1; i < len(c); i++ {
		m.sticks = append(m.sticks, weighted{c[i].x, rat.Sub(c.slope(i), c.slope(i-1))})
	}
	return m
}

func (m mixture) at(a, b *big.Rat) *big.Rat {
	sum := rat.Mul(m.c, a)
	for _, w := range m.sticks {
		sum.Add(sum, rat.Product(w.s, w.rise, rat.Positive(rat.Sub(a, rat.Quo(b, w.s)))))
	}
	return sum
}

// mixtureFromOne leaves out orders below 1.
func mixtureFromOne(c curve) mixture {
	m := mixtureOf(c)
	return mixture{m.c, slices.DeleteFunc(m.sticks, func(w weighted) bool { return w.s.Cmp(rat.One) > 0 })}
}

// masses are those at which functions of two of them are compared.
var masses = rat.List("0", "1/4", "1/2", "1", "2")

// isMixture compares V_k with a mixture made of V_k(1, b), at all places where that bends, between and around them.
func isMixture(t *register.T, of func(c curve) mixture) {
	someCases(t, 4, 200, func(t *register.T, s testCase) {
		for k := range len(s.pairs) + 1 {
			c := valueCurve(s.pairs, s.stops, k)
			m := of(c)
			for _, w := range m.sticks {
				t.Require(w.rise.Sign() >= 0 && m.c.Sign() >= 0, "%v: V_%d(1, b) is not convex at b = %s", s, k, w.s)
			}
			for _, a := range masses {
				for _, b := range around(places(c)) {
					if v := value(s.pairs, s.stops, k, a, b); !rat.Equal(v, m.at(a, b)) {
						t.Refute("%s; %v: V_%d(%s, %s) = %s, the mixture has %s",
							show(s.pairs), s.stops, k, a, b, v, m.at(a, b))
					}
				}
			}
		}
	})
}

// around returns these places, those in the middle between two, and one behind.
func around(xs []*big.Rat) (all []*big.Rat) {
	for i, x := range xs {
		all = append(all, x)
		if i+1 < len(xs) {
			all = append(all, rat.Mul(rat.Half, rat.Add(x, xs[i+1])))
		}
	}
	return append(all, rat.Add(xs[len(xs)-1], rat.One))
}

// function is one of two masses, with a name.
type function struct {
	name string
	of   func(a, b *big.Rat) *big.Rat
}

// convexFunctions are functions of 𝒱: hockey sticks, and V_0 of pipelines of two steps.
func convexFunctions() (all []function) {
	pairs := []finite.Pair{{{"a": rat.Of("2/3"), "b": rat.Of("1/3")}, {"a": rat.Of("1/6"), "b": rat.Of("5/6")}},
		{{"a": rat.One, "b": new(big.Rat)}, {"a": rat.Half, "b": rat.Half}}}
	for _, e := range finite.Charges[:2] {
		stops := finite.Pipeline{Stops: twoCharges(finite.Charges[1], e)}
		all = append(all, function{fmt.Sprintf("max(0, a − %s·b)", rat.Show(e)), func(a, b *big.Rat) *big.Rat {
			return rat.Positive(rat.Sub(a, rat.Mul(e, b)))
		}}, function{fmt.Sprintf("V_0 of %s; %v", show(pairs), stops), func(a, b *big.Rat) *big.Rat {
			return value(pairs, stops, 0, a, b)
		}})
	}
	return all
}

// raised goes through all pairs of laws of which one dominates the other at orders from a least one on.
func raised(t *register.T, from, share *big.Rat) {
	t.Domain("all pairs of laws over 2 outputs with probabilities in multiples of 1/3, and one in 29 over 3 outputs, " +
		"of which one dominates the other; a, b in {0, 1/4, 1/2, 1, 2}")
	menu := slices.Concat(slices.Collect(finite.PairsOf(finite.Laws(2, 3))),
		slices.Collect(finite.EveryNth(finite.PairsOf(finite.Laws(3, 3)), 29)))
	functions := convexFunctions()
	for _, pair := range menu {
		for _, laws := range menu {
			if higher(laws, pair, from) != nil {
				continue
			}
			t.Case()
			for _, v := range functions {
				raises(t, laws, pair, share, v)
			}
		}
	}
}

// raises compares the sums of V over the outputs of laws and of a pair.
func raises(t *register.T, laws, pair finite.Pair, share *big.Rat, v function) {
	for _, a := range masses {
		for _, b := range masses {
			left, right := v.over(laws, a, b), rat.Mul(share, v.over(pair, a, b))
			t.Require(left.Cmp(right) <= 0, "μ = (%v), ν = (%v), P = (%v), Q = (%v), a = %s, b = %s: for V = %s it "+
				"is %s on the left and %s on the right", laws[0], laws[1], pair[0], pair[1], a, b, v.name, left, right)
		}
	}
}

// over returns Σ V(a·p, b·q) over the outputs.
func (v function) over(p finite.Pair, a, b *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for o, pr := range p[0] {
		sum.Add(sum, v.of(rat.Mul(a, pr), rat.Mul(b, p[1].Pr(o))))
	}
	return sum
}

// place is one with the value of V_k there.
type place struct{ a, b, v *big.Rat }

// property says whether V_k has a property at two places; at has its value elsewhere.
type property func(x, y place, at func(a, b *big.Rat) *big.Rat) bool

// within is that V_k is between 0 and a share of a.
func within(share *big.Rat) property {
	return func(x, _ place, _ func(a, b *big.Rat) *big.Rat) bool {
		return x.v.Sign() >= 0 && x.v.Cmp(rat.Mul(share, x.a)) <= 0
	}
}

// homogeneous is that V_k(3a, 3b) = 3^degree·V_k(a, b).
func homogeneous(degree int) property {
	return func(x, _ place, at func(a, b *big.Rat) *big.Rat) bool {
		return rat.Equal(at(rat.Mul(rat.Int(3), x.a), rat.Mul(rat.Int(3), x.b)),
			rat.Mul(rat.Power(rat.Int(3), degree), x.v))
	}
}

// monotone is that V_k does not decrease in a nor increase in b, and risingInB that it does not decrease in b.
func monotone(x, y place, _ func(a, b *big.Rat) *big.Rat) bool {
	return x.a.Cmp(y.a) < 0 || x.b.Cmp(y.b) > 0 || x.v.Cmp(y.v) >= 0
}

func risingInB(x, y place, _ func(a, b *big.Rat) *big.Rat) bool {
	return !rat.Equal(x.a, y.a) || x.b.Cmp(y.b) < 0 || x.v.Cmp(y.v) >= 0
}

// convex is that V_k in the middle between two places is at most the mean, and linear that it is the mean.
func convex(x, y place, at func(a, b *big.Rat) *big.Rat) bool { return aboveMean(x, y, at) <= 0 }
func linear(x, y place, at func(a, b *big.Rat) *big.Rat) bool { return aboveMean(x, y, at) == 0 }

func aboveMean(x, y place, at func(a, b *big.Rat) *big.Rat) (sign int) {
	mean := func(x, y *big.Rat) *big.Rat { return rat.Mul(rat.Half, rat.Add(x, y)) }
	return at(mean(x.a, y.a), mean(x.b, y.b)).Cmp(mean(x.v, y.v))
}

// have checks properties of V_k at all pairs of places.
func have(properties ...property) register.Check {
	return func(t *register.T) {
		someCases(t, 5, 30, func(t *register.T, s testCase) {
			for k := range len(s.pairs) + 1 {
				var known finite.Memo[string, *big.Rat]
				at := func(a, b *big.Rat) *big.Rat {
					return known.Of(rat.Show(a, b), func() *big.Rat { return value(s.pairs, s.stops, k, a, b) })
				}
				var all []place
				for m := range finite.Tuples(masses, 2) {
					all = append(all, place{m[0], m[1], at(m[0], m[1])})
				}
				for _, x := range all {
					for _, y := range all {
						for _, has := range properties {
							if !has(x, y, at) {
								t.Refute("%s; %v: V_%d(%s) = %s and V_%d(%s) = %s are not as claimed",
									show(s.pairs), s.stops, k, rat.Show(x.a, x.b), x.v, k, rat.Show(y.a, y.b), y.v)
							}
						}
					}
				}
			}
		})
	}
}

// curve is a convex function on [0, ∞) that does not rise: linear between its points, of which the first is at 0, and
// constant after the last. The hockey-stick divergence of a finite pair is one, as a function of the order, and so is
// V_k(1, b), of b.
type curve []point

type point struct{ x, y *big.Rat }

// at returns the value at x.
func (c curve) at(x *big.Rat) *big.Rat {
	i, found := slices.BinarySearchFunc(c, x, func(p point, x *big.Rat) int { return p.x.Cmp(x) })
	switch {
	case found:
		return c[i].y
	case i == len(c):
		return c[i-1].y
	}
	return rat.Add(c[i-1].y, rat.Mul(c.slope(i-1), rat.Sub(x, c[i-1].x)))
}

// slope returns the slope after point i.
func (c curve) slope(i int) *big.Rat {
	if i == len(c)-1 {
		return new(big.Rat)
	}
	return rat.Quo(rat.Sub(c[i+1].y, c[i].y), rat.Sub(c[i+1].x, c[i].x))
}

// places returns the x of all points of the curves, in their order, each once.
func places(curves ...curve) (xs []*big.Rat) {
	for _, c := range curves {
		for _, p := range c {
			xs = append(xs, p.x)
		}
	}
	return inOrder(xs)
}

// inOrder returns numbers in their order, each once.
func inOrder(xs []*big.Rat) []*big.Rat {
	slices.SortFunc(xs, (*big.Rat).Cmp)
	return slices.CompactFunc(xs, rat.Equal)
}

// through returns the curve with the values of f at these places.
func through(xs []*big.Rat, f func(x *big.Rat) *big.Rat) (c curve) {
	for _, x := range inOrder(xs) {
		c = append(c, point{x, f(x)})
	}
	return c
}

// largest returns the larger of two curves, at each place.
func largest(f, g curve) curve {
	xs := places(f, g)
	for i, from := range xs[:len(xs)-1] {
		to := xs[i+1]
		before, behind := rat.Sub(f.at(from), g.at(from)), rat.Sub(f.at(to), g.at(to))
		if before.Sign()*behind.Sign() < 0 { // they cross between
			share := rat.Quo(before, rat.Sub(before, behind))
			xs = append(xs, rat.Add(from, rat.Mul(share, rat.Sub(to, from))))
		}
	}
	return through(xs, func(x *big.Rat) *big.Rat { return rat.Max(f.at(x), g.at(x)) })
}

// sticks returns the hockey-stick divergence of a pair, by its order.
func sticks(p finite.Pair) curve { return onward(p, stopped(rat.One)) }

// stopped returns max(0, 1 − e·b), by b.
func stopped(e *big.Rat) curve {
	return curve{{new(big.Rat), rat.One}, {rat.Quo(rat.One, e), new(big.Rat)}}
}

// pair returns the pair with this hockey-stick divergence: where the slope rises by q at the order α, there is an
// output with the Q-mass q and the P-mass α·q; what is left at the end is P-mass where Q is 0.
func (c curve) pair() finite.Pair {
	p := finite.Pair{{}, {}}
	add := func(x, y *big.Rat) {
		if x.Sign() > 0 || y.Sign() > 0 {
			output := finite.Name(len(p[0]))
			p[0][output], p[1][output] = x, y
		}
	}
	before := big.NewRat(-1, 1) // with Q alone
	for i, at := range c {
		q := rat.Sub(c.slope(i), before)
		add(rat.Mul(at.x, q), q)
		before = c.slope(i)
	}
	add(c[len(c)-1].y, new(big.Rat))
	return p
}

// join returns the least pair that dominates all of some pairs: its hockey-stick divergence is the largest of theirs,
// which is convex.
func join(pairs ...finite.Pair) finite.Pair {
	c := sticks(pairs[0])
	for _, p := range pairs[1:] {
		c = largest(c, sticks(p))
	}
	return c.pair()
}

// valueCurve returns V_k(1, b) of a pipeline of pairs, by b.
func valueCurve(pairs []finite.Pair, stops finite.Pipeline, k int) curve {
	c := curve{{new(big.Rat), new(big.Rat)}}
	if k < len(pairs) {
		c = onward(pairs[k], valueCurve(pairs, stops, k+1))
	}
	for _, s := range stops.Stops {
		if s.After == k {
			c = largest(c, stopped(s.ExpEps))
		}
	}
	return c
}

// onward returns Σ V(p, b·q) over the outputs of a pair, where c is V(1, b).
func onward(pair finite.Pair, c curve) curve {
	xs := []*big.Rat{new(big.Rat)}
	for output, p := range pair[0] {
		for _, at := range c {
			if q := pair[1].Pr(output); p.Sign() > 0 && q.Sign() > 0 {
				xs = append(xs, rat.Quo(rat.Mul(at.x, p), q))
			}
		}
	}
	return through(xs, func(x *big.Rat) *big.Rat {
		sum := new(big.Rat)
		for output, p := range pair[0] {
			if p.Sign() > 0 {
				sum.Add(sum, rat.Mul(p, c.at(rat.Quo(rat.Mul(x, pair[1].Pr(output)), p))))
			}
		}
		return sum
	})
}
