package selection

import (
	"context"
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
	low, any := "a threshold that is reached with probability p_*; ", searched("", printedOffset)
	return register.Checks{
		"PSC-A6": checked(searchTwins(searchVariant{2, 6, 4}),
			near("ν ∼ Lap(2.1·S/ε_3)", searchTwins(searchVariant{2.1, 6, 4})),
			near("Λ has 5.7 for 6", searchTwins(searchVariant{2, 5.7, 4})),
			near("Δ has ln(2R/δ)", searchTwins(searchVariant{2, 6, 2}))),
		"PSC-T4.6a": checked(register.All(searchLoss().With("1"), manyThresholds().With("1")),
			near("it is (ε_3/16, 0)-DP", searchLoss().With("1/16")),
			near("it is (19/20·ε_3, δ)-DP", manyThresholds().With("19/20"))),
		"PSC-T4.6b": tight(at(searched("two thresholds that are reached with the probability of the bound; ",
			printedOffset), foundTooHigh), "1/5", "1/5 of β + δ/2"),
		"PSC-T4.6c": mended(at(searched(low, printedOffset), foundTooLow), at(searched(low, halfOffset), foundTooLow),
			"with the larger Δ of PSC-T4.6.s1", "1/24", "with the larger Δ, 1/24 of 2β + δ/(2R)"),
		"PSC-T4.6.s1": mended(misestimates(over, printedOffset), misestimates(over, halfOffset), "with "+
			"Δ = 2(e^(ε_0/2) + 1)/(e^(ε_0/2) − 1)·ln(2R/δ)/ε_0, if that is more", "1/32", "with 1/32 of the larger Δ"),
		"PSC-T4.6.s2": mended(at(any, leastCount, false), at(any, leastCount, true), "with the factor", "21/20",
			"with the factor, and 21/20 of it"),
		"PSC-T4.6.s3": step(at(any, searchNumber), "19/20"),
		"PSC-T4.6.s4": step(at(any, fromCount), "19/20"),
		"PSC-T4.6.s5": mended(misestimates(under, printedOffset), misestimates(under, halfOffset),
			"with the larger Δ of PSC-T4.6.s1", "1/32", "with 1/32 of the larger Δ"),
		"PSC-A7": checked(register.All(selects(0.5, 12), countsDraws("2", "1")),
			near("p_* = 1/(1.9·K)", countsDraws("19/10", "1")),
			near("T is that for 19/20 of ε_0", countsDraws("2", "19/20")),
			control("an output has a score of 9/10", selects(0.9, 12)),
			near("p_1 has 11K for 12K", selects(0.5, 11))),
	}
}

// searchVariant is what is claimed: the scale of ν, and the factors in Λ and beside R/δ.
type searchVariant struct{ nu, inLambda, inLog float64 }

func searchTwins(claimed searchVariant) register.Check {
	score := func(d register.Dice) float64 { return float64(d.Roll(9)) / 8 }
	return randomly(34, "7 scores in [0, 1]", score,
		func(t *register.T, x *estimate, scores []float64, _ register.Dice) []program {
			literal, fast := candidate(0, scores...)
			return []program{
				func(noise *finite.Tape) any { return found(spec.ThresholdSearch(literal, x.literalSearch(), noise)) },
				func(noise *finite.Tape) any {
					tau, is, err := selection.ThresholdSearch(t.Context(), fast, x.search(), noise)
					t.Must(err)
					return found(tau, is)
				},
				func(noise *finite.Tape) any { return found(claimed.run(x.literalSearch(), scores, noise)) },
			}
		})
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
		if random.Laplace(4*unit)+math.Log(float64(atOrAbove(scores, x.N, tau))+offset) >= threshold {
			return tau, true
		}
	}
	return 0, false
}

