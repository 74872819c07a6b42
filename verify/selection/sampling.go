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
	early := func(isGiven bool, b bound, of anOffset) claim {
		return at(sampled("two queries at their bounds; ", of), reportedEarly, isGiven, b)
	}
	late := func(isGiven bool, b bound, of anOffset) claim {
		return at(sampled("a query at its bound, and one of which all samples are above its threshold; ", of),
			reportedLate, isGiven, b)
	}
	return register.Checks{
		"PSC-X12":     tight(at(reaching, meansMove), "19/20", "at most 19/20 of it"),
		"PSC-L4.3":    tight(at(twoSums, countsApart), "1/16", "with 1/16 of Δ"),
		"PSC-L4.3.s1": tight(at(twoSums, goodCounts), "1/12", "with 1/12 of the second summands"),
		"PSC-L4.3.s2": step(countsTogether(), "19/20"),
		"PSC-N10":     tight(smoothed(), "19/20", "19/20 of the Δ below"),
		"PSC-A5": checked(sampledTwins(sampledVariant{2, 4, 8, false}),
			control("Δ has ln(2T/δ)", sampledTwins(sampledVariant{2, 4, 2, false})),
			near("⊥ where both sides are equal", sampledTwins(sampledVariant{2, 4, 8, true})),
			near("ν ∼ Lap(2.1·S/ε_3)", sampledTwins(sampledVariant{2.1, 4, 8, false})),
			near("ξ_i ∼ Lap(3.8·S/ε_3)", sampledTwins(sampledVariant{2, 3.8, 8, false}))),
		"PSC-T4.4e": smallConstant("1/10, 1, 17/10"),
		"PSC-T4.6d": smallConstant("1/10, 1, 17/10"),
		"PSC-T4.4a": checked(register.All(sampledLoss().With("1"), manyLoss().With("1")),
			near("it is (ε_3/16, 0)-DP", sampledLoss().With("1/16")),
			near("it is (19/20·ε_3, δ)-DP", manyLoss().With("19/20"))),
		"PSC-T4.4b1": mended(early(given, smoothBound, printedOffset), early(joint, smoothBound, halfOffset),
			"not conditional, with the larger Δ of PSC-T4.4.s7", "1/32",
			"not conditional, with the larger Δ, 1/32 of β + δ/2"),
		"PSC-T4.4b2": mended(early(given, plainBound, printedOffset), early(joint, plainBound, printedOffset),
			"not conditional", "1/128", "not conditional, with 1/128 of β + δ/2"),
		"PSC-T4.4c1": mended(late(given, smoothBound, printedOffset), late(joint, smoothBound, halfOffset),
			"not conditional, with the larger Δ of PSC-T4.4.s7", "1/80",
			"not conditional, with the larger Δ, 1/80 of β + δ/2"),
		"PSC-T4.4c2": mended(late(given, indexR, printedOffset), late(joint, mirrored, printedOffset),
			"an i < R, not conditional: p(τ_i, Q_i) ≥ 1 − ½·e^−ε_0·(β/(R + 1))^(6S/ε_3)·(1 − p_*)", "1/250",
			"an i < R, not conditional, by the mirrored bound, with 1/250 of β + δ/2",
			alsoFails(register.False, "an i < R, given that Q_R is reported",
				late(given, plainBound, printedOffset).With("1")),
			alsoFails(register.Edge, "an i < R, not conditional", late(joint, plainBound, printedOffset).With("1"))),
		"PSC-T4.4d": mended(at(sampled("a first query at its bound; ", printedOffset), sampledHalts, true),
			at(sampled("a first query at its bound; ", quarterOffset), sampledHalts, false),
			"⊥ for ⊤, not conditional, with the larger Δ of PSC-T4.4.s10", "1/11",
			"⊥ for ⊤, not conditional, with the larger Δ, 1/11 of β + δ/(4T)"),
	}
}

// meansMove checks the mean of three samples' share, and that it moves by a share of e^ε_1 at most.
func meansMove(t *register.T, share *big.Rat, x reach) {
	var means [2]*big.Rat
	for b, x := range []*big.Rat{x.p, x.q} {
		means[b] = new(big.Rat)
		for k, pr := range exhaustive.Count([]*big.Rat{x, x, x}) {
			means[b].Add(means[b], rat.Mul(big.NewRat(int64(k), 3), pr))
		}
		equal(t, means[b], x)
	}
	within(t, "E[p̃]", means[0], share, rat.Mul(x.expEps, means[1]))
}

