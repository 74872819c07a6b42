package selection

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// naiveLaws are the examples of Appendix B that are about many runs.
func naiveLaws() register.Checks {
	return register.Checks{
		"PSC-X18": register.Checked(rarelyBest(rat.Half),
			register.NearMiss("Θ is 19/20", rarelyBest(nearly)),
		),
		"PSC-X19": register.Checked(lowered(func(r int) int { return r }, rat.One),
			register.Control("it loses (2R + 1)ε at least", lowered(func(r int) int { return 2*r + 1 }, rat.One)),
			register.NearMiss("0 has 19/20 of the probability", lowered(func(r int) int { return r }, nearly)),
			register.NearMiss("it loses (R + 2)ε at least", lowered(func(r int) int { return r + 2 }, rat.One)),
		),
		"PSC-X20": register.Checked(medians(rat.One),
			register.NearMiss("at least 20/19·ε²N/2 − ln 2", medians(rat.Of("20/19"))),
		),
	}
}

// rarelyBest checks the example with a share of ε·ln(1/δ).
func rarelyBest(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("K in {10^5, 10^7}, (ε, δ) in {(1/4, 10^−9), (1/2, 10^−4), (1/10, 10^−30)}")
		for _, k := range []int{1e5, 1e7} {
			for _, v := range [][]*big.Rat{rat.List("1/4", "1e-9"), rat.List("1/2", "1e-4"), rat.List("1/10", "1e-30")} {
				t.Case()
				eps, delta, one := v[0], v[1], precise.Int(1)
				log := precise.Log(new(big.Rat).Inv(delta))
				high := precise.Quo(log, precise.Int(int64(k))) // of 0.95 on d_1
				less := precise.Mul(precise.ExpRat(new(big.Rat).Neg(eps)), high)
				rising(precise.Sub(one, less), precise.Mul(precise.ExpRat(eps), precise.Sub(one, high))).check(t, one,
					"K = %d, ε = %s, δ = %s, the score 0.8", k, rat.Show(eps), rat.Show(delta))
				best := [2]interval.Interval{precise.Power(precise.Sub(one, high), k), precise.Power(precise.Sub(one, less), k)}
				rising(precise.Half(exactly(delta)), best[0], exactly(delta)).check(t, one, "K = %d, ε = %s, δ = %s, on d_1", k,
					rat.Show(eps), rat.Show(delta))
				lost := precise.LogOf(precise.Quo(precise.Sub(best[1], exactly(delta)), best[0]))
				rising(precise.Mul(exactly(rat.Mul(share, eps)), log), lost).check(t, one, "K = %d, ε = %s, δ = %s, the loss", k,
					rat.Show(eps), rat.Show(delta))
			}
		}
	}
}

