package impl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/certify"
	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
	"checkrr/impl/loss"
)

// noisy returns count mechanisms with noise.
func noisy(n certify.Noise, scale, sampling string, count int) Mechanism {
	return Mechanism{Additive: &certify.Additive{Noise: n, Scale: rational.MustParse(scale), Sampling: rational.MustParse(sampling)}, Count: count}
}

// stoppedAfter returns the mechanisms with stops.
func stoppedAfter(ms []Mechanism, after ...int) Pipeline {
	p := Pipeline{Mechanisms: ms}
	for _, k := range after {
		p.Stops = append(p.Stops, Stop{After: k, Eps: loss.Nats(new(big.Rat))})
	}
	return p
}

// foundNoise is [DesignNoise], with what it promises checked by another call of [OptDel].
func foundNoise(t *testing.T, p Pipeline, eps, delta string, o NoiseOptions) *NoiseDesign {
	t.Helper()
	e, most := rational.MustParse(eps), rational.MustParse(delta)
	d, err := DesignNoise(t.Context(), p, e, most, o)
	if err != nil {
		t.Fatal(err)
	}
	after := o.After
	if after == 0 {
		after = p.Stops[len(p.Stops)-1].After
	}
	for _, s := range d.Pipeline.Stops {
		if s.After == after && s.Eps.Rat().Cmp(e) != 0 {
			t.Errorf("after %d %v is charged, not %v", after, s.Eps, e)
		}
	}
	r, err := OptDel(t.Context(), d.Pipeline, Options{RelWidth: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if lower, _ := r.OptDel.Rats(); lower.Cmp(most) > 0 {
		t.Errorf("OptDel is %v, more than %s", r.OptDel, delta)
	}
	if _, upper := d.Result.OptDel.Rats(); upper.Cmp(most) > 0 {
		t.Errorf("OptDel is at most %v, more than %s", d.Result.OptDel, delta)
	}
	return d
}

// scaleOf returns the scale of the i-th mechanism.
func scaleOf(ms []Mechanism, i int) float64 { return rational.Float64(ms[i].Additive.Scale) }

// TestDesignNoise_ClosedForm: k Gaussian steps need δ = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) with μ = √k/σ.
func TestDesignNoise_ClosedForm(t *testing.T) {
	t.Parallel()
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, tt := range testkit.Few(4, []struct {
		k          int
		eps, delta string
		width      float64
	}{{1, "1", "1e-6", 1e-6}, {1, "0.1", "1e-3", 1e-4}, {100, "3", "1e-6", 1e-4}, {1000, "0.5", "1e-9", 0}, {7, "8", "1e-5", 0}, {1, "0", "0.01", 0}, {3, "1", "0.5", 0.1}, {1, "50", "1e-6", 0}, {1, "200", "1e-6", 0}, {1, "500", "1e-6", 0}}) {
		eps, delta := rational.Float64(rational.MustParse(tt.eps)), rational.Float64(rational.MustParse(tt.delta))
		lo, hi := 1e-2, 1e6
		for range 200 {
			sigma := math.Sqrt(lo * hi)
			if mu := math.Sqrt(float64(tt.k)) / sigma; phi(mu/2-eps/mu)-math.Exp(eps)*phi(-mu/2-eps/mu) > delta {
				lo = sigma
			} else {
				hi = sigma
			}
		}
		p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "3", "1", tt.k)}, tt.k)
		d := foundNoise(t, p, tt.eps, tt.delta, NoiseOptions{RelWidth: tt.width})
		const rounding = 1e-9 // of the closed form
		if high, low := scaleOf(d.Pipeline.Mechanisms, 0), scaleOf(d.TooLittle, 0); high < hi*(1-rounding) || low > lo*(1+rounding) || d.Shortfall != "" || high-low > cmp.Or(tt.width, DefaultNoiseWidth)*high {
			t.Errorf("%v: from %g to %g, %s, want %g", tt, low, high, d.Shortfall, hi)
		}
	}
}

