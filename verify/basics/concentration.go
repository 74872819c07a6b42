package basics

import (
	"fmt"
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
func concentration() []register.Statement {
	return []register.Statement{
		{
			ID: "AFD-T3.1", Title: "Additive Chernoff bound: Pr[S > μ + ε] ≤ e^(−2mε²) and Pr[S < μ − ε] ≤ e^(−2mε²)",
			Printed: "Section 3.1, Theorem 3.1: Pr[S > μ + ε] ≤ e^{−2mε²}, Pr[S < μ − ε] ≤ e^{−2mε²}",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"spec.AdditiveChernoff", "impl.AdditiveChernoff"},
			Check:    tails(additive(rat.One, rat.One, rat.One)),
			Controls: []register.Claim{{Says: "with e^(−3mε²)", Check: tails(additive(rat.One, rat.One, rat.Of("3/2")))}},
			Near: []register.Claim{
				{Says: "19/20 of it is enough above", Check: tails(additive(nearly, rat.One, rat.One))},
				{Says: "19/20 of it is enough below", Check: tails(additive(rat.One, nearly, rat.One))},
			},
		},
		{
			ID: "AFD-T3.2", Title: "Multiplicative Chernoff bound: Pr[S > (1 + ε)μ] ≤ e^(−mμε²/3) and Pr[S < (1 − ε)μ] ≤ e^(−mμε²/2)",
			Printed: "Section 3.1, Theorem 3.2; the range of ε is left open",
			Kind:    register.Certified, Verdict: register.Fails, Weight: register.Edge,
			Note:     "For large ε the first bound is too small: a single variable that is 1 with probability 1/10 exceeds 9.5 times its mean with probability 1/10. It holds for ε up to 1.",
			In:       []string{"spec.MultiplicativeChernoff", "impl.MultiplicativeChernoff"},
			Check:    tails(multiplicative(rat.One, rat.One, append(sizes[:5:5], rat.List("2", "17/2", "98")...))),
			Readings: []register.Reading{{Claim: register.Claim{Says: "for ε in [0, 1]", Check: tails(multiplicative(rat.One, rat.One, sizes))}, Verdict: register.Holds}},
			Controls: []register.Claim{{Says: "for ε in [0, 1], with e^(−3mμε²/2) below", Check: tails(multiplicative(rat.One, rat.Of("3"), sizes))}},
			Near: []register.Claim{
				{Says: "for ε in [0, 1], with e^(−mμε²) above", Check: tails(multiplicative(rat.Of("3"), rat.One, sizes))},
				{Says: "for ε in [0, 1], with e^(−5mμε²/4) below", Check: tails(multiplicative(rat.One, rat.Of("5/2"), sizes))},
			},
			Corrected: &register.Claim{Says: "for ε in [0, 1]", Check: tails(multiplicative(rat.One, rat.One, sizes))},
		},
		{
			ID: "AFD-T3.3", Title: "Azuma's inequality: f ≥ E[f] + t with probability at most exp(−2t²/Σ c_i²), c_i the largest effect of X_i",
			Printed: "Section 3.1, Theorem 3.3; the X_i need not be independent",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"spec.Azuma", "impl.Azuma"},
			Check:    effects(rat.One, 2),
			Controls: []register.Claim{{Says: "with the effect of X_1 only", Check: effects(rat.One, 1)}},
			Near:     []register.Claim{{Says: "with 4/5·exp(−2t²/Σ c_i²)", Check: effects(rat.Of("4/5"), 2)}},
		},
		{
			ID: "AFD-T3.4", Title: "Stirling: √(2nπ)(n/e)^n e^(1/(12n+1)) < n! < √(2nπ)(n/e)^n e^(1/(12n))",
			Printed: "Section 3.1, Theorem 3.4",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"spec.Stirling", "impl.Stirling"},
			Check:    factorials(rat.One, rat.One),
			Controls: []register.Claim{{Says: "n! < √(2nπ)(n/e)^n e^(1/(12n+1))", Check: factorials(rat.One, rat.Of("0.999"))}},
			Near: []register.Claim{
				{Says: "the lower bound is larger by a thousandth", Check: factorials(rat.Of("1.001"), rat.One)},
				{Says: "the upper bound is smaller by a millionth", Check: factorials(rat.One, rat.Of("0.999999"))},
			},
		},
		{
			ID: "AFD-L3.19", Title: "Azuma's inequality for sums: if |C_i| ≤ α and E[C_i | C_1, …, C_{i−1}] ≤ β, Σ C_i > kβ + z√k·α with probability at most e^(−z²/2)",
			Printed: "Section 3.5.1, Lemma 3.19, for every z > 0",
			Reading: "For C_i of −α and α, the worst ones, whose means may be as large as β; they are all β: exactly, by the binomial distribution.",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"spec.AzumaSum", "impl.AzumaSum"},
			Check:    sums(rat.One, rat.One),
			Controls: []register.Claim{{Says: "with z√k·α/2", Check: sums(rat.Half, rat.One)}},
			Near:     []register.Claim{{Says: "with 2/3 of e^(−z²/2)", Check: sums(rat.One, rat.Of("2/3"))}},
		},
	}
}

