package odp

import "checkrr/verify/register/registertest"

var iterateMutants = []registertest.Mutant{
	{
		Name: "OptDel takes families that are not prefix-disjoint", File: "spec/iterate.go",
		Old: "maximum(p, prefixDisjoint)",
		New: "maximum(p, func([]set) bool { return true })",
	},
	{
		Name: "OptDel compares suffixes for prefixes", File: "spec/iterate.go", In: "spec.OptDel",
		Old: "if longer[:len(q)] == q {",
		New: "if longer[len(longer)-len(q):] == q {",
	},
	{
		Name: "OptDel asks for prefix-disjoint sets at neighbouring stops only", File: "spec/iterate.go", In: "spec.OptDel",
		Old: "for i := range j {\n\t\t\tfor _, q := range family[i].members {",
		New: "for i := max(0, j-1); i < j; i++ {\n\t\t\tfor _, q := range family[i].members {",
	},
	{
		Name: "OptDel looks at the first sequence of a set only", File: "spec/iterate.go", In: "spec.OptDel",
		Old: "for _, q := range family[i].members {",
		New: "for _, q := range family[i].members[:min(1, len(family[i].members))] {",
	},
	{
		Name: "OptDel charges the first stop only", File: "spec/iterate.go", In: "spec.OptDel",
		Old: "mul(s.ExpEps, q.pr[1])",
		New: "mul(p.Stops[0].ExpEps, q.pr[1])",
	},
	{
		Name: "OptDel takes the last mechanisms for the first", File: "spec/iterate.go", In: "spec.OptDel",
		Old: "law := ResponseLaw(p.Mechanisms[:s.After])",
		New: "law := ResponseLaw(p.Mechanisms[len(p.Mechanisms)-s.After:])",
	},
	{
		Name: "OptDel takes outputs that occur with b = 0 only", File: "spec/iterate.go", In: "spec.OptDel",
		Old: "return law[0][q].Sign() == 0 && law[1][q].Sign() == 0",
		New: "return law[0][q].Sign() == 0 || law[1][q].Sign() == 0",
	},
	{
		Name: "Lemma 11 leaves out the last stop", File: "spec/iterate.go",
		Old: "for _, s := range p.Stops {\n\t\tbest := new(big.Rat)",
		New: "for _, s := range p.Stops[:len(p.Stops)-1] {\n\t\tbest := new(big.Rat)",
	},
	{
		Name: "the second line of equation 4 asks for prefix-disjoint sets", File: "spec/iterate.go",
		Old: "maximum(p, func([]set) bool { return true })",
		New: "maximum(p, prefixDisjoint)",
	},
	{
		Name: "M_iter leaves out the last criterion", File: "spec/iterate.go",
		Old: "slices.Contains(points[:n-1], k)",
		New: "slices.Contains(points[:max(0, n-2)], k)",
	},
	{
		Name: "M_iter asks the criterion before", File: "spec/iterate.go",
		Old: "if criteria[i-1](s) {",
		New: "if criteria[max(0, i-2)](s) {",
	},
	{
		Name: "M_iter leaves out the output at which it stops", File: "spec/iterate.go",
		Old: "return s // 6",
		New: "return s[:k-1] // 6",
	},
	{
		Name: "M_iter shows a criterion the last output only", File: "spec/iterate.go",
		Old: "if criteria[i-1](s) {",
		New: "if criteria[i-1](s[len(s)-1:]) {",
	},
	{
		Name: "M_iter runs the mechanisms from the second on", File: "spec/iterate.go",
		Old: "mechanisms[k-1](s, x)",
		New: "mechanisms[k%len(mechanisms)](s, x)",
	},
	{
		Name: "randomized response does not take δ from the rest", File: "spec/response.go",
		Old: "likely := quo(mul(rest, m.ExpEps)",
		New: "likely := quo(mul(one, m.ExpEps)",
	},
	{
		Name: "randomized response leaks with one b only", File: "spec/response.go",
		Old: "{zero, unlikely, likely, delta},",
		New: "{delta, unlikely, likely, zero},",
	},
	{
		Name: "all responses are like the first", File: "spec/response.go",
		Old: "RandomizedResponse(m)[b]",
		New: "RandomizedResponse([]Mechanism{mechanisms[0], m}[0])[b]",
	},
	{
		Name: "HomogeneousDelta has a term less", File: "spec/composition.go",
		Old: "l <= i-1;",
		New: "l < max(1, i-1);",
	},
	{
		Name: "HomogeneousDelta forgets l in the second power", File: "spec/composition.go",
		Old: "power(expEps, k-2*i+l)",
		New: "power(expEps, k-2*i)",
	},
	{
		Name: "HomogeneousDelta has C(k, 3) for what comes after it", File: "spec/composition.go",
		Old: "Binomial(int64(k), int64(l))",
		New: "Binomial(int64(k), int64(min(l, 3)))",
	},
	{
		Name: "HomogeneousDelta has a term less, certified", File: "impl/composition.go", In: "impl.HomogeneousDelta",
		Old: "for l := range i {",
		New: "for l := range max(1, i-1) {",
	},
	{
		Name: "HomogeneousDelta has an i more in the gap", File: "impl/composition.go", In: "impl.HomogeneousDelta",
		Old: "2*(i-l)",
		New: "2*i-l",
	},
	{
		Name: "HomogeneousDelta has a term less in both rooms", File: "spec/composition.go",
		Old:  "l <= i-1;",
		New:  "l < max(1, i-1);",
		Also: &registertest.Mutant{File: "impl/composition.go", Old: "for l := range i {", New: "for l := range max(1, i-1) {"},
	},
	{
		Name: "OptComp takes the δ of the first two mechanisms", File: "spec/optcomp.go",
		Old: "for _, m := range mechanisms {\n\t\tright",
		New: "for _, m := range mechanisms[:min(2, len(mechanisms))] {\n\t\tright",
	},
	{
		Name: "OptComp divides by the wrong difference", File: "spec/optcomp.go",
		Old: "quo(sub(high, right), sub(high, low))",
		New: "quo(sub(high, right), high)",
	},
	{
		Name: "ODP in one direction", File: "spec/privacy.go",
		Old: "return larger(forth, back), nil",
		New: "_ = back\n\treturn forth, nil",
	},
	{
		Name: "M_iter leaves out the last criterion, fast", File: "impl/iterate.go",
		Old: "if next < len(criteria) && points[next] == k {",
		New: "if next < len(criteria)-1 && points[next] == k {",
	},
	{
		Name: "M_iter shows a criterion all outputs but the last", File: "impl/iterate.go",
		Old: "criteria[next](s[:k:k])",
		New: "criteria[next](s[:k-1:k-1])",
	},
	{
		Name: "M_iter leaves out the last criterion in both rooms", File: "impl/iterate.go",
		Old:  "if next < len(criteria) && points[next] == k {",
		New:  "if next < len(criteria)-1 && points[next] == k {",
		Also: &registertest.Mutant{File: "spec/iterate.go", Old: "slices.Contains(points[:n-1], k)", New: "slices.Contains(points[:max(0, n-2)], k)"},
	},
	{
		Name: "the solver returns the δ of Lemma 11", File: "impl/result.go", In: "impl.OptDel",
		Old: "OptDel: interval.Interval(s.OptDel), Lemma11: interval.Interval(s.Lemma11)",
		New: "OptDel: interval.Interval(s.Lemma11), Lemma11: interval.Interval(s.Lemma11)",
	},
	{
		Name: "the solver returns OptDel for Lemma 11", File: "impl/iterate.go",
		Old: "return r.Lemma11, nil",
		New: "return r.OptDel, nil",
	},
	{
		Name: "the charges for Lemma 11 are those of single stops", File: "impl/schedule.go",
		Old: "Lemma11: s.Lemma11,",
		New: "Lemma11: s.SingleStop,",
	},
	{
		Name: "the recursion never stops early", File: "impl/internal/exact/exact.go", In: "impl.Exact",
		Old: "if s.pay != nil && s.pay.Cmp(s.value) > 0 {",
		New: "if s.pay != nil && s.value == nil {",
	},
	{
		Name: "the recursion has C(k, 2) for C(k, i), i > 2", File: "impl/internal/exact/exact.go", In: "impl.Exact",
		Old: "Binomial(int64(count), int64(i))",
		New: "Binomial(int64(count), int64(min(i, 2)))",
	},
	{
		Name: "the recursion has the charge of a stop on the wrong side", File: "impl/internal/exact/exact.go", In: "impl.Exact",
		Old: "new(big.Rat).Quo(charge, s.ratio)",
		New: "new(big.Rat).Quo(one, s.ratio)",
	},
	{
		Name: "Exact has the δ of the first stop for Lemma 11", File: "impl/iterate.go",
		Old: "larger(lemma11, sum)",
		New: "larger(lemma11, singles[0])",
	},
	{
		Name: "the percentile is that of both tails", File: "impl/releasetest.go",
		Old: "above.Mul(above, big.NewRat(2, 1))",
		New: "above.Mul(above, big.NewRat(1, 1))",
	},
	{
		Name: "the percentile is a twentieth less", File: "impl/releasetest.go",
		Old: "return n.Quo(n.Mul(a, odds), n.Rat(eps2)), nil",
		New: "return n.Quo(n.Mul(n.Mul(a, n.Rat(big.NewRat(19, 20))), odds), n.Rat(eps2)), nil",
	},
	{
		Name: "a refusal has twice the probability of release", File: "impl/releasetest.go",
		Old: "return n.Sub(n.Int(1), n.Half(n.Exp(n.Neg(n.Quo(n.Mul(excess, n.Rat(eps2)), a))))), nil",
		New: "return n.Sub(n.Int(1), n.Exp(n.Neg(n.Quo(n.Mul(excess, n.Rat(eps2)), a)))), nil",
	},
	{
		Name: "the tree goes on, unless that is worth nothing", File: "exhaustive/tree.go", In: "exhaustive.Exact",
		Old: "return n.max(bracket, onward)",
		New: "if i < len(t.expE)-1 {\n\t\treturn onward\n\t}\n\treturn n.max(bracket, onward)",
	},
	{
		Name: "the tree adds negative parts", File: "exhaustive/tree.go", In: "exhaustive.Exact",
		Old: "single[i] = n.add(single[i], n.max(bracket, t.zero))",
		New: "single[i] = n.add(single[i], bracket)",
	},
	{
		Name: "the tree charges the last stop what the first is charged", File: "exhaustive/tree.go", In: "exhaustive.Exact",
		Old: "bracket := n.sub(q.a, n.mul(t.expE[i], q.b))\n\tsingle",
		New: "bracket := n.sub(q.a, n.mul(t.expE[i%max(1, len(t.expE)-1)], q.b))\n\tsingle",
	},
	{
		Name: "the tree does not take δ from the rest", File: "exhaustive/tree.go", In: "exhaustive.Exact",
		Old: "n.rat(new(big.Rat).Sub(one, m.Delta))",
		New: "n.rat(one)",
	},
	{
		Name: "criteria read the outputs from the last to the first", File: "exhaustive/criteria.go", In: "exhaustive.Criteria",
		Old: "index>>(2*(k-1-j))&3",
		New: "index>>(2*j)&3",
	},
	{
		Name: "criteria leave out the answer 0", File: "exhaustive/criteria.go", In: "exhaustive.Criteria",
		Old: "for z := range 4 {",
		New: "for z := 1; z < 4; z++ {",
	},
	{
		Name: "half of the criteria", File: "exhaustive/criteria.go",
		Old: "for h := range 1 << c.bits {",
		New: "for h := range 1 << max(0, c.bits-3) {",
	},
	{
		Name: "a difference is rounded the wrong way", File: "exhaustive/interval.go", In: "exhaustive.Enclose",
		Old: "n.down().Sub(x.Lo, y.Hi)",
		New: "n.up().Sub(x.Lo, y.Lo)",
	},
	{
		Name: "an upper end is rounded down", File: "exhaustive/interval.go", In: "exhaustive.Enclose",
		Old: "n.up().Mul(x.Hi, y.Hi)",
		New: "n.down().Mul(x.Hi, y.Hi)",
	},
	{
		Name: "criteria never stop at the second of three stops", File: "exhaustive/criteria.go", In: "exhaustive.Criteria",
		Old: "c.bit[i][index] != never && h>>c.bit[i][index]&1 == 1:", New: "i != 1 && c.bit[i][index] != never && h>>c.bit[i][index]&1 == 1:",
	},
	{
		Name: "the first order of neighbours only", File: "impl/pipeline.go", In: "impl.OptDel",
		Old: "	if differs {\n		return []Pipeline{p, back}", New: "	if false && differs {\n		return []Pipeline{p, back}",
	},

	// The theorems on composition.
	{
		Name: "advanced composition has Σε² for 2Σε²", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "bits.Add(squares, squares)", New: "squares",
	},
	{
		Name: "advanced composition has half of ε in its mean", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "down := bits.Exp(bits.Neg(e))", New: "down := bits.Exp(bits.Neg(bits.Half(e)))",
	},
	{
		Name: "advanced composition leaves out δ_k", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "leak(ms, bits.Exp(", New: "leak(nil, bits.Exp(",
	},
	{
		Name: "Rényi composition leaves out δ_k", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "leak(ms, r.deltaAt(", New: "leak(nil, r.deltaAt(",
	},
	{
		Name: "Rényi composition leaves out δ_k for α = ∞", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "all.Cmp(loss.Of(eps)) <= 0 {\n\t\treturn leak(ms,", New: "all.Cmp(loss.Of(eps)) <= 0 {\n\t\treturn leak(nil,",
	},
	{
		Name: "the Rényi divergence of randomized response has α for 2α − 1", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "far := bits.Rat(new(big.Rat).Add(alpha, before))", New: "far := bits.Rat(alpha)",
	},
	{
		Name: "zero-concentrated composition has ε² for ε²/2", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "factor.Mul(factor, alpha).Quo(factor, big.NewRat(2, 1))", New: "factor.Mul(factor, alpha)",
	},
	{
		Name: "δ_k is leaked by one or two of equal mechanisms", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "power = or(power, power)", New: "_ = power",
	},
	{
		Name: "ε_k is lost by some of equal mechanisms only", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "power = power.Plus(power)", New: "_ = power",
	},
	{
		Name: "a stop within equal mechanisms counts all of them", File: "impl/theorem.go", In: "impl.Lemma11With",
		Old: "first, k = append(first, m), k-m.Count", New: "first, k = append(first, m), k-1",
	},
}
