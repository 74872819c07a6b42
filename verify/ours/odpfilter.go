package ours

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// odpFilter are the statements of docs/odp-filter.md.
func odpFilter() register.Checks {
	return register.Checks{
		"OUR-L20": finite.Tight(betCharges(), "19/20", "with 19/20 of c_μ"),
		"OUR-L21": finite.Tight(fairBets(), "19/20", "c is at most 19/20·λ(λ + 1)E²/2"),
		"OUR-X19": finite.Tight(partBets(), "19/20", "at most 19/20·2c*"),
		"OUR-T3":  finite.Tight(readings(), "1/4", "with δ′/4 in the place of δ′"),
		"OUR-T4": checked(register.All(filterKeeps().With("1"), filtersAgree, filterEnds),
			near("with δ/5", filterKeeps().With("1/5"))),
		"OUR-X20": finite.Tight(bestLambdas(), "11/10", "11/10 of that λ"),
	}
}

// encloses refutes an interval of impl that is not around a number of spec, but for an error, or wider than that.
func encloses(t *register.T, what string, fast interval.Float, literal, near float64) {
	t.Require(fast.Lo <= literal+near && fast.Hi >= literal-near && fast.Hi-fast.Lo <= near,
		"%s is %.12g by spec, in [%.12g, %.12g] by impl", what, literal, fast.Lo, fast.Hi)
}

// chargeOfBet is c_μ(ε), by both rooms.
func chargeOfBet(t *register.T, lambda, mu, eps float64) float64 {
	c := spec.BetCharge(lambda, mu, eps)
	encloses(t, "c_μ", ledger.BetCharge(interval.Point(lambda), interval.Point(mu), interval.Point(eps)), c,
		1e-12*math.Exp(3*lambda*eps))
	return c
}

// betCharges checks that a share of c_μ is enough at 201 losses in [−E, E], and that c_μ is reached.
var betCharges = finite.On("λ in {1/10, 1, 10}, E in {1/1000, 1/10, 1}, μ/min(λ, 99/(100(e^E − 1))) in {0, 1/3, 1}",
	func(t *register.T, share *big.Rat, lambda, eps, part float64) {
		mu := part * min(lambda, 0.99/math.Expm1(eps))
		c, most := chargeOfBet(t, lambda, mu, eps), math.Inf(-1)
		for i := -100; i <= 100; i++ {
			l := eps * float64(i) / 100
			most = max(most, lambda*l-math.Log1p(-mu*math.Expm1(-l)))
		}
		t.Require(most <= rat.Float64(share)*c+1e-12*(1+lambda) && most >= c-1e-9*(1+lambda),
			"μ = %.9g: the largest λL − ln(1 + μ(1 − e^−L)) is %.12g, c_μ is %.12g", mu, most, c)
		t.Require(chargeOfBet(t, lambda, mu, 0) == 0 && chargeOfBet(t, lambda, mu, eps/2) <= c+1e-15 &&
			(mu > 0 || math.Abs(c-lambda*eps) <= 1e-12), "μ = %.9g: c_μ is %.12g for E", mu, c)
	})

// fairBets checks μ*, and that its charge is that of randomized response, the least, and at most a share of
// λ(λ + 1)E²/2.
var fairBets = finite.On("λ in {1/10, 1, 3}, E in {1/1000, 1/10, 1, 3}",
	func(t *register.T, share *big.Rat, lambda, eps float64) {
		mu, at, e := spec.FairBet(lambda, eps), interval.Point(lambda), interval.Point(eps)
		encloses(t, "μ*", ledger.FairBet(at, e), mu, 1e-12*lambda)
		t.Require(mu < lambda && mu*math.Expm1(eps) < 1 && spec.FairBet(lambda, 2*eps) < mu &&
			spec.FairBet(lambda, 0) == lambda, "μ* is %.12g", mu)
		c, p := spec.ResponseCharge(lambda, eps), 1/(1+math.Exp(-eps))
		encloses(t, "c", ledger.ResponseCharge(at, e), c, 1e-12*(1+lambda*eps))
		mean := math.Log(p*math.Exp(lambda*eps) + (1-p)*math.Exp(-lambda*eps))
		rounding := 1e-12 * math.Exp(2*lambda*eps)
		t.Require(math.Abs(c-mean) <= 1e-12*(1+lambda) && math.Abs(spec.BetCharge(lambda, mu, eps)-c) <= rounding,
			"c is %.12g, for μ* %.12g, ln of the mean of e^(λL) %.12g", c, spec.BetCharge(lambda, mu, eps), mean)
		for i := range 11 {
			other := float64(i) / 10 * min(lambda, 0.99/math.Expm1(eps))
			t.Require(spec.BetCharge(lambda, other, eps) >= c-rounding, "for μ = %.9g it is %.12g, less than %.12g",
				other, spec.BetCharge(lambda, other, eps), c)
		}
		bound := lambda * (lambda + 1) * eps * eps / 2
		t.Require(c <= rat.Float64(share)*bound+1e-14 && c <= lambda*eps, "c is %.12g", c)
		t.Close(c/bound, "")
	})

