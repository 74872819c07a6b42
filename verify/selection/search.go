package selection

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// search are the statements of Section 4.3: a threshold is found, and then a sample that reaches it.
func search() register.Checks {
	return register.Checks{
		"PSC-A6": register.Checked(searchTwins(searchVariant{2, 6, 4}),
			register.Control("Λ = ε_0/2", searchTwins(searchVariant{2, 0, 4})),
			register.NearMiss("ν ∼ Lap(2.1·S/ε_3)", searchTwins(searchVariant{2.1, 6, 4})),
			register.NearMiss("Λ has 5.7 for 6", searchTwins(searchVariant{2, 5.7, 4})),
			register.NearMiss("Δ has ln(2R/δ)", searchTwins(searchVariant{2, 6, 2})),
		),
		"PSC-T4.6a": register.Checked(searchLoss(rat.One),
			register.NearMiss("it is (ε_3/16, 0)-DP", searchLoss(rat.Of("1/16"))),
		),
		"PSC-T4.6b": register.Checked(foundTooHigh(rat.One),
			register.NearMiss("1/100 of β + δ/2", foundTooHigh(rat.Of("1/100"))),
		),
		"PSC-T4.6c": register.Checked(foundTooLow(printedOffset, rat.One),
			register.NearMiss("with the larger Δ, 1/24 of 2β + δ/(2R)", foundTooLow(tailOffset, rat.Of("1/24"))),
			register.Corrected("with the larger Δ of PSC-T4.6.s1", foundTooLow(tailOffset, rat.One)),
		),
		"PSC-T4.6.s1": register.Checked(overcounts(printedOffset, rat.One),
			register.NearMiss("with 1/32 of the larger Δ", overcounts(tailOffset, rat.Of("1/32"))),
			register.Corrected("with Δ = 2(e^(ε_0/2) + 1)/(e^(ε_0/2) − 1)·ln(2R/δ)/ε_0, if that is more",
				overcounts(tailOffset, rat.One)),
		),
		"PSC-T4.6.s2": register.Checked(leastCount(false, rat.One),
			register.NearMiss("with the factor, and 21/20 of it", leastCount(true, rat.Of("21/20"))),
			register.Corrected("with the factor", leastCount(true, rat.One)),
		),
		"PSC-T4.6.s3": nearStep(searchNumber, "19/20"),
		"PSC-T4.6.s4": nearStep(fromCount, "19/20"),
		"PSC-T4.6.s5": register.Checked(undercounts(printedOffset, rat.One),
			register.NearMiss("with 1/32 of the larger Δ", undercounts(tailOffset, rat.Of("1/32"))),
			register.Corrected("with the larger Δ of PSC-T4.6.s1", undercounts(tailOffset, rat.One)),
		),
		"PSC-A7": register.Checked(selects(0.5, 12),
			register.Control("an output has a score of 9/10", selects(0.9, 12)),
			register.NearMiss("p_1 has 11K for 12K", selects(0.5, 11)),
		),
	}
}

// searchVariant is what is claimed: the scale of ν, and the factors in Λ and beside R/δ.
type searchVariant struct{ nu, inLambda, inLog float64 }