// TestDesignNoise_SGD: 2000 steps on samples of one in 100 need σ = 1.0000 for (3, 7.4924e-7).
func TestDesignNoise_SGD(t *testing.T) {
	t.Parallel()
	for _, start := range testkit.Few(1, []string{"0.4", "6"}) {
		p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, start, "0.01", 2000)}, 2000)
		d := foundNoise(t, p, "3", "7.4924e-7", NoiseOptions{})
		const near = 1e-5 // of a δ of five digits, which changes 37 times as fast
		if high, low := scaleOf(d.Pipeline.Mechanisms, 0), scaleOf(d.TooLittle, 0); high < 1-near || low > 1+near || high-low > DefaultNoiseWidth || d.Trials > 6 {
			t.Errorf("from %s: from %g to %g in %d trials", start, low, high, d.Trials)
		}
	}
}

// TestDesignNoise_Schedule: the schedule charges at most ε with the noise that was found, and more with one per cent
// less.
func TestDesignNoise_Schedule(t *testing.T) {
	t.Parallel()
	for _, tt := range testkit.Few(2, []struct {
		of    Mechanism
		after int
		shape Shape
	}{
		{noisy(certify.Gaussian, "1", "0.05", 200), 50, Linear},
		{noisy(certify.Laplace, "20", "1", 200), 0, Sqrt},
		{noisy(certify.Gaussian, "1", "0.05", 200), 0, Uniform},
		{noisy(certify.DiscreteGaussian, "10", "1", 200), 100, Uniform},
	}) {
		p := stoppedAfter([]Mechanism{tt.of}, 50, 100, 200)
		d := foundNoise(t, p, "1.5", "1e-5", NoiseOptions{After: tt.after, Shape: tt.shape})
		for _, factor := range []string{"1", "0.99"} {
			q := stoppedAfter([]Mechanism{tt.of}, 50, 100, 200)
			a := *tt.of.Additive
			a.Scale = new(big.Rat).Mul(d.Pipeline.Mechanisms[0].Additive.Scale, rational.MustParse(factor))
			q.Mechanisms[0].Additive = &a
			s, err := DesignSchedule(t.Context(), q, rational.MustParse("1e-5"), ScheduleOptions{Shape: tt.shape})
			if err != nil {
				t.Fatal(err)
			}
			i := map[int]int{0: 2, 50: 0, 100: 1}[tt.after]
			if charge := rational.Float64(s.Charges()[i]); (charge <= 1.5) != (factor == "1") {
				t.Errorf("%v: at %s times %v the charge is %g", tt, factor, d.Pipeline.Mechanisms[0].Additive.Scale, charge)
			}
		}
	}
}

// TestDesignNoise_Given: OptDel of the pipeline's own charges is at most δ with the noise that was found, and more
// with what is not enough, whichever stop needs the most.
func TestDesignNoise_Given(t *testing.T) {
	t.Parallel()
	half := Mechanism{Eps: testkit.NatsOf("0.05"), Delta: new(big.Rat), Count: 20}
	for _, tt := range testkit.Few(2, []struct {
		ms      []Mechanism
		charges []loss.Epsilon // after 20, 100, 220
	}{
		// the first stop needs the most, and has no noise
		{[]Mechanism{half, noisy(certify.Gaussian, "9", "1", 200)}, []loss.Epsilon{testkit.NatsOf("0.84"), testkit.NatsOf("3"), testkit.NatsOf("4")}},
		// the end alone needs nothing
		{[]Mechanism{noisy(certify.Gaussian, "9", "0.05", 220)}, []loss.Epsilon{testkit.NatsOf("0.1"), testkit.NatsOf("0.4"), testkit.NatsOf("30")}},
		{[]Mechanism{noisy(certify.Laplace, "3", "1", 220)}, []loss.Epsilon{testkit.NatsOf("0.7"), loss.Exp(big.NewRat(3, 1)), testkit.NatsOf("2")}},
		{[]Mechanism{noisy(certify.Gaussian, "1", "0.05", 220)}, []loss.Epsilon{testkit.NatsOf("1.5"), testkit.NatsOf("1.5"), testkit.NatsOf("1.5")}},
	}) {
		p := stoppedAfter(tt.ms, 20, 100, 220)
		for i, e := range tt.charges {
			p.Stops[i].Eps = e
		}
		delta := rational.MustParse("1e-5")
		d, err := DesignNoise(t.Context(), p, nil, delta, NoiseOptions{Shape: Given})
		if err != nil {
			t.Fatal(err)
		}
		if d.Trials > 8 || d.Shortfall != "" || d.RelWidth() > DefaultNoiseWidth || fmt.Sprint(d.Pipeline.Stops) != fmt.Sprint(p.Stops) {
			t.Errorf("%v: %d trials to the width %g, %s, with the stops %v", tt, d.Trials, d.RelWidth(), d.Shortfall, d.Pipeline.Stops)
		}
		for i, ms := range [][]Mechanism{d.Pipeline.Mechanisms, d.TooLittle} {
			r, err := OptDel(t.Context(), Pipeline{ms, p.Stops}, Options{RelWidth: 1e-4})
			if err != nil {
				t.Fatal(err)
			}
			lower, upper := r.OptDel.Rats()
			if wrong := [2]bool{lower.Cmp(delta) > 0, upper.Cmp(delta) <= 0}; wrong[i] {
				t.Errorf("%v: with %v OptDel is %v", tt, ms, r.OptDel)
			}
		}
	}
}

