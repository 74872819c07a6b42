package selection

import (
	"context"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sampling are the statements of Section 4.2, where probabilities are estimated from samples.
func sampling() []register.Statement {
	offset := []string{"spec.CountOffset", "impl.CountOffset"}
	constant := []string{"spec.CountConstant", "impl.CountConstant"}
	odds := []string{"spec.SmoothedOdds", "impl.SmoothedOdds"}
	all := slices.Concat(odds, []string{"spec.PercentileSamples", "impl.PercentileSamples"})
	conditional := "As for PSC-T4.1b: given the report the event has the probability 0 or 1. Not conditional, the sum over all reports is as claimed."
	const large = " With hardly any noise, ε_3 of 10^4 and more, it is so only with a larger Δ."
	return []register.Statement{
		{
			ID: "PSC-N9", Title: "p̃_i = (1/N)·Σ_j [q_{i,j} ≥ τ_i]", Printed: "Section 4.2",
			Kind: register.Definition, Verdict: register.NotCheckable, Note: "A definition.",
		},
		{
			ID: "PSC-X12", Title: "E[p̃_i] = p(τ_i, Q_i(D)) ≤ e^ε_1·p(τ_i, Q_i(D')) = e^ε_1·E[p̃_i']", Printed: "Section 4.2",
			Kind: register.Exact, Verdict: register.Holds, In: []string{"exhaustive.Count"},
			Check:    meansMove(rat.One),
			Controls: []register.Claim{{Says: "at most p(τ_i, Q_i(D'))", Check: meansMove(rat.Of("1/10"))}},
			Near:     []register.Claim{{Says: "at most 19/20 of it", Check: meansMove(nearly)}},
		},
		{
			ID: "PSC-L4.3", Title: "E[X] ≤ e^ε_1·E[Y]: Pr[X ≥ e^(ε_1 + ε_0)·Y + (C/ε_0)·ln(2/δ_0)] ≤ δ_0, and with Δ = C·ln(2/δ_0)/(ε_0(e^(ε_0 + ε_1) − 1)): Pr[X + Δ ≥ e^(ε_1 + ε_0)(Y + Δ)] ≤ δ_0; C < 21",
			Printed: "Lemma 4.3 and Lemma A.3, for C = 2(e^(ε_0 + ε_1) + 1 + e^(ε_0/2)), and X and Y sums of independent {0,1} variables",
			Reading: "X and Y are independent, as the text says.",
			Kind:    register.Certified, Verdict: register.Holds, In: slices.Concat(offset, constant),
			Check:    countsApart(rat.One),
			Controls: []register.Claim{{Says: "without the second summand", Check: countsApart(new(big.Rat))}},
			Near:     []register.Claim{{Says: "with 1/16 of Δ", Check: countsApart(rat.Of("1/16"))}},
		},
		{
			ID: "PSC-L4.3.s1", Title: "With ε = ε_0/2, δ = δ_0/2: X < e^ε·E[X] + ((e^ε + 1)/ε)·ln(1/δ) and Y > e^−ε·E[Y] − ln(1/δ)/ε, but with a probability of at most δ_0",
			Printed: "Appendix A.3", Kind: register.Certified, Verdict: register.Holds, In: []string{"impl.UpperCount", "impl.LowerCount"},
			Check:    goodCounts(rat.One),
			Controls: []register.Claim{{Says: "without the second summands", Check: goodCounts(new(big.Rat))}},
			Near:     []register.Claim{{Says: "with 1/12 of the second summands", Check: goodCounts(rat.Of("1/12"))}},
		},
		nearStep("PSC-L4.3.s2", "e^(2ε + ε_1)(Y + ln(1/δ)/ε) + ((e^ε + 1)/ε)·ln(1/δ) = e^(ε_0 + ε_1)·Y + (2(e^(ε_0 + ε_1) + 1 + e^(ε_0/2))/ε_0)·ln(2/δ_0)",
			"Appendix A.3, the last display", constant, countsTogether, "19/20"),
		{
			ID: "PSC-N10", Title: "Φ^(N,Δ)(x) = (Nx + Δ)/(N(1 − x) + Δ)", Printed: "Section 4.2; in Section 4.3 it is Nx + Δ",
			Reading: "A definition; checked is that both rooms have it, and that it rises.",
			Kind:    register.Certified, Verdict: register.Holds, In: odds,
			Check:    smoothed(1),
			Controls: []register.Claim{{Says: "Δ only above", Check: smoothed(0)}},
			Near:     []register.Claim{{Says: "19/20 of the Δ below", Check: smoothed(0.95)}},
		},
		{
			ID: "PSC-X13", Title: "For suitable ε_0, Δ and ε_1-DP Q_i there is a coupling in which, with high probability, ln Φ^(N,Δ)(p̃_i) is 2(ε_0 + ε_1)-Lipschitz", Printed: "Section 4.2",
			Kind: register.Definition, Verdict: register.NotCheckable, Note: "It announces Lemma 4.3 and the event 𝒢, which are PSC-L4.3 and PSC-T4.4.s4.",
		},
		{
			ID: "PSC-A5", Title: "ν ∼ Lap(2S/ε_3); for each of T queries p̃_i from N samples, ξ_i ∼ Lap(4S/ε_3), and ⊤ and halt if e^ξ_i·Φ^(N,Δ)(p̃_i) ≥ e^ν·Φ^(N,Δ)(p_*), else ⊥; S = 2(ε_1 + ε_0), Δ = C·ln(8T/δ)/(ε_0(e^(ε_0 + ε_1) − 1))",
			Printed: "Section 4.2, the algorithm with samples",
			Kind:    register.Property, Verdict: register.Holds, In: []string{"spec.SampledPercentileSparse", "impl.SampledPercentileSparse"},
			Check:    sampledTwins(sampledVariant{2, 4, 8}),
			Controls: []register.Claim{{Says: "Δ has ln(2T/δ)", Check: sampledTwins(sampledVariant{2, 4, 2})}},
			Near: []register.Claim{
				{Says: "ν ∼ Lap(2.1·S/ε_3)", Check: sampledTwins(sampledVariant{2.1, 4, 8})},
				{Says: "ξ_i ∼ Lap(3.8·S/ε_3)", Check: sampledTwins(sampledVariant{2, 3.8, 8})},
			},
		},
		{
			ID: "PSC-T4.4a", Title: "The algorithm with samples is (ε_3, δ)-DP", Printed: "Theorem 4.4(a)",
			Kind: register.Certified, Verdict: register.Holds, In: slices.Concat(offset, odds),
			Note:     "Far from tight for few queries, for which the largest loss found is ε_3/15.",
			Check:    sampledLoss(rat.One),
			Controls: []register.Claim{{Says: "it is (ε_3/100, 0)-DP", Check: sampledLoss(rat.Of("1/100"))}},
			Near:     []register.Claim{{Says: "it is (ε_3/16, 0)-DP", Check: sampledLoss(rat.Of("1/16"))}},
		},
		{
			ID: "PSC-T4.4b1", Title: "Pr[Φ^(N,Δ)(p(τ_R, Q_R)) ≤ (β/(R + 1))^(6S/ε_3)·e^−ε_0·Φ^(N,Δ)(p_*)] ≤ β + δ/2, given that Q_R is reported", Printed: "Theorem 4.4(b)",
			Kind: register.Certified, Verdict: register.Fails, Weight: register.False, In: all, Note: conditional + large,
			Check:     reportedEarly(given, smoothBound, printedOffset, rat.One),
			Near:      []register.Claim{{Says: "not conditional, with the larger Δ, 1/32 of β + δ/2", Check: reportedEarly(joint, smoothBound, tailOffset, rat.Of("1/32"))}},
			Corrected: &register.Claim{Says: "not conditional, with the larger Δ of PSC-T4.4.s7", Check: reportedEarly(joint, smoothBound, tailOffset, rat.One)},
		},
		{
			ID: "PSC-T4.4b2", Title: "Pr[p(τ_R, Q_R) ≤ ½·e^−ε_0·(β/(R + 1))^(6S/ε_3)·p_*] ≤ β + δ/2, given that Q_R is reported", Printed: "Theorem 4.4(b)",
			Kind: register.Certified, Verdict: register.Fails, Weight: register.False, In: all[2:], Note: conditional,
			Check:     reportedEarly(given, plainBound, printedOffset, rat.One),
			Near:      []register.Claim{{Says: "not conditional, with 1/128 of β + δ/2", Check: reportedEarly(joint, plainBound, printedOffset, rat.Of("1/128"))}},
			Corrected: &register.Claim{Says: "not conditional", Check: reportedEarly(joint, plainBound, printedOffset, rat.One)},
		},
		{
			ID: "PSC-T4.4c1", Title: "Pr[∃ i < R: Φ^(N,Δ)(p(τ_i, Q_i)) ≥ ((R + 1)/β)^(6S/ε_3)·e^ε_0·Φ^(N,Δ)(p_*)] ≤ β + δ/2, given that Q_R is reported", Printed: "Theorem 4.4(c)",
			Kind: register.Certified, Verdict: register.Fails, Weight: register.False, In: all, Note: conditional + large,
			Check:     reportedLate(given, smoothBound, printedOffset, rat.One),
			Near:      []register.Claim{{Says: "not conditional, with the larger Δ, 1/80 of β + δ/2", Check: reportedLate(joint, smoothBound, tailOffset, rat.Of("1/80"))}},
			Corrected: &register.Claim{Says: "not conditional, with the larger Δ of PSC-T4.4.s7", Check: reportedLate(joint, smoothBound, tailOffset, rat.One)},
		},
		{
			ID: "PSC-T4.4c2", Title: "Pr[p(τ_R, Q_R) ≥ 1 − (1 + (e^ε_0/(2(1 − p_*)))·((R + 1)/β)^(6S/ε_3))^−1] ≤ β + δ/2, given that Q_R is reported", Printed: "Theorem 4.4(c), with the index R",
			Kind: register.Certified, Verdict: register.Fails, Weight: register.Slip, In: all[2:],
			Note:  "That a query far above is reported is what the algorithm is for; an i < R is meant. It is not conditional, as in PSC-T4.4c1, and with hardly any noise the bound is too low: it follows from a step that fails, PSC-T4.4.s9.",
			Check: reportedLate(given, indexR, printedOffset, rat.One),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "an i < R, given that Q_R is reported", Check: reportedLate(given, plainBound, printedOffset, rat.One)}, Verdict: register.Fails, Weight: register.False},
				{Claim: register.Claim{Says: "an i < R, not conditional", Check: reportedLate(joint, plainBound, printedOffset, rat.One)}, Verdict: register.Fails, Weight: register.Edge},
			},
			Near:      []register.Claim{{Says: "an i < R, not conditional, by the mirrored bound, with 1/250 of β + δ/2", Check: reportedLate(joint, mirrored, printedOffset, rat.Of("1/250"))}},
			Corrected: &register.Claim{Says: "an i < R, not conditional: p(τ_i, Q_i) ≥ 1 − ½·e^−ε_0·(β/(R + 1))^(6S/ε_3)·(1 − p_*)", Check: reportedLate(joint, mirrored, printedOffset, rat.One)},
		},
		{
			ID: "PSC-T4.4d", Title: "Where Φ^(N,Δ)(p(τ_i, Q_i)) ≥ e^ε_0·(1/β)^(6S/ε_3)·Φ^(N,Δ)(p_*): Pr[a_i = ⊤ | a_j = ⊥ for all j < i] ≤ β + δ/(4T)", Printed: "Theorem 4.4(d); the words say that it likely halts",
			Kind: register.Certified, Verdict: register.Fails, Weight: register.Slip, In: all,
			Note:      "⊤ is a slip for ⊥; and as for PSC-T4.1d it is not conditional." + large,
			Check:     sampledHalts(true, printedOffset, rat.One),
			Near:      []register.Claim{{Says: "⊥ for ⊤, not conditional, with the larger Δ, 1/11 of β + δ/(4T)", Check: sampledHalts(false, quarterOffset, rat.Of("1/11"))}},
			Corrected: &register.Claim{Says: "⊥ for ⊤, not conditional, with the larger Δ of PSC-T4.4.s10", Check: sampledHalts(false, quarterOffset, rat.One)},
		},
	}
}

