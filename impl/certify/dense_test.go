package certify

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// Behind a law of rare, large losses lower ends still know of infinite losses: with probability 1/100 there is
// one.
func TestRareThenInfinite(t *testing.T) {
	t.Parallel()
	a := &Additive{Noise: Gaussian, Scale: big.NewRat(6, 10), Sampling: big.NewRat(1, 100_000), Added: false}
	p := Problem{
		[]Mechanism{{Additive: a, Count: 1000}, {Delta: big.NewRat(1, 100), Eps: nats("0"), Count: 1}},
		[]Stop{{1001, nats("2")}},
	}
	unit := Lattice{Unit: Number{Value: big.NewRat(1, 256)}}
	b, err := Check(t.Context(), p, Hints{Cut: 1e-14, Floor: 1e-14, Upper: unit, Lower: &unit,
		NodeZero: []*big.Rat{big.NewRat(10, 1), nil}})
	if err != nil {
		t.Fatal(err)
	}
	if lower := num.ToFloat(b.OptDel.Lower); !(lower > 0.0099 && lower < 0.01) {
		t.Errorf("the lower end is %v, must be a little below 0.01", lower)
	}
}

// One problem as laws and as losses, in both orders: the intervals overlap, with masses at infinity and without.
func TestLosses_Law(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 8))
	for range 40 {
		var law [][2]*big.Rat // P = q·ratio
		left := [2]*big.Rat{big.NewRat(1, 1), big.NewRat(1, 1)}
		for range 1 + r.IntN(4) {
			p, q := big.NewRat(1+r.Int64N(250), 1000), big.NewRat(1+r.Int64N(250), 1000)
			law = append(law, [2]*big.Rat{p, q})
			left[0].Sub(left[0], p)
			left[1].Sub(left[1], q)
		}
		if r.IntN(2) == 0 {
			law = append(law, left)
		} else {
			law = append(law, [2]*big.Rat{left[0], new(big.Rat)}, [2]*big.Rat{new(big.Rat), left[1]})
		}
		l := lossesOfLaw(t, law)
		isBack := r.IntN(2) == 0
		if isBack {
			l = l.Reversed()
			for i, o := range law {
				law[i] = [2]*big.Rat{o[1], o[0]}
			}
		}
		count := 1 + r.IntN(5)
		stops := []Stop{{count, Number{Value: big.NewRat(1+r.Int64N(20), 10)}},
			{count + 2, Number{Value: big.NewRat(1+r.Int64N(30), 10)}}}
		exact, err := Check(t.Context(), Problem{[]Mechanism{{Law: law, Count: count + 2}}, stops}, Hints{Bits: 64})
		if err != nil {
			t.Fatal(err)
		}
		h := Hints{Cut: 1e-18, Floor: 1e-18, Upper: Lattice{Unit: Number{Value: big.NewRat(1, 128)}},
			NodeZero: []*big.Rat{big.NewRat(5*int64(count), 1), big.NewRat(10, 1)}}
		found, err := Check(t.Context(), Problem{[]Mechanism{{Losses: l, Count: count + 2}}, stops}, h)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range append(found.SingleStop, found.OptDel) {
			y := append(exact.SingleStop, exact.OptDel)[i]
			digits := big.NewFloat(1e-23) // what rounding to 25 digits adds
			if x.Lower.Cmp(digits.Add(digits, y.Upper)) > 0 || x.Upper.Cmp(y.Lower) < 0 {
				t.Errorf("%v: between %v and %v, must overlap with %v and %v", law, x.Lower, x.Upper, y.Lower, y.Upper)
			}
			if off := new(big.Float).Sub(x.Upper, x.Lower); off.Cmp(big.NewFloat(3e-3)) > 0 {
				t.Errorf("%v: %v apart", law, off)
			}
		}
	}
}

// lossesOfLaw returns the losses of a law, rounded up where they are no ratios.
func lossesOfLaw(t *testing.T, law [][2]*big.Rat) *Losses {
	t.Helper()
	var list [][2]*big.Rat
	for _, o := range law {
		if o[0].Sign() > 0 && o[1].Sign() > 0 {
			abs, sign := magnitude(new(big.Rat).Quo(o[0], o[1]))
			loss, _ := new(big.Rat).SetString(num.Log(abs.Value, 128).Hi.Text('f', 25))
			list = append(list, [2]*big.Rat{loss.Mul(loss, big.NewRat(int64(sign), 1)), o[0]})
		}
	}
	slices.SortFunc(list, func(x, y [2]*big.Rat) int { return x[0].Cmp(y[0]) })
	var all [][2]*big.Rat
	for _, x := range list {
		if n := len(all); n > 0 && all[n-1][0].Cmp(x[0]) == 0 {
			all[n-1][1] = new(big.Rat).Add(all[n-1][1], x[1])
		} else {
			all = append(all, x)
		}
	}
	l, err := NewLosses(all)
	if err != nil {
		t.Fatal(err)
	}
	return l
}
