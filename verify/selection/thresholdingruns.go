package selection

import (
	"math/big"

	"checkrr/exhaustive"
	"checkrr/impl"
	"checkrr/spec"
	"checkrr/verify/finite"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// selector is a variant of the algorithm: so many samples more are below the threshold, the coin comes up with a share
// of γ, and there are so many draws more.
type selector struct {
	later, more int
	share       *big.Rat
}

func (s selector) law(q samples, at setting, limit int) (law []*big.Rat, none *big.Rat) {
	gamma := at.gamma
	if s.share != nil {
		gamma = rat.Mul(s.share, gamma)
	}
	return exhaustive.Thresholding(q, at.first+s.later, gamma, limit+s.more)
}

// thresholdingRuns goes through all draws of the program of spec and compares its law with that of a variant; impl
// makes the same of the same draws.
func thresholdingRuns(variant selector) register.Check {
	return func(t *register.T) {
		t.Domain("1 to 3 samples of probabilities in multiples of 1/3, every threshold, γ in {%s}, T in {1, 2, 3}",
			rat.Show(chances...))
		for q, at := range settings(chances) {
			for limit := 1; limit <= 3; limit++ {
				t.Case()
				found := outcomes{}
				finite.GoThrough(new(big.Rat), func(c *finite.Coins) {
					got, isFound := spec.Thresholding(programs([]samples{q}, c)[0], float64(at.first), at.gamma, limit, c)
					output := got.Output
					if !isFound {
						output = -1
					}
					found.add(output, c.Pr)
					coins := impl.Coins{Source: &finite.WordTape{Words: finite.Words(c.Path, false)}}
					fast, isFast, runs, err := impl.Thresholding(t.Context(), replayed(c.Path), float64(at.first), at.gamma, limit,
						coins)
					t.Must(err)
					if fast.Output != got.Output || isFast != isFound || runs != drawsOn(c.Path) {
						t.Refute("Q = (%v), %v, T = %d: %v by impl, %v by spec", q, at, limit, fast, got)
					}
				})
				law, none := variant.law(q, at, limit)
				for i, want := range append(law, none) {
					output := i
					if i == len(law) {
						output = -1
					}
					if !rat.Equal(found.pr(output), want) {
						t.Refute("Q = (%v), %v, T = %d: output %d has the probability %s, claimed is %s", q, at, limit, output+1,
							rat.Show(found.pr(output)), rat.Show(want))
					}
				}
			}
		}
	}
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

// bothThresholdingLaws returns the law by both rooms, which have to agree.
func bothThresholdingLaws(t *register.T, q samples, first int, gamma *big.Rat, limit int) (law samples, none *big.Rat) {
	law, none = impl.ThresholdingLaw(q, first, gamma, limit)
	literal, literalNone := spec.ThresholdingLaw(q, first, gamma, limit)
	for i := range law {
		if !rat.Equal(law[i], literal[i]) {
			t.Refute("Q = (%v), first %d, γ = %s, T = %d: output %d has %s by impl, %s by spec", q, first+1, rat.Show(gamma),
				limit, i+1, rat.Show(law[i]), rat.Show(literal[i]))
		}
	}
	if !rat.Equal(none, literalNone) {
		t.Refute("Q = (%v), first %d, γ = %s, T = %d: ⊥ has %s by impl, %s by spec", q, first+1, rat.Show(gamma), limit,
			rat.Show(none), rat.Show(literalNone))
	}
	return law, none
}
