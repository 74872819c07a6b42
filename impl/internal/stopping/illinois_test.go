package stopping

import (
	"errors"
	"math"
	"testing"
)

// curve.illinois finds the largest t, whatever the function looks like.
func TestCurve_Illinois(t *testing.T) {
	smooth := func(t float64) float64 { return t }
	for _, row := range []struct {
		name         string
		lnDelta      func(t float64) float64
		lo, hi, most float64
		want         float64
	}{
		{"line", smooth, -10, 0.5, 5, 0},
		{"hi below", smooth, -10, -9, 5, 0},
		{"hi at lo", smooth, -10, -10, 5, 0},
		{"hi above most", smooth, -10, 50, 5, 0},
		{"all too large", func(t float64) float64 { return t + 20 }, -10, 0, 5, -10},
		{"all small", func(t float64) float64 { return t - 20 }, -10, 0, 5, 5},
		{"jump over the target", func(t float64) float64 { return t/10 + map[bool]float64{true: 1, false: -1}[t > 1.25] }, -10, 4, 5, 1.25},
		{"jump from −Inf", func(t float64) float64 { return map[bool]float64{true: 1, false: math.Inf(-1)}[t > 1.25] }, -10, 4, 5, 1.25},
		{"−Inf, then a line", func(t float64) float64 { return map[bool]float64{true: t, false: math.Inf(-1)}[t > -1] }, -10, 4, 5, 0},
		{"flat just below, then a line", func(t float64) float64 { return max(t-1, -2e-6) }, -10, 4, 5, 1},
		{"flat just below, then steep", func(t float64) float64 { return max(1e4*(t-1), -2e-6) }, -10, 4, 5, 1},
		{"flat just below, then a jump", func(t float64) float64 { return map[bool]float64{true: 1, false: -2e-6}[t > 1] }, -10, 4, 5, 1},
		{"flat just above", func(t float64) float64 { return min(t-1, 2e-6) }, -10, 4, 5, 1},
		{"nearly met at hi", func(t float64) float64 { return t + 9.7 + 3e-16 }, -10.5, -9.7, 5, -9.7},
		{"steep", func(t float64) float64 { return 1e6 * (t - 1) }, -10, 4, 5, 1},
		{"cubic", func(t float64) float64 { return (t - 1) * (t - 1) * (t - 1) }, -10, 4, 5, 1},
		{"exponential", func(t float64) float64 { return math.Expm1(20 * (t - 1)) }, -10, 4, 5, 1},
		{"flat, at both ends", func(t float64) float64 { return math.Atan(1e3 * (t - 1)) }, -10, 4, 5, 1},
		{"steps", func(t float64) float64 { return math.Floor(4*t) + 0.5 }, -10, 4, 5, 0},
	} {
		trials := 0
		f := curve(func(t float64) ([]float64, error) { return []float64{t}, nil })
		m, err := f.illinois(row.lo, row.hi, row.most, 0, func(charges []float64) (float64, error) {
			trials++
			return math.Exp(min(row.lnDelta(charges[0]), 700)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		found := m.reliefs[0]
		excess := row.lnDelta(found)
		near := math.Abs(found-row.want) <= reachError || excess <= 0 && excess >= -searchWidth
		if !near || excess > 1e-15 && found > row.lo || trials > maxTrials+10 {
			t.Errorf("%s: found %.12g with ln δ = %.3g after %d trials, want %.12g", row.name, found, excess, trials, row.want)
		}
	}
	broken := errors.New("broken")
	f := curve(func(t float64) ([]float64, error) { return nil, broken })
	if _, err := f.illinois(0, 1, 2, 0, nil); !errors.Is(err, broken) {
		t.Errorf("an error of the curve became %v", err)
	}
}

// reachError is how near to a jump [curve.illinois] gets.
const reachError = 1e-3
