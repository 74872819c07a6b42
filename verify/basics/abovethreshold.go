package basics

import (
	"fmt"
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

// aboveThresholds are the statements of Section 3.6 on AboveThreshold.
func aboveThresholds() register.Checks {
	loses := rat.Of("0.999")
	return register.Checks{
		"AFD-X18": register.Checked(register.All(register.With(thresholdsOfEach, 1), register.With(degrades, rat.One)),
			register.NearMiss("f_i less 31/32 of T_i is asked", register.With(thresholdsOfEach, 31.0/32)),
			register.NearMiss("c runs lose up to 0.999·cε", register.With(degrades, loses)),
		),
		"AFD-A1": register.Checked(register.With2(sparseTwins, aboveThreshold, variant{}),
			register.Control("it goes on after ⊤", register.With2(sparseTwins, aboveThreshold, variant{extra: 1})),
			register.NearMiss("⊤ if f_i(D) + ν_i > T̂", register.With2(sparseTwins, aboveThreshold, variant{strict: true})),
			register.NearMiss("T̂ = T + Lap(2.1/ε)", register.With2(sparseTwins, aboveThreshold, variant{noise: 0.05})),
		),
		"AFD-T3.23": register.Checked(register.With(aboveThresholdIsDP, rat.One),
			register.NearMiss("it is 0.999·ε-DP", register.With(aboveThresholdIsDP, loses)),
		),
		"AFD-T3.24": register.Checked(register.All(register.With(isAccurate, aboveThresholdAccuracy("1")), leastIsLeast),
			register.AlsoHolds("log is that to base 2", register.With(isAccurate, aboveThresholdAccuracy("1.4426"))),
			register.AlsoHolds("half of α", register.With(isAccurate, aboveThresholdAccuracy("1/2"))),
			register.NearMiss("9/20 of α", register.With(isAccurate, aboveThresholdAccuracy("9/20"))),
		),
	}
}

// thresholdsOfEach checks that Sparse with f_i less a share of T_i, and a threshold of 0, gives the outputs of c runs
// with one ⊤ each and with thresholds T_i, one after the other, in both rooms. All numbers are dyadic, so that no sum
// is rounded.
func thresholdsOfEach(t *register.T, share float64) {
	n := t.Size(1500, 50000)
	t.Domain("%d tapes, up to 10 queries with thresholds of their own, answers that depend on the outputs, c ≤ 3, ε in "+
		"{1/4, 1, 2}", n)
	t.Random(6, n, func(t *register.T, d register.Dice) {
		c, eps := 1+d.Roll(3), []float64{1, 0.25, 2}[d.Roll(3)]
		length := d.Roll(11)
		draws, answers, thresholds := drawn(d, 12, 8, 0.125), drawn(d, length, 8, 0.125), drawn(d, 10, 8, 0.125)
		next := func(a []bool) (f, threshold float64, stop bool) {
			if len(a) == len(answers) {
				return 0, 0, true
			}
			i := len(a)
			for _, above := range a { // each ⊤ leads to another query
				i += map[bool]int{true: 1}[above]
			}
			return 8 / eps * answers[i%len(answers)], 8 / eps * thresholds[i%len(thresholds)], false
		}
		one := func(_ int, a []bool) (f float64, stop bool) {
			f, threshold, stop := next(a)
			return f - share*threshold, stop
		}
		together, apart := tapes(draws), tapes(draws)
		literal := register.Must(spec.Sparse(0, one, 0, c, eps, 0, together[0]))
		fast := register.Must(impl.Sparse(0, one, 0, c, eps, 0, together[1]))
		scale := 2 * float64(c) // over ε, that of T̂; that of ν is twice as much
		each := inRounds(t, next, c, func(ask asking) ([]bool, error) {
			return spec.SparseVector(0, ask, scale, 1, eps, eps, apart[0])
		})
		eachFast := inRounds(t, next, c, func(ask asking) ([]bool, error) {
			return impl.SparseVector(0, ask, scale, 1, eps, eps, apart[1])
		})
		t.Require(slices.Equal(literal, each) && slices.Equal(fast, eachFast) && slices.Equal(each, eachFast),
			"ε = %g, c = %d, answers %v and thresholds %v times %g, draws %v: %v with thresholds of each by spec, %v by impl; "+
				"with one %v and %v", eps, c, answers, thresholds, 8/eps, draws, arrows(each), arrows(eachFast), arrows(literal),
			arrows(fast))
	})
}

// asking is an analyst who says which threshold a query has.
type asking = func(x int, a []bool) (f, threshold float64, stop bool)

// inRounds returns the outputs of c runs, one after the other.
func inRounds(t *register.T, next func(a []bool) (f, threshold float64, stop bool), c int,
	run func(ask asking) ([]bool, error)) (all []bool) {
	for range c {
		outputs := register.Must(run(func(_ int, a []bool) (float64, float64, bool) { return next(slices.Concat(all, a)) }))
		all = append(all, outputs...)
	}
	return all
}

// degrades checks that c runs of AboveThreshold, each with T̂ of its own, lose at most a share of cε where a search
// finds that one run loses most.
func degrades(t *register.T, share *big.Rat) {
	t.AlsoDomain("the losses of c in {1, 2, 5} runs of up to 1, 8 and 24 queries that a search finds to lose most, ε in " +
		"{1/2, 1, 4}")

	finite.Each3(weights, []int{1, 8, 24}, []int{1, 2, 5}, func(eps *big.Rat, most, c int) {
		t.At("ε = %s, c = %d, up to %d queries each", eps, c, most)
		_, each, err := impl.ClosestRun(noiseOf(eps), 1, most)
		t.Must(err)
		all, bound := times(each, rat.Int(c)), rat.Product(share, rat.Int(c), eps)
		t.Within(all, bound, "a loss of at least %.9g, claimed %s", all.Lower, bound)
	})
}

// aboveThresholdIsDP checks the losses of all outputs, for small lists of answers, and for those a search finds to lose
// most.
func aboveThresholdIsDP(t *register.T, share *big.Rat) {
	n := t.Size(2, 3)
	t.Domain("ε in {1/2, 1, 4}; all lists of up to %d answers in {−2, 0, 1} that change by up to 1, all outputs; the "+
		"run of up to 24 queries that a search finds to lose most", n)
	for _, eps := range weights {
		law := noiseOf(eps)
		try := func(runs [2][]impl.Comparison) {
			t.Case()
			l := register.Must(law.Loss(runs[0], runs[1], 1e-9))
			t.Require(!rat.IsAbove(l, rat.Mul(share, eps)), "ε = %s: the outputs of %s have a loss of at least %.9g", eps,
				showRuns(runs), l.Lower)
			t.Close(rounded(l.Float().Lo/rat.Float64(rat.Mul(share, eps))), "ε = %s, %s", eps, showRuns(runs))
		}
		for above := range 2 {
			runs, _, err := impl.ClosestRun(law, above, 24)
			t.Must(err)
			try(runs)
		}
		for l := 1; l <= n; l++ {
			smallRuns(l, try)
		}
	}
}

// smallRuns goes through the lists of l answers that change by up to 1, with ⊥ to all of them, and with ⊤ to the last.
func smallRuns(l int, try func(runs [2][]impl.Comparison)) {
	var extend func(runs [2][]impl.Comparison)
	extend = func(runs [2][]impl.Comparison) {
		outputs := []bool{false, true}
		if len(runs[0]) == l {
			try(runs)
			return
		}
		if len(runs[0]) < l-1 {
			outputs = outputs[:1]
		}
		finite.Each3([]int{-2, 0, 1}, []int{-1, 0, 1}, outputs, func(q, change int, above bool) {
			var longer [2][]impl.Comparison
			for b, answer := range rats(q, q+change) {
				longer[b] = append(slices.Clip(runs[b]), impl.Comparison{Query: answer, Threshold: new(big.Rat), Above: above})
			}
			extend(longer)
		})
	}
	extend([2][]impl.Comparison{})
}

func showRuns(runs [2][]impl.Comparison) string {
	var text [2]string
	for b, run := range runs {
		for _, c := range run {
			text[b] += " " + rat.Show(c.Query)
		}
	}
	return fmt.Sprintf("answers%s and%s, T = 0, ⊤ to the last: %t", text[0], text[1], runs[0][len(runs[0])-1].Above)
}

func aboveThresholdAccuracy(share string) accuracy {
	return accuracy{rat.List("0"), 1, func(t *register.T, k, _ int, beta, eps, _ *big.Rat) interval.Interval {
		alpha := impl.AboveThresholdAccuracy(k, beta, eps)
		isAbout(t, "α", alpha, spec.AboveThresholdAccuracy(k, rat.Float64(beta), rat.Float64(eps)))
		return times(alpha, rat.Of(share))
	}, func(k, _ int, alpha interval.Interval, eps, _ *big.Rat) interval.Float {
		return impl.AboveThresholdFailure(k, alpha, eps)
	}}
}

// leastIsLeast checks the smallest α for one query, where the probability is (4y − y²)/6 with y = e^(−εα/4), and that
// it is known.
func leastIsLeast(t *register.T) {
	t.AlsoDomain("the smallest α for k = 1 by its closed form, and for k = 2 by the law of the outputs")
	isNear := func(x, want, width float64) bool { return math.Abs(x/want-1) <= width }
	for _, beta := range rat.List("1/1000", "1/10", "1/3") {
		t.At("β = %s", beta)
		least := impl.LeastAlpha(func(alpha interval.Interval) interval.Float {
			return impl.AboveThresholdFailure(1, alpha, rat.One)
		}, beta)
		third := impl.ExactAboveThresholdAccuracy(impl.SparseSetting{Queries: 1, Above: 1, Beta: beta, Eps: rat.Int(3),
			Delta: new(big.Rat)}).Float()
		t.Require(isNear(3*third.Hi, least.Hi, 1e-12) && isNear(3*third.Lo, least.Lo, 1e-12),
			"k = 1, ε = 3: the smallest α is in [%.9g, %.9g], which is not a third of that for ε = 1", third.Lo, third.Hi)
		want := -4 * math.Log(2-math.Sqrt(4-6*rat.Float64(beta)))
		t.Require(isNear(least.Hi, want, 1e-4) && isNear(least.Lo, want, 1e-4),
			"k = 1, ε = 1: the smallest α is in [%.9g, %.9g], by the closed form %.9g", least.Lo, least.Hi, want)
		alpha := rat.Int(5)
		right := firstAbove(impl.SparseVectorLaw{RhoScale: rat.Int(2), NuScale: rat.Int(4), Cutoff: 1},
			[]*big.Rat{minus(alpha), alpha}, 1)
		p := impl.AboveThresholdFailure(2, precise.Rat(alpha), rat.One)
		fails := 1 - right.Float().Hi
		t.Require(isNear(p.Lo, fails, 1e-3),
			"k = 2, α = 5, ε = 1: it fails with probability %.9g, by the law of the outputs %.9g", p.Lo, fails)
	}
}

// variant says what a program does that is not printed: nothing, if it is zero.
type variant struct {
	strict, keep, same bool
	extra              int
	noise, value       float64 // T̂ and v_i have this times more noise
}

// literalRun is the algorithms written once more: outputs, and the scales of the draws.
func (v variant) literalRun(answers []float64, t float64, c int, first, second float64,
	tape *finite.Tape) (outputs []string) {
	noisy := t + tape.Laplace(first*(1+v.noise))
	for count, i := 0, 0; i < len(answers) && count < c+v.extra; i++ {
		nu := tape.Laplace(2 * first)
		if q := answers[i]; q+nu > noisy || !v.strict && q+nu == noisy {
			count++
			switch {
			case second == 0:
				outputs = append(outputs, "⊤")
			case v.same:
				outputs = append(outputs, fmt.Sprint(q+nu))
			default:
				outputs = append(outputs, fmt.Sprint(q+tape.Laplace(second*(1+v.value))))
			}
			if count < c+v.extra && !v.keep {
				noisy = t + tape.Laplace(first)
			}
			continue
		}
		outputs = append(outputs, "⊥")
	}
	return outputs
}

// sparseCase is a run of an algorithm.
type sparseCase struct {
	answers    []float64
	threshold  float64
	c          int
	eps, delta float64
}

// ask asks for the answers, one after the other, as long as there are some.
func (s sparseCase) ask(_ int, a []bool) (float64, bool) {
	if len(a) == len(s.answers) {
		return 0, true
	}
	return s.answers[len(a)], false
}

// program runs both rooms on tapes, and says how many ⊤ there are at most, and what the scales are.
type program func(t *register.T, s sparseCase,
	tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64)

func arrows(a []bool) (outputs []string) {
	for _, above := range a {
		outputs = append(outputs, map[bool]string{true: "⊤", false: "⊥"}[above])
	}
	return outputs
}

func aboveThreshold(_ *register.T, s sparseCase, tapes [2]*finite.Tape) (_, _ []string, _ int, _, _ float64) {
	literal := register.Must(spec.AboveThreshold(0, s.ask, s.threshold, s.eps, tapes[0]))
	fast := register.Must(impl.AboveThreshold(0, s.ask, s.threshold, s.eps, tapes[1]))
	return arrows(literal), arrows(fast), 1, 2 / s.eps, 0
}

func sparseProgram(t *register.T, s sparseCase, tapes [2]*finite.Tape) (_, _ []string, _ int, _, _ float64) {
	literal := register.Must(spec.Sparse(0, s.ask, s.threshold, s.c, s.eps, s.delta, tapes[0]))
	fast := register.Must(impl.Sparse(0, s.ask, s.threshold, s.c, s.eps, s.delta, tapes[1]))
	sigma := spec.SparseScale(s.c, s.eps, s.delta)
	exact := impl.SparseScale(s.c, new(big.Rat).SetFloat64(s.eps), new(big.Rat).SetFloat64(s.delta))
	isWithin(t, "σ", exact, sigma, 1e-14)
	return arrows(literal), arrows(fast), s.c, sigma, 0
}

func numericSparse(_ *register.T, s sparseCase, tapes [2]*finite.Tape) (literal, fast []string, _ int, _, _ float64) {
	a := register.Must(spec.NumericSparse(0, func(_ int, a []spec.Numeric) (float64, bool) {
		return s.ask(0, make([]bool, len(a)))
	}, s.threshold, s.c, s.eps, s.delta, tapes[0]))
	b := register.Must(impl.NumericSparse(0, func(_ int, a []impl.Numeric) (float64, bool) {
		return s.ask(0, make([]bool, len(a)))
	}, s.threshold, s.c, s.eps, s.delta, tapes[1]))
	for _, o := range a {
		literal = append(literal, numeric(impl.Numeric(o)))
	}
	for _, o := range b {
		fast = append(fast, numeric(o))
	}
	first, second := spec.NumericSparseScales(s.c, s.eps, s.delta)
	return literal, fast, s.c, first, second
}

func numeric(o impl.Numeric) string {
	if o.Above {
		return fmt.Sprint(o.Value)
	}
	return "⊥"
}

// sparseTwins checks that both rooms give the outputs of an algorithm, and then that they make its draws: draws are a
// counterexample only where no outputs are.
func sparseTwins(t *register.T, run program, printed variant) {
	n := t.Size(1500, 50000)
	t.Domain("outputs and then draws on %d tapes each, up to 10 queries, c ≤ 3, ε in {1/4, 1, 2}, δ in {0, 1e-6, 1/2}", n)
	for i := range 2 {
		t.Random(uint64(5+i), n, func(t *register.T, d register.Dice) {
			s := sparseCase{c: 1 + d.Roll(3), eps: []float64{1, 0.25, 2}[d.Roll(3)]}
			s.delta, s.threshold = []float64{0, 0.5, 1e-6}[d.Roll(3)], float64(d.Roll(2))
			draws := drawn(d, 12, 8, 0.125)
			s.answers = drawn(d, d.Roll(11), 4, 8/s.eps)
			t.At("ε = %g, δ = %g, c = %d, T = %g, answers %v, draws %v", s.eps, s.delta, s.c, s.threshold, s.answers, draws)
			noise, tape := tapes(draws), &finite.Tape{Draws: draws}
			literal, fast, most, first, second := run(t, s, noise)
			claimed := printed.literalRun(s.answers, s.threshold, most, first, second, tape)
			if i == 0 {
				t.Require(slices.Equal(literal, claimed) && slices.Equal(fast, claimed), "%v by spec, %v by impl, claimed are %v",
					literal, fast, claimed)
				return
			}
			scales := noise[0].Scales
			if len(scales) == len(tape.Scales)+1 { // spec may draw T̂_c, which nothing is compared with
				scales = scales[:len(scales)-1]
			}
			t.Require(slices.Equal(scales, tape.Scales) && slices.Equal(noise[1].Scales, tape.Scales),
				"scales drawn %v by spec, %v by impl, claimed are %v", scales, noise[1].Scales, tape.Scales)
		})
	}
}
