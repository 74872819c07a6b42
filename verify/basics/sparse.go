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

// sparse are the statements of Section 3.6.
func sparse() []register.Statement {
	half := rat.Of("9/20")
	return []register.Statement{
		{
			ID: "AFD-A1", Title: "AboveThreshold: T̂ = T + Lap(2/ε), ν_i ~ Lap(4/ε), ⊤ and halt if f_i(D) + ν_i ≥ T̂, else ⊥",
			Printed: "Section 3.6, Algorithm 1", Reading: algorithmHolds,
			Kind: register.Property, Verdict: register.Holds, In: []string{"spec.AboveThreshold", "impl.AboveThreshold"},
			Check:    sparseTwins(aboveThreshold, variant{}),
			Controls: []register.Claim{{Says: "it goes on after ⊤", Check: sparseTwins(aboveThreshold, variant{extra: 1})}},
			Near: []register.Claim{
				{Says: "⊤ if f_i(D) + ν_i > T̂", Check: sparseTwins(aboveThreshold, variant{strict: true})},
				{Says: "T̂ = T + Lap(2.1/ε)", Check: sparseTwins(aboveThreshold, variant{noise: 0.05})},
			},
		},
		{
			ID: "AFD-T3.23", Title: "AboveThreshold is (ε, 0)-DP, for any number of queries",
			Printed: "Section 3.6, Theorem 3.23",
			Reading: "P0(a) ≤ e^ε·P1(a) for every output a is the inequality for every set.",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"spec.AboveThreshold", "impl.SparseVectorLaw", "impl.SparseVectorLaw.Loss", "impl.ClosestRun"},
			Check:    aboveThresholdIsDP(rat.One),
			Controls: []register.Claim{{Says: "it is ε/2-DP", Check: aboveThresholdIsDP(rat.Half)}},
			Near:     []register.Claim{{Says: "it is 0.999·ε-DP", Check: aboveThresholdIsDP(rat.Of("0.999"))}},
		},
		notation("AFD-D3.9", "(α, β)-accuracy: but with probability β, no halt before f_k, f_i(D) ≥ T − α for ⊤, and f_i(D) ≤ T + α for ⊥", "Section 3.6, Definition 3.9"),
		{
			ID: "AFD-T3.24", Title: "k queries of which none before the last is at least T − α: AboveThreshold is (α, β)-accurate for α = 8(log k + log(2/β))/ε",
			Printed: "Section 3.6, Theorem 3.24: α = 8(log k + log(2/β))/ε, for |{i < k : f_i(D) ≥ T − α}| = 0",
			Reading: "log is the natural logarithm. The worst case is that f_1, …, f_{k−1} are just below T − α, and f_k is just above T + α.",
			Note:    "Half of it is enough: the mechanism fails with probability at most (2/3)·k·e^(−εα/4). In the proof, f_i(D) < T̂ is printed for ⊥ where f_i(D) + ν_i < T̂ is meant.",
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"spec.AboveThresholdAccuracy", "impl.AboveThresholdAccuracy", "impl.AboveThresholdFailure", "impl.LeastAlpha"},
			Check: register.Both(isAccurate(aboveThresholdAccuracy(rat.One)), leastIsLeast),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "log is that to base 2", Check: isAccurate(aboveThresholdAccuracy(rat.Of("1.4426")))}, Verdict: register.Holds},
				{Claim: register.Claim{Says: "half of α", Check: isAccurate(aboveThresholdAccuracy(rat.Half))}, Verdict: register.Holds},
			},
			Controls: []register.Claim{{Says: "log is that to base 10", Check: isAccurate(aboveThresholdAccuracy(rat.Of("0.43429")))}},
			Near:     []register.Claim{{Says: "9/20 of α", Check: isAccurate(aboveThresholdAccuracy(half))}},
		},
		{
			ID: "AFD-A2", Title: "Sparse: AboveThreshold with σ = 2c/ε or √(32c ln(1/δ))/ε, and T̂ drawn again after each ⊤, until c times ⊤",
			Printed: "Section 3.6, Algorithm 2", Reading: algorithmHolds,
			Kind: register.Property, Verdict: register.Holds, In: []string{"spec.Sparse", "impl.Sparse", "spec.SparseScale", "impl.SparseScale"},
			Check:    sparseTwins(sparseProgram, variant{}),
			Controls: []register.Claim{{Says: "T̂ is not drawn again", Check: sparseTwins(sparseProgram, variant{keep: true})}},
			Near: []register.Claim{
				{Says: "⊤ if f_i(D) + ν_i > T̂", Check: sparseTwins(sparseProgram, variant{strict: true})},
				{Says: "until c + 1 times ⊤", Check: sparseTwins(sparseProgram, variant{extra: 1})},
				{Says: "T̂ = T + Lap(1.05·σ)", Check: sparseTwins(sparseProgram, variant{noise: 0.05})},
			},
		},
		{
			ID: "AFD-T3.25", Title: "Sparse is (ε, δ)-DP",
			Printed: "Section 3.6, Theorem 3.25; by Theorem 3.20 for c applications of ε/√(8c ln(1/δ))-DP mechanisms",
			Kind:    register.Certified, Verdict: register.Fails, Weight: register.Edge,
			Note: "Theorem 3.20 gives ε/2 + cε'(e^ε' − 1), which is at most ε for small ε' only: for δ near 1, or for large ε and c, the noise is too small. It holds if ε or c is at most 8 ln(1/δ): " +
				"in the first case by √(2c ln(1/δ))·ε' + cε'²/2 ≤ ε (FAC-E2), in the second as cε' ≤ ε. The proof restarts “Sparse(D, {f_i}, T, ε')” where AboveThreshold is meant.",
			In:    []string{"spec.SparseScale", "impl.SparseScale"},
			Check: roundsLeak(1, sparseRounds, edgeCases),
			Readings: []register.Reading{{Claim: register.Claim{Says: "c mechanisms that are ε/√(8c ln(1/δ))-DP are together (ε, δ)-DP, for δ of at most 1/1000", Check: compose(sparseParts(rat.One), bounded(0))},
				Verdict: register.Fails, Weight: register.ProofStep}},
			Near:      []register.Claim{{Says: "where ε or c is at most 8 ln(1/δ), a fifth of σ is enough", Check: compose(sparseParts(rat.Of("1/5")), bounded(8))}},
			Corrected: &register.Claim{Says: "if ε or c is at most 8 ln(1/δ)", Check: compose(sparseParts(rat.One), bounded(8))},
		},
		{
			ID: "AFD-T3.26", Title: "k queries of which at most c are at least T − α: Sparse is (α, β)-accurate for α = (ln k + ln(2c/β))·√(512c ln(1/δ))/ε, or 8c(ln k + ln(2c/β))/ε if δ = 0",
			Printed: "Section 3.6, Theorem 3.26, for L(T) = |{i : f_i(D) ≥ T − α}| ≤ c",
			Kind:    register.Certified, Verdict: register.Fails, Weight: register.Edge,
			Note:      "(α, β)-accuracy asks for no halt before f_k, and Sparse is to halt at its c-th ⊤: if f_1 is far above T, c = 1 and k = 2, it does so with a probability of nearly 1. It holds if that halt is allowed; then half of α is enough.",
			In:        []string{"spec.SparseAccuracy", "impl.SparseAccuracy", "impl.SparseFailure", "impl.SparseScale", "spec.SparseScale"},
			Check:     haltsEarly,
			Near:      []register.Claim{{Says: "9/20 of α, if it may halt at the c-th ⊤", Check: isAccurate(sparseAccuracy(half))}},
			Corrected: &register.Claim{Says: "if it may halt at the c-th ⊤", Check: isAccurate(sparseAccuracy(rat.One))},
		},
		{
			ID: "AFD-A3", Title: "NumericSparse: Sparse with ε_1, and f_i(D) + Lap(σ(ε_2)) for ⊤",
			Printed: "Section 3.6, Algorithm 3", Reading: algorithmHolds,
			Kind: register.Property, Verdict: register.Holds, In: []string{"spec.NumericSparse", "impl.NumericSparse", "impl.NumericSparseRun", "spec.NumericSparseScales", "impl.NumericSparseScales"},
			Check:    register.Both(sparseTwins(numericSparse, variant{}), scalesAgree),
			Controls: []register.Claim{{Says: "ν_i is released for v_i", Check: sparseTwins(numericSparse, variant{same: true})}},
			Near: []register.Claim{
				{Says: "T̂ is not drawn again", Check: sparseTwins(numericSparse, variant{keep: true})},
				{Says: "v_i ~ Lap(1.05·σ(ε_2))", Check: sparseTwins(numericSparse, variant{value: 0.05})},
			},
		},
		{
			ID: "AFD-T3.27", Title: "NumericSparse is (ε, δ)-DP",
			Printed: "Section 3.6, Theorem 3.27: Sparse with (8/9)ε and a Laplace mechanism with (1/9)ε if δ = 0; else with √512/(√512 + 1)·ε and 1/(√512 + 1)·ε, δ/2 each",
			Kind:    register.Certified, Verdict: register.Fails, Weight: register.Edge,
			Note:     "As for Theorem 3.25, with ln(2/δ), so for huge ε and c only. That σ(ε_2) is the scale for half of ε_2 makes the parts add up to ε, though ε_1 + ε_2 is more. In the proof for δ > 0, NumericSparse(…, 0) is printed for δ.",
			In:       []string{"spec.NumericSparseScales", "impl.NumericSparseScales"},
			Check:    roundsLeak(2, numericRounds, hugeCases),
			Readings: []register.Reading{{Claim: register.Claim{Says: "for δ = 0", Check: addsUp(rat.One)}, Verdict: register.Holds}},
			Near: []register.Claim{
				{Says: "for δ = 0 it is 0.999·ε-DP", Check: addsUp(rat.Of("0.999"))},
				{Says: "where ε is at most 8 ln(2/δ), a fifth of the noise is enough", Check: compose(numericParts(rat.Of("1/5")), bounded(8))},
			},
			Corrected: &register.Claim{Says: "if δ = 0, or ε or c is at most 8 ln(1/δ)", Check: register.Both(compose(numericParts(rat.One), bounded(8)), addsUp(rat.One))},
		},
		notation("AFD-D3.10", "Numeric (α, β)-accuracy: but with probability β, no halt before f_k, |f_i(D) − a_i| ≤ α for numbers, and f_i(D) ≤ T + α for ⊥", "Section 3.6, Definition 3.10"),
		{
			ID: "AFD-T3.28", Title: "k queries of which at most c are at least T − α: NumericSparse is (α, β)-accurate for α = (ln k + ln(4c/β))·√(c ln(2/δ))·(√512 + 1)/ε, or 9c(ln k + ln(4c/β))/ε if δ = 0",
			Printed: "Section 3.6, Theorem 3.28, for L(T) = |{i : f_i(D) ≥ T − α}| ≤ c",
			Reading: "That it halts at the c-th number is allowed (AFD-T3.26).",
			Kind:    register.Certified, Verdict: register.Fails, Weight: register.False,
			Note: "For δ > 0 the noise of the numbers is too large for this α: α/σ(ε_2) = (ln k + ln(4c/β))/√8, so a number is off by more than α with probability (β/(4ck))^0.354. With √8·ln(2c/β) for ln k + ln(4c/β), where that is more, it holds. " +
				"For δ = 0 it holds.",
			In:        []string{"spec.NumericSparseAccuracy", "impl.NumericSparseAccuracy", "impl.NumericSparseFailure", "spec.NumericSparseScales", "impl.NumericSparseScales"},
			Check:     isAccurate(numericAccuracy(rat.One, rat.List("0", "1e-6", "1/2"))),
			Readings:  []register.Reading{{Claim: register.Claim{Says: "for δ = 0", Check: isAccurate(numericAccuracy(rat.One, rat.List("0")))}, Verdict: register.Holds}},
			Near:      []register.Claim{{Says: "half of α for δ = 0", Check: isAccurate(numericAccuracy(rat.Half, rat.List("0")))}},
			Corrected: &register.Claim{Says: "with the larger of ln k + ln(4c/β) and √8·ln(2c/β), if δ > 0", Check: isAccurate(numericCorrected)},
		},
		opinion("AFD-X21", "The error is that of the Laplace mechanism with the large queries known, up to constants and a factor log k", "Section 3.6, after Theorem 3.28",
			"It leaves the constants open. By Theorem 3.28 for δ = 0 the error is 9(ln k + ln(4c/β))/ln(c/β) times that of c Laplace answers (AFD-T3.8)."),
		opinion("AFD-X22", "Earlier arguments: under k-fold composition the privacy parameter need only deteriorate like √k, for k < 1/ε²", "Section 3.7",
			"History, and an order of growth without a constant; what is proved is AFD-T3.20."),
	}
}

