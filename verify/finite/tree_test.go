package finite

import (
	"math/big"
	"testing"

	"checkrr/verify/rat"
)

// A randomized criterion has the law of the deterministic ones that it turns out to be, each with its probability.
func TestExhaustive_Drawn(t *testing.T) {
	t.Parallel()
	c := Independent(Responses(Mechanisms[0]), Responses(Mechanisms[1]), Responses(Mechanisms[0]))
	for h := range Criteria(Randomized, []string{"1", "2", "11"}) {
		mean, total := Pair{{}, {}}, new(big.Rat)
		for g, weight := range h.Drawn() {
			total.Add(total, weight)
			for b, l := range c.Law(g) {
				mean[b] = Combine(rat.One, mean[b], weight, l)
			}
		}
		if got := c.Law(h).Possible(); total.Cmp(rat.One) != 0 || !got.Equal(mean.Possible()) {
			t.Fatalf("%v: weights sum to %v; %v, drawn beforehand %v", h, total, got, mean)
		}
	}
}
