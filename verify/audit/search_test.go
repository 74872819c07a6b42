package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func values(texts ...string) []json.RawMessage {
	var all []json.RawMessage
	for _, text := range texts {
		all = append(all, json.RawMessage(text))
	}
	return all
}

func TestGrammar_Validate(t *testing.T) {
	digits := values("0", "1", "2")
	for _, good := range []Grammar{
		{digits, 0, 1, Replace}, {digits, 3, 3, Replace}, {digits, 0, MaxLength, Add}, {digits, 1, 5, Shift},
		{values("7"), 0, 2, Add}, {values(`"a"`, `"b"`), 1, 1, Replace}, {values("0", "0.5"), 1, 1, Shift},
	} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	many := slices.Repeat(digits, MaxValues)
	for _, bad := range []struct {
		g    Grammar
		want string
	}{
		{Grammar{nil, 1, 2, Replace}, "values are 0"},
		{Grammar{many[:MaxValues+1], 1, 2, Replace}, "values are 65"},
		{Grammar{digits, -1, 2, Replace}, "length is from -1"},
		{Grammar{digits, 0, 0, Replace}, "length is from 0 to 0"},
		{Grammar{digits, 3, 2, Replace}, "length is from 3 to 2"},
		{Grammar{digits, 1, MaxLength + 1, Replace}, "length is from 1 to 65"},
		{Grammar{digits, 2, 2, Add}, "must be a range"},
		{Grammar{digits, 1, 2, "other"}, "neighbours is"},
		{Grammar{digits, 1, 2, ""}, "neighbours is"},
		{Grammar{values("7"), 1, 2, Replace}, "no value can become another"},
		{Grammar{values("0", "2", "4"), 1, 2, Shift}, "no value can become another"},
		{Grammar{values(`"0"`, `"1"`), 1, 2, Shift}, "no value can become another"},
	} {
		if err := bad.g.Validate(); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("error is %v, must contain %q", err, bad.want)
		}
	}
}

// neighbours says by the texts of two lists whether they are neighbours in the grammar: a different way
// from how pairs are made.
func neighbours(g Grammar, c candidate) error {
	var lists [2][]string
	for side := range lists {
		var list []json.RawMessage
		if err := json.Unmarshal(g.text(c[side]), &list); err != nil {
			return err
		}
		if len(list) < g.Shortest || len(list) > g.Longest {
			return fmt.Errorf("%d elements, must be %d to %d", len(list), g.Shortest, g.Longest)
		}
		for _, v := range list {
			if !slices.ContainsFunc(g.Values, func(w json.RawMessage) bool { return string(v) == string(w) }) {
				return fmt.Errorf("%s is no value", v)
			}
			lists[side] = append(lists[side], string(v))
		}
	}
	x, y := lists[0], lists[1]
	if slices.Equal(x, y) {
		return errors.New("the lists are the same")
	}
	if g.Relation == Add {
		for i := range x {
			if slices.Equal(slices.Delete(slices.Clone(x), i, i+1), y) {
				return nil
			}
		}
		return errors.New("not one element more")
	}
	if len(x) != len(y) {
		return errors.New("lengths are not the same")
	}
	different := 0
	for i := range x {
		var a, b float64
		if g.Relation == Shift {
			fmt.Sscan(x[i], &a)
			fmt.Sscan(y[i], &b)
		}
		if x[i] != y[i] {
			different++
		}
		if !near(a, b, 1) {
			return fmt.Errorf("%s and %s are not near", x[i], y[i])
		}
	}
	if g.Relation == Replace && different != 1 {
		return fmt.Errorf("%d elements are different", different)
	}
	return nil
}

var grammars = []Grammar{
	{values("0", "1", "2"), 1, 5, Replace}, {values(`"a"`, `"b"`), 4, 4, Replace}, {values("0", "1"), 0, 1, Replace},
	{values("0", "1", "2"), 0, 5, Add}, {values("7"), 0, 1, Add}, {values("1", "2"), 2, 3, Add},
	{values("0", "1", "2", "3"), 1, 6, Shift}, {values("0", "0.5", "5"), 2, 2, Shift}, {values("0", "1"), 0, 3, Shift},
}

// size is what gets smaller: how many elements there are, then how many are different, then how
// far they are from the first value.
func (c candidate) size() [3]int {
	s := [3]int{len(c[0])}
	for i := range c[0] {
		if c[0][i] != c[1][i] {
			s[1]++
		}
		s[2] += max(0, c[0][i]) + max(0, c[1][i])
	}
	return s
}

