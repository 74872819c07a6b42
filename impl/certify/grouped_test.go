package certify

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// pipelineOf returns mechanisms like "3a 1b", with stops after some of them.
func pipelineOf(t *testing.T, text string, after ...int) (p Problem) {
	t.Helper()
	for _, field := range strings.Fields(text) {
		var count int
		var name rune
		if _, err := fmt.Sscanf(field, "%d%c", &count, &name); err != nil {
			t.Fatal(err)
		}
		delta := new(big.Rat)
		if name == 'c' {
			delta.SetFrac64(1, 100)
		}
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: Number{Value: big.NewRat(1+int64(name-'a'), 10)},
			Delta: delta, Count: count})
	}
	for _, k := range after {
		p.Stops = append(p.Stops, Stop{After: k, Eps: Number{Value: big.NewRat(int64(k), 40)}})
	}
	return p
}

// TestGrouped: equal mechanisms are together where no stop is between them, and nothing moves over a stop.
func TestGrouped(t *testing.T) {
	t.Parallel()
	tests := []struct {
		in    string
		after []int
		want  string
	}{
		{"5a", []int{2, 5}, "5a"},
		{"1a 1b 1a 1b", []int{4}, "2a 2b"},
		{"1a 1b 1a 1b", []int{2, 4}, "1a 1b 1a 1b"},
		{"2a 2a 1b", []int{1, 5}, "4a 1b"},
		{"1a 1b 1a 1b 1a", []int{3, 5}, "2a 2b 1a"},
		{"2a 1b 1a", []int{1, 4}, "3a 1b"},
		{"3a 3b 3a", []int{2, 9}, "6a 3b"},
		{"3b 3a 3b", []int{5, 9}, "3b 3a 3b"},
		{"1c 1a 2c 1a", []int{5}, "3c 2a"},
	}
	for _, test := range tests {
		got, want := pipelineOf(t, test.in, test.after...).Grouped(), pipelineOf(t, test.want)
		same := len(got.Mechanisms) == len(want.Mechanisms)
		for i := 0; same && i < len(want.Mechanisms); i++ {
			x, y := got.Mechanisms[i], want.Mechanisms[i]
			same = x.Count == y.Count && x.Key() == y.Key()
		}
		if !same {
			t.Errorf("%s with stops after %v: %v, want %s", test.in, test.after, got.Mechanisms, test.want)
		}
	}
}

// TestGrouped_Law: a problem and the grouped one have the same value, that of every loss as a state, which knows no
// groups.
func TestGrouped_Law(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 50))
	for range 60 {
		var text []string
		total := 0
		for range 1 + rng.IntN(6) {
			n := 1 + rng.IntN(2)
			total += n
			text = append(text, fmt.Sprintf("%d%c", n, 'a'+rng.IntN(3)))
		}
		var after []int
		for k := 1; k < total; k++ {
			if rng.IntN(3) == 0 {
				after = append(after, k)
			}
		}
		p := pipelineOf(t, strings.Join(text, " "), append(after, total)...)
		var found [2]*Bounds
		for i, p := range [2]Problem{p, p.Grouped()} {
			var err error
			if found[i], err = Check(t.Context(), p, Hints{Bits: 128}); err != nil {
				t.Fatal(err)
			}
		}
		for i, x := range append(found[0].SingleStop, found[0].OptDel) {
			y := append(found[1].SingleStop, found[1].OptDel)[i]
			if x.Lower.Cmp(y.Upper) > 0 || y.Lower.Cmp(x.Upper) > 0 {
				t.Errorf("%s with stops after %v: number %d is %v, grouped %v", text, after, i+1, x, y)
			}
		}
	}
}

// TestKey: two mechanisms have the same key only if they have the same numbers.
func TestKey(t *testing.T) {
	t.Parallel()
	half, third := big.NewRat(1, 2), big.NewRat(1, 3)
	losses := func(mass *big.Rat) *Losses {
		l, err := NewLosses([][2]*big.Rat{{new(big.Rat), third}, {half, mass}})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	noise := func(n Noise, scale, sampling *big.Rat, added bool) Mechanism {
		return Mechanism{Additive: &Additive{Noise: n, Scale: scale, Sampling: sampling, Added: added}}
	}
	different := []Mechanism{
		{Eps: Number{Value: half}, Delta: half}, {Eps: Number{Value: half}, Delta: third},
		{Eps: Number{Value: third}, Delta: half},
		{Eps: Number{Value: num.One}, Delta: half}, {Eps: Number{Value: num.One, Log: true}, Delta: half},
		{Law: [][2]*big.Rat{{half, third}, {half, big.NewRat(2, 3)}}},
		{Law: [][2]*big.Rat{{third, half}, {big.NewRat(2, 3), half}}},
		{Losses: losses(third)}, {Losses: losses(third).Reversed()}, {Losses: losses(big.NewRat(1, 4))},
		noise(Gaussian, half, third, false), noise(Gaussian, half, third, true), noise(Laplace, half, third, false),
		noise(Gaussian, third, half, false), noise(Gaussian, half, half, false),
	}
	known := map[string]int{}
	for i, m := range different {
		if j, isKnown := known[m.Key()]; isKnown {
			t.Errorf("mechanisms %d and %d have the same key", j+1, i+1)
		}
		known[m.Key()] = i
	}
	if _, isKnown := known[Mechanism{Losses: losses(third), Count: 3}.Key()]; !isKnown {
		t.Error("equal losses have another key")
	}
}