func searchTwins(claimed searchVariant) register.Check {
	return func(t *register.T) {
		n := t.Size(1000, 20000)
		t.Domain("%d tapes, R ≤ 5, N ≤ 40 samples with 7 scores in [0, 1]; ε_0, ε_1 in {1/10, 9/10}, ε_3 in {1, 50}, δ in "+
			"{1/1000, 1/2}, β in {1/10, 1/2}, p_* in {1/10, 1/2}", n)
		t.Random(34, n, func(t *register.T, d register.Dice) {
			pick := func(xs ...string) *big.Rat { return rat.Of(xs[d.Roll(len(xs))]) }
			with := impl.Search{PStar: pick("1/10", "1/2"), R: 1 + d.Roll(5), N: 1 + d.Roll(40), Eps0: pick("1/10", "9/10"),
				Eps1: pick("1/10", "9/10"), Eps3: pick("1", "50"), Delta: pick("1/1000", "1/2"), Beta: pick("1/10", "1/2")}
			same := literalSearch(with)
			draws, scores := make([]float64, 9), make([]float64, 7)
			for i := range draws {
				draws[i] = float64(d.Roll(33)-16)/7.3 + 0.003
			}
			for i := range scores {
				scores[i] = float64(d.Roll(9)) / 8
			}
			literal, fast, tape := &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}, &finite.Tape{Draws: draws}
			i, j := -1, -1
			tau, is := spec.ThresholdSearch(func() spec.Scored[int] { i++; return spec.Scored[int]{Score: scores[i%7]} }, same,
				literal)
			tau2, is2, err := impl.ThresholdSearch(t.Context(), func(context.Context) (impl.Scored[int], error) {
				j++
				return impl.Scored[int]{Score: scores[j%7]}, nil
			}, with, fast)
			t.Must(err)
			rise, unit := math.Exp(same.Eps0+same.Eps1), (same.Eps0+same.Eps1)/same.Eps3
			offset := 2 * (rise + 1 + math.Exp(same.Eps0/2)) * math.Log(claimed.inLog*float64(same.R)/same.Delta) / (same.Eps0 *
				(rise - 1))
			threshold := tape.Laplace(claimed.nu*unit) + claimed.inLambda*unit*math.Log(same.Beta) - same.Eps0/2 +
				math.Log(float64(same.N)*same.PStar+offset)
			tau3, is3 := 0.0, false
			for k := 1; k <= same.R && !is3; k++ {
				above := 0
				for l := range same.N {
					if scores[l%7] >= 1-float64(k)/float64(same.R) {
						above++
					}
				}
				if tape.Laplace(4*unit)+math.Log(float64(above)+offset) >= threshold {
					tau3, is3 = 1-float64(k)/float64(same.R), true
				}
			}
			if tau != tau2 || is != is2 || tau != tau3 || is != is3 || !areNear(literal.Scales, fast.Scales) ||
				!areNear(literal.Scales, tape.Scales) {
				t.Refute("%+v, scores %v, draws %.4g: %g (%v) with scales %.3g by spec, %g (%v) with %.3g by impl, %g (%v) with "+
					"%.3g claimed", same, scores, draws, tau, is, literal.Scales, tau2, is2, fast.Scales, tau3, is3, tape.Scales)
			}
		})
	}
}

// literalSearch returns the same parameters for package spec.
func literalSearch(with impl.Search) spec.Search {
	f := rat.Float64
	return spec.Search{PStar: f(with.PStar), R: with.R, N: with.N, Eps0: f(with.Eps0), Eps1: f(with.Eps1),
		Eps3: f(with.Eps3), Delta: f(with.Delta), Beta: f(with.Beta)}
}

// searchLoss checks ε_3 and δ, or a share of ε_3 alone.
func searchLoss(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("(ε_0, ε_1) in {(1/2, 1/10), (1/10, 22/25)}, 36 oracles over three samples that are ε_1-DP, nearly; ε_3 = " +
			"1, δ in {1/1000, 1/2}, β = 1/2, p_* in {1/100, 1/2}; R = 2, N in {1, 3}: 0, 1/2 and nothing; and the first " +
			"threshold alone with N = 300, for randomized response")
		for i, v := range [][]*big.Rat{rat.List("1/2", "1/10"), rat.List("1/10", "22/25")} {
			e := rat.List("11/10", "12/5")[i]
			for _, delta := range rat.List("1/1000", "1/2") {
				for _, star := range rat.List("1/100", "1/2") {
					for _, n := range []int{1, 3, 300} {
						x := newSearching(t, impl.Search{PStar: star, R: 2, N: n, Eps0: v[0], Eps1: v[1], Eps3: rat.One, Delta: delta,
							Beta: rat.Half}, printedOffset)
						if n == 300 {
							low := rat.Quo(rat.One, rat.Add(rat.One, e))
							high, less := x.passes(rat.Complement(low)), x.passes(low)
							one := precise.Int(1)
							checkEpsDelta(t, share, x.Eps3, x.Delta, [2][]interval.Interval{{high, precise.Sub(one, high)},
								{less, precise.Sub(one, less)}}, x.String()+", randomized response")
							continue
						}
						outputs := x.outputs(t)
						for q := range pure(e) {
							checkEpsDelta(t, share, x.Eps3, x.Delta, [2][]interval.Interval{outputs(q[0]), outputs(q[1])},
								x.String()+", "+q.String())
						}
					}
				}
			}
		}
	}
}

// foundTooHigh checks (b) where both thresholds are at the bound: the sum for both is enough, and that of the first is
// at most it.
func foundTooHigh(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("two thresholds that are reached with the probability of the bound")
		searchings(t, printedOffset, func(x *searching) {
			most := precise.Mul(precise.Mul(precise.ExpRat(rat.Mul(rat.Of("-1/2"), x.Eps0)), x.base()),
				exactly(rat.Quo(x.PStar, rat.Int(3))))
			p, is := below(func(p *big.Rat) bool { return exactly(p).Upper.Cmp(most.Lower) <= 0 })
			if !is {
				return
			}
			pr, claimed := x.passes(p), rat.Product(share, rat.Add(x.Beta, rat.Mul(rat.Half, x.Delta)))
			rising(pr, exactly(claimed)).check(t, precise.Int(1), "%v, a first threshold with p = %s", x, rat.Show(p))
			rising(precise.Add(pr, pr), exactly(claimed)).check(t, precise.Int(1), "%v, two thresholds with p = %s, the sum", x,
				rat.Show(p))
		})
	}
}

