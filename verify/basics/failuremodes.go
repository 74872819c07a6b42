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

// failureModes is what Section 3.6 says can go wrong in AboveThreshold.
func failureModes() register.Checks {
	quarter := rat.Of("1/4")
	answer := decay(rat.Of("2/3"), quarter)
	return register.Checks{
		"AFD-X19": register.Checked(register.All(goesWrong(modes{rat.One, answer}), wrongOutput),
			register.AlsoHolds("by α/2 for each type of noise: e^(−εα/4) + e^(−εα/8)",
				goesWrong(modes{rat.One, split(rat.Half)})),
			register.AlsoHolds("by α/3 for the threshold: 2e^(−εα/6)", goesWrong(modes{rat.One, split(rat.Of("1/3"))})),
			register.AlsoFails("",
				"however many answers are below T − α, one of them gets ⊤ with at most e^(−εα/4) + e^(−εα/8)",
				someBelow(split(rat.Half))),
			register.Control("the others have e^(−εα/2), too", goesWrong(modes{rat.One, decay(rat.One, rat.Half)})),
			register.NearMiss("the first has at most 19/20·e^(−εα/2)", goesWrong(modes{nearly, answer})),
			register.NearMiss("the others have at most 19/30·e^(−εα/4)",
				goesWrong(modes{rat.One, decay(rat.Of("19/30"), quarter)})),
		),
	}
}

// modes is a variant of AFD-X19: |T̂ − T| > α has a probability of at most threshold·e^(−εα/2), and a wrong output for
// one answer one of at most answer, by εα.
type modes struct {
	threshold *big.Rat
	answer    func(x *big.Rat) interval.Interval
}

// decay is factor·e^(−rate·x).
func decay(factor, rate *big.Rat) func(x *big.Rat) interval.Interval {
	return func(x *big.Rat) interval.Interval {
		return precise.Mul(precise.Rat(factor), precise.ExpRat(rat.Sub(new(big.Rat), rat.Mul(rate, x))))
	}
}

// split bounds the probability that the noise of the threshold takes that share of α, or the noise of the answer the
// rest.
func split(share *big.Rat) func(x *big.Rat) interval.Interval {
	threshold, answer := decay(rat.One, rat.Quo(share, rat.Of("2"))),
		decay(rat.One, rat.Quo(rat.Complement(share), rat.Of("4")))
	return func(x *big.Rat) interval.Interval { return precise.Add(threshold(x), answer(x)) }
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
func refuteAbove(t *register.T, p, bound interval.Interval, format string, args ...any) {
	where := fmt.Sprintf(format, args...)
	if p.Lower.Cmp(bound.Upper) > 0 {
		t.Refute("%s, with probability %.9g, claimed at most %.9g", where, p.Lower, bound.Upper)
	}
	t.Close(math.Round(p.Float().Lo/bound.Float().Hi*1e9)/1e9, "%s", where)
}

// goesWrong checks each mode, for all short lists of answers.
func goesWrong(m modes) register.Check {
	return func(t *register.T) {
		t.Domain("ε in {1/2, 1, 4}, εα in {1/4, 1, 4, 16, 60}, T = 0: 1 answer, for ε = 1 all lists of up to 3, of −α, α, " +
			"and 2 farther away")
		for _, eps := range rat.List("1/2", "1", "4") {
			law, longest := noiseOf(t, eps), 1
			if rat.Equal(eps, rat.One) {
				longest = 3
			}
			for _, x := range rat.List("1/4", "1", "4", "16", "60") {
				t.Case()
				alpha := rat.Quo(x, eps)
				if p, bound := isFar(t, alpha, law.RhoScale), decay(m.threshold, rat.Half)(x); p.Lower.Cmp(bound.Upper) > 0 {
					t.Refute("ε = %s, α = %s: |T̂ − T| > α with probability %.9g, claimed at most %.9g", rat.Show(eps),
						rat.Show(alpha), p.Lower, bound.Upper)
				}
				low, far := rat.Sub(new(big.Rat), alpha), rat.Of("2")
				for n := 1; n <= longest; n++ {
					for answers := range finite.Tuples([]*big.Rat{low, alpha, rat.Sub(low, far), rat.Add(alpha, far)}, n) {
						t.Case()
						where := fmt.Sprintf("ε = %s, α = %s, answers %s: ", rat.Show(eps), rat.Show(alpha), rat.Show(answers...))
						below, above, many := wrongOutputs(t, law, answers)
						bound := m.answer(x)
						refuteAbove(t, below, precise.Mul(precise.Int(int64(max(1, many))), bound), "%s⊤ below T − α", where)
						refuteAbove(t, above, bound, "%s⊥ above T + α", where)
					}
				}
			}
		}
	}
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
		y := decay(rat.One, rat.Of("1/4"))(x)
		want := precise.Quo(precise.Mul(y, precise.Sub(precise.Int(4), y)), precise.Int(6))
		for _, p := range []interval.Interval{firstAbove(t, law, []*big.Rat{rat.Sub(new(big.Rat), x)}, 0),
			firstAbove(t, law, []*big.Rat{x}, 1)} {
			if p.Lower.Cmp(want.Upper) > 0 || p.Upper.Cmp(want.Lower) < 0 {
				t.Refute("ε = 1, α = %s: a wrong output has the probability %.12g, claimed %.12g", rat.Show(x), p.Lower, want.Upper)
			}
		}
	}
}

// someBelow checks a bound for one of many answers at T − α.
func someBelow(bound func(x *big.Rat) interval.Interval) register.Check {
	return func(t *register.T) {
		t.Domain("ε = 1, α in {16, 24}, 1, 4, 16, 64 answers at T − α")
		law := noiseOf(t, rat.One)
		for _, alpha := range rat.List("16", "24") {
			for _, k := range []int{1, 4, 16, 64} {
				t.Case()
				answers := make([]*big.Rat, k)
				for i := range answers {
					answers[i] = rat.Sub(new(big.Rat), alpha)
				}
				p := precise.Sub(precise.Int(1), firstAbove(t, law, answers, k))
				refuteAbove(t, p, bound(alpha), "α = %s, %d answers at T − α: one gets ⊤", rat.Show(alpha), k)
			}
		}
	}
}
