package odp

import (
	"math"
	"math/big"
	"testing"

	"checkrr/verify/rat"
)

// The loss of a value against the densities themselves: nowhere is it larger than at the
// two answers.
func TestLaw_ValueLoss(t *testing.T) {
	t.Parallel()
	density := func(eps, y, mean float64) float64 { return eps / 2 * math.Exp(-eps*math.Abs(y-mean)) }
	for _, eps := range rat.List("1/3", "2") {
		for _, f1 := range rat.List("-1", "-1/4", "0", "1/2", "1") {
			zero := new(big.Rat)
			most := rat.Max(valueLoss(eps, zero, zero, f1), valueLoss(eps, f1, zero, f1))
			for k := int64(-24); k <= 24; k++ {
				y := big.NewRat(k, 8)
				loss := valueLoss(eps, y, zero, f1)
				want := math.Log(density(rat.Float64(eps), rat.Float64(y), 0) / density(rat.Float64(eps), rat.Float64(y),
					rat.Float64(f1)))
				if math.Abs(rat.Float64(loss)-want) > 1e-12 || loss.Cmp(most) > 0 {
					t.Errorf("ε = %v, f_i = 0 and %v, y = %v: loss %v, densities %g, most %v", eps, f1, y, loss, want, most)
				}
			}
		}
	}
}
