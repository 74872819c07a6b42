package adaptive

import (
	"flag"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"checkrr/verify/rat"
)

var full = flag.Bool("full", false, "compare odometers with schedules for all ledgers, and with adversaries for all ε")

// No odometer is below what the same mechanisms must be charged if they are known beforehand: the OptDel of its
// readings is at most δ. That of charges that are 1 % less is not.
func TestPrice(t *testing.T) {
	t.Parallel()
	all, curves := ledgers, priceCurves
	if !*full {
		all, curves = all[1:2], curves[3:4]
	}
	for _, l := range all {
		for _, c := range curves {
			shown := l.readings(c.curve)
			needed, err := l.needed(t.Context(), shown, 1)
			if err != nil || !rat.IsAtMost(needed, priceDelta) {
				t.Errorf("%s, %s: OptDel of the readings is %v, %v", l.says, c.label, needed, err)
			}
			less, err := l.needed(t.Context(), shown, 0.99)
			if err != nil || !rat.IsAbove(less, priceDelta) {
				t.Errorf("%s, %s: OptDel of charges that are 1 %% less is %v, %v", l.says, c.label, less, err)
			}
		}
	}
}

// TestPrice_Docs: what docs/adaptive.md says of the odometers above the schedule is so, of 1000 mechanisms of ε = 0.05
// and of the mixed ones.
func TestPrice_Docs(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../docs/adaptive.md")
	if err != nil {
		t.Fatal(err)
	}
	equal, mixed := ratios(t, ledgers[0]), ratios(t, ledgers[1])
	filter, mixture, stitched, best, rogers := equal[0], equal[1], equal[2], equal[3], equal[4]
	for _, want := range []string{
		fmt.Sprintf("costs %.0f %% more at its target", 100*(filter[999]-1)),
		fmt.Sprintf("%.2f times after a tenth of these mechanisms, and nowhere more than %.2f times",
			filter[99], slices.Max(filter)),
		fmt.Sprintf("`mixture` costs at most %.2f times as much, `best` %.2f and `stitched` %.2f times; `rogers`, up "+
			"to V = 1, %.1f times, and above %.1f times", slices.Max(mixture), slices.Max(best), slices.Max(stitched),
			slices.Max(rogers[:400]), slices.Max(rogers[400:])),
		fmt.Sprintf("at most %.2f (`filter`), %.2f, %.2f and %.2f", slices.Max(mixed[0]), slices.Max(mixed[1]),
			slices.Max(mixed[3]), slices.Max(mixed[2])),
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(docs)), " "), want) {
			t.Errorf("docs/adaptive.md does not have %q", want)
		}
	}
}

// ratios returns how far each odometer is above the schedule, by event.
func ratios(t *testing.T, l history) (by [][]float64) {
	s, err := l.schedule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	least := rat.Floats(s.Charges())
	for _, c := range priceCurves {
		shown := l.readings(c.curve)
		for i := range shown {
			shown[i] /= least[i]
		}
		by = append(by, shown)
	}
	return by
}

// No rule needs more than the δ that it claims; the filter odometer needs nearly all of it where mechanisms are small.
func TestTightness(t *testing.T) {
	t.Parallel()
	steps := tightSteps[2:]
	if !*full {
		steps = []*big.Rat{steps[0], steps[len(steps)-1]}
	}
	curves, err := tightnessOf(t.Context(), steps)
	if err != nil {
		t.Fatal(err)
	}
	if len(curves) != 7 {
		t.Fatalf("%d rules", len(curves))
	}
	for _, c := range curves {
		if len(c.Points) != len(steps) {
			t.Errorf("%s: %d points, must be %d", c.Label, len(c.Points), len(steps))
		}
		for _, p := range c.Points {
			if !rat.IsAtMost(p.Y, rat.Int(1)) {
				t.Errorf("%s: more than δ", c.Label)
			}
		}
	}
	if near := curves[2].Points[0].Y; !rat.IsAbove(near, rat.Of("0.8")) {
		t.Errorf("filter odometer: %v", near)
	}
}
