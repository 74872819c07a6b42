package basics

import "checkrr/verify/register/registertest"

// divergenceMutants are wrong changes of divergences, distances and the laws that are close to others.
var divergenceMutants = []registertest.Mutant{
	{
		Name: "the max divergence looks at single outputs only", File: "spec/maxdivergence.go",
		Old: "for _, s := range subsets(support(y)) {", New: "for _, o := range support(y) {\n\t\ts := []string{o}",
		In: "spec.ExpApproximateMaxDivergence",
	},
	{
		Name: "the approximate max divergence has half of δ", File: "spec/maxdivergence.go",
		Old: "sub(probability(y, s), delta), probability(z, s)", New: "sub(probability(y, s), mul(delta, big.NewRat(1, 2))), probability(z, s)",
	},
	{
		Name: "the approximate max divergence leaves out δ in impl", File: "impl/maxdivergence.go",
		Old: "new(big.Rat), new(big.Rat).Neg(delta), new(big.Rat)", New: "new(big.Rat), new(big.Rat), new(big.Rat)",
	},
	{
		Name: "an infinite max divergence counts 0 in impl", File: "impl/maxdivergence.go",
		Old: "			return nil\n", New: "			return new(big.Rat)\n",
	},
	{
		Name: "the statistical distance has 19/20 of Z", File: "spec/maxdivergence.go",
		Old: "difference := sub(probability(y, s), probability(z, s))", New: "difference := sub(probability(y, s), mul(big.NewRat(19, 20), probability(z, s)))",
	},
	{
		Name: "the statistical distance is the sum of all differences in impl", File: "impl/maxdivergence.go",
		Old: "larger(new(big.Rat), new(big.Rat).Sub(y[o], z[o]))", New: "new(big.Rat).Abs(new(big.Rat).Sub(y[o], z[o]))",
	},
	{
		Name: "what Y′ loses is lost", File: "spec/maxdivergence.go",
		Old: "	raise(near, z, left, room)\n", New: "",
		In: "spec.CloseToFirst",
	},
	{
		Name: "Y′ is cut to Z", File: "spec/maxdivergence.go",
		Old: "			near[o] = mul(expEps, pz)\n", New: "			near[o] = pz\n",
	},
	{
		Name: "Z′ stays where Y′ is raised", File: "spec/maxdivergence.go",
		Old: "a[o], b[o] = add(a[o], share), sub(b[o], share)", New: "a[o], b[o] = add(a[o], share), b[o]",
		In: "spec.CloseToBoth",
	},
	{
		Name: "where Z is too large nothing changes", File: "spec/maxdivergence.go",
		Old: "case pz.Cmp(mul(expEps, py)) > 0: // S′", New: "case false: // S′",
	},
	{
		Name: "Y′ and Z′ share in the ratio e^ε − 1 : 2", File: "spec/maxdivergence.go",
		Old: "large, beta := mul(expEps, small), new(big.Rat)", New: "large, beta := mul(sub(expEps, big.NewRat(1, 1)), small), new(big.Rat)",
	},
	{
		Name: "where Y is smaller there is room for all of Z", File: "spec/maxdivergence.go",
		Old: "room = add(room, sub(pz, py))", New: "room = add(room, pz)",
	},
	{
		Name: "Y′ is raised where Z′ is too large", File: "spec/maxdivergence.go",
		Old: "meet(closeZ, closeY, new(big.Rat).Neg(beta))", New: "meet(closeY, closeZ, new(big.Rat).Neg(beta))",
	},
	{
		Name: "D is infinite where both laws are 0", File: "impl/privacyloss.go",
		Old: "		case law0[y].Sign() == 0:\n			continue\n		case law1[y].Sign() == 0:\n			return interval.Interval{}, false\n",
		New: "		case law1[y].Sign() == 0:\n			return interval.Interval{}, false\n		case law0[y].Sign() == 0:\n			continue\n",
	},
	{
		Name: "0/0 is infinite in impl", File: "impl/maxdivergence.go",
		Old: "case numerator.Sign() <= 0:", New: "case numerator.Sign() < 0:",
	},
}

