package selection

import (
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
		"PSC-LA.4": register.Checked(aboveCount(rat.One, rat.One),
			register.NearMiss("with 1/8 of the second summand", aboveCount(rat.One, rat.Of("1/8"))),
		),
		"PSC-LA.5": register.Checked(belowCount(rat.One),
			register.NearMiss("with 1/4 of the second summand", belowCount(rat.Of("1/4"))),
		),
		"PSC-LA.4.s1": nearStep(chernoffAbove, "19/20"),
		"PSC-LA.4.s2": nearStep(upperCounts, "19/20"),
		"PSC-LA.5.s1": nearStep(chernoffBelow, "1/5"),
		"PSC-LA.5.s2": nearStep(lowerCounts, "19/20"),
		"PSC-LC.2": register.Checked(inverseMeans(rat.One, rat.One),
			register.NearMiss("with 19/20 of the right side", inverseMeans(rat.One, nearly)),
			register.NearMiss("with 20/19 of the left side", inverseMeans(rat.Of("20/19"), rat.One)),
		),
		"PSC-LC.2.s1": register.Checked(byIntegral(rat.One),
			register.NearMiss("19/20 of the integral", byIntegral(nearly)),
		),
		"PSC-LC.2.s2": register.Checked(integralIs(1, rat.One),
			register.Control("(1 − e^−S)/(2S)", integralIs(-1, rat.Half)),
			register.NearMiss("19/20·(1 − e^−S)/S", integralIs(-1, nearly)),
			register.Corrected("(1 − e^−S)/S", integralIs(-1, rat.One)),
		),
	}
}

var (
	countEps    = rat.List("1/1000", "1/10", "1/2", "99/100")
	countDeltas = rat.List("1/1000000", "1/10", "1/2", "999/1000")
)

// counts goes through sums of variables: their mean and their law.
func counts(t *register.T, visit func(mean *big.Rat, law []*big.Rat, name string)) {
	t.Domain("1 to 3 variables with probabilities in {0, 1/100, 1/2, 1}, by all that can happen; 400 with 1/40 and 400 "+
		"with 1/2 each, by the binomial law; ε in {%s}, δ in {%s}", rat.Show(countEps...), rat.Show(countDeltas...))
	for n := 1; n <= 3; n++ {
		for ones := range finite.Tuples(rat.List("0", "1/100", "1/2", "1"), n) {
			visit(rat.Sum(ones...), exhaustive.Count(slices.Clone(ones)), rat.Show(ones...))
		}
	}
	visit(rat.Of("10"), binomial(400, rat.Of("1/40")), "400 with 1/40")
	visit(rat.Of("200"), binomial(400, rat.Half), "400 with 1/2")
}

// binomial returns the law of the sum of n variables.
func binomial(n int, p *big.Rat) (law []*big.Rat) {
	for k := range n + 1 {
		ways := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		law = append(law, rat.Product(ways, rat.Power(p, k), rat.Power(rat.Complement(p), n-k)))
	}
	return law
}

// aboveCount checks a bound with shares of its summands.
func aboveCount(first, second *big.Rat) register.Check {
	return func(t *register.T) {
		counts(t, func(mean *big.Rat, law []*big.Rat, name string) {
			for _, eps := range countEps {
				for _, delta := range countDeltas {
					t.Case()
					all := impl.UpperCount(mean, eps, delta)
					twin(t, spec.UpperCount(rat.Float64(mean), rat.Float64(eps), rat.Float64(delta)), all, mean, eps, delta)
					own := precise.Mul(precise.ExpRat(eps), precise.Rat(mean))
					bound := precise.Add(precise.Mul(precise.Rat(first), own), precise.Mul(precise.Rat(second), precise.Sub(all, own)))
					likely := new(big.Rat)
					for k, p := range law {
						if precise.Int(int64(k)).Lower.Cmp(bound.Upper) >= 0 {
							likely = rat.Add(likely, p)
						}
					}
					if likely.Cmp(delta) > 0 {
						t.Refute("%s, ε = %s, δ = %s: a sum of at least %.9g has the probability %.9g", name, rat.Show(eps),
							rat.Show(delta), bound.Upper, precise.Rat(likely).Upper)
					}
					t.CloseTo(likely, delta, "%s, ε = %s, δ = %s", name, rat.Show(eps), rat.Show(delta))
				}
			}
		})
	}
}

