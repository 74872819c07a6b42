package impl

import (
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

func TestNewLattice(t *testing.T) {
	entry := func(e loss.Epsilon, n int) Mechanism { return Mechanism{e, new(big.Rat), n} }
	nats := func(s string) loss.Epsilon { return loss.Nats(rational.MustParse(s)) }
	exp := func(s string) loss.Epsilon { return loss.Exp(rational.MustParse(s)) }
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
