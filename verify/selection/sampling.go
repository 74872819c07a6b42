package selection

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
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

// meansMove checks the mean of three samples' share, and that it moves by a share of e^ε_1 at most.
func meansMove(share *big.Rat) register.Check {
	return func(t *register.T) {
		reaching(t, func(e, p, q *big.Rat) {
			var means [2]*big.Rat
			for b, x := range []*big.Rat{p, q} {
				means[b] = new(big.Rat)
				for k, pr := range exhaustive.Count([]*big.Rat{x, x, x}) {
					means[b] = rat.Add(means[b], rat.Mul(big.NewRat(int64(k), 3), pr))
				}
				if !rat.Equal(means[b], x) {
					t.Refute("p = %s: E[p̃] is %s", rat.Show(x), rat.Show(means[b]))
				}
			}
			if most := rat.Product(share, e, means[1]); means[0].Cmp(most) > 0 {
				t.Refute("e^ε_1 = %s, p and p' are %s: E[p̃] is above %s", rat.Show(e), rat.Show(p, q), rat.Show(most))
			}
		})
	}
}

// twoCounts goes through pairs of sums of which one has at most e^ε_1 times the mean of the other, and both laws.
func twoCounts(t *register.T, visit func(x, y []interval.Interval, meanX, meanY, eps0, eps1, delta0 *big.Rat, name string)) {
	t.Domain("sums of 1, 2 and 300 variables with probabilities in {1/100, 1/3, 2/3}, all pairs with means within a factor of e; ε_0 in {1/100, 1/2, 99/100}, ε_1 the least multiple of 1/100 for the means, δ_0 in {1/1000, 1/2, 99/100}")
	type sum struct {
		n   int
		p   *big.Rat
		law []interval.Interval
	}
	var sums []sum
	for _, n := range []int{1, 2, 300} {
		for _, p := range rat.List("1/100", "1/3", "2/3") {
			sums = append(sums, sum{n, p, binomialLaw(n, p)})
		}
	}
	for _, x := range sums {
		for _, y := range sums {
			meanX, meanY := rat.Mul(rat.Int(x.n), x.p), rat.Mul(rat.Int(y.n), y.p)
			least := math.Ceil(100 * math.Log(rat.Float64(rat.Quo(meanX, meanY))))
			if eps1 := big.NewRat(int64(max(least, 1)), 100); eps1.Cmp(rat.One) < 0 {
				for _, eps0 := range rat.List("1/100", "1/2", "99/100") {
					for _, delta0 := range rat.List("1/1000", "1/2", "99/100") {
						t.Case()
						visit(x.law, y.law, meanX, meanY, eps0, eps1, delta0, fmt.Sprintf("X of %d with %s, Y of %d with %s, ε_0 = %s, ε_1 = %s, δ_0 = %s", x.n, rat.Show(x.p), y.n, rat.Show(y.p), rat.Show(eps0), rat.Show(eps1), rat.Show(delta0)))
					}
				}
			}
		}
	}
}

// binomialLaw returns the law of the sum of n variables that are 1 with probability p.
func binomialLaw(n int, p *big.Rat) []interval.Interval {
	law := make([]interval.Interval, n+1)
	for k := range law {
		law[k] = precise.Int(0)
	}
	if rat.Equal(p, rat.One) {
		law[n] = precise.Int(1)
		return law
	}
	law[0] = power(rat.Complement(p), n)
	odds := rat.Quo(p, rat.Complement(p))
	for k := 1; k <= n; k++ {
		law[k] = precise.Mul(law[k-1], exactly(rat.Mul(odds, big.NewRat(int64(n-k+1), int64(k)))))
	}
	return law
}

// atLeast returns the probability of k and more, for each k.
func atLeast(law []interval.Interval) []interval.Interval {
	tails := make([]interval.Interval, len(law)+1)
	tails[len(law)] = precise.Int(0)
	for k := len(law) - 1; k >= 0; k-- {
		tails[k] = precise.Add(law[k], tails[k+1])
	}
	return tails
}

// from returns the least count that is surely at least x, from 0 to n.
func from(x interval.Interval, n int) int {
	if x.Upper.Sign() <= 0 {
		return 0
	}
	if x.Upper.Cmp(precise.Int(int64(n)).Lower) > 0 {
		return n
	}
	up, accuracy := x.Upper.Int64()
	if accuracy == big.Below {
		up++
	}
	return int(up)
}

