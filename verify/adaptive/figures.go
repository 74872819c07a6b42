package adaptive

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/ledger"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// Figures computes Figures 1 to 3 again, how far odometers are above what must be charged, and what the worst adversary
// attains.
func Figures(ctx context.Context) ([]register.Figure, error) {
	all := []register.Figure{figureOfTerms(), figureOfOdometers(), figure2("filter"), figure2("mixture"),
		figure2("stitched"), figureOfAll(), figureOfAdvanced()}
	of := []func(context.Context) (register.Figure, error){tightness}
	for _, l := range slices.Backward(ledgers()) {
		of = append([]func(context.Context) (register.Figure, error){l.price}, of...)
	}
	more, err := register.Figures(of...)(ctx)
	if err != nil {
		return nil, err
	}
	return append(all, more...), nil
}

// The parameters of the figures: δ′ is that of Figure 2; print does not give the others.
const figureSize = 1000 // |x|

var (
	figureDelta1 = rat.Of("1e-6")
	figureLog    = interval.Precision(96).Log(rat.Of("1e6")).Float()
)

const chosen = "Print gives neither parameters nor values on the axes, but for δ′ = 1e-6 in Figure 2 and pure DP; " +
	"chosen here are δ′ = 1e-6 throughout, ε = 1 for the filter odometer, γ = 1/500, v_0 = 1/100 and |x| = 1000. " +
	"The filter odometer has the y* that solves f(y*) = ε, 0.0349 (FAC-X24), and the original one a single logarithm " +
	"outside [1/|x|², 1] (FAC-L3). "

// enclosing is a curve of an odometer.
type enclosing interface {
	Enclose(v, log interval.Float) interval.Float
}

// figured is an odometer of the figures. The target of a filter odometer with the printed y* is twice that of the
// corrected one.
func figured(kind, parameter string) odometer {
	x := rat.Float64(rat.Of(parameter))
	if kind == "filter" {
		x *= 2
	}
	return odometer{kind, 1e-6, 0, x}
}

// fixedOnes are the three odometers of Theorem 3 with the parameters of the figures.
func fixedOnes() []odometer {
	return []odometer{figured("filter", "1"), figured("mixture", "1/500"), figured("stitched", "1/100")}
}

// grid returns first, first + step, …, up to last.
func grid(first, last, step string) (all []*big.Rat) {
	for x := rat.Of(first); x.Cmp(rat.Of(last)) <= 0; x = rat.Add(x, rat.Of(step)) {
		all = append(all, x)
	}
	return all
}

// over is a curve over a grid.
func over(label string, grid []*big.Rat, of func(x *big.Rat) interval.Interval) register.Curve {
	c := register.Curve{Label: label}
	for _, x := range grid {
		c.Points = append(c.Points, register.Point{X: x, Y: of(x)})
	}
	return c
}

// ofOdometer is the curve of an odometer of impl over v = Σ ε_m².
func ofOdometer(label string, o odometer, grid []*big.Rat) register.Curve {
	c := kindOf(o.kind).byImpl(o.parameter).(enclosing)
	return over(label, grid, func(v *big.Rat) interval.Interval {
		return c.Enclose(interval.FloatOf(v), figureLog).Interval()
	})
}

// ofAdvanced is the curve of advanced composition, point by point.
func ofAdvanced(grid []*big.Rat) register.Curve {
	return over("advanced composition, at one v", grid, func(v *big.Rat) interval.Interval {
		return ledger.AdvancedCharge(v, figureDelta1)
	})
}

// three are the curves of the three odometers.
func three(grid []*big.Rat) (curves []register.Curve) {
	for _, o := range fixedOnes() {
		curves = append(curves, ofOdometer(o.kind, o, grid))
	}
	return curves
}

// andOriginal are these and the original one.
func andOriginal(grid []*big.Rat) []register.Curve {
	return append(three(grid), ofOdometer("original", odometer{"original", 1e-6, 0, figureSize}, grid))
}

// ofVariance is a figure of odometers as functions of v.
func ofVariance(id, name, title, note string, curves []register.Curve) register.Figure {
	return register.Figure{ID: id, Name: name, Title: title, X: "v = Σ ε_m²", Y: "ε of the odometer",
		Curves: curves, Note: note}
}

