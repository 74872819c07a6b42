package rootfind

import (
	"errors"
	"math"
	"testing"
)

// near is where a search may end, and nearJump how near it gets to a jump.
const (
	near     = 1e-12
	nearJump = 1e-3
)

// Last finds the largest x, whatever the function looks like.
func TestLast(t *testing.T) {
	t.Parallel()
	smooth := func(t float64) float64 { return t }
	for _, row := range []struct {
		name         string
		f            func(t float64) float64
		lo, hi, most float64
		want         float64
	}{
		{"line", smooth, -10, 0.5, 5, 0},
		{"hi below", smooth, -10, -9, 5, 0},
		{"hi at lo", smooth, -10, -10, 5, 0},
		{"hi above most", smooth, -10, 50, 5, 0},
		{"all too large", func(t float64) float64 { return t + 20 }, -10, 0, 5, -10},
		{"all small", func(t float64) float64 { return t - 20 }, -10, 0, 5, 5},
		{"jump over the target", func(t float64) float64 {
			return t/10 + map[bool]float64{true: 1, false: -1}[t > 1.25]
		}, -10, 4, 5, 1.25},
		{"jump from −Inf", func(t float64) float64 { return map[bool]float64{true: 1, false: math.Inf(-1)}[t > 1.25] },
			-10, 4, 5, 1.25},
		{"−Inf, then a line", func(t float64) float64 { return map[bool]float64{true: t, false: math.Inf(-1)}[t > -1] },
			-10, 4, 5, 0},
		{"flat just below, then a line", func(t float64) float64 { return max(t-1, -2e-6) }, -10, 4, 5, 1},
		{"flat just below, then steep", func(t float64) float64 { return max(1e4*(t-1), -2e-6) }, -10, 4, 5, 1},
		{"flat just below, then a jump", func(t float64) float64 {
			return map[bool]float64{true: 1, false: -2e-6}[t > 1]
		}, -10, 4, 5, 1},
		{"flat just above", func(t float64) float64 { return min(t-1, 2e-6) }, -10, 4, 5, 1},
		{"nearly met at hi", func(t float64) float64 { return t + 9.7 + 3e-16 }, -10.5, -9.7, 5, -9.7},
		{"steep", func(t float64) float64 { return 1e6 * (t - 1) }, -10, 4, 5, 1},
		{"cubic", func(t float64) float64 { return (t - 1) * (t - 1) * (t - 1) }, -10, 4, 5, 1},
		{"exponential", func(t float64) float64 { return math.Expm1(20 * (t - 1)) }, -10, 4, 5, 1},
		{"flat, at both ends", func(t float64) float64 { return math.Atan(1e3 * (t - 1)) }, -10, 4, 5, 1},
		{"steps", func(t float64) float64 { return math.Floor(4*t) + 0.5 }, -10, 4, 5, 0},
	} {
		trials := 0
		found, value, err := Last(row.lo, row.hi, row.most, near, func(x float64) (float64, error) {
			trials++
			return row.f(x), nil
		})
		if err != nil || value != row.f(found) {
			t.Fatalf("%s: f(%g) = %g, %v, want %g", row.name, found, value, err, row.f(found))
		}
		isNear := math.Abs(found-row.want) <= nearJump || value <= 0 && value >= -near
		if !isNear || value > 1e-15 && found > row.lo || trials > maxTrials+10 {
			t.Errorf("%s: found %.12g with %.3g after %d trials, want %.12g", row.name, found, value, trials, row.want)
		}
	}
}

// An f that rounds has its place found from both sides, a neighbour or a few apart.
func TestLast_Neighbours(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ lo, hi, root float64 }{{0, 2, math.Sqrt2}, {0, 1.3, 1e-9},
		{-1e6, 1e6, -3}, {0, 1e300, 7e290}} {
		f := func(x float64) (float64, error) { return x - row.root, nil }
		below, _, err1 := Last(row.lo, row.hi, row.hi, 0, f)
		above, _, err2 := Last(-row.hi, -row.lo, -row.lo, 0,
			func(x float64) (float64, error) { y, _ := f(-x); return -y, nil })
		if err1 != nil || err2 != nil || below != row.root || above != -row.root {
			t.Errorf("root %g: found %g from below, %g from above, %v, %v", row.root, below, -above, err1, err2)
		}
	}
}

func TestLast_Error(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for fails := range 5 {
		trial := 0
		_, _, err := Last(-10, 0.5, 5, near, func(x float64) (float64, error) {
			if trial++; trial > fails {
				return 0, broken
			}
			return math.Expm1(x), nil
		})
		if !errors.Is(err, broken) {
			t.Errorf("an error of value %d became %v", fails+1, err)
		}
	}
}
