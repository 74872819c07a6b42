package program

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"checkrr/verify/audit"
)

// begin returns how a reply with n outputs begins.
func begin(n int, output func(i int) string) beginning {
	var b beginning
	for i := range n {
		b = b.with([]byte(output(i)))
	}
	return b
}

func TestBeginning(t *testing.T) {
	numbers := func(i int) string { return fmt.Sprint(i) }
	bits := func(i int) string { return fmt.Sprint(i % 2) }
	for _, test := range []struct {
		name string
		b, c beginning
		want bool
	}{
		{"nothing before", nil, begin(100, numbers), false},
		{"the same numbers", begin(100, numbers), begin(40, numbers), true},
		{"too few", begin(12, numbers), begin(12, numbers), false}, // 12·ln 12 = 30
		{"enough", begin(16, numbers), begin(16, numbers), true},   // 16·ln 16 = 44
		{"one differs", begin(100, numbers), begin(100, func(i int) string { return fmt.Sprint(i + i/99) }), false},
		{"beyond what is remembered", begin(1000, numbers),
			begin(1000, func(i int) string { return fmt.Sprint(i + i/longestBeginning) }), true},
		{"always the same output", begin(1000, func(int) string { return "1" }),
			begin(1000, func(int) string { return "1" }), false},
		{"few bits", begin(56, bits), begin(56, bits), false}, // 56·ln 2 = 39
		{"bits", begin(60, bits), begin(60, bits), true},
	} {
		if got := test.b.repeats(test.c); got != test.want {
			t.Errorf("%s: repeats is %v, must be %v", test.name, got, test.want)
		}
	}
}

// A program that does not use its seed is found out by what it says about an input, if that
// is more than a few outputs.
func TestSeedNotUsed(t *testing.T) {
	p := start(t, "coin")
	heads, tails := p.On(json.RawMessage("1"), false), p.On(json.RawMessage("2"), false)
	for i, s := range []audit.Sampler{heads, tails} {
		if err := s.Sample(t.Context(), 100, [32]byte{byte(i)}, &audit.Sample{}); err != nil {
			t.Fatal(err)
		}
	}
	err := tails.Sample(t.Context(), 80, [32]byte{3}, &audit.Sample{})
	checkFault(t, p, err, "request 3: the outputs are those of an earlier reply to another seed, must be drawn anew")
}

// What a program writes after its last reply is an error, but none of the audit.
func TestLeftover(t *testing.T) {
	p, err := Start(fake("farewell"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.On(json.RawMessage("1"), false).Sample(t.Context(), 2, [32]byte{}, &audit.Sample{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err == nil ||
		!strings.Contains(err.Error(), "wrote \"done\" after its last reply, must write replies only") {
		t.Errorf("got %v", err)
	}
}