// compositionMutants are wrong changes of composition theorems.
var compositionMutants = []registertest.Mutant{
	{
		Name: "k-fold composition has kε² for kε(e^ε − 1)", File: "spec/composition.go",
		Old: "float64(k)*eps*(math.Exp(eps)-1)", New: "float64(k)*eps*eps",
	},
	{
		Name: "k-fold composition has ε for e^ε − 1 in impl", File: "impl/composition.go",
		Old: "bits.Mul(n, bits.Max0(bits.Sub(eps.EncloseExp(bits), bits.Int(1))))", New: "bits.Mul(n, e)",
	},
	{
		Name: "k-fold composition has ln(1/δ′) for 2 ln(1/δ′) in impl", File: "impl/composition.go",
		Old: "root := bits.Sqrt(bits.Mul(n, bits.Add(log, log)))", New: "root := bits.Sqrt(bits.Mul(n, log))",
	},
	{
		Name: "Corollary 3.21 without its factor 2", File: "spec/composition.go",
		Old: "target / (2 * math.Sqrt(2*float64(k)*math.Log(1/delta1)))", New: "target / math.Sqrt(2*float64(k)*math.Log(1/delta1))",
	},
	{
		Name: "Corollary 3.21 without its factor 2 in impl", File: "impl/composition.go",
		Old: "bits.Quo(bits.Rat(target), bits.Add(root, root))", New: "bits.Quo(bits.Rat(target), root)",
	},
	{
		Name: "(ε, δ)-DP looks at events of all outputs but one", File: "spec/privacy.go",
		Old: "if slices.IndexFunc(s, func(output string) bool { return !r(output) }) < 0 {", New: "if slices.IndexFunc(s, func(output string) bool { return !r(output) || output == outputs[0] && len(outputs) > 3 }) < 0 {",
		In: "spec.SmallestDPDelta",
	},
	{
		Name: "the mean loss of FAC-E2 is ε(e^ε − 1) in both rooms", File: "spec/composition.go",
		Old: "drift += e * ((math.Exp(e) - 1) / (math.Exp(e) + 1))", New: "drift += e * (math.Exp(e) - 1)",
		In:   "spec.AdvancedComposition",
		Also: &registertest.Mutant{File: "impl/composition.go", Old: "bits.Quo(bits.Max0(bits.Sub(odds, one)), bits.Add(odds, one))", New: "bits.Max0(bits.Sub(odds, one))"},
	},
	{
		Name: "FAC-E2 has Σ ε_m² less the last in impl", File: "impl/composition.go",
		Old: "v = bits.Add(v, bits.Mul(e, e))", New: "v = bits.Add(v, bits.Mul(bits.Mul(e, e), bits.Int(int64(min(1, len(eps)-1-i)))))",
		In: "impl.AdvancedComposition",
	},
	{
		Name: "basic composition refuses Σ δ_i = δ", File: "impl/comparison.go",
		Old: "sumOfDeltas(mechanisms).Cmp(delta) <= 0, nil", New: "sumOfDeltas(mechanisms).Cmp(delta) < 0, nil",
	},
	{
		Name: "basic composition counts the δ of equal mechanisms once", File: "impl/theorem.go",
		Old: "new(big.Rat).Mul(m.Delta, big.NewRat(int64(m.Count), 1))", New: "m.Delta",
		In: "impl.EpsWith",
	},
	{
		Name: "the theorem of the book counts equal mechanisms once", File: "impl/theorem.go",
		Old: "delta, count = larger(delta, m.Delta), count+m.Count", New: "delta, count = larger(delta, m.Delta), count+1",
		In: "impl.EpsWith",
	},
	{
		Name: "an ε is sought to 1 part in 64 only", File: "impl/comparison.go",
		Old: "	epsBisections = 40 ", New: "	epsBisections = 6 ",
		In: "impl.EpsWith",
	},
	{
		Name: "equal mechanisms count by twos at most", File: "impl/theorem.go",
		Old: "power = power.Plus(power)", New: "power = loss.Of(eps).Plus(loss.Of(eps))",
		In: "impl.EpsWith",
	},
	{
		Name: "the theorem of the book takes the smallest ε", File: "impl/theorem.go",
		Old: "if loss.Of(m.Eps).Cmp(loss.Of(worst)) > 0 {", New: "if loss.Of(m.Eps).Cmp(loss.Of(worst)) < 0 {",
		In: "impl.EpsWith",
	},
	{
		Name: "the theorem of the book takes the last δ", File: "impl/theorem.go",
		Old: "delta, count = larger(delta, m.Delta), count+m.Count", New: "delta, count = m.Delta, count+m.Count",
		In: "impl.EpsWith",
	},
	{
		Name: "an ε that is not enough is returned", File: "impl/comparison.go",
		Old: "return loss.OfRat(hi), true, nil", New: "return loss.OfRat(lo), true, nil",
		In: "impl.EpsWith",
	},
	{
		Name: "kε(e^ε − 1) has k − 1 in both rooms", File: "spec/composition.go",
		Old: "float64(k)*eps*(math.Exp(eps)-1)", New: "float64(max(1, k-1))*eps*(math.Exp(eps)-1)",
		Also: &registertest.Mutant{File: "impl/composition.go", Old: "bits.Mul(n, bits.Max0(bits.Sub(eps.EncloseExp(bits), bits.Int(1))))", New: "bits.Mul(bits.Int(int64(max(1, k-1))), bits.Max0(bits.Sub(eps.EncloseExp(bits), bits.Int(1))))"},
	},
	{
		Name: "of equal mechanisms that are listed twice the last count", File: "impl/optcomp.go",
		Old: "groups[i].Count += m.Count", New: "groups[i].Count = m.Count",
		In: "impl.OptComp",
	},
	{
		Name: "what comes after ε = 0 is left out", File: "impl/optcomp.go",
		Old: "if m.Eps.IsZero() {\n\t\t\tcontinue", New: "if m.Eps.IsZero() {\n\t\t\tbreak",
		In: "impl.OptComp",
	},
	{
		Name: "the δ of the last mechanism only", File: "impl/optcomp.go",
		Old: "keep.Mul(keep, rational.Power(", New: "keep.Mul(rational.One, rational.Power(",
		In: "impl.OptComp",
	},
	{
		Name: "without any δ equal mechanisms count once", File: "impl/largestloss.go",
		Old: "rest.Add(rest, count.Mul(count, exact))", New: "rest.Add(rest, exact)",
		In: "impl.OptComp",
	},
}

