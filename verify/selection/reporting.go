package selection

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// reporting is a place where reports are considered: k = 12ε_1/ε_3 and β.
type reporting struct {
	law        impl.SparseVectorLaw
	k          int
	beta       *big.Rat
	eps1, eps3 *big.Rat
}

// reportings goes through them. For the corollary it checks the odds of its bounds, too: Φ(β^k/(β^k + m^k)) = (β/m)^k
// and the inverse.
func reportings(t *register.T, isCorollary bool, visit func(x reporting)) {
	t.AlsoDomain("(ε_1, ε_3) in {(1/12, 1), (1, 4)}, β in {1/100, 1/10, 1/2}; ln Φ(p) − ln Φ(p_*) on 2^−20 ℤ")
	for i, eps := range [][]*big.Rat{rat.List("1/12", "1"), rat.List("1", "4")} {
		k := 1 + 2*i
		for _, beta := range rat.List("1/100", "1/10", "1/2") {
			for m := 1; isCorollary && m <= 8; m++ {
				low, high := rat.Power(beta, k), rat.Power(rat.Int(m), k)
				sum := rat.Add(low, high)
				p, q := rat.Quo(low, sum), rat.Quo(high, sum)
				if odds := rat.Quo(low, high); !rat.Equal(impl.Odds(p), odds) || !rat.Equal(impl.Odds(q), rat.Quo(high, low)) ||
					!isNear(spec.Odds(rat.Float64(p)), exactly(odds)) {
					t.Refute("k = %d, β = %s: Φ(%s) and Φ(%s) are %s and %s by impl, the first is %g by spec", k, rat.Show(beta),
						rat.Show(p), rat.Show(q), rat.Show(impl.Odds(p)), rat.Show(impl.Odds(q)), spec.Odds(rat.Float64(p)))
				}
			}
			visit(reporting{percentileNoise(eps[0], eps[1]), k, beta, eps[0], eps[1]})
		}
	}
}

// boundary returns exponent·k·ln(m/β), rounded up.
func (x reporting) boundary(exponent *big.Rat, m int) *big.Rat {
	log := precise.Mul(exactly(rat.Mul(exponent, rat.Int(x.k))), precise.Log(rat.Quo(rat.Int(m), x.beta)))
	const steps = 1 << 20
	_, upper := precise.Mul(log, precise.Int(steps)).Rats()
	whole := new(big.Int).Quo(upper.Num(), upper.Denom())
	return new(big.Rat).SetFrac(whole.Add(whole, big.NewInt(1)), big.NewInt(steps))
}

// pr returns the probability that queries with these ln Φ(p) − ln Φ(p_*) are all ⊥, but for the last if it is to be ⊤.
func (x reporting) pr(t *register.T, gaps []*big.Rat, isReported bool) interval.Interval {
	if len(gaps) == 0 {
		return precise.Int(1)
	}
	var run []impl.Comparison
	for i, g := range gaps {
		run = append(run, impl.Comparison{Query: g, Threshold: new(big.Rat), Above: isReported && i == len(gaps)-1})
	}
	pr, err := x.law.Probability(run, 1e-9)
	t.Must(err)
	return pr
}

// atMostBeta refutes a probability above β.
func (x reporting) atMostBeta(t *register.T, pr interval.Interval, format string, args ...any) {
	if rat.IsAbove(pr, x.beta) {
		t.Refute("%v, %s: the probability is %.6g", x, fmt.Sprintf(format, args...), pr.Lower)
	}
	t.Close(precise.Quo(pr, exactly(x.beta)).Float().Lo, "%v, %s", x, fmt.Sprintf(format, args...))
}

// eventGiven is the probability of what R decides given R: 1 if it happens.
func (x reporting) eventGiven(t *register.T, happens bool, r int, pr interval.Interval) {
	if happens && pr.Lower.Sign() > 0 {
		x.atMostBeta(t, precise.Int(1), "query %d is reported with probability %.3g, and then it is so", r, pr.Lower)
	}
}

// tooEarly checks reports of queries of which each is at its bound, with a share of the exponent.
func tooEarly(isGiven bool, exponent *big.Rat, isCorollary bool) register.Check {
	return func(t *register.T) {
		t.Domain("1, 2 and 32 queries, each with Φ(p) just at the bound for its place")
		reportings(t, isCorollary, func(x reporting) {
			for _, n := range []int{1, 2, 32} {
				t.Case()
				var gaps []*big.Rat
				all := precise.Int(0)
				for i := 1; i <= n; i++ {
					gaps = append(gaps, new(big.Rat).Neg(x.boundary(exponent, i+1)))
					pr := x.pr(t, gaps, true)
					if isGiven {
						x.eventGiven(t, true, i, pr)
					}
					all = precise.Add(all, pr)
				}
				x.atMostBeta(t, all, "%d queries at the bounds", n)
			}
		})
	}
}

// tooLate checks reports after queries that are far above, with a share of the exponent, at the bound for the report
// that comes next or for the last.
func tooLate(isGiven bool, exponent *big.Rat, isCorollary bool) register.Check {
	return func(t *register.T) {
		t.Domain("1, 2 and 6 queries, each with Φ(p) just at the bound for a report of the one after it, or of the last, " +
			"and one with Φ(p) = e^40·Φ(p_*)")
		reportings(t, isCorollary, func(x reporting) {
			for _, n := range []int{1, 2, 6} {
				for _, isForLast := range []bool{false, true} {
					t.Case()
					var gaps []*big.Rat
					all := precise.Int(0)
					for r := 1; r <= n+1; r++ {
						late := slices.ContainsFunc(gaps, func(g *big.Rat) bool { return g.Cmp(x.boundary(exponent, r+1)) >= 0 })
						next := rat.Of("40")
						if r <= n && isForLast {
							next = x.boundary(exponent, n+2)
						} else if r <= n {
							next = x.boundary(exponent, r+2)
						}
						gaps = append(gaps, next)
						if pr := x.pr(t, gaps, true); late {
							all = precise.Add(all, pr)
							if isGiven {
								x.eventGiven(t, true, r, pr)
							}
						}
					}
					x.atMostBeta(t, all, "%d queries at the bounds, and one far above", n)
				}
			}
		})
	}
}

// halts checks the output for a query at its bound, with a share of the exponent, after others.
func halts(isGiven, isReported bool, exponent *big.Rat, isCorollary bool) register.Check {
	return func(t *register.T) {
		t.Domain("after 0, 1 or 16 queries, all with Φ(p) = Φ(p_*) or all at the bound, one at the bound")
		reportings(t, isCorollary, func(x reporting) {
			bound := x.boundary(exponent, 1)
			for _, earlier := range []*big.Rat{new(big.Rat), bound} {
				for _, n := range []int{0, 1, 16} {
					t.Case()
					gaps := slices.Repeat([]*big.Rat{earlier}, n)
					pr := x.pr(t, append(slices.Clone(gaps), bound), isReported)
					if isGiven {
						pr = precise.Quo(pr, x.pr(t, gaps, false))
					}
					x.atMostBeta(t, pr, "%d queries with ln Φ(p) − ln Φ(p_*) = %.6g, then one at the bound", n, rat.Float64(earlier))
				}
			}
		})
	}
}
