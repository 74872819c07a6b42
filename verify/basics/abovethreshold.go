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
	answer := decay("2/3", "1/4")
	return register.Checks{
		"AFD-X18": checked(all(with(thresholdsOfEach, 1), degrades(rat.One)),
			near("f_i less 31/32 of T_i is asked", with(thresholdsOfEach, 31.0/32)),
			near("c runs lose up to 0.999·cε", degrades(loses))),
		"AFD-A1": checked(with(sparseTwins, aboveThreshold, variant{}),
			control("it goes on after ⊤", with(sparseTwins, aboveThreshold, variant{extra: 1})),
			near("⊤ if f_i(D) + ν_i > T̂", with(sparseTwins, aboveThreshold, variant{strict: true})),
			near("T̂ = T + Lap(2.1/ε)", with(sparseTwins, aboveThreshold, variant{noise: 0.05}))),
		"AFD-T3.23": checked(with(aboveThresholdIsDP, rat.One),
			near("it is 0.999·ε-DP", with(aboveThresholdIsDP, loses))),
		"AFD-T3.24": checked(all(with(isAccurate, aboveThresholdAccuracy("1")), leastIsLeast),
			alsoHolds("log is that to base 2", with(isAccurate, aboveThresholdAccuracy("1.4426"))),
			alsoHolds("half of α", with(isAccurate, aboveThresholdAccuracy("1/2"))),
			near("9/20 of α", with(isAccurate, aboveThresholdAccuracy("9/20")))),
		"AFD-X19": checked(all(goesWrong("1", answer), wrongOutput),
			alsoHolds("by α/2 for each type of noise: e^(−εα/4) + e^(−εα/8)", goesWrong("1", split("1/4", "1/8"))),
			alsoHolds("by α/3 for the threshold: 2e^(−εα/6)", goesWrong("1", split("1/6", "1/6"))),
			alsoFails("", "however many answers are below T − α, one of them gets ⊤ with at most e^(−εα/4) + e^(−εα/8)",
				with(someBelow, split("1/4", "1/8"))),
			near("the first has at most 19/20·e^(−εα/2)", goesWrong("19/20", answer)),
			near("the others have at most 19/30·e^(−εα/4)", goesWrong("1", decay("19/30", "1/4")))),
	}
}

// noiseOf returns the noise that spec asks for.
func noiseOf(eps *big.Rat) impl.SparseVectorLaw {
	tape := &finite.Tape{Draws: []float64{0}}
	register.Must(spec.AboveThreshold(0, sparseCase{answers: []float64{0}}.ask, 0, rat.Float64(eps), tape))
	return impl.SparseVectorLaw{RhoScale: new(big.Rat).SetFloat64(tape.Scales[0]),
		NuScale: new(big.Rat).SetFloat64(tape.Scales[1]), Cutoff: 1}
}

// degrades checks that c runs of AboveThreshold, each with T̂ of its own, lose at most a share of cε where a search
// finds that one run loses most.
var degrades = on("the losses of c in {1, 5 | 2} runs of up to n in {1, 24 | 8} queries that a search finds to lose "+
	"most, ε in {1/2, 1, 4}",
	func(t *register.T, share *big.Rat, c, most int, eps *big.Rat) {
		_, each, err := impl.ClosestRun(noiseOf(eps), 1, most)
		t.Must(err)
		all, bound := times(each, rat.Int(c)), rat.Product(share, rat.Int(c), eps)
		t.Within(all, bound, "a loss of at least %.9g, claimed %s", all.Lower, bound)
	})

// aboveThresholdIsDP checks the losses of all outputs, for small lists of answers, and for those a search finds to lose
// most.
func aboveThresholdIsDP(t *register.T, share *big.Rat) {
	n := t.Size(2, 3)
	finite.Each(t, fmt.Sprintf("ε in {1/2, 4 | 1}; all lists of up to %d answers of −2, 0 and 1 that change by up "+
		"to 1, all outputs; the run of up to 24 queries that a search finds to lose most", n),
		func(at string, eps *big.Rat) {
			law := noiseOf(eps)
			try := func(runs [2][]impl.Comparison) {
				t.At("%s, %s", at, showRuns(runs))
				l := register.Must(law.Loss(runs[0], runs[1], 1e-9))
				t.Within(l, rat.Mul(share, eps), "a loss of at least %.9g", l.Lower)
			}
			for above := range 2 {
				runs, _, err := impl.ClosestRun(law, above, 24)
				t.Must(err)
				try(runs)
			}
			for l := 1; l <= n; l++ {
				smallRuns(l, try)
			}
		})
}

