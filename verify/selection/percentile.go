package selection

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// percentile are the statements of Section 4.1, where probabilities are told.
func percentile() register.Checks {
	return register.Checks{
		"PSC-X8": tight(laplaceQueries(rat.Half), "19/80", "Q_i is 19/80·ε_1-DP",
			near("for p_* = 19/40", laplaceQueries(rat.Of("19/40")).With("1"))),
		"PSC-X9":  tight(at(reaching, logsMove), "19/20", "they are 19/20·ε_1-Lipschitz"),
		"PSC-X10": tight(at(reaching, oddsMove), "19/20", "it is 19/10·ε_1-Lipschitz"),
		"PSC-A4": checked(percentileTwins(percentileVariant{nu: 4, xi: 8}),
			control("it goes on after ⊤", percentileTwins(percentileVariant{nu: 4, xi: 8, further: true})),
			near("⊤ where both sides are equal", percentileTwins(percentileVariant{nu: 4, xi: 8, equal: true})),
			near("ν ∼ Lap(4.2·ε_1/ε_3)", percentileTwins(percentileVariant{nu: 4.2, xi: 8})),
			near("ξ_i ∼ Lap(7.6·ε_1/ε_3)", percentileTwins(percentileVariant{nu: 4, xi: 7.6}))),
		"PSC-X11":   tight(isSparseVector, "19/20", "with queries 0.95·ln Φ(p)"),
		"PSC-T4.1a": tight(percentileLoss("−1, 0, 1, 8, 32"), "19/20", "it is 19/20·ε_3-DP"),
		"PSC-T4.1b": reportStep(tooEarly, "3/4", "not conditional, with 3/4 of the exponent"),
		"PSC-T4.1c": reportStep(tooLate, "1/4", "not conditional, with a quarter of the exponent"),
		"PSC-T4.1d": haltStep("⊥ for ⊤, not conditional, with half of the exponent"),
		"PSC-T1.5a": mended(bothReturned(), halts(joint, false),
			"an i' ≤ i, with a target lower by the factor of Theorem 4.1(d)", "1/2",
			"an i' ≤ i, with the root of that factor"),
		"PSC-C4.2a": tight(percentileLoss("0"), "19/20", "it is 19/20·ε_3-DP"),
		"PSC-C4.2b": reportStep(tooEarly, "3/4", "not conditional, with 3k/4"),
		"PSC-C4.2c": reportStep(tooLate, "1/4", "not conditional, with k/4"),
		"PSC-C4.2d": haltStep("⊥ for ⊤, not conditional, with k/2"),
	}
}

// laplaceQueries checks that f + Lap(4/ε_1) moves by a share of ε_1 at most where f moves by 1, at thresholds on both
// sides, and that it reaches τ_0 with the probability p_* or more just if f ≥ τ_0.
var laplaceQueries = on("ε_1 in {1/10, 1, 5}, f and f' in steps of 1/4 from −2 to 2, at most 1 apart, and τ_0 = 0",
	func(t *register.T, share *big.Rat, pStar *big.Rat, at string, eps1 *big.Rat) {
		reaches := func(i int) interval.Interval { // Pr[i/4 + Lap(4/ε_1) ≥ 0]
			return above(big.NewRat(int64(-i), 4), rat.Quo(eps1, rat.Int(4)))
		}
		for i := -8; i <= 8; i++ {
			t.At("%s, f = %d/4", at, i)
			isHigh := reaches(i).Upper.Cmp(num(pStar).Lower) >= 0
			t.Require(isHigh == (i >= 0), "τ_0 = 0, p_* = %s: Q reaches τ_0 with probability %.6g",
				pStar, reaches(i).Upper)
			for j := max(-8, i-4); j <= min(8, i+4); j++ {
				t.In("f' = %d/4", j)
				rising(t, quo(reaches(i), reaches(j)), exp(rat.Mul(share, eps1)))
			}
		}
	})