// belowCount checks a bound with a share of its second summand.
func belowCount(second *big.Rat) register.Check {
	return func(t *register.T) {
		counts(t, func(mean *big.Rat, law []*big.Rat, name string) {
			for _, eps := range countEps {
				for _, delta := range countDeltas {
					t.Case()
					all := impl.LowerCount(mean, eps, delta)
					twin(t, spec.LowerCount(rat.Float64(mean), rat.Float64(eps), rat.Float64(delta)), all, mean, eps, delta)
					own := precise.Mul(precise.ExpRat(new(big.Rat).Neg(eps)), precise.Rat(mean))
					bound := precise.Add(own, precise.Mul(precise.Rat(second), precise.Sub(all, own)))
					likely := new(big.Rat)
					for k, p := range law {
						if precise.Int(int64(k)).Upper.Cmp(bound.Lower) <= 0 {
							likely = rat.Add(likely, p)
						}
					}
					if likely.Cmp(delta) > 0 {
						t.Refute("%s, ε = %s, δ = %s: a sum of at most %.9g has the probability %.9g", name, rat.Show(eps),
							rat.Show(delta), bound.Lower, precise.Rat(likely).Upper)
					}
					t.CloseTo(likely, delta, "%s, ε = %s, δ = %s", name, rat.Show(eps), rat.Show(delta))
				}
			}
		})
	}
}

// eachCount goes through sums of variables, with ε and δ.
func eachCount(t *register.T, visit func(mean *big.Rat, law []*big.Rat, eps, delta *big.Rat, at string)) {
	counts(t, func(mean *big.Rat, law []*big.Rat, name string) {
		for _, eps := range countEps {
			for _, delta := range countDeltas {
				t.Case()
				visit(mean, law, eps, delta, name+", ε = "+rat.Show(eps)+", δ = "+rat.Show(delta))
			}
		}
	})
}

// firstOffset returns Δ_1.
func firstOffset(eps, delta *big.Rat) interval.Interval {
	e := precise.ExpRat(eps)
	less := precise.Sub(e, precise.Int(1))
	return precise.Mul(precise.Quo(precise.Add(e, precise.Int(1)), precise.Mul(less, less)),
		precise.Log(new(big.Rat).Inv(delta)))
}

// chance returns the probability of the counts that meet a condition.
func chance(law []*big.Rat, meets func(k interval.Interval) bool) interval.Interval {
	sum := new(big.Rat)
	for k, p := range law {
		if meets(precise.Int(int64(k))) {
			sum = rat.Add(sum, p)
		}
	}
	return exactly(sum)
}

func chernoffAbove(t *register.T, share interval.Interval) {
	eachCount(t, func(mean *big.Rat, law []*big.Rat, eps, delta *big.Rat, at string) {
		e, offset := precise.ExpRat(eps), firstOffset(eps, delta)
		all := precise.Add(exactly(mean), offset)
		pr := chance(law, func(k interval.Interval) bool {
			return precise.Add(k, offset).Lower.Cmp(precise.Mul(e, all).Upper) >= 0
		})
		less := precise.Sub(e, precise.Int(1))
		rate := precise.Quo(precise.Mul(less, less), precise.Add(e, precise.Int(1)))
		rising(pr, precise.Exp(precise.Neg(precise.Mul(rate, all)))).check(t, precise.Int(1), "%s", at)
		last := precise.Exp(precise.Neg(precise.Mul(rate, offset)))
		rising(precise.Exp(precise.Neg(precise.Mul(rate, all))), last).check(t, share, "%s, the second sign", at)
		equal(last, exactly(delta)).check(t, precise.Int(1), "%s, the last sign", at)
	})
}

func upperCounts(t *register.T, share interval.Interval) {
	eachCount(t, func(mean *big.Rat, _ []*big.Rat, eps, delta *big.Rat, at string) {
		e, bound := precise.ExpRat(eps), impl.UpperCount(mean, eps, delta)
		twin(t, spec.UpperCount(rat.Float64(mean), rat.Float64(eps), rat.Float64(delta)), bound, mean, eps, delta)
		second := precise.Sub(bound, precise.Mul(e, exactly(mean)))
		less := precise.Sub(e, precise.Int(1))
		third := precise.Mul(precise.Quo(precise.Add(e, precise.Int(1)), less), precise.Log(new(big.Rat).Inv(delta)))
		rising(third, second).check(t, share, "%s", at)
		equal(third, precise.Mul(less, firstOffset(eps, delta))).check(t, precise.Int(1), "%s, the second sign", at)
	})
}

