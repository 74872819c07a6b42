package odp

import (
	"math"
	"math/big"
	"strings"

	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// withTest are the statements on what a release test adds to the guarantees.
func withTest() register.Checks {
	return register.Checks{
		"ODP-X26": register.Checked(withReleaseTest(parallel),
			register.Control("an output costs what M costs",
				withReleaseTest(func(g guarantees) (*big.Rat, *big.Rat) { return g.m, g.refusal() })),
			register.Control("an output costs what the test costs",
				withReleaseTest(func(g guarantees) (*big.Rat, *big.Rat) { return g.test, g.refusal() })),
			register.Control("⊥ costs what the test costs on a known output",
				withReleaseTest(func(g guarantees) (*big.Rat, *big.Rat) { return g.output(), g.test })),
			register.Control("⊥ costs min(ε_M, τ)", withReleaseTest(func(g guarantees) (*big.Rat, *big.Rat) {
				return g.output(), rat.Min(g.m, g.across)
			})),
			register.NearMiss("an output costs a twentieth less e^ε", withReleaseTest(
				func(g guarantees) (*big.Rat, *big.Rat) {
					return rat.Max(rat.One, shaved(g.output())), g.refusal()
				},
			)),
			register.NearMiss("⊥ costs a hundredth less e^ε", withReleaseTest(
				func(g guarantees) (*big.Rat, *big.Rat) {
					return g.output(), rat.Max(rat.One, rat.Mul(big.NewRat(99, 100), g.refusal()))
				},
			)),
		),
	}
}

// guarantees are what M and the test guarantee by themselves: e^(ε_M) with respect to
// x^train, e^(ε_test) with respect to x^test given M's output, and e^τ, the most by which
// the probability of ⊥ differs between two outputs of M.
type guarantees struct{ m, test, across *big.Rat }

// output is what an output costs, by parallel composition.
func (g guarantees) output() *big.Rat { return rat.Max(g.m, g.test) }

// refusal is what ⊥ costs: ε_test for x^test; for x^train it costs at most ε_M, as does
// whatever is computed from M's output, and at most τ, being a mean over M's outputs.
func (g guarantees) refusal() *big.Rat {
	return rat.Max(g.test, rat.Min(g.m, g.across))
}

func parallel(g guarantees) (released, refused *big.Rat) { return g.output(), g.refusal() }

// withReleaseTest checks that M̃ is ODP with e^ℰ(Range(M)) and e^ℰ({⊥}) as claimed.
func withReleaseTest(claim func(guarantees) (released, refused *big.Rat)) register.Check {
	return func(t *register.T) {
		d := int64(t.Size(4, 5))
		t.Domain("M with two outputs on two neighbouring x^train, a test on two neighbouring x^test, all probabilities in "+
			"{1/%d, …, %d/%d}, and what M and the test guarantee by themselves", d, d-1, d)
		var values []*big.Rat
		for i := int64(1); i < d; i++ {
			values = append(values, big.NewRat(i, d))
		}
		for pr := range finite.Tuples(values, 6) { // Pr(M(x_i) = a), i = 0, 1; Pr(release a | x_j), Pr(release b | x_j)
			t.Case()
			released, refused := claim(guaranteesOf(pr))
			part := func(output string) int { return strings.Index("ab⊥", output) / 2 } // a, b: 0; ⊥: 1
			for _, x := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}} {                // one of i and j differs
				law0, law1 := testedLaw(pr, x[0]), testedLaw(pr, x[1])
				delta := register.Must(spec.SmallestDeltaBothWays(law0, law1, part, []*big.Rat{released, refused}))
				if delta.Sign() > 0 {
					t.Refute("Pr(M = a) = %s; Pr(release a) = %s, Pr(release b) = %s: (%s) and (%s) with e^ℰ = %s, %s need δ = %s",
						rat.Show(pr[:2]...), rat.Show(pr[2:4]...), rat.Show(pr[4:]...), law0, law1, rat.Show(released),
						rat.Show(refused), rat.Show(delta))
				}
				for k, name := range []string{"an output", "⊥"} {
					charges := []*big.Rat{released, refused}
					need := smallestExpE(finite.Pair{law0, law1}, part, charges, k, new(big.Rat))
					t.Close(lossRatio(need, charges[k]), "Pr(M = a) = %s; Pr(release a) = %s, Pr(release b) = %s, %s",
						rat.Show(pr[:2]...), rat.Show(pr[2:4]...), rat.Show(pr[4:]...), name)
				}
			}
		}
	}
}

// testedLaw returns the law of M̃ for the database number 2i + j: x^train_i and x^test_j.
func testedLaw(pr []*big.Rat, database int) finite.Law {
	i, j := database/2, database%2
	l := finite.Law{"a": rat.Mul(pr[i], pr[2+j]), "b": rat.Mul(rat.Complement(pr[i]), pr[4+j])}
	l["⊥"] = rat.Complement(rat.Add(l["a"], l["b"]))
	return l
}

// guaranteesOf looks at M alone and at the test alone.
func guaranteesOf(pr []*big.Rat) guarantees {
	g := guarantees{
		m:      oddsRatio(pr[0], pr[1]),
		test:   rat.Max(oddsRatio(pr[2], pr[3]), oddsRatio(pr[4], pr[5])),
		across: rat.One,
	}
	for j := range 2 {
		a, b := rat.Complement(pr[2+j]), rat.Complement(pr[4+j]) // Pr(⊥ | a, x_j), Pr(⊥ | b, x_j)
		g.across = rat.Max(g.across, rat.Quo(a, b), rat.Quo(b, a))
	}
	return g
}

// oddsRatio returns e^ε of a bit that is 1 with probability x or y.
func oddsRatio(x, y *big.Rat) *big.Rat {
	return rat.Max(rat.Quo(x, y), rat.Quo(y, x), rat.Quo(rat.Complement(x), rat.Complement(y)),
		rat.Quo(rat.Complement(y), rat.Complement(x)))
}

// lossRatio returns ln x / ln bound, for a bound that may be 1 as x is.
func lossRatio(x, bound *big.Rat) float64 {
	if bound.Cmp(rat.One) == 0 {
		return 0
	}
	return math.Log(rat.Float64(x)) / math.Log(rat.Float64(bound))
}
