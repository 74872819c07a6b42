package adaptive

import "checkrr/verify/register/registertest"

var notionMutants = []registertest.Mutant{
	{
		Name: "Rényi moments of order λ for λ − 1", File: "spec/divergence.go",
		Old: "for range order - 1 {\n\t\t\tterm = mul(term, ratio)", New: "for range order {\n\t\t\tterm = mul(term, ratio)",
	},
	{
		Name: "infinite Rényi moments left out", File: "spec/divergence.go",
		Old: "\t\t\treturn nil\n", New: "\t\t\tcontinue\n",
	},
	{
		Name: "spec's Rényi divergence without 1/(λ − 1)", File: "spec/divergence.go",
		Old: "1 / (order - 1) * math.Log(mean)", New: "math.Log(mean)",
	},
	{
		Name: "Rényi divergences of order λ + 1 in both rooms", File: "spec/divergence.go",
		Old: "math.Pow(py/probabilityOf(q, output), order-1)", New: "math.Pow(py/probabilityOf(q, output), order)",
		Also: &registertest.Mutant{File: "impl/divergence.go", Old: "bits.Int(0), bits.Rat(new(big.Rat).Sub(order, rational.One))", New: "bits.Int(0), bits.Rat(order)"},
	},
	{
		Name: "impl's Rényi moment of Q and P", File: "impl/divergence.go",
		Old: "power := bits.Exp(bits.Mul(exponent, bits.Log(new(big.Rat).Quo(p[y], q[y]))))", New: "power := bits.Exp(bits.Mul(exponent, bits.Log(new(big.Rat).Quo(q[y], p[y]))))",
	},
	{
		Name: "impl's Rényi moment at λ = 1 leaves out outputs with Q = 0", File: "impl/divergence.go",
		Old: "mean = bits.Add(mean, bits.Rat(p[y]))\n\t\t\tcontinue", New: "continue",
	},
	{
		Name: "impl's Rényi moment is finite where Q = 0", File: "impl/divergence.go",
		Old: "return interval.Interval{}, false", New: "continue",
	},
	{
		Name: "impl's Rényi divergence at λ = 1 is 0", File: "impl/divergence.go",
		Old: "return ExpectedLoss(p, q)", New: "return bits.Int(0), true",
	},
	{
		Name: "smallest ρ of one order of the laws", File: "impl/divergence.go",
		Old: "{{p, q}, {q, p}}", New: "{{p, q}, {p, q}}",
	},
	{
		Name: "smallest ρ by twice the order", File: "impl/divergence.go",
		Old: "bits.Quo(d, bits.Rat(order))", New: "bits.Quo(d, bits.Rat(new(big.Rat).Add(order, order)))",
	},
	{
		Name: "ε² for ε²/2 in both rooms", File: "spec/zcdp.go",
		Old: "return eps * eps / 2", New: "return eps * eps",
		Also: &registertest.Mutant{File: "impl/zcdp.go", Old: "return bits.Half(bits.Mul(e, e))", New: "return bits.Mul(e, e)"},
	},
	{
		Name: "ε²/4 for ε²/2 in both rooms", File: "spec/zcdp.go",
		Old: "return eps * eps / 2", New: "return eps * eps / 4",
		Also: &registertest.Mutant{File: "impl/zcdp.go", Old: "return bits.Half(bits.Mul(e, e))", New: "return bits.Half(bits.Half(bits.Mul(e, e)))"},
	},
	{
		Name: "one root for two, from zCDP to DP, in both rooms", File: "spec/zcdp.go",
		Old: "rho + 2*math.Sqrt(", New: "rho + math.Sqrt(",
		Also: &registertest.Mutant{File: "impl/zcdp.go", Old: "bits.Add(root, root)", New: "root"},
	},
	{
		Name: "δ' alone, from zCDP to DP, in both rooms", File: "spec/zcdp.go",
		Old: "delta + (1-delta)*delta1", New: "delta1",
		Also: &registertest.Mutant{File: "impl/zcdp.go", Old: "rest.Add(delta, rest.Mul(rest, delta1))", New: "rest.Set(delta1)"},
	},
	{
		Name: "2δ/ε, from DP to pDP, in both rooms", File: "spec/zcdp.go",
		Old: "2 * delta / (eps * math.Exp(eps))", New: "2 * delta / eps",
		Also: &registertest.Mutant{File: "impl/zcdp.go", Old: "bits.Quo(bits.Add(d, d), bits.Mul(e, eps.EncloseExp(bits)))", New: "bits.Quo(bits.Add(d, d), e)"},
	},
	{
		Name: "the terms of mixtures have 1 − δ for δ", File: "spec/zcdp.go",
		Old: "w, f = mul(w, step.Delta), mul(f, step.Rest)", New: "w, f = mul(w, sub(one, step.Delta)), mul(f, step.Rest)",
	},
	{
		Name: "the first term of mixtures has P''", File: "spec/zcdp.go",
		Old: "mul(w, sub(one, step.Delta)), mul(f, step.Pure)", New: "mul(w, sub(one, step.Delta)), mul(f, step.Rest)",
	},
	{
		Name: "the supermartingale of order λ + 1", File: "spec/zcdp.go",
		Old: "for range order - 1 {\n\t\t\tm = mul(m, ratios[i])", New: "for range order {\n\t\t\tm = mul(m, ratios[i])",
	},
	{
		Name: "the supermartingale without ρ", File: "spec/zcdp.go",
		Old: "m = quo(m, growth[i])", New: "m = quo(m, one)",
	},
	{
		Name: "P'' without what P' has beyond 1 − δ", File: "spec/zcdp.go",
		Old: "add(outside[output], mul(pure, sub(prE, sub(one, delta))))", New: "add(outside[output], mul(pure, sub(prE, prE)))",
	},
	{
		Name: "half of the line's offset in both rooms", File: "spec/martingale.go",
		Old: "b/2 + (b/(2*a))*v, ", New: "b/4 + (b/(2*a))*v, ",
		Also: &registertest.Mutant{File: "impl/martingale.go", Old: "half(b).Add(slope.Mul(v))", New: "half(half(b)).Add(slope.Mul(v))"},
	},
	{
		Name: "half of the line's slope in both rooms", File: "spec/martingale.go",
		Old: "b/2 + (b/(2*a))*v, ", New: "b/2 + (b/(4*a))*v, ",
		Also: &registertest.Mutant{File: "impl/martingale.go", Old: "half(b).Add(slope.Mul(v))", New: "half(b).Add(half(slope).Mul(v))"},
	},
	{
		Name: "the level exp(−b²/a) in both rooms", File: "spec/martingale.go",
		Old: "math.Exp(-b * b / (2 * a))", New: "math.Exp(-b * b / a)",
		Also: &registertest.Mutant{File: "impl/martingale.go", Old: "slope.Mul(b).Neg().Exp()", New: "slope.Mul(b).Mul(interval.Point(2)).Neg().Exp()"},
	},
	{
		Name: "spec's level exp(−b²/a)", File: "spec/martingale.go",
		Old: "math.Exp(-b * b / (2 * a))", New: "math.Exp(-b * b / a)",
	},
	{
		Name: "the mixture boundary without 2 in both rooms", File: "spec/martingale.go",
		Old: "math.Sqrt(2 * (v + gamma) *", New: "math.Sqrt((v + gamma) *",
		Also: &registertest.Mutant{File: "impl/martingale.go", Old: "interval.Point(2).Mul(v.Add(gamma)).Mul(level)", New: "v.Add(gamma).Mul(level)"},
	},
	{
		Name: "the mixture boundary without its inner root in both rooms", File: "spec/martingale.go",
		Old: "math.Sqrt((v+gamma)/gamma)", New: "((v + gamma) / gamma)",
		Also: &registertest.Mutant{File: "impl/martingale.go", Old: "log.Add(half(v.Quo(gamma).Add(interval.Point(1)).Log()))", New: "log.Add(v.Quo(gamma).Add(interval.Point(1)).Log())"},
	},
	{
		Name: "the stitched boundary with 1.5 in both rooms", File: "spec/martingale.go",
		Old: "return 1.7 * math.Sqrt", New: "return 1.5 * math.Sqrt",
		Also: &registertest.Mutant{File: "impl/martingale.go", Old: "rational.MustParse(\"1.7\")", New: "rational.MustParse(\"1.5\")"},
	},
	{
		Name: "the stitched boundary with V for 2V in both rooms", File: "spec/martingale.go",
		Old: "math.Log(math.Log(2*v/v0))", New: "math.Log(math.Log(v/v0))",
		Also: &registertest.Mutant{File: "impl/martingale.go", Old: "interval.Point(2).Mul(v.Quo(v0)).Log().Log()", New: "v.Quo(v0).Log().Log()"},
	},
	{
		Name: "the stitched boundary below v_0", File: "spec/martingale.go",
		Old: "if v < v0 {", New: "if v <= v0 {",
	},
	{
		Name: "σ² for σ²/2", File: "spec/martingale.go",
		Old: "math.Exp(lambda*lambda*sigma2/2)", New: "math.Exp(lambda*lambda*sigma2/4)",
	},
	{
		Name: "the probability at the end for that of ever", File: "spec/martingale.go",
		Old: "slices.ContainsFunc(beginnings(path), event)", New: "event(path)",
	},
	{
		Name: "one cannot stop before the first step", File: "spec/martingale.go",
		Old: "stops); i >= 0 {", New: "stops); i > 0 {",
	},
	{
		Name: "stopping one step early", File: "spec/martingale.go",
		Old: "at = beginnings(path)[i]", New: "at = beginnings(path)[max(i-1, 0)]",
	},
	{
		Name: "the loss of the databases exchanged", File: "spec/privacyloss.go",
		Old: "return quo(law0[output], other)", New: "return quo(other, law0[output])",
	},
	{
		Name: "an infinite loss is 1", File: "spec/privacyloss.go",
		Old: "\t\treturn nil\n", New: "\t\treturn one\n",
	},
	{
		Name: "losses above ε only in both rooms", File: "spec/privacyloss.go",
		Old: " || mul(expLoss, expEps).Cmp(one) < 0", New: "",
		Also: &registertest.Mutant{File: "impl/privacyloss.go", Old: "lossOf(larger(pr, law1[y]), smaller(pr, law1[y]))", New: "lossOf(pr, law1[y])"},
	},
	{
		Name: "a loss of ε counts in both rooms", File: "spec/privacyloss.go",
		Old: "expLoss.Cmp(expEps) > 0", New: "expLoss.Cmp(expEps) >= 0",
		Also: &registertest.Mutant{File: "impl/privacyloss.go", Old: "<= 0 {\n\t\t\tcontinue", New: "< 0 {\n\t\t\tcontinue"},
	},
	{
		Name: "the mean loss under x' in both rooms", File: "spec/privacyloss.go",
		Old: "mean += p * math.Log(p/probabilityOf(law1, output))", New: "mean += probabilityOf(law1, output) * math.Log(p/probabilityOf(law1, output))",
		Also: &registertest.Mutant{File: "impl/privacyloss.go", Old: "bits.Mul(bits.Rat(law0[y]), bits.Log", New: "bits.Mul(bits.Rat(law1[y]), bits.Log"},
	},
	{
		Name: "randomized response with ⊤ for both inputs", File: "spec/response.go",
		Old: "{zero, unlikely, likely, delta},", New: "{delta, unlikely, likely, zero},",
	},
	{
		Name: "randomized response with (1 − δ)/2", File: "spec/response.go",
		Old: "likely := quo(mul(rest, m.ExpEps), add(one, m.ExpEps))", New: "likely := quo(rest, add(one, one))",
	},
	{
		Name: "the smallest δ of DP for the databases exchanged, in both rooms", File: "spec/privacy.go",
		Old: "return SmallestSubsetDelta(law0, law1, func(string) bool { return true }, expEps)", New: "return SmallestSubsetDelta(law1, law0, func(string) bool { return true }, expEps)",
		Also: &registertest.Mutant{File: "impl/privacy.go", Old: "return SmallestDelta(law0, law1, make([]int, len(law0)), []loss.Epsilon{eps})", New: "return SmallestDelta(law1, law0, make([]int, len(law0)), []loss.Epsilon{eps})"},
	},
	{
		Name: "e^ε is a twentieth more where ε is given", File: "impl/privacy.go", In: "impl.SmallestDPDelta",
		Old: "ExpRat(eps.Rat())", New: "ExpRat(new(big.Rat).Mul(eps.Rat(), big.NewRat(21, 20)))",
	},
	{
		Name: "e^ε is rounded down at both ends", File: "impl/privacy.go", In: "impl.SmallestDPDelta",
		Old: "low, high = append(low, lower), append(high, upper)", New: "low, high = append(low, lower), append(high, lower)\n\t\t_ = upper",
	},
}