// twoCounts is a place of Lemma 4.3: two sums of variables of which one has at most e^ε_1 times the mean of the other.
type twoCounts struct {
	x, y               []interval.Interval // laws
	meanX, meanY       *big.Rat
	eps0, eps1, delta0 *big.Rat
}

// twoSums goes through them.
func twoSums(t *register.T, visit func(x twoCounts)) {
	laws := map[string][]interval.Interval{}
	law := func(n int, p *big.Rat) []interval.Interval {
		key := fmt.Sprint(n, p)
		if laws[key] == nil {
			laws[key] = binomialLaw(n, p)
		}
		return laws[key]
	}
	finite.Each(t, "sums X and Y of n variables that are 1 with probability p, with n_X and n_Y in {1, 2, 300}, "+
		"p_X and p_Y in {1/100, 1/3, 2/3}, and means within a factor of e; ε_0 in {1/100, 99/100 | 1/2}, "+
		"ε_1 the least multiple of 1/100 for the means, δ_0 in {1/1000, 99/100 | 1/2}",
		func(at string, nX, nY int, pX, pY, eps0, delta0 *big.Rat) {
			x := twoCounts{meanX: rat.Mul(rat.Int(nX), pX), meanY: rat.Mul(rat.Int(nY), pY), eps0: eps0, delta0: delta0}
			least := math.Ceil(100 * math.Log(rat.Float64(rat.Quo(x.meanX, x.meanY))))
			if x.eps1 = big.NewRat(int64(max(least, 1)), 100); x.eps1.Cmp(rat.One) < 0 {
				t.At("%s, ε_1 = %s", at, x.eps1)
				x.x, x.y = law(nX, pX), law(nY, pY)
				visit(x)
			}
		})
}

// countsApart checks Lemma 4.3 with a share of Δ.
func countsApart(t *register.T, share *big.Rat, x twoCounts) {
	c, offset := countConstant(t, x.eps0, x.eps1), printedOffset(t, x.eps0, x.eps1, x.delta0)
	rising(t, c, 21)
	rise := exp(rat.Add(x.eps0, x.eps1))
	second := mul(offset, sub(rise, 1))
	equal(t, second, mul(quo(c, x.eps0), ln(rat.Quo(rat.Int(2), x.delta0))))
	tails, pr := atLeast(x.x), num(0)
	for k, p := range x.y {
		pr = add(pr, mul(p, tails[from(add(mul(rise, k), mul(share, second)), len(x.x))]))
	}
	rising(t, pr, x.delta0)
}

// smallConstant is what runs for C < 21 where ε_1 has these values: it is so for those of Lemma 4.3.
func smallConstant(eps1s string) []register.Part {
	below := func(eps1s string) claim {
		return on("ε_0 in {1/2, 999/1000}, ε_1 in {"+eps1s+"}", func(t *register.T, share, eps0, eps1 *big.Rat) {
			c := countConstant(t, eps0, eps1)
			t.Require(c.Lower.Cmp(mul(share, 21).Upper) < 0, "C is %.6g, claimed less than %.6g", c.Lower,
				mul(share, 21).Upper)
			t.Close(quo(c, 21).Float().Lo, "")
		})()
	}
	return mended(below(eps1s), below("1/10, 1/2, 999/1000"), "for ε_1 in (0, 1), as in Lemma 4.3", "19/20",
		"for ε_1 in (0, 1), C < 19.95")
}

// countConstant returns C, by both rooms.
func countConstant(t *register.T, eps0, eps1 *big.Rat) interval.Interval {
	c := selection.CountConstant(eps0, eps1)
	twins(t, "C", spec.CountConstant(rat.Float64(eps0), rat.Float64(eps1)), c)
	return c
}

// goodCounts checks the two events of the proof with a share of their second summands.
func goodCounts(t *register.T, share *big.Rat, x twoCounts) {
	eps, delta := rat.Mul(rat.Half, x.eps0), rat.Mul(rat.Half, x.delta0)
	high, low := mul(exp(eps), x.meanX), quo(x.meanY, exp(eps))
	high = add(high, mul(share, sub(impl.UpperCount(x.meanX, eps, delta), high)))
	low = add(low, mul(share, sub(impl.LowerCount(x.meanY, eps, delta), low)))
	isAbove, isBelow := atLeast(x.x)[from(high, len(x.x))], num(0)
	for k := 0; k < len(x.y) && num(k).Upper.Cmp(low.Lower) <= 0; k++ {
		isBelow = add(isBelow, x.y[k])
	}
	rising(t, sub(1, mul(sub(1, isAbove), sub(1, isBelow))), x.delta0)
}

