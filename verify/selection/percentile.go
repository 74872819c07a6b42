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
			register.NearMiss("for p_* = 19/40", laplaceQueries(rat.Of("19/40")).with("1"))),
		"PSC-X9":  tight(logsMove, "19/20", "they are 19/20·ε_1-Lipschitz"),
		"PSC-X10": tight(oddsMove, "19/20", "it is 19/10·ε_1-Lipschitz"),
		"PSC-A4": register.Checked(percentileTwins(percentileVariant{4, 8, false}),
			register.Control("it goes on after ⊤", percentileTwins(percentileVariant{4, 8, true})),
			register.NearMiss("ν ∼ Lap(4.2·ε_1/ε_3)", percentileTwins(percentileVariant{4.2, 8, false})),
			register.NearMiss("ξ_i ∼ Lap(7.6·ε_1/ε_3)", percentileTwins(percentileVariant{4, 7.6, false})),
		),
		"PSC-X11":   tight(isSparseVector, "19/20", "with queries 0.95·ln Φ(p)"),
		"PSC-T4.1a": tight(percentileLoss(-1, 0, 1, 8, 32), "19/20", "it is 19/20·ε_3-DP"),
		"PSC-T4.1b": reportStep(tooEarly, "3/4", "not conditional, with 3/4 of the exponent"),
		"PSC-T4.1c": reportStep(tooLate, "1/4", "not conditional, with a quarter of the exponent"),
		"PSC-T4.1d": haltStep("⊥ for ⊤, not conditional, with half of the exponent"),
		"PSC-C4.2a": tight(percentileLoss(0), "19/20", "it is 19/20·ε_3-DP"),
		"PSC-C4.2b": reportStep(tooEarly, "3/4", "not conditional, with 3k/4"),
		"PSC-C4.2c": reportStep(tooLate, "1/4", "not conditional, with k/4"),
		"PSC-C4.2d": haltStep("⊥ for ⊤, not conditional, with k/2"),
	}
}

// laplaceQueries checks that f + Lap(4/ε_1) moves by a share of ε_1 at most where f moves by 1, at thresholds on both
// sides, and that it reaches τ_0 with the probability p_* or more just if f ≥ τ_0.
func laplaceQueries(pStar *big.Rat) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, "ε_1 in {1/10, 1, 5}, f and f' in steps of 1/4 from −2 to 2, at most 1 apart, and "+
			"τ_0 = 0") {
			reaches := func(i int) interval.Interval { // Pr[i/4 + Lap(4/ε_1) ≥ 0]
				return above(big.NewRat(int64(-i), 4), rat.Quo(x[0], rat.Int(4)))
			}
			for i := -8; i <= 8; i++ {
				t.Case()
				at := fmt.Sprintf("%s, f = %d/4", at, i)
				if isHigh := reaches(i).Upper.Cmp(num(pStar).Lower) >= 0; isHigh != (i >= 0) {
					t.Refute("%s, τ_0 = 0, p_* = %s: Q reaches τ_0 with probability %.6g", at, rat.Show(pStar), reaches(i).Upper)
				}
				for j := max(-8, i-4); j <= min(8, i+4); j++ {
					rising(t, fmt.Sprintf("%s, f' = %d/4", at, j), quo(reaches(i), reaches(j)), exp(rat.Mul(share, x[0])))
				}
			}
		}
	}
}

// above returns the probability that Laplace noise is above x, for a rate of 1 over its scale.
func above(x, rate *big.Rat) interval.Interval {
	half := mul("1/2", exp(rat.Product(rat.Of("-1"), rate, new(big.Rat).Abs(x))))
	if x.Sign() <= 0 {
		return sub(1, half)
	}
	return half
}

// reaching goes through the probabilities that two ε_1-DP laws over three samples give the highest, or the two highest.
func reaching(t *register.T, visit func(at string, expEps, p, q *big.Rat)) {
	for at, x := range finite.Grid(t, "e^ε_1 in {11/10, 3/2, 10}, 36 ε_1-DP oracles over three samples, thresholds at "+
		"the second and the third") {
		for n := range pure(x[0], "") {
			for first := 1; first <= 2; first++ {
				t.Case()
				p, q := rat.Sum(n[0][first:]...), rat.Sum(n[1][first:]...)
				visit(fmt.Sprintf("%s, probabilities %s", at, rat.Show(p, q)), x[0], p, q)
			}
		}
	}
}

