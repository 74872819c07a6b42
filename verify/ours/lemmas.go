package ours

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lemmas are those of the proof.
func lemmas() register.Checks {
	asIs := func(m mixture) mixture { return m }
	return register.Checks{
		"OUR-L1": register.Checked(mixed(asIs),
			register.Control("for c = 0", mixed(func(m mixture) mixture { return mixture{new(big.Rat), m.sticks} })),
			register.Control("m has v″(s) at α = 1/s", mixed(mixture.withoutScale)),
			register.NearMiss("for a measure on [1, ∞)", mixed(mixture.fromOne)),
		),
		"OUR-L2": register.Checked(raised(new(big.Rat), rat.One, convex),
			register.Control("for the smaller of two hockey sticks, which is not convex",
				raised(new(big.Rat), rat.One, smallerOfTwo)),
			register.NearMiss("if it dominates at orders α ≥ 1/2 only", raised(rat.Half, rat.One, convex)),
			register.NearMiss("with 19/20 of the right side", raised(new(big.Rat), nearly, convex)),
		),
		"OUR-L3": register.Checked(inClass(class{}),
			register.Control("it does not decrease in b", inClass(class{rises: true})),
			register.Control("V(ta, tb) = V(a, b)", inClass(class{constant: true})),
			register.Control("it is linear", inClass(class{linear: true})),
			register.NearMiss("it is at most 19/20·a", inClass(class{most: nearly})),
		),
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

// withoutScale has the weight rise.
func (m mixture) withoutScale() mixture {
	all := mixture{c: m.c}
	for _, w := range m.sticks {
		all.sticks = append(all.sticks, weighted{w.s, rat.Quo(w.rise, w.s)})
	}
	return all
}

// fromOne leaves out orders below 1.
func (m mixture) fromOne() mixture {
	return mixture{m.c, slices.DeleteFunc(slices.Clone(m.sticks), func(w weighted) bool { return w.s.Cmp(rat.One) > 0 })}
}

// masses are those at which functions of two of them are compared.
var masses = rat.List("0", "1/4", "1/2", "1", "2")

// mixed compares V_k with a changed mixture, at all places where V_k(1, b) bends, between and around them.
func mixed(changed func(m mixture) mixture) register.Check {
	return func(t *register.T) {
		someCases(t, 4, t.Size(200, 2000), func(t *register.T, s testCase) {
			for k := range len(s.pairs) + 1 {
				c := valueCurve(s.pairs, s.stops, k)
				m := mixtureOf(c)
				for _, w := range m.sticks {
					if w.rise.Sign() < 0 || m.c.Sign() < 0 {
						t.Refute("%v: V_%d(1, b) is not convex at b = %s", s, k, rat.Show(w.s))
					}
				}
				m = changed(m)
				for _, a := range masses {
					for _, b := range around(places(c)) {
						if v := value(s.pairs, s.stops, k, a, b); !rat.Equal(v, m.at(a, b)) {
							t.Refute("%s; %v: V_%d(%s, %s) = %s, the mixture has %s", show(s.pairs), s.stops, k, rat.Show(a), rat.Show(b),
								rat.Show(v), rat.Show(m.at(a, b)))
						}
					}
				}
			}
		})
	}
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

// convex are functions of 𝒱: hockey sticks, and V_0 of pipelines of one and of two steps.
func convex() (all []function) {
	first := finite.Pair{{"a": rat.Of("2/3"), "b": rat.Of("1/3")}, {"a": rat.Of("1/6"), "b": rat.Of("5/6")}}
	second := finite.Pair{{"a": rat.One, "b": new(big.Rat)}, {"a": rat.Half, "b": rat.Half}}
	for _, e := range finite.Charges[:2] {
		all = append(all, function{fmt.Sprintf("max(0, a − %s·b)", rat.Show(e)), func(a, b *big.Rat) *big.Rat {
			return rat.Positive(rat.Sub(a, rat.Mul(e, b)))
		}})
		end := func(after int) spec.Stop { return spec.Stop{After: after, ExpEps: e} }
		early := spec.Stop{After: 1, ExpEps: finite.Charges[1]}
		for _, s := range []testCase{
			{pairs: []finite.Pair{second}, stops: finite.Pipeline{Stops: []spec.Stop{end(1)}}},
			{pairs: []finite.Pair{first, second}, stops: finite.Pipeline{Stops: []spec.Stop{early, end(2)}}},
		} {
			all = append(all, function{fmt.Sprintf("V_0 of %s; %v", show(s.pairs), s.stops), func(a, b *big.Rat) *big.Rat {
				return value(s.pairs, s.stops, 0, a, b)
			}})
		}
	}
	return all
}

// smallerOfTwo is no function of 𝒱.
func smallerOfTwo() []function {
	return []function{{"min(a/2, max(0, a − b))", func(a, b *big.Rat) *big.Rat {
		return rat.Min(rat.Mul(rat.Half, a), rat.Positive(rat.Sub(a, b)))
	}}}
}

// raised goes through all pairs of laws of which one dominates the other at orders from a least one on.
func raised(from, share *big.Rat, functions func() []function) register.Check {
	return func(t *register.T) {
		t.Domain("all pairs of laws over 2 outputs with probabilities in multiples of 1/3, and one in 29 over 3 outputs, " +
			"of which one dominates the other; a, b in {0, 1/4, 1/2, 1, 2}")
		menu := slices.Concat(slices.Collect(finite.PairsOf(finite.Laws(2, 3))),
			slices.Collect(finite.EveryNth(finite.PairsOf(finite.Laws(3, 3)), 29)))
		for _, pair := range menu {
			for _, laws := range menu {
				if higher(laws, pair, from) != nil {
					continue
				}
				t.Case()
				for _, v := range functions() {
					raises(t, laws, pair, share, v)
				}
			}
		}
	}
}

// raises compares the sums of V over the outputs of laws and of a pair.
func raises(t *register.T, laws, pair finite.Pair, share *big.Rat, v function) {
	for _, a := range masses {
		for _, b := range masses {
			left, right := v.over(laws, a, b), rat.Mul(share, v.over(pair, a, b))
			if left.Cmp(right) > 0 {
				t.Refute("μ = (%v), ν = (%v), P = (%v), Q = (%v), a = %s, b = %s: for V = %s it is %s on the left and %s "+
					"on the right",
					laws[0], laws[1], pair[0], pair[1], rat.Show(a), rat.Show(b), v.name, rat.Show(left), rat.Show(right))
			}
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

// class is what is claimed of V_k; the zero value is what holds.
type class struct {
	rises, constant, linear bool
	most                    *big.Rat
}

func inClass(c class) register.Check {
	return func(t *register.T) {
		someCases(t, 5, t.Size(30, 300), func(t *register.T, s testCase) {
			for k := range len(s.pairs) + 1 {
				c.check(t, s, k)
			}
		})
	}
}

// check compares V_k at all pairs of places.
func (c class) check(t *register.T, s testCase, k int) {
	fails := func(what string, a, b, v *big.Rat) {
		t.Refute("%s; %v: V_%d(%s, %s) = %s, which is not %s", show(s.pairs), s.stops, k, rat.Show(a), rat.Show(b),
			rat.Show(v), what)
	}
	var places []place
	for _, a := range masses {
		for _, b := range masses {
			x := place{a, b, value(s.pairs, s.stops, k, a, b)}
			x.check(c, s, k, fails)
			places = append(places, x)
		}
	}
	for _, x := range places {
		for _, y := range places {
			middle := place{a: rat.Mul(rat.Half, rat.Add(x.a, y.a)), b: rat.Mul(rat.Half, rat.Add(x.b, y.b))}
			middle.v = value(s.pairs, s.stops, k, middle.a, middle.b)
			if sign := middle.v.Cmp(rat.Mul(rat.Half, rat.Add(x.v, y.v))); sign > 0 || sign < 0 && c.linear {
				fails(fmt.Sprintf("as it must be from V_%d(%s) = %s and V_%d(%s) = %s", k, rat.Show(x.a, x.b), rat.Show(x.v), k,
					rat.Show(y.a, y.b), rat.Show(y.v)), middle.a, middle.b, middle.v)
			}
			if moreOf(x.a, y.a) && moreOf(y.b, x.b) && x.v.Cmp(y.v) < 0 || c.rises && rat.Equal(x.a, y.a) && moreOf(x.b, y.b) &&
				x.v.Cmp(y.v) < 0 {
				fails(fmt.Sprintf("as it must be next to V_%d(%s) = %s", k, rat.Show(y.a, y.b), rat.Show(y.v)), x.a, x.b, x.v)
			}
		}
	}
}

func moreOf(x, y *big.Rat) bool { return x.Cmp(y) >= 0 }

// place is one with the value there.
type place struct{ a, b, v *big.Rat }

func (x place) check(c class, s testCase, k int, fails func(what string, a, b, v *big.Rat)) {
	most, times := x.a, rat.Of("3")
	if c.most != nil {
		most = rat.Mul(c.most, most)
	}
	if x.v.Sign() < 0 || x.v.Cmp(most) > 0 {
		fails("between 0 and "+rat.Show(most), x.a, x.b, x.v)
	}
	more := value(s.pairs, s.stops, k, rat.Mul(times, x.a), rat.Mul(times, x.b))
	if want := rat.Mul(times, x.v); c.constant && !rat.Equal(more, x.v) || !c.constant && !rat.Equal(more, want) {
		fails(fmt.Sprintf("as it must be next to three times these masses, with %s", rat.Show(more)), x.a, x.b, x.v)
	}
}
