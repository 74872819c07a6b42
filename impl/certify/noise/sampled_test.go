package noise

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// outputs2 is a finite pair: P and Q of each output.
type outputs2 [][2]float64

// times returns the pair of both together.
func (x outputs2) times(y outputs2) (z outputs2) {
	for _, a := range x {
		for _, b := range y {
			z = append(z, [2]float64{a[0] * b[0], a[1] * b[1]})
		}
	}
	return z
}

// sampled returns the pair of what sees a sample, from the definition.
func (x outputs2) sampled(rate float64, isAdded bool) (y outputs2) {
	for _, a := range x {
		both := [2]float64{(1-rate)*a[1] + rate*a[0], a[1]}
		if isAdded {
			both[0], both[1] = both[1], both[0]
		}
		y = append(y, both)
	}
	return y
}

func (x outputs2) divergence(alpha float64) (sum float64) {
	for _, a := range x {
		sum += max(0, a[0]-alpha*a[1])
	}
	return sum
}

// finite returns the pair as a mechanism, for neighbours in one order.
func (x outputs2) finite(isReversed bool) *Finite {
	var atoms []Atom
	infinity := 0.0
	for _, a := range x {
		p, q := a[0], a[1]
		if isReversed {
			p, q = q, p
		}
		switch {
		case q == 0:
			infinity += p
		case p > 0:
			loss := num.Exactly(p).Log().Minus(num.Exactly(q).Log())
			at := 0
			for at < len(atoms) && atoms[at].Loss.Hi <= loss.Hi {
				at++
			}
			atoms = append(atoms[:at], append([]Atom{{loss, num.Exactly(p), num.Exactly(q)}}, atoms[at:]...)...)
		}
	}
	if atoms == nil {
		atoms = []Atom{{}}
	}
	return NewFinite(fmt.Sprint(x), atoms, num.Exactly(infinity))
}

// randomOutputs returns a pair with probabilities that float64 has.
func randomOutputs(r *rand.Rand) (x outputs2) {
	n, parts := 2+r.IntN(3), 1+r.IntN(6)
	var columns [2][]float64
	for b := range columns {
		left := 1.0
		for range n - 1 {
			p := 0.0
			if r.IntN(5) > 0 {
				p = left * math.Ldexp(float64(r.IntN(1<<parts)), -parts)
			}
			columns[b], left = append(columns[b], p), left-p
		}
		columns[b] = append(columns[b], left)
	}
	for i := range n {
		x = append(x, [2]float64{columns[0][i], columns[1][i]})
	}
	return x
}

// Whatever finite mechanisms see a sample, the law above is not less at any order than what the definition has, and
// the law below is not more; both are near. So are those of several samples.
func TestSampled(t *testing.T) {
	t.Parallel()
	for seed := range uint64(atLeast(40, 1000)) {
		r := rand.New(rand.NewPCG(seed, 5))
		rate := []float64{1, 0.5, 0.125, math.Ldexp(1, -10), math.Ldexp(1, -20)}[r.IntN(5)]
		isAdded, all, parts := r.IntN(2) == 0, outputs2{{1, 1}}, []Part(nil)
		for range 1 + r.IntN(3) {
			x, count := randomOutputs(r), 1+r.IntN(2)
			parts = append(parts, Part{x.finite(isAdded), count})
			for range count {
				all = all.times(x)
			}
		}
		s := &Sampled{Rate: new(big.Rat).SetFloat64(rate), Parts: parts, Added: isAdded}
		want, count := all.sampled(rate, isAdded), 1
		if len(want) < 100 {
			count += r.IntN(2)
		}
		if count == 2 {
			want = want.times(want)
		}
		unit := []float64{0.01, 0.001}[r.IntN(2)] * max(rate, 1e-3)
		checkSampled(t, fmt.Sprint("seed ", seed), s, count, unit, want.divergence)
	}
}

// checkSampled checks laws above and below.
func checkSampled(
	t *testing.T, name string, s *Sampled, count int, unit float64, want func(alpha float64) float64,
) {
	t.Helper()
	bounds := s.bounds(t, count, unit)
	rate := toFloat64(s.Rate)
	for _, alpha := range []float64{0, 0.3, 1 - rate, 1 - rate/2, 1 - rate*rate, 1, 1 + rate*rate, 1 + rate/3, 1 + rate,
		1 / (1 - 0.9*rate), 1 + 3*rate, 1.5, 7} {
		d, tiny := want(alpha), 1e-12 // for what sums of many masses are off by
		lower, upper := bounds(alpha)
		if lower > d+tiny || upper < d-tiny || upper-lower > 2*unit {
			t.Errorf("%s: α = %v: between %v and %v, must contain %v", name, alpha, lower, upper, d)
		}
	}
}

// bounds returns what laws below and above say of divergences.
func (s *Sampled) bounds(t *testing.T, count int, unit float64) func(alpha float64) (lower, upper float64) {
	t.Helper()
	top := new(big.Rat)
	if most := s.Most(); most != nil {
		top.Mul(most, big.NewRat(int64(count), 1))
	}
	var laws [2]*Cells
	for i := range laws {
		c, err := Law(context.Background(), s, count, Nodes{top, num.Exactly(unit), i == 1, 1e-18, MostLoss}, 0)
		if err != nil {
			t.Fatal(err)
		}
		laws[i] = c
	}
	r := ruler{nominal: num.SpanOf(top), unit: num.Exactly(unit)}
	return func(alpha float64) (lower, upper float64) {
		return laws[0].divergence(r, alpha), laws[1].divergence(r, alpha)
	}
}