// logsMove checks |ln(p/p')| ≤ share·ε_1, and the same for 1 − p.
func logsMove(t *register.T, share *big.Rat) {
	reaching(t, func(at string, e, p, q *big.Rat) {
		for _, x := range [][2]*big.Rat{{p, q}, {rat.Complement(p), rat.Complement(q)}} {
			if x[0].Sign() > 0 || x[1].Sign() > 0 {
				rising(t, at, abs(ln(rat.Quo(x[0], x[1]))), mul(share, ln(e)))
			}
		}
	})
}

// oddsMove checks that Φ rises, and |ln(Φ(p)/Φ(p'))| ≤ share·2ε_1.
func oddsMove(t *register.T, share *big.Rat) {
	reaching(t, func(at string, e, p, q *big.Rat) {
		if p.Sign() == 0 || rat.Equal(p, rat.One) {
			return
		}
		x, y := odds(t, p), odds(t, q)
		if x.Cmp(y) != p.Cmp(q) {
			t.Refute("Φ(%s) is %s, Φ(%s) is %s", rat.Show(p), rat.Show(x), rat.Show(q), rat.Show(y))
		}
		rising(t, at, abs(ln(rat.Quo(x, y))), mul(share, 2, ln(e)))
	})
}

// odds returns Φ(p), by both rooms.
func odds(t *register.T, p *big.Rat) *big.Rat {
	x := selection.Odds(p)
	twins(t, "Φ("+rat.Show(p)+")", spec.Odds(rat.Float64(p)), x)
	return x
}

// percentileVariant is what is claimed of the algorithm with exact percentiles: scales in units of ε_1/ε_3, and whether
// it goes on.
type percentileVariant struct {
	nu, xi  float64
	further bool
}

