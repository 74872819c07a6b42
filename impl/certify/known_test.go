package certify

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// Laws that are known from other calls change no bound, whatever these asked for.
func TestKnown_ChangesNothing(t *testing.T) {
	r, known := rand.New(rand.NewPCG(53, 1)), &Known{}
	one := func(xs ...float64) *big.Rat { return new(big.Rat).SetFloat64(xs[r.IntN(len(xs))]) }
	check := func(p Problem, h Hints) Interval {
		b, err := Check(t.Context(), p, h)
		if err != nil {
			t.Fatal(err)
		}
		return b.OptDel
	}
	for range 60 {
		isAdded, count := r.IntN(2) == 1, 20+10*r.IntN(2)
		p := Problem{Stops: []Stop{{After: 2 * count, Eps: Number{Value: one(1, 2)}}}}
		for range 2 {
			noise := &Additive{Noise: Gaussian, Scale: one(1, 1.5), Sampling: one(0.125, 0.0625), Added: isAdded}
			p.Mechanisms = append(p.Mechanisms, Mechanism{Additive: noise, Count: count})
		}
		floor, _ := one(1e-12, 1e-14).Float64()
		tilt, _ := one(0, 5).Float64()
		top := one(3, 4)
		h := Hints{
			Upper: Lattice{Unit: Number{Value: one(0x1p-6, 0x1p-5)}}, Lower: &Lattice{Unit: Number{Value: one(0x1p-6, 0x1p-5)}},
			NodeZero: []*big.Rat{top, top}, Tilts: []float64{tilt, tilt}, Floor: floor, Cut: floor / 16,
		}
		want := check(p, h)
		h.Known = known
		for range 2 {
			if x := check(p, h); x.Lower.Cmp(want.Lower) != 0 || x.Upper.Cmp(want.Upper) != 0 {
				t.Fatalf("%v with known laws, must be %v: %+v", x, want, h)
			}
		}
	}
	if len(known.laws) < 20 {
		t.Fatalf("%d laws are known, must be more: nothing was tried", len(known.laws))
	}
}
