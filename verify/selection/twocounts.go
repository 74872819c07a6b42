package selection

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// meansMove checks the mean of three samples' share, and that it moves by a share of e^ε_1 at most.
func meansMove(share *big.Rat) register.Check {
	return func(t *register.T) {
		reaching(t, func(e, p, q *big.Rat) {
			var means [2]*big.Rat
			for b, x := range []*big.Rat{p, q} {
				means[b] = new(big.Rat)
				for k, pr := range exhaustive.Count([]*big.Rat{x, x, x}) {
					means[b] = rat.Add(means[b], rat.Mul(big.NewRat(int64(k), 3), pr))
				}
				if !rat.Equal(means[b], x) {
					t.Refute("p = %s: E[p̃] is %s", rat.Show(x), rat.Show(means[b]))
				}
			}
			if most := rat.Product(share, e, means[1]); means[0].Cmp(most) > 0 {
				t.Refute("e^ε_1 = %s, p and p' are %s: E[p̃] is above %s", rat.Show(e), rat.Show(p, q), rat.Show(most))
			}
		})
	}
}

// twoCounts goes through pairs of sums of which one has at most e^ε_1 times the mean of the other, and both laws.
func twoCounts(t *register.T, visit func(x, y []interval.Interval, meanX, meanY, eps0, eps1, delta0 *big.Rat,
	name string)) {
	t.Domain("sums of 1, 2 and 300 variables with probabilities in {1/100, 1/3, 2/3}, all pairs with means within a " +
		"factor of e; ε_0 in {1/100, 1/2, 99/100}, ε_1 the least multiple of 1/100 for the means, δ_0 in {1/1000, " +
		"1/2, 99/100}")
	type sum struct {
		n   int
		p   *big.Rat
		law []interval.Interval
	}
	var sums []sum
	for _, n := range []int{1, 2, 300} {
		for _, p := range rat.List("1/100", "1/3", "2/3") {
			sums = append(sums, sum{n, p, binomialLaw(n, p)})
		}
	}
	for _, x := range sums {
		for _, y := range sums {
			meanX, meanY := rat.Mul(rat.Int(x.n), x.p), rat.Mul(rat.Int(y.n), y.p)
			least := math.Ceil(100 * math.Log(rat.Float64(rat.Quo(meanX, meanY))))
			if eps1 := big.NewRat(int64(max(least, 1)), 100); eps1.Cmp(rat.One) < 0 {
				for _, eps0 := range rat.List("1/100", "1/2", "99/100") {
					for _, delta0 := range rat.List("1/1000", "1/2", "99/100") {
						t.Case()
						visit(x.law, y.law, meanX, meanY, eps0, eps1, delta0, fmt.Sprintf("X of %d with %s, Y of %d with %s, ε_0 = %s, "+
							"ε_1 = %s, δ_0 = %s", x.n, rat.Show(x.p), y.n, rat.Show(y.p), rat.Show(eps0), rat.Show(eps1), rat.Show(delta0)))
					}
				}
			}
		}
	}
}

// binomialLaw returns the law of the sum of n variables that are 1 with probability p.
func binomialLaw(n int, p *big.Rat) []interval.Interval {
	law := make([]interval.Interval, n+1)
	for k := range law {
		law[k] = precise.Int(0)
	}
	if rat.Equal(p, rat.One) {
		law[n] = precise.Int(1)
		return law
	}
	law[0] = power(rat.Complement(p), n)
	odds := rat.Quo(p, rat.Complement(p))
	for k := 1; k <= n; k++ {
		law[k] = precise.Mul(law[k-1], exactly(rat.Mul(odds, big.NewRat(int64(n-k+1), int64(k)))))
	}
	return law
}

// atLeast returns the probability of k and more, for each k.
func atLeast(law []interval.Interval) []interval.Interval {
	tails := make([]interval.Interval, len(law)+1)
	tails[len(law)] = precise.Int(0)
	for k := len(law) - 1; k >= 0; k-- {
		tails[k] = precise.Add(law[k], tails[k+1])
	}
	return tails
}

// from returns the least count that is surely at least x, from 0 to n.
func from(x interval.Interval, n int) int {
	if x.Upper.Sign() <= 0 {
		return 0
	}
	if x.Upper.Cmp(precise.Int(int64(n)).Lower) > 0 {
		return n
	}
	up, accuracy := x.Upper.Int64()
	if accuracy == big.Below {
		up++
	}
	return int(up)
}

