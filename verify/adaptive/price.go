package adaptive

import (
	"context"
	"fmt"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

// ledger are mechanisms that are known beforehand: what an odometer learns one by one, and a schedule all at once.
type ledger struct {
	name, says string
	eps        []*big.Rat
	delta      *big.Rat // of each
}

// ledgers are those of the comparison.
func ledgers() []ledger {
	equal := ledger{"price-equal", "1000 mechanisms of ε = 0.05", nil, new(big.Rat)}
	mixed := ledger{"price-mixed", "1000 mechanisms of ε = 0.01, 0.02, 0.05, 0.1 (4:3:2:1)", nil, new(big.Rat)}
	// those of examples/steps.yaml
	training := ledger{"price-training", "1000 steps of ε = 0.05, δ = 1e-11", nil, rat.Of("1e-11")}
	for i := range 1000 {
		equal.eps, training.eps = append(equal.eps, rat.Of("0.05")), append(training.eps, rat.Of("0.05"))
		mixed.eps = append(mixed.eps, rat.Of([]string{"0.01", "0.02", "0.01", "0.05", "0.01", "0.02", "0.1", "0.01", "0.05",
			"0.02"}[i%10]))
	}
	return []ledger{equal, mixed, training}
}

// priceCurves are the odometers of the comparison, tuned for a loss of about 10. The original one shows so much more
// where V is above 1 that a picture of it would hide the others.
var priceCurves = []struct {
	label   string
	curve   impl.Curve
	inTable bool
}{
	{"filter, target 10", priceFilter, false},
	{"mixture, γ = 0.2", priceMixture, false},
	{"stitched, v0 = 0.01", priceStitched, false},
	{"best of these", impl.BestCurve{priceFilter, priceMixture, priceStitched}, false},
	{"original, 10,000 records", impl.RogersCurve{Size: 10_000}, true},
}

var (
	priceFilter   = impl.FilterCurve{Target: 10}
	priceMixture  = impl.MixtureCurve{Gamma: 0.2}
	priceStitched = impl.StitchedCurve{V0: 0.01}
)

// priceDelta is the level of all that is compared.
var priceDelta = rat.Of("1e-6")

// pipeline has a stop after every mechanism, without charges.
func (l ledger) pipeline() (p impl.Pipeline) {
	for i, eps := range l.eps {
		p.Mechanisms = append(p.Mechanisms, impl.Mechanism{Eps: loss.Nats(eps), Delta: l.delta, Count: 1})
		p.Stops = append(p.Stops, impl.Stop{After: i + 1})
	}
	return p
}

// readings returns what an odometer shows after every mechanism.
func (l ledger) readings(c impl.Curve) ([]float64, error) {
	leak := rat.Mul(l.delta, rat.Int(len(l.eps)))
	o, err := impl.NewOdometer(c, rat.Sub(priceDelta, leak), leak)
	if err != nil {
		return nil, err
	}
	var shown []float64
	for _, eps := range l.eps {
		if err := o.Spend(loss.Nats(eps), l.delta); err != nil {
			return nil, err
		}
		shown = append(shown, o.Read().Eps)
	}
	return shown, nil
}

// needed returns the OptDel of charges times a factor.
func (l ledger) needed(ctx context.Context, charges []float64, factor float64) (interval.Interval, error) {
	p := l.pipeline()
	for i, c := range charges {
		p.Stops[i].Eps = loss.Nats(new(big.Rat).SetFloat64(c * factor))
	}
	r, err := impl.OptDel(ctx, p, impl.Options{RelWidth: 1e-3})
	if err != nil {
		return interval.Interval{}, err
	}
	return r.OptDel, nil
}

// schedule returns the least charges with an equal δ at every stop.
func (l ledger) schedule(ctx context.Context) (*impl.Schedule, error) {
	return impl.DesignSchedule(ctx, l.pipeline(), priceDelta, impl.ScheduleOptions{Slack: 1e-4})
}

// priceOf draws odometers above what must be charged at least, if all mechanisms are known beforehand. It is not in
// print.
func priceOf(ctx context.Context, l ledger) (register.Figure, error) {
	f := register.Figure{
		ID: "FAC-F3", Name: l.name, Title: "Not knowing what comes: " + l.says + ", δ = 1e-6",
		X: "mechanisms", Y: "ε spent so far",
	}
	note := "Not in print. " + l.says + ". δ = 1e-6, less what the mechanisms' own δ add up to, is for the bound. The " +
		"schedule has a stop after every mechanism: if all of them are known beforehand, no charges with an equal δ at " +
		"every stop are below it. The lowest curve would do if the ledger could end at that mechanism only. What an " +
		"odometer shows would, as charges of mechanisms that are known beforehand, need a δ of"
	for _, c := range priceCurves {
		shown, err := l.readings(c.curve)
		if err != nil {
			return f, err
		}
		needed, err := l.needed(ctx, shown, 1)
		if err != nil {
			return f, err
		}
		note += fmt.Sprintf(" %.3g (%s),", needed.Float().Hi, c.label)
		curve := curveOf(c.label, shown)
		curve.InTable = c.inTable
		f.Curves = append(f.Curves, curve)
	}
	s, err := l.schedule(ctx)
	if err != nil {
		return f, err
	}
	f.Curves = append(f.Curves, curveOf("schedule, all known", rat.Floats(s.Charges())), curveOf("this one stop only",
		rat.Floats(s.SingleStop)))
	f.Note = note + " where 1e-6 is claimed."
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

// The rules whose tightness is drawn are all for a loss of 3 and δ = 1e-6; odometers run until V = Σ ε² is 1.
const tightTarget = "3"

// tightSteps are the ε of the mechanisms.
var tightSteps = []string{"0.01", "0.015", "0.02", "0.03", "0.04", "0.05", "0.06", "0.07", "0.08"}

// tightRule is a rule, and the worst that an adversary with a menu can do to it.
type tightRule struct {
	label   string
	inTable bool // as it would hide the others
	worst   func(ctx context.Context, menu []impl.Mechanism, rounds int) (*impl.Challenge, error)
}

// tightRules returns the filters and the odometers that the command line knows.
func tightRules() (all []tightRule, err error) {
	target, none := loss.Nats(rat.Of(tightTarget)), new(big.Rat)
	adaptive, err := impl.NewAdaptiveFilter(target, priceDelta, none)
	if err != nil {
		return nil, err
	}
	odp, err := impl.NewODPFilter(target, priceDelta, none, nil)
	if err != nil {
		return nil, err
	}
	all = append(all, filterRule("adaptive, zcdp", adaptive, target), filterRule("odp-advanced", odp, target))
	stitched := impl.StitchedCurve{V0: 0.01}
	filter, mixture := impl.FilterCurve{Target: 3}, impl.MixtureCurve{Gamma: 0.1}
	for _, c := range []struct {
		label   string
		curve   impl.Curve
		inTable bool
	}{{"filter odometer", filter, false}, {"mixture", mixture, false}, {"stitched", stitched, false},
		{"best", impl.BestCurve{filter, mixture, stitched}, false}, {"original", impl.RogersCurve{Size: 1000}, true}} {
		rule, err := impl.NewCurveRule(c.curve, priceDelta, none)
		if err != nil {
			return nil, err
		}
		all = append(all, tightRule{c.label, c.inTable, func(ctx context.Context, menu []impl.Mechanism,
			rounds int) (*impl.Challenge, error) {
			return impl.ChallengeOdometer(ctx, menu, rounds, rule, impl.ChallengeOptions{})
		}})
	}
	return all, nil
}

func filterRule(label string, f impl.Filter, eps loss.Epsilon) tightRule {
	return tightRule{label, false, func(ctx context.Context, menu []impl.Mechanism, rounds int) (*impl.Challenge, error) {
		return impl.ChallengeFilter(ctx, menu, rounds, f, eps, impl.ChallengeOptions{})
	}}
}

// tightness draws which share of δ the worst adversary attains. It is not in print.
func tightness(ctx context.Context) (register.Figure, error) {
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
	rules, err := tightRules()
	if err != nil {
		return f, err
	}
	for _, r := range rules {
		c := register.Curve{Label: r.label, InTable: r.inTable}
		for _, step := range tightSteps {
			eps := rat.Of(step)
			v, _ := new(big.Rat).Inv(rat.Mul(eps, eps)).Float64()
			won, err := r.worst(ctx, []impl.Mechanism{{Eps: loss.Nats(eps), Delta: new(big.Rat), Count: 1}}, int(v+0.5))
			if err != nil {
				return f, err
			}
			if !won.Worst.IsZero() {
				c.Points = append(c.Points, register.Point{X: eps, Y: interval.Precision(96).Quo(won.Worst,
					interval.Precision(96).Rat(priceDelta))})
			}
		}
		f.Curves = append(f.Curves, c)
	}
	return f, nil
}
