package selection

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/selection"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// reportStep is what runs for a part of Theorem 4.1 or of Corollary 4.2: not given the report, it holds.
func reportStep(check func(isGiven bool) claim, near, says string) []register.Part {
	return mended(check(given), check(joint), "not conditional", near, says)
}

func haltStep(says string) []register.Part {
	return mended(halts(given, true), halts(joint, false), "⊥ for ⊤, not conditional", "1/2", says,
		register.AlsoFails(register.ProofStep, "⊥ for ⊤", halts(given, false).with("1")))
}

// reporting is a place where reports are considered: k = 12ε_1/ε_3 and β, with a share of the exponent.
type reporting struct {
	at    string
	law   impl.SparseVectorLaw
	k     *big.Rat
	beta  *big.Rat
	share *big.Rat
}

// reportings goes through them. It checks the odds of the bounds of the corollary, too: Φ(β^k/(β^k + m^k)) = (β/m)^k
// and the inverse.
func reportings(t *register.T, domain string, share *big.Rat, visit func(x reporting)) {
	for at, v := range finite.Grid(t, domain+"; (ε_1, ε_3) in {(1/12, 1), (1, 4)}, β in {1/100, 1/10, 1/2}; ln Φ(p) − "+
		"ln Φ(p_*) on 2^−20 ℤ") {
		k := rat.Quo(rat.Mul(rat.Int(12), v[0]), v[1])
		for m := 1; m <= 8; m++ {
			low, high := rat.Power(v[2], whole(k)), rat.Power(rat.Int(m), whole(k))
			equal(t, at+", the odds of a bound", odds(t, rat.Quo(low, rat.Add(low, high))), quo(low, high))
			equal(t, at+", the odds of a bound", selection.Odds(rat.Quo(high, rat.Add(low, high))), quo(high, low))
		}
		visit(reporting{at, percentileNoise(v[0], v[1]), k, v[2], share})
	}
}

// boundary returns share·k·ln(m/β), rounded up.
func (x reporting) boundary(m int) *big.Rat {
	const steps = 1 << 20
	return big.NewRat(int64(up(mul(x.share, x.k, ln(rat.Quo(rat.Int(m), x.beta)), steps))), steps)
}

// pr returns the probability that queries with these ln Φ(p) − ln Φ(p_*) are all ⊥, but for the last if it is to be ⊤.
func (x reporting) pr(gaps []*big.Rat, isReported bool) interval.Interval {
	if len(gaps) == 0 {
		return num(1)
	}
	var run []impl.Comparison
	for i, g := range gaps {
		run = append(run, impl.Comparison{Query: g, Threshold: new(big.Rat), Above: isReported && i == len(gaps)-1})
	}
	return register.Must(x.law.Probability(run, 1e-9))
}

// atMostBeta refutes a probability above β.
func (x reporting) atMostBeta(t *register.T, pr any, format string, args ...any) {
	rising(t, x.at+", "+fmt.Sprintf(format, args...), pr, x.beta)
}

// reported returns the probability of a report where the event happens; given a report, that of the event is 1.
func (x reporting) reported(t *register.T, isGiven bool, r int, gaps []*big.Rat) interval.Interval {
	pr := x.pr(gaps, true)
	if isGiven && pr.Lower.Sign() > 0 {
		x.atMostBeta(t, 1, "query %d is reported with probability %.3g, and then it is so", r, pr.Lower)
	}
	return pr
}

// tooEarly checks reports of queries of which each is at its bound.
func tooEarly(isGiven bool) claim {
	return func(t *register.T, share *big.Rat) {
		reportings(t, "1, 2 and 32 queries, each with Φ(p) just at the bound for its place", share, func(x reporting) {
			for _, n := range []int{1, 2, 32} {
				t.Case()
				var gaps []*big.Rat
				all := num(0)
				for i := 1; i <= n; i++ {
					gaps = append(gaps, new(big.Rat).Neg(x.boundary(i+1)))
					all = add(all, x.reported(t, isGiven, i, gaps))
				}
				x.atMostBeta(t, all, "%d queries at the bounds", n)
			}
		})
	}
}

// tooLate checks reports after queries that are far above, at the bound for the report that comes next or for the last.
func tooLate(isGiven bool) claim {
	return func(t *register.T, share *big.Rat) {
		reportings(t, "1, 2 and 6 queries, each with Φ(p) just at the bound for a report of the one after it, or of the "+
			"last, and one with Φ(p) = e^40·Φ(p_*)", share, func(x reporting) {
			for _, n := range []int{1, 2, 6} {
				for _, isForLast := range []bool{false, true} {
					t.Case()
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
					x.atMostBeta(t, all, "%d queries at the bounds, and one far above", n)
				}
			}
		})
	}
}

// halts checks the output for a query at its bound, after others.
func halts(isGiven, isReported bool) claim {
	return func(t *register.T, share *big.Rat) {
		reportings(t, "after 0, 1 or 16 queries, all with Φ(p) = Φ(p_*) or all at the bound, one at the bound", share,
			func(x reporting) {
				bound := x.boundary(1)
				for _, earlier := range []*big.Rat{new(big.Rat), bound} {
					for _, n := range []int{0, 1, 16} {
						t.Case()
						gaps := slices.Repeat([]*big.Rat{earlier}, n)
						pr := x.pr(append(slices.Clone(gaps), bound), isReported)
						if isGiven {
							pr = quo(pr, x.pr(gaps, false))
						}
						x.atMostBeta(t, pr, "%d queries with ln Φ(p) − ln Φ(p_*) = %.6g, then one at the bound", n, rat.Float64(earlier))
					}
				}
			})
	}
}
