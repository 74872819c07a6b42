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
		Name: "the sensitivity leaves out the last type in impl", File: "impl/sensitivity.go",
		Old: "		for i := range x {\n			x[i]++", New: "		for i := range x[1:] {\n			x[i]++",
	},
	{
		Name: "the ℓ1-distance is the largest difference", File: "spec/sensitivity.go",
		Old: "sum = add(sum, new(big.Rat).Abs(sub(a[i], b[i])))", New: "sum = larger(sum, new(big.Rat).Abs(sub(a[i], b[i])))",
		In: "spec.L1Sensitivity",
	},
	{
		Name: "neighbours are two records apart", File: "spec/sensitivity.go",
		Old: "if distance(x, y) == 1 {", New: "if distance(x, y) == 2 {",
	},
	{
		Name: "a change counts half in both rooms", File: "spec/sensitivity.go",
		Old: "sum = add(sum, new(big.Rat).Abs(sub(a[i], b[i])))", New: "sum = add(sum, quo(new(big.Rat).Abs(sub(a[i], b[i])), big.NewRat(2, 1)))",
		In:   "spec.L1Sensitivity",
		Also: &registertest.Mutant{File: "impl/sensitivity.go", Old: "sum.Add(sum, new(big.Rat).Abs(new(big.Rat).Sub(after, before[j])))", New: "sum.Add(sum, new(big.Rat).Mul(big.NewRat(1, 2), new(big.Rat).Abs(new(big.Rat).Sub(after, before[j]))))"},
	},
	{
		Name: "the Laplace density falls half as fast in both rooms", File: "spec/laplace.go",
		Old: "math.Exp(-math.Abs(x)/b)", New: "math.Exp(-math.Abs(x)/(2*b))",
		Also: &registertest.Mutant{File: "impl/laplace.go", Old: "distance.Neg(distance.Quo(distance, b))", New: "distance.Neg(distance.Quo(distance, new(big.Rat).Add(b, b)))"},
	},
	{
		Name: "the Laplace mechanism has half of the scale in both rooms", File: "spec/laplace.go",
		Old: "f+noise.Laplace(sensitivity/eps)", New: "f+noise.Laplace(sensitivity/(2*eps))",
		Also: &registertest.Mutant{File: "impl/laplace.go", Old: "return sensitivity / eps, checkPositive", New: "return sensitivity / (2 * eps), checkPositive"},
	},
	{
		Name: "an answer has half of the noise in impl", File: "impl/laplace.go",
		Old: "list = append(list, f+noise.Laplace(scale))", New: "list = append(list, f+noise.Laplace(scale)/2)",
		In: "impl.LaplaceMechanism",
	},
	{
		Name: "what is above all cuts is left out", File: "impl/laplace.go",
		Old: "return append(cells, laplace.Above(n, new(big.Rat).Sub(cuts[len(cuts)-1], mean), rate)), nil", New: "return append(cells, n.Int(0)), nil",
		In: "impl.LaplaceCells",
	},
	{
		Name: "the Laplace density has 1/b for 1/(2b)", File: "spec/laplace.go",
		Old: "1 / (2 * b) * math.Exp", New: "1 / b * math.Exp",
	},
	{
		Name: "the Laplace density has 1/b for 1/(2b) in impl", File: "impl/laplace.go",
		Old: "bits.Rat(new(big.Rat).Add(b, b))", New: "bits.Rat(b)",
	},
	{
		Name: "a cell ends where it begins", File: "impl/laplace.go",
		Old: "new(big.Rat).Sub(cuts[i-1], mean), new(big.Rat).Sub(t, mean), rate)", New: "new(big.Rat).Sub(cuts[0], mean), new(big.Rat).Sub(t, mean), rate)",
		In: "impl.LaplaceCells",
	},
	{
		Name: "the Laplace mechanism has the scale 1/ε", File: "spec/laplace.go",
		Old: "f+noise.Laplace(sensitivity/eps)", New: "f+noise.Laplace(1/eps)",
	},
	{
		Name: "the Laplace mechanism takes its noise off in impl", File: "impl/laplace.go",
		Old: "f+noise.Laplace(scale)", New: "f-noise.Laplace(scale)",
		In: "impl.LaplaceMechanism",
	},
	{
		Name: "a tail is that of one side", File: "spec/laplace.go",
		Old: "return math.Exp(-t)", New: "return math.Exp(-t) / 2",
		Also: &registertest.Mutant{File: "impl/laplace.go", Old: "{ return bits.ExpRat(new(big.Rat).Neg(t)) }", New: "{ return bits.Half(bits.ExpRat(new(big.Rat).Neg(t))) }"},
	},
	{
		Name: "the error is that of one number in both rooms", File: "spec/laplace.go",
		Old: "math.Log(float64(k)/delta)", New: "math.Log(1/delta)",
		Also: &registertest.Mutant{File: "impl/laplace.go", Old: "n.Log(new(big.Rat).Quo(big.NewRat(int64(k), 1), beta))", New: "n.Log(new(big.Rat).Inv(beta))"},
	},
	{
		Name: "the exact error has 1/k for the k-th root", File: "impl/laplace.go",
		Old: "one := n.Exp(n.Quo(n.Log(none), n.Int(int64(k))))", New: "one := n.Exp(n.Quo(n.Neg(n.Rat(beta)), n.Int(int64(k))))",
		In: "impl.ExactLaplaceError",
	},
	{
		Name: "the footnote has √ln(1/δ) in both rooms", File: "spec/laplace.go",
		Old: "sensitivity * math.Log(1/delta) / eps", New: "sensitivity * math.Sqrt(math.Log(1/delta)) / eps",
		Also: &registertest.Mutant{File: "impl/laplace.go", Old: "bits.Mul(bits.Log(new(big.Rat).Inv(delta)), bits", New: "bits.Mul(bits.Sqrt(bits.Log(new(big.Rat).Inv(delta))), bits"},
	},
	{
		Name: "noisy max has the scale ε", File: "spec/noisymax.go",
		Old: "count + noise.Laplace(1/eps)", New: "count + noise.Laplace(eps)",
	},
	{
		Name: "noisy max returns the last of the largest in impl", File: "impl/noisymax.go",
		Old: "noisy > largest {", New: "noisy >= largest {",
	},
	{
		Name: "the law of noisy max leaves out the last count", File: "impl/noisymax.go",
		Old: "for j, count := range counts {\n				if j != i {", New: "for j, count := range counts {\n				if j != i && j < len(counts)-1 {",
		In: "impl.NoisyMaxLaw",
	},
	{
		Name: "the error of noisy max is that of one number of two", File: "impl/noisymax.go",
		Old: "n.Log(new(big.Rat).Quo(big.NewRat(int64(m), 1), beta))", New: "n.Log(new(big.Rat).Quo(big.NewRat(2, 1), beta))",
	},
	{
		Name: "the exact error of noisy max is that of one more count", File: "impl/noisymax.go",
		Old: "n, target := float64(m-1), interval.FloatOf(beta)", New: "n, target := float64(m), interval.FloatOf(beta)",
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
		Name: "the sensitivity of a utility is the sum over outputs in impl", File: "impl/sensitivity.go",
		Old: "largest = larger(largest, L1Sensitivity(", New: "largest.Add(largest, L1Sensitivity(",
	},
	{
		Name: "the exponential mechanism draws with ε/Δu", File: "spec/exponential.go",
		Old: "math.Exp(eps * u / (2 * sensitivity))", New: "math.Exp(eps * u / sensitivity)",
	},
	{
		Name: "the exponential mechanism draws with ε/Δu in impl", File: "impl/exponential.go",
		Old: "rate, best := eps/(2*sensitivity)", New: "rate, best := eps/sensitivity",
	},
	{
		Name: "the sum of the weights leaves out the last output", File: "spec/exponential.go",
		Old: "	for _, u := range utilities {\n		sum = add(sum, power(base, u))", New: "	for _, u := range utilities[:max(1, len(utilities)-1)] {\n		sum = add(sum, power(base, u))",
		In: "spec.ExponentialLaw",
	},
	{
		Name: "the sum of the weights counts equal utilities once in impl", File: "impl/exponential.go",
		Old: "		law[r] = known[key]\n		sum = n.Add(sum, law[r])\n", New: "		law[r] = known[key]\n		if r == 0 || u.Cmp(utilities[r-1]) != 0 {\n			sum = n.Add(sum, law[r])\n		}\n",
	},
	{
		Name: "the theorem on utility has Δu/ε for 2Δu/ε in both rooms", File: "spec/exponential.go",
		Old: "return 2 * sensitivity / eps * (", New: "return sensitivity / eps * (",
		In:   "spec.ExponentialShortfall",
		Also: &registertest.Mutant{File: "impl/exponential.go", Old: "n.Mul(n.Log(x), n.Quo(n.Rat(new(big.Rat).Add(sensitivity, sensitivity)), eps.Enclose(n)))", New: "n.Mul(n.Log(x), n.Quo(n.Rat(sensitivity), eps.Enclose(n)))"},
	},
	{
		Name: "the theorem on utility has |R| − 1 in both rooms", File: "spec/exponential.go",
		Old: "math.Log(float64(outputs)/float64(optimal))", New: "math.Log(float64(max(1, outputs-1))/float64(optimal))",
		Also: &registertest.Mutant{File: "impl/exponential.go", Old: "return big.NewRat(int64(outputs), int64(optimal))", New: "return big.NewRat(int64(max(1, outputs-1)), int64(optimal))"},
	},
	{
		Name: "the theorem on utility has Δu/ε for 2Δu/ε", File: "spec/exponential.go",
		Old: "return 2 * sensitivity / eps * (", New: "return sensitivity / eps * (",
	},
	{
		Name: "the theorem on utility has the inverse of the best", File: "impl/exponential.go",
		Old: "return big.NewRat(int64(outputs), int64(optimal))", New: "return big.NewRat(int64(outputs), 1)",
	},
	{
		Name: "the exact shortfall counts the best among the others", File: "impl/exponential.go",
		Old: "big.NewRat(int64(outputs-optimal), int64(optimal))", New: "big.NewRat(int64(outputs), int64(optimal))",
	},
	{
		Name: "the shortfall of utilities is that of the best", File: "impl/accuracy.go",
		Old: "utilities[r].Cmp(utilities[s])", New: "utilities[s].Cmp(utilities[r])",
		In: "impl.ShortfallOf",
	},
	{
		Name: "a monotonic utility has twice the noise in both rooms", File: "spec/argmax.go",
		Old: "		mean = sensitivity / eps\n", New: "",
		Also: &registertest.Mutant{File: "impl/argmax.go", Old: "!monotonic && err == nil", New: "err == nil"},
	},
	{
		Name: "one-sided noise has two sides in impl", File: "impl/argmax.go",
		Old: "u + math.Abs(noise.Laplace(mean))", New: "u + noise.Laplace(mean)",
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
	{
		Name: "the sensitivity at the empty database only", File: "impl/sensitivity.go",
		Old: "eachDatabase(make([]int, types), 0, most-1,", New: "eachDatabase(make([]int, types), 0, 0,",
	},
	{
		Name: "the sensitivity at databases of one record at most", File: "spec/sensitivity.go",
		Old: "largest := new(big.Rat)\n\tfor _, x := range databases(types, most) {", New: "largest := new(big.Rat)\n\tfor _, x := range databases(types, min(most, 1)) {",
	},
	{
		Name: "databases have up to so many records of each type", File: "spec/sensitivity.go",
		Old: "most + 1 - distance(x, make([]int, len(x)))", New: "most + 1",
		In: "spec.L1Sensitivity",
	},
	{
		Name: "databases have up to so many records of each type in impl", File: "impl/sensitivity.go",
		Old: "eachDatabase(x, i+1, most-n, visit)", New: "eachDatabase(x, i+1, most, visit)",
		In: "impl.L1Sensitivity",
	},
	{
		Name: "the sensitivity of a utility leaves out the last output", File: "spec/sensitivity.go",
		Old: "for r := range outputs {", New: "for r := range max(1, outputs-1) {",
	},
	{
		Name: "the law has ε/2 for ε/(2Δu) in impl", File: "impl/exponential.go",
		Old: "rate := n.Quo(eps.Enclose(n), n.Rat(new(big.Rat).Add(sensitivity, sensitivity)))", New: "rate := n.Quo(eps.Enclose(n), n.Int(2))",
	},
	{
		Name: "utilities with the same whole part have the same weight in impl", File: "impl/exponential.go",
		Old: "key := u.RatString()", New: "key := u.FloatString(0)",
	},
	{
		Name: "the mechanism has ε/2 for ε/(2Δu) in impl", File: "impl/exponential.go",
		Old: "rate, best := eps/(2*sensitivity)", New: "rate, best := eps/2",
	},
	{
		Name: "the mechanism has ε·Δu/2", File: "spec/exponential.go",
		Old: "math.Exp(eps * u / (2 * sensitivity))", New: "math.Exp(eps * u * sensitivity / 2)",
	},
	{
		Name: "an output of the second block is taken for one of the first", File: "impl/exponential.go",
		Old: "index = block*length + r", New: "index = block + r",
	},
	{
		Name: "the theorem on utility has 1/Δu for Δu", File: "spec/exponential.go",
		Old: "return 2 * sensitivity / eps * (", New: "return 2 / sensitivity / eps * (",
	},
	{
		Name: "the shortfall has 2/ε for 2Δu/ε in impl", File: "impl/exponential.go",
		Old: "n.Quo(n.Rat(new(big.Rat).Add(sensitivity, sensitivity)), eps.Enclose(n))", New: "n.Quo(n.Int(2), eps.Enclose(n))",
		In: "impl.ExponentialShortfall",
	},
	{
		Name: "the shortfall of utilities forgets those that are farther", File: "impl/accuracy.go",
		Old: "			low = distance\n			break\n		}\n", New: "			low = distance\n			break\n		}\n		reached = bits.Int(0)\n",
	},
	{
		Name: "the exact shortfall forgets 1 − β", File: "impl/exponential.go",
		Old: "return odds.Mul(odds, new(big.Rat).Sub(rational.One, beta))", New: "return odds",
	},
	{
		Name: "the Laplace density rises on the left", File: "spec/laplace.go",
		Old: "math.Exp(-math.Abs(x)/b)", New: "math.Exp(-x/b)",
	},
	{
		Name: "the error of k numbers is that of k + 1 in impl", File: "impl/laplace.go",
		Old: "n.Log(new(big.Rat).Quo(big.NewRat(int64(k), 1), beta))", New: "n.Log(new(big.Rat).Quo(big.NewRat(int64(k+1), 1), beta))",
	},
	{
		Name: "the error has ε/Δf", File: "spec/laplace.go",
		Old: "(sensitivity / eps)", New: "(eps / sensitivity)",
	},
	{
		Name: "the footnote has ε/Δf in impl", File: "impl/laplace.go",
		Old: "bits.Rat(new(big.Rat).Quo(sensitivity, eps)))", New: "bits.Rat(new(big.Rat).Quo(eps, sensitivity)))",
	},
	{
		Name: "noisy max returns the last of the largest", File: "spec/noisymax.go",
		Old: "noisy[i] > noisy[index]", New: "noisy[i] >= noisy[index]",
	},
	{
		Name: "the exact error of noisy max is 0 from 1/m on", File: "impl/noisymax.go",
		Old: "big.NewRat(int64(m-1), int64(m))", New: "big.NewRat(1, int64(m))",
	},
	{
		Name: "a price is paid by those who bid more only in impl", File: "impl/exponential.go",
		Old: "bid.Cmp(price) >= 0", New: "bid.Cmp(price) > 0",
	},
	{
		Name: "∫ w^k dw is 1/(k + 2)", File: "spec/argmax.go",
		Old: "big.NewRat(size+1, 1)", New: "big.NewRat(size+2, 1)",
		In: "spec.OneSidedLaw",
	},
}
