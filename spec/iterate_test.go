package spec

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
)

// Each mechanism records what it was given; the criteria ask for a sum.
func TestPaper_Algorithm3(t *testing.T) {
	t.Parallel()
	mechanism := func(k int) func(s []int, x int) int {
		return func(s []int, x int) int {
			if len(s) != k-1 {
				t.Errorf("mechanism %d was given %v", k, s)
			}
			return x + k
		}
	}
	mechanisms := []func([]int, int) int{mechanism(1), mechanism(2), mechanism(3), mechanism(4)}
	atLeast := func(limit int) func(s []int) bool {
		return func(s []int) bool { return s[len(s)-1] >= limit }
	}
	criteria := []func([]int) bool{atLeast(11), atLeast(13)} // after mechanisms 1 and 3
	tests := []struct {
		x    int
		want []int
	}{
		{10, []int{11}},
		{0, []int{1, 2, 3, 4}},
		{9, []int{10, 11, 12, 13}},
	}
	for _, test := range tests {
		if got := Iterate([]int{1, 3, 4}, mechanisms, criteria, test.x); !slices.Equal(got, test.want) {
			t.Errorf("x = %d: %v, want %v", test.x, got, test.want)
		}
	}
	never := func([]int) bool { return false }
	always := func([]int) bool { return true }
	got := Iterate([]int{1, 3, 4}, mechanisms, []func([]int) bool{never, always}, 0)
	if !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("stop at the second point: %v", got)
	}
}

// Values computed by hand. With e^ε = 3 and δ = 0 the sequences 1 and 11 have
// the probabilities (3/4, 1/4) and (9/16, 1/16); all others help nobody here.
func TestPaper_Theorem15ByHand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name            string
		p               Pipeline
		optDel, lemma11 string
	}{
		{"one mechanism", pipeline("3 0", stop(1, "2")), "1/4", "1/4"},
		{"charge is epsilon", pipeline("3 0", stop(1, "3")), "0", "0"},
		{"charge above epsilon", pipeline("3 0", stop(1, "4")), "0", "0"},
		{"charge is epsilon, with delta", pipeline("3 1/10", stop(1, "3")), "1/10", "1/10"},
		// 1/10 + 9/10 · (3/4 − 2 · 1/4)
		{"one mechanism with delta", pipeline("3 1/10", stop(1, "2")), "13/40", "13/40"},
		{"epsilon is 0", pipeline("1 0", stop(1, "1")), "0", "0"},
		{"delta is 1", pipeline("3 1", stop(1, "1000")), "1", "1"},
		// 9/16 − 2 · 1/16
		{"two mechanisms", pipeline("3 0, 3 0", stop(2, "2")), "7/16", "7/16"},
		// Sequences 11 and 12: 3/4 · 1/2 − 1 · 1/4 · 1/2 each.
		{"second says nothing", pipeline("3 0, 1 0", stop(2, "1")), "1/2", "1/2"},
		// Stop at 1: 3/4 − 1/4. Go on: 9/16 − 4/16.
		{"stop early", pipeline("3 0, 3 0", stop(1, "1"), stop(2, "4")), "1/2", "13/16"},
		// Stop at 1: 3/4 − 2/4. Go on: 9/16 − 4/16.
		{"go on", pipeline("3 0, 3 0", stop(1, "2"), stop(2, "4")), "5/16", "9/16"},
		// Stop at 1 after the output 1: 3/4 − 1/4. After 2, go on: nothing more. Each stop alone: 1/2, 5/16, 9/32.
		{"three stops", pipeline("3 0, 3 0, 3 0", stop(1, "1"), stop(2, "4"), stop(3, "9")), "1/2", "35/32"},
		// δ = 1 of the first mechanism: output 0 wins at either stop, but once.
		{"delta is 1, twice", pipeline("1 1, 1 1", stop(1, "1"), stop(2, "1")), "1", "2"},
		// 0 counts once, 1/2; then 1: 1/2 · (1/2 + 1/2 · 0) by going on. In Lemma 11: 1/2 + 3/4.
		{"delta only", pipeline("1 1/2, 1 1/2", stop(1, "1"), stop(2, "1")), "3/4", "5/4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			check := func(name string, f func(Pipeline) (*big.Rat, error), want string) {
				if got, err := f(test.p); err != nil || got.Cmp(rat(want)) != 0 {
					t.Errorf("%s = %v, %v, want %s", name, got, err, want)
				}
			}
			check("OptDel", OptDel, test.optDel)
			check("Lemma11", Lemma11, test.lemma11)
			if len(test.p.Stops) == 1 { // TestPaper_Equation4Forms has the slow ones
				check("Lemma11Joint", Lemma11Joint, test.lemma11)
			}
		})
	}
}

// skipIfShort skips, under -short, a test that goes through millions of sets:
// with the race detector it takes long, and here is no concurrency to check.
func skipIfShort(t *testing.T) {
	if testing.Short() {
		t.Skip("goes through millions of sets")
	}
}

// pairs are problems with stops after 1 and after 2 mechanisms.
var pairs = []Pipeline{
	pipeline("3 0, 2 0", stop(1, "3/2"), stop(2, "3")),
	pipeline("3 1/10, 5/4 1/100", stop(1, "1"), stop(2, "4/3")),
	pipeline("11/10 1/1000, 7 0", stop(1, "101/100"), stop(2, "6")),
	pipeline("2 1/5, 2 1/7", stop(1, "7/5"), stop(2, "1")),
}

