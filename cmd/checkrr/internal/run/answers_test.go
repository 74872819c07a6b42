package run

import (
	"math/big"
	"os"
	"path/filepath"
	"testing"

	"checkrr/cmd/checkrr/internal/input"
	"checkrr/cmd/checkrr/internal/report"
	"checkrr/impl"
	"checkrr/impl/interval"
)

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
		{0.25, 0.25, "0.2500"}, {0.249999, 0.25, "0.2500"}, {0.249, 0.25, "0.250"}, {0.24, 0.2501, "0.26"}, {0.1,
			0.2501, "at most 0.26"},
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
		result := &impl.Result{OptDel: interval.Of(1.25e-6, 1.2500000001e-6), Lemma11: interval.Of(2.5e-5, 2.5e-5)}
		s := found{Result: result, exact: rational(exact)}
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

// TestChargeCell: never below the charge.
func TestChargeCell(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "–", "0": "0", "1": "1", "4.94339": "4.94339", "4.943389001": "4.94339", "9.9999991": "10.0000",
		"0.2": "0.2",
		"100": "100", "1/3": "0.333334", "0.1": "0.1", "123456.01": "123457",
	} {
		var e *big.Rat
		if in != "" {
			e = rational(in)
		}
		if got := chargeCell(e); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
}

func rational(text string) *big.Rat {
	r, err := input.ParseNumber(text)
	report.Must(err)
	return r
}

// TestSamePlace: a file that is not there yet is the same under both names of its folder, of which a link stands for
// any.
func TestSamePlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	one, other := filepath.Join(folder, "one"), filepath.Join(folder, "other")
	if err := os.Mkdir(one, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(one, other); err != nil {
		t.Skip(err)
	}
	for _, x := range []struct {
		a, b   string
		isSame bool
	}{
		{filepath.Join(one, "x"), filepath.Join(other, "x"), true},
		{filepath.Join(one, "x"), filepath.Join(other, "y"), false},
		{filepath.Join(one, "x"), filepath.Join(folder, "x"), false},
		{filepath.Join(folder, "none", "x"), filepath.Join(folder, "none", "x"), false},
	} {
		if same := samePlace(x.a, x.b); same != x.isSame {
			t.Errorf("%s and %s are the same: %v", x.a, x.b, same)
		}
	}
}
