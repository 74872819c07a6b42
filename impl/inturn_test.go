package impl

import (
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/stopping"
)

// What is known of one order of neighbours is not lost if the other one has too many losses for any lattice,
// whichever comes first.
func TestInTurn_OneFails(t *testing.T) {
	t.Parallel()
	solvable := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "1", "0.01", 100)}, 50, 100)
	tooMany := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "0.2", "0.999999999999", 1_000_000)}, 50, 1_000_000)
	for _, p := range []Pipeline{solvable, tooMany} {
		p.Stops[0].Eps, p.Stops[1].Eps = exactly(0.25), exactly(0.5)
	}
	tooMany.Mechanisms[0].Additive.Added = true
	alone, err := stopping.Solve(t.Context(), solvable.problem(), stopping.Options{})
	if err != nil {
		t.Fatal(err)
	}
	known, _ := alone.OptDel.Lower.Float64()
	for i, orders := range []stopping.Orders{{tooMany.problem(), solvable.problem()}, {solvable.problem(), tooMany.problem()}} {
		r, err := orders.Solve(t.Context(), stopping.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Unknown != Orders[i] || r.Order != Orders[1-i] || len(r.Certified) != 1 || !strings.Contains(r.Shortfall, "for neighbours "+string(Orders[i])+": the work ended before there was a result: ") || !strings.Contains(r.Shortfall, "nodes at one place") {
			t.Errorf("unknown %s, rule for %s, %d certified, %q", r.Unknown, r.Order, len(r.Certified), r.Shortfall)
		}
		if lower, upper := r.OptDel.Rats(); rational.Float64(lower) < 0.999*known || rational.Float64(upper) != 1 {
			t.Errorf("OptDel is %v, where one order has %v", r.OptDel, alone.OptDel)
		}
	}
	if r, err := (stopping.Orders{tooMany.problem(), tooMany.problem()}).Solve(t.Context(), stopping.Options{}); err == nil {
		t.Errorf("neither order has a result, but both %v", r)
	}
}
