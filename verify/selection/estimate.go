package selection

import (
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

// estimate is a place of the algorithms that estimate a probability from samples, and compare it with noise: at most
// rounds queries or thresholds, T or R. Both have S = 2(ε_0 + ε_1), or half of that, and ξ ∼ Lap(4S/ε_3) for a query
// beside ν ∼ Lap(2S/ε_3) for the threshold.
type estimate struct {
	pStar, eps0, eps1, eps3, delta, beta *big.Rat
	rounds, n                            int
	scale                                *big.Rat                      // 4S/ε_3
	offset                               interval.Interval             // Δ
	gap                                  func(k int) interval.Interval // from the threshold, if k samples are above
	star                                 interval.Interval             // ln Φ^(N,Δ)(p_*)
}

// percentile and search are the parameters of the two algorithms.
func (x *estimate) percentile() selection.SampledPercentile {
	return selection.SampledPercentile{PStar: x.pStar, T: x.rounds, N: x.n, Eps0: x.eps0, Eps1: x.eps1,
		Eps3: x.eps3, Delta: x.delta}
}

func (x *estimate) search() selection.Search {
	return selection.Search{PStar: x.pStar, R: x.rounds, N: x.n, Eps0: x.eps0, Eps1: x.eps1, Eps3: x.eps3,
		Delta: x.delta, Beta: x.beta}
}

// literalPercentile and literalSearch are the same for package spec.
func (x *estimate) literalPercentile() spec.SampledPercentile {
	f := rat.Float64
	return spec.SampledPercentile{PStar: f(x.pStar), T: x.rounds, N: x.n, Eps0: f(x.eps0), Eps1: f(x.eps1),
		Eps3: f(x.eps3), Delta: f(x.delta)}
}

func (x *estimate) literalSearch() spec.Search {
	f := rat.Float64
	return spec.Search{PStar: f(x.pStar), R: x.rounds, N: x.n, Eps0: f(x.eps0), Eps1: f(x.eps1), Eps3: f(x.eps3),
		Delta: f(x.delta), Beta: f(x.beta)}
}

// unit returns times·(ε_0 + ε_1)/ε_3.
func (x *estimate) unit(times int) *big.Rat {
	return rat.Quo(rat.Mul(rat.Int(times), rat.Add(x.eps0, x.eps1)), x.eps3)
}

// hardlyNoise is a place with hardly any noise.
const hardlyNoise = "(7/100, 9/10, 100000, 1/1000, 1/10000, 1/2)"

// ofTheorem goes through places of Theorem 4.4 or 4.6, for ε_3 so large that N is not huge. With an offset that is
// larger than the printed one N is larger, too.
func ofTheorem(domain, epsilons string, of anOffset,
	set func(t *register.T, x *estimate, of anOffset) *big.Int) places[*estimate] {
	return func(t *register.T, visit func(x *estimate)) {
		finite.Each(t, domain+"T = R = 2, (ε_0, ε_1, ε_3, δ, β, p_*) in {"+epsilons+"}, "+
			"and the N of the theorem", func(eps0, eps1, eps3, delta, beta, pStar *big.Rat) {
			x := &estimate{pStar: pStar, eps0: eps0, eps1: eps1, eps3: eps3, delta: delta, beta: beta, rounds: 2}
			n := set(t, x, printedOffset)
			printed := x.offset
			set(t, x, of)
			least := mul(new(big.Rat).SetInt(n), quo(x.offset, printed)).Lower // of n itself the upper end is above n
			x.n = from(interval.New(least, least), math.MaxInt)
			set(t, x, of)
			t.In("N = %d", x.n)
			visit(x)
		})
	}
}

// pair are laws of outputs on two databases.
type pair = [2][]interval.Interval

// passes returns the probability that a query is reported that is met with probability p, whatever came before. That of
// counts that hardly happen is taken to be anything from 0 to 1.
func (x *estimate) passes(p *big.Rat) interval.Interval {
	sum, rare := num(0), new(big.Float).SetMantExp(big.NewFloat(1), -60)
	for k, p := range binomialLaw(x.n, p) {
		if p.Upper.Cmp(rare) < 0 {
			sum = add(sum, interval.New(new(big.Float), p.Upper))
			continue
		}
		sum = add(sum, mul(p, overtakes(x.gap(k), x.scale)))
	}
	return sum
}

// overtakes returns Pr[ξ + g ≥ ν] for ξ ∼ Lap(b) and ν ∼ Lap(b/2): with u = |g|/b, (4e^−u − e^−2u)/6 on the side that g
// is not.
func overtakes(g interval.Interval, b *big.Rat) interval.Interval {
	at := func(x *big.Float) interval.Interval {
		e := exp(neg(quo(abs(interval.New(x, x)), b)))
		tail := quo(sub(mul(4, e), mul(e, e)), 6)
		if x.Sign() < 0 {
			return tail
		}
		return sub(1, tail)
	}
	return interval.New(at(g.Lower).Lower, at(g.Upper).Upper)
}

// span are counts from one to another.
type span struct{ low, high int }

// likely returns the counts that n samples leave with a probability of at most 2e^−50, by Hoeffding's inequality.
func (x *estimate) likely(p *big.Rat) span {
	mean, far := rat.Float64(p)*float64(x.n), 5*math.Sqrt(float64(x.n))+1
	return span{int(mean - far), int(mean + far)}
}

// last returns the probability that of some queries with so many samples above and one more only the last is reported.
// It rises in the last and falls in the others: the gaps are rounded outward.
func (x *estimate) last(others int, other, last span) interval.Interval {
	law := impl.SparseVectorLaw{RhoScale: rat.Mul(rat.Half, x.scale), NuScale: x.scale, Cutoff: 1}
	near := func(k int, more int64) *big.Rat {
		const steps = 1 << 40
		return big.NewRat(int64(math.Round(x.gap(k).Float().Hi*steps))+more, steps)
	}
	pr := func(other, last *big.Rat) interval.Interval {
		run := slices.Repeat([]impl.Comparison{{Query: other, Threshold: new(big.Rat)}}, others)
		run = append(run, impl.Comparison{Query: last, Threshold: new(big.Rat), Above: true})
		return register.Must(law.Probability(run, 1e-15))
	}
	return interval.New(pr(near(other.high, 2), near(last.low, -2)).Lower,
		pr(near(other.low, -2), near(last.high, 2)).Upper)
}

// many queries that are not reported make the noise of the threshold so large that all noise is in its tails, where it
// costs as much as the proofs say.
const many = 20

// afterMany is [estimate.last] after many queries that are met with one probability, and the last with another.
func (x *estimate) afterMany(other, last *big.Rat) []interval.Interval {
	pr := x.last(many, x.likely(other), x.likely(last))
	return withRest(add(pr, interval.Of(-1e-18, 1e-18))) // counts that are not likely
}

// withRest returns the law of some outputs and of all others.
func withRest(outputs ...interval.Interval) []interval.Interval {
	rest := num(1)
	for _, p := range outputs {
		rest = sub(rest, p)
	}
	return append(outputs, rest)
}

// isClose refutes laws that are not (share·ε, δ)-close, or (share·ε, 0)-close for a share below 1.
func isClose(t *register.T, share, eps, delta *big.Rat, laws pair) {
	allowed, largest := new(big.Rat), num(0)
	if rat.Equal(share, rat.One) {
		allowed = delta
	}
	need := neededDelta(exp(rat.Mul(share, eps)), laws)
	t.Require(!rat.IsAbove(need, allowed), "δ is %.6g at %s of the ε", need.Lower, share)
	for b := range laws {
		for i, p := range laws[b] {
			largest = interval.Max(largest, ln(quo(p, laws[1-b][i])))
		}
	}
	t.Close(quo(largest, eps).Float().Lo, "")
}

// anOffset is a Δ for ε_0, ε_1 and δ_0, which is δ/(4T) in Theorem 4.4 and δ/(2R) in Theorem 4.6.
type anOffset func(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval

// printedOffset is that of the theorems, by both rooms.
func printedOffset(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval {
	fast := selection.CountOffset(eps0, eps1, delta0)
	twins(t, "Δ", spec.CountOffset(rat.Float64(eps0), rat.Float64(eps1), rat.Float64(delta0)), fast)
	return fast
}

// tailOffset is the one with which Lemma A.4 gives a share of δ_0 at a share of ε_0, if that is more.
func tailOffset(ofEps, ofDelta string) anOffset {
	return func(t *register.T, eps0, eps1, delta0 *big.Rat) interval.Interval {
		eps, delta := rat.Mul(rat.Of(ofEps), eps0), rat.Mul(rat.Of(ofDelta), delta0)
		lemma := mul(quo(add(exp(eps), 1), sub(exp(eps), 1)), quo(ln(new(big.Rat).Inv(delta)), eps))
		return interval.Max(printedOffset(t, eps0, eps1, delta0), lemma)
	}
}

// halfOffset and quarterOffset are those that correct the theorems.
var halfOffset, quarterOffset = tailOffset("1/2", "1"), tailOffset("1/4", "1/2")

// below returns the largest k/2^20 that meets a condition which the numbers below meet, too.
func below(meets func(p *big.Rat) bool) (*big.Rat, bool) {
	const steps = 1 << 20
	if !meets(new(big.Rat)) {
		return nil, false
	}
	low, high := 0, steps
	for high-low > 1 {
		if middle := (low + high) / 2; meets(big.NewRat(int64(middle), steps)) {
			low = middle
		} else {
			high = middle
		}
	}
	return big.NewRat(int64(low), steps), true
}

// misestimate is how far an estimate of 6000 samples must not be from what it estimates: by a value of a count, and by
// a factor of e^(move·ε_0) from its mean on, but with a share of δ, for δ_0 another share.
type misestimate struct {
	value                 func(k *big.Rat, offset interval.Interval) interval.Interval
	delta0, move, allowed *big.Rat
}

const estimated = 6000

// What is compared is Φ^(N,Δ) of a share of counts, or their number with Δ.
func oddsOfCount(k *big.Rat, offset interval.Interval) interval.Interval {
	return quo(add(k, offset), add(sub(estimated, k), offset))
}

func countAndOffset(k *big.Rat, offset interval.Interval) interval.Interval { return add(k, offset) }

// misestimates checks it with a share of Δ.
var misestimates = on("N = 6000, p in {1/10 | 1/4}; (ε_0, ε_1) in {(1/2, 1/10), (1/25, 9/10)}, δ in {1/100, 1/2}, "+
	"T = R = 2", func(t *register.T, share *big.Rat, m misestimate, offset anOffset, p, eps0, eps1, delta *big.Rat) {
	d := mul(share, offset(t, eps0, eps1, rat.Mul(m.delta0, delta)))
	t.In("Δ = %.6g", d.Upper)
	rising(t, m.far(p, rat.Mul(m.move, eps0), d), rat.Mul(m.allowed, delta))
})

// far returns the probability that a value is farther from that of the mean than e^move, above or below.
func (m misestimate) far(p, move *big.Rat, d interval.Interval) interval.Interval {
	bound, pr, law := mul(m.value(rat.Mul(rat.Int(estimated), p), d), exp(move)), num(0), binomialLaw(estimated, p)
	for i := range law {
		k := i
		if move.Sign() > 0 {
			k = estimated - i
		}
		x := m.value(rat.Int(k), d)
		if move.Sign() > 0 && x.Lower.Cmp(bound.Upper) <= 0 || move.Sign() < 0 && x.Upper.Cmp(bound.Lower) >= 0 {
			return pr
		}
		pr = add(pr, law[k])
	}
	return pr
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

// randomly checks that spec, impl and what is claimed do the same on random tapes, with random parameters.
func randomly(seed uint64, domain string, scores func(d register.Dice) float64,
	programs func(t *register.T, x *estimate, scores []float64, d register.Dice) []program) register.Check {
	return func(t *register.T) {
		n := t.Size(1000, 20000)
		t.Domain("%d tapes, T and R ≤ 5, N ≤ 40 samples; ε_0 in {1/10, 9/10}, ε_1 in {1/10, 9/10, 2}, ε_3 in {1, 50}, "+
			"δ in {1/1000, 1/2}, β in {1/10, 1/2}, p_* in {1/10, 1/2}; %s", n, domain)
		t.Random(seed, n, func(t *register.T, d register.Dice) {
			pick := func(xs ...string) *big.Rat { return rat.Of(xs[d.Roll(len(xs))]) }
			x := &estimate{pStar: pick("1/10", "1/2"), rounds: 1 + d.Roll(5),
				n: 1 + d.Roll(40), eps0: pick("1/10", "9/10"), eps1: pick("1/10", "9/10", "2"), eps3: pick("1", "50"),
				delta: pick("1/1000", "1/2"), beta: pick("1/10", "1/2")}
			draws, all := someDraws(d, func() float64 { return scores(d) })
			t.At("%+v, scores %v, draws %.4g", x.literalSearch(), all, draws)
			sameOnTape(t, draws, programs(t, x, all, d)...)
		})
	}
}

// claimedOffset returns Δ for ε_0, ε_1, and what is in its logarithm.
func claimedOffset(eps0, eps1, inLog float64) float64 {
	rise := math.Exp(eps0 + eps1)
	return 2 * (rise + 1 + math.Exp(eps0/2)) * math.Log(inLog) / (eps0 * (rise - 1))
}

// atOrAbove counts which of n samples reach a threshold, of those that repeat.
func atOrAbove(scores []float64, n int, tau float64) (k int) {
	for j := range n {
		if scores[j%len(scores)] >= tau {
			k++
		}
	}
	return k
}
