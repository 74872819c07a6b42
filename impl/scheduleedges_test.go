package impl

import (
	"errors"
	"math"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// TestSchedule_Edges: the ends of the domain. zero says that all charges are 0, most that they are
// the largest losses.
func TestSchedule_Edges(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	with := func(p Pipeline, ms ...Mechanism) Pipeline {
		p.Mechanisms = ms
		return p
	}
	stops := func(after ...int) (p Pipeline) {
		for _, k := range after {
			p.Stops = append(p.Stops, Stop{After: k, Eps: exactly(0)})
		}
		return p
	}
	few := pipe(10, "0.1", "0", "0", "0")
	leaky := pipe(10, "0.1", "1e-4", "0", "0") // 1 − 0.9999^10 = 0.00099955012…
	for _, row := range []struct {
		name       string
		p          Pipeline
		delta      string
		zero, most bool
	}{
		{name: "delta 0", p: few, delta: "0", most: true},
		{name: "delta 0, e^eps", p: with(stops(2, 3), Mechanism{Eps: loss.Exp(rational.MustParse("3/2")), Delta: rational.MustParse("0"), Count: 3}), delta: "0", most: true},
		{name: "delta 0, eps 0", p: pipe(3, "0", "0", "0"), delta: "0", most: true, zero: true},
		{name: "delta of charges 0", p: few, delta: "0.3", zero: true},
		{name: "delta 0.999", p: few, delta: "0.999", zero: true},
		{name: "delta next to 1", p: few, delta: "0.9999999999999999", zero: true},
		{name: "delta next to 1, eps 800", p: pipe(4, "800", "0", "0", "0"), delta: "0.9999999999999999"},
		{name: "delta 1e-200", p: pipe(1000, "0.5", "0", "0", "0"), delta: "1e-200"},
		{name: "delta 1e-200, out of reach", p: pipe(1000, "1", "0", "0", "0"), delta: "1e-200"},
		{name: "delta 1e-250", p: pipe(3000, "0.5", "0", "0", "0"), delta: "1e-250"},
		{name: "delta 1e-250, few", p: few, delta: "1e-250", most: true},
		{name: "delta 1e-249 more than a leak", p: pipe(10, "0.1", "1e-251", "0", "0"), delta: "1e-249", most: true},
		{name: "leak and 1e-10 of it", p: leaky, delta: "0.00099955012", most: true},
		{name: "leak and 4e-7 of it", p: leaky, delta: "0.00099955052"},
		{name: "leak and 2e-6 of it", p: leaky, delta: "0.00099955212"},
		{name: "leak and 1e-4 of it", p: leaky, delta: "0.00099965"},
		{name: "leaks of both stops", p: leaky, delta: "0.001499450131"},
		{name: "leaks of both stops and 1e-6 of it", p: leaky, delta: "0.0014994516"},
		{name: "eps 0", p: pipe(3, "0", "0", "0", "0"), delta: "1e-3", zero: true},
		{name: "eps 0, with delta", p: pipe(3, "0", "1e-4", "0", "0"), delta: "1e-3", zero: true},
		{name: "eps 0 first", p: with(stops(2, 22), Mechanism{Eps: exactly(0), Delta: rational.MustParse("0"), Count: 2}, Mechanism{Eps: exactly(0.125), Delta: rational.MustParse("0"), Count: 20}), delta: "1e-3"},
		{name: "eps 1e6", p: pipe(4, "1e6", "0", "0", "0"), delta: "1e-3", most: true},
		{name: "eps 1e289", p: pipe(1, "1e288", "0", "0"), delta: "1e-3", most: true},
		{name: "eps 1e-200", p: pipe(10, "1e-200", "0", "0", "0"), delta: "1e-205"},
		{name: "eps 1e-9", p: pipe(100, "1e-9", "0", "0", "0"), delta: "1e-12"},
		{name: "eps 800 first", p: with(stops(2, 22), Mechanism{Eps: exactly(800), Delta: rational.MustParse("0"), Count: 2}, Mechanism{Eps: exactly(0.125), Delta: rational.MustParse("0"), Count: 20}), delta: "1e-3"},
		{name: "one mechanism", p: pipe(1, "1", "0", "0"), delta: "1e-3"},
		{name: "three mechanisms of eps 1", p: pipe(3, "1", "0", "0", "0", "0"), delta: "1e-9"},
		{name: "six mechanisms of eps 0.1", p: pipe(6, "0.1", "0", "0", "0", "0"), delta: "1e-6"},
		{name: "e^eps 1e400", p: with(stops(2, 3), Mechanism{Eps: loss.Exp(rational.MustParse("1e400")), Delta: rational.MustParse("0"), Count: 3}), delta: "0.001"},
		{name: "e^eps 3/2", p: with(stops(2, 30), Mechanism{Eps: loss.Exp(rational.MustParse("3/2")), Delta: rational.MustParse("0"), Count: 30}), delta: "1e-9"},
		{name: "a million", p: pipe(1_000_000, "0.001", "0", "0", "0"), delta: "1e-6"},
	} {
		for _, shape := range Shapes {
			if shape != Uniform && (row.p.Stops[len(row.p.Stops)-1].After > 10_000 || shape != Optimal && !*testkit.Full) {
				continue // takes a dozen seconds, or is much like the uniform shape
			}
			t.Run(row.name+", "+string(shape), func(t *testing.T) {
				s := designed(t, row.p, row.delta, ScheduleOptions{Shape: shape})
				if s.Shortfall != "" {
					t.Errorf("shortfall %q", s.Shortfall)
				}
				for i, e := range s.Charges() {
					if row.zero && e.Sign() != 0 {
						t.Errorf("charge %d is %s, must be 0", i+1, rational.Decimal(e))
					}
					loss := rational.Float64(row.p.problem().Losses()[i])
					// beside a last charge that is the largest loss
					isFree := shape == Optimal && i < len(row.p.Stops)-1
					if x := rational.Float64(e); row.most && !isFree && math.Abs(x-loss) > 1e-8*loss {
						t.Errorf("charge %d is %g, must be the largest loss %g", i+1, x, loss)
					}
					if !row.most && !row.zero && row.p.problem().Reach() < 1e3 && i == len(row.p.Stops)-1 && shape == Linear && !(rational.Float64(e) < loss) && loss > 0 {
						t.Errorf("charge %d is %s, must be less than the largest loss", i+1, rational.Decimal(e))
					}
				}
			})
		}
	}
}

func TestSchedule_Errors(t *testing.T) {
	t.Parallel()
	p, leaky := pipe(10, "0.1", "0", "0", "0"), pipe(10, "0.1", "1e-4", "0", "0")
	inf, nan := math.Inf(1), math.NaN()
	for _, row := range []struct {
		p     Pipeline
		delta string
		o     ScheduleOptions
		want  string
	}{
		{p, "-1e-6", ScheduleOptions{}, "delta is -1e-06, must be at least 0 and less than 1"},
		{p, "1", ScheduleOptions{}, "delta is 1, must be at least 0 and less than 1"},
		{p, "1e300", ScheduleOptions{}, "delta is 1e+300, must be at least 0 and less than 1"},
		{p, "1e-251", ScheduleOptions{}, "delta is 1e-251, must be at least 1e-250, or 0"},
		{p, "1e-400", ScheduleOptions{}, "delta is about 1e-400, must be at least 1e-250, or 0"},
		{stoppedAfter([]Mechanism{noisy(certify.Gaussian, "2", "1", 2)}, 2), "1e-251", ScheduleOptions{}, "delta is 1e-251, must be at least 1e-250"},
		{leaky, "0", ScheduleOptions{}, "delta is 0, must be more than about 0.00099955012, which the δ of the mechanisms amount to whatever is charged"},
		{leaky, "1e-400", ScheduleOptions{}, "delta is about 1e-400, must be more than about 0.00099955012, which the δ of the mechanisms amount to whatever is charged"},
		{leaky, "0.0009", ScheduleOptions{}, "delta is 0.0009, must be more than about 0.00099955012, which the δ of the mechanisms amount to whatever is charged"},
		{pipe(3, "0.1", "1", "0"), "0.5", ScheduleOptions{}, "delta is 0.5, and none is enough: the δ of the mechanisms amount to 1, whatever is charged"},
		{p, "0.1", ScheduleOptions{Weights: []float64{1}}, "there are 1 weights, must be 2, one for each stop"},
		{p, "0.1", ScheduleOptions{Weights: []float64{}}, "there are 0 weights, must be 2, one for each stop"},
		{p, "0.1", ScheduleOptions{Weights: []float64{1, -1}}, "weight 2 is -1, must be between 0 and 1e+12"},
		{p, "0.1", ScheduleOptions{Weights: []float64{nan, 1}}, "weight 1 is NaN, must be between 0 and 1e+12"},
		{p, "0.1", ScheduleOptions{Weights: []float64{inf, 1}}, "weight 1 is +Inf, must be between 0 and 1e+12"},
		{p, "0.1", ScheduleOptions{Weights: []float64{1, 2e100}}, "weight 2 is 2e+100, must be between 0 and 1e+12"},
		{p, "0.1", ScheduleOptions{Weights: []float64{0, 0}}, "all weights are 0, must be at least one that is not"},
		{p, "0.1", ScheduleOptions{Slack: 1}, "slack is 1, must be more than 0 and less than 1"},
		{p, "0.1", ScheduleOptions{Slack: -1e-9}, "slack is -1e-09, must be more than 0 and less than 1"},
		{p, "0.1", ScheduleOptions{Slack: nan}, "slack is NaN, must be more than 0 and less than 1"},
		{p, "0.1", ScheduleOptions{Shape: "cubic"}, `shape is "cubic", must be one of [uniform linear sqrt optimal]`},
		{Pipeline{}, "0.1", ScheduleOptions{}, "mechanisms: there are none, must be at least one"},
		{pipe(3, "-1", "0", "0"), "0.1", ScheduleOptions{}, "mechanism 1: eps is -1, must be at least 0"},
		{pipe(3, "1e300", "0", "0"), "0.1", ScheduleOptions{}, "mechanism 1: eps is 1e+300, must be at most 1e289"},
		{pipe(10, "1e289", "0", "0"), "0.1", ScheduleOptions{}, "mechanisms: their eps add up to more than a charge may be, 1e289"},
		{Pipeline{p.Mechanisms, p.Stops[:1]}, "0.1", ScheduleOptions{}, "stop 1: after is 5, the last stop must be the end of the pipeline, 10"},
	} {
		s, err := DesignSchedule(t.Context(), row.p, rational.MustParse(row.delta), row.o)
		if err == nil || err.Error() != row.want || s != nil {
			t.Errorf("%v, want %s", err, row.want)
			continue
		}
		var ofDelta *DeltaError
		if got, want := errors.As(err, &ofDelta), strings.HasPrefix(row.want, "delta "); got != want {
			t.Errorf("%s: is a DeltaError: %v", row.want, got)
		}
		var input *InputError
		if got, want := errors.As(err, &input), strings.HasPrefix(row.want, "mechanism") || strings.HasPrefix(row.want, "stop "); got != want {
			t.Errorf("%s: is an InputError: %v", row.want, got)
		}
	}
}
