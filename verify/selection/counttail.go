package selection

import (
	"fmt"
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

// countTails are the tail bounds of Appendix A.3 on sums of independent {0,1} variables, and Appendix C's on their
// inverse.
func countTails() register.Checks {
	return register.Checks{
		"PSC-LA.4":    tight(aboveCount, "1/8", "with 1/8 of the second summand"),
		"PSC-LA.5":    tight(belowCount, "1/4", "with 1/4 of the second summand"),
		"PSC-LA.4.s1": step(chernoffAbove, "19/20"),
		"PSC-LA.4.s2": step(upperCounts, "19/20"),
		"PSC-LA.5.s1": step(chernoffBelow, "1/5"),
		"PSC-LA.5.s2": step(lowerCounts, "19/20"),
		"PSC-LC.2": tight(inverseMeans(rat.One), "19/20", "with 19/20 of the right side",
			register.NearMiss("with 20/19 of the left side", inverseMeans(rat.Of("20/19")).with("1"))),
		"PSC-LC.2.s1": tight(byIntegral, "19/20", "19/20 of the integral"),
		"PSC-LC.2.s2": mended(integralIs(1), integralIs(-1), "(1 − e^−S)/S", "19/20", "19/20·(1 − e^−S)/S"),
	}
}

// count is a sum of variables with its mean and law, and an ε and a δ for a bound on it.
type count struct {
	at               string
	mean, eps, delta *big.Rat
	law              []*big.Rat
}

// counts goes through them.
func counts(t *register.T, visit func(x count)) {
	try := func(name string, mean *big.Rat, law []*big.Rat) {
		for at, v := range finite.Grid(t, "1 to 3 variables with probabilities of 0, 1/100, 1/2, 1, by all that can happen; "+
			"400 with 1/40 and 400 with 1/2 each, by the binomial law; ε in {1/1000, 1/10, 1/2, 99/100}, δ in {1/1000000, "+
			"1/10, 1/2, 999/1000}") {
			t.Case()
			visit(count{name + ", " + at, mean, v[0], v[1], law})
		}
	}
	for n := 1; n <= 3; n++ {
		for ones := range finite.Tuples(rat.List("0", "1/100", "1/2", "1"), n) {
			try(rat.Show(ones...), rat.Sum(ones...), exhaustive.Count(slices.Clone(ones)))
		}
	}
	try("400 with 1/40", rat.Of("10"), binomial(400, rat.Of("1/40")))
	try("400 with 1/2", rat.Of("200"), binomial(400, rat.Half))
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
	twins(t, c.at+", the bound", spec.UpperCount(rat.Float64(c.mean), rat.Float64(c.eps), rat.Float64(c.delta)), x)
	return x
}

func (c count) lower(t *register.T) interval.Interval {
	x := impl.LowerCount(c.mean, c.eps, c.delta)
	twins(t, c.at+", the bound", spec.LowerCount(rat.Float64(c.mean), rat.Float64(c.eps), rat.Float64(c.delta)), x)
	return x
}

// log returns ln(1/δ).
func (c count) log() interval.Interval { return ln(new(big.Rat).Inv(c.delta)) }

// aboveCount checks a bound with a share of its second summand.
func aboveCount(t *register.T, share *big.Rat) {
	counts(t, func(x count) {
		own := mul(exp(x.eps), x.mean)
		within(t, x.at, "the probability of a larger sum", x.chance(add(own, mul(share, sub(x.upper(t), own))), true),
			rat.One,
			x.delta)
	})
}

// belowCount does so for the other bound.
func belowCount(t *register.T, share *big.Rat) {
	counts(t, func(x count) {
		own := mul(exp(new(big.Rat).Neg(x.eps)), x.mean)
		within(t, x.at, "the probability of a smaller sum", x.chance(add(own, mul(share, sub(x.lower(t), own))), false),
			rat.One, x.delta)
	})
}

// rate returns (e^ε − 1)²/(e^ε + 1): Δ_1 is ln(1/δ) over it.
func (c count) rate() interval.Interval {
	e := exp(c.eps)
	return quo(mul(sub(e, 1), sub(e, 1)), add(e, 1))
}

func chernoffAbove(t *register.T, share *big.Rat) {
	counts(t, func(x count) {
		e, offset := exp(x.eps), quo(x.log(), x.rate())
		all := add(x.mean, offset)
		rising(t, x.at, x.chance(sub(mul(e, all), offset), true), exp(neg(mul(x.rate(), all))))
		last := exp(neg(mul(x.rate(), offset)))
		rising(t, x.at+", the second sign", exp(neg(mul(x.rate(), all))), mul(share, last))
		equal(t, x.at+", the last sign", last, x.delta)
	})
}

func upperCounts(t *register.T, share *big.Rat) {
	counts(t, func(x count) {
		less := sub(exp(x.eps), 1)
		third := mul(quo(add(exp(x.eps), 1), less), x.log())
		rising(t, x.at, third, mul(share, sub(x.upper(t), mul(exp(x.eps), x.mean))))
		equal(t, x.at+", the second sign", third, mul(less, quo(x.log(), x.rate())))
	})
}

func chernoffBelow(t *register.T, share *big.Rat) {
	counts(t, func(x count) {
		if x.mean.Sign() == 0 {
			return // the left side is not defined
		}
		bound := mul(sub(1, root(quo(mul(2, x.log()), x.mean))), x.mean)
		last := exp(neg(x.log()))
		rising(t, x.at, x.chance(bound, false), mul(share, last))
		equal(t, x.at+", the last sign", last, x.delta)
	})
}

func lowerCounts(t *register.T, share *big.Rat) {
	counts(t, func(x count) {
		rising(t, x.at+", e^−ε", sub(1, x.eps), exp(new(big.Rat).Neg(x.eps)), sub(1, mul("1/2", x.eps)))
		sum, root := add(mul("1/2", x.eps, x.mean), quo(x.log(), x.eps)), root(mul(2, x.mean, x.log()))
		rising(t, x.at+", the root", root, mul(share, sum))
		rising(t, x.at+", the bounds", x.lower(t), sub(x.mean, sum), sub(x.mean, root))
	})
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
func inverseMeans(left *big.Rat) claim {
	return func(t *register.T, share *big.Rat) {
		t.Domain("1 to 4 variables that are 0 or 1, 0 or 1/2, or 1/4 or 1, the latter with probability 0, 1/100, 1/2 or 1; " +
			"all of them alike, or each another; and 40 that are 1 with probability 1/2")
		check := func(mean *big.Rat, law sums) {
			t.Case()
			at, inverse := "Σ E[X_i] = "+rat.Show(mean), law.inverse(rat.One)
			within(t, at, "1/(1 + the mean)", rat.Quo(left, rat.Add(rat.One, mean)), rat.One, inverse)
			if mean.Sign() > 0 && inverse.Cmp(rat.Quo(share, mean)) > 0 {
				t.Refute("%s: E[1/(1 + Σ X_i)] is %s, claimed is at most %s over the mean", at, rat.Show(inverse), rat.Show(share))
			}
		}
		values := [][]*big.Rat{rat.List("0", "1"), rat.List("0", "1/2"), rat.List("1/4", "1")}
		chances := rat.List("0", "1/100", "1/2", "1")
		for n := 1; n <= 4; n++ {
			for shift := range 3 {
				for i := range chances {
					for step := range 2 {
						mean, law := new(big.Rat), sums{"0": rat.One}
						for j := range n {
							v, p := values[(shift+step*j)%3], chances[(i+step*j)%4]
							mean = rat.Sum(mean, rat.Mul(v[0], rat.Complement(p)), rat.Mul(v[1], p))
							law = law.plus(v, []*big.Rat{rat.Complement(p), p})
						}
						check(mean, law)
					}
				}
			}
		}
		law := sums{}
		for k, p := range binomial(40, rat.Half) {
			law[fmt.Sprint(k)] = p
		}
		check(rat.Of("20"), law)
	}
}

// byIntegral checks a share of the integral: of a sum of powers of t^(1/4), term by term; the mean by all that can
// happen.
func byIntegral(t *register.T, share *big.Rat) {
	at := func(x *big.Rat) *big.Rat { return rat.Quo(rat.One, rat.Add(rat.One, x)) }
	for where, x := range finite.Grid(t, "1 to 3 variables with values of 0, 1/4, 1 and laws of multiples of 1/2; 1/(1 + "+
		"x) in the middle of x and y in {−9/10, 0, 1/3, 5}") {
		middle, line := at(rat.Mul(rat.Half, rat.Add(x[0], x[1]))), rat.Mul(rat.Half, rat.Add(at(x[0]), at(x[1])))
		if middle.Cmp(line) > 0 {
			t.Refute("%s: 1/(1 + x) is %s in the middle, more than %s", where, rat.Show(middle), rat.Show(line))
		}
	}
	for n := 1; n <= 3; n++ {
		for laws := range finite.Tuples(slices.Collect(oracles(3, 2)), n) {
			t.Case()
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
			if mean, claimed := law.inverse(rat.One), rat.Mul(share, integral); !rat.Equal(mean, claimed) {
				t.Refute("laws %v: the mean is %s, claimed is %s", laws, rat.Show(mean), rat.Show(claimed))
			}
		}
	}
}

// integralIs checks t^x at some places, and the integral by sums from both sides of 1000 pieces, with an exponent ±S in
// the result.
func integralIs(sign int) claim {
	return func(t *register.T, share *big.Rat) {
		for at, v := range finite.Grid(t, "t in {1/1000, 1/2, 1, 3} and x in {0, 1/3, 1}; S of 1/10, 1, 7, by the sums of "+
			"1000 pieces") {
			t.Case()
			rising(t, at, exp(mul(v[1], ln(v[0]))), add(mul(sub(v[0], 1), v[1]), 1))
		}
		for _, s := range rat.List("1/10", "1", "7") {
			t.Case()
			const pieces = 1000
			low, high := num(0), num(0)
			for i := range pieces {
				low = add(low, exp(rat.Mul(s, big.NewRat(int64(i-pieces), pieces))))
				high = add(high, exp(rat.Mul(s, big.NewRat(int64(i+1-pieces), pieces))))
			}
			integral := interval.New(quo(low, pieces).Lower, quo(high, pieces).Upper)
			equal(t, "S = "+rat.Show(s)+", the integral", integral,
				mul(share, quo(sub(1, exp(rat.Mul(rat.Int(sign), s))), s)))
		}
	}
}
