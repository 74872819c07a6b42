package impl

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
)

// designed returns a schedule, after checking what holds for all of them.
func designed(t *testing.T, p Pipeline, delta string, o ScheduleOptions) *Schedule {
	t.Helper()
	s, err := DesignSchedule(t.Context(), p, rational.MustParse(delta), o)
	if err != nil {
		t.Fatalf("%s at %s: %v", o.Shape, delta, err)
	}
	if s.Shortfall != "" || s.SingleStop == nil || s.Lemma11 == nil && !s.IsLeaking {
		t.Errorf("%s at %s: %s; Lemma 11 %v, single stops %v", o.Shape, delta, s.Shortfall, s.Lemma11, s.SingleStop)
	}
	checkSchedule(t, s, p, rational.MustParse(delta), o.Slack)
	for i, e := range s.Charges() {
		if p.IsContinuous() && s.Lemma11 != nil && o.Shape != Optimal {
			checkOrder(t, i, s.SingleStop[i], e, s.Lemma11[i])
		}
	}
	return s
}

// checkSchedule checks what [DesignSchedule] promises, with another call of [OptDel].
func checkSchedule(t *testing.T, s *Schedule, p Pipeline, delta *big.Rat, slack float64) {
	t.Helper()
	losses, nothing := p.problem().Losses(), true
	for i, e := range s.Charges() {
		nothing = nothing && e.Sign() == 0
		if stop := s.Pipeline.Stops[i]; stop.After != p.Stops[i].After || stop.Eps.Log || e.Sign() < 0 {
			t.Errorf("stop %d became %v", i+1, stop)
		}
		if most := rational.Float64(losses[i]) * 1.00000001; !p.IsContinuous() && rational.Float64(e) > most {
			t.Errorf("charge %d is %s, the largest loss %g", i+1, rational.Decimal(e), most)
		}
	}
	if slack == 0 {
		if slack = DefaultSlack; p.IsContinuous() {
			slack = SlackOfNoise
		}
	}
	least, most := s.Result.OptDel.Rats()
	if s.OptDel != nil && s.OptDel.Cmp(delta) == 0 {
		most = s.OptDel
	}
	if most.Cmp(delta) > 0 {
		t.Errorf("OptDel is up to %g, δ %s", s.Result.OptDel.Upper, rational.Decimal(delta))
	}
	if s.Shortfall == "" && !nothing && rational.Float64(least) < rational.Float64(delta)*(1-slack) {
		t.Errorf("OptDel is from %g on, δ %s, and no reason is given", s.Result.OptDel.Lower, rational.Decimal(delta))
	}
	r, err := OptDel(t.Context(), s.Pipeline, Options{RelWidth: slack / 8})
	if err != nil || r.OptDel.Lower.Cmp(s.Result.OptDel.Upper) > 0 || r.OptDel.Upper.Cmp(s.Result.OptDel.Lower) < 0 {
		t.Errorf("OptDel is %v, by another call %v, %v", s.Result.OptDel, r, err)
	}
}

// checkOrder fails unless charges are in order, up to the slack with which each is sought.
func checkOrder(t *testing.T, stop int, charges ...*big.Rat) {
	t.Helper()
	const slack = 1e-3
	for i, e := range charges[1:] {
		if rational.Float64(charges[i]) > rational.Float64(e)*(1+slack) {
			t.Errorf("stop %d: alone, together and by Lemma 11 charges %v", stop+1, floatsOf(charges))
		}
	}
}

func floatsOf(xs []*big.Rat) (fs []float64) {
	for _, x := range xs {
		fs = append(fs, rational.Float64(x))
	}
	return fs
}