func chernoffBelow(t *register.T, share interval.Interval) {
	eachCount(t, func(mean *big.Rat, law []*big.Rat, _, delta *big.Rat, at string) {
		if mean.Sign() == 0 {
			return // the left side is not defined
		}
		twice := precise.Mul(precise.Int(2), precise.Log(new(big.Rat).Inv(delta)))
		factor := precise.Sub(precise.Int(1), precise.Sqrt(precise.Quo(twice, exactly(mean))))
		bound := precise.Mul(factor, exactly(mean))
		pr := chance(law, func(k interval.Interval) bool { return k.Upper.Cmp(bound.Lower) <= 0 })
		last := precise.Exp(precise.Neg(precise.Half(precise.Mul(precise.Quo(twice, exactly(mean)), exactly(mean)))))
		rising(pr, last).check(t, share, "%s", at)
		equal(last, exactly(delta)).check(t, precise.Int(1), "%s, the last sign", at)
	})
}

func lowerCounts(t *register.T, share interval.Interval) {
	eachCount(t, func(mean *big.Rat, _ []*big.Rat, eps, delta *big.Rat, at string) {
		down, log := precise.ExpRat(new(big.Rat).Neg(eps)), precise.Log(new(big.Rat).Inv(delta))
		rising(exactly(rat.Complement(eps)), down, exactly(rat.Complement(rat.Mul(rat.Half, eps)))).check(t, precise.Int(1),
			"%s, e^−ε", at)
		sum := precise.Add(exactly(rat.Product(rat.Half, eps, mean)), precise.Quo(log, exactly(eps)))
		root := precise.Sqrt(precise.Mul(exactly(rat.Twice(mean)), log))
		rising(root, sum).check(t, share, "%s, the root", at)
		bound := impl.LowerCount(mean, eps, delta)
		twin(t, spec.LowerCount(rat.Float64(mean), rat.Float64(eps), rat.Float64(delta)), bound, mean, eps, delta)
		rising(bound, precise.Sub(exactly(mean), sum), precise.Sub(exactly(mean), root)).check(t, precise.Int(1),
			"%s, the bounds", at)
	})
}

// twin refutes a formula that is another one in the other room.
func twin(t *register.T, literal float64, fast interval.Interval, mean, eps, delta *big.Rat) {
	if !isNear(literal, fast) {
		t.Refute("mean %s, ε = %s, δ = %s: %.12g by impl, %.12g by spec", rat.Show(mean), rat.Show(eps), rat.Show(delta),
			fast.Upper, literal)
	}
}

// inverseMeans checks shares of both sides, for variables with two values.
func inverseMeans(left, right *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 4 variables that are 0 or 1, 0 or 1/2, or 1/4 or 1, the latter with probability 0, 1/100, 1/2 or 1; " +
			"all of them alike, or each another; and 40 that are 1 with probability 1/2")
		values := [][2]*big.Rat{{new(big.Rat), rat.One}, {new(big.Rat), rat.Half}, {rat.Of("1/4"), rat.One}}
		chances := rat.List("0", "1/100", "1/2", "1")
		for n := 1; n <= 4; n++ {
			for shift := range 3 {
				for i := range chances {
					for step := range 2 {
						t.Case()
						mean, law := new(big.Rat), map[string]*big.Rat{"0": rat.One}
						for j := range n {
							v, p := values[(shift+step*j)%3], chances[(i+step*j)%4]
							mean = rat.Sum(mean, rat.Mul(v[0], rat.Complement(p)), rat.Mul(v[1], p))
							law = plus(law, v[:], []*big.Rat{rat.Complement(p), p})
						}
						checkInverse(t, mean, law, left, right)
					}
				}
			}
		}
		t.Case()
		law := map[string]*big.Rat{}
		for k, p := range binomial(40, rat.Half) {
			law[rat.Int(k).RatString()] = p
		}
		checkInverse(t, rat.Of("20"), law, left, right)
	}
}

// plus returns the law of a sum with one more variable, which has a value with its chance.
func plus(law map[string]*big.Rat, values, chances []*big.Rat) map[string]*big.Rat {
	next := map[string]*big.Rat{}
	for sum, q := range law {
		for i, chance := range chances {
			key := rat.Add(rat.Of(sum), values[i]).RatString()
			if next[key] == nil {
				next[key] = new(big.Rat)
			}
			next[key] = rat.Add(next[key], rat.Mul(q, chance))
		}
	}
	return next
}

func checkInverse(t *register.T, mean *big.Rat, law map[string]*big.Rat, left, right *big.Rat) {
	inverse := new(big.Rat)
	for sum, p := range law {
		inverse = rat.Add(inverse, rat.Quo(p, rat.Add(rat.One, rat.Of(sum))))
	}
	least := rat.Quo(left, rat.Add(rat.One, mean))
	if least.Cmp(inverse) > 0 || mean.Sign() > 0 && inverse.Cmp(rat.Quo(right, mean)) > 0 {
		t.Refute("Σ E[X_i] = %s: E[1/(1 + Σ X_i)] is %s, claimed is at least %s, and at most %s over the mean",
			rat.Show(mean), rat.Show(inverse), rat.Show(least), rat.Show(right))
	}
	t.CloseTo(least, inverse, "Σ E[X_i] = %s", rat.Show(mean))
}