// above returns the probability that Laplace noise is above x, for a rate of 1 over its scale.
func above(x, rate *big.Rat) interval.Interval {
	half := mul("1/2", exp(rat.Product(rat.Of("-1"), rate, new(big.Rat).Abs(x))))
	if x.Sign() <= 0 {
		return sub(1, half)
	}
	return half
}

// reach are the probabilities that two ε_1-DP laws over three samples give the highest, or the two highest.
type reach struct{ expEps, p, q *big.Rat }

// reaching goes through them.
func reaching(t *register.T, visit func(x reach)) {
	finite.Each(t, "e^ε_1 in {11/10, 3/2, 10}, 37 ε_1-DP oracles over three samples, "+
		"thresholds at the second and the third", func(at string, expEps *big.Rat) {
		for _, n := range pure(expEps) {
			for first := 1; first <= 2; first++ {
				p, q := rat.Sum(n[0][first:]...), rat.Sum(n[1][first:]...)
				t.At("%s, probabilities %s and %s", at, p, q)
				visit(reach{expEps, p, q})
			}
		}
	})
}

// logsMove checks |ln(p/p')| ≤ share·ε_1, and the same for 1 − p.
func logsMove(t *register.T, share *big.Rat, x reach) {
	for _, y := range [][2]*big.Rat{{x.p, x.q}, {rat.Complement(x.p), rat.Complement(x.q)}} {
		if y[0].Sign() > 0 || y[1].Sign() > 0 {
			rising(t, abs(ln(rat.Quo(y[0], y[1]))), mul(share, ln(x.expEps)))
		}
	}
}

// oddsMove checks that Φ rises, and |ln(Φ(p)/Φ(p'))| ≤ share·2ε_1.
func oddsMove(t *register.T, share *big.Rat, x reach) {
	if x.p.Sign() == 0 || rat.Equal(x.p, rat.One) {
		return
	}
	a, b := odds(t, x.p), odds(t, x.q)
	t.Require(a.Cmp(b) == x.p.Cmp(x.q), "Φ is %s and %s", a, b)
	rising(t, abs(ln(rat.Quo(a, b))), mul(share, 2, ln(x.expEps)))
}

// odds returns Φ(p), by both rooms.
func odds(t *register.T, p *big.Rat) *big.Rat {
	x := selection.Odds(p)
	twins(t, "Φ", spec.Odds(rat.Float64(p)), x)
	return x
}

// percentileVariant is what is claimed of the algorithm with exact percentiles: scales in units of ε_1/ε_3, whether it
// goes on, and whether equal sides are enough for ⊤.
type percentileVariant struct {
	nu, xi         float64
	further, equal bool
}

// tapes goes through random draws, probabilities and parameters.
func tapes(t *register.T, seed uint64, visit func(draws, ps []float64, pStar, eps1, eps3 float64)) {
	n := t.Size(1500, 50000)
	t.Domain("%d tapes, up to 8 queries with p in {0, 1/1000, 1/4, 1/2, 9/10, 1}, p_* in {1/100, 1/2}, "+
		"ε_1 in {1/10, 1}, ε_3 in {1/2, 2}", n)
	t.Random(seed, n, func(t *register.T, d register.Dice) {
		draws, ps := make([]float64, 9), make([]float64, d.Roll(9))
		for i := range draws {
			draws[i] = float64(d.Roll(33)-16) / 16.3
		}
		draws[0] += 1.0 / 1024 // no two sides are equal, which has probability 0
		for i := range ps {
			ps[i] = []float64{0, 0.001, 0.25, 0.5, 0.9, 1}[d.Roll(6)]
		}
		pStar, eps1, eps3 := []float64{0.01, 0.5}[d.Roll(2)], []float64{0.1, 1}[d.Roll(2)], []float64{0.5, 2}[d.Roll(2)]
		t.At("p = %v, p_* = %g, ε_1 = %g, ε_3 = %g, draws %v", ps, pStar, eps1, eps3, draws)
		visit(draws, ps, pStar, eps1, eps3)
	})
}

