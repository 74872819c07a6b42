package finite

import (
	"fmt"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strings"

	"checkrr/verify/rat"
)

// Criterion is a criterion for stopping early: from the outputs so far to the probability of stopping there. It
// goes on after those that are not there.
type Criterion map[string]*big.Rat

// The probabilities of deterministic and of randomized criteria.
var (
	Deterministic = []*big.Rat{new(big.Rat), rat.One}
	Randomized    = []*big.Rat{new(big.Rat), rat.One, rat.Half}
)

// Criteria yields all criteria on the given sequences of outputs, with the given probabilities.
func Criteria(probabilities []*big.Rat, sequences []string) iter.Seq[Criterion] {
	return assignments[Criterion](probabilities, sequences)
}

func (h Criterion) String() string {
	var surely, maybe []string
	for _, s := range h.sequences() {
		switch {
		case h[s].Cmp(rat.One) == 0:
			surely = append(surely, s)
		case h[s].Sign() > 0:
			maybe = append(maybe, fmt.Sprintf("%s (with probability %s)", s, rat.Show(h[s])))
		}
	}
	if surely == nil && maybe == nil {
		return "never stop"
	}
	return "stop if the output is " + strings.Join(append(surely, maybe...), " or ")
}

func (h Criterion) sequences() []string { return slices.Sorted(maps.Keys(h)) }

// Drawn yields the deterministic criteria that h can turn out to be, if it flips its coins beforehand, and their
// probabilities.
func (h Criterion) Drawn() iter.Seq2[Criterion, *big.Rat] {
	return func(yield func(Criterion, *big.Rat) bool) {
		for g := range Criteria(Deterministic, h.sequences()) {
			weight := rat.One
			for s, p := range h {
				if g[s].Sign() == 0 {
					p = rat.Complement(p)
				}
				weight = rat.Mul(weight, p)
			}
			if weight.Sign() > 0 && !yield(g, weight) {
				return
			}
		}
	}
}