// tapes goes through random draws, probabilities and parameters.
func tapes(t *register.T, seed uint64, visit func(at string, draws, ps []float64, pStar, eps1, eps3 float64)) {
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
		pStar, eps1, eps3 := []float64{0.01, 0.5}[d.Roll(2)], []float64{0.1, 1}[d.Roll(2)], []float64{0.5, 2}[d.Roll(2)]
		visit(fmt.Sprintf("p = %v, p_* = %g, ε_1 = %g, ε_3 = %g, draws %v", ps, pStar, eps1, eps3, draws), draws, ps, pStar,
			eps1, eps3)
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

// sameOnTape refutes programs of both rooms and of what is claimed that return other things on the same draws of noise,
// or ask for other noise.
func sameOnTape(t *register.T, at string, draws []float64, programs [3]func(noise *finite.Tape) any) {
	var says [3]string
	var scales [3][]float64
	for i, run := range programs {
		tape := &finite.Tape{Draws: draws}
		says[i] = fmt.Sprint(run(tape))
		scales[i] = tape.Scales
	}
	isNear := func(x, y float64) bool { return math.Abs(x-y) <= 1e-12*math.Abs(y) }
	for i := range 2 {
		if says[i] != says[2] || !slices.EqualFunc(scales[i], scales[2], isNear) {
			t.Refute("%s: %s with scales %.3g by spec, %s with %.3g by impl, %s with %.3g claimed", at, says[0], scales[0],
				says[1], scales[1], says[2], scales[2])
		}
	}
}

func percentileTwins(claimed percentileVariant) register.Check {
	return func(t *register.T) {
		tapes(t, 31, func(at string, draws, ps []float64, pStar, eps1, eps3 float64) {
			sameOnTape(t, at, draws, [3]func(*finite.Tape) any{
				func(noise *finite.Tape) any { return spec.PercentileSparse(stream(ps), pStar, eps1, eps3, noise) },
				func(noise *finite.Tape) any {
					a, err := selection.PercentileSparse(stream(ps), pStar, eps1, eps3, noise)
					t.Must(err)
					return a
				},
				func(noise *finite.Tape) any {
					threshold, a := noise.Laplace(claimed.nu*eps1/eps3)+math.Log(pStar/(1-pStar)), []bool(nil)
					for i := 0; i < len(ps) && (claimed.further || !slices.Contains(a, true)); i++ {
						a = append(a, noise.Laplace(claimed.xi*eps1/eps3)+math.Log(ps[i]/(1-ps[i])) > threshold)
					}
					return a
				},
			})
		})
	}
}

// isSparseVector checks that both rooms do what spec.SparseVector does with the queries share·ln Φ(p) and the threshold
// ln Φ(p_*): one ⊤, and the scales of queries that are 2ε_1-Lipschitz.
func isSparseVector(t *register.T, share *big.Rat) {
	query := func(p float64) float64 { // finite
		return rat.Float64(share) * math.Log(spec.Odds(min(max(p, 1e-300), 1-1e-16)))
	}
	tapes(t, 32, func(at string, draws, ps []float64, pStar, eps1, eps3 float64) {
		ask := func(_ int, a []bool) (float64, float64, bool) {
			p, isLast := stream(ps)(a)
			return query(p), query(pStar), isLast
		}
		want, err := spec.SparseVector(0, ask, 2*eps1, 1, eps3/2, eps3/2, &finite.Tape{Draws: draws})
		t.Must(err)
		a := spec.PercentileSparse(stream(ps), pStar, eps1, eps3, &finite.Tape{Draws: draws})
		b, err := selection.PercentileSparse(stream(ps), pStar, eps1, eps3, &finite.Tape{Draws: draws})
		t.Must(err)
		if !slices.Equal(a, want) || !slices.Equal(b, want) {
			t.Refute("%s: %v by spec, %v by impl, %v by a sparse vector technique", at, a, b, want)
		}
		odds(t, rat.Of("9/10"))
	})
}

// percentileNoise is that of the algorithm with exact percentiles.
func percentileNoise(eps1, eps3 *big.Rat) impl.SparseVectorLaw {
	unit := rat.Quo(eps1, eps3)
	return impl.SparseVectorLaw{RhoScale: rat.Mul(rat.Int(4), unit), NuScale: rat.Mul(rat.Int(8), unit), Cutoff: 1}
}

// percentileLoss checks runs of queries that move as much as queries can: p is 1/(1 + e^ε_1) on one database and
// e^ε_1/(1 + e^ε_1) on the other, randomized response, so that ln Φ(p) moves from −ε_1 to ε_1.
func percentileLoss(levels ...int) claim {
	return func(t *register.T, share *big.Rat) {
		for at, x := range finite.Grid(t, fmt.Sprintf("ε_1 in {1/10, 1}, ε_3 in {1/2, 4}; n of {0, 1, 8, 64} queries that "+
			"rise from −ε_1 to ε_1 and are ⊥, and then one that falls and is ⊤, or none; ln Φ(p_*) in %v noise scales 8ε_1/ε_3",
			levels)) {
			law := percentileNoise(x[0], x[1])
			for _, level := range levels {
				threshold := rat.Mul(rat.Int(level), law.NuScale)
				for _, n := range []int{0, 1, 8, 64} {
					for _, isReported := range []bool{true, false} {
						if n == 0 && !isReported {
							continue
						}
						t.Case()
						var pr [2]interval.Interval
						for b, e := range []*big.Rat{x[0], new(big.Rat).Neg(x[0])} {
							run := slices.Repeat([]impl.Comparison{{Query: new(big.Rat).Neg(e), Threshold: threshold}}, n)
							if isReported {
								run = append(run, impl.Comparison{Query: e, Threshold: threshold, Above: true})
							}
							pr[b] = register.Must(law.Probability(run, 1e-9))
						}
						rising(t, fmt.Sprintf("%s, ln Φ(p_*) = %s, %d queries ⊥, then ⊤ %v", at, rat.Show(threshold), n, isReported),
							abs(ln(quo(pr[0], pr[1]))), mul(share, x[1]))
					}
				}
			}
		}
	}
}

// given and joint say whether a probability is that given a report, or that of the report and the event.
const (
	given = true
	joint = false
)
