package mechanisms

import (
	"math/big"
	"strconv"

	"checkrr/impl"
	"checkrr/impl/loss"
	"checkrr/impl/noise"
	"checkrr/verify/audit"
)

const lyu = "Lyu, Su and Li 2017"

func sparseVectors() []Mechanism {
	return []Mechanism{
		{
			Name: "svt", Title: "sparse vector technique, ε_1 = ε_2 = ε/2", Source: "ODP-A2, ODP-L8",
			Claims:   []string{"dp", "odp"},
			defaults: Params{Eps: one, Delta: new(big.Rat), C: 3, Queries: 12, Noise: one},
			make:     func(p Params) (*Case, error) { return sparseVectorCase(p, whole(1)) },
		},
		{
			Name: "svt-uncharged", Title: "sparse vector technique, ⊤ charged and the threshold not", Source: "ODP-L8",
			Wrong:    "the claim has ℰ = c'·ε_2/c, and not ε_1 + c'·ε_2/c",
			Claims:   []string{"odp"},
			defaults: Params{Eps: one, Delta: new(big.Rat), C: 3, Queries: 12},
			make: func(p Params) (*Case, error) {
				p.Noise = one
				return sparseVectorCase(p, whole(0))
			},
		},
		{
			Name: "svt-roth", Title: "sparse vector technique that prints noisy answers",
			Source:   "Roth 2011 (" + lyu + ", Alg. 3)",
			Wrong:    "ν ~ Lap(c/ε_2), and ⊤ comes with q + ν: not private for any ε",
			defaults: Params{Eps: one, Delta: new(big.Rat), C: 1, Queries: 9},
			make:     rothCase,
		},
		{
			Name: "svt-lee-clifton", Title: "sparse vector technique with noise that does not grow with c",
			Source:   "Lee and Clifton 2014 (" + lyu + ", Alg. 4)",
			Wrong:    "ε_1 = ε/4, and ν ~ Lap(1/ε_2) whatever c is: (1 + 6c)·ε/4",
			defaults: Params{Eps: one, Delta: new(big.Rat), C: 1, Queries: 10},
			make: func(p Params) (*Case, error) {
				law := impl.SparseVectorLaw{RhoScale: quo(whole(4), p.Eps), NuScale: quo(big.NewRat(4, 3), p.Eps),
					Cutoff: p.C}
				return vector{Params: p, law: law, neighbours: [][2][]int{upAndDown(p.Queries)}}.dpCase(), nil
			},
		},
		{
			Name: "svt-stoddard", Title: "sparse vector technique without noise on the queries",
			Source:   "Stoddard et al. 2014 (" + lyu + ", Alg. 5)",
			Wrong:    "ν = 0, and no cutoff: not private for any ε",
			defaults: Params{Eps: one, Delta: new(big.Rat)},
			make: func(p Params) (*Case, error) {
				p.Queries = 2
				law := impl.SparseVectorLaw{RhoScale: quo(whole(2), p.Eps), NuScale: new(big.Rat)}
				return vector{Params: p, law: law, neighbours: [][2][]int{{{0, 1}, {1, 0}}}}.dpCase(), nil
			},
		},
		{
			Name: "svt-chen", Title: "sparse vector technique without a cutoff",
			Source:   "Chen et al. 2015 (" + lyu + ", Alg. 6)",
			Wrong:    "ν ~ Lap(1/ε_2), and no cutoff: not private for any ε",
			defaults: Params{Eps: one, Delta: new(big.Rat), Queries: 16},
			make: func(p Params) (*Case, error) {
				if err := p.enoughQueries(4, "fewer do not show it"); err != nil {
					return nil, err
				}
				law := impl.SparseVectorLaw{RhoScale: quo(whole(2), p.Eps), NuScale: quo(whole(2), p.Eps)}
				return vector{Params: p, law: law, neighbours: [][2][]int{fromZero(p.Queries)}}.dpCase(), nil
			},
		},
	}
}

// level returns n equal answers.
func level(n, answer int) []int {
	a := make([]int, n)
	for i := range a {
		a[i] = answer
	}
	return a
}

// up has answers that all rise by 1.
func up(n int) [2][]int { return [2][]int{level(n, 0), level(n, 1)} }

// upAndDown has answers 1 of which the first half rises and the other one falls.
func upAndDown(n int) [2][]int {
	return [2][]int{level(n, 1), append(level(n/2, 2), level(n-n/2, 0)...)}
}

// fromZero is that from 0.
func fromZero(n int) [2][]int {
	return [2][]int{level(n, 0), append(level(n/2, 1), level(n-n/2, -1)...)}
}

// sparseVectorCase is Algorithm 2 with ε_1 = ε_2 = ε/2. An ODP claim has ε_1 that often in
// all charges.
func sparseVectorCase(p Params, thresholdCharged *big.Rat) (*Case, error) {
	half := quo(p.Eps, whole(2))
	eps := quo(half, p.Noise)
	law, err := impl.NewSparseVectorLaw(one, p.C, eps, eps)
	if err != nil {
		return nil, err
	}
	v := vector{Params: p, law: law, neighbours: [][2][]int{up(p.Queries), upAndDown(p.Queries)}, search: true}
	each := float(eps)
	v.run = func(answers []float64, random noise.Source) (pattern, error) {
		run, err := impl.NewSparseVectorRun(1, p.C, each, each, random)
		if err != nil {
			return noOutputs, err
		}
		return compared(answers, run.Done, func(q float64) (bool, error) { return run.Compare(q, 0) })
	}
	if p.Claim == "dp" {
		return v.dpCase(), nil
	}
	claim := audit.Claim{Delta: p.Delta}
	for released := range p.C + 1 {
		charge, err := impl.SparseVectorCharge(mul(thresholdCharged, half), half, p.C, released)
		if err != nil {
			return nil, err
		}
		claim.Parts = append(claim.Parts, audit.Part{Name: strconv.Itoa(released), Eps: loss.Nats(charge)})
	}
	return v.audited(claim), nil
}

// rothCase is about the event of ⊥ to all queries but the last, and a number just below
// the threshold: the noisy threshold must be below that.
func rothCase(p Params) (*Case, error) {
	law := impl.SparseVectorLaw{RhoScale: quo(whole(2), p.Eps), NuScale: quo(whole(2*p.C), p.Eps), Cutoff: p.C}
	answers := [2][]int{level(p.Queries, 0), append(level(p.Queries-1, 1), 0)}
	return vector{Params: p, law: law, neighbours: [][2][]int{answers}, printed: true}.dpCase(), nil
}
