package stopping

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// arrival.relief is the inverse of arrival.value.
func TestArrival_ReliefAndValue(t *testing.T) {
	t.Parallel()
	rng, hits := rand.New(rand.NewPCG(5, 6)), 0
	for range 300 {
		eps := fmt.Sprintf("%.4f", math.Pow(10, -3+4*rng.Float64()))
		p := pipe(1+rng.IntN(60), eps, []string{"0", "1e-4"}[rng.IntN(2)], "0")
		d, err := newObjective(t.Context(), p, 1e-20)
		if err != nil {
			t.Fatal(err)
		}
		d.arrivals(t.Context(), func(_ int, a *arrival) {
			for range 5 {
				delta := math.Pow(10, -17*rng.Float64())
				most := d.largest[0]
				relief := a.relief(delta, most)
				back := a.value(relief)
				switch {
				case !(relief >= 0 && relief <= most), relief == 0 && delta > a.infinity, relief == most && back > delta*(1+reliefError):
					t.Errorf("%d × %s: relieved by %g of %g for %g, worth %g", p.length(), eps, relief, most, delta, back)
				case relief > 0 && relief < most:
					if hits++; math.Abs(back-delta) > reliefError*delta {
						t.Errorf("%d × %s: relieved by %.17g for %g, worth %.3g more", p.length(), eps, relief, delta, back/delta-1)
					}
				}
			}
		})
	}
	if hits < 500 {
		t.Errorf("only %d charges were not at an end", hits)
	}
}

// reliefError is the relative error of a δ that [arrival.relief] inverts.
const reliefError = 1e-12
