package selection

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// binomialLaw returns the law of the sum of n variables that are 1 with probability p.
func binomialLaw(n int, p *big.Rat) []interval.Interval {
	law := make([]interval.Interval, n+1)
	for k := range law {
		law[k] = num(0)
	}
	if rat.Equal(p, rat.One) {
		law[n] = num(1)
		return law
	}
	law[0] = power(rat.Complement(p), n)
	odds := rat.Quo(p, rat.Complement(p))
	for k := 1; k <= n; k++ {
		law[k] = mul(law[k-1], rat.Mul(odds, big.NewRat(int64(n-k+1), int64(k))))
	}
	return law
}

// atLeast returns the probability of k and more, for each k.
func atLeast(law []interval.Interval) []interval.Interval {
	tails := make([]interval.Interval, len(law)+1)
	tails[len(law)] = num(0)
	for k := len(law) - 1; k >= 0; k-- {
		tails[k] = add(law[k], tails[k+1])
	}
	return tails
}

// from returns the least count that is surely at least x, from 0 to n.
func from(x interval.Interval, n int) int {
	if x.Upper.Sign() <= 0 {
		return 0
	}
	if x.Upper.Cmp(num(n).Lower) > 0 {
		return n
	}
	up, accuracy := x.Upper.Int64()
	if accuracy == big.Below {
		up++
	}
	return int(up)
}

// countTails are the tail bounds of Appendix A.3 on sums of independent {0,1} variables, and Appendix C's on their
// inverse.
func countTails() register.Checks {
	return register.Checks{
		"PSC-LA.4":    tight(at(counts, aboveCount), "1/8", "with 1/8 of the second summand"),
		"PSC-LA.5":    tight(at(counts, belowCount), "1/4", "with 1/4 of the second summand"),
		"PSC-LA.4.s1": step(at(counts, chernoffAbove), "19/20"),
		"PSC-LA.4.s2": step(at(counts, upperCounts), "19/20"),
		"PSC-LA.5.s1": step(at(counts, chernoffBelow), "1/5"),
		"PSC-LA.5.s2": step(at(counts, lowerCounts), "19/20"),
		"PSC-LC.2": tight(with(inverseMeans, rat.One), "19/20", "with 19/20 of the right side",
			near("with 20/19 of the left side", with(inverseMeans, rat.Of("20/19")).With("1"))),
		"PSC-LC.2.s1": tight(byIntegral, "19/20", "19/20 of the integral"),
		"PSC-LC.2.s2": mended(with(integralIs, 1), with(integralIs, -1), "(1 − e^−S)/S", "19/20", "19/20·(1 − e^−S)/S"),
	}
}

// count is a sum of variables with its mean and law, and an ε and a δ for a bound on it.
type count struct {
	mean, eps, delta *big.Rat
	law              []*big.Rat
	e, log           interval.Interval // e^ε, ln(1/δ)
}

// counts goes through them.
func counts(t *register.T, visit func(x count)) {
	laws := map[string][]*big.Rat{"400 with 1/40": binomial(400, rat.Of("1/40")),
		"400 with 1/2": binomial(400, rat.Half)}
	means := map[string]*big.Rat{"400 with 1/40": rat.Int(10), "400 with 1/2": rat.Int(200)}
	most := t.Size(2, 3)
	for ones := range finite.Lists(rat.List("0", "1/100", "1/2", "1"), 1, most) {
		laws[rat.Show(ones...)], means[rat.Show(ones...)] = exhaustive.Count(ones), rat.Sum(ones...)
	}
	finite.Each(t, fmt.Sprintf("1 to %d variables with probabilities of 0, 1/100, 1/2, 1, by all that can happen; "+
		"400 with 1/40 and 400 with 1/2 each, by the binomial law; ε in {1/1000, 1/2, 99/100 | 1/10}, "+
		"δ in {1/1000000, 1/2, 999/1000 | 1/10}", most),
		func(at string, eps, delta *big.Rat) {
			e, log := exp(eps), ln(new(big.Rat).Inv(delta))
			for _, name := range slices.Sorted(maps.Keys(laws)) {
				t.At("%s, %s", name, at)
				visit(count{means[name], eps, delta, laws[name], e, log})
			}
		})
}

// binomial returns the law of the sum of n variables.
func binomial(n int, p *big.Rat) (law []*big.Rat) {
	for k := range n + 1 {
		ways := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		law = append(law, rat.Product(ways, rat.Power(p, k), rat.Power(rat.Complement(p), n-k)))
	}
	return law
}

