package selection

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// introduction are the statements of Sections 1 and 2.
func introduction() []register.Statement {
	online := "What O( ) hides is open. It is Theorem 4.4, whose parts are PSC-T4.4a to PSC-T4.4d: the probabilities there are not conditional on what is reported."
	return []register.Statement{
		notation("PSC-D1.1", "(ε, δ)-DP: Pr[M(D) ∈ S] ≤ e^ε·Pr[M(D') ∈ S] + δ for all adjacent D, D' and measurable S", "Definition 1.1"),
		notation("PSC-N1", "Median(M_i(D)) = sup{τ : Pr[q̃ ≥ τ] ≥ 1/2}; scores are in [0, 1]", "Section 1"),
		notation("PSC-N2", "The benchmark without privacy: a number of samples from every candidate, and the highest of them", "Section 1"),
		{
			ID: "PSC-T1.2a", Title: "For ε_1-DP candidates and any τ there is a 2ε_1-DP M that returns a sample with a score of at least τ", Printed: "Theorem 1.2",
			Reading: "The algorithm that knows a threshold, with γ = 0 and without a limit (PSC-X7). Where no sample reaches τ it does not end.",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"impl.ThresholdingLaw"},
			Check:    untilFound(rat.One),
			Controls: []register.Claim{{Says: "it is ε_1-DP", Check: untilFound(rat.Half)}},
			Near:     []register.Claim{{Says: "it is 19/10·ε_1-DP", Check: untilFound(nearly)}},
		},
		notation("PSC-T1.2b", "q̃ ≥ τ", "Theorem 1.2, which is how that algorithm ends"),
		{
			ID: "PSC-T1.2c", Title: "If Pr_{q∼M_i(D)}[q ≥ τ] ≥ 1/2 for some i, E[T̃] ≤ 2K", Printed: "Theorem 1.2",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"spec.ThresholdingRuns", "impl.ThresholdingRuns"},
			Check:    runsUntilFound(rat.One),
			Controls: []register.Claim{{Says: "at most K", Check: runsUntilFound(rat.Half)}},
			Near:     []register.Claim{{Says: "at most 19/10·K", Check: runsUntilFound(nearly)}},
		},
		opinion("PSC-T1.3a", "There is a 3ε_1-DP M that returns the best of T̃ samples", "Theorem 1.3", "It is Theorem 3.2: PSC-T3.2."),
		opinion("PSC-T1.3b", "E[T̃] ≤ 1/γ", "Theorem 1.3", "T̃ is geometric: the coin of PSC-A2, of which PSC-T3.2.s1 has the law."),
		opinion("PSC-T1.3c", "q̃ is the largest score of the T̃ samples", "Theorem 1.3", "That is what PSC-A2 returns."),
		opinion("PSC-T1.4a", "For ε_1-DP candidates there is a (2ε_1 + ε_0, δ)-DP M that returns ⊥ or a sample", "Theorem 1.4", "As PSC-T4.7a. No range of δ is in print."),
		opinion("PSC-T1.4b", "Except with probability β + δ/R its quality is at least τ^* − 1/R", "Theorem 1.4", "As PSC-T4.7b."),
		opinion("PSC-T1.4c", "T̃ ≤ O(K((R+1)/β²)^(6+12ε_1/ε_0)(ln(R/δ)/ε_0² + ln(1/ε_0)/β))", "Theorem 1.4", "As PSC-T4.7c2."),
		opinion("PSC-T1.4d", "Pr[⊥] ≤ β + δ", "Theorem 1.4", "As PSC-T4.7d."),
		opinion("PSC-T1.5a", "There is an (ε_3, δ)-DP M_sv: if Pr[M_i(D) ≥ τ_i] ≥ p^* for some i, it returns i with probability 1 − β", "Theorem 1.5; K mechanisms and k thresholds, M and M_sv are printed", online),
		opinion("PSC-T1.5b", "If it returns i, Pr[M_i(D) ≥ τ_i] ≥ (β/K)^(O(ε_1/ε_3))·p^* except with probability β", "Theorem 1.5", online),
		{
			ID: "PSC-X1", Title: "If each candidate is only ε_1-DP, the best of K̃ of them is only K̃ε_1-DP", Printed: "Section 1", Reading: "As PSC-X17, with candidates that are ε_1-DP.",
			Kind: register.Exact, Verdict: register.Holds, Note: "No function of spec is part of it.",
			Check:    bestOf(responseScores, rat.One),
			Controls: []register.Claim{{Says: "it is K̃ε_1/2-DP", Check: bestOf(responseScores, rat.Half)}},
			Near:     []register.Claim{{Says: "it is (K̃ − 1)ε_1-DP", Check: bestOf(responseScores, nil)}},
		},
		{
			ID: "PSC-X2", Title: "A score of sensitivity S with Laplace noise of scale S/ε is ε-DP", Printed: "Section 1",
			Kind: register.Certified, Verdict: register.Holds, Note: "No function of spec is part of it.",
			Check:    noisyScore(rat.One),
			Controls: []register.Claim{{Says: "it is ε/2-DP", Check: noisyScore(rat.Half)}},
			Near:     []register.Claim{{Says: "it is 19/20·ε-DP", Check: noisyScore(nearly)}},
		},
		opinion("PSC-X3", "To publish K models of ε-DP learners is εK-DP; each may have ε/K, or ε·√(log(1/δ))/√K by advanced composition", "Section 1", "The second leaves constants open, and √(log(1/δ)) belongs below: by advanced composition it is about ε/√(2K·ln(1/δ)). Composition is checked in the registers of the other texts."),
		{
			ID: "PSC-X4", Title: "For a final budget ε_fin each candidate may have about ε_fin/2 if the threshold is found first, against about ε_fin/3", Printed: "Section 1, Theorem 1.4 against Theorem 1.3",
			Reading: "At most that is lost by the two algorithms, and hardly less where γ is small. That finding the threshold costs little is PSC-T4.6a; what it takes is in docs/selection.md.",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"impl.ThresholdingLoss", "impl.RandomStoppingLoss"},
			Check:    shareOfBudget(rat.One),
			Controls: []register.Claim{{Says: "twice as much", Check: shareOfBudget(rat.Int(2))}},
			Near:     []register.Claim{{Says: "101/100 of that", Check: shareOfBudget(rat.Of("101/100"))}},
		},
		opinion("PSC-X5", "Õ(K) calls of the oracle, against K without privacy; a factor of 2 is lost in privacy", "Section 1", "What O( ) hides is open; for a known threshold it is PSC-T1.2c."),
		notation("PSC-N3", "D(A‖B) = max_S ln(Pr[A ∈ S]/Pr[B ∈ S])", "Section 2"),
		notation("PSC-N4", "D_δ(A‖B) = max_S ln((Pr[A ∈ S] − δ)/Pr[B ∈ S])", "Section 2"),
		notation("PSC-N5", "Q is ε-DP if D(Q(D_1)‖Q(D_2)) ≤ ε, and (ε, δ)-DP if D_δ is", "Section 2"),
		notation("PSC-N6", "f is t-Lipschitz if |f(D) − f(D')| ≤ t for neighbours", "Section 2"),
		notation("PSC-N7", "A total order: ties are broken by a fixed rule", "Section 3"),
		notation("PSC-N8", "p(τ_i, Q_i) = Pr_{q∼Q_i}[q ≥ τ_i], and the target p_*", "Section 4"),
	}
}

