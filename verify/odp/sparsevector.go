package odp

import (
	"cmp"
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
func sparseVector() []register.Statement {
	return []register.Statement{
		{
			ID:      "ODP-A2",
			Title:   "The sparse vector technique: spec and impl make the same draws and give the same outputs, and those keep the charges of ODP-L8",
			Kind:    register.Statistical,
			Verdict: register.Holds,
			Note: "an algorithm: what is checked is that two programs for it agree, ties included, and that audits of their outputs on the hardest inputs known do not refute the guarantee of ODP-L8, which is checked there. " +
				"ε_1 = ε_2 = 1/2, c = 3, 12 queries.",
			In:    []string{"spec.SparseVector", "impl.SparseVector", "impl.SparseVectorRun"},
			Check: register.Both(sparseVectorTwins(impl.SparseVector[int]), audited("svt", mechanisms.Params{}, "impl", "spec")),
			Controls: []register.Claim{
				{Says: "so does a program that compares with >", Check: sparseVectorTwins(variantSparseVector(variant{strict: true}))},
				{Says: "so does a program that draws ρ again after ⊤", Check: sparseVectorTwins(variantSparseVector(variant{redraw: true}))},
				{Says: "so does a program that allows c + 1 times ⊤", Check: sparseVectorTwins(variantSparseVector(variant{extra: 1}))},
				{Says: "so does a program with a fifth of the noise", Check: audited("svt", mechanisms.Params{Noise: rat.Of("1/5")}, "impl")},
			},
		},
		{
			ID:      "ODP-X11",
			Title:   "The sparse vector technique is (ε_1 + ε_2)-DP, whatever the number of ⊥",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note:    "δ = 0 and countably many outputs: the inequality for every output is the inequality for every set. How much of it is the charge of ⊥ and of each ⊤ is ODP-L8",
			In:      []string{"impl.SparseVectorLaw", "impl.NewSparseVectorLaw"},
			Check:   sparseVectorIsDP(rightOnes(), rightSparseVectors(func(eps1, eps2 *big.Rat) *big.Rat { return rat.Add(eps1, eps2) })),
			Controls: append(wrongSparseVectorClaims(), register.Claim{
				Says:  "it is max(ε_1, ε_2)-DP",
				Check: sparseVectorIsDP(rightOnes(), rightSparseVectors(func(eps1, eps2 *big.Rat) *big.Rat { return rat.Max(eps1, eps2) })),
			}),
		},
		{
			ID:      "ODP-L8",
			Title:   "The sparse vector technique is (𝒫, ℰ, 0)-ODP with ℰ(S_{c'}) = ε_1 + (c'/c)·ε_2",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note: "δ = 0 and one ℰ for all outputs of a part: P0(a) ≤ e^ℰ·P1(a) for every output a is the inequality for every set, as both sides add up, and it is that of the set {a}. " +
				"What the analyst does after an output, STOP and adaptive queries, depends on that output only and cancels from the ratio; given the answers, the order of the queries changes nothing: lists are enough. Dividing by Δ leaves Δ = 1. " +
				"The proof after E1 has f_i(x, z)·g_i(x, z) in the numerator, which must be those of x': a control refutes the step as printed; with x' it is checked too, holds, and leads to the equality that follows. " +
				"Print concludes subset DP with e^(ε_1 + (c'/c)ε_2) where it means ε_1 + (c'/c)ε_2; as printed that is true, but too weak for Lemma 6. " +
				"How tight is it? The charges are approached as closely as one likes: with more than c' + 2cε_1/ε_2 times ⊥, far above the threshold, and ⊤ far below it, the loss tends to the charge.",
			In: []string{"spec.SparseVectorCharge", "impl.SparseVectorCharge", "spec.SparseVectorDensity", "impl.SparseVectorLaw", "impl.ClosestRun"},
			Check: func(t *register.T) {
				proofSteps(1)(t)
				sparseVectorCharges(chargePrinted)(t)
			},
			Controls: append(tightCharges(),
				register.Claim{Says: "ℰ = (c'/c)·ε_2", Check: sparseVectorCharges(scaledCharge("0", "1"))},
				register.Claim{Says: "ℰ = ε_1/2 + (c'/c)·ε_2", Check: sparseVectorCharges(scaledCharge("1/2", "1"))},
				register.Claim{Says: "ℰ = ε_1 + (c'/(2c))·ε_2", Check: sparseVectorCharges(scaledCharge("1", "1/2"))},
				register.Claim{Says: "ℰ = ε_1", Check: sparseVectorCharges(scaledCharge("1", "0"))},
				register.Claim{Says: "the step after E1 in the proof holds as printed, with f_i(x, z) and g_i(x, z)", Check: proofSteps(0)},
			),
		},
		{
			ID:      "ODP-E1",
			Title:   "g_i(x, z − Δ) ≤ e^(ε_2/c)·g_i(x', z), with the two steps between",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note:    "where both are tails of the Laplace law, the comparison is one of exponents, exactly; the bound is attained there",
			In:      []string{"impl.SparseVectorLaw"},
			Check:   topShift("1"),
			Controls: []register.Claim{
				{Says: "with e^(ε_2/(2c))", Check: topShift("1/2")},
				{Says: "with e^(0.999·ε_2/c)", Check: topShift("0.999")},
			},
		},
		{
			ID:      "ODP-E2",
			Title:   "An output in S_{c'} has c' times ⊤; the parts for c' = 0, …, c cover all outputs",
			Kind:    register.Certified,
			Verdict: register.Holds,
			Note:    "the equation is the definition of S_{c'}; that those up to c are a partition is what has to be shown",
			In:      []string{"impl.SparseVectorLaw"},
			Check:   partsCover(0),
			Controls: []register.Claim{
				{Says: "the parts for c' < c cover all outputs", Check: partsCover(-1)},
			},
		},
	}
}

// claimedSparseVector is a technique with a claim, and runs to try first.
type claimedSparseVector struct {
	law  impl.SparseVectorLaw
	eps  *big.Rat
	runs []neighbours
}

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

// cutoffs are the c of [rightSparseVectors].
var cutoffs = []int{1, 3, 8}

// rightOnes writes the parameters of [rightSparseVectors].
func rightOnes() string {
	return fmt.Sprintf("c in {%s}, (ε_1, ε_2) in %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(cutoffs), " ", ", "), "[]"), showSplits(len(splits)))
}

// rightSparseVectors are those of Algorithm 2. They print no values, so what they are
// tried on is ⊤ where a variant prints one.
func rightSparseVectors(eps func(eps1, eps2 *big.Rat) *big.Rat) []claimedSparseVector {
	var all []claimedSparseVector
	var traps []neighbours
	for _, w := range wrongSparseVectors() {
		for _, run := range w.Runs {
			for i := range run {
				run[i].Released = nil
			}
		}
		traps = append(traps, w.Runs)
	}
	for _, c := range cutoffs {
		for _, split := range splits {
			eps1, eps2 := rat.Of(split[0]), rat.Of(split[1])
			all = append(all, claimedSparseVector{register.Must(impl.NewSparseVectorLaw(rat.One, c, eps1, eps2)), eps(eps1, eps2), traps})
		}
	}
	return all
}

func wrongSparseVectorClaims() []register.Claim {
	var claims []register.Claim
	for _, w := range wrongSparseVectors() {
		claims = append(claims, register.Claim{
			Says:  fmt.Sprintf("the variant of %s (%s) is %s-DP", w.Name, w.Difference, rat.Show(w.Eps)),
			Check: sparseVectorIsDP(w.Difference, []claimedSparseVector{{w.Law, w.Eps, []neighbours{w.Runs}}}),
		})
	}
	return claims
}

// sparseVectorIsDP checks that P0(a) ≤ e^ε·P1(a) for all outputs a; of says of which techniques.
func sparseVectorIsDP(of string, all []claimedSparseVector) register.Check {
	return func(t *register.T) {
		n := t.Size(2, 3)
		t.Domain("%s; all lists of up to %d queries with answers in {−2, 0, 1} that change by up to 1, either database first, all outputs; up to 64 times ⊥; the runs that refute published variants", of, n)
		for _, s := range all {
			p := probabilities{t, s.law}
			try := func(pair neighbours) {
				t.Case()
				if p.exceeds(pair, s.eps) {
					t.Refute("%s > ε = %s", p.evidence(pair), rat.Show(s.eps))
				}
			}
			for _, pair := range s.runs {
				eitherFirst(pair, try)
			}
			for l := range n {
				smallRuns(l+1, try)
			}
			for released := range cmp.Or(s.law.Cutoff, 8) + 1 {
				for _, pair := range extremeRuns(released) {
					eitherFirst(pair, try)
				}
			}
		}
	}
}

// partsCover checks that the outputs with at most c + more times ⊤ have probability 1
// together: none other has a positive one.
func partsCover(more int) register.Check {
	return func(t *register.T) {
		n := t.Size(5, 9)
		t.Domain("c ≤ 3, up to %d queries, ε_1 = ε_2 = 1/2", n)
		for l := 1; l <= n; l++ {
			for c := 1; c <= 3; c++ {
				t.Case()
				law := register.Must(impl.NewSparseVectorLaw(rat.One, c, rat.Half, rat.Half))
				sum := totalProbability(t, law, l, c+more)
				if sum.Lower.Cmp(big.NewFloat(1)) > 0 || sum.Upper.Cmp(big.NewFloat(1)) < 0 {
					t.Refute("c = %d, ε_1 = ε_2 = 1/2, %d queries with answers 0, 3, −2, 1, 0, … and T_i = i/3: probabilities sum to a number in [%.12g, %.12g]", c, l, sum.Lower, sum.Upper)
				}
			}
		}
	}
}

// totalProbability sums over all outputs for l queries with at most limit times ⊤.
func totalProbability(t *register.T, law impl.SparseVectorLaw, l, limit int) interval.Interval {
	sum := interval.Interval{
		Lower: new(big.Float).SetPrec(64).SetMode(big.ToNegativeInf),
		Upper: new(big.Float).SetPrec(64).SetMode(big.ToPositiveInf),
	}
	var extend func(run []impl.Comparison, count int)
	extend = func(run []impl.Comparison, count int) {
		if count > limit {
			return
		}
		if len(run) == l || count == law.Cutoff {
			p, err := law.Probability(run, relative)
			t.Must(err)
			sum.Lower.Add(sum.Lower, p.Lower)
			sum.Upper.Add(sum.Upper, p.Upper)
			return
		}
		next := impl.Comparison{
			Query:     big.NewRat([]int64{0, 3, -2, 1}[len(run)%4], 1),
			Threshold: big.NewRat(int64(len(run)+1), 3),
		}
		extend(append(slices.Clip(run), next), count)
		next.Above = true
		extend(append(slices.Clip(run), next), count+1)
	}
	extend(nil, 0)
	return sum
}
