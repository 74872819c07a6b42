package stopping

import (
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

func TestNewLattice(t *testing.T) {
	step := func(e loss.Epsilon, n int) Step { return Step{NewResponse(e, new(big.Rat)), n} }
	nats := func(s string) loss.Epsilon { return loss.Nats(rational.MustParse(s)) }
	exp := func(s string) loss.Epsilon { return loss.Exp(rational.MustParse(s)) }
	for _, c := range []struct {
		name  string
		steps []Step
		unit  string
		span  []int
	}{
		{"equal", []Step{step(nats("0.1"), 5), step(nats("0.1"), 1)}, "1/5", []int{1, 1}},
		{"decimals", []Step{step(nats("0.15"), 1), step(nats("0.1"), 1)}, "1/10", []int{3, 2}},
		{"zero", []Step{step(nats("0"), 1), step(nats("0.1"), 1)}, "1/5", []int{0, 1}},
		{"all zero", []Step{step(nats("0"), 1), step(exp("1"), 1)}, "1", []int{0, 0}},
		{"powers", []Step{step(exp("27/8"), 1), step(exp("9/4"), 1)}, "ln(9/4)", []int{3, 2}},
		{"zero among powers", []Step{step(nats("0"), 1), step(exp("9/4"), 1)}, "ln(81/16)", []int{0, 1}},
		{"independent", []Step{step(exp("2"), 1), step(exp("3"), 1)}, "", nil},
		{"mixed", []Step{step(exp("2"), 1), step(nats("1"), 1)}, "", nil},
		{"too fine", []Step{step(nats("1e-9"), 1), step(nats("1"), 1)}, "", nil},
		{"too long", []Step{step(nats("1e-6"), 1), step(nats("1"), 30)}, "", nil},
	} {
		l, ok := newLattice(Problem{Steps: c.steps})
		if ok != (c.unit != "") {
			t.Errorf("%s: found is %v", c.name, ok)
			continue
		}
		if !ok {
			continue
		}
		if l.unit.String() != c.unit {
			t.Errorf("%s: unit is %s, want %s", c.name, l.unit, c.unit)
		}
		for i, n := range c.span {
			if l.span[i] != n {
				t.Errorf("%s: spans %v, want %v", c.name, l.span, c.span)
			}
		}
	}
}
