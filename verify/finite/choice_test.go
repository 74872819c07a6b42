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

// TestRefused: what the outputs are called, and laws that are none, are refused by name; nothing goes wrong silently.
func TestRefused(t *testing.T) {
	t.Parallel()
	pair := func(names ...string) Pair {
		law := Law{}
		for _, name := range names {
			law[name] = big.NewRat(1, int64(len(names)))
		}
		return Pair{law, law}
	}
	choice := func(laws Pair, charges ...string) func() {
		return func() { NewChoice(laws, Partition{0, 1, 1}, rat.List(charges...)) }
	}
	only1 := Pair{{"a": rat.One}, {"b": rat.One}}
	for want, wrong := range map[string]func(){
		`the output "answer0" is in no part, must be one of the 3 outputs a to c`: choice(
			pair("bottom", "answer0", "certain1"), "1", "3"),
		`the output "bot" is in no part`:                     choice(pair("bot", "false", "true"), "1", "3"),
		`the output "d" is in no part`:                       choice(pair("a", "b", "d"), "1", "3"),
		`the output "" is in no part`:                        choice(pair("a", "b", ""), "1", "3"),
		`there are 1 charges, must be one for each of the 2`: choice(pair("a", "b", "c"), "1"),
		`P1 = (a: 1/2) has probabilities that must be`: choice(
			Pair{{"a": rat.One}, {"a": rat.Half}}, "1", "3"),
		`must be at least 0 and sum to 1`: choice(
			Pair{{"a": rat.Of("3/2"), "b": rat.Of("-1/2")}, {"a": rat.One}}, "1", "3"),
		`the output "no" of a mechanism in a tree must be one letter`: func() { Independent(pair("no", "y")) },
		`has nothing for the output "b"`:                              func() { only1[1].Map(map[string]string{"a": "b"}) },
		`must have parameters such as`:                                func() { gridOf("p in [1, 2]") },
		`and no other “ in {”`:                                        func() { gridOf("p in {1}, q in {1, 2") },
	} {
		func() {
			defer func() {
				if got, _ := recover().(string); !strings.Contains(got, want) {
					t.Errorf("panic %q, must be %q", got, want)
				}
			}()
			wrong()
		}()
	}
	law := Independent(only1, only1).Law(nil)
	if !isLaw(law[0]) || !isLaw(law[1]) || !rat.Equal(law[1].Pr("bb"), rat.One) {
		t.Errorf("outputs of one law only: %v", law)
	}
}
