package selection

import (
	"math/big"

	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// lowerBound are the statements of Appendix D, and the negative examples of Appendix B.
func lowerBound() register.Checks {
	return register.Checks{
		"PSC-TD.2": checked(usefulAnyway().With("1"),
			near("ln K ≥ (1 − 3α)ε/(3α²), ε̂ < (2 − 3α)ε", largeK(3).With("1")),
			corrected("if ln K ≥ (1 − 3α)ε/(3α²), by the steps of the proof", largeK(6).With("1"))),
		"PSC-TD.2.s1": tight(dominant(), "19/20", "(19/20·K^−α)-dominant"),
		"PSC-TD.2.s2": tight(extends(), "19/20", "within 19/20 of that"),
		"PSC-TD.2.s3": tight(someRare, "19/20", "at most 19/20 of 1/K"),
		"PSC-TD.2.s4": tight(largeK(6), "1/100", "from a hundredth of that on"),

		"PSC-X17": checked(bestOf(asInAppendix(rat.Half), 0),
			alsoFails(register.ProofStep, "1 − e^ε/2 for (1 − e^ε)/2", bestOf(asInAppendix(rat.One), 0)),
			near("with randomized response it is (K − 1)ε", bestOf(responseScores, 1)),
			corrected("0.8 with probability 1/(1 + e^ε) on d_1, e^ε/(1 + e^ε) on d_1'", bestOf(responseScores, 0))),
		"PSC-X18": tight(rarelyBest(), "19/10", "Θ is 19/20"),
		"PSC-X19": tight(lowered(0), "19/20", "0 has 19/20 of the probability",
			near("it loses (R + 2)ε at least", lowered(2).With("1"))),
		"PSC-X20": tight(medians(), "20/19", "at least 20/19·ε²N/2 − ln 2"),
	}
}

// dominant checks that j is share·K^−α-dominant on D_j: m_j = 1 and the others 0 is enough, and its probability at
// least 1 − Σ.
var dominant = on("K = m^8, α = a/8; m in {1, 2, 3, 10}, a in {1, 2, 3}",
	func(t *register.T, share, m *big.Rat, a int) {
		k, small := rat.Power(m, 8), rat.Power(m, a) // K, K^α
		own, other := rat.Quo(rat.Half, small), rat.Quo(rat.Half, rat.Mul(k, small))
		within(t, "the probability that another index is the largest",
			rat.Add(own, rat.Mul(rat.Sub(k, rat.One), other)), share, new(big.Rat).Inv(small))
	})

// extends checks the ratios between D_0 and D_j.
var extends = on("K = m^8, α = a/8; m in {1, 2, 3, 10}, a in {1, 2, 3}", func(t *register.T, share, m *big.Rat, a int) {
	k, root, small := rat.Power(m, 8), rat.Power(m, 4), rat.Power(m, a) // K, √K, K^α
	none := rat.Quo(rat.Half, root)
	for _, p := range []*big.Rat{rat.Complement(rat.Quo(rat.Half, small)), rat.Quo(rat.Half, rat.Mul(k, small))} {
		for _, ratio := range []*big.Rat{rat.Quo(none, p), rat.Quo(rat.Complement(none), rat.Complement(p))} {
			within(t, "the ratio of two probabilities", rat.Max(ratio, new(big.Rat).Inv(ratio)),
				share, rat.Mul(root, small))
		}
	}
})

// someRare checks that one of K probabilities is a share of 1/K at most.
func someRare(t *register.T, share *big.Rat) {
	t.Domain("all laws over K in {1, 2, 3, 4} indices with probabilities in multiples of 1/6; " +
		"then e^(−Δε̂)/K^α ≤ 1/K for them")
	for k := 1; k <= 4; k++ {
		for _, law := range oracles(k, 6) {
			t.At("Pr[M(D_0) = i] = (%s)", law)
			within(t, "the least", rat.Min(law...), share, big.NewRat(1, int64(k)))
		}
	}
}

// usefulAnyway finds a mechanism that is useful, and more private than the theorem allows: with probability 1/3 the
// index that is the most likely to be the largest, else any.
var usefulAnyway = on("K = 4^m for α = 1/m, m in {4, 10}; ε in {1, 10, 100}: "+
	"an index that is the largest with probability 1 − K^−α = 3/4, and the laws of the output",
	func(t *register.T, _, m, eps *big.Rat) {
		k, gamma := rat.Power(rat.Int(4), whole(m)), rat.Of("1/4")
		any := rat.Quo(rat.Of("2/3"), k) // of an index that was not drawn
		useful := rat.Add(rat.Mul(rat.Complement(gamma), rat.Of("1/3")), any)
		lost := ln(rat.Quo(rat.Add(rat.Of("1/3"), any), any)) // of an index
		claimed := rat.Mul(rat.Sub(rat.Int(2), rat.Quo(rat.Int(6), m)), eps)
		t.Require(useful.Cmp(gamma) < 0 || lost.Upper.Cmp(num(claimed).Lower) >= 0,
			"it returns a dominant index with probability %s, and is %.6g-DP, less than %s",
			useful, lost.Upper, claimed)
	})

// largeK checks (1 − α)·ln K/⌈(1/2 + α)·ln K/ε⌉ ≥ (2 − times·α)ε from a share of (1 − 3α)ε/(3α²) on.
var largeK = on("α in {1/100, 1/10, 1/4}, ε in {1/100, 1, 10}; 200 values of ln K from the bound to 4 times as much",
	func(t *register.T, share *big.Rat, times int, at string, alpha, eps *big.Rat) {
		least := rat.Quo(rat.Mul(rat.Complement(rat.Mul(rat.Int(3), alpha)), eps),
			rat.Product(rat.Int(3), alpha, alpha))
		claimed := rat.Mul(rat.Sub(rat.Int(2), rat.Mul(rat.Int(times), alpha)), eps)
		for i := range 200 {
			log := rat.Product(share, least, rat.Add(rat.One, big.NewRat(int64(3*i), 199)))
			t.At("%s, ln K = %s", at, log)
			steps := rat.Quo(rat.Mul(rat.Add(rat.Half, alpha), log), eps)
			up := new(big.Int).Quo(steps.Num(), steps.Denom())
			if !steps.IsInt() {
				up.Add(up, big.NewInt(1))
			}
			most := rat.Quo(rat.Mul(rat.Complement(alpha), log), new(big.Rat).SetInt(up))
			within(t, "the least ε̂", claimed, rat.One, most)
		}
	})

// lowScores are the probabilities of the scores 0.8 and 0.95 of a candidate, on d_1 and on d_1'.
type lowScores func(expEps *big.Rat) [2]samples

// asInAppendix has whole − e^ε/2 as the last probability; that is whole/2 for the one in the appendix.
func asInAppendix(whole *big.Rat) lowScores {
	return func(e *big.Rat) [2]samples {
		half := rat.Mul(rat.Half, e)
		return [2]samples{{rat.Half, rat.Half}, {half, rat.Sub(whole, half)}}
	}
}

func responseScores(e *big.Rat) [2]samples {
	likely := rat.Quo(e, rat.Add(rat.One, e))
	return [2]samples{{rat.Complement(likely), likely}, {likely, rat.Complement(likely)}}
}

// bestOf checks that the candidates are ε-DP, and that naming the one with the score 0.9 loses Kε, or less by some ε.
var bestOf = finite.Over("e^ε in {11/10, 3/2, 4}, K in {2, 4, 6}",
	func(t *register.T, scores lowScores, less int, e *big.Rat, k int) {
		law := scores(e)
		for b := range law {
			t.Require(rat.Equal(rat.Sum(law[b]...), rat.One) && rat.Min(law[b]...).Sign() >= 0,
				"the probabilities of 0.8 and 0.95 are %s", law[b])
			t.Require(areWithin(e, law[0][b], law[1][b]), "a candidate is not ε-DP: its probabilities "+
				"%s and %s of one score", law[0][b], law[1][b])
		}
		ratio, want := rat.Quo(rat.Power(law[1][0], k), rat.Power(law[0][0], k)), rat.Power(e, k-less)
		t.Require(rat.Equal(ratio, want), "{i_* = 0} is %s times as likely on d_1', claimed %s", ratio, want)
	})

// rarelyBest checks the example with a share of ε·ln(1/δ)/2.
var rarelyBest = on("K in {10^5, 10^7}, (ε, δ) in {(1/4, 10^−9), (1/2, 10^−4), (1/10, 10^−30)}",
	func(t *register.T, share *big.Rat, k int, eps, delta *big.Rat) {
		log := ln(new(big.Rat).Inv(delta))
		high := quo(log, k) // of 0.95 on d_1
		less := mul(exp(neg(eps)), high)
		best := [2]interval.Interval{power(sub(1, high), k), power(sub(1, less), k)}
		rising(t, sub(1, less), mul(exp(eps), sub(1, high))) // of 0.8
		rising(t, mul("1/2", delta), best[0], delta)
		rising(t, mul(share, "1/2", eps, log), ln(quo(sub(best[1], delta), best[0])))
	})

// lowered checks the law by what can happen at each threshold, the sums, and that 0 loses (R + more)ε.
var lowered = on("p in {1/3, 9/10, 99/100}, γ in {1/100, 1/2, 1}, R in {1, 2, 5}; e^ε of 11/10 and 2, "+
	"where e^ε(1 − p) < 1",
	func(t *register.T, share *big.Rat, more int, p, gamma *big.Rat, r int) {
		b, left := rat.Mul(rat.Complement(p), gamma), stops(p, gamma) // 1 − a
		// by what can happen at each threshold: p, b, or again with a
		reached, one, sum, ratio := rat.One, new(big.Rat), new(big.Rat), rat.Quo(b, left)
		for i := range r {
			one = rat.Add(one, rat.Quo(rat.Mul(reached, p), left))
			reached = rat.Mul(reached, ratio)
			sum = rat.Add(sum, rat.Quo(rat.Power(b, i), rat.Power(left, i+1)))
		}
		last := rat.Complement(rat.Power(ratio, r))
		equal(t, one, rat.Mul(p, sum), rat.Quo(rat.Mul(rat.Quo(p, left), last), rat.Complement(ratio)), last)
		equal(t, mul(share, spec.LoweredNone(p, gamma, r)), rat.Mul(rat.Complement(p), reached))
		for _, e := range rat.List("11/10", "2") {
			if other := rat.Complement(rat.Mul(e, rat.Complement(p))); other.Sign() > 0 {
				lost := rat.Quo(spec.LoweredNone(other, gamma, r), spec.LoweredNone(p, gamma, r))
				least := rat.Power(e, r+more)
				t.Require(lost.Cmp(least) >= 0, "e^ε = %s: 0 is %s times as likely, claimed is %s", e, lost, least)
			}
		}
	})

// medians checks the example with so many ε²N/2.
var medians = on("ε in {1/5 | 1/10, 1/2}, N odd with ε²N about 4 and 400: s in {4, 400}",
	func(t *register.T, times *big.Rat, at string, eps, s *big.Rat) {
		high, low := rat.Mul(rat.Half, rat.Add(rat.One, eps)), rat.Mul(rat.Half, rat.Complement(eps))
		n := whole(rat.Quo(s, rat.Mul(eps, eps))) | 1
		t.At("%s, N = %d", at, n)
		rising(t, quo(high, low), exp(rat.Mul(rat.Int(3), eps)))
		// m_2 has a score of 1: the median is 1 just if it has probability 1/2
		t.Require(high.Cmp(rat.Half) >= 0 && low.Cmp(rat.Half) < 0, "the medians are the same")
		half := (n + 1) / 2
		bound := sub(mul(times, eps, eps, n, "1/2"), ln(rat.Of("2")))
		var fewer, random [2]interval.Interval // Pr[fewer than half are m_2], and fewer than k
		for b, p := range []*big.Rat{high, low} {
			fewer[b], random[b] = num(0), num(0)
			for _, p := range binomialLaw(n, p)[:half] {
				fewer[b] = add(fewer[b], p)
				random[b] = add(random[b], quo(fewer[b], half))
			}
		}
		rising(t, bound, ln(quo(fewer[1], fewer[0])))
		rising(t, add(bound, ln(rat.Mul(rat.Half, eps))), ln(quo(random[1], random[0])))
	})
