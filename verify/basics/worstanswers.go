package basics

import (
	"math"
	"math/big"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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
	var extend func(answers []place, left int)
	extend = func(answers []place, left int) {
		if len(answers) == k {
			if fails := 1 - o.accurate(answers, c); fails > p+1e-12 {
				p, worst = fails, append([]place{}, answers...)
			}
			return
		}
		for q := under; q <= over && (q == under || left > 0); q++ {
			rest := left
			if q != under {
				rest--
			}
			extend(append(answers, q), rest)
		}
	}
	extend(nil, c)
	return p, worst
}

// worstAnswers checks that the probabilities to fail are those of the worst answers of all on a grid, times what is
// claimed.
func worstAnswers(t *register.T, isNumeric bool, factor float64) {
	k := t.Size(4, 5)
	t.AlsoDomain("the probability to fail against the largest over all lists of up to %d answers in steps of α/2 from T "+
		"− α to T + α, and just outside, by quadrature: c up to 3, ε = 1, δ in {0, 1/10}, α in {3, 12, 40}", k)
	finite.Each3(rat.List("0", "1/10"), rat.List("3", "12", "40"), oneTo(3), func(delta, alpha *big.Rat, c int) {
		a, d := rat.Float64(alpha), rat.Float64(delta)
		sigma, right, fails := spec.SparseScale(c, 1, d), 1.0, failing(impl.SparseFailure)
		if isNumeric {
			first, second := spec.NumericSparseScales(c, 1, d)
			sigma, right, fails = first, -math.Expm1(-a/second), impl.NumericSparseFailure
		}
		o := newOutputs(a/(2*sigma), right)
		for n := 1; n <= k; n++ {
			t.Case()
			want, answers := o.worst(n, c)
			want *= factor
			p := fails(n, c, precise.Rat(alpha), rat.One, delta)
			t.Require(p.Hi >= want-1e-6 && p.Lo <= want+1e-6, "k = %d, c = %d, α = %s, δ = %s, ε = 1: it fails with "+
				"probability %.9g, answers %v with %.9g", n, c, alpha, delta, p.Hi, answers, want)
		}
	})
}
