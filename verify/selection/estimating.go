package selection

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// overtakes returns Pr[ξ + g ≥ ν] for ξ ∼ Lap(b) and ν ∼ Lap(b/2): with u = |g|/b, (4e^−u − e^−2u)/6 on the side that g
// is not.
func overtakes(g interval.Interval, b *big.Rat) interval.Interval {
	at := func(x *big.Float) interval.Interval {
		u := precise.Quo(interval.New(x, x), exactly(b))
		e := precise.Exp(precise.Neg(abs(u)))
		tail := precise.Quo(precise.Sub(precise.Mul(precise.Int(4), e), precise.Mul(e, e)), precise.Int(6))
		if x.Sign() < 0 {
			return tail
		}
		return precise.Sub(precise.Int(1), tail)
	}
	return interval.New(at(g.Lower).Lower, at(g.Upper).Upper)
}

// estimating is a place where the algorithm with samples is: its parameters with N, β, Δ, ln Φ^(N,Δ)(p_*), and 4S/ε_3.
type estimating struct {
	impl.SampledPercentile
	beta   *big.Rat
	offset interval.Interval
	star   interval.Interval
	scale  *big.Rat
}

func newEstimating(with impl.SampledPercentile, beta *big.Rat, offset interval.Interval) *estimating {
	x := &estimating{SampledPercentile: with, beta: beta, offset: offset}
	x.scale = rat.Quo(rat.Mul(rat.Int(8), rat.Add(x.Eps0, x.Eps1)), x.Eps3)
	x.star = x.logOdds(x.PStar)
	return x
}

// gap returns ln Φ^(N,Δ)(k/N) − ln Φ^(N,Δ)(p_*).
func (x *estimating) gap(k int) interval.Interval {
	return precise.Sub(x.logOdds(big.NewRat(int64(k), int64(x.N))), x.star)
}

func (x *estimating) String() string {
	return fmt.Sprintf("ε_0 = %s, ε_1 = %s, ε_3 = %s, δ = %s, β = %s, T = %d, N = %d, p_* = %s", rat.Show(x.Eps0),
		rat.Show(x.Eps1), rat.Show(x.Eps3), rat.Show(x.Delta), rat.Show(x.beta), x.T, x.N, rat.Show(x.PStar))
}

// logOdds returns ln Φ^(N,Δ)(p).
func (x *estimating) logOdds(p *big.Rat) interval.Interval {
	return precise.LogOf(impl.SmoothedOdds(p, x.N, x.offset))
}

// reports returns the probability that one query with the probability p is ⊤, whatever came before.
func (x *estimating) reports(p *big.Rat) interval.Interval {
	return mean(binomialLaw(x.N, p), func(k int) interval.Interval { return overtakes(x.gap(k), x.scale) })
}

// mean returns the mean of probabilities under a law. Those of what hardly happens are taken to be anything from 0 to
// 1.
func mean(law []interval.Interval, pr func(k int) interval.Interval) interval.Interval {
	sum, rare := precise.Int(0), new(big.Float).SetMantExp(big.NewFloat(1), -100)
	for k, p := range law {
		if p.Upper.Cmp(rare) < 0 {
			sum = precise.Add(sum, interval.New(new(big.Float), p.Upper))
			continue
		}
		sum = precise.Add(sum, precise.Mul(p, pr(k)))
	}
	return sum
}

// shift returns e^(sign·ε_0)·((R + 1)/β)^(sign·6S/ε_3).
func (x *estimating) shift(r, sign int) interval.Interval {
	exponent := rat.Mul(rat.Of("3/2"), x.scale) // 6S/ε_3
	log := precise.Mul(exactly(exponent), precise.Log(rat.Quo(rat.Int(r+1), x.beta)))
	return precise.Exp(precise.Mul(precise.Int(int64(sign)), precise.Add(exactly(x.Eps0), log)))
}

// estimatings goes through places with the N of Theorem 4.4, for ε_3 so large that it is not huge; in the last there is
// hardly any noise.
func estimatings(t *register.T, offset anOffset, visit func(x *estimating)) {
	t.AlsoDomain("T = 2, (ε_0, ε_1, ε_3, δ, β, p_*) in {(1/2, 1/10, 72/5, 1/2, 1/2, 1/2), (9/10, 1/10, 24, 9/10, 1/10, " +
		"1/4), (7/100, 9/10, 100000, 1/1000, 1/10000, 1/2)}, and the N of the theorem")
	for _, v := range [][]*big.Rat{rat.List("1/2", "1/10", "72/5", "1/2", "1/2", "1/2"),
		rat.List("9/10", "1/10", "24", "9/10", "1/10", "1/4"), rat.List("7/100", "9/10", "100000", "1/1000", "1/10000",
			"1/2")} {
		with := impl.SampledPercentile{Eps0: v[0], Eps1: v[1], Eps3: v[2], Delta: v[3], PStar: v[5], T: 2}
		n, delta0 := impl.PercentileSamples(with, v[4]), rat.Quo(v[3], rat.Int(4*with.T))
		larger := offset(t, v[0], v[1], delta0)
		with.N = samplesFor(n, larger, printedOffset(t, v[0], v[1], delta0))
		same := spec.SampledPercentile{PStar: rat.Float64(v[5]), T: 2, Eps0: rat.Float64(v[0]), Eps1: rat.Float64(v[1]),
			Eps3: rat.Float64(v[2]), Delta: rat.Float64(v[3])}
		x := newEstimating(with, v[4], larger)
		if literal := math.Ceil(spec.PercentileSamples(same, rat.Float64(v[4]))); literal != float64(n.Int64()) {
			t.Refute("%v: N is %d by impl, %g by spec", x, n, literal)
		}
		if literal, fast := spec.SmoothedOdds(0.25, with.N, x.offset.Float().Hi), impl.SmoothedOdds(rat.Of("1/4"), with.N,
			x.offset); !isNear(literal, fast) {
			t.Refute("%v: Φ(1/4) is %.9g by impl, %.9g by spec", x, fast.Upper, literal)
		}
		visit(x)
	}
}

