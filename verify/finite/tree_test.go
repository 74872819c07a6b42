package finite

import (
	"fmt"
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

func TestTree(t *testing.T) {
	t.Parallel()
	leak, quiet := Pair{{"a": rat.One, "b": new(big.Rat)}, {"a": rat.Half, "b": rat.Half}}, Pair{{"a": rat.One}, {"a": rat.One}}
	c := Tree{"": leak, "b": leak, "a": quiet}
	if got, want := c.String(), fmt.Sprintf("first %v; after a %v; after b %v", leak, quiet, leak); got != want {
		t.Errorf("%s, must be %s", got, want)
	}
	law := Pair{
		{"aa": rat.One, "ba": new(big.Rat), "bb": new(big.Rat)},
		{"aa": rat.Half, "ba": rat.Of("1/4"), "bb": rat.Of("1/4")},
	}
	if got := c.Law(nil); !got.Equal(law) {
		t.Errorf("to the end %v, must be %v", got, law)
	}
	stopped := Pair{{"aa": rat.One, "b": new(big.Rat)}, {"aa": rat.Half, "b": rat.Half}}
	if got := c.Law(Criterion{"a": new(big.Rat), "b": rat.One}); !got.Equal(stopped) {
		t.Errorf("with a stop after b %v, must be %v", got, stopped)
	}
	if first, second := c.Needs(1, rat.One), c.Needs(2, rat.Int(2)); first.Cmp(rat.Half) != 0 || second.Cmp(rat.Half) != 0 {
		t.Errorf("the first needs δ = %v, the second %v", first, second)
	}
	if got := fmt.Sprintf("%q", Earlier(3)); got != `["" "a" "b" "aa" "ab" "ba" "bb"]` {
		t.Errorf("sequences before three mechanisms: %s", got)
	}
	count := 0
	for range Trees([]Pair{leak, quiet}, Earlier(2)...) {
		count++
	}
	if count != 8 {
		t.Errorf("%d trees, must be 8", count)
	}
}