// countsApart checks Lemma 4.3 with a share of Δ.
func countsApart(share *big.Rat) register.Check {
	return func(t *register.T) {
		twoCounts(t, func(x, y []interval.Interval, _, _, eps0, eps1, delta0 *big.Rat, name string) {
			c, offset := impl.CountConstant(eps0, eps1), impl.CountOffset(eps0, eps1, delta0)
			e0, e1, d0 := rat.Float64(eps0), rat.Float64(eps1), rat.Float64(delta0)
			if !isNear(spec.CountConstant(e0, e1), c) || math.Abs(spec.CountOffset(e0, e1, d0)-offset.Float().Hi) > 1e-9*offset.Float().Hi {
				t.Refute("%s: C and Δ are %.9g and %.9g by impl, %.9g and %.9g by spec", name, c.Upper, offset.Upper, spec.CountConstant(e0, e1), spec.CountOffset(e0, e1, d0))
			}
			rising(c, precise.Int(21)).check(t, precise.Int(1), "%s, C", name)
			rise := precise.ExpRat(rat.Add(eps0, eps1))
			second := precise.Mul(offset, precise.Sub(rise, precise.Int(1)))
			equal(second, precise.Mul(precise.Quo(c, exactly(eps0)), precise.Log(rat.Quo(rat.Int(2), delta0)))).check(t, precise.Int(1), "%s, the summands", name)
			tails, pr := atLeast(x), precise.Int(0)
			for k, p := range y {
				least := precise.Add(precise.Mul(rise, precise.Int(int64(k))), precise.Mul(exactly(share), second))
				pr = precise.Add(pr, precise.Mul(p, tails[from(least, len(x))]))
			}
			rising(pr, exactly(delta0)).check(t, precise.Int(1), "%s", name)
		})
	}
}

// goodCounts checks the two events of the proof with a share of their second summands.
func goodCounts(share *big.Rat) register.Check {
	return func(t *register.T) {
		twoCounts(t, func(x, y []interval.Interval, meanX, meanY, eps0, _, delta0 *big.Rat, name string) {
			eps, delta := rat.Mul(rat.Half, eps0), rat.Mul(rat.Half, delta0)
			e := precise.ExpRat(eps)
			high, low := precise.Mul(e, exactly(meanX)), precise.Quo(exactly(meanY), e)
			high = precise.Add(high, precise.Mul(exactly(share), precise.Sub(impl.UpperCount(meanX, eps, delta), high)))
			low = precise.Add(low, precise.Mul(exactly(share), precise.Sub(impl.LowerCount(meanY, eps, delta), low)))
			above := atLeast(x)[from(high, len(x))]
			below := precise.Int(0)
			for k, p := range y {
				if precise.Int(int64(k)).Upper.Cmp(low.Lower) <= 0 {
					below = precise.Add(below, p)
				}
			}
			one := precise.Int(1)
			bad := precise.Sub(one, precise.Mul(precise.Sub(one, above), precise.Sub(one, below)))
			rising(bad, exactly(delta0)).check(t, precise.Int(1), "%s", name)
		})
	}
}