// asSearch makes a place one of the algorithm for one threshold, and returns the N of Theorem 4.6, by both rooms.
func asSearch(t *register.T, x *estimate, of anOffset) *big.Int {
	x.offset, x.scale = of(t, x.eps0, x.eps1, rat.Quo(x.delta, rat.Int(2*x.rounds))), x.unit(4)
	threshold := add(mul(x.n, x.pStar), x.offset)
	lambda := sub(mul("1/2", x.eps0), mul("3/2", x.scale, ln(x.beta)))
	x.gap = func(k int) interval.Interval { return add(ln(quo(add(k, x.offset), threshold)), lambda) }
	n := selection.SearchSamples(x.search())
	twins(t, "N", math.Ceil(spec.SearchSamples(x.literalSearch())), new(big.Rat).SetInt(n))
	return n
}

// searched goes through places with the N of Theorem 4.6.
func searched(domain string, of anOffset) places[*estimate] {
	return ofTheorem(domain, "(1/2, 1/10, 36/5, 1/2, 1/2, 1/2), (9/10, 1/10, 12, 9/10, 1/10, 1/4), "+
		"(9/10, 2, 58/15, 1/1000, 99/100, 9/10), "+hardlyNoise,
		of, asSearch)
}

// base returns ((β/(R + 1))·β)^(6S/ε_3) = (1/(R + 1))^(6S/ε_3)·β^(12S/ε_3).
func (x *estimate) base() interval.Interval {
	return exp(mul("3/2", x.scale, ln(rat.Quo(rat.Mul(x.beta, x.beta), rat.Int(x.rounds+1)))))
}

// down returns e^(−ε_0/2).
func (x *estimate) down() interval.Interval { return exp(rat.Mul(rat.Of("-1/2"), x.eps0)) }

