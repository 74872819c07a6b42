package selection

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"checkrr/impl/interval"
	"checkrr/impl/noise"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// search are the statements of Section 4.3: a threshold is found, and then a sample that reaches it.
func search() register.Checks {
	over := misestimate{countAndOffset, rat.Of("1/4"), rat.Half, rat.Of("1/4")} // with probability δ/(2R)
	under := misestimate{countAndOffset, rat.Of("1/4"), rat.Of("-1/2"), rat.Of("1/4")}
	return register.Checks{
		"PSC-A6": register.Checked(searchTwins(searchVariant{2, 6, 4}),
			register.NearMiss("ν ∼ Lap(2.1·S/ε_3)", searchTwins(searchVariant{2.1, 6, 4})),
			register.NearMiss("Λ has 5.7 for 6", searchTwins(searchVariant{2, 5.7, 4})),
			register.NearMiss("Δ has ln(2R/δ)", searchTwins(searchVariant{2, 6, 2})),
		),
		"PSC-T4.6a": tight(searchLoss, "1/16", "it is (ε_3/16, 0)-DP"),
		"PSC-T4.6b": tight(foundTooHigh, "1/100", "1/100 of β + δ/2"),
		"PSC-T4.6c": mended(foundTooLow(printedOffset), foundTooLow(halfOffset), "with the larger Δ of PSC-T4.6.s1", "1/24",
			"with the larger Δ, 1/24 of 2β + δ/(2R)"),
		"PSC-T4.6.s1": mended(over.check(printedOffset), over.check(halfOffset), "with Δ = 2(e^(ε_0/2) + 1)/(e^(ε_0/2) − "+
			"1)·ln(2R/δ)/ε_0, if that is more", "1/32", "with 1/32 of the larger Δ"),
		"PSC-T4.6.s2": mended(leastCount(false), leastCount(true), "with the factor", "21/20",
			"with the factor, and 21/20 of it"),
		"PSC-T4.6.s3": step(searchNumber, "19/20"),
		"PSC-T4.6.s4": step(fromCount, "19/20"),
		"PSC-T4.6.s5": mended(under.check(printedOffset), under.check(halfOffset), "with the larger Δ of PSC-T4.6.s1", "1/32",
			"with 1/32 of the larger Δ"),
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
			with := selection.Search{PStar: pick("1/10", "1/2"), R: 1 + d.Roll(5), N: 1 + d.Roll(40), Eps0: pick("1/10", "9/10"),
				Eps1: pick("1/10", "9/10"), Eps3: pick("1", "50"), Delta: pick("1/1000", "1/2"), Beta: pick("1/10", "1/2")}
			x := literalSearch(with)
			draws, scores := someDraws(d, func() float64 { return float64(d.Roll(9)) / 8 })
			literal, fast := candidate(0, scores...)
			sameOnTape(t, fmt.Sprintf("%+v, scores %v, draws %.4g", x, scores, draws), draws, [3]func(*finite.Tape) any{
				func(random *finite.Tape) any { return found(spec.ThresholdSearch(literal, x, random)) },
				func(random *finite.Tape) any {
					tau, is, err := selection.ThresholdSearch(t.Context(), fast, with, random)
					t.Must(err)
					return found(tau, is)
				},
				func(random *finite.Tape) any { return found(claimed.run(x, scores, random)) },
			})
		})
	}
}

// found says which threshold is found.
func found(tau float64, is bool) string { return fmt.Sprint(tau, " ", is) }

// run is the algorithm as it is claimed.
func (v searchVariant) run(x spec.Search, scores []float64, random *finite.Tape) (tau float64, is bool) {
	offset, unit := claimedOffset(x.Eps0, x.Eps1, v.inLog*float64(x.R)/x.Delta), (x.Eps0+x.Eps1)/x.Eps3
	threshold := random.Laplace(v.nu*unit) + v.inLambda*unit*math.Log(x.Beta) - x.Eps0/2 +
		math.Log(float64(x.N)*x.PStar+offset)
	for k := 1; k <= x.R; k++ {
		tau = 1 - float64(k)/float64(x.R)
		if random.Laplace(4*unit)+math.Log(float64(reach(scores, x.N, tau))+offset) >= threshold {
			return tau, true
		}
	}
	return 0, false
}

// literalSearch returns the same parameters for package spec.
func literalSearch(with selection.Search) spec.Search {
	f := rat.Float64
	return spec.Search{PStar: f(with.PStar), R: with.R, N: with.N, Eps0: f(with.Eps0), Eps1: f(with.Eps1),
		Eps3: f(with.Eps3), Delta: f(with.Delta), Beta: f(with.Beta)}
}

// searching is a place where the algorithm for one threshold is.
type searching struct {
	selection.Search
	estimate
}