// One stop: all shapes are the optimal composition, whatever the mechanisms are, and beside noise what loses next to
// nothing changes next to nothing.
func TestSchedule_OneStop(t *testing.T) {
	t.Parallel()
	const noise, three, step = "1e-3", 1.1385167, "gaussian 4 1 x3"
	for _, row := range testkit.Few(6, []struct {
		mechanisms, delta string
		want              float64 // 0: that of OptComp
	}{
		{"1 0", "0.1", math.Log(math.E - 0.1*(1+math.E))}, // δ = (e^ε − e^ℰ)/(1 + e^ε)
		{"0.1 1e-4 x10", "2e-3", 0},
		{"0.5 0 x30", "2e-3", 0},
		{"gaussian 300000 x1000", "1e-6", 0}, // next to none
		{"laplace 8.051 x4", "1e-5", 0},
		{"0 0, " + step, noise, three},
		{step + ", 1e-9 0", noise, three},
		{"gaussian 3.28 x5, gaussian 0.94 0.001 x5, gaussian 1.12 x5", "1e-6", 0},
	}) {
		p, near := parsed(row.mechanisms), 1e-6
		if p.IsContinuous() {
			near = 2 * SlackOfNoise
		}
		if row.want == 0 {
			c, err := OptComp(t.Context(), p.Mechanisms, rational.MustParse(row.delta), Options{})
			if err != nil {
				t.Fatal(err)
			}
			row.want = c.Eps.Float().Hi
		}
		for _, shape := range testkit.Few(1, Shapes) {
			s := designed(t, p, row.delta, ScheduleOptions{Shape: shape})
			for _, e := range append(s.Charges(), s.Lemma11[0], s.SingleStop[0], s.PlainDP()) {
				checkNear(t, row.mechanisms+", "+string(shape), rational.Float64(e), row.want, near)
			}
		}
	}
}

// edges are the ends of the domain, and problems that random searches found. zero says that all charges are 0, most
// that they are the largest losses. Those that take long come last.
var edges = []struct {
	problem, delta string
	zero, most     bool
}{
	{problem: "0.1 0 x10 | 5, 10", delta: "0", most: true},
	{problem: "ln(3/2) 0 x3 | 2, 3", delta: "0", most: true},
	{problem: "0 0 x3 | 3", delta: "0", most: true, zero: true},
	{problem: "0.1 0 x10 | 5, 10", delta: "0.3", zero: true},
	{problem: "0.1 0 x10 | 5, 10", delta: "0.9999999999999999", zero: true},
	{problem: "800 0 x4 | 2, 4", delta: "0.9999999999999999"},
	{problem: "0.1 0 x10 | 5, 10", delta: "1e-250", most: true},
	{problem: "0.1 1e-251 x10 | 5, 10", delta: "1e-249", most: true},
	// the δ of the mechanisms amount to 1 − 0.9999^10 = 0.00099955012…, at both stops to 0.0014994501…
	{problem: "0.1 1e-4 x10 | 5, 10", delta: "0.00099955012", most: true},
	{problem: "0.1 1e-4 x10 | 5, 10", delta: "0.00099955052"},
	{problem: "0.1 1e-4 x10 | 5, 10", delta: "0.00099955212"},
	{problem: "0.1 1e-4 x10 | 5, 10", delta: "0.00099965"},
	{problem: "0.1 1e-4 x10 | 5, 10", delta: "0.001499450131"},
	{problem: "0.1 1e-4 x10 | 5, 10", delta: "0.0014994516"},
	{problem: "0 1e-4 x3 | 1, 3", delta: "1e-3", zero: true},
	{problem: "0 0 x2, 0.125 0 x20 | 2, 22", delta: "1e-3"},
	{problem: "1e6 0 x4 | 2, 4", delta: "1e-3", most: true},
	{problem: "1e288 0 | 1", delta: "1e-3", most: true},
	{problem: "1e-200 0 x10 | 5, 10", delta: "1e-205"},
	{problem: "800 0 x2, 0.125 0 x20 | 2, 22", delta: "1e-3"},
	{problem: "1 0 x3 | every 1", delta: "1e-9"},
	{problem: "0.1 0 x6 | every 2", delta: "1e-6"},
	{problem: "ln(1e400) 0 x3 | 2, 3", delta: "0.001"},
	{problem: "ln(3/2) 0 x30 | 2, 30", delta: "1e-9"},
	{problem: "ln(9/4) 0 x5, ln(3/2) 0 x5 | every 1", delta: "6e-5"},
	{problem: "0.36 7e-16 x9, 0.06 7e-16 x9, 0.16 7e-16 x9, 0.12 7e-16 x9 | every 1", delta: "1e-12"},
	{problem: "1e-9 0 x100 | 50, 100", delta: "1e-12"},
	{problem: "1 0 x1000 | 500, 1000", delta: "1e-200"}, // out of reach
	{problem: "0.5 0 x1000 | 500, 1000", delta: "1e-200"},
	{problem: "0.5 0 x3000 | 1500, 3000", delta: "1e-250"},
	{problem: "0.001 0 x1000000 | 500000, 1000000", delta: "1e-6"},
}

