package audit_test

import (
	"flag"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"

	"checkrr/verify/audit"
	"checkrr/verify/audit/mechanisms"
)

// The figures and tables of docs/audit.md: how often audits refute claims.
var (
	measured  = flag.String("measure", "", "measure alarms, kinds, power or hidden as docs/audit.md shows them")
	repeated  = flag.Int("audits", 0, "of -measure: how many of each, other than docs/audit.md has")
	picture   = flag.String("plot", "", "of -measure power or hidden: draw the rates into this file")
	rows      = flag.String("rows", "", "of -measure hidden: only those whose name contains this")
	twins     = flag.Bool("right", false, "of -measure hidden: audit the right twins")
	firstSeed = flag.Uint64("first", 1, "of -measure hidden: the first seed")
	size      = flag.Int("size", 0, "of -measure hidden: outputs; 0 for those of the row")
)

// ofMeasure skips a measurement that is not asked for, and returns how many audits there are of each.
func ofMeasure(t *testing.T, name string, audits int) int {
	if *measured != name {
		t.Skip("a measurement: see -measure")
	}
	if *repeated > 0 {
		return *repeated
	}
	return audits
}

func TestMeasure_Alarms(t *testing.T) {
	measureAlarms(t, tight(t), 10_000, ofMeasure(t, "alarms", 2000))
}

func TestMeasure_KindAlarms(t *testing.T) {
	measureAlarms(t, tightKinds(), 1000, ofMeasure(t, "kinds", 2000))
}

// measureAlarms prints how often audits refute true claims, and a bound that is wrong with probability 0.005.
func measureAlarms(t *testing.T, subjects []subject, samples, audits int) {
	for _, s := range subjects {
		refuted := s.refutations(t, audit.Options{Samples: samples, Alpha: 0.01, Seed: 1}, audits)
		_, upper, err := audit.ClopperPearson(refuted, audits, 0.005)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("| %s | %d | %d | %.5f |", s.name, audits, refuted, math.Ceil(upper*1e5)/1e5)
	}
}

// curve is how often a violation is found, by the number of outputs.
type curve struct {
	label  string
	points plotter.XYs
}

func (c *curve) add(samples, found, audits int) {
	c.points = append(c.points, plotter.XY{X: float64(samples), Y: float64(found) / float64(audits)})
}

// show prints the curves, and draws them if that is asked for.
func show(t *testing.T, curves []curve, audits int) {
	figure := plot.New()
	figure.Title.Text = fmt.Sprintf("How often an audit at α = 0.01 finds a violation (%d audits each)", audits)
	figure.X.Label.Text, figure.Y.Label.Text = "samples for each input", "share of audits"
	figure.X.Scale, figure.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	figure.Y.Min, figure.Y.Max = 0, 1.12+0.12*float64(len(curves)) // the legend stands above 1
	figure.Legend.Top = true
	var drawn []any
	for _, c := range curves {
		var rates []string
		for _, p := range c.points {
			rates = append(rates, fmt.Sprintf("%.0f: %.2g", p.X, p.Y))
		}
		t.Logf("%s | %s", c.label, strings.Join(rates, " | "))
		drawn = append(drawn, c.label, c.points)
	}
	if *picture == "" {
		return
	}
	if err := plotutil.AddLinePoints(figure, drawn...); err != nil {
		t.Fatal(err)
	}
	if err := figure.Save(8*vg.Inch, 5*vg.Inch, *picture); err != nil {
		t.Fatal(err)
	}
}

// TestMeasure_Power measures too little Laplace noise, and outputs that reveal the input: of several sizes, and of the
// size that an audit of a true claim with as many samples reports as seen.
func TestMeasure_Power(t *testing.T) {
	audits := ofMeasure(t, "power", 100)
	const most, mostNumbers = 10_000_000, 1_000_000 // numbers take ten times as long
	const mostLeak = 0.5                            // of a response
	seenNoise := func(o audit.Options) subject {
		eps := seenIn(t, "laplace", mechanisms.Params{Eps: one}, o).Eps[0]
		if math.IsInf(eps, 1) {
			return noisy(t, "1") // nothing is seen: a true claim
		}
		return noisy(t, decimal(1/eps))
	}
	seenLeak := func(o audit.Options) subject {
		seen := seenIn(t, "randomized-response", mechanisms.Params{Eps: one}, o)
		if seen.Delta > mostLeak {
			return noisy(t, "1")
		}
		return leaking(t, decimal(seen.Delta))
	}
	type violation struct {
		label string
		most  int
		at    func(audit.Options) subject
	}
	var violations []violation
	for _, percent := range []int{1, 3, 10} {
		factor := fmt.Sprint(float64(100-percent) / 100)
		violations = append(violations, violation{fmt.Sprintf("%d %% too little noise", percent), mostNumbers,
			func(audit.Options) subject { return noisy(t, factor) }})
	}
	for _, p := range []string{"1e-3", "1e-4", "1e-5"} {
		violations = append(violations, violation{"leak with probability " + p, most,
			func(audit.Options) subject { return leaking(t, p) }})
	}
	violations = append(violations, violation{"noise reported as seen", mostNumbers, seenNoise},
		violation{"leak reported as seen", most, seenLeak})
	curves := make([]curve, len(violations))
	for i, v := range violations {
		curves[i].label = v.label
		for _, samples := range []int{1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7} {
			if samples <= v.most {
				o := audit.Options{Samples: samples, Alpha: 0.01, Seed: 1}
				curves[i].add(samples, v.at(o).refutations(t, o, audits), audits)
			}
		}
	}
	show(t, curves, audits)
}

// TestMeasure_Hidden measures how soon hidden violations are found, and in what time; or how often the right twins are
// refuted. Audits stop when they have refuted, so that one of them tells for all numbers of samples.
func TestMeasure_Hidden(t *testing.T) {
	audits := ofMeasure(t, "hidden", 20)
	var curves []curve
	for _, h := range hiddenRows() {
		if !strings.Contains(h.name, *rows) {
			continue
		}
		pair, claim := h.wrong, h.claim
		if *twins {
			pair, claim = h.right, h.twin
		}
		var needed []int
		start := time.Now()
		for seed := range uint64(audits) {
			o := audit.Options{Samples: h.samples, Alpha: 0.01, Seed: *firstSeed + seed, Bits: h.bits}
			if *size > 0 {
				o.Samples = *size
			}
			if r := auditOf(t, claim, o, pair); r.Verdict == audit.Refuted {
				needed = append(needed, r.Samples)
			}
		}
		slices.Sort(needed)
		t.Logf("%s: refuted %d of %d, with %v, %v each", h.name, len(needed), audits, needed,
			time.Since(start)/time.Duration(audits))
		c := curve{label: h.name}
		for _, samples := range []int{100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6} {
			found, _ := slices.BinarySearch(needed, samples+1)
			c.add(samples, found, audits)
		}
		curves = append(curves, c)
	}
	show(t, curves, audits)
}