// notation is the entry of what is only named.
func notation(id, title, printed string) register.Statement {
	return register.Statement{ID: id, Title: title, Printed: printed, Kind: register.Definition, Verdict: register.NotCheckable, Note: "A definition: it asserts nothing."}
}

// untilFound checks what is lost without a coin and without a limit.
func untilFound(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("e^ε_1 in {11/10, 3/2, 10}, 36 ε_1-DP oracles over three samples, and 12 of the worst; thresholds at the second and the third, which is reached")
		for _, e := range rat.List("11/10", "3/2", "10") {
			try := func(q neighbours) {
				for first := 1; first <= 2; first++ {
					if rat.Sum(q[0][first:]...).Sign() == 0 {
						continue
					}
					t.Case()
					var laws [2]samples
					for b := range q {
						found, none := impl.ThresholdingLaw(q[b], first, new(big.Rat), impl.Unlimited)
						if none.Sign() != 0 {
							t.Refute("Q = (%v): ⊥ has the probability %s", q[b], rat.Show(none))
						}
						laws[b] = found
					}
					checkLoss(t, laws, logOf(share, 2, e, new(big.Rat)), "e^ε_1 = %s, %v, the first %d below τ", rat.Show(e), q, first)
				}
			}
			for q := range pure(e) {
				try(q)
			}
			rare := rat.Of("1/1000") // two samples reach τ, of which one is as rare as the other is not
			try(respond(e, samples{rat.Complement(rare), rare, new(big.Rat)}, samples{new(big.Rat), new(big.Rat), rat.One}))
		}
	}
}

