package run

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// fakeResult is a result of the right shape for p: made-up numbers that differ
// from stop to stop, with two stops in every seven at which stopping never pays.
func fakeResult(p impl.Pipeline) *impl.Result {
	r := &impl.Result{
		OptDel:  interval.Interval{Lower: big.NewFloat(1.25e-6), Upper: big.NewFloat(1.2500000001e-6)},
		Lemma11: interval.Interval{Lower: big.NewFloat(2.5e-5), Upper: big.NewFloat(2.5e-5)},
		Method:  impl.Lattice,
	}
	for i, s := range p.Stops {
		x := float64(i+1) * 1e-7
		r.SingleStop = append(r.SingleStop, interval.Interval{Lower: big.NewFloat(x), Upper: big.NewFloat(x)})
		t := impl.Threshold{LossAtLeast: loss.Float64(s.Eps) * 1.2, Probability: 1 / float64(i+8)}
		if i%7 == 3 || i%7 == 4 {
			t = impl.Threshold{LossAtLeast: math.Inf(1)}
		}
		r.Rule = append(r.Rule, t)
	}
	return r
}

// manyStops is a problem with n stops, ten mechanisms apart.
func manyStops(t *testing.T, n int, eps string) *input.Problem {
	t.Helper()
	var stops []string
	for i := range n {
		stops = append(stops, fmt.Sprintf("after=%d,eps=%s", 10*(i+1), charge(eps, i)))
	}
	p, err := input.ProblemOfFlags([]string{fmt.Sprintf("eps=0.05,count=%d", 10*n)}, stops, nil, input.ChargedStops)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// charge is eps, or rises like a square root if that is empty.
func charge(eps string, i int) string {
	if eps != "" {
		return eps
	}
	return fmt.Sprintf("%.3f", 0.7*math.Sqrt(float64(i+1)))
}

func TestTableManyStops(t *testing.T) {
	t.Parallel()
	p := manyStops(t, 1000, "")
	for _, tt := range []struct {
		all   bool
		lines int
	}{{false, 6 + 2 + maxRows + 2}, {true, 6 + 2 + 1000}} {
		var b strings.Builder
		s := &solution{found: found{Result: fakeResult(p.Pipeline)}, solved: &solved{o: SolverFlags{AllStops: tt.all}, problem: p}}
		s.writeTable(&b)
		if got := strings.Count(b.String(), "\n"); got != tt.lines {
			t.Errorf("all stops %v: %d lines, want %d:\n%s", tt.all, got, tt.lines, b.String())
		}
		if got := strings.Contains(b.String(), "960 of 1000 stops are left out"); got == tt.all {
			t.Errorf("all stops %v: says that stops are left out: %v", tt.all, got)
		}
	}
}

// TestTableLastStop: at the last stop everything ends, at others a threshold of +Inf means
// never.
func TestTableLastStop(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		threshold float64
		want      string
	}{{math.Inf(1), "ends here"}, {1.5, "1.5"}} {
		p := manyStops(t, 5, "")
		s := &solution{found: found{Result: fakeResult(p.Pipeline)}, solved: &solved{problem: p}}
		s.Rule[4].LossAtLeast = tt.threshold
		var b strings.Builder
		s.writeTable(&b)
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		last, before := words(lines[len(lines)-1]), words(lines[len(lines)-2])
		if !strings.HasSuffix(last, " "+tt.want+" 0") && !strings.HasSuffix(last, " "+tt.want+" 0.0833") || !strings.Contains(before, "never") {
			t.Errorf("%v: the last lines are\n%s\n%s", tt.threshold, before, last)
		}
	}
}

// TestTimesAsLarge: one number where the intervals are narrow, else a range that is not
// too short.
func TestTimesAsLarge(t *testing.T) {
	t.Parallel()
	of := interval.Of
	for _, tt := range []struct {
		optDel, lemma11 interval.Interval
		want            string
	}{
		{of(1, 1), of(2.5, 2.5), ", 2.5 times OptDel"},
		{of(0.9995, 1), of(2.5, 2.5), ", 2.5 times OptDel"},
		{of(0.998, 1), of(2.5, 2.5), ", 2.5 to 2.51 times OptDel"},
		{of(1.335e-06, 1.816e-06), of(1.816e-06, 1.816e-06), ", 1 to 1.37 times OptDel"},
		{of(1, 2), of(1.5, 3), ", 1 to 3 times OptDel"},
		{of(1, 1), of(2, 3), ", 2 to 3 times OptDel"},
		{of(0, 1), of(2, 3), ", at least 2 times OptDel"},
		{of(0, 0), of(0, 0), ""},
	} {
		if got := timesAsLarge(tt.optDel, tt.lemma11); got != tt.want {
			t.Errorf("OptDel %v, Lemma 11 %v: %q, want %q", tt.optDel, tt.lemma11, got, tt.want)
		}
	}
}

// A δ that is known roughly has few digits, and one of which only an upper end is known is called that.
func TestDeltaCell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lower, upper float64
		want         string
	}{
		{0.25, 0.25, "0.2500"}, {0.249999, 0.25, "0.2500"}, {0.249, 0.25, "0.250"}, {0.24, 0.2501, "0.26"}, {0.1, 0.2501, "at most 0.26"},
		{0, 1e-17, "at most 1.1e-17"}, {0, 0, "0"}, {0, 1, "at most 1.0"}, {1, 1, "1.000"},
	} {
		if got := deltaCell([]interval.Interval{interval.Of(c.lower, c.upper)}, 0); got != c.want {
			t.Errorf("%g to %g: %q, must be %q", c.lower, c.upper, got, c.want)
		}
	}
	if got := deltaCell(nil, 0); got != "–" {
		t.Errorf("nothing: %q", got)
	}
}

// TestControl_WrongExactIsCaught: an exact value outside of the interval is noticed.
func TestControl_WrongExactIsCaught(t *testing.T) {
	t.Parallel()
	for exact, want := range map[string]bool{"1.2499e-6": false, "1.25000000005e-6": true, "1.2501e-6": false} {
		s := found{Result: fakeResult(impl.Pipeline{}), exact: rational(exact)}
		if s.isConsistent() != want {
			t.Errorf("%s is said to be in %v: %v", exact, s.OptDel, !want)
		}
	}
}

// A narrower interval that is sought for a verdict may reach the width that was asked for.
func TestTake_Shortfall(t *testing.T) {
	t.Parallel()
	wide, narrow := interval.Of(0.5, 1), interval.Of(0.5, 0.5625)
	for requested, want := range map[float64]string{0.25: "", 1e-9: "narrow"} {
		s := &solution{requested: requested}
		s.Result = &impl.Result{OptDel: wide, Lemma11: wide, Shortfall: "wide"}
		s.take(&impl.Result{OptDel: narrow, Lemma11: narrow, Shortfall: "narrow"})
		s.take(&impl.Result{OptDel: wide, Lemma11: wide, Shortfall: "wide"})
		if s.OptDel.Upper != narrow.Upper || s.Shortfall != want {
			t.Errorf("asked for %g: %v, shortfall %q, want %q", requested, s.OptDel, s.Shortfall, want)
		}
	}
}

func rational(text string) *big.Rat {
	r, err := input.ParseNumber(text)
	report.Must(err)
	return r
}
