package impl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"checkrr/impl/internal/rational"
	"checkrr/impl/internal/testkit"
)

// foundNoise is [DesignNoise], with what it promises checked by another call of [OptDel].
func foundNoise(t *testing.T, p Pipeline, eps, delta string, o NoiseOptions) *NoiseDesign {
	t.Helper()
	most := rational.MustParse(delta)
	d, err := DesignNoise(t.Context(), p, rational.MustParse(eps), most, o)
	if err != nil {
		t.Fatal(err)
	}
	after := cmp.Or(o.After, p.Stops[len(p.Stops)-1].After)
	for i, s := range d.Pipeline.Stops {
		want := rational.MustParse(eps)
		if o.Shape == Given {
			want, after = p.Stops[i].Eps.Rat(), s.After
		}
		if s.After == after && s.Eps.Rat().Cmp(want) != 0 {
			t.Errorf("after %d %v is charged, not %v", after, s.Eps, want)
		}
	}
	lower, _ := solve(t, d.Pipeline, Options{RelWidth: 0.01}).OptDel.Rats()
	if _, upper := d.Result.OptDel.Rats(); lower.Cmp(most) > 0 || upper.Cmp(most) > 0 {
		t.Errorf("OptDel is at least %v, at most %v, more than %s", lower, upper, delta)
	}
	if width := cmp.Or(o.RelWidth, DefaultNoiseWidth); d.Shortfall != "" || d.TooLittle != nil && d.RelWidth() > width {
		t.Errorf("%s; the width is %g, must be %g", d.Shortfall, d.RelWidth(), width)
	}
	return d
}

// scaleOf returns the scale of the i-th mechanism.
func scaleOf(ms []Mechanism, i int) float64 { return rational.Float64(ms[i].Additive.Scale) }

// Noise that is known: k Gaussian steps need δ = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ) with μ = √k/σ; 2000 steps on samples
// of one in 100 need σ = 1.0000 for (3, 7.4924e-7), with a δ of five digits; and of Laplace noise 1/ε is enough for any
// δ.
func TestDesignNoise_Known(t *testing.T) {
	t.Parallel()
	for _, row := range testkit.Few(3, []struct {
		problem, eps, delta string
		width, want, near   float64
	}{
		{"gaussian 3 x1", "0.1", "1e-3", 1e-4, 17.4043962, 1e-6},
		{"gaussian 3 x3", "1", "0.5", 0.1, 0.8782623973, 1e-6},
		{"laplace 2", "1000", "1e-6", 0, 1. / 500, 1e-9},
		{"gaussian 3 x1", "1", "1e-6", 1e-6, 4.224678889, 1e-6},
		{"gaussian 3 x100", "3", "1e-6", 1e-4, 15.43861418, 1e-6},
		{"gaussian 3 x1", "500", "1e-6", 0, 0.03669264449, 1e-6},
		{"gaussian 0.4 0.01 x2000", "3", "7.4924e-7", 0, 1, 1e-5},
		{"gaussian 6 0.01 x2000", "3", "7.4924e-7", 0, 1, 1e-5},
		{"gaussian 3 x1", "0", "0.01", 0, 39.89318358, 1e-6},
		{"gaussian 3 x1000", "0.5", "1e-9", 0, 337.5382545, 1e-6},
		{"gaussian 3 x7", "8", "1e-5", 0, 1.588056855, 1e-6},
	}) {
		d := foundNoise(t, parsed(row.problem), row.eps, row.delta, NoiseOptions{RelWidth: row.width})
		high, low := scaleOf(d.Pipeline.Mechanisms, 0), row.want
		if d.TooLittle != nil {
			low = scaleOf(d.TooLittle, 0)
		}
		if high < row.want*(1-row.near) || low > row.want*(1+row.near) || d.Trials > 8 {
			t.Errorf("%v: from %.9g to %.9g in %d trials", row, low, high, d.Trials)
		}
	}
}

// The schedule charges at most ε with the noise that was found, and more with one per cent less; with charges that are
// given, OptDel is at most δ with the noise, and more with what is not enough, whichever stop needs the most.
func TestDesignNoise_Stops(t *testing.T) {
	t.Parallel()
	const delta = "1e-5"
	for _, row := range testkit.Few(2, []struct {
		problem string
		after   int // of the stop that is charged 1.5
		shape   Shape
	}{
		{"gaussian 5 x20 | 5, 10, 20", 5, Linear},
		{"0.05 0 x20, gaussian 9 x200 | 20 0.84, 100 3, 220 4", 0, Given}, // the first needs the most, and has no noise
		{"gaussian 1 0.05 x200 | 50, 100, 200", 50, Linear},
		{"laplace 20 x200 | 50, 100, 200", 200, Sqrt},
		{"gaussian 9 0.05 x220 | 20 0.1, 100 0.4, 220 30", 0, Given}, // the end alone needs nothing
		{"laplace 3 x220 | 20 0.7, 100 ln(3), 220 2", 0, Given},
		{"gaussian 1 0.05 x200 | 50, 100, 200", 200, Uniform},
		{"discrete_gaussian 10 x200 | 50, 100, 200", 100, Uniform},
	}) {
		p := parsed(row.problem)
		d := foundNoise(t, p, "1.5", delta, NoiseOptions{After: row.after, Shape: row.shape})
		if row.shape == Given {
			least, _ := solve(t, Pipeline{d.TooLittle, p.Stops}, Options{RelWidth: 1e-4}).OptDel.Rats()
			if least.Cmp(rational.MustParse(delta)) <= 0 || d.Trials > 8 {
				t.Errorf("%s: with less OptDel is %v; %d trials", row.problem, least, d.Trials)
			}
			continue
		}
		for factor, isEnough := range map[string]bool{"1": true, "0.99": false} {
			q := parsed(row.problem)
			q.Mechanisms[0].Additive.Scale.Mul(d.Pipeline.Mechanisms[0].Additive.Scale, rational.MustParse(factor))
			s, err := DesignSchedule(t.Context(), q, rational.MustParse(delta), ScheduleOptions{Shape: row.shape})
			if err != nil {
				t.Fatal(err)
			}
			for i, stop := range p.Stops {
				if e := s.Charges()[i]; stop.After == row.after && (e.Cmp(big.NewRat(3, 2)) <= 0) != isEnough {
					t.Errorf("%s: with %s times the noise the charge is %v", row.problem, factor, e.FloatString(9))
				}
			}
		}
	}
}

