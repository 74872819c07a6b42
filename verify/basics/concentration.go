package basics

import (
	"fmt"
	"iter"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// concentration are the statements of Section 3.1, and Azuma's inequality for sums of Section 3.5.1.
func concentration() register.Checks {
	one, many := rat.One, append(sizes[:5:5], rat.List("2", "17/2", "98")...)
	return register.Checks{
		"AFD-T3.1": checked(with(tails, additive(one, one, append(sizes[:5:5], rat.Of("-1/2")))),
			near("for ε ≥ 0, 19/20 of it is enough above", with(tails, additive(nearly, one, sizes))),
			near("for ε ≥ 0, 19/20 of it is enough below", with(tails, additive(one, nearly, sizes))),
			corrected("for ε ≥ 0", with(tails, additive(one, one, sizes)))),
		"AFD-T3.2": checked(with(tails, multiplicative("1", "1", many)),
			near("for ε in [0, 1], with e^(−mμε²) above", with(tails, multiplicative("3", "1", sizes))),
			near("for ε in [0, 1], with e^(−5mμε²/4) below", with(tails, multiplicative("1", "5/2", sizes))),
			corrected("for ε in [0, 1]", with(tails, multiplicative("1", "1", sizes)))),
		"AFD-T3.3": checked(with(effects, azuma{one, 4, true}),
			near("for t ≥ 0, with 4/5·exp(−2t²/Σ c_i²)", with(effects, azuma{rat.Of("4/5"), 4, false})),
			near("for t ≥ 0, with the effects of three variables of four", with(effects, azuma{one, 3, false})),
			corrected("for t ≥ 0", with(effects, azuma{one, 4, false}))),
		"AFD-T3.4": checked(with(factorials, one, one),
			near("the lower bound is larger by a thousandth", with(factorials, "1.001", one)),
			near("the upper bound is smaller by a millionth", with(factorials, one, "0.999999"))),
		"AFD-L3.19": checked(sums(one, one),
			control("with z√k·α/2", sums(rat.Half, one)),
			near("with 2/3 of e^(−z²/2)", sums(one, "2/3"))),
	}
}

// variables are m independent ones that are j/(len(law) − 1) with probability law[j].
type variables struct {
	m   int
	law []*big.Rat
}

// coins are variables that are 1 with probability p, and otherwise 0.
func coins(m int, p *big.Rat) variables { return variables{m, []*big.Rat{rat.Complement(p), p}} }

func (v variables) String() string {
	if len(v.law) == 2 {
		return fmt.Sprintf("m = %d, Pr[X_i = 1] = %s", v.m, rat.Show(v.law[1]))
	}
	return fmt.Sprintf("m = %d, X_i of 0, 1/2 and 1 with probabilities %s", v.m, rat.Show(v.law...))
}

// mean returns μ = E[X_i].
func (v variables) mean() *big.Rat {
	sum := new(big.Rat)
	for j, pr := range v.law {
		sum = rat.Add(sum, rat.Mul(big.NewRat(int64(j), int64(len(v.law)-1)), pr))
	}
	return sum
}

// sums returns the law of Σ X_i, in steps of 1/(len(law) − 1).
func (v variables) sums() []*big.Rat {
	law := []*big.Rat{rat.One}
	for range v.m {
		next := make([]*big.Rat, len(law)+len(v.law)-1)
		for i := range next {
			next[i] = new(big.Rat)
			for j := max(0, i-len(law)+1); j <= min(i, len(v.law)-1); j++ {
				if v.law[j].Sign() > 0 {
					next[i] = rat.Add(next[i], rat.Mul(law[i-j], v.law[j]))
				}
			}
		}
		law = next
	}
	return law
}

// beyond returns Pr[S > high] and Pr[S < low], for the law of Σ X_i.
func beyond(sums []*big.Rat, high, low *big.Rat) (above, below *big.Rat) {
	above, below = new(big.Rat), new(big.Rat)
	for n, pr := range sums {
		switch s := big.NewRat(int64(n), int64(len(sums)-1)); {
		case s.Cmp(high) > 0:
			above = rat.Add(above, pr)
		case s.Cmp(low) < 0:
			below = rat.Add(below, pr)
		}
	}
	return above, below
}

var (
	sizes         = rat.List("1/200", "1/10", "1/3", "9/10", "1")
	counts        = []int{1, 2, 3, 10, 60}
	probabilities = rat.List("1/100", "1/10", "1/2", "9/10", "99/100")
	threePoints   = [][]*big.Rat{rat.List("0", "1", "0"), rat.List("1/4", "1/2", "1/4"), rat.List("1/2", "1/4", "1/4"),
		rat.List("1/10", "9/10", "0"), rat.List("0", "1/10", "9/10")}
)

// settings are variables of 0 and 1, and such of 0, 1/2 and 1.
func settings() (all []variables) {
	finite.Each2(counts, probabilities, func(m int, p *big.Rat) { all = append(all, coins(m, p)) })
	finite.Each2(counts, threePoints, func(m int, law []*big.Rat) { all = append(all, variables{m, law}) })
	return all
}

// bound is a bound of both tails at a distance of ε or, if that is of the mean, εμ.
type bound struct {
	of   func(t *register.T, v variables, eps *big.Rat) (above, below interval.Interval)
	mean bool
	eps  []*big.Rat
}

// additive is the bound of AFD-T3.1, times a factor above and one below.
func additive(over, under *big.Rat, eps []*big.Rat) bound {
	return bound{eps: eps, of: func(t *register.T, v variables, eps *big.Rat) (above, below interval.Interval) {
		x := impl.AdditiveChernoff(v.m, eps)
		isAbout(t, "e^(−2mε²)", x, spec.AdditiveChernoff(v.m, rat.Float64(eps)))
		return times(x, over), times(x, under)
	}}
}

// multiplicative is the bound of AFD-T3.2, with factors in the exponents.
func multiplicative(first, second string, eps []*big.Rat) bound {
	return bound{mean: true, eps: eps, of: func(t *register.T, v variables, eps *big.Rat) (_, _ interval.Interval) {
		above, below := impl.MultiplicativeChernoff(v.m, v.mean(), eps)
		a, b := spec.MultiplicativeChernoff(v.m, rat.Float64(v.mean()), rat.Float64(eps))
		isAbout(t, "e^(−mμε²/3)", above, a)
		isAbout(t, "e^(−mμε²/2)", below, b)
		power := func(x interval.Interval, of string) interval.Interval {
			return precise.Exp(times(precise.LogOf(x), rat.Of(of)))
		}
		return power(above, first), power(below, second)
	}}
}

// tails checks a bound against exact tails.
func tails(t *register.T, b bound) {
	t.Domain("variables of 0 and 1, m in {1, 2, 3, 10, 60}, probability of 1 in {%s}, ε in {%s}; as many of 0, 1/2 "+
		"and 1, with five laws", probabilities, b.eps)
	for _, v := range settings() {
		sums, mu := v.sums(), v.mean()
		for _, eps := range b.eps {
			t.At("%v, ε = %s", v, eps)
			far := eps
			if b.mean {
				far = rat.Mul(far, mu)
			}
			above, below := beyond(sums, rat.Add(mu, far), rat.Sub(mu, far))
			high, low := b.of(t, v, eps)
			isBelow(t, "the probability above", precise.Rat(above), high)
			isBelow(t, "the probability below", precise.Rat(below), low)
		}
	}
}

// azuma is a variant of AFD-T3.3: a factor of the bound, how many effects count, and whether t may be below 0.
type azuma struct {
	factor  *big.Rat
	counted int
	below   bool
}

// dependent is a law of some variables that need not be independent, and a function of them: of X_1 first, each with as
// many values.
type dependent struct {
	values int
	law, f []*big.Rat
}

// dependents goes through functions of m variables, and through their laws with probabilities in 1/d.
func dependents(m, values, d int, functions iter.Seq[[]*big.Rat], try func(dependent)) {
	size := int(math.Pow(float64(values), float64(m)))
	for law := range finite.Laws(size, d) {
		j := dependent{values: values}
		for i := range size {
			j.law = append(j.law, law[finite.Name(i)])
		}
		for j.f = range functions {
			try(j)
		}
	}
}

// ofFour are functions of four bits: numbers of ones, least, largest, parity, changes, a number in binary, and one
// where X_1 decides what counts.
func ofFour(yield func([]*big.Rat) bool) {
	for _, f := range []func(b [4]int) int{
		func(b [4]int) int { return b[0] + b[1] + b[2] + b[3] },
		func(b [4]int) int { return min(b[0], b[1], b[2], b[3]) },
		func(b [4]int) int { return max(b[0], b[1], b[2], b[3]) },
		func(b [4]int) int { return b[0] ^ b[1] ^ b[2] ^ b[3] },
		func(b [4]int) int { return (b[0] ^ b[1]) + (b[1] ^ b[2]) + (b[2] ^ b[3]) },
		func(b [4]int) int { return 8*b[0] + 4*b[1] + 2*b[2] + b[3] },
		func(b [4]int) int { return b[0]*(b[1]+b[2]) + (1-b[0])*b[3] },
	} {
		values := make([]*big.Rat, 16)
		for i := range values {
			values[i] = rat.Int(f([4]int{i >> 3, i >> 2 & 1, i >> 1 & 1, i & 1}))
		}
		if !yield(values) {
			return
		}
	}
}

// effects checks AFD-T3.3, where t is how far a value of f is from its mean: between them the bound only falls.
func effects(t *register.T, claim azuma) {
	every := t.Size(7, 1)
	t.Domain("all joint laws of the X_i with probabilities in 1/d, and functions f of them: "+
		"1 variable with 2 values, d = 4, all f into {0, 1, 2}; 2 with 2 values, d = 4, f into {0, 1, 2}, "+
		"3 with 2 values and 2 with 3, d = 2, f into {0, 1} (%s); 4 with 2 values, d = 3, 7 functions",
		finite.Share(every))
	into := func(values []*big.Rat, n int) iter.Seq[[]*big.Rat] {
		return finite.EveryNth(finite.Tuples(values, n), every)
	}
	try := func(j dependent) { claim.check(t, j) }
	dependents(1, 2, 4, finite.Tuples(rat.List("0", "1", "2"), 2), try)
	dependents(2, 2, 4, into(rat.List("0", "1", "2"), 4), try)
	dependents(3, 2, 2, into(rat.List("0", "1"), 8), try)
	dependents(2, 3, 2, into(rat.List("0", "1"), 9), try)
	dependents(4, 2, 3, ofFour, try)
}

// check refutes that f is at E[f] + t or above with more than the bound, for all t that lead to a value of f.
func (claim azuma) check(t *register.T, j dependent) {
	t.At("probabilities %s, f = %s", j.law, j.f)
	c, mean, mass := j.effects()
	mean = rat.Quo(mean, mass)
	c = c[:min(claim.counted, len(c))]
	if rat.Max(c...).Sign() == 0 {
		return
	}
	for i, value := range j.f {
		far, reached := rat.Sub(value, mean), new(big.Rat)
		isOld := slices.ContainsFunc(j.f[:i], func(x *big.Rat) bool { return rat.Equal(x, value) })
		if isOld || far.Sign() < 0 && !claim.below {
			continue
		}
		for k, other := range j.f {
			if other.Cmp(value) >= 0 {
				reached = rat.Add(reached, j.law[k])
			}
		}
		most := impl.Azuma(far, c)
		isAbout(t, "exp(−2t²/Σ c_i²)", most, spec.Azuma(rat.Float64(far), rat.Floats(c)))
		most = times(most, claim.factor)
		t.Require(reached.Cmp(rat.Exact(most.Upper)) <= 0, "f ≥ E[f] + %s with probability %s, the bound is %.9g", far,
			reached, most.Upper)
		if far.Sign() > 0 {
			t.Close(rat.Float64(reached)/most.Float().Hi, "t = %s", far)
		}
	}
}

// effects returns the largest effect c_i of each variable on the mean of f, that mean times the mass of the law, and
// this mass.
func (j dependent) effects() (c []*big.Rat, part, mass *big.Rat) {
	if len(j.f) == 1 {
		return nil, rat.Mul(j.law[0], j.f[0]), j.law[0]
	}
	part, mass = new(big.Rat), new(big.Rat)
	var given []*big.Rat // E[f | …, X_1 = a], where that is possible
	size := len(j.f) / j.values
	for a := range j.values {
		later, p, m := dependent{j.values, j.law[a*size : (a+1)*size], j.f[a*size : (a+1)*size]}.effects()
		if c == nil {
			c = append([]*big.Rat{new(big.Rat)}, later...)
		}
		for i, ci := range later {
			c[i+1] = rat.Max(c[i+1], ci)
		}
		if m.Sign() > 0 {
			given = append(given, rat.Quo(p, m))
		}
		part, mass = rat.Add(part, p), rat.Add(mass, m)
	}
	if len(given) > 0 {
		c[0] = rat.Sub(rat.Max(given...), rat.Min(given...))
	}
	return c, part, mass
}

// factorials checks Stirling's bounds, times factors.
func factorials(t *register.T, below, above *big.Rat) {
	t.Domain("n = 1 to 140")
	for n := 1; n <= 140; n++ {
		t.At("n = %d", n)
		exact := new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(n)))
		lower, upper := impl.Stirling(n)
		l, u := spec.Stirling(n)
		isAbout(t, "the lower bound", lower, l)
		isAbout(t, "the upper bound", upper, u)
		lower, upper = times(lower, below), times(upper, above)
		t.Require(rat.Exact(lower.Lower).Cmp(exact) < 0 && rat.Exact(upper.Upper).Cmp(exact) > 0,
			"n! is not between %.12g and %.12g", lower.Lower, upper.Upper)
	}
}

