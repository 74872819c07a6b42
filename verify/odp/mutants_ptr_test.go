package odp

import "checkrr/verify/register/registertest"

var ptrMutants = []registertest.Mutant{
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
		Name: "impl's SVT asks on after STOP and c", File: "impl/sparsevector.go",
		Old: "if stop || run.Done() {", New: "if stop && run.Done() {",
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
		Name: "the closest run has one query less", File: "impl/closestrun.go", In: "impl.ClosestRun",
		Old: "below <= most-above", New: "below < most-above",
	},
}
