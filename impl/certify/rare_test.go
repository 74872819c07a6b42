package certify

import (
	"fmt"
	"math"
	"testing"
)

// hockeyStick returns what there is of max(0, P − α·Q) on nodes that are a unit apart.
func (c *cells) hockeyStick(unit, alpha float64) float64 {
	sum := c.infinity - c.deficit
	for i, p := range c.mass[0] {
		q := p
		if c.mass[1] != nil {
			q = c.mass[1][i]
		}
		sum += max(0, p-alpha*q*math.Exp(-unit*float64(c.low+i)))
	}
	return sum
}

// Laws that are found in two parts contain those of one, by sums of products on fine nodes, wherever they are divided and however often the other outputs occur.
func TestDivided(t *testing.T) {
	for _, a := range noises() {
		if a.Sampling.Cmp(one) == 0 {
			continue
		}
		law := a.law()
		largest := min(3, toFloat64(a.Sampling)*20+1/toFloat64(a.Scale))
		for count := 2; count <= 4; count++ {
			unit := largest / 400
			whole := [2]*cells{}
			for j, isUp := range [2]bool{false, true} {
				one, err := law.cells(t.Context(), ruler{exactly(0), exactly(unit)}, isUp, 1e-12)
				if err != nil {
					t.Fatal(err)
				}
				all := *one
				all.low = count * one.low
				for k := range all.mass {
					for range count - 1 {
						if all.mass[k] != nil {
							all.mass[k] = product(all.mass[k], one.mass[k])
						}
					}
				}
				if isUp {
					all.infinity = 1 - math.Pow(1-one.infinity, float64(count))
				}
				whole[j] = &all
			}
			for _, c := range []float64{largest / 30, largest / 5, largest / 2} {
				if less, more := law.only(-c, c).others(); (less.hi+more.hi)*float64(count) > 0.4 {
					continue
				}
				for _, coarse := range []float64{1, 7} {
					name := fmt.Sprintf("%s %s sampling %s added %v, %d steps, c %.3g, unit %.3g", a.Noise, a.Scale.RatString(), a.Sampling.RatString(), a.Added, count, c, coarse*unit)
					var parts [2]*cells
					for j, isUp := range [2]bool{false, true} {
						var err error
						if parts[j], err = law.divided(t.Context(), c, count, exactly(0), exactly(coarse*unit), isUp, 0, 1e-9); err != nil {
							t.Fatal(name, err)
						}
					}
					for _, alpha := range []float64{0, 0.7, 1, 1.01, 1.3, 3, 20} {
						lower, upper := parts[0].hockeyStick(coarse*unit, alpha), parts[1].hockeyStick(coarse*unit, alpha)
						least, most := whole[0].hockeyStick(unit, alpha), whole[1].hockeyStick(unit, alpha)
						if lower > most+1e-13 || upper < least-1e-13 {
							t.Errorf("%s, α = %v: between %v and %v, must contain what is between %v and %v", name, alpha, lower, upper, least, most)
						}
					}
				}
			}
		}
	}
}