func TestSchedule_Edges(t *testing.T) {
	t.Parallel()
	for _, row := range testkit.Few(27, edges) {
		p := parsed(row.problem)
		for _, shape := range Shapes {
			if shape != Uniform && (p.Stops[len(p.Stops)-1].After > 10_000 || shape != Optimal && !*testkit.Full) {
				continue // takes a dozen seconds, or is much like the uniform shape
			}
			t.Run(row.problem+" at "+row.delta+", "+string(shape), func(t *testing.T) {
				s := designed(t, p, row.delta, ScheduleOptions{Shape: shape})
				for i, e := range floatsOf(s.Charges()) {
					if row.zero && e != 0 {
						t.Errorf("charge %d is %g, must be 0", i+1, e)
					}
					isFree := shape == Optimal && i < len(p.Stops)-1 // beside a last charge that is the largest loss
					most := rational.Float64(p.problem().Losses()[i])
					if row.most && !isFree && math.Abs(e-most) > 1e-8*most {
						t.Errorf("charge %d is %g, must be the largest loss %g", i+1, e, most)
					}
				}
			})
		}
	}
}

// With noise: charges are next to the largest losses or far below them, orders of neighbours need their δ at different
// stops, or charges that are enough for one are nearly enough for the other. Those that take a second come last.
func TestSchedule_Noise(t *testing.T) {
	t.Parallel()
	const halved = "law 32/51,1/2 19/51,1/2, gaussian 3.15 0.0663 x64, law 0.99,0.9 0.01,0.1 x2 | 1, 65, 67"
	const three = "gaussian 1.36 0.000114 x64, law 42/56,28/47 11/56,16/47 3/56,3/47 x2, " +
		"gaussian 2.99 0.0241 x64, 0.415 1e-9 x3, laplace 2.1 0.0117 x64 | 197"
	for _, row := range testkit.Few(3, []struct {
		problem, delta string
		most           float64 // the largest loss of a step, if all have the same
	}{
		{"laplace 8.051 x4 | every 1", "1e-5", 1 / 8.051},
		{"laplace 1.5 0.1 x20 | every 5", "1e-9", math.Log1p(0.1 * math.Expm1(1/1.5))},
		{"law 1/2,1/3 1/2,2/3 x12 | every 3", "1e-4", math.Log(1.5)},
		{"laplace 1 x100 | 50, 100", "1e-15", 1},
		{"laplace 3.25 x50 | every 1", "1e-9", 1 / 3.25},
		{"gaussian 1 0.01 x50, law 0.99,0.9 0.01,0.1 x2, gaussian 1 0.01 x50 | 25, 52, 102", "1e-5", 0},
		{halved, "1e-4", 0},
		{three, "0.00611", 0},
		{"laplace 3 x200 | every 1", "1e-30", 1. / 3},
		{"laplace 1 x200 | every 10", "1e-9", 1},
		{"gaussian 0.5 1e-4 x500, laplace 3 x100 | 500, 600", "1e-12", 0},
	}) {
		s := designed(t, parsed(row.problem), row.delta, ScheduleOptions{})
		for i, stop := range s.Pipeline.Stops {
			largest := row.most*float64(stop.After) + 1e-13 // what is rounded for every step
			for _, e := range []*big.Rat{stop.Eps.Rat(), s.Lemma11[i], s.SingleStop[i]} {
				if row.most > 0 && rational.Float64(e) > largest {
					t.Errorf("%s: stop %d is charged %v, more than %v", row.problem, i+1, e.FloatString(17), largest)
				}
			}
		}
	}
}

