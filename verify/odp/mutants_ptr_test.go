package odp

import "checkrr/verify/register/registertest"

var ptrMutants = []registertest.Mutant{
	{
		Name: "small entries end a run as large ones do", File: "impl/sparserelease.go", In: "impl.SparseReleaseNoise",
		Old: "	law.Cutoff = 0\n", New: "",
	},
	{
		Name: "the search has a ⊥ too few", File: "impl/closestrun.go", In: "impl.ClosestRun",
		Old: "below <= most-above", New: "below < most-above",
	},
	{
		Name: "a run that has ended answers", File: "impl/sparsevector.go", In: "impl.SparseVectorRun",
		Old: "case r.Done():\n\t\treturn false, fmt.Errorf(\"the run has ended", New: "case false:\n\t\treturn false, fmt.Errorf(\"the run has ended",
	},
	{
		Name: "1/ε is rounded down", File: "impl/interquartile.go", In: "impl.DiscretizedIQR",
		Old: "up := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf)", New: "up := new(big.Float).SetPrec(53).SetMode(big.ToNegativeInf)",
	},
	{
		Name: "s/ε is rounded down", File: "impl/trimmedmean.go", In: "impl.PrivateTrimmedMean",
		Old: "math.Nextafter(rational.Float64(s)*scale, math.Inf(1))", New: "math.Nextafter(rational.Float64(s)*scale, 0)",
	},
	{
		Name: "condition 2 has e^(2ε) for answers in both rooms", File: "spec/ptr.go", In: "spec.IsPTR",
		Old:  "if t.Pr(x, s, event).Cmp(mul(expEps, t.Pr(n, s, event))) > 0 {\n\t\t\t\t\t\treturn &PTRViolation{2,",
		New:  "if e := mul(expEps, t.Pr(n, s, event)); event[0] == noAnswer && t.Pr(x, s, event).Cmp(e) > 0 || t.Pr(x, s, event).Cmp(mul(e, expEps)) > 0 {\n\t\t\t\t\t\treturn &PTRViolation{2,",
		Also: &registertest.Mutant{File: "impl/ptr.go", Old: "!ratioAtMost(answer, otherAnswer, eps, 1)", New: "!ratioAtMost(answer, otherAnswer, eps, 2)"},
	},
	{
		Name: "spec's SVT draws half of rho", File: "spec/sparsevector.go",
		Old: "rho := noise.Laplace(delta / eps1) // 1", New: "rho := noise.Laplace(delta / eps1 / 2) // 1",
	},
	{
		Name: "rho halved in both rooms", File: "spec/sparsevector.go",
		Old: "rho := noise.Laplace(delta / eps1) // 1", New: "rho := noise.Laplace(delta / eps1 / 2) // 1",
		Also: &registertest.Mutant{File: "impl/sparsevector.go", Old: "rhoScale, nuScale := delta/eps1, ", New: "rhoScale, nuScale := delta/eps1/2, "},
	},
	{
		Name: "nu halved in both rooms", File: "spec/sparsevector.go",
		Old: "nu := noise.Laplace(2 * float64(c) * delta / eps2) // 6", New: "nu := noise.Laplace(float64(c) * delta / eps2) // 6",
		Also: &registertest.Mutant{File: "impl/sparsevector.go", Old: "rhoScale, nuScale := delta/eps1, 2*float64(c)*delta/eps2", New: "rhoScale, nuScale := delta/eps1, float64(c)*delta/eps2"},
	},
	{
		Name: "SVT with > in both rooms", File: "spec/sparsevector.go",
		Old: "if q+nu >= t+rho {", New: "if q+nu > t+rho {",
		Also: &registertest.Mutant{File: "impl/sparsevector.go", Old: "r.noise.Laplace(r.scale) < t+r.rho", New: "r.noise.Laplace(r.scale) <= t+r.rho"},
	},
	{
		Name: "SVT allows c + 1 times ⊤ in both rooms", File: "spec/sparsevector.go",
		Old: "if stop || count >= c {", New: "if stop || count > c {",
		Also: &registertest.Mutant{File: "impl/sparsevector.go", Old: "noise.Laplace(rhoScale), nuScale, c}", New: "noise.Laplace(rhoScale), nuScale, c + 1}"},
	},
	{
		Name: "impl's SVT asks on after c times ⊤", File: "impl/sparsevector.go",
		Old: "if stop || run.Done() {", New: "if stop {",
	},
	{
		Name: "a run of SVT counts ⊥", File: "impl/sparsevector.go", In: "impl.SparseVectorRun",
		Old: "r.left--\n\treturn true, nil", New: "r.left -= 2\n\treturn true, nil",
	},
	{
		Name: "Δ missing in the scale of rho of the law", File: "impl/sparsevectorlaw.go",
		Old: "new(big.Rat).Quo(delta, eps1), nu.Quo", New: "new(big.Rat).Inv(eps1), nu.Quo",
	},
	{
		Name: "Δ missing in the scale of nu of the law", File: "impl/sparsevectorlaw.go",
		Old: "	nu.Mul(nu, delta)\n", New: "",
	},
	{
		Name: "scale of nu in the law without c", File: "impl/sparsevectorlaw.go",
		Old: "new(big.Rat).SetInt64(int64(c)))\n	nu.Mul", New: "rational.One)\n	nu.Mul",
	},
	{
		Name: "Δ missing in the SVT density", File: "spec/sparsevector.go",
		Old: "scale := 2 * float64(c) * delta / eps2\n		if", New: "scale := 2 * float64(c) / eps2\n		if",
	},
	{
		Name: "Δ missing in the density of rho", File: "spec/sparsevector.go",
		Old: "density := math.Exp(-math.Abs(z)*eps1/delta) * eps1 / (2 * delta)", New: "density := math.Exp(-math.Abs(z)*eps1) * eps1 / 2",
	},
	{
		Name: "SVT density with z of the wrong sign for ⊤", File: "spec/sparsevector.go",
		Old: "nuBelow(q[i]-t[i]-z, scale)", New: "nuBelow(q[i]-t[i]+z, scale)",
	},
	{
		Name: "probability of ⊥ given rho with the wrong sign", File: "impl/sparsevectorlaw.go",
		Old: "edge := new(big.Rat).Add(c.gap(), z)", New: "edge := new(big.Rat).Sub(c.gap(), z)",
	},
	{
		Name: "⊤ for ⊥ given rho", File: "impl/sparsevectorlaw.go",
		Old: "	if c.Above {\n		return laplace.Above", New: "	if !c.Above {\n		return laplace.Above",
	},
	{
		Name: "a run of the law may go on after c times ⊤", File: "impl/sparsevectorlaw.go", In: "impl.SparseVectorLaw",
		Old: "count == law.Cutoff {", New: "count > law.Cutoff {",
	},
	{
		Name: "a repeated comparison counts once", File: "impl/sparsevectorlaw.go", In: "impl.SparseVectorLaw.Probability",
		Old: "times[i]++", New: "times[i] = 1",
	},
	{
		Name: "probability of ⊤ is that of ⊥", File: "impl/sparsevectorlaw.go", In: "impl.SparseVectorLaw.Probability",
		Old: "return l.Minus(l.Int(1), below)", New: "return below",
	},
	{
		Name: "spec charges c' + 1 times ⊤", File: "spec/sparsevector.go",
		Old: "return add(eps1, mul(big.NewRat(int64(released), int64(c)), eps2)), nil", New: "return add(eps1, mul(big.NewRat(int64(released+1), int64(c)), eps2)), nil",
	},
	{
		Name: "both rooms charge ε_1 for ⊤ and ε_2 for ⊥", File: "spec/sparsevector.go",
		Old: "return add(eps1, mul(big.NewRat(int64(released), int64(c)), eps2)), nil", New: "return add(eps2, mul(big.NewRat(int64(released), int64(c)), eps1)), nil",
		Also: &registertest.Mutant{File: "impl/sparsevector.go", Old: "sum := new(big.Rat).Mul(eps1, big.NewRat(int64(c), 1))\n	sum.Add(sum, new(big.Rat).Mul(eps2,", New: "sum := new(big.Rat).Mul(eps2, big.NewRat(int64(c), 1))\n	sum.Add(sum, new(big.Rat).Mul(eps1,"},
	},
	{
		Name: "impl charges ε_1/c", File: "impl/sparsevector.go",
		Old: "sum := new(big.Rat).Mul(eps1, big.NewRat(int64(c), 1))", New: "sum := new(big.Rat).Set(eps1)",
	},
	{
		Name: "the closest run has ⊥ that go down", File: "impl/closestrun.go", In: "impl.ClosestRun",
		Old: "change := int64(4) // ⊥ goes up by 1", New: "change := int64(-4)",
	},
	{
		Name: "the search takes the run with the larger margin", File: "impl/closestrun.go", In: "impl.ClosestRun",
		Old: "if d.margin < c.margin-noise", New: "if d.margin > c.margin-noise",
	},
	{
		Name: "spec leaves ε_2·c'/c for the values", File: "spec/sparsevector.go",
		Old: "big.NewRat(int64(c-released), int64(c)), eps2))\n	if released", New: "big.NewRat(int64(released), int64(c)), eps2))\n	if released",
	},
	{
		Name: "both rooms divide what is left by c", File: "spec/sparsevector.go",
		Old: "each = quo(left, big.NewRat(int64(released), 1))", New: "each = quo(left, big.NewRat(int64(c), 1))",
		Also: &registertest.Mutant{File: "impl/sparsevector.go", Old: "each = new(big.Rat).Quo(left, big.NewRat(int64(released), 1))", New: "each = new(big.Rat).Quo(left, big.NewRat(int64(c), 1))"},
	},
	{
		Name: "impl leaves ε_3 alone", File: "impl/sparsevector.go",
		Old: "left = new(big.Rat).Add(eps2, eps3)\n	left.Sub(left, used)", New: "left = new(big.Rat).Set(eps3)\n	_ = used",
	},
	{
		Name: "noise of a release without Δ", File: "impl/sparserelease.go", In: "impl.SparseReleaseNoise",
		Old: "return n.Mul(n.Mul(n.Sqrt(n.Int(2)), n.Rat(delta)), x)", New: "return n.Mul(n.Sqrt(n.Int(2)), x)",
	},
	{
		Name: "large entries are taken for small ones", File: "impl/sparserelease.go", In: "impl.SparseReleaseNoise",
		Old: "first, second := counts(l, large, s.C, ofLarge), counts(l, s.Entries-large, s.C, ofSmall)", New: "first, second := counts(l, large, s.C, ofSmall), counts(l, s.Entries-large, s.C, ofLarge)",
	},
	{
		Name: "Chebyshev's bound without the square", File: "impl/sparserelease.go", In: "impl.SparseReleaseNoiseBound",
		Old: "q := n.Quo(variance, n.Mul(distance, distance))", New: "q := n.Quo(variance, distance)",
	},
	{
		Name: "variance as for independent comparisons", File: "impl/sparserelease.go", In: "impl.SparseReleaseNoiseBound",
		Old: "square := n.Add(mean, n.Mul(n.Int(k*(k-1)), p2))", New: "_ = p2\n	square := n.Add(mean, n.Mul(n.Int(k*(k-1)), n.Mul(p1, p1)))",
	},
	{
		Name: "noise without ODP is that of one entry less", File: "impl/sparserelease.go",
		Old: "return deviation(n, n.Rat(s.weights()[s.C]), s.Delta), nil", New: "return deviation(n, n.Rat(s.weights()[s.C-1]), s.Delta), nil",
	},
	{
		Name: "IsPTR with ε for 2ε in both rooms", File: "spec/ptr.go", In: "spec.IsPTR",
		Old: "mul(mul(expEps, expEps), t.Pr(n, s, event))", New: "mul(expEps, t.Pr(n, s, event))",
		Also: &registertest.Mutant{File: "impl/ptr.go", Old: "lawAt(other, c), eps, 2)", New: "lawAt(other, c), eps, 1)"},
	},
	{
		Name: "impl's IsPTR with ε for 2ε", File: "impl/ptr.go", In: "impl.IsPTR",
		Old: "lawAt(other, c), eps, 2)", New: "lawAt(other, c), eps, 1)",
	},
	{
		Name: "IsPTR in one direction in both rooms", File: "spec/ptr.go", In: "spec.IsPTR",
		Old: "		if pair[1] == x {\n			all = append(all, pair[0])\n		}\n", New: "",
		Also: &registertest.Mutant{File: "impl/ptr.go", Old: "all = append(all, pair, [2]int{pair[1], pair[0]})", New: "all = append(all, pair)"},
	},
	{
		Name: "impl's IsPTR in one direction", File: "impl/ptr.go", In: "impl.IsPTR",
		Old: "all = append(all, pair, [2]int{pair[1], pair[0]})", New: "all = append(all, pair)",
	},
	{
		Name: "condition 2 for ⊥ only in both rooms", File: "spec/ptr.go", In: "spec.IsPTR",
		Old: "[][]string{{noAnswer}, t.answers()} {", New: "[][]string{{noAnswer}} {",
		Also: &registertest.Mutant{File: "impl/ptr.go", Old: `return "", !ratioAtMost(answer, otherAnswer, eps, 1)`, New: `return "", ratioAtMost(answer, otherAnswer, eps, 1) && false`},
	},
	{
		Name: "condition 4 with < in impl", File: "impl/ptr.go", In: "impl.IsPTR",
		Old: "if answer.Cmp(delta) <= 0 {", New: "if answer.Cmp(delta) < 0 {",
	},
	{
		Name: "condition 1 is not asked for in spec", File: "spec/ptr.go", In: "spec.IsPTR",
		Old: "cmp.Or(t.condition1(), t.condition2", New: "cmp.Or(t.condition2",
	},
	{
		Name: "the probability of an event takes the law of another bound", File: "spec/ptr.go", In: "spec.PTR.Pr",
		Old: "return probability(t.Law[x][s], event) }", New: "return probability(t.Law[x][noAnswer], event) }",
	},
	{
		Name: "limit of the test without 1 in both rooms", File: "spec/interquartile.go",
		Old: "if r <= 1+math.Log(1/delta)/eps {", New: "if r <= math.Log(1/delta)/eps {",
		Also: &registertest.Mutant{File: "impl/interquartile.go", Old: "1 - math.Log(d)*scale, size", New: "-math.Log(d) * scale, size"},
	},
	{
		Name: "limit of the test with ln δ in impl", File: "impl/interquartile.go", In: "impl.DiscretizedIQR",
		Old: "1 - math.Log(d)*scale, size", New: "1 + math.Log(d)*scale, size",
	},
	{
		Name: "a tie passes the test in both rooms", File: "spec/interquartile.go",
		Old: "if r <= 1+math.Log(1/delta)/eps {", New: "if r < 1+math.Log(1/delta)/eps {",
		Also: &registertest.Mutant{File: "impl/interquartile.go", Old: "if r.distance+noise.Laplace(r.scale) <= r.limit {", New: "if r.distance+noise.Laplace(r.scale) < r.limit {"},
	},
	{
		Name: "noise of a value halved in both rooms", File: "spec/interquartile.go",
		Old: "z := noise.Laplace(1 / eps) // 3", New: "z := noise.Laplace(1 / eps / 2) // 3",
		Also: &registertest.Mutant{File: "impl/interquartile.go", Old: "noise.Laplace(r.scale)*r.step)", New: "noise.Laplace(r.scale/2)*r.step)"},
	},
	{
		Name: "second discretization shifted by 1/4 in spec", File: "spec/interquartile.go", In: "spec.IQRDistance",
		Old: "return math.Floor(l + 0.5)", New: "return math.Floor(l + 0.25)",
	},
	{
		Name: "second discretization not shifted in both rooms", File: "spec/interquartile.go", In: "spec.IQRDistance",
		Old: "return math.Floor(l + 0.5)", New: "return math.Floor(l)",
		Also: &registertest.Mutant{File: "impl/interquartile.go", Old: "b := iqrBin{edge(2*m + j - 1), edge(2*m + j + 1)}", New: "b := iqrBin{edge(2 * m), edge(2*m + 2)}"},
	},
	{
		Name: "bins of impl twice as wide upward", File: "impl/interquartile.go", In: "impl.IQRDistance",
		Old: "edge(2*m + j + 1)}", New: "edge(2*m + j + 3)}",
	},
	{
		Name: "the distance of impl looks at larger ranges only", File: "impl/interquartile.go", In: "impl.IQRDistance",
		Old: "	if s.iqr.Sign() > 0 {\n		high := s.low", New: "	if s.iqr.Sign() < 0 {\n		high := s.low",
	},
	{
		Name: "spec's lower quartile is one record further", File: "spec/interquartile.go", In: "spec.SampleIQR",
		Old: "sorted[ceilQuarter(n)-1])", New: "sorted[n/4])",
	},
	{
		Name: "impl's upper quartile is one record further", File: "impl/interquartile.go", In: "impl.SampleIQR",
		Old: "(3*n+3)/4 - 1, nil}", New: "min(3*n/4, n-1), nil}",
	},
	{
		Name: "spec's M_IQR runs M^D_1 twice", File: "spec/interquartile.go",
		Old: "return DiscretizedIQR(x, values, 2, eps, delta, noise)", New: "return DiscretizedIQR(x, values, 1, eps, delta, noise)",
	},
	{
		Name: "M_IQR runs M^D_1 twice in both rooms", File: "impl/interquartile.go", In: "impl.PrivateIQR",
		Old: "second, err := newIQRRun(x, 2, eps, delta)", New: "second, err := newIQRRun(x, 1, eps, delta)",
		Also: &registertest.Mutant{File: "spec/interquartile.go", Old: "return DiscretizedIQR(x, values, 2, eps, delta, noise)", New: "return DiscretizedIQR(x, values, 1, eps, delta, noise)"},
	},
	{
		Name: "Pr(⊥) of spec with a for a − 1", File: "spec/interquartile.go",
		Old: "power(expEps, a-1)", New: "power(expEps, a)",
	},
	{
		Name: "Pr(⊥) with a for a − 1 in both rooms", File: "impl/interquartile.go", In: "impl.IQRBottom",
		Old: "n.Power(eps.EncloseExp(n), a-1))", New: "n.Power(eps.EncloseExp(n), a))",
		Also: &registertest.Mutant{File: "spec/interquartile.go", Old: "power(expEps, a-1)", New: "power(expEps, a)"},
	},
	{
		Name: "Pr(⊥) takes a for at most 5 in both rooms", File: "impl/interquartile.go", In: "impl.IQRBottom",
		Old: "n.Power(eps.EncloseExp(n), a-1))", New: "n.Power(eps.EncloseExp(n), min(a, 5)-1))",
		Also: &registertest.Mutant{File: "spec/interquartile.go", Old: "power(expEps, a-1)", New: "power(expEps, min(a, 5)-1)"},
	},
	{
		Name: "law of M_IQR: no second chance", File: "impl/interquartile.go",
		Old: "first.Answer = n.Add(first.Answer, n.Mul(first.Bottom, second.Answer))", New: "first.Answer = n.Sub(first.Answer, n.Mul(first.Bottom, second.Answer))",
	},
	{
		Name: "law of M_IQR: the second law is the first", File: "impl/interquartile.go",
		Old: "second, _ := LawOfDiscretizedIQR(x, 2, eps, delta)", New: "second, _ := LawOfDiscretizedIQR(x, 1, eps, delta)",
	},
	{
		Name: "law of M^D_j: ⊥ and values exchanged", File: "impl/interquartile.go", In: "impl.LawOfDiscretizedIQR",
		Old: "bottom, answer := iqrTest(iqrReals, a, eps, delta)\n", New: "answer, bottom := iqrTest(iqrReals, a, eps, delta)\n",
	},
	{
		Name: "values of M_IQR: the lower tail for the upper", File: "impl/interquartile.go", In: "impl.IQRLaw.AtMost",
		Old: "if r.Cmp(l.IQR) > 0 {", New: "if r.Cmp(l.IQR) < 0 {",
	},
	{
		Name: "smallest δ of M_IQR without the root", File: "impl/interquartile.go",
		Old: "onR := n.Max0(n.Sub(p0, interval.Min(charged, root)))", New: "_ = root\n	onR := n.Max0(n.Sub(p0, charged))",
	},
	{
		Name: "smallest δ of M_IQR with half of ⊥", File: "impl/interquartile.go",
		Old: "return n.Add(onR, onBottom), nil", New: "return n.Add(onR, n.Half(onBottom)), nil",
	},
	{
		Name: "smallest δ of M_IQR with the charges exchanged", File: "impl/interquartile.go",
		Old: "charged := n.Mul(n.Power(expEps, answer), p1)", New: "charged := n.Mul(n.Power(expEps, bottom), p1)",
	},
	{
		Name: "randomized response is the same on both databases but for δ", File: "spec/response.go",
		Old: "{zero, unlikely, likely, delta},", New: "{zero, likely, unlikely, delta},",
	},
	{
		Name: "smallest δ in one direction", File: "spec/privacy.go",
		Old: "return larger(forth, back), nil\n}\n\n// SmallestDPDelta", New: "_ = back\n	return forth, nil\n}\n\n// SmallestDPDelta",
	},
	{
		Name: "spec's trimmed mean discards one record too few", File: "spec/trimmedmean.go", In: "spec.TrimmedMean",
		Old: "discarded := floor(quo(mul(alpha, count(len(x))), count(2)))", New: "discarded := max(0, floor(quo(mul(alpha, count(len(x))), count(2)))-1)",
	},
	{
		Name: "both trimmed means discard the quantiles α", File: "spec/trimmedmean.go", In: "spec.TrimmedMean",
		Old: "discarded := floor(quo(mul(alpha, count(len(x))), count(2)))", New: "discarded := min(floor(mul(alpha, count(len(x)))), (len(x)-1)/2)",
		Also: &registertest.Mutant{
			File: "impl/trimmedmean.go", Old: "discarded := new(big.Int).Quo(share.Num(), share.Denom())",
			New: "discarded := new(big.Int).Quo(share.Num(), share.Denom())\n	discarded.SetInt64(min(2*discarded.Int64(), int64(n-1)/2))",
		},
	},
	{
		Name: "the median of an odd number of records keeps three", File: "spec/trimmedmean.go", In: "spec.MedianTrim",
		Old: "return sub(one, quo(one, count(n))), nil", New: "return sub(one, quo(count(2), count(n))), nil",
	},
	{
		Name: "impl's median of an odd number of records keeps three", File: "impl/trimmedmean.go", In: "impl.MedianTrim",
		Old: "return big.NewRat(int64(n-1), int64(n)), nil", New: "return big.NewRat(int64(n-2), int64(n)), nil",
	},
	{
		Name: "the distance of the trimmed mean without its lowest window", File: "impl/trimmedmean.go", In: "impl.TrimmedMeanDistance",
		Old: "low := g - a - 1;", New: "low := g - a;",
	},
	{
		Name: "the distance of the trimmed mean without its highest window", File: "impl/trimmedmean.go", In: "impl.TrimmedMeanDistance",
		Old: "low <= g; low++", New: "low < g; low++",
	},
	{
		Name: "the distance of the trimmed mean with windows wider by one", File: "impl/trimmedmean.go", In: "impl.TrimmedMeanDistance",
		Old: "r.records[low+m+a]", New: "r.records[min(low+m+a+1, len(r.records)-1)]",
	},
	{
		Name: "the local sensitivity may be s", File: "spec/trimmedmean.go", In: "spec.TrimmedMeanDistance",
		Old: "trimmedSensitivity(y, values, alpha).Cmp(s) > 0", New: "trimmedSensitivity(y, values, alpha).Cmp(s) >= 0",
	},
	{
		Name: "the trimmed mean in both rooms with noise for half of s", File: "spec/trimmedmean.go",
		Old: "noise.Laplace(bound/eps), true", New: "noise.Laplace(bound/eps/2), true",
		Also: &registertest.Mutant{File: "impl/trimmedmean.go", Old: "math.Nextafter(rational.Float64(s)*scale, math.Inf(1))", New: "math.Nextafter(rational.Float64(s)*scale/2, math.Inf(1))"},
	},
	{
		Name: "the trimmed mean passes a test at its limit", File: "impl/trimmedmean.go", In: "impl.PrivateTrimmedMean",
		Old: "<= -math.Log(rational.Float64(delta))*scale {", New: "< -math.Log(rational.Float64(delta))*scale {",
	},
	{
		Name: "T(x, ⊥) of the trimmed mean is a value", File: "impl/trimmedmean.go", In: "impl.PrivateTrimmedMean",
		Old: "	if s == nil {\n		return 0, false, nil", New: "	if s == nil {\n		return 0, true, nil",
	},
	{
		Name: "the order of M_IQR is not random", File: "spec/randomorder.go",
		Old: "if noise.Laplace(1) < 0 {", New: "if noise.Laplace(1) < -10 {",
	},
	{
		Name: "the order of M_IQR prefers the second by a twentieth in both rooms", File: "impl/randomorder.go",
		Old: "if noise.Laplace(1) < 0 {", New: "if noise.Laplace(1) < 0.05 {",
		Also: &registertest.Mutant{File: "spec/randomorder.go", Old: "if noise.Laplace(1) < 0 {", New: "if noise.Laplace(1) < 0.05 {"},
	},
	{
		Name: "impl's order of M_IQR is not random", File: "impl/randomorder.go",
		Old: "if noise.Laplace(1) < 0 {", New: "if noise.Laplace(1) < -10 {",
	},
	{
		Name: "M_IQR in random order asks the first one twice", File: "impl/randomorder.go",
		Old: "r.first, r.second = r.second, r.first", New: "r.first = r.second",
	},
	{
		Name: "the sparse release shares among c in both rooms", File: "spec/sparserelease.go",
		Old: "(left/float64(len(indices)))", New: "(left/float64(c))",
		Also: &registertest.Mutant{File: "impl/sparserelease.go", Old: "left / float64(len(indices))", New: "left / float64(c)"},
	},
	{
		Name: "the sparse release asks f_i(x) without its sign", File: "impl/sparserelease.go", In: "impl.RunSparseRelease",
		Old: "run.Compare(math.Abs(f[i]), threshold)", New: "run.Compare(f[i], threshold)",
	},
	{
		Name: "the sparse release forgets the last entry", File: "spec/sparserelease.go", In: "spec.RunSparseRelease",
		Old: "if len(a) == len(f) {", New: "if len(a) >= len(f)-1 {",
	},
	{
		Name: "impl's M_IQR in random order returns its negative", File: "impl/randomorder.go",
		Old: "return value, ok, nil", New: "return -value, ok, nil",
	},
	{
		Name: "spec's M_IQR in random order returns 0 at once", File: "spec/randomorder.go",
		Old: "	if ok || err != nil {\n		return value, ok, err", New: "	if ok || err != nil {\n		return 0 * value, ok, err",
	},
	{
		Name: "the sparse release has the threshold 3 in both rooms", File: "spec/sparserelease.go", In: "spec.RunSparseRelease",
		Old: "return math.Abs(f[len(a)]), threshold, false", New: "return math.Abs(f[len(a)]), 3, false",
		Also: &registertest.Mutant{File: "impl/sparserelease.go", Old: "run.Compare(math.Abs(f[i]), threshold)", New: "run.Compare(math.Abs(f[i]), 3)"},
	},
	{
		Name: "the sparse release shares among four at most", File: "impl/sparserelease.go", In: "impl.RunSparseRelease",
		Old: "left / float64(len(indices))", New: "left / float64(min(4, len(indices)))",
	},
	{
		Name: "the trimmed mean of six or more discards one more", File: "impl/trimmedmean.go", In: "impl.TrimmedMean",
		Old: "int(discarded.Int64())}, nil", New: "min(int(discarded.Int64())+n/6, (n-1)/2)}, nil",
	},
	{
		Name: "the limit of the test of the trimmed mean is a thousandth too low", File: "impl/trimmedmean.go", In: "impl.PrivateTrimmedMean",
		Old: "<= -math.Log(rational.Float64(delta))*scale {", New: "<= -0.999*math.Log(rational.Float64(delta))*scale {",
	},
	{
		Name: "the distance of the trimmed mean is never above 2", File: "impl/trimmedmean.go", In: "impl.TrimmedMeanDistance",
		Old: "return sort.Search(g, func(a int) bool {", New: "return sort.Search(min(g, 2), func(a int) bool {",
	},
	{
		Name: "condition 1 of PTR functions for the first database only", File: "impl/ptr.go", In: "impl.IsPTR",
		Old: "if lawAt(laws[noAnswer], noAnswer).Cmp(rational.One) != 0 {", New: "if x == 0 && lawAt(laws[noAnswer], noAnswer).Cmp(rational.One) != 0 {",
	},
	{Name: "that all of some entries are released does not count", File: "impl/sparserelease.go", In: "impl.SparseReleaseNoise", Old: "for i := 0; i <= count && i < limit; i++ {", New: "for i := 0; i < max(1, count) && i < limit; i++ {"},
	{Name: "the bound leaves out the last step", File: "impl/sparserelease.go", In: "impl.SparseReleaseNoiseBound", Old: "for k := large + 1; k <= s.C; k++ {", New: "for k := large + 1; k < s.C; k++ {"},
	{Name: "what is below the mean has no probability", File: "impl/sparserelease.go", In: "impl.SparseReleaseNoiseBound", Old: "	case distance.Upper.Sign() <= 0:\n		return n.Int(1)\n", New: "	case distance.Upper.Sign() <= 0:\n		return n.Int(0)\n"},
	{Name: "a value that is released is bounded by the lower end of its range", File: "impl/sparsevectorlaw.go", In: "impl.SparseVectorLaw", Old: "edge.Sub(c.Released.High, c.Threshold)", New: "edge.Sub(c.Released.Low, c.Threshold)"},
	{Name: "the search goes up only", File: "impl/closestrun.go", In: "impl.ClosestRun", Old: "for _, change := range [...]int{step, -step} {", New: "for _, change := range [...]int{step} {"},
	{Name: "the search has half of what ρ loses", File: "impl/closestrun.go", In: "impl.ClosestRun", Old: "min(max(-2*z, 0), 2) / r.sigma", New: "min(max(-z, 0), 1) / r.sigma", Survives: "a step of a search, and every loss it finds is computed exactly"},
	{Name: "the answers for an IQR of 0 are those for any other", File: "impl/interquartile.go", In: "impl.SmallestIQRDelta", Old: "	case r.Sign() == 0 || l.IQR.Sign() == 0:\n		return n.Int(0)", New: "	case r.Sign() == 0 || l.IQR.Sign() == 0:\n		return n.Int(1)"},
	{Name: "the smallest δ of M_IQR by the root only", File: "impl/interquartile.go", In: "impl.SmallestIQRDelta", Old: "interval.Min(charged, root)", New: "root"},
	{Name: "a lower quartile is not as small as one likes", File: "impl/interquartile.go", In: "impl.IQRDistance", Old: "return min(best, s.low+1) //", New: "return best //"},
	{Name: "what is impossible for a neighbour is allowed", File: "impl/ptr.go", In: "impl.IsPTR", Old: "		return p.Sign() == 0\n	}\n	sum", New: "		return true\n	}\n	sum"},
}
