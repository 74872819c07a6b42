package impl

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"testing"
	"time"

	"checkrr/impl/internal/rational"
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
	checkSchedule(t, s, p, rational.MustParse(delta), cmp.Or(o.Slack, DefaultSlack))
	return s
}

// exactly returns the parameter ε = e.
func exactly(e float64) loss.Epsilon { return loss.Nats(new(big.Rat).SetFloat64(e)) }

// checkSchedule checks what [DesignSchedule] promises, with another call of [OptDel].
func checkSchedule(t *testing.T, s *Schedule, p Pipeline, delta *big.Rat, slack float64) {
	t.Helper()
	n := len(p.Stops)
	if s.Shortfall != "" && s.Lemma11 == nil { // time ran out before the comparisons were there
		n = len(s.SingleStop)
	}
	if n != len(p.Stops) && n != 0 || len(s.SingleStop) != n || s.Lemma11 != nil && len(s.Lemma11) != n {
		t.Fatalf("%d stops became %d and %d", len(p.Stops), len(s.SingleStop), len(s.Lemma11))
	}
	n = len(p.Stops)
	if len(s.Pipeline.Stops) != n || len(s.Weights) != n {
		t.Fatalf("%d stops became %d, with %d weights", n, len(s.Pipeline.Stops), len(s.Weights))
	}
	losses, nothing := p.problem().Losses(), true
	for i, e := range s.Charges() {
		nothing = nothing && e.Sign() == 0
		if s.Pipeline.Stops[i].After != p.Stops[i].After || s.Pipeline.Stops[i].Eps.Log || e.Sign() < 0 {
			t.Errorf("stop %d became %v", i+1, s.Pipeline.Stops[i])
		}
		if most := new(big.Rat).Mul(losses[i], rational.MustParse("1.00000001")); e.Cmp(most) > 0 {
			t.Errorf("charge %d is %s, the largest loss %s", i+1, rational.Decimal(e), rational.Decimal(losses[i]))
		}
	}
	if upper, _ := s.Result.OptDel.Upper.Rat(nil); upper.Cmp(delta) > 0 {
		t.Errorf("OptDel is up to %g, δ %s", s.Result.OptDel.Upper, rational.Decimal(delta))
	}
	lower, _ := s.Result.OptDel.Lower.Rat(nil)
	if least := rational.Float64(delta) * (1 - slack); s.Shortfall == "" && !nothing && rational.Float64(lower) < least {
		t.Errorf("OptDel is from %g on, must be %g at least, and no reason is given", s.Result.OptDel.Lower, least)
	}
	r, err := OptDel(t.Context(), s.Pipeline, Options{RelWidth: slack / 8})
	if err != nil || r.OptDel.Lower.Cmp(s.Result.OptDel.Upper) > 0 || r.OptDel.Upper.Cmp(s.Result.OptDel.Lower) < 0 {
		t.Errorf("OptDel is %v, by another call %v, %v", s.Result.OptDel, r, err)
	}
}

func floatsOf(xs []*big.Rat) (fs []float64) {
	for _, x := range xs {
		fs = append(fs, rational.Float64(x))
	}
	return fs
}

// One stop: all shapes are the optimal composition.
func TestSchedule_OneStop(t *testing.T) {
	t.Parallel()
	for _, p := range []Pipeline{pipe(1, "1", "0", "0"), pipe(10, "0.1", "1e-4", "0"), pipe(30, "0.5", "0", "0")} {
		for _, shape := range Shapes {
			s := designed(t, p, "2e-3", ScheduleOptions{Shape: shape})
			e := s.Charges()[0]
			for what, other := range map[string]*big.Rat{"Lemma 11": s.Lemma11[0], "single stop": s.SingleStop[0], "plain DP": s.PlainDP()} {
				if math.Abs(rational.Float64(e)-rational.Float64(other)) > 1e-7*rational.Float64(e) {
					t.Errorf("%s: charged %s, %s %s", shape, rational.Decimal(e), what, rational.Decimal(other))
				}
			}
		}
	}
	// (ε, 0) alone, at ℰ: δ = (e^ε − e^ℰ)/(1 + e^ε)
	s := designed(t, pipe(1, "1", "0", "0"), "0.1", ScheduleOptions{})
	if got, want := rational.Float64(s.Charges()[0]), math.Log(math.E-0.1*(1+math.E)); math.Abs(got-want) > 1e-6 {
		t.Errorf("charged %.9g, want %.9g", got, want)
	}
}

// Found by random search: the largest of single stops alone is OptDel, so that the uniform search
// ends where it begins; and charges near the largest loss, of which float64 tells few apart.
func TestSchedule_Found(t *testing.T) {
	t.Parallel()
	p := Pipeline{Mechanisms: []Mechanism{{Eps: loss.Exp(rational.MustParse("9/4")), Delta: rational.MustParse("0"), Count: 5}, {Eps: loss.Exp(rational.MustParse("3/2")), Delta: rational.MustParse("0"), Count: 5}}}
	for i := range 10 {
		p.Stops = append(p.Stops, Stop{After: i + 1, Eps: exactly(0)})
	}
	a, b := designed(t, p, "6e-5", ScheduleOptions{Shape: Optimal}), designed(t, p, "6e-5", ScheduleOptions{})
	if x, y := a.Mean(a.Charges()), b.Mean(b.Charges()); x > y*(1+DefaultSlack) {
		t.Errorf("optimal costs %.9g, uniform %.9g", x, y)
	}
	p = Pipeline{}
	for _, eps := range []string{"0.36", "0.06", "0.16", "0.12"} {
		p.Mechanisms = append(p.Mechanisms, Mechanism{Eps: loss.Nats(rational.MustParse(eps)), Delta: rational.MustParse("1/1404000000000000"), Count: 9})
	}
	for i := range 36 {
		p.Stops = append(p.Stops, Stop{After: i + 1, Eps: exactly(0)})
	}
	designed(t, p, "1e-12", ScheduleOptions{})
}

