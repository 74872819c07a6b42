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
			register.AlsoHolds("by α/2 for each type of noise: e^(−εα/4) + e^(−εα/8)", register.With2(goesWrong, "1", split("1/4", "1/8"))),
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
func noiseOf(t *register.T, eps *big.Rat) impl.SparseVectorLaw {
	tape := &finite.Tape{Draws: []float64{0}}
	_, err := spec.AboveThreshold(0, ask([]float64{0}), 0, rat.Float64(eps), tape)
	t.Must(err)
	return impl.SparseVectorLaw{RhoScale: new(big.Rat).SetFloat64(tape.Scales[0]),
		NuScale: new(big.Rat).SetFloat64(tape.Scales[1]), Cutoff: 1}
}

// firstAbove returns the probability that the answer number first, from 0, is the first to get ⊤, where T = 0; that
// none gets it, if there are only so many.
func firstAbove(t *register.T, law impl.SparseVectorLaw, answers []*big.Rat, first int) interval.Interval {
	var run []impl.Comparison
	for i := range min(first+1, len(answers)) {
		run = append(run, impl.Comparison{Query: answers[i], Threshold: new(big.Rat), Above: i == first})
	}
	p, err := law.Probability(run, 1e-9)
	t.Must(err)
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
		law, longest, alpha := noiseOf(t, eps), 1, rat.Quo(x, eps)
		if rat.Equal(eps, rat.One) {
			longest = 3
		}
		t.At("ε = %s, α = %s", eps, alpha)
		p, bound := isFar(t, alpha, law.RhoScale), decay(threshold, "1/2")(x)
		t.Require(p.Lower.Cmp(bound.Upper) <= 0, "|T̂ − T| > α with probability %.9g, claimed at most %.9g", p.Lower,
			bound.Upper)
		low, far := minus(alpha), rat.Int(2)
		for answers := range finite.Lists([]*big.Rat{low, alpha, rat.Sub(low, far), rat.Add(alpha, far)}, 1, longest) {
			t.At("ε = %s, α = %s, answers %s", eps, alpha, answers)
			below, above, many := wrongOutputs(t, law, answers)
			refuteAbove(t, below, times(answer(x), rat.Int(max(1, many))), "⊤ below T − α")
			refuteAbove(t, above, answer(x), "⊥ above T + α")
		}
	})
}

// wrongOutputs returns the probabilities that some answer below 0 gets ⊤, and that some above gets ⊥, and how many are
// below.
func wrongOutputs(t *register.T, law impl.SparseVectorLaw,
	answers []*big.Rat) (below, above interval.Interval, many int) {
	below, above = precise.Int(0), precise.Int(0)
	passed := false // one above has got ⊥
	for i := range len(answers) + 1 {
		p := firstAbove(t, law, answers, i)
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
	law := noiseOf(t, rat.One)
	for _, x := range rat.List("1/4", "1", "4", "16", "60") {
		t.Case()
		want := wrongTail(decay("1", "1/4")(x))
		for i, answer := range []*big.Rat{minus(x), x} {
			p := firstAbove(t, law, []*big.Rat{answer}, i)
			t.Require(meet(p, want), "ε = 1, α = %s: a wrong output has the probability %.12g, claimed %.12g", x, p.Lower,
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
	law := noiseOf(t, rat.One)
	finite.Each2(rat.List("16", "24"), []int{1, 4, 16, 64}, func(alpha *big.Rat, k int) {
		t.At("α = %s, %d answers at T − α", alpha, k)
		p := precise.Sub(precise.Int(1), firstAbove(t, law, slices.Repeat([]*big.Rat{minus(alpha)}, k), k))
		refuteAbove(t, p, bound(alpha), "one gets ⊤")
	})
}