// TestDesignNoise_Several: one factor for all noise, nothing else changes, and a start that is far.
func TestDesignNoise_Several(t *testing.T) {
	t.Parallel()
	p := stoppedAfter([]Mechanism{
		noisy(certify.Gaussian, "200", "1", 4), noisy(certify.Laplace, "1000", "0.5", 2), noisy(certify.DiscreteGaussian, "300", "1", 1),
		{Eps: loss.Nats(big.NewRat(1, 10)), Delta: rational.MustParse("1e-9"), Count: 2},
	}, 4, 9)
	d := foundNoise(t, p, "1", "1e-6", NoiseOptions{})
	for i := range 3 {
		if high, low, was := scaleOf(d.Pipeline.Mechanisms, i), scaleOf(d.TooLittle, i), scaleOf(p.Mechanisms, i); high <= low || high-low > 1e-3*high || math.Abs(high/was/(scaleOf(d.Pipeline.Mechanisms, 0)/200)-1) > 1e-3 {
			t.Errorf("mechanism %d: from %g to %g, was %g", i+1, low, high, was)
		}
	}
	if m := d.Pipeline.Mechanisms[3]; m.Additive != nil || m.Eps.Rat().Cmp(big.NewRat(1, 10)) != 0 || m.Count != 2 || scaleOf(p.Mechanisms, 0) != 200 {
		t.Errorf("mechanism 4 became %v, or the pipeline itself was changed", m)
	}
}

// TestDesignNoise_Least: the least noise that is taken, and where losses are so large that they count as infinite.
func TestDesignNoise_Least(t *testing.T) {
	t.Parallel()
	d := foundNoise(t, stoppedAfter([]Mechanism{noisy(certify.Laplace, "2", "1", 1)}, 1), "1000", "1e-6", NoiseOptions{})
	if d.Pipeline.Mechanisms[0].Additive.Scale.Cmp(big.NewRat(1, 500)) != 0 || d.TooLittle != nil || d.Shortfall != "" || d.RelWidth() != 1 {
		t.Errorf("%v, %v, %s", d.Pipeline.Mechanisms[0].Additive.Scale, d.TooLittle, d.Shortfall)
	}
	if !*testkit.Full { // takes seconds
		return
	}
	far := foundNoise(t, stoppedAfter([]Mechanism{noisy(certify.Gaussian, "1", "1", 1)}, 1), "1000", "1e-6", NoiseOptions{})
	if x := scaleOf(far.Pipeline.Mechanisms, 0); x < 0.03 || x > 0.031 || far.TooLittle != nil || !strings.Contains(far.Shortfall, "losses above 690 count as infinite") {
		t.Errorf("%g, %v, %q", x, far.TooLittle, far.Shortfall)
	}
}