// Where hardly less than the largest loss would be charged, rounding hid that δ is small: the schedule falls short.
// Next to the largest loss of a discrete step δ leaps: what single stops are charged for comparison left half of it.
func TestSchedule_NextToLargest(t *testing.T) {
	t.Parallel()
	if !*testkit.Full {
		t.Skip("takes seconds: -full runs it")
	}
	p, delta := parsed("laplace 1 x200 | every 10"), rational.MustParse("1e-20")
	s, err := DesignSchedule(t.Context(), p, delta, ScheduleOptions{})
	if err != nil || rational.Float64(s.PlainDP()) > 169 {
		t.Errorf("%v is charged, %v", s.PlainDP(), err)
	}
	const left = "0.00430702"
	p = parsed("discrete_gaussian 0.5937 x2, discrete_gaussian 0.5 | every 1")
	s = designed(t, p, left, ScheduleOptions{Shape: Sqrt})
	r := solve(t, p.charged(s.SingleStop), Options{})
	for i, x := range r.SingleStop {
		if most := rational.Float64(rational.MustParse(left)); x.Float().Hi > most || x.Float().Lo < 0.9*most {
			t.Errorf("stop %d alone is charged %s, which needs %v", i+1, s.SingleStop[i].FloatString(9), x)
		}
	}
}

// No shape is cheaper than the optimal one, with noise, on a grid, where blocks of stops find charges that no shape
// has, and at a corner that no step leads to; the mean is not below what it is said to be at least.
func TestSchedule_Optimal(t *testing.T) {
	t.Parallel()
	corner := parsed("ln(309/250) 177/10000 x6 | 2, 6")
	for _, row := range testkit.Few(4, []struct {
		name    string
		p       Pipeline
		delta   string
		weights []float64
	}{
		{"plain", parsed("gaussian 3 x4 | every 2"), "1e-4", nil},
		{"corner", corner, "20322018559459/200000000000000", []float64{1, 0.00200691}},
		{"blocks", everyStop(1000, 5, "0.05"), "1e-6", nil},
		{"grid", distinct(15, 5), "1e-6", nil},
		{"more steps", parsed("gaussian 3 x10 | every 2"), "1e-4", nil},
		{"sampled", parsed("gaussian 1 0.1 x6 | 1, 3, 6"), "1e-4", nil},
		{"long grid", distinct(100, 5), "1e-6", nil},
	}) {
		name := row.name
		o := ScheduleOptions{Shape: Optimal, Weights: row.weights}
		optimal := designed(t, row.p, row.delta, o)
		mean := optimal.Mean(optimal.Charges())
		if optimal.MeanAtLeast > mean || name == "corner" && (mean > 0.3545 || optimal.MeanAtLeast < 0.3538) {
			t.Errorf("%s: the mean is %g, none is below %g", name, mean, optimal.MeanAtLeast)
		}
		for _, shape := range testkit.Few(2, []Shape{Uniform, Linear, Sqrt}) {
			o.Shape = shape
			other := designed(t, row.p, row.delta, o)
			if x := other.Mean(other.Charges()); x < mean {
				t.Errorf("%s: %s costs %g, optimal %g", name, shape, x, mean)
			}
		}
	}
}

// A context that ends makes an error or a shortfall, at any time; progress rises from 0 to 1.
func TestSchedule_Cancelled(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]Pipeline{
		"lattice": everyStop(1000, 50, "0.05"), "grid": distinct(6, 3), "few": parsed("0.1 0 x6 | every 3"),
	} {
		for _, shape := range Shapes {
			o := ScheduleOptions{Shape: shape, Slack: 1e-3}
			for _, part := range []float64{-1, 0.1, 0.3, 0.5, 0.8, 2} {
				ctx, cancel := context.WithCancel(t.Context())
				last := 0.0
				o.Progress = func(done float64) {
					if !(done >= last && done <= 1) {
						t.Errorf("%s, %s: progress goes from %g to %g", name, shape, last, done)
					}
					if last = done; done >= part {
						cancel()
					}
				}
				if part < 0 {
					cancel()
				}
				s, err := DesignSchedule(ctx, p, rational.MustParse("1e-6"), o)
				cancel()
				switch {
				case err == nil:
					checkSchedule(t, s, p, rational.MustParse("1e-6"), o.Slack)
					isUnfinished := shape == Optimal && strings.Contains(s.Shortfall, "not finished")
					if isUnfinished == (s.Shape == shape) {
						t.Errorf("%s, %s, at %g: shape %s, %q", name, shape, part, s.Shape, s.Shortfall)
					}
				case part > 1 || !errors.Is(err, context.Canceled):
					t.Errorf("%s, %s, at %g: %v", name, shape, part, err)
				}
				if part > 1 && last < 0.75 {
					t.Errorf("%s, %s: progress ends at %g", name, shape, last)
				}
			}
		}
	}
}

