package odp

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"sync"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/spec"
	"checkrr/verify/audit/mechanisms"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

func sparseVector() []register.Statement {
	return slices.Concat([]register.Statement{
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
	}, sparseRelease())
}

// sparseVectorProgram is the type of spec.SparseVector.
type sparseVectorProgram = func(x int, query func(x int, a []bool) (q, t float64, stop bool), delta float64, c int, eps1, eps2 float64, noise impl.Noise) ([]bool, error)

// tape is a [spec.Noise] that plays draws, and keeps the scales that were asked for.
type tape struct {
	draws  []float64 // for scale 1
	scales []float64
}

func (p *tape) Laplace(scale float64) float64 {
	p.scales = append(p.scales, scale)
	return scale * p.draws[(len(p.scales)-1)%len(p.draws)]
}

// sparseVectorTwins checks that a program makes the draws of spec and gives its outputs.
// All numbers are multiples of 1/8, so there are ties.
func sparseVectorTwins(program sparseVectorProgram) register.Check {
	return func(t *register.T) {
		n := t.Size(2000, 50000)
		t.Domain("%d tapes, up to 12 adaptive queries, c ≤ 3", n)
		t.Random(2, n, func(t *register.T, d register.Dice) {
			c, length := 1+d.Roll(3), d.Roll(13)
			eps1, eps2 := math.Ldexp(1, -d.Roll(3)), math.Ldexp(float64(c), -d.Roll(3))
			var draws, answers []float64
			for range 14 {
				draws = append(draws, float64(d.Roll(17)-8)/8)
				answers = append(answers, float64(d.Roll(9)-4))
			}
			query := func(x int, a []bool) (q, threshold float64, stop bool) {
				if len(a) > 0 && a[len(a)-1] {
					threshold = 1 // adaptive
				}
				return float64(x) + answers[len(a)%14], threshold, len(a) == length
			}
			x := d.Roll(2)
			first, second := &tape{draws: draws}, &tape{draws: draws}
			want, err := spec.SparseVector(x, query, 1, c, eps1, eps2, first)
			t.Must(err)
			got, err := program(x, query, 1, c, eps1, eps2, second)
			t.Must(err)
			if !slices.Equal(got, want) || !slices.Equal(first.scales, second.scales) {
				t.Refute("c = %d, ε_1 = %g, ε_2 = %g, x = %d, %d queries with answers x + %v, T = 0, 1 after ⊤, draws %v: %s with scales %v, spec %s with scales %v",
					c, eps1, eps2, x, length, answers, draws, arrows(got), second.scales, arrows(want), first.scales)
			}
		})
	}
}

// arrows writes outputs.
func arrows(a []bool) string {
	var text strings.Builder
	for _, above := range a {
		text.WriteString(map[bool]string{true: "⊤", false: "⊥"}[above])
	}
	return text.String()
}

// variant says what a program does that is not Algorithm 2.
type variant struct {
	strict, redraw bool
	extra          int
}

func variantSparseVector(v variant) sparseVectorProgram {
	return func(x int, query func(int, []bool) (float64, float64, bool), delta float64, c int, eps1, eps2 float64, noise impl.Noise) ([]bool, error) {
		var a []bool
		rho := noise.Laplace(delta / eps1)
		for count := 0; ; {
			q, t, stop := query(x, a)
			if stop || count >= c+v.extra {
				return a, nil
			}
			noisy := q + noise.Laplace(2*float64(c)*delta/eps2)
			above := noisy > t+rho || !v.strict && noisy == t+rho
			if a = append(a, above); above {
				count++
				if v.redraw {
					rho = noise.Laplace(delta / eps1)
				}
			}
		}
	}
}

// neighbours are the runs with the same outputs and one threshold on two neighbouring
// databases.
type neighbours [2][]impl.Comparison

func (p neighbours) String() string {
	var text [3][]string
	for _, group := range p.groups() {
		times := ""
		if n := len(group[0]); n > 1 {
			times = fmt.Sprintf("%d × ", n)
		}
		for b := range p {
			text[b] = append(text[b], times+rat.Show(group[b][0].Query))
		}
		text[2] = append(text[2], times+arrows([]bool{group[0][0].Above}))
		if r := group[0][0].Released; r != nil {
			text[2] = append(text[2], fmt.Sprintf("printed in [%s]", rat.Show(r.Low, r.High)))
		}
	}
	return fmt.Sprintf("T = %s, answers (%s) against (%s), output (%s)", rat.Show(p[0][0].Threshold),
		strings.Join(text[0], ", "), strings.Join(text[1], ", "), strings.Join(text[2], ", "))
}

