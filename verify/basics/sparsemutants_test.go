package basics

import "checkrr/verify/register/registertest"

// sparseMutants are wrong changes of the Gaussian mechanism and of sparse vectors.
var sparseMutants = []registertest.Mutant{
	{
		Name: "the Gaussian mechanism takes b for a standard deviation", File: "spec/gaussian.go",
		Old: "noise.Gauss(math.Sqrt(b))", New: "noise.Gauss(b)",
	},
	{
		Name: "the smallest δ has e^(0.99·ε) in both rooms", File: "spec/gaussian.go",
		Old: "math.Exp(eps)*phi(-mean-cut)", New: "math.Exp(0.99*eps)*phi(-mean-cut)",
		Also: &registertest.Mutant{File: "impl/gaussian.go", Old: "bits.ExpRat(eps), bits", New: "bits.ExpRat(new(big.Rat).Mul(eps, big.NewRat(99, 100))), bits"},
	},
	{
		Name: "NumericSparse releases noise of the threshold's scale", File: "impl/numericsparse.go",
		Old: "first, second = sigma/eps1, sigma/eps2", New: "first, second = sigma/eps1, sigma/max(eps1, eps2)",
		In: "impl.NumericSparseRun",
	},
	{
		Name: "the last answer above is counted as one below", File: "impl/sparseaccuracy.go",
		Old: "p = either(p, someOf(missed(each+1, x), longer))", New: "p = either(p, someOf(missed(0, x), longer))",
		In: "impl.SparseFailure",
	},
	{
		Name: "what is missed leaves the answers below out", File: "impl/sparseaccuracy.go",
		Old: "	if n == 0 {\n		return sum\n", New: "	if n >= 0 {\n		return sum\n",
		In: "impl.AboveThresholdFailure",
	},
	{
		Name: "the Gaussian mechanism takes b for a standard deviation in impl", File: "impl/gaussian.go",
		Old: "math.Sqrt(b), make(", New: "b, make(",
	},
	{
		Name: "the Gaussian mechanism's σ has 1/δ for 1.25/δ", File: "spec/gaussian.go",
		Old: "math.Log(1.25/delta)", New: "math.Log(1/delta)",
	},
	{
		Name: "the Gaussian mechanism's σ has 1/δ for 1.25/δ in impl", File: "impl/gaussian.go",
		Old: "big.NewRat(5, 4), delta", New: "big.NewRat(1, 1), delta",
	},
	{
		Name: "the normal tail's series lacks its second term", File: "impl/interval/normal.go",
		Old: "for j := int64(3); ; j += 2 {", New: "for j := int64(5); ; j += 2 {",
		In: "interval.Precision.NormalTail",
	},
	{
		Name: "a ⊤ needs more than the threshold", File: "spec/abovethreshold.go",
		Old: "\t\tif q+nu >= noisy {", New: "\t\tif q+nu > noisy {",
		In: "spec.AboveThreshold",
	},
	{
		Name: "a ⊤ needs more than the threshold in impl", File: "impl/abovethreshold.go",
		Old: "r.noise.Laplace(2*r.sigma) >= r.noisy", New: "r.noise.Laplace(2*r.sigma) > r.noisy",
		In: "impl.AboveThreshold",
	},
	{
		Name: "the threshold has Lap(3/ε)", File: "spec/abovethreshold.go",
		Old: "noisy := t + noise.Laplace(2/eps)", New: "noisy := t + noise.Laplace(3/eps)",
	},
	{
		Name: "an answer has Lap(3/ε)", File: "spec/abovethreshold.go",
		Old: "nu := noise.Laplace(4 / eps)", New: "nu := noise.Laplace(3 / eps)",
	},
	{
		Name: "the law of a run has ⊥ for ⊤", File: "impl/sparsevectorlaw.go",
		Old: "		return l.Minus(l.Int(1), below)\n", New: "		return below\n",
		In: "impl.SparseVectorLaw.Probability",
	},
	{
		Name: "the law of a run counts equal comparisons once", File: "impl/sparsevectorlaw.go",
		Old: "		times[i]++\n", New: "		times[i] = 1\n",
		In: "impl.SparseVectorLaw.Probability",
	},
	{
		Name: "the law of a run takes ⊤ and ⊥ for the same comparison", File: "impl/sparsevectorlaw.go",
		Old: "fmt.Sprint(c.gap().RatString(), c.Above)", New: "fmt.Sprint(c.gap().RatString())",
		In: "impl.SparseVectorLaw.Probability",
	},
	{
		Name: "AboveThreshold has c = 2 in impl", File: "impl/abovethreshold.go",
		Old: "sparse(x, query, t, 1, eps, 0, noise)", New: "sparse(x, query, t, 2, eps, 0, noise)",
	},
	{
		Name: "Sparse keeps its threshold after a ⊤", File: "spec/abovethreshold.go",
		Old: "\t\t\tnoisy = t + noise.Laplace(sigma) // Let T̂_count = T + Lap(σ)\n", New: "",
	},
	{
		Name: "Sparse keeps its threshold after a ⊤ in impl", File: "impl/abovethreshold.go",
		Old: "\t\tr.noisy = r.t + r.noise.Laplace(r.sigma)\n", New: "",
		In: "impl.Sparse",
	},
	{
		Name: "σ of Sparse has 31 for 32 in both rooms", File: "spec/abovethreshold.go",
		Old: "math.Sqrt(32*float64(c)*math.Log(1/delta))", New: "math.Sqrt(31*float64(c)*math.Log(1/delta))",
		Also: &registertest.Mutant{File: "impl/abovethreshold.go", Old: "bits.Int(32*int64(c))", New: "bits.Int(31*int64(c))"},
	},
	{
		Name: "σ of Sparse has c for 2c in impl", File: "impl/abovethreshold.go",
		Old: "big.NewRat(2*int64(c), 1)", New: "big.NewRat(int64(c), 1)",
		In: "impl.SparseScale",
	},
	{
		Name: "AboveThreshold's α has 7 for 8", File: "spec/sparseaccuracy.go",
		Old: "return 8 * (math.Log(float64(k))", New: "return 7 * (math.Log(float64(k))",
	},
	{
		Name: "AboveThreshold's α is that of c = 2 in impl", File: "impl/sparseaccuracy.go",
		Old: "SparseAccuracy(k, 1, beta,", New: "SparseAccuracy(k, 2, beta,",
	},
	{
		Name: "Sparse's α has 500 for 512", File: "spec/sparseaccuracy.go",
		Old: "math.Sqrt(512*n*math.Log(1/delta))", New: "math.Sqrt(500*n*math.Log(1/delta))",
	},
	{
		Name: "Sparse's α has 5 for 4 in impl", File: "impl/sparseaccuracy.go",
		Old: "bits.Int(4), SparseScale", New: "bits.Int(5), SparseScale",
		In: "impl.SparseAccuracy",
	},
	{
		Name: "NumericSparse's α has 8 for 9", File: "spec/sparseaccuracy.go",
		Old: "return 9 * n", New: "return 8 * n",
	},
	{
		Name: "NumericSparse's α has 2c for 4c in impl", File: "impl/sparseaccuracy.go",
		Old: "product(4, k, c)", New: "product(2, k, c)",
	},
	{
		Name: "AboveThreshold fails as for one answer more", File: "impl/sparseaccuracy.go",
		Old: "SparseFailure(k, 1, alpha, eps, new(big.Rat))", New: "SparseFailure(k+1, 1, alpha, eps, new(big.Rat))",
	},
	{
		Name: "all answers are above in the worst case of Sparse", File: "impl/sparseaccuracy.go",
		Old: "segmentsFailure(k, min(c, k-k/2), alpha, SparseScale", New: "segmentsFailure(k, min(c, k), alpha, SparseScale",
	},
	{
		Name: "as few answers above as for Sparse", File: "impl/sparseaccuracy.go",
		Old: "fails(min(c, k))", New: "fails(min(c, k-k/2))",
	},
	{
		Name: "a number is never off", File: "impl/sparseaccuracy.go",
		Old: "either(segmentsFailure(k, above, alpha, first), someOf(off, above))", New: "either(segmentsFailure(k, above, alpha, first), someOf(off, 0))",
		In: "impl.NumericSparseFailure",
	},
	{
		Name: "the smallest α is a bound from above only", File: "impl/accuracy.go", In: "impl.LeastAlpha",
		Old: "return interval.NewFloat(low, -minusHigh)", New: "return interval.NewFloat(low, -1.01*minusHigh)",
	},
	{
		Name: "a number has the noise of the comparison", File: "spec/numericsparse.go",
		Old: "a = append(a, Numeric{true, q + noise.Laplace(second)})", New: "a = append(a, Numeric{true, q + noise.Laplace(2*first)})",
	},
	{
		Name: "the number is drawn after the threshold", File: "impl/numericsparse.go",
		Old: "\toutput := Numeric{true, q + r.above.noise.Laplace(r.scale)}\n\tr.above.next()\n\treturn output, nil", New: "\tr.above.next()\n\treturn Numeric{true, q + r.above.noise.Laplace(r.scale)}, nil",
		In: "impl.NumericSparse",
	},
	{
		Name: "ε_2 is ε/9", File: "spec/numericsparse.go",
		Old: "2 * float64(c) / (2 * eps / 9)", New: "2 * float64(c) / (eps / 9)",
	},
	{
		Name: "δ is not halved for NumericSparse in impl", File: "impl/numericsparse.go",
		Old: "new(big.Rat).Quo(delta, big.NewRat(2, 1))", New: "delta",
	},
	{
		Name: "the smallest δ is that of Δ = 1 in impl", File: "impl/gaussian.go",
		Old: "ratio := bits.Quo(bits.Rat(sensitivity), sigma)", New: "ratio := bits.Quo(bits.Int(1), sigma)",
	},
	{
		Name: "the smallest δ has Δ on the wrong side", File: "spec/gaussian.go",
		Old: "eps*sigma/sensitivity", New: "eps*sigma*sensitivity",
	},
	{
		Name: "the tail of a range is that of its lower end", File: "impl/interval/normal.go",
		Old: "return Interval{n.tailAt(x.Upper).Lower, n.tailAt(x.Lower).Upper}", New: "return n.tailAt(x.Lower)",
		Survives: "a matter of the last bits; TestNormalTail_Range notices",
	},
	{
		Name: "σ has 1.24 for 1.25 in both rooms", File: "spec/gaussian.go",
		Old: "math.Log(1.25/delta)", New: "math.Log(1.24/delta)",
		Also: &registertest.Mutant{File: "impl/gaussian.go", Old: "big.NewRat(5, 4), delta", New: "big.NewRat(31, 25), delta"},
	},
	{
		Name: "AboveThreshold's α grows with ε", File: "spec/sparseaccuracy.go",
		Old: "math.Log(2/beta)) / eps", New: "math.Log(2/beta)) * eps",
	},
	{
		Name: "Sparse's α without ε", File: "spec/sparseaccuracy.go",
		Old: "return logs * math.Sqrt(512*n*math.Log(1/delta)) / eps", New: "return logs * math.Sqrt(512*n*math.Log(1/delta))",
	},
	{
		Name: "Sparse's α is that for ε = 1 in impl", File: "impl/sparseaccuracy.go",
		Old: "bits.Int(4), SparseScale(c, eps, delta)", New: "bits.Int(4), SparseScale(c, big.NewRat(1, 1), delta)",
	},
	{
		Name: "NumericSparse's α grows with ε", File: "spec/sparseaccuracy.go",
		Old: "return 9 * n * logs / eps", New: "return 9 * n * logs * eps",
	},
	{
		Name: "AboveThreshold fails as for ε = 1", File: "impl/sparseaccuracy.go",
		Old: "SparseFailure(k, 1, alpha, eps, new(big.Rat))", New: "SparseFailure(k, 1, alpha, big.NewRat(1, 1), new(big.Rat))",
	},
	{
		Name: "no answer fails less often than 30 scales away", File: "impl/sparseaccuracy.go",
		Old: "const farthest = 300", New: "const farthest = 30",
		In: "impl.SparseFailure",
	},
	{
		Name: "ln(1 − p) is −p for small p", File: "impl/sparseaccuracy.go",
		Old: "second := x.Add(x.Mul(x).Mul(interval.Point(0.5)))", New: "second := x",
		In: "impl.SparseFailure",
	},
	{
		Name: "one of n that is unlikely is as likely as a single one", File: "impl/sparseaccuracy.go",
		Old: "interval.NewFloat(np.Sub(np.Mul(np)).Lo, np.Hi)", New: "interval.NewFloat(x.Lo, x.Hi)",
		In: "impl.SparseFailure",
	},
	{
		Name: "the loss of the other order of databases", File: "impl/sparsevectorlaw.go",
		Old: "return LogRatio(p[0], p[1])", New: "return LogRatio(p[1], p[0])",
	},
	{
		Name: "T̂ has the noise of the numbers after the first of them", File: "spec/numericsparse.go",
		Old: "noisy = t + noise.Laplace(first)  ", New: "noisy = t + noise.Laplace(second)  ",
	},
	{
		Name: "the smallest α of Sparse is that for δ = 0", File: "impl/exactsparse.go",
		Old: "return SparseFailure(s.Queries, s.Above, alpha, rational.One, s.Delta)", New: "return SparseFailure(s.Queries, s.Above, alpha, rational.One, new(big.Rat))",
	},
	{
		Name: "the longer runs count as shorter ones too", File: "impl/sparseaccuracy.go",
		Old: "p := someOf(missed(each, x), above-longer)", New: "p := someOf(missed(each, x), above)",
		In: "impl.SparseFailure",
	},
	{
		Name: "the better of the two lists is the worst", File: "impl/sparseaccuracy.go",
		Old: "max(few.Lo, many.Lo), max(few.Hi, many.Hi)", New: "min(few.Lo, many.Lo), min(few.Hi, many.Hi)",
	},
	{
		Name: "below 0 a tail is that of the other side", File: "impl/interval/normal.go",
		Old: "return n.Sub(n.Int(1), n.tailAt(new(big.Float).Neg(x)))", New: "return n.tailAt(new(big.Float).Neg(x))",
		In: "interval.Precision.NormalTail",
	},
	{
		Name: "the normal tail's fraction has 1 for its numerators", File: "impl/interval/normal.go",
		Old: "old := pair[0].Mul(pair[0], m)", New: "old := pair[0].Mul(pair[0], number(1))",
		In: "interval.Precision.NormalTail",
	},
	{
		Name: "the normal tail's fraction lacks its first numerator", File: "impl/interval/normal.go",
		Old: "for m := int64(1); ; m++ {", New: "for m := int64(2); ; m++ {",
		In: "interval.Precision.NormalTail",
	},
	{
		Name: "the normal tail's first convergent is not 0", File: "impl/interval/normal.go",
		Old: "{number(0), number(1)}", New: "{number(1), number(1)}",
		In: "interval.Precision.NormalTail",
	},
	{
		Name: "the normal tail is taken for a convergent", File: "impl/interval/normal.go",
		Old: "number(0).Quo(b[i], a[i])", New: "number(0).Quo(b[1], a[1])",
		In: "interval.Precision.NormalTail",
	},
	{
		Name: "the normal tail's convergents end at once", File: "impl/interval/normal.go",
		Old: "t.RelWidth() <= math.Ldexp(1, -int(n-guard/2))", New: "t.RelWidth() <= math.Ldexp(1, -1)",
		In: "interval.Precision.NormalTail",
	},
	{
		Name: "the normal tail's convergents forget x", File: "impl/interval/normal.go",
		Old: "number(0).Mul(x, pair[1])", New: "pair[1]",
		In: "interval.Precision.NormalTail",
	},
}