// stream answers with one probability after the other.
func stream(ps []float64) func(a []bool) (float64, bool) {
	return func(a []bool) (float64, bool) {
		if len(a) == len(ps) {
			return 0, true
		}
		return ps[len(a)], false
	}
}

// program is an algorithm that asks for noise.
type program = func(noise *finite.Tape) any

// sameOnTape refutes programs of spec, impl and what is claimed that return other things on the same draws of noise, or
// ask for other noise.
func sameOnTape(t *register.T, draws []float64, programs ...program) {
	var says [3]string
	var scales [3][]float64
	for i, run := range programs {
		tape := &finite.Tape{Draws: draws}
		says[i] = fmt.Sprint(run(tape))
		scales[i] = tape.Scales
	}
	isNear := func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*math.Abs(y) }
	for i := range 2 {
		t.Require(says[i] == says[2] && slices.EqualFunc(scales[i], scales[2], isNear),
			"%s with scales %.3g by spec, %s with %.3g by impl, %s with %.3g claimed",
			says[0], scales[0], says[1], scales[1], says[2], scales[2])
	}
}

func percentileTwins(claimed percentileVariant) register.Check {
	return func(t *register.T) {
		try := func(draws, ps []float64, pStar, eps1, eps3 float64) {
			sameOnTape(t, draws, func(noise *finite.Tape) any {
				return spec.PercentileSparse(stream(ps), pStar, eps1, eps3, noise)
			}, func(noise *finite.Tape) any {
				return register.Must(selection.PercentileSparse(stream(ps), pStar, eps1, eps3, noise))
			}, func(noise *finite.Tape) any {
				threshold, a := noise.Laplace(claimed.nu*eps1/eps3)+math.Log(pStar/(1-pStar)), []bool(nil)
				for i := 0; i < len(ps) && (claimed.further || !slices.Contains(a, true)); i++ {
					x := noise.Laplace(claimed.xi*eps1/eps3) + math.Log(ps[i]/(1-ps[i]))
					a = append(a, x > threshold || claimed.equal && x == threshold)
				}
				return a
			})
		}
		tapes(t, 31, try)
		t.AlsoDomain("p = p_* = 1/2 without noise")
		t.At("p = p_* = 1/2 without noise")
		try([]float64{0}, []float64{0.5}, 0.5, 1, 1)
	}
}

// isSparseVector checks that both rooms do what spec.SparseVector does with the queries share·ln Φ(p) and the threshold
// ln Φ(p_*): one ⊤, and the scales of queries that are 2ε_1-Lipschitz.
func isSparseVector(t *register.T, share *big.Rat) {
	query := func(p float64) float64 { // finite
		return rat.Float64(share) * math.Log(spec.Odds(min(max(p, 1e-300), 1-1e-16)))
	}
	tapes(t, 32, func(draws, ps []float64, pStar, eps1, eps3 float64) {
		ask := func(_ int, a []bool) (float64, float64, bool) {
			p, isLast := stream(ps)(a)
			return query(p), query(pStar), isLast
		}
		want := register.Must(spec.SparseVector(0, ask, 2*eps1, 1, eps3/2, eps3/2, &finite.Tape{Draws: draws}))
		a := spec.PercentileSparse(stream(ps), pStar, eps1, eps3, &finite.Tape{Draws: draws})
		b := register.Must(selection.PercentileSparse(stream(ps), pStar, eps1, eps3, &finite.Tape{Draws: draws}))
		t.Require(slices.Equal(a, want) && slices.Equal(b, want), "%v by spec, %v by impl, %v by "+
			"a sparse vector technique", a, b, want)
		odds(t, rat.Of("9/10"))
	})
}