// concentrationMutants are wrong changes of bounds of tails.
var concentrationMutants = []registertest.Mutant{
	{
		Name: "the additive Chernoff bound is that of m + 1 variables in both rooms", File: "spec/concentration.go",
		Old: "math.Exp(-2 * float64(m) * eps * eps)", New: "math.Exp(-2 * float64(m+1) * eps * eps)",
		Also: &registertest.Mutant{File: "impl/concentration.go", Old: "big.NewRat(int64(-2*m), 1)", New: "big.NewRat(int64(-2*m-2), 1)"},
	},
	{
		Name: "the multiplicative Chernoff bounds are exchanged in impl", File: "impl/concentration.go",
		Old: "bits.ExpRat(new(big.Rat).Quo(x, big.NewRat(3, 1))), bits.ExpRat(new(big.Rat).Quo(x, big.NewRat(2, 1)))",
		New: "bits.ExpRat(new(big.Rat).Quo(x, big.NewRat(2, 1))), bits.ExpRat(new(big.Rat).Quo(x, big.NewRat(3, 1)))",
	},
	{
		Name: "Azuma's inequality leaves out the last effect", File: "spec/concentration.go",
		Old: "	for _, ci := range c {", New: "	for _, ci := range c[:len(c)-1] {",
		In: "spec.Azuma",
	},
	{
		Name: "Azuma's inequality has Σ c_i for Σ c_i² in impl", File: "impl/concentration.go",
		Old: "sum.Add(sum, new(big.Rat).Mul(ci, ci))", New: "sum.Add(sum, ci)",
	},
	{
		Name: "Azuma's inequality for sums has k for √k", File: "spec/concentration.go",
		Old: "z*math.Sqrt(float64(k))*alpha", New: "z*float64(k)*alpha",
	},
	{
		Name: "Azuma's inequality for sums has the mean of one variable in impl", File: "impl/concentration.go",
		Old: "bits.Mul(n, bits.Rat(beta))", New: "bits.Rat(beta)",
	},
	{
		Name: "Stirling's upper bound has 12n + 2 in both rooms", File: "spec/concentration.go",
		Old: "about * math.Exp(1/(12*x))", New: "about * math.Exp(1/(12*x+2))",
		Also: &registertest.Mutant{File: "impl/concentration.go", Old: "of(int64(12 * n))", New: "of(int64(12*n + 2))"},
	},
	{
		Name: "Azuma's inequality for sums without α", File: "spec/concentration.go",
		Old: "z*math.Sqrt(float64(k))*alpha", New: "z*math.Sqrt(float64(k))",
	},
	{
		Name: "Azuma's inequality for sums without α in both rooms", File: "spec/concentration.go",
		Old: "z*math.Sqrt(float64(k))*alpha", New: "z*math.Sqrt(float64(k))",
		Also: &registertest.Mutant{File: "impl/concentration.go", Old: "new(big.Rat).Mul(z, alpha)", New: "z"},
	},
	{
		Name: "Azuma's inequality with −t²", File: "spec/concentration.go",
		Old: "math.Exp(-2 * t * t / sum)", New: "math.Exp(-t * t / sum)",
	},
}
