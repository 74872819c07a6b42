package basics

import "checkrr/verify/register/registertest"

// mechanismMutants are wrong changes of mechanisms and their laws.
var mechanismMutants = []registertest.Mutant{
	{
		Name: "two tails say No", File: "spec/response.go",
		Old: "		return truth\n", New: "		return truth && heads()\n",
	},
	{
		Name: "the second coin is read the other way in impl", File: "impl/response.go",
		Old: "forced && heads()", New: "forced && !heads()",
	},
	{
		Name: "a price is paid by those who bid more only", File: "spec/exponential.go",
		Old: "bid.Cmp(price) >= 0", New: "bid.Cmp(price) > 0",
	},
	{
		Name: "the exponential mechanism has ε/Δu in impl", File: "impl/exponential.go",
		Old: "rate := n.Quo(eps.Enclose(n), n.Rat(new(big.Rat).Add(sensitivity, sensitivity)))", New: "rate := n.Quo(eps.Enclose(n), n.Rat(sensitivity))",
	},
	{
		Name: "inclusion and exclusion without the signs", File: "spec/argmax.go",
		Old: "sub(new(big.Rat), power(base, u-most))", New: "power(base, u-most)",
		In: "spec.OneSidedLaw",
	},
	{
		Name: "∫ w^k dw is 1/(k + 2) in impl", File: "impl/argmax.go",
		Old: "big.NewRat(1, int64(k+1))", New: "big.NewRat(1, int64(k+2))",
	},
}
