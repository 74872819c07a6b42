package noise

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// noises are mechanisms of all kinds, and both orders of neighbours.
func noises() (all []*Additive) {
	for _, noise := range []Noise{Gaussian, Laplace, DiscreteGaussian} {
		for _, scale := range []*big.Rat{big.NewRat(3, 10), big.NewRat(1, 1), big.NewRat(7, 1)} {
			for _, sampling := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 2), big.NewRat(1, 300)} {
				all = append(all, &Additive{Noise: noise, Scale: scale, Sampling: sampling},
					&Additive{Noise: noise, Scale: scale, Sampling: sampling, Added: true})
			}
		}
	}
	return all
}

// divergence returns the hockey-stick divergence max(0, P − α·Q) of a mechanism from its densities, integrated where
// P is larger, by Simpson's rule.
func (a *Additive) divergence(alpha float64) float64 {
	s, q := toFloat64(a.Scale), toFloat64(a.Sampling)
	if a.Noise == DiscreteGaussian {
		return a.discreteDivergence(alpha)
	}
	density := func(y float64) float64 {
		if a.Noise == Laplace {
			return math.Exp(-math.Abs(y)/s) / (2 * s)
		}
		return math.Exp(-y*y/(2*s*s)) / (s * math.Sqrt(2*math.Pi))
	}
	f := func(y float64) float64 {
		p, without := (1-q)*density(y)+q*density(y-1), density(y)
		if a.Added {
			p, without = without, p
		}
		return p - alpha*without
	}
	sum := 0.0
	points := []float64{-40 * s, -5 * s, 0, 1, 1 + 5*s, 1 + 40*s}
	for i, from := range points[:5] {
		const n = 3000
		to := points[i+1]
		for k := range n {
			x, h := from+(to-from)*float64(k)/n, (to-from)/n
			sum += (max(0, f(x)) + 4*max(0, f(x+h/2)) + max(0, f(x+h))) * h / 6
		}
	}
	return sum
}

// discreteDivergence is divergence where the outputs are integers.
func (a *Additive) discreteDivergence(alpha float64) (sum float64) {
	s, q := toFloat64(a.Scale), toFloat64(a.Sampling)
	weight := func(x float64) float64 { return math.Exp(-x * x / (2 * s * s)) }
	all := 0.0
	for x := -math.Ceil(40 * s); x <= math.Ceil(40*s); x++ {
		all += weight(x)
	}
	for x := -math.Ceil(40 * s); x <= math.Ceil(40*s); x++ {
		p, without := (1-q)*weight(x)+q*weight(x-1), weight(x)
		if a.Added {
			p, without = without, p
		}
		sum += max(0, p-alpha*without) / all
	}
	return sum
}

// from0 is a ruler of which node 0 loses nothing.
func from0(unit float64) ruler { return ruler{num.Exactly(0), num.Exactly(unit), MostLoss, false} }

func toFloat64(x *big.Rat) float64 {
	f, _ := x.Float64()
	return f
}

// The divergence of the cells above is not less, and that of the cells below is not more, at any order; both are near
// for small units.
func TestCells(t *testing.T) {
	t.Parallel()
	every := atLeast(5, 1) // which has all scales and rates, and both orders
	for i, a := range noises() {
		if i%every > 0 {
			continue
		}
		unit := 0.01 * min(1, 1/toFloat64(a.Scale)) * max(toFloat64(a.Sampling), 1e-2)
		r := ruler{num.Exactly(unit / 3), num.Exactly(unit), MostLoss, false}
		above, err := a.law().above(t.Context(), r, 1e-12)
		if err != nil {
			t.Fatal(err)
		}
		below, err := a.law().below(t.Context(), r, 1e-12)
		if err != nil {
			t.Fatal(err)
		}
		for _, alpha := range []float64{0, 0.5, 0.99, 1, 1.001, 1.2, 3} {
			lower, upper := below.divergence(r, alpha), above.divergence(r, alpha)
			d := a.divergence(alpha)
			if tiny := 1e-7; lower > d+tiny || upper < d-tiny || upper-lower > 0.3*unit+1e-9 {
				t.Errorf("%+v, α = %v: between %v and %v, must contain %v", *a, alpha, lower, upper, d)
			}
		}
	}
}

// What is lost so rarely that it is below all nodes may be nearly all there is under Q: the largest losses are none
// if it is put on the lowest node.
func TestBelow_RareLowLosses(t *testing.T) {
	t.Parallel()
	// losses of 50 and −50; the latter of P-mass e^−50
	a := &Additive{Noise: DiscreteGaussian, Scale: big.NewRat(1, 10), Sampling: num.One}
	losses := newLosses(t, "-50,1e-22", "50,0.9999999999")
	for name, law := range map[string]dense{"noise": a.law(), "losses": losses} {
		below, err := law.below(t.Context(), from0(0.1), 1e-12)
		if err != nil {
			t.Fatal(name, err)
		}
		const charge = 49
		if d, want := below.divergence(from0(0.1), math.Exp(charge)), 1-math.Exp(charge-50); d < 0.99*want ||
			d > want+1e-9 {
			t.Errorf("%s: at least %v, must be near %v", name, d, want)
		}
	}
}

// On coarser nodes laws above are further apart at every order, and those below less, by about as much as the nodes
// are.
func TestCoarser(t *testing.T) {
	t.Parallel()
	for _, a := range noises() {
		unit := 0.01 * min(1, 1/toFloat64(a.Scale))
		r := from0(unit)
		above, err := a.law().above(t.Context(), r, 1e-14)
		if err != nil {
			t.Fatal(err)
		}
		below, err := a.law().below(t.Context(), r, 1e-14)
		if err != nil {
			t.Fatal(err)
		}
		up, down := above, below
		for _, factor := range []float64{3, 9} {
			finer := r.unit.Times(num.Exactly(factor / 3))
			up, down = up.coarser(finer), down.coarser(finer)
			coarse := from0(unit * factor)
			for _, alpha := range []float64{0, 0.7, 0.99, 1, 1.001, 1.3, 4} {
				for i, x := range [2][2]*Cells{{up, above}, {down, below}} {
					got, want := x[0].divergence(coarse, alpha), x[1].divergence(r, alpha)
					if more := (got - want) * float64(1-2*i); more < -1e-14 || more > 4*unit || alpha == 0 &&
						more > 1e-13 {
						t.Errorf("%+v, α = %v, every %v nodes: %v, before that %v", *a, alpha, factor, got, want)
					}
				}
			}
		}
	}
}

// divergence returns the hockey-stick divergence of c on nodes that lose what the ruler says.
func (c *Cells) divergence(r ruler, alpha float64) float64 {
	sum := c.Infinity
	for i, p := range c.Mass[0] {
		q := p
		if c.Mass[1] != nil {
			q = c.Mass[1][i]
		}
		sum += max(0, p-alpha*q*math.Exp(-r.unit.Lo*float64(c.Low+i)-r.nominal.Lo))
	}
	return sum
}

// product returns the masses of sums of two nodes.
func product(a, b []float64) []float64 {
	c := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			c[i+j] += x * y
		}
	}
	return c
}
