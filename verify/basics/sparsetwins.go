package basics

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/register"
)

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

// program runs both rooms on tapes, and says what the scales are.
type program func(answers []float64, t float64, c int, eps, delta float64,
	tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64, err error)

func arrows(a []bool) (outputs []string) {
	for _, above := range a {
		outputs = append(outputs, map[bool]string{true: "⊤", false: "⊥"}[above])
	}
	return outputs
}

func ask(answers []float64) func(_ int, a []bool) (float64, bool) {
	return func(_ int, a []bool) (float64, bool) {
		if len(a) == len(answers) {
			return 0, true
		}
		return answers[len(a)], false
	}
}

func aboveThreshold(answers []float64, t float64, _ int, eps, _ float64,
	tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64, err error) {
	a, err0 := spec.AboveThreshold(0, ask(answers), t, eps, tapes[0])
	b, err1 := impl.AboveThreshold(0, ask(answers), t, eps, tapes[1])
	return arrows(a), arrows(b), 1, 2 / eps, 0, errors.Join(err0, err1)
}

func sparseProgram(answers []float64, t float64, c int, eps, delta float64,
	tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64, err error) {
	a, err0 := spec.Sparse(0, ask(answers), t, c, eps, delta, tapes[0])
	b, err1 := impl.Sparse(0, ask(answers), t, c, eps, delta, tapes[1])
	exact := impl.SparseScale(c, new(big.Rat).SetFloat64(eps), new(big.Rat).SetFloat64(delta)).Float()
	if first = spec.SparseScale(c, eps, delta); first < exact.Lo*(1-1e-14) || first > exact.Hi*(1+1e-14) {
		err0 = fmt.Errorf("σ is %.17g by spec, %.17g by impl", first, exact.Hi)
	}
	return arrows(a), arrows(b), c, first, 0, errors.Join(err0, err1)
}

func numericSparse(answers []float64, t float64, c int, eps, delta float64,
	tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64, err error) {
	a, err0 := spec.NumericSparse(0, func(_ int, a []spec.Numeric) (float64, bool) {
		return ask(answers)(0, make([]bool, len(a)))
	}, t, c, eps, delta, tapes[0])
	b, err1 := impl.NumericSparse(0, func(_ int, a []impl.Numeric) (float64, bool) {
		return ask(answers)(0, make([]bool, len(a)))
	}, t, c, eps, delta, tapes[1])
	for _, o := range a {
		literal = append(literal, numeric(impl.Numeric(o)))
	}
	for _, o := range b {
		fast = append(fast, numeric(o))
	}
	first, second = spec.NumericSparseScales(c, eps, delta)
	return literal, fast, c, first, second, errors.Join(err0, err1)
}

func numeric(o impl.Numeric) string {
	if o.Above {
		return fmt.Sprint(o.Value)
	}
	return "⊥"
}

// runs are the outputs of an algorithm by spec, by impl and as claimed, and the scales of their draws.
type runs struct {
	outputs [3][]string
	scales  [3][]float64
}

// outputsDiffer says how the outputs differ, if they do.
func (r runs) outputsDiffer() string { return differ("", r.outputs) }

// drawsDiffer does that for the draws. Spec may draw T̂_c, which nothing is compared with.
func (r runs) drawsDiffer() string {
	if s := r.scales[0]; len(s) == len(r.scales[2])+1 {
		r.scales[0] = s[:len(s)-1]
	}
	return differ("scales drawn ", r.scales)
}

func differ[X comparable](what string, packages [3][]X) string {
	if slices.Equal(packages[0], packages[2]) && slices.Equal(packages[1], packages[2]) {
		return ""
	}
	return fmt.Sprintf("%s%v by spec, %v by impl, claimed are %v", what, packages[0], packages[1], packages[2])
}

// sparseTwins checks that both rooms give the outputs of an algorithm, and then that they make its draws: draws are a
// counterexample only where no outputs are.
func sparseTwins(t *register.T, run program, printed variant) {
	n := t.Size(1500, 50000)
	t.Domain("outputs and then draws on %d tapes each, up to 10 queries, c ≤ 3, ε in {1/4, 1, 2}, δ in {0, 1e-6, 1/2}", n)
	for i, difference := range []func(runs) string{runs.outputsDiffer, runs.drawsDiffer} {
		t.Random(uint64(5+i), n, func(t *register.T, d register.Dice) { runOnTape(t, d, run, printed, difference) })
	}
}

// runOnTape compares one run of both rooms with what is claimed.
func runOnTape(t *register.T, d register.Dice, run program, printed variant, difference func(runs) string) {
	c, eps := 1+d.Roll(3), []float64{1, 0.25, 2}[d.Roll(3)]
	delta, threshold := []float64{0, 0.5, 1e-6}[d.Roll(3)], float64(d.Roll(2))
	var draws, answers []float64
	for range 12 {
		draws = append(draws, float64(d.Roll(17)-8)/8)
	}
	for range d.Roll(11) {
		answers = append(answers, float64(8*(d.Roll(9)-4))/eps)
	}
	tapes := [2]*finite.Tape{{Draws: draws}, {Draws: draws}}
	literal, fast, most, first, second, err := run(answers, threshold, c, eps, delta, tapes)
	t.Must(err)
	tape := &finite.Tape{Draws: draws}
	claimed := printed.literalRun(answers, threshold, most, first, second, tape)
	all := runs{[3][]string{literal, fast, claimed}, [3][]float64{tapes[0].Scales, tapes[1].Scales, tape.Scales}}
	text := difference(all)
	t.Require(text == "", "ε = %g, δ = %g, c = %d, T = %g, answers %v, draws %v: %s", eps, delta, c, threshold, answers,
		draws, text)
}
