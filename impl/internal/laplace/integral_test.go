package laplace

import (
	"math/big"
	"testing"
)

// Panes cut what is asked for, at 0 too, and are on one side of it.
func TestPanes(t *testing.T) {
	t.Parallel()
	number := func(x int64) *big.Rat { return big.NewRat(x, 1) }
	for _, test := range []struct {
		low, high *big.Rat
		cuts      []*big.Rat
		want      int
	}{
		{nil, nil, nil, 2},
		{nil, nil, []*big.Rat{number(3), number(-1), number(3)}, 4},
		{number(1), nil, []*big.Rat{number(3), number(-1)}, 2},
		{nil, number(-1), []*big.Rat{number(3), number(-1)}, 1},
		{number(-1), number(3), []*big.Rat{number(3), number(-1)}, 2},
		{number(2), number(2), nil, 0},
		{number(2), number(1), nil, 0},
	} {
		got := Panes(test.low, test.high, test.cuts)
		if len(got) != test.want {
			t.Errorf("from %v to %v at %v: %d panes, must be %d", test.low, test.high, test.cuts, len(got), test.want)
		}
		for i, p := range got {
			if p.from != nil && p.to != nil && p.from.Sign()*p.to.Sign() < 0 {
				t.Errorf("a pane has 0 inside: %v to %v", p.from, p.to)
			}
			if i > 0 && p.from.Cmp(got[i-1].to) != 0 {
				t.Errorf("a gap before %v", p.from)
			}
		}
	}
}