// partBets checks that the bet for parts from a smallest ℰ to a largest M is charged c* to a share of 2c* for M.
var partBets = finite.On("λ in {1/10, 1, 3}, M in {1/10, 1, 3}, m/M in {0, 1/100, 1/2, 1}",
	func(t *register.T, share *big.Rat, lambda, most, part float64) {
		mu, alone := spec.ODPBet(lambda, part*most, most), spec.ResponseCharge(lambda, most)
		encloses(t, "μ", ledger.ODPBet(interval.Point(lambda), interval.Point(part*most), interval.Point(most)), mu,
			1e-12*lambda)
		encloses(t, "μ for M = 0", ledger.ODPBet(interval.Point(lambda), interval.Point(0), interval.Point(0)),
			spec.ODPBet(lambda, 0, 0), 1e-12*lambda)
		t.Require(spec.ODPBet(lambda, 0, 0) == lambda, "μ is %.9g for M = 0", spec.ODPBet(lambda, 0, 0))
		c, rounding := spec.BetCharge(lambda, mu, most), 1e-12*math.Exp(2*lambda*most)
		t.Require(c >= alone-rounding && c <= rat.Float64(share)*2*alone+rounding &&
			mu <= spec.FairBet(lambda, part*most), "μ = %.9g: c_μ(M) is %.12g, c* is %.12g", mu, c, alone)
		t.Close(c/(2*alone), "")
	})

// readings checks that n rounds of one mechanism with two parts, read after each output, are ODP with δ″ + (1 − δ″)
// times a share of δ′: by all numbers of the four outputs, a likely and an unlikely one in each part.
var readings = finite.On("λ in {1, 3}, δ' in {1/2, 1/10}, δ_i in {0, 1/100}, n in {1, 4, 8 | 12}, e^ℰ in {11/10, 3/2} "+
	"in one part, 2 in the other, of which the first has the probability p in {0, 9/10 | 1/2}",
	func(t *register.T, share *big.Rat, lambda, delta1, leak float64, n int, small, p float64) {
		eps := [2]float64{math.Log(small), math.Log(2)}
		least := eps[0]
		if p == 0 {
			least = eps[1]
		}
		mu, sum := spec.ODPBet(lambda, least, eps[1]), 0.0
		for counts := range finite.Tuples(slices.Collect(upTo(n)), 3) { // of three outputs, the rest is the fourth
			last := n - counts[0] - counts[1] - counts[2]
			if last < 0 {
				continue
			}
			all := [4]int{counts[0], counts[1], counts[2], last}
			ways, p0, p1 := math.Gamma(float64(n)+1), 1.0, 1.0
			for i, k := range all {
				e, part := math.Exp(eps[i/2]), []float64{p, 1 - p}[i/2]
				ways /= math.Gamma(float64(k) + 1)
				p0 *= math.Pow(part*[]float64{e, 1}[i%2]/(1+e), float64(k))
				p1 *= math.Pow(part*[]float64{1, e}[i%2]/(1+e), float64(k))
			}
			first, second := float64(all[0]+all[1]), float64(all[2]+all[3])
			charges := first*spec.BetCharge(lambda, mu, eps[0]) + second*spec.BetCharge(lambda, mu, eps[1])
			lambdas := first*eps[0] + second*eps[1]
			r := spec.ODPReading(lambda, delta1, lambdas, charges)
			if leak == 0 {
				exactly := func(x float64) loss.Sum { return loss.OfRat(new(big.Rat).SetFloat64(x)) }
				encloses(t, "R", ledger.ODPReading(new(big.Rat).SetFloat64(lambda), new(big.Rat).SetFloat64(delta1),
					exactly(lambdas), exactly(max(0, charges))), r, 1e-12*(1+r))
			}
			sum += ways * max(0, p0-math.Exp(r)*p1)
		}
		whole, stay := float64(n)*leak, math.Pow(1-leak, float64(n))
		need, claimed := 1-stay+stay*sum, whole+(1-whole)*rat.Float64(share)*delta1
		t.Require(need <= claimed+1e-12, "δ of %.9g is needed, claimed %.9g", need, claimed)
		t.Close(need/claimed, "")
	})

