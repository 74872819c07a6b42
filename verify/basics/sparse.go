package basics

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
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
		"AFD-T3.25": register.Checked(
			register.All(register.With2(addsUp, sparseParts, 1), register.With2(roundsLeak, sparseScales, edgeCases)),
			register.AlsoHolds("for δ = 0", register.With2(addsUp, sparseParts, 1)),
			register.AlsoFails(register.ProofStep,
				"c mechanisms that are ε/√(8c ln(1/δ))-DP are together (ε, δ)-DP, for δ of at most 1/1000",
				register.With3(compose, sparseParts, "1", 0)),
			register.NearMiss("where ε or c is at most 8 ln(1/δ), a fifth of σ is enough",
				register.With3(compose, sparseParts, "1/5", 8)),
			register.NearMiss("for δ = 0 it is 0.999·ε-DP", register.With2(addsUp, sparseParts, 0.999)),
			register.Corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)",
				register.All(register.With3(compose, sparseParts, "1", 8), register.With2(addsUp, sparseParts, 1))),
		),
		"AFD-X20": register.Checked(register.With(runsAddUp, 1),
			register.NearMiss("19/20 of that", register.With(runsAddUp, 0.95))),
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
		law := impl.SparseVectorLaw{RhoScale: rat.Int(2 * c), NuScale: rat.Int(4 * c), Cutoff: 1}
		right := register.Must(law.Probability(run, 1e-50))
		want := precise.Sub(precise.Int(1), precise.Power(right, c)).Float()
		p := impl.SparseFailure(2*c, c, precise.Rat(alpha), rat.One, new(big.Rat))
		t.Require(p.Hi >= want.Lo && p.Lo <= want.Hi && p.Hi <= p.Lo*1.001,
			"it fails with a probability in [%.9g, %.9g], by the law of the outputs in [%.9g, %.9g]", p.Lo, p.Hi, want.Lo,
			want.Hi)
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
		t.Require(halts <= rat.Float64(beta),
			"c = 1, k = 2, f_1(D) = T + α, β = %s, δ = %s: it halts before f_2 with probability at least %.9g", beta, delta,
			halts)
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

// numericSparses are the statements of Section 3.6 on NumericSparse, and of Section 3.7.
func numericSparses() register.Checks {
	atZero, all := rat.List("0"), rat.List("0", "1e-6", "1/2")
	return register.Checks{
		"AFD-A3": register.Checked(register.All(register.With2(sparseTwins, numericSparse, variant{}), scalesAgree),
			register.Control("ν_i is released for v_i", register.With2(sparseTwins, numericSparse, variant{same: true})),
			register.NearMiss("T̂ is not drawn again", register.With2(sparseTwins, numericSparse, variant{keep: true})),
			register.NearMiss("v_i ~ Lap(1.05·σ(ε_2))", register.With2(sparseTwins, numericSparse, variant{value: 0.05})),
		),
		"AFD-T3.27": register.Checked(register.With2(roundsLeak, numericScales, hugeCases),
			register.AlsoHolds("for δ = 0", register.With2(addsUp, numericParts, 1)),
			register.NearMiss("for δ = 0 it is 0.999·ε-DP", register.With2(addsUp, numericParts, 0.999)),
			register.NearMiss("where ε is at most 8 ln(2/δ), a fifth of the noise is enough",
				register.With3(compose, numericParts, "1/5", 8)),
			register.Corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)",
				register.All(register.With3(compose, numericParts, "1", 8), register.With2(addsUp, numericParts, 1))),
		),
		"AFD-T3.28": register.Checked(
			register.All(register.With2(leastOf, impl.ExactNumericSparseAccuracy, impl.NumericSparseFailure),
				register.With(isAccurate, numericAccuracy("1", all, false))),
			register.AlsoHolds("for δ = 0", register.With(isAccurate, numericAccuracy("1", atZero, false))),
			register.NearMiss("half of α for δ = 0", register.With(isAccurate, numericAccuracy("1/2", atZero, false))),
			register.NearMiss("the worst answers fail 1.0001 times as often", register.With2(worstAnswers, true, 1.0001)),
			register.Corrected("with the larger of ln k + ln(4c/β) and √8·ln(2c/β), if δ > 0",
				register.All(register.With(isAccurate, numericAccuracy("1", all, true)), register.With2(worstAnswers, true, 1))),
		),
	}
}

// scalesAgree checks the scales of NumericSparse in both rooms.
func scalesAgree(t *register.T) {
	t.AlsoDomain("the scales for c in {1, 7}, ε in {1/3, 2}, δ in {0, 1e-9, 9/10}")
	finite.Each3([]int{1, 7}, rat.List("1/3", "2"), rat.List("0", "1e-9", "9/10"), func(c int, eps, delta *big.Rat) {
		t.Case()
		numericScales(t, c, eps, delta, 1e-12)
	})
}

