package stopping

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// arrival.discount is the inverse of arrival.value.
func TestArrival_DiscountAndValue(t *testing.T) {
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
				discount := a.discount(delta, most)
				back := a.value(discount)
				switch {
				case !(discount >= 0 && discount <= most), discount == 0 && delta > a.infinity, discount == most &&
					back > delta*(1+discountError):
					t.Errorf("%d × %s: discounted by %g of %g for %g, worth %g",
						p.length(), eps, discount, most, delta, back)
				case discount > 0 && discount < most:
					if hits++; math.Abs(back-delta) > discountError*delta {
						t.Errorf("%d × %s: discounted by %.17g for %g, worth %.3g more",
							p.length(), eps, discount, delta, back/delta-1)
					}
				}
			}
		})
	}
	if hits < 500 {
		t.Errorf("only %d charges were not at an end", hits)
	}
}

// discountError is the relative error of a δ that [arrival.discount] inverts.
const discountError = 1e-12
