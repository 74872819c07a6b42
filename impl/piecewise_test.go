package impl

import (
	"math/big"
	"testing"
)

// The product by signs is the product of all ends, with any signs.
func TestMulSigned(t *testing.T) {
	n := reals{20}
	ends := []int64{-5, -3, 0, 2, 7}
	for i := range ends {
		for j := i; j < len(ends); j++ {
			x := Interval{n.rat(big.NewRat(ends[i], 3)).Lower, n.rat(big.NewRat(ends[j], 3)).Upper}
			for k := range ends {
				for l := k; l < len(ends); l++ {
					y := Interval{n.rat(big.NewRat(ends[k], 7)).Lower, n.rat(big.NewRat(ends[l], 7)).Upper}
					got, want := n.mulSigned(x, y), n.mul(x, y)
					if got.Lower.Cmp(want.Lower) != 0 || got.Upper.Cmp(want.Upper) != 0 {
						t.Errorf("[%g, %g]·[%g, %g] is [%g, %g], must be [%g, %g]",
							x.Lower, x.Upper, y.Lower, y.Upper, got.Lower, got.Upper, want.Lower, want.Upper)
					}
				}
			}
		}
	}
}

// Panes cut what is asked for, at 0 too, and are on one side of it.
func TestPanes(t *testing.T) {
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
		got := panes(test.low, test.high, test.cuts)
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
