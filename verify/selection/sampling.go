package selection

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sampling are the statements of Section 4.2, where probabilities are estimated from samples.
func sampling() register.Checks {
	return register.Checks{
		"PSC-X12":     tight(meansMove, "19/20", "at most 19/20 of it"),
		"PSC-L4.3":    tight(countsApart, "1/16", "with 1/16 of Δ"),
		"PSC-L4.3.s1": tight(goodCounts, "1/12", "with 1/12 of the second summands"),
		"PSC-L4.3.s2": step(countsTogether, "19/20"),
		"PSC-N10":     tight(smoothed, "19/20", "19/20 of the Δ below"),
		"PSC-A5": register.Checked(sampledTwins(sampledVariant{2, 4, 8}),
			register.Control("Δ has ln(2T/δ)", sampledTwins(sampledVariant{2, 4, 2})),
			register.NearMiss("ν ∼ Lap(2.1·S/ε_3)", sampledTwins(sampledVariant{2.1, 4, 8})),
			register.NearMiss("ξ_i ∼ Lap(3.8·S/ε_3)", sampledTwins(sampledVariant{2, 3.8, 8})),
		),
		"PSC-T4.4a": tight(sampledLoss, "1/16", "it is (ε_3/16, 0)-DP"),
		"PSC-T4.4b1": mended(reportedEarly(given, smoothBound, printedOffset), reportedEarly(joint, smoothBound, halfOffset),
			"not conditional, with the larger Δ of PSC-T4.4.s7", "1/32", "not conditional, with the larger Δ, 1/32 of β + δ/2"),
		"PSC-T4.4b2": mended(reportedEarly(given, plainBound, printedOffset), reportedEarly(joint, plainBound, printedOffset),
			"not conditional", "1/128", "not conditional, with 1/128 of β + δ/2"),
		"PSC-T4.4c1": mended(reportedLate(given, smoothBound, printedOffset), reportedLate(joint, smoothBound, halfOffset),
			"not conditional, with the larger Δ of PSC-T4.4.s7", "1/80", "not conditional, with the larger Δ, 1/80 of β + δ/2"),
		"PSC-T4.4c2": mended(reportedLate(given, indexR, printedOffset), reportedLate(joint, mirrored, printedOffset),
			"an i < R, not conditional: p(τ_i, Q_i) ≥ 1 − ½·e^−ε_0·(β/(R + 1))^(6S/ε_3)·(1 − p_*)", "1/250",
			"an i < R, not conditional, by the mirrored bound, with 1/250 of β + δ/2",
			register.AlsoFails(register.False, "an i < R, given that Q_R is reported",
				reportedLate(given, plainBound, printedOffset).with("1")),
			register.AlsoFails(register.Edge, "an i < R, not conditional",
				reportedLate(joint, plainBound, printedOffset).with("1"))),
		"PSC-T4.4d": mended(sampledHalts(true, printedOffset), sampledHalts(false, quarterOffset),
			"⊥ for ⊤, not conditional, with the larger Δ of PSC-T4.4.s10", "1/11",
			"⊥ for ⊤, not conditional, with the larger Δ, 1/11 of β + δ/(4T)"),
	}
}

// meansMove checks the mean of three samples' share, and that it moves by a share of e^ε_1 at most.
func meansMove(t *register.T, share *big.Rat) {
	reaching(t, func(at string, e, p, q *big.Rat) {
		var means [2]*big.Rat
		for b, x := range []*big.Rat{p, q} {
			means[b] = new(big.Rat)
			for k, pr := range exhaustive.Count([]*big.Rat{x, x, x}) {
				means[b].Add(means[b], rat.Mul(big.NewRat(int64(k), 3), pr))
			}
			equal(t, at+", E[p̃]", means[b], x)
		}
		if most := rat.Product(share, e, means[1]); means[0].Cmp(most) > 0 {
			t.Refute("%s: E[p̃] is above %s", at, rat.Show(most))
		}
	})
}

// countsApart checks Lemma 4.3 with a share of Δ.
func countsApart(t *register.T, share *big.Rat) {
	twoSums(t, func(x twoCounts) {
		c, offset := countConstant(t, x.eps0, x.eps1), printedOffset(t, x.eps0, x.eps1, x.delta0)
		rising(t, x.at+", C", c, 21)
		rise := exp(rat.Add(x.eps0, x.eps1))
		second := mul(offset, sub(rise, 1))
		equal(t, x.at+", the summands", second, mul(quo(c, x.eps0), ln(rat.Quo(rat.Int(2), x.delta0))))
		tails, pr := atLeast(x.x), num(0)
		for k, p := range x.y {
			pr = add(pr, mul(p, tails[from(add(mul(rise, k), mul(share, second)), len(x.x))]))
		}
		rising(t, x.at, pr, x.delta0)
	})
}

