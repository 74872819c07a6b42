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
		Old: "math.Exp(eps)*phi", New: "math.Exp(0.99*eps)*phi",
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
}