// groups returns the pieces of equal comparisons.
func (p neighbours) groups() []neighbours {
	var result []neighbours
	same := func(x, y impl.Comparison) bool { return x.Query.Cmp(y.Query) == 0 && x.Above == y.Above }
	for from, to := 0, 0; from < len(p[0]); from = to {
		for to < len(p[0]) && same(p[0][from], p[0][to]) && same(p[1][from], p[1][to]) {
			to++
		}
		result = append(result, neighbours{p[0][from:to], p[1][from:to]})
	}
	return result
}

// released returns the number of ⊤.
func (p neighbours) released() int {
	count := 0
	for _, c := range p[0] {
		if c.Above {
			count++
		}
	}
	return count
}

// probabilities are those of one law.
type probabilities struct {
	t   *register.T
	law impl.SparseVectorLaw
}

// relative is how narrow the probabilities are at first.
const relative = 1e-13

// knownProbabilities has what was computed once for each law and each list of comparisons
// without order: given the answers, a run's probability does not depend on it, but for the
// cutoff. A statement and its controls are about the same ones.
var knownProbabilities sync.Map

func (p probabilities) of(run []impl.Comparison) interval.Interval {
	key := fmt.Sprint(rat.Show(p.law.RhoScale, p.law.NuScale), p.law.Cutoff, unordered(run))
	if known, ok := knownProbabilities.Load(key); ok {
		return known.(interval.Interval)
	}
	known, err := p.law.Probability(run, relative)
	p.t.Must(err)
	knownProbabilities.Store(key, known)
	return known
}

