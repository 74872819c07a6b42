package basics

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// failing returns the exact probability that an algorithm fails at α, for k queries of which c are above.
type failing func(k, c int, alpha interval.Interval, eps, delta *big.Rat) interval.Float

// accuracy is a claim of accuracy: an α, and the exact probability to fail at it.
type accuracy struct {
	deltas []*big.Rat
	most   int // c up to that
	alpha  func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval
	fails  failing
}

// isAccurate checks that an algorithm fails with probability at most β at the α that is claimed, and that this
// probability is known.
func isAccurate(t *register.T, a accuracy) {
	t.AlsoDomain("(k, ε) in {(1, 1), (2, 1/2), (100, 3), (1000000, 1)}, c in {1, 2, 5} up to %d, β in {1/10, 99/100, "+
		"1e-20}, δ in {%s}; a larger ε makes α smaller by as much, and all noise", a.most, a.deltas)
	for i, k := range []int{1, 2, 100, 1_000_000} {
		eps := rat.List("1", "1/2", "3", "1")[i]
		finite.Each3([]int{1, 2, 5}, rat.List("1/10", "99/100", "1e-20"), a.deltas, func(c int, beta, delta *big.Rat) {
			if c > a.most {
				return
			}
			t.At("k = %d, c = %d, β = %s, δ = %s, ε = %s", k, c, beta, delta, eps)
			alpha := a.alpha(t, k, c, beta, eps, delta)
			p := a.fails(k, c, alpha, eps, delta)
			t.Require(p.Lo <= rat.Float64(beta) && p.Hi <= p.Lo*1.001, "at α = %.9g it fails with a probability in [%.9g, %.9g]",
				alpha.Upper, p.Lo, p.Hi)
			t.Close(p.Lo/rat.Float64(beta), "")
		})
	}
}

// leastOf checks that the smallest α of a setting is that where the probability of failure, which two programs give, is
// β: at its upper end it is at most β, and a thousandth below its lower end it is more.
func leastOf(t *register.T, least func(impl.SparseSetting) interval.Interval, fails failing) {
	t.AlsoDomain("the smallest α for (k, c) in {(1, 1), (2, 2), (100, 5)}, β in {1/1000, 1/3}, ε = 3, δ in {0, 1/10}")
	finite.Each3([][2]int{{1, 1}, {2, 2}, {100, 5}}, rat.List("1/1000", "1/3"), rat.List("0", "1/10"),
		func(size [2]int, beta, delta *big.Rat) {
			t.At("k = %d, c = %d, β = %s, ε = 3, δ = %s", size[0], size[1], beta, delta)
			s := impl.SparseSetting{Queries: size[0], Above: size[1], Beta: beta, Eps: rat.Int(3), Delta: delta}
			alpha := least(s)
			at := func(x *big.Rat) float64 { return fails(s.Queries, s.Above, precise.Rat(x), s.Eps, delta).Lo }
			enough, short := at(rat.Exact(alpha.Upper)), at(rat.Mul(rat.Of("0.999"), rat.Exact(alpha.Lower)))
			t.Require(enough <= rat.Float64(beta) && short > rat.Float64(beta), "it fails with probability %.9g at α = %.9g, "+
				"and %.9g a thousandth below", enough, alpha.Upper, short)
		})
}
