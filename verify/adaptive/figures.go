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

// figures are Figures 1 to 3, computed again, how far odometers are above what must be charged, and what the worst
// adversary attains.
var figures = []register.Drawing{
	register.Draws("figure1a", at(curvesOfTerms)), register.Draws("figure1b", at(curvesOfOdometers)),
	register.Draws("figure2a", at(panels["filter"].curves)), register.Draws("figure2b", at(panels["mixture"].curves)),
	register.Draws("figure2c", at(panels["stitched"].curves)), register.Draws("figure3a", at(curvesOfAll)),
	register.Draws("figure3b", at(curvesOfAdvanced)), register.Draws("price-equal", ledgers[0].price),
	register.Draws("tightness", tightness),
}

// at is what takes no time to compute.
func at(of func() register.Curves) func(context.Context) (register.Curves, error) {
	return func(context.Context) (register.Curves, error) { return of(), nil }
}

// The parameters of the figures: δ′ is that of Figure 2; print does not give the others.
const figureSize = 1000 // |x|

var (
	figureDelta1 = rat.Of("1e-6")
	figureLog    = interval.Precision(96).Log(rat.Of("1e6")).Float()
)

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
func three(grid []*big.Rat) (curves register.Curves) {
	for _, o := range fixedOnes() {
		curves = append(curves, ofOdometer(o.kind, o, grid))
	}
	return curves
}

// andOriginal are these and the original one.
func andOriginal(grid []*big.Rat) register.Curves {
	return append(three(grid), ofOdometer("original", odometer{"original", 1e-6, 0, figureSize}, grid))
}

func curvesOfTerms() register.Curves {
	v := grid("1/10", "4", "1/10")
	advanced := over("advanced composition", v, func(x *big.Rat) interval.Interval { // for δ′ = 1 the first term is 0
		drift, _ := impl.AdvancedComposition([]loss.Epsilon{loss.Nats(x)}, []*big.Rat{new(big.Rat)}, rat.One)
		return drift
	})
	filter := over("filter", v, func(x *big.Rat) interval.Interval { return ledger.DPToZCDP(loss.Nats(x)) })
	return register.Curves{advanced, filter}
}

func curvesOfOdometers() register.Curves { return andOriginal(grid("1/20", "2", "1/20")) }

// panel is one of Figure 2: odometers of one kind with some parameters, beside advanced composition.
type panel struct {
	figure, kind, parameter string
	values                  []string
}

var panels = map[string]panel{
	"filter":   {"figure2a", "filter", "ε = ", []string{"1/2", "1", "3"}},
	"mixture":  {"figure2b", "mixture", "γ = ", []string{"1/500", "1/50", "1/10"}},
	"stitched": {"figure2c", "stitched", "v_0 = ", []string{"1/10000", "1/1000", "1/100"}},
}

func (p panel) curves() (curves register.Curves) {
	v := grid("1/100", "1/2", "1/100")
	for _, x := range p.values {
		curves = append(curves, ofOdometer(p.parameter+x, figured(p.kind, x), v))
	}
	return append(curves, ofAdvanced(v))
}

func curvesOfAll() register.Curves { return andOriginal(grid("1/100", "3/10", "1/100")) }

func curvesOfAdvanced() register.Curves {
	v := grid("1/100", "3/10", "1/100")
	return append(three(v), ofAdvanced(v))
}

// history are mechanisms that are known beforehand: what an odometer learns one by one, and a schedule all at once.
type history struct {
	says string
	eps  []*big.Rat
}

// ledgers are those of the comparison, of which the first is drawn.
var ledgers = []history{
	{"1000 mechanisms of ε = 0.05", slices.Repeat(rat.List("0.05"), 1000)},
	{"1000 mechanisms of ε = 0.01, 0.02, 0.05, 0.1 (4:3:2:1)", slices.Repeat(rat.List("0.01", "0.02", "0.01", "0.05",
		"0.01", "0.02", "0.1", "0.01", "0.05", "0.02"), 100)},
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
		p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Eps: loss.Nats(eps), Delta: new(big.Rat), Count: 1})
		p.Stops = append(p.Stops, impl.Stop{After: i + 1})
	}
	return p
}

// readings returns what an odometer shows after every mechanism.
func (l history) readings(c ledger.Curve) (shown []float64) {
	o := register.Must(ledger.NewOdometer(c, priceDelta, new(big.Rat)))
	for _, eps := range l.eps {
		if err := o.Spend(loss.Nats(eps), new(big.Rat)); err != nil {
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
func (l history) price(ctx context.Context) (all register.Curves, err error) {
	for _, c := range priceCurves {
		shown := l.readings(c.curve)
		needed, err := l.needed(ctx, shown, 1)
		if err != nil {
			return nil, err
		}
		curve := curveOf(c.label, shown)
		curve.InTable, curve.Note = c.inTable, fmt.Sprintf(" %.3g (%s),", needed.Float().Hi, c.label)
		all = append(all, curve)
	}
	s, err := l.schedule(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, curveOf("schedule, all known", rat.Floats(s.Charges())),
		curveOf("this one stop only", rat.Floats(s.SingleStop)))
	all[len(all)-1].Note = " where 1e-6 is claimed."
	return all, nil
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
func tightness(ctx context.Context) (register.Curves, error) { return tightnessOf(ctx, tightSteps) }

// tightnessOf does so for mechanisms with these ε.
func tightnessOf(ctx context.Context, steps []*big.Rat) (all register.Curves, err error) {
	for _, r := range tightRules() {
		c := register.Curve{Label: r.label, InTable: r.inTable}
		for _, eps := range steps { // odometers run until V = Σ ε² is 1
			rounds := int(rat.Float64(rat.Quo(rat.One, rat.Mul(eps, eps))) + 0.5)
			won, err := r.worst(ctx, []impl.Mechanism{{Eps: loss.Nats(eps), Delta: new(big.Rat), Count: 1}}, rounds)
			if err != nil {
				return nil, err
			}
			if !won.Worst.IsZero() {
				share := interval.Precision(96).Quo(won.Worst, interval.Precision(96).Rat(priceDelta))
				c.Points = append(c.Points, register.Point{X: eps, Y: share})
			}
		}
		all = append(all, c)
	}
	return all, nil
}