func countsTogether(t *register.T, share interval.Interval) {
	t.Domain("Y in {0, 1, 1000}, ε_0 and ε_1 in {1/100, 1/2, 99/100}, δ_0 in {1/1000, 99/100}")
	for _, y := range rat.List("0", "1", "1000") {
		for _, eps0 := range rat.List("1/100", "1/2", "99/100") {
			for _, eps1 := range rat.List("1/100", "1/2", "99/100") {
				for _, delta0 := range rat.List("1/1000", "99/100") {
					t.Case()
					eps, log := rat.Mul(rat.Half, eps0), precise.Log(rat.Quo(rat.Int(2), delta0))
					rest := precise.Quo(log, exactly(eps))
					first := precise.Mul(precise.ExpRat(rat.Add(rat.Twice(eps), eps1)), precise.Add(exactly(y), rest))
					left := precise.Add(first, precise.Mul(precise.Add(precise.ExpRat(eps), precise.Int(1)), rest))
					c := impl.CountConstant(eps0, eps1)
					if literal := spec.CountConstant(rat.Float64(eps0), rat.Float64(eps1)); !isNear(literal, c) {
						t.Refute("C is %.9g by impl, %.9g by spec", c.Upper, literal)
					}
					right := precise.Add(precise.Mul(precise.ExpRat(rat.Add(eps0, eps1)), exactly(y)), precise.Mul(precise.Quo(c, exactly(eps0)), log))
					equal(left, right).check(t, share, "Y = %s, ε_0 = %s, ε_1 = %s, δ_0 = %s", rat.Show(y), rat.Show(eps0), rat.Show(eps1), rat.Show(delta0))
				}
			}
		}
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

// overtakes returns Pr[ξ + g ≥ ν] for ξ ∼ Lap(b) and ν ∼ Lap(b/2): with u = |g|/b, (4e^−u − e^−2u)/6 on the side that g is not.
func overtakes(g interval.Interval, b *big.Rat) interval.Interval {
	at := func(x *big.Float) interval.Interval {
		u := precise.Quo(interval.New(x, x), exactly(b))
		e := precise.Exp(precise.Neg(abs(u)))
		tail := precise.Quo(precise.Sub(precise.Mul(precise.Int(4), e), precise.Mul(e, e)), precise.Int(6))
		if x.Sign() < 0 {
			return tail
		}
		return precise.Sub(precise.Int(1), tail)
	}
	return interval.New(at(g.Lower).Lower, at(g.Upper).Upper)
}

// estimating is a place where the algorithm with samples is: its parameters with N, β, Δ, ln Φ^(N,Δ)(p_*), and 4S/ε_3.
type estimating struct {
	impl.SampledPercentile
	beta   *big.Rat
	offset interval.Interval
	star   interval.Interval
	scale  *big.Rat
}

func newEstimating(with impl.SampledPercentile, beta *big.Rat, offset interval.Interval) *estimating {
	x := &estimating{SampledPercentile: with, beta: beta, offset: offset}
	x.scale = rat.Quo(rat.Mul(rat.Int(8), rat.Add(x.Eps0, x.Eps1)), x.Eps3)
	x.star = x.logOdds(x.PStar)
	return x
}

// gap returns ln Φ^(N,Δ)(k/N) − ln Φ^(N,Δ)(p_*).
func (x *estimating) gap(k int) interval.Interval {
	return precise.Sub(x.logOdds(big.NewRat(int64(k), int64(x.N))), x.star)
}

func (x *estimating) String() string {
	return fmt.Sprintf("ε_0 = %s, ε_1 = %s, ε_3 = %s, δ = %s, β = %s, T = %d, N = %d, p_* = %s", rat.Show(x.Eps0), rat.Show(x.Eps1), rat.Show(x.Eps3), rat.Show(x.Delta), rat.Show(x.beta), x.T, x.N, rat.Show(x.PStar))
}

// logOdds returns ln Φ^(N,Δ)(p).
func (x *estimating) logOdds(p *big.Rat) interval.Interval {
	return precise.LogOf(impl.SmoothedOdds(p, x.N, x.offset))
}

// reports returns the probability that one query with the probability p is ⊤, whatever came before.
func (x *estimating) reports(p *big.Rat) interval.Interval {
	return mean(binomialLaw(x.N, p), func(k int) interval.Interval { return overtakes(x.gap(k), x.scale) })
}

// mean returns the mean of probabilities under a law. Those of what hardly happens are taken to be anything from 0 to 1.
func mean(law []interval.Interval, pr func(k int) interval.Interval) interval.Interval {
	sum, rare := precise.Int(0), new(big.Float).SetMantExp(big.NewFloat(1), -100)
	for k, p := range law {
		if p.Upper.Cmp(rare) < 0 {
			sum = precise.Add(sum, interval.New(new(big.Float), p.Upper))
			continue
		}
		sum = precise.Add(sum, precise.Mul(p, pr(k)))
	}
	return sum
}

// shift returns e^(sign·ε_0)·((R + 1)/β)^(sign·6S/ε_3).
func (x *estimating) shift(r, sign int) interval.Interval {
	exponent := rat.Mul(rat.Of("3/2"), x.scale) // 6S/ε_3
	log := precise.Mul(exactly(exponent), precise.Log(rat.Quo(rat.Int(r+1), x.beta)))
	return precise.Exp(precise.Mul(precise.Int(int64(sign)), precise.Add(exactly(x.Eps0), log)))
}

// estimatings goes through places with the N of Theorem 4.4, for ε_3 so large that it is not huge; in the last there is hardly any noise.
func estimatings(t *register.T, offset anOffset, visit func(x *estimating)) {
	t.AlsoDomain("T = 2, (ε_0, ε_1, ε_3, δ, β, p_*) in {(1/2, 1/10, 72/5, 1/2, 1/2, 1/2), (9/10, 1/10, 24, 9/10, 1/10, 1/4), (7/100, 9/10, 100000, 1/1000, 1/10000, 1/2)}, and the N of the theorem")
	for _, v := range [][]*big.Rat{rat.List("1/2", "1/10", "72/5", "1/2", "1/2", "1/2"), rat.List("9/10", "1/10", "24", "9/10", "1/10", "1/4"), rat.List("7/100", "9/10", "100000", "1/1000", "1/10000", "1/2")} {
		with := impl.SampledPercentile{Eps0: v[0], Eps1: v[1], Eps3: v[2], Delta: v[3], PStar: v[5], T: 2}
		n, delta0 := impl.PercentileSamples(with, v[4]), rat.Quo(v[3], rat.Int(4*with.T))
		larger := offset(t, v[0], v[1], delta0)
		with.N = samplesFor(n, larger, printedOffset(t, v[0], v[1], delta0))
		same := spec.SampledPercentile{PStar: rat.Float64(v[5]), T: 2, Eps0: rat.Float64(v[0]), Eps1: rat.Float64(v[1]), Eps3: rat.Float64(v[2]), Delta: rat.Float64(v[3])}
		x := newEstimating(with, v[4], larger)
		if literal := math.Ceil(spec.PercentileSamples(same, rat.Float64(v[4]))); literal != float64(n.Int64()) {
			t.Refute("%v: N is %d by impl, %g by spec", x, n, literal)
		}
		if literal, fast := spec.SmoothedOdds(0.25, with.N, x.offset.Float().Hi), impl.SmoothedOdds(rat.Of("1/4"), with.N, x.offset); !isNear(literal, fast) {
			t.Refute("%v: Φ(1/4) is %.9g by impl, %.9g by spec", x, fast.Upper, literal)
		}
		visit(x)
	}
}

// sampledLoss checks ε_3 and δ, or a share of ε_3 alone, where candidates are randomized response.
func sampledLoss(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("(ε_0, ε_1) in {(1/2, 1/10), (1/10, 9/10)}, ε_3 = 1, δ in {1/1000, 1/2}, p_* in {1/10, 1/2}; T = 2: the first of two queries with N in {1, 4, 300}, and two with N in {1, 4}")
		for _, v := range [][]*big.Rat{rat.List("1/2", "1/10", "4751/10000", "5249/10000"), rat.List("1/10", "9/10", "2891/10000", "7109/10000")} {
			for _, delta := range rat.List("1/1000", "1/2") {
				for _, star := range rat.List("1/10", "1/2") {
					for _, n := range []int{1, 4, 300} {
						x := newEstimating(impl.SampledPercentile{PStar: star, T: 2, N: n, Eps0: v[0], Eps1: v[1], Eps3: rat.One, Delta: delta}, rat.Half, impl.CountOffset(v[0], v[1], rat.Mul(rat.Of("1/8"), delta)))
						if literal := spec.CountOffset(rat.Float64(v[0]), rat.Float64(v[1]), rat.Float64(delta)/8); !isNear(literal/1e3, precise.Quo(x.offset, precise.Int(1000))) {
							t.Refute("%v: Δ is %.12g by impl, %.12g by spec", x, x.offset.Upper, literal)
						}
						if literal, fast := spec.SmoothedOdds(1, n, x.offset.Float().Hi), impl.SmoothedOdds(rat.One, n, x.offset); !isNear(literal, fast) {
							t.Refute("%v: Φ(1) is %.12g by impl, %.12g by spec", x, fast.Upper, literal)
						}
						low, high := x.reports(v[2]), x.reports(v[3])
						one := precise.Int(1)
						x.checkClose(t, share, [2][]interval.Interval{{high, precise.Sub(one, high)}, {low, precise.Sub(one, low)}})
						if n <= 4 {
							x.checkClose(t, share, [2][]interval.Interval{x.outputs(t, v[2], v[3]), x.outputs(t, v[3], v[2])})
						}
					}
				}
			}
		}
	}
}

// outputs returns the probabilities of (⊤), (⊥, ⊤) and (⊥, ⊥) for two queries. The gaps are rounded outward: (⊥, ⊤) rises in the second,
// falls in the first.
func (x *estimating) outputs(t *register.T, first, second *big.Rat) []interval.Interval {
	law := impl.SparseVectorLaw{RhoScale: rat.Mul(rat.Half, x.scale), NuScale: x.scale, Cutoff: 1}
	near := func(g interval.Interval) (low, high *big.Rat) {
		const steps = 1 << 40
		middle := big.NewRat(int64(math.Round(g.Float().Hi*steps)), steps)
		return rat.Sub(middle, big.NewRat(2, steps)), rat.Add(middle, big.NewRat(2, steps))
	}
	pr := func(a, b *big.Rat) interval.Interval {
		p, err := law.Probability([]impl.Comparison{{Query: a, Threshold: new(big.Rat)}, {Query: b, Threshold: new(big.Rat), Above: true}}, 1e-15)
		t.Must(err)
		return p
	}
	late := precise.Int(0)
	for j, p := range binomialLaw(x.N, first) {
		lowFirst, highFirst := near(x.gap(j))
		for k, q := range binomialLaw(x.N, second) {
			lowSecond, highSecond := near(x.gap(k))
			both := interval.New(pr(highFirst, lowSecond).Lower, pr(lowFirst, highSecond).Upper)
			late = precise.Add(late, precise.Mul(precise.Mul(p, q), both))
		}
	}
	early := x.reports(first)
	return []interval.Interval{early, late, precise.Sub(precise.Int(1), precise.Add(early, late))}
}

func (x *estimating) checkClose(t *register.T, share *big.Rat, laws [2][]interval.Interval) {
	checkEpsDelta(t, share, x.Eps3, x.Delta, laws, fmt.Sprintf("%v, %d outputs", x, len(laws[0])))
}

// checkEpsDelta refutes laws that are not (share·ε, δ)-close, or (share·ε, 0)-close for a share below 1.
func checkEpsDelta(t *register.T, share, eps, delta *big.Rat, laws [2][]interval.Interval, at string) {
	t.Case()
	rise := precise.ExpRat(rat.Mul(share, eps))
	allowed := new(big.Rat)
	if rat.Equal(share, rat.One) {
		allowed = delta
	}
	for b := range laws {
		need, largest := precise.Int(0), precise.Int(0)
		for i, p := range laws[b] {
			need = precise.Add(need, precise.Max0(precise.Sub(p, precise.Mul(rise, laws[1-b][i]))))
			largest = interval.Max(largest, precise.LogOf(precise.Quo(p, laws[1-b][i])))
		}
		if rat.IsAbove(need, allowed) {
			t.Refute("%s: δ is %.6g at %s of the ε", at, need.Lower, rat.Show(share))
		}
		t.Close(precise.Quo(largest, exactly(eps)).Float().Lo, "%s", at)
	}
}

// bound says in which form a bound on p(τ_i, Q_i) is.
type bound int

const (
	smoothBound bound = iota // by Φ^(N,Δ)
	plainBound               // by p
	indexR                   // by p, of Q_R itself
	mirrored                 // by 1 − p, as p is bounded from below
)

// lowest returns the largest p = k/2^20 that is surely at most the bound of (b) for a report of R; false if there is none.
func (x *estimating) lowest(r int, b bound) (*big.Rat, bool) {
	if b == plainBound {
		most := precise.Mul(precise.Half(x.shift(r, -1)), exactly(x.PStar))
		return below(func(p *big.Rat) bool { return precise.Sub(exactly(p), most).Upper.Sign() <= 0 })
	}
	most := precise.Add(precise.LogOf(x.shift(r, -1)), x.logOdds(x.PStar))
	return below(func(p *big.Rat) bool { return x.logOdds(p).Upper.Cmp(most.Lower) <= 0 })
}

// highest returns the least such p that is surely at least the bound of (c), or of (d) for r = 0; false if there is none.
func (x *estimating) highest(r int, b bound) (*big.Rat, bool) {
	isEnough := func(p *big.Rat) bool {
		least := precise.Add(precise.LogOf(x.shift(r, 1)), x.logOdds(x.PStar))
		return x.logOdds(p).Lower.Cmp(least.Upper) >= 0
	}
	switch b {
	case mirrored:
		least := precise.Sub(precise.Int(1), precise.Mul(precise.Half(x.shift(r, -1)), exactly(rat.Complement(x.PStar))))
		isEnough = func(p *big.Rat) bool { return exactly(p).Lower.Cmp(least.Upper) >= 0 }
	case plainBound, indexR:
		half := precise.Quo(x.shift(r, 1), exactly(rat.Twice(rat.Complement(x.PStar))))
		least := precise.Sub(precise.Int(1), precise.Quo(precise.Int(1), precise.Add(precise.Int(1), half)))
		isEnough = func(p *big.Rat) bool { return exactly(p).Lower.Cmp(least.Upper) >= 0 }
	}
	p, is := below(func(p *big.Rat) bool { return isEnough(rat.Complement(p)) })
	if !is {
		return nil, false
	}
	return rat.Complement(p), true
}

// below returns the largest k/2^20 that meets a condition which the numbers below meet, too.
func below(meets func(p *big.Rat) bool) (*big.Rat, bool) {
	const steps = 1 << 20
	if !meets(new(big.Rat)) {
		return nil, false
	}
	low, high := 0, steps
	for high-low > 1 {
		if middle := (low + high) / 2; meets(big.NewRat(int64(middle), steps)) {
			low = middle
		} else {
			high = middle
		}
	}
	return big.NewRat(int64(low), steps), true
}

// atMost refutes a probability above a share of what is claimed.
func (x *estimating) atMost(t *register.T, pr interval.Interval, claimed, share *big.Rat, format string, args ...any) {
	t.Case()
	args = append([]any{x}, args...)
	rising(pr, exactly(rat.Mul(share, claimed))).check(t, precise.Int(1), "%v, "+format, args...)
}

// halfMore returns β + δ/2.
func (x *estimating) halfMore() *big.Rat { return rat.Add(x.beta, rat.Mul(rat.Half, x.Delta)) }

// reportedEarly checks (b): two queries at their bounds. Not conditional, it is at most the sum of the probabilities of reports,
// whatever came before, and at least that of the first.
func reportedEarly(isGiven bool, b bound, offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("two queries at their bounds")
		estimatings(t, offset, func(x *estimating) {
			sum := precise.Int(0)
			for r := 1; r <= 2; r++ {
				p, is := x.lowest(r, b)
				if !is {
					continue
				}
				pr := x.reports(p)
				if isGiven && pr.Lower.Sign() > 0 {
					x.atMost(t, precise.Int(1), x.halfMore(), share, "a first query with p = %s is reported with probability %.3g, and then it is so", rat.Show(p), pr.Lower)
				}
				sum = precise.Add(sum, pr)
				if r == 1 {
					x.atMost(t, pr, x.halfMore(), share, "a first query with p = %s", rat.Show(p))
				}
			}
			x.atMost(t, sum, x.halfMore(), share, "two queries at their bounds, the sum")
		})
	}
}