// foundTooLow checks (c): the first threshold that is at most τ_* is reached with p_* at least.
func foundTooLow(offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("a threshold that is reached with probability p_*")
		searchings(t, offset, func(x *searching) {
			pr := precise.Sub(precise.Int(1), x.passes(x.PStar))
			claimed := rat.Mul(share, rat.Add(rat.Twice(x.Beta), rat.Quo(x.Delta, rat.Int(2*x.R))))
			rising(pr, exactly(claimed)).check(t, precise.Int(1), "%v", x)
		})
	}
}

// searchCounts goes through means and laws of counts, with a share of Δ.
func searchCounts(t *register.T, offset anOffset, share *big.Rat,
	visit func(law []interval.Interval, offset interval.Interval, mean *big.Rat, x *searching)) {
	t.Domain("N = 6000, p in {1/10, 1/4}; (ε_0, ε_1) in {(1/2, 1/10), (1/25, 9/10)}, δ in {1/100, 1/2}, R = 2")
	const n = 6000
	for _, p := range rat.List("1/10", "1/4") {
		law := binomialLaw(n, p)
		for _, v := range [][]*big.Rat{rat.List("1/2", "1/10"), rat.List("1/25", "9/10")} {
			for _, delta := range rat.List("1/100", "1/2") {
				t.Case()
				x := newSearching(t, impl.Search{PStar: p, R: 2, N: n, Eps0: v[0], Eps1: v[1], Eps3: rat.One, Delta: delta,
					Beta: rat.Half}, offset)
				x.offset = precise.Mul(exactly(share), x.offset)
				visit(law, x.offset, rat.Mul(rat.Int(n), p), x)
			}
		}
	}
}

// overcounts checks F3.
func overcounts(offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		searchCounts(t, offset, share, func(law []interval.Interval, offset interval.Interval, mean *big.Rat, x *searching) {
			bound := precise.Mul(precise.ExpRat(rat.Mul(rat.Half, x.Eps0)), x.plus(mean))
			pr := precise.Int(0)
			for k := len(law) - 1; k >= 0 && x.plus(rat.Int(k)).Lower.Cmp(bound.Upper) > 0; k-- {
				pr = precise.Add(pr, law[k])
			}
			rising(pr, exactly(rat.Quo(x.Delta, rat.Int(2*x.R)))).check(t, precise.Int(1), "%v, Δ = %.6g", x, offset.Upper)
		})
	}
}

// undercounts checks what (c) asks of the estimate.
func undercounts(offset anOffset, share *big.Rat) register.Check {
	return func(t *register.T) {
		searchCounts(t, offset, share, func(law []interval.Interval, offset interval.Interval, mean *big.Rat, x *searching) {
			bound := precise.Mul(precise.ExpRat(rat.Mul(rat.Of("-1/2"), x.Eps0)), x.plus(mean))
			pr := precise.Int(0)
			for k := 0; k < len(law) && x.plus(rat.Int(k)).Upper.Cmp(bound.Lower) < 0; k++ {
				pr = precise.Add(pr, law[k])
			}
			rising(pr, exactly(rat.Quo(x.Delta, rat.Int(2*x.R)))).check(t, precise.Int(1), "%v, Δ = %.6g", x, offset.Upper)
		})
	}
}

// leastCount checks the least N·p̃ with which the first side is met, with the factor e^(−ε_0/2) or without.
func leastCount(withFactor bool, more *big.Rat) register.Check {
	return func(t *register.T) {
		searchings(t, printedOffset, func(x *searching) {
			power := func(base *big.Rat, times string) interval.Interval { // base^(times·S/ε_3)
				return precise.Exp(precise.Mul(exactly(rat.Product(rat.Of(times), rat.Of("1/4"), x.scale)), precise.Log(base)))
			}
			rest := precise.ExpRat(rat.Mul(rat.Of("-1/2"), x.Eps0))
			each := rat.Quo(x.Beta, rat.Int(x.R+1))
			right := precise.Mul(precise.Mul(power(each, "2"), power(x.Beta, "6")),
				precise.Mul(rest, x.plus(rat.Mul(rat.Int(x.N), x.PStar))))
			least := precise.Sub(precise.Mul(right, power(each, "4")), x.offset)
			claimed := precise.Mul(x.base(), exactly(rat.Product(more, rat.Int(x.N), x.PStar)))
			if withFactor {
				claimed = precise.Mul(claimed, rest)
			}
			rising(precise.Sub(claimed, x.offset), least).check(t, precise.Int(1), "%v", x)
		})
	}
}

