package selection

import (
	"math/big"

	"checkrr/impl"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// applications are the statements of Section 5.
func applications() []register.Statement {
	constants := "That there is a mechanism, with constants that are open. "
	return []register.Statement{
		notation("PSC-N12", "q_i = q̃_i + Lap(1/(nε_2)) for a validation score q̃_i(m, D2), which changes by at most 1/n; Q_i(D1, D2) is its law for m ∼ M_i(D1), Q that for a uniform i", "Section 5.1"),
		{
			ID: "PSC-L5.1a", Title: "Q(D1, D2) is always ε_2-DP for D2", Printed: "Lemma 5.1",
			Kind: register.Exact, Verdict: register.Holds, Note: "A mixture, over m, of laws that are; no function of spec is part of it.",
			Check:    validated(rat.One),
			Controls: []register.Claim{{Says: "it is ε_2/2-DP", Check: validated(rat.Half)}},
			Near:     []register.Claim{{Says: "it is 19/20·ε_2-DP", Check: validated(nearly)}},
		},
		{
			ID: "PSC-L5.1b", Title: "If all M_i are ε_1-DP, Q(D1, D2) is ε_1-DP for D1", Printed: "Lemma 5.1",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.Oracle", "impl.Oracle"},
			Check:    mixtures(rat.One),
			Controls: []register.Claim{{Says: "with half of what pairs of candidates need", Check: mixtures(rat.Half)}},
			Near:     []register.Claim{{Says: "with 19/20 of that", Check: mixtures(nearly)}},
			Reading:  "A score that is made of m and D2 says no more of D1 than m does; so it is PSC-X6, checked with the least δ for e^ε_1, which is 0 for ε_1-DP candidates.",
		},
		{
			ID: "PSC-L5.1c", Title: "If all M_i are (ε_1, δ_1)-DP, Q(D1, D2) is (ε_1, δ_1)-DP for D1", Printed: "Lemma 5.1",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.Oracle", "impl.Oracle"},
			Check:    mixtures(rat.One),
			Controls: []register.Claim{{Says: "with δ_1/2", Check: mixtures(rat.Half)}},
			Near:     []register.Claim{{Says: "with 19/20·δ_1", Check: mixtures(nearly)}},
			Reading:  "As PSC-L5.1b.",
		},
		{
			ID: "PSC-T5.2a", Title: "Random stopping over M_i(D) = (i, q_i(D) + Lap(s/ε)) with γ = β/K has a score of at least q^⋆(D), except with probability β", Printed: "Theorem 5.2(a) and its proof: an ε-DP mechanism with q_i(D) ≥ q^⋆(D) − O(s·log(K/β)/ε) except with probability β",
			Reading: "The sentence of the proof, for candidates of which only the best reaches q^⋆(D), in half of its runs. The rest has constants that are open: as built it is 3ε-DP.",
			Kind:    register.Exact, Verdict: register.Fails, Weight: register.ProofStep, In: []string{"impl.NoneAbove"}, Note: "It is about 2β; with γ = β/(2K) it is β.",
			Check:     reachesBest(rat.One, rat.One),
			Near:      []register.Claim{{Says: "with γ = β/(2K), 19/20·β", Check: reachesBest(rat.Half, nearly)}},
			Corrected: &register.Claim{Says: "with γ = β/(2K)", Check: reachesBest(rat.Half, rat.One)},
		},
		opinion("PSC-T5.2b", "Scores of sensitivity s_i: an (ε, δ)-DP mechanism with q_i(D) ≥ q^⋆(D) − O(s_{i^⋆}·log(K/β)/ε) except with probability β", "Theorem 5.2(b)", constants+"A double minus is printed in the proof, and the logarithm without parentheses."),
		{
			ID: "PSC-T5.2c", Title: "q_i(D) + Laplace noise of scale s/ε, conditioned on at most ln(1/δ)·s/ε, is (ε, δ)-DP if ε < 1 and δ < 1/4", Printed: "Theorem 5.2(c) and its proof: an (ε, δ)-DP M that returns i^⋆ except with probability β whenever q^⋆ ≥ q^i + Ω(s·log(1/(βδ))/ε)",
			Reading: "The sentence of the proof. The rest has constants that are open.",
			Kind:    register.Certified, Verdict: register.Fails, Weight: register.Edge, Note: "The least δ is δ(e^ε − 1)/(2(1 − δ)), which is δ at most for e^ε ≤ 3 − 2δ: for all δ < 1/4 if ε ≤ 0.916. No function of spec is part of it.",
			Check:     cutLaplace(false, rat.One),
			Near:      []register.Claim{{Says: "for e^ε ≤ 3 − 2δ, with 19/20·δ", Check: cutLaplace(true, nearly)}},
			Corrected: &register.Claim{Says: "for e^ε ≤ 3 − 2δ", Check: cutLaplace(true, rat.One)},
		},
		opinion("PSC-T5.2d", "Scores with (ε/(4·ln(2/δ)))-smoothed sensitivity s_i: an (ε, δ)-DP mechanism with q_i(D) ≥ q^⋆(D) − O(s_{i^⋆}·log(K/β)/ε) except with probability β", "Theorem 5.2(d)", constants+"η = ε/4·ln(2/δ) is printed without parentheses in the proof."),
		opinion("PSC-X15", "The best k of several k-means or PCA runs is found by Theorem 4.7 without asymptotic overhead", "Section 5.2", "An application, without numbers."),
		opinion("PSC-X16", "A guarantee in expectation becomes one with some probability by Markov's inequality, and one with high probability by these algorithms", "Section 5.4", "A remark, without numbers."),
	}
}

// validated checks mixtures of two Laplace laws of which the means move by 1/n or less, at some places.
func validated(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("two models with probabilities in multiples of 1/3, n in {1, 100}, ε_2 in {1/10, 2}; scores that move by {−1, 0, 1}/n, at {−3, −1, 0, 1/2, 1, 3}/n")
		for law := range oracles(2, 3) {
			for _, n := range []int{1, 100} {
				for _, eps := range rat.List("1/10", "2") {
					for moves := range finite.Tuples([]int{-1, 0, 1}, 2) {
						for _, x := range rat.List("-3", "-1", "0", "1/2", "1", "3") {
							t.Case()
							rate := rat.Mul(rat.Int(n), eps)
							density := func(model, move int) (sum *big.Rat) { // the exponent of e
								center := big.NewRat(int64(3*model+move), int64(n))
								return new(big.Rat).Neg(rat.Mul(rate, new(big.Rat).Abs(rat.Sub(rat.Quo(x, rat.Int(n)), center))))
							}
							on, off := precise.Int(0), precise.Int(0)
							for model, p := range law {
								on = precise.Add(on, precise.Mul(exactly(p), precise.ExpRat(density(model, 0))))
								off = precise.Add(off, precise.Mul(exactly(p), precise.ExpRat(density(model, moves[model]))))
							}
							lost := abs(precise.LogOf(precise.Quo(on, off)))
							rising(lost, precise.Add(exactly(rat.Mul(share, eps)), precise.Rat(rat.Of("1e-30")))).check(t, precise.Int(1), "models with %v, n = %d, ε_2 = %s, moves %v, at %s/n", law, n, rat.Show(eps), moves, rat.Show(x))
						}
					}
				}
			}
		}
	}
}