// reportedLate checks (c): the first of two queries is at its bound for a report of the second, which is sure. With the index R it is the
// second that is at its bound, after one that is not reported.
func reportedLate(isGiven bool, b bound, offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("a query at its bound, and one of which all samples are above its threshold")
		estimatings(t, offset, func(x *estimating) {
			p, is := x.highest(2, b)
			if !is {
				return
			}
			if b == indexR {
				p, is = x.highest(1, b)
				if pr := x.reports(p); is && pr.Lower.Sign() > 0 {
					x.atMost(t, precise.Int(1), x.halfMore(), share, "a first query with p = %s is reported with probability %.3g, and then it is so", rat.Show(p), pr.Lower)
				}
				return
			}
			pr := precise.Sub(precise.Int(1), x.reports(p))
			if isGiven && pr.Lower.Sign() > 0 {
				x.atMost(t, precise.Int(1), x.halfMore(), share, "a first query with p = %s is not reported with probability %.3g; if then the second is, it is so", rat.Show(p), pr.Lower)
			}
			x.atMost(t, pr, x.halfMore(), share, "a first query with p = %s is not reported", rat.Show(p))
		})
	}
}

// sampledHalts checks (d) for the first query.
func sampledHalts(isReported bool, offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("a first query at its bound")
		estimatings(t, offset, func(x *estimating) {
			p, is := x.highest(0, smoothBound)
			if !is {
				return
			}
			pr := x.reports(p)
			if !isReported {
				pr = precise.Sub(precise.Int(1), pr)
			}
			x.atMost(t, pr, rat.Add(x.beta, rat.Quo(x.Delta, rat.Int(4*x.T))), share, "a first query with p = %s", rat.Show(p))
		})
	}
}