func searchNumber(t *register.T, share interval.Interval) {
	searchings(t, printedOffset, func(x *searching) {
		whole := precise.Mul(x.base(), exactly(rat.Mul(rat.Int(x.N), x.PStar)))
		middle := precise.Mul(precise.Int(2), precise.Mul(x.offset, precise.ExpRat(rat.Mul(rat.Half, x.Eps0))))
		rising(middle, precise.Sub(whole, x.offset)).check(t, precise.Int(1), "%v", x)
		last := precise.Mul(exactly(big.NewRat(2, 3)), whole)
		rising(middle, last).check(t, share, "%v, the last", x) // N is rounded up
		rising(last, precise.Mul(middle, exactly(rat.Of("1001/1000")))).check(t, precise.Int(1), "%v, the last", x)
	})
}

func fromCount(t *register.T, share interval.Interval) {
	searchings(t, printedOffset, func(x *searching) {
		down := precise.ExpRat(rat.Mul(rat.Of("-1/2"), x.Eps0))
		count := precise.Quo(precise.Mul(precise.Int(2), x.offset), down) // the least N·p̃
		mean := precise.Sub(precise.Mul(down, precise.Add(count, x.offset)), x.offset)
		second := precise.Sub(precise.Mul(down, count), x.offset)
		rising(second, mean).check(t, precise.Int(1), "%v", x)
		last := precise.Mul(precise.Quo(precise.Mul(down, x.base()), precise.Int(3)), exactly(rat.Mul(rat.Int(x.N), x.PStar)))
		// N is rounded up
		rising(precise.Mul(exactly(rat.Of("999/1000")), last), precise.Mul(share, second)).check(t, precise.Int(1),
			"%v, the last", x)
	})
}

// selects runs the whole mechanism over candidates with scores 3/10 and 8/10, which are reached always, by both rooms.
func selects(score float64, inCoin int64) register.Check {
	return func(t *register.T) {
		t.Domain("K = 2 candidates with the scores 3/10 and 8/10, R = 2, ε_0 = 9/10, ε_1 = 1/100, δ = β = 9/10, by 3 seeds " +
			"and without noise")
		eps0, eps1, share := rat.Of("9/10"), rat.Of("1/100"), rat.Of("9/10")
		coin := impl.SelectionCoin(2, 2, eps0, eps1, share)
		p1 := precise.Exp(precise.Mul(exactly(rat.Add(rat.Int(6), rat.Quo(rat.Mul(rat.Int(12), eps1), eps0))),
			precise.Log(rat.Quo(rat.Mul(share, share), rat.Int(3)))))
		claimed := precise.Mul(p1, exactly(rat.Quo(share, big.NewRat(2*inCoin, 1))))
		if literal := spec.SelectionCoin(2, 2, 0.9, 0.01, 0.9); !isNear(literal, coin) {
			t.Refute("γ is %.12g by impl, %.12g by spec", coin.Upper, literal)
		}
		equal(coin, claimed).check(t, precise.Int(1), "γ")
		scores := []float64{0.3, 0.8}
		for seed := range 4 {
			t.Case()
			noises := [2]impl.Noise{&finite.Tape{Draws: []float64{0}}, &finite.Tape{Draws: []float64{0}}}
			if seed > 0 {
				for b := range noises {
					noises[b] = impl.NewNoise([32]byte{byte(seed)})
				}
			}
			coins := func() impl.Coins { return impl.Coins{Source: rand.NewPCG(uint64(seed), 1)} }
			var literal []spec.Candidate[int]
			var fast []impl.Candidate[int]
			for i, s := range scores {
				literal = append(literal, func() spec.Scored[int] { return spec.Scored[int]{Output: i, Score: s} })
				fast = append(fast, func(context.Context) (impl.Scored[int], error) {
					return impl.Scored[int]{Output: i, Score: s}, nil
				})
			}
			found, is := spec.PrivateSelection(literal, 2, 0.9, 0.01, 0.9, 0.9, noises[0], coins())
			again, is2, err := impl.PrivateSelection(t.Context(), fast, 2, eps0, eps1, share, share, noises[1], coins())
			t.Must(err)
			if is != is2 || found.Score != again.Score {
				t.Refute("seed %d: %v (%v) by spec, %v (%v) by impl", seed, found, is, again, is2)
			}
			if seed == 0 && (!is || found.Score < score) { // then τ̃ = 1/2
				t.Refute("without noise: %v (%v)", found, is)
			}
			if is && !slices.Contains(scores, found.Score) {
				t.Refute("seed %d: %v", seed, found)
			}
		}
	}
}