// variables are m independent ones that are 1 with probability p, and otherwise 0.
type variables struct {
	m int
	p *big.Rat
}

// pr returns Pr[Σ X_i = n].
func (v variables) pr(n int) *big.Rat {
	choose := new(big.Rat).SetInt(new(big.Int).Binomial(int64(v.m), int64(n)))
	return rat.Product(choose, rat.Power(v.p, n), rat.Power(rat.Complement(v.p), v.m-n))
}

// beyond returns Pr[S > high] and Pr[S < low].
func (v variables) beyond(high, low *big.Rat) (above, below *big.Rat) {
	above, below = new(big.Rat), new(big.Rat)
	for n := range v.m + 1 {
		switch s := big.NewRat(int64(n), int64(v.m)); {
		case s.Cmp(high) > 0:
			above = rat.Add(above, v.pr(n))
		case s.Cmp(low) < 0:
			below = rat.Add(below, v.pr(n))
		}
	}
	return above, below
}

var (
	sizes         = rat.List("1/200", "1/10", "1/3", "9/10", "1")
	counts        = []int{1, 2, 3, 10, 60}
	probabilities = rat.List("1/100", "1/10", "1/2", "9/10", "99/100")
)

// bound is a bound of both tails at a distance of ε or, if that is of the mean, εμ.
type bound struct {
	of   func(t *register.T, v variables, eps *big.Rat) (above, below interval.Interval)
	mean bool
	eps  []*big.Rat
}

// additive is the bound of AFD-T3.1, times a factor above and one below, with another factor in the exponent.
func additive(over, under, exponent *big.Rat) bound {
	return bound{eps: sizes, of: func(t *register.T, v variables, eps *big.Rat) (above, below interval.Interval) {
		x := impl.AdditiveChernoff(v.m, eps)
		isAbout(t, "e^(−2mε²)", x, spec.AdditiveChernoff(v.m, rat.Float64(eps)))
		if !rat.Equal(exponent, rat.One) {
			x = precise.ExpRat(rat.Product(rat.Int(-2*v.m), exponent, eps, eps))
		}
		return precise.Mul(precise.Rat(over), x), precise.Mul(precise.Rat(under), x)
	}}
}

// multiplicative is the bound of AFD-T3.2, with factors in the exponents.
func multiplicative(first, second *big.Rat, eps []*big.Rat) bound {
	return bound{mean: true, eps: eps, of: func(t *register.T, v variables, eps *big.Rat) (above, below interval.Interval) {
		above, below = impl.MultiplicativeChernoff(v.m, v.p, eps)
		a, b := spec.MultiplicativeChernoff(v.m, rat.Float64(v.p), rat.Float64(eps))
		isAbout(t, "e^(−mμε²/3)", above, a)
		isAbout(t, "e^(−mμε²/2)", below, b)
		power := func(x interval.Interval, of *big.Rat) interval.Interval {
			return precise.Exp(precise.Mul(precise.Rat(of), precise.LogOf(x)))
		}
		if !rat.Equal(first, rat.One) || !rat.Equal(second, rat.One) {
			above, below = power(above, first), power(below, second)
		}
		return above, below
	}}
}