// countConstant returns C, by both rooms.
func countConstant(t *register.T, eps0, eps1 *big.Rat) interval.Interval {
	c := selection.CountConstant(eps0, eps1)
	twins(t, "C", spec.CountConstant(rat.Float64(eps0), rat.Float64(eps1)), c)
	return c
}

// goodCounts checks the two events of the proof with a share of their second summands.
func goodCounts(t *register.T, share *big.Rat) {
	twoSums(t, func(x twoCounts) {
		eps, delta := rat.Mul(rat.Half, x.eps0), rat.Mul(rat.Half, x.delta0)
		high, low := mul(exp(eps), x.meanX), quo(x.meanY, exp(eps))
		high = add(high, mul(share, sub(impl.UpperCount(x.meanX, eps, delta), high)))
		low = add(low, mul(share, sub(impl.LowerCount(x.meanY, eps, delta), low)))
		isAbove, isBelow := atLeast(x.x)[from(high, len(x.x))], upTo(x.y, low)
		rising(t, x.at, sub(1, mul(sub(1, isAbove), sub(1, isBelow))), x.delta0)
	})
}

func countsTogether(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "Y in {0, 1, 1000}, ε_0 and ε_1 in {1/100, 1/2, 99/100}, δ_0 in {1/1000, 99/100}") {
		t.Case()
		y, eps0, eps1, log := x[0], x[1], x[2], ln(rat.Quo(rat.Int(2), x[3]))
		rest, rise := quo(log, mul("1/2", eps0)), exp(rat.Add(eps0, eps1))
		left := add(mul(rise, add(y, rest)), mul(add(exp(rat.Mul(rat.Half, eps0)), 1), rest))
		equal(t, at, left, mul(share, add(mul(rise, y), mul(quo(countConstant(t, eps0, eps1), eps0), log))))
	}
}

// smoothed checks Φ^(N,Δ) with a share of the Δ below.
func smoothed(t *register.T, share *big.Rat) {
	for at, x := range finite.Grid(t, "N in {1, 10, 1000}, all x in multiples of 1/N, Δ in {1/2, 3, 1000}") {
		n, offset, last := whole(x[0]), x[1], -1.0
		for k := range n + 1 {
			t.Case()
			p, at := big.NewRat(int64(k), int64(n)), fmt.Sprintf("%s, k = %d", at, k)
			literal := spec.SmoothedOdds(rat.Float64(p), n, rat.Float64(offset))
			twins(t, at, literal, selection.SmoothedOdds(p, n, num(offset)))
			twins(t, at+", as claimed", literal, quo(add(k, offset), add(n-k, mul(share, offset))))
			if literal <= last {
				t.Refute("%s: Φ(x) is %.9g by spec, that before was %.9g", at, literal, last)
			}
			last = literal
		}
	}
}

// sampledVariant is what is claimed of the algorithm with samples: scales in units of S/ε_3, and the number beside T/δ
// in Δ.
type sampledVariant struct{ nu, xi, inLog float64 }

// claimedOffset returns Δ for ε_0, ε_1, and what is in its logarithm.
func claimedOffset(eps0, eps1, inLog float64) float64 {
	rise := math.Exp(eps0 + eps1)
	return 2 * (rise + 1 + math.Exp(eps0/2)) * math.Log(inLog) / (eps0 * (rise - 1))
}

// someDraws returns draws of noise, of which no two are equal, and scores.
func someDraws(d register.Dice, scoreOf func() float64) (draws, scores []float64) {
	draws, scores = make([]float64, 9), make([]float64, 7)
	for i := range draws {
		draws[i] = float64(d.Roll(33)-16)/7.3 + 0.003
	}
	for i := range scores {
		scores[i] = scoreOf()
	}
	return draws, scores
}

// reach counts which of n samples reach a threshold, of those that repeat.
func reach(scores []float64, n int, tau float64) (k int) {
	for j := range n {
		if scores[j%len(scores)] >= tau {
			k++
		}
	}
	return k
}

