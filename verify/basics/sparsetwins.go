package basics

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

// asking is an analyst who says which threshold a query has.
type asking = func(x int, a []bool) (f, threshold float64, stop bool)

// thresholdsOfEach checks that Sparse with f_i less a share of T_i, and a threshold of 0, gives the outputs of c runs
// with one ⊤ each and with thresholds T_i, one after the other, in both rooms. All numbers are dyadic, so that no sum
// is rounded.
func thresholdsOfEach(t *register.T, share float64) {
	n := t.Size(500, 50000)
	t.Domain("%d tapes, up to 10 queries with thresholds of their own, answers that depend on the outputs, c ≤ 3, ε in "+
		"{1/4, 1, 2}", n)
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
		outputs := register.Must(run(func(_ int, a []bool) (float64, float64, bool) { return next(slices.Concat(all, a)) }))
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
	t.Domain("outputs and then draws on %d tapes each, up to 10 queries, c ≤ 3, ε in {1/4, 1, 2}, δ in {0, 1e-6, 1/2}", n)
	for i := range 2 {
		t.Random(uint64(5+i), n, func(t *register.T, d register.Dice) {
			s := sparseCase{c: 1 + d.Roll(3), eps: oneOf(d, 1, 0.25, 2)}
			s.delta, s.threshold = oneOf(d, 0, 0.5, 1e-6), float64(d.Roll(2))
			draws := drawn(d, 12, 8, 0.125)
			s.answers = drawn(d, d.Roll(11), 4, 8/s.eps)
			t.At("ε = %g, δ = %g, c = %d, T = %g, answers %v, draws %v", s.eps, s.delta, s.c, s.threshold, s.answers, draws)
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