// TestDesignNoise_Errors: what is refused, and how.
func TestDesignNoise_Errors(t *testing.T) {
	t.Parallel()
	plain := func(eps string, count int) Mechanism {
		return Mechanism{Eps: testkit.NatsOf(eps), Delta: new(big.Rat), Count: count}
	}
	g := noisy(certify.Gaussian, "2", "1", 2)
	for _, tt := range []struct {
		p          Pipeline
		eps, delta string
		o          NoiseOptions
		want       string
	}{
		{stoppedAfter([]Mechanism{plain("1", 1)}, 1), "1", "1e-6", NoiseOptions{}, "mechanisms: there is no noise in the first 1, must be in at least one"},
		{stoppedAfter([]Mechanism{plain("1", 3), g}, 3, 5), "1", "1e-6", NoiseOptions{After: 3}, "mechanisms: there is no noise in the first 3"},
		{stoppedAfter([]Mechanism{g, plain("0.5", 1), plain("2", 1)}, 2, 4), "1.5", "1e-6", NoiseOptions{}, "mechanism 3: eps costs too much: with ε = 1.5 after 4, δ would be more than 1e-06"},
		{stoppedAfter([]Mechanism{g, plain("0.5", 1), plain("0.6", 1)}, 2, 4), "0.7", "1e-6", NoiseOptions{}, "mechanisms: those without noise cost too much together"},
		{stoppedAfter([]Mechanism{g, plain("2", 1)}, 2, 3), "9", "1e-6", NoiseOptions{Shape: Given}, "mechanisms: those without noise cost too much: with these charges, δ would be more than 1e-06, however much noise the others have"},
		{stoppedAfter([]Mechanism{noisy(certify.DiscreteGaussian, "2", "1", 4)}, 4), "9", "1e-6", NoiseOptions{Shape: Given}, "mechanisms: the most noise that is allowed is not enough for these charges"},
		{stoppedAfter([]Mechanism{g}, 2), "-1", "1e-6", NoiseOptions{}, "eps is -1, must be at least 0"},
		{stoppedAfter([]Mechanism{g}, 2), "1", "0", NoiseOptions{}, "delta is 0, must be at least 1e-250"},
		{stoppedAfter([]Mechanism{g}, 2), "1", "1e-400", NoiseOptions{}, "delta is about 1e-400, must be at least 1e-250"},
		{stoppedAfter([]Mechanism{noisy(certify.Laplace, "2", "1", 2)}, 2), "1", "0", NoiseOptions{}, "delta is 0, must be at least 1e-250"},
		{stoppedAfter([]Mechanism{noisy(certify.Laplace, "2", "1", 2)}, 2), "1", "1e-400", NoiseOptions{}, "delta is about 1e-400, must be at least 1e-250"},
		{stoppedAfter([]Mechanism{g}, 2), "1", "1", NoiseOptions{}, "delta is 1, must be at least 0 and less than 1"},
		{stoppedAfter([]Mechanism{g}, 2), "1", "1e-6", NoiseOptions{After: 1}, "after is 1, must be that of a stop"},
		{stoppedAfter([]Mechanism{g}, 2), "1", "1e-6", NoiseOptions{Shape: Optimal}, `shape is "optimal", must be one of [uniform linear sqrt given]`},
		{stoppedAfter([]Mechanism{g}, 2), "1", "1e-6", NoiseOptions{RelWidth: 1}, "relative width is 1, must be more than 0 and less than 1"},
		{stoppedAfter([]Mechanism{g}, 3), "1", "1e-6", NoiseOptions{}, "stop 1: after is 3, must be at most 2"},
	} {
		d, err := DesignNoise(t.Context(), tt.p, rational.MustParse(tt.eps), rational.MustParse(tt.delta), tt.o)
		if d != nil || err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("got %v and the error %v, want %s", d, err, tt.want)
		}
	}
}

// TestDesignNoise_Interrupted: what is known when the search is ended at any of its reports. Late ones may be of its
// last step, behind which there is nothing to be interrupted.
func TestDesignNoise_Interrupted(t *testing.T) {
	t.Parallel()
	p := stoppedAfter([]Mechanism{noisy(certify.Gaussian, "1", "0.05", 200)}, 50, 200)
	seen := map[string]bool{}
	for _, part := range testkit.Few(3, []float64{0, 0.9, 0.95, 0.5, 0.8}) {
		ctx, cancel := context.WithCancel(t.Context())
		d, err := DesignNoise(ctx, p, big.NewRat(3, 2), rational.MustParse("1e-5"), NoiseOptions{Progress: func(done float64) {
			if done >= part {
				cancel()
			}
		}})
		cancel()
		known, isKnown := errors.AsType[*TooLittleNoiseError](err)
		switch {
		case err == nil && (d.Result == nil || d.Shortfall == "" && part < 0.8), err != nil && !errors.Is(err, context.Canceled), isKnown && known.TooLittle == nil:
			t.Errorf("at %g: %v, %v", part, d, err)
		}
		seen[fmt.Sprint(err == nil, isKnown)] = true
	}
	if !seen["false false"] || !seen["true false"] {
		t.Errorf("only %v were seen", seen)
	}
}
