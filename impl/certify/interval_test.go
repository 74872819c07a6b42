package certify

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"checkrr/impl/certify/internal/num"
)

func rat(s string) *big.Rat { r, _ := new(big.Rat).SetString(s); return r }

func nats(s string) Number { return Number{rat(s), false} }

func ln(s string) Number { return Number{rat(s), true} }

// A law of few bits is as near the exact one as it says; what is left out is counted.
func TestLaw(t *testing.T) {
	t.Parallel()
	for _, eps := range []string{"1", "1.0001", "3/2", "3", "1000"} {
		for _, delta := range []string{"0", "1/3", "1e-30", "1"} {
			for _, count := range []int{1, 2, 7, 30} {
				m := Mechanism{Eps: ln(eps), Delta: rat(delta), Count: count}
				mass, only := convolved(m)
				want := make([]num.Interval, len(mass))
				for i, x := range mass {
					want[i] = num.OfRat(x, 600)
				}
				for _, cut := range []float64{0, 1e-9, 0.05, 0.3} {
					t.Run(fmt.Sprint(eps, delta, count, cut), func(t *testing.T) {
						l, err := newLaw(t.Context(), m, count, cut, 90)
						if err != nil {
							t.Fatal(err)
						}
						checkLaw(t, *l, mass, want, num.OfRat(only, 600))
					})
				}
			}
		}
	}
}

// convolved returns the law of a run, made one mechanism after the other, in rationals.
func convolved(m Mechanism) (mass []*big.Rat, only *big.Rat) {
	keep, up := new(big.Rat).Sub(num.One, m.Delta),
		new(big.Rat).Quo(m.Eps.Value, new(big.Rat).Add(num.One, m.Eps.Value))
	down := new(big.Rat).Sub(num.One, up)
	mass, only = []*big.Rat{num.One}, new(big.Rat)
	for range m.Count {
		next := []*big.Rat{new(big.Rat)}
		for i, x := range mass {
			x = new(big.Rat).Mul(x, keep)
			next[i].Add(next[i], new(big.Rat).Mul(x, up))
			next = append(next, new(big.Rat).Mul(x, down))
		}
		mass, only = next, only.Add(m.Delta, new(big.Rat).Mul(keep, only))
	}
	if m.Eps.IsZero() {
		mass = []*big.Rat{new(big.Rat).Sub(num.One, only)}
	}
	return mass, only
}

func checkLaw(t *testing.T, l law, mass []*big.Rat, rounded []num.Interval, only num.Interval) {
	const error = 0x1p-48 // for 90 bits
	near := func(what string, got *big.Float, want num.Interval, below float64) {
		least, most := wide(600).scaled(got, 1-below-error), wide(600).scaled(got, 1+error)
		if want.Lo.Cmp(least) < 0 || want.Hi.Cmp(most) > 0 {
			t.Errorf("%s is %g, want %g", what, got, want.Lo)
		}
	}
	near("only", l.infinity, only, 0)
	left := new(big.Rat)
	for i, x := range mass {
		if j := i - l.first; j < 0 || j >= len(l.mass) {
			left.Add(left, x)
		} else {
			near(fmt.Sprint("mass ", i), l.mass[j], rounded[i], num.ToFloat(l.truncated))
		}
	}
	if spare, _ := l.truncated.Rat(nil); spare.Cmp(left.Mul(left, rat("0.9999999999"))) < 0 {
		t.Errorf("%g is said to be left out, but %s is", l.truncated, left.FloatString(30))
	}
}

// scaled returns x·factor.
func (w wide) scaled(x *big.Float, factor float64) *big.Float {
	return new(big.Float).SetPrec(uint(w)).Mul(x, big.NewFloat(factor))
}

// Signs and zeros of sums with logarithms, and quotients.
func TestSum(t *testing.T) {
	t.Parallel()
	var xs []Number
	for _, x := range []string{"3/2", "9/4", "6", "2", "3", "3.0000000000000000000000000001", "1.01",
		"1.0201", "10/7", "10", "4"} {
		xs = append(xs, ln(x))
	}
	f, err := newFrame(t.Context(), xs)
	if err != nil {
		t.Fatal(err)
	}
	of := func(n int, x Number) sum { return sum{nats: new(big.Int)}.plus(n, f.of(x)) }
	for _, row := range []struct {
		s    sum
		sign int
	}{
		{of(2, ln("3/2")).plus(-1, f.of(ln("9/4"))), 0},
		{of(30000, ln("3/2")).plus(-15000, f.of(ln("9/4"))), 0},
		{of(1, ln("6")).plus(-1, f.of(ln("2"))).plus(-1, f.of(ln("3"))), 0},
		{of(1, ln("6")).plus(-1, f.of(ln("2"))).plus(-1, f.of(ln("3.0000000000000000000000000001"))), -1},
		{of(12, ln("1.01")).plus(-6, f.of(ln("1.0201"))).plus(1, f.of(ln("10/7"))), 1},
		{of(1, ln("10")).plus(-1, f.of(nats("2"))), 1},
		{of(7, nats("2")).plus(-14, f.of(nats("1"))), 0},
	} {
		if got, err := f.sign(row.s); got != row.sign || err != nil {
			t.Errorf("the sign of %v is %d, %v, want %d", row.s, got, err, row.sign)
		}
	}
	for _, row := range []struct {
		s, t sum
		q    int
	}{
		{of(7, nats("2")), of(1, nats("3")), 4},
		{of(7, ln("2")), of(1, ln("4")), 3},
		{of(6, ln("2")), of(1, ln("4")), 3},
		{of(1, nats("10")), of(1, ln("2")), 14},
		{of(0, nats("1")), of(1, ln("2")), 0},
	} {
		q, rest, err := f.divide(row.s, row.t)
		if back := rest.plus(q, row.t).plus(-1, row.s); q != row.q || err != nil || !f.isZero(back) {
			t.Errorf("%v by %v is %d, rest %v, %v; want %d", row.s, row.t, q, rest, err, row.q)
		}
	}
}