// Random pairs are neighbours in the grammar, of all lengths; what is made simpler of them is, too, and
// is simpler; and it ends.
func TestGrammar_Neighbours(t *testing.T) {
	t.Parallel()
	for _, g := range grammars {
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		lengths, good := map[int]bool{}, 0
		for seed := range uint64(200) {
			c := g.random(rand.New(rand.NewPCG(seed, 1)))
			if !g.contains(c) {
				continue // is drawn again
			}
			good++
			if err := neighbours(g, c); err != nil {
				t.Fatalf("%+v: %s and %s: %v", g, g.text(c[0]), g.text(c[1]), err)
			}
			lengths[len(c[0])] = true
			dice := rand.New(rand.NewPCG(seed, 2))
			for {
				all := g.smaller(c)
				for i, d := range all {
					if err := neighbours(g, d); err != nil {
						t.Fatalf("%+v: %s and %s, made simpler: %v", g, g.text(d[0]), g.text(d[1]), err)
					}
					small, large := d.size(), c.size()
					if slices.Compare(small[:], large[:]) >= 0 {
						t.Fatalf("%+v: %s and %s are not simpler than %s and %s", g, g.text(d[0]), g.text(d[1]),
							g.text(c[0]), g.text(c[1]))
					}
					if slices.ContainsFunc(all[:i], d.equal) {
						t.Fatalf("%+v: %s and %s are there twice", g, g.text(d[0]), g.text(d[1]))
					}
				}
				if len(all) == 0 {
					break
				}
				c = all[dice.IntN(len(all))]
			}
			if c.size()[1] != 1 || len(c[0]) > max(1, g.Shortest+1) {
				t.Errorf("%+v: %s and %s cannot be made simpler", g, g.text(c[0]), g.text(c[1]))
			}
		}
		shortest := max(1, g.Shortest)
		if g.Relation == Add {
			shortest = g.Shortest + 1
		}
		for n := shortest; n <= g.Longest; n++ {
			if !lengths[n] {
				t.Errorf("%+v: no pair has %d elements", g, n)
			}
		}
		if good < 50 {
			t.Errorf("%+v: %d of 200 pairs are in the grammar, must be many", g, good)
		}
	}
}

// counted counts the elements that are 1, with Laplace noise of scale 1, but of scale 0.3 if broken says so.
func counted(broken func(list []int) bool) func(input json.RawMessage) Sampler {
	return func(input json.RawMessage) Sampler {
		var list []int
		if err := json.Unmarshal(input, &list); err != nil {
			panic(err)
		}
		l := laplaceSampler{scale: 1}
		for _, x := range list {
			if x == 1 {
				l.at++
			}
		}
		if broken(list) {
			l.scale = 0.3
		}
		return l
	}
}

// A violation that only some inputs show is found, and the pair cannot be simpler. No seed is used twice: what a pair
// was chosen by is not what it is bet on.
func TestSearch_Finds(t *testing.T) {
	t.Parallel()
	digits := values("0", "1", "2")
	has2 := func(l []int) bool { return slices.Contains(l, 2) }
	for name, test := range map[string]struct {
		g      Grammar
		broken func(list []int) bool
		want   string // the inputs are two of these
	}{
		"a 2, replace": {Grammar{digits, 1, 2, Replace}, has2, "[0] [1] [2] [0, 2] [1, 2]"},
		// [2] and none differ too little
		"a 2, add": {Grammar{digits, 0, 5, Add}, has2, "[] [2] [0, 2] [1, 2] [2, 1] [2, 0] [2, 2]"},
		"a 2 and any": {Grammar{digits, 1, 5, Shift}, func(l []int) bool { return len(l) > 1 && has2(l) },
			"[0, 2] [2, 0] [2, 1] [1, 2] [2, 2] [1, 1] [0, 1] [1, 0]"},
	} {
		if name != "a 2, replace" && !*full {
			continue
		}
		seeds := map[[32]byte]bool{}
		on := func(input json.RawMessage) Sampler {
			return seeded(counted(test.broken)(input), seeds)
		}
		const samples = 10_000
		r, err := Search{test.g, on}.Run(t.Context(), nats(1), Options{Samples: samples, Alpha: 0.01, Seed: 1,
			Full: name == "a 2, replace"})
		if err != nil || r.Verdict != Refuted || r.Screened == 0 {
			t.Errorf("%s: %+v, %v", name, r, err)
			continue
		}
		for _, input := range r.Witness.Inputs {
			if !strings.Contains(test.want, input) {
				t.Errorf("%s: input is %s, must be one of %s", name, input, test.want)
			}
		}
		// all are used for the bounds: between 0 and 1 with scale 0.3 the loss is more than 3
		if name == "a 2, replace" && (r.Samples != samples || !(r.Eps[0] > 2)) {
			t.Errorf("%d outputs, ε is at least %g, must be better", r.Samples, r.Eps[0])
		}
	}
}