// On a grid the charges are certified for the default slack, and so are those they are compared with.
// Finer and finer grids, to no avail, would take minutes.
func TestSchedule_Grid(t *testing.T) {
	t.Parallel()
	for _, shape := range []Shape{Uniform, Optimal} {
		s, err := DesignSchedule(context.Background(), distinct(100, 5, 2), big.NewRat(1, 1e6), ScheduleOptions{Shape: shape})
		switch {
		case err != nil:
			t.Errorf("%s: %v", shape, err)
		case s.Shortfall != "" || s.Lemma11 == nil || s.SingleStop == nil:
			t.Errorf("%s: fell short (%s), or compared with %v and %v", shape, s.Shortfall, s.Lemma11, s.SingleStop)
		case shape == Optimal && !(s.MeanAtLeast > 0 && s.MeanAtLeast <= s.Mean(s.Charges())):
			t.Errorf("the mean is %g, none is below %g", s.Mean(s.Charges()), s.MeanAtLeast)
		}
	}
}

// A context that ends makes an error or a shortfall, at any time.
func TestSchedule_Cancelled(t *testing.T) {
	t.Parallel()
	p := everyStop(1000, 10, "0.05")
	for _, shape := range Shapes {
		o := ScheduleOptions{Shape: shape}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, delta := range []string{"0", "1e-6"} {
			if s, err := DesignSchedule(ctx, p, rational.MustParse(delta), o); !errors.Is(err, context.Canceled) && (s == nil || s.Result.Shortfall == "") {
				t.Errorf("%s, δ = %s, before: %v, %v", shape, delta, s, err)
			}
		}
		start := time.Now()
		designed(t, p, "1e-6", o)
		whole := time.Since(start)
		for part := range 12 {
			ctx, cancel := context.WithTimeout(t.Context(), whole*time.Duration(part+1)/14)
			s, err := DesignSchedule(ctx, p, rational.MustParse("1e-6"), o)
			cancel()
			switch {
			case err == nil:
				checkSchedule(t, s, p, rational.MustParse("1e-6"), DefaultSlack)
			case !errors.Is(err, context.DeadlineExceeded):
				t.Errorf("%s, during: %v", shape, err)
			}
		}
	}
}

// Progress rises from 0 to 1.
func TestSchedule_Progress(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, p := range map[string]Pipeline{"lattice": everyStop(1000, 10, "0.05"), "grid": distinct(6, 3, 1), "few": pipe(6, "0.1", "0", "0", "0")} {
		for _, shape := range Shapes {
			last, calls := 0.0, 0
			o := ScheduleOptions{Shape: shape, Slack: 1e-3, Progress: func(done float64) {
				if !(done >= last && done <= 1) {
					t.Errorf("%s, %s: progress goes from %g to %g", name, shape, last, done)
				}
				last, calls = done, calls+1
			}}
			if designed(t, p, "1e-6", o); calls == 0 || last < 0.75 {
				t.Errorf("%s, %s: progress ends at %g after %d calls", name, shape, last, calls)
			}
		}
	}
}

// The charges of the stops are not used, nor changed.
func TestSchedule_ChargesIgnored(t *testing.T) {
	t.Parallel()
	p, q := pipe(10, "0.1", "0", "0", "0"), pipe(10, "0.1", "0", "-3", "1e400")
	q.Stops[0].Eps = loss.Epsilon{}
	a, b := designed(t, p, "1e-3", ScheduleOptions{}), designed(t, q, "1e-3", ScheduleOptions{})
	if x, y := floatsOf(a.Charges()), floatsOf(b.Charges()); !slices.Equal(x, y) || q.Stops[0].Eps.Rat() != nil || q.Stops[1].Eps.Rat().Cmp(rational.MustParse("1e400")) != 0 {
		t.Errorf("charged %v, and %v where others were typed: %v", x, y, q.Stops)
	}
}

// Single stops need δ in proportion to 1, i or √i, and Lemma 11 with its charges too.
func TestShapes_Proportions(t *testing.T) {
	t.Parallel()
	p := everyStop(40, 8, "0.2")
	for shape, want := range map[Shape]func(i float64) float64{
		Uniform: func(float64) float64 { return 1 }, Linear: func(i float64) float64 { return i }, Sqrt: math.Sqrt,
	} {
		s := designed(t, p, "1e-6", ScheduleOptions{Shape: shape})
		lemma := solve(t, p.charged(s.Lemma11), Options{})
		for name, singles := range map[string][]interval.Interval{"schedule": s.Result.SingleStop, "Lemma 11": lemma.SingleStop} {
			first, _ := singles[0].Upper.Float64()
			for i, x := range singles {
				if y, _ := x.Upper.Float64(); math.Abs(y/first/want(float64(i+1))-1) > 1e-6 {
					t.Errorf("%s, %s: stop %d needs %g, stop 1 %g", shape, name, i+1, y, first)
				}
			}
		}
	}
}
