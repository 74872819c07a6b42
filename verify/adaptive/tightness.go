package adaptive

import (
	"context"
	"math/big"

	"checkrr/impl"
	"checkrr/impl/interval"
	"checkrr/impl/loss"
	"checkrr/verify/rat"
	"checkrr/verify/register"
)

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