// byIntegral checks a share of the integral: of a sum of powers of t^(1/4), term by term; the mean by all that can
// happen.
func byIntegral(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 variables with values in {0, 1/4, 1} and laws of multiples of 1/2; x and y in {−9/10, 0, 1/3, 5}, " +
			"and their middle")
		for n := 1; n <= 3; n++ {
			for laws := range finite.Tuples(slices.Collect(oracles(3, 2)), n) {
				t.Case()
				integrand := []*big.Rat{rat.One} // by powers of t^(1/4)
				for _, law := range laws {
					next := make([]*big.Rat, len(integrand)+4)
					for i := range next {
						next[i] = new(big.Rat)
					}
					for i, c := range integrand {
						for l, p := range law {
							k := i + []int{0, 1, 4}[l]
							next[k] = rat.Add(next[k], rat.Mul(c, p))
						}
					}
					integrand = next
				}
				integral, mean := new(big.Rat), new(big.Rat)
				for i, c := range integrand {
					integral = rat.Add(integral, rat.Quo(c, rat.Add(rat.One, big.NewRat(int64(i), 4))))
				}
				for path := range finite.Tuples([]int{0, 1, 2}, n) {
					p, sum := rat.One, rat.One
					for i, l := range path {
						p, sum = rat.Mul(p, laws[i][l]), rat.Add(sum, rat.List("0", "1/4", "1")[l])
					}
					mean = rat.Add(mean, rat.Quo(p, sum))
				}
				if claimed := rat.Mul(share, integral); !rat.Equal(mean, claimed) {
					t.Refute("laws %v: the mean is %s, claimed is %s", laws, rat.Show(mean), rat.Show(claimed))
				}
			}
		}
		for pair := range finite.Tuples(rat.List("-9/10", "0", "1/3", "5"), 2) {
			at := func(x *big.Rat) *big.Rat { return rat.Quo(rat.One, rat.Add(rat.One, x)) }
			middle := at(rat.Mul(rat.Half, rat.Add(pair[0], pair[1])))
			if line := rat.Mul(rat.Half, rat.Add(at(pair[0]), at(pair[1]))); middle.Cmp(line) > 0 {
				t.Refute("1/(1 + x) is %s in the middle of %s, more than %s", rat.Show(middle), rat.Show(pair...), rat.Show(line))
			}
		}
	}
}

// integralIs checks t^x at some places, and the integral by sums from both sides of 1000 pieces, with an exponent ±S in
// the result.
func integralIs(sign int64, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("t in {1/1000, 1/2, 1, 3} and x in {0, 1/3, 1}; S in {1/10, 1, 7}, by the sums of 1000 pieces")
		for _, x := range rat.List("1/1000", "1/2", "1", "3") {
			for _, y := range rat.List("0", "1/3", "1") {
				t.Case()
				power := precise.Exp(precise.Mul(precise.Rat(y), precise.Log(x)))
				line := precise.Rat(rat.Add(rat.Mul(rat.Sub(x, rat.One), y), rat.One))
				rising(power, line).check(t, precise.Int(1), "t = %s, x = %s", rat.Show(x), rat.Show(y))
			}
		}
		for _, s := range rat.List("1/10", "1", "7") {
			t.Case()
			const pieces = 1000
			low, high := precise.Int(0), precise.Int(0)
			for i := range pieces {
				low = precise.Add(low, precise.ExpRat(rat.Mul(s, big.NewRat(int64(i-pieces), pieces))))
				high = precise.Add(high, precise.ExpRat(rat.Mul(s, big.NewRat(int64(i+1-pieces), pieces))))
			}
			piece := precise.Rat(big.NewRat(1, pieces))
			integral := interval.New(precise.Mul(piece, low).Lower, precise.Mul(piece, high).Upper)
			claimed := precise.Quo(precise.Sub(precise.Int(1), precise.ExpRat(rat.Mul(rat.Int(int(sign)), s))), precise.Rat(s))
			claimed = precise.Mul(precise.Rat(share), claimed)
			if claimed.Upper.Cmp(integral.Lower) < 0 || claimed.Lower.Cmp(integral.Upper) > 0 {
				t.Refute("S = %s: the integral is between %.6g and %.6g, claimed is %.6g", rat.Show(s), integral.Lower,
					integral.Upper, claimed.Upper)
			}
		}
	}
}