// runsUntilFound checks a share of 2K, where one of K candidates reaches τ with probability 1/2 or more, and the others with any.
func runsUntilFound(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("K in {1, 2, 100}, one candidate with 1/2 or 1, the others with 0, 1/3 or 1")
		for _, k := range []int{1, 2, 100} {
			for _, own := range rat.List("1/2", "1") {
				for _, others := range rat.List("0", "1/3", "1") {
					t.Case()
					p1 := rat.Quo(rat.Add(own, rat.Mul(rat.Int(k-1), others)), rat.Int(k))
					runs := impl.ThresholdingRuns(p1, new(big.Rat))
					if literal := spec.ThresholdingRuns(p1, new(big.Rat)); !rat.Equal(literal, runs) {
						t.Refute("p_1 = %s: %s by impl, %s by spec", rat.Show(p1), rat.Show(runs), rat.Show(literal))
					}
					if most := rat.Product(share, rat.Int(2*k)); runs.Cmp(most) > 0 {
						t.Refute("K = %d, probabilities %s: %s runs, claimed are at most %s", k, rat.Show(own, others), rat.Show(runs), rat.Show(most))
					}
					t.CloseTo(runs, rat.Int(2*k), "K = %d, probabilities %s", k, rat.Show(own, others))
				}
			}
		}
	}
}

// laplaceRatio returns the largest ratio of the densities of f + Lap(b) and f + s + Lap(b) at some places: ln of it is (|x − s| − |x|)/b.
func laplaceRatio(t *register.T, s, rate *big.Rat, bound *big.Rat, at string) {
	for _, x := range rat.List("-10", "-1", "0", "1/3", "1", "2", "10") {
		place := rat.Mul(x, s)
		loss := rat.Mul(rate, rat.Sub(new(big.Rat).Abs(rat.Sub(place, s)), new(big.Rat).Abs(place)))
		if loss.Abs(loss).Cmp(bound) > 0 {
			t.Refute("%s: at %s the densities are e^%s apart", at, rat.Show(place), rat.Show(loss))
		}
		t.CloseTo(loss, bound, "%s, at %s", at, rat.Show(place))
	}
}

func noisyScore(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("S in {1/100, 1, 7}, ε in {1/10, 1, 5}, scores apart by S and S/2, at {−10, −1, 0, 1/3, 1, 2, 10} times that")
		for _, s := range rat.List("1/100", "1", "7") {
			for _, eps := range rat.List("1/10", "1", "5") {
				for _, part := range rat.List("1", "1/2") {
					t.Case()
					laplaceRatio(t, rat.Mul(part, s), rat.Quo(eps, s), rat.Mul(share, eps), "S = "+rat.Show(s)+", ε = "+rat.Show(eps))
				}
			}
		}
	}
}

// shareOfBudget checks the losses at a multiple of ε_fin/2 and ε_fin/3.
func shareOfBudget(times *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("ε_fin in {1/10, 1, 3}, γ in {1/10, 1/100, 1/100000}")
		for _, eps := range rat.List("1/10", "1", "3") {
			for _, gamma := range rat.List("1/10", "1/100", "1/100000") {
				t.Case()
				for i, lost := range []interval.Interval{
					impl.ThresholdingLoss(loss.Nats(rat.Product(times, rat.Half, eps)), gamma, impl.Unlimited),
					impl.RandomStoppingLoss(loss.Nats(rat.Product(times, rat.Of("1/3"), eps)), gamma),
				} {
					rising(lost, exactly(eps)).check(t, precise.Int(1), "ε_fin = %s, γ = %s, 1/%d of it", rat.Show(eps), rat.Show(gamma), 2+i)
				}
			}
		}
	}
}
