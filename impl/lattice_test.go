package impl

import (
	"math/big"
	"testing"
)

func TestNewLattice(t *testing.T) {
	entry := func(e Epsilon, n int) Mechanism { return Mechanism{e, new(big.Rat), n} }
	nats := func(s string) Epsilon { return Nats(parseRat(s)) }
	exp := func(s string) Epsilon { return Exp(parseRat(s)) }
	for _, c := range []struct {
		name     string
		ms       []Mechanism
		half     string
		multiple []int
	}{
		{"equal", []Mechanism{entry(nats("0.1"), 5), entry(nats("0.1"), 1)}, "1/10", []int{1, 1}},
		{"decimals", []Mechanism{entry(nats("0.15"), 1), entry(nats("0.1"), 1)}, "1/20", []int{3, 2}},
		{"zero", []Mechanism{entry(nats("0"), 1), entry(nats("0.1"), 1)}, "1/10", []int{0, 1}},
		{"all zero", []Mechanism{entry(nats("0"), 1), entry(exp("1"), 1)}, "1", []int{0, 0}},
		{"powers", []Mechanism{entry(exp("27/8"), 1), entry(exp("9/4"), 1)}, "ln(3/2)", []int{3, 2}},
		{"zero among powers", []Mechanism{entry(nats("0"), 1), entry(exp("9/4"), 1)}, "ln(9/4)", []int{0, 1}},
		{"independent", []Mechanism{entry(exp("2"), 1), entry(exp("3"), 1)}, "", nil},
		{"mixed", []Mechanism{entry(exp("2"), 1), entry(nats("1"), 1)}, "", nil},
		{"too fine", []Mechanism{entry(nats("1e-9"), 1), entry(nats("1"), 1)}, "", nil},
		{"too long", []Mechanism{entry(nats("1e-6"), 1), entry(nats("1"), 30)}, "", nil},
	} {
		l, ok := newLattice(Pipeline{Mechanisms: c.ms})
		if ok != (c.half != "") {
			t.Errorf("%s: found is %v", c.name, ok)
			continue
		}
		if !ok {
			continue
		}
		if l.half.String() != c.half {
			t.Errorf("%s: half is %s, want %s", c.name, l.half, c.half)
		}
		for i, n := range c.multiple {
			if l.multiple[i] != n {
				t.Errorf("%s: multiples %v, want %v", c.name, l.multiple, c.multiple)
			}
		}
	}
}

// TestGapAtTies checks that ties are found exactly, for all ways to write ε.
func TestGapAtTies(t *testing.T) {
	for _, c := range []struct {
		e, half string
		exp     bool
		a       int
	}{
		{"0.3", "0.1", false, 3}, {"1e-20", "1e-22", false, 100}, {"700", "0.7", false, 1000},
		{"27/8", "3/2", true, 3}, {"1", "3/2", true, 0},
	} {
		as := Nats
		if c.exp {
			as = Exp
		}
		x := latticeAxis(as(parseRat(c.half)))
		e := newCharge(as(parseRat(c.e)))
		if z := x.gap(&e, place{}, 0); c.a != 0 && !(z.hi > 0) {
			t.Errorf("%v: gap at loss 0 is %v", c, z)
		}
		if z := x.gap(&e, place{origin: c.a}, 0); z != (dd{}) {
			t.Errorf("%v: gap at the tie is %v", c, z)
		}
		if z := x.gap(&e, place{origin: c.a + 1}, 0); !z.negative() {
			t.Errorf("%v: gap beyond the tie is %v", c, z)
		}
	}
}
