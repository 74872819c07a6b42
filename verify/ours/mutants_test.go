package ours

import "checkrr/verify/register/registertest"

// mutants are everyday slips in the code that the checks guard.
var mutants = []registertest.Mutant{
	// As printed.
	{Name: "H_α with the absolute value", File: "spec/dominatingpair.go", Old: "larger(new(big.Rat), sub(p, mul(order, q)))", New: "larger(sub(mul(order, q), p), sub(p, mul(order, q)))"},
	{Name: "H_α for orders of at least 1 only", File: "spec/dominatingpair.go", In: "spec.HockeyStick", Old: "	sum := new(big.Rat)\n	for output, p", New: "	sum := new(big.Rat)\n	order = larger(order, one)\n	for output, p"},
	{Name: "V_k with P and Q exchanged", File: "spec/dominatingpair.go", Old: "mul(a, p), mul(b, q)))", New: "mul(a, q), mul(b, p)))"},
	{Name: "V_k that always ends at a stop", File: "spec/dominatingpair.go", Old: "	if k == len(pairs) {\n		return pay", New: "	if k == len(pairs) || pay.Sign() > 0 {\n		return pay"},
	{Name: "V_k that goes on at a stop", File: "spec/dominatingpair.go", Old: "	return larger(pay, onward)", New: "	return onward"},
	{Name: "V_k with the charge of the first stop", File: "spec/dominatingpair.go", Old: "mul(stops[i].ExpEps, b)", New: "mul(stops[0].ExpEps, b)"},
	{Name: "the composed Gaussian with k for √k in both rooms", File: "spec/gaussian.go", Old: "math.Sqrt(float64(count)) * sensitivity", New: "float64(count) * sensitivity",
		Also: &registertest.Mutant{File: "impl/gaussian.go", Old: "bits.Sqrt(bits.Int(int64(count)))", New: "bits.Int(int64(count))"}},
	{Name: "Laplace without the half in both rooms", File: "spec/laplace.go", Old: "math.Exp((eps-sensitivity/scale)/2)", New: "math.Exp(eps-sensitivity/scale)",
		Also: &registertest.Mutant{File: "impl/laplace.go", Old: "below.Mul(below, big.NewRat(1, 2))", New: "below"}},

	// By going through everything.
	{Name: "a rule cannot end early", File: "exhaustive/history.go", In: "exhaustive.WorstRule", Old: "		if s.After != h.Steps {", New: "		if s.After != h.Steps || h.Next != nil {"},
	{Name: "an event holds all outputs", File: "exhaustive/history.go", In: "exhaustive.WorstRule", Old: "append(gains, rational{}.max(gain, new(big.Rat)))", New: "append(gains, gain)"},
	{Name: "after each output the law is that after the first", File: "exhaustive/history.go", In: "exhaustive.WorstRule", Old: "		gains, err := after.gains(ctx, stops)\n", New: "		after.Next = h.Next.Then[0]\n		gains, err := after.gains(ctx, stops)\n"},
	{Name: "enumeration goes on at a stop", File: "exhaustive/tree.go", In: "exhaustive.Exact", Old: "	return n.max(bracket, onward)", New: "	if k < len(t.responses) {\n		return onward\n	}\n	return n.max(bracket, onward)"},

	// Both orders, and finite pairs.
	{Name: "one order of neighbours for laws", File: "impl/certify/orders.go", In: "impl.OptDel", Old: "m.Law != nil && !isSymmetric(m.Law)", New: "m.Law != nil && len(m.Law) > 2 && !isSymmetric(m.Law)"},
	{Name: "a law is symmetric if its P are", File: "impl/pipeline.go", In: "impl.OptDel", Old: "x[0].Cmp(y[1]) != 0 || x[1].Cmp(y[0]) != 0", New: "x[0].Cmp(y[0]) != 0"},
	{Name: "the smaller order counts in rationals", File: "impl/iterate.go", Old: "optDel, lemma11 = larger(optDel, value), larger(lemma11, sum)", New: "optDel, lemma11 = value, larger(lemma11, sum)"},
	{Name: "the checker leaves out infinite losses of laws", File: "impl/certify/pair.go", In: "impl.OptDel", Old: "			x.infinity.Add(x.infinity, o[0])\n", New: ""},
	{Name: "outputs of one loss count once", File: "impl/certify/pair.go", In: "impl.OptDel", Old: "			x.mass[n-1] = new(big.Rat).Add(x.mass[n-1], o.mass)\n", New: ""},
	{Name: "exact laws leave out infinite losses", File: "impl/internal/exact/exact.go", In: "impl.Exact", Old: "			r.infinity.Add(r.infinity, o[0])\n		case", New: "		case"},

	// Noise.
	{Name: "one order of neighbours for sampled noise", File: "impl/pipeline.go", In: "impl.OptDel", Old: "			b.Added = !a.Added\n", New: "			b.Added = a.Added\n"},
	{Name: "cells are rounded to their lower end", File: "impl/certify/cells.go", In: "impl.OptDel", Old: "		c.mass[0][i] = b\n", New: "		c.mass[0][i-1], c.mass[0][i] = p.hi, 0\n"},
	{Name: "split cells are off by the unit", File: "impl/certify/cells.go", In: "impl.OptDel", Old: "from, least, ratio = to, nextLeast, next;", New: "from, least, ratio = to, nextLeast, r.ratio(low+i-1);"},
	{Name: "merged cells are told the loss of their lower end", File: "impl/certify/cells.go", In: "impl.OptDel", Old: "p.lo, exactly(q.hi).times(r.ratio(low+i)).hi", New: "p.lo, exactly(q.hi).times(r.ratio(low+i-1)).hi"},
	{Name: "merged cells leave out their Q-mass", File: "impl/certify/cells.go", In: "impl.OptDel", Old: "p.lo, exactly(q.hi).times(r.ratio(low+i)).hi", New: "p.lo, 0*q.hi"},
	{Name: "Gaussian noise around 1/2", File: "impl/certify/normal.go", In: "impl.OptDel", Old: "narrowIntegral(from.y-n.d.lo, width)), without", New: "narrowIntegral(from.y, width)), without"},
	{Name: "Laplace's tail is not halved", File: "impl/certify/laplace.go", In: "impl.OptDel", Old: "return x.negated().exp().times(exactly(0.5)) }", New: "return x.negated().exp() }"},
	{Name: "sampling is left out of the place", File: "impl/certify/additive.go", In: "impl.OptDel", Old: "	r := a.rest.plus(a.sampling.times(noise))\n", New: "	r := noise\n"},
}
