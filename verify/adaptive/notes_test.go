package adaptive

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"checkrr/spec"
	"checkrr/verify/register"
)

// crossing returns the v in [low, high] where two odometers of the figures read the same.
func crossing(a, b odometer, low, high float64) float64 {
	above := func(v float64) bool { return a.at(v) > b.at(v) }
	first := above(low)
	for range 60 {
		if mid := (low + high) / 2; above(mid) == first {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// leastMixture returns how many times what advanced composition charges the mixture odometer is at least, and at which
// V/γ.
func leastMixture(delta1 float64) (least, where float64) {
	least = math.Inf(1)
	for x := 1.0; x < 1e4; x *= 1.01 {
		if r := (odometer{"mixture", delta1, 0, 1}.excess(x)); r < least {
			least, where = r, x
		}
	}
	return least, where
}

// TestNotes computes the numbers of the notes again.
func TestNotes(t *testing.T) {
	t.Parallel()
	fixed := fixedOnes()
	filter, mixture, stitched := fixed[0], fixed[1], fixed[2]
	original := odometer{"original with log", 1e-6, 0, figureSize}
	eps, response := 1./8+2*math.Sqrt(math.Log(1/0.9)/8), math.Exp(0.5)/(1+math.Exp(0.5))
	per := func(v float64) float64 { return (odometer{"original", 1e-6, 0, 10}.at(v) - v/2) / math.Sqrt(v) }
	least := fmt.Sprintf("%.4g", crossing(stitched, filter, 0.012, 0.02))
	touched := fmt.Sprintf("%.3g", crossing(filter, mixture, 0.05, 0.1))
	last := fmt.Sprintf("%.4g", crossing(mixture, stitched, 100, 200))
	decent, at := leastMixture(1e-6)
	loose, _ := leastMixture(0.5)
	first := crossing(filter, original, 0.002, 0.01)
	low, high := crossing(filter, original, 0.2, 0.5), crossing(filter, original, 1.1, 1.6)
	for id, want := range map[string][]string{
		"FAC-L3": {fmt.Sprintf("it reads %.4f,",
			spec.RogersOdometer(slices.Repeat([]float64{0.1}, 20), make([]float64, 20), 1e-6, 0, 2)),
			strings.Replace(fmt.Sprintf("^20 = %.2e.", math.Pow(math.Exp(0.1)/(1+math.Exp(0.1)), 20)), "e-0", "e-", 1)},
		"FAC-X14": {fmt.Sprintf("from %.2f to %.2f", per(0.01*(1+1e-9)), per(0.01*(1-1e-9)))},
		"FAC-T2":  {fmt.Sprintf("= %.5f it needs δ = %.5f.", eps, 0.9+0.1*response*(1-math.Exp(eps-0.5)))},
		"FAC-F1": {
			fmt.Sprintf("below all three for v < %.2g,", crossing(mixture, original, 1e-3, 2e-3)),
			fmt.Sprintf("from %.3g to %.4g and above 1 up to %.4g only", first, low, high),
			fmt.Sprintf("for v from %.4g to 1 and from %.4g on", low, high),
		},
		"FAC-F3": {fmt.Sprintf("up to v = %s, the filter odometer up to %s, and the mixture one from there on, "+
			"up to %s", least, touched, last)},
		"FAC-X12": {fmt.Sprintf("the least is %.4f, at V = %.0f·γ; for δ′ = 1/2 the least is %.3f.",
			decent, at, loose)},
		"FAC-X18": {"0.0012 to 0.01 and from " + touched + " to " + last,
			"from 0.01 to " + least + " and from " + last + " on", "below 0.0012 it is the original one"},
	} {
		all := Paper.Statements()
		i := slices.IndexFunc(all, func(s register.Statement) bool { return s.ID == id })
		for _, text := range want {
			note := all[i].Note
			for _, f := range all[i].Figures {
				note += f.Note
			}
			if !strings.Contains(note, text) {
				t.Errorf("%s: the note does not have %q: %s", id, text, note)
			}
		}
	}
}
