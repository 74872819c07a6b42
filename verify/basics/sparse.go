package basics

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sparse are the statements of Section 3.6 on Sparse and NumericSparse, and of Section 3.7.
func sparse() register.Checks {
	anyDelta := "0, 1e-6, 1/2"
	return register.Checks{
		"AFD-A2": checked(with(sparseTwins, sparseProgram, variant{}),
			control("T̂ is not drawn again", with(sparseTwins, sparseProgram, variant{keep: true})),
			near("⊤ if f_i(D) + ν_i > T̂", with(sparseTwins, sparseProgram, variant{strict: true})),
			near("until c + 1 times ⊤", with(sparseTwins, sparseProgram, variant{extra: 1})),
			near("T̂ = T + Lap(1.05·σ)", with(sparseTwins, sparseProgram, variant{noise: 0.05}))),
		"AFD-T3.25": checked(
			all(addsUp(sparseParts, 1), with(roundsLeak, sparseScales, edgeCases)),
			alsoHolds("for δ = 0", addsUp(sparseParts, 1)),
			alsoFails(register.ProofStep,
				"c mechanisms that are ε/√(8c ln(1/δ))-DP are together (ε, δ)-DP, for δ of at most 1/1000",
				compose(sparseParts, "1", 0)),
			near("where ε or c is at most 8 ln(1/δ), a fifth of σ is enough", compose(sparseParts, "1/5", 8)),
			near("for δ = 0 it is 0.999·ε-DP", addsUp(sparseParts, 0.999)),
			corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)",
				all(compose(sparseParts, "1", 8), addsUp(sparseParts, 1)))),
		"AFD-X20": checked(runsAddUp(1),
			alsoFails(register.Edge, "with no halt before f_k for Sparse, as in Definition 3.9, and runs that "+
				"end with their ⊤", haltsBefore),
			near("19/20 of that", runsAddUp(0.95))),
		"AFD-T3.26": checked(haltsEarly,
			near("9/20 of α, if it may halt at the c-th ⊤", with(isAccurate, sparseAccuracy("9/20"))),
			near("the worst answers fail 1.0001 times as often", with(worstAnswers, false, 1.0001)),
			corrected("if it may halt at the c-th ⊤", all(with(leastOf, impl.ExactSparseAccuracy,
				impl.SparseFailure), with(isAccurate, sparseAccuracy("1")), with(worstAnswers, false, 1), rarely()))),
		"AFD-A3": checked(all(with(sparseTwins, numericSparse, variant{}), scalesAgree()),
			control("ν_i is released for v_i", with(sparseTwins, numericSparse, variant{same: true})),
			near("T̂ is not drawn again", with(sparseTwins, numericSparse, variant{keep: true})),
			near("v_i ~ Lap(1.05·σ(ε_2))", with(sparseTwins, numericSparse, variant{value: 0.05}))),
		"AFD-T3.27": checked(with(roundsLeak, numericScales, hugeCases),
			alsoHolds("for δ = 0", addsUp(numericParts, 1)),
			near("for δ = 0 it is 0.999·ε-DP", addsUp(numericParts, 0.999)),
			near("where ε is at most 8 ln(2/δ), a fifth of the noise is enough", compose(numericParts, "1/5", 8)),
			corrected("if δ = 0, or ε or c is at most 8 ln(1/δ)",
				all(compose(numericParts, "1", 8), addsUp(numericParts, 1)))),
		"AFD-T3.28": checked(
			all(with(leastOf, impl.ExactNumericSparseAccuracy, impl.NumericSparseFailure),
				with(isAccurate, numericAccuracy("1", anyDelta, false))),
			alsoHolds("for δ = 0", with(isAccurate, numericAccuracy("1", "0", false))),
			alsoHolds("for δ = 0, of Sparse, which is printed there", with(isAccurate, sparseAtNumeric)),
			near("half of α for δ = 0", with(isAccurate, numericAccuracy("1/2", "0", false))),
			near("the worst answers fail 1.0001 times as often", with(worstAnswers, true, 1.0001)),
			corrected("with the larger of ln k + ln(4c/β) and √8·ln(2c/β), if δ > 0",
				all(with(isAccurate, numericAccuracy("1", anyDelta, true)), with(worstAnswers, true, 1)))),
	}
}

// scalesAgree checks the scales of NumericSparse in both rooms.
var scalesAgree = on("the scales for c in {1, 7}, ε in {1/3, 2}, δ in {0, 1e-9, 9/10}",
	func(t *register.T, c int, eps, delta *big.Rat) {
		numericScales(t, c, eps, delta, 1e-12)
	})

