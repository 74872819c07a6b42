package odp

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// sparseVector are the statements on the sparse vector technique.
func sparseVector() register.Checks {
	changed := func(change func(s *shift)) register.Check {
		s := shiftPrinted
		change(&s)
		return register.With(topShift, s)
	}
	return register.Checks{
		"ODP-A2": register.Checked(
			register.All(register.With(sparseVectorTwins, variant{}), register.With(scalesOfLaw, rat.One),
				register.With(endsAfter, 3),
				audited("svt", mechanisms.Params{}, "impl", "spec")),
			register.Control("a program with a fifth of the noise keeps the charges",
				audited("svt", mechanisms.Params{Noise: rat.Of("1/5")}, "impl")),
			near("⊤ if q_i(x) + ν_i > T_i + ρ", sparseVectorTwins, variant{strict: true}),
			near("until c + 1 times ⊤", sparseVectorTwins, variant{extra: 1}),
			near("a run of impl answers c + 1 times with ⊤", endsAfter, 4),
			near("ρ ~ Lap(1.05·Δ/ε_1)", sparseVectorTwins, variant{noise: 0.05}),
			near("the law of the outputs has ν ~ Lap(2.1·cΔ/ε_2)", scalesOfLaw, rat.Of("1.05")),
		),
		"ODP-X11": register.Checked(register.With(sparseVectorCharges, chargeAll(rat.One, rat.One)),
			append(wrongSparseVectorClaims(),
				near("all ⊥ together contribute 0.95·ε_1", sparseVectorCharges, chargeAll(rat.Of("0.95"), rat.One)),
				near("each ⊤ contributes 0.95·ε_2/c", sparseVectorCharges, chargeAll(rat.One, rat.Of("0.95"))))...,
		),
		"ODP-L8": register.Checked(
			register.All(register.With(densitiesAgree, 1), chargesAgree, register.With(proofSteps, 1),
				register.With(sparseVectorCharges, chargePrinted)),
			append(tightCharges(),
				near("the integrand of the proof has ν_i ~ Lap(2.1·cΔ/ε_2)", densitiesAgree, 1.05),
				register.AlsoFails(register.Slip, "the step after E1 in the proof as printed, with f_i(x, z) and g_i(x, z)",
					register.With(proofSteps, 0)))...,
		),
		"ODP-E1": register.Checked(register.With(topShift, shiftPrinted),
			register.NearMiss("with e^(0.999·ε_2/c)", changed(func(s *shift) { s.kappa = rat.Of("0.999") })),
			register.NearMiss("with z − 1.95·Δ in the second step", changed(func(s *shift) { s.further = rat.Of("1.95") })),
			register.NearMiss("for queries of sensitivity 1.05·Δ", changed(func(s *shift) { s.change = rat.Of("1.05") })),
		),
		"ODP-E2": register.Checked(register.With(partsCover, func(a []bool, c int) bool { return tops(a) <= c }),
			near("S_0, …, S_c without the output that has c times ⊤ in a row at its start are all outputs", partsCover,
				func(a []bool, c int) bool { return len(a) > c || tops(a) < c }),
		),
	}
}

// tops returns |I_⊤|.
func tops(a []bool) int { return strings.Count(arrows(a), "⊤") }

// splits are the pairs ε_1, ε_2 of the checks.
var splits = [][2]string{{"1/2", "1/2"}, {"1/10", "9/10"}, {"2", "1/3"}}

// showSplits writes the first m of [splits].
func showSplits(m int) string {
	var text []string
	for _, split := range splits[:m] {
		text = append(text, fmt.Sprintf("(%s, %s)", split[0], split[1]))
	}
	return "{" + strings.Join(text, ", ") + "}"
}

// partsCover checks that the outputs in some parts are all of them: that their probabilities add up to 1, and the
// integrands of the proof of Lemma 8 to the density of ρ.
func partsCover(t *register.T, isIn func(a []bool, c int) bool) {
	n := t.Size(5, 9)
	t.Domain("c ≤ 3, up to %d queries, Δ in {1, 3}, ε_1 = 1/2, ε_2 = 3/4; ρ in {−20, −1, 0, 2, 9} for spec", n)
	for l := 1; l <= n; l++ {
		for c := 1; c <= 3; c++ {
			for _, delta := range rat.List("1", "3") {
				t.Case()
				outputs := slices.DeleteFunc(possibleRuns(c, l), func(run []impl.Comparison) bool {
					return !isIn(outputsOf(run), c)
				})
				totalIsOne(t, register.Must(impl.NewSparseVectorLaw(delta, c, rat.Half, rat.Of("3/4"))), l, outputs)
				densitiesAddUp(t, noises{rat.Float64(delta), c, 0.5, 0.75}, outputs)
			}
		}
	}
}

// possibleRuns returns the runs of all outputs for l queries.
func possibleRuns(c, l int) (all [][]impl.Comparison) {
	var extend func(run []impl.Comparison)
	extend = func(run []impl.Comparison) {
		if len(run) == l || tops(outputsOf(run)) == c {
			all = append(all, run)
			return
		}
		next := impl.Comparison{
			Query:     big.NewRat([]int64{0, 3, -2, 1}[len(run)%4], 1),
			Threshold: big.NewRat(int64(len(run)+1), 3),
		}
		for _, next.Above = range []bool{false, true} {
			extend(append(slices.Clip(run), next))
		}
	}
	extend(nil)
	return all
}

func outputsOf(run []impl.Comparison) (a []bool) {
	for _, c := range run {
		a = append(a, c.Above)
	}
	return a
}

// totalIsOne checks the sum of the probabilities of outputs for l queries, and that c + 1 times ⊤ has none.
func totalIsOne(t *register.T, law impl.SparseVectorLaw, l int, outputs [][]impl.Comparison) {
	n := interval.Precision(64)
	sum := n.Int(0)
	for _, run := range outputs {
		sum = n.Add(sum, register.Must(law.Probability(run, relative)))
	}
	after := queries(law.Cutoff+1, "1", "1", true)[0]
	p := register.Must(law.Probability(after, relative))
	t.Require(p.Upper.Sign() == 0, "c = %d: %d times ⊤ has probability %.12g", law.Cutoff, len(after), p.Upper)
	t.Require(sum.Contains(rat.One), "c = %d, ρ ~ Lap(%s), ν ~ Lap(%s), %d queries with answers 0, 3, −2, 1, 0, … and "+
		"T_i = i/3: probabilities sum to a number in [%.12g, %.12g]", law.Cutoff, law.RhoScale, law.NuScale, l, sum.Lower,
		sum.Upper)
}

// densitiesAddUp checks the sum of spec's integrands of outputs, which is the density of ρ.
func densitiesAddUp(t *register.T, s noises, outputs [][]impl.Comparison) {
	for _, z := range []float64{-20, -1, 0, 2, 9} {
		sum := 0.0
		for _, run := range outputs {
			sum += s.bySpec(run)(z)
		}
		want := laplaceDensity(z, s.rho())
		t.Require(isNear(sum, want, 1e-12), "c = %d, Δ = %g, ε_1 = 1/2, ε_2 = 3/4, ρ = %g: the densities of %d outputs sum "+
			"to %.12g, that of ρ is %.12g", s.c, s.delta, z, len(outputs), sum, want)
	}
}