// isAbout refutes that the rooms disagree.
func isAbout(t *register.T, what string, fast interval.Interval, literal float64) {
	if x := fast.Float().Hi; math.Abs(x-literal) > 1e-12*math.Abs(literal)+1e-300 {
		t.Refute("%s is %.15g by spec, %.15g by impl", what, literal, x)
	}
}

// tails checks a bound against exact binomial tails.
func tails(b bound) register.Check {
	return func(t *register.T) {
		t.Domain("variables of 0 and 1, m in {1, 2, 3, 10, 60}, probability of 1 in {%s}, ε in {%s}", rat.Show(probabilities...), rat.Show(b.eps...))
		for _, m := range counts {
			for _, p := range probabilities {
				for _, eps := range b.eps {
					t.Case()
					v, far := variables{m, p}, eps
					if b.mean {
						far = rat.Mul(far, p)
					}
					above, below := v.beyond(rat.Add(p, far), rat.Sub(p, far))
					high, low := b.of(t, v, eps)
					for _, tail := range []struct {
						says  string
						exact *big.Rat
						most  interval.Interval
					}{{"above", above, high}, {"below", below, low}} {
						if tail.exact.Sign() == 0 {
							continue
						}
						if tail.exact.Cmp(rat.Exact(tail.most.Upper)) > 0 {
							t.Refute("m = %d, Pr[X_i = 1] = %s, ε = %s: the probability %s is %.9g, the bound %.9g", m, rat.Show(p), rat.Show(eps), tail.says, rat.Float64(tail.exact), tail.most.Upper)
						}
						t.Close(rat.Float64(tail.exact)/tail.most.Float().Hi, "m = %d, Pr[X_i = 1] = %s, ε = %s, %s", m, rat.Show(p), rat.Show(eps), tail.says)
					}
				}
			}
		}
	}
}

// effects checks AFD-T3.3 for all functions of two variables a, b with values in {0, 1, 2}, under laws in 1/4 that need not be
// independent; counting the effects of some of the variables.
func effects(factor *big.Rat, counted int) register.Check {
	return func(t *register.T) {
		t.Domain("two variables with the values 0 and 1 and joint probabilities in 1/4, functions with values 0, 1, 2")
		for law := range finite.Laws(4, 4) {
			joint := [2][2]*big.Rat{{law["a"], law["b"]}, {law["c"], law["d"]}}
			for f := range finite.Tuples([]int{0, 1, 2}, 4) {
				t.Case()
				mean, c := effectsOf(joint, f)
				if c[0].Sign() == 0 && c[1].Sign() == 0 || c[0].Sign() == 0 && counted == 1 {
					continue
				}
				for _, value := range f {
					far := rat.Sub(rat.Int(value), mean)
					if far.Sign() <= 0 {
						continue
					}
					reached := new(big.Rat)
					for i, other := range f {
						if other >= value {
							reached = rat.Add(reached, joint[i/2][i%2])
						}
					}
					most := impl.Azuma(far, c[:counted])
					isAbout(t, "exp(−2t²/Σ c_i²)", most, spec.Azuma(rat.Float64(far), rat.Floats(c[:counted])))
					if most = precise.Mul(precise.Rat(factor), most); reached.Cmp(rat.Exact(most.Upper)) > 0 {
						t.Refute("probabilities %v, f = %v: f ≥ E[f] + %s with probability %s, the bound is %.9g", law, f, rat.Show(far), rat.Show(reached), most.Upper)
					}
					t.Close(rat.Float64(reached)/most.Float().Hi, "probabilities %v, f = %v, t = %s", law, f, rat.Show(far))
				}
			}
		}
	}
}

