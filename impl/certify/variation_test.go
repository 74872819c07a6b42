package certify

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// TestVariations: they add up to a stop, are 1 or more from what is not known on, and no upper end is above them.
func TestVariations(t *testing.T) {
	t.Parallel()
	nothing, delta := Number{Value: new(big.Rat)}, big.NewRat(1, 100)
	rare := &Additive{Noise: Gaussian, Scale: num.One, Sampling: big.NewRat(1, 1000)}
	p := Problem{Mechanisms: []Mechanism{{Eps: nothing, Delta: delta, Count: 3}, {Additive: rare, Count: 20},
		{Eps: Number{Value: num.One}, Delta: new(big.Rat), Count: 1}}}
	for _, after := range []int{1, 3, 13, 23, 24} {
		p.Stops = append(p.Stops, Stop{After: after, Eps: nothing})
	}
	b := &Bounds{Problem: p}
	for range p.Stops {
		b.SingleStop = append(b.SingleStop, Interval{new(big.Float), big.NewFloat(1)})
	}
	b.complete(53)
	for i, want := range []float64{0.01, 0.03, 0.04, 0.05, 1} {
		if x, _ := b.SingleStop[i].Upper.Float64(); x < want || x > want*(1+1e-15) {
			t.Errorf("after %d: %v, want %v", p.Stops[i].After, x, want)
		}
	}
	p.Mechanisms, p.Stops = p.Mechanisms[:2], p.Stops[:4]
	b = &Bounds{Problem: p}
	if x, _ := b.complete(53).OptDel.Upper.Float64(); math.Abs(x-0.05) > 1e-15 {
		t.Errorf("OptDel is at most %v, want 0.05", x)
	}
}

// TestVariations_Noise: that of Gaussian noise around one of several amounts is no less than what integration says.
func TestVariations_Noise(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(28, 1))
	for range 40 {
		x, y, rate := big.NewRat(1+r.Int64N(20), 4), big.NewRat(r.Int64N(4), 4), big.NewRat(1+r.Int64N(10), 10)
		m := Mechanism{Additive: &Additive{Noise: Gaussian, Scale: num.One, Sampling: rate, Group: 1 + r.IntN(2),
			Adds: [][2]*big.Rat{{y, big.NewRat(1, 3)}, {new(big.Rat).Add(x, y), big.NewRat(2, 3)}}}}
		density := func(z float64) float64 { return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) }
		distance, h := 0.0, 0.01
		for z := -9.0; z < 30; z += h {
			with, rest := 0.0, 1.0
			for _, c := range m.Additive.Contributions() {
				amount, _ := c[0].Float64()
				p, _ := c[1].Float64()
				with += p * density(z-amount)
				rest -= p
			}
			distance += h * max(0, with+(rest-1)*density(z))
		}
		if known, _ := m.variation().Float64(); distance > known+1e-9 {
			t.Errorf("%v: the distance is %v, at most %v was said", m.Additive, distance, known)
		}
	}
}
