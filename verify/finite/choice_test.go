package finite

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"checkrr/spec"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Every pair of laws is there in one numbering of its outputs, unless it needs δ = 1, and with every partition.
func TestChoices(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for c := range Choices(3, 3, rat.List("1")) {
		if seen[Describe(&c)] {
			t.Errorf("twice: %s", Describe(&c))
		}
		seen[Describe(&c)] = true
		s := ForSpec(&c)
		want := register.Must(spec.SmallestDeltaBothWays(s.Laws[0], s.Laws[1], s.Part, s.ExpE))
		if c.Delta.Cmp(want) != 0 {
			t.Errorf("%s: needs δ = %v", Describe(&c), want)
		}
	}
	orders := [][]string{{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"}, {"b", "c", "a"},
		{"c", "a", "b"}, {"c", "b", "a"}}
	for p := range PairsOf(Laws(3, 3)) {
		if p.DeltaBothWays(Constant(rat.One)).Cmp(rat.One) == 0 || len(p.Possible()[0]) < 3 {
			continue
		}
		found := slices.ContainsFunc(orders, func(names []string) bool {
			to := map[string]string{"a": names[0], "b": names[1], "c": names[2]}
			c := NewChoice(Pair{p[0].Map(to), p[1].Map(to)}, Singletons(3), []*big.Rat{rat.One, rat.One, rat.One})
			return seen[Describe(&c)]
		})
		if !found {
			t.Errorf("%v is missing", p)
		}
	}
}

// What a view is could not be read from its name.
func TestODPFilterComposition_Comma(t *testing.T) {
	t.Parallel()
	one := map[string]*big.Rat{"0,1": rat.One}
	comma := spec.Choice{Laws: [2]map[string]*big.Rat{one, one}, Part: func(string) int { return 0 },
		ExpE: rat.List("1"), Delta: new(big.Rat)}
	always := spec.Adversary{Coins: 1, Choose: func(string, []string) spec.Choice { return comma }}
	_, err := ODPFilterComposition(always, spec.SumFilter(rat.One, rat.One), 1)
	if err == nil || !strings.Contains(err.Error(), "no comma") {
		t.Errorf("error %v", err)
	}
}