// percentileNoise is that of the algorithm with exact percentiles.
func percentileNoise(eps1, eps3 *big.Rat) impl.SparseVectorLaw {
	unit := rat.Quo(eps1, eps3)
	return impl.SparseVectorLaw{RhoScale: rat.Mul(rat.Int(4), unit), NuScale: rat.Mul(rat.Int(8), unit), Cutoff: 1}
}

// outputs returns the probability that queries so far above their thresholds are all ⊥, but for the last if it is to be
// ⊤.
func outputs(law impl.SparseVectorLaw, gaps []*big.Rat, isReported bool) interval.Interval {
	if len(gaps) == 0 {
		return num(1)
	}
	var run []impl.Comparison
	for i, g := range gaps {
		run = append(run, impl.Comparison{Query: g, Threshold: new(big.Rat), Above: isReported && i == len(gaps)-1})
	}
	return register.Must(law.Probability(run, 1e-9))
}

// percentileLoss checks runs of queries that move as much as queries can: p is 1/(1 + e^ε_1) on one database and
// e^ε_1/(1 + e^ε_1) on the other, randomized response, so that ln Φ(p) moves from −ε_1 to ε_1.
func percentileLoss(levels string) claim {
	return on("ε_1 in {1/10, 1}, ε_3 in {1/2, 4}; ln Φ(p_*)/(8ε_1/ε_3) in {"+levels+"}, n in {0, 1, 8, 64} queries "+
		"that rise from −ε_1 to ε_1 and are ⊥, and then one that falls and is ⊤, or none",
		func(t *register.T, share, eps1, eps3, level *big.Rat, n int) {
			law := percentileNoise(eps1, eps3)
			threshold := rat.Mul(level, law.NuScale)
			for _, isReported := range []bool{true, false} {
				var pr [2]interval.Interval
				for b, e := range []*big.Rat{eps1, new(big.Rat).Neg(eps1)} {
					run := slices.Repeat([]*big.Rat{rat.Sub(new(big.Rat).Neg(e), threshold)}, n)
					if isReported {
						run = append(run, rat.Sub(e, threshold))
					}
					pr[b] = outputs(law, run, isReported)
				}
				t.In("then ⊤ %v", isReported)
				rising(t, abs(ln(quo(pr[0], pr[1]))), mul(share, eps3))
			}
		})()
}

// given and joint say whether a probability is that given a report, or that of the report and the event.
const (
	given = true
	joint = false
)

// reportStep is what runs for a part of Theorem 4.1 or of Corollary 4.2: not given the report, it holds.
func reportStep(check func(isGiven bool) claim, near, says string) []register.Part {
	return mended(check(given), check(joint), "not conditional", near, says)
}

// bothReturned checks that of two candidates that reach their thresholds each can be returned with probability 1 − β.
var bothReturned = on("K = 2 candidates that both reach their thresholds with probability p^*, β in {1/10, 1/3}",
	func(t *register.T, share, beta *big.Rat) {
		within(t, "the probability that one of them is returned", rat.Twice(rat.Complement(beta)), share, rat.One)
	})

func haltStep(says string) []register.Part {
	return mended(halts(given, true), halts(joint, false), "⊥ for ⊤, not conditional", "1/2", says,
		alsoFails(register.ProofStep, "⊥ for ⊤", halts(given, false).With("1")))
}

// reporting is a place where reports are considered: k = 12ε_1/ε_3 and β, with a share of the exponent.
type reporting struct {
	law            impl.SparseVectorLaw
	k, beta, share *big.Rat
}