// Where time may run out, coarse charges are there first, for both orders, and those with a larger slack before those
// with a small one; they are certified, and are kept when it does.
func TestSchedule_First(t *testing.T) {
	t.Parallel()
	uniform := [2]Shape{Uniform, Uniform}
	for _, row := range testkit.Few(3, []struct {
		problem string
		delta   string
		ends    bool
		slack   float64
		left    float64  // of δ
		shapes  [2]Shape // asked for, and found
	}{
		{"gaussian 1 0.1 x4 | 2, 4", "1e-5", true, 0, coarseSlack, [2]Shape{Linear, Linear}},
		{"gaussian 1 0.1 x4 | 2, 4", "1e-5", true, 0, coarseSlack, [2]Shape{Optimal, Uniform}},
		{"gaussian 1 0.1 x4, law 0.99,0.9 0.01,0.1 x2 | 2, 6", "1e-5", true, 0, coarseSlack, uniform},
		{"gaussian 1 0.01 x50, law 0.99,0.9 0.01,0.1 x2, gaussian 1 0.01 x50 | 25, 52, 102",
			"1e-5", true, 0, coarseSlack, uniform},
		{"gaussian 1 0.01 x100 | 50, 100", "1e-6", false, 1e-12, 2e-3, uniform},
	}) {
		ctx, cancel := context.WithCancel(t.Context())
		if row.ends {
			far, end := context.WithTimeout(ctx, time.Hour)
			defer end()
			ctx = far
		}
		p, delta := parsed(row.problem), rational.MustParse(row.delta)
		o := ScheduleOptions{Shape: row.shapes[0], Slack: row.slack, Progress: func(done float64) {
			if done > 0.1 {
				cancel()
			}
		}}
		s, err := DesignSchedule(ctx, p, delta, o)
		cancel()
		if err != nil || s.Shape != row.shapes[1] || !strings.Contains(s.Shortfall, "not finished") {
			t.Fatalf("%s: %v, %+v", row.problem, err, s)
		}
		checkSchedule(t, s, p, delta, row.left)
		if x := s.Result.OptDel.Float(); x.Lo < (1-row.left)*(1-1e-2)*rational.Float64(delta) {
			t.Errorf("%s: OptDel is %v, of %s", row.problem, x, row.delta)
		}
	}
}

// The charges of the stops are not used, nor changed.
func TestSchedule_ChargesIgnored(t *testing.T) {
	t.Parallel()
	p, q := parsed("0.1 0 x10 | 5 0, 10 0"), parsed("0.1 0 x10 | 5 -3, 10 1e400")
	q.Stops[0].Eps = loss.Epsilon{}
	a, b := designed(t, p, "1e-3", ScheduleOptions{}), designed(t, q, "1e-3", ScheduleOptions{})
	if x, y := floatsOf(a.Charges()), floatsOf(b.Charges()); !slices.Equal(x, y) || q.Stops[0].Eps.Rat() != nil ||
		q.Stops[1].Eps.Rat().Cmp(rational.MustParse("1e400")) != 0 {
		t.Errorf("charged %v, and %v where others were typed: %v", x, y, q.Stops)
	}
}

// Single stops need δ in proportion to 1, i or √i, and Lemma 11 with its charges too.
func TestSchedule_Proportions(t *testing.T) {
	t.Parallel()
	p := everyStop(40, 8, "0.2")
	for shape, want := range map[Shape]func(i float64) float64{
		Uniform: func(float64) float64 { return 1 }, Linear: func(i float64) float64 { return i }, Sqrt: math.Sqrt,
	} {
		s := designed(t, p, "1e-6", ScheduleOptions{Shape: shape})
		lemma := solve(t, p.charged(s.Lemma11), Options{})
		for _, singles := range [][]interval.Interval{s.Result.SingleStop, lemma.SingleStop} {
			for i, x := range singles {
				part := x.Float().Hi / singles[0].Float().Hi
				checkNear(t, fmt.Sprint(shape, ", stop ", i+1), part, want(float64(i+1)), 1e-6)
			}
		}
	}
}