func figureOfTerms() register.Figure {
	v := grid("1/10", "4", "1/10")
	advanced := over("advanced composition", v, func(x *big.Rat) interval.Interval { // for δ′ = 1 the first term is 0
		drift, _ := impl.AdvancedComposition([]loss.Epsilon{loss.Nats(x)}, []*big.Rat{new(big.Rat)}, rat.One)
		return drift
	})
	filter := over("filter", v, func(x *big.Rat) interval.Interval { return ledger.DPToZCDP(loss.Nats(x)) })
	return register.Figure{
		ID: "FAC-F1", Name: "figure1a", Title: "Lower-order terms of advanced composition and of the filter", X: "ε_m",
		Y:      "part of ε",
		Curves: []register.Curve{advanced, filter},
		Note: "Print compares the lower-order terms; neither the axes nor the parameters are given. Computed are " +
			"ε_m(e^(ε_m) − 1)/(e^(ε_m) + 1) and ε_m²/2, what one mechanism adds to ε beside √(2 log(1/δ′) Σ ε_m²). " +
			"The filter's is never smaller, by at most ε_m⁴/24: it is 8 % more at ε_m = 1, and 2 % more at 1/2.",
	}
}

func figureOfOdometers() register.Figure {
	return ofVariance("FAC-F1", "figure1b", "The odometers and the original one, also for v > 1",
		chosen+"Of these, mixture and stitched are below the original one on the whole range; "+
			"the filter odometer is a line, and above it for v from 0.3024 to 1 and from 1.356 on. "+
			"The families, each with its best parameter for every v, are below it for every v (FAC-F1).",
		andOriginal(grid("1/20", "2", "1/20")))
}

// panels of Figure 2 are odometers of one kind with some parameters, beside advanced composition.
var panels = map[string]struct {
	name, title, parameter string
	values                 []string
	note                   string
}{
	"filter": {"figure2a", "Filter odometers", "ε = ", []string{"1/2", "1", "3"},
		"Chosen are ε = 1/2, 1 and 3, each with the y* that solves f(y*) = ε (FAC-X24). " +
			"Every line touches the curve of advanced composition, at its y*."},
	"mixture": {"figure2b", "Mixture odometers", "γ = ", []string{"1/500", "1/50", "1/10"},
		"Chosen are γ = 1/500, 1/50 and 1/10. The best γ for a given v is about v/31."},
	"stitched": {"figure2c", "Stitched odometers", "v_0 = ", []string{"1/10000", "1/1000", "1/100"},
		"Chosen are v_0 = 1/10000, 1/1000 and 1/100; below v_0 they are infinite, so v is from 1/100."},
}

func figure2(kind string) register.Figure {
	p, v := panels[kind], grid("1/100", "1/2", "1/100")
	var curves []register.Curve
	for _, x := range p.values {
		curves = append(curves, ofOdometer(p.parameter+x, figured(kind, x), v))
	}
	return ofVariance("FAC-F2", p.name, p.title, "Print shows "+kind+" odometers for δ′ = 1e-6; which ones, "+
		"and on which range, is not given. "+p.note, append(curves, ofAdvanced(v)))
}

func figureOfAll() register.Figure {
	return ofVariance("FAC-F3", "figure3a", "The three odometers and the original one",
		chosen+"The stitched odometer is the least up to v = 0.01541, the filter odometer up to 0.0767, "+
			"and the mixture one from there on, up to 163.8; then again the stitched one (FAC-X18).",
		andOriginal(grid("1/100", "3/10", "1/100")))
}

func figureOfAdvanced() register.Figure {
	v := grid("1/100", "3/10", "1/100")
	return ofVariance("FAC-F3", "figure3b", "The three odometers and advanced composition",
		chosen+"Advanced composition is √(2 log(1/δ′)·v) + v/2 for every v by itself; "+
			"read at all times it is exceeded too often (FAC-X19). The filter odometer touches it at y* = 0.0349.",
		append(three(v), ofAdvanced(v)))
}

// pointName says where a point is, for messages.
func pointName(f register.Figure, c register.Curve, p register.Point) string {
	return fmt.Sprintf("%s, %s, at %s", f.Name, c.Label, rat.Show(p.X))
}

// history are mechanisms that are known beforehand: what an odometer learns one by one, and a schedule all at once.
type history struct {
	name, says string
	eps        []*big.Rat
	delta      *big.Rat // of each
}

// ledgers are those of the comparison; the last is that of examples/steps.yaml.
func ledgers() []history {
	twentieths := slices.Repeat(rat.List("0.05"), 1000)
	mixed := slices.Repeat(rat.List("0.01", "0.02", "0.01", "0.05", "0.01", "0.02", "0.1", "0.01", "0.05", "0.02"), 100)
	return []history{
		{"price-equal", "1000 mechanisms of ε = 0.05", twentieths, new(big.Rat)},
		{"price-mixed", "1000 mechanisms of ε = 0.01, 0.02, 0.05, 0.1 (4:3:2:1)", mixed, new(big.Rat)},
		{"price-training", "1000 steps of ε = 0.05, δ = 1e-11", twentieths, rat.Of("1e-11")},
	}
}

