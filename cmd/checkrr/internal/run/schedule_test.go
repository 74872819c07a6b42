package run

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/impl"
)

// TestSchedule_Cut: charges that are coarse, as time ran out, refute no limit that better ones keep, but one that none
// can keep.
func TestSchedule_Cut(t *testing.T) {
	t.Parallel()
	p, err := input.ReadProblem(filepath.FromSlash("../../../../examples/dpsgd.yaml"), new(input.Inputs),
		input.WeightedStops, false)
	if err != nil {
		t.Fatal(err)
	}
	cut, whole := cutPlan(t, p, true), cutPlan(t, p, false)
	if cut.Shortfall == "" || whole.Shortfall != "" {
		t.Fatalf("shortfalls %q and %q", cut.Shortfall, whole.Shortfall)
	}
	for _, c := range []struct {
		s         *plan
		mean, eps string
		least     float64 // mean
		want      Verdict
	}{
		{cut, "2.36", "", 0, Inconclusive}, {whole, "2.36", "", 0, Holds}, {cut, "2.37", "", 0, Holds},
		{cut, "2.35", "", 0, Inconclusive}, {whole, "2.35", "", 0, Refuted},
		{cut, "2.3", "", 2.31, Refuted}, {cut, "2.3", "", 2.29, Inconclusive}, // which no charges can keep, or some may
		{cut, "", "3.26", 0, Holds}, {whole, "", "3.26", 0, Holds}, // with all others as they are
		{cut, "", "3.28", 0, Holds},
		{cut, "", "3.1", 0, Inconclusive}, {whole, "", "3.1", 0, Refuted},
		{cut, "", "2", 0, Refuted}, // as is seen if the pipeline could end there only
	} {
		gate, text := &c.s.mean, c.mean+c.eps
		if c.mean == "" {
			gate = &c.s.charge
		}
		gate.most = Number{Text: text, Value: rational(text)}
		c.s.MeanAtLeast = c.least
		c.s.judgeCharges(t.Context())
		err, line := c.s.conclude(), gate.line("it")
		if isTold := strings.Contains(line, string(c.want)); gate.verdict != c.want || !isTold {
			t.Errorf("mean %s, charge %s: %s, must be %s: %q", c.mean, c.eps, gate.verdict, c.want, line)
		}
		if c.want == Inconclusive && (!errors.Is(err, ErrInconclusive) || !strings.Contains(err.Error(), cut.Shortfall)) {
			t.Errorf("inconclusive is told as %v", err)
		}
		*gate = chargeGate{}
	}
	cut.shape, cut.charge.most = impl.Optimal, Number{Text: "4", Value: rational("4")}
	cut.judgeCharges(t.Context())
	if line := cut.charge.line("it"); cut.charge.verdict != Inconclusive || !strings.Contains(line, "not asked for") {
		t.Errorf("uniform charges in place of optimal ones: %s, %q", cut.charge.verdict, line)
	}
}

// cutPlan returns a schedule. If it is cut, the search ends once there are coarse charges.
func cutPlan(t *testing.T, p *input.Problem, isCut bool) *plan {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(time.Hour))
	defer cancel()
	s := &plan{solved: &solved{problem: p, at: len(p.Pipeline.Stops) - 1}, shape: impl.Uniform, delta: rational("1e-6")}
	s.progress = func(done float64) {
		if isCut && done >= 0.11 { // of what the first charges are the tenth part
			cancel()
		}
	}
	if err := s.find(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}
