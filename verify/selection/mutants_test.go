package selection

import "checkrr/verify/register/registertest"

// mutants are wrong changes of the algorithms of Section 3 and of their laws.
var mutants = []registertest.Mutant{
	{
		Name: "the oracle never draws the last candidate in both rooms", File: "spec/candidates.go",
		Old: "big.NewInt(int64(len(candidates)))).Int64())", New: "big.NewInt(int64(max(1, len(candidates)-1)))).Int64())",
		Also: &registertest.Mutant{File: "impl/candidates.go", Old: "big.NewInt(int64(len(candidates)))).Int64())", New: "big.NewInt(int64(max(1, len(candidates)-1)))).Int64())"},
	},
	{
		Name: "a score of τ is below it in both rooms", File: "spec/thresholding.go",
		Old: "s.Score >= tau", New: "s.Score > tau",
		Also: &registertest.Mutant{File: "impl/thresholding.go", Old: "s.Score >= tau", New: "s.Score > tau"},
	},
	{
		Name: "the coin is before the test", File: "spec/thresholding.go",
		Old: "		if s.Score >= tau {\n			return s, true\n		}\n		if coins.Bernoulli(gamma) {\n			break\n		}\n", New: "		if coins.Bernoulli(gamma) {\n			break\n		}\n		if s.Score >= tau {\n			return s, true\n		}\n",
	},
	{
		Name: "there is a draw more in impl", File: "impl/thresholding.go",
		Old: "coins.Bernoulli(gamma) || runs == t", New: "coins.Bernoulli(gamma) || runs > t && t > 0",
	},
	{
		Name: "the sums of the law have a term less", File: "spec/thresholding.go",
		Old: "for j := 1; j <= t; j++ {\n		draws", New: "for j := 1; j < t; j++ {\n		draws",
	},
	{
		Name: "⊥ leaves out what is left after T draws", File: "spec/thresholding.go",
		Old: "	none = add(none, power(stay, t))\n", New: "",
	},
	{
		Name: "the draws are those of T − 1 in impl", File: "impl/thresholding.go",
		Old: "rational.Power(a, t))", New: "rational.Power(a, t-1))",
		In: "impl.ThresholdingLaw",
	},
	{
		Name: "T has ln(1/ε_0) in both rooms", File: "spec/thresholding.go",
		Old: "math.Log(2/eps0)", New: "math.Log(1/eps0)",
		Also: &registertest.Mutant{File: "impl/thresholding.go", Old: "big.NewRat(2, 1), eps0)", New: "big.NewRat(1, 1), eps0)"},
	},
	{
		Name: "T has no second bound in impl", File: "impl/thresholding.go",
		Old: "n.Add(n.Int(1), n.Quo(n.ExpRat(big.NewRat(-1, 1)), n.Rat(gamma)))", New: "n.Int(1)",
	},
	{
		Name: "the mean number of draws leaves out γ in both rooms", File: "spec/thresholding.go",
		Old: "quo(one, add(mul(p1, sub(one, gamma)), gamma))", New: "quo(one, add(mul(p1, sub(one, gamma)), mul(gamma, big.NewRat(21, 20))))",
		Also: &registertest.Mutant{File: "impl/thresholding.go", Old: "return drawsOf(p1, gamma, Unlimited) }", New: "return drawsOf(p1, new(big.Rat).Mul(gamma, big.NewRat(20, 21)), Unlimited) }"},
	},
	{
		Name: "⊥ has ε_0 for ε_0/2 in impl", File: "impl/thresholding.go",
		Old: "new(big.Rat).Mul(eps0, big.NewRat(1, 2))", New: "eps0",
	},
	{
		Name: "the loss of thresholding is ε_1 too small", File: "impl/thresholding.go",
		Old: "most := bits.Add(eps.Enclose(bits), swing(eps, gamma))", New: "most := swing(eps, gamma)",
	},
	{
		Name: "a swing has half of γ", File: "impl/thresholding.go",
		Old: "n.Quo(n.Add(e, g), n.Add(n.Int(1), n.Mul(e, g)))", New: "n.Quo(n.Add(e, n.Add(g, g)), n.Add(n.Int(1), n.Mul(e, n.Add(g, g))))",
		In: "impl.RandomStoppingLoss",
	},
	{
		Name: "the loss of a limit is left out", File: "impl/thresholding.go",
		Old: "	return bits.Add(most, thresholdingLimitCost(gamma, t))", New: "	return most",
	},
	{
		Name: "of equal scores the lower is higher in both rooms", File: "spec/candidates.go",
		Old: "higher(next.Output, top.Output)", New: "higher(top.Output, next.Output)",
		In:   "spec.HardStopping",
		Also: &registertest.Mutant{File: "impl/candidates.go", Old: "higher(s.Output, t.Output)", New: "higher(t.Output, s.Output)"},
	},
	{
		Name: "the first of equal scores stays in impl", File: "impl/candidates.go",
		Old: "s.Score == t.Score && higher(s.Output, t.Output)", New: "false",
		In: "impl.RandomStopping",
	},
	{
		Name: "the closed form has p_0 twice", File: "spec/randomstopping.go",
		Old: "add(mul(p1, stay), gamma))", New: "add(mul(p0, stay), gamma))",
	},
	{
		Name: "the loss of random stopping has one swing", File: "impl/randomstopping.go",
		Old: "n.Add(eps.Enclose(n), n.Add(s, s))", New: "n.Add(eps.Enclose(n), s)",
	},
	{
		Name: "f is without the draws after T", File: "impl/randomstopping.go",
		Old: "	if t != Unlimited {", New: "	if t < Unlimited {",
		In: "impl.HardStoppingLaw",
	},
	{
		Name: "f has γ for γs", File: "impl/randomstopping.go",
		Old: "sum := new(big.Rat).Mul(gamma, s)", New: "sum := new(big.Rat).Set(gamma)",
		In: "impl.RandomStoppingLaw",
	},
	{
		Name: "the law leaves out what is left after T draws", File: "spec/randomstopping.go",
		Old: "law[i] = mul(power(stay, t), sub(power(below, t), power(lower, t)))", New: "law[i] = new(big.Rat)",
	},
	{
		Name: "T of hard stopping has no ln L in both rooms", File: "spec/randomstopping.go",
		Old: "(l + math.Log(l))", New: "l",
		Also: &registertest.Mutant{File: "impl/randomstopping.go", Old: "n.Quo(n.Add(l, n.LogOf(l)), n.Rat(gamma))", New: "n.Quo(l, n.Rat(gamma))"},
	},
	{
		Name: "T of hard stopping is rounded down in impl", File: "impl/randomstopping.go",
		Old: "if accuracy == big.Below {", New: "if accuracy == big.Above {",
		In: "impl.HardStoppingLimit",
	},
	{
		Name: "the quantile is missed with γp in both rooms", File: "spec/randomstopping.go",
		Old: "return quo(gamma, p)", New: "return mul(gamma, p)",
		Also: &registertest.Mutant{File: "impl/randomstopping.go", Old: "Quo(gamma, p)", New: "Mul(gamma, p)"},
	},
	{Name: "T of Theorem 3.4 has log(2/δ_2) in both rooms", File: "spec/randomstopping.go", Old: "math.Log(1/delta2)", New: "math.Log(2/delta2)",
		Also: &registertest.Mutant{File: "impl/randomstopping.go", Old: "n.Log(new(big.Rat).Inv(delta2))", New: "n.Log(new(big.Rat).Quo(big.NewRat(2, 1), delta2))"}},
	{Name: "√(2δ_1) is √δ_1 in impl", File: "impl/randomstopping.go", Old: "root := n.Sqrt(n.Rat(new(big.Rat).Add(delta1, delta1)))", New: "root := n.Sqrt(n.Rat(delta1))"},
	{Name: "the ε of Theorem 3.4 has ε_1 once", File: "spec/randomstopping.go", Old: "3*eps1 + 3*math.Sqrt(2*delta1)", New: "eps1 + 3*math.Sqrt(2*delta1)"},
	{Name: "a bad run returns what is not the best", File: "impl/randomstopping.go", In: "impl.SelectionDelta", Old: "complement(NoneAbove(complement(delta1), gamma, t))", New: "complement(NoneAbove(complement(new(big.Rat).Mul(delta1, big.NewRat(99, 100))), gamma, t))"},
	{Name: "a count from above adds far too little in both rooms", File: "spec/counttail.go", Old: "(math.Exp(eps)+1)/eps*math.Log(1/delta)", New: "1/eps*math.Log(1/delta)/8",
		Also: &registertest.Mutant{File: "impl/counttail.go", Old: "n.Quo(n.Add(e, n.Int(1)), n.Rat(eps))", New: "n.Quo(n.Int(1), n.Rat(new(big.Rat).Mul(eps, big.NewRat(8, 1))))"}},
	{Name: "a count from above has the mean itself in impl", File: "impl/counttail.go", In: "impl.UpperCount", Old: "n.Add(n.Mul(e, n.Rat(mean)), more)", New: "n.Add(n.Rat(mean), more)"},
	{Name: "a count from below has e^ε in both rooms", File: "spec/counttail.go", Old: "math.Exp(-eps)*mean", New: "math.Exp(eps)*mean",
		Also: &registertest.Mutant{File: "impl/counttail.go", Old: "bits.ExpRat(new(big.Rat).Neg(eps))", New: "bits.ExpRat(eps)"}},
	{Name: "a count from below has δ for 1/δ in impl", File: "impl/counttail.go", In: "impl.LowerCount", Old: "n.Quo(n.Log(new(big.Rat).Inv(delta)), n.Rat(eps))", New: "n.Quo(n.Log(delta), n.Rat(eps))"},
	{Name: "the last variable never counts", File: "exhaustive/count.go", Old: "toss(i+1, sum+1,", New: "toss(i+1, sum+min(1, len(ones)-1-i),"},
	{
		Name: "the odds are p in both rooms", File: "spec/percentile.go",
		Old: "return x / (1 - x) }", New: "return x }",
		Also: &registertest.Mutant{File: "impl/percentile.go", Old: "return new(big.Rat).Quo(x, complement(x)) }", New: "return x }"},
	},
	{
		Name: "ν has the scale of a ξ_i in both rooms", File: "spec/percentile.go",
		Old: "nu := noise.Laplace(4 * eps1 / eps3)", New: "nu := noise.Laplace(8 * eps1 / eps3)",
		Also: &registertest.Mutant{File: "impl/percentile.go", Old: "noise.Laplace(4*eps1/eps3)", New: "noise.Laplace(8*eps1/eps3)"},
	},
	{
		Name: "a probability of p_* counts as above in impl", File: "impl/percentile.go",
		Old: "+logOdds(p) > noisy", New: "+logOdds(p)+0.01 > noisy",
	},
	{
		Name: "ln Φ has no 1 − p in impl", File: "impl/percentile.go",
		Old: "return math.Log(p) - math.Log1p(-p)", New: "return math.Log(p)",
		In: "impl.PercentileSparse",
	},
	{
		Name: "C has e^ε_0 for e^(ε_0/2) in both rooms", File: "spec/percentile.go",
		Old: "1 + math.Exp(eps0/2))", New: "1 + math.Exp(eps0))",
		Also: &registertest.Mutant{File: "impl/percentile.go", Old: "n.ExpRat(new(big.Rat).Mul(eps0, big.NewRat(1, 2)))", New: "n.ExpRat(eps0)"},
	},
	{
		Name: "Δ has ln(1/δ_0) in both rooms", File: "spec/percentile.go",
		Old: "math.Log(2/delta0)", New: "math.Log(1/delta0)",
		Also: &registertest.Mutant{File: "impl/percentile.go", Old: "n.Log(new(big.Rat).Quo(big.NewRat(2, 1), delta0))", New: "n.Log(new(big.Rat).Inv(delta0))"},
	},
	{
		Name: "Δ is over e^(ε_0 + ε_1) in impl", File: "impl/percentile.go",
		Old: "rise := n.Sub(n.ExpRat(new(big.Rat).Add(eps0, eps1)), n.Int(1))", New: "rise := n.ExpRat(new(big.Rat).Add(eps0, eps1))",
	},
	{
		Name: "Φ^(N,Δ) has no Δ below in both rooms", File: "spec/percentile.go",
		Old: "(float64(n)*(1-x) + offset)", New: "(float64(n)*(1-x) + 0.9*offset)",
		Also: &registertest.Mutant{File: "impl/percentile.go", Old: "n.Add(n.Rat(times.Mul(times, complement(x))), offset))", New: "n.Add(n.Rat(times.Mul(times, complement(x))), n.Mul(offset, n.Rat(big.NewRat(9, 10)))))"},
	},
	{
		Name: "a score of τ is not counted in both rooms", File: "spec/percentile.go",
		Old: "		if q >= tau {", New: "		if q > tau {",
		In:   "spec.SampledPercentileSparse",
		Also: &registertest.Mutant{File: "impl/percentile.go", Old: "if s.Score >= tau {", New: "if s.Score > tau {"},
	},
	{
		Name: "S is ε_1 + ε_0 for many thresholds, in impl", File: "impl/percentile.go",
		Old: "s := 2 * (rational.Float64(with.Eps1) + rational.Float64(with.Eps0))", New: "s := (rational.Float64(with.Eps1) + rational.Float64(with.Eps0))",
		In: "impl.SampledPercentileSparse",
	},
	{
		Name: "a query more than T is answered in both rooms", File: "spec/percentile.go",
		Old: "for i := 1; i <= with.T; i++ {", New: "for i := 0; i <= with.T; i++ {",
		Also: &registertest.Mutant{File: "impl/percentile.go", Old: "for len(a) < with.T {", New: "for len(a) <= with.T {"},
	},
	{
		Name: "N of many thresholds has T for T + 1 in both rooms", File: "spec/percentile.go",
		Old: "math.Pow(float64(with.T+1)/beta,", New: "math.Pow(float64(with.T)/beta,",
		Also: &registertest.Mutant{File: "impl/percentile.go", Old: "oneMore(with.T)", New: "new(big.Rat).SetInt64(int64(with.T))"},
	},
	{
		Name: "N of many thresholds looks at p_* only, in impl", File: "impl/percentile.go",
		Old: "rare := smaller(with.PStar, complement(with.PStar))", New: "rare := with.PStar",
	},
	{
		Name: "Λ is left out in both rooms", File: "spec/thresholdsearch.go",
		Old: "math.Exp(nu-lambda)", New: "math.Exp(nu-0*lambda)",
		Also: &registertest.Mutant{File: "impl/thresholdsearch.go", Old: "noise.Laplace(2*s) - lambda +", New: "noise.Laplace(2*s) - 0*lambda +"},
	},
	{
		Name: "the thresholds rise in both rooms", File: "spec/thresholdsearch.go",
		Old: "tau := 1 - float64(i)/float64(with.R)", New: "tau := float64(i-1) / float64(with.R)",
		Also: &registertest.Mutant{File: "impl/thresholdsearch.go", Old: "taus[i] = 1 - float64(i+1)/float64(with.R)", New: "taus[i] = float64(i) / float64(with.R)"},
	},
	{
		Name: "N of one threshold has 2Δ for 3Δ in both rooms", File: "spec/thresholdsearch.go",
		Old: "return 3 * offset *", New: "return 2 * offset *",
		Also: &registertest.Mutant{File: "impl/thresholdsearch.go", Old: "n.Mul(n.Int(3), with.offset())", New: "n.Mul(n.Int(2), with.offset())"},
	},
	{
		Name: "the shift of N has β for β² in impl", File: "impl/thresholdsearch.go",
		Old: "base := new(big.Rat).Mul(with.Beta, with.Beta)", New: "base := new(big.Rat).Set(with.Beta)",
		In: "impl.SearchSamples",
	},
	{
		Name: "γ of the pipeline has 6ε_1/ε_0 in both rooms", File: "spec/thresholdsearch.go",
		Old: "6+12*eps1/eps0)", New: "6+6*eps1/eps0)",
		Also: &registertest.Mutant{File: "impl/thresholdsearch.go", Old: "new(big.Rat).Mul(big.NewRat(12, 1), eps1), eps0)", New: "new(big.Rat).Mul(big.NewRat(6, 1), eps1), eps0)"},
	},
	{
		Name: "a sample of the pipeline need not reach the threshold in both rooms", File: "spec/thresholdsearch.go",
		Old: "return Thresholding(q, tau,", New: "return Thresholding(q, 0*tau,",
		Also: &registertest.Mutant{File: "impl/thresholdsearch.go", Old: "Thresholding(ctx, q, tau,", New: "Thresholding(ctx, q, 0*tau,"},
	},
	{
		Name: "scores above τ keep their weight in both rooms", File: "spec/amplification.go",
		Old: "s.Score = math.Min(tau, s.Score)", New: "s.Score = math.Min(tau+1, s.Score)",
		Also: &registertest.Mutant{File: "impl/amplification.go", Old: "drawn[i].Score = math.Min(tau, drawn[i].Score)", New: "drawn[i].Score = math.Min(tau+1, drawn[i].Score)"},
	},
	{
		Name: "the weights have half of ε_2 in both rooms", File: "spec/amplification.go",
		Old: "ExponentialMechanism(a, 0.5, eps2, noise)", New: "ExponentialMechanism(a, 1, eps2, noise)",
		Also: &registertest.Mutant{File: "impl/amplification.go", Old: "ExponentialMechanism(a, 0.5, eps2, noise)", New: "ExponentialMechanism(a, 1, eps2, noise)"},
	},
	{
		Name: "a dummy less in the law of both rooms", File: "spec/amplification.go",
		Old: "draw(0, one, big.NewRat(int64(dummies), 1))", New: "draw(0, one, big.NewRat(int64(dummies-1), 1))",
		Also: &registertest.Mutant{File: "impl/amplification.go", Old: "count := big.NewRat(int64(dummies), 1)", New: "count := big.NewRat(int64(dummies-1), 1)"},
	},
	{
		Name: "a candidate is among the others in impl", File: "impl/amplification.go",
		Old: "slices.Delete(slices.Clone(oracles), i, i+1)", New: "slices.Delete(slices.Clone(oracles), i, i)",
	},
}