// labelled is an odometer that is drawn, or in tables only, as it would hide the others.
type labelled struct {
	label   string
	curve   ledger.Curve
	inTable bool
}

// priceCurves are the odometers of the comparison, tuned for a loss of about 10. The original one shows so much more
// where V is above 1 that a picture of it would hide the others.
var priceCurves = []labelled{
	{"filter, target 10", ledger.FilterCurve{Target: 10}, false},
	{"mixture, γ = 0.2", ledger.MixtureCurve{Gamma: 0.2}, false},
	{"stitched, v0 = 0.01", ledger.StitchedCurve{V0: 0.01}, false},
	{"best of these", ledger.BestCurve{ledger.FilterCurve{Target: 10}, ledger.MixtureCurve{Gamma: 0.2},
		ledger.StitchedCurve{V0: 0.01}}, false},
	{"original, 10,000 records", ledger.RogersCurve{Size: 10_000}, true},
}

// priceDelta is the level of all that is compared.
var priceDelta = rat.Of("1e-6")

// pipeline has a stop after every mechanism, without charges.
func (l history) pipeline() (p impl.Pipeline) {
	for i, eps := range l.eps {
		p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Eps: loss.Nats(eps), Delta: l.delta, Count: 1})
		p.Stops = append(p.Stops, impl.Stop{After: i + 1})
	}
	return p
}

// readings returns what an odometer shows after every mechanism.
func (l history) readings(c ledger.Curve) (shown []float64) {
	leak := rat.Mul(l.delta, rat.Int(len(l.eps)))
	o := register.Must(ledger.NewOdometer(c, rat.Sub(priceDelta, leak), leak))
	for _, eps := range l.eps {
		if err := o.Spend(loss.Nats(eps), l.delta); err != nil {
			panic(err)
		}
		shown = append(shown, o.Read().Eps)
	}
	return shown
}

// needed returns the OptDel of charges times a factor.
func (l history) needed(ctx context.Context, charges []float64, factor float64) (interval.Interval, error) {
	p := l.pipeline()
	for i, c := range charges {
		p.Stops[i].Eps = loss.Nats(exact(c * factor))
	}
	r, err := impl.OptDel(ctx, p, impl.Options{RelWidth: 1e-3})
	if err != nil {
		return interval.Interval{}, err
	}
	return r.OptDel, nil
}

// schedule returns the least charges with an equal δ at every stop.
func (l history) schedule(ctx context.Context) (*impl.Schedule, error) {
	return impl.DesignSchedule(ctx, l.pipeline(), priceDelta, impl.ScheduleOptions{Slack: 1e-4})
}

// price draws odometers above what must be charged at least, if all mechanisms are known beforehand. It is not in
// print.
func (l history) price(ctx context.Context) (register.Figure, error) {
	f := register.Figure{
		ID: "FAC-F3", Name: l.name, Title: "Not knowing what comes: " + l.says + ", δ = 1e-6",
		X: "mechanisms", Y: "ε spent so far",
		Note: "Not in print. " + l.says + ". δ = 1e-6, less what the mechanisms' own δ add up to, is for the bound. " +
			"The schedule has a stop after every mechanism: if all of them are known beforehand, no charges with an " +
			"equal δ at every stop are below it. The lowest curve would do if the ledger could end at that mechanism " +
			"only. What an odometer shows would, as charges of mechanisms that are known beforehand, need a δ of",
	}
	for _, c := range priceCurves {
		shown := l.readings(c.curve)
		needed, err := l.needed(ctx, shown, 1)
		if err != nil {
			return f, err
		}
		f.Note += fmt.Sprintf(" %.3g (%s),", needed.Float().Hi, c.label)
		curve := curveOf(c.label, shown)
		curve.InTable = c.inTable
		f.Curves = append(f.Curves, curve)
	}
	s, err := l.schedule(ctx)
	if err != nil {
		return f, err
	}
	f.Curves = append(f.Curves, curveOf("schedule, all known", rat.Floats(s.Charges())),
		curveOf("this one stop only", rat.Floats(s.SingleStop)))
	f.Note += " where 1e-6 is claimed."
	return f, nil
}