// upTo goes from 0 to n.
func upTo(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i <= n && yield(i); i++ {
		}
	}
}

// twoParts is a mechanism with e^ℰ = 11/10 in a part of probability 3/4 and 2 in the other, and a δ.
func twoParts(d *big.Rat) ledger.Choice {
	c := ledger.Choice{Name: "parts", Outputs: []string{"a", "b", "c", "d", "x", "y"}, Part: []int{0, 0, 1, 1, 0, 0},
		ExpE: rat.List("11/10", "2"), Delta: d}
	for b := range c.Laws {
		for i, part := range rat.List("3/4", "1/4") {
			r := finite.ResponseChoice(c.ExpE[i]).Laws[b]
			c.Laws[b] = append(c.Laws[b], rat.Product(part, rat.Complement(d), r[0]),
				rat.Product(part, rat.Complement(d), r[1]))
		}
		c.Laws[b] = append(c.Laws[b], []*big.Rat{d, new(big.Rat)}[b], []*big.Rat{new(big.Rat), d}[b])
	}
	return c
}

// filterKeeps checks that no adversary gets more than a share of δ″ + (1 − δ″)δ′ against the filter for ε = ln 3.
var filterKeeps = finite.On("δ_i in {0, 1/50}, λ in {1/2, 1, 2}, δ' in {1/2, 1/10}, up to 8 rounds of a mechanism "+
	"with two parts, e^ℰ = 11/10 and 2; ε = ln 3, δ'' = 1/20",
	func(t *register.T, share *big.Rat, leak *big.Rat, lambda float64, delta1 *big.Rat) {
		parts := []float64{math.Log(1.1), math.Log(2)}
		rule := ledger.Rule{
			Admits: func(seen []*big.Rat, _ *ledger.Choice) bool {
				var rounds []spec.ODPRound
				for _, k := range append(slices.Clip(seen), new(big.Rat)) {
					rounds = append(rounds, spec.ODPRound{Parts: parts, Delta: rat.Float64(leak), Observed: k.Sign()})
				}
				return spec.AdvancedODPFilter(rounds, math.Log(3), rat.Float64(delta1), 0.05, lambda) == len(rounds)
			},
			Next: func(seen []*big.Rat, c *ledger.Choice, output int) []*big.Rat {
				return append(slices.Clip(seen), rat.Int(c.Part[output]))
			},
		}
		m, delta2 := finite.Menu{Choices: finite.BothWays(twoParts(leak)), Rounds: 8}, rat.Of("1/20")
		worst, _ := m.Worst(t, rule, rat.Int(3))
		t.AtMost(worst, rat.Mul(share, rat.Add(delta2, rat.Mul(rat.Complement(delta2), delta1))),
			"δ of %.9g is needed", worst)
	})

// filtersAgree checks that impl admits as many of 300 rounds as spec, but where a sum is as near to its limit as
// float64 can tell: of large ℰ the sum of ε admits more, of small ℰ the charges.
func filtersAgree(t *register.T) {
	finite.Each(t, "300 rounds in turn with ℰ/s of 0.1, of 0.03 or 0.01, and of 0, 0.3 or 0.1; s in {1/10, 1}, "+
		"ε in {1/2, 1, 4}, λ in {1/2, 3, 10, 40}, δ' = 1/100000, δ'' = 1/100", func(size, target, lambda *big.Rat) {
		var rounds []spec.ODPRound
		delta2 := rat.Of("1/100")
		delta := rat.Add(delta2, rat.Of("99/10000000"))
		run := ledger.NewFilterRun(register.Must(ledger.NewODPFilter(loss.Nats(target), delta, delta2, lambda)))
		n, isOpen := 0, true
		for i := range 300 {
			parts := [][]string{{"1/10"}, {"3/100", "1/100"}, {"0", "3/10", "1/10"}}[i%3]
			g := ledger.Guarantee{Delta: rat.Of("1/20000")}
			round := spec.ODPRound{Delta: 1. / 20000, Observed: i / 3 % len(parts)}
			for k, part := range parts {
				e := rat.Mul(size, rat.Of(part))
				g.Parts = append(g.Parts, ledger.Part{Name: fmt.Sprint(k), Eps: loss.Nats(e)})
				round.Parts = append(round.Parts, rat.Float64(e))
			}
			rounds = append(rounds, round)
			if isOpen = isOpen && run.SpendGuarantee(g, fmt.Sprint(round.Observed)) == nil; isOpen {
				n++
			}
		}
		count := func(up float64) int {
			return spec.AdvancedODPFilter(rounds, rat.Float64(target)*up, 1e-5, 0.01*up, rat.Float64(lambda))
		}
		low, high := count(1-1e-10), count(1+1e-10)
		t.Require(low <= n && n <= high, "%d rounds by impl, from %d to %d by spec", n, low, high)
	})
}

