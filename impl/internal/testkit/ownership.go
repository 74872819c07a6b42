package testkit

import (
	"fmt"
	"math/big"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// Mine are numbers of a caller, who changes them later.
type Mine []*big.Rat

// Of returns a number of the caller's.
func (m *Mine) Of(text string) *big.Rat {
	x := rational.MustParse(text)
	*m = append(*m, x)
	return x
}

// Eps returns an ε in memory of the caller's, as e^ε if it is given by at least 1.
func (m *Mine) Eps(text string) loss.Epsilon {
	x := m.Of(text)
	return loss.Epsilon{Value: x, Log: x.Cmp(rational.One) >= 0}
}

// Change changes all numbers, in their own memory.
func (m Mine) Change() {
	for _, x := range m {
		x.Num().SetInt64(5)
		x.SetFrac64(4, 5)
	}
}

// Answer is a text that depends on all that is kept, and numbers that a getter returned.
type Answer func() (text string, got []*big.Rat)

// Asked is an answer without numbers.
func Asked(of ...func() any) Answer {
	return func() (string, []*big.Rat) {
		var all []any
		for _, f := range of {
			all = append(all, f())
		}
		return fmt.Sprint(all...), nil
	}
}

// NumbersAreCopied fails where what was made of numbers changes when they do.
func NumbersAreCopied(t *testing.T, keepers map[string]func(t *testing.T, m *Mine) Answer) {
	t.Parallel()
	for name, keeper := range keepers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m Mine
			ask := keeper(t, &m)
			before, got := ask()
			m.Change()
			Mine(got).Change()
			if after, _ := ask(); after != before {
				t.Errorf("before: %s\nafter:  %s", before, after)
			}
		})
	}
}
