package selection

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"checkrr/impl/noise"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// samples are the probabilities of what an oracle returns, from the lowest to the highest.
type samples = []*big.Rat

// oracles returns all laws over m samples with probabilities that are multiples of 1/d.
func oracles(m, d int) (all []samples) {
	for l := range finite.Laws(m, d) {
		all = append(all, dense(l))
	}
	return all
}

// smallOracles returns those over 1 to 3 samples.
func smallOracles(d int) []samples { return slices.Concat(oracles(1, d), oracles(2, d), oracles(3, d)) }

func dense(l finite.Law) (s samples) {
	for _, o := range l.Outputs() {
		s = append(s, l[o])
	}
	return s
}

// show writes laws.
func show(laws []samples) string {
	var text []string
	for _, l := range laws {
		text = append(text, "("+rat.Show(l...)+")")
	}
	return strings.Join(text, ", ")
}

// neighbours are the laws of an oracle on two databases.
type neighbours [2]samples

func (n neighbours) String() string {
	return fmt.Sprintf("Q(D) = (%s), Q(D') = (%s)", rat.Show(n[0]...), rat.Show(n[1]...))
}

// respond returns the laws of what a function makes of randomized response, the answers of which it turns into samples
// by a law for each: those of e^−ε (ODP-L12) that have the probabilities e^ε/(1 + e^ε) and 1/(1 + e^ε).
func respond(expEps *big.Rat, likely, unlikely samples) (n neighbours) {
	e := rat.Quo(expEps, rat.Add(rat.One, expEps))
	for i := range likely {
		n[0] = append(n[0], rat.Add(rat.Mul(e, likely[i]), rat.Mul(rat.Complement(e), unlikely[i])))
		n[1] = append(n[1], rat.Add(rat.Mul(rat.Complement(e), likely[i]), rat.Mul(e, unlikely[i])))
	}
	return n
}

// pure returns laws of ε-DP oracles over three samples: all that randomized response becomes by laws of multiples of
// 1/2, and those with the largest loss.
func pure(expEps *big.Rat) (all []neighbours) {
	laws := oracles(3, 2)
	finite.Each2(laws, laws, func(likely, unlikely samples) { all = append(all, respond(expEps, likely, unlikely)) })
	return append(all, worst(expEps))
}

// worst are those with the largest loss: the unlikely answer is the highest sample, a little of the likely one is next.
func worst(expEps *big.Rat) neighbours {
	return respond(expEps, rat.List("999999/1000000", "1/1000000", "0"), rat.List("0", "0", "1"))
}

// pureUnlessRare is pure, but for γ below 1/10 only the worst.
func pureUnlessRare(expEps, gamma *big.Rat) []neighbours {
	if gamma.Cmp(rat.Of("1/10")) < 0 {
		return []neighbours{worst(expEps)}
	}
	return pure(expEps)
}

// approximate returns laws of (ε, δ)-DP oracles over three samples: all functions of randomized response.
func approximate(expEps, delta *big.Rat) (all []neighbours) {
	response := spec.RandomizedResponse(spec.Mechanism{ExpEps: expEps, Delta: delta})
	for f := range finite.Tuples([]int{0, 1, 2}, 4) {
		n := neighbours{rat.List("0", "0", "0"), rat.List("0", "0", "0")}
		for b := range n {
			for z, i := range f {
				n[b][i].Add(n[b][i], response[b][z])
			}
		}
		all = append(all, n)
	}
	return all
}

// exactDelta returns the least δ for which two laws are (ε, δ)-DP.
func exactDelta(expEps *big.Rat, p, q samples) *big.Rat {
	sums := rat.List("0", "0")
	for i := range p {
		sums[0].Add(sums[0], rat.Positive(rat.Sub(p[i], rat.Mul(expEps, q[i]))))
		sums[1].Add(sums[1], rat.Positive(rat.Sub(q[i], rat.Mul(expEps, p[i]))))
	}
	return rat.Max(sums...)
}

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
		t.Require(score == float64(output), "output %d has the score %g", output, score)
		return number(candidate, output)
	}
	law, _ := byDraws(t, n, new(big.Rat), func(c *finite.Coins) int {
		got := spec.Oracle(programs(c, laws...), c)
		return check(got.Output.Candidate, got.Output.Output, got.Score)
	}, func(path []finite.Draw) (output, runs int) {
		again := slices.Repeat([]selection.Candidate[int]{replayed(path)}, len(laws))
		got := register.Must(selection.Oracle(t.Context(), again, coins(path, true)))
		return check(got.Output.Candidate, got.Output.Output, got.Score), 1
	})
	return law
}