func sampledTwins(claimed sampledVariant) register.Check {
	return func(t *register.T) {
		n := t.Size(1000, 20000)
		t.Domain("%d tapes, T and up to 5 queries with N ≤ 40 samples of 4 scores, thresholds between them; ε_0, ε_1 in "+
			"{1/10, 9/10}, ε_3 in {1, 50}, δ in {1/1000, 1/2}, p_* in {1/10, 1/2}", n)
		t.Random(33, n, func(t *register.T, d register.Dice) {
			pick := func(xs ...string) *big.Rat { return rat.Of(xs[d.Roll(len(xs))]) }
			with := selection.SampledPercentile{PStar: pick("1/10", "1/2"), T: 2 + d.Roll(3), N: 1 + d.Roll(40),
				Eps0: pick("1/10", "9/10"), Eps1: pick("1/10", "9/10"), Eps3: pick("1", "50"), Delta: pick("1/1000", "1/2")}
			x := literalPercentile(with)
			taus := make([]float64, 1+d.Roll(5))
			draws, scores := someDraws(d, func() float64 { return float64(d.Roll(4)) })
			for i := range taus {
				taus[i] = float64(d.Roll(5))
			}
			sameOnTape(t, fmt.Sprintf("%+v, scores %v, thresholds %v, draws %.4g", x, scores, taus, draws), draws,
				[3]func(*finite.Tape) any{
					func(noise *finite.Tape) any {
						return spec.SampledPercentileSparse(func(a []bool) (spec.Candidate[int], float64, bool) {
							q, _ := candidate(0, scores...)
							return q, taus[len(a)%len(taus)], len(a) == len(taus)
						}, x, noise)
					},
					func(noise *finite.Tape) any {
						return register.Must(selection.SampledPercentileSparse(t.Context(), func(a []bool) (selection.Candidate[int], float64,
							bool) {
							_, q := candidate(0, scores...)
							return q, taus[len(a)%len(taus)], len(a) == len(taus)
						}, with, noise))
					},
					func(noise *finite.Tape) any { return claimed.run(x, scores, taus, noise) },
				})
		})
	}
}

// run is the algorithm as it is claimed.
func (v sampledVariant) run(x spec.SampledPercentile, scores, taus []float64, noise *finite.Tape) (a []bool) {
	offset, unit := claimedOffset(x.Eps0, x.Eps1, v.inLog*float64(x.T)/x.Delta), 2*(x.Eps0+x.Eps1)/x.Eps3
	odds := func(k float64) float64 { return math.Log((k + offset) / (float64(x.N) - k + offset)) }
	threshold := noise.Laplace(v.nu*unit) + odds(float64(x.N)*x.PStar)
	for len(a) < min(x.T, len(taus)) {
		isAbove := noise.Laplace(v.xi*unit)+odds(float64(reach(scores, x.N, taus[len(a)]))) >= threshold
		if a = append(a, isAbove); isAbove {
			break
		}
	}
	return a
}

// literalPercentile returns the same parameters for package spec.
func literalPercentile(with selection.SampledPercentile) spec.SampledPercentile {
	f := rat.Float64
	return spec.SampledPercentile{PStar: f(with.PStar), T: with.T, N: with.N, Eps0: f(with.Eps0), Eps1: f(with.Eps1),
		Eps3: f(with.Eps3), Delta: f(with.Delta)}
}

// sampledLoss checks ε_3 and δ, or a share of ε_3 alone, where candidates are randomized response.
func sampledLoss(t *register.T, share *big.Rat) {
	for _, v := range finite.Grid(t, "(ε_0, ε_1, p, p') in {(1/2, 1/10, 4751/10000, 5249/10000), (1/10, 9/10, "+
		"2891/10000, 7109/10000)}, ε_3 = 1, δ in {1/1000, 1/2}, p_* in {1/10, 1/2}; T = 2: the first of two queries with N "+
		"in {1, 4, 300}, and two with N = 1 and N = 4") {
		x := newEstimating(selection.SampledPercentile{PStar: v[5], T: 2, N: whole(v[6]), Eps0: v[0], Eps1: v[1], Eps3: rat.One,
			Delta: v[4]}, rat.Half, printedOffset(t, v[0], v[1], rat.Mul(rat.Of("1/8"), v[4])))
		x.twins(t, rat.One)
		low, high := x.passes(v[2]), x.passes(v[3])
		isClose(t, x.at+", 2 outputs", share, rat.One, v[4], pair{withRest(high), withRest(low)})
		if x.N <= 4 {
			isClose(t, x.at+", 3 outputs", share, rat.One, v[4], pair{withRest(low, x.later(v[2], v[3])),
				withRest(high, x.later(v[3], v[2]))})
		}
	}
}
