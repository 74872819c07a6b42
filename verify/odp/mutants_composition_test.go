package odp

import "checkrr/verify/register/registertest"

// compositionMutants are wrong changes of what the entries on privacy, composition, filters and M_toy name.
var compositionMutants = []registertest.Mutant{
	// Definitions 1, 2 and 5.
	{
		Name: "ODP in one direction", File: "spec/privacy.go",
		Old: "return larger(forth, back), nil", New: "return larger(forth, sub(back, back)), nil",
	},
	{
		Name: "ODP without the sets that contain the first output", File: "spec/privacy.go",
		Old: "for _, s := range subsets(outputs) {\n\t\tbest = larger(best, excess(",
		New: "for _, s := range subsets(outputs[1:]) {\n\t\tbest = larger(best, excess(",
	},
	{
		Name: "ODP counts the parts before the last only", File: "spec/privacy.go", In: "spec.SmallestDelta",
		Old: "mul(expEk, probability(law1, within(s, part, k)))",
		New: "mul(quo(mul(expEk, expE[max(0, k-1)]), expEk), probability(law1, within(s, part, k)))",
	},
	{
		Name: "DP with a hundredth more e^ε", File: "spec/privacy.go",
		Old: "func(string) bool { return true }, expEps)", New: "func(string) bool { return true }, mul(expEps, big.NewRat(101, 100)))",
	},
	{
		Name: "subset DP for sets that begin outside R", File: "spec/privacy.go",
		Old: "!r(output) }) < 0 {", New: "!r(output) }) <= 0 {",
	},
	{
		Name: "ODP takes the last set for the worst", File: "spec/privacy.go",
		Old: "best = larger(best, excess(s, law0, law1, part, expE))", New: "best = larger(new(big.Rat), excess(s, law0, law1, part, expE))",
	},
	{
		Name: "a part has the outputs of later parts too", File: "spec/privacy.go", In: "spec.SmallestDelta",
		Old: "return part(output) != k", New: "return part(output) < k",
	},
	{
		Name: "both directions are one in impl", File: "impl/privacy.go",
		Old: "return larger(forth, back)", New: "return larger(forth, back.Sub(back, back))",
	},
	{
		Name: "the other direction of ODP in impl", File: "impl/privacy.go", In: "impl.SmallestDelta",
		Old: "return falling(e, func(expE []*big.Rat) *big.Rat {\n\t\treturn positiveParts(law0, law1, part, expE, everywhere)",
		New: "return falling(e, func(expE []*big.Rat) *big.Rat {\n\t\treturn positiveParts(law1, law0, part, expE, everywhere)",
	},
	{
		Name: "every part is charged as the first in impl", File: "impl/privacy.go", In: "impl.SmallestDelta",
		Old: "term.Mul(expE[part[o]], law1[o])", New: "term.Mul(expE[0], law1[o])",
	},
	{
		Name: "DP of the second output on in impl", File: "impl/privacy.go",
		Old: "SmallestDelta(law0, law1, make([]int, len(law0)), []loss.Epsilon{eps})",
		New: "SmallestSubsetDelta(law0, law1, append(make([]bool, 1), slices.Repeat([]bool{true}, len(law0)-1)...), eps)",
	},
	{
		Name: "subset DP of all but the first output in impl", File: "impl/privacy.go",
		Old: "func(o int) bool { return r[o] })", New: "func(o int) bool { return r[o] && o > 0 })",
	},
	{
		Name: "smallest ℰ counts a prefix too few in impl", File: "impl/privacy.go", In: "impl.SmallestExpE",
		Old: "for _, o := range ranked {", New: "for _, o := range ranked[:max(len(ranked)-1, min(1, len(ranked)))] {",
	},
	{
		Name: "smallest ℰ by the smallest ratios first in impl", File: "impl/privacy.go", In: "impl.SmallestExpE",
		Old: "y.Mul(law0[p], law1[o]).Cmp(x.Mul(law0[o], law1[p]))", New: "x.Mul(law0[o], law1[p]).Cmp(y.Mul(law0[p], law1[o]))",
	},
	{
		Name: "e^ε of nats is rounded down on both sides in impl", File: "impl/privacy.go", In: "impl.SmallestDelta",
		Old: "low, high = append(low, lower), append(high, upper)", New: "low, high = append(low, lower), append(high, lower)\n\t\t_ = upper",
	},
	{
		Name: "e^ε of nats is that of a twentieth more in impl", File: "impl/privacy.go", In: "impl.SmallestExpE",
		Old: "x := interval.Precision(prec).ExpRat(eps.Rat())", New: "x := interval.Precision(prec).ExpRat(new(big.Rat).Mul(eps.Rat(), big.NewRat(21, 20)))",
	},
	{
		Name: "e^ε of nats is that of a twentieth more in impl for subset DP", File: "impl/privacy.go", In: "impl.SmallestSubsetDelta",
		Old: "x := interval.Precision(prec).ExpRat(eps.Rat())", New: "x := interval.Precision(prec).ExpRat(new(big.Rat).Mul(eps.Rat(), big.NewRat(21, 20)))",
	},
	{
		Name: "a given e^ε is a twentieth more in impl", File: "impl/privacy.go", In: "impl.SmallestDPDelta",
		Old: "exact = eps.Rat()", New: "exact = new(big.Rat).Mul(eps.Rat(), big.NewRat(21, 20))",
	},

	// Algorithm 1.
	{
		Name: "Algorithm 1 charges the worst part", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "quo(expEpsR, c.ExpE[k]), sub(deltaR, c.Delta)", New: "quo(expEpsR, supremum(c.ExpE)), sub(deltaR, c.Delta)",
	},
	{
		Name: "Algorithm 1 charges half of δ", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "quo(expEpsR, c.ExpE[k]), sub(deltaR, c.Delta)", New: "quo(expEpsR, c.ExpE[k]), sub(deltaR, quo(c.Delta, big.NewRat(2, 1)))",
	},
	{
		Name: "Algorithm 1 charges δ in the first two rounds only", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "quo(expEpsR, c.ExpE[k]), sub(deltaR, c.Delta) // 7, 8",
		New: "quo(expEpsR, c.ExpE[k]), sub(deltaR, map[bool]*big.Rat{true: c.Delta, false: new(big.Rat)}[i <= 2])",
	},
	{
		Name: "Algorithm 1 asks for ODP in one direction", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "delta, err := SmallestDeltaBothWays(", New: "delta, err := SmallestDelta(",
	},
	{
		Name: "Algorithm 1 takes claims that are a little too good", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "must(delta.Cmp(c.Delta) <= 0,", New: "must(mul(delta, big.NewRat(4, 5)).Cmp(c.Delta) <= 0,",
	},
	{
		Name: "Algorithm 1 does not let the budget be used up", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "must(sup.Cmp(expEpsR) <= 0,", New: "must(sup.Cmp(expEpsR) < 0 || expEpsR.Cmp(one) <= 0,",
	},
	{
		Name: "Algorithm 1 does not let δ be used up", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "must(c.Delta.Cmp(deltaR) <= 0,", New: "must(c.Delta.Sign() == 0 || c.Delta.Cmp(deltaR) < 0,",
	},
	{
		Name: "the adversary of Algorithm 1 does not see the last output", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "slices.Clone(view[1:])) // 4", New: "slices.Clone(view[1:max(1, min(len(view), 2))])) // 4",
	},
	{
		Name: "Algorithm 1 as in [A] keeps ε", File: "spec/compose.go", In: "spec.ODPComposition",
		Old: "expEpsR, deltaR = c.ExpE[k], c.Delta // 7, 8", New: "expEpsR, deltaR = expEpsR, c.Delta // 7, 8",
	},
	{
		Name: "Algorithm 1 with the databases exchanged", File: "spec/compose.go",
		Old: "output := draw(c.Laws[b]) // 5", New: "output := draw(c.Laws[1-b]) // 5",
	},
	{
		Name: "the adversary of Algorithm 1 does not see its coins", File: "spec/compose.go",
		Old: "c := a.Choose(view[0], slices.Clone(view[1:])) // 4", New: "c := a.Choose(\"0\", slices.Clone(view[1:])) // 4",
	},

	// Algorithm 6.
	{
		Name: "the sum filter halts when δ is used up", File: "spec/compose.go",
		Old: "sum.Cmp(deltaT) > 0", New: "sum.Cmp(deltaT) >= 0",
	},
	{
		Name: "the sum filter wants both sums to be too large", File: "spec/compose.go",
		Old: "product.Cmp(expEpsT) > 0 || sum", New: "product.Cmp(expEpsT) > 0 && sum",
	},
	{
		Name: "Algorithm 6 keeps the supremum", File: "spec/compose.go", In: "spec.ODPFilterComposition",
		Old: "expEps[i] = c.ExpE[k]       // 9", New: "_ = k",
	},
	{
		Name: "Algorithm 6 asks the filter for the first part", File: "spec/compose.go", In: "spec.ODPFilterComposition",
		Old: "expEps[i], delta[i] = supremum(c.ExpE), c.Delta", New: "expEps[i], delta[i] = c.ExpE[0], c.Delta",
	},
	{
		Name: "Algorithm 6 halts after the output", File: "spec/compose.go", In: "spec.ODPFilterComposition",
		Old: "return append(view, slices.Repeat([]string{Bottom}, rounds-i)...), nil // 5, 6, 11",
		New: "return append(view, append([]string{draw(c.Laws[b])}, slices.Repeat([]string{Bottom}, rounds-i-1)...)...), nil // 5, 6, 11",
	},
	{
		Name: "Algorithm 6 with the databases exchanged", File: "spec/compose.go",
		Old: "output := draw(c.Laws[b])   // 7", New: "output := draw(c.Laws[1-b])   // 7",
	},

	// The worst adversary.
	{
		Name: "the worst adversary plays a round too few", File: "impl/compose.go", In: "impl.WorstAdversary",
		Old: "v := a.solve(ctx, rounds, rule.Start, rational.One)", New: "rounds = max(rounds-1, 0)\n\tv := a.solve(ctx, rounds, rule.Start, rational.One)",
		Also: &registertest.Mutant{
			File: "exhaustive/compose.go",
			Old:  "all, err := e.from(nil, rounds)", New: "all, err := e.from(nil, max(rounds-1, 0))",
		},
	},
	{
		Name: "the worst adversary ignores outputs with P1 = 0", File: "impl/compose.go", In: "impl.WorstAdversary",
		Old: "lost.Add(lost, p0)", New: "lost.Add(lost, p1)",
		Also: &registertest.Mutant{
			File: "exhaustive/compose.go",
			Old:  "sum.Add(sum, then.excess(menu, a, b, expEps))", New: "if b.Sign() > 0 {\n\t\t\tsum.Add(sum, then.excess(menu, a, b, expEps))\n\t\t}",
		},
	},
	{
		Name: "the worst adversary in impl plays a round too few", File: "impl/compose.go", In: "impl.WorstAdversary",
		Old: "v := a.solve(ctx, rounds, rule.Start, rational.One)", New: "rounds = max(rounds-1, 0)\n\tv := a.solve(ctx, rounds, rule.Start, rational.One)",
	},
	{
		Name: "the worst adversary in impl takes the first choice that pays", File: "impl/compose.go", In: "impl.WorstAdversary",
		Old: "if worth.Cmp(best.worth) > 0 {", New: "if worth.Cmp(best.worth) > 0 && best.choice == stop {",
	},
	{
		Name: "all adversaries but those that see what came of the last round", File: "exhaustive/compose.go", In: "exhaustive.WorstAdversary",
		Old: "Move{choice, output}), rounds-1)", New: "Move{choice, min(output, 0)}), rounds-1)",
	},
	{
		Name: "all adversaries but those of the last round", File: "exhaustive/compose.go", In: "exhaustive.WorstAdversary",
		Old: "all, err := e.from(nil, rounds)", New: "all, err := e.from(nil, max(rounds-1, 0))",
	},

	// The accountants.
	{
		Name: "the sum rule admits by the cheapest part", File: "impl/compose.go",
		Old: "slices.MaxFunc(c.ExpE, (*big.Rat).Cmp).Cmp(left[0]) <= 0", New: "slices.MinFunc(c.ExpE, (*big.Rat).Cmp).Cmp(left[0]) <= 0",
	},
	{
		Name: "the sum rule does not let δ be used up", File: "impl/compose.go",
		Old: "c.Delta.Cmp(left[1]) <= 0", New: "(c.Delta.Sign() == 0 || c.Delta.Cmp(left[1]) < 0)",
	},
	{
		Name: "the sum rule charges the worst part", File: "impl/compose.go",
		Old: "Quo(left[0], c.ExpE[c.Part[output]]),", New: "Quo(left[0], slices.MaxFunc(c.ExpE, (*big.Rat).Cmp)),",
	},
	{
		Name: "the accountant charges the worst part", File: "impl/accountant.go", In: "impl.Accountant.Spend",
		Old: "Amount{loss.Of(observed), requested.Delta}", New: "requested",
	},
	{
		Name: "the accountant charges δ once", File: "impl/accountant.go", In: "impl.Accountant.Spend",
		Old: "sum := a.plus(charge)\n", New: "sum := a.plus(charge)\n\tsum.Delta = charge.Delta\n",
	},
	{
		Name: "the accountant compares with the part observed", File: "impl/accountant.go", In: "impl.Accountant.Spend",
		Old: "Amount{s.WithoutODP.Eps.Plus(loss.Of(worst)), s.ODP.Delta}", New: "s.ODP",
	},
	{
		Name: "the accountant compares with the part observed once a DP guarantee is known", File: "impl/accountant.go", In: "impl.Accountant.Spend",
		Old: "a.spent.add(after, worst, ", New: "a.spent.add(after, map[bool]loss.Epsilon{true: eps, false: worst}[a.spent.HasDP], ",
	},
	{
		Name: "the accountant compares with the worst part though a DP guarantee is known", File: "impl/accountant.go", In: "impl.Accountant.Spend",
		Old: "s.WithoutODP.plus(Amount{loss.Of(dp.Eps), loss.OfRat(dp.Delta)})", New: "s.WithoutODP.plus(Amount{loss.Of(worst), loss.OfRat(dp.Delta)})",
	},
	{
		Name: "the accountant admits by the first part", File: "impl/accountant.go",
		Old: "a.admit(g.Worst(), g.Worst(), g.Delta)", New: "a.admit(g.Parts[0].Eps, g.Worst(), g.Delta)",
	},
	{
		Name: "the accountant does not let ε be used up", File: "impl/accountant.go", In: "impl.Accountant.Admits",
		Old: "a.Eps.Cmp(b.Eps) <= 0 &&", New: "a.Eps.Cmp(b.Eps) < 0 &&",
	},
	{
		Name: "the accountant has no δ", File: "impl/accountant.go",
		Old: "Accountant{budget: Amount{loss.Of(eps), loss.OfRat(delta)}}, nil", New: "Accountant{budget: Amount{Eps: loss.Of(eps)}}, nil",
	},

	// M_toy.
	{
		Name: "M_toy with a hundredth less noise", File: "spec/toy.go",
		Old: "noise.Laplace(1/eps)", New: "noise.Laplace(0.99/eps)",
	},
	{
		Name: "M_toy in impl with a hundredth more noise", File: "impl/toy.go",
		Old: "noise.Laplace(1/eps)", New: "noise.Laplace(1.01/eps)",
	},
	{
		Name: "M_toy in both rooms with a hundredth more noise", File: "impl/toy.go",
		Old: "noise.Laplace(1/eps)", New: "noise.Laplace(1.01/eps)",
		Also: &registertest.Mutant{File: "spec/toy.go", Old: "noise.Laplace(1/eps)", New: "noise.Laplace(1.01/eps)"},
	},
	{
		Name: "the cells of M_toy with a hundredth more noise", File: "impl/toy.go",
		Old: "new(big.Rat).Inv(eps), cuts)", New: "new(big.Rat).Quo(big.NewRat(101, 100), eps), cuts)",
	},
	{
		Name: "M_toy everywhere with a hundredth more noise", File: "impl/toy.go", In: "impl.ToyCells",
		Old: "cells, err := LaplaceCells(fx, new(big.Rat).Inv(eps), cuts)", New: "cells, err := LaplaceCells(fx, new(big.Rat).Quo(big.NewRat(101, 100), eps), cuts)",
		Also: &registertest.Mutant{File: "spec/toy.go", Old: "noise.Laplace(1/eps)", New: "noise.Laplace(1.01/eps)"},
	},
	{
		Name: "the cells of M_toy have half of ⊥", File: "impl/toy.go",
		Old: "append(cells, n.Half(n.Int(1)))", New: "append(cells, n.Half(n.Half(n.Int(1))))",
	},
	{
		Name: "M_toy says ⊥ for heads", File: "spec/toy.go",
		Old: "if c {", New: "if !c {",
	},
	{
		Name: "e^ε of a loss is that of a hundredth more", File: "impl/loss/epsilon.go",
		Old: "return e.EncloseExp(256), nil", New: "e.rat = new(big.Rat).Mul(e.rat, big.NewRat(101, 100))\n\treturn e.EncloseExp(256), nil",
	},

	{
		Name: "the factor of a loss given as e^ε is a thousandth more", File: "impl/loss/epsilon.go",
		Old: "return e.EncloseExp(256), nil",
		New: "if e.exp {\n\t\treturn interval.Precision(256).Mul(e.EncloseExp(256), interval.Precision(256).Rat(big.NewRat(1001, 1000))), nil\n\t}\n\treturn e.EncloseExp(256), nil",
	},

	// The table of cases.
	{
		Name: "randomized response is a hundredth more likely to tell", File: "spec/response.go",
		Old: "unlikely := quo(rest, add(one, m.ExpEps))", New: "likely = mul(likely, big.NewRat(99, 100))\n\tunlikely := sub(rest, likely)",
	},
	{
		Name: "M^D_j takes its distance for one more", File: "impl/interquartile.go",
		Old: "bottom, answer := iqrTest(iqrReals, a, eps, delta)", New: "bottom, answer := iqrTest(iqrReals, a+1, eps, delta)",
	},
	{
		Name: "the δ of M_IQR takes the overlap for whole", File: "impl/interquartile.go",
		Old: "root := n.Sqrt(n.Mul(n.Mul(charged, p0), l.overlap(other.IQR)))", New: "root := n.Sqrt(n.Mul(charged, p0))",
	},
	{
		Name: "the δ of M_IQR charges ⊥ twice as much", File: "impl/interquartile.go",
		Old: "n.Mul(n.Power(expEps, bottom), other.Bottom)", New: "n.Mul(n.Power(expEps, 2*bottom), other.Bottom)",
	},
	{Name: "situations with another δ left are taken for the same", File: "impl/compose.go", In: "impl.WorstAdversary", Old: "for _, x := range remembered {", New: "for _, x := range remembered[:1] {"},
	{Name: "the lower end of a sum is rounded up", File: "exhaustive/interval.go", In: "exhaustive.Enclose", Old: "n.down().Add(x.Lo, y.Lo)", New: "n.up().Add(x.Lo, y.Lo)"},
	{Name: "Rényi composition without ln α", File: "impl/theorem.go", In: "impl.Lemma11With", Old: "eps.Enclose(bits))), bits.Log(alpha))", New: "eps.Enclose(bits))), bits.Int(0))"},
	{Name: "the theorem of the book takes the last δ", File: "impl/theorem.go", In: "impl.Lemma11With", Old: "delta, count = larger(delta, m.Delta), count+m.Count", New: "delta, count = m.Delta, count+m.Count"},
	{Name: "a law is symmetric if one of two probabilities is", File: "impl/pipeline.go", In: "impl.OptDel", Old: "x[0].Cmp(y[1]) != 0 || x[1].Cmp(y[0]) != 0 {", New: "x[0].Cmp(y[1]) != 0 && x[1].Cmp(y[0]) != 0 {"},
}