func newSearching(t *register.T, with selection.Search, offset anOffset) *searching {
	x := &searching{Search: with}
	x.at = fmt.Sprintf("ε_0 = %s, ε_1 = %s, ε_3 = %s, δ = %s, β = %s, R = %d, N = %d, p_* = %s", rat.Show(x.Eps0),
		rat.Show(x.Eps1), rat.Show(x.Eps3), rat.Show(x.Delta), rat.Show(x.Beta), x.R, x.N, rat.Show(x.PStar))
	x.n, x.offset = x.N, offset(t, x.Eps0, x.Eps1, rat.Quo(x.Delta, rat.Int(2*x.R)))
	x.scale = rat.Quo(rat.Mul(rat.Int(4), rat.Add(x.Eps0, x.Eps1)), x.Eps3)
	threshold := add(mul(x.N, x.PStar), x.offset)
	lambda := sub(mul("1/2", x.Eps0), mul("3/2", x.scale, ln(x.Beta)))
	x.gap = func(k int) interval.Interval { return add(ln(quo(add(k, x.offset), threshold)), lambda) }
	return x
}

// base returns ((β/(R + 1))·β)^(6S/ε_3) = (1/(R + 1))^(6S/ε_3)·β^(12S/ε_3).
func (x *searching) base() interval.Interval {
	return exp(mul("3/2", x.scale, ln(rat.Quo(rat.Mul(x.Beta, x.Beta), rat.Int(x.R+1)))))
}

// down returns e^(−ε_0/2).
func (x *searching) down() interval.Interval { return exp(rat.Mul(rat.Of("-1/2"), x.Eps0)) }

// searchings goes through places with the N of Theorem 4.6, for ε_3 so large that it is not huge; in the last there is
// hardly any noise.
func searchings(t *register.T, domain string, offset anOffset, visit func(x *searching)) {
	for at, v := range finite.Grid(t, domain+"R = 2, (ε_0, ε_1, ε_3, δ, β, p_*) in {(1/2, 1/10, 36/5, 1/2, 1/2, 1/2), "+
		"(9/10, 1/10, 12, 9/10, 1/10, 1/4), (7/100, 9/10, 100000, 1/1000, 1/10000, 1/2)}, and the N of the theorem") {
		with := selection.Search{Eps0: v[0], Eps1: v[1], Eps3: v[2], Delta: v[3], Beta: v[4], PStar: v[5], R: 2}
		n := selection.SearchSamples(with)
		twins(t, at+", N", math.Ceil(spec.SearchSamples(literalSearch(with))), new(big.Rat).SetInt(n))
		with.N = samplesFor(n, newSearching(t, with, offset).offset, newSearching(t, with, printedOffset).offset)
		t.Case()
		visit(newSearching(t, with, offset))
	}
}

// outputs returns a function from a law of three samples, below 0.5, at 0.5 and at 1, to the probabilities of 1/2, 0
// and nothing, for R = 2 thresholds of which the lower is taken for one that the lowest sample does not reach.
func (x *searching) outputs() func(q samples) []interval.Interval {
	type counts struct{ high, both int }
	early, late := map[counts]interval.Interval{}, map[counts]interval.Interval{}
	for both := range x.N + 1 {
		for high := range both + 1 {
			early[counts{high, both}], late[counts{high, both}] = overtakes(x.gap(high), x.scale), x.second(high, both)
		}
	}
	return func(q samples) []interval.Interval {
		sums := []interval.Interval{num(0), num(0)}
		for path := range finite.Tuples([]int{0, 1, 2}, x.N) {
			c, p := counts{}, rat.One
			for _, i := range path {
				p = rat.Mul(p, q[i])
				c.high += i / 2
				c.both += (i + 1) / 2
			}
			sums[0], sums[1] = add(sums[0], mul(p, early[c])), add(sums[1], mul(p, late[c]))
		}
		return withRest(sums...)
	}
}

// searchLoss checks ε_3 and δ, or a share of ε_3 alone.
func searchLoss(t *register.T, share *big.Rat) {
	for _, v := range finite.Grid(t, "(ε_0, ε_1, e) in {(1/2, 1/10, 11/10), (1/10, 22/25, 12/5)}, 36 oracles over three "+
		"samples that are ε_1-DP, nearly: ln(e)-DP; ε_3 = 1, δ in {1/1000, 1/2}, β = 1/2, p_* in {1/100, 1/2}; R = 2, for "+
		"N below 300: 0, 1/2 and nothing; and the first threshold alone, for randomized response; N in {1, 3, 300}") {
		x := newSearching(t, selection.Search{PStar: v[4], R: 2, N: whole(v[5]), Eps0: v[0], Eps1: v[1], Eps3: rat.One,
			Delta: v[3],
			Beta:  rat.Half}, printedOffset)
		if x.N == 300 {
			low := rat.Quo(rat.One, rat.Add(rat.One, v[2]))
			isClose(t, x.at+", randomized response", share, x.Eps3, x.Delta,
				pair{withRest(x.passes(rat.Complement(low))), withRest(x.passes(low))})
			continue
		}
		outputs := x.outputs()
		for q := range pure(v[2], "") {
			isClose(t, x.at+", "+q.String(), share, x.Eps3, x.Delta, pair{outputs(q[0]), outputs(q[1])})
		}
	}
}