// What hints may not be.
func TestCheck_Refuses(t *testing.T) {
	t.Parallel()
	p := Problem{[]Mechanism{{Eps: nats("1"), Delta: rat("0"), Count: 3}}, []Stop{{1, nats("1")}, {3, nats("2")}}}
	good := Lattice{Unit: nats("2")}
	for name, h := range map[string]Hints{
		"no unit":             {},
		"unit 0":              {Upper: Lattice{Unit: nats("0")}},
		"unit ln 1":           {Upper: Lattice{Unit: ln("1")}},
		"unit too small":      {Upper: Lattice{Unit: nats("1e-281")}},
		"unit for few nodes":  {Upper: Lattice{Unit: nats("1e-10")}},
		"unit too large":      {Upper: Lattice{Unit: nats("1e281"), Windows: []Window{{0, 0}, {0, 0}}}, Cut: 0.9},
		"unit beyond float64": {Upper: Lattice{Unit: nats("1e309"), Windows: []Window{{0, 0}, {0, 0}}}, Cut: 0.9},
		"unit above 1":        {Upper: Lattice{Unit: nats("1.7")}},
		"few windows":         {Upper: Lattice{Unit: nats("2"), Windows: []Window{{-1, 0}}}},
		"window upside down":  {Upper: Lattice{Unit: nats("2"), Windows: []Window{{0, -1}, {0, 0}}}},
		"window above":        {Upper: Lattice{Unit: nats("2"), Windows: []Window{{0, 1}, {0, 0}}}},
		"window too far":      {Upper: Lattice{nats("2"), []Window{{math.MinInt, math.MinInt + 1}, {0, 0}}}},
		"window too wide":     {Upper: Lattice{Unit: nats("2"), Windows: []Window{{-1 << 28, 0}, {0, 0}}}},
		"few thresholds":      {Upper: good, Thresholds: []float64{1}},
		"threshold NaN":       {Upper: good, Thresholds: []float64{math.NaN(), 1}},
		"cut 1":               {Upper: good, Cut: 1},
		"cut NaN":             {Upper: good, Cut: math.NaN()},
		"floor NaN":           {Upper: good, Floor: math.NaN()},
		"floor -1":            {Upper: good, Floor: -1},
		"few bits":            {Bits: 52},
		"many bits":           {Bits: MaxBits + 1},
		"few lower windows":   {Upper: good, Lower: &Lattice{Unit: nats("2"), Windows: []Window{{-1, 0}}}},
		"lower unit negative": {Upper: Lattice{Unit: nats("0.3")}, Lower: &Lattice{Unit: nats("-1")}},
	} {
		if b, err := Check(t.Context(), p, h); err == nil {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// What ends early is still an interval, and windows wider than all losses cost no more than those.
func TestCheck_Ended(t *testing.T) {
	t.Parallel()
	p := Problem{[]Mechanism{{Eps: nats("1"), Delta: rat("0"), Count: 30}}, []Stop{{10, nats("4")}, {30, nats("5")}}}
	wide := Lattice{Unit: nats("1/1024"), Windows: []Window{{1 - num.MaxWindow, 0}, {-1 << 29, -1 << 29}}}
	ctx, cancel := context.WithCancel(t.Context())
	b, err := Check(ctx, p, Hints{Upper: wide, Need: Game, Progress: func(float64) { cancel() }})
	if err == nil || b == nil || b.OptDel.Lower == nil || b.OptDel.Upper == nil {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err := Check(ctx, p, Hints{Upper: wide}); err == nil || b != nil {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err = Check(t.Context(), p, Hints{Upper: wide, Need: Game}); err != nil ||
		b.Hints.Upper.Windows[0].size() > 20*1024+1 {
		t.Errorf("%+v, %v", b, err)
	}
}

// Bounds are as narrow as the lattices allow, whichever pass they come from: with one stop, what is below a
// window counts for what it is worth there; lattices that both have all losses have different nodes.
func TestCheck_AsNarrow(t *testing.T) {
	t.Parallel()
	one := Problem{[]Mechanism{{Eps: ln("3/2"), Delta: rat("0"), Count: 6}}, []Stop{{6, nats("1.498419058")}}}
	two := Problem{[]Mechanism{{Eps: nats("0.1"), Delta: rat("0"), Count: 20}},
		[]Stop{{10, nats("0.3")}, {20, nats("0.6")}}}
	for _, x := range []struct {
		p Problem
		h Hints
	}{
		{one, Hints{Upper: Lattice{ln("9/4"), []Window{{-5, 0}}}, Need: Game}},
		{two, Hints{Upper: Lattice{nats("0.9"), []Window{{-3, 0}, {-5, 0}}},
			Lower: &Lattice{nats("0.02"), []Window{{-100, 0}, {-200, 0}}}, Thresholds: []float64{0.4, 0}}},
	} {
		b, err := Check(t.Context(), x.p, x.h)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Check(t.Context(), x.p, Hints{Bits: 100})
		if err != nil {
			t.Fatal(err)
		}
		lower, upper := num.ToFloat(b.OptDel.Lower), num.ToFloat(b.OptDel.Upper)
		if value := num.ToFloat(want.OptDel.Lower); x.h.Need == Game && upper > value*(1+1e-12) ||
			lower < value*(1-1e-12) {
			t.Errorf("%v: between %g and %g, want %g", x.p, lower, upper, value)
		}
	}
}
