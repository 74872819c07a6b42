package audit

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// lineOf is a line with counts of its own.
func lineOf(hits, k, n int, past [2]float64, trials, alpha float64) line {
	l := line{hits: [2]float64{float64(hits), float64(k)}, size: float64(n), budget: -math.Log(alpha)}
	for side, before := range past {
		l.budget += regret(l.hits[side], l.size, before, trials)
	}
	return l
}

// Over all counts of 12 outputs, the probability that a line excludes what is true, at any ε, is at most
// α; and a line with a tenth of the budget excludes too much.
func TestExhaustive_LinesAreBelowTheTruth(t *testing.T) {
	const n, alpha = 12, 0.3
	most, control := 0.0, 0.0
	for _, truth := range [][2]float64{{0.5, 0.25}, {0.9, 0.1}, {0.3, 0}, {1, 0.4}, {0.2, 0.19}} {
		for _, past := range [][2]float64{{1, 1}, {3, 0}, {4, 1}} {
			wrong, tooMany := 0.0, 0.0
			for h := range n + 1 {
				for k := range n + 1 {
					p := chance(n, truth[0], h) * chance(n, truth[1], k)
					l := lineOf(h, k, n, past, 5, alpha)
					less := l
					less.budget /= 10
					if excludesTruth(l, truth) {
						wrong += p
					}
					if excludesTruth(less, truth) {
						tooMany += p
					}
				}
			}
			if wrong > alpha {
				t.Errorf("truth %v, earlier hits %v: wrong with probability %g, must be at most %g", truth, past,
					wrong, alpha)
			}
			most, control = max(most, wrong), max(control, tooMany)
		}
	}
	if control < alpha {
		t.Errorf("lines are wrong with probability %g at most, and %g with a tenth of the budget: the test cannot tell", most, control)
	}
}

func chance(n int, p float64, k int) float64 {
	if p <= 0 || p >= 1 {
		return map[bool]float64{true: 1}[float64(k) == float64(n)*p]
	}
	return distuv.Binomial{N: float64(n), P: p}.Prob(float64(k))
}

func excludesTruth(l line, truth [2]float64) bool {
	for eps := 0.0; eps < 4; eps += 0.25 {
		if l.deltaAt(math.Exp(eps)) > max(0, truth[0]-math.Exp(eps)*truth[1])+1e-12 {
			return true
		}
	}
	return false
}

// A curve falls, is below the truth of Laplace noise and near it, and has the bounds that are reported.
func TestExcluded_Laplace(t *testing.T) {
	r, err := Run(t.Context(), nats(0.5), []Pair{laplacePair(1)},
		Options{Samples: 100_000, Alpha: 1e-3, Seed: 1, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	before := math.Inf(1)
	for _, p := range r.Excluded[0] {
		truth := max(0, 1-math.Exp((p.Eps-1)/2))
		if p.Delta > truth || p.Delta < truth-0.03 || p.Delta > before {
			t.Errorf("ε = %g: δ is at least %g, must be a little below %g", p.Eps, p.Delta, truth)
		}
		before = p.Delta
		if p.Eps <= 0.5 && p.Delta < r.Delta {
			t.Errorf("ε = %g: δ is at least %g, and at the claimed ε %g", p.Eps, p.Delta, r.Delta)
		}
	}
	if n := len(r.Excluded[0]); n < 20 || n > 80 {
		t.Errorf("the curve has %d points", n)
	}
}