// foundTooHigh checks (b) where both thresholds are at the bound: the sum for both is enough, and that of the first is
// at most it.
func foundTooHigh(t *register.T, share *big.Rat) {
	searchings(t, "two thresholds that are reached with the probability of the bound; ", printedOffset,
		func(x *searching) {
			most := mul(x.down(), x.base(), rat.Quo(x.PStar, rat.Int(3)))
			p, is := below(func(p *big.Rat) bool { return num(p).Upper.Cmp(most.Lower) <= 0 })
			if !is {
				return
			}
			pr, claimed, at := x.passes(p), mul(share, add(x.Beta, mul("1/2",
				x.Delta))), x.at+", thresholds with p = "+rat.Show(p)
			rising(t, at+", the first", pr, claimed)
			rising(t, at+", the sum of two", add(pr, pr), claimed)
		})
}

// foundTooLow checks (c): the first threshold that is at most τ_* is reached with p_* at least.
func foundTooLow(offset anOffset) claim {
	return func(t *register.T, share *big.Rat) {
		searchings(t, "a threshold that is reached with probability p_*; ", offset, func(x *searching) {
			rising(t, x.at, sub(1, x.passes(x.PStar)), mul(share, add(mul(2, x.Beta), quo(x.Delta, 2*x.R))))
		})
	}
}

// leastCount checks the least N·p̃ with which the first side is met, with the factor e^(−ε_0/2) or without, and more.
func leastCount(withFactor bool) claim {
	return func(t *register.T, more *big.Rat) {
		searchings(t, "", printedOffset, func(x *searching) {
			to := func(base *big.Rat, times string) interval.Interval { // base^(times·S/ε_3)
				return exp(mul(times, "1/4", x.scale, ln(base)))
			}
			each := rat.Quo(x.Beta, rat.Int(x.R+1))
			right := mul(to(each, "2"), to(x.Beta, "6"), x.down(), add(mul(x.N, x.PStar), x.offset))
			claimed := mul(x.base(), more, x.N, x.PStar)
			if withFactor {
				claimed = mul(claimed, x.down())
			}
			rising(t, x.at, sub(claimed, x.offset), sub(mul(right, to(each, "4")), x.offset))
		})
	}
}

func searchNumber(t *register.T, share *big.Rat) {
	searchings(t, "", printedOffset, func(x *searching) {
		whole := mul(x.base(), x.N, x.PStar)
		middle := mul(2, quo(x.offset, x.down()))
		rising(t, x.at, middle, sub(whole, x.offset))
		last := mul("2/3", whole)
		rising(t, x.at+", the last", middle, mul(share, last)) // N is rounded up
		rising(t, x.at+", the last", last, mul(middle, "1001/1000"))
	})
}

func fromCount(t *register.T, share *big.Rat) {
	searchings(t, "", printedOffset, func(x *searching) {
		count := quo(mul(2, x.offset), x.down()) // the least N·p̃
		second := sub(mul(x.down(), count), x.offset)
		rising(t, x.at, second, sub(mul(x.down(), add(count, x.offset)), x.offset))
		last := mul(quo(mul(x.down(), x.base()), 3), x.N, x.PStar)
		rising(t, x.at+", the last", mul("999/1000", last), mul(share, second)) // N is rounded up
	})
}

// selects runs the whole mechanism over candidates with scores 3/10 and 8/10, which are reached always, by both rooms.
func selects(score float64, inCoin int64) register.Check {
	return func(t *register.T) {
		t.Domain("K = 2 candidates with the scores 3/10 and 8/10, R = 2, ε_0 = 9/10, ε_1 = 1/100, δ = β = 9/10, by 3 seeds " +
			"and without noise")
		eps0, eps1, share := rat.Of("9/10"), rat.Of("1/100"), rat.Of("9/10")
		coin := selection.SelectionCoin(2, 2, eps0, eps1, share)
		twins(t, "γ", spec.SelectionCoin(2, 2, 0.9, 0.01, 0.9), coin)
		p1 := exp(mul(add(6, mul(12, quo(eps1, eps0))), ln(rat.Quo(rat.Mul(share, share), rat.Int(3)))))
		equal(t, "γ", coin, mul(p1, quo(share, int(2*inCoin))))
		scores := []float64{0.3, 0.8}
		literal, fast := candidates(scores)
		for seed := range 4 {
			t.Case()
			random := func() noise.Source {
				if seed == 0 {
					return &finite.Tape{Draws: []float64{0}}
				}
				return noise.New([32]byte{byte(seed)})
			}
			words := func() noise.Coins { return noise.Coins{Source: rand.NewPCG(uint64(seed), 1)} }
			found, is := spec.PrivateSelection(literal, 2, 0.9, 0.01, 0.9, 0.9, random(), words())
			again, is2, err := selection.PrivateSelection(t.Context(), fast, 2, eps0, eps1, share, share, random(), words())
			t.Must(err)
			switch {
			case is != is2 || found.Score != again.Score:
				t.Refute("seed %d: %v (%v) by spec, %v (%v) by impl", seed, found, is, again, is2)
			case seed == 0 && (!is || found.Score < score): // then τ̃ = 1/2
				t.Refute("without noise: %v (%v)", found, is)
			case is && !slices.Contains(scores, found.Score):
				t.Refute("seed %d: %v", seed, found)
			}
		}
	}
}
