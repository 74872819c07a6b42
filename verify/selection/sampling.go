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
func sampling() register.Checks {
	return register.Checks{
		"PSC-X12": register.Checked(meansMove(rat.One),
			register.NearMiss("at most 19/20 of it", meansMove(nearly)),
		),
		"PSC-L4.3": register.Checked(countsApart(rat.One),
			register.NearMiss("with 1/16 of Δ", countsApart(rat.Of("1/16"))),
		),
		"PSC-L4.3.s1": register.Checked(goodCounts(rat.One),
			register.NearMiss("with 1/12 of the second summands", goodCounts(rat.Of("1/12"))),
		),
		"PSC-L4.3.s2": nearStep(countsTogether, "19/20"),
		"PSC-N10": register.Checked(smoothed(1),
			register.NearMiss("19/20 of the Δ below", smoothed(0.95)),
		),
		"PSC-A5": register.Checked(sampledTwins(sampledVariant{2, 4, 8}),
			register.Control("Δ has ln(2T/δ)", sampledTwins(sampledVariant{2, 4, 2})),
			register.NearMiss("ν ∼ Lap(2.1·S/ε_3)", sampledTwins(sampledVariant{2.1, 4, 8})),
			register.NearMiss("ξ_i ∼ Lap(3.8·S/ε_3)", sampledTwins(sampledVariant{2, 3.8, 8})),
		),
		"PSC-T4.4a": register.Checked(sampledLoss(rat.One),
			register.NearMiss("it is (ε_3/16, 0)-DP", sampledLoss(rat.Of("1/16"))),
		),
		"PSC-T4.4b1": register.Checked(reportedEarly(given, smoothBound, printedOffset, rat.One),
			register.NearMiss("not conditional, with the larger Δ, 1/32 of β + δ/2",
				reportedEarly(joint, smoothBound, tailOffset, rat.Of("1/32"))),
			register.Corrected("not conditional, with the larger Δ of PSC-T4.4.s7",
				reportedEarly(joint, smoothBound, tailOffset, rat.One)),
		),
		"PSC-T4.4b2": register.Checked(reportedEarly(given, plainBound, printedOffset, rat.One),
			register.NearMiss("not conditional, with 1/128 of β + δ/2",
				reportedEarly(joint, plainBound, printedOffset, rat.Of("1/128"))),
			register.Corrected("not conditional", reportedEarly(joint, plainBound, printedOffset, rat.One)),
		),
		"PSC-T4.4c1": register.Checked(reportedLate(given, smoothBound, printedOffset, rat.One),
			register.NearMiss("not conditional, with the larger Δ, 1/80 of β + δ/2",
				reportedLate(joint, smoothBound, tailOffset, rat.Of("1/80"))),
			register.Corrected("not conditional, with the larger Δ of PSC-T4.4.s7",
				reportedLate(joint, smoothBound, tailOffset, rat.One)),
		),
		"PSC-T4.4c2": register.Checked(reportedLate(given, indexR, printedOffset, rat.One),
			register.AlsoFails(register.False, "an i < R, given that Q_R is reported",
				reportedLate(given, plainBound, printedOffset, rat.One)),
			register.AlsoFails(register.Edge, "an i < R, not conditional",
				reportedLate(joint, plainBound, printedOffset, rat.One)),
			register.NearMiss("an i < R, not conditional, by the mirrored bound, with 1/250 of β + δ/2",
				reportedLate(joint, mirrored, printedOffset, rat.Of("1/250"))),
			register.Corrected("an i < R, not conditional: p(τ_i, Q_i) ≥ 1 − ½·e^−ε_0·(β/(R + 1))^(6S/ε_3)·(1 − p_*)",
				reportedLate(joint, mirrored, printedOffset, rat.One)),
		),
		"PSC-T4.4d": register.Checked(sampledHalts(true, printedOffset, rat.One),
			register.NearMiss("⊥ for ⊤, not conditional, with the larger Δ, 1/11 of β + δ/(4T)",
				sampledHalts(false, quarterOffset, rat.Of("1/11"))),
			register.Corrected("⊥ for ⊤, not conditional, with the larger Δ of PSC-T4.4.s10",
				sampledHalts(false, quarterOffset, rat.One)),
		),
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
					literal, fast := spec.SmoothedOdds(rat.Float64(x), n, offset), impl.SmoothedOdds(x, n,
						precise.Rat(new(big.Rat).SetFloat64(offset)))
					if !(math.Abs(literal-want) <= 1e-9*want) || !(math.Abs(fast.Float().Hi-want) <= 1e-9*want) || literal <= last {
						t.Refute("N = %d, Δ = %g: Φ(%s) is %.9g by spec, %.9g by impl, claimed %.9g; that before was %.9g", n, offset,
							rat.Show(x), literal, fast.Upper, want, last)
					}
					last = literal
				}
			}
		}
	}
}

// sampledVariant is what is claimed of the algorithm with samples: scales in units of S/ε_3, and the number beside T/δ
// in Δ.
type sampledVariant struct{ nu, xi, inLog float64 }

func sampledTwins(claimed sampledVariant) register.Check {
	return func(t *register.T) {
		n := t.Size(1000, 20000)
		t.Domain("%d tapes, T and up to 5 queries with N ≤ 40 samples of 4 scores, thresholds between them; ε_0, ε_1 in "+
			"{1/10, 9/10}, ε_3 in {1, 50}, δ in {1/1000, 1/2}, p_* in {1/10, 1/2}", n)
		t.Random(33, n, func(t *register.T, d register.Dice) {
			pick := func(xs ...string) *big.Rat { return rat.Of(xs[d.Roll(len(xs))]) }
			with := impl.SampledPercentile{PStar: pick("1/10", "1/2"), T: 2 + d.Roll(3), N: 1 + d.Roll(40),
				Eps0: pick("1/10", "9/10"), Eps1: pick("1/10", "9/10"), Eps3: pick("1", "50"), Delta: pick("1/1000", "1/2")}
			same := spec.SampledPercentile{PStar: rat.Float64(with.PStar), T: with.T, N: with.N, Eps0: rat.Float64(with.Eps0),
				Eps1: rat.Float64(with.Eps1), Eps3: rat.Float64(with.Eps3), Delta: rat.Float64(with.Delta)}
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
				return func() spec.Scored[int] { i++; return spec.Scored[int]{Score: scores[i%7]} }, taus[len(a)%len(taus)],
					len(a) == len(taus)
			}, same, literal)
			b, err := impl.SampledPercentileSparse(t.Context(), func(a []bool) (impl.Candidate[int], float64, bool) {
				i := -1
				return func(context.Context) (impl.Scored[int], error) { i++; return impl.Scored[int]{Score: scores[i%7]}, nil },
					taus[len(a)%len(taus)], len(a) == len(taus)
			}, with, fast)
			t.Must(err)
			rise := math.Exp(same.Eps0 + same.Eps1)
			offset := 2 * (rise + 1 + math.Exp(same.Eps0/2)) * math.Log(claimed.inLog*float64(same.T)/same.Delta) / (same.Eps0 *
				(rise - 1))
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
			if !slices.Equal(a, b) || !slices.Equal(a, c) || !areNear(literal.Scales, fast.Scales) ||
				!areNear(literal.Scales, tape.Scales) {
				t.Refute("%+v, scores %v, thresholds %v, draws %.4g: %v with scales %.3g by spec, %v with %.3g by impl, %v with "+
					"%.3g claimed", same, scores, taus, draws, a, literal.Scales, b, fast.Scales, c, tape.Scales)
			}
		})
	}
}
