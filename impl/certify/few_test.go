package certify

import (
	"math/big"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// rareFew is mechanisms that lose something once in a million times, of which a run charges more than two such losses
// are.
func rareFew(t *testing.T) (p fewLosses, h Hints) {
	l, err := NewLosses([][2]*big.Rat{
		{big.NewRat(-1, 1e6), big.NewRat(4, 10)}, {big.NewRat(2, 1e7), big.NewRat(599998, 1e6)},
		{big.NewRat(3, 10), big.NewRat(1, 1e6)}, {big.NewRat(7, 10), big.NewRat(5, 1e7)},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.Mechanisms, p.steps = []Mechanism{{Losses: l, Count: 6}}, []*Losses{l, l, l, l, l, l}
	p.Stops = []Stop{{4, Number{Value: big.NewRat(11, 10)}}, {6, Number{Value: big.NewRat(12, 10)}}}
	unit := Lattice{Unit: Number{Value: big.NewRat(1, 1<<15)}}
	h = Hints{Cut: 1e-26, Floor: 1e-25, Upper: unit, Lower: &unit}
	h.NodeZero, h.Tilts = []*big.Rat{big.NewRat(28, 10), big.NewRat(14, 10)}, []float64{10, 10}
	return p, h
}

// What transforms lose where losses are rare, mechanisms that go one by one do not.
func TestFew(t *testing.T) {
	defer func(x float64) { fewProducts = x }(fewProducts)
	p, h := rareFew(t)
	widths, truth := map[float64]float64{}, p.value(0, 0, -1)
	for _, products := range []float64{0, 128} {
		fewProducts = products
		b, err := Check(t.Context(), p.Problem, h)
		if err != nil {
			t.Fatal(err)
		}
		lower, upper := num.ToFloat(b.OptDel.Lower), num.ToFloat(b.OptDel.Upper)
		if lower > truth*(1+1e-12) || upper < truth*(1-1e-12) {
			t.Errorf("between %v and %v, must contain %v", lower, upper, truth)
		}
		widths[products] = upper/lower - 1
	}
	if widths[128] > 1e-5 || widths[0] < 10*widths[128] {
		t.Errorf("relative widths are %v, must be less than 1e-5 and 10 times as much by transforms", widths)
	}
}