// numericAccuracy has a share of the printed α or, corrected and if δ > 0, the larger of that and σ(ε_2)·ln(2c/β).
func numericAccuracy(share string, deltas []*big.Rat, isCorrected bool) accuracy {
	return accuracy{deltas, 5, func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval {
		alpha := impl.NumericSparseAccuracy(k, c, beta, eps, delta)
		isAbout(t, "α", alpha, spec.NumericSparseAccuracy(k, c, rat.Float64(beta), rat.Float64(eps), rat.Float64(delta)))
		scales := numericScales(t, c, eps, delta, 1e-12)
		if isCorrected && delta.Sign() > 0 {
			alpha = interval.Max(alpha, precise.Mul(scales[1], precise.Log(rat.Quo(rat.Int(2*c), beta))))
		}
		return times(alpha, rat.Of(share))
	}, impl.NumericSparseFailure}
}

// failing returns the exact probability that an algorithm fails at α, for k queries of which c are above.
type failing func(k, c int, alpha interval.Interval, eps, delta *big.Rat) interval.Float

// accuracy is a claim of accuracy: an α, and the exact probability to fail at it.
type accuracy struct {
	deltas []*big.Rat
	most   int // c up to that
	alpha  func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval
	fails  failing
}

// isAccurate checks that an algorithm fails with probability at most β at the α that is claimed, and that this
// probability is known.
func isAccurate(t *register.T, a accuracy) {
	t.AlsoDomain("(k, ε) in {(1, 1), (2, 1/2), (100, 3), (1000000, 1)}, c in {1, 2, 5} up to %d, β in {1/10, 99/100, "+
		"1e-20}, δ in {%s}; a larger ε makes α smaller by as much, and all noise", a.most, a.deltas)
	for i, k := range []int{1, 2, 100, 1_000_000} {
		eps := rat.List("1", "1/2", "3", "1")[i]
		finite.Each3([]int{1, 2, 5}, rat.List("1/10", "99/100", "1e-20"), a.deltas, func(c int, beta, delta *big.Rat) {
			if c > a.most {
				return
			}
			t.At("k = %d, c = %d, β = %s, δ = %s, ε = %s", k, c, beta, delta, eps)
			alpha := a.alpha(t, k, c, beta, eps, delta)
			p := a.fails(k, c, alpha, eps, delta)
			t.Require(p.Lo <= rat.Float64(beta) && p.Hi <= p.Lo*1.001, "at α = %.9g it fails with a probability in [%.9g, %.9g]",
				alpha.Upper, p.Lo, p.Hi)
			t.Close(p.Lo/rat.Float64(beta), "")
		})
	}
}

// leastOf checks that the smallest α of a setting is that where the probability of failure, which two programs give, is
// β: at its upper end it is at most β, and a thousandth below its lower end it is more.
func leastOf(t *register.T, least func(impl.SparseSetting) interval.Interval, fails failing) {
	t.AlsoDomain("the smallest α for (k, c) in {(1, 1), (2, 2), (100, 5)}, β in {1/1000, 1/3}, ε = 3, δ in {0, 1/10}")
	finite.Each3([][2]int{{1, 1}, {2, 2}, {100, 5}}, rat.List("1/1000", "1/3"), rat.List("0", "1/10"),
		func(size [2]int, beta, delta *big.Rat) {
			t.At("k = %d, c = %d, β = %s, ε = 3, δ = %s", size[0], size[1], beta, delta)
			s := impl.SparseSetting{Queries: size[0], Above: size[1], Beta: beta, Eps: rat.Int(3), Delta: delta}
			alpha := least(s)
			at := func(x *big.Rat) float64 { return fails(s.Queries, s.Above, precise.Rat(x), s.Eps, delta).Lo }
			enough, short := at(rat.Exact(alpha.Upper)), at(rat.Mul(rat.Of("0.999"), rat.Exact(alpha.Lower)))
			t.Require(enough <= rat.Float64(beta) && short > rat.Float64(beta),
				"it fails with probability %.9g at α = %.9g, and %.9g a thousandth below", enough, alpha.Upper, short)
		})
}

// composed is a setting of the theorems on privacy.
type composed struct {
	c          int
	eps, delta string
}

func (s composed) String() string {
	return fmt.Sprintf("c = %d, ε = %s, δ = %s", s.c, s.eps, s.delta)
}

var (
	edgeCases = []composed{{1, "1", "1e-6"}, {1, "1", "9/10"}, {10, "1/2", "1/2"}, {1, "1", "0.99999"},
		{1000, "4200", "1/2"}}
	hugeCases = []composed{{1, "1", "1e-6"}, {1, "1", "0.99999"}, {10, "1/2", "1/2"}, {2000, "11000", "1/2"}}
)

