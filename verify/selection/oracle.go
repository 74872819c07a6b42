package selection

import (
	"context"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// oracle are the statements on the oracle of Section 3.
func oracle() register.Checks {
	uniform := func(k, _ int) *big.Rat { return big.NewRat(1, int64(k)) }
	return register.Checks{
		"PSC-A0": register.Checked(oracleHasLaw(uniform),
			register.Control("the first candidate is run", oracleHasLaw(func(_, i int) *big.Rat {
				if i == 0 {
					return rat.One
				}
				return new(big.Rat)
			})),
			register.NearMiss("each is run with probability 19/(20K)",
				oracleHasLaw(func(k, i int) *big.Rat { return rat.Mul(nearly, uniform(k, i)) })),
		),
		"PSC-X6": register.Checked(mixtures(rat.One),
			register.NearMiss("Q is (ε_1, 19/20·δ_1)-DP", mixtures(nearly)),
		),
	}
}

// programs are candidates that return the number of the sample that is drawn, as output and as score.
func programs(laws []samples, c *finite.Coins) (all []spec.Candidate[int]) {
	for _, law := range laws {
		all = append(all, func() spec.Scored[int] {
			i := c.Of(law)
			return spec.Scored[int]{Output: i, Score: float64(i)}
		})
	}
	return all
}

// replayed is a candidate that returns what was drawn on a path, again.
func replayed(path []finite.Draw, laws ...samples) impl.Candidate[int] {
	next := 0
	return func(context.Context) (impl.Scored[int], error) {
		for path[next].IsCoin {
			next++
		}
		d := path[next]
		next++
		i := d.Part()
		return impl.Scored[int]{Output: i, Score: float64(i)}, nil
	}
}

// outcomes are the probabilities of what a program returns.
type outcomes map[int]*big.Rat

func (o outcomes) add(output int, pr *big.Rat) {
	if o[output] == nil {
		o[output] = new(big.Rat)
	}
	o[output] = rat.Add(o[output], pr)
}

func (o outcomes) pr(output int) *big.Rat {
	if pr := o[output]; pr != nil {
		return pr
	}
	return new(big.Rat)
}

// oracleHasLaw goes through all draws of both rooms: candidate i of k is to be run with a probability.
func oracleHasLaw(claimed func(k, i int) *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 4 candidates with two samples each, of probabilities in multiples of 1/2")
		two := slices.Collect(oracles(2, 2))
		for k := 1; k <= 4; k++ {
			for laws := range finite.Tuples(two, k) {
				t.Case()
				found := outcomes{}
				finite.GoThrough(new(big.Rat), func(c *finite.Coins) {
					got := spec.Oracle(programs(laws, c), c)
					found.add(2*got.Output.Candidate+got.Output.Output, c.Pr)
					fast := oracleAgain(t, c.Path, len(laws))
					if fast.Output.Candidate != got.Output.Candidate || fast.Output.Output != got.Output.Output ||
						fast.Score != got.Score {
						t.Refute("of %d candidates %v by impl, %v by spec", k, fast, got)
					}
				})
				for i, law := range laws {
					for j, p := range law {
						if want := rat.Mul(claimed(k, i), p); !rat.Equal(found.pr(2*i+j), want) {
							t.Refute("candidate %d of %d with (%v): its sample %d has the probability %s, claimed is %s", i+1, k, law, j+1,
								rat.Show(found.pr(2*i+j)), rat.Show(want))
						}
					}
				}
			}
		}
	}
}

// mixtures checks that the laws of two candidates, mixed, are not farther apart than a share of δ_1 beyond e^ε_1.
func mixtures(share *big.Rat) register.Check {
	return func(t *register.T) {
		t.Domain("all pairs of two candidates over two samples of multiples of 1/3, e^ε_1 in {1, 3/2, 4}, δ_1 the " +
			"least for both")
		pairs := slices.Collect(finite.Pairs(2, 3))
		for _, e := range rat.List("1", "3/2", "4") {
			at := finite.Constant(e)
			for _, a := range pairs {
				for _, b := range pairs {
					t.Case()
					delta := rat.Max(a.Delta(at), b.Delta(at))
					q := finite.Pair{mixed(t, a[0], b[0]), mixed(t, a[1], b[1])}
					if got := q.Delta(at); got.Cmp(rat.Mul(share, delta)) > 0 {
						t.Refute("e^ε_1 = %s, %v and %v: δ_1 = %s, of Q it is %s", rat.Show(e), a, b, rat.Show(delta), rat.Show(got))
					}
					t.CloseTo(q.Delta(at), rat.Mul(share, delta), "e^ε_1 = %s, %v and %v", rat.Show(e), a, b)
				}
			}
		}
	}
}

// oracleAgain runs impl on the draws of a path.
func oracleAgain(t *register.T, path []finite.Draw, candidates int) impl.Scored[impl.Chosen[int]] {
	var again []impl.Candidate[int]
	for range candidates {
		again = append(again, replayed(path))
	}
	fast, err := impl.Oracle(t.Context(), again, impl.Coins{Source: &finite.WordTape{Words: finite.Words(path, true)}})
	t.Must(err)
	return fast
}

// mixed returns the law of the oracle over two candidates, without which of them it was.
func mixed(t *register.T, a, b finite.Law) finite.Law {
	out := finite.Law{}
	laws := []samples{dense(a), dense(b)}
	finite.GoThrough(new(big.Rat), func(c *finite.Coins) {
		got := spec.Oracle(programs(laws, c), c)
		if fast := oracleAgain(t, c.Path, len(laws)); fast.Output.Output != got.Output.Output {
			t.Refute("%v by impl, %v by spec", fast, got)
		}
		out.Add(finite.Name(got.Output.Output), c.Pr)
	})
	return out
}
