package noise

import (
	"math"
	"math/big"
	"testing"

	"checkrr/impl/certify/internal/num"
)

// Laws that are found in two parts contain those of one, by sums of products on nodes, wherever they are divided and
// however often the other outputs occur.
func TestDivided(t *testing.T) {
	defer func(x float64) { shortPlus = x }(shortPlus)
	tried := 0
	for i, a := range noises() {
		if a.Sampling.Cmp(num.One) < 0 && (a.Scale.Cmp(num.One) <= 0 || a.Noise != DiscreteGaussian) {
			largest := min(3, toFloat64(a.Sampling)*20+1/toFloat64(a.Scale))
			tried += tryDivided(t, a, 2+i%3, largest/120, []float64{largest / 30, largest / 5, largest / 2})
		}
	}
	if tried < 20 {
		t.Errorf("%d laws were divided, must be at least 20", tried)
	}
	for _, isAdded := range []bool{false, true} { // nearly all of the body loses the same
		a := &Additive{Noise: Gaussian, Scale: big.NewRat(3, 10), Sampling: big.NewRat(1, 10), Added: isAdded}
		tryDivided(t, a, 2, 2e-3, []float64{0.3})
	}
}

// tryDivided divides the law of so many steps in the given places, and returns in how many of them that is possible.
func tryDivided(t *testing.T, a *Additive, count int, unit float64, places []float64) (tried int) {
	law := a.law()
	least, most := law.powerBySums(t, count, unit, false), law.powerBySums(t, count, unit, true)
	for _, c := range places {
		if less, more := law.only(-c, c).others(); (less.Hi+more.Hi)*float64(count) > 0.4 {
			continue
		}
		tried++
		for w, width := range []float64{unit, 5 * unit} {
			shortPlus = []float64{0, 4096}[(tried+w)%2] // by transforms, and one by one
			var ends [2]*Cells
			for j, isUp := range []bool{false, true} {
				var err error
				ends[j], err = law.divided(t.Context(), c, count, num.Exactly(0), num.Exactly(width), isUp, 0, 1e-9)
				if err != nil {
					t.Fatal(err)
				}
			}
			for _, alpha := range []float64{0, 0.7, 1, 1.01, 1.3, 3, 20} {
				low, high := ends[0].divergence(from0(width), alpha), ends[1].divergence(from0(width), alpha)
				from, to := least.divergence(from0(unit), alpha), most.divergence(from0(unit), alpha)
				if low > to+1e-13 || high < from-1e-13 {
					t.Errorf("%+v, %d steps, c %.3g, unit %.3g, α = %v: between %v and %v, "+
						"must contain what is between %v and %v", *a, count, c, width, alpha, low, high, from, to)
				}
			}
		}
	}
	return tried
}

// powerBySums returns the law of so many steps.
func (a *additiveLaw) powerBySums(t *testing.T, count int, unit float64, isUp bool) *Cells {
	one, err := cellsOf(t.Context(), a, from0(unit), isUp, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	all := &Cells{Low: count * one.Low, Infinity: 1 - math.Pow(1-one.Infinity, float64(count)), Mass: one.Mass}
	for k := range all.Mass {
		for range count - 1 {
			if one.Mass[k] != nil {
				all.Mass[k] = product(all.Mass[k], one.Mass[k])
			}
		}
	}
	return all
}
