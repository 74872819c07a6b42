package selection

import (
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// oracle are the statements on the oracle of Section 3.
func oracle() register.Checks {
	return register.Checks{
		"PSC-A0": tight(oracleHasLaw, "19/20", "each is run with probability 19/(20K)"),
		"PSC-X6": tight(mixtures, "19/20", "Q is (ε_1, 19/20·δ_1)-DP"),
	}
}

// throughOracle returns the law of what the oracle returns, as a number, by all draws of both rooms.
func throughOracle(t *register.T, n int, number func(candidate, output int) int, laws ...samples) samples {
	check := func(candidate, output int, score float64) int {
		if score != float64(output) {
			t.Refute("candidates (%v): output %d has the score %g", laws, output, score)
		}
		return number(candidate, output)
	}
	law, _ := byDraws(t, fmt.Sprintf("candidates (%v)", laws), n, new(big.Rat), func(c *finite.Coins) int {
		got := spec.Oracle(programs(c, laws...), c)
		return check(got.Output.Candidate, got.Output.Output, got.Score)
	}, func(path []finite.Draw) (output, runs int) {
		var again []selection.Candidate[int]
		for range laws {
			again = append(again, replayed(path))
		}
		got, err := selection.Oracle(t.Context(), again, coins(path, true))
		t.Must(err)
		return check(got.Output.Candidate, got.Output.Output, got.Score), 1
	})
	return law
}

// oracleHasLaw checks that each of K candidates is run with a share of 1/K.
func oracleHasLaw(t *register.T, share *big.Rat) {
	t.Domain("1 to 4 candidates with two samples each, of probabilities in multiples of 1/2")
	for k := 1; k <= 4; k++ {
		for laws := range finite.Tuples(slices.Collect(oracles(2, 2)), k) {
			t.Case()
			law := throughOracle(t, 2*k, func(candidate, output int) int { return 2*candidate + output }, laws...)
			sameLaw(t, fmt.Sprintf("candidates (%v)", laws), law,
				scaled(slices.Concat(lists(laws)...), rat.Quo(share, rat.Int(k))))
		}
	}
}

// mixtures checks that the laws of two candidates, mixed, are not farther apart than a share of δ_1 beyond e^ε_1.
func mixtures(t *register.T, share *big.Rat) {
	pairs := slices.Collect(finite.Pairs(2, 3))
	mixed := func(a, b finite.Law) samples {
		return throughOracle(t, 2, func(_, output int) int { return output }, dense(a), dense(b))
	}
	for at, x := range finite.Grid(t, "all pairs of two candidates over two samples of multiples of 1/3, e^ε_1 in "+
		"{1, 3/2, 4}, δ_1 the least for both") {
		charge := finite.Constant(x[0])
		for _, a := range pairs {
			for _, b := range pairs {
				t.Case()
				least := rat.Max(a.DeltaBothWays(charge), b.DeltaBothWays(charge))
				within(t, fmt.Sprintf("%s, %v and %v", at, a, b), "δ of Q",
					exactDelta(x[0], mixed(a[0], b[0]), mixed(a[1], b[1])), share, least)
			}
		}
	}
}
