package audit

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// rowsFrom returns rows of outputs that are written as JSON, of either input.
func rowsFrom(t *testing.T, outputs [2][]string) []row {
	t.Helper()
	var samples [2]*Sample
	for side, texts := range outputs {
		samples[side] = &Sample{}
		for _, text := range texts {
			if err := samples[side].AddValue("", parse(t, text, false)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return rowsOfPart(nats(1), 0, samples)
}

// called writes a token by the name that its feature has.
func (t token) called(names map[pathID]string) string {
	f := feature(t)
	return f.name(names)
}

// The tokens of outputs, by their names.
func TestEachToken(t *testing.T) {
	names := map[pathID]string{}
	rows := rowsFrom(t, [2][]string{{`{"a":"yes 7 x1","b":[3,null]}`}, nil})
	layoutOf("", rows[0].layout.shape, names)
	var got []string
	eachToken(byLayout(rows), func(u *token, n *[2]float64) {
		if *n != [2]float64{1, 0} {
			t.Errorf("%s came %v times", u.called(names), *n)
		}
		got = append(got, u.called(names))
	})
	want := []string{
		`.a is "yes 7 x1"`, `.a has the word "yes"`, `.a has the word "7"`, `.a has the word "x1"`,
		`.b[0] = 3`, `count of 3 in .b`, `count of null in .b`, `count of 3 in the output`, `count of null in the output`, `count of "yes 7 x1" in the output`,
		`name 1 in the output is "a"`, `name 1 in the output has the word "a"`, `name 2 in the output is "b"`, `name 2 in the output has the word "b"`,
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("tokens are\n%s\nmust be\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Tokens that came often are counted exactly, as a map by all of a token does it; the others are left out.
func TestRepeatedTokens(t *testing.T) {
	dice := diceOf(1)
	var outputs [2][]string
	for side := range outputs {
		for range 1500 {
			outputs[side] = append(outputs[side], fmt.Sprintf(`["id%d", %d, "w%d and %d", %v]`, dice.IntN(2000),
				dice.IntN(1000), dice.IntN(50), dice.IntN(5000), dice.IntN(2) == 0))
		}
	}
	groups := byLayout(rowsFrom(t, outputs))
	counts := map[token][2]float64{}
	eachToken(groups, func(u *token, n *[2]float64) {
		c := counts[*u]
		counts[*u] = [2]float64{c[0] + n[0], c[1] + n[1]}
	})
	often, seldom := 0, 0
	for _, n := range counts {
		if n[0]+n[1] >= minRepeats {
			often++
		} else {
			seldom++
		}
	}
	found, few := 0, seldom/2
	kept, _ := repeatedTokens(groups)
	for _, c := range kept {
		if c.n != counts[c.token] {
			t.Fatalf("%+v came %v times, must be %v", c.token, c.n, counts[c.token])
		}
		if c.n[0]+c.n[1] >= minRepeats {
			found++
		} else if seldom--; seldom < 0 {
			t.Fatal("more are seldom than there are")
		}
	}
	if found != often || often < 500 {
		t.Errorf("%d tokens came often, must be %d, and many", found, often)
	}
	if seldom < few {
		t.Errorf("%d that came seldom were left out, must be most of %d", seldom, 2*few)
	}
}

// Tokens that differ in anything have other hashes; 0 and −0 are the same number.
func TestToken_Hash(t *testing.T) {
	var all []token
	for _, path := range []pathID{rootPath, partPath} {
		for _, w := range []what{ofItem, ofToken} {
			for index := range 2 {
				for _, value := range []float64{0, 1, -1, math.SmallestNonzeroFloat64} {
					for _, text := range []string{"", "a", "b", "\x00", "a\x00", "abcdefgh", "abcdefgi", "abcdefgha",
						"bbcdefghabcdefgh", "abcdefghbbcdefgh"} {
						all = append(all, token{path: path, what: w, index: index, value: value, text: text})
					}
				}
			}
		}
	}
	seen := map[uint64]token{}
	for _, u := range all {
		if v, ok := seen[u.hash()]; ok {
			t.Errorf("%+v and %+v have the same hash", u, v)
		}
		seen[u.hash()] = u
	}
	zero, minus := token{}, token{value: math.Copysign(0, -1)}
	if zero.hash() != minus.hash() {
		t.Error("0 and -0 are different")
	}
}

// Of the tokens that came often, features are made of those that tell, and of those that are frequent.
func TestOfTokens(t *testing.T) {
	dice := diceOf(1)
	var outputs [2][]string
	for side := range outputs {
		for i := range 3000 {
			word := fmt.Sprintf("w%d", dice.IntN(300))
			if i%100 == 0 {
				word = []string{"alice", "bob"}[side]
			}
			outputs[side] = append(outputs[side],
				fmt.Sprintf(`["%s", "w%d", "w%d"]`, word, dice.IntN(300), dice.IntN(300)))
		}
	}
	found := survey(rowsFrom(t, outputs))
	var names []string
	var byKind [whats]int
	for _, f := range found.ofTokens() {
		names = append(names, f.name(found.names))
		byKind[f.what]++
	}
	for _, want := range []string{`[0] is "alice"`, `[0] has the word "bob"`, `count of "alice" in the output`,
		`first place of "bob" in the output (its length where there is none)`, `last place of "bob" in the output (-1 where there is none)`, `[1] has the word "w1"`} {
		if want != `[1] has the word "w1"` && !slices.Contains(names, want) {
			t.Errorf("%s is no feature", want)
		}
	}
	for w, n := range byKind {
		if n > mostWords+oftenWords || n == 0 && (what(w) == ofItem || what(w) == ofWordCount) {
			t.Errorf("%d features of kind %d, must be %d at most", n, w, mostWords+oftenWords)
		}
	}
	// in a list with one place only, how often a word is there says no more than whether it is
	one := survey(rowsFrom(t, [2][]string{slices.Repeat([]string{`["a"]`}, 9), slices.Repeat([]string{`["b"]`}, 9)}))
	for _, f := range one.ofTokens() {
		if f.what == ofWordCount {
			t.Errorf("a feature is %s", f.name(one.names))
		}
	}
}

// What is not counted, as there is too much of it, is told.
func TestTokens_Full(t *testing.T) {
	before := mostTokens
	defer func() { mostTokens = before }()
	pair := placePair(placeLeaks["a list of words"], 0)
	for most, want := range map[int]bool{before: false, 100: true} {
		mostTokens = most
		if r := audited(t, nats(1), Options{Samples: 3000, Alpha: 0.01, Seed: 1}, pair); r.Looked.Uncounted != want {
			t.Errorf("%d tokens: %+v", most, r.Looked)
		}
	}
}