func TestSchedule_Errors(t *testing.T) {
	t.Parallel()
	const few, leaky = "0.1 0 x10 | 5, 10", "0.1 1e-4 x10 | 5, 10"
	const leak = "must be at least about 0.00099955012, which the δ of the mechanisms amount to whatever is charged"
	weights := func(ws ...float64) ScheduleOptions { return ScheduleOptions{Weights: ws} }
	for _, row := range []struct {
		problem, delta string
		o              ScheduleOptions
		want           string
	}{
		{few, "-1e-6", ScheduleOptions{}, "delta is -1e-06, must be at least 0 and less than 1"},
		{few, "1", ScheduleOptions{}, "delta is 1, must be at least 0 and less than 1"},
		{few, "1e-251", ScheduleOptions{}, "delta is 1e-251, must be at least 1e-250, or 0"},
		{few, "1e-400", ScheduleOptions{}, "delta is about 1e-400, must be at least 1e-250, or 0"},
		{"gaussian 2 x2 | 2", "1e-251", ScheduleOptions{}, "delta is 1e-251, must be at least 1e-250"},
		{leaky, "0", ScheduleOptions{}, "delta is 0, " + leak},
		{leaky, "1e-400", ScheduleOptions{}, "delta is about 1e-400, " + leak},
		{leaky, "0.0009", ScheduleOptions{}, "delta is 0.0009, " + leak},
		{"0.1 1 x3 | 3", "0.5", ScheduleOptions{}, "delta is 0.5, and none is enough: " +
			"the δ of the mechanisms amount to 1, whatever is charged"},
		{few, "0.1", weights(1), "there are 1 weights, must be 2, one for each stop"},
		{few, "0.1", ScheduleOptions{Weights: []float64{}}, "there are 0 weights, must be 2, one for each stop"},
		{few, "0.1", weights(1, -1), "weight 2 is -1, must be between 0 and 1e+12"},
		{few, "0.1", weights(math.NaN(), 1), "weight 1 is NaN, must be between 0 and 1e+12"},
		{few, "0.1", weights(1, 2e100), "weight 2 is 2e+100, must be between 0 and 1e+12"},
		{few, "0.1", weights(0, 0), "all weights are 0, must be at least one that is not"},
		{few, "0.1", ScheduleOptions{Slack: 1}, "slack is 1, must be more than 0 and less than 1"},
		{few, "0.1", ScheduleOptions{Slack: math.NaN()}, "slack is NaN, must be more than 0 and less than 1"},
		{few, "0.1", ScheduleOptions{Shape: "cubic"}, `shape is "cubic", must be one of [uniform linear sqrt optimal]`},
		{"-1 0 x3 | 1, 3", "0.1", ScheduleOptions{}, "mechanism 1: eps is -1, must be at least 0"},
		{"1e300 0 x3 | 1, 3", "0.1", ScheduleOptions{}, "mechanism 1: eps is 1e+300, must be at most 1e289"},
		{"1e289 0 x10 | 5, 10", "0.1", ScheduleOptions{},
			"mechanisms: their eps add up to more than a charge may be, 1e289"},
		{"0.1 0 x10 | 5", "0.1", ScheduleOptions{},
			"stop 1: after is 5, the last stop must be the end of the pipeline, 10"},
	} {
		s, err := DesignSchedule(t.Context(), parsed(row.problem), rational.MustParse(row.delta), row.o)
		if err == nil || err.Error() != row.want || s != nil {
			t.Errorf("%v, want %s", err, row.want)
		}
		_, ofDelta := errors.AsType[*DeltaError](err)
		_, ofInput := errors.AsType[*InputError](err)
		if ofDelta != strings.HasPrefix(row.want, "delta ") ||
			ofInput != (strings.HasPrefix(row.want, "mechanism") || strings.HasPrefix(row.want, "stop ")) {
			t.Errorf("%s: is a DeltaError: %v, an InputError: %v", row.want, ofDelta, ofInput)
		}
	}
}
