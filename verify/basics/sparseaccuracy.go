package basics

import (
	"fmt"
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// failing returns the exact probability that an algorithm fails at α, for k queries of which c are above.
type failing func(k, c int, alpha interval.Interval, eps, delta *big.Rat) interval.Float

// accuracy is a claim of accuracy: an α, and the exact probability to fail at it.
type accuracy struct {
	deltas string
	most   int // c up to that
	alpha  func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval
	fails  failing
}

// isAccurate checks that an algorithm fails with probability at most β at the α that is claimed, and that this
// probability is known.
func isAccurate(t *register.T, a accuracy) {
	finite.Each(t, "(k, ε) in {(1, 1), (2, 1/2), (1000000, 1) | (100, 3)}, c in {1, 5 | 2}, "+
		"β in {1/10, 1e-20 | 99/100}, δ in {"+a.deltas+"}; a larger ε makes α smaller by as much, and all noise",
		func(at string, k int, eps *big.Rat, c int, beta, delta *big.Rat) {
			if c > a.most {
				return
			}
			t.At("%s", at)
			alpha := a.alpha(t, k, c, beta, eps, delta)
			p := a.fails(k, c, alpha, eps, delta)
			t.Require(p.Lo <= rat.Float64(beta) && p.Hi <= p.Lo*1.001,
				"at α = %.9g it fails with a probability in [%.9g, %.9g]", alpha.Upper, p.Lo, p.Hi)
			t.Close(p.Lo/rat.Float64(beta), "")
		})
}

// leastOf checks that the smallest α of a setting is that where the probability of failure, which two programs give, is
// β: at its upper end it is at most β, and a thousandth below its lower end it is more.
func leastOf(t *register.T, least func(impl.SparseSetting) interval.Interval, fails failing) {
	finite.Each(t, "the smallest α for (k, c) in {(1, 1), (3, 2) | (100, 5)}, β in {1/3 | 1/1000}, ε = 3, "+
		"δ in {0, 1/10}", func(k, c int, beta, delta *big.Rat) {
		s := impl.SparseSetting{Queries: k, Above: c, Beta: beta, Eps: rat.Int(3), Delta: delta}
		alpha := least(s)
		at := func(x *big.Rat) float64 { return fails(k, c, precise.Rat(x), s.Eps, delta).Lo }
		enough, short := at(rat.Exact(alpha.Upper)), at(rat.Mul(rat.Of("0.999"), rat.Exact(alpha.Lower)))
		t.Require(enough <= rat.Float64(beta) && short > rat.Float64(beta),
			"it fails with probability %.9g at α = %.9g, and %.9g a thousandth below", enough, alpha.Upper, short)
	})
}

// sparseAccuracy has a share of the printed α.
func sparseAccuracy(share string) accuracy {
	return accuracy{"0, 1e-6, 9/10", 5, func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval {
		alpha := impl.SparseAccuracy(k, c, beta, eps, delta)
		isAbout(t, "α", alpha, spec.SparseAccuracy(k, c, rat.Float64(beta), rat.Float64(eps), rat.Float64(delta)))
		sparseScales(t, c, eps, delta, 1e-12)
		return times(alpha, rat.Of(share))
	}, impl.SparseFailure}
}

// numericAccuracy has a share of the printed α or, corrected and if δ > 0, the larger of that and σ(ε_2)·ln(2c/β).
func numericAccuracy(share, deltas string, isCorrected bool) accuracy {
	return accuracy{deltas, 5, func(t *register.T, k, c int, beta, eps, delta *big.Rat) interval.Interval {
		alpha := impl.NumericSparseAccuracy(k, c, beta, eps, delta)
		isAbout(t, "α", alpha, spec.NumericSparseAccuracy(k, c, rat.Float64(beta),
			rat.Float64(eps), rat.Float64(delta)))
		scales := numericScales(t, c, eps, delta, 1e-12)
		if isCorrected && delta.Sign() > 0 {
			alpha = interval.Max(alpha, precise.Mul(scales[1], precise.Log(rat.Quo(rat.Int(2*c), beta))))
		}
		return times(alpha, rat.Of(share))
	}, impl.NumericSparseFailure}
}

// rarely checks small probabilities to fail by the law of the outputs, for 2c answers just below T − α and just above T
// + α in turn.
var rarely = on("small probabilities to fail by the law of the outputs: "+
	"k = 2c, c in {1, 2, 3}, ε = 1, δ = 0, α/c in {90, 200}",
	func(t *register.T, c int, alpha *big.Rat) {
		alpha = rat.Mul(rat.Int(c), alpha)
		// T̂ is drawn again after each ⊤
		law := impl.SparseVectorLaw{RhoScale: rat.Int(2 * c), NuScale: rat.Int(4 * c), Cutoff: 1}
		right := register.Must(law.Probability(runOf([]*big.Rat{minus(alpha), alpha}, true), 1e-50))
		want := complement(precise.Power(right, c)).Float()
		p := impl.SparseFailure(2*c, c, precise.Rat(alpha), rat.One, new(big.Rat))
		t.Require(p.Hi >= want.Lo && p.Lo <= want.Hi && p.Hi <= p.Lo*1.001,
			"it fails with a probability in [%.9g, %.9g], by the law of the outputs in [%.9g, %.9g]",
			p.Lo, p.Hi, want.Lo, want.Hi)
	})

// haltsEarly checks AFD-T3.26 to the letter: for c = 1, k = 2 and f_1 = T + α, it is not to halt before f_2.
func haltsEarly(t *register.T) {
	a := sparseAccuracy("1")
	finite.Each(t, "c = 1, k = 2, f_1(D) = T + α, f_2(D) far below T, ε = 1, β in {1/10, 1/2}, δ in {0, 1e-6}",
		func(beta, delta *big.Rat) {
			stays := a.fails(1, 1, a.alpha(t, 2, 1, beta, rat.One, delta), rat.One, delta) // ⊥ for an answer of T + α
			halts := 1 - stays.Hi
			t.Require(halts <= rat.Float64(beta), "it halts before f_2 with probability at least %.9g", halts)
		})
}

// place is where an answer is, in units of α/2 from T. What is from T − α to T + α may get ⊤ or ⊥.
type place int

const (
	under place = -3 // just below T − α: is to get ⊥
	over  place = 3  // just above T + α: is to get ⊤
)

func (p place) String() string {
	return [...]string{"just below T − α", "T − α", "T − α/2", "T", "T + α/2", "T + α", "just above T + α"}[p-under]
}

// stretch is a run of AboveThreshold: how many answers at each place get ⊥, and which gets ⊤ then, if one does.
type stretch struct {
	low [over - under + 1]int
	top place
	any bool // one gets ⊤
}

// outputs is the law of all outputs of Sparse or NumericSparse, one run of AboveThreshold after the other.
type outputs struct {
	right   float64                     // the probability that a number is off by at most α
	density []float64                   // of (T̂ − T)/(2σ), at the points of a quadrature, times their weights
	low     [over - under + 1][]float64 // the probability that an answer gets ⊥ there
	known   map[stretch]float64
}

// newOutputs returns the law for x = α/(2σ). The points are those of Simpson's rule between the places, where all is
// smooth.
func newOutputs(x, right float64) outputs {
	const n = 300
	o := outputs{right: right, known: map[stretch]float64{}}
	ends := []float64{-x - 12, -x, -x / 2, 0, x / 2, x, x + 12}
	for i, from := range ends[:len(ends)-1] {
		h := (ends[i+1] - from) / n
		for j := range n + 1 {
			t, weight := from+float64(j)*h, h/3*float64(2+2*(j%2))
			if j == 0 || j == n {
				weight = h / 3
			}
			o.density = append(o.density, weight*math.Exp(-2*math.Abs(t)))
			for q := under; q <= over; q++ {
				d := t - float64(max(-2, min(q, 2)))*x/2
				o.low[q-under] = append(o.low[q-under], 0.5+math.Copysign(-math.Expm1(-math.Abs(d))/2, d))
			}
		}
	}
	return o
}

// accurate returns the probability of outputs that are α-accurate, where up to c may be ⊤.
func (o outputs) accurate(answers []place, c int) float64 {
	if c == 0 {
		return 1
	}
	sum, s := 0.0, stretch{}
	for i, q := range answers {
		if q != under {
			ends := stretch{s.low, q, true}
			sum += o.probability(ends) * o.right * o.accurate(answers[i+1:], c-1)
		}
		if q == over {
			return sum
		}
		s.low[q-under]++
	}
	return sum + o.probability(s)
}

// probability returns that of a run.
func (o outputs) probability(s stretch) float64 {
	if p, ok := o.known[s]; ok {
		return p
	}
	sum := 0.0
	for i, p := range o.density {
		for q, n := range s.low {
			for range n {
				p *= o.low[q][i]
			}
		}
		if s.any {
			p *= 1 - o.low[s.top-under][i]
		}
		sum += p
	}
	o.known[s] = sum
	return sum
}

// worst returns the most that lists of k answers fail, of which at most c are not below T − α, and such a list.
func (o outputs) worst(k, c int) (p float64, worst []place) {
	p = -1
	for answers := range finite.Tuples([]place{under, -2, -1, 0, 1, 2, over}, k) {
		left := c
		for _, q := range answers {
			if q != under {
				left--
			}
		}
		if left < 0 {
			continue
		}
		if fails := 1 - o.accurate(answers, c); fails > p+1e-12 {
			p, worst = fails, answers
		}
	}
	return p, worst
}

// worstAnswers checks that the probabilities to fail are those of the worst answers of all on a grid, times what is
// claimed.
func worstAnswers(t *register.T, isNumeric bool, factor float64) {
	k := t.Size(3, 5)
	finite.Each(t, fmt.Sprintf("the probability to fail against the largest "+
		"over all lists of up to %d answers in steps of α/2 from T − α to T + α, and just outside, by quadrature: "+
		"δ in {0, 1/10}, α in {3, 12, 40}, c in {1, 2, 3}, ε = 1", k), func(at string, delta, alpha *big.Rat, c int) {
		a, d := rat.Float64(alpha), rat.Float64(delta)
		sigma, right, fails := spec.SparseScale(c, 1, d), 1.0, failing(impl.SparseFailure)
		if isNumeric {
			first, second := spec.NumericSparseScales(c, 1, d)
			sigma, right, fails = first, -math.Expm1(-a/second), impl.NumericSparseFailure
		}
		o := newOutputs(a/(2*sigma), right)
		for n := 1; n <= k; n++ {
			t.At("%s, k = %d", at, n)
			want, answers := o.worst(n, c)
			want *= factor
			p := fails(n, c, precise.Rat(alpha), rat.One, delta)
			t.Require(p.Hi >= want-1e-6 && p.Lo <= want+1e-6, "it fails with probability %.9g, answers %v with %.9g",
				p.Hi, answers, want)
		}
	})
}

// runsAddUp checks that Sparse fails at most share·c times as often as the worst run that begins at one of the answers.
var runsAddUp = on("all lists of 4 answers just outside of T − α and T + α, δ in {0, 1/10}, α in {3, 40}, "+
	"c in {1, 2, 3}, ε = 1",
	func(t *register.T, share float64, at string, delta, alpha float64, c int) {
		o := newOutputs(alpha/(2*spec.SparseScale(c, 1, delta)), 1)
		for answers := range finite.Tuples([]place{under, over}, 4) {
			t.At("%s, answers %v", at, answers)
			each := 0.0
			for i := range answers {
				each = max(each, 1-o.accurate(answers[i:], 1))
			}
			fails, bound := 1-o.accurate(answers, c), share*float64(c)*each
			t.Require(fails <= bound+1e-9, "it fails with probability %.9g, claimed are %.9g", fails, bound)
		}
	})

// haltsBefore checks that Sparse halts before f_2 no more often than its one run fails.
func haltsBefore(t *register.T) {
	at := "c = 1, k = 2, ε = 1, δ = 0, α = 40, f_1(D) just above T + α, f_2(D) just below T − α"
	t.Domain("%s", at)
	t.At("%s", at)
	runs := newOutputs(40/(2*spec.SparseScale(1, 1, 0)), 1).accurate([]place{over, under}, 1)
	t.Require(runs <= 1-runs, "it halts before f_2 with probability %.9g, claimed are %.3g", runs, 1-runs)
}

// sparseAtNumeric has the α of NumericSparse for δ = 0, and Sparse.
var sparseAtNumeric = accuracy{"0", 5, numericAccuracy("1", "0", false).alpha, impl.SparseFailure}
