// Package rootfind finds where a function that does not fall passes 0, and where one that falls and then rises is
// least.
package rootfind

import "math"

// maxTrials is the largest number of values between the ends that [Last] asks for.
const maxTrials = 60

// point is a place where f is known.
type point struct {
	x, value float64
	isNew    bool // the last one that was tried out
}

// Last returns the largest x in [lo, most] that it finds with f(x) ≤ 0, and f(x); or lo, if f(lo) is larger
// already. f does not fall. hi is a guess of x from above. The search ends at a value above −near.
//
// What is returned was evaluated: f(x) ≤ 0 holds whatever f is. f is asked at growing x when it is at most 0.
// Where f is nearly straight, chords lead there, and an end that stays twice counts half (the Illinois
// method); where it is flat, jumps, or is infinite, halves help.
func Last(lo, hi, most, near float64, f func(x float64) (float64, error)) (x, value float64, err error) {
	try := func(x float64) (p point, err error) {
		p.x = x
		p.value, err = f(x)
		return p, err
	}
	low, err := try(lo)
	if err != nil || low.value > -near {
		return low.x, low.value, err
	}
	high, err := try(min(hi, most))
	for err == nil && high.value <= 0 && high.x < most {
		low = high
		high, err = try(min(2*high.x-lo+1, most))
	}
	if err != nil || high.value <= 0 {
		return high.x, high.value, err
	}
	low, err = narrow(low, high, near, try)
	return low.x, low.value, err
}

// narrow moves two places towards each other, between which f passes 0, and returns the lower one.
func narrow(low, high point, near float64, try func(x float64) (point, error)) (point, error) {
	weights := [2]float64{1, 1}
	for trial := range maxTrials {
		x := between(low, high, weights)
		if trial%4 == 3 || x <= low.x || x >= high.x {
			x = low.x + (high.x-low.x)/2
		}
		if x <= low.x || x >= high.x { // nothing is in between
			return low, nil
		}
		p, err := try(x)
		switch {
		case err != nil:
			return p, err
		case p.value > 0:
			weights = [2]float64{halfIf(high.isNew), 1}
			low.isNew, high = false, p
			high.isNew = true
		default:
			weights = [2]float64{1, halfIf(low.isNew)}
			high.isNew, low = false, p
			low.isNew = true
		}
		if low.value > -near {
			break
		}
	}
	return low, nil
}

// halfIf returns the weight of an end whose opposite was replaced, and if again, halved.
func halfIf(again bool) float64 {
	if again {
		return 0.5
	}
	return 1
}

// between returns where the chord meets 0, or the middle if an end is infinite.
func between(low, high point, weights [2]float64) float64 {
	a, b := -low.value*weights[0], high.value*weights[1]
	if math.IsInf(a, 1) || a+b == 0 {
		return low.x + (high.x-low.x)/2
	}
	return low.x + (high.x-low.x)*(a/(a+b))
}