// lowered checks the law by what can happen at each threshold, the sums, and that 0 loses so many ε.
func lowered(times func(r int) int, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("p in {1/3, 9/10, 99/100}, γ in {1/100, 1/2, 1}, R in {1, 2, 5}; e^ε in {11/10, 2}, where e^ε(1 − p) < 1")
		zero := func(p, gamma *big.Rat, r int) *big.Rat {
			rest := rat.Complement(p)
			return rat.Product(rest, rat.Power(gamma, r), rat.Power(rat.Quo(rest, stops(p, gamma)), r))
		}
		for _, p := range rat.List("1/3", "9/10", "99/100") {
			for _, gamma := range rat.List("1/100", "1/2", "1") {
				for _, r := range []int{1, 2, 5} {
					t.Case()
					a, b := rat.Mul(rat.Complement(p), rat.Complement(gamma)), rat.Mul(rat.Complement(p), gamma)
					// by what can happen at each threshold: p, b, or again with a
					reached, one, sum := rat.One, new(big.Rat), new(big.Rat)
					for i := range r {
						one = rat.Add(one, rat.Quo(rat.Mul(reached, p), rat.Complement(a)))
						reached = rat.Quo(rat.Mul(reached, b), rat.Complement(a))
						sum = rat.Add(sum, rat.Quo(rat.Power(b, i), rat.Power(rat.Complement(a), i+1)))
					}
					ratio := rat.Quo(b, rat.Complement(a))
					middle := rat.Product(rat.Quo(p, rat.Complement(a)), rat.Complement(rat.Power(ratio, r)),
						new(big.Rat).Inv(rat.Complement(ratio)))
					if !rat.Equal(rat.Mul(p, sum), one) || !rat.Equal(middle, one) || !rat.Equal(rat.Complement(rat.Power(ratio, r)),
						one) {
						t.Refute("p = %s, γ = %s, R = %d: 1 has the probability %s, the sums are %s", rat.Show(p), rat.Show(gamma), r,
							rat.Show(one), rat.Show(rat.Mul(p, sum), middle))
					}
					if want := rat.Mul(rat.Complement(p), reached); !rat.Equal(rat.Mul(share, zero(p, gamma, r)), want) {
						t.Refute("p = %s, γ = %s, R = %d: 0 has the probability %s", rat.Show(p), rat.Show(gamma), r, rat.Show(want))
					}
					for _, e := range rat.List("11/10", "2") {
						other := rat.Complement(rat.Mul(e, rat.Complement(p)))
						if other.Sign() <= 0 {
							continue
						}
						lost, least := rat.Quo(zero(other, gamma, r), zero(p, gamma, r)), rat.Power(e, times(r))
						if lost.Cmp(least) < 0 {
							t.Refute("p = %s, γ = %s, R = %d, e^ε = %s: 0 is %s times as likely, claimed is %s", rat.Show(p),
								rat.Show(gamma), r, rat.Show(e), rat.Show(lost), rat.Show(least))
						}
					}
				}
			}
		}
	}
}

// medians checks the example with so many ε²N/2.
func medians(times *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/10, 1/2}, N odd with ε²N about 4 and 400")
		for _, eps := range rat.List("1/10", "1/2") {
			high, low := rat.Mul(rat.Half, rat.Add(rat.One, eps)), rat.Mul(rat.Half, rat.Complement(eps))
			rising(exactly(rat.Quo(high, low)), precise.ExpRat(rat.Mul(rat.Int(3), eps))).check(t, precise.Int(1),
				"ε = %s, a model", rat.Show(eps))
			// m_2 has a score of 1: the median is 1 just if it has probability 1/2
			if high.Cmp(rat.Half) < 0 || low.Cmp(rat.Half) >= 0 {
				t.Refute("ε = %s: the medians are the same", rat.Show(eps))
			}
			for _, square := range []int64{4, 400} {
				t.Case()
				n := int(square*eps.Denom().Int64()*eps.Denom().Int64()/(eps.Num().Int64()*eps.Num().Int64())) | 1
				bound := precise.Sub(exactly(rat.Product(times, eps, eps, rat.Int(n), rat.Half)), precise.Log(rat.Of("2")))
				var fewer, random [2]interval.Interval // Pr[fewer than half are m_2], and fewer than k
				for b, p := range []*big.Rat{high, low} {
					half := (n + 1) / 2
					below := precise.Int(0)
					random[b] = precise.Int(0)
					law := binomialLaw(n, p)
					for k := 1; k <= half; k++ {
						below = precise.Add(below, law[k-1])
						random[b] = precise.Add(random[b], below)
					}
					fewer[b], random[b] = below, precise.Quo(random[b], precise.Int(int64(half)))
				}
				rising(bound, precise.LogOf(precise.Quo(fewer[1], fewer[0]))).check(t, precise.Int(1),
					"ε = %s, the median of N = %d", rat.Show(eps), n)
				with := precise.Add(bound, precise.Log(rat.Mul(rat.Half, eps)))
				rising(with, precise.LogOf(precise.Quo(random[1], random[0]))).check(t, precise.Int(1),
					"ε = %s, the k-th of N = %d", rat.Show(eps), n)
			}
		}
	}
}