// What is drawn for better bounds is not lost when time is up: they are of the simplest pair or, if more was drawn of
// the first pair, of that.
func TestSearch_FullCancelled(t *testing.T) {
	t.Parallel()
	has2 := func(l []int) bool { return slices.Contains(l, 2) }
	run := func(most int) (r *Report, calls int) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		on := func(input json.RawMessage) Sampler {
			return watched{counted(has2)(input), func(int, [32]byte) error {
				if calls++; calls == most {
					cancel()
				}
				return ctx.Err()
			}}
		}
		r, err := Search{Grammar{values("0", "1", "2"), 1, 2, Replace}, on}.Run(ctx, nats(1), Options{Samples: 10_000,
			Alpha: 0.01, Seed: 1, Full: true})
		if err != nil || r.Verdict != Refuted || r.Screened == 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		return r, calls
	}
	whole, calls := run(0)
	const look, first = 4, 7500 // calls that a look takes, and what the search leaves for the first pair
	for before, want := range map[int]int{0: 8333, look: first} {
		r, _ := run(calls - before)
		if r.Samples != want || !(r.Eps[0] > 1.5) || (r.Witness.Inputs == whole.Witness.Inputs) != (before == 0) {
			t.Errorf("%d calls before the end: %d outputs of %v, ε is at least %g", before, r.Samples, r.Witness.Inputs,
				r.Eps[0])
		}
	}
}

// Null hypothesis: the claim is true. It is refuted with probability at most 0.001. No more outputs are
// drawn of an input than the budget allows.
func TestSearch_Budget(t *testing.T) {
	t.Parallel()
	const samples, firstRounds = 20_000, smallRound + keptShare*smallRound // of 512 pairs, and of 128
	most, seeds := map[string]int{}, map[[32]byte]bool{}
	on := func(input json.RawMessage) Sampler {
		right := counted(func([]int) bool { return false })(input)
		return watched{seeded(right, seeds), func(n int, _ [32]byte) error { most[string(input)] += n; return nil }}
	}
	g := Grammar{values("0", "1"), 8, 12, Replace}
	r, err := Search{g, on}.Run(t.Context(), nats(1), Options{Samples: samples, Alpha: 0.001, Seed: 2})
	if err != nil || r.Verdict != NoViolation {
		t.Errorf("%+v, %v", r, err)
	}
	// an input may be in several pairs, but the two that are audited last have most of it
	audited := 0
	for _, n := range most {
		if n >= samples-firstRounds {
			audited++
		}
	}
	if r.Samples != samples-firstRounds || audited < 2 || audited > 2*lastPairs {
		t.Errorf("%d outputs of %d inputs are audited, must be %d", r.Samples, audited, samples-firstRounds)
	}
}

// What else is wrong with a claim or options is said as [Run] says it.
func TestSearch_Errors(t *testing.T) {
	g := Grammar{values("0", "1"), 1, 3, Replace}
	right := counted(func([]int) bool { return false })
	broken := errors.New("broken")
	wrong := func(input json.RawMessage) Sampler {
		return failing(right(input), 1, func() error { return broken })
	}
	for want, test := range map[string]struct {
		Search
		samples int
	}{
		"values are 0": {Search{Grammar{nil, 1, 3, Replace}, right}, 10_000},
		"broken":       {Search{g, wrong}, 10_000},
		"samples is 0": {Search{g, right}, 0},
	} {
		r, err := test.Run(t.Context(), nats(1), Options{Samples: test.samples, Alpha: 0.01})
		if err == nil || !strings.Contains(err.Error(), want) || r != nil {
			t.Errorf("error is %v, must contain %q", err, want)
		}
	}
	if _, err := (Search{g, right}).Run(t.Context(), partsClaim(2), Options{Samples: 10_000, Alpha: 0.01}); err == nil {
		t.Error("outputs without parts are no error")
	}
}

// A search that is stopped is no error, in whatever it does.
func TestSearch_Cancelled(t *testing.T) {
	g := Grammar{values("0", "1", "2"), 1, 3, Replace}
	for _, after := range []int{0, 100, 600} {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		on := func(input json.RawMessage) Sampler {
			return watched{counted(func([]int) bool { return false })(input), func(int, [32]byte) error {
				if calls++; calls <= after {
					return nil
				}
				cancel()
				return ctx.Err()
			}}
		}
		r, err := Search{g, on}.Run(ctx, nats(1), Options{Samples: 5000, Alpha: 0.01})
		cancel()
		if err != nil || r.Verdict == Refuted || r.Samples > 5000 {
			t.Errorf("stopped after %d calls: %+v, %v", after, r, err)
		}
	}
}