// One factor for all noise, nothing else changes, and a start that is far.
func TestDesignNoise_Several(t *testing.T) {
	t.Parallel()
	p := parsed("gaussian 200 x4, laplace 1000 0.5 x2, discrete_gaussian 300, 1/10 1e-9 x2 | 4, 9")
	d := foundNoise(t, p, "1", "1e-6", NoiseOptions{})
	factor := scaleOf(d.Pipeline.Mechanisms, 0) / 200
	for i := range 3 {
		checkNear(t, fmt.Sprint("mechanism ", i+1), scaleOf(d.Pipeline.Mechanisms, i),
			factor*scaleOf(p.Mechanisms, i), 1e-3)
	}
	if m := d.Pipeline.Mechanisms[3]; !m.IsDP() || m.Eps.Rat().Cmp(big.NewRat(1, 10)) != 0 ||
		m.Count != 2 || factor == 1 {
		t.Errorf("mechanism 4 became %v, or the pipeline itself was changed", m)
	}
}

func TestDesignNoise_Errors(t *testing.T) {
	t.Parallel()
	const g, l = "gaussian 2 x2", "laplace 2 x2"
	for _, row := range []struct {
		problem, eps, delta string
		o                   NoiseOptions
		want                string
	}{
		{"1 0", "1", "1e-6", NoiseOptions{}, "mechanisms: there is no noise in the first 1, must be in at least one"},
		{"1 0 x3, gaussian 2 x2 | 3, 5", "1", "1e-6", NoiseOptions{After: 3},
			"mechanisms: there is no noise in the first 3"},
		{g + ", 0.5 0, 2 0 | 2, 4", "1.5", "1e-6", NoiseOptions{},
			"mechanism 3: eps costs too much: with ε = 1.5 after 4, δ would be more than 1e-06"},
		{g + ", 0.5 0, 0.6 0 | 2, 4", "0.7", "1e-6", NoiseOptions{},
			"mechanisms: those without noise cost too much together"},
		{g + ", 2 0 | 2, 3", "9", "1e-6", NoiseOptions{Shape: Given},
			"mechanisms: those without noise cost too much: with these charges, δ would be more than 1e-06, " +
				"however much noise the others have"},
		{"discrete_gaussian 2 x4", "9", "1e-6", NoiseOptions{Shape: Given},
			"mechanisms: the most noise that is allowed is not enough for these charges"},
		{g, "-1", "1e-6", NoiseOptions{}, "eps is -1, must be at least 0"},
		{g, "1", "0", NoiseOptions{}, "delta is 0, must be at least 1e-250"},
		{g, "1", "1e-400", NoiseOptions{}, "delta is about 1e-400, must be at least 1e-250"},
		{l, "1", "0", NoiseOptions{}, "delta is 0, must be at least 1e-250"},
		{l, "1", "1e-400", NoiseOptions{}, "delta is about 1e-400, must be at least 1e-250"},
		{g, "1", "1", NoiseOptions{}, "delta is 1, must be at least 0 and less than 1"},
		{g, "1", "1e-6", NoiseOptions{After: 1}, "after is 1, must be that of a stop"},
		{g, "1", "1e-6", NoiseOptions{Shape: Optimal},
			`shape is "optimal", must be one of [uniform linear sqrt given]`},
		{g, "1", "1e-6", NoiseOptions{RelWidth: 1}, "relative width is 1, must be more than 0 and less than 1"},
		{g + " | 3", "1", "1e-6", NoiseOptions{}, "stop 1: after is 3, must be at most 2"},
	} {
		d, err := DesignNoise(t.Context(), parsed(row.problem), rational.MustParse(row.eps),
			rational.MustParse(row.delta), row.o)
		if d != nil || err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("got %v and the error %v, want %s", d, err, row.want)
		}
	}
}

// What is known when the search is ended at any of its reports. Late ones may be of its last step, behind which there
// is nothing to be interrupted.
func TestDesignNoise_Interrupted(t *testing.T) {
	t.Parallel()
	p, seen := parsed("gaussian 3 x200 | 50, 200"), map[string]bool{}
	for _, part := range testkit.Few(3, []float64{0, 0.9, 0.95, 0.5, 0.8}) {
		ctx, cancel := context.WithCancel(t.Context())
		progress := func(done float64) {
			if done >= part {
				cancel()
			}
		}
		d, err := DesignNoise(ctx, p, big.NewRat(3, 2), rational.MustParse("1e-5"), NoiseOptions{Progress: progress})
		cancel()
		known, isKnown := errors.AsType[*TooLittleNoiseError](err)
		if err == nil && (d.Result == nil || d.Shortfall == "" && part < 0.8) ||
			err != nil && !errors.Is(err, context.Canceled) || isKnown && known.TooLittle == nil {
			t.Errorf("at %g: %v, %v", part, d, err)
		}
		seen[fmt.Sprint(err == nil, isKnown)] = true
	}
	if !seen["false false"] || !seen["true false"] {
		t.Errorf("only %v were seen", seen)
	}
}
