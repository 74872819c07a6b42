package selection

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// percentile are the statements of Section 4.1, where probabilities are told.
func percentile() register.Checks {
	return register.Checks{
		"PSC-X8": register.Checked(laplaceQueries(rat.One, rat.Half),
			register.NearMiss("for p_* = 19/40", laplaceQueries(rat.One, rat.Of("19/40"))),
			register.NearMiss("Q_i is 19/80·ε_1-DP", laplaceQueries(rat.Of("19/80"), rat.Half)),
		),
		"PSC-X9": register.Checked(logsMove(rat.One),
			register.NearMiss("they are 19/20·ε_1-Lipschitz", logsMove(nearly)),
		),
		"PSC-X10": register.Checked(oddsMove(rat.One),
			register.NearMiss("it is 19/10·ε_1-Lipschitz", oddsMove(nearly)),
		),
		"PSC-A4": register.Checked(percentileTwins(percentileVariant{4, 8, false}),
			register.Control("it goes on after ⊤", percentileTwins(percentileVariant{4, 8, true})),
			register.NearMiss("ν ∼ Lap(4.2·ε_1/ε_3)", percentileTwins(percentileVariant{4.2, 8, false})),
			register.NearMiss("ξ_i ∼ Lap(7.6·ε_1/ε_3)", percentileTwins(percentileVariant{4, 7.6, false})),
		),
		"PSC-X11": register.Checked(isSparseVector(1),
			register.NearMiss("with queries 0.95·ln Φ(p)", isSparseVector(0.95)),
		),
		"PSC-T4.1a": register.Checked(percentileLoss(rat.One, -1, 0, 1, 8, 32),
			register.NearMiss("it is 19/20·ε_3-DP", percentileLoss(nearly, -1, 0, 1, 8, 32)),
		),
		"PSC-T4.1b": register.Checked(tooEarly(given, rat.One, false),
			register.NearMiss("not conditional, with 3/4 of the exponent", tooEarly(joint, rat.Of("3/4"), false)),
			register.Corrected("not conditional", tooEarly(joint, rat.One, false)),
		),
		"PSC-T4.1c": register.Checked(tooLate(given, rat.One, false),
			register.NearMiss("not conditional, with a quarter of the exponent", tooLate(joint, rat.Of("1/4"), false)),
			register.Corrected("not conditional", tooLate(joint, rat.One, false)),
		),
		"PSC-T4.1d": register.Checked(halts(given, true, rat.One, false),
			register.AlsoFails(register.ProofStep, "⊥ for ⊤", halts(given, false, rat.One, false)),
			register.NearMiss("⊥ for ⊤, not conditional, with half of the exponent", halts(joint, false, rat.Half, false)),
			register.Corrected("⊥ for ⊤, not conditional", halts(joint, false, rat.One, false)),
		),
		"PSC-C4.2a": register.Checked(percentileLoss(rat.One, 0),
			register.NearMiss("it is 19/20·ε_3-DP", percentileLoss(nearly, 0)),
		),
		"PSC-C4.2b": register.Checked(tooEarly(given, rat.One, true),
			register.NearMiss("not conditional, with 3k/4", tooEarly(joint, rat.Of("3/4"), true)),
			register.Corrected("not conditional", tooEarly(joint, rat.One, true)),
		),
		"PSC-C4.2c": register.Checked(tooLate(given, rat.One, true),
			register.NearMiss("not conditional, with k/4", tooLate(joint, rat.Of("1/4"), true)),
			register.Corrected("not conditional", tooLate(joint, rat.One, true)),
		),
		"PSC-C4.2d": register.Checked(halts(given, true, rat.One, true),
			register.AlsoFails(register.ProofStep, "⊥ for ⊤", halts(given, false, rat.One, true)),
			register.NearMiss("⊥ for ⊤, not conditional, with k/2", halts(joint, false, rat.Half, true)),
			register.Corrected("⊥ for ⊤, not conditional", halts(joint, false, rat.One, true)),
		),
	}
}