// smoothed checks Φ^(N,Δ) with a share of the Δ below.
func smoothed(share float64) register.Check {
	return func(t *register.T) {
		t.Domain("N in {1, 10, 1000}, all x in multiples of 1/N, Δ in {0.5, 3, 1000}")
		for _, n := range []int{1, 10, 1000} {
			for _, offset := range []float64{0.5, 3, 1000} {
				last := -1.0
				for k := range n + 1 {
					t.Case()
					x := big.NewRat(int64(k), int64(n))
					want := (float64(k) + offset) / (float64(n-k) + share*offset)
					literal, fast := spec.SmoothedOdds(rat.Float64(x), n, offset), impl.SmoothedOdds(x, n, precise.Rat(new(big.Rat).SetFloat64(offset)))
					if math.Abs(literal-want) > 1e-9*want || math.Abs(fast.Float().Hi-want) > 1e-9*want || literal <= last {
						t.Refute("N = %d, Δ = %g: Φ(%s) is %.9g by spec, %.9g by impl, claimed %.9g; that before was %.9g", n, offset, rat.Show(x), literal, fast.Upper, want, last)
					}
					last = literal
				}
			}
		}
	}
}

// sampledVariant is what is claimed of the algorithm with samples: scales in units of S/ε_3, and the number beside T/δ in Δ.
type sampledVariant struct{ nu, xi, inLog float64 }

