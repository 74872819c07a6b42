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
		"ODP-X26": register.Checked(withReleaseTest(rat.One, rat.One),
			register.NearMiss("an output costs a twentieth less e^ε", withReleaseTest(rat.Of("0.95"), rat.One)),
			register.NearMiss("⊥ costs a hundredth less e^ε", withReleaseTest(rat.One, rat.Of("0.99"))),
		),
	}
}

// withReleaseTest checks that M̃ is ODP with shares of e^ℰ(Range(M)) and e^ℰ({⊥}).
func withReleaseTest(ofReleased, ofRefused *big.Rat) register.Check {
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
			released, refused := guaranteed(pr)
			charges := []*big.Rat{rat.Max(rat.One, rat.Mul(ofReleased, released)),
				rat.Max(rat.One, rat.Mul(ofRefused, refused))}
			for _, x := range [][2]int{{0, 1}, {0, 2}, {1, 3}, {2, 3}} { // one of i and j differs
				testCosts(t, pr, finite.Pair{testedLaw(pr, x[0]), testedLaw(pr, x[1])}, charges)
			}
		}
	}
}

// testCosts checks the charges on two databases.
func testCosts(t *register.T, pr []*big.Rat, laws finite.Pair, charges []*big.Rat) {
	part := func(output string) int { return strings.Index("ab⊥", output) / 2 } // a, b: 0; ⊥: 1
	delta := register.Must(spec.SmallestDeltaBothWays(laws[0], laws[1], part, charges))
	if delta.Sign() > 0 {
		t.Refute("Pr(M = a) = %s; Pr(release a) = %s, Pr(release b) = %s: (%s) and (%s) with e^ℰ = %s, %s need δ = %s",
			rat.Show(pr[:2]...), rat.Show(pr[2:4]...), rat.Show(pr[4:]...), laws[0], laws[1], rat.Show(charges[0]),
			rat.Show(charges[1]), rat.Show(delta))
	}
	for k, name := range []string{"an output", "⊥"} {
		if charges[k].Cmp(rat.One) > 0 {
			need := smallestExpE(laws, part, charges, k, new(big.Rat))
			t.Close(math.Log(rat.Float64(need))/math.Log(rat.Float64(charges[k])), "Pr(M = a) = %s; Pr(release a) = %s, "+
				"Pr(release b) = %s, %s", rat.Show(pr[:2]...), rat.Show(pr[2:4]...), rat.Show(pr[4:]...), name)
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

// guaranteed returns e^ε of an output, and of ⊥, by what M and the test guarantee by themselves: ε_M with respect to
// x^train, and ε_test with respect to x^test, given M's output. An output costs the larger one, by parallel
// composition. ⊥ costs ε_test for x^test; for x^train it costs at most ε_M, as does whatever is computed from M's
// output, and at most the ratio of its probabilities given two of M's outputs, being a mean over them.
func guaranteed(pr []*big.Rat) (released, refused *big.Rat) {
	m, test, across := oddsRatio(pr[0], pr[1]), rat.Max(oddsRatio(pr[2], pr[3]), oddsRatio(pr[4], pr[5])), rat.One
	for j := range 2 {
		a, b := rat.Complement(pr[2+j]), rat.Complement(pr[4+j]) // Pr(⊥ | a, x_j), Pr(⊥ | b, x_j)
		across = rat.Max(across, rat.Quo(a, b), rat.Quo(b, a))
	}
	return rat.Max(m, test), rat.Max(test, rat.Min(m, across))
}

// oddsRatio returns e^ε of a bit that is 1 with probability x or y.
func oddsRatio(x, y *big.Rat) *big.Rat {
	return rat.Max(rat.Quo(x, y), rat.Quo(y, x), rat.Quo(rat.Complement(x), rat.Complement(y)),
		rat.Quo(rat.Complement(y), rat.Complement(x)))
}
