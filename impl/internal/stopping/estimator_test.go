package stopping

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/loss"
)

// estimated are pipelines for every kind of estimator, with the relative error that it may have.
func estimated(rng *rand.Rand) map[string]struct {
	p     Problem
	error float64
} {
	var few, many, laws certify.Problem
	stop := func(after int) certify.Stop { return certify.Stop{After: after, Eps: loss.Nats(new(big.Rat))} }
	some := func(count int) certify.Mechanism {
		return response(loss.Nats(big.NewRat(100_000_007+rng.Int64N(900_000_000), 1_000_000_000)),
			rational.MustParse("1e-9"), count)
	}
	for i := range 12 {
		few.Mechanisms, few.Stops = append(few.Mechanisms, some(1)), append(few.Stops, stop(i+1))
	}
	for i := range 60 {
		many.Mechanisms = append(many.Mechanisms, some(1+i%3))
	}
	many.Stops = []certify.Stop{stop(20), stop(57), stop(120)}
	for i := range 20 {
		a, b := big.NewRat(int64(30+i), 100), big.NewRat(int64(20+2*i), 100)
		zero, rest := new(big.Rat), big.NewRat(1, 1000)
		left := func(x *big.Rat) *big.Rat { return x.Sub(x.Sub(rational.One, x), rest) }
		law := certify.Law{{a, b}, {left(new(big.Rat).Set(a)), left(new(big.Rat).Set(b))}, {rest, zero}, {zero, rest}}
		laws.Mechanisms = append(laws.Mechanisms, certify.Mechanism{Law: law, Count: 1})
	}
	laws.Stops = []certify.Stop{stop(5), stop(20)}
	return map[string]struct {
		p     Problem
		error float64
	}{
		"grid of laws": {New(laws), 1e-3},
		"lattice":      {everyStop(203, 7, "0.1"), 1e-10},
		"leaky":        {pipe(60, "0.2", "1e-6", "0", "0", "0"), 1e-10},
		"few":          {New(few), 1e-10},
		"grid":         {New(many), 1e-3},
	}
}

// An estimate is near what is certified, for charges near a δ, and its cuts are below it.
func TestSketch_NearCertified(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	for name, c := range estimated(rng) {
		for _, delta := range []float64{1e-2, 1e-4, 1e-8} {
			d, err := newObjective(t.Context(), c.p, delta)
			if err != nil || d.isGrid != strings.HasPrefix(name, "grid") || (d.scale == nil) != (name == "few") {
				t.Fatalf("%s: another kind of estimator, or %v", name, err)
			}
			discounts := d.discounts(t.Context(), scaled(Uniform.proportions(len(c.p.Stops)), delta))
			var charges []*big.Rat
			for i := range discounts {
				discounts[i] *= 0.5 + rng.Float64()/2
				charges = append(charges, d.exact(i, discounts[i]))
			}
			r, err := Solve(t.Context(), c.p.Charged(charges), Options{RelWidth: c.error / 10})
			if err != nil {
				t.Fatal(err)
			}
			want, _ := r.OptDel.Upper.Float64()
			value, rule := d.backward(t.Context(), func(stop int, _ []float64) float64 { return discounts[stop] })
			if math.Abs(value/want-1) > c.error {
				t.Errorf("%s, δ = %g: OptDel is %.12g, must be %.12g", name, delta, value, want)
			}
			singles := d.singles(t.Context(), discounts)
			for i, x := range r.SingleStop {
				if want, _ := x.Upper.Float64(); math.Abs(singles[i]-want) > c.error*max(want, delta) {
					t.Errorf("%s, δ = %g: stop %d needs %.12g, must be %.12g", name, delta, i+1, singles[i], want)
				}
			}
			if !d.isGrid {
				checkCut(t, d, rule, discounts, want)
			}
		}
	}
}

// checkCut checks that a cut cuts off charges for which its rule needs more than δ, and no others.
func checkCut(t *testing.T, d *objective, r rule, discounts []float64, want float64) {
	for _, part := range []float64{0.99, 1.01} {
		c := newCover(d, Uniform.proportions(len(r)), d.largest, discounts, want*part)
		x, left := c.cut(t.Context(), r), 0.0
		for i, slope := range x.slopes {
			left += slope * math.Exp(-discounts[i])
		}
		if (left < x.least) != (part < 1) {
			t.Errorf("δ = %g·%g: the cut at %g leaves %g", want, part, x.least, left-x.least)
		}
	}
}

// The masses of a law are added to nodes that are there, whether or not it has an atom on each node, and wherever it
// begins.
func TestPLD_AddScaled(t *testing.T) {
	t.Parallel()
	dense := &pld{offset: []int{0, 1, 2}, mass: []float64{1, 2, 4}, span: 2}
	sparse := &pld{offset: []int{0, 1, 4}, mass: []float64{1, 2, 4}, span: 4}
	for _, l := range []*pld{dense, sparse} {
		for at := -6; at <= 6; at++ {
			got, want := []float64{1, 1, 1, 1}, []float64{1, 1, 1, 1}
			l.addScaled(got, at, 3)
			for i, offset := range l.offset {
				for j := range want {
					if j == at+offset {
						want[j] += 3 * l.mass[i]
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v at %d: %v, must be %v", l.offset, at, got, want)
			}
		}
	}
}