var countsTogether = on("Y in {0, 1, 1000}, ε_0 and ε_1 in {1/100, 1/2, 99/100}, δ_0 in {1/1000, 99/100}",
	func(t *register.T, share, y, eps0, eps1, delta0 *big.Rat) {
		log := ln(rat.Quo(rat.Int(2), delta0))
		rest, rise := quo(log, mul("1/2", eps0)), exp(rat.Add(eps0, eps1))
		left := add(mul(rise, add(y, rest)), mul(add(exp(rat.Mul(rat.Half, eps0)), 1), rest))
		equal(t, left, mul(share, add(mul(rise, y), mul(quo(countConstant(t, eps0, eps1), eps0), log))))
	})

// smoothed checks Φ^(N,Δ) with a share of the Δ below.
var smoothed = on("N in {1, 10, 1000}, all x in multiples of 1/N, Δ in {1/2, 3, 1000}",
	func(t *register.T, share *big.Rat, at string, n int, offset *big.Rat) {
		last := -1.0
		for k := range n + 1 {
			t.At("%s, k = %d", at, k)
			p := big.NewRat(int64(k), int64(n))
			literal := spec.SmoothedOdds(rat.Float64(p), n, rat.Float64(offset))
			twins(t, "Φ(x)", literal, selection.SmoothedOdds(p, n, num(offset)))
			twins(t, "Φ(x), as claimed,", literal, quo(add(k, offset), add(n-k, mul(share, offset))))
			t.Require(literal > last, "Φ(x) is %.9g by spec, that before was %.9g", literal, last)
			last = literal
		}
	})

// sampledVariant is what is claimed of the algorithm with samples: scales in units of S/ε_3, and the number beside T/δ
// in Δ; and whether equal sides are not enough for ⊤.
type sampledVariant struct {
	nu, xi, inLog float64
	strict        bool
}

func sampledTwins(claimed sampledVariant) register.Check {
	score := func(d register.Dice) float64 { return float64(d.Roll(4)) }
	programs := func(t *register.T, x *estimate, scores, taus []float64) []program {
		return []program{func(noise *finite.Tape) any {
			return spec.SampledPercentileSparse(func(a []bool) (spec.Candidate[int], float64, bool) {
				q, _ := candidate(0, scores...)
				return q, taus[len(a)%len(taus)], len(a) == len(taus)
			}, x.literalPercentile(), noise)
		}, func(noise *finite.Tape) any {
			return register.Must(selection.SampledPercentileSparse(t.Context(),
				func(a []bool) (selection.Candidate[int], float64, bool) {
					_, q := candidate(0, scores...)
					return q, taus[len(a)%len(taus)], len(a) == len(taus)
				}, x.percentile(), noise))
		}, func(noise *finite.Tape) any { return claimed.run(x.literalPercentile(), scores, taus, noise) }}
	}
	return register.All(randomly(33, "7 scores in {0, 1, 2, 3}, up to 5 queries, thresholds between them", score,
		func(t *register.T, x *estimate, scores []float64, d register.Dice) []program {
			taus := make([]float64, 1+d.Roll(5))
			for i := range taus {
				taus[i] = float64(d.Roll(5))
			}
			return programs(t, x, scores, taus)
		}), func(t *register.T) {
		t.AlsoDomain("p̃ = p_* = 1/2 without noise")
		t.At("p̃ = p_* = 1/2 without noise")
		x := &estimate{pStar: rat.Half, rounds: 1, n: 2, eps0: rat.Half, eps1: rat.Half, eps3: rat.One, delta: rat.Half,
			beta: rat.Half}
		sameOnTape(t, []float64{0}, programs(t, x, []float64{0, 1}, []float64{1})...)
	})
}