func sampledTwins(claimed sampledVariant) register.Check {
	return func(t *register.T) {
		n := t.Size(1000, 20000)
		t.Domain("%d tapes, T and up to 5 queries with N ≤ 40 samples of 4 scores, thresholds between them; ε_0, ε_1 in {1/10, 9/10}, ε_3 in {1, 50}, δ in {1/1000, 1/2}, p_* in {1/10, 1/2}", n)
		t.Random(33, n, func(t *register.T, d register.Dice) {
			pick := func(xs ...string) *big.Rat { return rat.Of(xs[d.Roll(len(xs))]) }
			with := impl.SampledPercentile{PStar: pick("1/10", "1/2"), T: 2 + d.Roll(3), N: 1 + d.Roll(40), Eps0: pick("1/10", "9/10"), Eps1: pick("1/10", "9/10"), Eps3: pick("1", "50"), Delta: pick("1/1000", "1/2")}
			same := spec.SampledPercentile{PStar: rat.Float64(with.PStar), T: with.T, N: with.N, Eps0: rat.Float64(with.Eps0), Eps1: rat.Float64(with.Eps1), Eps3: rat.Float64(with.Eps3), Delta: rat.Float64(with.Delta)}
			draws, scores, taus := make([]float64, 9), make([]float64, 7), make([]float64, 1+d.Roll(5))
			for i := range draws {
				draws[i] = float64(d.Roll(33)-16)/7.3 + 0.003
			}
			for i := range scores {
				scores[i] = float64(d.Roll(4))
			}
			for i := range taus {
				taus[i] = float64(d.Roll(5))
			}
			literal, fast, tape := &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}
			a := spec.SampledPercentileSparse(func(a []bool) (spec.Candidate[int], float64, bool) {
				i := -1
				return func() spec.Scored[int] { i++; return spec.Scored[int]{Score: scores[i%7]} }, taus[len(a)%len(taus)], len(a) == len(taus)
			}, same, literal)
			b, err := impl.SampledPercentileSparse(t.Context(), func(a []bool) (impl.Candidate[int], float64, bool) {
				i := -1
				return func(context.Context) (impl.Scored[int], error) { i++; return impl.Scored[int]{Score: scores[i%7]}, nil }, taus[len(a)%len(taus)], len(a) == len(taus)
			}, with, fast)
			t.Must(err)
			rise := math.Exp(same.Eps0 + same.Eps1)
			offset := 2 * (rise + 1 + math.Exp(same.Eps0/2)) * math.Log(claimed.inLog*float64(same.T)/same.Delta) / (same.Eps0 * (rise - 1))
			odds := func(x float64) float64 {
				return math.Log((float64(same.N)*x + offset) / (float64(same.N)*(1-x) + offset))
			}
			unit := 2 * (same.Eps0 + same.Eps1) / same.Eps3
			threshold := tape.Laplace(claimed.nu*unit) + odds(same.PStar)
			var c []bool
			for len(c) < min(same.T, len(taus)) {
				above := 0
				for j := range same.N {
					if scores[j%7] >= taus[len(c)] {
						above++
					}
				}
				isAbove := tape.Laplace(claimed.xi*unit)+odds(float64(above)/float64(same.N)) >= threshold
				if c = append(c, isAbove); isAbove {
					break
				}
			}
			if !slices.Equal(a, b) || !slices.Equal(a, c) || !areNear(literal.Scales, fast.Scales) || !areNear(literal.Scales, tape.Scales) {
				t.Refute("%+v, scores %v, thresholds %v, draws %.4g: %v with scales %.3g by spec, %v with %.3g by impl, %v with %.3g claimed", same, scores, taus, draws, a, literal.Scales, b, fast.Scales, c, tape.Scales)
			}
		})
	}
}