const algorithmHolds = "An algorithm asserts nothing: “holds” says that spec and impl are it, draw by draw, ties included."

// variant says what a program does that is not printed: nothing, if it is zero.
type variant struct {
	strict, keep, same bool
	extra              int
	noise, value       float64 // T̂ and v_i have this times more noise
}

// literalRun is the algorithms written once more: outputs, and the scales of the draws.
func (v variant) literalRun(answers []float64, t float64, c int, first, second float64, tape *finite.Tape) (outputs []string) {
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
type program func(answers []float64, t float64, c int, eps, delta float64, tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64, err error)

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

func aboveThreshold(answers []float64, t float64, _ int, eps, _ float64, tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64, err error) {
	a, err0 := spec.AboveThreshold(0, ask(answers), t, eps, tapes[0])
	b, err1 := impl.AboveThreshold(0, ask(answers), t, eps, tapes[1])
	return arrows(a), arrows(b), 1, 2 / eps, 0, firstError(err0, err1)
}

func sparseProgram(answers []float64, t float64, c int, eps, delta float64, tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64, err error) {
	a, err0 := spec.Sparse(0, ask(answers), t, c, eps, delta, tapes[0])
	b, err1 := impl.Sparse(0, ask(answers), t, c, eps, delta, tapes[1])
	exact := impl.SparseScale(c, new(big.Rat).SetFloat64(eps), new(big.Rat).SetFloat64(delta)).Float()
	if first = spec.SparseScale(c, eps, delta); first < exact.Lo*(1-1e-14) || first > exact.Hi*(1+1e-14) {
		err0 = fmt.Errorf("σ is %.17g by spec, %.17g by impl", first, exact.Hi)
	}
	return arrows(a), arrows(b), c, first, 0, firstError(err0, err1)
}

func numericSparse(answers []float64, t float64, c int, eps, delta float64, tapes [2]*finite.Tape) (literal, fast []string, most int, first, second float64, err error) {
	a, err0 := spec.NumericSparse(0, func(_ int, a []spec.Numeric) (float64, bool) { return ask(answers)(0, make([]bool, len(a))) }, t, c, eps, delta, tapes[0])
	b, err1 := impl.NumericSparse(0, func(_ int, a []impl.Numeric) (float64, bool) { return ask(answers)(0, make([]bool, len(a))) }, t, c, eps, delta, tapes[1])
	for _, o := range a {
		literal = append(literal, numeric(impl.Numeric(o)))
	}
	for _, o := range b {
		fast = append(fast, numeric(o))
	}
	first, second = spec.NumericSparseScales(c, eps, delta)
	return literal, fast, c, first, second, firstError(err0, err1)
}

func numeric(o impl.Numeric) string {
	if o.Above {
		return fmt.Sprint(o.Value)
	}
	return "⊥"
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// sparseTwins checks that both rooms make the draws and give the outputs of an algorithm, but that spec may draw T̂_c, which
// nothing is compared with.
func sparseTwins(run program, printed variant) register.Check {
	return func(t *register.T) {
		n := t.Size(1500, 50000)
		t.Domain("%d tapes, up to 10 queries, c ≤ 3, ε in {1/4, 1, 2}, δ in {0, 1e-6, 1/2}", n)
		t.Random(5, n, func(t *register.T, d register.Dice) {
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
			want := printed.literalRun(answers, threshold, most, first, second, tape)
			if scales := tapes[0].Scales; len(scales) == len(tape.Scales)+1 {
				tapes[0].Scales = scales[:len(scales)-1]
			}
			if !slices.Equal(literal, want) || !slices.Equal(fast, want) || !slices.Equal(tapes[0].Scales, tape.Scales) || !slices.Equal(tapes[1].Scales, tape.Scales) {
				t.Refute("ε = %g, δ = %g, c = %d, T = %g, answers %v, draws %v: %v by spec, %v by impl, claimed are %v", eps, delta, c, threshold, answers, draws, literal, fast, want)
			}
		})
	}
}

// scalesAgree checks the scales of NumericSparse in both rooms.
func scalesAgree(t *register.T) {
	t.AlsoDomain("the scales for c in {1, 7}, ε in {1/3, 2}, δ in {0, 1e-9, 9/10}")
	for _, c := range []int{1, 7} {
		for _, eps := range rat.List("1/3", "2") {
			for _, delta := range rat.List("0", "1e-9", "9/10") {
				t.Case()
				first, second := impl.NumericSparseScales(c, eps, delta)
				a, b := spec.NumericSparseScales(c, rat.Float64(eps), rat.Float64(delta))
				isAbout(t, "σ(ε_1)", first, a)
				isAbout(t, "σ(ε_2)", second, b)
			}
		}
	}
}

// aboveThresholdIsDP checks the losses of all outputs, for small lists of answers, and for those a search finds to lose most.
func aboveThresholdIsDP(share *big.Rat) register.Check {
	return func(t *register.T) {
		n := t.Size(2, 3)
		t.Domain("ε in {1/2, 1, 4}; all lists of up to %d answers in {−2, 0, 1} that change by up to 1, all outputs; the run of up to 24 queries that a search finds to lose most", n)
		for _, eps := range rat.List("1/2", "1", "4") {
			tape := &finite.Tape{Draws: []float64{0}}
			_, err := spec.AboveThreshold(0, ask([]float64{0}), 0, rat.Float64(eps), tape)
			t.Must(err)
			law := impl.SparseVectorLaw{RhoScale: new(big.Rat).SetFloat64(tape.Scales[0]), NuScale: new(big.Rat).SetFloat64(tape.Scales[1]), Cutoff: 1}
			bound := rat.Mul(share, eps)
			try := func(runs [2][]impl.Comparison) {
				t.Case()
				l, err := law.Loss(runs[0], runs[1], 1e-9)
				t.Must(err)
				if rat.IsAbove(l, bound) {
					t.Refute("ε = %s: the outputs of %s have a loss of at least %.9g", rat.Show(eps), showRuns(runs), l.Lower)
				}
				t.Close(math.Round(l.Float().Lo/rat.Float64(bound)*1e9)/1e9, "ε = %s, %s", rat.Show(eps), showRuns(runs))
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
}

// smallRuns goes through the lists of l answers that change by up to 1, with ⊥ to all of them, and with ⊤ to the last.
func smallRuns(l int, try func(runs [2][]impl.Comparison)) {
	var extend func(runs [2][]impl.Comparison)
	extend = func(runs [2][]impl.Comparison) {
		isLast := len(runs[0]) == l-1
		for _, q := range []int64{-2, 0, 1} {
			for change := int64(-1); change <= 1; change++ {
				for _, above := range []bool{false, true}[:map[bool]int{true: 2, false: 1}[isLast]] {
					var longer [2][]impl.Comparison
					for b, answer := range []int64{q, q + change} {
						longer[b] = append(slices.Clip(runs[b]), impl.Comparison{Query: big.NewRat(answer, 1), Threshold: new(big.Rat), Above: above})
					}
					if isLast {
						try(longer)
					} else {
						extend(longer)
					}
				}
			}
		}
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

// accuracy is a claim of accuracy: an α, and the exact probability to fail at it.
type accuracy struct {
	deltas []*big.Rat
	most   int // c up to that
	alpha  func(t *register.T, k, c int, beta, delta *big.Rat) interval.Interval
	fails  func(k, c int, alpha interval.Interval, delta *big.Rat) interval.Float
}

func times(x interval.Interval, share *big.Rat) interval.Interval {
	return precise.Mul(precise.Rat(share), x)
}

func aboveThresholdAccuracy(share *big.Rat) accuracy {
	return accuracy{rat.List("0"), 1, func(t *register.T, k, _ int, beta, _ *big.Rat) interval.Interval {
		alpha := impl.AboveThresholdAccuracy(k, beta, rat.One)
		isAbout(t, "α", alpha, spec.AboveThresholdAccuracy(k, rat.Float64(beta), 1))
		return times(alpha, share)
	}, func(k, _ int, alpha interval.Interval, _ *big.Rat) interval.Float {
		return impl.AboveThresholdFailure(k, alpha, rat.One)
	}}
}

func sparseAccuracy(share *big.Rat) accuracy {
	return accuracy{rat.List("0", "1e-6", "9/10"), 5, func(t *register.T, k, c int, beta, delta *big.Rat) interval.Interval {
		alpha := impl.SparseAccuracy(k, c, beta, rat.One, delta)
		isAbout(t, "α", alpha, spec.SparseAccuracy(k, c, rat.Float64(beta), 1, rat.Float64(delta)))
		isAbout(t, "σ", impl.SparseScale(c, rat.One, delta), spec.SparseScale(c, 1, rat.Float64(delta)))
		return times(alpha, share)
	}, func(k, c int, alpha interval.Interval, delta *big.Rat) interval.Float {
		return impl.SparseFailure(k, c, alpha, rat.One, delta)
	}}
}

func numericAccuracy(share *big.Rat, deltas []*big.Rat) accuracy {
	return accuracy{deltas, 5, func(t *register.T, k, c int, beta, delta *big.Rat) interval.Interval {
		alpha := impl.NumericSparseAccuracy(k, c, beta, rat.One, delta)
		isAbout(t, "α", alpha, spec.NumericSparseAccuracy(k, c, rat.Float64(beta), 1, rat.Float64(delta)))
		first, second := impl.NumericSparseScales(c, rat.One, delta)
		a, b := spec.NumericSparseScales(c, 1, rat.Float64(delta))
		isAbout(t, "σ(ε_1)", first, a)
		isAbout(t, "σ(ε_2)", second, b)
		return times(alpha, share)
	}, func(k, c int, alpha interval.Interval, delta *big.Rat) interval.Float {
		return impl.NumericSparseFailure(k, c, alpha, rat.One, delta)
	}}
}

// numericCorrected has the larger of the printed α and σ(ε_2)·ln(2c/β).
var numericCorrected = func() accuracy {
	a := numericAccuracy(rat.One, rat.List("1e-6", "1/2"))
	printed := a.alpha
	a.alpha = func(t *register.T, k, c int, beta, delta *big.Rat) interval.Interval {
		_, second := impl.NumericSparseScales(c, rat.One, delta)
		return interval.Max(printed(t, k, c, beta, delta), precise.Mul(second, precise.Log(rat.Quo(rat.Int(2*c), beta))))
	}
	return a
}()

// isAccurate checks that an algorithm fails with probability at most β at the α that is claimed.
func isAccurate(a accuracy) register.Check {
	return func(t *register.T) {
		t.Domain("k in {1, 2, 100, 1000000}, c in {1, 2, 5} up to %d, β in {1e-6, 1/10, 99/100}, ε = 1, δ in {%s}; a larger ε makes α smaller by as much, and all noise", a.most, rat.Show(a.deltas...))
		for _, k := range []int{1, 2, 100, 1_000_000} {
			for _, c := range []int{1, 2, 5} {
				for _, beta := range rat.List("1e-6", "1/10", "99/100") {
					for _, delta := range a.deltas {
						if c > a.most {
							continue
						}
						t.Case()
						alpha := a.alpha(t, k, c, beta, delta)
						p := a.fails(k, c, alpha, delta)
						if p.Lo > rat.Float64(beta) {
							t.Refute("k = %d, c = %d, β = %s, δ = %s, ε = 1: at α = %.9g it fails with probability %.9g", k, c, rat.Show(beta), rat.Show(delta), alpha.Upper, p.Lo)
						}
						t.Close(p.Lo/rat.Float64(beta), "k = %d, c = %d, β = %s, δ = %s", k, c, rat.Show(beta), rat.Show(delta))
					}
				}
			}
		}
	}
}

// leastIsLeast checks the smallest α for one query, where the probability is (4y − y²)/6 with y = e^(−εα/4), and that it is known.
func leastIsLeast(t *register.T) {
	t.AlsoDomain("the smallest α for k = 1 by its closed form, and for k = 2 by the law of the outputs")
	for _, beta := range rat.List("1/1000", "1/10", "1/3") {
		t.Case()
		least := impl.LeastAlpha(func(alpha interval.Interval) interval.Float { return impl.AboveThresholdFailure(1, alpha, rat.One) }, beta)
		y := 2 - math.Sqrt(4-6*rat.Float64(beta))
		if want := -4 * math.Log(y); math.Abs(least.Hi/want-1) > 1e-4 || math.Abs(least.Lo/want-1) > 1e-4 {
			t.Refute("k = 1, β = %s, ε = 1: the smallest α is in [%.9g, %.9g], by the closed form %.9g", rat.Show(beta), least.Lo, least.Hi, want)
		}
		alpha := rat.Int(5)
		law := impl.SparseVectorLaw{RhoScale: rat.Int(2), NuScale: rat.Int(4), Cutoff: 1}
		right, err := law.Probability([]impl.Comparison{{Query: rat.Int(-5), Threshold: new(big.Rat)}, {Query: alpha, Threshold: new(big.Rat), Above: true}}, 1e-20)
		t.Must(err)
		if p, want := impl.AboveThresholdFailure(2, precise.Rat(alpha), rat.One), 1-right.Float().Hi; math.Abs(p.Lo/want-1) > 1e-3 {
			t.Refute("k = 2, α = 5, ε = 1: it fails with probability %.9g, by the law of the outputs %.9g", p.Lo, want)
		}
	}
}

// haltsEarly checks AFD-T3.26 to the letter: for c = 1, k = 2 and f_1 = T + α, it is not to halt before f_2.
func haltsEarly(t *register.T) {
	t.Domain("c = 1, k = 2, f_1(D) = T + α, f_2(D) far below T, ε = 1, β in {1/10, 1/2}, δ in {0, 1e-6}")
	a := sparseAccuracy(rat.One)
	for _, beta := range rat.List("1/10", "1/2") {
		for _, delta := range rat.List("0", "1e-6") {
			t.Case()
			stays := a.fails(1, 1, a.alpha(t, 2, 1, beta, delta), delta) // ⊥ for an answer of T + α
			if halts := 1 - stays.Hi; halts > rat.Float64(beta) {
				t.Refute("c = 1, k = 2, f_1(D) = T + α, β = %s, δ = %s: it halts before f_2 with probability at least %.9g", rat.Show(beta), rat.Show(delta), halts)
			}
		}
	}
}

// composed is a setting of the theorems on privacy.
type composed struct {
	c          int
	eps, delta string
}

func (s composed) String() string {
	return fmt.Sprintf("c = %d, ε = %s, δ = %s", s.c, s.eps, s.delta)
}

var (
	edgeCases = []composed{{1, "1", "1e-6"}, {1, "1", "9/10"}, {10, "1/2", "1/2"}, {1, "1", "0.99999"}, {1000, "4200", "1/2"}}
	hugeCases = []composed{{1, "1", "1e-6"}, {1, "1", "0.99999"}, {10, "1/2", "1/2"}, {2000, "11000", "1/2"}}
)

func sparseRounds(c int, eps, delta *big.Rat) interval.Interval {
	return impl.SparseScale(c, eps, delta)
}

func numericRounds(c int, eps, delta *big.Rat) interval.Interval {
	first, _ := impl.NumericSparseScales(c, eps, delta)
	return first
}

// roundsLeak checks (ε, δ)-DP where all answers are T + 1/2 on one database and T − 1/2 on the other: c times ⊤ at once has the
// probabilities (1 − t)^c and t^c, t = (4y − y²)/6 and y = e^(−1/(4σ)).
func roundsLeak(theorem int, scale func(c int, eps, delta *big.Rat) interval.Interval, cases []composed) register.Check {
	return func(t *register.T) {
		t.Domain("(c, ε, δ) in {%v}, answers T + 1/2 or T − 1/2 to all queries, ⊤ to the first c", cases)
		for _, s := range cases {
			t.Case()
			eps, delta := rat.Of(s.eps), rat.Of(s.delta)
			sigma := scale(s.c, eps, delta)
			literal := spec.SparseScale(s.c, rat.Float64(eps), rat.Float64(delta))
			if theorem == 2 {
				literal, _ = spec.NumericSparseScales(s.c, rat.Float64(eps), rat.Float64(delta))
			}
			if math.Abs(literal/sigma.Float().Hi-1) > 1e-10 { // ln(1/δ) of a δ near 1 cancels in float64
				t.Refute("%v: σ is %.15g by spec, %.15g by impl", s, literal, sigma.Float().Hi)
			}
			y := precise.Exp(precise.Neg(precise.Quo(precise.Rat(rat.Of("1/4")), sigma)))
			tail := precise.Quo(precise.Sub(precise.Mul(precise.Int(4), y), precise.Mul(y, y)), precise.Int(6))
			forth, back := precise.Power(precise.Sub(precise.Int(1), tail), s.c), precise.Power(tail, s.c)
			if needs := precise.Sub(forth, precise.Mul(precise.ExpRat(eps), back)); rat.IsAbove(needs, delta) {
				t.Refute("%v, answers T + 1/2 against T − 1/2: at least δ = %.9g is needed", s, needs.Lower)
			}
		}
	}
}

// bounded says for which settings: those where ε or c is at most n·ln(1/δ), or all with δ ≤ 1/1000 if n is 0.
func bounded(n float64) func(s composed) bool {
	return func(s composed) bool {
		log := math.Log(1 / rat.Float64(rat.Of(s.delta)))
		return n == 0 && log > 6 || min(float64(s.c), rat.Float64(rat.Of(s.eps))) <= n*log
	}
}

// sparseParts returns the mechanisms that Sparse is made of: c that are 2/σ-DP.
func sparseParts(share *big.Rat) func(t *register.T, s composed) []impl.Mechanism {
	return func(t *register.T, s composed) []impl.Mechanism {
		sigma := impl.SparseScale(s.c, rat.Of(s.eps), rat.Of(s.delta))
		isAbout(t, "σ", sigma, spec.SparseScale(s.c, rat.Float64(rat.Of(s.eps)), rat.Float64(rat.Of(s.delta))))
		return []impl.Mechanism{atScale(rat.Int(2), times(sigma, share), s.c)}
	}
}

// numericParts returns those of NumericSparse: the numbers are 1/σ(ε_2)-DP.
func numericParts(share *big.Rat) func(t *register.T, s composed) []impl.Mechanism {
	return func(t *register.T, s composed) []impl.Mechanism {
		first, second := impl.NumericSparseScales(s.c, rat.Of(s.eps), rat.Of(s.delta))
		a, b := spec.NumericSparseScales(s.c, rat.Float64(rat.Of(s.eps)), rat.Float64(rat.Of(s.delta)))
		isAbout(t, "σ(ε_1)", first, a)
		isAbout(t, "σ(ε_2)", second, b)
		return []impl.Mechanism{atScale(rat.Int(2), times(first, share), s.c), atScale(rat.One, times(second, share), s.c)}
	}
}

// atScale returns mechanisms with ε = top/scale, to 12 digits, upward.
func atScale(top *big.Rat, scale interval.Interval, count int) impl.Mechanism {
	eps := rat.Of(fmt.Sprintf("%.12e", rat.Float64(rat.Quo(top, rat.Exact(scale.Lower)))*(1+1e-11)))
	return impl.Mechanism{Eps: loss.Nats(eps), Delta: new(big.Rat), Count: count}
}

// compose checks that the parts are together (ε, δ)-DP, by optimal composition.
func compose(parts func(t *register.T, s composed) []impl.Mechanism, in func(s composed) bool) register.Check {
	return func(t *register.T) {
		t.Domain("optimal composition for c in {1, 20, 100}, ε in {1, 5, 100}, δ in {1e-6, 1/1000, 1/2, 9/10}, as far as claimed")
		for _, c := range []int{1, 20, 100} {
			for _, eps := range []string{"1", "5", "100"} {
				for _, delta := range []string{"1e-6", "1/1000", "1/2", "9/10"} {
					s := composed{c, eps, delta}
					if !in(s) {
						continue
					}
					t.Case()
					needed, err := impl.OptComp(t.Context(), parts(t, s), rat.Of(delta), impl.Options{RelWidth: 1e-2})
					t.Must(err)
					if x := needed.Eps.Float().Lo; x > rat.Float64(rat.Of(eps))*(1+1e-9) {
						t.Refute("%v: at least ε = %.9g is needed", s, x)
					}
					t.Close(needed.Eps.Float().Lo/rat.Float64(rat.Of(eps)), "%v", s)
				}
			}
		}
	}
}

// addsUp checks that c rounds of NumericSparse with δ = 0, 2/σ(ε_1) for ⊤ and 1/σ(ε_2) for its number, add up to at most ε.
func addsUp(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.AlsoDomain("the sum of all ε for δ = 0, c in {1, 2, 9}, ε in {1/10, 3}")
		for _, c := range []int{1, 2, 9} {
			for _, eps := range rat.List("1/10", "3") {
				t.Case()
				first, second := impl.NumericSparseScales(c, eps, new(big.Rat))
				a, b := spec.NumericSparseScales(c, rat.Float64(eps), 0)
				isAbout(t, "σ(ε_1)", first, a)
				isAbout(t, "σ(ε_2)", second, b)
				round := precise.Add(precise.Quo(precise.Int(2), first), precise.Quo(precise.Int(1), second))
				sum, most := rat.Float64(rat.Mul(rat.Exact(round.Lower), rat.Int(c))), rat.Float64(rat.Mul(share, eps))
				if sum > most*(1+1e-12) {
					t.Refute("c = %d, ε = %s: the parts add up to %.12g", c, rat.Show(eps), sum)
				}
				t.Close(min(1, sum/most), "c = %d, ε = %s", c, rat.Show(eps))
			}
		}
	}
}
