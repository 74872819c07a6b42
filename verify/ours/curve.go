package ours

import (
	"math/big"
	"slices"

	"checkrr/verify/finite"
	"checkrr/verify/rat"
)

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