// sums checks AFD-L3.19 with factors of z√k·α and of the probability.
var sums = on("(k, α) in {(1, 1), (2, 3), (3, 1/3), (10, 3), (60, 1)}; C_i of −α and α with means of 2p − 1 times α, "+
	"p in {1/100, 1/2, 99/100 | 1/10, 9/10}; z in {1/100, 1, 4 | 1/2, 2}",
	func(t *register.T, far, factor *big.Rat, k int, alpha, p, z *big.Rat) {
		beta := rat.Mul(alpha, rat.Sub(rat.Twice(p), rat.One))
		literal := func(z *big.Rat) (threshold, most float64) {
			return spec.AzumaSum(k, rat.Float64(alpha), rat.Float64(beta), rat.Float64(z))
		}
		_, most := impl.AzumaSum(k, alpha, beta, z)
		_, l := literal(z)
		isAbout(t, "e^(−z²/2)", most, l)
		threshold, _ := impl.AzumaSum(k, alpha, beta, rat.Mul(far, z))
		l, _ = literal(rat.Mul(far, z))
		isAbout(t, "kβ + z√k·α", threshold, l)
		mean := precise.Rat(rat.Mul(rat.Int(k), beta))
		isAbout(t, "of which a part is kβ", precise.Add(mean, times(precise.Sqrt(precise.Int(int64(k))),
			rat.Product(far, z, alpha))), l)
		exceeded := new(big.Rat)
		for n, pr := range coins(k, p).sums() {
			if s := rat.Mul(alpha, rat.Int(2*n-k)); s.Cmp(rat.Exact(threshold.Upper)) > 0 {
				exceeded = rat.Add(exceeded, pr)
			}
		}
		isBelow(t, "the probability", precise.Rat(exceeded), times(most, factor))
	})
