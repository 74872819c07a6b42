package selection

import (
	"context"
	"math/big"

	"checkrr/impl/noise"
	"checkrr/impl/selection"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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
		t.Require(got == output && runs == drawsOn(c.Path), "output %d after %d runs by impl, %d after %d by spec", got+1,
			runs, output+1, drawsOn(c.Path))
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