// chance returns the probability of the counts that are surely at least x, or at most x.
func (c count) chance(x interval.Interval, isAtLeast bool) *big.Rat {
	sum := new(big.Rat)
	for k, p := range c.law {
		if n := num(k); isAtLeast && n.Lower.Cmp(x.Upper) >= 0 || !isAtLeast && n.Upper.Cmp(x.Lower) <= 0 {
			sum.Add(sum, p)
		}
	}
	return sum
}

// upper and lower return the bounds, by both rooms.
func (c count) upper(t *register.T) interval.Interval {
	x := impl.UpperCount(c.mean, c.eps, c.delta)
	twins(t, "the bound", spec.UpperCount(rat.Float64(c.mean), rat.Float64(c.eps), rat.Float64(c.delta)), x)
	return x
}

func (c count) lower(t *register.T) interval.Interval {
	x := impl.LowerCount(c.mean, c.eps, c.delta)
	twins(t, "the bound", spec.LowerCount(rat.Float64(c.mean), rat.Float64(c.eps), rat.Float64(c.delta)), x)
	return x
}

// aboveCount checks a bound with a share of its second summand.
func aboveCount(t *register.T, share *big.Rat, x count) {
	own := mul(x.e, x.mean)
	larger := x.chance(add(own, mul(share, sub(x.upper(t), own))), true)
	within(t, "the probability of a larger sum", larger, rat.One, x.delta)
}

// belowCount does so for the other bound.
func belowCount(t *register.T, share *big.Rat, x count) {
	own := quo(x.mean, x.e)
	smaller := x.chance(add(own, mul(share, sub(x.lower(t), own))), false)
	within(t, "the probability of a smaller sum", smaller, rat.One, x.delta)
}

// rate returns (e^ε − 1)²/(e^ε + 1): Δ_1 is ln(1/δ) over it.
func (c count) rate() interval.Interval { return quo(mul(sub(c.e, 1), sub(c.e, 1)), add(c.e, 1)) }

func chernoffAbove(t *register.T, share *big.Rat, x count) {
	offset := quo(x.log, x.rate())
	all := add(x.mean, offset)
	middle, last := exp(neg(mul(x.rate(), all))), exp(neg(mul(x.rate(), offset)))
	rising(t, x.chance(sub(mul(x.e, all), offset), true), middle)
	rising(t, middle, mul(share, last))
	equal(t, last, x.delta)
}

func upperCounts(t *register.T, share *big.Rat, x count) {
	less := sub(x.e, 1)
	third := mul(quo(add(x.e, 1), less), x.log)
	rising(t, third, mul(share, sub(x.upper(t), mul(x.e, x.mean))))
	equal(t, third, mul(less, quo(x.log, x.rate())))
}

func chernoffBelow(t *register.T, share *big.Rat, x count) {
	if x.mean.Sign() == 0 {
		return // the left side is not defined
	}
	last := exp(neg(x.log))
	rising(t, x.chance(mul(sub(1, root(quo(mul(2, x.log), x.mean))), x.mean), false), mul(share, last))
	equal(t, last, x.delta)
}

func lowerCounts(t *register.T, share *big.Rat, x count) {
	rising(t, sub(1, x.eps), quo(1, x.e), sub(1, mul("1/2", x.eps)))
	sum, root := add(mul("1/2", x.eps, x.mean), quo(x.log, x.eps)), root(mul(2, x.mean, x.log))
	rising(t, root, mul(share, sum))
	rising(t, x.lower(t), sub(x.mean, sum), sub(x.mean, root))
}

// sums are the laws of sums, by their values.
type sums map[string]*big.Rat

// plus returns the law of a sum with one more variable, which has a value with its chance.
func (law sums) plus(values, chances []*big.Rat) sums {
	next := sums{}
	for sum, q := range law {
		for i, chance := range chances {
			key := rat.Add(rat.Of(sum), values[i]).RatString()
			if next[key] == nil {
				next[key] = new(big.Rat)
			}
			next[key].Add(next[key], rat.Mul(q, chance))
		}
	}
	return next
}

// inverse returns E[1/(more + Σ)].
func (law sums) inverse(more *big.Rat) *big.Rat {
	mean := new(big.Rat)
	for sum, p := range law {
		mean.Add(mean, rat.Quo(p, rat.Add(more, rat.Of(sum))))
	}
	return mean
}

