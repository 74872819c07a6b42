package odp

import (
	"math/big"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"

	"checkrr/impl/interval"
)

func floatEnd(x *big.Float) float64 { f, _ := x.Float64(); return f }

// isAbout reports whether x is in the interval, or off by at most the relative error.
func isAbout(p interval.Interval, x, relative float64) bool {
	return floatEnd(p.Lower) <= x*(1+relative) && floatEnd(p.Upper) >= x*(1-relative)
}

// quadrature integrates f, which is smooth between breakpoints, over [−reach, reach] by
// Gauss's rule with 20 nodes on pieces no longer than 1.
func quadrature(f func(z float64) float64, breakpoints []float64, reach float64) float64 {
	for z := -reach; z <= reach; z++ {
		breakpoints = append(breakpoints, z)
	}
	slices.Sort(breakpoints)
	sum := 0.0
	for i, to := range breakpoints[1:] {
		if from := breakpoints[i]; to > from && from >= -reach && to <= reach {
			sum += quad.Fixed(f, from, to, 20, quad.Legendre{}, 0)
		}
	}
	return sum
}

// quadratureError is what the quadrature and its float64 sums may be off by, relative to
// a result whose tail beyond the reach is smaller still.
const quadratureError = 1e-11