// noiseScales are the scales of an algorithm, which the rooms must have to a width: of the thresholds, and of the
// numbers that are released, if any are.
type noiseScales func(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval

func sparseScales(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval {
	sigma := impl.SparseScale(c, eps, delta)
	isWithin(t, "σ", sigma, spec.SparseScale(c, rat.Float64(eps), rat.Float64(delta)), width)
	return []interval.Interval{sigma}
}

func numericScales(t *register.T, c int, eps, delta *big.Rat, width float64) []interval.Interval {
	first, second := impl.NumericSparseScales(c, eps, delta)
	a, b := spec.NumericSparseScales(c, rat.Float64(eps), rat.Float64(delta))
	isWithin(t, "σ(ε_1)", first, a, width)
	isWithin(t, "σ(ε_2)", second, b, width)
	return []interval.Interval{first, second}
}

// The settings of roundsLeak.
const (
	edgeCases = "(c, ε, δ) in {(1, 1, 1e-6), (1, 1, 9/10), (10, 1/2, 1/2), (1, 1, 0.99999), (1000, 4200, 1/2)}"
	hugeCases = "(c, ε, δ) in {(1, 1, 1e-6), (1, 1, 0.99999), (10, 1/2, 1/2), (2000, 11000, 1/2)}"
)

// roundsLeak checks (ε, δ)-DP where all answers are T + 1/2 on one database and T − 1/2 on the other: c times ⊤ at once
// has the probabilities (1 − t)^c and t^c, t = (4y − y²)/6 and y = e^(−1/(4σ)).
func roundsLeak(t *register.T, scales noiseScales, cases string) {
	finite.Each(t, "answers T + 1/2 or T − 1/2 to all queries, ⊤ to the first c: "+cases,
		func(c int, eps, delta *big.Rat) {
			sigma := scales(t, c, eps, delta, 1e-10)[0] // ln(1/δ) of a δ near 1 cancels in float64
			tail := wrongTail(precise.Exp(precise.Neg(precise.Quo(precise.Rat(rat.Of("1/4")), sigma))))
			needs := precise.Sub(precise.Power(complement(tail), c),
				precise.Mul(precise.ExpRat(eps), precise.Power(tail, c)))
			t.Require(!rat.IsAbove(needs, delta), "T + 1/2 against T − 1/2: at least δ = %.9g is needed", needs.Lower)
		})
}

// parts returns the ε of the mechanisms that an algorithm with δ and a share of its noise is made of, c of each.
type parts func(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval

// sparseParts has mechanisms that are 2/σ-DP.
func sparseParts(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval {
	sigma := sparseScales(t, c, eps, delta, 1e-12)[0]
	return []interval.Interval{precise.Quo(precise.Int(2), times(sigma, rat.Of(share)))}
}

// numericParts has those of NumericSparse: the numbers are 1/σ(ε_2)-DP.
func numericParts(t *register.T, c int, eps, delta *big.Rat, share string) []interval.Interval {
	scales := numericScales(t, c, eps, delta, 1e-12)
	return []interval.Interval{precise.Quo(precise.Int(2), times(scales[0], rat.Of(share))),
		precise.Quo(precise.Int(1), times(scales[1], rat.Of(share)))}
}

// compose checks that the parts are together (ε, δ)-DP, by optimal composition of ε to 12 digits, upward: in the
// settings for which ε or c is at most so many times ln(1/δ), or if that is 0, δ ≤ 1/1000.
var compose = on("optimal composition for c in {1, 20, 100}, ε in {1, 5, 100}, δ in {1e-6, 1/1000, 1/2, 9/10}, "+
	"as far as claimed",
	func(t *register.T, of parts, share string, most float64, at string, c int, eps, delta *big.Rat) {
		claimed, log := rat.Float64(eps), math.Log(1/rat.Float64(delta))
		if !(most == 0 && log > 6) && min(float64(c), claimed) > most*log {
			return
		}
		t.At("%s", at)
		var ms []impl.Mechanism
		for _, e := range of(t, c, eps, delta, share) {
			upward := loss.Nats(rat.Of(fmt.Sprintf("%.12e", e.Float().Hi*(1+1e-11))))
			ms = append(ms, impl.Mechanism{Eps: upward, Delta: new(big.Rat), Count: c})
		}
		needed := register.Must(impl.OptComp(t.Context(), ms, delta, impl.Options{RelWidth: 1e-2}))
		x := needed.Eps.Float().Lo
		t.Require(x <= claimed*(1+1e-9), "at least ε = %.9g is needed", x)
		t.Close(x/claimed, "")
	})

// addsUp checks that c rounds add up to at most a share of ε, for δ = 0.
var addsUp = on("the sum of all ε for δ = 0, c in {1, 2, 9}, ε in {1/10, 3}",
	func(t *register.T, of parts, share float64, c int, eps *big.Rat) {
		sum, most := 0.0, share*rat.Float64(eps)
		for _, e := range of(t, c, eps, new(big.Rat), "1") {
			sum += float64(c) * e.Float().Lo
		}
		t.Require(sum <= most*(1+1e-12), "the parts add up to %.12g", sum)
		t.Close(rounded(sum/most), "")
	})

// asking is an analyst who says which threshold a query has.
type asking = func(x int, a []bool) (f, threshold float64, stop bool)

// thresholdsOfEach checks that Sparse with f_i less a share of T_i, and a threshold of 0, gives the outputs of c runs
// with one ⊤ each and with thresholds T_i, one after the other, in both rooms. All numbers are dyadic, so that no sum
// is rounded.
func thresholdsOfEach(t *register.T, share float64) {
	n := t.Size(500, 50000)
	t.Domain("%d tapes, up to 10 queries with thresholds of their own, answers that depend on the outputs, "+
		"c ≤ 3, ε in {1/4, 1, 2}", n)
	t.Random(6, n, func(t *register.T, d register.Dice) {
		c, eps := 1+d.Roll(3), oneOf(d, 1, 0.25, 2)
		length := d.Roll(11)
		draws, answers, thresholds := drawn(d, 12, 8, 0.125), drawn(d, length, 8, 1/eps), drawn(d, 10, 8, 1/eps)
		next := func(a []bool) (f, threshold float64, stop bool) {
			if len(a) == len(answers) {
				return 0, 0, true
			}
			i := len(a)
			for _, above := range a { // each ⊤ leads to another query
				i += map[bool]int{true: 1}[above]
			}
			return answers[i%len(answers)], thresholds[i%len(thresholds)], false
		}
		one := func(_ int, a []bool) (f float64, stop bool) {
			f, threshold, stop := next(a)
			return f - share*threshold, stop
		}
		t.At("ε = %g, c = %d, answers %v, thresholds %v, draws %v", eps, c, answers, thresholds, draws)
		together, apart := tapes(draws), tapes(draws)
		literal := register.Must(spec.Sparse(0, one, 0, c, eps, 0, together[0]))
		fast := register.Must(impl.Sparse(0, one, 0, c, eps, 0, together[1]))
		scale := 2 * float64(c) // over ε, that of T̂; that of ν is twice as much
		each := inRounds(next, c, func(ask asking) ([]bool, error) {
			return spec.SparseVector(0, ask, scale, 1, eps, eps, apart[0])
		})
		areSame(t, literal, fast, each, slices.Equal)
		areSame(t, literal, inRounds(next, c, func(ask asking) ([]bool, error) {
			return impl.SparseVector(0, ask, scale, 1, eps, eps, apart[1])
		}), each, slices.Equal)
	})
}

// inRounds returns the outputs of c runs, one after the other.
func inRounds(next func(a []bool) (f, threshold float64, stop bool), c int,
	run func(ask asking) ([]bool, error)) (all []bool) {
	for range c {
		outputs := register.Must(run(func(_ int, a []bool) (float64, float64, bool) {
			return next(slices.Concat(all, a))
		}))
		all = append(all, outputs...)
	}
	return all
}

// variant says what a program does that is not printed: nothing, if it is zero.
type variant struct {
	strict, keep, same bool
	extra              int
	noise, value       float64 // T̂ and v_i have this times more noise
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

// run is the algorithms written once more: outputs, and the scales of the draws.
func (v variant) run(s sparseCase, out outcome, tape *finite.Tape) (outputs []string) {
	most := out.most + v.extra
	noisy := s.threshold + tape.Laplace(out.first*(1+v.noise))
	for count, i := 0, 0; i < len(s.answers) && count < most; i++ {
		q, nu := s.answers[i], tape.Laplace(2*out.first)
		if q+nu < noisy || v.strict && q+nu == noisy {
			outputs = append(outputs, "⊥")
			continue
		}
		count++
		switch {
		case out.second == 0:
			outputs = append(outputs, "⊤")
		case v.same:
			outputs = append(outputs, fmt.Sprint(q+nu))
		default:
			outputs = append(outputs, fmt.Sprint(q+tape.Laplace(out.second*(1+v.value))))
		}
		if count < most && !v.keep {
			noisy = s.threshold + tape.Laplace(out.first)
		}
	}
	return outputs
}

// outcome is what both rooms return, how many ⊤ there are at most, and what the scales are; that of numbers is 0 if
// none are released.
type outcome struct {
	literal, fast []string
	most          int
	first, second float64
}

// program runs both rooms on tapes.
type program func(t *register.T, s sparseCase, tapes [2]*finite.Tape) outcome

func arrows(a []bool) (outputs []string) {
	for _, above := range a {
		outputs = append(outputs, map[bool]string{true: "⊤", false: "⊥"}[above])
	}
	return outputs
}

func aboveThreshold(_ *register.T, s sparseCase, tapes [2]*finite.Tape) outcome {
	literal := register.Must(spec.AboveThreshold(0, s.ask, s.threshold, s.eps, tapes[0]))
	fast := register.Must(impl.AboveThreshold(0, s.ask, s.threshold, s.eps, tapes[1]))
	return outcome{arrows(literal), arrows(fast), 1, 2 / s.eps, 0}
}

func sparseProgram(t *register.T, s sparseCase, tapes [2]*finite.Tape) outcome {
	literal := register.Must(spec.Sparse(0, s.ask, s.threshold, s.c, s.eps, s.delta, tapes[0]))
	fast := register.Must(impl.Sparse(0, s.ask, s.threshold, s.c, s.eps, s.delta, tapes[1]))
	sigma := spec.SparseScale(s.c, s.eps, s.delta)
	exact := impl.SparseScale(s.c, new(big.Rat).SetFloat64(s.eps), new(big.Rat).SetFloat64(s.delta))
	isWithin(t, "σ", exact, sigma, 1e-14)
	return outcome{arrows(literal), arrows(fast), s.c, sigma, 0}
}

func numericSparse(_ *register.T, s sparseCase, tapes [2]*finite.Tape) (out outcome) {
	a := register.Must(spec.NumericSparse(0, func(_ int, a []spec.Numeric) (float64, bool) {
		return s.ask(0, make([]bool, len(a)))
	}, s.threshold, s.c, s.eps, s.delta, tapes[0]))
	b := register.Must(impl.NumericSparse(0, func(_ int, a []impl.Numeric) (float64, bool) {
		return s.ask(0, make([]bool, len(a)))
	}, s.threshold, s.c, s.eps, s.delta, tapes[1]))
	for _, o := range a {
		out.literal = append(out.literal, numeric(impl.Numeric(o)))
	}
	for _, o := range b {
		out.fast = append(out.fast, numeric(o))
	}
	out.most = s.c
	out.first, out.second = spec.NumericSparseScales(s.c, s.eps, s.delta)
	return out
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
	t.Domain("outputs and then draws on %d tapes each, up to 10 queries, c ≤ 3, ε in {1/4, 1, 2}, δ in {0, 1e-6, 1/2}",
		n)
	for i := range 2 {
		t.Random(uint64(5+i), n, func(t *register.T, d register.Dice) {
			s := sparseCase{c: 1 + d.Roll(3), eps: oneOf(d, 1, 0.25, 2)}
			s.delta, s.threshold = oneOf(d, 0, 0.5, 1e-6), float64(d.Roll(2))
			draws := drawn(d, 12, 8, 0.125)
			s.answers = drawn(d, d.Roll(11), 4, 8/s.eps)
			t.At("ε = %g, δ = %g, c = %d, T = %g, answers %v, draws %v",
				s.eps, s.delta, s.c, s.threshold, s.answers, draws)
			noise, tape := tapes(draws), &finite.Tape{Draws: draws}
			out := run(t, s, noise)
			claimed := printed.run(s, out, tape)
			if i == 0 {
				areSame(t, out.literal, out.fast, claimed, slices.Equal)
				return
			}
			scales := noise[0].Scales
			if len(scales) == len(tape.Scales)+1 { // spec may draw T̂_c, which nothing is compared with
				scales = scales[:len(scales)-1]
			}
			t.In("scales drawn")
			areSame(t, scales, noise[1].Scales, tape.Scales, slices.Equal)
		})
	}
}