// sampledLoss checks ε_3 and δ, or a share of ε_3 alone, where candidates are randomized response.
func sampledLoss(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("(ε_0, ε_1) in {(1/2, 1/10), (1/10, 9/10)}, ε_3 = 1, δ in {1/1000, 1/2}, p_* in {1/10, 1/2}; T = 2: the " +
			"first of two queries with N in {1, 4, 300}, and two with N in {1, 4}")
		for _, v := range [][]*big.Rat{rat.List("1/2", "1/10", "4751/10000", "5249/10000"),
			rat.List("1/10", "9/10", "2891/10000", "7109/10000")} {
			for _, delta := range rat.List("1/1000", "1/2") {
				for _, star := range rat.List("1/10", "1/2") {
					for _, n := range []int{1, 4, 300} {
						x := newEstimating(impl.SampledPercentile{PStar: star, T: 2, N: n, Eps0: v[0], Eps1: v[1], Eps3: rat.One,
							Delta: delta}, rat.Half, impl.CountOffset(v[0], v[1], rat.Mul(rat.Of("1/8"), delta)))
						if literal := spec.CountOffset(rat.Float64(v[0]), rat.Float64(v[1]), rat.Float64(delta)/8); !isNear(literal/1e3,
							precise.Quo(x.offset, precise.Int(1000))) {
							t.Refute("%v: Δ is %.12g by impl, %.12g by spec", x, x.offset.Upper, literal)
						}
						if literal, fast := spec.SmoothedOdds(1, n, x.offset.Float().Hi), impl.SmoothedOdds(rat.One, n,
							x.offset); !isNear(literal, fast) {
							t.Refute("%v: Φ(1) is %.12g by impl, %.12g by spec", x, fast.Upper, literal)
						}
						low, high := x.reports(v[2]), x.reports(v[3])
						one := precise.Int(1)
						x.checkClose(t, share, [2][]interval.Interval{{high, precise.Sub(one, high)}, {low, precise.Sub(one, low)}})
						if n <= 4 {
							x.checkClose(t, share, [2][]interval.Interval{x.outputs(t, v[2], v[3]), x.outputs(t, v[3], v[2])})
						}
					}
				}
			}
		}
	}
}

// outputs returns the probabilities of (⊤), (⊥, ⊤) and (⊥, ⊥) for two queries. The gaps are rounded outward: (⊥, ⊤)
// rises in the second, falls in the first.
func (x *estimating) outputs(t *register.T, first, second *big.Rat) []interval.Interval {
	law := impl.SparseVectorLaw{RhoScale: rat.Mul(rat.Half, x.scale), NuScale: x.scale, Cutoff: 1}
	near := func(g interval.Interval) (low, high *big.Rat) {
		const steps = 1 << 40
		middle := big.NewRat(int64(math.Round(g.Float().Hi*steps)), steps)
		return rat.Sub(middle, big.NewRat(2, steps)), rat.Add(middle, big.NewRat(2, steps))
	}
	pr := func(a, b *big.Rat) interval.Interval {
		p, err := law.Probability([]impl.Comparison{{Query: a, Threshold: new(big.Rat)},
			{Query: b, Threshold: new(big.Rat), Above: true}}, 1e-15)
		t.Must(err)
		return p
	}
	late := precise.Int(0)
	for j, p := range binomialLaw(x.N, first) {
		lowFirst, highFirst := near(x.gap(j))
		for k, q := range binomialLaw(x.N, second) {
			lowSecond, highSecond := near(x.gap(k))
			both := interval.New(pr(highFirst, lowSecond).Lower, pr(lowFirst, highSecond).Upper)
			late = precise.Add(late, precise.Mul(precise.Mul(p, q), both))
		}
	}
	early := x.reports(first)
	return []interval.Interval{early, late, precise.Sub(precise.Int(1), precise.Add(early, late))}
}

func (x *estimating) checkClose(t *register.T, share *big.Rat, laws [2][]interval.Interval) {
	checkEpsDelta(t, share, x.Eps3, x.Delta, laws, fmt.Sprintf("%v, %d outputs", x, len(laws[0])))
}

// checkEpsDelta refutes laws that are not (share·ε, δ)-close, or (share·ε, 0)-close for a share below 1.
func checkEpsDelta(t *register.T, share, eps, delta *big.Rat, laws [2][]interval.Interval, at string) {
	t.Case()
	rise := precise.ExpRat(rat.Mul(share, eps))
	allowed := new(big.Rat)
	if rat.Equal(share, rat.One) {
		allowed = delta
	}
	for b := range laws {
		need, largest := precise.Int(0), precise.Int(0)
		for i, p := range laws[b] {
			need = precise.Add(need, precise.Max0(precise.Sub(p, precise.Mul(rise, laws[1-b][i]))))
			largest = interval.Max(largest, precise.LogOf(precise.Quo(p, laws[1-b][i])))
		}
		if rat.IsAbove(need, allowed) {
			t.Refute("%s: δ is %.6g at %s of the ε", at, need.Lower, rat.Show(share))
		}
		t.Close(precise.Quo(largest, exactly(eps)).Float().Lo, "%s", at)
	}
}