// gaussians returns Gaussian noise twice, each of scale 1, as two mechanisms.
func gaussians() []Part {
	g := &Additive{Noise: Gaussian, Scale: num.One, Sampling: num.One}
	return []Part{{g, 1}, {g, 1}}
}

// What integrals in two dimensions say of two releases of one sample, and of two samples with one release each:
// the one is not taken for the other.
func TestSampled_Integral(t *testing.T) {
	t.Parallel()
	gaussian := func(x float64) float64 { return math.Exp(-x*x/2) / math.Sqrt(2*math.Pi) }
	laplace := func(x float64) float64 { return math.Exp(-math.Abs(x)/2) / 4 }
	const rate, h, far = 0.25, 1.0 / 20, 12.0
	n := int(2 * far / h)
	release := func(density func(float64) float64) (x outputs2) {
		for i := range n {
			y := -far + (float64(i)+0.5)*h
			x = append(x, [2]float64{density(y-1) * h, density(y) * h})
		}
		return x
	}
	laplaceNoise := &Additive{Noise: Laplace, Scale: big.NewRat(2, 1), Sampling: num.One}
	for name, x := range map[string]struct {
		parts  []Part
		second func(float64) float64
	}{
		"two Gaussian":         {gaussians(), gaussian},
		"Gaussian and Laplace": {[]Part{gaussians()[0], {laplaceNoise, 1}}, laplace},
	} {
		first, second := release(gaussian), release(x.second)
		one := first.times(second)
		for _, isAdded := range []bool{false, true} {
			s := &Sampled{Rate: big.NewRat(1, 4), Parts: x.parts, Added: isAdded}
			bounds := s.bounds(t, 1, 1e-2)
			for _, alpha := range []float64{0.8, 1, 1.1, 1.3} {
				d := one.sampled(rate, isAdded).divergence(alpha)
				other := first.sampled(rate, isAdded).times(second.sampled(rate, isAdded)).divergence(alpha)
				lower, upper := bounds(alpha)
				if near := 1e-3; math.Abs(lower-d) > near || math.Abs(upper-d) > near || upper < lower {
					t.Errorf("%s, added %t, α = %v: between %v and %v, the integral is %v", name, isAdded, alpha, lower,
						upper, d)
				}
				if alpha != 0.8 && lower <= other && other <= upper {
					t.Errorf("%s, added %t, α = %v: between %v and %v, contains %v of two samples", name, isAdded, alpha,
						lower, upper, other)
				}
			}
		}
	}
}

// Two releases with Gaussian noise are one with noise of 1/√2: many samples of it lose as much.
func TestSampled_Gaussian(t *testing.T) {
	t.Parallel()
	scale, _ := new(big.Rat).SetString("0.70710678118654752440084436210485")
	for _, isAdded := range []bool{false, true} {
		one := &Additive{Noise: Gaussian, Scale: scale, Sampling: big.NewRat(1, 100), Added: isAdded}
		s := &Sampled{Rate: one.Sampling, Parts: gaussians(), Added: isAdded}
		const count, unit = 100, 1.0 / 128
		bounds, r := s.bounds(t, count, unit), from0(unit)
		top := s.Most()
		if top == nil {
			top = new(big.Rat)
		}
		top.Mul(top, big.NewRat(count, 1))
		r.nominal = num.SpanOf(top)
		for _, isUp := range []bool{true, false} {
			c, err := Law(t.Context(), one, count, Nodes{top, r.unit, isUp, 1e-18, MostLoss}, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, eps := range []float64{-1, 0, 0.3} {
				lower, upper := bounds(math.Exp(eps))
				d := c.divergence(r, math.Exp(eps))
				if near := 0.02; isUp && lower > d || !isUp && upper < d || math.Abs(lower/d-1) > near ||
					math.Abs(upper/d-1) > near {
					t.Errorf("added %t, ε = %v: between %v and %v, one release %v", isAdded, eps, lower, upper, d)
				}
			}
		}
	}
}

// Where what is under Q is rounded up to more than 1, the law below is still below.
func TestSampled_Excess(t *testing.T) {
	t.Parallel()
	s := &Sampled{Rate: big.NewRat(1, 4)}
	r := from0(0.5)
	c := &Cells{Low: -1, Mass: [2][]float64{{0.375, 0.125, 0.375}, {0.5, 0.25, 0.75}}, Infinity: 0.125}
	for alpha := 0.0; alpha < 3; alpha += 0.125 {
		most := 1 - alpha
		if alpha >= 0.75 {
			most = c.divergence(r, 1+(alpha-1)/0.25) / 4
		}
		law, sum := s.mixed(c, r), 0.0
		for _, a := range law.atoms {
			sum += max(0, a.P.Lo-alpha*a.Q.Hi)
		}
		if sum += law.infinity.Lo; sum > most+1e-15 || alpha == 1 && sum < 0.5*most {
			t.Errorf("α = %v: %v, must be at most %v", alpha, sum, most)
		}
	}
}