// laplaceQueries checks that f + Lap(4/ε_1) moves by a share of ε_1 at most where f moves by 1, at thresholds on both
// sides, and that it reaches τ_0 with the probability p_* or more just if f ≥ τ_0.
func laplaceQueries(share, pStar *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("ε_1 in {1/10, 1, 5}, f and f' in steps of 1/4 from −2 to 2, at most 1 apart, and τ_0 = 0")
		for _, eps := range rat.List("1/10", "1", "5") {
			reaches := func(f *big.Rat) interval.Interval { // Pr[f + Lap(4/ε_1) ≥ 0]
				tail := precise.Half(precise.ExpRat(rat.Mul(rat.Of("-1/4"), rat.Mul(eps, new(big.Rat).Abs(f)))))
				if f.Sign() >= 0 {
					return precise.Sub(precise.Int(1), tail)
				}
				return tail
			}
			for i := -8; i <= 8; i++ {
				f := big.NewRat(int64(i), 4)
				here := reaches(f)
				t.Case()
				if isHigh := here.Upper.Cmp(exactly(pStar).Lower) >= 0; isHigh != (i >= 0) {
					t.Refute("ε_1 = %s, f = %s, τ_0 = 0, p_* = %s: Q reaches τ_0 with probability %.6g", rat.Show(eps), rat.Show(f),
						rat.Show(pStar), here.Upper)
				}
				for j := max(-8, i-4); j <= min(8, i+4); j++ {
					ratio := precise.Quo(here, reaches(big.NewRat(int64(j), 4)))
					rising(ratio, precise.ExpRat(rat.Mul(share, eps))).check(t, precise.Int(1), "ε_1 = %s, f = %s, f' = %d/4",
						rat.Show(eps), rat.Show(f), j)
				}
			}
		}
	}
}

// reaching goes through the probabilities that two ε_1-DP laws over three samples give the highest, or the two highest.
func reaching(t *register.T, visit func(expEps, p, q *big.Rat)) {
	t.Domain("e^ε_1 in {11/10, 3/2, 10}, 36 ε_1-DP oracles over three samples, thresholds at the second and the third")
	for _, e := range rat.List("11/10", "3/2", "10") {
		for n := range pure(e) {
			for first := 1; first <= 2; first++ {
				t.Case()
				visit(e, rat.Sum(n[0][first:]...), rat.Sum(n[1][first:]...))
			}
		}
	}
}

// logsMove checks |ln(p/p')| ≤ share·ε_1, and the same for 1 − p.
func logsMove(share *big.Rat) register.Check {
	return func(t *register.T) {
		reaching(t, func(e, p, q *big.Rat) {
			for _, x := range [][2]*big.Rat{{p, q}, {rat.Complement(p), rat.Complement(q)}} {
				if x[0].Sign() == 0 && x[1].Sign() == 0 {
					continue
				}
				moved := abs(precise.Log(rat.Quo(x[0], x[1])))
				rising(moved, logOf(share, 1, e, new(big.Rat))).check(t, precise.Int(1), "e^ε_1 = %s, probabilities %s",
					rat.Show(e), rat.Show(x[0], x[1]))
			}
		})
	}
}

// oddsMove checks that Φ rises, and |ln(Φ(p)/Φ(p'))| ≤ share·2ε_1.
func oddsMove(share *big.Rat) register.Check {
	return func(t *register.T) {
		reaching(t, func(e, p, q *big.Rat) {
			if p.Sign() == 0 || rat.Equal(p, rat.One) {
				return
			}
			x, y := impl.Odds(p), impl.Odds(q)
			if !isNear(spec.Odds(rat.Float64(p)), exactly(x)) {
				t.Refute("Φ(%s) is %s by impl, %g by spec", rat.Show(p), rat.Show(x), spec.Odds(rat.Float64(p)))
			}
			if x.Cmp(y) != p.Cmp(q) {
				t.Refute("Φ(%s) is %s, Φ(%s) is %s", rat.Show(p), rat.Show(x), rat.Show(q), rat.Show(y))
			}
			moved := abs(precise.Log(rat.Quo(x, y)))
			rising(moved, logOf(share, 2, e, new(big.Rat))).check(t, precise.Int(1), "e^ε_1 = %s, probabilities %s",
				rat.Show(e), rat.Show(p, q))
		})
	}
}