// filterEnds checks where the filter of spec ends: sums of ε and of δ may be their limits, and a δ′ that is less by a
// hundredth admits fewer rounds.
func filterEnds(t *register.T) {
	t.AlsoDomain("rounds with ε = 1/4 for ε = 1, with δ_i = 1/4 for δ'' = 1, by impl 1/2; rounds with ε = 1/100, λ = 10")
	t.Case()
	quarters := slices.Repeat([]spec.ODPRound{{Parts: []float64{0.25}}}, 9)
	leaks := slices.Repeat([]spec.ODPRound{{Parts: []float64{0}, Delta: 0.25}}, 9)
	small := slices.Repeat([]spec.ODPRound{{Parts: []float64{0.01}}}, 5000)
	byEps, byDelta := spec.AdvancedODPFilter(quarters, 1, 1e-9, 0, 1), spec.AdvancedODPFilter(leaks, 1, 1e-9, 1, 1)
	more, less := spec.AdvancedODPFilter(small, 1, 0.1, 0, 10), spec.AdvancedODPFilter(small, 1, 0.099, 0, 10)
	t.Require(byEps == 4 && byDelta == 4 && less < more && more < len(small),
		"%d and %d rounds, not 4; %d rounds for δ' = 0.1, and %d for 0.099", byEps, byDelta, more, less)
	byImpl := func(eps, delta string) (n int) {
		f := register.Must(ledger.NewODPFilter(loss.Nats(rat.One), rat.Of("101/200"), rat.Half, rat.One))
		g := ledger.Guarantee{Parts: []ledger.Part{{Name: "0", Eps: loss.Nats(rat.Of(eps))}}, Delta: rat.Of(delta)}
		for run := ledger.NewFilterRun(f); n < 9 && run.SpendGuarantee(g, "0") == nil; {
			n++
		}
		return n
	}
	byEps, byDelta = byImpl("1/4", "0"), byImpl("0", "1/4")
	t.Require(byEps == 4 && byDelta == 2, "by impl %d and %d rounds, not 4 and 2", byEps, byDelta)
}

// bestLambdas checks that a multiple of λ has nearly the largest capacity for its charges, and that impl finds it.
var bestLambdas = finite.On("ε in {1/100, 1/2, 3, 50}, δ' in {1/2, 1e-6, 1e-20}",
	func(t *register.T, times *big.Rat, eps, delta1 *big.Rat) {
		e, d := rat.Float64(eps), rat.Float64(delta1)
		gain := func(lambda float64) float64 { return spec.BetCapacity(lambda, e, d) / (lambda * (lambda + 1)) }
		lambda, most := rat.Float64(times)*spec.BestLambda(e, d), math.Inf(-1)
		for k := -2000; k <= 4000; k++ {
			most = max(most, gain(math.Exp(float64(k)/100)))
		}
		t.Require(gain(lambda) >= most-1e-4*math.Abs(most) && gain(ledger.BestLambda(e, d)) >= most-1e-9*math.Abs(most),
			"λ = %.6g has %.9g, by impl %.6g has %.9g, the most is %.9g", lambda, gain(lambda), ledger.BestLambda(e, d),
			gain(ledger.BestLambda(e, d)), most)
		encloses(t, "K", ledger.BetCapacity(new(big.Rat).SetFloat64(lambda), loss.Nats(eps), delta1).Float(),
			spec.BetCapacity(lambda, e, d), 1e-12*(100+lambda*e))
	})