// effectsOf returns E[f], and the largest effects c_1 and c_2.
func effectsOf(joint [2][2]*big.Rat, f []int) (mean *big.Rat, c []*big.Rat) {
	mean = new(big.Rat)
	var given []*big.Rat // E[f | X_1 = a], where that is possible
	second := new(big.Rat)
	for a, row := range joint {
		mass, part := rat.Add(row[0], row[1]), rat.Add(rat.Mul(row[0], rat.Int(f[2*a])), rat.Mul(row[1], rat.Int(f[2*a+1])))
		mean = rat.Add(mean, part)
		if mass.Sign() > 0 {
			given = append(given, rat.Quo(part, mass))
		}
		if row[0].Sign() > 0 && row[1].Sign() > 0 {
			second = rat.Max(second, new(big.Rat).Abs(rat.Int(f[2*a]-f[2*a+1])))
		}
	}
	first := rat.Sub(slices.MaxFunc(given, (*big.Rat).Cmp), slices.MinFunc(given, (*big.Rat).Cmp))
	return mean, []*big.Rat{first, second}
}

// factorials checks Stirling's bounds, times factors.
func factorials(below, above *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("n = 1 to 140")
		for n := 1; n <= 140; n++ {
			t.Case()
			exact := new(big.Rat).SetInt(new(big.Int).MulRange(1, int64(n)))
			lower, upper := impl.Stirling(n)
			l, u := spec.Stirling(n)
			isAbout(t, fmt.Sprintf("the lower bound of %d!", n), lower, l)
			isAbout(t, fmt.Sprintf("the upper bound of %d!", n), upper, u)
			lower, upper = precise.Mul(lower, precise.Rat(below)), precise.Mul(upper, precise.Rat(above))
			if rat.Exact(lower.Lower).Cmp(exact) >= 0 || rat.Exact(upper.Upper).Cmp(exact) <= 0 {
				t.Refute("%d! is not between %.12g and %.12g", n, lower.Lower, upper.Upper)
			}
		}
	}
}

// sums checks AFD-L3.19 with factors of z√k·α and of the probability.
func sums(far, factor *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("k in {1, 2, 3, 10, 60}, C_i of −1 and 1 with means of −98/100, −8/10, 0, 8/10, 98/100, z in {1/100, 1/2, 1, 2, 4}")
		for _, k := range counts {
			for _, p := range probabilities {
				for _, z := range rat.List("1/100", "1/2", "1", "2", "4") {
					t.Case()
					beta := rat.Sub(rat.Twice(p), rat.One)
					_, most := impl.AzumaSum(k, rat.One, beta, z)
					_, literal := spec.AzumaSum(k, 1, rat.Float64(beta), rat.Float64(z))
					isAbout(t, "e^(−z²/2)", most, literal)
					threshold, _ := impl.AzumaSum(k, rat.One, beta, rat.Mul(far, z))
					literal, _ = spec.AzumaSum(k, 1, rat.Float64(beta), rat.Float64(rat.Mul(far, z)))
					isAbout(t, "kβ + z√k·α", threshold, literal)
					exceeded := new(big.Rat)
					for n := range k + 1 {
						if rat.IsAtMost(threshold, rat.Int(2*n-k)) && !rat.Equal(rat.Exact(threshold.Upper), rat.Int(2*n-k)) {
							exceeded = rat.Add(exceeded, variables{k, p}.pr(n))
						}
					}
					if most = precise.Mul(precise.Rat(factor), most); exceeded.Cmp(rat.Exact(most.Upper)) > 0 {
						t.Refute("k = %d, β = %s, z = %s: exceeded with probability %.9g, the bound is %.9g", k, rat.Show(beta), rat.Show(z), rat.Float64(exceeded), most.Upper)
					}
					t.Close(rat.Float64(exceeded)/most.Float().Hi, "k = %d, β = %s, z = %s", k, rat.Show(beta), rat.Show(z))
				}
			}
		}
	}
}