// run is the algorithm as it is claimed.
func (v sampledVariant) run(x spec.SampledPercentile, scores, taus []float64, noise *finite.Tape) (a []bool) {
	offset, unit := claimedOffset(x.Eps0, x.Eps1, v.inLog*float64(x.T)/x.Delta), 2*(x.Eps0+x.Eps1)/x.Eps3
	odds := func(k float64) float64 { return math.Log((k + offset) / (float64(x.N) - k + offset)) }
	threshold := noise.Laplace(v.nu*unit) + odds(float64(x.N)*x.PStar)
	for len(a) < min(x.T, len(taus)) {
		value := noise.Laplace(v.xi*unit) + odds(float64(atOrAbove(scores, x.N, taus[len(a)])))
		isAbove := value > threshold || !v.strict && value == threshold
		if a = append(a, isAbove); isAbove {
			break
		}
	}
	return a
}

// asSampled makes a place one of the algorithm with samples, and returns the N of Theorem 4.4, by both rooms.
func asSampled(t *register.T, x *estimate, of anOffset) *big.Int {
	x.offset, x.scale = of(t, x.eps0, x.eps1, rat.Quo(x.delta, rat.Int(4*x.rounds))), x.unit(8)
	n := selection.PercentileSamples(x.percentile(), x.beta)
	twins(t, "N", math.Ceil(spec.PercentileSamples(x.literalPercentile(), rat.Float64(x.beta))), new(big.Rat).SetInt(n))
	if x.n > 0 {
		x.star = x.logOdds(x.pStar)
		x.gap = func(k int) interval.Interval { return sub(x.logOdds(big.NewRat(int64(k), int64(x.n))), x.star) }
		twins(t, "Φ", spec.SmoothedOdds(0.25, x.n, x.offset.Float().Hi), x.odds(rat.Of("1/4")))
	}
	return n
}

// sampled goes through places with the N of Theorem 4.4.
func sampled(domain string, of anOffset) places[*estimate] {
	return ofTheorem(domain, "(1/2, 1/10, 72/5, 1/2, 1/2, 1/2), "+hardlyNoise+" | (9/10, 1/10, 24, 9/10, 1/10, 1/4)",
		of, asSampled)
}

// odds returns Φ^(N,Δ)(p).
func (x *estimate) odds(p *big.Rat) interval.Interval {
	return selection.SmoothedOdds(p, x.n, x.offset)
}

func (x *estimate) logOdds(p *big.Rat) interval.Interval { return ln(x.odds(p)) }

// sampledLoss checks ε_3 and δ, or a share of ε_3 alone, where candidates are randomized response.
var sampledLoss = on("(ε_0, ε_1, p, p') in {(1/2, 1/10, 4751/10000, 5249/10000), "+
	"(1/10, 9/10, 2891/10000, 7109/10000)}, ε_3 = 1, δ in {1/2 | 1/1000}, p_* in {1/10 | 1/2}; T = 2: "+
	"the first of two queries with N in {1, 4, 300}, and two with N = 1 and N = 4",
	func(t *register.T, share, eps0, eps1, p, other, delta, pStar *big.Rat, n int) {
		x := &estimate{pStar: pStar, rounds: 2, n: n, eps0: eps0, eps1: eps1, eps3: rat.One,
			delta: delta, beta: rat.Half}
		asSampled(t, x, printedOffset)
		low, high := x.passes(p), x.passes(other)
		t.In("2 outputs")
		isClose(t, share, rat.One, delta, pair{withRest(high), withRest(low)})
		if n <= 4 {
			t.In("3 outputs")
			isClose(t, share, rat.One, delta, pair{withRest(low, x.later(p, other)), withRest(high, x.later(other, p))})
		}
	})

// later returns the probability that of two queries only the second is reported.
func (x *estimate) later(first, second *big.Rat) interval.Interval {
	sum, law := num(0), binomialLaw(x.n, second)
	for j, p := range binomialLaw(x.n, first) {
		for k, q := range law {
			sum = add(sum, mul(p, q, x.last(1, span{j, j}, span{k, k})))
		}
	}
	return sum
}

// manyLoss checks a share of ε_3, where all queries are as good as the samples show, and S is hardly more than 2ε_1.
var manyLoss = on("and (ε_0, ε_1, p, p') in {(3/200, 9/10, 2891/10000, 7109/10000)}, ε_3 in {1, 2}, "+
	"δ in {1/1000000000}, N in {10^8}, p_* = 1/2, T = 21: the last of 21 queries",
	func(t *register.T, share, eps0, eps1, p, other, eps3, delta *big.Rat, n int) {
		x := &estimate{pStar: rat.Half, rounds: many + 1, n: n, eps0: eps0, eps1: eps1, eps3: eps3, delta: delta,
			beta: rat.Half}
		asSampled(t, x, printedOffset)
		isClose(t, rat.One, rat.Mul(share, eps3), delta, pair{x.afterMany(p, other), x.afterMany(other, p)})
	})