// unordered writes the comparisons of a run such that their order does not matter.
func unordered(run []impl.Comparison) string {
	var words []string
	for _, c := range run {
		word := rat.Sub(c.Threshold, c.Query).RatString() + arrows([]bool{c.Above})
		if c.Released != nil {
			word += rat.Show(c.Query, c.Released.Low, c.Released.High)
		}
		words = append(words, word)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// exceeds reports whether P0 > e^ε·P1. Floating-point logarithms of numbers that are
// known to 1e-13 decide, unless they come within 1e-9; then certified ones do.
func (p probabilities) exceeds(pair neighbours, eps *big.Rat) bool {
	if unordered(pair[0]) == unordered(pair[1]) {
		return eps.Sign() < 0
	}
	p0, p1 := p.of(pair[0]), p.of(pair[1])
	if p0.Upper.Sign() == 0 || p1.Upper.Sign() == 0 {
		return p0.Upper.Sign() > 0
	}
	x, _ := p0.Lower.Float64()
	y, _ := p1.Lower.Float64()
	e, _ := eps.Float64()
	if gap := math.Log(x) - math.Log(y) - e; min(x, y) > 1e-290 && math.Abs(gap) > 1e-9 {
		return gap > 0
	}
	for width := 1e-20; width > 1e-200; width *= width {
		loss, err := p.law.Loss(pair[0], pair[1], width)
		p.t.Must(err)
		if rat.IsAbove(loss, eps) || rat.IsAtMost(loss, eps) {
			return rat.IsAbove(loss, eps)
		}
	}
	p.t.Undecided("%v: the loss is too close to ε = %s", pair, rat.Show(eps))
	return false
}

// evidence writes the numbers of a counterexample.
func (p probabilities) evidence(pair neighbours) string {
	p0, p1 := p.of(pair[0]), p.of(pair[1])
	text := fmt.Sprintf("%v: P0 = %.12g, P1 = %.12g", pair, p0.Lower, p1.Lower)
	if p0.Lower.Sign() > 0 && p1.Lower.Sign() > 0 {
		text += fmt.Sprintf(", ln(P0/P1) = %.10f", register.Must(impl.LogRatio(p0, p1)).Lower)
	}
	return fmt.Sprintf("ρ ~ Lap(%s), ν ~ Lap(%s): ", rat.Show(p.law.RhoScale), rat.Show(p.law.NuScale)) + text
}

// eitherFirst visits the runs, and those with x and x' exchanged if they are others.
func eitherFirst(pair neighbours, visit func(pair neighbours)) {
	visit(pair)
	if unordered(pair[0]) != unordered(pair[1]) {
		visit(neighbours{pair[1], pair[0]})
	}
}

// smallRuns visits all lists of l comparisons, in no order, with T = 0: answers −2, 0
// and 1 on one database, up to 1 more or less on the other, ⊥ and ⊤; all ⊤ are last.
// Either database comes first.
func smallRuns(l int, visit func(pair neighbours)) {
	var kinds []neighbours
	for _, above := range []bool{false, true} {
		for _, answer := range []int64{0, 1, -2} {
			for _, change := range []int64{0, 1, -1} {
				var both neighbours
				for b, q := range [2]int64{answer, answer + change} {
					both[b] = []impl.Comparison{{Query: big.NewRat(q, 1), Threshold: new(big.Rat), Above: above}}
				}
				kinds = append(kinds, both)
			}
		}
	}
	var extend func(pair neighbours, from int)
	extend = func(pair neighbours, from int) {
		if len(pair[0]) == l {
			eitherFirst(pair, visit)
			return
		}
		for i := from; i < len(kinds); i++ {
			extend(runs([2][]impl.Comparison{slices.Clip(pair[0]), slices.Clip(pair[1])}, kinds[i]), i)
		}
	}
	extend(neighbours{}, 0)
}

// extremeRuns are those whose loss comes closest to the charge ε_1 + (c'/c)·ε_2: from x to
// x' many answers with ⊥ go up by 1 and the c' with ⊤ go down by 1. Many ⊥ mean that ρ is
// large. Then x' asks for a ρ larger by 1 than x, at a ratio of e^(ε_1); and each ⊤, with
// its query lower by 1 too, for a ν_i larger by 2, at a ratio of e^(ε_2/c).
func extremeRuns(released int) []neighbours {
	var all []neighbours
	for _, shape := range []struct {
		n            int
		below, above string
	}{{1, "0", "0"}, {4, "0", "0"}, {16, "0", "0"}, {32, "0", "0"}, {32, "4", "5"}, {64, "-4", "0"}} {
		below, above := rat.Of(shape.below), rat.Of(shape.above)
		all = append(all, runs(
			queries(shape.n, below.RatString(), rat.Add(below, rat.One).RatString(), false),
			queries(released, above.RatString(), rat.Sub(above, rat.One).RatString(), true),
		))
	}
	return all
}

// claimedSparseVector is a technique with a claim, and runs to try first.
type claimedSparseVector struct {
	law  impl.SparseVectorLaw
	eps  *big.Rat
	runs []neighbours
}

// showSplits writes the first m of [splits].
func showSplits(m int) string {
	var text []string
	for _, split := range splits[:m] {
		text = append(text, fmt.Sprintf("(%s, %s)", split[0], split[1]))
	}
	return "{" + strings.Join(text, ", ") + "}"
}

// splits are the pairs ε_1, ε_2 of the checks.
var splits = [][2]string{{"1/2", "1/2"}, {"1/10", "9/10"}, {"2", "1/3"}}

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
	for _, w := range WrongSparseVectors() {
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
	for _, w := range WrongSparseVectors() {
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

// charger is a claim ℰ(S_{c'}) for given ε_1, ε_2, c and c'.
type charger func(eps1, eps2 *big.Rat, c, released int) *big.Rat

func chargePrinted(eps1, eps2 *big.Rat, c, released int) *big.Rat {
	return register.Must(spec.SparseVectorCharge(eps1, eps2, c, released))
}

// scaledCharge claims the charge with other multiples of ε_1 and of ε_2.
func scaledCharge(of1, of2 string) charger {
	return func(eps1, eps2 *big.Rat, c, released int) *big.Rat {
		return chargePrinted(rat.Mul(rat.Of(of1), eps1), rat.Mul(rat.Of(of2), eps2), c, released)
	}
}

// tightCharges claim that one charge could be smaller by a millionth, for c = 3.
func tightCharges() []register.Claim {
	var claims []register.Claim
	for k := range 4 {
		claims = append(claims, register.Claim{
			Says: fmt.Sprintf("for c = 3, ℰ(S_%d) can be smaller by 10^-6", k),
			Check: sparseVectorCharges(func(eps1, eps2 *big.Rat, c, released int) *big.Rat {
				charge := chargePrinted(eps1, eps2, c, released)
				if c == 3 && released == k {
					charge.Sub(charge, rat.Of("1e-6"))
				}
				return charge
			}),
		})
	}
	return claims
}

// sparseVectorCharges checks that P0(a) ≤ e^ℰ·P1(a) for all outputs a, with the ℰ of the
// number of ⊤ in a.
func sparseVectorCharges(charge charger) register.Check {
	return func(t *register.T) {
		n, m := t.Size(3, 4), t.Size(2, len(splits))
		domain := fmt.Sprintf("c ≤ 3, (ε_1, ε_2) in %s; all lists of up to %d queries with answers in {−2, 0, 1} that change by up to 1, either database first, all outputs; up to 64 times ⊥ with up to c times ⊤", showSplits(m), n)
		t.Domain("%s", domain)
		type setting struct {
			probabilities
			eps1, eps2 *big.Rat
		}
		var settings []setting
		for _, split := range splits[:m] {
			for c := 1; c <= 3; c++ {
				eps1, eps2 := rat.Of(split[0]), rat.Of(split[1])
				law := register.Must(impl.NewSparseVectorLaw(rat.One, c, eps1, eps2))
				settings = append(settings, setting{probabilities{t, law}, eps1, eps2})
			}
		}
		try := func(s setting, pair neighbours) {
			if pair.released() > s.law.Cutoff {
				return // no output of the technique
			}
			t.Case()
			if e := charge(s.eps1, s.eps2, s.law.Cutoff, pair.released()); s.exceeds(pair, e) {
				t.Refute("c = %d, ε_1 = %s, ε_2 = %s, %s > ℰ = %s", s.law.Cutoff, rat.Show(s.eps1), rat.Show(s.eps2), s.evidence(pair), rat.Show(e))
			}
		}
		for l := range n {
			for _, s := range settings {
				smallRuns(l+1, func(pair neighbours) { try(s, pair) })
			}
		}
		for _, s := range settings {
			for released := range s.law.Cutoff + 1 {
				for _, pair := range extremeRuns(released) {
					eitherFirst(pair, func(pair neighbours) { try(s, pair) })
				}
			}
		}
		t.Domain("%s; %s", domain, closestRuns(t, charge))
	}
}

// closestRuns searches for the runs of the technique with c = 3 and ε_1 = ε_2 = 1/2 that
// come closest to the charges, and says how close: the exact margin of each part.
func closestRuns(t *register.T, charge charger) string {
	law := register.Must(impl.NewSparseVectorLaw(rat.One, 3, rat.Half, rat.Half))
	most := t.Size(24, 40)
	text := fmt.Sprintf("the closest runs with up to %d queries that a search finds for c = 3, ε_1 = ε_2 = 1/2 are below the charges by", most)
	for released := range 4 {
		t.Case()
		runs, loss, err := impl.ClosestRun(law, released, most)
		t.Must(err)
		e := charge(rat.Half, rat.Half, 3, released)
		if !rat.IsAtMost(loss, e) {
			t.Refute("c = 3, ε_1 = ε_2 = 1/2, %s: not at most ℰ = %s", probabilities{t, law}.evidence(runs), rat.Show(e))
		}
		text += fmt.Sprintf(" %.2g,", rat.Float64(rat.Sub(e, rat.Exact(loss.Lower))))
	}
	return strings.TrimSuffix(text, ",") + " for c' = 0, 1, 2, 3"
}

// proofSteps checks the two inequalities in the proof of Lemma 8, after division by the
// denominator, that of P1: with N = ∫ Pr(ρ = z) ∏ f_i(x', z) ∏ g_i(x, z − Δ) dz,
//
//	P0 ≤ e^(ε_1)·N and N ≤ e^((c'/c)·ε_2)·∫ Pr(ρ = z) ∏ f_i(y, z) ∏ g_i(y, z) dz,
//
// where y is x in print (b = 0), and x' as it must be (b = 1). Such integrals are
// probabilities: g_i(x, z − Δ) is that of ⊤ with an answer larger by Δ.
func proofSteps(b int) register.Check {
	return func(t *register.T) {
		n := t.Size(2, 3)
		t.Domain("Δ = 1, c ≤ 3, ε_1 = ε_2 = 1/2; all lists of up to %d queries with answers in {−2, 0, 1} that change by up to 1, either database first, all outputs", n)
		for l := range n {
			for c := 1; c <= 3; c++ {
				p := probabilities{t, register.Must(impl.NewSparseVectorLaw(rat.One, c, rat.Half, rat.Half))}
				smallRuns(l+1, func(pair neighbours) {
					if pair.released() > c {
						return
					}
					t.Case()
					var mixed []impl.Comparison
					for i, of1 := range pair[1] {
						if of1.Above {
							of1.Query = rat.Add(pair[0][i].Query, rat.One)
						}
						mixed = append(mixed, of1)
					}
					rest := register.Must(spec.SparseVectorCharge(new(big.Rat), rat.Half, c, pair.released()))
					if first := (neighbours{pair[0], mixed}); p.exceeds(first, rat.Half) {
						t.Refute("c = %d, first step, P0 against N: %s > ε_1 = 1/2", c, p.evidence(first))
					}
					if second := (neighbours{mixed, pair[b]}); p.exceeds(second, rest) {
						t.Refute("c = %d, neighbours with %v; second step, N against the integral for y: %s > (c'/c)·ε_2 = %s", c, pair, p.evidence(second), rat.Show(rest))
					}
				})
			}
		}
	}
}

// topShift checks the chain of ODP-E1, with e^(share·ε_2/c) at its end.
func topShift(share string) register.Check {
	return func(t *register.T) {
		n := int64(t.Size(12, 60))
		t.Domain("Δ = 1, c ≤ 3, ε_2 in {1/2, 2}, T = 0, q(x') = 0, q(x) − q(x') in {−1, −1/2, …, 1}, z in {−%d, −%d + 1/2, …, %d}", n, n, n)
		for c := 1; c <= 3; c++ {
			for _, eps2 := range []string{"1/2", "2"} {
				law := register.Must(impl.NewSparseVectorLaw(rat.One, c, rat.One, rat.Of(eps2)))
				kappa := rat.Mul(rat.Of(share), rat.Quo(rat.Of(eps2), rat.Int(c)))
				for change := int64(-2); change <= 2; change++ {
					for z := -2 * n; z <= 2*n; z++ {
						t.Case()
						checkTopShift(t, law, big.NewRat(change, 2), new(big.Rat), big.NewRat(z, 2), kappa)
					}
				}
			}
		}
	}
}

func checkTopShift(t *register.T, law impl.SparseVectorLaw, q0, q1, z, kappa *big.Rat) {
	back := rat.Sub(z, rat.One)       // z − Δ
	further := rat.Sub(back, rat.One) // z − 2Δ
	raised := rat.Add(q1, rat.One)    // q(x') + Δ
	minus := func(x, y *big.Rat) *big.Rat { return rat.Sub(x, y) }
	steps := []struct {
		name  string
		y, y1 *big.Rat // Pr(ν ≥ y) ≤ e^κ·Pr(ν ≥ y1)
		kappa *big.Rat
	}{
		{"first step", minus(back, q0), minus(back, raised), new(big.Rat)},
		{"second step", minus(back, raised), minus(further, q1), new(big.Rat)},
		{"second step, back", minus(further, q1), minus(back, raised), new(big.Rat)},
		{"third step", minus(further, q1), minus(z, q1), kappa},
		{"both ends", minus(back, q0), minus(z, q1), kappa},
	}
	for _, s := range steps {
		if tailExceeds(t, law, s.y, s.y1, s.kappa) {
			t.Refute("%s: c = %d, ν ~ Lap(%s), q(x) = %s, q(x') = %s, z = %s: Pr(ν ≥ %s) > e^(%s)·Pr(ν ≥ %s)",
				s.name, law.Cutoff, rat.Show(law.NuScale), rat.Show(q0), rat.Show(q1), rat.Show(z), rat.Show(s.y), rat.Show(s.kappa), rat.Show(s.y1))
		}
	}
}

// tailExceeds reports whether Pr(ν ≥ y0) > e^κ·Pr(ν ≥ y1). For y0, y1 ≥ 0 these are
// e^(−y/scale)/2, and the exponents decide; for y0 = y1, the sign of κ does.
func tailExceeds(t *register.T, law impl.SparseVectorLaw, y0, y1, kappa *big.Rat) bool {
	if y0.Sign() >= 0 && y1.Sign() >= 0 || y0.Cmp(y1) == 0 {
		exponent := rat.Sub(y1, y0)
		return exponent.Quo(exponent, law.NuScale).Cmp(kappa) > 0
	}
	at := func(y *big.Rat) interval.Interval {
		p, err := law.Given(y, impl.Comparison{Query: new(big.Rat), Threshold: new(big.Rat), Above: true})
		t.Must(err)
		return p
	}
	ratio := register.Must(impl.LogRatio(at(y0), at(y1)))
	if !rat.IsAbove(ratio, kappa) && !rat.IsAtMost(ratio, kappa) {
		t.Undecided("Pr(ν ≥ %s) and e^(%s)·Pr(ν ≥ %s) are too close", rat.Show(y0), rat.Show(kappa), rat.Show(y1))
	}
	return rat.IsAbove(ratio, kappa)
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