// smallRuns goes through the lists of l answers that change by up to 1, with ⊥ to all of them, and with ⊤ to the last.
func smallRuns(l int, try func(runs [2][]impl.Comparison)) {
	eachChange(finite.Tuples([]int{-2, 0, 1}, l), []int{-1, 0, 1}, func(here, there []int) {
		for _, isLast := range []bool{false, true} {
			try([2][]impl.Comparison{runOf(rats(here...), isLast), runOf(rats(there...), isLast)})
		}
	})
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
	return accuracy{"0", 1, func(t *register.T, k, _ int, beta, eps, _ *big.Rat) interval.Interval {
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
	isNear := func(x, want, width float64) bool { return math.Abs(x/want-1) <= width }
	finite.Each(t, "the smallest α for k = 1 by its closed form, β in {1/1000, 1/10, 1/3}, "+
		"and for k = 2 by the law of the outputs", func(beta *big.Rat) {
		least := impl.LeastAlpha(func(alpha interval.Interval) interval.Float {
			return impl.AboveThresholdFailure(1, alpha, rat.One)
		}, beta)
		third := impl.ExactAboveThresholdAccuracy(impl.SparseSetting{Queries: 1, Above: 1, Beta: beta, Eps: rat.Int(3),
			Delta: new(big.Rat)}).Float()
		t.Require(isNear(3*third.Hi, least.Hi, 1e-12) && isNear(3*third.Lo, least.Lo, 1e-12),
			"k = 1, ε = 3: the smallest α is in [%.9g, %.9g], which is not a third of that for ε = 1",
			third.Lo, third.Hi)
		want := -4 * math.Log(2-math.Sqrt(4-6*rat.Float64(beta)))
		t.Require(isNear(least.Hi, want, 1e-4) && isNear(least.Lo, want, 1e-4),
			"k = 1, ε = 1: the smallest α is in [%.9g, %.9g], by the closed form %.9g", least.Lo, least.Hi, want)
		alpha := rat.Int(5)
		right := firstAbove(noiseOf(rat.One), []*big.Rat{minus(alpha), alpha}, 1)
		p, fails := impl.AboveThresholdFailure(2, precise.Rat(alpha), rat.One), 1-right.Float().Hi
		t.Require(isNear(p.Lo, fails, 1e-3), "k = 2, α = 5, ε = 1: it fails with probability %.9g, by the law %.9g",
			p.Lo, fails)
	})
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

// firstAbove returns the probability that the answer number first, from 0, is the first to get ⊤, where T = 0; that
// none gets it, if there are only so many.
func firstAbove(law impl.SparseVectorLaw, answers []*big.Rat, first int) interval.Interval {
	run := runOf(answers[:min(first+1, len(answers))], first < len(answers))
	return register.Must(law.Probability(run, 1e-9))
}

// runOf is a run with T = 0 and ⊥ to all answers, but for the last if it is to get ⊤.
func runOf(answers []*big.Rat, isLast bool) (run []impl.Comparison) {
	for i, q := range answers {
		run = append(run, impl.Comparison{Query: q, Threshold: new(big.Rat), Above: isLast && i == len(answers)-1})
	}
	return run
}

// goesWrong checks each mode, for all short lists of answers: |T̂ − T| > α has a probability of at most
// threshold·e^(−εα/2), and a wrong output for one answer one of at most answer, by εα.
var goesWrong = on("ε in {1/2, 1, 4}, εα in {1/4, 60 | 1, 4, 16}, T = 0: 1 answer, for ε = 1 all lists of up to 3, "+
	"of −α, α, and 2 farther away",
	func(t *register.T, threshold string, answer likely, at string, eps, x *big.Rat) {
		law, longest, alpha := noiseOf(eps), 1, rat.Quo(x, eps)
		if rat.Equal(eps, rat.One) {
			longest = 3
		}
		t.At("%s", at)
		p, bound := isFar(alpha, law.RhoScale), decay(threshold, "1/2")(x)
		t.Require(p.Lower.Cmp(bound.Upper) <= 0, "|T̂ − T| > α with probability %.9g, claimed at most %.9g",
			p.Lower, bound.Upper)
		low, far := minus(alpha), rat.Int(2)
		for answers := range finite.Lists([]*big.Rat{low, alpha, rat.Sub(low, far), rat.Add(alpha, far)}, 1, longest) {
			t.At("%s, answers %s", at, answers)
			below, above, many := wrongOutputs(law, answers)
			isBelow(t, "the probability of ⊤ below T − α", below, times(answer(x), rat.Int(max(1, many))))
			isBelow(t, "the probability of ⊥ above T + α", above, answer(x))
		}
	})

// wrongOutputs returns the probabilities that some answer below 0 gets ⊤, and that some above gets ⊥, and how many are
// below.
func wrongOutputs(law impl.SparseVectorLaw, answers []*big.Rat) (below, above interval.Interval, many int) {
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
	law := noiseOf(rat.One)
	finite.Each(t, "(4y − y²)/6 for 1 answer, ε = 1, α in {1/4, 1, 4, 16, 60}", func(x *big.Rat) {
		want := wrongTail(decay("1", "1/4")(x))
		for i, answer := range []*big.Rat{minus(x), x} {
			p := firstAbove(law, []*big.Rat{answer}, i)
			t.Require(rat.Meet(p, want), "a wrong output has the probability %.12g, claimed %.12g", p.Lower, want.Upper)
		}
	})
}

// wrongTail returns (4y − y²)/6.
func wrongTail(y interval.Interval) interval.Interval {
	return precise.Quo(precise.Mul(y, precise.Sub(precise.Int(4), y)), precise.Int(6))
}

// someBelow checks a bound for one of many answers at T − α.
func someBelow(t *register.T, bound likely) {
	law := noiseOf(rat.One)
	finite.Each(t, "ε = 1, α in {16, 24}, k in {1, 4, 16, 64} answers at T − α", func(alpha *big.Rat, k int) {
		p := complement(firstAbove(law, slices.Repeat([]*big.Rat{minus(alpha)}, k), k))
		isBelow(t, "the probability that one gets ⊤", p, bound(alpha))
	})
}
