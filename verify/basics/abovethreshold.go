package basics

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// aboveThresholds are the statements of Section 3.6 on AboveThreshold.
func aboveThresholds() []register.Statement {
	return []register.Statement{
		notation("AFD-X18", "The setting: queries of sensitivity 1, one public threshold, the noisy one not public, c answers above it", "Section 3.6, its first page"),
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
			Kind:    register.Certified, Verdict: register.Holds, In: []string{"spec.AboveThresholdAccuracy", "impl.AboveThresholdAccuracy", "impl.AboveThresholdFailure", "impl.LeastAlpha", "impl.ExactAboveThresholdAccuracy"},
			Check: register.Both(isAccurate(aboveThresholdAccuracy(rat.One)), leastIsLeast),
			Readings: []register.Reading{
				{Claim: register.Claim{Says: "log is that to base 2", Check: isAccurate(aboveThresholdAccuracy(rat.Of("1.4426")))}, Verdict: register.Holds},
				{Claim: register.Claim{Says: "half of α", Check: isAccurate(aboveThresholdAccuracy(rat.Half))}, Verdict: register.Holds},
			},
			Controls: []register.Claim{{Says: "log is that to base 10", Check: isAccurate(aboveThresholdAccuracy(rat.Of("0.43429")))}},
			Near:     []register.Claim{{Says: "9/20 of α", Check: isAccurate(aboveThresholdAccuracy(rat.Of("9/20")))}},
		},
	}
}

// aboveThresholdIsDP checks the losses of all outputs, for small lists of answers, and for those a search finds to lose most.
func aboveThresholdIsDP(share *big.Rat) register.Check {
	return func(t *register.T) {
		n := t.Size(2, 3)
		t.Domain("ε in {1/2, 1, 4}; all lists of up to %d answers in {−2, 0, 1} that change by up to 1, all outputs; the run of up to 24 queries that a search finds to lose most", n)
		for _, eps := range rat.List("1/2", "1", "4") {
			law := noiseOf(t, eps)
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

func aboveThresholdAccuracy(share *big.Rat) accuracy {
	return accuracy{rat.List("0"), 1, func(t *register.T, k, _ int, beta, _ *big.Rat) interval.Interval {
		alpha := impl.AboveThresholdAccuracy(k, beta, rat.One)
		isAbout(t, "α", alpha, spec.AboveThresholdAccuracy(k, rat.Float64(beta), 1))
		return times(alpha, share)
	}, func(k, _ int, alpha interval.Interval, _ *big.Rat) interval.Float {
		return impl.AboveThresholdFailure(k, alpha, rat.One)
	}}
}

// leastIsLeast checks the smallest α for one query, where the probability is (4y − y²)/6 with y = e^(−εα/4), and that it is known.
func leastIsLeast(t *register.T) {
	t.AlsoDomain("the smallest α for k = 1 by its closed form, and for k = 2 by the law of the outputs")
	for _, beta := range rat.List("1/1000", "1/10", "1/3") {
		t.Case()
		least := impl.LeastAlpha(func(alpha interval.Interval) interval.Float { return impl.AboveThresholdFailure(1, alpha, rat.One) }, beta)
		third := impl.ExactAboveThresholdAccuracy(impl.SparseSetting{Queries: 1, Above: 1, Beta: beta, Eps: rat.Int(3), Delta: new(big.Rat)}).Float()
		if math.Abs(3*third.Hi/least.Hi-1) > 1e-12 || math.Abs(3*third.Lo/least.Lo-1) > 1e-12 {
			t.Refute("k = 1, β = %s, ε = 3: the smallest α is in [%.9g, %.9g], which is not a third of that for ε = 1", rat.Show(beta), third.Lo, third.Hi)
		}
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
