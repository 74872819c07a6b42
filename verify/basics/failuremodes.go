package basics

import (
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// failureModes is what Section 3.6 says can go wrong in AboveThreshold.
func failureModes() register.Checks {
	answer := decay("2/3", "1/4")
	return register.Checks{
		"AFD-X19": register.Checked(register.All(register.With2(goesWrong, "1", answer), wrongOutput),
			register.AlsoHolds("by α/2 for each type of noise: e^(−εα/4) + e^(−εα/8)",
				register.With2(goesWrong, "1", split("1/4", "1/8"))),
			register.AlsoHolds("by α/3 for the threshold: 2e^(−εα/6)", register.With2(goesWrong, "1", split("1/6", "1/6"))),
			register.AlsoFails("", "however many answers are below T − α, one of them gets ⊤ with at most e^(−εα/4) + e^(−εα/8)",
				register.With(someBelow, split("1/4", "1/8"))),
			register.NearMiss("the first has at most 19/20·e^(−εα/2)", register.With2(goesWrong, "19/20", answer)),
			register.NearMiss("the others have at most 19/30·e^(−εα/4)", register.With2(goesWrong, "1", decay("19/30", "1/4"))),
		),
	}
}

// likely is a bound of a probability, by εα.
type likely func(x *big.Rat) interval.Interval

// decay is factor·e^(−rate·x).
func decay(factor, rate string) likely {
	return func(x *big.Rat) interval.Interval {
		return times(precise.ExpRat(minus(rat.Mul(rat.Of(rate), x))), rat.Of(factor))
	}
}

// split bounds the probability that the noise of the threshold takes a share of α, or the noise of the answer the rest.
func split(threshold, answer string) likely {
	return func(x *big.Rat) interval.Interval {
		return precise.Add(decay("1", threshold)(x), decay("1", answer)(x))
	}
}

// noiseOf returns the noise that spec asks for.
func noiseOf(eps *big.Rat) impl.SparseVectorLaw {
	tape := &finite.Tape{Draws: []float64{0}}
	register.Must(spec.AboveThreshold(0, sparseCase{answers: []float64{0}}.ask, 0, rat.Float64(eps), tape))
	return impl.SparseVectorLaw{RhoScale: new(big.Rat).SetFloat64(tape.Scales[0]),
		NuScale: new(big.Rat).SetFloat64(tape.Scales[1]), Cutoff: 1}
}

// firstAbove returns the probability that the answer number first, from 0, is the first to get ⊤, where T = 0; that
// none gets it, if there are only so many.
func firstAbove(law impl.SparseVectorLaw, answers []*big.Rat, first int) interval.Interval {
	var run []impl.Comparison
	for i := range min(first+1, len(answers)) {
		run = append(run, impl.Comparison{Query: answers[i], Threshold: new(big.Rat), Above: i == first})
	}
	p := register.Must(law.Probability(run, 1e-9))
	return p
}

// refuteAbove refutes that a probability is above its bound.
func refuteAbove(t *register.T, p, bound interval.Interval, what string) {
	t.Require(p.Lower.Cmp(bound.Upper) <= 0, "%s, with probability %.9g, claimed at most %.9g", what, p.Lower, bound.Upper)
	t.Close(rounded(p.Float().Lo/bound.Float().Hi), "%s", what)
}

// goesWrong checks each mode, for all short lists of answers: |T̂ − T| > α has a probability of at most
// threshold·e^(−εα/2), and a wrong output for one answer one of at most answer, by εα.
func goesWrong(t *register.T, threshold string, answer likely) {
	t.Domain("ε in {1/2, 1, 4}, εα in {1/4, 1, 4, 16, 60}, T = 0: 1 answer, for ε = 1 all lists of up to 3, of −α, α, " +
		"and 2 farther away")

	finite.Each2(weights, rat.List("1/4", "1", "4", "16", "60"), func(eps, x *big.Rat) {
		law, longest, alpha := noiseOf(eps), 1, rat.Quo(x, eps)
		if rat.Equal(eps, rat.One) {
			longest = 3
		}
		t.At("ε = %s, α = %s", eps, alpha)
		p, bound := isFar(alpha, law.RhoScale), decay(threshold, "1/2")(x)
		t.Require(p.Lower.Cmp(bound.Upper) <= 0, "|T̂ − T| > α with probability %.9g, claimed at most %.9g", p.Lower,
			bound.Upper)
		low, far := minus(alpha), rat.Int(2)
		for answers := range finite.Lists([]*big.Rat{low, alpha, rat.Sub(low, far), rat.Add(alpha, far)}, 1, longest) {
			t.At("ε = %s, α = %s, answers %s", eps, alpha, answers)
			below, above, many := wrongOutputs(law, answers)
			refuteAbove(t, below, times(answer(x), rat.Int(max(1, many))), "⊤ below T − α")
			refuteAbove(t, above, answer(x), "⊥ above T + α")
		}
	})
}

// wrongOutputs returns the probabilities that some answer below 0 gets ⊤, and that some above gets ⊥, and how many are
// below.
func wrongOutputs(law impl.SparseVectorLaw,
	answers []*big.Rat) (below, above interval.Interval, many int) {
	below, above = precise.Int(0), precise.Int(0)
	passed := false // one above has got ⊥
	for i := range len(answers) + 1 {
		p := firstAbove(law, answers, i)
		if passed {
			above = precise.Add(above, p)
		}
		switch {
		case i == len(answers):
		case answers[i].Sign() < 0:
			below, many = precise.Add(below, p), many+1
		default:
			passed = true
		}
	}
	return below, above, many
}

// wrongOutput checks that at T − α, and at T + α, a single answer gets the wrong output with the probability (4y −
// y²)/6.
func wrongOutput(t *register.T) {
	t.AlsoDomain("(4y − y²)/6 for 1 answer")
	law := noiseOf(rat.One)
	for _, x := range rat.List("1/4", "1", "4", "16", "60") {
		t.Case()
		want := wrongTail(decay("1", "1/4")(x))
		for i, answer := range []*big.Rat{minus(x), x} {
			p := firstAbove(law, []*big.Rat{answer}, i)
			t.Require(rat.Meet(p, want), "ε = 1, α = %s: a wrong output has the probability %.12g, claimed %.12g", x, p.Lower,
				want.Upper)
		}
	}
}

// wrongTail returns (4y − y²)/6.
func wrongTail(y interval.Interval) interval.Interval {
	return precise.Quo(precise.Mul(y, precise.Sub(precise.Int(4), y)), precise.Int(6))
}

// someBelow checks a bound for one of many answers at T − α.
func someBelow(t *register.T, bound likely) {
	t.Domain("ε = 1, α in {16, 24}, 1, 4, 16, 64 answers at T − α")
	law := noiseOf(rat.One)
	finite.Each2(rat.List("16", "24"), []int{1, 4, 16, 64}, func(alpha *big.Rat, k int) {
		t.At("α = %s, %d answers at T − α", alpha, k)
		p := precise.Sub(precise.Int(1), firstAbove(law, slices.Repeat([]*big.Rat{minus(alpha)}, k), k))
		refuteAbove(t, p, bound(alpha), "one gets ⊤")
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
			t.Require(p.Hi >= want-1e-6 && p.Lo <= want+1e-6,
				"k = %d, c = %d, α = %s, δ = %s, ε = 1: it fails with probability %.9g, answers %v with %.9g", n, c, alpha, delta,
				p.Hi, answers, want)
		}
	})
}