// E12 (a maximum over criteria, of the smallest δ by definition) against E13
// (a maximum over families of sets), which equals the theorem's E3.
func TestPaper_Theorem15Proof(t *testing.T) {
	t.Parallel()
	for i, p := range pairs {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if i > 0 {
				skipIfShort(t)
			}
			t.Parallel()
			want, err := OptDel(p)
			if err != nil {
				t.Fatal(err)
			}
			if got := worstCriterion(t, p, SmallestDelta); got.Cmp(want) != 0 {
				t.Errorf("E12 is %v, E13 is %v", got, want)
			}
		})
	}
}

// The maximum over all criteria is the same in both directions of Definition 2.
func TestPaper_Theorem15BothWays(t *testing.T) {
	t.Parallel()
	skipIfShort(t)
	p := pairs[1]
	want, err := OptDel(p)
	if err != nil {
		t.Fatal(err)
	}
	if got := worstCriterion(t, p, SmallestDeltaBothWays); got.Cmp(want) != 0 {
		t.Errorf("both ways %v, one way %v", got, want)
	}
}

// For a given criterion the two directions can differ.
func TestDirectionsDiffer(t *testing.T) {
	t.Parallel()
	p := pipeline("3 0, 3 0", stop(1, "1"), stop(2, "4"))
	law := iterateLaw(p, criterion(1<<1)) // stop after the output 1
	charges := []*big.Rat{rat("1"), rat("4")}
	forth, err1 := SmallestDelta(law[0], law[1], partOfLength, charges)
	back, err2 := SmallestDelta(law[1], law[0], partOfLength, charges)
	if err1 != nil || err2 != nil || forth.Cmp(rat("1/2")) != 0 || back.Cmp(rat("5/16")) != 0 {
		t.Errorf("forth %v, %v, want 1/2; back %v, %v, want 5/16", forth, err1, back, err2)
	}
}

// worstCriterion returns the maximum, over the 16 deterministic criteria after
// the first mechanism, of the smallest δ of the law of M_iter.
func worstCriterion(t *testing.T, p Pipeline,
	smallest func(law0, law1 map[string]*big.Rat, part func(string) int, expE []*big.Rat) (*big.Rat, error)) *big.Rat {
	charges := []*big.Rat{p.Stops[0].ExpEps, p.Stops[1].ExpEps}
	worst := new(big.Rat)
	for stopped := range 16 {
		law := iterateLaw(p, criterion(stopped))
		delta, err := smallest(law[0], law[1], partOfLength, charges)
		if err != nil {
			t.Fatal(err)
		}
		worst = larger(worst, delta)
	}
	return worst
}

// iterateLaw returns the output law of M_iter over the randomized responses of p with two stops, for b = 0 and b = 1.
// M_iter runs once on each sequence of what the responses answer, should they be asked.
func iterateLaw(p Pipeline, criteria []func(s []int) bool) [2]map[string]*big.Rat {
	law := [2]map[string]*big.Rat{{}, {}}
	for b, sequences := range ResponseLaw(p.Mechanisms) {
		for sequence, pr := range sequences {
			var answers []func([]int, int) int
			for _, z := range sequence {
				answers = append(answers, func([]int, int) int { return int(z - '0') })
			}
			points := []int{p.Stops[0].After, p.Stops[1].After}
			output := sequence[:len(Iterate(points, answers, criteria, b))]
			if law[b][output] == nil {
				law[b][output] = new(big.Rat)
			}
			law[b][output] = add(law[b][output], pr)
		}
	}
	return law
}

// criterion stops after the first outputs z whose bit is set.
func criterion(stopped int) []func([]int) bool {
	return []func([]int) bool{func(s []int) bool { return stopped>>s[0]&1 == 1 }}
}

func partOfLength(output string) int { return len(output) - 1 }

func TestPaper_Equation4Forms(t *testing.T) {
	t.Parallel()
	skipIfShort(t)
	for i, p := range pairs[1:3] {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			first, err1 := Lemma11(p)
			second, err2 := Lemma11Joint(p)
			if err1 != nil || err2 != nil || first.Cmp(second) != 0 {
				t.Errorf("first form %v, %v; second form %v, %v", first, err1, second, err2)
			}
		})
	}
}

// Lemma 11 is never below Theorem 15, and strictly above it if all δ_k > 0.
// With one stop there is nothing to overlap and the two are equal.
func TestPaper_Equation4IsLarger(t *testing.T) {
	t.Parallel()
	problems := slices.Concat(pairs, []Pipeline{
		pipeline("2 1/5", stop(1, "3/2")),
		pipeline("2 1/5, 3 1/7", stop(2, "3/2")),
	})
	for i, p := range problems {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			if i > 1 {
				skipIfShort(t)
			}
			t.Parallel()
			exact, err1 := OptDel(p)
			loose, err2 := Lemma11(p)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			want := 0
			if len(p.Stops) > 1 {
				want = 1
			}
			positive := !slices.ContainsFunc(p.Mechanisms, func(m Mechanism) bool { return m.Delta.Sign() == 0 })
			if order := loose.Cmp(exact); order < 0 || positive && order != want {
				t.Errorf("Lemma 11 gives %v, Theorem 15 gives %v", loose, exact)
			}
		})
	}
}
