package odp

import (
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/verify/rat"
	"checkrr/verify/register"
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
	law := func(rho, nu string, cutoff int) impl.SparseVectorLaw {
		return impl.SparseVectorLaw{RhoScale: rat.Of(rho), NuScale: rat.Of(nu), Cutoff: cutoff}
	}
	roth := runs(queries(8, "0", "1", false), queries(1, "0", "0", true))
	for _, run := range roth {
		run[len(run)-1].Released = &impl.Range{Low: rat.Of("-1/1000"), High: rat.Of("0")}
	}
	const lee, chen = "ε_1 = ε/4, and ν ~ Lap(Δ/ε_2) whatever c is", "ν ~ Lap(Δ/ε_2), no cutoff"
	return []wrongSparseVector{
		{"Stoddard et al. 2014", "no noise on the queries, no cutoff", rat.One, law("2", "0", 0),
			runs(queries(1, "0", "1", false), queries(1, "1", "0", true))},
		{"Lee and Clifton 2014, c = 1", lee, rat.One, law("4", "4/3", 1),
			runs(queries(5, "1", "2", false), queries(1, "1", "0", true))},
		{"Lee and Clifton 2014, c = 3", lee, rat.One, law("4", "4/3", 3),
			runs(queries(5, "1", "2", false), queries(3, "1", "0", true))},
		{"Chen et al. 2015, 10 queries", chen, rat.One, law("2", "2", 0),
			runs(queries(5, "0", "1", false), queries(5, "0", "-1", true))},
		{"Chen et al. 2015, 16 queries", chen, rat.One, law("2", "2", 0),
			runs(queries(8, "0", "1", false), queries(8, "0", "-1", true))},
		{"Roth 2011, c = 1", "ν ~ Lap(cΔ/ε_2), and prints q + ν with ⊤: here a number in [−1/1000, 0]", rat.One,
			law("2", "2", 1), roth},
	}
}

// wrongSparseVectorClaims are refuted by the outputs of each.
func wrongSparseVectorClaims() (claims []register.Part) {
	for _, w := range wrongSparseVectors() {
		claims = append(claims, register.Control(
			fmt.Sprintf("the variant of %s (%s) is %s-DP", w.Name, w.Difference, rat.Show(w.Eps)),
			func(t *register.T) {
				t.Domain("%s; the outputs that refute it", w.Difference)
				t.Case()
				if p := (probabilities{t, w.Law}); p.exceeds(w.Runs, w.Eps) {
					t.Refute("%s > ε = %s", p.evidence(w.Runs), rat.Show(w.Eps))
				}
			}))
	}
	return claims
}
