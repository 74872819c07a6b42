package finite

import (
	"testing"

	"checkrr/spec"
	"checkrr/verify/rat"
)

// By hand: with e^ε = 3 and δ = 1/2 the first response is 0, 1, 2, 3 with 1/2, 3/8, 1/8, 0 under b = 0; M_iter stops
// after a 1. Otherwise the second response is a coin.
func TestPipelineRun(t *testing.T) {
	t.Parallel()
	mechanisms := []spec.Mechanism{{ExpEps: rat.Int(3), Delta: rat.Half}, {ExpEps: rat.One, Delta: rat.Int(0)}}
	p := Pipeline{mechanisms, []spec.Stop{{After: 1, ExpEps: rat.One}, {After: 2, ExpEps: rat.One}}}
	laws := p.Run(Criterion{"1": rat.One})
	if len(laws[0]) != 13 || len(laws[1]) != 13 {
		t.Errorf("%d and %d outputs, must be 1 + 3·4", len(laws[0]), len(laws[1]))
	}
	for output, want := range map[string]string{"1": "3/8", "01": "1/4", "02": "1/4", "21": "1/16", "20": "0"} {
		if got := laws[0][output]; got == nil || got.RatString() != want {
			t.Errorf("Pr_0(%s) = %v, must be %s", output, got, want)
		}
	}
	for b, law := range laws {
		if !rat.Equal(law.Mass(), rat.One) {
			t.Errorf("b = %d: the law sums to %v", b, law.Mass())
		}
	}
}
