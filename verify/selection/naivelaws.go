package selection

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// naiveLaws are the examples of Appendix B that are about many runs.
func naiveLaws() []register.Statement {
	return []register.Statement{
		{
			ID: "PSC-X18", Title: "The best of K ε-DP candidates is not better than (Θ(ln(1/δ))ε, δ)-DP: 0.95 with probability ln(1/δ)/K on d_1, e^−ε·ln(1/δ)/K on d_1'",
			Printed: "Appendix B.1: Pr[i_*(d_1) = 0] ≈ δ, Pr[i_*(d_1') = 0] ≈ δ^(1−ε), ln|(Pr[i_*(d_1') = 0] − δ)/Pr[i_*(d_1) = 0]| ≈ ln(δ^−ε − 1) ≈ ε·ln(1/δ)",
			Reading: "The candidates are ε-DP; Pr[i_*(d_1) = 0] is at most δ and at least δ/2; Θ is half, where ε ≤ 1/2 and ε·ln(1/δ) ≥ 4.",
			Kind:    register.Certified, Verdict: register.Holds,
			Note:     "Pr[i_*(d_1') = 0] is about δ^(e^−ε), which is δ^(1−ε) for small ε only; what is lost is (1 − e^−ε)·ln(1/δ). No function of spec is part of it.",
			Check:    rarelyBest(rat.Half),
			Controls: []register.Claim{{Says: "Θ is 1", Check: rarelyBest(rat.One)}},
			Near:     []register.Claim{{Says: "Θ is 19/20", Check: rarelyBest(nearly)}},
		},
		{
			ID: "PSC-A8", Title: "A threshold that is lowered by a step with probability γ after each sample below it, until a sample reaches it", Printed: "Appendix B.2",
			Kind: register.Definition, Verdict: register.NotCheckable, Note: "An algorithm that is not private; where it begins and its step are not in print. PSC-X19 has its law.",
		},
		{
			ID: "PSC-X19", Title: "With scores 0 and 1, a = (1−p)(1−γ), b = (1−p)γ: 1 before the R-th step with p·Σ_{i<R} b^i/(1−a)^(i+1) = (p/(1−a))(1−(b/(1−a))^R)/(1−b/(1−a)) = 1−(b/(1−a))^R, and 0 with (1−p)(b/(1−a))^R = (1−p)γ^R((1−p)/(p(1−γ)+γ))^R; R thresholds cost a factor of R in privacy",
			Printed: "Appendix B.2",
			Reading: "If 1 − p on D is e^ε(1 − p), the output 0 loses Rε at least.",
			Kind:    register.Exact, Verdict: register.Holds, Note: "Even (R + 1)ε, and up to (2R + 1)ε. No function of spec is part of it.",
			Check:    lowered(func(r int) int { return r }, rat.One),
			Controls: []register.Claim{{Says: "it loses (2R + 1)ε at least", Check: lowered(func(r int) int { return 2*r + 1 }, rat.One)}},
			Near: []register.Claim{
				{Says: "0 has 19/20 of the probability", Check: lowered(func(r int) int { return r }, nearly)},
				{Says: "it loses (R + 2)ε at least", Check: lowered(func(r int) int { return r + 2 }, rat.One)},
			},
		},
		{
			ID: "PSC-X20", Title: "The model with the best median is not private: m_1, m_2 with the scores 0 and 1 and probabilities (1 ∓ ε)/2 on D, (1 ± ε)/2 on D'; nor with the median of N samples, nor with the k-th highest for a random k ≤ ⌈N/2⌉",
			Printed: "Appendix B.3",
			Reading: "The two are 3ε-DP for ε ≤ 1/2; the medians are 1 and 0, and the loss of m_1 for N samples is at least ε²N/2 − ln 2, and ln(ε/2) more for a random k.",
			Kind:    register.Certified, Verdict: register.Holds, Note: "No function of spec is part of it.",
			Check:    medians(rat.One),
			Controls: []register.Claim{{Says: "at least ε²N − ln 2", Check: medians(rat.Int(2))}},
			Near:     []register.Claim{{Says: "at least 20/19·ε²N/2 − ln 2", Check: medians(rat.Of("20/19"))}},
		},
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
				rising(precise.Sub(one, less), precise.Mul(precise.ExpRat(eps), precise.Sub(one, high))).check(t, one, "K = %d, ε = %s, δ = %s, the score 0.8", k, rat.Show(eps), rat.Show(delta))
				best := [2]interval.Interval{precise.Power(precise.Sub(one, high), k), precise.Power(precise.Sub(one, less), k)}
				rising(precise.Half(exactly(delta)), best[0], exactly(delta)).check(t, one, "K = %d, ε = %s, δ = %s, on d_1", k, rat.Show(eps), rat.Show(delta))
				lost := precise.LogOf(precise.Quo(precise.Sub(best[1], exactly(delta)), best[0]))
				rising(precise.Mul(exactly(rat.Mul(share, eps)), log), lost).check(t, one, "K = %d, ε = %s, δ = %s, the loss", k, rat.Show(eps), rat.Show(delta))
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
					reached, one, sum := rat.One, new(big.Rat), new(big.Rat) // by what can happen at each threshold: p, b, or again with a
					for i := range r {
						one = rat.Add(one, rat.Quo(rat.Mul(reached, p), rat.Complement(a)))
						reached = rat.Quo(rat.Mul(reached, b), rat.Complement(a))
						sum = rat.Add(sum, rat.Quo(rat.Power(b, i), rat.Power(rat.Complement(a), i+1)))
					}
					ratio := rat.Quo(b, rat.Complement(a))
					middle := rat.Product(rat.Quo(p, rat.Complement(a)), rat.Complement(rat.Power(ratio, r)), new(big.Rat).Inv(rat.Complement(ratio)))
					if !rat.Equal(rat.Mul(p, sum), one) || !rat.Equal(middle, one) || !rat.Equal(rat.Complement(rat.Power(ratio, r)), one) {
						t.Refute("p = %s, γ = %s, R = %d: 1 has the probability %s, the sums are %s", rat.Show(p), rat.Show(gamma), r, rat.Show(one), rat.Show(rat.Mul(p, sum), middle))
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
							t.Refute("p = %s, γ = %s, R = %d, e^ε = %s: 0 is %s times as likely, claimed is %s", rat.Show(p), rat.Show(gamma), r, rat.Show(e), rat.Show(lost), rat.Show(least))
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
			rising(exactly(rat.Quo(high, low)), precise.ExpRat(rat.Mul(rat.Int(3), eps))).check(t, precise.Int(1), "ε = %s, a model", rat.Show(eps))
			if high.Cmp(rat.Half) < 0 || low.Cmp(rat.Half) >= 0 { // m_2 has a score of 1: the median is 1 just if it has probability 1/2
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
				rising(bound, precise.LogOf(precise.Quo(fewer[1], fewer[0]))).check(t, precise.Int(1), "ε = %s, the median of N = %d", rat.Show(eps), n)
				with := precise.Add(bound, precise.Log(rat.Mul(rat.Half, eps)))
				rising(with, precise.LogOf(precise.Quo(random[1], random[0]))).check(t, precise.Int(1), "ε = %s, the k-th of N = %d", rat.Show(eps), n)
			}
		}
	}
}
