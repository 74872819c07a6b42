package mechanisms

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"checkrr/verify/audit"
)

// A tester that learns a classifier and reports a Clopper–Pearson bound of the event that it
// finds most telling, like DP-Sniper (Bichsel et al. 2021), does best if its classifier
// is perfect: the event then has the largest likelihood ratios, and as much probability on the less
// likely side as is looked for at least, 0.01.
const (
	sniperFloor      = 0.01
	sniperConfidence = 0.95
)

// sniperTolerance is what an audit, which is not told the law, may fall behind.
const sniperTolerance = 0.93

// cell is the probability of an event on either input.
type cell struct{ p0, p1 float64 }

// clopperPearson returns the lower bound on a probability whose share of outputs is as expected.
func clopperPearson(p float64, samples int, alpha float64) float64 {
	hits := math.Floor(p * float64(samples))
	return distuv.Beta{Alpha: hits, Beta: float64(samples) - hits + 1}.Quantile(alpha)
}

// perfectSniper returns the bound that is reported if all counts are as expected.
func perfectSniper(cells []cell, samples int) float64 {
	slices.SortFunc(cells, func(a, b cell) int {
		switch x, y := a.p0*b.p1, b.p0*a.p1; {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	var p0, p1 float64
	best := 0.0
	for _, c := range cells {
		share := 1.0
		if p1 < sniperFloor && p1+c.p1 > sniperFloor {
			share = (sniperFloor - p1) / c.p1 // ties are broken at random
		}
		report := func() {
			if p1 < sniperFloor*(1-1e-9) || best > 0 && p0 <= p1*math.Exp(best) { // a bound is below the truth
				return
			}
			alpha := (1 - sniperConfidence) / 2
			low, high := clopperPearson(p0, samples, alpha), 1-clopperPearson(1-p1, samples, alpha)
			best = max(best, math.Log(low/high))
		}
		p0, p1 = p0+share*c.p0, p1+share*c.p1
		report()
		p0, p1 = p0+(1-share)*c.p0, p1+(1-share)*c.p1
		report()
	}
	return best
}

// fine returns the cells of the law of a number, in small steps of its distribution
// function.
func fine(cdf0, cdf1 func(float64) float64) []cell {
	var cells []cell
	const step = 0.02
	for x := -12.0; x < 20; x += step {
		cells = append(cells, cell{cdf0(x+step) - cdf0(x), cdf1(x+step) - cdf1(x)})
	}
	return cells
}

// laplace returns the distribution function of a number with Laplace noise.
func laplace(at, scale float64) func(float64) float64 {
	return func(x float64) float64 {
		if z := (x - at) / scale; z < 0 {
			return math.Exp(z) / 2
		} else {
			return 1 - math.Exp(-z)/2
		}
	}
}

// largest is the law of the largest of n numbers.
func largest(n float64, cdf func(float64) float64) func(float64) float64 {
	return func(x float64) float64 { return math.Pow(cdf(x), n) }
}

// ofLaw returns the cells of a complete law, in one direction.
func ofLaw(l audit.Law, direction int) []cell {
	var cells []cell
	for _, c := range l.Cells {
		p0, _ := c.P[direction].Upper.Float64()
		p1, _ := c.P[1-direction].Upper.Float64()
		cells = append(cells, cell{p0, p1})
	}
	return cells
}

// With as many samples and the same confidence, the bounds of an audit are at least about
// those of a perfect sniper, and far above where it looks away.
func TestBoundsAgainstPerfectSniper(t *testing.T) {
	t.Parallel()
	samples := atLeast(100_000, 1_000_000)
	for name, cells := range map[string][]cell{
		"laplace-small":      fine(laplace(0, 0.8), laplace(1, 0.8)),
		"histogram-inverted": fine(laplace(0, 0.5), laplace(1, 0.5)),
		"noisy-max-value":    fine(largest(5, laplace(1, 2)), largest(5, laplace(2, 2))),
		"svt-lee-clifton":    nil,
		"svt-chen":           nil,
		"svt-stoddard":       nil,
		"leak":               nil,
	} {
		if !*full && name != "laplace-small" && name != "leak" {
			continue
		}
		c := made(t, name, Params{})
		sniper := 0.0
		if cells != nil {
			sniper = perfectSniper(cells, samples)
		} else {
			laws, err := c.Laws(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range laws {
				if l.Complete {
					sniper = max(sniper, perfectSniper(ofLaw(l, 0), samples), perfectSniper(ofLaw(l, 1), samples))
				}
			}
		}
		r, err := audit.Run(t.Context(), c.Claim, c.Pairs,
			audit.Options{Samples: samples, Alpha: 1 - sniperConfidence, Seed: 1, Full: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: a perfect sniper has %.3f, the audit %.3f", name, sniper, r.Eps[0])
		if r.Eps[0] < sniper*sniperTolerance {
			t.Errorf("%s: the audit has a bound of %.3f, a perfect sniper of %.3f", name, r.Eps[0], sniper)
		}
	}
}