// reportings returns a claim about them. It checks the odds of the bounds of the corollary, too: Φ(β^k/(β^k + m^k)) =
// (β/m)^k and the inverse.
func reportings(domain string, visit func(t *register.T, at string, x reporting)) claim {
	return on(domain+"; (ε_1, ε_3) in {(1/12, 1) | (1, 4)}, β in {1/100, 1/10 | 1/2}; ln Φ(p) − ln Φ(p_*) on 2^−20 ℤ",
		func(t *register.T, share *big.Rat, at string, eps1, eps3, beta *big.Rat) {
			k := rat.Quo(rat.Mul(rat.Int(12), eps1), eps3)
			for m := 1; m <= 8; m++ {
				low, high := rat.Power(beta, whole(k)), rat.Power(rat.Int(m), whole(k))
				equal(t, odds(t, rat.Quo(low, rat.Add(low, high))), quo(low, high))
				equal(t, selection.Odds(rat.Quo(high, rat.Add(low, high))), quo(high, low))
			}
			visit(t, at, reporting{percentileNoise(eps1, eps3), k, beta, share})
		})()
}

// boundary returns share·k·ln(m/β), rounded up.
func (x reporting) boundary(m int) *big.Rat {
	const steps = 1 << 20
	return big.NewRat(int64(up(mul(x.share, x.k, ln(rat.Quo(rat.Int(m), x.beta)), steps))), steps)
}

// reported returns the probability of a report where the event happens; given a report, that of the event is 1.
func (x reporting) reported(t *register.T, isGiven bool, r int, gaps []*big.Rat) interval.Interval {
	pr := outputs(x.law, gaps, true)
	t.Require(!isGiven || pr.Lower.Sign() <= 0, "query %d is reported with probability %.3g, and then it is so: "+
		"1 is above β", r, pr.Lower)
	return pr
}

// tooEarly checks reports of queries of which each is at its bound.
func tooEarly(isGiven bool) claim {
	return reportings("up to 24 queries, each with Φ(p) just at the bound for its place",
		func(t *register.T, at string, x reporting) {
			var gaps []*big.Rat
			all := num(0)
			for i := range 24 {
				t.At("%s, %d queries at the bounds", at, i+1)
				gaps = append(gaps, new(big.Rat).Neg(x.boundary(i+2)))
				all = add(all, x.reported(t, isGiven, i+1, gaps))
				rising(t, all, x.beta)
			}
		})
}

// tooLate checks reports after queries that are far above, at the bound for the report that comes next or for the last.
func tooLate(isGiven bool) claim {
	return reportings("1, 2 and 6 queries, each with Φ(p) just at the bound for a report of the one after it, "+
		"or of the last, and one with Φ(p) = e^40·Φ(p_*)", func(t *register.T, at string, x reporting) {
		finite.Each2([]int{1, 2, 6}, []bool{false, true}, func(n int, isForLast bool) {
			t.At("%s, %d queries at the bounds, and one far above", at, n)
			var gaps []*big.Rat
			all := num(0)
			for r := 1; r <= n+1; r++ {
				isLate := slices.ContainsFunc(gaps, func(g *big.Rat) bool { return g.Cmp(x.boundary(r+1)) >= 0 })
				next := rat.Of("40")
				if r <= n && isForLast {
					next = x.boundary(n + 2)
				} else if r <= n {
					next = x.boundary(r + 2)
				}
				if gaps = append(gaps, next); isLate {
					all = add(all, x.reported(t, isGiven, r, gaps))
				}
			}
			rising(t, all, x.beta)
		})
	})
}

// halts checks the output for a query at its bound, after others.
func halts(isGiven, isReported bool) claim {
	return reportings("after 0, 1 or 16 queries, all with Φ(p) = Φ(p_*) or all at the bound, one at the bound",
		func(t *register.T, at string, x reporting) {
			bound := x.boundary(1)
			finite.Each2([]*big.Rat{new(big.Rat), bound}, []int{0, 1, 16}, func(earlier *big.Rat, n int) {
				t.At("%s, %d queries with ln Φ(p) − ln Φ(p_*) = %.6g, then one at the bound", at, n, earlier)
				gaps := slices.Repeat([]*big.Rat{earlier}, n)
				pr := outputs(x.law, append(slices.Clone(gaps), bound), isReported)
				if isGiven {
					pr = quo(pr, outputs(x.law, gaps, false))
				}
				rising(t, pr, x.beta)
			})
		})
}