// oracleHasLaw checks that each of K candidates is run with a share of 1/K.
func oracleHasLaw(t *register.T, share *big.Rat) {
	t.Domain("1 to 4 candidates with two samples each, of probabilities in multiples of 1/2")
	for laws := range finite.Lists(oracles(2, 2), 1, 4) {
		t.At("candidates %s", show(laws))
		k := len(laws)
		law := throughOracle(t, 2*k, func(candidate, output int) int { return 2*candidate + output }, laws...)
		sameLaw(t, law, scaled(slices.Concat(laws...), rat.Quo(share, rat.Int(k))))
	}
}

// mixtures checks that the laws of two candidates, mixed, are not farther apart than a share of δ_1 beyond e^ε_1.
func mixtures(t *register.T, share *big.Rat) {
	pairs := slices.Collect(finite.Pairs(2, 3))
	mixed := func(a, b finite.Law) samples {
		return throughOracle(t, 2, func(_, output int) int { return output }, dense(a), dense(b))
	}
	finite.Each(t, "all pairs of two candidates over two samples of multiples of 1/3, e^ε_1 in {1, 3/2, 4}, "+
		"δ_1 the least for both", func(at string, expEps *big.Rat) {
		charge := finite.Constant(expEps)
		finite.Each2(pairs, pairs, func(a, b finite.Pair) {
			t.At("%s, %v and %v", at, a, b)
			least := rat.Max(a.DeltaBothWays(charge), b.DeltaBothWays(charge))
			within(t, "δ of Q", exactDelta(expEps, mixed(a[0], b[0]), mixed(a[1], b[1])), share, least)
		})
	})
}

// programs are candidates that return the number of the sample that is drawn, as output and as score.
func programs(c *finite.Coins, laws ...samples) (all []spec.Candidate[int]) {
	for _, law := range laws {
		all = append(all, func() spec.Scored[int] {
			i := c.Of(law)
			return spec.Scored[int]{Output: i, Score: float64(i)}
		})
	}
	return all
}

// replayed is a candidate that returns what was drawn on a path, again.
func replayed(path []finite.Draw) selection.Candidate[int] {
	next := 0
	return func(context.Context) (selection.Scored[int], error) {
		for path[next].IsCoin {
			next++
		}
		i := path[next].Part()
		next++
		return selection.Scored[int]{Output: i, Score: float64(i)}, nil
	}
}

// coins come out as on a path: just inside of its parts, at their lower or upper ends.
func coins(path []finite.Draw, lower bool) noise.Coins {
	return noise.Coins{Source: &finite.WordTape{Words: finite.Words(path, lower)}}
}

// drawsOn counts the draws from the oracle.
func drawsOn(path []finite.Draw) (n int) {
	for _, d := range path {
		if !d.IsCoin {
			n++
		}
	}
	return n
}

// byDraws returns the probabilities of the outputs 0, …, n − 1 of a program of spec, by all of its draws that are as
// likely as least, and of the rest. On the same draws impl has to return the same after as many runs.
func byDraws(t *register.T, n int, least *big.Rat, literal func(c *finite.Coins) int,
	fast func(path []finite.Draw) (output, runs int)) (law samples, rest *big.Rat) {
	for range n {
		law = append(law, new(big.Rat))
	}
	rest = finite.GoThrough(least, func(c *finite.Coins) {
		output := literal(c)
		law[output].Add(law[output], c.Pr)
		got, runs := fast(c.Path)
		t.Require(got == output && runs == drawsOn(c.Path), "output %d after %d runs by impl, %d after %d by spec",
			got+1, runs, output+1, drawsOn(c.Path))
	})
	return law, rest
}

// candidate returns a program of both rooms that returns scores one after the other, over and over.
func candidate(output int, scores ...float64) (spec.Candidate[int], selection.Candidate[int]) {
	i, j := -1, -1
	return func() spec.Scored[int] {
			i++
			return spec.Scored[int]{Output: output, Score: scores[i%len(scores)]}
		}, func(context.Context) (selection.Scored[int], error) {
			j++
			return selection.Scored[int]{Output: output, Score: scores[j%len(scores)]}, nil
		}
}

// candidates returns one for each score.
func candidates(scores []float64) (literal []spec.Candidate[int], fast []selection.Candidate[int]) {
	for i, s := range scores {
		a, b := candidate(i, s)
		literal, fast = append(literal, a), append(fast, b)
	}
	return literal, fast
}

// scaled returns a share of each probability.
func scaled(law []*big.Rat, share *big.Rat) (all samples) {
	for _, x := range law {
		all = append(all, rat.Mul(share, x))
	}
	return all
}