// noiseScales are the scales of an algorithm, which the rooms must have to a width: of the thresholds, and of the
// numbers that are released, if any are.
type noiseScales func(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval

func sparseScales(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval {
	sigma := impl.SparseScale(c, eps, delta)
	isWithin(t, "σ", sigma, spec.SparseScale(c, rat.Float64(eps), rat.Float64(delta)), width)
	return []interval.Interval{sigma}
}

func numericScales(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval {
	first, second := impl.NumericSparseScales(c, eps, delta)
	a, b := spec.NumericSparseScales(c, rat.Float64(eps), rat.Float64(delta))
	isWithin(t, "σ(ε_1)", first, a, width)
	isWithin(t, "σ(ε_2)", second, b, width)
	return []interval.Interval{first, second}
}

// roundsLeak checks (ε, δ)-DP where all answers are T + 1/2 on one database and T − 1/2 on the other: c times ⊤ at once
// has the probabilities (1 − t)^c and t^c, t = (4y − y²)/6 and y = e^(−1/(4σ)).
func roundsLeak(t *register.T, scales noiseScales, cases []composed) {
	text := ""
	for _, s := range cases {
		text += "; " + s.String()
	}
	t.AlsoDomain("answers T + 1/2 or T − 1/2 to all queries, ⊤ to the first c: %s", text[2:])
	for _, s := range cases {
		t.Case()
		eps, delta := rat.Of(s.eps), rat.Of(s.delta)
		sigma := scales(t, s.c, eps, delta, 1e-10)[0] // ln(1/δ) of a δ near 1 cancels in float64
		tail := wrongTail(precise.Exp(precise.Neg(precise.Quo(precise.Rat(rat.Of("1/4")), sigma))))
		forth, back := precise.Power(precise.Sub(precise.Int(1), tail), s.c), precise.Power(tail, s.c)
		needs := precise.Sub(forth, precise.Mul(precise.ExpRat(eps), back))
		t.Require(!rat.IsAbove(needs, delta), "%v, answers T + 1/2 against T − 1/2: at least δ = %.9g is needed", s,
			needs.Lower)
	}
}

// isIn reports whether ε or c is at most n·ln(1/δ), or if n is 0, whether δ ≤ 1/1000.
func (s composed) isIn(n float64) bool {
	log := math.Log(1 / rat.Float64(rat.Of(s.delta)))
	return n == 0 && log > 6 || min(float64(s.c), rat.Float64(rat.Of(s.eps))) <= n*log
}

// parts returns the ε of the mechanisms that an algorithm with δ and a share of its noise is made of, c of each.
type parts func(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval

// sparseParts has mechanisms that are 2/σ-DP.
func sparseParts(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval {
	sigma := sparseScales(t, c, eps, delta, 1e-12)[0]
	return []interval.Interval{precise.Quo(precise.Int(2), times(sigma, rat.Of(share)))}
}

// numericParts has those of NumericSparse: the numbers are 1/σ(ε_2)-DP.
func numericParts(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval {
	scales := numericScales(t, c, eps, delta, 1e-12)
	return []interval.Interval{precise.Quo(precise.Int(2), times(scales[0], rat.Of(share))),
		precise.Quo(precise.Int(1), times(scales[1], rat.Of(share)))}
}

// compose checks that the parts are together (ε, δ)-DP, by optimal composition of ε to 12 digits, upward: in the
// settings for which ε or c is at most so many times ln(1/δ).
func compose(t *register.T, of parts, share string, most float64) {
	t.AlsoDomain("optimal composition for c in {1, 20, 100}, ε in {1, 5, 100}, δ in {1e-6, 1/1000, 1/2, 9/10}, as far " +
		"as claimed")

	finite.Each3([]int{1, 20, 100}, []string{"1", "5", "100"}, []string{"1e-6", "1/1000", "1/2", "9/10"},
		func(c int, eps, delta string) {
			s := composed{c, eps, delta}
			if !s.isIn(most) {
				return
			}
			t.At("%v", s)
			var ms []impl.Mechanism
			for _, e := range of(t, c, rat.Of(eps), rat.Of(delta), share) {
				upward := loss.Nats(rat.Of(fmt.Sprintf("%.12e", e.Float().Hi*(1+1e-11))))
				ms = append(ms, impl.Mechanism{Eps: upward, Delta: new(big.Rat), Count: c})
			}
			needed := register.Must(impl.OptComp(t.Context(), ms, rat.Of(delta), impl.Options{RelWidth: 1e-2}))
			x, claimed := needed.Eps.Float().Lo, rat.Float64(rat.Of(eps))
			t.Require(x <= claimed*(1+1e-9), "at least ε = %.9g is needed", x)
			t.Close(x/claimed, "")
		})
}

// addsUp checks that c rounds add up to at most a share of ε, for δ = 0.
func addsUp(t *register.T, of parts, share float64) {
	t.AlsoDomain("the sum of all ε for δ = 0, c in {1, 2, 9}, ε in {1/10, 3}")
	finite.Each2([]int{1, 2, 9}, rat.List("1/10", "3"), func(c int, eps *big.Rat) {
		t.At("c = %d, ε = %s", c, eps)
		sum, most := 0.0, share*rat.Float64(eps)
		for _, e := range of(t, c, eps, new(big.Rat), "1") {
			sum += float64(c) * e.Float().Lo
		}
		t.Require(sum <= most*(1+1e-12), "the parts add up to %.12g", sum)
		t.Close(rounded(sum/most), "")
	})
}