// shift returns e^(sign·ε_0)·((R + 1)/β)^(sign·6S/ε_3).
func (x *estimate) shift(r, sign int) interval.Interval {
	return exp(mul(sign, add(x.eps0, mul("3/2", x.scale, ln(rat.Quo(rat.Int(r+1), x.beta))))))
}

// bound says in which form a bound on p(τ_i, Q_i) is.
type bound int

const (
	smoothBound bound = iota // by Φ^(N,Δ)
	plainBound               // by p
	indexR                   // by p, of Q_R itself
	mirrored                 // by 1 − p, as p is bounded from below
)

// lowest returns the largest p = k/2^20 that is surely at most the bound of (b) for a report of R; false if there is
// none.
func (x *estimate) lowest(r int, b bound) (*big.Rat, bool) {
	most, value := add(ln(x.shift(r, -1)), x.star), x.logOdds
	if b == plainBound {
		most, value = mul("1/2", x.shift(r, -1), x.pStar), precise.Rat
	}
	return below(func(p *big.Rat) bool { return value(p).Upper.Cmp(most.Lower) <= 0 })
}

// highest returns the least such p that is surely at least the bound of (c), or of (d) for r = 0; false if there is
// none.
func (x *estimate) highest(r int, b bound) (*big.Rat, bool) {
	least, value := add(ln(x.shift(r, 1)), x.star), x.logOdds
	switch b {
	case mirrored:
		least, value = sub(1, mul("1/2", x.shift(r, -1), sub(1, x.pStar))), precise.Rat
	case plainBound, indexR:
		least, value = sub(1, quo(1, add(1, quo(x.shift(r, 1), mul(2, sub(1, x.pStar)))))), precise.Rat
	}
	p, is := below(func(p *big.Rat) bool { return value(rat.Complement(p)).Lower.Cmp(least.Upper) >= 0 })
	if !is {
		return nil, false
	}
	return rat.Complement(p), true
}

// report is what is claimed of a report: at most a share of β + δ/2 that it happens and, given it, that it is so.
func (x *estimate) report(t *register.T, share *big.Rat, isGiven bool, pr interval.Interval) {
	claimed := rat.Mul(share, rat.Add(x.beta, rat.Mul(rat.Half, x.delta)))
	t.Require(!isGiven || pr.Lower.Sign() <= 0, "it happens with probability %.3g, and then it is so: 1 is above %s",
		pr.Lower, claimed)
	rising(t, pr, claimed)
}

// reportedEarly checks (b): two queries at their bounds. Not conditional, it is at most the sum of the probabilities of
// reports, whatever came before, and at least that of the first.
func reportedEarly(t *register.T, share *big.Rat, x *estimate, isGiven bool, b bound) {
	sum := num(0)
	for r := 1; r <= 2; r++ {
		if p, is := x.lowest(r, b); is {
			sum = add(sum, x.passes(p))
			t.In("N = %d, the report of the first %d queries at their bounds, the last p = %s", x.n, r, p)
			x.report(t, share, isGiven, sum)
		}
	}
}

// reportedLate checks (c): the first of two queries is at its bound for a report of the second, which is sure. With the
// index R it is the second that is at its bound, after one that is not reported.
func reportedLate(t *register.T, share *big.Rat, x *estimate, isGiven bool, b bound) {
	r, what := 2, "is not"
	if b == indexR {
		r, what = 1, "is"
	}
	p, is := x.highest(r, b)
	if !is {
		return
	}
	pr := x.passes(p)
	if b != indexR {
		pr = sub(1, pr)
	}
	t.In("N = %d, that a first query with p = %s %s reported", x.n, p, what)
	x.report(t, share, isGiven, pr)
}

// sampledHalts checks (d) for the first query.
func sampledHalts(t *register.T, share *big.Rat, x *estimate, isReported bool) {
	p, is := x.highest(0, smoothBound)
	if !is {
		return
	}
	pr := x.passes(p)
	if !isReported {
		pr = sub(1, pr)
	}
	t.In("N = %d, a first query with p = %s", x.n, p)
	rising(t, pr, mul(share, add(x.beta, quo(x.delta, 4*x.rounds))))
}