// curveOf is a row of points, at the first mechanisms and then at every tenth.
func curveOf(label string, ys []float64) register.Curve {
	c := register.Curve{Label: label}
	for i, y := range ys {
		if i < 10 || (i+1)%10 == 0 {
			c.Points = append(c.Points, register.Point{X: rat.Int(i + 1), Y: interval.Of(y, y)})
		}
	}
	return c
}

// tightSteps are the ε of the mechanisms.
var tightSteps = rat.List("0.01", "0.015", "0.02", "0.03", "0.04", "0.05", "0.06", "0.07", "0.08")

// tightRule is a rule, and the worst that an adversary with a menu can do to it.
type tightRule struct {
	label   string
	inTable bool
	worst   func(ctx context.Context, menu []impl.Mechanism, rounds int) (*ledger.Challenge, error)
}

// tightRules returns the filters and the odometers that the command line knows, all for a loss of 3 and δ = 1e-6.
func tightRules() (all []tightRule) {
	target, none := loss.Nats(rat.Int(3)), new(big.Rat)
	filter := func(f ledger.Filter) func(context.Context, []impl.Mechanism, int) (*ledger.Challenge, error) {
		return func(ctx context.Context, m []impl.Mechanism, n int) (*ledger.Challenge, error) {
			return ledger.ChallengeFilter(ctx, m, n, f, target, ledger.ChallengeOptions{})
		}
	}
	all = []tightRule{
		{"adaptive, zcdp", false, filter(register.Must(ledger.NewAdaptiveFilter(target, priceDelta, none)))},
		{"odp-advanced", false, filter(register.Must(ledger.NewODPFilter(target, priceDelta, none, nil)))},
	}
	of, mixture, stitched := ledger.FilterCurve{Target: 3}, ledger.MixtureCurve{Gamma: 0.1},
		ledger.StitchedCurve{V0: 0.01}
	for _, c := range []labelled{{"filter odometer", of, false}, {"mixture", mixture, false},
		{"stitched", stitched, false}, {"best", ledger.BestCurve{of, mixture, stitched}, false},
		{"original", ledger.RogersCurve{Size: 1000}, true}} {
		rule := register.Must(ledger.NewCurveRule(c.curve, priceDelta, none))
		all = append(all, tightRule{c.label, c.inTable, func(ctx context.Context, m []impl.Mechanism,
			n int) (*ledger.Challenge, error) {
			return ledger.ChallengeOdometer(ctx, m, n, rule, ledger.ChallengeOptions{})
		}})
	}
	return all
}

// tightness draws which share of δ the worst adversary attains. It is not in print.
func tightness(ctx context.Context) (register.Figure, error) { return tightnessOf(ctx, tightSteps) }

// tightnessOf does so for mechanisms with these ε.
func tightnessOf(ctx context.Context, steps []*big.Rat) (register.Figure, error) {
	f := register.Figure{
		ID: "FAC-F3", Name: "tightness", Title: "How much of δ = 1e-6 the worst adversary attains",
		X: "ε of all mechanisms",
		Y: "worst case / δ", LogY: true,
		Note: "Not in print. Filters for ε = 3, filter odometer for ε = 3, mixture γ = 0.1, stitched v0 = 0.01, " +
			"original for 1000 records, all of δ for the bound. adaptive and zcdp are the same filter then. " +
			"The sum needs no δ here, and is not drawn. Mechanisms of one ε, δ = 0, " +
			"as many as make Σ ε² = 1, of which filters admit fewer. The steps of the curves are overshoot: " +
			"how far the last mechanism can go beyond a boundary. Of odometers it " +
			"is the probability that the loss ever exceeds the reading, of filters the δ that they need. " +
			"With fewer and larger mechanisms the sum of all ε is soon below the boundaries, and no loss exceeds it.",
	}
	for _, r := range tightRules() {
		c := register.Curve{Label: r.label, InTable: r.inTable}
		for _, eps := range steps { // odometers run until V = Σ ε² is 1
			rounds := int(rat.Float64(rat.Quo(rat.One, rat.Mul(eps, eps))) + 0.5)
			won, err := r.worst(ctx, []impl.Mechanism{{Eps: loss.Nats(eps), Delta: new(big.Rat), Count: 1}}, rounds)
			if err != nil {
				return f, err
			}
			if !won.Worst.IsZero() {
				share := interval.Precision(96).Quo(won.Worst, interval.Precision(96).Rat(priceDelta))
				c.Points = append(c.Points, register.Point{X: eps, Y: share})
			}
		}
		f.Curves = append(f.Curves, c)
	}
	return f, nil
}