// countsApart checks Lemma 4.3 with a share of Δ.
func countsApart(share *big.Rat) register.Check {
	return func(t *register.T) {
		twoCounts(t, func(x, y []interval.Interval, _, _, eps0, eps1, delta0 *big.Rat, name string) {
			c, offset := impl.CountConstant(eps0, eps1), impl.CountOffset(eps0, eps1, delta0)
			e0, e1, d0 := rat.Float64(eps0), rat.Float64(eps1), rat.Float64(delta0)
			if !isNear(spec.CountConstant(e0, e1), c) || !(math.Abs(spec.CountOffset(e0, e1, d0)-offset.Float().Hi) <= 1e-9*
				offset.Float().Hi) {
				t.Refute("%s: C and Δ are %.9g and %.9g by impl, %.9g and %.9g by spec", name, c.Upper, offset.Upper,
					spec.CountConstant(e0, e1), spec.CountOffset(e0, e1, d0))
			}
			rising(c, precise.Int(21)).check(t, precise.Int(1), "%s, C", name)
			rise := precise.ExpRat(rat.Add(eps0, eps1))
			second := precise.Mul(offset, precise.Sub(rise, precise.Int(1)))
			equal(second, precise.Mul(precise.Quo(c, exactly(eps0)), precise.Log(rat.Quo(rat.Int(2), delta0)))).check(t,
				precise.Int(1), "%s, the summands", name)
			tails, pr := atLeast(x), precise.Int(0)
			for k, p := range y {
				least := precise.Add(precise.Mul(rise, precise.Int(int64(k))), precise.Mul(exactly(share), second))
				pr = precise.Add(pr, precise.Mul(p, tails[from(least, len(x))]))
			}
			rising(pr, exactly(delta0)).check(t, precise.Int(1), "%s", name)
		})
	}
}

// goodCounts checks the two events of the proof with a share of their second summands.
func goodCounts(share *big.Rat) register.Check {
	return func(t *register.T) {
		twoCounts(t, func(x, y []interval.Interval, meanX, meanY, eps0, _, delta0 *big.Rat, name string) {
			eps, delta := rat.Mul(rat.Half, eps0), rat.Mul(rat.Half, delta0)
			e := precise.ExpRat(eps)
			high, low := precise.Mul(e, exactly(meanX)), precise.Quo(exactly(meanY), e)
			high = precise.Add(high, precise.Mul(exactly(share), precise.Sub(impl.UpperCount(meanX, eps, delta), high)))
			low = precise.Add(low, precise.Mul(exactly(share), precise.Sub(impl.LowerCount(meanY, eps, delta), low)))
			above := atLeast(x)[from(high, len(x))]
			below := precise.Int(0)
			for k, p := range y {
				if precise.Int(int64(k)).Upper.Cmp(low.Lower) <= 0 {
					below = precise.Add(below, p)
				}
			}
			one := precise.Int(1)
			bad := precise.Sub(one, precise.Mul(precise.Sub(one, above), precise.Sub(one, below)))
			rising(bad, exactly(delta0)).check(t, precise.Int(1), "%s", name)
		})
	}
}

func countsTogether(t *register.T, share interval.Interval) {
	t.Domain("Y in {0, 1, 1000}, ε_0 and ε_1 in {1/100, 1/2, 99/100}, δ_0 in {1/1000, 99/100}")
	for _, y := range rat.List("0", "1", "1000") {
		for _, eps0 := range rat.List("1/100", "1/2", "99/100") {
			for _, eps1 := range rat.List("1/100", "1/2", "99/100") {
				for _, delta0 := range rat.List("1/1000", "99/100") {
					t.Case()
					eps, log := rat.Mul(rat.Half, eps0), precise.Log(rat.Quo(rat.Int(2), delta0))
					rest := precise.Quo(log, exactly(eps))
					first := precise.Mul(precise.ExpRat(rat.Add(rat.Twice(eps), eps1)), precise.Add(exactly(y), rest))
					left := precise.Add(first, precise.Mul(precise.Add(precise.ExpRat(eps), precise.Int(1)), rest))
					c := impl.CountConstant(eps0, eps1)
					if literal := spec.CountConstant(rat.Float64(eps0), rat.Float64(eps1)); !isNear(literal, c) {
						t.Refute("C is %.9g by impl, %.9g by spec", c.Upper, literal)
					}
					right := precise.Add(precise.Mul(precise.ExpRat(rat.Add(eps0, eps1)), exactly(y)),
						precise.Mul(precise.Quo(c, exactly(eps0)), log))
					equal(left, right).check(t, share, "Y = %s, ε_0 = %s, ε_1 = %s, δ_0 = %s", rat.Show(y), rat.Show(eps0),
						rat.Show(eps1), rat.Show(delta0))
				}
			}
		}
	}
}
