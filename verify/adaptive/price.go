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
		Note: "Not in print. " + l.says + ". δ = 1e-6, less what the mechanisms' own δ add up to, is for the bound. The " +
			"schedule has a stop after every mechanism: if all of them are known beforehand, no charges with an equal δ at " +
			"every stop are below it. The lowest curve would do if the ledger could end at that mechanism only. What an " +
			"odometer shows would, as charges of mechanisms that are known beforehand, need a δ of",
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
	of, mixture, stitched := ledger.FilterCurve{Target: 3}, ledger.MixtureCurve{Gamma: 0.1}, ledger.StitchedCurve{V0: 0.01}
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
		ID: "FAC-F3", Name: "tightness", Title: "How much of δ = 1e-6 the worst adversary attains", X: "ε of all mechanisms",
		Y: "worst case / δ", LogY: true,
		Note: "Not in print. Filters for ε = 3, filter odometer for ε = 3, mixture γ = 0.1, stitched v0 = 0.01, original " +
			"for 1000 records, all of δ for the bound. adaptive and zcdp are the same filter then. The sum needs no δ here, " +
			"and is not drawn. Mechanisms of one ε, δ = 0, as many as make Σ ε² = 1, " +
			"of which filters admit fewer. The steps of the curves are overshoot: how far the last mechanism can go beyond a " +
			"boundary. Of odometers it is the probability that the loss ever exceeds the reading, " +
			"of filters the δ that they need. With fewer and larger mechanisms the sum of all ε is soon below the boundaries, " +
			"and no loss exceeds it.",
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
