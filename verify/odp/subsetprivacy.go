package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// subsetGivesODP checks that the smallest δ of ODP, in both directions, is at most what
// total makes of the parts' smallest δ of subset DP; that it is as much in one direction; and
// that it is less for some laws.
func subsetGivesODP(total func(parts ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		less := false
		ofAllCharged(func(t *register.T, c charged) {
			forth, either := c.subsetDeltas(t)
			if need := c.delta(); need.Cmp(total(forth...)) != 0 {
				t.Refute("%v: Δ in one direction is %s, but ODP needs δ = %s", c, rat.Show(forth...), rat.Show(need))
			}
			need, bound := c.deltaBothWays(), total(either...)
			if need.Cmp(bound) > 0 {
				t.Refute("%v: Δ is %s, but ODP needs δ = %s", c, rat.Show(either...), rat.Show(need))
			}
			less = less || need.Cmp(bound) < 0
			t.Close(partOfBound(need, bound), "%v", c)
		})(t)
		if !less {
			t.Refute("no pair of laws needs less")
		}
	}
}

// subsetDeltas returns the parts' smallest δ of subset DP: in one direction, and in either. Both rooms must find
// them.
func (c charged) subsetDeltas(t *register.T) (forth, either []*big.Rat) {
	for k := range c.e {
		forth = append(forth, c.subsetDelta(t, k))
		either = append(either, rat.Max(forth[k], c.back().subsetDelta(t, k)))
	}
	return forth, either
}

// subsetDelta is the smallest δ of subset DP for the part k, in one direction.
func (c charged) subsetDelta(t *register.T, k int) *big.Rat {
	delta := register.Must(spec.SmallestSubsetDelta(c.laws[0], c.laws[1], func(o string) bool {
		return c.parts.Part(o) == k
	}, c.e[k]))
	inPart := make([]bool, len(c.parts))
	for i, part := range c.parts {
		inPart[i] = part == k
	}
	law0, law1 := c.lists()
	implAgrees(t, delta, register.Must(impl.SmallestSubsetDelta(law0, law1, inPart, loss.Exp(c.e[k]))),
		"smallest δ of part %d of %v", k+1, c)
	return delta
}

// mixedFunctions checks that every randomized function of two inputs is the mixture of the
// deterministic ones, of which each has the weight of the probabilities of its values.
func mixedFunctions(weight func(probabilities ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		m, d := 3, t.Size(4, 6)
		t.Domain("all functions from 2 inputs to up to %d outputs with probabilities in 1/%d", m, d)
		for f := range finite.Pairs(m, d) { // f[i] is the law of f(i)
			t.Case()
			mix, total := finite.Pair{{}, {}}, new(big.Rat)
			for x, px := range f[0] {
				for y, py := range f[1] {
					w := weight(px, py)
					total.Add(total, w)
					mix[0].Add(x, w)
					mix[1].Add(y, w)
				}
			}
			if total.Cmp(rat.One) != 0 || !mix.Equal(f) {
				t.Refute("f(0) is (%v), f(1) is (%v); the weights sum to %s and mix to (%v), (%v)", f[0], f[1], rat.Show(total),
					mix[0], mix[1])
			}
		}
	}
}

// convexity checks that the smallest δ of a mixture of two pairs of laws is at most what
// bound makes of theirs.
func convexity(bound func(deltas ...*big.Rat) *big.Rat) register.Check {
	return func(t *register.T) {
		m, d, random := 2, t.Size(4, 6), t.Size(100, 1000)
		t.Domain("all two pairs of laws over %d outputs with probabilities in 1/%d, up to the names of the outputs, mixed "+
			"1:1 and 1:2, all partitions, e^ℰ in {1, 3/2, 3}; %s and of each with its mirror image, 1:6; all functions from 2 "+
			"inputs to up to 3 outputs with probabilities in 1/%d",
			m, d, randomChargedDomain(random), d)
		for a := range finite.Pairs(m, d) {
			if !a.IsSorted() {
				continue
			}
			for b := range finite.Pairs(m, d) {
				for p := range finite.Partitions(m) {
					for e := range p.Charges(finite.Charges) {
						x, y := charged{a, p, e}, charged{b, p, e}
						deltas := [2]*big.Rat{x.deltaBothWays(), y.deltaBothWays()}
						for _, w := range []*big.Rat{rat.Half, big.NewRat(1, 3)} {
							t.Case()
							mixes(t, x, y, w, deltas, bound)
						}
					}
				}
			}
		}
		ofRandomCharged(t, random, func(t *register.T, x charged) {
			y := charged{finite.Pair{x.laws[0], mirrored(x.laws[1])}, x.parts, x.e}
			mixes(t, x, y, big.NewRat(1, 7), [2]*big.Rat{x.deltaBothWays(), y.deltaBothWays()}, bound)
		})
	}
}

// mixes checks the mixture of w of x and the rest of y, whose smallest δ are known.
func mixes(t *register.T, x, y charged, w *big.Rat, deltas [2]*big.Rat, bound func(deltas ...*big.Rat) *big.Rat) {
	a, b := x.laws, y.laws
	mix := charged{finite.Pair{finite.Combine(w, a[0], rat.Complement(w), b[0]),
		finite.Combine(w, a[1], rat.Complement(w), b[1])}, x.parts, x.e}
	got, most := mix.deltaBothWays(), bound(deltas[:]...)
	if got.Cmp(most) > 0 {
		t.Refute("%v needs δ = %s; %v needs δ = %s; %s of the first and the rest of the second: δ = %s (%v, e^ℰ = %s)",
			a, rat.Show(deltas[0]), b, rat.Show(deltas[1]), rat.Show(w), rat.Show(got), x.parts, rat.Show(x.e...))
	}
	if !a.Equal(b) {
		t.Close(partOfBound(got, most), "%s of %v and the rest of %v, %v, e^ℰ = %s", rat.Show(w), a, b, x.parts,
			rat.Show(x.e...))
	}
}

// mirrored is the law of the outputs e, d, c, b, a.
func mirrored(l finite.Law) finite.Law {
	out := finite.Law{}
	for i := range len(l) {
		out[finite.Name(i)] = l[finite.Name(len(l)-1-i)]
	}
	return out
}