// ofSearch returns a function from a law of three samples, below 0.5, at 0.5 and at 1, to the probabilities of 1/2, 0
// and nothing, for R = 2 thresholds of which the lower is taken for one that the lowest sample does not reach.
func (x *estimate) ofSearch() func(q samples) []interval.Interval {
	type counts struct{ high, both int }
	early, late := map[counts]interval.Interval{}, map[counts]interval.Interval{}
	for both := range x.n + 1 {
		for high := range both + 1 {
			early[counts{high, both}], late[counts{high, both}] = overtakes(x.gap(high), x.scale),
				x.last(1, span{high, high}, span{both, both})
		}
	}
	return func(q samples) []interval.Interval {
		sums := []interval.Interval{num(0), num(0)}
		for path := range finite.Tuples([]int{0, 1, 2}, x.n) {
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
var searchLoss = on("(ε_0, ε_1, e) in {(1/2, 1/10, 11/10), (1/10, 22/25, 12/5)}, 37 oracles over three "+
	"samples that are ε_1-DP, nearly: ln(e)-DP; ε_3 = 1, δ in {1/2 | 1/1000}, β = 1/2, p_* in {1/100 | 1/2}; R = 2, "+
	"for N below 300: 0, 1/2 and nothing; and the first threshold alone, for randomized response; N in {1, 3, 300}",
	func(t *register.T, share *big.Rat, at string, eps0, eps1, e, delta, pStar *big.Rat, n int) {
		t.At("%s", at)
		x := &estimate{pStar: pStar, rounds: 2, n: n, eps0: eps0, eps1: eps1, eps3: rat.One,
			delta: delta, beta: rat.Half}
		asSearch(t, x, printedOffset)
		if x.n == 300 {
			low := rat.Quo(rat.One, rat.Add(rat.One, e))
			high := rat.Complement(low)
			isClose(t, share, x.eps3, delta, pair{withRest(x.passes(high)), withRest(x.passes(low))})
			return
		}
		outputs := x.ofSearch()
		for _, q := range pure(e) {
			t.At("%s, %v", at, q)
			isClose(t, share, x.eps3, delta, pair{outputs(q[0]), outputs(q[1])})
		}
	})

// manyThresholds checks a share of ε_3, where samples are as good as their law and S is hardly more than ε_1: a few are
// above all thresholds but the last, and more by a factor of e on the other database; many are above the last alone,
// and less.
var manyThresholds = on("and (ε_0, ε_1, e) in {(3/200, 9/10, 2459/1000)}, ε_3 in {1/10}, δ in {1/1000000000}, "+
	"(p, q) in {(1/4000, 1/4)}, N in {10^14}, β = p_* = 1/2, R = 21: the last threshold",
	func(t *register.T, share, eps0, eps1, e, eps3, delta, p, q *big.Rat, n int) {
		x := &estimate{pStar: rat.Half, rounds: many + 1, n: n, eps0: eps0, eps1: eps1, eps3: eps3, delta: delta,
			beta: rat.Half}
		asSearch(t, x, printedOffset)
		of := func(p, q *big.Rat) []interval.Interval { return x.afterMany(p, rat.Add(p, q)) }
		isClose(t, rat.One, rat.Mul(share, eps3), delta, pair{of(p, q), of(rat.Mul(e, p), rat.Quo(q, e))})
	})

// foundTooHigh checks (b) where both thresholds are at the bound: the sum for both is enough, and that of the first is
// at most it.
func foundTooHigh(t *register.T, share *big.Rat, x *estimate) {
	most := mul(x.down(), x.base(), rat.Quo(x.pStar, rat.Int(3)))
	p, is := below(func(p *big.Rat) bool { return num(p).Upper.Cmp(most.Lower) <= 0 })
	if !is {
		return
	}
	t.In("N = %d, the sum of two thresholds with p = %s", x.n, p)
	rising(t, mul(2, x.passes(p)), mul(share, add(x.beta, mul("1/2", x.delta))))
}

// foundTooLow checks (c): the first threshold that is at most τ_* is reached with p_* at least.
func foundTooLow(t *register.T, share *big.Rat, x *estimate) {
	rising(t, sub(1, x.passes(x.pStar)), mul(share, add(mul(2, x.beta), quo(x.delta, 2*x.rounds))))
}

// leastCount checks the least N·p̃ with which the first side is met, with the factor e^(−ε_0/2) or without, and more.
func leastCount(t *register.T, more *big.Rat, x *estimate, withFactor bool) {
	to := func(base *big.Rat, times string) interval.Interval { // base^(times·S/ε_3)
		return exp(mul(times, "1/4", x.scale, ln(base)))
	}
	each := rat.Quo(x.beta, rat.Int(x.rounds+1))
	right := mul(to(each, "2"), to(x.beta, "6"), x.down(), add(mul(x.n, x.pStar), x.offset))
	claimed := mul(x.base(), more, x.n, x.pStar)
	if withFactor {
		claimed = mul(claimed, x.down())
	}
	rising(t, sub(claimed, x.offset), sub(mul(right, to(each, "4")), x.offset))
}

func searchNumber(t *register.T, share *big.Rat, x *estimate) {
	whole := mul(x.base(), x.n, x.pStar)
	middle, last := mul(2, quo(x.offset, x.down())), mul("2/3", whole)
	rising(t, middle, sub(whole, x.offset))
	rising(t, middle, mul(share, last)) // N is rounded up
	rising(t, last, mul(middle, "1001/1000"))
}

func fromCount(t *register.T, share *big.Rat, x *estimate) {
	count := quo(mul(2, x.offset), x.down()) // the least N·p̃
	second := sub(mul(x.down(), count), x.offset)
	last := mul(quo(mul(x.down(), x.base()), 3), x.n, x.pStar)
	rising(t, second, sub(mul(x.down(), add(count, x.offset)), x.offset))
	rising(t, mul("999/1000", last), mul(share, second)) // N is rounded up
}

// selects runs the whole mechanism over candidates with scores 3/10 and 8/10, which are reached always, by both rooms.
func selects(score float64, inCoin int64) register.Check {
	return func(t *register.T) {
		t.Domain("K = 3 candidates with the scores 3/10, 3/10 and 8/10, R = 2, ε_0 = 9/10, ε_1 = 1/100, " +
			"δ = β = 9/10, by a seed and without noise")
		eps0, eps1, share := rat.Of("9/10"), rat.Of("1/100"), rat.Of("9/10")
		coin := selection.SelectionCoin(3, 2, eps0, eps1, share)
		literalCoin := spec.SelectionCoin(3, 2, 0.9, 0.01, 0.9)
		twins(t, "γ", literalCoin, coin)
		p1 := exp(mul(add(6, mul(12, quo(eps1, eps0))), ln(rat.Quo(rat.Mul(share, share), rat.Int(3)))))
		equal(t, coin, mul(p1, quo(share, int(3*inCoin))))
		scores := []float64{0.3, 0.3, 0.8}
		literal, fast := candidates(scores)
		for seed := range 2 {
			t.At("seed %d, without noise if it is 0", seed)
			random := func() noise.Source {
				if seed == 0 {
					return &finite.Tape{Draws: []float64{0}}
				}
				return noise.New([32]byte{byte(seed)})
			}
			words := func() noise.Coins { return noise.Coins{Source: rand.NewPCG(uint64(seed), 1)} }
			spied := &lastCoin{Coins: words(), p: literalCoin}
			found, is := spec.PrivateSelection(literal, 2, 0.9, 0.01, 0.9, 0.9, random(), spied)
			t.Require(spied.p == literalCoin, "γ is %g, must be %g", spied.p, literalCoin)
			again, is2, err := selection.PrivateSelection(t.Context(), fast, 2, eps0, eps1, share,
				share, random(), words())
			t.Must(err)
			t.Require(is == is2 && found.Score == again.Score, "%v (%v) by spec, %v (%v) by impl",
				found, is, again, is2)
			t.Require(seed > 0 || is && found.Score >= score, "%v (%v)", found, is) // then τ̃ = 1/2
			t.Require(!is || slices.Contains(scores, found.Score), "%v", found)
		}
	}
}

// countsDraws counts the draws where no sample after the first N reaches τ̃, and no coin comes up: there are N of
// Theorem 4.6 for p_* = 1/(times·K), and T of Theorem 3.1 for a part of ε_0.
func countsDraws(times, part string) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("K = 2 candidates with the score 9/10 in the first N draws and 0 in all others, no coin comes up")
		t.Case()
		eps0, eps1, share := rat.Of("9/10"), rat.Of("1/100"), rat.Of("99/100")
		gamma, _ := selection.SelectionCoin(2, 2, eps0, eps1, share).Rats()
		n := int(selection.SearchSamples(selection.Search{PStar: rat.Quo(rat.Half, rat.Of(times)), R: 2, Eps0: eps0,
			Eps1: eps1, Eps3: eps0, Delta: share, Beta: share}).Int64())
		want, draws := n+leastDraws(t, gamma, rat.Mul(rat.Of(part), eps0)), 0
		score := func() float64 {
			draws++
			return map[bool]float64{true: 0.9}[draws <= n]
		}
		literal := func() spec.Scored[int] { return spec.Scored[int]{Score: score()} }
		fast := func(context.Context) (selection.Scored[int], error) {
			return selection.Scored[int]{Score: score()}, nil
		}
		random, words := &finite.Tape{Draws: []float64{0}}, noise.Coins{Source: ones{}}
		_, is := spec.PrivateSelection([]spec.Candidate[int]{literal, literal}, 2, 0.9, 0.01, 0.99, 0.99, random, words)
		t.Require(!is && draws == want, "%d draws by spec, claimed are %d; an output: %v", draws, want, is)
		draws = 0
		_, is, err := selection.PrivateSelection(t.Context(), []selection.Candidate[int]{fast, fast}, 2, eps0, eps1,
			share, share, random, words)
		t.Must(err)
		t.Require(!is && draws == want, "%d draws by impl, claimed are %d; an output: %v", draws, want, is)
	}
}

// ones is a source of the largest words: no coin comes up.
type ones struct{}

func (ones) Uint64() uint64 { return math.MaxUint64 }

// lastCoin remembers the probability of the last coin.
type lastCoin struct {
	spec.Coins
	p float64
}

func (c *lastCoin) Bernoulli(p *big.Rat) bool {
	c.p = rat.Float64(p)
	return c.Coins.Bernoulli(p)
}
