package selection

import (
	"fmt"
	"math/big"

	"checkrr/impl/interval"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// naive are the negative examples of Appendix B.
func naive() register.Checks {
	return register.Checks{
		"PSC-X17": register.Checked(bestOf(asInAppendix(rat.Half), 0),
			register.AlsoFails(register.ProofStep, "1 − e^ε/2 for (1 − e^ε)/2", bestOf(asInAppendix(rat.One), 0)),
			register.NearMiss("with randomized response it is (K − 1)ε", bestOf(responseScores, 1)),
			register.Corrected("0.8 with probability 1/(1 + e^ε) on d_1, e^ε/(1 + e^ε) on d_1'", bestOf(responseScores, 0)),
		),
		"PSC-X18": tight(rarelyBest, "19/10", "Θ is 19/20"),
		"PSC-X19": tight(lowered(0), "19/20", "0 has 19/20 of the probability",
			register.NearMiss("it loses (R + 2)ε at least", lowered(2).with("1"))),
		"PSC-X20": tight(medians, "20/19", "at least 20/19·ε²N/2 − ln 2"),
	}
}

// lowScores are the probabilities of the scores 0.8 and 0.95 of a candidate, on d_1 and on d_1'.
type lowScores func(expEps *big.Rat) [2][2]*big.Rat

// asInAppendix has whole − e^ε/2 as the last probability; that is whole/2 for the one in the appendix.
func asInAppendix(whole *big.Rat) lowScores {
	return func(e *big.Rat) [2][2]*big.Rat {
		half := rat.Mul(rat.Half, e)
		return [2][2]*big.Rat{{rat.Half, rat.Half}, {half, rat.Sub(whole, half)}}
	}
}

func responseScores(e *big.Rat) [2][2]*big.Rat {
	likely := rat.Quo(e, rat.Add(rat.One, e))
	return [2][2]*big.Rat{{rat.Complement(likely), likely}, {likely, rat.Complement(likely)}}
}

// bestOf checks that the candidates are ε-DP, and that naming the one with the score 0.9 loses Kε, or less by some ε.
func bestOf(scores lowScores, less int) register.Check {
	return func(t *register.T) {
		for at, x := range finite.Grid(t, "e^ε in {11/10, 3/2, 4}, K in {2, 4, 6}") {
			t.Case()
			e, k, law := x[0], whole(x[1]), scores(x[0])
			for b := range law {
				if sum := rat.Add(law[b][0], law[b][1]); !rat.Equal(sum, rat.One) || rat.Min(law[b][:]...).Sign() < 0 {
					t.Refute("%s: the probabilities of 0.8 and 0.95 are %s", at, rat.Show(law[b][:]...))
				}
				if !areWithin(e, law[0][b], law[1][b]) {
					t.Refute("%s: a candidate is not ε-DP: its probabilities %s and %s of one score", at, rat.Show(law[0][b]),
						rat.Show(law[1][b]))
				}
			}
			ratio := rat.Quo(rat.Power(law[1][0], k), rat.Power(law[0][0], k))
			if want := rat.Power(e, k-less); !rat.Equal(ratio, want) {
				t.Refute("%s: {i_* = 0} is %s times as likely on d_1', claimed %s", at, rat.Show(ratio), rat.Show(want))
			}
		}
	}
}

// rarelyBest checks the example with a share of ε·ln(1/δ)/2.
func rarelyBest(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "K in {10^5, 10^7}, (ε, δ) in {(1/4, 10^−9), (1/2, 10^−4), (1/10, 10^−30)}") {
		t.Case()
		k, eps, delta, log := whole(x[0]), x[1], x[2], ln(new(big.Rat).Inv(x[2]))
		high := quo(log, k) // of 0.95 on d_1
		less := mul(exp(neg(eps)), high)
		rising(t, at+", the score 0.8", sub(1, less), mul(exp(eps), sub(1, high)))
		best := [2]interval.Interval{power(sub(1, high), k), power(sub(1, less), k)}
		rising(t, at+", on d_1", mul("1/2", delta), best[0], delta)
		rising(t, at+", the loss", mul(share, "1/2", eps, log), ln(quo(sub(best[1], delta), best[0])))
	}
}

// lowered checks the law by what can happen at each threshold, the sums, and that 0 loses (R + more)ε.
func lowered(more int) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, "p in {1/3, 9/10, 99/100}, γ in {1/100, 1/2, 1}, R in {1, 2, 5}; e^ε of 11/10 and "+
			"2, where e^ε(1 − p) < 1") {
			t.Case()
			p, gamma, r := x[0], x[1], whole(x[2])
			none := func(p *big.Rat) *big.Rat {
				rest := rat.Complement(p)
				return rat.Product(rest, rat.Power(gamma, r), rat.Power(rat.Quo(rest, stops(p, gamma)), r))
			}
			a, b := rat.Mul(rat.Complement(p), rat.Complement(gamma)), rat.Mul(rat.Complement(p), gamma)
			// by what can happen at each threshold: p, b, or again with a
			reached, one, sum, ratio := rat.One, new(big.Rat), new(big.Rat), rat.Quo(b, rat.Complement(a))
			for i := range r {
				one = rat.Add(one, rat.Quo(rat.Mul(reached, p), rat.Complement(a)))
				reached = rat.Mul(reached, ratio)
				sum = rat.Add(sum, rat.Quo(rat.Power(b, i), rat.Power(rat.Complement(a), i+1)))
			}
			middle := rat.Quo(rat.Mul(rat.Quo(p, rat.Complement(a)), rat.Complement(rat.Power(ratio, r))), rat.Complement(ratio))
			for _, x := range []*big.Rat{rat.Mul(p, sum), middle, rat.Complement(rat.Power(ratio, r))} {
				equal(t, at+", the probability of 1", one, x)
			}
			equal(t, at+", the probability of 0", mul(share, none(p)), rat.Mul(rat.Complement(p), reached))
			for _, e := range rat.List("11/10", "2") {
				if other := rat.Complement(rat.Mul(e, rat.Complement(p))); other.Sign() > 0 {
					lost, least := rat.Quo(none(other), none(p)), rat.Power(e, r+more)
					if lost.Cmp(least) < 0 {
						t.Refute("%s, e^ε = %s: 0 is %s times as likely, claimed is %s", at, rat.Show(e), rat.Show(lost), rat.Show(least))
					}
				}
			}
		}
	}
}

// medians checks the example with so many ε²N/2.
func medians(t *register.T, times *big.Rat) {
	for at, x := range finite.Grid(t, "ε in {1/10, 1/2}, N odd with ε²N about 4 and 400: s in {4, 400}") {
		t.Case()
		eps := x[0]
		high, low := rat.Mul(rat.Half, rat.Add(rat.One, eps)), rat.Mul(rat.Half, rat.Complement(eps))
		rising(t, at+", a model", quo(high, low), exp(rat.Mul(rat.Int(3), eps)))
		// m_2 has a score of 1: the median is 1 just if it has probability 1/2
		if high.Cmp(rat.Half) < 0 || low.Cmp(rat.Half) >= 0 {
			t.Refute("%s: the medians are the same", at)
		}
		n := whole(rat.Quo(x[1], rat.Mul(eps, eps))) | 1
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
		rising(t, fmt.Sprintf("%s, the median of N = %d", at, n), bound, ln(quo(fewer[1], fewer[0])))
		rising(t, fmt.Sprintf("%s, the k-th of N = %d", at, n), add(bound, ln(rat.Mul(rat.Half, eps))), ln(quo(random[1],
			random[0])))
	}
}
