package adaptive

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"checkrr/verify/rat"
)

// No odometer is below what the same mechanisms must be charged if they are known beforehand: the OptDel of its
// readings is at most δ. That of charges that are 1 % less is not.
func TestPrice(t *testing.T) {
	for _, l := range ledgers() {
		for _, c := range priceCurves {
			shown, err := l.readings(c.curve)
			if err != nil {
				t.Fatal(err)
			}
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

// TestPrice_Docs: what docs/adaptive.md says of the odometers above the schedule, of 1000 mechanisms of ε = 0.05, is so.
func TestPrice_Docs(t *testing.T) {
	docs, err := os.ReadFile("../../docs/adaptive.md")
	if err != nil {
		t.Fatal(err)
	}
	equal := ledgers()[0]
	s, err := equal.schedule(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	least := rat.Floats(s.Charges())
	worst := make([]float64, len(priceCurves)) // by odometer, the largest ratio to the schedule; of the original one, up to V = 1
	var beyond, tenth, target float64
	for k, c := range priceCurves {
		shown, err := equal.readings(c.curve)
		if err != nil {
			t.Fatal(err)
		}
		for i, y := range shown {
			if ratio := y / least[i]; c.inTable && i >= 400 {
				beyond = max(beyond, ratio)
			} else {
				worst[k] = max(worst[k], ratio)
			}
		}
		if k == 0 {
			tenth, target = shown[99]/least[99], shown[999]/least[999]
		}
	}
	for _, want := range []string{
		fmt.Sprintf("costs %.0f %% more at its target", 100*(target-1)),
		fmt.Sprintf("%.2f times after a tenth of these mechanisms, and nowhere more than %.2f times", tenth, worst[0]),
		fmt.Sprintf("`mixture` costs at most %.2f\ntimes as much, `best` %.2f and `stitched` %.2f times; `rogers`, up to V = 1, %.1f times, and above %.1f times", worst[1], worst[3], worst[2], worst[4], beyond),
	} {
		if !strings.Contains(string(docs), want) {
			t.Errorf("docs/adaptive.md does not have %q", want)
		}
	}
}