// percentileVariant is what is claimed of the algorithm with exact percentiles: scales in units of ε_1/ε_3, and whether
// it goes on.
type percentileVariant struct {
	nu, xi  float64
	further bool
}

// tapes goes through random draws, probabilities and parameters.
func tapes(t *register.T, seed uint64, visit func(draws, ps []float64, pStar, eps1, eps3 float64)) {
	n := t.Size(1500, 50000)
	t.Domain("%d tapes, up to 8 queries with p in {0, 1/1000, 1/4, 1/2, 9/10, 1}, p_* in {1/100, 1/2}, ε_1 in {1/10, "+
		"1}, ε_3 in {1/2, 2}", n)
	t.Random(seed, n, func(t *register.T, d register.Dice) {
		draws, ps := make([]float64, 9), make([]float64, d.Roll(9))
		for i := range draws {
			draws[i] = float64(d.Roll(33)-16) / 16.3
		}
		draws[0] += 1.0 / 1024 // no two sides are equal, which has probability 0
		for i := range ps {
			ps[i] = []float64{0, 0.001, 0.25, 0.5, 0.9, 1}[d.Roll(6)]
		}
		visit(draws, ps, []float64{0.01, 0.5}[d.Roll(2)], []float64{0.1, 1}[d.Roll(2)], []float64{0.5, 2}[d.Roll(2)])
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

func percentileTwins(claimed percentileVariant) register.Check {
	return func(t *register.T) {
		tapes(t, 31, func(draws, ps []float64, pStar, eps1, eps3 float64) {
			literal, fast, tape := &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}
			a := spec.PercentileSparse(stream(ps), pStar, eps1, eps3, literal)
			b, err := impl.PercentileSparse(stream(ps), pStar, eps1, eps3, fast)
			t.Must(err)
			threshold := tape.Laplace(claimed.nu*eps1/eps3) + math.Log(pStar/(1-pStar))
			var c []bool
			for _, p := range ps {
				c = append(c, tape.Laplace(claimed.xi*eps1/eps3)+math.Log(p/(1-p)) > threshold)
				if c[len(c)-1] && !claimed.further {
					break
				}
			}
			if !slices.Equal(a, b) || !slices.Equal(a, c) || !slices.Equal(literal.Scales, fast.Scales) ||
				!areNear(literal.Scales, tape.Scales) {
				t.Refute("p = %v, p_* = %g, ε_1 = %g, ε_3 = %g, draws %v: %v with scales %.3g by spec, %v with %.3g by impl, %v "+
					"with %.3g claimed",
					ps, pStar, eps1, eps3, draws, a, literal.Scales, b, fast.Scales, c, tape.Scales)
			}
		})
	}
}

// areNear reports whether numbers are those of the other, but for rounding.
func areNear(xs, ys []float64) bool {
	return slices.EqualFunc(xs, ys, func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*math.Abs(y) })
}

// isSparseVector checks that both rooms do what spec.SparseVector does with the queries share·ln Φ(p) and the threshold
// ln Φ(p_*): one ⊤, and the scales of queries that are 2ε_1-Lipschitz. A share of 0 is for Φ(p) itself.
func isSparseVector(share float64) register.Check {
	return func(t *register.T) {
		tapes(t, 32, func(draws, ps []float64, pStar, eps1, eps3 float64) {
			query := func(p float64) float64 {
				p = min(max(p, 1e-300), 1-1e-16) // a query is finite
				if share == 0 {
					return spec.Odds(p)
				}
				return share * math.Log(spec.Odds(p))
			}
			ask := func(_ int, a []bool) (float64, float64, bool) {
				if len(a) == len(ps) {
					return 0, 0, true
				}
				return query(ps[len(a)]), query(pStar), false
			}
			want, err := spec.SparseVector(0, ask, 2*eps1, 1, eps3/2, eps3/2, &finite.Tape{Draws: draws})
			t.Must(err)
			a := spec.PercentileSparse(stream(ps), pStar, eps1, eps3, &finite.Tape{Draws: draws})
			b, err := impl.PercentileSparse(stream(ps), pStar, eps1, eps3, &finite.Tape{Draws: draws})
			t.Must(err)
			if !slices.Equal(a, want) || !slices.Equal(b, want) {
				t.Refute("p = %v, p_* = %g, ε_1 = %g, ε_3 = %g, draws %v: %v by spec, %v by impl, %v by a sparse vector technique",
					ps, pStar, eps1, eps3, draws, a, b, want)
			}
			if odds := impl.Odds(big.NewRat(9, 10)); !isNear(spec.Odds(0.9), exactly(odds)) {
				t.Refute("Φ(9/10) is %s by impl, %g by spec", rat.Show(odds), spec.Odds(0.9))
			}
		})
	}
}

// percentileNoise is that of the algorithm with exact percentiles.
func percentileNoise(eps1, eps3 *big.Rat) impl.SparseVectorLaw {
	unit := rat.Quo(eps1, eps3)
	return impl.SparseVectorLaw{RhoScale: rat.Mul(rat.Int(4), unit), NuScale: rat.Mul(rat.Int(8), unit), Cutoff: 1}
}

// percentileLoss checks runs of queries that move as much as queries can: p is 1/(1 + e^ε_1) on one database and
// e^ε_1/(1 + e^ε_1) on the other, randomized response, so that ln Φ(p) moves from −ε_1 to ε_1.
func percentileLoss(share *big.Rat, levels ...int) register.Check {
	return func(t *register.T) {
		t.Domain("ε_1 in {1/10, 1}, ε_3 in {1/2, 4}; n of {0, 1, 8, 64} queries that rise from −ε_1 to ε_1 and are ⊥, and "+
			"then one that falls and is ⊤, or none; ln Φ(p_*) in %v noise scales 8ε_1/ε_3", levels)
		for _, eps1 := range rat.List("1/10", "1") {
			for _, eps3 := range rat.List("1/2", "4") {
				law := percentileNoise(eps1, eps3)
				for _, level := range levels {
					threshold := rat.Mul(rat.Int(level), law.NuScale)
					for _, n := range []int{0, 1, 8, 64} {
						for _, isReported := range []bool{true, false} {
							if n == 0 && !isReported {
								continue
							}
							t.Case()
							var runs [2][]impl.Comparison
							for b := range runs {
								moves := [2]*big.Rat{new(big.Rat).Neg(eps1), eps1}
								for range n {
									runs[b] = append(runs[b], impl.Comparison{Query: moves[b], Threshold: threshold})
								}
								if isReported {
									runs[b] = append(runs[b], impl.Comparison{Query: moves[1-b], Threshold: threshold, Above: true})
								}
							}
							where := fmt.Sprintf("ε_1 = %s, ε_3 = %s, ln Φ(p_*) = %s, %d queries ⊥, then ⊤ %v", rat.Show(eps1),
								rat.Show(eps3), rat.Show(threshold), n, isReported)
							checkPercentileLoss(t, law, runs, rat.Mul(share, eps3), where)
						}
					}
				}
			}
		}
	}
}

func checkPercentileLoss(t *register.T, law impl.SparseVectorLaw, runs [2][]impl.Comparison, bound *big.Rat,
	where string) {
	var pr [2]interval.Interval
	for b := range runs {
		var err error
		pr[b], err = law.Probability(runs[b], 1e-9)
		t.Must(err)
	}
	rising(abs(precise.LogOf(precise.Quo(pr[0], pr[1]))), exactly(bound)).check(t, precise.Int(1), "%s", where)
}

// given and joint say whether a probability is that given a report, or that of the report and the event.
const (
	given = true
	joint = false
)

func (x reporting) String() string {
	return fmt.Sprintf("ε_1 = %s, ε_3 = %s, β = %s", rat.Show(x.eps1), rat.Show(x.eps3), rat.Show(x.beta))
}