// reachesBest checks a share of β where a run reaches the target with probability 1/(2K).
func reachesBest(coin, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("K in {2, 10, 1000}, β in {1/1000, 1/10, 1/2}")
		for _, k := range []int{2, 10, 1000} {
			for _, beta := range rat.List("1/1000", "1/10", "1/2") {
				t.Case()
				gamma := rat.Quo(rat.Mul(coin, beta), rat.Int(k))
				fails := impl.NoneAbove(rat.Complement(big.NewRat(1, int64(2*k))), gamma, impl.Unlimited)
				if fails.Cmp(rat.Mul(share, beta)) > 0 {
					t.Refute("K = %d, β = %s, γ = %s: it fails with probability %s", k, rat.Show(beta), rat.Show(gamma), rat.Show(fails))
				}
				t.CloseTo(fails, beta, "K = %d, β = %s", k, rat.Show(beta))
			}
		}
	}
}

// cutLaplace checks the least δ for a score that moves by s: of what one law gives beyond the end of the other.
func cutLaplace(isBounded bool, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/10, 1/2, 9/10, 99/100}, δ in {1/1000000, 1/10, 6/25}; scores that move by s, at seven places between the ends, and beyond")
		for _, eps := range rat.List("1/10", "1/2", "9/10", "99/100") {
			for _, delta := range rat.List("1/1000000", "1/10", "6/25") {
				if isBounded && precise.ExpRat(eps).Upper.Cmp(exactly(rat.Sub(rat.Int(3), rat.Twice(delta))).Lower) > 0 {
					continue
				}
				t.Case()
				e := precise.ExpRat(eps)
				// Pr[x > end − s] for the noise alone: (δe^ε − δ)/(2(1 − δ)); where both laws are, they are within e^ε.
				outside := precise.Quo(precise.Mul(exactly(delta), precise.Sub(e, precise.Int(1))), exactly(rat.Twice(rat.Complement(delta))))
				rising(outside, exactly(rat.Mul(share, delta))).check(t, precise.Int(1), "ε = %s, δ = %s", rat.Show(eps), rat.Show(delta))
				laplaceRatio(t, rat.One, eps, eps, "ε = "+rat.Show(eps)+", between the ends")
			}
		}
	}
}
