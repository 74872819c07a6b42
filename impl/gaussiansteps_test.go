package impl

import (
	"fmt"
	"math"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// stepsDelta returns δ at ε of k Gaussian steps of scale σ, in float64 (Dong, Roth and Su 2022): two tails, which
// cancel little where these ε are.
func stepsDelta(k int, sigma, eps float64) float64 {
	mu := math.Sqrt(float64(k)) / sigma
	above := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
	return above(eps/mu-mu/2) - math.Exp(eps)*above(eps/mu+mu/2)
}

// TestOptDel_GaussianSteps: many steps between two stops are as good as few. The first of these was 2.5 % wide; the
// others are told as one step, as some, and as all.
func TestOptDel_GaussianSteps(t *testing.T) {
	t.Parallel()
	for _, x := range testkit.Few(4, []struct {
		count      int
		sigma, eps string
	}{
		{98100, "726870", "0.0031952161"}, {1_000_000, "600000", "0.01"}, {50, "7", "4"}, {100, "0.5", "260"}, {3, "0.1", "250"}, {1000, "1", "800"},
	}) {
		p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, x.sigma, "1", x.count)}, x.count)
		p.Stops[0].Eps = loss.Nats(rational.MustParse(x.eps))
		r, err := OptDel(t.Context(), p, Options{})
		if err != nil {
			t.Errorf("%+v: %v", x, err)
			continue
		}
		number := func(s string) float64 { return rational.Float64(rational.MustParse(s)) }
		want := stepsDelta(x.count, number(x.sigma), number(x.eps))
		lower, _ := r.OptDel.Lower.Float64()
		upper, _ := r.OptDel.Upper.Float64()
		const digits = 1e-7 // of want
		if lower > want*(1+digits) || upper < want*(1-digits) || r.Shortfall != "" {
			t.Errorf("%+v: between %g and %g, is %g; %s", x, lower, upper, want, r.Shortfall)
		}
	}
}

// TestOptDel_GaussianStepsTwice: between two stops, too: steps of one scale, and of another that is as much noise,
// are the same game, and so are steps that are told one by one.
func TestOptDel_GaussianStepsTwice(t *testing.T) {
	t.Parallel()
	solved := func(ms []Mechanism, first, last int) (lower, upper float64) {
		p := stoppedAfter(ms, first, last)
		p.Stops[0].Eps, p.Stops[1].Eps = loss.Nats(rational.MustParse("1.2")), loss.Nats(rational.MustParse("1.6"))
		r, err := OptDel(t.Context(), p, Options{})
		if err != nil || r.Shortfall != "" {
			t.Fatal(err, r)
		}
		lower, _ = r.OptDel.Lower.Float64()
		upper, _ = r.OptDel.Upper.Float64()
		return lower, upper
	}
	lower, upper := solved([]Mechanism{noisy(certify.Gaussian, "40", "1", 200)}, 100, 200)
	few, fewUpper := solved([]Mechanism{noisy(certify.Gaussian, "4", "1", 2)}, 1, 2)
	var ms []Mechanism // a part that is no run of equal steps
	for i := range 8 {
		ms = append(ms, noisy(certify.Gaussian, fmt.Sprint(8+float64(i%2)*1e-9), "1", 1))
	}
	parts, partsUpper := solved(ms, 4, 8)
	const off = 1e-6 // what scales that are a little off change
	if max(lower, few, parts*(1-off)) > min(upper, fewUpper, partsUpper*(1+off)) {
		t.Errorf("[%g, %g], [%g, %g] and [%g, %g] have nothing in common", lower, upper, few, fewUpper, parts, partsUpper)
	}
}

// TestSchedule_NextToLargestLosses: no charges could be certified, though the largest losses, 50 and 100, are enough
// for any δ; and plain DP charged more than the schedule.
func TestSchedule_NextToLargestLosses(t *testing.T) {
	t.Parallel()
	delta := rational.MustParse("1e-15")
	s, err := DesignSchedule(t.Context(), stoppedAfter([]Mechanism{noisy(certify.Laplace, "1", "1", 100)}, 50, 100), delta, ScheduleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, upper := s.Result.OptDel.Rats(); upper.Cmp(delta) > 0 || s.Shortfall != "" {
		t.Errorf("OptDel %v; %s", s.Result.OptDel, s.Shortfall)
	}
	for i, e := range s.Charges() {
		if x := rational.Float64(e); x > float64(50*(i+1)) {
			t.Errorf("stop %d is charged %g, more than the largest losses", i+1, x)
		}
		if s.SingleStop == nil || s.SingleStop[i].Cmp(e) > 0 || s.SingleStop[i].Cmp(s.PlainDP()) > 0 {
			t.Errorf("stop %d alone is charged %v, more than %v together, or plain DP", i+1, s.SingleStop, s.Charges())
		}
	}
}