// inverseMeans checks shares of both sides, for variables with two values.
func inverseMeans(t *register.T, share, left *big.Rat) {
	t.Domain("1 to 4 variables that are 0 or 1, 0 or 1/2, or 1/4 or 1, the latter with probability 0, 1/100, 1/2 " +
		"or 1; all of them alike, or each another; and 40 that are 1 with probability 1/2")
	check := func(mean *big.Rat, law sums) {
		t.At("Σ E[X_i] = %s", mean)
		inverse := law.inverse(rat.One)
		within(t, "1/(1 + the mean)", rat.Quo(left, rat.Add(rat.One, mean)), rat.One, inverse)
		t.Require(rat.Mul(mean, inverse).Cmp(share) <= 0, "E[1/(1 + Σ X_i)] is %s, claimed is at most %s over the mean",
			inverse, share)
	}
	values := [][]*big.Rat{rat.List("0", "1"), rat.List("0", "1/2"), rat.List("1/4", "1")}
	chances := rat.List("0", "1/100", "1/2", "1")
	finite.Each3([]int{1, 2, 3, 4}, []int{0, 1}, []int{0, 1, 2, 3}, func(n, step, i int) {
		for shift := range 3 {
			mean, law := new(big.Rat), sums{"0": rat.One}
			for j := range n {
				v, p := values[(shift+step*j)%3], chances[(i+step*j)%4]
				mean = rat.Sum(mean, rat.Mul(v[0], rat.Complement(p)), rat.Mul(v[1], p))
				law = law.plus(v, []*big.Rat{rat.Complement(p), p})
			}
			check(mean, law)
		}
	})
	law := sums{}
	for k, p := range binomial(40, rat.Half) {
		law[fmt.Sprint(k)] = p
	}
	check(rat.Of("20"), law)
}

// byIntegral checks a share of the integral: of a sum of powers of t^(1/4), term by term; the mean by all that can
// happen.
func byIntegral(t *register.T, share *big.Rat) {
	at := func(x *big.Rat) *big.Rat { return rat.Quo(rat.One, rat.Add(rat.One, x)) }
	finite.Each(t, "1 to 3 variables with values of 0, 1/4, 1 and laws of multiples of 1/2; "+
		"1/(1 + x) in the middle of x and y in {−9/10, 0, 1/3, 5}", func(x, y *big.Rat) {
		within(t, "1/(1 + x) in the middle", at(rat.Mul(rat.Half, rat.Add(x, y))), rat.One,
			rat.Mul(rat.Half, rat.Add(at(x), at(y))))
	})
	for laws := range finite.Lists(oracles(3, 2), 1, 3) {
		t.At("laws %s", show(laws))
		values, law := rat.List("0", "1/4", "1"), sums{"0": rat.One}
		integrand := []*big.Rat{rat.One} // by powers of t^(1/4)
		for _, l := range laws {
			law = law.plus(values, l)
			next := make([]*big.Rat, len(integrand)+4)
			for i := range next {
				next[i] = new(big.Rat)
			}
			for i, c := range integrand {
				for j, p := range l {
					k := i + []int{0, 1, 4}[j]
					next[k].Add(next[k], rat.Mul(c, p))
				}
			}
			integrand = next
		}
		integral := new(big.Rat)
		for i, c := range integrand {
			integral.Add(integral, rat.Quo(c, rat.Add(rat.One, big.NewRat(int64(i), 4))))
		}
		equal(t, law.inverse(rat.One), mul(share, integral))
	}
}

// integralIs checks t^x at some places, and the integral by sums from both sides of 1000 pieces, with an exponent ±S in
// the result.
func integralIs(t *register.T, share *big.Rat, sign int) {
	finite.Each(t, "t in {1/1000, 1/2, 1, 3} and x in {0, 1/3, 1}", func(base, x *big.Rat) {
		rising(t, exp(mul(x, ln(base))), add(mul(sub(base, 1), x), 1))
	})
	finite.Each(t, "S in {1/10, 1, 7}, by the sums of 1000 pieces", func(s *big.Rat) {
		const pieces = 1000
		var terms []any
		for i := range pieces + 1 {
			terms = append(terms, exp(rat.Mul(s, big.NewRat(int64(i-pieces), pieces))))
		}
		low, high := add(terms[0], terms[1:pieces]...), add(terms[1], terms[2:]...)
		integral := interval.New(quo(low, pieces).Lower, quo(high, pieces).Upper)
		equal(t, integral, mul(share, quo(sub(1, exp(rat.Mul(rat.Int(sign), s))), s)))
	})
}
