package odp

import (
	"math/big"

	"checkrr/impl"
	"checkrr/verify/rat"
)

// wrongSparseVector is a variant of the sparse vector technique that was published as
// ε-DP and is not, with two neighbouring databases (every query changes by at most 1)
// and outputs that show it.
type wrongSparseVector struct {
	Name       string
	Difference string   // from Algorithm 2
	Eps        *big.Rat // what was claimed
	Law        impl.SparseVectorLaw
	Runs       neighbours // the outputs, with the answers on either database
}

// wrongSparseVectors returns the variants that Lyu, Su and Li (2017) collected, with the
// budget ε = 1, in the split of each. Every loss here is larger than 1.
func wrongSparseVectors() []wrongSparseVector {
	all := []wrongSparseVector{
		{
			Name:       "Stoddard et al. 2014",
			Difference: "no noise on the queries, no cutoff",
			Law:        impl.SparseVectorLaw{RhoScale: rat.Of("2"), NuScale: rat.Of("0")},
			Runs:       runs(queries(1, "0", "1", false), queries(1, "1", "0", true)),
		},
		{
			Name:       "Lee and Clifton 2014, c = 1",
			Difference: "ε_1 = ε/4, and ν ~ Lap(Δ/ε_2) whatever c is",
			Law:        impl.SparseVectorLaw{RhoScale: rat.Of("4"), NuScale: rat.Of("4/3"), Cutoff: 1},
			Runs:       runs(queries(5, "1", "2", false), queries(1, "1", "0", true)),
		},
		{
			Name:       "Lee and Clifton 2014, c = 3",
			Difference: "ε_1 = ε/4, and ν ~ Lap(Δ/ε_2) whatever c is",
			Law:        impl.SparseVectorLaw{RhoScale: rat.Of("4"), NuScale: rat.Of("4/3"), Cutoff: 3},
			Runs:       runs(queries(5, "1", "2", false), queries(3, "1", "0", true)),
		},
		{
			Name:       "Chen et al. 2015, 10 queries",
			Difference: "ν ~ Lap(Δ/ε_2), no cutoff",
			Law:        impl.SparseVectorLaw{RhoScale: rat.Of("2"), NuScale: rat.Of("2")},
			Runs:       runs(queries(5, "0", "1", false), queries(5, "0", "-1", true)),
		},
		{
			Name:       "Chen et al. 2015, 16 queries",
			Difference: "ν ~ Lap(Δ/ε_2), no cutoff",
			Law:        impl.SparseVectorLaw{RhoScale: rat.Of("2"), NuScale: rat.Of("2")},
			Runs:       runs(queries(8, "0", "1", false), queries(8, "0", "-1", true)),
		},
		{
			Name:       "Roth 2011, c = 1",
			Difference: "ν ~ Lap(cΔ/ε_2), and prints q + ν with ⊤: here a number in [−1/1000, 0]",
			Law:        impl.SparseVectorLaw{RhoScale: rat.Of("2"), NuScale: rat.Of("2"), Cutoff: 1},
			Runs:       runs(queries(8, "0", "1", false), queries(1, "0", "0", true)),
		},
	}
	released := &impl.Range{Low: rat.Of("-1/1000"), High: rat.Of("0")}
	roth := all[len(all)-1].Runs
	for _, run := range roth {
		run[len(run)-1].Released = released
	}
	for i := range all {
		all[i].Eps = rat.One
	}
	return all
}
