package basics

import (
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sparse are the statements of Section 3.6 on Sparse.
func sparse() register.Checks {
	return register.Checks{
		"AFD-A2": register.Checked(register.With2(sparseTwins, sparseProgram, variant{}),
			register.Control("T̂ is not drawn again", register.With2(sparseTwins, sparseProgram, variant{keep: true})),
			register.NearMiss("⊤ if f_i(D) + ν_i > T̂", register.With2(sparseTwins, sparseProgram, variant{strict: true})),
			register.NearMiss("until c + 1 times ⊤", register.With2(sparseTwins, sparseProgram, variant{extra: 1})),
			register.NearMiss("T̂ = T + Lap(1.05·σ)", register.With2(sparseTwins, sparseProgram, variant{noise: 0.05})),
		),
		"AFD-T3.25": register.Checked(register.All(register.With2(addsUp, sparseParts, 1), register.With2(roundsLeak, sparseScales, edgeCases)),
			register.AlsoHolds("for δ = 0", register.With2(addsUp, sparseParts, 1)),
			register.AlsoFails(register.ProofStep, "c mechanisms that are ε/√(8c ln(1/δ))-DP are together (ε, δ)-DP, for δ of "+
				"at most 1/1000", register.With3(compose, sparseParts, "1", 0)),
			register.NearMiss("where ε or c is at most 8 ln(1/δ), a fifth of σ is enough", register.With3(compose, sparseParts, "1/5", 8)),
			register.NearMiss("for δ = 0 it is 0.999·ε-DP", register.With2(addsUp, sparseParts, 0.999)),
			register.Corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)", register.All(register.With3(compose, sparseParts, "1",
				8), register.With2(addsUp, sparseParts, 1))),
		),
		"AFD-X20": register.Checked(register.With(runsAddUp, 1), register.NearMiss("19/20 of that", register.With(runsAddUp, 0.95))),
		"AFD-T3.26": register.Checked(haltsEarly,
			register.NearMiss("9/20 of α, if it may halt at the c-th ⊤", register.With(isAccurate, sparseAccuracy("9/20"))),
			register.NearMiss("the worst answers fail 1.0001 times as often", register.With2(worstAnswers, false, 1.0001)),
			register.Corrected("if it may halt at the c-th ⊤", register.All(register.With2(leastOf, impl.ExactSparseAccuracy,
				impl.SparseFailure), register.With(isAccurate, sparseAccuracy("1")), register.With2(worstAnswers, false, 1),
				rarely)),
		),
	}
}

func sparseAccuracy(share string) accuracy {
	return accuracy{rat.List("0", "1e-6", "9/10"), 5,
		func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval {
			alpha := impl.SparseAccuracy(k, c, beta, eps, delta)
			isAbout(t, "α", alpha, spec.SparseAccuracy(k, c, rat.Float64(beta), rat.Float64(eps), rat.Float64(delta)))
			sparseScales(t, c, eps, delta, 1e-12)
			return times(alpha, rat.Of(share))
		}, impl.SparseFailure}
}

// rarely checks small probabilities to fail by the law of the outputs, for 2c answers just below T − α and just above T
// + α in turn.
func rarely(t *register.T) {
	t.AlsoDomain("small probabilities to fail by the law of the outputs: k = 2c, c in {1, 2, 3}, ε = 1, δ = 0, α in " +
		"{90c, 200c}")
	finite.Each2(oneTo(3), rat.List("90", "200"), func(c int, alpha *big.Rat) {
		alpha = rat.Mul(rat.Int(c), alpha)
		t.At("k = %d, c = %d, α = %s, ε = 1, δ = 0", 2*c, c, alpha)
		run := []impl.Comparison{{Query: minus(alpha), Threshold: new(big.Rat)},
			{Query: alpha, Threshold: new(big.Rat), Above: true}}
		// T̂ is drawn again after each ⊤
		right, err := impl.SparseVectorLaw{RhoScale: rat.Int(2 * c), NuScale: rat.Int(4 * c), Cutoff: 1}.Probability(run, 1e-50)
		t.Must(err)
		want := precise.Sub(precise.Int(1), precise.Power(right, c)).Float()
		p := impl.SparseFailure(2*c, c, precise.Rat(alpha), rat.One, new(big.Rat))
		t.Require(p.Hi >= want.Lo && p.Lo <= want.Hi && p.Hi <= p.Lo*1.001, "it fails with a probability in [%.9g, %.9g], "+
			"by the law of the outputs in [%.9g, %.9g]", p.Lo, p.Hi, want.Lo, want.Hi)
	})
}

// haltsEarly checks AFD-T3.26 to the letter: for c = 1, k = 2 and f_1 = T + α, it is not to halt before f_2.
func haltsEarly(t *register.T) {
	t.Domain("c = 1, k = 2, f_1(D) = T + α, f_2(D) far below T, ε = 1, β in {1/10, 1/2}, δ in {0, 1e-6}")
	a := sparseAccuracy("1")
	finite.Each2(rat.List("1/10", "1/2"), rat.List("0", "1e-6"), func(beta, delta *big.Rat) {
		t.Case()
		stays := a.fails(1, 1, a.alpha(t, 2, 1, beta, rat.One, delta), rat.One, delta) // ⊥ for an answer of T + α
		halts := 1 - stays.Hi
		t.Require(halts <= rat.Float64(beta), "c = 1, k = 2, f_1(D) = T + α, β = %s, δ = %s: it halts before f_2 with "+
			"probability at least %.9g", beta, delta, halts)
	})
}

// runsAddUp checks that Sparse fails at most share·c times as often as the worst run that begins at one of the answers.
func runsAddUp(t *register.T, share float64) {
	t.Domain("all lists of 4 answers just outside of T − α and T + α, c up to 3, ε = 1, δ in {0, 1/10}, α in {3, 40}")
	finite.Each3([]float64{0, 0.1}, []float64{3, 40}, oneTo(3), func(delta, alpha float64, c int) {
		o := newOutputs(alpha/(2*spec.SparseScale(c, 1, delta)), 1)
		for answers := range finite.Tuples([]place{under, over}, 4) {
			t.Case()
			each := 0.0
			for i := range answers {
				each = max(each, 1-o.accurate(answers[i:], 1))
			}
			fails, bound := 1-o.accurate(answers, c), share*float64(c)*each
			t.Require(fails <= bound+1e-9, "c = %d, α = %g, ε = 1, δ = %g: it fails with probability %.9g, claimed are %.9g", c,
				alpha, delta, fails, bound)
		}
	})
}
