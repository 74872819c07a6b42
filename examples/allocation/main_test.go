package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestEpoch: what is written has at least the δ of one, two and three steps by quadrature, and hardly more, for
// neighbours in both orders.
func TestEpoch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		noise float64
		steps int
	}{{1, 1}, {1, 2}, {5, 2}, {0.9, 3}} {
		var text bytes.Buffer
		if err := epoch(test.noise, test.steps).write(&text); err != nil {
			t.Fatal(err)
		}
		for _, alpha := range []float64{1, 1.1, 1.5, 2} {
			removed, added := sticks(t, text.String(), alpha)
			n := float64(test.steps)
			wantRemoved := excess(test.noise, test.steps, n*alpha) / n
			wantAdded := alpha*excess(test.noise, test.steps, n/alpha)/n - alpha + 1 // (1 − αr)⁺ = αr − 1 + …, E r = 1
			for _, x := range []struct {
				order       string
				found, want float64
			}{{"removed", removed, wantRemoved}, {"added", added, wantAdded}} {
				const quadrature, loose = 1e-6, 1e-3
				if x.found < x.want-quadrature || x.found > x.want*(1+loose)+quadrature {
					t.Errorf("σ %g, %d steps, α %g, %s: %.9g, want %.9g", test.noise, test.steps, alpha, x.order, x.found,
						x.want)
				}
			}
		}
	}
}

// excess is the mean of max(0, w_1 + … + w_steps − level) of the ratios of steps under Q.
func excess(noise float64, steps int, level float64) float64 {
	if level <= 0 {
		return float64(steps) - level
	}
	if steps == 1 {
		at := noise*math.Log(level) + 1/(2*noise)
		return between(at-1/noise, math.Inf(1)) - level*between(at, math.Inf(1))
	}
	const h, reach = 1.0 / 32, 8
	sum := 0.0
	for z := -float64(reach); z <= reach+1/noise; z += h {
		ratio := math.Exp(z/noise - 1/(2*noise*noise))
		sum += math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * h * excess(noise, steps-1, level-ratio)
	}
	return sum
}

// sticks returns H_α(P, Q) and H_α(Q, P) of a file. What masses lack counts as lost.
func sticks(t *testing.T, text string, alpha float64) (removed, added float64) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(text), "\n")
	removed, added = 1, 1
	for _, line := range lines[1:] {
		var loss, mass float64
		if _, err := fmt.Sscanf(line, "%g,%g", &loss, &mass); err != nil {
			t.Fatal(line, err)
		}
		q := mass * math.Exp(-loss)
		removed += max(0, mass-alpha*q) - mass
		added += max(0, q-alpha*mass) - q
	}
	return removed, added
}
